"""An EPUB 3 of the settled leaves: one XHTML file per page, MathML, pictures as SVG, no scripts."""

from __future__ import annotations

import html
import re
import zipfile
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from bs4 import BeautifulSoup

from tools.build import downloads
from tools.editions import leaves
from tools.extension import formulas

HERE = Path(__file__).parent
# HTML forgets the capitals of SVG's names, XHTML asks for them
CAPITALS = {"viewbox": "viewBox", "clippath": "clipPath", "patternunits": "patternUnits"}
OLD = ["valign", "align", "halign", "border", "scoped", "nowrap", "tabindex", "data-head", "summary"]
NOT_FOR_BOOKS = {"doc-biblioentry", "doc-biblioref", "doc-backlink"}
CONTAINER = ('<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
             '<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles>'
             "</container>")


def write(chapters: list[leaves.Leaf], site: Path, about: dict, cover: bytes, target: Path) -> None:
    """The archive, the same bytes for the same book. Raises ValueError for a link without a place."""
    dead = leaves.point(chapters, lambda there, anchor: f"{there.key}.xhtml" + (f"#{anchor}" if anchor else ""))
    if dead:
        raise ValueError(f"links without a place: {dead[:5]}")
    cut = site / "_static" / "fonts"
    files = {f"{one.key}.xhtml": page(one) for one in chapters}
    files |= {"nav.xhtml": contents(chapters, about), "title.xhtml": title_page(about), "cover.png": cover,
              "book.css": style().encode(), "fonts/math.woff2": formulas.font([one.body for one in chapters])}
    files |= {f"fonts/{name}.woff2": (cut / f"{name}.woff2").read_bytes() for _, _, name in leaves.FACES}
    files["book.opf"] = package(files, chapters, about).encode()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(downloads.entry("mimetype", zipfile.ZIP_STORED), "application/epub+zip")
        archive.writestr(downloads.entry("META-INF/container.xml"), CONTAINER)
        for name in sorted(files):
            archive.writestr(downloads.entry(name), files[name])


def style() -> str:
    """The sheet of the editions, its fonts beside it, colours by value, in words that old readers know."""
    sheet = leaves.plain_colours((HERE / "edition.css").read_text())
    sheet = re.sub(r":root \{.*?\}\n", "", sheet, count=1, flags=re.S)
    sheet = re.sub(r"[^{}\n]*:(?:has|is|not)\([^{}]*\{[^{}]*\}", "", sheet[:sheet.index("@media")])
    sheet = sheet.replace("rem", "em").replace("650", "700")
    return "".join(f'@font-face {{ font-family: "{family}"; font-weight: 400 700; font-style: {slope}; '
                   f'src: url(fonts/{file}.woff2); }}\n'
                   for family, slope, file in [*leaves.FACES, (formulas.FAMILY, "normal", "math")]) + sheet


def page(one: leaves.Leaf) -> bytes:
    """One leaf as XHTML."""
    soup = BeautifulSoup(str(one.body), "html.parser")
    for tag in soup.select("style, input, form, select, iframe, object, hr.docutils"):
        tag.decompose()
    for link in soup.select("a[href^=http]"):
        link["href"] = quote(link["href"], safe="%/:=&?~#+!$,;'@()*[]")
    for stroke in soup.select("path:not([d])"):
        stroke.decompose()
    for drawing in soup.find_all("svg"):
        drawing["xmlns"], drawing["xmlns:xlink"] = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
    for tag in soup.find_all(True):
        tag.name = CAPITALS.get(tag.name, tag.name)
        tag.attrs = {CAPITALS.get(name, name): value for name, value in tag.attrs.items()
                     if name not in OLD and (":" not in name or name.startswith("xmlns") or name == "xlink:href")}
        if tag.get("role") in NOT_FOR_BOOKS:
            del tag["role"]
    for tag in soup.select("svg[width$='pt']"):
        del tag["width"], tag["height"]
    return xhtml(one.title, leaves.plain_colours(soup.decode(formatter="minimal")))


def xhtml(title: str, body: str) -> bytes:
    """A page of the book; raises ValueError if it is not XML."""
    text = ('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
            'xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en"><head><meta charset="UTF-8"/>'
            f'<title>{html.escape(title)}</title><link rel="stylesheet" type="text/css" href="book.css"/></head>'
            f"<body>{body}</body></html>\n")
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"{title}: {error}") from error
    return text.encode()


def title_page(about: dict) -> bytes:
    people = html.escape(", ".join(about["authors"]))
    return xhtml(about["title"], f'<section class="front"><h1>{html.escape(about["title"])}</h1>'
                 f'<p>{html.escape(about["question"])}</p><p>{people}</p><p>Version {about["version"]}, '
                 f'{about["date"]}</p><p>Text: CC BY 4.0. Code: MIT.</p></section>')


def contents(chapters: list[leaves.Leaf], about: dict) -> bytes:
    """The navigation document: parts, and chapters under them."""
    parts: dict[str, list[leaves.Leaf]] = {}
    for one in chapters:
        parts.setdefault(one.part, []).append(one)
    lines = []
    for part, inside in parts.items():
        items = "".join(f'<li><a href="{one.key}.xhtml">{html.escape(one.title)}</a></li>' for one in inside)
        lines.append(f"<li><span>{html.escape(part)}</span><ol>{items}</ol></li>" if part else items)
    return xhtml("Contents", f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{"".join(lines)}</ol></nav>')


def package(files: dict[str, bytes], chapters: list[leaves.Leaf], about: dict) -> str:
    """What is in the archive and in which order it is read."""
    kinds = {"xhtml": "application/xhtml+xml", "css": "text/css", "woff2": "font/woff2", "png": "image/png"}
    items = []
    for name, data in sorted(files.items()):
        own = [word for word, mark in (("mathml", b"<math"), ("svg", b"<svg"))
               if name.endswith("xhtml") and mark in data]
        own += {"nav.xhtml": ["nav"], "cover.png": ["cover-image"]}.get(name, [])
        properties = f' properties="{" ".join(own)}"' if own else ""
        items.append(f'<item id="{re.sub(r"[^a-z0-9]", "-", name)}" href="{name}" '
                     f'media-type="{kinds[name.rpartition(".")[2]]}"{properties}/>')
    order = ["title-xhtml", "nav-xhtml", *(re.sub(r"[^a-z0-9]", "-", f"{one.key}.xhtml") for one in chapters)]
    people = "".join(f"<dc:creator>{html.escape(name)}</dc:creator>" for name in about["authors"])
    access = "".join(f'<meta property="schema:{name}">{value}</meta>' for name, value in (
        ("accessMode", "textual"), ("accessMode", "visual"), ("accessModeSufficient", "textual"),
        ("accessibilityFeature", "MathML"), ("accessibilityFeature", "alternativeText"),
        ("accessibilityFeature", "tableOfContents"), ("accessibilityHazard", "none")))
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
            'unique-identifier="id" xml:lang="en"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f'<dc:identifier id="id">{html.escape(about["identifier"])}</dc:identifier>'
            f'<dc:title>{html.escape(about["title"])}</dc:title>{people}<dc:language>en</dc:language>'
            f'<dc:rights>CC BY 4.0</dc:rights><meta property="dcterms:modified">{about["date"]}T00:00:00Z</meta>'
            f'{access}</metadata><manifest>{"".join(items)}</manifest>'
            f'<spine>{"".join(f"<itemref idref={chr(34)}{one}{chr(34)}/>" for one in order)}</spine></package>\n')
