"""The picture that other programs show with a link to the book: its name over two cost curves and a hill."""

from __future__ import annotations

import io
import textwrap
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

BLUE, ORANGE, INK = "#0072b2", "#d55e00", "#1d232b"
QUESTION = "Which model would you rather decide with?"


def draw(path: Path, title: str, words: str) -> None:
    """1200 by 630 pixels, the size that link previews are cut to: a title, and under it more words."""
    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="white")
    ax = figure.add_axes((0.07, 0.06, 0.86, 0.56))
    curves(ax, 6)
    lines = textwrap.wrap(title.replace("$", ""), 38)[:2]
    figure.text(0.07, 0.82, "\n".join(lines), fontsize=46 if len(lines) == 1 else 40, fontweight="bold", color=INK,
                va="center")
    figure.text(0.07, 0.66, words, fontsize=24, color=INK, va="center")
    figure.savefig(path, metadata={"Software": None})


def curves(ax, width: float) -> None:
    """Two models' costs, over what somebody believes about costs."""
    c = np.linspace(0, 1, 400)
    ax.plot(c, 0.9 * c * (1 - c) + 0.28 * c, color=BLUE, lw=width)
    ax.plot(c, 1.5 * c * (1 - c) ** 2, color=ORANGE, lw=width, ls="--")
    ax.fill_between(c, -0.02, 0.5 * c * (1 - c) ** 9 / 0.0387 - 0.02, color=INK, alpha=0.16, lw=0)
    ax.set_axis_off()


def picture() -> str:
    """The same curves as SVG, for a title page."""
    figure = Figure(figsize=(6, 3), facecolor="none")
    curves(figure.add_axes((0, 0, 1, 1)), 4)
    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "book"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg"):].replace("<svg ", '<svg role="img" aria-label="Two cost curves that cross, over '
                                             'a hill of belief about costs" ', 1)
