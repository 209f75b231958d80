"""One model for several groups: averages, worst groups, a set of groups' own models, and constants.

Implements section 4 and appendices A.13 to A.16 of the IP paper, on data that a reader can get.

Usage: python -m pwu_book.studies groups
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import optimize, special
from threadpoolctl import threadpool_limits

from pwu_book import imprecise as ip
from pwu_lite.families import BinaryDecision

from .. import tables as stored_tables
from ..runs import datasets

__all__ = ["COSTS", "Grouped", "Part", "above", "enough", "evaluate", "fit", "judged", "load", "main", "names",
           "own_is_best", "parts", "variant", "worst", "worst_group"]

COSTS = (0.1, 0.3, 0.7, 0.9)
GRID = tuple(round(0.05 * step, 2) for step in range(1, 20))
SPLITS = 20
LONGEST = 20_000  # steps to a minimum of the worst group's loss; a few hundred are usual
RIDGE = 1e-3  # keeps coefficients finite where a hospital's patients can be separated
TARGET = Path("packages/pwu_book/tables/groups_scores.csv.gz")
ABOUT, OTHERS = "groups_about.csv.gz", "groups_variants.csv.gz"
VARIANTS = ((RIDGE, 0.6), (30 * RIDGE, 0.6), (RIDGE, 0.8))  # penalties, and shares of the cases to train with
HOSPITALS = ("cleveland", "hungarian", "switzerland", "va")
VARIABLES = {0: "age", 1: "male", 2: "no chest pain", 3: "blood pressure", 7: "heart rate", 8: "angina", 9: "ST"}
WEAK = ["mean smoothness", "mean symmetry", "mean fractal dimension", "texture error", "smoothness error"]


Forecast = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From features to low and high probabilities."""


class Grouped(NamedTuple):
    """Cases that belong to groups.

    Attributes
    ----------
    X : ndarray, shape (n, p)
    y : ndarray of 0 and 1, shape (n,)
    groups : ndarray of str, shape (n,)
    name, licence : str
    """

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    name: str
    licence: str


class Part(NamedTuple):
    """Standardised features, labels and groups of some of the cases."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray


def names() -> list[str]:
    """Data sets with groups; the first two need no file.

    Examples
    --------
    >>> names()
    ['simulated', 'breast cancer', 'heart', 'framingham']
    """
    return list(_LOADERS)


def load(name: str) -> Grouped:
    """Read one of the data sets in `names`.

    "heart" (hospitals) and "framingham" (60 years and younger, or older) are read below PWU_LITE_DATA.

    Parameters
    ----------
    name : {"simulated", "breast cancer", "heart", "framingham"}
        Name of the data set.

    Raises
    ------
    ValueError
        No such data set.
    FileNotFoundError
        Its files are not there; the message says where to get them.

    Examples
    --------
    >>> data = load("simulated")
    >>> data.X.shape, np.unique(data.groups).tolist()
    ((2700, 4), ['A', 'B', 'C'])
    """
    if name not in _LOADERS:
        raise ValueError(f"there is no data set {name!r}; there are {', '.join(_LOADERS)}")
    return _LOADERS[name]()


def parts(data: Grouped, split: int, share: float = 0.6) -> tuple[Part, Part]:
    """Train and test cases, with `share` of each group and label in the first, both scaled by the first.

    Parameters
    ----------
    data : Grouped
        From `load`.
    split : int
        Number of the split, from 0.
    share : float
        Share of the cases to train with, in (0, 1); default 0.6.
    """
    rng, train = np.random.default_rng([7, split]), np.zeros(data.y.size, dtype=bool)
    for group in np.unique(data.groups):
        for label in (0, 1):
            here = np.flatnonzero((data.groups == group) & (data.y == label))
            train[rng.permutation(here)[:round(share * here.size)]] = True
    X = np.where(np.isnan(data.X), np.nanmedian(data.X[train], axis=0), data.X)
    X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    one, two = (Part(X[some], data.y[some], data.groups[some]) for some in (train, ~train))
    return one, two


def fit(train: Part, costs: Sequence[float] = COSTS, ridge: float = RIDGE) -> dict[str, Forecast]:
    """Fit models to the train cases; each takes features and returns low and high probabilities.

    "GBR": a logistic model for each group, and their range; "ERM": one for all, least mean log loss; "DRO(log)" and
    "DRO(c)": one for all, least log loss or Winkler loss in the worst group; and the constants "never" and "always".

    Parameters
    ----------
    train : Part
        Cases to train with.
    costs : sequence of float
        Cost shares c that get a model "DRO(c)", in (0, 1); default `COSTS`.
    ridge : float
        Penalty on the squared slopes, not negative; default 0.001.

    Returns
    -------
    dict of name to callable

    Examples
    --------
    >>> train, test = parts(load("breast cancer"), 0)
    >>> low, high = fit(train, costs=[0.1])["GBR"](test.X)
    >>> bool((low <= high).all() and (low < high).any())
    True
    """
    erm = _mean_fit(train, _log_loss, np.zeros(train.X.shape[1] + 1), ridge)
    own = [_mean_fit(Part(*(part[train.groups == group] for part in train)), _log_loss, erm, ridge)
           for group in np.unique(train.groups)]
    robust = _worst_fit(train, _log_loss, [erm], ridge)
    models = {"GBR": _range_of(own), "ERM": _range_of([erm]), "DRO(log)": _range_of([robust])}
    for c in costs:
        loss = _winkler_loss(c)
        starts = [erm, robust, _mean_fit(train, loss, erm, ridge)]
        models[f"DRO({c:g})"] = _range_of([_worst_fit(train, loss, starts, ridge)])
    return models | {"never": lambda X: (np.zeros(len(X)),) * 2, "always": lambda X: (np.ones(len(X)),) * 2}


def worst_group(c: float, part: Part, low: np.ndarray, high: np.ndarray) -> float:
    """The largest mean cost in a group, at cost share c.

    Parameters
    ----------
    c : float
        Cost share of a false alarm, in (0, 1).
    part : Part
        Cases with labels and groups.
    low, high : ndarray, shape (n,)
        Lower and upper forecast probabilities of a 1.

    Examples
    --------
    >>> part = Part(np.zeros((4, 1)), np.array([0, 1, 0, 0]), np.array(["a", "a", "b", "b"]))
    >>> worst_group(0.3, part, np.zeros(4), np.zeros(4))
    0.35
    """
    family = BinaryDecision()
    costs = ip.by_group(lambda y, f: -family.utility(c, y, f), part.y, ip.as_one(low, high), groups=part.groups)
    return float(costs["score"].max())


def evaluate(data: Grouped, split: int, grid: Sequence[float] = GRID) -> pd.DataFrame:
    """Worst group's cost, and announced against paid cost, a row for each model, part and cost share.

    The model "drawn" is a yardstick: the forecasts of ERM, and labels that are drawn from them, so that the
    forecasts are right for every case.

    Parameters
    ----------
    data : Grouped
        From `load`.
    split : int
        Number of the split, from 0.
    grid : sequence of float
        Cost shares in (0, 1); default 0.05 to 0.95 in steps of 0.05.
    """
    both = dict(zip(("train", "test"), parts(data, split), strict=True))
    return judged(fit(both["train"]), both, grid, np.random.default_rng([11, split]))


def judged(models: Mapping[str, Forecast], both: Mapping[str, Part],
           grid: Sequence[float], rng: np.random.Generator) -> pd.DataFrame:
    """Worst group's cost, and announced against paid cost, of fitted models on each part; as `evaluate`.

    Parameters
    ----------
    models : mapping of name to callable
        As `fit` gives them, with "ERM".
    both : mapping of name to Part
        Cases that are scored.
    grid : sequence of float
        Cost shares in (0, 1).
    rng : Generator
        Draws the labels of "drawn".
    """
    rows = []
    for model, forecast in [*models.items(), ("drawn", models["ERM"])]:
        for name, part in both.items():
            low, high = forecast(part.X)
            if model == "drawn":
                part = part._replace(y=(rng.random(low.size) < low).astype(int))  # noqa: PLW2901
            for c in grid:
                fair = ip.calibration_by_group(c, part.y, low, high, part.groups)
                rows.append({"model": model, "part": name, "c": c, "worst": worst_group(c, part, low, high),
                             "either": fair.loc["either act", "I"], "wait": fair.loc["wait", "II"],
                             "act": fair.loc["act", "II"]})
    return pd.DataFrame(rows)


def variant(data: Grouped, split: int, ridge: float, share: float) -> pd.DataFrame:
    """Worst-group cost at each of `COSTS` of the model trained for it, of ERM and of the best one, for train and test.

    Parameters
    ----------
    data : Grouped
        From `load`.
    split : int
        Number of the split, from 0.
    ridge : float
        Penalty on the squared slopes, not negative.
    share : float
        Share of the cases to train with, in (0, 1).
    """
    both = dict(zip(("train", "test"), parts(data, 100 + split, share), strict=True))
    models, rows = fit(both["train"], ridge=ridge), []
    for part, cases in both.items():
        said = {name: forecast(cases.X) for name, forecast in models.items() if name not in ("never", "always")}
        for c in COSTS:
            costs = {name: worst_group(c, cases, *ends) for name, ends in said.items()}
            rows.append({"part": part, "c": c, "own": costs[f"DRO({c:g})"], "ERM": costs["ERM"],
                         "best": min(costs.values())})
    return pd.DataFrame(rows).assign(dataset=data.name, split=split, ridge=ridge, share=share)


def worst(table: pd.DataFrame, dataset: str, part: str) -> pd.DataFrame:
    """Worst-group cost of every model at each of `COSTS`, a row for each split and cost share.

    Parameters
    ----------
    table : DataFrame
        Table ``groups_scores.csv.gz``.
    dataset : str
        Name of the data set.
    part : {"train", "test"}
        Cases that are scored.
    """
    some = _some(table, dataset, part)
    some = some[some["model"] != "drawn"]
    return some.pivot_table(index=["split", "c"], columns="model", values="worst")


def own_is_best(costs: pd.DataFrame) -> float:
    """Share of the rows of `worst` in which the model trained for the cost share is the best that learns.

    Parameters
    ----------
    costs : DataFrame
        From `worst`.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([(0, 0.1), (0, 0.3)], names=["split", "c"])
    >>> own_is_best(pd.DataFrame({"ERM": [0.2, 0.2], "DRO(0.1)": [0.1, 0.1], "DRO(0.3)": [0.3, 0.3]}, index))
    0.5
    """
    learned = costs.drop(columns=["never", "always"], errors="ignore")
    own = np.array([row[f"DRO({key[1]:g})"] for key, row in learned.iterrows()])
    return float(np.mean(own <= learned.min(axis=1) + 1e-12))


def above(costs: pd.DataFrame, model: str, base: str = "ERM") -> pd.DataFrame:
    """Cost of a model less that of another, a row for each split and a column for each cost share.

    Parameters
    ----------
    costs : DataFrame
        From `worst`.
    model : str
        Name of the model; "own" is the one trained for the cost share.
    base : str
        Name of the model whose cost is subtracted, default "ERM".
    """
    gaps = {c: (costs[f"DRO({c:g})" if model == "own" else model] - costs[base]).xs(c, level="c") for c in COSTS}
    return pd.DataFrame({f"c = {c:g}": gap for c, gap in gaps.items()})


def enough(table: pd.DataFrame, dataset: str, part: str, models: Sequence[str]) -> float:
    """Share of the announced costs that are at least the cost paid in the worst group, without undefined ones.

    Parameters
    ----------
    table : DataFrame
        Table ``groups_scores.csv.gz``.
    dataset : str
        Name of the data set.
    part : {"train", "test"}
        Cases that are scored.
    models : sequence of str
        Names of the models.
    """
    some = _some(table, dataset, part)
    gaps = some.loc[some["model"].isin(models), ["either", "wait", "act"]].to_numpy().ravel()
    return float(np.mean(gaps[~np.isnan(gaps)] <= 1e-9))


def _some(table, dataset, part):
    return table[(table["dataset"] == dataset) & (table["part"] == part) & table["c"].isin(COSTS)]


def _heart() -> Grouped:
    frames = []
    for hospital in HOSPITALS:
        path = datasets.find(f"heart_disease/processed.{hospital}.data", "the UCI repository, number 45", datasets.UCI)
        frame = pd.read_csv(path, header=None, na_values="?")
        frames.append(frame.assign(hospital=hospital))
    table = pd.concat(frames, ignore_index=True)
    X = table[list(VARIABLES)].to_numpy(float)
    X[:, 2] = np.where(np.isnan(X[:, 2]), np.nan, X[:, 2] == 4)
    X[X[:, 3] == 0, 3] = np.nan  # a blood pressure of zero is a missing one
    return Grouped(X, (table[13] > 0).to_numpy(int), table["hospital"].to_numpy(str), "heart", datasets.UCI)


def _framingham() -> Grouped:
    licence = "no open licence known"
    path = datasets.find("framingham/framingham.csv", "Kaggle (a teaching copy of the Framingham Heart Study)", licence)
    table = pd.read_csv(path, header=None).apply(pd.to_numeric, errors="coerce").dropna(how="all")
    X, y = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy(int)
    return Grouped(X, y, np.where(X[:, 1] > 60, "older", "to 60"), "framingham", licence)


def _breast_cancer() -> Grouped:
    data = datasets.load("breast_cancer")
    texture = data.X["mean texture"].to_numpy()
    return Grouped(data.X[WEAK].to_numpy(float), data.y, np.where(texture <= np.median(texture), "even", "rough"),
                   "breast cancer", data.licence)


def _simulated(seed: int = 1, sizes: Sequence[int] = (1500, 800, 400), spread: float = 0.8) -> Grouped:
    """Three groups, four features; each group has coefficients of its own around common ones."""
    rng = np.random.default_rng(seed)
    common, X, y, groups = np.array([1.0, -0.7, 0.5, 0.0]), [], [], []
    for name, size, shift in zip("ABC", sizes, (-0.6, 0.0, 0.9), strict=True):
        own = common + spread * rng.normal(size=4)
        features = rng.normal(size=(size, 4)) + 0.4 * rng.normal(size=4)
        X.append(features)
        y.append(rng.random(size) < special.expit(features @ own + shift))
        groups += [name] * size
    return Grouped(np.vstack(X), np.concatenate(y).astype(int), np.array(groups), "simulated", "none needed")


_LOADERS = {"simulated": _simulated, "breast cancer": _breast_cancer, "heart": _heart, "framingham": _framingham}


def _log_loss(z, y):
    """Value and slope in the log odds z of each case."""
    return np.logaddexp(0, z) - y * z, special.expit(z) - y


def _winkler_loss(c):
    def loss(z, y):
        a = special.expit(z)
        D = np.where(a >= c, (1 - c) ** 2, c**2)
        return 1 - ((c - y) ** 2 - (a - y) ** 2) / D, 2 * (a - y) / D * a * (1 - a)
    return loss


def _design(part):
    return np.column_stack([np.ones(len(part.X)), part.X])


def _penalty(theta, ridge):
    """A small penalty on the slopes, and its gradient."""
    slopes = np.concatenate([[0.0], theta[1:]])
    return ridge * slopes @ slopes / 2, ridge * slopes


def _mean_fit(part, loss, start, ridge):
    """Coefficients with the least mean loss over all cases."""
    X = _design(part)

    def value(theta):
        values, slopes = loss(X @ theta, part.y)
        penalty, its_slope = _penalty(theta, ridge)
        return values.mean() + penalty, X.T @ slopes / len(X) + its_slope

    return optimize.minimize(value, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000}).x


def _worst_fit(part, loss, starts, ridge):
    """Coefficients with the least loss in the worst group: min t with every group's loss at most t, from each start.

    A Winkler loss is not convex, so each start leads to a local minimum; the least of them is kept.
    """
    X, members = _design(part), [part.groups == group for group in np.unique(part.groups)]
    # In these coordinates the columns are orthogonal and of one size, so that the steps do not depend on rounding.
    # Directions in which no case differs are left out: no loss depends on them, and the penalty wants them zero.
    _, sizes, turned = np.linalg.svd(X, full_matrices=False)
    seen = sizes > 1e-8 * sizes[0]
    back = turned[seen].T / sizes[seen] * np.sqrt(len(X))
    Z = X @ back

    def losses(u):
        values, slopes = loss(Z @ u, part.y)
        penalty, its_slope = _penalty(back @ u, ridge)
        means = np.array([values[inside].mean() for inside in members]) + penalty
        return means, np.array([Z[inside].T @ slopes[inside] / inside.sum() for inside in members]) + its_slope @ back

    def slack(x):
        return x[-1] - losses(x[:-1])[0]

    def slack_slope(x):
        return np.column_stack([-losses(x[:-1])[1], np.ones(len(members))])

    best, least = starts[0], np.inf
    for start in starts:
        u = Z.T @ (X @ start) / len(X)
        found = optimize.minimize(lambda x: x[-1], np.append(u, losses(u)[0].max()),
                                  jac=lambda x: np.append(np.zeros(x.size - 1), 1.0), method="SLSQP",
                                  constraints={"type": "ineq", "fun": slack, "jac": slack_slope},
                                  options={"maxiter": LONGEST, "ftol": 1e-9})
        if not found.success:
            raise RuntimeError(f"no minimum was found in {LONGEST} steps: {found.message}")
        value = losses(found.x[:-1])[0].max()
        if value < least - 1e-12:
            best, least = back @ found.x[:-1], value
    return best


def _range_of(several):
    """Smallest and largest probability that several coefficients give."""
    def forecast(X):
        said = special.expit(np.column_stack([np.ones(len(X)), X]) @ np.array(several).T)
        return said.min(axis=1), said.max(axis=1)
    return forecast


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit and evaluate all splits of three data sets, and write the table."""
    parser = argparse.ArgumentParser("python -m pwu_book.studies groups", description=main.__doc__)
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--target", type=Path, default=TARGET)
    given = parser.parse_args(arguments)
    tables, about, others = [], [], []
    for name in ("simulated", "breast cancer", "heart"):
        data = load(name)
        about += [{"dataset": name, "group": group, "n": int((data.groups == group).sum()),
                   "share": data.y[data.groups == group].mean()} for group in np.unique(data.groups)]
        with threadpool_limits(1):  # sums do not depend on the number of threads
            tables += [evaluate(data, split).assign(dataset=name, split=split) for split in range(given.splits)]
            others += [variant(data, split, *pair) for pair in VARIANTS for split in range(given.splits // 2)]
        print(f"{name}: {given.splits} splits", flush=True)
    table = pd.concat(tables, ignore_index=True)[["dataset", "split", "part", "model", "c", "worst", "either", "wait",
                                                  "act"]]
    stored_tables.write(given.target, table, "python -m pwu_book.studies groups",
                        f"numpy.random.default_rng([7, split]), split below {given.splits}", "%.6f")
    stored_tables.write(given.target.with_name(ABOUT), pd.DataFrame(about), "python -m pwu_book.studies groups",
                        "none", "%.6f")
    stored_tables.write(given.target.with_name(OTHERS), pd.concat(others, ignore_index=True),
                        "python -m pwu_book.studies groups", "splits from 100", "%.6f")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
