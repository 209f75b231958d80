"""The built pages as leaves of one book: in the order of the contents, for paper.

Everything here starts from `_build/html`, so an edition says what the site says. `read` gives the leaves,
`settle` makes one fit for paper (nothing to click), `join` turns links between pages into links inside one file.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml
from bs4 import BeautifulSoup, Tag

from tools.extension import page_body

LEFT_OUT = ("book/reference/api",)  # functions' own texts
CLICKED = "a.headerlink, .bench, button, script, .prev-next-area, .toctree-wrapper, .sidebar-title:empty"
MOVES = "On the book's website this picture moves; the text beside it speaks of that one."
FACES = [("Book Serif", "normal", "book-serif"), ("Book Serif", "italic", "book-serif-italic"),
         ("Book Sans", "normal", "book-sans")]


@dataclass
class Leaf:
    """One page: where it is on the site, the part it belongs to, its title and what it says."""

    file: str
    part: str
    title: str
    body: Tag
    soup: BeautifulSoup

    @property
    def key(self) -> str:
        return self.file.removeprefix("book/").replace("/", "-")


def read(site: Path, toc: Path) -> list[Leaf]:
    """All pages of the table of contents but those left out."""
    contents = yaml.safe_load(toc.read_text())
    return [leaf(site, contents["root"], ""),
            *(leaf(site, chapter["file"], part["caption"]) for part in contents["parts"]
              for chapter in part["chapters"] if not chapter["file"].startswith(LEFT_OUT))]


def leaf(site: Path, file: str, part: str) -> Leaf:
    soup = BeautifulSoup((site / f"{file}.html").read_text(encoding="utf-8"), "html.parser")
    body = soup.select_one("article.bd-article")
    for tag in body.select(CLICKED):
        tag.decompose()
    for tag in body.select("[id='proof-content'], [id='solution-content'], [id='exercise-content']"):
        del tag["id"]  # the theme gives every box the same
    title = " ".join(body.h1.get_text().split())
    return Leaf(file, part, title, body, soup)


def still(leaf: Leaf) -> None:
    """What moves by scripts becomes its picture; the styles of notebooks' outputs go."""
    for box in leaf.body.select(".operated"):
        picture = box.select_one(".steps") or box.select_one("svg.wide")
        note = leaf.soup.new_tag("p", attrs={"class": "moves"}, string=MOVES)
        if picture is None:
            box.replace_with(note)
            continue
        kept = leaf.soup.new_tag("div", attrs={"class": "instrument"})
        kept.append(leaf.soup.new_tag("div", attrs={"class": "views"}))
        kept.div.append(picture.extract())
        box.replace_with(kept, note)
    for summary in leaf.body.select("details.hide > summary"):
        summary.string = "Show the code"
    for tag in leaf.body.select(".web, .panels, .short-path > input, #the-same-on-paper, style"):
        tag.decompose()  # what the website alone can do
    for switch in leaf.body.select("label.short-path"):
        switch.name, switch.attrs = "strong", {}


def settle(leaf: Leaf) -> None:
    """For paper: boxes open, checks one line each (with their code in a solution), a quiz with its reasons."""
    soup = leaf.soup
    for solution in leaf.body.select("details.solution"):
        solution.name, solution["class"] = "div", ["solution", "admonition"]
        solution.summary["class"], solution.summary.name = ["admonition-title"], "p"
    for gathered in leaf.body.select("details.check.all"):
        head = soup.new_tag("p", attrs={"class": "check"})
        head.extend(list(gathered.summary.contents))
        gathered.replace_with(head, *gathered.find_all("details", recursive=False))
    for folded in leaf.body.select("details.check, details.fold:not(.code)"):
        if "check" not in folded["class"] or folded.summary.get_text().endswith(page_body.ANSWERS):
            folded.decompose()  # what a page prepares, and where the answers to its questions were computed
            continue
        line = soup.new_tag("p", attrs={"class": "check"})
        line.extend(list(folded.summary.contents))
        code = folded.select("div.cell_input") if folded.find_parent(class_="solution") else []
        folded.replace_with(line, *code)
    for hidden in leaf.body.select("details.hide"):
        hidden.decompose()
    for code in leaf.body.select("details.code"):
        code.summary.decompose()
        code.unwrap()
    for aside in leaf.body.select("details"):
        words = aside.summary.get_text().strip()
        aside.summary.replace_with(soup.new_tag("p", attrs={"class": "aside-title"}, string=words))
        aside.attrs, aside.name = {"class": ["aside"]}, "div"
    for paragraph in leaf.body.select("section > p"):
        if re.match(r"Next\b\s*:", paragraph.get_text().strip()):  # on paper the next page is the next
            paragraph.decompose()
    for title in leaf.body.select(".admonition-title"):
        if title.get_text() == "On this page":
            title.string = "In this chapter"
    for leads in leaf.body.select(page_body.NEXT):
        for item in leads.select("li"):
            if item.get_text().startswith("Next chapter"):
                item.decompose()
        leads.h2.decompose()
    put_answers_last(leaf)
    for table in leaf.body.select("table"):
        if len(table.select("tr")) <= 12:
            table["class"] = [*table.get("class", []), "short"]
    for empty in leaf.body.select("div.cell"):
        if not empty.get_text().strip() and not empty.find(["svg", "img"]):
            empty.decompose()


def put_answers_last(leaf: Leaf) -> None:
    """On paper nothing folds: which answers are right, and the solutions, stand at the end of the page."""
    soup = leaf.soup
    last = soup.new_tag("section", attrs={"class": "answers"})
    last.append(soup.new_tag("h2", string="Answers and solutions"))
    for number, box in enumerate(leaf.body.select("fieldset.quiz"), 1):
        box.name = "div"
        box.legend["class"], box.legend.name = ["legend"], "p"
        box.select_one(".legend").insert(0, f"{number}. ")
        told = soup.new_tag("p", string=f"Question {number}.")
        for letter, label in zip("ABCDE", box.select("label"), strict=False):
            label.input.replace_with(soup.new_tag("b", string=f"{letter} "))
            told.extend([f" {letter}: ", *label.select_one(".why").extract().contents])
            label.name, label["class"] = "div", ["answer-line"]
        last.append(told)
    for solution in leaf.body.select("div.solution"):
        last.append(solution.extract())
    if last.find(["p", "div"]):
        leaf.body.append(last)


def back_matter(leaves: list[Leaf]) -> list[Leaf]:
    """The leaves of a printed book, joined already, with all answers in a leaf of their own before the reference."""
    soup = BeautifulSoup('<article id="answers"><h1>Answers and solutions</h1></article>', "html.parser")
    end = Leaf("book/answers", "To end", "Answers and solutions", soup.article, soup)
    for one in leaves:
        section = one.body.select_one("section.answers")
        if section is not None:
            section.h2.string = one.title
            end.body.append(section.extract())
    place = next((place for place, one in enumerate(leaves) if one.part == "Reference"), len(leaves))
    return [*leaves[:place], end, *leaves[place:]] if end.body.select("section") else leaves


def point(leaves: list[Leaf], address: Callable[[Leaf, str], str]) -> list[str]:
    """Let links between leaves go where `address(leaf, anchor)` says; what leads elsewhere on the site loses its link.

    Returns links whose anchor does not exist.
    """
    by_file = {one.file: one for one in leaves}
    anchors = {one.file: {tag["id"] for tag in one.body.select("[id]")} for one in leaves}
    dead = []
    for here in leaves:
        for link in here.body.select("a[href]"):
            href = link["href"]
            if re.match(r"(https?|mailto):", href):
                continue
            path, _, anchor = href.partition("#")
            file = posixpath.normpath(posixpath.join(posixpath.dirname(here.file), path)) if path else here.file
            there = by_file.get(file.removesuffix(".html"))
            if there is None or link.get("download") is not None or "=" in anchor:  # a state, such as a formula's
                link.name, link.attrs = "span", {}
                continue
            if anchor and anchor not in anchors[there.file]:
                dead.append(f"{here.file}: {href}")
            link["href"] = address(there, anchor)
    return dead


def name_ids(leaf: Leaf) -> None:
    """Ids that are one page's own among all pages of a file."""
    for tag in leaf.body.select("[id]"):
        tag["id"] = f"{leaf.key}--{tag['id']}"
    for tag in leaf.body.select("input[name]"):
        tag["name"] = f"{leaf.key}--{tag['name']}"
    for tag in leaf.body.select("svg *"):
        for name, value in list(tag.attrs.items()):
            if isinstance(value, str) and ("url(#" in value or (name.endswith("href") and value.startswith("#"))):
                tag[name] = re.sub(r"(url\(#|^#)", rf"\1{leaf.key}--", value)


def join(leaves: list[Leaf]) -> list[str]:
    """All leaves in one file: links and ids of their own; dead links."""
    dead = point(leaves, lambda there, anchor: f"#{there.key}--{anchor}" if anchor else f"#{there.key}")
    for one in leaves:
        name_ids(one)
        one.body["id"] = one.key
    return dead
