"""The benchmarks of Parts IV and V: fit, score, align, and write the tables that its chapters read.

Imports cases, datasets, experiment, released, scoring, stored_tables, tasks, alignment, metrics, ranks; joblib, numpy,
pandas, threadpoolctl.
Implements section 5 and appendices J and K of the PWU paper.

Usage: python -m pwu_lite.replication.benchmark binary --jobs 2
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..alignment import agreement, align
from ..metrics import lower_is_better
from ..ranks import ROUNDING
from . import datasets, experiment, released, scoring, stored_tables
from .cases import STUDIES, study
from .tasks import LOWER, SEED, TASKS, Fold, Plan, Task

__all__ = ["TIED", "Tables", "fresh_alignment", "lower", "main", "score_repeat", "tables"]


SIZES = {1: "one", 2: "two", 3: "three"}
TIED = 1e-9  # fold means that differ by less than this share of their size are tied: scores have nine digits
_NO_NUMBERS = ("explorer/", "reporting/", "symbolic/", "plots.py", "replication/findings.py", "replication/parcels.py",
               "replication/screening.py", "replication/cases/", "replication/mushrooms.py",
               "replication/bank_calls.py", "replication/mended.py", "testing.py",
               "elicitation.py")  # modules that no score depends on
FOLDS = range(experiment.FOLDS)
KEYS = ["dataset", "repeat", "scheme", "metric", "family"]


class Tables(NamedTuple):
    """What one repeat, or a whole run, comes to.

    Attributes
    ----------
    scores : DataFrame
        A row for each data set, model, repeat and fold: metrics, and utilities at the sampled parameters.
    alignment : DataFrame
        A row for each data set, repeat, scheme, metric and family.
    curves : DataFrame
        Kendall's tau at each cell of the family's grid, a row for each data set, repeat, metric and family.
    """

    scores: pd.DataFrame
    alignment: pd.DataFrame
    curves: pd.DataFrame


def score_repeat(task: Task, dataset: str, repeat: int, makers: Iterable[str], folder: Path | str) -> pd.DataFrame:
    """All numbers of one repeat, a row for each model and fold; see `scoring.score`.

    The variance that scales lambda and gamma is that of the fold's training targets.

    Raises
    ------
    FileNotFoundError
        A cell has not been run.
    """
    rows = {}
    with threadpool_limits(1):  # sums do not depend on the number of threads
        for place, (model, fold, data) in enumerate(_folds(task, dataset, repeat, makers, folder)):
            luck = np.random.default_rng([repeat, place, len(data.y)]).random()
            rows[model, fold] = scoring.score(task, data, random=float(luck))
    return _indexed(rows)


def _indexed(rows):
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return frame.set_axis(pd.MultiIndex.from_tuples(rows, names=["model", "fold"]))


def _folds(task, dataset, repeat, makers, folder):
    """Model, fold and data of each cell of a repeat."""
    for model in makers:
        said = [experiment.predictions(experiment.Cell(dataset, model, repeat, fold), folder, task) for fold in FOLDS]
        for fold in FOLDS:
            others = np.concatenate([said[other].y for other in FOLDS if other != fold])
            yield model, fold, Fold(said[fold].y, said[fold].forecast, np.var(others, axis=0))


def _agreement(metrics, utilities):
    """Of every metric with every utility; means that differ by less than `TIED` are tied."""
    return agreement(*(_without_rounding(frame.to_numpy(float)) for frame in (metrics, utilities)), tie=TIED)


def _without_rounding(values):
    """Zero where a value is as small as the rounding of its column's others: sums that cancel."""
    size = np.where(np.isfinite(values), np.abs(values), 0.0)
    return np.where(np.abs(values) <= ROUNDING * np.median(size, axis=0), 0.0, values)


def _means(frame, folds=FOLDS):
    """Each model's mean over some folds; NaN where a fold has no value."""
    chosen = [frame.xs(fold, level="fold") for fold in folds]
    return (sum(chosen[1:], start=chosen[0]) / len(chosen)).sort_index()


def _oriented(task, frame):
    """Metrics so that higher is better."""
    names = [*task.metrics, *task.extra, "random"]
    return frame[names] * [-1.0 if lower(name) else 1.0 for name in names]


def lower(name: str) -> bool:
    """Is lower better? Of the registry's metrics, and of those that only the tables have."""
    return LOWER[name] if name in LOWER else lower_is_better(name)


def _columns(frame, family, kind):
    return frame[[name for name in frame.columns if name.startswith(f"{family}:{kind}")]]


def _summary(task, metrics, utilities):
    """One row for each metric and family: averages over the sampled parameters, and over the prior."""
    rows = []
    for question in task.questions:
        sampled = _agreement(metrics, _columns(utilities, question.name, "s"))
        grid, mass = _agreement(metrics, _columns(utilities, question.name, "g"))["tau"], question.mass()
        for place, metric in enumerate(metrics.columns):
            defined = np.isfinite(grid[place])
            weight = mass[defined].sum()
            rows.append({
                "metric": metric, "family": question.name, "tau": _average(sampled["tau"][place]),
                "defined": np.isfinite(sampled["tau"][place]).mean(),
                "somers_d": _average(sampled["somers_d"][place]), "pairs": sampled["pairs"][place].mean(),
                "expected_tau": mass[defined] @ grid[place, defined] / weight if weight > 0 else np.nan,
                "expected_defined": weight})
    return pd.DataFrame(rows).set_index(["metric", "family"])


def _average(values):
    """Mean of those that are defined."""
    kept = values[np.isfinite(values)]
    return kept.mean() if kept.size else np.nan


def _same(task, frame):
    """Metric and utility on the same five folds, with top-1, top-3 and Pearson."""
    means = _means(frame)
    metrics = _oriented(task, means)
    summary = _summary(task, metrics, means)
    extra = []
    for question in task.questions:
        rows = _align(metrics, _columns(means, question.name, "s"))
        extra.append(rows.groupby("metric")[["top1", "top3", "pearson"]].mean().assign(family=question.name))
    return summary.join(pd.concat(extra).set_index("family", append=True))


def _align(metrics, utilities):
    """`align`, with infinite values tied for the worst (no Pearson then), and columns with a NaN left out."""
    metrics = metrics.loc[:, ~metrics.isna().any()]
    endless = np.isinf(metrics).any()
    worst = metrics.where(np.isfinite(metrics)).min().fillna(0.0) - 1.0
    finite = metrics.where(np.isfinite(metrics), worst, axis=1)
    rows = align(finite, utilities, directions=dict.fromkeys(metrics.columns, False), tie=TIED)
    rows.loc[rows["metric"].map(endless), "pearson"] = np.nan
    return rows


def _rotations(task, frame, size, disjoint):
    """Metric on `size` folds, utility on the same ones or on the next two; the mean over five rotations."""
    parts = []
    for start in FOLDS:
        first = [(start + step) % 5 for step in range(size)]
        second = [(start + size + step) % 5 for step in range(2)] if disjoint else first
        parts.append(_summary(task, _oriented(task, _means(frame, first)), _means(frame, second)))
    return _mean_of(parts)


def _mean_of(parts):
    whole = pd.concat(parts)
    return whole.groupby(level=["metric", "family"], sort=False).mean()


def _released(task, folds):
    """Everything by the released formulas: ties are ranked by the alphabet, what is not defined is ranked last."""
    frame = _indexed({key: scoring.released_scores(task, fold) for key, fold in folds})
    means = frame.groupby(level="model", sort=True).mean()
    rows = []
    for question in task.questions:
        utilities = _columns(means, question.name, "s")
        for metric in task.metrics:
            loss = means[metric] * (1 if lower(metric) else -1)
            taus = [released.strict_tau(loss, -utilities[name]) for name in utilities]
            rows.append({"metric": metric, "family": question.name, "tau": np.mean(taus), "defined": 1.0})
    return pd.DataFrame(rows).set_index(["metric", "family"])


def tables(task: Task, dataset: str, repeat: int, makers: Sequence[str], folder: Path | str) -> Tables:
    """Scores, alignment under each scheme, and curves of one repeat.

    Schemes: ``same`` (all five folds, the paper's), ``same_two`` (metric and utility on the same two
    folds), ``new_one``, ``new_two``, ``new_three`` (metric on so many folds, utility on two others), and,
    where there is released code, ``released``. Scores keep nine significant digits, alignment six decimals.

    Raises
    ------
    FileNotFoundError
        A cell has not been run.
    """
    frame = score_repeat(task, dataset, repeat, makers, folder)
    parts = {"same": _same(task, frame), "same_two": _rotations(task, frame, 2, disjoint=False)}
    parts |= {f"new_{word}": _rotations(task, frame, size, disjoint=True) for size, word in SIZES.items()}
    if task.name in scoring.RELEASED:
        folds = [((model, fold), data) for model, fold, data in _folds(task, dataset, repeat, makers, folder)]
        parts["released"] = _released(task, folds)
    means = _means(frame)
    curves = _curves(task, _oriented(task, means), means)
    alignment = pd.concat(parts, names=["scheme"]).reset_index()
    where = {"dataset": dataset, "repeat": repeat}
    kept = frame[[name for name in frame.columns if ":g" not in name]].reset_index()
    return Tables(kept.assign(**where), alignment.assign(**where), curves.assign(**where))


def _curves(task, metrics, utilities):
    if not task.has_curves:
        return pd.DataFrame({"metric": [], "family": []})
    parts = []
    for question in task.questions:
        tau = _agreement(metrics, _columns(utilities, question.name, "g"))["tau"]
        parts.append(pd.DataFrame(tau).add_prefix("t").assign(metric=metrics.columns, family=question.name))
    return pd.concat(parts, ignore_index=True)


def fresh_alignment(task: Task, dataset: str, repeats: int, makers: Sequence[str], folder: Path | str) -> pd.DataFrame:
    """Metric on disjoint subsets, utility on the other ones, models fitted anew on each.

    A row for each subset, metric and family under the schemes ``fresh_one``, ``fresh_two`` and
    ``fresh_three`` (metric averaged over so many subsets from this one on; agreement with the utility
    on each of the others, averaged), and ``fresh_same`` with both on the one subset.
    """
    means = [_means(score_repeat(task, dataset, repeat, makers, folder)) for repeat in range(repeats)]
    rows = []
    for first, own in enumerate(means):
        parts = {"fresh_same": _summary(task, _oriented(task, own), own)}
        for size, word in SIZES.items():
            inside = [(first + step) % repeats for step in range(size)]
            metrics = _oriented(task, sum((means[place] for place in inside[1:]), start=own) / size)
            outside = [mean for place, mean in enumerate(means) if place not in inside]
            if outside:
                parts[f"fresh_{word}"] = _mean_of([_summary(task, metrics, other) for other in outside])
        rows += [part.reset_index().assign(dataset=dataset, repeat=first, scheme=name) for name, part in parts.items()]
    return pd.concat(rows, ignore_index=True)


def _fit(plans, makers, given, disjoint):
    """Run what is missing of a plan, data set by data set."""
    failed: list[str] = []
    folder = given.folder / ("disjoint" if disjoint else "main")
    for name, plan in plans.items():
        cells = experiment.grid([name], makers, plan.repeats)
        failed += experiment.run(cells, {name: datasets.load(name)}, makers, folder, jobs=given.jobs, rows=plan.rows,
                                 disjoint=disjoint, scheduler=given.scheduler)
    return failed


def _chosen(plans: Mapping[str, Plan], given: Any) -> dict[str, Plan]:
    """The plan, for some data sets, with at most so many repeats."""
    most = given.repeats or np.inf
    return {name: plan._replace(repeats=int(min(plan.repeats, most))) for name, plan in plans.items()
            if given.datasets is None or name in given.datasets}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 1 if a cell failed, and then no table is written."""
    parser = argparse.ArgumentParser("python -m pwu_lite.replication.benchmark", description=(
        "Fit what is missing, score it, and write the tables of Parts IV and V. Go on where a run stopped."))
    parser.add_argument("task", choices=[*TASKS, *STUDIES])
    parser.add_argument("--datasets", nargs="+", help="some of the plan's")
    parser.add_argument("--repeats", type=int, help="at most so many")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("experiments"), help="where predictions are kept")
    parser.add_argument("--results", type=Path, help="where the tables go; book/results for the whole plan")
    parser.add_argument("--scheduler", help="address of a Dask scheduler (extra [cluster])")
    given = parser.parse_args(arguments)
    plan = STUDIES[given.task].repeats if given.task in STUDIES else TASKS[given.task].plan
    unknown = set(given.datasets or []) - set(plan)
    if unknown:
        parser.error(f"no such data set in the plan: {', '.join(sorted(unknown))}; there are {', '.join(plan)}")
    for name in ("repeats", "jobs"):
        if getattr(given, name) is not None and getattr(given, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(given, name)}")
    if given.results is None and (given.datasets or given.repeats):
        parser.error("a part of the plan needs --results, or it would overwrite the tables of the whole")
    given.results = given.results or Path("book/results")
    words = sys.argv[1:] if arguments is None else arguments
    if given.task in STUDIES:
        return study.run(STUDIES[given.task], given, words)
    task = TASKS[given.task]
    makers, plan, fresh = task.models(), _chosen(task.plan, given), _chosen(task.fresh, given)
    failed = _fit(plan, makers, given, False) + _fit(fresh, makers, given, True)
    if failed:
        print(f"{len(failed)} cells failed, no table was written", file=sys.stderr)
        return 1
    _write_all(task, given, plan, fresh, list(makers), f"python -m pwu_lite.replication.benchmark {shlex.join(words)}")
    return 0


def _kept(function, task, name, number, makers, folder, kind, plan):
    """The function's result, kept in a file until code, predictions or versions change: a killed run goes on."""
    key = hashlib.sha256(repr((task, list(makers), plan.rows, kind, stored_tables.versions())).encode())
    for repeat in range(number) if kind == "disjoint" else [number]:
        for cell in experiment.grid([name], makers, 1):
            key.update(cell._replace(repeat=repeat).path(folder / kind).read_bytes())
    package = Path(__file__).parents[1]
    for module in sorted(package.rglob("*.py")):
        if not str(module.relative_to(package)).startswith(_NO_NUMBERS):
            key.update(module.read_bytes())
    path = folder / "tables" / f"{name}-{kind}-{number:03d}-{key.hexdigest()[:16]}.joblib"
    if not path.exists():
        result = function(TASKS[task], name, number, makers, folder / kind)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        joblib.dump(result, part)
        part.replace(path)
    return joblib.load(path)


def _write_all(task, given, plan, fresh, makers, command):
    jobs: list[tuple[Any, ...]] = [(tables, name, repeat, "main", plan[name])
                                   for name in plan for repeat in range(plan[name].repeats)]
    jobs += [(fresh_alignment, name, fresh[name].repeats, "disjoint", fresh[name]) for name in fresh]
    print(f"scoring {len(jobs)} repeats and sets of subsets", flush=True)
    done = joblib.Parallel(n_jobs=given.jobs, verbose=1)(
        joblib.delayed(_kept)(function, task.name, name, number, makers, given.folder, kind, where)
        for function, name, number, kind, where in jobs)
    parts, subsets = done[:len(done) - len(fresh)], done[len(done) - len(fresh):]
    alignment = pd.concat([*[part.alignment for part in parts], *subsets], ignore_index=True)
    frames = {"scores": (pd.concat([part.scores for part in parts]), ["dataset", "model", "repeat", "fold"], "%.9g"),
              "alignment": (alignment, KEYS, "%.6f"),
              "curves": (pd.concat([part.curves for part in parts]), ["dataset", "repeat", "metric", "family"], "%.4f")}
    seeds = f"folds by repeat, models by 1000 * repeat + fold, sampled parameters {SEED}"
    for name, (frame, keys, digits) in frames.items():
        if len(frame):
            path = given.results / f"{task.name}_{name}.csv.gz"
            columns = [*keys, *[column for column in frame.columns if column not in keys]]
            stored_tables.write(path, frame[columns], command, seeds, digits)
            print(f"{path}: {len(frame)} rows, {path.stat().st_size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":  # by its name, so that what is kept in files can be read by any program
    from pwu_lite.replication.benchmark import main as run_by_name

    raise SystemExit(run_by_name())
