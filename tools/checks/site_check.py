"""Open every page of the built site in headless Chromium, every other host blocked.

Usage: python -m tools.checks.site_check

Fails on: a request to another host or one that fails, a console error, math that was not set, a horizontal scroll on
a 390-pixel phone (light and dark), a serious axe-core finding in the content, a formula, display or inline, whose
ends cannot be scrolled into view, a mark that begins a line after a formula, lines of text shorter than 60 or longer
than 85 characters, letters in a figure below 11 pixels (10 on a phone), table cells without room, figures with a
white plate or too little contrast in the dark, code that scrolls sideways on a phone while it is open, a search that
does not find what people look for, a quiz with cut formulas or answers that do not show their reasons by mouse and
keyboard, a check that does not open by Enter and Space, a code toggle or theme switch that does nothing, a text that
passes and does not move its picture, an instrument that does not answer to mouse and keyboard, in its drawing too,
says after a drag what Python does not, or has no picture where scripts are off; a slide that overflows or a sheet of
two pages (see `kit_check`); a chapter without a picture for links (see `link_pictures`). What a hand does first is
tried by `hands_check`.

A page whose HTML, styles, scripts and fonts are those of one that passed on this machine is not opened again, nor is
a site that has not changed (PWU_BOOK_CACHE=off: all are).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import json
import multiprocessing
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, expect
from sklearn.metrics import roc_auc_score

from pwu_book import instrument
from pwu_book.examples import mushrooms, screening
from pwu_lite.metrics import classification as metrics
from tools.build import kept, link_pictures
from tools.checks import browse, kit_check

ROOT, SITE = Path(__file__).resolve().parents[2], Path("_build/html")
INSTRUMENTS = {"hill": "book/index.html", "beliefs": "book/implicit_priors/binary_priors.html",
               "readers": "book/pwu/choosing.html", "undecided": "book/pwu/reporting.html",
               "asks": "book/foundations/good_score.html"}
DRAWN = ((".hill", "d"), (".line0", "d"), (".place", "transform"), (".between path", "opacity"))
VIEWS = {"desktop-light": (1280, 900, "light"), "phone-dark": (390, 844, "dark")}
CONTENT = [["article.text"]]
SEARCHES = {  # what users type, and a page that must be among the first three
    "brier": "binary_priors", "Brier score": "binary_priors", "log loss": "binary_priors", "H-measure": "calibration",
    "Theorem 4.1": "alignment", "Theorem 5.1": "binary_priors", "separability barrier": "alignment",
    "confidence interval": "reporting", "Bayes act": "decisions", "cost matrix": "acts", "class imbalance": "recipes",
    "threshold": "good_score", "decision curve": "worth", "net benefit": "worth", "ECE": "calibration",
    "calibration": "calibration", "reliability diagram": "calibration", "AUC": "top_k", "precision at k": "top_k",
    "CRPS": "orders", "newsvendor": "orders", "quantile": "orders", "ensemble": "orders", "multiclass": "many",
    "abstain": "answers", "hallucination": "answers", "conformal": "acts", "sample size": "few_labels",
    "peeking": "watching", "e-value": "watching", "F1": "alignment", "proper": "proper", "choosing a prior": "choosing",
    "elicitation": "choosing", "credal set": "imprecise", "credit": "credit", "wind": "wind", "UNIQUE": "unique",
    "cite": "cite", "slides": "teaching", "command line": "quickstart", "my own data": "quickstart",
    "which metric": "which_score", "errata": "errata", "Murphy": "reporting", "top-k": "top_k", "p-value": "reporting",
    "reject inference": "missing_labels", "A/B test": "watching", "LLM": "answers", "triage": "acts",
    "Excel": "quickstart", "fairness": "groups", "Table J.3": "benchmarks", "recall at k": "top_k",
    "randomized decisions": "entropy", "threshold moving": "recipes", "deferral": "acts", "chapter 5": "binary_priors",
    "logloss": "binary_priors", "AUPRC": "top_k", "neg_brier_score": "binary_priors", "roc_auc_score": "top_k",
    "cross entropy": "binary_priors", "epistemic": "imprecise", "treshold": "thresholds", "calibraton": "calibration",
    "net benfit": "worth", "bibtex": "cite", "warehouse": "size", "spark": "size", "retried job": "every_monday",
    "mushroms": "good_score", "bootstrap": "reporting", "temperature scaling": "worth", "isotonic": "calibration"}
MATH_IS_SET = "() => [...document.querySelectorAll('.math')].every(m => m.querySelector('math'))"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def copyfile(self, source, outputfile):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the page was closed before it had everything
            super().copyfile(source, outputfile)


def serve() -> str:
    """Serve the site on a free local port; its address."""
    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def pages() -> list[str]:
    """The book's own pages; Sphinx's index lies elsewhere."""
    return sorted(str(path.relative_to(SITE)) for path in (SITE / "book").rglob("*.html"))


def watch(context, base: str, problems: list[str]):
    """A page of the context whose requests and messages are recorded as problems."""
    page = context.new_page()

    def guard(route):
        if route.request.url.startswith(base) and route.request.resource_type == "stylesheet":
            # A reader's first view may keep the fall-back face; what is measured here is the book's own.
            with contextlib.suppress(Error):  # another page was opened in the meantime
                sheet = route.fetch()
                text = re.sub(r"font-display:\s*optional", "font-display:block", sheet.text())
                route.fulfill(response=sheet, body=text)
        elif route.request.url.startswith((base, "data:", "blob:")):
            route.continue_()
        else:
            problems.append(f"request to another host: {route.request.url}")
            route.abort()

    page.route("**/*", guard)
    page.on("console", lambda m: m.type == "error" and problems.append(f"console: {m.text}"))
    page.on("pageerror", lambda error: problems.append(f"script error: {error}"))
    page.on("response", lambda r: r.status >= 400 and problems.append(f"{r.status}: {r.url}"))
    return page


def check_page(page, base: str, name: str, view: str) -> list[str]:
    page.goto(base + name, wait_until="load")
    page.evaluate("document.fonts.ready.then(() => 1)")
    found = []
    page.wait_for_function(MATH_IS_SET, timeout=15_000)
    width = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
    if width > 0:
        widest = page.evaluate("""() => [...document.querySelectorAll('article *')].filter(e =>
            e.getBoundingClientRect().right > window.innerWidth + 1).slice(0, 3)
            .map(e => e.tagName + '.' + e.className).join(', ')""")
        found.append(f"scrolls sideways by {width} px: {widest}")
    found += check_access(page) if view == "desktop-light" else []
    return found + measure(page, view) + page.evaluate(QUIZZES) + page.evaluate(REACHED)


MEASURE = """() => {
    const shown = (e) => e.getClientRects().length > 0, all = (s) => [...document.querySelectorAll(s)].filter(shown);
    const style = getComputedStyle;
    // Letters of a line: the mean width of lines but the last, over the mean width of the paragraph's letters.
    const lines = all('article section > p').filter(p => !p.querySelector('math, code, a')).flatMap(p => {
        const words = document.createRange();
        words.selectNodeContents(p);
        const widths = [...words.getClientRects()].map(line => line.width), whole = widths.slice(0, -1);
        const letters = p.innerText.length, sum = (all) => all.reduce((a, b) => a + b, 0);
        return p.childElementCount || letters < 200 ? [] : [letters * sum(whole) / whole.length / sum(widths)];
    });
    const pad = all('article table.dataframe:not(.cards) td').map(c => parseFloat(style(c).paddingRight));
    const plates = all('article .cell_output svg.drawing path').filter(
        p => /rgb\\(255, 255, 255\\)/.test(style(p).fill) && p.getBoundingClientRect().width > 200);
    const wide = all('article details.code[open] pre').filter(p => p.scrollWidth > p.clientWidth + 1);
    const linear = (v) => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, k) => sum + w * linear(c.match(/[0-9.]+/g)[k]), 0);
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const ground = style(document.body).backgroundColor;
    const words = all('article svg.drawing text, article .panels svg text, article .instrument svg text');
    const icons = all('svg.glyph').filter(s => s.getBoundingClientRect().width > 40 || style(s).fill !== 'none');
    const pale = words.filter(t => ratio(style(t).fill, ground) < 4.5);
    const scale = (svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const sizes = (svg) => [...svg.querySelectorAll('text[style]')].map(t => parseFloat(style(t).fontSize));
    const small = all('article figure svg.drawing').flatMap(svg => {
        const panels = [...svg.parentElement.querySelectorAll('.panels svg')].filter(shown);
        const grow = panels.length ? parseFloat(style(panels[0]).getPropertyValue('--grow')) || 1 : 1;
        return (panels.length ? panels : [svg]).map(s => Math.min(...sizes(svg)) * scale(s) * grow);
    });
    for (const svg of all('article .instrument .views > svg'))
        small.push(...[...svg.querySelectorAll('text')].map(t => parseFloat(style(t).fontSize) * scale(svg)));
    return {icons: icons.length, small: Math.min(...small, 99), lines, pad, plates: plates.length, wide: wide.length,
        pale: pale.length};
}"""


QUIZZES = """() => [...document.querySelectorAll('fieldset.quiz')].flatMap((box, number) => {
    const labels = [...box.querySelectorAll('label')], shown = e => e.getClientRects().length > 0, found = [];
    for (const label of labels) {
        label.querySelector('input').click();
        const told = labels.filter(one => shown(one.querySelector('.why')));
        if (told.length !== 1 || told[0] !== label) found.push(`quiz ${number + 1}: an answer without its reason`);
        for (const math of [...label.querySelectorAll('.math')].filter(shown)) {
            const whole = math.querySelector('math').getBoundingClientRect(), seen = math.getBoundingClientRect();
            const cut = seen.left > whole.left + 2 || seen.right < whole.right - 2;
            if (cut) found.push(`quiz ${number + 1}: a formula is cut`);
        }
        label.querySelector('input').checked = false;
    }
    return found;
})"""


REACHED = """() => {
    // Formulas that cannot be read whole: their ends against what can be scrolled into view, all folds open.
    const folds = [...document.querySelectorAll('article details:not([open])')];
    for (const fold of folds) fold.open = true;
    const shown = [...document.querySelectorAll('article math')].filter(e => e.getClientRects().length > 0);
    const cut = shown.map(container => {
        const math = container, box = math.getBoundingClientRect();
        let [left, right] = [box.left, box.right];
        for (let around = math.parentElement; around && around !== document.documentElement;
             around = around.parentElement) {
            const style = getComputedStyle(around), way = style.overflowX, frame = around.getBoundingClientRect();
            if (way === 'visible' || style.display === 'inline' || style.display === 'contents') continue;
            if (way === 'hidden' || way === 'clip') {
                if (left < frame.left - 2 || right > frame.right + 2) return container;
            } else {
                const start = frame.left + around.clientLeft - around.scrollLeft;
                if (left < start - 2 || right > start + around.scrollWidth + 2) return container;
                [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
            }
        }
        return left < -2 || right > innerWidth + 2 ? container : null;
    }).filter(Boolean);
    // Marks that begin a line after a formula.
    const alone = shown.filter(container => {
        const math = container.closest('span.math'), next = math && math.nextSibling;
        if (!next || next.nodeType !== 3 || !/^[,.;:!?)]/.test(next.data)) return false;
        const range = document.createRange();
        range.setStart(next, 0); range.setEnd(next, 1);
        return range.getBoundingClientRect().top > math.getBoundingClientRect().bottom - 2;
    });
    const words = (container) => container.getAttribute('alttext')?.slice(0, 50) || '';
    for (const fold of folds) fold.open = false;
    return [...cut.map(c => `a formula cannot be read whole: ${words(c)}`),
            ...alone.map(c => `a mark begins a line after the formula ${words(c)}`)];
}"""


def measure(page, view: str) -> list[str]:
    """Length of lines, room in tables, contrast in figures, code that fits a phone."""
    seen, found = page.evaluate(MEASURE), []
    if view.startswith("desktop") and seen["lines"]:
        middle = float(np.median(seen["lines"]))
        if not 60 <= middle <= 85:
            found.append(f"lines have {middle:.0f} characters")
    if seen["pad"] and min(seen["pad"]) < 3:
        found.append(f"table cells have {min(seen['pad']):.0f} px of room")
    if seen["plates"] and view.endswith("dark"):
        found.append(f"{seen['plates']} figures have a white plate")
    if seen["pale"]:
        found.append(f"{seen['pale']} words in figures have too little contrast")
    least = 10.9 if view.startswith("desktop") else 9.9
    if seen["small"] < least:
        found.append(f"letters of {seen['small']:.1f} px in a figure")
    if seen["icons"]:
        found.append(f"{seen['icons']} icons without their style")
    if seen["wide"] and view.startswith("phone"):
        found.append(f"{seen['wide']} open cells scroll sideways")
    return found


def check_access(page, content: str | None = None) -> list[str]:
    """Serious findings of axe-core in the content, or in what a selector names."""
    options = {"preload": False, "resultTypes": ["violations"]}
    context = {"include": [[content]] if content else CONTENT}
    violations = Axe().run(page, context=context, options=options).response["violations"]
    return [f"axe {violation['id']}: " + "; ".join(str(node["target"]) for node in violation["nodes"][:3])
            for violation in violations if violation["impact"] in ("serious", "critical")]


def check_search() -> list[str]:
    """What people look for is among the first three; ranked in node, by the script and the index of the site."""
    command = ["node", str(Path(__file__).with_name("search.mjs")), str(SITE), *SEARCHES]
    ranked = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return [f"search for {words!r}: {name} is not among the first three, {first}"
            for (words, name), first in zip(SEARCHES.items(), ranked, strict=True)
            if not any(name in address for address in first)]


def check_behaviour(page, base: str) -> list[str]:
    """Search, a quiz by keyboard (space chooses, an arrow moves on), folded code, theme switch."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(base + "search.html?q=net+benefit", wait_until="load")
    expect(page.locator("#search-results li > a").first).to_have_attribute("href", re.compile("worth"))
    expect(page.locator("#search-results li p.context").first).not_to_be_empty()
    found = [f"a search reads {address}" for address in asked if "/book/" in address]
    page.goto(base + "search.html?q=zzyzx", wait_until="load")
    expect(page.locator("#search-results li > a").first).to_have_attribute("href", re.compile("which_score"))
    page.goto(base + "book/foundations/good_score.html", wait_until="load")
    page.keyboard.press("Control+k")
    expect(page.locator("form.find input")).to_be_focused()
    box = page.locator("fieldset.quiz").first
    reason = box.locator("[role=status] .why:visible")
    box.locator("input").first.focus()
    page.keyboard.press("Space")
    expect(reason).to_have_count(1)
    first = reason.inner_text()
    page.keyboard.press("ArrowDown")
    expect(reason).to_have_count(1)
    expect(reason).not_to_have_text(first, use_inner_text=True)
    fold = page.locator("details.fold:not(.code)", has=page.get_by_text("Code, ")).first
    fold.locator("summary").click()
    expect(fold).to_have_attribute("open", "")
    check = page.locator("details.check").first
    for key, opened in (("Enter", True), ("Space", False)):
        check.locator("summary").focus()
        page.keyboard.press(key)
        (expect(check).to_have_attribute if opened else expect(check).not_to_have_attribute)("open", "")
    themes = set()
    for _ in range(3):  # light, dark, auto
        page.locator("header .mode").first.click()
        themes.add(page.evaluate("() => document.documentElement.dataset.theme"))
    if len(themes) < 2:
        found.append("the theme switch does nothing")
    return found


def bring(page, control) -> None:
    """Scroll to a control; a paragraph that passes on the way sets all controls, and has done so after two frames."""
    control.scroll_into_view_if_needed()
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")


def put(slider, share: float) -> None:
    """Set a slider to a share of its range, as a hand that has let go: what is meant is the value, and not the drag."""
    slider.evaluate("""(slider, share) => {
        slider.value = Math.round(slider.min - -share * (slider.max - slider.min));
        slider.dispatchEvent(new Event("input", {bubbles: true}));
        slider.dispatchEvent(new Event("change", {bubbles: true}));
    }""", share)


def says(status, words) -> str:
    """What is wrong with an instrument's words, once it has had time to say them; nothing if they are Python's."""
    try:
        expect(status).to_have_text(" ".join(words), use_inner_text=True)
    except AssertionError:
        return f"{status.inner_text().splitlines()}, Python: {list(words)}"
    return ""


def pull(page, drawing, share: float) -> None:
    """Pull inside a drawing, with the mouse, to a share of its width."""
    drawing.evaluate("drawing => drawing.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = drawing.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.7 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.7 * box["height"], steps=5)
    page.mouse.up()


def front_page():
    """The instrument of the front page, made anew."""
    part, p = mushrooms.split(mushrooms.mushrooms(), seed=0), sp.Symbol("p")
    scores = {"log loss": metrics.log_loss, "Brier score": metrics.brier_score, "0-1 loss": metrics.zero_one_loss,
              "calibration error": metrics.expected_calibration_error,
              "1 - AUROC": lambda y, f: 1 - roc_auc_score(y, f)}
    votes = {name: min(part.choose, key=lambda one, score=score: score(part.y_choose, part.choose[one]))
             for name, score in scores.items()}
    return instrument.hill(
        part.y_bill, part.bill, start=49, ratios=[199, 49, 9], case="mushrooms", miss="a poisoning", alarm="meals",
        plates=True, votes=votes,
        scores={"log loss": (-sp.log(p), -sp.log(1 - p)), "Brier score": ((1 - p) ** 2, p**2)})


def check_front_instrument(page, base: str) -> list[str]:
    """Pull it in its drawing, by slider, button, key and choice: words, bills and plates are Python's at that place."""
    page.goto(base + "book/index.html", wait_until="load")
    box, made, found, seen = page.locator(".instrument").first, front_page(), [], []
    expect(box).to_have_attribute("data-ready", "", timeout=30_000)
    sliders, status = box.locator(".controls input"), box.locator("[role=status]:not(.answer)").first

    def compare(whose: int = 0) -> None:
        place, width = (int(sliders.nth(k).input_value()) for k in (0, 1))
        view = made.view(place, width, whose)
        if problem := says(status, view.words):
            found.append(f"front page at {place}, {width}, {whose}: {problem}")
        if not whose:
            bills = box.locator("ol li").all_inner_texts()
            fates = box.locator(".plates figure svg").first.evaluate(
                "svg => [...svg.querySelectorAll('path')].map(path => path.getAttribute('d').split('h').length - 1)")
            if bills != [words for _, words, _ in view.bills] or fates != list(view.counts[0]):
                found.append(f"front page at {place}, {width}: {bills}, {fates}, Python: {view.bills}, {view.counts}")
        seen.append(" ".join(view.words))

    drawing, place = box.locator(".views > svg:visible"), sliders.first.input_value()
    pull(page, drawing, 0.15)
    expect(sliders.first).not_to_have_value(place)
    for slider, share in ((0, 0.35), (0, 0.6), (1, 0.7)):
        put(sliders.nth(slider), share)
        compare()
    box.locator("button[data-place]").first.click()
    compare()
    sliders.first.focus()
    page.keyboard.press("ArrowRight")
    compare()
    hill = box.locator(".views > svg:visible .hill").get_attribute("d")
    box.locator(".controls select").select_option(index=1)
    compare(whose=1)
    if hill == box.locator(".views > svg:visible .hill").get_attribute("d"):
        found.append("front page: another hill is not drawn")
    put(sliders.first, 0.25)  # under the log loss's hill it would say nothing: it brings back one's own
    expect(box.locator(".controls select")).to_have_value("0")
    compare()
    if len(set(seen)) < 6:
        found.append("front page: moving the instrument hardly changes its words")
    return found


def answered(box):
    """The instrument, alive and after its question."""
    expect(box).to_have_attribute("data-ready", "", timeout=30_000)
    if box.locator(".asks button").count():
        box.locator(".asks button").click()
    return box


def check_instruments(page, base: str, y, forecasts) -> list[str]:
    """The other states: what they say after a drag, by choice and box, is what Python says."""
    found = []
    for name, made in (
            ("pwu/choosing", instrument.readers(y, forecasts, np.arange(1, 26) / 50, (5, 20, 100), start=(4, 1))),
            ("pwu/reporting", instrument.undecided(y, {name: forecasts[name] for name in (
                "logistic regression", "random forest")}))):
        page.goto(f"{base}book/{name}.html", wait_until="load")
        box = answered(page.locator(".instrument:has(.controls)").first)
        inputs, status, seen = box.locator(".controls input"), box.locator("[role=status]:not(.answer)").first, set()
        for share in (0.1, 0.5, 0.8):
            put(inputs.first, share)
            if inputs.count() > 2:
                bring(page, inputs.nth(2))
                inputs.nth(2).set_checked(share == 0.5)
            at = inputs.evaluate_all("all => all.map(one => one.type === 'checkbox' ? +one.checked : +one.value)")
            seen.add(tuple(made.view(*at).words))
            if problem := says(status, made.view(*at).words):
                found.append(f"{name} at {at}: {problem}")
        if len(seen) < 3:
            found.append(f"{name}: moving the instrument changes nothing")
    page.goto(base + INSTRUMENTS["beliefs"], wait_until="load")
    box = answered(page.locator(".instrument:has(select)").first)
    choice, words, seen = box.locator("select"), box.locator("[role=status]:not(.answer)").first, set()
    choice.focus()
    bring(page, choice)
    choice.select_option(index=0)
    options = choice.locator("option").count()
    for _ in range(options):
        seen.add(words.inner_text())
        page.keyboard.press("ArrowDown")
    if len(seen) != options or not any("no hill" in one for one in seen):
        found.append(f"{len(seen)} different words for {options} scores")
    page.goto(base + INSTRUMENTS["asks"], wait_until="load")
    box = page.locator(".instrument:has(.asks)").first
    expect(box).to_have_attribute("data-ready", "", timeout=30_000)
    bring(page, box)
    line = box.locator(".views > svg:visible > .line1").first
    hidden = line.evaluate("line => getComputedStyle(line).visibility")
    box.locator(".asks input").focus()
    page.keyboard.press("ArrowRight")
    box.locator(".asks button").click()
    if hidden != "hidden" or line.evaluate("line => getComputedStyle(line).visibility") != "visible":
        found.append("a question before the picture hides nothing, or shows nothing after the answer")
    box.locator(".controls input").first.press("ArrowRight")
    if "You said" not in box.locator(".asks .answer").inner_text():
        found.append("a question before the picture has no answer")
    return found


def check_letters(page, base: str) -> list[str]:
    """A letter that leans or hangs out of its box is whole: it looks the same where nothing can be cut."""
    page.goto(base + "book/pwu/building.html", wait_until="load")
    formula = page.locator("p > span.math:has(> math[alttext='f']):visible").first
    formula.scroll_into_view_if_needed()
    line, looks = formula.locator("xpath=.."), []
    for change in ("hidden", "visible !important"):
        page.add_style_tag(content=f"span.math {{ overflow: {change}; }}")
        looks.append(line.screenshot(animations="disabled"))
    return [] if looks[0] == looks[1] else ["the letter f is cut in the text"]


def check_copies(page, base: str) -> list[str]:
    """The button beside code copies it, and says so; a solution opens without a script."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(base + "book/foundations/good_score.html", wait_until="load")
    button = page.locator("button.copy").first
    button.evaluate("button => button.click()")
    copied = page.evaluate("navigator.clipboard.readText()")
    code = page.locator("pre:has(+ button.copy)").first.inner_text().strip()
    found = [] if copied == code else ["code is not copied"]
    if page.evaluate("document.querySelectorAll('details.solution > summary:first-child').length") < 3:
        found.append("a solution does not open by itself")
    return found


def check_gallery(page, base: str) -> list[str]:
    """The filter leaves the cards of one verdict, says how many, sorts by name; the ledger's reads its address."""
    page.goto(base + "book/reference/gallery.html", wait_until="load")
    cards, said = page.locator(".score-card:visible"), page.locator("form.filter output")
    every, verdict = cards.count(), page.locator("form.filter [name=verdict]")
    verdict.select_option(index=1)
    wanted, found = verdict.input_value(), []
    shown = cards.evaluate_all("cards => cards.map(card => card.dataset.verdict)")
    if not 0 < len(shown) < every or set(shown) != {wanted} or said.inner_text() != f"{len(shown)} of {every} cards":
        found.append(f"gallery: of {every} cards {len(shown)} are left for {wanted!r}, it says {said.inner_text()!r}")
    page.locator("form.filter [name=order]").select_option(index=1)
    names = [name.lower() for name in page.locator(".score-card:visible h3").all_inner_texts()]
    if names[0] != min(names) or names[-1] != max(names):
        found.append("gallery: not sorted by name")
    page.goto(base + "book/record/claims.html?text=log+loss&evidence=proved", wait_until="load")
    rows = [row.lower() for row in page.locator("table.ledger tbody tr:visible").all_inner_texts()]
    if not rows or not all("log" in row and "loss" in row and "(proved)" in row for row in rows):
        found.append(f"ledger: {len(rows)} rows are left for two words and an evidence, not all fit")
    return found


def check_cards(page, base: str) -> list[str]:
    """A link to a statement of another page, and one to a work, show it by mouse and by keyboard; Escape hides it."""
    page.goto(base + "book/implicit_priors/binary_priors.html", wait_until="load")
    card, found = page.locator(".hover-card"), []
    for kind, words in (("#thm-", "Theorem"), ("cite.html#", r"\b(19|20)\d\d\.")):
        link = page.locator(f".text a.reference.internal[href*='{kind}']").first
        for act in (link.hover, link.focus):
            page.mouse.move(0, 0)
            page.keyboard.press("Tab")  # a focus that comes from the keyboard is a visible one
            act()
            try:
                card.wait_for(state="visible", timeout=5000)
            except Exception:  # whatever the browser calls it
                found.append(f"no card at a link to {kind}")
                continue
            if not re.search(words, card.inner_text()):
                found.append(f"the card at a link to {kind} says {card.inner_text()[:60]!r}")
            page.keyboard.press("Escape")
            expect(card).to_be_hidden()
    return found


def check_files(page, base: str) -> list[str]:
    """An instrument in a file of its own stands where its address says, and writes there where it is moved to."""
    found = []
    for kind in ("index", "choosing", "few_labels"):
        page.goto(f"{base}instruments/{kind}.html", wait_until="load")
        slider = page.locator(".controls input[type=range]").first
        name, first = slider.get_attribute("name"), int(slider.input_value())
        page.goto(f"{base}instruments/{kind}.html#{name}={first + 2}", wait_until="load")
        page.reload()
        held = int(slider.input_value())
        slider.focus()
        page.keyboard.press("ArrowRight")
        with contextlib.suppress(Error):
            page.wait_for_url(f"**{name}={first + 3}*", timeout=3000)  # the address follows in a moment
        if held != first + 2 or f"{name}={first + 3}" not in page.url:
            found.append(f"instruments/{kind}.html: {name} is {held} instead of {first + 2}, then {page.url}")
        found += [f"instruments/{kind}.html: {problem}" for problem in check_access(page, "main")]
    return found


def check_passing(browser, base: str) -> list[str]:
    """Beside a text that passes, each marked paragraph sets the controls, and the picture stays in the window."""
    found, told = [], """(mark, share) => scrollTo(
        0, mark.getBoundingClientRect().top + scrollY - share * innerHeight)"""
    names = [name for name in pages() if 'class="pinned"' in (SITE / name).read_text(encoding="utf-8")]
    for view, (width, height, scheme) in VIEWS.items():
        share = 0.53 if view.startswith("desktop") else 0.8
        with browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme) as context, \
                context.new_page() as page:
            for name in names:
                page.goto(base + name, wait_until="load")
                for pinned in page.locator(".pinned").all():
                    inputs = pinned.locator(".instrument .controls :is(select, input)")
                    stages = json.loads(pinned.locator("script[type='application/json']").text_content())["stages"]
                    for number, (wanted, mark) in enumerate(zip(stages, pinned.locator(".stage").all(), strict=True)):
                        mark.evaluate(told, share)
                        with contextlib.suppress(Error):
                            page.wait_for_function("mark => mark.matches('.now')", timeout=3000,
                                                   arg=mark.element_handle())
                        at = inputs.evaluate_all(
                            "all => all.map(one => one.type === 'checkbox' ? +one.checked : +one.value)")
                        box = pinned.locator(".views > svg:visible").bounding_box()
                        where = f"{name} [{view}] paragraph {number + 1} of a text that passes"
                        if at != wanted:
                            found.append(f"{where}: the controls stand at {at}, not at {wanted}")
                        if number and (box["y"] < 40 or box["y"] + box["height"] > height):
                            found.append(f"{where}: the picture is not in the window ({box})")
    return found if names else ["no page has a picture that stays"]


def check_without_scripts(browser, base: str) -> list[str]:
    """Where scripts are off, the bar still opens its lists, and an instrument is a picture with words."""
    found = []
    with browser.new_context(java_script_enabled=False) as context, context.new_page() as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(base + "book/foundations/good_score.html")
        for kind in ("road", "contents", "files"):
            page.locator(f"[popovertarget={kind}]").click()
            expect(page.locator(f"#{kind} a:visible").first).to_be_in_viewport()
            page.keyboard.press("Escape")
            expect(page.locator(f"#{kind}:popover-open")).to_have_count(0)
        page.set_viewport_size({"width": 1280, "height": 800})
        for kind, name in INSTRUMENTS.items():
            page.goto(base + name)
            box = page.locator(".instrument").first
            drawn = {part: box.locator(f".views > svg.wide {part}").first.get_attribute(what) for part, what in DRAWN
                     if box.locator(f".views > svg.wide {part}").count()}
            if not box.locator("svg:visible").count() or box.locator(".controls input").first.is_visible():
                found.append(f"{kind} instrument without scripts: no picture, or controls that do nothing")
            with browser.new_context() as alive, alive.new_page() as moved:
                moved.goto(base + name, wait_until="load")
                drawing = moved.locator(".instrument").first.locator(".views > svg.wide")
                again = {part: drawing.locator(part).first.get_attribute(dict(DRAWN)[part]) for part in drawn}
            for part, numbers in drawn.items():
                one, two = places(numbers), places(again[part])
                if len(one) != len(two) or any(abs(a - b) > 0.15 for a, b in zip(one, two, strict=True)):
                    found.append(f"{kind} instrument: the script draws another {part} than Python")
    return found


def places(said: str | None) -> list[float]:
    """Numbers of an attribute; a path that goes by steps, after `l`, as the points where it goes."""
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", said or "")]
    for k in range(2, len(numbers) if "l" in (said or "") else 0):
        numbers[k] += numbers[k - 2]
    return numbers


UNSTEADY = "passed when it was run again: "


def steady(browser, base: str, name: str, check: Callable[[Any], list[str]], quiet: bool = False,
           **options: Any) -> list[str]:
    """What a check finds on a page of its own; if it finds something, once more in a new context.

    What fails only once is not a fault of the site, but is listed, and the weekly job refuses the list. A `quiet`
    check makes requests fail itself.
    """
    first: list[str] = []
    for _ in range(2):
        problems: list[str] = []
        with browser.new_context(**options) as context, watch(context, base, problems) as page:
            try:
                found = [f"{name}: {problem}" for problem in check(page) + ([] if quiet else problems)]
            except (Error, AssertionError) as error:  # a state that did not come
                found = [f"{name}: {' '.join(str(error).split())[:600]}"]
        if not found:
            return [UNSTEADY + problem for problem in first]
        first = found
    return first


def proof(view: str, names: list[str], shared: str) -> Path | None:
    """The file that stands for pages, or the whole site, that have passed as they are."""
    texts = [text for name in names for text in (name, (SITE / name).read_bytes())]
    return kept.place("site-check", view, shared, *texts)


def shared_by_all() -> str:
    """What each page is seen with: styles, scripts, fonts, the checks themselves, the browser."""
    static = [path for path in sorted((SITE / "_static").rglob("*")) if path.suffix in (".css", ".js", ".woff2")]
    checks = sorted((ROOT / "tools" / "checks").iterdir())
    digest = hashlib.sha256(browse.version().encode())
    for path in [*static, *filter(Path.is_file, checks)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def check_pages(base: str, view: str, names: list[str], shared: str) -> list[str]:
    """Each of these pages in one view."""
    (width, height, scheme), found = VIEWS[view], []
    with browse.chromium() as browser:
        for name in names:
            problems = steady(browser, base, f"{name} [{view}]", lambda page, name=name: check_page(
                page, base, name, view), viewport={"width": width, "height": height}, color_scheme=scheme)
            found += problems
            if not problems:
                kept.put(proof(view, [name], shared))
    return found


def check_rest(base: str) -> list[str]:
    """Search, switches, instruments, pages without scripts, the kit and the pictures of links."""
    with browse.chromium() as browser:
        checks: dict[str, Callable[[Any], list[str]]] = {
            "behaviour": lambda page: check_behaviour(page, base),
            "without scripts": lambda page: check_without_scripts(browser, base),
            "front page": lambda page: check_front_instrument(page, base),
            "instruments": lambda page: check_instruments(page, base, *screening.forecasts()),
            "passing texts": lambda page: check_passing(browser, base),
            "gallery": lambda page: check_gallery(page, base), "cards": lambda page: check_cards(page, base),
            "files": lambda page: check_files(page, base), "letters": lambda page: check_letters(page, base),
            "copies": lambda page: check_copies(page, base),
            "kit": lambda page: kit_check.check_kit(browser, SITE, check_access),
            "pictures of links": lambda page: link_pictures.check(browser, SITE)}
        return [problem for name, check in checks.items() for problem in steady(browser, base, name, check)]


def refused(failures: list[str]) -> list[str]:
    """What fails a run; the weekly job refuses what passed only the second time, too."""
    if os.environ.get("PWU_UNSTEADY") == "refuse":
        return failures
    return [failure for failure in failures if not failure.startswith(UNSTEADY)]


def main() -> int:
    base, names, shared = serve(), pages(), shared_by_all()
    new = {view: [name for name in names if not kept.there(proof(view, [name], shared))] for view in VIEWS}
    whole = proof("whole", sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*") if path.is_file()), shared)
    jobs = [(check_pages, (base, view, new[view][part::2], shared)) for view in VIEWS for part in (0, 1)]
    if not kept.there(whole):
        jobs[2:2] = [(check_rest, (base,))]
    # A worker that is killed breaks this pool at once; that of multiprocessing would wait for ever.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = [pool.submit(work, *given) for work, given in jobs]
        failures = [failure for result in running for failure in result.result()]
    failures += check_search()
    if not failures:
        kept.put(whole)
    for unsteady in (failure for failure in failures if failure.startswith(UNSTEADY)):
        print(unsteady)
    failures = refused(failures)
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    before = len(names) * len(VIEWS) - sum(map(len, new.values()))
    print(f"{len(names)} pages in {len(VIEWS)} views ({before} were opened on this machine before), search, switches, "
          f"instruments, slides, worksheets: {len(failures)} problems")
    return int(bool(failures))


if __name__ == "__main__":
    raise SystemExit(main())
