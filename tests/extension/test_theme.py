"""The theme: the road with its parts, the contents of a page, its files, what stays beside the style sheet."""

import re

import pytest

from tools.extension import theme

ONE = '<li><a class="reference internal" href="a.html">1. One</a></li>'
TWO = ('<li class="current"><a class="current reference internal" href="#">2. '
       '<span class="math notranslate nohighlight">\\(a &lt; b\\)</span></a></li>')
CHAPTERS = "".join(f'<p class="caption" role="heading"><span class="caption-text">{name}</span></p>\n{rows}\n'
                   for name, rows in (("Start", f"<ul>{ONE}</ul>"), ("Then", f'<ul class="current">{TWO}</ul>')))


def test_the_part_of_the_page_is_open_and_the_page_says_where_it_is():
    road = theme.road(CHAPTERS)
    assert re.findall(r"<details( open)?><summary>(\w+)", road) == [("", "Start"), (" open", "Then")]
    assert road.count("</details>") == 2 and road.count("<ul") == road.count("</ul>") == 2
    assert '<a aria-current="page" class="current reference internal" href="#">' in road
    assert "<math" in road and "\\(" not in road
    outside = theme.road(CHAPTERS.replace("current", "other"))
    assert outside.count("<details open>") == 2


def test_contents_are_what_stands_below_the_title():
    toc = ('<ul>\n<li><a class="reference internal" href="#">Title</a><ul>\n<li><a href="#x">X</a><ul>\n<li>'
           '<a href="#y">Y</a></li>\n</ul>\n</li>\n</ul>\n</li>\n</ul>\n')
    assert re.findall(r'href="(\S+)"', theme.contents(toc)) == ["#x", "#y"] and "Title" not in theme.contents(toc)
    named = toc.replace(">X<", '><code><span class="pre">log_loss()</span></code><')
    assert '<span class="pre">log_<wbr>loss()</span>' in theme.contents(named)
    assert theme.contents('<ul>\n<li><a class="reference internal" href="#">Title</a></li>\n</ul>\n') == ""


@pytest.mark.parametrize("cells", [True, False])
def test_a_page_is_offered_as_files_and_where_the_project_has_an_address_where_it_runs(cells):
    context = {"pathto": lambda path, _: f"../{path}", **({"readable_notebook": object()} if cells else {})}
    offered = dict(theme.files("book/a", context, ""))
    assert offered.pop("Markdown, with its numbers") == "a.md"
    assert list(offered.values()) == ["../_sources/book/a.ipynb"] * cells
    offered = dict(theme.files("book/a", context, "https://github.com/me/it"))
    assert offered["Source"] == "https://github.com/me/it/blob/main/book/a.md"
    assert ("Run in Binder" in offered) == ("Run in Colab" in offered) == cells


def test_code_has_its_colours_and_what_no_page_asks_for_goes(tmp_path):
    static = tmp_path / "_static"
    (static / "fonts").mkdir(parents=True)
    (static / "book.css").write_text("p { x: 1; }\n")
    for name in ("book.js", "basic.css", "doctools.js", "minus.png", "language_data.js"):
        (static / name).touch()
    for _ in range(2):  # a second build finds what the first one has written
        theme.finish(tmp_path)
        text = (static / "book.css").read_text()
        assert text.startswith("p { x: 1; }\n") and text.count("/* Code. */") == 1
        assert text.count('html[data-theme="dark"] .highlight .k ') == 1 == text.count(
            'html:not([data-theme="dark"]) .highlight .k ')
        assert "background" not in text.partition("/* Code. */")[2]
    assert {path.name for path in static.iterdir()} == {"book.css", "book.js", "language_data.js", "fonts"}
