"""Two forecasts at every decision parameter: who is cheaper where, and where is that undecided?

Implements equation (4) of the PWU paper before the average is taken, to be touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pwu_lite import _resampling, plots, validation
from pwu_lite.families import Family

from ._element import Explorer, is_place, slider

__all__ = ["MurphyExplorer"]


class MurphyExplorer(Explorer):
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
    >>> from pwu_lite import BinaryDecision
    >>> explorer = MurphyExplorer(BinaryDecision(), [1, 0], {"a": [0.6, 0.3], "b": [0.9, 0.7]},
    ...                           [0.2, 0.5, 0.8], label="c")
    >>> explorer.wins()
    'both cost the same at 0.2; undecided from 0.5 to 0.8.'
    """

    kind = "murphy"
    panels = ("Cost per case of both forecasts at every decision parameter", "Difference of the two costs")

    def __init__(self, family: Family, y_true: ArrayLike, models: Mapping[str, Any], thetas: Any, *, label: str,
                 start: int = 0, repeats: int = 500, seed: int = 0, coverage: float = 0.95):
        if not isinstance(family, Family) or len(family.parameters) > 1 or family.parameters[0].counts:
            raise ValueError(f"the explorer takes a family with one continuous parameter, got {family!r}")
        models = validation.named("models", models)
        if len(models) != 2:
            raise ValueError(f"the explorer compares two models, got {len(models)}")
        self.thetas = validation.vector("thetas", thetas)
        if self.thetas.size < 2 or (np.diff(self.thetas) <= 0).any():
            raise ValueError("thetas must be two or more, ascending")
        if not is_place(start, self.thetas):
            raise ValueError(f"start must be a place in thetas, counted from 0, got {start!r}")
        self.family, self.names, self.label, self.start = family, list(models), str(label), start
        reports = [given if isinstance(given, tuple) else (given,) for given in models.values()]
        self.costs = [-family.utility(self.thetas, y_true, *report) for report in reports]
        self.coverage = validation.inside("coverage", coverage, 0, 1)

        draws = _resampling.resampled_curves(family, self.thetas, y_true, reports, repeats=repeats, seed=seed)
        ends = [(1 - self.coverage) / 2, (1 + self.coverage) / 2]
        self.band = np.quantile(draws[:, 1] - draws[:, 0], ends, axis=0)

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
        return slider(escape(self.label), "at", self.thetas.size, self.start)

    def picture(self, ax):
        plots.curves(self.thetas, dict(zip(self.names, self.costs, strict=True)), xlabel=self.label,
                     ylabel="cost per case", ax=ax)


def _spans(thetas, where):
    """Runs of thetas at which a condition holds, in words."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], where.astype(int), [0]])))
    runs = [(thetas[start], thetas[end - 1]) for start, end in edges.reshape(-1, 2)]
    return " and ".join(f"at {low:.3g}" if low == high else f"from {low:.3g} to {high:.3g}" for low, high in runs)
