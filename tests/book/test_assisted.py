"""The assisted PWU: the plain one in the limit, linear in the labels, blind to the order of rows and models."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from pwu_book.studies.few_labels import assisted
from pwu_lite import PWU, Beta, BinaryDecision, SelectivePrediction, TopK

PRIOR, SHARES = Beta(2, 10), Beta(1.2, 20.8)


def world(n=80, seed=0, models=4):
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 4, n)
    y = (rng.random(n) < p).astype(int)
    return y, {f"m{j}": expit(logit(p) + rng.normal(0, 0.3 + 0.3 * j, n)) for j in range(models)}


def gaussian(n=80, seed=0, models=4):
    rng = np.random.default_rng(seed)
    mean, std = rng.normal(size=n), 0.2 + rng.random(n)
    y = mean + std * rng.normal(size=n)
    return y, {f"m{j}": (mean + 0.2 * j * rng.normal(size=n), std * rng.uniform(0.5, 2, n)) for j in range(models)}


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_pwu_with_each_case_twice(seed):
    """Once as an event with the shrunken label as weight, once as none with the rest."""
    y, models = world(seed=seed)
    found = assisted.binary(y, models, PRIOR, n0=40)
    assert found.weight == 80 / 120
    q, _ = assisted.binary_reference(y.astype(float), np.column_stack(list(models.values())))
    label = found.weight * y + (1 - found.weight) * q
    for name, f in models.items():
        twice = PWU(BinaryDecision(), PRIOR)(np.repeat([1, 0], y.size), np.tile(f, 2),
                                             sample_weight=np.concatenate([label, 1 - label]))
        assert found.table.loc[name, "assisted"] == pytest.approx(twice, abs=1e-14)


@pytest.mark.parametrize("family, function, prior", [
    (BinaryDecision(), assisted.binary, PRIOR), (TopK(), assisted.top_k, SHARES),
    (SelectivePrediction(), assisted.selective, PRIOR)])
def test_plain_column_is_the_pwu_and_the_limit(family, function, prior):
    y, models = gaussian() if function is assisted.selective else world()
    score = PWU(family, prior)
    exact = [score(y, *(f if isinstance(f, tuple) else (f,))) for f in models.values()]
    for n0 in (0, 1e-9, 50.0):
        found = function(y, models, prior, n0=n0)
        assert found.table["plain"].tolist() == pytest.approx(exact, abs=1e-13)
    assert function(y, models, prior, n0=0).table["assisted"].tolist() == found.table["plain"].tolist()
    nearly = function(y, models, prior, n0=1e-9).table
    assert np.allclose(nearly["assisted"], nearly["plain"], atol=1e-10)


@pytest.mark.parametrize("function, data, prior", [
    (assisted.binary, world, PRIOR), (assisted.top_k, world, SHARES), (assisted.selective, gaussian, PRIOR)])
def test_order_of_rows_and_models_changes_nothing(function, data, prior):
    y, models = data()
    order = np.random.default_rng(1).permutation(y.size)
    plain = function(y, models, prior)
    moved = {name: tuple(part[order] for part in f) if isinstance(f, tuple) else f[order]
             for name, f in reversed(models.items())}
    again = function(y[order], moved, prior)
    assert np.allclose(again.table.loc[plain.table.index], plain.table, atol=1e-9)
    assert again.largest == pytest.approx(plain.largest) and again.limit == pytest.approx(plain.limit)


def test_the_unit_of_the_targets_changes_no_order():
    y, models = gaussian()
    one = assisted.selective(y, models, PRIOR).table
    other = assisted.selective(1000 * y, {name: (1000 * m, 1000 * s) for name, (m, s) in models.items()},
                               Beta(2, 10, scale=1e6)).table
    assert np.allclose(other / 1e6, one, rtol=1e-5)


def test_the_logistic_regression_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    x = rng.normal(-2, 1.5, 300)
    y = (rng.random(300) < expit(0.5 + 0.8 * x)).astype(float)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(x[:, None], y)
    line = assisted.logistic(x, y)
    assert line(np.zeros(1))[0] == pytest.approx(theirs.intercept_[0], abs=1e-4)
    assert line(np.ones(1))[0] - line(np.zeros(1))[0] == pytest.approx(theirs.coef_[0, 0], abs=1e-4)


def test_labels_of_one_class_give_a_smoothed_share():
    y, models = world()
    found = assisted.binary(np.zeros_like(y), models, PRIOR)
    assert np.isfinite(found.table).all(axis=None)
    assert expit(assisted.logistic(np.zeros(9), np.zeros(9))(np.zeros(1)))[0] == pytest.approx(0.05)


def test_the_test_refuses_a_model_with_private_information_when_there_are_cases_enough():
    rng = np.random.default_rng(3)
    x, hidden = rng.normal(size=(2, 4000))
    y = (rng.random(4000) < expit(-2 + x + 2 * hidden)).astype(int)
    public = {f"m{j}": expit(-1.5 + 0.6 * x + 0.05 * j * rng.normal(size=4000)) for j in range(3)}
    assert assisted.binary(y, {**public, "knows": expit(-2 + x + 2 * hidden)}, PRIOR).refused


def test_the_test_refuses_seldom_where_the_reference_is_right():
    """Labels drawn from the mean logit itself; one refusal in ten is promised."""
    refused = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        lines = rng.normal(-2, 1, (300, 1)) + rng.normal(0, 0.5, (300, 4))
        y = (rng.random(300) < expit(lines.mean(axis=1))).astype(int)
        refused.append(assisted.binary(y, pd.DataFrame(expit(lines)).add_prefix("m"), PRIOR).refused)
    assert 0 < np.mean(refused) < 0.25


def test_identical_models_are_no_pair_to_test():
    y, models = world()
    found = assisted.binary(y, {"a": models["m0"], "b": models["m0"]}, PRIOR)
    assert (found.largest, found.limit, found.refused) == (0.0, np.inf, False)


@pytest.mark.parametrize("change, words", [
    ({"n0": -1}, "n0 must be"), ({"n0": np.inf}, "n0 must be"), ({"n0": np.nan}, "n0"),
    ({"forecasts": {"a": [0.1, 0.2]}}, "at least two models"),
    ({"forecasts": {"a": [0.1, 1.2], "b": [0.1, 0.2]}}, "1.2"),
    ({"y_true": [0, 2]}, "y_true"), ({"forecasts": [0.1, 0.2]}, "mapping")])
def test_bad_input(change, words):
    good = {"y_true": [0, 1], "forecasts": {"a": [0.1, 0.2], "b": [0.2, 0.1]}, "prior": PRIOR}
    with pytest.raises(ValueError, match=words):
        assisted.binary(**{**good, **change})


def test_the_reference_of_a_case_is_fitted_to_the_other_folds():
    y, models = world(100)
    F = np.column_stack(list(models.values()))
    q, scores = assisted.binary_reference(y.astype(float), F)
    x = assisted.mean_logit(F)
    fold, order = np.empty(100, dtype=int), np.lexsort((x, y))
    fold[order] = np.arange(100) % 5
    for number in range(5):
        line = assisted.logistic(x[fold != number], y[fold != number].astype(float))
        assert np.allclose(q[fold == number], expit(line(x[fold == number])), atol=1e-9)
    assert np.allclose(scores, (y - q)[:, None] * np.column_stack([np.ones(100), x]))


def test_the_moment_test_by_hand():
    y, models = world(120, models=2)
    found = assisted.binary(y, models, PRIOR)
    q, scores = assisted.binary_reference(y.astype(float), np.column_stack(list(models.values())))
    gap = (y - q) * (PRIOR.mass(0, models["m1"]) - PRIOR.mass(0, models["m0"]))
    rest = gap - scores @ np.linalg.lstsq(scores, gap, rcond=None)[0]
    assert found.largest == pytest.approx(abs(gap.sum()) / np.sqrt((rest**2).sum()))
    assert 1.2 < found.limit < 2.2  # about the 95% point of a normal distribution, for one pair
