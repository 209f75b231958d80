"""What was asked stays as it was asked; what was found says by what evidence, and the same in every form."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

from pwu_desk import command, files, options
from pwu_desk.request import Finding, Found, Request, Role, offers

RNG = np.random.default_rng(6)
CHANCE = np.repeat(RNG.beta(1, 3, 60), 2)
TABLE = pd.DataFrame({"outcome": (RNG.random(120) < CHANCE).astype(int), "a": CHANCE.round(3),
                      "b": np.clip(CHANCE + RNG.normal(0, 0.2, 120), 0, 1).round(3), "patient": np.arange(120) // 2,
                      "city": "Bern"})


def test_each_option_of_the_command_is_part_of_a_request():
    """With the same default; a request that Python makes is one that somebody could have typed."""
    typed = vars(options.parser().parse_args(["compare", "f.csv"]))
    ours = {part.name: part.default for part in dataclasses.fields(Request) if part.name != "file"}
    assert {name: value for name, value in typed.items() if name not in ("command", "run", "file")} == ours


def test_what_was_asked_does_not_change():
    asked = Request(TABLE)
    files.load(found := Found(asked))
    with pytest.raises(dataclasses.FrozenInstanceError):
        asked.truth = "a"
    assert (found.truth, found.groups, asked.truth, asked.groups) == ("outcome", "patient", None, None)


def test_each_column_has_a_part_and_its_evidence():
    cases = files.read(TABLE)
    assert cases.roles == {
        "outcome": Role("truth", "its name"), "patient": Role("groups", "its name"),
        "a": Role("forecast", "its values"), "b": Role("forecast", "its values"),
        "city": Role("left out", "not numbers")}
    asked = files.read(TABLE, "outcome", models="a", groups="none")
    assert asked.roles["outcome"] == Role("truth", "asked") and asked.roles["a"] == Role("forecast", "asked")
    assert "patient" not in asked.roles and asked.groups is None
    sales = pd.DataFrame({"sold": [3.0, 5.0, 4.0], "ETS-lo-80": [1, 4, 2], "ETS-hi-80": [6, 9, 7], "note": list("xyz")})
    assert files.read(sales, "sold", "orders").roles == {
        "sold": Role("truth", "asked"), "ETS-hi-80": Role("forecast", "its name"),
        "ETS-lo-80": Role("forecast", "its name"), "note": Role("left out", "not read")}


def test_terminal_report_numbers_and_python_find_the_same(capsys, tmp_path):
    """The terminal shows each sentence, the report holds it, the numbers and Python have it with its option."""
    path, page = tmp_path / "f.csv", tmp_path / "f.html"
    TABLE.to_csv(path, index=False)
    words = ["compare", str(path), "--groups", "none", "--ratio", "3:30", "--resamples", "20"]
    assert command.main([*words, "--json"]) == 0
    told = [Finding(**one) for one in json.loads(capsys.readouterr().out)["findings"]]
    assert command.main([*words, "--html", str(page)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    mine = files.read(str(path), groups="none").findings
    assert [one for one in told if "are alike: with" not in one.sentence] == mine
    assert {one.option for one in mine} == {"--truth", "--groups patient"}
    for one in told:
        assert one.sentence in shown and one.sentence.replace("'", "&#x27;") in page.read_text()
        assert (one.severity == "ask") == bool(one.option) and one.option in one.sentence


@pytest.mark.parametrize(("sentence", "found"), [
    ("say --confidence-of 'first label', or --confidence-of none.",
     [("confidence-of", "'first label'"), ("confidence-of", "none")]),
    ("as wrong: --ignore-punctuation counts them as right.", []),
    ("was it fitted to these rows? --only leaves rows out.", [])])
def test_what_a_sentence_offers_can_be_typed(sentence, found):
    assert offers(sentence) == found
