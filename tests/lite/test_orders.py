"""Orders and warnings: against quadrature, ensemble scores and binary decisions; lies that pay; what is refused."""

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from scipy.optimize import minimize
from scipy.special import ndtri

import pwu_lite as pwu
from pwu_lite.priors import as_prior

LEVELS = (0.05, 0.5, 0.95)
HUB = (0.01, 0.025, *(np.arange(1, 20) / 20), 0.975, 0.99)  # levels of the forecast hubs
PRIOR = pwu.Beta(8, 2)
EXACT = (pwu.Beta(8, 2), pwu.Uniform(0.2, 0.9), pwu.TruncatedBeta(2, 3, 0.1, 0.8),
         pwu.Mixture([pwu.Beta(2, 3), pwu.Uniform(0, 1)], [0.3, 0.7]), as_prior(scipy.stats.truncnorm(-1, 1, 0.5, 0.3)))


def pinball(level, y, q):
    return np.where(y >= q, level * (y - q), (1 - level) * (q - y))


def crps(y, members):
    spread = np.abs(members[:, :, None] - members[:, None, :]).mean(axis=(1, 2))
    return np.abs(members - y[:, None]).mean(axis=1) - spread / 2


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=30), np.sort(rng.normal(size=(30, 3)), axis=1), rng.normal(size=(30, 20))


@pytest.mark.parametrize("prior", EXACT, ids=str)
def test_the_nearest_level_against_quadrature(prior, data):
    """The cost at tau, written out, integrated piece by piece."""
    y, q, _ = (part[:4] for part in data)
    density = as_prior(prior).pdf
    losses = pwu.PWU(pwu.Newsvendor(LEVELS, "nearest level"), prior).per_sample(y, q)
    for case in range(4):
        cuts = np.unique([0, *LEVELS, *(np.add(LEVELS[1:], LEVELS[:-1]) / 2), 0.2, 0.9, 0.1, 0.8, 1,
                          np.clip(np.interp(y[case], q[case], LEVELS), 0, 1)])
        exact = sum(scipy.integrate.quad(lambda tau, i=case: float(density(tau)) * float(pinball(
            tau, y[i], q[i][np.argmin(np.abs(np.array(LEVELS) - tau))])), a, b, epsabs=1e-13, epsrel=1e-12)[0]
            for a, b in zip(cuts[:-1], cuts[1:], strict=True))
        assert losses[case] == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_at_levels_is_a_sum_of_pinball_losses(data):
    y, q, _ = data
    weights = np.diff(scipy.stats.beta(8, 2).cdf([0, 0.275, 0.725, 1]))
    expected = sum(weight * pinball(level, y, q[:, k]) for k, (weight, level) in
                   enumerate(zip(weights, LEVELS, strict=True)))
    np.testing.assert_allclose(pwu.PWU(pwu.Newsvendor(LEVELS), PRIOR).per_sample(y, q), expected, rtol=1e-13)


@pytest.mark.parametrize("levels, value", [(HUB, 0.2532), (LEVELS, 0.1753)])
def test_what_few_levels_hide(levels, value):
    """A standard normal forecast that is right, Beta(8, 2): the user of the whole distribution pays 0.2540."""
    y = ndtri((np.arange(20_000) + 0.5) / 20_000)
    loss = pwu.PWU(pwu.Newsvendor(levels), PRIOR)(y, np.tile(ndtri(levels), (y.size, 1)))
    assert loss == pytest.approx(value, abs=1e-4)


@pytest.mark.slow
def test_the_best_lie_to_users_of_the_nearest_level():
    """On three levels a lie saves 5 to 10 per cent; scored at the levels it saves nothing."""
    grid = ndtri((np.arange(4000) + 0.5) / 4000)
    for prior in (pwu.Uniform(0, 1), PRIOR, pwu.Beta(18, 2)):
        for act, least, most in (("nearest level", 0.045, 0.11), ("at levels", -1e-9, 1e-4)):
            score = pwu.PWU(pwu.Newsvendor(LEVELS, act), prior)
            honest = ndtri(LEVELS)

            def cost(q, score=score):
                return score(grid, np.tile(np.sort(q), (grid.size, 1)))

            lie = minimize(cost, honest, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-9})
            assert least < 1 - lie.fun / cost(honest) < most
            assert score.family.properness(prior)[0] == ("proper" if act == "at levels" else "improper")


def test_nearest_level_is_proper_where_each_level_is_its_users_mean():
    prior = pwu.Mixture([pwu.Uniform(level - 0.01, level + 0.01) for level in LEVELS], [0.2, 0.5, 0.3])
    assert pwu.Newsvendor(LEVELS, "nearest level").properness(prior)[0] == "proper"
    assert "0.5 have a mean" in pwu.Newsvendor(LEVELS, "nearest level").properness(pwu.TruncatedBeta(
        2, 9, 0.28, 0.7))[1]


def test_the_ensemble_crps_is_a_flat_belief(data):
    y, _, members = data
    losses = pwu.PWU(pwu.Newsvendor("members"), pwu.Uniform(0, 1)).per_sample(y, members)
    np.testing.assert_allclose(2 * losses, crps(y, members), rtol=1e-12)
    shuffled = members[:, np.random.default_rng(1).permutation(20)]
    assert (losses == pwu.PWU(pwu.Newsvendor("members"), pwu.Uniform(0, 1)).per_sample(y, shuffled)).all()


def test_a_member_is_ordered_up_to_its_step():
    """0.55 * 20 is 11.000000000000002 in floats, and the eleventh member is still the one at 0.55."""
    members = np.arange(1.0, 21)[None]
    assert [pwu.Newsvendor("members").act(tau, members)[0] for tau in (0.55, 0.5500001, 0.05, 1e-9, 1 - 1e-9)] == [
        11, 12, 1, 1, 20]
    assert pwu.Newsvendor("members").utility(0.55, [20.0], members) == pytest.approx(-0.55 * 9)


def test_warnings_for_every_threshold_are_a_crps(data):
    """Cells between members, written out as in the sources: uniform thresholds give the threshold-weighted CRPS."""
    y, _, members = data
    losses = pwu.PWU(pwu.Exceedance("members"), pwu.Uniform(-0.7, 0.9), pwu.Uniform(0, 1)).per_sample(y, members)
    weighted = crps(np.clip(y, -0.7, 0.9), np.clip(members, -0.7, 0.9))
    np.testing.assert_allclose(2 * 1.6 * losses, weighted, atol=1e-14)
    prior = pwu.Beta(2, 10)
    thresholds = scipy.stats.norm(0.2, 1)
    losses = pwu.PWU(pwu.Exceedance("members"), thresholds, prior).per_sample(y, members)
    for case in range(5):
        ends = np.sort([-np.inf, *members[case], y[case], np.inf])
        total = 0.0
        for low, high in zip(ends[:-1], ends[1:], strict=True):
            share = (members[case] > low).mean()
            mass = thresholds.cdf(high) - thresholds.cdf(low)
            total += mass * (prior.complement_above(share) if low < y[case] else prior.partial_mean(0, share))
        assert losses[case] == pytest.approx(total, rel=1e-11)


def test_a_known_threshold_leaves_a_binary_decision(data):
    y, _, members = data
    family, chance = pwu.Exceedance("members"), (members > 0.3).mean(axis=1)
    for prior in (pwu.Beta(2, 10), pwu.Dirac(0.3)):
        binary = pwu.PWU(pwu.BinaryDecision(), prior)(y > 0.3, chance)
        assert pwu.PWU(family, pwu.Dirac(0.3), prior)(y, members) == pytest.approx(binary, rel=1e-12)
    assert (family.act((0.3, 0.25), members) == (chance > 0.25)).all()


def test_a_prior_for_each_case_costs_what_each_costs_alone(data):
    y, q, members = data
    a, high = np.linspace(2, 9, 30), np.linspace(1, 2, 30)
    for family, forecast in ((pwu.Newsvendor(LEVELS), q), (pwu.Newsvendor("members"), members)):
        losses = pwu.PWU(family, pwu.Beta(a, 3.0)).per_sample(y, forecast)
        assert losses[7] == pytest.approx(pwu.PWU(family, pwu.Beta(a[7], 3.0))(y[[7]], forecast[[7]]), rel=1e-12)
    both = pwu.PWU(pwu.Exceedance("members"), pwu.Uniform(-1.0, high), pwu.Beta(a, 3.0)).per_sample(y, members)
    alone = pwu.PWU(pwu.Exceedance("members"), pwu.Uniform(-1.0, high[7]), pwu.Beta(a[7], 3.0))(y[[7]], members[[7]])
    assert both[7] == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize("act, words", [
    (lambda: pwu.Newsvendor((0.5, 0.2)), "levels must be ascending"),
    (lambda: pwu.Newsvendor((0.5, 1.0)), r"levels must lie in \(0, 1\)"),
    (lambda: pwu.Newsvendor("members", act="at levels"), "each row is an ensemble"),
    (lambda: pwu.Newsvendor(), r"Newsvendor\(levels='members'\)"), (lambda: pwu.Exceedance(), "what the columns"),
    (lambda: pwu.Newsvendor("draws"), "levels"),
    (lambda: pwu.Newsvendor(LEVELS, "median"), "act must be"),
    (lambda: pwu.Newsvendor(LEVELS).act(0.5, [[1, 2, 3], [3, 2, 4]]), "row 1 .* 3 at level 0.05 and 2 at level 0.5"),
    (lambda: pwu.Newsvendor(LEVELS).act(0.5, [[1, 2]]), "2 columns, there are 3 levels"),
    (lambda: pwu.Newsvendor("members").act(1.0, [[1, 2]]), "tau must lie"),
    (lambda: pwu.PWU(pwu.Newsvendor("members"), PRIOR)([1.0], [[1.0, np.nan]]), r"forecast\[0, 1\] is nan"),
    (lambda: pwu.PWU(pwu.Newsvendor("members"), PRIOR)([1.0, 2.0], [[1.0, 2.0]]), "forecast has length 1"),
    (lambda: pwu.PWU(pwu.Newsvendor("members"), pwu.Gamma(2, 1)), "mass outside")])
def test_refusals(act, words):
    with pytest.raises(ValueError, match=words):
        act()


def test_comparison_of_ensembles_and_quantiles(data):
    y, q, members = data
    score = pwu.PWU(pwu.Newsvendor("members"), PRIOR)
    table = pwu.compare(y, {"honest": members + y[:, None], "noise": members}, score, n_resamples=200).table
    assert table.loc["noise", "verdict"] == "costlier" and table.loc["honest", "skill"] > 0
    score = pwu.PWU(pwu.Exceedance(LEVELS), pwu.Uniform(-1, 1), pwu.Beta(2, 4))
    assert pwu.compare(y, {"a": q, "b": q}, score, n_resamples=50).words[0] == "a and b cost the same on these cases."


def test_the_same_as_scoringrules(data):
    rules = pytest.importorskip("scoringrules")
    y, q, members = data
    atoms = pwu.Mixture([pwu.Dirac(level) for level in LEVELS], [1 / 3] * 3)
    np.testing.assert_allclose(pwu.PWU(pwu.Newsvendor(LEVELS), atoms).per_sample(y, q),
                               rules.quantile_score(y[:, None], q, np.array(LEVELS)).mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(2 * pwu.PWU(pwu.Newsvendor("members"), pwu.Uniform(0, 1)).per_sample(y, members),
                               rules.crps_ensemble(y, members), rtol=1e-12)


def test_thresholds_of_each_case_are_cut_at_its_quantiles():
    one = pwu.PWU(pwu.Exceedance(LEVELS), pwu.Uniform(0, 100), pwu.Beta(2, 10))
    each = pwu.PWU(pwu.Exceedance(LEVELS), pwu.Uniform(np.zeros(2), 100), pwu.Beta(2, 10))
    y, q = [20.0, 58.5], [[57.0, 58, 59], [57.0, 58, 59]]
    np.testing.assert_allclose(each.per_sample(y, q), one.per_sample(y, q), rtol=1e-9)


def test_readings_that_score_alike_are_called_alike():
    mirrored = pwu.Mixture([pwu.Dirac(1 - level) for level in LEVELS], [0.2, 0.5, 0.3])
    assert pwu.Exceedance(LEVELS).properness(pwu.Uniform(0, 1), mirrored)[0] == "proper"
    assert pwu.Exceedance((0.5,)).properness(pwu.Uniform(0, 1), pwu.Uniform(0, 1))[0] == "proper"
    for levels in ((0.4,), LEVELS):
        score = pwu.Exceedance(levels, "nearest level")
        assert score.properness(pwu.Uniform(0, 1), pwu.Uniform(0, 1))[0] == "improper"
    each = pwu.Beta(np.arange(2.0, 7), 2.0)
    assert [pwu.Newsvendor(LEVELS, act).properness(each)[0] for act in ("at levels", "nearest level")] == [
        "proper", "not known"]


def test_a_critical_ratio_near_one_loses_no_digits(data):
    y, _, members = data
    prior = pwu.Beta(1e6, 2)
    low, high = prior.mass(0, 0.95), prior.partial_mean(0.95, 1)
    left = prior.complement_above(0.95)
    expected = np.mean(high * np.maximum(y - members.max(axis=1), 0) + left * np.maximum(members.max(axis=1) - y, 0))
    assert low == 0
    assert pwu.PWU(pwu.Newsvendor("members"), prior)(y, members) == pytest.approx(expected, rel=1e-13)


def test_the_same_as_firm(data):
    """FIRM's multicategorical score is a sum of binary costs: point masses on t, one cost share."""
    categorical = pytest.importorskip("scores.categorical")
    array = pytest.importorskip("xarray").DataArray
    y, q, _ = data
    thresholds, weights, risk = [-0.5, 0.3, 1.1], [0.2, 0.5, 0.3], 0.7
    firm = categorical.firm(array(q[:, 1]), array(y), risk, thresholds, [array(weight) for weight in weights],
                            preserve_dims="all")
    prior = pwu.Mixture([pwu.Dirac(t) for t in thresholds], weights)
    losses = pwu.PWU(pwu.Exceedance("members"), prior, pwu.Dirac(1 - risk)).per_sample(y, q[:, [1]])
    np.testing.assert_allclose(losses, firm.to_numpy(), atol=1e-15)
