r"""A TeX formula as MathML, which browsers set by themselves, at build time and in a live cell (it runs there, too)."""

from __future__ import annotations

import contextlib
import functools
import re
import unicodedata
import xml.etree.ElementTree as ET

from latex2mathml.converter import convert

STYLES = {"bold", "bold-italic", "script", "double-struck"}
MATHML = "{http://www.w3.org/1998/Math/MathML}"


@functools.cache
def mathml(tex: str, block: bool = False) -> str:
    r"""MathML of one formula. Raises ValueError if it cannot be read, or would show TeX.

    >>> mathml(r"f > c")[:5], "alttext" in mathml(r"\tfrac12")
    ('<math', True)
    """
    source = tex.strip()
    tex = re.sub(r"\\(?:begin|end)\{split\}", "", source)
    tex = re.sub(r"\\mathrm(?: (\w)|\{(\w)\})", r"\\mathrm{\1\2 }", tex)  # a single letter would lean
    tex = re.sub(r"\{aligned\}", "{align*}", tex)  # latex2mathml leaves a bare & in the one, not in the other
    try:
        text = convert(tex, display="block" if block else "inline")
        root = ET.fromstring(re.sub(r"&(?!#?\w+;)", "&amp;", text))
    except Exception as error:  # whatever it raises: the formula must be told
        raise ValueError(f"no MathML for {source!r}: {error}") from error
    for element in root.iter():
        if element.text and "\\" in element.text:
            raise ValueError(f"TeX is left in the MathML of {source!r}: {element.text!r}")
        style = element.attrib.get("mathvariant")
        if style in STYLES and element.text:
            del element.attrib["mathvariant"]  # browsers know letters, not this attribute
            element.text = "".join(letter(style, one) for one in element.text)
    for element in list(root.iter()):
        join_letters(element)
    for element in list(root.iter()):
        lower_primes(element)
        space(element)
    if len(root) == 1 and root[0].tag == MATHML + "mrow":  # a formula is a row by itself
        root[:] = list(root[0])
    if not block:
        del root.attrib["display"]
    root.set("alttext", source)
    return re.sub(r"(</?)ns0:| xmlns:ns0=\"[^\"]*\"", r"\1", ET.tostring(root, encoding="unicode"))  # HTML knows it


def join_letters(row: ET.Element) -> None:
    """An upright word, such as Beta, is one word, and not a letter beside a letter."""
    if row.tag == MATHML + "mrow" and len(row) and all(
            child.tag == MATHML + "mi" and child.get("mathvariant") == "normal" for child in row):
        word = "".join(child.text for child in row)
        row.clear()
        row.tag, row.text = MATHML + "mi", word
        if len(word) == 1:  # by itself a letter would lean
            row.set("mathvariant", "normal")


def lower_primes(element: ET.Element) -> None:
    """The font's prime is raised as it is; as a script it would float: put it beside what it belongs to."""
    script = element[-1] if len(element) else None
    if element.tag not in (MATHML + "msup", MATHML + "msubsup") or set(script.text or "x") - set("\u2032\u2033\u2034"):
        return
    prime = ET.Element(MATHML + "mo", lspace="0", rspace="0")
    prime.text = script.text
    element.remove(script)
    base = element[0]
    if len(element) == 2:
        base = ET.Element(MATHML + "msub")
        base.extend(list(element))
    for child in list(element):
        element.remove(child)
    element.tag = MATHML + "mrow"
    element.extend([base, prime])


RELATIONS = set("=<>\u2264\u2265\u2260\u2248\u2208\u221d\u2192,;:([{|\u222b\u2211")
NAMES = {"log", "ln", "exp", "det", "Pr", "min", "max", "tr", "erf"}


def space(row: ET.Element) -> None:
    """What TeX knows of signs and the converter does not: a minus that begins, bars that close, names of functions."""
    bars = [child for child in row if child.tag == MATHML + "mo" and child.text == "|"]
    for number, bar in enumerate(bars):
        bar.set("stretchy", "false")
        if len(bars) % 2 == 0:
            bar.set("form", "postfix" if number % 2 else "prefix")
    before = None
    for child in list(row):
        if child.tag == MATHML + "mi" and child.text in ("~", "\u223c", "\xb1"):  # relations and signs have room
            child.tag, child.text = MATHML + "mo", child.text.replace("~", "\u223c")
        if child.tag == MATHML + "mo" and child.text == "\u221e":
            child.tag = MATHML + "mi"
        if child.tag == MATHML + "mo" and child.text in ("\u2212", "-", "+"):
            if before is None or (before.tag == MATHML + "mo" and (before.text or "")[-1:] in RELATIONS):
                child.set("form", "prefix")
        if child.text == "=" and before is not None and before.text == ":" and before in list(row):
            row.remove(before)
            child.text = ":="
            child.attrib.update(lspace="0.28em", rspace="0.28em")
        if row.tag == MATHML + "mrow" and before is not None and before in list(row):
            names = [before.text in NAMES, child.text in NAMES]
            letters = {MATHML + tag for tag in ("mi", "mn", "msub", "msup", "mfrac", "msubsup", "msqrt")}
            if (names[0] and child.tag in letters) or (names[1] and before.tag in letters):
                row.insert(list(row).index(child), ET.Element(MATHML + "mspace", width="0.167em"))
        before = child


def letter(style: str, one: str) -> str:
    """A letter of a mathematical alphabet, where Unicode has it.

    >>> letter("double-struck", "P"), letter("bold", "1"), letter("bold", "+")
    ('ℙ', '𝟏', '+')
    """
    name = re.sub("LATIN |GREEK |LETTER ", "", unicodedata.name(one, ""))
    alphabet = style.upper().replace("BOLD-", "BOLD ")
    for full in (f"MATHEMATICAL {alphabet} {name}", f"{alphabet} {name}",
                 f"MATHEMATICAL {alphabet} {name}".replace(" ITALIC", "")):
        with contextlib.suppress(KeyError):
            return unicodedata.lookup(full)
    return one
