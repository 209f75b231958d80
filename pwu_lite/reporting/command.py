"""The command line: from a file of outcomes and forecasts to the model that is cheaper for a decision.

Imports beliefs, card, compare, files, elicitation, families, priors, pwu, robust; numpy, pandas.
Implements appendices H and L of the PWU paper.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import elicitation
from ..families import BinaryDecision, SelectivePrediction, TopK
from ..priors import Beta, Dirac
from ..pwu import PWU
from ..robust import Quantiles
from . import beliefs, files
from .card import metric_card
from .compare import compare

__all__ = ["main"]

EXAMPLES = """examples:
  python -m pwu_lite compare predictions.csv --truth y --ratio 3:30
  python -m pwu_lite compare predictions.csv --truth y --ratio 3:30 --groups patient --html report.html
  cat predictions.csv | python -m pwu_lite compare - --truth outcome --event malignant --ratio 5:50 --json
  python -m pwu_lite compare houses.csv --truth price --decision selective --error 2:20
  python -m pwu_lite compare leads.csv --truth bought --decision top-k --share 1%:10%
  python -m pwu_lite explain log_loss
"""
WIDTH = 80
RANGES = {"binary": "ratio", "selective": "error", "top-k": "share"}  # the option that says what a decision costs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0, or 2 with one line on standard error for what cannot be used."""
    given = _parser().parse_args(arguments)
    try:
        print(given.run(given))
    except (ValueError, OSError, ImportError) as error:
        print(f"pwu_lite {given.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0


def _parser():
    parser = argparse.ArgumentParser("python -m pwu_lite", epilog=EXAMPLES, description=(
        "Which forecast is cheaper for a decision, and how sure is that? From a CSV or Parquet file."),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run, words in (("compare", _compare, "models beside each other, with intervals"),
                             ("score", _score, "the loss of each model, a number each"),
                             ("card", _card, "what a score believes, as a card")):
        one = commands.add_parser(name, help=words, description=words, epilog=EXAMPLES,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
        one.set_defaults(run=run)
        if name != "card":
            _add_data(one)
        _add_decision(one)
        if name == "compare":
            one.add_argument("--groups", help="column of patients, sites or days: resampled whole")
            one.add_argument("--resamples", type=int, default=1000)
            one.add_argument("--seed", type=int, default=0)
            one.add_argument("--html", help="write a report of one file")
            one.add_argument("--json", action="store_true", help="print JSON")
    one = commands.add_parser("explain", help="what a common metric believes about costs")
    one.add_argument("score", help=f"one of {', '.join(beliefs.KNOWN)}")
    one.set_defaults(run=_explain)
    return parser


def _add_data(parser):
    parser.add_argument("file", help="CSV or Parquet; - for standard input")
    parser.add_argument("--truth", required=True, help="column of outcomes")
    parser.add_argument("--event", help="the label that counts as the event")
    parser.add_argument("--models", help="columns of forecasts, separated by commas; all other columns of numbers, "
                        "if not given; for selective, columns NAME_mean and NAME_std")
    parser.add_argument("--weights", help="column of case weights")


def _add_decision(parser):
    parser.add_argument("--decision", choices=["binary", "selective", "top-k"], default="binary")
    parser.add_argument("--ratio", help="binary: a miss costs LOW:HIGH false alarms, in nine cases of ten")
    parser.add_argument("--error", help="selective: passing costs as much as an error of LOW:HIGH, in nine of ten")
    parser.add_argument("--share", help="top-k: the share of cases picked, LOW:HIGH, in nine of ten")
    parser.add_argument("--prior", help="binary or top-k: A,B of a Beta prior, instead of a range")
    parser.add_argument("--cost-share", help="binary: column with each case's own cost share of a false alarm, instead")


def _range(name, text):
    parts = [part.strip() for part in str(text).split(":")]
    try:
        low, high = (float(part.rstrip("%")) / (100 if part.endswith("%") else 1) for part in parts)
    except ValueError:
        raise ValueError(f"--{name} must be LOW:HIGH, as in --{name} 3:30, got {text!r}") from None
    if not 0 < low < high < (1 if name == "share" else np.inf):
        raise ValueError(f"--{name} must have 0 < LOW < HIGH{', below one: write 1%:10%' if name == 'share' else ''}, "
                         f"got {text!r}")
    return low, high


def _asked(given, frame: pd.DataFrame | None = None) -> PWU:
    """The score that the options ask for."""
    if given.cost_share is not None:
        return _each_its_own(given, frame)
    family = {"binary": BinaryDecision(), "selective": SelectivePrediction(), "top-k": TopK()}[given.decision]
    wanted = RANGES[given.decision]
    for name in sorted({*RANGES.values()} - {wanted}):
        if getattr(given, name) is not None:
            raise ValueError(f"--{name} is not for --decision {given.decision}; use --{wanted} LOW:HIGH")
    text = getattr(given, wanted)
    if given.prior is not None and text is None and given.decision != "selective":
        try:
            a, b = (float(part) for part in given.prior.split(","))
        except ValueError:
            raise ValueError(f"--prior must be A,B, as in --prior 2,10, got {given.prior!r}") from None
        return PWU(family, Beta(a, b))
    if text is None or given.prior is not None:
        raise ValueError(f"say what the decision costs with --{wanted} LOW:HIGH"
                         + (" or --prior A,B, one of them" if given.decision != "selective" else ""))
    fit = elicitation.lognormal_from_quantiles if given.decision == "selective" else elicitation.beta_from_quantiles
    return PWU(family, fit(*_ends(given)))


def _each_its_own(given, frame):
    """A point mass for each case, from a column."""
    other = given.prior or any(getattr(given, name) for name in RANGES.values())
    if frame is None or given.decision != "binary" or other:
        raise ValueError("--cost-share is for compare and score of binary decisions, without --ratio and --prior")
    return PWU(BinaryDecision(), Dirac(files.numbers(frame, given.cost_share, above=0, below=1)))


def _special(given):
    return {given.truth, given.weights, given.cost_share, getattr(given, "groups", None)}


def _data(given, frame):
    """Outcomes, and forecasts by model."""
    named = [name.strip() for name in given.models.split(",")] if given.models else None
    special = _special(given)
    if given.decision == "selective":
        found = files.pairs([str(name) for name in frame.columns if name not in special])
        missing = [name for name in named or [] if name not in found]
        if missing or not found:
            raise ValueError(f"a model needs columns NAME_mean and NAME_std; found for: {', '.join(found) or 'none'}")
        models = {name: tuple(files.numbers(frame, column) for column in found[name]) for name in named or found}
        return files.numbers(frame, given.truth), models
    y = files.events(frame, given.truth, given.event)
    names = named or [name for name in frame.columns if name not in special and _may_be_forecast(frame, name)]
    if not names:
        raise ValueError("no column looks like probabilities; name them with --models A,B")
    return y, {str(name): files.probabilities(frame, name) for name in names}


def _may_be_forecast(frame, name):
    """Numbers between zero and one, and not only those two: a column of flags has to be asked for by name.

    One with gaps may be, too: it is refused where it is read, with the line.
    """
    try:
        values = files.numbers(frame, name)
    except ValueError:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            return False
        values = frame[name].dropna().to_numpy(dtype=float)
    return bool(values.size and values.min() >= 0 and values.max() <= 1 and not np.isin(values, (0, 1)).all())


def _weights(given, frame):
    return None if given.weights is None else files.numbers(frame, given.weights, least=0)


def _compare(given):
    frame = files.read_table(given.file)
    score = _asked(given, frame)
    y, models = _data(given, frame)
    groups = None if given.groups is None else files.column_of(frame, given.groups).to_numpy()
    result = compare(y, models, score, groups=groups, sample_weight=_weights(given, frame),
                     n_resamples=given.resamples, seed=given.seed, statement=_statement(given))
    if given.html:
        if not Path(given.html).absolute().parent.is_dir():
            raise ValueError(f"there is no folder {Path(given.html).parent}")
        result.to_html(given.html, decision=_words(given), source="stated on the command line")
    if given.json:
        return json.dumps(_as_json(given, score, result), allow_nan=False, indent=1)
    parts = [_asked_words(given, score), _taken(given, frame, y, models), _lines(result.table),
             "\n".join(_wrapped(line) for line in result.words), _wrapped(result.notes[0])]
    return "\n\n".join(parts) + (f"\nReport: {given.html}" if given.html else "")


def _taken(given, frame, y, models):
    """What was read, in words: cases, events, models, and columns that nobody named and that are no forecasts."""
    said = f"{len(y)} cases"
    if given.decision != "selective":
        label = frame[given.truth].to_numpy()[int(np.argmax(y))]
        said += f", {int(y.sum())} events ({given.truth} = {label})"
    said += f"; models: {', '.join(models)}."
    special = _special(given)
    left = [name for name in frame.columns if name not in special and str(name) not in models]
    if left and not given.models and given.decision != "selective":
        said += f" Left out: {', '.join(f'{name} ({_reason(frame, name)})' for name in left)}. Choose with --models."
    return _wrapped(said)


def _reason(frame, name):
    """Why a column is not taken for a forecast."""
    try:
        values = files.numbers(frame, name)
    except ValueError as error:
        return str(error).split(", column")[0] + " is no number" if "line" in str(error) else "no numbers"
    outside = np.flatnonzero((values < 0) | (values > 1))
    if not outside.size:
        return "zeros and ones only"
    return f"line {files.line_of(frame, outside[0])} is {values[outside[0]]:.8g}"


def _statement(given):
    """What the two ends of a range say alone: a twentieth of the decision makers below, a twentieth above."""
    if getattr(given, RANGES[given.decision]) is None:
        return None
    low, high = _ends(given)
    return Quantiles({low: 0.05, high: 0.95})


def _ends(given):
    """The stated range, in the decision's own parameter."""
    low, high = _range(RANGES[given.decision], getattr(given, RANGES[given.decision]))
    if given.decision == "binary":
        return 1 / (1 + high), 1 / (1 + low)
    return (low, high) if given.decision == "top-k" else (low**2, high**2)


def _words(given):
    if given.cost_share is not None:
        return f"each case has its own cost share of a false alarm, column {given.cost_share}"
    wanted = RANGES[given.decision]
    text = getattr(given, wanted)
    if text is None:
        return f"{given.decision}, prior Beta({given.prior})"
    return {"binary": f"a miss costs {text} false alarms, in nine cases of ten",
            "selective": f"passing costs as much as an error of {text}, in nine cases of ten",
            "top-k": f"a share of {text} of the cases is picked, in nine cases of ten"}[given.decision].replace(
                ":", " to ")


def _asked_words(given, score):
    prior = score.priors[0]
    said = "" if prior.length is not None else f" Prior: {_said(prior)}, median {float(prior.ppf(0.5)):.3g}."
    return _wrapped(f"Decision: {_words(given)}.{said} Cost: lower is better.")


def _wrapped(text):
    return textwrap.fill(text, WIDTH)


def _number(value):
    return "" if pd.isna(value) else f"{value:.4g}"


def _lines(table):
    """A row a model, within 80 columns."""
    wide = min(22, max(map(len, table.index)))
    head = f"{'model':<{wide}}  {'cost':>9}  {'95% interval':>20}  {'verdict':<13}  {'cases':>7}"
    lines = [head, "-" * len(head)]
    for name, row in table.iterrows():
        short = name if len(name) <= wide else name[:wide - 1] + "~"
        ends = f"{_number(row['low'])} to {_number(row['high'])}"
        needed = row["cases needed"]
        cases = "" if pd.isna(needed) else f"{needed:.0f}" if needed < 1e7 else ">10 mio"
        cost = _number(row["cost"])
        lines.append(f"{short:<{wide}}  {cost:>9}  {ends:>20}  {row['verdict']:<13}  {cases:>7}".rstrip())
    return "\n".join([*lines, "cases: so many would tell the two apart in four samples of five"])


def _as_json(given, score, result):
    prior = score.priors[0]
    shape = ({"column": given.cost_share} if prior.length is not None else {"a": prior.a, "b": prior.b}
             if isinstance(prior, Beta) else {"mu": prior.mu, "sigma": prior.sigma})
    models = [{"name": name, **{key: _plain(value) for key, value in row.items()}}
              for name, row in result.table.iterrows()]
    return {"decision": given.decision, "prior": shape, "models": models, "words": result.words}


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else None if not np.isfinite(value) else float(value)


def _score(given):
    frame = files.read_table(given.file)
    score = _asked(given, frame)
    y, models = _data(given, frame)
    weights = _weights(given, frame)
    options = {} if weights is None else {"sample_weight": weights}
    losses = {name: score(y, *(parts if isinstance(parts, tuple) else (parts,)), **options)
              for name, parts in models.items()}
    rows = [f"{value:.6g}  {name}" for name, value in sorted(losses.items(), key=lambda item: item[1])]
    return "\n".join([_taken(given, frame, y, models), "Cost for each case, lower is better:", *rows])


def _card(given):
    return str(metric_card(_asked(given), decision=_words(given), source="stated on the command line"))


def _explain(given):
    return _wrapped(beliefs.belief(given.score))


def _said(prior):
    shape = (prior.a, prior.b) if isinstance(prior, Beta) else (prior.mu, prior.sigma)
    return f"{type(prior).__name__}({shape[0]:.4g}, {shape[1]:.4g})"
