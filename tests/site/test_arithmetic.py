"""Arithmetic that a page writes out is right: both sides of each equality of plain numbers, to the last digit said."""

import ast
import operator
import re
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "book").rglob("*.md"))
CHAPTERS = [chapter["file"] for part in yaml.safe_load((ROOT / "_toc.yml").read_text())["parts"]
            if "numbered" in part for chapter in part["chapters"]]
FORMULA = re.compile(r"(?<![\\$])\$([^$`]+)\$(?!\$)")
FRACTION = re.compile(r"\\[td]?frac(?:\{([^{}]*)\}\{([^{}]*)\}|(\d)(\d)|(\d)\{([^{}]*)\})")
WORDS = {r"\times": "*", r"\cdot": "*", r"\left": "", r"\right": "", r"\,": "", "{,}": "", r"\%": "/100", "^": "**",
         "{": "(", "}": ")", "[": "(", "]": ")"}
HOW = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
       ast.Pow: operator.pow}


def value(text):
    """An arithmetic expression's exact value, or None where it is not one."""
    while (longer := FRACTION.sub(lambda m: f"(({m[1] or m[3] or m[5]})/({m[2] or m[4] or m[6]}))", text)) != text:
        text = longer
    for word, sign in WORDS.items():
        text = text.replace(word, sign)
    text = re.sub(r"(?<=[\d)])\s*(?=\()", "*", text.strip())
    if not re.fullmatch(r"[-+*/().\d\s]*\d[-+*/().\d\s]*", text) or re.search(r"\d\s+\d", text):
        return None
    try:
        return walk(ast.parse(re.sub(r"(?<![\d.])0+(?=\d)", "", text), mode="eval").body, text)
    except (SyntaxError, ZeroDivisionError):
        return None


def walk(node, text):
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    if isinstance(node, ast.UnaryOp):
        return -walk(node.operand, text) if isinstance(node.op, ast.USub) else walk(node.operand, text)
    left, right = walk(node.left, text), walk(node.right, text)
    return HOW[type(node.op)](left, int(right) if isinstance(node.op, ast.Pow) and right.denominator == 1 else right)


def places(text):
    """Half a unit of the last digit of a number; of anything else nothing."""
    said = re.fullmatch(r"-?\d+(?:\{,\}\d+)*(?:\.(\d+))?(\\%)?", text.strip())
    return Fraction(1, 2 * 10 ** (len(said[1] or "") + 2 * bool(said[2]))) if said else Fraction(0)


def equalities(text):
    """Of each chain of sides that are numbers: the two sides, and whether they agree as printed."""
    for formula in FORMULA.findall(text):
        sides = re.split(r"(?<![<>!:])=|\\approx", formula)
        for one, two in zip(sides, sides[1:], strict=False):
            left, right = value(one), value(two)
            if left is not None and right is not None:
                yield f"{one.strip()} = {two.strip()}", abs(left - right) <= places(one) + places(two)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT / "book").with_suffix("").as_posix())
def test_both_sides_agree(page):
    assert not [said for said, agrees in equalities(page.read_text(encoding="utf-8")) if not agrees]


def test_the_check_can_fail():
    """Wrong sums are found in each form that the pages have; rounding in the last digit is none."""
    right = [r"0.97 \times 0.02 = 0.0194", r"\tfrac12 (0.4)^2 = 0.08", r"\frac{1}{7} = 0.14", r"1 - 0.3 = 70\%",
             r"(0 + 0.1)/2 = 0.05", r"10{,}000 / 4 = 2500", r"\tfrac{1}{3} + 0.5 = \frac{5}{6}"]
    wrong = [r"0.97 \times 0.02 = 0.0193", r"\tfrac12 (0.4)^2 = 0.8", r"\frac{1}{7} = 0.15", r"1 - 0.3 = 71\%"]
    found = [agrees for text in right + wrong for _, agrees in equalities(f"${text}$")]
    assert found == [True] * len(right) + [False] * len(wrong)
    assert sum(len(list(equalities(page.read_text(encoding="utf-8")))) for page in PAGES) > 40


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_hand_calculation_stands_before_the_first_theorem(chapter):
    text = (ROOT / f"{chapter}.md").read_text(encoding="utf-8")
    before, *theorem = re.split(r"(?m)^`{3,}\{prf:(?:theorem|proposition)\}", text, maxsplit=1)
    assert not theorem or any(True for _ in equalities(before))
