"""What names and values of columns say by themselves: weights, rows that belong together, rows in order of time.

Implements no part of a source.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pwu_lite.reporting.rules import RULES, say

from .as_labels import key, keys

__all__ = ["Columns", "name_tokens"]

EXPORTS: dict[str, Any] = json.loads((Path(__file__).parent / "exports.json").read_text(encoding="utf-8"))
MOST_KINDS = 100_000  # values of a column that are counted, unless its name is one of groups


def name_tokens(name: Any) -> set[str]:
    """The words of a column's name, in lower case.

    Examples
    --------
    >>> sorted(name_tokens("start-Date_2"))
    ['2', 'date', 'start']
    """
    return set(re.split(r"[^a-z0-9]+", str(name).lower()))


class Columns:
    """How the values of each column repeat, added up piece by piece.

    Examples
    --------
    >>> columns = Columns()
    >>> columns.add(pd.DataFrame({"y": range(20), "patient": [*range(10)] * 2}))
    >>> columns.taken("groups", ["y", "patient"])
    'patient'
    """

    def __init__(self) -> None:
        self.rows = 0
        self.often: dict[Any, Counter[Any] | None] = {}  # rows of each value; None: too many values to count
        self.runs: Counter[Any] = Counter()  # stretches of equal values
        self.last: dict[Any, Any] = {}

    def add(self, frame: pd.DataFrame) -> None:
        """Look at a piece."""
        for name in frame.columns if len(frame) else []:
            self._count(name, frame[name])
        self.rows += len(frame)

    def _count(self, name, column):
        known = self.often.setdefault(name, Counter())
        if known is None:
            return
        try:
            codes, kinds = pd.factorize(column, use_na_sentinel=False)
        except TypeError:  # lists or dictionaries
            self.often[name] = None
            return
        if len(known) + len(kinds) > MOST_KINDS and not self._is_group(name):
            self.often[name] = None
            return
        words = keys(kinds) if not pd.isna(kinds).any() else [None if pd.isna(kind) else key(kind) for kind in kinds]
        for word, number in zip(words, np.bincount(codes, minlength=len(words)).tolist(), strict=True):
            known[word] += number
        self.runs[name] += int(np.count_nonzero(np.diff(codes))) + (
            not self.rows or self.last[name] != words[codes[0]])
        self.last[name] = words[codes[-1]]

    @staticmethod
    def _is_group(name):
        return bool(name_tokens(name) & set(RULES["group_words"])) or str(name).lower() in RULES["groups"]

    def repeat(self, name: Any) -> bool:
        """At least six values, and fewer than rows?"""
        known = self.often[name]
        return known is not None and RULES["least_groups"] <= len(known) < self.rows

    def taken(self, role: str, names: Iterable[Any]) -> Any:
        """The column that is taken as weights or as groups because of its name, or None; groups must repeat."""
        likely = [name for name in names if role != "groups" or self.repeat(name)]
        return next((name for wanted in RULES[role] for name in likely if str(name).lower() == wanted), None)

    def remarks(self, special: set[Any], models: set[str]) -> list[str]:
        """What other columns suggest: rows that belong together, or rows in order of time."""
        found = []
        for name, known in self.often.items():
            if name in special or str(name) in models:
                continue
            words = name_tokens(name)
            if words & set(RULES["date_words"]) and (known is None or _like_times(known)):
                found.append(say("dates", column=name))
            elif known and self.repeat(name) and (words & set(RULES["group_words"]) or self._like_ids(name)):
                found.append(say("groups", column=name, typed=shlex.quote(str(name)), rows=f"{self.rows:,}",
                                 kinds=f"{len(known) - (None in known):,}"))
        return found

    def _like_ids(self, name):
        """Whatever it is called: every value as often as the others, twice or more, or all rows of a value in a row."""
        known = self.often[name] or Counter()
        often = set(known.values())
        return min(often) > 1 and (len(often) == 1 or self.runs[name] == len(known))


def _like_times(known):
    """More than two values, most of which have a digit and are not fractions."""
    kinds = [str(kind) for kind in known if kind is not None]
    fits = [kind for kind in kinds if re.search(r"\d", kind) and not re.fullmatch(r"-?\d*\.\d*[1-9]0*", kind)]
    return len(kinds) > 2 and len(fits) > len(kinds) / 2
