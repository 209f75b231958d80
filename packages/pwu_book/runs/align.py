"""From stored predictions to agreement: how well each metric ranks as each utility does, and where that is uncertain.

Agreement is that of appendices J and K of the PWU paper, over five thetas and over the whole prior. What its intervals
leave out follows: other models, other cases, other training draws, other thetas.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from pwu_lite._ranks import ROUNDING
from pwu_lite.alignment import agreement
from pwu_lite.metrics import REGISTRY

from . import grid, population, recalibration, score
from .tasks import LOWER, PERTURBED, RECALIBRATED, Fold, Task

__all__ = ["CASE_REPEATS", "GROUPS", "TIED", "cases", "columns", "curve_rows", "curves", "folds", "indexed", "lower",
           "mean_of", "means", "models", "oriented", "places", "rotated", "score_repeat", "subsets", "suites",
           "summary", "usual"]

TIED = 1e-9  # fold means that differ by less than this share of their size are tied: scores have nine digits
GROUPS = 10  # of cases, one of which is left out at a time
FOLDS = range(grid.FOLDS)


def score_repeat(task: Task, dataset: str, repeat: int, makers: Iterable[str], folder: Path | str, *,
                 metrics: Collection[str] | None = None, recalibrate: bool = False,
                 left_out: int | None = None) -> pd.DataFrame:
    """All numbers of one repeat, a row for each model and fold; see `score.score`.

    The variance that scales lambda and gamma is that of the fold's training targets.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    dataset : str
        Name of the data set.
    repeat : int
        Number of the repeat, from 0.
    makers : iterable of str
        Names of the models.
    folder : path or str
        Folder of the stored predictions.
    metrics : collection of str, optional
        Only these of the task's; all if omitted.
    recalibrate : bool
        Score the forecasts after `recalibration.recalibrated`; default False.
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
            rows[model, fold] = score.score(task, data, random=float(luck), metrics=metrics)
    return indexed(rows)


def indexed(rows: Mapping[tuple[str, int], Mapping[str, float]]) -> pd.DataFrame:
    """Table of numbers with a row for each model and fold.

    Parameters
    ----------
    rows : mapping of (model, fold) to mapping of name to float
        Numbers of each cell.
    """
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return frame.set_axis(pd.MultiIndex.from_tuples(rows, names=["model", "fold"]))


def folds(task: Task, dataset: str, repeat: int, makers: Iterable[str], folder: Path | str,
          recalibrate: bool = False, left_out: int | None = None) -> Iterator[tuple[str, int, Fold]]:
    """Yield model, fold and data of each cell of a repeat.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    dataset : str
        Name of the data set.
    repeat : int
        Number of the repeat, from 0.
    makers : iterable of str
        Names of the models.
    folder : path or str
        Folder of the stored predictions.
    recalibrate : bool
        Take the forecasts after `recalibration.recalibrated`; default False.
    left_out : int, optional
        Leave out one of `GROUPS` random groups of cases, the same in every repeat.
    """
    for model in makers:
        said = [grid.predictions(grid.Cell(dataset, model, repeat, fold), folder, task) for fold in FOLDS]
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
    """Each model's mean over some folds; NaN where a fold has no value.

    Parameters
    ----------
    frame : DataFrame
        Numbers by model and fold, as `score_repeat` gives them.
    folds : iterable of int
        Numbers of the folds; default all five.
    """
    chosen = [frame.xs(fold, level="fold") for fold in folds]
    return (sum(chosen[1:], start=chosen[0]) / len(chosen)).sort_index()


def oriented(task: Task, frame: pd.DataFrame) -> pd.DataFrame:
    """The metrics among the columns, with signs such that higher is better.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    frame : DataFrame
        Numbers by model, a column for each metric or utility.
    """
    names = [name for name in [*task.metrics, *task.extra, "random"] if name in frame]
    return frame[names] * [-1.0 if lower(name) else 1.0 for name in names]


def lower(name: str) -> bool:
    """Whether lower is better, for a metric of the registry or one that only the tables have.

    Parameters
    ----------
    name : str
        Name of the metric.
    """
    return LOWER[name] if name in LOWER else lower_is_better(name)


def columns(frame: pd.DataFrame, family: str, kind: str) -> pd.DataFrame:
    """Columns of a decision family's utilities, of one kind.

    Parameters
    ----------
    frame : DataFrame
        Numbers by model, a column for each metric or utility.
    family : str
        Name of the decision family.
    kind : {"s", "p", "g"}
        At our five thetas, at the five of the released code, or on the family's grid.
    """
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
    """Tau, d and pairs of each metric with each utility, and of each utility with itself on the first data.

    Parameters
    ----------
    metrics, utilities : DataFrame
        A row for each model, higher is better.
    first : DataFrame, optional
        The utilities on the metrics' data; the same as `utilities` if omitted.

    Returns
    -------
    dict of str to ndarray, shape (metrics + 1, utilities)
        ``tau``, ``somers_d`` and ``pairs``; the last row is that of the utilities with themselves.
    """
    found = _agree(metrics, utilities)
    own = _agree(utilities if first is None else first, utilities)
    return {key: np.vstack([values, np.diagonal(own[key])]) for key, values in found.items()}


def summary(task: Task, metrics: pd.DataFrame, utilities: pd.DataFrame, first: pd.DataFrame | None = None
            ) -> pd.DataFrame:
    """One row for each metric and family: averages over five thetas, and over the whole prior.

    Parameters
    ----------
    task : Task
        Kind of forecast.
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
    """Alignment of metrics on `size` folds with utilities on the same folds or on the next two, mean of five rotations.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    frame : DataFrame
        Numbers by model and fold, as `score_repeat` gives them.
    size : int
        Number of folds of the metric, from 1 to 5; at most 3 if `disjoint`.
    disjoint : bool
        Take the utility on the next two folds, not on the same ones.
    """
    parts = []
    for start in FOLDS:
        one, two = places(start, size, disjoint)
        first, second = means(frame, one), means(frame, two)
        parts.append(summary(task, oriented(task, first), second, first))
    return mean_of(parts)


def places(start: int, size: int, disjoint: bool) -> tuple[list[int], list[int]]:
    """Numbers of the folds for the metric and of those for the utility.

    Parameters
    ----------
    start : int
        First fold of the metric, from 0 to 4.
    size : int
        Number of folds of the metric, from 1 to 5; at most 3 if `disjoint`.
    disjoint : bool
        Take the utility on the next two folds, not on the same ones.
    """
    one = [(start + step) % 5 for step in range(size)]
    return one, [(start + size + step) % 5 for step in range(2)] if disjoint else one


def mean_of(parts: Sequence[Any]) -> pd.DataFrame:
    """Mean of several tables, row by row, over the values that are defined.

    Parameters
    ----------
    parts : sequence of DataFrame
        Tables with a row for each metric and family, as `summary` gives them.
    """
    whole = pd.concat(parts)
    return whole.groupby(level=["metric", "family"], sort=False).mean()


CASE_REPEATS = 3  # repeats in which groups of cases are left out
WINDOWS = (1, 2, 3)  # so many subsets for a metric
KEPT = ["expected_tau", "expected_d"]


def usual(task: Task) -> list[str]:
    """Names of the metrics that need no wrong prior.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    """
    return [name for name in [*task.metrics, *task.extra] if not name.endswith(("_slight", "_strong", "_extreme"))]


def suites(task: Task, frame: pd.DataFrame, ten: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """Sets of models, by family (``""`` for all families) and name.

    All of them, all but one, all but the two worst by the family's own PWU, all and the added ones; and where models
    are estimators of the same kind with other settings (the population), all kinds but one.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    frame : DataFrame
        Numbers by model and fold, any repeats one below the other.
    ten : sequence of str
        The models that count as all.
    """
    ten = sorted(ten)
    found = {("", "all"): ten, **{("", f"without {name}"): [other for other in ten if other != name] for name in ten}}
    kinds = population.kinds(ten)
    for kind in sorted(set(kinds.values())):
        found["", f"all kinds but {kind}"] = [name for name in ten if kinds[name] != kind]
    everyone = sorted(set(frame.index.get_level_values("model")))
    if len(everyone) > len(ten):
        found["", "two more"] = everyone
    for question in task.questions if len(ten) > 3 else ():
        cost = frame[f"pwu_{question.name}"].groupby(level="model").mean()[ten]
        worst = set(cost.sort_values(kind="stable").index[-2:])
        found[question.name, "without the worst two"] = [name for name in ten if name not in worst]
    return found


def models(task: Task, dataset: str, frames: Sequence[pd.DataFrame], ten: Sequence[str]) -> pd.DataFrame:
    """Alignment over the whole prior for each set of models, mean over the repeats.

    Schemes ``same`` (all folds) and ``new_two`` (metric on two folds, utility on two others).

    Parameters
    ----------
    task : Task
        Kind of forecast.
    dataset : str
        Name of the data set.
    frames : sequence of DataFrame
        What `score_repeat` gives for each repeat, with the added models if there are any.
    ten : sequence of str
        The models that count as all, as in `suites`.
    """
    whole, parts = pd.concat(frames), []
    for (family, name), chosen in suites(task, whole, ten).items():
        for scheme in ("same", "new_two"):
            rows = mean_of([_scheme(task, frame.loc[chosen], scheme) for frame in frames]).reset_index()
            rows = rows[rows["family"] == family] if family else rows
            parts.append(rows.assign(dataset=dataset, models=name, scheme=scheme))
    return pd.concat(parts, ignore_index=True)


def _scheme(task, frame, scheme):
    if scheme == "new_two":
        return rotated(task, frame, 2, disjoint=True)
    whole = means(frame)
    return summary(task, oriented(task, whole), whole)


def cases(task: Task, dataset: str, makers: Sequence[str], folder: Path | str, repeats: int) -> pd.DataFrame:
    """Alignment over the whole prior without each of `GROUPS` groups of cases in turn, mean over the repeats.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    dataset : str
        Name of the data set.
    makers : sequence of str
        Names of the models.
    folder : path or str
        Folder of the stored predictions.
    repeats : int
        Number of repeats, at least 1.
    """
    parts = []
    for suite, group in product(task.suites, range(GROUPS)):
        frames = [score_repeat(task, dataset, repeat, makers, folder, metrics=usual(task), left_out=group,
                               recalibrate=suite == RECALIBRATED) for repeat in range(repeats)]
        for scheme in ("same", "new_two"):
            rows = mean_of([_scheme(task, frame, scheme) for frame in frames])[KEPT].reset_index()
            parts.append(rows.assign(dataset=dataset, suite=suite, group=group, scheme=scheme))
    return pd.concat(parts, ignore_index=True)


def subsets(task: Task, dataset: str, frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Alignment of metrics on one to three disjoint subsets with utilities on another one, models fitted anew on each.

    A row for each window of subsets that begins at ``first``, its ``size``, the ``other`` subset, metric and
    family; and with size 1 and ``other`` equal to ``first`` both on the same subset.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    dataset : str
        Name of the data set.
    frames : sequence of DataFrame
        Numbers by model and fold, as `score_repeat` gives them, for each subset.
    """
    own, parts = [means(frame) for frame in frames], []
    number = len(own)
    for first in range(number):
        for size in WINDOWS:
            inside = [(first + step) % number for step in range(size)]
            mean = sum((own[place] for place in inside[1:]), start=own[first]) / size
            outside = [place for place in range(number) if place not in inside]
            for other in [first, *outside] if size == 1 else outside:
                rows = summary(task, oriented(task, mean), own[other], mean)[["somers_d", *KEPT]].reset_index()
                parts.append(rows.assign(dataset=dataset, first=first, size=size, other=other))
    return pd.concat(parts, ignore_index=True)


def curve_rows(task: Task, frame: pd.DataFrame) -> pd.DataFrame:
    """Tau and Somers' d at each cell of the families' grids, for one repeat and two schemes.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    frame : DataFrame
        Numbers by model and fold, as `score_repeat` gives them.
    """
    parts = []
    for scheme in ("same", "new_two"):
        pairs = [(range(5), range(5))] if scheme == "same" else [places(start, 2, True) for start in range(5)]
        for question in task.questions:
            found = _curves(task, question, frame, pairs)
            parts += [rows.assign(scheme=scheme, family=question.name) for rows in found]
    return pd.concat(parts, ignore_index=True)


def _curves(task, question, frame, pairs):
    found = []
    for one, two in pairs:
        first, second = means(frame, one), means(frame, two)
        metrics = oriented(task, first)
        found.append(curves(metrics, columns(second, question.name, "g"), columns(first, question.name, "g")))
    names = [*metrics.columns, "itself"]
    for value in ("tau", "somers_d"):
        stack = np.array([one[value] for one in found])
        there = np.isfinite(stack)
        with np.errstate(invalid="ignore"):
            mean = np.where(there, stack, 0).sum(axis=0) / there.sum(axis=0)
        yield pd.DataFrame(mean).add_prefix("t").assign(metric=names, value=value)


def lower_is_better(name: str) -> bool:
    """The customary direction of a metric, by its name; a PWU ("PWU", "PWU top-k", "pwu_binary") is a loss.

    Raises
    ------
    ValueError
        The name is neither in the registry nor a PWU's.

    Examples
    --------
    >>> lower_is_better("log_loss"), lower_is_better("error_detection_auroc")
    (True, False)
    """
    if not isinstance(name, str):
        raise ValueError(f"the name of a metric must be a string, got {name!r}")
    if re.match(r"pwu(?![a-z])", name.lower()):
        return True
    for (_, known), metric in REGISTRY.items():
        if name == known:
            return metric.lower_is_better
    known = ", ".join(sorted({name for _, name in REGISTRY}))
    raise ValueError(f"the direction of {name!r} is not known: use a "
                     f"name of the registry ({known}) or one that starts with PWU")
