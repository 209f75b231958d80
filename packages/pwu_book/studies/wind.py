"""Wind power: a bid that sigma does not move, and a decision that sigma makes, to carry the imbalance or buy it off.

Implements the PWU paper's section 5.2 and appendix J.2 (electricity market), as published and as corrected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri

from pwu_lite.alignment import kendall_tau
from pwu_lite.families import SelectivePrediction
from pwu_lite.metrics import regression
from pwu_lite.priors import Beta, LogNormal
from pwu_lite.pwu import PWU

from ..runs import datasets, models
from ..runs.tasks import REGRESSION, Fold
from .study import HIGHER, Data, Study, column, columns_of, expect, read

__all__ = ["CAPACITY", "FEES", "KAPPA", "STUDY", "absolute", "bid", "carried", "farm", "fee_of_each", "firming_cost",
           "hours", "load", "newsvendor_bid", "parts", "payoff", "profits", "regressors", "room", "tables"]

CAPACITY = 165.0  # MW, Belwind Phase 1
KAPPA = 0.07  # GBP per MWh squared: the imbalance price of the competition
FEES = (100, 200, 400, 600, 1000, 1500, 2000, 3000, 5000)  # GBP for the firming of one half-hour
WEEK = 336  # half-hours
SEASON = 4320  # half-hours of the 90 scored days
TRAIN_WEEKS = 12
PER_MWH = 2.0  # GBP of firming for a MWh of the public forecast: a fee for each half-hour
DRAWS = 100  # bootstraps of days


def farm(speed: ArrayLike, capacity: float = CAPACITY) -> np.ndarray:
    """Output of a constructed wind farm, in MW, from the wind speed at 10 m in km/h.

    The speed is divided by 3.6 and multiplied by 1.9, to stand for an open site at hub height; nothing below
    3.5 m/s, all of it from 13 to 25, and ``(v^3 - 3.5^3)/(13^3 - 3.5^3)`` of it between.

    Parameters
    ----------
    speed : array_like, shape (n,)
        Wind speed at 10 m in km/h, from 0 to 300.
    capacity : float
        Largest output in MW, default 165.

    Raises
    ------
    ValueError
        A negative speed, or one that no wind of this earth has (above 300 km/h), by its row.

    Examples
    --------
    >>> farm([0.0, 12.0, 20.0, 60.0]).round(1).tolist()
    [0.0, 16.2, 86.8, 0.0]
    """
    v = column("speed", speed, 0, 300, "km/h") / 3.6 * 1.9
    share = np.clip((v**3 - 3.5**3) / (13**3 - 3.5**3), 0, 1)
    return capacity * np.where(v <= 25, share, 0.0)


def _within(generation, capacity):
    """Output that the farm can have."""
    return column("generation", generation, 0, capacity, "MW, capacity above")


def absolute(relative: float, mean: ArrayLike, std: ArrayLike, capacity: float = CAPACITY) -> np.ndarray:
    """The bound alpha on the expected squared imbalance that a relative one stands for.

    ``alpha = sigma^2 + relative * (capacity - mu)^2``: between the least possible, the forecast's variance, and
    what a bid of the whole capacity would risk.

    Parameters
    ----------
    relative : float
        Share in [0, 1]; the paper's text has 0.01, its code 0.1.
    mean, std : array_like of shape (n,)
        The forecast, in MW.
    capacity : float
        MW.

    References
    ----------
    PWU paper, appendix J.2; Bruninx and co-authors (2025).

    Examples
    --------
    >>> absolute(0.01, [65.0], [20.0]).tolist()
    [500.0]
    """
    column("relative", [relative], 0, 1, "share")
    mu, sigma = np.asarray(mean, dtype=float), column("std", std, 0, np.inf, "MW")
    return sigma**2 + relative * (capacity - mu) ** 2


def bid(mean: ArrayLike, std: ArrayLike, sell: ArrayLike, alpha: ArrayLike, capacity: float = CAPACITY) -> np.ndarray:
    """The published policy: as far from the mean as the bound allows, up where the market is expected to pay more.

    ``min(mu + D, capacity)`` where `sell`, ``max(mu - D, 0)`` elsewhere, with ``D = sqrt(alpha - sigma^2)``.

    Parameters
    ----------
    mean, std : array_like of shape (n,)
        The forecast of the hour's generation, in MW.
    sell : array_like of bool, shape (n,)
        Is the day-ahead price expected above the imbalance price?
    alpha : array_like of shape (n,)
        Bound on the expected squared imbalance, in MW squared; see `absolute`.
    capacity : float
        MW.

    Raises
    ------
    ValueError
        The variance exceeds the bound: no bid keeps it. A mean that is not finite, a negative deviation.

    References
    ----------
    PWU paper, appendix J.2.

    Examples
    --------
    >>> bid([65.0, 65.0], [20.0, 20.0], [True, False], [500.0, 500.0]).tolist()
    [75.0, 55.0]
    """
    mu, sigma = column("mean", mean, -np.inf, np.inf, "MW"), column("std", std, 0, np.inf, "MW")
    room = np.asarray(alpha, dtype=float) - sigma**2
    if (room < 0).any():
        row = int(np.flatnonzero(room < 0)[0])
        given = np.broadcast_to(alpha, mu.shape)[row]
        raise ValueError(f"alpha (MW squared) must be at least the forecast's variance, or no bid keeps the bound: "
                         f"row {row} has alpha {given:g} and variance {sigma[row] ** 2:g}")
    step = np.sqrt(room)
    return np.where(np.asarray(sell, dtype=bool), np.minimum(mu + step, capacity), np.maximum(mu - step, 0.0))


def payoff(bids: ArrayLike, generation: ArrayLike, day_ahead: ArrayLike, imbalance: ArrayLike,
           capacity: float = CAPACITY) -> np.ndarray:
    """What each hour earns under one price for shortfall and surplus: ``R_DA b + R_B (E - b)``, in EUR.

    Parameters
    ----------
    bids, generation : array_like of shape (n,)
        MWh of the hour; `generation` at most `capacity`.
    day_ahead, imbalance : array_like of shape (n,)
        EUR/MWh; may be negative.
    capacity : float
        Largest output in MW, default 165.

    Raises
    ------
    ValueError
        Naming column, row, value and unit.

    Examples
    --------
    >>> payoff([100.0], [80.0], [50.0], [70.0]).tolist()
    [3600.0]
    """
    b, output = column("bids", bids, 0, capacity, "MWh"), _within(generation, capacity)
    first = column("day_ahead", day_ahead, -np.inf, np.inf, "EUR/MWh")
    second = column("imbalance", imbalance, -np.inf, np.inf, "EUR/MWh")
    return first * b + second * (output - b)


def carried(y_true: ArrayLike, mean: ArrayLike, kappa: float = KAPPA) -> np.ndarray:
    """Imbalance cost of a bid of the mean, ``kappa (E - mu)^2``, in GBP per half-hour.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Generation E, in MWh per half-hour.
    mean : array_like, shape (n,)
        Predictive means mu, in MWh per half-hour.
    kappa : float
        GBP per MWh squared, default 0.07.

    Examples
    --------
    >>> carried([310.0], [210.0]).round(6).tolist()
    [700.0]
    """
    return kappa * (np.asarray(y_true, dtype=float) - np.asarray(mean, dtype=float)) ** 2


def firming_cost(fees: ArrayLike, y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, kappa: float = KAPPA,
                 ) -> np.ndarray:
    """Mean cost of a half-hour, in GBP, for each fee: carry the imbalance where that is expected to be cheaper.

    ``kappa (E - mu)^2`` where ``kappa sigma^2 <= fee``, else the fee: ``-kappa U_lambda`` with
    ``lambda = fee/kappa``, selective prediction in pounds.

    Parameters
    ----------
    fees : array_like of shape (m,)
        GBP a half-hour, positive.
    y_true, mean, std : array_like of shape (n,)
        MWh a half-hour.
    kappa : float
        GBP per MWh squared.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> firming_cost([100, 1000], [310.0, 400.0], [210.0, 410.0], [90.0, 20.0]).round(1).tolist()
    [53.5, 353.5]
    """
    prices = column("fees", np.atleast_1d(np.asarray(fees, dtype=float)), np.finfo(float).tiny, np.inf, "GBP")
    column("kappa", [kappa], np.finfo(float).tiny, np.inf, "GBP per MWh squared")
    return -kappa * np.asarray(SelectivePrediction().utility(prices / kappa, y_true, mean, std))


def newsvendor_bid(mean: ArrayLike, std: ArrayLike, shortfall: float, surplus: float) -> np.ndarray:
    """The best bid under two prices: ``mu + sigma z``, z the normal quantile at ``surplus/(shortfall + surplus)``.

    Parameters
    ----------
    mean, std : array_like of shape (n,)
    shortfall, surplus : float
        What a MWh too little, or too much, costs against having bid it right.

    Examples
    --------
    >>> newsvendor_bid([100.0], [20.0], shortfall=30.0, surplus=10.0).round(2).tolist()
    [86.51]
    """
    for name, price in (("shortfall", shortfall), ("surplus", surplus)):
        column(name, [price], np.finfo(float).tiny, np.inf, "money per MWh")
    return np.asarray(mean, dtype=float) + np.asarray(std, dtype=float) * ndtri(surplus / (shortfall + surplus))


def hours(table: pd.DataFrame, value: str, place: str) -> pd.Series:
    """Hourly means of a column of prices whose times must ascend.

    Parameters
    ----------
    table : DataFrame
        With the column ``datetime_utc`` and that of the prices.
    value : str
        Name of the column of prices, in EUR/MWh.
    place : str
        Name of the file, for error messages.

    Raises
    ------
    ValueError
        A column is missing, or a time is not after the one before.

    Examples
    --------
    >>> quarters = pd.date_range("2024-06-01", periods=8, freq="15min")
    >>> hours(pd.DataFrame({"datetime_utc": quarters, "price": range(8)}), "price", "prices.csv").tolist()
    [1.5, 5.5]
    """
    columns_of(table, ["datetime_utc", value], place)
    times = pd.DatetimeIndex(pd.to_datetime(table["datetime_utc"]))
    late = np.flatnonzero(times[1:] <= times[:-1]) + 1
    if late.size:
        raise ValueError(f"{place} must be in the order of time (column datetime_utc): row {late[0]} has "
                         f"{times[late[0]]} after {times[late[0] - 1]}")
    prices = column(value, table[value], -np.inf, np.inf, "EUR/MWh")
    return pd.Series(prices, times).resample("1h").mean()


def load(name: str) -> Data:
    """Half-hours of a wind portfolio with firming to buy, in MWh, or hours of a wind farm with prices, in MW.

    Parameters
    ----------
    name : {"simulated", "britain", "simulated_farm", "belgium"}
        Half-hours, simulated or of a British portfolio; hours, simulated or of a farm constructed from Belgian wind.

    Raises
    ------
    ValueError
        No such data set, or a file that is not what it should be.
    FileNotFoundError
        The file is not there; the message says what to do.

    Examples
    --------
    >>> data = load("simulated")
    >>> data.X.shape, list(data.money)
    ((12720, 9), ['season'])
    """
    return read(_READERS, name)


def _half_hours(tables, name, licence):
    """What is known at noon of the day before: the day-ahead forecast around the half-hour."""
    X = pd.concat([_around(table["forecast_mwh"]) for table in tables], ignore_index=True)
    money = pd.DataFrame({"season": np.repeat([0, 1], [len(table) for table in tables])})
    if all("spread_gbp_mwh" in table for table in tables):
        money["spread"] = pd.concat([table["spread_gbp_mwh"] for table in tables], ignore_index=True)
    y = np.concatenate([column("generation_mwh", table["generation_mwh"], 0, np.inf, "MWh") for table in tables])
    return Data(X, y, money, name, "regression", licence)


def _around(forecast):
    steps = {f"forecast {step:+d}": forecast.shift(-step) for step in (-4, -2, -1, 0, 1, 2, 4)}
    window = forecast.rolling(16, center=True, min_periods=2)
    frame = pd.DataFrame({**steps, "mean of 16": window.mean(), "sd of 16": window.std()})
    return frame.bfill().ffill()


def _britain():
    source, licence = "the 2024 Hybrid Energy Forecasting and Trading Competition, Zenodo 13950764", "CC BY 4.0"
    tables = []
    for file, rows in (("wind_gb/case1.csv", 8577), ("wind_gb/case2.csv", SEASON)):
        table = pd.read_csv(datasets.find(file, source, licence))
        columns_of(table, ["generation_mwh", "forecast_mwh"], file)
        tables.append(expect(table, rows, file, "half-hours"))
    return _half_hours(tables, "britain", licence)


def _simulated():
    return _half_hours([_weather(25 * WEEK, 9.5, seed=0), _weather(SEASON, 8.0, seed=1)], "simulated",
                       "simulated here")


def _weather(n, wind, seed):
    """Half-hours of a 600 MWh portfolio whose forecast errs in the wind, more so in unsettled weather.

    The wind speed is ``wind + 3.5 x``, x autoregressive (0.99); the forecast's speed is off by ``(0.5 + u) e``,
    e autoregressive (0.95), u the size of a slow autoregressive process (0.995) that also makes the forecast
    itself swing; both go through the power curve. Energy is metered in kWh: the last digits of a float, which
    differ between processors, would otherwise grow into other trees and other bills.
    """
    rng = np.random.default_rng(seed)
    slow, unsettled, error = (_autoregressive(n, rho, rng) for rho in (0.99, 0.995, 0.95))
    swing = np.abs(unsettled) * np.sin(np.arange(n) / 5)
    forecast = np.maximum(wind + 3.5 * slow + swing, 0)
    speed = np.maximum(forecast + (0.5 + np.abs(unsettled)) * error, 0)
    curve = [farm(3.6 / 1.9 * np.minimum(v, 25), capacity=600.0) for v in (speed, forecast)]
    return pd.DataFrame({"generation_mwh": curve[0].round(3), "forecast_mwh": curve[1].round(3)})


def _autoregressive(n, rho, rng):
    """Standard deviation one; starts anywhere."""
    steps, values = rng.normal(size=n), np.empty(n)
    values[0] = steps[0]
    for t in range(1, n):
        values[t] = rho * values[t - 1] + np.sqrt(1 - rho**2) * steps[t]
    return values


def _belgium():
    source, licence = "Open-Meteo (wind speed), ENTSO-E (day-ahead) and Elia (imbalance)", "Elia CC BY 4.0; else none"
    folder = "electricity_be"
    file = f"{folder}/Weather_data_archive_hourly.csv"
    table = columns_of(pd.read_csv(datasets.find(file, source, licence)), ["date", "wind_speed_10m"], file)
    hour = pd.DatetimeIndex(pd.to_datetime(table["date"])).tz_convert(None)
    wind = pd.Series(farm(table["wind_speed_10m"]).round(3), hour)
    prices = {}
    for name, file in (("day_ahead", "dam_prices.csv"), ("imbalance", "imbalance_actual.csv")):
        path = datasets.find(f"{folder}/{file}", source, licence)
        prices[name] = hours(pd.read_csv(path), "price_eur_mwh", f"{folder}/{file}")
    return _day_by_day(wind, prices, pd.Timestamp("2024-06-03"), 213, "belgium", licence)


def _simulated_farm():
    """A farm and two prices: windy hours are cheap ones, and the imbalance price scatters around the day-ahead.

    Energy is rounded to kWh and prices to cents, as in :func:`_weather`.
    """
    n = 24 * 185
    rng, index = np.random.default_rng(2), pd.date_range("2024-06-01", periods=24 * 185, freq="1h")
    wind = farm(np.maximum(13 + 7 * _autoregressive(n, 0.97, rng), 0)).round(3)
    day = 15 * np.sin(2 * np.pi * (np.arange(n) % 24 - 12) / 24)
    first = (75 + day - 0.25 * wind + 20 * _autoregressive(n, 0.97, rng)).round(2)
    second = (first + 80 * _autoregressive(n, 0.35, rng)).round(2)
    prices = {"day_ahead": pd.Series(first, index), "imbalance": pd.Series(second, index)}
    return _day_by_day(pd.Series(wind, index), prices, pd.Timestamp("2024-06-03"), 182, "simulated_farm",
                       "simulated here")


def _day_by_day(wind, prices, first, days, name, licence):
    """Each row is an hour of a day D, with the 36 hours of wind up to D - 1, 11:00, and what the day before D had."""
    rows, money = [], []
    for day in pd.date_range(first, periods=days):
        hour = pd.date_range(day, periods=24, freq="1h")
        known = wind[day - pd.Timedelta(hours=48):day - pd.Timedelta(hours=13)].to_numpy()
        rows.append(np.column_stack([np.arange(24), np.tile(known, (24, 1))]))
        before = hour - pd.Timedelta(days=1)
        money.append(pd.DataFrame({"day": (day - first).days, "day_before": wind[before].to_numpy(),
                                   **{label: price[hour].to_numpy() for label, price in prices.items()},
                                   **{f"{label}_before": price[before].to_numpy() for label, price in prices.items()},
                                   "spread_earlier": (prices["day_ahead"] - prices["imbalance"])[
                                       hour - pd.Timedelta(hours=48)].to_numpy(),
                                   "generation": wind[hour].to_numpy()}))
    X = pd.DataFrame(np.concatenate(rows), columns=["hour", *[f"{lag} hours before noon" for lag in range(35, -1, -1)]])
    table = pd.concat(money, ignore_index=True)
    return Data(X, table.pop("generation").to_numpy(), table, name, "regression", licence)


_READERS = {"simulated": _simulated, "britain": _britain, "simulated_farm": _simulated_farm, "belgium": _belgium}
DECEMBER = 32  # days that are scored in the hourly studies: 31 as targets, and 31 with the day before


def parts(data: Data, repeat: int) -> dict[str, np.ndarray]:
    """Rows by part, in whole weeks of half-hours or whole days of hours.

    Half-hours: twelve random weeks to learn from, the others in two halves, "same" and "new", and the "season".
    Hours: the last 32 days are "december", what is before them is learnt from.

    Parameters
    ----------
    data : Data
        From `load`.
    repeat : int
        Number of the repeat, from 0; of no effect for hours.

    Examples
    --------
    >>> {part: len(rows) for part, rows in parts(load("simulated"), repeat=0).items()}
    {'train': 4032, 'same': 2352, 'new': 2016, 'season': 4320}
    """
    if "day" in data.money:
        scored = data.money["day"].to_numpy() > data.money["day"].max() - DECEMBER
        return {"train": np.flatnonzero(~scored), "december": np.flatnonzero(scored)}
    season = data.money["season"].to_numpy() == 1
    week = np.arange(len(data.y)) // WEEK
    weeks = np.random.default_rng(repeat).permutation(week[~season].max() + 1)
    chosen = {"train": weeks[:TRAIN_WEEKS], "same": weeks[TRAIN_WEEKS::2], "new": weeks[TRAIN_WEEKS + 1::2]}
    rows = {part: np.flatnonzero(np.isin(week, which) & ~season) for part, which in chosen.items()}
    return {**rows, "season": np.flatnonzero(season)}


class _EachHour:
    """A model of its own for each hour of the day, where there is a column "hour"; else one model."""

    def __init__(self, make, seed):
        self.make, self.seed = make, seed

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> _EachHour:
        self.parts = {hour: self.make(self.seed).fit(part, y[rows]) for hour, rows, part in self._hours(X)}
        return self

    def predict(self, X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        mean, std = np.empty((2, len(X)))
        for hour, rows, part in self._hours(X):
            mean[rows], std[rows] = self.parts[hour].predict(part)
        return mean, std

    @staticmethod
    def _hours(X):
        hour = X["hour"].to_numpy() if "hour" in X else np.zeros(len(X))
        return [(value, hour == value, X[hour == value].drop(columns="hour", errors="ignore"))
                for value in np.unique(hour)]


def regressors(makers: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Regressors, one per hour of the day where the table has a column "hour".

    Parameters
    ----------
    makers : mapping of name to callable, optional
        A seed gives a regressor of mean and standard deviation; the benchmarks' ten if omitted.

    Examples
    --------
    >>> list(regressors())[:2]
    ['least squares', 'Bayesian splines']
    """
    makers = models.regressors() if makers is None else makers
    return {name: lambda seed, make=make: _EachHour(make, seed) for name, make in makers.items()}


def tables(data: Data, parts: Mapping[str, np.ndarray], repeat: int, said: Mapping[str, Any],
           ) -> dict[str, pd.DataFrame]:
    """Metrics and costs at each fee (half-hours), or profits and their agreement with the metrics (hours).

    Half-hours have a row for each part and model; hours have the profits of each model, and tau over draws of days.

    Of half-hours, ``carry`` is the cost of never firming, ``cost_F`` at a fee of F pounds, ``flat_F`` the same
    with one standard deviation for all, the root mean square of the model's own; ``best_F`` with hindsight.

    Parameters
    ----------
    data : Data
        From `load`.
    parts : mapping of part to ndarray
        Rows by part, from `parts`.
    repeat : int
        Number of the repeat, from 0; not used.
    said : mapping of model to Prediction
        Forecasts of the scored rows.

    Returns
    -------
    dict of str to DataFrame
        ``scores`` for half-hours; ``bids`` and ``draws`` for hours.
    """
    return _bids(data, said) if "day" in data.money else {"scores": _firming(data, parts, said)}


def fee_of_each(data: Data, rows: np.ndarray) -> np.ndarray:
    """Fee of each half-hour in GBP, `PER_MWH` times the public forecast (of one MWh at least), which no model sets.

    Parameters
    ----------
    data : Data
        Half-hours, from `load`.
    rows : ndarray, shape (n,)
        Rows of the half-hours.

    Examples
    --------
    >>> data = load("simulated")
    >>> fee_of_each(data, np.array([0, 1])).shape
    (2,)
    """
    return PER_MWH * np.maximum(data.X["forecast +0"].to_numpy()[rows], 1.0)


def _firming(data, parts, said):
    variance, rows = float(np.var(data.y[parts["train"]])), []
    logs = np.log(fee_of_each(data, parts["train"]) / KAPPA)
    fitted = PWU(SelectivePrediction(), LogNormal(float(logs.mean()), float(logs.std())))
    for part in ("same", "new", "season"):
        for model, prediction in said.items():
            y, mean, std = _lined_up(data, prediction, parts[part])
            flat = np.full(std.size, np.sqrt(np.mean(std**2)))
            rows.append({"part": part, "model": model, **_metrics(Fold(y, (mean, std), variance)),
                         "mean_variance": np.mean(std**2), "carry": carried(y, mean).mean(),
                         "spread_error_correlation": _with_spread(data, parts[part], y - mean),
                         **_own_fees(fee_of_each(data, parts[part]), y, mean, std, fitted),
                         **_at_fees("cost", firming_cost(FEES, y, mean, std)),
                         **_at_fees("flat", firming_cost(FEES, y, mean, flat)),
                         **_at_fees("best", np.minimum(carried(y, mean)[:, None], FEES).mean(axis=0))})
    return pd.DataFrame(rows).assign(variance=variance)


def _own_fees(fees, y, mean, std, fitted):
    """The bill with a fee for each half-hour, and PWUs that know the fees' distribution or each fee up to an error."""
    each = PWU(SelectivePrediction(), Beta(2.0, 10.0, scale=6 * fees / KAPPA))  # with the fee as its mean
    return {"cost_each": np.where(KAPPA * std**2 <= fees, carried(y, mean), fees).mean(),
            "pwu_fitted": fitted(y, mean, std), "pwu_case": each(y, mean, std)}


def _with_spread(data, rows, error):
    """Correlation of the error with the price spread, where there is one."""
    if "spread" not in data.money:
        return float("nan")
    return float(np.corrcoef(error, data.money["spread"].to_numpy()[rows])[0, 1])


def _at_fees(name, values):
    return {f"{name}_{fee}": value for fee, value in zip(FEES, values, strict=True)}


def _lined_up(data, prediction, rows):
    """Target, mean and deviation of the rows."""
    frame = pd.DataFrame(dict(zip(["mean", "std"], prediction.forecast, strict=True)), prediction.case).loc[rows]
    return data.y[rows], frame["mean"].to_numpy(), frame["std"].to_numpy()


def _metrics(fold, risk_averse=False):
    chosen = {name: metric for name, metric in REGRESSION.metrics.items() if risk_averse or name != "pwu_risk_averse"}
    numbers = {name: metric(fold) for name, metric in chosen.items()}
    return numbers | {"crps_gaussian": regression.crps_gaussian(fold.y, *fold.forecast)}


def profits(data: Data, rows: np.ndarray, mean: np.ndarray, std: np.ndarray, *, relative: float,
            signs: str = "hindsight", same_day: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Bids and payoffs of the published policy, hour by hour, in MWh and EUR.

    Parameters
    ----------
    data : Data
        An hourly one.
    rows : ndarray
    mean, std : ndarray, one value per row
    relative : float
        The relative bound alpha.
    signs : {"hindsight", "two days before", "mean of the hour"}
        What is expected of the prices: what they came to (as in the released code), what they were 48 hours
        before, or the mean spread of the hour on the other days.
    same_day : bool
        Score against the day before the one that was forecast, as the released code does.
    """
    after = "_before" if same_day else ""
    money = data.money.iloc[rows]
    first, second = money[f"day_ahead{after}"].to_numpy(), money[f"imbalance{after}"].to_numpy()
    others = np.setdiff1d(np.arange(len(data.y)), rows)
    spread = (data.money["day_ahead"] - data.money["imbalance"]).iloc[others]
    by_hour = spread.groupby(data.X["hour"].iloc[others]).mean()
    expected = {"hindsight": first - second, "two days before": money["spread_earlier"].to_numpy(),
                "mean of the hour": by_hour[data.X["hour"].iloc[rows]].to_numpy()}[signs]
    wind = money["day_before"].to_numpy() if same_day else data.y[rows]
    bids = bid(np.clip(mean, 0, CAPACITY), std, expected > 0,
               absolute(relative, np.clip(mean, 0, CAPACITY), std))
    return bids, payoff(bids, wind, first, second)


def room(mean: ArrayLike, relative: float, capacity: float = CAPACITY) -> np.ndarray:
    """Distance between the two bids of a relative limit, in MWh, which is what known prices are traded with.

    ``min(mu + D, capacity) - max(mu - D, 0)`` with ``D = sqrt(relative) (capacity - mu)``: largest where the
    lower bid just reaches zero.

    Parameters
    ----------
    mean : array_like, shape (n,)
        Predictive means, in MW.
    relative : float
        Share in [0, 1], as in `absolute`.
    capacity : float
        Largest output in MW, default 165.

    Examples
    --------
    >>> room([15.0, 65.0], 0.01).tolist()
    [30.0, 20.0]
    """
    mu = np.asarray(mean, dtype=float)
    limit = absolute(relative, mu, np.zeros_like(mu), capacity)
    up, down = (bid(mu, np.zeros_like(mu), np.full(mu.shape, sell), limit, capacity) for sell in (True, False))
    return up - down


def _bids(data, said):
    """Profits a model, and tau of every metric with the profit over draws of days."""
    scored = data.money["day"].to_numpy() > data.money["day"].max() - DECEMBER
    day = data.money["day"].to_numpy()
    december = np.flatnonzero(scored & (day < day.max()))  # the forecast day
    shifted = np.flatnonzero(scored & (day > day.max() - DECEMBER + 1))  # released: rows whose day before is scored
    rows, hourly = [], {}
    for model, prediction in said.items():
        y, mean, std = _lined_up(data, prediction, december)
        rows.append({"model": model, **_readings(data, december, mean, std),
                     "rmse": np.sqrt(np.mean((y - mean) ** 2)), "mean_std": std.mean()})
        _, late, sigma = _lined_up(data, prediction, shifted)
        before = data.money["day_before"].to_numpy()[shifted]
        rows[-1]["rmse_same_day"] = np.sqrt(np.mean((before - late) ** 2))
        hourly[model] = {"text": (y, mean, std, *profits(data, december, mean, std, relative=0.01)),
                         "released": (before, late, sigma,
                                      *profits(data, shifted, late, sigma, relative=0.1, same_day=True))}
        rows[-1]["profit_released"] = hourly[model]["released"][-1].sum()
    variance = float(np.var(data.y[~scored]))
    edge = np.full(shifted.size, CAPACITY * 0.1**0.5 / (1 + 0.1**0.5))
    fixed = _without_forecast(data, december) | {"constant_released": profits(
        data, shifted, edge, edge, relative=0.1, same_day=True)[1].sum()}
    prices = data.money.iloc[shifted][["day_ahead_before", "imbalance_before"]].to_numpy().T.reshape(2, -1, 24)
    return {"bids": pd.DataFrame(rows).assign(**fixed), "draws": _draws(hourly, variance, prices)}


def _readings(data, rows, mean, std):
    """The month's profit under each reading of the prices, and how far sigma and the wind that blew move it."""
    found = {f"profit_{signs.replace(' ', '_')}": profits(data, rows, mean, std, relative=0.01, signs=signs)[1].sum()
             for signs in ("hindsight", "two days before", "mean of the hour")}
    plain = found["profit_hindsight"]
    rng = np.random.default_rng(0)
    changed = {"sigma_thousandth": std / 1000, "sigma_thousandfold": std * 1000, "sigma_permuted": rng.permutation(std)}
    found |= {name: profits(data, rows, mean, other, relative=0.01)[1].sum() - plain for name, other in changed.items()}
    bids = profits(data, rows, mean, std, relative=0.01)[0]
    money, wind = data.money.iloc[rows], rng.permutation(data.y[rows])
    found["profit_wind_permuted"] = payoff(bids, wind, money["day_ahead"], money["imbalance"]).sum()
    found["zero_bids"] = (bids == 0).mean()
    return found


def _without_forecast(data, rows):
    """Bids that need none: the wind that blew, nothing, everything, or either of the two by the realised prices."""
    money, wind = data.money.iloc[rows], data.y[rows]
    first, second = money["day_ahead"].to_numpy(), money["imbalance"].to_numpy()
    choices = {"perfect_wind": wind, "bid_nothing": np.zeros(wind.size), "bid_all": np.full(wind.size, CAPACITY),
               "perfect_prices": np.where(first > second, CAPACITY, 0.0)}
    return {name: payoff(bids, wind, first, second).sum() for name, bids in choices.items()}


def _draws(hourly, variance, prices):
    """Over resamples of whole days: tau of every metric, and of the room between the bids, with the profit.

    "dealt" is "released" with the prices of other days: each draw pairs the days with prices drawn anew.
    """
    names = list(hourly)
    found = []
    for reading in ("text", "released", "dealt"):
        source = "text" if reading == "text" else "released"
        parts = {name: [values.reshape(-1, 24) for values in hourly[name][source]] for name in names}
        days = len(parts[names[0]][0])
        for draw in range(DRAWS):
            rng = np.random.default_rng(draw)
            chosen = rng.integers(days, size=days)
            dealt = prices[:, rng.integers(days, size=days)].reshape(2, -1) if reading == "dealt" else None
            share = 0.01 if reading == "text" else 0.1
            frame = pd.DataFrame({name: _one_draw(parts[name], chosen, variance, share, dealt) for name in names}).T
            profit = frame.pop("profit")
            found.append({"reading": reading, "draw": draw,
                          **{metric: kendall_tau(_oriented(metric, values), profit) if values.notna().all() else np.nan
                             for metric, values in frame.items()}})
    return pd.DataFrame(found)


def _one_draw(values, days, variance, share, prices=None):
    y, mean, std, bids, earned = (part[days].ravel() for part in values)
    within = np.clip(mean, 0, CAPACITY)
    if prices is not None:
        bids = bid(within, std, prices[0] > prices[1], absolute(share, within, std))
        earned = payoff(bids, y, *prices)
    fold = Fold(y, (mean, std), variance)
    return {**_metrics(fold, risk_averse=True), "room": room(within, share).mean(), "profit": earned.sum()}


def _oriented(metric: str, values: pd.Series) -> Sequence[float]:
    """Higher is better."""
    return values if metric in (*HIGHER, "room") else -values


STUDY = Study("wind", {"simulated": 10, "britain": 10, "simulated_farm": 3, "belgium": 3}, load, parts, regressors,
              tables)
"""Ten repeats of the half-hours, three seeds of the models per hour."""
