"""The judgement that the command line, the report and the bench share: one table of names, limits and sentences.

The table is rules.json, which the bench's scripts read too.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["RULES", "column_remarks", "name_tokens", "say", "taken_by_name"]

RULES: dict[str, Any] = json.loads((Path(__file__).parent / "rules.json").read_text(encoding="utf-8"))


def say(sentence: str, **words: Any) -> str:
    """A sentence of the table, filled in.

    Examples
    --------
    >>> say("same", first="a", name="b")
    'a and b cost the same on these cases.'
    """
    return RULES["sentences"][sentence].format(**words)


def name_tokens(name: Any) -> set[str]:
    """The words of a column's name, in small letters.

    Examples
    --------
    >>> sorted(name_tokens("start-Date_2"))
    ['2', 'date', 'start']
    """
    return set(re.split(r"[^a-z0-9]+", str(name).lower()))


def taken_by_name(frame: pd.DataFrame, role: str) -> Any:
    """The column that is taken as weights or as groups because of its name, or None.

    Groups must repeat: at least six values, fewer than rows.

    Examples
    --------
    >>> taken_by_name(pd.DataFrame({"y": range(20), "patient": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] * 2}), "groups")
    'patient'
    """
    names = [name for name in frame.columns if role != "groups" or _repeats(frame[name])]
    matches = [name for wanted in RULES[role] for name in names if str(name).lower() == wanted]
    return matches[0] if matches else None


def column_remarks(frame: pd.DataFrame, special: set[Any], models: set[str]) -> list[str]:
    """What the names of other columns suggest: rows that belong together, or rows in order of time.

    Nothing is said where groups are named; `special` holds the names of outcome, weights and groups.

    Examples
    --------
    >>> column_remarks(pd.DataFrame({"y": range(20), "day": range(20)}), {"y"}, set())[0][:27]
    'Column day looks like time.'
    """
    remarks = []
    for name in frame.columns:
        if name in special or str(name) in models:
            continue
        words = name_tokens(name)
        if words & set(RULES["date_words"]):
            remarks.append(say("dates", column=name))
        elif _repeats(frame[name]) and (words & set(RULES["group_words"]) or _like_ids(frame[name])):
            remarks.append(say("groups", column=name, kinds=f"{frame[name].nunique():,}", rows=f"{len(frame):,}"))
    return remarks


def _like_ids(column):
    """Whatever it is called: every value as often as the others, twice or more, or all rows of a value in a row."""
    words = column.astype(str)
    often, runs = words.value_counts(), int((words != words.shift()).sum())
    return bool(often.min() > 1 and (often.nunique() == 1 or runs == often.size))


def _repeats(column):
    try:
        kinds = column.nunique(dropna=False)
    except TypeError:  # lists or dictionaries
        return False
    return RULES["least_groups"] <= kinds < len(column)
