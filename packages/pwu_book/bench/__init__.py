"""The bench: the package's command line, in the page, on the reader's own file.

Implements appendices H, I.3 and L of the PWU paper, for readers with a file and a browser.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from pwu_desk import command, large
from pwu_lite.reporting.rules import RULES

__all__ = ["Bench", "answer"]

FOLDER = Path(__file__).parent
STYLE = (FOLDER.parent / "operated.css").read_text(encoding="utf-8")


def answer(words: Sequence[str]) -> str:
    """What the command line says to these words, and its report: JSON with ``code``, ``said``, ``wrong``, ``report``.

    Parameters
    ----------
    words : sequence of str
        As after ``pwu``; the second one names the file.

    Examples
    --------
    >>> json.loads(answer(["compare", "nowhere.csv", "--ratio", "3:30"]))["code"]
    2
    """
    said, wrong, report = io.StringIO(), io.StringIO(), Path("report.html")
    report.unlink(missing_ok=True)
    whole = "--json" not in words and Path(words[1]).exists() and not large.is_large(words[1])
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        try:
            code = command.main([*words, *(["--html", str(report)] if whole else [])])
        except SystemExit as ended:  # words that the command does not know
            code = int(ended.code or 0)
    return json.dumps({"code": code, "said": said.getvalue(), "wrong": wrong.getvalue(),
                       "report": report.read_text(encoding="utf-8") if whole and not code else ""})


class Bench:
    """Drop a CSV file, say what a mistake costs: which model is cheaper, computed in the page by the package itself.

    Nothing is sent anywhere. Without live cells the element writes the command to run.

    Parameters
    ----------
    examples : mapping of str to dict, optional
        Words of a button to ``{"file": name, "table": DataFrame, "choice": {...}}``: what pressing it loads, and what
        is chosen then (names of fields, as ``decision``, ``truth``, ``event``, ``low``, ``high``).

    Raises
    ------
    ValueError
        An example without a table.

    Examples
    --------
    >>> "Your file" in Bench()._repr_html_()
    True
    """

    def __init__(self, examples: Mapping[str, Mapping[str, Any]] | None = None):
        self.examples = dict(examples or {})
        for name, given in self.examples.items():
            if not isinstance(given.get("table"), pd.DataFrame):
                raise ValueError(f"example {name!r} needs a table, a DataFrame")

    def data(self) -> dict[str, Any]:
        """What the script holds: the examples, and the names that are taken for the outcome."""
        examples = {name: {"file": given.get("file", "example.csv"), "table": given["table"].to_csv(index=False),
                           "choice": given.get("choice", {})} for name, given in self.examples.items()}
        return {"examples": examples, "outcomes": list(RULES["outcomes"])}

    def _repr_html_(self) -> str:
        held = json.dumps(self.data(), allow_nan=False).replace("<", "\\u003c")
        buttons = "".join(f'<button type="button" data-example="{escape(name)}">{escape(name)}</button>'
                          for name in self.examples)
        parts = {"@STYLE@": STYLE + _read("bench.css"), "@EXAMPLES@": buttons, "@DATA@": held,
                 "@SCRIPT@": _read("page.js")}
        return re.sub("@[A-Z]+@", lambda found: parts[found.group()], _read("bench.html"))


def _read(name):
    return (FOLDER / name).read_text(encoding="utf-8")
