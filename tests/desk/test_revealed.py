"""The prior that a log of decisions reveals: right for many decisions, a band that covers, and what says nothing."""

import numpy as np
import pytest
from scipy import stats

import pwu_desk
import pwu_lite as pwu
from pwu_desk import robust


@pytest.mark.parametrize("n, off", [(1000, 0.06), (20_000, 0.02)])
def test_a_log_of_decisions_reveals_the_prior(n, off):
    rng = np.random.default_rng(4)
    f, c = rng.beta(1, 3, n), rng.beta(2, 10, n)
    found, true = pwu_desk.from_decisions(f, f > c), pwu.Beta(2, 10)
    y = rng.random(n) < f
    learned, known = (pwu.PWU(pwu.BinaryDecision(), prior)(y, f) for prior in (found.prior, true))
    assert learned == pytest.approx(known, rel=off)
    assert np.mean((found.low <= true.mass(0, found.at)) & (true.mass(0, found.at) <= found.high)) >= 7 / 9
    nearest = found.below[np.abs(found.below[:, None] - np.arange(1, 10) / 10).argmin(axis=0)]
    assert nearest == pytest.approx(np.arange(1, 10) / 10, abs=off) and np.isin(found.at, f).all()
    assert robust.Statements(found.statements).holds_for(true, tolerance=2 * off)
    assert not robust.Statements(found.statements).holds_for(pwu.Beta(5, 5))


def test_a_log_does_not_depend_on_the_order_of_its_rows():
    rng = np.random.default_rng(4)
    f, c, order = rng.beta(1, 3, 3000), rng.beta(2, 10, 3000), rng.permutation(3000)
    found, turned = (pwu_desk.from_decisions(f[rows], (f > c)[rows]) for rows in (slice(None), order))
    assert found.prior == turned.prior


@pytest.mark.slow
def test_a_few_deciders_widen_the_band_and_each_counts_once():
    true, held, width = pwu.Beta(2, 10), [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        decider = np.repeat(np.arange(6), (20, 40, 60, 80, 100, 900))
        f = rng.beta(1, 3, decider.size)
        acted = f > rng.beta(2, 10, 6)[decider]
        found = [pwu_desk.from_decisions(f, acted, groups=groups) for groups in (None, decider)]
        held.append([np.mean((each.low <= true.mass(0, each.at)) & (true.mass(0, each.at) <= each.high))
                     for each in found])
        width.append([np.mean(each.high - each.low) for each in found])
    alone, grouped = np.mean(held, axis=0)
    assert grouped > 0.95 > alone
    assert np.mean(width, axis=0)[1] > 1.2 * np.mean(width, axis=0)[0]


def smooth(rng, n):
    return rng.random(n)


def in_tenths(rng, n):
    return np.round(rng.random(n), 1)


def in_eighths(rng, n):
    return np.round(8 * rng.random(n)) / 8


LAWS = {"Beta(2, 10)": pwu.Beta(2, 10), "one guideline": pwu.Dirac(0.2),
        "two guidelines": pwu.Mixture([pwu.Dirac(0.1), pwu.Dirac(0.3)], [0.5, 0.5])}


@pytest.mark.slow
@pytest.mark.parametrize("reported", [smooth, in_tenths, in_eighths])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [200, 1000])
def test_the_band_of_a_log_covers_and_its_statements_are_true(reported, law, n):
    """Nominal 90% at each place, also for rounded risks and for deciders that follow a guideline."""
    prior, inside, true = LAWS[law], [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        f, c = reported(rng, n), prior.rvs(n, rng)
        found = pwu_desk.from_decisions(f, f > c)
        known = prior.mass(0, found.at)
        inside += list((found.low <= known) & (known <= found.high))
        true += [(found.low <= known).all() and (known <= found.high).all()]
        stated = robust.Statements(found.statements)
        assert stated.holds_for(prior) == true[-1] and np.isin(found.at, f).all()
    assert np.mean(inside) >= 0.9


@pytest.mark.parametrize("f, acted, words", [
    ([0.2, 0.4], [1, 1], "no case that was not acted on"), ([0.2, 0.4], [0, 0], "no case that was acted on"),
    ([0.2, 1.4], [0, 1], r"forecast\[1\] is 1.4"), ([0.2, 0.4], [0, 2], r"acted\[1\] is 2"), ([0.2], [0, 1], "length")])
def test_a_log_that_says_nothing(f, acted, words):
    with pytest.raises(ValueError, match=words):
        pwu_desk.from_decisions(f, acted)


def test_a_log_of_certain_forecasts_tells_nothing():
    with pytest.raises(ValueError, match="no forecast lies between 0 and 1"):
        pwu_desk.from_decisions([0, 1, 0, 1], [0, 1, 0, 1])


def test_the_band_of_a_log_is_clopper_and_pearson_s_from_a_window_of_the_root():
    """By hand, at each place: the exact binomial bound from the sqrt(n) decisions above it, and below it."""
    rng = np.random.default_rng(0)
    f = np.sort(rng.random(150))
    acted = f > rng.beta(2, 6, 150)
    found = pwu_desk.from_decisions(f, acted)
    width = int(np.ceil(np.sqrt(150)))
    for place, low, high in zip(found.at, found.low, found.high, strict=True):
        at = int(np.searchsorted(f, place))
        above, below = acted[at:max(at + 1, at + width)], acted[max(0, at + 1 - width):at + 1]
        upper = stats.binomtest(int(above.sum()), above.size).proportion_ci(0.9, "exact").high
        lower = stats.binomtest(int(below.sum()), below.size).proportion_ci(0.9, "exact").low
        share = found.below[found.at == place][0]
        assert (low, high) == pytest.approx((min(lower, share), max(upper, share)), abs=1e-9)
