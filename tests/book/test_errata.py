"""The released behaviours that the errata show: they are what is described, and they differ from the text."""

import numpy as np
import pytest

import pwu_lite as pwu
from pwu_book import released
from pwu_lite.alignment import kendall_tau
from pwu_lite.metrics import classification, ranking, regression

MU, S2 = [0.2, 1.1, -0.4, 2.5, 0.9], np.array([0.04, 0.3, 0.09, 1.5, 0.25])
T = [0.0, 1.6, -0.1, 1.2, 0.8]
Y, F = [1, 0, 1, 1, 0, 0], np.array([0.9, 0.2, 0.6, 0.35, 0.55, 0.05])
UNIQUE = {"mean": [0.5, 1.0, 2.0, 0.0, 3.25], "variance": [1.0, 0.5, 2.25, 0.04, 1.44], "y": [1.1, 0.2, 1.0, 0.05, 3.0]}


def test_abstained_cases_are_charged_for_one_another():
    assert released.selective_utility(0.1, T, MU, np.sqrt(S2)) == pytest.approx(-0.206)
    text = pwu.SelectivePrediction().utility(0.1, T, MU, np.sqrt(S2))
    assert text != pytest.approx(-0.206)
    everyone = [released.selective_utility(0.2, np.zeros(n), np.zeros(n), np.ones(n)) for n in (10, 100)]
    assert everyone == pytest.approx([-2.0, -20.0])


def test_certain_forecasts_fall_out_of_the_calibration_error():
    y, f = [1, 0, 1, 0], [1.0, 0.0, 0.5, 1.0]
    assert released.expected_calibration_error(y, f) == pytest.approx(0.125)
    assert classification.expected_calibration_error(y, f) == pytest.approx(0.375)
    assert released.expected_calibration_error([0, 0], [1.0, 1.0]) == 0


def test_retention_is_another_definition():
    wrong, unsure = (F > 0.5) != np.array(Y), np.minimum(F, 1 - F)
    assert released.retention_auc(wrong, unsure) == pytest.approx(1 / 12)
    assert classification.retention_auc(Y, F) == pytest.approx(47 / 360)


def test_targets_are_cut_to_whole_numbers():
    rng = np.random.default_rng(0)
    y, mean, std = rng.random(50), rng.random(50), rng.uniform(0.1, 1, 50)
    assert released.retention_auc_regression(y, mean, std) == 0 < regression.retention_auc(y, mean, std)


def test_tied_models_are_ranked_by_the_table():
    assert released.strict_tau([1, 2, 3, 4], [7, 7, 7, 7]) == 1
    assert np.isnan(kendall_tau([1, 2, 3, 4], [7, 7, 7, 7]))


def test_ties_make_released_results_depend_on_the_order_of_rows():
    """"Deterministic through fixed seeds": the same cases in another order give another utility; shared ties do not."""
    y, f = np.array([0, 0, 1, 1]), np.array([0.5, 0.5, 0.5, 0.2])
    for turned in (np.array([2, 1, 0, 3]), np.array([1, 2, 0, 3])):
        assert pwu.TopK().utility(1, y[turned], f[turned]) == pwu.TopK().utility(1, y, f) == pytest.approx(1 / 3)
    assert released.top_k_utility(1, y[::-1], f[::-1]) == 1 != released.top_k_utility(1, y, f)


def test_unique_calibration():
    assert released.mace(**UNIQUE) == pytest.approx((0.12222222222222222, 0.16009256581624778))
    assert released.mace(**UNIQUE, strategy="quantile") == pytest.approx((0.12222222222222222, 0.14555131461166945))
    std = np.sqrt(UNIQUE["variance"])
    levels = np.linspace(0, 1, 10)
    documented = regression.mean_absolute_calibration_error(UNIQUE["y"], UNIQUE["mean"], std, coverages=levels)
    assert documented == pytest.approx(1 / 9)


def test_unique_scores_of_classes():
    with pytest.raises(TypeError, match="y_variance"):
        released.scores_of_classes([0.2, 0.9], [0.01, 0.02], [0, 1])


def test_unique_coefficients_and_drops():
    error = np.arange(1.0, 101.0)
    up = ranking.cumulative_error(error, error, 10)[1]
    down = ranking.cumulative_error(error, -error, 10)[1]
    assert released.coefficient(up) == 0 and ranking.increasing_coefficient(error, error) == 1
    assert released.coefficient(down) == pytest.approx(621 / 139)
    assert ranking.decreasing_coefficient(error, error) == 1
    assert released.performance_drop(3.0, 4.0) == pytest.approx(4 / 3)
    assert ranking.performance_drop(error, error) == pytest.approx(95.5 - 5.5)
