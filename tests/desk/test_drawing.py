"""The drawing of a report: what stands on the paper is what was computed."""

import re

import numpy as np
import pytest

from pwu_desk.drawing import draw
from pwu_desk.picture import picture_of
from pwu_lite import PWU, Beta, BinaryDecision, Dirac, Gamma, Mixture, SelectivePrediction, TopK, Uniform

RNG = np.random.default_rng(4)
N = 400
P = RNG.uniform(0.02, 0.98, N)
Y = (RNG.uniform(size=N) < P).astype(int)
MODELS = {"knows": (P,), "half": ((P + 0.4) / 2,), "a name that is much too long": (1 - P,)}


def paths(drawn, kind):
    """The points of each path of a kind, (2, n)."""
    found = re.findall(rf'<path class="{kind}[^"]*" d="M([^"]*)"', drawn)
    return [np.array([point.split() for point in one.rstrip("Z").split("L")], dtype=float).T for one in found]


def rules(drawn):
    """Heights and values of the first panel's rules."""
    first = drawn.split('class="band')[0].split("minus that of")[0]
    words = re.findall(r'd="M58 ([-\d.]+)H[\d.]+"/><text[^>]*text-anchor="end"[^>]*>([^<]*)</text>', first)
    return np.array(words, dtype=float).T


@pytest.mark.parametrize("width", [360, 760])
@pytest.mark.parametrize("score", [PWU(BinaryDecision(), Beta(2, 10)), PWU(TopK(), Uniform(0.05, 0.5))])
def test_a_curve_stands_at_its_costs_by_the_rules(score, width):
    shown = picture_of(score, Y, MODELS, list(MODELS), {})
    drawn = draw(shown, width)
    heights, values = rules(drawn)
    slope, origin = np.polyfit(heights, values, 1)
    assert np.allclose(slope * heights + origin, values, atol=2e-3 * np.ptp(values))
    for (x, y), costs in zip(paths(drawn, "line"), shown["costs"], strict=False):
        assert np.allclose(slope * y + origin, costs, atol=2e-3 * np.ptp(values)) and (np.diff(x) > 0).all()
    assert len(paths(drawn, "line")) == 6 and len(paths(drawn, "band")) == 2
    assert heights.min() >= 4 and len(values) <= 6 and 0 in values


def test_names_never_overlap_and_stand_where_there_is_room():
    shown = picture_of(PWU(BinaryDecision(), Beta(2, 10)), Y, {f"m{k}": (P,) for k in range(9)},
                       [f"m{k}" for k in range(9)], {})
    wide, narrow = draw(shown, 760), draw(shown, 360)
    places = [float(y) for y in re.findall(r'y="([\d.]+)" text-anchor="start" class="name', wide)]
    assert len(places) == 18 and (np.diff(places[:9]) >= 15 - 1e-9).all() and 'class="name' not in narrow
    assert wide.count("again") == 6
    shown["names"][0] = "a name that is much too long"
    assert "a name that is …" in draw(shown, 760)


def test_marks_of_an_axis_leave_room_for_their_words():
    for prior in (Gamma(2, 0.5), Gamma(2, 5e6), Gamma(30, 1e-7)):
        shown = picture_of(PWU(SelectivePrediction(), prior), P, {"a": (P + 0.1, P), "b": (P, P)}, ["a", "b"], {})
        for width in (360, 760):
            drawn = draw(shown, width)
            marks = [float(x) for x in re.findall(r'd="M([\d.]+) [\d.]+v5"', drawn)]
            assert len(marks) >= 2 and (np.diff(marks) >= 43.9).all()
            assert "nan" not in drawn and "inf" not in drawn


@pytest.mark.parametrize("prior, stem, high", [(Dirac(0.1), 0.1, 1.0),
                                               (Mixture([Dirac(0.3), Beta(2, 10)], [0.25, 0.75]), 0.3, None)])
def test_a_point_mass_is_seen_in_the_hill(prior, stem, high):
    shown = picture_of(PWU(BinaryDecision(), prior), Y, MODELS, list(MODELS), {})
    hill, at = np.array(shown["hill"]), np.abs(np.array(shown["x"]) - stem).argmin()
    assert hill.max() == 1 and hill[at] > hill[at - 1] + 0.15 and hill[at] > hill[at + 1] + 0.15
    assert high is None or (hill[at] == high and hill.sum() == high)
