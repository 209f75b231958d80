"""Files beyond memory: read in pieces, the same answer, one line for what cannot be used."""

import gzip
import json
import re
import sys
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import pwu_desk
from pwu_desk import Tally, command, large, report, tables
from pwu_lite import PWU, Beta, BinaryDecision, compare
from pwu_lite.reporting.rules import RULES

from .told import parsed

RNG = np.random.default_rng(2)
N = 30_000
F = RNG.beta(1, 4, N)
SCORE = PWU(BinaryDecision(), Beta(2, 10))
FRAME = pd.DataFrame({"y": (RNG.random(N) < F).astype(int), "near": F.round(6),
                      "far": np.clip(F + RNG.normal(0, 0.2, N), 0, 1).round(6), "site": np.arange(N) // 5 + 100})
RATIO = ["--truth", "y", "--ratio", "3:30"]


def tallies(blocks=100, **changed):
    found = {name: Tally() for name in ("near", "far")}
    for name, tally in found.items():
        tally.update(FRAME["y"], FRAME[name], block=changed.get(name, np.arange(N) % blocks))
    return found


def run(capsys, *words, pieces=True):
    """The command line, on files that are read in pieces however small they are, or whole."""
    with mock.patch.dict(RULES, {"most_bytes_at_once": 0 if pieces else 10**9}):
        code = command.main(["compare", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_tallies_compare_as_the_cases_do():
    found = pwu_desk.compare_tallies(tallies(), SCORE)
    exact = compare(FRAME["y"], FRAME[["near", "far"]], SCORE, interval="normal").table
    assert list(found.table.index) == list(exact.index)
    for name in ("cost", "difference", "saving", "skill"):
        assert found.table[name].tolist() == pytest.approx(exact[name].tolist(), rel=1e-4, abs=1e-9)
    for name in ("low", "difference low", "saving high"):  # another estimate of the same spread, from 100 blocks
        width = (exact[f"{name.split()[0]} high"] - exact[f"{name.split()[0]} low"] if " " in name else
                 exact["high"] - exact["low"])
        assert (np.abs(found.table[name] - exact[name]) <= 0.2 * width + 1e-12).all()
    assert ((found.table["least"] < exact["cost"]) & (exact["cost"] < found.table["most"])).all()
    assert found.words[0].startswith("near costs") and "From tallies of 30,000 cases" in found.notes[0]
    turned = pwu_desk.compare_tallies(tallies(), SCORE, against="far").table
    assert turned["verdict"].to_dict() == {"far": "reference", "near": "cheaper"}


@pytest.mark.parametrize("call, words", [
    (lambda: pwu_desk.compare_tallies({}, SCORE), "at least one"),
    (lambda: pwu_desk.compare_tallies(tallies(), SCORE, against="best"), "not one of the models: near, far"),
    (lambda: pwu_desk.compare_tallies(tallies(blocks=9), SCORE), "at least 10 blocks, the tallies have 9"),
    (lambda: pwu_desk.compare_tallies(tallies(far=np.arange(N) % 50), SCORE), "same cases with the same blocks"),
    (lambda: report.write(pwu_desk.compare_tallies(tallies(), SCORE), "report.html"), "a tally does not keep"),
    (lambda: pwu_desk.compare_tallies(tallies(), SCORE, coverage=95), "coverage")])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.fixture(params=["csv", "csv.gz", "parquet"])
def parts(request, tmp_path):
    """Three files of one kind, and the pattern that stands for them."""
    for k in range(3):
        path, part = tmp_path / f"part-{k}.{request.param}", FRAME[k * N // 3:(k + 1) * N // 3]
        if request.param == "parquet":
            pytest.importorskip("duckdb").from_df(part).write_parquet(str(path))
        elif request.param == "csv":
            part.to_csv(path, index=False)
        else:
            path.write_bytes(gzip.compress(part.to_csv(index=False, sep=";").encode("utf-8-sig")))
    return tmp_path / f"part-*.{request.param}"


def test_parts_give_the_answer_of_the_whole(capsys, parts, monkeypatch):
    monkeypatch.setattr(large, "ROWS", 7000)
    code, out, err = run(capsys, parts, *RATIO, "--groups", "site", "--json")
    assert code == 0 and err == ""
    found = {model.pop("name"): model for model in json.loads(out)["models"]}
    whole = parts.parent / "whole.csv"
    FRAME.to_csv(whole, index=False)
    exact = run(capsys, whole, *RATIO, "--groups", "site", "--json", pieces=False)
    assert exact == run(capsys, parts, *RATIO, "--groups", "site", "--json", pieces=False)
    for model in json.loads(exact[1])["models"]:
        assert found[model["name"]]["cost"] == pytest.approx(model["cost"], rel=1e-4)
        assert found[model["name"]]["verdict"] == model["verdict"]
        assert found[model["name"]]["least"] < model["cost"] < found[model["name"]]["most"]
    text = " ".join(run(capsys, parts, *RATIO)[1].split())
    assert "30,000 cases; models: near, far" in text and "From tallies" in text and "between 100 blocks" in text


def test_selective_prediction_and_one_large_file(capsys, tmp_path):
    frame = pd.DataFrame({"price": FRAME["y"] + F, "a_mean": 2 * F, "a_std": 0.1 + F, "b_mean": F, "b_std": 0.5})
    frame.to_csv(tmp_path / "a.csv", index=False)
    words = [tmp_path / "a.csv", "--truth", "price", "--decision", "selective", "--error", "0.2:2"]
    code, out, _ = run(capsys, *words)
    assert code == 0 and "From tallies of 30,000 cases" in out
    exact = run(capsys, *words, pieces=False)[1]
    pick = [line.split()[:2] for line in exact.splitlines() if line.startswith(("a ", "b "))]
    assert [line.split()[:2] for line in out.splitlines() if line.startswith(("a ", "b "))] == pick


def test_words_for_labels_and_sorted_files(capsys, tmp_path):
    words = np.where(FRAME["y"], "ill", "well")
    for k, kept in enumerate((FRAME["y"] == 0, FRAME["y"] == 1)):
        FRAME[kept].to_csv(tmp_path / f"sorted-{k}.csv", index=False)
        FRAME.assign(y=words)[k::2].to_csv(tmp_path / f"words-{k}.csv", index=False)
    results = [run(capsys, tmp_path / f"{name}-*.csv", *RATIO, *options)
               for name, options in (("sorted", []), ("words", ["--event", "ill"]))]
    assert [code for code, _, _ in results] == [0, 0]
    assert f"{FRAME['y'].sum():,} of 30,000 cases are events (y = ill)" in " ".join(results[1][1].split())


def spoiled(tmp_path, column, value, row=12_345):
    frame = FRAME.astype({column: object})
    frame.loc[row, column] = value
    frame.to_csv(tmp_path / "a-1.csv", index=False)
    return tmp_path / "a-*.csv"


@pytest.mark.parametrize("column, value, words", [
    ("near", 1.5, "line 12347, column 'near': expected a probability between 0 and 1, got 1.5"),
    ("near", "n/a", "line 12347, column 'near': expected a number"),
    ("y", 2, "column 'y' must have two labels, it has 3: 0, 1, 2"),
    ("y", "", "line 12347, column 'y': expected 1 or 0")])
def test_the_line_is_named_in_a_later_piece(capsys, tmp_path, monkeypatch, column, value, words):
    monkeypatch.setattr(large, "ROWS", 5000)
    code, out, err = run(capsys, spoiled(tmp_path, column, value), *RATIO, "--models", "near,far")
    assert (code, out) == (2, "") and words in err


@pytest.mark.parametrize("options, words", [
    (["--html", "a.html"], "--html needs all cases"), (["--decision", "top-k"], "for top-k give it a sample"),
    (["--models", "none"], "there is no column 'none'"), (["--groups", "none of these"], "there is no column")])
def test_what_pieces_cannot_do(capsys, tmp_path, options, words):
    FRAME.head(500).to_csv(tmp_path / "b-1.csv", index=False)
    code, _, err = run(capsys, tmp_path / "b-*.csv", *RATIO, *options)
    assert code == 2 and words in err


def test_files_that_do_not_belong_together(capsys, tmp_path, monkeypatch):
    FRAME.head(500).to_csv(tmp_path / "c-1.csv", index=False)
    FRAME.head(500)[["y", "near"]].to_csv(tmp_path / "c-2.csv", index=False)
    (tmp_path / "d-1.csv").write_text("y,near\n1,0.5\n")
    (tmp_path / "d-2.parquet").write_bytes(b"PAR1 nothing")
    for pattern, words in (("c-*", "differ from those of"), ("d-*", "one kind at a time"), ("e-*", "no file matches"),
                           ("d-*.parquet", "could not be read")):
        assert words in run(capsys, tmp_path / pattern, *RATIO)[2]
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert 'pip install duckdb' in run(capsys, tmp_path / "d-*.parquet", *RATIO)[2]


@pytest.mark.parametrize("rows", [41, 500, 10**6])
def test_what_a_column_is_may_be_told_late(capsys, tmp_path, monkeypatch, rows):
    """A model that is zero at first, a sorted outcome, a feature that passes 1 later, patients once a piece."""
    monkeypatch.setattr(large, "ROWS", rows)
    frame = FRAME.head(1500).assign(late=lambda table: table["near"], feature=0.5, patient=np.arange(1500) % 500)
    frame = frame.sort_values("y", kind="stable").reset_index(drop=True)
    frame.loc[:599, "late"] = 0.0
    frame.loc[1400:1460, "feature"] = 3.5
    frame["patient"] = np.arange(1500) % 500
    frame.to_csv(tmp_path / "p.csv", index=False)
    (tmp_path / "q.csv").write_text("y,near,far,site,late,feature,patient\n")
    found = [parsed(run(capsys, tmp_path / name, *RATIO, "--json", pieces=pieces)[1])
             for name, pieces in (("p.csv", True), ("?.csv", True), ("p.csv", False))]
    for one in found:
        assert {model["name"] for model in one["models"]} == {"near", "far", "late"}
        assert one["remarks"][0].startswith("Because of its name, column patient is used for the groups; say --groups")
        assert set(one["left_out"]) == {"site", "feature"} and re.match(
            r"line 1402 (of .*p.csv )?is 3.5", one["left_out"]["feature"])
    assert {**found[0], "left_out": 0} == {**found[1], "left_out": 0}  # of several files the message names the one


def test_a_column_without_numbers_at_first_is_read_as_in_one_piece(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(large, "ROWS", 300)
    frame = FRAME.head(1500).assign(late=lambda table: table["near"].where(table.index >= 700))
    frame.to_csv(tmp_path / "p.csv", index=False)
    said = [run(capsys, tmp_path / "p.csv", *RATIO, pieces=pieces)[2] for pieces in (True, False)]
    assert "late" in said[0] and "line 2" in said[0] and said[0].splitlines()[0] == said[1].splitlines()[0]


def test_small_files_are_one_table(capsys, tmp_path):
    """Each in its own encoding and order of columns; parts without rows add none; lines name their file."""
    FRAME.head(300).to_csv(tmp_path / "a-0.csv", index=False)
    FRAME[300:600][["far", "y", "near", "site"]].to_csv(tmp_path / "a-1.csv", index=False, sep=";", encoding="utf-16")
    (tmp_path / "a-2.csv").write_text("y,near,far,site\n")
    (tmp_path / "a-3.csv").write_text("")
    (tmp_path / "a-4.csv").write_bytes(gzip.compress(FRAME[600:900].to_csv(index=False).encode()))
    FRAME.head(900).to_csv(tmp_path / "whole.csv", index=False)
    for options in (["--json"], ["--groups", "site", "--json"]):
        found = [run(capsys, tmp_path / name, *RATIO, *options, pieces=False) for name in ("a-*.csv", "whole.csv")]
        one, other = ({**json.loads(out), "left_out": None} for _, out, _ in found)  # there a line names its file
        assert one == other
    (tmp_path / "a-5.csv").write_text("y,near,far,site\n1,0.5,0.5,7\n0,0.5,half,7\n")
    err = run(capsys, tmp_path / "a-*.csv", *RATIO, "--models", "near,far", pieces=False)[2]
    assert f"line 3 of {tmp_path / 'a-5.csv'}, column 'far'" in err
    (tmp_path / "b[1].csv").write_bytes((tmp_path / "whole.csv").read_bytes())
    assert run(capsys, tmp_path / "b[1].csv", *RATIO, "--json", pieces=False)[0] == 0


def test_progress_is_for_people(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    large._progress(0.25, 30)
    assert "25%  90 s left" in capsys.readouterr().err


@pytest.mark.parametrize("rows", [501, 7000, 10**6])
def test_weighted_parts_of_any_length_give_the_answer_of_the_whole(capsys, tmp_path, monkeypatch, rows):
    """Weights of 1 and 1,000 in different files, and a stretch whose weights are all zero."""
    monkeypatch.setattr(large, "ROWS", rows)
    frame = FRAME.assign(w=np.where(np.arange(N) < N // 2, 1.0, 1000.0))
    frame.loc[2000:2999, "w"] = 0.0
    frame.to_csv(tmp_path / "whole.csv", index=False)
    for k in range(4):
        frame[k * N // 4:(k + 1) * N // 4].to_csv(tmp_path / f"part-{k}.csv", index=False)
    options = [*RATIO, "--weights", "w", "--json"]
    found, whole = (json.loads(run(capsys, path, *options, pieces=pieces)[1]) for path, pieces in (
        (tmp_path / "part-*.csv", True), (tmp_path / "whole.csv", False)))
    right = {model["name"]: model for model in whole["models"]}
    for model in found["models"]:
        assert model["least"] <= right[model["name"]]["cost"] <= model["most"]
        assert model["verdict"] == right[model["name"]]["verdict"]
    said = f"{int(FRAME['y'][frame['w'] > 0].sum()):,} of {int((frame['w'] > 0).sum()):,} cases are events"
    assert any(said in line for line in found["words"]) and any(said in line for line in whole["words"])


def test_tallies_of_other_outcomes_are_refused():
    y, block = FRAME["y"].to_numpy(), np.arange(N) % 50
    counted = {"a": Tally(), "b": Tally()}
    counted["a"].update(y, F, block=block)
    counted["b"].update(1 - y, F, block=block)
    with pytest.raises(ValueError, match="cases, weights or events differ"):
        pwu_desk.compare_tallies(counted, SCORE)


def test_tallies_say_where_their_intervals_are_narrow():
    """The guard for skewness is that of `compare`: one block holds nearly all of the difference."""
    block = np.arange(N) % 50
    y, f = np.tile([0, 1], N // 2), np.full(N, 0.5)
    other = np.where(block == 7, 0.01, 0.5)
    counted = {"a": Tally(), "b": Tally()}
    counted["a"].update(y, f, block=block)
    counted["b"].update(y, other, block=block)
    words = " ".join(pwu_desk.compare_tallies(counted, SCORE).words)
    assert "A few blocks make up much of the difference" in words


def test_lines_of_a_table_are_not_copied_with_each_table_that_is_made_of_it(tmp_path):
    """pandas copies the attributes of a frame with every column that is taken out of it."""
    lines = tables.Shared(range(10))
    frame = pd.DataFrame({"a": range(10)})
    frame.attrs["lines"] = lines
    assert frame["a"].attrs["lines"] is lines and frame[frame["a"] > 3].attrs["lines"] is lines
    for k in range(2):
        FRAME[k::2].to_csv(tmp_path / f"part-{k}.csv", index=False)
    found = tables.read_table(str(tmp_path / "part-*.csv"))
    assert all(type(found.attrs[name]) is tables.Shared for name in ("lines", "source"))


def test_what_numbers_make_one_doubt_is_said_of_large_files_too(capsys, tmp_path):
    FRAME.assign(near=1 - FRAME["near"], far=1 - FRAME["far"]).to_csv(tmp_path / "other.csv", index=False)
    filled = FRAME["near"].where(np.arange(N) % 9 > 0, 0.4321)
    odd = np.arange(N) % 2 == 1
    knows = np.where(odd, FRAME["near"], 0.01 + 0.98 * FRAME["y"])
    FRAME.assign(near=filled, tree=knows, set=np.where(odd, "a", "b")).to_csv(tmp_path / "doubts.csv", index=False)
    for pieces in (True, False):
        code, _, err = run(capsys, tmp_path / "other.csv", *RATIO, pieces=pieces)
        assert code == 2 and "all forecasts are lower where the outcome is 1" in err
        said = " ".join(run(capsys, tmp_path / "doubts.csv", *RATIO, pieces=pieces)[1].split())
        assert "near is 0.4321 in 3,334 of 30,000 rows" in said and "set = b than elsewhere" in said
        assert ("Of the first 30,000 rows: " in said) == pieces
