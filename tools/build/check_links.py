"""Check every link, anchor and asset inside the built site."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src", "iframe": "src"}


class Page(HTMLParser):
    """Collects what a page links to and the anchors it offers."""

    def __init__(self, path: Path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors.update(value for key in ("id", "name") if (value := values.get(key)))
        if tag in LINKS and values.get(LINKS[tag]):
            self.links.append((tag, values[LINKS[tag]]))


def main(site: Path) -> int:
    """Print every broken link; the number of them."""
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}
    broken = [line for path, page in pages.items() for line in broken_links(path, page, pages)]
    for line in broken:
        print(f"BROKEN {line}", file=sys.stderr)
    if not pages:
        print(f"no pages below {site}", file=sys.stderr)
    return len(broken) or int(not pages)


def broken_links(path: Path, page: Page, pages: dict[Path, Page]):
    for tag, link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if tag != "a" and not (tag == "link" or parts.scheme == "data"):
                yield f"{path.name}: <{tag}> loads {link} from another host"
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            target = target / "index.html"
        if not target.exists():
            yield f"{path.name}: <{tag}> {link}: no such file"
        elif parts.fragment and "=" not in parts.fragment and target in pages and (  # a state is no anchor
                unquote(parts.fragment) not in pages[target].anchors):
            yield f"{path.name}: <{tag}> {link}: no such anchor"
