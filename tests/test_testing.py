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
    def _utilities(self, thetas, data, weight):
        return super()._utilities(1 - thetas, data, weight)


class Lenient(pwu.BinaryDecision):
    _check = staticmethod(lambda y, f: (np.asarray(y) > 0.5, np.nan_to_num(np.asarray(f, dtype=float))))


def families(binary, regression):
    y, f = binary
    error = np.abs(regression[0] - regression[1])
    return [(pwu.BinaryDecision(), pwu.Beta(2, 10), (y, f)), (pwu.BinaryDecision(), pwu.Uniform(0.1, 0.6), (y, f)),
            (pwu.SelectivePrediction(), pwu.LogNormal(-1, 1), regression),
            (pwu.SelectivePrediction(), pwu.Beta(2, 5, scale=3), regression),
            (pwu.TopK(), pwu.Beta(2, 4), (y, f)), (pwu.Retention(), pwu.Beta(2, 2), (error, regression[2]))]


@pytest.mark.parametrize("which", range(6))
def test_our_families_pass(binary, regression, which):
    check_family(*families(binary, regression)[which])


@pytest.mark.parametrize("broken, words", [
    (Unweighted, "weight two"), (Ordered, "order"), (TooDear, "average of -U"), (Swapped, "average of -U"),
    (Lenient, "NaN in argument")])
def test_broken_families_are_caught(binary, broken, words):
    with pytest.raises(AssertionError, match=words):
        check_family(broken(), pwu.Beta(2, 10), binary)


def test_the_family_of_chapter_11_has_fewer_than_twenty_lines():
    import re
    from pathlib import Path

    page = (Path(__file__).parents[1] / "book" / "pwu" / "building.md").read_text()
    source = re.search(r"^class Newsvendor.*?(?=^```)", page, re.S | re.M).group(0)
    assert len([line for line in source.splitlines() if line.strip()]) < 20
