"""Files as they come: the same answer in pieces of any length, and the same verdict as whole."""

import gzip
import itertools
import json
from unittest import mock

import numpy as np
import pandas as pd
import pytest

from pwu_lite.app import command, large
from pwu_lite.reporting._rules import RULES

N = 120
RNG = np.random.default_rng(5)
CHANCE = RNG.beta(1, 3, N)
PLACE = np.arange(N)
TABLE = pd.DataFrame({"y": (RNG.random(N) < CHANCE).astype(int), "near": CHANCE.round(3),
                      "far": np.clip(CHANCE + RNG.normal(0, 0.2, N), 0, 1).round(3)})
YES = np.where(TABLE["y"] == 1, "yes", "no")

CONTENTS = {
    "plain": lambda t: t,
    "labels that are words": lambda t: t.assign(y=YES),
    "sorted by outcome": lambda t: t.sort_values("y", kind="stable").reset_index(drop=True),
    "zero at first": lambda t: t.assign(zero=np.where(PLACE < 80, 0.0, t["near"])),
    "a third label at the end": lambda t: t.assign(y=t["y"].where(PLACE != N - 2, 2)),
    "patients": lambda t: t.assign(patient=PLACE // 4),
    "codes": lambda t: t.assign(id=[f"{place:04d}" for place in PLACE]),
    "line ends in quotes": lambda t: t.assign(note=['a, "b"\nc' if place % 50 == 3 else "n" for place in PLACE]),
    "a gap": lambda t: t.assign(far=t["far"].where(PLACE != 100)),
    "outside": lambda t: t.assign(far=t["far"].where(PLACE != 100, 1.7)),
    "a word late": lambda t: t.assign(far=t["far"].astype(object).where(PLACE != 101, "half")),
    "ages": lambda t: t.assign(age=20 + PLACE % 60),
    "log odds": lambda t: t.assign(margin=np.log(CHANCE / (1 - CHANCE))),
    "per cent": lambda t: t.assign(near=(100 * t["near"]).round(1).astype(str) + "%"),
    "weights": lambda t: t.assign(weight=1 + PLACE % 7),
    "true and false": lambda t: t.assign(y=t["y"].astype(bool)),
    "thousands": lambda t: t.assign(price=[f"{500 + 31 * place:,}" for place in PLACE]),
    "exponents": lambda t: t.assign(near=[f"{value:e}" for value in t["near"]]),
    "both columns": lambda t: t.assign(no=(1 - t["near"]).round(3), y=YES).rename(columns={"near": "yes"})}


def text(table, **options):
    return table.to_csv(index=False, **options)


def with_row_names(table):
    header, *rows = text(table.replace({"a, \"b\"\nc": "c"})).splitlines()
    return "\n".join([header, *(f'"{number}",{row}' for number, row in enumerate(rows, 1))])


FORMS = {
    "commas": lambda t: text(t).encode(),
    "semicolons": lambda t: text(t, sep=";").encode(),
    "tabs": lambda t: text(t, sep="\t").encode(),
    "a mark of order": lambda t: b"\xef\xbb\xbf" + text(t).encode(),
    "utf-16": lambda t: text(t).encode("utf-16"),
    "Windows line ends": lambda t: text(t, lineterminator="\r\n").encode(),
    "packed": lambda t: gzip.compress(text(t).encode()),
    "decimal commas": lambda t: text(t, sep=";", decimal=",").encode(),
    "sep=": lambda t: b"sep=;\n" + text(t, sep=";").encode(),
    "comments": lambda t: b"# ours\n# twice\n" + text(t).encode(),
    "R": lambda t: with_row_names(t).encode(),
    "an index": lambda t: t.to_csv().encode(),
    "blank lines": lambda t: text(t).encode() + b"\n\n",
    "Western Europe": lambda t: text(t.rename(columns={"far": "f\u00e4r"})).encode("cp1252")}

EVERY = list(itertools.product(CONTENTS, FORMS))
SOME = [pair for place, pair in enumerate(EVERY) if place % 9 == 0]


def said(capsys, path, rows, event):
    """Exit status, output and message, for a file in pieces of so many rows, or whole."""
    with mock.patch.dict(RULES, {"most_bytes_at_once": 0 if rows else 10**9}), mock.patch.object(
            large, "ROWS", rows or 1):
        code = command.main(["compare", str(path), "--truth", "y", "--ratio", "3:30", "--json", "--resamples", "20",
                             *event])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("content, form", [*SOME, *(pytest.param(*pair, marks=pytest.mark.weekly)
                                                    for pair in EVERY if pair not in SOME)])
def test_pieces_of_any_length_say_the_same(capsys, tmp_path, content, form):
    path = tmp_path / "p.csv"
    path.write_bytes(FORMS[form](CONTENTS[content](TABLE)))
    event = ["--event", "yes"] if "y" in TABLE and content in ("labels that are words", "both columns") else []
    whole, *pieces = (said(capsys, path, rows, event) for rows in (None, 7, 100, 10**6))
    assert pieces[0] == pieces[1] == pieces[2]
    assert pieces[0][0] == whole[0] and pieces[0][2] == whole[2]
    if whole[0] == 0:
        one, other = json.loads(whole[1]), json.loads(pieces[0][1])
        assert {model["name"] for model in one["models"]} == {model["name"] for model in other["models"]}
        assert one["left_out"] == other["left_out"] and set(one["remarks"]) <= set(other["remarks"])
        right = {model["name"]: model["cost"] for model in one["models"]}
        assert all(model["least"] <= right[model["name"]] + 1e-12 and right[model["name"]] <= model["most"] + 1e-12
                   for model in other["models"])


@pytest.mark.parametrize("mark, way_out", [(",", "may be thousands or decimals"), (".", "may be thousands or decimals"),
                                           ("'", ""), (" ", "")])
def test_thousands_are_told_by_all_rows(capsys, tmp_path, mark, way_out):
    """A piece by itself would read 2.156 as two and a bit: by all rows it is refused, or read, as in a small file."""
    price = RNG.integers(500, 4000, N)
    table = pd.DataFrame({"y": price, "a_mean": price + 40, "b_mean": price - 90})
    table = table.map(lambda value: f"{value:,}".replace(",", mark)).assign(a_std=80, b_std=80)
    table.to_csv(tmp_path / "p.csv", index=False, sep=";")
    found = []
    for rows in (None, 7, 10**6):
        with mock.patch.dict(RULES, {"most_bytes_at_once": 0 if rows else 10**9}), mock.patch.object(
                large, "ROWS", rows or 1):
            code = command.main(["compare", str(tmp_path / "p.csv"), "--truth", "y", "--decision", "selective",
                                 "--error", "20:80", "--json", "--resamples", "20"])
        out, err = capsys.readouterr()
        assert (code == 2 and way_out in err) if way_out else code == 0
        models = json.loads(out)["models"] if out else []
        found.append((err, [(one["name"], round(one["cost"], 6)) for one in models]))
    assert found[1] == found[2] and found[0][0] == found[1][0]
    if not way_out:
        assert [name for name, _ in found[0][1]] == [name for name, _ in found[1][1]] == ["a", "b"]


def test_a_part_of_a_forecast_is_no_model(capsys, tmp_path):
    """Prophet writes its trend with ends of its own."""
    table = pd.DataFrame({"y": RNG.normal(10, 1, N)})
    for name in ("yhat", "trend", "weekly"):
        table[f"{name}_lower"], table[f"{name}_upper"] = table["y"] - 1, table["y"] + 1
    table.to_csv(tmp_path / "p.csv", index=False)
    words = ["--truth", "y", "--decision", "orders", "--ratio", "2:9", "--coverage", "80", "--json"]
    assert command.main(["compare", str(tmp_path / "p.csv"), *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [model["name"] for model in found["models"]] == ["yhat"]
    assert found["left_out"]["trend_lower"] == "not read"
