"""The comparison of one model's two fits: the same rows change nothing, worse ones move it, the stored table is its."""

import numpy as np
import pytest

from pwu_lite.replication import mended, stored_tables


@pytest.fixture(scope="module")
def repeat():
    every = stored_tables.load("regression_scores.csv.gz")
    rows = every[(every["dataset"] == "energy") & (every["repeat"] == 3)].set_index(["model", "fold"])
    return rows.drop(columns=["dataset", "repeat"]).sort_index()


def test_the_same_rows_change_nothing(repeat):
    again = repeat[repeat.index.get_level_values("model") == "boosting"]
    after = mended.replaced(repeat, again)
    found = mended.compare(repeat[after.columns], after)
    assert np.allclose(found["before"], found["after"], equal_nan=True) and len(found) > 20


def test_a_worse_model_moves_its_own_metric(repeat):
    again = repeat[repeat.index.get_level_values("model") == "boosting"].copy()
    again["gaussian_nll"] += 1e6
    again["squared_z"] = 7.0
    after = mended.replaced(repeat, again)
    found = mended.compare(repeat[after.columns], after).set_index(["family", "metric"])
    assert found.loc[("boosting", "squared_z"), "after"] == 7
    assert found.loc[("selective", "gaussian_nll"), "after"] != found.loc[("selective", "gaussian_nll"), "before"]
    same = found.loc[("selective", "mean_squared_error")]
    assert same["before"] == same["after"]


def test_the_stored_table_begins_with_the_stored_scores(repeat):
    """Its "before" is what part IV's scores give."""
    stored = stored_tables.load("mended_boosting.csv.gz")
    rows = stored[(stored["dataset"] == "energy") & (stored["repeat"] == 3)].set_index(["family", "metric"])["before"]
    found = mended.compare(repeat, repeat).set_index(["family", "metric"])["before"]
    assert np.allclose(rows, found.loc[rows.index], atol=1e-6, equal_nan=True)
