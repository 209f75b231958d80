"""Drive the bench of the built site as its readers do, and compare every number with Python's.

Usage: called by `site_check.py`.

Each file is uploaded, its columns and the decision are chosen on the page, and the Python that the page shows under its
answer is run beside the file: costs must agree to 1e-9, what is resampled to 1e-6, words and verdicts to the letter.
Files that cannot be read must be refused by the page and by the command line, with the same line. A large file (half a
minute) is added where the environment has BENCH_LARGE_FILE=1, as it has once a week.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwu_lite import metrics
from pwu_lite.app import command
from pwu_lite.app.picture import picture_of
from pwu_lite.reporting import decompose

BENCH = "book/start/bench.html"
LARGE = bool(os.environ.get("BENCH_LARGE_FILE"))
RESAMPLED = ("low", "high", "difference low", "difference high", "saving low", "saving high", "share best",
             "cases needed")


class File(NamedTuple):
    """A file to upload, and what is chosen on the page: fields by name, a tab, models."""

    name: str
    content: bytes
    chosen: dict[str, str] = {}
    tab: str | None = None
    models: tuple[str, ...] | None = None


def forecasts(n: int, models: int, seed: int, decimals: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    chance = rng.beta(1, 5, n)
    table = pd.DataFrame({"y": (rng.random(n) < chance).astype(int)})
    for place in range(models):
        odds = np.log(chance / (1 - chance)) + rng.normal(0, 0.2 + 0.2 * place, n)
        table[f"model {place}"] = np.round(1 / (1 + np.exp(-odds)), decimals)
    return table


def csv_of(table: pd.DataFrame, encoding: str = "utf-8", **options: Any) -> bytes:
    return table.to_csv(index=False, **options).encode(encoding)


def good_files() -> list[File]:
    """Files that must be read, and give the numbers of Python."""
    plain, small = forecasts(600, 3, 1), forecasts(180, 3, 2, decimals=1)
    rng = np.random.default_rng(3)
    extra = forecasts(400, 2, 4).assign(w=rng.integers(0, 3, 400), site=rng.integers(1, 41, 400),
                                        share=rng.uniform(0.05, 0.6, 400).round(3), age=rng.integers(20, 90, 400))
    named = plain.replace({"y": {0: "gesund", 1: "krank"}}).rename(columns={"model 0": 'the "old", one'})
    x, std = rng.normal(0, 2, 300), np.exp(rng.normal(0, 0.5, 300))
    houses = pd.DataFrame({"price": x + std * rng.normal(size=300), "a_mean": x, "a_std": std, "b_mean": x + 0.3,
                           "b_sd": np.round(1.4 * std, 2)}).round(5)
    percents = small.copy()
    percents["model 0"] = [f"{100 * value:.0f}%" for value in small["model 0"]]
    text = csv_of(plain).decode()
    return [
        File("ratio.csv", csv_of(plain), {"low": "0,5", "high": "200"}),
        File("ties.csv", csv_of(small)),
        File("twice.csv", csv_of(pd.concat([plain.head(100)] * 2))),
        File("german.csv", csv_of(named, "utf-8-sig", sep=";", decimal=",", lineterminator="\r\n\r\n"),
             {"event": "krank"}),
        File("utf16.txt", csv_of(named, "utf-16", sep="\t"), {"event": "gesund"}, models=("model 1", "model 2")),
        File("percent.csv", csv_of(percents)),
        File("shares.csv", csv_of(extra), {"shares": "share", "weight": "w", "groups": "site"}),
        File("houses.csv", csv_of(houses), {"low": "0.5", "high": "2"}),
        File("houses, weighted.csv", csv_of(houses.assign(weight=rng.random(300).round(2))),
             {"truth": "price", "weight": "weight", "low": "0.1", "high": "9"}),
        File("top.csv", csv_of(plain.head(250)), {"low": "1%", "high": "20%"}, tab="topk"),
        File("top, groups.csv", csv_of(extra.head(120)), {"low": "0.05", "high": "0.3", "groups": "site"}, tab="topk"),
        File("one or two.csv", csv_of(small.assign(y=small["y"] + 1)), {"event": "2"}),
        File("word.csv", text.replace(text.splitlines()[3], "1,0.3,unknown,0.2").encode()),
        File("eight.csv", csv_of(forecasts(300, 8, 11))),
        File("constant.csv", csv_of(plain.assign(**{name: 0.3 for name in ("model 0", "model 1", "model 2")}))),
        File("few.csv", csv_of(plain.head(9).assign(y=[0, 1] * 4 + [0]))),
        File("same.csv", csv_of(plain.assign(copy=plain["model 0"]))),
        File("<b>odd & names.csv", csv_of(plain.rename(columns={"model 0": "<img src=x onerror=alert(1)>"}))),
        File("patients.csv", csv_of(extra.rename(columns={"site": "patient"}))),
        File("days.csv", csv_of(plain.assign(start_day=range(600), clinic_no=[k // 60 for k in range(600)]))),
        File("noise.csv", csv_of(plain.assign(**{name: rng.random(600).round(3) for name in
                                                 ("model 0", "model 1", "model 2")}))),
        File("rare.csv", csv_of(plain.assign(y=[1, 1, 1] + [0] * 597))),
        File("common.csv", csv_of(plain.assign(y=[0, 0, 0] + [1] * 597))),
        File("weight on one.csv", csv_of(plain.head(50).assign(w=[1.0] + [0.0] * 49)), {"weight": "w"}),
        File("many.csv", csv_of(forecasts(21_000, 3, 12, decimals=3))),
        *([File("large.csv", csv_of(forecasts(100_000, 5, 7, decimals=6)))] if LARGE else []),
    ]


def bad_files() -> list[File]:
    """Files that must be refused, by the page and by the command line, with the same line where one is at fault."""
    table = forecasts(40, 2, 5)
    text = csv_of(table).decode().splitlines()

    def with_line(place: int, line: str) -> bytes:
        return "\n".join([*text[:place], line, *text[place + 1:]]).encode()

    return [
        File("head.csv", b"y,a\n"), File("no head.csv", b"1,0.5\n0,0.2\n1,0.7\n"),
        File("twice.csv", csv_of(table).replace(b"model 1", b"model 0")),
        File("gap.csv", with_line(6, "1,,0.5")), File("gap in outcome.csv", with_line(4, ",0.2,0.5")),
        File("above.csv", with_line(12, "0,1.2,0.5"), models=("model 0", "model 1")),
        File("no head 2.csv", b"ill,0.3\nwell,0.1\nill,0.4\n"), File("binary.csv", b"y,a\n1,\x000.5\n"),
        File("shifted.csv", with_line(1, "1,0,2,0,5")), File("three.csv", with_line(5, "2,0.2,0.5")),
        File("one.csv", csv_of(table.assign(y=1))),
        File("thousands.csv", csv_of(table.assign(a=[f'{value}.250' for value in range(1, 41)])), models=("a",)),
        File("percentages.csv", csv_of(table.assign(a=100 * table["model 0"])), models=("a",)),
        File("quote.csv", with_line(3, '1,"0.2,0.5')),
        File("hidden.csv", csv_of(table).replace(b"model 1", b'"model\n1"')),
        File("turned.csv", csv_of(table).replace(b"model 1", "mod\u202eel".encode())),
        File("wide.csv", (",".join(f"c{k}" for k in range(20_000)) + "\n").encode()),
        File("endless.csv", b"a," * 1_200_000 + b"\n"), File("a name.csv", b"y," + b"_" * 60_000 + b"\n1,0.5\n"),
        File("models.csv", csv_of(pd.concat([table, *(table["model 0"].rename(f"m{k}") for k in range(300))], axis=1))),
        File("weights.csv", csv_of(table.assign(w=-1.0)), {"weight": "w"}),
    ]


def wait(page: Any, seconds: float = 60.0) -> str:
    """What the page says now: "" for an answer, else why there is none."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        problem = page.locator(".bench .problem").inner_text().strip()
        if problem or page.locator("#bench-result").text_content().strip():
            return problem
        page.wait_for_timeout(30)
    return f"no answer in {seconds:.0f} s"


def upload(page: Any, file: File) -> str:
    """Give the page a file, choose what is to be chosen; what the page says."""
    page.set_input_files(".bench input[type=file]",
                         {"name": file.name, "mimeType": "text/csv", "buffer": file.content})
    said = wait(page)
    if page.locator(".bench .columns").is_hidden():
        return said
    if file.tab:
        page.locator(f"#bench-tab-{file.tab}").click()
    asked = {"topk": {"low": "1%", "high": "10%"}}.get(file.tab or "", {"low": "3", "high": "30"})
    defaults = asked if page.locator(".bench .for-binary").is_visible() or file.tab == "topk" else {}
    given = defaults | file.chosen
    for name, value in given.items():
        field = page.locator(f".bench [name={name}]")
        field.fill(value) if name in ("low", "high") else field.select_option(value)
    if file.models is not None:
        for box in page.locator(".bench [name=model]").all():
            box.set_checked(box.get_attribute("value") in file.models)
    page.wait_for_timeout(400 if {"low", "high"} & set(given) else 0)  # the page waits until typing ends
    return wait(page)


def compare_with_python(page: Any, file: File, folder: Path) -> list[str]:
    """Run the Python that the page shows beside the file; findings where it says something else."""
    (folder / file.name).write_bytes(file.content)
    shown = json.loads(page.locator("#bench-result").text_content())
    held: dict[str, Any] = {}
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        exec(page.locator(".bench pre.python").text_content(), held)
    result, found = held["result"], same_as_the_command(page, file, folder, shown)
    table = result.table
    if [model["name"] for model in shown["models"]] != list(table.index):
        return [f"{file.name}: order {[model['name'] for model in shown['models']]}, Python {list(table.index)}"]
    for model in shown["models"]:
        found += [f"{file.name}, {model['name']}, {key}: {model[key]!r}, Python {expected!r}"
                  for key, expected in table.loc[model["name"]].items() if not same(key, model, expected)]
    words = [line.replace("y_true = 1", f"{shown['taken']['event']}") for line in result.words]
    if [*shown["words"], *shown["remarks"]][:len(words)] != words:
        found.append(f"{file.name}: {shown['words'] + shown['remarks']}, Python {words}")
    return found + same_picture(file, shown, result) + same_parts(file, shown, held)


def same(key: str, model: dict[str, Any], expected: Any) -> bool:
    if isinstance(expected, str):
        return model[key] == expected or (key == "statement" and model["verdict"] == "best")
    if model[key] is None:
        return not np.isfinite(expected)
    return bool(abs(model[key] - expected) <= (1e-6 if key in RESAMPLED else 1e-9) * max(1.0, abs(expected)))


def same_as_the_command(page: Any, file: File, folder: Path, shown: dict[str, Any]) -> list[str]:
    """The command that the page shows says the same of the file, in the same words."""
    line = page.locator(".bench pre.python").text_content().partition("# in a terminal\n# ")[2].strip()
    if not line:
        return []
    words, out = shlex.split(line)[3:], io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out):
        code = command.main([*words[:words.index("--html")], *(["--groups", "none"] if "--groups" not in words else []),
                             *(["--weights", "none"] if "--weights" not in words else []), "--json"])
    said = json.loads(out.getvalue()) if code == 0 else {"words": [], "remarks": []}
    here = [*shown["words"], *shown["remarks"]]
    there = [*said["words"], *said["remarks"]]
    return [] if here == there else [f"{file.name}: the page says {here}, the command line {there}"]


def same_picture(file: File, shown: dict[str, Any], result: Any) -> list[str]:
    expected = picture_of(result.scores["score"], *result.data, list(result.table.index), result.options)
    drawn = shown["picture"]
    if isinstance(expected, str) or drawn is None:
        return [f"{file.name}: a picture on one side only"] * (isinstance(expected, dict) or drawn is not None)
    if drawn["axis"] != expected["axis"]:
        return [f"{file.name}: axis {drawn['axis']}, Python {expected['axis']}"]
    far = [key for key in ("x", "costs", "gaps", "hill")
           if not np.allclose(drawn[key], expected[key], rtol=1e-9, atol=1e-9)]
    pairs = zip(drawn["bands"], expected["bands"], strict=True)
    far += ["bands" for one, two in pairs if two is not None and not np.allclose(one, two, rtol=0, atol=1e-6)]
    return [f"{file.name}: the picture's {key} differ from Python's" for key in far]


def same_parts(file: File, shown: dict[str, Any], held: dict[str, Any]) -> list[str]:
    """Miscalibration, discrimination and uncertainty, and the conventional metrics."""
    score, y, models, found = held["score"], held["y"], held["models"], []
    weight = held["result"].options["sample_weight"]
    for part in shown["parts"] or []:
        expected = decompose(score, y, models[part["name"]], sample_weight=weight)._asdict()
        found += [f"{file.name}, {part['name']}: {key} {part[key]}, Python {expected[key]}" for key in part
                  if key != "name" and abs(part[key] - expected[key]) > 1e-9]
    for row in shown["metrics"]:
        module = metrics.regression if shown["decision"] == "selective" else metrics.classification
        for model, value in zip(shown["models"], row["values"], strict=True):
            given = models[model["name"]]
            try:
                expected = getattr(module, row["name"])(y, *(given if isinstance(given, tuple) else (given,)),
                                                        sample_weight=weight)
            except ValueError:  # takes no weights
                expected = np.nan
            if (value is None) != (not np.isfinite(expected)) or value is not None and abs(value - expected) > 1e-9:
                found.append(f"{file.name}, {model['name']}: {row['name']} {value}, Python {expected}")
    return found


def check_refusal(page: Any, file: File, folder: Path) -> list[str]:
    """The page and the command line refuse the file, and name the same line."""
    said = upload(page, file)
    (folder / file.name).write_bytes(file.content)
    asked = ["compare", str(folder / file.name), "--truth", "y", "--ratio", "3:30",
             *(["--models", ",".join(file.models)] if file.models else []),
             *(["--weights", file.chosen["weight"]] if "weight" in file.chosen else [])]
    words = io.StringIO()
    with contextlib.redirect_stderr(words), contextlib.redirect_stdout(io.StringIO()):
        code = command.main(asked)
    here, there = (re.findall(r"[Ll]ine (\d+)", text)[:1] for text in (said, words.getvalue()))
    if said and "no answer" not in said and code == 2 and (here == there or not there):
        return []
    return [f"{file.name}: the page says {said!r}, the command line {code}: {words.getvalue().strip()!r}"]


def check_bench(browser: Any, watch: Callable[[Any], Any], access: Callable[[Any], list[str]], base: str) -> list[str]:
    """All files, the keyboard, a dropped file, what is sent, a saved copy, a phone in the dark."""
    context, folder = browser.new_context(), Path(tempfile.mkdtemp())
    page, found, sent = watch(context), [], []
    page.goto(base + BENCH, wait_until="networkidle")
    page.on("request", lambda request: sent.append(request.url))
    for file in good_files():
        said = upload(page, file)
        found += [f"{file.name}: {said}"] if said else compare_with_python(page, file, folder)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"{file.name}: the page scrolls sideways")
    for file in bad_files():
        found += check_refusal(page, file, folder)
    found += access(page) + check_asking(page) + check_keyboard(page) + check_drop(page) + check_downloads(page, folder)
    outside = [url for url in sent if not url.startswith("blob:")]
    if outside:
        found.append(f"requests after the page was there: {outside[:3]}")
    page.close()
    found += check_copy(context, base, folder) + check_phone(browser, watch, access, base)
    shutil.rmtree(folder)
    return [f"bench: {problem}" for problem in found]


def check_asking(page: Any) -> list[str]:
    """Where two columns could be the outcome, or two labels the event, the page asks instead of guessing."""
    rng = np.random.default_rng(12)
    two = forecasts(80, 1, 12).rename(columns={"y": "died"}).assign(sex=rng.integers(0, 2, 80))
    said = upload(page, File("two.csv", csv_of(two)))
    found = [] if "Which column is the outcome" in said else [f"two columns could be the outcome: {said!r}"]
    turned = forecasts(200, 2, 13)
    upload(page, File("turned.csv", csv_of(turned.assign(y=1 - turned["y"]))))
    if "Check the outcome, and which label is the event" not in page.locator(".bench .said").inner_text():
        found.append("forecasts of the other label are not noticed")
    return found


def check_keyboard(page: Any) -> list[str]:
    """An example by Enter, another decision by the arrow keys, another number by typing."""
    page.locator("button[data-example]").first.focus()
    page.keyboard.press("Enter")
    if wait(page):
        return ["the example gives no answer"]
    before = page.locator("#bench-result").text_content()
    page.locator(".bench [name=high]").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("500")
    page.wait_for_timeout(400)
    same_as_before = wait(page) or page.locator("#bench-result").text_content() == before
    found = ["typing changes nothing"] if same_as_before else []
    page.locator("#bench-tab-binary").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    if "nine times out of ten? Give two numbers" not in wait(page) or page.locator(".bench .result").is_visible():
        found.append("a winner is shown before the two numbers were given")
    if page.locator(".bench .readback").inner_text():
        found.append("what an earlier question said stands under a new one")
    give_range(page, "1%", "10%")
    if wait(page) or json.loads(page.locator("#bench-result").text_content())["decision"] != "top-k":
        found.append("the arrow keys do not change the decision")
    return found


def give_range(page: Any, low: str, high: str) -> None:
    """Type the two numbers, and wait until typing ends."""
    page.locator(".bench [name=low]").fill(low)
    page.locator(".bench [name=high]").fill(high)
    page.wait_for_timeout(400)


def check_drop(page: Any) -> list[str]:
    """A file that is dropped, and a table that is pasted."""
    text = csv_of(forecasts(300, 2, 9)).decode()
    given = page.evaluate_handle("""text => { const held = new DataTransfer();
        held.items.add(new File([text], "dropped.csv", {type: "text/csv"})); return held; }""", text)
    page.locator(".bench .drop").dispatch_event("drop", {"dataTransfer": given})
    page.wait_for_timeout(100)
    wait(page)
    give_range(page, "3", "30")
    read = not wait(page) and "dropped.csv" in page.locator(".bench .taken").inner_text()
    found = [] if read else ["a drop is not read"]
    page.locator(".bench .load details summary").click()
    page.locator(".bench textarea").fill(text)
    page.locator(".bench button.paste").click()
    wait(page)
    give_range(page, "3", "30")
    said = wait(page)
    return found + [f"a pasted table: {said}"] * bool(said)


def check_downloads(page: Any, folder: Path) -> list[str]:
    """The numbers and the page to send: complete, small, and without a script."""
    found = []
    for button, name in (("save-json", "result.json"), ("save-html", "report.html")):
        with page.expect_download() as waiting:
            page.locator(f".bench .{button}").click()
        waiting.value.save_as(folder / name)
    if json.loads((folder / "result.json").read_text())["models"] == []:
        found.append("the downloaded numbers are empty")
    report = (folder / "report.html").read_text()
    if len(report) > 1_000_000 or "@TITLE" in report or "http:" in report:
        found.append("the page to send is too large, has gaps, or names another host")
    if not all(words in report for words in ("<svg", "verdict", "cheapest</h1>", "nine times out of ten")):
        found.append("the page to send lacks its heading, the picture or the table")
    page.locator(".bench [name=high]").fill("")
    page.wait_for_timeout(400)
    if not page.locator(".bench .save-html").is_disabled():
        found.append("what is not computed can be saved")
    return found


def check_phone(browser: Any, watch: Callable[[Any], Any], access: Callable[[Any], list[str]], base: str) -> list[str]:
    """Tapped on a phone in the dark: answers, no page that scrolls sideways, readable."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True)
    page, found = watch(context), []
    page.goto(base + BENCH, wait_until="load")
    for place, tab in ((0, "topk"), (1, "selective"), (0, "binary")):
        page.locator("button[data-example]").nth(place).tap()
        page.locator(f"#bench-tab-{tab}").tap()
        if tab == "topk":
            give_range(page, "1%", "10%")
        said = wait(page)
        found += [f"on a phone, {tab}: {said}"] if said else access(page)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"on a phone, {tab}: the page scrolls sideways")
    context.close()
    return found


def check_copy(context: Any, base: str, folder: Path) -> list[str]:
    """The page may not connect, even if its script wanted to; a saved copy works without a server and the site."""
    (folder / "copy.html").write_text(context.request.get(base + BENCH).text())
    with context.new_page() as page:
        page.goto(base + BENCH, wait_until="load")
        reached = page.evaluate("fetch('/').then(() => true, () => false)")
        page.goto((folder / "copy.html").as_uri(), wait_until="domcontentloaded")
        said = upload(page, File("plain.csv", csv_of(forecasts(200, 2, 8))))
    return ["the page can connect to its own server"] * reached + [f"a saved copy: {said}"] * bool(said)
