"""Files as they come: the same answer in pieces of any length, and the same verdict as whole."""

import gzip
import itertools
import json
import re
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import pwu_lite as pwu
from pwu_desk import command, files, large
from pwu_lite.reporting.rules import RULES

from .told import parsed

N = 120
RNG = np.random.default_rng(5)
CHANCE = RNG.beta(1, 3, N)
PLACE = np.arange(N)
TABLE = pd.DataFrame({"y": (RNG.random(N) < CHANCE).astype(int), "near": CHANCE.round(3),
                      "far": np.clip(CHANCE + RNG.normal(0, 0.2, N), 0, 1).round(3)})
YES = np.where(TABLE["y"] == 1, "yes", "no")

CONTENTS = {
    "plain": lambda t: t,
    "labels that are words": lambda t: t.assign(y=YES),
    "sorted by outcome": lambda t: t.sort_values("y", kind="stable").reset_index(drop=True),
    "zero at first": lambda t: t.assign(zero=np.where(PLACE < 80, 0.0, t["near"])),
    "a third label at the end": lambda t: t.assign(y=t["y"].where(PLACE != N - 2, 2)),
    "patients": lambda t: t.assign(patient=PLACE // 4),
    "codes": lambda t: t.assign(id=[f"{place:04d}" for place in PLACE]),
    "line ends in quotes": lambda t: t.assign(note=['a, "b"\nc' if place % 50 == 3 else "n" for place in PLACE]),
    "a gap": lambda t: t.assign(far=t["far"].where(PLACE != 100)),
    "outside": lambda t: t.assign(far=t["far"].where(PLACE != 100, 1.7)),
    "a word late": lambda t: t.assign(far=t["far"].astype(object).where(PLACE != 101, "half")),
    "ages": lambda t: t.assign(age=20 + PLACE % 60),
    "log odds": lambda t: t.assign(margin=np.log(CHANCE / (1 - CHANCE))),
    "per cent": lambda t: t.assign(near=(100 * t["near"]).round(1).astype(str) + "%"),
    "signs in one half": lambda t: t.drop(columns="near").assign(**{"near (%)": [
        f"{100 * f:.1f}{'%' * (place < 49)}" for place, f in enumerate(t["near"])]}),
    "some thousands": lambda t: t.assign(price=["1,020" if k % 50 == 3 else f"{1200 + k}" for k in PLACE]),
    "weights": lambda t: t.assign(weight=1 + PLACE % 7),
    "true and false": lambda t: t.assign(y=t["y"].astype(bool)),
    "thousands": lambda t: t.assign(price=[f"{500 + 31 * place:,}" for place in PLACE]),
    "exponents": lambda t: t.assign(near=[f"{value:e}" for value in t["near"]]),
    "per cent by name": lambda t: t.rename(columns={"near": "near_pct"}).assign(near_pct=(100 * t["near"]).round(1)),
    "a small share late": lambda t: t.assign(near=t["near"].sort_values(ascending=False).to_numpy()).assign(
        near_pct=lambda t: (100 * t["near"]).round(1)).drop(columns="near"),
    "shares called per cent": lambda t: t.rename(columns={"near": "near_pct"}),
    "one outcome": lambda t: t.assign(y=0),
    "three decimals": lambda t: t.assign(age=[f"{20 + place / 7:.3f}" for place in PLACE]),
    "both columns": lambda t: t.assign(no=(1 - t["near"]).round(3), y=YES).rename(columns={"near": "yes"})}


def text(table, **options):
    return table.to_csv(index=False, **options)


def with_row_names(table):
    header, *rows = text(table.replace({"a, \"b\"\nc": "c"})).splitlines()
    return "\n".join([header, *(f'"{number}",{row}' for number, row in enumerate(rows, 1))])


FORMS = {
    "commas": lambda t: text(t).encode(),
    "semicolons": lambda t: text(t, sep=";").encode(),
    "tabs": lambda t: text(t, sep="\t").encode(),
    "a mark of order": lambda t: b"\xef\xbb\xbf" + text(t).encode(),
    "utf-16": lambda t: text(t).encode("utf-16"),
    "Windows line ends": lambda t: text(t, lineterminator="\r\n").encode(),
    "packed": lambda t: gzip.compress(text(t).encode()),
    "decimal commas": lambda t: text(t, sep=";", decimal=",").encode(),
    "sep=": lambda t: b"sep=;\n" + text(t, sep=";").encode(),
    "comments": lambda t: b"# ours\n# twice\n" + text(t).encode(),
    "R": lambda t: with_row_names(t).encode(),
    "an index": lambda t: t.to_csv().encode(),
    "blank lines": lambda t: text(t).encode() + b"\n\n",
    "a zero byte": lambda t: text(t).encode().replace(b"0.1", b"0\x001"),
    "Western Europe": lambda t: text(t.rename(columns={"far": "f\u00e4r"})).encode("cp1252")}

EVERY = list(itertools.product(CONTENTS, FORMS))
NEWS = ("per cent by name", "a small share late", "shares called per cent", "one outcome", "three decimals")
SOME = [pair for place, pair in enumerate(EVERY) if place % 9 == 0 or pair[0] in NEWS and pair[1] in (
    "commas", "semicolons", "utf-16") or pair == ("plain", "a zero byte")]


def said(capsys, path, rows, event):
    """Exit status, output and message, for a file in pieces of so many rows, or whole."""
    with mock.patch.dict(RULES, {"most_bytes_at_once": 0 if rows else 10**9}), mock.patch.object(
            large, "ROWS", rows or 1):
        code = command.main(["compare", str(path), "--truth", "y", "--ratio", "3:30", "--json", "--resamples", "20",
                             *event])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("content, form", [*SOME, *(pytest.param(*pair, marks=pytest.mark.weekly)
                                                    for pair in EVERY if pair not in SOME)])
def test_pieces_of_any_length_say_the_same(capsys, tmp_path, content, form):
    path = tmp_path / "p.csv"
    path.write_bytes(FORMS[form](CONTENTS[content](TABLE)))
    event = ["--event", "yes"] if "y" in TABLE and content in ("labels that are words", "both columns") else []
    whole, *pieces = (said(capsys, path, rows, event) for rows in (None, 7, 100, 10**6))
    assert pieces[0] == pieces[1] == pieces[2]
    assert pieces[0][0] == whole[0] and pieces[0][2] == whole[2]
    if whole[0] == 0:
        one, other = parsed(whole[1]), parsed(pieces[0][1])
        assert {model["name"] for model in one["models"]} == {model["name"] for model in other["models"]}
        assert one["left_out"] == other["left_out"] and set(one["remarks"]) <= set(other["remarks"])
        right = {model["name"]: model["cost"] for model in one["models"]}
        assert all(model["least"] <= right[model["name"]] + 1e-12 and right[model["name"]] <= model["most"] + 1e-12
                   for model in other["models"])


@pytest.mark.parametrize("mark, way_out", [(",", "may be thousands or decimals"), (".", "may be thousands or decimals"),
                                           ("'", ""), (" ", "")])
def test_thousands_are_told_by_all_rows(capsys, tmp_path, mark, way_out):
    """A piece by itself would read 2.156 as two and a bit: by all rows it is refused, or read, as in a small file."""
    price = RNG.integers(500, 4000, N)
    table = pd.DataFrame({"y": price, "a_mean": price + 40, "b_mean": price - 90})
    table = table.map(lambda value: f"{value:,}".replace(",", mark)).assign(a_std=80, b_std=80)
    table.to_csv(tmp_path / "p.csv", index=False, sep=";")
    found = []
    for rows in (None, 7, 10**6):
        with mock.patch.dict(RULES, {"most_bytes_at_once": 0 if rows else 10**9}), mock.patch.object(
                large, "ROWS", rows or 1):
            code = command.main(["compare", str(tmp_path / "p.csv"), "--truth", "y", "--decision", "selective",
                                 "--error", "20:80", "--json", "--resamples", "20"])
        out, err = capsys.readouterr()
        assert (code == 2 and way_out in err) if way_out else code == 0
        models = json.loads(out)["models"] if code == 0 else []
        found.append((err, [(one["name"], round(one["cost"], 6)) for one in models]))
    assert found[1] == found[2] and found[0][0] == found[1][0]
    if not way_out:
        assert [name for name, _ in found[0][1]] == [name for name, _ in found[1][1]] == ["a", "b"]


def test_a_part_of_a_forecast_is_no_model(capsys, tmp_path):
    """Prophet writes its trend with ends of its own."""
    table = pd.DataFrame({"y": RNG.normal(10, 1, N)})
    for name in ("yhat", "trend", "weekly"):
        table[f"{name}_lower"], table[f"{name}_upper"] = table["y"] - 1, table["y"] + 1
    table.to_csv(tmp_path / "p.csv", index=False)
    words = ["--truth", "y", "--decision", "orders", "--ratio", "2:9", "--coverage", "80", "--json"]
    assert command.main(["compare", str(tmp_path / "p.csv"), *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [model["name"] for model in found["models"]] == ["yhat"]
    assert found["left_out"]["trend_lower"] == "not read"


def read(tmp_path, text, truth="y", decision="binary", **options):
    (tmp_path / "odd.csv").write_text(text, encoding="utf-8")
    return files.read(tmp_path / "odd.csv", truth, decision, **options)


LINES = "y,a\n1,0.9\n0,0.1\n1,0.8\n0,0.4\n"
MODELS = "id,model,y,prob\n" + "".join(f"{k},x,{k % 2},0.{k}\n{k},z,{k % 2},0.{9 - k}\n" for k in range(1, 9))
MODELS += "9,x,1,0.9\n"
ORDERS = "y,{0}\n2,1,2,3\n3,2,3,4\n4,3,4,5\n"


@pytest.mark.parametrize("text, options, words", [
    ('y,a_mean,a_std\n975,"1,020",50\n1250,1230,50\n1100,"1,090",50\n', {"decision": "selective"},
     "'1,020' may be thousands or decimals"),
    ('y,a\n1,"1,020"\n0,2.5e3\n1,"1,090"\n', {"models": "a"}, "line 2, column 'a': expected a number, got '1,020'"),
    (MODELS, {}, "one row per model, judging by 'model'"),
    (MODELS.replace("y,prob", "y,p_std,p_mean").replace(",0.", ",1,0."), {"decision": "selective"},
     "one row per model, judging by 'model'"),
    (LINES.replace(",a", ",a (%)").replace("0.9", "90%"), {"models": "a (%)"}, "some have none: write all of them"),
    ("y,a_mean,a_std\n5%,6%,2%\n7%,7,2%\n9%,8%,2%\n", {"decision": "selective"}, "some have none"),
    (ORDERS.format("A_q1,A_q2,A_q3"), {"decision": "orders"}, "or the quantiles at 1%, 2% and 3%? Call them A_q25"),
    (ORDERS.format("A_q25,A_q50,A_q100"), {"decision": "orders"}, "A_q100 would be the quantile at 1"),
    ("y,a,t\n1,0.9,2\n0,0.1,8\n1,0.8,3\n0,0.4,9\n", {"time": "t", "horizon": 50.0},
     "nobody was followed until 50, the longest time is 9"),
    (LINES.replace("0.4", "0.4x"), {}, "a, line 5 is not a number: no column looks like"),
    ("y,A_mean,A_std\n1,2,1\n2,2,-1\n", {"decision": "selective"}, "line 3, column 'A_std': expected a number above 0"),
    ("y,a,b\n1,0.9,0.8\n0,0.1,0.2\n,,\n\n1,0.7,0.9\n", {}, "line 4, column 'y': expected an outcome")])
def test_what_could_be_read_in_two_ways_is_refused(tmp_path, text, options, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        read(tmp_path, text, **options)


@pytest.mark.parametrize("names, labels", [
    ("no event,event", "none,event"), ("-1,1", "-1,1"), ("p_-1,p_1", "-1,1"), ("P(0),P(1)", "0,1"),
    ("P(y=0),P(y=1)", "0,1"), ("no_prob,yes_prob", "0,1"), ("neg,pos", "0,1"),
    ("no recurrence,recurrence", "no,recurrence")])
def test_the_probability_of_the_other_label_is_no_model(tmp_path, names, labels):
    no, yes = labels.split(",")
    rows = "".join(f"{yes if f > 0.5 else no},{1 - f:.2f},{f}\n" for f in (0.9, 0.1, 0.8, 0.35, 0.6))
    found = read(tmp_path, f"y,{names}\n{rows}", event=yes)
    assert list(found.models) == [names.split(",")[1]]


def test_numbers_as_tools_write_them(tmp_path):
    mixed = read(tmp_path, 'y,a_mean,a_std\n975,"1,020",50\n1250,1230.75,50\n', decision="selective")
    assert mixed.models["a"][0].tolist() == [1020.0, 1230.75]
    found = read(tmp_path, "y,2.5%,50%,97.5%\n2,1,2,3\n3,2,3,4\n", decision="orders")
    assert found.family.levels == (0.025, 0.5, 0.975)
    assert read(tmp_path, 'y,a\n1,"12,5\u00a0%"\n0,7%\n').models["a"].tolist() == [0.125, 0.07]
    gaps = read(tmp_path, "y,a,rule\n1,0.9,True\n0,0.2,\n1,0.3,False\n", models="a,rule", missing="pairwise")
    assert np.isnan(gaps.models["rule"][1]) and gaps.models["rule"][0] == 1
    listed = read(tmp_path, json.dumps([{"y": 1, "a": 0.9}, {"y": 0, "a": 0.2}]))
    assert listed.models["a"].tolist() == [0.9, 0.2]


def test_a_model_that_begins_late_is_a_model(tmp_path):
    rows = "".join(f"{k % 2},0.{k % 7 + 1},{'' if k < 1100 else 0.25 + k % 2 / 2}\n" for k in range(1500))
    assert list(read(tmp_path, "y,a,b\n" + rows, missing="pairwise").models) == ["a", "b"]


def test_a_blank_key_belongs_to_no_case(tmp_path):
    (tmp_path / "truth.csv").write_text("id,y\nk0,1\n,1\nk3,0\n")
    found = read(tmp_path, "id,a\nk0,0.9\n,0.2\n,0.3\nk3,0.1\n", truth_file=str(tmp_path / "truth.csv"))
    assert found.y_true.tolist() == [1, 0] and "2 of 4 rows have no outcome" in found.findings[0].sentence


def test_a_case_without_a_group_is_named_and_one_without_a_kind_is_a_part(tmp_path, capsys):
    rows = "".join(f"{k % 2},0.{k % 7 + 1},0.{k % 5 + 2},{k // 3 if k != 7 else ''},{'NA' if k % 4 else 'EU'}\n"
                   for k in range(60))
    (tmp_path / "p.csv").write_text("y,a,b,patient,region\n" + rows)
    words = ["compare", str(tmp_path / "p.csv"), "--truth", "y", "--ratio", "3:30", "--resamples", "20"]
    assert command.main(words) == 2
    said = capsys.readouterr().err
    assert "line 9, column 'patient': expected a group" in said and "--groups none" in said
    assert command.main([*words, "--groups", "none", "--by", "region", "--json"]) == 0
    parts = json.loads(capsys.readouterr().out)["by"]
    assert {name: one["cases"] for name, one in parts.items()} == {"(no value, or NA)": 45, "EU": 15}


@pytest.mark.parametrize("digits", [1, 2, 3, 4])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_three_decimals_are_decimals_where_a_comma_separates_the_fields(capsys, tmp_path, digits, delimiter):
    """A file that was written with %.3f; beside a semicolon or a tab 60.957 may be thousands, and is refused."""
    rng = np.random.default_rng(1)
    mean, std, y = rng.uniform(20, 90, 40), rng.uniform(1.0, 5, 40), rng.normal(50, 20, 40)
    rows = [delimiter.join(f"{value:.{digits}f}" for value in row) for row in zip(y, mean, std, strict=True)]
    path = tmp_path / "p.csv"
    path.write_text("\n".join([delimiter.join(["y", "a_mean", "a_std"]), *rows]) + "\n")
    words = ["compare", str(path), "--decision", "selective", "--error", "1:3", "--truth", "y", "--json"]
    code = command.main(words)
    out, err = capsys.readouterr()
    if delimiter != "," and digits == 3:
        assert code == 2 and "may be thousands or decimals" in err
        return
    assert code == 0, err
    shown = [np.round(part, digits) for part in (y, mean, std)]
    given = json.loads(out)
    prior = pwu.LogNormal(given["prior"]["mu"], given["prior"]["sigma"])
    score = pwu.PWU(pwu.SelectivePrediction(), prior)
    assert given["models"][0]["cost"] == pytest.approx(score(*shown), rel=1e-9)


def test_quoted_thousands_in_a_comma_file_are_still_asked_about(capsys, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('y,a_mean,a_std\n' + '50.5,"1,020",2.5\n' * 9)
    assert command.main(["compare", str(path), "--decision", "selective", "--error", "1:3", "--truth", "y"]) == 2
    assert "may be thousands or decimals" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["oak_pct", "oak (%)", "oak %s", "per cent oak"])
def test_shares_under_a_name_that_says_per_cent_are_asked_about(capsys, tmp_path, name):
    path = tmp_path / "p.csv"
    TABLE.rename(columns={"near": name}).to_csv(path, index=False)
    assert command.main(["compare", str(path), "--truth", "y", "--ratio", "3:30"]) == 2
    err = capsys.readouterr().err
    assert "shares from 0 to 1, or very small percentages" in err and repr(name) in err
    (100 * TABLE).assign(y=TABLE["y"], far=TABLE["far"]).rename(columns={"near": name}).to_csv(path, index=False)
    assert command.main(["compare", str(path), "--truth", "y", "--ratio", "3:30"]) == 0
    assert "read in per cent, as its name says" in " ".join(capsys.readouterr().out.split())


def test_log_probabilities_are_not_log_odds(capsys, tmp_path):
    path = tmp_path / "p.csv"
    for values, said in ((np.log(TABLE["near"].clip(0.01)), "log probabilities? Write exp(x)"),
                         (np.log(TABLE["near"].clip(0.01) / (1.01 - TABLE["near"])), "log odds? Write 1 / (1 + exp")):
        TABLE.assign(lm=values).to_csv(path, index=False)
        assert command.main(["compare", str(path), "--truth", "y", "--ratio", "3:30", "--models", "lm"]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize("text, words", [
    ('{"y": 1, "oak": 0.2, "oak": 0.9}\n{"y": 0, "oak": 0.3}\n', "line 1 of .*'oak' stands twice in one object"),
    ('[{"y": 1, "oak": 0.2}, {"y": 0, "oak": 0.3, "oak": 0.1}]', "'oak' stands twice"),
    ("[" * 100_000, "cannot be read as JSON"), ('{"y": ' * 100_000, "cannot be read as JSON")],
    ids=["lines", "list", "nested list", "nested object"])
def test_odd_json_is_refused_in_one_line(capsys, tmp_path, text, words):
    path = tmp_path / "p.json"
    path.write_text(text)
    assert command.main(["compare", str(path), "--truth", "y", "--ratio", "3:30"]) == 2
    err = capsys.readouterr().err
    assert re.search(words, err) and err.count("\n") == 1


def euro(value, digits):
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


@pytest.mark.parametrize("rows", [None, 7])
def test_points_beside_decimal_commas_may_be_thousands_whatever_separates_the_fields(capsys, tmp_path, rows):
    rng = np.random.default_rng(2)
    y = rng.integers(1000, 4000, 60)
    table = pd.DataFrame({"y": [euro(v, 0) for v in y], "a_mean": [euro(v, 1) for v in y + rng.normal(0, 30, 60)],
                          "a_std": "40,5"})
    path = tmp_path / "p.csv"
    table.to_csv(path, index=False)
    words = ["compare", str(path), "--decision", "selective", "--error", "20:80", "--truth", "y"]
    with mock.patch.object(large, "ROWS", rows or large.ROWS), mock.patch.dict(RULES, {} if rows is None else {
            "most_bytes_at_once": 1}):
        assert command.main(words) == 2
    assert "column 'y'" in (err := capsys.readouterr().err) and "may be thousands or decimals" in err
    path = tmp_path / "p.json"
    table.to_json(path, orient="records", lines=True)
    words[1] = str(path)
    assert command.main(words) == 2
    assert "may be thousands or decimals" in capsys.readouterr().err


@pytest.mark.parametrize("rows", [None, 64])
def test_decimal_commas_with_three_decimals_are_told_by_all_rows(capsys, tmp_path, rows):
    near = np.concatenate([np.linspace(10, 60, 40), [0.638], np.linspace(10, 60, 39)])
    table = pd.DataFrame({"y": np.arange(80) % 3 == 0, "near_pct": [f"{v:.3f}".replace(".", ",") for v in near],
                          "far_pct": [f"{v:.3f}".replace(".", ",") for v in near[::-1]]}).astype({"y": int})
    path = tmp_path / "p.csv"
    table.to_csv(path, index=False, sep=";")
    with mock.patch.object(large, "ROWS", rows or large.ROWS), mock.patch.dict(RULES, {} if rows is None else {
            "most_bytes_at_once": 1}):
        assert command.main(["compare", str(path), "--ratio", "3:30", "--truth", "y", "--json"]) == 0, \
            capsys.readouterr().err
    assert [one["cost"] > 0 for one in json.loads(capsys.readouterr().out)["models"]] == [True, True]


@pytest.fixture
def pwu_compare(capsys, tmp_path):
    def compared(content, *words, name="p.csv", at="--threshold"):
        (tmp_path / name).write_text(content)
        code = command.main(["compare", str(tmp_path / name), "--json", at, "0.2", *words])
        said = capsys.readouterr()
        return parsed(said.out) if code == 0 else said.err
    return compared


def test_empty_columns_and_rows_that_excel_leaves_are_not_read(pwu_compare):
    lines = text(TABLE).splitlines()
    wanted = pwu_compare("\n".join(lines))
    wide = [f"{line},,," for line in lines]
    for content in ("\n".join(wide), "\n".join([*wide, *[",,,,,"] * 4, ""]), "\r\n".join([*wide, ",,,,,", ""])):
        found = pwu_compare(content)
        assert found["models"] == wanted["models"] and not found["left_out"]
    wide[7] += "0.3"  # something stands in a column without a name
    assert "two columns have no name" in pwu_compare("\n".join(wide))
    gap = [*lines[:50], ",,", *lines[50:]]  # a row without a field in between may be a case
    assert "line 51, column 'y'" in pwu_compare("\n".join(gap))


def test_a_blank_counts_as_no_where_somebody_says_so(pwu_compare):
    marked = text(TABLE.assign(y=np.where(TABLE["y"] == 1, "x", ""))).replace("y,", "ticked,", 1)
    assert "of one label, where a blank may mean no: ticked --missing no" in pwu_compare(marked)
    assert "if a blank means no, --missing no" in pwu_compare(marked, "--truth", "ticked")
    found = pwu_compare(marked, "--truth", "ticked", "--missing", "no")
    assert found["models"] == pwu_compare(text(TABLE))["models"]
    assert f"ticked is blank in {(TABLE['y'] == 0).sum()} rows: they count as no x." in found["remarks"]
    both = text(TABLE.assign(y=np.where(PLACE < 3, "", YES)))
    assert "has 2 labels and 3 blanks" in pwu_compare(both, "--truth", "y", "--missing", "no")
    table = pd.DataFrame({"ticked": np.where(TABLE["y"] == 1, "x", None), "near": TABLE["near"]})
    assert files.read(table, "ticked", missing="no").y_true.tolist() == TABLE["y"].tolist()


def test_a_vector_in_each_field_is_told(pwu_compare):
    pairs = TABLE.assign(near=[f"[{1 - f:.3f},{f:.3f}]" for f in TABLE["near"]]).drop(columns="far")
    hint = "(a vector? Write its number for the event in a column of its own)"
    assert hint in pwu_compare(text(pairs)) and hint in pwu_compare(text(pairs), "--models", "near")


def test_quantiles_in_rows_ask_for_their_decision(pwu_compare):
    rows = pd.DataFrame([{"site": site, "observation": 40 + site % 7, "model_id": model, "quantile": level,
                          "value": 30 + 20 * level + site % 5} for model in "ab" for site in range(40)
                         for level in (0.1, 0.5, 0.9)])
    assert "say --decision orders" in pwu_compare(text(rows), "--truth", "observation")


def test_a_comma_inside_of_a_name_does_not_shift_the_columns(pwu_compare):
    city = text(TABLE.assign(city="Austin, TX", id=PLACE)[["id", "y", "near", "far", "city"]]).replace('"', "")
    assert "A comma inside of a name needs quotes" in pwu_compare(city)
    names = "\n".join(["y,near,far", *(f"{place},{line}" for place, line in enumerate(text(TABLE).splitlines()[1:]))])
    assert pwu_compare(names)["models"] == pwu_compare(text(TABLE))["models"]  # R's names of rows


def test_files_of_other_tools_are_read_as_they_come(pwu_compare):
    wanted = pwu_compare(text(TABLE))["models"]
    table = TABLE.assign(id=PLACE)
    r = "\n".join(['"y" "near" "far"', *(f'"{place}" {y} {near} {far}' for place, (y, near, far) in enumerate(
        TABLE.to_numpy().tolist(), 1))])
    nested = json.dumps({"version": 3, "results": json.loads(table.to_json(orient="records"))})
    heads = text(TABLE.rename(columns={"near": "near (a, b)", "far": "far (c, d)"}), sep=";", decimal=",")
    dates = text(TABLE.assign(y=np.where(TABLE["y"] == 1, "2026-01-31", ""))).replace("2026-01-31", "2026-02-01", 3)
    for content, words, name in ((r, [], "p.csv"), (nested, [], "p.json"), (heads, [], "p.csv"),
                                 (dates, ["--truth", "y", "--missing", "no"], "p.csv")):
        found = pwu_compare(content, *words, name=name)
        assert isinstance(found, dict), found
        assert [one["cost"] for one in found["models"]] == [one["cost"] for one in wanted]


def test_what_is_no_number_is_shown(pwu_compare):
    for write in ("{:.2f} (0.01-0.99)", "1 in {:.0f}", "tensor({:.3f})"):
        odd = TABLE.assign(near=[write.format(f if "in" not in write else 1 / max(f, 0.01)) for f in TABLE["near"]])
        assert f"near, such as {odd['near'][0]!r}, is not a number" in pwu_compare(text(odd.drop(columns="far")))


def test_levels_in_three_digits_are_asked_about(pwu_compare):
    levels = pd.DataFrame({"sold": PLACE % 9, **{f"m_q0{k}0": PLACE % 9 + k - 5.0 for k in (1, 5, 9)}})
    words = ["--truth", "sold", "--decision", "orders"]
    assert "Call them m_q10, m_q50, m_q90 if they are" in pwu_compare(text(levels), *words, at="--ratio")
    whole = levels.rename(columns={"m_q010": "m_q025", "m_q050": "m_q50", "m_q090": "m_q975"})
    assert isinstance(pwu_compare(text(whole), *words, at="--ratio"), dict)


def test_good_and_bad_ones_are_counted_for_all(pwu_compare):
    rows = pd.DataFrame({"p": np.linspace(0.05, 0.6, 20), "goods": 40 + np.arange(20) ** 2, "bads": np.arange(20)})
    both = pwu_compare(text(rows), "--count", "bads,bads+goods")
    whole = pwu_compare(text(rows.assign(n=rows["goods"] + rows["bads"]).drop(columns="goods")), "--count", "bads,n")
    assert both["models"] == whole["models"]
    assert "--count bads,bads+goods" in pwu_compare(text(rows), "--truth", "bads")


def test_two_files_with_other_outcomes_are_told_apart(capsys, tmp_path):
    one = TABLE.assign(id=PLACE)
    paths = [tmp_path / name for name in ("one.csv", "two.csv")]
    one.drop(columns="far").rename(columns={"near": "p"}).to_csv(paths[0], index=False)
    one.drop(columns="near").rename(columns={"far": "p"}).assign(y=YES).to_csv(paths[1], index=False)
    assert command.main(["compare", *map(str, paths), "--truth", "y", "--threshold", "0.2"]) != 0
    assert "120 of 120 have another y in another file, such as" in " ".join(capsys.readouterr().err.split())


def test_probabilities_below_a_value_are_no_quantiles(pwu_compare):
    """Of verif's columns q0.1 is a quantile, and p0.1 the chance of at most 0.1."""
    rows = pd.DataFrame({"obs": PLACE % 9, "q0.1": PLACE % 9 - 2.0, "q0.9": PLACE % 9 + 3.0})
    words = ["--truth", "obs", "--decision", "orders"]
    assert isinstance(pwu_compare(text(rows), *words, at="--ratio"), dict)
    chances = rows.assign(**{"q0.1": 0.1, "q0.9": 0.9}).rename(columns=lambda name: name.replace("q", "p"))
    assert "skip numbers" in pwu_compare(text(chances), *words, at="--ratio")


def test_labels_in_place_of_probabilities_are_read_where_they_are_named(pwu_compare):
    """Two screening tests that say positive or negative, as the outcome does."""
    words = np.array(["negative", "positive"])
    said = {name: (TABLE[name] > 0.3).to_numpy(int) for name in ("near", "far")}
    table = pd.DataFrame({"y": words[TABLE["y"]], **{name: words[one] for name, one in said.items()}})
    asked = pwu_compare(text(table), "--event", "positive")
    assert "--models far,near: of two labels, one is read as 1 and the other as 0" in asked
    assert pwu_compare(text(table.assign(y=YES)), "--models", "near,far")["models"] == pwu_compare(
        text(table), "--event", "positive", "--models", "near,far")["models"]
    found = pwu_compare(text(table), "--event", "positive", "--models", "near,far")
    numbers = pwu_compare(text(TABLE.assign(**said)), "--models", "near,far")
    assert {m["name"]: m["cost"] for m in found["models"]} == {m["name"]: m["cost"] for m in numbers["models"]}
    assert not any("filled in" in line for line in found["remarks"])
    assert "near holds labels: it is read as 1 where it says positive, and as 0 elsewhere." in found["remarks"]


def test_a_second_heading_and_a_row_of_units_are_told(pwu_compare):
    """As pandas writes two levels of columns, and as instruments write units; a row of gaps is a row."""
    rows = text(TABLE[["y", "near", "far"]])
    head, rest = rows.split("\n", 1)
    for second, lines in (("y,prob,prob", "line 2 looks"), ("0/1,probability,", "line 2 looks")):
        assert f"{lines} like a second heading, or units" in pwu_compare(f"{head}\n{second}\n{rest}")
    two = TABLE[["y", "near", "far"]].set_axis(
        pd.MultiIndex.from_tuples([("truth", "y"), ("near", "prob"), ("far", "prob")]), axis=1).rename_axis(index="id")
    assert "lines 2 and 3 look like a second heading, or units (y, prob, prob)" in pwu_compare(two.to_csv())
    assert "second heading" not in pwu_compare(f"{head}\n1,,\n{rest}") + pwu_compare(f"{head}\n,NA,.\n{rest}")


def test_rows_that_are_longer_than_the_header_are_no_rows_of_r_below_a_key(pwu_compare):
    """Weka writes a probability for each label below one name; R the names of rows before the first one."""
    cases = list(enumerate(zip(TABLE["y"], TABLE["near"], strict=True)))
    rows = [f"{place},{y},{1 - f:.3f},{f:.3f}" for place, (y, f) in cases]
    weka = "\n".join(["inst#,actual,distribution", *rows])
    assert "the first row has 4 fields, the header has 3" in pwu_compare(weka)
    assert "take out the stars, as Weka writes them" in pwu_compare(weka.replace(",0.", ",*0.", 1))
    for head in ("y,near,far", "id,near,y"):  # of R: a key of its own stays one
        own = [f'"{place}",{900 + place if "id" in head else y},{f:.3f},{int(y) if "id" in head else 1 - f}'
               for place, (y, f) in cases]
        assert isinstance(pwu_compare("\n".join([head, *own]), "--truth", "y", "--models", "near"), dict)


@pytest.mark.parametrize("title", ["Scoring report\n\n", "Report of 2024-05-01,,\nExported: me,,\n,,\n", "Export,,\n"])
def test_a_title_above_the_header_is_no_header(pwu_compare, title):
    rows = text(TABLE[["y", "near", "far"]])
    assert pwu_compare(title + rows)["models"] == pwu_compare(rows)["models"]
    wrong = rows.splitlines()
    wrong[5] = re.sub(r"[^,]+$", "1.31", wrong[5])
    assert f"line {len(title.splitlines()) + 6} is 1.31" in pwu_compare(title + "\n".join(wrong))


@pytest.mark.parametrize("name, fitted, held", [
    ("period", "reference", "analysis"), ("type", "Estimation", "Validation"), ("Stichprobe", "Lern", "Test"),
    ("cohort", "development", "external"), ("conjunto", "treino", "teste"), ("jeu", "appr", "val"),
    ("cohort", "discovery", "replication"), ("SAMPLE", "BUILD", "HOLD"), ("flag_oot", "0", "1")])
def test_rows_of_a_fit_in_more_words(pwu_compare, name, fitted, held):
    table = TABLE.assign(**{name: np.where(PLACE % 3 > 0, fitted, held)})
    assert "fitted" in pwu_compare(text(table))
    assert isinstance(pwu_compare(text(table), "--only", f"{name}={held}"), dict)


def test_a_test_of_medicine_is_no_split(pwu_compare):
    table = TABLE.assign(test=np.where(PLACE % 3 > 0, "pos", "neg"))
    assert isinstance(pwu_compare(text(table)), dict)


def test_successes_and_failures_are_added(pwu_compare):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"successes": rng.integers(1, 40, 60), "failures": rng.integers(20, 90, 60),
                          "m": rng.random(60).round(3)})
    asked = pwu_compare(text(table), "--truth", "successes")
    assert "--count successes,successes+failures instead" in asked and "successes,failures " not in asked


def test_numbers_below_a_limit_do_not_cost_a_model_its_place(pwu_compare):
    """R writes <0.01; one field in five is no reason to leave the model out in silence."""
    table = TABLE.assign(far=TABLE["far"].map(str).where(PLACE % 5 > 0, "<0.01"))
    assert "'<0.01': correct the file" in pwu_compare(text(table))


def test_the_rows_of_two_labels_keep_the_event(pwu_compare):
    table = TABLE.assign(y=np.where(PLACE % 9 == 0, 1, np.where(PLACE % 2 > 0, 0, 2)))
    asked = pwu_compare(text(table), "--truth", "y", "--event", "1")
    assert "--only y=1" in asked


def printed(table, style):
    """The table as a program prints it, every row."""
    rows, heading = [[str(value) for value in row] for row in table.to_numpy(dtype=object)], list(table)
    width = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]

    def line(row, bar, pad=" "):
        cells = (f"{pad}{value:>{size}}{pad}" for value, size in zip(row, width, strict=True))
        return bar + bar.join(cells) + bar

    if style in ("mysql", "spark"):
        pad = " " if style == "mysql" else ""
        rule = "+" + "+".join("-" * (size + 2 * len(pad)) for size in width) + "+"
        body = [rule, line(heading, "|", pad), rule, *(line(row, "|", pad) for row in rows), rule]
        return [*body, f"{len(rows)} rows in set (0.01 sec)"] if pad else body
    if style in ("polars", "duckdb"):
        width[:] = [max(size, 6) for size in width]
        rule = [ends[0] + ends[1].join("─" * (size + 2) for size in width) + ends[2] for ends in ("┌┬┐", "├┼┤", "└┴┘")]
        types = [["---"] * len(width), ["i64", "f64", "f64"]] if style == "polars" else [["int64", "double", "double"]]
        return [*([f"shape: ({len(rows)}, {len(width)})"] if style == "polars" else []), rule[0], line(heading, "│"),
                *(line(row, "│") for row in types), rule[1], *(line(row, "│") for row in rows), rule[2]]
    named = [line([*row], "") for row in rows]
    named = [f"{place:<4}{row}" for place, row in enumerate(named)]
    if style == "pandas":
        return ["    " + line(heading, ""), *named, "", f"[{len(rows)} rows x {len(width)} columns]"]
    return [f"# A tibble: {len(rows)} x 3", "    " + line(heading, ""), "      <int> <dbl> <dbl>", *named]


@pytest.mark.parametrize("style", ["mysql", "spark", "polars", "duckdb", "pandas", "tibble"])
def test_a_table_as_it_was_printed_is_the_table(tmp_path, style):
    lines, path = printed(TABLE, style), tmp_path / "printed.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = files.read(path, truth="y")
    np.testing.assert_array_equal(found.y_true, TABLE["y"])
    assert set(found.models) == {"near", "far"}
    for name, said in found.models.items():
        np.testing.assert_array_equal(said, TABLE[name])
    where = next(place for place, line in enumerate(lines) if "0." in line) + 3
    left = {"mysql": "| ... |", "spark": "only showing top 3 rows", "tibble": "# 9 more rows"}.get(style, " …  …  … ")
    path.write_text("\n".join([*lines[:where], left, *lines[-3:]]) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=f"line {where + 1}: rows were left out when this table was printed"):
        files.read(path, truth="y")


def test_two_whole_numbers_are_no_count_of_rows():
    text = "1,5\n2,6\n(3 x),7\n"
    assert files.tables.without_frame(text) == text


@pytest.mark.parametrize("text", [
    "truth\tanswer\ndate\tdate\nstr\tdate\n", "truth answer\ndate date\nstr bool\n", "+y,a\n+1,0.5\n-\t-\n", "\n",
    "", "| truth | answer |\n|---|---|\n| date | date |\n", "y\n---\nint\n"])
def test_rows_that_look_like_a_frame_stay(text):
    assert files.tables.without_frame(text) == text


def test_a_label_that_is_the_name_of_a_type_stays_in_a_frame():
    text = "+-------+--------+\n| truth | answer |\n+-------+--------+\n| date  | date   |\n+-------+--------+\n"
    assert "| date  | date   |" in files.tables.without_frame(text)
