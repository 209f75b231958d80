"""All questions of the book for learning systems: GIFT (Moodle), QTI 1.2 (Canvas and others), and a table.

build_book calls `write` after Sphinx. Formulas stay TeX between \\( and \\), which both systems set.
"""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile
from pathlib import Path
from typing import NamedTuple

from sphinx_external_toc.parsing import parse_toc_yaml

from tools.extension import quiz

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
<resources><resource identifier="quizzes" type="imsqti_xmlv1p2" href="quizzes.xml"><file href="quizzes.xml"/>\
</resource></resources></manifest>
"""


class Question(NamedTuple):
    """A question of a page: where it stands, what it asks, and for each answer whether it is right, and why."""

    page: str
    asked: str
    answers: list[tuple[bool, str, str]]


def questions(root: Path) -> list[Question]:
    """Every question, in the order of the book; those of a page that another one shows once."""
    found = []
    for name in parse_toc_yaml(root / "_toc.yml"):
        for block in re.findall(r"(?ms)^```\{quiz\} (.*?)^```$", (root / f"{name}.md").read_text(encoding="utf-8")):
            asked, *lines = block.strip().splitlines()
            found.append(Question(name.removeprefix("book/"), asked, quiz.read_answers(asked, lines)))
    return found


def write(root: Path, site: Path) -> None:
    """downloads/quizzes.zip: the same questions in three forms."""
    every = questions(root)
    if not every:
        return
    (site / "downloads").mkdir(exist_ok=True)
    package = io.BytesIO()
    archive(package, {"imsmanifest.xml": MANIFEST, "quizzes.xml": as_qti(every)})
    with (site / "downloads" / "quizzes.zip").open("wb") as file:
        archive(file, {"quizzes.gift.txt": as_gift(every), "quizzes.csv": as_table(every),
                       "quizzes-qti.zip": package.getvalue()})


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


def as_gift(every: list[Question]) -> str:
    def escape(text: str) -> str:
        return re.sub(r"([\\~=#{}:])", r"\\\1", as_html(text))

    lines, page = [], ""
    for number, question in enumerate(every, 1):
        if question.page != page:
            page = question.page
            lines.append(f"$CATEGORY: Decision-Aligned Uncertainty/{page}\n")
        rows = "".join(f"\n  {'=' if right else '~'}{escape(said)}#{escape(why)}"
                       for right, said, why in question.answers)
        lines.append(f"::{number:03d} {page}::[html]{escape(question.asked)} {{{rows}\n}}\n")
    return "\n".join(lines)


def as_table(every: list[Question]) -> str:
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["page", "question", *(f"answer {k}" for k in "ABCDE"), "right", "why"])
    for page, asked, answers in every:
        right = next(place for place, answer in enumerate(answers) if answer[0])
        said = [answer[1] for answer in answers]
        rows.writerow([page, asked, *said, *[""] * (5 - len(said)), "ABCDE"[right], answers[right][2]])
    return file.getvalue()


def as_qti(every: list[Question]) -> str:
    def text(line: str) -> str:
        return TEXT.format(html.escape(as_html(line), quote=False))

    items = []
    for number, (page, asked, answers) in enumerate(every, 1):
        labels = conditions = feedback = ""
        for place, (right, said, why) in enumerate(answers):
            labels += f'<response_label ident="{place}"><material>{text(said)}</material></response_label>'
            feedback += (f'<itemfeedback ident="{place}_fb"><flow_mat><material>{text(why)}</material></flow_mat>'
                         "</itemfeedback>")
            score = '<setvar action="Set" varname="SCORE">100</setvar>' * right
            conditions += ('<respcondition continue="Yes"><conditionvar><varequal respident="response1">'
                           f'{place}</varequal></conditionvar>{score}<displayfeedback feedbacktype="Response" '
                           f'linkrefid="{place}_fb"/>'
                           "</respcondition>")
        items.append(ITEM.format(name=f"q{number:03d}", title=f"{number:03d} {page}", asked=text(asked), labels=labels,
                                 conditions=conditions, feedback=feedback))
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<questestinterop xmlns="{QTI}"><assessment '
            'ident="dau" title="Decision-Aligned Uncertainty"><section ident="root_section">' + "\n".join(items)
            + "</section></assessment></questestinterop>\n")
