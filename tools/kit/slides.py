"""A deck of slides from each built page book/teaching/slides_*: one file, no network, notes for the speaker.

A heading of the second level begins a slide. `{container} notes` is what the speaker says; minutes, and the slides of
each plan, come from book/teaching/plans.yml. What has the class or tag `step` waits for a key, a cell tagged `instead`
then takes the place of the figure before it. A quiz is a poll, `vote counted` and `vote recalled` have boxes for hands.
The works that the page cites become the last slide. Figures and numbers are the page's own, computed by the build;
formulas become MathML. build_book calls `write` after Sphinx.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from tools.extension import formulas, preview
from tools.kit import plans

COLOURS = {"#0072b2": "var(--c1)", "#d55e00": "var(--c2)", "#1d232b": "currentColor"}
TEMPLATE = Path(__file__).with_name("deck.html")
BOOK = "Decision-Aligned Uncertainty. Text: CC BY 4.0"
PAGES, TARGET = "book/teaching/slides_*.html", "slides"
NOT_ON_A_SLIDE = "a.headerlink, button, script, style, .ways, .toctree-wrapper, .admonition.tip, .next"
BIBLIOGRAPHY = "book/reference/cite.html"


def write(root: Path, site: Path) -> None:
    """Every deck of the site."""
    (site / TARGET).mkdir(exist_ok=True)
    for path in site.glob(PAGES):
        deck(path, site / TARGET / path.name.removeprefix("slides_"), root, site)


def deck(page: Path, target: Path, root: Path, site: Path) -> None:
    """One page as slides. Raises ValueError for a picture that would be left behind, or a slide without notes."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    article = soup.select_one("article.text")
    cited = {link["href"].partition("#")[2] for link in article.select('a[href*="cite.html#"]')}
    for tag in article.select(NOT_ON_A_SLIDE):
        if not tag.find_parent(class_="instrument"):
            tag.decompose()
    credits = [credit.extract() for credit in article.select(".credit")]
    if cited:
        article.append(sources(site, cited, credits))
    formulas.set_formulas(article)
    title, style = " ".join(article.h1.get_text().split()), faces(article, site)
    inner = [heading.find_parent("section").extract() for heading in article.select("section > h2")]
    parts = [article.select_one("section"), *inner]
    minutes = plans.minutes(root, target.stem)
    slides = [sheet(section, number, title, minutes.get(number + 1, {})) for number, section in enumerate(parts)]
    lost = [image.get("src") for slide in slides for image in BeautifulSoup(slide, "html.parser").select("img")]
    if lost:
        raise ValueError(f"{page.name}: pictures that are not drawings: {lost}")
    text = TEMPLATE.read_text(encoding="utf-8").replace("@TITLE@", html.escape(title))
    text = text.replace("@FONTS@", style).replace("@SLIDES@", "\n".join(slides))
    target.write_text(text.replace("@COUNT@", str(len(slides))), encoding="utf-8")


def sheet(section: Tag, number: int, title: str, planned: dict[str, plans.Shown]) -> str:
    """A slide of a section. Raises ValueError where the speaker is given nothing to say."""
    heading = section.find(["h1", "h2"])
    if number and section.select_one(".notes") is None:
        raise ValueError(f"{title}: no notes with {heading.get_text()!r}")
    for question in section.select(".quiz"):
        question.replace_with(poll(question, section.select_one(".notes")))
    for box in section.select(".vote.counted, .vote.recalled"):
        box.append(hands(box))
    for cell in section.select(".tag_step"):
        cell["class"].append("step")
    for cell in section.select(".tag_instead"):
        before = cell.find_previous_sibling()
        before.wrap(Tag(name="div", attrs={"class": "swap"})).append(cell)
        cell["class"].append("step")
    for link in section.select("a[href]"):
        if not link["href"].startswith("http"):
            link.unwrap()
    for table in section.select(".table-scroll, .wide-drawing"):
        table.unwrap()
    for tag in section.select("[id]"):
        if tag.find_parent("svg") is None and "instrument" not in tag.get("class", []):
            del tag["id"]
    kind = "slide title" if not number else "slide"
    minutes = "".join(f' data-{plan}="{one.length:.3g} {one.until:.3g}"' for plan, one in planned.items())
    inside = "".join(map(str, section.contents)) + ("" if number else picture())
    return (f'<section class="{kind}" id="s{number}"{minutes} aria-label="slide {number + 1} of @COUNT@">{inside}'
            f'<div class="foot"><span>{html.escape(title) if number else BOOK}</span><span>{number + 1}</span></div>'
            "</section>")


def poll(question: Tag, notes: Tag) -> Tag:
    """A quiz for a room: letters, boxes for hands, and the right answer as a step. Other reasons go to the notes."""
    asked = "".join(map(str, question.select_one(".question").contents))
    rows, right = [], ""
    for letter, label in zip("ABCDE", question.select("label"), strict=False):
        answer, why = ("".join(map(str, label.select_one(name).contents)) for name in (".answer", ".why"))
        kind, said = label["class"][0], f"<p><strong>{letter}.</strong> {why}</p>"
        rows.append(f'<li class="{kind}"><span>{answer}</span>{box(f"hands for {letter}")}</li>')
        if kind == "right":
            right = said
        else:
            notes.append(BeautifulSoup(said, "html.parser"))
    return BeautifulSoup(f'<div class="poll"><p class="asked">{asked}</p><ol type="A">{"".join(rows)}</ol>'
                         f'<div class="step why">{right}</div></div>', "html.parser").div


def hands(vote: Tag) -> Tag:
    """Boxes for the counts of a vote, by its words: "A, B or C?"; and what was counted when these were asked before."""
    again, asked = "recalled" in vote["class"], vote.get_text().strip(" ?\n")
    names = re.split(", | or ", asked)
    if len(names) < 2 or any(":" in name or len(name.split()) > 3 for name in names):
        raise ValueError(f'a vote reads "A, B or C?" with options of at most three words, not {asked!r}')
    rows = "".join(f'<label>{name} {f"""<output data-of="{asked}: {name}"></output> """ if again else ""}'
                   f'{box(f"hands for {name}", "" if again else f"{asked}: {name}")}</label>'
                   for name in names)
    return BeautifulSoup(f'<div class="hands">{rows}</div>', "html.parser").div


def box(words: str, kept: str = "") -> str:
    return (f'<input type="text" inputmode="numeric" size="3" maxlength="4" autocomplete="off" aria-label="{words}"'
            + (f' data-count="{kept}">' if kept else ">"))


def sources(site: Path, cited: set[str], credits: list[Tag]) -> Tag:
    """The works that a page cites, as the bibliography words them, with their addresses; and what else it credits."""
    listed = BeautifulSoup((site / BIBLIOGRAPHY).read_text(encoding="utf-8"), "html.parser")
    works = [listed.find(id=key).find_all("p")[-1] for key in sorted(cited)] + [credit.p for credit in credits]
    for link in (link for work in works for link in work.select("a[href]")):
        link.string = link["href"].removeprefix("https://")
    return BeautifulSoup('<section><h2>Sources</h2><ul class="small">' + "".join(f"<li>{work}</li>" for work in works)
                         + f"<li>These slides: {BOOK}.</li></ul>"
                         '<div class="notes">Leave this up while people pack. It says whose ideas and data these are.'
                         "</div></section>", "html.parser").section


def picture() -> str:
    """The curves of the title slide, in the deck's colours."""
    return re.sub("#[0-9a-f]{6}", lambda found: COLOURS.get(found[0], found[0]), preview.picture())


def faces(text: Tag, site: Path) -> str:
    """The fonts of a file that stands alone, as style."""
    return (formulas.face((site / "_static" / "fonts" / "book-sans.woff2").read_bytes(), "Book Sans")
            + formulas.face(formulas.font([text]), formulas.FAMILY))

