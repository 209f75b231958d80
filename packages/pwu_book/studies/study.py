"""A case study: data with money in it, parts that are learnt from and scored, and the run that writes its tables.

Implements the protocol of section 5.2 of the PWU paper, with new data beside the same data.
"""

from __future__ import annotations

import os
import platform
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwu_lite.alignment import kendall_tau
from pwu_lite.families import BinaryDecision
from pwu_lite.priors import Beta
from pwu_lite.pwu import PWU

from .. import tables as stored_tables
from ..runs import grid
from ..runs.tasks import TASKS

__all__ = ["HIGHER", "SURE", "Data", "Study", "agreement", "annuity", "beta_of", "column", "columns_of", "expect",
           "fit", "known_up_to_an_error", "printed", "read", "run", "summary", "tables"]

SURE = 1e-3  # thresholds with a Beta prior around them lie inside [SURE, 1 - SURE]
HIGHER = ("auroc", "error_detection_auroc")  # of the metrics that the tables hold


class Data(NamedTuple):
    """A table to learn from, and what a decision about each row costs or earns.

    Attributes
    ----------
    X : DataFrame of shape (n, p)
        What a model sees.
    y : ndarray of shape (n,)
        Labels 0 and 1, or targets.
    money : DataFrame of shape (n, ...)
        Prices, incomes, amounts: what a decision needs and no model sees.
    name, task, licence : str
        `task` is "binary" or "regression".
    """

    X: pd.DataFrame
    y: np.ndarray
    money: pd.DataFrame
    name: str
    task: str
    licence: str


class Study(NamedTuple):
    """What a run of a case study needs.

    Attributes
    ----------
    name : str
    repeats : mapping of data set to int
    load : callable
        From the name of a data set to `Data`.
    parts : callable
        From data and repeat to rows by part: "train", and those that are scored.
    models : callable
        Makers by name, each a function of a seed.
    tables : callable
        From data, parts, repeat and the models' predictions to tables by name.
    """

    name: str
    repeats: Mapping[str, int]
    load: Callable[[str], Data]
    parts: Callable[[Data, int], dict[str, np.ndarray]]
    models: Callable[[], dict[str, Any]]
    tables: Callable[[Data, dict[str, np.ndarray], int, dict[str, Any]], dict[str, pd.DataFrame]]


def column(name: str, values: Any, low: float, high: float, unit: str) -> np.ndarray:
    """Check that a column is finite and inside [low, high]; the error names column, first bad row, value and unit.

    Parameters
    ----------
    name : str
        Name of the column, for error messages.
    values : array_like, shape (n,)
        Values of the column.
    low, high : float
        Ends of what is allowed; infinite for no limit.
    unit : str
        Unit of the values, for error messages.

    Returns
    -------
    ndarray of float, shape (n,)

    Examples
    --------
    >>> column("fee", [1, 2], 0, 10, "GBP").tolist()
    [1.0, 2.0]
    """
    found = np.asarray(values, dtype=float)
    if found.ndim != 1 or found.size == 0:
        raise ValueError(f"{name} must be one-dimensional and not empty, got shape {found.shape}")
    bad = np.flatnonzero(~((found >= low) & (found <= high) & np.isfinite(found)))
    if bad.size:
        within = f"lie between {low:g} and {high:g}" if np.isfinite([low, high]).any() else "be finite"
        raise ValueError(f"{name} ({unit}) must {within}: row {bad[0]} has {found[bad[0]]:g}")
    return found


def columns_of(frame: pd.DataFrame, needed: Sequence[str], place: str) -> pd.DataFrame:
    """Return the frame if it has all columns that are needed.

    Parameters
    ----------
    frame : DataFrame
        Table to check.
    needed : sequence of str
        Names of the columns.
    place : str
        Name of the file, for error messages.

    Raises
    ------
    ValueError
        Naming the file and what is missing.
    """
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise ValueError(f"{place} lacks the column(s) {', '.join(missing)}; "
                         f"it has {', '.join(map(str, frame.columns))}")
    return frame


def expect(table: pd.DataFrame, number: int, file: str, things: str) -> pd.DataFrame:
    """Return the table with its rows numbered anew if it has as many rows as the book's runs had.

    Parameters
    ----------
    table : DataFrame
        Table to check.
    number : int
        Number of rows that it should have.
    file : str
        Name of the file, for error messages.
    things : str
        What a row is (plural), for error messages.

    Raises
    ------
    ValueError
        Naming the file and both numbers.
    """
    if len(table) != number:
        raise ValueError(f"{file} has {len(table)} {things}, expected {number}: another edition, or cut")
    return table.reset_index(drop=True)


def read(readers: Mapping[str, Callable[[], Data]], name: str) -> Data:
    """Read the data set of this name.

    Parameters
    ----------
    readers : mapping of name to callable
        Functions that return `Data`.
    name : str
        Key of `readers`.

    Raises
    ------
    ValueError
        There is none; the message says which there are.
    """
    if name not in readers:
        raise ValueError(f"there is no data set {name!r}; there are {', '.join(readers)}")
    return readers[name]()


def annuity(rate: Any, months: Any) -> Any:
    """Monthly payment that pays back a loan of one: ``rate/(1 - (1 + rate)**-months)``.

    Parameters
    ----------
    rate : float or ndarray
        Interest per month, as a positive share (0.01, not 1).
    months : float or ndarray
        Term.

    Examples
    --------
    >>> round(annuity(0.01, 12), 4)
    0.0888
    """
    return rate / (1 - (1 + rate) ** -months)


def beta_of(thresholds: np.ndarray, weights: np.ndarray) -> Beta:
    """The Beta prior with the mean and the variance of the weighted thresholds.

    Parameters
    ----------
    thresholds : ndarray, shape (n,)
        Cost shares, in [0, 1].
    weights : ndarray, shape (n,)
        Non-negative weights.

    Examples
    --------
    >>> prior = beta_of(np.array([0.1, 0.3]), np.array([1.0, 1.0]))
    >>> round(prior.a, 6), round(prior.b, 6)
    (3.0, 12.0)
    """
    mean = np.average(thresholds, weights=weights)
    total = mean * (1 - mean) / np.average((thresholds - mean) ** 2, weights=weights) - 1
    return Beta(float(mean * total), float((1 - mean) * total))


def known_up_to_an_error(y: np.ndarray, f: np.ndarray, threshold: np.ndarray, stake: np.ndarray) -> dict[str, float]:
    """Mean weighted PWUs with a Beta prior around each case's threshold, vague (kappa 10) and sharp (50).

    Parameters
    ----------
    y : ndarray, shape (n,)
        Labels 0 and 1.
    f : ndarray, shape (n,)
        Forecast probabilities of a 1, in [0, 1].
    threshold : ndarray, shape (n,)
        Each case's own cost share, moved into [`SURE`, 1 - `SURE`].
    stake : ndarray, shape (n,)
        Each case's weight: the money at stake.
    """
    t = np.clip(threshold, SURE, 1 - SURE)
    return {f"pwu_case_{kappa}": float(np.mean(stake * PWU(BinaryDecision(), Beta(kappa * t, kappa * (1 - t)))
                                               .per_sample(y, f))) for kappa in (10, 50)}


def fit(study: Study, data: Data, repeats: Sequence[int], folder: Path, *, models: Sequence[str] | None = None,
        jobs: int = 1, scheduler: str | None = None) -> list[str]:
    """Fit what is missing, one cell per model and repeat, and return what failed, in words.

    Parameters
    ----------
    study : Study
        The case study.
    data : Data
        One of its data sets.
    repeats : sequence of int
        Numbers of the repeats, from 0.
    folder : path
        Folder of the stored predictions.
    models : sequence of str, optional
        Names of the models; all of the study's if omitted.
    jobs : int
        Processes at a time, default 1.
    scheduler : str, optional
        Address of a Dask scheduler, to use its workers instead.
    """
    makers = study.models()
    cells = [grid.Cell(data.name, model, repeat, 0) for repeat in repeats for model in models or makers]

    def split(data, cell):
        parts = study.parts(data, cell.repeat)
        scored = [rows for part, rows in parts.items() if part != "train"]
        return parts["train"], np.concatenate(scored)

    return grid.run(cells, {data.name: data}, makers, folder, jobs=jobs, split=split, scheduler=scheduler)


def tables(study: Study, data: Data, repeat: int, folder: Path, models: Sequence[str] | None = None,
           ) -> dict[str, pd.DataFrame]:
    """Tables of one repeat by name, from stored predictions.

    Parameters
    ----------
    study : Study
        The case study.
    data : Data
        One of its data sets.
    repeat : int
        Number of the repeat, from 0.
    folder : path
        Folder of the stored predictions.
    models : sequence of str, optional
        Names of the models; all of the study's if omitted.

    Raises
    ------
    FileNotFoundError
        A cell has not been run.
    """
    said = {model: grid.predictions(grid.Cell(data.name, model, repeat, 0), folder, TASKS[data.task])
            for model in models or study.models()}
    found = study.tables(data, study.parts(data, repeat), repeat, said)
    return {name: table.assign(dataset=data.name, repeat=repeat) for name, table in found.items()}


def run(study: Study, given: Any, arguments: Sequence[str]) -> int:
    """Run ``python -m pwu_book.studies wind|credit|lending``: fit, score, write the tables of that name.

    Returns 0, or 1 if a cell failed; then no table is written, and a second call goes on with what is missing.

    Parameters
    ----------
    study : Study
        The case study.
    given : Namespace
        Parsed options: ``datasets``, ``repeats``, ``folder``, ``results``, ``jobs`` and ``scheduler``.
    arguments : sequence of str
        Words of the command, which the tables name.
    """
    parts: dict[str, list[pd.DataFrame]] = {}
    started = time.time()
    for name in given.datasets or study.repeats:
        data = study.load(name)
        repeats = range(min(study.repeats[name], given.repeats or study.repeats[name]))
        failed = fit(study, data, repeats, given.folder / study.name, jobs=given.jobs,
                     scheduler=given.scheduler)
        if failed:
            print(f"{len(failed)} cells failed, no table was written", file=sys.stderr)
            return 1
        for repeat in repeats:
            for table, frame in tables(study, data, repeat, given.folder / study.name).items():
                parts.setdefault(table, []).append(frame)
            print(f"{name}: scored {repeat + 1} of {len(repeats)}", flush=True)
    command = f"python -m pwu_book.studies {shlex.join(arguments)}"
    seeds = (f"parts by repeat, models by 1000 * repeat; {platform.machine()}, {os.cpu_count()} cores, "
             f"{(time.time() - started) / 60:.0f} minutes in this call")
    for table, frames in parts.items():
        whole = pd.concat(frames, ignore_index=True)
        first = [name for name in ("dataset", "repeat", "part", "model") if name in whole]
        path = given.results / f"{study.name}_{table}.csv.gz"
        stored_tables.write(path, whole[[*first, *whole.columns.difference(first, sort=False)]], command, seeds, "%.9g")
        print(f"{path}: {len(whole)} rows, {path.stat().st_size / 1e6:.2f} MB", flush=True)
    return 0


def agreement(scores: pd.DataFrame, metrics: Sequence[str], cost: str, *, chosen: str, paid: str,
              higher: Sequence[str] = HIGHER) -> pd.DataFrame:
    """Kendall's tau between metrics on one part and a cost on another, and between the cost and itself.

    Parameters
    ----------
    scores : DataFrame
        A row for each repeat, part and model of one data set.
    metrics : sequence of str
        Columns; lower is better, but for those in `higher`.
    cost : str
        A column, lower is better.
    chosen, paid : str
        The parts on which the metric is measured and the cost is paid.
    higher : sequence of str
        Metrics of which higher is better; default `HIGHER`.

    Returns
    -------
    DataFrame
        A row for each repeat, a column for each metric, and "itself": the cost on `chosen`.

    Examples
    --------
    >>> rows = pd.DataFrame({"repeat": 0, "part": ["same"] * 3, "model": list("abc"), "brier_score": [1.0, 2.0, 3.0],
    ...                      "cost": [1.0, 3.0, 2.0]})
    >>> agreement(rows, ["brier_score"], "cost", chosen="same", paid="same").round(2).to_dict("list")
    {'brier_score': [0.33], 'itself': [1.0]}
    """
    wide = scores.set_index(["repeat", "part", "model"])[[*metrics, cost]].astype(float).sort_index()
    found = {}
    for repeat in dict.fromkeys(scores["repeat"]):
        here, there = wide.loc[(repeat, chosen)], wide.loc[(repeat, paid)]
        found[repeat] = {name: _tau(here[name] * (-1 if name in higher else 1), there[cost])
                         for name in [*metrics, cost]}
    return pd.DataFrame.from_dict(found, orient="index").rename(columns={cost: "itself"}).rename_axis("repeat")


def _tau(metric, cost):
    """Endless losses are tied for the worst; NaN where a metric is not defined for some model."""
    if metric.isna().any():
        return float("nan")
    worst = metric[np.isfinite(metric)].max() + 1.0
    return kendall_tau(metric.where(np.isfinite(metric), worst), cost)


def printed(frame: pd.DataFrame, formats: Any) -> Any:
    """A table for a page, with one format for all columns or one per column; other fractions have six decimals.

    Parameters
    ----------
    frame : DataFrame
        Table to show. Text in it is HTML.
    formats : str, callable, or mapping of column to one of them
        Format strings, such as ``"{:.0%}"``, or functions from a value to its text.

    Examples
    --------
    >>> "12%" in printed(pd.DataFrame({"a": [0.12]}), {"a": "{:.0%}"}).to_html()
    True
    """
    ways = formats if isinstance(formats, Mapping) else dict.fromkeys(frame, formats)
    shown = frame.astype(object)
    for name in frame:
        way = ways.get(name, lambda value: f"{value:.6f}" if isinstance(value, float) else str(value))
        shown[name] = [way(value) if callable(way) else way.format(value) for value in frame[name]]
    with pd.option_context("display.max_colwidth", None):
        return Printed(shown.to_html(border=0, escape=False))


class Printed:
    """HTML of a table, which a notebook shows."""

    def __init__(self, text: str):
        self.text = text

    def to_html(self) -> str:
        """The HTML."""
        return self.text

    _repr_html_ = to_html


def summary(taus: pd.DataFrame) -> pd.DataFrame:
    """Median and 5% to 95% range of each metric over the repeats, which share their cases.

    Parameters
    ----------
    taus : DataFrame
        A row for each repeat and a column for each metric, from `agreement`.
    """
    return pd.DataFrame({"median": taus.median(), "low": taus.quantile(0.05), "high": taus.quantile(0.95)})
