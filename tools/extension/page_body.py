"""What a page's HTML becomes before it is written: checks as ticks, tables to be read, figures in the page's colours.

One function a matter; `dress` does them all. Each takes the parsed body of a page.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Callable
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString, Tag

from tools.extension import formulas, panels
from tools.extension.drawing import drawn

NUMBER = re.compile(r"[-\u2212+]?(\d[\d,]*\.?\d*|\.\d+)(e[-+]?\d+)?\s?(%|€)?$|[-\u2212+]?(inf|nan|NaN)$|[-\u2013]?$")
INTERVAL = re.compile(r"([-\u2212+]?[\d.,]+%?)\s*(\[[^\]]+\])$")
PROGRESS = re.compile(r"^\d+ of \d+(, [\d.]+ min left| cells are there, \d+ to fit)\n?", re.M)
ANSWERS = "the answers, computed"
PROVED = {"theorem", "proposition", "lemma", "corollary"}
PROMISE = "You will be able to"
NEXT = "section#where-to-go-next"
APART = ["a", "code", "details", "figure", "table", "fieldset", "h1", "h2", "h3"]  # no links to terms
QUOTED = re.compile(r"""(['"])(?P<said>.*)\1$""", re.S)
CODE = re.compile(r'<div class="highlight"><pre>.*?</pre>', re.S)
PLAIN = re.compile(r'<span class="(?:n|nn|p|w|o)(?: [\w-]+)?">([^<]*)</span>')  # names, brackets, operators, blanks
STRINGS = re.compile(r'(<span class="(?:s1|s2|sa|se|si)">[^<]*)</span><span class="(?:s1|s2|sa|se|si)">')
PHONE = 42  # characters of code that fit on a phone
DOORS, SOURCES = "../record/paper.html", ("PWU paper", "IP paper", "UNIQUE")
WIDE = 560  # points of a drawing with several panels, which takes the margin too
COLUMN, PAGE, SCROLLED = 568, 752, 620  # pixels of the text, of the text with its margin, of what scrolls on a phone


def dress(body: str, page: str, drawing: Callable[[str], Path | None], terms: dict[str, str] | None = None
          ) -> tuple[str, str]:
    """The body of a page as readers get it, and a description.

    `drawing` finds the SVG file behind an address, `terms` are addresses in the glossary.
    """
    soup = parsed(body)
    for place, cell in enumerate(soup.select("div.cell")):
        cell["data-cell"] = place  # its place among the cells that the notebook shows, whatever moves it below
    fold_cells(soup, page)
    formulas.set_formulas(soup)
    gather_checks(soup)
    for words in soup.select("details.aside > summary"):  # what may be left out says so
        words.insert(0, "Aside: ")
    fold_boxes(soup)
    offer_short_path(soup)
    if "stage" in body:
        pin(soup, page)
    speak(soup)
    tell_verdicts(soup)
    for head in soup.select("table > thead"):
        if not head.get_text().strip():  # two rules with nothing between them
            head.decompose()
    for table in soup.select("div.cell_output table.dataframe"):
        set_table(soup, table)
    for table in soup.select("table.docutils"):
        scroll(soup, table)
    for table in soup.select("table.docutils, table.cards"):
        deal_cards(table)
    name_tables(soup)
    say_once(soup)
    draw(soup, drawing)
    open_with_picture(soup)
    fold_for_phones(soup)
    say_what_is_folded(soup)
    keep_marks(soup)
    help_readers(soup)
    link_statements(soup)
    link_terms(soup, terms or {})
    link_sources(soup)
    return str(soup), description(soup)


def parsed(body: str) -> BeautifulSoup:
    return BeautifulSoup(CODE.sub(plain_code, body), "html.parser")


def plain_code(found: re.Match) -> str:
    """Names, brackets, operators and blanks have the colour of the text: a page is a tenth lighter without their tags.

    Pieces of one string, which have one colour, become one. Half of a page's tags go before anything looks at them.
    """
    text = PLAIN.sub(r"\1", found[0])
    while (shorter := STRINGS.sub(r"\1", text)) != text:
        text = shorter
    return text


def pin(soup: BeautifulSoup, page: str) -> None:
    """An instrument and the marked paragraphs that follow it stand side by side, and the picture stays while they pass.

    The marks are as many as the instrument has stages.
    """
    for mark in soup.select("p > span.stage"):
        paragraph = mark.parent
        mark.decompose()
        add_class(paragraph, "stage")
    for root in soup.select(".instrument"):
        data = root.find("script", type="application/json")
        stages = len(json.loads(data.string).get("stages", ())) if data else 0
        if not stages:
            continue
        cell, passing = root.find_parent("div", class_="cell"), soup.new_tag("div", attrs={"class": "pass"})
        after = cell.find_next_siblings(limit=stages)
        if [tag.name for tag in after if "stage" in tag.get("class", [])] != ["p"] * stages:
            raise ValueError(f"{page}: an instrument has {stages} stages, but not as many marked paragraphs after it")
        cell.wrap(soup.new_tag("div", attrs={"class": "pinned"})).append(passing)
        passing.extend(after)
    if stray := soup.select_one(":not(.pass) > p.stage"):
        raise ValueError(f"{page}: a marked paragraph without an instrument: {stray.get_text()[:60]}")


def say_once(soup: BeautifulSoup) -> None:
    """Pictures of one kind bring the same style and script along: the first style and the last script do for all."""
    for name, order in (("style", 1), ("script", -1)):
        seen = set()
        for tag in soup.find_all(name, type=None)[::order]:
            if (text := tag.string) and text in seen:
                tag.decompose()
            seen.add(text)


def keep_marks(soup: BeautifulSoup) -> None:
    """A comma, a full stop or a bracket stays on the line of the formula that it follows."""
    for formula in soup.select("span.math"):
        after = formula.next_sibling
        marks = re.match(r"[,.;:!?)\]\u201d\u2019]+", after) if isinstance(after, NavigableString) else None
        if marks:
            formula.wrap(soup.new_tag("span", attrs={"class": "keep"})).append(marks[0])
            after.replace_with(after[marks.end():])


def help_readers(soup: BeautifulSoup) -> None:
    """What scrolls can be reached by the keyboard; what is not a list does not say so. (Findings of axe-core.)"""
    for tag in soup.select("div.math"):
        tag["tabindex"] = "0"
    for tag in soup.select(".citation-list"):
        del tag["role"]


def link_statements(soup: BeautifulSoup) -> None:
    """Definitions, theorems and the like get a link to themselves, as headings have."""
    for statement in soup.select("div.proof[id]"):
        kind = next(name for name in statement["class"] if name not in ("proof", "admonition"))
        link = soup.new_tag("a", attrs={"class": "headerlink", "href": f"#{statement['id']}",
                                        "title": f"Link to this {kind}"})
        link.string = "#"
        statement.select_one(".admonition-title").append(link)


def link_terms(soup: BeautifulSoup, terms: dict[str, str]) -> None:
    """The first time that a page's text has a term of the glossary, it leads there; `terms` gives addresses by term."""
    section = soup.select_one("section")
    texts = [text for paragraph in section.find_all("p") for text in paragraph.find_all(string=True)
             if not text.find_parent(APART)] if section else []
    for term, address in terms.items():
        wanted = re.compile(rf"\b{re.escape(term)}s?\b", re.I)
        for place, text in enumerate(texts):
            if found := wanted.search(text):
                link = soup.new_tag("a", attrs={"class": "reference internal term", "href": address}, string=found[0])
                pieces = NavigableString(text[:found.start()]), NavigableString(text[found.end():])
                text.replace_with(pieces[0], link, pieces[1])
                texts[place:place + 1] = pieces
                break


def link_sources(soup: BeautifulSoup) -> None:
    """A note in the margin that names a source leads to the page for those who know it."""
    wanted = re.compile("|".join(SOURCES))
    for note in soup.select("aside.margin p"):
        words = next((words for words in note.find_all(string=wanted) if not words.find_parent("a")), None)
        if words is not None:
            found = wanted.search(words)
            link = soup.new_tag("a", attrs={"class": "reference internal", "href": DOORS}, string=found[0])
            words.replace_with(words[:found.start()], link, words[found.end():])


def description(soup: BeautifulSoup) -> str:
    """What the reader will be able to do, or the first sentences not in a box, for search engines and links."""
    promised = [p for p in soup.select(".admonition p") if p.get_text().startswith(PROMISE)]
    for paragraph in [*promised, *soup.select("section > p")]:
        words = " ".join(paragraph.get_text().split())
        if len(words) > 40 and not paragraph.find("math"):
            return words if len(words) <= 200 else words[:200].rsplit(" ", 1)[0] + " …"
    return soup.h1.get_text().rstrip("#") if soup.h1 else ""


def fold_cells(soup: BeautifulSoup, page: str) -> None:
    """A cell tagged `check`, `quiet-check` or `setup` becomes one line, what it printed, which opens to its code.

    The line of a check that computes the answers of a quiz does not give them away.
    """
    for cell in soup.select("div.cell:is(.tag_check, .tag_quiet-check, .tag_setup)"):
        output = cell.select_one(":scope > div.cell_output")
        words = output.get_text().strip() if output else ""
        if not words or output.find(["table", "img"]):
            code = cell.select_one("pre").get_text().strip().splitlines()[0]
            raise ValueError(f"{page}: a check, or a setup, prints one sentence and nothing else: the cell that begins "
                             f"{code!r}")
        answers = words.startswith(ANSWERS)
        if not answers:
            output.decompose()
        line = ANSWERS if answers else QUOTED.sub(r"\g<said>", words)
        if "tag_setup" in cell["class"]:
            fold(soup, cell, "fold setup", f"Code: {line}")
        else:
            fold(soup, cell, "check", line, tick="tag_quiet-check" in cell["class"] or _under_a_theorem(cell))


def _under_a_theorem(cell: Tag) -> bool:
    """Does a statement that can be proved stand before this cell, in its section and outside of a solution?"""
    section = (cell.find_parents("section")[:-1] or cell.find_parents("section"))[-1]  # that of the second heading
    stated = [box for box in cell.find_all_previous("div", class_="proof") if set(box["class"]) & PROVED]
    return not cell.find_parent(class_="solution") and any(section in box.parents for box in stated)


def gather_checks(soup: BeautifulSoup) -> None:
    """Cells tagged `quiet-check` go into one line before the last section; it opens to the list of them."""
    checks = [cell.find_parent("details") for cell in soup.select("div.cell.tag_quiet-check")]
    if not checks:
        return
    end = soup.select_one(NEXT)
    if end is None:
        raise ValueError("a page with quiet checks ends with a section 'Where to go next'")
    shown = len(soup.select("details.check:not(.solution *)")) > len(checks)
    count = "check" if len(checks) == 1 else f"{len(checks)} checks"
    words = f"{'The other' if shown else 'The'} {count} of this chapter passed"
    end.insert_before(gathered := soup.new_tag("div"))
    gathered.extend(checks)
    fold(soup, gathered, "check all", words, tick=True)
    gathered.unwrap()


def fold_boxes(soup: BeautifulSoup) -> None:
    """A box that begins closed, such as a solution, opens without a script."""
    for box in soup.select("div.admonition.dropdown"):
        kind = [name for name in box["class"] if name not in ("admonition", "dropdown")]
        box.name, box["class"] = "details", ["aside", *kind]
        title = box.select_one(":scope > .admonition-title")
        title.name, title.attrs, title.string = "summary", {}, " ".join(title.get_text().split())


def offer_short_path(soup: BeautifulSoup) -> None:
    """*Short path* in a chapter's card becomes a switch; book.js hides what has the class `long`."""
    for words in soup.select(".admonition.tip strong"):
        if words.get_text() == "Short path":
            words.name, words["class"] = "label", "short-path"
            words.insert(0, soup.new_tag("input", attrs={"type": "checkbox"}))


def fold_for_phones(soup: BeautifulSoup) -> None:
    """Code with long lines can be folded: book.js closes it where the window is narrow."""
    for code in soup.select("div.cell > div.cell_input"):
        longest = max((len(line) for line in code.get_text().splitlines()), default=0)
        if longest > PHONE and not code.find_parent("details"):
            fold(soup, code, "fold code", lines_of(code))["open"] = ""


def say_what_is_folded(soup: BeautifulSoup) -> None:
    """The code above an output, which the theme calls hidden content, is a fold as all others are."""
    for folded in soup.select("div.cell details.hide"):
        folded.summary.attrs, folded.summary.string = {}, lines_of(folded.select_one(".cell_input, .cell_output"))
        folded["class"] = "fold"


def lines_of(code: Tag) -> str:
    lines = len(code.get_text().strip().splitlines())
    return f"Code, {lines} line" + "s" * (lines > 1)


def fold(soup: BeautifulSoup, inner: Tag, kind: str, words: str, tick: bool = False) -> Tag:
    details = inner.wrap(soup.new_tag("details", attrs={"class": kind}))
    details.insert(0, soup.new_tag("summary"))
    if tick:
        details.summary.append(soup.new_tag("b", string="✓"))
    details.summary.append(words)
    return details


def speak(soup: BeautifulSoup) -> None:
    """A sentence that a cell returns or prints is set as one, without quotes; the progress of a run is over."""
    for output in soup.select("div.cell_output > div.output.text_plain, div.cell_output > div.output.stream"):
        words = PROGRESS.sub("", output.get_text()).strip()
        if not words:
            output.decompose()
            continue
        if "text_plain" in output["class"] and QUOTED.match(words):
            words = ast.literal_eval(words)
        elif "text_plain" in output["class"] or "  " in words or words.count("\n") > 3:
            continue
        output.replace_with(soup.new_tag("p", attrs={"class": "said"}, string=words))


def tell_verdicts(soup: BeautifulSoup) -> None:
    """The reason of a quiz's answer begins with its verdict, in a region that screen readers watch."""
    for label in soup.select("fieldset.quiz label"):
        why = label.select_one(".why")
        why.insert(0, soup.new_tag("b", string="Right. " if "right" in label["class"] else "Not this one. "))
        why.wrap(soup.new_tag("span", attrs={"role": "status"}))


def set_table(soup: BeautifulSoup, table: Tag) -> None:
    """No empty head rows, numbers right and words left by column, minus signs, what to do on a phone."""
    table.attrs = {"class": table["class"]}
    merge_heads(table)
    for cell in table.select("tbody td"):
        if cell.get_text().strip() in ("NaN", "nan", "None"):
            cell.string = "\u2013"
    for tag in table.select("[style], [valign]"):
        del tag["style"], tag["valign"]
    rows = table.select("tbody > tr")
    heads = table.select("thead > tr")
    for place, column in enumerate(columns_of(rows)):
        said = [cell.get_text().strip() for cell in column if cell.get_text().strip()]
        if said and all(NUMBER.match(text) or INTERVAL.match(text) for text in said):
            for cell in column:
                set_number(soup, cell)
            for head in heads[-1:]:
                add_class(head.find_all(["th", "td"])[-1 - place], "num")
    mark_best(table, rows)
    scroll(soup, table)


def scroll(soup: BeautifulSoup, table: Tag) -> None:
    """What is wider than the page moves inside of a box that the keyboard reaches."""
    around = {"class": "table-scroll", "tabindex": "0", "role": "group", "aria-label": "table"}
    table.wrap(soup.new_tag("div", attrs=around))


def merge_heads(table: Tag) -> None:
    """Pandas' last head row may hold the names of the index only: lift them into the row above."""
    heads = table.select("thead > tr")
    if len(heads) < 2 or heads[-2].find(colspan=True):
        return
    first, second = (row.find_all("th") for row in heads[-2:])
    if len(first) == len(second) and any(not cell.get_text().strip() for cell in second):
        for above, below in zip(first, second, strict=True):
            if below.get_text().strip():
                above.string = below.get_text().strip()
        heads[-1].decompose()


def columns_of(rows: list[Tag]) -> list[list[Tag]]:
    """Body cells by column, from the right, where no row head is in the way."""
    cells = [row.find_all("td")[::-1] for row in rows]
    return [[row[place] for row in cells if place < len(row)] for place in range(max(map(len, cells), default=0))]


def add_class(tag: Tag, name: str) -> None:
    tag["class"] = [*tag.get("class", []), name]


def set_number(soup: BeautifulSoup, cell: Tag) -> None:
    add_class(cell, "num")
    text = cell.get_text().strip()
    interval = INTERVAL.match(text)
    cell.string = (interval[1] if interval else text).replace("-", "\u2212").replace("e\u2212", "e-")
    if interval:
        beside = interval[2].replace("-", "\u2212")
        cell.append(soup.new_tag("span", attrs={"class": "interval"}, string=beside))


def mark_best(table: Tag, rows: list[Tag]) -> None:
    """Class `best-row-max`, `best-row-min`, `best-min` or `best-max`: which value of each row, or column, is bold."""
    wish = next((name.split("-")[1:] for name in table["class"] if name.startswith("best-")), None)
    if wish is None:
        return
    lines = [row.find_all("td") for row in rows] if "row" in wish else columns_of(rows)
    for line in lines:
        values = [(cell, value) for cell in line if (value := value_of(cell)) is not None]
        if len(values) > 1:
            best = (max if wish[-1] == "max" else min)(value for _, value in values)
            for cell, value in values:
                if value == best:
                    add_class(cell, "best")


def value_of(cell: Tag) -> float | None:
    text = next(iter(cell.stripped_strings), "").replace("\u2212", "-").replace(",", "").rstrip("%€ ")
    try:
        return float(text)
    except ValueError:
        return None


def deal_cards(table: Tag) -> None:
    """A table of words with three columns or more becomes cards on a phone: each cell says its column."""
    heads = [head.get_text().strip() for head in table.select("thead th")]
    if len(heads) < 3:
        return
    add_class(table, "cards")
    for row in table.select("tbody tr"):
        for head, cell in zip(heads, row.find_all("td"), strict=False):
            if head:
                cell["data-head"] = head
                if len(cell.get_text().strip()) <= 8:  # a number beside its word, not under it
                    add_class(cell, "brief")


def name_tables(soup: BeautifulSoup) -> None:
    """A caption with a table is a table's: above it, and it says so."""
    for figure in soup.select("figure:has(table)"):
        caption, number = figure.find("figcaption"), figure.select_one(".caption-number")
        if number is not None and number.string:
            number.string = number.string.replace("Fig.", "Table")
        if caption is not None:
            figure.insert(0, caption.extract())


def open_with_picture(soup: BeautifulSoup) -> None:
    """A chapter opens with its picture: its first figure, or the one whose cell is tagged `opening`, and its caption.

    Nothing is drawn twice: what stands on top refers to the groups of the figure. An instrument that nobody can move
    has no groups and is small; it stands there as it is.
    """
    title, drawings = soup.h1, soup.select(".tag_opening figure svg.drawing") or soup.select(
        "figure[id] svg.drawing") or soup.select("figure[id] .instrument:not(:has(.controls)) svg")
    if title is None or not re.match(r"\d+\.", title.get_text().strip()) or not drawings:
        return
    figure = drawings[0].find_parent("figure")
    opening = copy.copy(figure)
    del opening["id"]
    opening["class"] = "opening"
    for scrolled in opening.select(".wide-drawing"):
        del scrolled["tabindex"], scrolled["role"], scrolled["aria-label"]
    for own, shown in zip(figure.select("svg"), opening.select("svg"), strict=True):
        del shown["role"], shown["aria-label"]  # its words are those of the figure
        shown["aria-hidden"] = "true"
        if "drawing" in own.get("class", []):
            shown.clear()
            shown.append(soup.new_tag("use", href=f"#{own.find('g')['id']}"))
    for part in opening.select(".instrument"):
        del part["id"]
    for style in opening.select("style"):
        style.decompose()  # the figure's own holds here, too
    for link in opening.select("a.headerlink"):
        link.decompose()
    if number := opening.select_one(".caption-number"):
        link = soup.new_tag("a", href=f"#{figure['id']}")
        link.string = number.get_text().strip()
        number.replace_with(link, " ")
    title.insert_after(opening)


def draw(soup: BeautifulSoup, drawing: Callable[[str], Path | None]) -> None:
    """Put each SVG figure into the page, where it takes the page's colours and type."""
    for serial, image in enumerate(soup.select("div.cell_output img, figure img")):
        path = drawing(image["src"])
        if path is None or path.suffix != ".svg":
            continue
        text = drawn(path.read_text(encoding="utf-8"), f"f{serial}-")
        figure = BeautifulSoup(text, "html.parser").svg
        figure["class"], figure["role"], figure["aria-label"] = "drawing", "img", image["alt"]
        image.replace_with(figure)
        width, _ = panels.size_of(figure)
        if width <= WIDE:
            panels.keep_legible(figure, min(COLUMN, 1.33 * width), panels.SCREEN)
            continue
        around = {"class": "wide-drawing", "tabindex": "0", "role": "group", "aria-label": "figure"}
        figure.wrap(soup.new_tag("div", attrs=around))
        stacked, phone = panels.stack(soup, figure), SCROLLED
        if stacked is not None:
            figure.parent["class"] = "wide-drawing stacks"
            figure.parent.append(stacked)
            phone = panels.SCREEN * width / max(panels.size_of(panel)[0] for panel in stacked.find_all("svg", "panel"))
        panels.keep_legible(figure, PAGE, phone)
