"""What every explorer is: an element of a page with its own data, controls and one small script.

Implements no source: the pages of chapters 5, 12 and 14 show what the classes beside it compute.
"""

from __future__ import annotations

import hashlib
import json
import re
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pwu_lite import plots
from pwu_lite.app.page import LANDSCAPE, LANDSCAPE_STYLE

__all__ = ["Explorer"]



FOLDER = Path(__file__).parent


class Explorer:
    """An element of a page: controls, two panels, words; a picture where scripts do not run."""

    kind: str
    panels: tuple[str, ...]  # text alternatives for the drawings

    def data(self) -> dict[str, Any]:
        """Everything that the script shows."""
        raise NotImplementedError

    def controls(self) -> str:
        """Inputs, each inside its label."""
        raise NotImplementedError

    def picture(self, ax: Axes) -> None:
        """Draw the first view.

        Parameters
        ----------
        ax : Axes
            Axes to draw on.
        """
        raise NotImplementedError

    def _repr_html_(self) -> str:
        data = json.dumps(self.data(), allow_nan=False).replace("<", "\\u003c")
        page = data + self.controls()
        name = f"{self.kind}-explorer-" + hashlib.sha256(page.encode()).hexdigest()[:8]  # two on one page do not clash
        drawings = "".join(f'<svg class="landscape" viewBox="0 0 330 240" role="img" aria-label="{escape(words)}">'
                           "</svg>" for words in self.panels)
        still = _still(self.picture, name, escape(". ".join(self.panels)))
        parts = {"@KIND@": self.kind, "@ID@": name, "@DATA@": data, "@PANELS@": drawings,
                 "@CONTROLS@": self.controls(), "@PICTURE@": still,
                 "@STYLE@": LANDSCAPE_STYLE + (FOLDER / "explorer.css").read_text(),
                 "@SCRIPT@": self._script().replace("@ID@", name)}
        return re.sub("@[A-Z]+@", lambda found: parts[found.group()], _PAGE)

    def _script(self):
        return (FOLDER / "explorer.js").read_text().replace("  // @PARTS@\n", LANDSCAPE)


def is_place(place, values):
    return isinstance(place, (int, np.integer)) and 0 <= place < len(values)


def slider(words, name, places, start):
    return (f'<label>{words} <input type="range" name="{name}" min="0" max="{places - 1}" step="1" value="{start}">'
            f"<output></output></label>")


def _still(draw, name, words):
    """A drawing as SVG, made without pyplot: a notebook does not show it a second time."""
    plots.use_style()
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    draw(figure.subplots())
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{name}-", plots.as_svg(figure))
    return svg.replace("<svg ", f'<svg class="still" role="img" aria-label="{words}" ', 1)


def short(values):
    """Four significant digits; None for what is not finite."""
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values]



_PAGE = """<div class="explorer @KIND@-explorer" id="@ID@" data-kind="@KIND@">
<style>
@STYLE@</style>
@PICTURE@
<div class="controls" hidden>@CONTROLS@</div>
<p role="status" hidden></p>
<ol hidden></ol>
<div class="panels" hidden>@PANELS@</div>
<p class="note"></p>
<script type="application/json">@DATA@</script>
<script>
@SCRIPT@</script>
</div>"""
