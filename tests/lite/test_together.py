"""Verdicts of a table: equal models are not told apart, the best one stays, and the limits are those of brute force."""

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

import pwu_desk
import pwu_lite as pwu
from pwu_lite.metrics import classification
from pwu_lite.reporting._together import all_together, pairs_of
from pwu_lite.reporting.words import in_words

SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
REFERENCE = json.loads((Path(__file__).parent / "confidence_sets.json").read_text())


def twins(rng, n, k, noise=0.7):
    """Outcomes, and models that are wrong by as much as each other."""
    x = rng.normal(-1.5, 1, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-x))).astype(int)
    return y, {f"m{i}": 1 / (1 + np.exp(-(x + rng.normal(0, noise, n)))) for i in range(k)}


def by_hand(cost, draws, coverage, number):
    """The set that may be best: all pairs anew at each stage, in loops."""
    alive = list(range(len(cost)))
    error = draws - cost
    lacks = np.sqrt(number / (number - 1))
    scale = {pair: lacks * np.sqrt(np.mean((error[:, pair[0]] - error[:, pair[1]]) ** 2))
             for pair in itertools.permutations(alive, 2)}
    while len(alive) > 1:
        pairs = list(itertools.permutations(alive, 2))
        largest = np.max([np.abs(error[:, a] - error[:, b]) / scale[a, b] for a, b in pairs], axis=0)
        limit = lacks * np.quantile(largest, coverage)
        if len(alive) > 2 and number < max(30, 4 * len(cost)):  # few units: as many pairs as there are count
            limit = max(limit, norm.isf((1 - coverage) / len(pairs)))  # both directions of each pair are counted
        limit = t.isf(norm.sf(limit), number - 1)
        far, worst = max(((cost[a] - cost[b]) / scale[a, b], a) for a, b in pairs)
        if far <= limit:
            break
        alive.remove(worst)
    return alive


@pytest.mark.parametrize("seed", range(25))
def test_the_set_is_that_of_loops_over_all_pairs(seed):
    rng = np.random.default_rng(seed)
    k, number = int(rng.integers(3, 7)), int(rng.choice([8, 20, 1000]))
    mixing = rng.normal(size=(k, k))
    cost = np.cumsum(rng.exponential(1.5, k)) * rng.choice([0.2, 1, 2])
    draws = cost + rng.normal(size=(300, k)) @ mixing
    found = all_together(cost, draws, 0, 0.95, number, resampled=True)
    assert np.flatnonzero(found.may_be_best).tolist() == sorted(by_hand(cost, draws, 0.95, number))


@pytest.mark.parametrize("seed", range(10))
def test_a_named_reference_is_compared_by_the_largest_error_of_its_rivals(seed):
    rng = np.random.default_rng(seed)
    cost, number = rng.normal(0, 1.5, 6), int(rng.choice([8, 1000]))
    draws = cost + rng.normal(size=(400, 6)) @ rng.normal(size=(6, 6)) / 2
    error = draws - draws[:, [2]] - (cost - cost[2])
    lacks = np.sqrt(number / (number - 1))
    scale = lacks * np.sqrt((error**2).mean(axis=0))
    others = [0, 1, 3, 4, 5]
    largest = (np.abs(error[:, others]) / scale[others]).max(axis=1)
    limit = lacks * np.quantile(largest, 0.9)
    limit = t.isf(norm.sf(max(limit, norm.isf(0.1 / 10)) if number < 30 else limit), number - 1)
    found = all_together(cost, draws, 2, 0.9, number, resampled=True, named=True)
    assert found.critical == pytest.approx(limit, rel=1e-9)
    assert found.apart[others].tolist() == (np.abs(cost - cost[2])[others] / scale[others] > limit).tolist()


@pytest.mark.slow
def test_the_set_is_that_of_another_package():
    """Which of eight models stay, of forty data sets, by the package arch (all pairs, independent cases)."""
    n = REFERENCE["n"]
    for seed, wanted in enumerate(REFERENCE["sets"]):
        rng = np.random.default_rng(seed)
        losses = rng.normal(size=(n, 1)) + rng.normal(np.linspace(0, REFERENCE["step"], 8), 1, (n, 8))
        table = pwu.compare(np.arange(n), {str(j): column for j, column in enumerate(losses.T)}, Losses.score,
                            n_resamples=10_000, seed=seed).table
        assert sorted(map(int, table.index[table["may be best"]])) == wanted


class Losses(pwu.SeparableFamily):
    """Losses that are given."""

    parameters = ()
    takes = ("loss",)

    def check(self, y_true, loss):
        return np.asarray(y_true, float), np.asarray(loss, float)

    def cost(self, theta, y, loss):
        return loss

    per_sample = cost


Losses.score = pwu.PWU(Losses())


@pytest.mark.slow
@pytest.mark.parametrize(("options", "models", "n"), [
    ({}, 8, 100), ({}, 20, 400), ({"groups": 10}, 20, 200), ({"groups": 25}, 8, 200), ({"against": "m0"}, 8, 400),
    ({"interval": "normal"}, 8, 400), ({"blocks": 10}, 8, 400)])
def test_twins_are_seldom_told_apart(options, models, n):
    """Of 60 data sets at most 7; the page of intervals has the shares (pairs alone: half of them or more)."""
    wrong = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y, given = twins(rng, n, models)
        chosen = options | ({"groups": np.arange(n) % options["groups"]} if "groups" in options else {})
        table = pwu.compare(y, given, SCORE, n_resamples=300, seed=seed, **chosen).table
        wrong += table["verdict"].isin(["costlier", "cheaper"]).any()
    assert wrong <= 7


@pytest.mark.slow
def test_verdict_and_set_say_the_same():
    for seed in range(4):
        y, given = twins(np.random.default_rng(seed), 200, 4)
        given |= {f"worse {j}": np.clip(0.5 + 0.3 * (given["m0"] - 0.5) * j, 0, 1) for j in range(3)}
        for score in (SCORE, classification.brier_score, pwu.PWU(pwu.TopK(), pwu.Beta(2, 10))):
            table = pwu.compare(y, given, score, n_resamples=100, seed=seed).table
            assert (table["may be best"] == (table["verdict"] != "costlier")).all()
            assert (table.loc[table["verdict"] == "costlier", "difference low"] > 0).all()
        named = pwu.compare(y, given, SCORE, n_resamples=100, against="m1").table
        assert not named.loc[named["verdict"] == "costlier", "may be best"].any()
        assert not named.loc["m1", "may be best"] or not (named["verdict"] == "cheaper").any()


def test_of_two_models_the_pair_decides():
    y, given = twins(np.random.default_rng(3), 400, 2, noise=0.2)
    given["m1"] = 1 - given["m1"]
    table = pwu.compare(y, given, SCORE, n_resamples=200).table
    assert table["verdict"].tolist() == ["best", "costlier"] and table["may be best"].tolist() == [True, False]
    against = pwu.compare(y, given, SCORE, n_resamples=200, against="m1").table
    assert against.loc["m0", "verdict"] == "cheaper"
    assert against["may be best"].to_dict() == {"m0": True, "m1": False}


@pytest.mark.parametrize("options", [{}, {"interval": "normal"}, {"against": "a"}])
def test_copies_and_ties_make_nobody_costlier(options):
    y, given = twins(np.random.default_rng(0), 300, 1)
    same = {name: given["m0"].copy() for name in "abcde"}
    table = pwu.compare(y, same, SCORE, n_resamples=100, **options).table
    assert table["may be best"].all() and not table["verdict"].isin(["costlier", "cheaper"]).any()
    tied = {"a": given["m0"], "b": given["m0"] + 1e-15, "c": given["m0"] * (1 - 1e-16), "worst": 1 - given["m0"]}
    table = pwu.compare(y, tied, SCORE, n_resamples=100, **options).table
    assert table["may be best"].to_dict() == {"a": True, "b": True, "c": True, "worst": False}


def test_a_constant_difference_is_certain_and_copies_of_the_worst_go_together():
    loss = np.random.default_rng(1).random(50)
    models = {"one": loss, "two": loss + 0.1, "three": loss + 0.1, "four": loss + 0.3, "five": loss.copy()}
    table = pwu.compare(np.arange(50), models, Losses.score, n_resamples=50).table
    assert sorted(table.index[table["may be best"]]) == ["five", "one"]


@pytest.mark.parametrize("options", [{}, {"groups": True}, {"interval": "normal"}])
def test_neither_rows_nor_columns_nor_names_decide(options):
    rng = np.random.default_rng(2)
    y, given = twins(rng, 240, 6, noise=0.4)
    given["m5"] = 1 - given["m5"]
    groups = np.arange(240) // 6

    def stays(order, names):
        chosen = options | ({"groups": groups[order]} if "groups" in options else {})
        table = pwu.compare(y[order], {f"x{name}": given[name][order] for name in names}, SCORE, n_resamples=150,
                            **chosen).table
        return sorted(table.index[table["may be best"]])

    first = stays(np.arange(240), list(given))
    assert "xm5" not in first
    for _ in range(4):
        assert stays(rng.permutation(240), rng.permutation(list(given))) == first


def test_missing_forecasts_count_the_pairs():
    """One row by hand: Student's quantile for the three pairs of three models, or for two with a named reference."""
    y, given = twins(np.random.default_rng(0), 300, 3)
    given["m2"][:60] = np.nan
    limits = {}
    for against in (None, "m0"):
        result = pwu.compare(y, given, SCORE, n_resamples=300, against=against)
        reference = result.table.index[result.table["verdict"].isin(["best", "reference"])][0]
        name = next(name for name in given if name != reference)
        row, n = result.table.loc[name], result.table.loc[name, "cases"]
        both = ~np.isnan(given[name]) & ~np.isnan(given[reference])
        pair = pwu.compare(y[both], {key: given[key][both] for key in (reference, name)}, SCORE, n_resamples=300,
                           against=reference).table.loc[name]
        assert row["difference low"] == pair["difference low"] and row["cases needed"] > pair["cases needed"]
        pairs = pairs_of(3, against is not None)
        limits[against] = t.isf(0.05 / (2 * pairs), n - 1)
        ratio = (limits[against] + norm.ppf(0.8)) / (norm.ppf(0.975) + norm.ppf(0.8))
        assert row["cases needed"] == pytest.approx(pair["cases needed"] * ratio**2, abs=2)


def test_undefined_and_infinite_costs():
    rng = np.random.default_rng(0)
    y, given = twins(rng, 200, 3)
    given["never"] = np.where(y == 1, 0.0, 0.1)  # log loss infinite
    table = pwu.compare(y, given, classification.log_loss, n_resamples=100).table
    assert table.loc["never", "verdict"] == "costlier" and not table.loc["never", "may be best"]
    assert table.loc[["m0", "m1", "m2"], "may be best"].all()

    def sometimes(y_true, y_prob):  # undefined on resamples without an event
        return 1 - np.mean(y_prob[y_true == 1]) if np.any(y_true == 1) else np.nan

    rare = np.zeros(40, int)
    rare[:2] = 1
    table = pwu.compare(rare, {name: f[:40] for name, f in given.items()}, sometimes, n_resamples=100).table
    assert table["may be best"].all() and not (table["verdict"] == "costlier").any()


def test_words_say_first_who_may_be_the_best():
    y, given = twins(np.random.default_rng(1), 400, 3)
    given["flat"], given["wrong"] = np.full(400, 0.5), 1 - given["m0"]
    result = pwu.compare(y, given, SCORE, n_resamples=300)
    names = list(result.table.index[result.table["may be best"]])
    assert result.words[0] == f"Three of five may be the best: {', '.join(names)}."
    assert "(95% interval of the pair: " in result.words[1]
    assert "verdicts are about all 5 together" in result.notes[0]
    same = pwu.compare(y, {name: given["m0"] for name in "abc"}, SCORE, n_resamples=20)
    assert same.words[0] == "All three may be the best, as no model is shown to cost more than another."
    pair = pwu.compare(y, {name: given[name] for name in ("m0", "m1")}, SCORE, n_resamples=20)
    assert "may be" not in " ".join(pair.words) and "of the pair" not in " ".join(pair.words)
    assert "together" not in pair.notes[0]
    many = pd.DataFrame({"may be best": True, "verdict": "not separable", "cost": 1.0, "difference": 0.0,
                         "saving": 0.0, "saving low": 0.0, "saving high": 0.0}, [f"m{j}" for j in range(30)])
    many.loc["m0", "verdict"] = "best"
    many.loc["m29", "may be best"] = False
    assert in_words(many)[0].startswith("29 of 30 may be the best: m0, m1, ")
    assert in_words(many)[0].endswith(", m11, and 17 more.")


def test_a_pair_that_stands_alone_only_is_said_to():
    """Its own interval excludes zero, but some pair of so many does: the words say so, and need more cases."""
    for seed in range(40):
        y, given = twins(np.random.default_rng(seed), 400, 12)
        result = pwu.compare(y, given, SCORE, n_resamples=200, seed=seed)
        alone = result.table[(result.table["difference low"] > 0) & result.table["may be best"]]
        if len(alone):
            break
    line = next(line for line in result.words if f"less than {alone.index[0]} " in line)
    assert "Not decided among twelve models, where some pair looks like this by chance" in line
    assert alone["cases needed"].iloc[0] > 400
    pair = pwu.compare(y, {name: given[name] for name in (result.table.index[0], alone.index[0])}, SCORE,
                       n_resamples=200, seed=seed).table
    assert pair["verdict"].iloc[1] == "costlier"


@pytest.mark.slow
def test_tallies_have_the_verdict_of_the_table():
    wrong = 0
    for seed in range(40):
        y, given = twins(np.random.default_rng(seed), 2000, 8)
        tallies = {name: pwu_desk.Tally() for name in given}
        for name, f in given.items():
            tallies[name].update(y, f, block=np.arange(2000) % 50)
        table = pwu_desk.compare_tallies(tallies, SCORE).table
        wrong += (table["verdict"] == "costlier").any()
        assert (table["may be best"] == (table["verdict"] != "costlier")).all()
    assert wrong <= 5


def losses(models):
    """Forecasts that are losses, and a score that takes them as they are."""
    from pwu_book.studies.twins import LOSSES

    return np.arange(len(next(iter(models.values())))), models, LOSSES


def test_few_groups_are_no_evidence_among_many_models():
    group, wrong = np.repeat(np.arange(10), 20), 0
    for seed in range(60):  # by the resamples alone 15% of these tables hold a false verdict
        rng = np.random.default_rng(seed)
        y, models, score = losses({str(j): rng.normal(size=10)[group] + rng.normal(size=200) for j in range(20)})
        table = pwu.compare(y, models, score, groups=group, n_resamples=200, seed=seed).table
        wrong += (table["verdict"] == "costlier").any()
    assert wrong <= 6


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-5, 1e-7, 1e-9])
def test_the_errors_of_near_copies_are_theirs(size):
    wrong = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        near = rng.random(500)
        y, models, score = losses({str(j): near + size * rng.normal(size=500) for j in range(10)})
        wrong += (pwu.compare(y, models, score, interval="normal").table["verdict"] == "costlier").any()
    assert wrong <= 6


def test_the_variance_in_time_is_that_of_newey_and_west():
    from pwu_lite.reporting.intervals import _drawn, _stretches

    rng = np.random.default_rng(0)
    rows, h = rng.normal(size=(4, 90)), 7
    by_hand = rows @ rows.T
    for step in range(1, h):
        lagged = rows[:, step:] @ rows[:, :-step].T
        by_hand += (1 - step / h) * (lagged + lagged.T)
    by_hand *= 90 / (91 - 2 * h + h * (h - 1) / 90)
    found = _stretches(rows, h - 1)
    assert found @ found.T == pytest.approx(by_hand, rel=1e-12)
    assert np.cov(_drawn(np.zeros(4), rows, h - 1, np.zeros(4, bool), 0).T) == pytest.approx(by_hand, rel=0.03, abs=2)


def test_a_cost_that_is_not_defined_says_nothing_of_others():
    rng = np.random.default_rng(1)
    y = rng.random(2000) < (p := rng.random(2000))

    def score(y_true, f):
        return np.nan if (f == 0.123).all() else float(np.mean((y_true - f) ** 2))

    models = {"good": p, "flat": np.full(2000, 0.5), "lost": np.full(2000, 0.123)}
    result = pwu.compare(y, models, score, n_resamples=200)
    assert result.table.loc[["good", "flat", "lost"], "verdict"].tolist() == ["best", "costlier", "undefined"]
    assert result.table.loc["good", "share best"] == 1
    assert "good and lost cannot be compared: on these cases the cost of lost is not defined." in result.words


def test_an_infinite_cost_has_a_sentence_of_its_own():
    rng = np.random.default_rng(1)
    y = rng.random(500) < (p := rng.uniform(0.1, 0.9, 500))
    never = np.where(np.arange(500) == np.flatnonzero(y)[0], 0.0, p)
    words = pwu.compare(y, {"a": p, "b": never}, classification.log_loss, n_resamples=100).words
    assert words[0] == ("The cost of b is infinite on these cases, as a forecast excluded what happened; that of a is "
                        "not.")
    against = pwu.compare(y, {"a": p, "b": never, "c": 0.4 * p}, classification.log_loss, against="b",
                          n_resamples=100).words
    assert not any("nan" in line or "inf " in line for line in against)
    both = pwu.compare(y, {"a": never, "b": never}, classification.log_loss, n_resamples=100).words
    assert both[0].startswith("The costs of a and b are both infinite")


def test_a_best_model_may_be_the_best_where_forecasts_are_missing():
    found = set()
    for seed in range(25):
        rng = np.random.default_rng(seed)
        a, c = rng.normal(size=600), rng.normal(size=600)
        b = a + rng.normal(0, 0.3, 600) - 0.1
        b[:60] += 0.6
        c[60:] = np.nan
        table = pwu.compare(np.arange(600), {"a": a, "b": b, "c": c}, lambda y, loss: float(loss.mean()),
                            n_resamples=100).table
        first = table[table["verdict"].isin(["best", "reference"])]
        assert len(first) == 1 and (first["verdict"].iloc[0] == "reference" or first["may be best"].all())
        found |= set(first["verdict"])
    assert found == {"best", "reference"}


@pytest.mark.parametrize("options", [{"interval": "normal"}, {"interval": "hac", "blocks": 20}, {}])
def test_the_interval_that_is_printed_is_the_one_that_decides(options):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        a = np.exp(rng.normal(size=60))
        y, models, score = losses({"a": a, "b": a * np.exp(0.5 * rng.normal(size=60)) * 1.25})
        result = pwu.compare(y, models, score, n_resamples=200, **options)
        row, line = result.table.iloc[1], result.words[0]
        ends = line[line.index("interval: "):line.index(")")]
        assert ("more" in ends and "less" in ends) == (row["difference low"] < 0 < row["difference high"]), line
        assert (row["verdict"] == "costlier") == ("needed" not in line)
        if row["verdict"] == "not separable":
            assert row["cases needed"] > 60, line


def test_what_groups_are_called_and_in_which_order_they_come_changes_nothing():
    rng = np.random.default_rng(10)
    group = np.repeat(np.arange(12), 10)
    x = rng.normal(size=120)
    y = (rng.random(120) < 1 / (1 + np.exp(-x))).astype(int)
    models = {str(j): 1 / (1 + np.exp(-x - rng.normal(0, 0.5 + 0.3 * j, 120))) for j in range(3)}
    order, names = rng.permutation(120), np.array([f"g{one}" for one in rng.permutation(12)])
    for score in (pwu.PWU(pwu.TopK(), pwu.Beta(2, 10)), SCORE):
        one = pwu.compare(y, models, score, groups=group, n_resamples=60).table
        other = pwu.compare(y[order], {name: f[order] for name, f in models.items()}, score,
                            groups=names[group][order], n_resamples=60).table
        pd.testing.assert_frame_equal(one, other, rtol=1e-9)


def test_a_metric_that_is_not_one_average_is_compared_by_its_value():
    y, given = twins(np.random.default_rng(0), 100, 2)

    def both(y_true, f, **options):
        return classification.brier_score(y_true, f, **options) + classification.zero_one_loss(y_true, f, **options)

    own = pwu.metrics.Metric("both", "Both", "binary", True, True, both)
    assert pwu.compare(y, given, own, n_resamples=20).table.loc["m0", "cost"] == pytest.approx(own(y, given["m0"]))
    with pytest.raises(ValueError, match="does not say what it averages"):
        own.per_sample(y, given["m0"])


def test_the_order_of_the_columns_decides_nothing_where_costs_or_values_tie():
    u = np.random.default_rng(0).integers(0, 2, 200).astype(float)
    a = np.concatenate([u, 1 - u])
    c = a + 0.03 * (np.random.default_rng(1).random(400) < 0.5)
    y, models, score = losses({"a": a, "b": 1 - a, "c": c})
    one, other = (pwu.compare(y, given, score, n_resamples=200) for given in (models, dict(reversed(models.items()))))
    assert one.words == other.words
    rng = np.random.default_rng(1)
    x = rng.normal(-1, 1, 200)
    y = (rng.random(200) < 1 / (1 + np.exp(-x))).astype(int)
    ranks = {str(j): (np.argsort(np.argsort(x + rng.normal(0, 0.3 + 0.35 * j, 200))) + 0.5) / 200 for j in range(5)}
    one, other = (pwu.compare(y, given, SCORE, n_resamples=200) for given in (ranks, dict(reversed(ranks.items()))))
    pd.testing.assert_frame_equal(one.table, other.table.loc[one.table.index])


def test_a_difference_that_never_varies_has_a_word():
    rng = np.random.default_rng(4)
    rare = 0.01 - (rng.random(100) < 0.01)
    y, models, score = losses({"a": np.zeros(100), "b": np.full(100, 0.01)})
    assert not rare.min() < 0  # the same data, as drawn where one case in a hundred costs a unit less
    words = " ".join(pwu.compare(y, models, score).words)
    assert "In all 100 cases a difference is the same" in words and "Yet up to 3% of all cases" in words
    y, models, score = losses({"a": np.zeros(100), "b": rng.normal(size=100)})
    assert "is the same" not in " ".join(pwu.compare(y, models, score).words)
