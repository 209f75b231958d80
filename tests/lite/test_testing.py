"""`check_family` and `check_prior` hold for all of the package, and catch broken ones."""

import re

import numpy as np
import pytest
import scipy.special
import scipy.stats

import pwu_lite as pwu
from pwu_lite.priors import as_prior
from pwu_lite.testing import check_family, check_prior

from .properness import check_properness


class Unweighted(pwu.BinaryDecision):
    def weight(self, sample_weight, data):
        return None


class Ordered(pwu.BinaryDecision):
    def per_sample(self, prior, y, f):
        return super().per_sample(prior, y, f) * np.linspace(0.9, 1.1, f.size)


class TooDear(pwu.BinaryDecision):
    def per_sample(self, prior, y, f):
        return 1.05 * super().per_sample(prior, y, f)


class UnweightedCurve(pwu.BinaryDecision):
    def utilities(self, thetas, data, weight):
        return super().utilities(thetas, data, None)


class Exchanged(pwu.BinaryDecision):
    def per_sample(self, prior, y, f):
        loss = super().per_sample(prior, y, f)
        return loss[np.r_[2, 1, 0, 3:loss.size]]


class OtherTie(pwu.BinaryDecision):
    def utilities(self, thetas, data, weight):
        return super().utilities(np.nextafter(thetas, 0), data, weight)


class Tripled(pwu.SelectivePrediction):
    def per_sample(self, prior, y, mean, std):
        return 3 * super().per_sample(prior, y, mean, std)


class OneForAll(pwu.BinaryDecision):
    def cost(self, theta, y, f):
        return super().cost(np.mean(theta), y, f)


class Lenient(pwu.BinaryDecision):
    check = staticmethod(lambda y, f: (np.asarray(y) > 0.5, np.nan_to_num(np.asarray(f, dtype=float))))


class InvertedPass(pwu.SelectivePrediction):
    def act(self, theta, mean, std):
        return ~super().act(theta, mean, std)


class InvertedPicks(pwu.TopK):
    def act(self, theta, y_prob):
        return super().act(theta, 1 - np.asarray(y_prob))


class OtherThreshold(pwu.BinaryDecision):
    def act(self, theta, y_prob):
        return np.asarray(y_prob) > theta / 2


class HalfBreakpoints(pwu.SelectivePrediction):
    def breakpoints(self, data):
        return None, data[2]


class FewCounts(pwu.TopK):
    def breakpoints(self, data):
        return np.arange(1, data[0].size), None


class Says(pwu.BinaryDecision):
    def __init__(self, verdict):
        object.__setattr__(self, "verdict", verdict)

    def properness(self, *priors):
        return self.verdict, "so it says"


class Eager(Says, OtherThreshold):
    """Acts at half the cost share: every report is worth twice itself."""

    def read(self, y_true, *prediction):
        y, f = super().read(y_true, *prediction)
        return y, np.minimum(2 * f, 1)


class InvertedInIntegers(pwu.BinaryDecision):
    def act(self, theta, y_prob):
        return (np.asarray(y_prob) <= theta).astype(np.int8)


class LosesDigits(pwu.BinaryDecision):
    """What is added and taken away leaves its rounding behind, which is much where costs are small."""

    def utilities(self, thetas, data, weight):
        return super().utilities(thetas, data, weight) + 1e6 - 1e6


WRONG_WORDS = [  # families that passed once: what they say of themselves does not fit their costs
    (OtherThreshold(), pwu.Beta(2, 2), "binary", "act and cost do not belong together"),
    (InvertedPass(), pwu.LogNormal(-1, 1), "regression", "act and cost do not belong together"),
    (InvertedPicks(), pwu.Beta(2, 4), "binary", "act and cost do not belong together"),
    (InvertedInIntegers(), pwu.Beta(2, 2), "binary", "act and cost do not belong together"),
    (LosesDigits(), pwu.Beta(2, 10**6), "binary", "does not give -U"),
    (HalfBreakpoints(), pwu.LogNormal(-1, 1), "regression", "not linear"),
    (FewCounts(), pwu.Beta(2, 4), "binary", "every value of k"),
    (Says("strictly proper"), pwu.Uniform(0.1, 0.6), "binary", "strictly proper, and .* the same losses"),
    (Says("improper"), pwu.Beta(2, 2), "binary", "no dishonest report"),
    (Eager("proper"), pwu.Beta(2, 2), "binary", "the report .* is expected to cost"),
]


@pytest.mark.parametrize("family, prior, data, words", WRONG_WORDS, ids=lambda one: type(one).__name__)
def test_what_a_family_says_of_itself_is_checked(family, prior, data, words, request):
    with pytest.raises(AssertionError, match=words):
        check_family(family, prior, request.getfixturevalue(data))
        check_properness(family, prior, request.getfixturevalue(data))


LEVELS, NORMAL = (0.1, 0.5, 0.75), as_prior(scipy.stats.norm(0.2, 1))
FAMILIES = [  # a family, its prior or priors, and which data it takes
    (pwu.BinaryDecision(), pwu.Beta(2, 10), "binary"),
    (pwu.BinaryDecision(), pwu.Uniform(0.1, 0.6), "binary"),
    (pwu.SelectivePrediction(), pwu.LogNormal(-1, 1), "regression"),
    (pwu.SelectivePrediction(), pwu.Beta(2, 5, scale=3), "regression"),
    (pwu.TopK(), pwu.Beta(2, 4), "binary"),
    (pwu.Retention(), pwu.Beta(2, 2), "ranking"),
    (pwu.RiskAverseTopK(), (pwu.Beta(2, 4), pwu.Gamma(2, 0.2)), "regression"),
    (pwu.RiskAverseTopK("realized"), (pwu.Uniform(0, 1), pwu.Beta(2, 6)), "regression"),
    (pwu.OneVsRest(pwu.BinaryDecision()), pwu.Beta(2, 4), "classes"),
    (pwu.PerOutput(pwu.SelectivePrediction(), scale=[1.0, 4.0]), pwu.Gamma(2, 0.5), "outputs"),
    (pwu.CostMatrix([[0, 5, 9], [2, 0, 3], [4, 2, 0]], [[0, 0, 0], [0, 1, 0], [1, 1, 1]]), pwu.Gamma(2, 1), "classes"),
    (pwu.CostMatrix([[0, 5, 9], [2, 0, 3]]), (), "classes"),
    (pwu.RejectOption(3), pwu.Beta(2, 5), "classes"),
    (pwu.Answers(), pwu.Beta(8, 2), "answers"),
    (pwu.Newsvendor("members"), pwu.Beta(8, 2), "quantiles"),
    *((pwu.Newsvendor(LEVELS, act), pwu.Beta(8, 2), "quantiles") for act in ("at levels", "nearest level")),
    (pwu.Exceedance("members"), (pwu.Uniform(-1, 2), pwu.Beta(2, 4)), "quantiles"),
    *((pwu.Exceedance(LEVELS, act), (NORMAL, pwu.Beta(2, 4)), "quantiles")
      for act in ("at levels", "nearest level")),
]


@pytest.fixture
def ranking(regression):
    y, mean, std = regression
    return np.abs(y - mean), std


@pytest.fixture
def classes():
    rng = np.random.default_rng(3)
    return rng.integers(0, 3, 40), rng.dirichlet([1, 1, 1], 40)


@pytest.fixture
def answers():
    rng = np.random.default_rng(6)
    return rng.integers(0, 4, 40), rng.integers(0, 4, 40), rng.random(40)


@pytest.fixture
def quantiles():
    rng = np.random.default_rng(5)
    return rng.normal(size=40), np.sort(rng.normal(size=(40, 3)), axis=1)


@pytest.fixture
def outputs():
    rng = np.random.default_rng(4)
    y = rng.normal(size=(30, 2))
    return y, y + 0.5 * rng.normal(size=(30, 2)), np.array([np.diag(v) for v in rng.choice([0.2, 1.0, 3.0], (30, 2))])


@pytest.mark.slow
@pytest.mark.parametrize("family, prior, data", FAMILIES, ids=str)
def test_our_families_pass(family, prior, data, request):
    check_family(family, prior, request.getfixturevalue(data))
    if family.takes == ("y_prob",):
        check_properness(family, prior, request.getfixturevalue(data))


def test_every_family_of_the_package_is_in_the_list():
    listed = {type(family) for family, _, _ in FAMILIES}
    kinds = {kind for kind in vars(pwu.families).values() if isinstance(kind, type) and issubclass(kind, pwu.Family)}
    assert kinds - {pwu.Family, pwu.SeparableFamily, pwu.JointFamily} == listed


@pytest.mark.parametrize("prior", [
    pwu.Beta(2, 10), pwu.Beta(1.2, 20.8, scale=0.4), pwu.TruncatedBeta(2, 10, 0.05, 0.4), pwu.Uniform(-1, 3),
    pwu.Pareto(0.3), pwu.LogNormal(-1, 0.7), pwu.Gamma(2.5, 0.3), scipy.stats.triang(0.3),
    pwu.Mixture([pwu.Beta(2, 10), pwu.Beta(3, 3)], [0.25, 0.75])], ids=lambda prior: type(prior).__name__)
def test_our_priors_pass(prior):
    check_prior(prior)


class Kumaraswamy(pwu.Prior):
    """P(theta < t) = 1 - (1 - t**a)**b, its mean by an incomplete beta integral."""

    support = (0.0, 1.0)

    def tails(self, t):
        t = np.clip(np.asarray(t, dtype=float), 0, 1)
        above, mean = (1 - t**2) ** 3, 3 * scipy.special.beta(1.5, 3)
        mean_above = mean * scipy.special.betaincc(1.5, 3, t**2)
        return 1 - above, above, mean - mean_above, mean_above

    def pdf(self, x):
        return 6 * x * (1 - x**2) ** 2

    def ppf(self, q):
        return np.sqrt(1 - (1 - np.asarray(q)) ** (1 / 3))


class Unclipped(Kumaraswamy):
    def tails(self, t):
        t = np.asarray(t, dtype=float)
        below, mean_below = 3 * t**2 - 3 * t**4 + t**6, 2 * t**3 - 2.4 * t**5 + 6 / 7 * t**7
        return below, 1 - below, mean_below, 16 / 35 - mean_below


class OtherDensity(Kumaraswamy):
    def pdf(self, x):
        return 1.001 * super().pdf(x)


class OtherComplement(Kumaraswamy):
    def complement_above(self, t):
        return 1.1 * super().complement_above(t)


class OtherQuantile(Kumaraswamy):
    def ppf(self, q):
        return super().ppf(q) ** 1.01


class NoNaN(Kumaraswamy):
    def tails(self, t):
        return super().tails(np.nan_to_num(t))


class FirstOfAll(pwu.BinaryDecision):
    """The first case's prior for all cases, where it has a width; prices are each case's own."""

    def per_sample(self, prior, *data):
        first = prior.for_cases(np.zeros(len(data[0]), int)) if prior.length else prior
        return super().per_sample(first, *data)


class Tilted(pwu.Uniform):
    """Errors of both signs, which cancel in the mass and in the partial mean of the whole range."""

    def pdf(self, x):
        u = (2 * (np.asarray(x) - self.low) / (self.high - self.low) - 1) / 0.98  # between the quantiles at .01 and .99
        return super().pdf(x) * (1 + 0.1 * (5 * u**3 - 3 * u))


@pytest.mark.parametrize("low, high", [(-1, 1), (-1e-9, 1e-9), (0, 1e-9), (-1e9, 1e9), (-1 - 1e-12, 1)])
def test_a_mean_near_zero_and_small_units_are_no_alarm_and_hide_nothing(low, high):
    check_prior(pwu.Uniform(low, high))
    check_prior(scipy.stats.norm((low + high) / 2, high - low))
    with pytest.raises(AssertionError, match="between two quantiles"):
        check_prior(Tilted(low, high))


@pytest.mark.parametrize("broken, words", [
    (Unclipped, "outside the support|all mass"), (OtherDensity, "mass between"), (OtherComplement, "complement"),
    (OtherQuantile, "invert"), (NoNaN, "NaN")])
def test_broken_priors_are_caught(broken, words):
    check_prior(Kumaraswamy())
    with pytest.raises(AssertionError, match=words):
        check_prior(broken())


def test_priors_for_each_case_are_refused():
    with pytest.raises(ValueError, match="one prior"):
        check_prior(pwu.Beta([1, 2], 3))


@pytest.mark.parametrize("broken, words", [
    (Unweighted, "weight two"), (UnweightedCurve, "in -U"), (Ordered, "order"), (Exchanged, "order|alone"),
    (OtherTie, "point mass"), (TooDear, "average of -U"), (Lenient, "NaN in argument"),
    (OneForAll, "known parameter for each case"), (FirstOfAll, "a prior for each case")])
def test_broken_families_are_caught(binary, broken, words):
    with pytest.raises(AssertionError, match=words):
        check_family(broken(), pwu.Beta(2, 10), binary)


def test_the_family_of_chapter_11_has_fewer_than_twenty_lines():
    import re
    from pathlib import Path

    page = (Path(__file__).parents[2] / "book" / "pwu" / "building.md").read_text()
    source = re.search(r"^class Newsvendor.*?(?=^```)", page, re.S | re.M).group(0)
    assert len([line for line in source.splitlines() if line.strip()]) < 20


def test_small_units_hide_nothing(regression):
    small = [1e-7 * values for values in regression]
    check_family(pwu.SelectivePrediction(), pwu.Gamma(2, 1e-14), small)
    with pytest.raises(AssertionError, match="average of -U"):
        check_family(Tripled(), pwu.Gamma(2, 1e-14), small)


@pytest.mark.parametrize("prior", [pwu.Beta(0.1, 0.1), pwu.Beta(0.05, 1)])
def test_quantiles_at_the_ends_are_no_false_alarm(binary, prior):
    check_family(pwu.BinaryDecision(), prior, binary)
    check_family(pwu.TopK(), prior, binary)


@pytest.mark.parametrize("family, data, words", [
    (pwu.RiskAverseTopK(), ([0.0], [0.0], [1.0]), "needs 2 prior"), (pwu.BinaryDecision(), (), "empty"),
    (pwu.BinaryDecision(), (np.ma.array([1, 0], mask=[1, 0]), [0.2, 0.3]), "masked")])
def test_refusals(family, data, words):
    with pytest.raises(ValueError, match=words):
        check_family(family, pwu.Beta(2, 2), data)


@pytest.mark.parametrize("prior", [pwu.Beta(0.7, 0.4), pwu.LogNormal(0, 2), pwu.Gamma(0.3, 1), pwu.Beta(0.3, 50),
                                   pwu.Beta(3000, 7000), pwu.TruncatedBeta(0.5, 0.5, 0, 1),
                                   scipy.stats.arcsine(), scipy.stats.lognorm(1.5)],
                         ids=lambda prior: str(as_prior(prior)))
def test_priors_with_steep_ends_pass(prior):
    check_prior(prior)


THETAS = {"float": 0.3, "int": 2, "(int, float)": (2, 0.3), "(float, float)": (0.4, 0.3), "float or None": 0.3}


@pytest.mark.parametrize("family, prior, data", [one for one in FAMILIES if hasattr(one[0], "act")], ids=str)
def test_act_takes_the_theta_that_its_docstring_names(family, prior, data, request):
    """And nothing of another kind."""
    said = re.search(r"(?m)^ +theta : (.+)$", type(family).act.__doc__)[1]
    _, *prediction = request.getfixturevalue(data)
    takes = len(family.takes) if data == "ranking" else len(prediction)
    one = None if "None" in said and not family.parameters else THETAS[said]
    assert len(family.act(one, *prediction[:takes])) == len(prediction[0])
    for other in THETAS.values():
        if isinstance(other, tuple) != isinstance(one, tuple):
            with pytest.raises(ValueError):
                family.act(other, *prediction[:takes])


def test_words_take_one_number():
    with pytest.raises(ValueError, match="one finite number"):
        pwu.BinaryDecision().words((0.1, 0.2))
