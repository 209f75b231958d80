"""Mass and partial mean of every prior against independent quadrature, and what makes a prior bad."""

import copy
import dataclasses
import pickle
import threading
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
import scipy.stats

import pwu_lite as pwu
from pwu_lite import forecasts
from pwu_lite.priors import Frozen, Prior, as_prior

INF = float("inf")
PRIORS = [
    pwu.Beta(2, 10), pwu.Beta(0.5, 0.5), pwu.Beta(1.2, 20.8, scale=0.4), pwu.Beta(3, 9, scale=7),
    pwu.TruncatedBeta(2, 10, 0.05, 0.4), pwu.TruncatedBeta(0.7, 3, 0, 0.5), pwu.Uniform(-1, 3),
    pwu.Pareto(0.3), pwu.LogNormal(-1, 0.7), pwu.Gamma(2.5, 0.3),
    pwu.Mixture([pwu.Beta(2, 10), pwu.Uniform(0, 1)], [0.25, 0.75]),
]
POINTS = {"inner": (0.1, 0.35), "narrow": (0.2, 0.2 + 1e-9), "low tail": (-INF, 0.06),
          "high tail": (0.37, INF), "empty": (0.4, 0.3)}


def exact_integral(prior, lo, hi, power):
    """Integral of theta**power pi(theta) from the density alone, 30 digits."""
    low, high = max(lo, prior.support[0]), min(hi, prior.support[1])
    if high <= low:
        return 0.0
    inner = [p for p in (0.05, 0.4, 1.0) if low < p < high]
    density = exact_density(prior)
    with mpmath.workdps(30):
        return mpmath.quad(lambda x: x**power * density(x), [low, *inner, high])


def exact_density(prior):
    """The density written out again in mpmath."""
    m = mpmath
    if isinstance(prior, pwu.Mixture):
        parts = [(w, exact_density(p), p.support) for w, p in zip(prior.weights, prior.priors, strict=True)]
        return lambda x: sum(w * d(x) for w, d, (a, b) in parts if a <= x <= b)
    if isinstance(prior, pwu.Beta):
        a, b, s = m.mpf(prior.a), m.mpf(prior.b), m.mpf(prior.scale)
        return lambda x: (x / s) ** (a - 1) * (1 - x / s) ** (b - 1) / m.beta(a, b) / s
    if isinstance(prior, pwu.TruncatedBeta):
        a, b = m.mpf(prior.a), m.mpf(prior.b)
        norm = m.betainc(a, b, prior.low, prior.high)
        return lambda x: x ** (a - 1) * (1 - x) ** (b - 1) / norm
    if isinstance(prior, pwu.Uniform):
        return lambda x: 1 / m.mpf(prior.high - prior.low)
    if isinstance(prior, pwu.Pareto):
        return lambda x: m.mpf(prior.minimum) / x**2
    if isinstance(prior, pwu.LogNormal):
        return lambda x: m.npdf(m.log(x), prior.mu, prior.sigma) / x if x > 0 else 0
    if isinstance(prior, pwu.Gamma):
        k, s = m.mpf(prior.shape), m.mpf(prior.scale)
        return lambda x: x ** (k - 1) * m.exp(-x / s) / (m.gamma(k) * s**k)
    raise NotImplementedError(f"write the density of {type(prior).__name__} here, in mpmath")


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
@pytest.mark.parametrize("where", POINTS)
def test_mass_and_partial_mean(prior, where):
    lo, hi = POINTS[where]
    tolerance = 1e-6 if where == "narrow" else 2e-12
    assert prior.mass(lo, hi) == pytest.approx(float(exact_integral(prior, lo, hi, 0)), rel=tolerance)
    if hi == INF and isinstance(prior, pwu.Pareto):
        assert prior.partial_mean(lo, hi) == INF
    else:
        mean = float(exact_integral(prior, lo, hi, 1))
        assert prior.partial_mean(lo, hi) == pytest.approx(mean, rel=tolerance)


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_density_and_quantiles_belong_to_the_mass(prior):
    density, levels = exact_density(prior), np.array([0.0, 0.01, 0.3, 0.99])
    assert prior.pdf([0.31, 0.35, 0.39]) == pytest.approx([float(density(x)) for x in (0.31, 0.35, 0.39)], rel=1e-12)
    places = prior.ppf(levels)
    assert prior.mass(-INF, places[1:]) == pytest.approx(levels[1:], rel=1e-10)
    assert prior.mass(places[:-1], places[1:]) == pytest.approx(np.diff(levels), rel=1e-10)


@pytest.mark.parametrize("prior", PRIORS + [pwu.Dirac(0.3)], ids=repr)
def test_draws_follow_the_prior_and_the_seed(prior):
    draws = prior.rvs(4000, random_state=7)
    np.testing.assert_array_equal(draws, prior.rvs(4000, random_state=7))
    middle = prior.ppf(0.5)
    assert np.mean(draws <= middle) == pytest.approx(prior.mass(-INF, np.nextafter(middle, INF)), abs=0.04)


def test_dirac_is_closed_on_the_left():
    assert pwu.Dirac(0.2).mass(0.2, 0.3) == 1
    assert pwu.Dirac(0.2).mass(0.1, 0.2) == 0
    assert pwu.Dirac(0.2).partial_mean(0, 1) == 0.2


@pytest.mark.parametrize("frozen, ours", [
    (scipy.stats.beta(2, 10), pwu.Beta(2, 10)),
    (scipy.stats.beta(2, b=10, scale=0.3), pwu.Beta(2, 10, scale=0.3)),
    (scipy.stats.uniform(0.1, 0.4), pwu.Uniform(0.1, 0.5)),
    (scipy.stats.gamma(2, scale=0.3), pwu.Gamma(2, 0.3)),
    (scipy.stats.expon(scale=2), pwu.Gamma(1, 2)),
    (scipy.stats.lognorm(0.5, scale=np.exp(1.5)), pwu.LogNormal(1.5, 0.5)),
    (scipy.stats.pareto(1, scale=0.2), pwu.Pareto(0.2)),
], ids=lambda value: getattr(getattr(value, "dist", None), "name", ""))
def test_scipy_distributions_become_closed_forms(frozen, ours):
    prior = as_prior(frozen)
    assert type(prior) is type(ours)
    t = np.linspace(0.05, 0.6, 7)
    np.testing.assert_allclose(prior.mass(0, t), frozen.cdf(t), rtol=1e-12)
    np.testing.assert_allclose(prior.mass(0, t), ours.mass(0, t), rtol=1e-12)


def test_other_scipy_distributions_are_integrated():
    prior = as_prior(scipy.stats.triang(0.3))
    assert isinstance(prior, Frozen)
    exact = mpmath.quad(lambda x: x * 2 * x / mpmath.mpf("0.3"), [0, 0.2])
    assert prior.partial_mean(0, 0.2) == pytest.approx(float(exact), rel=1e-10)
    assert prior.mean == pytest.approx(13 / 30, rel=1e-7)
    assert abs(prior.mean - 13 / 30) <= prior.numerical_error < 1e-7  # there is a kink at 0.3


@pytest.mark.parametrize("make", [
    lambda: pwu.Beta(0, 1), lambda: pwu.Beta(1, -2), lambda: pwu.Beta(1, 2, scale=0),
    lambda: pwu.Beta(np.nan, 1), lambda: pwu.Beta("two", 1), lambda: pwu.TruncatedBeta(1, 1, 0.5, 0.4),
    lambda: pwu.TruncatedBeta(1, 1, -0.1, 0.4), lambda: pwu.Uniform(1, 1), lambda: pwu.Uniform(0, INF),
    lambda: pwu.Dirac(np.nan), lambda: pwu.Dirac(INF), lambda: pwu.Pareto(0), lambda: pwu.LogNormal(0, 0),
    lambda: pwu.Gamma(-1, 1), lambda: pwu.Mixture([pwu.Dirac(0.1)], [0.5]), lambda: pwu.Mixture([], []),
    lambda: pwu.Mixture([pwu.Dirac(0.1), pwu.Dirac(0.2)], [2, -1]), lambda: as_prior("beta"),
    lambda: as_prior("0.3"), lambda: as_prior(scipy.stats.beta(-1, 2)), lambda: pwu.Beta(2, 3).ppf(1.5),
    lambda: pwu.Beta(2, 3).mass(np.nan, 1), lambda: pwu.Gamma(2, 1).pdf(np.nan),
    lambda: as_prior(scipy.stats.randint(1, 4)), lambda: pwu.Beta(2, 3).ppf("0.5"),
    lambda: pwu.Mixture(pwu.Beta(2, 3), [1.0]),
])
def test_bad_priors_are_refused(make):
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize("frozen", [scipy.stats.invgamma(1.5), scipy.stats.lomax(1.2),
                                    scipy.stats.weibull_min(0.3), scipy.stats.lognorm(2, loc=0.1)])
def test_heavy_tails_keep_their_mean_and_say_their_error(frozen):
    prior = as_prior(frozen)
    assert prior.mean == pytest.approx(frozen.mean())
    t = frozen.ppf(0.9)
    exact = float(mpmath.quad(lambda x: x * frozen.pdf(float(x)), [frozen.support()[0], t / 10, t / 2, t]))
    assert abs(prior.partial_mean(0, t) - exact) <= prior.numerical_error + 1e-6 * exact


@pytest.mark.parametrize("prior, level, value", [(pwu.TruncatedBeta(2, 60, 0.9, 1), 0.5, 0.90115),
                                                 (pwu.TruncatedBeta(2, 20, 0.85, 1), 0.5, 0.85515)])
def test_truncated_quantiles_in_the_upper_tail(prior, level, value):
    assert prior.ppf(level) == pytest.approx(value, abs=2e-5)
    assert prior.mass(0, prior.ppf(level)) == pytest.approx(level, rel=1e-9)


def test_parameters_become_floats():
    assert pwu.Beta(np.int8(100), np.int8(100)).mean == pytest.approx(0.5)
    assert pwu.Beta(Fraction(1, 2), 1).a == 0.5


def test_distributions_are_told_by_their_class():
    class Odd(type(scipy.stats.beta)):
        def _pdf(self, x, a, b):
            return 2 * x

        def _cdf(self, x, a, b):
            return x**2

        def _stats(self, a, b):
            return 2 / 3, 1 / 18, None, None

    assert as_prior(Odd(name="beta", a=0, b=1)(2, 10)).mean == pytest.approx(2 / 3, rel=1e-6)


@pytest.mark.parametrize("prior", [scipy.stats.arcsine(), scipy.stats.triang(0.3), scipy.stats.weibull_min(1.5)],
                         ids=range(3))
def test_a_numerical_prior_is_one_prior(prior):
    """Its partial means do not depend on what else is asked for, and stay between the ends times the mass."""
    prior, t = as_prior(prior), np.linspace(0.01, 0.99, 33)
    assert prior.tails(t)[2] == pytest.approx([float(prior.tails(np.array(one))[2]) for one in t], rel=1e-13, abs=0)
    mass, mean = prior.mass(t[:-1], t[1:]), prior.partial_mean(t[:-1], t[1:])
    assert (mean >= t[:-1] * mass - 1e-9).all() and (mean <= t[1:] * mass + 1e-9).all()
    assert (prior.complement_above(np.array([0.5, 1.0])) >= 0).all()


def test_quantiles_of_a_mixture_over_any_range():
    mixture = pwu.Mixture([pwu.LogNormal(0, 1), pwu.LogNormal(100, 1)], [0.5, 0.5])
    assert mixture.ppf(0.1) == pytest.approx(pwu.LogNormal(0, 1).ppf(0.2), rel=1e-12)
    assert mixture.ppf(0.9) == pytest.approx(pwu.LogNormal(100, 1).ppf(0.8), rel=1e-12)
    below = pwu.Mixture([pwu.Uniform(-2, -1), pwu.Uniform(3, 4)], [0.5, 0.5])
    assert below.ppf([0.25, 0.5, 0.75]) == pytest.approx([-1.5, -1, 3.5])


def test_nan_is_nan():
    mixture = pwu.Mixture([pwu.Beta(2, 3), pwu.Dirac(0.1)], [0.5, 0.5])
    for prior in (pwu.Beta(2, 3), pwu.Dirac(0.2), pwu.Gamma(2, 1), mixture):
        for _ in range(3):
            assert np.isnan(prior.tails(np.array([0.3, np.nan]))).tolist() == [[False, True]] * 4
            assert np.isnan(prior.complement_above(np.array(np.nan)))


@pytest.mark.parametrize("make, words", [
    (lambda: pwu.Beta(1e308, 1e308), "a must lie"), (lambda: pwu.Gamma(2, 1e200), "scale must lie"),
    (lambda: pwu.Beta(2, 3, scale=1e308), "scale"), (lambda: pwu.LogNormal(0, 1e200), "sigma"),
    (lambda: pwu.Uniform(-1e300, 1), "low"), (lambda: pwu.TruncatedBeta(2, 3, 0.5, 0.5 + 1e-13), "narrow"),
    (lambda: as_prior(scipy.stats.beta([2], 10)), "single numbers"), (lambda: pwu.Beta(2, 3).rvs(1.5), "size"),
    (lambda: pwu.Beta(2, 3).rvs(2, "x"), "random_state")], ids=range(9))
def test_what_would_overflow_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("prior, value", [
    (pwu.LogNormal(-300, 40), 9.970e-133), (pwu.Pareto(1e-120), 7.138e-118)])
def test_extreme_variances(prior, value):
    std = 1e-65 if isinstance(prior, pwu.LogNormal) else 1e95
    assert pwu.PWU(pwu.SelectivePrediction(), prior)([0], [0], [std]) == pytest.approx(value, rel=1e-3)


def test_equal_scores_are_equal():
    family = pwu.SelectivePrediction()
    for one, two in ((scipy.stats.gengamma(2, 1), scipy.stats.gengamma(a=2, c=1)), (pwu.Gamma(2, 1), pwu.Gamma(2, 1))):
        score = pwu.PWU(family, one)
        assert score == pwu.PWU(family, two) and hash(score) == hash(pwu.PWU(family, two))
        assert pickle.loads(pickle.dumps(score)) == score
        assert score.__name__.isidentifier() and "gamma" in score.__name__.lower()
    assert pwu.PWU(family, scipy.stats.gengamma(2, 1)) != pwu.PWU(family, scipy.stats.gengamma(2, 2))
    assert pwu.PWU(family, pwu.Gamma(2, 1)) != pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 1))


def test_a_numerical_error_that_matters_is_announced():
    class Rough(as_prior(scipy.stats.weibull_min(1.5)).__class__):

        def __init__(self, frozen):
            super().__init__(frozen)
            self.numerical_error = 0.01

    score = pwu.PWU(pwu.SelectivePrediction(), Rough(scipy.stats.weibull_min(1.5)))
    with pytest.warns(UserWarning, match="may be off by 0.01"):
        score([0.0], [1.0], [1.0])
    assert score([0.0], [1.0], [1.0], return_error=True)[1] == 0.01


def test_the_density_of_a_uniform_holds_at_its_ends():
    assert pwu.Uniform(1, 3).pdf([0.999, 1, 3, 3.001]).tolist() == [0, 0.5, 0.5, 0]


class Power(Prior):
    """A prior of one's own, k theta ** (k - 1) on (0, 1): it can be changed, and says nothing of equality."""

    support = (0.0, 1.0)

    def __init__(self, k):
        self.k = k

    @property
    def exponent(self):
        return float(np.sum(self.k))

    def tails(self, t):
        t, share = np.clip(np.asarray(t, dtype=float), 0, 1), self.exponent / (self.exponent + 1)
        below, mean = t**self.exponent, share * t ** (self.exponent + 1)
        return below, 1 - below, mean, share - mean

    def pdf(self, x):
        return self.exponent * np.asarray(x) ** (self.exponent - 1)

    def ppf(self, q):
        return np.asarray(q) ** (1 / self.exponent)


class Equal(Power):
    def __eq__(self, other):
        return type(other) is type(self) and self.k == other.k

    def __hash__(self):
        return hash(self.k)


class EqualOnly(Power):
    def __eq__(self, other):
        return type(other) is type(self) and self.k == other.k


@dataclasses.dataclass(frozen=True)
class FrozenPower(Power):
    k: object


def scored(prior, n):
    """The binary score at many thresholds, and what the prior's own tails give."""
    rng = np.random.default_rng(0)
    f, y = rng.random(n), rng.integers(0, 2, n).astype(bool)
    _, above, mean_below, mean_above = prior.tails(f)
    return pwu.PWU(pwu.BinaryDecision(), prior)(y, f), np.where(y, above - mean_above, mean_below).mean()


OWN = {"plain": lambda k: Power(k), "holds a list": lambda k: Power([k]), "equal by value": lambda k: Equal(k),
       "equal by value, with a list": lambda k: Equal([k]), "equal, not hashable": lambda k: EqualOnly(k),
       "frozen": lambda k: FrozenPower(k), "frozen, with a list": lambda k: FrozenPower([k]),
       "frozen, with an array": lambda k: FrozenPower(np.array([k]))}


@pytest.mark.parametrize("n", [20_000, 29_999, 30_000, 160_000])
@pytest.mark.parametrize("make", OWN.values(), ids=OWN)
def test_a_prior_of_ones_own_is_the_same_at_any_size(make, n):
    prior = make(2.0)
    found, right = scored(prior, n)
    assert found == pytest.approx(right, rel=1e-12)
    if not isinstance(prior, FrozenPower):
        prior.k = [5.0] if isinstance(prior.k, list) else 5.0
        found, right = scored(prior, n)
        assert found == pytest.approx(right, rel=1e-12)
    score = pwu.PWU(pwu.BinaryDecision(), prior)
    assert score == score


class Sloped(scipy.stats.rv_continuous):
    """A continuous distribution of one's own, which holds what cannot be pickled."""

    def _pdf(self, x):
        return 2 * x

    def _cdf(self, x):
        return x**2

    def _ppf(self, q):
        return np.sqrt(q)


@pytest.mark.parametrize("n", [20_000, 160_000])
@pytest.mark.parametrize("extra", [None, lambda: None, threading.Lock(), [1, 2]], ids=["plain", "function", "lock",
                                                                                       "list"])
def test_a_scipy_distribution_of_ones_own_is_the_same_at_any_size(extra, n):
    kind = Sloped(a=0, b=1, name="sloped")
    kind.extra = extra
    frozen = kind()
    score = pwu.PWU(pwu.BinaryDecision(), frozen)
    f = np.random.default_rng(0).random(n)
    y = np.arange(n) % 2 == 1
    right = np.where(y, 1 - f**2 - 2 / 3 * (1 - f**3), 2 / 3 * f**3).mean()
    assert score(y, f) == pytest.approx(right, rel=1e-9) and score == score
    hash(score)


@pytest.mark.slow
@pytest.mark.parametrize("prior, off", [
    *((prior, 1e-12) for prior in (pwu.Beta(2, 10), pwu.Beta(0.5, 900), pwu.Beta(600, 300), pwu.Gamma(900, 1e-3))),
    *((prior, 1e-8) for prior in (pwu.Beta(3e4, 2e4), pwu.Beta(3e5, 2e5), pwu.Beta(3e6, 1e6), pwu.Beta(1e7, 1e6),
                                  pwu.Gamma(1e5, 1e-5), pwu.TruncatedBeta(1e4, 1e4, 0.49, 0.52),
                                  pwu.Beta(2627893.4277365953, 202974.86044162273)))], ids=str)
def test_a_table_keeps_what_tail_promises(prior, off):
    low, high = prior.ppf([1e-8, 1 - 1e-8])
    t = np.random.default_rng(0).uniform(low, high, 60_000)
    for name in ("below", "above", "mean_below", "mean_above"):
        exact = np.asarray(prior.exact_tail(name, t))
        known = exact > 1e-280
        assert np.max(np.abs(prior.tail(name, t)[known] / exact[known] - 1)) < off


def test_a_gamma_with_a_shape_at_which_scipy_loses_digits_is_refused():
    assert pwu.Gamma(1e5, 1e-5).mean == pytest.approx(1.0)
    for make in (lambda: pwu.Gamma(1.01e5, 1), lambda: as_prior(scipy.stats.gamma(1e6))):
        with pytest.raises(ValueError, match="at most 100,000"):
            make()


def test_each_prior_stands_in_every_list_that_it_must():
    """Tested here, shifted by `reports.shifted`, and with a formula for `symbolic`, or named as one that is not."""
    from pwu_book import reports
    from pwu_lite.symbolic import induced

    kinds = {kind for name in pwu.priors.__all__ if isinstance(kind := getattr(pwu.priors, name), type)
             and issubclass(kind, Prior)} - {Prior}
    assert kinds == {type(prior) for prior in PRIORS} | {pwu.Dirac}  # a point has no density to integrate
    assert kinds == {kind for kind, _ in reports._SCALED} | {pwu.Beta, pwu.TruncatedBeta, pwu.Mixture}
    assert kinds == set(induced._DENSITIES) | {pwu.Dirac, pwu.Mixture}


def test_histograms_of_scipy_are_different_priors():
    """Their class is scipy's, but what they hold is theirs: equal only to themselves, so that they share no table."""
    first, second = (scipy.stats.rv_histogram((np.array(heights), np.linspace(0, 1, 5)), density=False)()
                     for heights in ([6, 2, 1, 1], [1, 1, 2, 6]))
    f, y = np.linspace(0.2, 0.6, 40_000), np.zeros(40_000, int)
    scores = [pwu.PWU(pwu.BinaryDecision(), prior) for prior in (first, second)]
    assert scores[0] != scores[1] and scores[0] == scores[0] and copy.deepcopy(scores[0]) != scores[0]
    for score, heights in zip(scores, ([6, 2, 1, 1], [1, 1, 2, 6]), strict=True):
        parts = pwu.Mixture([pwu.Uniform(k / 4, (k + 1) / 4) for k in range(4)], np.array(heights) / 10)
        value, error = score(y, f, return_error=True)
        assert abs(value - pwu.PWU(pwu.BinaryDecision(), parts)(y, f)) <= error


@pytest.mark.parametrize("make", [
    lambda c: pwu.PWU(pwu.BinaryDecision(), pwu.Mixture([pwu.Dirac(c), pwu.Uniform(0, 1)], [0.5, 0.5])),
    lambda c: pwu.PWU(pwu.BinaryDecision(), pwu.Mixture([pwu.Mixture([pwu.Dirac(c)], [1.0]), pwu.Dirac(0.3)],
                                                        [0.5, 0.5])),
    lambda c: pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 3, c))], ids=["mixture", "twice", "scale"])
@pytest.mark.parametrize("named", [("y_true",), ("y_prob",), ("y_true", "y_prob")])
def test_labels_in_another_order_are_refused_wherever_they_stand(make, named):
    places = list("abc")
    y, f, c = ([1, 0, 0], [0.6, 0.3, 0.2], pd.Series([0.7, 0.1, 0.2], places))
    y, f = (pd.Series(each, places) if name in named else each for name, each in (("y_true", y), ("y_prob", f)))
    score = make(c.loc[places[::-1]])
    for use in (score, score.per_sample, lambda y, f: pwu.compare(y, {"m": f}, score)):
        with pytest.raises(ValueError, match="same index labels in different orders"):
            use(y, f)
    make(c)(y, f)


def test_parameters_of_one_prior_are_checked_together():
    a, scale = pd.Series([1.0, 2, 3], list("abc")), pd.Series([1.0, 0.5, 0.2], list("cba"))
    with pytest.raises(ValueError, match="a and scale have the same index labels in different orders"):
        pwu.Beta(a, 2, scale)
    with pytest.raises(ValueError, match="different lengths"):
        pwu.Beta([1.0, 2], 2, [1, 1, 1.0])
    with pytest.raises(ValueError, match="too narrow for exact masses"):
        pwu.TruncatedBeta(2, 10, 0.2, 0.200001)


def test_two_tables_of_costs_with_other_classes_are_two():
    tables = [pd.DataFrame([[0, 9], [1, 0.0]], columns=names) for names in (["ill", "well"], ["well", "ill"])]
    first, second = (pwu.PWU(pwu.CostMatrix(table)) for table in tables)
    assert first != second and first == pwu.PWU(pwu.CostMatrix(tables[0]))


@pytest.mark.parametrize("make", [
    lambda: forecasts.from_samples([[1e-200, 2e-200]]), lambda: forecasts.from_samples([[1e200, 2e200]]),
    lambda: forecasts.from_interval([1e308], [1.7e308], coverage=0.9),
    lambda: forecasts.from_interval([0], [5e-324], coverage=0.9)])
def test_a_spread_outside_of_the_floats_is_refused(make):
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="positive|finite|too large"):
        make()


@pytest.mark.parametrize(("low", "high", "coverage"), [(3.4e-8, 5.3e-8, 0.999), (0.00291197, 0.00291375, 0.95)])
def test_a_beta_beyond_the_shapes_is_an_interval_that_is_too_narrow(low, high, coverage):
    with pytest.raises(ValueError, match="the interval is too narrow or too wide"):
        pwu.elicitation.beta_from_quantiles(low, high, coverage)
