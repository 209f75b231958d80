"""Grade notebooks that students handed in. Needs Python and what the exercises import, nothing else.

Usage: python grade.py HANDED_IN [RESULTS.csv]

HANDED_IN holds a folder for each student, with notebooks whose names contain those that were given out. Each exercise
runs in a process and a folder of its own, for two minutes at most; its tests are those in the folder `tests` beside
this file. The results say how many tests passed, and of each other test the call, what came back, what was expected,
and the idea that it tests. Part b is graded with the right answer to part a. An answer that behaves like a known
mistake gets its name, and the end of the run counts these mistakes. Anything not graded is reported.
Students' code runs as you: use an account, or a container, that holds nothing of value. The tests run in the same
process as that code, so a notebook can cheat: read what has full marks, solutions are a few lines. A notebook that
never ends has passed nothing. The results are kept in memory and written at the end.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import csv
import functools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:  # then arrays are compared as other objects are
    np = None  # type: ignore[assignment]

SECONDS, LONGEST = 120, 240
JUPYTER = re.compile(r"\s*(%%?[A-Za-z]|[!?])|.*\?\s*$|.*= [!%]")  # a magic, a shell command, a question for help
EXPLAINED = ": "  # between what came back and the idea of the test
UNLIKE = {("nothing", other) for other in ("a text", "a number", "values", "something else")} | {
    ("a text", "a number"), ("a text", "values"), ("a number", "a text"), ("a number", "values")}
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
    counted: collections.Counter = collections.Counter()
    unfinished = results.with_name(results.name + ".part")  # keeps what is graded if the run is stopped
    with unfinished.open("w", newline="", encoding="utf-8") as file:
        marks = csv.writer(file)
        marks.writerow(HEADER)
        for *who, cells, tests in work:
            for row in grade(cells, tests) if tests else [["-", 0, 0, f"NOT GRADED: {cells}"]]:
                counted.update((who[-1], row[0], harmless(idea)) for idea in row[4:])
                row = [harmless(value) for value in (*who, *row[:4])]
                marks.writerow(row)
                print("{:16} {:26} {}: {} of {}  {}".format(row[0], *row[2:]), flush=True)
            file.flush()
    unfinished.replace(results)
    handed = collections.Counter(name for *_, name, _, tests in work if tests)
    for (name, exercise, idea), count in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        if count > 1:
            print(f"{count} of {handed[name]}, {name} {exercise}: {idea}")
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
    """A row for each exercise of one notebook, with the ideas missed; one that does not end has passed nothing."""
    rows = []
    for exercise in dict.fromkeys(test["exercise"] for test in tests["tests"]):
        own = [test["code"] for test in tests["tests"] if test["exercise"] == exercise]
        models = [row["code"] for row in tests.get("models", []) if row["exercise"] < exercise]
        known = [row for row in tests.get("mistakes", []) if row["exercise"] == exercise]
        said, name = ask(cells, own, tests["setup"], models, known)
        failed = list(dict.fromkeys(why for why in said if why))
        if name:
            failed.insert(0, f"the known mistake {name!r}")
        ideas = failed[:1] if name else dict.fromkeys(why.rpartition(EXPLAINED)[2] for why in failed)
        rows.append([exercise, said.count(None), len(own), "; ".join(failed), *ideas])
    return rows


def ask(cells: list[str], tests: list[str], setup: list[str], models: list[str], mistakes: list[dict]
        ) -> tuple[list[str | None], str]:
    """The tests of one exercise, in a process and a folder of its own; the name of a known mistake, or nothing."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        answer = Path(folder) / "answer.json"
        task = json.dumps({"answer": str(answer), "cells": cells, "tests": tests, "setup": setup, "models": models,
                           "mistakes": mistakes})
        try:
            subprocess.run([sys.executable, str(Path(__file__).resolve()), "--one"], input=task.encode(), cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)
            said, name = json.loads(answer.read_text(encoding="utf-8"))
            return said, name
        except subprocess.TimeoutExpired:
            return [f"not run: longer than {SECONDS} seconds"] * len(tests), ""
        except (OSError, ValueError):
            return ["not run: the notebook ended Python"] * len(tests), ""


def one() -> None:
    """In a process of its own: run a notebook, then the tests of an exercise; write what came of them."""
    task = json.loads(sys.stdin.buffer.read())
    said, calls = judge(task["cells"], task["tests"], task["setup"], task["models"])
    name = ""
    if any(calls) and any(said):
        name = " or ".join(row["name"] for row in task["mistakes"]
                           if alike(calls, judge(row["cells"], task["tests"], task["setup"])[1]))
    Path(task["answer"]).write_text(json.dumps([said, name]), encoding="utf-8")


def run(cells: list[str], tests: list[str], setup: list[str]) -> list[str | None]:
    """For each test None, or why it failed. A statement that fails does not stop the others.

    >>> run(["x = 1", "y = 2"], ["assert x == 1, 'one'", "assert x == y, 'two'"], ["y = 3"])
    [None, 'two']
    >>> run(["def half(x): return x"], ["assert half(4) == 2, 'the half'"], [])
    ['half(4) is 4, expected 2: the half']
    """
    return judge(cells, tests, setup)[0]


def judge(cells: list[str], tests: list[str], setup: list[str], models: list[str] | tuple = ()
          ) -> tuple[list[str | None], list[list]]:
    """For each test None, or why it failed; and what the notebook's functions gave to each test.

    `setup` is what the notebook was given out with, imports and names; tests find it as it was. `models` are right
    answers to earlier parts, which replace the notebook's own. What returns nothing, or something of another kind
    than expected, is told once and alone.
    """
    space: dict = {"__name__": "__main__", "display": print}
    broken = [why for cell in cells for why in (attempt(statement, space) for statement in statements(cell))]
    first = next((why for why in broken if why and not why.startswith("NotImplementedError")), "")
    for line in [*setup, *models]:
        attempt(line, space)
    log: list = []
    for name, value in list(space.items()):
        if getattr(value, "__code__", None) and value.__code__.co_filename == "<cell>":
            space[name] = noted(name, value, log)
    said, calls, kinds = [], [], []
    for test in tests:
        log.clear()
        why = attempt(test, space)
        calls.append([result for _, result in log])
        if why and first and why.startswith("NameError"):
            why = f"{why} (before: {first})"
        elif why and log:
            wrong, why = explain(test, space, log, why)
            kinds += [why] * wrong
        said.append(why and why[:LONGEST])
    return [why and kinds[0][:LONGEST] for why in said] if kinds else said, calls


def noted(name: str, function, log: list):
    """The function, which writes what it is asked and what it gives to the log; not what it asks of itself."""
    @functools.wraps(function)
    def asked(*arguments, **named):
        depth = len(log)
        try:
            result = function(*arguments, **named)
        except BaseException as error:
            del log[depth:]
            log.append((None, type(error).__name__))
            raise
        words = [short(one) for one in arguments] + [f"{key}={short(one)}" for key, one in named.items()]
        del log[depth:]
        log.append((f"{name}({', '.join(words)})", result))
        return result
    return asked


def explain(test: str, space: dict, log: list, idea: str) -> tuple[bool, str]:
    """Is it of another kind than expected? And the call, what came back, what was expected, before the idea."""
    parts = ast.parse(test).body[-1].test  # type: ignore[attr-defined]
    for part in parts.values if isinstance(parts, ast.BoolOp) and isinstance(parts.op, ast.And) else [parts]:
        log.clear()
        with contextlib.suppress(Exception):
            if not eval(compile(ast.Expression(part), "<cell>", "eval"), space) and log and log[-1][0]:
                call, result = log[-1]
                wanted = expected(part, call.partition("(")[0])
                if wanted is None:
                    return result is None, f"{call} is {short(result)}{EXPLAINED}{idea}"
                right = eval(compile(ast.Expression(wanted), "<cell>", "eval"), space)
                return ((kind(result), kind(right)) in UNLIKE,
                        f"{call} is {short(result)}, expected {short(right)}{EXPLAINED}{idea}")
    return False, idea


def expected(part: ast.expr, name: str) -> ast.expr | None:
    """What an assertion expects of the function: of f() == b, abs(f() - b) < 1e-9, np.allclose(f(), b), not f()."""
    side: ast.expr = ast.Constant(False)
    match part:
        case ast.UnaryOp(ast.Not(), call):
            pass
        case ast.Compare(call, [ast.Eq() | ast.Is()], [side]):
            pass
        case ast.Compare(ast.Call(ast.Name("abs"), [ast.BinOp(call, ast.Sub(), side)]), [ast.Lt()]):
            pass
        case ast.Call(ast.Attribute(_, "allclose" | "isclose"), [call, side, *_]):
            pass
        case _:
            return None
    own = isinstance(call, ast.Call) and ast.unparse(call.func) == name
    return ast.fix_missing_locations(ast.copy_location(side, part)) if own else None


def kind(value: object) -> str:
    """Nothing, a text, a number, several values, or something else."""
    if value is None or isinstance(value, str):
        return "nothing" if value is None else "a text"
    if isinstance(value, list | tuple) or getattr(value, "shape", None):
        return "values"
    try:
        float(value)  # type: ignore[arg-type]
        return "a number"
    except (TypeError, ValueError):
        return "something else"


def alike(one: object, two: object) -> bool:
    """Are these the same answers, up to rounding?

    >>> alike([0.1 + 0.2, "f", None], [0.3, "f", None]), alike([1.0], [2.0]), alike([[1, 2]], [[1]])
    (True, False, False)
    """
    if isinstance(one, list | tuple) and isinstance(two, list | tuple):
        return len(one) == len(two) and all(map(alike, one, two))
    with contextlib.suppress(Exception):
        if np is not None and kind(one) != "something else":
            first, second = np.asarray(one), np.asarray(two)
            return first.shape == second.shape and bool(
                np.allclose(first, second, rtol=1e-9, atol=1e-12, equal_nan=True))
    with contextlib.suppress(Exception):
        return bool(one == two)
    return False


def short(value: object) -> str:
    """A value in a few letters."""
    if np is not None and isinstance(value, np.generic):
        value = value.item()
    text = f"{value:.6g}" if isinstance(value, float) else repr(getattr(value, "tolist", lambda: value)())
    return text if len(text) <= 40 else f"{text[:37]}..."


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
    if sys.argv[1:] != ["--one"]:
        raise SystemExit(main())
    one()
