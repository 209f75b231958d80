"""Scores from counts: bounds always hold, parts add up, and a database counts the same."""

import copy
import math
import pickle
import sqlite3
import sys
import threading

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import pwu_lite as pwu
from pwu_desk import Tally, compare_tallies, picked
from pwu_desk import tally as tally_module
from pwu_lite.metrics import classification
from pwu_lite.pwu import PWU

RNG = np.random.default_rng(5)
N = 5000
F = RNG.beta(1, 5, N)
Y = (RNG.random(N) < F).astype(int)
PRIORS = [pwu.Beta(2, 10), pwu.Beta(0.01, 0.01), pwu.Beta(2, 1000), pwu.Uniform(0.1, 0.4), pwu.Dirac(0.2),
          pwu.Mixture([pwu.Dirac(0.5), pwu.TruncatedBeta(2, 2, 0.1, 0.6)], [0.3, 0.7])]
PRICES = [pwu.Gamma(2, 0.3), pwu.LogNormal(0, 2), pwu.Dirac(0.25), pwu.Uniform(0, 1e-3)]


def cell_end(cell, cells=1024):
    return float(1 / (1 + np.exp(-cell / cells)))


AWKWARD = st.one_of(
    st.sampled_from([0.0, 1.0, 5e-324, 1e-310, 0.5, 0.2, np.nextafter(0.2, 1), np.nextafter(1, 0), 1e-17, 0.1]),
    st.floats(0, 1), st.floats(0.3, 0.3001),
    st.tuples(st.integers(-40_000, 37_000), st.integers(-2, 2)).map(
        lambda pair: float(np.clip(cell_end(pair[0]) + pair[1] * np.spacing(cell_end(pair[0])), 0, 1))))


def tally_of(y, *prediction, **options):
    tally = Tally("binary" if len(prediction) == 1 else "selective", options.pop("cells", 1024))
    tally.update(y, *prediction, **options)
    return tally


def inside(found, exact):
    return found.lower <= exact <= found.upper and found.lower <= found.value <= found.upper


TALLIES = given(st.lists(st.tuples(st.booleans(), AWKWARD, st.sampled_from([0.0, 1.0, 0.3, 1e-12, 7e8])), min_size=1,
                         max_size=30), st.sampled_from(PRIORS), st.sampled_from([1, 16, 1024]))


def bounds_hold(rows, prior, cells):
    y, f, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    if weight.sum() == 0:
        weight[:] = 1
    score = PWU(pwu.BinaryDecision(), prior)
    tally = tally_of(y, f, weight=weight, cells=cells)
    assert inside(tally.score(score), score(y, f, sample_weight=weight))
    thresholds = np.array([0.2, 0.5, 1e-9, *f[(f > 0) & (f < 1)][:3]])
    for found, exact in ((tally.curve(thresholds), score.curve(y, f, thetas=thresholds, sample_weight=weight)),
                         (tally.net_benefit(thresholds), classification.net_benefit(y, f, thresholds,
                                                                                    sample_weight=weight))):
        assert (found.lower <= exact).all() and (exact <= found.upper).all()
    if weight[y == 1].sum() > 0 and weight[y == 0].sum() > 0:
        pairs = weight[y == 1][:, None] * weight[y == 0] * (
            np.sign(f[y == 1][:, None] - f[y == 0]) / 2 + 0.5)
        assert inside(tally.auroc(), pairs.sum() / weight[y == 1].sum() / weight[y == 0].sum())


test_bounds_hold_whatever_the_forecasts_are = pytest.mark.slow(
    settings(max_examples=300, deadline=None)(TALLIES(bounds_hold)))
test_ten_thousand_random_tallies = pytest.mark.weekly(
    settings(max_examples=10_000, deadline=None)(TALLIES(bounds_hold)))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.sampled_from([0.0, 1.0, 0.3])), min_size=1,
                max_size=20), st.sampled_from(PRICES), st.sampled_from([1, 1024]))
def test_bounds_hold_for_selective_prediction(rows, prior, cells):
    y, std, weight = (np.array(column) for column in zip(*rows, strict=True))
    weight = weight if weight.sum() > 0 else weight + 1
    score = PWU(pwu.SelectivePrediction(), prior)
    tally = tally_of(y, 0 * y, std, weight=weight, cells=cells)
    assert inside(tally.score(score), score(y, 0 * y, std, sample_weight=weight))
    thetas = np.array([0.25, *std**2])
    found, exact = tally.curve(thetas), score.curve(y, 0 * y, std, thetas=thetas, sample_weight=weight)
    assert (found.lower <= exact).all() and (exact <= found.upper).all()


@pytest.mark.parametrize("prior", PRIORS[:4])
def test_estimates_are_close_and_bounds_narrow(prior):
    score = PWU(pwu.BinaryDecision(), prior)
    found, exact = tally_of(Y, F).score(score), score(Y, F)
    assert found.value == pytest.approx(exact, rel=2e-6)
    assert found.upper - found.lower < 5e-3 * exact
    coarse = tally_of(Y, F, cells=64).score(score)
    assert coarse.upper - coarse.lower > 8 * (found.upper - found.lower)


def test_parts_add_up_in_any_order():
    block = np.arange(N) % 7
    whole = tally_of(Y, F, block=block)
    parts = [tally_of(Y[k::3], F[k::3], block=block[k::3]) for k in range(3)]
    for order in ((0, 1, 2), (2, 0, 1)):
        merged = Tally()
        for k in order:
            merged.merge(parts[k])
        for name, column in whole.counts().items():
            np.testing.assert_allclose(merged.counts()[name], column, rtol=1e-14 if name == "s" else 0)
    counted = parts[0].counts()
    for cells in (1024, 32):  # all cases in fine cells, and again by block in wide ones
        assert counted["cases"][counted["cells"] == cells].sum() == len(parts[0])
    assert len(whole) == N and repr(whole).startswith("Tally('binary', cells=1024): 5,000 cases in ")
    again = Tally.from_counts(pd.DataFrame(whole.counts()))
    assert again.score(PWU(pwu.BinaryDecision(), PRIORS[0])) == whole.score(PWU(pwu.BinaryDecision(), PRIORS[0]))


def test_blocks_add_up_to_the_score():
    score = PWU(pwu.BinaryDecision(), PRIORS[0])
    tally = tally_of(Y, F, block=np.arange(N) % 7)
    numbers, losses, size = tally.blocks(score)
    assert numbers.tolist() == list(range(7)) and size.sum() == N
    assert losses.sum() / N == pytest.approx(tally.score(score).value, rel=1e-12)
    assert losses[3] / size[3] == pytest.approx(score(Y[3::7], F[3::7]), rel=5e-4)
    assert tally.outcomes() == (float((Y == 0).sum()), float(Y.sum()))


def connect(engine, frame):
    """Run a query on a table of cases; a DataFrame comes back."""
    if engine == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        connection = duckdb.connect()
        connection.register("cases", frame)
        return lambda query: connection.execute(query).df()
    connection = sqlite3.connect(":memory:")
    frame.to_sql("cases", connection, index=False)
    return lambda query: pd.read_sql(query, connection)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_a_database_counts_the_same(engine):
    f = np.concatenate([F, [0.0, 1.0, 5e-324, np.nextafter(1, 0), 0.5]]).astype(np.float32).astype(float)
    y = np.append(Y, [0, 1, 0, 1, 1])
    frame = pd.DataFrame({"y": y, "the model": f, "w": np.linspace(1, 2, f.size), "row": np.arange(f.size),
                          "mean": f, "std": f + 0.1})
    ask = connect(engine, frame)
    found = Tally.from_counts(ask(Tally.sql("cases", "y", "the model", block="row % 3", weight="w")))
    own = tally_of(y, f, weight=frame["w"], block=np.arange(f.size) % 3)
    assert len(found) == len(own) == f.size
    for score in (PWU(pwu.BinaryDecision(), prior) for prior in PRIORS):
        assert found.score(score).value == pytest.approx(own.score(score).value, rel=1e-9)
    selective = Tally.from_counts(ask(Tally.sql("cases", "y", ("mean", "std"))), kind="selective")
    score = PWU(pwu.SelectivePrediction(), PRICES[0])
    assert selective.score(score).value == pytest.approx(tally_of(y, f, f + 0.1).score(score).value, rel=1e-9)


def test_a_database_does_not_hide_bad_forecasts():
    frame = pd.DataFrame({"y": [0, 1, 1, 0], "p": [0.2, None, 1.5, -0.1]})
    ask = connect("sqlite", frame)
    with pytest.raises(ValueError, match="3 cases have no cell"):
        Tally.from_counts(ask(Tally.sql("cases", "y", "p")))


def test_parquet_and_back(tmp_path):
    pytest.importorskip("pyarrow")
    tally = tally_of(Y, F)
    tally.to_parquet(tmp_path / "a.parquet")
    assert len(Tally.from_counts(pd.read_parquet(tmp_path / "a.parquet"))) == N
    with pytest.raises(OSError):
        tally.to_parquet(tmp_path / "none" / "a.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


GOOD = tally_of(Y, F)
LOSSES = Tally("losses")
LOSSES.update(Y)
COUNTS = {"cells": [1024, 1024], "y": [0, 1], "cell": [0, 5], "cases": [2, 3], "n": [2, 3], "s": [1.0, 1.5]}


@pytest.mark.parametrize("call, words", [
    (lambda: Tally("top-k"), "kind"),
    (lambda: Tally(cells=0), "at least 1"),
    (lambda: Tally(cells=10**6), "at most 100,000"),
    (lambda: tally_of([0, 2], [0.5, 0.5]), r"y_true\[1\] is 2"),
    (lambda: tally_of([0, 1], [0.5, 1.5]), r"y_prob\[1\] is 1.5"),
    (lambda: Tally().update([0, 1], [0.5, 0.5], [1.0, 1.0]), "takes|counts y_true and y_prob"),
    (lambda: tally_of([0, 1], [0.5, 0.5], block=[0.5, 1]), r"block\[0\]"),
    (lambda: tally_of([0, 1], [0.5, 0.5], block=[1]), "block has length 1"),
    (lambda: tally_of([0, 1], [0.5, 0.5], weight=[-1, 1]), "weight"),
    (lambda: tally_of(Y, F).merge(Tally(cells=16)), "agree in kind and cells"),
    (lambda: tally_of(Y, F).merge("counts"), "agree in kind and cells"),
    (lambda: (lambda tally: tally.merge(tally))(tally_of(Y, F)), "count each case twice"),
    (lambda: Tally().score(PWU(pwu.BinaryDecision(), PRIORS[0])), "no cases yet"),
    (lambda: GOOD.score(PWU(pwu.SelectivePrediction(), PRICES[0])), "a binary tally scores"),
    (lambda: GOOD.score(classification.log_loss), "a binary tally scores"),
    (lambda: GOOD.score(PWU(pwu.BinaryDecision(), pwu.Dirac(np.full(N, 0.2)))), "one prior for all cases"),
    (lambda: GOOD.curve([0.0]), "c|theta"),
    (lambda: tally_of([1, 1], [0.5, 0.2]).auroc(), "AUROC needs"),
    (lambda: tally_of([1.0, 1], [0.5, 0.2], [1, 1]).auroc(), "kind 'binary'"),
    (lambda: Tally.from_counts({"y": [1]}), "cells, cell, cases, n, s missing"),
    (lambda: Tally.from_counts(COUNTS | {"y": [0, 2]}), r"y\[1\] is 2"),
    (lambda: Tally.from_counts(COUNTS | {"s": [1.9, 1.5]}), "average to 0.95, outside"),
    (lambda: Tally.from_counts(COUNTS | {"cell": [0, np.nan]}), "3 cases have no cell"),
    (lambda: Tally.from_counts(COUNTS | {"cells": [2, 2], "block": [0, 0]}), "were they counted with cells=2"),
    (lambda: Tally.from_counts(COUNTS | {"cells": [1024, 40], "block": [0, 0]}), "must be 1024 or 32"),
    (lambda: Tally.from_counts(COUNTS | {"cells": [1024, 32], "cell": [0, 0], "block": [0, 0]}), "rows are missing"),
    (lambda: Tally.from_counts(COUNTS | {"block": [0, 3]}), "rows are missing"),
    (lambda: Tally(cells=100), "multiple of 32"),
    (lambda: Tally.sql("cases", "y", "p", dialect="oracle"), "dialect must be \"ansi\" or \"postgres\" or"),
    (lambda: Tally.sql("cases", "y", []), "at least one"),
    (lambda: Tally.sql("cases", None, {}), "at least one"),
    (lambda: Tally.sql("cases", "y", {"a": "1"}), "at least one"),
    (lambda: Tally.sql("cases", None, {1: "p", "1": "w"}), "at least one"),
    (lambda: Tally.sql("cases", "y", ("p",)), "at least one"),
    (lambda: Tally.sql("cases", "y", [("a", "b", "c")]), "at least one"),
    (lambda: compare_tallies({1: GOOD, "1": GOOD}, PWU(pwu.BinaryDecision(), PRIORS[0])), "two models have one name"),
    (lambda: Tally.from_counts(COUNTS | {"cells": [1024, 512]}), "must be 1024, as in the other rows"),
    (lambda: Tally.from_counts(COUNTS | {"v": [1, 1]}, "losses"), "cells must be 1"),
    (lambda: Tally.from_counts(COUNTS | {"v": [1, 1], "cells": [1, 1]}, "losses"), "cell must be at most 0"),
    (lambda: Tally.sql("cases", None, ["a"]), "at least one"),
    (lambda: Tally("losses").update([1, 0], [0.5, 0.5]), "counts losses"),
    (lambda: Tally("losses").update([1, np.nan]), r"losses\[1\]|losses must be finite"),
    (lambda: LOSSES.score(PWU(pwu.BinaryDecision(), PRIORS[0])), "takes no other"),
    (lambda: LOSSES.auroc(), "kind 'binary'"),
    (lambda: Tally.sql("cases", "y", ["p", ("mean", "std")]), "at least one"),
    (lambda: Tally.sql("cases", "y", ["p", "q", "p"]), "model 'p' is there twice")])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_refused_part_is_not_counted():
    tally = tally_of(Y, F)
    with pytest.raises(ValueError):
        tally.update([0, 1], [0.5, np.nan])
    assert len(tally) == N


def parts_of(rng, n, pieces):
    """Positions of the cases in some pieces, in a random order; the last piece is for cases of weight zero."""
    where = rng.integers(0, pieces, n)
    return [np.flatnonzero(where == k) for k in rng.permutation(pieces)]


@pytest.mark.parametrize("kind", ["binary", "selective"])
@pytest.mark.parametrize("seed", range(12))
def test_any_split_order_and_merge_gives_the_score_of_the_whole(kind, seed):
    """Weights from 1e-9 to 1e9 that differ between pieces, and a piece whose weights are all zero."""
    rng = np.random.default_rng(seed)
    n, pieces = int(rng.integers(2, 400)), int(rng.integers(2, 6))
    f = rng.choice([rng.beta(1, 5, n), np.full(n, 0.2), rng.integers(0, 11, n) / 10][seed % 3:][0], n)
    y = (rng.random(n) < f).astype(float)
    std = np.exp(rng.normal(size=n))
    forecast, score = ((f,), PWU(pwu.BinaryDecision(), PRIORS[seed % 6])) if kind == "binary" else (
        (0 * y, std), PWU(pwu.SelectivePrediction(), PRICES[seed % 4]))
    parts = parts_of(rng, n, pieces)
    weight = np.empty(n)
    for k, part in enumerate(parts):
        unit = 0.0 if k == 0 and 0 < part.size < n else 10.0 ** rng.uniform(-9, 9)
        weight[part] = unit * rng.choice([1, 3], part.size)
    block = rng.integers(-3, 4, n)
    exact = score(y, *forecast, sample_weight=weight)

    def counted(part):
        return tally_of(y[part], *(one[part] for one in forecast), weight=weight[part], block=block[part])

    by_update, by_merge = Tally(kind), Tally(kind)
    for part in parts:
        if part.size:
            by_update.update(y[part], *(one[part] for one in forecast), weight=weight[part], block=block[part])
            by_merge.merge(counted(part))
    stored = Tally.from_counts(by_update.counts(), kind=kind)
    whole = counted(np.arange(n))
    for tally in (by_update, by_merge, stored, whole):
        assert inside(tally.score(score), exact)
        assert tally.score(score).value == pytest.approx(whole.score(score).value, rel=1e-12)
        assert len(tally) == (weight > 0).sum()
        for mine, of_whole in zip(tally.blocks(score), whole.blocks(score), strict=True):
            np.testing.assert_allclose(mine, of_whole, rtol=1e-11, atol=1e-12 * weight.max())


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@pytest.mark.parametrize("seed", range(4))
def test_a_query_and_an_update_add_up(engine, seed):
    rng = np.random.default_rng(seed)
    n = 300
    frame = pd.DataFrame({"y": rng.integers(0, 2, n), "p": rng.random(n), "w": rng.exponential(10.0**seed, n)})
    frame.loc[:30, "w"] = 0.0
    some = frame.iloc[:120]
    tally = Tally.from_counts(connect(engine, some)(Tally.sql("cases", "y", "p", weight="w")))
    rest = frame.iloc[120:]
    tally.update(rest["y"], rest["p"], weight=7 * rest["w"])
    score = PWU(pwu.BinaryDecision(), PRIORS[0])
    weight = np.append(some["w"], 7 * rest["w"])
    assert inside(tally.score(score), score(frame["y"], frame["p"], sample_weight=weight))
    assert len(tally) == (weight > 0).sum()
    assert tally.cases()[2].tolist() == [int(frame["y"][weight > 0].sum())]


BLOCKS = {
    "hashes of 64 bits": pd.util.hash_array(np.arange(500).astype(str)),
    "signed hashes": pd.util.hash_array(np.arange(500).astype(str)).view(np.int64),
    "beyond 2**53": 2**53 + np.arange(500),
    "python integers": np.array([2**63 + 3 * k for k in range(500)], dtype=object),
    "the ends": np.array([-(2**63), 2**63 - 1, *range(498)]),
}


@pytest.mark.parametrize("numbers", BLOCKS.values(), ids=BLOCKS)
def test_blocks_may_be_any_numbers_of_64_bits(numbers):
    score = PWU(pwu.BinaryDecision(), PRIORS[0])
    which = np.random.default_rng(0).integers(0, 500, N)
    plain = tally_of(Y, F, block=which)
    tally = Tally()
    for part in np.array_split(np.arange(N), 3):
        tally.update(Y[part], F[part], block=np.asarray(numbers)[which[part]])
    assert tally.score(score) == plain.score(score)
    found, losses, sizes = tally.blocks(score)
    order = np.argsort([int(number) for number in numbers])
    assert [int(number) for number in found] == sorted(int(number) for number in numbers)
    np.testing.assert_allclose(losses, plain.blocks(score)[1][order], rtol=1e-12)
    np.testing.assert_array_equal(sizes, plain.blocks(score)[2][order])
    again = Tally.from_counts(pd.DataFrame(tally.counts()))
    assert again.blocks(score)[0].tolist() == found.tolist()


@pytest.mark.parametrize("block, words", [
    ([0.5, 1], r"block\[0\]"), ([2.0**60, 1.0], "must be integers"),
    (np.array([2**64, 1], dtype=object), "64 bits"), (np.array([-1, 2**63], dtype=object), "64 bits")])
def test_blocks_that_are_not_exact_are_refused(block, words):
    with pytest.raises(ValueError, match=words):
        tally_of([0, 1], [0.5, 0.2], block=block)


def test_hashes_with_and_without_a_sign_do_not_mix():
    tally = tally_of([0, 1], [0.5, 0.2], block=np.array([2**63 + 1, 5], dtype=np.uint64))
    with pytest.raises(ValueError, match="below 0 and numbers from"):
        tally.update([0], [0.5], block=[-1])
    with pytest.raises(ValueError, match="below 0 and numbers from"):
        tally.merge(tally_of([0], [0.5], block=[-1]))
    assert len(tally) == 2


CASES = {"y": [0, 1, 1, 0], "p": [0.2, 0.3, 0.5, 0.1], "w": [1.0, 2, 3, 4], "mean": [0.0, 1, 2, 3], "std": [1.0] * 4}
PAIR = {"models": ("mean", "std")}


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@pytest.mark.parametrize("data, options", [
    ({}, {"truth": "outcome"}), ({}, {"models": "prob"}), ({}, {"weight": '"wt"'}), ({}, {"block": '"bb"'}),
    ({}, {"block": "cell"}), ({}, {"block": "w + cell"}), ({}, {"weight": "cell"}), ({}, {"weight": "n"}),
    ({"y": [0.6, 1, 1, 0]}, {}), ({"y": [1.4, 1, 1, 0]}, {}), ({"y": [None, 1, 1, 0]}, {}),
    ({"y": ["no", "yes", "yes", "no"]}, {}), ({"y": ["0", "1", "1", "0"]}, {}),
    ({"p": ["0,35", "0,2", "0,1", "0,4"]}, {}), ({"p": ["0.3", "0.2", "0.1", "0.4"]}, {}),
    ({"p": [None, 0.1, 0.2, 0.3]}, {}), ({"p": [1.5, 0.1, 0.2, 0.3]}, {}), ({"p": [-0.5, 0.1, 0.2, 0.3]}, {}),
    ({"w": [-1.0, 1, 1, 1]}, {"weight": "w"}), ({"w": [None, 1, 1, 1]}, {"weight": "w"}),
    ({"w": ["a", "b", "c", "d"]}, {"weight": "w"}), ({}, PAIR | {"truth": "outcome"}),
    ({}, {"models": ("mean", "sd")}), ({"std": [0.0, 1, 1, 1]}, PAIR), ({"std": ["a", "b", "c", "d"]}, PAIR),
    ({"mean": [None, 1.0, 1, 1]}, PAIR), ({"y": [None, 1.0, 1, 1]}, PAIR)])
def test_a_database_refuses_what_update_refuses(engine, data, options):
    ask = connect(engine, pd.DataFrame(CASES | data))
    given = {"truth": "y", "models": "p"} | options
    kind = "binary" if isinstance(given["models"], str) else "selective"
    with pytest.raises(Exception, match="have no cell|does not have a column|no such column|not found|Conversion Error|"
                                        "explicit cast|must be numeric"):
        Tally.from_counts(ask(Tally.sql("cases", **given)), kind=kind)
    assert len(Tally.from_counts(ask(Tally.sql("cases", "y", "p")))) == 4 if not data else True


@pytest.mark.parametrize("counts, words", [
    ({"n": [-2, 3]}, r"n must not be negative: n\[0\]"), ({"cases": [0.5, 3]}, "cases must be a whole number"),
    ({"cases": [-2, 3]}, "cases must not be negative"), ({"cases": [np.nan, 3]}, "cases must be finite"),
    ({"n": [None, 3]}, r"n\[0\] is None"), ({"cases": [0, 3]}, "n must be 0 where there are no cases"),
    ({"s": [-1.0, 1.5]}, "s must not be negative"), ({"cell": [0, 2_000_000_000]}, "cell must be at most")])
@pytest.mark.parametrize("cells", [4, 1024])
def test_counts_that_cannot_be_are_refused(counts, words, cells):
    with pytest.raises(ValueError, match=words):
        Tally.from_counts(COUNTS | {"cells": [cells] * 2} | counts)


def test_weights_too_large_to_be_added_up_are_refused():
    tally = tally_of([0, 1], [0.5, 0.2], weight=[1e300, 1e300])
    assert np.isfinite(tally.score(PWU(pwu.BinaryDecision(), PRIORS[0])).value)
    with pytest.raises(ValueError, match="too large"):
        tally.update([0, 1], [0.5, 0.2], weight=[1.5e308, 1.5e308])
    assert len(tally) == 2
    with pytest.raises(ValueError, match="too large"):  # each part could be added up, all of them could not
        for _ in range(4):
            tally.update([0, 1], [0.5, 0.2], weight=[5e307, 1e300])


@pytest.mark.parametrize("scale", [1e-300, 1, 1e300])
def test_the_unit_of_the_weights_does_not_matter(scale):
    assert tally_of(Y, F, weight=np.full(N, scale)).auroc().value == pytest.approx(
        tally_of(Y, F).auroc().value, abs=1e-12)


def test_a_part_of_a_data_frame_in_another_order_is_refused():
    frame = pd.DataFrame({"y": Y[:9], "p": F[:9]})
    turned = frame[::-1]
    for truth, forecast, options in ((frame.y, turned.p, {}), (frame.y, frame.p, {"weight": turned.p}),
                                     (Y[:9], frame.p, {"weight": turned.p}), (Y[:9], F[:9], {"block": turned.y,
                                                                                          "weight": frame.p})):
        with pytest.raises(ValueError, match="different orders"):
            Tally("binary").update(truth, forecast, **options)


def test_what_a_database_masks_is_no_count():
    counts = {name: np.ma.array(values, mask=name == "n" and [True, False]) for name, values in COUNTS.items()}
    with pytest.raises(ValueError, match=r"n must be finite: n\[0\]"):
        Tally.from_counts(counts)
    own = tally_of(Y, F).counts()
    assert len(Tally.from_counts({name: np.ma.array(values) for name, values in own.items()})) == N


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_columns_may_have_the_names_that_the_query_uses(engine):
    """An expression of the user's means the user's columns, also where the query computes one of that name."""
    frame = pd.DataFrame({"y": Y[:60], "p": F[:60], "w": np.arange(60) % 3 + 1.0, "cell": np.arange(60) % 5,
                          "block": np.arange(60) % 4, "n": 2.0, "cases": 7})
    ask = connect(engine, frame)
    for weight, block in (("w", "block"), ("n", "cell"), ("w * n", "cases + cell")):
        found = Tally.from_counts(ask(Tally.sql("cases", "y", "p", weight=weight, block=block)))
        own = tally_of(frame.y, frame.p, weight=frame.eval(weight), block=frame.eval(block))
        for column, values in own.counts().items():
            np.testing.assert_allclose(found.counts()[column], values, rtol=1e-12)


def test_a_tally_that_is_read_while_others_count_is_whole():
    score, tally, seen = PWU(pwu.BinaryDecision(), PRIORS[0]), Tally(), []
    y, f = np.tile([0, 1], 50), np.tile([0.3, 0.7], 50)

    ready = threading.Barrier(4)

    def count():
        ready.wait()
        for _ in range(100):
            tally.update(y, f)

    def read():
        ready.wait()
        while not seen or any(thread.is_alive() for thread in writers):
            if len(tally):
                seen.append((len(tally) % 100, tally.outcomes(), tally.score(score).value))

    writers = [threading.Thread(target=count) for _ in range(3)]
    reader = threading.Thread(target=read)
    for thread in (*writers, reader):
        thread.start()
    for thread in (*writers, reader):
        thread.join()
    assert len(tally) == 3 * 100 * 100 and tally.outcomes() == (15_000, 15_000)
    assert seen and all(rest == 0 and zeros == ones for rest, (zeros, ones), _ in seen)
    assert {value for _, _, value in seen} == {tally.score(score).value}


def test_a_tally_can_be_sent_to_another_process():
    tally = tally_of(Y, F, block=np.arange(N) % 7)
    again = pickle.loads(pickle.dumps(tally))
    again.merge(tally)
    assert len(again) == 2 * N and len(copy.deepcopy(tally)) == N


def test_forecasts_on_a_common_edge_may_be_in_either_order():
    """An event just above the edge of two cells, another case just below: the pair counts for nothing, or wholly."""
    low, high = 0.2, 0.3
    while high - low > 1e-12:  # in one cell the pair counts half
        middle = (low + high) / 2
        low, high = (low, middle) if tally_of([0, 1], [low, middle]).auroc().value == 1 else (middle, high)
    touching = tally_of([0, 1], [low, high]).auroc()
    assert (touching.lower, touching.value, touching.upper) == pytest.approx((0, 1, 1), abs=1e-9)
    turned = tally_of([1, 0], [low, high]).auroc()
    assert (turned.lower, turned.value, turned.upper) == pytest.approx((0, 0, 1), abs=1e-9)
    assert tally_of([0, 1], [0.2, 0.3]).auroc().lower == pytest.approx(1)


SHARES = [pwu.Beta(2, 10), pwu.Uniform(0, 1), pwu.Dirac(0.1), pwu.Beta(0.4, 0.4), pwu.TruncatedBeta(2, 2, 0.01, 0.02),
          pwu.Mixture([pwu.Dirac(0.5), pwu.Beta(1, 30)], [0.3, 0.7])]


@pytest.mark.parametrize("prior", SHARES)
@pytest.mark.parametrize("one_by_one", [10**6, 50])  # beyond so many, numbers of picked cases are taken together
@pytest.mark.parametrize("n", [1, 7, 5000])
def test_precision_among_the_top_k_lies_between_its_bounds(prior, one_by_one, n, monkeypatch):
    monkeypatch.setattr(picked, "ONE_BY_ONE", one_by_one)
    score = PWU(pwu.TopK(), prior)
    for f in (F[:n], np.round(F[:n], 1), np.clip(3 * F[:n] - 0.2, 0, 1), np.full(n, 0.3)):
        found, exact = tally_of(Y[:n], f).score(score), score(Y[:n], f)
        assert inside(found, exact) and found.value == pytest.approx(exact, rel=2e-3)
        assert n < 5000 or len(np.unique(f)) < 4000 or found.upper - found.lower < 0.02
    merged = tally_of(Y[:n], F[:n])
    merged.merge(tally_of(Y[:n], F[:n]))
    doubled = score(np.tile(Y[:n], 2), np.tile(F[:n], 2))
    assert inside(merged.score(score), doubled)


def test_precision_in_cells_that_touch():
    """Each of two forecasts may be the higher one if they may lie on a common edge."""
    low, high = 0.2, 0.3
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (low, middle) if tally_of([0, 1], [low, middle]).auroc().value == 1 else (middle, high)
    first = PWU(pwu.TopK(), pwu.Dirac(0.5))
    found = tally_of([0, 1], [low, high]).score(first)
    assert (found.lower, found.value, found.upper) == pytest.approx((-1, -1, 0), abs=1e-9)


def test_precision_needs_cases_without_weights():
    with pytest.raises(ValueError, match="without weights"):
        tally_of(Y, F, weight=np.full(N, 2.0)).score(PWU(pwu.TopK(), SHARES[0]))
    with pytest.raises(ValueError, match="a binary tally scores"):
        tally_of(Y, F).blocks(PWU(pwu.TopK(), SHARES[0]))


@pytest.mark.parametrize("prior", [pwu.Dirac(0.2), pwu.Beta(2, 10), pwu.TruncatedBeta(2, 2, 0.19, 0.21)])
@pytest.mark.parametrize("noise", [0.05, 0.4])
def test_blocks_have_the_spread_of_their_cases(prior, noise):
    """Inside of a wide cell a block is known by its mean forecast alone; what that hides is added to the interval."""
    score, ratios = PWU(pwu.BinaryDecision(), prior), []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        f, n = rng.beta(1, 4, 20_000), 20_000
        y, odds, block = rng.random(n) < f, np.log(f / (1 - f)), np.arange(n) % 100
        g = 1 / (1 + np.exp(-odds - noise * rng.normal(size=n)))
        gap = np.bincount(block, score.per_sample(y, f) - score.per_sample(y, g))
        table = compare_tallies({name: tally_of(y, each, block=block) for name, each in (("f", f), ("g", g))},
                                score).table
        half = (table["difference high"] - table["difference low"]).max() / 2
        ratios.append(half / (np.std(gap, ddof=1) * 10 / n * 1.984))
    assert 0.97 < np.mean(ratios) < 1.08


@pytest.mark.parametrize("made", [pd.DataFrame, dict, lambda counts: pd.DataFrame(counts).rename(columns=str.upper),
                                  lambda counts: pd.DataFrame(counts).convert_dtypes(),
                                  lambda counts: pytest.importorskip("pyarrow").table(counts)])
def test_counts_come_as_an_engine_returns_them(made):
    own = tally_of(Y, F, block=np.arange(N) % 11)
    counts = {**own.counts(), "model": np.full(len(own.counts()["cell"]), "a model", dtype=object)}
    found = Tally.from_counts(made(counts))
    assert list(found) == ["a model"]
    for column, values in own.counts().items():
        np.testing.assert_array_equal(found["a model"].counts()[column], values)
    with pytest.raises(ValueError, match="model 'a model': rows are missing"):
        Tally.from_counts(pd.DataFrame(counts)[:-1])


def test_a_table_that_is_not_read_yet_is_refused():
    lazy = type("LazyFrame", (), {"collect": lambda self: None, "columns": []})
    with pytest.raises(ValueError, match="collect it first"):
        Tally.from_counts(lazy())


def test_rows_stay_few_with_blocks():
    """A hundred blocks multiply wide cells, of which there are at most 32 per unit."""
    rng = np.random.default_rng(0)
    f = rng.random(300_000) ** 3
    tally = tally_of(rng.random(f.size) < f, f, block=np.arange(f.size) % 100)
    counts = tally.counts()
    assert (counts["cells"] == 32).sum() < 100 * 2 * 32 * np.ptp(np.log(f / (1 - f))) and len(counts["cell"]) < 130_000


def test_losses_of_a_decision_that_is_fixed_are_added_up():
    """Whatever the family: its losses at one parameter, with intervals from blocks."""
    rng = np.random.default_rng(0)
    y, tallies, losses = rng.normal(size=8000), {"a": Tally("losses"), "b": Tally("losses")}, {}
    block = np.arange(8000) % 50
    for name, forecast in (("a", 1.3), ("b", 1.6)):
        losses[name] = np.where(y > forecast, 0.9 * (y - forecast), 0.1 * (forecast - y))
        for part in np.array_split(np.arange(8000), 3):
            tallies[name].update(losses[name][part], block=block[part])
    table = compare_tallies(tallies).table
    assert table.loc["a", "cost"] == pytest.approx(losses["a"].mean(), rel=1e-12)
    assert table.loc["a", "least"] == pytest.approx(table.loc["a", "most"], rel=1e-9)
    gap = np.bincount(block, losses["b"] - losses["a"])
    half = (table["difference high"] - table["difference low"]).max() / 2
    assert half == pytest.approx(2.0096 * np.std(gap, ddof=1) * np.sqrt(50) / 8000, rel=1e-3)
    found = Tally.from_counts(tallies["a"].counts(), kind="losses")
    assert found.score().value == pytest.approx(tallies["a"].score().value, rel=1e-12) and len(found) == 8000
    assert tallies["a"].unseen() < 1e-10


@pytest.mark.parametrize("dense", [0, 8, 10**9])
def test_grouping_with_and_without_sorting_is_the_same(dense, monkeypatch):
    rng = np.random.default_rng(4)
    keys = np.column_stack([rng.integers(-3, 4, 900), rng.integers(0, 2, 900), rng.integers(-5, 5, 900)])
    sums = rng.random((900, 4))
    monkeypatch.setattr(tally_module, "_DENSE", dense)
    found, totals = tally_module._grouped(keys, sums)
    exact = {}
    for key, row in zip(map(tuple, keys.tolist()), sums, strict=True):
        exact[key] = exact.get(key, 0) + row
    assert list(map(tuple, found.tolist())) == sorted(exact)
    np.testing.assert_allclose(totals, [exact[key] for key in sorted(exact)], rtol=1e-14)


def test_many_equal_numbers_lose_no_digits():
    """Added one by one, a million tenths are wrong in the eleventh digit, and a tie with a threshold is lost."""
    for value in (0.1, 1 / 3, 1e-300, 5e-324, -0.7):
        column, number = np.full(10**6, value), np.zeros(10**6, dtype=int)
        assert tally_module._added(number, column)[0] == pytest.approx(math.fsum(column), rel=1e-15, abs=0)
    n = 4 * 10**6
    tally = tally_of(np.arange(n) < n // 5, np.full(n, 0.1))
    assert tally.score(PWU(pwu.BinaryDecision(), pwu.Dirac(0.1))).value == pytest.approx(0.18, rel=1e-12)


def test_losses_that_cancel_are_within_their_bounds():
    tally = Tally("losses")
    tally.update([1e16, 1, -1e16])
    assert inside(tally.score(), 1 / 3)
    assert inside(Tally.from_counts(tally.counts(), "losses").score(), 1 / 3)


def test_a_copy_goes_its_own_way():
    for copied in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        tally = tally_of(Y, F, block=np.arange(N) % 3)
        again = copied(tally)
        again.update([1], [0.5], block=[1])
        assert (len(tally), len(again)) == (N, N + 1)


def test_parts_of_one_block_and_parts_without_cases_add_up():
    parts = [tally_of(Y[k::2], F[k::2], block=np.full(N // 2, k)) for k in range(2)]
    whole = Tally.from_counts(pd.concat([pd.DataFrame(part.counts()) for part in parts]))
    assert whole.blocks(PWU(pwu.BinaryDecision(), PRIORS[0]))[0].tolist() == [0, 1] and len(whole) == N
    empty = Tally.from_counts(pd.DataFrame(Tally(cells=512).counts()))
    assert (empty.cells, len(empty)) == (512, 0)


def test_a_table_is_of_one_moment():
    tally, stop = Tally(), threading.Event()

    def count():
        while not stop.is_set():
            tally.update([0, 1], [0.3, 0.7], block=[1, 2])

    writers = [threading.Thread(target=count) for _ in range(2)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in writers:
            thread.start()
        for _ in range(60):
            Tally.from_counts(tally.counts())
            Tally.from_counts(pickle.loads(pickle.dumps(tally)).counts())
    finally:
        stop.set()
        sys.setswitchinterval(before)
        for thread in writers:
            thread.join()


def test_the_spread_that_blocks_hide_has_the_unit_of_the_weights():
    score = PWU(pwu.BinaryDecision(), pwu.Dirac(0.2))
    plain = tally_of(Y, F).unseen(score)
    for scale in (1e-250, 1e250):
        assert tally_of(Y, F, weight=np.full(N, scale)).unseen(score) / scale == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("scale", [1.0, 2.0**-700])
def test_no_unit_of_the_losses_gives_an_interval_without_width(scale):
    rng = np.random.default_rng(0)
    tallies = {name: Tally("losses") for name in "ab"}
    for tally in tallies.values():
        tally.update(scale * rng.random(2000), block=np.arange(2000) % 50)
    assert compare_tallies(tallies).table["verdict"].tolist() == ["best", "not separable"]


def test_large_blocks_that_decide_are_named():
    """Two hundred blocks, a few of them large, and in these the difference is another one."""
    rng = np.random.default_rng(4)
    size = rng.integers(5, 10, 200)
    size[:8] = 400
    block = np.repeat(np.arange(200), size)
    y = rng.random(block.size) < 0.3
    near, far = np.where(y, 0.6, 0.2), np.where(y, 0.3, 0.3)
    said = []
    for better in (near, np.where(block < 8, far, near)):
        tallies = {"a": Tally(), "b": Tally()}
        tallies["a"].update(y, better, block=block)
        tallies["b"].update(y, np.where(y, 0.5, 0.3) if better is near else near, block=block)
        found = compare_tallies(tallies, pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10)))
        said.append(any("changes with the size of a block" in line for line in found.words))
    assert said == [False, True]


def test_bounds_hold_under_a_prior_that_is_integrated_numerically():
    """Of steps, of which quadrature keeps few digits: the bounds are wider by the prior's own error."""
    heights, edges = np.array([1, 8, 1, 1, 3.0]), np.array([0, 0.1, 0.3, 0.5, 0.6, 1])
    rng = np.random.default_rng(0)
    f = rng.random(20_000)
    y = (rng.random(20_000) < f).astype(int)
    tally = Tally()
    tally.update(y, f)
    found = tally.score(PWU(pwu.BinaryDecision(), scipy.stats.rv_histogram((heights, edges), density=False)()))
    steps = pwu.Mixture([pwu.Uniform(*ends) for ends in zip(edges, edges[1:], strict=False)], heights / heights.sum())
    assert found.lower <= PWU(pwu.BinaryDecision(), steps)(y, f) <= found.upper
