"""Priors over a decision parameter: their mass and partial mean on [lo, hi), exactly.

Implements section 4 and appendix I.2 of the PWU paper.
"""

import copy
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from typing import Any

import numpy as np

from . import _special as special
from . import validation
from ._tails import MANY, NAMES, beta_lower, beta_upper, tail_table

__all__ = ["Beta", "Dirac", "Gamma", "LogNormal", "Mixture", "Pareto", "Prior", "TruncatedBeta",
           "Uniform", "as_prior"]


class Prior:
    """A probability distribution over a decision parameter theta.

    A subclass gives ``support`` (a property), ``pdf``, ``ppf`` and `tails`, and inherits the rest; one whose support
    reaches 1 also gives `complement_above`, where ``1 - theta`` would lose digits. One whose tails are computed one by
    one gives `exact_tail` in place of both. What it gives must follow from its attributes alone, since priors of one
    class with equal attributes share a table. `pwu_lite.testing.check_prior` checks the conditions that every prior
    must satisfy.

    Attributes
    ----------
    support : (float, float)
        The smallest interval that contains all the mass; with a prior for each case, the mass of all of them.
    numerical_error : float
        Estimated error of the partial mean; 0 for a closed form.
    length : int or None
        Number of cases, if the parameters are arrays: a prior for each case.
    tabulated : bool
        Whether `tail` may make a table and keep it: of a prior that never changes, and whose tails are more than a
        line of arithmetic.
    """

    tabulated = False

    numerical_error: float = 0.0

    @property
    def support(self) -> tuple[float, float]:
        return float(np.min(self.ppf(0.0))), float(np.max(self.ppf(1.0)))

    @property
    def length(self) -> int | None:
        return None

    def tails(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Probability and partial mean below t, and from t on. Outside the support one side is 0 and the other has
        everything; NaN gives NaN.

        Parameters
        ----------
        t : float or array_like
            Thresholds, in the unit of theta.

        Returns
        -------
        below, above, mean_below, mean_above : ndarray
            ``P(theta < t)``, ``P(theta >= t)``, ``E[theta; theta < t]`` and
            ``E[theta; theta >= t]``.
        """
        if type(self).exact_tail is Prior.exact_tail:
            raise NotImplementedError
        below, above, mean_below, mean_above = (self.exact_tail(name, t) for name in NAMES[:4])
        return below, above, mean_below, mean_above

    def complement_above(self, t: Any) -> np.ndarray:
        """``E[1 - theta; theta >= t]``, what misses cost in a binary decision.

        Parameters
        ----------
        t : float or array_like
            Thresholds, in the unit of theta.
        """
        if type(self).exact_tail is not Prior.exact_tail:
            return self.exact_tail("complement_above", t)
        _, above, _, mean_above = self.tails(t)
        return above - mean_above

    def tail(self, name: str, t: Any) -> np.ndarray:
        """One tail at any number of thresholds; for many of them from a table, which is made once.

        Parameters
        ----------
        name : {"below", "above", "mean_below", "mean_above", "complement_above"}
            Which of `tails`, or `complement_above`.
        t : float or array_like
            Thresholds, in the unit of theta.

        Returns
        -------
        ndarray
            Within a relative error of 1e-11 of what `tails` gives, and of 1e-8 for a prior as narrow as a Beta
            with ``a + b`` above 1,000, whose density is the exponential of large terms; besides `numerical_error`.

        Examples
        --------
        >>> Beta(2, 10).tail("mean_below", [0.0, 1.0]).round(6).tolist()
        [0.0, 0.166667]
        """
        t = validation.as_float("t", t)
        validation.one_of("name", name, *NAMES)
        many = t.size >= MANY and self.tabulated and self.length is None and type(self).__hash__ is not None
        table = _table(self, name) if many else None
        if table is None:
            return np.asarray(self.exact_tail(name, t))
        flat = t.ravel()
        values = table(flat)
        unknown = np.flatnonzero(np.isnan(values))
        low, high = self.support  # at its upper end there may be an atom
        for end, outside in ((low, flat[unknown] <= low), (np.nextafter(high, np.inf), flat[unknown] > high)):
            values[unknown[outside]] = self.exact_tail(name, end)
        unknown = unknown[~((flat[unknown] <= low) | (flat[unknown] > high))]
        if unknown.size:
            values[unknown] = self.exact_tail(name, flat[unknown])
        return values.reshape(t.shape)

    def exact_tail(self, name: str, t: Any) -> np.ndarray:
        """One tail, computed at each threshold: as `tail`, without a table.

        Parameters
        ----------
        name : str
            As in `tail`.
        t : float or array_like
            Thresholds, in the unit of theta.
        """
        return self.complement_above(t) if name == "complement_above" else self.tails(t)[NAMES.index(name)]

    def mass(self, lo: Any, hi: Any) -> Any:
        """Probability of [lo, hi).

        Parameters
        ----------
        lo, hi : float or array_like
            Ends of the interval, in the units of theta. Empty when hi <= lo.

        Returns
        -------
        float or ndarray
        """
        return self._between(lo, hi, 0)

    def partial_mean(self, lo: Any, hi: Any) -> Any:
        """``E[theta; lo <= theta < hi]``, the integral of theta over [lo, hi).

        Parameters
        ----------
        lo : float or array_like
            Lower ends of intervals, in the unit of theta.
        hi : float or array_like
            Upper ends; an interval is empty where ``hi <= lo``.
        """
        return self._between(lo, hi, 2)

    def pdf(self, x: Any) -> Any:
        """Density at x.

        Parameters
        ----------
        x : float or array_like
            Places, in the unit of theta.
        """
        raise NotImplementedError

    def ppf(self, q: Any) -> Any:
        """Quantile: the smallest x with ``P(theta <= x) >= q``.

        Parameters
        ----------
        q : float or array_like
            Levels in [0, 1].
        """
        raise NotImplementedError

    def rvs(self, size: Any = 1, random_state: Any = None) -> np.ndarray:
        """Random draws, by inverting uniform numbers.

        Parameters
        ----------
        size : int or tuple
            Shape of the result.
        random_state : int, numpy Generator or None
            The seed.

        Returns
        -------
        ndarray
            Of shape `size`, or `size` followed by n with a prior for each case; all draws are independent.
        """
        try:
            shape = tuple(np.atleast_1d(size)) if self.length is None else (*np.atleast_1d(size), self.length)
            levels = np.random.default_rng(random_state).random(shape)
        except (TypeError, ValueError) as error:
            raise ValueError(f"size must be a whole number or a tuple of them, random_state a seed or a generator: "
                             f"{error}") from None
        return np.asarray(self.ppf(levels))

    @property
    def mean(self) -> Any:
        """Expected value, a float, or one for each case; infinite where it does not exist."""
        return _like(self.tails(np.array(self.support[0]))[3])

    def for_cases(self, chosen: np.ndarray) -> "Prior":
        """The prior of some of the cases: itself, unless there is a prior for each case.

        Parameters
        ----------
        chosen : ndarray
            Index or mask of the cases.
        """
        return self

    @property
    def parts(self) -> "list[tuple[float, Prior]]":
        """The prior as weighted single parts, each one continuous or a point mass."""
        return [(1.0, self)]

    def blended(self) -> "list[tuple[float, Prior]]":
        """The parts, with all continuous ones merged, so that many cases can share one table.

        Examples
        --------
        >>> prior = Mixture([Beta(2, 10), Beta(3, 30), Dirac(0.5)], [0.25, 0.25, 0.5])
        >>> len(prior.parts), len(prior.blended())
        (3, 2)
        """
        parts = self.parts
        smooth = [(weight, part) for weight, part in parts if not isinstance(part, Dirac)]
        if len(smooth) < 2 or self.length is not None:
            return parts
        whole = sum(weight for weight, _ in smooth)
        together = Mixture([part for _, part in smooth], [weight / whole for weight, _ in smooth])
        return [(whole, together), *(pair for pair in parts if isinstance(pair[1], Dirac))]

    def _between(self, lo: Any, hi: Any, which: int) -> Any:
        """Difference of the smaller pair of tails, so that no digits cancel in them."""
        lo, hi = _places(lo, "lo"), _places(hi, "hi")
        low, high = self.tails(lo), self.tails(hi)
        with np.errstate(invalid="ignore"):
            from_below = high[which] - low[which]
            from_above = low[which + 1] - high[which + 1]
            inner = np.where((low[0] < low[1]) | np.isinf(low[which + 1]), from_below, from_above)
        return _like(np.where(hi > lo, inner, 0.0))


class _PerCase(Prior):
    """A prior whose parameters may be arrays of shape (n,): a prior for each case."""

    index: Any = None  # of the pandas object that a parameter came in: labels in another order are refused
    indexed: str = ""  # and that parameter's name
    parameters = property(lambda self: {one.name: getattr(self, one.name) for one in fields(self)})

    @property
    def length(self) -> int | None:
        return next((value.size for value in self.parameters.values() if np.ndim(value)), None)

    def for_cases(self, chosen: np.ndarray) -> Prior:
        if self.length is None:
            return self
        some = object.__new__(type(self))  # already validated; may be empty
        for name, value in self.parameters.items():
            object.__setattr__(some, name, value[chosen] if np.ndim(value) else value)
        return some

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))

    def __repr__(self) -> str:
        texts = {name: f"<{value.size} values>" if np.ndim(value) else repr(value)
                 for name, value in self.parameters.items()}
        return f"{type(self).__name__}({', '.join(f'{name}={text}' for name, text in texts.items())})"

    def _key(self) -> tuple[Any, ...]:
        return tuple(value.tobytes() if np.ndim(value) else value for value in self.parameters.values())


@dataclass(frozen=True, eq=False, repr=False)
class Beta(_PerCase):
    """Beta distribution on (0, scale).

    ``pi(theta)`` is proportional to ``(theta/scale)**(a-1) (1 - theta/scale)**(b-1)``.

    Parameters
    ----------
    a, b : float, or array_like of shape (n,)
        Positive shape parameters; arrays give a prior for each case.
    scale : float, or array_like of shape (n,)
        Upper end, in the units of theta.

    Raises
    ------
    ValueError
        A parameter is not positive and finite.

    References
    ----------
    PWU paper, appendix I.2, table I.1.

    Examples
    --------
    >>> prior = Beta(2, 10)
    >>> round(prior.mass(0, 0.1), 6)
    0.302643
    >>> round(prior.mean, 6)
    0.166667
    """

    tabulated = True

    a: Any
    b: Any
    scale: Any = 1.0

    def __post_init__(self) -> None:
        _keep(self, a=_shape, b=_shape, scale=_scale)

    def exact_tail(self, name: str, t: Any) -> np.ndarray:
        t = np.asarray(t, dtype=float)
        x, rest = np.clip(t / self.scale, 0, 1), np.clip((self.scale - t) / self.scale, 0, 1)
        if name == "complement_above":
            inner = self.scale * self.b / (self.a + self.b) * beta_upper(self.a, self.b + 1, x, rest)
            return inner if np.all(self.scale == 1) else inner + (1 - self.scale) * beta_upper(self.a, self.b, x, rest)
        a, b = self.a + name.startswith("mean"), self.b
        share = (beta_lower if name.endswith("below") else beta_upper)(a, b, x, rest)
        return self.scale * self.a / (self.a + self.b) * share if name.startswith("mean") else share

    def pdf(self, x: Any) -> Any:
        x = _places(x)
        inside = (x >= 0) & (x <= self.scale)
        u, rest = np.clip(x / self.scale, 0, 1), np.clip((self.scale - x) / self.scale, 0, 1)
        log_rest = np.where(rest < 0.5, special.xlogy(self.b - 1, rest), special.xlog1py(self.b - 1, -u))
        log = special.xlogy(self.a - 1, u) + log_rest
        return _like(np.where(inside, np.exp(log - special.betaln(self.a, self.b)), 0) / self.scale)

    def ppf(self, q: Any) -> Any:
        return _like(self.scale * special.betaincinv(self.a, self.b, _levels(q)))


@dataclass(frozen=True)
class TruncatedBeta(Prior):
    """Beta(a, b) restricted to [low, high] inside [0, 1].

    Parameters
    ----------
    a, b : float
        Positive shape parameters of the whole distribution.
    low, high : float
        Ends, ``0 <= low < high <= 1``.

    Raises
    ------
    ValueError
        A shape parameter is not positive, or the ends are out of order.

    References
    ----------
    PWU paper, appendix I.2, table I.1.

    Examples
    --------
    >>> prior = TruncatedBeta(2, 10, 0.05, 0.4)
    >>> prior.mass(0.05, 0.4), prior.mass(0, 0.05)
    (1.0, 0.0)
    """

    tabulated = True

    a: float
    b: float
    low: float
    high: float
    _whole: Any = field(init=False, repr=False, compare=False)
    _norm: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _keep(self, a=_shape, b=_shape, low=_place, high=_place)
        whole = Beta(self.a, self.b)
        _in_order(self)
        low, high = self.low, self.high
        if low < 0 or high > 1:
            raise ValueError(f"low and high must lie in [0, 1], got {low!r} and {high!r}")
        object.__setattr__(self, "_whole", whole)
        object.__setattr__(self, "_norm", float(_narrow_mass(whole, low, high)))
        if not self._norm > 1e-280:
            raise ValueError(f"Beta({self.a}, {self.b}) has no mass on [{low!r}, {high!r}]")
        if high - low < 1e-4 * max(high, 1e-3):
            raise ValueError(f"[{low!r}, {high!r}] is too narrow for exact masses: use a Uniform prior there")

    @property
    def support(self) -> tuple[float, float]:
        return (float(self.low), float(self.high))

    def exact_tail(self, name: str, t: Any) -> np.ndarray:
        t = np.asarray(t, dtype=float)
        unknown, t = np.isnan(t), np.clip(np.where(np.isnan(t), self.low, t), self.low, self.high)
        ends = (self.low, t) if name.endswith("below") else (t, self.high)
        if name == "complement_above":
            share, inner = self.b / (self.a + self.b), Beta(self.a, self.b + 1)
        else:
            share, inner = (self._whole.mean, Beta(self.a + 1, self.b)) if "mean" in name else (1.0, self._whole)
        return np.where(unknown, np.nan, share * _narrow_mass(inner, *ends) / self._norm)

    def pdf(self, x: Any) -> Any:
        x = _places(x)
        inside = (x >= self.low) & (x <= self.high)
        return _like(np.where(inside, self._whole.pdf(x), 0) / self._norm)

    def ppf(self, q: Any) -> Any:
        levels = _levels(q)
        below, above = self._whole.mass(0, self.low), self._whole.mass(self.high, 1)
        lower = np.minimum(below + levels * self._norm, 1)
        upper = np.minimum(above + (1 - levels) * self._norm, 1)
        value = np.where(lower < upper, special.betaincinv(self.a, self.b, lower),
                         special.betainccinv(self.a, self.b, upper))
        return _like(np.clip(value, self.low, self.high))


def _narrow_mass(prior: Prior, low: Any, high: Any) -> np.ndarray:
    """Mass of [low, high); of an interval that holds little of it by quadrature, as a difference loses its digits."""
    mass = np.asarray(prior.mass(low, high), dtype=float)
    few = mass < 0.1 * np.minimum(prior.exact_tail("below", low), prior.exact_tail("above", high))
    if not few.any():
        return mass
    low, high = (np.broadcast_to(end, mass.shape)[few] for end in (low, high))
    nodes, weights = np.polynomial.legendre.leggauss(10)
    half = (high - low)[:, None] / 2
    mass = np.array(mass)
    mass[few] = np.sum(half * weights * prior.pdf(low[:, None] + half * (nodes + 1)), axis=1)
    return mass


@dataclass(frozen=True, eq=False, repr=False)
class Uniform(_PerCase):
    """Uniform distribution on (low, high), ``pi(theta) = 1/(high - low)``.

    Parameters
    ----------
    low, high : float, or array_like of shape (n,)
        Ends, low < high, in the units of theta; arrays give a prior for each case.

    Raises
    ------
    ValueError
        The ends are not finite or out of order.

    Examples
    --------
    >>> Uniform(0, 1).partial_mean(0, 0.5)
    0.125
    """

    low: Any
    high: Any

    def __post_init__(self) -> None:
        _keep(self, low=_place, high=_place)
        _in_order(self)

    @property
    def support(self) -> tuple[float, float]:
        return (float(np.min(self.low)), float(np.max(self.high)))

    def tails(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        t = np.clip(np.asarray(t, dtype=float), self.low, self.high)
        width = self.high - self.low
        below, above = (t - self.low) / width, (self.high - t) / width
        return below, above, below * (t + self.low) / 2, above * (self.high + t) / 2

    def complement_above(self, t: Any) -> np.ndarray:
        t = np.clip(np.asarray(t, dtype=float), self.low, self.high)
        return (self.high - t) / (self.high - self.low) * ((1 - self.high) + (1 - t)) / 2

    def pdf(self, x: Any) -> Any:
        x = _places(x)
        inside = (x >= self.low) & (x <= self.high)
        return _like(np.where(inside, 1 / (self.high - self.low), 0.0))

    def ppf(self, q: Any) -> Any:
        return _like(self.low + _levels(q) * (self.high - self.low))


@dataclass(frozen=True, eq=False, repr=False)
class Dirac(_PerCase):
    """All mass at one value: the decision parameter is known.

    The PWU under it is minus the utility at that value. For top-k use ``Dirac(k / n)``.

    Parameters
    ----------
    at : float, or array_like of shape (n,)
        In the units of theta; an array is a known value for each case.

    Raises
    ------
    ValueError
        `at` is not finite.

    Examples
    --------
    >>> Dirac(0.2).mass(0.2, 1), Dirac(0.2).mass(0, 0.2)
    (1.0, 0.0)
    """

    at: Any

    def __post_init__(self) -> None:
        _keep(self, at=_place)

    def tails(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        t = np.asarray(t, dtype=float)
        above = np.where(np.isnan(t), np.nan, t <= self.at)
        return 1 - above, above, (1 - above) * self.at, above * self.at

    def pdf(self, x: Any) -> Any:
        return _like(np.where(_places(x) == self.at, np.inf, 0.0))

    def ppf(self, q: Any) -> Any:
        return _like(self.at + 0 * _levels(q))


@dataclass(frozen=True, eq=False, repr=False)
class Pareto(_PerCase):
    """Pareto distribution with tail index 1, ``pi(theta) = minimum / theta**2`` above `minimum`.

    Its mean is infinite. It is the prior that the Gaussian negative
    log-likelihood believes in (PWU paper, proposition 3.12).

    Parameters
    ----------
    minimum : float, or array_like of shape (n,)
        Positive, in the units of theta; an array is a prior for each case.

    Raises
    ------
    ValueError
        `minimum` is not positive and finite.

    Examples
    --------
    >>> Pareto(0.5).mass(1, float("inf"))
    0.5
    """

    minimum: Any

    def __post_init__(self) -> None:
        _keep(self, minimum=_scale)

    def tails(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        t = np.maximum(np.asarray(t, dtype=float), self.minimum)
        with np.errstate(invalid="ignore"):
            below = np.where(np.isinf(t), 1.0, (t - self.minimum) / t)
        mean_below = self.minimum * self._log_ratio(self.minimum, t)
        return below, self.minimum / t, mean_below, np.where(np.isnan(t), np.nan, np.inf)

    def partial_mean(self, lo: Any, hi: Any) -> Any:
        lo, hi = (np.maximum(_places(end, name), self.minimum) for end, name in ((lo, "lo"), (hi, "hi")))
        return _like(self.minimum * np.where(hi > lo, self._log_ratio(lo, hi), 0.0))

    def _log_ratio(self, low: Any, high: Any) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where(high > 1e9 * low, np.log(high) - np.log(low), np.log1p((high - low) / low))

    def pdf(self, x: Any) -> Any:
        x = _places(x)
        return _like(np.where(x >= self.minimum, self.minimum / np.maximum(x, self.minimum) ** 2, 0))

    def ppf(self, q: Any) -> Any:
        with np.errstate(divide="ignore"):
            return _like(self.minimum / (1 - _levels(q)))


@dataclass(frozen=True)
class LogNormal(Prior):
    """Log-normal distribution: ``log(theta)`` is normal with mean mu and deviation sigma.

    Parameters
    ----------
    mu : float
        Logarithm of the median.
    sigma : float
        Positive.

    Raises
    ------
    ValueError
        A parameter is not finite, or sigma is not positive.

    Examples
    --------
    >>> LogNormal(0, 1).mass(0, 1)
    0.5
    """

    mu: float
    sigma: float

    def __post_init__(self) -> None:
        _keep(self, mu=_place, sigma=_scale)
        if self.sigma > 1e3:
            raise ValueError(f"sigma must be at most 1000, got {self.sigma!r}: the prior spans all numbers there are")

    def exact_tail(self, name: str, t: Any) -> np.ndarray:
        z = self._z(t) * (1 if name.endswith("below") else -1)
        if name == "complement_above":
            return self.exact_tail("above", t) - self.exact_tail("mean_above", t)
        if not name.startswith("mean"):
            return special.ndtr(z)
        z, log_mean = z + (-self.sigma if name == "mean_below" else self.sigma), self.mu + self.sigma**2 / 2
        with np.errstate(over="ignore"):  # a mean beyond the largest number is infinite
            return np.exp(log_mean + special.log_ndtr(z)) if abs(log_mean) > 50 else np.exp(log_mean) * special.ndtr(z)

    def pdf(self, x: Any) -> Any:
        x = _places(x)
        safe = np.where(x > 0, x, 1.0)
        with np.errstate(over="ignore"):
            density = np.exp(-self._z(safe) ** 2 / 2 - np.log(safe) - np.log(self.sigma) - np.log(2 * np.pi) / 2)
        return _like(np.where(x > 0, density, 0.0))

    def ppf(self, q: Any) -> Any:
        return _like(np.exp(self.mu + self.sigma * special.ndtri(_levels(q))))

    def _z(self, t: Any) -> Any:
        with np.errstate(divide="ignore"):
            return (np.log(np.maximum(np.asarray(t, dtype=float), 0)) - self.mu) / self.sigma


@dataclass(frozen=True)
class Gamma(Prior):
    """Gamma distribution, ``pi(theta)`` proportional to ``theta**(shape-1) exp(-theta/scale)``.

    Parameters
    ----------
    shape : float
        Positive, at most 1e5: beyond, the lower tail of scipy loses its digits.
    scale : float
        Positive, in the units of theta; the mean is shape times scale.

    Raises
    ------
    ValueError
        A parameter is not positive and finite.

    Examples
    --------
    >>> round(Gamma(2, 0.3).mean, 12)
    0.6
    """

    tabulated = True

    shape: float
    scale: float

    def __post_init__(self) -> None:
        _keep(self, shape=_shape, scale=_scale)
        if self.shape > 1e5:
            raise ValueError(f"shape must be at most 100,000, got {self.shape!r}: use a LogNormal or a Dirac prior, "
                             f"which is indistinguishable from it")

    def tails(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        x = np.maximum(np.asarray(t, dtype=float), 0) / self.scale
        mean = self.shape * self.scale
        finite = np.minimum(x, 1e300)
        step = np.exp(special.xlogy(self.shape, finite) - finite - special.gammaln(self.shape + 1))
        left = x < self.shape
        small = np.empty(x.shape)  # the small one of P(shape + 1, x) and Q(shape, x)
        small[left] = special.gammainc(self.shape + 1, x[left])
        small[~left] = special.gammaincc(self.shape, x[~left])
        below = np.where(left, small + step, 1 - small)
        above = np.where(left, 1 - below, small)
        mean_below = np.where(left, small, 1 - (small + step))
        mean_above = np.where(left, 1 - small, small + step)
        return below, above, mean * mean_below, mean * mean_above

    def pdf(self, x: Any) -> Any:
        x = _places(x) / self.scale
        safe = np.clip(x, 0, 1e300)
        log = special.xlogy(self.shape - 1, safe) - safe - special.gammaln(self.shape)
        return _like(np.where(x >= 0, np.exp(log), 0.0) / self.scale)

    def ppf(self, q: Any) -> Any:
        return _like(self.scale * special.gammaincinv(self.shape, _levels(q)))


@dataclass(frozen=True)
class Mixture(Prior):
    """Weighted mixture of priors, ``pi = sum_j w_j pi_j``.

    Parameters
    ----------
    priors : sequence of Prior
        Frozen scipy.stats distributions are accepted too.
    weights : sequence of float
        Non-negative, summing to 1.

    Raises
    ------
    ValueError
        No priors, a different number of weights, or weights that do not sum to 1.

    Examples
    --------
    >>> Mixture([Dirac(0.1), Uniform(0, 1)], [0.5, 0.5]).mass(0, 0.2)
    0.6
    """

    priors: Sequence[Any]
    weights: Sequence[float]

    def __post_init__(self) -> None:
        if isinstance(self.priors, Prior) or not hasattr(self.priors, "__iter__"):
            raise ValueError("priors must be a sequence of priors")
        priors = tuple(as_prior(prior) for prior in self.priors)
        weights = validation.vector("weights", self.weights)
        if len(priors) != weights.size:
            raise ValueError(f"{len(priors)} priors but {weights.size} weights")
        validation.reject("weights", weights, weights < 0, "must not be negative")
        if abs(weights.sum() - 1) > 1e-9:
            raise ValueError(f"weights must sum to 1, got sum {weights.sum():g}; divide them by their sum")
        if len({prior.length for prior in priors} - {None}) > 1:
            raise ValueError("the priors of a mixture are for different numbers of cases")
        object.__setattr__(self, "priors", priors)
        object.__setattr__(self, "weights", tuple((weights / weights.sum()).tolist()))
        object.__setattr__(self, "tabulated", any(prior.tabulated for prior in priors))
        object.__setattr__(self, "numerical_error", sum(w * part.numerical_error for w, part in self.parts))

    @property
    def length(self) -> int | None:
        return next((prior.length for prior in self.priors if prior.length is not None), None)

    def for_cases(self, chosen: np.ndarray) -> Prior:
        return self if self.length is None else Mixture([p.for_cases(chosen) for p in self.priors], self.weights)

    @property
    def support(self) -> tuple[float, float]:
        ends = [prior.support for weight, prior in self.parts]
        return (min(low for low, _ in ends), max(high for _, high in ends))

    @property
    def parts(self) -> list[tuple[float, Prior]]:
        return [(weight * inner, part) for weight, prior in zip(self.weights, self.priors, strict=True)
                if weight > 0 for inner, part in prior.parts]

    def exact_tail(self, name: str, t: Any) -> np.ndarray:
        return sum((weight * part.exact_tail(name, t) for weight, part in self.parts), start=np.zeros(()))

    def mass(self, lo: Any, hi: Any) -> Any:
        return sum(weight * part.mass(lo, hi) for weight, part in self.parts)

    def partial_mean(self, lo: Any, hi: Any) -> Any:
        return sum(weight * part.partial_mean(lo, hi) for weight, part in self.parts)

    def pdf(self, x: Any) -> Any:
        return sum(weight * part.pdf(x) for weight, part in self.parts)

    def ppf(self, q: Any) -> Any:
        """Bisection between the parts' own quantiles, which enclose it, over the floats in between.

        Parameters
        ----------
        q : float or array_like
            Levels in [0, 1].
        """
        levels = _levels(q)
        ends = np.array(np.broadcast_arrays(*(part.ppf(levels) for _, part in self.parts)))
        low, high = _to_integers(ends.min(axis=0)), _to_integers(ends.max(axis=0))
        for _ in range(64):
            middle = (low >> 1) + (high >> 1) + (low & high & 1)
            enough = self._up_to(_to_floats(middle)) >= levels
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return _like(np.where(self._up_to(_to_floats(low)) >= levels, _to_floats(low), _to_floats(high)))

    def _up_to(self, x: np.ndarray) -> np.ndarray:
        """``P(theta <= x)``."""
        return np.asarray(self.mass(-np.inf, np.nextafter(x, np.inf)))


class Frozen(Prior):
    """A continuous frozen scipy.stats distribution without a closed form here.

    The mass is scipy's; the partial mean is Gauss-Legendre quadrature between the
    thresholds asked for and some eighty quantiles, kept between the gap's ends times its mass. `numerical_error`
    adds up, over the gaps between the quantiles, the change that halving a gap makes, and the
    distance from scipy's mean, twice. Equal to another one of the same distribution of scipy and parameters. A
    distribution of one's own, or a histogram, is copied, so that a later change of it changes no score, and equals
    itself alone.
    """

    tabulated = True

    def __init__(self, frozen: Any) -> None:
        self.frozen = copy.deepcopy(frozen)
        own = type(frozen.dist) is not type(_of_scipy(frozen.dist.name))  # it may hold anything: then only itself
        self._known = (type(frozen.dist), repr(_arguments(frozen)), object() if own else None)
        self._mean = float(frozen.mean())
        levels = np.linspace(0, 1, 65)[1:-1]
        with np.errstate(all="ignore"):  # far in a tail some of scipy's quantiles are infinite, and pdf times 0 is NaN
            knots = np.unique([frozen.ppf(1e-18), *frozen.ppf(levels), *frozen.isf(10.0 ** -np.arange(2, 19))])
            self._knots = knots[np.isfinite(knots)]  # closer together in the upper tail
            gaps = self._integrals(self._knots[:-1], self._knots[1:])
            halved = np.sort(np.concatenate([self._knots, (self._knots[1:] + self._knots[:-1]) / 2]))
            fine = self._integrals(halved[:-1], halved[1:]).reshape(-1, 2).sum(axis=1)
        self._totals = np.concatenate([[0.0], np.cumsum(gaps)])
        off = float(np.abs(gaps - fine).sum() + abs(fine.sum() - self._mean))
        self.numerical_error = 2 * off + 1e-15 * abs(self._mean)
        if not np.isfinite(self.numerical_error):
            raise ValueError(f"{self!r} cannot be integrated: its density or its mean is not finite")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frozen) and self._known == other._known

    def __hash__(self) -> int:
        return hash(self._known)

    def __repr__(self) -> str:
        shapes = [repr(value) for value in self.frozen.args]
        shapes += [f"{name}={value!r}" for name, value in self.frozen.kwds.items()]
        return f"scipy.stats.{self.frozen.dist.name}({', '.join(shapes)})"

    def tails(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        t = np.asarray(t, dtype=float)
        with np.errstate(divide="ignore"):  # log(0) is minus infinity, as it should
            below, above = self.frozen.cdf(t), self.frozen.sf(t)
        flat = np.clip(t.ravel(), self._knots[0], self._knots[-1])  # up to the last quantile before t, and from there
        before = np.clip(np.searchsorted(self._knots, flat, side="right") - 1, 0, self._knots.size - 2)
        mean_below = (self._totals[before] + self._integrals(self._knots[before], flat)).reshape(t.shape)
        return below, above, mean_below, self._mean - mean_below

    def complement_above(self, t: Any) -> np.ndarray:
        return np.maximum(super().complement_above(t), 0.0)

    def _integrals(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Integral of theta pi(theta) over each interval, kept between the interval's ends times its mass."""
        nodes, weights = np.polynomial.legendre.leggauss(20)
        half = (high - low)[:, None] / 2
        x = low[:, None] + half * (nodes + 1)
        with np.errstate(all="ignore"):
            inner = np.where(half > 0, half * weights * x * self.frozen.pdf(x), 0.0).sum(axis=1)
            mass = np.where(self.frozen.cdf(high) < 0.5, self.frozen.cdf(high) - self.frozen.cdf(low),
                            self.frozen.sf(low) - self.frozen.sf(high))
        return np.clip(inner, low * mass, high * mass)

    @property
    def mean(self) -> Any:
        return self._mean

    def pdf(self, x: Any) -> Any:
        return _like(self.frozen.pdf(_places(x)))

    def ppf(self, q: Any) -> Any:
        return _like(self.frozen.ppf(_levels(q)))


_table = lru_cache(maxsize=64)(tail_table)


def as_prior(prior: Any) -> Prior:
    """A `Prior` from a `Prior` or from a frozen scipy.stats distribution.

    Beta, uniform, gamma, exponential, log-normal and Pareto (index 1) become the
    closed forms of this module, recognised by their class; anything else continuous is integrated numerically, if
    its mean is finite and scipy finds its quantiles far out.
    A discrete distribution is refused: write it as a `Mixture` of `Dirac`.

    Parameters
    ----------
    prior : Prior, frozen scipy.stats distribution, or float
        What to read; a number is a point, the value that is known.

    Raises
    ------
    ValueError
        `prior` is none of them, is discrete, or has arrays for parameters.

    Examples
    --------
    >>> import scipy.stats
    >>> as_prior(scipy.stats.beta(2, 10))
    Beta(a=2.0, b=10.0, scale=1.0)
    >>> as_prior(0.1)
    Dirac(at=0.1)
    """
    if isinstance(prior, Prior):
        return prior
    validation.no_class("the prior", prior)
    if isinstance(prior, numbers.Real) and not isinstance(prior, bool):
        return Dirac(float(prior))
    if not hasattr(prior, "dist") or not hasattr(prior, "cdf"):
        raise ValueError(f"a prior is one of pwu_lite's, a frozen scipy.stats distribution or a number, "
                         f"got {type(prior).__name__}; a known value for each case is Dirac(values)")
    if any(np.ndim(value) for value in (*prior.args, *prior.kwds.values())):
        raise ValueError("the scipy distribution's parameters must be single numbers, not arrays")
    if hasattr(prior, "pmf"):
        raise ValueError("a discrete prior is a Mixture of point masses: pwu_lite.Mixture([Dirac(0.1), ...], weights)")
    if not np.isfinite(prior.cdf(prior.median())):
        raise ValueError("the scipy distribution's parameters are out of range")
    return _closed_form(prior) or Frozen(prior)


def _closed_form(frozen: Any) -> Prior | None:
    """The prior of this module that equals a frozen distribution, or None."""
    shapes, loc, scale = _arguments(frozen)
    from scipy import stats  # takes a while to import, and whoever has a frozen distribution has done so

    if type(frozen.dist) is type(stats.uniform):
        return Uniform(loc, loc + scale)
    known: dict[Any, Callable[..., Prior | None]] = {
        stats.beta: lambda a, b: Beta(a, b, scale), stats.gamma: lambda shape: Gamma(shape, scale),
        stats.expon: lambda: Gamma(1.0, scale), stats.lognorm: lambda sigma: LogNormal(float(np.log(scale)), sigma),
        stats.pareto: lambda index: Pareto(scale) if index == 1 else None}
    make = next((make for dist, make in known.items() if loc == 0 and type(frozen.dist) is type(dist)), None)
    return make(*shapes) if make else None


def _of_scipy(name: str) -> Any:
    from scipy import stats  # as below

    return getattr(stats, name, None)


def _arguments(frozen: Any) -> tuple[Any, ...]:
    """Shapes, loc and scale as floats, however they were given."""
    shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    return [float(shape) for shape in shapes], float(loc), float(scale)


def _within(name: str, value: Any, low: float, high: float) -> float:
    """A positive number in the range in which the closed forms are exact."""
    number = validation.positive(name, value)
    if not low <= number <= high:
        raise ValueError(f"{name} must lie between {low:g} and {high:g}, got {number!r}; change the unit, or use "
                         f"a point mass (Dirac)")
    return number


_shape, _scale = partial(_within, low=1e-9, high=1e9), partial(_within, low=1e-140, high=1e140)


def _place(name: str, value: float) -> float:
    number = validation.one_number(name, value)
    if abs(number) > 1e140:
        raise ValueError(f"{name} must not be larger than 1e140, got {number!r}; change the unit")
    return number


def _to_integers(floats: Any) -> Any:
    """Integers in the order of the floats."""
    bits = np.asarray(floats, dtype=float).view(np.int64)
    return bits ^ np.where(bits < 0, np.iinfo(np.int64).max, 0)


def _to_floats(integers: Any) -> np.ndarray:
    bits = np.asarray(integers ^ np.where(integers < 0, np.iinfo(np.int64).max, 0), dtype=np.int64)
    return bits.view(np.float64)


def _keep(prior: Prior, **checks: Callable[..., Any]) -> None:
    """Check parameters and keep them as floats; or arrays, where there may be a prior for each case, read-only."""
    validation.same_order(**{name: getattr(prior, name) for name in checks})
    for name, check in checks.items():
        value = getattr(prior, name)
        if np.ndim(value) and isinstance(prior, _PerCase):
            if hasattr(value, "iloc"):
                object.__setattr__(prior, "index", value.index)
                object.__setattr__(prior, "indexed", name)
            value = validation.vector(name, value)
            for extreme in (int(value.argmin()), int(value.argmax()), int(np.abs(value).argmin())):
                check(f"{name}[{extreme}]", value[extreme])
            value.setflags(write=False)
        else:
            value = check(name, value)
        object.__setattr__(prior, name, value)
    lengths = {value.size for value in map(prior.__getattribute__, checks) if isinstance(value, np.ndarray)}
    if len(lengths) > 1:
        raise ValueError(f"the parameters of {type(prior).__name__} have different lengths: {sorted(lengths)}")


def with_index(priors: Sequence[Any]) -> dict[str, Any]:
    """The priors for each case whose parameters came with an index, by the name of one of these; parts of mixtures too.

    Examples
    --------
    >>> with_index([Dirac(0.1), Dirac([0.1, 0.2])])
    {}
    """
    indexed = [part for prior in priors for _, part in prior.parts if getattr(part, "index", None) is not None]
    return {f"{part.indexed} of the prior" if number == 0 else f"{part.indexed} of prior {number + 1}": part
            for number, part in enumerate(indexed)}


def _in_order(prior: Any) -> None:
    wrong = np.atleast_1d(~np.less(prior.low, prior.high))
    if wrong.any():
        at = int(np.argmax(wrong))
        low, high = (float(end[at] if np.ndim(end) else end) for end in (prior.low, prior.high))
        raise ValueError(f"low must be below high, got {low!r} and {high!r}")


def _places(x: Any, name: str = "x") -> np.ndarray:
    places = validation.as_float(name, x)
    if np.isnan(places).any():
        raise ValueError(f"{name} must not be NaN")
    return places


def _levels(q: Any) -> np.ndarray:
    levels = validation.as_float("q", q)
    if not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError("q must lie in [0, 1]")
    return levels


def _like(array: Any) -> Any:
    """A float for a scalar, else the array."""
    return float(array) if np.ndim(array) == 0 else np.asarray(array)
