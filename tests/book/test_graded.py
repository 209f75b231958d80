"""Graded exercises: the empty notebook fails, the solution passes, each wrong answer fails for the reason it names."""

import json
import re
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import grader  # noqa: E402

import graded  # noqa: E402

FILES = graded.files(ROOT)
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def cells(request):
    return graded.read(request.param)


def test_every_numbered_chapter_has_two():
    chapters = [chapter["file"] for part in TOC["parts"] if "numbered" in part for chapter in part["chapters"]]
    assert len(FILES) == len(chapters)
    for number, (path, chapter) in enumerate(zip(FILES, chapters, strict=True), 1):
        title = re.search(r"(?m)^# (.+)", (ROOT / f"{chapter}.md").read_text())[1]
        assert f"# Chapter {number}: {title}\n" in path.read_text() and path.name.startswith(f"{number:02d}_")
        assert {cell.exercise for cell in graded.read(path)} == {"", "a", "b"}


def test_the_empty_notebook_fails_every_test_and_the_solution_none(cells):
    wanted = graded.tests(cells)
    assert all(graded.results(graded.student(cells), wanted))
    assert not any(graded.results(graded.solution(cells), wanted))


def test_wrong_answers_fail_for_the_reason_they_name(cells):
    wanted = graded.tests(cells)
    named = graded.mistakes(cells)
    for letter in "ab":
        assert len([one for one in named if one.exercise == letter]) >= 3
    for mistake in named:
        said = graded.results(mistake.cells, wanted)
        own = [why for test, why in zip(wanted, said, strict=True) if test["exercise"] == mistake.exercise and why]
        assert any(mistake.reason in why for why in own), (mistake.name, own)
        assert not any(re.match(r"\w+Error: ", why) for why in own if mistake.reason in why), (mistake.name, own)
        assert len(own) == len([why for why in said if why]), f"{mistake.name} breaks the other exercise"


def test_students_see_no_solution_and_no_hidden_test(cells):
    seen = "\n".join(cell.source for cell in graded.student(cells))
    assert "### " not in seen.replace("\n## ", "\n") and seen.count(graded.BLANK) >= 2
    for cell in cells:
        if cell.tags & graded.TEACHERS:
            assert cell.source not in seen


def test_every_test_says_what_it_asks(cells):
    for test in graded.tests(cells):
        assert re.search(r', "[^"]{8,}"$', test["code"]), test["code"]


def test_a_wrong_answer_that_changes_nothing_is_an_error(tmp_path):
    text = FILES[0].read_text().replace("- alarm / (alarm + miss)\n+ 0.5", "- no such line\n+ 0.5")
    (tmp_path / "broken.md").write_text(text)
    with pytest.raises(ValueError, match="0 places"):
        graded.mistakes(graded.read(tmp_path / "broken.md"))


def test_the_student_notebook_is_the_same_in_every_build(cells):
    one, two = (nbformat.writes(graded.notebook(graded.student(cells))) for _ in range(2))
    assert one == two
    nbformat.validate(nbformat.reads(one, as_version=4))


def hand_in(folder, name, cells):
    (folder / name).mkdir(parents=True)
    nbformat.write(graded.notebook(cells), folder / name / f"{FILES[0].stem}.ipynb")


LOOP = "def cheaper(*arguments):\n    while True:\n        pass"


def test_the_grader_tells_students_apart_and_survives_what_they_do(tmp_path, monkeypatch, capsys):
    cells = graded.read(FILES[0])
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / f"{FILES[0].stem}.json").write_text(json.dumps(graded.tests(cells)))
    alone = tmp_path / "grade.py"
    alone.write_text(Path(grader.__file__).read_text())
    handed, swapped = tmp_path / "in", graded.mistakes(cells)[0].cells
    hand_in(handed, "ada", graded.solution(cells))
    hand_in(handed, "ben", swapped)
    hand_in(handed, "eve", graded.student(cells))
    hand_in(handed, "ivy", [*graded.solution(cells), graded.Cell("code", "import os\nos._exit(0)")])
    hand_in(handed, "kim", [graded.Cell("code", "%matplotlib inline\n1 / 0"), *graded.solution(cells)])
    hand_in(handed, "zoe", [*graded.solution(cells), graded.Cell("code", "def cheaper(:")])
    (handed / "zoe" / f"{FILES[0].stem}.ipynb").rename(handed / "zoe" / f"{FILES[0].stem} (1)_zoe.ipynb")
    hand_in(handed, "tim", [graded.Cell("code", "def bill(:")])
    hand_in(handed, "uli", [*graded.solution(cells), graded.Cell("code", LOOP)])
    (handed / "uli" / "other.ipynb").write_text("{}")
    hand_in(handed, "max", [*graded.solution(cells), graded.Cell("code", "while True:\n    pass")])
    monkeypatch.setattr(grader, "SECONDS", 5)
    monkeypatch.setattr(grader, "__file__", str(alone))
    monkeypatch.setattr(sys, "argv", ["grade.py", str(handed), str(tmp_path / "results.csv")])
    assert grader.main() == 0
    lines = (tmp_path / "results.csv").read_text().splitlines()
    rows = {(line.split(",")[0], line.split(",")[2]): line for line in lines}
    passed = {name: int(line.split(",")[3]) for (name, letter), line in rows.items() if letter == "a"}
    assert passed["ada"] == passed["kim"] == 4
    assert 0 < passed["ben"] < 4 and "the threshold is the alarm's share" in rows["ben", "a"]
    assert passed["eve"] == passed["ivy"] == passed["max"] == 0
    assert passed["zoe"] == passed["uli"] == 4 and "longer than" in rows["uli", "b"]
    assert "NOT GRADED" in rows["uli", "-"] and "SyntaxError" in rows["tim", "a"]
    assert "longer than 5 seconds" in rows["max", "a"] and "ended Python" in rows["ivy", "a"]
    assert "ada" in capsys.readouterr().out


def test_the_other_tools_get_their_marks(cells):
    course = graded.for_nbgrader(cells)
    nbformat.validate(course)
    marked = [cell for cell in course.cells if "nbgrader" in cell.metadata]
    assert len({cell.metadata.nbgrader.grade_id for cell in marked}) == len(marked)
    text = "\n".join(cell.source for cell in course.cells)
    assert text.count("### BEGIN SOLUTION") == text.count("### END SOLUTION") >= 2
    assert text.count("### BEGIN HIDDEN TESTS") == 2 and "### SOLUTION" not in text
    otter = graded.for_otter(cells, "x")
    nbformat.validate(otter)
    raw = [cell.source.splitlines()[0] for cell in otter.cells if cell.cell_type == "raw"]
    assert raw[0] == "# ASSIGNMENT CONFIG" and raw.count("# BEGIN QUESTION") == raw.count("# END QUESTION") == 2
    assert any(cell.source.startswith("# HIDDEN") for cell in otter.cells)


def secrets():
    """Lines of solutions and of hidden tests that nobody would write by chance."""
    for path in FILES:
        for cell in graded.read(path):
            if "hidden-test" in cell.tags:
                yield from (line for line in cell.source.splitlines() if len(line) > 40)
            for block in graded.CUT.finditer(cell.source):
                yield from (line.strip() for line in block[0].splitlines() if len(line.strip()) > 45)


def test_no_solution_is_in_what_the_public_gets(site):
    lines = list(secrets())
    assert len(lines) > 150
    seen = []
    for path in [path for path in site.rglob("*") if path.is_file()]:
        if path.suffix in (".zip", ".whl"):
            with zipfile.ZipFile(path) as archive:
                seen += [(f"{path.name}/{name}", archive.read(name)) for name in archive.namelist()]
        elif path.suffix in (".html", ".ipynb", ".md", ".txt", ".js", ".json"):
            seen.append((str(path.relative_to(site)), path.read_bytes()))
    assert any(name.startswith("graded.zip/01_good_score") for name, _ in seen)
    for name, data in seen:
        text = data.decode("utf-8", "ignore").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
        text = text.replace('\\"', '"')
        assert "### SOLUTION" not in text and "hidden-test" not in text, name
        found = [line for line in lines if line in text]
        assert not found, (name, found[:2])
