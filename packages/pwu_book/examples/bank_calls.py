"""The bank of chapter 1: call by what a customer did before, or by who the customer is? And a trap.

Implements a binary decision of the PWU paper's section 3.2.1 on the UCI bank marketing data.

Usage: python -m pwu_book.examples.bank_calls [TARGET]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pwu_lite.families import BinaryDecision
from pwu_lite.metrics import classification

from .. import tables
from ..runs import datasets
from ._desk import Split

__all__ = ["COMPARISONS", "Comparison", "compare", "part_of", "split"]

HISTORY = ("pdays", "previous", "poutcome")
PROFILE = ("age", "job", "marital", "education", "balance", "default", "housing", "loan")


class Comparison(NamedTuple):
    """Two lists of columns, the part of the file in its order of dates, the cost share of a call, the splits."""

    first: Sequence[str]
    second: Sequence[str]
    part: str
    threshold: float
    n_splits: int


COMPARISONS = {
    "history or profile": Comparison(HISTORY, PROFILE, "second half", 0.15, 100),
    "a trap, whole file": Comparison((*HISTORY, "campaign"), ("contact",), "whole", 0.08, 100),
    "the trap, first half": Comparison(HISTORY, ("contact",), "first half", 0.08, 30),
    "the trap, second half": Comparison(HISTORY, ("contact",), "second half", 0.08, 30)}


def part_of(data: datasets.Dataset, part: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Features and labels of the whole file or of one half, in the file's order of dates.

    Parameters
    ----------
    data : Dataset
        The bank marketing data, from ``datasets.load("bank")``.
    part : {"whole", "first half", "second half"}
        Which rows to take.

    Examples
    --------
    >>> data = datasets.Dataset(pd.DataFrame({"a": range(5)}), np.arange(5) % 2, "", "", "", "", "", "")
    >>> part_of(data, "second half")[0]["a"].tolist()
    [2, 3, 4]
    """
    half = len(data.y) // 2
    rows = {"whole": slice(None), "first half": slice(None, half), "second half": slice(half, None)}[part]
    return data.X.iloc[rows].reset_index(drop=True), data.y[rows]


def split(X: pd.DataFrame, y: np.ndarray, seed: int, comparison: Comparison) -> Split:
    """Train a logistic regression on each list with half of the rows, and cut the others in two: to choose and to pay.

    Parameters
    ----------
    X : DataFrame, shape (n, p)
        Features.
    y : ndarray, shape (n,)
        Labels 0 and 1.
    seed : int
        Decides both cuts.
    comparison : Comparison
        The two lists of columns.
    """
    learn, rest = train_test_split(np.arange(len(y)), train_size=0.5, stratify=y, random_state=seed)
    choose, pay = train_test_split(rest, test_size=0.5, stratify=y[rest], random_state=seed)
    said: tuple[dict[str, np.ndarray], ...] = ({}, {})
    for name, columns in (("first", comparison.first), ("second", comparison.second)):
        model = _model().fit(X.iloc[learn][list(columns)], y[learn])
        for part, rows in zip(said, (choose, pay), strict=True):
            part[name] = model.predict_proba(X.iloc[rows][list(columns)])[:, 1]
    return Split(y[choose], said[0], y[pay], said[1])


def compare(data: datasets.Dataset, name: str) -> pd.DataFrame:
    """Five scores on the rows to choose with and the bill on the rows to pay with, one row per split and list.

    ``bill`` is in calls per 1,000 customers; ``hindsight`` is the bill with the threshold that would have
    been best on the paying rows, so that no monotone recalibration could serve the list better. The part of
    the file is described by its ``customers``, and the shares that ``said yes`` and whose ``telephone`` is unknown.

    Parameters
    ----------
    data : Dataset
        The bank marketing data, from ``datasets.load("bank")``.
    name : str
        Key of `COMPARISONS`.
    """
    comparison = COMPARISONS[name]
    X, y = part_of(data, comparison.part)
    about = {"customers": len(y), "said yes": y.mean(), "telephone unknown": (X["contact"] == "unknown").mean()}
    rows = []
    for seed in range(comparison.n_splits):
        found = split(X, y, seed, comparison)
        rows += [{"comparison": name, "split": seed, "list": which,
                  **about, **_scores(found.y_choose, found.choose[which]),
                  **_bills(found.y_bill, found.bill[which], comparison.threshold)} for which in found.choose]
    return pd.DataFrame(rows)


def _model() -> Any:
    columns = make_column_transformer((StandardScaler(), make_column_selector(dtype_include="number")),
                                      (OneHotEncoder(handle_unknown="ignore"),
                                       make_column_selector(dtype_exclude="number")))
    return make_pipeline(columns, LogisticRegression(max_iter=500))


def _scores(y, f):
    return {"log loss": classification.log_loss(y, f), "Brier": classification.brier_score(y, f),
            "0-1 loss": classification.zero_one_loss(y, f), "ECE": classification.expected_calibration_error(y, f),
            "1 - AUROC": 1 - roc_auc_score(y, f)}


def _bills(y, f, c):
    family, cuts = BinaryDecision(), np.unique(f)
    hits, calls = (np.append(np.cumsum(v[::-1])[::-1], 0) for v in _counts(y, f, cuts))
    hindsight = np.min((y.sum() - hits) * (1 - c) + (calls - hits) * c) / len(y)
    return {"bill": -1000 * family.utility(c, y, f) / c, "hindsight": 1000 * hindsight / c}


def _counts(y, f, cuts):
    """Events and cases at each different forecast."""
    place = np.searchsorted(cuts, f)
    return np.bincount(place, y, cuts.size), np.bincount(place, minlength=cuts.size)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table that chapter 1 reads."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    target = Path(given[0] if given else "packages/pwu_book/tables/bank_calls.csv.gz")
    data = datasets.load("bank")
    table = pd.concat([compare(data, name) for name in COMPARISONS], ignore_index=True)
    tables.write(target, table, "python -m pwu_book.examples.bank_calls", "splits by number", "%.6f")
    print(f"{target}: {len(table)} rows")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
