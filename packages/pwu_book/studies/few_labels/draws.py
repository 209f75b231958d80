"""One training draw: labels and forecasts, and losses at labels that may be any number.

Implements no part of a source; it asks what section 5.1 of the PWU paper leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, logit

from pwu_lite.families import BinaryDecision, SelectivePrediction, TopK
from pwu_lite.priors import Beta, Uniform
from pwu_lite.pwu import PWU

from ...runs import grid
from ...runs.tasks import BINARY, REGRESSION
from .sources import COPIES, KNOWING, POOL, SOURCES, load, makers, split

__all__ = ["COST_PRIORS", "SHARE_PRIORS", "Draw", "exact", "read_draw"]

COST_PRIORS: dict[str, Any] = {
    "PWU": Beta(2, 10), "PWU, broad prior": Beta(1, 5),
    "clipped Brier": Uniform(float(Beta(2, 10).ppf(0.05)), float(Beta(2, 10).ppf(0.95)))}
SHARE_PRIORS = {"PWU": Beta(1.2, 20.8), "PWU, broad prior": Beta(1, 5)}


@dataclass
class Draw:
    """One training draw of a source: labels and forecasts on the pool and on the paying cases.

    ``forecasts`` maps a model to the columns of its forecast, pool first; ``scale`` is the variance of the
    training targets (one for probabilities).
    """

    y: np.ndarray
    forecasts: dict[str, tuple[np.ndarray, ...]]
    scale: float

    def __post_init__(self) -> None:
        self._tables: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def matrix(self, place: int = 0) -> np.ndarray:
        """One column of all forecasts, shape (cases, models).

        Parameters
        ----------
        place : int
            Column of the forecast: 0 for probabilities or means (default), 1 for standard deviations.
        """
        return np.column_stack([parts[place] for parts in self.forecasts.values()])

    def losses(self, name: str, rows: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Losses of some cases at labels in [0, 1], in which they are linear, shape (n, models).

        Parameters
        ----------
        name : {"log loss", "Brier", "clipped Brier", "PWU", "PWU, broad prior"}
            Name of the score.
        rows : ndarray, shape (n,)
            Numbers of the cases.
        y : ndarray, shape (n,)
            Labels, which may be any number in [0, 1].
        """
        if name not in self._tables:
            F = self.matrix()
            self._tables[name] = tuple(_of_label(name, label, F) for label in (0, 1))
        zero, one = (table[rows] for table in self._tables[name])
        return zero + y[:, None] * (one - zero)

    def expected(self, name: str, rows: np.ndarray, mean: np.ndarray, std: Any) -> np.ndarray:
        """Expected losses of some cases if targets have this mean and standard deviation, shape (n, models).

        Parameters
        ----------
        name : {"NLL", "MSE", "PWU", "PWU, broad prior"}
            Name of the score.
        rows : ndarray, shape (n,)
            Numbers of the cases.
        mean : ndarray, shape (n,)
            Means of the targets.
        std : float or ndarray, shape (n,)
            Standard deviations of the targets; 0 for known targets.
        """
        if name not in self._tables:
            m, s = self.matrix(0), self.matrix(1)
            self._tables[name] = _of_square(name, m, s, self.scale)
        fixed, slope = (table[rows] for table in self._tables[name])
        variance = np.broadcast_to(np.square(std), mean.shape)
        return fixed + slope * (variance[:, None] + (mean[:, None] - self.matrix(0)[rows]) ** 2)


def _of_label(name, label, F):
    """Loss of each case and model if all labels are this one."""
    hit = F if label else 1 - F
    if name == "log loss":
        return -np.log(np.clip(hit, np.finfo(float).eps, 1))
    if name == "Brier":
        return (1 - hit) ** 2
    score = PWU(BinaryDecision(), COST_PRIORS[name])
    return np.column_stack([score.per_sample(np.full(len(f), label), f) for f in F.T])


def _of_square(name, mean, std, scale):
    """Loss without an error, and what a squared error of one adds, of each case and model."""
    if name == "NLL":
        return np.log(std), 1 / (2 * std**2)
    if name == "MSE":
        return np.zeros_like(std), np.ones_like(std)
    score = exact("selective", scale, broad=name != "PWU")
    pairs = list(zip(mean.T, std.T, strict=True))
    fixed = np.column_stack([score.per_sample(m, m, s) for m, s in pairs])
    return fixed, (np.column_stack([score.per_sample(m + s, m, s) for m, s in pairs]) - fixed) / std**2


def read_draw(source: str, repeat: int, folder: Path | str, arm: str = "as trained") -> Draw:
    """Read what the models of an arm said in one training draw.

    Parameters
    ----------
    source : str
        Key of `SOURCES`.
    repeat : int
        Number of the training draw, from 0.
    folder : path or str
        Folder of the stored predictions.
    arm : {"as trained", "private", "copies"}
        Default "as trained".

    Raises
    ------
    FileNotFoundError
        A cell has not been run.
    """
    name, task = SOURCES[source], {"binary": BINARY, "regression": REGRESSION}[SOURCES[source]]
    forecasts = {}
    for model in makers(name):
        where = source if arm != "private" or model == KNOWING else f"{source}, half"
        said = grid.predictions(grid.Cell(where, model, repeat, 0), folder, task)
        forecasts[model] = said.forecast
    scale = 1.0
    if name == "regression":
        data = load(source)
        scale = float(np.var(data.y[split(data, grid.Cell(source, "", repeat, 0))[0]]))
    draw = Draw(said.y, forecasts, scale)
    return _with_copies(draw, repeat) if arm == "copies" else draw


def _with_copies(draw, repeat):
    """Eight copies of the model that is worst on the paying cases, each with a small jitter of its own."""
    rng, paid = np.random.default_rng(repeat), slice(POOL, None)
    family = "binary" if len(next(iter(draw.forecasts.values()))) == 1 else "selective"
    cost = {name: exact(family, draw.scale)(draw.y[paid], *(part[paid] for part in parts))
            for name, parts in draw.forecasts.items()}
    worst = draw.forecasts[max(cost, key=lambda name: cost[name])]
    copies = {}
    for number in range(COPIES):
        noise = 0.01 * rng.normal(size=len(draw.y))
        copies[f"copy {number + 1}"] = ((expit(logit(np.clip(worst[0], 1e-9, 1 - 1e-9)) + noise),)
                                        if len(worst) == 1 else (worst[0] + noise * worst[1], worst[1]))
    return Draw(draw.y, {**draw.forecasts, **copies}, draw.scale)


def exact(family: str, scale: float, broad: bool = False) -> PWU:
    """PWU of a decision family, in the unit of the targets.

    Parameters
    ----------
    family : {"binary", "top_k", "selective"}
        Name of the decision family.
    scale : float
        Variance of the training targets, positive; "selective" alone uses it.
    broad : bool
        Take the broad prior; default False.
    """
    name = "PWU, broad prior" if broad else "PWU"
    if family == "selective":
        prior = COST_PRIORS[name]
        return PWU(SelectivePrediction(), Beta(prior.a, prior.b, scale=scale))
    return PWU(TopK(), SHARE_PRIORS[name]) if family == "top_k" else PWU(BinaryDecision(), COST_PRIORS[name])
