"""A page's notebook as the page reads: numbers filled in, statements set, formulas, links, machinery folded.

The page's HTML knows every number, label and link, so the text of the notebook is written back from it as Markdown;
code and outputs are those of the executed notebook.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

import nbformat
from bs4 import BeautifulSoup, NavigableString, Tag

FOLDED = {"setup", "remove-cell", "hide-input", "hide-cell", "remove-input", "check", "quiet-check"}
LEFT_OUT = ["script", "style", "button", "input", "svg", "template", "noscript"]
BLOCKS = ["p", "div", "section", "ul", "ol", "dl", "table", "pre", "blockquote", "figure", "details", "aside",
          "fieldset", "h1", "h2", "h3", "h4", "h5", "h6"]
MARKS = re.compile(r"([\\`*_$<|])")


def readable(notebook: nbformat.NotebookNode, body: BeautifulSoup, page: str, has_notebook: Callable[[str], bool],
             base: str = "") -> nbformat.NotebookNode:
    """The notebook with the text of the page; cells that the page does not show stay in their places, folded.

    Parameters
    ----------
    notebook : NotebookNode
        The executed notebook.
    body : BeautifulSoup
        The page's HTML.
    page : str
        Name of the page, such as "book/start/idea": links are relative to it.
    has_notebook : callable
        Whether a page has a notebook: links lead there, and else to the site, if its address is known.
    base : str
        Address of the site, or "".

    Raises
    ------
    ValueError
        The page does not show the cells of the notebook.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    waiting = list(range(len(code)))
    shown = [place for place in waiting if "remove-cell" not in code[place].metadata.get("tags", [])]
    cells, text = [], []

    def speak():
        if text:
            cells.append(nbformat.v4.new_markdown_cell("\n\n".join(text)))
            text.clear()

    write = Markdown(page, has_notebook, base)
    for piece in write.pieces(body):
        if isinstance(piece, str):
            text.append(piece)
            continue
        if not shown:
            raise ValueError(f"{page} shows more cells than its notebook has")
        speak()
        while waiting and waiting[0] <= shown[0]:
            cells.append(folded(code[waiting.pop(0)]))
        shown.pop(0)
    if shown:
        raise ValueError(f"{page} shows {len(shown)} cells less than its notebook has")
    speak()
    cells += [folded(code[place]) for place in waiting]
    number_cells(cells)
    return nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata)


def twin(body: BeautifulSoup, page: str, has_page: Callable[[str], bool], base: str = "") -> str:
    """The page as one Markdown text, with its numbers, the code that it shows and what the code gave.

    Parameters
    ----------
    body : BeautifulSoup
        The page's HTML.
    page : str
        Name of the page, such as "book/start/idea": links are relative to it.
    has_page : callable
        Whether there is a twin of a page: links lead there.
    base : str
        Address of the site, or "".
    """
    write = Markdown(page, has_page, base, ".md")
    return "\n\n".join(piece if isinstance(piece, str) else write.cell(piece) for piece in write.pieces(body)) + "\n"


def folded(cell: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A code cell whose source is hidden if it is machinery; JupyterLab opens it with a click."""
    if FOLDED & set(cell.metadata.get("tags", [])):
        cell.metadata["jupyter"] = {"source_hidden": True}
    return cell


def number_cells(cells: list[nbformat.NotebookNode]) -> None:
    """Names by place, so that the same page gives the same file."""
    for place, cell in enumerate(cells):
        cell["id"] = f"cell-{place}"


class Markdown:
    """Markdown for a page's HTML."""

    def __init__(self, page: str, has_notebook: Callable[[str], bool], base: str, kind: str = ".ipynb"):
        self.page, self.has_notebook, self.base, self.kind = page, has_notebook, base, kind

    def pieces(self, node: Tag) -> Iterator[str | Tag]:
        """Blocks of text, and the page's code cells between them."""
        for child in node.children:
            if not isinstance(child, Tag):
                if child.strip() and type(child) is NavigableString:
                    yield escape(child.strip())
            elif child.name == "div" and "cell" in child.get("class", []):
                yield child
                yield from (f"_{self.inline(caption).strip()}_" for caption in child.select("figcaption"))
            elif child.select_one("div.cell"):
                yield from self.opened(child)
            elif said := self.block(child).strip("\n"):
                yield said

    def opened(self, box: Tag) -> Iterator[str | Tag]:
        """A box that holds cells: its title, then what is in it."""
        title = box.find(["summary", "p"], recursive=False, class_=lambda name: name == "admonition-title") or (
            box.find("summary", recursive=False))
        if title:
            yield f"**{self.inline(title).strip()}**"
            title.extract()
        yield from self.pieces(box)

    def block(self, tag: Tag) -> str:
        """One block, its lines joined."""
        classes = tag.get("class", [])
        if tag.name in LEFT_OUT:
            return ""
        if "operated" in classes or "panels" in classes:
            return "*(On the site there is a picture to operate here.)*"
        if re.fullmatch("h[1-6]", tag.name):
            return f"{'#' * int(tag.name[1])} {self.inline(tag).strip()}"
        if tag.name == "p":
            return self.inline(tag).strip()
        if "math" in classes:
            return self.displayed(tag)
        if "quiz" in classes:
            return self.question(tag)
        if tag.name in ("ul", "ol"):
            return "\n".join(self.item(one, f"{number}." if tag.name == "ol" else "-") for number, one in enumerate(
                tag.find_all("li", recursive=False), start=1))
        if tag.name == "dl":
            return "\n\n".join(f"**{self.inline(part).strip()}**" if part.name == "dt" else self.blocks(part)
                               for part in tag.find_all(["dt", "dd"], recursive=False))
        if tag.name == "table":
            return self.table(tag)
        if tag.name == "pre":
            language = next((name.removeprefix("highlight-") for parent in tag.parents for name in
                             parent.get("class", []) if name.startswith("highlight-")), "")
            return f"```{'' if language in ('default', 'none') else language}\n{tag.get_text().rstrip()}\n```"
        if tag.name == "img":
            return f"*(Picture: {tag.get('alt', '')})*"
        if tag.name in ("details", "aside", "blockquote") or "admonition" in classes:
            return self.quoted(tag)
        if tag.name in BLOCKS or tag.find(BLOCKS):
            return self.blocks(tag)
        return self.inline(tag).strip()

    def blocks(self, tag: Tag) -> str:
        """The blocks in a tag; text beside blocks is a block of its own."""
        if not tag.find([*BLOCKS, "img"]):
            return self.inline(tag).strip()
        return "\n\n".join(filter(None, (piece for piece in self.pieces(tag) if isinstance(piece, str))))

    def quoted(self, tag: Tag) -> str:
        """A theorem, a note or an aside as a quoted block, its title in bold."""
        title = tag.find(class_="admonition-title", recursive=False) or tag.find("summary", recursive=False)
        head = f"**{self.inline(title.extract()).strip()}**\n\n" if title else ""
        lines = (head + self.blocks(tag)).strip().split("\n")
        return "\n".join(f"> {line}".rstrip() for line in lines)

    def question(self, tag: Tag) -> str:
        """A question, its answers, and which is right as a folded answer."""
        choices = tag.find_all("label")
        said = [self.inline(choice.select_one(".answer")).strip() for choice in choices]
        why = [f"{self.inline(choice.select_one('.why')).strip()}" for choice in choices]
        right = [f"{'Right' if 'right' in choice['class'] else 'No'}: {words}" for choice, words in
                 zip(choices, why, strict=True)]
        asked = self.inline(tag.select_one(".question")).strip()
        return "\n".join([f"**{asked}**", "", *(f"{n}. {one}" for n, one in enumerate(said, 1)), "",
                          "<details><summary>Answer</summary>", "", *(f"{n}. {one}" for n, one in enumerate(right, 1)),
                          "", "</details>"])

    def cell(self, tag: Tag) -> str:
        """A code cell: its code, unless the page folds or hides it, and its outputs."""
        parts = []
        if not {f"tag_{name}" for name in FOLDED} & set(tag["class"]) and (code := tag.select_one(".cell_input pre")):
            parts.append(f"```python\n{code.get_text().strip()}\n```")
        for out in tag.select(".cell_output > *"):
            if out.img:
                parts.append(self.block(out.img))  # its caption follows the cell
            elif out.select_one("pre"):
                parts.append(f"```\n{out.get_text().strip()}\n```")
            else:
                parts.append(self.block(out).strip())
        return "\n\n".join(filter(None, parts))

    def item(self, tag: Tag, mark: str) -> str:
        lines = self.blocks(tag).split("\n")
        return "\n".join([f"{mark} {lines[0]}", *(f"{' ' * (len(mark) + 1)}{line}".rstrip() for line in lines[1:])])

    def displayed(self, tag: Tag) -> str:
        number = tag.select_one(".eqno")
        label = re.search(r"\(([\d.]+)\)", number.extract().get_text()) if number else None
        formula = re.sub(r"^\s*\\\[|\\\]\s*$", "", tag.get_text()).strip()
        return "\n".join(["$$", formula + (f" \\tag{{{label[1]}}}" if label else ""), "$$"])

    def table(self, tag: Tag) -> str:
        rows = [[self.inline(one).strip().replace("\n", " ") for one in row.find_all(["th", "td"])]
                for row in tag.find_all("tr")]
        width = max(map(len, rows), default=0)
        if not width:
            return ""
        rows = [row + [""] * (width - len(row)) for row in rows]
        if not tag.find("thead"):
            rows.insert(0, [""] * width)
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])

    def inline(self, node: Tag) -> str:
        """The words of a tag, with formulas, links and emphasis."""
        return "".join(map(self.word, node.children))

    def word(self, node) -> str:
        if not isinstance(node, Tag):
            return escape(re.sub(r"\s+", " ", node)) if type(node) is NavigableString else ""
        classes = node.get("class", [])
        if node.name in LEFT_OUT or "headerlink" in classes:
            return ""
        if "math" in classes:
            return "$" + re.sub(r"^\s*\\\(|\\\)\s*$", "", node.get_text()).strip() + "$"
        if node.name == "code":
            return f"`{node.get_text()}`"
        if node.name == "br":
            return "<br>"
        if node.name == "img":
            return f"(picture: {escape(node.get('alt', ''))})"
        said = self.inline(node)
        if node.name == "a" and (address := self.address(node.get("href", ""))) and said.strip():
            return f"[{said}]({address})"
        mark = {"strong": "**", "b": "**", "em": "*", "i": "*"}.get(node.name, "")
        if mark and said.strip():
            return said[:len(said) - len(said.lstrip())] + mark + said.strip() + mark + said[len(said.rstrip()):]
        return f"<{node.name}>{said}</{node.name}>" if node.name in ("sup", "sub") else said

    def address(self, link: str) -> str:
        """Where a link leads from a notebook: another notebook, the site, or nowhere."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, part = link.partition("#")
        if not path:
            return ""
        page = posixpath.normpath(posixpath.join(posixpath.dirname(self.page), path))
        if page.endswith(".html") and self.has_notebook(page.removesuffix(".html")):
            return path.removesuffix(".html") + self.kind
        return f"{self.base.rstrip('/')}/{page}{'#' if part else ''}{part}" if self.base else ""


def escape(words: str) -> str:
    """Words in which no character is Markdown's."""
    return MARKS.sub(lambda found: "&lt;" if found[1] == "<" else "\\" + found[1], words)
