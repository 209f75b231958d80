"""Ranking metrics of uncertainty, as UNIQUE documents them: does a larger uncertainty mean a larger error?

Implements the ranking-based benchmark of UNIQUE (its evaluation-benchmarks page).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from .._ranks import midranks, snap
from ._kernels import error_of_kept

__all__ = ["auc_difference", "decreasing_coefficient", "increasing_coefficient", "performance_drop", "spearman"]


def spearman(error: ArrayLike, uncertainty: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Spearman's rank correlation of error and uncertainty; higher is better.

    Pearson's correlation of the ranks, tied values sharing the mean of their ranks (values
    that differ by rounding alone, 1e-13 of their own size, are tied). NaN when either is constant.

    Parameters
    ----------
    error : array_like, shape (n,)
        Error of each prediction, for instance ``abs(y - mean)``.
    uncertainty : array_like, shape (n,)
        Any number that is larger where the model is less sure.
    sample_weight : None
        Must be None, because the metric is not an average over data points.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Bad input, named with its first bad index.

    References
    ----------
    UNIQUE, evaluation benchmarks, "Spearman rank correlation coefficient".

    Examples
    --------
    >>> round(spearman([1, 2, 2, 4], [1, 3, 2, 3]), 6)
    0.833333
    """
    e, u = _read(error, uncertainty, sample_weight)
    if np.ptp(e) == 0 or np.ptp(u) == 0:
        return float("nan")
    a, b = midranks(e), midranks(u)
    a, b = a - a.mean(), b - b.mean()
    return float(np.dot(a, b) / np.sqrt(np.dot(a, a) * np.dot(b, b)))


def auc_difference(error: ArrayLike, uncertainty: ArrayLike, *,
                   n_bins: int = 10, sample_weight: ArrayLike | None = None) -> float:
    """Area under the cumulative error, sorted by uncertainty, minus that of the best order; lower is better.

    The cumulative error ``E_j`` is the mean error of the ``j/n_bins`` least uncertain cases,
    j = 1..n_bins; the area is computed by the trapezoid rule over the shares of cases. The best order is
    that of the errors themselves. In the unit of the error.

    Parameters
    ----------
    error : array_like, shape (n,)
        Errors of the cases, on any scale.
    uncertainty : array_like, shape (n,)
        Larger where the forecast is less certain.
    n_bins : int
        At most the number of cases.
    sample_weight : None
        Weights are refused; the value is not an average over cases.

    References
    ----------
    UNIQUE, evaluation benchmarks, "AUC difference". Cases with equal uncertainty share their places.

    Examples
    --------
    >>> auc_difference([1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4], n_bins=2)
    0.0
    >>> auc_difference([1.0, 2.0, 3.0, 4.0], [4, 3, 2, 1], n_bins=2)
    0.5
    """
    e, u = _read(error, uncertainty, sample_weight)
    shares, curve = cumulative_error(e, u, n_bins)
    _, best = cumulative_error(e, e, n_bins)
    gap = curve - best
    return float(np.dot(np.diff(shares), (gap[1:] + gap[:-1]) / 2))


def increasing_coefficient(error: ArrayLike, uncertainty: ArrayLike, *,
                           n_bins: int = 10, sample_weight: ArrayLike | None = None) -> float:
    """Share of steps at which the error rises as less certain cases join; higher is better.

    The number of j with ``E_(j+1) > E_j``, over n_bins - 1, where ``E_j`` is the mean
    error of the ``j/n_bins`` least uncertain cases.

    Parameters
    ----------
    error : array_like, shape (n,)
        Errors of the cases, on any scale.
    uncertainty : array_like, shape (n,)
        Larger where the forecast is less certain.
    n_bins : int
        Number of bins of equal size, at most the number of cases.
    sample_weight : None
        Weights are refused; the value is not an average over cases.

    References
    ----------
    UNIQUE, evaluation benchmarks, "Increasing coefficient".

    Examples
    --------
    >>> increasing_coefficient([1, 5, 2, 4, 3, 6], [2, 1, 6, 3, 4, 5], n_bins=3)
    1.0
    """
    e, u = _read(error, uncertainty, sample_weight)
    _, curve = cumulative_error(e, u, n_bins, 2)
    return float(np.mean(np.diff(curve) > _rounding(curve)))


def decreasing_coefficient(error: ArrayLike, uncertainty: ArrayLike, *,
                           n_bins: int = 10, sample_weight: ArrayLike | None = None) -> float:
    """Share of steps at which the error falls as more certain cases join; higher is better.

    As `increasing_coefficient`, with the cases taken from the most uncertain one on.

    Parameters
    ----------
    error : array_like, shape (n,)
        Errors of the cases, on any scale.
    uncertainty : array_like, shape (n,)
        Larger where the forecast is less certain.
    n_bins : int
        Number of bins of equal size, at most the number of cases.
    sample_weight : None
        Weights are refused; the value is not an average over cases.

    References
    ----------
    UNIQUE, evaluation benchmarks, "Decreasing coefficient".

    Examples
    --------
    >>> decreasing_coefficient([1, 5, 2, 4, 3, 6], [2, 1, 6, 3, 4, 5], n_bins=3)
    1.0
    """
    e, u = _read(error, uncertainty, sample_weight)
    _, curve = cumulative_error(e, -u, n_bins, 2)
    return float(np.mean(np.diff(curve) < -_rounding(curve)))


def performance_drop(error: ArrayLike, uncertainty: ArrayLike, *,
                     n_bins: int = 10, reference: str = "high", sample_weight: ArrayLike | None = None) -> float:
    """Mean error of the most uncertain bin, or of all cases, minus that of the least uncertain; higher is better.

    In the unit of the error.

    Parameters
    ----------
    error : array_like, shape (n,)
        Errors of the cases, on any scale.
    uncertainty : array_like, shape (n,)
        Larger where the forecast is less certain.
    n_bins : int
        Number of bins of equal size, at most the number of cases.
    reference : {"high", "all"}
        What the least uncertain bin is compared with.
    sample_weight : None
        Weights are refused; the value is not an average over cases.

    References
    ----------
    UNIQUE, evaluation benchmarks, "Performance drop" (documented as a difference).

    Examples
    --------
    >>> performance_drop([1, 5, 2, 4, 3, 6], [2, 1, 6, 3, 4, 5], n_bins=3)
    1.0
    >>> performance_drop([1, 5, 2, 4, 3, 6], [2, 1, 6, 3, 4, 5], n_bins=3, reference="all")
    0.5
    """
    e, u = _read(error, uncertainty, sample_weight)
    validation.one_of("reference", reference, "high", "all")
    low = cumulative_error(e, u, n_bins)[1][0]
    high = e.mean() if reference == "all" else cumulative_error(e, -u, n_bins)[1][0]
    return float(high - low)


def cumulative_error(error: np.ndarray, uncertainty: np.ndarray, n_bins: int,
                     least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Shares of cases kept, and the mean error among them, least uncertain first; ties share places.

    Parameters
    ----------
    error : array_like, shape (n,)
        Errors of the cases, on any scale.
    uncertainty : array_like, shape (n,)
        Larger where the forecast is less certain.
    n_bins : int
        Number of bins of equal size, at most the number of cases.
    """
    bins = validation.whole("n_bins", n_bins, least, error.size)  # no more than there are cases
    total = error_of_kept(error, uncertainty, tolerance=0.0)
    kept = np.arange(1, bins + 1) * error.size // bins
    return kept / error.size, total[kept - 1] / kept


def _rounding(curve: np.ndarray) -> np.ndarray:
    """Neighbours that differ by less are equal."""
    return 1e-11 * np.maximum(np.abs(curve[1:]), np.abs(curve[:-1]))


def _read(error: Any, uncertainty: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
    validation.no_weight(sample_weight, "a ranking metric")
    e, u = validation.check_ranking(error, uncertainty)
    return snap(e), snap(u)
