"""The crossing sweep against brute force: every gap between crossings integrated from the definition."""

from itertools import combinations

import numpy as np
import pytest

import pwu_lite as pwu
from pwu_lite.families import mass_of_k, sweep

K_PRIOR = pwu.Beta(1.2, 5)
GAMMAS = [pwu.Beta(2, 6, scale=1.5), pwu.Gamma(2, 0.4), pwu.Uniform(0.2, 0.9), pwu.LogNormal(-1, 0.5)]


def brute_force(family, k_prior, prior, y, mean, std):
    """Between two crossings the order is fixed: U = A - gamma B there, integrated exactly."""
    n, variance = len(y), np.asarray(std) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        cross = [(mean[i] - mean[j]) / (variance[i] - variance[j]) for i, j in combinations(range(n), 2)]
    low, high = prior.support
    inner = sorted({g for g in cross if np.isfinite(g) and low < g < high})
    edges = np.array([low, *inner, high])
    charge = variance if family.penalty == "reported" else (y - mean) ** 2
    total = 0.0
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        middle = (a + b) / 2 if np.isfinite(b) else a + 1
        if b - a < 1e-13:
            continue
        for k, mass in enumerate(mass_of_k(k_prior, n), start=1):
            share = family.act((k, middle), mean, std) / k
            total += mass * (share @ y * prior.mass(a, b) - share @ charge * prior.partial_mean(a, b))
    return -total


def lines(kind, rng):
    if kind == "random":
        return rng.normal(size=12), rng.normal(size=12), rng.uniform(0.1, 2, 12)
    if kind == "ties":
        return rng.normal(size=14), rng.integers(0, 3, 14) * 1.0, rng.choice([0.5, 1.0, 1.5], 14)
    if kind == "pencil":  # five lines through one point, (0.5, 1), and two others
        variance = np.array([0.25, 0.5, 1.0, 2.0, 4.0, 1.0, 3.0])
        mean = np.append(1 + 0.5 * variance[:5], [2.2, 0.1])
        return rng.normal(size=7), mean, np.sqrt(variance)
    return np.array([0.0, 1.0]), np.array([1.0, 0.5]), np.sqrt([2.0, 0.5])


@pytest.mark.slow
@pytest.mark.parametrize("penalty", ["reported", "realized"])
@pytest.mark.parametrize("prior", GAMMAS, ids=repr)
@pytest.mark.parametrize("kind", ["random", "ties", "pencil", "two"])
def test_sweep_is_exact(kind, prior, penalty):
    family = pwu.RiskAverseTopK(penalty)
    for seed in range(2):
        y, mean, std = lines(kind, np.random.default_rng(seed))
        value = pwu.PWU(family, K_PRIOR, prior)(y, mean, std)
        assert value == pytest.approx(brute_force(family, K_PRIOR, prior, y, mean, std), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("prior", [GAMMAS[0], pwu.LogNormal(0, 3)], ids=["light", "heavy"])
def test_quadrature_states_an_error_that_holds(monkeypatch, prior):
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=400), rng.uniform(0.2, 2, 400)
    y = mean + std * rng.normal(size=400)
    score = pwu.PWU(pwu.RiskAverseTopK(), K_PRIOR, prior)
    exact, zero = score(y, mean, std, return_error=True)
    monkeypatch.setattr(sweep, "EXACT_UP_TO", 100)
    near, error = score(y, mean, std, return_error=True)
    assert zero == 0.0
    assert 0 < error < 0.01 * min(1, abs(exact))
    assert abs(near - exact) < 3 * error


@pytest.mark.slow
def test_five_thousand_cases_are_swept():
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=5000), rng.uniform(0.5, 1, 5000)
    y = mean + std * rng.normal(size=5000)
    score = pwu.PWU(pwu.RiskAverseTopK(), K_PRIOR, pwu.Beta(2, 6, scale=0.1))
    value, error = score(y, mean, std, return_error=True)
    assert error == 0.0
    nodes = score.priors[1].ppf((np.arange(200) + 0.5) / 200)
    thetas = [(k, gamma) for gamma in nodes[::20] for k in (50, 500)]
    assert np.isfinite(score.curve(y, mean, std, thetas=thetas)).all()
    assert value < 0


def test_ties_by_rounding_are_ties_in_every_route():
    for std in ([0.3, 0.3], [0.3, 0.1 + 0.2], [0.1 + 0.2, 0.3]):
        values = [pwu.PWU(pwu.RiskAverseTopK(), pwu.Dirac(0.5), prior)([1.0, 0.0], [1, 1], std)
                  for prior in (pwu.Uniform(0.4999999, 0.5000001), pwu.Dirac(0.5))]
        assert values == pytest.approx([-0.455, -0.455])


def test_one_huge_case_does_not_let_the_row_order_in():
    mean, std, y = np.array([4.000001, 4, 1e6]), np.array([2.0, 2, 1000]), np.array([1.0, 0, 0])
    orders = [[0, 1, 2], [0, 2, 1], [2, 1, 0]]
    values = [pwu.RiskAverseTopK().utility((1, 1.0), y[o], mean[o], std[o]) for o in orders]
    assert values[0] == values[1] == values[2]


def test_the_error_of_quadrature_is_the_change_from_a_third_of_the_cells():
    prior = pwu.Beta(2, 6)

    def value(gamma):
        return gamma**2, 1 / (1 + gamma)

    def with_cells(count):
        edges = prior.ppf(np.arange(count + 1) / count)
        middles = prior.ppf((np.arange(count) + 0.5) / count)
        gain, charge = value(middles)
        return gain.mean() - charge @ prior.partial_mean(edges[:-1], edges[1:])

    fine, error = sweep.quadrature(prior, value)
    assert fine == pytest.approx(with_cells(243), rel=1e-12)
    assert error == pytest.approx(abs(with_cells(243) - with_cells(81)), rel=1e-6) and error > 0
