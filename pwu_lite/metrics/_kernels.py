"""Computations that metrics, families and figures share: averages, curves of the kept cases, bins, an AUROC.

Implements pieces of appendix F of the PWU paper, on arrays that are checked already.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from .. import validation
from .._ranks import TIE, block_means, midranks, sorted_blocks

_cases: ContextVar[list[np.ndarray] | None] = ContextVar("_cases", default=None)


def of_each_case(metric: Callable[..., float], *data: Any, **options: Any) -> np.ndarray | None:
    """What a metric that is an average averages, shape (n,); None where it is not just one average of this module."""
    seen: list[np.ndarray] = []
    token = _cases.set(seen)
    try:
        value = metric(*data, **options)
    finally:
        _cases.reset(token)
    if len(seen) != 1 or not np.isclose(value, np.mean(seen[0]), rtol=1e-12, atol=0):
        return None
    return np.asarray(seen[0], dtype=float)


def read(check: Callable[..., Any], sample_weight: Any, **given: Any) -> tuple[Any, ...]:
    """Checked data of a metric, and the weights of its average."""
    validation.same_order(**given, sample_weight=sample_weight)
    data = check(*given.values())
    return *data, validation.relative_weight(sample_weight, len(data[0]))


def average(values: np.ndarray, weight: np.ndarray | None) -> float:
    """Mean of `values`, or their weighted mean."""
    seen = _cases.get()
    if seen is not None:
        seen.append(values)
    if weight is None:
        return float(np.mean(values))
    return float(np.dot(values, weight) / weight.sum())


def average_with_infinity(loss: np.ndarray, weight: np.ndarray | None) -> float:
    """Average in which a zero weight silences an infinite loss."""
    if weight is None:
        return average(loss, None)
    return average(np.where(weight > 0, loss, 0.0), weight)


def error_of_kept(error: np.ndarray, uncertainty: np.ndarray, tolerance: float = TIE) -> np.ndarray:
    """Total error of the 1, 2, ..., n least uncertain cases; tied ones share their places."""
    order, starts = sorted_blocks(uncertainty, tolerance)
    return np.cumsum(block_means(error[order], starts))


def retention_area(error: np.ndarray, uncertainty: np.ndarray, definition: str) -> float:
    """Area under the curve of mean error kept, dropping the most uncertain first."""
    validation.one_of("definition", definition, "retained", "oracle")
    kept = error_of_kept(error, uncertainty)
    sizes = np.arange(1, error.size + 1) if definition == "retained" else error.size
    return float(np.mean(kept / sizes))


def detection_auroc(wrong: np.ndarray, uncertainty: np.ndarray) -> float:
    """Probability that a wrong case is more uncertain than a right one, ties one half."""
    bad = int(wrong.sum())
    good = wrong.size - bad
    if bad == 0 or good == 0:
        return float("nan")
    ranks = midranks(uncertainty, TIE)
    return float((ranks[wrong].sum() - bad * (bad + 1) / 2) / (bad * good))


def bin_of(f: np.ndarray, n_bins: int) -> np.ndarray:
    """Number of the bin (l, u] of each probability, 0 in the first; edges j/n_bins."""
    bins = validation.whole("n_bins", n_bins, most=1_000_000)
    return np.searchsorted(np.arange(1, bins) / bins, f, side="left")


def bin_gaps(y: np.ndarray, f: np.ndarray, n_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Sum of ``y - f`` and number of cases in each bin."""
    where = bin_of(f, n_bins)
    return np.bincount(where, y - f), np.bincount(where)


def calibration_error(y: np.ndarray, f: np.ndarray, n_bins: int) -> float:
    """Expected calibration error of checked labels and probabilities."""
    gaps, sizes = bin_gaps(y, f, n_bins)
    return float(np.abs(gaps).sum() / sizes.sum())


def to_sum_one(weight: np.ndarray | None, n: int) -> np.ndarray:
    """Weights that sum to 1, equal ones for None."""
    return np.full(n, 1 / n) if weight is None else weight / weight.sum()


def weight_above(values: np.ndarray, weight: np.ndarray, thresholds: np.ndarray, *, equal: bool = False) -> np.ndarray:
    """Total weight of the values above each threshold; with `equal`, at or above it."""
    order = np.argsort(values)
    total = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])
    return total[np.searchsorted(values[order], thresholds, side="left" if equal else "right")]


def weight_up_to(values: np.ndarray, weight: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Total weight of the values that are at most each threshold."""
    order = np.argsort(values)
    total = np.concatenate([[0.0], np.cumsum(weight[order])])
    return total[np.searchsorted(values[order], thresholds, side="right")]


def isotonic(y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The forecast after isotonic regression of the labels on it; tied forecasts stay tied."""
    from scipy.optimize import isotonic_regression

    values, index = np.unique(f, return_inverse=True)
    total = np.bincount(index, weight)
    ones = np.bincount(index, weight * y)
    known = total > 0  # cases of weight zero take what is fitted around them
    fitted = isotonic_regression(ones[known] / total[known], weights=total[known]).x
    return np.interp(values, values[known], np.clip(fitted, 0.0, 1.0))[index]
