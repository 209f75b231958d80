"""The prior that a log of past decisions reveals.

Implements no section of the sources: the step from what deciders did to what they believe about costs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, special

from pwu_lite import validation
from pwu_lite._resampling import group_numbers
from pwu_lite.priors import Mixture, Prior, Uniform

__all__ = ["Revealed", "from_decisions"]


class Revealed(NamedTuple):
    """What a log of decisions reveals of the deciders' cost shares: see `from_decisions`.

    Attributes
    ----------
    prior : Mixture
        A mixture of uniform distributions, whose distribution function rises between two blocks of the regression.
    at : ndarray
        Cost shares at which the band is given: the reported forecasts next to the deciles of the prior, on both sides.
    below, low, high : ndarray
        ``P(c < at)``, and the ends of its band, each by itself. Between two reported forecasts the log says nothing:
        all that is known there is that the share lies between the low end at the left one and the high end at the
        right one. The prior rises evenly there, which is a guess.
    """

    prior: Prior
    at: np.ndarray
    below: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def statements(self) -> list[tuple[float, float, float, float]]:
        """The band as statements about the prior at the reported forecasts, see `pwu_desk.robust`."""
        return [(0.0, float(at), float(low), float(high)) for at, low, high in zip(
            self.at, self.low, self.high, strict=True)]


def from_decisions(forecast: Any, acted: Any, *, groups: Any = None, coverage: float = 0.9) -> Revealed:
    """The prior on the cost share that a log of past decisions reveals.

    A decider acts where f > c. So the share of acts among forecasts near f is the share of deciders whose c is
    below f: it *is* the prior's distribution function, and the isotonic regression of acts on forecasts estimates it.
    It assumes that the deciders acted on this forecast and on nothing else; where they knew more, the estimate is of a
    flatter prior.

    Parameters
    ----------
    forecast : array_like, shape (n,)
        Probabilities of an event that the deciders saw, in [0, 1].
    acted : array_like, shape (n,)
        1 where they acted, else 0.
    groups : array_like, shape (n,), optional
        The deciders. One decider's decisions depend on each other, so each decider counts once.
    coverage : float
        Smallest coverage of the band at each cost share by itself, from exact binomial bounds.

    Returns
    -------
    Revealed

    Raises
    ------
    ValueError
        Bad input, or everybody always acted, or nobody ever did, so that nothing can be learned about costs.

    References
    ----------
    Patel and others (2021), for thresholds from what clinicians do.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> f, c = rng.random(4000), rng.beta(2, 10, 4000)
    >>> found = from_decisions(f, f > c)
    >>> bool(abs(found.prior.mean - 1 / 6) < 0.02)
    True
    """
    validation.same_order(forecast=forecast, acted=acted, groups=groups)
    forecast, labels = validation.vector("forecast", forecast), validation.vector("acted", acted)
    validation.reject("forecast", forecast, (forecast < 0) | (forecast > 1), "must be in [0, 1]")
    validation.reject("acted", labels, ~np.isin(labels, (0, 1)), "must be 0 or 1")
    validation.same_length("forecast", forecast, "acted", labels)
    acted = labels == 1
    coverage = validation.inside("coverage", coverage, 0, 1)
    if acted.all() or not acted.any():
        raise ValueError(f"the log has no case that was {'not ' if acted.all() else ''}acted on: it does not tell "
                         f"where the deciders' cost shares lie")
    if not ((forecast > 0) & (forecast < 1)).any():
        raise ValueError("no forecast lies between 0 and 1: the log does not tell where the deciders' cost shares lie")
    order = np.argsort(forecast, kind="stable")
    forecast, acted = forecast[order], acted[order]
    number = None if groups is None else group_numbers(groups, acted.size)[order]
    places, shares = _steps(forecast, acted)
    rises = np.diff(shares) > 0
    prior = Mixture([Uniform(low, high) for low, high in zip(places[:-1][rises], places[1:][rises], strict=True)],
                    np.diff(shares)[rises])
    kinds = np.unique(forecast[(forecast > 0) & (forecast < 1)])
    right = np.searchsorted(kinds, prior.ppf(np.arange(1, 10) / 10))
    at = kinds[np.unique(np.clip([right - 1, right], 0, kinds.size - 1))]
    below = np.interp(at, places, shares)
    low, high = (_bound(forecast, acted, number, at, (1 - coverage) / 2, upper) for upper in (False, True))
    return Revealed(prior, at, below, np.minimum(low, below), np.maximum(high, below))


def _bound(forecast, acted, number, at, tail, upper):
    """A bound of ``P(c < at)`` that holds with probability ``1 - tail``, whatever the cost shares are.

    The chance of an act rises with the forecast. So the acts among decisions at lower forecasts are at most as many as
    at this one, and the exact binomial bound of Clopper and Pearson from them is a lower bound here; from decisions at
    higher forecasts comes an upper one. The window is chosen by the forecasts alone: all decisions at this forecast, or
    the nearest ``sqrt(n)``, if these are more.
    """
    width, found = int(np.ceil(np.sqrt(forecast.size))), np.empty(at.size)
    for index, place in enumerate(at):
        first, last = np.searchsorted(forecast, place, "left"), np.searchsorted(forecast, place, "right")
        window = slice(first, max(last, first + width)) if upper else slice(max(min(first, last - width), 0), last)
        size, share = acted[window].size, acted[window].mean()
        if number is not None:  # decisions of one decider hang together: each counts once, with a mean of their own
            _, who = np.unique(number[window], return_inverse=True)
            own = np.bincount(who, acted[window]) / np.bincount(who)
            size, share = own.size, own.mean()
        hits = share * size if upper else (1 - share) * size
        end = special.betaincinv(hits + 1, size - hits, 1 - tail) if hits < size - 1e-9 else 1.0
        found[index] = end if upper else 1 - end
    return found


def _steps(forecast, acted):
    """Places and heights of the distribution function: level on the blocks of isotonic regression, rising between."""
    inner = (forecast > 0) & (forecast < 1)  # what is certain says nothing of c, whoever acts on it
    if not inner.any():
        return np.array([0.0, 1.0]), np.array([0.0, 1.0])
    acted = acted[inner]
    kinds, number = np.unique(forecast[inner], return_inverse=True)
    size = np.bincount(number)
    fitted = optimize.isotonic_regression(np.bincount(number, acted) / size, weights=size)
    starts, ends = fitted.blocks[:-1], fitted.blocks[1:] - 1
    places = np.column_stack([kinds[starts], kinds[ends]]).ravel()
    heights = np.repeat(fitted.x[starts], 2)
    kept = np.concatenate([[True], np.diff(places) > 0])
    return np.concatenate([[0.0], places[kept], [1.0]]), np.concatenate([[0.0], heights[kept], [1.0]])
