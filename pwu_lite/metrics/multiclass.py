"""Conventional metrics of probabilistic classification with K classes.

Implements appendix G.1 of the PWU paper.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from .._ranks import TIE
from ..validation import check_multiclass
from ._kernels import average, average_with_infinity, calibration_error, read

__all__ = ["brier_score", "expected_calibration_error", "log_loss", "zero_one_loss"]


def log_loss(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Negative log-likelihood, the mean of ``-log f^y`` (nats).

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in 0, ..., K - 1.
    y_prob : array_like, shape (n, K)
        One row per case of K probabilities that sum to 1.
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    float
        Infinite if an impossible class happened: nothing is clipped.

    Raises
    ------
    ValueError
        Bad input, named with its first bad row.

    References
    ----------
    PWU paper, appendix G.1.

    Examples
    --------
    >>> round(log_loss([0, 2], [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]), 6)
    0.458145
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    with np.errstate(divide="ignore"):
        return average_with_infinity(-np.log(f[np.arange(y.size), y]), weight)


def brier_score(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Brier score, the mean of ``sum_j (f^j - 1[y = j])**2``.

    With two classes it is twice the binary one.
    PWU paper, appendix G.1.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Classes in 0..K-1.
    y_prob : array_like, shape (n, K)
        Class probabilities; each row sums to 1.
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> round(brier_score([0], [[0.5, 0.3, 0.2]]), 6)
    0.38
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    return average(((f - (np.arange(f.shape[1]) == y[:, None])) ** 2).sum(axis=1), weight)


def zero_one_loss(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Share of cases whose most probable class is wrong; tied classes share the vote.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Classes in 0..K-1.
    y_prob : array_like, shape (n, K)
        Class probabilities; each row sums to 1.
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> zero_one_loss([0, 1], [[0.5, 0.5, 0.0], [0.2, 0.7, 0.1]])
    0.25
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    best = _most_probable(f)
    return average(1 - best[np.arange(y.size), y] / best.sum(axis=1), weight)


def expected_calibration_error(y_true: ArrayLike, y_prob: ArrayLike, *,
                               n_bins: int = 10, definition: str = "one_vs_rest",
                               sample_weight: ArrayLike | None = None) -> float:
    """Expected calibration error with K classes.

    Parameters
    ----------
    y_true, y_prob : array_like
        As in `log_loss`.
    n_bins : int
        Bins of equal width, (l, u], 0 in the first.
    definition : {"one_vs_rest", "top_label"}
        ``"one_vs_rest"``: the binary error of each class against the rest, averaged over
        classes (the paper). ``"top_label"``: the binary error of "the most probable class
        is right", with its probability as the forecast (Guo et al. 2017).
    sample_weight : None
        Must be None, because the metric is not an average over data points.

    Raises
    ------
    ValueError
        Bad input; with ``"top_label"`` also a case with two most probable classes.

    References
    ----------
    PWU paper, appendix G.1 and corollary G.2.

    Examples
    --------
    >>> round(expected_calibration_error([0, 1], [[0.5, 0.3, 0.2], [0.2, 0.7, 0.1]]), 6)
    0.266667
    """
    validation.no_weight(sample_weight, "the calibration error")
    y, f = check_multiclass(y_true, y_prob)
    if validation.one_of("definition", definition, "one_vs_rest", "top_label") == "one_vs_rest":
        return float(np.mean([calibration_error(y == j, f[:, j], n_bins) for j in range(f.shape[1])]))
    top = f.max(axis=1)
    tied = np.flatnonzero(_most_probable(f).sum(axis=1) > 1)
    if tied.size:
        raise ValueError(f"row {tied[0]} of y_prob has two most probable classes: it has no top label")
    return calibration_error(f.argmax(axis=1) == y, top, n_bins)


def _most_probable(f: np.ndarray) -> np.ndarray:
    """Classes within 1e-12 of the largest probability."""
    return f >= f.max(axis=1, keepdims=True) - TIE


def _read(y_true: Any, y_prob: Any, sample_weight: Any) -> tuple[Any, ...]:
    return read(check_multiclass, sample_weight, y_true=y_true, y_prob=y_prob)
