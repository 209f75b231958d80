"""The cutoff calibration error: by its definition, as a bound that adversaries cannot break, and its noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwu_lite.metrics import cutoff_calibration_error


def by_intervals(y, f, weight):
    """By its definition: all intervals of forecasts."""
    values = np.unique(f)
    return max(abs((weight * (y - f))[(f >= low) & (f <= high)].sum()) / weight.sum()
               for low in values for high in values)


@given(st.integers(1, 25), st.integers(0, 10_000), st.booleans())
def test_cutoff_calibration_error_is_the_largest_gap_of_all_intervals(n, seed, rounded):
    rng = np.random.default_rng(seed)
    f = np.round(rng.random(n), 1) if rounded else rng.random(n)
    y, weight = rng.integers(0, 2, n), rng.integers(0, 3, n) + (np.arange(n) == 0)
    found = cutoff_calibration_error(y, f, sample_weight=weight)
    assert found == pytest.approx(by_intervals(y, f, weight), abs=1e-12)
    order = rng.permutation(n)
    assert cutoff_calibration_error(y[order], f[order], sample_weight=weight[order]) == pytest.approx(found, abs=1e-12)
    whole = np.repeat(np.arange(n), weight)
    assert cutoff_calibration_error(y[whole], f[whole]) == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_no_other_threshold_saves_more_than_the_cutoff_calibration_error(seed):
    """Adversaries: saturated, tied, float32 and badly calibrated forecasts, cost shares at the forecasts."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    f = [rng.random(n), np.round(rng.random(n), 1), rng.integers(0, 2, n).astype(float),
         rng.beta(0.2, 0.2, n).astype(np.float32).astype(float)][seed % 4]
    y = (rng.random(n) < rng.permutation([rng.random(n), f, 1 - f])[0]).astype(int)
    bound = cutoff_calibration_error(y, f)
    edges = np.unique(np.concatenate([f, np.nextafter(f, 0), [-0.1], rng.random(20)]))
    shares = np.unique(np.clip(edges, 1e-9, 1 - 1e-9))
    missed, alarms = ([(acts @ part) / n for t in (edges, shares) for acts in [(f <= t[:, None]) == before]]
                      for before, part in ((True, y), (False, 1 - y)))
    cost = np.outer(1 - shares, missed[0]) + np.outer(shares, alarms[0])  # of each cost share at each threshold
    own = (1 - shares) * missed[1] + shares * alarms[1]
    assert (own - cost.min(axis=1) <= bound + 1e-12).all()


def test_some_threshold_saves_all_of_it_where_forecasts_move_to_their_end():
    """The bound is reached: told 0.3 to all, of whom half have the event; at c = 0.3 a lower threshold saves 0.2."""
    y, f = np.repeat([0, 1], 50), np.full(100, 0.3)
    saved = np.mean(0.7 * y) - np.mean(0.3 * (1 - y))
    assert cutoff_calibration_error(y, f) == pytest.approx(saved) == pytest.approx(0.2)


def test_chance_alone_makes_a_cutoff_calibration_error_of_the_stated_size():
    """The mean range of a Brownian motion is sqrt(8 / pi)."""
    rng = np.random.default_rng(0)
    f = rng.random(4000)
    found = [cutoff_calibration_error(rng.random(4000) < f, f) for _ in range(300)]
    assert np.mean(found) == pytest.approx(np.sqrt(8 / np.pi * np.mean(f * (1 - f)) / 4000), rel=0.08)
