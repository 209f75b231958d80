"""Rank agreement with ties, and the search for coordinate dependence."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest

import pwu_lite as pwu
from pwu_lite import alignment, metrics


def test_tau_b():
    assert alignment.kendall_tau([1, 2, 3], [1, 2, 3]) == 1
    assert alignment.kendall_tau([1, 2, 3], [3, 2, 1]) == -1
    assert math.isnan(alignment.kendall_tau([1, 1, 1], [1, 2, 3]))
    assert math.isnan(alignment.kendall_tau([0.3, 0.1 + 0.2, 0.3], [1, 2, 3]))  # rounding makes no ranks


def test_somers_d_leaves_out_pairs_tied_in_utility():
    assert alignment.somers_d([1, 2, 3], [1, 1, 2]) == (1.0, 2)
    assert alignment.somers_d([3, 2, 1], [1, 1, 2]) == (-1.0, 2)
    assert alignment.somers_d([1, 1, 1], [1, 1, 2]) == (0.0, 2)
    d, pairs = alignment.somers_d([1, 2], [5, 5])
    assert math.isnan(d) and pairs == 0


def tables():
    models = list("abcde")
    m = pd.DataFrame({"log_loss": [0.1, 0.2, 0.3, 0.4, 0.5], "error_detection_auroc": [0.9, 0.8, 0.7, 0.6, 0.5],
                      "brier_score": [0.2] * 5}, index=models)
    u = pd.DataFrame({"up": [-1.0, -2, -3, -4, -5], "down": [1.0, 2, 3, 4, 5], "tied": [1.0, 1, 0, 0, 0]},
                     index=models)
    return m, u


def test_agreement_leaves_out_ties_of_the_utility_and_says_nothing_of_a_constant():
    m, u = tables()
    found = alignment.agreement(m * [-1, 1, -1], u)
    assert found["tau"][:2, :2] == pytest.approx(np.array([[1, -1], [1, -1]]))
    assert found["pairs"][0].tolist() == [10, 10, 6]
    assert found["somers_d"][:2] == pytest.approx(np.array([[1, -1, 1], [1, -1, 1]]))
    assert np.isnan(found["tau"][2]).all() and np.isnan(found["somers_d"][2]).all()


@pytest.mark.slow
@pytest.mark.parametrize("key", [k for k in metrics.REGISTRY if k[0] in ("binary", "regression")], ids="-".join)
@pytest.mark.parametrize("n", [2, 3, 6])
def test_proposition_f1(key, n):
    """The separable metrics give no counterexample, the others one that holds when recomputed."""
    task, name = key
    metric = metrics.REGISTRY[key]
    found = alignment.coordinate_dependence(metric, task=task, n=n, trials=400)
    if metrics.REGISTRY[key].separable:
        assert found is None
        return
    assert found is not None
    columns = [[np.column_stack([np.atleast_2d(report).T, np.atleast_2d(rest.T)]) for report in
                (found.a, found.b)] for rest in (found.r, found.r_prime)]
    (ar, br), (as_, bs) = [[metric(found.labels, *case) for case in pair] for pair in columns]
    assert found.values == (ar, br, as_, bs)
    labels, a, b, r, r_prime = found
    assert pickle.loads(pickle.dumps(found)).values == found.values
    assert np.sign(round(br - ar, 9)) != np.sign(round(bs - as_, 9))


@pytest.mark.slow
@pytest.mark.parametrize("family", [pwu.TopK(), pwu.BinaryDecision()])
def test_coordinate_dependence_of_pwus(family):
    found = alignment.coordinate_dependence(pwu.PWU(family, pwu.Beta(2, 3)), trials=1000)
    assert (found is None) == family.separable


def test_the_search_depends_on_its_seed_alone():
    runs = [alignment.coordinate_dependence(metrics.classification.retention_auc, seed=4) for _ in range(2)]
    assert runs[0].values == runs[1].values


@pytest.mark.parametrize("options", [{"task": "weather"}, {"n": 1}, {"n": 2.5}])
def test_coordinate_dependence_refuses(options):
    with pytest.raises(ValueError):
        alignment.coordinate_dependence(metrics.classification.log_loss, **options)


def test_an_outlier_ties_nobody_else():
    m = pd.DataFrame({"log_loss": [0.3, 0.5, 0.4, 0.9, 1e15]}, index=list("abcde"))
    u = pd.DataFrame({"u": [3.0, 1, 2, 0, -5]}, index=list("abcde"))
    assert alignment.agreement(-m, u)["tau"].item() == pytest.approx(1)


def test_ties_are_as_wide_as_asked():
    losses = np.array([[1.0], [1 + 1e-10], [2.0]])
    utilities = np.array([[3.0], [2.0], [1.0]])
    assert alignment.agreement(-losses, utilities)["tau"].item() == pytest.approx(1)
    wide = alignment.agreement(-losses, utilities, tie=1e-9)
    assert wide["tau"].item() == pytest.approx(2 / np.sqrt(6)) and wide["somers_d"].item() == pytest.approx(2 / 3)


@pytest.mark.parametrize("metrics, utilities, options, words", [
    ([[1.0], [2.0]], [[1.0]], {}, "same models, at least two"), ([1.0, 2.0], [[1.0], [2.0]], {}, "tables"),
    ([[1.0], [2.0]], [[1.0], [2.0]], {"tie": 1.5}, "tie")])
def test_agreement_refuses(metrics, utilities, options, words):
    with pytest.raises(ValueError, match=words):
        alignment.agreement(metrics, utilities, **options)


def test_labels_in_another_order_are_refused():
    one, two = pd.Series([3.0, 2.0, 1.0], list("abc")), pd.Series([1.0, 2.0, 3.0], list("cba"))
    for call in (lambda: alignment.kendall_tau(one, two), lambda: alignment.somers_d(one, two),
                 lambda: alignment.agreement(one.to_frame(), two.to_frame())):
        with pytest.raises(ValueError, match="different orders"):
            call()


def test_a_column_with_a_nan_has_no_pairs():
    found = alignment.agreement([[np.nan, 1], [2, 3], [1, 2]], [[1], [2], [3.0]])
    assert np.isnan([table[0] for table in found.values()]).all() and found["pairs"][1] == 3
