"""The explorer's element: self-contained, valid data, safe names, clear errors."""

import json
import re

import numpy as np
import pytest
import sympy as sp

from pwu_lite import explorer
from pwu_lite.explorer import MetricExplorer

p = sp.Symbol("p")
BRIER, LOG = ((1 - p) ** 2, p**2), (-sp.log(p), -sp.log(1 - p))


def data(element):
    page = element._repr_html_()
    return page, json.loads(re.search(r'application/json">(.*?)</script>', page, re.S).group(1))


def test_curves_are_the_scores():
    _, held = data(MetricExplorer({"Brier": BRIER, "log": LOG}, p, points=99))
    grid, (brier, log) = np.array(held["grid"]), held["rows"]
    assert brier["prior"] == [2.0] * 99
    assert brier["one"] == pytest.approx((1 - grid) ** 2, rel=1e-3)
    assert log["zero"] == pytest.approx(-np.log(1 - grid), rel=1e-3)
    assert log["prior"] == pytest.approx(1 / (grid * (1 - grid)), rel=1e-3)


def test_names_are_text_and_nothing_else():
    names = ["</script><b>", "@DATA@", '"quoted"', 7]
    page, held = data(MetricExplorer({name: BRIER for name in names}, p))
    assert [row["name"] for row in held["rows"]] == [str(name) for name in names]
    assert page.count("<script") == 2 and page.count('"grid"') == 1 and "<b>" not in page


def test_two_explorers_have_different_ids_and_the_same_one_the_same():
    pages = [MetricExplorer(scores, p)._repr_html_() for scores in ({"a": BRIER}, {"b": BRIER}, {"a": BRIER})]
    ids = [set(re.findall(r'id="([^"]+)"', page)) for page in pages]
    assert not ids[0] & ids[1] and pages[0] == pages[2]
    assert "http" not in pages[0]


def test_what_is_infinite_is_left_out():
    """JSON has no infinity; the script draws a gap."""
    assert explorer._short(np.array([1.0, np.inf, np.nan])) == [1.0, None, None]


@pytest.mark.parametrize("scores, options, words", [
    ({}, {}, "at least one"), ({"a": BRIER}, {"points": 2}, "at least 9"), ({"a": BRIER}, {"points": 20.5}, "whole"),
    ({"a": (sp.Symbol("k") * BRIER[0], sp.Symbol("k") * BRIER[1])}, {}, "put numbers"),
    ({"a": (1 - p, p)}, {}, "disagree")])
def test_refusals(scores, options, words):
    with pytest.raises(ValueError, match=words):
        MetricExplorer(scores, p, **options)
