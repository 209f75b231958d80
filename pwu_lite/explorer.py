"""Explorers that need no kernel: page elements with their own data and one small script.

May import reporting, plots and what is below them, matplotlib, numpy, sympy.
Implements the book's explorers of chapters 5, 12 and 14 (PWU paper, equations (3) and (4), appendix I).
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import optimize, special

from . import elicitation, plots, reporting, symbolic, validation
from .families import BinaryDecision, Family
from .pwu import PWU

__all__ = ["MetricExplorer", "MurphyExplorer", "PriorExplorer"]

TOP_PRIOR, TOP_LOSS, TOP_EXTRA = 8.0, 4.0, 20.0
SIZES = (1, 2, 5, 10, 20, 50, 100, 200)
FOLDER = Path(__file__).parent


class _Explorer:
    """An element of a page: controls, two panels, words; a picture where scripts do not run."""

    kind: str
    panels: tuple[str, str]  # what the two drawings show, for who does not see them

    def data(self) -> dict[str, Any]:
        """Everything that the script shows."""
        raise NotImplementedError

    def controls(self) -> str:
        """Inputs, each inside its label."""
        raise NotImplementedError

    def picture(self, ax: Axes) -> None:
        """Draw the first view."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        data = json.dumps(self.data(), allow_nan=False).replace("<", "\\u003c")
        page = data + self.controls()
        name = f"{self.kind}-explorer-" + hashlib.sha256(page.encode()).hexdigest()[:8]  # two on one page do not clash
        drawings = "".join(f'<svg viewBox="0 0 330 240" role="img" aria-label="{escape(words)}"></svg>'
                           for words in self.panels)
        parts = {"@KIND@": self.kind, "@ID@": name, "@DATA@": data, "@PANELS@": drawings,
                 "@CONTROLS@": self.controls(), "@PICTURE@": _png(self.picture),
                 "@ALT@": escape(". ".join(self.panels)), "@STYLE@": (FOLDER / "explorer.css").read_text(),
                 "@SCRIPT@": (FOLDER / "explorer.js").read_text().replace("@ID@", name)}
        return re.sub("@[A-Z]+@", lambda found: parts[found.group()], _PAGE)


class MetricExplorer(_Explorer):
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

    kind = "metric"
    panels = ("Implicit prior over c of the chosen score", "Losses of the chosen score for y = 1 and y = 0")

    def __init__(self, scores: Mapping[str, tuple[Any, Any]], p: sp.Symbol, points: int = 199):
        scores = validation.named("scores", scores)
        if not scores:
            raise ValueError("the explorer needs at least one score")
        if validation.whole("points", points) < 9:
            raise ValueError(f"points must be at least 9, got {points}")
        self.grid = np.arange(1, points + 1) / (points + 1)
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
                "axes": [_axis(columns[0], TOP_PRIOR), _axis(columns[1] + columns[2], TOP_LOSS)]}

    def data(self):
        return {"grid": _short(self.grid), "rows": self.rows}

    def controls(self):
        options = "".join(f'<option value="{k}">{escape(row["name"])}</option>' for k, row in enumerate(self.rows))
        return f"<label>Score <select>{options}</select></label>" + _slider("Forecast <i>f</i>", 101, 50)

    def picture(self, ax):
        row = self.rows[0]
        lines = {"implicit prior": row["prior"], "loss if y = 1": row["one"], "loss if y = 0": row["zero"]}
        top = max(high for _, high in row["axes"])
        drawn = {name: np.array([np.nan if v is None or v > top else v for v in values])
                 for name, values in lines.items()}
        plots.curves(self.grid, drawn, xlabel="c, or forecast f", ylabel=row["name"], ax=ax)


class PriorExplorer(_Explorer):
    """Move mode and concentration of a Beta prior: its quantiles in words, and how models rank.

    Parameters
    ----------
    y_true : array_like, shape (n,)
    models : mapping of name to array_like of shape (n,)
        Up to six models' probabilities.
    modes : sequence of float
        Modes to choose from, ascending, in (0, 1).
    sizes : sequence of float
        Concentrations a + b - 2 to choose from.
    start : (int, int)
        Places in `modes` and `sizes` at which the explorer opens.

    Raises
    ------
    ValueError
        Fewer than two models or more than six, or modes that do not ascend.

    Examples
    --------
    >>> explorer = PriorExplorer([1, 0], {"a": [0.6, 0.3], "b": [0.9, 0.5]}, modes=[0.1, 0.4, 0.7], sizes=[5, 10])
    >>> explorer.ranking(0.1, 10)
    ['a', 'b']
    >>> explorer.breaks(10)  # from which mode on is which model best?
    [(0.5757, 'b')]
    """

    kind = "prior"
    panels = ("Density of the prior, its 5%, 50% and 95% quantiles marked",
              "Each model's score above the best one's, against the mode of the prior")

    def __init__(self, y_true: Any, models: Mapping[str, Any], modes: Sequence[float], sizes: Sequence[float] = SIZES,
                 start: tuple[int, int] = (0, 0)):
        self.models = validation.named("models", models)
        if not 2 <= len(models) <= 6:
            raise ValueError(f"the explorer shows two to six models, got {len(models)}")
        self.modes, self.sizes = ([float(v) for v in validation.vector(*pair)]
                                  for pair in (("modes", modes), ("sizes", sizes)))
        if (np.diff(self.modes) <= 0).any() or len(self.modes) < 2:
            raise ValueError("modes must be two or more, ascending")
        self.y, self.start = y_true, start
        if np.shape(start) != (2,) or not all(_is_place(*pair) for pair in zip(start, (modes, sizes), strict=True)):
            raise ValueError(f"start must be a place in modes and one in sizes, counted from 0, got {start!r}")
        self.table = [[self.losses(mode, size) for mode in self.modes] for size in self.sizes]

    def losses(self, mode: float, size: float) -> dict[str, float]:
        """Each model's PWU under the prior with this mode and concentration."""
        score = PWU(BinaryDecision(), elicitation.beta_from_mode(mode, size))
        return {name: score(self.y, f) for name, f in self.models.items()}

    def ranking(self, mode: float, size: float) -> list[str]:
        """The models, the best one first."""
        return _by_loss(self.losses(mode, size))

    def breaks(self, size: float) -> list[tuple[float, str]]:
        """Modes from which on another model is the best one, at this concentration.

        Looked for between neighbouring `modes` at which different models are best; a model that
        is best only somewhere between two modes is not found. Models that tie do not take turns.
        """
        found, lead = [], None
        for low, high in pairwise(self.modes):
            lead = lead or _best(self.losses(low, size))
            after = _best(self.losses(high, size), lead)
            found += self._changes(size, low, high, lead, after)
            lead = after
        return [(float(f"{at:.4g}"), name) for at, name in found]

    def _changes(self, size, low, high, one, other, depth=8):
        """Where the lead passes from one model to another between two modes, by way of a third if need be."""
        if one == other:
            return []
        at = optimize.brentq(lambda m: self.losses(m, size)[other] - self.losses(m, size)[one], low, high)
        third = _best(self.losses(at, size), other)
        if depth == 0 or third in (one, other):
            return [(at, other)]
        return (self._changes(size, low, at, one, third, depth - 1)
                + self._changes(size, at, high, third, other, depth - 1))

    def data(self):
        grid = [[elicitation.beta_from_mode(mode, size) for mode in self.modes] for size in self.sizes]
        return {
            "modes": self.modes, "sizes": self.sizes, "models": list(self.models), "top": TOP_EXTRA,
            "label": plots.COST_SHARE,
            "norm": [[round(float(special.betaln(prior.a, prior.b)), 6) for prior in row] for row in grid],
            "quantiles": [[_short(prior.ppf([0.05, 0.5, 0.95])) for prior in row] for row in grid],
            "words": [[[BinaryDecision().words(float(q)) for q in prior.ppf([0.05, 0.5, 0.95])] for prior in row]
                      for row in grid],
            "order": [[[list(self.models).index(name) for name in _by_loss(losses)] for losses in row]
                      for row in self.table],
            "losses": [[[float(f"{loss:.6g}") for loss in losses.values()] for losses in row] for row in self.table],
            "breaks": [self.breaks(size) for size in self.sizes],
        }

    def controls(self):
        return (_slider("Mode, the most likely <i>c</i>", len(self.modes), self.start[0])
                + _slider("Concentration", len(self.sizes), self.start[1]))

    def picture(self, ax):
        row, size = self.table[self.start[1]], self.sizes[self.start[1]]
        least = np.array([min(losses.values()) or np.nan for losses in row])  # no share of a loss of zero
        extra = {name: 100 * (np.array([losses[name] for losses in row]) / least - 1) for name in self.models}
        plots.curves(self.modes, extra, xlabel=f"mode of the prior (concentration {size:g})",
                     ylabel="% above the best model", ax=ax)


class MurphyExplorer(_Explorer):
    """Two forecasts' cost at every decision parameter: who is cheaper where, and where is that undecided?

    Around the difference of the costs lies a band of paired resamples of the cases; where it
    contains zero nobody is called cheaper.

    Parameters
    ----------
    family : Family
        With one continuous parameter.
    y_true : array_like, shape (n,)
    models : mapping of name to prediction
        Two: ``y_prob``, or tuples ``(mean, std)``.
    thetas : array_like, shape (m,)
        Ascending.
    label : str
        Of the horizontal axis.
    start : int
        Place in `thetas` at which the explorer opens.
    repeats, seed : int
        Resamples of the cases, both models on the same ones, and their seed.
    coverage : float
        Share of the resamples inside the band, at each parameter by itself.

    Raises
    ------
    ValueError
        Not two models, or thetas that do not ascend.

    Examples
    --------
    >>> explorer = MurphyExplorer(BinaryDecision(), [1, 0], {"a": [0.6, 0.3], "b": [0.9, 0.7]},
    ...                           [0.2, 0.5, 0.8], label="c")
    >>> explorer.wins()
    'both cost the same at 0.2; undecided from 0.5 to 0.8.'
    """

    kind = "murphy"
    panels = ("Cost per case of both forecasts at every decision parameter", "Difference of the two costs")

    def __init__(self, family: Family, y_true: Any, models: Mapping[str, Any], thetas: Any, *, label: str,
                 start: int = 0, repeats: int = 500, seed: int = 0, coverage: float = 0.95):
        if not isinstance(family, Family) or family.theta_ndim or family.names[0] == "k/n":
            raise ValueError(f"the explorer takes a family with one continuous parameter, got {family!r}")
        models = validation.named("models", models)
        if len(models) != 2:
            raise ValueError(f"the explorer compares two models, got {len(models)}")
        self.thetas = validation.vector("thetas", thetas)
        if self.thetas.size < 2 or (np.diff(self.thetas) <= 0).any():
            raise ValueError("thetas must be two or more, ascending")
        if not _is_place(start, self.thetas):
            raise ValueError(f"start must be a place in thetas, counted from 0, got {start!r}")
        self.family, self.names, self.label, self.start = family, list(models), str(label), start
        reports = [given if isinstance(given, tuple) else (given,) for given in models.values()]
        self.costs = [-family.utility(self.thetas, y_true, *report) for report in reports]
        self.coverage = validation.inside("coverage", coverage, 0, 1)

        def gap(chosen):
            counts = np.bincount(chosen, minlength=len(y_true))
            first, second = (family.utility(self.thetas, y_true, *report, sample_weight=counts) for report in reports)
            return first - second

        draws = reporting.paired_bootstrap(gap, len(y_true), repeats=repeats, seed=seed)
        self.band = np.quantile(draws, [(1 - self.coverage) / 2, (1 + self.coverage) / 2], axis=0)

    def verdicts(self) -> list[str]:
        """At each parameter: who is cheaper, "same", or "undecided" where the band contains zero."""
        gap, (low, high) = self.costs[1] - self.costs[0], self.band
        tiny = 1e-12 * np.maximum(*np.abs(self.costs))
        sides = np.where(low > tiny, self.names[0], np.where(high < -tiny, self.names[1], "undecided"))
        same = (np.abs(gap) <= tiny) & (high - low <= tiny)
        return np.where(same, "same", sides).tolist()

    def wins(self) -> str:
        """In words, where each of the two is cheaper."""
        verdicts = np.array(self.verdicts())
        words = {self.names[0]: f"{self.names[0]} is cheaper", self.names[1]: f"{self.names[1]} is cheaper",
                 "same": "both cost the same", "undecided": "undecided"}
        spans = [(text, _spans(self.thetas, verdicts == verdict)) for verdict, text in words.items()]
        return "; ".join(f"{text} {where}" for text, where in spans if where) + "."

    def data(self):
        return {"thetas": [float(f"{theta:.10g}") for theta in self.thetas], "names": self.names, "label": self.label,
                "words": [self.family.words(float(theta)) for theta in self.thetas],
                "costs": [[float(f"{v:.6g}") for v in cost] for cost in self.costs],
                "band": [[float(f"{v:.6g}") for v in side] for side in self.band], "verdicts": self.verdicts(),
                "coverage": f"{100 * self.coverage:.3g}%", "note": self.wins()}

    def controls(self):
        return _slider(escape(self.label), self.thetas.size, self.start)

    def picture(self, ax):
        plots.curves(self.thetas, dict(zip(self.names, self.costs, strict=True)), xlabel=self.label,
                     ylabel="cost per case", ax=ax)


def _spans(thetas, where):
    """Runs of thetas at which a condition holds, in words."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], where.astype(int), [0]])))
    runs = [(thetas[start], thetas[end - 1]) for start, end in edges.reshape(-1, 2)]
    return " and ".join(f"at {low:.3g}" if low == high else f"from {low:.3g} to {high:.3g}" for low, high in runs)


def _is_place(place, values):
    return isinstance(place, (int, np.integer)) and 0 <= place < len(values)


def _by_loss(losses):
    """Names, the smallest loss first; losses equal to twelve digits stay in the order given."""
    return sorted(losses, key=lambda name: float(f"{losses[name]:.12g}"))


def _best(losses, before=None):
    """The name with the smallest loss; the one that led before, if it ties."""
    best = _by_loss(losses)[0]
    return before if before is not None and losses[before] <= losses[best] * (1 + 1e-12) else best


def _axis(values, top):
    """Ends of an axis from zero to `top`, further where the values are mostly beyond it."""
    shown = [value for value in values if value is not None] or [0.0]
    high = top if np.median(shown) <= top else max(shown)
    return [min(0.0, min(shown)), max(high if min(shown) >= 0 else min(high, max(shown)), 0.0)]


def _slider(words, places, start):
    return (f'<label>{words} <input type="range" min="0" max="{places - 1}" step="1" value="{start}">'
            f"<output></output></label>")


def _png(draw):
    """A drawing as a data address, made without pyplot: a notebook does not show it a second time."""
    plots.use_style()
    figure, buffer = Figure(figsize=(6.4, 3.6), layout="constrained"), io.BytesIO()
    draw(figure.subplots())
    figure.savefig(buffer, format="png", dpi=80, metadata={"Software": None})
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def _values(expression, symbol, grid):
    """Four significant digits of an expression on the grid."""
    function = sp.lambdify(symbol, expression, ["scipy", "numpy"])
    with np.errstate(all="ignore"):
        return _short(np.broadcast_to(function(grid), grid.shape))


def _short(values):
    """Four significant digits; None for what is not finite."""
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values]


_PAGE = """<div class="explorer @KIND@-explorer" id="@ID@" data-kind="@KIND@">
<style>
@STYLE@</style>
<img src="@PICTURE@" alt="@ALT@">
<div class="controls" hidden>@CONTROLS@</div>
<div class="panels" hidden>@PANELS@</div>
<ol hidden></ol>
<p role="status" hidden></p>
<p class="note"></p>
<script type="application/json">@DATA@</script>
<script>
@SCRIPT@</script>
</div>"""
