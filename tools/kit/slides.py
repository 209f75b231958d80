"""A deck of slides from each built page book/teaching/slides_*: one file, no network, notes for the speaker.

A heading of the second level begins a slide. `{container} notes` is what the speaker says. Figures and numbers are
the page's own, computed by the build; formulas become MathML. build_book calls `write` after Sphinx.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from tools.extension import formulas, preview

COLOURS = {"#0072b2": "var(--c1)", "#d55e00": "var(--c2)", "#1d232b": "currentColor"}
TEMPLATE = Path(__file__).with_name("deck.html")
BOOK = "Decision-Aligned Uncertainty. Text: CC BY 4.0"
PAGES, TARGET = "book/teaching/slides_*.html", "slides"
NOT_ON_A_SLIDE = "a.headerlink, button, script, style, .prev-next-area, .toctree-wrapper, .admonition.tip, .next"


def write(site: Path) -> None:
    """Every deck of the site."""
    (site / TARGET).mkdir(exist_ok=True)
    for path in site.glob(PAGES):
        deck(path, site / TARGET / path.name.removeprefix("slides_"), site)


def deck(page: Path, target: Path, site: Path) -> None:
    """One page as slides. Raises ValueError for a picture that would be left behind, or a slide without notes."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    article = soup.select_one("article.bd-article")
    for tag in article.select(NOT_ON_A_SLIDE):
        tag.decompose()
    formulas.set_formulas(article)
    title, style = " ".join(article.h1.get_text().split()), faces(article, site)
    inner = [heading.find_parent("section").extract() for heading in article.select("section > h2")]
    parts = [article.select_one("section"), *inner]
    slides = [sheet(section, number, title) for number, section in enumerate(parts)]
    lost = [image.get("src") for slide in slides for image in BeautifulSoup(slide, "html.parser").select("img")]
    if lost:
        raise ValueError(f"{page.name}: pictures that are not drawings: {lost}")
    text = TEMPLATE.read_text(encoding="utf-8").replace("@TITLE@", html.escape(title))
    text = text.replace("@FONTS@", style).replace("@SLIDES@", "\n".join(slides))
    target.write_text(text.replace("@COUNT@", str(len(slides))), encoding="utf-8")


def sheet(section: Tag, number: int, title: str) -> str:
    """A slide of a section. Raises ValueError where the speaker is given nothing to say."""
    heading = section.find(["h1", "h2"])
    if number and section.select_one(".notes") is None:
        raise ValueError(f"{title}: no notes with {heading.get_text()!r}")
    for link in section.select("a[href]"):
        if not link["href"].startswith("http"):
            link.unwrap()
    for table in section.select(".table-scroll, .pst-scrollable-table-container, .wide-drawing"):
        table.unwrap()
    for tag in section.select("[id]"):
        if tag.find_parent("svg") is None:
            del tag["id"]
    kind = "slide title" if not number else "slide"
    inside = "".join(map(str, section.contents)) + ("" if number else picture())
    return (f'<section class="{kind}" id="s{number}" aria-label="slide {number + 1} of @COUNT@">{inside}'
            f'<div class="foot"><span>{html.escape(title) if number else BOOK}</span><span>{number + 1}</span></div>'
            "</section>")


def picture() -> str:
    """The curves of the title slide, in the deck's colours."""
    return re.sub("#[0-9a-f]{6}", lambda found: COLOURS.get(found[0], found[0]), preview.picture())


def faces(text: Tag, site: Path) -> str:
    """The fonts of a file that stands alone, as style."""
    return (formulas.face((site / "_static" / "fonts" / "book-sans.woff2").read_bytes(), "Book Sans")
            + formulas.face(formulas.font([text]), formulas.FAMILY))

