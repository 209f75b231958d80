"""What boosting's mended variances change in the regression tables of Part IV: its cells alone are fitted again.

Imports benchmark, datasets, experiment, models, stored_tables, tasks, alignment; numpy, pandas.
Implements a check of tables J.3 and J.4 of the PWU paper as Part IV has them.

Usage: python -m pwu_lite.replication.mended
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ..alignment import agreement
from . import benchmark, datasets, experiment, models, stored_tables
from .tasks import REGRESSION

__all__ = ["compare", "main", "replaced"]

TARGET = Path("book/results/mended_boosting.csv.gz")


def replaced(stored: pd.DataFrame, again: pd.DataFrame) -> pd.DataFrame:
    """The stored scores of one repeat with the rows of one model taken from another run of it.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["a", "b"], [0]], names=["model", "fold"])
    >>> stored = pd.DataFrame({"loss": [1.0, 2.0]}, index)
    >>> replaced(stored, pd.DataFrame({"loss": [5.0]}, index[1:]))["loss"].tolist()
    [1.0, 5.0]
    """
    shared = [name for name in stored.columns if name in again.columns]
    return pd.concat([stored.drop(index=again.index)[shared], again[shared]]).sort_index()


def compare(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Kendall's tau of each metric with each family, mean over the sampled parameters, by either set of scores.

    Both are indexed by model and fold and hold the five folds of one repeat.
    """
    rows = []
    names = [name for name in [*REGRESSION.metrics, *REGRESSION.extra] if name in after]
    for question in REGRESSION.questions:
        columns = [name for name in after.columns if name.startswith(f"{question.name}:s")]
        taus = []
        for frame in (before, after):
            means = frame.groupby(level="model").mean().sort_index()
            signs = [-1.0 if benchmark.lower(name) else 1.0 for name in names]
            found = agreement((means[names] * signs).to_numpy(), means[columns].to_numpy(), tie=benchmark.TIED)
            taus.append(np.nanmean(found["tau"], axis=1))
        rows += [{"family": question.name, "metric": name, "before": one, "after": two}
                 for name, one, two in zip(names, *taus, strict=True)]
    z = [frame.xs("boosting", level="model")["squared_z"].mean() for frame in (before, after)]
    return pd.DataFrame([*rows, {"family": "boosting", "metric": "squared_z", "before": z[0], "after": z[1]}])


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit what is missing, compare, write the table; 1 if a cell failed."""
    parser = argparse.ArgumentParser("python -m pwu_lite.replication.mended", description=main.__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("experiments/mended"))
    parser.add_argument("--target", type=Path, default=TARGET)
    given = parser.parse_args(arguments)
    every = stored_tables.load("regression_scores.csv.gz")
    makers = {"boosting": models.regressors()["boosting"]}
    parts = []
    for name, plan in REGRESSION.plan.items():
        cells = experiment.grid([name], makers, plan.repeats)
        if experiment.run(cells, {name: datasets.load(name)}, makers, given.folder, jobs=given.jobs, rows=plan.rows):
            return 1
        for repeat in range(plan.repeats):
            stored = every[(every["dataset"] == name) & (every["repeat"] == repeat)].set_index(["model", "fold"])
            stored = stored.drop(columns=["dataset", "repeat"])
            again = benchmark.score_repeat(REGRESSION, name, repeat, ["boosting"], given.folder)
            after = replaced(stored, again)
            parts.append(compare(stored[after.columns].sort_index(), after).assign(dataset=name, repeat=repeat))
        print(f"{name}: compared {plan.repeats} repeats", flush=True)
    table = pd.concat(parts, ignore_index=True)
    stored_tables.write(given.target, table[["dataset", "repeat", "family", "metric", "before", "after"]],
                        "python -m pwu_lite.replication.mended", "those of Part IV", "%.6f")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
