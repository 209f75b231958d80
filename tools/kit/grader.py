"""Grade notebooks that students handed in. Needs Python and what the exercises import, nothing else.

Usage: python grade.py HANDED_IN [RESULTS.csv]

HANDED_IN holds a folder for each student, with notebooks whose names contain those that were given out. Each exercise
runs in a process and a folder of its own, for two minutes at most; its tests are those in the folder `tests` beside
this file. The results say how many tests passed and which did not; anything not graded is reported.
Students' code runs as you: use an account, or a container, that holds nothing of value. The tests run in the same
process as that code, so a notebook can cheat: read what has full marks, solutions are a few lines. A notebook that
never ends has passed nothing. The results are kept in memory and written at the end.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS, LONGEST = 120, 160
JUPYTER = re.compile(r"\s*(%%?[A-Za-z]|[!?])|.*\?\s*$|.*= [!%]")  # a magic, a shell command, a question for help
HEADER = ["student", "file", "notebook", "exercise", "passed", "of", "what failed"]


def main() -> int:
    if len(sys.argv) not in (2, 3) or not Path(sys.argv[1]).is_dir():
        print("Usage: python grade.py HANDED_IN [RESULTS.csv]; HANDED_IN holds a folder for each student",
              file=sys.stderr)
        return 2
    work = collect(Path(sys.argv[1]), load(Path(__file__).with_name("tests")))
    if not any(tests for *_, tests in work):
        print(f"no notebook with tests in {sys.argv[1]}: it needs a folder for each student", file=sys.stderr)
        return 1
    results = Path(sys.argv[2] if len(sys.argv) > 2 else "results.csv")
    unfinished = results.with_name(results.name + ".part")  # keeps what is graded if the run is stopped
    with unfinished.open("w", newline="", encoding="utf-8") as file:
        marks = csv.writer(file)
        marks.writerow(HEADER)
        for *who, cells, tests in work:
            for row in grade(cells, tests) if tests else [["-", 0, 0, f"NOT GRADED: {cells}"]]:
                row = [harmless(value) for value in (*who, *row)]
                marks.writerow(row)
                print("{:16} {:26} {}: {} of {}  {}".format(row[0], *row[2:]), flush=True)
            file.flush()
    unfinished.replace(results)
    return 0


def harmless(value: object) -> object:
    """A text without characters that a terminal acts on, and without a beginning that a spreadsheet computes.

    >>> harmless("=HYPERLINK(1)"), harmless("a\\x1b[2Jb"), harmless(3)
    ("'=HYPERLINK(1)", 'a?[2Jb', 3)
    """
    if not isinstance(value, str):
        return value
    seen = "".join(letter if letter.isprintable() else "?" for letter in value)
    return f"'{seen}" if seen.lstrip().startswith(("=", "+", "-", "@")) and seen != "-" else seen


def load(folder: Path) -> dict[str, dict]:
    """The tests of every notebook, by its name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def collect(handed_in: Path, tests: dict[str, dict]) -> list[tuple]:
    """Student, file, name, code cells and tests of everything handed in; read before any of it runs.

    Where nothing can be graded, the tests are empty and a message stands in place of the cells.
    """
    found: list[tuple] = [(path.name, "", "-", "a loose file: it needs a folder for each student", None)
                          for path in sorted(handed_in.glob("*.ipynb"))]
    for folder in sorted(path for path in handed_in.iterdir() if path.is_dir()):
        paths = [path for path in sorted(folder.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts]
        if not paths:
            found.append((folder.name, "", "-", "no notebook in this folder", None))
        for path in paths:
            name, cells = name_of(path, tests), code_of(path)
            words = "no tests of that name" if name is None else "not a notebook" if cells is None else None
            known = None if words else tests[str(name)]
            found.append((folder.name, path.relative_to(folder).as_posix(), name or path.stem, words or cells, known))
    twice = collections.Counter((who, name) for who, _, name, _, known in found if known)
    return [(who, file, f"{name} (handed in twice)" if twice[who, name] > 1 else name, *rest)
            for who, file, name, *rest in found]


def name_of(path: Path, tests: dict[str, dict]) -> str | None:
    """The name that the notebook's name contains: browsers, students and learning systems add to names."""
    return max((name for name in tests if name.lower() in path.stem.lower()), key=len, default=None)


def code_of(path: Path) -> list[str] | None:
    """The code cells, those left out that only show tests; None if it is not a notebook."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8-sig"))["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"
                and "public-test" not in cell.get("metadata", {}).get("tags", [])]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def grade(cells: list[str], tests: dict) -> list[list]:
    """A row for each exercise of one notebook; a notebook that does not end has passed nothing."""
    rows = []
    for exercise in dict.fromkeys(test["exercise"] for test in tests["tests"]):
        own = [test["code"] for test in tests["tests"] if test["exercise"] == exercise]
        said = ask(cells, own, tests["setup"])
        rows.append([exercise, said.count(None), len(own), "; ".join(dict.fromkeys(why for why in said if why))])
    return rows


def ask(cells: list[str], tests: list[str], setup: list[str]) -> list[str | None]:
    """The tests of one exercise, in a process and a folder of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        answer = Path(folder) / "answer.json"
        task = json.dumps({"answer": str(answer), "cells": cells, "tests": tests, "setup": setup})
        try:
            subprocess.run([sys.executable, str(Path(__file__).resolve()), "--one"], input=task.encode(), cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)
            return json.loads(answer.read_text(encoding="utf-8"))
        except subprocess.TimeoutExpired:
            return [f"not run: longer than {SECONDS} seconds"] * len(tests)
        except (OSError, ValueError):
            return ["not run: the notebook ended Python"] * len(tests)


def one() -> None:
    """In a process of its own: run a notebook, then the tests of an exercise; write what came of them."""
    task = json.loads(sys.stdin.buffer.read())
    results = run(task["cells"], task["tests"], task["setup"])
    Path(task["answer"]).write_text(json.dumps(results), encoding="utf-8")


def run(cells: list[str], tests: list[str], setup: list[str]) -> list[str | None]:
    """For each test None, or why it failed. A statement that fails does not stop the others.

    `setup` is what the notebook was given out with, imports and names; tests find it as it was.

    >>> run(["x = 1", "y = 2"], ["assert x == 1, 'one'", "assert x == y, 'two'"], ["y = 3"])
    [None, 'two']
    """
    space: dict = {"__name__": "__main__", "display": print}
    broken = [why for cell in cells for why in (attempt(statement, space) for statement in statements(cell))]
    first = next((why for why in broken if why and not why.startswith("NotImplementedError")), "")
    for line in setup:
        attempt(line, space)
    said = [attempt(test, space) for test in tests]
    return [f"{why} (before: {first})"[:LONGEST] if why and first and why.startswith("NameError") else why
            for why in said]


def statements(cell: str) -> list[str]:
    """The statements of a cell; lines that are Jupyter's own, not Python's, are left out.

    >>> statements("%matplotlib inline\\n%time x = 1\\nfiles = !ls\\ny = (2\\n     % 3)")
    ['x = 1', 'y = (2\\n     % 3)']
    """
    lines = [re.sub(r"^%time\s+", "", line) for line in cell.splitlines()]
    plain = "\n".join(line for line in lines if not JUPYTER.match(line))
    for text in (cell, plain):
        with contextlib.suppress(SyntaxError, ValueError):
            tree = ast.parse(text)
            for node in tree.body:
                for mark in getattr(node, "decorator_list", [])[:1]:  # a statement begins with its first decorator
                    node.lineno, node.col_offset = mark.lineno, mark.col_offset - 1
            return [ast.get_source_segment(text, node) or "" for node in tree.body]
    return [cell]


def attempt(code: str, space: dict) -> str | None:
    """None, or in a line why this code fails."""
    try:
        exec(compile(code, "<cell>", "exec", dont_inherit=True), space)
    except AssertionError as error:
        said = str(error) or "a test without words"
    except BaseException as error:  # whatever a student's code may raise, SystemExit included
        said = f"{type(error).__name__}: {error}".strip()
    else:
        return None
    return " ".join(said.encode("utf-8", "replace").decode().split())[:LONGEST]


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


if __name__ == "__main__":
    raise SystemExit(one() if sys.argv[1:] == ["--one"] else main())
