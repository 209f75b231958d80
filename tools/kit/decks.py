"""The decks without the rest of the book, and pieces of them for slides of one's own.

Usage: python -m tools.kit.decks     (make slides)

Writes _build/slides: each deck as HTML and as a PowerPoint file (titles and notes are text, the rest of a slide is a
picture), and the figures of all decks as SVG and PNG. Only a deck whose page, or the package, has changed runs again.
"""

from __future__ import annotations

import html
import io
import re
import shutil
import sys
import time
from pathlib import Path

import yaml

from tools.build import build_book
from tools.checks.browse import chromium
from tools.kit import slides

PAGES = ["book/teaching/slides.md", "book/teaching/worksheets.md", "book/reference/cite.md"]
COPIED = ["CITATION.cff", "book/references.bib", "requirements.txt", "pyproject.toml"]
PIXELS = 9525  # of PowerPoint's units, 1/96 of an inch
CREDIT = "Decision-Aligned Uncertainty, CC BY 4.0"


def main() -> int:
    root, started = Path(__file__).resolve().parents[2], time.time()
    small, target = root / "_build" / "decks", root / "_build" / "slides"
    lay_out(root, small)
    build_book.use_own_settings(small)
    code = build_book.code_fingerprint(root)
    if build_book.changed(small / ".code", code):
        build_book.delete(small / "_build" / ".jupyter_cache")
        (small / ".code").write_text(code)
    if not build_book.execute(small, small / "_build" / ".jupyter_cache") or not build_book.run_sphinx(small, []):
        return 1
    site = small / "_build" / "html"
    slides.write(site)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(site / slides.TARGET, target)
    (target / "figures").mkdir()
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 720}, device_scale_factor=2)
        for deck in sorted(target.glob("*.html")):
            page.goto(deck.as_uri())
            page.evaluate("document.fonts.ready.then(() => 1)")
            export(page, deck)
            print(f"  {deck.stem}: {page.evaluate('slides.length')} slides", flush=True)
    print(f"\nMade in {time.time() - started:.0f} s, in {target}")
    return 0


def lay_out(root: Path, small: Path) -> None:
    """A book of the decks alone, and of the pages that they include or cite."""
    pages = [*PAGES, *(str(path.relative_to(root)) for path in sorted((root / "book/teaching").glob("slides_*.md")))]
    for name in [*pages, *COPIED]:
        (small / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, small / name)
    for folder in ("book/_static", "tools", "LICENSES"):
        shutil.copytree(root / folder, small / folder, dirs_exist_ok=True)
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    del config["sphinx"]["config"]["redirects"]  # to pages that are not here
    (small / "_config.yml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    first, *others = (name.removesuffix(".md") for name in pages)
    (small / "_toc.yml").write_text(f"format: jb-book\nroot: {first}\nparts:\n  - caption: Slides\n    chapters:\n"
                                    + "".join(f"      - file: {name}\n" for name in others))


def export(page, deck: Path) -> None:
    """PowerPoint, and each figure as a file, of the deck that the page shows."""
    from pptx import Presentation
    from pptx.util import Pt

    show = Presentation()
    show.slide_width, show.slide_height = 1280 * PIXELS, 720 * PIXELS
    show.core_properties.title, show.core_properties.author = page.title(), CREDIT
    for number in range(page.evaluate("slides.length")):
        page.evaluate("number => show(number, 99)", number)
        slide = show.slides.add_slide(show.slide_layouts[5])
        title, now = slide.shapes.title, page.locator(".slide.now")
        title.left, title.top, title.width, title.height = (size * PIXELS for size in (84, 20, 1112, 80))
        title.text_frame.text = now.locator("h1, h2").inner_text()
        title.text_frame.paragraphs[0].runs[0].font.size = Pt(32)
        page.evaluate("() => document.querySelector('.now :is(h1, h2)').style.visibility = 'hidden'")
        shot = page.screenshot(clip={"x": 0, "y": 100, "width": 1280, "height": 590})
        picture = slide.shapes.add_picture(io.BytesIO(shot), 0, 100 * PIXELS, 1280 * PIXELS, 590 * PIXELS)
        picture._element.nvPicPr.cNvPr.set("descr", " ".join(now.inner_text().split())[:1000])
        notes = now.locator(".notes")
        said = notes.text_content().strip() if notes.count() else ""
        slide.notes_slide.notes_text_frame.text = f"{said}\n{CREDIT}"
        for which, drawing in enumerate(now.locator("svg.drawing").all()):
            name = f"{deck.stem}-{number + 1:02d}" + "abc"[which] * (which > 0)
            (deck.parent / "figures" / f"{name}.svg").write_text(alone(page, drawing), encoding="utf-8")
            page.evaluate("number => show(number, 99)", number)
            if not drawing.is_visible():  # another one has taken its place
                page.evaluate("number => show(number, 0)", number)
            drawing.screenshot(path=deck.parent / "figures" / f"{name}.png")
    show.save(str(deck.with_suffix(".pptx")))


def alone(page, drawing) -> str:
    """A drawing that no longer needs the deck: colours and sizes are written out, and it says where it is from."""
    text = drawing.evaluate("drawing => new XMLSerializer().serializeToString(drawing)")
    values = dict(page.evaluate("""() => [...document.styleSheets[0].cssRules]
        .filter(rule => rule.selectorText === ":root")
        .flatMap(rule => [...rule.style].map(name => [name, rule.style.getPropertyValue(name).trim()]))"""))
    text = re.sub(r"var\((--[\w-]+)(?:, [^)]*)?\)", lambda found: values.get(found[1], "1"), text)
    text = re.sub(r"calc\(([\d.]+)px \* 1\)", r"\1px", text).replace("currentColor", values["--ink"])
    return re.sub(r"(<svg [^>]*>)", rf"\1<desc>{html.escape(CREDIT)}</desc>", text, count=1)


if __name__ == "__main__":
    sys.exit(main())
