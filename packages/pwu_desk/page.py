"""A report as one page: words, pictures, tables. It has no script, and asks no other host for anything."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .drawing import draw

__all__ = ["LANDSCAPE_STYLE", "answer", "glance", "numbers", "picture", "whole"]

LANDSCAPE_STYLE = Path(__file__).with_name("landscape.css").read_text(encoding="utf-8")
SHARES = ("skill", "saving", "saving low", "saving high", "share best", "undefined", "radius")


def answer(sentences: list[str]) -> list[str]:
    """The sentences as a list of the page.

    Examples
    --------
    >>> answer(["a costs less than <b>."])
    ['<ul class="answer">', '<li>a costs less than &lt;b&gt;.</li>', '</ul>']
    """
    return ['<ul class="answer">', *(f"<li>{escape(sentence)}</li>" for sentence in sentences), "</ul>"]


def picture(shown: dict[str, Any] | str) -> str:
    """The drawing, once for a desk and once for a phone; or a sentence that says why there is none.

    Examples
    --------
    >>> picture("each case has a prior of its own")
    '<p>No picture: each case has a prior of its own.</p>'
    """
    if isinstance(shown, str):
        return f"<p>No picture: {escape(shown)}.</p>"
    return f'<figure class="landscapes">{draw(shown, 760)}{draw(shown, 380)}</figure>'


def glance(table: pd.DataFrame) -> str:
    """The table that Python and a terminal show.

    Examples
    --------
    >>> "<td>best</td>" in glance(pd.DataFrame({"verdict": ["best"]}, ["a"]))
    True
    """
    return _wide(table)


def numbers(table: pd.DataFrame) -> str:
    """All numbers of a comparison, shares as percentages, to be opened.

    Examples
    --------
    >>> "20%" in numbers(pd.DataFrame({"cost": [0.5], "saving": [0.2]}, ["a"]))
    True
    """
    shown = table.copy().astype(object)
    for column in table:
        form = "{:.0%}" if column in SHARES else "{:,.0f}" if column == "cases needed" else "{:.4g}"
        shown[column] = [_shown(value, form, column in SHARES) for value in table[column]]
    return f"<details><summary>All numbers</summary>{_wide(shown)}</details>"


def _wide(table):
    """A table that scrolls by itself, with a key, too."""
    return f'<div class="wide" tabindex="0">{table.to_html(border=0)}</div>'


def _shown(value, form, share):
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if pd.isna(value):
        return ""
    return ("above " if value > 0 else "below -") + "1,000%" if share and abs(value) > 10 else form.format(value)


def whole(title: str, decision: str, parts: list[str]) -> str:
    """The file.

    Examples
    --------
    >>> "<h1>a &amp; b</h1>" in whole("a & b", "", [])
    True
    """
    body = "\n".join([f"<h1>{escape(title)}</h1>", f"<p>{escape(decision)}</p>" if decision else "", *parts])
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f"<title>{escape(title)}</title>\n<style>{STYLE}{LANDSCAPE_STYLE}</style></head>\n<body>{body}\n</body></html>\n")


POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = """
:root { color-scheme: light dark; --muted: #5a6472;
  --c1: #00639c; --c2: #b84a00; --c3: #00734f; --c4: #a3447c; --c6: #8a6100; }
@media (prefers-color-scheme: dark) {
  :root { --c1: #6cb8ef; --c2: #ff9a52; --c3: #4cc79c; --c4: #e79ac4; --c6: #e3b34a; --muted: #9aa4b2; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
.headline { font-size: 1.6rem; line-height: 1.25; font-weight: 650; margin: 1rem 0; }
.answer { padding-left: 1.2rem; }
figure { margin: 1.5rem 0; } figure svg { width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #8886; }
tr > th:first-child { text-align: left; overflow-wrap: anywhere; min-width: 4rem; }
@media (max-width: 576px) { table { font-size: .8125rem; } th, td { padding: .3rem; } }
@media print { .wide { overflow: visible; } table { font-size: 7pt; } th, td { padding: .1rem .25rem; } }
"""
