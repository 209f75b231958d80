"""Runs the cells of one page in Python in the browser: what a cell needs, what it shows, what went wrong.

`worker.js` and `pages.mjs` call `needs` and `run`. Nothing here is imported by the package or by the tools.
"""

import ast
import contextlib
import html
import io
import json
import linecache
import logging
import os
import pprint
import re
import sys
import traceback
import types
from pathlib import Path

from drawing import drawn
from pyodide.code import eval_code_async

HOME = os.getcwd()
SITE = Path(next(folder for folder in sys.path if folder.endswith("site-packages")))
OWN = ("pwu_lite", "pwu_desk", "pwu_book")
MIME = {"_repr_html_": "html", "_repr_svg_": "svg", "_repr_markdown_": "text", "_repr_latex_": "latex"}
TABLE, BORDER = re.compile(r'<table[^>]*class="dataframe.*?</table>', re.S), ' border="1"'
namespace, glued, shown = {}, {}, []


def needs(code: str) -> str:
    """The third-party modules, as JSON, that this code and what it imports of ours import before anything is called."""
    found, seen, waiting = set(), set(), [*imports(code, "", True)]
    while waiting:
        name = waiting.pop()
        for end in range(1, name.count(".") + 2):
            part = ".".join(name.split(".")[:end])
            if part in seen:
                continue
            seen.add(part)
            if part.split(".")[0] not in OWN:
                found.add(part.split(".")[0])
            elif not (SITE / part.split(".")[0]).exists():
                found.add(part.split(".")[0])
            else:
                path = SITE / part.replace(".", "/")
                package = path.is_dir()
                file = path / "__init__.py" if package else path.with_suffix(".py")
                if file.exists():
                    waiting += imports(file.read_text(), part if package else part.rpartition(".")[0], False)
    return json.dumps(sorted(found))


def imports(code: str, package: str, everywhere: bool):
    """Names of modules that the code imports: what stands in functions counts only if asked for."""
    try:
        waiting = [ast.parse(code)]
    except SyntaxError:  # it will be told when the cell runs
        return
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(package.split(".")[:len(package.split(".")) + 1 - node.level]) if node.level else ""
            base = ".".join(filter(None, [above, node.module]))
            yield base
            yield from (f"{base}.{one.name}" for one in node.names if one.name != "*")
        elif everywhere or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            waiting += ast.iter_child_nodes(node)


async def run(code: str, name: str, alone: bool = False) -> str:
    """Run one cell, or with `alone` code that leaves nothing behind.

    JSON with what it shows, in order, and its error: the message, the line, and the module that is missing.
    """
    shown.clear()
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    said, problem = io.StringIO(), None
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            value = await eval_code_async(code, globals={"__name__": "__main__"} if alone else namespace,
                                          filename=name)
            if value is not None:
                show(value)
        except BaseException as error:
            lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == name]
            last = traceback.format_exception_only(error)[-1].strip()
            number = error.lineno if isinstance(error, SyntaxError) else (lines or [None])[-1]
            problem = {"words": last, "line": number, "module": getattr(error, "name", None) if isinstance(
                error, ModuleNotFoundError) else None}
        show_figures()
    if said.getvalue():
        put("text", said.getvalue(), 0)
    return json.dumps({"shown": shown, "error": problem})


def put(kind: str, text: str, place: int = 1_000_000) -> None:
    shown.insert(place, {"kind": kind, "text": text, "html": dressed(kind, text)})


def dressed(kind: str, text: str) -> str:
    """What a page puts down for it: formulas set, tables that scroll, a short text as a sentence."""
    if kind in ("html", "latex"):
        box = {"html": "output text_html", "latex": "output math"}[kind]
        return f'<div class="{box}">{TABLE.sub(table, with_formulas(kind, text))}</div>'
    if kind == "drawing":
        text = text.replace("<svg", '<svg class="drawing" role="img" aria-label="the figure of the edited cell"', 1)
    if kind in ("svg", "drawing"):
        return f'<div class="output live-drawing">{text}</div>'
    quoted = re.fullmatch(r"""(['"])(.*)\1""", text, re.S) if kind == "value" else None
    if quoted or (kind == "text" and "  " not in text and text.strip().count("\n") < 4):
        return f'<p class="said">{html.escape(quoted[2] if quoted else text.strip())}</p>'
    return f'<div class="output"><pre>{html.escape(text.removesuffix(chr(10)))}</pre></div>'


def table(found: re.Match) -> str:
    """A table that scrolls by itself, its numbers to the right."""
    text = re.sub(r"<td>(?=\s*[-+\u2212]?[\d.,]+(e[-+]?\d+)?%?\s*</td>)", '<td class="num">', found[0], flags=re.I)
    return f'<div class="table-scroll" tabindex="0">{text.replace(BORDER, "", 1)}</div>'


def forget() -> None:
    """Begin again with nothing defined, in the folder where Python began."""
    os.chdir(HOME)
    namespace.clear()
    namespace.update(__name__="__main__", display=show)
    glued.clear()


def show(value, *rest, **ignored) -> None:
    """IPython's `display`: the richest form that an object offers."""
    figure = sys.modules.get("matplotlib.figure")
    if figure and isinstance(value, figure.Figure):
        return draw(value)
    if type(value).__module__.startswith("matplotlib"):
        return None  # its figure is shown
    for method, kind in MIME.items():
        offer = getattr(value, method, None)
        text = offer() if callable(offer) and not isinstance(value, type) else None
        if text:
            put(kind, text)
            break
    else:
        plain = isinstance(value, (dict, list, tuple, set)) and type(value).__repr__ in (
            dict.__repr__, list.__repr__, tuple.__repr__, set.__repr__)
        put("value", pprint.pformat(value, width=79, sort_dicts=False) if plain else repr(value))
    for one in rest:
        show(one)


def with_formulas(kind: str, text: str) -> str:
    """What a page puts down: TeX as MathML, by the build's own converter, which is fetched when it is first needed."""
    if kind == "latex":
        from mathml import mathml

        return mathml(text.strip().strip("$").replace("\\displaystyle", "", 1), block=True)
    if kind == "html" and 'class="math' in text:
        from mathml import mathml

        return re.sub(r'<span class="math[^"]*">\s*\\\((.*?)\\\)\s*</span>', lambda found: mathml(
            html.unescape(found[1])), text, flags=re.S)
    return text


def draw(figure) -> None:
    """A figure in the page's colours and type."""
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    sys.modules["matplotlib.pyplot"].close(figure)
    put("drawing", drawn(text.getvalue(), f"live{len(shown)}-"))


def show_figures() -> None:
    """Figures that a cell has left open."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums() if pyplot else []:
        draw(pyplot.figure(number))


class Shown:
    """IPython's HTML, SVG, Markdown, Math and Latex: something that shows itself in one form."""

    def __init__(self, data=None, *rest, **ignored):
        self.data = data


def stand_in() -> None:
    """The three names that pages import of IPython and MyST-NB."""
    display = types.ModuleType("IPython.display")
    display.display = show
    for name, method in {"HTML": "_repr_html_", "SVG": "_repr_svg_", "Markdown": "_repr_markdown_",
                         "Math": "_repr_latex_", "Latex": "_repr_latex_"}.items():
        setattr(display, name, type(name, (Shown,), {method: lambda self: self.data}))
    ipython, myst = types.ModuleType("IPython"), types.ModuleType("myst_nb")
    ipython.display, ipython.get_ipython = display, lambda: None
    myst.glue = lambda name, value, display=True: glued.__setitem__(name, value)
    sys.modules |= {"IPython": ipython, "IPython.display": display, "myst_nb": myst}


stand_in()
forget()
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it tells that it looks for fonts, once
