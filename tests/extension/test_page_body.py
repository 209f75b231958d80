"""What becomes of a page's HTML: ticks, folds, sentences, tables, drawings."""


import io
import re

import matplotlib
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from matplotlib.figure import Figure

from pwu_book import typeset
from pwu_lite import plots
from tools.extension import drawing, page_body


def cell(code, output="", tags="", kind="stream"):
    said = output if kind == "text_html" else f"<pre>{output}</pre>"
    shown = f'<div class="cell_output"><div class="output {kind}">{said}</div></div>' if output else ""
    read = f'<div class="cell_input"><div class="highlight"><pre>{code}</pre></div></div>'
    return f'<section><div class="cell {tags}">{read}{shown}</div></section>'


def dress(body, drawing=lambda address: None):
    return BeautifulSoup(page_body.dress(body, "page", drawing)[0], "html.parser")


def test_pictures_of_one_kind_bring_one_style_and_one_script():
    """The first style, and the last script, above which all pictures stand; their data stay."""
    one = ('<style>a{}</style><i></i><script type="application/json">1</script><script>go()</script>'
           '<script src="x"></script>')
    page = dress(f"<div>{one}</div><p>{one}</p><style>b{{}}</style>")
    assert [tag.parent.name for tag in page.find_all("style", string="a{}")] == ["div"]
    assert [tag.parent.name for tag in page.find_all("script", string="go()")] == ["p"]
    assert len(page.find_all("script")) == 5 and page.find("style", string="b{}")


def test_a_check_is_one_line_that_opens_to_its_code():
    page = dress(cell("assert 1", "one of one, ever", "tag_check"))
    assert page.select_one("details.check > summary").get_text() == "one of one, ever"
    assert "assert 1" in page.select_one("details.check").get_text()
    assert page.details.get("open") is None


@pytest.mark.parametrize("kind, ticked", [("theorem", True), ("corollary", True), ("definition", False)])
def test_a_tick_stands_under_what_can_be_proved(kind, ticked):
    """In the same section, and not in a solution."""
    box, check = f'<div class="proof {kind} admonition">x</div>', cell("assert 1", "one of one, ever", "tag_check")
    check = check.removeprefix("<section>").removesuffix("</section>")
    for page, wanted in ((f"<section>{box}{check}</section>", ticked), (f"<section>{check}{box}</section>", False),
                         (f"<section>{box}<section>{check}</section></section>", ticked),
                         (f"<section>{box}</section><section>{check}</section>", False),
                         (f'<section>{box}<div class="solution admonition">{check}</div></section>', False)):
        summary = dress(f"<section>{page}</section>").select_one("details.check > summary")
        assert summary.get_text().startswith("✓") == wanted


@pytest.mark.parametrize("tag", ["tag_check", "tag_setup"])
@pytest.mark.parametrize("output, kind", [("", "stream"), ("<table></table>", "text_html")])
def test_a_check_that_says_nothing_or_shows_a_table_is_an_error(output, kind, tag):
    with pytest.raises(ValueError, match="page: a check, or a setup, prints one sentence"):
        dress(cell("assert 1", output, tag, kind))


def test_a_preparation_is_one_line_without_a_tick_and_long_code_is_open():
    page = dress(cell("a = 1\nb = 2", "two numbers", tags="tag_setup"))
    assert page.select_one("details.fold > summary").get_text() == "Code: two numbers"
    assert dress(cell("x" * 60)).select_one("details.code[open]")
    assert not dress(cell("x" * 20)).select_one("details")


def test_code_above_an_output_is_a_fold_that_says_how_much_it_holds():
    """As the theme writes it, with a name for readers of the screen that says nothing."""
    code = ('<div class="cell tag_hide-input"><details class="admonition hide above-input"><summary aria-label="Toggle '
            'hidden content"><p>Show</p><p>Hide</p></summary><div class="cell_input"><div class="highlight"><pre>a = 1'
            '\nb = 2</pre></div></div></details><div class="cell_output"></div></div>')
    fold = dress(code).select_one("details.fold")
    assert fold["class"] in ("fold", ["fold"]) and fold.summary.get_text() == "Code, 2 lines"
    assert fold.summary.attrs == {} and fold.get("open") is None


@pytest.mark.parametrize("output, kind, words", [
    ("'2.4 times'", "text_plain", "2.4 times"), (r"'3 ± 1\n\'or so\''", "text_plain", "3 ± 1\n'or so'"),
    ("one line", "stream", "one line"),
    ("one line\ntwo lines", "stream", "one line\ntwo lines"),
    ("0 of 3 cells are there, 3 to fit\n3 of 3, 0.0 min left\nall fitted", "stream", "all fitted")])
def test_a_sentence_is_set_as_one(output, kind, words):
    assert dress(cell("f()", output, kind=kind)).select_one("p.said").get_text() == words
    assert not dress(cell("f()", "a  b\n1  2")).select("p.said")  # columns of words stay


def shown(frame):
    return dress(cell("frame", frame._repr_html_(), kind="text_html"))


def test_numbers_stand_right_with_minus_signs_words_left_and_index_names_are_lifted():
    frame = pd.DataFrame({"cost": [-1.5, 2.0], "who": ["a-b", "c"], "ci": ["0.1 [-0.2, 0.3]", "1 [0, 2]"]}, ["x", "y"])
    page = shown(frame)
    first = page.select("tbody tr")[0].select("td")
    assert [("num" in td.get("class", [])) for td in first] == [True, False, True]
    assert first[0].get_text() == "\u22121.5" and first[1].get_text() == "a-b"
    assert first[2].select_one(".interval").get_text() == "[\u22120.2, 0.3]"
    assert ["num" in th.get("class", []) for th in page.select("thead th")] == [False, True, False, True]
    page = shown(pd.DataFrame({"a": [1]}, pd.Index(["x"], name="model")))
    assert len(page.select("thead tr")) == 1 and page.select_one("thead th").get_text() == "model"


@pytest.mark.parametrize("best, bold", [("row-min", ["1", "3"]), ("row-max", ["2", "4"]), ("min", ["1", "2"]),
                                        ("max", ["3", "4"])])
def test_the_best_is_marked(best, bold):
    page = shown(typeset.table(pd.DataFrame({"a": [1, 3], "b": [2, 4]}, ["x", "y"]), best=best))
    assert [td.get_text() for td in page.select(".best")] == bold


def test_a_wide_table_of_words_has_cards_for_a_phone():
    table = ('<table class="docutils"><thead><tr><th>a</th><th>b</th><th>c</th></tr></thead>'
             "<tbody><tr><td>1</td><td>2</td><td>3</td></tr></tbody></table>")
    page = dress(f"<section>{table}</section>")
    assert "cards" in page.table["class"] and [td["data-head"] for td in page.select("td")] == ["a", "b", "c"]
    wordy = dress(f"<section>{table.replace('2', 'two words or three')}</section>")
    assert [td.get("class") for td in wordy.select("td")] == [["brief"], None, ["brief"]]
    assert not dress(f"<section>{table.replace('<th>c</th>', '')}</section>").select(".cards")


def test_another_best_is_refused():
    with pytest.raises(ValueError, match="best must be one of"):
        typeset.table(pd.DataFrame({"a": [1]}), best="largest")


SVG = """<?xml version="1.0"?><svg viewBox="0 0 1 1"><metadata>x</metadata>
<defs><style type="text/css">*{a:b}</style></defs><g id="a" style="fill: #0072B2; stroke: #1d232b"/><use href="#a"/>
<text style="font: 10px 'DejaVu Sans'">t</text></svg>"""


def test_a_drawing_takes_the_pages_colours_and_has_ids_of_its_own(tmp_path):
    path = tmp_path / "figure.svg"
    path.write_text(SVG)
    body = cell("plot()", '<img src="_images/figure.svg" alt="Two curves that cross">', kind="image")
    page = dress(body + body, lambda address: path if address.endswith(".svg") else None)
    first, second = page.select("svg.drawing")
    assert "var(--c1)" in str(first) and "currentColor" in str(first) and "DejaVu" not in str(first)
    assert first["aria-label"] == "Two curves that cross" and not page.select("img, metadata, style")
    assert first.g["id"] != second.g["id"] and first.use["href"] == "#" + first.g["id"]
    assert not page.select(".wide-drawing")
    path.write_text(SVG.replace("0 0 1 1", "0 0 685.2 500"))
    wide = dress(body, lambda address: path).select_one("div.wide-drawing[tabindex='0'] > svg.drawing")
    assert wide is not None and wide["viewbox"].startswith("0 0 685")


def test_a_drawing_keeps_every_number_that_it_writes():
    """Places may be rounded to a hundredth of a point; what is written is read as a number."""
    figure = Figure(figsize=(3, 2))
    ax = figure.add_subplot()
    ax.plot([0, 0.00375], [0.1234, 0.1239])
    ax.set(title="at 0.98765 of 12345.6789", xticks=[0.00125, 0.0025, 0.00375])
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(written := io.StringIO(), format="svg")
    svg = written.getvalue()[written.getvalue().index("<svg"):]
    before, after = (BeautifulSoup(text, "html.parser") for text in (svg, drawing.drawn(svg, "f-")))
    said = [tag.get_text() for tag in after.select("text")]
    assert said == [tag.get_text() for tag in before.select("text")]
    assert {"0.00125", "0.00250", "at 0.98765 of 12345.6789"} <= set(said)
    assert not re.search(r"\d\.\d{3}", " ".join(tag["d"] for tag in after.select("path[d]")))


def test_a_label_with_a_formula_is_running_text():
    """Letters that are placed one by one collide where letters grow."""
    labels = {r"mean, $\lambda$ of $y^2 - 1$": "mean, λ of y2\u200b − 1", r"$U_\phi$": "Uφ\u200b",
              r"$\mathdefault{10^{-3}}$": "10−3\u200b", "forecast f": "forecast f"}
    figure = Figure(figsize=(3, 2))
    ax = figure.add_subplot()
    for k, label in enumerate([*labels, r"$\sum y$"]):
        ax.annotate(label, (0, 0.1 * k), rotation=90 * (k == 1))
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(written := io.StringIO(), format="svg")
    texts = BeautifulSoup(drawing.drawn(written.getvalue(), "f-"), "html.parser").select("text")
    said = {tag.get_text(): tag for tag in texts}
    assert set(labels.values()) <= set(said)
    for tag in (said[label] for label in list(labels.values())[:3]):
        assert not tag.select("[x]") and "text-anchor: middle" in tag["style"] and float(tag["x"]) > 0
    assert [one.get_text() for one in said["mean, λ of y2\u200b − 1"].select("[style*=italic]")] == ["λ", "y"]
    assert said["Uφ\u200b"]["transform"].startswith("rotate(-90")
    assert len(texts[-1].select("tspan[x]")) >= 2  # a sum has no place in running text


def test_what_a_drawing_says_again_and_again_it_says_once():
    marks = "".join(f'<use xlink:href="#m1" x="{x}" y="2" style="fill: red"/>\n' for x in range(3))
    faint = marks.replace("fill: red", "opacity: 0.5; fill: red")
    svg = f'<svg version="1.1"><g id="line2d_3"><path id="m1" d="M 0 0 \nL 1 1 \nz"/>{marks}</g>{faint}</svg>'
    drawn = BeautifulSoup(drawing.drawn(svg, "f-"), "html.parser")
    alike = drawn.select('g[style="fill: red"] > use:not([style])[href="#f-m1"]')
    assert [tag["x"] for tag in alike] == ["0", "1", "2"]
    assert len(drawn.select('use[style^="opacity"]')) == 3  # one over the other they are darker
    assert not drawn.select("#f-line2d_3") and drawn.path["d"] == "M 0 0L 1 1z"


def test_code_keeps_its_words_and_the_colours_that_differ_from_the_text():
    page = dress('<div class="highlight"><pre><span></span><span class="n">x</span> <span class="o">=</span> '
                 '<span class="sa">f</span><span class="s2">&quot;</span><span class="si">{</span><span class="n">y'
                 '</span><span class="si">}</span><span class="s2">&quot;</span><span class="k">if</span></pre></div>')
    assert page.pre.get_text() == 'x = f"{y}"if'
    assert [tag.get_text() for tag in page.select("pre span")] == ["", 'f"{', '}"', "if"]


def test_a_caption_with_a_table_stands_above_it_and_is_a_tables():
    page = dress('<figure><table class="table"></table><figcaption><span class="caption-number">Fig. 1.2 </span>What'
                 "</figcaption></figure>")
    assert page.figure.find(True).name == "figcaption" and page.select_one(".caption-number").string == "Table 1.2 "


def test_every_colour_of_the_figures_is_one_of_the_page():
    drawn = {colour.lower() for colour in (*plots.COLOURS, plots.INK, plots.MUTED, plots.HAIRLINE)}
    assert drawn <= set(drawing.COLOURS)


def test_the_description_is_the_first_sentence_outside_of_a_box():
    body = ("<h1>Title</h1><section><div class='admonition'><p>A box that is long enough to be taken for it.</p></div>"
            "<p>Short.</p><p>The first paragraph that says what the page is about.</p></section>")
    assert page_body.dress(body, "page", lambda address: None)[1] == (
        "The first paragraph that says what the page is about.")


def test_quiet_checks_are_gathered_before_the_last_section():
    end = '<section id="where-to-go-next"><h2>Where to go next</h2></section>'
    quiet = [cell("assert 1", words, "tag_quiet-check") for words in ("one is one", "two is two")]
    page = dress("".join([cell("assert 1", "the argument holds", "tag_check"), *quiet]) + end)
    gathered = page.select_one("details.check.all")
    assert gathered.summary.get_text() == "✓The other 2 checks of this chapter passed"
    lines = gathered.select(":scope > details.check > summary")
    assert [line.get_text() for line in lines] == ["✓one is one", "✓two is two"]
    assert gathered.find_next_sibling()["id"] == "where-to-go-next"
    with pytest.raises(ValueError, match="Where to go next"):
        dress(quiet[0])


def test_a_source_in_the_margin_leads_to_the_page_for_its_readers():
    page = dress('<section><aside class="margin"><p>PWU paper, proposition 3.7.</p></aside>'
                 '<aside class="margin"><p>After <a href="#x">UNIQUE</a>.</p></aside><p>PWU paper</p></section>')
    link, = page.select('a[href="../record/paper.html"]')
    assert link.get_text() == "PWU paper" and link.parent.get_text() == "PWU paper, proposition 3.7."


def test_the_short_path_is_a_switch_and_an_aside_says_what_it_is():
    card = '<div class="admonition tip"><p><strong>Short path</strong> (15 minutes)</p></div>'
    page = dress(card + '<details class="aside"><summary>units</summary></details>')
    assert page.select_one("label.short-path").get_text() == "Short path"
    assert page.select_one("label.short-path > input")["type"] == "checkbox"
    assert page.select_one("details.aside > summary").get_text() == "Aside: units"


def test_a_solution_opens_without_a_script():
    box = ('<div class="solution dropdown admonition" id="s"><p class="admonition-title">Solution to<a href="#e"> 1</a>'
           '</p><section><p>It is.</p></section></div><div class="admonition note"><p>x</p></div>')
    page = dress(box)
    opened = page.select_one("details.solution.aside#s")
    assert str(opened.summary) == "<summary>Solution to 1</summary>" and opened.section.get_text() == "It is."
    assert page.select_one("div.note") and not page.select(".dropdown")


def test_a_drawing_of_several_panels_is_cut_into_one_per_panel(tmp_path):
    plots.use_style()
    figure, axes = plots.plt.subplots(2, 2, figsize=(9, 5), sharex=True, sharey=True)
    for ax, name in zip(axes.flat, "abcd", strict=True):
        ax.set_title(f"panel {name}")
    axes[1, 0].set(xlabel="cost", ylabel="height")
    figure.supylabel("share")
    figure.savefig(tmp_path / "wide.svg")
    page = dress('<section><figure><img src="wide.svg" alt="four panels"></figure></section>',
                 lambda address: tmp_path / address)
    cut = page.select("div.wide-drawing.stacks > div.panels > svg.panel")
    assert len(cut) == 4
    whole = {tag["id"] for tag in page.select("svg.drawing [id]")}
    assert {use["href"][1:] for use in page.select("use[href*=axes_]")} <= whole
    assert [len(part.select("svg")) for part in cut] == [1, 2, 0, 1]  # labels of heights, of costs, that are shared
    assert page.select_one("div.panels")["aria-hidden"] == "true"
    hand = page.select_one("svg.drawing")["style"].partition("--hand: ")[2]
    assert page.select_one("div.panels")["style"] == f"--grow: {hand}"  # the panels' letters grow as measured
    assert page.select_one("div.panels > p.height").get_text() == "Vertical: share"


def test_a_statement_has_a_link_to_itself():
    page = dress('<section><div class="proof theorem admonition" id="thm-x"><p class="admonition-title">Theorem 1</p>'
                   "</div></section>")
    link = page.select_one("#thm-x .admonition-title a.headerlink")
    assert link["href"] == "#thm-x" and link["title"] == "Link to this theorem"


def test_the_first_mention_of_a_term_leads_to_the_glossary():
    text = ("<section><h2>Murphy diagrams</h2><p><a href='#'>Murphy diagram</a>, <code>Murphy diagram</code>.</p>"
            "<p>Two Murphy diagrams, and a murphy diagram.</p></section>")
    page = BeautifulSoup(page_body.dress(text, "page", lambda address: None, {"Murphy diagram": "g.html#t"})[0],
                         "html.parser")
    assert [str(link) for link in page.select("a.term")] == [
        '<a class="reference internal term" href="g.html#t">Murphy diagrams</a>']


PASSING = ('<section><h1>T</h1><div class="cell"><div class="cell_output"><div class="instrument"><script type='
           '"application/json">{"stages": [[0], [1]]}</script></div></div></div>%s</section>')


def test_a_picture_and_the_text_that_passes_it_stand_together():
    mark = '<p><span class="stage"></span>words</p>'
    soup = dress(PASSING % (2 * mark + "<p>after</p>"))
    (pinned,) = soup.select(".pinned")
    assert [tag["class"] for tag in pinned.find_all(recursive=False)] == [["cell"], ["pass"]]
    assert [p.get_text() for p in pinned.select(".pass > p.stage")] == ["words", "words"]
    assert pinned.find_next_sibling().get_text() == "after" and not soup.select("span.stage")


@pytest.mark.parametrize(("after", "said"), [("<p>none</p>", "2 stages"), (
    '<p><span class="stage"></span>one</p><p>two</p>', "2 stages"), (
    3 * '<p><span class="stage"></span>three</p>', "without an instrument: three")])
def test_stages_and_marks_are_as_many(after, said):
    with pytest.raises(ValueError, match=said):
        dress(PASSING % after)


def test_a_chapter_without_drawings_opens_with_a_still_instrument():
    def chapter(inside):
        return dress('<section><h1>10. A chapter</h1><div class="admonition">card</div><figure id="f"><div id="i" '
                     f'class="operated instrument"><style>.instrument {{}}</style>{inside}<svg role="img" '
                     'aria-label="a curve"><path d="M0 0"/></svg></div><figcaption><p>Claim.</p></figcaption></figure>'
                     "</section>").select_one("figure.opening")

    still = chapter("")
    assert still.find_previous_sibling().name == "h1" and still.svg.path["d"] == "M0 0" and not still.select("[id]")
    assert still.svg["aria-hidden"] == "true" and "role" not in still.svg.attrs and not still.select("style")
    assert chapter('<div class="controls"></div>') is None


def test_a_chapter_opens_with_its_picture(tmp_path):
    """The first figure, or the one that is marked, above everything, with its caption; drawn by reference."""
    picture = tmp_path / "a.svg"
    figure, axes = plots.plt.subplots(figsize=(4, 3))
    axes.plot([0, 1])
    figure.savefig(picture)

    def cell_of(name, tags=""):
        return (f'<div class="cell {tags}"><div class="cell_output"><figure id="{name}"><img src="a" alt="alt {name}"/>'
                f'<figcaption><p><span class="caption-number">Fig. 1.{len(name)} </span><span class="caption-text">'
                f'Claim {name}.</span><a class="headerlink" href="#{name}">#</a></p></figcaption></figure></div></div>')

    title = '<h1>{}A chapter<a class="headerlink" href="#x">#</a></h1><div class="admonition">card</div>'
    for number, tags, name in (("3. ", "", "x"), ("3. ", "tag_opening", "yy"), ("", "", None)):
        page = dress(f"<section>{title.format(number)}{cell_of('x')}{cell_of('yy', tags)}</section>",
                     lambda address: picture)
        opening = page.select_one("figure.opening")
        if name is None:
            assert opening is None
            continue
        assert opening.find_previous_sibling().name == "h1" and opening.find_next_sibling()["class"] == ["admonition"]
        assert opening.get_text().split() == f"Fig. 1.{len(name)} Claim {name}.".split()
        assert opening.a["href"] == f"#{name}" and "id" not in opening.attrs
        target = opening.select_one("svg.drawing > use")["href"]
        assert page.select_one(f"#{name} svg.drawing > {target}") is not None
        assert opening.svg["aria-hidden"] == "true" and "aria-label" not in opening.svg.attrs
        assert opening.svg["viewbox"] == page.select_one(f"#{name} svg")["viewbox"]
