"""Cheaper for every reader, for some, for nobody: verdicts, their errors at all looks, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from pwu_desk import dominance
from pwu_desk.domination import Dominance
from pwu_desk.watch import Watch

COSTS = [0.05, 0.2, 0.5, 0.8, 0.95]


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return p, (rng.random(n) < p).astype(int), rng


def test_each_cost_share_is_a_watch_of_its_own():
    p, y, _ = drawn(500)
    models = {"a": p, "b": np.full(500, 0.5)}
    curve = dominance(y, models, costs=COSTS).curve
    for c in COSTS:
        cost = [(1 - c) * y * (f <= c) + c * (1 - y) * (f > c) for f in models.values()]
        assert curve.loc[c].tolist() == pytest.approx(Watch(max(c, 1 - c)).update(*cost).evidence, rel=1e-9)


def test_the_four_verdicts():
    p, y, rng = drawn(30_000)
    worse, low, high = 0.6 * p + 0.2, np.maximum(p, 0.5), np.minimum(p, 0.5)
    assert dominance(y, {"a": p, "b": worse}, costs=[0.1, 0.15, 0.85, 0.9]).verdict.startswith("a is cheaper at each")
    assert dominance(y, {"a": worse, "b": p}, costs=[0.1, 0.15, 0.85, 0.9]).verdict.startswith("b is cheaper at each")
    assert dominance(y, {"a": low, "b": high}).verdict.startswith("each model is cheaper for some")
    assert dominance(y, {"a": p, "b": high}).verdict.startswith("a is cheaper for some reader, and b is not")
    assert dominance(y[:20], {"a": p[:20], "b": low[:20]}).verdict.startswith("neither")


@pytest.mark.slow
def test_domination_is_refuted_wrongly_in_at_most_one_stream_of_twenty_at_any_look():
    """Two equal models: neither is cheaper for anyone, and 100 streams are looked at 15 times each."""
    wrong = 0
    for seed in range(100):
        p, y, rng = drawn(900, seed)
        odds = np.log(p / (1 - p))
        models = {name: 1 / (1 + np.exp(-(odds + rng.normal(0, 1, 900)))) for name in "ab"}
        looks = [dominance(y[:n], {name: f[:n] for name, f in models.items()}, costs=COSTS) for n in range(60, 901, 60)]
        wrong += any(look.for_some.max() >= 40 for look in looks)
    assert wrong <= 5


def test_the_order_of_rows_and_of_models_does_not_matter():
    p, y, rng = drawn(800)
    models, order = {"a": p, "b": 1 - p}, rng.permutation(800)
    there = dominance(y, models, costs=COSTS).curve
    back = dominance(y[order], {"b": 1 - p[order], "a": p[order]}, costs=COSTS).curve
    np.testing.assert_allclose(there, back[["a", "b"]], rtol=1e-9)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: dominance([0, 1], {"a": [0.1, 0.2]}), "two models, got 1"),
    (lambda: dominance([0, 1], {"a": [0.1, 0.2], "b": [0.1, 0.2]}, costs=[0.5, 1.0]), "costs"),
    (lambda: dominance([0, 2], {"a": [0.1, 0.2], "b": [0.1, 0.2]}), "y_true"),
    (lambda: dominance([0, 1], {"a": [0.1, 0.2], "b": [0.1, 1.2]}), "1.2"),
    (lambda: dominance(pd.Series([0, 1]), {"a": [0.1, 0.2], "b": [0.3, 0.4]}, groups=pd.Series([5, 6], [1, 0])),
     "y_true and groups have the same index labels in different orders")])
def test_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_a_verdict_needs_two_over_the_error(level):
    """For each direction half of the error: at 2 / (1 - level) it is established, below it is not."""
    enough, below = 2 / (1 - level), 2 / (1 - level) * (1 - 1e-12)

    def found(*rows):
        return Dominance(pd.DataFrame(rows, columns=["a", "b"]), level).verdict

    assert found([enough, 0.1], [enough, 0.1]) == "a is cheaper at each of these cost shares"
    assert found([below, 0.1], [below, 0.1]) == "neither model is established to be cheaper for any reader"
    assert found([2 * enough, 0.0], [0.0, 2 * enough]).startswith("each model is cheaper for some")
    assert found([2 * enough, 0.0], [0.0, 0.0]) == "a is cheaper for some reader, and b is not established to be " \
                                                     "cheaper for any"
    assert found([2 * below, 0.0], [0.0, 0.0]).startswith("neither")
