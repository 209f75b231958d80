"""Resamples of the cases, or of groups of cases, the same ones for every model.

Implements the paired intervals behind every comparison of models on data.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy.special import ndtr, stdtrit

from . import validation

__all__ = ["bands", "block_length", "canonical_order", "effective_number", "group_numbers", "paired_bootstrap",
           "percentiles", "resampled_curves", "resampled_weights", "sample_places", "tail_of", "unit_sizes",
           "weighted_means"]

_BLOCK = 4_000_000  # counts kept in memory at a time
_TABLE = 20_000_000  # costs kept in memory at a time


def paired_bootstrap(statistic: Callable[[np.ndarray], Any], n: int, *, repeats: int = 1000, seed: int = 0,
                     groups: Any = None, blocks: int | None = None) -> np.ndarray:
    """A statistic on resamples of the cases.

    Parameters
    ----------
    statistic : callable
        Takes the indices of the drawn cases and returns a number or an array. Compute all models
        inside it: then they are compared on the same cases.
    n : int
        Number of cases.
    repeats, seed : int
    groups : array_like, shape (n,), optional
        Patients, sites or days: whole groups are drawn, with all of their cases.
    blocks : int, optional
        For cases in time order: so many consecutive cases are drawn together, the first following the last.

    Returns
    -------
    ndarray, shape (repeats, ...)

    Raises
    ------
    ValueError
        No function, no cases, fewer than two repeats, or groups of another length or of one kind only.

    Examples
    --------
    >>> y = np.arange(10.0)
    >>> draws = paired_bootstrap(lambda i: y[i].mean(), 10, repeats=500)
    >>> bool(abs(draws.mean() - 4.5) < 0.1)
    True
    """
    n, repeats = validation.whole("n", n, most=2**62), validation.whole("repeats", repeats, 2)
    if not callable(statistic):
        raise ValueError(f"statistic must be a function of the drawn indices, got {statistic!r:.60}")
    rng = np.random.default_rng(validation.seed(seed))
    if groups is None:
        length = None if blocks is None else block_length(blocks, n)
        return np.array([statistic(_sample(rng, n, length)) for _ in range(repeats)])
    if blocks is not None:
        raise ValueError("give groups or blocks, not both")
    number = group_numbers(groups, n)
    members = np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])
    return np.array([statistic(np.concatenate([members[g] for g in _sample(rng, len(members), None)]))
                     for _ in range(repeats)])


def sample_places(rng: np.random.Generator, n: int, size: int) -> np.ndarray:
    """Places below n, with replacement, as the platform counts them: the same draws where a place has 32 bits.

    Examples
    --------
    >>> sample_places(np.random.default_rng(0), 10, 3).tolist()
    [8, 6, 5]
    """
    return rng.integers(0, n, size).astype(np.intp, copy=False)


def group_numbers(groups: Any, n: int) -> np.ndarray:
    """Number of each case's group, from 0; groups may be any labels.

    Raises
    ------
    ValueError
        Not one label per case, a missing label, or fewer than two groups.

    Examples
    --------
    >>> group_numbers(["b", "a", "b"], 3).tolist()
    [1, 0, 1]
    """
    names, number = np.unique(validation.group_labels(groups, n), return_inverse=True)
    if names.size < 2:
        raise ValueError("there must be at least two groups: a single group cannot be resampled")
    return number


def canonical_order(y: np.ndarray, forecasts: Mapping[str, tuple[np.ndarray, ...]], weight: np.ndarray | None = None,
                    losses: Iterable[np.ndarray] = ()) -> np.ndarray:
    """An order of the cases that depends neither on the order in which they came nor on rounding in their losses.

    Sorted by outcome, then by the forecasts from the last to the first, by weight, and by losses. Where all else is
    equal, losses differ only under a prior for each case.

    Examples
    --------
    >>> canonical_order(np.array([1, 0, 0]), {"a": (np.array([0.5, 0.7, 0.2]),)}).tolist()
    [2, 1, 0]
    """
    columns = [np.reshape(part, (len(y), -1)).T for parts in forecasts.values() for part in parts]
    ties = [*losses, *([] if weight is None else [weight])]
    return np.lexsort(np.vstack([*ties, *columns, np.reshape(y, (len(y), -1)).T]))


def block_length(blocks: Any, n: int) -> int:
    """Check how many consecutive cases are drawn together.

    Examples
    --------
    >>> block_length(24, 1000)
    24
    """
    length = validation.whole("blocks", blocks)
    if not 1 <= length <= n // 2:
        raise ValueError(f"blocks must be a number of consecutive cases from 1 to half of all, {n // 2}; got "
                         f"{blocks!r}")
    return length


def _sample(rng: np.random.Generator, n: int, length: int | None) -> np.ndarray:
    """n of n units, drawn alone or in blocks of consecutive ones, of which the last may be cut short."""
    if length is None:
        return sample_places(rng, n, n)
    starts = sample_places(rng, n, -(-n // length))
    return (starts[:, None] + np.arange(length)).ravel()[:n] % n


def resampled_weights(n: int, *, repeats: int = 1000, seed: int = 0, blocks: int | None = None) -> Iterator[np.ndarray]:
    """How often each of n units is drawn, in arrays of shape (some of the repeats, n).

    Units are drawn alone, or so many consecutive ones together as `blocks` says.

    Examples
    --------
    >>> blocks = list(resampled_weights(5, repeats=3))
    >>> [block.sum(axis=1).tolist() for block in blocks]
    [[5.0, 5.0, 5.0]]
    """
    rng, repeats = np.random.default_rng(validation.seed(seed)), validation.whole("repeats", repeats, 2)
    size = max(1, _BLOCK // n)
    for start in range(0, repeats, size):
        yield np.array([np.bincount(_sample(rng, n, blocks), minlength=n)
                        for _ in range(min(size, repeats - start))], dtype=float)


def weighted_means(values: np.ndarray, *, weight: np.ndarray | None = None, groups: np.ndarray | None = None,
                   repeats: int = 1000, seed: int = 0) -> np.ndarray:
    """Means of the rows of `values` on resamples of the cases, or of whole groups.

    Parameters
    ----------
    values : ndarray, shape (m, n)
        One row per quantity, one column per case.
    weight : ndarray, shape (n,), optional
    groups : ndarray of int, shape (n,), optional
        As `group_numbers` gives them.

    Returns
    -------
    ndarray, shape (repeats, m)

    Examples
    --------
    >>> draws = weighted_means(np.array([[0.0, 1.0, 2.0]]), repeats=400)
    >>> draws.shape, bool(abs(draws.mean() - 1) < 0.1)
    ((400, 1), True)
    """
    weight = np.ones(values.shape[1]) if weight is None else weight
    sums = np.vstack([values * weight, weight])
    if groups is not None:
        sums = np.array([np.bincount(groups, row) for row in sums])
    totals = np.concatenate([block @ sums.T for block in
                             resampled_weights(sums.shape[1], repeats=repeats, seed=seed)])
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample without any weight is undefined
        return totals[:, :-1] / totals[:, -1:]


def resampled_curves(family: Any, thetas: np.ndarray, read: list[Any], *, groups: np.ndarray | None = None,
                     weight: np.ndarray | None = None, repeats: int = 500, seed: int = 0) -> np.ndarray:
    """Each model's cost at each decision parameter, on resamples of the cases that all models share.

    Parameters
    ----------
    family : Family
    thetas : ndarray, shape (m,)
    read : list of tuples
        Each model's data, as the family reads them.
    groups : ndarray of int, shape (n,), optional
        As `group_numbers` gives them; each group is resampled whole.
    weight : ndarray, shape (n,), optional
        For separable families.

    Returns
    -------
    ndarray, shape (repeats, models, m)

    Examples
    --------
    >>> from pwu_lite import BinaryDecision
    >>> family = BinaryDecision()
    >>> resampled_curves(family, np.array([0.2, 0.5]), [family.read([1, 0], [0.6, 0.3])], repeats=10).shape
    (10, 1, 2)
    """
    n, step = len(read[0][0]), max(1, _TABLE // len(read[0][0]))
    if not family.separable:
        def costs(sample: np.ndarray) -> list[np.ndarray]:
            return [-family.utilities(family.read_theta(thetas, n), tuple(part[sample] for part in data), None)
                    for data in read]

        return paired_bootstrap(costs, n, repeats=repeats, seed=seed, groups=groups)
    curves = [np.concatenate([weighted_means(np.array([family.cost(theta, *data) for theta in thetas[at:at + step]]),
                                             weight=weight, groups=groups, repeats=repeats, seed=seed)
                              for at in range(0, thetas.size, step)], axis=1) for data in read]
    return np.stack(curves, axis=1)


def bands(family: Any, thetas: Any, y_true: Any, reports: Any, reference: int, *, groups: Any = None,
          sample_weight: Any = None, repeats: int = 500, seed: int = 0, coverage: float = 0.95) -> list[Any]:
    """For each model the percentile interval of its cost minus the reference's at each parameter, or None for itself.

    The same resamples for all models, whatever the order of the cases; parameters as for `resampled_curves`.

    Returns
    -------
    list of ndarray of shape (2, m), or None

    Examples
    --------
    >>> from pwu_lite import BinaryDecision
    >>> y, f, g = [1, 0] * 10, [0.7, 0.2] * 10, [0.3, 0.1] * 10
    >>> first, second = bands(BinaryDecision(), [0.4, 0.5], y, [(f,), (g,)], 0, repeats=50)
    >>> first is None, second.shape
    (True, (2, 2))
    """
    read = [family.read(y_true, *report) for report in reports]
    n = len(read[0][0])
    weight = None if sample_weight is None else family.weight(sample_weight, read[0])
    order = canonical_order(read[0][0], {str(k): data[1:] for k, data in enumerate(read)}, weight)
    number = None if groups is None else group_numbers(groups, n)
    tail = tail_of(validation.inside("coverage", coverage, 0, 1), effective_number(unit_sizes(n, number, weight)))
    draws = resampled_curves(family, np.atleast_1d(thetas), [tuple(part[order] for part in data) for data in read],
                             groups=None if number is None else number[order],
                             weight=None if weight is None else weight[order], repeats=repeats, seed=seed)
    return [None if index == reference else percentiles(draws[:, index] - draws[:, reference], tail)
            for index in range(len(reports))]


def effective_number(size: np.ndarray) -> float:
    """How many units of equal weight tell as much as these (Kish's effective sample size).

    Examples
    --------
    >>> effective_number(np.array([2.0, 2.0])), effective_number(np.array([1.0, 0.0]))
    (2.0, 1.0)
    """
    size = size / size.max()
    return float(size.sum() ** 2 / (size @ size))


def unit_sizes(n: int, groups: np.ndarray | None, weight: np.ndarray | None) -> np.ndarray:
    """Weight of each unit that is drawn: of the cases, or of the groups by their numbers.

    Examples
    --------
    >>> unit_sizes(3, np.array([0, 1, 1]), None).tolist()
    [1.0, 2.0]
    """
    size = np.ones(n) if weight is None else weight
    return size if groups is None else np.bincount(groups, size)


def tail_of(coverage: float, number: float) -> float:
    """Share of the resamples to leave out at each end of an interval.

    Resamples of n units vary less than samples do, by the factor (n - 1)/n in the variance, and their percentiles
    know nothing of the error in the spread. The share is smaller than ``(1 - coverage)/2`` such that, for normal data,
    the interval is Student's (Hesterberg, "What teachers should know about the bootstrap", 2015).

    Parameters
    ----------
    coverage : float
    number : float
        Of independent units: cases, groups, or blocks, see `effective_number`.

    Examples
    --------
    >>> [round(tail_of(0.95, number), 4) for number in (5, 10, 30, 1e6)]
    [0.001, 0.0086, 0.0188, 0.025]
    """
    if number <= 1:
        return 0.0
    return float(ndtr(-np.sqrt(number / (number - 1)) * stdtrit(number - 1, (1 + coverage) / 2)))


def percentiles(values: np.ndarray, tail: float) -> np.ndarray:
    """The `tail` and ``1 - tail`` percentiles of each column, NaN left out; NaN for a column without a number.

    Examples
    --------
    >>> percentiles(np.array([[1.0, np.nan], [2.0, np.nan], [3.0, np.nan]]), 0.1).tolist()
    [[1.0, nan], [3.0, nan]]
    """
    ends = np.full((2, values.shape[1]), np.nan)
    for column, values_of_one in enumerate(values.T):
        if not np.isnan(values_of_one).all():
            ends[:, column] = np.nanquantile(values_of_one, [tail, 1 - tail], method="inverted_cdf")  # no inf - inf
    return ends
