"""A grid of data set x model x repeat x fold: every cell written at once, resumed where it stopped.

Implements the cross-validation of appendix J of the PWU paper.
"""

from __future__ import annotations

import contextlib
import hashlib
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

from .. import tables as stored_tables
from .tasks import TASKS, Task

__all__ = ["Cell", "Prediction", "grid", "predictions", "run", "same_rows", "subset"]

VERSION = 1  # of the predictions: raise it when the code of a model, or of a fold, changes them
FOLDS = 5


def _say(line):
    print(line, flush=True)  # at once, into a file, too


class Cell(NamedTuple):
    """One fit: a model on all folds but one of a shuffled data set."""

    dataset: str
    model: str
    repeat: int
    fold: int

    def path(self, folder: Path) -> Path:
        """Path of the file with the cell's predictions.

        Parameters
        ----------
        folder : path
            Folder of the stored predictions.
        """
        return folder / self.dataset / self.model.replace(" ", "_") / f"{self.repeat:03d}-{self.fold}.npy"


class Prediction(NamedTuple):
    """What a cell left behind: the test cases' places in the data set, targets, and prediction."""

    case: np.ndarray
    y: np.ndarray
    forecast: tuple[np.ndarray, ...]  # (y_prob,), or (mean, std), or (mean, cov)


def grid(names: Iterable[str], makers: Iterable[str], repeats: int, folds: int = FOLDS) -> list[Cell]:
    """List all cells, repeat by repeat, so that a run that is stopped has whole repeats.

    Parameters
    ----------
    names : iterable of str
        Names of the data sets.
    makers : iterable of str
        Names of the models.
    repeats : int
        Number of repeats.
    folds : int
        Number of folds, default 5.

    Examples
    --------
    >>> len(grid(["heart", "sonar"], ["naive Bayes"], repeats=3))
    30
    """
    return [Cell(name, model, repeat, fold) for repeat in range(repeats) for name in names for model in makers
            for fold in range(folds)]


def run(cells: Sequence[Cell], tables: Mapping[str, Any], makers: Mapping[str, Any], folder: Path | str, *,
        jobs: int = 1, rows: int | None = None, disjoint: bool = False, scheduler: str | None = None,
        split: Any = None, report: Any = _say) -> list[str]:
    """Fit what is not there yet; each finished cell is written at once, whole or not at all.

    The result of a cell depends on the cell alone: its folds on the repeat, its seed on repeat
    and fold, never on the order, the number of jobs or the names of models. Cells of another `VERSION`, of
    other data or other versions of packages are not used: they are set aside, beside the new ones, and come
    back when what made them does.

    Parameters
    ----------
    cells : sequence of Cell
    tables : mapping of name to Dataset, or to anything else with X, y and task
    makers : mapping of name to callable
        A seed gives a model with `fit(X, y)` and `predict(X)`, see `models.classifiers`.
    folder : path
        Predictions go to ``folder/dataset/model/repeat-fold.npy``: a row for each test case, with its
        index in the data set, the target, and the prediction's columns.
    jobs : int
        Processes at a time.
    rows : int, optional
        Use a fixed random subset of larger data sets, the same in every repeat.
    disjoint : bool
        Use another subset of `rows` rows in every repeat, disjoint until the data set is used up.
    scheduler : str, optional
        Address of a Dask scheduler, to use its workers instead (they must see `folder`).
    split : callable, optional
        ``split(data, cell)`` gives the rows to fit to and the rows to predict; a fold of five, if not given.
    report : callable
        Gets lines about progress.

    Returns
    -------
    list of str
        What failed: cell and reason. A failing cell does not stop the others.

    Raises
    ------
    ValueError
        The folder holds cells of another choice of rows; `jobs` is zero, or `rows` less than one.
    """
    folder = Path(folder)
    if jobs == 0 or (rows is not None and rows < 1):
        raise ValueError(f"jobs must not be zero and rows at least 1, got jobs={jobs}, rows={rows}")
    _one_folder_each({cell.model for cell in cells})
    for name in sorted({cell.dataset for cell in cells}):
        same_rows(folder / name, rows, disjoint)
        made = _made_by(tables[name])
        for model in sorted({cell.model for cell in cells if cell.dataset == name}):
            if _set_aside(Cell(name, model, 0, 0).path(folder).parent, made):
                report(f"{name}, {model}: version, data or packages have changed, its old cells are set aside")
    left = [cell for cell in cells if not _is_sound(cell.path(folder))]
    report(f"{len(cells) - len(left)} of {len(cells)} cells are there, {len(left)} to fit")
    failed, started, told = [], time.time(), time.time()
    with _backend(scheduler):
        work = Parallel(n_jobs=jobs, return_as="generator_unordered")(
            delayed(_fit_one)(cell, tables[cell.dataset], makers[cell.model], folder, rows, disjoint, split)
            for cell in left)
        for done, reason in enumerate(work, 1):
            if reason:
                failed.append(reason)
                report(f"FAILED {reason}")
            if time.time() - told > 10 or done == len(left):
                told, pace = time.time(), (time.time() - started) / done
                report(f"{done} of {len(left)}, {pace * (len(left) - done) / 60:.1f} min left")
    return failed


def _made_by(data):
    """What decides a model's predictions besides its name and the cell: version, data and packages, as one text."""
    return f"version {VERSION}\n{_digest(data)}\nversions {stored_tables.versions()}"


def _short(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _digest(data):
    """Features and targets of a data set, as text."""
    table = pd.util.hash_pandas_object(pd.DataFrame(data.X), index=False).to_numpy().tobytes()
    columns = repr(list(getattr(data.X, "columns", [])))
    return f"data {_short(hashlib.sha256(table + np.ascontiguousarray(data.y).tobytes()).hexdigest() + columns)}"


def _set_aside(place, made):
    """Note what makes the cells of a folder; move cells away that something else made. Have any been moved?"""
    note = place / "made_by.txt"
    before = note.read_text() if note.exists() else "unknown"
    moved = place.exists() and before != made
    if moved:
        place.rename(_free(place, before))
    earlier = place.with_name(f"{place.name}~{_short(made)}")
    if not place.exists() and earlier.exists():
        earlier.rename(place)
    place.mkdir(parents=True, exist_ok=True)
    note.write_text(made)
    return moved


def _free(place, made):
    """Where a folder of cells is kept that something else made."""
    path = place.with_name(f"{place.name}~{_short(made)}")
    number = 1
    while path.exists():
        path, number = place.with_name(f"{place.name}~{_short(made)}~{number}"), number + 1
    return path


def _is_sound(path):
    """Is the file there, and can it be read? A damaged one is named and deleted."""
    if not path.exists():
        return False
    try:
        np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        print(f"{path} is damaged ({error}): this cell runs again", file=sys.stderr)
        path.unlink()
        return False
    return True


def predictions(cell: Cell, folder: Path | str, task: Task) -> Prediction:
    """Read what the model said in one cell.

    Parameters
    ----------
    cell : Cell
        Data set, model, repeat and fold.
    folder : path or str
        Folder of the stored predictions.
    task : Task
        Kind of forecast.

    Raises
    ------
    FileNotFoundError
        The cell has not been run.
    ValueError
        The file is damaged.
    """
    path = cell.path(Path(folder))
    if not path.exists():
        raise FileNotFoundError(f"{cell} has not been run: {path} does not exist")
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ValueError(f"{path} is damaged ({error}): delete it and run the cell again") from error
    return Prediction(values[:, 0].astype(int), *task.unpack(values[:, 1:]))


def subset(n: int, repeat: int, rows: int | None = None, disjoint: bool = False) -> np.ndarray:
    """Places of the rows that a repeat uses, in ascending order.

    All n; or a random subset that is the same in every repeat; or, with `disjoint`, the blocks of
    a random permutation, one after the other, and then those of the next permutation.

    Parameters
    ----------
    n : int
        Number of rows of the data set.
    repeat : int
        Number of the repeat, from 0.
    rows : int, optional
        Rows to use, at least 1; all n if omitted. With `disjoint` it is needed, at most half of n.
    disjoint : bool
        Use another block of `rows` rows in every repeat; default False.

    Raises
    ------
    ValueError
        The data are too few for two disjoint subsets.

    Examples
    --------
    >>> len(subset(10, repeat=0, rows=4)), len(set(subset(10, 0, 5, True)) & set(subset(10, 1, 5, True)))
    (4, 0)
    """
    if disjoint:
        if rows is None or not 1 <= rows <= n // 2:
            raise ValueError(f"disjoint subsets need rows from 1 to {n // 2}, half of the {n} there are, got {rows}")
        blocks = n // rows
        order = np.random.default_rng(repeat // blocks).permutation(n)
        return np.sort(order[repeat % blocks * rows:][:rows])
    if rows is None or rows >= n:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, rows, replace=False))


def _fit_one(cell, data, maker, folder, rows, disjoint, split):
    """Fit, predict and write one cell; the reason if that fails."""
    try:
        kept = subset(len(data.y), cell.repeat, rows, disjoint)
        X, y = data.X.iloc[kept].reset_index(drop=True), data.y[kept]
        task = TASKS[data.task]
        train, test = split(data, cell) if split else _split(task, X, y, cell)
        model = maker(1000 * cell.repeat + cell.fold)
        with warnings.catch_warnings(), threadpool_limits(1):  # sums do not depend on the number of threads
            warnings.simplefilter("ignore")  # a model that did not converge is a model all the same
            prediction = model.fit(X.iloc[train], y[train]).predict(X.iloc[test])
        _write(cell.path(folder), np.column_stack([kept[test], y[test], *_columns(prediction, task)]))
    except OSError:
        raise  # a full disk ends the run; what is written stays
    except Exception as reason:
        where = f"{cell.dataset}, {cell.model}, repeat {cell.repeat}, fold {cell.fold}"
        return f"{where}: {type(reason).__name__}: {reason}"
    return ""


def _one_folder_each(names):
    """Two models must not share a folder, nor a name lead out of it."""
    folders = {name.replace(" ", "_") for name in names}
    wrong = sorted(name for name in names if "/" in name or "\\" in name or name.strip(". ") == "")
    if wrong or len(folders) < len(names):
        raise ValueError(f"names of models become names of folders, spaces as underscores; rename one of "
                         f"{', '.join(wrong or sorted(names))}")


def same_rows(folder: Path | str, rows: int | None, disjoint: bool) -> None:
    """Note the choice of rows in a data set's folder of cells, or refuse one that differs from the one noted there.

    Parameters
    ----------
    folder : path or str
        Folder of the data set's cells.
    rows : int or None
        Rows to use; None for all.
    disjoint : bool
        Whether each repeat uses another block of rows.

    Raises
    ------
    ValueError
        Cells of different choices of rows must not be mixed.
    """
    path, words = Path(folder) / "rows.txt", f"rows={rows}, disjoint={disjoint}\n"
    if path.exists() and path.read_text() != words:
        raise ValueError(f"{path.parent} holds cells with {path.read_text().strip()}, not {words.strip()}: "
                         f"name another folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(words)


def _split(task, X, y, cell):
    kind = StratifiedKFold if task.classifies else KFold
    return list(kind(FOLDS, shuffle=True, random_state=cell.repeat).split(X, y))[cell.fold]


def _columns(prediction, task):
    """Columns of a probability, of class probabilities, or of mean and spread; finite, or an error."""
    parts = prediction if isinstance(prediction, tuple) else (prediction,)
    columns = [column for part in parts for column in np.asarray(part, dtype=float).reshape(len(part), -1).T]
    task.check(columns)
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
