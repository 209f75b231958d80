"""The theme of the site: two templates in `theme/`, and what they are filled with."""

from __future__ import annotations

import functools
import hashlib
import html
import re
import shutil
from pathlib import Path

from docutils.parsers.rst.directives.body import Sidebar
from markupsafe import Markup
from pygments.formatters import HtmlFormatter

from tools.extension.mathml import mathml

# A line each, in a box of 24.
ICONS = {
    "road": "M3 6h18M3 12h18M3 18h18", "contents": "M9 6h12M9 12h12M9 18h12M4 6h.1M4 12h.1M4 18h.1",
    "find": "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm4.8 11.3L21 21",
    "file": "M12 3v12m-6-5 6 6 6-6M4 21h16", "dark": "M20 14A8.5 8.5 0 1 1 10 4a7 7 0 0 0 10 10z",
    "light": "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12 1v3m0 16v3M1 12h3m16 0h3M4 4l2 2m12 12 2 2M4 20l2-2M18 6l2-2",
    "auto": "M12 3a9 9 0 1 0 0 18zm0 0a9 9 0 0 1 0 18"}
PART = re.compile(r'<p class="caption" role="heading"><span class="caption-text">(.*?)</span></p>')
FORMULA = re.compile(r'(<span class="math[^"]*">)\\\((.*?)\\\)</span>')
INNER = re.compile(r"</a>\s*(<ul>.*</ul>)\s*</li>\s*</ul>\s*$", re.S)  # the contents of a page, below its title
NAME = re.compile(r'(?<=<span class="pre">)[^<]*')
KEPT = ("book.css", "book.js", "cards.js", "logo.svg", "language_data.js")
CODE = {"light": "a11y-high-contrast-light", "dark": "a11y-high-contrast-dark"}


class Margin(Sidebar):
    """A note beside the text."""

    required_arguments, optional_arguments = 0, 1

    def run(self):
        untitled = not self.arguments
        self.arguments = self.arguments or ["-"]
        notes = super().run()
        notes[0]["classes"].append("margin")
        if untitled:
            del notes[0][0]
        return notes


def fill(app, pagename, templatename, context, doctree) -> None:
    """What the templates of `theme/` ask for beside Sphinx's own."""
    context["icons"] = {name: icon(name, path) for name, path in ICONS.items()}
    context["author"] = app.config.author
    context["versions"] = {path.name: version(path) for path in (Path(app.srcdir) / "book" / "_static").iterdir()}
    context["road"] = road(context["toctree"](maxdepth=2, collapse=True, includehidden=True, titles_only=True))
    context["contents"] = contents(context.get("toc") or "")
    context["files"] = files(pagename, context, context["theme_repository_url"].rstrip("/")) if doctree else []
    for way in filter(None, (context["prev"], context["next"])) if doctree else ():
        way["title"] = set_formulas(way["title"])


@functools.cache
def version(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def icon(name: str, path: str) -> Markup:
    return Markup(f'<svg class="glyph {name}" viewBox="0 0 24 24" aria-hidden="true"><path d="{path}"/></svg>')


def set_formulas(text: str) -> str:
    """The formulas of headings, which stand in no page's body here."""
    return FORMULA.sub(lambda found: f"{found[1]}{mathml(html.unescape(found[2]))}</span>", text)


def road(chapters: str) -> str:
    """Each part opens and closes; the page's own part is open, on a page of none the first two are."""
    before, *parts = PART.split(set_formulas(chapters))
    folded = [before]
    for number, (name, below) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        here = 'class="current' in below or ('class="current' not in chapters and number < 2)
        folded.append(f"<details{' open' * here}><summary>{name}</summary>{below}</details>")
    return "".join(folded).replace('<a class="current', '<a aria-current="page" class="current')


def contents(toc: str) -> str:
    """The sections of a page: Sphinx's list without the title. A long name breaks after an underscore."""
    inner = INNER.search(toc)
    return set_formulas(NAME.sub(lambda name: name[0].replace("_", "_<wbr>"), inner[1])) if inner else ""


def files(pagename: str, context: dict, repository: str) -> list[tuple[str, str]]:
    """The page as a notebook and as Markdown; where the project has an address, its source and where it runs."""
    offered, name = [], pagename.rpartition("/")[2]
    if "readable_notebook" in context:
        offered.append(("Notebook, with its numbers", context["pathto"](f"_sources/{pagename}.ipynb", 1)))
    offered.append(("Markdown, with its numbers", f"{name}.md"))
    if repository:
        owner = repository.removeprefix("https://github.com/")
        offered += [("Source", f"{repository}/blob/main/{pagename}.md"),
                    ("Tell of an error", f"{repository}/issues/new?title=On%20{pagename}")]
        if "readable_notebook" in context:
            offered += [("Run in Colab", f"https://colab.research.google.com/github/{owner}/blob/notebooks/"
                                         f"{pagename}.ipynb"),
                        ("Run in Binder", f"https://mybinder.org/v2/gh/{owner}/main?urlpath=lab/tree/{pagename}.md")]
    return offered


def finish(site: Path) -> None:
    """The colours of code join the style sheet; what extensions left beside it, and no page asks for, goes."""
    static = site / "_static"
    sheet = static / "book.css"
    text = sheet.read_text(encoding="utf-8").partition("/* Code. */")[0]
    sheet.write_text(f"{text}/* Code. */\n" + "".join(colours(theme, style) for theme, style in CODE.items()),
                     encoding="utf-8")
    shutil.rmtree(site / "_sphinx_design_static", ignore_errors=True)
    for path in static.iterdir():
        if path.is_file() and path.name not in KEPT and path.suffix in (".css", ".js", ".png", ".svg"):
            path.unlink()


def colours(theme: str, style: str) -> str:
    """The colours of code in one theme; grounds are the page's."""
    chosen = f'html[data-theme="{theme}"]' if theme == "dark" else 'html:not([data-theme="dark"])'
    rules = HtmlFormatter(style=style).get_style_defs(f"{chosen} .highlight").splitlines()
    return "".join(f"{rule}\n" for rule in rules if "color: #" in rule and ".hll" not in rule and "pre" not in rule
                   and re.search(r"\.highlight \.\w", rule))


def setup(app) -> None:
    app.add_html_theme("book", str(Path(__file__).with_name("theme")))
    app.add_directive("margin", Margin)
