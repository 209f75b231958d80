"""The bench: a page element that scores the reader's own file in the browser.

Implements appendices H, I.3 and L of the PWU paper, for readers with a file and a browser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from pwu_lite.app import beliefs, page
from pwu_lite.app.picture import axis_of
from pwu_lite.families import BinaryDecision, SelectivePrediction, TopK
from pwu_lite.priors import Beta, LogNormal
from pwu_lite.pwu import PWU
from pwu_lite.reporting._rules import RULES
from pwu_lite.reporting.card import metric_card

__all__ = ["Bench"]

FOLDER = Path(__file__).parent
WORK = ("draws", "priors", "read", "score", "compare", "work")
SHOWN = ("log_loss", "brier_score", "zero_one_loss", "expected_calibration_error", "retention_auc",
         "error_detection_auroc", "gaussian_nll", "mean_squared_error", "crps_gaussian")
TOO_MANY = "too much for this page: use python -m pwu_lite compare (it takes the same file), or a sample of the rows"


PLACE = '<div class="explorer bench">@BODY@</div>'


class Bench:
    """Drop a CSV file, answer two questions: models in order, with intervals, computed in the browser.

    Every number is the one that `pwu_lite.compare` gives for the same file, the resamples included: the script draws
    numpy's random numbers. Nothing is sent anywhere.

    Parameters
    ----------
    examples : mapping of str to dict, optional
        Words of a button to ``{"file": name, "table": DataFrame, "choice": {...}}``: what pressing it loads, and what
        is chosen then (``kind``, ``truth``, ``event``, ``low``, ``high``, ``source``).

    Raises
    ------
    ValueError
        An example without a table.

    Examples
    --------
    >>> page = Bench()._repr_html_()
    >>> 'id="bench-result"' in page, len(page) < 200_000
    (True, True)
    """

    def __init__(self, examples: Mapping[str, Mapping[str, Any]] | None = None):
        self.examples = {str(name): dict(given) for name, given in (examples or {}).items()}
        for name, given in self.examples.items():
            if not isinstance(given.get("table"), pd.DataFrame):
                raise ValueError(f"example {name!r} needs a table, a DataFrame")

    def data(self) -> dict[str, Any]:
        """What the script holds: its worker, the examples, what metrics believe, and the card's sentences."""
        known = beliefs.BINARY | beliefs.REGRESSION
        metrics = {name: {"label": known[name].label, "lower": known[name].lower_is_better,
                          "belief": _first(beliefs.belief(name))} for name in SHOWN}
        examples = {name: {"file": given.get("file", "example.csv"), "table": given["table"].to_csv(index=False),
                           "choice": given.get("choice", {})} for name, given in self.examples.items()}
        return {"script": _rules() + _scripts(*WORK), "draws": _scripts("draws"), "examples": examples,
                "metrics": metrics,
                "cards": _cards(), "tooMany": TOO_MANY,
                "page": page.whole("@TITLE@", "@DECISION@", [f"<style>{_style()}</style>", PLACE])}

    def _repr_html_(self) -> str:
        held = json.dumps(self.data(), allow_nan=False).replace("<", "\\u003c")
        buttons = "".join(f'<button type="button" data-example="{escape(name)}">{escape(name)}</button>'
                          for name in self.examples)
        parts = {"@STYLE@": page.LANDSCAPE_STYLE + _style(), "@EXAMPLES@": buttons, "@DATA@": held,
                 "@SCRIPT@": page.LANDSCAPE + _read("page.js")}
        return re.sub("@[A-Z]+@", lambda found: parts[found.group()], _read("bench.html"))


def _style():
    return (FOLDER.parent / "explorers" / "explorer.css").read_text(encoding="utf-8") + _read("bench.css")


def _read(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def _scripts(*names):
    return "\n".join(_read(f"{name}.js") for name in names)


def _rules():
    """The judgement that the command line has too, and the axes of our families, for the scripts."""
    families = {"binary": BinaryDecision(), "selective": SelectivePrediction(), "topk": TopK()}
    axes = {name: axis_of(family) for name, family in families.items()}
    return f"const RULES = {json.dumps(RULES | {'axes': axes})};\n"


def _first(words):
    """The belief without its label, and without the counterexample."""
    return words.partition(": ")[2].partition(": with labels")[0].rstrip(".") + "."


def _cards():
    """The rows of the metric card that are the same for every prior of a decision."""
    scores = {"binary": PWU(BinaryDecision(), Beta(2, 10)), "selective": PWU(SelectivePrediction(), LogNormal(0, 1)),
              "top-k": PWU(TopK(), Beta(2, 10))}
    rows = ("Family", "Value", "Computation", "Properness", "Limits")
    return {name: {row: metric_card(score).rows[row] for row in rows} for name, score in scores.items()}
