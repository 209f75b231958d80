"""What a file's numbers alone make one doubt is said, or asked: rows of a fit, the other label, capped demand."""


import numpy as np
import pandas as pd
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.tree import DecisionTreeClassifier

import pwu_lite as pwu
from pwu_desk import command, doubts

from .told import parsed

N = 400
rng = np.random.default_rng(5)
Y = (rng.random(N) < 0.3).astype(int)
GOOD = np.clip(0.25 + 0.3 * Y + rng.normal(0, 0.15, N), 0.01, 0.99).round(6)
POOR = np.clip(0.28 + 0.1 * Y + rng.normal(0, 0.15, N), 0.01, 0.99).round(6)
AT = ["--threshold", "0.2"]


@pytest.fixture
def ask(capsys, tmp_path):
    def asked(table, *words):
        table.to_csv(tmp_path / "p.csv", index=False)
        code = command.main(["compare", str(tmp_path / "p.csv"), "--json", "--resamples", "50", *words])
        said = capsys.readouterr()
        return parsed(said.out) if code == 0 else said.err
    return asked


def costs(found):
    return {one["name"]: one["cost"] for one in found["models"]}


def near(y, f):
    return pytest.approx(pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.2))(y, f), rel=1e-4)


@pytest.mark.parametrize("name, inside, outside", [
    ("sample", "in", "out"), ("cohort", "north", "south"), ("_ROLE_1", 1, 2), ("set", "A", "B")])
def test_a_model_that_knows_some_rows_is_named_whatever_their_column_is_called(ask, name, inside, outside):
    rows = np.arange(N) % 2 == 0
    table = pd.DataFrame({"y": Y, "tree": np.where(rows, 0.05 + 0.9 * Y, POOR), "line": GOOD,
                          name: np.where(rows, inside, outside)})
    doubt = f"tree is far nearer to the outcomes where {name} = {inside} than elsewhere"
    assert any(doubt in line for line in ask(table, "--truth", "y", *AT)["remarks"])
    alone = ask(table, "--truth", "y", *AT, "--only", f"{name}={outside}")
    assert not any("far nearer" in line for line in alone["remarks"]) and costs(alone)["line"] < costs(alone)["tree"]
    harder = table.assign(tree=POOR)  # a part that is harder for every model says nothing
    harder[["tree", "line"]] = np.where(rows[:, None], 0.05 + 0.9 * Y[:, None], harder[["tree", "line"]])
    assert not any("far nearer" in line for line in ask(harder, "--truth", "y", *AT)["remarks"])


def test_a_forecast_of_another_column_is_named_by_its_numbers_or_its_name(ask):
    """Two labels of one patient, a forecast of each; a predicted label is no other outcome."""
    hurt = (np.random.default_rng(8).random(N) < np.where(Y == 1, 0.5, 0.2)).astype(int)
    of_hurt = np.clip(0.2 + 0.4 * hurt + np.random.default_rng(9).normal(0, 0.15, N), 0.01, 0.99).round(6)
    table = pd.DataFrame({"ill": Y, "hurt": hurt, "new": GOOD, "old": of_hurt})
    wanted = "old goes with hurt more than with ill: is it a forecast of that? --models names the forecasts of ill."
    assert wanted in ask(table, "--truth", "ill", *AT)["remarks"]
    assert not any("goes with" in one for one in ask(table, "--truth", "ill", "--models", "new", *AT)["remarks"])
    named = pd.DataFrame({"ill": Y, "hurt": hurt, "ill_cnn": GOOD, "hurt_cnn": POOR})  # no nearer: the name says it
    assert any("hurt_cnn goes with hurt" in one for one in ask(named, "--truth", "ill", *AT)["remarks"])
    says = (of_hurt > 0.3).astype(int)
    for other in (says, Y, rng.integers(0, 2, N)):
        found = ask(pd.DataFrame({"ill": Y, "flag": other, "new": GOOD, "old": of_hurt}), "--truth", "ill", *AT)
        assert not any("flag" in one and "go" in one for one in found["remarks"]), found["remarks"]


def test_rows_that_a_join_has_copied_are_named(ask):
    """Rounded forecasts that meet by chance are not; nor is a file with its cases named."""
    table = pd.DataFrame({"order": np.arange(N), "y": Y, "a": GOOD, "b": POOR})
    join = pd.concat([table, table.iloc[:90]]).assign(item=np.arange(N + 90) % 7).sample(frac=1, random_state=1)
    found = ask(join, "--truth", "y", *AT)["remarks"]
    assert any(one.startswith("90 of 490 rows have the outcome and the forecasts of an earlier row") for one in found)
    by_order = ask(join, "--truth", "y", "--groups", "order", *AT)["remarks"]
    for quiet in (by_order, ask(table, "--truth", "y", *AT)["remarks"],
                  *(ask(table.round(digits), "--truth", "y", *AT)["remarks"] for digits in (1, 2)),
                  ask(pd.concat([table.round(2)] * 2), "--truth", "y", *AT)["remarks"]):
        assert not any("of an earlier row" in one for one in quiet)


def test_weights_of_orders_are_said(ask):
    """A number of the file that may weigh a case counts only if somebody says so."""
    sold = rng.integers(5, 20, N)
    table = pd.DataFrame({"sold": sold, "a_q10": sold - 3.0, "a_q90": sold + 2.0, "b_q10": sold - 1.0,
                          "b_q90": sold + 6.0, "weight": rng.random(N)})
    words = ("--truth", "sold", "--decision", "orders", "--ratio", "3")
    said = "Column weight may say how often each case counts: --weights weight takes it, --weights none does not."
    assert said in ask(table, *words)["remarks"]
    for answer in ("weight", "none"):
        assert said not in ask(table, *words, "--weights", answer)["remarks"]


def test_ranks_are_no_probabilities(ask):
    """Uniform forecasts lie further from an even grid, by chance alone."""
    ranks = pd.Series(GOOD).rank(pct=True)
    for one in (ranks, ranks.round(3), (ranks * 100).round(1) / 100, pd.Series(GOOD).rank(pct=True, method="min")):
        found = ask(pd.DataFrame({"y": Y, "good": GOOD, "place": one}), "--truth", "y", *AT)
        assert any("place is spread evenly" in line for line in found["remarks"])
    for seed in range(40):
        f = np.random.default_rng(seed).random(N)
        assert not doubts.ranks({"a": f}) and not doubts.ranks({"a": GOOD})


@pytest.mark.parametrize("column", [
    np.where(Y, "ill", "well"), np.where(GOOD > 0.4, "high", "low"), (np.abs(GOOD - Y) < 0.5).astype(int)])
def test_a_column_made_of_outcomes_or_forecasts_is_no_part_of_the_rows(ask, column):
    """A copy of the outcome, a predicted label, and where one model was right."""
    table = pd.DataFrame({"y": Y, "sure": np.clip(GOOD + 0.5 * Y, 0, 1), "good": GOOD, "poor": POOR, "column": column})
    assert not any("far nearer" in line for line in ask(table, "--truth", "y", "--models", "sure,good,poor", *AT)[
        "remarks"])


def test_forecasts_of_the_other_label_are_asked_about(ask):
    table = pd.DataFrame({"stayed": 1 - Y, "risk_a": GOOD, "risk_b": POOR})
    said = ask(table, "--truth", "stayed", *AT)
    assert "Write 1 - x of each; or say --event 0, and a miss is then one of 0; or --event 1 if" in said
    assert costs(ask(table, "--truth", "stayed", *AT, "--event", "0"))["risk_a"] == near(Y, GOOD)
    assert costs(ask(table, "--truth", "stayed", *AT, "--event", "1"))["risk_a"] == near(1 - Y, GOOD)


def test_ends_of_intervals_are_no_models_but_models_called_low_and_high_are(ask):
    ends = {"conf.low": (GOOD - 0.005), "conf.high": (GOOD + 0.005)}
    assert list(costs(ask(pd.DataFrame({"y": Y, "pred": GOOD, **ends}), "--truth", "y", *AT))) == ["pred"]
    models = pd.DataFrame({"y": Y, "well": GOOD, "high": np.minimum(GOOD + 0.1, 0.99)})
    assert set(costs(ask(models, "--truth", "y", *AT))) == {"well", "high"}
    assert len(costs(ask(models.rename(columns={"well": "low"}), "--truth", "y", *AT))) == 2


def test_whoever_names_the_models_may_have_fewer_cases_of_one(ask):
    parts = [pd.DataFrame({"id": np.arange(n), "y": Y[:n], "m": name, "p": f[:n]})
             for name, f, n in (("all", GOOD, N), ("some", POOR, 280))]
    found = ask(pd.concat(parts), "--truth", "y", "--model-column", "m", *AT)
    assert costs(found) == {"all": near(Y[:280], GOOD[:280]), "some": near(Y[:280], POOR[:280])}
    assert "120 cases are left out: not every value of m has them." in found["remarks"]


def test_a_probability_below_one_half_is_no_confidence(ask):
    said = np.where(GOOD >= 0.5, "T", "F")
    table = pd.DataFrame({"churn": np.where(Y, "T", "F"), "L": said, "LP": np.maximum(GOOD, 1 - GOOD), "LRP": GOOD})
    found = ask(table, "--truth", "churn", "--event", "T", *AT, "--confidence-of", "L")
    assert costs(found) == {"LP": near(Y, GOOD), "LRP": near(Y, GOOD)}
    assert "LP is read as the confidence of the label in L." in found["remarks"]


def test_not_to_know_is_no_answer_and_letters_before_words_are_asked_about(ask):
    right, n = np.tile(["Paris", "Rome", "Bern"], 30), 90
    given = np.where(np.arange(n) % 3 == 0, "I don\u2019t know.", right)
    table = pd.DataFrame({"gold": right, "m_answer": given, "m_confidence": 0.8})
    words = ["--truth", "gold", "--decision", "answers", "--ratio", "1:9"]
    blank = table.assign(m_confidence=np.where(np.arange(n) % 3 == 0, np.nan, 0.8))
    found = ask(table, *words)
    assert costs(found) == costs(ask(blank, *words)) and "m abstains from 30 of 90 answers." in found["remarks"]
    unsure = table.replace({"Rome": "unsure"}).assign(m_answer="unsure")  # here it is the right one of every third
    assert not any("abstains" in line for line in ask(unsure[unsure["gold"] == "unsure"], *words)["remarks"])
    letters = pd.DataFrame({"gold": np.tile(["A", "B"], 45), "m_confidence": 0.8,
                            "m_answer": np.tile(["B) Rome", "A) Paris", "A) Paris"], 30)})
    said = ask(letters, *words)
    assert "line 4 says 'A) Paris', right is 'A'" in said and "give a column m_right" in said


def test_sales_that_reach_the_stock_are_not_demand(ask):
    stock = rng.integers(5, 15, N)
    sold = np.minimum(rng.poisson(9, N), stock)
    table = pd.DataFrame({"sold": sold, "stock": stock, **{f"a_q{q}": np.full(N, 4 + q / 10) for q in (10, 50, 90)}})
    words = ["--truth", "sold", "--decision", "orders", "--ratio", "1:9"]
    reached = int((sold == stock).sum())
    doubt = f"equals it in {reached} of {N} rows: demand may have been larger"
    assert any(doubt in line for line in ask(table, *words)["remarks"])
    for other in (stock + 1, np.where(np.arange(N) < 300, sold, sold - 1)):  # never reached; exceeded in some rows
        assert not any("may have been larger" in line for line in ask(table.assign(stock=other), *words)["remarks"])


def test_repeats_without_a_column_and_numbers_that_stand_in(ask):
    table = pd.concat([pd.DataFrame({"y": Y, "a": GOOD, "b": POOR})] * 2, ignore_index=True)
    table["a"] += np.linspace(0, 0.001, 2 * N)
    assert any("come 2 times in the same order" in line for line in ask(table, "--truth", "y", *AT)["remarks"])
    half = pd.DataFrame({"y": Y, "a": np.where(np.arange(N) % 8 == 0, 0.5, GOOD), "b": POOR})
    assert any("a is 0.5 in 50 of 400 rows" in line for line in ask(half, "--truth", "y", *AT)["remarks"])


def test_a_follow_up_of_zero_is_a_follow_up(ask):
    table = pd.DataFrame({"status": Y, "cox": GOOD, "time": np.r_[0.0, rng.exponential(9, N - 1)]})
    assert any("looks like a time of follow-up" in line for line in ask(table, "--truth", "status", *AT)["remarks"])


@pytest.mark.parametrize("label, time", [("fstat", "lenfol"), ("y", "AVAL"), ("Ereignis", "Beobachtung")])
def test_a_follow_up_is_known_by_the_outcome_whatever_it_is_called(ask, label, time):
    """Exponential times, cases are watched for two to four years: events are the ones that came first."""
    came, watched = rng.exponential(1 / (0.2 + GOOD)), rng.uniform(2, 4, N)
    event = (came < watched).astype(int)
    table = pd.DataFrame({label: event, "cox": GOOD, "rsf": POOR, "age": rng.integers(20, 90, N) + 0.5,
                          time: np.round(365 * np.minimum(came, watched))})
    said = [line for line in ask(table, "--truth", label, *AT)["remarks"] if "--horizon T" in line]
    assert len(said) == 1 and said[0].startswith(f"Column {time} is mostly smaller where the event came")
    assert "If it is one, those who were lost early" in said[0] and f"--time {time}" in said[0]
    again = ask(table.assign(score=np.round(table[time] + rng.normal(0, 300, N)) + 2000), "--truth", label, *AT)
    assert [line for line in again["remarks"] if "--horizon T" in line] == said
    table[time] = rng.permutation(table[time])
    assert not [line for line in ask(table, "--truth", label, *AT)["remarks"] if "--horizon T" in line]


@pytest.mark.parametrize("event, other, told", [
    (1.0, 9.7, "is 1 for each event and 9.7 for the others"), (2.86, 0.61, "is 2.86 for each event"),
    (1, 12, "is 1 for each event and 12 for"), (1, 2, ""), (2, 4, ""), (3.5, 3.5, ""), (0, 7.5, "")])
def test_weights_of_a_sample_by_outcome_are_told_by_their_values(ask, event, other, told):
    found = ask(pd.DataFrame({"y": Y, "a": GOOD, "b": POOR, "invp": np.where(Y == 1, event, other)}), *AT)
    said = [line for line in found["remarks"] if "--weights invp" in line]
    assert [told in line for line in said] == [True] * bool(told)
    kinds = np.where(Y == 1, 1, np.where(np.arange(N) % 3 == 0, 4, 9))
    found = ask(pd.DataFrame({"y": Y, "a": GOOD, "b": POOR, "h": kinds}), *AT)
    assert any("h is 1 for each event and 4 to 9 for the others" in line for line in found["remarks"])


def test_a_threshold_for_each_segment_is_told_from_a_forecast(ask):
    kind = rng.choice(["new", "old", "vip"], N)
    cut = np.array([{"new": 0.1, "old": 0.25, "vip": 0.4}[one] for one in kind])
    table = pd.DataFrame({"y": Y, "a": GOOD + np.linspace(0, 0.01, N), "b": POOR, "kind": kind, "cut": cut})
    assert any(line.startswith("cut has one value for each value of kind") for line in ask(table, *AT)["remarks"])
    for other in (table.drop(columns="a").assign(b=cut[::-1]), table.assign(cut=rng.permutation(cut))):
        assert not any("one value for each value of" in line for line in ask(other, *AT)["remarks"])


def test_ranges_say_what_to_write(ask):
    table = pd.DataFrame({"y": Y, "a": GOOD})
    assert "write 20%" in ask(table, "--truth", "y", "--threshold", "20")
    assert "4 to one is --ratio 4" in ask(table, "--truth", "y", "--ratio", "4:1")
    said = ask(table.assign(y=np.where(np.arange(N) < 9, 9, Y)), "--truth", "y", *AT)
    assert "--only y=0 --only y=1" in said


def said(found):
    return " ".join(found["remarks"]) if isinstance(found, dict) else " ".join(found.split())


def test_one_model_of_the_other_label_is_told_also_where_the_event_is_named(ask):
    words = np.where(Y, "default", "paid")
    both = pd.DataFrame({"status": words, "rf": 1 - GOOD, "lr": 1 - POOR})
    told = ask(both, "--truth", "status", "--event", "default", *AT)
    assert "rf, lr are lower where the outcome is default: are they probabilities of paid?" in said(told)
    one = ask(pd.DataFrame({"y": Y, "rf": 1 - GOOD, "lr": GOOD, "gam": POOR}), "--truth", "y", *AT)
    assert "rf is lower where the outcome is 1: is it the probability of 0?" in said(one)
    weak = np.clip(0.7 - 0.02 * Y + np.random.default_rng(2).normal(0, 0.15, N), 0, 1)
    assert "weak is lower" in said(ask(pd.DataFrame({"y": Y, "weak": weak, "lr": GOOD}), "--truth", "y", *AT))
    assert "lower where" not in said(ask(pd.DataFrame({"y": Y, "a": GOOD, "b": POOR}), "--truth", "y", *AT))


def test_two_columns_of_labels_are_those_of_two_columns_of_confidences(ask):
    label = [np.where(f > 0.4, "spam", "ham") for f in (GOOD, POOR)]
    sure = [np.where(f > 0.4, 0.5 + f / 2, 1 - f / 2) for f in (GOOD, POOR)]
    table = pd.DataFrame({"truth": np.where(Y, "spam", "ham"), "a_label": label[0], "a_score": sure[0],
                          "b_label": label[1], "b_score": sure[1]})
    how = ["--truth", "truth", "--event", "spam", *AT, "--confidence-of", "a_label"]
    refused = ask(table, *how)
    assert "'b_label' holds labels, as 'a_label' does" in said(refused) and "--models a_score" in said(refused)
    assert set(costs(ask(table, *how, "--models", "a_score"))) == {"a_score"}


def test_zeros_odds_and_per_cent(ask):
    zeros = np.where(np.arange(N) % 4 == 0, 0.0, GOOD)
    told = said(ask(pd.DataFrame({"y": Y, "a": zeros, "b": POOR}), "--truth", "y", *AT))
    assert f"a is exactly 0 in {N // 4} of {N} rows" in told and "b is exactly" not in told
    sure = np.where(Y == 0, np.where(np.arange(N) % 2, 0.0, GOOD), GOOD)  # zeros where nothing happened are forecasts
    assert "exactly 0" not in said(ask(pd.DataFrame({"y": Y, "a": sure, "b": POOR}), "--truth", "y", *AT))
    odds = pd.DataFrame({"y": Y, "odds_a": GOOD / 2, "log_odds_b": POOR, "c": GOOD})
    left = ask(odds, "--truth", "y", *AT)
    assert set(costs(left)) == {"log_odds_b", "c"} and "write x / (1 + x)" in left["left_out"]["odds_a"]
    rare = np.zeros(4000, int)
    rare[::200] = 1
    noise = np.random.default_rng(4).random(4000)
    table = pd.DataFrame({"y": rare, "pd": 0.2 + 0.3 * rare + noise / 2, "ok": 0.002 + 0.01 * rare + noise / 200})
    told = said(ask(table, "--truth", "y", "--ratio", "300"))
    assert "is it in per cent?" in told and "ok is" not in told


@pytest.mark.parametrize("code", [-999, -1, 9999])
def test_a_sign_for_a_missing_outcome_and_a_total(ask, code):
    rng = np.random.default_rng(3)
    sold = rng.poisson(100, 60).astype(float)
    table = pd.DataFrame({"sku": [f"K{k}" for k in range(60)], "sold": sold, "a_q10": sold - 12, "a_q50": sold,
                          "a_q90": sold + 9, "b_q10": 80.0, "b_q50": 100.0, "b_q90": 120.0})
    orders = ["--truth", "sold", "--decision", "orders", "--ratio", "4"]
    assert "missing value" not in said(ask(table, *orders))
    missing = table.assign(sold=np.where(np.arange(60) < 4, code, sold))
    assert f"sold is {code} in 4 of 60 rows, unlike all its other values" in said(ask(missing, *orders))
    total = pd.concat([table, table.sum(numeric_only=True).to_frame().T.assign(sku="ALL")])
    assert "line 62 is not a case: its sold is the sum of all others" in said(ask(total, *orders))
    few = table.assign(sold=np.where(np.arange(60) < 2, 7.0, 0.0))  # one of two sales is the sum of the others
    assert "is not a case" not in said(ask(few, *orders))


def test_a_sign_for_a_missing_outcome_among_means(ask):
    table = pd.DataFrame({"t": np.where(np.arange(N) % 40 == 0, -99.0, 20 + GOOD), "a_mean": 20 + GOOD, "a_std": 0.5})
    how = ["--truth", "t", "--decision", "selective", "--error", "1:3"]
    assert f"t is -99 in {N // 40} of {N} rows" in said(ask(table, *how))
    assert "missing value" not in said(ask(table[table["t"] > 0], *how))


def test_forecasts_turned_about_their_mean_are_of_the_other_label(ask):
    """Their mean is that of the event: only the order tells."""
    turned = pd.DataFrame({"y": Y, "rf": 2 * GOOD.mean() - GOOD, "lr": POOR}).clip(0, 1)
    assert "rf is lower where the outcome is 1" in said(ask(turned, "--truth", "y", *AT))
    luck = np.random.default_rng(8).random((20, N))
    assert not any(doubts.of_the_other_label({"a": f, "b": GOOD}, Y, "1", "0") for f in luck)


def remarks(found):
    return " ".join(found["remarks"])


def test_scores_and_chosen_cases_are_told_by_their_mean(ask):
    """Far from the share of events, in whole files and in pieces; not where the models are a little off."""
    table = pd.DataFrame({"y": Y, "smote": np.clip(GOOD + 0.35, 0, 0.999), "plain": GOOD})
    said = remarks(ask(table, "--truth", "y", *AT))
    assert f"smote is {table['smote'].mean():.2g} on average, and {100 * Y.mean():.2g}% of the cases are events" in said
    assert "plain is" not in said and "--recalibrate judges" in said
    assert "on average" not in remarks(ask(table, "--truth", "y", "--recalibrate", *AT))
    assert "on average" not in remarks(ask(table.assign(smote=POOR), "--truth", "y", *AT))
    parts = [doubts.sums_of(table["smote"].to_numpy()[rows], Y[rows]) for rows in (slice(0, 90), slice(90, None))]
    assert doubts.off({"smote": sum(parts)}) == doubts.off({"smote": doubts.sums_of(table["smote"].to_numpy(), Y)})
    for few in (np.zeros(40), np.ones(40)):  # one label alone tells nothing
        assert doubts.off({"a": doubts.sums_of(np.full(40, 0.5), few)}) == []


def test_forecasts_that_lack_where_the_event_came_are_told(ask):
    lacks = (np.arange(N) % 3 == 0) & (Y == 1)
    table = pd.DataFrame({"ill": Y, "a": np.where(lacks, np.nan, GOOD), "b": POOR})
    how = ["--truth", "ill", "--missing", "pairwise", *AT]
    assert f"a has no forecast in {lacks.sum()} rows, of which 100% are 1" in remarks(ask(table, *how))
    table["a"] = np.where(np.arange(N) % 3 == 0, np.nan, GOOD)
    assert "has no forecast" not in remarks(ask(table, *how))


def test_another_label_is_found_by_any_word_of_a_name(ask):
    table = pd.DataFrame({"y_fluid": Y, "y_edema": np.roll(Y, 1), "net_fluid": GOOD, "net_edema": POOR})
    wanted = "net_edema goes with y_edema more than with y_fluid: is it a forecast of that?"
    assert wanted in remarks(ask(table, "--truth", "y_fluid", *AT))
    plain = table.rename(columns={"net_fluid": "one", "net_edema": "two"})
    assert "goes with" not in remarks(ask(plain, "--truth", "y_fluid", *AT))


def test_forecasts_under_two_treatments_do_not_compete(ask):
    table = pd.DataFrame({"y": Y, "treated": GOOD, "control": POOR, "uplift": (GOOD - POOR).round(4)})
    assert "uplift is treated less control: are these forecasts for two" in remarks(ask(table, "--truth", "y", *AT))
    table["uplift"] += np.linspace(0, 0.1, N)
    assert "two treatments" not in remarks(ask(table, "--truth", "y", *AT))


def test_variances_are_no_standard_deviations_and_a_mean_alone_is_left_out(ask):
    errors = np.random.default_rng(3).normal(0, 4, N)
    table = pd.DataFrame({"t": 20 + errors, "a_mean": 20.0, "a_std": 16.0, "b_mean": 20.5, "b_std": 4.2})
    how = ["--truth", "t", "--decision", "selective", "--error", "2:10"]
    said = remarks(ask(table, *how))
    assert "The errors of a are 0.2" in said and "errors of b" not in said
    named = ask(table.rename(columns={"a_std": "a_var"}), *how)
    assert [one["name"] for one in named["models"]] == ["b"] and {"a_mean", "a_var"} <= named["left_out"].keys()


def test_what_to_do_is_said_where_nothing_can_be_decided(ask):
    """The columns that may be the outcome; three labels; odds of a bookmaker."""
    table = pd.DataFrame({"arm": np.where(Y, "A", "B"), "clicked": np.roll(Y, 3), "a": GOOD})
    assert "columns of two labels: arm, clicked" in ask(table, *AT)
    assert "say --decision orders or selective" in ask(pd.DataFrame({"sold": np.arange(N), "a": GOOD}), *AT)
    three = ask(pd.DataFrame({"kind": np.arange(N) % 3, "a": GOOD}), "--truth", "kind", *AT)
    assert "--decision acts" in three and "the answer is then about these alone" in three
    paid = ask(pd.DataFrame({"won": Y, "odds_home": (1 / GOOD).round(2), "a": GOOD}), "--truth", "won", *AT)
    assert "1 / x of each, if a bookmaker pays them" in paid["left_out"]["odds_home"]


def test_groups_may_name_the_case_where_models_stand_in_rows(ask):
    """Five answers of each model to each question: question and sample name the row, questions are the groups."""
    rows = [{"model": model, "question": q, "sample": s, "a_right": int((q * 7 + s * k) % 3 > 0), "a_confidence": 0.6}
            for k, model in enumerate(("gpt", "claude"), start=1) for q in range(30) for s in range(5)]
    found = ask(pd.DataFrame(rows), "--decision", "answers", "--ratio", "1:9", "--model-column", "model",
                "--groups", "question")
    assert "do not have the same cases" not in str(found)


def test_ends_of_an_interval_are_no_members_and_three_forecasts_may_be_rivals(ask):
    point = 50 + 10 * GOOD
    how = ["--truth", "sold", "--decision", "orders", "--ratio", "2:9"]
    ends = {"Lo 80": point - 5, "Hi 80": point + 5, "Lo 95": point - 9, "Hi 95": point + 9}
    r = pd.DataFrame({"sold": point.round(), **ends})
    nixtla = {name: f"ets-{name.lower().replace(' ', '-')}" for name in ends}
    named = ask(r.rename(columns=nixtla), *how)
    assert [one["name"] for one in named["models"]] == ["ets"]
    assert list(costs(ask(r, *how)).values()) == list(costs(named).values())  # R names no model
    three = pd.DataFrame({"sold": point.round(), "pred_1": point, "pred_2": point + 9, "pred_3": point - 9})
    assert "ensembles of 3 members; if each is a rival's own forecast, call them A_q50" in remarks(ask(three, *how))
    rivals = ask(three.rename(columns=lambda name: f"{name[-1:]}_q50" if "pred" in name else name), *how)
    assert len(rivals["models"]) == 3


def test_rows_that_the_outcome_holds_together_are_said_whatever_their_column_is_called(ask):
    case = np.repeat(np.arange(80), 5)
    again = pd.DataFrame({"y": Y[case], "vignette": [f"v{one}" for one in case], "a": GOOD, "b": POOR})
    again = again.sample(frac=1, random_state=0)
    wanted = ("The outcome is the same in all rows of each vignette: are these rows one case each time? "
              "--groups vignette keeps them together.")
    assert wanted in remarks(ask(again, "--truth", "y", *AT))
    assert "one case each time" not in remarks(ask(again, "--truth", "y", *AT, "--groups", "vignette"))
    again.loc[again.index[0], "y"] = 1 - again["y"].iloc[0]  # one row of another outcome: they are no copies
    assert "one case each time" not in remarks(ask(again, "--truth", "y", *AT))


def test_cases_that_were_matched_to_an_event_are_said(ask):
    pair = np.repeat(np.arange(N // 2), 2)
    table = pd.DataFrame({"y": np.tile([1, 0], N // 2), "pair": [f"p{one}" for one in pair], "a": GOOD, "b": POOR})
    assert "Each pair has one event in 2 rows: were cases chosen to match" in remarks(ask(table, "--truth", "y", *AT))
    table.loc[0, "y"] = 0
    assert "chosen to match" not in remarks(ask(table, "--truth", "y", *AT))


@pytest.mark.parametrize("share", [0.2, 0.58])
def test_confidences_of_labels_are_doubted_whatever_the_share_of_events_is(ask, share):
    own = np.random.default_rng(3)
    table = pd.DataFrame({"y": (own.random(N) < share).astype(int), "a": own.uniform(0.5, 1, N).round(4),
                          "b": own.uniform(0.1, 1, N).round(4)})
    said = remarks(ask(table, "--truth", "y", *AT))
    assert "a is never below one half, and" in said and "b is never below" not in said
    honest = own.uniform(0.5, 1, N)  # forecasts that are as high as events are frequent
    table = pd.DataFrame({"y": (own.random(N) < honest).astype(int), "a": honest.round(4)})
    assert "never below one half" not in remarks(ask(table, "--truth", "y", *AT))


def test_two_labels_with_two_confidences_are_paired_by_their_names(ask):
    label = {name: np.where(f > 0.25, "ill", "well") for name, f in {"a": GOOD, "b": POOR}.items()}
    sure = {name: np.maximum(f, 1 - f) for name, f in {"a": GOOD, "b": POOR}.items()}
    table = pd.DataFrame({"truth": np.where(Y == 1, "ill", "well"), "pred_a": label["a"], "conf_b": sure["b"],
                          "pred_b": label["b"], "conf_a": sure["a"]})
    words = ["--truth", "truth", "--event", "ill", *AT]
    assert "Say both, --confidence-of pred_a,pred_b, or which" in ask(table, *words, "--confidence-of", "pred_a")
    found = costs(ask(table, *words, "--confidence-of", "pred_a,pred_b"))
    for name in "ab":
        assert found[f"conf_{name}"] == near(Y, np.where(label[name] == "ill", sure[name], 1 - sure[name]))
    other = table.rename(columns={"conf_a": "sure1", "conf_b": "sure2"})
    assert "call them A_label and A_confidence" in ask(other, *words, "--confidence-of", "pred_a,pred_b")


def test_a_part_without_any_event_is_said_and_stands_beside_what_is_refused(ask):
    """Nobody looked there: fraud that was not reviewed, a loan that was not made. Not where a column is the outcome."""
    seen = np.arange(N) % 2 == 0
    table = pd.DataFrame({"fraud": np.where(seen, Y, 0), "status": np.where(seen, "reviewed", "closed"), "a": GOOD,
                          "b": POOR, "copy": np.where(np.where(seen, Y, 0) == 1, "bad", "good")})
    said = remarks(ask(table, "--truth", "fraud", *AT))
    assert "fraud is 0 in all 200 rows where status = closed: was it looked for there" in said and "copy =" not in said
    assert "looked for" not in remarks(ask(table, "--truth", "fraud", *AT, "--only", "status=reviewed"))
    table.loc[1, "fraud"] = 1
    assert "looked for" not in remarks(ask(table.drop(columns="copy"), "--truth", "fraud", *AT))
    few = np.where(np.arange(N) < 40, "closed", "reviewed")  # forty of them may be spared by luck
    lucky = pd.DataFrame({"fraud": np.where(few == "closed", 0, Y), "status": few, "a": GOOD, "b": POOR})
    assert "looked for" not in remarks(ask(lucky, "--truth", "fraud", *AT))
    riskier = np.where(seen, 0.1, 0.5) + 0.2 * GOOD  # refused are those whom the models fear
    table = pd.DataFrame({"default": np.where(seen, Y, 0), "funded": seen.astype(int), "a": riskier, "b": riskier**2})
    assert "seem to be probabilities of 0" in (refused := ask(table, "--truth", "default", *AT))
    assert "default is 0 in all 200 rows where funded = 0" in refused


def test_orders_hear_of_closed_days_empty_shelves_and_totals(ask):
    demand = np.random.default_rng(2).poisson(9, N)
    table = pd.DataFrame({"sold": demand, "m_q10": demand - 3.0, "m_q90": demand + 4.0, "shut": 0, "stockout": 0,
                          "unique_id": [f"AU/{place % 4}" for place in range(N)]})
    words = ["--truth", "sold", "--decision", "orders", "--ratio", "4"]

    def said(**changed):
        return remarks(ask(table.assign(**changed), *words))

    assert not any(word in said() for word in ("looked for", "demand may", "totals"))
    closed = np.arange(N) % 7 == 0
    assert f"sold is 0 in all {closed.sum()} rows where shut = 1" in said(shut=closed.astype(int),
                                                                          sold=np.where(closed, 0, demand))
    assert "stockout is 1 in 58 of 400 rows: demand may have been larger there" in said(stockout=closed.astype(int))
    whole = np.where(closed, "AU", table["unique_id"])
    assert "unique_id has AU beside AU/0: are these totals" in said(unique_id=whole)


def test_the_share_that_a_sample_kept_asks_for_weights(ask):
    table = pd.DataFrame({"y": Y, "kept": np.where(Y == 1, 1.0, 0.15), "a": GOOD / 3, "b": POOR / 3})
    found = ask(table, "--truth", "y", *AT)
    assert "kept is 1 for each event and less for" in remarks(found) and "kept" not in costs(found)
    assert "--recalibrate judges" not in remarks(found)
    weighed = ask(table.drop(columns="kept").assign(w=1 / table["kept"]), "--truth", "y", *AT, "--weights", "w")
    assert "--recalibrate judges" not in remarks(weighed)
    plain = ask(table.drop(columns="kept"), "--truth", "y", *AT)
    assert "--recalibrate judges" in remarks(plain)
    for other in (np.where(np.arange(N) % 2 == 0, 1.0, 0.15), np.where(Y == 1, 0.5, 0.15)):
        assert "for each event and less" not in remarks(ask(table.assign(kept=other), "--truth", "y", *AT))


def test_two_sides_of_one_match_are_one_case(ask):
    both = pd.DataFrame({"win": np.append(Y, 1 - Y), "a": np.append(GOOD, 1 - GOOD), "b": np.append(POOR, 1 - POOR)})
    both = both.sample(frac=1, random_state=0)
    assert "Each row has a twin with the other outcome" in remarks(ask(both, "--truth", "win", *AT))
    both["b"] = both["b"] ** 2
    assert "has a twin" not in remarks(ask(both, "--truth", "win", *AT))


def test_answers_in_another_form_than_the_right_ones_are_asked_for(ask):
    letters = np.array(list("ABCD"))
    right, said = (np.random.default_rng(seed).integers(0, 4, 60) for seed in (0, 1))
    words = ["--truth", "gold", "--decision", "answers", "--ratio", "1"]

    def told(gold, answer):
        return ask(pd.DataFrame({"gold": gold, "m_answer": answer, "m_confidence": 0.8}), *words)

    assert "none of the 60 answers of m is the right one word for word" in told(right, letters[said])
    sums = np.arange(100, 160)
    assert "none of the" in told([f"She has {k - 9} and 9, so\n#### {k}" for k in sums], sums)
    assert "none of the" in told([f'["city{k}", "City of {k}"]' for k in right], [f"city{k}" for k in right])
    some = [f"city{k} | City of {k}" if place % 3 == 0 else f"city{k}" for place, k in enumerate(right)]
    assert "20 answers of m count as wrong and stand inside the right one" in remarks(
        told(some, [f"city{k}" for k in right]))
    assert "stand inside" not in remarks(told(letters[right], letters[said]))
    blank = told(letters[right], np.where(np.arange(60) < 9, "", letters[right]))
    assert "m abstains from 9 of 60 answers." in remarks(blank) and costs(blank) == {"m": pytest.approx(9 / 60 / 2)}


@pytest.mark.parametrize("name, fit, test", [
    ("window", "DEV", "OOT"), ("population", "Build", "Holdout"), ("train_flag", 1, 0), ("used_in_training", "Y", "N"),
    ("Validation", 0, 2), ("split", "first", "second")])
def test_names_for_rows_of_a_fit_are_asked_about(ask, name, fit, test):
    table = pd.DataFrame({"y": Y, "a": GOOD, "b": POOR, name: np.where(np.arange(N) % 2 == 0, fit, test)})
    assert "--only" in ask(table, "--truth", "y", *AT) and f"column '{name}'" in ask(table, "--truth", "y", *AT)


def test_a_word_that_a_fit_shares_with_others_is_no_sign_of_it(ask):
    table = pd.DataFrame({"y": Y, "a": GOOD, "b": POOR, "covid_test": Y[::-1], "build": np.arange(N) % 3})
    assert set(costs(ask(table, "--truth", "y", *AT))) == {"a", "b"}


def test_the_outcome_again_is_no_other_outcome(ask):
    table = pd.DataFrame({"ill_x": Y, "pred_x": GOOD, "ill_y": Y, "pred_y": POOR})
    assert "goes with" not in remarks(ask(table, "--truth", "ill_x", *AT))


def test_folds_that_share_no_case_are_not_offered_as_models(ask):
    """Repeated cross-validation, as caret keeps it: each row in one fold of each of three repeats."""
    own, rows = np.random.default_rng(4), []
    for repeat in range(3):
        fold = own.permutation(np.arange(60) % 5)
        rows += [{"Resample": f"Fold{fold[k]}.Rep{repeat}", "rowIndex": k, "obs": Y[k],
                  "rf": GOOD[k] + own.normal(0, 1e-3), "glm": POOR[k] + own.normal(0, 1e-3)} for k in range(60)]
    table = pd.DataFrame(rows).sort_values("Resample")
    said = ask(table, "--truth", "obs", *AT)
    assert "--groups rowIndex" in said and "--model-column" not in said
    assert "no case has every value of Resample" in ask(table, "--truth", "obs", *AT, "--model-column", "Resample")
    assert ask(table, "--truth", "obs", *AT, "--groups", "rowIndex")["models"]


@pytest.mark.filterwarnings("error")
def test_two_arms_of_a_trial_are_different_cases(ask):
    one = np.arange(N) % 2 == 0
    table = pd.DataFrame({"y": Y, "a": np.where(one, GOOD, np.nan), "b": np.where(one, np.nan, POOR)})
    assert "each was used on cases of its own" in ask(table, "--truth", "y", *AT, "--missing", "pairwise")


def test_numbers_of_accounts_and_shares_of_payments_are_no_counts_and_no_times(ask):
    table = pd.DataFrame({"churned": Y, "acct_num": np.random.default_rng(1).permutation(N), "a": GOOD, "b": POOR,
                          "pct_time": np.random.default_rng(2).uniform(0, 100, N).round(1)})
    said = remarks(ask(table, "--truth", "churned", *AT, "--models", "a,b"))
    assert "how often each case counts" not in said and "time of follow-up" not in said
    table = table.rename(columns={"acct_num": "num", "pct_time": "time"}).assign(num=1 + np.arange(N) % 7)
    said = remarks(ask(table, "--truth", "churned", *AT, "--models", "a,b"))
    assert "how often each case counts" in said and "time of follow-up" in said


@pytest.mark.parametrize("name", ["detector", "vendor", "llm"])
def test_rows_of_several_systems_are_said_to_be_pooled(ask, name):
    kind = np.where(np.arange(N) < 170, "yolo", "detr")
    said = remarks(ask(pd.DataFrame({"tp": Y, name: kind, "confidence": GOOD}), "--truth", "tp", *AT))
    assert f"Column {name} has 2 values: if these are models, their rows are pooled here" in said


@pytest.mark.parametrize("digits", [3, 4, 12])
@pytest.mark.parametrize("kind", ["isotonic", "tree", "bins"])
def test_a_model_fitted_to_these_outcomes_in_steps_is_told(ask, kind, digits):
    """Its numbers are the shares of events among their rows; the same model on rows of its own is not told."""
    draw = np.random.default_rng(3)
    raw = draw.beta(1, 2, 800)
    y = (draw.random(800) < raw).astype(int)

    def steps(here, there):
        if kind == "isotonic":
            return IsotonicRegression(out_of_bounds="clip").fit(raw[here], y[here]).predict(raw[there])
        if kind == "tree":
            tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0).fit(raw[here, None], y[here])
            return tree.predict_proba(raw[there, None])[:, 1]
        edges = np.quantile(raw[here], np.linspace(0.1, 0.9, 9))
        shares = [y[here][np.digitize(raw[here], edges) == k].mean() for k in range(10)]
        return np.array(shares)[np.digitize(raw[there], edges)]

    half = np.arange(800) < 400
    for rows, told in ((half, True), (~half, False)):
        table = pd.DataFrame({"y": y[half], "raw": raw[half].round(3), "steps": steps(rows, half).round(digits)})
        said = [line for line in ask(table, "--truth", "y", *AT)["remarks"] if "share of events among their" in line]
        assert len(said) == told and all(line.startswith("steps has ") for line in said)


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_forecasts_in_few_digits_are_no_fit(digits):
    """Two hundred files each, honest, too bold or too timid, of any size: never taken for shares of these rows."""
    draw = np.random.default_rng(digits)
    for number in range(200):
        n = int(draw.integers(50, 3000))
        chance = draw.beta(*draw.uniform(0.3, 4, 2), n)
        y = (draw.random(n) < chance).astype(int)
        told = chance if number % 3 == 0 else chance ** draw.uniform(0.5, 2)
        models = {"told": told.round(digits), "deciles": (np.floor(10 * told) / 10 + 0.05).round(2),
                  "float": told.round(digits).astype("float32").astype(float)}
        assert not doubts.in_steps(models, y), number


# -- what fresh eyes found: units, signs of none, members, versions, horizons, cases that are still open


@pytest.mark.parametrize("values, words", [
    ((1000 * GOOD).round(1), "numbers per mille? Divide by 1000"),
    ((600 - 50 * np.log2(GOOD / (1 - GOOD))).round(), "a score? Write (x - lowest) / (highest - lowest)"),
    (np.exp(4 * (GOOD - 0.35)).round(3), "ratios of risks or hazards?"),
    (np.log(GOOD / (1 - GOOD)).round(3), "log hazards? Chances need its baseline")])
def test_a_unit_that_is_no_chance_is_named_by_its_shape(ask, values, words):
    alone = pd.DataFrame({"y": Y, "a": values})
    assert words in ask(alone, "--truth", "y", *AT) and words in ask(alone, "--truth", "y", "--models", "a", *AT)


def test_a_forecast_in_per_cent_beside_one_in_shares_is_asked_about(ask):
    table = pd.DataFrame({"y": Y, "a": GOOD, "b": (100 * POOR).round(2)})
    found = ask(table, "--truth", "y", *AT)
    assert "--percent b compares it" in remarks(found) and "b" in found["left_out"]
    both = ask(table, "--truth", "y", "--percent", "b", *AT)
    assert costs(both)["b"] == near(Y, (100 * POOR).round(2) / 100)
    for other in (100 - 100 * POOR, np.floor(100 * POOR), 30 * POOR):  # lower with the event, whole, of another mean
        assert "--percent b compares" not in remarks(ask(table.assign(b=other), "--truth", "y", *AT))


@pytest.mark.parametrize("sign", ["PASS", "?", "-1", "refused"])
def test_an_answer_that_is_never_right_may_be_a_sign_of_none(ask, sign):
    right = np.random.default_rng(2).integers(10, 99, N).astype(str)
    said = np.where(np.arange(N) % 7 == 0, sign, np.where(GOOD > 0.3, right, "0"))
    table = pd.DataFrame({"t": right, "m_answer": said, "m_confidence": GOOD})
    how = ["--truth", "t", "--decision", "answers", "--ratio", "4"]
    assert f"m answers '{sign}' in 58 rows, and it is right in none" in remarks(ask(table.assign(
        m_answer=np.where(said == "0", right, said)), *how))
    blank = table.assign(m_answer=np.where(said == sign, "", right))
    found = ask(blank, *how)
    assert "abstains from 58 of" in remarks(found) and "right in none" not in remarks(found)
    assert "right in none" not in remarks(ask(table.assign(t="PASS", m_answer="PASS"), *how))
    seldom = table.assign(m_answer=np.where(np.arange(N) < 9, sign, right))
    assert "right in none" not in remarks(ask(seldom, *how))


@pytest.mark.parametrize("names", ["e{}", "ens{:02}", "V{}", "IFS[{}]", "y_s{}"])
def test_members_are_read_in_any_naming(ask, names):
    drawn = np.random.default_rng(3).gamma(4, 5, (N, 6)).round(2)
    start = names == "V{}"
    columns = {names.format(k + start): drawn[:, k] for k in range(5)}
    stem = names.partition("{")[0].rstrip("[")
    how = ["--truth", "t", "--decision", "orders", "--ratio", "4"]
    table = pd.DataFrame({"t": drawn[:, 5], **columns})
    wanted = ask(pd.DataFrame({"t": drawn[:, 5], **{f"{stem}_{k}": drawn[:, k] for k in range(5)}}), *how)
    assert costs(ask(table, *how)) == costs(wanted) == costs(ask(table, *how, "--models", stem))
    features = table.assign(**{name: 1000 * column for name, column in columns.items()})  # of another size
    assert "were found for no model" in ask(features, *how)
    assert "were found for no model" in ask(table.drop(columns=[*columns][2]), *how)
    deciles = table.assign(**dict(zip(columns, np.sort(drawn[:, :5]).T, strict=True)))
    assert f"fall in no row: as quantiles call them {stem}_q10" in ask(deciles, *how)


def test_versions_of_a_forecast_are_told_apart_by_their_column(ask):
    rows = np.repeat(np.arange(150), 2)
    table = pd.DataFrame({"case": rows, "issued": np.tile(["2026-01", "2026-02"], 150), "y": Y[rows], "p": GOOD[:300]})
    table = table[(rows % 3 > 0) | (table["issued"] == "2026-01")]
    said = remarks(ask(table, "--truth", "y", *AT))
    assert "issued tells them apart, and --only issued=2026-02 keeps one of each" in said
    again = remarks(ask(table.assign(issued="2026-01"), "--truth", "y", *AT))
    assert "--groups case keeps them together." in again and "tells them apart" not in again


@pytest.mark.parametrize("truth, models, told", [
    ("default_12m", ["pd_12m", "pd_24m"], "default_12m is about 12m, and pd_24m about 24m"),
    ("died_1y", ["risk_12months", "risk_5y"], "died_1y is about 1y, and risk_5y about 5y"),
    ("died", ["risk_5y", "risk_10y"], "risk_5y is about 5y and risk_10y about 10y"),
    ("ill_30d", ["a_1mo", "b_4wk"], ""), ("y", ["rf_500", "rf_7b"], ""), ("y2", ["model_2m", "b"], "")])
def test_forecasts_of_another_horizon_are_told_by_their_names(ask, truth, models, told):
    said = remarks(ask(pd.DataFrame({truth: Y, models[0]: GOOD, models[1]: POOR}), "--truth", truth, *AT))
    assert told in said and ("about" in said) == bool(told)


@pytest.mark.parametrize("column", ["months_on_book", "opened"])
def test_cases_that_may_still_be_open_are_told(ask, column):
    age = np.random.default_rng(4).integers(1, 25, N)
    came = np.where(np.random.default_rng(6).random(N) < np.minimum(1, age / 18) ** 2 * 0.6, 1, 0)
    values = age if column == "months_on_book" else [f"2026-{1 + (24 - one) // 2:02}-01" for one in age]
    table = pd.DataFrame({"y": came, "a": GOOD, "b": POOR, column: values})
    assert "had they less time to show it?" in remarks(ask(table, "--truth", "y", *AT))
    assert "less time" not in remarks(ask(table.assign(y=Y), "--truth", "y", *AT))
    rising = table.assign(y=(np.random.default_rng(9).random(N) < 0.45 + 0.5 * (age - 1) / 23).astype(int))
    assert "less time" not in remarks(ask(rising, "--truth", "y", *AT))  # not half as many among the youngest
    assert "less time" not in remarks(ask(table.rename(columns={column: "age"}).assign(age=age), "--truth", "y", *AT))


def test_soft_outcomes_are_counted_by_their_shares(ask):
    share = np.random.default_rng(8).integers(0, 4, N) / 3
    table = pd.DataFrame({"y": share.round(2), "a": GOOD})
    assert "--count EVENTS,CASES instead of --truth counts each row by its share" in ask(table, "--truth", "y", *AT)
    counted = ask(table.assign(E=(100 * share).round().astype(int), C=100).drop(columns="y"), "--count", "E,C", *AT)
    part = (100 * share).round() / 100
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.2))
    ones, zeros = score.per_sample(np.ones(N), GOOD), score.per_sample(np.zeros(N), GOOD)
    assert costs(counted)["a"] == pytest.approx(np.mean(part * ones + (1 - part) * zeros), rel=1e-4)


def test_forecasts_of_a_fit_or_of_one_arm_are_told_by_their_names(ask):
    table = pd.DataFrame({"y": Y, "p_train": GOOD, "p_test": POOR, "treated": np.arange(N) % 2})
    said = remarks(ask(table, "--truth", "y", *AT))
    assert "p_train is called after rows that a model was fitted to" in said and "treated" not in said
    arms = remarks(ask(table.rename(columns={"p_train": "p_treated", "p_test": "p_control"}), "--truth", "y", *AT))
    assert "p_treated is called after column treated" in arms and "--only treated=1 with --models p_treated" in arms


@pytest.mark.parametrize("name, way", [("log_std", "write exp(x) of each"), ("precision", "write 1 / its root"),
                                       ("a_variance", "write its root")])
def test_another_measure_of_spread_is_no_standard_deviation(ask, name, way):
    table = pd.DataFrame({"t": 20 + GOOD, "a_mean": 20 + POOR, name: 0.2})
    how = ["--truth", "t", "--decision", "selective", "--error", "1:3"]
    assert way in ask(table, *how)
    named = ask(table.rename(columns={name: "a_spread"}), *how)
    assert [one["name"] for one in named["models"]] == ["a"]


def test_a_forecast_that_has_the_outcomes_name_is_one_of_it():
    """It goes with another outcome even more, as the chance to return does with a complication."""
    ill, hurt = np.tile([0, 1], 100), np.tile([0, 0, 1, 1], 50)
    models = {"p_ill": 0.2 + 0.4 * hurt + np.arange(200) / 400, "other": 0.2 + 0.4 * ill + np.arange(200) / 400}
    table = pd.DataFrame({"y_hurt": hurt.astype(str)})
    assert doubts.of_another_column(table, models, ill, "y_ill", set()) == []
    assert doubts.of_another_column(table, {"b": models["p_ill"], "other": models["other"]}, ill, "y_ill", set())


def test_safe_seats_are_no_copies():
    f = np.concatenate([np.linspace(0.1, 0.9, 100), np.zeros(30)])
    assert doubts.copied({"a": f, "b": f**2}, np.zeros(130)) == []


def test_of_two_times_both_are_named(ask):
    rng = np.random.default_rng(0)
    ends = rng.exponential(500, 300).round() + 2
    died = (ends < 600).astype(int)
    first = (ends * rng.uniform(0.6, 1, 300)).round() + 1
    table = pd.DataFrame({"y": died, "p": rng.uniform(0, 1, 300), "first": first,
                          "last": np.minimum(ends, 900 + rng.integers(0, 50, 300))})
    told = str(ask(table, "--truth", "y", "--ratio", "1:4", "--models", "p"))
    assert "(or first: which of them ends with y?)" in told or "(or last: which of them ends with y?)" in told
