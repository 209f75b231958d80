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
