"""Run every cell of the road in the browser's Python, in node, and compare what it shows with the built page.

Usage: python -m tools.checks.live_check [SITE]     (make live-check)

Also the test on a platform of 32 bits, with the oldest numpy and scipy that run there: the package's doctests run, too.
Words must be the same, numbers within 1e-9 or one unit of their last printed place. A page whose notebook, modules and
tables are those of a run on this machine that agreed is not run again (PWU_BOOK_CACHE=off: all are). Cells that differ
stand in `tools/live/differs.toml` with the reason; a cell that stands there and agrees is an error, too.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from tools.build import build_book, kept

ROOT = Path(__file__).resolve().parents[2]
LIVE = ROOT / "tools" / "live"
DOCTESTS = LIVE / "doctests.py"
NUMBER = re.compile(r"[-\u2212]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
TAGS = re.compile(r"<[^>]+>")
DATA = re.compile(r'<script type="application/json"[^>]*>.*?</script>', re.S)
BESIDE = ("The record", "Teaching")  # parts whose pages take minutes
SHARE = 0.9  # of the road's cells, at least, run unchanged


def main(site: Path) -> int:
    from tools.live import fetch

    if not (site / "_static" / "live" / "site.json").exists() or fetch.missing(ROOT / "_build" / "live"):
        print("no Python for the browser: make live, then make book", file=sys.stderr)
        return 1
    paths = [site / "_sources" / f"{name}.ipynb" for name in pages(site)]
    known = tomllib.loads((LIVE / "differs.toml").read_text(encoding="utf-8"))
    problems, count, static, seconds = [], 0, 0, 0.0
    proofs = proofs_of(paths)
    agreed = {path for path, proof in proofs.items() if kept.there(proof)}
    waiting = [path for path in paths if path not in agreed]
    with ThreadPoolExecutor(2) as pool:
        jobs = [(site, waiting[::2], not kept.there(proofs[None])), (site, waiting[1::2], False)]
        rows = [row for part in pool.map(run, jobs) for row in part]
    done = {(row["notebook"], row["place"]): row for row in rows}
    for path in paths:
        page = path.relative_to(site / "_sources" / "book").with_suffix("").as_posix()
        listed, met, before = known.get(page, {}), set(), len(problems)
        for place, cell in enumerate(code_cells(path)):
            count += 1
            if "static" in cell["metadata"].get("tags", []):
                static += 1
                continue
            if path in agreed:
                continue
            row = done.get((str(path), place))
            seconds += row["seconds"] if row else 0
            differs = difference(cell, row)
            first = source(cell).strip().splitlines()[0]
            if differs and first not in listed:
                problems.append(f"{page}, cell {place + 1}, {first!r}: {differs}")
            elif differs:
                met.add(first)
        if path not in agreed:
            problems += [f"{page}: {first!r} agrees now; take it out of differs.toml" for first in set(listed) - met]
        if len(problems) == before:
            kept.put(proofs[path])
    doctests = {"count": 0, "failed": []}
    if row := done.get((str(DOCTESTS), 0)):
        doctests = json.loads(row["shown"][0]["text"]) if not row["error"] else {
            "count": 0, "failed": [f"doctests: {row['error']['words']}"]}
    problems += doctests["failed"]
    if not doctests["failed"]:
        kept.put(proofs[None])
    unlike = static + sum(map(len, known.values()))
    if unlike > (1 - SHARE) * count:
        problems.append(f"{unlike} of {count} cells do not run unchanged")
    print("\n".join(problems), file=sys.stderr)
    print(f"{count} cells of {len(paths)} pages in {seconds:.0f} s ({len(agreed)} pages were run here before): "
          f"{count - unlike} as printed, {static} static, {unlike - static} listed; {doctests['count']} lines of "
          f"docstrings, {len(doctests['failed'])} modules differ; {len(problems)} problems")
    from tools.checks import hands_check  # it needs a browser

    return bool(problems) | hands_check.main()


def proofs_of(paths: list[Path]) -> dict[Path | None, Path | None]:
    """For each notebook, and for the doctests (None), the file that stands for a run that agreed."""
    tools = [path.read_bytes() for path in (Path(__file__), *sorted(LIVE.iterdir())) if path.is_file()]
    prints = build_book.page_fingerprints(ROOT)
    proofs: dict[Path | None, Path | None] = {}
    for path in paths:
        page = "book/" + path.as_posix().rpartition("/_sources/book/")[2].removesuffix(".ipynb") + ".md"
        proofs[path] = kept.place("live-check", page, prints[page], path.read_bytes(), *tools)
    proofs[None] = kept.place("live-check", build_book.code_fingerprint(ROOT), *tools)
    return proofs


def pages(site: Path) -> list[str]:
    """The pages with code on the road and in the reference, in the order of the book."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    names = [chapter["file"] for part in toc["parts"] if part["caption"] not in BESIDE
             for chapter in part["chapters"]]
    return [name for name in names if (site / "_sources" / f"{name}.ipynb").exists()]


def run(job: tuple[Path, list[Path], bool]) -> list[dict]:
    """What node says of these notebooks; the doctests in one of the processes."""
    site, paths, doctests = job
    files = [*paths, *([DOCTESTS] if doctests else [])]
    if not files:
        return []
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results")
        command = ["node", str(LIVE / "pages.mjs"), str(site), str(results), *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        if done.returncode:
            raise SystemExit(f"node ended with {done.returncode}: {done.stderr[-2000:]}")
        return [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]


def code_cells(path: Path) -> list[dict]:
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def source(cell: dict) -> str:
    return "".join(cell["source"])


def difference(cell: dict, row: dict | None) -> str:
    """How what the cell shows differs from what the page has; nothing if it does not."""
    if row is None:
        return "it was not run"
    if row["error"] and "raises-exception" not in cell["metadata"].get("tags", []):
        return f"{row['error']['words']} (line {row['error']['line']})"
    return next(apart(list(printed(cell)), [(one["kind"], one["text"]) for one in row["shown"]]), "")


def printed(cell: dict) -> Iterator[tuple[str, str]]:
    """The page's outputs, in the words of `cell.py`."""
    said = "".join("".join(one["text"]) for one in cell["outputs"] if one["output_type"] == "stream")
    if said:
        yield "text", said
    for one in cell["outputs"]:
        data = {kind: "".join(text) for kind, text in one.get("data", {}).items()}
        for mime, kind in [("text/html", "html"), ("image/svg+xml", "drawing"), ("text/markdown", "text"),
                           ("text/latex", "latex"), ("text/plain", "value")]:
            if mime in data:
                yield kind, data[mime]
                break


def apart(expected: list[tuple[str, str]], found: list[tuple[str, str]]) -> Iterator[str]:
    """Differences between outputs, one by one: kinds, words, numbers."""
    if [kind for kind, _ in expected] != [kind for kind, _ in found]:
        yield f"shows {[kind for kind, _ in found]}, not {[kind for kind, _ in expected]}"
        return
    for (kind, ours), (_, theirs) in zip(expected, found, strict=True):
        if kind == "drawing":
            continue
        ours, theirs = (in_words(text) if kind == "html" else text for text in (ours, theirs))
        words = [" ".join(NUMBER.sub("#", text).split()) for text in (ours, theirs)]
        if words[0] != words[1]:
            place = next((k for k, (a, b) in enumerate(zip(*words, strict=False)) if a != b), 0)
            yield f"{words[1][place:place + 60]!r}, not {words[0][place:place + 60]!r}"
        for a, b in zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=False):
            if not close(a, b):
                yield f"{b}, not {a}"


def in_words(html: str) -> str:
    """Without its tags; in an instrument's data a comma stands between two numbers, not within one."""
    return TAGS.sub(" ", DATA.sub(lambda data: data[0].replace(",", " , "), html))


def close(a: str, b: str) -> bool:
    """Within 1e-9, or one unit of the last place that is printed."""
    x, y = (float(text.replace(",", "").replace("\u2212", "-")) for text in (a, b))
    shown = a.replace(",", "").partition("e")
    digits = len(shown[0].partition(".")[2])
    unit = 10.0 ** (-digits + int(shown[2] or 0)) if digits else 0.0
    return abs(x - y) <= max(1e-9 * max(1.0, abs(x)), 1.0001 * unit)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "_build/html")))
