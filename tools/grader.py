"""Grade notebooks that students handed in. Needs Python and what the exercises import, nothing else.

Usage: python grade.py HANDED_IN [RESULTS.csv]

HANDED_IN holds a folder for each student, with notebooks whose names begin as those that were given out. Each
exercise runs in a process of its own, for a minute at most; its tests are those in the folder `tests` beside this
file. The results say, for each exercise, how many tests passed and which did not; a notebook without tests is told.
Students' code runs as you: use an account, or a container, that holds nothing of value.
"""

from __future__ import annotations

import ast
import csv
import json
import subprocess
import sys
from pathlib import Path

SECONDS = 60
HEADER = ["student", "notebook", "exercise", "passed", "of", "what failed"]


def main() -> int:
    folder = Path(sys.argv[1])
    tests = Path(__file__).with_name("tests")
    found = {path: tests_for(path, tests) for path in sorted(folder.glob("*/*.ipynb"))}
    if not any(found.values()):
        print(f"no notebook with tests in {folder}: it needs a folder for each student", file=sys.stderr)
        return 1
    rows = []
    for path, own in found.items():
        missing = [path.parent.name, path.stem, "-", 0, 0, "NOT GRADED: no tests of that name"]
        rows += grade(path, own) if own else [missing]
    target = Path(sys.argv[2] if len(sys.argv) > 2 else "results.csv")
    with target.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])
    for row in rows:
        print("{:16} {:26} {}: {} of {}  {}".format(*row))
    return 0


def grade(path: Path, tests: Path) -> list[list]:
    """A row for each exercise of one notebook; a notebook that does not end has passed nothing."""
    wanted = json.loads(tests.read_text(encoding="utf-8"))
    rows = []
    for exercise in dict.fromkeys(test["exercise"] for test in wanted):
        own = ask(path, tests, exercise, sum(test["exercise"] == exercise for test in wanted))
        failed = list(dict.fromkeys(said for said in own if said))
        rows.append([path.parent.name, tests.stem, exercise, own.count(None), len(own), "; ".join(failed)])
    return rows


def ask(path: Path, tests: Path, exercise: str, count: int) -> list[str | None]:
    """The tests of one exercise, in a process of their own: a loop without end in another exercise does no harm."""
    command = [sys.executable, __file__, "--one", str(path.resolve()), str(tests.resolve()), exercise]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=path.parent)
        return json.loads(done.stdout.rpartition("\n@")[2])
    except subprocess.TimeoutExpired:
        return [f"not run: longer than {SECONDS} seconds"] * count
    except json.JSONDecodeError:
        return ["not run: the notebook ended Python"] * count


def tests_for(path: Path, folder: Path) -> Path | None:
    """The tests whose name the notebook's name begins with: browsers and students add to names."""
    found = [tests for tests in folder.glob("*.json") if path.stem.startswith(tests.stem)]
    return max(found, key=lambda tests: len(tests.stem), default=None)


def one(path: str, tests: str, exercise: str) -> None:
    """In a process of its own: run a notebook, then the tests of an exercise; print what came of them."""
    notebook = json.loads(Path(path).read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    wanted = json.loads(Path(tests).read_text(encoding="utf-8"))
    results = run(cells, [test["code"] for test in wanted if test["exercise"] == exercise])
    print("\n@" + json.dumps(results))


def run(cells: list[str], tests: list[str]) -> list[str | None]:
    """For each test None, or why it failed. A cell that fails does not stop the others.

    >>> run(["x = 1"], ["assert x == 1, 'one'", "assert x == 2, 'two'"])
    [None, 'two']
    """
    space: dict = {"__name__": "__main__"}
    broken = [attempt("\n".join(line for line in cell.splitlines() if not line.lstrip().startswith(("%", "!"))), space)
              for cell in cells]
    first = next((said for said in broken if said and said.startswith(("SyntaxError", "IndentationError"))), "")
    said = [attempt(test, space) for test in tests]
    return [f"{why} (a cell before: {first})" if why and first and why.startswith("NameError") else why for why in said]


def attempt(code: str, space: dict) -> str | None:
    try:
        exec(compile(code, "<cell>", "exec"), space)
    except AssertionError as error:
        return str(error) or "a test without words"
    except BaseException as error:  # whatever a student's code may raise, SystemExit included
        return f"{type(error).__name__}: {error}".strip()[:120]
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


if __name__ == "__main__":
    raise SystemExit(one(*sys.argv[2:]) if sys.argv[1:2] == ["--one"] else main())
