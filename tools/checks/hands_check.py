"""What a hand does first, on the built site: it types, reloads, hands in, drops files, changes its mind, goes offline.

Usage: python -m tools.checks.hands_check     (called by live_check.py, too; `make live`, `make book` come before)

Each check is run again in a new context if it fails; what passes then is listed, and the weekly job refuses the list.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.image
import nbformat
import numpy as np
from playwright.sync_api import expect

from tools.build import kept
from tools.checks import bench_check, browse, site_check
from tools.checks.bench_check import BENCH, LONG, TYPED, File
from tools.kit import collect, exercises

FRONT, CHAPTER, ROOM = "book/index.html", "book/foundations/decisions.html", "book/teaching/room.html"
DENIED = """const no = () => { throw new DOMException("denied", "SecurityError"); };
    Object.defineProperty(window, "localStorage", {get: no, configurable: true});
    if (window.caches) caches.open = caches.keys = caches.match = () => Promise.reject(new DOMException("denied"));"""


def cell_of(page: Any, place: int = 0) -> Any:
    return page.locator("div.cell[data-cell]:has(.live-bar button:visible)").nth(place)


def run(cell: Any) -> None:
    cell.locator(".live-bar button").first.click()


def write(page: Any, cell: Any, text: str, by_key: bool = False) -> None:
    """Replace a cell's text by hand."""
    cell.locator("button", has_text="Edit").click()
    editor = cell.locator("pre[contenteditable]")
    editor.press("Control+A")
    page.keyboard.type(text) if by_key else page.keyboard.insert_text(text)


def text_of(cell: Any) -> str:
    return cell.locator(".cell_input pre").inner_text().replace("\xa0", " ").strip()


def done(cell: Any, words: str = "Done") -> str:
    said = bench_check.settled(cell)
    return "" if words in said else f"a cell says {said!r}, not {words!r}"


def check_kept(page: Any, base: str) -> list[str]:
    """Every character that a keyboard has survives a reload, until Reset."""
    page.goto(base + CHAPTER, wait_until="load")
    printed = text_of(cell_of(page))
    write(page, cell_of(page), TYPED, by_key=True)
    page.reload(wait_until="load")
    found = [] if text_of(cell_of(page)) == TYPED else [f"after a reload a cell has {text_of(cell_of(page))!r}"]
    if "kept on this device" not in cell_of(page).locator(".live-said").inner_text():
        found.append("nothing says that a text was kept")
    cell_of(page).locator("button", has_text="Reset").click()
    page.reload(wait_until="load")
    return found if text_of(cell_of(page)) == printed else [*found, "Reset does not bring the printed text back"]


def check_two_askers(page: Any, base: str, folder: Path) -> list[str]:
    """The bench and a cell of its page are asked at once: both answer. A Stop of one leaves the other."""
    page.goto(base + BENCH, wait_until="load")
    plain = bench_check.csv_of(bench_check.forecasts(600, 3, 1))
    bench_check.put(page, File("first.csv", plain))
    cell, submit = cell_of(page), page.locator(".bench [type=submit]")
    for name, value in (("low", "3"), ("high", "30")):
        page.locator(f".bench [name={name}]").fill(value)
    submit.click()
    run(cell)
    found = [done(cell), bench_check.wait(page)]
    held = bench_check.numbers(page, folder)
    # What is changed after the click belongs to the next question.
    submit.click()
    page.locator(".bench [name=high]").fill("300")
    found.append(bench_check.wait(page))
    if bench_check.numbers(page, folder) != held:
        found.append("what is saved is not the answer that is shown")
    # Another file comes while the first one is computed.
    submit.click()
    bench_check.put(page, File("second.csv", plain.replace(b"model 0", b"other 0")))
    if page.locator(".bench .result").is_visible() or "second" not in page.locator(".bench .command").inner_text():
        found.append("the answer of an earlier file stands under another one")
    for name, value in (("low", "3"), ("high", "30")):
        page.locator(f".bench [name={name}]").fill(value)
    submit.click()
    found.append(bench_check.wait(page))
    if "other 0" not in page.locator(".bench .answered").inner_text():
        found.append("the answer is not that of the file")
    submit.click()
    expect(submit).to_have_text("Stop")
    submit.click()
    expect(submit).not_to_have_text("Stop")
    if "Stopped" not in page.locator(".bench .problem").inner_text():
        found.append("the bench does not say that it was stopped")
    return [*filter(None, found)]


def check_odd_names(page: Any, base: str) -> list[str]:
    """Two files of one name, a file that begins with a minus, a file that is dropped, an answer that is a button."""
    page.goto(base + BENCH, wait_until="load")
    acts = "state,a:ill,a:well\n" + "ill,0.7,0.3\nwell,0.2,0.8\nwell,0.4,0.6\n" * 20
    bench_check.put(page, File("data.csv", acts.encode()))
    for name, value in (("decision", "acts"), ("truth", "state")):
        bench_check.choose(page, name, value)
    costs = {"name": "data.csv", "mimeType": "text/csv", "buffer": b"act,ill,well\ntreat,1,3\nwait,9,0\n"}
    page.set_input_files(".bench [name=costs]", costs)
    expect(page.locator(".bench .command pre")).to_contain_text("--costs costs/data.csv")
    page.locator(".bench [type=submit]").click()
    found = [bench_check.wait(page)]
    labels = bench_check.csv_of(bench_check.forecasts(90, 2, 4).replace({"y": {0: "no idea", 1: "known"}}))
    page.locator(".bench .drop").evaluate("""(drop, text) => {
        const moved = new DataTransfer();
        moved.items.add(new File([text], "-v.csv"));
        drop.dispatchEvent(new DragEvent("drop", {dataTransfer: moved, bubbles: true, cancelable: true}));
    }""", labels.decode())
    expect(page.locator(".bench .taken")).to_contain_text("-v.csv: 2 kB, 90 rows", timeout=LONG)
    bench_check.choose(page, "truth", "y")
    page.locator(".bench [name=more]").evaluate("field => { field.closest('details').open = true; }")
    for name, value in (("more", "--ratio 3:30 --event unknown"), ("low", "")):
        page.locator(f".bench [name={name}]").fill(value)
    page.locator(".bench [type=submit]").click()
    if "has no label 'unknown'" not in (said := bench_check.wait(page)):
        found.append(f"an unknown label: {said!r}")
    bench_check.choose(page, "event", "known")
    page.locator(".bench [name=more]").fill("--ratio 3:30")
    page.locator(".bench [type=submit]").click()
    found.append(bench_check.wait(page))
    if "./-v.csv" not in page.locator(".bench .command pre").inner_text():
        found.append("the command cannot be typed: a file that begins with a minus")
    parts = bench_check.forecasts(120, 2, 4).assign(split=["train", "test"] * 60)
    bench_check.put(page, File("split.csv", bench_check.csv_of(parts)))
    for name, value in (("low", "3"), ("high", "30")):
        page.locator(f".bench [name={name}]").fill(value)
    page.locator(".bench [type=submit]").click()
    said = bench_check.wait(page)
    offer = page.locator(".bench .offers button", has_text="--only split=test")
    if not offer.count():
        found.append(f"a refusal offers no answer: {said!r}")
        return [*filter(None, found)]
    offer.click()
    page.locator(".bench .result").wait_for(timeout=LONG)
    if "60 cases" not in page.locator(".bench .printed").text_content():
        found.append("the offered option was not taken")
    return [*filter(None, found)]


def check_offline(page: Any, base: str) -> list[str]:
    """A fetch that fails is said, and the next click tries again."""
    page.goto(base + CHAPTER, wait_until="load")
    page.context.set_offline(True)
    run(cell_of(page))
    found = [done(cell_of(page), "Press Run to try again")]
    page.context.set_offline(False)
    run(cell_of(page))
    return [*filter(None, [*found, done(cell_of(page))])]


def check_denied(browser: Any, base: str) -> list[str]:
    """A browser that stores nothing runs everything, and says that nothing is kept."""
    with browser.new_context() as context:
        context.add_init_script(DENIED)
        problems: list[str] = []
        page = site_check.watch(context, base, problems)
        page.goto(base + CHAPTER, wait_until="load")
        write(page, cell_of(page), "6 / 2")
        said = cell_of(page).locator(".live-said").inner_text()
        found = [] if "stores nothing" in said else [f"a text that is not kept: {said!r}"]
        page.keyboard.press("Shift+Enter")
        found.append(done(cell_of(page)))
        page.goto(base + "book/reference/gallery.html", wait_until="load")
        page.locator("form.filter [name=text]").fill("brier")
        if " of " not in page.locator("form.filter output").inner_text():
            found.append("the gallery's filter is dead")
        page.locator("header .mode").first.click()
        return [*filter(None, found), *problems]


def solved(name: str) -> list[str]:
    """The cells of a page of exercises with their solutions, in order; None where nothing is to be written."""
    cells = exercises.read(collect.ROOT / exercises.SOURCE / f"{name}.md")
    full = [cell for cell in exercises.for_nbgrader(cells).cells if cell.cell_type == "code"]
    given = [cell for cell in exercises.release(cells, name).cells if cell.cell_type == "code"]
    return [own.source if "BEGIN SOLUTION" in own.source else "" for own, cell in zip(full, given, strict=True)
            if cell.source]


def hand_in(page: Any, folder: Path) -> str:
    """Press the button, keep the file; what the page says once it is through."""
    button = page.locator(".hand-in button")
    with page.expect_download() as waiting:
        button.click()
    waiting.value.save_as(folder / waiting.value.suggested_filename)
    expect(button).to_have_text("Hand in", timeout=LONG)
    return page.locator(".verdicts").inner_text() or page.locator(".hand-in [role=status]").inner_text()


def check_exercises(page: Any, base: str, folder: Path) -> list[str]:
    """From a chapter's link: three pages are solved, reloaded, handed in and collected; a loop is stopped."""
    found = []
    page.goto(base + CHAPTER, wait_until="load")
    page.locator("p.graded a").click()
    names = ["02_decisions", "03_metrics", "08_calibration"]
    for name in names:
        if not page.url.endswith(f"{name}.html"):
            page.goto(f"{base}exercises/{name}.html", wait_until="load")
        for place, source in enumerate(solved(name)):
            if source:
                write(page, page.locator(f"div.cell[data-cell='{place}']"), source)
        page.locator(".hand-in input").fill("Ann Lee")
        page.reload(wait_until="load")
        page.locator(".hand-in input").fill("Ann Lee")
        if "All" not in (said := hand_in(page, folder)) or "fail" in said:
            found.append(f"{name}, solved, says {said!r}")
    found += site_check.check_access(page)
    taken, refused, later = collect.handed_in(folder)
    if refused or later or sorted(taken) != [("ann-lee", name) for name in names]:
        found.append(f"collected: {sorted(taken)}, {refused}")
    for (_, name), path in taken.items():
        nbformat.validate(nbformat.read(path, as_version=4))
        if set(collect.verdicts(path, name).values()) != {"passes"}:
            found.append(f"{name} does not pass when it is collected")
    first = page.locator("div.cell[data-cell]").nth(next(k for k, source in enumerate(solved(name)) if source))
    write(page, first, "while True:\n    pass")
    button = page.locator(".hand-in button")
    with page.expect_download():
        button.click()
    expect(page.locator(".hand-in [role=status]")).to_contain_text("Running cell", timeout=LONG)
    button.click()
    expect(button).to_have_text("Hand in")
    said = page.locator(".hand-in [role=status]").inner_text()
    if "nothing was tested" not in said or page.locator(".verdicts li").count():
        found.append(f"a loop that does not end: {said!r}")
    page.reload(wait_until="load")
    if "while True" not in text_of(first):
        found.append("a stopped loop has taken the text with it")
    page.locator(".ways .before").click()
    if not page.url.endswith("/calibration.html"):
        found.append(f"the way back leads to {page.url}")
    return found


def check_room(page: Any, base: str, folder: Path) -> list[str]:
    """Three students save their ratios on a phone, the teacher drops the files with one that holds none."""
    page.goto(base + ROOM, wait_until="load")
    student, teacher = page.locator("form.asks").all()
    for who, ratio in (("Ann Lee", "9"), ("Zoë", "9,5"), ("Ben", "400")):
        student.locator("[name=who]").fill(who)
        student.locator("[name=ratio]").fill(ratio)
        with page.expect_download() as waiting:
            student.locator("button").click()
        waiting.value.save_as(folder / waiting.value.suggested_filename)
    student.locator("[name=ratio]").fill("many")
    student.locator("button").click()  # the browser keeps it: no number, no file
    (folder / "empty.txt").write_text("")
    names = sorted(path.name for path in folder.iterdir())
    found = [] if names == ["Ann-Lee.ratio.txt", "Ben.ratio.txt", "Zoë.ratio.txt", "empty.txt"] else [f"files: {names}"]
    teacher.locator("input").set_input_files([folder / name for name in names])
    teacher.locator("button").click()
    answer = page.locator(".room-answer")
    answer.locator(".room").wait_for(timeout=LONG)
    said = answer.inner_text()
    found += [f"the room does not say {words!r}" for words in (
        "3 ratios, from 9 to 400; the median is 9.5", "costs less for 2 of them, the eye for 1",
        "empty.txt is left out", "Zoë")
        if words not in said]
    if answer.locator("svg").count() != 1:
        found.append("the room's picture is not there")
    return found + site_check.check_access(page)


def check_saved(page: Any, base: str, folder: Path) -> list[str]:
    """The picture that the front page saves has its curves and its words, in the colours of the theme."""
    page.goto(base + FRONT, wait_until="load")
    found = []
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        with page.expect_download() as waiting:
            page.locator(".instrument .save").click()
        waiting.value.save_as(folder / f"{theme}.png")
        picture = (255 * matplotlib.image.imread(folder / f"{theme}.png")[:, :, :3]).round().astype(int)
        colours = page.evaluate("""() => {
            const look = (one, key) => getComputedStyle(document.querySelector(one))[key];
            return {ground: look("body", "backgroundColor"), words: look(".instrument", "color"),
                    line0: look(".views > svg .line0", "stroke"), line1: look(".views > svg .line1", "stroke")}; }""")
        for name, colour in colours.items():
            same = (picture == [int(part) for part in re.findall(r"\d+", colour)[:3]]).all(axis=2).sum()
            if same < 1000:
                found.append(f"{theme}: the saved picture has {same} points in the colour of its {name}, {colour}")
        if np.shape(picture)[1] != 1200:
            found.append(f"{theme}: the saved picture is {np.shape(picture)[1]} wide")
    return found


def main() -> int:
    """All of it, unless this site has passed on this machine as it is."""
    site = site_check.SITE
    if not (site / "_static" / "live" / "site.json").exists():
        print("no Python for the browser: make live, then make book", file=sys.stderr)
        return 1
    pages = [*(f"book/{name}.html" for name in ("start/quickstart", "reference/machine", "reference/gallery")),
             FRONT, ROOM, CHAPTER, bench_check.CHAPTER]
    pages += sorted(str(path.relative_to(site)) for path in (site / "exercises").iterdir())
    live = [path.read_bytes() for path in sorted((site / "_static" / "live").iterdir()) if path.is_file()]
    texts = [text for name in pages for text in (name, (site / name).read_bytes())]
    proof = kept.place("hands", site_check.shared_by_all(), *texts, *live)
    if kept.there(proof):
        print("what a hand does first was tried on this site before")
        return 0
    base = site_check.serve()
    with browse.chromium() as browser, tempfile.TemporaryDirectory() as folder:
        def bench(page: Any) -> list[str]:
            problems: list[str] = []
            return bench_check.check_bench(browser, lambda held: site_check.watch(held, base, problems),
                                           site_check.check_access, base) + problems

        def fresh(name: str) -> Path:
            return Path(tempfile.mkdtemp(prefix=name, dir=folder))

        checks: dict[str, Callable[[Any], list[str]]] = {
            "bench": bench, "live": lambda page: bench_check.check_cells(page, base),
            "kept": lambda page: check_kept(page, base),
            "two askers": lambda page: check_two_askers(page, base, fresh("askers")),
            "odd names": lambda page: check_odd_names(page, base),
            "storage denied": lambda page: check_denied(browser, base),
            "room": lambda page: check_room(page, base, fresh("room")),
            "saved": lambda page: check_saved(page, base, fresh("saved")),
            "exercises": lambda page: check_exercises(page, base, fresh("exercises"))}
        failures = [problem for name, check in checks.items()
                    for problem in site_check.steady(browser, base, name, check)]
        failures += site_check.steady(browser, base, "offline", lambda page: check_offline(page, base), quiet=True)
    if not failures:
        kept.put(proof)
    unsteady = [failure for failure in failures if failure.startswith(site_check.UNSTEADY)]
    print("\n".join(unsteady))
    failures = site_check.refused(failures)
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    print(f"{len(checks) + 1} things that a hand does first: {len(failures)} problems")
    return int(bool(failures))


if __name__ == "__main__":
    raise SystemExit(main())
