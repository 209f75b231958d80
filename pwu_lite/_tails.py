"""The regularised incomplete beta function and its first moment, for long arrays, both tails exact.

Implements the integral behind the closed forms of the PWU paper, equation (4).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import special

__all__ = ["BetaTails", "beta_tails"]

_LARGEST = 300  # above this a + b rounding in the exponent shows, and scipy is better
_CHUNK = 8192  # values worked on at a time, so that they stay in the cache
_MOST_TERMS = 200


class BetaTails(NamedTuple):
    """``I_x(a, b)``, ``1 - I_x(a, b)``, ``I_x(a + 1, b)`` and ``1 - I_x(a + 1, b)``."""

    lower: np.ndarray
    upper: np.ndarray
    next_lower: np.ndarray
    next_upper: np.ndarray


def beta_tails(a: Any, b: Any, x: Any) -> BetaTails:
    """Tails of the beta distribution function, and of its first moment.

    Parameters
    ----------
    a, b : float, or array_like of shape (n,)
        Positive shape parameters.
    x : array_like
        Values in [0, 1]; they broadcast with a and b.

    Returns
    -------
    BetaTails
        Four arrays of the shape of `x` (and a and b), the small ones to full relative accuracy; NaN for NaN.

    Raises
    ------
    ValueError
        a or b is not positive.

    Notes
    -----
    Up to a + b = 300 by the continued fraction of DLMF 8.17.22, once, on the side
    where it converges fast, and ``I_x(a, b) = I_x(a + 1, b) + x**a (1 - x)**b / (a B(a, b))``
    for the rest: several times faster than calling `scipy.special` twice, which takes over
    beyond, and for arrays of shapes. Relative error below 1e-12 (tested).

    Examples
    --------
    >>> tails = beta_tails(2, 1, [0.5, 1.0])
    >>> tails.lower.round(12).tolist(), tails.upper.round(12).tolist()
    ([0.25, 1.0], [0.75, 0.0])
    """
    x = np.asarray(x, dtype=float)
    if not (np.all(np.greater(a, 0)) and np.all(np.greater(b, 0))):
        raise ValueError(f"a and b must be positive, got {a!r} and {b!r}")
    if np.ndim(a) or np.ndim(b):
        return _by_scipy(np.asarray(a), np.asarray(b), x)
    split = (a + 1) / (a + b + 2)
    if a + b <= _LARGEST:
        terms = max(_terms_needed(a + 1, b, split), _terms_needed(b, a, 1 - split))
        if terms <= _MOST_TERMS:
            return _tails(a, b, x, split, terms)
    return _by_scipy(a, b, x)


def _by_scipy(a, b, x):
    return BetaTails(special.betainc(a, b, x), special.betaincc(a, b, x),
                     special.betainc(a + 1, b, x), special.betaincc(a + 1, b, x))


def _tails(a, b, x, split, terms):
    """All four tails, chunk by chunk."""
    flat = x.ravel()
    out = np.full((4, flat.size), np.nan)
    for start in range(0, flat.size, _CHUNK):
        part = flat[start:start + _CHUNK]
        left = np.flatnonzero(part < split)
        right = np.flatnonzero(part >= split)
        _fill_left(a, b, part[left], terms, out, start + left)
        _fill_right(a, b, part[right], terms, out, start + right)
    return BetaTails(*out.reshape((4, *x.shape)))


def _fill_left(a, b, x, terms, out, where):
    """Left of the split: the next lower tail from the continued fraction, the other by a sum."""
    step = _step(a, b, x, 1 - x)
    following = step * x * ((a + b) / (a + 1)) / _fraction(a + 1, b, x, terms)
    lower = following + step
    out[0, where], out[1, where] = lower, _rest(lower, special.betaincc, a, b, x)
    out[2, where], out[3, where] = following, _rest(following, special.betaincc, a + 1, b, x)


def _fill_right(a, b, x, terms, out, where):
    """Right of the split: the upper tail from the continued fraction, the next one by a sum."""
    rest = 1 - x
    step = _step(a, b, x, rest)
    upper = step * (a / b) / _fraction(b, a, rest, terms)
    following = upper + step
    out[0, where], out[1, where] = _rest(upper, special.betainc, a, b, x), upper
    out[2, where], out[3, where] = _rest(following, special.betainc, a + 1, b, x), following


def _rest(tail, other, a, b, x):
    """``1 - tail``, from scipy where the subtraction would cancel (very skewed shapes)."""
    rest = 1 - tail
    cancels = tail > 0.9
    if cancels.any():
        rest[cancels] = other(a, b, x[cancels])
    return rest


def _step(a, b, x, rest):
    """``x**a (1 - x)**b / (a B(a, b))``, the step from ``I_x(a + 1, b)`` to ``I_x(a, b)``."""
    log_scale = -special.betaln(a, b) - np.log(a)
    with np.errstate(divide="ignore"):
        return np.exp(a * np.log(x) + b * np.log(rest) + log_scale)


def _fraction(a, b, x, terms):
    """The continued fraction of ``I_x(a, b)``, evaluated from its last term."""
    fraction = np.ones_like(x)
    for number in range(terms, 0, -1):
        np.divide(_coefficient(a, b, number) * x, fraction, out=fraction)
        fraction += 1
    return fraction


def _coefficient(a, b, number):
    """Coefficient of x in term `number`, DLMF 8.17.23."""
    m = number // 2
    if number % 2:
        return -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1))
    return m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m))


@lru_cache(maxsize=256)
def _terms_needed(a, b, x):
    """Terms after which the continued fraction at its slowest point no longer changes."""
    point = np.array([x])
    before = _fraction(a, b, point, 4)
    for terms in range(6, _MOST_TERMS + 1, 2):
        value = _fraction(a, b, point, terms)
        if abs(value - before) <= 1e-15 * abs(value):
            return terms
        before = value
    return _MOST_TERMS + 1
