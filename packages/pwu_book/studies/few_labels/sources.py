"""Where cases come from, how they are divided, and which models are fitted to them: what a prediction depends on.

Implements no part of a source; it asks what section 5.1 of the PWU paper leaves open.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...runs import datasets, grid, models
from .. import credit

__all__ = ["ARMS", "BINARY_SOURCES", "COPIES", "KNOWING", "LABELS", "LABEL_DRAWS", "PAID", "POOL", "REGRESSION_SOURCES",
           "SOURCES", "TRAIN", "TRAINING_DRAWS", "half", "load", "makers", "split"]

TRAIN, POOL, PAID, TRAINING_DRAWS, LABEL_DRAWS = 500, 3000, 4000, 20, 10
LABELS = (30, 100, 300, 1000, 3000)
ARMS = ("as trained", "private", "copies")
KNOWING = "boosting"  # the model with private information
COPIES = 8


class _Data(NamedTuple):
    X: pd.DataFrame
    y: np.ndarray
    task: str


def _plain(X, y, task):
    return _Data(X.reset_index(drop=True), np.asarray(y), task)


def _credit(name):
    data = credit.load(name)
    return _plain(data.X, data.y, "binary")


def _of(name, label: Callable[[np.ndarray], np.ndarray] | None = None, task="binary"):
    """A data set of the book, perhaps with another target made of its own."""
    def load():
        data = datasets.load(name)
        return _plain(data.X, data.y if label is None else label(data.y), task)
    return load


def _friedman():
    """Friedman's first function of ten columns with noise that grows with one of them; 9,000 cases."""
    rng = np.random.default_rng(7)
    X = rng.random((9000, 10))
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return _plain(pd.DataFrame(X).add_prefix("x"), mean + rng.normal(size=9000) * (0.5 + 4 * X[:, 5]), "regression")


BINARY_SOURCES: dict[str, Callable[[], Any]] = {
    "bank": _of("bank"), "credit, Kaggle": lambda: _credit("kaggle"), "credit, PAKDD": lambda: _credit("pakdd"),
    "mushroom": _of("mushroom"), "good wine": _of("wine_quality", lambda y: (y >= 7).astype(float)),
    "digit eight": _of("pen_digits", lambda y: (y == 8).astype(float)),
    "simulated credit": lambda: _credit("simulated")}
REGRESSION_SOURCES: dict[str, Callable[[], Any]] = {
    "air quality": _of("air_quality", task="regression"), "power plant": _of("power_plant", task="regression"),
    "wine": _of("wine_quality", task="regression"), "parkinsons": _of("parkinsons", lambda y: y[:, 0], "regression"),
    "simulated": _friedman}
SOURCES = {**{name: "binary" for name in BINARY_SOURCES}, **{name: "regression" for name in REGRESSION_SOURCES}}


@functools.lru_cache(maxsize=1)
def load(source: str) -> Any:
    """Features and targets of a source.

    Parameters
    ----------
    source : str
        Key of `SOURCES`.

    Raises
    ------
    FileNotFoundError
        Its files are not there.
    """
    return {**BINARY_SOURCES, **REGRESSION_SOURCES}[source]()


def half(data: Any) -> Any:
    """The same cases with a random half of the columns.

    Parameters
    ----------
    data : named tuple
        From `load`.
    """
    chosen = np.sort(np.random.default_rng(0).permutation(data.X.shape[1])[: (data.X.shape[1] + 1) // 2])
    return data._replace(X=data.X.iloc[:, chosen])


def split(data: Any, cell: grid.Cell) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the training cases, and those of the pool followed by the paying cases, for one training draw.

    Parameters
    ----------
    data : named tuple
        From `load`.
    cell : Cell
        Its repeat is the number of the training draw.
    """
    order = np.random.default_rng(cell.repeat).permutation(len(data.y))
    return order[:TRAIN], order[TRAIN:TRAIN + POOL + PAID]


def makers(task: str) -> dict[str, Any]:
    """The ten models of the benchmarks by name, each a function of a seed.

    Parameters
    ----------
    task : {"binary", "regression"}
        Kind of forecast.
    """
    return models.classifiers() if task == "binary" else models.regressors()
