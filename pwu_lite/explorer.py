"""An explorer of binary scores that needs no kernel: a page element with its own small script.

May import symbolic and what is below it, numpy and sympy.
Implements the book's explorer of chapter 5 (PWU paper, equation (3) and proposition 3.7).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import sympy as sp

from . import symbolic, validation

__all__ = ["MetricExplorer"]

TOP_PRIOR, TOP_LOSS = 8.0, 4.0


class MetricExplorer:
    """Pick a score: its implicit prior, and its loss curves for y = 1 and y = 0.

    In a notebook or a page the object shows itself; everything is computed here and
    stored in the element, so nothing is fetched and no kernel is asked.

    Parameters
    ----------
    scores : mapping of name to (loss_if_1, loss_if_0)
        Sympy expressions in `p`, as `pwu_lite.symbolic.binary_prior` takes them.
    p : sympy.Symbol
    points : int
        Forecasts at which the curves are computed.

    Raises
    ------
    NotAligned
        A score has no implicit prior.
    ValueError
        No scores, a score with free parameters, or too few points.

    Examples
    --------
    >>> p = sp.Symbol("p")
    >>> page = MetricExplorer({"Brier score": ((1 - p) ** 2, p**2)}, p)._repr_html_()
    >>> "<select" in page, "http" in page
    (True, False)
    """

    def __init__(self, scores: Mapping[str, tuple[Any, Any]], p: sp.Symbol, points: int = 199):
        if not scores:
            raise ValueError("the explorer needs at least one score")
        if validation.whole("points", points) < 9:
            raise ValueError(f"points must be at least 9, got {points}")
        self.grid = np.arange(1, points + 1) / (points + 1)
        self.rows = [self._row(name, losses, p) for name, losses in scores.items()]

    def _row(self, name, losses, p):
        if {symbol for loss in losses for symbol in sp.sympify(loss).free_symbols} - {p}:
            raise ValueError(f"{name}: put numbers for the parameters")
        prior = symbolic.binary_prior(*losses, p)
        columns = [_values(expression, symbol, self.grid) for expression, symbol in
                   ((prior.density, prior.symbol), (losses[0], p), (losses[1], p))]
        atoms = [[float(place), float(mass)] for place, mass in prior.atoms.items()]
        words = ["density " + str(prior.density).replace("**", "^")] if prior.density != 0 else []
        words += [f"point mass {mass:g} at {place:g}" for place, mass in atoms]
        return {"name": str(name), "prior": columns[0], "one": columns[1], "zero": columns[2], "atoms": atoms,
                "words": " and ".join(words)}

    def _repr_html_(self) -> str:
        data = json.dumps({"grid": _short(self.grid), "rows": self.rows, "top": [TOP_PRIOR, TOP_LOSS]},
                          allow_nan=False)
        options = "".join(f'<option value="{k}">{escape(row["name"])}</option>' for k, row in enumerate(self.rows))
        name = "metric-explorer-" + hashlib.sha256(data.encode()).hexdigest()[:8]  # two on one page do not clash
        parts = {"@ID@": name, "@OPTIONS@": options, "@DATA@": data.replace("<", "\\u003c")}
        return re.sub("@[A-Z]+@", lambda found: parts[found.group()], _PAGE)


def _values(expression, symbol, grid):
    """Four significant digits of an expression on the grid."""
    function = sp.lambdify(symbol, expression, ["scipy", "numpy"])
    with np.errstate(all="ignore"):
        return _short(np.broadcast_to(function(grid), grid.shape))


def _short(values):
    """Four significant digits; None for what is not finite."""
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values]


_PAGE = """<div class="metric-explorer" id="@ID@">
<style>
.metric-explorer { max-width: 46rem; color: inherit; }
.metric-explorer .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1.4rem; align-items: center; }
.metric-explorer select, .metric-explorer input { font: inherit; color: inherit; background: transparent; }
.metric-explorer select { border: 1px solid currentColor; border-radius: 4px; padding: 0.2rem 0.4rem; }
.metric-explorer option { color: #222; background: #fff; }
.metric-explorer .panels { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.5rem; }
.metric-explorer svg { flex: 1 1 18rem; max-width: 100%; height: auto; }
.metric-explorer svg text { fill: currentColor; font-size: 12px; }
.metric-explorer svg .axis { stroke: currentColor; fill: none; stroke-width: 1; }
.metric-explorer svg .one { stroke: #2e86c1; fill: none; stroke-width: 2.5; }
.metric-explorer svg .zero { stroke: #d55e00; fill: none; stroke-width: 2.5; stroke-dasharray: 7 4; }
.metric-explorer svg .mark { stroke: currentColor; stroke-width: 1.5; stroke-dasharray: 3 3; }
</style>
<div class="controls">
<label for="@ID@-score">Score</label>
<select id="@ID@-score">@OPTIONS@</select>
<label for="@ID@-forecast">Forecast <i>f</i></label>
<input id="@ID@-forecast" type="range" min="0" max="100" value="50">
<output for="@ID@-forecast"></output>
</div>
<div class="panels">
<svg viewBox="0 0 330 240" role="img" aria-label="Implicit prior over c of the chosen score"></svg>
<svg viewBox="0 0 330 240" role="img" aria-label="Losses of the chosen score for y = 1 and y = 0"></svg>
</div>
<p role="status"></p>
<script type="application/json">@DATA@</script>
<script>
(function () {
  const root = document.getElementById("@ID@");
  const data = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  const select = root.querySelector("select"), range = root.querySelector("input");
  const panels = root.querySelectorAll("svg"), left = 38, bottom = 205, width = 280, height = 185;
  const x = (u) => left + u * width;
  function frame(svg, top, label) {
    svg.replaceChildren();
    add(svg, "path", {class: "axis", d: `M${left} ${bottom - height}V${bottom}H${left + width}`});
    for (const u of [0, 0.5, 1]) text(svg, x(u), bottom + 16, String(u), "middle");
    for (const v of [0, top / 2, top]) text(svg, left - 6, bottom - v / top * height + 4, String(v), "end");
    text(svg, left + width / 2, bottom + 32, label, "middle");
  }
  function add(svg, name, attributes) {
    const node = document.createElementNS(svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    svg.appendChild(node);
    return node;
  }
  function text(svg, px, py, words, anchor) {
    add(svg, "text", {x: px, y: py, "text-anchor": anchor}).textContent = words;
  }
  function curve(svg, values, top, kind) {
    let path = "", pen = "M";
    values.forEach((v, k) => {
      if (v === null || v > top) { pen = "M"; return; }
      path += `${pen}${x(data.grid[k]).toFixed(1)} ${(bottom - v / top * height).toFixed(1)}`;
      pen = "L";
    });
    add(svg, "path", {class: kind, d: path});
  }
  function draw() {
    const row = data.rows[select.value], f = range.value / 100;
    const k = Math.max(0, Math.min(data.grid.length - 1, Math.round(f * (data.grid.length + 1)) - 1));
    frame(panels[0], data.top[0], "cost share of a false positive, c");
    text(panels[0], left, 12, "prior density, or point mass", "start");
    curve(panels[0], row.prior, data.top[0], "one");
    for (const [place, mass] of row.atoms) {
      add(panels[0], "path", {class: "one", d: `M${x(place)} ${bottom}V${bottom - mass / data.top[0] * height}`});
      text(panels[0], x(place) + 6, bottom - mass / data.top[0] * height, `mass ${mass}`, "start");
    }
    frame(panels[1], data.top[1], "forecast f");
    curve(panels[1], row.one, data.top[1], "one");
    curve(panels[1], row.zero, data.top[1], "zero");
    text(panels[1], left, 12, "loss: blue if y = 1; orange, dashed if y = 0", "start");
    for (const svg of panels) add(svg, "path", {class: "mark", d: `M${x(f)} ${bottom}V${bottom - height}`});
    root.querySelector("output").textContent = f.toFixed(2);
    root.querySelector("[role=status]").textContent =
      `${row.name}: prior ${row.words}. At f = ${data.grid[k]}: density ${row.prior[k]}, ` +
      `loss ${row.one[k]} if y = 1, ${row.zero[k]} if y = 0.`;
  }
  select.addEventListener("change", draw);
  range.addEventListener("input", draw);
  draw();
})();
</script>
</div>"""
