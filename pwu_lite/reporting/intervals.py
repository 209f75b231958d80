"""How far a comparison may be off: intervals of costs and of their differences, from resamples or a normal law.

Implements appendix L of the PWU paper, for cases in time, too (Newey and West, Diebold and Mariano).
"""

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from .._resampling import (
    canonical_order,
    effective_number,
    paired_bootstrap,
    percentiles,
    resampled_weights,
    tail_of,
    unit_sizes,
)
from ._together import Together, all_together
from .rules import RULES, say

__all__ = ["METHODS", "Cases", "Intervals", "Method", "Options", "from_losses", "from_scores", "method_of"]

MANY_UNITS = 20_000  # cases or groups from which on a normal interval is taken
MOST_SKEW = 0.05  # skewness of a mean up to which it is: each tail then misses by less than half a point
DRAWS = 10_000


class Options(NamedTuple):
    """How intervals are computed.

    Attributes
    ----------
    coverage : float
    repeats, seed : int
        Of the resamples.
    blocks : int or None
        Consecutive cases that are drawn together; with "hac" one more than the reach of their dependence.
    interval : str, Method or None
        A method, or its name in `METHODS`. None: resamples, and a normal law for many cases.
    named : bool
        Was the model that the others are compared with named beforehand?
    pairs : int
        How many pairs of a table are compared, each on cases of its own.
    margin : Margin or None
        By how much the model that was named may be exceeded.
    """

    coverage: float
    repeats: int
    seed: int
    blocks: int | None = None
    interval: Any = None
    named: bool = False
    pairs: int = 1
    margin: Any = None


class Cases(NamedTuple):
    """What a method is given of m models.

    Attributes
    ----------
    y : ndarray, shape (n,)
    forecasts : mapping of name to forecast
    best : int
        The model that the others are compared with.
    losses : ndarray, shape (m, n)
    groups, weight : ndarray of shape (n,), or None
    units : ndarray, shape (m, k)
        Weighted losses of the units: cases, or sums over groups.
    size : ndarray, shape (k,)
        Weights of the units.
    """

    y: np.ndarray
    forecasts: Mapping[str, tuple[np.ndarray, ...]]
    best: int
    losses: np.ndarray
    groups: np.ndarray | None
    weight: np.ndarray | None
    units: np.ndarray
    size: np.ndarray

    @property
    def unit(self) -> str:
        """What a unit is called."""
        return "cases" if self.groups is None else "groups"


class Intervals(NamedTuple):
    """Of each model: ends of cost, difference from the best, and saving, each of shape (2, m); and what goes with them.

    Attributes
    ----------
    cost, difference, saving : ndarray, shape (2, m)
    spread : ndarray, shape (m,)
        Standard deviation of the difference.
    share_best, undefined : ndarray, shape (m,)
        How often each model is cheapest, and how often its difference is undefined.
    together : Together
        What holds for all models at once.
    method : Method
    reach : int
        Steps in time over which "hac" counts dependence.
    skew : float
        The largest skewness of a mean difference.
    narrow : tuple of str
        Why the intervals hold the true difference less often than they say, in sentences.
    """

    cost: np.ndarray
    difference: np.ndarray
    saving: np.ndarray
    spread: np.ndarray
    share_best: np.ndarray
    undefined: np.ndarray
    together: Together
    method: "Method"
    reach: int = 0
    skew: float = 0.0
    narrow: tuple[str, ...] = ()

    def times(self, unit: float) -> "Intervals":
        """Those of losses that are so many times as large.

        Parameters
        ----------
        unit : float
        """
        return self._replace(cost=unit * self.cost, difference=unit * self.difference, spread=unit * self.spread)


class Method:
    """A way to compute intervals; one object for each stands in `METHODS`, by its name.

    `pwu_lite.compare` takes the name, or an object of one's own: `compute` is all that it needs.
    """

    name = ""

    def refuse(self, groups: np.ndarray | None, blocks: int | None, weight: np.ndarray | None) -> None:
        """Raise ValueError where the method does not suit such cases."""
        if groups is not None and blocks is not None:
            raise ValueError("blocks are for cases in time order: leave out the groups")

    def words(self, intervals: Intervals, units: str, options: Options) -> str:
        """How they were computed, after "Intervals: 95%, "; `units` says of how many cases or groups."""
        return f"by the method {self.name!r}, from {units}"

    def compute(self, cases: Cases, options: Options) -> Intervals:
        """The intervals, for a score that is an average over cases."""
        raise NotImplementedError(f"{type(self).__name__} has no method compute(cases, options)")


class Resampled(Method):
    """Percentiles of resamples; for cases in time order, of resamples of blocks."""

    name = "bootstrap"

    def words(self, intervals: Intervals, units: str, options: Options) -> str:
        blocks = ("" if options.blocks is None else f", in blocks of {options.blocks} consecutive ones")
        same = "the same ones for all models" if options.blocks is None else "the same for all models"
        return f"from {options.repeats} resamples of {units}{blocks}, {same}"

    def compute(self, cases: Cases, options: Options) -> Intervals:
        own, gaps = _own(cases.units, cases.size, cases.best)
        intervals = _ends(options, cases.size, cases.units.sum(axis=1) / cases.size.sum(), own if options.blocks is None
                      else None, cases.best, *_resampled_losses(cases, options))
        intervals = intervals._replace(skew=_skewness((own, gaps)))
        intervals = _with_warnings(intervals, cases, options, options.blocks is not None)
        return intervals._replace(narrow=(*_few_resamples(options), *intervals.narrow))


class Normal(Method):
    """The joint normal law of the means."""

    name = "normal"

    def refuse(self, groups: np.ndarray | None, blocks: int | None, weight: np.ndarray | None) -> None:
        super().refuse(groups, blocks, weight)
        if blocks is not None:
            raise ValueError("interval='normal' assumes independent cases: with blocks use 'bootstrap' or 'hac'")

    def words(self, intervals: Intervals, units: str, options: Options) -> str:
        return f"normal, from the spread over {units}"

    def compute(self, cases: Cases, options: Options) -> Intervals:
        _check_two(self, cases)
        return _with_warnings(normal(cases.units, cases.size, cases.best, options)[0], cases, options, False)


class Serial(Method):
    """The same with a variance that counts dependence in time."""

    name = "hac"

    def refuse(self, groups: np.ndarray | None, blocks: int | None, weight: np.ndarray | None) -> None:
        if groups is not None:
            raise ValueError("blocks and interval='hac' are for cases in time order: leave out the groups")

    def words(self, intervals: Intervals, units: str, options: Options) -> str:
        return f"from a variance that counts dependence over {intervals.reach} steps in time, of {units}"

    def compute(self, cases: Cases, options: Options) -> Intervals:
        _check_two(self, cases)
        reach = _reach(_own(cases.units, cases.size, cases.best)[1], options.blocks)
        intervals, _ = normal(cases.units, cases.size, cases.best, options, reach)
        return _with_warnings(intervals._replace(method=self), cases, options, True)


class ByNumber(Resampled):
    """The default: resamples, and a normal law for many cases whose differences are not too skewed."""

    name = ""

    def compute(self, cases: Cases, options: Options) -> Intervals:
        if cases.size.size >= MANY_UNITS and options.blocks is None:
            intervals, skew = normal(cases.units, cases.size, cases.best, options)
            if skew <= MOST_SKEW:
                return _with_warnings(intervals, cases, options, False)
        return super().compute(cases, options)


RESAMPLED, NORMAL = Resampled(), Normal()
METHODS: dict[str, Method] = {method.name: method for method in (RESAMPLED, NORMAL, Serial())}


def method_of(interval: Any) -> Method:
    """The method of this name, the object itself, or the default for None.

    Raises
    ------
    ValueError
        There is no method of this name.

    Examples
    --------
    >>> method_of("hac").name, method_of(METHODS["normal"]).name
    ('hac', 'normal')
    """
    if interval is None:
        return ByNumber()
    if isinstance(interval, Method):
        return interval
    if not isinstance(interval, str) or interval not in METHODS:
        raise ValueError(f"interval must be one of {', '.join(METHODS)}, got {interval!r}")
    return METHODS[interval]


def from_losses(y: np.ndarray, forecasts: Mapping[str, tuple[np.ndarray, ...]], best: int, losses: np.ndarray,
                groups: np.ndarray | None, weight: np.ndarray | None, options: Options) -> Intervals:
    """Intervals for a score that is an average over cases.

    Parameters
    ----------
    y, forecasts, best, losses, groups, weight
        As in `Cases`.
    options : Options

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> losses = rng.random((2, 30_000))
    >>> found = from_losses(np.zeros(30_000), {}, 0, losses, None, None, Options(0.95, 100, 0))
    >>> found.method.name, bool(found.difference[0, 1] < losses[1].mean() - losses[0].mean() < found.difference[1, 1])
    ('normal', True)
    """
    units, size = losses if weight is None else losses * weight, unit_sizes(len(y), groups, weight)
    if groups is not None:  # summed from small to large: the order of the rows leaves no trace
        units = np.array([np.bincount(groups[order], row[order]) for row in units
                          for order in [np.lexsort((row, groups))]])
    unit, method = unit_of(units), method_of(options.interval)
    carries = size > 0  # of weight zero a unit is none; in time it keeps its place
    if not carries.all() and options.blocks is None and not isinstance(method, Serial):
        units, size = units[:, carries], size[carries]
        if groups is None:  # then a unit is a case
            y, losses, weight = y[carries], losses[:, carries], None if weight is None else weight[carries]
            forecasts = {name: tuple(part[carries] for part in parts) for name, parts in forecasts.items()}
    return method.compute(Cases(y, forecasts, best, losses / unit, groups, weight, units / unit, size),
                          options).times(unit)


def unit_of(losses: np.ndarray) -> float:
    """A power of two near the largest loss, where squares of losses would leave the range of floats; else one.

    Parameters
    ----------
    losses : ndarray

    Examples
    --------
    >>> unit_of(np.array([0.2, 3.0])), unit_of(np.array([0.0, 1e-150])) < 1e-149
    (1.0, True)
    """
    largest = float(np.abs(losses).max())
    inside = largest == 0 or not np.isfinite(largest) or 1e-75 < largest < 1e75
    return 1.0 if inside else float(2.0 ** np.floor(np.log2(largest)))


def _check_two(method: Normal | Serial, cases: Cases) -> None:
    if cases.size.size < 2:
        raise ValueError(f"interval={method.name!r} needs at least two cases, got {cases.size.size}")


def _with_warnings(intervals: Intervals, cases: Cases, options: Options, in_time: bool) -> Intervals:
    """The intervals, with sentences on why they may be too narrow."""
    units, size, best = cases.units, cases.size, cases.best
    _, gaps = _own(units, size, best)
    lean = 0.0 if cases.groups is None else lean_of(gaps, size)
    far, short = _missed(_dependence(gaps) if in_time else [], intervals.spread)
    narrow = why_narrow(intervals.skew, size, cases.unit, options, far, short, lean)
    return intervals._replace(narrow=(*narrow, *_still(units, size, best, gaps, cases.unit)))


def from_scores(score: Callable[..., float], y: np.ndarray, forecasts: Mapping[str, tuple[np.ndarray, ...]], best: int,
                groups: np.ndarray | None, weight: np.ndarray | None, options: Options) -> Intervals:
    """Intervals for a score of all cases together, computed anew on each resample.

    Parameters
    ----------
    score : callable
        ``score(y, *forecast)``.
    y, forecasts, best, groups, weight, options
        As in `from_losses`.
    """
    method = method_of(options.interval)
    if not isinstance(method, Resampled):
        raise ValueError(f"interval={method.name!r} is for scores that are averages over cases with finite losses; "
                         f"this one is computed from all cases together, or a loss is infinite: use resamples "
                         f"(blocks=... for cases in time)")
    size = unit_sizes(len(y), groups, weight)
    weighted = {} if weight is None else {"sample_weight": weight}
    whole = np.array([float(named(name, score, y, *parts, **weighted)) for name, parts in forecasts.items()])
    costs, gaps, together = _resampled_scores(score, y, forecasts, best, groups, weight, options)
    own = (gaps if gaps.shape[1] > 1 else costs).T
    noise = np.sqrt(6 / options.repeats)  # the standard error of a skewness that is taken from resamples
    skew = max(_skew(row[np.isfinite(row)]) * np.sqrt(np.isfinite(row).sum()) for row in own) - noise
    return _ends(options, size, whole, None, best, costs, gaps, together)._replace(
        skew=skew, narrow=(*_few_resamples(options),
                           *why_narrow(skew, size, "cases" if groups is None else "groups", options)))


def _few_resamples(options: Options) -> tuple[str, ...]:
    """A sentence, where not even one resample lies beyond each end: such an interval covers less than it says."""
    needed = int(np.ceil(round(2 / (1 - options.coverage), 6)))
    if options.repeats >= needed:
        return ()
    return (say("few_resamples", repeats=options.repeats, needed=needed, coverage=f"{100 * options.coverage:.10g}"),)


def why_narrow(skew: float, size: np.ndarray, unit: str, options: Options, steps: float | None = None,
               short: bool = False, lean: float = 0.0) -> tuple[str, ...]:
    """Sentences on why intervals hold the true difference less often than they say; none where they do.

    The limits are where the coverage that the book measures falls below 93% of 95% (page *Notes on intervals*).

    Parameters
    ----------
    skew : float
        Of the mean difference.
    size : ndarray, shape (n,)
        Weights of the units.
    unit : {"cases", "groups", "blocks"}
    options : Options
    steps : float, optional
        Over how many cases their dependence reaches.
    short : bool
        Whether the variance of the interval counts less of it.
    lean : float
        How surely a unit's difference changes with its size, in standard errors.

    Examples
    --------
    >>> why_narrow(0.0, np.ones(8), "groups", Options(0.95, 1000, 0))[0][:46]
    'With so few groups (8) the intervals are rough'
    """
    said, coverage, given = [], f"{100 * options.coverage:.10g}", unit
    serial = isinstance(method_of(options.interval), Serial)
    number = effective_number(size) / (options.blocks if options.blocks and not serial else 1)
    if number < RULES["few_units"]:
        worth = "" if number > size.size - 0.5 else f", worth {number:.2g} of equal weight"
        known, unit = (f"{size.size:,}{worth}", unit) if options.blocks is None else (f"{number:.2g}", "blocks")
        said.append(say("few_units", unit=unit, number=known))
    if skew > RULES["most_skew"]:
        said.append(say("long_tail", unit=given, coverage=coverage))
    if lean > RULES["most_lean"]:
        said.append(say("large_groups", unit=given.removesuffix("s"), coverage=coverage))
    if steps is not None and not serial and (
            short or options.blocks is not None and options.blocks < RULES["least_blocks_per_step"] * steps):
        said.append(say("short_blocks", steps=f"{steps:.2g}", blocks=options.blocks, coverage=coverage))
    elif steps is not None and (short or options.blocks is None and size.size < RULES["least_stretches"] * steps):
        said.append(say("few_stretches", steps=f"{steps:.2g}", cases=f"{size.size:,}", worth=f"{size.size / steps:.2g}",
                        coverage=coverage))
    return tuple(said)


def normal(units: np.ndarray, size: np.ndarray, best: int, options: Options, reach: int = 0) -> tuple[Intervals, float]:
    """Intervals from the joint normal law of the means, and the largest skewness of a mean.

    Parameters
    ----------
    units : ndarray, shape (m, n)
        Weighted losses of n units (cases, groups or blocks), in time order for "hac".
    size : ndarray, shape (n,)
        Weights of the units.
    best : int
        The model that the others are compared with.
    options : Options
    reach : int
        Steps of dependence in time that the variance counts (Newey and West's weights); the interval is then that of
        Diebold and Mariano with the correction of Harvey, Leybourne and Newbold.
    """
    cost = units.sum(axis=1) / size.sum()
    gap = apart(cost, cost[best])
    own, gaps = _own(units, size, best)
    with np.errstate(divide="ignore", invalid="ignore"):
        saving = gap / np.abs(cost)
        saved = np.where((gaps != 0).any(axis=1)[:, None], (gaps - (saving * np.sign(cost))[:, None] * own) / np.abs(
            cost)[:, None], 0.0)
    spread = _deviations(gaps, reach)
    # Bartlett's weights over r steps leave as much freedom as n / (r + 1) independent cases do, a little less than
    # the kernel's 1.5 n / (r + 1): so the coverage measured is .93 and more where the dependence is short beside n.
    freedom = effective_number(size) / (reach + 1) - 1
    width = float(stdtrit(max(freedom, 0.5), (1 + options.coverage) / 2))
    cost_ends, gap_ends, saving_ends = (np.array([middle - width * error, middle + width * error])
                                        for middle, error in ((cost, _deviations(own, reach)), (gap, spread),
                                                              (saving, _deviations(saved, reach))))
    draws = _drawn(cost, own, reach, (gap == 0) & (spread == 0), best)
    together = all_together(cost, draws, best, options.coverage, max(freedom, 0.5) + 1, resampled=False,
                            named=options.named, pairs=options.pairs)
    intervals = Intervals(cost_ends, gap_ends, saving_ends, spread, _share_best(draws), np.zeros(cost.size), together,
                      NORMAL, reach, _skewness((own, gaps)))
    return intervals, max(intervals.skew, *(_skew(row) for row in own))


def _own(units: np.ndarray, size: np.ndarray, best: int) -> tuple[np.ndarray, np.ndarray]:
    """What each unit adds to the error of each cost, and of each difference, shape (m, n) both."""
    total = size.sum()
    mean = units.sum(axis=1)[:, None] / total * size
    own = (units - mean) / total
    gaps, large = own - own[best], (np.abs(units) + np.abs(mean)) / total
    gaps[np.abs(gaps) <= 1e-12 * (large + large[best])] = 0.0  # rounding of this unit, not of the largest one
    return own, gaps


def _still(units: np.ndarray, size: np.ndarray, best: int, gaps: np.ndarray, unit: str) -> tuple[Any, ...]:
    """A sentence, where a difference is the same in all units: then no interval says how often it is another one."""
    cost = units.sum(axis=1) / size.sum()
    if (gaps != 0).any(axis=1)[apart(cost, cost[best]) != 0].all():
        return ()
    # Of n units none is of a kind that makes up 3/n of all of them with a chance of exp(-3), 5%.
    number = np.count_nonzero(size)
    return (say("still", units=f"{number:,}", unit=unit, most=f"{min(float(f'{300 / number:.2g}'), 100):g}"),)


def _skewness(parts: tuple[np.ndarray, np.ndarray]) -> float:
    """The largest skewness of a mean difference; of one model alone, that of its cost."""
    own, gaps = parts
    return max(_skew(row) for row in (gaps if len(gaps) > 1 else own))


def _skew(row: np.ndarray) -> float:
    """Size of the skewness of a sum of independent terms."""
    row = row - row.mean() if row.size else row
    spread = row @ row
    return float(abs(row * row @ row) / spread**1.5) if spread > 0 else 0.0


def lean_of(gaps: np.ndarray, size: np.ndarray) -> float:
    """How surely a unit's difference changes with its size, in standard errors; 0 where sizes are alike.

    Parameters
    ----------
    gaps : ndarray, shape (m, n)
        What each of n units adds to each difference.
    size : ndarray, shape (n,)
        Weights of the units.

    Examples
    --------
    >>> lean_of(np.ones((1, 9)), np.ones(9))
    0.0
    """
    if size.size < 3 or not size.max() > RULES["least_uneven"] * np.quantile(size, 0.1) > 0:
        return 0.0
    log_size, most = np.log(size[size > 0]), 0.0
    for row in gaps:
        each = row[size > 0] / size[size > 0]
        if np.ptp(each) > 0:
            r = min(abs(np.corrcoef(log_size, each)[0, 1]), 1 - 1e-12)
            most = max(most, r * np.sqrt((each.size - 2) / (1 - r**2)))
    return float(most)


def _dependence(gaps: Any) -> list[Any]:
    """Over how many cases each difference is alike, what divides their number in time; and its variance without that.

    It is the variance of a mean over that of independent cases, of the autoregression that Akaike's criterion picks
    (by the recursion of Levinson and Durbin). So a slow part under noise counts, and a cycle of a day.
    """
    return [(_steps(row), float(row @ row)) for row in gaps]


def _missed(steps: list[Any], spread: np.ndarray) -> tuple[float | None, bool]:
    """The longest dependence, None if cases are not in time, and whether an interval's variance counts less of it."""
    if not steps:
        return None, False
    missed = [far > 1 and far * alone > RULES["most_missed"] * error**2
              for (far, alone), error in zip(steps, spread, strict=True)]
    return max(far for far, _ in steps), any(missed)


def _steps(row: np.ndarray) -> float:
    n, spread = row.size, row @ row
    if not spread > 0:
        return 1.0
    # known[k] is the correlation of the differences k steps apart.
    most = min(int(10 * np.log10(n)), n // 4)
    known = np.array([row[step:] @ row[:n - step] for step in range(most + 1)]) / spread
    ahead, left, best, steps = np.zeros(0), 1.0, 0.0, 1.0  # coefficients, and what they leave unexplained
    # `ahead` are the coefficients of the autoregression of this order (Levinson, Durbin), from those of the last one;
    # the variance of a mean is that of the noise, magnified by the sum of the coefficients.
    for order in range(1, most + 1):
        partial = (known[order] - ahead @ known[order - 1:0:-1]) / left
        ahead, left = np.append(ahead - partial * ahead[::-1], partial), left * (1 - partial**2)
        if not left > 1e-12:
            break
        criterion = n * np.log(left) + 2 * order
        if criterion < best:
            best, steps = criterion, left / max(1 - ahead.sum(), 1e-3) ** 2
    return float(max(steps, 1.0))


def _deviations(rows: np.ndarray, reach: int) -> np.ndarray:
    return np.sqrt([float(row @ row) for row in map(partial(_stretches, reach=reach), rows)])


def _stretches(rows: np.ndarray, reach: int) -> np.ndarray:
    """Rows whose products are the covariances of the sums of these, by the weights of Newey and West in time.

    Bartlett's weights over h steps are those of the sums over every stretch of h neighbours, divided by h.
    """
    n, h = rows.shape[-1], reach + 1
    if reach:
        walk = np.cumsum(np.concatenate([np.zeros((*rows.shape[:-1], h)), rows, np.zeros((*rows.shape[:-1], reach))],
                                        axis=-1), axis=-1)
        rows = (walk[..., h:] - walk[..., :-h]) / np.sqrt(h)
    return rows * np.sqrt(n / (n + 1 - 2 * h + h * (h - 1) / n))  # n / (n - 1) without neighbours


def _drawn(cost: np.ndarray, own: np.ndarray, reach: int, same: np.ndarray, best: int) -> np.ndarray:
    """Draws of all costs from their joint normal law, spread evenly; models that never differ stay equal.

    The factor is that of the units themselves and not of covariances, in which the difference of near copies is lost.
    """
    order = np.argsort(cost, kind="stable")
    factor: Any = np.linalg.qr(_stretches(own[order], reach).T, mode="r")
    size = np.abs(np.diag(factor))
    factor[:len(size)][size <= 1e-13 * np.sqrt((factor**2).sum(axis=0))[:len(size)]] = 0.0  # nothing new varies
    normals = ndtri(np.outer(np.arange(DRAWS) + 0.5, np.sqrt(_primes(len(factor)))) % 1)
    draws = np.empty((DRAWS, cost.size))
    draws[:, order] = cost[order] + normals @ (np.sign(np.diag(factor))[:, None] * factor)
    draws[:, same] = draws[:, [best]]
    return draws


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    numbers = itertools.count(2)
    while len(primes) < count:
        number = next(numbers)
        if all(number % prime for prime in primes if prime**2 <= number):
            primes.append(number)
    return primes


def _reach(series: np.ndarray, blocks: int | None) -> int:
    """Steps of dependence: as stated, or by the rule of Andrews (1991) from the first autocorrelation."""
    n = series.shape[1]
    if blocks is not None:
        return blocks - 1
    reach = 0
    for row in series[(series**2).sum(axis=1) > 0]:
        rho = np.clip((row[1:] @ row[:-1]) / (row @ row), -0.97, 0.97)
        alpha = 4 * rho**2 / ((1 - rho) * (1 + rho)) ** 2
        reach = max(reach, int(np.ceil(1.1447 * (alpha * n) ** (1 / 3))))
    return min(reach, n // 3)


def _ends(options: Options, size: np.ndarray, cost: np.ndarray, own: np.ndarray | None, best: int, costs: np.ndarray,
          gaps: np.ndarray, together: np.ndarray) -> Intervals:
    """Intervals between percentiles of the resamples."""
    number = effective_number(size) / (options.blocks or 1)
    tail = tail_of(options.coverage, number)
    with np.errstate(invalid="ignore", divide="ignore"):
        savings = gaps / np.abs(costs)
    spread = np.array([np.std(column[np.isfinite(column)]) if np.isfinite(column).any() else np.nan
                       for column in gaps.T])
    return Intervals(percentiles(costs, tail), percentiles(gaps, tail), percentiles(savings, tail), spread,
                     _share_best(together), np.isnan(gaps).mean(axis=0),
                     all_together(cost, together, best, options.coverage, number, resampled=True, own=own,
                                  named=options.named, pairs=options.pairs),
                     RESAMPLED)


def _resampled_losses(cases: Cases, options: Options) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Costs and differences from the best, each shape (repeats, m), and all costs on the same resamples.

    What is said of two models depends on these two alone: the units (cases, or groups) are sorted by their
    difference before they are drawn, so neither other models nor the order of columns or rows decides.
    """
    units, size, best = cases.units, cases.size, cases.best
    rows: list[np.ndarray] = []
    for model in range(len(units)):
        gap = units[model] - units[best]
        grain = 1e-12 * (np.abs(units[[model, best]]).max() or 1.0)  # rounding in a loss does not change the order
        order = (np.lexsort((size, *(np.rint(part / grain) for part in (units[model], gap)))) if options.blocks is None
                 else np.arange(size.size))
        rows += [units[model][order], gap[order], size[order]]
    if len(units) > 2:
        grain = 1e-12 * (np.abs(units).max() or 1.0)
        order = (np.arange(size.size) if options.blocks is not None else
                 canonical_order(cases.y, by_content(cases.y, cases.forecasts), cases.weight, cases.losses)
                 if cases.groups is None else
                 np.lexsort((size, *np.rint(np.array(sorted(units, key=_content)) / grain))))
        rows += [*units[:, order], size[order]]
    sums = np.concatenate([block @ np.array(rows).T for block in resampled_weights(
        size.size, repeats=options.repeats, seed=options.seed, blocks=options.blocks)])
    pairs = sums[:, :3 * len(units)].reshape(len(sums), -1, 3)
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample without any weight is undefined
        costs, gaps = pairs[:, :, 0] / pairs[:, :, 2], pairs[:, :, 1] / pairs[:, :, 2]
        gaps = np.where(np.abs(gaps) <= 1e-12 * np.abs(costs - gaps), 0.0, gaps)
        together = sums[:, -len(units) - 1:-1] / sums[:, [-1]] if len(units) > 2 else np.where(
            np.arange(len(units)) == best, 0.0, gaps)
    return costs, gaps, together


def _resampled_scores(score: Any, y: np.ndarray, forecasts: Mapping[str, tuple[np.ndarray, ...]], best: int,
                      groups: np.ndarray | None, weight: np.ndarray | None,
                      options: Options) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for a score of all cases together, computed anew on each resample."""
    names = list(forecasts)
    pairs = [[names[best]] if name == names[best] else [names[best], name] for name in names]
    kept = [*pairs, names] if len(names) > 2 else pairs
    orders = [canonical_order(y, {name: forecasts[name] for name in pair}, weight) for pair in pairs]
    orders += [canonical_order(y, by_content(y, forecasts), weight) for _ in kept[len(pairs):]]
    if groups is not None:  # drawn by their number, which what they hold decides
        groups = _by_what_they_hold(groups, y, by_content(y, forecasts), weight)
    if groups is not None or options.blocks is not None:
        orders = [np.arange(len(y)) for _ in kept]

    def costs(sample: np.ndarray) -> list[float]:
        values = []
        for pair, order in zip(kept, orders, strict=True):
            chosen = order[sample]
            weighted: dict[str, Any] = {} if weight is None else {"sample_weight": weight[chosen]}
            values += [float(named(name, score, y[chosen], *(part[chosen] for part in forecasts[name]), **weighted))
                      for name in pair]
        return values

    sums = paired_bootstrap(costs, len(y), groups=groups, repeats=options.repeats, seed=options.seed,
                            blocks=options.blocks).astype(float)
    last = np.cumsum([len(pair) for pair in kept])[:len(names)] - 1  # the model itself; before it, the best one
    own_sums = sums[:, last]
    others = np.where(np.arange(len(names)) == best, own_sums, sums[:, np.maximum(last - 1, 0)])
    together = sums[:, -len(names):] if len(names) > 2 else own_sums if len(names) == 1 else np.where(
        np.arange(2) == best, others[:, [1 - best]], own_sums)
    return own_sums, apart(own_sums, others), together


def _by_what_they_hold(groups: np.ndarray, y: np.ndarray, forecasts: dict[Any, Any], weight: Any) -> np.ndarray:
    """Groups numbered by their cases, whatever they are called and in whatever order they come."""
    parts = [y, *(part for parts in forecasts.values() for part in parts), *([] if weight is None else [weight])]
    rows = np.column_stack([np.asarray(part, dtype=float).reshape(len(y), -1) for part in parts])
    place = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    cases = np.split(place[np.lexsort((place, groups))], np.cumsum(np.bincount(groups))[:-1])
    number = np.empty(len(cases), dtype=int)
    number[sorted(range(len(cases)), key=lambda one: cases[one].tolist())] = np.arange(len(cases))
    return number[groups]


def by_content(y: np.ndarray, forecasts: Mapping[str, tuple[np.ndarray, ...]]) -> dict[str, tuple[np.ndarray, ...]]:
    """Models in an order that neither their names nor the order of their columns decides, nor that of the rows.

    Forecasts that are ranks have the same values, so those of each outcome decide.
    """
    def key(model: tuple[Any, ...]) -> tuple[Any, ...]:
        return ([_content(part) for part in model[1]],
                [part[np.lexsort((part, y))].tobytes() for part in model[1] if part.ndim == y.ndim == 1])

    return dict(sorted(forecasts.items(), key=key))


def _content(part: np.ndarray) -> Any:
    return np.sort(part, axis=0).tobytes()


def _share_best(resampled: np.ndarray) -> np.ndarray:
    """Share of the resamples in which each model is the cheapest; models that tie share it."""
    judged, share = ~np.isnan(resampled).all(axis=0), np.full(resampled.shape[1], np.nan)
    defined = resampled[~np.isnan(resampled[:, judged]).any(axis=1)][:, judged]
    if defined.size:
        lowest = defined.min(axis=1, keepdims=True)
        least = (defined == lowest) | (apart(defined, lowest) == 0)  # all of them may be infinite
        share[judged] = (least / least.sum(axis=1, keepdims=True)).mean(axis=0)
    return share


def named(name: str, function: Callable[..., Any], *data: Any, **options: Any) -> Any:
    """Call it; an error says which model's forecast it is about."""
    try:
        return function(*data, **options)
    except ValueError as error:
        raise ValueError(f"{error} (model {name!r})") from error


def apart(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Differences that are more than rounding; the others are zero."""
    with np.errstate(invalid="ignore"):  # infinite for both: undefined
        gap = first - second
    return np.where(np.isfinite(gap) & (np.abs(gap) <= 1e-12 * np.abs(second)), 0.0, gap)
