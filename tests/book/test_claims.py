"""Statements of the ledger whose test is at home nowhere else. Each fails when its verdict is flipped."""

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


@pytest.mark.parametrize("y, f", [(1, 0.3), (0, 0.3), (1, 0.95), (0, 0.02)])
def test_priors_of_log_loss_and_brier_score(y, f):
    def expected(density):
        cost = lambda c: -FAMILY.utility(c, [y], [f]) * density(c)  # noqa: E731
        return sum(integrate.quad(cost, *ends)[0] for ends in ((0, f), (f, 1)))

    assert expected(lambda c: 1 / (c * (1 - c))) == pytest.approx(classification.log_loss([y], [f]))
    assert expected(lambda c: 2.0) == pytest.approx(classification.brier_score([y], [f]))


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
