"""Decision families: the act, the cost, ties."""

import numpy as np
import pytest

import pwu_lite as pwu
from pwu_lite.families import mass_of_k


def test_binary_costs():
    family = pwu.BinaryDecision()
    y, f = [1, 1, 0, 0], [0.2, 0.8, 0.2, 0.8]
    assert family.utility(0.3, y, f) == pytest.approx(-(0.7 + 0.3) / 4)
    assert family.utility(0.2, [1, 0], [0.2, 0.2]) == pytest.approx(-0.8 / 2)  # at f = c: no act
    grid = [0.1, 0.3, 0.9]
    np.testing.assert_allclose(family.utility(grid, y, f), [family.utility(c, y, f) for c in grid])


def test_binary_act_is_a_bayes_act(binary):
    family = pwu.BinaryDecision()
    _, f = binary
    for c in (0.1, 0.5, 0.83):
        cost_of_acting, cost_of_not = (1 - f) * c, f * (1 - c)
        act = family.act(c, f)
        assert (np.where(act, cost_of_acting, cost_of_not) <= np.minimum(cost_of_acting, cost_of_not) + 1e-15).all()


def test_selective_costs_and_the_tie():
    family = pwu.SelectivePrediction()
    assert family.utility(0.3, [0.0], [2.0], [np.sqrt(0.3)]) == -4  # std**2 rounds above 0.3
    assert family.utility(0.3, [0.0], [2.0], [0.6]) == pytest.approx(-0.3)
    assert family.act(0.25, [0, 0], [0.5, np.nextafter(0.5, 1)]).tolist() == [True, False]


def test_top_k_shares_ties(binary):
    family = pwu.TopK()
    y, f = np.array([1, 0, 0, 1]), np.array([0.5, 0.5, 0.5, 0.9])
    assert family.act(2, f) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])
    assert family.utility(2, y, f) == pytest.approx((1 + 1 / 3) / 2)
    assert family.utility(4, y, f) == pytest.approx(0.5)
    for k in (1, 17, 200):
        assert family.act(k, binary[1]).sum() == pytest.approx(k)
        assert family.utility(k, *binary) == pytest.approx(family.act(k, binary[1]) @ binary[0] / k)


def test_top_k_is_the_mean_over_all_orders():
    from itertools import permutations

    y, f = np.array([1, 0, 1, 0]), np.array([0.4, 0.4, 0.4, 0.7])
    values = []
    for order in permutations(range(4)):
        rank = sorted(range(4), key=lambda i: (-f[i], order[i]))
        values.append(y[rank[:2]].mean())
    assert pwu.TopK().utility(2, y, f) == pytest.approx(np.mean(values))


def test_risk_averse_ties_survive_rounding():
    """mean - gamma variance is 0.5 twice, though sqrt(3)**2 is not 3."""
    family = pwu.RiskAverseTopK()
    assert family.act((1, 0.5), [1.0, 2.0], [1.0, np.sqrt(3)]).tolist() == [0.5, 0.5]


def test_penalties_agree_in_expectation_for_the_honest():
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=100_000), rng.uniform(0.5, 1, 100_000)
    y = mean + std * rng.normal(size=100_000)
    values = [pwu.RiskAverseTopK(p).utility((20_000, 0.5), y, mean, std) for p in ("reported", "realized")]
    assert values[0] == pytest.approx(values[1], abs=0.01)


def test_published_penalty_is_improper_and_the_repaired_one_is_not():
    """Truth N(0, 1) twice, gamma = 1, k = 1: reporting a tiny variance pays under the first alone."""
    y = np.random.default_rng(0).normal(size=(2, 4000))
    def loss(penalty, std):
        family = pwu.RiskAverseTopK(penalty)
        return -np.mean([family.utility((1, 1.0), pair, [0, 0], [std, std]) for pair in y.T])
    assert loss("reported", 0.1) < 0.1 < 0.9 < loss("reported", 1.0)
    assert loss("realized", 0.1) == pytest.approx(loss("realized", 1.0))


@pytest.mark.parametrize("n", [1, 2, 5, 37, 1000])
def test_mass_of_k(n):
    mass = mass_of_k(pwu.Beta(1.2, 20.8), n)
    assert mass.sum() == pytest.approx(1)
    for k in (1, (n + 1) // 2, n):
        assert np.argmax(mass_of_k(pwu.Dirac(k / n), n)) == k - 1


@pytest.mark.parametrize("family, one, several, data", [
    (pwu.BinaryDecision(), 0.2, [0.2, 0.4], ([1, 0], [0.3, 0.6])),
    (pwu.SelectivePrediction(), 0.2, [0.2, 0.4], ([1, 0], [0.3, 0.6], [1, 2])),
    (pwu.TopK(), 1, [1, 2], ([1, 0], [0.3, 0.6])),
    (pwu.RiskAverseTopK(), (1, 0.5), [(1, 0.5), (2, 0.1)], ([1, 0], [0.3, 0.6], [1, 2])),
])
def test_one_theta_gives_a_float_and_several_an_array(family, one, several, data):
    assert type(family.utility(one, *data)) is float
    values = family.utility(several, *data)
    assert values.shape == (2,)
    assert values[0] == family.utility(one, *data)


def test_metrics_and_scores_are_python_floats(binary, regression):
    priors = {pwu.BinaryDecision(): [pwu.Beta(2, 10)], pwu.TopK(): [pwu.Beta(2, 10)],
              pwu.SelectivePrediction(): [pwu.Gamma(2, 1)],
              pwu.RiskAverseTopK(): [pwu.Beta(2, 10), pwu.Gamma(2, 1)]}
    for family, prior in priors.items():
        data = regression if "std" in family.takes else binary
        assert type(pwu.PWU(family, *prior)(*data)) is float
    for (task, name), metric in pwu.metrics.REGISTRY.items():
        option = {"winkler_loss": [0.3], "pinball_loss": [0.7], "interval_score": [0.8]}.get(name, [])
        assert type(metric(*(binary if task == "binary" else regression), *option)) is float
