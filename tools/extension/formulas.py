r"""The formulas of a page as MathML, and the font that MathML needs.

Pages, slides and editions hold MathML (by latex2mathml) and need no script for it. The font, STIX Two Math, comes with
ziamath and is cut to the letters in use.
"""

from __future__ import annotations

import base64
import io
import logging
import re

from bs4 import BeautifulSoup, NavigableString, Tag
from fontTools import subset

from tools.extension import fonts
from tools.extension.mathml import letter, mathml

__all__ = ["FAMILY", "face", "font", "mathml", "set_formulas"]

logging.getLogger("fontTools").setLevel(logging.WARNING)  # its steps would bury the warnings of a build
FAMILY = "Book Math"
DRAWN = {0xAF, 0x203E, 0x221A, 0x23DE, 0x23DF}  # bars, roots and braces are drawn by the browser, not written


def tex_of(tag: Tag) -> str:
    """The TeX that Sphinx, or a notebook's output, has put between its delimiters."""
    text = tag.get_text().strip()
    found = (re.fullmatch(r"\\\((.*)\\\)", text, re.S) or re.search(r"\\\[(.*)\\\]\s*$", text, re.S)
             or re.search(r"\$\$(.*)\$\$\s*$", text, re.S) or re.fullmatch(r"\$(.*)\$", text, re.S))
    if not found:
        raise ValueError(f"no formula in {text!r}")
    return found[1].replace("\\displaystyle", "", 1) if tag.name == "div" else found[1]


def set_formulas(soup: BeautifulSoup | Tag) -> int:
    """Put MathML in place of every formula of a page that is not MathML yet; how many."""
    found = [tag for tag in soup.select(".math") if not tag.find("math")]
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
    tag["class"] = [*tag["class"], "broad" if length > 34 else "kept"]
    after = tag.next_sibling
    found = re.match(r"[.,;:)?!\u2019\u201d]+", after) if isinstance(after, NavigableString) else None
    if found and length <= 34:
        after.replace_with(str(after)[found.end():])
        tag.append(found[0])


def font(pages: list[Tag]) -> bytes:
    """STIX Two Math as WOFF2, cut to the letters of the pages' formulas, under a name of its own (its licence asks)."""
    return font_of({ord(one) for page in pages for tag in page.find_all("math") for one in tag.get_text()})


def font_of(letters: set[int]) -> bytes:
    """The same, for these letters."""
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
