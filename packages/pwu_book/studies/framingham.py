"""Table 2 and figure 4 of the IP paper: the Framingham data, by the settings of the released code.

Implements appendices A.14 to A.16 of the IP paper for its second data set. Followed: imputation, all products of two
features, two groups at the age of 60, the rarer label drawn again until both are as many, the split, for each member of
the GBR a scaling by its own group, and Adam for the models of single losses. Not followed: the models for the worst
group minimise the score itself to a local minimum, the best of five starts, where the release takes a million steps of
Adam on a smoothed score.

Usage: python -m pwu_book.studies framingham
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import PolynomialFeatures
from threadpoolctl import threadpool_limits

from .. import tables
from ..runs import datasets
from ..runs.models import _Adam
from .groups import COSTS, Forecast, Part, _design, _log_loss, _range_of, _winkler_loss, _worst_fit, judged

__all__ = ["STARTS", "by_start", "compared", "fit", "main", "read", "wins"]

TARGET = Path("packages/pwu_book/tables/framingham.csv.gz")
NAMES = ("male", "age", "education", "currentSmoker", "cigsPerDay", "BPMeds", "prevalentStroke", "prevalentHyp",
         "diabetes", "totChol", "sysBP", "diaBP", "BMI", "heartRate", "glucose", "y")
SEED, OLD, RIDGE = 42, 60, 1e-7
STARTS = ("ERM", "DRO(log)", "those to 60", "those older", "zero")
STEPS, RATE = 5000, 1e-3  # of Adam


def read() -> dict[str, Part]:
    """Train and test cases by the released steps, scaled by the train cases.

    Raises
    ------
    FileNotFoundError
        The file is not there; the message says where to get it.
    """
    path = datasets.find("framingham/framingham.csv", "Kaggle (a teaching copy of the Framingham Heart Study)",
                         "no open licence known")
    table = pd.read_csv(path, header=None, names=list(NAMES), na_values="NA").dropna(how="all")
    table["heartRate"] = table["heartRate"].fillna(table["heartRate"].mean())
    table = table.fillna(table.median())
    y = table.pop("y").to_numpy(int)
    X = PolynomialFeatures(interaction_only=True, include_bias=False).fit_transform(table.to_numpy(float))
    old = table["age"].to_numpy() > OLD
    found: dict[str, list[Part]] = {"train": [], "test": []}
    for inside, group in ((~old, "to 60"), (old, "older")):
        rows = _as_many_of_both(np.flatnonzero(inside), y)
        for name, some in zip(found, train_test_split(rows, test_size=0.2, random_state=SEED), strict=True):
            found[name].append(Part(X[some], y[some], np.full(some.size, group)))
    both = {name: Part(*(np.concatenate(part) for part in zip(*parts, strict=True))) for name, parts in found.items()}
    middle, spread = both["train"].X.mean(axis=0), both["train"].X.std(axis=0)
    spread[spread == 0] = 1.0
    return {name: part._replace(X=(part.X - middle) / spread) for name, part in both.items()}


def _as_many_of_both(rows, y):
    """Rows, and some with label 1 again, until there are as many as with label 0."""
    ones = rows[y[rows] == 1]
    again = np.random.RandomState(SEED).randint(0, ones.size, (y[rows] == 0).sum() - ones.size)
    return np.concatenate([rows, ones[again]])


def _adam(part, steps):
    """Coefficients after so many steps of Adam down the mean log loss, from small random ones."""
    X = _design(part)
    theta = np.random.default_rng(0).uniform(-1, 1, X.shape[1]) / np.sqrt(X.shape[1] - 1)
    adam = _Adam([theta], RATE)
    for _ in range(steps):
        adam.take([theta], [X.T @ _log_loss(X @ theta, part.y)[1] / len(X)])
    return theta


def _adam_scaled(part, steps):
    """`_adam` on features scaled by these cases, as coefficients of the features as they came."""
    middle, spread = part.X.mean(axis=0), part.X.std(axis=0)
    spread[spread == 0] = 1.0
    first, *rest = _adam(part._replace(X=(part.X - middle) / spread), steps)
    slopes = np.array(rest) / spread
    return np.concatenate([[first - slopes @ middle], slopes])


def fit(train: Part, costs: Sequence[float] = COSTS, steps: int = STEPS) -> dict[str, Forecast]:
    """The models of table 2: "GBR", "ERM", "DRO(log)" and a "DRO(c)" for each cost share.

    A "DRO(c)" is the best of five local minima, one from each of `STARTS`; "DRO(c) from ERM" is one of them. Two starts
    are models of one group, as the GBR's members are, on the features as all train cases scale them.

    Parameters
    ----------
    train : Part
        Cases to train with.
    costs : sequence of float
        Cost shares c, in (0, 1).
    steps : int
        Steps of Adam for the models of single losses.
    """
    erm = _adam(train, steps)
    parts = [Part(*(part[train.groups == group] for part in train)) for group in np.unique(train.groups)]
    own = [_adam(part, steps) for part in parts]
    robust = _worst_fit(train, _log_loss, [erm], RIDGE)
    starts = dict(zip(STARTS, [erm, robust, *own, np.zeros_like(erm)], strict=True))
    members = [_adam_scaled(part, steps) for part in parts]
    models = {"GBR": _range_of(members), "ERM": _range_of([erm]), "DRO(log)": _range_of([robust])}
    for c in costs:
        name, loss = f"DRO({c:g})", _winkler_loss(c)
        models[name] = _range_of([_worst_fit(train, loss, list(starts.values()), RIDGE)])
        models |= {f"{name} from {word}": _range_of([_worst_fit(train, loss, [start], RIDGE)])
                   for word, start in starts.items()}
    return models


def compared(table: pd.DataFrame, part: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Worst-group cost of each model at each of `COSTS`: ours, and as printed.

    Parameters
    ----------
    table : DataFrame
        Table ``framingham.csv.gz``.
    part : {"train", "test"}
        Cases that are scored.
    """
    some = table[(table["part"] == part) & (table["model"] != "drawn")]
    ours = some.pivot(index="model", columns="c", values="worst")
    printed = tables.load("ip_tables.csv").query("table == 'Framingham' and part == @part").set_index("model")
    printed = printed[[f"{c:g}" for c in COSTS]].astype(float).set_axis(list(COSTS), axis=1)
    return ours.loc[printed.index], printed


def by_start(table: pd.DataFrame, part: str) -> dict[str, int]:
    """`wins` with the local minima of one start in place of the best ones, for each of `STARTS`.

    Parameters
    ----------
    table : DataFrame
        Table ``framingham.csv.gz``.
    part : {"train", "test"}
        Cases that are scored.
    """
    every = table[table["part"] == part].pivot(index="model", columns="c", values="worst")
    others = every.loc[["GBR", "ERM", "DRO(log)"]]
    return {start: wins(pd.concat([others, every[every.index.str.endswith(f" from {start}")].rename(
        lambda name: name.split(" from ")[0])])) for start in STARTS}


def wins(costs: pd.DataFrame) -> int:
    """Columns in which the model that was trained for the cost share is the cheapest.

    Examples
    --------
    >>> wins(pd.DataFrame({0.1: [0.04, 0.05], 0.3: [0.2, 0.1]}, index=["DRO(0.1)", "DRO(0.3)"]))
    2
    """
    return sum(costs[c].idxmin() == f"DRO({c:g})" for c in costs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit the models of table 2, from five starts each, and write the table; about two minutes."""
    parser = argparse.ArgumentParser("python -m pwu_book.studies framingham", description=main.__doc__)
    parser.add_argument("--target", type=Path, default=TARGET)
    given = parser.parse_args(arguments)
    both = read()
    print("fitting seven models", flush=True)
    with threadpool_limits(1):  # sums do not depend on the number of threads
        table = judged(fit(both["train"]), both, COSTS, np.random.default_rng(11))
    tables.write(given.target, table, "python -m pwu_book.studies framingham",
                 f"{SEED} for labels drawn again and the split, numpy.random.default_rng(0) for Adam's start", "%.6f")
    for part in both:
        ours, printed = compared(table, part)
        print(f"{part}: mean gap {(ours - printed).abs().to_numpy().mean():.4f}, the model trained for the cost is "
              f"best in {wins(ours)} of {len(COSTS)} columns, printed {wins(printed)}", flush=True)
    return 0
