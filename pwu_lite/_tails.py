"""Tails of a prior for long arrays: a table of polynomials, made once, that checks itself.

Implements the integral behind the closed forms of the PWU paper, equation (4).
"""

from typing import Any, NamedTuple

import numpy as np

from . import _special as special

__all__ = ["MANY", "NAMES", "beta_lower", "beta_upper", "tail_table"]

NAMES = ("below", "above", "mean_below", "mean_above", "complement_above")
MANY = 30_000  # thresholds from which on a table pays

_NODES = np.array([0, 1, 2, 4, 6, 7, 8]) / 8  # of a cell; eighths, so that the distance to an end of 1 stays exact
_PROBES = np.array([61, 963]) / 1024  # near where a polynomial through the nodes is off the most
_MONOMIALS = np.linalg.inv(np.vander(_NODES, increasing=True))  # from values at the nodes to coefficients
_SMALLEST, _LARGEST = -64, 64  # powers of two: of the first cells, and of the last
_FINENESS = (4, 6, 8, 10, 12)  # 2**4 cells between x and 2 x, or more
_MOST, _MOST_NUMERIC = 1 << 16, 1 << 13  # cells in all; of tails that are integrated, whose last digits are noise
_FEW = 1 / 64  # cells between x and 2 x that may be left to the prior itself: those with a jump
_AGREES, _TINY = 5e-13, 1e-290
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

    The support is cut into cells whose lengths grow with the distance from an end. In each the tail is interpolated
    at seven nodes, and compared with the prior's own tail at two places between them. Between x and 2 x all cells are
    cut until they agree within 1e-12 of their size; one that never does is left to the prior itself.

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
    bounded = bool(np.isfinite(high))
    size = high - low if bounded else float(prior.ppf(0.5)) - low
    if not 1e-24 < size < 1e24:
        return None
    # Exponents of distances from below, then from above; the outer two of each stand for all beyond.
    top = int(np.floor(np.log2(size)))
    turn = 2.0 ** (top - 1) if bounded else np.inf
    exponents = np.arange(top + _SMALLEST - 1, top + (1 if bounded else _LARGEST) + 2)
    inner = (exponents > exponents[0]) & (exponents < exponents[-1])
    least = np.log2(np.spacing(np.abs([low, high]))) + 16  # nearer to an end the nodes are no floats
    used = np.concatenate([inner & (exponents >= least[0]) & (2.0 ** exponents < turn),
                           inner & (exponents >= least[1]) & bounded])
    exponent, from_above = np.tile(exponents, 2), np.repeat([False, True], exponents.size)
    fineness = np.where(used, _FINENESS[0], 0)
    places, most = np.concatenate([_NODES, _PROBES]), _MOST_NUMERIC if prior.numerical_error else _MOST
    for finer in (*_FINENESS[1:], None):
        # Cell k lies between two powers of two; `start` is its distance from the end that it is counted from.
        count = 1 << fineness
        offset, power = np.cumsum(count) - count, np.repeat(np.arange(count.size), count)
        width = np.ldexp(1.0, exponent - fineness)[power]
        start = np.ldexp(1.0, exponent)[power] + width * (np.arange(power.size) - offset[power])
        known = used[power] & ~(from_above[power] & (start > high - low - turn))
        distance = start[known, None] + width[known, None] * places
        t = np.where(from_above[power[known], None], high - distance, low + distance)
        with np.errstate(all="ignore"):
            exact = np.asarray(prior.exact_tail(name, t))
            pieces = (exact[:, :_NODES.size] - exact[:, :1]) @ _MONOMIALS.T  # of what the cell adds: no digits are lost
            pieces[:, 0] = exact[:, 0]
            held, probed = pieces @ np.vander(_PROBES, _NODES.size, increasing=True).T, exact[:, _NODES.size:]
            agrees = np.abs(held - probed) <= _AGREES * probed + prior.numerical_error / 4
        good = np.zeros(power.size, bool)
        good[known] = (agrees | (probed <= _TINY)).all(axis=1)
        poor = known & ~good
        poor[known] &= np.isfinite(exact).all(axis=1)  # where there is no mean, no cell is short enough
        too_long = np.bincount(power, poor) > _FEW * count
        if finer is None or not too_long.any() or count[~too_long].sum() + (too_long.sum() << finer) > most:
            break
        fineness[too_long] = finer
    if not good.any():
        return None
    coefficients = np.full((_NODES.size, power.size), np.nan)
    coefficients[:, good] = pieces[good[known]].T / width[good] ** np.arange(_NODES.size)[:, None]
    return Table(low, high, turn, int(exponents[0]) + 1023, 52 - fineness, offset, coefficients)
