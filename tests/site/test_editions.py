"""Editions: what is made of a page, without a browser; the whole is made by `make editions`."""

import io
import zipfile
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from fontTools import ttLib

from tools.build import versions
from tools.editions import leaves
from tools.extension import fonts, formulas

ROOT = Path(__file__).resolve().parents[2]

PAGE = """<html><body><article class="bd-article"><section id="one">
<h1>{title}<a class="headerlink" href="#one">#</a></h1>
<p>See <a href="other.html#there">there</a>, <a href="#here">here</a>, <a href="../downloads/x.zip" download>a file</a>,
<a href="https://example.org">away</a>. <span class="math">\\(a &lt; b\\)</span></p>
<p id="here">Here.</p><p id="there">T.</p>
<details class="check"><summary><b>✓</b>two and two</summary><div class="cell"><pre>assert True</pre></div></details>
<details class="check all"><summary><b>✓</b>The other 2 checks</summary>
<details class="check"><summary><b>✓</b>three and three</summary><pre>assert 3</pre></details></details>
<div class="panels"><svg class="panel"></svg></div><label class="short-path"><input type="checkbox">Short path</label>
<details class="aside"><summary>Aside</summary><p>More.</p></details>
<details class="aside solution"><summary>Solution to 1</summary><p>Six.</p></details>
<fieldset class="quiz"><legend>Which?</legend><label class="right"><input type="radio" name="quiz-0">
<span class="answer">this</span><span class="why">It is.</span></label></fieldset>
<svg viewbox="0 0 9 9" role="img" aria-label="s"><clippath id="c"></clippath><g clip-path="url(#c)"></g></svg>
<div class="operated"><style>x</style><svg class="wide"></svg><input></div></section></article></body></html>"""


@pytest.fixture
def two(tmp_path):
    for name in ("one", "other"):
        (tmp_path / "book").mkdir(exist_ok=True)
        (tmp_path / "book" / f"{name}.html").write_text(PAGE.format(title=name.title()))
    toc = tmp_path / "_toc.yml"
    toc.write_text("root: book/one\nparts:\n  - caption: I\n    chapters:\n      - file: book/other\n")
    found = leaves.read(tmp_path, toc)
    for one in found:
        formulas.set_formulas(one.body)
        leaves.still(one)
    return found


def test_links_lead_to_places_in_the_one_file(two):
    assert leaves.join(two) == []
    assert {link["href"] for link in two[0].body.select("a")} == {"#other--there", "#one--here", "https://example.org"}
    assert two[0].body.select_one("#one--here") and "a file" in two[0].body.get_text()
    assert two[1].body.select_one("g")["clip-path"] == "url(#other--c)"
    assert len({tag["id"] for one in two for tag in one.body.select("[id]")}) == sum(
        len(one.body.select("[id]")) for one in two)


def test_a_link_to_a_state_of_a_page_is_text_on_paper(two):
    link = two[0].soup.new_tag("a", href="other.html#one=-log%28p%29&zero=p", string="Open in the machine")
    two[0].body.append(link)
    assert leaves.join(two) == [] and link.name == "span" and not link.attrs


def test_a_link_without_a_place_is_told(two):
    two[1].body.select_one("#there").decompose()
    assert leaves.join(two) == ["book/one: other.html#there", "book/other: other.html#there"]


def test_paper_has_nothing_to_click(two):
    for one in two:
        leaves.settle(one)
        assert not one.body.select("details, input, fieldset, label, .operated, style, .headerlink, button")
    text = two[0].body.get_text()
    assert "The other 2 checks" in text and "✓three and three" in text and "Short path" in text
    assert not two[0].body.select(".panels")
    assert "✓two and two" in text and "assert True" not in text and "More." in text and "It is." in text
    assert leaves.MOVES in text and two[0].body.select_one("svg.wide")


def test_answers_stand_at_the_end(two):
    """At the end of the page; in a printed book, in a chapter of their own before the reference."""
    for one in two:
        leaves.settle(one)
        assert not one.body.select(".quiz .why, .right")
        assert one.body.select_one(".quiz").get_text().split() == ["1.", "Which?A", "this"]
        last = one.body.find_all("section")[-1].get_text()
        assert last == "Answers and solutionsQuestion 1. A: It is.Solution to 1Six."
    two[1].part = "Reference"
    leaves.join(two)
    first, end, last = leaves.back_matter(two)
    assert (end.title, last.file) == ("Answers and solutions", "book/other")
    assert not first.body.select(".answers") and [head.get_text() for head in end.body.select("h2")] == ["One", "Other"]


def test_paper_has_no_variable_font(site):
    data = (site / "_static" / "fonts" / "book-sans.woff2").read_bytes()
    light, bold = (ttLib.TTFont(io.BytesIO(fonts.instance(data, weight))) for weight in fonts.WEIGHTS["book-sans"])
    assert "fvar" not in light and light["hmtx"]["m"] != bold["hmtx"]["m"]


def test_all_formulas_of_the_book_become_mathml(site):
    count = 0
    for path in sorted((site / "book").rglob("*.html")):
        page = BeautifulSoup(path.read_text(), "html.parser")
        assert not [tag for tag in page.select(".math") if not tag.find("math")], path
        count += len(page.select("article.bd-article .math math"))
    assert count > 2000


def test_each_release_has_a_folder_that_says_it_is_old(tmp_path):
    site, archives = tmp_path / "site", tmp_path / "archives"
    (site / "book").mkdir(parents=True)
    archives.mkdir()
    (site / "book" / "a.html").write_text("now")
    for tag in ("v0.9.0", "v0.10.0"):
        with zipfile.ZipFile(archives / f"{tag}.zip", "w") as archive:
            archive.writestr("book/a.html", "<html><head></head><body class='x'>old</body></html>")
            archive.writestr("gone.html", "<html><head></head><body>gone</body></html>")
    (archives / "v0.11.0rc1.zip").write_bytes(b"a candidate gets no folder")
    assert versions.unpack(site, archives) == ["v0.10.0", "v0.9.0"] and not (site / "v0.11.0rc1").exists()
    text = (site / "v0.9.0" / "book" / "a.html").read_text()
    assert "noindex" in text and "This is version v0.9.0" in text and 'href="../../book/a.html"' in text
    assert 'href="../index.html"' in (site / "v0.9.0" / "gone.html").read_text()
    assert (site / "versions.html").read_text().count("<li>") == 3


@pytest.mark.parametrize("name", ["../evil.html", "/etc/evil"])
def test_an_archive_stays_in_its_folder(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "v1.zip", "w") as archive:
        archive.writestr(name, "x")
    (tmp_path / "site").mkdir()
    assert versions.unpack(tmp_path / "site", tmp_path) == ["v1"]
    assert len(list(tmp_path.glob("site/v1/**/evil*"))) == len(list(tmp_path.rglob("evil*"))) == 1


def test_a_long_formula_may_scroll_and_a_short_one_keeps_its_full_stop():
    words = " + ".join("abcdefghijklmnopqrs")
    page = BeautifulSoup(rf'<p><span class="math">\(a + b\)</span>. <span class="math">\({words} = t\)</span>.</p>',
                         "html.parser")
    formulas.set_formulas(page)
    short, long = page.select("span.math")
    assert "kept" in short["class"] and short.get_text().endswith(".") and "broad" in long["class"]
