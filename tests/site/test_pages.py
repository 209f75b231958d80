"""What the pages promise: every cell ran, figures have words, numbers come from cells, the ledger resolves."""

import ast
import csv
import gzip
import importlib
import json
import posixpath
import re
import zipfile
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.inventory import InventoryFile

from tools.build import reach

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path for path in (ROOT / "book").rglob("*.md") if path.parent.name != "graded")
CHECK = re.compile(r"\[(static, )?(quiet-)?check\b")
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```\s*$", re.S | re.M)
CHAPTERS = [path for part in ("foundations", "implicit_priors", "pwu", "forecasts", "experiments", "cases", "imprecise")
            for path in sorted((ROOT / "book" / part).glob("*.md")) if path.stem != "about"]
INSIDE = re.compile(r"families\.|scorer|validation|algebra")  # the package's own
NOTEBOOKS = [path for path in PAGES if CELL.search(path.read_text())]


def name(path):
    return str(path.relative_to(ROOT / "book"))


def cells(path):
    """Tags and code of every cell."""
    for body in CELL.findall(path.read_text()):
        head = re.match(r"(---\n.*?^---\n|(?::[^\n]*\n)*)", body, re.S | re.M).group(0)
        yield head, body[len(head):]


def built(path, site):
    return site / path.relative_to(ROOT).with_suffix(".html")


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=name)
def notebook(request, site):
    """A page with cells, and what is built of it."""
    return request.param, BeautifulSoup(built(request.param, site).read_text(), "html.parser")


@pytest.fixture(scope="module", params=CHAPTERS, ids=name)
def chapter(request, site):
    """A chapter of Parts I to III, and what is built of it."""
    return request.param, BeautifulSoup(built(request.param, site).read_text(), "html.parser")


def test_every_page_of_the_book_is_in_the_contents():
    listed = set(re.findall(r"(?:root|file):\s*(\S+)", (ROOT / "_toc.yml").read_text()))
    assert listed == {str(path.relative_to(ROOT).with_suffix("")) for path in PAGES}


def test_every_visible_cell_is_on_the_page(notebook):
    path, soup = notebook
    visible = [code for head, code in cells(path) if not re.search("remove-(cell|input)", head)]
    assert len(soup.select("div.cell_input")) == len(visible)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_every_cell_ran(path, site):
    """The executed notebook behind the download button has the outputs that its cells leave."""
    notebook = json.loads((site / "_sources" / path.relative_to(ROOT).with_suffix(".ipynb")).read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) == len(list(cells(path)))
    for cell, (head, body) in zip(code, cells(path), strict=True):
        kinds = {output["output_type"] for output in cell["outputs"]}
        assert "error" not in kinds
        last = ast.parse(body).body[-1]
        if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Call):
            assert "execute_result" in kinds, body
        if "alt:" in head:  # an instrument has its own words
            assert any("image/svg+xml" in output.get("data", {}) for output in cell["outputs"]), body


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_downloaded_notebook_reads_like_its_page(path, site):
    """No role, directive, empty link or tag of the page is left, and machinery is folded."""
    notebook = json.loads((site / "_sources" / path.relative_to(ROOT).with_suffix(".ipynb")).read_text())
    text = [re.sub(r"```.*?```|`[^`]*`", "", "".join(cell["source"]), flags=re.S) for cell in notebook["cells"]
            if cell["cell_type"] == "markdown"]
    raw = re.compile(r"\{[a-z:]+\}`|```\{|\[\]\(|:label:|</?(div|span|p)\b")
    assert text and not [found[0] for words in text for found in raw.finditer(words)]
    hidden = ["jupyter" in cell["metadata"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert hidden == ["hide-input" in head or "remove-" in head or "check" in head or "setup" in head
                      for head, _ in cells(path)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_captions_in_a_notebook_are_those_of_its_page(path, site):
    """Kind and number, in the page's order."""
    page = BeautifulSoup((site / path.relative_to(ROOT).with_suffix(".html")).read_text(), "html.parser")
    notebook = json.loads((site / "_sources" / path.relative_to(ROOT).with_suffix(".ipynb")).read_text())
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    ours = [number.get_text().strip() for number in page.select("figcaption .caption-number")]
    assert re.findall(r"^_((?:Fig\.|Table) [\d.]+)", text, re.M) == ours


def test_the_columns_of_a_page_are_said_before_its_text(site):
    """What is parsed after the text, as the contents are, must not move it."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        if '<div class="sheet' in text:
            assert ('<div class="sheet with-contents">' in text) == ('<nav id="contents"' in text), path
    assert ".sheet:has(" not in (site / "_static" / "book.css").read_text(encoding="utf-8")


def test_every_figure_has_alt_text(notebook):
    """The pictures that cells have drawn: set into the page as SVG, or a file beside it."""
    path, soup = notebook
    alts = [tag.get("alt") or tag.get("aria-label") or "" for tag in soup.select(
        "img[src*='_images/'], svg.drawing:not(.opening *)")]  # what opens a chapter shows a figure again
    assert all(len(alt) > 40 for alt in alts)
    assert len(set(alts)) == len(alts) >= sum("alt:" in head for head, _ in cells(path))


RAW = re.compile(r"np\.|array\(|\d\.\d{7,}|Piecewise\(|Interval[.(]|dtype:|cells are there|"
                 r"^[({\[].*[)}\]]$|^-?\d+\.\d{5,}$", re.M)


def test_what_a_cell_shows_can_be_read(notebook):
    """Sentences, tables, formulas and pictures: no bare tuple, dict, array or counter."""
    _, soup = notebook
    shown = [output.get_text().strip() for output in soup.select(
        "div.cell_output > :is(div.output.text_plain, div.output.stream, p.said)")]
    assert not [text for text in shown if RAW.search(text)]
    cells_of_tables = [cell.get_text().strip() for cell in soup.select("div.cell_output :is(td, tbody th)")
                       if not cell.find("math")]
    six_digits = re.compile(r"[-\u2212]?\d+\.\d{5,6}")
    assert not [text for text in cells_of_tables if RAW.search(text) and not six_digits.fullmatch(text)]


def test_a_cell_that_is_shown_shows_something(notebook):
    """None is without output; checks and preparations are one line, folded, with words."""
    _, soup = notebook
    shown = [cell for cell in soup.select("div.cell") if not cell.find_parent("details", class_=["check", "fold"])]
    silent = [cell for cell in shown if not cell.select_one(".cell_output")]
    assert not silent, [cell.get_text()[:200] for cell in silent]


def test_an_aside_is_called_one_once(notebook):
    _, soup = notebook
    assert not [fold.get_text() for fold in soup.select("summary") if fold.get_text().count("Aside") > 1]


def test_every_check_has_words_and_a_tick_under_a_theorem(notebook):
    path, soup = notebook
    words = [summary.get_text() for summary in soup.select("details.check:not(.all) > summary")]
    assert len(words) == sum(bool(CHECK.search(head)) for head, _ in cells(path))
    assert all(len(text) > 15 for text in words)
    for check in soup.select("details.check:not(.all, .all *)"):  # a tick stands under what can be proved
        section, ticked = check.find_parents("section")[-2], check.summary.get_text().startswith("✓")
        proved = ".proof:is(.theorem, .proposition, .lemma, .corollary)"
        before = [box for box in section.select(proved) if check in box.find_all_next("details")]
        assert ticked == (bool(before) and check.find_parent(class_="solution") is None), check.summary.get_text()
    checks = [code for head, code in cells(path) if CHECK.search(head)]
    assert all(("assert" in code or "check_family" in code) and "print(" in code for code in checks)


def main_text(soup, short=False):
    """How many words of a chapter are read: no code, formulas, tables, captions, folds, questions or exercises."""
    article = BeautifulSoup(str(soup.select_one("article.text")), "html.parser")
    for part in article.select("section#exercises, section#three-quick-questions, details, div.cell, table, figure, "
                               f".math, aside.margin, .headerlink, .tip{', .long' if short else ''}"):
        part.decompose()
    return len(re.findall(r"[A-Za-z][\w'’-]*", article.get_text(" ")))


def test_a_short_path_takes_the_share_of_the_time_that_it_says(chapter):
    path, soup = chapter
    text, share = path.read_text(), main_text(soup, short=True) / main_text(soup)
    long = int(re.search(r"\*\*Time\*\*: (\d+) minutes", text)[1])
    short = int(re.search(r"\*\*Short path\*\* \((\d+) minutes\)", text)[1])
    assert abs(short / long - share) < 0.2, (short / long, share)


def test_a_chapter_folds_code_asides_and_solutions_and_nothing_else(chapter):
    _, soup = chapter
    folds = [" ".join(summary.get_text().split()) for summary in soup.select("article details:not(.check) > summary")]
    assert not [words for words in folds if not re.match(r"Code|Aside: |Solution to ", words)]
    assert "Reader's note" not in soup.get_text() and "Read it as a decision" not in soup.get_text()


def test_a_chapter_ends_with_a_line_to_the_record(chapter):
    end = chapter[1].select_one("section#where-to-go-next")
    assert "In the record" in end.get_text() and end.select_one("a[href*='record/']")


def test_a_chapter_s_figures_are_legible_and_say_what_they_show(chapter):
    """Letters grow where a drawing is shown small, and a caption is a sentence with a direction or a finding."""
    _, soup = chapter
    drawings = soup.select("div.cell_output svg.drawing")
    assert drawings or soup.select(".instrument")
    assert all("--hand" in drawing.get("style", "") for drawing in drawings)
    captions = [caption.get_text().strip() for caption in soup.select(
        "figure:has(svg.drawing, .instrument) > figcaption .caption-text")]
    assert captions and all(caption.endswith(".") and len(caption.split()) > 8 for caption in captions), captions


NUMBER = r"(?:\(?(?:[A-L]\.)?\d[\w.()]*|[A-L]\b)"  # of a statement: 3.4, F.1, (4), E
ALLOWED = [
    r"^---\n.*?^---\n",                                # header
    r"^```+\{(?:code-cell|math|bibliography|eval-rst)\}.*?^```+\s*$",
    r"^```(?:python|bash|bibtex|html|markdown)\n.*?^```\s*$", r"<!--.*?-->",
    r"^`{3,}\{[^\n]*$",                                # the first line of a directive
    r"\$\$.*?\$\$", r"\$[^$]*\$",                      # formulas
    r"\{[\w:-]+\}`[^`]+`", r"(?<!`)`[^`\n]+`(?!`)",    # roles, code
    r"\]\([^)]*\)", r"^\([\w-]+\)=$", r"^:[\w-]+:[^\n]*$",
    r"^- [^\n]*\b(?:arXiv|doi) [^\n]*$",                # an entry of a list of sources
    r"(?i)\b(?:definition|desideratum|assumption|proposition|lemma|remark|section|appendix|appendice|chapter|part|equation|corollary|table|"
    r"figure|footnote|arxiv)s?\s+" + NUMBER + r"(?:(?:,| and| to)\s+" + NUMBER + ")*",
    r"\b(?:50|80|90|95)% (?:sure|intervals?|confidence|power|quantile)", r"\b5% on either side", r"\bcoverage of 90%",
    r"\b(?:middle|covers) 95%", r"\b[Ss]teps? \d+(?: to \d+)?",
    r"CC BY 4\.0", r"Python 3\.\d+(?: to 3\.\d+)?", r"0-1 loss", r"\*\*Time\*\*: \d+ minutes(?:, and \d+ for)?",
    r"\*\*Short path\*\* \(\d+ minutes\)",
    r"^\|[^\n]*\|$",                                     # tables of names and minutes
    r"^\d+\. ", r"\bC\.\d\b",
    r"“[^”\n]*”",                                         # the words of others
]


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_no_number_is_typed_into_prose(path):
    """Costs and counts of an exercise's question are given, not results; they are left out."""
    text = path.read_text()
    text = re.sub(r"```\{exercise-start\}.*?```\{exercise-end\}", "", text, flags=re.S)
    for pattern in ALLOWED:
        text = re.sub(pattern, " ", text, flags=re.S | re.M)
    found = re.findall(r"[^\n]*(?<![\w#-])\d[\d.,]*%?[^\n]*", text)
    assert not found, found[:5]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_code_fits_on_the_page_without_scrolling(path):
    shown = [line for head, code in cells(path) if "remove-cell" not in head for line in code.splitlines()]
    assert max(map(len, shown), default=0) <= 80


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_every_exercise_has_an_asserted_solution(path):
    text = path.read_text()
    solutions = re.findall(r"\{solution-start\}(.*?)\{solution-end\}", text, re.S)
    assert len(solutions) == text.count("{exercise-start}")
    assert all("assert" in solution for solution in solutions)


def ledger():
    with open(ROOT / "packages" / "pwu_book" / "tables" / "claims.csv", newline="") as file:
        return list(csv.DictReader(file))


def doors():
    with open(ROOT / "packages" / "pwu_book" / "tables" / "doors.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", doors(), ids=lambda row: f"{row['source']}, {row['place']}")
def test_a_door_leads_to_places_and_rows_that_are_there(row, site):
    """A reader of a source finds each of its items in two clicks: this row, and a chapter or a page of the record."""
    known = {(one["source"], one["number"]) for one in ledger()}
    assert all((row["source"], number) in known for number in row["rows"].split(";"))
    for place in (row["chapter"], row["record"]):
        page, _, anchor = place.partition("#")
        assert f'id="{anchor}"' in (site / "book" / f"{page}.html").read_text()


VERDICTS = {"definition", "holds", "holds with a caveat", "does not hold as stated", "replicated",
            "direction replicated", "not replicated", "not replicable here"}


@pytest.mark.parametrize("row", ledger(), ids=lambda row: f"{row['source']}, {row['number']}")
def test_ledger_row(row, site):
    assert row["verdict"] in VERDICTS and row["released"] in VERDICTS | {""}
    assert row["evidence"] in ("proved", "decided", "tried")
    assert row["number"] in (site / "book" / "record" / "claims.html").read_text()
    page, _, place = row["anchor"].partition("#")
    assert f'id="{place}"' in (site / "book" / f"{page}.html").read_text()
    file, _, test = row["test"].partition("::")
    defined = {node.name for node in ast.walk(ast.parse((ROOT / file).read_text()))
               if isinstance(node, ast.FunctionDef)}
    assert test in defined


def test_the_site_offers_wheels_and_notebooks(site):
    """The wheels hold every file of the packages, so a downloaded notebook needs nothing else."""
    for package, largest in (("pwu_lite", 0.5e6), ("pwu_desk", 0.5e6), ("pwu_book", 11.3e6)):
        home = ROOT / reach.OWN[package]
        wheel, = (site / "downloads").glob(f"{package}-*.whl")
        assert wheel.stat().st_size < largest
        files = {path.relative_to(home.parent).as_posix() for path in home.rglob("*.*")
                 if path.is_file() and not {"__pycache__", f"{package}.egg-info", "build"} & set(path.parts)}
        own = {f"{package}/{name}" for name in ("pyproject.toml", "README.md")}
        assert files - own <= set(zipfile.ZipFile(wheel).namelist())
    offered = set(zipfile.ZipFile(site / "downloads" / "notebooks.zip").namelist())
    assert {path.relative_to(ROOT / "book").with_suffix(".ipynb").as_posix() for path in NOTEBOOKS} <= offered


def test_the_api_pages_have_everything_public(site):
    with (site / "objects.inv").open("rb") as file:
        known = InventoryFile.load(file, "", posixpath.join)
    documented = {name for kind, names in known.items() if kind.startswith("py:") for name in names}
    last = {name.rsplit(".", 1)[1] for name in documented if "." in name}
    paths = [(ROOT / home, path) for home in reach.OWN.values() for path in sorted((ROOT / home).rglob("*.py"))]
    for home, path in paths:
        parts = path.relative_to(home.parent).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        if not parts[-1].startswith("_") and not INSIDE.search(module):
            there = importlib.import_module(module)
            public = {name for name in getattr(there, "__all__", []) if callable(getattr(there, name))} - {"main"}
            assert not public - last, (module, public - last)


def test_results_name_their_command(site):
    for table in (ROOT / "packages" / "pwu_book" / "tables").glob("speed*.csv"):
        users = [path for path in NOTEBOOKS if table.name in path.read_text()]
        assert users and all("make benchmark" in path.read_text() for path in users)


def test_every_source_has_a_link(site):
    """But six, of which we know no lasting address."""
    entries = re.findall(r"@\w+\{(\w+),\n(.*?)\n\}", (ROOT / "book" / "references.bib").read_text(), re.S)
    without = {key for key, body in entries if not re.search(r"^  (doi|url) = ", body, re.M)}
    assert without <= {"osband", "buja", "elkan", "ferrer", "bruninx", "byanjankar"}
    page = BeautifulSoup((site / "book" / "reference" / "cite.html").read_text(), "html.parser")
    links = {link["href"] for link in page.select(".citation-list a[href^=http], dl a[href^=http]")}
    assert "https://arxiv.org/abs/2606.26990" in links and "https://doi.org/10.1111/rssb.12154" in links


def test_every_chapter_says_how_long_it_takes_and_the_core_is_four_hours():
    times = {}
    for path in CHAPTERS:
        long = re.search(r"\*\*Time\*\*: (\d+) minutes, and (\d+) for the exercises", path.read_text())
        times[path.stem] = int(long[1])
        assert int(re.search(r"\*\*Short path\*\* \((\d+) minutes\)", path.read_text())[1]) <= int(long[1])
    page = (ROOT / "book" / "start" / "idea.md").read_text()
    core = re.search(r"\*\*The core is six chapters, about four hours\*\*:(.*?)\. If you", page)[1]
    labels = {label: path.stem for path in CHAPTERS
              for label in re.findall(r"^\((ch-[\w-]+)\)=$", path.read_text(), re.M)}
    chosen = [labels[label] for label in re.findall(r"<(ch-[\w-]+)>", core)]
    assert len(chosen) == 6 and 210 <= sum(times[name] for name in chosen) <= 270


def test_tables_of_long_runs_say_where_they_come_from_and_are_small():
    tables = sorted((ROOT / "packages" / "pwu_book" / "tables").glob("*.csv.gz"))
    assert tables and sum(table.stat().st_size for table in tables) < 25e6
    for table in tables:
        with gzip.open(table, "rt") as file:
            head = dict(next(file)[2:].strip().split(": ", 1) for _ in range(4))
        head["command"] = re.sub(r" --datasets \w+ --keep", "", head["command"])  # rows of one data set run again
        assert list(head) == ["command", "versions", "seeds", "date"]
        task = table.name.split("_")[0]
        runs = {"binary", "regression", "multiclass", "multivariate"}
        command = {"bank": "examples.bank_calls", "groups": "studies groups", "few": "studies few_labels --jobs 2",
                   "quantiles": "studies quantiles", "coverage.csv.gz": "studies coverage",
                   "twins.csv.gz": "studies twins", "flusight.csv.gz": "studies flusight --hub FluSight-forecast-hub",
                   "readers": f"studies readers{' coverage' if 'coverage' in table.name else ''}"}.get(
                       task, f"{'runs' if task in runs else 'studies'} {task} --jobs 2")
        if task in ("framingham.csv.gz", "watching.csv.gz"):
            command = f"studies {task.partition('.')[0]}"
        if task in ("population", "authors", "nine"):
            command = f"runs {table.name.rpartition('_')[0]} --jobs 2"
        if table.name.startswith("released_multi"):
            command = f"runs {table.name.rpartition('_')[0]} --jobs 1"
        elif table.name == "released_wrong_priors.csv.gz":
            command = "runs.wrong_priors --jobs 2"
        elif task == "released":  # made on several machines, data set by data set; the page names the command for all
            kind = table.name.split("_")[1]
            assert head["command"].startswith(f"python -m pwu_book.runs released_{kind}")
            head["command"] = f"python -m pwu_book.{(command := f'runs.paper {kind} --protocol released --jobs 2')}"
        if task in ("paper", "both"):
            whole = table.name.split(".")[0].rpartition("_")[0]
            kind = "studies" if whole.rpartition("_")[2] in ("credit", "lending", "wind") else "runs"
            command = "runs.paper batch" if table.name == "paper_batch.csv.gz" else f"{kind} {whole} --jobs 2"
        assert head["command"] == f"python -m pwu_book.{command}"
        pages = [path for path in NOTEBOOKS if "tables.load" in path.read_text() and task in path.read_text()]
        assert pages and any(head["command"] in path.read_text() for path in pages)


def numbered():
    """The number of each chapter, in the order of the contents, by its labels."""
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text())["parts"]
    files = [chapter["file"] for part in parts if part.get("numbered") for chapter in part["chapters"]]
    return {label: number for number, file in enumerate(files, 1)
            for label in re.findall(r"^\(([\w-]+)\)=", (ROOT / f"{file}.md").read_text(), re.M)}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_link_names_the_number_of_its_chapter(path):
    links = re.findall(r"\{ref\}`(?:[Cc]hapters? )?(\d+)\s*<([\w-]+)>`", path.read_text())
    told, chapters = [(int(number), label) for number, label in links], numbered()
    assert told == [(chapters[label], label) for _, label in told]


def test_another_book_cites_three_theorems_and_the_gallery_is_a_file(site, tmp_path):
    """Another Sphinx book, built here, because only Sphinx reads an inventory as other books do."""
    cited = (ROOT / "book" / "reference" / "cite.md").read_text()
    labels = re.findall(r"\{external\+dau:ref\}`([\w-]+)`", cited)
    assert len(labels) == 3
    (tmp_path / "conf.py").write_text(f"""extensions = ["sphinx.ext.intersphinx"]
intersphinx_mapping = {{"dau": ("https://dau.example/", {str(site / "objects.inv")!r})}}
""")
    (tmp_path / "index.rst").write_text("Cited\n=====\n\n" + " ".join(
        f":external+dau:ref:`{label}`" for label in labels) + " :external+dau:py:class:`pwu_lite.PWU`\n")
    other = Sphinx(tmp_path, tmp_path, tmp_path / "out", tmp_path / "trees", "html", status=None, warningiserror=True)
    other.build()
    page = (tmp_path / "out" / "index.html").read_text()
    for label in labels:
        address = re.search(rf'href="https://dau.example/(\S+)#{label}"', page)
        assert f'id="{label}"' in (site / address[1]).read_text()
    assert re.search(r'href="https://dau.example/\S+#pwu_lite\S*PWU"', page)
    assert re.search(r">Theorem [\d.]+</", page)
    assert [row["id"] for row in json.loads((site / "scores.json").read_text())["scores"]][:2] == [
        "log-loss", "log-loss-clipped"]
    head = (site / "book" / "record" / "notes.html").read_text()
    assert '<meta name="citation_title" content="Notes to Parts I to III' in head


def test_the_page_on_citing_cites_the_release():
    cited, release = (ROOT / "book" / "reference" / "cite.md").read_text(), yaml.safe_load(
        (ROOT / "CITATION.cff").read_text())
    facts = dict(re.findall(r"^  (\w+) *= \{+(.*?)\}+,?$", cited.split("```")[1], re.M))
    assert facts["title"].replace("\\", "") == release["title"] and facts["version"] == release["version"]
    assert facts["author"] == release["authors"][0]["name"] and facts["year"] == f"{release['date-released']:%Y}"


def test_the_list_of_theorems_is_whole():
    """Every numbered statement of the contents, with its title."""
    listed = (ROOT / "book" / "reference" / "theorems.md").read_text()
    held = dict(re.findall(r"^- \{prf:ref\}`([^`]+)`\. (.+)$", listed, re.M))
    there = {label: title.strip() for path in PAGES for title, label in re.findall(
        r"^```\{prf:\w+\}([^\n]*)\n:label: (\S+)", path.read_text(), re.M)}
    assert held == there and len(held) > 80
