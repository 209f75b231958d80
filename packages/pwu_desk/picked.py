"""The top-k score of a tally: precision among the cases with the highest forecasts, from counts.

Implements section 3.2.2 of the PWU paper for any number of cases.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pwu_lite.families.ranked import mass_between
from pwu_lite.priors import Prior

__all__ = ["precision"]

ONE_BY_ONE = 1_000_000  # how many are picked, up to here; beyond, numbers so near are taken together:
STEP = 1e-5


def precision(prior: Prior, events: np.ndarray, others: np.ndarray, near: np.ndarray,
              tied: np.ndarray) -> tuple[float, float, float]:
    """Expected precision among the top k, and bounds, from cells by falling forecast.

    Parameters
    ----------
    prior : Prior
        On the share k/n.
    events, others : ndarray, shape (m,)
        Cases with and without an event in each cell.
    near : ndarray of bool, shape (m - 1,)
        Is the next cell the neighbour? Forecasts on the common edge may then be in either order.
    tied : ndarray of bool, shape (m,)
        Are all forecasts in the cell equal?

    Examples
    --------
    >>> from pwu_lite import Dirac
    >>> one = np.array([True, True])
    >>> precision(Dirac(0.5), np.array([1, 1]), np.array([0, 2]), ~one[:1], one)
    (0.6666666666666666, 0.6666666666666666, 0.6666666666666666)
    """
    n = int(events.sum() + others.sum())
    last = np.cumsum(events + others)
    first = last - events - others
    # An event comes at the latest after all other cases of its cell and of the one below, at the earliest before those
    # of its own and of the one above; of two events the order does not matter.
    late = np.minimum(first + others + np.append(others[1:] * near, 0), n - events)
    early = np.maximum(first - np.append(0, others[:-1] * near), 0)
    gain, slack = _gains(prior, n, np.concatenate([[0, n], first, last, late, late + events, early, early + events]))
    shared = events / np.maximum(events + others, 1) * (gain(last) - gain(first))
    least = np.where(tied, shared, gain(late + events) - gain(late))
    most = np.where(tied, shared, gain(early + events) - gain(early))
    return float(shared.sum()), float(least.sum() * (1 - slack)), float(most.sum() * (1 + slack))


def _gains(prior: Prior, n: int, needed: np.ndarray) -> tuple[Callable[[np.ndarray], np.ndarray], float]:
    """What hits at all of the first m places add to precision, as a function of m; and its relative error.

    A hit at place r, counted from 0, is worth the sum of P(k)/k over k > r. Summed over the first m places that is
    P(k <= m) + m times the sum of P(k)/k over k > m.
    """
    steps = max(int(np.log(n / ONE_BY_ONE) / STEP), 0) if n > ONE_BY_ONE else 0
    grid = np.unique(np.concatenate([needed, np.arange(min(n, ONE_BY_ONE) + 1), np.minimum(
        np.ceil(ONE_BY_ONE * np.exp(STEP * np.arange(steps + 1))), n).astype(np.int64)[:steps]]))
    mass = np.sum([weight * mass_between(part, grid / n) for weight, part in prior.parts], axis=0)
    low, high = grid[:-1], grid[1:]
    alone = high == low + 1
    with np.errstate(divide="ignore"):
        inverse = np.where(alone, 1 / high, np.log(high / low) / (high - low))  # the mean of 1/k over low < k <= high
    below = np.concatenate([[0.0], np.cumsum(mass)])
    beyond = np.concatenate([np.cumsum((mass * inverse)[::-1])[::-1], [0.0]])
    slack = 0.0 if alone.all() else float(np.max(((high - low) / low)[~alone]))

    def gain(places: np.ndarray) -> np.ndarray:
        at = np.searchsorted(grid, places)
        return below[at] + places * beyond[at]

    return gain, slack
