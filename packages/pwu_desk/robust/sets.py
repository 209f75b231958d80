"""Sets of priors over one decision parameter: the largest and the smallest mean of a curve, and the priors that attain
them.

Implements Berger and Berliner's contaminations, quantile and moment classes and bounded ratios.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pwu_lite import validation
from pwu_lite.priors import Dirac, Mixture, Prior, as_prior

from .curve import Curve, Peak, between, check_range
from .restricted import Restricted

__all__ = ["AnyPrior", "BoundedRatio", "Contamination", "Mean", "PriorSet", "Quantiles", "Statements", "Upper"]


ROUNDING = 1e-12  # values of a curve that differ by less than this share of the largest one are equal


class Upper(NamedTuple):
    """The largest mean of a curve over a set of priors, and a prior of the set that has it up to rounding."""

    value: float
    prior: Prior


class PriorSet:
    """A set of priors over one decision parameter; a subclass gives `upper`."""

    def upper(self, curve: Curve) -> Upper:
        """``sup over the set of integral of the curve d pi``, and the prior.

        Parameters
        ----------
        curve : Curve
            Cost, or difference of costs, over the decision parameter.
        """
        raise NotImplementedError

    def lower(self, curve: Curve) -> Upper:
        """``inf over the set of integral of the curve d pi``, and the prior.

        Parameters
        ----------
        curve : Curve
            Cost, or difference of costs, over the decision parameter.
        """
        value, prior = self.upper(-curve)
        return Upper(-value, prior)

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in vars(self).items() if value is not None)
        return f"{type(self).__name__}({', '.join(shown)})"


class AnyPrior(PriorSet):
    """Every prior on [low, high], both ends included; the whole domain, if not given. The worst one is a point mass.

    Where the cost jumps the bound counts the value at the jump and both limits: a prior comes as near to a limit
    as it likes.

    Parameters
    ----------
    low, high : float, optional
        Ends of the closed interval, in the unit of the decision parameter.

    Examples
    --------
    >>> tent = Curve([0.0, 0.5, 1.0], [0.0, 1.0], [1.0, 0.0], "c")
    >>> AnyPrior(0.1, 0.3).upper(tent).value
    0.6
    """

    def __init__(self, low: float | None = None, high: float | None = None):
        self.low, self.high = _ends(low, high)

    def upper(self, curve):
        value, at = curve.peak(*check_range(curve, self.low, self.high, "AnyPrior"))
        return Upper(value, Dirac(at))


class Contamination(PriorSet):
    """``(1 - share) prior + share q``: a share of the readers may believe anything, q.

    Parameters
    ----------
    prior : Prior
    share : float
        In [0, 1].
    within : PriorSet, optional
        Where q must lie; any prior on the domain, if not given.

    References
    ----------
    Berger and Berliner (1986).

    Examples
    --------
    >>> from pwu_lite import Uniform
    >>> tent = Curve([0.0, 0.5, 1.0], [0.0, 1.0], [1.0, 0.0], "c")
    >>> round(Contamination(Uniform(0, 1), 0.2).upper(tent).value, 12)
    0.6
    """

    def __init__(self, prior: Any, share: float, within: PriorSet | None = None):
        self.prior, self.share = one_prior(prior), validation.one_number("share", share)
        if not 0 <= self.share <= 1:
            raise ValueError(f"share must lie in [0, 1], got {share!r}")
        self.within = within if within is None else as_set(within)

    def upper(self, curve):
        if self.share == 0:
            return Upper(curve.mean(self.prior), self.prior)
        worst = (self.within or AnyPrior()).upper(curve)
        value = (1 - self.share) * curve.mean(self.prior) + self.share * worst.value
        return Upper(value, _mixed([self.prior, worst.prior], [1 - self.share, self.share]))


class Statements(PriorSet):
    """All priors for which the masses of some intervals are as stated.

    Parameters
    ----------
    statements : sequence of tuples
        ``(low, high, mass)``, the mass of [low, high), or ``(low, high, at_least, at_most)``. The interval includes its
        low end but not its high end.

    Raises
    ------
    ValueError
        An invalid interval or mass, or (when asked for a bound) no prior that satisfies all statements.

    Notes
    -----
    Inside a cell between neighbouring ends the mass is free, so it goes to the cell's supremum; this leaves
    a linear program with one variable per cell.

    Examples
    --------
    >>> tent = Curve([0.0, 0.5, 1.0], [0.0, 1.0], [1.0, 0.0], "c")
    >>> round(Statements([(0.0, 0.2, 0.5)]).upper(tent).value, 12)
    0.7
    """

    def __init__(self, statements: Sequence[tuple[float, ...]]):
        if isinstance(statements, str) or not isinstance(statements, Iterable):
            raise ValueError(f"statements must be a sequence of (low, high, mass), got {statements!r:.60}")
        self.statements = tuple(_statement(index, given) for index, given in enumerate(statements))

    def holds_for(self, prior: Any, tolerance: float = 1e-9) -> bool:
        """Does a prior satisfy all statements?

        Parameters
        ----------
        prior : Prior or frozen scipy.stats distribution
            The prior to check.
        tolerance : float
            By how much a mass may miss its bounds.
        """
        prior = one_prior(prior)
        masses = [(float(prior.mass(low, high)), least, most) for low, high, least, most in self.statements]
        return all(least - tolerance <= mass <= most + tolerance for mass, least, most in masses)

    def upper(self, curve):
        curve = curve.bounded(min((high for _, high, least, _ in self.statements if least >= 1), default=np.inf))
        stated = {end for low, high, *_ in self.statements for end in (low, high)}
        ends = np.unique([curve.low, curve.high, *np.clip(list(stated), curve.low, curve.high)])
        peaks = [curve.peak(low, high, closed=False) for low, high in zip(ends[:-1], ends[1:], strict=True)]
        if curve.high in stated and curve.parameter.contains(curve.high):  # an end of the domain that belongs to it
            ends = np.append(ends, np.nextafter(curve.high, np.inf))
            peaks.append(Peak(float(curve.value(curve.high)), curve.high))
        masses = self._masses(ends, np.array([peak.value for peak in peaks]))
        value = float(sum(mass * peak.value for mass, peak in zip(masses, peaks, strict=True) if mass > 0))
        return Upper(value, _mixed([Dirac(peak.at) for peak in peaks], masses))

    def _masses(self, ends, gains):
        """Masses of the cells with the largest gain that satisfy the statements."""
        from scipy.optimize import linprog  # slow to import

        inside = np.array([(ends[:-1] >= low) & (ends[1:] <= high) for low, high, *_ in self.statements], dtype=float)
        inside = inside.reshape(len(self.statements), ends.size - 1)
        least, most = (np.array([statement[which] for statement in self.statements]) for which in (2, 3))
        equal = least == most
        below = np.vstack([inside[~equal], -inside[~equal]])
        limits = np.concatenate([most[~equal], -least[~equal]])
        fixed = np.vstack([np.ones(ends.size - 1), inside[equal]])
        answer = linprog(-gains / (np.abs(gains).max() or 1.0), below, limits, fixed, np.append(1.0, least[equal]),
                        (0, None), method="highs", options={"primal_feasibility_tolerance": 1e-10,
                                                            "dual_feasibility_tolerance": 1e-10})
        if answer.status != 0:
            raise ValueError(f"no prior satisfies all of these statements: {self!r}")
        masses = np.where(answer.x < 1e-12, 0.0, answer.x)
        return masses / masses.sum()


class Quantiles(Statements):
    """All priors with these quantiles: ``{theta: P(below theta)}``.

    Parameters
    ----------
    quantiles : mapping of float to float
        Levels in [0, 1], not falling where theta rises.

    Examples
    --------
    >>> tent = Curve([0.0, 0.5, 1.0], [0.0, 1.0], [1.0, 0.0], "c")
    >>> round(Quantiles({0.2: 0.5}).upper(tent).value, 12)
    0.7
    """

    def __init__(self, quantiles: Mapping[float, float]):
        if not isinstance(quantiles, Mapping) or not quantiles:
            raise ValueError(f"quantiles must be a mapping of theta to its level, got {quantiles!r:.60}")
        places, levels = (validation.vector(*pair) for pair in
                          (("theta", list(quantiles)), ("levels", list(quantiles.values()))))
        order = np.argsort(places)
        ends = np.concatenate([[-np.inf], places[order], [np.inf]])
        levels = np.concatenate([[0.0], levels[order], [1.0]])
        if (np.diff(levels) < 0).any():
            raise ValueError(f"levels must lie in [0, 1] and must not fall where theta rises, got {quantiles!r}")
        self.statements = tuple((float(low), float(high), float(mass), float(mass)) for low, high, mass in
                                zip(ends[:-1], ends[1:], np.diff(levels), strict=True))

    def _masses(self, ends, gains):
        """Given: no linear program is needed."""
        masses = [sum(least for low, high, least, _ in self.statements if low <= start and end <= high)
                  for start, end in zip(ends[:-1], ends[1:], strict=True)]
        if abs(sum(masses) - 1) > 1e-9:
            raise ValueError(f"the quantiles leave mass outside the domain: {self!r}")
        return np.array(masses)


class Mean(PriorSet):
    """All priors on [low, high], both ends included, with this mean; the whole domain, if not given.

    The bound is the concave envelope of the curve at the mean, and the worst prior has at most two points.

    Examples
    --------
    >>> tent = Curve([0.0, 0.5, 1.0], [0.0, 1.0], [1.0, 0.0], "c")
    >>> Mean(0.25).upper(tent).value, abs(Mean(0.25).lower(tent).value)
    (0.5, 0.0)
    """

    def __init__(self, mean: float, low: float | None = None, high: float | None = None):
        self.mean, (self.low, self.high) = validation.one_number("mean", mean), _ends(low, high)

    def upper(self, curve):
        low, high = check_range(curve, self.low, self.high, "Mean")
        if not (low < self.mean < high and np.isfinite(high)):
            raise ValueError(f"the mean must lie inside a bounded range, got {self.mean!r} in [{low:g}, {high:g}]: "
                             f"give Mean a low and a high")
        part = curve.cut(low, high)
        kept = part.parameter.contains(np.append(part.edges[:-1], high))
        place = np.concatenate([part.edges[:-1], part.edges[1:], np.append(part.edges[:-1], high)[kept]])
        value = np.concatenate([part.left, part.right, np.append(part.at, curve.value(high))[kept]])
        inner = np.concatenate([*part.inner(), np.append(part.edges[:-1], high)[kept]])
        one, two = _spanning(place, value, self.mean)
        if one == two:
            return Upper(float(value[one]), Dirac(float(inner[one])))
        share = (self.mean - place[one]) / (place[two] - place[one])
        prior = _mixed([Dirac(float(inner[one])), Dirac(float(inner[two]))], [1 - share, share])
        return Upper(float((1 - share) * value[one] + share * value[two]), prior)


class BoundedRatio(PriorSet):
    """All priors with ``d pi / d prior <= ratio``: nobody is more than `ratio` times as frequent as stated.

    The bound is the expected shortfall of the curve at level ``1 - 1/ratio``; the worst prior is the stated one
    restricted to where the curve is high.

    Parameters
    ----------
    prior : Prior
        Without point masses.
    ratio : float
        At least 1.

    References
    ----------
    Walley (1991), the pari-mutuel model: upper probability ``min(1, ratio * prior)``.

    Examples
    --------
    >>> from pwu_lite import Uniform
    >>> tent = Curve([0.0, 0.5, 1.0], [0.0, 1.0], [1.0, 0.0], "c")
    >>> round(BoundedRatio(Uniform(0, 1), 2).upper(tent).value, 12)
    0.75
    """

    def __init__(self, prior: Any, ratio: float):
        self.prior, self.ratio = one_prior(prior), validation.one_number("ratio", ratio)
        if self.ratio < 1:
            raise ValueError(f"ratio must be at least 1, got {ratio!r}")
        if any(isinstance(part, Dirac) for _, part in self.prior.parts):
            raise ValueError("a bounded ratio needs a prior without point masses")

    def upper(self, curve):
        curve.check(self.prior)
        if self.ratio == 1:
            return Upper(curve.mean(self.prior), self.prior)
        curve = curve.bounded(self.prior.support[1])
        known, _ = between(self.prior, curve.edges)
        low, high = np.nextafter(min(curve.left.min(), curve.right.min()), -np.inf), float(max(curve.left.max(),
                                                                                               curve.right.max()))
        while low < (middle := low + (high - low) / 2) < high:
            low, high = (middle, high) if self._mass_above(curve, middle, known) > 1 / self.ratio else (low, middle)
        prior = self._worst(curve, high, ROUNDING * curve.scale, known)
        return Upper(curve.mean(prior), prior)

    def _mass_above(self, curve, level, known):
        whole, starts, ends = _above(curve, level)
        return known[whole].sum() + np.sum(self.prior.mass(starts, ends))

    def _worst(self, curve, level, rounding, known):
        """The prior where the curve is above a level, and what is left to the ratio's limit where it stays at it."""
        whole, starts, ends = _above(curve, level + rounding)
        starts, ends = np.append(curve.edges[:-1][whole], starts), np.append(curve.edges[1:][whole], ends)
        taken = self.ratio * (known[whole].sum() + np.sum(self.prior.mass(starts[whole.sum():], ends[whole.sum():])))
        flat = (np.maximum(np.abs(curve.left - level), np.abs(curve.right - level)) <= rounding) & (known > 0)
        parts, weights = [], []
        if taken > 1e-12:
            order = np.argsort(starts)
            parts, weights = [Restricted(self.prior, starts[order], ends[order])], [min(taken, 1.0)]
        if flat.any() and taken < 1 - 1e-12:
            parts.append(Restricted(self.prior, curve.edges[:-1][flat], curve.edges[1:][flat]))
            weights.append(1 - sum(weights))
        if not parts:
            raise ValueError(f"a ratio of {self.ratio:g} leaves no interval to restrict the prior to: use AnyPrior")
        return _mixed(parts, np.array(weights) / sum(weights))


def _ends(low, high):
    """Ends of an interval, numbers or None."""
    ends = [end if end is None or _is_infinite(end) else validation.one_number(name, end) for name, end in
            (("low", low), ("high", high))]
    if None not in ends and not ends[0] < ends[1]:
        raise ValueError(f"low must be below high, got {low!r} and {high!r}")
    return ends


def as_set(given: Any) -> PriorSet:
    """A set of priors; one prior is a set by itself.

    Examples
    --------
    >>> from pwu_lite import Uniform
    >>> as_set(Uniform(0, 1))
    Contamination(prior=Uniform(low=0.0, high=1.0), share=0.0)
    """
    return given if isinstance(given, PriorSet) else Contamination(given, 0.0)


def one_prior(given: Any) -> Prior:
    """A prior that is the same for all cases."""
    prior = as_prior(given)
    if prior.length is not None:
        raise ValueError("a set of priors is about one prior for all cases, not one for each")
    return prior


def _statement(place, given):
    if isinstance(given, str) or not isinstance(given, Iterable) or len(given := tuple(given)) not in (3, 4):
        raise ValueError(f"statements[{place}] must be (low, high, mass) or (low, high, at_least, at_most), "
                         f"got {given!r:.60}")
    numbers = tuple(validation.one_number(f"statements[{place}]", value) if not _is_infinite(value) else float(value)
                    for value in given)
    low, high, least, most = (*numbers, numbers[-1])[:4]
    if not (low < high and 0 <= least <= most <= 1):
        raise ValueError(f"statements[{place}] needs low < high and masses in [0, 1], got {given!r}")
    return low, high, least, most


def _is_infinite(value):
    return isinstance(value, (int, float, np.floating)) and abs(value) == np.inf


def _mixed(priors, weights):
    """A mixture; a single prior where only one has weight."""
    pairs = [(prior, float(weight)) for prior, weight in zip(priors, weights, strict=True) if weight > 0]
    if len(pairs) == 1:
        return pairs[0][0]
    total = sum(weight for _, weight in pairs)
    return Mixture([prior for prior, _ in pairs], [weight / total for _, weight in pairs])


def _spanning(place, value, at):
    """The one or two points whose segment is highest above `at`: pull the segment up to the farthest point."""
    one = _highest(place == place.min(), value)
    two = _highest(place == place.max(), value)
    # Both points are on the upper hull, on either side of `at`. The farthest point above their segment is on the hull,
    # too, and takes the place of the end on its side; when none is above, the segment is the hull at `at`.
    while True:
        slope = (value[two] - value[one]) / (place[two] - place[one])
        above = value - value[one] - slope * (place - place[one])
        far = int(np.argmax(above))
        if above[far] <= 1e-14 * np.abs(value).max() or far in (one, two):
            return one, two
        if place[far] == at:
            return far, far
        one, two = (far, two) if place[far] < at else (one, far)


def _highest(among, value):
    return int(np.argmax(np.where(among, value, -np.inf)))


def _above(curve, level):
    """Which pieces are above a level, and the parts of the other pieces that are."""
    up, down = curve.left > level, curve.right > level
    rising, falling = down & ~up, up & ~down
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.clip((level - curve.left) / (curve.right - curve.left), 0.0, 1.0)
        cross = np.where(rising | falling, curve.edges[:-1] + share * np.diff(curve.edges), 0.0)
    starts = np.append(cross[rising], curve.edges[:-1][falling])
    ends = np.append(curve.edges[1:][rising], cross[falling])
    kept = starts < ends
    return up & down, starts[kept], ends[kept]
