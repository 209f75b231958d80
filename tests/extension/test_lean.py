"""One style sheet and one script: what is left out, and what must not be."""

import re

import pytest

from tools.extension import lean

FITS = lean.fitting(['<p class="a"><i class="b c"></i><h1><div class="sm:wide" id="top">'],
                    ["give('d', `made e`); find('.seen', \"f\"); make('dialog') // g"])


@pytest.mark.parametrize(("given", "kept"), [
    (".a{color:red}.gone{color:blue}", ".a{color:red}"), (".a .gone,.b{x:1}", ".b{x:1}"),
    (":is(.a,.gone) p{x:1}", ":is(.a,.gone) p{x:1}"), (".a:not(.gone){x:1}", ".a:not(.gone){x:1}"),
    ("p,h1{x:1}", "p,h1{x:1}"), ("[class=gone]{x:1}", "[class=gone]{x:1}"), (r".sm\:wide{x:1}", r".sm\:wide{x:1}"),
    ("h2,p:hover > i.b::after{x:1}", "p:hover > i.b::after{x:1}"), ("p.b,i.c.b{x:1}", "i.c.b{x:1}"),
    ("#top p,#end p{x:1}", "#top p{x:1}"), (".d,p.made,.e.a,i.b.f{x:1}", ".d,p.made,.e.a,i.b.f{x:1}"),
    (".seen,.find,.g{x:1}", ""), ("dialog *,menu{x:1}", "dialog *{x:1}"),
    (".a  p {\n x : 1 ;\n y: calc(1px + 2px)  3;\n}", ".a p{x :1;y:calc(1px + 2px) 3}"),
    (".a{content: \" ; \\\"  \"; y: url(a; b)}", ".a{content:\" ; \\\"  \";y:url(a; b)}"),
    ("@media print{.gone{x:1}.a{y:2}}", "@media print{.a{y:2}}"), ("@media print{.gone{x:1}}", ""),
    ("@supports (x:1){@media print{.b{y:2}}}", "@supports (x:1){@media print{.b{y:2}}}"),
    ("@font-face{font-family:X}", "@font-face{font-family:X}"), ("@font-face{font-family:'Font Awesome 6'}", ""),
    ("@keyframes k{from{x:1}to{x:2}}", "@keyframes k{from{x:1}to{x:2}}"), ("@charset \"utf-8\";.a{x:1}",
                                                                          "@charset \"utf-8\";.a{x:1}"),
    ("/* .a{ */.b::before{content:\"}\"}.a{x:1}", ".b::before{content:\"}\"}.a{x:1}"),
    (".a{background:url('data:image/svg+xml,{}')}", ".a{background:url('data:image/svg+xml,{}')}")])
def test_a_rule_stays_if_it_may_fit_an_element(given, kept):
    assert re.sub(r"\n", "", lean.pruned(given, FITS)) == kept


def test_imported_sheets_come_in_place_of_the_import(tmp_path):
    (tmp_path / "styles").mkdir()
    (tmp_path / "basic.css").write_text(".a{x:url(logo.svg)}")
    (tmp_path / "styles" / "theme.css").write_text('@import "../basic.css";.b{x:url(../fonts/f.woff2)}')
    assert lean.sheet(tmp_path / "styles" / "theme.css") == ".a{x:url(logo.svg)}.b{x:url(fonts/f.woff2)}"


def test_an_icon_without_a_drawing_is_an_error():
    assert "<path" in lean.ICON.sub(lean.icon, '<i class="theme-switch fa-solid fa-moon" data-mode="dark"></i>')
    assert 'class="glyph fa-chevron-down"' in lean.ICON.sub(lean.icon, '<i class="fa-solid fa-chevron-down"></i>')
    assert 'data-mode="dark"' in lean.ICON.sub(lean.icon, '<i class="fa-solid fa-moon" data-mode="dark"></i>')
    with pytest.raises(ValueError, match="fa-unknown"):
        lean.ICON.sub(lean.icon, '<span class="fa-solid fa-unknown"></span>')


def test_the_menu_is_folded_but_for_the_part_of_the_page():
    def part(name, inside):
        return ('<p aria-level="2" class="caption" role="heading"><span class="caption-text">' + name
                + f"</span></p>\n{inside}")

    menu = ('<nav class="bd-links bd-docs-nav" aria-label="Main"><div>' + part("I", '<ul class="nav"><li>x</li></ul>\n')
            + part("II", '<ul class="current nav"><li>y<ul><li>z</li></ul></li></ul>\n') + "</div></nav>")
    folded = lean.fold_menu(f"<body>{menu}</body>")
    assert re.findall(r'<details class="part"( open)?>', folded) == ["", " open"]
    assert folded.count("</details>") == 2 and folded.endswith("</div></nav></body>")
    assert re.sub(r"<[^>]*>|\s", "", folded) == re.sub(r"<[^>]*>|\s", "", menu)


PAGE = """<head><title>t</title>
<link rel="preload" as="script" href="../_static/scripts/bootstrap.js?d=1" />
<link href="../_static/styles/theme.css?d=1" rel="stylesheet" />
<link href="../_static/styles/pydata-sphinx-theme.css?d=1" rel="stylesheet" />
<link rel="stylesheet" href="../_static/live/run.css"><script src="../_static/vendor/fontawesome/all.min.js"></script>
<script src="../_static/documentation_options.js?v=1"></script><script src="../_static/doctools.js?v=1"></script>
<script>window.MathJax = {"a": 1}</script>
<script defer="defer" src="../_static/mathjax/tex.js"></script><script src="../_static/searchtools.js"></script></head>
<body><p class="a">x <span class="math notranslate">\\(a &lt; k\\)</span></p>
<script>root.classList.add("later")</script>
<script src="../_static/scripts/bootstrap.js?d=1"></script></body>"""


def test_a_property_that_nobody_asks_for_is_left_out():
    sheet = ":root{--a:1px;--b:var(--c);--c:2;--d:3}\np{--e:var(--a); margin:var( --e );x--y:1}"
    assert lean.asked_for(sheet, ["<p style='color: var(--d)'>"]) == (
        ":root{--a:1px;--d:3}\np{--e:var(--a); margin:var( --e );x--y:1}")
    address = "url(\"data:image/svg+xml;utf8,<svg fill='(a)'>\")"
    sheet = f":root{{--f:{address};--g:url(data:image/png;base64,AA);--h:var(--b,calc(1px + 2px));}}p{{q:1}}"
    assert lean.asked_for(sheet, []) == ":root{}p{q:1}" and lean.asked_for(sheet, ["--f --g --h"]) == sheet


def test_a_page_asks_for_one_sheet_and_one_script(tmp_path):
    static = tmp_path / "_static"
    (static / "styles").mkdir(parents=True)
    (static / "basic.css").write_text(".b-not-used{x:1}")
    (static / "styles" / "theme.css").write_text(".a{x:1}.glyph{x:1}.later{x:1}")  # by a drawing, by a script
    (static / "styles" / "pydata-sphinx-theme.css").write_text(".gone{x:1}.show{x:1}")
    (static / "documentation_options.js").write_text("const DOCUMENTATION_OPTIONS = {};")
    (static / "doctools.js").write_text('"use strict";\nconst _ready = "show";')
    (static / "fonts").mkdir()
    for name in ("serif", "serif-italic", "sans"):
        (static / "fonts" / f"book-{name}.woff2").write_bytes(b"")
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "page.html").write_text(PAGE)
    (tmp_path / "slides.html").write_text("<p>its own</p>")
    lean.write(tmp_path)
    text = (tmp_path / "book" / "page.html").read_text()
    sheet, script = static / "site.css", static / "site.js"
    assert re.sub(r"\s", "", sheet.read_text()) == ".a{x:1}.glyph{x:1}.later{x:1}.show{x:1}"
    assert script.read_text().startswith(";") and "const _ready" in script.read_text()
    assert re.findall(r'(?:src|href)="([^"?]+)', text) == [
        f"../_static/{sheet.name}", "../_static/fonts/book-serif.woff2", "../_static/fonts/book-serif-italic.woff2",
        "../_static/fonts/book-sans.woff2", f"../_static/{script.name}", "../_static/live/run.css",
        "../_static/searchtools.js"]
    assert '<script defer src="../_static/searchtools.js">' in text and "MathJax" not in text
    assert '<span class="math notranslate"><math' in text and "\\(" not in text
    assert (tmp_path / "slides.html").read_text() == "<p>its own</p>"
    assert {path.name for path in static.iterdir()} == {sheet.name, script.name, "fonts"}
    # A later build writes one page anew: the other one still finds its files, and its classes are still used.
    (static / "styles").mkdir()
    (static / "styles" / "theme.css").write_text(".a{x:1}.b{x:2}")
    (static / "styles" / "pydata-sphinx-theme.css").write_text(".gone{x:1}")
    (static / "documentation_options.js").write_text("const DOCUMENTATION_OPTIONS = {};")
    (static / "doctools.js").write_text("const _ready = 2;")
    (tmp_path / "book" / "other.html").write_text(PAGE.replace('class="a"', 'class="b"'))
    lean.write(tmp_path)
    assert re.sub(r"\s", "", sheet.read_text()) == ".a{x:1}.b{x:2}"
    for name in ("page", "other"):
        assert "_static/site.css?v=" in (tmp_path / "book" / f"{name}.html").read_text()
    lean.write(tmp_path)
    assert {path.name for path in static.iterdir()} == {sheet.name, script.name, "fonts"}
