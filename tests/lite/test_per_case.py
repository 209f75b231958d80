"""A prior for each case: each case is scored under its own; wrong lengths and joint families are refused."""

import numpy as np
import pytest

import pwu_lite as pwu
from pwu_book import reports
from pwu_lite import reporting

RNG = np.random.default_rng(0)
Y, F = RNG.integers(0, 2, 12), RNG.random(12).round(2)
T = RNG.uniform(0.05, 0.6, 12)
TARGET, MEAN, STD = RNG.normal(size=12), RNG.normal(size=12), RNG.uniform(0.3, 1.5, 12)


def each(make, *parameters):
    return [make(*(float(p[i]) if np.ndim(p) else p for p in parameters)) for i in range(12)]


def known_or_common(known, a, b):
    return pwu.Mixture([pwu.Dirac(known), pwu.Beta(a, b)], [0.5, 0.5])


BINARY, SELECTIVE = (pwu.BinaryDecision(), (Y, F)), (pwu.SelectivePrediction(), (TARGET, MEAN, STD))
CLASSES = pwu.OneVsRest(pwu.BinaryDecision()), (RNG.integers(0, 3, 12), RNG.dirichlet([1, 1, 1], 12))
OUTPUTS = pwu.PerOutput(pwu.SelectivePrediction()), (RNG.normal(size=(12, 2)), np.zeros((12, 2)), np.array(
    [np.diag(v) for v in RNG.uniform(0.1, 2, (12, 2))]))


@pytest.mark.parametrize("problem, make, parameters", [
    (BINARY, pwu.Beta, (40 * T, 40 * (1 - T))), (BINARY, pwu.Beta, (2.0, 1 / T)), (BINARY, pwu.Dirac, (T,)),
    (BINARY, pwu.Uniform, (T / 2, T)), (BINARY, pwu.Beta, (2.0, 5.0, T)), (BINARY, known_or_common, (T, 2.0, 10.0)),
    (SELECTIVE, pwu.Beta, (2.0, 10.0, T)), (SELECTIVE, pwu.Dirac, (T,)), (SELECTIVE, pwu.Uniform, (T / 2, T)),
    (SELECTIVE, pwu.Pareto, (T,)), (CLASSES, pwu.Dirac, (T,)), (CLASSES, pwu.Beta, (30 * T, 30 * (1 - T))),
    (OUTPUTS, pwu.Dirac, (T,))])
def test_a_case_is_scored_under_its_own_prior(problem, make, parameters):
    (family, data), prior, weight = problem, make(*parameters), RNG.uniform(0, 2, 12)
    alone = [pwu.PWU(family, one)(*(column[i:i + 1] for column in data))
             for i, one in enumerate(each(make, *parameters))]
    score = pwu.PWU(family, prior)
    assert prior.length == 12 and score.per_sample(*data) == pytest.approx(alone, rel=1e-12, abs=1e-15)
    assert score(*data) == pytest.approx(np.mean(alone))
    assert score(*data, sample_weight=weight) == pytest.approx(np.average(alone, weights=weight))


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
    (lambda: reports.prior_report(pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(T))), "one prior for all"),
    (lambda: reports.shifted(pwu.Beta(T, 2.0), 0.5), "one prior")])
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
