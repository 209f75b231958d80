"""Columns of a table as labels: events, classes, answers, groups, and what a label is known by.

Implements no part of a source.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from pwu_lite.reporting.rules import RULES

from .as_numbers import PLAIN, as_list, column_of, line_of, one_a_line, refuse

__all__ = ["abstentions", "blocks", "codes", "events", "groups", "key", "keys", "known_as_written", "labels",
           "one_of_two", "right_or_wrong", "same_words"]

HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Control characters, marks of direction and other characters that are not seen."""
YES = set(RULES["yes"])
SILENT = ("abstain", "abstained", "no answer", "not_attempted", "not attempted")  # instead of an answer
UNSURE = ("i don't know", "i do not know", "don't know", "idk", "unsure", "not sure", "i'm not sure", "i am not sure",
          "i can't answer", "i cannot answer", "cannot answer")  # as an answer, where it is not the right one
OTHER_KEY = re.compile(r"^[\s+.]|^-[0.]+$|[^\S\n]$|\.\d*0$|\.$", re.MULTILINE)  # of one: known by another word
MOST_LABELS = 5  # with more, an outcome of whole numbers may count
CORRECT = r"(?:is[ _.:-]?)?(?:right|correct|acc)"
WITHOUT = re.compile(r"^(?:fail|non|no[ _]|without|negatives?$|losses$)", re.IGNORECASE)
RIGHT = YES | {"right", "correct", "c", "pass", "passed", "solved", "resolved"}
WRONG = {"0", "false", "no", "n", "wrong", "incorrect", "i", "fail", "failed", "unsolved", "unresolved"}
DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}")


def of_one_label(column: pd.Series) -> bool:
    """Does a column hold one label and blanks, or dates and blanks: of those to whom something came?

    Examples
    --------
    >>> of_one_label(pd.Series(["x", None])), of_one_label(pd.Series(["2026-01-31", None, "2026-02-01"]))
    (True, True)
    """
    kinds = column.dropna().astype(str).unique()
    return bool(column.isna().any()) and (len(kinds) == 1 or len(kinds) > 1 and all(map(DATE.match, kinds)))


def events(frame: pd.DataFrame, name: str, event: str | None = None) -> np.ndarray:
    """A column of two labels as zeros and ones.

    Raises
    ------
    ValueError
        Not two labels, or it is not clear which is the event.

    Examples
    --------
    >>> events(pd.DataFrame({"y": ["no", "yes"]}), "y").tolist()
    [0, 1]
    """
    column = column_of(frame, name)
    if column.isna().any():
        labels = sorted(map(key, column.dropna().unique()))
        ways = " ".join(f"--only {shlex.quote(f'{name}={label}')}" for label in labels)
        bounds = "; if the outcome is not known, say --missing bounds"
        if len(labels) == 2 and (frame[column.isna()].isna().sum(axis=1) > 1).any():  # bounds need the forecasts
            bounds = ""
        refuse(frame, column, column.isna().to_numpy(), "expected an outcome",
                f"; if that is the name of a class, give it another one{bounds}"
                + ("; if a blank means no, --missing no" if of_one_label(column) else "")
                + (f"; if such a row should not count, {ways} leaves it out" if len(labels) == 2 else ""))
    try:
        kinds = list({key(kind): kind for kind in pd.unique(column)}.values())
    except TypeError as error:
        raise ValueError(f"column {name!r} holds {type(column.iloc[0]).__name__}s, not labels") from error
    words = {kind: key(kind) for kind in kinds}
    if len(kinds) == 1:
        raise ValueError(f"column {name!r} contains only one outcome ({words[kinds[0]]}); two are needed")
    if len(kinds) > 2 and len({word.lower() for word in words.values()}) == 2:
        raise ValueError(f"column {name!r} has labels that differ only in spaces or capitals, "
                         f"{', '.join(map(repr, words.values()))}: make them one")
    if len(kinds) > 2:
        raise ValueError(f"column {name!r} must have two labels, it has {len(kinds)}: "
                         f"{', '.join(list(words.values())[:4])}{', ...' if len(kinds) > 4 else ''}"
                         f"{_counted(frame, name) or _two_of(name, column, event)}")
    for kind in kinds:
        if HIDDEN.search(words[kind]):
            raise ValueError(f"column {name!r} has a label with a line break or another invisible character, "
                             f"{words[kind]!r:.60}: rename it")
    if event is not None:
        chosen = [kind for kind in kinds if words[kind].lower() == key(event).lower()]
        if len(chosen) > 1:
            raise ValueError(f"column {name!r} has {len(chosen)} labels like {event!r}, which differ in blanks or "
                             "capitals: make them one")
        if not chosen:
            raise ValueError(f"column {name!r} has no label {event!r}; it has {', '.join(words.values())}")
    else:
        chosen = [kind for kind in kinds if words[kind].lower() in YES]
        if len(chosen) != 1 or len(kinds) == 2 and {"1", "2"} == set(words.values()):
            labels = sorted(words.values())
            raise ValueError(f"which label of column {name!r} is the event? Add --event {shlex.quote(labels[0])} "
                             f"or --event {shlex.quote(labels[1])}")
    return column.map({kind: key(kind) == words[chosen[0]] for kind in pd.unique(column)}).to_numpy().astype(int)


def keys(kinds: Iterable[Any]) -> list[str]:
    """The `key` of each value.

    Examples
    --------
    >>> keys(["0.25", "a"]), keys(["0.250", 1])
    (['0.25', 'a'], ['0.25', '1'])
    """
    kept = as_list(kinds)
    return kept if known_as_written(kept) else [key(kind) for kind in kept]


def known_as_written(kinds: Iterable[Any]) -> bool:
    """Is each value text and its own `key`? False where it takes longer to see.

    Examples
    --------
    >>> known_as_written(["0.25", "a"]), known_as_written(["0.250"])
    (True, False)
    """
    lines = one_a_line(kinds)
    return bool(lines) and not OTHER_KEY.search(lines)


def key(value: Any) -> str:
    """What a label, an answer, a class or a group is known by: what the file wrote, and a number by its value.

    So 1.0 and 1 are the same, 1234567 and 1234568 are not, and 01 is a code, not the number 1.

    Examples
    --------
    >>> key("1.0"), key(1), key(" Paris "), key("01"), key("12345678901234567891"), key("2e1")
    ('1', '1', 'Paris', '01', '12345678901234567891', '2e1')
    """
    text = str(value).strip()
    if not PLAIN.fullmatch(text) or re.match(r"[-+]?0\d", text):
        return text
    whole, _, rest = text.lstrip("+").partition(".")
    rest = rest.rstrip("0")
    return f"{whole or '0'}.{rest}" if rest else "0" if whole in ("", "-", "-0") else whole


def codes(frame: pd.DataFrame, name: str, classes: list[str]) -> np.ndarray:
    """A column of class names as numbers, their places among the classes.

    Raises
    ------
    ValueError
        A label that is not one of the classes; the message says which line.

    Examples
    --------
    >>> codes(pd.DataFrame({"y": ["ill", "well"]}), "y", ["well", "ill"]).tolist()
    [1, 0]
    """
    column = column_of(frame, name)
    places = {key(kind): place for place, kind in enumerate(classes)}
    found = np.array([places.get(key(value), -1) for value in column])
    if (found < 0).any():
        refuse(frame, column, found < 0, f"expected one of the classes {', '.join(classes)}")
    return found


def right_or_wrong(frame: pd.DataFrame, name: str) -> np.ndarray:
    """A column of right and wrong answers as ones and zeros.

    Examples
    --------
    >>> right_or_wrong(pd.DataFrame({"a": ["right", "wrong", "yes"]}), "a").tolist()
    [1.0, 0.0, 1.0]
    """
    column = column_of(frame, name)
    words = [key(value).lower() for value in column]
    unknown = np.array([word not in RIGHT | WRONG for word in words])
    if unknown.any():
        hint = " (partly right: is that worth half a right answer? Choose 1 or 0)" if "p" in words else ""
        refuse(frame, column, unknown, "expected 1 or 0, right or wrong, C or I", hint)
    return np.array([float(word in RIGHT) for word in words])


def same_words(frame: pd.DataFrame, truth: str, columns: dict[str, str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Right answers and given ones as numbers that are equal where the words are; blanks and capitals do not count.

    Examples
    --------
    >>> same_words(pd.DataFrame({"y": ["Paris", "4"], "a": ["paris ", "5"]}), "y", {"m": "a"})[1]["m"].tolist()
    [0.0, 2.0]
    """
    texts = [[key(value).lower() for value in column_of(frame, name)] for name in (truth, *columns.values())]
    missing = column_of(frame, truth).isna().to_numpy()
    if missing.any():
        refuse(frame, column_of(frame, truth), missing, "expected an answer")
    number: dict[str, float] = {}
    y, *given = [np.array([number.setdefault(text, float(len(number))) for text in column]) for column in texts]
    return y, dict(zip(columns, given, strict=True))


def _two_of(name, column, event):
    """How to keep the rows of two labels: the event, if it is said, and the most frequent ones."""
    often = column.map(key).value_counts()
    first = sorted(often.index, key=lambda word: word != str(event))[:2]  # sorting keeps the order by frequency
    both = " ".join(f"--only {shlex.quote(f'{name}={word}')}" for word in sorted(first))
    three = "; of cases that were followed, one label may be a competing event, --time, --horizon and --competing" if (
        set(often.index) == {"0", "1", "2"}) else ""
    return (f". With a forecast for each label, say --decision acts; where some labels count as the event and the "
            f"others do not, make a column that says so{three}. Cases of two labels are kept by {both}: the answer is "
            f"then about these alone") if len(often) <= MOST_LABELS else ""


def _counted(frame, name):
    """Of an outcome that counts events: the column of cases, whole numbers that are never smaller, and the option."""
    rare = ~column_of(frame, name).isin(column_of(frame, name).value_counts().index[:2]).to_numpy()
    for other in frame.columns if rare.mean() < 0.5 else []:
        total = frame[other].astype("string").str.contains(r"\b(?:sub)?totals?\b|\bmean\b|\bsum\b", case=False)
        if total.fillna(False)[rare].all():
            return (f"; line {line_of(frame, int(np.argmax(rare)))} says {frame[other].iloc[int(np.argmax(rare))]} in "
                    f"column {other!r}: a total is not a case, take such rows out")
    count = pd.to_numeric(column_of(frame, name), errors="coerce").to_numpy(float)
    between = (count >= 0).all() and (count <= 1).all()
    if between and set(count) > {0, 1} and np.isin(count, (0, 1)).mean() > 0.8:
        ways = " ".join(f"--only {shlex.quote(f'{name}={kind}')}" for kind in (0, 1))
        return f"; if the others are neither, as ties are, leave them out: {ways}"
    if between:
        return (f"; are these forecasts, and is the outcome another column? Or are they shares, as of several judges? "
                f"Then make two columns of whole numbers, 100 times {name} as EVENTS and 100 as CASES: --count "
                f"EVENTS,CASES instead of --truth counts each row by its share")
    if not (count >= 0).all() or (count % 1).any() or len(set(count)) <= MOST_LABELS:
        return ""
    rest = [other for other in frame.columns if WITHOUT.search(str(other)) and other != name]
    if rest and (pd.to_numeric(frame[rest[0]], errors="coerce").to_numpy(float) % 1 == 0).all():
        return (f". If each row stands for many cases, {name} of them with the event and {rest[0]} without: --count "
                f"{name},{name}+{rest[0]} instead of --truth")
    for other in frame.columns:
        cases = pd.to_numeric(frame[other], errors="coerce").to_numpy(float)
        if other != name and (cases >= np.maximum(count, 1)).all() and not (cases % 1).any() and (
                np.ptp(cases) + 1 != len(cases)):  # numbers of rows are not numbers of cases
            return (f". If each row stands for many cases, {other} of them, of which {name} had the event: --count "
                    f"{name},{other} instead of --truth. If {other} had none, --count {name},{name}+{other}")
    return ""


def abstentions(frame: pd.DataFrame, name: str) -> np.ndarray:
    """Where a column of confidences is blank, or holds a word for no answer; a mask of shape (n,).

    Examples
    --------
    >>> abstentions(pd.DataFrame({"c": [0.5, None, "abstained"]}), "c").tolist()
    [False, True, True]
    """
    column = column_of(frame, name)
    words = column.astype("string").str.strip().str.lower().isin(["", *SILENT])
    return (column.isna() | words.fillna(False)).to_numpy(dtype=bool)


def labels(frame: pd.DataFrame, name: str, event: str | None = None) -> tuple[Any, Any]:
    """The label that counts as the event, and the other one.

    Examples
    --------
    >>> labels(pd.DataFrame({"y": ["no", "yes"]}), "y"), labels(pd.DataFrame({"y": [0, 1]}), "y")
    (('yes', 'no'), (1, 0))
    """
    column = column_of(frame, name)
    if event is None and {key(kind) for kind in column.unique()} == {"0", "1"}:
        return 1, 0
    y = events(frame, name, event)
    return column.iloc[int(np.argmax(y))], column.iloc[int(np.argmin(y))]


def one_of_two(frame: pd.DataFrame, name: str, event: Any, other: Any) -> np.ndarray:
    """A column of two labels that are known already, as ones and zeros.

    Raises
    ------
    ValueError
        Another label; the message says which line.

    Examples
    --------
    >>> one_of_two(pd.DataFrame({"y": ["no", "yes", "no"]}), "y", "yes", "no").tolist()
    [0, 1, 0]
    """
    column = column_of(frame, name)
    words = column.map({kind: key(kind) for kind in column.dropna().unique()})
    one = (words == key(event)).fillna(False).to_numpy(dtype=bool)
    unknown = ~(one | (words == key(other)).fillna(False).to_numpy(dtype=bool))
    if unknown.any():
        refuse(frame, column, unknown, f"expected {event} or {other}")
    return one.astype(int)


def blocks(frame: pd.DataFrame, groups: str | None, number: int) -> np.ndarray:
    """A block for each case: by its group, all of a group in one block, or by the number of its row.

    Both are hashed: rows that come in a rhythm, such as the hours of days, are not all in the same block.

    Examples
    --------
    >>> blocks(pd.DataFrame({"a": [1, 2, 3]}), None, 2).tolist()
    [0, 1, 0]
    """
    if groups is None:
        rows = frame.attrs.get("before", 0) + np.arange(len(frame), dtype=np.uint64)
        return pd.util.hash_array(rows) % number
    column = column_of(frame, groups)
    if column.isna().any():
        refuse(frame, column, column.isna().to_numpy(), "expected a group")
    words = [key(value) for value in column.unique()]
    codes_of = dict(zip(column.unique(), pd.util.hash_array(np.array(words, dtype=object)), strict=True))
    return column.map(codes_of).to_numpy(dtype=np.uint64) % number


def groups(frame: pd.DataFrame, name: str) -> np.ndarray:
    """A column of groups: as whole numbers where all are, so that 9 comes before 10, else as text.

    Examples
    --------
    >>> groups(pd.DataFrame({"g": ["20251000000001", "20251000000002"]}), "g").tolist()
    [20251000000001, 20251000000002]
    """
    column = column_of(frame, name)
    if column.isna().any():
        refuse(frame, column, column.isna().to_numpy(), "expected a group",
                "; to take each case for itself, --groups none")
    words = column.map({value: key(value) for value in column.unique()})
    if words.str.fullmatch(r"-?\d{1,18}").all() and not words.str.match(r"-?0\d").any():
        return words.astype("int64").to_numpy()
    return words.to_numpy(dtype=object)
