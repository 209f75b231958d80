"""Tails of a prior for long arrays: a table of polynomials, made once from the density, that checks itself.

Implements the integral behind the closed forms of the PWU paper, equation (4).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _special as special

__all__ = ["MANY", "NAMES", "beta_lower", "beta_upper", "tail_table"]

NAMES = ("below", "above", "mean_below", "mean_above", "complement_above")
MANY = 30_000  # thresholds from which on a table pays

_NODES = np.array([0, 1, 3, 5, 7, 8]) / 8  # of a cell; eighths, so that the distance to an end of 1 stays exact
_MONOMIALS = np.linalg.inv(np.vander(_NODES, increasing=True)).T  # from values at the nodes to coefficients
_SMALLEST, _SMALLEST_BELOW_END, _LARGEST = -64, -40, 64  # powers of two: of the first cells, and of the last
_COARSE, _FINE, _PASSES = 4, 13, 4  # from 2**4 to 2**13 cells between x and 2 x, in a few passes
_LAST_TERM = 2e-13  # of the interpolated density, as a share of the tail; the terms left out are far smaller
_FEW = 1 / 64  # cells between x and 2 x that may be left to the prior itself: those with a jump
_AGREES, _TINY = 1e-12, 1e-290
_PROBES = np.array([0.03, 0.17, 0.36, 0.49, 0.61, 0.83, 0.97])
_CHUNK, _FRACTION = 8192, (1 << 52) - 1


def beta_lower(a: Any, b: Any, x: Any, rest: Any) -> np.ndarray:
    """``I_x(a, b)``, the beta distribution function, to full relative accuracy.

    Parameters
    ----------
    a, b : float, or array_like of shape (n,)
        Positive shape parameters.
    x, rest : array_like
        Values in [0, 1], and 1 minus them.

    Examples
    --------
    >>> beta_lower(2, 1, [0.5, 1.0], [0.5, 0.0]).tolist()
    [0.25, 1.0]
    """
    a, b, x, rest = np.broadcast_arrays(a, b, x, rest)
    lower = np.asarray(special.betainc(a, b, x))
    large = (lower > 0.9) & (x >= 0.5)  # scipy loses digits there, for shapes of one half
    lower[large] = 1 - special.betainc(b[large], a[large], rest[large])
    return lower


def beta_upper(a: Any, b: Any, x: Any, rest: Any) -> np.ndarray:
    """``1 - I_x(a, b)`` to full relative accuracy, several times faster than `scipy.special.betaincc`.

    Beyond the mean it is ``I_{1-x}(b, a)``, with the rounding of 1 - x put right by the density.

    Parameters
    ----------
    a, b : float, or array_like of shape (n,)
        Positive shape parameters.
    x, rest : array_like
        Values in [0, 1], and 1 minus them.

    Examples
    --------
    >>> beta_upper(2, 1, [0.5, 1.0], [0.5, 0.0]).tolist()
    [0.75, 0.0]
    """
    a, b, x, rest = np.broadcast_arrays(a, b, x, rest)
    upper, far = np.empty(x.shape), np.asarray(x >= a / (a + b))
    upper[~far] = 1 - special.betainc(a[~far], b[~far], x[~far])
    skewed = ~far & (upper < 0.1)
    upper[skewed] = special.betaincc(a[skewed], b[skewed], x[skewed])
    a, b, x, rest = a[far], b[far], x[far], rest[far]
    small, lost = np.asarray(special.betainc(b, a, rest)), (1 - rest) - x
    wrong = (lost != 0) & (b > 20)
    a, b, rest = a[wrong], b[wrong], rest[wrong]
    log_density = special.xlogy(b - 1, rest) + special.xlog1py(a - 1, -rest) - special.betaln(a, b)
    small[wrong] += lost[wrong] * np.exp(log_density)
    upper[far] = small
    return upper


class Table(NamedTuple):
    """Polynomials on cells. The bits of the distance to an end of the support tell the cell.

    Attributes
    ----------
    low, high, turn : float
        Ends of the support, and how far from `low` distances are counted from `high` instead.
    first : int
        Exponent, as the bits have it, below the first power of two.
    shift, offset : ndarray, shape (2 powers,)
        How many bits tell the place in a cell, and the first cell of each power of two, from below and from above.
    coefficients : ndarray, shape (7, cells)
        NaN where the prior itself is to be asked.
    """

    low: float
    high: float
    turn: float
    first: int
    shift: np.ndarray
    offset: np.ndarray
    coefficients: np.ndarray

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """The tail at each threshold, shape (n,); NaN where the prior itself is to be asked."""
        out, powers = np.empty(t.size), self.shift.size // 2
        for start in range(0, t.size, _CHUNK):
            part, values = t[start:start + _CHUNK], out[start:start + _CHUNK]
            distance = part - self.low
            from_above = distance >= self.turn
            distance = np.where(from_above, self.high - part, distance)
            bits = distance.view(np.int64)
            power = np.clip((bits >> 52) - self.first, 0, powers - 1) + powers * from_above
            shift = self.shift[power]
            cell = (self.offset[power] + ((bits & _FRACTION) >> shift)).astype(np.intp, copy=False)
            with np.errstate(invalid="ignore"):  # infinite thresholds
                distance -= ((bits >> shift) << shift).view(float)
            np.take(self.coefficients[-1], cell, out=values, mode="clip")
            for coefficient in self.coefficients[-2::-1]:
                values *= distance
                values += np.take(coefficient, cell, mode="clip")
        return out


def tail_table(prior: Any, name: str) -> Table | None:
    """A table of one tail of a prior, or None where none agrees with the prior.

    The support is cut into cells whose lengths grow with the distance from an end. In each the
    density is interpolated at six nodes, and its integral is a polynomial of degree six. Only positive numbers are
    added, so both tails keep their digits. Cells are halved until the last term is negligible. Between x and 2 x
    the result is compared with the prior's own tails, off the nodes, and dropped where they differ by more than
    1e-12 of their size.

    Parameters
    ----------
    prior : Prior
        One for all cases.
    name : str
        One of `NAMES`.

    Examples
    --------
    >>> from pwu_lite.priors import Beta
    >>> table = tail_table(Beta(2, 10), "above")
    >>> values, exact = table(np.array([0.1, 0.9])), Beta(2, 10).exact_tail("above", [0.1, 0.9])
    >>> bool(np.all(abs(values / exact - 1) < 1e-12))
    True
    """
    low, high = prior.support
    if not np.isfinite(low):
        return None
    size = high - low if np.isfinite(high) else float(prior.ppf(0.5)) - low
    if not 1e-24 < size < 1e24:
        return None
    with np.errstate(all="ignore"):
        cells = _Cells(prior, name, size)
        for left in reversed(range(_PASSES)):
            if not cells.refine(last=left == 0):
                break
        return cells.checked()


class _Cells:
    """The cells of a table while it is made: those counted from below first, then those counted from above."""

    def __init__(self, prior: Any, name: str, size: Any) -> None:
        self.prior, self.name = prior, name
        self.low, self.high = prior.support
        bounded, top = bool(np.isfinite(self.high)), int(np.floor(np.log2(size)))
        self.turn = 2.0 ** (top - 1) if bounded else np.inf
        self.last = self.high - self.low - self.turn if bounded else 0.0  # the largest distance from above
        exponents = np.arange(top + _SMALLEST - 1, top + (1 if bounded else _LARGEST) + 2)
        inner = (exponents > exponents[0]) & (exponents < exponents[-1])  # the outer two stand for all beyond
        below = inner & (exponents < top - 1) if bounded else inner
        above = inner & (exponents >= top + _SMALLEST_BELOW_END) & bounded
        self.exponents, self.used = np.tile(exponents, 2), np.concatenate([below, above])
        self.fineness = np.where(self.used, _COARSE, 0)

    def refine(self, last: bool) -> bool:
        """Polynomials on the cells as they are; True if some cells were too long, and have been cut."""
        # Cell k lies between two powers of two; `start` is its distance from the end that it is counted from.
        count = 1 << self.fineness
        self.offset = np.cumsum(count) - count
        self.power = np.repeat(np.arange(count.size), count)
        self.above = self.power >= count.size // 2
        self.width = np.ldexp(1.0, self.exponents - self.fineness)[self.power]
        place = np.arange(self.power.size) - self.offset[self.power]
        self.start = np.ldexp(1.0, self.exponents)[self.power] + self.width * place
        self.known = self.used[self.power] & ~(self.above & (self.start > self.last))
        # pieces[k] are the coefficients of the integral over cell k as a polynomial of the place in it, 0 to 1.
        distance = self.start[:, None] + self.width[:, None] * _NODES
        slopes = self._density(distance, self.above[:, None]) @ _MONOMIALS * self.width[:, None]
        self.pieces = np.where(self.known[:, None], slopes, 0.0) / np.arange(1, 7)
        self._add_up(self.pieces.sum(axis=1))
        # A cell is poor where the last term of its polynomial is not negligible beside the smaller tail at its ends.
        last_term = np.abs(slopes[:, 5]) / 512
        self.poor = self.known & (self.larger > _TINY) & ~(last_term <= _LAST_TERM * self.smaller)
        too_long = (np.bincount(self.power, self.poor) > _FEW * count) & (self.fineness < _FINE)
        # Poor cells that are left ask the prior itself for what lies in them, and for every threshold in them.
        if last or not too_long.any():
            if self.poor.any():
                inside = self.pieces.sum(axis=1)
                inside[self.poor] = self._asked(self.poor)
                self._add_up(inside)
            return False
        # All cells between x and 2 x are halved as often as the worst of them needs.
        excess, worst = np.where(self.poor, last_term / (_LAST_TERM * self.smaller), 1.0), np.ones(count.size)
        np.maximum.at(worst, self.power, np.where(excess < 2.0**30, excess, 2.0**30))  # not a number: 2**30, too
        halvings = np.maximum(np.ceil(np.log2(worst) / 6), 1).astype(int)  # the error falls as the sixth power
        self.fineness = np.minimum(self.fineness + halvings * too_long, _FINE)
        return True

    def checked(self) -> Table | None:
        """The table; cells that are poor, or between x and 2 x with a wrong one, are left to the prior itself."""
        # A tail grows with the distance from the end that it is counted from, and falls towards the other one.
        sign = np.where(self.above == self.name.endswith("below"), -1.0, 1.0)
        coefficients = self.scale * np.vstack([self.tail, sign * self.pieces.T]) / self.width ** np.arange(7)[:, None]
        coefficients[:, self.poor | ~self.known] = np.nan
        first = int(self.exponents[0]) + 1023
        table = Table(self.low, self.high, self.turn, first, 52 - self.fineness, self.offset, coefficients)
        # Probes lie off all nodes; one that differs from the prior's own tail gives up all between x and 2 x.
        distance = np.ldexp(1.0, self.exponents)[:, None] * (1 + _PROBES)
        above = np.arange(self.exponents.size)[:, None] >= self.exponents.size // 2
        t = np.where(above, self.high - distance, self.low + distance)[self.used].ravel()
        exact, held = np.asarray(self.prior.exact_tail(self.name, t)), table(t)
        slack = _AGREES * exact + 2 * self.prior.numerical_error
        wrong = ~((np.abs(held - exact) <= slack) | np.isnan(held) | (exact <= _TINY)).reshape(-1, _PROBES.size)
        refused = np.zeros(self.used.size, bool)
        refused[self.used] = wrong.any(axis=1)
        coefficients[:, refused[self.power]] = np.nan
        return None if np.isnan(coefficients[0, self.known]).all() else table

    def _density(self, distance: np.ndarray, above: Any) -> np.ndarray:
        """What the tail adds up, at distances from the ends of the support."""
        theta = np.where(above, self.high - distance, self.low + distance)
        density = np.asarray(self.prior.pdf(theta))
        if self.name == "complement_above":
            return density * np.where(above, 1 - self.high + distance, 1 - theta)
        return density * theta if self.name.startswith("mean") else density

    def _asked(self, cells: np.ndarray) -> np.ndarray:
        """What lies in some cells, from the prior itself."""
        start, above = self.start[cells], self.above[cells]
        ends = [np.where(above, self.high - distance, self.low + distance)
                for distance in (start, start + self.width[cells])]
        return np.abs(np.subtract(*(np.asarray(self.prior.exact_tail(self.name, end)) for end in ends)))

    def _add_up(self, inside: np.ndarray) -> None:
        """The tail at the start of each cell, and its smaller and larger value there, from what lies in the cells."""
        # Only positive numbers are added, from the far end of the tail on: no digits cancel.
        inside = np.where(self.known, inside, 0.0).astype(np.longdouble)
        cut = self.known & self.above & (self.start + self.width > self.last)  # where the two sides meet
        share = (self.last - self.start[cut]) / self.width[cut]
        inside[cut] = np.sum(self.pieces[cut] * share[:, None] ** np.arange(1, 7), axis=1)
        near = self.above != self.name.endswith("below")  # on the side from which the tail is counted
        tail, onward = np.empty_like(inside), self._outside(near)
        tail[near] = onward + np.cumsum(inside[near]) - inside[near]
        onward = onward + inside[near].sum()
        tail[~near] = onward + np.cumsum(inside[~near][::-1])[::-1]
        # The sum over all cells is the prior's own total, or there is mass that no node has met.
        total = onward + inside[~near].sum() + self._outside(~near)
        whole = float(np.asarray(self.prior.exact_tail(self.name.replace("below", "above"), self.low)))
        is_exact = self.prior.numerical_error == 0 and np.isfinite(whole)
        self.scale = float(whole / total) if is_exact else 1.0  # a density's constant is less exact than its shape
        if np.isfinite(whole) and not abs(total - whole) <= 1e-9 * whole + 2 * self.prior.numerical_error:
            self.scale = np.nan  # a spike that no node has met
        self.tail = tail.astype(float)
        other = (tail + np.where(near, inside, -inside)).astype(float)
        self.smaller, self.larger = np.minimum(self.tail, other), np.maximum(self.tail, other)

    def _outside(self, side: Any) -> float:
        """What lies beyond the smallest cell of a side: the density is taken for a power there."""
        cells = np.flatnonzero(side & self.used[self.power])
        if not cells.size:  # the support has no upper end
            end = self.low + 2 * np.ldexp(1.0, self.exponents[-2])
            return float(self.prior.exact_tail(self.name.replace("below", "above"), end))
        start = self.start[cells[0]]
        density, twice = self._density(np.array([start, 2 * start]), self.above[cells[0]])
        power = np.log2(twice / density) if density > 0 else 0.0
        return density * start / (power + 1) if power > -1 else np.nan
