"""Twenty models under one protocol: shapes, seeds, and variances that mean something."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwu_book.runs import models
from pwu_book.runs.tasks import TASKS

QUICK = ["logistic regression", "naive Bayes", "nearest neighbours", "boosting", "network", "Gaussian process"]


@pytest.fixture(scope="module")
def table():
    """120 rows with a number that is sometimes missing, a category, and an event and a target that follow them."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120), "kind": rng.choice(["u", "v"], 120)})
    score = X["a"] - X["b"] + (X["kind"] == "u")
    X.loc[::17, "b"] = np.nan
    y = (rng.random(120) < 1 / (1 + np.exp(-3 * score))).astype(int)
    return X, y, (10 * score + 3 * rng.normal(size=120) + 100).to_numpy()


@pytest.mark.slow
@pytest.mark.parametrize("name", models.classifiers())
def test_classifiers_give_probabilities_that_beat_the_base_rate(table, name):
    X, y, _ = table
    f = models.classifiers()[name](0).fit(X[:80], y[:80]).predict(X[80:])
    assert f.shape == (40,) and (f >= 0).all() and (f <= 1).all()
    assert np.mean((f - y[80:]) ** 2) < np.mean((y[:80].mean() - y[80:]) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", models.regressors())
def test_regressors_give_mean_and_std_in_the_unit_of_y(table, name):
    X, _, t = table
    mean, std = models.regressors()[name](0).fit(X[:80], t[:80]).predict(X[80:])
    assert mean.shape == std.shape == (40,) and (std > 0).all()
    assert np.mean((mean - t[80:]) ** 2) < 0.8 * np.mean((t[:80].mean() - t[80:]) ** 2)
    assert 0.15 < np.mean(((mean - t[80:]) / std) ** 2) < 6  # neither absurdly sure nor absurdly unsure


@pytest.mark.parametrize("name", ["least squares", "Bayesian splines", "network", "nearest neighbours"])
def test_units_of_the_target_do_not_matter(table, name):
    X, _, t = table
    plain, scaled = (models.regressors()[name](0).fit(X[:80], u * t[:80] + 7 * u).predict(X[80:]) for u in (1, 1000))
    for large, small in zip(scaled, plain, strict=True):
        assert large == pytest.approx(1000 * small, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("maker, kind", [(models.classifiers, 1), (models.regressors, 2)])
def test_the_same_seed_is_the_same_model(table, maker, kind):
    X, target = table[0], table[kind]
    for name in ("random forest", "network", "boosting"):
        first, again = (np.asarray(maker()[name](3).fit(X[:80], target[:80]).predict(X[80:])) for _ in (0, 1))
        assert np.array_equal(first, again)


def test_three_classes(table):
    X, _, t = table
    y = np.digitize(t, np.quantile(t, [1 / 3, 2 / 3]))
    for name in QUICK:
        f = models.classifiers()[name](0).fit(X[:90], y[:90]).predict(X[90:])
        assert f.shape == (30, 3) and f.sum(axis=1) == pytest.approx(np.ones(30))


def test_preprocessing_sees_the_training_fold_only(table):
    """A category that appears later, and an outlier in the test fold, change nothing that was learnt."""
    X, y, _ = table
    later = X[80:].copy()
    later.iloc[0, 0], later.iloc[1, 2] = 1e6, "never seen"
    fitted = models.classifiers()["logistic regression"](0).fit(X[:80], y[:80])
    assert np.array_equal(fitted.predict(later)[2:], fitted.predict(X[80:])[2:])
    assert np.isfinite(fitted.predict(later)).all()


def test_least_squares_has_the_textbook_variance():
    rng = np.random.default_rng(0)
    Z, t = rng.normal(size=(40, 2)), rng.normal(size=40)
    model = models._LeastSquares()
    model.fit(Z, t)
    A = np.column_stack([np.ones(40), Z])
    s2 = np.sum((t - A @ np.linalg.solve(A.T @ A, A.T @ t)) ** 2) / 37
    at = np.array([[0.3, -1.0]])
    z = np.array([1, 0.3, -1.0])
    assert model.predict(at)[1][0] == pytest.approx(s2 * (1 + z @ np.linalg.inv(A.T @ A) @ z))


def test_the_papers_forest_variance_counts_the_noise_twice():
    """Pure noise, no signal: the scatter between trees adds to a residual that holds all of it already."""
    rng = np.random.default_rng(0)
    Z, t = rng.normal(size=(600, 3)), rng.normal(size=600)
    ratio = {}
    for between in (True, False):
        forest = models._Forest(models.RandomForestRegressor, 0, between)
        forest.fit(Z[:400], t[:400])
        mean, variance = forest.predict(Z[400:])
        ratio[between] = np.mean((t[400:] - mean) ** 2 / variance)
    assert ratio[True] < 0.8 < ratio[False] < 1.25


@pytest.mark.parametrize("seed", [1, 2, 3, 8])
def test_boosted_variances_survive_cases_that_are_predicted_exactly(seed):
    """Two thirds of the cases are zero, a few are far out: the gamma loss alone went to 1e24 here, or to infinity."""
    rng = np.random.default_rng(seed)
    Z, noise = rng.normal(size=(2000, 6)), 2 * rng.normal(size=2000)
    t = np.where(Z[:, 0] > 0.5, noise, 0.0)
    t[::250] = 4 * noise[::250]
    model = models._VarianceBoosting(seed)
    model.fit(Z, t)
    variance, loud = model.predict(Z)[1], Z[:, 0] > 0.5
    assert 2 < np.median(variance[loud]) < 6 and np.median(variance[~loud]) < 0.3
    assert variance.max() < (np.abs(t).max() + np.abs(t).mean()) ** 2


def test_a_constant_target_has_the_smallest_variance():
    model = models._VarianceBoosting(0)
    model.fit(np.arange(40.0)[:, None], np.zeros(40))
    assert model.predict(np.arange(40.0)[:, None])[1] == pytest.approx(models.LEAST**2)


@given(st.integers(0, 10_000))
def test_gradient_of_the_network_is_that_of_its_loss(seed):
    rng = np.random.default_rng(seed)
    network = models.GaussianNetwork(0, width=4)
    sizes = [(2, 4), (4,), (4, 4), (4,), (4, 2), (2,)]
    network.parameters = [rng.normal(size=size) for size in sizes]
    Z, t = rng.normal(size=(6, 2)), rng.normal(size=6)
    gradient = network.gradient(Z, t)
    for place in range(6):
        index = tuple(rng.integers(0, size) for size in sizes[place])
        base, values = network.parameters[place][index], []
        for value in (base - 1e-6, base + 1e-6):
            network.parameters[place][index] = value
            values.append(network.loss(Z, t))
        network.parameters[place][index] = base
        assert gradient[place][index] == pytest.approx((values[1] - values[0]) / 2e-6, rel=1e-3, abs=1e-5)


def test_the_network_learns_where_the_noise_is():
    rng = np.random.default_rng(0)
    Z = rng.uniform(-1, 1, (1500, 1))
    t = np.where(Z[:, 0] > 0, 1.0, 0.1) * rng.normal(size=1500)
    network = models.GaussianNetwork(0)
    network.fit(Z, t)
    _, variance = network.predict(np.array([[-0.6], [0.6]]))
    assert variance[0] < 0.05 and 0.5 < variance[1] < 1.8


def test_the_ensemble_is_the_mixture_of_its_members(table):
    X, _, t = table
    model = models.regressors()["deep ensemble"](0).fit(X[:80], t[:80])
    Z = model.prepare.transform(X[80:])
    parts = [member.predict(Z) for member in model.model.members]
    mean = np.mean([m for m, _ in parts], axis=0)
    second = np.mean([v + m**2 for m, v in parts], axis=0)
    assert model.model.predict(Z)[1] == pytest.approx(second - mean**2)


@pytest.fixture(scope="module")
def two_targets(table):
    """Two targets in different units whose noise is correlated."""
    X, _, t = table
    noise = np.random.default_rng(1).multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], 120)
    return X, np.column_stack([t, 0.01 * t]) + noise * [3, 0.03]


@pytest.mark.slow
@pytest.mark.parametrize("name", models.multivariate_regressors())
def test_several_outputs_get_means_and_covariances(two_targets, name):
    X, T = two_targets
    mean, cov = models.multivariate_regressors()[name](0).fit(X[:80], T[:80]).predict(X[80:])
    assert mean.shape == (40, 2) and cov.shape == (40, 2, 2)
    assert np.allclose(cov, cov.transpose(0, 2, 1)) and (np.linalg.eigvalsh(cov) > 0).all()
    z2 = (mean - T[80:]) ** 2 / np.diagonal(cov, axis1=1, axis2=2)
    assert ((z2.mean(axis=0) > 0.15) & (z2.mean(axis=0) < 6)).all()
    assert (np.mean((mean - T[80:]) ** 2, axis=0) < 0.8 * np.var(T, axis=0)).all()


@pytest.mark.slow
def test_joint_models_see_correlated_noise(two_targets):
    X, T = two_targets
    for name, joint in (("least squares", True), ("random forest", True), ("boosting", False)):
        _, cov = models.multivariate_regressors()[name](0).fit(X[:80], T[:80]).predict(X[80:])
        rho = cov[:, 0, 1] / np.sqrt(cov[:, 0, 0] * cov[:, 1, 1])
        assert (rho > 0.3).all() if joint else (rho == 0).all()


def test_one_output_of_the_joint_least_squares_is_the_single_one(table, two_targets):
    X, T = two_targets
    mean, cov = models.multivariate_regressors()["least squares"](0).fit(X[:80], T[:80]).predict(X[80:])
    alone, std = models.regressors()["least squares"](0).fit(X[:80], T[:80, 0]).predict(X[80:])
    assert mean[:, 0] == pytest.approx(alone)
    assert cov[:, 0, 0] == pytest.approx(std**2, rel=1e-4)  # but for the least variance, which is added, not a floor


def test_tasks_have_their_models():
    assert list(TASKS["binary"].models()) == list(models.classifiers())
    assert len(TASKS["multiclass"].models()) == len(TASKS["multivariate"].models()) == 5
