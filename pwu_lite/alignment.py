"""Do a metric and a utility rank alike? Can a metric be aligned at all?

May import families, metrics, ranks and validation, numpy, scipy and pandas.
Implements sections 3.1 to 3.3 and proposition F.1 of the PWU paper; rank agreement with ties.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import metrics as registry
from . import validation
from .families import Family, draw_gaussians
from .ranks import snap

if TYPE_CHECKING:  # pandas takes half a second to import: import it where it is used
    import pandas as pd

__all__ = ["Comparison", "Counterexample", "Refutation", "align", "coordinate_dependence", "kendall_tau", "refute",
           "somers_d"]


class _Pieces(NamedTuple):
    labels: np.ndarray
    a: Any
    b: Any
    r: np.ndarray
    r_prime: np.ndarray


class Counterexample(_Pieces):
    """Two reports a and b for case 0, and two backgrounds r and r' that disagree which is better.

    A tuple ``(labels, a, b, r, r_prime)``. In regression each report is a pair (mean, std) and
    a background has shape (n - 1, 2). The attribute `values` holds the metric at (a, r), (b, r),
    (a, r') and (b, r').
    """

    values: tuple[float, ...]

    def __new__(cls, *pieces: Any, values: tuple[float, ...] = ()) -> Counterexample:
        self = super().__new__(cls, *pieces)
        self.values = values
        return self


class Comparison(NamedTuple):
    """Labels and two forecasts, of which the metric calls one at least as good as the other.

    ``better`` and ``worse`` are tuples of arrays, as the metric takes them after y_true;
    ``values`` holds the metric at both.
    """

    y_true: np.ndarray
    better: tuple[np.ndarray, ...]
    worse: tuple[np.ndarray, ...]
    values: tuple[float, float]


class Refutation(NamedTuple):
    """Proof that a metric is aligned with a family under no prior.

    The metric ranks, or ties, the forecasts of each comparison. Weighted and added up,
    ``cost(better) - cost(worse)`` is nowhere negative (`margin`), so every prior finds
    that sum at least zero; an aligned metric would make it negative. If all comparisons are
    ties it is positive everywhere, where alignment asks for zero.

    What it assumes of the metric: that it does not depend on the order of the cases, and is
    computed to `precision` times its largest value. No smaller difference counts as an order,
    and none that another order of the cases could make. A tie counts only if it is none of a
    plateau, where an increasing function saturates: small changes of either forecast move the
    metric up and down; or the metric is a step function there, still under smaller changes,
    inside its range, left with a jump, and the tie lasts when both forecasts get the same
    further cases.
    """

    comparisons: tuple[Comparison, ...]
    weights: np.ndarray
    family: Any
    precision: float = 1e-5

    def margin(self, theta: Any) -> float:
        """The weighted sum of ``cost(better) - cost(worse)`` at one theta, afresh from the family."""
        return float(sum(weight * (_cost(self.family, theta, c.y_true, c.better)
                                   - _cost(self.family, theta, c.y_true, c.worse))
                         for weight, c in zip(self.weights, self.comparisons, strict=True)))

    def holds(self, metric: Callable[..., float], thetas: Any) -> bool:
        """Does the proof stand up to being computed afresh, at these thetas?

        The metric must call no `worse` better than its `better`, no margin may be negative,
        and one of the two must be strict; all beyond rounding, and with positive weights.
        """
        _check_metric(metric)
        loss, strict, thetas = _as_loss(metric), False, _as_list("thetas", thetas)
        if not thetas:
            raise ValueError("holds needs at least one theta")
        if not (self.weights > 0).all():
            return False
        for c in self.comparisons:
            order = _compare(loss, c, self.precision)
            if order is None or order < 0:
                return False
            strict |= order > 0
        margins, noise = np.transpose([self._margin_and_noise(theta) for theta in thetas])
        return bool((margins >= -noise).all() and (strict or (margins > noise).all()))

    def _margin_and_noise(self, theta):
        """The margin, and how large rounding could make it."""
        pairs = [[_cost(self.family, theta, c.y_true, report) for report in (c.better, c.worse)]
                 for c in self.comparisons]
        margin = sum(weight * (better - worse) for weight, (better, worse) in zip(self.weights, pairs, strict=True))
        size = sum(weight * (abs(better) + abs(worse)) for weight, (better, worse) in
                   zip(self.weights, pairs, strict=True))
        return float(margin), 1e-11 * float(size)


def kendall_tau(a: Any, b: Any) -> float:
    """Kendall's tau-b of two rankings with ties; NaN when either is constant.

    ``(C - D) / sqrt((P - T_a)(P - T_b))`` with C concordant and D discordant pairs,
    P all pairs, T the pairs tied in one of the two. Values that differ by rounding alone
    (1e-13 of their own magnitude) are tied.

    Parameters
    ----------
    a, b : array_like, shape (m,)
        m >= 2.

    Raises
    ------
    ValueError
        Bad input, different lengths, or fewer than two values.

    Examples
    --------
    >>> round(kendall_tau([1, 1, 2, 3], [1, 2, 2, 4]), 12)
    0.8
    """
    a, b = _pair(a, b)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    from scipy.stats import kendalltau

    return float(kendalltau(a, b).statistic)


def somers_d(metric: Any, utility: Any) -> tuple[float, int]:
    """Somers' d of `metric` given `utility`, and the number of pairs it rests on.

    ``(C - D) / pairs``, over the pairs that differ in utility. NaN without any.

    Examples
    --------
    >>> somers_d([1, 2, 2], [1, 2, 2])
    (1.0, 2)
    """
    metric, utility = _pair(metric, utility)
    upper = np.triu_indices(metric.size, 1)
    differ = np.sign(np.subtract.outer(utility, utility)[upper])
    agree = np.sign(np.subtract.outer(metric, metric)[upper]) * differ
    pairs = int(np.count_nonzero(differ))
    return (float(agree.sum() / pairs) if pairs else float("nan")), pairs


def align(metrics: pd.DataFrame, utilities: pd.DataFrame, *,
          directions: dict[str, bool] | None = None) -> pd.DataFrame:
    """How well each metric ranks the models as each utility does.

    Parameters
    ----------
    metrics, utilities : DataFrame
        Models in the rows (the same index labels, in any order), one column a metric
        or a utility. Utilities: higher is better.
    directions : dict, optional
        ``{column: True if lower is better}`` for metrics that the registry does not know,
        and for those that it is to be overruled on.

    Returns
    -------
    DataFrame
        One row for each metric and utility: ``tau`` (tau-b), ``somers_d`` over ``pairs``
        (those that differ in utility), ``top1`` (the chance that the metric's best model,
        ties at random, is a best one), ``top3`` (expected Jaccard overlap of the best
        three), ``pearson``. Positive means agreement. NaN where a column is constant, and
        for ``top3`` with three models or fewer. Values that differ by rounding alone are tied.

    Raises
    ------
    ValueError
        Index labels differ or repeat, a value is not finite, a metric's direction is not
        known, or `directions` names no column or holds something else than True and False.

    Examples
    --------
    >>> import pandas as pd
    >>> m = pd.DataFrame({"log_loss": [0.3, 0.5, 0.4]}, index=list("abc"))
    >>> u = pd.DataFrame({"c = 0.1": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> align(m, u)[["metric", "utility", "tau", "top1"]].values.tolist()
    [['log_loss', 'c = 0.1', 1.0, 1.0]]
    """
    import pandas as pd

    _check_models(metrics, utilities)
    _check_directions(directions, metrics.columns)
    models = sorted(metrics.index, key=repr)
    rows = []
    for name in metrics.columns:
        better = metrics.loc[models, name].to_numpy(float)
        if _lower(name, directions):
            better = -better
        for utility in utilities.columns:
            values = utilities.loc[models, utility].to_numpy(float)
            rows.append({"metric": name, "utility": utility, **_agreement(better, values)})
    return pd.DataFrame(rows)


def coordinate_dependence(metric: Callable[..., float], *, task: str = "binary", n: int = 3,
                          seed: int = 0, trials: int = 5000, precision: float = 1e-5) -> Counterexample | None:
    """Search for proof that a metric is coordinate-dependent.

    Parameters
    ----------
    metric : callable
        ``metric(y_true, y_prob)`` or ``metric(y_true, mean, std)``.
    task : {"binary", "regression", "ranking", "multiclass"}
        What the metric takes. A ranking metric ``metric(error, uncertainty)`` is given
        ``abs(y - mean), std`` of regression forecasts.
    n : int
        Number of cases, at least 2.
    seed : int
    trials : int
        How many random tries before giving up.
    precision : float
        To which part of its largest value the metric is computed, as in `Refutation`: no
        smaller difference counts, and no tie on a plateau.

    Returns
    -------
    Counterexample or None
        Labels, two reports a and b for the first case, and backgrounds r and r' such that
        the metric orders (a, r) and (b, r) differently from (a, r') and (b, r'). By lemma
        3.6 such a metric is aligned with no separable family. None proves nothing.

    References
    ----------
    PWU paper, definition 3.5, lemma 3.6, proposition F.1.

    Examples
    --------
    >>> from pwu_lite.metrics import classification
    >>> coordinate_dependence(classification.brier_score) is None
    True
    >>> coordinate_dependence(classification.retention_auc) is None
    False
    """
    if not isinstance(task, str) or task not in _DRAWS:
        raise ValueError(f"task must be one of {', '.join(_DRAWS)}, got {task!r}")
    n, trials = validation.whole("n", n), validation.whole("trials", trials)
    if n < 2:
        raise ValueError("n must be at least 2: a single case has no background")
    precision = validation.inside("precision", precision, 0, 1)
    _check_metric(metric)
    rng, loss = np.random.default_rng(validation.seed(seed)), _as_called(metric, task)
    lowest, highest = np.inf, -np.inf
    for _ in range(trials):
        labels, reports, backgrounds = _DRAWS[task](rng, n)
        wholes = [_together(task, report, rest) for rest in backgrounds for report in reports]
        values = [_value(loss, labels, whole) for whole in wholes]
        if np.isfinite(values).all():
            if lowest > highest and _value(loss, labels, wholes[0]) != values[0]:
                raise ValueError("the metric gives two values for the same forecast: it is random, or keeps a state")
            lowest, highest = min(lowest, *values), max(highest, *values)
            if _disagree(loss, labels, wholes, values, (lowest, highest), precision):
                return Counterexample(labels, *reports, *backgrounds, values=tuple(values))
    return None


def refute(metric: Callable[..., float], family: Any, *, y_true: Any = None, forecasts: Any = None,
           thetas: Any = None, within: tuple[float, float] | None = None, n: int = 4, seed: int = 0,
           trials: int = 20, precision: float = 1e-5) -> Refutation | None:
    """Search for proof that a metric is aligned with a decision family under no prior.

    First for two forecasts that the metric ranks one way and every prior the other way, or
    not at all; then, by a linear program over priors, for several such comparisons whose
    weighted sum no prior can satisfy.

    Parameters
    ----------
    metric : callable
        A loss, called as the family is: ``metric(y_true, *prediction)``. A row of
        `pwu_lite.metrics.REGISTRY` is turned round if higher is better.
    family : Family or callable
        A decision family, whose utilities between two changes of act are linear in the
        parameter (checked), so that all of its parameters are seen, not a grid; or a function
        ``cost(theta, y_true, *prediction)`` with `thetas`.
    y_true, forecasts : array_like and list of tuples, optional
        What to compare: tuples of what the metric takes after y_true. Drawn by the family's
        method `draw` if omitted.
    thetas : sequence, optional
        For a function: all values that its parameter can take.
    within : (float, float), optional
        Only priors inside this open interval of the continuous parameter.
    n, seed, trials : int
        Cases, seed and number of random data sets. Every second one has n + 2 cases.
    precision : float
        To which part of its largest value the metric is computed: 1e-5 leaves room for single
        precision. See `Refutation` for what else is assumed.

    Returns
    -------
    Refutation or None
        None proves nothing.

    Raises
    ------
    ValueError
        Bad input, a metric that is random, or a family that cannot draw data, say where its
        acts change, or is not linear in between.

    References
    ----------
    PWU paper, definition 3.1, propositions 3.9, 3.11 and 3.14.

    Examples
    --------
    >>> from pwu_lite import TopK
    >>> from pwu_lite.metrics import classification
    >>> proof = refute(classification.brier_score, TopK())
    >>> len(proof.comparisons), min(proof.margin(k) for k in (1, 2, 3)) >= 0
    (1, True)
    """
    _check_metric(metric)
    thetas = _check_family(family, thetas)
    if (y_true is None) != (forecasts is None):
        raise ValueError("give both y_true and forecasts, or neither")
    if within is not None:
        _check_within(family, within)
    if forecasts is not None:
        forecasts = _as_list("forecasts", forecasts)
        _check_forecasts(y_true, forecasts)
    n, precision = validation.whole("n", n), validation.inside("precision", precision, 0, 1)
    rng, loss = np.random.default_rng(validation.seed(seed)), _as_loss(metric)
    if forecasts is not None:
        sets = [(y_true, forecasts)]
    else:
        sets = [_drawn(family, rng, n + 2 * (trial % 2)) for trial in range(validation.whole("trials", trials))]
    ranked: list[tuple[Any, ...]] = []
    for search in (_one_pair, _several_pairs):
        for place, (labels, reports) in enumerate(sets):
            if place == len(ranked):
                ranked.append(_ranked(loss, family, labels, reports, thetas, within, precision))
            order, costs, noise = ranked[place]
            if order is None and forecasts is not None:
                raise ValueError("the metric is finite for fewer than two of the forecasts")
            found = _beyond_doubt(search, order, costs, noise, precision) if order else None
            if found:
                comparisons = [order.comparison(i, j) for i, j in found]
                return Refutation(tuple(comparisons), np.array(list(found.values())), family, precision)
    return None


def _check_metric(metric):
    if not callable(metric):
        raise ValueError(f"metric must be a function metric(y_true, *prediction), got {metric!r}; those of the "
                         f"registry are in pwu_lite.metrics.REGISTRY")


def _check_family(family, thetas):
    """The thetas of a family that is a function, as a list."""
    if isinstance(family, Family):
        if thetas is not None:
            raise ValueError("thetas are for a family given as a function; use within for a decision family")
        return []
    if not callable(family):
        raise ValueError(f"family must be a decision family or a function cost(theta, y_true, *prediction), "
                         f"got {family!r}")
    thetas = _as_list("thetas", thetas) if thetas is not None else []
    if not thetas:
        raise ValueError("a family given as a function needs thetas, all values of its parameter")
    return thetas


def _as_list(name, values):
    try:
        return list(values)
    except TypeError:
        raise ValueError(f"{name} must be a sequence, got {values!r:.60}") from None


def _check_forecasts(y_true, forecasts):
    if np.ndim(y_true) == 0:
        raise ValueError(f"y_true must be a sequence, got {y_true!r:.60}")
    for place, report in enumerate(forecasts):
        if not isinstance(report, (tuple, list)) or not report:
            raise ValueError("each forecast must be a tuple of what the metric takes after y_true, for one array (f,)")
        for part in report:
            if np.shape(part)[:1] != np.shape(y_true)[:1]:
                raise ValueError(f"forecasts[{place}] has a part of shape {np.shape(part)}, y_true has length "
                                 f"{len(y_true)}")


def _drawn(family, rng, n):
    """Random labels and forecasts: the family's own, or Gaussian ones for a cost function."""
    if not isinstance(family, Family):
        return draw_gaussians(rng, n)
    try:
        labels, reports = family.draw(rng, n)
        reports = list(reports)
    except TypeError as error:
        raise ValueError(f"the method draw of {type(family).__name__} must take (rng, n) and return labels and a "
                         f"list of forecasts: {error}") from error
    if not reports:
        raise ValueError(f"the method draw of {type(family).__name__} returns no forecasts")
    family.read(labels, *reports[0])
    return labels, reports


def _ranked(loss, family, labels, reports, thetas, within, precision):
    """How the metric orders the forecasts at which it is finite, and the family's costs of them."""
    reports = [tuple(map(np.asarray, report)) for report in reports]
    values = np.array([_value(loss, labels, report) for report in reports])
    kept = [report for report, value in zip(reports, values, strict=True) if np.isfinite(value)]
    if len(kept) < 2:
        return None, None, None
    order = _Order(loss, labels, kept, values[np.isfinite(values)], precision)
    if _value(loss, labels, kept[0]) != order.values[0]:
        raise ValueError("the metric gives two values for the same forecast: it is random, or keeps a state")
    return order, *_all_costs(family, labels, kept, thetas, within)


def _beyond_doubt(search, order, costs, noise, precision):
    """What the search finds once every comparison that rounding or a plateau explains is taken out."""
    while True:
        found = search(order, costs, noise)
        if not found:
            return None
        if not all([order.confirm(i, j) for i, j in found]):
            continue
        doubtful = [(i, j) for i, j in found if _compare(order.loss, order.comparison(i, j), precision)
                    != int(order.below[i, j])]  # as `holds` will look at it
        if not doubtful:
            return found
        for i, j in doubtful:
            order.below[i, j] = order.tied[i, j] = order.tied[j, i] = False


def _check_within(family, within):
    ends = validation.numbers("within", within)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise ValueError(f"within must be (low, high) with low < high, got {within!r}")
    if not isinstance(family, Family):
        raise ValueError("within is for a decision family with a continuous parameter")
    if ends[0] < family.domain[0] or ends[1] > family.domain[1]:
        raise ValueError(f"within must lie inside {family.domain}, got {within!r}")


_ULPS = 8 * np.finfo(float).eps  # last digits: values this close are tied
_STEP, _SMALL_STEP = 0.01, 1e-4  # how far forecasts are moved to see whether the metric moves


_MOST = 30.0  # how much more than a strict comparison a tie may weigh: it is one up to rounding only


def _value(loss, labels, report):
    """The metric as one real number, or ValueError."""
    try:
        value = loss(labels, *report)
    except TypeError as error:
        raise ValueError(f"the metric must take y_true and {len(report)} array(s): {error}") from error
    return _one_real("the metric", value)


def _one_real(what, value):
    array = np.asarray(value)
    if array.ndim != 0 or array.dtype.kind not in "biuf":
        raise ValueError(f"{what} must return one number, got {value!r:.60}")
    return float(array)


def _noise(loss, labels, report, value):
    """How much the metric depends on the order of the cases: the rounding of its sums."""
    size = len(labels)
    others = [np.arange(size)[::-1], np.roll(np.arange(size), size // 2)]
    values = [_value(loss, np.asarray(labels)[order], [part[order] for part in report]) for order in others]
    return float(np.nan_to_num(np.max(np.abs(np.subtract(values, value))), nan=np.inf))


class _Order:
    """Which forecasts the metric ranks (below[i, j]: i has the smaller loss), and which it ties.

    `confirm` looks closer at a pair, and takes out of both what rounding or a plateau explains.
    """

    def __init__(self, loss, labels, reports, values, precision, ends=None):
        self.loss, self.labels, self.reports, self.values = loss, np.asarray(labels), reports, values
        low, high = ends or (values.min(), values.max())
        self.room = precision * max(abs(low), abs(high))
        self.inside = (low + self.room, high - self.room)
        self.gap = values[None, :] - values[:, None]
        own = np.maximum(np.abs(values)[None, :], np.abs(values)[:, None])
        self.below = self.gap > self.room
        self.tied = np.abs(self.gap) <= _ULPS * own
        saturates = ((np.abs(self.gap) <= self.room) & ~self.tied).any(axis=1)  # nearly its own value elsewhere
        self.tied &= ~(saturates[:, None] | saturates[None, :])
        for i, j in zip(*np.nonzero(np.triu(self.tied)), strict=True):
            if _nearly_equal(reports[i], reports[j]):  # single precision may have made them so
                self.tied[i, j] = self.tied[j, i] = False
        self.noise = {}

    def comparison(self, i, j):
        return Comparison(np.asarray(self.labels), self.reports[i], self.reports[j],
                          (float(self.values[i]), float(self.values[j])))

    def confirm(self, i, j):
        """Is the order, or the tie, of i and j beyond doubt?"""
        for place in (i, j):
            if place not in self.noise:
                self.noise[place] = _noise(self.loss, self.labels, self.reports[place], self.values[place])
                beyond = np.abs(self.gap[place]) > self._room_at(place)
                self.below[place] &= beyond
                self.below[:, place] &= beyond
        if self.below[i, j]:
            return True
        if self.tied[i, j] and not all(self._genuine(place) for place in (i, j)):
            places = np.flatnonzero(self.tied.any(axis=1))
            kept = np.isin(np.arange(len(self.reports)), [place for place in places if self._genuine(place)])
            self.tied &= kept[:, None] & kept[None, :]
        elif self.tied[i, j] and not (self._moves(i) and self._moves(j)) and not self._lasts(i, j):
            self.tied[:] = False  # the metric saturates
        return bool(self.tied[i, j])

    def _genuine(self, place):
        """Is a tie at this place none of a plateau, where a score saturates or is flat?

        Small changes of the forecast move the metric up and down; or it is a step function here,
        still under smaller changes, inside its range, and leaves its value with a jump.
        """
        return self._moves(place) or (self._still(place) and self.inside[0] < self.values[place] < self.inside[1]
                                      and self._ends_in_jumps(place))

    def _lasts(self, i, j):
        """Does the tie last when both forecasts get the same further cases, sure ones, right or wrong?

        They carry an average to other values, where it does not saturate, and leave ranks as they are.
        """
        tied, lasts = 0, True
        for labels, *reports in _longer(self.labels, self.reports[i], self.reports[j]):
            values = [_value(self.loss, labels, report) for report in reports]
            if np.isfinite(values).all():
                tied += 1
                lasts &= abs(values[0] - values[1]) <= _ULPS * max(np.abs(values))
        return lasts and tied > 0

    def _moves(self, place):
        return _both_ways(self._changes(place, _STEP), self._room_at(place))

    def _still(self, place):
        return all(abs(change) <= _ULPS * abs(self.values[place]) for change in self._changes(place, _SMALL_STEP))

    def _ends_in_jumps(self, place):
        here = self.reports[place]
        targets = self._away(place) or [*_moved(here, [], 0.5), *_moved(here, [], 3.0)]
        jumps = [self._jump(place, target) for target in targets]
        return any(jumps) and all(jump is None or jump for jump in jumps)

    def _jump(self, place, target):
        """Does the metric leave its value with a jump, on the way to the target? None if it keeps it."""
        low, high, width = 0.0, 1.0, _ULPS * abs(self.values[place])

        def change(share):
            gap = list(self._gaps(place, [_between(self.reports[place], target, share)]))
            return abs(gap[0]) if gap else 0.0

        if not change(high) > width:
            return None
        for _ in range(75):
            middle = low + 0.618 * (high - low)  # not the middle: forecasts on a grid tie there
            low, high = (low, middle) if change(middle) > width else (middle, high)
        return change(high) > self._room_at(place)

    def _room_at(self, place):
        return self.room + 20 * self.noise.get(place, 0.0)

    def _changes(self, place, size):
        return self._gaps(place, _moved(self.reports[place], self._away(place), size))

    def _away(self, place):
        """Reports of another value."""
        return [self.reports[j] for j in np.flatnonzero(self.values != self.values[place])[:4]]

    def _gaps(self, place, moved):
        """By how much the metric changes with the forecast."""
        for other in moved:
            for value in _values_where_defined(self.loss, self.labels, other):
                yield value - self.values[place]


def _nearly_equal(one, two):
    """Do two forecasts differ by less than a thousandth everywhere?"""
    return all(np.allclose(here, there, rtol=1e-3, atol=0) for here, there in zip(one, two, strict=True))


def _both_ways(gaps, room):
    up = down = False
    for gap in gaps:
        up, down = up or gap > room, down or gap < -room
        if up and down:
            return True
    return False


def _between(here, there, share):
    return [start + share * (end - start) for start, end in zip(here, there, strict=True)]


def _moved(report, others, size):
    """Forecasts a small step away: towards others, and up and down in all cases or in one."""
    for other in others:
        yield _between(report, other, min(size, 1.0))
    first, rest = report[0], report[1:]
    if first.ndim > 1 and not rest:
        return  # rows of probabilities: only towards others do they stay such
    unit = rest[0] if rest and rest[0].shape == first.shape else 1.0
    for case in (slice(None), *range(min(len(first), 8))):
        for step in (size, -size):
            factor = np.zeros(first.shape)
            factor[case] = step
            if not rest and ((first >= 0) & (first <= 1)).all():  # probabilities: towards 1 or towards 0
                unit = np.where(factor > 0, 1 - first, first) / max(1.0, 2 * size)
            yield [first + factor * unit, *rest]
            if rest and np.ndim(unit):
                yield [first, unit * (1 + factor), *rest[1:]]


def _longer(labels, *reports):
    """The data and forecasts with up to 34 sure cases more, right or wrong."""
    first, rest = reports[0][0], reports[0][1:]
    if len(rest) > 1 or (first.ndim > 1 and rest):
        return  # not of a kind that is known here
    for label, parts in _sure_cases(labels, reports):
        for count in (1, 2, 3, 5, 8, 13, 21, 34):
            added = [[np.concatenate([part, np.repeat(np.array([more], dtype=float), count, axis=0)])
                      for part, more in zip(report, parts, strict=True)] for report in reports]
            yield np.concatenate([labels, np.full(count, label)]), *added


def _sure_cases(labels, reports):
    """Labels and forecasts of cases that are more certain, or less, than all in the reports."""
    first = np.concatenate([report[0] for report in reports])
    if len(reports[0]) == 2:
        std = np.concatenate([report[1] for report in reports])
        for spread in (std.min() / 8, std.max() * 8):
            for error in (0.0, 8 * np.ptp(first) + 8):
                yield labels[0], (labels[0] + error, spread)
    elif first.ndim > 1:
        sure = np.full(first.shape[1], 1e-4)
        sure[0] = 1 - 1e-4 * (first.shape[1] - 1)
        yield from ((label, (sure,)) for label in (0, 1))
    elif (first >= 0).all() and (first <= 1).all() and set(labels.tolist()) <= {0, 1}:
        yield from ((label, (f,)) for label in (0, 1) for f in (1e-4, 1 - 1e-4))
    else:
        yield from ((label, (u,)) for label in (0.0, labels.max() + 1) for u in (first.min() - 1, first.max() + 1))


def _compare(loss, comparison, precision):
    """1 if the metric is above at `worse`, 0 if the two are tied, -1 if below; None if that is unclear."""
    labels, reports = comparison.y_true, (comparison.better, comparison.worse)
    reports = [tuple(map(np.asarray, report)) for report in reports]
    low, high = (_value(loss, labels, report) for report in reports)
    if np.isnan(low) or np.isnan(high):
        return None
    if np.isinf(low) or np.isinf(high):
        return int(np.sign(high - low)) if low != high else None
    around = [*_moved(reports[0], reports[1:], 0.5), *_moved(reports[1], reports[:1], 3.0)]  # what else it can be
    seen = [(report, value) for report in around for value in _values_where_defined(loss, labels, report)]
    order = _Order(loss, labels, [*reports, *(report for report, _ in seen)],
                   np.array([low, high, *(value for _, value in seen)]), precision)
    if order.confirm(0, 1):
        return 1 if order.below[0, 1] else 0
    return -1 if order.below[1, 0] else None


def _values_where_defined(loss, labels, report):
    """The metric in a list, empty where it refuses the forecast or is not finite."""
    try:
        value = _value(loss, labels, report)
    except ValueError:
        return []
    return [value] if np.isfinite(value) else []


def _together(task, report, rest):
    """The forecast with `report` for case 0 and `rest` for the others, as the metric takes it."""
    whole = np.concatenate([np.atleast_2d(report), np.atleast_2d(rest.T).T])
    return (whole,) if task == "multiclass" else tuple(whole.T)


def _as_called(metric, task):
    """The metric as a function of labels and forecast."""
    if task == "ranking":
        return lambda labels, mean, std: metric(np.abs(labels - mean), std)
    return metric


def _disagree(loss, labels, reports, values, ends, precision):
    """Do (a, r), (b, r) and (a, r'), (b, r') differ in sign, beyond doubt by rounding, and with genuine ties?"""
    signs = np.sign(np.subtract(values[1::2], values[::2]))
    if signs[0] == signs[1]:
        return False
    order = _Order(loss, labels, reports, np.array(values), precision, ends)
    if not (order.confirm(*((0, 1) if signs[0] >= 0 else (1, 0)))
            and order.confirm(*((2, 3) if signs[1] >= 0 else (3, 2)))):
        return False
    return not (order.tied[0, 1] and order.tied[2, 3])


def _draw_binary(rng, n):
    """Labels and probabilities with two decimals, half the time close together."""
    labels = rng.integers(0, 2, n)
    low, high = (1, 100) if rng.random() < 0.5 else (10 * rng.integers(0, 10) + np.array([1, 10]))
    values = rng.integers(low, high, 2 + 2 * (n - 1)) / 100
    return labels, (values[0], values[1]), (values[2:n + 1], values[n + 1:])


def _draw_regression(rng, n):
    """Targets around 1, means from near to far, standard deviations over two decades."""
    labels = np.round(rng.normal(1, 0.5, n), 1)
    size = 2 + 2 * (n - 1)
    error = rng.choice([0, 0.05, 0.3, 1, 2], size) * rng.choice([-1, 1], size)
    target = np.concatenate([[labels[0]] * 2, labels[1:], labels[1:]])
    reports = np.column_stack([target + error, rng.choice([0.1, 0.3, 1, 3, 10], size)])
    return labels, (tuple(reports[0]), tuple(reports[1])), (reports[2:n + 1], reports[n + 1:])


def _draw_multiclass(rng, n):
    """Labels of three classes, and probabilities with two decimals."""
    shares = rng.multinomial(100, (0.5, 0.3, 0.2), 2 + 2 * (n - 1)) / 100
    shares = shares[:, rng.permutation(3)]
    return rng.integers(0, 3, n), (tuple(shares[0]), tuple(shares[1])), (shares[2:n + 1], shares[n + 1:])


_DRAWS: dict[str, Callable[..., Any]] = {"binary": _draw_binary, "regression": _draw_regression,
                                         "ranking": _draw_regression, "multiclass": _draw_multiclass}


def _as_loss(metric):
    if isinstance(metric, registry.Metric) and not metric.lower_is_better:
        return lambda *data: -metric(*data)
    return metric


def _cost(family, theta, y_true, prediction):
    if isinstance(family, Family):
        return -family.utility(theta, y_true, *prediction)
    try:
        cost = family(theta, y_true, *prediction)
    except TypeError as error:
        raise ValueError(f"the family must take theta, y_true and {len(prediction)} array(s): {error}") from error
    return _one_real("the family", cost)


def _all_costs(family, labels, reports, thetas, within):
    """Costs of each report, shape (reports, columns), each column on its own scale, and their rounding errors.

    A difference of rows that is nowhere negative in the columns is nowhere negative in theta.
    """
    if not isinstance(family, Family):
        costs = np.array([[_cost(family, theta, labels, report) for theta in thetas] for report in reports])
        if not np.isfinite(costs).all():
            raise ValueError("the family's cost must be finite at each theta")
        return _scaled(costs, np.abs(costs))
    pieces = [_checked_pieces(family, family.read(labels, *report)) for report in reports]
    first = pieces[0][0]
    if pieces[0][1] is None:
        if within is not None:
            raise ValueError(f"within is for a continuous parameter; that of {type(family).__name__} is discrete")
        costs = _costs_at(family, labels, reports, first)
        return _scaled(costs, np.abs(costs))
    low, high = within or family.domain
    edges = np.concatenate([edge for _, edge in pieces])
    edges = np.unique(edges[(edges > low) & (edges < high)])
    one, two, last = _inner_points(edges, low, high)
    near, far, middle = (_costs_at(family, labels, reports, _pairs(first, points))
                         for points in (one, two, (one + two) / 2))
    room = 1e-9 * np.maximum(np.abs(near), np.abs(far)).max() + _rounding_of_theta(near, far, one, two)
    if (np.abs(near + far - 2 * middle) > room).any():
        raise ValueError(f"the utility of {type(family).__name__} is not linear between the edges that its method "
                         f"pieces gives: mend pieces, or pass a cost function and thetas")
    right = 2 * far - near
    if last:
        lines = np.arange(near.shape[1]) % one.size == one.size - 1
        right[:, lines] = (far - near)[:, lines]
    size = 3 * np.maximum(np.abs(near), np.abs(far))
    columns = [_scaled(2 * near - far, size), _scaled(right, size)]
    if edges.size:  # where acts tie they are shared, and the cost is neither end's
        costs = _costs_at(family, labels, reports, _pairs(first, edges))
        columns.append(_scaled(costs, np.abs(costs)))
    return tuple(np.concatenate(parts, axis=1) for parts in zip(*columns, strict=True))


def _checked_pieces(family, data):
    pieces = family.pieces(data)
    name = type(family).__name__
    if not isinstance(pieces, tuple) or len(pieces) != 2 or (pieces[0] is None and pieces[1] is None):
        raise ValueError(f"the method pieces of {name} must return (values or None, edges or None), got {pieces!r:.60}")
    first, edges = pieces
    return first, None if edges is None else validation.numbers(f"the edges of {name}", np.ravel(edges))


def _costs_at(family, labels, reports, thetas):
    costs = -np.array([family.utility(thetas, labels, *report) for report in reports])
    if not np.isfinite(costs).all():
        raise ValueError(f"the utility of {type(family).__name__} is not finite at some theta between its edges")
    return costs


def _scaled(costs, size):
    """Costs and rounding errors, each column divided by its spread: a prior may weigh it anew."""
    costs = costs - costs.min(axis=0)
    spread = costs.max(axis=0)
    flat = spread <= 1e-13 * size.max(axis=0)  # nothing but rounding errors
    spread = np.where(flat, 1.0, spread)
    return np.where(flat, 0.0, costs) / spread, 1e-13 * size / spread


def _rounding_of_theta(near, far, one, two):
    """What the last digits of theta, and of one minus theta, change in the costs."""
    columns = np.arange(near.shape[1]) % one.size
    slope = np.abs(far - near) / (two - one)[columns]
    return 8 * np.finfo(float).eps * (1 + np.abs(two[columns])) * slope


def _inner_points(edges, low, high):
    """Two points inside each piece, from which a line gives its values at the ends; is the last piece unbounded?"""
    ends = np.concatenate([[low], edges, [high]])
    last = bool(np.isinf(high))
    if last:
        ends[-1] = ends[-2] + 3 * (ends[-2] if ends[-2] > 0 else 1.0)
    width = np.diff(ends)
    one, two = ends[:-1] + width / 3, ends[:-1] + 2 * width / 3
    there = (ends[:-1] < one) & (one < two) & (two < ends[1:])  # else no number lies inside
    if not there.any():
        raise ValueError(f"no decision parameter between {low:g} and {high:g} tells these forecasts apart")
    return one[there], two[there], last and bool(there[-1])


def _pairs(first, points):
    """The points, or each combination of a discrete value and a point as a row."""
    if first is None:
        return points
    return np.column_stack([np.repeat(first, points.size), np.tile(points, len(first))])


def _one_pair(order, costs, noise):
    """The clearest pair that the metric ranks and every prior ranks the other way, or ties."""
    below, tied = order.below, order.tied
    best, clearest, tie = None, -1.0, None
    for i in range(len(costs)):
        gaps, error = costs[i] - costs, noise[i] + noise
        least = gaps.min(axis=1)
        for j in np.flatnonzero(below[i] & (gaps >= -error).all(axis=1)):
            clear = least[j] + 1e-3 * gaps[j].mean()
            if clear > clearest:
                best, clearest = (i, int(j)), clear
        ties = np.flatnonzero(tied[i] & (gaps > 1e3 * error).all(axis=1))
        if tie is None and ties.size:
            tie = (i, int(ties[0]))
    return {best or tie: 1.0} if best or tie else None


def _several_pairs(order, costs, noise):
    """Weights of few comparisons whose weighted sum no prior can satisfy."""
    below, tied = order.below, order.tied
    if len(costs) > 80:  # neighbours are enough, only less clear
        ranks = np.argsort(order.values, kind="stable")
        chosen = np.zeros(below.shape, bool)
        chosen[ranks[:-1], ranks[1:]] = True
        below, tied = below & chosen, tied & chosen
    i, j = np.nonzero(below | np.triu(tied, 1))
    gaps, error, ties = costs[i] - costs[j], noise[i] + noise[j], tied[i, j]
    weights = _fewest(gaps, error, ties, 0.0) if below.any() else None
    if weights is None and ties.any():
        weights = _fewest(gaps[ties], error[ties], ties[ties], 1.0)
        i, j = i[ties], j[ties]
    if weights is None:
        return None
    return {(int(a), int(b)) if weight > 0 else (int(b), int(a)): abs(float(weight))
            for a, b, weight in zip(i, j, weights, strict=True) if weight}


def _fewest(gaps, error, tied, least):
    """The smallest weights whose sum of gaps is at least `least`; of either sign for ties, else adding up to 1."""
    from scipy.optimize import linprog

    signed = np.concatenate([gaps, -gaps[tied]])
    strict = np.concatenate([~tied, np.zeros(tied.sum(), bool)])
    sum_one = {} if least else {"A_eq": strict[None].astype(float), "b_eq": [1.0]}
    bounds = [(0, None if free else _MOST) for free in strict]
    answer = linprog(np.ones(len(signed)), A_ub=-signed.T, b_ub=np.full(gaps.shape[1], -least), bounds=bounds,
                     method="highs", **sum_one)
    if not answer.success:
        return None
    weights = answer.x[:len(gaps)].copy()
    weights[tied] -= answer.x[len(gaps):]
    weights[np.abs(weights) < 1e-9] = 0.0
    rounding = np.abs(weights) @ error
    enough = 10 * rounding if least else -rounding
    return weights if (weights @ gaps >= enough).all() else None


def _agreement(better, values):
    """The numbers of one row of `align`."""
    better, values = snap(better), snap(values)
    d, pairs = somers_d(better, values)
    constant = np.ptp(better) == 0 or np.ptp(values) == 0
    nan = float("nan")
    return {
        "tau": kendall_tau(better, values),
        "somers_d": nan if np.ptp(better) == 0 else d,
        "pairs": pairs,
        "top1": nan if constant else _top1(better, values),
        "top3": nan if constant or better.size <= 3 else _top3(better, values),
        "pearson": nan if constant else float(np.corrcoef(_in_units(better), _in_units(values))[0, 1]),
    }


def _in_units(values):
    """Around one, so that no square is too large or too small."""
    return values / np.abs(values).max()


def _top1(better, values):
    chosen = better == better.max()
    return float(np.mean(values[chosen] == values.max()))


def _top3(better, values):
    """Expected Jaccard overlap of the two best threes over random orders of the ties."""
    sure, tied = _best_three(values)
    chosen_sure, chosen_tied = _best_three(better)
    free = 3 - chosen_sure.sum()
    pools = [np.count_nonzero(chosen_tied & group) for group in (sure, tied, ~(sure | tied))]
    total = 0.0
    for from_sure in range(free + 1):
        for from_tied in range(free + 1 - from_sure):
            ways = comb(pools[0], from_sure) * comb(pools[1], from_tied)
            ways *= comb(pools[2], free - from_sure - from_tied)
            if not ways:
                continue  # more than a pool holds
            certain = np.count_nonzero(chosen_sure & sure) + from_sure
            likely = np.count_nonzero(chosen_sure & tied) + from_tied
            total += ways * _expected_jaccard(certain, likely, tied.sum(), 3 - sure.sum())
    return float(total / comb(int(chosen_tied.sum()), int(free)))


def _expected_jaccard(certain, likely, pool, drawn):
    """Overlap of `certain` plus however many of `likely` are among `drawn` from the `pool`."""
    chances = [(comb(likely, hit) * comb(int(pool - likely), int(drawn - hit)), certain + hit)
               for hit in range(min(likely, drawn) + 1)]
    return sum(ways * both / (6 - both) for ways, both in chances) / comb(int(pool), int(drawn))


def _best_three(values):
    """Who is surely among the best three, and who is tied for the last places."""
    third = np.sort(values)[-3]
    return values > third, values == third


def _lower(name, directions):
    if directions and name in directions:
        return directions[name]
    return registry.lower_is_better(str(name))


def _check_directions(directions, columns):
    if directions is not None and not isinstance(directions, Mapping):
        raise ValueError(f"directions must be a mapping of columns to True or False, got {directions!r:.60}")
    for name, lower in (directions or {}).items():
        if name not in columns:
            raise ValueError(f"directions names {name!r}, which is no column of metrics")
        if not isinstance(lower, (bool, np.bool_)):
            raise ValueError(f"directions[{name!r}] must be True (lower is better) or False, got {lower!r}")


def _check_models(metrics, utilities):
    import pandas as pd

    for name, frame in (("metrics", metrics), ("utilities", utilities)):
        if not isinstance(frame, pd.DataFrame):
            raise ValueError(f"{name} must be a DataFrame, got {type(frame).__name__}")
        if frame.shape[0] < 2 or frame.shape[1] < 1:
            raise ValueError(f"{name} needs two models and one column at least, got {frame.shape}")
        if frame.index.has_duplicates or frame.columns.has_duplicates:
            raise ValueError(f"{name} has repeated labels")
        for column in frame.columns:
            validation.vector(f"{name}[{column!r}]", frame[column])
    if set(metrics.index) != set(utilities.index):
        raise ValueError("metrics and utilities must have the same models in their index")


def _pair(a, b):
    a, b = snap(validation.vector("a", a)), snap(validation.vector("b", b))
    if a.size != b.size:
        raise ValueError(f"a has length {a.size}, b has length {b.size}")
    if a.size < 2:
        raise ValueError("a ranking needs two values at least")
    return a, b
