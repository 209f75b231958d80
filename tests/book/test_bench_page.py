"""The bench in a page: self-contained, and its answers are those of the command line."""

import html
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pwu_book import bench
from pwu_book.bench import Bench
from pwu_desk import command
from pwu_lite.reporting.rules import RULES


def test_the_bench_is_one_element_that_asks_nobody():
    table = pd.DataFrame({"y": [1, 0], "<a>": [0.7, 0.2]})
    page = Bench({"Try <this>": {"table": table, "file": "a.csv", "choice": {"event": "1"}}})._repr_html_()
    held = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S).group(1))
    assert held["examples"]["Try <this>"]["table"] == "y,<a>\n1,0.7\n0,0.2\n" and "Try <this>" not in page
    assert not re.search(r"https?:|@[A-Z]+@|<a>", page)
    assert page.count("</script>") == page.count("<script") == 2
    labels = re.findall(r"<label[^>]*>(.*?)</label>", page, re.S)
    assert len(re.findall(r"<(?:input|select|textarea)", page)) == sum("<" in label for label in labels)


def test_the_bench_answers_as_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    f = rng.beta(1, 4, 300)
    pd.DataFrame({"y": (rng.random(300) < f).astype(int), "a": f, "b": f / 2}).to_csv("p.csv", index=False)
    words = ["compare", "p.csv", "--truth", "y", "--ratio", "3:30"]
    found = json.loads(bench.answer(words))
    assert command.main([*words, "--html", "report.html"]) == 0
    assert found["said"] + "\nReport: report.html\n" == capsys.readouterr().out
    assert found["code"] == 0 and found["wrong"] == ""
    assert found["report"] == Path("report.html").read_text()
    assert "What the cost is made of" in found["report"] and "Brier score" in found["report"]
    assert command.main([*words, "--json"]) == 0 and found["json"] + "\n" == capsys.readouterr().out
    assert re.search('^\n<p class="headline">(a costs less than b|Not decided between a and b)', found["shown"])
    assert found["shown"].index("headline") < found["shown"].index("instrument") < found["shown"].index("<table")


def test_a_report_of_weighted_cases_leaves_out_what_takes_no_weights(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    f = rng.beta(1, 4, 300)
    pd.DataFrame({"y": (rng.random(300) < f).astype(int), "a": f, "b": f / 2, "w": 1 + (f > 0.2)}).to_csv("p.csv")
    found = json.loads(bench.answer(["compare", "p.csv", "--truth", "y", "--ratio", "3:30", "--weights", "w",
                                     "--models", "a,b"]))
    assert found["code"] == 0 and "Brier score" in found["report"] and "ECE" not in found["report"]


@pytest.mark.parametrize(("words", "said"), [
    (["compare", "none.csv", "--ratio", "3:30"], "none.csv"), (["compare", "p.csv", "--nonsense"], "--nonsense"),
    (["compare", "p.csv", "--truth", "y"], "--ratio LOW:HIGH")])
def test_what_the_command_refuses_the_bench_refuses_in_its_words(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("y,a\n" + "1,0.7\n0,0.2\n" * 20)
    found = json.loads(bench.answer(words))
    assert found["code"] == 2 and said in found["wrong"] and "report" not in found


def test_the_package_reads_the_head_of_a_file(tmp_path, monkeypatch):
    """Names, rows and labels are those of the package's reader, whatever separates the fields."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f";{k};{'krank' if k % 3 else 'gesund'};0,{k % 9 + 1}\n" for k in range(30))
    Path("german.csv").write_text("sep=;\n;id;outcome;p\n" + rows, encoding="utf-8-sig")
    seen = json.loads(bench.look("german.csv"))
    assert seen["columns"] == ["id", "outcome", "p"] and seen["rows"] == 30 and seen["wrong"] == ""
    assert seen["first"][1] == ["1", "krank", "0,2"]
    assert seen["outcome"] == "outcome" and seen["labels"] == {
        "outcome": {"labels": ["gesund", "krank"], "event": None}}
    Path("plain.csv").write_text("y,target,a\n" + "1,3.5,0.7\n0,2.5,0.2\n2,1,0.5\n" * 9)
    seen = json.loads(bench.look("plain.csv"))
    assert seen["outcome"] == "" and seen["labels"] == {}  # two names, of which neither has two labels: asked
    Path("known.csv").write_text("y,a\n" + "1,0.7\n0,0.2\n" * 9)
    assert json.loads(bench.look("known.csv"))["labels"]["y"] == {"labels": ["0", "1"], "event": "1"}
    Path("ragged.csv").write_text("y,a\n1,0.7,3\n0,0.2\n")
    assert "The first row has 3 fields" in json.loads(bench.look("ragged.csv"))["wrong"]


def test_a_large_file_is_looked_at_by_its_first_piece(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(RULES, "most_bytes_at_once", 100)
    Path("large.csv").write_text("y,a,b\n" + "1,0.7,0.6\n0,0.2,0.3\n" * 40)
    seen = json.loads(bench.look("large.csv"))
    assert seen["columns"] == ["y", "a", "b"] and seen["rows"] is None and seen["outcome"] == "y"
    found = json.loads(bench.answer(["compare", "large.csv", "--truth", "y", "--ratio", "3:30"]))
    assert found["code"] == 0 and 'class="headline"' in found["shown"] and found["report"] is None
    assert json.loads(found["json"])["models"][0]["name"] == "a"


@pytest.mark.parametrize(("said", "fields", "answers"), [
    ("pwu compare: which label of column 'y' is the event? Add --event ill or --event 'not ill'",
     "--event is the field Event", [["event", "ill"], ["event", "not ill"]]),
    ("pwu compare: --ratio must have 0 < LOW < HIGH, got '20:10'", "--ratio is the fields at least and at most", []),
    ("pwu compare: column split says which rows are tests: add --only split=test",
     "--only can be written under Other options", [["only", "split=test"]]),
    ("usage: pwu\npwu compare: error: unrecognized arguments: --nix", "Unrecognized", [])])
def test_a_refusal_speaks_of_the_form_and_offers_its_answers(said, fields, answers):
    told = bench._refused(said)
    assert fields in told["wrong"] and told["answers"] == answers


def test_the_instrument_of_an_answer_opens_at_what_was_asked(tmp_path, monkeypatch):
    """Its two bills are the costs of the table, in false alarms; groups have wider intervals than it knows."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    f = rng.beta(1, 4, 500)
    table = pd.DataFrame({"y": (rng.random(500) < f).astype(int), "a": f, "b": f / 2, "who": np.arange(500) // 5})
    table.to_csv("p.csv", index=False)
    words = ["compare", "p.csv", "--truth", "y", "--models", "a,b"]
    found = json.loads(bench.answer([*words, "--ratio", "3:30"]))
    shown, models = found["shown"], json.loads(found["json"])["models"]
    shape = json.loads(found["json"])["prior"]
    bills = re.findall(r"<li class=\"who\d\"[^>]*>(\w): ([\d,]+) false alarms</li>", shown)
    scale = 1000 * (shape["a"] + shape["b"]) / shape["a"]
    assert [name for name, _ in bills] == [one["name"] for one in models]
    assert [float(bill) for _, bill in bills] == pytest.approx([scale * one["cost"] for one in models], abs=0.51)
    assert "instrument" not in json.loads(bench.answer([*words, "--ratio", "3:30", "--groups", "who"]))["shown"]
    assert "not at all" not in json.loads(bench.answer([*words, "--ratio", "9"]))["shown"]  # known: no doubt to choose
    three = table.assign(c=f / 3)
    three.to_csv("p.csv", index=False)
    assert bench.PAIR in json.loads(bench.answer([*words[:-2], "--models", "a,b,c", "--ratio", "3:30"]))["shown"]


def test_a_board_is_known_by_its_columns_and_told_worth_by_worth(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    rows = pd.concat([pd.DataFrame({"agent": name, "task": range(200), "solved": rng.random(200) < share, "usd": paid})
                      for name, share, paid in (("<b>", 0.3, 0.1), ("large", 0.9, 2.0))])
    rows.to_csv("board.csv", index=False)
    rows.rename(columns={"usd": "spent"}).to_csv("other.csv", index=False)
    assert json.loads(bench.look("board.csv"))["decision"] == "board"
    assert json.loads(bench.look("other.csv"))["decision"] == "binary"
    words = ["board", "board.csv", "--worth", "1:50"]
    found = json.loads(bench.answer(words))
    assert command.main(words) == 0 and capsys.readouterr().out == f"{found['said']}\n"
    numbers = json.loads(found["json"])
    assert numbers["words"][0] in html.unescape(found["shown"]) and numbers["words"][-1] in html.unescape(
        found["shown"])
    assert found["shown"].index("<th>large</th>") > 0 and "<b>" not in found["shown"]
    # The bars are the table of stretches: the first model alone at the left end, the second alone at the right one.
    low, large = (found["shown"].split(f"<th>{name}</th>")[1].split("</svg>")[0] for name in ("&lt;b&gt;", "large"))
    def bars(drawn):
        """Each end of the pale bars and of the dark ones, in shares of the axis."""
        found = re.findall(r'x="([\d.]+)" width="([\d.]+)" y="\d" height="\d+" class="(\w+)"', drawn)
        return {kind: [(float(x), float(x) + float(width)) for x, width, one in found if one == kind]
                for kind in ("pale", "dark")}

    (cheap,), (dear,) = bars(low)["dark"], bars(large)["dark"]  # one bar each, and no gap between them
    assert cheap[0] == 0 and dear[1] == 100 and cheap[1] == pytest.approx(dear[0], abs=0.02)
    (kept,), (other,) = bars(low)["pale"], bars(large)["pale"]
    assert kept[0] == 0 and cheap[1] < kept[1] < 100 and other[1] == 100 and 0 < other[0] < dear[0]
    refused = json.loads(bench.answer(["board", "other.csv", "--worth", "1:50"]))
    assert refused["wrong"].startswith("Which column is the cost? Say --cost NAME; the columns are: agent, task,")
    told = json.loads(bench.answer(["board", "other.csv", "--cost", "spent", "--worth", "1:50"]))
    assert told["said"] == found["said"].replace("'usd'", "'spent'")
    one = json.loads(bench.answer(["board", "board.csv", "--worth", "5"]))["shown"]
    assert 'width="100.00"' in one and "worth of a solved task, 5</th>" in one
    odd = json.loads(bench.answer(["board", "board.csv", "--worth", "50:1"]))
    assert odd["field"] == "low" and "the fields at least and at most" in odd["wrong"]
    assert json.loads(bench.answer(["board", "board.csv"], "--by site"))["answers"] == []
    assert json.loads(bench.answer(["compare", "board.csv"], "--help"))["wrong"]  # the last line of the help
    assert capsys.readouterr().out == ""
