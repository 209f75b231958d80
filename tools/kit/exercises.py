"""Exercises with two faces: from one file a student's notebook, hidden tests, a solution, and wrong answers to try.

Usage: python -m tools.kit.exercises [FOLDER]     (make instructor)

A site with live cells has each exercise as a page, which runs, hands in one file, and says what went wrong.

The sources, `book/teaching/graded/*.md`, are not part of the site. In a cell, what stands between `### SOLUTION` and
`### END` is cut out for students; cells tagged `hidden-test` are left out; a cell tagged `wrong-answer` names a mistake
and the test it must fail, and changes lines of the solution. FOLDER, `_build/instructor` unless given, gets student
notebooks, executed solutions, and the same exercises for nbgrader and for Otter, which grade them.
"""

from __future__ import annotations

import _thread
import ast
import base64
import copy
import html
import json
import posixpath
import re
import shutil
import sys
import threading
import warnings
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import nbformat
import yaml
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt
from nbformat import v4

from tools.extension import formulas

SOURCE = "book/teaching/graded"
CUT = re.compile(r"(?ms)^([ \t]*)### SOLUTION\n.*?^\1### END[ \t]*\n?")
GIVEN = re.compile(r"(?ms)^([ \t]*)### BEGIN SOLUTION\n.*?^\1### END SOLUTION[ \t]*")
BLANK = "raise NotImplementedError('write this')"
ENDLESS = "does not end"
TESTS = {"public-test", "hidden-test"}
NEEDED = ("numpy", "scipy", "sympy")  # by the exercises; a test compares
TEACHERS = {"hidden-test", "wrong-answer"}
LINK = re.compile(r'\b(href|src|action)="(?!#|[a-z]+:)([^"#?]+)')
OWN = ("meta[name^=citation], meta[name=description], link[rel=next], link[rel=prev], #contents, .contents-button, "
       "#files, [popovertarget=files], script[src*='/live/run.js']")  # of a chapter alone
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


@dataclass
class Cell:
    """A piece of an exercise file: text or code, its tags, the exercise (a letter) that it belongs to."""

    kind: str
    source: str
    tags: set[str] = field(default_factory=set)
    exercise: str = ""


def read(path: Path) -> list[Cell]:
    """The cells of a MyST notebook."""
    text = path.read_text(encoding="utf-8").split("---\n", 2)[2]
    cells, exercise = [], ""
    for number, part in enumerate(re.split(r"(?ms)^```\{code-cell\}[^\n]*\n(.*?)^```[ \t]*$", text)):
        if number % 2:
            tags = re.match(r":tags: \[([^\]]*)\]\n", part)
            found = set(re.findall(r"[\w-]+", tags[1])) if tags else set()
            cells.append(Cell("code", part[tags.end() if tags else 0:].rstrip("\n"), found, exercise))
            continue
        for piece in re.split(r"(?m)^(?=## )", part.strip()):
            letter = re.match(r"## (\w)\. ", piece)
            exercise = letter[1] if letter else exercise
            if piece.strip():
                cells.append(Cell("markdown", piece.strip(), set(), exercise))
    return cells


def notebook(cells: list[Cell]) -> nbformat.NotebookNode:
    """The cells as a notebook, the same bytes in every build."""
    make = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell, "raw": v4.new_raw_cell}
    made = v4.new_notebook(metadata=KERNEL, cells=[make[cell.kind](cell.source) for cell in cells])
    for number, (node, cell) in enumerate(zip(made.cells, cells, strict=True)):
        node.id = f"cell-{number}"
        if cell.tags:
            node.metadata["tags"] = sorted(cell.tags)
    return made


def student(cells: list[Cell]) -> list[Cell]:
    """What is handed out."""
    kept = [copy.copy(cell) for cell in cells if not cell.tags & TEACHERS]
    for cell in kept:
        cell.source = CUT.sub(rf"\1{BLANK}\n", cell.source).rstrip("\n")
    return kept


def solution(cells: list[Cell]) -> list[Cell]:
    """With the solution, without its marks and without tests that must not be seen."""
    kept = [copy.copy(cell) for cell in cells if "wrong-answer" not in cell.tags]
    for cell in kept:
        cell.source = re.sub(r"(?m)^[ \t]*### (SOLUTION|END)[ \t]*\n?", "", cell.source).rstrip("\n")
    return kept


def tests(cells: list[Cell]) -> list[dict]:
    """Every assertion: its exercise, whether students see it, its code."""
    return [{"exercise": cell.exercise, "seen": "public-test" in cell.tags, "code": code}
            for cell in cells if cell.tags & TESTS for code in asserts(cell.source)]


class Mistake(NamedTuple):
    """A wrong answer: the exercise, its name, the test that must name it, the cells with the mistake in them."""

    exercise: str
    name: str
    reason: str
    cells: list[Cell]


def mistakes(cells: list[Cell]) -> list[Mistake]:
    """Every wrong answer that the file describes. Raises ValueError for one that changes nothing, or several places."""
    found = []
    for cell in (cell for cell in cells if "wrong-answer" in cell.tags):
        head, *lines = cell.source.splitlines()
        name, reason = re.match(r"# (.+?): (.+)", head).groups()
        right, wrong = ("\n".join(line[2:] for line in lines if line.startswith(mark)) for mark in ("- ", "+ "))
        changed = solution(cells)
        places = [one for one in changed if one.exercise == cell.exercise and one.kind == "code"
                  and not one.tags & TESTS and right in one.source]
        if len(places) != 1 or places[0].source.count(right) != 1:
            raise ValueError(f"{name}: {right!r} stands in {sum(one.source.count(right) for one in places)} places")
        indent = re.search(rf"(?m)^([ \t]*).*?{re.escape(right.splitlines()[0])}", places[0].source)[1]
        places[0].source = places[0].source.replace(right, wrong.replace("\n", "\n" + indent))
        found.append(Mistake(cell.exercise, name, reason, changed))
    return found


def is_answer(cell: Cell) -> bool:
    return cell.kind == "code" and not cell.tags & TESTS


def results(cells: list[Cell], wanted: list[dict], longest: float | None = None) -> list[str | None]:
    """For each test None, or why it fails after the notebook's code; a cell that fails does not stop the others.

    With `longest` neither does one that runs for more seconds than that.
    """
    space: dict = {"__name__": "__main__"}
    for cell in filter(is_answer, cells):
        attempt(cell.source, space, longest)
    return [attempt(test["code"], space, longest) for test in wanted]


def attempt(code: str, space: dict, longest: float | None = None) -> str | None:
    """None, or in a line why this code fails."""
    alarm = threading.Timer(longest or 0, _thread.interrupt_main)
    try:
        if longest:
            alarm.start()
        exec(compile(code, "<cell>", "exec", dont_inherit=True), space)
    except KeyboardInterrupt:  # the alarm's; without one it is a person's
        if not longest:
            raise
        return ENDLESS
    except AssertionError as error:
        return str(error)
    except Exception as error:  # whatever a wrong answer may raise
        return f"{type(error).__name__}: {error}"
    finally:
        alarm.cancel()
    return None


def asserts(code: str) -> list[str]:
    """The assertions of a cell, one by one; what stands before them goes with each."""
    before: list[str] = []
    found = []
    for statement in ast.parse(code).body:
        text = ast.get_source_segment(code, statement) or ""
        if isinstance(statement, ast.Assert):
            found.append("\n".join([*before, text]))
        else:
            before.append(text)
    return found


def for_nbgrader(cells: list[Cell]) -> nbformat.NotebookNode:
    """The same exercises with nbgrader's marks and metadata (schema 3), a cell and a point for each assertion."""
    own = [Cell(cell.kind, code, cell.tags, cell.exercise) for cell in cells if "wrong-answer" not in cell.tags
           for code in (asserts(cell.source) if cell.tags & TESTS else [cell.source])]
    for cell in own:
        cell.source = cell.source.replace("### SOLUTION", "### BEGIN SOLUTION").replace("### END", "### END SOLUTION")
        if "hidden-test" in cell.tags:
            cell.source = f"### BEGIN HIDDEN TESTS\n{cell.source}\n### END HIDDEN TESTS"
    made = notebook(own)
    for number, (node, cell) in enumerate(zip(made.cells, own, strict=True)):
        test, answer = bool(cell.tags & TESTS), "### BEGIN SOLUTION" in cell.source
        if not (test or answer):
            continue
        node.metadata["nbgrader"] = {"grade": test, "solution": answer, "locked": test, "task": False,
                                     "schema_version": 3, "grade_id": f"{cell.exercise}-{number}",
                                     **({"points": 1} if test else {})}
    return made


def for_otter(cells: list[Cell], name: str) -> nbformat.NotebookNode:
    """The same exercises with Otter's raw cells."""
    made = [Cell("raw", f"# ASSIGNMENT CONFIG\nname: {name}\ngenerate: true\nsolutions_pdf: false\n"
                        "requirements: requirements.txt\nexport_cell:\n  pdf: false")]
    own = [copy.copy(cell) for cell in cells if "wrong-answer" not in cell.tags]
    for letter in dict.fromkeys(cell.exercise for cell in own):
        inside = [cell for cell in own if cell.exercise == letter]
        if not letter:
            made += inside
            continue
        points = sum(len(asserts(cell.source)) for cell in inside if cell.tags & TESTS)
        made.append(Cell("raw", f"# BEGIN QUESTION\nname: {letter}\npoints: {points}"))
        made += [cell for cell in inside if cell.kind == "markdown"]
        made.append(Cell("raw", "# BEGIN SOLUTION"))
        for cell in inside:
            if cell.kind == "code" and not cell.tags & TESTS:
                source = re.sub(r"(?m)^([ \t]*)### SOLUTION", r"\1# BEGIN SOLUTION", cell.source)
                made.append(Cell("code", re.sub(r"(?m)^([ \t]*)### END", r"\1# END SOLUTION", source)))
        made += [Cell("raw", "# END SOLUTION"), Cell("raw", "# BEGIN TESTS")]
        made += [Cell("code", ("# HIDDEN\n" if "hidden-test" in cell.tags else "") + code)
                 for cell in inside if cell.tags & TESTS for code in asserts(cell.source)]
        made += [Cell("raw", "# END TESTS"), Cell("raw", "# END QUESTION")]
    return notebook(made)


def files(root: Path) -> list[Path]:
    return sorted((root / SOURCE).glob("*.md"))


def publish(root: Path, site: Path) -> None:
    """Notebooks that can be marked when they come back, one archive; nothing else of the sources gets there."""
    if not files(root):
        return
    target = site / "downloads" / "graded.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files(root):
            entry = zipfile.ZipInfo(f"{path.stem}.ipynb")
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, nbformat.writes(release(read(path), path.stem)))


def chapters(root: Path) -> dict[str, Path]:
    """The file of exercises of each numbered chapter, in the order of the road."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    pages = [chapter["file"] for part in toc["parts"] if "numbered" in part for chapter in part["chapters"]]
    return dict(zip(pages, files(root), strict=False))


def offer_pages(root: Path, site: Path) -> None:
    """In a site with live cells, a page for each file: code to fill in, tests, and a button that hands in."""
    if not (site / "_static" / "live" / "site.json").exists():
        return
    target = site / "exercises"
    target.mkdir(exist_ok=True)
    found = list(chapters(root).items())
    for (chapter, path), (_, after) in zip(found, [*found[1:], ("", None)], strict=True):
        cells = read(path)
        released = release(cells, path.stem)
        nbformat.write(released, target / f"{path.stem}.ipynb")
        shell = (site / f"{chapter}.html").read_text(encoding="utf-8")
        said = article(released, path.stem, packed(checks(cells)))
        made = page(shell, chapter, said, after and after.stem)
        (target / f"{path.stem}.html").write_text(made, encoding="utf-8")


def release(cells: list[Cell], name: str) -> nbformat.NotebookNode:
    """What nbgrader would release: its marks, blanks for solutions, and the hidden tests' cells empty; Otter's name."""
    made = for_nbgrader(cells)
    made.metadata["otter"] = {"assignment_name": name}
    for node in made.cells:
        node.source = GIVEN.sub(rf"\1{BLANK}", node.source)
        if "### BEGIN HIDDEN TESTS" in node.source:
            node.source = ""
        if "nbgrader" in node.metadata:
            node.metadata["deletable"] = False  # a cell that is gone is marked with nothing
        tags = {"hidden-test": ["remove-cell"]}.get(node.metadata.get("tags", [""])[0])
        node.metadata["tags"] = tags or []
    return made


def checks(cells: list[Cell]) -> dict:
    """All tests with what they ask, and for each named mistake the tests of its exercise that fail."""
    wanted = tests(cells)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a wrong answer may divide by zero
        named = [{"exercise": one.exercise, "name": one.name,
                  "fails": [place for place, why in enumerate(results(one.cells, wanted)) if why]}
                 for one in mistakes(cells)]
    return {"tests": [test | {"asks": re.search(r', "([^"]+)"$', test["code"])[1]} for test in wanted],
            "mistakes": named}


def packed(held: dict) -> str:
    """Compressed, so that nobody reads it by accident; it is not a secret."""
    return base64.b64encode(zlib.compress(json.dumps(held).encode())).decode()


def article(notebook: nbformat.NotebookNode, name: str, held: str) -> str:
    """What the page of an exercise says: tasks, code to fill in, the button that hands in."""
    write, parts, place = MarkdownIt("commonmark", {"html": True}), [], 0  # our own text
    for node in notebook.cells:
        if node.cell_type == "markdown":
            parts.append(write.render(re.sub(r"\$([^$\n]+)\$", lambda found: formulas.mathml(found[1]), node.source)))
        elif node.source:
            code = html.escape(node.source)
            parts.append(f'<div class="cell" data-cell="{place}"><div class="cell_input"><div class="highlight"><pre>'
                         f"{code}</pre></div></div></div>")
            place += 1
    filled = {"BODY": "\n".join(parts), "NAME": name, "HELD": held}
    template = Path(__file__).with_name("exercise.html").read_text(encoding="utf-8")
    return re.sub("@(BODY|NAME|HELD)@", lambda found: filled[found[1]], template)


def page(shell: str, chapter: str, article: str, after: str | None) -> str:
    """The exercise in its chapter's page: the same menu, search and themes, with a way back and one to the next."""
    def moved(found):
        return f'{found[1]}="../{posixpath.normpath(posixpath.join(posixpath.dirname(chapter), found[2]))}'

    soup = BeautifulSoup(LINK.sub(moved, shell), "html.parser")
    for old in soup.select(OWN):
        old.decompose()
    title = re.search("<h1>(.*?)</h1>", article)[1]
    soup.html["data-content_root"], soup.title.string = "../", f"{html.unescape(title)}: exercises"
    soup.select_one("article").replace_with(_parsed(f'<article class="text">{article}</article>'))
    ways = [("before", f"../{chapter}.html", "Back to the chapter", title)]
    if after:
        ways.append(("after", f"{after}.html", "Next exercises", after.partition("_")[2].replace("_", " ")))
    soup.select_one(".sheet")["class"] = "sheet"
    nav = soup.select_one("nav.ways")
    nav.clear()
    for kind, place, words, to in ways:
        nav.append(_parsed(f'<a class="{kind}" href="{place}"><small>{words}</small> {to}</a>'))
    return str(soup)


def _parsed(text):
    return BeautifulSoup(text, "html.parser")


def instructor(root: Path, target: Path) -> int:
    """All faces of every exercise in a folder; how many files of exercises."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in files(root):
        cells = read(path)
        made = {"students": release(cells, path.stem), "solutions": executed(solution(cells)),
                f"nbgrader/source/{path.stem}": for_nbgrader(cells), "otter": for_otter(cells, path.stem)}
        for folder, one in made.items():
            (target / folder).mkdir(parents=True, exist_ok=True)
            nbformat.write(one, target / folder / f"{path.stem}.ipynb")
    (target / "nbgrader" / "nbgrader_config.py").write_text(CONFIG)
    (target / "otter" / "requirements.txt").write_text("".join(f"{name}\n" for name in NEEDED))
    (target / "README.md").write_text(INSTRUCTIONS)
    return len(files(root))


CONFIG = """c = get_config()
c.CourseDirectory.course_id = "decision_aligned_uncertainty"
c.Execute.timeout = 5  # seconds for each cell: ours take milliseconds, and one that loops is stopped
"""
INSTRUCTIONS = """# For the instructor

- `nbgrader/` (a course: `cd` there, then `nbgrader generate_assignment NAME`) and `otter/` (`otter assign`): the
  exercises as sources for these programs, which grade them.
- `solutions/`: with the solutions, executed.
- `students/`: the notebooks of the site, to hand out. Either program grades them when they come back.

Do not publish this folder.
"""


def executed(cells: list[Cell]) -> nbformat.NotebookNode:
    """A notebook that ran. Raises what a cell raises: a solution that fails its own tests is none."""
    from nbclient import NotebookClient

    return NotebookClient(notebook(cells), timeout=120, record_timing=False).execute()


if __name__ == "__main__":
    project = Path(__file__).resolve().parents[2]
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else project / "_build" / "instructor")
    print(f"{instructor(project, folder)} files of exercises in {folder}")
