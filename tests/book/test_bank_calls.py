"""The bank of chapter 1: bills and scores by hand, parts of the file, a stored row computed again."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pwu_book import tables
from pwu_book.examples import bank_calls
from pwu_book.runs import datasets


def test_bills_by_hand():
    y, f = np.array([1, 0, 1, 0]), np.array([0.9, 0.5, 0.1, 0.1])
    bills = bank_calls._bills(y, f, 0.25)  # a miss costs three calls
    assert bills["bill"] == pytest.approx(1000 * (1 + 3) / 4)  # one needless call, one miss
    tried = [(3 * y[f <= cut].sum() + (1 - y)[f > cut].sum()) / 4 for cut in (0, 0.1, 0.5, 0.9)]
    assert bills["hindsight"] == pytest.approx(1000 * min(tried)) and min(tried) < 1


def bank():
    """A file of 400 customers: the telephone is unknown in its first half; the history says something."""
    rng = np.random.default_rng(0)
    yes = rng.random(400) < 0.3
    X = pd.DataFrame({"previous": np.where(yes, 2, rng.integers(0, 2, 400)), "pdays": rng.integers(0, 9, 400),
                      "poutcome": "x", "campaign": 1, "contact": np.where(np.arange(400) < 200, "unknown", "home")})
    return datasets.Dataset(X, yes.astype(int), "bank", "binary", "yes", "", "", "")


def test_parts_do_not_overlap_and_a_seed_decides():
    plan = bank_calls.Comparison(("previous",), ("pdays",), "whole", 0.2, 1)
    X, y = bank_calls.part_of(bank(), "whole")
    one, two = (bank_calls.split(X, y, 3, plan) for _ in range(2))
    assert len(one.y_choose) + len(one.y_bill) == len(y) / 2
    np.testing.assert_array_equal(one.bill["first"], two.bill["first"])
    assert one.choose["first"].std() > 0.1 > one.choose["second"].std()


def test_a_comparison_describes_its_part(monkeypatch):
    plan = bank_calls.COMPARISONS["the trap, first half"]
    monkeypatch.setitem(bank_calls.COMPARISONS, "small", plan._replace(n_splits=2))
    table = bank_calls.compare(bank(), "small")
    assert table["list"].tolist() == ["first", "second"] * 2
    assert set(table["customers"]) == {200} and set(table["telephone unknown"]) == {1.0}


def test_a_stored_row_computed_again():
    if not (Path(os.environ.get("PWU_LITE_DATA", "none")) / "bank_marketing" / "bank-full.csv").exists():
        pytest.skip("needs the raw file in PWU_LITE_DATA")
    name = "the trap, second half"
    plan = bank_calls.COMPARISONS[name]
    found = bank_calls.split(*bank_calls.part_of(datasets.load("bank"), plan.part), 4, plan)
    stored = tables.load("bank_calls.csv.gz").query("comparison == @name and split == 4").set_index("list")
    for which in ("first", "second"):
        again = bank_calls._scores(found.y_choose, found.choose[which])
        again |= bank_calls._bills(found.y_bill, found.bill[which], plan.threshold)
        assert again == pytest.approx(stored.loc[which, list(again)].to_dict(), rel=1e-4, abs=1e-6)
