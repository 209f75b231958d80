"""Graded exercises: the empty notebook fails, the solution passes, each wrong answer fails for the reason it names."""

import re
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
import yaml

from tools.kit import exercises

ROOT = Path(__file__).resolve().parents[2]

FILES = exercises.files(ROOT)
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def cells(request):
    return exercises.read(request.param)


def test_every_numbered_chapter_has_two():
    chapters = [chapter["file"] for part in TOC["parts"] if "numbered" in part for chapter in part["chapters"]]
    assert len(FILES) == len(chapters)
    for number, (path, chapter) in enumerate(zip(FILES, chapters, strict=True), 1):
        title = re.search(r"(?m)^# (.+)", (ROOT / f"{chapter}.md").read_text())[1]
        assert f"# Chapter {number}: {title}\n" in path.read_text() and path.name.startswith(f"{number:02d}_")
        assert {cell.exercise for cell in exercises.read(path)} == {"", "a", "b"}


def test_the_empty_notebook_fails_every_test_and_the_solution_none(cells):
    wanted = exercises.tests(cells)
    assert all(exercises.results(exercises.student(cells), wanted))
    assert not any(exercises.results(exercises.solution(cells), wanted))


def test_wrong_answers_fail_for_the_reason_they_name(cells):
    wanted = exercises.tests(cells)
    named = exercises.mistakes(cells)
    for letter in "ab":
        assert len([one for one in named if one.exercise == letter]) >= 3
    for mistake in named:
        said = exercises.results(mistake.cells, wanted)
        own = [why for test, why in zip(wanted, said, strict=True) if test["exercise"] == mistake.exercise and why]
        assert any(mistake.reason in why for why in own), (mistake.name, own)
        assert not any(re.match(r"\w+Error: ", why) for why in own if mistake.reason in why), (mistake.name, own)
        assert len(own) == len([why for why in said if why]), f"{mistake.name} breaks the other exercise"


def test_students_see_no_solution_and_no_hidden_test(cells):
    seen = "\n".join(cell.source for cell in exercises.student(cells))
    assert "### " not in seen.replace("\n## ", "\n") and seen.count(exercises.BLANK) >= 2
    for cell in cells:
        if cell.tags & exercises.TEACHERS:
            assert cell.source not in seen


def test_every_test_says_what_it_asks(cells):
    for test in exercises.tests(cells):
        assert re.search(r', "[^"]{8,}"$', test["code"]), test["code"]


def test_a_wrong_answer_that_changes_nothing_is_an_error(tmp_path):
    text = FILES[0].read_text().replace("- alarm / (alarm + miss)\n+ 0.5", "- no such line\n+ 0.5")
    (tmp_path / "broken.md").write_text(text)
    with pytest.raises(ValueError, match="0 places"):
        exercises.mistakes(exercises.read(tmp_path / "broken.md"))


def test_the_student_notebook_is_the_same_in_every_build(cells):
    one, two = (exercises.notebook(exercises.student(cells)) for _ in range(2))
    assert one == two
    nbformat.validate(one)


def test_the_other_tools_get_their_marks(cells):
    course = exercises.for_nbgrader(cells)
    nbformat.validate(course)
    marked = [cell for cell in course.cells if "nbgrader" in cell.metadata]
    assert len({cell.metadata.nbgrader.grade_id for cell in marked}) == len(marked)
    text = "\n".join(cell.source for cell in course.cells)
    assert text.count("### BEGIN SOLUTION") == text.count("### END SOLUTION") >= 2
    hidden = [test for test in exercises.tests(cells) if not test["seen"]]
    assert text.count("### BEGIN HIDDEN TESTS") == len(hidden) and "### SOLUTION" not in text
    assert sum(cell.metadata.nbgrader.get("points", 0) for cell in marked) == len(exercises.tests(cells))
    otter = exercises.for_otter(cells, "x")
    nbformat.validate(otter)
    raw = [cell.source.splitlines()[0] for cell in otter.cells if cell.cell_type == "raw"]
    assert raw[0] == "# ASSIGNMENT CONFIG" and raw.count("# BEGIN QUESTION") == raw.count("# END QUESTION") == 2
    assert sum(cell.source.startswith("# HIDDEN") for cell in otter.cells) == len(hidden)
    assert "init_cell" not in otter.cells[0].source  # the student's notebook needs `grader`


def test_the_page_hands_in_what_both_graders_know(cells):
    """nbgrader finds its cells by their grade_id, Otter the assignment by its name; no solution, no hidden test."""
    course, released = exercises.for_nbgrader(cells), exercises.release(cells, "x")
    assert [cell.metadata.get("nbgrader") for cell in released.cells] == [
        cell.metadata.get("nbgrader") for cell in course.cells]
    assert released.metadata.otter.assignment_name == "x"
    text = "\n".join(cell.source for cell in released.cells)
    assert "SOLUTION" not in text and "HIDDEN" not in text and text.count(exercises.BLANK) >= 2
    places = re.findall(r'data-cell="(\d+)"', exercises.article(released, "x", ""))
    shown = [cell for cell in released.cells if cell.cell_type == "code" and "remove-cell" not in cell.metadata.tags]
    assert places == [str(place) for place in range(len(shown))]


def test_a_known_mistake_is_known_by_the_tests_that_it_fails(cells):
    """Where two mistakes fail the same tests, the page names both."""
    held = exercises.checks(cells)
    for one, mistake in zip(held["mistakes"], exercises.mistakes(cells), strict=True):
        assert one["fails"] and all(held["tests"][place]["exercise"] == one["exercise"] for place in one["fails"])
        asked = [held["tests"][place]["asks"] for place in one["fails"]]
        assert any(mistake.reason in words for words in asked)


def test_no_constant_answer_passes_more_than_half(cells):
    wanted = exercises.tests(cells)
    for constant in ("0", "1", "0.5", "True", "False", "None", "[]", "(0, 0)"):
        empty = exercises.student(cells)
        for cell in empty:
            cell.source = cell.source.replace(exercises.BLANK, f"return {constant}")
        said = exercises.results(empty, wanted)
        for letter in "ab":
            own = [why for test, why in zip(wanted, said, strict=True) if test["exercise"] == letter]
            assert 2 * own.count(None) <= len(own), (letter, constant)


def test_what_the_exercises_import_is_what_the_autograder_installs():
    code = "\n".join(cell.source for path in FILES for cell in exercises.read(path) if "wrong-answer" not in cell.tags)
    imported = set(re.findall(r"(?m)^(?:from|import) (\w+)", code))
    assert imported - set(sys.stdlib_module_names) == set(exercises.NEEDED)


def test_no_solution_is_in_what_the_public_gets(site):
    """Lines of solutions and of hidden tests that nobody would write by chance."""
    cells = [cell for path in FILES for cell in exercises.read(path)]
    hidden = [line for cell in cells if "hidden-test" in cell.tags for line in cell.source.splitlines()]
    lines = [line for line in hidden if len(line) > 40]
    lines += [line.strip() for cell in cells for block in exercises.CUT.finditer(cell.source)
              for line in block[0].splitlines() if len(line.strip()) > 45]
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
