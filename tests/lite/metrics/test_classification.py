"""Classification metrics: peers, conventions at the edges, ties, and values of the paper."""

import numpy as np
import pytest
import sklearn.metrics as sk

import pwu_desk
from pwu_lite.metrics import classification as m


def test_agrees_with_scikit_learn(binary):
    y, f = binary
    weight = np.random.default_rng(0).random(200)
    inside = np.clip(f, 0.01, 0.99)
    assert m.log_loss(y, inside, sample_weight=weight) == pytest.approx(
        sk.log_loss(y, inside, sample_weight=weight))
    assert m.brier_score(y, f, sample_weight=weight) == pytest.approx(
        sk.brier_score_loss(y, f, sample_weight=weight))
    assert 1 - m.zero_one_loss(y, f, sample_weight=weight) == pytest.approx(
        sk.accuracy_score(y, f > 0.5, sample_weight=weight))
    entropy_order = np.minimum(f, 1 - f)
    assert m.error_detection_auroc(y, f) == pytest.approx(sk.roc_auc_score((f > 0.5) != y, entropy_order))


def test_impossible_outcomes_cost_infinity():
    assert m.log_loss([1], [0.0]) == np.inf
    assert m.boosting_loss([0], [1.0]) == np.inf
    assert m.log_loss([1, 0], [1.0, 0.0]) == 0
    assert m.log_loss([1, 1], [0.0, 0.5], sample_weight=[0, 1]) == pytest.approx(np.log(2))


def test_bins_are_closed_on_the_right():
    assert m.expected_calibration_error([0, 1], [0.3, 0.30000001]) == pytest.approx((0.3 + 0.69999999) / 2)
    assert m.expected_calibration_error([0, 1], [0.25, 0.3]) == pytest.approx(abs(1 - 0.55) / 2)
    edges = np.arange(11) / 10
    assert m.maximum_calibration_error(np.zeros(11), edges) == 1.0


def test_retention_curve_shares_ties():
    y, f = np.array([1, 0, 0, 1]), np.array([0.8, 0.8, 0.2, 0.2])  # p and 1 - p: all four tied
    order = [m.retention_auc(y[p], f[p]) for p in (np.arange(4), np.array([3, 1, 0, 2]))]
    assert order[0] == order[1] == pytest.approx(0.5)


def test_retention_definitions_on_the_paper_s_example():
    """Appendix F: 1/4, 3/4, 0, 0."""
    values = [m.retention_auc([1, 0], [a, r]) for a, r in ((0.9, 0.8), (0.51, 0.8), (0.9, 0.01), (0.51, 0.01))]
    assert values == [0.25, 0.75, 0, 0]
    assert m.retention_auc([1, 0], [0.51, 0.8], definition="oracle") == pytest.approx((1 / 2 + 1 / 2) / 2)


def test_error_detection_on_the_paper_s_example():
    """Appendix F: 0, 1/2, 1, 1."""
    backgrounds = [(0.999, 0.6), (0.51, 0.99)]
    values = [m.error_detection_auroc([1, 0, 1], [a, *r]) for r in backgrounds for a in (0.9, 0.49)]
    assert values == [0, 0.5, 1, 1]


def test_error_detection_is_undefined_without_errors_or_without_successes():
    assert np.isnan(m.error_detection_auroc([1, 0], [0.9, 0.1]))
    assert np.isnan(m.error_detection_auroc([0, 1], [0.9, 0.1]))


@pytest.mark.parametrize("loss", [m.log_loss, m.brier_score, m.spherical_loss, m.boosting_loss,
                                  lambda y, f: m.winkler_loss(y, f, c=0.3), m.zero_one_loss])
@pytest.mark.parametrize("truth", [0.07, 0.3, 0.5, 0.81])
def test_honesty_is_optimal(loss, truth):
    def expected(f):
        return truth * loss([1], [f]) + (1 - truth) * loss([0], [f])

    best = expected(truth)
    assert all(best <= expected(f) + 1e-12 for f in np.linspace(0.01, 0.99, 99))


def test_spherical_loss_keeps_its_digits_when_small():
    assert m.spherical_loss([1], [1 - 1e-9]) == pytest.approx(5e-19, rel=1e-6)


def test_winkler_is_one_at_its_baseline_and_zero_at_the_truth():
    assert m.winkler_loss([0, 1], [0.2, 0.2], c=0.2) == 1
    assert m.winkler_loss([0, 1], [0, 1], c=0.2) == 0


@pytest.mark.parametrize("t", [-1e-9, 1.0, float("nan"), [0.2, 1.5]])
def test_net_benefit_needs_thresholds_inside(t):
    with pytest.raises(ValueError, match="threshold"):
        m.net_benefit([0, 1], [0.2, 0.7], t)


@pytest.mark.parametrize("ties", ["wait", "act"])
def test_net_benefit_at_zero_is_the_prevalence(ties):
    """As dcurves has it; a forecast of 0 is treated as well, since an alarm costs nothing."""
    y, f, weight = [1, 0, 1, 0, 0], [0.0, 0.2, 0.7, 0.0, 1.0], np.array([1, 2, 3, 4, 5])
    assert m.net_benefit(y, f, 0, ties=ties) == pytest.approx(0.4)
    assert m.net_benefit(y, f, [0, 0.1], ties=ties, sample_weight=weight)[0] == pytest.approx(4 / 15)
    assert m.net_benefit([0, 1], [0.2, 0.7], 1e-300, ties=ties) == pytest.approx(0.5)
    tally = pwu_desk.Tally()
    tally.update(y, f)
    assert tally.net_benefit([0.0]).value == pytest.approx(0.4)


def test_net_benefit_with_either_rule_for_ties():
    rng = np.random.default_rng(0)
    y, f, weight = rng.integers(0, 2, 80), rng.random(80).round(1), rng.uniform(0, 2, 80)
    t = np.arange(1, 10) / 10
    for ties, acts in (("wait", np.greater), ("act", np.greater_equal)):
        slow = [np.average(acts(f, one) * (y - (1 - y) * one / (1 - one)), weights=weight) for one in t]
        assert m.net_benefit(y, f, t, ties=ties, sample_weight=weight) == pytest.approx(slow, abs=1e-14)
    assert (m.net_benefit(y, f, t) != m.net_benefit(y, f, t, ties="act")).all()
    assert m.net_benefit(y, f, 0.5) == m.net_benefit(y, f, t)[4]
    off = t + 0.05
    assert m.net_benefit(y, f, off[:8]) == pytest.approx(m.net_benefit(y, f, off[:8], ties="act"))
    with pytest.raises(ValueError, match="ties"):
        m.net_benefit(y, f, 0.3, ties="above")
