"""UNIQUE's ranking metrics, as documented: limits, ties, units and peers."""

import numpy as np
import pytest
import scipy.stats

from pwu_lite.metrics import ranking

METRICS = [ranking.spearman, ranking.auc_difference, ranking.increasing_coefficient, ranking.decreasing_coefficient,
           ranking.performance_drop]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.exponential(size=60), rng.permutation(60).astype(float)


def both(error, uncertainty, bins):
    coefficients = (ranking.increasing_coefficient, ranking.decreasing_coefficient)
    return tuple(coefficient(error, uncertainty, n_bins=bins) for coefficient in coefficients)


def test_spearman_is_scipys(data):
    error, uncertainty = np.round(data[0], 1), data[1] // 7
    assert ranking.spearman(error, uncertainty) == pytest.approx(scipy.stats.spearmanr(error, uncertainty).statistic)


def test_an_oracle_gets_the_best_value(data):
    error, _ = data
    best = [ranking.spearman(error, error), ranking.auc_difference(error, error),
            ranking.increasing_coefficient(error, error), ranking.decreasing_coefficient(error, error)]
    assert best == pytest.approx([1, 0, 1, 1])
    drop = ranking.performance_drop(error, error)
    ordered = np.sort(error)
    assert drop == pytest.approx(ordered[-6:].mean() - ordered[:6].mean())
    rng = np.random.default_rng(1)
    assert all(ranking.performance_drop(error, rng.permutation(60)) <= drop for _ in range(20))
    assert all(ranking.auc_difference(error, rng.permutation(60)) >= 0 for _ in range(20))


def test_an_anti_oracle_gets_the_worst(data):
    error, _ = data
    values = [ranking.spearman(error, -error), ranking.increasing_coefficient(error, -error),
              ranking.decreasing_coefficient(error, -error)]
    assert values == pytest.approx([-1, 0, 0])


def test_cumulative_curve_by_hand():
    shares, curve = ranking.cumulative_error(np.array([1.0, 5, 2, 4, 3, 6]), np.array([2.0, 1, 6, 3, 4, 5]), 3)
    assert shares.tolist() == pytest.approx([1 / 3, 2 / 3, 1])
    assert curve.tolist() == [3.0, 3.25, 3.5]


@pytest.mark.parametrize("metric", METRICS)
def test_rows_may_come_in_any_order_ties_included(metric, data):
    error, uncertainty = data[0], data[1] // 9
    order = np.random.default_rng(5).permutation(60)
    assert metric(error, uncertainty) == pytest.approx(metric(error[order], uncertainty[order]), abs=1e-14)


@pytest.mark.parametrize("metric", METRICS)
def test_only_the_order_of_uncertainty_matters(metric, data):
    error, uncertainty = data
    assert metric(error, uncertainty) == metric(error, np.exp(uncertainty / 10))


def test_units_of_the_error(data):
    error, uncertainty = data
    for metric in (ranking.auc_difference, ranking.performance_drop):
        assert metric(10 * error, uncertainty) == pytest.approx(10 * metric(error, uncertainty))
    for metric in (ranking.spearman, ranking.increasing_coefficient, ranking.decreasing_coefficient):
        assert metric(10 * error, uncertainty) == pytest.approx(metric(error, uncertainty))


def test_constant_uncertainty(data):
    error, _ = data
    same = np.ones(60)
    assert np.isnan(ranking.spearman(error, same)) and np.isnan(ranking.spearman(same, error))
    assert ranking.increasing_coefficient(error, same) == ranking.decreasing_coefficient(error, same) == 0
    assert ranking.performance_drop(error, same) == pytest.approx(0)


BAD = [(([1, 2], [1, 2, 3]), {}, "length"), (([1, np.nan], [1, 2]), {}, r"error\[1\]"),
       (([1, 2], [1, np.inf]), {}, r"uncertainty\[1\]"), (([1, 2], [1, 2]), {"sample_weight": [1, 1]}, "sample_weight")]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("arguments, options, words", BAD)
def test_bad_input(metric, arguments, options, words):
    with pytest.raises(ValueError, match=words):
        metric(*arguments, **options)


@pytest.mark.parametrize("metric", METRICS[1:])
def test_too_many_bins(metric):
    for bins in (11, 0, 2.5):
        with pytest.raises(ValueError, match="n_bins"):
            metric(np.arange(10.0), np.arange(10.0), n_bins=bins)


def test_one_bin_has_no_next_and_reference_is_checked():
    assert ranking.increasing_coefficient([1, 2, 3, 4], [1, 2, 3, 4], n_bins=2) == 1
    with pytest.raises(ValueError, match="at least 2"):
        ranking.increasing_coefficient([1, 2], [1, 2], n_bins=1)
    with pytest.raises(ValueError, match="reference"):
        ranking.performance_drop([1, 2], [1, 2], n_bins=2, reference="low")


def test_steps_count_beyond_rounding_and_only_then():
    u = np.arange(6.0)
    wobbling = np.array([0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 0.3, 0.3])
    for flat in (np.zeros(6), wobbling, 1e6 * wobbling):
        assert both(flat, u, 6) == (0, 0)
    assert both(np.full(100_000, 0.1), np.arange(100_000), 100) == (0, 0)
    assert both(1 + 1e-9 * u, u, 3) == (1, 1)
    after_a_fall = np.array([1e6, 2 - 1e6, 3 * (1 + 1e-7) - 2])  # the curve is 1e6, 1, 1 + 1e-7
    assert ranking.increasing_coefficient(after_a_fall, [1.0, 2, 3], n_bins=3) == 0.5
    assert ranking.spearman([0.1 + 0.2, 0.3, 1, 2], [1, 2, 3, 4]) == ranking.spearman([0.3, 0.3, 1, 2], [1, 2, 3, 4])
