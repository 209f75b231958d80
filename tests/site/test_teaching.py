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
from tools.kit import course, plans, slides, worksheets

ROOT = Path(__file__).resolve().parents[2]

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
CHAPTERS = [chapter["file"] for part in TOC["parts"] if "numbered" in part for chapter in part["chapters"]]
DECKS = sorted((ROOT / "book" / "teaching").glob("slides_*.md"))
PLANS = plans.read(ROOT)
SHEETS = sorted((ROOT / "book" / "teaching" / "sheets").glob("*.html"))


def questions(text):
    return re.findall(r"(?ms)^```\{quiz\} (.*?)^```$", text)


@pytest.mark.parametrize("file", CHAPTERS)
def test_every_chapter_asks_before_its_exercises_and_computes_the_answers(file):
    text = (ROOT / f"{file}.md").read_text()
    before, _, after = text.partition("\n## Exercises\n")
    assert 3 <= len(questions(before)) <= 5 and not questions(after)
    assert re.search(r":tags: \[(?:quiet-)?check\]\n(?:(?!^```).*\n)*.*the answers, computed", before, re.M)


def test_questions_stand_where_a_reader_meets_them():
    """In half of the chapters after the section that they ask about."""
    at_the_end = [file for file in CHAPTERS if "\n## Three quick questions\n" in (ROOT / f"{file}.md").read_text()]
    assert 2 * len(at_the_end) <= len(CHAPTERS)


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
    rows = PLANS["sessions"]["seminar"]["rows"]
    assert 12 <= len(rows) <= 14
    for row in rows[:-1]:
        read = re.findall(r"<(ch-[\w-]+)>", row["Read (before it; session one: after it)"])
        asked = sum(len(questions((ROOT / f"{labels[label]}.md").read_text())) for label in read)
        assert asked >= 5, row


def test_plans_by_minutes_have_no_gap():
    """The tables that stand on the page; those of plans are added up from their rows."""
    text = (ROOT / "book/teaching/kit.md").read_text()
    tables = re.findall(r"(?m)^\| Minutes \|.*\n(?:\|.*\n)+", text)
    assert len(tables) == 2
    for table in tables:
        spans = [tuple(map(int, span)) for span in re.findall(r"(?m)^\| (\d+)-(\d+) \|", table)]
        assert spans[0][0] == 0 and spans[-1][1] == 90
        assert all(before[1] == after[0] for before, after in zip(spans, spans[1:], strict=False)), table


def test_plans_take_the_time_that_they_say():
    lengths = {"talk": 45, "insert": 15, "medical": 40} | dict.fromkeys(
        ("ninety", "seminar-1", "week-1", "week-2", "week-3"), 90)
    words = {30: "thirty minutes", 40: "forty minutes"}
    for name, plan in PLANS["by_minutes"].items():
        whole = sum(row.get("minutes") or sum(row["slides"].values()) for row in plan["rows"])
        assert whole == lengths.get(name, 30), name
        if name == plan["deck"]:
            assert words[whole] in (ROOT / f"book/teaching/slides_{name}.md").read_text(), name


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


def headings(site, deck):
    slides = BeautifulSoup((site / "slides" / f"{deck}.html").read_text(), "html.parser").select(".slide")
    return slides, [slide.select_one("h1, h2").get_text().replace("\u2019", "'") for slide in slides]


@pytest.mark.parametrize("plan", PLANS["by_minutes"])
def test_the_speakers_window_has_the_minutes_of_every_plan(plan, site):
    """Each slide that a plan names has its minutes in the built deck, and no other slide has any."""
    own = PLANS["by_minutes"][plan]
    named = {}
    for row in own["rows"]:
        for name, length in row.get("slides", {}).items():
            deck, words = name.split(": ") if name.startswith("foundations: ") else (own["deck"], name)
            named.setdefault(deck, {})[words] = length
    for deck, wanted in named.items():
        slides, titles = headings(site, deck)
        told = {title: float(slide[f"data-{plan}"].split()[0]) for slide, title in zip(slides, titles, strict=True)
                if f"data-{plan}" in slide.attrs}
        assert len(told) == len(wanted)
        for words, length in wanted.items():
            assert [told[title] for title in told if formula_free(title).startswith(formula_free(words))] == [length]


@pytest.mark.parametrize("deck, plan, until", [
    ("foundations", "week-1", {"Every cost share at once": 70, "Where the example breaks": 90}),
    ("implicit", "week-2", {"Proper, calibrated, cheap": 60}), ("foundations", "week-2", {"A better forecast": 75}),
    ("pwu", "week-3", {"The card": 77}), ("foundations", "seminar-1", {"Every cost share at once": 62}),
    ("experiments", "seminar-8", {"What an interval covers": 35})])
def test_the_clock_counts_rows_without_slides(deck, plan, until, site):
    slides, titles = headings(site, deck)
    for words, minute in until.items():
        slide, = [slide for slide, title in zip(slides, titles, strict=True) if title.startswith(words)]
        assert float(slide[f"data-{plan}"].split()[1]) == minute


def formula_free(words):
    return re.sub(r"[^A-Za-z ,:?']", "", words)


def test_a_deck_without_a_question_has_minutes_on_all_its_slides(site):
    for path in DECKS:
        slides, titles = headings(site, path.stem.removeprefix("slides_"))
        without = [title for slide, title in zip(slides, titles, strict=True) if "data-minutes" not in slide.attrs]
        assert without[1:] in ([], ["Sources"]), path


def test_plans_on_the_page_have_the_numbers_of_the_built_decks(site):
    """The page's tables against the headings of the built decks, row by row."""
    page = BeautifulSoup((site / "book/teaching/kit.html").read_text(), "html.parser")
    tables = {" ".join(table.select_one("tr").stripped_strings): table for table in page.select("table")}
    rows = [[cell.get_text(" ", strip=True) for cell in row.select("td")] for row in page.select("tr")]
    titles = headings(site, "foundations")[1]
    dinner = titles.index("Dinner") + 1
    assert ["18-30", "Dinner, and why the bills differ. A poll.", f"{dinner} to {dinner + 2}",
            "explain it to a neighbour"] in rows
    better = titles.index("A better forecast, a worse score") + 1
    assert ["60-75", "Four numbers; the second half of the sheet", f"the slides of Part I , {better}",
            "compute the four"] in rows
    week = next(table for head, table in tables.items() if head.startswith("Session Before it"))
    links = [link["href"].rpartition("/")[2] for link in week.select('a[href*="/slides/"]')]
    assert links == ["foundations.html?week-1", "implicit.html?week-2", "foundations.html?week-2", "pwu.html?week-3"]
    assert [link.get_text() for link in week.select('a[href*="/worksheets/"]')] == [
        "worksheet 1", "worksheet 2", "worksheet 3"]


@pytest.mark.parametrize("page", ["kit", "slides", "worksheets", *(path.stem for path in DECKS)])
def test_no_number_of_a_slide_is_typed(page):
    text = (ROOT / f"book/teaching/{page}.md").read_text()
    numbers = r"(\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    assert not re.findall(rf"\bslides? {numbers}|deck_\w+\}}\}}, \d|worksheet {numbers}", text, re.IGNORECASE)


def test_a_name_that_no_slide_or_sheet_has_stops_the_build():
    with pytest.raises(ValueError, match=r"0 slides of 'foundations' begin with 'Supper': name one of \['Two instr"):
        plans.slide(ROOT, "foundations: Supper")
    with pytest.raises(ValueError, match=r"5 slides of 'foundations' begin with 'Poll'"):
        plans.slide(ROOT, "foundations: Poll")
    with pytest.raises(ValueError, match=r"0 worksheets begin with 'Draw the line'"):
        plans.sheet(ROOT, "Draw the line")


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


@pytest.mark.parametrize("words", ["After a month, of ten: five or six?", "A single answer?",
                                   "Less or quite a lot more?"])
def test_a_vote_whose_words_are_no_options_is_refused(words):
    with pytest.raises(ValueError, match="A, B or C"):
        slides.hands(BeautifulSoup(f'<div class="vote counted">{words}</div>', "html.parser").div)


def test_a_slide_without_notes_is_refused():
    section = BeautifulSoup("<section><h2>One</h2><p>Words.</p></section>", "html.parser").section
    with pytest.raises(ValueError, match="no notes with 'One'"):
        slides.sheet(section, 1, "Deck", {})


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
    ("seminar-2026", 4, ["experiments"], ["9"], ["start/many", "experiments/watching"]),
])
def test_a_session_has_what_its_row_of_the_plan_says(plan, number, decks, sheets, pages):
    wanted = (f"{plan}-{number}", decks, sheets, [f"book/{page}" for page in pages])
    assert course.session(ROOT, plan, number)[:4] == wanted


def test_a_session_works_on_what_its_row_says():
    assert course.session(ROOT, "week", 1).worked == []
    assert course.session(ROOT, "week", 2).worked == ["book/implicit_priors/binary_priors"]
    assert "book/teaching/room" in course.session(ROOT, "seminar", 6).worked
    with pytest.raises(ValueError, match="the site has no book/teaching/room.html"):
        course.turns(ROOT, ROOT / "nowhere", course.session(ROOT, "seminar", 6)._replace(
            worked=["book/teaching/room"]), "https://example.org")


def test_a_session_that_no_plan_has_is_refused():
    with pytest.raises(ValueError, match=r"the week has the sessions 1 to 3, not 4"):
        course.session(ROOT, "week", 4)


def test_a_course_ends_in_its_exercises_as_codes_to_scan(tmp_path):
    segno = pytest.importorskip("segno")
    found, site = course.session(ROOT, "seminar", 3), ROOT / "_build" / "html"
    if not (site / "exercises").exists():  # a site that was built without the browser's Python
        with pytest.raises(ValueError, match="nothing to scan: make live, make book"):
            course.pack(ROOT, site, found, tmp_path / "made", "https://example.org/book/index.html")
        pytest.skip("make live, make book: the exercises have pages then")
    course.pack(ROOT, site, found, tmp_path / "made", "https://example.org/book/index.html")
    deck = BeautifulSoup((tmp_path / "made" / "slides-implicit.html").read_text(), "html.parser")
    shown = [slide.select_one("p").get_text() for slide in deck.select("main > section[id^=turn]")]
    assert shown == [f"https://example.org/book/exercises/{name}.html"
                     for name in ("05_binary_priors", "06_regression_priors")]
    assert all((site / link.removeprefix("https://example.org/book/")).exists() for link in shown)
    drawn = BeautifulSoup(segno.make(shown[0], error="m").svg_inline(scale=9, light="#fff", border=4), "html.parser")
    assert deck.select("section[id^=turn] path")[1]["d"] == drawn.select("path")[1]["d"]


@pytest.mark.parametrize("path", DECKS, ids=lambda path: path.stem)
def test_at_least_every_third_slide_has_a_picture(path, site):
    slides, titles = headings(site, path.stem.removeprefix("slides_"))
    pictures = [bool(slide.select("svg")) for slide, title in zip(slides, titles, strict=True)
                if title not in ("Sources", "Take home", "Vote again")]
    assert all(any(pictures[k:k + 3]) for k in range(1, len(pictures) - 2)), pictures
    counted = [vote for slide in slides for vote in slide.select(".vote")]
    assert counted and all(len(vote.select("input")) >= 2 for vote in counted)


def test_the_answers_of_a_session_are_those_to_its_sheet_and_its_votes(tmp_path):
    site, target = ROOT / "_build" / "html", tmp_path / "week-01"
    course.pack(ROOT, site, course.session(ROOT, "week", 1), target)
    answers = BeautifulSoup((target / "answers.html").read_text(), "html.parser")
    assert [title.get_text() for title in answers.select("h2")][0] == "Worksheet 1"
    table = answers.select_one("table").get_text(" ").split()
    assert table[:6] == ["Ada", "Ben", "c", "=", "0.03", "0.0150"] and not answers.select("pre, button, details")
    asked = [line.get_text() for line in answers.select("p:has(> b)")]
    assert sum("A needless check costs two" in line for line in asked) == 1  # a vote of the first session
    assert not any("A proper score charges half" in line for line in asked)  # and not of the second
    with zipfile.ZipFile(target / "questions.zip") as archive:
        assert "A needless check costs two" in archive.read("quizzes.csv").decode()
    starts = [course.of_sheet(site, str(number)) for number in range(1, len(course.NUMBERS) + 1)]
    assert len(starts) == len(list((ROOT / "book/teaching/sheets").glob("*.html"))) == len(set(starts))


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
    assert '<html data-plan="seminar-3"' in (target / "slides-implicit.html").read_text()
    assert ">Name" not in (target / "answers.html").read_text()
    printed = {"slides-implicit.pdf", "worksheet-2.pdf", "answers.pdf"}
    assert held >= printed if not said else "print them to a file" in said[0]
    for name in names:
        text = (target / "hand-out" / f"{name}.ipynb").read_text()
        assert "HIDDEN" not in text and "### SOLUTION" not in text and '"nbgrader"' in text
        assert text.count('"deletable": false') == text.count('"nbgrader"') > 4
    answers = BeautifulSoup((target / "answers.html").read_text(), "html.parser")
    with zipfile.ZipFile(target / "questions.zip") as archive:
        rows = list(csv.reader(io.StringIO(archive.read("quizzes.csv").decode())))[1:]
    assert len(rows) == len(answers.select("ol")) >= 6
    assert all(len([line for line in box.select("li > b")]) == 1 for box in answers.select("ol"))
