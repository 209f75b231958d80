"""Graded exercises: the empty notebook fails, the solution passes, each wrong answer fails for the reason it names."""

import csv
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import nbformat
import pytest
import yaml

from tools.kit import exercises, grader
from tools.kit.exercises import Cell

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


def test_a_wrong_answer_is_known_by_its_name(cells):
    tasks = json.loads(exercises.for_grader(cells))
    for letter in "ab":
        own = [test["code"] for test in tasks["tests"] if test["exercise"] == letter]
        answers = {row["name"]: grader.judge(row["cells"], own, tasks["setup"])[1] for row in tasks["mistakes"]
                   if row["exercise"] == letter}
        for name, calls in answers.items():
            same = [other for other, given in answers.items() if grader.alike(calls, given)]
            assert name in same and len(same) <= 2


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


def hand_in(folder, name, cells, file=FILES[0].stem):
    (folder / name).mkdir(parents=True, exist_ok=True)
    nbformat.write(exercises.notebook(cells), folder / name / f"{file}.ipynb")


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory):
    """What the grader says of a class in which much goes wrong, by student and exercise; and what it prints."""
    place = tmp_path_factory.mktemp("class")
    cells = exercises.read(FILES[0])
    right, empty = exercises.solution(cells), exercises.student(cells)
    (place / "tests").mkdir()
    (place / "tests" / f"{FILES[0].stem}.json").write_text(exercises.for_grader(cells))
    source = Path(grader.__file__).read_text()
    times = "SECONDS, LONGEST = 120, 240"
    assert times in source
    (place / "grade.py").write_text(source.replace(times, "SECONDS, LONGEST = 8, 240"))
    handed = place / "in"
    for name, notebook in {
            "right": right, "swapped": exercises.mistakes(cells)[0].cells, "empty": empty,
            "unclosed": [Cell("code", "def bill(:")], "unclosed later": [*right, Cell("code", "def cheaper(:")],
            "jupyter": [Cell("code", "%matplotlib inline\ndisplay(1)\nfiles = !ls\n1 / 0"), *right,
                        Cell("code", "help?")],
            "shadows": [*right, Cell("code", "np = 0")],
            "prints": [*right, Cell("code", "def bill(*arguments):\n    print(1)")],
            "endless": [Cell("code", "import time\ntime.sleep(99)"), *right],
            "endless b": [*right, Cell("code", "import time\ndef cheaper(*arguments):\n    time.sleep(99)")],
            "leaves": [*right, Cell("code", "import os\nos._exit(0)")]}.items():
        hand_in(handed, name, notebook)
    for name in ("=HYPERLINK(1)", "a\x1b[2Jb"):
        hand_in(handed, name, [*right, Cell("code", "def cheaper(*_):\n    raise AssertionError('=cmd|x \\x1b[31m')")])
    hand_in(handed, "renamed", right, f"Copy of {FILES[0].stem.title()} (1)")
    hand_in(handed, "nested/week 1", right)
    hand_in(handed, "twice", right)
    hand_in(handed, "twice", empty, f"{FILES[0].stem}-2")
    (handed / "odd").mkdir()
    (handed / "odd" / "other.ipynb").write_text("{}")
    (handed / "odd" / f"{FILES[0].stem}.ipynb").write_text("text")
    (handed / "nothing").mkdir()
    (handed / "loose.ipynb").write_text("{}")
    (handed / "bom").mkdir()
    bom = (handed / "right" / f"{FILES[0].stem}.ipynb").read_text()
    (handed / "bom" / f"{FILES[0].stem}.ipynb").write_text(bom, encoding="utf-8-sig")
    done = subprocess.run([sys.executable, "grade.py", "in"], cwd=place, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    with (place / "results.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file)), done.stdout


def of(rows, student, letter="a"):
    row, = (row for row in rows if row["student"] == student and row["exercise"] == letter)
    return int(row["passed"]), row["what failed"]


MARKS = Counter(test["exercise"] for test in exercises.tests(exercises.read(FILES[0])))
FULL = ["right", "unclosed later", "jupyter", "shadows", "renamed", "nested", "bom"]


def test_the_grader_marks_a_class_and_says_what_failed_and_what_it_skips(graded_class):
    """Full marks whatever stands beside the answer; none where nothing works, and why."""
    rows, printed = graded_class
    for student in FULL:
        assert [of(rows, student, letter)[0] for letter in "ab"] == [MARKS["a"], MARKS["b"]], student
    for student, why in {"empty": "write this", "unclosed": "SyntaxError", "leaves": "ended Python",
                         "endless": "longer than 8 seconds"}.items():
        passed, said = of(rows, student)
        assert passed == 0 and why in said and len(said) < 700, (student, said)
    passed, said = of(rows, "swapped")
    assert 0 < passed < MARKS["a"] and "the threshold is the alarm's share" in said
    assert said.startswith("the known mistake 'costs swapped'; bill([0], [0.15], 9, 1) is 0, expected 1000: ")
    assert of(rows, "swapped", "b")[0] == MARKS["b"], "a mistake in part a costs part b nothing"
    assert of(rows, "prints") == (
        0, "bill([1, 0], [1.0, 0.0], 9, 1) is None, expected 0: who is always right pays nothing")
    assert of(rows, "endless b", "a")[0] == MARKS["a"] and "longer than 8 seconds" in of(rows, "endless b", "b")[1]
    both = [row for row in rows if row["student"] == "twice"]
    assert len({row["file"] for row in both}) == 2 and all("handed in twice" in row["notebook"] for row in both)
    skipped = {(row["student"], row["what failed"]) for row in rows if row["exercise"] == "-"}
    assert skipped == {("odd", "NOT GRADED: no tests of that name"), ("odd", "NOT GRADED: not a notebook"),
                       ("nothing", "NOT GRADED: no notebook in this folder"),
                       ("loose.ipynb", "NOT GRADED: a loose file: it needs a folder for each student")}
    counts = re.findall(r"(?m)^\d+ of \d+, .*", printed)
    assert len(printed.splitlines()) == len(rows) + len(counts)
    assert "2 of 16, 01_good_score b: longer than 8 seconds" in counts
    for name in ("'=HYPERLINK(1)", "a?[2Jb"):  # nothing that a spreadsheet would compute, or a terminal act on
        assert of(rows, name, "b")[1] == "'=cmd|x ?[31m"
    assert "\x1b" not in printed


@pytest.mark.parametrize("arguments", [[], ["nowhere"]])
def test_the_grader_asks_for_a_folder(arguments, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["grade.py", *arguments])
    assert grader.main() == 2 and "a folder for each student" in capsys.readouterr().err


def test_a_grading_that_is_stopped_keeps_what_is_done(tmp_path, monkeypatch):
    def grade(cells, tests):
        if cells == "second":
            raise KeyboardInterrupt
        return [["a", 1, 1, ""]]
    work = [(name, f"{name}.ipynb", "01", cells, [1]) for name, cells in (("Ann", "first"), ("Bo", "second"))]
    results = tmp_path / "results.csv"
    results.write_text("last week's")
    monkeypatch.setattr(grader, "load", lambda folder: {})
    monkeypatch.setattr(grader, "collect", lambda *_: work)
    monkeypatch.setattr(grader, "grade", grade)
    monkeypatch.setattr(sys, "argv", ["grade.py", str(tmp_path), str(results)])
    with pytest.raises(KeyboardInterrupt):
        grader.main()
    assert results.read_text() == "last week's"
    assert "Ann" in (tmp_path / "results.csv.part").read_text()


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
    needed = re.findall(r"(?m)^(?:from|import) (\w+)", Path(grader.__file__).read_text())
    assert set(needed) <= set(sys.stdlib_module_names)


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
