"""Is a metric aligned with a family under no prior? A proof that can be computed afresh.

Implements definition 3.1 and propositions 3.9, 3.11 and 3.14 of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import validation
from ..families import Family
from ..families.base import draw_gaussians
from ._costs import all_costs, cost_at
from ._order import PRECISION, Comparison, Order, as_list, as_loss, check_metric, metric_value, order_of, outlives

__all__ = ["Refutation", "refute"]

_AFRESH = 1e-11  # of the costs added up: rounding of a margin that is computed afresh
_NO_WEIGHT = 1e-9  # what the linear program leaves of a comparison that it does not need
_MOST = 30.0  # how much more than a strict comparison a tie may weigh: it is one up to rounding only


class Refutation(NamedTuple):
    """Proof that a metric is aligned with a family under no prior.

    The metric ranks, or ties, the forecasts of each comparison. Weighted and added up,
    ``cost(better) - cost(worse)`` is nowhere negative (`margin`), so every prior finds
    that sum at least zero; an aligned metric would make it negative. If all comparisons are
    ties it is positive everywhere, where alignment asks for zero.

    What it assumes of the metric: that it does not depend on the order of the cases, and is
    computed to `precision` times its largest value. The default, 1e-5, is that of single precision
    (float32). State 1e-3 for a metric that computes in float16 and 1e-2 for bfloat16; where all
    values of the metric are numbers of half precision, this is done for you.

    No smaller difference counts as an order, and none that another order of the cases could make.
    A tie does not count on a plateau, where an increasing function saturates: small changes of
    either forecast must move the metric up and down; or the metric is a step function there, still
    under smaller changes, inside its range, left with a jump, and the tie lasts when both forecasts
    get the same further cases. Nor does a tie count whose difference is absorbed by larger costs of
    other cases: the metric must react to each coordinate in which the two forecasts differ, or never
    depend on it. Orders are added up with ties only if they last beside larger costs.
    """

    comparisons: tuple[Comparison, ...]
    weights: np.ndarray
    family: Any
    precision: float = PRECISION

    def margin(self, theta: Any) -> float:
        """The weighted sum of ``cost(better) - cost(worse)`` at one theta, afresh from the family."""
        return float(sum(weight * (cost_at(self.family, theta, c.y_true, c.better)
                                   - cost_at(self.family, theta, c.y_true, c.worse))
                         for weight, c in zip(self.weights, self.comparisons, strict=True)))

    def verify(self, metric: Callable[..., float], thetas: Any) -> bool:
        """Does the proof stand up to being computed afresh, at these thetas?

        The metric must call no `worse` better than its `better`, no margin may be negative,
        and one of the two must be strict; all beyond rounding, and with positive weights.
        """
        check_metric(metric)
        loss, orders, thetas = as_loss(metric), [], as_list("thetas", thetas)
        if not thetas:
            raise ValueError("verify needs at least one theta")
        if not (self.weights > 0).all():
            return False
        for c in self.comparisons:
            order = order_of(loss, c, self.precision)
            if order is None or order < 0:
                return False
            orders.append(order)
        strict = any(orders)
        if strict and 0 in orders and not all(outlives(loss, c, self.precision) for c, order in
                                              zip(self.comparisons, orders, strict=True) if order):
            return False
        margins, noise = np.transpose([self._margin_and_noise(theta) for theta in thetas])
        return bool((margins >= -noise).all() and (strict or (margins > noise).all()))

    def _margin_and_noise(self, theta):
        """The margin, and how large rounding could make it."""
        pairs = [[cost_at(self.family, theta, c.y_true, report) for report in (c.better, c.worse)]
                 for c in self.comparisons]
        margin = sum(weight * (better - worse) for weight, (better, worse) in zip(self.weights, pairs, strict=True))
        size = sum(weight * (abs(better) + abs(worse)) for weight, (better, worse) in
                   zip(self.weights, pairs, strict=True))
        return float(margin), _AFRESH * float(size)


def refute(metric: Callable[..., float], family: Any, *, y_true: Any = None, forecasts: Any = None,
           thetas: Any = None, within: tuple[float, float] | None = None, n: int = 4, seed: int = 0,
           trials: int = 20, precision: float = PRECISION) -> Refutation | None:
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
        precision, 1e-3 for float16, 1e-2 for bfloat16. See `Refutation` for what else is assumed.

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
    check_metric(metric)
    thetas = _check_family(family, thetas)
    if (y_true is None) != (forecasts is None):
        raise ValueError("give both y_true and forecasts, or neither")
    if within is not None:
        _check_within(family, within)
    if forecasts is not None:
        forecasts = as_list("forecasts", forecasts)
        _check_forecasts(y_true, forecasts)
    n, precision = validation.whole("n", n), validation.inside("precision", precision, 0, 1)
    rng, loss = np.random.default_rng(validation.seed(seed)), as_loss(metric)
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


def _check_family(family, thetas):
    """The thetas of a family that is a function, as a list."""
    if isinstance(family, Family):
        if thetas is not None:
            raise ValueError("thetas are for a family given as a function; use within for a decision family")
        return []
    if not callable(family):
        raise ValueError(f"family must be a decision family or a function cost(theta, y_true, *prediction), "
                         f"got {family!r}")
    thetas = as_list("thetas", thetas) if thetas is not None else []
    if not thetas:
        raise ValueError("a family given as a function needs thetas, all values of its parameter")
    return thetas


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
    values = np.array([metric_value(loss, labels, report) for report in reports])
    kept = [report for report, value in zip(reports, values, strict=True) if np.isfinite(value)]
    if len(kept) < 2:
        return None, None, None
    order = Order(loss, labels, kept, values[np.isfinite(values)], precision)
    if metric_value(loss, labels, kept[0]) != order.values[0]:
        raise ValueError("the metric gives two values for the same forecast: it is random, or keeps a state")
    return order, *all_costs(family, labels, kept, thetas, within)


def _beyond_doubt(search, order, costs, noise, precision):
    """What the search finds once every comparison that rounding or a plateau explains is taken out."""
    while True:
        found = search(order, costs, noise)
        if not found:
            return None
        if not all([order.confirm(i, j) for i, j in found]):
            continue
        doubtful = [(i, j) for i, j in found if order_of(order.loss, order.comparison(i, j), precision)
                    != int(order.below[i, j])]  # as `verify` will look at it
        ranked = [(i, j) for i, j in found if order.below[i, j]]
        if not doubtful and 0 < len(ranked) < len(found):  # an order added up with ties
            doubtful = [(i, j) for i, j in ranked if not order.outlives(i, j)]
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
    if ends[0] < family.parameters[-1].domain[0] or ends[1] > family.parameters[-1].domain[1]:
        raise ValueError(f"within must lie inside {family.parameters[-1].domain}, got {within!r}")


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
    weights = None
    for chosen, least in ((~ties, 0.0), (ties | True, 0.0), (ties, 1.0)):  # orders alone, with ties, ties alone
        if weights is None and chosen.any() and (least or below.any()):
            weights = _fewest(gaps[chosen], error[chosen], ties[chosen], least)
            pairs = i[chosen], j[chosen]
    if weights is None:
        return None
    i, j = pairs
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
    weights[np.abs(weights) < _NO_WEIGHT] = 0.0
    rounding = np.abs(weights) @ error
    enough = 10 * rounding if least else -rounding
    return weights if (weights @ gaps >= enough).all() else None
