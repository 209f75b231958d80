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
    fractions = None if np.ndim(a) or np.ndim(b) or a + b > _LARGEST else _fractions(a, b)
    if fractions is None:
        a, b = np.asarray(a), np.asarray(b)
        return BetaTails(special.betainc(a, b, x), special.betaincc(a, b, x),
                         special.betainc(a + 1, b, x), special.betaincc(a + 1, b, x))
    flat, log_scale = x.ravel(), special.betaln(a, b) + np.log(a)
    out = np.full((4, flat.size), np.nan)
    for start in range(0, flat.size, _CHUNK):
        part = flat[start:start + _CHUNK]
        for is_left in (True, False):
            chosen = np.flatnonzero(part < fractions.split if is_left else part >= fractions.split)
            if chosen.size:
                out[:, start + chosen] = _one_side(a, b, part[chosen], fractions, log_scale, is_left)
    return BetaTails(*out.reshape((4, *x.shape)))


class _Fractions(NamedTuple):
    """Where the two continued fractions of a shape meet, and their coefficients, the last term first."""

    split: float
    left: list[float]
    right: list[float]


def _one_side(a, b, x, fractions, log_scale, is_left):
    """The four tails on one side of the split: a small one by its continued fraction, a sum, two differences."""
    rest = 1 - x
    with np.errstate(divide="ignore"):  # the step from I_x(a + 1, b) to I_x(a, b)
        step = np.exp(a * np.log(x) + b * np.log(rest) - log_scale)
    fraction, place = np.ones_like(x), x if is_left else rest
    for coefficient in fractions.left if is_left else fractions.right:
        np.divide(coefficient * place, fraction, out=fraction)
        fraction += 1
    if is_left:
        following = step * x * ((a + b) / (a + 1)) / fraction
        small = following + step, following
    else:
        upper = step * (a / b) / fraction
        small = upper, upper + step
    large = 1 - small[0], 1 - small[1]
    for tail, difference, shape in zip(small, large, (a, a + 1), strict=True):
        cancels = tail > 0.9  # very skewed shapes
        if cancels.any():
            difference[cancels] = (special.betaincc if is_left else special.betainc)(shape, b, x[cancels])
    return (small[0], large[0], small[1], large[1]) if is_left else (large[0], small[0], large[1], small[1])


@lru_cache(maxsize=256)
def _fractions(a, b):
    """The continued fractions of a shape, DLMF 8.17.23; None where they converge slowly."""
    split = (a + 1) / (a + b + 2)
    terms = max(_terms_needed(a + 1, b, split), _terms_needed(b, a, 1 - split))
    if terms > _MOST_TERMS:
        return None
    return _Fractions(split, _coefficients(a + 1, b, terms), _coefficients(b, a, terms))


def _terms_needed(a, b, x):
    """Terms after which the continued fraction at its slowest point no longer changes."""
    before = np.inf
    for terms in range(4, _MOST_TERMS + 1, 2):
        value = 1.0
        for coefficient in _coefficients(a, b, terms):
            value = 1 + coefficient * x / value
        if abs(value - before) <= 1e-15 * abs(value):
            return terms
        before = value
    return _MOST_TERMS + 1


def _coefficients(a, b, terms):
    """Coefficients of x in the continued fraction of ``I_x(a, b)``, the last term first."""
    numbers = np.arange(terms, 0, -1)
    m = numbers // 2
    odd = -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        even = m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m))
    return np.where(numbers % 2 == 1, odd, even).tolist()
