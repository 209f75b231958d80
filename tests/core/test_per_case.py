"""A prior for each case: each case is scored under its own; wrong lengths and joint families are refused."""

from itertools import permutations

import numpy as np
import pytest
from scipy import integrate

import pwu_lite as pwu
from pwu_lite import reporting

RNG = np.random.default_rng(0)
Y, F = RNG.integers(0, 2, 12), RNG.random(12).round(2)
T = RNG.uniform(0.05, 0.6, 12)
TARGET, MEAN, STD = RNG.normal(size=12), RNG.normal(size=12), RNG.uniform(0.3, 1.5, 12)


def each(make, *parameters):
    return [make(*(float(p[i]) if np.ndim(p) else p for p in parameters)) for i in range(12)]


@pytest.mark.parametrize("make, parameters", [
    (pwu.Beta, (40 * T, 40 * (1 - T))), (pwu.Beta, (2.0, 1 / T)), (pwu.Dirac, (T,)), (pwu.Uniform, (T / 2, T)),
    (pwu.Beta, (2.0, 5.0, T))])
def test_a_case_is_scored_under_its_own_prior(make, parameters):
    score, weight = pwu.PWU(pwu.BinaryDecision(), make(*parameters)), RNG.uniform(0, 2, 12)
    alone = [pwu.PWU(pwu.BinaryDecision(), prior)([Y[i]], [F[i]]) for i, prior in enumerate(each(make, *parameters))]
    assert score.per_sample(Y, F) == pytest.approx(alone, rel=1e-12, abs=1e-15)
    assert score(Y, F) == pytest.approx(np.mean(alone))
    assert score(Y, F, sample_weight=weight) == pytest.approx(np.average(alone, weights=weight))


@pytest.mark.parametrize("make, parameters", [
    (pwu.Beta, (2.0, 10.0, T)), (pwu.Dirac, (T,)), (pwu.Uniform, (T / 2, T)), (pwu.Pareto, (T,))])
def test_selective_prediction_at_each_case_s_own_price(make, parameters):
    score = pwu.PWU(pwu.SelectivePrediction(), make(*parameters))
    alone = [pwu.PWU(pwu.SelectivePrediction(), prior)([TARGET[i]], [MEAN[i]], [STD[i]])
             for i, prior in enumerate(each(make, *parameters))]
    assert score.per_sample(TARGET, MEAN, STD) == pytest.approx(alone, rel=1e-12)


def test_several_classes_and_outputs():
    f, labels = RNG.dirichlet([1, 1, 1], 12), RNG.integers(0, 3, 12)
    many = pwu.OneVsRest(pwu.BinaryDecision())
    for make, parameters in ((pwu.Dirac, (T,)), (pwu.Beta, (30 * T, 30 * (1 - T)))):
        alone = [pwu.PWU(many, prior)(labels[i:i + 1], f[i:i + 1]) for i, prior in enumerate(each(make, *parameters))]
        assert pwu.PWU(many, make(*parameters)).per_sample(labels, f) == pytest.approx(alone)
    outputs, y = pwu.PerOutput(pwu.SelectivePrediction()), RNG.normal(size=(12, 2))
    cov = np.array([np.diag(v) for v in RNG.uniform(0.1, 2, (12, 2))])
    alone = [pwu.PWU(outputs, pwu.Dirac(float(T[i])))(y[i:i + 1], 0 * y[i:i + 1], cov[i:i + 1]) for i in range(12)]
    assert pwu.PWU(outputs, pwu.Dirac(T)).per_sample(y, 0 * y, cov) == pytest.approx(alone)


def test_known_thresholds_give_the_realised_utility():
    weight = RNG.uniform(1, 3, 12)
    realised = np.where(F > T, -(1 - Y) * T, -Y * (1 - T))
    assert pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(T))(Y, F, sample_weight=weight) == pytest.approx(
        -np.average(realised, weights=weight))


def test_a_concentrated_prior_tends_to_the_known_threshold():
    known = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(T))(Y, F)
    gaps = [abs(pwu.PWU(pwu.BinaryDecision(), pwu.Beta(k * T, k * (1 - T)))(Y, F) - known) for k in (10, 1e3, 1e6)]
    assert gaps[0] > gaps[2] < 1e-3 and gaps[1] < 1e-2


def test_the_closed_form_is_the_integral():
    t, kappa, f = 0.3, 20.0, 0.42
    prior = pwu.Beta(kappa * t, kappa * (1 - t))
    miss, _ = integrate.quad(lambda c: (1 - c) * prior.pdf(c), f, 1)
    alarm, _ = integrate.quad(lambda c: c * prior.pdf(c), 0, f)
    both = pwu.Beta(np.full(2, kappa * t), np.full(2, kappa * (1 - t)))
    assert pwu.PWU(pwu.BinaryDecision(), both).per_sample([1, 0], [f, f]) == pytest.approx([miss, alarm], rel=1e-9)


def test_shuffled_thresholds_average_to_the_one_prior_for_all():
    """Over all pairings of thresholds and cases: the mean weight times the weighted empirical prior."""
    y, f, t, w = Y[:6], F[:6], T[:6], RNG.uniform(1, 3, 6)
    totals = []
    for order in map(list, permutations(range(6))):
        losses = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(t[order])).per_sample(y, f)
        totals.append(np.mean(w[order] * losses))
    empirical = pwu.Mixture([pwu.Dirac(at) for at in t], w / w.sum())
    assert np.mean(totals) == pytest.approx(w.mean() * pwu.PWU(pwu.BinaryDecision(), empirical)(y, f), rel=1e-13)


@pytest.mark.parametrize("p, t", [(0.1, 0.05), (0.3, 0.6), (0.7, 0.25)])
def test_it_is_proper_at_each_threshold(p, t):
    grid = np.arange(1, 100) / 100
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(np.full(99, 50 * t), np.full(99, 50 * (1 - t))))
    expected = p * score.per_sample(np.ones(99), grid) + (1 - p) * score.per_sample(np.zeros(99), grid)
    assert grid[np.argmin(expected)] == pytest.approx(p)


def test_mixtures_of_the_known_and_the_common():
    mixed = pwu.Mixture([pwu.Dirac(T), pwu.Beta(2, 10)], [0.5, 0.5])
    parts = [pwu.PWU(pwu.BinaryDecision(), prior).per_sample(Y, F) for prior in (pwu.Dirac(T), pwu.Beta(2, 10))]
    assert pwu.PWU(pwu.BinaryDecision(), mixed).per_sample(Y, F) == pytest.approx(np.mean(parts, axis=0))
    assert mixed.length == 12


def test_equality_hash_names_and_draws():
    one, same, other = pwu.Beta(T, 2.0), pwu.Beta(T.copy(), 2.0), pwu.Beta(T + 0.01, 2.0)
    assert one == same != other and hash(one) == hash(same) and one != pwu.Beta(2, 10)
    assert repr(one) == "Beta(a=<12 values>, b=2.0, scale=1.0)"
    assert one.rvs(3, 0).shape == (3, 12) and np.ptp(pwu.Beta(np.full(4, 2.0), 2.0).rvs(1, 0)) > 0
    assert one.mean.shape == one.ppf(0.5).shape == (12,) and one.length == 12 and pwu.Beta(2, 10).length is None
    with pytest.raises(ValueError, match="read-only"):
        one.a[0] = 5.0


@pytest.mark.parametrize("call, words", [
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(T[:5]))(Y, F), "for 5 cases, y_true has 12"),
    (lambda: pwu.PWU(pwu.TopK(), pwu.Beta(T, 2.0)), "not separable"),
    (lambda: pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(2, 9), pwu.Dirac(T)), "not separable"),
    (lambda: pwu.Beta(T, T[:4]), "different lengths"), (lambda: pwu.Beta([0.5, -1.0], 2), r"a\[1\]"),
    (lambda: pwu.Beta([0.5, np.nan], 2), r"a\[1\]"), (lambda: pwu.Uniform([0.1, 0.5], [0.2, 0.4]), "low must be below"),
    (lambda: pwu.Mixture([pwu.Dirac(T), pwu.Dirac(T[:3])], [0.5, 0.5]), "different numbers"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Dirac([0.2, 1.2])), "outside"),
    (lambda: pwu.TruncatedBeta([2.0, 3.0], 10, 0.1, 0.4), "one finite number"),
    (lambda: pwu.Dirac([]), "empty"), (lambda: pwu.Dirac([[0.1, 0.2]]), "one-dimensional"),
    (lambda: reporting.prior_report(pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(T))), "one prior for all"),
    (lambda: pwu.elicitation.shifted(pwu.Beta(T, 2.0), 0.5), "one prior")])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_card_says_so():
    card = reporting.metric_card(pwu.PWU(pwu.BinaryDecision(), pwu.Beta(30 * T, 30 * (1 - T))))
    assert "one for each of 12 cases" in card.rows["Prior on c"] and card.rows["Properness"].startswith("proper")


def test_mixtures_of_one_for_each_and_one_for_all_have_quantiles():
    mixed = pwu.Mixture([pwu.Beta(2 + T, 5.0), pwu.Uniform(0, 1)], [0.3, 0.7])
    alone = [pwu.Mixture([pwu.Beta(2 + t, 5.0), pwu.Uniform(0, 1)], [0.3, 0.7]).ppf(0.4) for t in T]
    assert mixed.ppf(0.4) == pytest.approx(alone)
    assert "12 cases" in str(reporting.metric_card(pwu.PWU(pwu.BinaryDecision(), mixed)))
