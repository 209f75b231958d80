"""Time the bench in Chromium, beside Python on the same file: from the upload to the answer.

Half a second of the page's time it waits until typing ends.

Usage: python benchmarks/bench_page.py [--rows 100000] [--models 5]

Needs Chromium and the packages of requirements-site.txt; prints medians of three, taking turns.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

import pwu_lite as pwu
from pwu_book.bench import Bench
from pwu_lite import elicitation
from pwu_lite.app import files

PAGE = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>bench</title></head><body>{}</body></html>'


def write_files(folder: Path, rows: int, models: int) -> Path:
    """The page alone, and a file of outcomes and forecasts."""
    rng = np.random.default_rng(0)
    chance = rng.beta(1, 6, rows)
    odds = {f"model {k}": np.log(chance / (1 - chance)) + rng.normal(0, 0.2 + 0.15 * k, rows) for k in range(models)}
    table = pd.DataFrame({"y": (rng.random(rows) < chance).astype(int)}
                         | {name: np.round(1 / (1 + np.exp(-value)), 6) for name, value in odds.items()})
    (folder / "bench.html").write_text(PAGE.format(Bench()._repr_html_()))
    table.to_csv(folder / "large.csv", index=False)
    return folder / "large.csv"


def in_page(page, path: Path) -> None:
    page.set_input_files(".bench input[type=file]", str(path))
    for name, value in (("low", "3"), ("high", "30")):  # the page answers once it knows what a miss costs
        page.locator(f".bench [name={name}]").fill(value)
    page.wait_for_function("document.querySelector('#bench-result').textContent.length > 9", timeout=120_000,
                           polling=20)


def in_python(path: Path) -> None:
    table = files.read_table(str(path))
    score = pwu.PWU(pwu.BinaryDecision(), elicitation.beta_from_quantiles(1 / 31, 1 / 4))
    pwu.compare(files.events(table, "y"), table.drop(columns="y"), score)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--models", type=int, default=5)
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        raise SystemExit("chromium is needed: apt-get install chromium")
    seconds = {"bench": [], "Python": []}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = write_files(Path(folder), options.rows, options.models)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        for _ in range(3):
            page.goto((Path(folder) / "bench.html").as_uri())
            for name, run in (("bench", lambda: in_page(page, path)), ("Python", lambda: in_python(path))):
                start = time.perf_counter()
                run()
                seconds[name].append(time.perf_counter() - start)
        browser.close()
    bench, python = (float(np.median(seconds[name])) for name in ("bench", "Python"))
    print(f"{options.rows:,} rows, {options.models} models, 1,000 resamples, from file to answer: in Chromium "
          f"{bench:.1f} s (target 5 s), in Python {python:.1f} s, ratio {bench / python:.1f}")


if __name__ == "__main__":
    main()
