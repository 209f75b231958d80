"""From stored predictions to agreement: the numbers of a repeat, and how well each metric ranks as each utility does.

Implements the alignment of appendices J and K of the PWU paper, over five thetas and over the whole prior.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..alignment import agreement
from ..metrics import lower_is_better
from ..ranks import ROUNDING
from . import experiment, recalibration, scoring
from .tasks import LOWER, PERTURBED, Fold, Task

__all__ = ["GROUPS", "TIED", "columns", "curves", "folds", "indexed", "lower", "mean_of", "means", "oriented", "places",
           "rotated", "score_repeat", "summary"]

TIED = 1e-9  # fold means that differ by less than this share of their size are tied: scores have nine digits
GROUPS = 10  # of cases, one of which is left out at a time
FOLDS = range(experiment.FOLDS)


def score_repeat(task: Task, dataset: str, repeat: int, makers: Iterable[str], folder: Path | str, *,
                 metrics: Collection[str] | None = None, recalibrate: bool = False,
                 left_out: int | None = None) -> pd.DataFrame:
    """All numbers of one repeat, a row for each model and fold; see `scoring.score`.

    The variance that scales lambda and gamma is that of the fold's training targets.

    Parameters
    ----------
    metrics : collection of str, optional
        Only these of the task's.
    recalibrate : bool
        Score the forecasts after `recalibration.recalibrated`.
    left_out : int, optional
        Score without one of `GROUPS` random groups of cases, the same in every repeat.

    Raises
    ------
    FileNotFoundError
        A cell has not been run.
    """
    rows = {}
    with threadpool_limits(1):  # sums do not depend on the number of threads
        said = folds(task, dataset, repeat, makers, folder, recalibrate, left_out)
        for place, (model, fold, data) in enumerate(said):
            luck = np.random.default_rng([repeat, place, len(data.y)]).random()
            rows[model, fold] = scoring.score(task, data, random=float(luck), metrics=metrics)
    return indexed(rows)


def indexed(rows: Mapping[tuple[str, int], Mapping[str, float]]) -> pd.DataFrame:
    """A table from {(model, fold): numbers}."""
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return frame.set_axis(pd.MultiIndex.from_tuples(rows, names=["model", "fold"]))


def folds(task: Task, dataset: str, repeat: int, makers: Iterable[str], folder: Path | str,
          recalibrate: bool = False, left_out: int | None = None) -> Iterator[tuple[str, int, Fold]]:
    """Model, fold and data of each cell of a repeat."""
    for model in makers:
        said = [experiment.predictions(experiment.Cell(dataset, model, repeat, fold), folder, task) for fold in FOLDS]
        every = np.concatenate([fold.case for fold in said])
        group = np.random.default_rng(0).permutation(len(every)) % GROUPS
        if recalibrate:
            said = recalibration.recalibrated(task, said)
        for fold in FOLDS:
            one = said[fold]
            others = np.concatenate([said[other].y for other in FOLDS if other != fold])
            kept = group[np.searchsorted(np.sort(every), one.case)] != left_out
            yield model, fold, Fold(one.y[kept], tuple(part[kept] for part in one.forecast), np.var(others, axis=0))


def means(frame: pd.DataFrame, folds: Iterable[int] = FOLDS) -> pd.DataFrame:
    """Each model's mean over some folds; NaN where a fold has no value."""
    chosen = [frame.xs(fold, level="fold") for fold in folds]
    return (sum(chosen[1:], start=chosen[0]) / len(chosen)).sort_index()


def oriented(task: Task, frame: pd.DataFrame) -> pd.DataFrame:
    """The metrics among the columns, so that higher is better."""
    names = [name for name in [*task.metrics, *task.extra, "random"] if name in frame]
    return frame[names] * [-1.0 if lower(name) else 1.0 for name in names]


def lower(name: str) -> bool:
    """Is lower better? Of the registry's metrics, and of those that only the tables have."""
    return LOWER[name] if name in LOWER else lower_is_better(name)


def columns(frame: pd.DataFrame, family: str, kind: str) -> pd.DataFrame:
    """Utilities of a family: s (our five), p (the released code's five), g (its grid)."""
    return frame[[name for name in frame.columns if name.startswith(f"{family}:{kind}")]]


def _agree(metrics, utilities):
    """Of every metric with every utility; means that differ by less than `TIED` are tied."""
    return agreement(*(_without_rounding(frame.to_numpy(float)) for frame in (metrics, utilities)), tie=TIED)


def _without_rounding(values):
    """Zero where a value is as small as the rounding of its column's others: sums that cancel."""
    size = np.where(np.isfinite(values), np.abs(values), 0.0)
    return np.where(np.abs(values) <= ROUNDING * np.median(size, axis=0), 0.0, values)


def curves(metrics: pd.DataFrame, utilities: pd.DataFrame, first: pd.DataFrame | None = None
           ) -> dict[str, np.ndarray]:
    """Tau, d and pairs of each metric with each utility, and of each utility with itself on the first data."""
    found = _agree(metrics, utilities)
    own = _agree(utilities if first is None else first, utilities)
    return {key: np.vstack([values, np.diagonal(own[key])]) for key, values in found.items()}


def summary(task: Task, metrics: pd.DataFrame, utilities: pd.DataFrame, first: pd.DataFrame | None = None
            ) -> pd.DataFrame:
    """One row for each metric and family: averages over five thetas, and over the whole prior.

    Parameters
    ----------
    metrics, utilities : DataFrame
        A row for each model, higher is better.
    first : DataFrame, optional
        The utilities on the metrics' data, for the rows ``itself``: how well each utility is predicted by
        itself. The same as `utilities`, if not given.

    Returns
    -------
    DataFrame
        ``tau``, ``defined``, ``somers_d``, ``pairs`` over our five thetas; ``code_tau``, ``code_d`` over those that
        the released code draws (tasks that have it); ``expected_tau``, ``expected_d``, ``expected_defined`` over
        the prior; ``expected_d_slight`` and so on over the wrong priors.
    """
    rows, names = [], [*metrics.columns, "itself"]
    for question in task.questions:
        parts = {}
        for kind in "spg":
            there = columns(utilities, question.name, kind)
            if there.shape[1]:
                parts[kind] = curves(metrics, there, None if first is None else columns(first, question.name, kind))
        priors = {"": question.priors, **{f"_{level}": wrong for level, wrong in
                                          PERTURBED.get(question.name, {}).items()}}
        masses = {level: question.mass(prior) for level, prior in priors.items()}
        for place, metric in enumerate(names):
            five, grid = parts["s"], {key: values[place] for key, values in parts["g"].items()}
            row = {"metric": metric, "family": question.name, "tau": average(five["tau"][place]),
                   "defined": np.isfinite(five["tau"][place]).mean(), "somers_d": average(five["somers_d"][place]),
                   "pairs": five["pairs"][place].mean()}
            if "p" in parts:
                row |= {"code_tau": average(parts["p"]["tau"][place]), "code_d": average(
                    parts["p"]["somers_d"][place])}
            row |= {"expected_tau": average(grid["tau"], masses[""]), "expected_defined": masses[""][
                np.isfinite(grid["tau"])].sum()}
            row |= {f"expected_d{level}": average(grid["somers_d"], mass) for level, mass in masses.items()}
            rows.append(row)
    return pd.DataFrame(rows).set_index(["metric", "family"])


def average(values, weights=None):
    """Mean of those that are defined; NaN if they have no weight."""
    kept = np.isfinite(values)
    weights = np.ones(len(values)) if weights is None else weights
    whole = weights[kept].sum()
    return weights[kept] @ values[kept] / whole if whole > 0 else np.nan


def rotated(task: Task, frame: pd.DataFrame, size: int, disjoint: bool) -> pd.DataFrame:
    """Metric on `size` folds, utility on the same ones or on the next two; the mean over five rotations."""
    parts = []
    for start in FOLDS:
        one, two = places(start, size, disjoint)
        first, second = means(frame, one), means(frame, two)
        parts.append(summary(task, oriented(task, first), second, first))
    return mean_of(parts)


def places(start: int, size: int, disjoint: bool) -> tuple[list[int], list[int]]:
    """The folds of the metric and those of the utility."""
    one = [(start + step) % 5 for step in range(size)]
    return one, [(start + size + step) % 5 for step in range(2)] if disjoint else one


def mean_of(parts: Sequence[Any]) -> pd.DataFrame:
    """Row by row, over what is defined."""
    whole = pd.concat(parts)
    return whole.groupby(level=["metric", "family"], sort=False).mean()
