"""The command line: from a file of outcomes and forecasts to the model that is cheaper for a decision.

Implements appendices H and L of the PWU paper.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwu_lite import elicitation
from pwu_lite.families import BinaryDecision
from pwu_lite.priors import Beta, Dirac
from pwu_lite.pwu import PWU
from pwu_lite.reporting import corp
from pwu_lite.reporting.compare import ModelComparison, compare
from pwu_lite.reporting.rules import RULES
from pwu_lite.reporting.words import at_a_glance, lines, wrapped

from . import as_labels, as_numbers, beliefs, doubts, evidence, files, large, options, report, votes
from .as_numbers import column_of, line_of
from .boards import ROLES, Board, amount, board, read_board, worths
from .events import Survey, doubted, label_of, read_events
from .recalibration import recalibrated
from .request import LISTED, RANGES, Finding, Found, Request, findings_of
from .robust import MissingLabels, Quantiles, judge, missing_labels
from .suggested import findings
from .tallies import compare_tallies
from .tally import Tally

__all__ = ["main"]

GATE = {"ship": 0, "keep": 1, "cannot tell": 3}  # exit status; 2 is for what cannot be used
BLOCKS = 100  # of tallies
MOST_PARTS = 100  # for which a sentence each is said


class Answer(NamedTuple):
    """What a comparison of the command line found, in every form in which it is told.

    Attributes
    ----------
    result : ModelComparison
    decision : str
        What was asked, in words.
    asked : str
        The same, with the prior and which users are counted as which.
    read : str
        What was read and what was left out.
    findings : list of Finding
        What is said of the file.
    numbers : dict
        What ``--json`` prints.
    statement : PriorSet or None
        What the range says alone.
    parts : dict
        With ``--by``, the same for the cases of each value.
    """

    result: ModelComparison
    decision: str
    asked: str
    read: str
    findings: list[Finding]
    numbers: dict[str, Any]
    statement: Quantiles | None
    parts: dict[str, str]

    @property
    def remarks(self) -> list[str]:
        """The sentences of the findings."""
        return [finding.sentence for finding in self.findings]

    def json(self) -> str:
        """The numbers, as ``--json`` prints them."""
        return json.dumps(self.numbers, allow_nan=False, indent=1)

    def text(self) -> str:
        """Question, what was read, table, sentences, remarks, as a terminal shows them."""
        result = self.result
        words = [wrapped(self.asked), wrapped(self.read), lines(result.table, result.about),
                 "\n".join(wrapped(line) for line in (*result.words, *self.remarks)), wrapped(result.notes[0])]
        return "\n\n".join([*words, *(["\n".join(map(wrapped, self.parts.values()))] if self.parts else [])])

    def markdown(self) -> str:
        """The decision, or the answer, and the table, for a pull request."""
        glance = at_a_glance(self.result.table, self.result.about)
        said = self.result.words[0] if "decided" in self.result.about else report.headline(self.result.table,
                                                                                    self.result.about)
        rows = [["model", *glance.columns], [":---", *["---:"] * len(glance.columns)],
                *([name, *row] for name, row in zip(glance.index, glance.to_numpy(), strict=True))]
        said = _in_a_cell(said)
        first = f"**{self.result.decision}**: {said}" if self.result.decision else f"**{said}**"
        return "\n".join([first, "", *(f"| {' | '.join(_in_a_cell(field) for field in row)} |" for row in rows), "",
                          f"{self.asked} {self.read}"])

    def report(self) -> dict[str, Any]:
        """What `pwu_desk.report` needs besides the result."""
        return {"decision": self.decision, "source": "stated with the request for this report",
                "statement": self.statement, "remarks": [self.read, *self.remarks]}


class Standing(NamedTuple):
    """What a board says, in every form in which it is told.

    Attributes
    ----------
    board : Board
    ranks : DataFrame
        How many tasks each model solves, and what one costs, as the board ranks them.
    read : str
        What was read and what was left out.
    """

    board: Board
    ranks: pd.DataFrame
    read: str

    def json(self) -> str:
        """The stretches, and the average bill at each worth."""
        rows = [{"low": low, "high": high, "may be best": names} for low, high, names in
                self.board.stretches.itertuples(index=False)]
        return json.dumps({"cases": self.board.cases, "read": self.read, "words": self.board.words,
                           "sure": self.board.sure, "stretches": rows,
                           "cost": {f"{at:g}": row.to_dict() for at, row in self.board.cost.iterrows()}}, indent=1)

    def text(self) -> str:
        """What was read, the board's own ranks, a sentence for each stretch."""
        return "\n\n".join([wrapped(self.read), self.ranks.to_string(),
                            "\n".join(map(wrapped, str(self.board).splitlines()))])

    def markdown(self) -> str:
        """A table of the stretches."""
        rows = [["worth of a solved task", "may be the best"], [":---", ":---"],
                *([amount(low) if low == high else f"{amount(low)} to {amount(high)}", ", ".join(names)]
                  for low, high, names in self.board.stretches.itertuples(index=False))]
        return "\n".join([*(f"| {' | '.join(map(_in_a_cell, row))} |" for row in rows), "",
                          f"{self.read} {self.board.sure}"])


def _in_a_cell(field):
    """Without what would end a cell of Markdown, or be read as markup."""
    return re.sub(r"([\\|`*_<\[])", r"\\\1", " ".join(str(field).split()))


def main(arguments: Sequence[str] | None = None, told: Callable[[Any], Any] | None = None) -> int:
    """Run the command line; returns 0, or 2 with one line on standard error if the input cannot be used.

    With ``--gate`` 0 means that a candidate may replace the model in use, 1 that none may, 3 that it cannot be told.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words of the command line; those of the process if not given.
    told : callable, optional
        Called with the answer (of a comparison an `Answer`, of a board a `Standing`), which is printed if not given.
    """
    given = options.parser().parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a pipe may know ASCII only
    try:
        answer = RUN[given.command](given)
        told(answer) if told else _tell(given, answer)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print(f"pwu {given.command}: interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        print(f"pwu {given.command}: not enough memory: use fewer rows, or name the models", file=sys.stderr)
        return 2
    except FileNotFoundError as error:
        print(f"pwu {given.command}: no file {error.filename!r}", file=sys.stderr)
        return 2
    except (ValueError, OSError, ImportError) as error:
        said = " ".join(str(error).split())
        if getattr(given, "json", False) and not told:
            print(json.dumps({"findings": [findings_of([said], refused=True)[0]._asdict()]}, indent=1))
        print(f"pwu {given.command}: {said}", file=sys.stderr)
        return 2
    return GATE[answer.result.decision] if isinstance(answer, Answer) and given.gate else 0


def _tell(given, answer):
    """Print it; the report is a file."""
    if isinstance(answer, str):
        print(answer)
        return
    if path := getattr(given, "html", None):
        report.write(answer.result, path, **answer.report())
    if given.json or given.markdown:
        print(answer.json() if given.json else answer.markdown())
    else:
        print(answer.text() + (f"\nReport: {path}" if path else ""))


def _range(name, text, most=np.inf):
    parts = [part.strip() for part in str(text).split(":")]
    parts = parts * 2 if len(parts) == 1 else parts
    if grouped := [part for part in parts if re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+%?", part)]:
        plain = grouped[0].replace(",", "")
        raise ValueError(f"--{name}: {grouped[0]} may be {plain}, or {grouped[0].replace(',', '.', 1)} with a decimal "
                         f"comma: write {plain}, or a point")
    try:
        low, high = (float(part.rstrip("%").replace(",", ".")) / (100 if part.endswith("%") else 1) for part in parts)
    except ValueError:
        raise ValueError(f"--{name} must be LOW:HIGH, as in --{name} 3:30, got {text!r}") from None
    if 0 < low == high < most:  # known
        return low, high
    if not 0 < low < high < most:
        bare = [part.rstrip("%") for part in dict.fromkeys(parts)]
        hint = f"; {low / high:g} to one is --{name} {low / high:g}" if most > 1 and low > high > 0 else ""
        percent = f", below one: write {'%:'.join(bare)}%" if most == 1 and low > 0 else ""
        raise ValueError(f"--{name} must have 0 < LOW < HIGH{percent}{hint}, got {text!r}")
    if high < RULES["least_range"] * low:
        raise ValueError(f"--{name}: {text} is too narrow for a range; HIGH must be at least 1% above LOW")
    return low, high


def _request(given):
    """The options as a request; a threshold is the ratio that everybody has."""
    typed = {part.name: getattr(given, part.name) for part in dataclasses.fields(Request)}
    asked = Request(**typed | {"file": given.file[0] if len(given.file) == 1 else given.file})
    _refuse_unused(asked)
    if asked.threshold is None or asked.cost_share is not None or asked.case_costs is not None:
        return asked
    if asked.decision != "binary" or asked.ratio is not None or asked.prior is not None:
        raise ValueError("--threshold is for binary decisions and cannot be combined with --ratio or --prior")
    share, high = _range("threshold", asked.threshold, 1)
    if share != high:
        raise ValueError("--threshold takes one number; for a range use --ratio LOW:HIGH")
    return dataclasses.replace(asked, ratio=f"{(1 - share) / share:.12g}")


def _score(file: Found, frame: pd.DataFrame) -> PWU:
    """The score that the options ask for."""
    asked = file.asked
    if asked.cost_share is not None or asked.case_costs is not None:
        return _each_its_own(file, frame)
    family, wanted, *_ = file.decided
    if not family.stated:
        if asked.prior or any(getattr(asked, name) for name in RANGES):
            raise ValueError(f"all costs in {asked.costs} are known: leave out the range and the prior, or write "
                             f"price where a cost differs between users")
        return PWU(family)
    for name in sorted(set(RANGES) - {wanted}):
        if getattr(asked, name) is not None:
            raise ValueError(f"--{name} is not for --decision {asked.decision}; use --{wanted} LOW:HIGH")
    text, of_share = getattr(asked, wanted), family.stated[0].domain == (0.0, 1.0)
    if asked.prior is not None and text is None and of_share:
        try:
            a, b = (float(part) for part in asked.prior.split(","))
        except ValueError:
            raise ValueError(f"--prior must be A,B, as in --prior 2,10, got {asked.prior!r}") from None
        return PWU(family, Beta(a, b))
    if text is None or asked.prior is not None:
        raise ValueError(f"say what the decision costs with --{wanted} LOW:HIGH"
                         + ("  or --prior A,B, but not both" if of_share else ""))
    low, high = _ends(file)
    if low == high:
        return PWU(family, Dirac(low))
    fit = elicitation.beta_from_quantiles if of_share else elicitation.lognormal_from_quantiles
    return PWU(family, fit(low, high))


def _each_its_own(file, frame):
    """A point mass for each case, from a column, or from its four costs."""
    asked = file.asked
    other = asked.prior or asked.threshold or any(getattr(asked, name) for name in RANGES)
    option = "--cost-share" if asked.cost_share is not None else "--case-costs"
    if asked.decision != "binary" or other or (asked.cost_share and asked.case_costs):
        raise ValueError(f"{option} is for binary decisions and excludes --ratio, --threshold, --prior and another "
                         f"option for each case's costs")
    if asked.cost_share is not None:
        return PWU(BinaryDecision(), Dirac(as_numbers.numbers(frame, asked.cost_share, above=0, below=1)))
    if file.weights is not None:
        raise ValueError("--case-costs gives each case its weight, the money at stake: leave out --weights")
    alarm, miss, hit, rest = (as_numbers.amounts(frame, name) for name in asked.cost_columns())
    more, less = alarm - rest, miss - hit  # what acting costs too much where there is no event, and not acting else
    for low, words in ((more, "a false alarm must cost more than a case rightly left alone"),
                       (less, "a miss must cost more than a hit")):
        if not (low > 0).all():
            raise ValueError(f"line {line_of(frame, int(np.argmax(low <= 0)))}: {words}, by {asked.case_costs}")
    file.stake, file.sunk = more + less, (hit, rest)
    return PWU(BinaryDecision(), Dirac(more / (more + less)))


def _check_work(file, units, models):
    """Refuse what would keep the machine busy for more than about a minute."""
    asked = file.asked
    joint = file.is_joint
    work = asked.resamples * units * (len(models) if joint else 1)
    most = RULES["most_work_joint" if joint else "most_work"]
    if work > most:
        fewer = max(int(asked.resamples * most / work), 2)
        raise ValueError(f"{asked.resamples:,} resamples of {units:,} cases would take minutes or more: say "
                         f"--resamples {fewer}, give it a random sample of the rows, or name groups")


def _compare_large(file):
    """Models compared by tallies, from files that are read in pieces."""
    asked = file.asked
    needed = {option: getattr(file.asked, option[2:].replace("-", "_")) for option in options.ALL_AT_ONCE}
    needed |= {"--missing": asked.missing != "refuse", "more than one file": isinstance(asked.file, list)}
    for option, value in needed.items():
        if value:
            raise ValueError(f"{option} needs all cases at once, and these files are read in pieces: give it a sample "
                             "of the rows")
    if asked.decision not in ("binary", "selective"):
        raise ValueError(f"files are read in pieces for --decision binary and selective; for {asked.decision} give it "
                         "a sample of the rows")
    by_name = files.truth_by_name(file, next(large.pieces(asked.file), pd.DataFrame()))
    text = {file.truth, file.groups, *RULES["groups"]} if asked.decision == "binary" else {file.groups}
    survey, suspects, first, known = Survey(file), large.Suspects(), None, None
    left: dict[str, str] = {}
    chosen: list[str] = []
    tallies: dict[str, Tally] = {}
    sums: dict[str, Any] = {}
    for frame in large.pieces(asked.file, text=text):  # once over all rows, to decide what the columns are
        if first is None:
            first, file.columns = frame, [str(name) for name in frame.columns]
            file.decided = files.decide(file, frame)
            parts = evidence.Parts(file.truth, file.special)
        survey.add(frame)
        suspects.add(frame)
        parts.add(frame)
    if first is None:
        raise ValueError(f"{asked.file} has no rows")
    evidence.refuse_fitted(parts.rows)
    if file.groups is None:
        evidence.refuse_design_in_pieces(lambda: large.pieces(asked.file, text=text), parts)
    labels = text if asked.decision == "binary" else {file.groups}
    ways, unclear = suspects.ways(asked.file, labels)
    if ways or unclear:  # a piece by itself could not tell how these numbers are written
        survey = Survey(file, unclear)
        for frame in large.pieces(asked.file, text=text, ways=ways):
            survey.add(frame)
    taken, score = [*by_name, *files.take_by_name(file, survey.columns)], _score(file, first)
    if asked.decision == "binary":
        known, (names, left) = survey.labels(), survey.models()
        left = {name: reason for name, reason in left.items() if name not in file.special}
        chosen = [name for name in names if name not in file.special]
        taken += survey.in_percent(chosen, suspects.signs)
        taken += files.weights_by_name(file, first, chosen, set())
    for frame in large.pieces(asked.file, text=text, ways=ways):
        y, models, _, used = _read_piece(file, frame, known, chosen)
        for name in sorted(set(unclear) & {file.truth, file.weights, *used}):
            raise ValueError(unclear[name])
        if not tallies:  # the first piece, which most files fit into
            raised = file.notes if known is None else doubted(file, frame, y, models)
            taken += [f"Of the first {len(frame):,} rows: {said}" for said in raised]
        tallies = tallies or {name: Tally(asked.decision) for name in models}
        for name, forecast in models.items() if known is not None else ():  # its first rows may all have one outcome
            sums[name] = sums.get(name, 0.0) + doubts.sums_of(forecast, y)
        block, weights = as_labels.blocks(frame, file.groups, BLOCKS), files.weights_of(file, frame)
        for name, forecast in models.items():
            tallies[name].update(y, *(forecast if isinstance(forecast, tuple) else (forecast,)), weight=weights,
                                 block=block)
    taken += doubts.off(sums) if not any("in per cent" in said for said in taken) else []
    taken += [] if file.groups else survey.columns.remarks(file.special, set(tallies))
    _refuse_no_candidate(file.asked, tallies, left)
    result = compare_tallies(tallies, score, against=asked.against, margin=asked.margin)
    event = {} if known is None else {"event": f"{file.truth} = {known[0]}"}
    result = dataclasses.replace(result, about=result.about | {"file": asked.file} | event)
    found = findings_of(taken)
    numbers = _as_json(file, score, result) | _told([*taken, *result.notes], left)
    return Answer(result, _words(file), _asked_words(file, score), _taken(result.about["cases"], models, left), found,
                  numbers, None, {})


def _refuse_no_candidate(asked, models, left):
    """A gate decides about a model beside the one in use."""
    if asked.against is not None and (asked.gate or asked.margin is not None) and len(models) < 2:
        lacks = f" ({left} left out)" if isinstance(left, str) and left else (
            f" (left out: {', '.join(map(str, left))})" if left else "")
        raise ValueError(f"there is no candidate beside {asked.against}{lacks}: name it with --models")


def _read_piece(file, frame, known, chosen):
    """Outcomes and forecasts of a piece of a file."""
    if known is None:
        return files.read_pairs(file, frame)
    models = {name: as_numbers.probabilities(frame, name, whole=False) for name in chosen}
    return as_labels.one_of_two(frame, file.truth, *known), models, {}, set(models)


def _refuse_unused(asked):
    """An option that does not apply is refused, not ignored."""
    kinds = {"event": ("binary", "top-k"), "time": ("binary",), "horizon": ("binary",), "coverage": ("orders",),
             "costs": ("acts",), "threshold": ("binary",), "percent": ("binary", "top-k", "answers"),
             "competing": ("binary",), "confidence_of": ("binary", "top-k")}
    for option, decisions in kinds.items():
        known = asked.decision in (*files.DECISIONS, "orders", "acts")
        if getattr(asked, option) is not None and known and asked.decision not in decisions:
            raise ValueError(f"--{option} is not for --decision {asked.decision}")
    if asked.ignore_punctuation and (asked.decision != "answers" or asked.truth is None):
        raise ValueError("--ignore-punctuation is for --decision answers, with a column of right answers, --truth")
    if asked.horizon is not None and asked.time is None:
        raise ValueError("--horizon needs --time: which column says how long each case was followed?")
    if asked.coverage is not None and not 1 <= asked.coverage < 100:
        raise ValueError(f"--coverage is in per cent, at least 1 and below 100, got {asked.coverage:g}")
    for option, value in (("--margin", asked.margin), ("--gate", asked.gate)):
        if value and asked.against is None:
            raise ValueError(f"{option} needs --against: which model is in use?")
    if asked.margin is not None and asked.case_costs is not None:
        raise ValueError("--margin cannot be combined with --case-costs")
    if asked.case_costs is not None and asked.may_lack:
        raise ValueError("--case-costs needs every forecast: leave out --missing pairwise")
    other = [option for option in ("time", "count", "cost_share", "case_costs", "blocks")
             if getattr(asked, option)]
    if asked.missing == "bounds" and (asked.decision != "binary" or other):
        raise ValueError("--missing bounds is for --decision binary" + "".join(
            f", without --{option.replace('_', '-')}" for option in other))
    if asked.recalibrate and (asked.decision != "binary" or asked.may_lack):
        raise ValueError("--recalibrate is for --decision binary, and needs every forecast")


def _compare(given):
    asked = _request(given)
    if any(large.is_large(path) for path in ([asked.file] if isinstance(asked.file, str) else asked.file)):
        return _compare_large(Found(asked))
    file = Found(asked)
    whole = files.load(file)
    frame = files.with_outcome(file, whole)
    score = _score(file, frame)
    y, models, left, used = files.read_models(file, frame)
    _refuse_no_candidate(asked, models, left)
    groups = None if file.groups is None else as_labels.groups(frame, file.groups)
    _check_work(file, len(y) if groups is None or file.is_joint else len(pd.unique(pd.Series(groups))), models)
    if asked.html and not Path(asked.html).absolute().parent.is_dir():
        raise ValueError(f"there is no folder {Path(asked.html).parent}")
    weights, everywhere = files.weights_of(file, frame), {}
    if whole is not frame:
        everywhere = _everywhere(file, whole, models)
    if asked.recalibrate:
        models, everywhere = _recalibrated(file, whole, y, models, everywhere, weights)
    result = compare(y, models, score, groups=groups, sample_weight=weights, n_resamples=asked.resamples,
                     seed=asked.seed, blocks=asked.blocks, against=asked.against, margin=asked.margin)
    parts = _by(file, frame, y, models, score, groups)
    alike = _alike(file, frame, y, models, score, used)
    best = str(result.table.index[0]) if asked.against is None else asked.against
    bounds = _bounds(file, whole, _labels(file, whole, y), everywhere, score, best) if everywhere else {}
    file.notes += [_said_of_missing(name, best, one, len(whole) - len(frame), len(whole))
                   for name, one in bounds.items()]
    result = _of_the_file(file, frame, y, result)
    suggested = [*file.notes, *findings(file, frame, used)]
    suggested += [line for name, line in alike.items() if not any(f"Column {name} " in one for one in suggested)]
    said = [*file.notes, *filter(None, [_users_at_levels(score)]), *suggested[len(file.notes):]]
    numbers = _as_json(file, score, dataclasses.replace(result, table=judge(result, _statement(file))))
    numbers |= {**_told(said, left), **({"by": parts} if asked.by else {}),
                **({"missing": {name: one._asdict() for name, one in bounds.items()}} if bounds else {})}
    words = {kind: f"{asked.by} = {kind}, {one['cases']:,} cases: {one['words'][0]}" for kind, one in parts.items()}
    return Answer(result, _words(file), _asked_words(file, score), _taken(result.about["cases"], models, left),
                  findings_of(suggested), numbers, _statement(file), words)


def _told(said, left):
    """What the file made one say, as numbers of a program."""
    return {"findings": [finding._asdict() for finding in findings_of(said)],
            "left_out": {str(name): reason for name, reason in left.items()}}


def _of_the_file(file, frame, y, result):
    """The result with the file's name and event, its costs in money, and rows for many cases counted as cases."""
    asked, table = file.asked, result.table
    if file.stake is not None:
        table = _in_money(file, table, y)
    about: dict[str, Any] = {"file": asked.file if isinstance(asked.file, str) else " ".join(asked.file)}
    if file.decided.read is read_events:
        about["event"] = f"{file.truth} = {label_of(file, frame, y)}"
    notes = result.notes
    if asked.count is not None:
        number = files.weights_of(file, frame)
        about |= {"events": int(number[y == 1].sum()), "cases": int(number.sum())}
        notes = tuple(note.replace(f"{len(y):,} cases, each with its weight", f"{about['cases']:,} cases")
                      for note in notes)
    return dataclasses.replace(result, table=table, about=result.about | about, notes=notes)


def _alike(file, frame, y, models, score, used):
    """Of each column whose equal values have alike losses, what groups would change; by the name of the column."""
    weighted = file.weights is not None or file.stake is not None or file.observed is not None
    if file.groups or file.asked.blocks or weighted or file.is_joint or file.asked.may_lack:
        return {}
    given = [one if isinstance(one, tuple) else (one,) for one in models.values()]
    losses = [score.per_sample(y, *parts) for parts in given]
    # A feature makes some rows dearer than others, as the forecasts say themselves: only what is left is a likeness.
    said = [_expected(score, y, *parts) for parts in given] if file.decided.read is read_events else [0.0] * len(given)
    best = int(np.argmin([loss.mean() for loss in losses]))
    pairs = [place for place in range(len(losses)) if place != best]
    gaps = [(losses[place] - losses[best], said[place] - said[best]) for place in pairs] or [(losses[0], said[0])]
    found: dict[str, str] = {}
    for gap, part in gaps:  # of one model alone the interval is about its cost
        if np.isfinite(gap).all():
            likeness = evidence.alike_rows(frame, gap, file.special, set(map(str, used)))
            left = evidence.alike_rows(frame[list(likeness)], gap - part, set(), set()) if np.any(part) else likeness
            found |= {name: sentence for name, sentence in likeness.items() if name in left}
    return found


def _expected(score, y, f):
    """What each case costs on average, if the forecasts are made right by isotonic regression."""
    p = corp.recalibrated(y, f)
    return p * score.per_sample(np.ones(len(y)), f) + (1 - p) * score.per_sample(np.zeros(len(y)), f)


def _everywhere(file, whole, models):
    """The forecasts of all rows, those without an outcome as well."""
    everywhere = {name: as_numbers.probabilities(whole, name) if name in whole else None for name in models}
    known = column_of(whole, file.truth).notna().to_numpy()
    for name, f in everywhere.items():
        if f is None or not np.array_equal(f[known], models[name]):
            raise ValueError(f"--missing bounds needs forecasts that are columns of probabilities of the event, and "
                             f"{name} is not one as it stands: choose with --models")
    return everywhere


def _recalibrated(file, whole, y, models, everywhere, weights):
    """The models after two numbers each, fitted to other groups; also where there is no outcome."""
    labels = _labels(file, whole, y)
    known = ~np.isnan(labels)
    groups = None if file.groups is None else as_labels.groups(whole, file.groups)
    weights = None if weights is None else files.weights_of(file, whole)
    after = recalibrated(labels, everywhere or models, groups=groups, sample_weight=weights, seed=file.asked.seed)
    other = "cases" if groups is None else f"groups ({file.groups})"
    file.notes.append(f"All models are recalibrated by two numbers, fitted each time to other {other}. The intervals "
                      "do not cover the chance in this fit: try another --seed.")
    return {name: f[known] for name, f in after.items()}, after if everywhere else {}


def _labels(file, whole, y):
    """Outcomes of all rows, NaN where there is none."""
    labels = np.full(len(whole), np.nan)
    labels[column_of(whole, file.truth).notna().to_numpy()] = y
    return labels


def _bounds(file, whole, labels, everywhere, score, best):
    """How much more each other model may cost than this one, whatever the outcomes are that are missing."""
    return {name: missing_labels(score.family, score.priors[0], labels, f, everywhere[best],
                                 sample_weight=files.weights_of(file, whole))
            for name, f in everywhere.items() if name != best}


def _said_of_missing(name, best, one: MissingLabels, missing, cases):
    """What the outcomes that are missing can do to the order of two models."""
    start = f"{missing:,} of {cases:,} cases have no outcome. "
    ends = (f"Whatever these outcomes are, {name} costs between {one.lower:+.3g} and {one.upper:+.3g} per case more "
            f"than {best}")
    if one.verdict != "undecided" or one.lower == one.upper:  # equal bounds: the same cost for every outcome
        return f"{start}{ends}: they cannot reverse the order."
    few = "" if one.tipping is None else (
        f" The order that holds with no event among them can be reversed by as few as {one.tipping:,} events.")
    return f"{start}{ends}: they could reverse the order.{few}"


def _by(file, frame, y, models, score, groups):
    """The same comparison on the cases of each value of a column: cases, words, and costs by model."""
    asked = file.asked
    if not asked.by:
        return {}
    if file.stake is not None or asked.blocks is not None:
        raise ValueError("--by cannot be combined with --case-costs or --blocks: use a file with the rows of one value")
    kinds = column_of(frame, asked.by).map(as_labels.key, na_action="ignore").astype(object)
    kinds = kinds.where(kinds.notna(), "(no value, or NA)").to_numpy()  # they are cases, too
    weights, found = files.weights_of(file, frame), {}
    names = sorted({kind for kind in kinds if isinstance(kind, str)})
    if len(names) > MOST_PARTS:
        raise ValueError(f"--by {asked.by} has {len(names):,} values, more than {MOST_PARTS}")
    for name in names:
        rows = kinds == name
        own = {model: tuple(part[rows] for part in given_) if isinstance(given_, tuple) else given_[rows]
               for model, given_ in models.items()}
        chosen = PWU(score.family, *(prior.for_cases(rows) for prior in score.priors))
        try:
            one = compare(y[rows], own, chosen, groups=None if groups is None else groups[rows],
                          sample_weight=None if weights is None else weights[rows], n_resamples=asked.resamples,
                          seed=asked.seed, against=asked.against)
            found[name] = {"cases": int(rows.sum()), "words": list(one.words), "costs": one.table["cost"].to_dict()}
        except ValueError as error:  # one group only, or no weight
            found[name] = {"cases": int(rows.sum()), "words": [f"not compared: {error}"], "costs": {}}
    return found


def _in_money(file, table, y):
    """Costs per case in the money of the four columns, with what is paid whatever is done."""
    scale, (hit, rest) = float(np.mean(file.stake)), file.sunk
    table = table.copy()
    for name in ("cost", "low", "high", "difference", "difference low", "difference high"):
        table[name] *= scale
    for name in ("cost", "low", "high"):
        table[name] += float(np.mean(np.where(y == 1, hit, rest)))
    with np.errstate(divide="ignore", invalid="ignore"):
        for name in ("", " low", " high"):
            table[f"saving{name}"] = table[f"difference{name}"] / table["cost"].abs()
    return table


def _taken(cases, models, left):
    """What was read, in words: cases, models, and columns that nobody named and that are not forecasts."""
    summary = f"{cases:,} cases; models: {', '.join(models)}."
    if left:
        some = [f"{name} ({reason})" for name, reason in list(left.items())[:LISTED]]
        more = f", and {len(left) - LISTED:,} more" if len(left) > LISTED else ""
        summary += f" Left out: {', '.join(some)}{more}. Choose with --models."
    return summary


def _statement(file):
    """What the two ends of a range say alone: a twentieth of the decision makers below, a twentieth above."""
    own = file.asked.cost_share or file.asked.case_costs
    if own or not file.decided.family.stated or getattr(file.asked, file.decided.option) is None:
        return None
    low, high = _ends(file)
    return Quantiles({low: 0.05, high: 0.95}) if low < high else None


def _ends(file):
    """The stated range, in the decision's own parameter."""
    decision = file.decided
    return decision.ends(*_range(decision.option, getattr(file.asked, decision.option), decision.most))


def _words(file):
    asked = file.asked
    if asked.cost_share is not None:
        return f"each case has its own cost share of a false alarm, column {asked.cost_share}"
    if asked.case_costs:
        return f"each case has its own costs, columns {asked.case_costs}"
    if not file.decided.family.stated:
        return f"costs from {asked.costs}, all known"
    text = getattr(file.asked, file.decided.option)
    if text is None:
        return f"{asked.decision}, prior Beta({asked.prior})"
    low, _, high = text.partition(":")
    words = file.decided.said.format(f"{low} to {high}" if high and low != high else low)
    return words if high and low != high else words.replace(", nine times out of ten", "")


def _asked_words(file, score):
    return " ".join([_decision_words(file, score), _users_at_levels(score)]).strip()


def _users_at_levels(score):
    """Which users are counted as which, where a forecast has no quantile for a user's own ratio."""
    levels = getattr(score.family, "levels", None)
    if levels is None or getattr(score.family, "reading", "") != "at levels":
        return ""
    odds = [level / (1 - level) for level in levels]
    written = [f"{ratio:.3g}" if ratio >= 1 else f"1/{1 / ratio:.3g}" for ratio in odds]
    if isinstance(score.priors[0], Dirac) and np.ndim(score.priors[0].at) == 0:
        level = min(levels, key=lambda one: abs(one - score.priors[0].at))
        if abs(level - score.priors[0].at) < 1e-6:
            return ""
        return (f"But no forecast has a quantile at {score.priors[0].at:.4g}: what is scored is its quantile at "
                f"{level:g}, where a unit short costs {written[levels.index(level)]} left over. For another ratio ask "
                f"the model for its quantile at {score.priors[0].at:.4g}.")
    return (f"Each user is counted at the nearest of the levels {', '.join(f'{level:g}' for level in levels)}, as if a "
            f"unit short cost {', '.join(written)} left over.")


def _decision_words(file, score):
    known = not score.priors or score.priors[0].length is not None
    words = "" if known else f" Prior: {_said(score.priors[0])}, median {float(score.priors[0].ppf(0.5)):.3g}."
    if not known and isinstance(score.priors[0], Dirac):
        words = f" Known: {score.family.names[0]} = {score.priors[0].at:.4g}."
    unit = "" if file.asked.case_costs else file.decided.unit
    return f"Decision: {_words(file)}.{words} Cost{f' {unit}' if unit else ''}: lower is better."


def _as_json(file, score, result):
    asked = file.asked
    prior = score.priors[0] if score.priors else None
    own = asked.cost_share or asked.case_costs
    shape = ({} if prior is None else {"column": own} if prior.length is not None else
             {"at": prior.at} if isinstance(prior, Dirac) else {"a": prior.a, "b": prior.b} if isinstance(prior, Beta)
             else {"mu": prior.mu, "sigma": prior.sigma})
    models = [{"name": name, **{key: _plain(value) for key, value in row.items()}}
              for name, row in result.table.iterrows()]
    gate = {"gate": result.decision} if result.decision else {}
    first = votes.of(result, score)
    return {"decision": asked.decision, "prior": shape, "models": models, "words": list(result.words), **gate,
            **({"votes": first} if first else {})}


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | bool) else None if not np.isfinite(value) else float(value)


def _board(given):
    low, high = _range("worth", given.worth)
    columns = {role: getattr(given, role) for role in ROLES if getattr(given, role)}
    solved, cost, said, groups = read_board(given.file, given.groups, given.tries, **columns)
    ranks = pd.DataFrame({"solved": solved.mean().map("{:.1%}".format),
                          "cost of a task": cost.mean().map(amount)})
    ranks = ranks.loc[solved.mean().sort_values(ascending=False, kind="stable").index].rename_axis(None)
    return Standing(board(solved, cost, worths(low, high), groups=groups), ranks, " ".join(said))


def _explain(given):
    return wrapped(beliefs.belief(given.score))


def _said(prior):
    if isinstance(prior, Dirac):
        return repr(prior)
    shape = (prior.a, prior.b) if isinstance(prior, Beta) else (prior.mu, prior.sigma)
    return f"{type(prior).__name__}({shape[0]:.4g}, {shape[1]:.4g})"


RUN = {"compare": _compare, "board": _board, "explain": _explain}
