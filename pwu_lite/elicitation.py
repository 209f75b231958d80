"""From what a decision maker says to a prior: by its mode, by two quantiles, or by moving another one.

Implements appendix I of the PWU paper.
"""

import contextlib
from typing import Any

import numpy as np
from scipy import optimize

from . import _special as special
from . import validation
from .priors import Beta, Dirac, Gamma, LogNormal, Prior, TruncatedBeta, as_prior

__all__ = ["beta_from_mode", "beta_from_quantiles", "lognormal_from_quantiles", "mode"]

_LOG_SIZES = (-12.0, 35.0)  # between which the logarithm of a + b is looked for


def beta_from_mode(mode: float, concentration: float, scale: float = 1.0) -> Beta:
    """Beta prior with a given mode; a larger concentration makes it narrower and keeps the mode.

    ``Beta(1 + kappa m, 1 + kappa (1 - m))`` on (0, scale) with ``m = mode/scale``.

    Parameters
    ----------
    mode : float
        Most likely value, in the units of theta, inside (0, scale).
    concentration : float
        kappa = a + b - 2 > 0; zero would be the uniform prior.
    scale : float
        Upper end of the prior, in the units of theta.

    Raises
    ------
    ValueError
        The mode is outside (0, scale), or the concentration is not positive.

    References
    ----------
    PWU paper, appendix I.2; its recipe, scaling a and b together, moves the mode.

    Examples
    --------
    >>> beta_from_mode(0.1, 10)
    Beta(a=2.0, b=10.0, scale=1.0)
    """
    scale = validation.positive("scale", scale)
    share = validation.inside("mode", mode, 0, scale) / scale
    kappa = validation.positive("concentration", concentration)
    return Beta(1 + kappa * share, 1 + kappa * (1 - share), scale=scale)


def beta_from_quantiles(low: float, high: float, coverage: float = 0.9, scale: float = 1.0) -> Beta:
    """The Beta prior that has equal tails outside [low, high].

    Solves ``P(theta < low) = P(theta > high) = (1 - coverage)/2``; two quantiles leave no
    freedom in a Beta distribution.

    Parameters
    ----------
    low, high : float
        In the units of theta, ``0 < low < high < scale``.
    coverage : float
        Probability of the interval, in (0, 1).
    scale : float
        Upper end of the prior.

    Raises
    ------
    ValueError
        The interval is empty or reaches an end, or it is too narrow or too wide to be solved for.

    References
    ----------
    PWU paper, appendix I.3 (the quantile check, inverted).

    Examples
    --------
    >>> prior = beta_from_quantiles(1 / 31, 1 / 4)  # a miss costs 3 to 30 false alarms
    >>> round(prior.a, 2), round(prior.b, 2)
    (2.7, 19.47)
    >>> round(prior.mass(1 / 31, 1 / 4), 12)
    0.9
    """
    scale = validation.positive("scale", scale)
    start, end = _between(low, high)
    if end >= scale:
        raise ValueError(f"high must lie below the prior's upper end {scale:g}, got {high!r}: set `scale`, or give "
                         f"1/(1 + ratio) for a cost ratio and k/n for a number of cases")
    start, end = start / scale, end / scale
    tail = (1 - validation.inside("coverage", coverage, 0, 1)) / 2
    missed = np.inf

    def too_high(size: float) -> float:
        return float(special.betaincc(*_shapes(start, tail, size), end)) - tail

    with contextlib.suppress(ValueError):  # no change of sign, or a shape beyond those of a Beta
        a, b = _shapes(start, tail, optimize.brentq(too_high, *_LOG_SIZES, xtol=1e-13))
        prior = Beta(a, b, scale=scale)
        missed = abs(special.betainc(a, b, start) - tail) + abs(special.betaincc(a, b, end) - tail)
    if not missed < 1e-8:
        raise ValueError(f"no Beta prior was found with {coverage:g} of its mass in [{low!r}, {high!r}]: "
                         f"the interval is too narrow or too wide")
    return prior


def lognormal_from_quantiles(low: float, high: float, coverage: float = 0.9) -> LogNormal:
    """The log-normal prior that has equal tails outside [low, high], for a parameter without an upper end.

    ``mu = log(low high)/2`` and ``sigma = log(high/low)/(2 z)`` with z the normal quantile of
    ``(1 + coverage)/2``; its median is the geometric mean of the ends.

    Parameters
    ----------
    low, high : float
        In the units of theta, ``0 < low < high``.
    coverage : float
        Probability of the interval, in (0, 1).

    Raises
    ------
    ValueError
        The interval is empty or not positive.

    References
    ----------
    PWU paper, table I.1.

    Examples
    --------
    >>> prior = lognormal_from_quantiles(900, 8100)
    >>> round(prior.ppf(0.5), 6), round(prior.mass(900, 8100), 12)
    (2700.0, 0.9)
    """
    low, high = _between(low, high)
    coverage = validation.inside("coverage", coverage, 0, 1)
    z = -special.ndtri((1 - coverage) / 2) if coverage > 0.5 else np.sqrt(2) * special.erfinv(coverage)
    return LogNormal(float(np.log(low) + np.log(high)) / 2, float((np.log(high) - np.log(low)) / (2 * z)))


def _between(low: float, high: float) -> tuple[float, float]:
    low, high = validation.positive("low", low), validation.positive("high", high)
    if not low < high:
        raise ValueError(f"low must be below high, got {low!r} and {high!r}")
    return low, high


def _shapes(low: float, tail: float, size: float) -> tuple[float, float]:
    """a and b with log(a + b) = size and P(theta < low) = tail, by bisection in the log-odds of the mean."""
    def shapes(log_odds: float) -> tuple[float, float]:
        return np.exp(size) * special.expit(log_odds), np.exp(size) * special.expit(-log_odds)

    centre = special.logit(low)
    def missed(x: float) -> float:
        below = float(special.betainc(*shapes(x), low))  # not a number for the smallest shapes on some platforms
        return (float(x < centre) if np.isnan(below) else below) - tail

    return shapes(optimize.brentq(missed, centre - 60, centre + 60, xtol=1e-13))


def _single(prior: Prior) -> Prior:
    """One prior for all cases."""
    prior = as_prior(prior)
    if prior.length is not None:
        raise ValueError(f"one prior for all cases is needed, but {prior!r} is for {prior.length} cases, one each")
    return prior


def mode(prior: Any) -> float:
    """The most likely value of a single prior, NaN where no peak inside its support is known.

    Parameters
    ----------
    prior : Prior or frozen scipy.stats distribution
        One prior for all cases.

    Examples
    --------
    >>> mode(Beta(2, 10))
    0.1
    """
    prior = _single(prior)
    if isinstance(prior, Beta) and prior.a > 1 and prior.b > 1:
        return prior.scale * (prior.a - 1) / (prior.a + prior.b - 2)
    if isinstance(prior, TruncatedBeta):
        peak = mode(Beta(prior.a, prior.b))
        return peak if prior.low < peak < prior.high else float("nan")
    if isinstance(prior, Gamma) and prior.shape > 1:
        return (prior.shape - 1) * prior.scale
    if isinstance(prior, LogNormal):
        return float(np.exp(prior.mu - prior.sigma**2))
    if isinstance(prior, Dirac):
        return prior.at
    return float("nan")
