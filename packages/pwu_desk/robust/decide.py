"""What a set of priors decides about models: intervals, certain preferences, an order, a radius, a test.

Implements maximality (Walley) with sets of priors, and the dominance test of Ehm and Krueger (2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite._resampling import effective_number, group_numbers, sample_places, tail_of, unit_sizes
from pwu_lite.families import Family
from pwu_lite.priors import Prior

from .curve import Curve, piece_starts, read_curve
from .sets import AnyPrior, PriorSet, as_set, one_prior

__all__ = ["DominanceTest", "Interval", "Order", "Preference", "Radius", "dominance_test", "interval", "order",
           "preference", "radius"]

ROUNDING = 1e-12  # a difference below this share of the larger cost has no sign


class Interval(NamedTuple):
    """Smallest and largest PWU over a set of priors, and priors of the set that give them."""

    lower: float
    upper: float
    lower_prior: Prior
    upper_prior: Prior


class Preference(NamedTuple):
    """A verdict on two models, the smallest and the largest difference of their PWUs, and priors that give them.

    ``low`` and ``high`` bound the cost of the first model minus that of the second.
    """

    verdict: str
    low: float
    high: float
    low_prior: Prior
    high_prior: Prior


class Radius(NamedTuple):
    """The share of readers who may believe anything before the order of two models can flip.

    ``lower`` is a bound, the lower end of the percentile interval over resampled cases (NaN without resamples). The
    upper end of the interval is not given: the largest difference is a maximum of noise, so the value is biased down,
    and near 1 the interval misses the truth. ``worst`` is what the readers who flip the order believe.
    """

    value: float
    lower: float
    winner: str
    worst: Prior


class DominanceTest(NamedTuple):
    """Evidence against "the first model is nowhere costlier": a p-value, the largest excess and where it is."""

    p_value: float
    excess: float
    at: float


class Order(pd.DataFrame):
    """Verdicts on all pairs of models: row against column, better, worse or undecided.

    Attributes
    ----------
    maximal : list of str
        The models that no other model certainly beats.
    """

    @property
    def _constructor(self) -> Callable[..., Order]:
        return Order

    @property
    def maximal(self) -> list[str]:
        """The models that no other model certainly beats."""
        return [name for name in self.index if not (self.loc[name] == "worse").any()]


def interval(family: Family, priors: Any, y_true: ArrayLike, *prediction: ArrayLike,
             sample_weight: ArrayLike | None = None) -> Interval:
    """Smallest and largest PWU of a forecast over a set of priors.

    Parameters
    ----------
    family : Family
        With one decision parameter, and a method `breakpoints`.
    priors : PriorSet or Prior
    y_true, *prediction : array_like, shape (n,)
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    Interval
        Begins with lower, upper.

    Examples
    --------
    >>> from pwu_lite import BinaryDecision
    >>> found = interval(BinaryDecision(), AnyPrior(0.1, 0.4), [0, 1], [0.2, 0.6])
    >>> round(abs(found.lower), 12), round(found.upper, 12)
    (0.0, 0.1)
    """
    validation.same_order_of_models({"the model": prediction}, y_true=y_true, sample_weight=sample_weight)
    data = _read(family, y_true, prediction)
    priors, curve = as_set(priors), read_curve(family, data, family.weight(sample_weight, data))
    low, high = priors.lower(curve), priors.upper(curve)
    return Interval(low.value, high.value, low.prior, high.prior)


def preference(family: Family, priors: Any, y_true: ArrayLike, a: Any, b: Any,
               sample_weight: ArrayLike | None = None) -> Preference:
    """Does every prior of the set prefer the same one of two models?

    "first": no prior makes the first model more expensive (by more than 1e-12 of the largest cost, which is taken for
    rounding) and some make it cheaper; "second": the reverse;
    "undecided": the priors differ, or none tells the two apart.

    Parameters
    ----------
    family : Family
    priors : PriorSet or Prior
    y_true : array_like, shape (n,)
    a, b : array_like, shape (n,), or tuples ``(mean, std)``
        The two forecasts.
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    Preference
        Begins with the verdict.

    Examples
    --------
    >>> from pwu_lite import BinaryDecision
    >>> preference(BinaryDecision(), AnyPrior(0.1, 0.4), [0, 1, 1], [0.2, 0.6, 0.7], [0.3, 0.2, 0.7]).verdict
    'first'
    """
    validation.same_order_of_models({"a": _parts(a), "b": _parts(b)}, y_true=y_true, sample_weight=sample_weight)
    data = [_read(family, y_true, _parts(forecast)) for forecast in (a, b)]
    weight = family.weight(sample_weight, data[0])
    return compared(as_set(priors), *curves_of(family, data, weight))


def order(family: Family, priors: Any, y_true: ArrayLike, models: Any,
          sample_weight: ArrayLike | None = None) -> Order:
    """Verdicts on all pairs of models, and the maximal ones.

    Parameters
    ----------
    family : Family
    priors : PriorSet or Prior
    y_true : array_like, shape (n,)
    models : mapping of name to forecast, or DataFrame with a column for each model
    sample_weight : array_like, shape (n,), optional

    Examples
    --------
    >>> from pwu_lite import BinaryDecision
    >>> models = {"good": [0.2, 0.6, 0.7], "bad": [0.3, 0.2, 0.7]}
    >>> order(BinaryDecision(), AnyPrior(0.1, 0.4), [0, 1, 1], models).maximal
    ['good']
    """
    forecasts, priors = validation.named_forecasts(models), as_set(priors)
    if not forecasts:
        raise ValueError("order needs at least one model")
    validation.same_order_of_models(forecasts, y_true=y_true, sample_weight=sample_weight)
    data = {name: _read(family, y_true, given) for name, given in forecasts.items()}
    words = {"first": "better", "second": "worse", "undecided": "undecided"}
    weight = family.weight(sample_weight, next(iter(data.values()))) if data else None
    curves = dict(zip(data, curves_of(family, [*data.values()], weight), strict=True))
    table = pd.DataFrame("", index=list(data), columns=list(data))
    for row in data:
        for column in data:
            if row != column:
                table.loc[row, column] = words[compared(priors, curves[row], curves[column]).verdict]
    return Order(table)


def radius(family: Family, prior: Any, y_true: ArrayLike, a: Any, b: Any, within: Any = None, *, repeats: int = 1000,
           seed: int = 0, groups: Any = None, sample_weight: ArrayLike | None = None, coverage: float = 0.95) -> Radius:
    """Which share of readers may believe anything before the order of two models can flip?

    With D the cost of the model that is cheaper under the prior minus the other's, ``-mean / (sup - mean)``: the
    largest share of a `Contamination` that keeps the mean below zero; 1 where D is nowhere positive.

    Parameters
    ----------
    family : Family
    prior : Prior
        What the other readers believe.
    y_true : array_like, shape (n,)
    a, b : array_like, shape (n,), or tuples ``(mean, std)``
    within : PriorSet, optional
        What a contamination may be: anything, or for instance what fits a statement.
    repeats, seed : int
        Resamples of the cases; with 0 there is no bound.
    groups : array_like, shape (n,), optional
        Groups of cases, each of which is resampled whole.
    sample_weight : array_like, shape (n,), optional
    coverage : float
        Coverage of the percentile interval whose lower end is the bound.

    Returns
    -------
    Radius
        Begins with value, lower, winner ("first", "second" or "neither").

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> y, one, two = [0, 0, 1, 1] * 5, [0.1, 0.4, 0.35, 0.8] * 5, [0.2, 0.3, 0.6, 0.7] * 5
    >>> found = radius(BinaryDecision(), Beta(2, 2), y, one, two, repeats=0)
    >>> round(found.value, 6), found.winner
    (0.399568, 'second')
    """
    prior, within = one_prior(prior), AnyPrior() if within is None else as_set(within)
    _check_family(family)
    family.check_prior(prior)
    validation.same_order_of_models({"a": _parts(a), "b": _parts(b)}, y_true=y_true, groups=groups,
                                    sample_weight=sample_weight)
    data = [_read(family, y_true, _parts(forecast)) for forecast in (a, b)]
    weight = family.weight(sample_weight, data[0])
    value, winner, worst = radius_of(prior, within, *curves_of(family, data, weight))
    if repeats == 0:
        return Radius(value, np.nan, winner, worst)
    repeats, coverage = validation.whole("repeats", repeats), validation.inside("coverage", coverage, 0, 1)
    sizes = unit_sizes(len(data[0][0]), None if groups is None else group_numbers(groups, len(data[0][0])), weight)
    tail = tail_of(coverage, effective_number(sizes))
    draws = resampled(family, data, winner, prior, within, repeats, seed, groups, weight)
    return Radius(value, float(np.quantile(draws, tail, method="inverted_cdf")), winner, worst)


def dominance_test(family: Family, y_true: ArrayLike, a: Any, b: Any, low: float | None = None,
                   high: float | None = None, *, repeats: int = 1000, seed: int = 0) -> DominanceTest:
    """Test whether the first model is nowhere costlier than the second, by random signs.

    The statistic is the largest excess cost of the first model over [low, high]; under independent cases it is
    compared with the same maximum after the signs of the cases' differences were drawn at random.

    Parameters
    ----------
    family : SeparableFamily
    y_true : array_like, shape (n,)
    a, b : array_like, shape (n,), or tuples ``(mean, std)``
    low, high : float, optional
        Ends of the range of theta; the whole domain, if not given.
    repeats, seed : int

    Returns
    -------
    DominanceTest
        Begins with the p-value. A small one speaks against dominance of the first model; a large one does not prove it.

    References
    ----------
    Ehm and Krueger (2018), "Forecast dominance testing via sign randomization".

    Examples
    --------
    >>> from pwu_lite import BinaryDecision
    >>> y = [0, 1] * 40
    >>> dominance_test(BinaryDecision(), y, [0.3, 0.7] * 40, [0.4, 0.6] * 40, repeats=99).p_value
    1.0
    """
    _check_family(family)
    if len(family.stated) != 1:
        raise ValueError(f"dominance is over one decision parameter, {family!r:.60} has {len(family.stated)}")
    if not family.separable:
        raise ValueError(f"{type(family).__name__} is not separable: its cases have no differences of their own")
    validation.same_order_of_models({"a": _parts(a), "b": _parts(b)}, y_true=y_true)
    data = [_read(family, y_true, _parts(forecast)) for forecast in (a, b)]
    starts, n = piece_starts(family, *data), len(data[0][0])
    sets, rng = AnyPrior(low, high), np.random.default_rng(validation.seed(seed))
    data = _in_canonical_order(data)

    def excess(signs):
        """Largest sum of the differences with these signs, over n."""
        parts = [(sign * (signs == sign).mean(), _difference(family, data, (signs == sign).astype(float), starts))
                 for sign in (1, -1) if (signs == sign).any()]
        left = sum(share * part.left for share, part in parts)
        right = sum(share * part.right for share, part in parts)
        at, like = sum(share * part.at for share, part in parts), parts[0][1]
        grows = [share * part.grows for share, part in parts]
        slope = sum(grows) if abs(sum(grows)) > ROUNDING * sum(map(abs, grows)) else 0.0
        return sets.upper(like._like(like.edges, left, right, at, slope))

    statistic = excess(np.ones(n))
    scale = ROUNDING * max(curve.scale for curve in curves_of(family, data, None))
    at = statistic.prior.support[0]
    if statistic.value <= scale:
        return DominanceTest(1.0, max(statistic.value, 0.0), at)
    repeats = validation.whole("repeats", repeats)
    draws = [excess(rng.choice([-1, 1], n)).value for _ in range(repeats)]
    p_value = (1 + sum(draw >= statistic.value - scale for draw in draws)) / (1 + repeats)
    return DominanceTest(float(p_value), statistic.value, at)


def _check_family(family):
    if not isinstance(family, Family):
        raise ValueError(f"family must be a decision family, got {type(family).__name__}")


def _read(family, y_true, prediction):
    _check_family(family)
    return family.read(y_true, *prediction)


def _parts(given):
    return given if isinstance(given, tuple) else (given,)


def curves_of(family: Family, data: Sequence[tuple[np.ndarray, ...]], weight: np.ndarray | None) -> list[Curve]:
    """The cost of each forecast, all cut at the same places: edges that rounding sets apart would be pieces."""
    starts = piece_starts(family, *data) if len(family.stated) == 1 else None
    return [read_curve(family, parts, weight, starts) for parts in data]


def _difference(family, data, weight, starts):
    return read_curve(family, data[0], weight, starts) - read_curve(family, data[1], weight, starts)


def compared(priors: PriorSet, first: Curve, second: Curve) -> Preference:
    """The verdict on two cost curves."""
    difference, rounding = first - second, ROUNDING * max(first.scale, second.scale)
    low, high = priors.lower(difference), priors.upper(difference)
    verdict = "undecided"
    if high.value <= rounding and low.value < -rounding:
        verdict = "first"
    elif low.value >= -rounding and high.value > rounding:
        verdict = "second"
    return Preference(verdict, low.value, high.value, low.prior, high.prior)


def radius_of(prior: Prior, within: PriorSet, first: Curve, second: Curve) -> tuple[float, str, Prior]:
    """Value, winner and the worst contamination, of two cost curves."""
    difference, rounding = first - second, ROUNDING * max(first.scale, second.scale)
    mean = difference.mean(prior)
    if abs(mean) <= rounding:
        return 0.0, "neither", prior
    winner, difference = ("first", difference) if mean < 0 else ("second", -difference)
    top, worst = within.upper(difference)
    return _share(-abs(mean), top, rounding), winner, worst


def _share(mean, top, rounding=0.0):
    if mean >= 0:
        return 0.0
    return 1.0 if top <= rounding else float(-mean / (top - mean))


def resampled(family: Family, data: Sequence[tuple[np.ndarray, ...]], winner: str, prior: Prior, within: PriorSet,
              repeats: int, seed: int, groups: Any = None, weight: np.ndarray | None = None) -> np.ndarray:
    """The radius on resamples of the cases, of the model that won on all of them; zero where it loses."""
    sign = -1 if winner == "second" else 1
    number = None if groups is None else group_numbers(groups, len(data[0][0]))
    if weight is not None:  # a case of weight zero is none, and a resample of such cases would have no cost
        kept = weight > 0
        data, weight = [tuple(part[kept] for part in parts) for parts in data], weight[kept]
        number = None if number is None else np.unique(number[kept], return_inverse=True)[1]
    order = np.lexsort(np.vstack([_columns(data), *([] if weight is None else [weight[None]])]))
    data = [tuple(part[order] for part in parts) for parts in data]
    number = None if number is None else number[order]
    weight = np.ones(order.size) if weight is None else weight[order]
    rng, starts = np.random.default_rng(validation.seed(seed)), piece_starts(family, *data)
    draws = []
    for _ in range(repeats):
        if family.separable:
            difference = _difference(family, data, weight * _counts(rng, len(order), number), starts)
        else:
            chosen = np.repeat(np.arange(len(order)), _counts(rng, len(order), number).astype(int))
            difference = _difference(family, [tuple(part[chosen] for part in parts) for parts in data], None, starts)
        difference = difference if sign == 1 else -difference
        draws.append(_share(difference.mean(prior), within.upper(difference).value, ROUNDING * difference.scale))
    return np.array(draws)


def _counts(rng, n, number):
    """How often each case is drawn."""
    if number is None:
        return np.bincount(sample_places(rng, n, n), minlength=n).astype(float)
    count = number.max() + 1
    return np.bincount(sample_places(rng, count, count), minlength=count).astype(float)[number]


def _in_canonical_order(data):
    order = np.lexsort(_columns(data))
    return [tuple(part[order] for part in parts) for parts in data]


def _columns(data):
    return np.vstack([np.reshape(part, (len(part), -1)).T.astype(float) for parts in data for part in parts])
