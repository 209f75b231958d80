"""A hill of beliefs under two cost curves: drag it, and see whose cost it makes.

Implements equation (4) of the PWU paper, to be touched: what the landing page shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pwu_lite import plots, validation
from pwu_lite.families import BinaryDecision
from pwu_lite.priors import Beta
from pwu_lite.pwu import PWU

from ._element import Explorer, short, slider

__all__ = ["HillExplorer"]

WIDTHS = {"hardly": 0.15, "a little": 0.3, "somewhat": 0.45, "much": 0.7, "very": 1.0}  # spread of the log-odds of c
MIDDLE = list(WIDTHS).index("somewhat")


class HillExplorer(Explorer):
    """Two forecasts' cost curves, and under them a prior on c that can be dragged along.

    The prior with its middle at m and width s is ``Beta(a, b)`` with ``a = 1 / (s**2 (1 - m))`` and
    ``b = 1 / (s**2 m)``: on the scale of log-odds its peak is m. Costs are counted in false alarms: the curves in
    those of each decision maker, ``cost / c``, and the PWU under the hill in those of the one at its peak,
    ``PWU / m``. So a bill falls when a miss gets cheaper. The two forecasts differ if the normal 95% interval of the
    mean paired difference of the cases excludes zero.

    Parameters
    ----------
    y_true : array_like, shape (n,)
    models : mapping of name to y_prob
        Two.
    low, high : float
        Ends of the axis, 0 < low < high < 1.
    per : int
        Number of decisions that a bill is for.
    start : float
        Where the hill stands first, in false alarms that a miss costs.
    ratios : sequence of float
        Places to jump to, in false alarms that a miss costs.
    case, miss, alarm : str
        What a decision is about (plural), and what its two mistakes are called.

    Raises
    ------
    ValueError
        Not two models, or ends outside (0, 1).

    Examples
    --------
    >>> explorer = HillExplorer([1, 0, 0, 1], {"a": [0.6, 0.3, 0.1, 0.9], "b": [0.9, 0.7, 0.2, 0.8]})
    >>> explorer.verdict(len(explorer.places) // 2, 2)
    'undecided'
    """

    kind = "hill"
    panels = ("Cost of both forecasts at every cost share, and under them the hill of your beliefs",)

    def __init__(self, y_true: ArrayLike, models: Mapping[str, Any], *, low: float = 0.004, high: float = 0.5,
                 per: int = 1000, start: float = 24.0, ratios: Any = (49.0, 24.0, 9.0),
                 case: str = "decisions", miss: str = "a miss", alarm: str = "false alarms"):
        models = validation.named("models", models)
        if len(models) != 2:
            raise ValueError(f"the explorer compares two models, got {len(models)}")
        low, high = validation.inside("low", low, 0, 1), validation.inside("high", high, 0, 1)
        if low >= high:
            raise ValueError(f"low must be below high, got {low!r} and {high!r}")
        self.names, self.per = list(models), int(per)
        self.case, self.miss, self.alarm = str(case), str(miss), str(alarm)
        self.grid = np.geomspace(low, high, 161)
        self.ratios = [float(ratio) for ratio in ratios]
        jumps = [1 / (1 + ratio) for ratio in (*self.ratios, start)]
        self.places = np.unique([*np.geomspace(low * 1.25, high / 1.25, 61), *(c for c in jumps if low < c < high)])
        self.start = int(np.abs(np.log(self.places * (1 + start))).argmin())
        family = BinaryDecision()
        self.curves, self.exact = ([-self.per * family.utility(at, y_true, f) / at for f in models.values()]
                                   for at in (self.grid, self.places))
        self.costs = np.empty((len(WIDTHS), self.places.size, 2))
        self.half = np.empty(self.costs.shape[:2])
        for i, width in enumerate(WIDTHS.values()):
            for j, middle in enumerate(self.places):
                score = PWU(family, self.prior(middle, width))
                first, second = (self.per / middle * score.per_sample(y_true, f) for f in models.values())
                self.costs[i, j] = first.mean(), second.mean()
                self.half[i, j] = 1.96 * np.std(first - second) / first.size**0.5

    @staticmethod
    def prior(middle: float, width: float) -> Beta:
        """The hill with its peak at `middle` on the scale of log-odds.

        Parameters
        ----------
        middle : float
            Cost share at the peak of the hill, in (0, 1).
        width : float
            Spread of the log-odds of the cost share, positive.
        """
        return Beta(1 / (width**2 * (1 - middle)), 1 / (width**2 * middle))

    def verdict(self, place: int, width: int) -> str:
        """Name of the model that is cheaper under the hill at one place, or "undecided".

        Parameters
        ----------
        place : int
            Index of the hill's middle in ``places``, from 0.
        width : int
            Index of the hill's width, from 0 (narrowest) to 4.
        """
        gap = self.costs[width, place, 1] - self.costs[width, place, 0]
        if abs(gap) <= self.half[width, place]:
            return "undecided"
        return self.names[0] if gap > 0 else self.names[1]

    def data(self):
        together = (f"The bill counts {self.alarm} of the decision maker at the peak of the hill. ± is half of a 95% "
                    f"interval for new {self.case} of the same kind.")
        return {"names": self.names, "grid": short(self.grid), "curves": [short(curve) for curve in self.curves],
                "places": short(self.places), "widths": list(WIDTHS.values()), "unsure": list(WIDTHS),
                "costs": self.costs.round(2).tolist(), "half": self.half.round(2).tolist(),
                "exact": np.round(self.exact, 1).T.tolist(), "ratios": self.ratios,
                "per": f"{self.per:,} {self.case}",
                "miss": self.miss, "alarm": self.alarm,
                "note": together,
                "verdicts": [[self.verdict(j, i) for j in range(self.places.size)] for i in range(len(WIDTHS))]}

    def controls(self):
        buttons = "".join(f'<button type="button" data-ratio="{ratio:g}">{ratio:g} {escape(self.alarm)}</button>'
                          for ratio in self.ratios)
        return (slider("where your costs lie", "costs", self.places.size, self.start)
                + slider("how unsure you are", "unsure", len(WIDTHS), MIDDLE)
                + f'<div class="jumps"><span>{escape(self.miss)} costs</span>{buttons}</div>')

    def picture(self, ax):
        plots.curves(self.grid, dict(zip(self.names, self.curves, strict=True)), xlabel=plots.COST_SHARE,
                     ylabel=f"{self.alarm} per {self.per:,} {self.case}", ax=ax)
        middle = float(self.places[self.start])
        hill = self.prior(middle, WIDTHS["somewhat"])
        shape = np.exp(hill.a * np.log(self.grid / middle) + hill.b * np.log((1 - self.grid) / (1 - middle)))
        ax.fill_between(self.grid, 0.3 * shape * ax.get_ylim()[1], color=plots.MUTED, alpha=0.25, lw=0)
        ax.set_xscale("log")
        ax.set_xticks(ticks := [t for t in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
                                if self.grid[0] <= t <= self.grid[-1]], [f"{t:g}" for t in ticks])
        ax.minorticks_off()
        ax.set_ylim(0)
