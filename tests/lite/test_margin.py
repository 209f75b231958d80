"""May a new model replace the old one? The margin by hand, the error rates, the whole table, and bad input."""

import numpy as np
import pytest
from scipy.special import ndtri

import pwu_lite as pwu
from pwu_lite.metrics import classification

SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
RNG = np.random.default_rng(0)
F = RNG.beta(1, 4, 3000)
Y = (RNG.random(3000) < F).astype(int)
OLD, NEW = (np.clip(F + 0.05 * RNG.normal(size=3000), 0, 1) for _ in range(2))
BAD = 0.4 * F


def decision(models, margin, **options):
    return pwu.compare(Y, models, SCORE, against="old", margin=margin, n_resamples=200, **options).decision


def test_the_margin_is_that_of_the_interval_by_hand():
    """The normal interval of candidate minus (1 + m) old, and of candidate minus old minus m: its end against zero."""
    old, new = (SCORE.per_sample(Y, f) for f in (OLD, NEW))
    for own, as_asked in (((lambda m: new - (1 + m) * old), "{:.6f}%"), ((lambda m: new - old - m), None)):
        def high(m, own=own):
            gap = own(m)
            return gap.mean() + ndtri(0.975) * gap.std() / len(gap) ** 0.5
        low, most = 0.0, 1.0
        for _ in range(60):  # the smallest margin that is met
            middle = (low + most) / 2
            low, most = (low, middle) if high(middle) < 0 else (middle, most)
        for margin, expected in ((most * 1.001, "ship"), (most * 0.999, "cannot tell")):
            asked = as_asked.format(100 * margin) if as_asked else margin
            assert decision({"old": OLD, "new": NEW}, asked, interval="normal") == expected


def test_ship_keep_and_cannot_tell():
    models = {"old": OLD, "new": NEW, "bad": BAD}
    assert decision(models, "10%") == "ship" and decision(models, "0.5%") == "cannot tell"
    assert decision({"old": OLD, "bad": BAD}, "5%") == "keep" and decision({"old": BAD, "new": NEW}, 0) == "ship"
    assert decision({"old": BAD, "new": NEW}, None) == "ship" and decision({"old": OLD, "bad": BAD}, None) == "keep"
    assert pwu.compare(Y, models, SCORE, n_resamples=50).decision is None
    both = {"mine": SCORE, "brier": classification.brier_score}
    assert pwu.compare(Y, models, both, against="old", margin="10%", n_resamples=50).decision == {
        "mine": "ship", "brier": "ship"}
    result = pwu.compare(Y, models, SCORE, against="old", margin="0.5%", n_resamples=200)
    assert result.words[0].startswith("It cannot be told whether new costs at most 0.5% more than old; about ")
    kept = pwu.compare(Y, {"old": OLD, "bad": BAD}, SCORE, against="old", margin="5%", n_resamples=200)
    assert kept.words[0] == "Keep old: the candidate costs more than 5% above it."
    table = pwu.compare(Y, models, SCORE, against="old", n_resamples=200).table
    assert result.table.equals(table)  # the margin moves the decision, and not the table


def with_losses(y, losses):
    """Forecasts whose Brier score of each case is this loss."""
    return np.where(y == 1, 1 - np.sqrt(losses), np.sqrt(losses))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"groups": np.arange(400) // 5}])
@pytest.mark.parametrize("candidates", [1, 6])
def test_a_model_that_costs_the_margin_more_is_seldom_shipped(options, candidates):
    """At the edge, where every true cost is exactly the margin above: of 100 data sets at most 5 and two errors."""
    shipped = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y, old = rng.integers(0, 2, 400), rng.uniform(0.1, 0.3, 400)
        models = {"old": with_losses(y, old)} | {
            f"c{k}": with_losses(y, old + 0.05 + rng.uniform(-0.1, 0.1, 400)) for k in range(candidates)}
        shipped += pwu.compare(y, models, classification.brier_score, against="old", margin=0.05, n_resamples=200,
                               seed=seed, **options).decision == "ship"
    assert shipped <= 5 + 2 * (100 * 0.05 * 0.95) ** 0.5


def test_a_share_is_of_each_case_so_that_the_luck_of_the_old_cost_cancels():
    """A candidate that costs 1% more on every case is within 2%, however few the cases, since nothing varies."""
    y, old = np.array([0, 1] * 20), np.linspace(0.05, 0.3, 40)
    models = {"old": with_losses(y, old), "new": with_losses(y, 1.01 * old)}
    for margin, expected in (("2%", "ship"), ("0.5%", "keep")):
        assert pwu.compare(y, models, classification.brier_score, against="old", margin=margin,
                           interval="normal").decision == expected


def test_a_gain_may_fall_by_the_margin():
    """Costs below zero are gains: 2% more cost is 2% less gain."""
    score = pwu.PWU(pwu.CostMatrix([[-1.0, 0.0], [0.0, -1.0]]))  # each right act earns one
    y = RNG.integers(0, 2, 4000)
    old = np.where(RNG.random(4000) < 0.9, y, 1 - y)
    new = np.where((np.arange(4000) < 60) & (old == y), 1 - y, old)
    models = {name: np.column_stack([1 - acts, acts]) * 0.8 + 0.1 for name, acts in (("old", old), ("new", new))}
    found = [pwu.compare(y, models, score, against="old", margin=margin, n_resamples=200).decision
             for margin in ("10%", "0%")]
    assert found == ["ship", "keep"]


@pytest.mark.parametrize(("options", "message"), [
    ({"margin": "2%"}, "name that model with against"),
    ({"margin": "two", "against": "old"}, "margin must be a number"),
    ({"margin": -0.1, "against": "old"}, "at least zero"), ({"margin": np.nan, "against": "old"}, "at least zero"),
    ({"margin": "inf%", "against": "old"}, "at least zero")])
def test_bad_margins_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        pwu.compare(Y, {"old": OLD, "new": NEW}, SCORE, n_resamples=9, **options)


def test_what_has_no_margin_is_refused():
    with pytest.raises(ValueError, match="average over cases"):
        pwu.compare(Y, {"old": OLD, "new": NEW}, pwu.PWU(pwu.TopK(), pwu.Beta(2, 10)), against="old", margin=0.1,
                    n_resamples=9)
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    with pytest.raises(ValueError, match="too near zero"):
        pwu.compare(Y, {"old": Y * 1.0, "new": NEW}, score, against="old", margin="2%", n_resamples=9)
