"""The run: fits, scores, one table.

Implements no part of a source; it asks what section 5.1 of the PWU paper leaves open.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from pwu_lite._ranks import snap

from ... import tables
from ...runs import grid
from ...runs.tasks import BINARY, REGRESSION
from .draws import SHARE_PRIORS, exact, read_draw
from .scores import fitted, hits, outcome, scores
from .sources import (
    ARMS,
    KNOWING,
    LABEL_DRAWS,
    LABELS,
    POOL,
    SOURCES,
    TRAINING_DRAWS,
    half,
    load,
    makers,
    split,
)

__all__ = ["main", "run_draw"]

VERSION = 1  # of the numbers: raise it when the code changes them, and all kept results are computed again
QUESTIONS = {"binary": BINARY.question("binary"), "top_k": BINARY.question("top_k"),
             "selective": REGRESSION.question("selective")}


def _paid(family, draw):
    """Cost of each model on the paying cases, and its utility at each cell of the prior's grid."""
    question = QUESTIONS[family]
    y, score = draw.y[POOL:], exact(family, draw.scale)
    forecasts = [tuple(part[POOL:] for part in parts) for parts in draw.forecasts.values()]
    grid = question.grid()[:, 0]
    thetas = np.clip(np.ceil(grid * y.size), 1, y.size) if family == "top_k" else grid * draw.scale
    cost = np.array([score(y, *parts) for parts in forecasts])
    return cost, np.array([question.family.utility(thetas, y, *parts) for parts in forecasts]), question.mass()


def run_draw(source: str, repeat: int, arm: str, folder: Path | str) -> pd.DataFrame:
    """Regret and Somers' d of each score with each number of labels, for one training draw.

    Parameters
    ----------
    source : str
        Key of `SOURCES`.
    repeat : int
        Number of the training draw, from 0.
    arm : {"as trained", "private", "copies"}
        Which models there are.
    folder : path or str
        Folder of the stored predictions.
    """
    with threadpool_limits(1):
        draw, parts = read_draw(source, repeat, folder, arm), []
        for family in ["selective"] if SOURCES[source] == "regression" else ["binary", "top_k"]:
            cost, utilities, mass = _paid(family, draw)
            chance = cost.mean() - cost.min()
            for n in LABELS:
                rows = []
                for number in range(LABEL_DRAWS if n < POOL else 1):
                    order = np.random.default_rng([repeat, n, number]).permutation(POOL)
                    labelled, rest = np.sort(order[:n]), np.sort(order[n:])
                    found = outcome(scores(family, draw, labelled, rest), cost, utilities, mass)
                    found.loc["deploy the reference"] = _deployed(family, draw, labelled) - cost.min(), np.nan
                    rows.append(found)
                mean = sum(rows) / len(rows)
                parts.append(mean.rename_axis("score").reset_index().assign(n=n, family=family, chance=chance))
            parts.append(_bias_alone(family, draw, cost).assign(family=family, chance=chance))
    return pd.concat(parts, ignore_index=True).assign(source=source, draw=repeat, arm=arm)


def _deployed(family, draw, labelled):
    """Cost on the paying cases of the reference itself."""
    paid = np.arange(POOL, len(draw.y))
    return exact(family, draw.scale)(draw.y[paid], *fitted(draw, labelled, paid))


def _bias_alone(family, draw, cost):
    """What the reference picks with all labels of the pool behind it and no luck of labels left, at equal weights."""
    pool, paid = np.arange(POOL), np.arange(POOL, len(draw.y))
    guess = fitted(draw, pool, paid)
    if family == "selective":
        expected = draw.expected("PWU", paid, *guess).mean(axis=0)
    elif family == "top_k":
        expected = hits(SHARE_PRIORS["PWU"], draw.matrix()[paid], guess[0]).mean(axis=0)
    else:
        expected = draw.losses("PWU", paid, guess[0]).mean(axis=0)
    pulled = snap((cost + expected) / 2, 1e-12)
    best = pulled == pulled.min()
    regret = float((best * (cost - cost.min())).sum() / best.sum())
    return pd.DataFrame({"score": "bias alone", "regret": regret, "d": np.nan, "n": POOL}, [0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit what is missing, score, write the table; 1 if a cell failed."""
    parser = argparse.ArgumentParser("python -m pwu_book.studies few_labels", description=main.__doc__)
    parser.add_argument("--sources", nargs="+", default=list(SOURCES), choices=list(SOURCES), metavar="SOURCE")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("experiments/few_labels"))
    parser.add_argument("--results", type=Path, help="where the table goes; packages/pwu_book/tables for all sources")
    parser.add_argument("--scheduler", help="address of a Dask scheduler (extra [cluster])")
    given = parser.parse_args(arguments)
    if given.jobs < 1:
        parser.error(f"--jobs must be at least 1, got {given.jobs}")
    if given.results is None and given.sources != list(SOURCES):
        parser.error("some of the sources need --results, or they would overwrite the table of all")
    started = time.time()
    failed = []
    for source in given.sources:
        data, made = load(source), makers(SOURCES[source])
        knowing = {name: maker for name, maker in made.items() if name != KNOWING}
        for name, table, some in ((source, data, made), (f"{source}, half", half(data), knowing)):
            cells = [grid.Cell(name, model, repeat, 0) for repeat in range(TRAINING_DRAWS) for model in some]
            failed += grid.run(cells, {name: table}, some, given.folder, jobs=given.jobs, split=split,
                                     scheduler=given.scheduler)
    if failed:
        print(f"{len(failed)} cells failed, no table was written", file=sys.stderr)
        return 1
    jobs = [(source, repeat, arm) for source in given.sources for arm in ARMS for repeat in range(TRAINING_DRAWS)]
    parts = joblib.Parallel(n_jobs=given.jobs, verbose=1)(joblib.delayed(_kept)(*job, given.folder) for job in jobs)
    keys = ["source", "family", "arm", "draw", "n", "score"]
    table = pd.concat(parts)[[*keys, "regret", "d", "chance"]]
    seeds = "training draws 0 to 19, models by 1000 times the draw, labels by draw, n and number"
    tables.write((given.results or Path("packages/pwu_book/tables")) / "few_labels.csv.gz", table,
                        f"python -m pwu_book.studies few_labels --jobs {given.jobs}", seeds, "%.6g")
    print(f"{len(table)} rows, {(time.time() - started) / 60:.0f} min since it was started or resumed", flush=True)
    return 0


def _kept(source, repeat, arm, folder):
    """A draw's table, from its file if this version of the code made it from the same predictions."""
    key = hashlib.sha256(f"{VERSION} {tables.versions()}".encode())
    for model in makers(SOURCES[source]):
        where = source if arm != "private" or model == KNOWING else f"{source}, half"
        key.update(grid.Cell(where, model, repeat, 0).path(folder).read_bytes())
    path = folder / "tables" / f"{source}-{arm}-{repeat:02d}-{key.hexdigest()[:16]}.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        run_draw(source, repeat, arm, folder).to_csv(part, index=False)
        part.replace(path)
    return pd.read_csv(path)

