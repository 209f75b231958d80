"""The incomplete beta function agrees with 400-digit arithmetic, in both tails."""

import mpmath
import numpy as np
import pytest

from pwu_lite._tails import beta_tails

SHAPES = [(2, 10), (1.2, 20.8), (0.5, 0.5), (1, 1), (30, 2), (0.01, 10), (200, 1000), (2, 500), (0.0012, 181),
          (139, 0.0024)]


def exact_tails(a, b, x):
    with mpmath.workdps(400):
        x = mpmath.mpf(float(x))
        ends = [(a, 0, x), (a, x, 1), (a + 1, 0, x), (a + 1, x, 1)]
        return [mpmath.betainc(shape, b, lo, hi, regularized=True) for shape, lo, hi in ends]


@pytest.mark.slow
@pytest.mark.parametrize("a, b", SHAPES)
@pytest.mark.parametrize("length", [8, 4000])
def test_small_tail_is_exact(a, b, length):
    rng = np.random.default_rng(3)
    x = np.concatenate([[0.0, 1.0], 10 ** rng.uniform(-9, 0, 3), 1 - 10 ** rng.uniform(-9, 0, 3)])
    values = beta_tails(a, b, np.resize(x, length))
    for index, point in enumerate(x):
        for got, exact in zip(values, exact_tails(a, b, point), strict=True):
            if 1e-290 < exact < 0.9:
                assert abs(got[index] / exact - 1) < 1e-12


@pytest.mark.parametrize("a, b", SHAPES)
def test_tails_sum_to_one(a, b):
    tails = beta_tails(a, b, np.linspace(0, 1, 5001))
    np.testing.assert_allclose(tails.lower + tails.upper, 1, rtol=1e-13)
    np.testing.assert_allclose(tails.next_lower + tails.next_upper, 1, rtol=1e-13)


def test_length_does_not_change_a_value():
    x = np.linspace(0, 1, 20_001)
    for whole, part in zip(beta_tails(2, 10, x), beta_tails(2, 10, x[7000:7010]), strict=True):
        np.testing.assert_array_equal(whole[7000:7010], part)
