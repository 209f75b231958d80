"""The bench in a page: self-contained, and its answers are those of the command line."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pwu_book import bench
from pwu_book.bench import Bench
from pwu_desk import command


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
    assert found["said"] == capsys.readouterr().out and found["code"] == 0 and found["wrong"] == ""
    assert found["report"] == Path("report.html").read_text()
    assert "What the cost is made of" in found["report"] and "Brier score" in found["report"]
    assert json.loads(json.loads(bench.answer([*words, "--json"]))["said"])["models"][0]["name"] == "a"


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
    assert found["code"] == 2 and said in found["wrong"] and found["report"] == ""
