"""How often a comparison of equally good models calls one of them costlier, and whether it keeps the one that is best.

Implements no section of the sources: runs behind the page "Notes on intervals".

Usage: python -m pwu_book.studies twins
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.signal import lfilter
from scipy.special import expit

from pwu_desk.boards import Charged
from pwu_desk.tallies import compare_tallies
from pwu_desk.tally import Tally
from pwu_lite.families import BinaryDecision, TopK
from pwu_lite.priors import Beta
from pwu_lite.pwu import PWU
from pwu_lite.reporting.compare import compare

from .. import tables

__all__ = ["ROWS", "Row", "main", "share_of_false"]

TARGET = Path("packages/pwu_book/tables/twins.csv.gz")
SETS, RESAMPLES = 300, 400
SCORE = PWU(BinaryDecision(), Beta(2, 10))


class Row(NamedTuple):
    """Data sets of one kind: outcomes and models, and how they are compared.

    Attributes
    ----------
    draw : callable
        ``draw(rng, k)`` gives outcomes, a forecast of each model, and groups (or None).
    score : PWU
    options : dict
        Of `compare`.
    models : tuple of int
    best : bool
        Is the first model truly the best one? Else all are equally good.
    """

    draw: Callable[[np.random.Generator, int], tuple[Any, list[Any], Any]]
    score: PWU = SCORE
    options: dict[str, Any] = {}
    models: tuple[int, ...] = (2, 5, 8, 20)
    best: bool = False


def _binary(n: int, base: float = -1.5, step: float = 0.0, lacks: float = 0.0) -> Callable[..., Any]:
    """Forecasts with noise of their own in the log odds: as much for each, or more for each one that follows."""
    def draw(rng, k):
        x = rng.normal(base, 1, n)
        models = [expit(x + rng.normal(0, 0.7 if not step else 0.2 + step * j, n)) for j in range(k)]
        for model in models if lacks else []:
            model[rng.random(n) < lacks] = np.nan
        return rng.random(n) < expit(x), models, None
    return draw


def _groups(number: int, each: int, uneven: float = 0.0, step: float = 0.0) -> Callable[..., Any]:
    """Groups that share their risk, and what each model gets wrong."""
    def draw(rng, k):
        size = np.maximum(1, (each * np.exp(uneven * rng.normal(size=number))).astype(int))
        group = np.repeat(np.arange(number), size)
        x = rng.normal(-1.5, 1, number)[group] + rng.normal(0, 0.3, group.size)
        models = [expit(x + rng.normal(0, 0.6 if not step else 0.2 + step * j, number)[group]) for j in range(k)]
        return rng.random(group.size) < expit(x), models, group
    return draw


def _skewed(n: int) -> Callable[..., Any]:
    def draw(rng, k):
        common = 0.8 * rng.normal(size=n)
        return np.arange(n), [np.exp(common + rng.normal(size=n)) for _ in range(k)], None
    return draw


def _normal(number: int, each: int = 1) -> Callable[..., Any]:
    """Losses with a normal part of each unit, which is all that the few units say of a model."""
    def draw(rng, k):
        unit = np.repeat(np.arange(number), each)
        models = [rng.normal(size=number)[unit] + (each > 1) * rng.normal(size=unit.size) for _ in range(k)]
        return np.arange(unit.size), models, unit if each > 1 else None
    return draw


def _series(rho: float, n: int) -> Callable[..., Any]:
    def draw(rng, k):
        return np.arange(n), [lfilter([1], [1, -rho], rng.normal(size=n + 100))[100:] for _ in range(k)], None
    return draw


LOSSES = PWU(Charged())
ROWS: dict[str, Row] = {
    **{f"binary, n = {n:,}": Row(_binary(n)) for n in (100, 400, 4000)},
    "binary, n = 25,000, normal": Row(_binary(25_000), models=(2, 8, 20)),
    "1% events, n = 1,000": Row(_binary(1000, base=-5.0)),
    **{f"log-normal losses, n = {n:,}": Row(_skewed(n), LOSSES) for n in (100, 400, 4000)},
    **{f"{number} groups of 20": Row(_groups(number, 20)) for number in (10, 20, 40)},
    **{f"{number} groups of very different size": Row(_groups(number, 15, uneven=1.0)) for number in (20, 40)},
    "weights, log-normal, n = 400": Row(_binary(400), options={"weighted": True}),
    "a fifth of the forecasts missing, n = 400": Row(_binary(400, lacks=0.2), models=(2, 5, 8)),
    "AR(0.5), n = 500, blocks of 24": Row(_series(0.5, 500), LOSSES, {"blocks": 24}),
    "AR(0.5), n = 500, hac": Row(_series(0.5, 500), LOSSES, {"interval": "hac"}),
    "a reference named before, n = 400": Row(_binary(400), options={"against": "0"}),
    "top k, n = 200": Row(_binary(200), PWU(TopK(), Beta(2, 10)), models=(2, 5)),
    "tallies, n = 10,000 in 100 blocks": Row(_binary(10_000), options={"tallies": 100}, models=(2, 8)),
    **{f"one is best, binary, n = {n:,}": Row(_binary(n, step=0.25), models=(8,), best=True) for n in (400, 2000)},
    "one is best, 20 groups of 50": Row(_groups(20, 50, step=0.25), models=(8,), best=True),
    "one is best, a reference named before, n = 2,000": Row(_binary(2000, step=0.25), options={"against": "3"},
                                                            models=(8,), best=True),
    **{f"normal losses, {number} groups of 20": Row(_normal(number, 20), LOSSES) for number in (7, 10, 20)},
    "normal losses, n = 30": Row(_normal(30), LOSSES, models=(2, 8, 20, 50)),
}
"""Rows of the table, by name."""


def _table(row: Row, rng: np.random.Generator, models: int, seed: int) -> pd.DataFrame:
    """One data set, compared."""
    y, forecasts, groups = row.draw(rng, models)
    options = dict(row.options)
    named = {str(name): forecast for name, forecast in enumerate(forecasts)}
    blocks = options.pop("tallies", None)
    if blocks:
        tallies = {name: Tally() for name in named}
        for name, forecast in named.items():
            tallies[name].update(y, forecast, block=np.arange(len(y)) % blocks)
        return compare_tallies(tallies, row.score).table
    if options.pop("weighted", False):
        options["sample_weight"] = np.exp(0.8 * rng.normal(size=len(y)))
    return compare(y, named, row.score, groups=groups, n_resamples=RESAMPLES, seed=seed, **options).table


def share_of_false(name: str, models: int, sets: int = SETS) -> dict[str, Any]:
    """In which share of the data sets something false is said, and how many models are ruled out.

    Parameters
    ----------
    name : str
        One of `ROWS`.
    models : int
    sets : int

    Returns
    -------
    dict
        ``false``, the share of data sets in which a model that is as good as any is called costlier (or the best one is
        left out of those that may be the best); ``left out``, the mean number of models that are.

    Examples
    --------
    >>> found = share_of_false("binary, n = 100", 5, sets=4)
    >>> found["models"], bool(found["false"] <= 0.5)
    (5, True)
    """
    row, wrong, out = ROWS[name], [], []
    for seed in range(sets):
        table = _table(row, np.random.default_rng([list(ROWS).index(name), seed]), models, seed)
        stays = table["may be best"].astype(bool)
        out.append((~stays).sum())
        wrong.append(not stays["0"] if row.best else bool(table["verdict"].isin(["costlier", "cheaper"]).any()))
    return {"row": name, "models": models, "sets": sets, "best": row.best, "false": np.mean(wrong),
            "left out": np.mean(out)}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 0 once the table is written.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the command; those of the process if omitted.
    """
    parser = argparse.ArgumentParser("python -m pwu_book.studies twins", description=(
        "Simulate how often equally good models are told apart, and write the table of the page on intervals."))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sets", type=int, default=SETS)
    given = parser.parse_args(arguments)
    rows = Parallel(n_jobs=given.jobs, verbose=5)(
        delayed(share_of_false)(name, models, given.sets) for name, row in ROWS.items() for models in row.models)
    tables.write(TARGET, pd.DataFrame(rows), "python -m pwu_book.studies twins",
                 f"numpy.random.default_rng([row, set]), resamples by other numbers; {given.sets} data sets, "
                 f"{RESAMPLES} resamples", "%.6g")
    return 0
