"""What every decision family has: its parameters, how it reads data, and what it must provide for a prior-weighted
utility.

Implements sections 3.2 and 4 of the PWU paper: a utility for each decision parameter.
"""

import abc
import itertools
import math
import re
import reprlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..metrics._kernels import average
from ..priors import Dirac, Frozen, Prior

__all__ = ["FALSE_ALARM", "Family", "JointFamily", "Parameter", "Resolved", "SeparableFamily", "resolved"]

FALSE_ALARM = "cost share of a false alarm, c"
"""What c is where an act may be a false alarm: the words of a picture's axis."""


Data = tuple[np.ndarray, ...]  # labels and forecast, read
Weight = np.ndarray | None
References = tuple[tuple[Any, ...], tuple[Any, ...]] | None


@dataclass(frozen=True)
class Parameter:
    """One number that a decision depends on.

    Attributes
    ----------
    name : str
        Name of the parameter; for a count, the name of its share, "k/n".
    domain : (float, float)
        Its values lie strictly between these.
    counts : bool
        The utility takes a whole number k from 1 to n; a prior is on the share k/n, in (0, 1], and
        `pwu_lite.families.mass_of_k` turns it into P(k = j).
    needs_mean : bool
        A prior must have a finite mean.
    averaged : bool
        The family itself averages over this parameter, a number counted from 0 (a class, say); it takes no prior.
    words : str
        What it is, on the axis of a picture; its name, if not given.

    Examples
    --------
    >>> Parameter("k/n", counts=True).theta([0.25, 1.0], 10).tolist()
    [3.0, 10.0]
    """

    name: str
    domain: tuple[float, float] = (0.0, np.inf)
    counts: bool = False
    needs_mean: bool = False
    averaged: bool = False
    words: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.counts:  # k/n lies in (0, 1], whatever else is stated
            object.__setattr__(self, "domain", (0.0, 1.0))

    @property
    def short(self) -> str:
        """The name of what the utility takes: k for k/n."""
        return self.name.split("/")[0] if self.counts else self.name

    def contains(self, values: Any) -> np.ndarray:
        """Which values of a prior lie in the domain?"""
        (low, high), values = self.domain, np.asarray(values)
        return np.asarray((values > low) & ((values < high) | (self.counts & (values == high))))

    def read(self, values: np.ndarray, length: int) -> np.ndarray:
        """Check values at which the utility of `length` cases is to be computed.

        Parameters
        ----------
        values : float or array_like
            Values of the utility's parameter, in its unit; of counts k, not k / n.
        length : int
            Number of cases.
        """
        values = validation.vector(self.short, values)
        if self.averaged or self.counts:
            least, most = (0, np.inf) if self.averaged else (1, length)
            wrong = (values != np.floor(values)) | (values < least) | (values > most)
            reach = f"from {least} on" if self.averaged else f"from {least} to {most}"
            validation.reject(self.short, values, wrong, f"must be a whole number {reach}")
            return values.astype(int)
        return validation.check_thetas(self.short, values, *self.domain)

    def theta(self, values: Any, length: int) -> np.ndarray:
        """Convert values of a prior to what the utility takes, for instance a share to a number of cases; an open end
        gives nothing."""
        values = np.asarray(values, dtype=float)
        if self.counts:  # the k with (k - 1)/n < share <= k/n, whatever the product is rounded to
            k = np.ceil(values * length)
            k -= (k - 1) / length >= values
            return np.clip(k + (k / length < values), 1, length)
        low, high = self.domain
        return np.clip(values, np.nextafter(low, np.inf), np.nextafter(high, -np.inf))

    def check_prior(self, prior: Prior) -> None:
        """Raise ValueError for a prior that this parameter cannot have."""
        low, high = self.domain
        start, end = prior.support
        atoms = [part.at for _, part in prior.parts if isinstance(part, Dirac)]
        if start < low or end > high or not all(self.contains(at).all() for at in atoms):
            raise ValueError(f"the prior on {self.name} has mass outside ({low:g}, {high:g}): "
                             f"its support is [{start:g}, {end:g}]")
        if self.needs_mean and not np.isfinite(prior.mean).all():
            raise ValueError(f"the prior on {self.name} needs a finite mean")


class Resolved(NamedTuple):
    """Priors, one for each stated parameter, taken apart once.

    Attributes
    ----------
    each : tuple of Prior
        As they were stated.
    parts : list of (weight, parts, theta)
        Combinations of a part of each prior; theta is what the utility takes where all of them are point masses.
    lengths : list of int
        Numbers of cases of the priors that are for each case.
    """

    each: tuple[Prior, ...]
    parts: list[tuple[float, tuple[Prior, ...], Any]]
    lengths: list[int]


def resolved(*priors: Prior) -> Resolved:
    """Independent priors as weighted combinations of their parts; of one prior all continuous parts together.

    Examples
    --------
    >>> from pwu_lite import Beta, Mixture
    >>> [theta for _, _, theta in resolved(Mixture([Beta(2, 10), Beta(3, 30), Dirac(0.5)], [0.3, 0.2, 0.5])).parts]
    [None, 0.5]
    """
    combined = []
    for combination in itertools.product(*(prior.blended() if len(priors) == 1 else prior.parts for prior in priors)):
        parts = tuple(part for _, part in combination)
        known = all(isinstance(part, Dirac) for part in parts)
        theta = tuple(part.at for part in parts if isinstance(part, Dirac)) if known else None
        theta = theta[0] if theta is not None and len(theta) == 1 else theta
        combined.append((math.prod(weight for weight, _ in combination), parts, theta))
    return Resolved(priors, combined, [prior.length for prior in priors if prior.length is not None])


class Family(abc.ABC):
    """A set of utilities ``U_theta``, one for each value of the decision parameters.

    A family of your own extends `SeparableFamily`, where each case has a cost of its own, or
    `JointFamily`. Public methods (`read`, `utility`, `words`) check their arguments and
    then call the family's own (`check`, `utilities`, `describe`).

    Attributes
    ----------
    parameters : tuple of Parameter
        The decision parameters, in the order in which theta names them.
    takes : tuple of str
        What a prediction consists of.
    """

    parameters: tuple[Parameter, ...] = (Parameter("theta"),)
    takes: tuple[str, ...] = ("y_prob",)
    separable: ClassVar[bool] = False
    multiclass: ClassVar[bool] = False  # y_prob has a column for each class
    blur: ClassVar[float] = 0.0  # how near to a breakpoint, relative to it, acts may tie by rounding; 0: it is exact
    # of two costs of a case, whatever the forecasts and theta; None: there is no bound
    largest_difference: float | None = None
    classes: Any = None  # their names, if the family knows them
    check: Callable[..., Data] = staticmethod(validation.check_binary)

    @reprlib.recursive_repr("...")
    def __repr__(self) -> str:
        holds = ", ".join(f"{name}={_short(value)}" for name, value in sorted(vars(self).items()))
        return f"{type(self).__name__}({holds})"

    def __eq__(self, other: object) -> bool:
        return self is other or type(self) is type(other) and _same(vars(self), vars(other))

    def __hash__(self) -> int:  # what a family holds may change while it is used
        return hash(type(self))

    @property
    def stated(self) -> tuple[Parameter, ...]:
        """The parameters that take a prior."""
        return tuple(parameter for parameter in self.parameters if not parameter.averaged)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters that take a prior."""
        return tuple(parameter.name for parameter in self.stated)

    def check_declaration(self) -> None:
        """Raise ValueError if nothing can be computed from what the class declares."""
        name = type(self).__name__
        for attribute, kind in (("parameters", Parameter), ("takes", str)):
            given = getattr(self, attribute)
            empty = attribute == "takes" and not given  # a family may have no parameter: then all costs are known
            if not isinstance(given, tuple) or empty or not all(isinstance(item, kind) for item in given):
                raise ValueError(f"{attribute} of {name} must be a tuple of {kind.__name__}, got {given!r}: "
                                 f"one needs a comma, ({attribute[:-1]},)")

    def read(self, y_true: ArrayLike, *prediction: ArrayLike) -> Data:
        """Check labels and prediction, and return them as arrays.

        Parameters
        ----------
        y_true : array_like, shape (n,)
            Labels or targets.
        *prediction : array_like
            What the family takes, for instance ``y_prob``, or ``mean, std``.
        """
        if len(prediction) != len(self.takes):
            raise ValueError(f"{type(self).__name__} takes y_true, {', '.join(self.takes)}; "
                             f"got {len(prediction)} argument(s) after y_true")
        validation.same_order(y_true=y_true, **dict(zip(self.takes, prediction, strict=True)))
        try:
            return self.check(*self.by_name(y_true, *prediction))
        except TypeError as error:  # a reader's own family with another check
            raise ValueError(f"{type(self).__name__} takes {', '.join(self.takes)}, but its check does not: "
                             f"{error}") from error

    def by_name(self, y_true: Any, *prediction: Any) -> tuple[Any, ...]:
        """Labels and prediction in the family's own order, where both carry names; else as they are."""
        return (y_true, *prediction)

    def utility(self, theta: Any, y_true: ArrayLike, *prediction: ArrayLike,
                sample_weight: ArrayLike | None = None) -> Any:
        """Average utility at theta, or at each of several, higher is better.

        Parameters
        ----------
        theta : float, or array_like
            One decision parameter, or m of them, shape (m,); for a family with two parameters a pair, or m pairs, shape
            (m, 2).
        y_true : array_like, shape (n,)
            Labels or targets.
        *prediction : array_like
            What the family takes, for instance ``y_prob``, or ``mean, std``.
        sample_weight : array_like, shape (n,), optional
            Non-negative weights.
        """
        data = self.read(y_true, *prediction)
        validation.same_order(y_true=y_true, **dict(zip(self.takes, prediction, strict=True)),
                              sample_weight=sample_weight)
        weight = self.weight(sample_weight, data)
        thetas = self.read_theta(theta, len(data[0]))
        values = np.asarray(self.utilities(thetas, data, weight))
        if values.shape != (len(thetas),):
            raise ValueError(f"the method utilities of {type(self).__name__} must return one number for each of "
                             f"{len(thetas)} thetas, got shape {values.shape}")
        several = len(self.parameters) > 1
        return float(values[0]) if np.ndim(theta) == several else values

    @abc.abstractmethod
    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        """Average utility of read data at each of several thetas, shape (m,)."""

    @abc.abstractmethod
    def loss(self, priors: Resolved, data: Data, weight: Weight) -> tuple[float, float]:
        """Loss of read data under a prior for each stated parameter, and its numerical error."""

    def weight(self, sample_weight: Any, data: Data) -> Weight:
        """Check the weights, or refuse them for a family that is not separable."""
        if not self.separable:
            validation.no_weight(sample_weight, f"the utility of {type(self).__name__}")
        return validation.relative_weight(sample_weight, len(data[0]))

    def read_theta(self, theta: Any, length: int) -> np.ndarray:
        """Check decision parameters: shape (m,), or (m, 2) for a family with two."""
        if not self.parameters:
            if theta is not None and np.size(theta):
                raise ValueError(f"{self!r} has no decision parameter: theta must be None, got {theta!r:.60}")
            return np.empty((1, 0))
        if len(self.parameters) == 1:
            only, = self.parameters
            return only.read(np.atleast_1d(validation.as_float(only.short, theta)), length)
        names = ", ".join(parameter.short for parameter in self.parameters)
        rows = np.atleast_2d(validation.numbers("theta", theta))
        if rows.ndim != 2 or rows.shape[1] != len(self.parameters):
            raise ValueError(f"theta must be ({names}) or rows of it, got shape {np.shape(theta)}")
        columns = [parameter.read(column, length) for parameter, column in zip(self.parameters, rows.T, strict=True)]
        return np.column_stack(columns)

    def one_theta(self, theta: Any, length: int) -> tuple[float, ...]:
        """Check one theta, for an act: its numbers."""
        rows = self.read_theta(theta, length)
        if len(rows) != 1 or (len(self.parameters) == 1 and np.ndim(theta) > 0):
            raise ValueError(f"act takes one theta, got {np.size(theta)}")
        return tuple(np.ravel(rows).tolist())

    def thetas(self, values: Any, data: Data) -> np.ndarray:
        """From m values of the priors, shape (m,) or (m, number of priors), to thetas of the same average utility."""
        columns = np.reshape(np.asarray(values, dtype=float), (-1, len(self.stated))).T
        thetas = [parameter.theta(column, len(data[0])) for parameter, column in
                  zip(self.stated, columns, strict=True)]
        return thetas[0] if len(thetas) == 1 else np.column_stack(thetas)

    def check_prior(self, prior: Prior, which: int = 0) -> None:
        """Raise ValueError for a prior that this family cannot use."""
        if prior.length is not None and not self.separable:
            raise ValueError(f"{type(self).__name__} is not separable: it takes one prior on {self.names[which]}, "
                             f"not one for each case")
        self.stated[which].check_prior(prior)

    def words(self, theta: float, which: int = 0) -> str:
        """A value of a decision parameter in words; the value is on the prior's scale, so k/n and not k.

        Examples
        --------
        >>> from pwu_lite import BinaryDecision
        >>> BinaryDecision().words(0.1)
        'a miss costs 9 false alarms'
        """
        if not isinstance(which, int) or which not in range(len(self.names)):
            raise ValueError(f"which must be an index into {self.names}, got {which!r}")
        theta, (low, high) = validation.one_number(self.names[which], theta), self.stated[which].domain
        if not low <= theta <= high:
            raise ValueError(f"{self.names[which]} must lie in [{low:g}, {high:g}], got {theta!r}")
        return self.describe(theta, which)

    def describe(self, theta: float, which: int) -> str:
        """What a checked value of the parameter says, in words."""
        return f"{self.names[which]} = {theta:.3g}"

    def numerical_error(self, prior: Prior, *data: Any) -> float:
        """Estimated numerical error of the loss of read data; zero for a closed form.

        For a separable family, called once for all continuous parts of a prior together, like `per_sample`.
        Every score calls it, so it should not take longer than the score itself.
        """
        return prior.numerical_error

    def properness(self, *priors: Prior) -> tuple[str, str]:
        """Verdict on the PWU under these priors, and the reason for it."""
        return "not known", "the family does not say whether its act is a Bayes act"

    def largest_difference_under(self, *priors: Prior) -> float | None:
        """Largest difference of two losses of a case under these priors; None where there is no bound."""
        return self.largest_difference

    def closed_form(self) -> bool:
        """Is the loss a closed form wherever the priors' masses and partial means are?"""
        return type(self).numerical_error is Family.numerical_error

    @property
    def linear_between_breakpoints(self) -> bool:
        """Does the family say where its acts change, and is its cost linear in between?"""
        return type(self).breakpoints is not Family.breakpoints

    def references(self, y: np.ndarray, weight: Weight) -> References:
        """The forecast that knows the average outcome only, and the one that knows every outcome; None if unknown."""
        if y.ndim != 1:
            return None
        mean = float(np.average(y, weights=weight))
        if self.takes == ("y_prob",) and np.isin(y, (0, 1)).all():
            return (np.full(len(y), mean),), (y.astype(float),)
        spread = float(np.sqrt(np.average((y - mean) ** 2, weights=weight)))
        if self.takes == ("mean", "std") and spread > 0:
            return (np.full(len(y), mean), np.full(len(y), spread)), (y.astype(float), np.full(len(y), 1e-6 * spread))
        return None

    def computation(self) -> str:
        """What a metric card adds on how the loss is computed."""
        return ""

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        """Between which decision parameters the acts, and so the utility's formula, stay the same.

        Returns
        -------
        first : ndarray or None
            All values of a discrete (first) parameter.
        edges : ndarray or None
            Values of the continuous (last) parameter at which an act changes, or acts tie;
            between two of them the utility is linear in it.
        """
        raise ValueError(f"{type(self).__name__} does not say where its acts change: give it a method breakpoints, "
                         f"or pass a cost function and thetas to refute")


class SeparableFamily(Family):
    """A family in which each case has a cost of its own.

    A subclass defines `cost` and `per_sample`; it may define `utilities`, where that is faster
    than one parameter at a time. With two parameters that take a prior, `cost` gets a pair of them and
    `per_sample` two priors, each continuous or a point mass, and not both point masses.
    """

    separable = True

    @abc.abstractmethod
    def cost(self, *arguments: Any, **options: Any) -> np.ndarray:
        """``cost(theta, *data)``: each case's cost, minus its utility, shape (n,); theta is one number, or (n,)."""

    @abc.abstractmethod
    def per_sample(self, *arguments: Any, **options: Any) -> np.ndarray:
        """``per_sample(prior, *data)``: each case's expected cost under the continuous parts of a prior, shape (n,)."""

    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        return np.array([-average(self.cost(theta, *data), weight) for theta in thetas])

    def losses(self, priors: Resolved, data: Data) -> np.ndarray:
        """Each case's loss under any priors, summed over their parts; shape (n,)."""
        n = len(data[0])
        for length in priors.lengths:
            if length != n:
                raise ValueError(f"the prior is for {length} cases, y_true has {n}")
        total: Any = 0.0
        for weight, parts, theta in priors.parts:
            if theta is not None:
                method, losses = "cost", np.asarray(self.cost(theta, *data))
            else:
                method, losses = "per_sample", np.asarray(self.per_sample(*parts, *data))
            if losses.shape != (n,):
                raise ValueError(f"the method {method} of {type(self).__name__} must return one number for each of "
                                 f"{n} cases, got shape {losses.shape}")
            total = total + (losses if weight == 1 else weight * losses)
        return total

    def loss(self, priors: Resolved, data: Data, weight: Weight) -> tuple[float, float]:
        error = 0.0
        for share, parts, theta in priors.parts:
            if theta is None:
                error += share * float(self.numerical_error(*parts, *data))
        return average(self.losses(priors, data), weight), error


class JointFamily(Family):
    """A family whose acts depend on all cases together: a case has no cost of its own.

    A subclass defines `utilities` and `joint_loss`.
    """

    separable = False

    @abc.abstractmethod
    def joint_loss(self, *arguments: Any, **options: Any) -> tuple[float, float]:
        """``joint_loss(*priors, *data)``: the loss under a prior for each stated parameter, and its error."""

    def loss(self, priors: Resolved, data: Data, weight: Weight) -> tuple[float, float]:
        joint = self.joint_loss(*priors.each, *data)
        if not isinstance(joint, tuple) or len(joint) != 2:
            raise ValueError(f"the method joint_loss of {type(self).__name__} must return the loss and its numerical "
                             f"error, 0.0 for a closed form; got {joint!r}")
        return float(joint[0]), float(joint[1])


def _short(value: Any) -> str:
    """A value in one line, whatever it is, and the same in every run: a thing without words of its own by its name."""
    if hasattr(value, "__qualname__"):
        words = value.__qualname__
    elif re.search(r" at 0x[0-9a-fA-F]+>", words := " ".join(repr(value).split())):
        words = type(value).__name__
    return words if len(words) <= 60 else f"{words[:57]}..."


def _same(one: Any, two: Any) -> bool:
    """Are two things that families hold the same? Arrays and tables by their values; what cannot be compared is not."""
    if one is two or type(one) is not type(two):
        return one is two
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(_same(value, two[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(_same, one, two))
    try:
        return bool(one.equals(two)) if hasattr(one, "equals") else np.array_equal(one, two)
    except Exception:  # whatever its __eq__ raises
        return False


def covers(prior: Prior, low: float, high: float) -> bool:
    """Do the supports of the continuous closed-form parts leave no gap in (low, high)?"""
    if prior.length is not None:
        return False  # some case's prior may leave one
    parts = [part for weight, part in prior.parts if weight > 0 and not isinstance(part, (Dirac, Frozen))]
    for start, end in sorted(part.support for part in parts):
        low = max(low, end) if start <= low else low
    return bool(low >= high)
