"""Chapter 1's example: the counts are the raw file's, parts do not overlap, bills add up, the reversal is there."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pwu_book.examples import mushrooms
from pwu_lite import PWU, Beta, BinaryDecision
from pwu_lite.metrics import classification


@pytest.fixture(scope="module")
def table():
    return mushrooms.mushrooms()


def test_the_bill_counts_poisonings_and_meals():
    y = np.array([1, 1, 0, 0, 0])
    f = np.array([0.01, 0.9, 0.03, 0.02, 0.9])  # one poisoning, two meals thrown away, of five
    assert mushrooms.bill(y, f) == pytest.approx(1000 * (49 + 2) / 5)
    assert mushrooms.THRESHOLD == pytest.approx(0.02)


def test_the_counts_are_those_of_the_raw_file():
    raw = Path(os.environ.get("PWU_LITE_DATA", "none")) / "mushroom" / "mushrooms.csv"
    if not raw.exists():
        pytest.skip("needs the raw file in PWU_LITE_DATA")
    shipped = pd.read_csv(Path(mushrooms.__file__).with_name("mushrooms.csv"), comment="#")
    pd.testing.assert_frame_equal(shipped, mushrooms.counts(raw))


def test_smells_are_those_of_the_field_guide(table):
    smells = table.groupby("odor")["poisonous"].mean()
    assert smells["f"] == 1 and smells["a"] == 0 and 0 < smells["n"] < 0.05


class Stranger:
    """Predicts the places of rows, and only of rows whose columns it has not learnt from."""

    def fit(self, X, y):
        self.seen = set(X.agg("|".join, axis=1))
        return self

    def predict_proba(self, X):
        assert not self.seen & set(X.agg("|".join, axis=1))
        return np.column_stack([X.index, X.index])


def test_parts_do_not_overlap_and_repeat(table):
    marked = table.assign(odor=np.arange(len(table)).astype(str))
    part = mushrooms.split(marked, 3, {"id": ["odor"]}, maker=Stranger)
    choose, pay = set(part.choose["id"]), set(part.bill["id"])
    assert not choose & pay and len(choose) + len(pay) == len(table) / 2
    again = mushrooms.split(table, 3)
    np.testing.assert_array_equal(again.bill["the eye"], mushrooms.split(table, 3).bill["the eye"])


def test_unseen_combinations_are_on_one_side_only(table):
    colours = mushrooms.INSTRUMENTS["the eye"]
    mushrooms.split(table, 0, {"eye": colours}, maker=Stranger, unseen=colours)


def test_cross_fitted_forecasts_are_probabilities_for_every_row(table):
    said = mushrooms.cross_fitted(table)
    assert all(f.shape == (len(table),) and (f >= 0).all() and (f <= 1).all() for f in said.values())


def test_the_reversal_of_chapter_1(table):
    """Each usual score takes the nose, which is costlier; a PWU takes the eye (the page: of 100 splits)."""
    scores = {"log loss": classification.log_loss, "Brier": classification.brier_score,
              "0-1": classification.zero_one_loss, "PWU": PWU(BinaryDecision(), Beta(2, 80))}
    runs = mushrooms.choose_and_pay([mushrooms.split(table, seed) for seed in range(5)], scores).set_index("metric")
    assert (runs.loc[["log loss", "Brier", "0-1"], "extra"] > 150).all()
    assert (runs.loc["PWU", "extra"] < -150).all() and set(runs.loc["PWU", "chosen"]) == {"the eye"}


def test_a_metric_that_cannot_tell_is_a_tie(table):
    runs = mushrooms.choose_and_pay([mushrooms.split(table, 0)], {"blind": lambda y, f: 0.0})
    assert set(runs["chosen"]) == {"tie"} and (runs["extra"] == 0).all()


def test_the_stored_splits_are_those_that_are_fitted_anew():
    kept = pd.read_csv(mushrooms.SPLITS)
    anew = mushrooms.make_splits(range(0, 100, 9))
    pd.testing.assert_frame_equal(kept[kept["split"] % 9 == 0].reset_index(drop=True), anew, rtol=1e-12)
    assert all(part.y_choose.size == part.y_bill.size == 2031 for part in mushrooms.splits())


@pytest.mark.slow
def test_all_stored_splits_are_those_that_are_fitted_anew():
    pd.testing.assert_frame_equal(pd.read_csv(mushrooms.SPLITS), mushrooms.make_splits(), rtol=1e-12)
