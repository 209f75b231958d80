"""Turn the content of each row of the claims ledger round, and see its test fail.

Usage: python -m tools.checks.flips [PART OF A ROW'S NAME ...]

A flip (tests/book/flips.yml) is a small change of the package, of a test's example or of a table, made
in a copy of the project; under it the test that the row names must fail by an assertion. Without the
change it must pass. Writes packages/pwu_book/tables/flips.csv when all rows are run; its last line says how many
rows are guarded, and by a change of what: of the code that a user runs, of the example that a test makes (which shows
that its assertion holds the statement, not that it guards the code), or of a stored table. Exit status 1 if fewer than
nine in ten are, or a flip does not fit the code any more.
"""

from __future__ import annotations

import csv
import importlib
import io
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing import get_context
from pathlib import Path

import yaml

from tools.build import reach

ROOT = Path(__file__).resolve().parents[2]
LEDGER, RECORD = ROOT / reach.TABLES / "claims.csv", ROOT / reach.TABLES / "flips.csv"
FLIPS = ROOT / "tests" / "book" / "flips.yml"
COPIED = ("pwu_lite", "packages", "tests", "tools", "pyproject.toml")


class Result:
    """What made the tests fail, for pytest to fill in."""

    def __init__(self):
        self.passed, self.kinds = 0, []

    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None:
            self.kinds.append(call.excinfo.type.__name__)
        elif call.when == "call":
            self.passed += 1


def main() -> int:
    flips = {row: flip for flip in yaml.safe_load(FLIPS.read_text(encoding="utf-8")) for row in flip["rows"]}
    rows = list(csv.DictReader(LEDGER.open(encoding="utf-8")))
    names = [f"{row['source']}: {row['number']}" for row in rows]
    unknown = sorted(set(flips) - set(names))
    if unknown:
        sys.exit(f"flips of rows that do not exist: {', '.join(unknown)}")
    wanted = [part.lower() for part in sys.argv[1:]]
    chosen = [(name, row["test"], flips.get(name)) for name, row in zip(names, rows, strict=True)
              if not wanted or any(part in name.lower() for part in wanted)]
    warm_up()
    started = time.time()
    unchanged = {(test, ""): (test, None) for _, test, _ in chosen}
    changed = {(test, str(flip)): (test, flip) for _, test, flip in chosen if flip}  # rows share tests and changes
    jobs = unchanged | changed
    with get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        outcome = dict(zip(jobs, pool.imap(run, jobs.values(), chunksize=1), strict=True))
    verdicts = [judge(name, flip, outcome[test, ""], outcome[test, str(flip)] if flip else "")
                for name, test, flip in chosen]
    of = Counter(kind for _, verdict, kind, _ in verdicts if verdict == "guarded")
    guarded = sum(of.values())
    if not wanted:
        with RECORD.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("row", "verdict", "of", "change"), *verdicts])
    broken = any(verdict in ("does not fit", "test fails without it") for _, verdict, _, _ in verdicts)
    print(f"{time.time() - started:.0f} s on {os.cpu_count()} cores")
    print(f"{guarded} of {len(verdicts)} rows guarded, by a change of "
          + ", ".join(f"the {kind} {number}" for kind, number in sorted(of.items())), flush=True)
    return int(broken or guarded < 0.9 * len(verdicts))


def kind_of(flip: Mapping | None) -> str:
    """What a flip changes: the code, the example that a test makes, or a table."""
    file = "" if flip is None else flip["file"]
    return "" if not file else "example" if file.startswith("tests/") else "code" if file.endswith(".py") else "table"


def judge(name: str, flip: Mapping | None, without: str, under: str) -> tuple[str, str, str, str]:
    """One row's verdict, printed."""
    if flip is None:
        verdict, words = "no flip", "none written"
    elif without != "passes":
        verdict, words = "test fails without it", without
    else:
        known = {"passes": "not guarded", "does not fit": "does not fit"}
        verdict = known.get(under, "guarded" if under.startswith("fails by") else "error")
        words = flip["words"] if verdict == "guarded" else f"{flip['words']} ({under})"
    print(f"{verdict:>12}  {name}: {words}", flush=True)
    return name, verdict, kind_of(flip), words


def warm_up() -> None:
    """What every test imports, once, before the workers are forked."""
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in ("hypothesis.extra.numpy", "matplotlib.pyplot", "pandas", "pytest", "scipy.integrate", "scipy.optimize",
                 "scipy.stats", "sklearn.ensemble", "sklearn.metrics", "sympy"):
        importlib.import_module(name)


def run(job) -> str:
    """A row's test in a copy of the project, with its change or without: "passes", "fails by ...", or what is wrong."""
    import pytest

    test, flip = job
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        lay_out(copy)
        if flip is not None:
            path = copy / flip["file"]
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            if text.count(flip["old"]) != 1:
                return "does not fit"
            path.write_text(text.replace(flip["old"], flip["new"]), encoding="utf-8")
        os.chdir(copy)
        for name in [name for name in sys.modules if name.split(".")[0] in (*reach.OWN, "tests")]:
            del sys.modules[name]
        sys.path[:] = [folder, str(copy / "packages"), *(path for path in sys.path if path != str(ROOT))]
        result, output = Result(), io.StringIO()
        with redirect_stdout(output), redirect_stderr(output):
            code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-W",
                                "ignore::pytest.PytestAssertRewriteWarning", f"--rootdir={folder}", test],
                               plugins=[result])
        imported = sys.modules.get("pwu_lite")
        assert imported is None or Path(imported.__file__).is_relative_to(copy), "the copy is not what is imported"
    if code == 0:
        return "passes" if result.passed else "is skipped"
    if code == 1 and result.kinds:
        kind = result.kinds[-1]
        good = kind in ("AssertionError", "Failed", "NotAligned")
        return f"fails by {kind}" if good else f"{kind}, not an assertion"
    return f"pytest ends with {int(code)}: {output.getvalue().strip().splitlines()[-1:]}"


def lay_out(copy: Path) -> None:
    """The project: code and tables copied, everything else a link."""
    (copy / "book").symlink_to(ROOT / "book")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / name)


if __name__ == "__main__":
    raise SystemExit(main())
