"""Sphinx extension: math from the site's own files, and pages that a screen reader can use."""

from __future__ import annotations

import copy
import functools
import html
import re
import shutil
import tomllib
from pathlib import Path

import nbformat
import yaml
from bs4 import BeautifulSoup
from docutils import nodes
from jupyter_cache import get_cache
from sphinx.errors import ExtensionError

from tools.extension import fonts, formulas, notebooks, page_body, preview, search_index, theme
from tools.extension.planned import Named, Plan
from tools.extension.quiz import Quiz
from tools.kit import exercises
from tools.live import fetch
from tools.live import site as live_site

# The page that reads its reader's file: its policy holds without live cells, too.
BENCH = "book/start/quickstart"

EVERYDAY = {"cannot tell", "new data", "credit line"}  # terms of the glossary that are also plain words
CHOOSING = "book/reference/which_score"  # for people who choose with the help of a program


def finish_site(app, exception) -> None:
    """What the pages need beside them, once they are all written."""
    if not exception:
        shutil.copytree(fonts.write(Path(app.outdir).parent / ".fonts"), Path(app.outdir) / "_static" / "fonts",
                        dirs_exist_ok=True)
        if app.config.html_baseurl:
            draw_previews(app)
        list_pages(app)
        offer_scores(app)
        offer_instruments(app)
        if fetch.ready(live_folder(app)):
            live_site.write(Path(app.srcdir), live_folder(app), Path(app.outdir) / "_static" / "live")
        set_math_font(app)
        search_index.write(Path(app.outdir), {page: [(words, place) for _, words, place, *_ in found]
                                              for page, found in getattr(app.env, "book_words", {}).items()})
        theme.finish(Path(app.outdir))


def set_math_font(app) -> None:
    """The font of the formulas, cut to the letters of all pages."""
    site = Path(app.outdir)
    letters = {ord(letter) for path in [*site.glob("*.html"), *site.glob("book/**/*.html")]
               for formula in re.findall(r"<math.*?</math>", path.read_text(encoding="utf-8"), re.S)
               for letter in html.unescape(re.sub(r"<[^>]*>", "", formula))}
    (site / "_static" / "fonts" / "book-math.woff2").write_bytes(formulas.font_of(letters))


def live_folder(app) -> Path:
    """Where `make live` puts Python for the browser."""
    return Path(app.outdir).parent / "live"


# A browser that stores nothing for this site refuses even to be asked, and a script that asks ends there.
STORELESS = ("<script>try { localStorage.length } catch { Object.defineProperty(window, 'localStorage', {value: "
             "{getItem: () => null, setItem() {}, removeItem() {}}}) }</script>\n")


def dress_page(app, pagename, templatename, context, doctree) -> None:
    """Checks, tables and figures as `page_body` sets them; a description for links."""
    context["metatags"] = STORELESS + context.get("metatags", "")
    if not pagename.startswith("book/"):
        return
    images = {f"{app.builder.imgpath}/{name}": Path(app.srcdir) / path for path, name in app.builder.images.items()}
    try:
        context["body"], words = page_body.dress(context["body"], pagename, images.get, terms_for(app, pagename))
    except ValueError as error:
        raise ExtensionError(str(error)) from error
    title = re.sub(r"<[^>]*>", "", context["title"])
    tell_links(app, context, pagename, html.unescape(title), words)
    live = "readable_notebook" in context and fetch.ready(live_folder(app))
    offer_exercises(app, pagename, context, live)
    if live or pagename == BENCH:
        up = "../" * pagename.count("/")
        address = f"{up}_sources/{pagename}.ipynb" if live else ""
        context["metatags"] = live_site.head(address, up) + context["metatags"]


def offer_exercises(app, pagename: str, context, live: bool) -> None:
    """Where cells are live, a chapter links to its graded exercises, which run in the page; one page has all."""
    found, up = exercises.chapters(Path(app.srcdir)), "../" * pagename.count("/")
    if live and pagename in found:
        line = (f'<p class="graded">Two more, which the page itself checks and you can hand in: <a href="{up}exercises/'
                f'{found[pagename].stem}.html">the exercises of this chapter</a>.</p>')
        head, mark, tail = context["body"].partition('<section id="exercises">')
        end = tail.find("</section>")
        context["body"] = head + mark + tail[:end] + line + tail[end:] if mark else context["body"]
    if 'class="graded-pages"' in context["body"]:
        titles = {path.stem: html.escape(app.env.titles[page].astext()) for page, path in found.items()
                  if page in app.env.titles}
        rows = "".join(f'<li><a href="{up}exercises/{name}.html">{title}</a></li>' for name, title in titles.items())
        listed = f'<ol class="graded-pages">{rows}</ol>' if fetch.ready(live_folder(app)) else ""
        context["body"] = context["body"].replace('<div class="graded-pages"></div>', listed)


def notebook_of(app, pagename: str) -> Path:
    """The notebook that MyST-NB writes for a page with code."""
    return Path(app.outdir).parent / "jupyter_execute" / f"{pagename}.ipynb"


def read_notebook(app, pagename, templatename, context, doctree) -> None:
    """Make the page's notebook with its outputs, and with the text as the page has it.

    MyST-NB writes the notebook without outputs when they come from the cache: put them in.
    """
    source = notebook_of(app, pagename)
    if doctree is None or not source.exists():
        return
    _, notebook = get_cache(app.config.nb_execution_cache_path).merge_match_into_notebook(
        nbformat.read(source, as_version=4))
    body = page_body.parsed(context["body"])
    page_body.name_tables(body)  # so that a caption has the page's word
    try:
        notebook = notebooks.readable(notebook, body, pagename,
                                      lambda page: notebook_of(app, page).exists(), app.config.html_baseurl)
    except ValueError as error:
        raise ExtensionError(str(error)) from error
    context["readable_notebook"] = notebook


def offer_twin(app, pagename, templatename, context, doctree) -> None:
    """Write the page as Markdown with its numbers, beside the page: for programs that read, and for people who copy."""
    if doctree is not None:
        text = notebooks.twin(page_body.parsed(context["body"]), pagename, lambda page: page in app.env.found_docs,
                              app.config.html_baseurl)
        target = Path(app.outdir) / f"{pagename}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def offer_notebook(app, pagename, templatename, context, doctree) -> None:
    """Write the page's notebook beside the page."""
    if "readable_notebook" in context:
        target = Path(app.outdir) / "_sources" / f"{pagename}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(context["readable_notebook"], target)


def find_address(app, config) -> None:
    """One address in _config.yml, repository_url: pages link to their source, to error reports, to where they run.

    The site is at html_baseurl, or with the pages of that repository on GitHub; then it has a map and previews.
    """
    options = config.html_theme_options
    if options["repository_url"]:
        found = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+?)/?", options["repository_url"])
        if found and not config.html_baseurl:
            config.html_baseurl = f"https://{found[1].lower()}.github.io/{found[2]}/"
    if config.html_baseurl:
        app.setup_extension("sphinx_sitemap")
        app.setup_extension("sphinxext.opengraph")
        config.sitemap_url_scheme = "{link}"
        config.sitemap_excludes = ["genindex.html", "search.html"]
        config.ogp_site_url, config.ogp_type = config.html_baseurl, "article"
        config.ogp_social_cards = {"enable": False}
        config.ogp_custom_meta_tags = ['<meta name="twitter:card" content="summary_large_image">']


def released(app) -> str:
    """Date of the release, as CITATION.cff states it."""
    cited = yaml.safe_load((Path(app.srcdir) / "CITATION.cff").read_text(encoding="utf-8"))
    return f"{cited['date-released']:%Y/%m/%d}"


def terms_for(app, pagename: str) -> dict[str, str]:
    """Addresses of the glossary's terms of several words, for a page of the textbook."""
    if pagename.startswith(("book/reference/", "book/teaching/", "book/record/")):
        return {}
    terms = {name: place for (kind, name), place in app.env.get_domain("std").objects.items() if kind == "term"}
    return {name: app.builder.get_relative_uri(pagename, page) + f"#{label}" for name, (page, label) in terms.items()
            if re.fullmatch(r"[^,()]+ [^,()]+", name) and name not in EVERYDAY}


def tell_links(app, context, pagename: str, title: str, words: str) -> None:
    """The page's description, and what sphinxext-opengraph says of a link to it: our words and our picture."""
    context["metatags"] += f'<meta name="description" content="{html.escape(words)}">\n'
    facts = {"title": title, "author": app.config.author, "publication_date": released(app),
             "inbook_title": app.config.project, "language": "en"}
    context["metatags"] += "".join(f'<meta name="citation_{name}" content="{html.escape(text)}">\n'
                                   for name, text in facts.items())
    if app.config.html_baseurl:
        base = app.config.html_baseurl.rstrip("/")
        context["meta"] = {**(context["meta"] or {}), "og:description": words, "og:image:alt": title,
                           "og:image": f"{base}/_static/previews/{preview_of(pagename)}"}


def preview_of(pagename: str) -> str:
    return pagename.removeprefix("book/").replace("/", "-") + ".png"


def draw_previews(app) -> None:
    """A picture of each page for links."""
    site, book = Path(app.outdir), app.config.project
    (site / "_static" / "previews").mkdir(exist_ok=True)
    for path in sorted((site / "book").rglob("*.html")):
        page = path.relative_to(site).with_suffix("").as_posix()
        said = (book, preview.QUESTION) if page == app.config.root_doc else (read_head(path)[0], book)
        preview.draw(site / "_static" / "previews" / preview_of(page), *said)


def list_pages(app) -> None:
    """llms.txt: every page with its title and first words, in the order of the book, for programs that read it."""
    site, toc = Path(app.outdir), yaml.safe_load((Path(app.srcdir) / "_toc.yml").read_text())
    base = app.config.html_baseurl.rstrip("/") + "/" if app.config.html_baseurl else ""
    lines = [f"# {app.config.project}", "", f"> {read_head(site / f'{app.config.root_doc}.html')[1]}", "",
             "Each page is also one Markdown text, with its numbers: .md in place of .html in its address."]
    if CHOOSING in app.env.found_docs:
        title = read_head(site / f"{CHOOSING}.html")[0]
        lines += ["", f"To choose a score for somebody, read [{title}]({base}{CHOOSING}.md) first. What each "
                      f"score believes is in [scores.json]({base}scores.json)."]
    for part in toc["parts"]:
        lines += ["", f"## {part['caption']}", ""]
        for chapter in part["chapters"]:
            title, words = read_head(site / f"{chapter['file']}.html")
            lines.append(f"- [{title}]({base}{chapter['file']}.html): {words}")
    (site / "llms.txt").write_text("\n".join(lines) + "\n")


def offer_scores(app) -> None:
    """scores.json: the cards of the gallery, in a book that has one."""
    if "book/reference/gallery" in app.env.found_docs:
        page = (Path(app.outdir) / "book" / "reference" / "gallery.html").read_text()
        cards = re.search(r'<script [^>]*id="scores"[^>]*>(.*?)</script>', page, re.S)
        (Path(app.outdir) / "scores.json").write_text(cards[1].replace("<\\/", "</"))


def offer_instruments(app) -> None:
    """instruments/PAGE.html: the first instrument of each page that can be moved, to be shown in a frame elsewhere."""
    site, template = Path(app.outdir), Path(__file__).with_name("instrument.html").read_text(encoding="utf-8")
    for name in sorted(app.env.found_docs):
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        if 'class="operated instrument' not in text:
            continue
        found = BeautifulSoup(text, "html.parser").select_one("div.instrument:has(.controls)")
        if found is not None:
            (site / "instruments").mkdir(exist_ok=True)
            parts = {"TITLE": html.escape(found.select_one(".views svg")["aria-label"]), "INSTRUMENT": str(found),
                     "PAGE": f"../{name}.html"}
            whole = re.sub("@(TITLE|INSTRUMENT|PAGE)@", lambda name, parts=parts: parts[name[1]], template)
            (site / "instruments" / f"{Path(name).name}.html").write_text(whole, encoding="utf-8")


def read_head(path: Path) -> tuple[str, str]:
    """Title and description of a built page."""
    head = path.read_text().partition("</head>")[0]
    title = re.search(r"<title>(.*?)(?: (?:&#8212;|—) [^<]*)?</title>", head, re.S)
    words = re.search(r'<meta name="description" content="([^"]*)"', head)
    return tuple(html.unescape(found[1]).strip() if found else "" for found in (title, words))


def offer_theorems(app, env) -> list[str]:
    """Put definitions, theorems and the like into objects.inv, so that other books can point at them by label."""
    std = env.get_domain("std")
    for label, row in getattr(env, "proof_list", {}).items():  # a book without a theorem has no list
        number = theorem_number(env, label, row)
        std.labels[label] = (row["docname"], row["ids"][0], f"{row['realtype'].capitalize()} {number}".strip())
        std.anonlabels[label] = (row["docname"], row["ids"][0])
    return []


def list_words(app, env) -> list[str]:
    """Put theorems by number and name, and the words of `index_words.toml`, into the index.

    An entry of several names, parted by commas, is several.
    """
    entries, std = env.get_domain("index").entries, env.get_domain("std")
    env.book_words = {}  # by page, for the search

    @functools.cache
    def titles_of(page):
        return {node["label"]: node["title"] for node in env.get_doctree(page).findall(nodes.Element)
                if node.get("label") and node.get("title")}

    def enter(words, page, place):
        if page in env.all_docs and words.strip():
            entry = ("single", words, place, "main", None)
            env.book_words.setdefault(page, []).append(entry)
            if entry not in entries.setdefault(page, []):  # from the last build
                entries[page].append(entry)

    for label, row in getattr(env, "proof_list", {}).items():
        kind, number = row["realtype"].capitalize(), theorem_number(env, label, row)
        if number:
            enter(f"{kind} {number}", row["docname"], row["ids"][0])
        if label in (titles := titles_of(row["docname"])):
            enter(re.sub(r"\s*\(.*\)\s*$", "", titles[label]), row["docname"], row["ids"][0])
    words = Path(app.srcdir) / "book" / "index_words.toml"
    for names, label in tomllib.loads(words.read_text(encoding="utf-8")).items() if words.exists() else ():
        for name in names.split(", "):
            enter(name, std.anonlabels[label][0], "")
    return []


def theorem_number(env, label: str, row: dict) -> str:
    numbers = env.toc_fignumbers.get(row["docname"], {}).get(row["countertype"], {})
    return ".".join(map(str, numbers.get(label, ())))


def as_counted(app, env) -> list[str]:
    """Sphinx compares the numbers with those that it gave before, and gets these back without what came after."""
    env.toc_fignumbers = getattr(env, "fignumbers_counted", env.toc_fignumbers)
    return []


def number_apart(app, env) -> list[str]:
    """Tables and figures of a chapter count separately: a figure that holds a table is a table."""
    before, env.fignumbers_counted = getattr(env, "fignumbers_apart", {}), copy.deepcopy(env.toc_fignumbers)
    for name, kinds in env.toc_fignumbers.items():
        numbers, counts = kinds.get("figure", {}), {True: 0, False: 0}
        for figure in env.get_doctree(name).findall(nodes.figure) if numbers else []:
            for one in set(figure["ids"]) & set(numbers):
                holds = any("<table" in raw.astext() for raw in figure.findall(nodes.raw))
                counts[holds] += 1
                numbers[one] = (*numbers[one][:-1], counts[holds])
    env.fignumbers_apart = env.toc_fignumbers
    return [name for name, numbers in env.toc_fignumbers.items() if numbers != before.get(name, numbers)]


def index_anew(app):
    """The search has an index of its own, made of all pages: Sphinx does not find one to go on from after an edit."""
    app.builder.load_indexer = lambda documents: None


def setup(app):
    theme.setup(app)
    app.add_directive("quiz", Quiz)
    app.add_directive("plan", Plan)
    for name in ("slide", "sheet", "deck"):
        app.add_role(name, Named())
    app.connect("config-inited", find_address)
    app.connect("builder-inited", index_anew)
    app.connect("html-page-context", read_notebook, priority=300)
    app.connect("html-page-context", offer_twin, priority=300)
    app.connect("html-page-context", offer_notebook, priority=400)
    app.connect("html-page-context", theme.fill, priority=450)
    app.connect("html-page-context", dress_page)
    app.connect("env-get-updated", as_counted, priority=100)
    app.connect("env-get-updated", number_apart, priority=900)  # after Sphinx has numbered figures and theorems
    app.connect("env-get-updated", offer_theorems, priority=950)
    app.connect("env-get-updated", list_words, priority=960)
    app.connect("build-finished", finish_site, priority=900)  # after all others
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
