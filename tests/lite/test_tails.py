"""Tails agree with arithmetic of many digits, at any size of the data; without a table the prior is asked."""


import mpmath
import numpy as np
import pytest
import scipy.stats

from pwu_lite import PWU, Beta, BinaryDecision, Dirac, Gamma, LogNormal, Mixture, Prior, TruncatedBeta, Uniform, priors
from pwu_lite._tails import MANY, NAMES, tail_table
from pwu_lite.priors import as_prior

RNG = np.random.default_rng(3)
SHAPES = [(2, 10), (0.5, 0.5), (2, 300), (20, 400), (2.45, 547), (3, 30000), (400, 20), (0.01, 0.01), (1, 1)]


def thresholds(low, high, mean):
    """In the middle, around the mean, near both ends down to the last digits, and at the ends."""
    size, rng = high - low, np.random.default_rng(3)
    t = np.concatenate([low + size * rng.random(8), low + size * 2.0 ** rng.uniform(-60, -1, 8),
                        high - size * 2.0 ** rng.uniform(-50, -1, 6), mean * np.array([0.3, 0.9, 1.1, 2, 5])])
    return np.concatenate([t[(t > low) & (t < high)], [low, high]])


def check(prior, t, exact, names=("mean_below", "complement_above", "below", "above"), limit=1e-12):
    """Few thresholds ask the prior, many ask the table: both within the limit of the exact value."""
    for name in names:
        few, many = prior.tail(name, t), prior.tail(name, np.resize(t, MANY))[:t.size]
        assert tail_table(prior, name) is not None or name in ("below", "above")
        for index, place in enumerate(t):
            value = exact(name, mpmath.mpf(float(place)))
            if value > 1e-280:  # scipy loses digits below
                most = limit if value > 1e-100 else 4 * limit  # scipy's exponents
                assert abs(few[index] / value - 1) < most, (name, place, "few")
                assert abs(many[index] / value - 1) < most, (name, place, "many")


def exact_beta(a, b, low=0, high=1):
    a, b = mpmath.mpf(a), mpmath.mpf(b)

    def part(a, b, start, end):
        try:
            if start > a / (a + b):
                return mpmath.betainc(b, a, 1 - end, 1 - start, regularized=True)
            return mpmath.betainc(a, b, start, end, regularized=True)
        except mpmath.libmp.NoConvergence:  # far out, where the series of 2F1(a + b, 1; b + 1; 1 - x) is short
            x = start if end == 1 else end
            term, total, n = mpmath.mpf(1), mpmath.mpf(0), 0
            while term > total * mpmath.mpf(10) ** -50:
                total, n = total + term, n + 1
                term *= (1 - x) * (a + b + n - 1) / (b + n)
            above = total * (1 - x) ** b * x**a / (b * mpmath.beta(a, b))
            return above if end == 1 else 1 - above

    def exact(name, t):
        with mpmath.workdps(60):
            whole = part(a, b, low, high)
            start, end = (low, t) if name.endswith("below") else (t, high)
            if name == "complement_above":
                return b / (a + b) * part(a, b + 1, start, end) / whole
            return (a / (a + b) * part(a + 1, b, start, end) if "mean" in name else part(a, b, start, end)) / whole

    return exact


@pytest.mark.slow
@pytest.mark.parametrize("a, b", SHAPES)
def test_beta_tails_have_twelve_digits(a, b):
    check(Beta(a, b), thresholds(0, 1, a / (a + b)), exact_beta(a, b))


@pytest.mark.parametrize("a, b, low, high", [(2, 10, 0.05, 0.4), (2.45, 547, 0.001, 0.01), (0.5, 0.5, 0.25, 1)])
def test_truncated_tails_keep_their_digits_at_the_cuts(a, b, low, high):
    """The distance to a cut is what counts: nothing is subtracted."""
    with mpmath.workdps(100):
        ends = mpmath.mpf(low), mpmath.mpf(high)
    check(TruncatedBeta(a, b, low, high), thresholds(low, high, (low + high) / 4), exact_beta(a, b, *ends))


def test_prices_have_twelve_digits_too():
    """Priors on (0, infinity), for selective prediction."""
    def gamma(name, t):
        shape, scale = 2 + (name == "mean_below"), mpmath.mpf(0.3)
        ends = (0, t / scale) if name.endswith("below") else (t / scale, mpmath.inf)
        return mpmath.gammainc(shape, *ends, regularized=True) * (2 * scale if name == "mean_below" else 1)

    def lognormal(name, t):
        if t == 0:
            return mpmath.mpf(name == "above")
        z = mpmath.log(t)
        return mpmath.exp(0.5) * mpmath.ncdf(z - 1) if name == "mean_below" else mpmath.ncdf(-z)

    t = np.concatenate([2.0 ** RNG.uniform(-60, 7, 20), [0.0]])
    check(Gamma(2, 0.3), t, gamma, ("mean_below", "above"))
    both = Mixture([Gamma(2, 0.3), LogNormal(0, 1)], [0.25, 0.75])
    check(both, t, lambda *given: gamma(*given) / 4 + lognormal(*given) * 3 / 4, ("mean_below", "above"), 2e-12)


def test_frozen_distributions_and_jumps():
    """Log-uniform and a triangle from scipy, and a mixture whose density jumps: closed forms beside them."""
    low, high = 0.01, 0.5
    width = mpmath.log(mpmath.mpf(high) / mpmath.mpf(low))
    flat = as_prior(scipy.stats.loguniform(low, high))
    t = thresholds(low, high, 0.1)
    many = flat.tail("mean_below", np.resize(t, MANY))[:t.size]
    for place, value in zip(t, many, strict=True):
        exact = (mpmath.mpf(float(place)) - mpmath.mpf(low)) / width
        assert value == pytest.approx(float(exact), rel=1e-12, abs=1e-17)  # scipy's distribution function rounds there
    mixed = Mixture([Uniform(0.1, 0.3), Beta(2, 10), Uniform(0, 1)], [0.5, 0.25, 0.25])
    t = np.append(RNG.random(MANY), [0.1, 0.3, np.nextafter(0.3, 1)])
    for name in NAMES:
        pieces = sum(w * part.exact_tail(name, t) for w, part in mixed.parts)
        np.testing.assert_allclose(mixed.tail(name, t), pieces, rtol=1e-12)


@pytest.mark.parametrize("other", [Beta(2, 10), as_prior(scipy.stats.triang(0.3))])
@pytest.mark.parametrize("share", [0.5, 1e-6])
def test_a_spike_between_the_nodes_is_not_missed(other, share):
    """It lies in the last part of the numbers between an eighth and a quarter, where no probe looks."""
    size = 4e7
    spike = Mixture([other, Beta(0.2495 * size, 0.7505 * size)], [1 - share, share])
    t = np.concatenate([np.linspace(0.01, 0.9, MANY), np.linspace(0.2494, 0.2501, 500)])
    for name in ("below", "mean_below", "complement_above"):
        np.testing.assert_allclose(spike.tail(name, t), spike.exact_tail(name, t), rtol=1e-11,
                                   atol=4 * spike.numerical_error)


@pytest.mark.parametrize("unit", [2.0**-66, 1.0, 2.0**50])
def test_unit_does_not_matter(unit):
    t = np.linspace(0, 3, MANY)
    for name in ("above", "mean_below"):
        scale = unit if name == "mean_below" else 1
        np.testing.assert_allclose(Beta(2, 10, 3 * unit).tail(name, t * unit), scale * Beta(2, 10, 3).tail(name, t),
                                   rtol=1e-12)


def test_ends_nonsense_and_many_saturated_forecasts():
    t = np.resize([0.0, 1.0, -1.0, 2.0, 5e-324, np.nextafter(1, 0), np.nan, np.inf, -np.inf], MANY)
    for prior in (Beta(2, 10), TruncatedBeta(2, 10, 0.05, 0.4), as_prior(scipy.stats.triang(0.3))):
        for name in NAMES:
            np.testing.assert_array_equal(prior.tail(name, t)[:9], prior.exact_tail(name, t[:9]))


def test_order_and_number_do_not_change_a_value():
    t = RNG.random(3 * MANY)
    values = Beta(20, 400).tail("above", t)
    np.testing.assert_array_equal(Beta(20, 400).tail("above", t[::-1])[::-1], values)
    np.testing.assert_array_equal(Beta(20, 400).tail("above", t[500:500 + MANY]), values[500:500 + MANY])


class Noisy(Uniform):
    """A reader's own prior, whose tails are not smooth: no polynomial agrees with them."""

    tabulated = True

    def tails(self, t):
        return tuple(tail * (1 + 1e-9 * np.sin(1.1e13 * np.asarray(t))) for tail in super().tails(t))


class Changing(Prior):
    """Uniform up to a place that can be moved; equal to every other one."""

    support = (0.0, 1.0)

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return 0

    def pdf(self, x):
        return np.where((np.asarray(x) >= 0) & (np.asarray(x) <= self.high), 1 / self.high, 0.0)

    def tails(self, t):
        t = np.clip(t, 0, self.high)
        below, mean_below = t / self.high, t**2 / 2 / self.high
        return below, 1 - below, mean_below, self.high / 2 - mean_below


class Whole(Prior):
    """A prior on all numbers: there is no end to measure a distance from."""

    support = (-np.inf, np.inf)

    def tails(self, t):
        return tuple(np.full(np.shape(t), value) for value in (0.5, 0.5, 0.0, 0.0))


@pytest.mark.parametrize("prior", [Noisy(0, 1), Whole(), Beta(np.full(MANY, 2.0), 10.0)])
def test_without_a_table_the_prior_is_asked(prior):
    t = RNG.random(MANY)
    np.testing.assert_array_equal(prior.tail("below", t), prior.exact_tail("below", t))


def test_table_is_made_once():
    t, before = RNG.random(MANY), priors._table.cache_info().misses
    for _ in range(3):
        Beta(2.5, 11).tail("above", t)
    assert priors._table.cache_info().misses == before + 1


def test_a_prior_of_ones_own_may_change():
    """Whatever its == and hash say: it has no table, unless it says that it never changes."""
    t, prior = RNG.random(MANY), Changing()
    for prior.high in (1.0, 0.5, 0.75):
        high = prior.high
        np.testing.assert_allclose(prior.tail("below", t), np.minimum(t / high, 1), rtol=1e-12)


def test_score_of_many_cases_is_that_of_few():
    """Continuous parts of a mixture share a table where there are many cases."""
    f = RNG.random(MANY)
    y = RNG.random(MANY) < f
    for prior in (Mixture([Beta(2, 10), Beta(3, 3000), Dirac(0.2)], [0.5, 0.3, 0.2]), TruncatedBeta(2, 10, 0.05, 0.4)):
        score = PWU(BinaryDecision(), prior)
        pieces = [score(y[at:at + 1000], f[at:at + 1000]) for at in range(0, MANY, 1000)]
        assert score(y, f) == pytest.approx(np.mean(pieces), rel=1e-12)


def test_prior_per_case_has_the_same_digits():
    a, b, t = np.array([2.0, 0.5, 2.45, 3, 0.0012]), np.array([10, 0.5, 547, 30000, 181.0]), np.array(
        [0.9, 0.9999999, 0.02, 0.001, 1e-16])
    each = Beta(a, b)
    for name in NAMES:
        for index in range(a.size):
            alone = Beta(a[index], b[index]).exact_tail(name, t[index])
            assert each.exact_tail(name, t)[index] == pytest.approx(float(alone), rel=1e-15)
    for index in range(4):
        exact = exact_beta(a[index], b[index])
        for name in NAMES[:2]:
            assert each.exact_tail(name, t)[index] == pytest.approx(float(exact(name, mpmath.mpf(t[index]))), rel=1e-12)


@pytest.mark.parametrize("prior", [Mixture([Beta(2, 10, 0.2), Dirac(0.5)], [0.5, 0.5]), Beta(2, 10), Uniform(0, 0.5),
                                   Mixture([TruncatedBeta(2, 10, 0.05, 0.4), Dirac(0.4)], [0.9, 0.1])])
def test_beyond_the_upper_end_there_is_nothing_even_of_an_atom_at_it(prior):
    end = prior.support[1]
    t = np.resize([end, np.nextafter(end, 1), end + 0.1, 0.0], MANY)
    for name in NAMES[:4]:
        np.testing.assert_array_equal(prior.tail(name, t)[:4], prior.exact_tail(name, t[:4]))
