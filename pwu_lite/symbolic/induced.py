"""And back: from a prior to the score that it induces.

Implements equations (3) and (4) of the PWU paper; threshold and newsvendor scores.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import sympy as sp

from .. import priors, validation
from ..families import BinaryDecision, Family, SelectivePrediction
from .algebra import (
    LAMBDA,
    ODDS,
    C,
    as_odds,
    branch_at,
    break_points,
    checked,
    exactly,
    guarded,
    simplified,
    tidy,
)
from .implicit import ImplicitPrior

__all__ = ["expected_loss"]


@guarded
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
        The expected cost is infinite, or the family or the prior is not one of the kinds above.

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
    validation.no_class("family", family)
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


def _symbols(symbols: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """No symbols, or as many as the family's forecast has parts."""
    if symbols and (len(symbols) != count or not all(isinstance(symbol, sp.Symbol) for symbol in symbols)):
        raise ValueError(f"give {count} sympy Symbol(s), got {', '.join(map(repr, symbols))}")
    return symbols


def _read(prior: Any, symbol: sp.Symbol) -> list[tuple[Any, ...]]:
    """The parts of a prior: (weight, density, support, location of a point mass)."""
    if isinstance(prior, ImplicitPrior):
        parts = [(1, prior.density, prior.support, None)] if prior.density != 0 else []
        return parts + [(mass, None, None, atom) for atom, mass in prior.atoms.items()]
    known = priors.as_prior(prior)
    if known.length is not None:
        raise ValueError(f"one prior for all cases is needed, {known!r} is one for each of {known.length}")
    return [(exactly(weight), *_formula(part, symbol)) for weight, part in known.parts]


def _formula(prior: Any, t: Any) -> tuple[Any, ...]:
    """Density, support and point mass of a single prior of pwu_lite."""
    if isinstance(prior, priors.Dirac):
        return None, None, exactly(prior.at)
    if t == C and isinstance(prior, (priors.Beta, priors.TruncatedBeta)) and not (
            prior.a.is_integer() and prior.b.is_integer()):
        return prior, tuple(exactly(end) for end in prior.support), None
    make = _DENSITIES.get(type(prior))
    if make is None:
        raise ValueError(f"no formula for {prior!r}: pass an ImplicitPrior or a prior with a closed form")
    names = [name for name, known in prior.__dataclass_fields__.items() if known.init]
    density = make(t, *(exactly(getattr(prior, name)) for name in names))
    return density, tuple(exactly(end) for end in prior.support), None


def _beta(t: Any, a: Any, b: Any, scale: Any) -> Any:
    return (t / scale) ** (a - 1) * (1 - t / scale) ** (b - 1) / (sp.beta(a, b).rewrite(sp.gamma) * scale)


def _beta_losses(prior: Any, p: Any) -> Any:
    """The expected losses of a Beta prior, truncated or not, by the incomplete beta function."""
    a, b = exactly(prior.a), exactly(prior.b)
    scale = exactly(getattr(prior, "scale", 1))
    low, high = (exactly(end) / scale for end in prior.support)
    u = p / scale if (low, high, scale) == (0, 1, 1) else sp.Min(sp.Max(p / scale, low), high)
    norm = sp.betainc_regularized(a, b, low, high) if (low, high) != (0, 1) else 1
    mean_above = a / (a + b) * sp.betainc_regularized(a + 1, b, u, high)
    mean_below = a / (a + b) * sp.betainc_regularized(a + 1, b, low, u)
    if scale == 1:
        miss = b / (a + b) * sp.betainc_regularized(a, b + 1, u, high)
    else:
        miss = sp.betainc_regularized(a, b, u, high) - scale * mean_above
    return miss / norm, scale * mean_below / norm


def _truncated_beta(t: Any, a: Any, b: Any, low: Any, high: Any) -> Any:
    whole = t ** (a - 1) * (1 - t) ** (b - 1)
    return whole / sp.integrate(whole, (t, low, high))


_DENSITIES: dict[type, Callable[..., sp.Expr]] = {
    priors.Beta: _beta, priors.TruncatedBeta: _truncated_beta,
    priors.Uniform: lambda t, low, high: 1 / (high - low),
    priors.Pareto: lambda t, minimum: minimum / t**2,
    priors.LogNormal: lambda t, m, s: sp.exp(-(sp.log(t) - m) ** 2 / (2 * s**2)) / (t * s * sp.sqrt(2 * sp.pi)),
    priors.Gamma: lambda t, k, s: t ** (k - 1) * sp.exp(-t / s) / (sp.gamma(k) * s**k),
}


def _binary_parts(part: tuple[Any, ...], p: Any) -> tuple[Any, ...]:
    """Weight, and the loss if y is 1 and if it is 0, of one part of a prior."""
    weight, density, support, atom = part
    if density is None:
        acts = p > atom
        return weight, (sp.Piecewise((0, acts), (1 - atom, True)), sp.Piecewise((atom, acts), (0, True)))
    if isinstance(density, priors.Prior):
        return weight, _beta_losses(density, p)
    low, high = support
    t = p if (low, high) == (0, 1) else sp.Min(sp.Max(p, low), high)
    u = sp.Dummy("u", positive=True)
    return weight, (_odds_integral((1 - C) * density, u, high).subs(u, t),
                    _odds_integral(C * density, low, u).subs(u, t))


def _odds_integral(integrand: Any, low: Any, high: Any) -> Any:
    """Integral over c, by the odds c/(1 - c) unless it is a polynomial; one end is a symbol."""
    if integrand.has(sp.Piecewise):
        return _piecewise_integral(integrand, C, low, high, sp.Integer(1))
    if sp.expand(integrand).is_polynomial(C):
        return sp.integrate(sp.expand(integrand), (C, low, high))
    inner = simplified(integrand.subs(C, ODDS / (1 + ODDS)) / (1 + ODDS) ** 2)
    s = sp.Dummy("s", positive=True)  # the odds of the end that is a symbol
    ends = [s if end.free_symbols else as_odds(end) for end in map(sp.sympify, (low, high))]
    solved = _integral(inner, ODDS, *ends)
    if solved is None:
        return sp.Integral(integrand, (C, low, high))
    variable = low if sp.sympify(low).free_symbols else high
    forms = tidy(solved.subs(s, as_odds(C))), simplified(solved.subs(s, as_odds(C)))
    return checked(min(forms, key=sp.count_ops).subs(C, variable))


def _piecewise_integral(integrand: Any, symbol: Any, low: Any, high: Any, top: Any) -> Any:
    ends = break_points([integrand], symbol, top)
    total, u, w = sp.Integer(0), sp.Dummy("u", positive=True), sp.Dummy("w", positive=True)
    for start, stop in pairwise(ends):
        inner = branch_at(integrand, symbol, start, stop)
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


def _integral(f: Any, x: Any, low: Any, high: Any) -> Any:
    """Definite integral by an antiderivative that sympy finds step by step, or None."""
    if not _has_easy_powers(f, x):
        return None
    whole = sp.integrate(sp.expand(f), x, manual=True)
    if whole.has(sp.Integral):
        whole = sp.integrate(f, x, manual=True)
    if whole.has(sp.Integral):
        return None
    whole = branch_at(whole, x, sp.Integer(0), sp.oo)
    try:
        ends = [sp.limit(whole, x, end, "-" if end == high else "+") if end in (0, sp.oo) else whole.subs(x, end)
                for end in (low, high)]
    except NotImplementedError:  # the limit depends on the sign of a parameter
        return None
    return ends[1] - ends[0]


def _has_easy_powers(f: Any, x: Any) -> Any:
    """Powers of x alone, or multiples of one half: sympy may search for hours for the others."""
    powers = [power for power in f.atoms(sp.Pow) if power.base.has(x)]
    return all(power.base == x for power in powers) or all(
        power.exp.is_Rational and power.exp.q <= 2 for power in powers)


def _selective_parts(part: tuple[Any, ...], error: Any, variance: Any) -> tuple[Any, Any]:
    """Weight, and the expected cost, of one part of a prior."""
    weight, density, support, atom = part
    if density is None:
        return weight, error if atom == sp.oo else sp.Piecewise((error, variance <= atom), (atom, True))
    low, high = support
    t = variance if (low, high) == (0, sp.oo) else sp.Min(sp.Max(variance, low), high)
    u = sp.Dummy("u", positive=True)
    above = _lambda_integral(density, u, high)
    below = _lambda_integral(LAMBDA * density, low, u)
    return weight, above.subs(u, t) * error + below.subs(u, t)


def _lambda_integral(f: Any, low: Any, high: Any) -> Any:
    if f.has(sp.Piecewise):
        return checked(_piecewise_integral(f, LAMBDA, low, high, sp.oo))
    solved = _integral(f, LAMBDA, low, high)
    return sp.Integral(f, (LAMBDA, low, high)) if solved is None else checked(simplified(solved))
