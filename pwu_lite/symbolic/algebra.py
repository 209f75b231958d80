"""What both directions share: reading expressions, break points, branches, limits, signs, exact numbers.

Implements the algebra behind equation (3) of the PWU paper.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from scipy import optimize

from .guard import RUNNING, attempt, simplified

__all__ = ["LAMBDA", "C", "read"]


C = sp.Symbol("c", positive=True)
LAMBDA = sp.Symbol("lambda", positive=True)
ODDS = sp.Dummy("r", positive=True)  # p/(1 - p): algebra without signs to worry about


def tidy(density):
    """Simplest form, with 1 - c kept together."""
    w = sp.Dummy("w", positive=True)
    simple = simplified(density)
    simple = attempt(sp.factor, simple) or simple
    together = simplified(simple.xreplace({1 - C: w, C - 1: -w}))
    back = together.subs(w, 1 - C)
    return back if sp.count_ops(back) <= sp.count_ops(simple) else simple


def said(at):
    return ", ".join(f"{symbol} = {shown(value)}" for symbol, value in at)


def shown(value):
    """A number as it is, or its first digits where it is a long fraction."""
    return sp.N(value, 15) if getattr(value, "is_Rational", False) and value.q > 10**9 else value


def scattered(count):
    return (np.arange(1, count + 1) * 0.6180339887498949) % 1


def check_symbols(losses, *symbols):
    """A symbol of the same name and other assumptions is another symbol."""
    for symbol in symbols:
        if not isinstance(symbol, sp.Symbol):
            raise ValueError(f"{symbol!r} must be a sympy Symbol")
        used = {other for loss in losses for other in getattr(loss, "free_symbols", set()) - set(symbols)}
        if any(str(other) == str(symbol) for other in used):
            raise ValueError(f"the formula has another symbol {symbol}, with other assumptions: use the same one")


def check_names(losses, taken, *known):
    """Parameters may not have the names of the symbols in the result."""
    names = {str(symbol) for loss in losses for symbol in loss.free_symbols - set(known)}
    if names & taken:
        raise ValueError(f"give the parameter {', '.join(sorted(names & taken))} another name: it is the result's own")


def with_positive_parameters(expressions, *known):
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


def check_real(piece, p, ends):
    for loss in piece:
        for point in points_inside(ends, loss):
            _real(loss.subs(sampled(loss, p)).subs(p, point))
        check_real_for_all(loss, p, ends)


def check_real_for_all(expression, symbol, ends):
    """Real for some values of the parameters and not for others is a verdict that depends on them."""
    place = middle_of(*(end if not getattr(end, "free_symbols", None) else end.subs(sampled(end)) for end in ends))
    for at in all_sampled(expression, symbol):
        try:
            _real(expression.subs(at).subs(symbol, place))
        except ValueError:
            raise ValueError(f"whether the score is real depends on its parameters: it is not at "
                             f"{said(at.items())}; put numbers") from None


def check_no_pole(formulas, symbol, ends, *others):
    """Raise ValueError where a denominator, or what a logarithm is taken of, is zero inside a piece.

    A jump can hide there: atan(1/(p - 1/3)), or (p - 1/3) over the root of its square.
    """
    for formula in formulas:
        bases = {power.base for power in formula.atoms(sp.Pow) if not power.exp.is_nonnegative}
        bases |= {logarithm.args[0] for logarithm in formula.atoms(sp.log)}
        for base in bases:
            if base.has(symbol) and _vanishes(base, symbol, ends, others):
                raise ValueError(f"the score has a pole, or a jump in disguise, where {base} is zero inside "
                                 f"({ends[0]}, {ends[1]}): it must be continuous but for jumps written as Piecewise")


def _vanishes(base, symbol, ends, others):
    """Is it zero, or next to zero, somewhere inside the piece? At samples of what else it depends on."""
    for at in all_sampled(sp.Tuple(base, *ends), symbol):
        formula = base.subs(at)
        low, high = (sp.sympify(end).subs(at) for end in ends)
        if formula.is_polynomial(symbol) and all(c.is_Rational for c in sp.Poly(formula, symbol).coeffs()):
            if any(low < root < high for root in sp.real_roots(sp.Poly(formula, symbol))):
                return True
            continue
        function = _in_floats(formula, symbol)
        places = float(low) + (np.geomspace(1e-9, 1e9, 2001) if high == sp.oo else
                               float(high - low) * np.linspace(0, 1, 2003)[1:-1])
        size = np.abs(function(places))
        if not np.isfinite(size).any():
            continue
        sign = np.sign(function(places))
        changes = np.flatnonzero(np.diff(sign[np.isfinite(size)]) != 0)
        if changes.size and not formula.has(sp.Piecewise):
            return True
        for index in _lowest_ones(size)[:6]:
            found = optimize.minimize_scalar(_size_at, args=(function,), method="bounded", options={"xatol": 1e-14},
                                             bounds=(places[max(index - 1, 0)], places[min(index + 1, size.size - 1)]))
            if 0 < index < size.size - 1 and found.fun <= 1e-9 * min(size[index - 1], size[index + 1]):
                return True
    return False


def _size_at(place, function):
    return float(np.abs(function(np.array([place])))[0])


def _in_floats(formula, *symbols):
    function = sp.lambdify(symbols, formula, ["scipy", "numpy"])

    def real(*places):
        with np.errstate(all="ignore"):
            values = np.asarray(function(*places), dtype=complex)
        values = np.where(np.abs(values.imag) > 1e-9 * (1 + np.abs(values.real)), np.nan, values.real)
        return np.broadcast_to(values, np.shape(places[0]))

    return real


def _lowest_ones(values):
    """Indices of the local minima, the smallest first."""
    finite = np.where(np.isfinite(values), values, np.inf)
    left, right = np.r_[np.inf, finite[:-1]], np.r_[finite[1:], np.inf]
    dips = np.flatnonzero((finite <= left) & (finite <= right) & np.isfinite(finite))
    return dips[np.argsort(finite[dips], kind="stable")]


def lowest_place(density, symbol, low, high, places):
    """Where a density is negative between the places looked at, by descent from the lowest ones: numbers, or None.

    Down in the symbol with sixty digits, and in symbol and parameters together.
    """
    free = sorted(sp.Tuple(density, low, high).free_symbols - {symbol}, key=str)
    starts = []
    for at in all_sampled(sp.Tuple(density, low, high), symbol):
        first, last = (sp.sympify(end).subs(at) for end in (low, high))
        where = np.sort(float(first) + places if high == sp.oo else float(first) + float(last - first) * places)
        values = _in_floats(density.subs(at), symbol)(where)
        for index in _lowest_ones(values)[:5]:
            place = _down_in_place(density.subs(at), symbol, where, index)
            if place is not None and first < place < last:
                return {symbol: place, **at}
            starts.append((values[index], where[index], (where[0], where[-1]), at))
    starts.sort(key=lambda start: start[0])
    if not free:
        return None
    function = _in_floats(density, symbol, *free)
    for _, where, bounds, at in starts[:4]:
        def height(place):
            value = float(function(*(np.array([x]) for x in place))[0])
            return value if np.isfinite(value) else 1e300

        found = optimize.minimize(height, [where, *(float(at[symbol_]) for symbol_ in free)], method="Nelder-Mead",
                                  bounds=[bounds, *[(1e-9, 1 - 1e-9)] * len(free)],
                                  options={"xatol": 1e-10, "fatol": 0.0, "maxiter": 400 * (1 + len(free))})
        exact = dict(zip((symbol, *free), (sp.Rational(str(x)) for x in found.x.tolist()), strict=True))
        ends = [sp.sympify(end).subs(exact) for end in (low, high)]
        if ends[0] < exact[symbol] < ends[1] and _is_negative(density.subs(exact)):
            return exact
    return None


def _down_in_place(formula, symbol, where, index):
    """A place near a local minimum of the samples at which the formula is negative, or None."""
    low, high = where[max(index - 1, 0)], where[min(index + 1, where.size - 1)]
    if not low < high:
        return None
    slope = sp.lambdify(symbol, sp.diff(formula, symbol), "mpmath")
    with mpmath.workdps(60):
        try:
            root = mpmath.findroot(slope, (mpmath.mpf(float(low)), mpmath.mpf(float(high))), solver="anderson",
                                   tol=1e-80, maxsteps=80, verify=False)
        except (ValueError, ZeroDivisionError, TypeError, NameError, AttributeError):
            return None
        if not (mpmath.im(root) == 0 and low < root < high):
            return None
        place = sp.Rational(str(mpmath.re(root)))
    return place if _is_negative(formula.subs(symbol, place)) else None


def _is_negative(value):
    number = sp.N(value, 40)
    return bool(number.is_real and number < sp.Float("-1e-30"))


def middle_of(low, high):
    return 2 * low + 1 if high == sp.oo else (low + high) / 2


def points_inside(ends, loss):
    """Points inside a piece; a parameter among its ends is sampled."""
    at = {symbol: value for end in ends for symbol, value in sampled(sp.sympify(end)).items()}
    low, high = (sp.sympify(end).subs(at) for end in ends)
    if high == sp.oo:
        return [low + (low if low else 1) * step for step in _geometric()]
    if len(ends) == 2 and low == 0 and high > 1:  # variances near zero, too
        return [high * step for step in _geometric() if step < 1]
    return [low + (high - low) * sp.Rational(k, 40) for k in range(1, 40)]


def as_odds(c):
    return sp.oo if c == 1 else c / (1 - c)


def checked(value):
    if value.has(sp.oo, -sp.oo, sp.zoo, sp.nan):
        raise ValueError("the expected cost is infinite under this prior: truncate it")
    return value


def exactly(expression):
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


def read_expression(name, expression):
    """An expression of finite numbers and symbols, exactly."""
    found = read(name, expression)
    RUNNING.floats = getattr(RUNNING, "floats", False) or bool(getattr(found, "atoms", lambda _: ())(sp.Float))
    if not isinstance(found, sp.Expr) or found.has(sp.nan, sp.oo, -sp.oo, sp.zoo):
        raise ValueError(f"{name} must be a finite sympy expression, got {expression!r}")
    return exactly(found)


def break_points(losses, p, top=sp.S.One):
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
            at = sampled(condition, p)
            truth = {condition.subs(at).subs(p, point) for point in points_inside(piece, condition)}
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
        inside = {_lies_inside(root, at, top) for at in all_sampled(root, p)} if root.free_symbols else {True}
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


def branch_at(loss, p, point):
    """The formula that holds around a point."""
    at = {**sampled(loss, p), **sampled(point, p)}
    where = point.subs(at)

    def pick(piecewise):
        for inner, condition in piecewise.args:
            if condition.subs(at).subs(p, where) == sp.true:
                return inner
        raise ValueError(f"{piecewise} has no value at {p} = {where}")

    return loss.rewrite(sp.Piecewise).replace(lambda e: isinstance(e, sp.Piecewise), pick)


def sampled(expression, *known, shift=0):
    """A value in (0, 1) for each free parameter, by name; three sets of them."""
    free = sorted(expression.free_symbols - set(known), key=str)
    return {symbol: sp.Rational(*((k + 1, k + 3), (k + 5, k + 6), (1, 3 * k + 7))[shift])
            for k, symbol in enumerate(free)}


def all_sampled(expression, *known):
    """Values in (0, 1) for all free parameters: generic ones, near both ends, and where a sign could change."""
    free = sorted(expression.free_symbols - set(known), key=str)
    if not free:
        return [{}]
    samples = [sampled(expression, *known, shift=shift) for shift in (0, 1, 2)]
    low, high = sp.Rational(1, 1000), sp.Rational(999, 1000)
    for even, odd in [(low, low), (high, high), (low, high), (high, low)][:2 * min(len(free), 2)]:
        samples.append({symbol: odd if place % 2 else even for place, symbol in enumerate(free)})
    if len(free) == 1:
        samples += [{free[0]: sp.Rational(round(1000 * value), 1000)} for value in scattered(8)]
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


def at_end(expression, symbol, end):
    """Value, or else limit, at an end of the domain."""
    value = expression.subs(symbol, end) if end != sp.oo else sp.nan
    if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        value = _limit(expression, symbol, end)
    empty = value.replace(sp.betainc_regularized, lambda a, b, low, high:
                          sp.Integer(0) if low == high else sp.betainc_regularized(a, b, low, high))
    return simplified(empty)


def _limit(expression, symbol, end):
    """The limit at an end; infinite if it is so for every sample of the parameters."""
    side = "-" if end == 1 else "+"
    try:
        value = sp.limit(expression, symbol, end, side)
        if not value.has(sp.Limit, sp.nan, sp.AccumBounds, sp.sign):
            return value
    except NotImplementedError:  # sympy does not know the sign of an expression of parameters
        pass
    values = {sp.limit(expression.subs(at), symbol, end, side) for at in all_sampled(expression, symbol)}
    if len(values) == 1 and values <= {sp.oo, -sp.oo}:
        return values.pop()
    raise ValueError(f"cannot find the limit of {expression} at {symbol} = {end}: put numbers for parameters")


def is_infinite(value):
    """Is it infinite, for every value of its parameters that is looked at?"""
    if value.is_infinite is not None:
        return bool(value.is_infinite)
    kinds = {bool(value.subs(at).has(sp.oo, -sp.oo, sp.zoo)) for at in all_sampled(value)}
    if len(kinds) > 1:
        raise ValueError(f"whether {value} is finite depends on its parameters: put numbers")
    return kinds.pop()


def is_zero(expression):
    """False if twenty digits at a sample say so, True if sympy proves it."""
    if not expression.free_symbols and not expression.atoms(sp.Float):
        exact = simplified(expression)
        if exact.is_zero is not None:
            return bool(exact.is_zero)
    if abs(sp.N(expression.subs(sampled(expression)), 20)) > sp.Float("1e-12"):
        return False
    simple = simplified(expression)
    if simple.has(sp.beta):
        simple = sp.gammasimp(simple.rewrite(sp.gamma))
    if simple == 0 or simple.equals(0):
        return True
    if simple.equals(0) is False:
        return False
    if not simple.free_symbols and simple.atoms(sp.Float):  # a root that sympy knows to fifteen digits only
        return True
    for shift in (1, 2):
        if abs(sp.N(expression.subs(sampled(expression, shift=shift)), 20)) > sp.Float("1e-12"):
            return False
    raise ValueError(f"sympy cannot decide whether {simple} is zero")


def doubt_floats(gap, size):
    """Raise ValueError where two sides differ by no more than the rounding of the floats that were given."""
    if not getattr(RUNNING, "floats", False):
        return
    for shift in (0, 1, 2):
        values = [abs(complex(each.subs(sampled(gap + size, shift=shift)).evalf(30))) for each in (gap, size)]
        if values[0] > 1e-12 * values[1]:
            return
    raise ValueError("two sides of the condition differ by the rounding of floats alone, and floats are read exactly: "
                     "write exact numbers, for instance sympy.Rational(3, 10) for 0.3")


def as_number(expression):
    """Value at a sample of the free parameters."""
    return _real(sp.sympify(expression).subs(sampled(sp.sympify(expression))))


def _real(value):
    """A real float, or ValueError."""
    number = complex(value.subs(sampled(value)).evalf())
    if not np.isfinite(number) or abs(number.imag) > 1e-9 * (1 + abs(number)):
        raise ValueError(f"the score is not real and finite: one of its terms is {number}")
    return number.real


def sign_of(what, expression):
    """Sign of a number or limit, the same at every sample of its free parameters, or ValueError."""
    signs: dict[Any, Any] = {}
    for at in all_sampled(expression):
        value = expression.subs(at)
        sign = 1 if value == sp.oo else -1 if value == -sp.oo else int(np.sign(_real(value)))
        signs.setdefault(sign, tuple(at.items()))
    if {-1, 1} <= signs.keys():
        raise ValueError(f"whether the score is aligned depends on its parameters: {what} is negative at "
                         f"{said(signs[-1])} and positive at {said(signs[1])}; put numbers")
    return min(signs)


def _geometric():
    return [sp.sqrt(2) ** k for k in range(-40, 41)]
