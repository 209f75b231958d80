"""Do a metric and a utility rank alike? Can a metric be aligned at all?

May import metrics and validation, numpy, scipy and pandas.
Implements section 3.1 and proposition F.1 of the PWU paper; rank agreement with ties.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import metrics as registry
from . import validation
from .ranks import snap

if TYPE_CHECKING:  # pandas takes half a second to import: import it where it is used
    import pandas as pd

__all__ = ["Counterexample", "align", "coordinate_dependence", "kendall_tau", "somers_d"]


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
    task : {"binary", "regression"}
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
    if task not in ("binary", "regression"):
        raise ValueError(f'task must be "binary" or "regression", got {task!r}')
    n, trials = validation.whole("n", n), validation.whole("trials", trials)
    if n < 2:
        raise ValueError("n must be at least 2: a single case has no background")
    rng = np.random.default_rng(seed)
    draw = _draw_binary if task == "binary" else _draw_regression
    for _ in range(trials):
        labels, reports, backgrounds = draw(rng, n)
        values = [_evaluate(metric, labels, report, rest) for rest in backgrounds for report in reports]
        if np.isfinite(values).all() and _disagree(*values):
            return Counterexample(labels, *reports, *backgrounds, values=tuple(values))
    return None


def _evaluate(metric, labels, report, rest):
    """The metric with `report` for case 0 and `rest` for the others."""
    whole = np.concatenate([np.atleast_2d(report), np.atleast_2d(rest.T).T])
    return float(metric(labels, *whole.T))


def _disagree(ar, br, as_, bs):
    """Do the two differences have different signs, beyond doubt by rounding?"""
    first, second = br - ar, bs - as_
    large, small = max(abs(first), abs(second)), min(abs(first), abs(second))
    scale = max(abs(value) for value in (ar, br, as_, bs))
    if large <= 1e-6 * scale:
        return False
    return small <= 1e-12 * scale or (small > 1e-6 * scale and first * second < 0)


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
