"""The theme's style sheets as one, its scripts as one, its icons in the page: what a reader has to fetch.

A page of the theme asks for eleven style sheets, fourteen scripts and three fonts of icons, 4 MB with MathJax. Rules
that fit no element of a page are left out; Bootstrap's script and Font Awesome go, since `book.js` does what pages
use of the one, and eight small drawings what they use of the other.
"""

from __future__ import annotations

import functools
import hashlib
import html
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.extension.mathml import mathml

# A line each, in a box of 24.
ICONS = {
    "angle-left": "M15 4 7 12l8 8", "angle-right": "m9 4 8 8-8 8", "arrow-up": "M12 21V4m-7 7 7-7 7 7",
    "bars": "M3 6h18M3 12h18M3 18h18", "chevron-down": "m5 9 7 7 7-7", "chevron-right": "m9 5 7 7-7 7",
    "list": "M9 6h12M9 12h12M9 18h12M4 6h.1M4 12h.1M4 18h.1",
    "magnifying-glass": "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm4.8 11.3L21 21",
    "code": "m8 6-6 6 6 6m8-12 6 6-6 6", "download": "M12 3v12m-6-5 6 6 6-6M4 21h16",
    "file": "M6 2h8l5 5v15H6zm8 0v5h5", "file-pdf": "M6 2h8l5 5v15H6zm8 0v5h5M9 13h6M9 17h6",
    "circle-half-stroke": "M12 3a9 9 0 1 0 0 18zm0 0a9 9 0 0 1 0 18",
    "moon": "M20 14A8.5 8.5 0 1 1 10 4a7 7 0 0 0 10 10z",
    "sun": "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12 1v3m0 16v3M1 12h3m16 0h3M4 4l2 2m12 12 2 2M4 20l2-2M18 6l2-2",
    "rocket": "M5 3l16 9-16 9z", "github": "m8 6-6 6 6 6m8-12 6 6-6 6", "lightbulb": "M9 21h6m-7-5a7 7 0 1 1 8 0v2H8z",
    "pencil": "m4 20 1-5L16 4l4 4L9 19z", "expand": "M4 9V4h5m6 0h5v5m0 6v5h-5m-6 0H4v-5"}
STYLES, SCRIPTS = "site.css", "site.js"
KEPT = ("searchtools.js", "language_data.js")
GONE = ("fontawesome", "mathjax", "bootstrap.js", "design-tabs")
STYLE = re.compile(r'<link (?=[^>]*rel="stylesheet")[^>]*href="([^"]+)"[^>]*>\n?')
SCRIPT = re.compile(r'<script(?! data-cfasync)[^>]* src="([^"]+)"[^>]*></script>\n?')
ICON = re.compile(r'<(?:i|span) class="([^"]*\bfa-[^"]*)"([^>]*)></(?:i|span)>')
FORMULA = re.compile(r'(<span class="math[^"]*">)\\\((.*?)\\\)</span>')  # in the page's contents: headings have them
MENU = re.compile(r'<nav class="bd-links bd-docs-nav".*?</nav>', re.S)
PART = re.compile(r'<p aria-level="2" class="caption" role="heading"><span class="caption-text">(.*?)</span></p>')
OWN = ("live/", "searchtools", "language_data", "searchindex")  # of some pages
VALUE = r"""(?:[^;{}"'()]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()"']|"[^"]*"|'[^']*'|\([^()]*\))*\))*"""
PROPERTY = re.compile(rf"(?<=[{{;\s])(--[\w-]+)\s*:{VALUE}(?:;|(?=\}}))")
CLASS = re.compile(r"\.(-?[_a-zA-Z](?:[\w-]|\\.)*)")
SCRIPTED = re.compile(r"<script(?![^>]*type=\"(?:application|text/plain))[^>]*>(.*?)</script>", re.S)
ELEMENT = re.compile(r"""<([a-z][\w-]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>""", re.I)
STRING = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)""")
TIGHT = re.compile(rf"""{STRING.pattern}|(\([^()]*\))|\s*([;,])\s*|(:)\s+|\s+""")


def write(site: Path) -> None:
    """Make every page of the theme ask for one style sheet and one script.

    A build that changes some pages writes those anew: the others are as they were made, and count for what is used.
    """
    static = site / "_static"
    for template in static.rglob("*.html"):  # of the theme: nobody opens them
        template.unlink()
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    fresh = {path: text for path, text in pages.items() if "pydata-sphinx-theme.css" in text}
    if fresh:
        made = {path: text for path, text in pages.items() if path in fresh or f"_static/{STYLES}?" in text}
        join(static, fresh, made)
    if not (static / STYLES).exists():
        return  # a site of another theme
    for path in [*static.glob("*.css"), *static.glob("*.js")]:
        if path.name not in (STYLES, SCRIPTS, *KEPT):
            path.unlink()
    for folder in ("vendor", "scripts", "styles", "locales"):  # what is left of the theme's own files
        shutil.rmtree(static / folder, ignore_errors=True)


def join(static: Path, fresh: dict[Path, str], pages: dict[Path, str]) -> None:
    """Write the two files, and the pages that are new."""
    fullest = max(fresh.values(), key=lambda text: len(STYLE.findall(text)))
    sheets = [plain(address) for address in STYLE.findall(fullest) if not gone(address) and not own(address)]
    scripts = list(dict.fromkeys(plain(address) for text in fresh.values() for address in SCRIPT.findall(text)
                                 if not gone(address) and not own(address)))
    some = {plain(address) for text in pages.values() for address in SCRIPT.findall(text) if own(address)}
    there = [(static / name).read_text(encoding="utf-8") for name in (*scripts, *KEPT, *some)
             if (static / name).is_file()]
    inside = [found for text in pages.values() for found in SCRIPTED.findall(text)]
    # This file writes into pages, too, so that it counts as one.
    fits = fitting([*pages.values(), Path(__file__).read_text(encoding="utf-8")], [*there, *inside])
    style = asked_for("\n".join(pruned(sheet(static / name), fits) for name in sheets), [*pages.values(), *there])
    # It begins with a semicolon: a first file's "use strict" would hold for all of them.
    script = ";" + ";\n".join((static / name).read_text(encoding="utf-8") for name in scripts
                              if name != "documentation_options.js")
    options = (static / "documentation_options.js").read_text(encoding="utf-8")
    for name, text in ((STYLES, style), (SCRIPTS, script)):
        (static / name).write_text(text, encoding="utf-8")
    kinds = [kind for kind in ("serif", "serif-italic", "sans", "math")
             if (static / "fonts" / f"book-{kind}.woff2").exists()]
    versions = [f"{name}?v={hashlib.sha256(text.encode()).hexdigest()[:12]}"
                for name, text in ((STYLES, style), (SCRIPTS, script))]
    for path, text in fresh.items():
        path.write_text(page(text, *versions, options, kinds), encoding="utf-8")


def asked_for(style: str, others: list[str]) -> str:
    """The style sheet without custom properties that neither it, nor a page, nor a script asks for.

    A semicolon in a string or an address belongs to the value.
    """
    elsewhere = {name for text in others for name in re.findall(r"--[\w-]+", text)}
    while True:
        asked = elsewhere | set(re.findall(r"var\(\s*(--[\w-]+)", style))
        shorter = PROPERTY.sub(lambda found, asked=asked: found[0] if found[1] in asked else "", style)
        if shorter == style:
            return style
        style = shorter


def sheet(path: Path) -> str:
    """A style sheet with those that it imports, its addresses seen from the static folder."""
    text = path.read_text(encoding="utf-8").replace("url(../", "url(")
    return re.sub(r"""@import\s*(?:url\()?["']?([^"')]+)["']?\)?;""", lambda found: sheet(
        (path.parent / found[1]).resolve()), text)


def plain(address: str) -> str:
    """The file below `_static` of an address in a page."""
    return address.partition("_static/")[2].partition("?")[0]


def gone(address: str) -> bool:
    return any(name in address for name in GONE)


def own(address: str) -> bool:
    """Does it belong to some pages only, or to no file of the site's static folder?"""
    return "_static/" not in address or any(name in address for name in OWN)


def page(text: str, style: str, script: str, options: str, kinds: list[str]) -> str:
    """A page that asks for the one style sheet and the one script, with its icons drawn."""
    up = re.search(r'href="((?:\.\./)*)_static/', text)[1]
    text = re.sub(r'<link rel="preload"[^>]*>\n?', "", text)
    text = re.sub(r"<script>window\.MathJax = .*?</script>\n?", "", text, flags=re.S)
    text = SCRIPT.sub(lambda found: found[0].replace("<script src", "<script defer src")
                      if own(found[1]) and not gone(found[1]) else "", text)
    text = STYLE.sub(lambda found: found[0] if own(found[1]) else "", text)
    fonts = "".join(f'<link rel="preload" as="font" type="font/woff2" crossorigin href="{up}_static/fonts/book-{name}'
                    '.woff2">\n' for name in kinds if name != "math" or "<math" in text)
    head = (f'<link rel="stylesheet" href="{up}_static/{style}">\n{fonts}<script>{options}</script>\n'
            f'<script defer src="{up}_static/{script}"></script>\n')
    text = FORMULA.sub(lambda found: f"{found[1]}{mathml(html.unescape(found[2]))}</span>", text)
    return ICON.sub(icon, fold_menu(text).replace("</title>", "</title>\n" + head, 1))


def fold_menu(text: str) -> str:
    """Each part of the menu opens and closes; the page's own part is open, on the first page the first two are."""
    menu = MENU.search(text)
    if not menu:
        return text
    parts = PART.split(menu[0])
    kept = [parts[0]]
    for number, (name, below) in enumerate(zip(parts[1::2], parts[2::2], strict=True)):
        here = 'class="current' in below or ('class="current' not in menu[0] and number < 2)
        below, end = below.rsplit("</ul>", 1)
        kept.append(f'<details class="part"{" open" * here}><summary class="caption"><span class="caption-text">{name}'
                    f"</span></summary>{below}</ul></details>{end}")
    return text.replace(menu[0], "".join(kept), 1)


def icon(found: re.Match) -> str:
    """One icon of the theme as a drawing."""
    kinds = found[1].split()
    name = next((kind[3:] for kind in kinds if kind.startswith("fa-") and kind[3:] in ICONS), None)
    if name is None:
        raise ValueError(f"no drawing for the icon {found[1]!r}")
    kept = " ".join(kind for kind in kinds if kind == f"fa-{name}" or not kind.startswith("fa"))  # the theme turns one
    return (f'<svg class="glyph {kept}" {found[2].strip()} viewBox="0 0 24 24" aria-hidden="true">'
            f'<path d="{ICONS[name]}"/></svg>')


def fitting(pages: list[str], scripts: list[str]) -> Callable[[str], bool]:
    """Whether an element may be what one part of a selector asks for: its name, its identifier, its classes.

    A script may give any element a class, and make any element, that stands in one of its strings; after a dot it is
    only looked for.
    """
    elements, marked = set(), set()
    for tag, words in (found for text in pages for found in ELEMENT.findall(text)):
        classes = re.search(r"""\bclass=\\?["']([^"'\\]*)""", words)
        elements.add((tag.lower(), frozenset(classes[1].split() if classes else ())))
        marked.update(re.findall(r"""\bid=\\?["']([^"'\\]+)""", words))
    said = {word for text in scripts for string in STRING.findall(text)
            for word in re.findall(r"(?<![\w.-])[\w-]+", string)}

    @functools.cache
    def fits(part: str) -> bool:
        tag = re.match(r"[a-zA-Z][\w-]*|", part)[0].lower()
        classes = {unescaped(name) for name in CLASS.findall(part)} - said
        return (set(re.findall(r"#([\w-]+)", part)) <= marked | said
                and ((tag in said and not classes)
                     or any(tag in ("", name) and classes <= those for name, those in elements)))

    return fits


def pruned(text: str, fits: Callable[[str], bool]) -> str:
    """The rules of a style sheet that may fit an element, without idle blanks."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return "".join(kept(text, fits))


def tight(text: str) -> str:
    """Without blanks that say nothing; strings stay as they are, and so does what stands in brackets."""
    return TIGHT.sub(lambda found: found[found.lastindex] if found.lastindex else " ", text).strip()


def kept(text: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """Rule by rule; what is nested in @media and the like as well."""
    for head, body in rules(text):
        head = tight(head)
        if body is None:
            yield head
        elif head.startswith(("@media", "@supports", "@layer", "@container")):
            inner = pruned(body, fits)
            if inner.strip():
                yield f"{head}{{{inner}}}"
        elif head.startswith("@font-face") and "Font Awesome" in body:
            continue
        elif head.startswith("@"):
            yield f"{head}{{{tight(body)}}}"
        else:
            wanted = [one for one in split(head) if all(map(fits, re.findall(r"[^\s>+~]+", bare(one))))]
            if wanted:
                yield f"{','.join(wanted)}{{{tight(body).removesuffix(';')}}}\n"


def bare(selector: str) -> str:
    """A selector without attributes, and without brackets, in which one of several classes may be enough."""
    selector = re.sub(r"\[[^\]]*\]", "", selector)
    while (shorter := re.sub(r":[a-z-]+\([^()]*\)", "", selector)) != selector:
        selector = shorter
    return selector


def unescaped(name: str) -> str:
    return name.replace("\\", "")


def split(head: str) -> list[str]:
    """The selectors of a rule: commas in brackets do not part them."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(head):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            parts.append(head[start:place])
            start = place + 1
    return [*parts, head[start:]]


def rules(text: str) -> Iterator[tuple[str, str | None]]:
    """Heads and bodies at the outer level; a body of None for a statement such as @import."""
    place = 0
    while place < len(text):
        found = re.compile(r"[{;]").search(text, place)
        if not found:
            return
        head = text[place:found.start()]
        if found[0] == ";":
            if head.strip():
                yield f"{head};", None
            place = found.end()
            continue
        depth, end = 1, found.end()
        for sign in re.compile(r"""[{}]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""").finditer(text, end):
            depth += (sign[0] == "{") - (sign[0] == "}")
            if not depth:
                break
        yield head, text[found.end():sign.start()]
        place = sign.end()
