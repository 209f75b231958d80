"""The bench: the package's command line, in the page, on the reader's own file.

Implements appendices H, I.3 and L of the PWU paper, for readers with a file and a browser.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pwu_desk import as_labels, boards, command, large, page, report, request
from pwu_desk.as_labels import key
from pwu_lite.families import BinaryDecision
from pwu_lite.priors import Beta
from pwu_lite.reporting.rules import RULES
from pwu_lite.reporting.words import at_a_glance

__all__ = ["Bench", "answer", "look"]

FOLDER = Path(__file__).parent
STYLE = (FOLDER.parent / "operated.css").read_text(encoding="utf-8")


ENDS = (*request.RANGES, "worth")
FIELDS = {**{name: f"the field {name.capitalize()}" for name in ("decision", "event", "models", "groups", "weights",
                                                                 "costs")},
          "truth": "the field Outcome", **dict.fromkeys(ENDS, "the fields at least and at most")}
ASKED = {  # of each decision: the question, its unit, two ends as an example, the option that takes them
    "binary": ("How many false alarms does a miss cost, nine times out of ten?", "false alarms", "3", "30", "ratio"),
    "selective": ("How large an error costs as much as passing, nine times out of ten?", "in the outcome's unit", "",
                  "", "error"),
    "top-k": ("Which share of the cases do you pick, nine times out of ten?", "of the cases", "1%", "10%", "share"),
    "orders": ("How many units left over does a unit short cost, nine times out of ten?", "units", "2", "9", "ratio"),
    "acts": ("What is the price in your table of costs, nine times out of ten? Leave both empty if none has one.", "",
             "", "", "range"),
    "board": ("What is a solved task worth to you, at least and at most?", "in the unit of the cost", "1", "50",
              "worth"),
    "answers": ("How many right answers does a wrong one cost, nine times out of ten?", "right answers", "1", "9",
                "ratio")}
MOST_DOUBT = 20_000  # cases up to which the instrument shows the range, and not only one ratio at a time
PAIR = ('<p class="note">These are the two models that cost least, compared as if there were no other. The sentences '
        "below speak of all models together.</p>")


def look(name: str) -> str:
    """What the package reads of a file before anything is asked, as JSON.

    ``columns``, the ``first`` rows as text, the number of ``rows`` (None of a large file), for each column of two
    ``labels`` both of them and the event (None: it must be said), the likely ``outcome`` and ``decision``; or what is
    ``wrong``.

    Parameters
    ----------
    name : str
        Of a file.

    Examples
    --------
    >>> json.loads(look("nowhere.csv"))["wrong"]
    "No file 'nowhere.csv'."
    """
    try:
        is_large = large.is_large(name)
        frame = next(large.pieces(name), pd.DataFrame()) if is_large else boards.rows(name)
    except FileNotFoundError:
        return json.dumps({"wrong": f"No file {name!r}."})
    except (ValueError, OSError, ImportError) as error:
        return json.dumps({"wrong": _sentence(str(error))})
    labels = {column: found for column in frame.columns if (found := _labels(frame, column))}
    likely = [str(column) for column in frame.columns if str(column).lower() in RULES["outcomes"]]
    two = [column for column in likely if column in labels] or likely
    first = frame.head(3).astype(object).where(frame.head(3).notna(), "").map(str)
    return json.dumps({"columns": [str(column) for column in frame.columns], "first": first.to_numpy().tolist(),
                       "rows": None if is_large else len(frame), "labels": labels,
                       "outcome": two[0] if len(two) == 1 else "", "wrong": "",
                       "decision": "board" if boards.is_board(frame) else "binary"})


def _labels(frame, column):
    """Both labels of a column that has two, and which of them is the event."""
    kinds = sorted({key(kind) for kind in frame[column].dropna().unique()[:3]})
    if len(kinds) != 2:
        return None
    try:
        return {"labels": kinds, "event": key(as_labels.labels(frame, column)[0])}
    except ValueError:
        return {"labels": kinds, "event": None}


def answer(words: Sequence[str], more: str = "") -> str:
    """What the command line finds for these words, in each form that the page shows and saves, as JSON.

    ``code``; ``wrong``, with the form's words for its options, the ``field`` that it speaks of, and ``answers``, the
    options that it offers; ``shown`` (HTML, the answer first), ``said`` (as a terminal prints it), ``json`` and
    ``report`` (a page).

    Parameters
    ----------
    words : sequence of str
        As after ``pwu``; the second one names the file.
    more : str
        Further options, as they are written in a shell.

    Examples
    --------
    >>> found = json.loads(answer(["compare", "nowhere.csv", "--ratio", "3:30"]))
    >>> found["code"], found["wrong"]
    (2, "No file 'nowhere.csv'.")
    """
    wrong = io.StringIO()
    found: list[Any] = []
    with contextlib.redirect_stderr(wrong), contextlib.redirect_stdout(wrong):  # --help is a page of words
        try:
            code = command.main([*words, *shlex.split(more)], found.append)
        except SystemExit as ended:  # words that the command does not know
            code = int(ended.code or 0)
        except ValueError as error:  # of the further options, a quote that does not end
            wrong.write(f"the other options cannot be read: {error}")
            code = 2
    if code or not found or not isinstance(found[0], command.Answer | command.Standing):
        return json.dumps({"code": code, "said": "".join(map(str, found)), **_refused(wrong.getvalue())})
    one = found[0]
    if isinstance(one, command.Standing):
        return json.dumps({"code": 0, "wrong": "", "answers": [], "said": one.text(), "json": one.json(),
                           "shown": _standing(one), "report": ""})
    parts = None if one.result.data is None else report.parts(one.result, **one.report())
    return json.dumps({"code": 0, "wrong": "", "answers": [], "said": one.text(), "json": one.json(),
                       "shown": _shown(one, parts), "report": parts and report.as_page(one.decision, parts)})


def _shown(one, parts):
    """The answer, then the instrument of the front page where it can be drawn, then all else."""
    if parts is None:  # from a file that was read in pieces
        table = page.glance(at_a_glance(one.result.table, one.result.about))
        words = page.answer([*one.result.words, one.read, *one.remarks])
        said = escape(report.headline(one.result.table, one.result.about))
        return "\n".join([f'<p class="headline">{said}</p>', table, *words])
    head, answered, picture, *rest = parts
    if drawn := _instrument(one):
        picture = f'{drawn}<details class="aside"><summary>every model, with its interval</summary>{picture}</details>'
    return "\n".join([head, answered, picture, *rest])


def _standing(one):
    """Of a board: who may be the best at both ends, a row for each model, a sentence for each stretch."""
    shown, words = one.board, one.board.words
    head = words[0] if len(words) == 1 else f"{words[0]} {words[-1]}"
    values = np.log(shown.cost.index.to_numpy(float))
    edges = np.r_[values[0], (values[1:] + values[:-1]) / 2, values[-1]]
    share = (edges - edges[0]) / (edges[-1] - edges[0]) * 100 if len(values) > 1 else np.array([0.0, 100.0])
    cheapest = shown.cost.idxmin(axis=1)
    order = sorted(shown.cost, key=lambda name: (-(cheapest == name).sum(), -shown.may_be_best[name].sum()))
    first, last = (boards.amount(shown.cost.index[end]) for end in (0, -1))
    ends = f"{first} to {last}, by ratio" if len(values) > 1 else first
    rows = "".join(f'<tr><th>{escape(str(name))}</th><td class="num">{escape(one.ranks.loc[name, "solved"])}</td>'
                   f'<td class="num">{escape(one.ranks.loc[name, "cost of a task"])}</td><td class="band">'
                   f"{_band(share, shown.may_be_best[name], cheapest == name)}</td></tr>" for name in order)
    return "\n".join([
        f'<p class="headline">{escape(head)}</p>', '<div class="wide" tabindex="0"><table class="standing"><thead><tr>'
        f"<th></th><th>solved</th><th>cost of a task</th><th>worth of a solved task, {ends}</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>", '<p class="note">Pale: may be the best there, 95% sure. Dark: the '
        "cheapest on these tasks.</p>", *page.answer([*words, one.read])])


def _band(share, kept, best):
    """A bar over all values: pale where the model may be the best, dark where it is the cheapest."""
    marks = []
    for kind, where, y in (("pale", kept, 0), ("dark", best, 3)):
        ends = np.flatnonzero(np.diff(np.r_[False, where, False]))  # where runs of values begin and have ended
        marks += [f'<rect x="{share[first]:.2f}" width="{share[last] - share[first]:.2f}" y="{y}" '
                  f'height="{12 - 2 * y}" class="{kind}"/>' for first, last in ends.reshape(-1, 2)]
    return f'<svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">{"".join(marks)}</svg>'


def _instrument(one):
    """Costs of the two models that cost least, where a miss has a price and all cases count alike; or nothing."""
    result = one.result
    score, options = next(iter(result.scores.values())), result.options
    known = isinstance(score.family, BinaryDecision) and score.priors[0].length is None
    if not known or len(result.table) < 2 or options.get("groups") is not None or options.get(
            "sample_weight") is not None:
        return ""
    from pwu_book import instrument

    y, forecasts = result.data
    prior, widths = score.priors[0], {"not at all": 0.0}
    ratios = [float(f"{(1 - c) / c:.3g}") for c in prior.ppf(np.array([0.95, 0.5, 0.05]))]
    start = ratios[1]
    if isinstance(prior, Beta) and len(y) <= MOST_DOUBT:  # it opens at the prior itself
        start = prior.b / prior.a
        widths = {"as you said": ((prior.a + prior.b) / (prior.a * prior.b)) ** 0.5, **widths}
    drawn = instrument.hill(y, {str(name): forecasts[name][0] for name in result.table.index[:2]}, plates=True,
                            start=start, ratios=list(dict.fromkeys(ratios)), widths=widths)._repr_html_()
    return drawn + (PAIR if len(result.table) > 2 else "")


def _refused(said):
    """The last line of what was said, as a sentence; what its options are called here; the options with a value."""
    last = re.sub(r"^pwu(?: [a-z]+)?: (?:error: )?", "", (said.strip().splitlines() or [""])[-1])
    named = list(dict.fromkeys(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", last)))
    fields = [f"--{name} is {FIELDS[name]}" for name in named if name in FIELDS]
    others = [f"--{name}" for name in named if name not in FIELDS and not last.startswith("unrecognized")]
    fields += [f"{' and '.join(others)} can be written under Other options"] if others else []
    offered = [] if last.startswith("unrecognized") else request.offers(last)
    answers = [[name, shlex.split(value)[0].rstrip(".?")] for name, value in offered]
    return {"wrong": _sentence(last) + (f" ({'; '.join(fields)}.)" if fields else ""),
            "field": next(("low" if name in ENDS else name for name in named if name in FIELDS), ""),
            "answers": [[name, value] for name, value in answers if not value.isupper() and "LOW" not in value]}


def _sentence(text):
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


class Bench:
    """Drop a CSV file, say what a mistake costs: which model is cheaper, computed in the page by the package itself.

    Nothing is sent anywhere. Without live cells the element is the command to run.

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
        """What the script holds: the questions and the examples."""
        examples = {name: {"file": given.get("file", "example.csv"), "table": given["table"].to_csv(index=False),
                           "choice": given.get("choice", {})} for name, given in self.examples.items()}
        return {"asked": ASKED, "examples": examples}

    def _repr_html_(self) -> str:
        held = json.dumps(self.data(), allow_nan=False).replace("<", "\\u003c")
        buttons = "".join(f'<button type="button" data-example="{escape(name)}">{escape(name)}</button>'
                          for name in self.examples)
        parts = {"@STYLE@": STYLE + page.LANDSCAPE_STYLE + _read("bench.css"), "@EXAMPLES@": buttons, "@DATA@": held,
                 "@SCRIPT@": _read("page.js")}
        return re.sub("@[A-Z]+@", lambda found: parts[found.group()], _read("bench.html"))


def _read(name):
    return (FOLDER / name).read_text(encoding="utf-8")
