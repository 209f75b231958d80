"""Proofs that a metric is not aligned with a family under any prior, which can be computed afresh.

Implements definition 3.1 and propositions 3.9, 3.11 and 3.14 of the PWU paper.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import validation
from ..families import Family
from ._costs import all_costs, cost_at
from ._draws import drawn, gaussians
from ._order import (
    PRECISION,
    Comparison,
    as_list,
    as_loss,
    assumed_precision,
    check_metric,
    check_order_of_cases,
    check_repeats,
    metric_value,
)

__all__ = ["Refutation", "refute"]

_AFRESH = 1e-11  # of the costs added up: rounding of a margin that is computed afresh
_NO_WEIGHT = 1e-9  # what the linear program leaves of a comparison that it does not need


class Refutation(NamedTuple):
    """Proof that a metric is not aligned with a family under any prior.

    The metric ranks ``better`` below ``worse`` in each comparison. Weighted and added up,
    ``cost(better) - cost(worse)`` is nowhere negative (`margin`), so under every prior that sum of
    expected costs is at least zero; an aligned metric would make it negative.

    The proof assumes that the metric does not depend on the order of the cases and is accurate to
    `precision` times its largest value: only larger differences count as an order. The default,
    1e-5, leaves room for single precision (float32). State 1e-3 for a metric that computes in
    float16 and 1e-2 for bfloat16. Equal values prove nothing: they may be equal because small
    differences were lost in the computation.
    """

    comparisons: tuple[Comparison, ...]
    weights: np.ndarray
    family: Any
    precision: float = PRECISION

    def margin(self, theta: Any) -> float:
        """The weighted sum of ``cost(better) - cost(worse)`` at one theta, afresh from the family.

        Parameters
        ----------
        theta : float or tuple
            One decision parameter.
        """
        return self._margin_and_rounding(theta)[0]

    def verify(self, metric: Callable[..., float], thetas: Any) -> bool:
        """Does the proof hold when it is computed afresh, at these thetas?

        The metric must call every `better` better, by more than its precision; the weights must be positive,
        and no margin may be negative beyond rounding.

        Parameters
        ----------
        metric : callable
            ``metric(y_true, *prediction)``, a loss, or a row of the registry.
        thetas : sequence
            Decision parameters to try.
        """
        check_metric(metric)
        loss, thetas = as_loss(metric), as_list("thetas", thetas)
        if not thetas:
            raise ValueError("verify needs at least one theta")
        values = np.array([[metric_value(loss, c.y_true, report) for report in (c.better, c.worse)]
                           for c in self.comparisons])
        room = self.precision * np.abs(values[np.isfinite(values)]).max(initial=0.0)
        if not (values[:, 0] + room < values[:, 1]).all() or not (np.asarray(self.weights) > 0).all():
            return False
        margins, rounding = np.transpose([self._margin_and_rounding(theta) for theta in thetas])
        return bool((margins >= -rounding).all())

    def _margin_and_rounding(self, theta: float | None) -> tuple[float, float]:
        """The margin, and how large rounding could make it."""
        better, worse = np.transpose([[cost_at(self.family, theta, c.y_true, report) for report in (c.better, c.worse)]
                                      for c in self.comparisons])
        margin = float(np.dot(self.weights, better - worse))
        return margin, _AFRESH * float(np.dot(self.weights, np.abs(better) + np.abs(worse)))


def refute(metric: Callable[..., float], family: Any, *, y_true: Any = None, forecasts: Any = None,
           thetas: Any = None, within: tuple[float, float] | None = None, n: int = 4, seed: int = 0,
           trials: int = 20, precision: float = PRECISION) -> Refutation | None:
    """Search for proof that a metric is aligned with a decision family under no prior.

    First for two forecasts that the metric ranks one way while no prior does; then, by a linear
    program over priors, for several comparisons whose weighted sum no prior can satisfy. Costs that differ by less
    than 1e-13 of the larger one are taken for rounding, so priors on cost shares of that size are not considered.

    Parameters
    ----------
    metric : callable
        A loss, called as the family is: ``metric(y_true, *prediction)``. A row of
        `pwu_lite.metrics.REGISTRY` is negated if higher is better.
    family : Family or callable
        A decision family, whose utilities between two changes of act are linear in the
        parameter (checked), so that all of its parameters are seen, not a grid; or a function
        ``cost(theta, y_true, *prediction)`` with `thetas`.
    y_true, forecasts : array_like and list of tuples, optional
        What to compare: tuples of what the metric takes after y_true. Drawn by what the
        family takes if omitted; for a function, means and standard deviations.
    thetas : sequence, optional
        For a function: all values that its parameter can take.
    within : (float, float), optional
        Only priors inside this open interval of the continuous parameter.
    n, seed, trials : int
        Cases, seed and number of random data sets. Every second one has n + 2 cases.
    precision : float
        How accurate the metric is, relative to its largest value. See `Refutation`.

    Returns
    -------
    Refutation or None
        None proves nothing.

    Raises
    ------
    ValueError
        Bad input, a metric that is random, or a family that cannot draw data, does not say where its acts change, or is
        not linear in between.

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
    if within is not None:
        _check_within(family, within)
    precision, loss = validation.inside("precision", precision, 0, 1), as_loss(metric)
    sets = _given(y_true, forecasts) or _drawn_sets(family, n, seed, trials)
    ranked: list[tuple[Any, ...]] = []
    for search in (_one_pair, _several_pairs):  # several pairs are looked for when no data set has one
        for number, (labels, reports) in enumerate(sets):
            if number == len(ranked):
                ranked.append(_ranked(loss, family, labels, reports, thetas, within, precision))
            kept, values, room, costs, rounding = ranked[number]
            if len(kept) < 2 and forecasts is not None:
                raise ValueError("the metric is finite for fewer than two of the forecasts")
            weights = search(values, room, costs, rounding) if len(kept) > 1 else None
            if weights:
                return _proof(weights, loss, labels, kept, values, room, family, precision)
    return None


def _given(y_true: Any, forecasts: list[Any] | None) -> list[Any] | None:
    """The caller's data as the only data set, or None."""
    if (y_true is None) != (forecasts is None):
        raise ValueError("give both y_true and forecasts, or neither")
    if forecasts is None:
        return None
    forecasts = as_list("forecasts", forecasts)
    _check_forecasts(y_true, forecasts)
    return [(y_true, forecasts)]


def _drawn_sets(family: Family, n: int, seed: int, trials: int) -> list[Any]:
    """Random data sets; every second one has two more cases."""
    n, rng = validation.whole("n", n), np.random.default_rng(validation.seed(seed))
    draw = drawn if isinstance(family, Family) else gaussians
    return [draw(family, rng, n + 2 * (trial % 2)) for trial in range(validation.whole("trials", trials))]


def _proof(weights: dict[Any, Any], loss: Any, labels: Any, kept: list[Any], values: np.ndarray, room: float,
           family: Callable[..., Any] | Family, precision: float) -> Refutation:
    """The comparisons that were found, with their weights; the order of the cases must not matter to the metric."""
    for index in {index for pair in weights for index in pair}:
        check_order_of_cases(loss, labels, kept[index], values[index], room)
    comparisons = [Comparison(np.asarray(labels), kept[i], kept[j], (float(values[i]), float(values[j])))
                   for i, j in weights]
    return Refutation(tuple(comparisons), np.array(list(weights.values())), family, precision)


def _check_family(family: Any, thetas: list[float] | None) -> list[float]:
    """The thetas of a family that is a function, as a list."""
    if isinstance(family, Family):
        if thetas is not None:
            raise ValueError("thetas are for a family given as a function; use within for a decision family")
        return []
    validation.no_class("family", family)
    if not callable(family):
        raise ValueError(f"family must be a decision family or a function cost(theta, y_true, *prediction), "
                         f"got {family!r}")
    thetas = as_list("thetas", thetas) if thetas is not None else []
    if not thetas:
        raise ValueError("a family given as a function needs thetas, all values of its parameter")
    return thetas


def _check_forecasts(y_true: Any, forecasts: list[Any]) -> None:
    if np.ndim(y_true) == 0:
        raise ValueError(f"y_true must be a sequence, got {y_true!r:.60}")
    for index, report in enumerate(forecasts):
        if not isinstance(report, (tuple, list)) or not report:
            raise ValueError("each forecast must be a tuple of what the metric takes after y_true, for one array (f,)")
        for part in report:
            if np.shape(part)[:1] != np.shape(y_true)[:1]:
                raise ValueError(f"forecasts[{index}] has a part of shape {np.shape(part)}, y_true has length "
                                 f"{len(y_true)}")
    validation.same_order_of_models({str(index): tuple(report) for index, report in enumerate(forecasts)},
                                    y_true=y_true)


def _ranked(loss: Any, family: Callable[..., Any] | Family, labels: Any, reports: list[Any], thetas: list[float],
            within: tuple[float, float] | None, precision: float) -> tuple[Any, ...]:
    """The forecasts of finite value, their values, what counts as a difference, and the family's costs."""
    reports = [tuple(map(np.asarray, report)) for report in reports]
    values = np.array([metric_value(loss, labels, report) for report in reports])
    kept = [report for report, value in zip(reports, values, strict=True) if np.isfinite(value)]
    values = values[np.isfinite(values)]
    if len(kept) < 2:
        return kept, values, None, None, None
    check_repeats(loss, labels, kept[0], values[0])
    room = assumed_precision(loss, labels, kept, precision) * np.abs(values).max()
    return kept, values, room, *all_costs(family, labels, kept, thetas, within)


def _check_within(family: Callable[..., Any] | Family, within: tuple[float, float]) -> None:
    ends = validation.numbers("within", within)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise ValueError(f"within must be (low, high) with low < high, got {within!r}")
    if not isinstance(family, Family) or not family.parameters:
        raise ValueError("within is for a decision family with a continuous parameter")
    if ends[0] < family.parameters[-1].domain[0] or ends[1] > family.parameters[-1].domain[1]:
        raise ValueError(f"within must lie inside {family.parameters[-1].domain}, got {within!r}")


def _one_pair(values: np.ndarray, room: float, costs: np.ndarray, rounding: np.ndarray) -> dict[Any, Any] | None:
    """The clearest pair that the metric ranks although every prior finds the first one no cheaper."""
    best, clearest = None, -1.0
    for i in range(len(costs)):
        gaps = costs[i] - costs
        least = gaps.min(axis=1)
        never_cheaper = (gaps >= -(rounding[i] + rounding)).all(axis=1)
        for j in np.flatnonzero((values - values[i] > room) & never_cheaper):
            clear = least[j] + 1e-3 * gaps[j].mean()
            if clear > clearest:
                best, clearest = (i, int(j)), clear
    return {best: 1.0} if best else None


def _several_pairs(values: np.ndarray, room: float, costs: np.ndarray, rounding: np.ndarray) -> dict[Any, Any] | None:
    """Weights of few comparisons whose weighted sum no prior can satisfy, or None."""
    ranked = values[None, :] - values[:, None] > room
    if len(costs) > 80:  # neighbours are enough, only less clear
        order = np.argsort(values, kind="stable")
        neighbours = np.zeros(ranked.shape, bool)
        neighbours[order[:-1], order[1:]] = True
        ranked &= neighbours
    i, j = np.nonzero(ranked)
    weights = _fewest(costs[i] - costs[j], rounding[i] + rounding[j]) if i.size else None
    if weights is None:
        return None
    return {(int(a), int(b)): float(weight) for a, b, weight in zip(i, j, weights, strict=True) if weight}


def _fewest(gaps: np.ndarray, rounding: np.ndarray) -> np.ndarray | None:
    """Weights that add up to one and whose sum of gaps is nowhere negative, of few comparisons; or None."""
    from scipy.optimize import linprog

    answer = linprog(np.ones(len(gaps)), A_ub=-gaps.T, b_ub=np.zeros(gaps.shape[1]), A_eq=np.ones((1, len(gaps))),
                     b_eq=[1.0], method="highs")
    if not answer.success:
        return None
    weights = np.where(answer.x < _NO_WEIGHT, 0.0, answer.x)
    return weights if (weights @ gaps >= -(weights @ rounding)).all() else None
