"""What a derivation accepts, and how it gives up: by counting work, never by a signal.

Implements no source: it keeps the rest of `symbolic` from hanging and from reading what it cannot decide.
"""

from __future__ import annotations

import functools
import inspect
import threading
from typing import Any

import sympy as sp

__all__ = ["FUNCTIONS"]

FUNCTIONS = (sp.exp, sp.log, sp.Abs, sp.Min, sp.Max, sp.sign, sp.Heaviside, sp.Piecewise, sp.sin, sp.cos, sp.sinh,
             sp.cosh, sp.tanh, sp.atan, sp.asinh, sp.erf, sp.erfc,
             sp.betainc_regularized)
"""Functions that a formula may hold, beside sums, products and powers: continuous where their arguments are real and
have no pole, or with jumps that `Piecewise` shows."""
SMOOTH = (sp.exp, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh, sp.atan, sp.asinh, sp.erf, sp.erfc)
STEPS = (sp.tanh, sp.atan, sp.erf, sp.erfc)  # steep ones look like a jump
OF_PARAMETERS = (sp.gamma, sp.beta)  # have poles, so of parameters alone
MOST_OPERATIONS = 300  # of a formula that is factored, simplified or integrated on the way

RUNNING = threading.local()


def attempt(function, expression, *arguments, **options):
    """What sympy finds for a formula of at most `MOST_OPERATIONS` operations, else None."""
    return function(expression, *arguments, **options) if _work(expression) <= MOST_OPERATIONS else None


def simplified(expression: Any) -> Any:
    """`sympy.simplify` of a formula that is not too long for it."""
    expression = sp.sympify(expression)
    simple = attempt(sp.simplify, expression)
    return expression if simple is None else simple


def _work(expression):
    """Operations, and the size of exponents: exp(10**9 x) is a polynomial of that degree in exp(x), and so is tanh."""
    exponents = [power.exp for power in expression.atoms(sp.Pow)] + [each.args[0] for each in expression.atoms(*SMOOTH)]
    numbers = [abs(number) for exponent in exponents for number in exponent.atoms(sp.Rational)]
    return sp.count_ops(expression) + sum(number.p * number.q for number in numbers if number.p * number.q > 100)


def check_functions(expression: Any, *known: sp.Symbol) -> None:
    """Raise ValueError for a function outside of the list, constants aside; `known` are the forecast's own symbols."""
    for part in sp.preorder_traversal(expression):
        if isinstance(part, sp.Pow) and any(abs(number.p) * number.q > 10**5 for number in part.exp.atoms(sp.Rational)):
            raise ValueError(f"the exponent {part.exp} is too fine for exact roots: write it with fewer digits")
        if isinstance(part, STEPS) and any(abs(number) > 10**5 for number in part.atoms(sp.Rational)):
            raise ValueError(f"{part} is too steep to be told from a jump: write the jump as Piecewise, or use units "
                             f"in which the factor is small")
        if not getattr(part, "free_symbols", None) or isinstance(part, (sp.Symbol, sp.Add, sp.Mul, sp.Pow)):
            continue
        if isinstance(part, (sp.Tuple, sp.core.relational.Relational, sp.logic.boolalg.BooleanFunction)):
            continue
        if type(part).__name__ == "ExprCondPair" or isinstance(part, FUNCTIONS):
            continue
        if isinstance(part, OF_PARAMETERS) and not part.has(*known):
            continue
        names = ", ".join(kind.__name__ for kind in FUNCTIONS)
        raise ValueError(f"{type(part).__name__} is not among the functions that a derivation can decide about: sums, "
                         f"products, powers, {names}. Write jumps as Piecewise, and integrals solved")


def guarded(function):
    """Turn what sympy cannot do into a ValueError that says so."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(*args, **kwargs):
        signature.bind(*args, **kwargs)
        outermost = not getattr(RUNNING, "runs", False)
        if outermost:
            RUNNING.runs, RUNNING.floats = True, False
        try:
            return function(*args, **kwargs)
        except (NotImplementedError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError,
                sp.polys.polyerrors.BasePolynomialError) as error:
            raise ValueError(f"sympy cannot work with this formula ({type(error).__name__}: {error}): put numbers "
                             f"for parameters, or write it in another way") from error
        finally:
            if outermost:
                RUNNING.runs = False

    return run
