"""From a scoring rule to the prior it believes in, or the reason why there is none.

Implements sections 3.2 and 3.3 and appendices C.4 and C.5 of the PWU paper, equation (3).
"""

import functools
from collections.abc import Callable
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
    at_end,
    branch_at,
    break_points,
    check_continuous,
    check_functions,
    check_symbols,
    exactly,
    guarded,
    is_infinite,
    is_zero,
    negative_place,
    read_expression,
    sign_of,
    signs,
    simplified,
    tidy,
    with_positive_parameter,
)

__all__ = ["ImplicitPrior", "NotAligned", "Steps", "binary_prior", "selective_prior"]


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

    def __init__(self, reason: str, witness: Refutation | None = None) -> None:
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
        The forecasts (probabilities, or variances) whose expected cost is finite.
    support : tuple (low, high)
    mass : sympy expression
        Total mass, infinite for an improper prior.
    """

    family: Family
    symbol: sp.Symbol
    density: sp.Expr
    atoms: dict[Any, Any]
    link: tuple[Any, Any]
    finite: sp.Set
    support: tuple[Any, Any]
    mass: Any
    _parts: tuple[Any, ...] = ()

    @guarded
    def truncate(self, eps: Any) -> "ImplicitPrior":
        """The prior on lambda > eps, scaled to a probability, and its link for variances above eps.

        Parameters
        ----------
        eps : float or sympy number
            Lower end, positive, in the unit of lambda.

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
        unknown = [atom for atom in self.atoms if sp.sympify(atom > eps) not in (sp.true, sp.false)]
        if unknown:
            raise ValueError(f"whether the atom at {unknown[0]} lies above {eps} is not known: put a number for eps")
        atoms = {atom: simplified(value / (a * mass)) for atom, value in self.atoms.items() if atom > eps}
        return ImplicitPrior(self.family, self.symbol, simplified(self.density / (a * mass)), atoms, link,
                             sp.Interval.open(eps, sp.oo), (eps, sp.oo), sp.Integer(1))


class Steps(list[Any]):
    """The equations of a derivation; a notebook sets them one under the other.

    Attributes
    ----------
    prior : ImplicitPrior or None
        Where they lead.

    Examples
    --------
    >>> x = sp.Symbol("x")
    >>> print(Steps([sp.Eq(x, 1, evaluate=False)])._repr_latex_())
    $$\\begin{aligned}x &= 1\\end{aligned}$$
    """

    def __init__(self, equations: Any = (), prior: ImplicitPrior | None = None) -> None:
        super().__init__(equations)
        self.prior = prior

    def _repr_latex_(self) -> str:
        lines = (f"{sp.latex(step.lhs)} &= {sp.latex(step.rhs)}" for step in self)
        return "$$\\begin{aligned}" + r" \\ ".join(lines) + "\\end{aligned}$$"


@guarded
def binary_prior(loss_if_1: Any, loss_if_0: Any, p: sp.Symbol, *, steps: bool = False) -> Any:
    """The implicit prior over c of a score for binary forecasts.

    ``pi(c) = -l_1'(c)/(1 - c) = l_0'(c)/c``, where the two derivatives agree and are not
    negative; a jump of the losses at t is an atom of mass ``(l_0(t+) - l_0(t-))/t``.

    Parameters
    ----------
    loss_if_1, loss_if_0 : sympy expression
        The loss of forecast p when y = 1 and when y = 0; Piecewise, Min, Max and Abs are
        allowed. Numbers are read exactly, floats as a simple fraction or by their shortest decimal. One free
        parameter is allowed; it is taken to lie in (0, 1). The value at a break point itself does not matter.
    p : sympy.Symbol
    steps : bool
        Return the equations of the derivation instead, one by one.

    Returns
    -------
    ImplicitPrior, or Steps (a list of sympy.Eq)
        With a = 1 in the link: the density has the score's own scale. The equations are the two losses, their
        slopes, both sides of the condition, the density, and each point mass from the jump of ``l_0``.

    Raises
    ------
    NotAligned
        The two derivatives disagree, or the density or an atom is negative.
    ValueError
        A loss is not real or has a pole, or it contains a function that is not in
        `pwu_lite.symbolic.algebra.FUNCTIONS`, or it cannot be decided whether there is a prior, for
        instance because that depends on the parameter. Text is never evaluated.

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
    >>> [equation.rhs for equation in binary_prior((1 - p)**2, p**2, p, steps=True)[-3:]]
    [2, 2, 2]
    """
    q = sp.Dummy("p", positive=True)
    check_symbols((loss_if_1, loss_if_0), p)
    losses = [read_expression("the loss", loss).subs(p, q) for loss in (loss_if_1, loss_if_0)]
    for loss in losses:
        check_functions(loss, q)
    losses, back = with_positive_parameter(losses, {"c", "y"}, q)
    prior = _binary_prior(losses, q)
    if steps:
        own = {**back, q: p}
        return Steps((equation.xreplace(own) for equation in _binary_steps(losses, q, prior)), _restored(prior, back))
    return _restored(prior, back)


def _binary_steps(losses: list[Any], p: Any, prior: ImplicitPrior) -> list[Any]:
    """The losses, their slopes, both sides of the condition, the prior."""
    if1, if0 = (sp.Function(name)(p) for name in ("l_1", "l_0"))
    slopes = [simplified(sp.diff(loss.rewrite(sp.Piecewise), p)) for loss in losses]
    sides = [-if1.diff(p) / (1 - p), if0.diff(p) / p]
    found = [tidy(side.subs(p, C)).xreplace({C: p}) for side in (-slopes[0] / (1 - p), slopes[1] / p)]
    pairs = [(if1, losses[0]), (if0, losses[1]), (if1.diff(p), slopes[0]), (if0.diff(p), slopes[1]),
             *zip(sides, found, strict=True), (sp.Function("pi")(C), prior.density)]
    for t, mass in prior.atoms.items():
        jump = sp.Limit(if0, p, t, "+") - sp.Limit(if0, p, t, "-")
        pairs.append((jump / t, mass))
    return [sp.Eq(left, right, evaluate=False) for left, right in pairs]


def _binary_prior(losses: list[Any], p: Any) -> ImplicitPrior:
    """The prior of two losses in a positive symbol p, their parameter a positive symbol."""
    ends = break_points(losses, p)
    pieces = [[branch_at(loss, p, *ends_of_piece) for loss in losses] for ends_of_piece in pairwise(ends)]
    densities = []
    for piece, ends_of_piece in zip(pieces, pairwise(ends), strict=True):
        for loss in piece:
            check_continuous(loss, p, *ends_of_piece)
        densities.append(_binary_density(piece, losses, p))
        _check_density(densities[-1], C, ends_of_piece, lambda reason: _refuse_binary(reason, losses, p))
    density = _joined(densities, ends, C)
    atoms = {}
    for t, (left, right) in zip(ends[1:-1], pairwise(pieces), strict=True):
        mass = _binary_atom(t, left, right, losses, p)
        if mass != 0:
            atoms[t] = mass
    if density == 0 and not atoms:
        raise NotAligned("the score does not depend on the forecast: its prior would be zero")
    if1, if0 = at_end(pieces[-1][0], p, 1), at_end(pieces[0][1], p, 0)
    y = sp.Symbol("y")
    infinite = is_infinite(if1) or is_infinite(if0)
    link = sp.oo if infinite else simplified(-(if0 + (if1 - if0) * y))
    if infinite:
        return ImplicitPrior(BinaryDecision(), C, density, atoms, (sp.Integer(1), link), sp.S.EmptySet, (0, 1), sp.oo)
    missed, false_alarm = at_end(pieces[0][0], p, 0), at_end(pieces[-1][1], p, 1)
    finite = sp.Interval(0, 1, is_infinite(missed), is_infinite(false_alarm))
    # c pi(c) integrates to l_0(1) - l_0(0), and (1 - c) pi(c) to l_1(0) - l_1(1), atoms included.
    mass = simplified(missed - if1 + false_alarm - if0)
    return ImplicitPrior(BinaryDecision(), C, density, atoms, (sp.Integer(1), link), finite, (0, 1), mass)


@guarded
def selective_prior(loss: Any, error: sp.Symbol, variance: sp.Symbol, *, steps: bool = False) -> Any:
    """The implicit prior over lambda of a score for a mean and a variance.

    Every aligned score is ``S(variance) * error + G(variance)`` with ``G' = -variance S'``;
    its prior has the density ``-S'(lambda)``, and mass ``S(oo)`` at infinity. Where S jumps
    down by m, G jumps up by m times the variance, and the prior has an atom of mass m.

    Parameters
    ----------
    loss : sympy expression
        Affine in the error; Piecewise, Min and Max of the variance are allowed. Numbers are read
        exactly, floats as a simple fraction or by their shortest decimal. One free parameter is allowed; it is taken to
        lie in (0, 1).
    error : sympy.Symbol
        The squared error ``(y - mean)**2``.
    variance : sympy.Symbol
        The predictive variance ``std**2``.
    steps : bool
        Return the equations of the derivation instead, one by one.

    Returns
    -------
    ImplicitPrior, or Steps (a list of sympy.Eq)
        The equations are the parts S and G of the score, both sides of ``-variance S' = G'``, the density ``-S'``
        before a factor is moved, and the limit of S, which is the mass at infinity, where it is not zero.
        A numeric factor of the density is moved to the link: Gaussian NLL gives
        ``lambda**-2`` with a = 2.

    Raises
    ------
    NotAligned
        The score is not affine in the squared error, the derivatives or the jumps disagree, or
        the density, an atom or the mass at infinity is negative.
    ValueError
        As in `binary_prior`.

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
    >>> selective_prior(sp.log(v) + error / v, error, v, steps=True)[-1].rhs
    lambda**(-2)
    >>> clamped = sp.log(sp.Max(v, sp.Rational(1, 4))) + error / sp.Max(v, sp.Rational(1, 4))
    >>> selective_prior(clamped, error, v).finite
    Interval.open(0, oo)
    """
    check_symbols((loss,), error, variance)
    if error == variance:
        raise ValueError("error and variance must be two symbols")
    loss = read_expression("the loss", loss)
    check_functions(loss, error, variance)
    x, v = sp.Dummy("x", positive=True), sp.Dummy("v", positive=True)
    renamed = loss.subs({error: x, variance: v}, simultaneous=True)
    (inner,), back = with_positive_parameter([renamed], {"lambda"}, x, v)
    prior = _selective_prior(inner, x, v)
    if steps:
        own = {**back, v: variance}
        slope, rest, _ = prior._parts
        steps_found = (equation.xreplace(own) for equation in _selective_steps(slope, rest, v, prior.atoms))
        return Steps(steps_found, _restored(prior, back))
    return _restored(prior, back)


def _selective_steps(slope: Any, rest: Any, v: Any, atoms: dict[Any, Any]) -> list[Any]:
    """The two parts of the score, both sides of the condition, the density."""
    of_error, alone = (sp.Function(name)(v) for name in ("S", "G"))
    slopes = [tidy(sp.diff(part, v)) for part in (slope, rest)]
    pairs = [(of_error, slope), (alone, rest), (-v * of_error.diff(v), tidy(-v * slopes[0])),
             (alone.diff(v), slopes[1]), (sp.Function("pi")(LAMBDA), (-slopes[0]).subs(v, LAMBDA))]
    if sp.oo in atoms:
        pairs.append((sp.Limit(of_error, v, sp.oo), sp.limit(slope, v, sp.oo)))
    return [sp.Eq(left, right, evaluate=False) for left, right in pairs]


def _selective_prior(inner: Any, x: Any, v: Any) -> ImplicitPrior:
    """The prior of a score in two positive symbols, its parameter a positive symbol."""
    def refuse(reason: str) -> None:
        _refuse_selective(reason, inner, x, v)

    _check_conditions(inner, x, refuse)
    ends = break_points([inner], v, sp.oo)
    slopes, rests, densities = [], [], []
    for piece in pairwise(ends):
        branch = branch_at(inner, v, *piece)
        slope, rest = _affine(branch, x, v, refuse)
        for error in (1, 2):  # the score at two errors is continuous, so both parts of it are
            check_continuous(branch.subs(x, error), v, *piece)
        densities.append(simplified(-sp.diff(slope, v)).subs(v, LAMBDA))
        _check_density(densities[-1], LAMBDA, piece, refuse)
        slopes.append(slope)
        rests.append(rest)
    atoms = {t: mass for t, mass in zip(ends[1:-1], _selective_atoms(ends, slopes, rests, v, refuse), strict=True)
             if mass != 0}
    at_infinity = at_end(slopes[-1], v, sp.oo)
    if sign_of("the mass at infinity", at_infinity) < 0:
        refuse("the mass at infinity would be negative")
    if is_infinite(at_infinity):
        refuse("the coefficient of the squared error rises without bound")
    if at_infinity != 0:
        atoms[sp.oo] = at_infinity
    charged = [density for density in densities if density != 0] + list(atoms.values())
    if not charged:
        raise NotAligned("the score does not depend on the forecast: its prior would be zero")
    factor = abs(charged[0].as_coeff_Mul()[0]) if any(density != 0 for density in densities) else charged[0]
    lowest = at_end(rests[0], v, 0)
    infinite = is_infinite(lowest)
    atoms = {atom: simplified(mass / factor) for atom, mass in atoms.items()}
    link = (1 / factor, sp.oo if infinite else simplified(-lowest / factor))
    finite = sp.S.EmptySet if infinite else sp.Interval.open(0, sp.oo)
    density = _joined([simplified(density / factor) for density in densities], ends, LAMBDA)
    whole = [_joined(list(parts), ends, v) for parts in (slopes, rests)]
    mass = simplified(at_end(slopes[0], v, 0) / factor)  # S falls from there to the mass at infinity
    return ImplicitPrior(SelectivePrediction(), LAMBDA, density, atoms, link, finite, (0, sp.oo), mass, (*whole, v))


def _check_conditions(inner: Any, x: Any, refuse: Callable[..., Any]) -> None:
    """A formula that changes with the error is not affine in it, unless its pieces agree."""
    pieces = inner.rewrite(sp.Piecewise).atoms(sp.Piecewise)
    if any(condition.has(x) for piecewise in pieces for _, condition in piecewise.args):
        try:
            refuse("the score is not affine in the squared error at a fixed variance")
        except NotAligned as refusal:
            if refusal.witness:
                raise
        raise ValueError("write the score without conditions on the squared error")


def _affine(piece: Any, x: Any, v: Any, refuse: Callable[..., Any]) -> tuple[Any, Any]:
    """S and G of one piece, or NotAligned."""
    slope = simplified(sp.diff(piece, x))
    if not is_zero(sp.diff(slope, x)):
        refuse("the score is not affine in the squared error at a fixed variance")
    rest = simplified(piece - slope * x)
    if not is_zero(sp.diff(rest, v) + v * sp.diff(slope, v), sp.diff(rest, v)):
        refuse("at fixed squared error the score is not stationary where the variance equals it")
    return slope, rest


def _selective_atoms(ends: list[Any], slopes: list[Any], rests: list[Any], v: Any,
                     refuse: Callable[..., Any]) -> list[Any]:
    """Masses at the inner ends, from the jumps of S and G."""
    masses = []
    for atom, before, after, low, high in zip(ends[1:-1], slopes, slopes[1:], rests, rests[1:], strict=False):
        mass = simplified((before - after).subs(v, atom))
        if not is_zero(simplified((high - low).subs(v, atom)) - atom * mass, atom * mass):
            refuse(f"the jumps of the score at {atom} are not those of one price")
        if sign_of(f"the atom at {atom}", mass) < 0:
            refuse(f"the atom at {atom} would be negative")
        masses.append(mass)
    return masses


def _binary_density(piece: list[Any], losses: list[Any], p: Any) -> Any:
    """Density on one piece, or NotAligned."""
    from_1 = -sp.diff(piece[0], p) / (1 - p)
    from_0 = sp.diff(piece[1], p) / p
    odds = ODDS / (1 + ODDS)
    if not is_zero((from_1 - from_0).subs(p, odds), from_1.subs(p, odds)):
        _refuse_binary("-l_1'/(1 - p) and l_0'/p disagree: honest reports do not have the smallest expected loss",
                       losses, p)
    return min((tidy(form.subs(p, C)) for form in (from_1, from_0)), key=sp.count_ops)


def _binary_atom(t: Any, left: list[Any], right: list[Any], losses: list[Any], p: Any) -> Any:
    """Mass of the point t, from the jumps of the two losses."""
    jumps = [simplified((after - before).subs(p, t)) for before, after in zip(left, right, strict=True)]
    mass = simplified(jumps[1] / t)
    if not is_zero(-jumps[0] / (1 - t) - mass, mass):
        _refuse_binary(f"the jumps of the two losses at {t} are not those of one cost", losses, p)
    if sign_of(f"the atom at {t}", mass) < 0:
        _refuse_binary(f"the atom at {t} would be negative", losses, p)
    return mass


def _check_density(density: Any, symbol: Any, ends: tuple[Any, Any], refuse: Callable[..., Any]) -> None:
    """Refuse a density that is negative somewhere; ValueError if that cannot be decided."""
    try:
        negative = -1 in signs(density, symbol, *ends)
    except ValueError:
        negative = negative_place(density, symbol, *ends) is not None
        if not negative:
            raise
    if negative and density.free_symbols - {symbol} and signs(density, symbol, *ends) - {-1, 0}:
        raise ValueError(f"cannot decide whether the density {density} is negative: that depends on the parameter")
    if negative:
        refuse(f"the density would be negative somewhere between {ends[0]} and {ends[1]}")


def _joined(parts: list[Any], ends: list[Any], symbol: Any) -> Any:
    """One expression of the formulas of all pieces."""
    pieces = [(part, symbol < high) for part, high in zip(parts[:-1], ends[1:-1], strict=True)]
    return sp.Piecewise(*pieces, (parts[-1], True))


_FREQUENCIES = [(ones, cases) for cases in (2, 3, 4, 5, 8, 10) for ones in range(cases + 1)]


def _restored(prior: ImplicitPrior, back: dict[Any, Any]) -> ImplicitPrior:
    """The prior in the caller's own symbols."""
    if not back:
        return prior

    def own(thing: Any) -> Any:
        return thing.xreplace(back) if isinstance(thing, sp.Basic) else thing

    return ImplicitPrior(prior.family, prior.symbol, own(prior.density),
                         {own(atom): own(mass) for atom, mass in prior.atoms.items()},
                         tuple(map(own, prior.link)), own(prior.finite), prior.support, own(prior.mass),
                         tuple(map(own, prior._parts)))


def _refuse_binary(reason: str, losses: list[Any], p: Any) -> None:
    """Raise, with forecasts on which the score prefers a dishonest report: costs then do the opposite."""
    grid = [sp.Rational(k, 40) for k in range(1, 40)]

    @functools.lru_cache(None)
    def loss_of(label: bool, report: float) -> float:
        loss = losses[0 if label else 1]
        parameters = {symbol: sp.Rational(1, 3) for symbol in loss.free_symbols - {p}}
        # Exact, so that a jump is on its own side. But p**p of a fraction would be a root of enormous degree.
        place = exactly(sp.Float(report))
        towers = any(power.exp.has(p) for power in loss.atoms(sp.Pow)) or loss.has(sp.exp) and loss.has(sp.log)
        return float(loss.subs({**parameters, p: sp.Float(place, 30) if towers else place}).evalf())

    def metric(y: np.ndarray, f: np.ndarray) -> float:
        return float(np.mean([loss_of(bool(label), float(report)) for label, report in zip(y, f, strict=True)]))

    for ones, cases in _FREQUENCIES:
        labels = np.arange(cases) < ones
        reports = [(np.full(cases, float(g)),) for g in grid]
        witness = alignment.refute(metric, BinaryDecision(), y_true=labels.astype(int), forecasts=reports)
        if witness:
            raise NotAligned(reason, witness)
    raise NotAligned(reason)


def _refuse_selective(reason: str, loss: Any, x: Any, v: Any) -> None:
    """Raise, with one or two cases on which every prior contradicts the score."""
    parameters = {symbol: sp.Rational(1, 3) for symbol in loss.free_symbols - {x, v}}
    function = sp.lambdify((x, v), loss.subs(parameters), ["scipy", "numpy"])

    def metric(y: np.ndarray, mean: np.ndarray, std: np.ndarray) -> float:
        return float(np.mean([function(m * m, s * s) for m, s in zip(mean, std, strict=True)]))

    for size, squares, variances in ((1, (0.0, 0.25, 0.5, 1.0, 2.0, 4.0), (0.25, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 4.0)),
                                     (2, (0.0, 1.0, 2.0), (0.5, 1.0, 2.0))):
        cells = list(product(squares, variances))
        reports = [tuple(np.sqrt(part) for part in np.transpose(case)) for case in product(cells, repeat=size)]
        witness = alignment.refute(metric, SelectivePrediction(), y_true=np.zeros(size), forecasts=reports)
        if witness:
            raise NotAligned(reason, witness)
    raise NotAligned(reason)
