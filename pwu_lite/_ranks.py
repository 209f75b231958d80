"""Sorting with ties: tied cases share their places evenly, never by row order.

Implements the expectation over random tie-breaking that PWU paper, footnote 8, leaves open.
"""

import numpy as np

__all__ = ["ROUNDING", "TIE", "block_means", "midranks", "share_places", "snap", "sorted_blocks"]

ROUNDING = 1e-13  # numbers closer than this times their own size differ by rounding alone: they are tied
TIE = 1e-12  # uncertainties this close are tied: p and 1 - p have the same entropy


def sorted_blocks(values: np.ndarray, tolerance: np.ndarray | float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Ascending order, and where each block of tied values starts.

    Two neighbours are tied if they are at most `tolerance` apart (the smaller of theirs, where
    each value has its own). No block is wider than the tolerance of its smallest value: many
    small steps do not add up to a tie.

    Parameters
    ----------
    values : ndarray, shape (n,)
        What to sort.
    tolerance : float or ndarray of shape (n,)
        In the unit of the values.

    Returns
    -------
    order, starts : ndarray of int
        The sorting permutation, and the first position of each block.

    Examples
    --------
    >>> order, starts = sorted_blocks(np.array([3.0, 1.0, 1.0]))
    >>> starts.tolist()
    [0, 2]
    >>> sorted_blocks(np.array([0.0, 0.6, 1.2]), 1.0)[1].tolist()
    [0, 2]
    """
    order = np.argsort(values)
    ranked = values[order]
    reach = np.broadcast_to(tolerance, ranked.shape)[order]
    with np.errstate(invalid="ignore"):  # infinite values of one sign are tied
        apart = np.diff(ranked) > np.minimum(reach[1:], reach[:-1])
        apart |= (ranked[:-1] == -np.inf) & (ranked[1:] == np.inf)
        starts = np.concatenate([[0], np.flatnonzero(apart) + 1])
        ends = np.append(starts[1:], ranked.size)
        wide = np.flatnonzero(ranked[ends - 1] - ranked[starts] > reach[starts])
    if wide.size:
        inner = [_narrow(ranked, reach, starts[block], ends[block]) for block in wide]
        starts = np.unique(np.concatenate([starts, *inner]))
    return order, starts


def _narrow(ranked: np.ndarray, reach: np.ndarray, start: int, end: int) -> np.ndarray:
    """Further starts in a block that is wider than the tolerance of its smallest value."""
    starts: list[int] = []
    while True:
        start += int(np.searchsorted(ranked[start:end], ranked[start] + reach[start], side="right"))
        if start >= end:
            return np.array(starts, dtype=int)
        starts.append(start)


def snap(values: np.ndarray, relative: float = ROUNDING) -> np.ndarray:
    """Values that differ by rounding alone become equal.

    Values closer than `relative` times their own magnitude take the smallest value of their
    block, whatever the order of the rows and whatever other values there are.

    Examples
    --------
    >>> len(set(snap(np.array([0.3, 0.1 + 0.2, 1.0])).tolist()))
    2
    >>> snap(np.array([1.0, 2.0, 1e300])).tolist()
    [1.0, 2.0, 1e+300]
    """
    order, starts = sorted_blocks(values, relative * np.abs(values))
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


def share_places(score: np.ndarray, places: np.ndarray, tolerance: np.ndarray | float = 0.0) -> np.ndarray:
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


def midranks(values: np.ndarray, tolerance: np.ndarray | float = 0.0) -> np.ndarray:
    """Ranks from 1, tied values sharing the mean of their ranks.

    Examples
    --------
    >>> midranks(np.array([5.0, 5.0, 1.0])).tolist()
    [2.5, 2.5, 1.0]
    """
    return share_places(-values, np.arange(1.0, values.size + 1), tolerance)
