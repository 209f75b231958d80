"""Sorting with ties: tied cases share their places evenly, never by row order.

May import numpy only.
Implements the expectation over random tie-breaking that PWU paper, footnote 8, leaves open.
"""

from __future__ import annotations

import numpy as np

__all__ = ["block_means", "midranks", "share_places", "snap", "sorted_blocks"]


def sorted_blocks(values: np.ndarray, tolerance: float = 0.0):
    """Ascending order, and where each block of tied values starts.

    Parameters
    ----------
    values : ndarray, shape (n,)
        What to sort.
    tolerance : float
        Neighbours at most this far apart are tied.

    Returns
    -------
    order, starts : ndarray of int
        The sorting permutation, and the first position of each block.

    Examples
    --------
    >>> order, starts = sorted_blocks(np.array([3.0, 1.0, 1.0]))
    >>> starts.tolist()
    [0, 2]
    """
    order = np.argsort(values)
    return order, np.concatenate([[0], np.flatnonzero(np.diff(values[order]) > tolerance) + 1])


def snap(values: np.ndarray, relative: float = 1e-13) -> np.ndarray:
    """Values that differ by rounding alone become equal.

    Neighbours closer than `relative` times the largest magnitude take the smallest value
    of their block, whatever the order of the rows.

    Examples
    --------
    >>> len(set(snap(np.array([0.3, 0.1 + 0.2, 1.0])).tolist()))
    2
    """
    order, starts = sorted_blocks(values, relative * np.max(np.abs(values)))
    snapped = np.empty_like(values)
    sizes = np.diff(np.append(starts, values.size))
    snapped[order] = np.repeat(values[order][starts], sizes)
    return snapped


def block_means(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Each entry replaced by the mean of its block.

    Examples
    --------
    >>> block_means(np.array([1.0, 2.0, 4.0]), np.array([0, 1])).tolist()
    [1.0, 3.0, 3.0]
    """
    if starts.size == values.size:
        return values
    sizes = np.diff(np.append(starts, values.size))
    return np.repeat(np.add.reduceat(values, starts) / sizes, sizes)


def share_places(score: np.ndarray, places: np.ndarray, tolerance: float = 0.0):
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
    """Ranks from 1, tied values sharing the mean of their ranks.

    Examples
    --------
    >>> midranks(np.array([5.0, 5.0, 1.0])).tolist()
    [2.5, 2.5, 1.0]
    """
    return share_places(-values, np.arange(1.0, values.size + 1), tolerance)
