"""All questions of the book for learning systems: Moodle XML and GIFT, QTI 1.2 (Canvas and others), and a table.

build_book calls `write` after Sphinx. Formulas stay TeX between \\( and \\), which all systems set. The drawing that
stands before a question on its page goes along, as a file of its own with its alt text.
"""

from __future__ import annotations

import base64
import csv
import html
import io
import re
import zipfile
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup, Tag
from sphinx_external_toc.parsing import parse_toc_yaml

from tools.extension import drawing, quiz

QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
ITEM = """<item ident="{name}" title="{title}"><itemmetadata><qtimetadata><qtimetadatafield>\
<fieldlabel>question_type</fieldlabel><fieldentry>multiple_choice_question</fieldentry></qtimetadatafield>\
</qtimetadata></itemmetadata><presentation><material>{asked}</material><response_lid ident="response1" \
rcardinality="Single"><render_choice>{labels}</render_choice></response_lid></presentation><resprocessing>\
<outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>{conditions}\
</resprocessing>{feedback}</item>"""
TEXT = '<mattext texttype="text/html">{}</mattext>'
MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="decision-aligned-uncertainty" xmlns="http://www.imsglobal.org/xsd/imscp_v1p1"><organizations/>\
<resources>{}</resources></manifest>
"""
CASED = {"viewbox": "viewBox", "clippath": "clipPath", "clippathunits": "clipPathUnits", "patternunits": "patternUnits",
         "textpath": "textPath", "patterntransform": "patternTransform", "preserveaspectratio": "preserveAspectRatio"}
PLAIN = {"var(--ink)": "#1d232b", "currentColor": "#1d232b", "currentcolor": "#1d232b",
         **{name: colour for colour, name in drawing.COLOURS.items() if name.startswith("var")}}


class Picture(NamedTuple):
    """A drawing as a file, and its words."""

    svg: str
    words: str


class Question(NamedTuple):
    """A question of a page: where it stands, its drawing, what it asks, and of each answer: is it right, and why."""

    page: str
    picture: Picture | None
    asked: str
    answers: list[tuple[bool, str, str]]


def questions(root: Path, site: Path) -> list[Question]:
    """Every question, in the order of the book; those of a page that another one shows once."""
    found = []
    for name in parse_toc_yaml(root / "_toc.yml"):
        blocks = re.findall(r"(?ms)^```\{quiz\} (.*?)^```$", (root / f"{name}.md").read_text(encoding="utf-8"))
        fieldsets = BeautifulSoup((site / f"{name}.html").read_text(encoding="utf-8"), "html.parser").select(
            "fieldset.quiz") if blocks else []
        for block, fieldset in zip(blocks, fieldsets, strict=False):  # a page may show those of another one, too
            asked, *lines = block.strip().splitlines()
            answers = quiz.read_answers(asked, lines)
            found.append(Question(name.removeprefix("book/"), picture(fieldset), asked, answers))
    return found


def picture(fieldset: Tag) -> Picture | None:
    """The drawing right before a question on its page, as a file that needs nothing of the page."""
    before = fieldset.find_previous_sibling()
    found = before and (before.select_one("svg.drawing") or before.select_one("svg.wide"))
    if not found:
        return None
    text, words = str(found), found["aria-label"]
    if "wide" in found["class"]:  # of the instrument, whose lines have their style in the page
        from pwu_book.instrument.element import STYLE  # here: a book without instruments needs no pwu_book

        rules = "".join(re.findall(r"\.instrument svg[^{}]*\{[^}]*\}", STYLE))
        text = text.replace(">", f"><style>{html.escape(rules, quote=False)}</style>", 1)
    text = re.sub(r"calc\(([\d.]+px) \* var\([^)]*\)\)", r"\1", text)
    text = re.sub(r"var\(--[\w-]+, ([^()]+)\)", r"\1", text)
    for name, colour in PLAIN.items():
        text = text.replace(name, colour)
    text = re.sub(r"(?<=[<\s/])(" + "|".join(CASED) + r")(?=[=\s>])", lambda name: CASED[name[0]], text)
    _, _, width, height = re.search(r'viewBox="([^"]*)"', text)[1].split()
    text = re.sub(r' (?:width|height|xmlns)="[^"]*"', "", text[:text.index(">")]) + text[text.index(">"):]
    return Picture(f'<svg xmlns="http://www.w3.org/2000/svg" class="instrument" viewBox="0 0 {width} {height}" '
                   f'width="{width}" height="{height}" font-family="sans-serif"><rect width="100%" height="100%" '
                   f'fill="#fff"/>{text}</svg>', words)


def write(root: Path, site: Path) -> None:
    """downloads/quizzes.zip: every question of the book."""
    if every := questions(root, site):
        (site / "downloads").mkdir(exist_ok=True)
        bundle(every, site / "downloads" / "quizzes.zip")


def bundle(every: list[Question], target: Path) -> None:
    """The same questions in four forms, and their pictures."""
    drawn = {f"pictures/{name_of(number)}.svg": question.picture.svg for number, question in enumerate(every, 1)
             if question.picture}
    package = io.BytesIO()
    archive(package, as_qti(every) | drawn)
    with target.open("wb") as file:
        archive(file, {"quizzes-moodle.xml": as_moodle(every), "quizzes.gift.txt": as_gift(every),
                       "quizzes.csv": as_table(every), "quizzes-qti.zip": package.getvalue()} | drawn)


def name_of(number: int) -> str:
    return f"q{number:03d}"


def asked_of(question: Question, address: str) -> str:
    """What is asked, as HTML, with the drawing at an address."""
    drawn = "" if question.picture is None else (
        f'<p><img src="{address}" alt="{html.escape(question.picture.words)}"></p>')
    return f"{drawn}<p>{as_html(question.asked)}</p>" if drawn else as_html(question.asked)


def archive(file, parts: dict[str, str | bytes]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name)  # the same bytes in every build
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            packed.writestr(entry, content)


def as_html(text: str) -> str:
    r"""A line of MyST as HTML.

    >>> as_html("Is $a<b$ *always* `x`?")
    'Is \\(a&lt;b\\) <em>always</em> <code>x</code>?'
    """
    text = re.sub(r"\{\w+\}`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", text)
    text = re.sub(r"\$([^$]+)\$", r"\\(\1\\)", html.escape(text, quote=False))
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text))


def encoded(question: Question) -> str:
    return base64.b64encode(question.picture.svg.encode()).decode() if question.picture else ""


def as_gift(every: list[Question]) -> str:
    def escape(text: str) -> str:
        return re.sub(r"([\\~=#{}:])", r"\\\1", text)

    lines, page = [], ""
    for number, question in enumerate(every, 1):
        if question.page != page:
            page = question.page
            lines.append(f"$CATEGORY: Decision-Aligned Uncertainty/{page}\n")
        rows = "".join(f"\n  {'=' if right else '~'}{escape(as_html(said))}#{escape(as_html(why))}"
                       for right, said, why in question.answers)
        asked = asked_of(question, f"data:image/svg+xml;base64,{encoded(question)}")
        lines.append(f"::{number:03d} {page}::[html]{escape(asked)} {{{rows}\n}}\n")
    return "\n".join(lines)


def as_moodle(every: list[Question]) -> str:
    """Moodle's own form: a drawing is a file of its question."""
    def text(line: str, tag: str, more: str = "") -> str:
        return f'<{tag} format="html"><text>{html.escape(line, quote=False)}</text>{more}</{tag}>'

    lines, page = [], ""
    for number, question in enumerate(every, 1):
        if question.page != page:
            page = question.page
            lines.append('<question type="category"><category><text>$course$/top/Decision-Aligned Uncertainty/'
                         f"{page}</text></category></question>")
        name = f"{name_of(number)}.svg"
        file = f'<file name="{name}" path="/" encoding="base64">{encoded(question)}</file>' if question.picture else ""
        answers = "".join(f'<answer fraction="{100 * right}" format="html"><text>'
                          f"{html.escape(as_html(said), quote=False)}</text>{text(as_html(why), 'feedback')}</answer>"
                          for right, said, why in question.answers)
        lines.append(f'<question type="multichoice"><name><text>{number:03d} {page}</text></name>'
                     f"{text(asked_of(question, f'@@PLUGINFILE@@/{name}'), 'questiontext', file)}<single>true</single>"
                     f"<shuffleanswers>true</shuffleanswers><answernumbering>ABCD</answernumbering>{answers}</question>")
    return '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n' + "\n".join(lines) + "\n</quiz>\n"


def as_table(every: list[Question]) -> str:
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["page", "address", "picture", "picture in words", "question", *(f"answer {k}" for k in "ABCDE"),
                   "right", *(f"why {k}" for k in "ABCDE")])
    for number, (page, drawn, asked, answers) in enumerate(every, 1):
        said, why = ([answer[place] for answer in answers] + [""] * (5 - len(answers)) for place in (1, 2))
        right = next(place for place, answer in enumerate(answers) if answer[0])
        rows.writerow([page, f"book/{page}.html", f"pictures/{name_of(number)}.svg" if drawn else "",
                       drawn.words if drawn else "", asked, *said, "ABCDE"[right], *why])
    return file.getvalue()


def as_qti(every: list[Question]) -> dict[str, str]:
    """A bank for each page, and the manifest that lists banks and drawings."""
    def text(line: str) -> str:
        return TEXT.format(html.escape(line, quote=False))

    banks: dict[str, list[str]] = {}
    drawn = [f"pictures/{name_of(number)}.svg" for number, question in enumerate(every, 1) if question.picture]
    for number, question in enumerate(every, 1):
        labels = conditions = feedback = ""
        for place, (right, said, why) in enumerate(question.answers):
            labels += f'<response_label ident="{place}"><material>{text(as_html(said))}</material></response_label>'
            feedback += (f'<itemfeedback ident="{place}_fb"><flow_mat><material>{text(as_html(why))}</material>'
                         "</flow_mat></itemfeedback>")
            score = '<setvar action="Set" varname="SCORE">100</setvar>' * right
            conditions += ('<respcondition continue="Yes"><conditionvar><varequal respident="response1">'
                           f'{place}</varequal></conditionvar>{score}<displayfeedback feedbacktype="Response" '
                           f'linkrefid="{place}_fb"/></respcondition>')
        asked = text(asked_of(question, f"$IMS-CC-FILEBASE$/pictures/{name_of(number)}.svg"))
        banks.setdefault(question.page, []).append(ITEM.format(
            name=name_of(number), title=f"{number:03d} {question.page}", asked=asked, labels=labels,
            conditions=conditions, feedback=feedback))
    files = {f"{page.replace('/', '-')}.xml": (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<questestinterop xmlns="{QTI}"><assessment ident="{number}" '
        f'title="Decision-Aligned Uncertainty: {page}"><section ident="root_section">' + "\n".join(items)
        + "</section></assessment></questestinterop>\n") for number, (page, items) in enumerate(banks.items())}
    listed = "".join(f'<resource identifier="r{number}" type="{"webcontent" if name in drawn else "imsqti_xmlv1p2"}" '
                     f'href="{name}"><file href="{name}"/></resource>' for number, name in enumerate([*files, *drawn]))
    return {"imsmanifest.xml": MANIFEST.format(listed)} | files
