"""A page's HTML as a notebook: what is set, what is folded, where cells stand, and what cannot be told apart."""

import nbformat
import pytest

from tools.build import downloads
from tools.extension.notebooks import readable, twin
from tools.extension.page_body import parsed

PAGE = r"""
<section id="a"><h1><span class="section-number">4. </span>Costs<a class="headerlink" href="#a">#</a></h1>
<div class="tip admonition"><p class="admonition-title">In this chapter</p><p>You will be able to act.</p></div>
<p>It costs <span class="pasted-text">429</span> meals at <span class="math">\(c &lt; 1\)</span>; 2 * 3 and a_b.
<a class="reference internal" href="../pwu/b.html#x"><span>Chapter 2</span></a>, <a href="../api.html#y">the
API</a>, <a href="#z">here</a>, <a href="https://example.org">there</a>.</p>
<div class="math" id="e"><span class="eqno">(4.1)<a class="headerlink" href="#e">#</a></span>\[f &gt; c\]</div>
<div class="cell docutils"><div class="cell_output"><figure><img alt="x" src="x.svg"/><figcaption><p>
<span class="caption-number">Fig. 4.1 </span><span class="caption-text">Lower is <em>better</em>.</span></p>
</figcaption></figure></div></div>
<div class="proof theorem admonition"><p class="admonition-title"><span>Theorem 4.2 </span> (No hill)</p>
<section class="proof-content"><p>First.</p><ul><li><p>one</p></li><li><p>two</p></li></ul></section></div>
<table class="table"><thead><tr><th>a</th><th>b|c</th></tr></thead><tbody><tr><td>1</td><td><code>x</code></td></tr>
</tbody></table>
<fieldset class="quiz"><legend><span class="question">Which?</span></legend>
<label class="right"><input type="radio"/> <span class="answer">this</span><span class="why">So it is.</span></label>
<label class="wrong"><input type="radio"/> <span class="answer">that</span><span class="why">Not so.</span></label>
</fieldset>
<details class="aside"><summary>more</summary><div class="cell"></div><p>After it.</p></details>
<div class="highlight-bash notranslate"><div class="highlight"><pre>make *</pre></div></div><script>1</script></section>
"""


def notebook(*tags):
    cells = [nbformat.v4.new_code_cell(f"print({n})", metadata={"tags": list(one)}) for n, one in enumerate(tags)]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("{glue:text}`raw`"), *cells])


@pytest.fixture
def made():
    return readable(notebook([], ["remove-cell"], ["check"], ["remove-cell"]), parsed(PAGE), "book/part/a",
                    lambda page: page == "book/pwu/b", "https://site.org/")


def test_the_text_is_that_of_the_page(made):
    text = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    for line in ("# 4. Costs", "> **In this chapter**\n>\n> You will be able to act.",
                 r"It costs 429 meals at $c < 1$; 2 \* 3 and a\_b.", "[Chapter 2](../pwu/b.ipynb)",
                 "[the API](https://site.org/book/api.html#y), here, [there](https://example.org)",
                 "$$\nf > c \\tag{4.1}\n$$", "_Fig. 4.1 Lower is *better*._",
                 "> **Theorem 4.2  (No hill)**\n>\n> First.\n>\n> - one\n> - two",
                 "| a | b\\|c |\n|---|---|\n| 1 | `x` |",
                 "**Which?**\n\n1. this\n2. that", "<details><summary>Answer</summary>\n\n1. Right: So it is.",
                 "**more**", "After it.", "```bash\nmake *\n```"):
        assert line in text, line
    assert "glue" not in text and "script" not in text


def test_cells_stand_where_the_page_has_them_and_machinery_is_folded(made):
    kinds = [cell.cell_type for cell in made.cells]
    assert kinds == ["markdown", "code", "markdown", "code", "code", "markdown", "code"]
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    assert [cell.source for cell in code] == [f"print({n})" for n in range(4)]
    assert ["jupyter" in cell.metadata for cell in code] == [False, True, True, True]
    assert made.cells[5].source.startswith("After it.")


def test_without_an_address_a_link_to_the_site_is_plain_text():
    made = readable(notebook([], []), parsed(PAGE), "book/part/a", lambda page: False)
    assert "Chapter 2, the API, here, [there](https://example.org)" in made.cells[0].source


@pytest.mark.parametrize(("tags", "words"), [([[]], "more cells"), ([[], [], []], "1 cells less")])
def test_a_page_that_is_not_its_notebook_is_refused(tags, words):
    with pytest.raises(ValueError, match=words):
        readable(notebook(*tags), parsed(PAGE), "book/part/a", bool)


def test_a_reader_s_own_notebooks_are_kept(tmp_path):
    source, mine = tmp_path / "site" / "_sources" / "book" / "a", tmp_path / "mine"
    source.mkdir(parents=True)
    for name in ("one.ipynb", "two.ipynb"):
        (source / name).write_text("new")
    (mine / "a").mkdir(parents=True)
    (mine / "a" / "one.ipynb").write_text("edited")
    downloads.to_edit(tmp_path / "site", mine)
    assert [(mine / "a" / name).read_text() for name in ("one.ipynb", "two.ipynb")] == ["edited", "new"]


CELLS = """<section><div class="cell"><div class="cell_input"><div class="highlight"><pre>1 + 1</pre></div></div>
<div class="cell_output"><div class="output text_plain"><div class="highlight"><pre>2</pre></div></div></div></div>
<div class="cell tag_hide-input"><div class="cell_input"><div class="highlight"><pre>table</pre></div></div>
<div class="cell_output"><div class="output text_html"><table><thead><tr><th></th><th>cost</th></tr></thead><tbody>
<tr><th>A</th><td>0.25</td></tr></tbody></table></div></div></div>
<div class="cell tag_remove-input"><div class="cell_output"><figure><img alt="Two curves." src="x.svg"/><figcaption>
<p>They cross.</p></figcaption></figure></div></div>
<p><a class="reference internal" href="b.html#x">Next</a></p></section>"""


def test_a_twin_has_numbers_code_that_shows_and_pictures_in_words():
    assert twin(parsed("<article><h1>One</h1><table></table></article>"), "book/a", bool).strip() == "# One"
    text = twin(parsed(CELLS), "book/part/a", lambda page: page == "book/part/b")
    assert text == ("```python\n1 + 1\n```\n\n```\n2\n```\n\n|  | cost |\n|---|---|\n| A | 0.25 |\n\n"
                    "*(Picture: Two curves.)*\n\n_They cross._\n\n[Next](b.md)\n")
