"""The book on paper.

One page holds everything: style, fonts, formulas as MathML, pictures. The PDF is printed from it by Chromium, twice:
the second time the contents know their pages. Raises ValueError for what would be clipped,
for a link without a place, and for a chapter that the contents do not find.
"""

from __future__ import annotations

import html
import json
from pathlib import Path

import pikepdf
from bs4 import BeautifulSoup

from pwu_book.instrument.element import STYLE
from tools.editions import leaves
from tools.extension import fonts, formulas

HERE = Path(__file__).parent
EDITION = """This edition has the text of the book's website, whose pages run. A tick stands for a cell that checks a
statement, with the line that it has printed; the code is in the website's notebooks, with the instrument, the bench and
the API. Answers and solutions are at the end."""
LINE = 658  # CSS pixels between the margins of A4, see PAPER
PAPER = """@page { size: A4; margin: 20mm 18mm 18mm;
  @bottom-center { content: counter(page); font: 9pt "Book Sans", sans-serif; color: #5a6472; }
  @top-left { content: "%s"; font: 8.5pt "Book Sans", sans-serif; color: #5a6472; } }
@page plain { @top-left { content: none; } @top-right { content: none; } @bottom-center { content: none; } }
.front, .imprint { page: plain; }
"""

# a table that is wider than its column gets smaller type, down to seven points; then it becomes two, one below the
# other, or, where cells span several columns, has less room between them
FIT = """() => {
  const fits = table => {
    const size = parseFloat(getComputedStyle(table).fontSize), room = table.parentElement.clientWidth;
    for (let part = 1; table.offsetWidth > room && part > 0.8; part -= 0.02) table.style.fontSize = size * part + "px";
    return table.offsetWidth <= room;
  };
  const halve = table => {
    const heads = row => row.querySelectorAll("th").length;
    const named = Math.max(...[...table.tBodies[0].rows].map(heads)), names = named || 1;
    const values = row => [...row.querySelectorAll("td")].slice(named ? 0 : 1);
    const columns = table => [...table.rows].map(
      row => row.closest("thead") ? [...row.cells].slice(names) : values(row));
    const count = columns(table)[0].length, half = Math.ceil(count / 2);
    if (count < 2 || table.querySelector("[colspan]") || columns(table).some(cells => cells.length !== count))
      return table.querySelectorAll("th, td").forEach(cell => { cell.style.paddingInline = "0.3em"; });
    const second = table.cloneNode(true);
    columns(table).forEach(cells => cells.slice(half).forEach(cell => cell.remove()));
    columns(second).forEach(cells => cells.slice(0, half).forEach(cell => cell.remove()));
    second.removeAttribute("id");
    second.style.marginTop = "1em";
    table.after(second);
    for (const one of [table, second]) { one.style.fontSize = ""; fits(one) || halve(one); }
  };
  document.querySelectorAll("main table").forEach(table => fits(table) || halve(table));
}"""


CLIPPED = """line => [...document.querySelectorAll("main :not(svg *)")].filter(e => {
    const box = e.getBoundingClientRect(); return box.width > 0 && box.right > line + 4; })
  .map(e => [Math.round(e.getBoundingClientRect().right), e.tagName, (e.closest("article") || {}).id,
             e.textContent.trim().slice(0, 60)].join(" "))"""


def paper(chapters: list[leaves.Leaf], site: Path, about: dict, pages: dict[str, int]) -> str:
    """The same for print: each part on a new page under its own running head, its chapters one after the other."""
    names = {one.part: f"part{number}" for number, one in enumerate(chapters)}
    heads = "".join(f'@page {name} {{ @top-right {{ content: {json.dumps(part, ensure_ascii=False)}; '
                    f'font: 8.5pt "Book Sans", sans-serif; color: #5a6472; }} }}\n' for part, name in names.items())
    heads += "".join(f"#{one.key} {{ page: {names[one.part]}; }}\n" for one in chapters)
    style = sheet(chapters, site, still=True) + PAPER % about["title"] + heads
    before = front(about) + imprint(about) + contents(chapters, pages)
    return document(about, style, before + bodies(chapters, parts=True))


def document(about: dict, style: str, body: str) -> str:
    title = html.escape(about["title"])
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
            f'content="width=device-width"><title>{title}</title><style>{style}</style></head>'
            f"<body><main>{body}</main></body></html>")


def sheet(chapters: list[leaves.Leaf], site: Path, still: bool = False) -> str:
    """The style sheet with its fonts inside; `still` ones, a file for each weight, for paper."""
    faces = []
    for family, slope, name in leaves.FACES:
        data = (site / "_static" / "fonts" / f"{name}.woff2").read_bytes()
        weights = fonts.WEIGHTS[name]
        faces += ([formulas.face(fonts.instance(data, weight), family, slope, str(weight)) for weight in weights]
                  if still else [formulas.face(data, family, slope, " ".join(map(str, weights)))])
    math = formulas.face(formulas.font([one.body for one in chapters]), formulas.FAMILY)
    return "".join(faces) + math + STYLE + (HERE / "edition.css").read_text()


def front(about: dict) -> str:
    people = html.escape(", ".join(about["authors"]))
    return (f'<header class="front"><h1>{html.escape(about["title"])}</h1><p>{html.escape(about["question"])}</p>'
            f'{about["picture"]}<p>{people}<br>Version {about["version"]}, {about["date"]}</p>'
            f'<p>Text: CC BY 4.0. Code: MIT.</p></header>')


def imprint(about: dict) -> str:
    """Authors, date, licence, how to cite, and what this edition leaves out."""
    title, people = html.escape(about["title"]), html.escape(", ".join(about["authors"]))
    lines = [f"<strong>{title}</strong><br>Version {about['version']}, {about['date']}",
             f"Written and programmed by {people}.",
             f"Cite as: {people} ({about['date'][:4]}), <em>{title}</em>, version {about['version']}.",
             "It accompanies " + "; ".join(html.escape(work) for work in about["sources"]) + ".",
             "Text: Creative Commons Attribution 4.0 (CC BY 4.0). Code: MIT licence. Data: as the bibliography says.",
             EDITION, "Set in Source Serif and Source Sans (SIL Open Font License) and STIX Two Math."]
    return f'<section class="imprint">{"".join(f"<p>{line}</p>" for line in lines)}</section>'


def contents(chapters: list[leaves.Leaf], pages: dict[str, int]) -> str:
    """A link to each chapter, under the name of its part, with its page where that is known."""
    lines, part = [], ""
    for one in chapters:
        if one.part != part:
            part = one.part
            lines.append(f'<li class="of-part">{html.escape(part)}</li>')
        lines.append(f'<li><a href="#{one.key}"><span>{html.escape(one.title)}</span><i></i>'
                     f'<b>{pages.get(one.key, "")}</b></a></li>')
    return f'<nav class="contents" aria-label="contents"><h2>Contents</h2><ol>{"".join(lines)}</ol></nav>'


def bodies(chapters: list[leaves.Leaf], parts: bool = False) -> str:
    """The leaves one after the other, headings one level down; on paper a part is named over its first title."""
    said, part = [], ""
    for one in chapters:
        copy = BeautifulSoup(str(one.body), "html.parser")
        if parts and one.part != part:
            part = one.part
            copy.article.insert(0, copy.new_tag("p", attrs={"class": "of-part-name"}, string=part))
        for heading in copy.select("h1, h2, h3, h4"):
            heading.name = f"h{int(heading.name[1]) + 1}"
        said.append(str(copy))
    return "".join(said)


def print_pdf(browser, text: str, target: Path, fits: bool = True) -> None:
    """A tagged PDF with an outline. Raises ValueError for what is wider than a line, or asked for beyond the file."""
    draft, asked = target.with_suffix(".print.html"), []
    draft.write_text(text, encoding="utf-8")
    page = browser.new_page(viewport={"width": LINE, "height": 900})
    page.on("request", lambda request: asked.append(request.url))
    page.emulate_media(media="print")
    page.goto(draft.as_uri(), wait_until="load", timeout=600_000)
    page.evaluate("document.fonts.ready.then(() => 1)")
    page.evaluate(FIT)
    clipped = page.evaluate(CLIPPED, LINE) if fits else []
    page.pdf(path=target, prefer_css_page_size=True, print_background=True, tagged=True, outline=True)
    page.close()
    asked = [one for one in asked if one != draft.as_uri() and not one.startswith("data:")]
    if clipped or asked:
        raise ValueError("\n  ".join([f"{target.name}: wider than the page, or asked for {asked}:", *clipped[:12]]))
    draft.unlink()


def pages_of(path: Path) -> dict[str, int]:
    """On which page each named place of a PDF is."""
    with pikepdf.open(path) as pdf:
        numbers = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
        named = pdf.Root.get("/Dests", {})
        return {str(name).lstrip("/"): numbers[place[0].objgen] for name, place in named.items()}


def finish(path: Path, about: dict) -> int:
    """Metadata, smaller, the same bytes for the same book; how many pages."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        with pdf.open_metadata(set_pikepdf_as_editor=False) as meta:  # which would say when
            meta["dc:title"], meta["dc:creator"] = about["title"], about["authors"]
            meta["xmp:CreateDate"] = meta["xmp:ModifyDate"] = f"{about['date']}T00:00:00Z"
        pdf.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        pages = len(pdf.pages)
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate, compress_streams=True,
                 recompress_flate=True, deterministic_id=True)
    return pages


def make_pdf(browser, chapters: list[leaves.Leaf], site: Path, about: dict, target: Path) -> int:
    """Print twice, check, finish; how many pages."""
    print_pdf(browser, paper(chapters, site, about, {}), target)
    pages = pages_of(target)
    missing = [one.key for one in chapters if one.key not in pages]
    if missing:
        raise ValueError(f"the contents do not find {missing}")
    print_pdf(browser, paper(chapters, site, about, pages), target)
    if pages_of(target) != pages:
        raise ValueError("the second print has moved the chapters")
    return finish(target, about)


def make_leaflet(browser, chapters: list[leaves.Leaf], site: Path, about: dict, target: Path) -> int:
    """One page of the site alone on paper, without title page and contents; how many pages."""
    style = sheet(chapters, site, still=True) + PAPER % about["title"]
    print_pdf(browser, document(about, style, bodies(chapters)), target)
    return finish(target, about)


def bind(browser, pages: list[Path], about: dict, target: Path) -> int:
    """Files that are one printed page each, in one PDF; how many pages. Raises ValueError for one that is more."""
    sheets = [BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for path in pages]
    style = sheets[0].style.string + "section + section { break-before: page; }"
    inner = "".join(f"<section>{one.main.decode_contents()}</section>" for one in sheets)
    print_pdf(browser, document(about, style, inner), target, fits=False)
    made = finish(target, about)
    if made != len(pages):
        raise ValueError(f"{target.name}: {made} pages for {len(pages)} sheets")
    return made
