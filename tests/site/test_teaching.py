"""The teaching kit: questions in every chapter, decks and sheets that stand alone, courses that add up."""

import base64
import csv
import io
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from bs4 import BeautifulSoup
from sphinx_external_toc.parsing import parse_toc_yaml

from tools.extension import quiz
from tools.kit import course, slides, worksheets

ROOT = Path(__file__).resolve().parents[2]

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
CHAPTERS = [chapter["file"] for part in TOC["parts"] if "numbered" in part for chapter in part["chapters"]]
DECKS = sorted((ROOT / "book" / "teaching").glob("slides_*.md"))
SHEETS = sorted((ROOT / "book" / "teaching" / "sheets").glob("*.html"))


def questions(text):
    return re.findall(r"(?ms)^```\{quiz\} (.*?)^```$", text)


@pytest.mark.parametrize("file", CHAPTERS)
def test_every_chapter_ends_with_questions_and_computes_the_answers(file):
    text = (ROOT / f"{file}.md").read_text()
    section = text.partition("## Three quick questions\n")[2].partition("\n## ")[0]
    assert 3 <= len(questions(section)) <= 5 and len(questions(text)) == len(questions(section))
    assert re.search(r":tags: \[(?:quiet-)?check\]\n.*the answers, computed", section, re.S)


def test_the_place_of_an_answer_tells_nothing():
    places = [0, 0, 0, 0]
    for path in (ROOT / "book").rglob("*.md"):
        for question in questions(path.read_text()):
            asked, *answers = re.sub(r"\n  +", " ", question).strip().splitlines()
            places[[line[3] for line in quiz.in_turn(asked, answers)].index("x")] += 1
    assert sum(places) > 100 and max(places) < 0.45 * sum(places) and min(places[:3]) > 0.2 * sum(places), places


def test_a_course_has_five_questions_for_each_session():
    text = (ROOT / "book/teaching/worksheets.md").read_text()
    for session in ("Ninety minutes", "The week, session one", "The week, session two", "The week, session three"):
        section = text.partition(f"\n## {session}\n")[2].partition("\n## ")[0]
        assert len(questions(section)) == 5, session


def test_a_seminar_session_reads_chapters_with_five_questions_or_more():
    labels = {re.search(r"(?m)^\((ch-[\w-]+)\)=", (ROOT / f"{file}.md").read_text())[1]: file for file in CHAPTERS}
    text = (ROOT / "book/teaching/kit.md").read_text().partition("\n## A seminar")[2]
    rows = [row for row in re.findall(r"(?m)^\| \d+ \|.*", text.partition("## Each session")[0])]
    assert 12 <= len(rows) <= 14
    for row in rows[:-1]:
        read = re.findall(r"<(ch-[\w-]+)>", row)
        asked = sum(len(questions((ROOT / f"{labels[label]}.md").read_text())) for label in read)
        assert asked >= 5, row


def test_plans_by_minutes_have_no_gap():
    text = (ROOT / "book/teaching/kit.md").read_text()
    tables = re.findall(r"(?m)^\| Minutes \|.*\n(?:\|.*\n)+", text)
    assert len(tables) >= 5
    for table in tables:
        spans = [tuple(map(int, span)) for span in re.findall(r"(?m)^\| (\d+)-(\d+) \|", table)]
        assert spans[0][0] == 0 and spans[-1][1] == 90
        assert all(before[1] == after[0] for before, after in zip(spans, spans[1:], strict=False)), table


@pytest.mark.parametrize("path", DECKS, ids=lambda path: path.stem)
def test_a_deck_stands_alone(path, site):
    made = site / "slides" / f"{path.stem.removeprefix('slides_')}.html"
    text = made.read_text()
    soup = BeautifulSoup(text, "html.parser")
    count = path.read_text().count("\n## ") + 1 + ("{cite}" in path.read_text())
    assert len(soup.select(".slide")) == count >= (7 if path.stem == "slides_medical" else 9)
    assert not soup.select("img, link, iframe, [src], .math:not(:has(math))")
    assert not soup.select(".instrument:has(.controls):not(:has(script))")
    assert not re.search(r"url\((?!data:|#)", text) and not re.search(r"\{glue|\{ref\}|\{include|\{cite", text)
    assert all(slide.select_one(".notes") for slide in soup.select(".slide:not(.title)"))
    assert soup.title.string in path.read_text()


def test_the_plans_give_each_slide_its_minutes(site):
    deck = BeautifulSoup((site / "slides" / "foundations.html").read_text(), "html.parser").select(".slide")
    plan = (ROOT / "book/teaching/kit.md").read_text().partition("\n## A week")[0]
    for head, version, whole in (("", "minutes", 90), ("Talk, ", "talk", 45), ("Insert, ", "insert", 15)):
        minutes = {number: int(slide.get(f"data-{version}", 0)) for number, slide in enumerate(deck, 1)}
        table, = re.findall(rf"(?m)^\| {head}[Mm]inutes \|.*\n(?:\|.*\n)+", plan)
        shown = []
        for start, end, row in re.findall(r"(?m)^\| (\d+)-(\d+) (\|.*)$", table):
            first, *rest = map(int, re.findall(r"\d+", row.split("|")[2]))
            slides_of = list(range(first, (rest or [first])[-1] + 1))
            assert sum(minutes[number] for number in slides_of) == int(end) - int(start), row
            shown += slides_of
        assert shown == [number for number, length in minutes.items() if length]
        assert sum(minutes.values()) == whole


def test_the_other_plans_cite_slides_by_name(site):
    """No number of a slide is typed after the plan of ninety minutes; on the page each is that of the built deck."""
    source = (ROOT / "book/teaching/kit.md").read_text().partition("\n## A week")[2]
    assert not re.findall(r"slides? \d|deck_\w+\}\}, \d", source)
    cited = re.findall(r"\{slide\}`(\w+): ([^`]*)`", source)
    assert len(cited) > 50
    page = BeautifulSoup((site / "book/teaching/kit.html").read_text(), "html.parser").get_text()
    for deck, heading in cited:
        headings = [slide.select_one("h1, h2").get_text() for slide in BeautifulSoup(
            (site / "slides" / f"{deck}.html").read_text(), "html.parser").select(".slide")]
        number, = [place for place, words in enumerate(headings, 1)
                   if words.replace("\u2019", "'").startswith(heading) and place > 1]
        assert str(number) in page
    assert "Dinner" in headings or "The bill, slide 7, and where the two instruments act apart, slide 8" in page


@pytest.fixture(scope="module")
def exports(site):
    return zipfile.ZipFile(site / "downloads" / "quizzes.zip")


@pytest.fixture(scope="module")
def asked(site):
    """Of each question on the pages: its words and answers, and whether a drawing stands before it."""
    found = []
    for path in parse_toc_yaml(ROOT / "_toc.yml"):
        source = (ROOT / f"{path}.md").read_text()
        page = BeautifulSoup((site / f"{path}.html").read_text(), "html.parser")
        for fieldset in page.select("fieldset.quiz")[:source.count("\n```{quiz}")]:
            before = fieldset.find_previous_sibling()
            drawing = before and before.select_one("svg[aria-label]")
            found.append((len(fieldset.select("label")), drawing["aria-label"] if drawing else None))
    assert len(found) > 100 and sum(words is not None for _, words in found) > 25
    return found


def picture_of(text):
    """The alt text and the address of the picture in a question, if it has one."""
    image = BeautifulSoup(text, "html.parser").img
    return (image["alt"], image["src"]) if image else (None, "")


def test_moodle_reads_every_question_with_its_picture(exports, asked):
    quiz = ElementTree.fromstring(exports.read("quizzes-moodle.xml"))
    items = [item for item in quiz if item.get("type") == "multichoice"]
    assert len(items) == len(asked)
    for item, (answers, words) in zip(items, asked, strict=True):
        alt, address = picture_of(item.findtext("questiontext/text"))
        files = {f"@@PLUGINFILE@@/{file.get('name')}": file.text for file in item.findall("questiontext/file")}
        assert alt == words and ({address} - {""} == set(files))
        for content in files.values():
            assert ElementTree.fromstring(base64.b64decode(content)).tag.endswith("svg")
        fractions = [answer.get("fraction") for answer in item.findall("answer")]
        assert sorted(fractions) == ["0"] * (answers - 1) + ["100"]
        assert all(answer.findtext("feedback/text") for answer in item.findall("answer"))


def test_gift_has_the_pictures(exports, asked):
    """By Moodle's rule: a backslash stands before each sign that GIFT would read."""
    text = exports.read("quizzes.gift.txt").decode()
    heads = re.findall(r"(?m)^::.*?(?<!\\)::\[html\](.*?)(?<!\\)\{", text)
    assert len(heads) == len(asked)
    for head, (_, words) in zip(heads, asked, strict=True):
        alt, address = picture_of(re.sub(r"\\([\\~=#{}:])", r"\1", head))
        assert alt == words
        if words:
            ElementTree.fromstring(base64.b64decode(address.removeprefix("data:image/svg+xml;base64,")))


def test_qti_is_a_bank_for_each_chapter_with_all_files_there(exports, asked):
    package = zipfile.ZipFile(io.BytesIO(exports.read("quizzes-qti.zip")))
    spaces = {"m": "http://www.imsglobal.org/xsd/imscp_v1p1", "q": "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"}
    listed = [file.get("href") for file in ElementTree.fromstring(package.read("imsmanifest.xml")).iterfind(
        ".//m:file", spaces)]
    assert sorted(listed) == sorted(set(package.namelist()) - {"imsmanifest.xml"})
    items = [item for name in listed if name.endswith(".xml")
             for item in ElementTree.fromstring(package.read(name)).iterfind(".//q:item", spaces)]
    assert [item.get("ident") for item in items] == [f"q{number:03d}" for number in range(1, len(asked) + 1)]
    for item, (answers, words) in zip(items, asked, strict=True):
        alt, address = picture_of(item.findtext("q:presentation/q:material/q:mattext", None, spaces))
        assert alt == words and len(item.findall(".//q:response_label", spaces)) == answers
        if words:
            ElementTree.fromstring(package.read(address.removeprefix("$IMS-CC-FILEBASE$/")))
        right = [one for one in item.iterfind(".//q:respcondition", spaces) if one.find("q:setvar", spaces) is not None]
        assert len(right) == 1


def test_the_table_has_addresses_pictures_and_all_reasons(exports, asked, site):
    rows = list(csv.DictReader(io.StringIO(exports.read("quizzes.csv").decode())))
    for row, (answers, words) in zip(rows, asked, strict=True):
        assert (site / row["address"]).is_file() and row["picture in words"] == (words or "")
        assert not row["picture"] or "var(" not in exports.read(row["picture"]).decode()
        for kind in ("answer", "why"):
            assert [bool(row[f"{kind} {k}"]) for k in "ABCDE"] == [k < answers for k in range(5)]


def test_a_poll_is_the_quiz_of_the_page(site):
    deck = BeautifulSoup((site / "slides" / "foundations.html").read_text(), "html.parser")
    asked = [poll.select_one(".asked").get_text() for poll in deck.select(".poll")]
    page = BeautifulSoup((site / "book/teaching/worksheets.html").read_text(), "html.parser")
    assert asked == [quiz.select_one(".question").get_text() for quiz in page.select(".quiz")[:5]]
    for poll in deck.select(".poll"):
        assert len(poll.select("li.right")) == 1 and poll.select_one(".why.step strong")


def test_there_is_a_deck_for_each_part():
    parts = [part for part in TOC["parts"] if "numbered" in part]
    assert len(DECKS) == len(parts) + 1  # and an opening with patients


def test_a_slide_without_notes_is_refused():
    section = BeautifulSoup("<section><h2>One</h2><p>Words.</p></section>", "html.parser").section
    with pytest.raises(ValueError, match="no notes with 'One'"):
        slides.sheet(section, 1, "Deck")


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_a_worksheet_is_set(path, site):
    text = (site / "worksheets" / path.name).read_text()
    body = BeautifulSoup(text, "html.parser").body
    assert "$" not in body.get_text() and not body.select("axes, rule") and body.select("svg[aria-label]")
    assert not re.search(r"\b(src|href)=", str(body)) and not re.search(r"url\((?!data:)", text)


def test_empty_axes_reach_their_ends():
    drawn = worksheets.axes(x="c", y="cost", xmin="-1", xmax="1", xstep="0.5", ymax="2", ystep="1")
    assert re.findall(r">([-\d.]+)</text>", drawn) == ["-1", "-0.5", "0", "0.5", "1", "0", "1", "2"]


@pytest.mark.parametrize("plan, number, decks, sheets, pages", [
    ("seminar", 3, ["implicit"], ["2"], ["implicit_priors/binary_priors", "implicit_priors/regression_priors"]),
    ("week", 2, ["implicit", "foundations"], ["2"], ["foundations/metrics", "foundations/alignment",
                                                     "implicit_priors/binary_priors"]),
    ("seminar-2026", 2, ["forecasts"], ["8"], ["forecasts/answers"]),
    ("seminar-2026", 4, [], ["9"], ["start/many", "experiments/watching"]),
])
def test_a_session_has_what_its_row_of_the_plan_says(plan, number, decks, sheets, pages):
    assert course.session(ROOT, plan, number) == (decks, sheets, [f"book/{page}" for page in pages])


def test_a_session_that_no_plan_has_is_refused():
    with pytest.raises(ValueError, match=r"the week has the sessions 1, 2, 3, not 4"):
        course.session(ROOT, "week", 4)


def test_the_folder_of_a_session_is_whole(tmp_path):
    """Slides, a sheet, notebooks to hand out and to grade, and no answer in what students get."""
    site, target = ROOT / "_build" / "html", tmp_path / "seminar-03"
    said = course.pack(ROOT, site, course.session(ROOT, "seminar", 3), target)
    held = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    names = ("05_binary_priors", "06_regression_priors")
    assert held >= {"slides-implicit.html", "worksheet-2.html", "questions.zip", "answers.html",
                    "nbgrader/nbgrader_config.py", *(f"hand-out/{name}.ipynb" for name in names),
                    *(f"keep/{name}.ipynb" for name in names),
                    *(f"nbgrader/source/{name}/{name}.ipynb" for name in names)}
    printed = {"slides-implicit.pdf", "worksheet-2.pdf", "answers.pdf"}
    assert held >= printed if not said else "print them to a file" in said[0]
    for name in names:
        text = (target / "hand-out" / f"{name}.ipynb").read_text()
        assert "HIDDEN" not in text and "### SOLUTION" not in text and '"nbgrader"' in text
    answers = BeautifulSoup((target / "answers.html").read_text(), "html.parser")
    with zipfile.ZipFile(target / "questions.zip") as archive:
        rows = list(csv.reader(io.StringIO(archive.read("quizzes.csv").decode())))[1:]
    assert len(rows) == len(answers.select("ol")) >= 6
    assert all(len([line for line in box.select("li > b")]) == 1 for box in answers.select("ol"))
