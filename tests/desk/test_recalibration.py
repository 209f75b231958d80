"""`--recalibrate` and `--missing bounds`: what the command says, against the same thing by hand."""


import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from pwu_desk import command
from pwu_desk.recalibration import FOLDS, recalibrated
from pwu_desk.robust import missing_labels
from pwu_lite import PWU, BinaryDecision, elicitation

from .told import parsed

RANDOM = np.random.default_rng(5)
N = 600
PEOPLE = np.repeat(np.arange(N // 2), 2)
P = RANDOM.beta(1, 4, N)
Y = (RANDOM.random(N) < P).astype(int)
MODELS = {"right": P, "high": expit(1.5 + 0.7 * logit(P)), "noisy": np.clip(P + RANDOM.normal(0, 0.1, N), 0, 1)}
SCORE = PWU(BinaryDecision(), elicitation.beta_from_quantiles(1 / 31, 1 / 4))


@pytest.fixture
def ask(capsys, tmp_path):
    def asked(table, *words, ratio="3:30", form="--json"):
        path = tmp_path / "table.csv"
        table.to_csv(path, index=False)
        code = command.main(["compare", str(path), "--truth", "y", "--ratio", ratio, "--resamples", "50", form, *words])
        said = capsys.readouterr()
        return said.err if code else parsed(said.out) if form == "--json" else " ".join(said.out.split())

    return asked


def table(**more):
    return pd.DataFrame({"person": [f"p{i}" for i in PEOPLE], "y": Y, **MODELS, **more})


def test_a_map_has_seen_no_case_of_its_fold():
    """With the outcomes of one person turned round, only the maps of other people's folds move."""
    before = recalibrated(Y, MODELS, groups=PEOPLE)["high"]
    turned = np.where(PEOPLE == 7, 1 - Y, Y)
    after = recalibrated(turned, MODELS, groups=PEOPLE)["high"]
    still = np.isclose(before, after, rtol=0, atol=1e-12)
    assert still[PEOPLE == 7].all() and 0.1 < still.mean() < 0.3  # one fold of five
    assert all(len(set(still[PEOPLE == person])) == 1 for person in set(PEOPLE))


def test_the_map_is_the_one_of_a_logistic_regression():
    linear = pytest.importorskip("sklearn.linear_model")
    found = recalibrated(Y, MODELS, groups=PEOPLE)["noisy"]
    odds = logit(np.clip(MODELS["noisy"], 1e-6, 1 - 1e-6))[:, None]
    fold = (np.random.default_rng(0).permutation(N // 2) % FOLDS)[PEOPLE]
    for k in range(FOLDS):
        peer = linear.LogisticRegression(C=np.inf, tol=1e-10).fit(odds[fold != k], Y[fold != k])
        assert found[fold == k] == pytest.approx(peer.predict_proba(odds[fold == k])[:, 1], rel=1e-3)


@pytest.mark.parametrize("groups", [None, PEOPLE])
def test_row_order_and_weights_in_copies_change_nothing(groups):
    order = RANDOM.permutation(N)
    found = recalibrated(Y, MODELS, groups=groups, seed=3)
    again = recalibrated(Y[order], {name: f[order] for name, f in MODELS.items()},
                         groups=None if groups is None else groups[order], seed=3)
    assert all(again[name] == pytest.approx(found[name][order], abs=1e-6) for name in MODELS)
    if groups is not None:
        twice = recalibrated(np.tile(Y, 2), {name: np.tile(f, 2) for name, f in MODELS.items()},
                             groups=np.tile(groups, 2), sample_weight=np.repeat([1.0, 2.0], N), seed=3)
        assert all(twice[name][:N] == pytest.approx(found[name], abs=1e-6) for name in MODELS)


def test_it_repairs_calibration_and_leaves_the_calibrated_alone():
    after = recalibrated(Y, MODELS, groups=PEOPLE)
    assert SCORE(Y, after["high"]) < SCORE(Y, MODELS["high"])
    assert after["high"] == pytest.approx(after["right"], abs=1e-5)  # one logit is a line in the other
    assert np.abs(after["right"] - P).mean() < 0.04


@pytest.mark.parametrize(("y", "groups", "words"), [
    (Y, np.arange(N) % 4, "at least 5 groups, got 4"),
    (np.arange(N) == 3, None, "all outcomes are the same"),
    (Y, [None] * N, "missing"),
    (Y[:-1], None, "lengths|length")])
def test_what_cannot_be_recalibrated_is_refused(y, groups, words):
    with pytest.raises(ValueError, match=words):
        recalibrated(y, MODELS, groups=groups)


def test_probabilities_of_zero_and_one_and_separable_folds_stay_finite():
    y = np.tile([0, 1], 50)
    after = recalibrated(y, {"knows": y.astype(float), "float32": np.where(y, 0.9, 0.2).astype("float32")})
    assert all(np.isfinite(f).all() and (f >= 0).all() and (f <= 1).all() for f in after.values())
    assert (after["knows"][y == 1] > 0.99).all() and (after["knows"][y == 0] < 0.01).all()


def test_a_case_without_an_outcome_fits_no_map():
    """The maps are those of the others, whatever stands beside a missing outcome; it takes the map of its fold."""
    missing = np.zeros(len(Y), dtype=bool)
    missing[np.unique(PEOPLE, return_index=True)[1]] = True  # one of each person, who has others
    assert set(PEOPLE[missing]) == set(PEOPLE[~missing])
    labels = np.where(missing, np.nan, Y)
    found = recalibrated(labels, MODELS, groups=PEOPLE)
    alone = recalibrated(Y[~missing], {name: f[~missing] for name, f in MODELS.items()}, groups=PEOPLE[~missing])
    odd = recalibrated(labels, {name: np.where(missing, 0.999, f) for name, f in MODELS.items()}, groups=PEOPLE)
    for name in MODELS:
        assert np.isfinite(found[name]).all()
        assert found[name][~missing] == pytest.approx(alone[name], abs=1e-9)
        assert odd[name][~missing] == pytest.approx(alone[name], abs=1e-9)


def test_the_command_recalibrates_by_other_people(ask):
    found = ask(table(), "--recalibrate", "--groups", "person", "--seed", "4")
    by_hand = recalibrated(Y, MODELS, groups=[f"p{i}" for i in PEOPLE], seed=4)
    assert {one["name"]: one["cost"] for one in found["models"]} == pytest.approx(
        {name: SCORE(Y, f) for name, f in by_hand.items()}, rel=1e-6)
    assert any("fitted each time to other groups (person)" in line for line in found["remarks"])
    assert "other cases" in ask(table().drop(columns="person"), "--recalibrate", form="--markdown") + str(
        ask(table().drop(columns="person"), "--recalibrate")["remarks"])


def test_bounds_are_those_of_every_set_of_outcomes(ask):
    """Three outcomes are missing: all eight sets of them, by hand."""
    few = table().iloc[:60].drop(columns=["person", "noisy"])
    few["y"] = few["y"].astype("Int64")
    few.loc[[4, 17, 40], "y"] = pd.NA
    found = ask(few, "--missing", "bounds")
    best, other = (one["name"] for one in found["models"])
    gaps = []
    for filled in np.ndindex(2, 2, 2):
        y = few["y"].to_numpy(dtype=float, na_value=np.nan)
        y[[4, 17, 40]] = filled
        gaps.append(SCORE(y, few[other]) - SCORE(y, few[best]))
    ends = found["missing"][other]
    assert (ends["lower"], ends["upper"]) == pytest.approx((min(gaps), max(gaps)), rel=1e-9)
    known = few.dropna()
    assert found["models"][0]["cost"] == pytest.approx(SCORE(known["y"].astype(int), known[best]), rel=1e-12)
    line = next(line for line in found["remarks"] if "have no outcome" in line)
    assert line.startswith("3 of 60 cases have no outcome.") and f"{min(gaps):+.3g} and {max(gaps):+.3g}" in line
    assert ("they cannot reverse" if min(gaps) > 0 else "they could reverse") in line


def test_recalibrated_models_are_bounded_where_there_is_no_outcome(ask):
    """A case without an outcome takes the map of its fold; percentages are divided, and both are said."""
    gaps = table().drop(columns="noisy").assign(high=lambda one: 100 * one["high"]).astype({"y": "Int64"})
    gaps.loc[gaps.index[::9], "y"] = pd.NA
    found = ask(gaps, "--missing", "bounds", "--recalibrate", "--percent", "high", "--groups", "person")
    known = gaps["y"].notna().to_numpy()
    labels = np.where(known, Y, np.nan)
    after = recalibrated(labels, {"right": MODELS["right"], "high": MODELS["high"]},
                         groups=[f"p{i}" for i in PEOPLE])
    assert {one["name"]: one["cost"] for one in found["models"]} == pytest.approx(
        {name: SCORE(Y[known], f[known]) for name, f in after.items()}, rel=1e-6)
    best, other = (one["name"] for one in found["models"])
    by_hand = missing_labels(SCORE.family, SCORE.priors[0], labels, after[other], after[best])
    ends = found["missing"][other]
    assert (ends["lower"], ends["upper"], ends["tipping"]) == pytest.approx(
        (by_hand.lower, by_hand.upper, by_hand.tipping), abs=1e-9)
    assert "high is divided by 100: it has percentages." in found["remarks"]
    assert any("fitted each time to other groups (person)" in line for line in found["remarks"])


@pytest.mark.parametrize(("change", "said"), [
    ({"high": 200.0}, "a percentage is at most 100"), ({"high": 0.4}, "seem to be shares"),
    ({"high": "4%"}, "says itself that it is in per cent")])
def test_percentages_that_are_none_are_refused(ask, change, said):
    assert said in ask(table().drop(columns="noisy").assign(**change), "--percent", "high")


def test_the_number_of_events_that_tips_tips(ask):
    """That many events turn the order round, one fewer does not, whichever cases they are."""
    rows = pd.DataFrame({"y": [1, 0, 0, 1, 0, 0, 0, 1] * 20, "low": 0.02, "high": 0.3}).astype({"y": "Int64"})
    rows.loc[rows.index >= 20, "y"] = pd.NA
    rows["low"] += np.linspace(0, 0.01, len(rows))
    rows["high"] += np.linspace(0, 0.02, len(rows))
    found = ask(rows, "--missing", "bounds")
    best, other = (one["name"] for one in found["models"])
    tips = found["missing"][other]["tipping"]

    def gap(events):
        y = rows["y"].fillna(0).to_numpy(dtype=float)
        y[20:20 + events] = 1
        return SCORE(y, rows[other]) - SCORE(y, rows[best])

    assert 1 < tips < 100 and np.sign(gap(tips + 1)) == -np.sign(gap(0)) and np.sign(gap(tips - 2)) == np.sign(gap(0))
    assert f"can be reversed by as few as {tips:,} events" in " ".join(found["remarks"])


def test_an_error_after_the_gaps_names_the_line_of_the_file(ask):
    gaps = table().astype({"y": "Int64", "high": object}).drop(columns=["person", "noisy"])
    gaps.loc[[0, 1, 2], "y"] = pd.NA
    gaps.loc[9, "high"] = "n.d."
    assert "line 11, column 'high'" in ask(gaps, "--missing", "bounds", "--models", "right,high")


@pytest.mark.parametrize(("words", "said"), [
    (["--missing", "bounds", "--blocks", "5"], "without --blocks"),
    (["--recalibrate", "--missing", "pairwise"], "needs every forecast"),
    (["--recalibrate", "--decision", "top-k"], "is for --decision binary")])
def test_options_that_do_not_go_together_are_refused(ask, words, said):
    assert said in ask(table(), *words)


def test_without_the_option_a_missing_outcome_says_which_option_there_is(ask):
    gaps = table().astype({"y": "Int64"})
    gaps.loc[3, "y"] = pd.NA
    said = ask(gaps)
    assert "line 5, column 'y': expected an outcome" in said and "--missing bounds" in said
    assert "column 'y' has no outcome" in ask(gaps.assign(y=pd.NA), "--missing", "bounds")


def test_outcomes_cannot_reverse_the_order_of_models_with_the_same_acts(ask):
    """At one known ratio two models may act alike: whatever the missing outcomes are, they cost the same."""
    rows = table().iloc[:60].drop(columns=["person", "noisy"]).astype({"y": "Int64"})
    rows["high"] = np.where(rows["right"] > 0.1, (rows["right"] + 1) / 2, rows["right"] / 2)
    rows.loc[[4, 17], "y"] = pd.NA
    found = ask(rows, "--missing", "bounds", ratio="9")
    ends = next(iter(found["missing"].values()))
    assert ends["lower"] == ends["upper"] == 0 and "they cannot reverse" in " ".join(found["remarks"])
    rows.loc[4, "high"] = 0.05 if rows.loc[4, "right"] > 0.1 else 0.95  # they act differently on one of these two
    assert "they could reverse" in " ".join(ask(rows, "--missing", "bounds", ratio="9")["remarks"])


def test_bounds_with_nothing_missing_change_nothing(ask):
    plain, bounds = ask(table()), ask(table(), "--missing", "bounds")
    assert plain == bounds
