"""Quantile forecasts of wind energy and of day-ahead prices, scored for users at either end of the critical ratio.

Usage: python -m pwu_book.studies quantiles

Three models give the 23 quantiles of the forecast hubs. They learn from the first part of a series and are scored on
the rest, with intervals that resample whole days. Three shares to learn from are tried. The raw files are read from
the folder in PWU_LITE_DATA; only the scores are stored.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import QuantileRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pwu_lite import Beta, Dirac, Mixture, Newsvendor, Uniform, compare
from pwu_lite.pwu import PWU

from .. import tables as stored_tables
from ..runs import datasets
from . import wind

__all__ = ["HUB", "SHARES", "forecasts", "scores", "series"]

HUB = np.array([0.01, 0.025, *np.arange(1, 20) / 20, 0.975, 0.99])
SHARES = (0.5, 0.6, 0.7)
TARGET = Path(stored_tables.__file__).parent / "quantiles_scores.csv.gz"


def scores() -> dict[str, PWU]:
    """The scores by name: users at the low end, at the high end, spread evenly, and one at each reported level.

    Examples
    --------
    >>> list(scores())
    ['left over is costly', 'short is costly', 'all alike', 'WIS']
    """
    family = Newsvendor(HUB)
    equal = Mixture([Dirac(level) for level in HUB], [1 / HUB.size] * HUB.size)
    return {"left over is costly": PWU(family, Beta(2, 18)), "short is costly": PWU(family, Beta(18, 2)),
            "all alike": PWU(family, Uniform(0, 1)), "WIS": PWU(family, equal)}


def series(name: str) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Features, outcomes and days of a series: half-hours of British wind, or hours of Belgian day-ahead prices.

    Parameters
    ----------
    name : {"wind", "price"}
        Energy in MWh, or a price in EUR per MWh.

    Raises
    ------
    ValueError
        No such series.
    FileNotFoundError
        The file is not there; the message says what to do.
    """
    if name == "wind":
        data = wind.load("britain")
        kept = data.money["season"].to_numpy() == 0
        return data.X[kept].reset_index(drop=True), data.y[kept], np.arange(kept.sum()) // 48
    if name != "price":
        raise ValueError(f"there is no series {name!r}; there are wind, price")
    file = "electricity_be/dam_prices.csv"
    path = datasets.find(file, "ENTSO-E (day-ahead prices)", "none stated")
    price = wind.hours(pd.read_csv(path), "price_eur_mwh", file).dropna()
    X = pd.DataFrame({f"{days} days ago": price.shift(24 * days) for days in (1, 2, 7)})
    X["mean of yesterday"] = price.shift(24).rolling(24).mean()
    X["hour, cosine"], X["hour, sine"] = (turn(2 * np.pi * price.index.hour / 24) for turn in (np.cos, np.sin))
    X["weekend"] = (price.index.dayofweek >= 5).astype(float)
    kept = X.notna().all(axis=1).to_numpy()
    return (X[kept].reset_index(drop=True), price.to_numpy()[kept],
            price.index.normalize()[kept].factorize()[0])


def forecasts(X: pd.DataFrame, y: np.ndarray, learned: int) -> dict[str, np.ndarray]:
    """Quantiles at `HUB` of the rows from `learned` on, by models that saw the rows before; each row ascending.

    Parameters
    ----------
    X : DataFrame of shape (n, p)
    y : ndarray of shape (n,)
    learned : int
        Rows to learn from. The linear model takes every fourth of them.
    """
    fit, new = slice(0, learned), slice(learned, None)
    makers = {"linear": lambda level: make_pipeline(StandardScaler(), QuantileRegressor(quantile=level, alpha=0.0)),
              "boosted": lambda level: HistGradientBoostingRegressor(loss="quantile", quantile=level, max_iter=150,
                                                                     learning_rate=0.05, random_state=0)}
    rows = {"same every time": np.tile(np.quantile(y[fit], HUB), (len(y) - learned, 1))}
    for name, make in makers.items():
        step = slice(0, learned, 4) if name == "linear" else fit
        rows[name] = np.sort(np.column_stack([make(level).fit(X.to_numpy()[step], y[step]).predict(X.to_numpy()[new])
                                              for level in HUB]), axis=1)
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit three models on two series at three shares, score them, and write the table."""
    parser = argparse.ArgumentParser("python -m pwu_book.studies quantiles", description=main.__doc__)
    parser.add_argument("--target", type=Path, default=TARGET)
    given = parser.parse_args(arguments)
    tables = []
    for name in ("wind", "price"):
        X, y, days = series(name)
        for share in SHARES:
            learned = int(share * len(y))
            result = compare(y[learned:], forecasts(X, y, learned), scores(), groups=days[learned:])
            table = result.table.rename_axis(["score", "model"]).reset_index()
            tables.append(table.assign(series=name, share=share, n=len(y) - learned))
            print(f"{name}: learned from {share:.0%}", flush=True)
    kept = ["series", "share", "n", "score", "model", "cost", "low", "high", "difference", "difference low",
            "difference high", "verdict"]
    whole = pd.concat(tables, ignore_index=True)[kept]
    stored_tables.write(given.target, whole, "python -m pwu_book.studies quantiles",
                        "random_state=0; resamples of days by seed 0", "%.6g")
    return 0
