"""The benchmarks: fit, score, align, and write the tables that the pages read.

Implements section 5 and appendices J and K of the PWU paper.

Usage: python -m pwu_book.runs binary --jobs 2
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd

from .. import released
from .. import tables as stored_tables
from . import _pickles, align, datasets, grid, score
from .align import TIED, columns, folds, indexed, lower, means, oriented, rotated, score_repeat, summary
from .best import of_the_best
from .tasks import PAPER_TASKS, POPULATION, RECALIBRATED, RELEASED, SEED, TASKS, Plan, Task

__all__ = ["KEYS", "TIED", "Tables", "lower", "main", "score_repeat", "tables"]

SIZES = {1: "one", 2: "two", 3: "three"}
VERSION = 1  # of the numbers: raise it when the code changes them, and all kept results are computed again
KEYS = ["dataset", "repeat", "scheme", "metric", "family"]


class Tables(NamedTuple):
    """What one repeat comes to.

    Attributes
    ----------
    scores : DataFrame
        A row for each data set, model, repeat and fold: metrics, and utilities at the sampled parameters.
    alignment : DataFrame
        A row for each data set, repeat, scheme, metric and family.
    curves : DataFrame
        Kendall's tau and Somers' d at each cell of the family's grid, a row for each data set, scheme, metric,
        family and value; empty for tasks without curves.
    """

    scores: pd.DataFrame
    alignment: pd.DataFrame
    curves: pd.DataFrame


def tables(task: Task, dataset: str, repeat: int, makers: Sequence[str], folder: Path | str,
           frame: pd.DataFrame | None = None) -> Tables:
    """Scores, alignment under each scheme, and curves of one repeat.

    Schemes: ``same`` (all five folds, the paper's), ``same_two`` (metric and utility on the same two
    folds), ``new_one``, ``new_two``, ``new_three`` (metric on so many folds, utility on two others), and,
    where there is released code, ``released``. Scores keep nine significant digits, alignment six decimals.

    Parameters
    ----------
    task : Task
        Kind of forecast.
    dataset : str
        Name of the data set.
    repeat : int
        Number of the repeat, from 0.
    makers : sequence of str
        Names of the models.
    folder : path or str
        Folder of the stored predictions.
    frame : DataFrame, optional
        What `score_repeat` gives for these models, if it is there already.

    Raises
    ------
    FileNotFoundError
        A cell has not been run.
    """
    if frame is None:
        frame = score_repeat(task, dataset, repeat, makers, folder)
    frame = frame.loc[list(makers)]
    parts = {"same": _same(task, frame), "same_two": rotated(task, frame, 2, disjoint=False)}
    parts |= {f"new_{word}": rotated(task, frame, size, disjoint=True) for size, word in SIZES.items()}
    if task.kind in score.RELEASED:
        said = [((model, fold), data) for model, fold, data in folds(task, dataset, repeat, makers, folder)]
        parts["released"] = _released(task, said)
    where = {"dataset": dataset, "repeat": repeat}
    alignment = pd.concat(parts, names=["scheme"]).reset_index().assign(**where)
    drawn = [name for name in frame.columns if ":g" not in name and ":p" not in name]
    found = align.curve_rows(task, frame) if task.has_curves else pd.DataFrame({"metric": [], "family": []})
    return Tables(frame[drawn].reset_index().assign(**where), alignment, found.assign(dataset=dataset))


def _same(task, frame):
    """Metric and utility on the same five folds, with top-1, top-3 and Pearson."""
    mean = means(frame)
    metrics = oriented(task, mean)
    extra = []
    for question in task.questions:
        rows = _align(metrics, columns(mean, question.name, "s"))
        extra.append(rows.groupby("metric")[["top1", "top3", "pearson"]].mean().assign(family=question.name))
    return summary(task, metrics, mean).join(pd.concat(extra).set_index("family", append=True))


def _align(metrics, utilities):
    """`of_the_best`, with infinite values tied for the worst (no Pearson then), and columns with a NaN left out."""
    metrics = metrics.loc[:, ~metrics.isna().any()]
    endless = np.isinf(metrics).any()
    worst = metrics.where(np.isfinite(metrics)).min().fillna(0.0) - 1.0
    finite = metrics.where(np.isfinite(metrics), worst, axis=1)
    rows = of_the_best(finite, utilities, TIED)
    rows.loc[rows["metric"].map(endless), "pearson"] = np.nan
    return rows


def _released(task, said):
    """Everything by the released formulas: ties are ranked by the alphabet, what is not defined is ranked last."""
    frame = indexed({key: score.released_scores(task, fold) for key, fold in said})
    mean = frame.groupby(level="model", sort=True).mean()
    rows = []
    for question in task.questions:
        utilities = columns(mean, question.name, "s")
        for metric in task.metrics:
            loss = mean[metric] * (1 if lower(metric) else -1)
            taus = [released.strict_tau(loss, -utilities[name]) for name in utilities]
            rows.append({"metric": metric, "family": question.name, "tau": np.mean(taus), "defined": 1.0})
    return pd.DataFrame(rows).set_index(["metric", "family"])


def _numbers(task, name, repeat, makers, folder):
    """Scores of one repeat: as forecast, and recalibrated (of the tasks where that is done)."""
    frame = score_repeat(task, name, repeat, makers, folder)
    if RECALIBRATED not in task.suites:
        return (frame,)
    return frame, score_repeat(task, name, repeat, list(task.models()), folder, metrics=align.usual(task),
                               recalibrate=True)


def _tables(task, name, repeat, makers, folder, frame):
    return tables(task, name, repeat, list(task.models()), folder, frame)


def _models(task, name, frames, suite):
    rows = align.models(task, name, frames, list(task.models())).assign(suite=suite)
    return rows[["dataset", "suite", "models", "scheme", "metric", "family", *align.KEPT]] if task.brief else rows


def _cases(task, name, number, makers, folder):
    return align.cases(task, name, list(task.models()), folder, number)


def _kept(function, task, name, repeats, makers, folder, plan, *more):
    """The function's result, kept in a file until predictions or versions change: a killed run goes on."""
    key = hashlib.sha256(repr((VERSION, task, list(makers), plan.rows, function.__name__, stored_tables.versions(),
                               [one for one in more if isinstance(one, str)])).encode())
    for repeat in repeats:
        for cell in grid.grid([name], makers, 1):
            key.update(cell._replace(repeat=repeat).path(folder).read_bytes())
    label = f"{name}-{folder.name}-{function.__name__.strip('_')}-{repeats[0]:03d}-{key.hexdigest()[:16]}"
    path = folder.parent / "tables" / f"{label}.joblib"
    result = _pickles.load(path)
    if result is None:
        result = function(_task(task), name, *more)
        _pickles.save(path, result)
    return result


def _fit(plans, makers, given, disjoint):
    """Run what is missing of a plan, data set by data set."""
    failed: list[str] = []
    for name, plan in plans.items():
        cells = grid.grid([name], makers, plan.repeats)
        failed += grid.run(cells, {name: datasets.load(name)}, makers, _place(given, disjoint), jobs=given.jobs,
                                 rows=plan.rows, disjoint=disjoint, scheduler=given.scheduler)
    return failed


def _place(given, disjoint):
    return given.folder / ("disjoint" if disjoint else "main")


def _task(name):
    return {**TASKS, **PAPER_TASKS, **RELEASED, **POPULATION}[name]


def _chosen(plans: Mapping[str, Plan], given: Any) -> dict[str, Plan]:
    """The plan, for some data sets, with at most so many repeats."""
    most = given.repeats or np.inf
    return {name: plan._replace(repeats=int(min(plan.repeats, most))) for name, plan in plans.items()
            if given.datasets is None or name in given.datasets}


def options(parser: argparse.ArgumentParser) -> None:
    """What the long runs and the case studies have in common."""
    parser.add_argument("--datasets", nargs="+", help="some of the plan's")
    parser.add_argument("--repeats", type=int, help="at most so many")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("experiments"),
                        help="where predictions and results are kept; results that another user or machine wrote are "
                             "computed again")
    parser.add_argument("--results", type=Path, help="where the tables go; packages/pwu_book/tables for the whole plan")
    parser.add_argument("--keep", action="store_true",
                        help="with --datasets: keep the rows of all other data sets in the tables that are there")
    parser.add_argument("--scheduler", help="address of a Dask scheduler (extra [cluster])")


def check_options(parser: argparse.ArgumentParser, given: argparse.Namespace, plan: Mapping[str, Any]) -> None:
    """Stop with a message if a part of the plan is asked for that does not exist, or would replace the whole."""
    unknown = set(given.datasets or []) - set(plan)
    if unknown:
        parser.error(f"no such data set in the plan: {', '.join(sorted(unknown))}; there are {', '.join(plan)}")
    for name in ("repeats", "jobs"):
        if getattr(given, name) is not None and getattr(given, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(given, name)}")
    if given.keep and not given.datasets:
        parser.error("--keep goes with --datasets")
    if given.results is None and (given.datasets or given.repeats) and not (given.keep and not given.repeats):
        parser.error("a part of the plan needs --results, or it would overwrite the tables of the whole")
    given.results = given.results or Path("packages/pwu_book/tables")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return 0, or 1 if a cell failed, in which case no table is written.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the command; those of the process if omitted.
    """
    parser = argparse.ArgumentParser("python -m pwu_book.runs", description=(
        "Fit what is missing, score it, and write the tables of the book. Go on where a run stopped."))
    parser.add_argument("task", choices=[*TASKS, *PAPER_TASKS, *RELEASED, *POPULATION])
    options(parser)
    given = parser.parse_args(arguments)
    check_options(parser, given, _task(given.task).plan)
    words = sys.argv[1:] if arguments is None else arguments
    task, started = _task(given.task), time.time()
    plan, fresh = _chosen(task.plan, given), _chosen(task.fresh, given)
    failed = _fit(plan, {**task.models(), **task.added()}, given, False) + _fit(fresh, task.models(), given, True)
    if failed:
        print(f"{len(failed)} cells failed, no table was written", file=sys.stderr)
        return 1
    _write_all(task, given, plan, fresh, f"python -m pwu_book.runs {shlex.join(words)}", started)
    print(f"{(time.time() - started) / 60:.0f} min", flush=True)
    return 0


def _write_all(task, given, plan, fresh, command, started):
    run, name = joblib.Parallel(n_jobs=given.jobs, verbose=1), task.name
    ten, every = list(task.models()), [*task.models(), *task.added()]
    main_, apart = _place(given, False), _place(given, True)
    each = [(one, repeat) for one in plan for repeat in range(plan[one].repeats)]
    print(f"scoring {len(each)} repeats", flush=True)
    frames = run(joblib.delayed(_kept)(_numbers, name, one, [repeat], every, main_, plan[one], repeat, every, main_)
                 for one, repeat in each)
    print("aligning them", flush=True)
    parts = run(joblib.delayed(_kept)(_tables, name, one, [repeat], every, main_, plan[one], repeat, every, main_,
                                      both[0]) for (one, repeat), both in zip(each, frames, strict=True))
    of = {one: [both for (other, _), both in zip(each, frames, strict=True) if other == one] for one in plan}
    print("other models, other cases", flush=True)
    sets = run(joblib.delayed(_kept)(_models, name, one, range(plan[one].repeats), every, main_, plan[one],
                                     [both[place] for both in of[one]], suite)
               for one in plan for place, suite in enumerate(task.suites))
    few = {one: align.CASE_REPEATS if plan[one].repeats > align.CASE_REPEATS else 1 for one in plan}
    groups = run(joblib.delayed(_kept)(_cases, name, one, range(few[one]), ten, main_, plan[one], few[one], ten, main_)
                 for one in plan)
    anew = run(joblib.delayed(_kept)(_subsets, name, one, range(fresh[one].repeats), ten, apart, fresh[one],
                                     fresh[one].repeats, ten, apart) for one in fresh)
    curves = pd.concat([part.curves for part in parts])
    if task.has_curves:
        curves = curves.groupby(["dataset", "scheme", "value", "metric", "family"], sort=False).mean().reset_index()
    frames = {
        "scores": (pd.concat([part.scores for part in parts]), ["dataset", "model", "repeat", "fold"], "%.9g"),
        "alignment": (pd.concat([part.alignment for part in parts]), KEYS, "%.6f"),
        "curves": (curves, ["dataset", "scheme", "value", "metric", "family"], "%.4f"),
        "models": (pd.concat(sets), ["dataset", "suite", "models", "scheme", "metric", "family"], "%.5f"),
        "cases": (pd.concat(groups), ["dataset", "suite", "group", "scheme", "metric", "family"], "%.5f"),
        "subsets": (pd.concat([pd.DataFrame(), *anew]), ["dataset", "first", "size", "other", "metric", "family"],
                    "%.5f")}
    rule = "10 * repeat + fold, from 1" if name.startswith("authors_") else "1000 * repeat + fold"
    seeds = (f"folds by repeat, models by {rule}, sampled parameters and groups of cases {SEED}; "
             f"predictions {_digest(main_, plan, every)}; "
             f"{platform.machine()}, {os.cpu_count()} cores, {(time.time() - started) / 60:.0f} minutes in this call")
    for kind, (frame, keys, digits) in frames.items():
        if len(frame) and not (task.brief and kind == "scores"):
            path = given.results / f"{name}_{kind}.csv.gz"
            others = [column for column in frame.columns if column not in keys]
            frame, kept = joined(path, frame[[*keys, *others]], list(plan), given.keep)
            stored_tables.write(path, frame, command, seeds + kept, digits)
            print(f"{path}: {len(frame)} rows, {path.stat().st_size / 1e6:.2f} MB", flush=True)


def joined(path: Path, frame: pd.DataFrame, names: Sequence[str], keep: bool) -> tuple[pd.DataFrame, str]:
    """With the stored rows of all other data sets, in the order in which they stood; and words on where these are from.

    Parameters
    ----------
    path : path
        The stored table.
    frame : DataFrame
        The new rows, of some data sets.
    names : sequence of str
        These data sets.
    keep : bool
        Whether stored rows are kept at all.
    """
    if not keep or not path.exists():
        return frame, ""
    old = stored_tables.read(path)
    order = list(dict.fromkeys([*old["dataset"], *names]))
    whole = pd.concat([old[~old["dataset"].isin(names)], frame], ignore_index=True)
    whole = whole.iloc[np.argsort([order.index(name) for name in whole["dataset"]], kind="stable")]
    command, versions, _, date = stored_tables.header(path)
    return whole[frame.columns], f"; all but {', '.join(names)} from: {command}, {versions}, {date}"


def _digest(folder, plan, makers):
    """The first 16 digits of a SHA-256 over the files of all cells, in the order of the plan."""
    key = hashlib.sha256()
    for name in plan:
        for cell in grid.grid([name], makers, plan[name].repeats):
            key.update(cell.path(folder).read_bytes())
    return key.hexdigest()[:16]


def _subsets(task, name, number, makers, folder):
    return align.subsets(task, name, [score_repeat(task, name, repeat, makers, folder) for repeat in range(number)])
