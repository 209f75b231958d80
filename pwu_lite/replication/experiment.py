"""A grid of data set x model x repeat x fold: every cell written at once, resumed where it stopped.

May import datasets and models, numpy, pandas, scikit-learn and joblib; dask where a scheduler is named.
Implements the cross-validation of appendix J of the PWU paper.

Usage: python -m pwu_lite.replication.experiment binary --repeats 100 --jobs 2
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from . import datasets, models

__all__ = ["Cell", "collect", "grid", "main", "run"]

FOLDS = 5
PAPER = {"binary": datasets.names("binary")[:5], "regression": datasets.names("regression")[:5]}


class Cell(NamedTuple):
    """One fit: a model on all folds but one of a shuffled data set."""

    dataset: str
    model: str
    repeat: int
    fold: int

    def path(self, folder: Path) -> Path:
        """Where its predictions lie."""
        return folder / self.dataset / self.model.replace(" ", "_") / f"{self.repeat:03d}-{self.fold}.npy"


def grid(names: Iterable[str], makers: Iterable[str], repeats: int, folds: int = FOLDS) -> list[Cell]:
    """All cells, repeat by repeat, so that a run that is stopped has whole repeats.

    Examples
    --------
    >>> len(grid(["heart", "sonar"], ["naive Bayes"], repeats=3))
    30
    """
    return [Cell(name, model, repeat, fold) for repeat in range(repeats) for name in names for model in makers
            for fold in range(folds)]


def run(cells: Sequence[Cell], tables: Mapping[str, datasets.Dataset], makers: Mapping[str, Any], folder: Path | str, *,
        jobs: int = 1, rows: int | None = None, scheduler: str | None = None, report: Any = print) -> list[str]:
    """Fit what is not there yet; each finished cell is written at once, whole or not at all.

    The result of a cell depends on the cell alone: its folds on the repeat, its seed on repeat
    and fold, never on the order, the number of jobs or the names of models.

    Parameters
    ----------
    cells : sequence of Cell
    tables : mapping of name to Dataset
    makers : mapping of name to callable
        A seed gives a model with `fit(X, y)` and `predict(X)`, see `models.classifiers`.
    folder : path
        Predictions go to ``folder/dataset/model/repeat-fold.npy``: a row for each test case, with its
        index in the data set, the target, and the prediction's columns.
    jobs : int
        Processes at a time.
    rows : int, optional
        Use a fixed random subset of larger data sets, the same in every repeat.
    scheduler : str, optional
        Address of a Dask scheduler, to use its workers instead (they must see `folder`).
    report : callable
        Gets lines about progress.

    Returns
    -------
    list of str
        What failed: cell and reason. A failing cell does not stop the others.
    """
    folder = Path(folder)
    left = [cell for cell in cells if not cell.path(folder).exists()]
    report(f"{len(cells) - len(left)} of {len(cells)} cells are there, {len(left)} to fit")
    failed, started, told = [], time.time(), time.time()
    with _backend(scheduler):
        work = Parallel(n_jobs=jobs, return_as="generator_unordered")(
            delayed(_fit_one)(cell, tables[cell.dataset], makers[cell.model], folder, rows) for cell in left)
        for done, reason in enumerate(work, 1):
            if reason:
                failed.append(reason)
                report(f"FAILED {reason}")
            if time.time() - told > 10 or done == len(left):
                told, pace = time.time(), (time.time() - started) / done
                report(f"{done} of {len(left)}, {pace * (len(left) - done) / 60:.1f} min left")
    return failed


def collect(cells: Sequence[Cell], folder: Path | str) -> dict[tuple[str, str, int], pd.DataFrame]:
    """Predictions by data set, model and repeat: a row for each test case of all of its folds.

    Returns
    -------
    dict of DataFrame
        Columns ``fold``, ``case``, ``y``, and ``p0``, ``p1``, ... for the prediction's columns.

    Raises
    ------
    FileNotFoundError
        A cell has not been run.
    """
    parts: dict[tuple[str, str, int], list[pd.DataFrame]] = {}
    for cell in cells:
        path = cell.path(Path(folder))
        if not path.exists():
            raise FileNotFoundError(f"{cell} has not been run: {path} does not exist")
        values = np.load(path)
        frame = pd.DataFrame(values[:, 2:]).add_prefix("p")
        frame.insert(0, "y", values[:, 1])
        frame.insert(0, "case", values[:, 0].astype(int))
        frame.insert(0, "fold", cell.fold)
        parts.setdefault(cell[:3], []).append(frame)
    return {key: pd.concat(frames, ignore_index=True) for key, frames in parts.items()}


def _fit_one(cell, data, maker, folder, rows):
    """Fit, predict and write one cell; the reason if that fails."""
    try:
        X, y, kept = _subset(data, rows)
        train, test = _split(data.task, X, y, cell)
        model = maker(1000 * cell.repeat + cell.fold)
        with warnings.catch_warnings(), threadpool_limits(1):  # sums do not depend on the number of threads
            warnings.simplefilter("ignore")  # a model that did not converge is a model all the same
            prediction = model.fit(X.iloc[train], y[train]).predict(X.iloc[test])
        _write(cell.path(folder), np.column_stack([kept[test], y[test], *_columns(prediction)]))
    except OSError:
        raise  # a full disk ends the run; what is written stays
    except Exception as reason:
        where = f"{cell.dataset}, {cell.model}, repeat {cell.repeat}, fold {cell.fold}"
        return f"{where}: {type(reason).__name__}: {reason}"
    return ""


def _subset(data, rows):
    kept = np.arange(len(data.y))
    if rows is not None and rows < len(kept):
        kept = np.sort(np.random.default_rng(0).choice(len(kept), rows, replace=False))
    return data.X.iloc[kept].reset_index(drop=True), data.y[kept], kept


def _split(task, X, y, cell):
    kind = StratifiedKFold if task in ("binary", "multiclass") else KFold
    return list(kind(FOLDS, shuffle=True, random_state=cell.repeat).split(X, y))[cell.fold]


def _columns(prediction):
    """Columns of a probability, of class probabilities, or of mean and standard deviation; finite, or an error."""
    parts = prediction if isinstance(prediction, tuple) else (prediction,)
    columns = [column for part in parts for column in np.atleast_2d(np.asarray(part, dtype=float).T)]
    if not np.isfinite(columns).all():
        raise ValueError("the prediction is not finite")
    return columns


def _write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    with open(part, "wb") as file:
        np.save(file, values)
    part.replace(path)


@contextlib.contextmanager
def _backend(scheduler):
    """Joblib's own processes, or a Dask cluster."""
    if scheduler is None:
        yield
        return
    from dask.distributed import Client

    with Client(scheduler), parallel_config(backend="dask"):
        yield


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 1 if a cell failed."""
    what = "Fit every model to every fold of every repeat; go on where it stopped."
    parser = argparse.ArgumentParser("python -m pwu_lite.replication.experiment", description=what)
    parser.add_argument("task", choices=list(PAPER))
    parser.add_argument("--datasets", nargs="+", help="instead of the paper's five")
    parser.add_argument("--models", nargs="+", help="some of the ten")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rows", type=int, help="at most so many rows of each data set, a fixed random subset")
    parser.add_argument("--folder", type=Path, default=Path("experiments"))
    parser.add_argument("--scheduler", help="address of a Dask scheduler (extra [cluster])")
    given = parser.parse_args(arguments)
    makers = models.classifiers() if given.task == "binary" else models.regressors()
    unknown = set(given.models or []) - set(makers)
    if unknown or given.repeats < 1:
        parser.error(f"no such model: {', '.join(sorted(unknown))}" if unknown else "repeats must be at least 1")
    names = given.datasets or PAPER[given.task]
    tables = {name: datasets.load(name) for name in names}
    cells = grid(names, given.models or list(makers), given.repeats)
    failed = run(cells, tables, makers, given.folder, jobs=given.jobs, rows=given.rows, scheduler=given.scheduler)
    print(f"{len(cells) - len(failed)} cells in {given.folder}, {len(failed)} failed", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
