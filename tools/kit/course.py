"""One folder for one session: slides, worksheets, notebooks to hand out, questions, answers.

Usage: python -m tools.kit.course [seminar|week|seminar-2026] NUMBER [ADDRESS]
       (make course WEEK=1, or SESSION=1 of the week; ADDRESS=https://... where your students find the site)

What a session has stands in its row of the plan, in book/teaching/plans.yml: decks, worksheets, chapters. The
folder, `_build/course/`, is made from the built site. Slides and worksheets are printed by Chromium or Chrome, if there
is one.
"""

from __future__ import annotations

import contextlib
import html
import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import nbformat
from bs4 import BeautifulSoup
from sphinx_external_toc.parsing import parse_toc_yaml

from tools.extension import formulas
from tools.kit import exercises, plans, quizzes, worksheets

ROOM = "book/teaching/room"  # where a class works without a notebook
WORKSHEETS, NUMBERS = "book/teaching/worksheets", "one two three four five six seven eight nine".split()
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")


class Session(NamedTuple):
    """A row of a plan: its name, decks by name, worksheets by number, pages that are read, pages that are worked on."""

    name: str
    decks: list[str]
    sheets: list[str]
    pages: list[str]
    worked: list[str]


def session(root: Path, plan: str, number: int) -> Session:
    """What the plan has for a session. Raises ValueError where it has no such session."""
    known = plans.read(root)["sessions"]
    if plan not in known:
        raise ValueError(f"the plans are {', '.join(known)}, not {plan}")
    if not 1 <= number <= len(known[plan]["rows"]):
        raise ValueError(f"the {plan} has the sessions 1 to {len(known[plan]['rows'])}, not {number}")
    row = known[plan]["rows"][number - 1]
    text = " ".join(cell for cell in row.values() if isinstance(cell, str))
    read = _pages(root, re.findall(r"<([\w-]+)>", text))
    pages = [page for page in read if not page.startswith("book/teaching/")]
    worked = _pages(root, row["exercises"]) if "exercises" in row else read
    decks = list(dict.fromkeys(one.deck for one in plans.of_session(root, plan, row)))
    sheets = [str(plans.sheet(root, name)) for name in re.findall(r"\{sheet\}`(.*?)`", text)]
    return Session(f"{plan}-{number}", decks, sheets, pages, worked)


def _pages(root: Path, labels: list[str]) -> list[str]:
    """The pages that have these labels, in the order of the book."""
    targets = [f"({label})=" for label in labels]
    return [page for page in parse_toc_yaml(root / "_toc.yml")
            if any(target in (root / f"{page}.md").read_text(encoding="utf-8") for target in targets)]


def pack(root: Path, site: Path, found: Session, target: Path, address: str = "") -> list[str]:
    """The folder of a session; what could not be made, in words.

    With the address of a site the decks end in a slide for each exercise of the session, its link as a code to scan.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    printed = []
    for deck in found.decks:
        slides = (site / "slides" / f"{deck}.html").read_text(encoding="utf-8")
        slides = slides.replace("<html", f'<html data-plan="{found.name}"', 1)  # what it opens with
        if address and deck == found.decks[0]:
            slides = slides.replace("</main>", f"{turns(root, site, found, address)}</main>")
        (target / f"slides-{deck}.html").write_text(slides, encoding="utf-8")
        printed.append((f"slides-{deck}", f"?{found.name}&first"))
    for number in found.sheets:
        shutil.copy(site / "worksheets" / f"{number}.html", target / f"worksheet-{number}.html")
        printed.append((f"worksheet-{number}", ""))
    every = quizzes.questions(root, site)
    asked = [question for question in every if f"book/{question.page}" in found.pages]
    asked += votes(root, every, found.name)
    solved = "".join(of_sheet(site, number) for number in found.sheets)
    if asked or solved:
        if asked:
            quizzes.bundle(asked, target / "questions.zip")
        page = worksheets.sheet(f"<h1>Answers</h1>{solved}{answers(root, asked)}", site, named=False)
        (target / "answers.html").write_text(page, encoding="utf-8")
        printed.append(("answers", ""))
    for page, path in exercises.chapters(root).items():
        if page in found.worked:
            _notebooks(path, target)
    if (target / "nbgrader").exists():
        (target / "nbgrader" / "nbgrader_config.py").write_text(exercises.CONFIG)
    return to_pdf(target, printed)


def turns(root: Path, site: Path, found: Session, address: str) -> str:
    """A slide for each page on which a class works in this session: its address, to scan and to type.

    Raises ValueError for a page that the site does not have.
    """
    import segno  # installed with the browser's checks: tools/requirements/site.txt

    chapters, slides = exercises.chapters(root), []
    for page in found.worked:
        if page not in chapters and page != ROOM:
            continue
        place = f"exercises/{chapters[page].stem}.html" if page in chapters else f"{page}.html"
        if not (site / place).exists():
            raise ValueError(f"the site has no {place}, so there is nothing to scan: make live, make book, or leave "
                             "out ADDRESS")
        link = f"{re.sub('/?(index.html)?$', '', address)}/{place}"
        code = segno.make(link, error="m").svg_inline(scale=9, light="#fff", border=4)
        slides.append(f'<section class="slide" id="turn-{Path(place).stem}" aria-label="exercises"><h2>Your turn: '
                      f'{html.escape(title(root, page))}</h2><div role="img" aria-label="{html.escape(link)} as a code '
                      f'to scan">{code}</div><p>{html.escape(link)}</p><div class="notes">They scan the code, or type '
                      'the address. The page needs a browser and no installation.</div><div class="foot"></div>'
                      "</section>")
    return "".join(slides)


def title(root: Path, page: str) -> str:
    """What a page is called."""
    return re.search(r"(?m)^# (.*)$", (root / f"{page}.md").read_text(encoding="utf-8"))[1]


def _notebooks(path: Path, target: Path) -> None:
    """The exercises of a chapter: to hand out, as a source of nbgrader, and solved."""
    cells = exercises.read(path)
    for place, made in ((f"hand-out/{path.stem}", exercises.release(cells, path.stem)),
                        (f"nbgrader/source/{path.stem}/{path.stem}", exercises.for_nbgrader(cells)),
                        (f"keep/{path.stem}", exercises.executed(exercises.solution(cells)))):
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, target / f"{place}.ipynb")


def answers(root: Path, asked: list[quizzes.Question]) -> str:
    """Every question with its picture, its right answer and all reasons, by chapter; formulas between dollars."""
    parts = []
    for page, group in itertools.groupby(enumerate(asked, 1), lambda numbered: numbered[1].page):
        parts.append(f"<h2>{html.escape(title(root, f'book/{page}'))}</h2>")
        for number, question in group:
            lines = "".join(f"<li>{'<b>Right.</b> ' if right else ''}{_line(said)} <em>{_line(why)}</em></li>"
                            for right, said, why in question.answers)
            drawn = question.picture.svg if question.picture else ""
            parts.append(f"{drawn}<p><b>{number}.</b> {_line(question.asked)}</p><ol>{lines}</ol>")
    return "".join(parts)


def votes(root: Path, every: list[quizzes.Question], name: str) -> list[quizzes.Question]:
    """The questions to vote on that stand under a session's name on the page of worksheets."""
    before, _, rest = (root / f"{WORKSHEETS}.md").read_text(encoding="utf-8").partition(f"(vote-{name})=")
    first, own = (text.count("```{quiz} ") for text in (before, rest.partition("\n(")[0]))
    return [question for question in every if f"book/{question.page}" == WORKSHEETS][first:first + own]


def of_sheet(site: Path, number: str) -> str:
    """The computed answers to a worksheet: what its page says, from "Sheet three" to the next sheet."""
    page = BeautifulSoup((site / f"{WORKSHEETS}.html").read_text(encoding="utf-8"), "html.parser")
    formulas.set_formulas(page)
    for tag in page.select("script, button, svg, summary, details:not(.aside), .cell_input"):
        tag.decompose()
    parts: dict[str, str] = {}
    for tag in page.select_one("details.aside").find_all(recursive=False):
        begun = re.match(r"Sheet (\w+)", tag.get_text().strip())
        place = begun[1] if begun and tag.name == "p" else next(reversed(parts), "")
        parts[place] = parts.get(place, "") + str(tag)
    return f"<h2>Worksheet {number}</h2>{parts[NUMBERS[int(number) - 1]]}"


def _line(text: str) -> str:
    return quizzes.as_html(text).replace(r"\(", "$").replace(r"\)", "$")


def to_pdf(target: Path, names: list[tuple[str, str]]) -> list[str]:
    """Print pages of a folder; a sentence for each that was not printed."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return ["No Chromium or Chrome was found: open slides and worksheets and print them to a file. "
                "In slides, the key A hides the answers first."]
    missing = []
    for name, how in names:
        made = target / f"{name}.pdf"
        with contextlib.suppress(subprocess.TimeoutExpired):  # said below, as any other page that is not there
            subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                            f"--print-to-pdf={made}", f"{(target / f'{name}.html').resolve().as_uri()}{how}"],
                           capture_output=True, check=False, timeout=120)
        if not made.exists():
            missing.append(f"{made.name} could not be printed by {browser}.")
    return missing


def main() -> None:
    given = sys.argv[1:]
    address = "" if not given or re.fullmatch(r"\d+", given[-1]) else given.pop()
    if address and not re.match("https?://", address):
        raise SystemExit(f"the address of a site begins with https://, got {address!r}")
    if not given or not re.fullmatch(r"\d+", given[-1]):
        raise SystemExit("say which session: make course WEEK=1, or SESSION=1 of the week")
    plan, number = ["seminar", *given][-2:]
    root = Path(__file__).resolve().parents[2]
    site = root / "_build" / "html"
    if not (site / "slides").exists():
        raise SystemExit("the book is not built: make book")
    target = root / "_build" / "course" / f"{plan}-{int(number):02d}"
    try:
        for sentence in pack(root, site, session(root, plan, int(number)), target, address):
            print(sentence)
    except ValueError as error:
        raise SystemExit(str(error)) from None
    if not any(target.iterdir()):
        raise SystemExit(f"session {number} of the {plan} needs nothing but the room")
    print(f"{target}: {', '.join(sorted(path.name for path in target.iterdir()))}")


if __name__ == "__main__":
    main()
