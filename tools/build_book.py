"""Build the book: execute what changed on all cores, then let Sphinx write a strict, offline site.

Usage: python tools/build_book.py [ROOT]

jupyter-cache looks at code cells alone, so this script empties it when the package, the pins,
the Python or a data file changes. Anything that goes wrong ends with exit status 1, now and in
every later run until it is mended.
"""

from __future__ import annotations

import hashlib
import logging
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import check_links

CODE = ["pwu_lite/**/*.py", "pwu_lite/*.js", "pwu_lite/*.css", "requirements.txt",
        "pyproject.toml", "book/**/*.csv", "book/**/*.csv.gz", "book/**/*.json"]
SITE = ["tools/*.py", "_config.yml", "_toc.yml", "book/_static/**/*", "book/**/*.bib"]


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    build = root / "_build"
    started = time.time()
    os.environ.update(OMP_NUM_THREADS="1", JUPYTER_PREFER_ENV_PATH="1", PYTHONHASHSEED="0")
    forget_what_changed(root, build)
    if not execute(root, build / ".jupyter_cache"):
        return 1
    if not run_sphinx(root):
        print("\nThe site was NOT built: mend the warnings above.", file=sys.stderr)
        return 1
    if check_links.main(build / "html"):
        return 1
    (build / ".complete").write_text("the last build went through\n")
    print(f"\nBuilt in {time.time() - started:.0f} s. Open {build / 'html' / 'index.html'}\n"
          f"or run `make serve` for link previews and summaries too.")
    return 0


def forget_what_changed(root: Path, build: Path) -> None:
    """Remove outputs that a changed package, pin, tool or setting has made stale."""
    build.mkdir(exist_ok=True)
    complete = build / ".complete"
    if not complete.exists():  # the last run failed or was killed: Sphinx must say its warnings again
        shutil.rmtree(build / ".doctrees", ignore_errors=True)
    complete.unlink(missing_ok=True)
    if changed(build / ".code", fingerprint(root, CODE) + sys.version):
        shutil.rmtree(build / ".jupyter_cache", ignore_errors=True)
        forget_pages(build)
    if changed(build / ".site", fingerprint(root, SITE)):
        forget_pages(build)


def forget_pages(build: Path) -> None:
    for folder in ("html", ".doctrees"):
        shutil.rmtree(build / folder, ignore_errors=True)


def changed(record: Path, value: str) -> bool:
    """Compare with what the last run wrote down, and write down the new value."""
    before = record.read_text() if record.exists() else None
    record.write_text(value)
    return before != value


def fingerprint(root: Path, patterns: list[str]) -> str:
    digest = hashlib.sha256()
    for path in sorted({p for pattern in patterns for p in root.glob(pattern) if p.is_file()}):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def documents(root: Path) -> list[Path]:
    """The pages of the table of contents, in its order."""
    text = (root / "_toc.yml").read_text()
    return [root / f"{name}.md" for name in re.findall(r"(?:root|file):\s*(\S+)", text)]


def notebooks(root: Path) -> list[Path]:
    return [path for path in documents(root) if "```{code-cell}" in path.read_text()]


def execute(root: Path, cache_folder: Path) -> bool:
    """Run the chapters that are not in the cache, all cores busy. False if one fails."""
    from jupyter_cache import get_cache

    unmarked = [path for path in notebooks(root) if "file_format: mystnb" not in path.read_text()]
    for path in unmarked:
        name = path.relative_to(root)
        print(f"FAILED {name}: code cells, but no `file_format: mystnb` in the header", file=sys.stderr)
    cache = get_cache(str(cache_folder))
    for record in cache.list_project_records():
        cache.remove_nb_from_project(record.pk)
    for path in notebooks(root):
        cache.add_nb_to_project(str(path), read_data={"name": "myst_nb_md", "type": "plugin"})
    good = run_chapters(root, cache)
    for record in cache.list_project_records():
        if record.traceback:
            report_failure(root, record)
    return good and not unmarked


def run_chapters(root: Path, cache) -> bool:
    """One process a core; a line as soon as a chapter is done."""
    from jupyter_cache.executors.basic import ExecutionWorkerLocalMProc, ProcessData

    multiprocessing.get_logger().addHandler(logging.NullHandler())
    jobs = [ProcessData(record.pk, record.uri, cache, 300, False) for record in cache.list_unexecuted()]
    if not jobs:
        return True
    print(f"executing {len(jobs)} of {len(notebooks(root))} chapters on {os.cpu_count()} cores", flush=True)
    good = True
    with multiprocessing.Pool() as pool:
        for status, uri in pool.imap_unordered(ExecutionWorkerLocalMProc(), jobs):
            record = cache.get_cached_project_nb(uri) if status == 0 else None
            seconds = f"{record.data['execution_seconds']:.0f} s" if record else "FAILED" if status else (
                "was edited while it ran; build again")
            print(f"  {Path(uri).relative_to(root)}: {seconds}", flush=True)
            good = good and record is not None
    return good


def report_failure(root: Path, record) -> None:
    """Say which page and which cell, with the end of its traceback."""
    page = Path(record.uri)
    text = re.sub(r"\x1b\[[0-9;]*m", "", record.traceback)
    cell = re.search(r"-{10,}\n(.*?)\n-{10,}", text, re.S)
    source = cell.group(1) if cell else ""
    cells = re.findall(r"```\{code-cell\}[^\n]*\n(.*?)```", page.read_text(), re.S)
    number = next((i for i, body in enumerate(cells, 1) if source.strip() in body), "?")
    tail = "\n".join(text.strip().splitlines()[-4:])
    print(f"\nFAILED {page.relative_to(root)}, code cell {number}:\n\n{source}\n\n{tail}\n", file=sys.stderr)


def run_sphinx(root: Path) -> bool:
    """jupyter-book, strictly: warnings are errors, every reference must resolve."""
    code = "from jupyter_book.cli.main import main; main()"
    options = ["-W", "-n", "--keep-going", "-q"]
    command = [sys.executable, "-c", code, "build", str(root), *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(
        filter(None, [str(root / "tools"), os.environ.get("PYTHONPATH", "")]))}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-6000:], file=sys.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    raise SystemExit(main())
