"""The released sensitivity analysis: utilities drawn from wrong priors, the metrics as they are.

Follows ``04_sensitivity_analysis.py`` of fortuinlab/prior-weighted-utilities at 94ab70d (appendix J.3 of the PWU paper)
on its five small data sets: its rows, numbers of seeds, settings of the models, formulas and draws. Not followed: the
networks draw otherwise from a seed, the 10,000 draws behind a PWU are quantiles or an integral, and models that are
level, also but for rounding, keep the alphabet, where the released sort leaves their order to the machine.

Usage: python -m pwu_book.runs.wrong_priors --jobs 2
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import Any

import joblib
import numpy as np
import pandas as pd

from pwu_lite import Beta

from .. import tables as stored_tables
from ..released import strict_tau
from . import datasets, grid, released_models
from .align import lower
from .run import check_options, joined, options
from .score import released_scores, released_utilities
from .tasks import BINARY, CODE_PERTURBED, REGRESSION, SAMPLES, SEED, Fold, Task

__all__ = ["NAMES", "REPEATS", "SETS", "data_set", "draws", "main", "makers", "taus"]

SETS = {"heart": BINARY, "ionosphere": BINARY, "sonar": BINARY, "auto_mpg": REGRESSION, "energy": REGRESSION}
REPEATS, TABLE = 5, "released_wrong_priors.csv.gz"
NAMES = {"logistic regression": "LogReg", "least squares": "LinReg", "random forest": "RF", "gradient boosting": "GB",
         "natural boosting": "NGB", "sparse Gaussian process": "GP", "MLP": "MLP", "FT-Transformer": "FTTransformer",
         "SAINT": "SAINT", "ResNet": "ResNetMLP", "ensemble of MLPs": "DeepEnsemble"}
"""The released names of the models: where two are level, the earlier in the alphabet comes first."""


def data_set(name: str) -> datasets.Dataset:
    """The released rows of a small data set: of the cars, those whose power is known.

    Parameters
    ----------
    name : str
        One of `SETS`.
    """
    data = datasets.load(name)
    if name != "auto_mpg":
        return data
    known = data.X.notna().all(axis=1).to_numpy()
    return data._replace(X=data.X[known].reset_index(drop=True), y=data.y[known])


def makers(task: Task) -> dict[str, Callable[[int], Any]]:
    """Makers of the nine models by their released names, with the released seeds: ten times the repeat, plus the fold.

    Folds count from 1 there. A maker is called with ``1000 * repeat + fold``, from 0, by `grid.run`.

    Parameters
    ----------
    task : Task
        Kind of forecast, binary or regression.
    """
    made = released_models.classifiers() if task is BINARY else released_models.regressors()
    return {NAMES[name]: released_models.numbered(made[name]) for name in sorted(made, key=NAMES.__getitem__)}


def draws(task: Task) -> dict[str, dict[str, np.ndarray]]:
    """Five parameters of each family under each prior: ``draws(task)["slight"]["top_k"]``, a row for each.

    One generator, seed 0, draws the wrong ones in the order of the released script: for yes-or-no decisions level by
    level of c, then of k / n; for numbers level by level of lambda, k / n and gamma.

    Parameters
    ----------
    task : Task
        Kind of forecast, binary or regression.

    Examples
    --------
    >>> draws(BINARY)["extreme"]["binary"].ravel().round(2)
    array([0.61, 0.71, 0.88, 0.95, 0.95])
    """
    rng = np.random.default_rng(SEED)
    levels = ("slight", "strong", "extreme")
    names = [question.name for question in task.questions]
    order = ([(name, level) for name in names for level in levels] if task is BINARY else
             [(name, level) for level in levels for name in names])
    found: dict[str, dict[str, np.ndarray]] = {"stated": task.code_samples(), **{level: {} for level in levels}}
    for name, level in order:
        found[level][name] = np.column_stack([rng.beta(prior.a, prior.b, SAMPLES) for prior
                                              in CODE_PERTURBED[name][level] if isinstance(prior, Beta)])
    return found


def taus(task: Task, folds: Sequence[tuple[str, Fold]]) -> pd.DataFrame:
    """Kendall's tau of metrics and utilities of one repeat, a row for each prior, family and metric.

    The released script names a utility by its parameters, rounded to two decimals, so that of several with the same
    name the last one is counted for each: of five draws four different ones are left for the stated prior of k / n and
    the extremely wrong one of c, and three for the slightly wrong one of k / n.

    Parameters
    ----------
    task : Task
        Kind of forecast, binary or regression.
    folds : sequence of (str, Fold)
        Released name of the model, and targets and forecast of one test fold.
    """
    numbers = [{"model": name, **_numbers(task, fold)} for name, fold in folds]
    mean = pd.DataFrame(numbers).groupby("model", sort=True).mean().map(lambda value: float(f"{value:.12g}"))
    rows = []
    for level, families in draws(task).items():
        for family, parameters in families.items():
            names = [tuple(row.round(2)) for row in parameters]
            last = {name: place for place, name in enumerate(names)}
            for metric in task.metrics:
                loss = mean[metric] * (1 if lower(metric) else -1)
                each = [strict_tau(loss, -mean[f"{level} {family} {last[name]}"]) for name in names]
                rows.append({"prior": level, "family": family, "metric": metric, "tau": np.mean(each)})
    return pd.DataFrame(rows)


def _numbers(task, fold):
    """Released metrics, and utilities at all draws; costs of yes-or-no decisions are summed over cases there."""
    numbers = {name: value for name, value in released_scores(task, fold).items() if name in task.metrics}
    if task is BINARY:
        numbers["pwu_binary"] *= fold.y.size
    for level, families in draws(task).items():
        for family, parameters in families.items():
            size = fold.y.size if family == "binary" else 1
            for place, value in enumerate(released_utilities(family, parameters, fold)):
                numbers[f"{level} {family} {place}"] = size * value
    return numbers


def _repeat(name, repeat, folder):
    task = SETS[name]
    folds = []
    for cell in grid.grid([name], makers(task), repeat + 1):
        if cell.repeat == repeat:
            said = grid.predictions(cell, folder, task)
            folds.append((cell.model, Fold(said.y, said.forecast)))
    return taus(task, folds).assign(dataset=name, repeat=repeat)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit what is missing, and write the table; return 0, or 1 if a cell failed, in which case no table is written.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the command; those of the process if omitted.
    """
    parser = argparse.ArgumentParser("python -m pwu_book.runs.wrong_priors", description=__doc__.split("\n")[0])
    options(parser)
    given = parser.parse_args(arguments)
    check_options(parser, given, SETS)
    folder, failed = given.folder / "as_released", []
    names, repeats = given.datasets or list(SETS), given.repeats or REPEATS
    for repeat in range(1, repeats + 1):  # whole repeats first
        for name in names:
            models = makers(SETS[name])
            failed += grid.run(grid.grid([name], models, repeat), {name: data_set(name)}, models, folder,
                               jobs=given.jobs, scheduler=given.scheduler)
    if failed:
        print(f"{len(failed)} cells failed, no table was written", file=sys.stderr)
        return 1
    parts = joblib.Parallel(n_jobs=given.jobs)(joblib.delayed(_repeat)(name, repeat, folder)
                                               for name in names for repeat in range(repeats))
    words = sys.argv[1:] if arguments is None else arguments
    columns, path = ["dataset", "repeat", "prior", "family", "metric", "tau"], given.results / TABLE
    table, kept = joined(path, pd.concat(parts)[columns], names, given.keep)
    stored_tables.write(path, table, f"python -m pwu_book.runs.wrong_priors {shlex.join(words)}",
                        f"folds by repeat, models by 10 * repeat + fold, parameters 0{kept}", "%.6f")
    return 0


if __name__ == "__main__":
    sys.exit(main())
