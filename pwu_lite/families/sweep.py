"""Expected utility of risk-averse selection over gamma: exact by crossings, or by quadrature.

Implements equation (4) of the PWU paper for the utility of section 3.3.2.
"""

from collections.abc import Callable

import numpy as np

from .._ranks import block_means, snap
from ..priors import Prior

__all__ = ["EXACT_UP_TO", "exact", "quadrature"]

EXACT_UP_TO = 5000
_NODES = 243  # a power of 3: the midpoints of a third as many cells are among them
_ROWS = 256  # rows of the pair matrix looked at together


def exact(prior: Prior, places: np.ndarray, gain: np.ndarray, charge: np.ndarray, mean: np.ndarray,
          std: np.ndarray) -> float:
    """Integral over gamma of ``sum_i places[rank_i(gamma)] (gain_i - gamma charge_i)``.

    Case i has the line ``mean_i - gamma std_i**2``; ranks change only where two lines
    cross. At a crossing each of the two moves by one place, so the integral is its value
    at the first order, plus one term for each move.

    Parameters
    ----------
    prior : Prior
        Continuous, on gamma > 0, with a finite mean.
    places : ndarray, shape (n,)
        What each place is worth, the first place first.
    gain, charge, mean, std : ndarray, shape (n,)

    Returns
    -------
    float

    Examples
    --------
    >>> from pwu_lite.priors import Uniform
    >>> one = np.ones(2)
    >>> exact(Uniform(0, 1), np.array([1.0, 0.0]), np.array([3.0, 5.0]), 0 * one, one, one)
    4.0
    """
    # Cases by falling mean are in their order at gamma = 0; equal lines never part, so they share their places.
    mean, variance = snap(mean), snap(std**2)
    order = np.lexsort((variance, -mean))
    mean, variance = mean[order], variance[order]
    same = (np.diff(mean) == 0) & (np.diff(variance) == 0)
    starts = np.concatenate([[0], np.flatnonzero(~same) + 1])
    gain, charge = block_means(gain[order], starts), block_means(charge[order], starts)
    at_start = float(np.dot(places, gain - prior.mean * charge))
    first, second, gamma = _crossings(mean, variance, prior.support[1])
    if gamma.size == 0:
        return at_start
    item, event, step = _moves(first, second, mean.size, places)
    above, mean_above = prior.tail("above", gamma), prior.tail("mean_above", gamma)
    return at_start + float(np.dot(step, gain[item] * above[event] - charge[item] * mean_above[event]))


def quadrature(prior: Prior, value: Callable[[float], tuple[float, float]]) -> tuple[float, float]:
    """Integral of ``A(gamma) - gamma B(gamma)``, and its error estimate.

    Gamma is cut into cells of equal mass; A and B are taken at each cell's median, the mass
    and the partial mean of the cell are exact. The error is the change from a third the cells.

    Parameters
    ----------
    prior : Prior
    value : callable
        ``value(gamma)`` returns ``(A, B)``.

    Examples
    --------
    >>> from pwu_lite.priors import Uniform
    >>> abs(round(quadrature(Uniform(0, 1), lambda gamma: (1.0, 2.0))[0], 12))
    0.0
    """
    levels = (np.arange(_NODES) + 0.5) / _NODES
    gain, charge = np.transpose([value(gamma) for gamma in np.asarray(prior.ppf(levels))])
    edges = np.asarray(prior.ppf(np.arange(_NODES + 1) / _NODES))
    means = np.asarray(prior.partial_mean(edges[:-1], edges[1:]))
    fine = gain.mean() - charge @ means
    coarse = gain[1::3].mean() - charge[1::3] @ means.reshape(-1, 3).sum(axis=1)
    return float(fine), float(abs(fine - coarse))


def _crossings(mean: np.ndarray, variance: np.ndarray, high: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of lines that cross below `high`, sorted by where; the first is above before."""
    # In rows of pairs, so that memory grows with n. `drop` is positive where the first line starts higher.
    crossings = []
    for start in range(0, mean.size, _ROWS):
        rows = slice(start, start + _ROWS)
        with np.errstate(divide="ignore", invalid="ignore"):
            drop = mean[rows, None] - mean[None, start:]
            where = drop / (variance[rows, None] - variance[None, start:])
        first, second = np.nonzero((drop > 0) & (where > 0) & (where < high))
        crossings.append((first + start, second + start, where[first, second]))
    first, second, gamma = (np.concatenate(column) for column in zip(*crossings, strict=True))
    order = np.argsort(gamma)
    return first[order], second[order], gamma[order]


def _moves(first: np.ndarray, second: np.ndarray, size: int,
           places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every move of a case by one place: the case, its crossing, the change of its place's worth."""
    # Entries 2 j and 2 j + 1 are the two cases of crossing j: the first moves down by a place, the second up.
    item = np.stack([first, second], axis=1).ravel().astype(np.int16)
    by_item = np.argsort(item, kind="stable")
    item = item[by_item].astype(np.intp)
    # Case by case, and in the order of the crossings within a case: a case's place is where it started, plus the
    # sum of its moves so far, which is the running sum of all less that at the case's first entry.
    down = np.where(by_item % 2 == 0, 1, -1)
    counts = np.bincount(item, minlength=size)
    total = np.cumsum(down)
    before_item = np.concatenate([[0], total])[np.concatenate([[0], np.cumsum(counts)[:-1]])]
    after = item + total - before_item[item]
    last = size - 1
    step = places[np.clip(after, 0, last)] - places[np.clip(after - down, 0, last)]
    return item, by_item // 2, step
