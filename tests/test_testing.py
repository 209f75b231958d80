"""`check_family` holds every family of the package, and catches broken ones."""

import numpy as np
import pytest

import pwu_lite as pwu
from pwu_lite.testing import check_family


class Unweighted(pwu.BinaryDecision):
    def weight(self, sample_weight, data):
        return None


class Ordered(pwu.BinaryDecision):
    def per_sample(self, prior, y, f):
        return super().per_sample(prior, y, f) * np.linspace(0.9, 1.1, f.size)


class TooDear(pwu.BinaryDecision):
    def per_sample(self, prior, y, f):
        return 1.05 * super().per_sample(prior, y, f)


class Swapped(pwu.BinaryDecision):
    def utilities(self, thetas, data, weight):
        return super().utilities(1 - thetas, data, weight)


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


def families(binary, regression):
    y, f = binary
    error = np.abs(regression[0] - regression[1])
    return [(pwu.BinaryDecision(), pwu.Beta(2, 10), (y, f)), (pwu.BinaryDecision(), pwu.Uniform(0.1, 0.6), (y, f)),
            (pwu.SelectivePrediction(), pwu.LogNormal(-1, 1), regression),
            (pwu.SelectivePrediction(), pwu.Beta(2, 5, scale=3), regression),
            (pwu.TopK(), pwu.Beta(2, 4), (y, f)), (pwu.Retention(), pwu.Beta(2, 2), (error, regression[2])),
            (pwu.RiskAverseTopK(), (pwu.Beta(2, 4), pwu.Gamma(2, 0.2)), regression),
            (pwu.RiskAverseTopK("realized"), (pwu.Uniform(0, 1), pwu.Beta(2, 6)), regression),
            (pwu.OneVsRest(pwu.BinaryDecision()), pwu.Beta(2, 4), classes()),
            (pwu.PerOutput(pwu.SelectivePrediction(), scale=[1.0, 4.0]), pwu.Gamma(2, 0.5), outputs())]


def classes():
    rng = np.random.default_rng(3)
    return rng.integers(0, 3, 40), rng.dirichlet([1, 1, 1], 40)


def outputs():
    rng = np.random.default_rng(4)
    y = rng.normal(size=(30, 2))
    return y, y + 0.5 * rng.normal(size=(30, 2)), np.array([np.diag(v) for v in rng.choice([0.2, 1.0, 3.0], (30, 2))])


@pytest.mark.parametrize("which", range(10))
def test_our_families_pass(binary, regression, which):
    check_family(*families(binary, regression)[which])


@pytest.mark.parametrize("broken, words", [
    (Unweighted, "weight two"), (UnweightedCurve, "in -U"), (Ordered, "order"), (Exchanged, "order|alone"),
    (OtherTie, "point mass"), (TooDear, "average of -U"), (Swapped, "average of -U"),
    (Lenient, "NaN in argument"), (OneForAll, "known parameter for each case")])
def test_broken_families_are_caught(binary, broken, words):
    with pytest.raises(AssertionError, match=words):
        check_family(broken(), pwu.Beta(2, 10), binary)


def test_the_family_of_chapter_11_has_fewer_than_twenty_lines():
    import re
    from pathlib import Path

    page = (Path(__file__).parents[1] / "book" / "pwu" / "building.md").read_text()
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
