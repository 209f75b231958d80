"""What both directions share: reading formulas, break points, branches, signs, limits.

Implements the algebra behind equation (3) of the PWU paper. A question is decided, or a ValueError says that it cannot
be decided; nothing is concluded from a sample of points.
"""

import functools
import inspect
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

__all__ = ["FUNCTIONS", "LAMBDA", "C", "read"]

C = sp.Symbol("c", positive=True)
LAMBDA = sp.Symbol("lambda", positive=True)
ODDS = sp.Dummy("r", positive=True)  # p/(1 - p): algebra without signs to worry about
FUNCTIONS = (sp.exp, sp.log, sp.Abs, sp.Min, sp.Max, sp.sign, sp.Heaviside, sp.Piecewise, sp.erf, sp.erfc,
             sp.betainc_regularized)
"""Functions that a formula may hold, beside sums, products and powers."""
OF_PARAMETERS = (sp.gamma, sp.beta)  # these have poles, so they may hold the parameter only
MOST_OPERATIONS = 300  # of a formula that sympy is asked to simplify, factor or integrate


def guarded(function: Any) -> Any:
    """Turn what sympy cannot do into a ValueError that says so."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        signature.bind(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        except (NotImplementedError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError,
                sp.polys.polyerrors.BasePolynomialError) as error:
            raise ValueError(f"sympy cannot work with this formula ({type(error).__name__}: {error}): put a number "
                             f"for the parameter, or write it in another way") from error

    return run


def attempt(function: Callable[..., Any], expression: Any, *arguments: Any, **options: Any) -> Any:
    """What sympy finds for a formula of at most `MOST_OPERATIONS` operations, else None."""
    return function(expression, *arguments, **options) if _work(expression) <= MOST_OPERATIONS else None


def simplified(expression: Any) -> Any:
    """`sympy.simplify` of a formula that is not too long for it.

    Parameters
    ----------
    expression : sympy expression or number
        What to read.
    """
    expression = sp.sympify(expression)
    simple = attempt(sp.simplify, expression)
    return expression if simple is None else simple


def _work(expression: Any) -> int:
    """Operations, and the size of exponents: exp(10**9 x) is a polynomial of that degree in exp(x).

    Factors of logarithms become exponents, too.
    """
    exponents = [power.exp for power in expression.atoms(sp.Pow)]
    exponents += [each.args[0] for each in expression.atoms(sp.exp, sp.erf, sp.erfc)]
    numbers = [abs(number) for exponent in exponents for number in exponent.atoms(sp.Rational)]
    if expression.has(sp.log):
        numbers += [abs(number) for number in expression.atoms(sp.Rational) if abs(number.p) * number.q > 10**4]
    return sp.count_ops(expression) + sum(number.p * number.q for number in numbers if number.p * number.q > 100)


def tidy(density: Any) -> Any:
    """Simplest form, with 1 - c kept together."""
    w = sp.Dummy("w", positive=True)
    simple = simplified(density)
    simple = attempt(sp.factor, simple) or simple
    together = simplified(simple.xreplace({1 - C: w, C - 1: -w}))
    back = together.subs(w, 1 - C)
    return back if sp.count_ops(back) <= sp.count_ops(simple) else simple


def read(name: str, expression: Any) -> Any:
    """A sympy expression of what is one, or a number; text is never evaluated.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    expression : sympy expression or number
        What to read.
    """
    if isinstance(expression, np.generic):
        expression = expression.item()
    try:
        return sp.sympify(expression, strict=True)
    except sp.SympifyError:
        raise ValueError(f"{name} must be a sympy expression (text is not evaluated: build it from sympy symbols), "
                         f"got {expression!r}") from None


def read_expression(name: str, expression: Any) -> Any:
    """An expression of finite numbers and symbols, exactly.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    expression : sympy expression or number
        What to read.
    """
    formula = read(name, expression)
    if not isinstance(formula, sp.Expr) or formula.has(sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I):
        raise ValueError(f"{name} must be a real, finite sympy expression, got {expression!r}")
    return exactly(formula)


def exactly(expression: Any) -> Any:
    """Floats become the fractions that they stand for: the simplest with the same float, or the decimal.

    Parameters
    ----------
    expression : sympy expression or number
        What to read.
    """
    formula = sp.sympify(expression, strict=True)
    return formula.xreplace({number: _fraction(number) for number in formula.atoms(sp.Float)})


def _fraction(number: Any) -> Any:
    if number._prec > 53:
        return sp.Rational(str(number))
    value = float(number)
    simple = Fraction(value).limit_denominator(10**6)
    return sp.Rational(simple.numerator, simple.denominator) if float(simple) == value else sp.Rational(repr(value))


def check_symbols(losses: tuple[Any, ...], *symbols: Any) -> None:
    """A symbol of the same name and other assumptions is another symbol."""
    for symbol in symbols:
        if not isinstance(symbol, sp.Symbol):
            raise ValueError(f"{symbol!r} must be a sympy Symbol")
        used = {other for loss in losses for other in getattr(loss, "free_symbols", set()) - set(symbols)}
        if any(str(other) == str(symbol) for other in used):
            raise ValueError(f"the formula has another symbol {symbol}, with other assumptions: use one of the two")


def check_functions(expression: Any, *known: sp.Symbol) -> None:
    """Raise ValueError for a function that is not in `FUNCTIONS`; `known` are the forecast's own symbols."""
    plain = (sp.Symbol, sp.Add, sp.Mul, sp.Pow, sp.Tuple, Relational, sp.logic.boolalg.BooleanFunction, *FUNCTIONS,
             sp.functions.elementary.piecewise.ExprCondPair)
    for part in sp.preorder_traversal(expression):
        if isinstance(part, sp.Pow) and any(abs(number.p) * number.q > 10**5 for number in part.exp.atoms(sp.Rational)):
            raise ValueError(f"the exponent {part.exp} is too fine for exact roots: write it with fewer digits")
        if not getattr(part, "free_symbols", None) or isinstance(part, plain):
            continue
        if not isinstance(part, OF_PARAMETERS) or part.has(*known):
            names = ", ".join(kind.__name__ for kind in FUNCTIONS)
            raise ValueError(f"{type(part).__name__} is not among the functions that a derivation can handle: "
                             f"sums, products, powers, {names}. Write jumps as Piecewise, and integrals solved")


def with_positive_parameter(expressions: list[Any], taken: set[Any], *known: Any) -> tuple[Any, ...]:
    """The one free parameter as a positive symbol, and the way back to the caller's own."""
    free = sorted({symbol for e in expressions for symbol in e.free_symbols} - set(known), key=str)
    if len(free) > 1:
        raise ValueError(f"one free parameter is allowed, got {', '.join(map(str, free))}: give the others numbers")
    if not free:
        return expressions, {}
    parameter, = free
    if str(parameter) in taken:
        raise ValueError(f"give the parameter {parameter} another name: the result uses this one")
    if parameter.is_positive is False or parameter.is_integer or parameter.is_real is False:
        raise ValueError(f"the parameter is taken to lie in (0, 1), and {parameter} cannot: put a number for it")
    positive = sp.Symbol(parameter.name, positive=True)
    return [e.subs(parameter, positive) for e in expressions], {positive: parameter}


def signs(expression: Any, symbol: sp.Symbol, low: Any, high: Any) -> set[int]:
    """The signs that an expression takes between two places, whatever the parameter in (0, 1).

    Decided by the roots of a rational function and by the signs of the factors of a product, else a ValueError.
    """
    ratio = sp.Dummy("r", positive=True)
    place = low + ratio if high == sp.oo else (low + high * ratio) / (1 + ratio)
    in_odds = _in_odds(sp.sympify(expression).subs(symbol, place), ratio)
    sign_set = _signs(in_odds) or _signs(simplified(in_odds)) or _signs(_with_factors_in_roots(simplified(in_odds)))
    if sign_set is None:
        raise ValueError(f"cannot decide the sign of {expression} for {symbol} between {low} and {high}: put a number "
                         f"for the parameter, or write it in another way")
    return sign_set


def _in_odds(expression: Any, *known: Any) -> Any:
    """The expression with s/(1 + s) for its parameter: s > 0 says all that is known."""
    odds = sp.Dummy("s", positive=True)
    return expression.subs({parameter: odds / (1 + odds) for parameter in expression.free_symbols - set(known)})


def sign_of(what: str, number: Any) -> int:
    """The sign of a number or limit, the same for each value of its parameter; or ValueError."""
    if number in (sp.oo, -sp.oo):
        return 1 if number == sp.oo else -1
    sign_set = _signs(_in_odds(sp.sympify(number)))
    if sign_set is None or len(sign_set) > 1:
        raise ValueError(f"cannot decide whether the score is aligned: {what} is {number}; put a number for the "
                         f"parameter")
    return sign_set.pop()


def _signs(e: Any) -> Any:
    """The signs of an expression in positive symbols, or None."""
    for known, signs in ((e.is_zero, {0}), (e.is_positive, {1}), (e.is_negative, {-1}), (e.is_nonnegative, {0, 1})):
        if known:
            return signs
    if not e.free_symbols:
        return _sign_of_number(e)
    if _work(e) > MOST_OPERATIONS:
        return None
    if e.is_rational_function(*e.free_symbols):
        numerator, denominator = sp.fraction(sp.cancel(sp.together(e)))
        return _signs_of_polynomial(sp.expand(numerator * denominator))
    if isinstance(e, (sp.exp, sp.erfc, sp.beta)):
        return {1}
    if isinstance(e, (sp.log, sp.erf)):
        return _signs(e.args[0] - (1 if isinstance(e, sp.log) else 0))
    if isinstance(e, sp.Pow):
        return {1} if _signs(e.base) == {1} else {0, 1} if e.exp.is_even and e.exp > 0 else None
    product = e if e.is_Mul else attempt(sp.factor, sp.together(e)) or e
    return _signs_of_product(product) if product.is_Mul else _signs_of_sum(product) if product.is_Add else None


def _signs_of_product(e: Any) -> Any:
    """The rational factors are decided together, as they may change sign at the same place."""
    rational = [factor for factor in e.args if factor.is_rational_function(*e.free_symbols)]
    sign_sets = [_signs(factor) for factor in e.args if factor not in rational] + [_signs(sp.Mul(*rational))]
    if None in sign_sets:
        return None
    if any({-1, 1} <= each for each in sign_sets) and sum(len(each) > 1 for each in sign_sets) > 1:
        return None
    signs_so_far = {1}
    for each in sign_sets:
        signs_so_far = {first * second for first in signs_so_far for second in each}
    return signs_so_far


def _signs_of_sum(e: Any) -> Any:
    """Terms of one sign add up to a sum of that sign."""
    sign_sets = [_signs(term) for term in e.args]
    for sign in (1, -1):
        if None not in sign_sets and set().union(*sign_sets) <= {0, sign}:
            return {sign} if {sign} in sign_sets else {0, sign}
    return None


def _sign_of_number(e: Any) -> Any:
    exact = simplified(e)
    value = sp.N(exact, 40)
    if exact.is_zero or not value.is_real:
        return {0} if exact.is_zero else None
    return {int(sp.sign(value))} if abs(value) > sp.Float("1e-30") else None


def _signs_of_polynomial(e: Any) -> set[Any] | None:
    """By the signs of all coefficients, or by the real roots of a polynomial in one symbol."""
    if not e.free_symbols:
        return _signs(e)
    poly = sp.Poly(e, *sorted(e.free_symbols, key=str))
    coefficients = [_signs(c) for c in poly.coeffs()]
    if None not in coefficients and len(union := set().union(*coefficients)) == 1:
        return union
    if len(poly.gens) > 1 or not all(c.is_Rational for c in poly.coeffs()):
        return None
    roots = sorted({root for root in sp.real_roots(poly) if root > 0})
    between = [sp.Integer(0), *roots, (roots[-1] if roots else sp.Integer(1)) * 2 + 2]
    places = [sp.Rational(str(sp.N((a + b) / 2, 60))) for a, b in pairwise(between)]
    return {int(sp.sign(poly.eval(place))) for place in places} | ({0} if roots else set())


def negative_place(expression: Any, symbol: Any, low: Any, high: Any) -> Any:
    """A place at which a formula without a parameter is negative beyond rounding, or None."""
    if expression.free_symbols - {symbol}:
        return None
    for k in range(1, 100):
        place = low + sp.Rational(k, 100 - k) if high == sp.oo else low + (high - low) * sp.Rational(k, 100)
        value = expression.subs(symbol, place).evalf(30)
        if value.is_real and value < -sp.Float("1e-20"):
            return place
    return None


def check_continuous(formula: Any, symbol: sp.Symbol, low: Any, high: Any) -> None:
    """Raise ValueError unless a formula without branches is real and continuous on a piece.

    Denominators keep their sign, and what a logarithm, a root or a beta function is taken of is positive.
    """
    for part in sp.preorder_traversal(formula):
        integer = isinstance(part, sp.Pow) and part.exp.is_integer
        if isinstance(part, sp.Pow) and not (integer and part.exp.is_nonnegative):
            arguments = (part.base,)
        elif isinstance(part, (sp.log, *OF_PARAMETERS)):
            arguments = part.args
        elif isinstance(part, sp.betainc_regularized):
            arguments = (*part.args[:2], *(inner for end in part.args[2:] if end.free_symbols
                                           for inner in (end, 1 - end)))
        else:
            continue
        for argument in arguments:
            if signs(argument, symbol, low, high) not in (({1}, {-1}) if integer else ({1},)):
                raise ValueError(f"the score has a pole, or is not real: {argument} is zero or negative somewhere in "
                                 f"({low}, {high}). It must be continuous but for jumps written as Piecewise")


def break_points(formulas: list[Any], symbol: Any, top: Any = sp.S.One) -> list[Any]:
    """0, the places in between at which a formula changes its branch, and the top; in order."""
    relations = {relation for formula in formulas for relation in formula.rewrite(sp.Piecewise).atoms(Relational)}
    points = set()
    for relation in relations:
        try:
            _truth(relation, symbol, sp.Integer(0), top)
        except ValueError:
            points.update(_roots(relation, symbol, top))
    return [sp.Integer(0), *sorted(points, key=functools.cmp_to_key(_gap)), top]


def _gap(first: Any, second: Any) -> int:
    return sign_of("the gap of two break points", first - second)


def _truth(relation: Any, symbol: Any, low: Any, high: Any) -> Any:
    """Whether a condition holds on a piece; ValueError if it holds on a part, or that cannot be decided."""
    truths = {relation.func(sp.Integer(sign), 0) for sign in signs(relation.lhs - relation.rhs, symbol, low, high)}
    if len(truths) > 1:
        raise ValueError(f"cannot decide where {relation} holds: write it as {symbol} < number")
    return truths.pop()


def _roots(relation: Any, symbol: Any, top: Any) -> list[Any]:
    """Where the two sides of a condition meet inside (0, top)."""
    gap = relation.lhs - relation.rhs
    if not gap.has(symbol):
        raise ValueError(f"the verdict depends on whether {relation}: put a number for the parameter")
    try:
        rational = gap.is_polynomial(symbol) and all(c.is_Rational for c in sp.Poly(gap, symbol).coeffs())
        roots = set(sp.real_roots(sp.Poly(gap, symbol)) if rational else sp.solve(gap, symbol))
    except NotImplementedError:
        raise ValueError(f"cannot solve {gap} = 0 for {symbol}: write the condition as {symbol} < number") from None
    return [root for root in roots if sp.im(root.subs(sampled(root)).evalf()) == 0 and _is_inside(root, top)]


def _is_inside(root: Any, top: Any) -> bool:
    below = {sign_of("a break point", root)} if top == sp.oo else {
        sign_of("a break point", root), sign_of("what a break point leaves to the top", top - root)}
    return below == {1}


def branch_at(formula: Any, symbol: Any, low: Any, high: Any) -> Any:
    """The formula that holds on a piece."""
    inner = formula.rewrite(sp.Piecewise)
    return inner.xreplace({relation: _truth(relation, symbol, low, high) for relation in inner.atoms(Relational)})


def as_odds(c: Any) -> Any:
    return sp.oo if c == 1 else c / (1 - c)


def checked(value: Any) -> Any:
    if value.has(sp.oo, -sp.oo, sp.zoo, sp.nan):
        raise ValueError("the expected cost is infinite under this prior: truncate it")
    return value


def sampled(expression: Any) -> dict[Any, Any]:
    """A value in (0, 1) for each free symbol, by name.

    Parameters
    ----------
    expression : sympy expression or number
        What to read.
    """
    return {symbol: sp.Rational(k + 1, k + 3) for k, symbol in enumerate(sorted(expression.free_symbols, key=str))}


def at_end(expression: Any, symbol: Any, end: Any) -> Any:
    """Value, or else limit, at an end of the domain."""
    value = expression.subs(symbol, end) if end != sp.oo else sp.nan
    open_power = any(part.base == 0 for part in value.atoms(sp.Pow))  # 0**(k - 1) is zero or infinite, as k is
    if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo) or open_power:
        parameters = expression.free_symbols - {symbol}
        inner = simplified(_in_odds(expression, symbol)) if parameters else expression
        if end == 1:  # from above at zero, since sympy takes the wrong root of what lies below one
            below = sp.Dummy("u", positive=True)
            value = sp.limit(inner.subs(symbol, 1 - below), below, 0, "+")
        else:
            value = sp.limit(inner, symbol, end, "+")
        if value.has(sp.Limit, sp.nan, sp.AccumBounds, sp.sign):
            raise ValueError(f"cannot find the limit of {expression} at {symbol} = {end}: put a number for the "
                             f"parameter")
        for parameter in parameters:  # one at most, and odds are its s
            value = value.subs({odds: parameter / (1 - parameter) for odds in value.free_symbols - parameters})
    empty = value.replace(sp.betainc_regularized, lambda a, b, low, high:
                          sp.Integer(0) if low == high else sp.betainc_regularized(a, b, low, high))
    return simplified(empty)


def _with_factors_in_roots(expression: Any) -> Any:
    """A square inside of a root comes out of it: with positive symbols sqrt(r**2 + 2*r + 1) is r + 1."""
    return expression.replace(
        lambda part: part.is_Pow and part.exp.is_Rational and not part.exp.is_Integer and part.base.is_Add,
        lambda part: sp.Pow(attempt(sp.factor, part.base) or part.base, part.exp))


def is_infinite(value: Any) -> bool:
    return value.has(sp.oo, -sp.oo, sp.zoo)


def is_zero(expression: Any, size: Any = sp.S.One) -> bool:
    """True if sympy proves it, False if a number shows the opposite; `size` is what was subtracted."""
    simple = simplified(expression)
    if simple.has(sp.beta):
        simple = sp.gammasimp(simple.rewrite(sp.gamma))
    if simple == 0 or simple.is_zero or simplified(_with_factors_in_roots(simple)) == 0:
        return True
    at = sampled(sp.Tuple(expression, size))
    value, largest = (abs(sp.N(each.subs(at), 30)) for each in (expression, sp.sympify(size)))
    if value > sp.Float("1e-12") * largest:
        return False
    if simple.equals(0):
        return True
    raise ValueError(f"cannot decide whether {simple} is zero or a rounding error of floats: write exact numbers, "
                     f"for instance sympy.Rational(3, 10) for 0.3")
