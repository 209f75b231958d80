"""PWU: closed forms against 30-digit quadrature of the utility, and what a reader relies on."""

import mpmath
import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import pwu_lite as pwu
from pwu_lite.metrics import classification, regression

from .test_priors import exact_density

UNIT = st.floats(0, 1)
CASES = st.lists(st.tuples(st.integers(0, 1), UNIT), min_size=1, max_size=12)
PRIORS = [pwu.Beta(2, 10), pwu.Beta(1, 1), pwu.Beta(0.5, 0.5), pwu.Beta(1.2, 20.8, scale=0.5),
          pwu.TruncatedBeta(2, 10, 0.05, 0.4), pwu.Uniform(0.05, 0.4),
          pwu.Mixture([pwu.Beta(2, 10), pwu.Uniform(0, 1)], [0.3, 0.7])]
SCALES = [pwu.Beta(2, 10, scale=3.0), pwu.Pareto(0.05), pwu.LogNormal(-1, 0.8), pwu.Gamma(2, 0.3),
          pwu.Uniform(0.1, 2), pwu.TruncatedBeta(2, 3, 0.1, 0.9)]


def quad(function, low, high, *inner, digits=45):
    """mpmath quadrature, split where asked; the digits reach far below the smallest tail."""
    points = [low, *sorted(p for p in inner if low < p < high), high]
    with mpmath.workdps(digits):
        return mpmath.quad(function, points) if high > low else mpmath.mpf(0)


def exact_binary(prior, y, f):
    """``-integral of u_c pi(dc)`` for one case, from the definition of the utility."""
    density, (low, high) = exact_density(prior), prior.support
    if y:  # in the distance from 1, so that nothing cancels there
        ends = 1 - mpmath.mpf(high), 1 - max(mpmath.mpf(low), f)
        return quad(lambda d: d * density(1 - d), *ends, 0.5, 0.6, 0.95, digits=110 if f > 0.99 else 45)
    return quad(lambda c: c * density(c), low, min(high, f), 0.05, 0.4, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
@pytest.mark.parametrize("f", [0.0, 1e-6, 0.1, 0.3, 0.77, 1 - 1e-6, 1.0])
@pytest.mark.parametrize("y", [0, 1])
def test_binary_closed_form(prior, f, y):
    value = pwu.PWU(pwu.BinaryDecision(), prior)([y], [f])
    exact = exact_binary(prior, y, mpmath.mpf(f))
    assert abs(value - exact) <= 1e-12 * exact + 1e-300


@pytest.mark.slow
@pytest.mark.parametrize("prior", SCALES, ids=repr)
@pytest.mark.parametrize("std", [1e-3, 0.2, 0.5, 1.0, 1.7, 30.0])
def test_selective_closed_form(prior, std):
    density, (low, high) = exact_density(prior), prior.support
    variance = mpmath.mpf(std) ** 2
    marks = (0.01, 0.1, 0.5, 2, 10, *(variance / 2**j for j in range(1, 9)))
    digits = 45 if std > 0.01 else 110
    above = quad(density, max(low, variance), high, *marks, digits=digits)
    below = quad(lambda x: x * density(x), low, min(high, variance), *marks, digits=digits)
    for error in (0.0, 0.4, 5.0):
        value = pwu.PWU(pwu.SelectivePrediction(), prior)([error], [0.0], [std])
        assert value == pytest.approx(float(mpmath.mpf(error) ** 2 * above + below), rel=1e-12, abs=1e-300)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 7, 20])
def test_top_k_closed_form(n):
    rng = np.random.default_rng(n)
    y, f = rng.integers(0, 2, n), np.round(rng.random(n), 1)
    prior, family = pwu.Beta(1.2, 20.8), pwu.TopK()
    density = exact_density(prior)
    exact = -sum(quad(density, mpmath.mpf(k - 1) / n, mpmath.mpf(k) / n) * family.utility(k, y, f)
                 for k in range(1, n + 1))
    assert pwu.PWU(family, prior)(y, f) == pytest.approx(float(exact), rel=1e-12)


@given(CASES)
def test_uniform_prior_is_half_the_brier_score(cases):
    y, f = zip(*cases, strict=True)
    assert pwu.PWU(pwu.BinaryDecision(), pwu.Uniform(0, 1))(y, f) == pytest.approx(
        classification.brier_score(y, f) / 2, abs=1e-14)


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.5, 3)), min_size=1, max_size=9))
def test_pareto_prior_is_the_nll(cases):
    """Proposition 3.12: 2 eps NLL - eps log(2 pi eps), for variances above eps."""
    y, mean, std = zip(*cases, strict=True)
    eps = 0.2
    nll = regression.gaussian_nll(y, mean, std)
    assert pwu.PWU(pwu.SelectivePrediction(), pwu.Pareto(eps))(y, mean, std) == pytest.approx(
        2 * eps * nll - eps * np.log(2 * np.pi * eps), rel=1e-11, abs=1e-12)


@given(CASES, st.floats(0.01, 0.99))
def test_dirac_is_the_utility(cases, c):
    y, f = zip(*cases, strict=True)
    family = pwu.BinaryDecision()
    assert pwu.PWU(family, pwu.Dirac(c))(y, f) == pytest.approx(-family.utility(c, y, f), abs=1e-14)


@pytest.mark.parametrize("lam", [0.04, 0.25, 0.3, 1.0, 2.25])
def test_dirac_is_the_selective_utility_ties_included(regression, lam):
    y, mean, std = regression
    std = np.where(std == 0.5, np.sqrt(lam), std)
    family = pwu.SelectivePrediction()
    assert family.act(lam, mean, std)[std == np.sqrt(lam)].all()
    assert pwu.PWU(family, pwu.Dirac(lam))(y, mean, std) == pytest.approx(
        -family.utility(lam, y, mean, std), rel=1e-13)


@pytest.mark.parametrize("n", [2, 3, 30, 49])
def test_dirac_at_k_over_n_is_precision_at_k(n):
    rng = np.random.default_rng(0)
    y, f = rng.integers(0, 2, n), np.round(rng.random(n), 1)
    for k in range(1, n + 1):
        assert pwu.PWU(pwu.TopK(), pwu.Dirac(k / n))(y, f) == pytest.approx(-pwu.TopK().utility(k, y, f))


def test_dirac_pair_is_the_risk_averse_utility(regression):
    family, n = pwu.RiskAverseTopK(), 60
    for k, gamma in [(1, 0.1), (7, 0.5), (60, 2.0)]:
        score = pwu.PWU(family, pwu.Dirac(k / n), pwu.Dirac(gamma))
        assert score(*regression) == pytest.approx(-family.utility((k, gamma), *regression))


def test_prior_weighted_integral_of_the_curve_is_the_score(binary, regression):
    thetas = (np.arange(200_000) + 0.5) / 200_000
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    area = np.mean(score.curve(*binary, thetas=thetas) * scipy.stats.beta(2, 10).pdf(thetas))
    assert area == pytest.approx(score(*binary), rel=1e-5)
    selective = pwu.PWU(pwu.SelectivePrediction(), pwu.Beta(2, 4, scale=3.0))
    area = np.mean(selective.curve(*regression, thetas=3 * thetas) * scipy.stats.beta(2, 4).pdf(thetas))
    assert area == pytest.approx(selective(*regression), rel=1e-5)


@pytest.mark.parametrize("family, priors", [
    (pwu.BinaryDecision(), [pwu.Beta(2, 10)]), (pwu.SelectivePrediction(), [pwu.Gamma(2, 0.5)]),
    (pwu.TopK(), [pwu.Beta(1.2, 5)]), (pwu.RiskAverseTopK(), [pwu.Beta(1.2, 5), pwu.Beta(2, 6, scale=1.5)])])
def test_row_order_does_not_matter(family, priors, binary, regression):
    data = regression if "std" in family.takes else binary
    order = np.random.default_rng(5).permutation(len(data[0]))
    score = pwu.PWU(family, *priors)
    assert score(*(column[order] for column in data)) == pytest.approx(score(*data), rel=1e-13)


def test_weights_are_repetition(binary, regression):
    times = np.random.default_rng(1).integers(0, 4, 200)
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    repeated = [np.repeat(column, times) for column in binary]
    assert score(*binary, sample_weight=times) == pytest.approx(score(*repeated), rel=1e-12)
    grid = np.linspace(0.01, 0.99, 9)
    np.testing.assert_allclose(score.curve(*binary, thetas=grid, sample_weight=times),
                               score.curve(*repeated, thetas=grid), rtol=1e-11)
    selective = pwu.PWU(pwu.SelectivePrediction(), pwu.LogNormal(0, 1))
    repeated = [np.repeat(column, times[:60]) for column in regression]
    assert selective(*regression, sample_weight=times[:60]) == pytest.approx(selective(*repeated), rel=1e-12)


@pytest.mark.parametrize("family, others, unit_of_prior, unit_of_loss", [
    (pwu.SelectivePrediction(), [], 2, 2), (pwu.RiskAverseTopK("reported"), [pwu.Beta(1.2, 5)], -1, 1),
    (pwu.RiskAverseTopK("realized"), [pwu.Beta(1.2, 5)], -1, 1)])
@given(scale=st.floats(0.01, 100))
def test_units_of_lambda_and_gamma_follow_that_of_y(family, others, unit_of_prior, unit_of_loss, scale):
    rng = np.random.default_rng(0)
    y, mean, std = rng.normal(size=12), rng.normal(size=12), rng.uniform(0.2, 2, 12)
    one = pwu.PWU(family, *others, pwu.Beta(2, 6, scale=0.7))(y, mean, std)
    other = pwu.PWU(family, *others, pwu.Beta(2, 6, scale=0.7 * scale**unit_of_prior))
    assert other(scale * y, scale * mean, scale * std) == pytest.approx(scale**unit_of_loss * one, rel=1e-11)


@given(UNIT)
def test_linear_in_mixtures(weight):
    rng = np.random.default_rng(0)
    y, f = rng.integers(0, 2, 20), rng.random(20)
    first, second = pwu.Beta(2, 10), pwu.Dirac(0.3)
    for family in (pwu.BinaryDecision(), pwu.TopK()):
        mixed = pwu.PWU(family, pwu.Mixture([first, second], [weight, 1 - weight]))(y, f)
        parts = [pwu.PWU(family, prior)(y, f) for prior in (first, second)]
        assert mixed == pytest.approx(weight * parts[0] + (1 - weight) * parts[1], rel=1e-12)


@given(st.floats(0.01, 0.99), UNIT, st.sampled_from(PRIORS + [pwu.Dirac(0.3)]))
def test_binary_pwu_is_proper(truth, report, prior):
    score = pwu.PWU(pwu.BinaryDecision(), prior)

    def expected(f):
        return truth * score([1], [f]) + (1 - truth) * score([0], [f])

    assert expected(truth) <= expected(report) + 1e-15


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=4, unique=True), st.floats(-2, 2),
       st.floats(0.1, 3), st.sampled_from(SCALES + [pwu.Dirac(0.5)]))
def test_selective_pwu_is_proper(outcomes, mean, std, prior):
    """Truth: one of the outcomes, equally likely. Honest: its mean and standard deviation."""
    score, size = pwu.PWU(pwu.SelectivePrediction(), prior), len(outcomes)
    spread = np.std(outcomes)
    if spread < 1e-6:
        return
    honest = score(outcomes, [np.mean(outcomes)] * size, [spread] * size)
    assert honest <= score(outcomes, [mean] * size, [std] * size) * (1 + 1e-12) + 1e-15


def test_non_separable_families_have_no_losses_per_case(binary, regression):
    with pytest.raises(TypeError, match="not separable"):
        pwu.PWU(pwu.TopK(), pwu.Beta(1, 1)).per_sample(*binary)
    with pytest.raises(ValueError, match="sample_weight"):
        pwu.PWU(pwu.TopK(), pwu.Beta(1, 1))(*binary, sample_weight=np.ones(200))
    with pytest.raises(ValueError, match="sample_weight"):
        pwu.RiskAverseTopK().utility((1, 0.5), *regression, sample_weight=np.ones(60))


def test_long_data_take_the_fast_route_to_the_same_number():
    rng = np.random.default_rng(0)
    f = rng.random(5000)
    y = rng.random(5000) < f
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    parts = [score(y[i:i + 500], f[i:i + 500]) for i in range(0, 5000, 500)]
    assert score(y, f) == pytest.approx(np.mean(parts), rel=1e-13)


def test_error_is_zero_for_closed_forms_and_small_for_quadrature(binary):
    exact = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))(*binary, return_error=True)
    assert exact[1] == 0.0
    value, error = pwu.PWU(pwu.BinaryDecision(), scipy.stats.triang(0.3))(*binary, return_error=True)
    fine = (np.arange(100_000) + 0.5) / 100_000
    curve = -pwu.BinaryDecision().utility(fine, *binary)
    assert value == pytest.approx(np.mean(curve * scipy.stats.triang(0.3).pdf(fine)), abs=1e-6)
    assert 0 < error < 1e-6


@pytest.mark.parametrize("make, words", [
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Gamma(2, 1)), "outside"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 3, scale=1.2)), "outside"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0)), "outside"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(1)), "outside"),
    (lambda: pwu.PWU(pwu.SelectivePrediction(), pwu.Uniform(-1, 2)), "outside"),
    (lambda: pwu.PWU(pwu.SelectivePrediction(), scipy.stats.norm(1, 0.1)), "outside"),
    (lambda: pwu.PWU(pwu.TopK(), pwu.Uniform(0, 2)), "outside"),
    (lambda: pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(1, 1), pwu.Pareto(1)), "finite mean"),
    (lambda: pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(1, 1)), "2 prior"),
    (lambda: pwu.PWU(pwu.BinaryDecision()), "1 prior"),
    (lambda: pwu.PWU(pwu.Beta(2, 10), pwu.BinaryDecision()), "family"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), True), "prior"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), [0.2, 0.3]), "Dirac"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), np.nan), "finite"), (lambda: pwu.PWU(pwu.BinaryDecision(), 1.2), "outside"),
    (lambda: pwu.RiskAverseTopK("variance"), "penalty"),
])
def test_impossible_scores_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("prior, f", [(pwu.Beta(0.01, 1), 1e-20), (pwu.Beta(0.1, 1), 1e-17),
                                      (pwu.Beta(0.5, 0.5), 1e-17), (pwu.TruncatedBeta(1, 1, 1e-6, 2e-6), 1.2e-6)])
def test_small_forecasts_under_priors_that_crowd_at_zero(prior, f):
    with mpmath.workdps(40):
        a, b = mpmath.mpf(prior.a), mpmath.mpf(prior.b)
        low, high = map(mpmath.mpf, prior.support)
        top = mpmath.betainc(a, b + 1, max(low, mpmath.mpf(f)), high)
        exact = top / mpmath.betainc(a, b, low, high)
    assert pwu.PWU(pwu.BinaryDecision(), prior)([1], [f]) == pytest.approx(float(exact), rel=1e-12)


def test_utilities_keep_their_digits_when_few_abstain():
    family = pwu.SelectivePrediction()
    y, mean, std = np.zeros(10), np.full(10, 1e-6), np.ones(10)
    assert family.utility(1e10, y, mean, std) == pytest.approx(-1e-12, rel=1e-12)


def test_enormous_spread_is_no_nan():
    assert np.isfinite(pwu.PWU(pwu.SelectivePrediction(), pwu.LogNormal(0, 40))([0, 1], [0.5, 1], [1, 2]))
    with pytest.raises(ValueError, match="unit of y"):
        pwu.PWU(pwu.SelectivePrediction(), pwu.Gamma(2, 1))([0.0], [1e200], [1e200])


@pytest.mark.parametrize("number", [0.1, 1, np.float32(0.25), np.int64(1)])
def test_a_number_is_a_point(number):
    family = pwu.SelectivePrediction()
    assert pwu.PWU(family, number) == pwu.PWU(family, pwu.Dirac(float(number)))
    both = pwu.PWU(pwu.RiskAverseTopK(), 0.5, 2)
    assert both.priors == (pwu.Dirac(0.5), pwu.Dirac(2.0))


CLASSES = {
    r"family is the class BinaryDecision: pass an object of it, BinaryDecision\(...\)":
        lambda y, f: pwu.PWU(pwu.BinaryDecision, pwu.Beta(2, 3)),
    "the prior is the class Beta": lambda y, f: pwu.PWU(pwu.BinaryDecision(), pwu.Beta),
    "score is the class PWU": lambda y, f: pwu.compare(y, {"a": f}, pwu.PWU),
    "family is the class BinaryD": lambda y, f: pwu.alignment.refute(classification.log_loss, pwu.BinaryDecision),
    "family is the class Bin": lambda y, f: pwu.symbolic.expected_loss(pwu.BinaryDecision, pwu.Beta(2, 3)),
    "score must be a PWU, as": lambda y, f: pwu.plots.murphy(pwu.BinaryDecision(), y, {"a": f}),
}


@pytest.mark.parametrize("words", CLASSES)
def test_a_class_in_place_of_an_object_is_named(words):
    with pytest.raises(ValueError, match=words):
        CLASSES[words]([0, 1, 1], [0.1, 0.6, 0.7])
