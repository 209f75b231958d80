"""The consultant's page gives nothing away, and the marks of the key are those of the rubric."""

import re
from pathlib import Path

import numpy as np

from pwu_book.examples import helpdesk, hub

BOOK = Path(__file__).parents[2] / "book"
PAGE, KEY = (BOOK / name for name in ("end/consultant.md", "teaching/consultant_key.md"))


def rubric():
    rows = re.findall(r"^\| (\d) \| \*([\w ]+)\*: ", PAGE.read_text(), re.M)
    return {name: int(points) for points, name in rows}


def test_the_rubric_has_ten_points_and_names_no_trap():
    assert sum(rubric().values()) == 10 and len(rubric()) == 7
    brief = PAGE.read_text().partition("## Seven questions")[2]
    for trap in ("per cent", "percent", "twice", "wrong way", "fitted to", "below a tenth", "tipping", "divided by"):
        assert trap not in brief, trap


def test_the_page_and_its_notebook_hold_no_answer():
    cells = re.findall(r"```\{code-cell\}[^\n]*\n(.*?)```", PAGE.read_text(), re.S)
    assert len(cells) == 1 and "compare" not in cells[0] and "missing_labels" not in cells[0]
    assert "dropdown" not in PAGE.read_text() and "{glue" not in PAGE.read_text()
    assert "teaching/consultant_key" in (BOOK.parent / "_toc.yml").read_text()


def test_marks_add_up_and_are_those_of_the_rubric():
    memos = re.findall(r"^### The \w+ memo: \$(\d+)\$ of \$10\$\n(.*?)\n\*Marks\*: ([^\n]*)", KEY.read_text(),
                       re.S | re.M)
    assert len(memos) == 3
    for total, memo, line in memos:
        marks = {name: int(points) for name, points in re.findall(r"([a-z][a-z ]*?) \$(\d)\$", line)}
        assert marks.keys() == rubric().keys() and sum(marks.values()) == int(total)
        assert all(marks[name] <= points for name, points in rubric().items())
        people = sum(name in memo for name in ("Dr Weiss", "Mr Obi", "Ms Prat"))
        assert not marks["recommendation"] or people == 3 and memo.count("$\\%$") + memo.count(r"\%$") >= 3
        assert not marks["file"] == 2 or "who are our units" in memo and "percentages" in memo and "rows of" in memo
        printed = len(re.findall(r"`eyes-(?:weiss|prat|obi)`", memo))  # each a share with its interval
        assert (marks["comparison"] == 2) == (printed == 3 and "who are our units" in memo)
        assert not marks["costs"] == 2 or len(re.findall(r"\$1/\d+\$", memo)) == 6


def test_a_memo_s_numbers_are_those_that_the_key_computes():
    """Shares with their intervals in tenths of a per cent, so that an end next to zero is seen."""
    key = KEY.read_text()
    assert re.search(r'f"\{one\[end\] / base:\.1%\}"', key) and ".replace(\"-0%\"" not in key
    whole = key.partition("## A whole memo")[2].partition("(consultant-memos)=")[0]
    for part in ("Decision", "Costs", "File", "Comparison", "What else we tried", "What is not known",
                 "Recommendation"):
        assert f"**{part}.**" in whole
    told = whole.partition("**Recommendation.** ")[2].partition("\n")[0]
    assert len(re.findall(r"[.] ", told + " ")) == 1, "a recommendation is one sentence"


def test_what_the_file_s_maker_knows_stands_nowhere_before_the_key():
    """Neither the student's page nor the reference of the package tells what was built in."""
    import pwu_book.examples.eyes as eyes

    for trap in ("per cent", "isotonic", "missing", "log odds", "tenth"):
        assert trap not in (eyes.make.__doc__ or "") + (eyes.project.__doc__ or ""), trap
    shown, hidden = eyes.make(hide=False)["disease"], eyes.make()["disease"]
    assert (shown == "yes")[hidden == ""].sum() == 7


def test_the_two_other_files_are_made_by_their_modules():
    for module, path, read in ((hub, hub.HUB, hub.hub), (helpdesk, helpdesk.HELPDESK, helpdesk.helpdesk)):
        text = module.make().to_csv(index=False)
        assert path.read_text() == text
        assert len(read()) == text.count("\n") - 1
    assert all(np.isnan(hub.quantiles(hub.hub(), "hill")).any(axis=1) == hub.hub()["hill_q50"].isna())
    crossing = [np.diff(hub.quantiles(hub.hub(), team), axis=1) < 0 for team in hub.TEAMS]
    assert not any(each.any() for each in crossing)


def test_the_brief_of_the_other_files_gives_nothing_away():
    brief = PAGE.read_text().partition("(consultant-more)=")[2]
    assert brief.count("{download}") == 2
    for trap in ("groups", "unit is", "known afterwards", "overconfident", "missing weeks", "0 to 100", "examples of"):
        assert trap not in brief, trap
