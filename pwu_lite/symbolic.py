"""From a scoring rule to the prior it believes in, and back, by sympy.

May import alignment, families, priors and what is below them, numpy, scipy and sympy.
Implements sections 3.2 and 3.3 and appendices C.4 and C.5 of the PWU paper, equation (3) both ways.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
_KINKS = (sp.Piecewise, sp.Max, sp.Min, sp.Abs, sp.floor, sp.ceiling, sp.sign, sp.Heaviside, sp.Integral)


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
    """

    family: Family
    symbol: sp.Symbol
    density: sp.Expr
    atoms: dict[Any, Any]
    link: tuple[Any, Any]
    finite: sp.Set
    support: tuple[Any, Any]
    _parts: tuple[Any, ...] = ()

    @property
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
        atoms = {place: sp.simplify(value / (a * mass)) for place, value in self.atoms.items()}
        return ImplicitPrior(self.family, self.symbol, sp.simplify(self.density / (a * mass)), atoms, link,
                             sp.Interval.open(eps, sp.oo), (eps, sp.oo))


def binary_prior(loss_if_1: Any, loss_if_0: Any, p: sp.Symbol) -> ImplicitPrior:
    """The implicit prior over c of a score for binary forecasts.

    ``pi(c) = -l_1'(c)/(1 - c) = l_0'(c)/c``, where the two derivatives agree and are not
    negative; a jump of the losses at t is an atom of mass ``(l_0(t+) - l_0(t-))/t``.

    Parameters
    ----------
    loss_if_1, loss_if_0 : sympy expression
        The loss of forecast p when y = 1 and when y = 0; Piecewise, Min, Max and Abs are
        allowed. Free parameters are taken to lie in (0, 1) and to be generic. Break points
        must be numbers, or one of them a parameter. The value at a break point itself is not
        looked at.
    p : sympy.Symbol

    Returns
    -------
    ImplicitPrior
        With a = 1 in the link: the density has the score's own scale.

    Raises
    ------
    NotAligned
        The two derivatives disagree, or the density (looked at in 199 places) is negative.
    ValueError
        A loss is not real, has a pole or a break point that is not found, or its verdict
        depends on a parameter; or sympy cannot decide whether the derivatives agree.

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
    p = q
    if any(loss.has(sp.floor, sp.ceiling, sp.Integral) for loss in losses):
        raise ValueError("write jumps as Piecewise, and integrals solved")
    ends = _breaks(losses, p)
    pieces = [[_branch(loss, p, (low + high) / 2) for loss in losses] for low, high in pairwise(ends)]
    for piece, ends_of_piece in zip(pieces, pairwise(ends), strict=True):
        _check_real(piece, p, ends_of_piece)
    density = _joined([_binary_density(piece, losses, p) for piece in pieces], ends)
    bad = [place for place in _grid() + _between_roots(density, C, 1) if _sign(density.subs(C, place)) < 0]
    if bad:
        _refuse_binary(f"the density would be negative at c = {bad[0]}", losses, p)
    for piece, ends_of_piece in zip(pieces, pairwise(ends), strict=True):
        _check_monotone(piece, p, ends_of_piece)
    atoms = {}
    for t, (left, right) in zip(ends[1:-1], pairwise(pieces), strict=True):
        mass = _binary_atom(t, left, right, losses, p)
        if mass != 0:
            atoms[t] = mass
    if density == 0 and not atoms:
        raise NotAligned("the score does not depend on the forecast: its prior would be zero")
    if1, if0 = _end(pieces[-1][0], p, 1), _end(pieces[0][1], p, 0)
    y = sp.Symbol("y")
    infinite = if1.is_infinite or if0.is_infinite
    link = sp.oo if infinite else sp.simplify(-(if0 + (if1 - if0) * y))
    finite = sp.S.EmptySet if infinite else sp.Interval(0, 1, bool(_end(pieces[0][0], p, 0).is_infinite),
                                                        bool(_end(pieces[-1][1], p, 1).is_infinite))
    return ImplicitPrior(BinaryDecision(), C, density, atoms, (sp.Integer(1), link), finite, (0, 1))


def selective_prior(loss: Any, error: sp.Symbol, variance: sp.Symbol) -> ImplicitPrior:
    """The implicit prior over lambda of a score for a mean and a variance.

    Every aligned score is ``S(variance) * error + G(variance)`` with ``G' = -variance S'``;
    its prior has the density ``-S'(lambda)``, and mass ``S(oo)`` at infinity.

    Parameters
    ----------
    loss : sympy expression
        Smooth in both symbols. Free parameters are taken to lie in (0, 1) and to be generic.
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
        The score is not affine in the squared error, the derivatives disagree, or the
        density (looked at in 81 places) or the mass at infinity is negative.
    ValueError
        The score is not real and smooth, its verdict depends on a parameter, or sympy
        cannot decide.

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
    """
    _check_symbols((loss,), error, variance)
    loss = _read_expression("the loss", loss)
    _check_names([loss], {"lambda"}, error, variance)
    if loss.has(*_KINKS):
        raise ValueError("the score must be smooth: no Piecewise, Max, Min, Abs or unsolved integrals")
    x, v = sp.Dummy("x", positive=True), sp.Dummy("v", positive=True)
    inner = loss.subs({error: x, variance: v}, simultaneous=True)
    slope = sp.simplify(sp.diff(inner, x))
    if not _is_zero(sp.diff(slope, x)):
        _refuse_selective("the score is not affine in the squared error at a fixed variance", inner, x, v)
    rest = sp.simplify(inner - slope * x)
    if not _is_zero(sp.diff(rest, v) + v * sp.diff(slope, v)):
        _refuse_selective("at fixed squared error the score is not stationary where the variance equals it",
                          inner, x, v)
    raw = sp.simplify(-sp.diff(slope, v)).subs(v, LAMBDA)
    for place in _geometric():
        _real(slope.subs(v, place)), _real(rest.subs(v, place))
    bad = [place for place in _geometric() + _between_roots(raw, LAMBDA, sp.oo)
           if _sign(raw.subs(LAMBDA, place)) < 0]
    if bad:
        _refuse_selective(f"the density would be negative at lambda = {bad[0]}", inner, x, v)
    if not (_rising(slope, v, _geometric(), -1) and _rising(rest, v, _geometric(), 1)):
        raise ValueError("the score has a pole: it must be smooth for every positive variance")
    at_infinity = _end(slope, v, sp.oo)
    if _sign(at_infinity) < 0:
        _refuse_selective("the mass at infinity would be negative", inner, x, v)
    factor = raw.as_coeff_Mul()[0] if raw != 0 else at_infinity
    if factor == 0:
        raise NotAligned("the score does not depend on the forecast: its prior would be zero")
    lowest = _end(rest, v, 0)
    infinite = bool(lowest.is_infinite)
    atoms = {sp.oo: sp.simplify(at_infinity / factor)} if at_infinity != 0 else {}
    link = (1 / factor, sp.oo if infinite else sp.simplify(-lowest / factor))
    finite = sp.S.EmptySet if infinite else sp.Interval.open(0, sp.oo)
    return ImplicitPrior(SelectivePrediction(), LAMBDA, sp.simplify(raw / factor), atoms, link, finite,
                         (0, sp.oo), (slope, rest, v))


def expected_loss(family: Family, prior: Any, *symbols: sp.Symbol) -> Any:
    """The score that a prior induces, ``integral of -u_theta pi(d theta)``, as a formula.

    Parameters
    ----------
    family : BinaryDecision or SelectivePrediction
    prior : ImplicitPrior, or a prior of pwu_lite with a closed form
        Numbers are read as the nearest simple fractions.
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
        p, = symbols or (sp.Symbol("p", positive=True),)
        if isinstance(prior, priors.Beta) and not (prior.a.is_integer() and prior.b.is_integer()):
            return _beta_losses(_exact(prior.a), _exact(prior.b), p)
        parts = [_binary_parts(part, p) for part in _read(prior, C)]
        return tuple(sum((weight * part[which] for weight, part in parts), sp.Integer(0)) for which in (0, 1))
    if isinstance(family, SelectivePrediction):
        error, variance = symbols or sp.symbols("error variance", positive=True)
        parts = [_selective_parts(part, error, variance) for part in _read(prior, LAMBDA)]
        return sum((weight * part for weight, part in parts), sp.Integer(0))
    raise ValueError(f"family must be BinaryDecision() or SelectivePrediction(), got {family!r}")


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
    q = sp.Dummy("q", positive=True)
    if_below, if_above = expected_loss(BinaryDecision(), prior, q)  # the event y <= t, and its opposite
    return (_solved_or_not(sp.simplify(if_above.subs(q, cdf)), (t, support[0], y))
            + _solved_or_not(sp.simplify(if_below.subs(q, cdf)), (t, y, support[1])))


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
    quantile, density = sp.sympify(quantile), sp.sympify(density)
    s = sp.Dummy("s", positive=True)  # 1 - level, for the upper tail
    loss_short, loss_over = density * level * (y - quantile), density * (1 - level) * (quantile - y)
    total = (_solved_or_not(loss_short, (level, 0, cdf_at_y))
             + _solved_or_not(sp.expand(loss_over.subs(level, 1 - s)), (s, 0, 1 - sp.sympify(cdf_at_y))))
    for place, mass in (atoms or {}).items():
        if not 0 < place < 1:
            raise ValueError(f"a level must lie in (0, 1), got {place}")
        order = quantile.subs(level, place)
        total += mass * sp.Max(place * (y - order), (1 - place) * (order - y))
    return total


def _solved_or_not(f, limits):
    """The integral as a formula if sympy's is real and agrees with quadrature, else unsolved."""
    unsolved = sp.Integral(f, limits)
    solved = sp.integrate(sp.expand(f), limits)
    if solved.has(sp.Integral, sp.oo, sp.zoo, sp.nan):
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
        _refuse_binary(f"the jumps of the two losses at {t} are not those of one cost", losses, p)
    if _sign(mass) < 0:
        _refuse_binary(f"the atom at {t} would be negative", losses, p)
    return mass


def _joined(densities, ends):
    """One expression of the densities of all pieces."""
    pieces = [(density, C < high) for density, high in zip(densities[:-1], ends[1:-1], strict=True)]
    return sp.Piecewise(*pieces, (densities[-1], True))


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


def _check_real(piece, p, ends):
    for loss in piece:
        for point in _inner(ends, loss):
            _real(loss.subs(_sample(loss, p)).subs(p, point))


def _check_monotone(piece, p, ends):
    """Expected costs fall with the forecast if y = 1, and rise if y = 0; a pole breaks that."""
    for loss, direction in zip(piece, (-1, 1), strict=True):
        if not _rising(loss, p, _inner(ends, loss), direction):
            raise ValueError("the losses have a pole inside (0, 1), or a density that is negative between the "
                             "places looked at: they must be continuous but for jumps, and monotone")


def _inner(ends, loss):
    """Points inside a piece; a parameter among its ends is sampled."""
    at = {symbol: value for end in ends for symbol, value in _sample(sp.sympify(end)).items()}
    low, high = (sp.sympify(end).subs(at) for end in ends)
    return [low + (high - low) * sp.Rational(k, 40) for k in range(1, 40)]


def _rising(expression, symbol, places, direction):
    values = [direction * _number(expression.subs(_sample(expression, symbol)).subs(symbol, place))
              for place in places]
    return all(after >= before - 1e-9 * (1 + abs(before)) for before, after in pairwise(values))


def _refuse_binary(reason, losses, p):
    """Raise, with forecasts on which the score prefers a dishonest report: costs then do the opposite."""
    grid = [sp.Rational(k, 40) for k in range(1, 40)]
    tables = [{float(g): _number(loss.subs(p, g)) for g in grid} for loss in losses]

    def metric(y, f):
        return np.mean([tables[0 if label else 1][report] for label, report in zip(y, f, strict=True)])

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
    make = _DENSITIES.get(type(prior))
    if make is None:
        raise ValueError(f"no formula for {prior!r}: pass an ImplicitPrior or a prior with a closed form")
    names = [name for name in prior.__dataclass_fields__]
    density = make(t, *(_exact(getattr(prior, name)) for name in names))
    return density, tuple(_exact(end) for end in prior.support), None


def _beta(t, a, b, scale):
    return (t / scale) ** (a - 1) * (1 - t / scale) ** (b - 1) / (sp.beta(a, b).rewrite(sp.gamma) * scale)


def _beta_losses(a, b, p):
    """The expected losses of a Beta prior on (0, 1), by the incomplete beta function."""
    return (b / (a + b) * sp.betainc_regularized(a, b + 1, p, 1),
            a / (a + b) * sp.betainc_regularized(a + 1, b, 0, p))


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
    low, high = support
    t = p if (low, high) == (0, 1) else sp.Min(sp.Max(p, low), high)
    u = sp.Dummy("u", positive=True)
    return weight, (_odds_integral((1 - C) * density, u, high).subs(u, t),
                    _odds_integral(C * density, low, u).subs(u, t))


def _odds_integral(integrand, low, high):
    """Integral over c, by the odds c/(1 - c) unless it is a polynomial; one end is a symbol."""
    if integrand.has(sp.Piecewise):
        return _piecewise_integral(integrand, low, high)
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


def _piecewise_integral(integrand, low, high):
    ends = _breaks([integrand], C)
    total, u, w = sp.Integer(0), sp.Dummy("u", positive=True), sp.Dummy("w", positive=True)
    for start, stop in pairwise(ends):
        inner = _branch(integrand, C, (start + stop) / 2)
        bounds = [sp.Min(sp.Max(end, start), stop) for end in (low, high)]
        total += sp.integrate(sp.expand(inner), (C, u, w)).subs({u: bounds[0], w: bounds[1]})
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
    solved = _integral(f, LAMBDA, low, high)
    return sp.Integral(f, (LAMBDA, low, high)) if solved is None else _checked(sp.simplify(solved))


def _checked(value):
    if value.has(sp.oo, -sp.oo, sp.zoo, sp.nan):
        raise ValueError("the expected cost is infinite under this prior: truncate it")
    return value


def _exact(expression):
    """Floats become the simple fractions that they stand for."""
    return sp.nsimplify(sp.sympify(expression), rational=True)


def _read_expression(name, expression):
    """An expression of finite numbers and symbols, exactly."""
    try:
        read = sp.sympify(expression)
    except sp.SympifyError:
        raise ValueError(f"{name} must be a sympy expression, got {expression!r}") from None
    if not isinstance(read, sp.Expr) or read.has(sp.nan, sp.oo, -sp.oo, sp.zoo):
        raise ValueError(f"{name} must be a finite sympy expression, got {expression!r}")
    return _exact(read)


def _breaks(losses, p):
    """0, the points in between at which a formula changes, 1; in order."""
    found, conditions = set(), []
    for loss in losses:
        for piecewise in loss.rewrite(sp.Piecewise).atoms(sp.Piecewise):
            conditions += [condition for _, condition in piecewise.args if condition.has(p)]
    for condition in conditions:
        for relation in condition.atoms(sp.core.relational.Relational):
            found.update(_roots(relation.lhs - relation.rhs, p))
    symbols = {place for place in found if place.free_symbols}
    if len(symbols) > 1 or (symbols and len(found) > 1):
        raise ValueError(f"the order of the break points {sorted(map(str, found))} is not known: use numbers")
    ends = [sp.Integer(0), *(symbols or sorted(found, key=sp.N)), sp.Integer(1)]
    for condition in conditions:
        for piece in pairwise(ends):
            at = _sample(condition, p)
            truth = {condition.subs(at).subs(p, point) for point in _inner(piece, condition)}
            if len(truth) != 1 or not truth <= {sp.true, sp.false}:
                raise ValueError(f"cannot find where {condition} changes: write it as p < number")
    return ends


def _roots(expression, p):
    """Roots inside (0, 1), and those that are parameters."""
    try:
        roots = sp.solve(expression, p)
    except NotImplementedError:
        raise ValueError(f"cannot solve {expression} = 0 for {p}: write the condition as p < number") from None
    kept = []
    for root in roots:
        value = sp.N(root) if not root.free_symbols else sp.Rational(1, 2)
        if root.free_symbols or (abs(sp.im(value)) < 1e-12 and 0 < sp.re(value) < 1):
            kept.append(root if root.free_symbols or root.is_real else sp.re(value))
    return kept


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


def _end(expression, symbol, end):
    """Value, or else limit, at an end of the domain."""
    value = expression.subs(symbol, end) if end != sp.oo else sp.nan
    if value.has(sp.nan, sp.zoo, sp.oo):
        value = sp.limit(expression, symbol, end, "-" if end == 1 else "+")
    empty = value.replace(sp.betainc_regularized, lambda a, b, low, high:
                          sp.Integer(0) if low == high else sp.betainc_regularized(a, b, low, high))
    return sp.simplify(empty)


def _is_zero(expression):
    """False if twenty digits at a sample say so, True if sympy proves it."""
    if abs(sp.N(expression.subs(_sample(expression)), 20)) > sp.Float("1e-12"):
        return False
    simple = sp.simplify(expression)
    if simple.has(sp.beta):
        simple = sp.gammasimp(simple.rewrite(sp.gamma))
    if simple == 0 or simple.equals(0):
        return True
    for shift in (1, 2):
        if abs(sp.N(expression.subs(_sample(expression, shift=shift)), 20)) > sp.Float("1e-12"):
            return False
    raise ValueError(f"sympy cannot decide whether {simple} is zero")


def _number(expression):
    """Value at a sample of the free parameters."""
    return _real(sp.sympify(expression).subs(_sample(sp.sympify(expression))))


def _real(value):
    """A real float, or ValueError."""
    number = complex(value.subs(_sample(value)).evalf())
    if not np.isfinite(number) or abs(number.imag) > 1e-9 * (1 + abs(number)):
        raise ValueError(f"the score is not real and finite: one of its terms is {number}")
    return number.real


def _sign(expression):
    """Sign, the same at three samples of the free parameters, or ValueError."""
    expression = sp.sympify(expression)
    signs = {int(np.sign(_real(expression.subs(_sample(expression, shift=shift))))) for shift in (0, 1, 2)}
    if {-1, 1} <= signs:
        raise ValueError("whether the score is aligned depends on its parameters: put numbers")
    return min(signs)


def _grid():
    return [sp.Rational(k, 200) for k in range(1, 200)]


def _between_roots(density, symbol, high):
    """For a rational density without parameters: a place beside each of its real roots, on either side."""
    if density.free_symbols != {symbol} or not density.is_rational_function(symbol):
        return []
    top = sp.Poly(sp.numer(sp.together(density)), symbol)
    roots = [root for root in sp.real_roots(top) if root > 0 and root < high] if top.degree() > 0 else []
    ends = [sp.Integer(0), *roots, sp.Integer(1) if high == 1 else 2 * (roots[-1] if roots else 1) + 2]
    return [sp.nsimplify(sp.N((low + up) / 2, 30), rational=True) for low, up in pairwise(ends) if low != up]


def _geometric():
    return [sp.sqrt(2) ** k for k in range(-40, 41)]
