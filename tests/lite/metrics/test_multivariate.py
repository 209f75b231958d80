"""Several outputs: peers, exact values of the energy score, symmetries, bad input."""

import numpy as np
import pytest
from scipy import special, stats

from pwu_lite.metrics import multivariate, regression

METRICS = [multivariate.gaussian_nll, multivariate.mean_squared_error, multivariate.energy_score]


def covariances(rng, n, d):
    root = rng.normal(size=(n, d, d))
    return root @ root.transpose(0, 2, 1) + 0.1 * np.eye(d)


@pytest.fixture(params=[1, 2, 4])
def data(request):
    d, rng = request.param, np.random.default_rng(request.param)
    return rng.normal(size=(20, d)), rng.normal(size=(20, d)), covariances(rng, 20, d)


def test_nll_is_scipys(data):
    logs = [stats.multivariate_normal(m, s).logpdf(y) for y, m, s in zip(*data, strict=True)]
    assert multivariate.gaussian_nll(*data) == pytest.approx(-np.mean(logs))


def test_one_output_is_univariate():
    rng = np.random.default_rng(0)
    y, m, s = rng.normal(size=30), rng.normal(size=30), rng.uniform(0.01, 9, 30)
    several = (y[:, None], m[:, None], (s**2)[:, None, None])
    for metric, single in ((multivariate.gaussian_nll, regression.gaussian_nll),
                           (multivariate.mean_squared_error, regression.mean_squared_error),
                           (multivariate.energy_score, regression.crps_gaussian)):
        assert metric(*several) == pytest.approx(single(y, m, s), rel=1e-12)


@pytest.mark.parametrize("ratio", [1.0, 0.3, 1e-4, 1e-8])
def test_mean_norm_of_two_outputs_is_an_elliptic_integral(ratio):
    """The quadrature used off the mean, at the mean, against the closed form."""
    eigenvalues = np.array([[ratio, 1.0]])
    exact = np.sqrt(2 / np.pi) * special.ellipe(1 - ratio)
    assert multivariate._mean_norm(0 * eigenvalues, eigenvalues)[0] == pytest.approx(exact, rel=1e-11)


def test_mean_norm_of_equal_variances_is_a_hypergeometric_function():
    """The Rice distribution's mean in two dimensions, and its extension to five."""
    for d in (2, 5):
        shift = np.zeros((1, d))
        shift[0, 0] = 1.7
        centred = np.sqrt(2) * special.gamma((d + 1) / 2) / special.gamma(d / 2)
        exact = centred * special.hyp1f1(-0.5, d / 2, -(1.7**2) / 2)
        assert multivariate._mean_norm(shift, np.ones((1, d)))[0] == pytest.approx(exact, rel=1e-11)


def test_energy_score_against_draws(data):
    y, m, s = (part[:1] for part in data)
    rng = np.random.default_rng(0)
    draws = rng.multivariate_normal(m[0], s[0], (2, 200_000))
    away = np.linalg.norm(draws[0] - y[0], axis=1) - np.linalg.norm(draws[0] - draws[1], axis=1) / 2
    error = away.std() / np.sqrt(away.size)
    assert abs(multivariate.energy_score(y, m, s) - away.mean()) < 5 * error


@pytest.mark.parametrize("metric", METRICS)
def test_turning_the_axes_changes_nothing(metric, data):
    y, m, s = data
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(y.shape[1],) * 2))[0]
    turned = turn @ s @ turn.T
    turned = (turned + turned.transpose(0, 2, 1)) / 2
    assert metric(y @ turn.T, m @ turn.T, turned) == pytest.approx(metric(y, m, s))


def test_units(data):
    y, m, s = data
    assert multivariate.energy_score(3 * y, 3 * m, 9 * s) == pytest.approx(3 * multivariate.energy_score(y, m, s))


ONE = ([[0.0, 0.0]], [[0.0, 0.0]], [np.eye(2)])
BAD = {"vectors": (([0.0], [0.0], [[1.0]]), "shape"),
       "standard deviations": ((*ONE[:2], [[1.0, 1.0]]), "one matrix per case"),
       "asymmetric": ((*ONE[:2], [[[1.0, 0.5], [0.0, 1.0]]]), "symmetric"),
       "NaN": (([[0.0, np.nan]], *ONE[1:]), r"y_true\[0, 1\]"),
       "indefinite": ((*ONE[:2], [[[1.0, 2.0], [2.0, 1.0]]]), "positive definite"),
       "lengths": (([[0.0, 0.0]] * 2, *ONE[1:]), "shape"), "infinite": ((*ONE[:2], [[[np.inf, 0], [0, 1]]]), "finite")}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("arguments, words", BAD.values(), ids=BAD)
def test_bad_input(metric, arguments, words):
    with pytest.raises(ValueError, match=words):
        metric(*arguments)


def test_a_nearly_singular_covariance_has_a_score():
    a = np.array([[-2.0], [-0.2], [-0.9]])
    assert np.isfinite(multivariate.energy_score([[1, 1, 1]], [[0, 0, 0]], [a @ a.T + 1e-16 * np.eye(3)]))


def test_variances_too_small_to_square_are_refused():
    for variance in (1e-279, 1e139):
        assert np.isfinite(multivariate.gaussian_nll([[0.0]], [[0.0]], [[[variance]]]))
    for variance in (1e-300, 1e-281):
        with pytest.raises(ValueError, match="change the unit"):
            multivariate.gaussian_nll([[0.0]], [[0.0]], [[[variance]]])
