"""Sort what a class has handed in from the pages of the exercises, and say how it did.

Usage: python -m tools.kit.collect FOLDER [COURSE]

FOLDER has the notebooks as the pages saved them, at any depth. They are copied to
`COURSE/submitted/STUDENT/EXERCISES/EXERCISES.ipynb`, where nbgrader looks for them (COURSE is FOLDER, or the folder
`nbgrader` of a session that `make course` filled); of two files by one student the one that was written later counts.
Each is run in a process of its own, at most three minutes long, and each of its cells and tests for at most ten
seconds: with this account's rights, so use one that holds nothing of value.
"""

from __future__ import annotations

import importlib
import json
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tools.kit import exercises

ROOT = Path(__file__).resolve().parents[2]
LONGEST, EACH = 180, 10  # seconds for a file, and for a cell or a test
RUNS = "does not run"


def main(folder: Path, course: Path | None = None) -> int:
    course = course or folder
    for place in (folder, course):
        if not place.is_dir():
            print(f"there is no folder {place}", file=sys.stderr)
            return 2
    taken, refused, later = handed_in(folder)
    for line in refused:
        print(line, file=sys.stderr)
    for line in later:
        print(line)
    for (student, name), path in taken.items():
        place = course / "submitted" / student / name / f"{name}.ipynb"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)
    for name in sorted({name for _, name in taken}):
        files = {student: path for (student, other), path in taken.items() if other == name}
        said = {student: verdicts(path, name) for student, path in files.items()}
        print(f"{name}: {len(files)} handed in")
        for exercise in sorted({letter for each in said.values() for letter in each}):
            counts = Counter(each.get(exercise, RUNS) for each in said.values())
            print(f"  {exercise}: " + "; ".join(f"{words} {number}" for words, number in counts.most_common()))
        for student, each in sorted(said.items()):
            print(f"    {student}: " + ", ".join(f"{letter} {words}" for letter, words in sorted(each.items())))
    return 1 if refused else 0


def handed_in(folder: Path) -> tuple[dict[tuple[str, str], Path], list[str], list[str]]:
    """The files by student and exercises; in words what could not be taken as it is, and which one replaced another.

    A file without a name belongs to the student after whom its folder is called, or else the file.
    """
    known = {path.stem for path in exercises.files(ROOT)}
    found: dict[tuple[str, str], Path] = {}
    refused, later = [], []
    paths = [path for path in folder.rglob("*.ipynb") if path.relative_to(folder).parts[0] != "submitted"]
    for path in sorted(paths, key=lambda path: (path.stat().st_mtime, str(path))):
        try:
            notebook = json.loads(path.read_text(encoding="utf-8"))
            name = notebook["metadata"]["otter"]["assignment_name"]
            student = notebook["metadata"].get("student", "")
        except (ValueError, KeyError, TypeError, AttributeError):
            refused.append(f"{path.name}: not a file that a page of the exercises has saved")
            continue
        if name not in known:
            refused.append(f"{path.name}: there are no exercises {name!r}")
            continue
        student = re.sub(r"[^\w]+", "-", str(student).strip().lower()).strip("-")
        if not student:
            student = path.stem if path.parent == folder else path.relative_to(folder).parts[0]
            refused.append(f"{path.relative_to(folder)}: no name was given; it is taken as {student!r}")
        if (student, name) in found and found[student, name].read_bytes() != path.read_bytes():
            later.append(f"{student}, {name}: {path.name} takes the place of {found[student, name].name}")
        found[student, name] = path
    return found, refused, later


def verdicts(path: Path, name: str) -> dict[str, str]:
    """Of each exercise in words how the file does: as the page said it, each test counts, and none that did not run."""
    command = [sys.executable, "-c", "from tools.kit import collect; collect.mark()", str(path), name]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST)
        wrong = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        wrong = None
    held = exercises.checks(exercises.read(ROOT / exercises.SOURCE / f"{name}.md"))
    letters = sorted({test["exercise"] for test in held["tests"]})
    return {letter: RUNS if wrong is None else verdict(letter, held, wrong) for letter in letters}


def verdict(exercise: str, held: dict, wrong: list[str | None]) -> str:
    own = [place for place, test in enumerate(held["tests"]) if test["exercise"] == exercise]
    failed = [place for place in own if wrong[place]]
    if not failed:
        return "passes"
    alike = [one["name"] for one in held["mistakes"] if one["exercise"] == exercise and one["fails"] == failed]
    if alike:
        return f"like “{alike[0]}”"
    said = [str(wrong[place]) for place in failed]
    if exercises.ENDLESS in said:
        return exercises.ENDLESS
    return "not written" if "NotImplementedError" in said[0] else f"fails {len(failed)} of {len(own)} tests"


def mark() -> None:
    """In a process of its own: for each test nothing, or why it fails, as one line of JSON."""
    path, name = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it ends a cell; in the background a shell ignores it
    notebook = json.loads(Path(path).read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    cells = [exercises.Cell("code", "".join(cell["source"])) for cell in code
             if not cell["metadata"].get("nbgrader", {}).get("grade")]
    wanted = exercises.tests(exercises.read(ROOT / exercises.SOURCE / f"{name}.md"))
    for package in exercises.NEEDED:  # on a busy machine to import one may take as long as a cell has
        importlib.import_module(package)
    wrong = exercises.results(cells, wanted, EACH)
    print(f"\n{json.dumps(wrong)}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit("usage: python -m tools.kit.collect FOLDER [COURSE]")
    raise SystemExit(main(*map(Path, sys.argv[1:])))
