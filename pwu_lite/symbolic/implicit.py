"""From a scoring rule to the prior it believes in, or the reason why there is none.

Implements sections 3.2 and 3.3 and appendices C.4 and C.5 of the PWU paper, equation (3).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import sympy as sp

from .. import alignment
from ..alignment import Refutation
from ..families import BinaryDecision, Family, SelectivePrediction
from .algebra import (
    LAMBDA,
    ODDS,
    C,
    all_sampled,
    as_number,
    at_end,
    branch_at,
    break_points,
    check_names,
    check_no_pole,
    check_real,
    check_real_for_all,
    check_symbols,
    doubt_floats,
    exactly,
    is_infinite,
    is_zero,
    lowest_place,
    middle_of,
    points_inside,
    read_expression,
    said,
    sampled,
    scattered,
    shown,
    sign_of,
    tidy,
    with_positive_parameters,
)
from .guard import attempt, check_functions, guarded, simplified

__all__ = ["ImplicitPrior", "NotAligned", "binary_prior", "selective_prior"]


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
    @guarded
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

    @guarded
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
        eps = read_expression("eps", eps)
        if not (eps.is_positive and eps.is_finite is not False):
            raise ValueError(f"eps must be positive, got {eps}")
        mass = simplified(slope.subs(variance, eps))
        if mass.is_zero or mass.is_negative:
            raise ValueError(f"the prior has no mass above {eps}")
        a, _ = self.link
        link = (simplified(1 / mass), -rest.subs(variance, eps) / mass)
        kept = {}
        for place, value in self.atoms.items():
            above = sp.sympify(place > eps)
            if above not in (sp.true, sp.false):
                raise ValueError(f"whether the atom at {place} lies above {eps} is not known: put a number for eps")
            if above == sp.true:
                kept[place] = simplified(value / (a * mass))
        atoms = kept
        return ImplicitPrior(self.family, self.symbol, simplified(self.density / (a * mass)), atoms, link,
                             sp.Interval.open(eps, sp.oo), (eps, sp.oo), self.evidence)


@guarded
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
        depends on a parameter (the message says at which values); it holds a function that is not
        in `pwu_lite.symbolic.guard.FUNCTIONS`; sympy cannot decide; text is never evaluated.

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
    check_symbols((loss_if_1, loss_if_0), p)
    losses = [read_expression("the loss", loss).subs(p, q) for loss in (loss_if_1, loss_if_0)]
    check_names(losses, {"c", "y"}, p)
    for loss in losses:
        check_functions(loss, q)
    losses, back = with_positive_parameters(losses, q)
    return _restored(_binary_prior(losses, q), back)


def _binary_prior(losses, p):
    """The prior of two losses in a positive symbol p, their parameters positive symbols."""
    ends = break_points(losses, p)
    pieces = [[branch_at(loss, p, (low + high) / 2) for loss in losses] for low, high in pairwise(ends)]
    for piece, ends_of_piece in zip(pieces, pairwise(ends), strict=True):
        check_no_pole(piece, p, ends_of_piece)
        check_real(piece, p, ends_of_piece)
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
    if1, if0 = at_end(pieces[-1][0], p, 1), at_end(pieces[0][1], p, 0)
    y = sp.Symbol("y")
    infinite = is_infinite(if1) or is_infinite(if0)
    link = sp.oo if infinite else simplified(-(if0 + (if1 - if0) * y))
    finite = sp.S.EmptySet if infinite else sp.Interval(0, 1, is_infinite(at_end(pieces[0][0], p, 0)),
                                                        is_infinite(at_end(pieces[-1][1], p, 1)))
    return ImplicitPrior(BinaryDecision(), C, density, atoms, (sp.Integer(1), link), finite, (0, 1), evidence)


@guarded
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
        says at which values), it holds a function that is not in
        `pwu_lite.symbolic.guard.FUNCTIONS`, sympy cannot decide; text is never evaluated.

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
    check_symbols((loss,), error, variance)
    if error == variance:
        raise ValueError("error and variance must be two symbols")
    loss = read_expression("the loss", loss)
    check_names([loss], {"lambda"}, error, variance)
    check_functions(loss, error, variance)
    x, v = sp.Dummy("x", positive=True), sp.Dummy("v", positive=True)
    (inner,), back = with_positive_parameters([loss.subs({error: x, variance: v}, simultaneous=True)], x, v)
    return _restored(_selective_prior(inner, x, v), back)


def _selective_prior(inner, x, v):
    """The prior of a score in two positive symbols, its parameters positive symbols."""
    _check_conditions(inner, x, v)
    ends = break_points([inner], v, sp.oo)
    branches = [branch_at(inner, v, middle_of(*piece)) for piece in pairwise(ends)]
    for branch, piece in zip(branches, pairwise(ends), strict=True):
        check_no_pole([branch], v, piece, x)
    slopes, rests = zip(*[_affine(branch, inner, x, v) for branch in branches], strict=True)
    for slope, rest, piece in zip(slopes, rests, pairwise(ends), strict=True):
        for place in points_inside(piece, slope + rest):
            as_number(slope.subs(v, place)), as_number(rest.subs(v, place))
        check_real_for_all(slope + rest, v, piece)
    densities = [simplified(-sp.diff(slope, v)).subs(v, LAMBDA) for slope in slopes]
    evidence = _nowhere_negative(densities, ends, LAMBDA, lambda reason: _refuse_selective(reason, inner, x, v))
    for slope, rest, piece in zip(slopes, rests, pairwise(ends), strict=True):
        places = points_inside(piece, slope + rest)
        if not (_rising(slope, v, places, -1) and _rising(rest, v, places, 1)):
            raise ValueError("the score has a pole: it must be continuous but for jumps, for every positive variance")
    atoms = {t: mass for t, mass in zip(ends[1:-1], _selective_atoms(ends, slopes, rests, inner, x, v), strict=True)
             if mass != 0}
    at_infinity = at_end(slopes[-1], v, sp.oo)
    if sign_of("the mass at infinity", at_infinity) < 0:
        _refuse_selective("the mass at infinity would be negative", inner, x, v)
    if is_infinite(at_infinity):
        _refuse_selective("the coefficient of the squared error rises without bound", inner, x, v)
    if at_infinity != 0:
        atoms[sp.oo] = at_infinity
    evidence = _with_masses(evidence, atoms)
    charged = [density for density in densities if density != 0] + list(atoms.values())
    if not charged:
        raise NotAligned("the score does not depend on the forecast: its prior would be zero")
    factor = abs(charged[0].as_coeff_Mul()[0]) if any(density != 0 for density in densities) else charged[0]
    lowest = at_end(rests[0], v, 0)
    infinite = is_infinite(lowest)
    atoms = {place: simplified(mass / factor) for place, mass in atoms.items()}
    link = (1 / factor, sp.oo if infinite else simplified(-lowest / factor))
    finite = sp.S.EmptySet if infinite else sp.Interval.open(0, sp.oo)
    density = _joined([simplified(density / factor) for density in densities], ends, LAMBDA)
    whole = [_joined(list(parts), ends, v) for parts in (slopes, rests)]
    return ImplicitPrior(SelectivePrediction(), LAMBDA, density, atoms, link, finite, (0, sp.oo), evidence,
                         (*whole, v))


def _check_conditions(inner, x, v):
    """A formula that changes with the error is not affine in it, unless its pieces agree."""
    pieces = inner.rewrite(sp.Piecewise).atoms(sp.Piecewise)
    if any(condition.has(x) for piecewise in pieces for _, condition in piecewise.args):
        for place in (1, 3, sp.Rational(1, 7)):
            values = [inner.subs({v: place, x: sp.Integer(2) ** k}) for k in range(-8, 9, 2)]
            slopes = [(as_number(after) - as_number(before)) / (2.0 ** (k + 2) - 2.0**k)
                      for k, (before, after) in zip(range(-8, 8, 2), pairwise(values), strict=True)]
            if max(slopes) - min(slopes) > 1e-9 * max(map(abs, slopes)):
                _refuse_selective("the score is not affine in the squared error at a fixed variance", inner, x, v)
        raise ValueError("write the score without conditions on the squared error")


def _affine(piece, inner, x, v):
    """S and G of one piece, or NotAligned."""
    slope = simplified(sp.diff(piece, x))
    if not is_zero(sp.diff(slope, x)):
        _refuse_selective("the score is not affine in the squared error at a fixed variance", inner, x, v)
    rest = simplified(piece - slope * x)
    if not is_zero(sp.diff(rest, v) + v * sp.diff(slope, v)):
        doubt_floats(sp.diff(rest, v) + v * sp.diff(slope, v), sp.diff(rest, v))
        _refuse_selective("at fixed squared error the score is not stationary where the variance equals it",
                          inner, x, v)
    return slope, rest


def _selective_atoms(ends, slopes, rests, inner, x, v):
    """Masses at the inner ends, from the jumps of S and G."""
    masses = []
    for place, before, after, low, high in zip(ends[1:-1], slopes, slopes[1:], rests, rests[1:], strict=False):
        mass = simplified((before - after).subs(v, place))
        if not is_zero(simplified((high - low).subs(v, place)) - place * mass):
            doubt_floats((high - low).subs(v, place) - place * mass, place * mass)
            _refuse_selective(f"the jumps of the score at {place} are not those of one price", inner, x, v)
        if sign_of(f"the atom at {place}", mass) < 0:
            _refuse_selective(f"the atom at {place} would be negative", inner, x, v)
        masses.append(mass)
    return masses


def _binary_density(piece, losses, p):
    """Density on one piece, or NotAligned."""
    from_1 = -sp.diff(piece[0], p) / (1 - p)
    from_0 = sp.diff(piece[1], p) / p
    gap = (from_1 - from_0).subs(p, ODDS / (1 + ODDS))
    if not is_zero(gap):
        doubt_floats(gap, from_1.subs(p, ODDS / (1 + ODDS)))
        _refuse_binary("-l_1'/(1 - p) and l_0'/p disagree: honest reports do not have the smallest expected loss",
                       losses, p)
    return min((tidy(form.subs(p, C)) for form in (from_1, from_0)), key=sp.count_ops)


def _binary_atom(t, left, right, losses, p):
    """Mass of the point t, from the jumps of the two losses."""
    jumps = [simplified((after - before).subs(p, t)) for before, after in zip(left, right, strict=True)]
    mass = simplified(jumps[1] / t)
    if not is_zero(-jumps[0] / (1 - t) - mass):
        doubt_floats(-jumps[0] / (1 - t) - mass, mass)
        _refuse_binary(f"the jumps of the two losses at {t} are not those of one cost", losses, p)
    if sign_of(f"the atom at {t}", mass) < 0:
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
        for at in all_sampled(sp.Tuple(density, low, high), symbol):
            negative[tuple(at.items())] = _first_negative(density, symbol, places, low, high, at)
        hits = {at: place for at, place in negative.items() if place is not None}
        if not hits and (below := lowest_place(density, symbol, low, high, places)) is not None:
            hits = {tuple((free, value) for free, value in below.items() if free != symbol): below[symbol]}
            negative = {**dict.fromkeys(negative), **hits}
        if hits and len(hits) < len(negative):
            free = next((at for at in negative if at not in hits), ())
            raise ValueError(f"whether the score is aligned depends on its parameters: the density is negative at "
                             f"{said(next(iter(hits)))} and not at {said(free)}; put numbers")
        if hits:
            at, place = next(iter(hits.items()))
            where = f" (parameters are taken to lie in (0, 1); here {said(at)})" if at else ""
            refuse(f"the density would be negative at {symbol} = {shown(place)}{where}")
        evidence.add(f"checked numerically at {len(places):,} points, and down from the lowest of them"
                     + (f", for {len(negative)} values of the parameters" if len(negative) > 1 else ""))
    return "; ".join(sorted(evidence)) or "proved"


def _with_masses(evidence, atoms):
    """The evidence, with a word on masses whose sign is known at some values of the parameters only."""
    if all(mass.is_nonnegative or not mass.free_symbols for mass in atoms.values()):
        return evidence
    return ("" if evidence == "proved" else f"{evidence}; ") + "masses looked at for some values of the parameters"


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
        for at in all_sampled(sp.Tuple(inner), ratio):
            _refuse_poles(sp.denom(sp.factor(inner.subs(at))), ratio)
    if inner.is_nonnegative or sp.together(inner).is_nonnegative:
        return 1
    if not inner.is_rational_function(ratio):
        factored = attempt(sp.factor, inner)
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
        return np.concatenate([np.geomspace(1e-30, 1e30, 4001), 10 ** (60 * scattered(2000) - 30),
                               10 ** (6 * scattered(4000) - 3)])
    odds = np.geomspace(1e-15, 1e15, 2001)
    return np.concatenate([odds / (1 + odds), np.arange(1, 200) / 200, scattered(2001)])


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
        place = exactly(sp.Float(float(where[index])))
        if low < place < high and formula.evalf(40, subs={symbol: sp.Float(place, 50)}) < 0:
            return place
    return None


_FREQUENCIES = [(ones, cases) for cases in (2, 3, 4, 5, 8, 10) for ones in range(cases + 1)]


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


def _check_monotone(piece, p, ends):
    """Expected costs fall with the forecast if y = 1, and rise if y = 0; a pole breaks that."""
    for loss, direction in zip(piece, (-1, 1), strict=True):
        if not _rising(loss, p, points_inside(ends, loss), direction):
            raise ValueError("the losses have a pole inside (0, 1), or a density that is negative between the "
                             "places looked at: they must be continuous but for jumps, and monotone")


def _rising(expression, symbol, places, direction):
    values = [direction * as_number(expression.subs(sampled(expression, symbol)).subs(symbol, place))
              for place in places]
    return all(after >= before - 1e-9 * (1 + abs(before)) for before, after in pairwise(values))


def _refuse_binary(reason, losses, p):
    """Raise, with forecasts on which the score prefers a dishonest report: costs then do the opposite."""
    grid = [sp.Rational(k, 40) for k in range(1, 40)]

    @functools.lru_cache(None)
    def loss_of(label, report):
        return as_number(losses[0 if label else 1].subs(p, exactly(sp.Float(report))))

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
    function = sp.lambdify((x, v), loss.subs(sampled(loss, x, v)), ["scipy", "numpy"])

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
