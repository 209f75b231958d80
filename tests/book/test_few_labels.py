"""The study of few labels: its scores are the package's, its cases do not overlap, its table is whole."""

import numpy as np
import pandas as pd
import pytest

from pwu_book import tables
from pwu_book.runs import grid
from pwu_book.studies import few_labels
from pwu_book.studies.few_labels import assisted
from pwu_book.studies.few_labels.scores import _auroc, _average_precision
from pwu_lite import Beta
from tests.book.test_assisted import PRIOR, SHARES, gaussian, world


def test_ranking_scores_of_the_run_are_scikit_learns():
    from sklearn.metrics import average_precision_score, roc_auc_score

    rng = np.random.default_rng(4)
    for _ in range(20):
        y, f = rng.integers(0, 2, 50), rng.integers(0, 9, 50) / 9
        assert _auroc(y, f) == pytest.approx(roc_auc_score(y, f))
        assert _average_precision(y, f) == pytest.approx(average_precision_score(y, f))
    assert _auroc(np.zeros(4), np.arange(4)) == 0.5


@pytest.mark.parametrize("family, function, prior", [
    ("binary", assisted.binary, PRIOR), ("top_k", assisted.top_k, SHARES),
    ("selective", assisted.selective, Beta(2, 10, scale=2.0))])
def test_the_runs_scores_are_the_packages(family, function, prior):
    y, models = gaussian(3100, models=3) if family == "selective" else world(3200, 0, 3)
    forecasts = {name: np.atleast_2d(f) for name, f in models.items()}
    one = few_labels.Draw(y.astype(float), {name: tuple(f) for name, f in forecasts.items()}, 2.0)
    said = few_labels.scores(family, one, np.arange(70), np.arange(70, 3000))
    labelled = {name: f[0, :70] if len(f) == 1 else tuple(f[:, :70]) for name, f in forecasts.items()}
    table = function(y[:70], labelled, prior).table
    assert np.allclose(said["assisted"], table["assisted"]) and np.allclose(said["PWU"], table["plain"])
    assert np.allclose(said["assisted, or plain if refused"], table["loss"])
    assert set(map(len, said.values())) == {3}
    if family == "selective":
        assert np.allclose(said["MSE"], [np.mean((y[:70] - mean[:70]) ** 2) for mean, _ in models.values()])


def test_training_pool_and_paying_cases_are_disjoint_and_change_with_the_draw():
    data = few_labels.load("simulated")
    cells = [grid.Cell("simulated", "", repeat, 0) for repeat in (0, 1)]
    parts = [few_labels.split(data, cell) for cell in cells]
    for train, test in parts:
        assert len(train) == 500 and len(test) == 7000 and not set(train) & set(test)
        assert len(set(test)) == len(test)
    assert set(parts[0][0]) != set(parts[1][0])


def test_ties_share_the_regret():
    found = few_labels.outcome({"tied": np.array([1.0, 1.0, 2.0])}, np.array([0.1, 0.3, 0.0]),
                               np.array([[1.0], [2.0], [3.0]]), np.ones(1))
    assert found.loc["tied", "regret"] == pytest.approx(0.2)


def test_the_table_of_the_run_is_whole():
    table = tables.load("few_labels.csv.gz")
    assert set(table["source"]) == set(few_labels.SOURCES) and set(table["arm"]) == set(few_labels.ARMS)
    counts = table.groupby(["source", "family", "arm", "n", "score"])["draw"].nunique()
    assert (counts == few_labels.TRAINING_DRAWS).all() and isinstance(table, pd.DataFrame)
    known = table[~table["score"].isin(["deploy the reference", "bias alone"])]
    assert (known["regret"] >= -1e-9).all() and known["d"].dropna().between(-1, 1).all()
