"""Build the book: execute what changed on all cores, then let Sphinx write a strict, offline site.

Usage: python -m tools.build.build_book [ROOT]

jupyter-cache runs a chapter again when its code cells change. It does not see the modules that they reach, the tables
that these name, what else is installed or the Python: a fingerprint of each page has them (`tools.build.reach`).
Outputs are also kept in the user's cache, by content, so that another clone on this machine runs what is new to it;
`make cold` leaves that out. Anything that goes wrong ends with exit status 1, now and in every later run until it is
fixed; a run that is killed leaves nothing that a later one takes for fresh. Where nothing has changed since a build
that went through, nothing is done.
The reader's own settings of IPython, matplotlib, Jupyter and the language change nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import multiprocessing
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from importlib import metadata
from pathlib import Path
from typing import Any

import nbformat
from jupyter_cache.base import CacheBundleIn
from sphinx_external_toc.parsing import parse_toc_yaml

from tools.build import check_links, downloads, kept, kernels, reach
from tools.kit import exercises, quizzes, slides, worksheets

CODE = ["pwu_lite/**/*", "packages/**/*", "requirements.txt", "pyproject.toml", "book/**/*", "*.csv"]
SITE = ["pyproject.toml", "CITATION.cff", "_config.yml", "_toc.yml", "book/_static/**/*", "book/**/*.bib",
        "book/teaching/sheets/*", "_build/live/**/*", "tools/build/**/*", "tools/extension/**/*", "tools/kit/**/*",
        "tools/live/**/*"]
PACKED = ["README.md", "LICENSE", "tools/licenses/*"]  # into what is offered for download, and into no page
NO_CODE = {".md", ".bib"}  # of pages, jupyter-cache knows the cells
# jupyter-book passes no number of jobs. Pages are read by one process: an extension that numbers them does not say that
# it may be several. What the book's own extension does while it writes a page goes into the files of that page alone.
PARALLEL = """
import functools, os
from jupyter_book import sphinx
from jupyter_book.cli.main import main
from sphinx.application import Sphinx
Sphinx.is_parallel_allowed = lambda app, kind: kind == "write"
sphinx.build_sphinx = functools.partial(sphinx.build_sphinx, jobs=(os.cpu_count() or 1) + 1)
main()
"""
LOOKS = ["book/_static/**/*", "book/teaching/sheets/*", "book/index_words.toml"]  # what changes pages, and no output


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    build = root / "_build"
    build.mkdir(exist_ok=True)
    with contextlib.closing(turn(build)):
        return build_site(root, build)


def turn(build: Path) -> sqlite3.Connection:
    """Wait until no other process builds here. The lock is the system's: it ends with the process, in whatever way."""
    lock = sqlite3.connect(build / ".turn", timeout=0, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        print("another build is under way here: waiting for it", flush=True)
        lock.execute("PRAGMA busy_timeout = 7200000")
        lock.execute("BEGIN EXCLUSIVE")
    return lock


def build_site(root: Path, build: Path) -> int:
    started, read, complete = time.time(), everything_read(root), build / ".complete"
    if complete.exists() and complete.read_text() == read + as_written(build / "html"):
        print(f"Nothing has changed since the last build. Open {build / 'html' / 'index.html'}")
        return 0
    use_own_settings(build)
    try:
        forget_what_changed(root, build)
    except OSError as error:
        print(f"cannot delete what is out of date: {error}\nThe site was NOT built: delete {build}.", file=sys.stderr)
        return 1
    if not execute(root, build / ".jupyter_cache"):
        return 1
    if changed(build / ".pages", json.dumps(pages_as_they_are(root))):
        (build / ".pages").unlink()
        print("\nThe package, or a file that chapters read, changed while they ran: build again.", file=sys.stderr)
        return 1
    if not run_sphinx(root):
        print("\nThe site was NOT built: fix the warnings above.", file=sys.stderr)
        return 1
    if (root / reach.OWN["pwu_book"]).exists():
        downloads.write(root, build / "html")
    if not make_kit(root, build / "html"):
        return 1
    if check_links.main(build / "html"):
        return 1
    complete.write_text(read + as_written(build / "html"))  # what was read before the first chapter ran
    print(f"\nBuilt in {time.time() - started:.0f} s. Open {build / 'html' / 'index.html'}\n"
          f"or run `make serve` for link previews and summaries too.")
    return 0


def use_own_settings(build: Path) -> None:
    """Empty folders in place of the reader's start-up files, styles and kernels."""
    own = build / ".settings"
    profile = own / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (own / "matplotlibrc").write_text("svg.hashsalt: book\n")  # the same drawing has the same bytes
    (profile / "ipython_kernel_config.py").write_text(
        'c.InlineBackend.figure_formats = {"svg"}\n'
        'c.InlineBackend.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None, "Creator": None}}\n')
    os.environ.update(OMP_NUM_THREADS="1", JUPYTER_PREFER_ENV_PATH="1", PYTHONHASHSEED="0", TZ="UTC", LC_ALL="C.UTF-8",
                      IPYTHONDIR=str(own / "ipython"), JUPYTER_CONFIG_DIR=str(own / "jupyter"),
                      MPLCONFIGDIR=str(own), MATPLOTLIBRC=str(own / "matplotlibrc"))
    for name in ("PYTHONSTARTUP", "PYTHONWARNINGS", "PYTHONOPTIMIZE", "MPLBACKEND"):
        os.environ.pop(name, None)


def forget_what_changed(root: Path, build: Path) -> None:
    """Delete outputs that a changed package, data file, pin, tool or setting has made stale; record the new state."""
    complete = build / ".complete"
    if not complete.exists():  # the last run failed or was killed: Sphinx must say its warnings again
        delete(build / ".doctrees")
    complete.unlink(missing_ok=True)
    site = fingerprint(root, files_like(root, SITE))
    if changed(build / ".site", site):
        for folder in ("html", ".doctrees"):
            delete(build / folder)
        (build / ".site").write_text(site)
    forget_pages(root, build)


def forget_pages(root: Path, build: Path) -> None:
    """Delete the outputs of pages whose code reaches something that has changed, and what Sphinx has read of them.

    Of pages without cells, too: they may show the package's docstrings.
    """
    record, now = build / ".pages", pages_as_they_are(root)
    before = json.loads(record.read_text()) if record.exists() else {}
    stale = {name for name, value in now["pages"].items() if before.get("pages", {}).get(name) != value}
    if before.get("root") != now["root"] or len(stale) == len(now["pages"]):
        for folder in (".jupyter_cache", "html", ".doctrees"):
            delete(build / folder)
    elif stale:
        cache = sound_cache(build / ".jupyter_cache")
        for known in cache.list_cache_records():  # of all texts that the page has had
            if known.uri in {str(root / name) for name in stale}:
                cache.remove_cache(known.pk)
        for page in documents(root):
            name = str(page.relative_to(root))
            if name in stale or name not in now["pages"]:
                (build / ".doctrees" / name).with_suffix(".doctree").unlink(missing_ok=True)
    record.write_text(json.dumps(now))


def pages_as_they_are(root: Path) -> dict[str, Any]:
    """What the record of a build holds: outputs are those of a folder, and of what each page reaches in it."""
    return {"root": str(root), "pages": page_fingerprints(root)}


def packages_from_elsewhere(root: Path) -> str:
    """Which of the packages that chapters import do not come from this checkout, in words; nothing if all do."""
    code = ("import importlib.util as u, json; "
            f"print(json.dumps({{n: s.origin for n in {tuple(reach.OWN)} if (s := u.find_spec(n))}}))")
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}  # as a kernel finds them: not from the working folder
    found = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                                      env=environment, cwd=root).stdout)
    homes = {name: (root / home).resolve() for name, home in reach.OWN.items() if (root / home).is_dir()}
    wrong = [f"{name} is imported from {Path(origin).parent}" for name, origin in found.items()
             if origin and name in homes and Path(origin).resolve().parent != homes[name]]
    return "\n".join(wrong)


def delete(folder: Path) -> None:
    """Remove a folder that may not be there; what cannot be removed is an error."""
    if folder.exists():
        shutil.rmtree(folder)


def changed(record: Path, value: str) -> bool:
    """Is it another value than the last run wrote down?"""
    return not record.exists() or record.read_text() != value


def page_fingerprints(root: Path) -> dict[str, str]:
    """What the outputs of each page with cells depend on beside these, by the page's name."""
    data = {path for path in files_like(root, ["requirements.txt", "book/**/*", "*.csv"]) if path.suffix not in NO_CODE}
    common = fingerprint(root, data - files_like(root, LOOKS)) + runs_with(root)
    reach.forget()
    found = {}
    for page in notebooks(root):
        reached = fingerprint(root, {root / file for file in reach.files(root, page.read_text())})
        found[str(page.relative_to(root))] = hashlib.sha256((common + reached).encode()).hexdigest()
    return found


def runs_with(root: Path) -> str:
    """The Python, and the versions of pinned packages. What checks of the site install on top changes no output."""
    pins = root / "requirements.txt"
    pinned = set(re.findall(r"(?m)^([\w.-]+)==", pins.read_text().lower())) if pins.exists() else set()
    return sys.version + "\n".join(sorted(f"{package.name} {package.version}" for package in metadata.distributions()
                                          if package.name.lower() in pinned))


def code_fingerprint(root: Path) -> str:
    """All that a page may show of the project's code: the deck builder, and Sphinx, do not ask by page."""
    return fingerprint(root, {path for path in files_like(root, CODE) if path.suffix not in NO_CODE}
                       - files_like(root, LOOKS)) + runs_with(root)


def everything_read(root: Path) -> str:
    """What the site is made of, pages included."""
    return code_fingerprint(root) + fingerprint(root, files_like(root, [*CODE, *SITE, *PACKED]))


def as_written(site: Path) -> str:
    """Which files the site has, how large, and when they were written."""
    found = sorted((str(path.relative_to(site)), path.stat().st_size, path.stat().st_mtime_ns)
                   for path in site.rglob("*") if path.is_file())
    return hashlib.sha256(repr(found).encode()).hexdigest()


def files_like(root: Path, patterns: list[str]) -> set[Path]:
    return {path for pattern in patterns for path in root.glob(pattern) if path.is_file() and path.suffix != ".pyc"}


def fingerprint(root: Path, files: set[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def documents(root: Path) -> list[Path]:
    """The pages of the table of contents, in its order."""
    return [root / f"{name}.md" for name in parse_toc_yaml(root / "_toc.yml")]


def notebooks(root: Path) -> list[Path]:
    return [path for path in documents(root) if "```{code-cell}" in path.read_text()]


def execute(root: Path, cache_folder: Path) -> bool:
    """Run the chapters that are not in the cache, all cores busy. False if one fails."""
    if elsewhere := packages_from_elsewhere(root):
        print(f"{elsewhere}\nThe site was NOT built: it would show another checkout's numbers. Install this one, "
              f"pip install --no-deps --no-build-isolation -e . -e packages/pwu_desk -e packages/pwu_book",
              file=sys.stderr)
        return False
    unmarked = [path for path in notebooks(root) if "file_format: mystnb" not in path.read_text()]
    for path in unmarked:
        name = path.relative_to(root)
        print(f"FAILED {name}: code cells, but no `file_format: mystnb` in the header", file=sys.stderr)
    cache = sound_cache(cache_folder)
    for record in cache.list_project_records():
        cache.remove_nb_from_project(record.pk)
    for path in notebooks(root):
        cache.add_nb_to_project(str(path), read_data={"name": "myst_nb_md", "type": "plugin"})
    prints = page_fingerprints(root)
    take_kept(root, cache, prints)
    good = run_chapters(root, cache)
    keep(root, cache, prints)
    for record in cache.list_project_records():
        if record.traceback:
            report_failure(root, record)
    return good and not unmarked and not shown_tracebacks(root, cache)


def place_of(root: Path, cache, record, prints: dict[str, str]) -> Path | None:
    """Where the outputs of a page as it stands are kept on this machine: by its cells and all that they reach."""
    name = str(Path(record.uri).relative_to(root))
    _, cells = cache.create_hashed_notebook(cache.get_project_notebook(record.pk).nb)
    return kept.place("pages", name, cells, prints[name]) if name in prints else None


def take_kept(root: Path, cache, prints: dict[str, str]) -> None:
    """Take over what an earlier build on this machine has executed."""
    found = 0
    for record in cache.list_unexecuted():
        path = place_of(root, cache, record, prints)
        try:
            executed = nbformat.reads(path.read_text(encoding="utf-8"), 4) if kept.there(path) else None
        except (OSError, ValueError):  # half a file, or none of ours: the page runs
            executed = None
        if executed is not None:
            seconds = executed.metadata.pop("execution_seconds", 0.0)
            cache.cache_notebook_bundle(CacheBundleIn(executed, record.uri, data={"execution_seconds": seconds}),
                                        check_validity=False, overwrite=True)
            found += 1
    if found:
        print(f"{found} chapters as an earlier build on this machine has run them (make cold: anew)", flush=True)


def keep(root: Path, cache, prints: dict[str, str]) -> None:
    """Keep what has been executed."""
    for record in cache.list_project_records():
        path, known = place_of(root, cache, record, prints), cache.get_cached_project_nb(record.uri)
        if known is not None and not kept.there(path):
            executed = cache.get_cache_bundle(known.pk).nb
            executed.metadata["execution_seconds"] = known.data.get("execution_seconds", 0.0)
            kept.put(path, nbformat.writes(executed))


def shown_tracebacks(root: Path, cache) -> list[str]:
    """Pages on which a traceback would be printed although no cell failed: an object that cannot show itself."""
    pages = []
    for path in notebooks(root):
        cells = cache.get_cache_bundle(cache.get_cached_project_nb(str(path)).pk).nb.cells
        outputs = [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]
        if any(output.output_type == "error" or "Traceback (most recent call last)" in output.get("text", "")
               for output in outputs):
            print(f"FAILED {path.relative_to(root)}: it shows a traceback, although no cell failed (does an object "
                  f"raise in _repr_html_ or __repr__?)", file=sys.stderr)
            pages.append(str(path))
    return pages


def sound_cache(folder: Path):
    """The cache of outputs, emptied if a killed run or a full disk has left it damaged."""
    from jupyter_cache import get_cache

    try:
        cache = get_cache(str(folder))
        for record in cache.list_cache_records():
            cache.get_cache_bundle(record.pk)
        return cache
    except Exception as error:  # whatever reading it raises: it can be made again
        print(f"the outputs kept in {folder.name} are damaged ({type(error).__name__}): all chapters run again")
        delete(folder)
        return get_cache(str(folder))


def run_chapters(root: Path, cache) -> bool:
    """One process a core, a line as soon as a chapter is done; what no kernel could run is tried once more, alone."""
    # The record has the longest pages: where they begin, no core waits for them at the end.
    waiting = sorted(cache.list_unexecuted(), key=lambda one: "record" not in Path(one.uri).parts)
    if not waiting:
        return True
    print(f"executing {len(waiting)} of {len(notebooks(root))} chapters on {os.cpu_count()} cores", flush=True)
    done = run_each(root, cache, waiting, os.cpu_count())
    again = [record for record in waiting if done[record.uri] == "NOT RUN"]
    if again:  # on a busy machine a kernel starts too late, or two of them take one port
        print(f"not run, see above; once more, one after the other: {len(again)}", flush=True)
        done.update(run_each(root, cache, again, 1))
    return set(done.values()) == {"done"}


def run_each(root: Path, cache, waiting: list, processes: int | None) -> dict[str, str]:
    """What came of each chapter: done, FAILED (a cell), NOT RUN (no kernel, or no room to keep the outputs)."""
    from jupyter_cache.executors.basic import ExecutionWorkerLocalMProc, ProcessData

    jobs = [ProcessData(record.pk, record.uri, cache, 300, False) for record in waiting]
    found = {}
    # A worker that is killed breaks this pool, and its chapters run again; multiprocessing's would wait for ever.
    with ProcessPoolExecutor(processes, initializer=begin_worker) as pool:
        running = {pool.submit(ExecutionWorkerLocalMProc(), job): job.uri for job in jobs}
        for one in as_completed(running):
            status, uri = (2, running[one]) if isinstance(one.exception(), BrokenProcessPool) else one.result()
            record = cache.get_cached_project_nb(uri) if status == 0 else None
            found[uri] = "done" if record else ["was edited while it ran; build again", "FAILED", "NOT RUN"][status]
            said = f"{record.data['execution_seconds']:.0f} s" if record else found[uri]
            print(f"  {Path(uri).relative_to(root)}: {said}", flush=True)
    return found


def begin_worker() -> None:
    """In each worker: errors go to standard error, and outputs are kept, not counted.

    jupyter-cache looks after each chapter for outputs beyond a number to keep, in two steps; what another
    process has added between them is taken for old, and deleted.
    """
    from jupyter_cache.cache.main import JupyterCacheBase

    JupyterCacheBase.truncate_caches = lambda cache: None
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    multiprocessing.get_logger().handlers = [handler]
    kernels.use()


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


def run_sphinx(root: Path, strict: Sequence[str] = ("-W", "-n", "--keep-going")) -> bool:
    """jupyter-book, strictly: warnings are errors, every reference must resolve. Pages are written on all cores."""
    command = [sys.executable, "-c", PARALLEL, "build", str(root), *strict, "-q"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-6000:], file=sys.stderr)
    return done.returncode == 0


def make_kit(root: Path, site: Path) -> bool:
    """Slides, worksheets and student notebooks, for the book that has them. False if one cannot be made."""
    try:
        slides.write(root, site)
        worksheets.write(root, site)
        exercises.publish(root, site)
        exercises.offer_pages(root, site)
        quizzes.write(root, site)
    except ValueError as error:
        print(f"{error}\nThe teaching kit was NOT made.", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    if not sys.flags.utf8_mode:  # whatever the language of the machine: files are UTF-8
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, "PYTHONUTF8": "1"})
    raise SystemExit(main())
