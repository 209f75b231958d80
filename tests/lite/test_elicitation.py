"""Priors from statements: the quantiles and modes that were said, and nothing for what cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pwu_lite as pwu
from pwu_desk import robust
from pwu_lite import elicitation

inner = st.floats(0.001, 0.999)


@given(inner, inner, st.floats(0.1, 0.99))
def test_two_quantiles_are_met(one, other, coverage):
    low, high = sorted((one, other))
    if high - low < 1e-3:
        return
    prior = elicitation.beta_from_quantiles(low, high, coverage)
    tail = (1 - coverage) / 2
    assert prior.mass(0, low) == pytest.approx(tail, abs=1e-9)
    assert prior.mass(high, np.inf) == pytest.approx(tail, abs=1e-9)


@pytest.mark.parametrize("scale", [0.25, 1.0, 40_000.0])
def test_units_change_the_scale_and_nothing_else(scale):
    plain, scaled = (elicitation.beta_from_quantiles(0.1 * s, 0.4 * s, scale=s) for s in (1.0, scale))
    assert (scaled.a, scaled.b, scaled.scale) == pytest.approx((plain.a, plain.b, scale))
    moded = elicitation.beta_from_mode(0.1 * scale, 10, scale)
    assert (moded.a, moded.b) == pytest.approx((2, 10)) and elicitation.mode(moded) == pytest.approx(0.1 * scale)


@given(inner, st.floats(0.1, 500))
def test_the_mode_is_where_it_was_put_and_concentration_narrows(place, kappa):
    prior = elicitation.beta_from_mode(place, kappa)
    assert elicitation.mode(prior) == pytest.approx(place, rel=1e-9)
    x = np.linspace(0.0005, 0.9995, 1999)
    assert prior.pdf(place) >= prior.pdf(x).max() * (1 - 1e-9)
    narrower = elicitation.beta_from_mode(place, 2 * kappa)
    assert np.diff(narrower.ppf([0.05, 0.95]))[0] < np.diff(prior.ppf([0.05, 0.95]))[0]


@pytest.mark.parametrize("prior, low, high", [
    (pwu.Gamma(3, 0.5), 0.05, 6), (pwu.LogNormal(0.3, 0.7), 0.01, 6), (pwu.Beta(2, 5, scale=4), 0.01, 3.99)])
def test_modes_are_maxima_of_the_density(prior, low, high):
    x = np.linspace(low, high, 20_001)
    assert elicitation.mode(prior) == pytest.approx(x[np.argmax(prior.pdf(x))], abs=5e-4)


@given(inner, st.floats(-0.9, 0.9))
def test_shifts_stay_inside_and_keep_the_concentration(place, share):
    prior = elicitation.beta_from_mode(place, 10)
    moved = elicitation.shifted(prior, share)
    assert moved.a + moved.b == pytest.approx(12)
    assert elicitation.mode(moved) == pytest.approx(place + share * min(place, 1 - place), abs=1e-9)


@pytest.mark.parametrize("a, b", [(0.5, 0.5), (0.9, 4.0), (3.0, 0.7), (2, 1), (1, 2), (0.5, 2), (2, 0.5)])
def test_without_a_mode_inside_the_mean_moves(a, b):
    moved = elicitation.shifted(pwu.Beta(a, b), 0.5)
    mean = a / (a + b)
    assert moved.mean == pytest.approx(mean + 0.5 * min(mean, 1 - mean)) and moved.a + moved.b == pytest.approx(a + b)


@given(st.floats(1e-3, 1e3), st.floats(1.1, 100), st.floats(0.1, 0.99))
def test_lognormal_quantiles_are_met(low, ratio, coverage):
    prior = elicitation.lognormal_from_quantiles(low, low * ratio, coverage)
    assert prior.mass(low, low * ratio) == pytest.approx(coverage)
    assert prior.mass(0, low) == pytest.approx((1 - coverage) / 2)
    assert prior.ppf(0.5) == pytest.approx(low * np.sqrt(ratio))


@pytest.mark.parametrize("prior", [pwu.Gamma(3, 0.5), pwu.LogNormal(0.3, 0.7), pwu.Pareto(0.2), pwu.Dirac(0.3),
                                   pwu.Uniform(0.1, 0.5)])
def test_other_priors_are_multiplied(prior):
    q = np.array([0.05, 0.5, 0.95])
    assert elicitation.shifted(prior, 0.5).ppf(q) == pytest.approx(1.5 * np.asarray(prior.ppf(q)))


@pytest.mark.parametrize("call, words", [
    (lambda: elicitation.beta_from_mode(0.0, 10), "mode"), (lambda: elicitation.beta_from_mode(1.2, 10), "mode"),
    (lambda: elicitation.beta_from_mode(0.2, 0), "concentration"),
    (lambda: elicitation.beta_from_mode(0.2, 5, scale=-1), "scale"),
    (lambda: elicitation.beta_from_quantiles(0.4, 0.1), "low must be below high"),
    (lambda: elicitation.beta_from_quantiles(0.0, 0.1), "low"),
    (lambda: elicitation.beta_from_quantiles(0.1, 1), "high"),
    (lambda: elicitation.beta_from_quantiles(0.1, 0.4, 1.0), "coverage"),
    (lambda: elicitation.beta_from_quantiles(0.1, 0.1 + 1e-12), "narrow"),
    (lambda: elicitation.beta_from_quantiles(0.3, 0.3 + 1e-7), "narrow"),
    (lambda: elicitation.beta_from_quantiles(1e-200, 1e-100), "narrow or too wide"),
    (lambda: elicitation.shifted(pwu.Beta(2, 10), 1.0), "share"),
    (lambda: elicitation.beta_from_quantiles(5, 40), "k/n"),
    (lambda: elicitation.lognormal_from_quantiles(2, 1), "low must be below high"),
    (lambda: elicitation.lognormal_from_quantiles(0, 1), "low"),
    (lambda: elicitation.shifted(pwu.Mixture([pwu.Dirac(0.1), pwu.Dirac(0.2)], [0.5, 0.5]), 0.5), "alternative")])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_peak_at_the_end_of_the_support_is_no_mode():
    for prior in (pwu.Gamma(1, 2), pwu.Gamma(0.5, 1), pwu.Beta(1, 3), pwu.Beta(3, 1), pwu.Uniform(0, 1),
                  pwu.Beta(0.5, 3), pwu.TruncatedBeta(2, 10, 0.2, 0.4)):
        assert np.isnan(elicitation.mode(prior))
    for prior, inside in ((pwu.Gamma(3, 0.5), 1.0), (pwu.Gamma(1.5, 2), 1.0), (pwu.Dirac(0.3), 0.3),
                          (pwu.TruncatedBeta(2, 10, 0.05, 0.4), 0.1)):
        assert elicitation.mode(prior) == inside


@pytest.mark.parametrize("n, off", [(1000, 0.06), (20_000, 0.02)])
def test_a_log_of_decisions_reveals_the_prior(n, off):
    rng = np.random.default_rng(4)
    f, c = rng.beta(1, 3, n), rng.beta(2, 10, n)
    found, true = elicitation.from_decisions(f, f > c), pwu.Beta(2, 10)
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
    found, turned = (elicitation.from_decisions(f[rows], (f > c)[rows]) for rows in (slice(None), order))
    assert found.prior == turned.prior


@pytest.mark.slow
def test_a_few_deciders_widen_the_band_and_each_counts_once():
    true, held, width = pwu.Beta(2, 10), [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        decider = np.repeat(np.arange(6), (20, 40, 60, 80, 100, 900))
        f = rng.beta(1, 3, decider.size)
        acted = f > rng.beta(2, 10, 6)[decider]
        found = [elicitation.from_decisions(f, acted, groups=groups) for groups in (None, decider)]
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
        found = elicitation.from_decisions(f, f > c)
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
        elicitation.from_decisions(f, acted)


def test_a_log_of_certain_forecasts_tells_nothing():
    with pytest.raises(ValueError, match="no forecast lies between 0 and 1"):
        elicitation.from_decisions([0, 1, 0, 1], [0, 1, 0, 1])


def test_the_band_of_a_log_is_clopper_and_pearson_s_from_a_window_of_the_root():
    """By hand, at each place: the exact binomial bound from the sqrt(n) decisions above it, and below it."""
    rng = np.random.default_rng(0)
    f = np.sort(rng.random(150))
    acted = f > rng.beta(2, 6, 150)
    found = elicitation.from_decisions(f, acted)
    width = int(np.ceil(np.sqrt(150)))
    for place, low, high in zip(found.at, found.low, found.high, strict=True):
        at = int(np.searchsorted(f, place))
        above, below = acted[at:max(at + 1, at + width)], acted[max(0, at + 1 - width):at + 1]
        upper = stats.binomtest(int(above.sum()), above.size).proportion_ci(0.9, "exact").high
        lower = stats.binomtest(int(below.sum()), below.size).proportion_ci(0.9, "exact").low
        share = found.below[found.at == place][0]
        assert (low, high) == pytest.approx((min(lower, share), max(upper, share)), abs=1e-9)
