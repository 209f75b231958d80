"""Groups: parts are disjoint and stratified, robust models have the least loss in the worst group."""

import itertools

import numpy as np
import pandas as pd
import pytest

from pwu_book import imprecise as ip
from pwu_book import tables
from pwu_book.studies import framingham, groups
from pwu_lite.metrics import classification as m

DATA = groups.load("breast cancer")
AGAIN = tables.load("framingham.csv.gz")


def test_parts_share_no_case_and_keep_groups_and_labels():
    train, test = groups.parts(DATA, 3)
    assert len(train.y) + len(test.y) == len(DATA.y)
    whole = np.vstack([train.X, test.X])
    assert len(np.unique(whole, axis=0)) == len(np.unique(DATA.X, axis=0))
    for group in np.unique(DATA.groups):
        shares = [part.y[part.groups == group].mean() for part in (train, test)]
        assert shares[0] == pytest.approx(shares[1], abs=0.02)
    assert train.X.mean(axis=0) == pytest.approx(np.zeros(train.X.shape[1]), abs=1e-12)
    other, _ = groups.parts(DATA, 4)
    assert not np.array_equal(other.X, train.X)


@pytest.mark.parametrize("c", [0.1, 0.7])
def test_a_robust_model_has_the_least_loss_in_the_worst_group(c):
    train, _ = groups.parts(DATA, 0)
    models = groups.fit(train, [0.1, 0.7])

    def worst(name, loss):
        return ip.by_group(loss, train.y, models[name](train.X)[0], groups=train.groups)["score"].max()

    def winkler(y, f):
        return m.winkler_loss(y, f, c=c)

    singles = [name for name in models if name not in ("GBR", "never", "always")]
    assert worst(f"DRO({c:g})", winkler) <= min(worst(name, winkler) for name in singles) + 1e-3
    assert worst("DRO(log)", m.log_loss) <= min(worst(name, m.log_loss) for name in singles) + 1e-3


def test_nothing_depends_on_names_or_order_of_groups():
    train, test = groups.parts(DATA, 0)
    renamed = train._replace(groups=np.where(train.groups == "even", "z", "a"))
    turned = groups.Part(*(part[::-1] for part in train))
    for other in (renamed, turned):
        for name, forecast in groups.fit(train, [0.3]).items():
            assert groups.fit(other, [0.3])[name](test.X)[0] == pytest.approx(forecast(test.X)[0], abs=2e-3), name


def test_the_set_spans_the_groups_own_models():
    train, test = groups.parts(DATA, 1)
    low, high = groups.fit(train, [0.3])["GBR"](test.X)
    own = [groups.fit(groups.Part(*(part[train.groups == g] for part in train))._replace(
        groups=np.resize(["x", "y"], (train.groups == g).sum())), [0.3])["ERM"](test.X)[0] for g in ("even", "rough")]
    assert np.minimum(*own) == pytest.approx(low, abs=5e-3) and np.maximum(*own) == pytest.approx(high, abs=5e-3)


def test_the_stored_tables_say_where_they_come_from():
    about = tables.load("groups_about.csv.gz")
    assert about[about["dataset"] == "heart"]["n"].sum() == 920
    table = tables.load("groups_scores.csv.gz")
    assert table.groupby("dataset")["split"].nunique().eq(groups.SPLITS).all()
    with pytest.raises(ValueError, match="no data set"):
        groups.load("moons")


PRINTED = tables.load("ip_tables.csv")
RUNS = tables.load("groups_scores.csv.gz")


def test_printed_wins_of_the_trained_model():
    """Of the four columns; and on Framingham a constant is as good as the GBR, better than the model trained for it."""
    wins = {}
    for key, block in PRINTED.groupby(["table", "part"], sort=False):
        table = block.set_index("model")
        wins[key] = sum(table.loc[f"DRO({c:g})", f"{c:g}"] == table[f"{c:g}"].min() for c in groups.COSTS)
    assert list(wins.values()) == [4, 4, 2, 1, 4, 3]
    column = PRINTED[(PRINTED["table"] == "Framingham") & (PRINTED["part"] == "train")].set_index("model")["0.1"]
    always = 0.1 * max((5091 - 2567) / 5091, (662 - 330) / 662)
    assert round(always, 4) == column["GBR"] and column.idxmax() == "DRO(0.1)"


def test_table_2_at_converged_minima():
    """As often as printed, or more; near the print where a single smooth loss is minimised; never above it at its own
    cost share."""
    for part, wins, found in (("train", 2, 4), ("test", 1, 1)):
        ours, printed = framingham.compared(AGAIN, part)
        assert framingham.wins(printed) == wins <= framingham.wins(ours)
        assert framingham.by_start(AGAIN, part) == dict.fromkeys(framingham.STARTS, found)
        assert (ours - printed).abs().to_numpy().mean() < 0.006
        assert (ours - printed).loc[["GBR", "ERM"]].abs().to_numpy().max() < 0.007
    ours, printed = framingham.compared(AGAIN, "train")
    assert all(ours.loc[f"DRO({c:g})", c] < printed.loc[f"DRO({c:g})", c] for c in ours)


def test_wins_are_counted_with_the_minima_of_one_start():
    """A small table: from "zero" the model for 0.1 is best at 0.1, and from every other start it is not."""
    cost = {"GBR": 0.3, "ERM": 0.3, "DRO(log)": 0.3, "DRO(0.1)": 0.1}
    cost |= {f"DRO(0.1) from {start}": 0.2 if start == "zero" else 0.4 for start in framingham.STARTS}
    table = pd.DataFrame([{"model": name, "part": "train", "c": 0.1, "worst": value} for name, value in cost.items()])
    assert framingham.by_start(table, "train") == {start: int(start == "zero") for start in framingham.STARTS}


PANELS = ["either", "wait", "act"]


def test_announced_and_paid_on_framingham():
    """Too much at most, in all pooled cells; in almost all of the figure's three panels, by part."""
    either = AGAIN[AGAIN["part"] == "test"].set_index("model")["either"]
    assert (either["GBR"] <= 0).all() and (either.drop(["GBR", "drawn"]) > 0).all()
    for part, good in (("train", 10), ("test", 8)):
        rows = AGAIN[AGAIN["part"] == part].set_index("model")[PANELS]
        values = rows.loc["GBR"].to_numpy().ravel()
        assert ((values <= 0).sum(), np.isfinite(values).sum()) == (good, 11)
        single = rows.loc[["ERM", "DRO(log)", *(f"DRO({c})" for c in groups.COSTS)]].to_numpy()
        assert np.mean(single[np.isfinite(single)] > 0) > 0.85


def test_the_gbr_is_often_best_on_test():
    worst = AGAIN[AGAIN["part"] == "test"].pivot(index="model", columns="c", values="worst").drop("drawn")
    worst = worst[~worst.index.str.contains(" from ")]
    assert (worst.idxmin() == "GBR").sum() == 3


def test_trained_for_a_cost_and_announcing_best_at_it():
    """Of each model for a cost share, where it announces least too little: on its own side of one half, or not."""
    own = {panel: 0 for panel in PANELS}
    for part, panel, c in itertools.product(("train", "test"), PANELS, groups.COSTS):
        short = AGAIN[AGAIN["part"] == part].pivot(index="model", columns="c", values=panel).loc[f"DRO({c})"]
        own[panel] += (short.idxmin() < 0.5) == (c < 0.5)
    assert own == {"either": 7, "wait": 4, "act": 5} and sum(own.values()) == 16 < 24


def test_models_of_the_log_loss_announce_best_at_either_end():
    """Where they announce least too little, over panels and parts: at a small cost share as well as at a large one."""
    for model in ("ERM", "DRO(log)"):
        low = [AGAIN[AGAIN["part"] == part].pivot(index="model", columns="c", values=panel).loc[model].idxmin() < 0.5
               for part, panel in itertools.product(("train", "test"), PANELS)]
        assert 1 < sum(low) < 5


def test_members_of_the_gbr_do_not_depend_on_how_the_features_were_scaled():
    """Each is fitted to features that its own group scales: in other units it says the same, whereas Adam alone not."""
    train, _ = groups.parts(DATA, 0)
    other = train._replace(X=train.X * np.linspace(0.5, 3, train.X.shape[1]) + 7)
    said = [groups._design(part) @ framingham._adam_scaled(part, 200) for part in (train, other)]
    np.testing.assert_allclose(*said, atol=1e-8)
    alone = [groups._design(part) @ framingham._adam(part, 200) for part in (train, other)]
    assert np.abs(alone[0] - alone[1]).max() > 0.1
    middle, spread = train.X.mean(axis=0), train.X.std(axis=0)
    gbr = [framingham.fit(part, (), 200)["GBR"](part.X) for part in (train, other)]
    np.testing.assert_allclose(*gbr, atol=1e-8)
    inside = train._replace(X=(train.X - middle) / spread)
    np.testing.assert_allclose(said[0], groups._design(inside) @ framingham._adam(inside, 200))


def test_as_many_of_both_labels_and_adam():
    y = np.array([0, 0, 0, 0, 1, 0, 1])
    rows = framingham._as_many_of_both(np.arange(7), y)
    assert np.bincount(y[rows]).tolist() == [5, 5] and rows[:7].tolist() == list(range(7))
    train, _ = groups.parts(DATA, 0)
    start, later, end = (framingham._adam(train, steps) for steps in (0, 500, 5000))
    loss = [groups._log_loss(groups._design(train) @ theta, train.y)[0].mean() for theta in (start, later, end)]
    best = groups._mean_fit(train, groups._log_loss, end, 0.0)
    assert loss[0] > loss[1] > loss[2] > groups._log_loss(groups._design(train) @ best, train.y)[0].mean() - 1e-12


def test_the_seven_models_of_table_2_on_other_data():
    train, test = groups.parts(DATA, 2)
    models = framingham.fit(train, [0.3], steps=50)
    from_starts = [f"DRO(0.3) from {start}" for start in framingham.STARTS]
    assert list(models) == ["GBR", "ERM", "DRO(log)", "DRO(0.3)", *from_starts]
    costs = {name: groups.worst_group(0.3, train, *forecast(train.X)) for name, forecast in models.items()}
    assert costs["DRO(0.3)"] <= costs["ERM"]
    assert all((low <= high).all() for low, high in (forecast(test.X) for forecast in models.values()))


def share_best(dataset, part):
    """Share of splits and cost shares at which the model trained for the cost is best."""
    runs = RUNS[(RUNS["dataset"] == dataset) & (RUNS["part"] == part) & RUNS["c"].isin(groups.COSTS)
                & ~RUNS["model"].isin(["never", "always", "drawn"])]
    table = runs.pivot_table(index=["split", "c"], columns="model", values="worst")
    own = np.array([row[f"DRO({key[1]:g})"] for key, row in table.iterrows()])
    return np.mean(own <= table.min(axis=1) + 1e-12)


def test_trained_for_a_cost_and_best_at_it():
    """Direction replicated: more often than one of seven by chance on train everywhere, and not on test everywhere."""
    train = {name: share_best(name, "train") for name in RUNS["dataset"].unique()}
    test = {name: share_best(name, "test") for name in RUNS["dataset"].unique()}
    assert min(train.values()) > 2 / 7 and max(train.values()) > 0.7
    assert min(test.values()) < 1 / 7 < max(test.values()) < 0.5


def test_sets_announce_enough_and_single_models_do_not():
    shares = {}
    for (dataset, part, model), runs in RUNS[RUNS["c"].isin(groups.COSTS)].groupby(["dataset", "part", "model"]):
        gaps = runs[["either", "wait", "act"]].to_numpy().ravel()
        shares[dataset, part, model] = np.mean(gaps[~np.isnan(gaps)] <= 1e-9)
    sets = [share for (_, _, model), share in shares.items() if model == "GBR"]
    single = [share for (*_, model), share in shares.items() if model not in ("GBR", "never", "always", "drawn")]
    assert min(sets) > 0.5 and max(sets) > 0.9 and max(single) < 0.25
    assert min(sets) < 0.6  # on new patients with few cases it weakens: direction replicated


def test_stored_scores_are_what_the_code_computes():
    data = groups.load("breast cancer")
    again = groups.evaluate(data, 3, grid=[0.3, 0.9])
    stored = RUNS[(RUNS["dataset"] == "breast cancer") & (RUNS["split"] == 3) & RUNS["c"].isin([0.3, 0.9])]
    both = again.merge(stored, on=["model", "part", "c"], suffixes=("", " stored"))
    assert len(both) == len(again)
    gaps = (both["worst"] - both["worst stored"]).abs()
    assert gaps.median() < 1e-6 and gaps.max() < 1e-2  # on another processor one trained model may stop beside its own
    assert gaps.gt(2e-3).sum() <= 1
