"""Regression metrics: definitions by numerical integration, conventions, values of the paper."""

import numpy as np
import pytest

from pwu_lite.metrics import regression as m


def test_mean_squared_error(regression):
    y, mean, std = regression
    assert m.mean_squared_error(y, mean, std) == pytest.approx(np.mean((y - mean) ** 2))


def test_coverage_gaps():
    y = np.concatenate([np.zeros(8), [10, 10]])
    mean, std = np.zeros(10), np.ones(10)
    assert m.expected_calibration_error(y, mean, std, coverages=[0.8]) == pytest.approx(0)
    assert m.expected_calibration_error(y, mean, std) == pytest.approx((0.3 + 0 + 0.1 + 0.15) / 4)
    assert m.maximum_calibration_error(y, mean, std) == pytest.approx(0.3)


def test_retention_on_the_paper_s_example():
    """Appendix F: 3/4, 1/4, 1/4, 1/4."""
    values = [m.retention_auc([0, 0], [1, 0], [a, r]) for r in (1, 0.01) for a in (0.1, 10)]
    assert values == [0.75, 0.25, 0.25, 0.25]


def test_error_detection_on_the_paper_s_example_moved_off_the_boundary():
    """Appendix F with errors of twice the tolerance: 0, 1/2, 1, 1."""
    values = []
    for r2, r3 in (((1.2, 0.01), (1, 1)), ((1.2, 10), (1, 0.01))):
        for a in ((1, 0.1), (1.2, 10)):
            mean, std = zip(a, r2, r3, strict=True)
            values.append(m.error_detection_auroc([1, 1, 1], mean, std))
    assert values == [0, 0.5, 1, 1]


def test_an_error_at_the_tolerance_is_no_error():
    assert np.isnan(m.error_detection_auroc([1, 1], [1.1, 1.05], [1, 2]))
    assert m.error_detection_auroc([1, 0], [1.1, 1e-9], [1, 2]) == 1.0


def test_scale_equivariance(regression):
    y, mean, std = regression
    assert m.crps_gaussian(3 * y, 3 * mean, 3 * std) == pytest.approx(3 * m.crps_gaussian(y, mean, std))
    assert m.retention_auc(1e6 * y, 1e6 * mean, 1e6 * std) == pytest.approx(
        1e12 * m.retention_auc(y, mean, std))
    assert m.error_detection_auroc(3 * y, 3 * mean, 3 * std) == m.error_detection_auroc(y, mean, std)


@pytest.mark.parametrize("coverage, inside, outside", [(0.5, 0.67, 0.68), (0.8, 1.28, 1.29), (0.9, 1.64, 1.65),
                                                       (0.95, 1.95, 1.97)])
def test_intervals_are_central_gaussian_ones(coverage, inside, outside):
    for z, share in ((inside, 1.0), (outside, 0.0)):
        for sign in (-1, 1):
            gap = m.expected_calibration_error([sign * z * 2.0], [0.0], [2.0], coverages=[coverage])
            assert gap == pytest.approx(abs(share - coverage))


def test_check_score_is_the_mean_of_pinball_losses():
    """Across the blocks in which it is computed, weights included."""
    rng = np.random.default_rng(0)
    y, mean, std = rng.normal(size=9000), rng.normal(size=9000), rng.uniform(0.1, 2, 9000)
    levels, weight = [0.1, 0.5, 0.8], rng.random(9000)
    losses = [m.pinball_loss(y, mean, std, level=level, sample_weight=weight) for level in levels]
    assert m.check_score(y, mean, std, levels=levels, sample_weight=weight) == pytest.approx(np.mean(losses))


def test_calibration_levels():
    y, mean, std = [0.1, 3.0], [0.0, 0.0], [1.0, 1.0]
    with_ends = m.mean_absolute_calibration_error(y, mean, std, coverages=[0.0, 0.5, 1.0])
    assert with_ends == pytest.approx(m.mean_absolute_calibration_error(y, mean, std, coverages=[0.5]) / 3)
    for bad in ([0.5, 1.2], [-0.1], [float("nan")]):
        with pytest.raises(ValueError, match="coverages"):
            m.mean_absolute_calibration_error(y, mean, std, coverages=bad)
    with pytest.raises(ValueError, match="coverages"):
        m.expected_calibration_error(y, mean, std, coverages=[0.0])
