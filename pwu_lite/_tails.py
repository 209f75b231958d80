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

_NODES = np.array([0, 1, 3, 5, 7, 8]) / 8  # of a cell
_MONOMIALS = np.linalg.inv(np.vander(_NODES, increasing=True)).T  # from values at the nodes to coefficients
_PROBES = np.array([0.17, 0.61])  # places in a cell that are no nodes
_OCTAVES, _COARSE, _FINE, _PASSES = 64, 4, 13, 4  # from 2**4 to 2**13 cells between x and 2 x, in a few passes
_LAST_TERM = 2e-13  # of the interpolated density, as a share of the tail; the terms left out are far smaller
_FEW = 1 / 24  # cells between x and 2 x that may be left to the prior itself: those with a jump, or near the end
_AGREES, _TINY = 1e-12, 1e-290
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
    """Polynomials on cells. The bits of the distance to the lower end of the support tell the cell."""

    low: float
    first: int
    shift: np.ndarray
    offset: np.ndarray
    coefficients: np.ndarray

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """The tail at each threshold, shape (n,); NaN where the prior itself is to be asked."""
        out = np.empty(t.size)
        for start in range(0, t.size, _CHUNK):
            distance, values = t[start:start + _CHUNK] - self.low, out[start:start + _CHUNK]
            bits = distance.view(np.int64)
            octave = np.clip((bits >> 52) - self.first, 0, self.shift.size - 1)
            shift = self.shift[octave]
            cell = (self.offset[octave] + ((bits & _FRACTION) >> shift)).astype(np.intp, copy=False)
            with np.errstate(invalid="ignore"):  # infinite thresholds
                distance -= ((bits >> shift) << shift).view(float)
            np.take(self.coefficients[-1], cell, out=values, mode="clip")
            for coefficient in self.coefficients[-2::-1]:
                values *= distance
                values += np.take(coefficient, cell, mode="clip")
        return out


def tail_table(prior: Any, name: str) -> Table | None:
    """A table of one tail of a prior, or None where none agrees with the prior."""
    low, high = prior.support
    size = high - low if np.isfinite(high) else float(prior.ppf(0.5)) - low
    if not 1e-24 < size < 1e24:  # nor where the support has no lower end
        return None
    top = int(np.floor(np.log2(size)))
    # Between two powers of two cells are equally long; the first and the last of these stand for all beyond.
    exponents = np.arange(top - _OCTAVES - 1, top + (1 if np.isfinite(high) else _OCTAVES) + 2)
    fineness = np.where((exponents > exponents[0]) & (exponents < exponents[-1]), _COARSE, 0)
    with np.errstate(all="ignore"):
        for left in reversed(range(_PASSES)):
            cells = _Cells(prior, name, exponents, fineness)
            poor = np.bincount(cells.octave, cells.excess > 1)
            too_long = (poor > _FEW * (1 << fineness)) & (fineness < _FINE)
            if not left or not too_long.any():
                return cells.table()
            # All cells between x and 2 x are halved as the worst needs: the error falls as the sixth power.
            worst = np.ones(exponents.size)
            np.maximum.at(worst, cells.octave, cells.excess)
            halvings = np.maximum(np.ceil(np.log2(worst) / 6), 1).astype(int)
            fineness = np.minimum(fineness + halvings * too_long, _FINE)
    return None


class _Cells:
    """Polynomials of degree six on cells: of the integral of what a tail adds up."""

    def __init__(self, prior: Any, name: str, exponents: np.ndarray, fineness: np.ndarray) -> None:
        self.prior, self.name, self.exponents, self.fineness = prior, name, exponents, fineness
        self.low, self.sign = prior.support[0], 1.0 if name.endswith("below") else -1.0
        count = 1 << fineness
        self.offset = np.cumsum(count) - count
        self.octave = np.repeat(np.arange(count.size), count)
        self.width = np.ldexp(1.0, exponents - fineness)[self.octave]
        place = np.arange(self.octave.size) - self.offset[self.octave]
        self.start = np.ldexp(1.0, exponents)[self.octave] + self.width * place
        self.known = (fineness[self.octave] > 0) & (self.low + self.start + self.width <= prior.support[1])
        slopes = self._density(self.low + self.start[:, None] + self.width[:, None] * _NODES) @ _MONOMIALS
        slopes = np.where(self.known[:, None], slopes * self.width[:, None], 0.0)
        # pieces[k] are the coefficients of the integral over cell k as a polynomial of the place in it, 0 to 1.
        self.pieces = slopes / np.arange(1, 7)
        inside = self.pieces.sum(axis=1)
        self._add_up(inside, np.isnan(inside) | np.isinf(inside))
        # A cell is too long where the last term of its polynomial is not negligible beside the smaller of its tails.
        smaller = np.minimum(self.tail, self.tail + self.sign * self.inside)
        excess = np.abs(slopes[:, 5]) / 512 / (_LAST_TERM * smaller)
        excess[~(excess < 2.0**30)] = 2.0**30
        self.excess = np.where(self.known & ~(smaller + self.inside <= _TINY), excess, 0.0)

    def table(self) -> Table | None:
        """The table; cells that are too long, or wrong at a probe, are left to the prior itself."""
        poor, error = self.excess > 1, 2 * self.prior.numerical_error
        self._add_up(self.inside, poor)
        near = np.flatnonzero(self.known)[0 if self.sign < 0 else -1]  # where the sum over all cells is complete
        total = self.tail[near] + (self.inside[near] if self.sign > 0 else 0.0)
        whole = float(self._exact(self.start[near] + (self.width[near] if self.sign > 0 else 0.0)))
        if not abs(total - whole) <= 1e-9 * whole + error:  # a spike that no node has met
            return None
        scale = whole / total if error == 0 else 1.0  # a density's constant is less exact than its shape
        terms = self.sign * self.pieces / self.width[:, None] ** np.arange(1, 7)
        coefficients = scale * np.column_stack([self.tail, terms]).T
        coefficients[:, poor | ~self.known] = np.nan
        table = Table(self.low, int(self.exponents[0]) + 1023, 52 - self.fineness, self.offset, coefficients)
        probes = (self.start[:, None] + self.width[:, None] * _PROBES)[self.known]
        exact, held = self._exact(probes), table((self.low + probes).ravel()).reshape(probes.shape)
        wrong = ~((np.abs(held - exact) <= _AGREES * exact + error) | np.isnan(held) | (exact <= _TINY))
        coefficients[:, np.flatnonzero(self.known)[wrong.any(axis=1)]] = np.nan
        return None if np.isnan(coefficients[0, self.known]).all() else table

    def _exact(self, distance: Any) -> np.ndarray:
        return np.asarray(self.prior.exact_tail(self.name, self.low + distance))

    def _density(self, theta: np.ndarray) -> np.ndarray:
        """What the tail adds up."""
        factors = {"mean_below": theta, "mean_above": theta, "complement_above": 1 - theta}
        return np.asarray(self.prior.pdf(theta)) * factors.get(self.name, 1.0)

    def _add_up(self, inside: np.ndarray, asked: np.ndarray) -> None:
        """The tail at the start of each cell, from what lies in the cells; of those asked the prior itself says it."""
        self.inside, cells = inside, np.flatnonzero(self.known)
        ends = np.array([self.start, self.start + self.width])
        inside[asked] = np.abs(np.subtract(*self._exact(ends[:, asked])))
        # Only positive numbers are added, from the far end of the tail on: no digits cancel.
        order = cells if self.sign > 0 else cells[::-1]
        beyond = self._exact(ends[int(self.sign < 0), order[0]])
        total = np.cumsum(np.append(beyond, inside[order]), dtype=np.longdouble)
        self.tail = np.zeros(inside.size)
        self.tail[order] = total[:-1] if self.sign > 0 else total[1:]
