r"""TeX formulas as MathML, for what is read away from the site, and the font that MathML needs.

The site's own pages set formulas with MathJax. Slides and editions are single files without scripts:
they hold MathML (by latex2mathml) and, cut to the letters in use, STIX Two Math, which comes with ziamath.
"""

from __future__ import annotations

import base64
import contextlib
import io
import re
import unicodedata
import xml.etree.ElementTree as ET

from bs4 import BeautifulSoup, NavigableString, Tag
from fontTools import subset
from latex2mathml.converter import convert

from tools.extension import fonts

STYLES = {"bold", "bold-italic", "script", "double-struck"}
FAMILY = "Book Math"
MATHML = "{http://www.w3.org/1998/Math/MathML}"
DRAWN = {0xAF, 0x203E, 0x221A, 0x23DE, 0x23DF}  # bars, roots and braces are drawn by the browser, not written


def mathml(tex: str, block: bool = False) -> str:
    r"""MathML of one formula. Raises ValueError if it cannot be read, or would show TeX.

    >>> mathml(r"f > c")[:5], "alttext" in mathml(r"\tfrac12")
    ('<math', True)
    """
    source = tex.strip()
    tex = re.sub(r"\\(?:begin|end)\{split\}", "", source)
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
        lower_primes(element)
        space(element)
    root.set("alttext", source)
    ET.register_namespace("", "http://www.w3.org/1998/Math/MathML")
    return ET.tostring(root, encoding="unicode")


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


def tex_of(tag: Tag) -> str:
    """The TeX that Sphinx, or a notebook's output, has put between its delimiters."""
    text = tag.get_text().strip()
    found = (re.fullmatch(r"\\\((.*)\\\)", text, re.S) or re.search(r"\\\[(.*)\\\]\s*$", text, re.S)
             or re.search(r"\$\$(.*)\$\$\s*$", text, re.S) or re.fullmatch(r"\$(.*)\$", text, re.S))
    if not found:
        raise ValueError(f"no formula in {text!r}")
    return found[1].replace("\\displaystyle", "", 1) if tag.name == "div" else found[1]


def set_formulas(soup: BeautifulSoup | Tag) -> int:
    """Put MathML in place of every formula of a page; how many."""
    found = soup.select(".math")
    for tag in found:
        number = tag.select_one(".eqno")
        if number is not None:
            number.extract()
        block = tag.name == "div"
        formula = BeautifulSoup(mathml(tex_of(tag), block), "html.parser")
        tag.clear()
        tag.append(formula)
        if not block:
            keep_together(tag, len(tag.get_text()))
        del tag["tabindex"]
        if number is not None:
            tag.append(number)
    return len(found)


def keep_together(tag: Tag, length: int) -> None:
    """Punctuation after a formula stays on its line; a long formula may scroll by itself."""
    tag["class"] = [*tag["class"], "long" if length > 34 else "kept"]
    after = tag.next_sibling
    found = re.match(r"[.,;:)?!\u2019\u201d]+", after) if isinstance(after, NavigableString) else None
    if found and length <= 34:
        after.replace_with(str(after)[found.end():])
        tag.append(found[0])


def font(pages: list[Tag]) -> bytes:
    """STIX Two Math as WOFF2, cut to the letters of the pages' formulas, under a name of its own (its licence asks)."""
    letters = {ord(one) for page in pages for tag in page.find_all("math") for one in tag.get_text()}
    path = fonts.packaged("ziamath", "STIXTwoMath-Regular.ttf")
    wanted = letters | set(range(0x20, 0x7F)) | italics(letters) | DRAWN
    made = fonts.cut(path, FAMILY, wanted, subset.Options().layout_features)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def italics(letters: set[int]) -> set[int]:
    """A browser sets a single letter of a formula in italics: another character of the font."""
    every = letters | set(range(0x41, 0x7B))
    return {ord(letter(style, chr(one))) for style in ("italic", "bold-italic") for one in every} | {0x210E}


def face(data: bytes, family: str, style: str = "normal", weights: str = "400 700") -> str:
    """A font inside a style sheet."""
    return (f'@font-face {{ font-family: "{family}"; font-style: {style}; font-weight: {weights}; '
            f'src: url(data:font/woff2;base64,{base64.b64encode(data).decode()}) format("woff2"); }}\n')
