r"""Worksheets for paper: one page each, from the fragments of book/teaching/sheets.

A fragment is HTML with three things of its own: `$...$` is a formula, `<axes .../>` is an empty drawing with a grid,
`<rule n="2"/>` are lines to write on. build_book calls `write` after Sphinx.
"""

from __future__ import annotations

import html
import math
import re
from pathlib import Path

from bs4 import BeautifulSoup

from tools.extension import formulas
from tools.kit import slides

SOURCE, TARGET = "book/teaching/sheets", "worksheets"
STYLE = Path(__file__).with_name("worksheet.css")


def write(root: Path, site: Path) -> None:
    """Every worksheet of the site."""
    (site / TARGET).mkdir(exist_ok=True)
    for path in (root / SOURCE).glob("*.html"):
        (site / TARGET / path.name).write_text(sheet(path.read_text(encoding="utf-8"), site), encoding="utf-8")


def sheet(fragment: str, site: Path, named: bool = True) -> str:
    """A page with its style, fonts and drawings inside, and a line for a name.

    Raises ValueError for a formula that cannot be read.
    """
    text = re.sub(r"\$([^$]+)\$", lambda found: formulas.mathml(html.unescape(found[1])), fragment)
    text = re.sub(r"<axes ([^>]*)/>", lambda found: axes(**dict(re.findall(r'(\w+)="([^"]*)"', found[1]))), text)
    text = re.sub(r'<rule(?: n="(\d+)")?/>', lambda found: '<div class="rule"></div>' * int(found[1] or 1), text)
    body = BeautifulSoup(text, "html.parser")
    title = body.h1.get_text()
    who = '<p class="who">Name <span></span> Date <span class="short"></span></p>'
    foot = '<p class="foot">Decision-Aligned Uncertainty. CC BY 4.0: copy, change, say where it is from.</p>'
    head = text.replace("</h1>", f"</h1>{who}", 1) if named else text
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
            f"<style>{slides.faces(body, site)}{STYLE.read_text()}</style></head>"
            f"<body><main>{head}{foot}</main></body></html>")


def axes(x: str, y: str, xmin: str = "0", xmax: str = "1", ymax: str = "0.3", xstep: str = "0.1", ystep: str = "0.05",
         height: str = "300", also: str = "", ticks: str = "") -> str:
    """Empty axes with a grid; `also` is a second scale below: places and words, as in "0.1:9, 0.5:1".

    With `ticks`, as in "100,10,1", the axis has these, in this order, on a logarithmic scale.
    """
    left, right, top, tall = 58, 690, 10, float(height)
    start, end, step = float(xmin), float(xmax), float(xstep)
    marked = [float(tick) for tick in ticks.split(",")] if ticks else [
        start + k * step for k in range(round((end - start) / step) + 1)]
    scale = math.log if ticks else float
    first, last = scale(marked[0]), scale(marked[-1])

    def across(value: float) -> float:
        return left + (scale(value) - first) / (last - first) * (right - left)

    sy = (tall - top) / float(ymax)
    lines, words = [], []
    for value in marked:
        lines.append(f"M{across(value):.1f} {top}V{tall:.1f}")
        words.append(f'<text x="{across(value):.1f}" y="{tall + 15:.1f}" text-anchor="middle">{value:g}</text>')
    for k in range(round(float(ymax) / float(ystep)) + 1):
        at = tall - k * float(ystep) * sy
        lines.append(f"M{left} {at:.1f}H{right}")
        words.append(f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{k * float(ystep):g}</text>')
    below = 34
    for place, word in re.findall(r"([\d.]+):([^,]+)", also):
        words.append(f'<text x="{across(float(place)):.1f}" y="{tall + 31:.1f}" text-anchor="middle">{word}</text>')
        below = 50
    middle = (left + right) / 2
    words.append(f'<text x="{middle}" y="{tall + below:.0f}" text-anchor="middle">{html.escape(x)}</text>')
    turned = f'transform="translate(14 {tall / 2:.0f}) rotate(-90)"'
    words.append(f'<text {turned} text-anchor="middle">{html.escape(y)}</text>')
    said = html.escape(f"Empty axes: {x} from {marked[0]:g} to {marked[-1]:g}, {y} from 0 to {ymax}")
    grid = f'<path d="{"".join(lines)}" fill="none" stroke="#999" stroke-width="0.5"/>'
    frame = f'<path d="M{left} {top}V{tall}H{right}" fill="none" stroke="#111" stroke-width="1.4"/>'
    return (f'<svg viewBox="0 0 700 {tall + below + 8:.0f}" role="img" aria-label="{said}">{grid}{frame}'
            f'{"".join(words)}</svg>')
