"""The picture that other programs show with a link to the book: its name over two cost curves and a hill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

NAME = "preview.png"
BLUE, ORANGE, INK = "#0072b2", "#d55e00", "#1d232b"


def draw(path: Path, title: str) -> None:
    """1200 by 630 pixels, the size that link previews are cut to."""
    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="white")
    ax = figure.add_axes((0.07, 0.06, 0.86, 0.56))
    c = np.linspace(0, 1, 400)
    ax.plot(c, 0.9 * c * (1 - c) + 0.28 * c, color=BLUE, lw=6)
    ax.plot(c, 1.5 * c * (1 - c) ** 2, color=ORANGE, lw=6, ls="--")
    ax.fill_between(c, -0.02, 0.5 * c * (1 - c) ** 9 / 0.0387 - 0.02, color=INK, alpha=0.16, lw=0)
    ax.set_axis_off()
    figure.text(0.07, 0.82, title, fontsize=46, fontweight="bold", color=INK, va="center")
    figure.text(0.07, 0.70, "Which model would you rather decide with?", fontsize=26, color=INK, va="center")
    figure.savefig(path, metadata={"Software": None})
