"""From formulas to what a score believes, in words, as bars and step by step; or the proof that it believes nothing.

The page *The prior machine* and the cards of the gallery are written with it.
"""

from __future__ import annotations

import ast
import contextlib
import html
import inspect
import operator
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from pwu_lite import symbolic

__all__ = ["Answer", "Form", "parse", "tell"]


def _number(value):
    """Two significant digits, as people write them."""
    if value >= 1e9:
        return f"{value / 10 ** int(np.log10(value)):.0f}e{int(np.log10(value))}"
    if value >= 1e6:
        return f"{float(f'{value / 1e6:.1g}'):.0f} million"
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _words_c(low, high, many_low, many_high):
    """Where half of the weight on cost shares lies: `low` is the costly error where c is small, `high` elsewhere."""
    def half(c, quarter):
        first = (f"{low} costs more than {high}" if abs(c - 0.5) < 2e-3 else
                 f"{low} costs more than {_number((1 - c) / c)} {many_high}" if c < 0.5 else
                 f"{high} costs more than {_number(c / (1 - c))} {many_low}")
        tail = "" if c > 0.5 else (f" On a quarter of it {low} costs more than {_number((1 - quarter) / quarter)} "
                                   f"{many_high}.")
        return f"Half of its weight is on readers for whom {first}.{tail}"

    def point(c):
        words = (f"{low} costs as much as {high}" if abs(c - 0.5) < 1e-9 else
                 f"{low} costs {_number((1 - c) / c)} times as much as {high}" if c < 0.5 else
                 f"{high} costs {_number(c / (1 - c))} times as much as {low}")
        return f"readers for whom {words}"

    return half, point


_MISS = _words_c("a miss", "a false alarm", "misses", "false alarms")
_KEPT_BACK = _words_c("keeping a right answer back", "a wrong answer", "right ones", "wrong answers")
_SHORT = _words_c("a unit left over", "a missing unit", "units left over", "missing units")

HALF: dict[str, Callable[[float, float], str]] = {
    "c": _MISS[0], "answers": _KEPT_BACK[0],
    "k/n": lambda u, quarter: "At least half of its weight is on readers who pick all of the cases." if u > 1 - 1e-9
    else f"Half of its weight is on readers who pick at least {u:.0%} of the cases.",
    "kept": lambda u, quarter: f"Half of its weight is on readers who keep at least {u:.0%} of the cases.",
    "lambda": lambda x, quarter: f"Half of its weight is on readers who pay more than {_number(x)} for passing.",
    "tau": _SHORT[0], "threshold": lambda x, quarter: f"Half of its weight is on thresholds above {_number(x)}."}
POINT: dict[str, Callable[[float], str]] = {
    "c": _MISS[1], "answers": _KEPT_BACK[1], "k/n": lambda u: f"readers who pick {u:.0%} of the cases",
    "kept": lambda u: f"readers who keep {u:.0%} of the cases", "lambda": lambda x: f"a price of {_number(x)}",
    "tau": _SHORT[1], "threshold": lambda x: f"the threshold {_number(x)}"}


def words(places: np.ndarray, shares: np.ndarray, axis: str) -> str:
    """Where the weight of a prior lies, in words.

    Parameters
    ----------
    places, shares : array of float
        Places on the axis in increasing order, and the share of the weight at each.
    axis : str
        A key of `HALF`.

    Examples
    --------
    >>> words(np.array([0.25]), np.array([1.0]), "c")
    'All of its weight is on readers for whom a miss costs 3 times as much as a false alarm.'
    """
    points = np.unique(places[shares > 1e-9])
    if len(points) <= 3:
        weights = [shares[places == point].sum() for point in points]
        return " ".join(f"{'All' if weight > 0.999 else f'{weight:.0%}'} of its weight is on "
                        f"{POINT[axis](float(point))}." for point, weight in zip(points, weights, strict=True))
    below = np.cumsum(shares) / shares.sum()
    quarter, low, high = (places[np.searchsorted(below, level)] for level in (0.25, 0.5 - 1e-6, 0.5 + 1e-6))
    counted = axis in ("kept", "k/n") and len(points) <= 20  # "at least" is said of a point that has weight
    said = HALF[axis](float(high if counted else (low + high) / 2), float(quarter))
    if len(points) > 20:
        return said
    said = re.sub("costs more than (?=an? )", "costs at least as much as ", said)  # a few points, no density
    return said.replace("Half", "At least half").replace("On a", "On at least a").replace("more than", "at least")


def weights(prior: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Places and shares of the weight of a derived prior in small cells; None if it is infinite or lies at infinity.

    Parameters
    ----------
    prior : ImplicitPrior
    """
    if prior.mass == sp.oo or sp.oo in prior.atoms:
        return None
    x = prior.symbol
    if prior.support[1] == 1:  # in both directions from the ends, so that no digit is lost near 1
        edges = 1 / (1 + np.exp(np.linspace(40, 0, 40_001)))
        halves = [_cells(x, prior.density, edges), _cells(x, prior.density.subs(x, 1 - x), edges)]
        places = np.concatenate([halves[0][0], 1 - halves[1][0][::-1]])
        shares = np.concatenate([halves[0][1], halves[1][1][::-1]])
    else:
        places, shares = _cells(x, prior.density, np.geomspace(1e-3, 1e6, 80_001))
    for place, weight in prior.atoms.items():
        at = np.searchsorted(places, float(place))
        places, shares = np.insert(places, at, float(place)), np.insert(shares, at, float(weight))
    return places, shares / shares.sum()


class _Late(BaseException):
    """Time is up. Nothing that sympy catches."""


BROWSER = sys.platform == "emscripten"  # a Python of a fifth of the speed, without signals
LONGEST = 40.0 if BROWSER else 8.0  # seconds for a derivation


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Stop what runs in here once so many seconds have passed: by a signal, else at the next call of a function."""
    end = time.monotonic() + seconds

    def late(event: Any, frame: Any, *_: Any) -> None:
        # In a generator it could be the end of it, and in the garbage collector's callback nobody would hear of it: an
        # exception is lost there. The next tick, or call, in the algebra itself is early enough.
        algebra = frame.f_globals.get("__name__", "").partition(".")[0] in ("sympy", "mpmath", "pwu_book")
        if time.monotonic() >= end and algebra and not frame.f_code.co_flags & inspect.CO_GENERATOR:
            raise _Late

    if hasattr(signal, "setitimer") and not BROWSER and threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGALRM, late)
        left, again = signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6), 0.02)  # the caller's own alarm, if any
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            left = max(left - seconds + end - time.monotonic(), 1e-6) if left else 0.0
            signal.setitimer(signal.ITIMER_REAL, left, again)
    else:
        traced = sys.gettrace()
        sys.settrace(lambda frame, event, argument: late(event, frame))
        try:
            yield
        finally:
            sys.settrace(traced)


def _cells(x, density, edges):
    """Middles and weights of cells, without dividing by zero outside of a clipped density."""
    middles = (edges[1:] + edges[:-1]) / 2
    with np.errstate(all="ignore"):
        height = np.broadcast_to(np.asarray(sp.lambdify(x, density, "numpy")(middles), dtype=float), middles.shape)
    return middles, np.where(np.isfinite(height), height, 0.0) * np.diff(edges)


def endless(prior: Any, axis: str) -> str:
    """What can be said of weight that is infinite, or that lies at infinity.

    Parameters
    ----------
    prior : ImplicitPrior
    axis : str
        A key of `HALF`.
    """
    if prior.atoms:
        return "All of its weight is on readers for whom passing is too expensive at any spread."
    if axis == "lambda":
        return "Its weight is infinite near a price of 0, so no half of it can be named."
    low, high = (("a right answer kept back", "a wrong answer") if axis == "answers" else ("a miss", "a false alarm"))
    ends = [f"near c = {end}, where {word} costs any number of times more" for end, word in ((0, low), (1, high))
            if sp.limit(prior.density * (prior.symbol - end), prior.symbol, end, "-+"[end == 0]) != 0]
    return f"Its weight is infinite {' and '.join(ends)}, so no half of it can be named."


def listed(values: Any) -> str:
    """Numbers in brackets, three digits each.

    Parameters
    ----------
    values : array of float
    """
    return "(" + ", ".join(f"{value:.3g}" for value in np.ravel(values)) + ")"


BARS = 40
ENDS = {"c": "cost share c", "answers": "cost share c", "k/n": "share picked", "kept": "share kept",
         "lambda": "price of passing", "tau": "critical ratio", "threshold": "threshold"}


def heights(shares: tuple[np.ndarray, np.ndarray] | None, axis: str, prior: Any = None
            ) -> tuple[float, float, np.ndarray] | None:
    """Ends of the axis, and the weight in each of its cells, the largest one; None where there is nothing to draw.

    Parameters
    ----------
    shares : (places, shares) or None
        As `weights` gives them; None for an infinite weight, of which the density is drawn, cut off.
    axis : str
        A key of `HALF`.
    prior : ImplicitPrior, optional
        Needed where `shares` is None.
    """
    if shares is None and prior.atoms:
        return None
    if shares is None:
        high = 4.0 if axis == "lambda" else 1.0
        middles = (np.arange(BARS) + 0.5) / BARS * high
        found = np.broadcast_to(sp.lambdify(prior.symbol, prior.density, "numpy")(middles), BARS).astype(float)
        return 0.0, high, np.minimum(found / np.quantile(found, 0.9), 1.0)
    places, shared = shares
    below = np.cumsum(shared) / shared.sum()
    low, high = {"lambda": (0.0, float(places[np.searchsorted(below, 0.9)])),
                 "threshold": (float(places.min()) - 1, float(places.max()) + 1)}.get(axis, (0.0, 1.0))
    found = np.histogram(places, BARS, (low, np.nextafter(high, np.inf)), weights=shared)[0]
    return low, high, found / found.max()


def picture(found: tuple[float, float, np.ndarray] | None, axis: str, cut: bool = False) -> str:
    """The weight along the axis, as bars.

    Parameters
    ----------
    found : (low, high, heights) or None
        As `heights` gives it.
    axis : str
        A key of `HALF`.
    cut : bool
        Whether the bars at an end are higher than they are drawn.
    """
    if found is None:
        return ""
    low, high, bars = found
    drawn = "".join(f'<rect x="{5 * place}" y="{40 - 38 * height:.1f}" width="4" height="{38 * height:.1f}"/>'
                    for place, height in enumerate(bars) if height > 0.004)
    ends = f"{ENDS[axis]}, from {low:g} to {high:.2g}"
    drawn += '<text x="100" y="7" text-anchor="middle">cut off: the weight is infinite</text>' if cut else ""
    return (f'<svg viewBox="0 0 200 52" role="img" aria-label="Weight by {ends}"><path d="M0 40.5h200"/>{drawn}'
            f'<text x="0" y="50">{low:.2g}</text><text x="100" y="50" text-anchor="middle">{ENDS[axis]}</text>'
            f'<text x="199" y="50" text-anchor="end">{high:.2g}</text></svg>')


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log": sp.log, "ln": sp.log, "exp": sp.exp, "sqrt": sp.sqrt, "abs": sp.Abs, "min": sp.Min, "max": sp.Max,
    "rational": sp.Rational, "piecewise": sp.Piecewise}
_OPERATIONS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge}


def parse(text: str, symbols: dict[str, sp.Symbol]) -> Any:
    """A formula as sympy reads it; the text is never run.

    Parameters
    ----------
    text : str
        Numbers, ``pi``, the symbols, ``+ - * / ^`` (or ``**``), ``log, exp, sqrt, abs, min, max``, and ``a if p < 1/2
        else b`` for a score that jumps. Numbers are exact, and have at most `DIGITS` digits.
    symbols : dict of str to Symbol

    Raises
    ------
    ValueError
        Something else stands in the text; the message names it.

    Examples
    --------
    >>> p = sp.Symbol("p", positive=True)
    >>> parse("-log(1 - p) + 0.5 p^2", {"p": p})
    Traceback (most recent call last):
    ...
    ValueError: "-log(1 - p) + 0.5 p^2" is not a formula (invalid syntax): write 2*p for two p, p^2 for a square
    >>> parse("-log(1 - p) + 0.5*p^2", {"p": p})
    p**2/2 - log(1 - p)
    """
    try:
        plain = text.replace("^", "**").replace("\u2212", "-").strip()
        return _Reader(plain, symbols).read(ast.parse(plain, mode="eval").body)
    except (SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ValueError(f'"{text}" is not a formula ({getattr(error, "msg", error)}): write 2*p for two p, p^2 for a '
                         "square") from None


DIGITS = 250  # of a number, typed or computed; a float holds 300
BITS = 830
HIGHEST = 100  # power


class _Reader:
    """The parts of a formula. Only what stands here is read: no attribute, no index, no other name."""

    def __init__(self, text, symbols):
        self.text, self.symbols = text, symbols

    def read(self, node):
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            if node.id == "pi":
                return sp.pi
            if node.id not in self.symbols:
                raise ValueError(f'"{node.id}" is not known here; a formula is in {" and ".join(self.symbols)}')
            return self.symbols[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            return self._operation(node)
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](self.read(node.operand))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATIONS:
            return _OPERATIONS[type(node.ops[0])](self.read(node.left), self.read(node.comparators[0]))
        if isinstance(node, ast.IfExp):
            return sp.Piecewise((self.read(node.body), self.read(node.test)), (self.read(node.orelse), True))
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            return tuple(map(self.read, node.elts))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords and (
                node.func.id.lower() in FUNCTIONS):
            return self._call(node)
        self._refuse(node)

    def _refuse(self, node):
        raise ValueError(f'"{ast.unparse(node)}" is not read here: numbers, {", ".join(self.symbols)}, + - * / ^ and '
                         f'{", ".join(list(FUNCTIONS)[:7])} are')

    def _constant(self, node):
        """A number, by its digits in the text: a float would not keep them."""
        if node.value is True:
            return sp.true
        if type(node.value) is int:
            return _sized(sp.Integer(node.value))
        if type(node.value) is not float:
            self._refuse(node)
        digits = (ast.get_source_segment(self.text, node) or "").replace("_", "").lower()
        if abs(int(digits.partition("e")[2] or 0)) > DIGITS:
            raise ValueError(f"a number may have at most {DIGITS} digits")
        return _sized(sp.Rational(Fraction(digits)))

    def _operation(self, node):
        left, right = self.read(node.left), self.read(node.right)
        if isinstance(node.op, ast.Pow) and right.is_number:
            if abs(right) > HIGHEST:
                raise ValueError(f"a power may be at most {HIGHEST}")
            if left.is_Rational and _length(left) * abs(right) > BITS:
                raise ValueError(f"a number may have at most {DIGITS} digits")
        if isinstance(node.op, ast.Div) and right == 0:
            raise ValueError("there is a division by zero")
        return _sized(_OPERATIONS[type(node.op)](left, right))

    def _call(self, node):
        name, arguments = node.func.id.lower(), [self.read(one) for one in node.args]
        if name in ("log", "ln") and len(arguments) == 2 and not (arguments[1].is_positive and arguments[1] != 1):
            raise ValueError("the base of a logarithm must be positive, and not 1")
        return FUNCTIONS[name](*arguments)


def _sized(value):
    """Powers of powers multiply: what is too large is refused before sympy works with it."""
    for power in value.atoms(sp.Pow) if isinstance(value, sp.Basic) else ():
        if power.exp.is_Rational and abs(power.exp) > HIGHEST:
            raise ValueError(f"a power may be at most {HIGHEST}")
    if isinstance(value, sp.Basic) and any(_length(number) > BITS for number in value.atoms(sp.Rational)):
        raise ValueError(f"a number may have at most {DIGITS} digits")
    return value


def _length(number):
    """Bits of a fraction's longer part."""
    return max(abs(int(number.p)).bit_length(), int(number.q).bit_length())


@dataclass(frozen=True)
class Answer:
    """What a score believes, or why it believes nothing; a notebook shows it.

    Attributes
    ----------
    aligned : bool
    said : str
        Where half of the weight lies, or the reason of the refusal.
    prior : ImplicitPrior or None
    steps : Steps or None
        The derivation, equation by equation.
    drawing : str
        The weight as bars, SVG.
    """

    aligned: bool
    said: str
    prior: Any = None
    steps: Any = None
    drawing: str = ""

    def _repr_html_(self) -> str:
        if not self.aligned:
            return f'<div class="machine"><p><b>It believes nothing.</b> {html.escape(self.said)}</p></div>'
        steps = "".join(f"<li>{_math(step)}</li>" for step in self.steps)
        return (f'<div class="machine"><p>{html.escape(self.said)}</p>{self.drawing}<p>{_formula(self.prior)}</p>'
                f"<details><summary>Step by step</summary><ol>{steps}</ol></details></div>")


def _math(expression):
    return rf'<span class="math notranslate nohighlight">\({html.escape(sp.latex(expression))}\)</span>'


def _formula(prior):
    """The prior as a formula, with its points."""
    parts = []
    if prior.density != 0:
        parts.append("The density is " + _math(sp.Eq(sp.Function("pi")(prior.symbol), prior.density, evaluate=False)))
    parts += [f"{'a' if parts else 'A'} point of weight {_math(mass)} lies at "
              f"{_math(sp.Eq(prior.symbol, place, evaluate=False))}" for place, mass in prior.atoms.items()]
    total = "infinite" if prior.mass == sp.oo else _math(prior.mass)
    return f"{'; '.join(parts)}. The whole weight is {total}."


def tell(one: str, zero: str = "") -> Answer:
    """What a score believes: its prior in words, as bars, as a formula and step by step.

    Parameters
    ----------
    one : str
        The loss of a forecast p if the event happens. Alone, the loss of a mean and a variance, in the squared error e
        and the variance v.
    zero : str
        The loss of p if it does not happen.

    Raises
    ------
    ValueError
        A text is not a formula (`parse`), or whether there is a prior cannot be decided, or not soon.

    References
    ----------
    PWU paper, equation (3), propositions 3.7, 3.11 and 3.12.

    Examples
    --------
    >>> tell("(1 - p)^2", "p^2").said[:70]
    'Half of its weight is on readers for whom a miss costs more than a fal'
    >>> tell("1 - p", "p").aligned
    False
    >>> tell("e").said
    'All of its weight is on readers for whom passing is too expensive at any spread.'
    """
    axis = "c" if zero else "lambda"
    try:
        with _within(LONGEST):
            steps = _derived(one, zero)
    except symbolic.NotAligned as refusal:
        return Answer(False, _refusal(refusal, axis))
    except _Late:
        raise ValueError(f"no answer within {LONGEST:.0f} seconds: write the formula in another way, or put numbers "
                         "for its powers") from None
    shares = weights(steps.prior)
    said = endless(steps.prior, axis) if shares is None else words(*shares, axis)
    drawing = picture(heights(shares, axis, steps.prior), axis, cut=shares is None)
    return Answer(True, said, steps.prior, steps, drawing)


def _derived(one, zero):
    if zero:
        p = sp.Symbol("p", positive=True)
        names = {"p": p, "f": p}
        return symbolic.binary_prior(parse(one, names), parse(zero, names), p, steps=True)
    e, v = sp.symbols("e v", positive=True)
    return symbolic.selective_prior(parse(one, {"e": e, "v": v}), e, v, steps=True)


def _refusal(refusal, axis):
    """The reason, and the two forecasts that show it."""
    reason = f"{refusal.reason[0].upper()}{refusal.reason[1:]}."
    if refusal.witness is None:
        return reason
    one = refusal.witness.comparisons[0]
    better, worse = (" with spreads ".join(map(listed, report)) for report in (one.better, one.worse))
    kind = "forecasts" if axis == "c" else "means"
    return (f"{reason} Two {kind} show it: for outcomes {listed(one.y_true)} it prefers {better} to {worse}, although "
            "the first costs every reader as much or more.")


class Form:
    """The machine of a page: boxes for formulas; with live cells its script asks `tell`, in the page.

    Examples
    --------
    >>> "What does it believe?" in Form()._repr_html_()
    True
    """

    BOXES = (("probability", "one", "Loss if the event happens", "-log(p)"),
             ("probability", "zero", "Loss if it does not", "-log(1 - p)"),
             ("spread", "loss", "Loss, in the squared error e and the variance v", "log(v)/2 + e/(2*v)"))

    def _repr_html_(self) -> str:
        boxes = "".join(f'<label class="for-{kind}">{label} <input type="text" name="{name}" value="{value}" '
                        'maxlength="4000" spellcheck="false" autocapitalize="none" autocomplete="off"></label>'
                        for kind, name, label, value in self.BOXES)
        return ('<form class="asks machine-form" data-asked="machine.tell" hidden><label>The score is of '
                '<select name="kind"><option value="probability">a probability p</option>'
                '<option value="spread">a mean and a variance</option></select></label>'
                f'{boxes}<p><button type="submit">What does it believe?</button> '
                '<span role="status"></span></p></form><div class="machine-answer"></div>'
                f"<script>{(Path(__file__).parent / 'asks.js').read_text(encoding='utf-8')}</script>")
