"""Open every page of the built site in headless Chromium, every other host blocked.

Usage: python tools/site_check.py [--shots FOLDER]

Fails on: a request to another host or one that fails, a console error, math that was not set, a
horizontal scroll on a 390-pixel phone (light and dark), a serious axe-core finding in the content,
a search that does not find "Bayes act", a code toggle or theme switch that does nothing, a metric
explorer that does not answer to the keyboard.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import shutil
import sys
import threading
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, sync_playwright

SITE = Path("_build/html")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run", "--disable-quic"]
VIEWS = {"desktop-light": (1280, 900, "light"), "phone-light": (390, 844, "light"),
         "desktop-dark": (1280, 900, "dark"), "phone-dark": (390, 844, "dark")}
CONTENT = [["article.bd-article"]]
MATH_IS_SET = "() => [...document.querySelectorAll('.math')].every(m => m.querySelector('mjx-container'))"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def serve() -> str:
    """Serve the site on a free local port; its address."""
    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def pages() -> list[str]:
    """The book's own pages; the index pages that Sphinx adds lie beside the book's folder."""
    return sorted(str(path.relative_to(SITE)) for path in (SITE / "book").rglob("*.html"))


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


def check_page(page, base: str, name: str, view: str, shots: Path | None) -> list[str]:
    page.goto(base + name, wait_until="load")
    found = []
    if page.locator(".math").count():
        page.wait_for_function(MATH_IS_SET, timeout=15_000)
    width = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
    if width > 0:
        widest = page.evaluate("""() => [...document.querySelectorAll('article *')].filter(e =>
            e.getBoundingClientRect().right > window.innerWidth + 1).slice(0, 3)
            .map(e => e.tagName + '.' + e.className).join(', ')""")
        found.append(f"scrolls sideways by {width} px: {widest}")
    found += [] if view.startswith("phone") else check_access(page)  # the same content and colours
    if shots:
        page.screenshot(path=shots / f"{name.replace('/', '_')}_{view}.png", full_page=True)
    return found


def check_access(page) -> list[str]:
    """Serious findings of axe-core in the content."""
    options = {"preload": False, "resultTypes": ["violations"]}
    violations = Axe().run(page, context={"include": CONTENT}, options=options).response["violations"]
    return [f"axe {violation['id']}: " + "; ".join(str(node["target"]) for node in violation["nodes"][:3])
            for violation in violations if violation["impact"] in ("serious", "critical")]


def check_behaviour(page, base: str) -> list[str]:
    """Search, folded code, theme switch."""
    found = []
    page.goto(base + "search.html?q=Bayes+act", wait_until="networkidle")
    try:
        page.wait_for_selector("#search-results li a", timeout=15_000)
        if "Decisions, Bayes acts" not in page.inner_text("#search-results"):
            found.append("search for 'Bayes act' does not list the chapter on Bayes acts")
    except Error:
        found.append("search for 'Bayes act' finds nothing")
    page.goto(base + "book/foundations/good_score.html", wait_until="networkidle")
    fold = page.locator("details.hide").first
    fold.locator("summary").click()
    if fold.get_attribute("open") is None:
        found.append("folded code does not open")
    themes = set()
    for _ in range(3):  # light, dark, auto
        page.locator("button.theme-switch-button").first.click()
        themes.add(page.evaluate("() => document.documentElement.dataset.theme"))
    if len(themes) < 2:
        found.append("the theme switch does nothing")
    return found + check_explorer(page, base)


def check_explorer(page, base: str) -> list[str]:
    """Choose a score and move the forecast by keyboard; words and curves must follow."""
    page.goto(base + "book/implicit_priors/binary_priors.html", wait_until="networkidle")
    words, score = page.locator(".metric-explorer [role=status]"), page.locator(".metric-explorer select")
    forecast, curve = page.locator(".metric-explorer input"), page.locator(".metric-explorer svg path.one").first
    found, seen = [], {(words.inner_text(), curve.get_attribute("d"))}
    score.focus()
    for _ in range(score.locator("option").count() - 1):
        page.keyboard.press("ArrowDown")
        seen.add((words.inner_text(), curve.get_attribute("d")))
    if len(seen) != score.locator("option").count():
        found.append(f"metric explorer: {len(seen)} different pictures for {score.locator('option').count()} scores")
    before = words.inner_text()
    forecast.focus()
    page.keyboard.press("ArrowRight")
    if words.inner_text() == before or "density" not in before:
        found.append("metric explorer: moving the forecast changes nothing")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shots", type=Path, help="folder for screenshots")
    shots = parser.parse_args().shots
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        print("chromium is needed: apt-get install chromium", file=sys.stderr)
        return 1
    base, failures, names = serve(), [], pages()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for view, (width, height, scheme) in VIEWS.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            for name in names:
                problems: list[str] = []
                page = watch(context, base, problems)
                failures += [f"{name} [{view}] {p}" for p in check_page(page, base, name, view, shots) + problems]
                page.close()
            context.close()
        context, problems = browser.new_context(), []
        behaviour = check_behaviour(watch(context, base, problems), base)
        failures += [f"[behaviour] {problem}" for problem in behaviour + problems]
        browser.close()
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    print(f"{len(names)} pages in {len(VIEWS)} views, search and switches: {len(failures)} problems")
    return int(bool(failures))


if __name__ == "__main__":
    raise SystemExit(main())
