"""Do a metric and a utility rank alike? Can a metric be aligned at all?

May import families, metrics, ranks and validation, numpy, scipy and pandas.
Implements sections 3.1 to 3.3 and proposition F.1 of the PWU paper; rank agreement with ties.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import metrics as registry
from . import validation
from .families import Family, OneVsRest, PerOutput, Retention, RiskAverseTopK
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
    """

    comparisons: tuple[Comparison, ...]
    weights: np.ndarray
    family: Any

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
        loss, strict, thetas = _as_loss(metric), False, list(thetas)
        if not thetas:
            raise ValueError("holds needs at least one theta")
        if not (self.weights > 0).all():
            return False
        for c in self.comparisons:
            order = _compare(loss(c.y_true, *c.better), loss(c.y_true, *c.worse))
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
    (1e-13 of the largest) are tied.

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
        ``{column: True if lower is better}`` for metrics that the registry does not know.

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
        Index labels differ or repeat, a value is not finite, or a metric's direction
        is not known.

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
                          seed: int = 0, trials: int = 5000) -> Counterexample | None:
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
    if task not in _DRAWS:
        raise ValueError(f"task must be one of {', '.join(_DRAWS)}, got {task!r}")
    n, trials = validation.whole("n", n), validation.whole("trials", trials)
    if n < 2:
        raise ValueError("n must be at least 2: a single case has no background")
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        labels, reports, backgrounds = _DRAWS[task](rng, n)
        values = [_evaluate(metric, task, labels, report, rest) for rest in backgrounds for report in reports]
        if np.isfinite(values).all() and _disagree(*values):
            return Counterexample(labels, *reports, *backgrounds, values=tuple(values))
    return None


def refute(metric: Callable[..., float], family: Any, *, y_true: Any = None, forecasts: Any = None,
           thetas: Any = None, within: tuple[float, float] | None = None, n: int = 4, seed: int = 0,
           trials: int = 20) -> Refutation | None:
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
        parameter, so that all of its parameters are checked, not a grid; or a function
        ``cost(theta, y_true, *prediction)`` with `thetas`.
    y_true, forecasts : array_like and list of tuples, optional
        What to compare: tuples of what the metric takes after y_true. Random if omitted.
    thetas : sequence, optional
        For a function: all values that its parameter can take.
    within : (float, float), optional
        Only priors inside this open interval of the continuous parameter.
    n, seed, trials : int
        Cases, seed and number of random data sets, each with 60 forecasts (20 for `RiskAverseTopK`).

    Returns
    -------
    Refutation or None
        None proves nothing.

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
    if not isinstance(family, Family):
        thetas = list(thetas) if thetas is not None else []
        if not thetas:
            raise ValueError("a family given as a function needs thetas, all values of its parameter")
    if (y_true is None) != (forecasts is None):
        raise ValueError("give both y_true and forecasts, or neither")
    if within is not None:
        _check_within(family, within)
    if forecasts is not None and not all(isinstance(report, (tuple, list)) for report in forecasts):
        raise ValueError("each forecast must be a tuple of what the metric takes after y_true, for one array (f,)")
    n = validation.whole("n", n)
    rng, loss = np.random.default_rng(seed), _as_loss(metric)
    if forecasts is not None:
        sets = [(y_true, forecasts)]
    else:
        sets = [_draw_forecasts(rng, family, n) for _ in range(validation.whole("trials", trials))]
    ranked: list[tuple[Any, ...]] = []
    for search in (_one_pair, _several_pairs):
        for place, (labels, reports) in enumerate(sets):
            if place == len(ranked):
                ranked.append(_ranked(loss, family, labels, reports, thetas, within))
            kept, values, costs, noise = ranked[place]
            if len(kept) < 2 and forecasts is not None:
                raise ValueError("the metric is finite for fewer than two of the forecasts")
            found = search(values, costs, noise) if len(kept) > 1 else None
            if found:
                comparisons = [Comparison(np.asarray(labels), kept[i], kept[j], (float(values[i]), float(values[j])))
                               for i, j in found]
                return Refutation(tuple(comparisons), np.array(list(found.values())), family)
    return None


def _ranked(loss, family, labels, reports, thetas, within):
    """The forecasts at which the metric is finite, with its values and the family's costs."""
    values = np.array([float(loss(labels, *report)) for report in reports])
    kept = [tuple(map(np.asarray, report)) for report, value in zip(reports, values, strict=True)
            if np.isfinite(value)]
    if len(kept) < 2:
        return kept, None, None, None
    return kept, values[np.isfinite(values)], *_all_costs(family, labels, kept, thetas, within)


def _check_within(family, within):
    ends = validation.numbers("within", within)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise ValueError(f"within must be (low, high) with low < high, got {within!r}")
    if not isinstance(family, Family):
        raise ValueError("within is for a decision family with a continuous parameter")
    if ends[0] < family.domain[0] or ends[1] > family.domain[1]:
        raise ValueError(f"within must lie inside {family.domain}, got {within!r}")


_ULPS = 8 * np.finfo(float).eps


def _compare(low, high):
    """1 if high is above low, 0 if they are equal up to the last digits, -1 if below; None if that is unclear."""
    if np.isnan(low) or np.isnan(high):
        return None
    if low == high:
        return 0
    if np.isinf(low) or np.isinf(high):
        return 1 if high > low else -1
    own, gap = max(abs(low), abs(high)), high - low
    if abs(gap) <= _ULPS * own:
        return 0
    return int(np.sign(gap)) if abs(gap) > 1e-11 * own else None


def _evaluate(metric, task, labels, report, rest):
    """The metric with `report` for case 0 and `rest` for the others."""
    whole = np.concatenate([np.atleast_2d(report), np.atleast_2d(rest.T).T])
    if task == "multiclass":
        return float(metric(labels, whole))
    if task == "ranking":
        return float(metric(np.abs(labels - whole[:, 0]), whole[:, 1]))
    return float(metric(labels, *whole.T))


def _disagree(ar, br, as_, bs):
    """Do the two differences have different signs, beyond doubt by rounding?"""
    whole = max(abs(value) for value in (ar, br, as_, bs))
    first, second = _sign(ar, br, whole), _sign(as_, bs, whole)
    return None not in (first, second) and first != second


def _sign(a, b, whole):
    """1, 0 or -1 for b above, equal to or below a; None if rounding could decide it."""
    own = max(abs(a), abs(b))
    if a == b or abs(b - a) <= _ULPS * own:
        return 0 if a == b or own > 1e-9 * whole else None
    return int(np.sign(b - a)) if abs(b - a) > max(1e-6 * own, 1e-9 * whole * (own < 1e-6 * whole)) else None


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
_FORECASTS = 60


def _draw_forecasts(rng, family, n):
    """Labels and many forecasts of them, on coarse grids so that acts and ties repeat."""
    takes = family.takes if isinstance(family, Family) else ("mean", "std")
    if isinstance(family, OneVsRest):
        return rng.integers(0, 3, n), [(rng.multinomial(20, np.ones(3) / 3, n) / 20,) for _ in range(_FORECASTS)]
    if isinstance(family, PerOutput):
        return _draw_multivariate(rng, family, n)
    if isinstance(family, Retention):
        return rng.integers(1, 6, n).astype(float), [(rng.permutation(n) + 1.0,) for _ in range(_FORECASTS)]
    if takes == ("y_prob",):
        labels = np.arange(n) % 2
        return rng.permutation(labels), [(rng.integers(1, 20, n) / 20,) for _ in range(_FORECASTS)]
    labels = np.ones(n)
    few = _FORECASTS // 3 if isinstance(family, RiskAverseTopK) else _FORECASTS  # its acts change at many gammas
    errors = rng.choice([-2, -1, 0, 0, 1, 2], (few, n))
    return labels, [(labels + error, rng.choice([0.5, 1.0, 1.2, 2.0], n)) for error in errors]


def _draw_multivariate(rng, family, n):
    """Zero targets of two outputs, few errors, variances and correlations."""
    outputs = 2 if family.scale is None else len(family.scale)
    reports = []
    for _ in range(_FORECASTS):
        mean = rng.choice([0.0, 1.0], (n, outputs))
        std, rho = rng.choice([0.5, 1.0], (n, outputs)), rng.choice([0.0, 0.5], n)
        cov = np.array([np.outer(s, s) * (r + (1 - r) * np.eye(outputs)) for s, r in zip(std, rho, strict=True)])
        reports.append((mean, cov))
    return np.zeros((n, outputs)), reports


def _as_loss(metric):
    if isinstance(metric, registry.Metric) and not metric.lower_is_better:
        return lambda *data: -metric(*data)
    return metric


def _cost(family, theta, y_true, prediction):
    if isinstance(family, Family):
        return -family.utility(theta, y_true, *prediction)
    return family(theta, y_true, *prediction)


def _all_costs(family, labels, reports, thetas, within):
    """Costs of each report, shape (reports, columns), each column on its own scale, and their rounding errors.

    A difference of rows that is nowhere negative in the columns is nowhere negative in theta.
    """
    if not isinstance(family, Family):
        costs = np.array([[float(family(theta, labels, *report)) for theta in thetas] for report in reports])
        if not np.isfinite(costs).all():
            raise ValueError("the family's cost must be finite at each theta")
        return _scaled(costs, np.abs(costs))
    pieces = [family.pieces(family.read(labels, *report)) for report in reports]
    first = pieces[0][0]
    if pieces[0][1] is None:
        if within is not None:
            raise ValueError(f"within is for a continuous parameter; that of {type(family).__name__} is discrete")
        costs = _costs_at(family, labels, reports, first)
        return _scaled(costs, np.abs(costs))
    low, high = within or family.domain
    edges = _distinct(np.concatenate([edge for _, edge in pieces]), low, high)
    one, two, last = _inner_points(edges, low, high)
    near, far = (_costs_at(family, labels, reports, _pairs(first, points)) for points in (one, two))
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


def _costs_at(family, labels, reports, thetas):
    return -np.array([family.utility(thetas, labels, *report) for report in reports])


def _scaled(costs, size):
    """Costs and rounding errors, each column divided by its spread: a prior may weigh it anew."""
    costs = costs - costs.min(axis=0)
    spread = costs.max(axis=0)
    flat = spread <= 1e-13 * size.max(axis=0)  # nothing but rounding errors
    spread = np.where(flat, 1.0, spread)
    return np.where(flat, 0.0, costs) / spread, 1e-13 * size / spread


def _distinct(edges, low, high):
    """Sorted edges strictly inside, those that differ by rounding alone once."""
    edges = np.unique(edges[(edges > low) & (edges < high)])
    return edges[np.diff(edges, prepend=-np.inf) > 1e-12 * np.abs(edges)]


def _inner_points(edges, low, high):
    """Two points inside each piece, from which a line gives its values at the ends; is the last piece unbounded?"""
    ends = np.concatenate([[low], edges, [high]])
    last = bool(np.isinf(high))
    if last:
        ends[-1] = ends[-2] + 3 * (ends[-2] if ends[-2] > 0 else 1.0)
    width = np.diff(ends)
    return ends[:-1] + width / 3, ends[:-1] + 2 * width / 3, last


def _pairs(first, points):
    """The points, or each combination of a discrete value and a point as a row."""
    if first is None:
        return points
    return np.column_stack([np.repeat(first, points.size), np.tile(points, len(first))])


def _order(values):
    """Which pairs (i, j) the metric ranks i below j, and which it ties, beyond doubt by rounding."""
    gap = values[None, :] - values[:, None]
    own = np.maximum(np.abs(values)[None, :], np.abs(values)[:, None])
    below = gap > np.maximum(1e-9 * own, 1e-12 * np.abs(values).max())
    return below, np.abs(gap) <= _ULPS * own


def _one_pair(values, costs, noise):
    """The clearest pair that the metric ranks and every prior ranks the other way, or ties."""
    below, tied = _order(values)
    best, clearest, tie = None, -1.0, None
    for i in range(values.size):
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


def _several_pairs(values, costs, noise):
    """Weights of few comparisons whose weighted sum no prior can satisfy."""
    below, tied = _order(values)
    if values.size > 80:  # neighbours are enough, only less clear
        order = np.argsort(values, kind="stable")
        chosen = np.zeros(below.shape, bool)
        chosen[order[:-1], order[1:]] = True
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
    answer = linprog(np.ones(len(signed)), A_ub=-signed.T, b_ub=np.full(gaps.shape[1], -least),
                     method="highs", **sum_one)
    if not answer.success:
        return None
    weights = answer.x[:len(gaps)].copy()
    weights[tied] -= answer.x[len(gaps):]
    weights[np.abs(weights) < 1e-9] = 0.0
    rounding = np.abs(weights) @ error + 1e-14
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
        "pearson": nan if constant else float(np.corrcoef(better, values)[0, 1]),
    }


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
        return bool(directions[name])
    return registry.lower_is_better(str(name))


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
