"""Drive the bench, a live cell and the prior machine of the built site as their readers do.

Usage: called by `hands_check.py`, for a site with live cells.

The bench: each file is uploaded and the form filled in. The page runs the command in the browser's Python, this process
runs it in its own: costs must agree to 1e-9, what is resampled to 1e-6, words to the letter. Files that cannot be read
must be refused with the same words. After the first answer no request may leave the page.
"""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from playwright.sync_api import expect

from pwu_desk import command

BENCH = "book/start/quickstart.html"
CHAPTER = "book/implicit_priors/binary_priors.html"
LONG = 120_000  # milliseconds that a first answer may take here
TYPED = "x = 6 / 2 " + "".join(map(chr, range(33, 127))) + " k?y/z"  # each character that a keyboard has
RESAMPLED = ("low", "high", "difference low", "difference high", "saving low", "saving high", "share best",
             "cases needed")


class File(NamedTuple):
    """A file to upload, and the form's fields by name."""

    name: str
    content: bytes
    chosen: dict[str, str] = {}


def forecasts(n: int, models: int, seed: int, decimals: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    chance = rng.beta(1, 5, n)
    table = pd.DataFrame({"y": (rng.random(n) < chance).astype(int)})
    for place in range(models):
        odds = np.log(chance / (1 - chance)) + rng.normal(0, 0.2 + 0.2 * place, n)
        table[f"model {place}"] = np.round(1 / (1 + np.exp(-odds)), decimals)
    return table


def board(n: int) -> pd.DataFrame:
    """Three agents that have tried the same tasks."""
    rng = np.random.default_rng(8)
    rows = [pd.DataFrame({"agent": name, "task": range(n), "solved": rng.random(n) < share,
                          "cost": rng.gamma(4, dollars / 4, n).round(4)})
            for name, share, dollars in (("small", 0.4, 0.05), ("middle", 0.6, 0.5), ("<b>large", 0.75, 2.0))]
    return pd.concat(rows)


def csv_of(table: pd.DataFrame, encoding: str = "utf-8", **options: Any) -> bytes:
    return table.to_csv(index=False, **options).encode(encoding)


def files() -> list[File]:
    """Files of every decision that the form knows, and files that must be refused."""
    plain, rng = forecasts(600, 3, 1), np.random.default_rng(3)
    extra = forecasts(400, 2, 4).assign(w=rng.integers(0, 3, 400), site=rng.integers(1, 41, 400))
    named = plain.replace({"y": {0: "gesund", 1: "krank"}}).rename(columns={"model 0": 'the "old", one'})
    x, std = rng.normal(0, 2, 300), np.exp(rng.normal(0, 0.5, 300))
    houses = pd.DataFrame({"price": x + std * rng.normal(size=300), "a_mean": x, "a_std": std, "b_mean": x + 0.3,
                           "b_std": 1.4 * std}).round(5)
    ratio = {"low": "3", "high": "30"}
    lines = csv_of(plain.head(40)).decode().splitlines()
    return [
        File("plain.csv", csv_of(plain), ratio), File("half.csv", csv_of(plain), {"low": "0,5", "high": "200"}),
        File("german.csv", csv_of(named, "utf-8-sig", sep=";", decimal=",", lineterminator="\r\n"),
             ratio | {"event": "krank", "truth": "y"}),
        File("utf16.txt", csv_of(named, "utf-16", sep="\t"), ratio | {"event": "gesund", "models": "model 1,model 2"}),
        File("extra.csv", csv_of(extra), ratio | {"weights": "w", "groups": "site"}),
        File("houses.csv", csv_of(houses), {"decision": "selective", "truth": "price", "low": "0.5", "high": "2"}),
        File("thousands.csv", csv_of(houses), {"decision": "selective", "truth": "price", "low": "5,000",
                                               "high": "20,000"}),
        File("top.csv", csv_of(plain.head(250)), {"decision": "top-k", "low": "1%", "high": "20%"}),
        File("<b>odd & names.csv", csv_of(plain.rename(columns={"model 0": "<img src=x onerror=alert(1)>"})), ratio),
        File("many.csv", csv_of(forecasts(31_000, 3, 12, decimals=3)), ratio),
        File("gap.csv", "\n".join([*lines[:6], "1,,0.5,0.5", *lines[7:]]).encode(), ratio),
        File("one.csv", csv_of(plain.assign(y=1)), ratio),
        File("two.csv", csv_of(plain.rename(columns={"y": "died"}).assign(sex=rng.integers(0, 2, 600))),
             ratio | {"truth": "died"}),
        File("indexed.csv", plain.to_csv().encode(), ratio | {"truth": "y"}),  # as pandas writes it, with an empty name
        File("board.csv", csv_of(board(300)), {"low": "1", "high": "40"}),  # what it is, its columns say
        File("first gap.csv", csv_of(plain.assign(note="")[["note", "y", "model 0", "model 1"]]), ratio),
    ]


def check_bench(browser: Any, watch: Callable[[Any], Any], access: Callable[[Any], list[str]], base: str) -> list[str]:
    """All files, an example by the keyboard, what is sent, a report to save, a phone in the dark."""
    context, found, sent = browser.new_context(accept_downloads=True), [], []
    page = watch(context)
    page.goto(base + BENCH, wait_until="load")
    put(page, File("died.csv", csv_of(forecasts(100, 2, 4).replace({"y": {0: "lived", 1: "died"}}).rename(
        columns={"y": "fate"}))))
    for words, act in (("Name the column of outcomes", lambda: choose(page, "truth", "fate")),
                       ("Say what the decision costs", lambda: page.locator(".bench [name=low]").fill("30")),
                       ("0 < LOW < HIGH", lambda: page.locator(".bench [name=low]").fill("1")),
                       ("Which label of column 'fate' is the event", lambda: None)):
        page.locator(".bench [name=high]").fill("3" if "LOW" in words or "label" in words else "")
        page.locator(".bench [type=submit]").click()
        if words not in wait(page):
            found.append(f"a form that lacks something does not say: {words}")
        act()
    before = page.locator("button[data-example]").first
    before.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".bench .decision")).to_be_visible(timeout=LONG)
    page.locator(".bench [name=high]").press("Enter")
    if problem := wait(page):
        found.append(f"the example: {problem}")
    page.on("request", lambda request: sent.append(request.url))
    with tempfile.TemporaryDirectory() as folder:
        for file in files():
            found += [f"{file.name}: {problem}" for problem in compare(page, file, Path(folder))]
    if outside := [url for url in sent if not url.startswith(("blob:", "about:"))]:
        found.append(f"requests after the first answer: {outside[:3]}")
    found += access(page)
    context.close()
    phone = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True)
    page = watch(phone)
    page.goto(base + BENCH, wait_until="load")
    page.locator("button[data-example]").nth(1).tap()
    expect(page.locator(".bench .decision")).to_be_visible(timeout=LONG)
    page.locator(".bench [type=submit]").tap()
    problem = wait(page)
    found += [f"on a phone: {problem}"] if problem else access(page)
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("on a phone the page scrolls sideways")
    phone.close()
    return [f"bench: {problem}" for problem in found]


def put(page: Any, *files: File) -> None:
    """Choose a file, as a hand does, and wait for what the page says of it."""
    for file in files:
        page.set_input_files(".bench .load input[type=file]",
                             {"name": file.name, "mimeType": "text/csv", "buffer": file.content})
    page.wait_for_function("""name => document.querySelector('.bench .taken').textContent.startsWith(name) && (
        document.querySelector('.bench .problem').textContent || !document.querySelector('.bench .decision').hidden)""",
                           arg=files[-1].name, timeout=LONG)


def choose(page: Any, name: str, value: str) -> None:
    field = page.locator(f".bench [name={name}]")
    (field.select_option if field.evaluate("field => field.tagName") == "SELECT" else field.fill)(value)


def check_cells(page: Any, base: str) -> list[str]:
    """A live cell by the keyboard: run, edited, wrong, reset; and the prior machine, by a link."""
    page.goto(base + CHAPTER, wait_until="load")
    found = []
    cell = page.locator("div.cell:has(.cell_input pre)").filter(has_text="brier_1, brier_0 =")
    cell = page.locator(f"div.cell[data-cell='{cell.get_attribute('data-cell')}']")  # whatever is typed into it
    printed = cell.locator(".cell_output").inner_text()
    cell.locator("button", has_text="Run").first.focus()
    page.keyboard.press("Enter")
    if "Done" not in settled(cell) or cell.locator(".cell_output").is_visible():
        found.append(f"a cell does not run: {settled(cell)!r}")
    for old, new, expected in (("p**2", "p**4/2", "An error"), ("p**4/2", "p**2", "Done")):
        cell.locator("button", has_text="Edit").click()
        text = cell.locator("pre[contenteditable]").inner_text().replace("\xa0", " ").rstrip()
        cell.locator("pre[contenteditable]").press("Control+A")
        page.keyboard.insert_text(text.replace(old, new))
        page.keyboard.press("Shift+Enter")
        if not (said := settled(cell)).startswith(expected):
            found.append(f"an edited cell says {said!r}, not {expected!r}")
        if expected == "An error" and "NotAligned" not in cell.locator(".live-wrong").inner_text():
            found.append("an error is not told")
    cell.locator("button", has_text="Edit").click()
    cell.locator("pre[contenteditable]").press("Control+A")
    page.keyboard.type(TYPED)
    if (typed := cell.locator("pre[contenteditable]").inner_text().replace("\xa0", " ").strip()) != TYPED:
        found.append(f"what is typed into a cell, {TYPED!r}, becomes {typed!r}")
    cell.locator("button", has_text="Reset").click()
    if cell.locator(".live-out").count() or cell.locator(".cell_output").inner_text() != printed:
        found.append("reset does not bring back the printed output")
    page.goto(base + "book/reference/machine.html#one=1-p&zero=p", wait_until="load")
    answer = page.locator(".machine-answer")
    if answer.inner_text():
        found.append("a link computes by itself")
    page.locator(".machine-form button").click()
    answer.locator(".machine").wait_for(timeout=LONG)
    if "It believes nothing" not in answer.inner_text():
        found.append(f"the machine says {answer.inner_text()!r} of the absolute error")
    page.locator(".machine-form [name=one]").fill("(1-p)^2")
    page.locator(".machine-form [name=zero]").fill("p^2")
    page.keyboard.press("Enter")
    answer.locator("svg").wait_for(timeout=60_000)
    if "Half of its weight" not in answer.inner_text() or "zero=p%5E2" not in page.url:
        found.append("the machine does not answer, or the address does not keep the formula")
    return [f"live: {problem}" for problem in found]


def settled(cell: Any) -> str:
    """What a cell's line says once it is not running any more."""
    expect(cell.locator(".live-bar button").first).to_have_text("Run", timeout=LONG)
    return cell.locator(".live-said").inner_text()


def wait(page: Any) -> str:
    """What the page refuses, or nothing once there is an answer."""
    page.wait_for_function("""() => !document.querySelector(".bench").hasAttribute("aria-busy") && (
        document.querySelector(".bench .problem").textContent || !document.querySelector(".bench .result").hidden)""",
                           timeout=LONG)
    return page.locator(".bench .problem").inner_text().strip()


def numbers(page: Any, folder: Path) -> dict[str, Any]:
    """What the page saves as its answer."""
    with page.expect_download() as waiting:
        page.locator(".bench .save-json").click()
    waiting.value.save_as(folder / "result.json")
    return json.loads((folder / "result.json").read_text())


def compare(page: Any, file: File, folder: Path) -> list[str]:
    """The page and this process on the same file, with the words that the page shows."""
    put(page, file)
    page.locator(".bench details.aside").nth(1).evaluate("fold => { fold.open = true; }")
    for name in sorted(file.chosen, key=lambda name: ["decision", "truth"].index(name) if name in (
            "decision", "truth") else 9):
        choose(page, name, file.chosen[name])
    words = shlex.split(page.locator(".bench .command pre").inner_text())[1:]  # pwu
    # As a person typed them: a page that reads 5,000 as 5 asks for something else, and gets the right answer to it.
    ends = ":".join(file.chosen[name] for name in ("low", "high") if name in file.chosen)
    if ends and ends not in words:
        return [f"{ends} was typed, the command has {shlex.join(words)}"]
    page.locator(".bench [type=submit]").click()
    problem = wait(page)
    (folder / words[1]).write_bytes(file.content)
    said, wrong = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        code = command.main([*words, "--json"])
    if code or problem:
        here = wrong.getvalue().strip().removeprefix("pwu compare: ")
        return [] if problem[1:].startswith(here[1:]) else [f"the page says {problem!r}, the command line {here!r}"]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        return ["the page scrolls sideways"]
    theirs, ours = numbers(page, folder), json.loads(said.getvalue())
    found = [f"{key}: {theirs[key]!r}, not {ours[key]!r}" for key in ("words", "findings", "left_out", "decision")
             if theirs.get(key) != ours.get(key)]
    for one, other in zip(theirs.get("models", ()), ours.get("models", ()), strict=True):
        found += [f"{one['name']}, {key}: {one[key]!r}, not {other[key]!r}" for key in other
                  if not same(key, one[key], other[key])]
    answer = page.locator(".bench .answered").inner_text()
    return found + [f"the answer lacks {line!r}" for line in ours["words"] if line not in answer]


def same(key: str, one: Any, other: Any) -> bool:
    if isinstance(other, float) and isinstance(one, float):
        return abs(one - other) <= (1e-6 if key in RESAMPLED else 1e-9) * max(1.0, abs(other))
    return one == other
