"""Sorting with ties: tied cases share their places evenly, never by row order.

May import numpy only.
Implements the expectation over random tie-breaking that PWU paper, footnote 8, leaves open.
"""

from __future__ import annotations

import numpy as np

__all__ = ["block_means", "midranks", "share_places", "sorted_blocks"]


def sorted_blocks(values: np.ndarray, tolerance: float | np.ndarray = 0.0):
    """Ascending order, and where each block of tied values starts.

    Parameters
    ----------
    values : ndarray, shape (n,)
        What to sort.
    tolerance : float or ndarray of shape (n,)
        Neighbours at most this far apart are tied.

    Returns
    -------
    order, starts : ndarray of int
        The sorting permutation, and the first position of each block.
    """
    order = np.argsort(values)
    gaps = np.diff(values[order])
    slack = tolerance if np.ndim(tolerance) == 0 else tolerance[order][1:]
    return order, np.concatenate([[0], np.flatnonzero(gaps > slack) + 1])


def block_means(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Each entry replaced by the mean of its block."""
    if starts.size == values.size:
        return values
    sizes = np.diff(np.append(starts, values.size))
    return np.repeat(np.add.reduceat(values, starts) / sizes, sizes)


def share_places(score: np.ndarray, places: np.ndarray, tolerance: float | np.ndarray = 0.0):
    """What each case gets when place r (from the highest score) is worth ``places[r]``.

    Examples
    --------
    >>> share_places(np.array([0.5, 0.9, 0.5]), np.array([1.0, 1.0, 0.0])).tolist()
    [0.5, 1.0, 0.5]
    """
    order, starts = sorted_blocks(-score, tolerance)
    shares = np.empty(score.shape)
    shares[order] = block_means(places, starts)
    return shares


def midranks(values: np.ndarray, tolerance: float = 0.0) -> np.ndarray:
    """Ranks from 1, tied values sharing the mean of their ranks."""
    return share_places(-values, np.arange(1.0, values.size + 1), tolerance)
