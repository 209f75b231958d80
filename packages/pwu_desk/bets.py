"""What bets on differences have won, at any time that one looks: the evidence behind intervals that hold at all looks.

Implements bets against "they cost the same" (Ville's inequality), with a bound on a bet after Fan, Grama and Liu.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import comb, logsumexp

from pwu_lite import validation

__all__ = ["Bets"]

_BETS = 0.97 * 3.0 ** -np.arange(7)  # shares of the largest bet, all with equal weight
_POWERS = np.arange(1, 9)
_LEFT = np.maximum(_POWERS[:, None] - np.arange(9), 0)  # of (x - m)**k the power of m beside x**j, k from 1, j from 0
_CHOOSE = comb(_POWERS[:, None], np.arange(9))  # and how often: 0 where j is above k
_ROUNDING = 64 * np.finfo(float).eps  # of a sum of many powers, relative
# log(1 + g z) >= sum over k of _TAYLOR[g, k] z**k for z >= -1: Taylor's terms up to z**7, and the remainder over z**8,
# which rises in z (it is minus the integral of u**7/(1 + g z u) over u in (0, 1), times g**8), at z = -1.
_TERMS = -((-_BETS[:, None]) ** _POWERS) / _POWERS
# The remainder log(1 - g) + sum over k < 8 of g**k / k is summed as the series that it is: as a difference it would
# lose its digits, and without it the polynomial is no bound beyond z = 1.
_ORDERS = np.arange(8, 1400)
_REMAINDER = -(_BETS[:, None] ** _ORDERS / _ORDERS)[:, ::-1].sum(axis=1)
_TAYLOR = np.column_stack([_TERMS[:, :-1], _REMAINDER])


class Bets:
    """Fortunes of two players who bet on differences between -1 and 1, which come in pieces of any length.

    A bet of the share g multiplies a fortune by ``1 + g z`` for a difference z. Its logarithm is at least a polynomial
    of degree eight in z, so a fortune is bounded from below by eight sums of powers, and pieces can be added. The
    fortune of each side is the mean over seven bets.

    Examples
    --------
    >>> bets = Bets()
    >>> bets.add(np.full(200, 0.1))
    >>> [bool(bets.fortune(0.0, side) > np.log(40)) for side in (1, -1)]
    [True, False]
    """

    def __init__(self) -> None:
        self.n = 0
        self._sums = np.zeros(len(_POWERS))  # of the powers of the differences
        self._lost = np.zeros(len(_POWERS))  # what rounding took from them: many small pieces add up like one

    def add(self, gap: np.ndarray) -> None:
        """Bet on a piece, shape (n,)."""
        power, powers = np.ones(len(gap)), np.empty(len(_POWERS))
        for place in range(len(_POWERS)):
            power = power * gap
            powers[place] = power.sum()
        self.n += len(gap)
        self._add(powers)

    def join(self, later: Bets) -> None:
        """Add what others saw after this."""
        self.n += later.n
        self._add(later._sums)
        self._add(later._lost)

    @property
    def mean(self) -> float:
        """Of the differences so far; NaN before the first."""
        return float(self._sums[0] + self._lost[0]) / self.n if self.n else float("nan")

    @property
    def evidence(self) -> tuple[float, float]:
        """Fortunes of the players who bet that the mean is below zero, and that it is above."""
        with np.errstate(over="ignore"):  # a fortune above 1e308 is infinite
            below, above = np.exp([self.fortune(0.0, -1), self.fortune(0.0, 1)]).tolist()
        return below, above

    def fortune(self, mean: float | np.ndarray, side: int) -> np.ndarray:
        """Log fortune of a player who bets that ``side`` times the difference has a mean above that of ``mean``.

        For each of the means, shape (m,), at once.
        """
        mean = np.asarray(mean, dtype=float)
        largest = 1 + side * mean  # of what can be lost in one round: side * (x - mean) >= -largest
        unit = np.where(largest > 0, largest, 1.0)
        raw = np.concatenate([[self.n], self._sums + self._lost])
        around = ((-mean[..., None, None]) ** _LEFT * _CHOOSE) @ raw  # sums of the powers of x - mean, shape (m, 8)
        # What cancels when the powers are taken around another mean could be evidence: it is not counted as such.
        lost = _ROUNDING * self.n * (mean != 0)[..., None] * ((1 + np.abs(mean)) / unit)[..., None] ** _POWERS
        bets = (around * (side / unit)[..., None] ** _POWERS) @ _TAYLOR.T - lost @ np.abs(_TAYLOR.T)
        # All differences are at this end, or the mean is refuted for certain.
        certain = np.where(raw[1] == self.n * mean, 0.0, np.inf)
        return np.where(largest > 0, logsumexp(bets, axis=-1) - np.log(len(_BETS)), certain)

    def end(self, side: int, level: float) -> float:
        """The smallest (side 1) or largest mean that is not refuted. A grid, then a root: the hull of all of them."""
        own, limit = self.mean, np.log(2 / (1 - level))
        grid = np.linspace(-side, own, 400)
        kept = int(np.argmax(np.append(self.fortune(grid[:-1], side) < limit, True)))  # the mean so far at least
        if kept == 0:
            return -side
        out, inside = grid[kept - 1], grid[kept]  # refuted, and not
        while np.isinf(self.fortune(out, side)) and inside != (middle := (out + inside) / 2) != out:
            out, inside = (out, middle) if self.fortune(middle, side) < limit else (middle, inside)
        if np.isinf(self.fortune(out, side)) or self.fortune(inside, side) >= limit:  # the mean so far, by rounding
            return float(out if np.isinf(self.fortune(out, side)) else inside)
        return float(brentq(lambda mean: float(self.fortune(mean, side)) - limit, out, inside))

    def state(self) -> dict[str, Any]:
        """What is to be stored."""
        return {"n": self.n, "sums": self._sums.tolist(), "lost": self._lost.tolist()}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Bets:
        """Bets from what `state` returned; its other entries are not looked at.

        Raises
        ------
        ValueError
            These cannot be sums of powers of so many differences between -1 and 1.
        """
        bets = cls()
        bets.n = validation.whole("n", state["n"], 0)
        bets._sums, bets._lost = (validation.vector(name, state[name]) for name in ("sums", "lost"))
        known = (bets._sums.shape == bets._lost.shape == _POWERS.shape and np.abs(bets._lost).max() <= 1e-9 * bets.n
                 and bets.n * bets._sums[1] >= bets._sums[0] ** 2 * (1 - 1e-9))
        if known:  # even powers are positive and fall, and each odd one is at most the even one before it
            even = np.append(bets.n, bets._sums[1::2])
            known = (np.diff(even) <= 1e-9 * bets.n).all() and even[-1] >= 0 and (
                np.abs(bets._sums[::2]) <= even[:-1] + 1e-9 * bets.n).all()
        if not known:
            raise ValueError("sums do not belong to so many differences between -1 and 1")
        return bets

    def _add(self, powers: np.ndarray) -> None:
        """Neumaier's sum: what a rounded addition loses is kept apart."""
        total = self._sums + powers
        self._lost += np.where(np.abs(self._sums) >= np.abs(powers), (self._sums - total) + powers,
                               (powers - total) + self._sums)
        self._sums = total
