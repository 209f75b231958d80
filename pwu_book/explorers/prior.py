"""Move a prior: its quantiles in words, and how models rank.

Implements appendix I.3 of the PWU paper, to be touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from pwu_lite import elicitation, plots, validation
from pwu_lite.families import BinaryDecision
from pwu_lite.pwu import PWU
from pwu_lite.theory import robust
from pwu_lite.theory.robust.decide import ROUNDING

from ._element import Explorer, is_place, short, slider

__all__ = ["PriorExplorer"]



TOP_EXTRA = 20.0
SIZES = (1, 2, 5, 10, 20, 50, 100, 200)


class PriorExplorer(Explorer):
    """Move mode and concentration of a Beta prior: its quantiles in words, and how models rank.

    A switch widens "this prior" to "any prior with the same 5%, 50% and 95% points": then each model has an
    interval, and what is certain is which models somebody could call best.

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
    >>> explorer.maximal(0.1, 10)  # best for somebody who agrees with the prior's three points
    ['a', 'b']
    """

    kind = "prior"
    panels = ("Density of the prior, its 5%, 50% and 95% quantiles marked",
              "Each model's score above the best one's, against the mode of the prior")

    def __init__(self, y_true: ArrayLike, models: Mapping[str, Any], modes: Sequence[float],
                 sizes: Sequence[float] = SIZES, start: tuple[int, int] = (0, 0)):
        self.models = validation.named("models", models)
        if not 2 <= len(models) <= 6:
            raise ValueError(f"the explorer shows two to six models, got {len(models)}")
        self.modes, self.sizes = ([float(v) for v in validation.vector(*pair)]
                                  for pair in (("modes", modes), ("sizes", sizes)))
        if (np.diff(self.modes) <= 0).any() or len(self.modes) < 2:
            raise ValueError("modes must be two or more, ascending")
        self.y, self.start = y_true, start
        if np.shape(start) != (2,) or not all(is_place(*pair) for pair in zip(start, (modes, sizes), strict=True)):
            raise ValueError(f"start must be a place in modes and one in sizes, counted from 0, got {start!r}")
        self.table = [[self.losses(mode, size) for mode in self.modes] for size in self.sizes]
        self._curves = _Stacked([robust.cost_curve(BinaryDecision(), y_true, f) for f in self.models.values()])

    def losses(self, mode: float, size: float) -> dict[str, float]:
        """Each model's PWU under the prior with this mode and concentration.

        Parameters
        ----------
        mode : float
            Mode of the Beta prior, in (0, 1).
        size : float
            Concentration a + b - 2 of the Beta prior, positive.
        """
        score = PWU(BinaryDecision(), elicitation.beta_from_mode(mode, size))
        return {name: score(self.y, f) for name, f in self.models.items()}

    def ranking(self, mode: float, size: float) -> list[str]:
        """Names of the models in the order of their PWUs under the prior, the best one first.

        Parameters
        ----------
        mode : float
            Mode of the Beta prior, in (0, 1).
        size : float
            Concentration a + b - 2 of the Beta prior, positive.
        """
        return _by_loss(self.losses(mode, size))

    def intervals(self, mode: float, size: float) -> dict[str, tuple[float, float]]:
        """Each model's smallest and largest PWU over all priors with the same 5%, 50% and 95% points.

        Parameters
        ----------
        mode : float
            Mode of the Beta prior, in (0, 1).
        size : float
            Concentration a + b - 2 of the Beta prior, positive.
        """
        low, high = self._curves.bounds(elicitation.beta_from_mode(mode, size))
        return {name: (float(low[which]), float(high[which])) for which, name in enumerate(self.models)}

    def maximal(self, mode: float, size: float) -> list[str]:
        """Models that no other model certainly beats, over all priors with the same 5%, 50% and 95% points.

        Parameters
        ----------
        mode : float
            Mode of the Beta prior, in (0, 1).
        size : float
            Concentration a + b - 2 of the Beta prior, positive.
        """
        low, high = self._curves.bounds(elicitation.beta_from_mode(mode, size))
        beaten, rounding = set(), ROUNDING * self._curves.scale
        for place, (a, b) in enumerate(combinations(self.models, 2), start=len(self.models)):
            if high[place] <= rounding and low[place] < -rounding:
                beaten.add(b)
            elif low[place] >= -rounding and high[place] > rounding:
                beaten.add(a)
        return [name for name in self.models if name not in beaten]

    def breaks(self, size: float) -> list[tuple[float, str]]:
        """Modes of the prior at which a different model becomes the best one, each with that model's name.

        Looked for between neighbouring `modes` at which different models are best; a model that
        is best only somewhere between two modes is not found. Models that tie do not take turns.

        Parameters
        ----------
        size : float
            Concentration a + b - 2 of the Beta prior, positive.
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
            "quantiles": [[short(prior.ppf([0.05, 0.5, 0.95])) for prior in row] for row in grid],
            "words": [[[BinaryDecision().words(float(q)) for q in prior.ppf([0.05, 0.5, 0.95])] for prior in row]
                      for row in grid],
            "order": [[[list(self.models).index(name) for name in _by_loss(losses)] for losses in row]
                      for row in self.table],
            "losses": [[[float(f"{loss:.6g}") for loss in losses.values()] for losses in row] for row in self.table],
            "breaks": [self.breaks(size) for size in self.sizes],
            "intervals": [[[[float(f"{end:.4g}") for end in ends] for ends in self.intervals(mode, size).values()]
                           for mode in self.modes] for size in self.sizes],
            "maximal": [[[list(self.models).index(name) for name in self.maximal(mode, size)] for mode in self.modes]
                        for size in self.sizes],
        }

    def controls(self):
        return (slider("Mode, the most likely <i>c</i>", "mode", len(self.modes), self.start[0])
                + slider("Concentration", "concentration", len(self.sizes), self.start[1])
                + '<label><input type="checkbox" name="any"> any prior that has these three points</label>')

    def picture(self, ax):
        row, size = self.table[self.start[1]], self.sizes[self.start[1]]
        least = np.array([min(losses.values()) or np.nan for losses in row])  # no share of a loss of zero
        extra = {name: 100 * (np.array([losses[name] for losses in row]) / least - 1) for name in self.models}
        plots.curves(self.modes, extra, xlabel=f"mode of the prior (concentration {size:g})",
                     ylabel="% above the best model", ax=ax)


class _Stacked:
    """Cost curves and the differences of all pairs on common pieces: bounds over priors with three quantiles, fast."""

    def __init__(self, curves):
        self.edges = np.unique(np.concatenate([curve.edges for curve in curves]))
        cut = [curve.on(self.edges) for curve in curves]
        cut += [one - two for one, two in combinations(cut, 2)]
        self.left, self.right = (np.array([getattr(curve, end) for curve in cut]) for end in ("left", "right"))
        self.scale = max(curve.scale for curve in curves)

    def bounds(self, prior):
        """Smallest and largest mean of each row over all priors with the same 5%, 50% and 95% points."""
        ends = np.concatenate([self.edges[:1], prior.ppf([0.05, 0.5, 0.95]), self.edges[-1:]])
        cells = [self._between(low, high) for low, high in pairwise(ends)]
        weights = (0.05, 0.45, 0.45, 0.05)
        return tuple(sum(weight * cell[which] for weight, cell in zip(weights, cells, strict=True)) for which in (0, 1))

    def _between(self, low, high):
        """Infimum and supremum of each row on a cell, limits counted."""
        first, last = np.searchsorted(self.edges, low, "right") - 1, np.searchsorted(self.edges, high, "left") - 1
        values = np.column_stack([self._at(first, low), self.right[:, first:last], self.left[:, first + 1:last + 1],
                                  self._at(last, high)])
        return values.min(axis=1), values.max(axis=1)

    def _at(self, piece, theta):
        share = (theta - self.edges[piece]) / (self.edges[piece + 1] - self.edges[piece])
        return self.left[:, piece] + share * (self.right[:, piece] - self.left[:, piece])


def _by_loss(losses):
    """Names, the smallest loss first; losses equal to twelve digits stay in the order given."""
    return sorted(losses, key=lambda name: float(f"{losses[name]:.12g}"))


def _best(losses, before=None):
    """The name with the smallest loss; the one that led before, if it ties."""
    best = _by_loss(losses)[0]
    return before if before is not None and losses[before] <= losses[best] * (1 + 1e-12) else best
