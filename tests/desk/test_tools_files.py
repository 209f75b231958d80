"""Files as tools and people leave them: each is read right, or refused or remarked on with what to do."""

import json

import numpy as np
import pandas as pd
import pytest

import pwu_desk
import pwu_lite as pwu
from pwu_desk import command, evidence

from .told import parsed

N = 240
rng = np.random.default_rng(11)
Y = (rng.random(N) < 0.3).astype(int)
A = np.clip(0.25 + 0.3 * Y + rng.normal(0, 0.12, N), 0.02, 0.97).round(3)
B = np.clip(0.28 + 0.1 * Y + rng.normal(0, 0.12, N), 0.02, 0.97).round(3)
AT = ["--threshold", "0.2"]
SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.2))


@pytest.fixture
def ask(capsys, tmp_path, monkeypatch):
    """What the command prints of a table, or of the text of a file: as JSON, or the refusal."""
    monkeypatch.chdir(tmp_path)

    def asked(table, *words):
        text = table if isinstance(table, str) else table.to_csv(index=False)
        (tmp_path / "f.csv").write_text(text, encoding="utf-8")
        code = command.main(["compare", "f.csv", "--json", "--resamples", "50", *words])
        said = capsys.readouterr()
        return parsed(said.out) if code == 0 else said.err
    return asked


def costs(found):
    return {one["name"]: pytest.approx(one["cost"], rel=1e-4) for one in found["models"]}


def said(found):
    return " ".join(found["remarks"])


BOTH = pd.DataFrame({"y": Y, "a": A, "b": B})
ORDERS = ["--decision", "orders", "--ratio", "3"]
ANSWERS = ["--decision", "answers", "--ratio", "4"]


@pytest.mark.parametrize("flag", ["abstained", "refused", "attempted"])
def test_a_column_that_says_where_a_model_abstained_is_asked_about(ask, flag):
    gone = np.arange(N) % 4 == 0
    table = pd.DataFrame({"m_right": np.where(gone, 0, Y), "m_confidence": A,
                          f"m_{flag}": gone if flag != "attempted" else ~gone})
    assert f"m_{flag} is {flag != 'attempted'} in 60 rows, and m is right in none of them" in said(ask(table, *ANSWERS))
    other = table.assign(**{f"m_{flag}": np.arange(N) % 3 == 0, "m_right": Y})
    assert "right in none" not in said(ask(other, *ANSWERS))
    graded = pd.DataFrame({"t": "x", "m_answer": np.where(Y, "x", np.arange(N).astype(str)), "m_confidence": A,
                           "m_graded": Y})
    assert "right in none" not in said(ask(graded, "--truth", "t", *ANSWERS))


@pytest.mark.parametrize("step", [1, -1])
def test_choices_numbered_from_one_and_from_zero_are_told_apart(ask, step):
    right = rng.integers(1, 4, N)
    table = pd.DataFrame({"t": right, "m_answer": np.where(Y == 0, right + step, 9), "m_confidence": A})
    word = "more" if step > 0 else "less"
    assert f"the answer of m is one {word} than the right one in {(Y == 0).sum()} of {N} rows" in ask(
        table, "--truth", "t", *ANSWERS)
    near = table.assign(m_answer=np.where(Y == 0, right, right + step))  # often right, sometimes one off
    assert "models" in ask(near, "--truth", "t", *ANSWERS)


def test_stretches_of_time_are_no_cases(ask):
    who = np.repeat(np.arange(N // 2), 2)
    start = np.tile([0, 3], N // 2)
    stop = np.where(start == 0, 3, 3 + rng.integers(1, 9, N))
    table = pd.DataFrame({"id": who, "tstart": start, "tstop": stop, "event": np.where(start == 0, 0, Y), "p": A})
    how = ["--truth", "event", "--time", "tstop", "--horizon", "5", *AT]
    assert "tstart is where the last row of the same id ended: the rows are stretches" in ask(table, *how)
    assert "models" in ask(table.assign(tstart=np.minimum(stop - 1, rng.integers(0, 3, N))), *how)
    years = ask(pd.DataFrame({"fu": 365 * stop, "event": Y, "p": A}), "--truth", "event", "--time", "fu",
                "--horizon", "5", *AT)
    assert "no event came by 5, the first one came at 1095: is --horizon in the unit of fu?" in years


def test_decimals_of_levels_are_told_from_per_cent(ask):
    middle = rng.gamma(4, 5, N).round(2)
    table = pd.DataFrame({"t": middle + rng.normal(0, 3, N).round(2), "m_q025": middle - 6, "m_q5": middle,
                          "m_q975": middle + 6})
    assert "are m_q025, m_q5, m_q975 the quantiles at 0.025, 0.5, 0.975? Call them" in ask(
        table.rename(columns={}), "--truth", "t", *ORDERS)
    plain = table.rename(columns={"m_q025": "m_q05", "m_q5": "m_q50", "m_q975": "m_q95"})
    assert "Read as quantiles at the levels 0.05, 0.5, 0.95." in said(ask(plain, "--truth", "t", *ORDERS))
    scores = table.rename(columns={"m_q025": "Quantile_0_1", "m_q5": "Quantile_0_5", "m_q975": "Quantile_0_9"})
    assert "Read as quantiles at the levels 0.1, 0.5, 0.9." in said(ask(scores, "--truth", "t", *ORDERS))


def test_counted_rows_have_no_outcome_among_the_models(ask):
    n = rng.integers(30, 60, 12)
    events = rng.binomial(n, np.linspace(0.1, 0.6, 12))
    table = pd.DataFrame({"events": events, "n": n, "observed": (events / n).round(3),
                          "p": np.linspace(0.1, 0.6, 12).round(3)})
    found = ask(table, "--count", "events,n", *AT)
    assert set(costs(found)) == {"p"} and "observed is events / n in each row, the outcome itself" in said(found)
    expected = table.drop(columns="observed").assign(old=(n * 0.4).round(2))
    assert "old adds up to" in ask(expected, "--count", "events,n", *AT)
    assert set(costs(ask(expected, "--count", "events,n", "--models", "p", *AT))) == {"p"}
    rate = table[["events", "n"]].assign(rate_per_1000=1000 * table["p"])
    assert "(per mille, by its name: divide by 1000)" in ask(rate, "--count", "events,n", *AT)


def test_merged_cells_are_filled_down(ask):
    site = np.repeat(["N", "S", "E"], N // 3)
    blank = pd.Series(site).mask(np.arange(N) % (N // 3) > 0)
    found = ask(BOTH.assign(site=blank), "--truth", "y", "--by", "site", *AT)
    assert set(found["by"]) == {"N", "S", "E"} and "site is blank below each of its values" in said(found)
    whole = ask(BOTH.assign(site=site), "--truth", "y", "--by", "site", *AT)
    assert found["by"] == whole["by"]
    rows = pd.concat([pd.DataFrame({"model": name, "id": range(N), "y": Y, "p": f})
                      for name, f in (("m", A), ("k", B))])
    merged = rows.assign(model=rows["model"].mask(rows["id"] > 0))
    assert "--model-column model to compare them" in ask(merged, "--truth", "y", *AT)
    both = ask(merged, "--truth", "y", "--model-column", "model", *AT)
    assert costs(both) == {"m": SCORE(Y, A), "k": SCORE(Y, B)}
    sparse = BOTH.assign(note=np.where(np.arange(N) % 9 < 2, np.where(Y, "late", "lost"), None),
                         site=np.where(Y == 1, "late", None))
    assert "merged cells" not in said(ask(sparse, "--truth", "y", *AT))


def test_a_heading_that_comes_again_may_begin_another_model(ask):
    one, two = (pd.DataFrame({"id": range(N), "y": Y, "p": f}).to_csv(index=False) for f in (A, B))
    refused = ask(one + two, "--truth", "y", *AT)
    assert f"the heading stands again, in line {N + 2}" in refused and "they are models" in refused
    halves = [pd.DataFrame({"id": np.arange(N)[part], "y": Y[part], "p": A[part]}).to_csv(index=False)
              for part in (slice(0, 100), slice(100, None))]
    assert costs(ask("".join(halves), "--truth", "y", *AT)) == {"p": SCORE(Y, A)}


@pytest.mark.parametrize("name", ["profit.csv", "payoffs.csv", "costs.csv"])
def test_gains_are_no_costs(ask, tmp_path, name):
    corner = "act (utility)" if name == "costs.csv" else "act"
    (tmp_path / name).write_text(f"{corner},no,yes\nwait,0,-9\ngo,-1,-1\n")
    table = pd.DataFrame({"state": np.where(Y, "yes", "no"), "m:no": 1 - A, "m:yes": A})
    refused = ask(table, "--truth", "state", "--decision", "acts", "--costs", name)
    assert "costs are asked for. Write what an act brings with a minus sign" in refused
    (tmp_path / "c.csv").write_text("act,no,yes\nwait,0,9\ngo,1,1\n")
    assert "models" in ask(table, "--truth", "state", "--decision", "acts", "--costs", "c.csv")


@pytest.mark.parametrize("written, told", [
    (lambda p: np.where(np.arange(N) % 9 == 0, "11. Jan", p.astype(str)), "fields, but line 2 is not a number"),
    (lambda p: [f"~{one}" for one in p], "has a sign beside each number, as in '~"),
    (lambda p: [f"'{one}" for one in p], 'has a sign beside each number, as in "\''),
    (lambda p: np.where(np.arange(N) % 2 == 0, (100 * p).round().astype(int).astype(str), p.astype(str)),
     "and others are shares: two units in one column")])
def test_a_forecast_in_signs_is_refused_and_not_left_out(ask, written, told):
    assert told in ask(BOTH.assign(a=written(A)), "--truth", "y", *AT)
    assert set(costs(ask(BOTH.assign(a=written(A)), "--truth", "y", "--models", "b", *AT))) == {"b"}


def test_the_noise_of_floats_is_no_other_unit(ask):
    sure = BOTH.assign(a=np.where(np.arange(N) % 50 == 0, np.where(Y, 1 + 2.2e-16, -1e-17), A))
    assert costs(ask(sure, "--truth", "y", *AT))["a"] == SCORE(Y, np.clip(sure["a"], 0, 1))


@pytest.mark.parametrize("foot", ["mean,{},{},{}\nmin,0,0.1,0.1\nmax,1,0.9,0.9\n", "max,1,0.97,0.97\n"])
def test_extremes_below_the_cases_are_no_cases(ask, foot):
    text = BOTH.assign(id=range(N))[["id", "y", "a", "b"]].to_csv(index=False) + foot.format(0.3, 0.4, 0.3)
    assert f"line {N + 2} is not a case: it says" in ask(text, "--truth", "y", *AT)
    names = BOTH.assign(who=[*(f"p{k}" for k in range(N - 1)), "Max"])  # a name among names
    assert "models" in ask(names, "--truth", "y", *AT)


def test_chances_of_several_classes_are_one_model(ask):
    rest = (1 - A) * 0.6
    table = pd.DataFrame({"y": Y, "P_A": A, "P_B": rest.round(3), "P_C": (1 - A - rest).round(3)})
    assert "P_A, P_B, P_C add up to 1.00 in each row" in ask(table, "--truth", "y", *AT)
    assert costs(ask(table, "--truth", "y", "--models", "P_A", *AT)) == {"P_A": SCORE(Y, A)}
    three = costs(ask(table, "--truth", "y", "--event", "1", "--models", "P_A,P_B,P_C", *AT))
    assert three["P_A"] == SCORE(Y, A) and len(three) == 3
    rivals = table.assign(P_B=np.roll(table["P_B"], 1))  # of the same mean, and not of the same rows
    assert "add up to" not in str(ask(rivals, "--truth", "y", "--event", "1", *AT))
    odds = table.assign(P_A=0.9 * A, P_B=1.05 * rest, P_C=1.05 * (1 - rest) - 0.9 * A)
    assert "add up to 1.05 in each row" in ask(odds.round(4), "--truth", "y", *AT)


@pytest.mark.parametrize("label", [lambda k: k, lambda k: f"LABEL_{k}"])
def test_confidence_of_a_label_is_offered_where_forecasts_seem_turned(ask, label):
    says = (A > 0.55).astype(int)
    sure = np.where(says, A, 1 - A).round(3)
    table = pd.DataFrame({"y": Y, "score": sure, "pred": [label(k) for k in says]})
    assert "If they say how sure the label in pred is: --confidence-of pred." in ask(table, "--truth", "y", *AT)
    found = ask(table, "--truth", "y", "--confidence-of", "pred", *AT)
    assert costs(found)["score"] == SCORE(Y, np.where(says, sure, 1 - sure))


def test_differences_are_no_log_odds_and_ranks_no_times(ask):
    lone = pd.DataFrame({"y": Y, "uplift": (A - B).round(3)})
    assert "differences, as of an uplift" in ask(lone, "--truth", "y", *AT)
    ranked = BOTH.assign(rank=(-A).argsort().argsort() + 1,
                         decile=pd.qcut(-A + np.arange(N) * 1e-9, 10, labels=False) + 1)
    assert "time of follow-up" not in said(ask(ranked, "--truth", "y", *AT))


def test_what_a_forecast_alone_tells_is_no_model(ask):
    both = np.array([A, 1 - A])
    table = BOTH.assign(entropy=-(both * np.log(both)).sum(axis=0).round(6), margin=np.abs(2 * A - 1))
    found = ask(table, "--truth", "y", *AT)
    assert set(costs(found)) == {"a", "b"} and found["left_out"]["entropy"] == "computed from a alone"
    halves = pd.DataFrame({"y": Y, "a": A * 0.9, "b": A * 0.45})  # twice the other one, and a forecast
    assert set(costs(ask(halves, "--truth", "y", *AT))) == {"a", "b"}


def test_a_second_model_s_complement_is_found_below_its_number(ask):
    table = pd.DataFrame({"Response": np.where(Y, "bad", "good"), "Prob[bad]": A, "Prob[good]": 1 - A,
                          "Prob[bad] 2": B, "Prob[good] 2": 1 - B})
    found = ask(table.round(3), "--truth", "Response", "--event", "bad", *AT)
    assert costs(found) == {"Prob[bad]": SCORE(Y, A), "Prob[bad] 2": SCORE(Y, B)}


def test_leads_are_told_by_their_dates(ask):
    days = 250  # of fewer the column itself is offered
    day = pd.Timestamp("2026-03-01") + pd.to_timedelta(np.repeat(np.arange(days), 3), "D")
    lead, demand = np.tile([1, 2, 7], days), np.repeat(rng.gamma(4, 5, days).round(1), 3)
    told = (day - pd.to_timedelta(lead, "D")).strftime("%Y-%m-%d")
    low = (demand - rng.gamma(3, lead)).round(1)
    table = pd.DataFrame({"target": day.strftime("%Y-%m-%d"), "demand": demand, "issued": told, "m_q10": low,
                          "m_q90": low + 6})
    assert "target is 1, 2 or 7 days after issued, with the same outcomes" in said(ask(
        table, "--truth", "demand", *ORDERS))
    each = table[lead == np.tile([1, 2, 7], days // 3 + 1)[:days].repeat(3)]  # every target once, at some lead
    assert "days after issued" not in said(ask(each, "--truth", "demand", *ORDERS))
    alone = table[lead == 1]
    assert "days after issued" not in said(ask(alone, "--truth", "demand", *ORDERS))


def test_a_table_of_frequencies_says_what_its_intervals_are_of(ask):
    table = pd.DataFrame({"y": [0, 1] * 5, "p": np.repeat([0.1, 0.2, 0.3, 0.5, 0.7], 2),
                          "Freq": [90, 10, 80, 20, 70, 30, 50, 50, 30, 70]})
    assert "Freq adds up to 500 in 10 rows" in said(ask(table, "--truth", "y", "--weights", "Freq", *AT))
    many = BOTH.assign(w=rng.integers(5, 9, N))
    assert "adds up to" not in said(ask(many, "--truth", "y", "--weights", "w", *AT))


def test_headers_in_comments_and_lines_in_quotes(ask):
    rows = "\n".join(f"{int(y)} {a:.6e} {b:.6e}" for y, a, b in BOTH.to_numpy())
    plain = "\n".join(f"{int(y)} {a} {b}" for y, a, b in BOTH.to_numpy())
    assert costs(ask(f"# y a b\n{plain}\n", "--truth", "y", *AT)) == {"a": SCORE(Y, A), "b": SCORE(Y, B)}
    assert "there is no column" not in ask(f"# y a b\n{rows}\n", "--truth", "y", *AT)
    quoted = "\n".join(f'"{line}"' for line in BOTH.to_csv(index=False).strip().split("\n")) + "\n"
    assert costs(ask(quoted, "--truth", "y", *AT)) == {"a": SCORE(Y, A), "b": SCORE(Y, B)}
    written = [f"{one:.2f}".replace("-", "\u2212") for one in A - 0.5]
    minus = pd.DataFrame({"t": written, "m_mean": B - 0.5, "m_std": 0.2})
    how = ["--truth", "t", "--decision", "selective", "--error", "0.1:0.3"]
    assert costs(ask(minus, *how)) == costs(ask(minus.assign(t=[f"{one:.2f}" for one in A - 0.5]), *how))


def test_lists_in_the_fields_of_a_table_are_no_traceback():
    table = BOTH.assign(id=np.repeat(range(N // 2), 2), embedding=[[0.1, 0.2]] * N, meta=[{"k": 1}] * N)
    found = pwu_desk.read(table, "y")
    assert set(found.models) == {"a", "b"} and {"embedding", "meta"} <= {
        name for name, role in found.roles.items() if role.role == "left out"}
    arrays = table.assign(embedding=[np.array([0.1, 0.2])] * N)  # as DuckDB reads a list of Parquet
    assert set(pwu_desk.read(arrays, "y").models) == {"a", "b"}
    with pytest.raises(ValueError, match="seem to be probabilities of 0"):
        pwu_desk.read(table.assign(a=1 - A, b=1 - B), "y")


def test_stretches_are_looked_for_with_one_order_for_each_column(ask, monkeypatch):
    many = rng.integers(0, 6, (N, 600))  # columns of counts, smaller than the time, whose values are times as well
    table = pd.concat([BOTH, pd.DataFrame(many, columns=[f"x{k}" for k in range(600)])], axis=1)
    orders, lexsort = [], np.lexsort
    monkeypatch.setattr(np, "lexsort", lambda keys: orders.append(1) or lexsort(keys))
    ask(table.assign(t=rng.integers(1, 40, N)), "--truth", "y", "--models", "a", "--time", "t", "--horizon", "9", *AT)
    assert len(orders) < 2 * table.shape[1]  # every column against every other one took minutes


def test_a_total_among_the_rows_is_named(ask):
    text = BOTH.assign(site="N")[["site", "y", "a", "b"]].to_csv(index=False) + "N Total,0.31,0.3,0.3\n"
    assert "a total is not a case" in ask(text + "N,1,0.5,0.5\n", "--truth", "y", *AT)


def test_who_reads_no_further_gets_no_complaint(tmp_path):
    import subprocess
    import sys

    BOTH.to_csv(tmp_path / "f.csv", index=False)
    told = subprocess.run(f"{sys.executable} -m pwu_desk compare {tmp_path}/f.csv --truth y --threshold 0.2 --json "
                          f"--resamples 50 | head -c 20", shell=True, capture_output=True, text=True, check=False)
    assert told.stdout.startswith("{") and "Broken pipe" not in told.stderr and "Traceback" not in told.stderr


def test_an_outcome_that_was_cut_from_the_forecast_is_doubted(ask):
    score = np.round(np.linspace(0.05, 0.9, N), 4)
    cut = pd.DataFrame({"y": np.where(score > 0.6, "bad", "good"), "p": score, "a": A})
    words = "In p all events lie above all other cases: was the outcome cut from it, or was it made"
    assert words in said(ask(cut, "--truth", "y", "--event", "bad", *AT))
    for place, other in ((0, 0.95), (N - 1, 0.3)):
        almost = cut.assign(p=np.where(np.arange(N) == place, other, score))
        assert words not in said(ask(almost, "--truth", "y", "--event", "bad", *AT))


def test_named_models_are_read_by_the_label_in_their_name(ask):
    table = pd.DataFrame({"y": np.where(Y, "unsafe", "safe"), "a_pred_safe": 1 - A, "b_pred_safe": B})
    found = ask(table, "--truth", "y", "--event", "unsafe", "--models", "a_pred_safe,b_pred_safe", *AT)
    assert costs(found) == {"a_pred_safe": SCORE(Y, A), "b_pred_safe": SCORE(Y, 1 - B)}
    assert "a_pred_safe is read as the probability of unsafe" not in said(found)
    assert "a_pred_safe is read as the probability of safe, by its name" in said(found)


def test_a_comma_in_the_name_of_a_column_of_labels_separates_nothing(ask):
    table = pd.DataFrame({"y": Y, "A label (t=1, s)": np.where(A > 0.5, 1, 0), "A confidence": np.maximum(A, 1 - A)})
    found = ask(table, "--truth", "y", "--confidence-of", "A label (t=1, s)", "--models", "A confidence", *AT)
    assert costs(found) == {"A confidence": SCORE(Y, A)}


def test_an_outcome_that_never_changes_in_a_part_is_told_by_its_label(ask):
    part = np.arange(N) < 100
    table = pd.DataFrame({"y": np.where(part, 1, np.where(Y, 2, 1)), "part": np.where(part, "early", "late"), "a": A})
    assert "y is 1 in all 100 rows where part = early" in said(ask(table, "--truth", "y", "--event", "2", *AT))


def test_ties_beside_two_labels_are_left_out_by_what_is_said(ask):
    table = pd.DataFrame({"y": np.where(np.arange(N) < 5, 0.5, Y), "a": A})
    assert "--only y=0 --only y=1" in ask(table, "--truth", "y", *AT)
    assert costs(ask(table, "--truth", "y", "--only", "y=0", "--only", "y=1", *AT)) == {"a": SCORE(Y[5:], A[5:])}


def test_what_looks_like_time_has_the_values_of_one(ask):
    table = BOTH.assign(part_time=np.arange(N) % 2, share_to_date=np.linspace(40.25, 60.75, N), week=np.arange(N) // 12)
    words = said(ask(table, *AT))
    assert "week looks like time" in words and "part_time looks" not in words and "to_date looks" not in words


def test_a_column_that_was_read_in_per_cent_is_not_asked_about_again(ask):
    few = np.arange(N) == 7
    table = pd.DataFrame({"y": few, "turnout (%)": np.round(40 + 20 * A, 1), "a": np.where(few, 0.4, 0.01 * A)})
    assert "turnout (%) was read in per cent" in said(ask(table, "--event", "True", *AT))
    assert "is it in per cent" not in said(ask(table, "--event", "True", *AT))


def test_quantiles_that_cross_are_refused_with_what_to_do(ask):
    table = pd.DataFrame({"y": np.linspace(88.5, 112.5, 60), "m_q05": 90.0, "m_q50": 100.0, "m_q95": 110.0})
    table.loc[3, "m_q50"] = 89.0
    assert "fitted one by one, sort those of each row" in ask(table, "--truth", "y", *ORDERS)


def test_rows_without_an_outcome_that_are_no_cases_are_left_out_as_it_is_said(ask):
    blank = np.arange(N) % 6 == 0
    table = pd.DataFrame({"y": np.where(blank, np.nan, Y), "a": np.where(blank, np.nan, A)})
    assert "if such a row should not count, --only y=0 --only y=1 leaves it out" in ask(table, "--truth", "y", *AT)
    found = ask(table, "--truth", "y", "--only", "y=0", "--only", "y=1", *AT)
    assert costs(found) == {"a": SCORE(Y[~blank], A[~blank])}


def test_models_that_two_columns_name_together(ask):
    """Where not every setting has every variant, no column alone tells the models apart."""
    kinds = [("raw", "base", A), ("graph", "base", B), ("graph", "full", (A + B) / 2)]
    table = pd.concat([pd.DataFrame({"case": np.arange(N), "y": Y, "p": f, "features": one, "kind": two})
                       for one, two, f in kinds])
    asked = ask(table, "--truth", "y", *AT)
    assert "'features' and 'kind' together cut the rows into 3 parts with the same case and outcomes" in asked
    assert "Say --model-column features --model-column kind to compare them" in asked
    assert "--only features=raw --only kind=base for one" in asked
    found = ask(table, "--truth", "y", "--model-column", "features", "--model-column", "kind", *AT)
    assert costs(found) == {f"{one} {two}": SCORE(Y, f) for one, two, f in kinds}
    assert "no column 'nope'" in ask(table, "--truth", "y", "--model-column", "features", "--model-column", "nope", *AT)


def test_a_file_in_wekas_format_is_refused_with_a_way(capsys, tmp_path):
    path = tmp_path / "f.arff"
    path.write_text("% made by a tool\n@relation r\n@attribute y {0,1}\n@attribute a numeric\n@data\n0,0.2\n1,0.9\n")
    assert command.main(["compare", str(path), *AT]) == 2
    assert "scipy.io.arff.loadarff reads it" in capsys.readouterr().err


def test_chances_of_surviving_are_not_five_rivals(ask):
    hazard = (0.02 + 0.2 * A)[:, None] * np.array([1, 5, 10, 20, 30])
    table = pd.DataFrame(np.exp(-hazard), columns=["1", "5", "10", "20", "30"]).assign(y=Y)
    assert "1 to 30 fall along every row: they seem to be chances of surviving" in ask(table, "--truth", "y", *AT)
    mixed = table.assign(**{"10": table["30"], "30": table["10"]})
    assert "chances of surviving" not in str(ask(mixed, "--truth", "y", "--event", "1", *AT))
    by_then = table.assign(risk=1 - table["20"])[["y", "risk"]]
    assert costs(ask(by_then, "--truth", "y", *AT)) == {"risk": SCORE(Y, by_then["risk"])}


def test_what_happened_is_not_offered_as_a_forecast_in_per_cent(ask):
    table = pd.DataFrame({"y": Y, "a": A, "actual_share": np.round(100 * A, 1), "poll_share": np.round(100 * B, 1)})
    words = said(ask(table, "--truth", "y", *AT))
    assert "--percent poll_share compares it" in words and "--percent actual_share" not in words


def test_a_comma_in_a_name_separates_nothing_in_any_list(ask):
    table = pd.DataFrame({"y": Y, "risk, 5 years": 100 * A, "b": 100 * B})
    found = ask(table, "--truth", "y", "--percent", "risk, 5 years,b", *AT)
    assert costs(found) == {"risk, 5 years": SCORE(Y, A), "b": SCORE(Y, B)}
    counts = pd.DataFrame({"events, all": [3, 5, 9], "cases, all": [40, 30, 20], "a": [0.1, 0.2, 0.4]})
    assert costs(ask(counts, "--count", "events, all,cases, all", *AT)) == {
        "a": SCORE(np.repeat([1, 0, 1, 0, 1, 0], [3, 37, 5, 25, 9, 11]), np.repeat([0.1, 0.2, 0.4], [40, 30, 20]))}


@pytest.mark.parametrize("returned", [None, np.array([1.0, 2.0])], ids=["nothing", "two"])
def test_a_score_that_returns_no_number_is_refused(returned):
    with pytest.raises(ValueError, match="score is None|score must return one number"):
        pwu.compare(Y, {"a": A, "b": B}, lambda y, f: returned)


def test_a_score_made_from_the_outcome_is_left_out_whichever_way_it_points(ask):
    made = {"loss": (A - Y) ** 2, "gain": 1 - (A - Y) ** 2, "agreement": 1 - abs(A - Y)}
    for name, values in made.items():
        found = ask(pd.DataFrame({"y": Y, "a": A, name: values.round(4)}), "--truth", "y", *AT)
        assert costs(found) == {"a": pytest.approx(SCORE(Y, A))}, name


MODELS = pd.concat([pd.DataFrame({"model_name": name, "item": [f"q{k}" for k in range(40)],
                                  "confidence": A[:40] ** power, "is_correct": Y[place:40 + place]})
                    for place, (name, power) in enumerate([("gpt", 1), ("llama", 2), ("opus", 3)])], ignore_index=True)


def test_models_in_rows_are_seen_although_a_few_rows_stand_twice(ask):
    twice = pd.concat([MODELS, MODELS.iloc[[0, 45]]], ignore_index=True)
    assert "column 'model_name' cuts the rows into 3 parts with nearly the same item" in ask(twice, *ANSWERS)
    refused = ask(twice, "--model-column", "model_name", *ANSWERS)
    assert "line 122 has 'q0' of 'gpt' again: keep one row for each" in refused, refused
    assert len(ask(MODELS, "--model-column", "model_name", *ANSWERS)["models"]) == 3
    other = MODELS.rename(columns={"model_name": "region", "confidence": "age"})
    found = ask(pd.concat([other, other.iloc[[0]]]), *ANSWERS)
    assert [one["name"] for one in found["models"]] == ["the model"]
    binary = said(ask(twice, "--truth", "is_correct", *AT))
    assert "model_name has 3 values, which are counted together" in binary


def test_rows_that_two_columns_hold_together_are_named_and_may_be_groups(ask):
    match = np.repeat(np.arange(60), 8)
    teams = [f"T{k % 12}" for k in match], [f"T{(k % 12 + 1 + k // 12) % 12}" for k in match]
    won = (rng.random(60) < 0.5).astype(int)[match]
    table = pd.DataFrame({"home": teams[0], "away": teams[1], "y": won,
                          "a": np.clip(0.4 + 0.2 * won + rng.normal(0, 0.1, 480), 0.05, 0.95).round(4)})
    assert "The outcome is the same in all rows of each home,away: " in said(ask(table, "--truth", "y", *AT))
    by_match = ask(table, "--truth", "y", "--groups", "home,away", *AT)
    number = table.assign(match=match).drop(columns=["home", "away"])
    assert by_match["models"] == ask(number, "--truth", "y", "--groups", "match", *AT)["models"]
    lacks = ask(table.assign(home=table["home"].where(table.index != 3)), "--truth", "y", "--groups", "home,away", *AT)
    assert "line 5, column 'home': expected a group" in lacks


def test_rows_of_one_model_that_are_alike_are_said(ask):
    ticker = np.repeat(np.arange(12), [3, 9, 20, 1, 40, 30, 12, 8, 50, 7, 20, 40])
    level = 10.0 ** (ticker % 4)
    table = pd.DataFrame({"ticker": [f"s{k}" for k in ticker], "y": level * (1 + 0.1 * rng.normal(size=240)),
                          "m_q10": level * 0.9, "m_q50": level, "m_q90": level * 1.1}).round(4)
    assert "--groups ticker" in said(ask(table, "--truth", "y", *ORDERS))


def test_features_beside_a_score_are_asked_about(ask):
    table = pd.DataFrame({"y": Y, "anomaly_score": A, "entropy": B, "load": rng.random(N).round(3)})
    found = said(ask(table, "--truth", "y", *AT))
    assert "Only anomaly_score is called a forecast: if entropy and load are not" in found
    for other in (table.rename(columns={"anomaly_score": "gbm"}), table.drop(columns="load")):
        assert "is called a forecast" not in said(ask(other, "--truth", "y", *AT))


def test_an_outcome_that_says_what_was_right_is_no_event_of_a_label(ask):
    p = rng.random(N).round(3)
    right = (rng.random(N) < np.maximum(p, 1 - p)).astype(int)
    assert "p tells correct by its distance from one half" in said(ask(
        pd.DataFrame({"p": p, "correct": right}), "--truth", "correct", *AT))
    high = (0.4 + 0.55 * rng.random(N)).round(3)
    for f, y in ((A, Y), (high, (rng.random(N) < high**2).astype(int))):
        assert "by its distance" not in said(ask(pd.DataFrame({"p": f, "correct": y}), "--truth", "correct", *AT))


def test_a_label_that_a_forecast_decides_has_no_other_confidence(ask):
    label = (A > 0.4).astype(int)
    cosphi = np.where(label == 1, 0.93, 0.95) + rng.normal(0, 0.01, N).round(4)
    table = pd.DataFrame({"y": Y, "prob": A, "predicted": label, "cosphi": cosphi.round(4)})
    assert "confidence" not in ask(table, "--truth", "y", "--models", "prob,cosphi", *AT)
    sure = table.drop(columns="cosphi").assign(sure=np.maximum(A, 1 - A).round(3))
    assert "--confidence-of predicted" in ask(sure, "--truth", "y", *AT)


def test_columns_that_a_pivot_made_say_nothing_of_a_fit(ask):
    long = pd.concat([pd.DataFrame({"id": range(N), "y": Y, "condition": name, "p": p,
                                    "changed": np.arange(N) % k == 0})
                      for name, p, k in (("baseline", A, 2), ("without_training_copies", B, 3))])
    found = ask(long.astype({"changed": str}), "--truth", "y", "--model-column", "condition", *AT)
    assert "may say to which rows" not in found


def test_rows_without_outcome_and_forecast_lead_in_no_circle(ask):
    table = pd.DataFrame({"y": Y, "p": A}).astype({"y": object})
    table.loc[3] = None
    refused = ask(table, "--truth", "y", *AT)
    assert "--missing bounds" not in refused and "--only y=0 --only y=1 leaves it out" in refused
    assert ask(table, "--truth", "y", "--only", "y=0", "--only", "y=1", *AT)["models"]


def test_rows_are_kept_by_a_value_as_the_file_writes_it(ask):
    table = pd.DataFrame({"y": Y, "p": A, "hit": np.arange(N) % 3 / 1.0})
    both = [costs(ask(table, "--truth", "y", "--only", f"hit={value}", *AT)) for value in ("1.0", "1")]
    assert both[0] == both[1]


def test_a_key_with_several_outcomes_is_joined_by_the_cases(ask, tmp_path):
    pd.DataFrame({"id": range(N), "A": Y, "B": 1 - Y}).to_csv(tmp_path / "key.csv", index=False)
    table = pd.DataFrame({"id": range(N), "A": A, "B": B})
    found = ask(table, "--truth-file", "key.csv", "--truth", "A", *AT)
    assert costs(found) == {"A": pytest.approx(SCORE(Y, A))} and "B of f.csv and of key.csv have other" in said(found)


def test_cases_of_few_shared_weeks_are_joined_by_both_keys(ask, tmp_path):
    weeks = pd.DataFrame({"id": np.tile(range(12), 20), "week": np.repeat(range(20), 12)})
    weeks.assign(y=Y, week=weeks["week"] + 14).to_csv(tmp_path / "key.csv", index=False)
    found = ask(weeks.assign(p=A), "--truth-file", "key.csv", "--truth", "y", *AT)
    assert costs(found) == {"p": pytest.approx(SCORE(Y[:72], A[-72:]))}


def test_a_pivot_keeps_the_level_of_its_column(ask):
    long = pd.concat([pd.DataFrame({"id": range(40), "sold": 10 + Y[:40], "model": name, "fc_q80": 10 + shift})
                      for name, shift in (("a", 1), ("b", 2))])
    found = ask(long, "--truth", "sold", "--model-column", "model", *ORDERS)
    assert [one["name"] for one in found["models"]] == ["a", "b"]


def test_orders_without_an_outcome_have_a_way(ask):
    table = pd.DataFrame({"actual": [*Y[:30], None], "m_q10": 0.0, "m_q50": 0.5, "m_q90": 1.0})
    assert "Rows whose outcome is not known yet have to be left out" in ask(table, "--truth", "actual", *ORDERS)


def test_the_index_that_pandas_writes_has_a_name(ask):
    found = ask(BOTH.to_csv(), "--truth", "y", *AT)
    assert costs(found) == {"a": pytest.approx(SCORE(Y, A)), "b": pytest.approx(SCORE(Y, B))}
    assert "row names" in found["left_out"]


def test_features_of_a_kind_are_no_weights(ask):
    table = pd.DataFrame({"y": Y, "p": A} | {f"{kind}Freq": rng.random(N).round(3) for kind in ("Syn", "Ack", "Fin")})
    assert "how often" not in said(ask(table, "--truth", "y", "--models", "p", *AT))
    assert "how often" in said(ask(table.drop(columns="SynFreq"), "--truth", "y", "--models", "p", *AT))
    zeros = pd.DataFrame({"y": Y, "p": A, "birth_weight_kg": 3 + B, "count": 0})
    assert "how often each case counts" not in said(ask(zeros, "--truth", "y", "--models", "p", *AT))


def test_what_a_forecast_or_the_outcome_says_is_not_looked_for(ask):
    level = np.where(A < 0.2, "low", np.where(A < 0.4, "mid", "high"))
    y = np.where(A < 0.2, 0, Y)
    table = pd.DataFrame({"y": y, "prob": A, "level": level})
    assert "looked for" not in said(ask(table, "--truth", "y", *AT))
    result = pd.DataFrame({"y": Y, "prob": A, "result": np.where(Y, "win", np.where(B > 0.3, "draw", "lose"))})
    assert "looked for" not in said(ask(result, "--truth", "y", *AT))
    shut = pd.DataFrame({"y": y, "prob": np.where(A < 0.2, 0, A), "level": level})
    assert "looked for" in said(ask(shut, "--truth", "y", *AT))
    closed = pd.DataFrame({"y": y, "prob": B, "level": level})
    assert "looked for" in said(ask(closed, "--truth", "y", *AT))


def test_scores_and_ages_are_no_follow_up(ask):
    y = np.tile([0, 1], N // 2)
    for name, is_time in (("score2", False), ("age", False), ("expected_months", False), ("futime", True)):
        times = (np.where(y == 1, 5, 50) * rng.uniform(0.8, 1.2, N)).round(2)
        found = said(ask(pd.DataFrame({"y": y, "p": A, name: times}), "--truth", "y", "--models", "p", *AT))
        assert ("time of follow-up" in found) == is_time, name


def all_said(answer):
    """All that an answer says, refused or not."""
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


@pytest.mark.parametrize("code", [-999, -9999.0, 99999])
def test_a_code_of_a_missing_value_is_asked_about_even_once(ask, code):
    y = np.random.default_rng(0).gamma(3, 2, 40).round(1)
    y[7] = code
    options = ("--truth", "y", "--decision", "orders", "--ratio", "1:2")
    told = all_said(ask(pd.DataFrame({"y": y, "a_q50": np.full(40, 6.0)}), *options))
    assert f"y is {code:g} in 1 of 40 rows, unlike all its other values" in told


def test_a_column_that_means_two_things_is_no_key(ask, tmp_path):
    """Both files say when they were published; by the hour nearly all rows are joined."""
    hours = [f"2026-01-{1 + k // 24:02} {k % 24:02}:00" for k in range(240)]
    days, p = [f"d{k // 24}" for k in range(240)], np.tile([0.2, 0.8], 120)
    ours = pd.DataFrame({"hour": hours, "published": days, "p": p})
    came = pd.DataFrame({"hour": hours, "published": [f"d{k // 24 + 2}" for k in range(240)], "y": [0, 1] * 120})
    came.to_csv(tmp_path / "came.csv", index=False)
    told = all_said(ask(ours, "--truth", "y", "--ratio", "1:4", "--truth-file", str(tmp_path / "came.csv")))
    assert "120 of 240 cases are events" in told and "Joined by hour, since by hour, published few rows are." in told
    came.assign(y="").to_csv(tmp_path / "came.csv", index=False)
    told = ask(ours, "--truth", "y", "--ratio", "1:4", "--truth-file", str(tmp_path / "came.csv"))
    assert "y is empty in the rows of" in told


def seats():
    """Five forecasters of eight parties, two of whom leave out the smallest."""
    rng, parties = np.random.default_rng(0), [f"party {k}" for k in range(8)]
    won = np.array([400, 120, 70, 9, 7, 5, 4, 4])
    rows = [(who, party, real, max(real + rng.integers(-5, 6) * size, 0)) for size, who in enumerate("abcde", start=1)
            for party, real in zip(parties, won, strict=True) if size < 4 or party != "party 7"]
    return pd.DataFrame(rows, columns=["source", "party", "seats", "said_q50"])


def test_forecasters_of_whom_some_leave_a_case_out_are_models(ask):
    options = ("--truth", "seats", "--decision", "orders", "--ratio", "1:2")
    told = ask(seats(), *options)
    assert "column 'source' cuts the rows into 5 parts with nearly the same party" in told
    told = all_said(ask(seats(), *options, "--model-column", "source", "--missing", "pairwise"))
    assert "Forecasts are missing: the row of d is for the 7 of 8 cases" in told
    told = all_said(ask(seats(), *options, "--model-column", "source"))
    assert "1 cases are left out: not every value of source has them." in told


def test_variables_of_different_units_are_not_one_bill(ask):
    rng = np.random.default_rng(0)
    y = np.column_stack([rng.normal(5, 1, 60), rng.normal(2e5, 1e4, 60)]).ravel()
    table = pd.DataFrame({"target": ["rate", "jobs"] * 60, "y": y, "a_q50": y * 1.01})
    told = all_said(ask(table, "--truth", "y", "--decision", "orders", "--ratio", "1:2"))
    assert "where target = rate and beyond 2" in told and "--only target=rate takes one" in told
    assert "--groups target" not in told
    told = all_said(ask(table, "--truth", "y", "--decision", "orders", "--ratio", "1:2", "--only", "target=rate"))
    assert "several units" not in told


def test_a_feature_is_no_group_and_patients_are(ask):
    """Rows with more late payments cost more, as the forecasts say; those of one patient are alike beyond that."""
    rng = np.random.default_rng(0)
    late = rng.integers(0, 12, 3000)
    f = 1 / (1 + np.exp(3 - 0.5 * late))
    table = pd.DataFrame({"y": (rng.random(3000) < f).astype(int), "p": f, "late": late})
    assert "same late are alike" not in all_said(ask(table, "--truth", "y", "--ratio", "3:30"))
    patient = np.repeat(rng.permutation(300), 10)
    own = np.clip(0.3 + rng.normal(0, 0.25, 300)[patient], 0, 1)
    table = pd.DataFrame({"y": (rng.random(3000) < own).astype(int), "p": rng.uniform(0.2, 0.4, 3000), "code": patient})
    told = all_said(ask(table, "--truth", "y", "--ratio", "1:4"))
    assert "Rows with the same code are alike" in told or "--groups code" in told


def test_the_label_that_a_model_predicts_is_not_where_nobody_looked(ask):
    rng = np.random.default_rng(0)
    f = np.concatenate([rng.uniform(0, 0.3, 300), rng.uniform(0.6, 1, 60)])
    y = (f > 0.55).astype(int)
    y[-4:] = 0
    table = pd.DataFrame({"y": y, "p": f, "label": (f > 0.5).astype(int)})
    told = all_said(ask(table, "--truth", "y", "--ratio", "1:10", "--models", "p"))
    assert "was it looked for there" not in told


def test_a_season_of_teams_is_no_board_of_models(ask):
    rng = np.random.default_rng(0)
    teams, seasons = np.tile([f"t{k}" for k in range(20)], 15), np.repeat(range(2001, 2016), 20)
    table = pd.DataFrame({"team": teams, "season": seasons})
    table["won"] = (table.groupby("season").cumcount() == table["season"] % 20).astype(int)
    table["p"] = rng.uniform(0, 0.2, 300)
    for groups in ("season", "none"):
        told = all_said(ask(table, "--truth", "won", "--ratio", "1:4", "--groups", groups))
        assert "15 of 300 cases are events" in told
    assert "--groups COLUMN (or none)" in all_said(ask(table, "--truth", "won", "--ratio", "1:4"))


@pytest.mark.parametrize("values, words", [([-110, 150, 240, -400], "American odds"), ([7, 20, 41, 50], "scale to 50")])
def test_what_a_unit_may_be_is_asked(ask, values, words):
    table = pd.DataFrame({"y": [0, 1] * 40, "line": values * 20})
    assert words in ask(table, "--truth", "y", "--ratio", "1:4", "--models", "line")


def test_parts_under_one_name_keep_their_rows_when_some_are_chosen(tmp_path, capsys):
    table = pd.DataFrame({"y": Y, "a": A, "split": np.where(np.arange(N) % 3 > 0, "test", "dev")})
    for part in range(3):
        table.iloc[part * 80:part * 80 + 80].to_csv(tmp_path / f"part-{part}.csv", index=False)
    assert command.main(["compare", str(tmp_path / "part-*.csv"), "--truth", "y", *AT, "--only", "split=test"]) == 0
    assert f"{(table['split'] == 'test').sum()} cases" in capsys.readouterr().out


def test_regions_whose_risk_the_forecasts_know_are_no_groups(ask):
    """Names, which have no order: rows of a region cost alike because the forecasts differ, as they should."""
    rng = np.random.default_rng(0)
    place = rng.integers(0, 30, 3000)
    f = rng.permutation(np.linspace(0.02, 0.6, 30))[place]
    table = pd.DataFrame({"y": (rng.random(3000) < f).astype(int), "p": f, "region": [f"r{k}" for k in place]})
    assert "same region are alike" not in all_said(ask(table, "--truth", "y", "--ratio", "3:30"))


def test_a_number_that_came_with_the_outcome_is_no_group(ask):
    """As the goals of a match: who scores more has won more often, whatever was forecast."""
    rng = np.random.default_rng(0)
    goals = rng.integers(0, 12, 2000)
    y = (rng.random(2000) < goals / 12).astype(int)
    table = pd.DataFrame({"y": y, "p": rng.uniform(0.3, 0.7, 2000), "goals": goals})
    assert "same goals are alike" not in all_said(ask(table, "--truth", "y", "--ratio", "1:4", "--models", "p"))


def test_the_margin_of_a_match_does_not_name_its_case():
    """Each team and margin once, and the margin says who won: these are matches, and no models of the same ones."""
    rng = np.random.default_rng(0)
    margins, teams = [-9, -6, -4, -3, -2, -1, 1, 2, 3, 4, 6, 9], [f"t{k}" for k in range(9)]
    rows = [(team, margin, int(margin > 0)) for team in teams for margin in margins if rng.random() < 0.9]
    table = pd.DataFrame(rows, columns=["favourite", "margin", "won"])
    assert evidence.nearly_same_design(table, "won", {"won"}) is None
    assert evidence.nearly_same_design(table.assign(won=table["margin"] % 2), "won", {"won"}) is not None


def test_what_is_left_of_a_forecast_is_no_group(ask):
    """One minus a rounded forecast comes again in rows of one outcome; it names no case."""
    rng = np.random.default_rng(0)
    p = np.repeat(np.concatenate([np.linspace(0.001, 0.04, 40), np.linspace(0.96, 0.999, 40)]), 5)
    y = (p > 0.5).astype(int)
    table = pd.DataFrame({"y": y, "p": np.clip(p + rng.normal(0, 0.2, 400), 0.01, 0.99), "rest": (1 - p).round(4)})
    told = all_said(ask(table, "--truth", "y", "--ratio", "1:4", "--models", "p"))
    assert "--groups rest" not in told
