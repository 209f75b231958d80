"""The mushrooms of chapter 1: an instrument that smells, one that sees colours, and a bill in meals.

Implements a binary decision of the PWU paper's section 3.2.1 on counts of the UCI mushroom data. The forecasts of the
hundred splits are stored beside this file, so that no page fits them again: python -m pwu_book.examples.mushrooms
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from pwu_lite.families import BinaryDecision

from . import _desk
from ._desk import Split

__all__ = ["COST_OF_ALARM", "COST_OF_MISS", "INSTRUMENTS", "THRESHOLD", "Split", "bill", "choose_and_pay",
           "cross_fitted", "make_splits", "mushrooms", "split", "splits", "tree"]

SPLITS = Path(__file__).with_name("mushroom_splits.csv.gz")
COST_OF_MISS = 49.0  # meals: a poisonous mushroom is eaten
COST_OF_ALARM = 1.0  # a meal: a good mushroom is thrown away
THRESHOLD = COST_OF_ALARM / (COST_OF_ALARM + COST_OF_MISS)
INSTRUMENTS: dict[str, list[str]] = {
    "the nose": ["odor"],
    "the eye": ["cap-color", "gill-color", "stalk-color-above-ring", "stalk-color-below-ring", "veil-color"]}


def mushrooms() -> pd.DataFrame:
    """8,124 descriptions of mushrooms: odour, five colours, and whether the species is poisonous.

    The counts beside this module hold one row for each combination; here each description is a row. From
    the Audubon Society's field guide, by way of the UCI Machine Learning Repository, CC BY 4.0.

    Examples
    --------
    >>> table = mushrooms()
    >>> table.shape, int(table["poisonous"].sum())
    ((8124, 7), 3916)
    """
    counts = pd.read_csv(Path(__file__).with_name("mushrooms.csv"), comment="#")
    return counts.loc[counts.index.repeat(counts["count"])].drop(columns="count").reset_index(drop=True)


def tree() -> Any:
    """A decision tree on one-hot columns, at least five descriptions to a leaf."""
    return make_pipeline(OneHotEncoder(handle_unknown="ignore"),
                         DecisionTreeClassifier(min_samples_leaf=5, random_state=0))


def split(table: pd.DataFrame, seed: int, instruments: Mapping[str, Sequence[str]] = INSTRUMENTS, *,
          train: float = 0.5, maker: Callable[[], Any] = tree, unseen: Sequence[str] = ()) -> Split:
    """Train each instrument's model on a part of the rows, and cut the others in two.

    Parameters
    ----------
    table : DataFrame
        As `mushrooms` returns it.
    seed : int
        Decides both cuts.
    instruments : mapping of name to columns
    train : float
        Share of the rows to learn from.
    maker : callable
        Returns a new classifier with ``predict_proba``.
    unseen : sequence of str
        Columns whose combinations are kept together: no combination is both learnt from and judged on.
    """
    if unseen:
        groups = table[list(unseen)].agg("|".join, axis=1)
        first, second = next(GroupShuffleSplit(1, train_size=train, random_state=seed).split(table, groups=groups))
        learn, rest = table.iloc[first], table.iloc[second]
    else:
        learn, rest = train_test_split(table, train_size=train, stratify=table["poisonous"], random_state=seed)
    choose, pay = train_test_split(rest, test_size=0.5, stratify=rest["poisonous"], random_state=seed)
    fitted = {name: (list(columns), maker().fit(learn[list(columns)], learn["poisonous"]))
              for name, columns in instruments.items()}
    said = [{name: model.predict_proba(part[columns])[:, 1] for name, (columns, model) in fitted.items()}
            for part in (choose, pay)]
    return Split(choose["poisonous"].to_numpy(), said[0], pay["poisonous"].to_numpy(), said[1])


def splits() -> list[Split]:
    """The hundred splits of chapter 1: `split` of all mushrooms at seeds 0 to 99, rows in another order.

    Examples
    --------
    >>> len(splits()), splits()[0].y_bill.size
    (100, 2031)
    """
    kept = pd.read_csv(SPLITS, dtype={name: str for name in INSTRUMENTS})
    kept = kept.loc[kept.index.repeat(kept["count"])].astype(dict.fromkeys(INSTRUMENTS, float))  # to the last digit
    found = []
    for _, rows in kept.groupby("split"):
        (y_choose, choose), (y_bill, paid) = [
            (part["poisonous"].to_numpy(), {name: part[name].to_numpy() for name in INSTRUMENTS})
            for part in (rows[rows["part"] == "choose"], rows[rows["part"] == "bill"])]
        found.append(Split(y_choose, choose, y_bill, paid))
    return found


def make_splits(seeds: Iterable[int] = range(100)) -> pd.DataFrame:
    """What `splits` reads, fitted anew: how often each label has come with each pair of forecasts.

    Parameters
    ----------
    seeds : iterable of int
    """
    table, rows = mushrooms(), []
    for seed in seeds:
        fitted = split(table, seed)
        for part, y, said in (("choose", fitted.y_choose, fitted.choose), ("bill", fitted.y_bill, fitted.bill)):
            cases = pd.DataFrame({"split": seed, "part": part, "poisonous": y, **said})
            rows.append(cases.value_counts().sort_index().reset_index(name="count"))
    return pd.concat(rows, ignore_index=True)


def cross_fitted(table: pd.DataFrame, instruments: Mapping[str, Sequence[str]] = INSTRUMENTS, *,
                 folds: int = 5, seed: int = 0) -> dict[str, np.ndarray]:
    """Each instrument's probabilities of poison, for every row from a tree that was not trained on the row.

    Parameters
    ----------
    table : DataFrame
        As `mushrooms` returns it, n rows.
    instruments : mapping of name to columns
        Columns that each instrument sees; default `INSTRUMENTS`.
    folds : int
        Number of folds, at least 2; default 5.
    seed : int
        Seed of the cut into folds; default 0.

    Returns
    -------
    dict of name to ndarray, shape (n,)
    """
    cuts = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(table, table["poisonous"]))
    said = {name: np.empty(len(table)) for name in instruments}
    for name, columns in instruments.items():
        for learn, test in cuts:
            model = tree().fit(table.iloc[learn][list(columns)], table["poisonous"].iloc[learn])
            said[name][test] = model.predict_proba(table.iloc[test][list(columns)])[:, 1]
    return said


def bill(y_true: Any, y_prob: Any, threshold: float = THRESHOLD) -> float:
    """Meals per 1,000 mushrooms, if a mushroom is thrown away wherever ``y_prob > threshold``.

    ``-1000 U_c / c`` at c = threshold: a good mushroom thrown away is a meal, a poisoning ``(1 - c)/c`` meals.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels, 1 for a poisonous mushroom.
    y_prob : array_like, shape (n,)
        Forecast probabilities of a 1, in [0, 1].
    threshold : float
        Cost share c of a false alarm, in (0, 1); default 0.02.

    Examples
    --------
    >>> round(bill([1, 0, 0, 0], [0.01, 0.5, 0.01, 0.01]), 6)  # one poisoning, one meal thrown away
    12500.0
    """
    return -1000 * BinaryDecision().utility(threshold, y_true, y_prob) / threshold


def choose_and_pay(splits: Iterable[Split], metrics: Mapping[str, Callable[..., float]]) -> pd.DataFrame:
    """Let each metric choose an instrument on one part, and send the bill from the other.

    Parameters
    ----------
    splits : iterable of Split
        Of two instruments.
    metrics : mapping of callables
        ``metric(y_true, y_prob)``, lower is better.

    Returns
    -------
    DataFrame
        One row for each split and metric: ``chosen`` (the instrument, or "tie"), ``extra``: what it costs
        more than the other one, in meals per 1,000 mushrooms (0 for a tie).
    """
    return _desk.choose_and_pay(splits, bill, metrics)


def counts(raw: Path | str) -> pd.DataFrame:
    """The table beside this module from the raw file: one row per combination of odour, colours and class."""
    table = pd.read_csv(raw)
    columns = [column for columns in INSTRUMENTS.values() for column in columns]
    table["poisonous"] = (table["class"] == "p").astype(int)
    return table.groupby([*columns, "poisonous"]).size().reset_index(name="count")


if __name__ == "__main__":
    make_splits().to_csv(SPLITS, index=False, compression={"method": "gzip", "mtime": 0})
