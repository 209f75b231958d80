"""Every code block of the start pages and of the README runs when it is pasted, in the order of the page."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest

from pwu_desk import command

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "book" / "index.md", *sorted((ROOT / "book" / "start").glob("*.md"))]
BLOCK = re.compile(r"^```(?:\{code-cell\} ipython3|python)\n(.*?)^```", re.S | re.M)
COMMAND = re.compile(r"^(?:\$ )?pwu (compare|score|card|explain) (.*)$", re.M)


def blocks(page):
    """Python of the page, options of cells left out."""
    for body in BLOCK.findall(page.read_text()):
        yield re.sub(r"\A---\n.*?^---\n|\A(:[^\n]*\n)+", "", body, flags=re.S | re.M)


@pytest.fixture
def apart(tmp_path, monkeypatch):
    """An empty folder with a file such as the pages name."""
    rng = np.random.default_rng(0)
    chance = rng.beta(1, 4, 300)
    ill = (rng.random(300) < chance).astype(int)
    table = pd.DataFrame({"y": ill, "outcome": np.where(ill, "ill", "well"), "a": chance.round(3),
                          "b": rng.random(300).round(3), "c": chance.round(1), "patient": np.arange(300) // 3})
    for name in ("predictions.csv", "mine.csv"):
        table.to_csv(tmp_path / name, index=False)
    for name, rows in (("forecasts-0.csv", table[:140]), ("forecasts-1.csv", table[140:])):
        rows.to_csv(tmp_path / name, index=False)
    sold = rng.normal(100, 20, 60).round(1)
    sales = {"sold": sold, **{f"gamma_q{level}": sold + shift for level, shift in (("05", -20), ("50", 2), ("95", 20))}}
    wards = {"state": np.where(ill, "ill", "well"), "gamma:well": 1 - chance.round(3), "gamma:ill": chance.round(3)}
    answers = {"question": np.arange(300) // 3, "gamma_right": ill, "gamma_confidence": chance.round(3)}
    for name, columns in (("sales", sales), ("wards", wards), ("answers", answers)):
        pd.DataFrame(columns).to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "costs.csv").write_text("act,well,ill\nhome,0,8\nward,3,1\ntest,price,price\n")
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    return tmp_path


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs_in_the_order_of_the_page(page, apart):
    space = {"__name__": "__main__", "display": lambda *shown: None}
    for number, code in enumerate(blocks(page), start=1):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(code, f"{page.name}, block {number}", "exec"), space)
        except Exception as error:
            raise AssertionError(f"{page.name}, block {number}: {type(error).__name__}: {error}\n{code}") from error


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_runs(page, apart):
    for name, words in COMMAND.findall(page.read_text()):
        with contextlib.redirect_stdout(io.StringIO()):
            assert command.main([name, *shlex.split(words)]) == 0, f"{page.name}: {name} {words}"
