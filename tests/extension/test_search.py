"""The search: what a page is about, and places by their names. How pages are ranked stands in the site check."""

import json
import re

from tools.extension import search_index

PAGE = ('<nav>menu</nav><article class="text"><h1>4. {title}<a class="headerlink" href="#top">#</a></h1>'
        '<p>{text}</p><pre>hidden code</pre><h2>Bills &amp; priors<a class="headerlink" href="#bills">#</a></h2>'
        '<p>A <b>bill</b> is what {text} costs.</p>'
        '<dl><dt class="sig sig-object" id="pwu_desk.Watch">Watch</dt></dl></article>')


def test_a_word_counts_by_its_place_and_by_how_rare_it_is():
    pages = {"book/a": PAGE.format(title="Calibration", text="a prior for J.3"),
             "book/b": PAGE.format(title="Costs", text="calibrated, calibrated, calibrated: cost")}
    found = search_index.index(pages, {"book/b": [("Brier score", "brier")]})
    assert found["pages"] == ["book/a", "book/b"] and found["titles"] == ["Calibration", "Costs"]
    rare, *row = found["words"]["calibr"]
    assert row[::2] == [0, 1] and row[1] > row[3] and rare < found["words"]["brier"][0]
    assert found["words"]["j.3"][1] == 0 and not {"menu", "hidden", "#"} & found["words"].keys()
    assert ["bill prior", 0, "bills", "Bills & priors", 0,
            "A bill is what a prior for J.3 costs. Watch"] in found["places"]
    assert found["about"] == ["", ""] and found["names"]["logloss"] == "log loss"
    assert ["brier score", 1, "brier", "", 1] in found["places"]
    assert ["chapter 4", 0, "", "", 1] in found["places"]
    assert ["watch", 0, "pwu_desk.Watch", "Watch", 0] in found["places"]


def test_the_index_is_written_with_its_script(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "a.html").write_text(PAGE.format(title="Costs", text="x"))
    (tmp_path / "book" / "moved.html").write_text("<meta>")
    search_index.write(tmp_path, {})
    text = (tmp_path / "searchindex.js").read_text()
    data = json.loads(re.match(r"const INDEX = (.*);\n", text)[1])
    assert data["pages"] == ["book/a"] and "function show(query)" in text


def test_what_is_quoted_ends_with_a_word():
    assert search_index.shortened("one two") == "one two"
    said = search_index.shortened("seven, words " * 20)
    assert len(said) <= search_index.EXCERPT + 2 and said.endswith(" …") and said[:-2].split()[-1] in ("seven", "words")
