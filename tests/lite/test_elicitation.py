"""Priors from statements: the quantiles and modes that were said, and nothing for what cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pwu_lite as pwu
from pwu_book import reports
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
    moved = reports.shifted(prior, share)
    assert moved.a + moved.b == pytest.approx(12)
    assert elicitation.mode(moved) == pytest.approx(place + share * min(place, 1 - place), abs=1e-9)


@pytest.mark.parametrize("a, b", [(0.5, 0.5), (0.9, 4.0), (3.0, 0.7), (2, 1), (1, 2), (0.5, 2), (2, 0.5)])
def test_without_a_mode_inside_the_mean_moves(a, b):
    moved = reports.shifted(pwu.Beta(a, b), 0.5)
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
    assert reports.shifted(prior, 0.5).ppf(q) == pytest.approx(1.5 * np.asarray(prior.ppf(q)))


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
    (lambda: reports.shifted(pwu.Beta(2, 10), 1.0), "share"),
    (lambda: elicitation.beta_from_quantiles(5, 40), "k/n"),
    (lambda: elicitation.lognormal_from_quantiles(2, 1), "low must be below high"),
    (lambda: elicitation.lognormal_from_quantiles(0, 1), "low"),
    (lambda: reports.shifted(pwu.Mixture([pwu.Dirac(0.1), pwu.Dirac(0.2)], [0.5, 0.5]), 0.5), "alternative")])
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
