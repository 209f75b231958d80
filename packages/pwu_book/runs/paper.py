"""The paper's own models on its own data sets, then those and ours together: fit, score, align, write the tables.

Implements section 5 and appendix J of the PWU paper. Needs the extra [paper]: torch, gpytorch, ngboost.

Usage: python -m pwu_book.runs.paper binary --jobs 2, the same with regression, credit, lending or wind, or
python -m pwu_book.runs.paper batch
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from pwu_lite.metrics.classification import log_loss

from .. import tables as stored_tables
from ..studies import __main__ as studies
from . import datasets, run
from .paper_models import DEVICE, WEIGHTS, _torch, classifiers

__all__ = ["batch_effect", "main"]

CASES = ("credit", "lending", "wind")


def batch_effect(names: Sequence[str], sizes: Sequence[int] = (1, 8, 64)) -> pd.DataFrame:
    """How SAINT's probabilities change with the cases that are asked together: one fit, the test cases in batches.

    A row for each data set, fold and batch: ``cases`` in it, the log loss, and the mean and the largest change of a
    probability against batches of 64 in the order of the file. ``shuffled`` are 64 in a random order.

    Parameters
    ----------
    names : sequence of str
        Data sets with two outcomes.
    sizes : sequence of int
        Cases asked together.
    """
    rows = []
    for name in names:
        data = datasets.load(name)
        for fold, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(data.X, data.y)):
            model, y = classifiers()["SAINT"](fold), data.y[test]
            usual = model.fit(data.X.iloc[train], data.y[train]).predict(data.X.iloc[test])
            order = np.random.default_rng(fold).permutation(len(test))
            for cases in [*sizes, "shuffled"]:
                model.estimator.batch = 64 if cases == "shuffled" else cases
                places = order if cases == "shuffled" else np.arange(len(test))
                chance = np.empty(len(test))
                chance[places] = model.predict(data.X.iloc[test[places]])
                change = np.abs(chance - usual)
                rows.append({"dataset": name, "fold": fold, "cases": cases, "log_loss": log_loss(y, chance),
                             "mean_change": change.mean(), "largest_change": change.max()})
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark or the case study of one kind, or measure `batch_effect`; 0, or 1 if a cell failed.

    Cells are written one by one, so that a killed run goes on where it stopped. With ``--datasets`` only the paper's
    models are run.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the command; those of the process if omitted.
    """
    parser = argparse.ArgumentParser("python -m pwu_book.runs.paper", allow_abbrev=False, description=(
        "Fit the paper's own models, score them, and write the tables of the book. Go on where a run stopped."),
        epilog="All other options are those of python -m pwu_book.runs: --jobs, --datasets, --repeats, --folder, "
               "--results, --scheduler.")
    parser.add_argument("kind", choices=("binary", "regression", *CASES, "batch"))
    parser.add_argument("--device", help="where networks are fitted, as torch names it: cuda, or cpu, the default")
    parser.add_argument("--protocol", choices=("ours", "released"), default="ours", help=(
        "whose settings of binary and regression: ours, made from the paper's text, or those of its released code, "
        "on the five small data sets and, for numbers, all wines"))
    parser.add_argument("--tabpfn", help="a folder with the weights of TabPFN, which is left out otherwise")
    given, words = parser.parse_known_args(arguments)
    if given.device:
        try:
            _torch().zeros(1, device=given.device)
        except (AssertionError, RuntimeError) as error:
            parser.error(f"nothing can be computed on {given.device!r}: {str(error).splitlines()[0]}")
    for variable, value in ((DEVICE, given.device), (WEIGHTS, given.tabpfn)):
        if value:
            os.environ[variable] = value  # the processes that fit inherit it
    if given.protocol == "released":
        if given.kind not in ("binary", "regression"):
            parser.error(f"there are no released settings of {given.kind!r} here, only of binary and regression")
        return run.main([f"released_{given.kind}", *words])
    if given.kind == "batch":
        table = batch_effect(["heart", "ionosphere", "sonar"])
        stored_tables.write(Path("packages/pwu_book/tables/paper_batch.csv.gz"), table,
                            "python -m pwu_book.runs.paper batch", "folds 0, models and orders by fold", "%.6g")
        return 0
    if not os.environ.get(WEIGHTS):
        print("TabPFN is left out: it needs the package tabpfn, and its weights in the folder of --tabpfn", flush=True)
    if given.kind in CASES:
        return studies.main([f"paper_{given.kind}", *words])
    failed = run.main([f"paper_{given.kind}", *words])
    if failed or "--datasets" in words:
        return failed
    return run.main([f"both_{given.kind}", *words])


if __name__ == "__main__":
    raise SystemExit(main())
