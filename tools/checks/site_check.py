"""Open every page of the built site in headless Chromium, every other host blocked.

Usage: python -m tools.checks.site_check

Fails on: a request to another host or one that fails, a console error, math that was not set, a
horizontal scroll on a 390-pixel phone (light and dark), a serious axe-core finding in the content,
a formula, display or inline, whose ends cannot be scrolled into view, a mark that begins a line after a formula,
lines of text shorter than 65 or longer than 85 characters, letters in a figure below 11 pixels (10 on a phone),
table cells without room, figures with a white
plate or too little contrast in the dark, code that scrolls sideways on a phone while it is open, a search that
does not find what people look for, a quiz with cut formulas or answers that do not show their reasons
by mouse and keyboard, a check that does not open by Enter and Space, a code toggle or theme switch
that does nothing, an explorer that does not answer to mouse and keyboard, in its drawing too, says after a
drag what Python does not, or has no picture where scripts are off; a slide that overflows or a sheet of two pages
(see `kit_check`); a chapter without a picture for links (see `link_pictures`); a bench that computes what Python does
not (see `bench_check`).
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import multiprocessing
import re
import sys
import threading
from pathlib import Path

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error

from pwu_book.examples import mushrooms, screening
from pwu_book.explorers import HillExplorer
from pwu_lite import PWU, BinaryDecision
from pwu_lite.elicitation import beta_from_mode
from pwu_lite.theory import robust
from tools.checks import bench_check, browse, kit_check
from tools.editions import link_pictures

SITE = Path("_build/html")
SIGN = '<meta http-equiv="refresh"'
EXPLORERS = {"hill": "book/index.html", "metric": "book/implicit_priors/binary_priors.html",
             "prior": "book/pwu/choosing.html", "murphy": "book/pwu/reporting.html"}
VIEWS = {"desktop-light": (1280, 900, "light"), "phone-dark": (390, 844, "dark")}
CONTENT = [["article.bd-article"]]
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
    "cite": "cite", "slides": "teaching", "command line": "quickstart", "my own data": "bench",
    "which metric": "which_score", "errata": "errata", "Murphy": "reporting"}
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
    """The book's own pages, without signs at addresses that a page has moved from; Sphinx's index lies elsewhere."""
    return sorted(str(path.relative_to(SITE)) for path in (SITE / "book").rglob("*.html")
                  if SIGN not in path.read_text(encoding="utf-8"))


def watch(context, base: str, problems: list[str]):
    """A page of the context whose requests and messages are recorded as problems."""
    page = context.new_page()

    def guard(route):
        if route.request.url.startswith((base, "data:", "blob:")):
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
    const style = getComputedStyle, height = (p) => p.getClientRects()[0].height / parseFloat(style(p).lineHeight);
    const lines = all('article section > p')
        .filter(p => !p.querySelector('math, code, a') && p.innerText.length > 400)
        .map(p => p.innerText.length / (Math.round(height(p)) - 0.5));  // the last line is half full on average
    const pad = all('article table.dataframe:not(.cards) td').map(c => parseFloat(style(c).paddingRight));
    const plates = all('article .cell_output svg.drawing path').filter(
        p => /rgb\\(255, 255, 255\\)/.test(style(p).fill) && p.getBoundingClientRect().width > 200);
    const wide = all('article details.code[open] pre').filter(p => p.scrollWidth > p.clientWidth + 1);
    const linear = (v) => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, k) => sum + w * linear(c.match(/[0-9.]+/g)[k]), 0);
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const ground = style(document.body).backgroundColor;
    const words = all('article svg.drawing text, article .panels svg text');
    const pale = words.filter(t => ratio(style(t).fill, ground) < 4.5);
    const scale = (svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const sizes = (svg) => [...svg.querySelectorAll('text[style]')].map(t => parseFloat(style(t).fontSize));
    const small = all('article figure svg.drawing').flatMap(svg => {
        const panels = [...svg.parentElement.querySelectorAll('.panels svg')].filter(shown);
        const grow = panels.length ? parseFloat(style(panels[0]).getPropertyValue('--grow')) || 1 : 1;
        return (panels.length ? panels : [svg]).map(s => Math.min(...sizes(svg)) * scale(s) * grow);
    });
    return {small: Math.min(...small, 99), lines, pad, plates: plates.length, wide: wide.length, pale: pale.length};
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


def check_behaviour(page, base: str) -> list[str]:
    """Search, a quiz by keyboard (space chooses, an arrow moves on), folded code, theme switch."""
    found = []
    for words, name in SEARCHES.items():
        page.goto(base + f"search.html?q={words.replace(' ', '+')}", wait_until="networkidle")
        try:
            page.wait_for_selector("#search-results li a", timeout=15_000)
            links = page.locator("#search-results li > a")
            first = links.evaluate_all("links => links.slice(0, 3).map(a => a.pathname)")
            if not any(name in address for address in first):
                found.append(f"search for {words!r}: {name} is not among the first three, {first}")
        except Error:
            found.append(f"search for {words!r} finds nothing")
    page.goto(base + "book/foundations/good_score.html", wait_until="networkidle")
    box = page.locator("fieldset.quiz").first
    box.locator("input").first.focus()
    page.keyboard.press("Space")
    first = box.locator("[role=status] .why:visible").all_inner_texts()
    page.keyboard.press("ArrowDown")
    second = box.locator("[role=status] .why:visible").all_inner_texts()
    if not len(first) == len(second) == 1 or first == second:
        found.append("a quiz does not answer to the keyboard: one reason at a time")
    fold = page.locator("details.hide").first
    fold.locator("summary").click()
    if fold.get_attribute("open") is None:
        found.append("folded code does not open")
    check = page.locator("details.check").first
    for key in ("Enter", "Space"):
        before = check.get_attribute("open")
        check.locator("summary").focus()
        page.keyboard.press(key)
        if check.get_attribute("open") == before:
            found.append(f"a check does not answer to {key}")
    themes = set()
    for _ in range(3):  # light, dark, auto
        page.locator("button.theme-switch-button").first.click()
        themes.add(page.evaluate("() => document.documentElement.dataset.theme"))
    if len(themes) < 2:
        found.append("the theme switch does nothing")
    return found


def open_explorer(page, base: str, kind: str):
    page.goto(base + EXPLORERS[kind], wait_until="networkidle")
    return page.locator(f".{kind}-explorer")


def drag(page, slider, share: float) -> None:
    """Pull the thumb of a slider to a share of its track, with the mouse."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    value, most = float(slider.input_value()), float(slider.get_attribute("max"))
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 8 + (box["width"] - 16) * value / most, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 8 + (box["width"] - 16) * share, middle, steps=8)
    page.mouse.up()


def check_hill_explorer(page, base: str) -> list[str]:
    """Pull the hill in the drawing, by slider and by button: costs and verdict are those of the PWU under it."""
    explorer, found, seen = open_explorer(page, base, "hill"), [], set()
    part = mushrooms.split(mushrooms.mushrooms(), seed=0)
    y, said = part.y_bill, part.bill
    drawing, place = explorer.locator(".panels svg"), explorer.locator("input").first
    drawing.evaluate("drawing => drawing.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = drawing.bounding_box()
    for share in (0.15, 0.35, 0.7):
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.7 * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.7 * box["height"], steps=5)
        page.mouse.up()
        seen.add(compare_hill(explorer, y, said, found))
    explorer.locator("button").last.click()
    seen.add(compare_hill(explorer, y, said, found))
    place.focus()
    page.keyboard.press("ArrowLeft")
    seen.add(compare_hill(explorer, y, said, found))
    if len(seen) < 5 or len({words.partition(": ")[2][:8] for words in seen}) < 2:
        found.append("hill explorer: moving it changes no verdict")
    return found


def compare_hill(explorer, y, said, found: list[str]) -> str:
    """What the hill explorer says; a finding if Python says something else."""
    words = explorer.locator("[role=status]").inner_text()
    held = explorer.locator("script[type='application/json']").inner_text()
    place = json.loads(held)["places"][int(explorer.locator("input").first.input_value())]
    score = PWU(BinaryDecision(), HillExplorer.prior(place, 0.45))
    cost = {name: 1000 / place * score(y, f) for name, f in said.items()}
    shown = [text.rpartition(": ")[2].split()[0] for text in explorer.locator("li").all_inner_texts()]
    if any(abs(float(one.replace(",", "")) - round(two)) > 1.01 for one, two in zip(shown, cost.values(), strict=True)):
        found.append(f"hill explorer at {place}: {shown}, Python: {cost}")
    cheaper = min(cost, key=cost.__getitem__)
    if f"{cheaper} is cheaper" not in words and "undecided" not in words:
        found.append(f"hill explorer at {place}: {words!r}, Python: {cheaper} is cheaper")
    return words


def check_metric_explorer(page, base: str) -> list[str]:
    """Every score has its own words and curve; the forecast moves them."""
    explorer = open_explorer(page, base, "metric")
    words, score, forecast = (explorer.locator(name).first for name in ("[role=status]", "select", "input"))
    curve = explorer.locator("svg path.line0").first
    found, seen = [], {(words.inner_text(), curve.get_attribute("d"))}
    score.focus()
    scores = score.locator("option").count()
    for _ in range(scores - 1):
        page.keyboard.press("ArrowDown")
        seen.add((words.inner_text(), curve.get_attribute("d")))
    if len(seen) != scores:
        found.append(f"metric explorer: {len(seen)} different pictures for {scores} scores")
    before = words.inner_text()
    forecast.focus()
    page.keyboard.press("ArrowRight")
    after = words.inner_text()
    drag(page, forecast, 0.9)
    if len({before, after, words.inner_text()}) < 3 or "density" not in before:
        found.append("metric explorer: moving the forecast changes nothing")
    return found


def check_prior_explorer(page, base: str, y, forecasts) -> list[str]:
    """The ranking at five places, as five fitted models' scores say."""
    explorer, found, seen = open_explorer(page, base, "prior"), [], set()
    sliders, words = explorer.locator("input"), explorer.locator("[role=status]")
    for mode, size in ((0.1, 0.9), (0.35, 0.9), (0.6, 0.3), (0.02, 1.0)):
        drag(page, sliders.nth(0), mode)
        drag(page, sliders.nth(1), size)
        seen.add(compare_ranking(explorer, y, forecasts, found))
    sliders.nth(0).focus()
    before = words.inner_text()
    page.keyboard.press("ArrowRight")
    seen.add(compare_ranking(explorer, y, forecasts, found))
    if words.inner_text() == before or len(seen) < 3:
        found.append("prior explorer: moving it hardly changes the ranking")
    sliders.nth(2).check()
    mode, size = (float(text) for text in explorer.locator("output").all_inner_texts())
    prior = beta_from_mode(mode, size)
    sentence = robust.Quantiles({float(prior.ppf(level)): level for level in (0.05, 0.5, 0.95)})
    best = robust.order(BinaryDecision(), sentence, y, forecasts).maximal
    if words.inner_text().splitlines()[-1] != f"Could be best: {', '.join(best)}.":
        found.append(f"prior explorer, any prior: {words.inner_text().splitlines()[-1]!r}, Python: {best!r}")
    return found


def compare_ranking(explorer, y, forecasts, found: list[str]) -> str:
    """The ranking that the explorer shows; a finding if Python has another one."""
    mode, size = (float(text) for text in explorer.locator("output").all_inner_texts())
    score = PWU(BinaryDecision(), beta_from_mode(mode, size))
    losses = {name: score(y, f) for name, f in forecasts.items()}
    ranking = "Ranking: " + ", ".join(sorted(losses, key=losses.__getitem__)) + "."
    shown = explorer.locator("[role=status]").inner_text().splitlines()[-1]
    if shown != ranking:
        found.append(f"prior explorer at mode {mode}, concentration {size}: {shown!r}, Python: {ranking!r}")
    least = min(losses, key=losses.__getitem__)
    if explorer.locator("li").first.inner_text().strip() != f"{least}: {losses[least]:#.4g}":
        found.append(f"prior explorer: the first line is not {least}: {losses[least]:#.4g}")
    return shown


def check_murphy_explorer(page, base: str, y, forecasts) -> list[str]:
    """Which model is cheaper at four thresholds, as the costs say."""
    explorer, found, seen = open_explorer(page, base, "murphy"), [], set()
    names = [text.partition(":")[0].strip() for text in explorer.locator("li").all_inner_texts()]
    for share in (0.9, 0.5, 0.05, 0.3):
        drag(page, explorer.locator("input"), share)
        c = float(explorer.locator("output").inner_text())
        names = sorted(names, key=lambda name: -BinaryDecision().utility(c, y, forecasts[name]))
        best = verdict_at(c, y, *(forecasts[name] for name in names))
        expected = f"{names[0]} is cheaper" if best else "undecided"
        words = explorer.locator("[role=status]").inner_text()
        seen.add(words)
        if not words.startswith(f"At {c:g}, ") or expected not in words:
            found.append(f"Murphy explorer at {c}: {words!r}, Python: {expected}")
        first = explorer.locator("li").first.inner_text().partition(":")[0].strip()
        if first != names[0]:
            found.append(f"Murphy explorer at {c}: lists {first!r} first, Python: {names[0]!r}")
    if len(seen) < 4:
        found.append("Murphy explorer: a drag changes nothing")
    return found


def verdict_at(c: float, y, cheaper, costlier) -> bool:
    """Is the first forecast cheaper in all but one in forty of 500 paired resamples?"""
    losses = [np.where(y == 1, (1 - c) * (f <= c), c * (f > c)) for f in (cheaper, costlier)]
    rng = np.random.default_rng(0)
    chosen = [rng.integers(0, len(y), len(y)) for _ in range(500)]
    draws = [(losses[1] - losses[0])[some].mean() for some in chosen]
    return bool(np.quantile(draws, 0.025) > 0)


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
    page.goto(base + "book/implicit_priors/binary_priors.html", wait_until="networkidle")
    card, found = page.locator(".hover-card"), []
    for kind, words in (("#thm-", "Theorem"), ("cite.html#", r"\b(19|20)\d\d\.")):
        link = page.locator(f".bd-article a.reference.internal[href*='{kind}']").first
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
            if card.is_visible():
                found.append("Escape does not hide a card")
    return found


def check_files(page, base: str) -> list[str]:
    """An explorer in a file of its own stands where its address says, and writes there where it is moved to."""
    found = []
    for kind in EXPLORERS:
        page.goto(f"{base}explorers/{kind}.html", wait_until="load")
        slider = page.locator("input[type=range]").first
        name, first = slider.get_attribute("name"), int(slider.input_value())
        page.goto(f"{base}explorers/{kind}.html#{name}={first + 2}", wait_until="load")
        page.reload()
        held = int(slider.input_value())
        slider.focus()
        page.keyboard.press("ArrowRight")
        with contextlib.suppress(Error):
            page.wait_for_url(f"**{name}={first + 3}*", timeout=3000)  # the address follows in a moment
        if held != first + 2 or f"{name}={first + 3}" not in page.url:
            found.append(f"explorers/{kind}.html: {name} is {held} instead of {first + 2}, then {page.url}")
        found += [f"explorers/{kind}.html: {problem}" for problem in check_access(page, "main")]
    return found


def check_without_scripts(browser, base: str) -> list[str]:
    """Where scripts are off, an explorer is a picture with words and no dead controls."""
    found = []
    with browser.new_context(java_script_enabled=False) as context, context.new_page() as page:
        for kind, name in EXPLORERS.items():
            page.goto(base + name)
            explorer = page.locator(f".{kind}-explorer")
            if not explorer.locator("svg.still").is_visible() or explorer.locator("input").first.is_visible():
                found.append(f"{kind} explorer without scripts: no picture, or controls that do nothing")
    return found


def check_pages(base: str, view: str, names: list[str]) -> list[str]:
    """Each of these pages in one view."""
    width, height, scheme = VIEWS[view]
    found = []
    with browse.chromium() as browser:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        for name in names:
            problems: list[str] = []
            with watch(context, base, problems) as page:
                found += [f"{name} [{view}] {p}" for p in check_page(page, base, name, view) + problems]
    return found


def check_rest(base: str) -> list[str]:
    """Search, switches, explorers, pages without scripts, the kit and the pictures of links."""
    problems: list[str] = []
    with browse.chromium() as browser:
        page = watch(browser.new_context(), base, problems)
        found = check_behaviour(page, base) + check_without_scripts(browser, base)
        found += check_hill_explorer(page, base) + check_metric_explorer(page, base)
        y, forecasts = screening.forecasts()
        found += check_prior_explorer(page, base, y, forecasts) + check_murphy_explorer(page, base, y, forecasts)
        found += check_gallery(page, base) + check_cards(page, base) + check_files(page, base)
        found += kit_check.check_kit(browser, SITE, check_access)
        found += link_pictures.check(browser, SITE)
    return [f"[behaviour] {problem}" for problem in found + problems]


def check_bench(base: str) -> list[str]:
    """The bench, the machine and live cells, in a site that has them."""
    if not (SITE / "_static" / "live" / "site.json").exists():
        print("no live cells in this site (make live, make book): the bench and the machine are not checked")
        return []
    problems: list[str] = []
    with browse.chromium() as browser:
        found = bench_check.check_bench(browser, lambda held: watch(held, base, problems), check_access, base)
        found += bench_check.check_cells(watch(browser.new_context(), base, problems), base)
    return [f"[bench] {problem}" for problem in found + problems]


def main() -> int:
    base, names = serve(), pages()
    jobs = [(check_pages, (base, view, names[part::2])) for view in VIEWS for part in (0, 1)]
    jobs[2:2] = [(check_bench, (base,)), (check_rest, (base,))]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        running = [pool.apply_async(work, given) for work, given in jobs]
        failures = [failure for result in running for failure in result.get()]
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    print(f"{len(names)} pages in {len(VIEWS)} views, search, switches, explorers, slides, worksheets, bench: "
          f"{len(failures)} problems")
    return int(bool(failures))


if __name__ == "__main__":
    raise SystemExit(main())
