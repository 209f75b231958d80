"""What a chapter's card promises is an open cell of its page: short, of public names, followed by words."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROMISES = tomllib.loads((Path(__file__).with_name("promises.toml")).read_text())
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
CELL = re.compile(r"(?ms)^```\{code-cell\}[^\n]*\n(?:---\n((?:(?!tags:).)*?)---\n)?(.*?)^```\n+(.*?)(?=^```|\Z)")


def text_of(chapter):
    """The page as one reads it: without cells that it does not show."""
    unseen = r"(?ms)^```\{code-cell\}[^\n]*\n:tags: \[(?:remove-cell|quiet-check)[^\n]*\n.*?^```\n"
    return re.sub(unseen, "", (ROOT / f"book/{chapter}.md").read_text())


def test_every_chapter_with_a_card_has_a_promise():
    chapters = [chapter["file"] for part in TOC["parts"] if "numbered" in part for chapter in part["chapters"]]
    with_card = {name.removeprefix("book/") for name in chapters if "**You will be able to**" in (
        ROOT / f"{name}.md").read_text()} - {"end/consultant"}  # whose promise is a memo
    beside = {name for name in with_card if name.startswith("imprecise/")}  # for readers of another paper
    assert set(PROMISES) == with_card - beside


@pytest.mark.parametrize("chapter", PROMISES)
def test_a_promise_is_an_open_cell_of_six_lines(chapter):
    promise, first = PROMISES[chapter]
    text = text_of(chapter)
    card = re.search(r"\*\*You will be able to\*\* (.*)", text)[1]
    assert promise in card
    cells = [(cell, after) for _, cell, after in CELL.findall(text) if cell.splitlines()[0] == first]
    assert len(cells) == 1, f"{len(cells)} open cells of {chapter} begin with {first!r}"
    (cell, after), = cells
    assert len([line for line in cell.splitlines() if line.strip()]) <= 6
    assert re.match(r"[A-Z*\"(]", after.lstrip()), "no sentence reads the output"
    tree = ast.parse(cell)
    assert isinstance(tree.body[-1], ast.Expr | ast.For), "the cell shows nothing"
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    ours = set(re.findall(r"(?m)^def (\w+)", text))
    of_the_book = set()
    for imported in re.findall(r"(?m)^from pwu_book[\w.]* import (.*)", text):
        of_the_book |= {name.split(" as ")[-1].strip() for name in imported.strip("()").split(",")}
    assert not calls & ours and not names & of_the_book, "names that a reader does not have"
