"""Lending: margins and thresholds by hand, notes and whole loans by brute force, the simulated pool's known process."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwu_book import released
from pwu_book.studies import lending


def test_the_margin_is_the_discounted_plan_of_payments():
    payment = (0.14 / 12) / (1 - (1 + 0.14 / 12) ** -36)
    worth = sum(payment / (1 + 0.0294 / 12) ** month for month in range(1, 37))
    assert lending.margin([0.14], [36])[0] == pytest.approx(worth - 1)
    assert lending.margin([0.14], [36], prepaid=0.62)[0] == pytest.approx(0.62 * (worth - 1))


@given(f=st.floats(0, 1), gain=st.floats(0.01, 2), loss=st.floats(0.05, 1))
def test_the_threshold_is_where_the_expected_return_is_zero(f, gain, loss):
    threshold = lending.thresholds([gain], loss)[0]
    earned = lending.expected_return([f], [gain], loss)[0]
    if abs(f - threshold) > 1e-9:
        assert (earned > 0) == (f < threshold)


def test_a_loan_realises_its_margin_or_the_loss():
    loans = lending.pool(400, seed=1)
    gain = lending.margin(loans["rate"], loans["months"], prepaid=0.62)
    assert loans["realised"].to_numpy() == pytest.approx(np.where(loans["default"] == 1, -lending.LOSS, gain))


@given(st.integers(0, 500))
def test_the_knapsack_is_the_best_of_all_baskets(seed):
    rng = np.random.default_rng(seed)
    amount, value = 25.0 * rng.integers(40, 400, 8), rng.normal(0.05, 0.1, 8)
    baskets = [np.array(basket) for basket in itertools.product([False, True], repeat=8)]
    best = max((value * amount)[basket].sum() for basket in baskets if amount[basket].sum() <= lending.BUDGET)
    chosen = lending.knapsack(value, amount)
    assert amount[chosen].sum() <= lending.BUDGET and (value * amount)[chosen].sum() == pytest.approx(best)
    bought = lending.greedy(value, amount)
    assert amount[bought].sum() <= lending.BUDGET and (value * amount)[bought].sum() <= best + 1e-9


def test_the_best_notes_share_ties_and_do_not_depend_on_the_order():
    value, realised = np.array([3.0, 2.0, 2.0, 2.0, 1.0]), np.array([0.1, 0.3, -0.6, 0.0, 9.0])
    picked = [realised[[0, *pair]].mean() for pair in itertools.combinations([1, 2, 3], 2)]
    assert lending.best_notes(value, realised, 3) == pytest.approx(np.mean(picked))
    assert lending.best_notes(value[::-1], realised[::-1], 3) == pytest.approx(np.mean(picked))


def test_the_released_rule_stops_at_the_first_loan_that_does_not_fit():
    amounts, rates, months = [9000, 8000, 5000], [0.2, 0.2, 0.2], [36, 36, 36]
    bought, earned = released.lending_utility([1, 1, 1], [0.9, 0.8, 0.7], amounts, rates, months, budget=15_000)
    assert bought == 1 and lending.greedy([0.9, 0.8, 0.7], amounts).tolist() == [True, False, True]
    assert earned / 9000 > 10 * lending.margin([0.2], [36])[0]  # a rate a year, used a month
    assert released.lending_utility([0], [0.9], [9000], [0.2], [36], budget=15_000) == (1, -9000.0)
    assert released.lending_utility([1], [0.9], [16_000], [0.2], [36], budget=15_000) == (0, 0.0)


def test_the_pool_has_the_chances_that_it_says():
    loans = lending.pool(40_000, seed=2)
    assert loans["default"].mean() == pytest.approx(loans["chance"].mean(), abs=0.005)
    assert set(loans["months"]) == {36, 60} and (loans["amount"] % 25 == 0).all()
    assert (np.diff(loans.groupby("grade")["default"].mean()) > 0).all()


@pytest.mark.parametrize("call, words", [
    (lambda: lending.margin([0.14, 14.0], [36, 36]), "row 1 has 14; divide per cent by 100"),
    (lambda: lending.margin([0.011, 0.012], [36, 36]), "multiply a month's rate by 12"),
    (lambda: lending.margin([0.14, -0.1], [36, 36]), r"rate \(a share a year\) .* row 1 has -0.1"),
    (lambda: lending.margin([0.14], [0]), r"months \(months\) .* row 0 has 0"),
    (lambda: lending.margin([0.14], [36], prepaid=0), "prepaid"),
    (lambda: lending.expected_return([1.1], [0.2]), "y_prob"),
    (lambda: lending.knapsack([0.1], [110.0]), "amount must be a multiple of 25 USD: row 0 has 110"),
    (lambda: lending.greedy([0.1], [-5.0]), r"amount \(USD\)"),
    (lambda: lending.best_notes([1.0], [1.0], 2), "k must lie between 1 and the 1 loans"),
    (lambda: lending.load("club"), "there is no data set 'club'; there are simulated, sample, q1_2016")])
def test_what_makes_no_sense_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
