"""The teaching kit in a browser: every slide of every deck, every worksheet, from the file, without a network.

site_check calls `check_kit`. It fails on a slide whose content overflows, a key that does nothing, a speaker's window
that does not follow, a print with another number of pages than slides, a worksheet of more than one page, a request,
a script error, a serious finding of axe-core.
"""

from __future__ import annotations

import re
from pathlib import Path

OVERFLOW = """() => {
  const slide = document.querySelector(".slide.now");
  const parts = [...slide.children].filter(part => !part.matches(".foot, .notes, .title > svg") && part.offsetHeight);
  const top = Math.min(...parts.map(part => part.offsetTop));
  const bottom = Math.max(...parts.map(part => part.offsetTop + part.offsetHeight));
  const right = Math.max(...parts.map(part => part.offsetLeft + part.scrollWidth));
  return top < 24 || bottom > 686 || right > 1262 ? [top, bottom, right] : null;
}"""
CLIPPED = """() => [...document.querySelectorAll('.slide')].flatMap((slide, number) => {
  const foot = slide.querySelector('.foot'), floor = foot ? foot.getBoundingClientRect().top : Infinity;
  return [...slide.querySelectorAll('.notes')].some(e => e.getBoundingClientRect().bottom > floor) ? [number + 1] : [];
})"""
ANSWERED = "[...document.querySelectorAll('.step')].some(step => getComputedStyle(step).visibility != 'hidden')"
AT = "() => [...document.querySelectorAll('.slide')].findIndex(slide => slide.classList.contains('now'))"
LEAST = """() => Math.min(99, ...[...document.querySelectorAll('.slide.now .instrument svg')].filter(
    svg => svg.getClientRects().length).flatMap(svg => [...svg.querySelectorAll('text')].map(
    text => parseFloat(getComputedStyle(text).fontSize)
            * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)))"""


def check_kit(browser, site: Path, check_access) -> list[str]:
    """Problems of the decks and sheets of a built site."""
    found = []
    with browser.new_context(viewport={"width": 1280, "height": 720}, offline=True) as context:
        for folder, check in (("slides", check_deck), ("worksheets", check_sheet)):
            paths = sorted((site / folder).glob("*.html"))
            found += [f"no {folder}"] * (not paths)
            for path in paths:
                found += [f"{folder}/{path.name}: {problem}" for problem in check(context, path, check_access)]
    return found


def opened(context, path: Path) -> tuple:
    """A page of a file, and what goes wrong on it."""
    page, problems = context.new_page(), []
    page.on("request", lambda request: problems.append(f"asks for {request.url}")
            if not request.url.startswith(("file:", "data:")) else None)
    page.on("pageerror", lambda error: problems.append(f"script: {error}"))
    page.goto(path.resolve().as_uri())
    page.evaluate("document.fonts.ready.then(() => 1)")
    return page, problems


def check_deck(context, path: Path, check_access) -> list[str]:
    page, found = opened(context, path)
    count = page.locator(".slide").count()
    for number in range(count):
        if page.evaluate(AT) != number:
            found.append(f"slide {number + 1} is not reached by the right arrow")
            break
        outside = page.evaluate(OVERFLOW)
        if outside:
            found.append(f"slide {number + 1} overflows: top, bottom, right {outside}")
        if (least := page.evaluate(LEAST)) < 17.9:
            found.append(f"slide {number + 1} has letters of {least:.1f} pixels in its picture")
        found += [f"slide {number + 1}: {problem}" for problem in check_access(page, "main")]
        for _ in range(1 + page.locator(".slide.now .step").count()):
            page.keyboard.press("ArrowRight")
    found += check_steps(page)
    for key, wanted in (("Home", 0), ("End", count - 1), ("ArrowLeft", count - 2)):
        page.keyboard.press(key)
        if page.evaluate(AT) != wanted:
            found.append(f"{key} does not lead to slide {wanted + 1}")
    page.keyboard.press("d")
    if not page.evaluate("document.documentElement.classList.contains('dark')"):
        found.append("D does not make it dark")
    found += [f"dark: {problem}" for problem in check_access(page, "main")]
    page.keyboard.press("d")
    found += check_speaker(context, page)
    page.emulate_media(media="print")
    page.keyboard.press("a")
    if page.evaluate(ANSWERED):
        found.append("printed as first shown, it shows an answer")
    page.keyboard.press("a")
    if pages(page) != count:
        found.append(f"{count} slides, {pages(page)} pages in print")
    page.keyboard.press("h")
    if pages(page) != count:
        found.append(f"{count} slides, {pages(page)} pages in print with notes")
    found += [f"slide {number}: its notes do not fit on its page" for number in page.evaluate(CLIPPED)]
    page.close()
    return found


def check_steps(page) -> list[str]:
    """A step waits for its key, and a shorter version has fewer slides."""
    found, steps = [], page.locator(".step")
    if steps.count():
        slide = page.evaluate("() => document.querySelector('.slide:has(.step)').id")
        page.evaluate("slide => { location.hash = slide; }", slide)
        for wanted in (False, True):
            page.wait_for_function("slide => document.querySelector('.slide.now').id === slide", arg=slide)
            if page.locator(f"#{slide} .step").first.is_visible() != wanted:
                found.append(f"{slide}: its first step is {'hidden' if wanted else 'shown'}")
            page.keyboard.press("ArrowRight")
    return found


def check_speaker(context, page) -> list[str]:
    """S opens a window that has the notes and follows."""
    page.keyboard.press("Home")
    with context.expect_page() as waiting:
        page.keyboard.press("s")
    beside = waiting.value
    beside.wait_for_load_state()
    page.keyboard.press("ArrowRight")
    try:
        beside.wait_for_function("() => document.querySelector('#desk').textContent.length > 20", timeout=5000)
        followed = beside.evaluate(AT) == 1 and moves_both(page, beside)
    except Exception:  # whatever the browser calls it: it has not followed
        followed = False
    beside.close()
    return [] if followed else ["the speaker's window has no notes, or does not follow"]


def moves_both(page, beside) -> bool:
    """An instrument that is moved in one window says the same in the other, in a deck that has one to move."""
    if not page.locator(".instrument .controls").count():
        return True
    words = """() => document.querySelector('.instrument:has(.controls) [role=status]').textContent"""
    before = page.evaluate(words)
    page.evaluate("""() => {
        const input = document.querySelector('.instrument .controls :is(input, select)');
        input.value = input.tagName === 'SELECT' ? '1' : input.max;
        input.dispatchEvent(new Event('input', {bubbles: true}));
    }""")
    beside.wait_for_function(f"said => ({words})() === said", arg=page.evaluate(words), timeout=5000)
    return page.evaluate(words) != before


def check_sheet(context, path: Path, check_access) -> list[str]:
    page, found = opened(context, path)
    found += check_access(page, "main")
    if pages(page) != 1:
        found.append(f"{pages(page)} pages of paper")
    page.close()
    return found


def pages(page) -> int:
    """How many pages it prints."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True, print_background=True)))
