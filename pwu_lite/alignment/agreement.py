"""Do a metric and a utility rank alike? Rank agreement with ties.

Implements the alignment tables of section 5.1 of the PWU paper.
"""

from typing import Any

import numpy as np

from .. import validation
from .._ranks import ROUNDING, snap

__all__ = ["agreement", "kendall_tau", "somers_d"]


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


def agreement(metrics: Any, utilities: Any, *, tie: float = ROUNDING) -> dict[str, np.ndarray]:
    """Kendall's tau-b, Somers' d, and its number of pairs, of every metric with every utility at once.

    Parameters
    ----------
    metrics : array_like or DataFrame, shape (m, k)
        A row for each model. Higher is better. A value may be infinite (tied with other infinite ones).
    utilities : array_like or DataFrame, shape (m, j)
        A row for each model. Higher is better.
    tie : float
        Values closer than this times their own size are tied (`pwu_lite._ranks.snap`).

    Returns
    -------
    dict of ndarray
        ``tau``, ``somers_d`` and ``pairs`` (those that differ in utility), each of shape
        (k, j); NaN for a column with a NaN, or without two different values.

    Raises
    ------
    ValueError
        Not two tables of the same models, or a tie outside [0, 1).

    Examples
    --------
    >>> found = agreement([[3.0], [2.0], [1.0]], [[3.0], [3.0], [1.0]])
    >>> found["somers_d"].item(), found["pairs"].item()
    (1.0, 2.0)
    """
    validation.same_order(metrics=metrics, utilities=utilities)
    tables = [validation.as_float(name, table) for name, table in (("metrics", metrics), ("utilities", utilities))]
    if any(table.ndim != 2 for table in tables) or len(tables[0]) != len(tables[1]) or len(tables[0]) < 2:
        raise ValueError(f"metrics and utilities must be tables of the same models, at least two of them, got shapes "
                         f"{tables[0].shape} and {tables[1].shape}")
    if not 0 <= validation.one_number("tie", tie) < 1:
        raise ValueError(f"tie must lie in [0, 1), got {tie!r}")
    ours, theirs = (_signs_of_pairs(table, tie) for table in tables)
    both, informative = ours.T @ theirs, (theirs**2).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = both / np.sqrt(np.multiply.outer((ours**2).sum(axis=0), informative))
        d = np.where((ours**2).sum(axis=0)[:, None] > 0, both / informative, np.nan)
    return {"tau": tau, "somers_d": d, "pairs": informative + 0 * both}


def _signs_of_pairs(values: np.ndarray, tie: float) -> np.ndarray:
    """1, 0 or -1 for each pair of models, shape (pairs, columns); NaN for a column with a NaN."""
    snapped = np.column_stack([snap(column, tie) for column in values.T]) if values.size else values
    first, second = np.triu_indices(len(values), 1)
    signs = (snapped[first] > snapped[second]) * 1.0 - (snapped[first] < snapped[second])
    return np.where(np.isnan(values).any(axis=0), np.nan, signs)


def somers_d(metric: Any, utility: Any) -> tuple[float, int]:
    """Somers' d of `metric` given `utility`, and the number of pairs it rests on.

    ``(C - D) / pairs``, over the pairs that differ in utility. NaN if there are none.

    Parameters
    ----------
    metric : array_like, shape (m,)
        Values of the metric, higher is better; one per model.
    utility : array_like, shape (m,)
        Utilities of the same models.

    Examples
    --------
    >>> somers_d([1, 2, 2], [1, 2, 2])
    (1.0, 2)
    """
    metric, utility = _pair(metric, utility)
    ours, theirs = (_signs_of_pairs(values[:, None], 0.0)[:, 0] for values in (metric, utility))
    pairs = int(np.count_nonzero(theirs))
    return (float(ours @ theirs / pairs) if pairs else float("nan")), pairs


def _pair(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    validation.same_order(a=a, b=b)
    a, b = snap(validation.vector("a", a)), snap(validation.vector("b", b))
    validation.same_length("a", a, "b", b)
    if a.size < 2:
        raise ValueError("a ranking needs at least two values")
    return a, b
