"""Wind: the published policy and what moves it, firming as selective prediction, data that are not what they seem."""

import functools
import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import norm

import pwu_lite as pwu
from pwu_book.studies import wind


@functools.cache
def farm():
    return wind.load("simulated_farm")


@functools.cache
def december():
    return wind.parts(farm(), 0)["december"][:24 * 31]


@given(mean=st.floats(0, 165), std=st.floats(0, 60), first=st.floats(-50, 200), second=st.floats(-50, 200),
       share=st.floats(0.001, 1))
def test_the_bid_is_the_best_that_keeps_the_bound(mean, std, first, second, share):
    """Every bid of a fine grid that keeps E[(E - b)^2] <= alpha earns no more on average."""
    alpha = wind.absolute(share, [mean], [std])
    chosen = wind.bid([mean], [std], [first > second], alpha)[0]
    grid = np.linspace(0, wind.CAPACITY, 331)
    allowed = grid[(grid - mean) ** 2 + std**2 <= alpha[0]]
    assert (chosen - mean) ** 2 + std**2 <= alpha[0] * (1 + 1e-9) + 1e-9
    if allowed.size:
        assert chosen * (first - second) >= (allowed * (first - second)).max() - 1e-6


def test_sigma_and_the_wind_that_blew_move_nothing():
    """The profit for a sigma a thousand times as large; the difference of two models for any wind."""
    rng = np.random.default_rng(0)
    mean, std = 165 * rng.random((2, december().size)), 40 * rng.random(december().size)
    bids, earned = wind.profits(farm(), december(), mean[0], std, relative=0.01)
    for other in (1000 * std, std / 1000, rng.permutation(std)):
        again = wind.profits(farm(), december(), mean[0], other, relative=0.01)[1]
        assert again == pytest.approx(earned, rel=1e-6, abs=1e-3)
    prices = farm().money.iloc[december()][["day_ahead", "imbalance"]].to_numpy().T
    second = wind.profits(farm(), december(), mean[1], std, relative=0.01)[0]
    differences = [(wind.payoff(bids, blown, *prices) - wind.payoff(second, blown, *prices)).sum()
                   for blown in (farm().y[december()], rng.permutation(farm().y[december()]))]
    assert differences[0] == pytest.approx(differences[1], rel=1e-9)


def test_with_an_absolute_bound_variance_pulls_the_bid_to_the_mean():
    bids = [wind.bid([80.0], [std], [True], [900.0])[0] for std in (0.0, 10.0, 20.0, 30.0)]
    assert bids == pytest.approx([110, 80 + 800**0.5, 80 + 500**0.5, 80])
    with pytest.raises(ValueError, match="row 0 has alpha 900 and variance 961"):
        wind.bid([80.0], [31.0], [True], [900.0])


@given(mean=st.floats(0, 165), share=st.floats(0.001, 1))
def test_room_is_widest_where_the_lower_bid_reaches_zero(mean, share):
    edge = wind.CAPACITY * share**0.5 / (1 + share**0.5)
    assert wind.room([mean], share)[0] <= wind.room([edge], share)[0] + 1e-9


def test_known_prices_are_traded_with_the_room_between_the_bids():
    """Payoff minus the middle of the two bids: half the absolute spread times the room."""
    rng = np.random.default_rng(4)
    mean, first, second = 165 * rng.random(40), 80 * rng.random(40), 80 * rng.random(40)
    limit = wind.absolute(0.1, mean, np.zeros(40))
    up, down = (wind.bid(mean, np.zeros(40), [sell] * 40, limit) for sell in (True, False))
    known = wind.bid(mean, np.zeros(40), first > second, limit)
    gained = wind.payoff(known, mean, first, second) - wind.payoff((up + down) / 2, mean, first, second)
    assert gained == pytest.approx(np.abs(first - second) / 2 * wind.room(mean, 0.1))


def test_firming_is_selective_prediction_in_pounds():
    """Half-hour by half-hour; between the two constants and hindsight; the prior's average is the PWU."""
    rng = np.random.default_rng(1)
    y, mean, std = 400 * rng.random(50), 400 * rng.random(50), 20 + 150 * rng.random(50)
    by_hand = [np.mean([0.07 * (a - m) ** 2 if 0.07 * s**2 <= fee else fee for a, m, s in
                        zip(y, mean, std, strict=True)]) for fee in (100, 700, 2000)]
    assert wind.firming_cost([100, 700, 2000], y, mean, std) == pytest.approx(by_hand)
    assert (np.minimum(wind.carried(y, mean), 700).mean() <= by_hand[1]).all()
    prior = pwu.Beta(2, 10, scale=50_000.0)
    fees = wind.KAPPA * prior.ppf((np.arange(4000) + 0.5) / 4000)
    score = pwu.PWU(pwu.SelectivePrediction(), prior)(y, mean, std)
    assert wind.firming_cost(fees, y, mean, std).mean() == pytest.approx(wind.KAPPA * score, rel=1e-3)


def test_a_fee_for_each_half_hour_is_a_threshold_for_each():
    """The bill with its own fee is the selective utility with its own lambda; no model sets the fee."""
    data = wind.load("simulated")
    rows = np.arange(200)
    fees = wind.fee_of_each(data, rows)
    rng = np.random.default_rng(3)
    mean, std = data.X["forecast +0"].to_numpy()[rows], 20 + 200 * rng.random(200)
    bill = np.where(wind.KAPPA * std**2 <= fees, wind.carried(data.y[rows], mean), fees)
    known = pwu.PWU(pwu.SelectivePrediction(), pwu.Dirac(fees / wind.KAPPA)).per_sample(data.y[rows], mean, std)
    assert wind.KAPPA * known == pytest.approx(bill) and (fees >= wind.PER_MWH).all()


def test_two_prices_put_the_bid_at_a_quantile():
    cost = lambda b: 30 * np.maximum(b - at, 0).mean() + 10 * np.maximum(at - b, 0).mean()  # noqa: E731
    at = norm.ppf((np.arange(20_000) + 0.5) / 20_000, 100, 20)
    best = minimize_scalar(cost, bounds=(0, 200), method="bounded").x
    assert wind.newsvendor_bid([100.0], [20.0], shortfall=30, surplus=10)[0] == pytest.approx(best, abs=0.05)


def test_parts_are_whole_weeks_that_do_not_meet():
    data = wind.load("simulated")
    parts = wind.parts(data, 3)
    assert sorted(np.concatenate(list(parts.values()))) == list(range(len(data.y)))
    weeks = {part: set(rows // wind.WEEK) for part, rows in parts.items() if part != "season"}
    assert all(not a & b for a, b in itertools.combinations(weeks.values(), 2)) and len(weeks["train"]) == 12


def test_an_hour_knows_no_wind_after_noon():
    """The 36 hours that end at 11:00 of the day before; the first of that day's afternoon is unknown."""
    day = slice(24 * 5, 24 * 6)
    before = farm().money["day_before"].to_numpy()[day]
    assert farm().X.iloc[24 * 5, 1:].to_numpy()[-12:] == pytest.approx(before[:12])
    assert before == pytest.approx(farm().y[24 * 4:24 * 5])
    assert farm().X.shape[1] == 37 and (farm().X["hour"].to_numpy()[day] == np.arange(24)).all()


def test_a_model_an_hour_is_fitted_to_its_hour():
    X = pd.DataFrame({"hour": np.tile([0, 1], 30), "a": np.arange(60.0)})
    y = np.where(X["hour"] == 0, X["a"], 100 - X["a"])
    mean, std = wind.regressors()["least squares"](0).fit(X, y).predict(X)
    assert mean == pytest.approx(y, abs=1e-6) and (std > 0).all()


@pytest.mark.parametrize("call, words", [
    (lambda: wind.farm([10.0, -1.0]), r"speed \(km/h\) .* row 1 has -1"),
    (lambda: wind.payoff([10.0], [166.0], [1.0], [1.0]), r"generation \(MW.*\) .* between 0 and 165: row 0 has 166"),
    (lambda: wind.payoff([170.0], [10.0], [1.0], [1.0]), r"bids \(MWh\) .* row 0 has 170"),
    (lambda: wind.payoff([10.0], [10.0], [np.nan], [1.0]), r"day_ahead \(EUR/MWh\) .* row 0 has nan"),
    (lambda: wind.payoff([10.0, 1.0], [10.0, 1.0], [1.0, 2.0], [1.0, np.inf]), r"imbalance .* row 1 has inf"),
    (lambda: wind.bid([10.0], [-2.0], [True], [9.0]), r"std \(MW\)"),
    (lambda: wind.absolute(1.5, [10.0], [2.0]), "relative"),
    (lambda: wind.firming_cost([0.0], [1.0], [1.0], [1.0]), r"fees \(GBP\) .* row 0 has 0"),
    (lambda: wind.firming_cost([5.0], [1.0], [1.0], [1.0], kappa=-1), "kappa"),
    (lambda: wind.newsvendor_bid([1.0], [1.0], 0.0, 1.0), "shortfall"),
    (lambda: wind.load("wind"), "there is no data set 'wind'; there are simulated, britain")])
def test_what_makes_no_sense_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_prices_without_an_order_of_time_are_refused():
    table = pd.DataFrame({"datetime_utc": ["2024-06-01 00:00", "2024-06-01 02:00", "2024-06-01 01:00"], "p": [1, 2, 3]})
    with pytest.raises(ValueError, match=r"prices.csv must be in the order of time .*: row 2 has 2024-06-01 01:00:00"):
        wind.hours(table, "p", "prices.csv")
    with pytest.raises(ValueError, match=r"prices.csv lacks the column\(s\) q; it has datetime_utc, p"):
        wind.hours(table, "q", "prices.csv")


def test_without_the_files_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PWU_LITE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r'case1.csv was not found. Get it from .* PWU_LITE_DATA .*"simulated"'):
        wind.load("britain")
    (tmp_path / "wind_gb").mkdir()
    pd.DataFrame({"generation_mwh": [1.0], "forecast_mwh": [1.0]}).to_csv(tmp_path / "wind_gb" / "case1.csv")
    with pytest.raises(ValueError, match="has 1 half-hours, expected 8577"):
        wind.load("britain")
