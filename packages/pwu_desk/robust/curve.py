"""A cost as a function of the decision parameter: linear between the places where an act changes.

Implements the Murphy curve behind a prior-weighted utility, with both of its limits at every jump.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite._ranks import ROUNDING
from pwu_lite._tails import NAMES
from pwu_lite.families import Family
from pwu_lite.families.base import Parameter
from pwu_lite.priors import Dirac, Prior

__all__ = ["Curve", "Peak", "cost_curve"]

NARROW = 64  # pieces of fewer floats are taken to be constant


class Peak(NamedTuple):
    """The largest value of a curve on an interval, and a theta at which it is reached up to rounding."""

    value: float
    at: float


class Curve:
    """A function of theta, linear on pieces, that may jump between them.

    Attributes
    ----------
    edges : ndarray, shape (m + 1,)
        Ends of the pieces, strictly increasing.
    left, right : ndarray, shape (m,)
        The piece's limits at its left and at its right end. They agree on an unbounded piece.
    name : str
        Name of the decision parameter.
    at : ndarray, shape (m,)
        The value at each left end itself; `left`, if not given. Where acts tie it may be neither limit.
    parameter : Parameter
        The decision parameter; its domain is the open interval between the first and the last edge, if not given.
    grows : float
        Slope of an unbounded last piece. A set of priors then needs a bounded range.
    blur : float
        How far from an edge, relative to its size, acts may still tie by rounding: 0 for edges that are exact.

    Examples
    --------
    >>> tent = Curve([0.0, 0.5, 1.0], [0.0, 1.0], [1.0, 0.0])
    >>> tent.peak(0.0, 1.0).value, tent.peak(0.0, 0.25).value
    (1.0, 0.5)
    """

    def __init__(self, edges: ArrayLike, left: ArrayLike, right: ArrayLike, name: str = "theta",
                 at: ArrayLike | None = None, parameter: Parameter | None = None, grows: float = 0.0,
                 blur: float = 0.0):
        self.edges = validation.as_float("edges", edges)
        self.left, self.right = validation.numbers("left", left), validation.numbers("right", right)
        self.at = self.left if at is None else validation.numbers("at", at)
        pieces = (self.edges.size - 1,)
        if self.edges.ndim != 1 or pieces[0] < 1 or not (np.diff(self.edges) > 0).all():
            raise ValueError(f"edges must be strictly increasing, at least two of them, got {edges!r:.60}")
        if not self.left.shape == self.right.shape == self.at.shape == pieces:
            raise ValueError(f"{self.edges.size} edges need {pieces[0]} values in left, right and at, got "
                             f"{self.left.size}, {self.right.size} and {self.at.size}")
        self.name, self.grows, self.blur = name, grows, blur
        self.parameter = parameter or Parameter(name, (self.low, self.high))

    @property
    def low(self) -> float:
        """Lower end of the parameter's domain."""
        return float(self.edges[0])

    @property
    def high(self) -> float:
        """Upper end of the parameter's domain."""
        return float(self.edges[-1])

    @property
    def scale(self) -> float:
        """The largest absolute value."""
        return float(max(np.abs(self.left).max(), np.abs(self.right).max()))

    def __neg__(self) -> Curve:
        return self._like(self.edges, -self.left, -self.right, -self.at, -self.grows)

    def __sub__(self, other: Curve) -> Curve:
        if (self.low, self.high, self.name) != (other.low, other.high, other.name):
            raise ValueError(f"the curves are on different parameters, {self.name} and {other.name}")
        if self.blur and (np.diff(snapped := self._snapped(other.edges)) > 0).all():
            other = other._like(snapped, other.left, other.right, other.at)
        one, two, edges = self, other, self.edges
        if not np.array_equal(edges, other.edges):
            edges = np.union1d(edges, other.edges)
            one, two = self.on(edges), other.on(edges)
        grows = self.grows - other.grows
        grows = 0.0 if abs(grows) <= 1e-12 * max(abs(self.grows), abs(other.grows)) else grows
        return self._like(edges, one.left - two.left, one.right - two.right, one.at - two.at, grows)

    def on(self, edges: np.ndarray) -> Curve:
        """The same function cut at more places; `edges` contain its own."""
        return self._cut_at(edges, np.searchsorted(self.edges, edges[:-1], side="right") - 1)

    def value(self, theta: ArrayLike) -> np.ndarray:
        """Value at each theta."""
        theta = self._snapped(np.asarray(theta, dtype=float))
        piece = np.clip(np.searchsorted(self.edges, theta, side="right") - 1, 0, self.left.size - 1)
        return np.where(theta == self.edges[piece], self.at[piece], self._at(piece, theta))

    def cut(self, low: float, high: float) -> Curve:
        """The part between low and high."""
        low, high = (float(end) for end in self._snapped(np.array([low, high])))
        start, end = np.searchsorted(self.edges, low, side="right"), np.searchsorted(self.edges, high, side="left")
        edges = np.concatenate([[low], self.edges[start:end], [high]])
        return self._cut_at(edges, np.arange(start - 1, start - 2 + edges.size))

    def peak(self, low: float, high: float, closed: bool = True) -> Peak:
        """The supremum over [low, high] inside the parameter's domain, and where it is.

        Limits from inside the interval count: a prior may come as near to them as it likes. The value at `high`
        itself counts unless `closed` is False.
        """
        part = self.cut(low, high)
        starts, ends = part.inner()
        places = [starts, ends, part.edges[:-1], np.array([high])]
        values = [part.left, part.right, part.at, self.value(high).reshape(1)]
        limits = np.ones(len(starts), bool)
        inside = np.concatenate([limits, limits, self.parameter.contains(places[2]),
                                 self.parameter.contains(places[3]) & closed])
        value = np.where(inside, np.concatenate(values), -np.inf)
        index = int(np.argmax(value))
        return Peak(float(value[index]), float(np.concatenate(places)[index]))

    def inner(self) -> tuple[np.ndarray, np.ndarray]:
        """Places just inside both ends of every piece, far enough for a square root to see the difference."""
        lo, hi = self.edges[:-1], self.edges[1:]
        finite = np.where(np.isfinite(hi), hi, 2 * np.maximum(np.abs(lo), 1.0))
        if self.blur:  # beyond what rounding reaches, or in the middle of a piece that is narrower than that
            steps = [np.minimum(np.maximum(self.blur * np.abs(end), 8 * np.spacing(np.abs(end))), (finite - lo) / 2)
                     for end in (lo, finite)]
            return lo + steps[0], finite - steps[1]
        step = 8 * np.spacing(np.maximum(np.abs(lo), np.abs(finite)))
        wide = finite - lo > 4 * step
        return np.where(wide, lo + np.minimum(step, 8 * np.spacing(np.abs(lo))), lo), np.where(wide, finite - step, lo)

    def mean(self, prior: Prior) -> float:
        """``integral of the curve d prior``; the prior must lie in the parameter's domain."""
        self.check(prior)
        mass, first = between(prior, self.edges)
        total = mass @ self.left
        if self.grows and mass[-1] > 0:
            total += self.grows * (first[-1] - self.edges[-2] * mass[-1])
        sloped = (mass > 0) & (self.left != self.right)
        if sloped.any():
            lo, hi, mass = self.edges[:-1][sloped], self.edges[1:][sloped], mass[sloped]
            share = np.clip((first[sloped] / mass - lo) / (hi - lo), 0.0, 1.0)
            total += (mass * share) @ (self.right - self.left)[sloped]
        for weight, part in prior.parts:  # a point mass on an edge has the value there, which may be neither limit
            if isinstance(part, Dirac) and (piece := np.flatnonzero(self.edges[:-1] == part.at)).size:
                total += weight * (self.at - self.left)[piece[0]]
        return float(total)

    def check(self, prior: Prior) -> None:
        """Raise ValueError for a prior that the decision parameter cannot have, as `PWU` does."""
        self.parameter.check_prior(prior)

    def _snapped(self, theta):
        """A place that differs from an edge by rounding alone is the edge, where edges are computed."""
        if not self.blur:
            return theta
        after = np.clip(np.searchsorted(self.edges, theta), 1, self.edges.size - 1)
        near = ROUNDING * np.abs(np.where(np.isfinite(theta), theta, 0.0))  # an end at infinity is kept
        for edge in (self.edges[after - 1], self.edges[after]):
            far = np.full(np.shape(theta), np.inf)
            np.subtract(edge, theta, out=far, where=np.isfinite(theta))
            theta = np.where(np.abs(far) <= near, edge, theta)
        return theta

    def bounded(self, high: float = np.inf) -> Curve:
        """The curve, up to `high` if it grows beyond; a ValueError if it grows without bound."""
        if self.grows and self.low < high < self.high:
            return self.cut(self.low, high)
        if self.grows:
            raise ValueError(f"the cost grows without bound in {self.name}: sets of priors need a bounded range of it")
        return self

    def _like(self, edges, left, right, at, grows=None):
        return Curve(edges, left, right, self.name, at, self.parameter, self.grows if grows is None else grows,
                     self.blur)

    def _cut_at(self, edges, piece):
        piece = np.clip(piece, 0, self.left.size - 1)
        left, endless = self._at(piece, edges[:-1]), np.isinf(edges[-1])
        right = self._at(piece, np.where(np.isinf(edges[1:]), edges[:-1], edges[1:]))
        return self._like(edges, left, right, self.value(edges[:-1]), self.grows if endless else 0.0)

    def _at(self, piece, theta):
        lo, hi, left, right = self.edges[piece], self.edges[piece + 1], self.left[piece], self.right[piece]
        with np.errstate(invalid="ignore"):
            share = np.where(np.isfinite(hi), (theta - lo) / np.where(np.isfinite(hi), hi - lo, 1.0), 0.0)
        beyond = self.grows * (theta - lo) if self.grows else 0.0
        return left + np.where(np.isfinite(hi), np.clip(share, 0.0, 1.0) * (right - left), beyond)


def cost_curve(family: Family, y_true: ArrayLike, *prediction: ArrayLike,
               sample_weight: ArrayLike | None = None) -> Curve:
    """Average cost of a forecast at every value of the decision parameter, ``-U_theta``, exactly.

    Two utilities in each piece between `family.breakpoints` say what is linear there. For a parameter that
    counts, the curve is on the share u = k/n, constant on ((k - 1)/n, k/n].

    Raises
    ------
    ValueError
        Bad input, a family with two priors, or one that does not say where its acts change.

    Examples
    --------
    >>> from pwu_lite import BinaryDecision
    >>> cost = cost_curve(BinaryDecision(), [0, 1], [0.2, 0.6])
    >>> cost.edges.tolist(), abs(cost.left).round(6).tolist(), abs(cost.right).round(6).tolist()
    ([0.0, 0.2, 0.6, 1.0], [0.0, 0.0, 0.2], [0.1, 0.0, 0.0])
    """
    if not isinstance(family, Family):
        raise ValueError(f"family must be a decision family, got {type(family).__name__}")
    validation.same_order_of_models({"the model": prediction}, y_true=y_true, sample_weight=sample_weight)
    data = family.read(y_true, *prediction)
    return read_curve(family, data, family.weight(sample_weight, data))


def read_curve(family: Family, data: tuple[np.ndarray, ...], weight: np.ndarray | None,
               starts: np.ndarray | None = None) -> Curve:
    """As `cost_curve`, of data that are read already; `starts` are all left ends of pieces, if known."""
    if len(family.stated) != 1:
        raise ValueError(f"{type(family).__name__} has {len(family.stated)} priors"
                         f"{', on ' * bool(family.names)}{' and '.join(family.names)}: sets of priors are for one "
                         f"decision parameter")
    parameter = family.stated[0]
    if parameter.counts:
        return _steps(family, data, weight, parameter)
    if not family.linear_between_breakpoints:
        raise ValueError(f"the cost of {family!r} is not linear between two changes of act: sets of priors need that")
    starts, high = piece_starts(family, data) if starts is None else starts, parameter.domain[1]
    ends = np.append(starts[1:], high)
    span = np.where(np.isfinite(ends), ends, 4 * np.where(starts == 0, 1.0, np.abs(starts))) - starts
    narrow = span <= NARROW * np.spacing(np.maximum(np.abs(starts), np.abs(starts + span)))
    first_costs, second_costs = (_costs(family, data, weight, starts + np.where(narrow, 0.0, share * span))
                                 for share in (0.25, 0.75))
    slope = np.where(narrow, 0.0, second_costs - first_costs)
    grows = 0.0
    if not np.isfinite(high):
        if abs(slope[-1]) > 1e-13 * max(abs(first_costs[-1]), abs(second_costs[-1]), 1e-300):
            grows = float(2 * slope[-1] / span[-1])
            first_costs[-1] -= slope[-1] / 2
            second_costs[-1] = first_costs[-1]
        slope[-1] = 0.0
    left = first_costs - slope / 2
    at = np.append(left[:1], _costs(family, data, weight, starts[1:]) if starts.size > 1 else [])
    return Curve(np.append(starts, high), left, second_costs + slope / 2, parameter.name, at, parameter, grows,
                 family.blur)


def has_curve(family: Family, data: tuple[np.ndarray, ...]) -> bool:
    """One decision parameter with a prior, and a family that says where its acts change?

    Examples
    --------
    >>> from pwu_lite import BinaryDecision, RiskAverseTopK
    >>> y, f, s = np.array([False, True]), np.array([0.2, 0.6]), np.array([1.0, 2.0])
    >>> has_curve(BinaryDecision(), (y, f)), has_curve(RiskAverseTopK(), (y, f, s))
    (True, False)
    """
    if len(family.stated) != 1 or not family.linear_between_breakpoints:
        return False
    if family.stated[0].counts:
        return True
    return family.breakpoints(data)[1] is not None and not read_curve(family, data, None).grows


def piece_starts(family: Family, *several: tuple[np.ndarray, ...]) -> np.ndarray:
    """Left ends of the pieces on which all these forecasts' costs are linear; empty for a parameter that counts."""
    if family.stated[0].counts:
        return np.empty(0)
    edges = [np.asarray(family.breakpoints(data)[1], dtype=float).ravel() for data in several]
    low, high = family.stated[0].domain
    inside = np.unique(np.concatenate(edges))
    return np.concatenate([[low], inside[(inside > np.nextafter(low, np.inf)) & (inside < high)]])


def _costs(family, data, weight, values):
    return -np.asarray(family.utilities(family.thetas(values, data), data, weight), dtype=float).reshape(
        values.size, -1).mean(axis=1)


def _steps(family, data, weight, parameter):
    """A curve on u = k/n: piece k is ((k - 1)/n, k/n], so its left end is the next float."""
    n = len(data[0])
    cost = -np.asarray(family.utilities(np.arange(1, n + 1), data, weight), dtype=float)
    edges = np.concatenate([[0.0], np.nextafter(np.arange(1, n) / n, 2.0), [1.0]])
    return Curve(edges, cost, cost, parameter.name, cost, parameter)


def between(prior: Prior, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mass and partial mean of a prior between neighbouring edges, mass at the last edge included."""
    edges = np.append(edges[:-1], np.inf)
    mass, first = np.zeros(edges.size - 1), np.zeros(edges.size - 1)
    for weight, part in prior.parts:
        if type(part).partial_mean is Prior.partial_mean and type(part).mass is Prior.mass:  # as `Prior` does it, once
            below, above, mean_below, mean_above = (part.tail(name, edges) for name in NAMES[:4])
            near = (below[:-1] < above[:-1]) | np.isinf(mean_above[:-1])
            with np.errstate(invalid="ignore"):
                one = np.where(near, np.diff(below), -np.diff(above))
                two = np.where(near, np.diff(mean_below), -np.diff(mean_above))
        else:
            one, two = part.mass(edges[:-1], edges[1:]), part.partial_mean(edges[:-1], edges[1:])
        mass += weight * np.asarray(one)
        first += weight * np.asarray(two)
    return mass, first


def check_range(curve: Curve, low: Any, high: Any, what: str) -> tuple[float, float]:
    """Ends of an interval of the parameter, the domain's where None."""
    low = curve.low if low is None else validation.one_number("low", low)
    high = curve.high if high is None else _upper_end(high)
    if high == np.inf:
        curve.bounded()
    if not curve.low <= low < high <= curve.high:
        raise ValueError(f"{what}: low and high must be ascending inside [{curve.low:g}, {curve.high:g}], the domain "
                         f"of {curve.name}; got {low!r} and {high!r}")
    return low, high


def _upper_end(high):
    return np.inf if isinstance(high, (int, float)) and high == np.inf else validation.one_number("high", high)
