"""Files as tools write them: the right numbers, or a sentence that says what to do."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

import pwu_lite as pwu
from pwu_desk import as_labels, as_numbers, command, cost_tables, files
from pwu_lite import elicitation
from pwu_lite.reporting.rules import RULES

from .told import parsed

RNG = np.random.default_rng(8)
N = 60
CHANCE = RNG.beta(1, 3, N).round(4)
Y = (RNG.random(N) < CHANCE).astype(int)
SCORE = pwu.PWU(pwu.BinaryDecision(), elicitation.beta_from_quantiles(1 / 31, 1 / 4))
LEVELS = (0.1, 0.5, 0.9)
DEMAND = RNG.poisson(50, N).astype(float)
QUANTILES = np.sort(DEMAND[:, None] + RNG.normal(0, 9, (N, 3)), axis=1).round(2)
ORDERS = ["--decision", "orders", "--ratio", "2:9"]
RATIO = ["--ratio", "3:30"]


def run(capsys, tmp_path, table, *words, name="p.csv"):
    """What the command line says of a table, or of a text: the numbers, or the one line of a refusal."""
    if isinstance(table, pd.DataFrame):
        table = table.to_csv(index=False)
    path = tmp_path / name
    path.write_bytes(table if isinstance(table, bytes) else table.encode())
    code = command.main(["compare", str(path), "--resamples", "50", "--json", *words])
    said = capsys.readouterr()
    return parsed(said.out) if code == 0 else said.err


def costs(found):
    return {model["name"]: model["cost"] for model in found["models"]}


def binary(**columns):
    return pd.DataFrame({"y": Y, **columns})


@pytest.mark.parametrize("names, model, said", [
    (["ETS-q-10", "ETS-q-50", "ETS-q-90"], "ETS", "as Nixtla writes them"),
    (["ETS-lo-80", "ETS-q-50", "ETS-hi-80"], "ETS", "as Nixtla writes them"),
    (["0.1", "0.5", "0.9"], "forecast", "as AutoGluon or GluonTS writes them"),
    (["ETS_0.1", "ETS_0.5", "ETS_0.9"], "ETS", "as a pivoted table of a hub writes them"),
    (["ETS.q10", "ETS.q50", "ETS.q90"], "ETS", "levels 0.1, 0.5, 0.9"),
    (["ETS_q0.1", "ETS_q0.5", "ETS_q0.9"], "ETS", "levels 0.1, 0.5, 0.9"),
    (["10%", "50%", "90%"], "forecast", "as R writes them"),
    (["ETS q10.0", "ETS q50.0", "ETS q90.0"], "ETS", "levels 0.1, 0.5, 0.9")])
def test_quantiles_by_any_name(capsys, tmp_path, names, model, said):
    table = pd.DataFrame({"y": DEMAND, "mean": QUANTILES[:, 1], **dict(zip(names, QUANTILES.T, strict=True))})
    found = run(capsys, tmp_path, table, "--truth", "y", *ORDERS)
    score = pwu.PWU(pwu.Newsvendor(LEVELS), elicitation.beta_from_quantiles(2 / 3, 0.9))
    assert costs(found) == {model: pytest.approx(score(DEMAND, QUANTILES), rel=1e-12)}
    assert any(said in line for line in found["remarks"])


def test_q5_is_beside_q50(capsys, tmp_path):
    table = pd.DataFrame({"y": DEMAND, **dict(zip(("a_q5", "a_q50", "a_q95"), QUANTILES.T, strict=True))})
    found = run(capsys, tmp_path, table, "--truth", "y", *ORDERS)
    assert any("levels 0.05, 0.5, 0.95" in line for line in found["remarks"])


def test_the_ends_of_an_interval_need_its_coverage(capsys, tmp_path):
    table = pd.DataFrame({"y": DEMAND, "yhat_lower": QUANTILES[:, 0], "yhat_upper": QUANTILES[:, 2]})
    assert "--coverage 90" in run(capsys, tmp_path, table, "--truth", "y", *ORDERS)
    found = run(capsys, tmp_path, table, "--truth", "y", *ORDERS, "--coverage", "80")
    score = pwu.PWU(pwu.Newsvendor((0.1, 0.9)), elicitation.beta_from_quantiles(2 / 3, 0.9))
    assert costs(found) == {"yhat": pytest.approx(score(DEMAND, QUANTILES[:, [0, 2]]))}
    assert any("80% intervals, as quantiles 0.1, 0.9" in line for line in found["remarks"])


@pytest.mark.parametrize("names, model, words", [
    (["ETS_lo80", "ETS_hi80"], "ETS", []), (["ets_lower_80", "ets_upper_80"], "ets", []),
    (["LOWER_BOUND", "UPPER_BOUND"], "forecast", ["--coverage", "80"]),
    (["prediction_interval_lower_bound", "prediction_interval_upper_bound"], "forecast", ["--coverage", "80"]),
    (["ets_80%_lower", "ets_80%_upper"], "ets", []), (["m_pi80_lower", "m_pi80_upper"], "m", []),
    (["ci80_lower", "ci80_upper"], "forecast", []), (["y_80_lower", "y_80_upper"], "y", []),
    (["80_lower", "80_upper"], "forecast", []), (["Lo 80", "Hi 80"], "forecast", []),
    (["lower_80", "upper_80"], "forecast", []), (["conf_low_80", "conf_high_80"], "conf", []),
    (["lower", "upper"], "forecast", ["--coverage", "80"]), (["lwr", "upr"], "forecast", ["--coverage", "80"]),
    (["('y', 0.1)", "('y', 0.9)"], "y", [])])
def test_intervals_by_the_names_of_more_tools(capsys, tmp_path, names, model, words):
    table = pd.DataFrame({"y": DEMAND, names[0]: QUANTILES[:, 0], names[1]: QUANTILES[:, 2]})
    found = run(capsys, tmp_path, table, "--truth", "y", *ORDERS, *words)
    score = pwu.PWU(pwu.Newsvendor((0.1, 0.9)), elicitation.beta_from_quantiles(2 / 3, 0.9))
    assert costs(found) == {model: pytest.approx(score(DEMAND, QUANTILES[:, [0, 2]]))}


@pytest.mark.parametrize("names", [["median", "q5", "q95"], ["Median", "P5", "P95"], ["m_median", "m_q05", "m_q95"]])
def test_a_median_is_the_middle_quantile(capsys, tmp_path, names):
    own = dict(zip(names, QUANTILES[:, [1, 0, 2]].T, strict=True))
    table = pd.DataFrame({"y": DEMAND, "mean": QUANTILES[:, 1], **own})
    found = run(capsys, tmp_path, table, "--truth", "y", "--decision", "orders", "--ratio", "1")
    score = pwu.PWU(pwu.Newsvendor((0.05, 0.5, 0.95)), 0.5)
    assert [*costs(found).values()] == [pytest.approx(score(DEMAND, QUANTILES))]


def test_lags_are_no_ensemble(capsys, tmp_path):
    table = pd.DataFrame({"y": DEMAND, "lgbm": QUANTILES[:, 1], "lag_1": QUANTILES[:, 0], "lag_2": QUANTILES[:, 2]})
    asked = run(capsys, tmp_path, table, "--truth", "y", "--decision", "orders", "--ratio", "9")
    assert "is NAME_q90), which were found for no model" in asked
    own = table.rename(columns={"lgbm": "lgbm_q90"})
    found = run(capsys, tmp_path, own, "--truth", "y", "--decision", "orders", "--ratio", "9")
    score = pwu.PWU(pwu.Newsvendor((0.9,)), 0.9)
    assert costs(found) == {"lgbm": pytest.approx(score(DEMAND, QUANTILES[:, [1]]))}


def test_answers_of_tools_that_say_is_correct(capsys, tmp_path):
    rng = np.random.default_rng(0)
    right, sure = (rng.random((2, 60)) < 0.6).astype(int), rng.random((2, 60)).round(3)
    words, score = ("--decision", "answers", "--ratio", "4"), pwu.PWU(pwu.Answers(), 0.8)
    want = [pytest.approx(score(np.ones(60), *pair)) for pair in zip(right.astype(float), sure, strict=True)]
    for ends in (("is_correct", "confidence"), ("correct", "prob"), ("acc", "probability"), ("isCorrect", "conf")):
        columns = {f"m{k}_{end}": part[k] for end, part in zip(ends, (right, sure), strict=True) for k in (0, 1)}
        assert costs(run(capsys, tmp_path, pd.DataFrame(columns), *words)) == {"m0": want[0], "m1": want[1]}
        one = pd.DataFrame({"question": range(60), ends[0]: right[0], ends[1]: sure[0]})
        assert costs(run(capsys, tmp_path, one, *words)) == {"the model": want[0]}


@pytest.mark.parametrize("form", ["{}%", "\\boxed{{{}}}", "{} km", "{},0"])
def test_the_right_number_beside_a_unit_is_remarked(capsys, tmp_path, form):
    key = np.arange(100, 160)
    said = [form.format(k) if k % 2 else str(k + (k % 3 == 0)) for k in key]  # half of them are written otherwise
    table = pd.DataFrame({"target": key, "m_answer": said, "m_confidence": 0.8})
    found = run(capsys, tmp_path, table, "--truth", "target", "--decision", "answers", "--ratio", "4")
    assert any("30 answers of m count as wrong and hold the number" in line for line in found["remarks"])
    plain = table.assign(m_answer=[k + (k % 3 == 0) for k in key])
    found = run(capsys, tmp_path, plain, "--truth", "target", "--decision", "answers", "--ratio", "4")
    assert not any("hold the number" in line for line in found["remarks"])


def test_a_corner_says_first_what_the_rows_are(tmp_path):
    rows = "mild,0,15\nsevere,8,3\n"
    found = {}
    for corner in ("actual\\predicted", "predicted\\actual", "truth/decision", "act|class"):
        (tmp_path / "c.csv").write_text(f"{corner},mild,severe\n{rows}")
        found[corner] = cost_tables.cost_table(str(tmp_path / "c.csv"))[2].tolist()
    assert found["actual\\predicted"] == found["truth/decision"] == [[0, 8], [15, 3]]
    assert found["predicted\\actual"] == found["act|class"] == [[0, 15], [8, 3]]


def long_table():
    rows = [{"model_id": model, "location": f"{case:02d}", "output_type": "quantile", "output_type_id": level,
             "value": QUANTILES[case, k] + shift} for model, shift in (("A", 0.0), ("B", 5.0))
            for case in range(N) for k, level in enumerate(LEVELS)]
    return pd.DataFrame(rows).sample(frac=1, random_state=0)


def test_a_long_table_of_a_hub_with_its_truth_in_it_or_in_another_file(capsys, tmp_path):
    score = pwu.PWU(pwu.Newsvendor(LEVELS), elicitation.beta_from_quantiles(2 / 3, 0.9))
    right = {"A": pytest.approx(score(DEMAND, QUANTILES)), "B": pytest.approx(score(DEMAND, QUANTILES + 5))}
    table, truth = long_table(), pd.DataFrame({"location": [f"{case:02d}" for case in range(N)], "seen": DEMAND})
    joined = run(capsys, tmp_path, table.merge(truth, on="location"), "--truth", "seen", *ORDERS)
    truth.to_csv(tmp_path / "truth.csv", index=False)
    other = run(capsys, tmp_path, table, "--truth", "seen", "--truth-file", str(tmp_path / "truth.csv"), *ORDERS)
    assert costs(joined) == costs(other) == right
    assert any("360 rows of quantiles are 60 cases, each known by location" in line for line in joined["remarks"])
    twice = pd.concat([table, table.head(1)]).merge(truth, on="location")
    assert "says a quantile again" in run(capsys, tmp_path, twice, "--truth", "seen", *ORDERS)
    pd.concat([truth, truth.head(1)]).to_csv(tmp_path / "truth.csv", index=False)
    assert "has a case again" in run(capsys, tmp_path, table, "--truth", "seen", "--truth-file",
                                          str(tmp_path / "truth.csv"), *ORDERS)


@pytest.mark.parametrize("yes, no, event", [
    ("p1", "p0", "1"), (".pred_ill", ".pred_well", "ill"), ("ill", "well", "ill")])
def test_both_columns_of_a_forecast_are_one_model(capsys, tmp_path, yes, no, event):
    other = "0" if event == "1" else "well"
    table = pd.DataFrame({"y": np.where(Y, event, other), no: (1 - CHANCE).round(4), yes: CHANCE})
    found = run(capsys, tmp_path, table, "--truth", "y", "--event", event, *RATIO)
    assert costs(found) == {yes: pytest.approx(SCORE(Y, CHANCE))}
    assert found["left_out"][no] == f"1 minus {yes}, the probability of the other label"


def test_answers_of_many_digits_are_told_apart(capsys, tmp_path):
    truth = 10**17 + np.arange(N)
    table = pd.DataFrame({"key": truth, "a_answer": truth, "a_confidence": 0.9, "b_answer": truth + 1,
                          "b_confidence": 0.9})
    found = run(capsys, tmp_path, table, "--truth", "key", "--decision", "answers", "--ratio", "1:9")
    assert costs(found)["a"] == pytest.approx(costs(found)["b"] - 1, abs=0.2) and found["models"][0]["name"] == "a"
    words = pd.DataFrame({"key": ["1.0", "Paris", "01"], "a_answer": ["1", " paris", "1"]})
    found = run(capsys, tmp_path, words, "--truth", "key", "--decision", "answers", "--ratio", "1:9")
    assert costs(found)["a"] == pytest.approx(1 / 3) and any(
        "no confidences: every answer counts as given, whatever" in line for line in found["remarks"])


def test_a_column_that_is_called_as_the_model_is_how_sure_it_is(capsys, tmp_path):
    """a_right and a: before, a was left unread and every answer counted as given."""
    table = pd.DataFrame({"a_right": [1, 0, 1] * 20, "a": [0.9, 0.2, 0.7] * 20,
                          "b_right": [0, 1, 1] * 20, "b": [0.4, 0.8, 0.6] * 20})
    options = ["--decision", "answers", "--ratio", "1:4"]
    called = run(capsys, tmp_path, table, *options)
    plain = run(capsys, tmp_path, table.rename(columns={"a": "a_confidence", "b": "b_confidence"}), *options)
    assert costs(called) == costs(plain) and not any("no confidences" in line for line in called["remarks"])
    refused = run(capsys, tmp_path, table.assign(a=[90, 20, 70] * 20), *options)
    assert "column 'a': expected a probability between 0 and 1, got 90" in refused


def test_letters_for_right_wrong_and_no_answer(capsys, tmp_path):
    table = pd.DataFrame({"m_right": ["C", "I", "N", "C"] * 15, "m_confidence": [0.9, 0.6, "", 0.7] * 15})
    found = run(capsys, tmp_path, table.drop(columns="m_confidence"), "--decision", "answers", "--ratio", "1:9")
    prior = elicitation.beta_from_quantiles(0.5, 0.9)
    score = pwu.PWU(pwu.Answers(), prior)
    assert costs(found)["m"] == pytest.approx(score([1] * 4, [1, 0, 0, 1], [1, 1, 0, 1]))
    beside = table.assign(m_confidence=[0.9, 0.6, 0.5, 0.7] * 15)  # whatever confidence stands beside no answer
    assert costs(run(capsys, tmp_path, beside, "--decision", "answers", "--ratio", "1:9"))["m"] == pytest.approx(
        score([1] * 4, [1, 0, 0, 1], [0.9, 0.6, 0, 0.7]))
    table["m_right"] = table["m_right"].replace("N", "I")
    assert costs(run(capsys, tmp_path, table, "--decision", "answers", "--ratio", "1:9"))["m"] == pytest.approx(
        score([1] * 4, [1, 0, 0, 1], [0.9, 0.6, 0, 0.7]))
    assert "partly right" in run(capsys, tmp_path, "m_right,m_confidence\nP,0.5\nC,0.7\n", "--decision", "answers",
                                 "--ratio", "1:9")


PLAIN = binary(a=CHANCE).to_csv(index=False)


@pytest.mark.parametrize("text", [
    "sep=;\n" + PLAIN.replace(",", ";"), "# made by a tool\n#, with commas\n" + PLAIN,
    '"y","a"\n' + "".join(f'"{k + 1}",{line}\n' for k, line in enumerate(PLAIN.splitlines()[1:])),
    "y,a,\n" + "".join(f"{line},\n" for line in PLAIN.splitlines()[1:]),
    "".join(json.dumps({"y": int(y), "a": f, "nested": {"b": 1}}) + "\n" for y, f in zip(Y, CHANCE, strict=True))])
def test_the_same_table_however_it_is_wrapped(capsys, tmp_path, text):
    assert costs(run(capsys, tmp_path, text, "--truth", "y", *RATIO)) == {"a": pytest.approx(SCORE(Y, CHANCE))}


def test_decimal_commas_in_a_comma_file_are_no_row_names(capsys, tmp_path):
    assert "needs quotes" in run(capsys, tmp_path, "y,a\n1,0,5\n0,0,2\n1,0,7\n0,0,1\n", "--truth", "y", *RATIO)


@pytest.mark.parametrize("fields, read", [
    (["1,020.5", "975.25", "12"], [1020.5, 975.25, 12]), (["1.020,5", "975,25", "12"], [1020.5, 975.25, 12]),
    (["1\u202f020", "12\u00a0345,5"], [1020, 12345.5]), (["0,125", "0,5"], [0.125, 0.5]),
    (["1.5", "1020.25"], [1.5, 1020.25]),
    (["1,5", "1020,25"], [1.5, 1020.25]), (["12%", "7 %"], [0.12, 0.07]), (["1e-05", "2"], [1e-5, 2])])
def test_how_numbers_are_written_is_decided_by_the_whole_column(fields, read):
    assert as_numbers.numbers(pd.DataFrame({"a": fields}), "a").tolist() == pytest.approx(read, rel=1e-15)


@pytest.mark.parametrize("fields", [["1,020", "975"], ["1.020", "975"], ["1,020", "2,125"], ["12", "1.020"]])
def test_where_two_ways_fit_nothing_is_guessed(fields):
    with pytest.raises(ValueError, match="may be thousands or decimals, .*1.02.* or .*1020|2.125 or 2125|1020"):
        as_numbers.numbers(pd.DataFrame({"a": fields}), "a")


def test_per_cent_in_a_heading_and_log_odds(capsys, tmp_path):
    found = run(capsys, tmp_path, binary(**{"risk (%)": (100 * CHANCE).round(2)}), "--truth", "y", *RATIO)
    assert costs(found)["risk (%)"] == pytest.approx(SCORE(Y, (100 * CHANCE).round(2) / 100))
    margin = np.log(CHANCE / (1 - CHANCE)).round(4)
    for more in ([], ["--models", "margin"]):
        assert "log odds?" in run(capsys, tmp_path, binary(margin=margin), "--truth", "y", *RATIO, *more)


@pytest.mark.parametrize("option", [
    ["--ratio", "9"], ["--ratio", "9:9"], ["--threshold", "0.1"], ["--threshold", "10%"]])
def test_a_known_ratio(capsys, tmp_path, option):
    found = run(capsys, tmp_path, binary(a=CHANCE), "--truth", "y", *option)
    assert costs(found)["a"] == pytest.approx(pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.1))(Y, CHANCE))


def test_four_costs_of_each_case_are_money(capsys, tmp_path):
    amount = RNG.uniform(20, 200, N).round(2)
    table = binary(a=CHANCE, C_FP=5.0, C_FN=amount, C_TP=5.0, C_TN=0.0)
    hint = run(capsys, tmp_path, table, "--truth", "y", *RATIO)
    assert any("--case-costs C_FP,C_FN,C_TP,C_TN" in line for line in hint["remarks"])
    found = run(capsys, tmp_path, table, "--truth", "y", "--case-costs", "C_FP,C_FN,C_TP,C_TN")
    act = CHANCE > 5 / (5 + amount - 5)
    assert costs(found)["a"] == pytest.approx(np.mean(np.where(Y, np.where(act, 5, amount), np.where(act, 5, 0))))
    assert "a miss must cost more" in run(capsys, tmp_path, table.assign(C_FN=1.0), "--truth", "y", "--case-costs",
                                          "C_FP,C_FN,C_TP,C_TN")


def test_follow_up_is_named_and_counted(capsys, tmp_path):
    months = RNG.exponential(8, N).round(2) + 0.01
    table = pd.DataFrame({"months": months, "died": Y, "a": CHANCE})
    found = run(capsys, tmp_path, table, "--truth", "died", *RATIO)
    assert any("--time months --horizon T" in line for line in found["remarks"])
    found = run(capsys, tmp_path, table, "--truth", "died", *RATIO, "--time", "months", "--horizon", "5")
    y, weight = pwu.ipcw(months, Y, horizon=5)
    assert costs(found)["a"] == pytest.approx(SCORE(y, CHANCE, sample_weight=weight))
    assert "needs --horizon" in run(capsys, tmp_path, table, "--truth", "died", *RATIO, "--time", "months")


@pytest.mark.parametrize("table, words, said", [
    (binary(a=CHANCE, b=CHANCE / 2), ["--threshold", "0.1:0.3"], "--threshold takes one number"),
    (binary(a=CHANCE), [*RATIO, "--horizon", "5"], "--horizon needs --time"),
    (binary(a=CHANCE), [*RATIO, "--coverage", "80"], "--coverage is not for --decision binary"),
    (binary(a=CHANCE), ["--decision", "top-k", "--share", "1%:10%", "--time", "a", "--horizon", "5"],
     "--time is not for"),
    (pd.DataFrame({"y": DEMAND, "a lower": DEMAND, "a upper": DEMAND}), [*ORDERS, "--coverage", "0.8"], "in per cent"),
    (pd.DataFrame({"y": [f"{d}%" for d in DEMAND], "a_q10": DEMAND, "a_q90": DEMAND}), ORDERS, "use one unit"),
    (pd.concat([binary(a=CHANCE, model="rf"), binary(a=CHANCE / 2, model="glm")]), RATIO, "one row per model"),
    (binary(a=CHANCE, C_FP=5.0, C_FN=9.0, C_TP=5.0, C_TN=0.0),
     ["--case-costs", "C_FP,C_FN,C_TP,C_TN", "--missing", "pairwise"], "needs every forecast"),
    (binary(a=CHANCE).assign(y=["Yes", "no", "yes ", "No"] * 15), RATIO, "differ only in spaces or capitals"),
    (binary(a=CHANCE, lead=1), [*RATIO, "--by", "lead", "--blocks", "5"], "--by cannot be combined with")])
def test_what_does_not_fit_is_refused_with_the_way_out(capsys, tmp_path, table, words, said):
    assert said in run(capsys, tmp_path, table, "--truth", "y", *words)


def test_whoever_took_the_groups_that_were_offered_is_not_asked_again(capsys, tmp_path):
    table = pd.concat([binary(a=CHANCE, site="north", case=np.arange(60)),
                       binary(a=CHANCE / 2, site="south", case=np.arange(60))])
    asked = run(capsys, tmp_path, table, "--truth", "y", *RATIO)
    assert "one row per model" in asked and "--groups case if each row is a case" in asked
    for groups in ("case", "site"):
        said = run(capsys, tmp_path, table, "--truth", "y", *RATIO, "--models", "a", "--groups", groups)
        line = next(line for line in said["remarks"] if "one row per model" in line)
        assert line.endswith(", or --only site=north for one.") and "--groups" not in line


def test_cases_of_a_hub_stay_in_order_and_only_quantiles_count(capsys, tmp_path):
    table = long_table().sort_values(["model_id", "location", "output_type_id"], key=lambda column: (
        -column.astype(int) if column.name == "location" else column))  # from the last place to the first
    truth = pd.DataFrame({"location": [f"{case:02d}" for case in range(N)], "seen": DEMAND})
    joined = table.merge(truth, on="location", sort=False)
    others = joined.assign(output_type="cdf", value=0.3)
    mixed = pd.concat([joined, others, joined.head(9).assign(output_type="mean", output_type_id="NA")])
    back = pd.DataFrame({"seen": DEMAND[::-1], **{f"{model}_q{level}": QUANTILES[::-1, k] + shift
                        for model, shift in (("A", 0.0), ("B", 5.0)) for k, level in enumerate(LEVELS)}})
    found = [run(capsys, tmp_path, one, "--truth", "seen", *ORDERS, "--blocks", "6") for one in (joined, mixed, back)]
    assert [one["models"] for one in found[:2]] == [found[2]["models"]] * 2
    truth.assign(location=range(1000, 1000 + N)).to_csv(tmp_path / "truth.csv", index=False)
    said = run(capsys, tmp_path, table, "--truth", "seen", "--truth-file", str(tmp_path / "truth.csv"), *ORDERS)
    assert "has an outcome in" in said and "location is" in said


@pytest.mark.parametrize("ids, kinds", [(["0e1", "0", "2e1", "20"], 4), (["1e99999999999", "1"], 2), (["1.0", "1"], 1)])
def test_an_exponent_is_no_number_where_it_may_be_an_id(ids, kinds):
    assert len({as_labels.key(one) for one in ids}) == kinds


@pytest.mark.parametrize("ids, said", [
    (np.tile(np.arange(12), 5), True), (np.repeat([f"u{k}" for k in range(10)], 6), True),
    (np.repeat(np.arange(20), np.tile([2, 4], 10)), True), (RNG.integers(20, 90, N), False), (np.arange(N), False),
    (np.tile(["f", "m"], N // 2), False)])
def test_ids_are_told_by_how_they_repeat_not_by_their_name(capsys, tmp_path, ids, said):
    found = run(capsys, tmp_path, binary(a=CHANCE, fall_nr=ids), "--truth", "y", *RATIO)
    assert any("Column fall_nr has" in line for line in found["remarks"]) == said


def test_a_sentence_for_each_place(capsys, tmp_path):
    place = np.where(np.arange(N) % 3, "01", "2")
    table = binary(a=CHANCE, b=(0.5 * CHANCE + 0.1).round(4), place=place)
    found = run(capsys, tmp_path, table, "--truth", "y", *RATIO, "--by", "place")
    assert set(found["by"]) == {"01", "2"} and "place" not in found["left_out"]
    for name, one in found["by"].items():
        rows = place == name
        assert one["cases"] == rows.sum() and one["costs"]["a"] == pytest.approx(SCORE(Y[rows], CHANCE[rows]))
    command.main(["compare", str(tmp_path / "p.csv"), "--truth", "y", *RATIO, "--by", "place"])
    assert "place = 01, 40 cases: " in capsys.readouterr().out
    many = pd.concat([table] * 3).assign(place=np.arange(3 * N))
    assert "values, more than" in run(capsys, tmp_path, many, "--truth", "y", *RATIO, "--by", "place")


@pytest.mark.parametrize(("cost", "found"), [
    ("$5", 5.0), ("5 EUR", 5.0), ("£2+0.5*price", 2.0), ("5%", "expected a cost such as 2"),
    ("1,500", "nothing between thousands"), ("dear", "for a cost that differs between users")])
def test_a_cost_in_a_table_may_have_a_currency(tmp_path, cost, found):
    (tmp_path / "costs.csv").write_text(f'act,well,ill\nhome,0,8\nward,"{cost}",1\n')
    if isinstance(found, str):
        with pytest.raises(ValueError, match="line 3") as refused:
            cost_tables.cost_table(str(tmp_path / "costs.csv"))
        assert found in str(refused.value)
    else:
        assert cost_tables.cost_table(str(tmp_path / "costs.csv"))[2][1].tolist() == [found, 1.0]


def test_a_cost_table_is_read_by_its_corner_and_echoed(capsys, tmp_path):
    table = pd.DataFrame({"state": np.where(Y, "ill", "well"), "a:well": 1 - CHANCE, "a:ill": CHANCE})
    right = pwu.PWU(pwu.CostMatrix([[0, 10], [1, 0]]))(Y, np.column_stack([1 - CHANCE, CHANCE]))
    words = ["--truth", "state", "--decision", "acts", "--costs", str(tmp_path / "costs.csv")]
    said = "home costs 0 if well and 10 if ill; ward costs 1 if well and 0 if ill."
    for text in ("act,well,ill\nhome,0,10\nward,1,0\n", "true,home,ward\nwell,0,1\nill,10,0\n"):
        (tmp_path / "costs.csv").write_text(text)
        found = run(capsys, tmp_path, table, *words)
        assert costs(found)["a"] == pytest.approx(right)
        assert any(said in line for line in found["remarks"])
    (tmp_path / "costs.csv").write_text(",well,ill\nwell,0,10\nill,1,0\n")
    assert "which ones are acts" in run(capsys, tmp_path, table, *words)


def test_names_with_commas_codes_with_zeros_and_missing_members(capsys, tmp_path):
    table = binary(**{"XGB (v1, tuned)": CHANCE, "LR": CHANCE / 2, "age": CHANCE})
    assert set(costs(run(capsys, tmp_path, table, "--truth", "y", *RATIO, "--models", "XGB (v1, tuned),LR"))) == {
        "XGB (v1, tuned)", "LR"}
    members = pd.DataFrame(QUANTILES, columns=["e_1", "e_2", "e_3"]).assign(y=DEMAND)
    members.loc[4, "e_2"] = np.nan
    found = run(capsys, tmp_path, members, "--truth", "y", *ORDERS, "--missing", "pairwise")
    kept = np.arange(N) != 4
    score = pwu.PWU(pwu.Newsvendor("members"), elicitation.beta_from_quantiles(2 / 3, 0.9))
    assert costs(found)["e"] == pytest.approx(score(DEMAND[kept], QUANTILES[kept]))
    codes = pd.DataFrame({"state": np.where(Y, "02", "01"), "a:01": 1 - CHANCE, "a:02": CHANCE})
    (tmp_path / "costs.csv").write_text("act,01,02\nkeep,0,5\nsend,1,0\n")
    assert costs(run(capsys, tmp_path, codes, "--truth", "state", "--decision", "acts", "--costs",
                     str(tmp_path / "costs.csv"))).keys() == {"a"}


def test_python_reads_what_the_command_line_reads(capsys, tmp_path):
    table = pd.DataFrame({"who": np.arange(N) // 2, "y": DEMAND, "A-lo-80": QUANTILES[:, 0],
                          "A-hi-80": QUANTILES[:, 2]})
    found = run(capsys, tmp_path, table, "--truth", "y", "--groups", "who", *ORDERS)
    for source in (table, tmp_path / "p.csv"):
        cases = files.read(source, "y", "orders", groups="who")
        score = pwu.PWU(cases.family, elicitation.beta_from_quantiles(2 / 3, 0.9))
        result = pwu.compare(cases.y_true, cases.models, score, groups=cases.groups, n_resamples=50)
        assert result.table.loc["A", ["low", "high"]].tolist() == pytest.approx(
            [found["models"][0]["low"], found["models"][0]["high"]])
        assert [one.sentence for one in cases.findings[:2]] == found["remarks"][:2] and cases.sample_weight is None
    with pytest.raises(ValueError, match="there is no option group;"):
        files.read(table, "y", "orders", group="who")
    with pytest.raises(ValueError, match="--truth"):
        files.read(table, decision="orders")


@pytest.mark.parametrize("pieces", [True, False])
def test_a_damaged_archive_is_told_in_one_line(capsys, tmp_path, monkeypatch, pieces):
    """Wherever the damage is, in a file that is read whole or in pieces."""
    monkeypatch.setitem(RULES, "most_bytes_at_once", 0 if pieces else 10**9)
    packed = gzip.compress(PLAIN.encode())
    for place in range(10, len(packed), 7):
        code = bytes([*packed[:place], packed[place] ^ 255, *packed[place + 1:]])
        said = run(capsys, tmp_path, code, "--truth", "y", *RATIO, name="p.csv.gz")
        assert isinstance(said, dict) or said.count("\n") == 1


@pytest.mark.parametrize("one, two", [
    ("P (species={})", "Q (species={})"), ("confidence({})", "forest({})"), ("confidence_{}", "net.{}"),
    ("prob({})", "rf (species = {})")])
def test_probabilities_of_classes_as_knime_and_rapidminer_call_them(capsys, tmp_path, one, two):
    kinds, rows = ["a", "b", "c"], RNG.dirichlet([2, 1, 1], (2, N)).round(6)
    rows[..., 2] = (1 - rows[..., 0] - rows[..., 1]).round(6)
    y = RNG.integers(0, 3, N)
    (tmp_path / "costs.csv").write_text("act,a,b,c\nsay a,0,1,2\nsay b,1,0,1\nsay c,3,1,0\n")
    table = pd.DataFrame({"species": np.array(kinds)[y], **{
        pattern.format(kind): rows[model, :, place] for model, pattern in enumerate((one, two))
        for place, kind in enumerate(kinds)}, "Prediction (species)": "a"})
    found = run(capsys, tmp_path, table, "--truth", "species", "--decision", "acts", "--costs",
                str(tmp_path / "costs.csv"))
    score = pwu.PWU(pwu.CostMatrix([[0, 1, 2], [1, 0, 1], [3, 1, 0]]))
    assert sorted(costs(found).values()) == pytest.approx(sorted(score(y, rows[model]) for model in (0, 1)))
