"""What columns that were not used suggest: rows that belong together, times of follow-up, costs of each case.

Implements no part of a source.
"""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd

from pwu_lite.metrics._kernels import detection_auroc
from pwu_lite.reporting.rules import RULES, say

from . import as_labels, as_numbers, doubts, evidence
from .columns import EXPORTS, name_tokens
from .events import read_events
from .request import Found

__all__: list[str] = []

MOST_TEXTS = 6  # columns of text, pairs of which may hold rows together


def findings(file: Found, frame: pd.DataFrame, used: set[str]) -> list[str]:
    """What columns that were not used suggest: notes of the reader, other commands, rows that belong together."""
    columns = file.counts
    followed = follow_up(file, frame, used)
    other = file.special | used | {*followed}
    told: dict[str, str] = {}
    fractions = {str(name) for name in columns.often if name in frame and not evidence.is_discrete(frame[name])}
    other |= fractions  # these name no case
    if not file.groups and file.decided.read is read_events and file.asked.time is None:
        told = doubts.together(frame, as_labels.events(frame, file.outcome(), file.event),
                               [name for name in columns.often if str(name) not in other and columns.repeat(name)])
        told = told or _of_two_together(file, frame, other)
    if file.asked.decision in ("orders", "selective") and file.truth is not None:
        told |= doubts.units(frame, as_numbers.values(frame[file.truth]), other | {file.groups})
    repeats = [] if file.groups else columns.remarks(file.special | {*told} | fractions, used | {*followed})
    return [*dict.fromkeys(frame.attrs.get("notes", [])), *special_columns(file, frame), *followed.values(),
            *told.values(), *repeats,
            *(() if file.groups else copies(frame[[name for name in frame if name in used]]))]


def _of_two_together(file, frame, other):
    """Rows that two columns of text hold together, as the two teams of a match do."""
    y = as_labels.events(frame, file.outcome(), file.event)
    texts = [name for name in map(str, frame.columns) if name not in other and not pd.api.types.is_numeric_dtype(
        frame[name]) and 2 <= frame[name].nunique() < len(frame) / 2 and frame[name].notna().all()]
    for one, two in itertools.combinations(texts, 2) if len(texts) <= MOST_TEXTS else ():
        both, name = frame[one].map(as_labels.key) + " " + frame[two].map(as_labels.key), f"{one},{two}"
        if found := doubts.together(pd.DataFrame({name: both}), y, [name]):
            return found
    return {}


def _is_rank(values, frame, used):
    """Numbers 1 to n, parts of one size, or the order of a forecast: no times."""
    often = np.unique(values, return_counts=True)[1]
    if np.ptp(often) <= max(1, 0.02 * len(values)) and (len(often) == len(values) and np.ptp(values) + 1 == len(
            values) or len(often) <= 100 and len(often) < len(values) / 3):
        return True
    ranks = pd.Series(values).rank()
    others = (pd.Series(as_numbers.values(frame[name])) for name in used if name in frame)
    return any(abs(ranks.corr(other.rank())) > 0.99 for other in others)


def copies(frame):
    """A sentence where all rows occur several times, as in a file joined with itself."""
    counts = np.unique(pd.util.hash_pandas_object(frame, index=False), return_counts=True)[1]
    times = int(np.gcd.reduce(counts)) if len(frame) else 1
    if times < 2 or counts.size < RULES["least_different"]:
        return []
    return [say("copies", cases=f"{len(frame):,}", different=f"{counts.size:,}", times=times,
                wider=f"{np.sqrt(times):.2g}")]


def special_columns(file, frame):
    """Columns that ask for another command: each case's costs."""
    if file.decided.read is not read_events:
        return []
    words = {kind: next((str(name) for name in frame.columns if re.fullmatch(
        rf"(?:c|cost)[ _.-]*{ending}", str(name), re.IGNORECASE)), "") for kind, ending in
        EXPORTS["case_costs"].items()}
    if all(words.values()) and not file.asked.case_costs:
        return [f"The columns {', '.join(words.values())} look like each case's own costs: --case-costs "
                f"{','.join(words.values())} counts them, in money, instead of a range."]
    return []


def follow_up(file, frame, used):
    """Times of follow-up, and what is said of them: positive numbers in no order, by their name or by the outcome.

    By name, beside an outcome that has a word for an event. By the outcome: who had the event was followed until then,
    so the times of events are mostly the shorter ones; of several such columns the clearest is named.
    """
    if file.decided.read is not read_events or file.asked.time is not None:
        return {}
    event, said, sooner = as_labels.events(frame, file.outcome(), file.event), {}, {}
    outcome = name_tokens(file.truth) & set(EXPORTS["lost"])
    enough = min(event.sum(), (1 - event).sum()) >= RULES["least_different"]
    for name in [str(column) for column in frame.columns if str(column) not in used | file.special]:
        try:
            times = as_numbers.values(frame[name])
        except ValueError:
            continue
        if not (np.isfinite(times).all() and (times >= 0).all() and (np.diff(times) < 0).any()) or len(
                np.unique(times)) < 10 or as_numbers.in_percent(name):
            continue
        if any(re.match("age$|score|expect|remain|predict", word) for word in name_tokens(name)):
            continue
        if name_tokens(name) & set(EXPORTS["follow_up"]) and (outcome or (times != np.floor(times)).any()):
            said[name] = f"Column {name} looks like a time of follow-up. Those who"
        elif times.max() > 1 and enough and not _is_rank(times, frame, used):
            sooner[name] = detection_auroc(event == 1, -times)
    likely = max(sooner, key=sooner.__getitem__, default=None)
    if not said and likely is not None and sooner[likely] > RULES["sooner"]:
        others = [name for name in sooner if name != likely and sooner[name] > RULES["sooner"]]
        which = f" (or {' or '.join(others)}: which of them ends with {file.outcome()}?)" if others else ""
        said[likely] = (f"Column {likely}{which} is mostly smaller where the event came, as a time of follow-up is. If "
                        f"it is one, those who")
    rest = ("were lost early are not cases without an event, and an event that came late may come too late "
            "to count: --time {} --horizon T takes both into account, as pwu_lite.ipcw does.")
    return {name: f"{first} {rest.format(name)}" for name, first in said.items()}
