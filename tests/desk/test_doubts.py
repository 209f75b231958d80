"""What a file's numbers alone make one doubt is said, or asked: rows of a fit, the other label, capped demand."""

import json

import numpy as np
import pandas as pd
import pytest

import pwu_lite as pwu
from pwu_desk import command, doubts

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
        return json.loads(said.out) if code == 0 else said.err
    return asked


def costs(found):
    return {one["name"]: one["cost"] for one in found["models"]}


def near(y, f):
    return pytest.approx(pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.2))(y, f), rel=1e-4)


@pytest.mark.parametrize("name, inside, outside", [
    ("sample", "in", "out"), ("cohort", "development", "external"), ("_ROLE_1", 1, 2), ("set", "A", "B")])
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


def test_ranks_are_no_probabilities(ask):
    """Uniform forecasts lie further from an even grid, by chance alone."""
    ranks = pd.Series(GOOD).rank(pct=True)
    for one in (ranks, ranks.round(3), (ranks * 100).round(1) / 100, pd.Series(GOOD).rank(pct=True, method="min")):
        found = ask(pd.DataFrame({"y": Y, "good": GOOD, "place": one}), "--truth", "y", *AT)
        assert any("place is spread evenly" in line for line in found["remarks"])
    for seed in range(40):
        f = np.random.default_rng(seed).random(N)
        assert not doubts.filled({"a": f}) and not doubts.filled({"a": GOOD})


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
    assert "Say --event 0, or --event 1 if they are not" in said
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


def test_ranges_say_what_to_write(ask):
    table = pd.DataFrame({"y": Y, "a": GOOD})
    assert "write 20%" in ask(table, "--truth", "y", "--threshold", "20")
    assert "4 to one is --ratio 4" in ask(table, "--truth", "y", "--ratio", "4:1")
    said = ask(table.assign(y=np.where(np.arange(N) < 9, 9, Y)), "--truth", "y", *AT)
    assert "--only y=0 --only y=1" in said
