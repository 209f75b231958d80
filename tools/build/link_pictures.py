"""Put each page's own first figure into the picture that other programs show with a link to it.

Usage: python -m tools.build.link_pictures    (after `make book`, where _config.yml has the site's address)

The build draws these pictures with the book's curves (see `preview`); here Chromium draws those of pages that have a
figure: 1200 by 630 pixels, the page's title over its figure in the light theme's colours.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tools.checks import browse
from tools.extension.book_extension import preview_of, read_head

SITE = Path("_build/html")
NAME = "Decision-Aligned Uncertainty"
COMPOSE = """([name, rules]) => {
    const drawing = document.querySelector('article .cell_output figure svg');
    if (!drawing) return null;
    document.documentElement.dataset.theme = 'light';
    const title = document.querySelector('article h1');
    title.querySelectorAll('.headerlink').forEach(link => link.remove());
    document.head.append(Object.assign(document.createElement('style'), {textContent: rules}));
    document.body.innerHTML = '<div id="picture"><h1></h1><div id="drawing"></div><p></p></div>';
    document.querySelector('#picture h1').innerHTML = title.innerHTML;
    document.querySelector('#picture p').textContent = name;
    const heading = document.querySelector('#picture h1'), place = document.querySelector('#drawing');
    for (let size = 52; heading.scrollHeight > 130 && size > 24; size -= 2) heading.style.fontSize = size - 2 + 'px';
    const box = drawing.viewBox.baseVal;
    const scale = Math.min(place.clientWidth / box.width, place.clientHeight / box.height);
    drawing.setAttribute('width', box.width * scale);
    drawing.setAttribute('height', box.height * scale);
    drawing.style.cssText = 'width: auto; max-width: none; min-width: 0; height: auto';
    place.append(drawing);
    const edges = drawing.getBoundingClientRect();
    return {title: heading.scrollHeight, left: edges.left, right: edges.right, top: edges.top, bottom: edges.bottom};
}"""
STYLE = """#picture { position: fixed; inset: 0; width: 1200px; height: 630px; background: #fff; box-sizing: border-box;
           padding: 30px 60px 16px; z-index: 99999; display: flex; flex-direction: column; gap: 20px; }
#picture h1 { font-size: 52px; font-weight: 600; line-height: 1.15; margin: 0; border: 0; padding: 0; }
#drawing { flex: 1; min-height: 0; display: flex; justify-content: center; align-items: center; }
#picture p { margin: 0; font-size: 22px; color: #555; }"""


def draw_all(browser, pages: dict[Path, Path]) -> list[str]:
    """Draw the picture of each page (built page to target); what is wrong. Without a figure a target is left alone."""
    context, found = browser.new_context(viewport={"width": 1200, "height": 630}, java_script_enabled=False), []
    page = context.new_page()
    for source, target in pages.items():
        page.goto(source.resolve().as_uri())
        seen = page.evaluate(COMPOSE, [NAME, STYLE])
        if seen:
            page.screenshot(path=target)
            if not (seen["title"] <= 135 and 0 <= seen["left"] < seen["right"] <= 1200
                    and 30 + seen["title"] <= seen["top"] < seen["bottom"] <= 590):
                found.append(f"{source}: the picture for links is too full, {seen}")
        elif read_head(source)[0][:1].isdigit():
            found.append(f"{source}: a chapter without a figure for its picture")
    context.close()
    return found


def check(browser, site: Path) -> list[str]:
    """Problems of the pictures that the chapters of a built site would have."""
    pages = [path for path in pages_of(site) if read_head(path)[0][:1].isdigit()]
    with tempfile.TemporaryDirectory() as folder:
        found = draw_all(browser, {path: Path(folder) / picture_of(site, path) for path in pages})
        different = len({path.read_bytes() for path in Path(folder).glob("*.png")})
    return found + [f"{different} pictures for links of {len(pages)} chapters"] * (not different == len(pages) > 0)


def pages_of(site: Path) -> list[Path]:
    return sorted((site / "book").rglob("*.html"))


def picture_of(site: Path, page: Path) -> str:
    return preview_of(page.relative_to(site).with_suffix("").as_posix())


def main() -> int:
    pages = {page: SITE / "_static" / "previews" / picture_of(SITE, page) for page in pages_of(SITE)}
    pages = {page: target for page, target in pages.items() if target.exists()}
    if not pages:
        print("no pictures for links: they need an address, repository_url in _config.yml, and `make book`")
        return 0
    with browse.chromium() as browser:
        found = draw_all(browser, pages)
    print("\n".join(found) or f"{len(pages)} pictures for links")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
