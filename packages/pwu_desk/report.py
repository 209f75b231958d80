"""The report of a comparison, as one file: words, pictures, table and card.

Implements appendices H and L of the PWU paper.
"""

from __future__ import annotations

import datetime
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pwu_lite.families import BinaryDecision, SelectivePrediction
from pwu_lite.metrics import REGISTRY
from pwu_lite.pwu import PWU
from pwu_lite.reporting.card import metric_card
from pwu_lite.reporting.compare import ModelComparison
from pwu_lite.reporting.corp import decompose
from pwu_lite.reporting.words import at_a_glance, written

from . import page, votes
from .picture import picture_of
from .robust import PriorSet, judge

__all__ = ["as_page", "headline", "parts", "write"]

SPREADS = ("gaussian_nll", "mean_squared_error", "crps_gaussian")


def write(result: ModelComparison, path: Any, *, decision: str = "", source: str = "",
          statement: PriorSet | None = None, remarks: Sequence[str] = ()) -> None:
    """Write a report of one file that asks no other host for anything: words, pictures, table and card.

    Parameters
    ----------
    result : ModelComparison
        What `pwu_lite.compare` returned.
    path : str or path
        Path of the file, which is written whole or not at all. A link is followed.
    decision, source : str
        What the score is for, and where its prior comes from: for the card, see `pwu_lite.reporting.metric_card`.
    statement : PriorSet, optional
        What everybody agrees on about the decision parameter: the card then says what it decides alone.
    remarks : sequence of str
        Sentences about the file, such as what was left out of it; they stand at the end.

    Raises
    ------
    ValueError
        The path exists and is not a regular file, or it is the file that the forecasts came from; or the
        models were compared by tallies.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision, compare
    >>> y, models = [1, 0, 1, 0] * 20, {"sharp": [0.8, 0.3, 0.9, 0.2] * 20, "vague": [0.5] * 80}
    >>> result = compare(y, models, PWU(BinaryDecision(), Beta(2, 10)), n_resamples=200)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(result, f"{folder}/report.html", decision="whom to test")
    ...     "whom to test" in Path(folder, "report.html").read_text()
    True
    """
    _write_whole(path, as_page(decision, parts(result, decision, source, statement, remarks)), result.about.get("file"))


def as_page(decision: str, found: list[str]) -> str:
    """The parts of a report as a file.

    Examples
    --------
    >>> "<p>whom to test</p>" in as_page("whom to test", [])
    True
    """
    return page.whole("Models compared", decision, found)


def parts(result: ModelComparison, decision: str = "", source: str = "", statement: PriorSet | None = None,
          remarks: Sequence[str] = ()) -> list[str]:
    """The report's parts as HTML: of each score its name, the answer, the picture, the table, then the rest.

    Parameters
    ----------
    result, decision, source, statement, remarks
        As `write` takes them.

    Raises
    ------
    ValueError
        The models were compared by tallies.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision, compare
    >>> y, models = [1, 0, 1, 0] * 20, {"sharp": [0.8, 0.3, 0.9, 0.2] * 20, "vague": [0.5] * 80}
    >>> parts(compare(y, models, PWU(BinaryDecision(), Beta(2, 10)), n_resamples=200))[1]
    '<p class="headline">sharp costs less than vague.</p>'
    """
    if result.data is None:
        raise ValueError("a report needs the cases, which a tally does not keep: compare a sample of "
                         "the cases")
    judged, source_file = judge(result, statement), result.about.get("file")
    found: list[str] = []
    for name, score in result.scores.items():
        table = judged.loc[name] if isinstance(judged.index, pd.MultiIndex) else judged
        found += [f"<h2>{escape(name)}</h2>" if len(result.scores) > 1 else "",
                  f'<p class="headline">{escape(headline(table, result.about))}</p>']
        shown = (picture_of(score, *result.data, list(table.index), result.options) if isinstance(score, PWU) else
                 "this score is a function of the data, without a decision parameter")
        found += [page.picture(shown), page.glance(at_a_glance(table, result.about)),
                  *page.answer(result.said(name)), page.numbers(table)]
        if isinstance(score, PWU):
            card = metric_card(score, decision=decision, source=source, comparison=table)
            found += _beside(score, result, table)
            found += ["<h2>What the score believes</h2>", card._repr_html_()]
    read = [f"File {source_file}, read on {datetime.date.today():%d %B %Y}."] if source_file else []
    return found + [f"<p>{escape(note)}</p>" for note in (*result.notes, *read, *remarks)]


def _beside(score, result, costs):
    """What the cost is made of, and what conventional metrics say, for probabilities and for means with a spread."""
    (y, forecasts), weight = result.data, result.options.get("sample_weight")
    names = list(costs.index)
    parts: list[str] = []
    if type(score.family) is BinaryDecision and score.priors[0].length is None:
        rows = {name: decompose(score, y, forecasts[name][0], sample_weight=weight) for name in names}
        table = pd.DataFrame.from_dict(rows, orient="index", columns=["cost", "miscalibration", "discrimination",
                                                                      "uncertainty"])
        parts += ["<h2>What the cost is made of</h2>", page.numbers(table), "<p>Cost = miscalibration - discrimination "
                  "+ uncertainty. The first can be repaired without a new model (here by isotonic regression on these "
                  "very labels), the second is what the model knows, the third is the cost of the base rate.</p>"]
    found = votes.scores(result, score)
    if isinstance(score.family, SelectivePrediction):
        found = {kind.label: {name: kind(y, *forecasts[name], sample_weight=weight) for name in names}
                 for kind in (REGISTRY["regression", name] for name in SPREADS)}
    if found:
        table, first = pd.DataFrame.from_dict(found, orient="index")[names], votes.votes(found)
        least = costs["cost"].index[np.isclose(costs["cost"], costs["cost"].min(), rtol=1e-12, atol=1e-15)]
        told = votes.said(first, str(least[0])) if len(names) > 1 and len(least) == 1 else ""
        parts += ["<h2>What common scores say</h2>", f"<p>{escape(told)}</p>", page.numbers(table),
                  "<p>Each of them implies costs of its own, or none: "
                  f"pwu explain {'log_loss' if 'Log loss' in found else SPREADS[0]} says which.</p>"]
    return parts


def _write_whole(path, text, keep):
    """Write a file whole or not at all; `keep` is a file that must not be written over. A link is followed."""
    target = Path(path).resolve()
    if target.is_dir():
        raise ValueError(f"{path} is a folder: name a file")
    if target.exists() and not target.is_file():
        raise ValueError(f"{path} is not a regular file: name a file")
    if keep not in (None, "-") and target.exists() and Path(keep).exists() and os.path.samefile(target, keep):
        raise ValueError(f"{path} is the input file: name another file for the report")
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    if mode is not None and not mode & 0o222:
        raise ValueError(f"{path} is read-only: name another file")
    handle, part = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(part, 0o644 if mode is None else mode)
        os.replace(part, target)
    finally:
        Path(part).unlink(missing_ok=True)


def headline(table: pd.DataFrame, about: Mapping[str, Any]) -> str:
    """The answer in one short sentence: which model costs less, or that it is not decided, and what would decide it.

    Parameters
    ----------
    table : DataFrame
        The table of one `compare`.
    about : mapping
        ``unit`` of cases needed.

    Examples
    --------
    >>> table = pd.DataFrame([[0.2, "best", np.nan], [0.3, "not separable", 4012]], ["a", "b"],
    ...                      ["cost", "verdict", "cases needed"])
    >>> headline(table, {"unit": "cases"})
    'Not decided between a and b: about 4,000 cases would tell.'
    >>> headline(table.replace("not separable", "costlier"), {"unit": "cases"})
    'a costs less than b.'
    """
    first = table.index[table["verdict"].isin(["best", "reference"])][0]
    rivals = table.drop(index=first)
    cheaper, like = (rivals[rivals["verdict"].isin(kinds)] for kinds in (["cheaper"], ["not separable", "undefined"]))
    if rivals.empty:
        return f"{first} has no rival in this file."
    gains = "earns" if table["cost"].max() < 0 else "costs"
    less = "more" if gains == "earns" else "less"
    if len(cheaper):
        return f"{_listed(cheaper.index)} {gains if len(cheaper) == 1 else gains[:-1]} {less} than {first}."
    if like.empty:
        return f"{first} {gains} {less} than {rivals.index[0] if len(rivals) == 1 else 'each of the others'}."
    names = [str(name) for name in (first, *like.index)]
    between = f"between {_listed(names)}" if len(names) <= 3 else f"among {written(len(names))} models"
    needed = like["cases needed"].max(skipna=False)
    tell = (f": about {float(f'{needed:.2g}'):,.0f} {about['unit']} would tell" if np.isfinite(needed) and needed < 1e9
            else "")
    return f"Not decided {between}{tell}."


def _listed(names: Iterable[Any]) -> str:
    *rest, last = map(str, names)
    return f"{', '.join(rest)} and {last}" if rest else last
