"""The study of quantile forecasts: ascending rows that learn from the past, and the stored scores."""

import numpy as np
import pandas as pd
import pytest

from pwu_book import tables
from pwu_book.studies import quantiles


def test_forecasts_learn_from_the_rows_before_alone(monkeypatch):
    monkeypatch.setattr(quantiles, "HUB", quantiles.HUB[::4])
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=600), "b": rng.normal(size=600)})
    y = X["a"].to_numpy() + 0.3 * rng.normal(size=600)
    rows = quantiles.forecasts(X, y, 500)
    later = quantiles.forecasts(X, np.r_[y[:500], rng.normal(9, 1, 100)], 500)
    scores = quantiles.scores()
    for name, forecast in rows.items():
        assert forecast.shape == (100, quantiles.HUB.size) and (np.diff(forecast, axis=1) >= 0).all()
        assert (forecast == later[name]).all()
    for score in scores.values():
        costs = {name: score(y[500:], forecast) for name, forecast in rows.items()}
        assert max(costs, key=costs.get) == "same every time"


def test_the_stored_scores_are_whole():
    table = tables.load("quantiles_scores.csv.gz")
    assert len(table) == 2 * len(quantiles.SHARES) * len(quantiles.scores()) * 3
    assert (table["low"] <= table["cost"]).all() and (table["cost"] <= table["high"]).all()


def test_series_that_do_not_exist():
    with pytest.raises(ValueError, match="there are wind, price"):
        quantiles.series("river")
