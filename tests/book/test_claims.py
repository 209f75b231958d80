"""Statements of the ledger whose test is at home nowhere else. Each fails when its verdict is flipped."""

from itertools import combinations

import numpy as np
import pytest
import sympy as sp
from scipy import integrate

import pwu_lite as pwu
from pwu_lite.metrics import classification, regression

FAMILY = pwu.BinaryDecision()


def test_alignment_of_the_brier_score():
    rng = np.random.default_rng(0)
    score = pwu.PWU(FAMILY, pwu.Uniform(0, 1))
    for _ in range(20):
        y, pair = rng.integers(0, 2, 5), rng.random((2, 5))
        brier = [classification.brier_score(y, f) for f in pair]
        cost = [score(y, f) for f in pair]
        assert (brier[0] < brier[1]) == (cost[0] < cost[1])


def test_the_log_loss_prior_has_infinite_mass():
    c, low = sp.symbols("c l", positive=True)
    mass = sp.integrate(1 / c, (c, low, sp.Rational(1, 2)))  # below the mass, as 1/(1 - c) >= 1
    assert sp.limit(mass, low, 0) == sp.oo
    cost = sp.integrate(1 / c, (c, sp.Rational(1, 10), 1))  # of f = 1/10 when y = 1
    assert cost == sp.log(10)


def test_the_tie_clause_is_needed():
    y, one, two = [1, 0], [0.9, 0.4], [0.6, 0.4]
    score = pwu.PWU(FAMILY, pwu.Uniform(0, 1))
    assert classification.zero_one_loss(y, one) == classification.zero_one_loss(y, two)
    assert score(y, one) != score(y, two)


def test_infinity_hides_the_other_cases():
    y = [1, 1]
    assert classification.log_loss(y, [0.9, 0.0]) == classification.log_loss(y, [0.6, 0.0]) == np.inf
    assert classification.log_loss(y, [0.9, 0.5]) < classification.log_loss(y, [0.6, 0.5])


def expected_cost(y, f, density):
    """Integral of the cost of one case, straight from the utility."""
    def cost(c):
        return -FAMILY.utility(c, [y], [f]) * density(c)

    return sum(integrate.quad(cost, *ends)[0] for ends in ((0, f), (f, 1)))


@pytest.mark.parametrize("y, f", [(1, 0.3), (0, 0.3), (1, 0.95), (0, 0.02)])
def test_prior_of_the_brier_score(y, f):
    assert expected_cost(y, f, lambda c: 2.0) == pytest.approx(classification.brier_score([y], [f]))


@pytest.mark.parametrize("y, f", [(1, 0.3), (0, 0.3), (1, 0.95), (0, 0.02)])
def test_prior_of_the_log_loss(y, f):
    assert expected_cost(y, f, lambda c: 1 / (c * (1 - c))) == pytest.approx(classification.log_loss([y], [f]))
    assert classification.log_loss([1], [0.0]) == np.inf  # the caveat: no finite cost at the ends


@pytest.mark.parametrize("rounded, aligned", [(False, True), (True, False)])
def test_alignment_is_keeping_order_and_ties(rounded, aligned):
    """An increasing h exists for the Brier score, and for its rounded self neither h nor order and ties."""
    rng = np.random.default_rng(0)
    y, forecasts = [1, 0, 1, 1, 0, 0], rng.uniform(0.01, 0.99, (100, 6))
    brier = np.array([classification.brier_score(y, f) for f in forecasts])
    metric = np.round(brier, 1) if rounded else brier
    cost = np.array([pwu.PWU(FAMILY, pwu.Uniform(0, 1))(y, f) for f in forecasts])
    pairs = [(i, j) for i in range(100) for j in range(100)]
    keeps = all(np.sign(metric[i] - metric[j]) == np.sign(round(cost[i] - cost[j], 12)) for i, j in pairs)
    levels = [cost[metric == value] for value in np.unique(metric)]
    has_h = all(np.ptp(level) < 1e-12 for level in levels) and (np.diff([level[0] for level in levels]) > 0).all()
    assert keeps == has_h == aligned


def test_binary_act_and_separability():
    f = np.linspace(0, 1, 101)
    for c in (0.1, 0.5, 0.83):
        acts = FAMILY.act(c, f)
        assert (np.where(acts, (1 - f) * c, f * (1 - c)) <= np.minimum((1 - f) * c, f * (1 - c)) + 1e-15).all()
        y = np.random.default_rng(0).integers(0, 2, 101)
        alone = [FAMILY.utility(c, [label], [report]) for label, report in zip(y, f, strict=True)]
        assert FAMILY.utility(c, y, f) == pytest.approx(np.mean(alone))


def test_top_k_act_and_non_separability():
    top, f = pwu.TopK(), np.array([0.9, 0.1, 0.45, 0.3, 0.8, 0.2])
    for k in range(1, 7):
        best = max(f[list(chosen)].sum() for chosen in combinations(range(6), k))
        assert top.act(k, f) @ f == pytest.approx(best)
    corners = {(a, b): top.utility(1, [1, 0], [a, b]) for a in (0.2, 0.7) for b in (0.1, 0.5)}
    assert corners[0.7, 0.5] - corners[0.7, 0.1] - corners[0.2, 0.5] + corners[0.2, 0.1] != 0


def test_the_mce_flips_from_zero():
    def mce(first, middling):
        z = [first] + [1.0] * middling + [1.4, 1.4, 1.8, 2.2]
        z = np.array(z + [0.0] * (20 - len(z)))
        return regression.maximum_calibration_error(z, 0 * z, 0 * z + 1)

    assert mce(0.0, 6) < mce(1.0, 6)
    assert mce(0.0, 5) > mce(1.0, 5)
    assert mce(0.0, 6) == pytest.approx(0)  # no level dominates: all deviations are zero


def test_accuracy_needs_a_constant_in_its_link():
    y, f = [1, 0], [0.9, 0.1]
    accuracy = classification.zero_one_loss(y, f) - 1
    expected_cost = 2 * pwu.PWU(FAMILY, pwu.Dirac(0.5))(y, f)
    assert accuracy != expected_cost == accuracy + 1


def test_converse_of_the_barrier_fails():
    def utility(sign, f):
        return -np.mean(f**2) - sign * float(f[0] > f[1])

    corners = [utility(1, np.array(f)) for f in ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))]
    assert corners[0] - corners[1] - corners[2] + corners[3] != 0
    for f in np.random.default_rng(0).normal(size=(20, 2)):
        assert -(utility(1, f) + utility(-1, f)) / 2 == pytest.approx(np.mean(f**2))


def test_second_background_needs_one_miss_fewer():
    def gap(misses):
        y = np.where(np.arange(10) < misses, 9.0, 0.0)
        return regression.expected_calibration_error(y, np.zeros(10), np.ones(10), [0.5])

    assert gap(5) < gap(6)
    assert gap(4) > gap(5)
