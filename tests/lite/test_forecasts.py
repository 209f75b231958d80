"""Intervals, draws, variances and distributions become mean and standard deviation, or a ValueError."""

import numpy as np
import pytest
import scipy.stats

import pwu_lite as pwu


@pytest.mark.parametrize("coverage", [0.1, 0.5, 0.8, 0.95, 0.999])
def test_an_interval_has_its_coverage(coverage):
    low, high = scipy.stats.norm(3.0, 0.7).interval(coverage)
    mean, std = pwu.from_interval([low], [high], coverage=coverage)
    assert mean == pytest.approx([3.0]) and std == pytest.approx([0.7])


def test_draws_give_their_moments():
    draws = np.random.default_rng(0).normal(size=(5, 200))
    mean, std = pwu.from_samples(draws)
    assert mean == pytest.approx(draws.mean(axis=1)) and std == pytest.approx(draws.std(axis=1, ddof=1))


def test_a_variance_is_no_standard_deviation():
    assert pwu.from_variance([0.0, 1.0], [4.0, 9.0])[1].tolist() == [2.0, 3.0]


def test_distributions():
    frozen = scipy.stats.lognorm([0.5, 1.0])
    mean, std = pwu.from_distribution(frozen)
    assert mean == pytest.approx(frozen.mean()) and std == pytest.approx(frozen.std())
    assert [len(part) for part in pwu.from_distribution(scipy.stats.norm(1, 2))] == [1, 1]


@pytest.mark.parametrize("call, words", [
    (lambda: pwu.from_interval([1.0], [0.0], coverage=0.9), r"low\[0\]"),
    (lambda: pwu.from_interval([0.0, 1.0], [1.0], coverage=0.9), "length"),
    (lambda: pwu.from_interval([0.0], [1.0], coverage=90), "coverage"),
    (lambda: pwu.from_interval([np.nan], [1.0], coverage=0.9), r"low\[0\]"),
    (lambda: pwu.from_samples([1.0, 2.0]), "shape"), (lambda: pwu.from_samples([[1.0], [2.0]]), "two draws"),
    (lambda: pwu.from_samples([[0.1, 0.1, 0.1]]), "draws are the same"),
    (lambda: pwu.from_samples([[1.0, np.inf]]), "finite"),
    (lambda: pwu.from_variance([1.0], [0.0]), "variance"), (lambda: pwu.from_variance([1.0], [-4.0]), "variance"),
    (lambda: pwu.from_distribution(scipy.stats.cauchy()), "mean"), (lambda: pwu.from_distribution(3), "frozen")])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_survival_weights_are_grafs():
    """Twice the PWU under a flat prior is the weighted Brier score; nobody lost: it is the plain one."""
    rng = np.random.default_rng(0)
    life, followed = rng.exponential(3, 300), rng.exponential(5, 300)
    time, event, risk = np.minimum(life, followed).round(1), (life <= followed).astype(int), rng.random(300)
    y, weight = pwu.ipcw(time, event, horizon=2.0)
    chance = {}  # of being followed, step by step, events before losses at the same time
    still = 1.0
    for at in np.unique(time):
        chance[at] = still
        lost, at_risk = ((time == at) & (event == 0)).sum(), (time >= at).sum() - ((time == at) & (event == 1)).sum()
        still *= 1 - lost / at_risk if lost else 1.0
    end = np.prod([1 - ((time == at) & (event == 0)).sum() / ((time >= at).sum() - ((time == at) & (event == 1)).sum())
                   for at in np.unique(time[(event == 0) & (time < 2.0)])])
    for case in range(300):
        expected = 1 / chance[time[case]] if y[case] else 1 / end if time[case] >= 2 else 0.0
        assert weight[case] == pytest.approx(expected, rel=1e-12)
    assert ((time == 2.0) & (event == 0)).any() and ((time == 2.0) & (event == 1)).any()
    graf = ((weight * (y - risk) ** 2).sum()) / weight.sum()
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Uniform(0, 1))
    assert 2 * score(y, risk, sample_weight=weight) == pytest.approx(graf, rel=1e-12)
    assert (pwu.ipcw(life, np.ones(300), horizon=2.0)[1] == 1).all()
    # A study that ends at the horizon: who is followed until then is no loss, and nobody stands in for anybody.
    label, whole = pwu.ipcw([1.0, 5.0, 5.0, 5.0], [1, 0, 0, 0], horizon=5.0)
    assert label.tolist() == [1, 0, 0, 0] and whole.tolist() == [1.0] * 4
    for bad, words in ((([-1.0], [1]), "not be negative"), (([1.0], [2]), "0 or 1"), (([1.0, 2.0], [1]), "length"),
                       (([1.0], [0]), "no case has an event")):
        with pytest.raises(ValueError, match=words):
            pwu.ipcw(*bad, horizon=2.0)
