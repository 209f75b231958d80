"""Pick a score: its implicit prior, and its loss curves.

Implements equation (3) of the PWU paper, to be touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import sympy as sp

from pwu_lite import plots, validation
from pwu_lite.theory import symbolic

from ._element import Explorer, short, slider

__all__ = ["MetricExplorer"]



TOP_PRIOR, TOP_LOSS = 8.0, 4.0


class MetricExplorer(Explorer):
    """Pick a score: its implicit prior, and its loss curves for y = 1 and y = 0.

    In a notebook or a page the object shows itself; the curves of `scores` are computed here and
    stored in the element, so nothing is fetched and no kernel is asked.

    Parameters
    ----------
    scores : mapping of name to (loss_if_1, loss_if_0)
        Sympy expressions in `p`, as `pwu_lite.theory.symbolic.binary_prior` takes them.
    p : sympy.Symbol
    points : int
        Forecasts at which the curves are computed.
    people : mapping of name to float, optional
        Decision makers by their cost share c, whom the prior asks more or less.

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

    kind = "metric"
    panels = ("Implicit prior over c of the chosen score", "Losses of the chosen score for y = 1 and y = 0")

    def __init__(self, scores: Mapping[str, tuple[Any, Any]], p: sp.Symbol, points: int = 199,
                 people: Mapping[str, float] | None = None):
        scores = validation.named("scores", scores)
        if not scores:
            raise ValueError("the explorer needs at least one score")
        if validation.whole("points", points) < 9:
            raise ValueError(f"points must be at least 9, got {points}")
        self.grid = np.arange(1, points + 1) / (points + 1)
        self.people = {str(who): validation.inside(str(who), c, 0, 1) for who, c in (people or {}).items()}
        self.rows = [self._row(name, losses, p) for name, losses in scores.items()]

    def _row(self, name, losses, p):
        if not isinstance(losses, tuple) or len(losses) != 2:
            raise ValueError(f"{name}: give a pair, the loss if y = 1 and the loss if y = 0")
        losses = tuple(symbolic.read(f"a loss of {name}", loss) for loss in losses)
        if {symbol for loss in losses for symbol in loss.free_symbols} - {p}:
            raise ValueError(f"{name}: put numbers for the parameters")
        prior = symbolic.binary_prior(*losses, p)
        columns = [_values(expression, symbol, self.grid) for expression, symbol in
                   ((prior.density, prior.symbol), (losses[0], p), (losses[1], p))]
        atoms = [[float(place), float(mass)] for place, mass in prior.atoms.items()]
        words = ["density " + str(prior.density).replace("**", "^")] if prior.density != 0 else []
        words += [f"point mass {mass:g} at {place:g}" for place, mass in atoms]
        return {"name": name, "prior": columns[0], "one": columns[1], "zero": columns[2], "atoms": atoms,
                "words": " and ".join(words),
                "asked": [_values(prior.density, prior.symbol, np.array([c]))[0] or 0.0 for c in self.people.values()],
                "axes": [_axis(columns[0], TOP_PRIOR), _axis(columns[1] + columns[2], TOP_LOSS)]}

    def data(self):
        return {"grid": short(self.grid), "rows": self.rows, "people": list(self.people.items())}

    def controls(self):
        options = "".join(f'<option value="{k}">{escape(row["name"])}</option>' for k, row in enumerate(self.rows))
        return (f'<label>Score <select name="score">{options}</select></label>'
                + slider("Forecast <i>f</i>", "forecast", 101, 50))

    def picture(self, ax):
        row = self.rows[0]
        lines = {"implicit prior": row["prior"], "loss if y = 1": row["one"], "loss if y = 0": row["zero"]}
        top = max(high for _, high in row["axes"])
        drawn = {name: np.array([np.nan if v is None or v > top else v for v in values])
                 for name, values in lines.items()}
        plots.curves(self.grid, drawn, xlabel="c, or forecast f", ylabel=row["name"], ax=ax)


def _axis(values, top):
    """Ends of an axis from zero to `top`, further where the values are mostly beyond it."""
    shown = [value for value in values if value is not None] or [0.0]
    high = top if np.median(shown) <= top else max(shown)
    return [min(0.0, min(shown)), max(high if min(shown) >= 0 else min(high, max(shown)), 0.0)]


def _values(expression, symbol, grid):
    """Four significant digits of an expression on the grid."""
    function = sp.lambdify(symbol, expression, ["scipy", "numpy"])
    with np.errstate(all="ignore"):
        return short(np.broadcast_to(function(grid), grid.shape))
