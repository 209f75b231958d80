"""A checker of 150 lines that knows nothing of the book accepts its proofs, and refuses broken ones."""

import ast
import copy
import itertools
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import pwu_lite as pwu
from pwu_book import certificates
from pwu_book.imprecise import CredalSet, best_score
from pwu_desk.robust import AnyPrior, Quantiles, interval, preference
from tools.checks import certificate

FILE = Path(certificate.__file__)
LOSS = [[0, "9/10"], ["1/10", 0], ["1/20", "1/5"]]
RNG = np.random.default_rng(5)


def test_the_checker_is_small_and_alone():
    text = FILE.read_text()
    names = {name.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert names == {"itertools", "json", "sys", "fractions"} and len(text.splitlines()) <= 150


@pytest.fixture(scope="module")
def record():
    return [one for one in certificates.record() if one["kind"] == "refutation"]


def test_the_stored_file_is_what_the_package_proves_now():
    stored = json.loads((FILE.parents[2] / "book" / "record" / "certificates.json").read_text())
    assert stored == certificates.record(), "python -m pwu_book.certificates book/record/certificates.json"
    assert not any(map(certificate.accept, stored))


def run(path):
    return subprocess.run([sys.executable, "-I", str(FILE)], input=path.read_text(), capture_output=True, text=True)


def test_every_refutation_of_the_book_is_accepted(record, tmp_path):
    assert [certificate.accept(one) for one in record] == [""] * len(record) and len(record) == 10
    (tmp_path / "all.json").write_text(json.dumps(record))
    done = run(tmp_path / "all.json")
    assert done.returncode == 0 and done.stdout.count("accepted") == len(record)
    record = copy.deepcopy(record)
    record[3]["weights"] = ["-1"]
    (tmp_path / "all.json").write_text(json.dumps(record))
    done = run(tmp_path / "all.json")
    assert done.returncode == 1 and "4: weights and variances must be positive" in done.stdout


def swapped(one):
    for pair in one["comparisons"]:
        pair["better"], pair["worse"] = pair["worse"], pair["better"]


BREAKS = [swapped, lambda one: one.update(weights=["0"] * len(one["weights"])),
          lambda one: one.update(comparisons=[]),
          lambda one: one.update(comparisons=[], weights=[]), lambda one: one.update(metric="log_loss"),
          lambda one: one.update(kind="proof"), lambda one: one.pop("family"),
          lambda one: one["comparisons"][0]["y"].append("1"),
          lambda one: one["comparisons"][0].update(better=one["comparisons"][0]["worse"]),
          lambda one: one["comparisons"][0]["better"][-1].__setitem__(0, 0.5),
          lambda one: one["comparisons"][0]["worse"][-1].__setitem__(0, "-1/3"),
          lambda one: one["comparisons"][0].update(y=["0"] * len(one["comparisons"][0]["y"]),
                                                   worse=one["comparisons"][0]["better"])]


@pytest.mark.parametrize("how", range(len(BREAKS)))
def test_a_hundred_broken_refutations_are_refused(record, how):
    for one in copy.deepcopy(record):
        BREAKS[how](one)
        assert certificate.accept(one), (how, one["metric"])


def exact_cost(y, f, c):
    return sum(c if not label and x > c else 1 - c if label and x <= c else Fraction(0)
               for label, x in zip(y, f, strict=True))


def everywhere(y, *forecasts):
    """Places that see each piece of the costs at its ends, as near as anybody likes, and in its middle."""
    cuts = sorted({Fraction(0), Fraction(1), *itertools.chain(*forecasts)})
    tiny = Fraction(1, 10**12)
    return sorted({min(max(at, tiny), 1 - tiny) for cut in cuts for at in (cut - tiny, cut, cut + tiny)} |
                  {(a + b) / 2 for a, b in itertools.pairwise(cuts)})


def test_what_is_changed_at_random_is_judged_as_by_hand(record):
    """A label or a forecast is changed: the checker accepts if and only if sums over single cases say so."""
    draw, count = random.Random(3), {True: 0, False: 0}
    binary = [one for one in record if one["family"] == "binary" and one["metric"] != "retention_auc"]
    for turn in range(400):
        one = copy.deepcopy(binary[turn % len(binary)])
        pair, = one["comparisons"]
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(len(pair["y"]))
            if draw.random() < 0.3:
                pair["y"][place] = str(1 - int(pair["y"][place]))
            else:
                draw.choice([pair["better"], pair["worse"]])[0][place] = f"{draw.randint(0, 20)}/20"
        y = [int(label) for label in pair["y"]]
        better, worse = ([Fraction(x) for x in pair[side][0]] for side in ("better", "worse"))
        metric = certificates.mean_absolute_error if one["metric"] == "mean_absolute_error" else (
            pwu.metrics.REGISTRY["binary", one["metric"]])
        sign = 1 if getattr(metric, "lower_is_better", True) else -1
        low, high = (sign * metric(np.array(y), np.array(f, float)) for f in (better, worse))
        if abs(low - high) < 1e-12:  # equal, but for rounding: no order
            low = high
        margin = min(exact_cost(y, better, c) - exact_cost(y, worse, c) for c in everywhere(y, better, worse))
        holds = low < high and margin >= 0
        count[holds] += 1
        assert (certificate.accept(one) == "") == holds, (one, low, high, margin)
    assert count[True] >= 10 and count[False] >= 100, count


def cases(n=12):
    y = RNG.integers(0, 2, n)
    y[:2] = 0, 1
    return y, [RNG.integers(0, 21, n) / 20 for _ in range(2)]


def test_dominance_is_that_of_the_package():
    verdicts = set()
    for _ in range(120):
        y, (a, b) = cases(6)
        low, high = sorted(RNG.choice(np.arange(1, 20), 2, replace=False) / 20)
        said = preference(pwu.BinaryDecision(), AnyPrior(low, high), y, a, b).verdict
        one = certificates.of_dominance(y, a, b, low, high)
        turned = certificates.of_dominance(y, b, a, low, high)
        assert (certificate.accept(one) == "") == (said == "first"), (one, said)
        assert (certificate.accept(turned) == "") == (said == "second")
        verdicts.add(said)
    assert verdicts == {"first", "second", "undecided"}
    at = {"kind": "dominance", "y": ["0"], "first": ["0"], "second": ["1"], "low": "9/10", "high": "9/10"}
    assert certificate.accept(at) == "" and certificate.accept(at | {"first": ["1"], "second": ["0"]})
    assert certificate.accept(at | {"low": "1", "high": "1/2"})


def test_bounds_are_those_of_the_package_and_nothing_less():
    for _ in range(60):
        y, (f, _) = cases(8)
        quantiles = dict(zip([0.125, 0.35, 0.7], np.sort(RNG.integers(1, 10, 3) / 10), strict=True))
        upper = interval(pwu.BinaryDecision(), Quantiles(quantiles), y, f).upper
        claimed = Fraction(upper).limit_denominator(10**6)
        one = certificates.of_bound(y, f, quantiles, claimed)
        assert certificate.accept(one) == "", (one, certificate.accept(one))
        for other in (claimed - Fraction(1, 10**9), claimed + Fraction(1, 10**9)):
            assert "the least upper bound is" in certificate.accept(certificates.of_bound(y, f, quantiles, other))
    assert "places must rise" in certificate.accept(one | {"levels": ["1/2", "1/4", "1"]})


def test_best_scores_are_those_of_the_package():
    for low, high in ((1, 3), (2, 4), (5, 15), (8, 19)):
        low, high = Fraction(low, 20), Fraction(high, 20)
        vertices = [[1 - p, p] for p in (low, high)]
        table = [[Fraction(value) for value in row] for row in LOSS[:2]]
        value = best_score(CredalSet(vertices), table)
        reached = [max(sum(p * x for p, x in zip(row, act, strict=True)) for row in vertices) for act in table]
        one = certificates.of_best_score(vertices, table, ["seen", "seen"], [reached.index(min(reached))],
                                         Fraction(value))
        assert certificate.accept(one) == ""
        assert certificate.accept(one | {"acts": [1 - one["acts"][0]]})
        assert certificate.accept(one | {"value": str(Fraction(value) - Fraction(1, 10**6))})
        assert certificate.accept(one | {"vertices": [["1/2", "1/3"]]})
    four = [["1/4"] * 4, ["1/10", "2/10", "3/10", "4/10"]]
    loss = [[0, 0, 1, 1], [1, 1, 0, 0]]
    exact = best_score(CredalSet([[Fraction(x) for x in row] for row in four]), loss, ["a", "b", "a", "b"])
    found = [acts for acts in itertools.product((0, 1), repeat=2) if not certificate.accept(
        certificates.of_best_score(four, loss, ["a", "b", "a", "b"], acts, exact))]
    assert found


@pytest.mark.parametrize("false", [
    # A metric of means and variances, where the decision is about one probability.
    {"kind": "refutation", "family": "binary", "metric": "error_detection_auroc of means", "weights": ["1"],
     "comparisons": [{"y": ["0", "0"], "better": [["0", "1/4"], ["1/2", "1"]], "worse": [["0", "1"], ["1", "1/2"]]}]},
    # Cells and acts that JSON tells apart and Python does not.
    {"kind": "best score", "vertices": [["1/2", "1/2"]], "loss": [["0", "1"], ["1", "0"]], "cells": [1, True],
     "acts": [0], "value": "1/2"},
    {"kind": "best score", "vertices": [["1"]], "loss": [["1"], ["0"]], "cells": ["a"], "acts": [True], "value": "0"},
    {"kind": "best score", "vertices": [["1"]], "loss": [["0"], ["1"]], "cells": ["a"], "acts": [-0.0], "value": "0"},
    # Texts that another reader would take for something else, or that never end.
    {"kind": "bound", "y": ["0"], "forecast": ["1"], "places": ["1/2"], "levels": ["1"], "upper": "1e99999999999999"},
    {"kind": "bound", "y": ["0"], "forecast": ["1"], "places": [" 1/2 "], "levels": ["1"], "upper": "1/2"}])
def test_what_an_adversary_has_found_is_refused(false):
    assert certificate.accept(false)


def test_several_comparisons_have_weights_of_small_fractions():
    """As the linear program gives them, the last digits of its floats would break a proof that is true."""
    draw, kept = np.random.default_rng(2), 0
    for _ in range(60):
        y = np.array([0, 1, 0])
        forecasts = [(draw.integers(0, 11, 3) / 10,) for _ in range(12)]
        proof = pwu.alignment.refute(pwu.metrics.REGISTRY["binary", "maximum_calibration_error"], pwu.BinaryDecision(),
                                     y_true=y, forecasts=forecasts)
        if proof is not None and len(proof.comparisons) > 1:
            kept += 1
            assert certificate.accept(certificates.of_refutation(proof, "maximum_calibration_error")) == "", proof
    assert kept >= 2


def test_ties_at_the_border_share_the_places():
    """The share of events among the k highest, on average over all orders of the cases that tie."""
    draw = random.Random(4)
    for _ in range(30):
        y, f = [draw.randint(0, 1) for _ in range(5)], [Fraction(draw.randint(0, 2), 2) for _ in range(5)]
        for k in range(1, 6):
            orders = [sorted(order, key=lambda case: -f[case]) for order in itertools.permutations(range(5))]
            hits = sum(y[case] for order in orders for case in order[:k])
            assert certificate.kept(y, f, k) == Fraction(hits, k * len(orders))
