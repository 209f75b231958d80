"""From a scoring rule to the prior it believes in, and back, by sympy.

May import alignment, families, priors and what is below them, numpy, scipy and sympy.
Implements sections 3.2 and 3.3 and appendices C.4 and C.5 of the PWU paper, equation (3) both ways.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import signal
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import sympy as sp

from . import alignment, priors
from .alignment import Refutation
from .families import BinaryDecision, Family, SelectivePrediction

__all__ = ["ImplicitPrior", "NotAligned", "binary_prior", "expected_loss", "newsvendor_score", "selective_prior",
           "threshold_score"]

C = sp.Symbol("c", positive=True)
LAMBDA = sp.Symbol("lambda", positive=True)
ODDS = sp.Dummy("r", positive=True)  # p/(1 - p): algebra without signs to worry about
TIME_LIMIT = 20.0  # seconds; a derivation that takes longer gives up with a ValueError


class NotAligned(ValueError):
    """The score is aligned with the family under no prior.

    Attributes
    ----------
    reason : str
        Which condition fails, and where.
    witness : Refutation or None
        Forecasts that show it (`pwu_lite.alignment.refute`); None if the small search for
        them came back empty.
    """

    def __init__(self, reason: str, witness: Refutation | None = None):
        super().__init__(reason)
        self.reason = reason
        self.witness = witness


class _TimeUp(Exception):
    """Raised by the clock inside a derivation."""


_clock = threading.local()


def _attempt(function, *arguments, seconds=2.0):
    """What sympy finds within some seconds, or None; outside of the main thread without a limit."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return function(*arguments)
    left, again = signal.getitimer(signal.ITIMER_REAL)
    if 0 < left <= seconds:
        return function(*arguments)
    started = time.monotonic()
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        return function(*arguments)
    except _TimeUp:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - started), 0.01) if left else 0, again)
        signal.signal(signal.SIGALRM, before)


def _ring(*_):
    raise _TimeUp


@contextlib.contextmanager
def _time_limit(what):
    """Raise _TimeUp after TIME_LIMIT seconds; outside of the main thread, only warn."""
    if getattr(_clock, "runs", False):  # inside of another derivation
        yield
        return
    _clock.runs, _clock.floats = True, False
    in_main = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    if in_main:
        before = signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT, 1.0)  # again every second, should sympy swallow it
    else:
        timer = threading.Timer(TIME_LIMIT, warnings.warn, [f"{what} has been computing for {TIME_LIMIT:g} s"])
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        _clock.runs = False
        if in_main:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        else:
            timer.cancel()


def _bounded(function):
    """Keep to the time limit, and turn what sympy cannot do into a ValueError that says so."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(*args, **kwargs):
        signature.bind(*args, **kwargs)
        name = function.__name__
        try:
            with _time_limit(name):
                return function(*args, **kwargs)
        except _TimeUp:
            raise ValueError(f"{name} has not come to an end within {TIME_LIMIT:g} s: put numbers for parameters, "
                             f"simplify the formula, or raise pwu_lite.symbolic.TIME_LIMIT") from None
        except (NotImplementedError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError,
                sp.polys.polyerrors.BasePolynomialError) as error:
            raise ValueError(f"sympy cannot work with this formula ({type(error).__name__}: {error}): put numbers "
                             f"for parameters, or write it in another way") from error

    return run


@dataclass(frozen=True)
class ImplicitPrior:
    """The prior under which a score is the expected cost of a decision.

    ``a * score + b = density-weighted integral of -U_theta + sum over atoms of mass * (-U_location)``.

    Attributes
    ----------
    family : Family
    symbol : sympy.Symbol
        c, or lambda.
    density : sympy expression
        In `symbol`, on `support`; not normalised.
    atoms : dict
        ``{location: mass}``; a location may be infinite.
    link : tuple (a, b)
        ``h(m) = a m + b``. ``b`` may contain the symbol y, the average label. It is infinite
        where the expected cost is: then only differences of scores are differences of costs.
    finite : sympy.Set
        The forecasts (probabilities, or variances) of finite expected cost.
    support : tuple (low, high)
    evidence : str
        How it is known that the density is nowhere negative: "proved", or where it was looked at.
    """

    family: Family
    symbol: sp.Symbol
    density: sp.Expr
    atoms: dict[Any, Any]
    link: tuple[Any, Any]
    finite: sp.Set
    support: tuple[Any, Any]
    evidence: str = "proved"
    _parts: tuple[Any, ...] = ()

    @property
    @_bounded
    def mass(self) -> Any:
        """Total mass, infinite for an improper prior."""
        inner = sp.integrate(self.density, (self.symbol, *self.support))
        if inner.has(sp.nan, sp.I) and self._has_a_pole():  # sympy may answer nan, or oo + i pi
            inner = sp.oo
        return inner + sum(self.atoms.values())

    def _has_a_pole(self):
        """Is the density, near a finite end, at least as large as one over the distance to it?"""
        sides = zip(self.support, "+-", strict=True)
        return any(sp.limit(self.density * (self.symbol - end), self.symbol, end, side) != 0
                   for end, side in sides if end != sp.oo)

    @_bounded
    def truncate(self, eps: Any) -> ImplicitPrior:
        """The prior on lambda > eps, scaled to a probability, and its link for variances above eps.

        Raises
        ------
        ValueError
            Not a prior of `selective_prior`, or no mass above eps.

        Examples
        --------
        >>> error, v, eps = sp.symbols("error v epsilon", positive=True)
        >>> nll = sp.log(2 * sp.pi * v) / 2 + error / (2 * v)
        >>> cut = selective_prior(nll, error, v).truncate(eps)
        >>> cut.density, cut.link[0]
        (epsilon/lambda**2, 2*epsilon)
        """
        if not self._parts:
            raise ValueError("truncate is for the prior of a selective score")
        slope, rest, variance = self._parts
        eps = _read_expression("eps", eps)
        if not (eps.is_positive and eps.is_finite is not False):
            raise ValueError(f"eps must be positive, got {eps}")
        mass = sp.simplify(slope.subs(variance, eps))
        if mass.is_zero or mass.is_negative:
            raise ValueError(f"the prior has no mass above {eps}")
        a, _ = self.link
        link = (sp.simplify(1 / mass), -rest.subs(variance, eps) / mass)
        kept = {}
        for place, value in self.atoms.items():
            above = sp.sympify(place > eps)
            if above not in (sp.true, sp.false):
                raise ValueError(f"whether the atom at {place} lies above {eps} is not known: put a number for eps")
            if above == sp.true:
                kept[place] = sp.simplify(value / (a * mass))
        atoms = kept
        return ImplicitPrior(self.family, self.symbol, sp.simplify(self.density / (a * mass)), atoms, link,
                             sp.Interval.open(eps, sp.oo), (eps, sp.oo), self.evidence)


@_bounded
def binary_prior(loss_if_1: Any, loss_if_0: Any, p: sp.Symbol) -> ImplicitPrior:
    """The implicit prior over c of a score for binary forecasts.

    ``pi(c) = -l_1'(c)/(1 - c) = l_0'(c)/c``, where the two derivatives agree and are not
    negative; a jump of the losses at t is an atom of mass ``(l_0(t+) - l_0(t-))/t``.

    Parameters
    ----------
    loss_if_1, loss_if_0 : sympy expression
        The loss of forecast p when y = 1 and when y = 0; Piecewise, Min, Max and Abs are
        allowed. Numbers are read exactly, floats by their shortest decimal. Free parameters are
        taken to lie in (0, 1) and to be generic. Break points must be numbers, or one of them a
        parameter. The value at a break point itself is not looked at.
    p : sympy.Symbol

    Returns
    -------
    ImplicitPrior
        With a = 1 in the link: the density has the score's own scale.

    Raises
    ------
    NotAligned
        The two derivatives disagree, or the density is negative somewhere. Where that is not
        proved, many places are looked at: see `ImplicitPrior.evidence`.
    ValueError
        A loss is not real, has a pole or a break point that is not found, or its verdict
        depends on a parameter (the message says at which values); sympy cannot decide, or does
        not within `TIME_LIMIT`; text is never evaluated.

    References
    ----------
    PWU paper, equation (3) and proposition 3.7; Buja, Stuetzle and Shen (2005).

    Examples
    --------
    >>> p = sp.Symbol("p")
    >>> binary_prior(-sp.log(p), -sp.log(1 - p), p).density
    1/(c*(1 - c))
    >>> binary_prior(sp.Piecewise((1, p <= 0.5), (0, True)), sp.Piecewise((0, p <= 0.5), (1, True)), p).atoms
    {1/2: 2}
    """
    q = sp.Dummy("p", positive=True)
    _check_symbols((loss_if_1, loss_if_0), p)
    losses = [_read_expression("the loss", loss).subs(p, q) for loss in (loss_if_1, loss_if_0)]
    _check_names(losses, {"c", "y"}, p)
    if any(loss.has(sp.floor, sp.ceiling, sp.Integral) for loss in losses):
        raise ValueError("write jumps as Piecewise, and integrals solved")
    losses, back = _with_positive_parameters(losses, q)
    return _restored(_binary_prior(losses, q), back)


def _binary_prior(losses, p):
    """The prior of two losses in a positive symbol p, their parameters positive symbols."""
    ends = _breaks(losses, p)
    pieces = [[_branch(loss, p, (low + high) / 2) for loss in losses] for low, high in pairwise(ends)]
    for piece, ends_of_piece in zip(pieces, pairwise(ends), strict=True):
        _check_real(piece, p, ends_of_piece)
    densities = [_binary_density(piece, losses, p) for piece in pieces]
    evidence = _nowhere_negative(densities, ends, C, lambda reason: _refuse_binary(reason, losses, p))
    for piece, ends_of_piece in zip(pieces, pairwise(ends), strict=True):
        _check_monotone(piece, p, ends_of_piece)
    density = _joined(densities, ends, C)
    atoms = {}
    for t, (left, right) in zip(ends[1:-1], pairwise(pieces), strict=True):
        mass = _binary_atom(t, left, right, losses, p)
        if mass != 0:
            atoms[t] = mass
    if density == 0 and not atoms:
        raise NotAligned("the score does not depend on the forecast: its prior would be zero")
    evidence = _with_masses(evidence, atoms)
    if1, if0 = _end(pieces[-1][0], p, 1), _end(pieces[0][1], p, 0)
    y = sp.Symbol("y")
    infinite = _is_infinite(if1) or _is_infinite(if0)
    link = sp.oo if infinite else sp.simplify(-(if0 + (if1 - if0) * y))
    finite = sp.S.EmptySet if infinite else sp.Interval(0, 1, _is_infinite(_end(pieces[0][0], p, 0)),
                                                        _is_infinite(_end(pieces[-1][1], p, 1)))
    return ImplicitPrior(BinaryDecision(), C, density, atoms, (sp.Integer(1), link), finite, (0, 1), evidence)


@_bounded
def selective_prior(loss: Any, error: sp.Symbol, variance: sp.Symbol) -> ImplicitPrior:
    """The implicit prior over lambda of a score for a mean and a variance.

    Every aligned score is ``S(variance) * error + G(variance)`` with ``G' = -variance S'``;
    its prior has the density ``-S'(lambda)``, and mass ``S(oo)`` at infinity. Where S jumps
    down by m, G jumps up by m times the variance, and the prior has an atom of mass m.

    Parameters
    ----------
    loss : sympy expression
        Affine in the error; Piecewise, Min and Max of the variance are allowed. Numbers are read
        exactly, floats by their shortest decimal. Free parameters are taken to lie in (0, 1) and
        to be generic. Break points must be numbers, or one of them a parameter.
    error : sympy.Symbol
        The squared error ``(y - mean)**2``.
    variance : sympy.Symbol
        The predictive variance ``std**2``.

    Returns
    -------
    ImplicitPrior
        A numeric factor of the density is moved to the link: Gaussian NLL gives
        ``lambda**-2`` with a = 2.

    Raises
    ------
    NotAligned
        The score is not affine in the squared error, the derivatives or the jumps disagree, or
        the density, an atom or the mass at infinity is negative. Where the sign is not proved,
        many places are looked at: see `ImplicitPrior.evidence`.
    ValueError
        The score is not real or has a pole, its verdict depends on a parameter (the message
        says at which values), sympy cannot decide, or does not within `TIME_LIMIT`; text is
        never evaluated.

    References
    ----------
    PWU paper, propositions 3.11 and 3.12, remark 3.13, appendices C.4 and C.5.

    Examples
    --------
    >>> error, v = sp.symbols("error v", positive=True)
    >>> prior = selective_prior(sp.log(2 * sp.pi * v) / 2 + error / (2 * v), error, v)
    >>> prior.density, prior.finite
    (lambda**(-2), EmptySet)
    >>> selective_prior(error, error, v).atoms
    {oo: 1}
    >>> clamped = sp.log(sp.Max(v, sp.Rational(1, 4))) + error / sp.Max(v, sp.Rational(1, 4))
    >>> selective_prior(clamped, error, v).finite
    Interval.open(0, oo)
    """
    _check_symbols((loss,), error, variance)
    if error == variance:
        raise ValueError("error and variance must be two symbols")
    loss = _read_expression("the loss", loss)
    _check_names([loss], {"lambda"}, error, variance)
    if loss.has(sp.floor, sp.ceiling, sp.Integral):
        raise ValueError("write jumps as Piecewise, and integrals solved")
    x, v = sp.Dummy("x", positive=True), sp.Dummy("v", positive=True)
    (inner,), back = _with_positive_parameters([loss.subs({error: x, variance: v}, simultaneous=True)], x, v)
    return _restored(_selective_prior(inner, x, v), back)


def _selective_prior(inner, x, v):
    """The prior of a score in two positive symbols, its parameters positive symbols."""
    _check_conditions(inner, x, v)
    ends = _breaks([inner], v, sp.oo)
    slopes, rests = zip(*[_affine(_branch(inner, v, _middle(*piece)), inner, x, v) for piece in pairwise(ends)],
                        strict=True)
    for slope, rest, piece in zip(slopes, rests, pairwise(ends), strict=True):
        for place in _inner(piece, slope + rest):
            _number(slope.subs(v, place)), _number(rest.subs(v, place))
        _check_real_for_all(slope + rest, v, piece)
    densities = [sp.simplify(-sp.diff(slope, v)).subs(v, LAMBDA) for slope in slopes]
    evidence = _nowhere_negative(densities, ends, LAMBDA, lambda reason: _refuse_selective(reason, inner, x, v))
    for slope, rest, piece in zip(slopes, rests, pairwise(ends), strict=True):
        places = _inner(piece, slope + rest)
        if not (_rising(slope, v, places, -1) and _rising(rest, v, places, 1)):
            raise ValueError("the score has a pole: it must be continuous but for jumps, for every positive variance")
    atoms = {t: mass for t, mass in zip(ends[1:-1], _selective_atoms(ends, slopes, rests, inner, x, v), strict=True)
             if mass != 0}
    at_infinity = _end(slopes[-1], v, sp.oo)
    if _sign("the mass at infinity", at_infinity) < 0:
        _refuse_selective("the mass at infinity would be negative", inner, x, v)
    if _is_infinite(at_infinity):
        _refuse_selective("the coefficient of the squared error rises without bound", inner, x, v)
    if at_infinity != 0:
        atoms[sp.oo] = at_infinity
    evidence = _with_masses(evidence, atoms)
    charged = [density for density in densities if density != 0] + list(atoms.values())
    if not charged:
        raise NotAligned("the score does not depend on the forecast: its prior would be zero")
    factor = abs(charged[0].as_coeff_Mul()[0]) if any(density != 0 for density in densities) else charged[0]
    lowest = _end(rests[0], v, 0)
    infinite = _is_infinite(lowest)
    atoms = {place: sp.simplify(mass / factor) for place, mass in atoms.items()}
    link = (1 / factor, sp.oo if infinite else sp.simplify(-lowest / factor))
    finite = sp.S.EmptySet if infinite else sp.Interval.open(0, sp.oo)
    density = _joined([sp.simplify(density / factor) for density in densities], ends, LAMBDA)
    whole = [_joined(list(parts), ends, v) for parts in (slopes, rests)]
    return ImplicitPrior(SelectivePrediction(), LAMBDA, density, atoms, link, finite, (0, sp.oo), evidence,
                         (*whole, v))


def _check_conditions(inner, x, v):
    """A formula that changes with the error is not affine in it, unless its pieces agree."""
    pieces = inner.rewrite(sp.Piecewise).atoms(sp.Piecewise)
    if any(condition.has(x) for piecewise in pieces for _, condition in piecewise.args):
        values = {}
        for place in (1, 3, sp.Rational(1, 7)):
            values = [inner.subs({v: place, x: sp.Integer(2) ** k}) for k in range(-8, 9, 2)]
            slopes = [(_number(after) - _number(before)) / (2.0 ** (k + 2) - 2.0**k)
                      for k, (before, after) in zip(range(-8, 8, 2), pairwise(values), strict=True)]
            if max(slopes) - min(slopes) > 1e-9 * max(map(abs, slopes)):
                _refuse_selective("the score is not affine in the squared error at a fixed variance", inner, x, v)
        raise ValueError("write the score without conditions on the squared error")


def _affine(piece, inner, x, v):
    """S and G of one piece, or NotAligned."""
    slope = sp.simplify(sp.diff(piece, x))
    if not _is_zero(sp.diff(slope, x)):
        _refuse_selective("the score is not affine in the squared error at a fixed variance", inner, x, v)
    rest = sp.simplify(piece - slope * x)
    if not _is_zero(sp.diff(rest, v) + v * sp.diff(slope, v)):
        _doubt_floats(sp.diff(rest, v) + v * sp.diff(slope, v), sp.diff(rest, v))
        _refuse_selective("at fixed squared error the score is not stationary where the variance equals it",
                          inner, x, v)
    return slope, rest


def _selective_atoms(ends, slopes, rests, inner, x, v):
    """Masses at the inner ends, from the jumps of S and G."""
    masses = []
    for place, before, after, low, high in zip(ends[1:-1], slopes, slopes[1:], rests, rests[1:], strict=False):
        mass = sp.simplify((before - after).subs(v, place))
        if not _is_zero(sp.simplify((high - low).subs(v, place)) - place * mass):
            _doubt_floats((high - low).subs(v, place) - place * mass, place * mass)
            _refuse_selective(f"the jumps of the score at {place} are not those of one price", inner, x, v)
        if _sign(f"the atom at {place}", mass) < 0:
            _refuse_selective(f"the atom at {place} would be negative", inner, x, v)
        masses.append(mass)
    return masses


@_bounded
def expected_loss(family: Family, prior: Any, *symbols: sp.Symbol) -> Any:
    """The score that a prior induces, ``integral of -u_theta pi(d theta)``, as a formula.

    Parameters
    ----------
    family : BinaryDecision or SelectivePrediction
    prior : ImplicitPrior, or a prior of pwu_lite with a closed form
        Numbers are read exactly, by their shortest decimal or fraction.
    *symbols : sympy.Symbol
        ``p``, or ``error, variance``; made up if omitted.

    Returns
    -------
    (loss_if_1, loss_if_0) for `BinaryDecision`, one expression for `SelectivePrediction`
        Integrals that sympy cannot solve stay in it; ``.evalf(20)`` gives them to twenty digits.

    Raises
    ------
    ValueError
        The expected cost is infinite, or family or prior is of another kind.

    References
    ----------
    PWU paper, equations (3) and (9).

    Examples
    --------
    >>> p = sp.Symbol("p", positive=True)
    >>> [sp.factor(loss) for loss in expected_loss(BinaryDecision(), priors.Uniform(0, 1), p)]
    [(p - 1)**2/2, p**2/2]
    >>> error, v = sp.symbols("error v", positive=True)
    >>> expected_loss(SelectivePrediction(), priors.Dirac(2), error, v)
    Piecewise((error, v <= 2), (2, True))
    """
    if isinstance(prior, ImplicitPrior):
        if type(prior.family) is not type(family):
            raise ValueError(f"this is a prior for {prior.family!r}, not for {family!r}")
    elif isinstance(family, (BinaryDecision, SelectivePrediction)):
        family.check_prior(priors.as_prior(prior))
    if isinstance(family, BinaryDecision):
        p, = _symbols(symbols, 1) or (sp.Symbol("p", positive=True),)
        parts = [_binary_parts(part, p) for part in _read(prior, C)]
        return tuple(sum((weight * part[which] for weight, part in parts), sp.Integer(0)) for which in (0, 1))
    if isinstance(family, SelectivePrediction):
        error, variance = _symbols(symbols, 2) or sp.symbols("error variance", positive=True)
        parts = [_selective_parts(part, error, variance) for part in _read(prior, LAMBDA)]
        return sum((weight * part for weight, part in parts), sp.Integer(0))
    raise ValueError(f"family must be BinaryDecision() or SelectivePrediction(), got {family!r}")


def _symbols(symbols, count):
    """No symbols, or as many as the family's forecast has parts."""
    if symbols and (len(symbols) != count or not all(isinstance(symbol, sp.Symbol) for symbol in symbols)):
        raise ValueError(f"give {count} sympy Symbol(s), got {', '.join(map(repr, symbols))}")
    return symbols


@_bounded
def threshold_score(cdf: Any, t: sp.Symbol, y: Any, prior: Any, support: tuple[Any, Any] = (-sp.oo, sp.oo)) -> Any:
    """The score of a distribution that pays for bets on every event {Y <= t}.

    ``integral over t of the expected_loss of F(t) for the event y <= t``, thresholds t
    alike and c as in the prior. Under the density 2 it is the CRPS.

    Parameters
    ----------
    cdf : sympy expression in t
        The predictive distribution function F.
    t : sympy.Symbol
    y : sympy expression
        The outcome, inside the support.
    prior : ImplicitPrior, or a prior of pwu_lite
        On c.
    support : (low, high)
        Outside of it F is 0 or 1.

    Examples
    --------
    >>> t, y = sp.symbols("t y", positive=True)
    >>> twice_uniform = binary_prior((1 - t) ** 2, t**2, t)
    >>> sp.expand(threshold_score(t, t, y, twice_uniform, (0, 1)))
    y**2 - y + 1/3
    """
    cdf, y = _read_expression("cdf", cdf), _read_expression("y", y)
    _check_symbols((cdf, y), t)
    if not isinstance(support, tuple) or len(support) != 2:
        raise ValueError(f"support must be (low, high), got {support!r}")
    support = tuple(read("support", end) for end in support)
    if y.is_number and not support[0] <= y <= support[1]:
        raise ValueError(f"the outcome {y} lies outside of the support {support}")
    q = sp.Dummy("q", positive=True)
    if_below, if_above = expected_loss(BinaryDecision(), prior, q)  # the event y <= t, and its opposite
    above, below = if_above.subs(q, cdf), if_below.subs(q, cdf)
    return (_solved_or_not(_attempt(sp.simplify, above) or above, (t, support[0], y))
            + _solved_or_not(_attempt(sp.simplify, below) or below, (t, y, support[1])))


@_bounded
def newsvendor_score(quantile: Any, level: sp.Symbol, y: Any, cdf_at_y: Any, density: Any = 1,
                     atoms: dict[Any, Any] | None = None) -> Any:
    """The score of a distribution whose quantiles are ordered by newsvendors of every level.

    A newsvendor of level tau loses the pinball loss: ``tau (y - q)`` if her order q, the
    tau-quantile, was too small and ``(1 - tau)(q - y)`` if it was too large. The score
    integrates it over ``density(tau) d tau`` plus the atoms. Density 2 gives the CRPS, an atom
    of mass 1 one pinball loss, two atoms of mass ``2/alpha`` at ``alpha/2`` and
    ``1 - alpha/2`` the interval score.

    Parameters
    ----------
    quantile : sympy expression in `level`
        The predictive quantile function.
    level : sympy.Symbol
    y, cdf_at_y : sympy expression
        The outcome, and F at it.
    density : sympy expression in `level`
    atoms : dict
        ``{level: mass}``.

    Examples
    --------
    >>> tau, y = sp.symbols("tau y", positive=True)
    >>> sp.expand(newsvendor_score(tau, tau, y, y, density=2))
    y**2 - y + 1/3
    """
    _check_symbols((quantile, y, cdf_at_y, density), level)
    if atoms is not None and not isinstance(atoms, dict):
        raise ValueError(f"atoms must be a mapping of levels to masses, got {atoms!r}")
    quantile, density = _read_expression("quantile", quantile), _read_expression("density", density)
    y, cdf_at_y = _read_expression("y", y), _read_expression("cdf_at_y", cdf_at_y)
    s = sp.Dummy("s", positive=True)  # 1 - level, for the upper tail
    loss_short, loss_over = density * level * (y - quantile), density * (1 - level) * (quantile - y)
    total = (_solved_or_not(loss_short, (level, 0, cdf_at_y))
             + _solved_or_not(sp.expand(loss_over.subs(level, 1 - s)), (s, 0, 1 - cdf_at_y)))
    for place, mass in (atoms or {}).items():
        place, mass = _read_expression("a level", place), _read_expression("a mass", mass)
        if not place.free_symbols and not 0 < place < 1:
            raise ValueError(f"a level must lie in (0, 1), got {place}")
        order = quantile.subs(level, place)
        total += mass * sp.Max(place * (y - order), (1 - place) * (order - y))
    return total


def _solved_or_not(f, limits):
    """The integral as a formula if sympy's is real and agrees with quadrature, else unsolved."""
    unsolved = sp.Integral(f, limits)
    solved = _attempt(sp.integrate, sp.expand(f), limits)
    if solved is None or solved.has(sp.Integral, sp.oo, sp.zoo, sp.nan):
        return unsolved
    at = _sample(unsolved)
    here, there = (sp.N(each.subs(at), 15) for each in (solved, unsolved))
    return sp.expand(solved) if abs(here - there) < 1e-9 * (1 + abs(there)) else unsolved


def _binary_density(piece, losses, p):
    """Density on one piece, or NotAligned."""
    from_1 = -sp.diff(piece[0], p) / (1 - p)
    from_0 = sp.diff(piece[1], p) / p
    gap = (from_1 - from_0).subs(p, ODDS / (1 + ODDS))
    if not _is_zero(gap):
        _doubt_floats(gap, from_1.subs(p, ODDS / (1 + ODDS)))
        _refuse_binary("-l_1'/(1 - p) and l_0'/p disagree: honest reports do not have the smallest expected loss",
                       losses, p)
    return min((_tidy(form.subs(p, C)) for form in (from_1, from_0)), key=sp.count_ops)


def _tidy(density):
    """Simplest form, with 1 - c kept together."""
    w = sp.Dummy("w", positive=True)
    simple = sp.factor(sp.simplify(density))
    together = sp.simplify(simple.xreplace({1 - C: w, C - 1: -w}))
    back = together.subs(w, 1 - C)
    return back if sp.count_ops(back) <= sp.count_ops(simple) else simple


def _binary_atom(t, left, right, losses, p):
    """Mass of the point t, from the jumps of the two losses."""
    jumps = [sp.simplify((after - before).subs(p, t)) for before, after in zip(left, right, strict=True)]
    mass = sp.simplify(jumps[1] / t)
    if not _is_zero(-jumps[0] / (1 - t) - mass):
        _doubt_floats(-jumps[0] / (1 - t) - mass, mass)
        _refuse_binary(f"the jumps of the two losses at {t} are not those of one cost", losses, p)
    if _sign(f"the atom at {t}", mass) < 0:
        _refuse_binary(f"the atom at {t} would be negative", losses, p)
    return mass


def _joined(parts, ends, symbol):
    """One expression of the formulas of all pieces."""
    pieces = [(part, symbol < high) for part, high in zip(parts[:-1], ends[1:-1], strict=True)]
    return sp.Piecewise(*pieces, (parts[-1], True))


def _nowhere_negative(densities, ends, symbol, refuse):
    """How it is known that the density is nowhere negative, for each piece; else `refuse` the score."""
    evidence = set()
    for density, (low, high) in zip(densities, pairwise(ends), strict=True):
        proved = _exact_sign(density, symbol, low, high)
        if proved is not None and proved < 0:
            refuse(f"the density would be negative somewhere between {low} and {high}")
        if proved is not None:
            continue
        places = _dense(low, high)
        negative = {}
        for at in _samples(sp.Tuple(density, low, high), symbol):
            negative[tuple(at.items())] = _first_negative(density, symbol, places, low, high, at)
        hits = {at: place for at, place in negative.items() if place is not None}
        if hits and len(hits) < len(negative):
            free = next(at for at in negative if at not in hits)
            raise ValueError(f"whether the score is aligned depends on its parameters: the density is negative at "
                             f"{_said(next(iter(hits)))} and not at {_said(free)}; put numbers")
        if hits:
            at, place = next(iter(hits.items()))
            where = f" (parameters are taken to lie in (0, 1); here {_said(at)})" if at else ""
            refuse(f"the density would be negative at {symbol} = {place}{where}")
        evidence.add(f"looked at in {len(places)} places"
                     + (f", for {len(negative)} values of the parameters" if len(negative) > 1 else ""))
    return "; ".join(sorted(evidence)) or "proved"


def _with_masses(evidence, atoms):
    """The evidence, with a word on masses whose sign is known at some values of the parameters only."""
    if all(mass.is_nonnegative or not mass.free_symbols for mass in atoms.values()):
        return evidence
    return ("" if evidence == "proved" else f"{evidence}; ") + "masses looked at for some values of the parameters"


def _said(at):
    return ", ".join(f"{symbol} = {value}" for symbol, value in at)


def _exact_sign(density, symbol, low, high):
    """1 if it is certain to be nowhere negative, -1 if certain to be so somewhere, None if neither is.

    By the signs of all terms, or by the real roots of a rational density.
    """
    ratio = sp.Dummy("r", positive=True)
    if (low, high) == (0, 1):
        inner = density.subs(1 - symbol, 1 / (1 + ratio))
    else:
        inner = density
    inner = inner.subs(symbol, low + ratio if high == sp.oo else (low + high * ratio) / (1 + ratio))
    if inner.is_rational_function(ratio):
        for at in _samples(sp.Tuple(inner), ratio):
            _refuse_poles(sp.denom(sp.factor(inner.subs(at))), ratio)
    if inner.is_nonnegative or sp.together(inner).is_nonnegative:
        return 1
    if not inner.is_rational_function(ratio):
        factored = _attempt(sp.factor, inner)
        left = [factor for factor in sp.Mul.make_args(factored or inner) if not factor.is_positive]
        inner = sp.Mul(*left)
        if not inner.is_rational_function(ratio):
            return None
    numerator, denominator = sp.fraction(sp.factor(inner))
    signs = [_signs_of_polynomial(part, ratio) for part in (numerator, denominator)]
    if None in signs:
        return None
    return 1 if all(one * two >= 0 for one in signs[0] for two in signs[1]) else -1


def _refuse_poles(denominator, ratio):
    if denominator.has(ratio) and denominator.is_polynomial(ratio):
        poly = sp.Poly(denominator, ratio)
        if all(c.is_Rational for c in poly.coeffs()) and any(root > 0 for root in sp.real_roots(poly)):
            raise ValueError("the score has a pole inside: it must be continuous but for jumps")


def _signs_of_polynomial(polynomial, ratio):
    """The signs that the polynomial takes for positive ratios between its roots, or None."""
    poly = sp.Poly(polynomial, ratio)
    if poly.is_zero:
        return {0}
    if not poly.free_symbols_in_domain and poly.degree() > 0 and not all(c.is_Rational for c in poly.coeffs()):
        return _signs_by_numeric_roots(poly)
    if poly.free_symbols_in_domain or not all(c.is_Rational for c in poly.coeffs()):
        signs = {1 if c.is_positive else -1 if c.is_negative else None for c in poly.coeffs()}
        return signs if len(signs) == 1 and None not in signs else None
    roots = sorted({root for root in sp.real_roots(poly) if root > 0})
    between = [sp.Integer(0), *roots, (roots[-1] if roots else sp.Integer(1)) * 2 + 2]
    places = [sp.Rational(str(sp.N((a + b) / 2, 60))) for a, b in pairwise(between)]
    return {int(sp.sign(poly.eval(place))) for place in places}


def _signs_by_numeric_roots(poly):
    """{-1, 1} if the polynomial changes its sign between roots known to forty digits, None if that proves nothing."""
    roots = sorted(sp.re(root) for root in poly.nroots(n=40, maxsteps=200) if sp.re(root) > 0)
    places = [(a + b) / 2 for a, b in pairwise([sp.Float(0, 40), *roots, (roots[-1] if roots else 1) * 2 + 2])]
    signs = {int(sp.sign(poly.as_expr().evalf(40, subs={poly.gen: place}))) for place in places}
    return {-1, 1} if {-1, 1} <= signs else None


def _dense(low, high):
    """Floats all over a piece: near its ends, on a grid, and off every grid."""
    if high == sp.oo:
        return np.concatenate([np.geomspace(1e-30, 1e30, 4001), 10 ** (60 * _scattered(2000) - 30),
                               10 ** (6 * _scattered(4000) - 3)])
    odds = np.geomspace(1e-15, 1e15, 2001)
    return np.concatenate([odds / (1 + odds), np.arange(1, 200) / 200, _scattered(2001)])


def _scattered(count):
    return (np.arange(1, count + 1) * 0.6180339887498949) % 1


def _first_negative(density, symbol, places, low, high, at):
    """A place of the piece at which the density is negative, or None; floats look, exact numbers decide."""
    low, high = (sp.sympify(end).subs(at) for end in (low, high))
    where = float(low) + places if high == sp.oo else float(low) + float(high - low) * places
    formula = density.subs(at)
    function = sp.lambdify(symbol, formula, ["scipy", "numpy"])
    with np.errstate(all="ignore"):
        values = np.broadcast_to(np.asarray(function(where), dtype=complex).real, where.shape)
    found = np.flatnonzero(values < 0)
    for index in found[np.argsort(values[found])][:: max(len(found) // 8, 1)]:
        place = _exact(sp.Float(float(where[index])))
        if low < place < high and formula.evalf(40, subs={symbol: sp.Float(place, 50)}) < 0:
            return place
    return None


_FREQUENCIES = [(ones, cases) for cases in (2, 3, 4, 5, 8, 10) for ones in range(cases + 1)]


def _check_symbols(losses, *symbols):
    """A symbol of the same name and other assumptions is another symbol."""
    for symbol in symbols:
        if not isinstance(symbol, sp.Symbol):
            raise ValueError(f"{symbol!r} must be a sympy Symbol")
        used = {other for loss in losses for other in getattr(loss, "free_symbols", set()) - set(symbols)}
        if any(str(other) == str(symbol) for other in used):
            raise ValueError(f"the formula has another symbol {symbol}, with other assumptions: use the same one")


def _check_names(losses, taken, *known):
    """Parameters may not have the names of the symbols in the result."""
    names = {str(symbol) for loss in losses for symbol in loss.free_symbols - set(known)}
    if names & taken:
        raise ValueError(f"give the parameter {', '.join(sorted(names & taken))} another name: it is the result's own")


def _with_positive_parameters(expressions, *known):
    """Free parameters as positive symbols, so that sympy knows their sign; and the way back."""
    free = sorted({symbol for e in expressions for symbol in e.free_symbols} - set(known), key=str)
    there = {}
    for symbol in free:
        if symbol.is_positive is False or symbol.is_integer or symbol.is_real is False:
            raise ValueError(f"parameters are taken to lie in (0, 1), and {symbol} cannot: put a number for it")
        if symbol.is_positive is None:
            there[symbol] = sp.Symbol(symbol.name, positive=True)
    names = [symbol.name for symbol in free]
    if len(set(names)) < len(names):
        raise ValueError("two parameters have the same name and other assumptions: use one symbol")
    return [e.subs(there) for e in expressions], {new: old for old, new in there.items()}


def _restored(prior, back):
    """The prior in the caller's own symbols."""
    if not back:
        return prior

    def own(thing):
        return thing.xreplace(back) if isinstance(thing, sp.Basic) else thing

    return ImplicitPrior(prior.family, prior.symbol, own(prior.density),
                         {own(place): own(mass) for place, mass in prior.atoms.items()},
                         tuple(map(own, prior.link)), own(prior.finite), prior.support, prior.evidence,
                         tuple(map(own, prior._parts)))


def _check_real(piece, p, ends):
    for loss in piece:
        for point in _inner(ends, loss):
            _real(loss.subs(_sample(loss, p)).subs(p, point))
        _check_real_for_all(loss, p, ends)


def _check_real_for_all(expression, symbol, ends):
    """Real for some values of the parameters and not for others is a verdict that depends on them."""
    place = _middle(*(end if not getattr(end, "free_symbols", None) else end.subs(_sample(end)) for end in ends))
    for at in _samples(expression, symbol):
        try:
            _real(expression.subs(at).subs(symbol, place))
        except ValueError:
            raise ValueError(f"whether the score is real depends on its parameters: it is not at "
                             f"{_said(at.items())}; put numbers") from None


def _check_monotone(piece, p, ends):
    """Expected costs fall with the forecast if y = 1, and rise if y = 0; a pole breaks that."""
    for loss, direction in zip(piece, (-1, 1), strict=True):
        if not _rising(loss, p, _inner(ends, loss), direction):
            raise ValueError("the losses have a pole inside (0, 1), or a density that is negative between the "
                             "places looked at: they must be continuous but for jumps, and monotone")


def _middle(low, high):
    return 2 * low + 1 if high == sp.oo else (low + high) / 2


def _inner(ends, loss):
    """Points inside a piece; a parameter among its ends is sampled."""
    at = {symbol: value for end in ends for symbol, value in _sample(sp.sympify(end)).items()}
    low, high = (sp.sympify(end).subs(at) for end in ends)
    if high == sp.oo:
        return [low + (low if low else 1) * step for step in _geometric()]
    if len(ends) == 2 and low == 0 and high > 1:  # variances near zero, too
        return [high * step for step in _geometric() if step < 1]
    return [low + (high - low) * sp.Rational(k, 40) for k in range(1, 40)]


def _rising(expression, symbol, places, direction):
    values = [direction * _number(expression.subs(_sample(expression, symbol)).subs(symbol, place))
              for place in places]
    return all(after >= before - 1e-9 * (1 + abs(before)) for before, after in pairwise(values))


def _refuse_binary(reason, losses, p):
    """Raise, with forecasts on which the score prefers a dishonest report: costs then do the opposite."""
    grid = [sp.Rational(k, 40) for k in range(1, 40)]

    @functools.lru_cache(None)
    def loss_of(label, report):
        return _number(losses[0 if label else 1].subs(p, _exact(sp.Float(report))))

    def metric(y, f):
        return np.mean([loss_of(bool(label), float(report)) for label, report in zip(y, f, strict=True)])

    for ones, cases in _FREQUENCIES:
        labels = np.arange(cases) < ones
        reports = [(np.full(cases, float(g)),) for g in grid]
        found = alignment.refute(metric, BinaryDecision(), y_true=labels.astype(int), forecasts=reports)
        if found:
            raise NotAligned(reason, found)
    raise NotAligned(reason)


def _refuse_selective(reason, loss, x, v):
    """Raise, with one or two cases on which every prior contradicts the score."""
    function = sp.lambdify((x, v), loss.subs(_sample(loss, x, v)), ["scipy", "numpy"])

    def metric(y, mean, std):
        return float(np.mean([function(m * m, s * s) for m, s in zip(mean, std, strict=True)]))

    for size, squares, variances in ((1, (0.0, 0.25, 0.5, 1.0, 2.0, 4.0), (0.25, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 4.0)),
                                     (2, (0.0, 1.0, 2.0), (0.5, 1.0, 2.0))):
        cells = list(product(squares, variances))
        reports = [tuple(np.sqrt(part) for part in np.transpose(case)) for case in product(cells, repeat=size)]
        found = alignment.refute(metric, SelectivePrediction(), y_true=np.zeros(size), forecasts=reports)
        if found:
            raise NotAligned(reason, found)
    raise NotAligned(reason)


def _read(prior: Any, symbol: sp.Symbol) -> list[tuple[Any, ...]]:
    """The parts of a prior: (weight, density, support, location of a point mass)."""
    if isinstance(prior, ImplicitPrior):
        parts = [(1, prior.density, prior.support, None)] if prior.density != 0 else []
        return parts + [(mass, None, None, place) for place, mass in prior.atoms.items()]
    return [(_exact(weight), *_formula(part, symbol)) for weight, part in priors.as_prior(prior).parts]


def _formula(prior, t):
    """Density, support and point mass of a single prior of pwu_lite."""
    if isinstance(prior, priors.Dirac):
        return None, None, _exact(prior.at)
    if t == C and isinstance(prior, (priors.Beta, priors.TruncatedBeta)) and not (
            prior.a.is_integer() and prior.b.is_integer()):
        return prior, tuple(_exact(end) for end in prior.support), None
    make = _DENSITIES.get(type(prior))
    if make is None:
        raise ValueError(f"no formula for {prior!r}: pass an ImplicitPrior or a prior with a closed form")
    names = [name for name in prior.__dataclass_fields__]
    density = make(t, *(_exact(getattr(prior, name)) for name in names))
    return density, tuple(_exact(end) for end in prior.support), None


def _beta(t, a, b, scale):
    return (t / scale) ** (a - 1) * (1 - t / scale) ** (b - 1) / (sp.beta(a, b).rewrite(sp.gamma) * scale)


def _beta_losses(prior, p):
    """The expected losses of a Beta prior, truncated or not, by the incomplete beta function."""
    a, b = _exact(prior.a), _exact(prior.b)
    scale = _exact(getattr(prior, "scale", 1))
    low, high = (_exact(end) / scale for end in prior.support)
    u = p / scale if (low, high, scale) == (0, 1, 1) else sp.Min(sp.Max(p / scale, low), high)
    norm = sp.betainc_regularized(a, b, low, high) if (low, high) != (0, 1) else 1
    mean_above = a / (a + b) * sp.betainc_regularized(a + 1, b, u, high)
    mean_below = a / (a + b) * sp.betainc_regularized(a + 1, b, low, u)
    if scale == 1:
        miss = b / (a + b) * sp.betainc_regularized(a, b + 1, u, high)
    else:
        miss = sp.betainc_regularized(a, b, u, high) - scale * mean_above
    return miss / norm, scale * mean_below / norm


def _truncated_beta(t, a, b, low, high):
    whole = t ** (a - 1) * (1 - t) ** (b - 1)
    return whole / sp.integrate(whole, (t, low, high))


_DENSITIES: dict[type, Callable[..., sp.Expr]] = {
    priors.Beta: _beta, priors.TruncatedBeta: _truncated_beta,
    priors.Uniform: lambda t, low, high: 1 / (high - low),
    priors.Pareto: lambda t, minimum: minimum / t**2,
    priors.LogNormal: lambda t, m, s: sp.exp(-(sp.log(t) - m) ** 2 / (2 * s**2)) / (t * s * sp.sqrt(2 * sp.pi)),
    priors.Gamma: lambda t, k, s: t ** (k - 1) * sp.exp(-t / s) / (sp.gamma(k) * s**k),
}


def _binary_parts(part, p):
    """Weight, and the loss if y is 1 and if it is 0, of one part of a prior."""
    weight, density, support, place = part
    if density is None:
        acts = p > place
        return weight, (sp.Piecewise((0, acts), (1 - place, True)), sp.Piecewise((place, acts), (0, True)))
    if isinstance(density, priors.Prior):
        return weight, _beta_losses(density, p)
    low, high = support
    t = p if (low, high) == (0, 1) else sp.Min(sp.Max(p, low), high)
    u = sp.Dummy("u", positive=True)
    return weight, (_odds_integral((1 - C) * density, u, high).subs(u, t),
                    _odds_integral(C * density, low, u).subs(u, t))


def _odds_integral(integrand, low, high):
    """Integral over c, by the odds c/(1 - c) unless it is a polynomial; one end is a symbol."""
    if integrand.has(sp.Piecewise):
        return _piecewise_integral(integrand, C, low, high, sp.Integer(1))
    if sp.expand(integrand).is_polynomial(C):
        return sp.integrate(sp.expand(integrand), (C, low, high))
    inner = sp.simplify(integrand.subs(C, ODDS / (1 + ODDS)) / (1 + ODDS) ** 2)
    s = sp.Dummy("s", positive=True)  # the odds of the end that is a symbol
    ends = [s if end.free_symbols else _odds(end) for end in map(sp.sympify, (low, high))]
    solved = _integral(inner, ODDS, *ends)
    if solved is None:
        return sp.Integral(integrand, (C, low, high))
    variable = low if sp.sympify(low).free_symbols else high
    forms = _tidy(solved.subs(s, _odds(C))), sp.simplify(solved.subs(s, _odds(C)))
    return _checked(min(forms, key=sp.count_ops).subs(C, variable))


def _odds(c):
    return sp.oo if c == 1 else c / (1 - c)


def _piecewise_integral(integrand, symbol, low, high, top):
    ends = _breaks([integrand], symbol, top)
    total, u, w = sp.Integer(0), sp.Dummy("u", positive=True), sp.Dummy("w", positive=True)
    for start, stop in pairwise(ends):
        inner = _branch(integrand, symbol, _middle(start, stop))
        bounds = [sp.Min(sp.Max(end, start), stop) for end in (low, high)]
        if inner == 0:
            continue
        if bounds[1] == sp.oo:
            part = _integral(inner, symbol, u, sp.oo)
        else:
            part = sp.integrate(sp.expand(inner), (symbol, u, w))
        if part is None:
            return sp.Integral(integrand, (symbol, low, high))
        total += part.subs({u: bounds[0], w: bounds[1]})
    return total


def _integral(f, x, low, high):
    """Definite integral by an antiderivative that sympy finds step by step, or None."""
    if not _has_easy_powers(f, x):
        return None
    whole = sp.integrate(sp.expand(f), x, manual=True)
    if whole.has(sp.Integral):
        whole = sp.integrate(f, x, manual=True)
    if whole.has(sp.Integral):
        return None
    whole = _branch(whole, x, sp.Integer(1))
    try:
        ends = [sp.limit(whole, x, end, "-" if end == high else "+") if end in (0, sp.oo) else whole.subs(x, end)
                for end in (low, high)]
    except NotImplementedError:  # the limit hangs on the sign of a parameter
        return None
    return ends[1] - ends[0]


def _has_easy_powers(f, x):
    """Powers of x alone, or multiples of one half: sympy may search for hours for the others."""
    powers = [power for power in f.atoms(sp.Pow) if power.base.has(x) and power.base != x]
    alone = [power for power in f.atoms(sp.Pow) if power.base == x]
    easy = [power.exp.is_Rational and power.exp.q <= 2 for power in powers]
    return all(easy) and (not powers or all(power.exp.is_Rational and power.exp.q <= 2 for power in alone))


def _selective_parts(part, error, variance):
    """Weight, and the expected cost, of one part of a prior."""
    weight, density, support, place = part
    if density is None:
        return weight, error if place == sp.oo else sp.Piecewise((error, variance <= place), (place, True))
    low, high = support
    t = variance if (low, high) == (0, sp.oo) else sp.Min(sp.Max(variance, low), high)
    u = sp.Dummy("u", positive=True)
    above = _lambda_integral(density, u, high)
    below = _lambda_integral(LAMBDA * density, low, u)
    return weight, above.subs(u, t) * error + below.subs(u, t)


def _lambda_integral(f, low, high):
    if f.has(sp.Piecewise):
        return _checked(_piecewise_integral(f, LAMBDA, low, high, sp.oo))
    solved = _integral(f, LAMBDA, low, high)
    return sp.Integral(f, (LAMBDA, low, high)) if solved is None else _checked(sp.simplify(solved))


def _checked(value):
    if value.has(sp.oo, -sp.oo, sp.zoo, sp.nan):
        raise ValueError("the expected cost is infinite under this prior: truncate it")
    return value


def _exact(expression):
    """Floats become the fractions that they stand for: the simplest with the same float, or the decimal."""
    found = sp.sympify(expression, strict=True)
    return found.xreplace({number: _fraction(number) for number in found.atoms(sp.Float)})


def _fraction(number):
    if number._prec > 53:
        return sp.Rational(str(number))
    value = float(number)
    simple = Fraction(value).limit_denominator(10**6)
    return sp.Rational(simple.numerator, simple.denominator) if float(simple) == value else sp.Rational(repr(value))


def read(name: str, expression: Any) -> Any:
    """A sympy expression of what is one, or a number; text is never evaluated."""
    if isinstance(expression, np.generic):
        expression = expression.item()
    try:
        return sp.sympify(expression, strict=True)
    except sp.SympifyError:
        raise ValueError(f"{name} must be a sympy expression (text is not evaluated: build it from sympy symbols), "
                         f"got {expression!r}") from None


def _read_expression(name, expression):
    """An expression of finite numbers and symbols, exactly."""
    found = read(name, expression)
    _clock.floats = getattr(_clock, "floats", False) or bool(getattr(found, "atoms", lambda _: ())(sp.Float))
    if not isinstance(found, sp.Expr) or found.has(sp.nan, sp.oo, -sp.oo, sp.zoo):
        raise ValueError(f"{name} must be a finite sympy expression, got {expression!r}")
    return _exact(found)


def _breaks(losses, p, top=sp.S.One):
    """0, the points in between at which a formula changes, 1 (or the other top); in order."""
    found, conditions = set(), []
    for loss in losses:
        for piecewise in loss.rewrite(sp.Piecewise).atoms(sp.Piecewise):
            conditions += [condition for _, condition in piecewise.args if condition.has(p)]
            free = [condition for _, condition in piecewise.args if condition.free_symbols and not condition.has(p)]
            if free:
                raise ValueError(f"the verdict depends on whether {free[0]}: put numbers for the parameters")
    for condition in conditions:
        for relation in condition.atoms(sp.core.relational.Relational):
            found.update(_roots(relation.lhs - relation.rhs, p, top))
    symbols = {place for place in found if place.free_symbols}
    if len(symbols) > 1 or (symbols and len(found) > 1):
        raise ValueError(f"the order of the break points {sorted(map(str, found))} is not known: use numbers")
    ends = [sp.Integer(0), *(symbols or sorted(found, key=sp.N)), top]
    for condition in conditions:
        for piece in pairwise(ends):
            at = _sample(condition, p)
            truth = {condition.subs(at).subs(p, point) for point in _inner(piece, condition)}
            if len(truth) != 1 or not truth <= {sp.true, sp.false}:
                raise ValueError(f"cannot find where {condition} changes: write it as p < number")
    return ends


def _roots(expression, p, top):
    """Roots inside (0, top), and those that are parameters."""
    try:
        roots = sp.solve(expression, p)
    except NotImplementedError:
        raise ValueError(f"cannot solve {expression} = 0 for {p}: write the condition as p < number") from None
    kept = []
    for root in roots:
        inside = {_lies_inside(root, at, top) for at in _samples(root, p)} if root.free_symbols else {True}
        if len(inside) > 1:
            raise ValueError(f"whether the formula changes at {root} depends on its parameters: put numbers")
        if inside == {False}:
            continue
        value = sp.N(root) if not root.free_symbols else sp.Rational(1, 2)
        if root.free_symbols or (abs(sp.im(value)) < 1e-12 and 0 < sp.re(value) < top):
            kept.append(root if root.free_symbols or root.is_real else sp.re(value))
    return kept


def _lies_inside(root, at, top):
    value = complex(root.subs(at).evalf())
    return abs(value.imag) < 1e-12 and 0 < value.real < float(top)


def _branch(loss, p, point):
    """The formula that holds around a point."""
    at = {**_sample(loss, p), **_sample(point, p)}
    where = point.subs(at)

    def pick(piecewise):
        for inner, condition in piecewise.args:
            if condition.subs(at).subs(p, where) == sp.true:
                return inner
        raise ValueError(f"{piecewise} has no value at {p} = {where}")

    return loss.rewrite(sp.Piecewise).replace(lambda e: isinstance(e, sp.Piecewise), pick)


def _sample(expression, *known, shift=0):
    """A value in (0, 1) for each free parameter, by name; three sets of them."""
    free = sorted(expression.free_symbols - set(known), key=str)
    return {symbol: sp.Rational(*((k + 1, k + 3), (k + 5, k + 6), (1, 3 * k + 7))[shift])
            for k, symbol in enumerate(free)}


def _samples(expression, *known):
    """Values in (0, 1) for all free parameters: generic ones, near both ends, and where a sign could change."""
    free = sorted(expression.free_symbols - set(known), key=str)
    if not free:
        return [{}]
    samples = [_sample(expression, *known, shift=shift) for shift in (0, 1, 2)]
    low, high = sp.Rational(1, 1000), sp.Rational(999, 1000)
    for even, odd in [(low, low), (high, high), (low, high), (high, low)][:2 * min(len(free), 2)]:
        samples.append({symbol: odd if place % 2 else even for place, symbol in enumerate(free)})
    if len(free) == 1:
        samples += [{free[0]: sp.Rational(round(1000 * value), 1000)} for value in _scattered(8)]
        samples += [{free[0]: value} for value in _turns(expression, free[0], *known)]
    return samples


def _turns(expression, parameter, *known):
    """Values of one parameter on either side of each place where a rational expression changes its sign."""
    turns = set()
    for place in (sp.Rational(1, 9), sp.Rational(1, 2), sp.Rational(8, 9)):
        first = expression.args[0] if isinstance(expression, sp.Tuple) else expression
        numerator = sp.numer(sp.together(first.subs({symbol: place for symbol in known})))
        if numerator.is_polynomial(parameter) and numerator.free_symbols == {parameter}:
            poly = sp.Poly(numerator, parameter)
            if all(c.is_Rational for c in poly.coeffs()) and poly.degree() > 0:
                turns |= {root for root in sp.real_roots(poly) if 0 < root < 1}
    ends = [sp.Integer(0), *sorted(turns), sp.Integer(1)]
    return [sp.Rational(str(sp.N((low + high) / 2, 20))) for low, high in pairwise(ends)] if turns else []


def _end(expression, symbol, end):
    """Value, or else limit, at an end of the domain."""
    value = expression.subs(symbol, end) if end != sp.oo else sp.nan
    if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        value = _limit(expression, symbol, end)
    empty = value.replace(sp.betainc_regularized, lambda a, b, low, high:
                          sp.Integer(0) if low == high else sp.betainc_regularized(a, b, low, high))
    return sp.simplify(empty)


def _limit(expression, symbol, end):
    """The limit at an end; infinite if it is so for every sample of the parameters."""
    side = "-" if end == 1 else "+"
    try:
        value = sp.limit(expression, symbol, end, side)
        if not value.has(sp.Limit, sp.nan, sp.AccumBounds, sp.sign):
            return value
    except NotImplementedError:  # sympy does not know the sign of an expression of parameters
        pass
    values = {sp.limit(expression.subs(at), symbol, end, side) for at in _samples(expression, symbol)}
    if len(values) == 1 and values <= {sp.oo, -sp.oo}:
        return values.pop()
    raise ValueError(f"cannot find the limit of {expression} at {symbol} = {end}: put numbers for parameters")


def _is_infinite(value):
    """Is it infinite, for every value of its parameters that is looked at?"""
    if value.is_infinite is not None:
        return bool(value.is_infinite)
    kinds = {bool(value.subs(at).has(sp.oo, -sp.oo, sp.zoo)) for at in _samples(value)}
    if len(kinds) > 1:
        raise ValueError(f"whether {value} is finite depends on its parameters: put numbers")
    return kinds.pop()


def _is_zero(expression):
    """False if twenty digits at a sample say so, True if sympy proves it."""
    if not expression.free_symbols and not expression.atoms(sp.Float):
        exact = sp.simplify(expression)
        if exact.is_zero is not None:
            return bool(exact.is_zero)
    if abs(sp.N(expression.subs(_sample(expression)), 20)) > sp.Float("1e-12"):
        return False
    simple = sp.simplify(expression)
    if simple.has(sp.beta):
        simple = sp.gammasimp(simple.rewrite(sp.gamma))
    if simple == 0 or simple.equals(0):
        return True
    if simple.equals(0) is False:
        return False
    if not simple.free_symbols and simple.atoms(sp.Float):  # a root that sympy knows to fifteen digits only
        return True
    for shift in (1, 2):
        if abs(sp.N(expression.subs(_sample(expression, shift=shift)), 20)) > sp.Float("1e-12"):
            return False
    raise ValueError(f"sympy cannot decide whether {simple} is zero")


def _doubt_floats(gap, size):
    """Raise ValueError where two sides differ by no more than the rounding of the floats that were given."""
    if not getattr(_clock, "floats", False):
        return
    for shift in (0, 1, 2):
        values = [abs(complex(each.subs(_sample(gap + size, shift=shift)).evalf(30))) for each in (gap, size)]
        if values[0] > 1e-12 * values[1]:
            return
    raise ValueError("two sides of the condition differ by the rounding of floats alone, and floats are read exactly: "
                     "write exact numbers, for instance sympy.Rational(3, 10) for 0.3")


def _number(expression):
    """Value at a sample of the free parameters."""
    return _real(sp.sympify(expression).subs(_sample(sp.sympify(expression))))


def _real(value):
    """A real float, or ValueError."""
    number = complex(value.subs(_sample(value)).evalf())
    if not np.isfinite(number) or abs(number.imag) > 1e-9 * (1 + abs(number)):
        raise ValueError(f"the score is not real and finite: one of its terms is {number}")
    return number.real


def _sign(what, expression):
    """Sign of a number or limit, the same at every sample of its free parameters, or ValueError."""
    signs = {}
    for at in _samples(expression):
        value = expression.subs(at)
        sign = 1 if value == sp.oo else -1 if value == -sp.oo else int(np.sign(_real(value)))
        signs.setdefault(sign, tuple(at.items()))
    if {-1, 1} <= signs.keys():
        raise ValueError(f"whether the score is aligned depends on its parameters: {what} is negative at "
                         f"{_said(signs[-1])} and positive at {_said(signs[1])}; put numbers")
    return min(signs)


def _geometric():
    return [sp.sqrt(2) ** k for k in range(-40, 41)]
