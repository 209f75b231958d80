"""What is read on paper, from one build: the book, the worksheets, the cheat sheet.

Usage: python -m tools.editions.editions     (make editions builds the site first)

Needs Chromium. Says what each file weighs and how long it took (sizes.csv holds the same), and ends with status 1 for
anything clipped, dead, or asked for over the network.
"""

from __future__ import annotations

import contextlib
import copy
import csv
import shutil
import sys
import time
from pathlib import Path

import yaml

from tools.checks.browse import chromium
from tools.editions import leaves, print_book
from tools.extension import formulas, preview
from tools.kit import worksheets

NAME = "decision-aligned-uncertainty"
CHEAT_SHEET = "book/reference/cheat_sheet"
MEASURED = "book/reference/size"
LEFT_OUT = ("The record", "Teaching")  # parts that are about the website's checks, and for teachers


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

    chapters = leaves.read(site, root / "_toc.yml")
    for one in chapters:
        formulas.set_formulas(one.body)
        leaves.still(one)
    settled = copies(chapters)
    for one in settled:
        leaves.settle(one)
    dead = leaves.join(copies(chapters))
    if dead:
        raise ValueError(f"{len(dead)} links without a place, such as {dead[:5]}")
    with chromium() as browser:
        with timed("cheat-sheet.pdf") as (path, said):
            alone = [one for one in copies(settled) if one.file == CHEAT_SHEET]
            leaves.join(alone)
            said["pages"] = print_book.make_leaflet(browser, alone, site, about, path)
        with timed("worksheets.pdf") as (path, said):
            sheets = sorted((site / worksheets.TARGET).glob("*.html"))
            said["pages"] = print_book.bind(browser, sheets, about | {"title": f"{about['title']}: worksheets"}, path)
        with timed(f"{NAME}.pdf") as (path, said):
            book = [one for one in settled if one.part not in LEFT_OUT
                    and one.file != MEASURED]
            leaves.join(book)  # links to pages that paper leaves out become text
            said["pages"] = print_book.make_pdf(browser, leaves.back_matter(book), site, about, path)
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
            "picture": preview.picture().replace("#1d232b", "currentColor")}


if __name__ == "__main__":
    raise SystemExit(main())
