"""Answers, right or wrong, with their confidences: which are right, and which are none.

Implements no part of a source.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from . import as_forecasts, as_labels, as_numbers, evidence
from .as_labels import key
from .as_numbers import line_of
from .columns import EXPORTS
from .request import Found

__all__: list[str] = []

OFTEN_INSIDE = 0.2  # share of answers that hold the right one among other words: then they are written otherwise
OFTEN_SHIFTED = 0.3  # share of answers that are one off
OFTEN_PART, MOST_LETTERS = 0.05, 30  # of all answers; and different answers, of a test with letters


def read_answers(file: Found, frame: pd.DataFrame) -> tuple[np.ndarray, dict[str, Any], dict[str, str], set[str]]:
    """Right answers as 1, or as numbers of their own, and by model the answers with their confidences."""
    names, found = file.others(frame), {}
    for name in names:
        match = as_forecasts.CONFIDENCE.fullmatch(name)
        ends = (as_labels.CORRECT,) if file.truth is None else ("answer", "")
        own = [other for other in names for end in ends if match and re.fullmatch(
            re.escape(match[1]) + (f"[ _.:-]+{end}" if end else ""), other, re.IGNORECASE)]
        if match and own:
            found[match[1]] = (own[0], name)
    found |= _called_as_the_model(file, names, found)
    found = found or _of_one_model(file, names)
    if not found:
        frame, found = _always_given(file, frame, names)
    columns = file.chosen(found, "NAME_confidence and NAME_right (1 or 0), or with --truth NAME_answer")
    silent = {name: as_labels.abstentions(frame, pair[1]) for name, pair in columns.items()}
    for name, (answer, _) in columns.items():
        letters = frame[answer].astype("string").str.strip().str.lower().str.replace("\u2019", "'").str.rstrip(".")
        none = letters.isin(as_labels.SILENT)
        if file.truth is not None:
            right = frame[file.truth].astype("string").str.strip().str.lower()
            none = (none | letters.isin(as_labels.UNSURE)) & ~letters.eq(right) | letters.isna() | letters.eq("")
        silent[name] = silent[name] | none.fillna(False).to_numpy(dtype=bool)
        if file.truth is None and letters.isin(["c", "i"]).any():  # inspect's: N is no answer, whatever stands beside
            silent[name] = silent[name] | letters.eq("n").fillna(False).to_numpy(dtype=bool)
    frame = frame.copy()
    for name, (answer, confidence) in columns.items():  # an abstention has confidence 0, whatever stands beside it
        if silent[name].any():
            frame[confidence] = frame[confidence].astype(object).where(~silent[name], 0.0)
            if file.truth is None:
                frame[answer] = frame[answer].astype(object).where(~silent[name], 0)
            file.notes.append(f"{name} abstains from {silent[name].sum():,} of {len(frame):,} answers.")
    used = {name for pair in columns.values() for name in pair}
    sure = {name: as_numbers.probabilities(frame, pair[1]) for name, pair in columns.items()}
    if file.truth is None:
        answers = {name: as_labels.right_or_wrong(frame, pair[0]) for name, pair in columns.items()}
        y = np.ones(len(frame))
    else:
        if file.asked.ignore_punctuation:
            compared = [file.truth, *(pair[0] for pair in columns.values())]
            frame = frame.assign(**{name: frame[name].map(_without_marks, na_action="ignore") for name in compared})
            file.notes.append("Answers are compared without commas, signs of money, brackets and full stops.")
        y, answers = as_labels.same_words(frame, file.truth, {name: pair[0] for name, pair in columns.items()})
        for name, (answer, _) in columns.items():
            _refuse_shifted(frame, file.truth, name, answer)
        for name, (answer, _) in columns.items():
            said = ~silent[name]
            inside = said & (_inside(frame, file.truth, answer) | _inside(frame, answer, file.truth, ends=True))
            often = inside.sum() > OFTEN_INSIDE * said.sum() and said.sum() >= evidence.LEAST_ROWS
            known = {one for one, here in zip(answers[name], said, strict=True) if here}
            apart = said.sum() >= 2 * evidence.LEAST_ROWS and len(known | {*y}) <= MOST_LETTERS and not known & {*y}
            if (often or apart) and not (answers[name] == y)[said].any():
                line = int(np.argmax(inside if often else said))
                raise ValueError(f"none of the {said.sum():,} answers of {name} is the right one word for word: line "
                                 f"{line_of(frame, line)} says {frame[answer].iloc[line]!r}, right is "
                                 f"{frame[file.truth].iloc[line]!r}. Write both alike, or give a column {name}_right "
                                 f"of 1 and 0 instead of --truth")
        file.notes += [_one_of_several(frame, file.truth, name, pair[0], answers[name] != y)
                        for name, pair in columns.items()]
        file.notes += [_in_marks_alone(frame, file.truth, name, pair[0]) or _same_number(
            frame, file.truth, name, pair[0], answers[name] != y) for name, pair in columns.items()]
        file.notes += [_never_right(name, frame[pair[0]][~silent[name] & ~np.isin(answers[name], y)], len(y))
                       for name, pair in columns.items()]
        file.notes = [note for note in file.notes if note]
    file.notes += [note for name in columns if (note := _kept_back(file, frame, name, used, answers[name] == y))]
    return y, {name: (answers[name], sure[name]) for name in columns}, {}, used


def _kept_back(file, frame, name, used, right):
    """A remark on a column of two values of a model, one of which stands beside no answer that is right."""
    for column in [] if name == "the model" else file.others(frame):
        keys = frame[column].map(key)
        if column in used or not re.match(rf"{re.escape(name)}[ _.:-]", column) or keys.nunique() != 2:
            continue
        for kind in sorted(set(keys)):
            here = (keys == kind).to_numpy()
            if here.sum() >= evidence.LEAST_ROWS and not right[here].any() and 0 < right[~here].mean() < 1:
                return (f"{column} is {kind} in {here.sum():,} rows, and {name} is right in none of them: does it "
                        f"abstain there? Then leave these answers blank.")
    return ""


def _refuse_shifted(frame, truth, name, answer):
    """Answers that are numbered from 1 beside right ones that are numbered from 0, or from 0 beside 1."""
    try:
        right, said = (as_numbers.values(frame[column]) for column in (truth, answer))
    except ValueError:
        return
    own = np.mean(said == right)
    for step, more in ((1, "more"), (-1, "less")):
        hits = np.sum(said == right + step)
        if hits >= evidence.LEAST_ROWS and hits > len(said) * max(OFTEN_SHIFTED, 3 * own):
            raise ValueError(f"the answer of {name} is one {more} than the right one in {hits:,} of {len(said):,} "
                             f"rows, and equal to it in {own * len(said):.0f}: are choices numbered from 1 in one "
                             f"column and from 0 in the other? Number them alike")


def _called_as_the_model(file, names, found):
    """A column that is called as its model, beside NAME_right, is how sure the model is."""
    right = {match[1]: name for name in names
             if (match := re.fullmatch(rf"(.+?)[ _.:-]+{as_labels.CORRECT}", name, re.IGNORECASE))}
    return {model: (own, model) for model, own in right.items()
            if file.truth is None and model in names and model not in found}


def _of_one_model(file, names):
    """Columns that name no model, as of a file with the answers of one."""
    kinds = as_labels.CORRECT if file.truth is None else "answer", "confidence|conf|prob(?:ability)?"
    own = [[name for name in names if re.fullmatch(kind, name, re.IGNORECASE)] for kind in kinds]
    long = any(name.lower() in EXPORTS["long"]["model"] for name in names)  # a row for each model
    return {"the model": (own[0][0], own[1][0])} if all(len(one) == 1 for one in own) and not long else {}


def _inside(frame, part, whole, ends=False):
    """Where one answer stands as a word among others in another one; also as a number, if that is its end."""
    pairs = zip(*(map(key, frame[column].fillna("")) for column in (part, whole)), strict=True)
    stop = [r"(?!\w)", r"\s*$"]
    return np.array([bool(one) and bool(re.search(r"[^\W\d_]{2}", two)) and re.search(
        rf"(?<!\w){re.escape(one.lower())}{stop[ends and one[0].isdigit()]}", two.lower()) is not None
                     for one, two in pairs])


def _one_of_several(frame, truth, name, answer, wrong):
    """A remark where an answer that counts as wrong is often a part of the right one, as of a list of them."""
    inside = wrong & _inside(frame, answer, truth, ends=True)
    return _often_wrong(frame, (truth, name, answer), inside, "stand inside the right one", "in",
                        "are several answers right? Give")


def _often_wrong(frame, columns, alike, what, beside, way):
    """The remark on answers that count as wrong and perhaps are not, if there are enough of them."""
    truth, name, answer = columns
    if alike.sum() < max(evidence.LEAST_ROWS, OFTEN_PART * len(alike)):
        return ""
    line = int(np.argmax(alike))
    return (f"{alike.sum():,} answers of {name} count as wrong and {what}, such as {frame[answer].iloc[line]!r} "
            f"{beside} {frame[truth].iloc[line]!r:.60}: {way} a column {name}_right of 1 and 0 instead of --truth.")


def _never_right(name, answers, cases):
    """A remark where one of the answers that are right in no row is given often, as a sign for none is."""
    often = answers.map(key).value_counts()
    if often.empty or often.iloc[0] < max(evidence.LEAST_ROWS, OFTEN_PART * cases):
        return ""
    answer = min(often.index[often == often.iloc[0]])
    return (f"{name} answers {answer!r} in {often.iloc[0]:,} rows, and it is right in none: does {name} abstain "
            f"there? Then leave these fields blank.")


def _in_marks_alone(frame, truth, name, answer):
    """How many answers differ from the right one in commas, signs of money, brackets or full stops alone."""
    right, given_ = ([key(value).lower() for value in frame[column]] for column in (truth, answer))
    bare = [[_without_marks(text) for text in texts] for texts in (right, given_)]
    alike = sum(a != b and c == d for a, b, c, d in zip(right, given_, *bare, strict=True))
    return (f"{alike:,} of {len(right):,} answers of {name} differ from the right one in punctuation alone, and count "
            f"as wrong: --ignore-punctuation counts them as right." if alike else "")


def _same_number(frame, truth, name, answer, wrong):
    """A remark where answers that count as wrong hold the number of the right one, beside a unit or a mark."""
    numbers = [[re.findall(r"[-+]?\d+(?:[.,]\d+)?", text) for text in frame[column].map(key)]
               for column in (truth, answer)]
    alike = [len(one) == len(two) == 1 and float(one[0].replace(",", ".")) == float(two[0].replace(",", "."))
             for one, two in zip(*numbers, strict=True)] & wrong
    return _often_wrong(frame, (truth, name, answer), alike, "hold the number of the right one", "for",
                        "write both alike, or give")


def _without_marks(answer):
    """An answer in letters and digits, with decimal points, signs and %."""
    return re.sub(r"[^\w%.-]|(?<!\d)[.]|[.](?!\d)", "", key(answer).lower())


def _always_given(file, frame, names):
    """Answers without confidences: each is given, and N or a blank is none."""
    end = as_labels.CORRECT if file.truth is None else "answer"
    found = {"the model" if match[1].lower() == "is" else match[1]: (name, f"{match[1]}_confidence") for name in names
             if (match := re.fullmatch(rf"(.+?)[ _.:-]+(?:{end})", name, re.IGNORECASE))}
    frame = frame.copy()
    for answer, confidence in found.values():
        words = frame[answer].map(lambda value: key(value).lower(), na_action="ignore")
        letters = file.truth is None and words.isin(["c", "i"]).any()
        none = words.isna() | words.isin(as_labels.SILENT) | words.isin(["n", "noanswer"]) & (
            letters | (file.truth is not None))
        frame[confidence] = np.where(none, "", "1")
    if found:
        file.notes.append("There are no confidences: every answer counts as given, whatever a wrong one costs.")
    return frame, found
