"""A prior restricted to some intervals: what the worst prior of a bounded ratio is made of.

Implements the conditional law of a prior on a union of intervals, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pwu_lite import validation
from pwu_lite.priors import Prior, as_prior

__all__ = ["Restricted"]


@dataclass(frozen=True, eq=False)
class Restricted(Prior):
    """A prior given that theta lies in one of some intervals.

    Parameters
    ----------
    prior : Prior
    low, high : array_like, shape (m,)
        Ends of disjoint intervals [low, high), ascending.

    Raises
    ------
    ValueError
        The intervals overlap or have no mass.

    Examples
    --------
    >>> from pwu_lite import Uniform
    >>> ends = Restricted(Uniform(0, 1), [0.0, 0.75], [0.25, 1.0])
    >>> ends.mass(0.0, 0.25), ends.mean
    (0.5, 0.5)
    """

    prior: Any
    low: Any
    high: Any
    _norm: float = field(init=False, repr=False)
    _before: Any = field(init=False, repr=False)
    _means: Any = field(init=False, repr=False)

    def __post_init__(self):
        prior = as_prior(self.prior)
        if prior.length is not None:
            raise ValueError("the prior must be one for all cases, not a prior for each case")
        low, high = validation.vector("low", self.low), validation.as_float("high", self.high)
        if low.shape != high.shape or (low >= high).any() or (high[:-1] > low[1:]).any():
            raise ValueError("intervals must be disjoint and ascending, low below high")
        mass = np.asarray(prior.mass(low, high))
        if not mass.sum() > 1e-280:
            raise ValueError("the prior has no mass on these intervals")
        kept = {"prior": prior, "low": low, "high": high, "_norm": float(mass.sum()),
                "_before": np.concatenate([[0.0], np.cumsum(mass)]),
                "_means": np.asarray(prior.partial_mean(low, high)),
                "numerical_error": prior.numerical_error / float(mass.sum())}
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"Restricted({self.prior!r}, to {self.low.size} interval(s))"

    @property
    def support(self):
        return (float(self.low[0]), float(self.high[-1]))

    def tails(self, t):
        t = np.asarray(t, dtype=float)
        missing = np.isnan(t)
        index = np.clip(np.searchsorted(self.low, np.where(missing, 0, t), side="right") - 1, 0, self.low.size - 1)
        start, end = self.low[index], self.high[index]
        inside = np.clip(np.where(missing, start, t), start, end)
        below = self._before[index] + self.prior.mass(start, inside)
        means = self._means  # of each interval; no differences of sums, since that of the last may be infinite
        mean_below = np.append(0.0, np.cumsum(means))[index] + self.prior.partial_mean(start, inside)
        above = self._before[-1] - self._before[index + 1] + self.prior.mass(inside, end)
        mean_above = np.append(np.cumsum(means[:0:-1])[::-1], 0.0)[index] + self.prior.partial_mean(inside, end)
        return tuple(np.where(missing, np.nan, part / self._norm) for part in (below, above, mean_below, mean_above))

    def pdf(self, x):
        x = validation.as_float("x", x)
        index = np.clip(np.searchsorted(self.low, x, side="right") - 1, 0, self.low.size - 1)
        inside = (x >= self.low[index]) & (x <= self.high[index])
        density = np.where(inside, self.prior.pdf(x), 0.0) / self._norm
        return float(density) if density.ndim == 0 else density

    def ppf(self, q):
        q = validation.as_float("q", q)
        if not ((q >= 0) & (q <= 1)).all():
            raise ValueError("q must lie in [0, 1]")
        wanted = q * self._norm
        index = np.clip(np.searchsorted(self._before, np.asarray(wanted), side="left") - 1, 0, self.low.size - 1)
        before = np.asarray(self.prior.mass(-np.inf, self.low[index]))
        value = np.asarray(self.prior.ppf(np.clip(before + wanted - self._before[index], 0.0, 1.0)))
        value = np.clip(value, self.low[index], self.high[index])
        return float(value) if value.ndim == 0 else value
