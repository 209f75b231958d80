"""What the values of a file say about its design: rows that models were fitted to, models in rows, whose confidence.

Names are one witness among others. What would make a silent wrong number is refused, with the option that answers it;
what may be right is remarked.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import as_labels, as_numbers, tables
from .as_numbers import column_of, line_of
from .columns import EXPORTS, name_tokens

__all__ = ["Parts", "alike_rows", "as_models", "balanced", "by_label", "chosen_rows", "confidence_of", "constant",
           "derived", "design", "is_event", "is_split", "is_words", "limits", "nearly_same_design", "other_labels",
           "pooled",
           "refuse_design_in_pieces", "refuse_fitted", "refuse_same_files", "refuse_totals", "refuse_weights",
           "repeated", "same_design", "typed"]

FITTED = {"train", "training", "trained", "tr", "fit", "fitted", "learn", "learning", "development", "derivation",
          "estimation", "lern", "entwicklung", "modelling", "modeling", "treino", "addestramento", "\u8bad\u7ec3\u96c6",
          "calibration", "insample", "ins", "in_sample", "apprentissage", "entrainement", "lernen", "entrenamiento"}
HELD_OUT = {"test", "testing", "te", "valid", "validate", "validation", "val", "holdout", "hold_out", "eval",
            "hold", "backtest", "teste", "verifica", "validierung", "\u6d4b\u8bd5\u96c6", "\u9a8c\u8bc1\u96c6",
            "evaluation", "oob", "oot", "oos", "oof", "outofsample", "out_of_sample", "cv", "prueba"}
PLAIN_FITTED = {"dev", "build", "reference", "ref", "t", "appr", "discovery"}
PLAIN_HELD_OUT = {"external", "replication", "new", "production", "prod", "score", "analysis", "v", "public", "private"}
IGNORED = {"ignored", "ignore", "unused", "excluded"}
SPLITS = {"split", "splits", "partition", "partind", "set", "subset", "dataset", "sample", "part", "role", "phase",
          "menge", "usage", "purpose", "period", "stage",
          "stichprobe", "cohort", "jeu", "conjunto", "campione"}  # what a column is called that tells them apart
FLAGS = {"train", "training", "trained", "istrain", "istraining", "inbag", "test", "istest", "holdout", "oof", "oob",
         "validation", "isvalidation", "isholdout", "isoof", "insample", "oos", "outofsample", "oot",
         "selected"}  # of two values each
OF_A_FINDING = {"pos", "neg", "positive", "negative", "+", "-", "reactive", "nonreactive"}  # of a test in medicine
YES_NO = {"0", "1", "0.0", "1.0", "y", "n", "yes", "no", "true", "false", "t", "f"}
WEIGHT = re.compile(r"weight|wgh?t|gewicht|poids|peso|ponder|^wt|wt$|^i?p[ct]?w$|iptw|ipcw|^sw$|fexp|raking|hochrechn|"
                    r"mec\d*yr|h(?:ä|ae)ufigkeit", re.IGNORECASE)
MAYBE_WEIGHT = {"freq", "frequency", "count", "counts", "cnt", "num", "obs", "volume", "f0", "exposure", "exposition",
                "policies", "w", "n", "factor", "prob", "inv", "expansion"}
TOTALS = {"total", "totals", "sum", "mean", "average", "avg", "median", "grand total", "summe", "mittelwert", "gesamt",
          "somme", "moyenne"}
EXTREMES = {"min", "max", "std", "sd", "minimum", "maximum", "count", "n", "25%", "50%", "75%"}
MOST_FOOT = 10  # lines below the cases
OF_AN_ANSWER = {"right", "correct", "answer", "confidence"}  # a model's own, also as words
LOWER_END = {"lcl", "lcb", "lb", "lower", "lwr"}
UPPER_END = {"ucl", "ucb", "ub", "upper", "upr"}
BODY = {"birth", "body", "kg", "lb", "lbs", "gain", "loss", "height", "bmi"}
MOMENT = re.compile("mean|mu|std|sd|sigma", re.IGNORECASE)  # a model's own, even where models have the same
ENDS = (r"lower|low?|lc[li]|[qp]?0?2[._]?5%?|[qp]0?5|[qp]?10",
        r"upper|hi(?:gh)?|uc[li]|[qp]?97[._]?5%?|[qp]95|[qp]?90")  # what an interval's are called
MOST_PARTS, MOST_SPLITS, LEAST_ROWS, LEAST_OWN, MOSTLY = 200, 6, 10, 5, 0.8
MODEL = {word for word in EXPORTS["long"]["model"] if word.isalpha()}
MOST_TREND = 0.7  # rank correlation of a number with the mean difference: then it is a feature
FEW_TWICE = 0.1  # of the rows may say a case of a model again: then they are told by line
MOST_NAMING = 8  # columns of text, pairs of which may name models
ROUNDED, FAR = 2e-3, 0.1  # closer than numbers of two or three digits are written
LEAST_WIDER = 1.3  # times as wide: then rows that are alike are remarked


def chosen_rows(frame: pd.DataFrame, only: Sequence[str] | None) -> pd.DataFrame:
    """The rows of ``COLUMN=VALUE``; several values of one column are one or the other, several columns both.

    Raises
    ------
    ValueError
        No such column, or no row with this value.

    Examples
    --------
    >>> table = pd.DataFrame({"split": ["train", "test", "test"], "p": [0.1, 0.2, 0.3]})
    >>> chosen_rows(table, ["split=test"])["p"].tolist()
    [0.2, 0.3]
    """
    wanted: dict[str, set[str]] = {}
    for text in only or ():
        name = next((name for name in sorted(map(str, frame.columns), key=len, reverse=True)
                     if text.startswith(f"{name}=")), None)
        if name is None:
            raise ValueError(f"--only must be COLUMN=VALUE with a column of the file, got {text!r}; the columns are: "
                             f"{', '.join(map(str, frame.columns[:20]))}")
        value = text[len(name) + 1:]
        wanted.setdefault(name, set()).add(value if value in {*_keys(frame[name])} else as_labels.key(value))
    kept = np.ones(len(frame), bool)
    for name, values in wanted.items():
        keys = _keys(frame[name])
        if unknown := sorted(values - set(keys)):
            raise ValueError(f"--only {name}={unknown[0]}: no row has it; column {name!r} has "
                             f"{', '.join(sorted(set(keys))[:10])}")
        kept &= keys.isin(values).to_numpy()
    if not wanted:
        return frame
    if not kept.any():
        raise ValueError("no row is left by --only")
    return tables.kept_rows(frame, kept)


def refuse_fitted(sizes: Mapping[str, Mapping[str, int]]) -> None:
    """Rows that the models were fitted to, beside others.

    Parameters
    ----------
    sizes : mapping from name of column to mapping
        Number of rows by value, of columns that have few.

    Raises
    ------
    ValueError
        A column says train in some rows and test in others.

    Examples
    --------
    >>> refuse_fitted({"time": {"dawn": 7, "dusk": 2}})
    """
    for name, size in sizes.items():
        called = _words(name) & SPLITS
        beside = {"dev", "build"} if any(_words(str(kind)) & HELD_OUT for kind in size) else set()
        fits, holds = (FITTED | PLAIN_FITTED, HELD_OUT | PLAIN_HELD_OUT) if called else (FITTED | beside, HELD_OUT)
        fitted = [kind for kind in size if _words(str(kind)) & fits]
        held = [kind for kind in size if kind not in fitted and _words(str(kind)) & holds]
        values = {str(kind).strip().lower() for kind in size}
        plain = re.sub("[^a-z]+|flag", "", name.lower())
        flag = len(size) == 2 and not values & OF_A_FINDING and (plain in FLAGS or bool(
            _words(name) & {"train", "training", "trained"}) and values <= YES_NO)
        ignored = [kind for kind in size if called and str(kind).strip().lower() in IGNORED]
        if ignored and len(size) <= MOST_SPLITS:
            rest = " ".join(f"--only {typed(f'{name}={kind}')}" for kind in sorted(map(str, size))
                            if kind.strip().lower() not in IGNORED)
            raise ValueError(f"column {name!r} says {ignored[0]} in {size[ignored[0]]:,} of {sum(size.values()):,} "
                             f"rows: say {rest}, or repeat --only for all the rows that count")
        coded = name.lower() == "validation" and {str(kind).strip() for kind in size} <= {"0", "1", "2"}  # JMP's
        numbered = (coded or called & {"split", "partition", "partind"}) and 2 <= len(size) <= 3 and not held
        if len(size) <= MOST_SPLITS and fitted and held:
            raise ValueError(f"column {name!r} says {fitted[0]} in {size[fitted[0]]:,} of {sum(size.values()):,} rows, "
                             f"to which a model may have been fitted: say --only {typed(f'{name}={held[0]}')}, or "
                             f"repeat --only for all the rows that count")
        if flag or numbered:
            both = " or ".join(f"--only {typed(f'{name}={kind}')}" for kind in sorted(map(str, size)))
            raise ValueError(f"column {name!r} may say to which rows a model was fitted: say {both}, or repeat --only "
                             f"for all the rows that count")


class Parts:
    """Which values cut the rows into few parts, by outcome; piece by piece.

    Examples
    --------
    >>> parts = Parts("y", set())
    >>> parts.add(pd.DataFrame({"y": [0, 1] * 20, "split": ["dawn", "dawn", "dusk", "dusk"] * 10}))
    >>> parts.balanced()
    ['split']
    """

    def __init__(self, truth: str, special: set[Any]) -> None:
        self.truth, self.special = truth, special
        self.rows: dict[str, Counter[str]] = {}  # by value, of columns that have few
        self.outcomes: dict[str, Counter[str]] = {}  # sums of the outcomes' random numbers, by value
        self.many: set[str] = set(special)
        self.seen: set[Any] = set()  # some outcomes

    def add(self, frame: pd.DataFrame) -> None:
        """Count a piece."""
        outcome = _hashed(frame[self.truth])
        self.seen |= set(outcome[:100])
        for name in frame.columns:
            if name in self.many:
                continue
            column, rows = frame[name], self.rows.setdefault(name, Counter())
            broken = pd.api.types.is_float_dtype(column) and (column % 1 > 0).any()
            number, kinds = pd.factorize(_keys(column)) if not broken and column.nunique() <= MOST_PARTS else ([], [])
            sums = np.zeros(len(kinds), np.uint64)
            np.add.at(sums, number, outcome[:len(number)])
            rows.update(dict(zip(kinds, np.bincount(number, minlength=len(kinds)).tolist(), strict=True)))
            self.outcomes.setdefault(name, Counter()).update(dict(zip(kinds, sums.tolist(), strict=True)))
            if not len(number) or len(rows) > MOST_PARTS:
                self.many.add(name)
                del self.rows[name]

    def balanced(self) -> list[str]:
        """Columns of which each value has the same number of cases with each outcome."""
        return [name for name, rows in self.rows.items() if len(rows) > 1 and len(self.seen) > 1
                and len(set(rows.values())) == 1 and rows.most_common(1)[0][1] >= LEAST_ROWS
                and len({total % 2**64 for total in self.outcomes[name].values()}) == 1]


def refuse_design_in_pieces(pieces: Callable[[], Iterable[pd.DataFrame]], parts: Parts) -> None:
    """As `design`, for a file that is too large to be sorted: the same sums of random numbers for all parts.

    Parameters
    ----------
    pieces : function
        Of no argument: the pieces of the file, from its start.
    parts : Parts
        Of all of them.

    Raises
    ------
    ValueError
        With the column whose values have the same cases.
    """
    for name in sorted(parts.balanced(), key=lambda name: len(parts.rows[name])):
        kinds = list(parts.rows[name])
        alike: list[str] | None = None
        for last in (False, True):  # which columns have the same values in each part; and whether in the same rows
            sums: dict[str, np.ndarray] = {}
            for frame in pieces():
                part = pd.Index(kinds).get_indexer(_keys(frame[name]))
                columns = {other: _hashed(frame[other]) for other in alike or frame.columns
                           if other != name and other not in parts.special}
                case = sum(columns.values(), _hashed(frame[parts.truth]))
                for other, number in ({"": pd.util.hash_array(case)} if last else columns).items():
                    total = sums.setdefault(other, np.zeros(len(kinds), np.uint64))
                    np.add.at(total, part, number)
            alike = [other for other, total in sums.items() if (total == total[0]).all()
                     and len(parts.rows.get(other, "two")) > 1]
            if not alike:
                break
        if alike:
            raise ValueError(f"the file seems to have one row per model, setting or member, not per case: column "
                             f"{name!r} cuts the rows into {len(kinds)} parts with the same cases and outcomes. Give "
                             f"it the rows of one of them, or a column for each")


def same_design(frame: pd.DataFrame, truth: str | None, special: set[Any],
                only: str | None = None) -> tuple[str, list[str]] | None:
    """The column that cuts the rows into parts with the same cases, and the columns that identify a case; or None.

    Each part has the same outcomes, by the values of those columns, or, if there are none, in the order of the rows.
    Without a column of outcomes the values must tell. `only` asks about one column, however few its rows.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [0, 1] * 20, "id": [*range(20)] * 2, "learner": ["a"] * 20 + ["b"] * 20})
    >>> same_design(table, "y", {"y"})
    ('learner', ['id'])
    """
    others = [name for name in frame.columns if name not in special]
    outcome = np.zeros(len(frame), int) if truth is None else _codes(frame[truth])
    codes = {name: _codes(frame[name]) for name in others}
    marks = np.zeros((len(frame), 0), np.int64)
    for name, code in sorted(codes.items(), key=lambda one: int(one[1].max(initial=0))):  # fewest parts first
        sizes = np.bincount(code)
        parts, size = len(sizes), sizes[0]
        few = (size < 3 or (parts - 1) * size < 2 * LEAST_ROWS or (truth is None and size < LEAST_ROWS)) and not only
        if parts < 2 or (sizes != size).any() or few or only not in (None, name):
            continue
        order = np.argsort(code, kind="stable")
        rows = outcome[order].reshape(parts, size)
        if (np.sort(rows) != np.sort(rows[0])).any() or (truth is not None and len(set(rows[0])) < 2):
            continue
        # A random number for each value of each column: two parts have the same values if, but for chances below
        # 1e-9, the sums are the same.
        marks = marks if marks.shape[1] else _marked(list(codes.values()))
        values = marks[order].reshape(parts, size, -1)
        sums = values.sum(axis=1)
        alike = np.flatnonzero((sums == sums[0]).all(axis=0) & (values[0] != values[0, 0]).any(axis=0))
        kinds = [len(set(values[0, :, place])) for place in alike]
        case, key = np.zeros((parts, size), np.int64), list[str]()
        for place in alike[np.argsort(kinds, kind="stable")[::-1]]:
            case, key = case + values[:, :, place], [*key, str(others[place])]
            if len(set(case[0])) == size:
                by_case = np.argsort(case, axis=1)
                cases, outcomes = (np.take_along_axis(one, by_case, axis=1) for one in (case, rows))
                if (cases == cases[0]).all() and (outcomes == outcomes[0]).all():
                    return str(name), key
                break
        if (rows == rows[0]).all() and size >= LEAST_ROWS and _changes(rows[0]) >= 4 and not _is_periodic(rows[0]):
            return str(name), []
    return None


def nearly_same_design(frame: pd.DataFrame, truth: str | None, special: set[Any],
                       only: str | None = None) -> tuple[str, list[str]] | None:
    """As `same_design`, where some cases are missing from some parts: by one column, which has each case once a part.

    Most of its values stand in two parts or more, and always with the same outcome.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [0, 1] * 12, "id": [*range(12)] * 2, "learner": ["a"] * 12 + ["b"] * 12})
    >>> nearly_same_design(table.iloc[:-1], "y", {"y"})
    ('learner', ['id'])
    """
    outcome = np.zeros(len(frame), int) if truth is None else _codes(frame[truth])
    codes = {str(name): _codes(frame[name]) for name in frame.columns if name not in special}
    for key, case in codes.items():
        often = np.bincount(case)
        shared = LEAST_ROWS if only else MOSTLY * len(often)  # whoever names the models says that cases come again
        kinds = outcome.max(initial=0) + 1  # nearly a number of its own for each case: then few cases tell enough
        each_its_own = kinds >= max(LEAST_OWN, MOSTLY * len(often)) and len(often) <= len(frame) / 4
        if len(often) < LEAST_ROWS and not each_its_own or np.sum(often > 1) < min(shared, len(often)) or (
                truth is not None and not outcome.any()):
            continue
        if _pairs(case, outcome) > len(often):  # a case has two outcomes
            continue
        if truth is not None and outcome.max() == 1 and _sorts(frame[key], outcome):  # the margin of a match
            continue
        for name, part in sorted(codes.items(), key=lambda one: int(one[1].max(initial=0))):
            few = 1 <= part.max() < MOST_PARTS and is_discrete(frame[name])
            named = truth is not None or only or name_tokens(name) & MODEL  # without outcomes the name must tell
            if name == key or not few or only not in (None, name) or not named:
                continue
            if _pairs(case, part) >= (1 - FEW_TWICE) * len(case):
                return name, [key]
    return None


def _sorts(column: pd.Series, outcome: np.ndarray) -> bool:
    """Is a number larger in each row of one outcome than in each of the other?"""
    number = pd.to_numeric(column, errors="coerce").to_numpy(float)
    one, two = (number[outcome == label] for label in (0, 1))
    return bool(np.isfinite(number).all() and (one.max() < two.min() or two.max() < one.min()))


def design(frame: pd.DataFrame, truth: str | None, special: set[Any]) -> str:
    """What is said of models, settings or submissions in rows, which are not cases, and the options; or "".

    Examples
    --------
    >>> design(pd.DataFrame({"y": [0, 1, 0], "site": ["a", "b", "b"]}), "y", {"y"})
    ''
    """
    found = same_design(frame, truth, special)
    nearly = "" if found else "nearly "
    found = found or nearly_same_design(frame, truth, special)
    if found is None:
        return _design_of_two(frame, truth, special)
    name, key = found
    kinds = list(dict.fromkeys(_keys(frame[name])))
    only, column = typed(f"{name}={kinds[0]}"), typed(name)
    own = typed(key[0]) if len(key) == 1 else "none"
    models = f"--model-column {column} to compare them (of members it makes an ensemble; say it again for a second "
    whole = not nearly or (_keys(frame[key[0]]).value_counts() == len(kinds)).any()  # else no case has all of them
    return (f"the file seems to have one row per model, setting or member, not per case: column {name!r} cuts the rows "
            f"into {len(kinds)} parts with {nearly}the same {_same(key)}. Say "
            f"{models + 'such column), ' if whole else ''}--only {only} for one, or --groups {own} if each row is a "
            f"case")


def _design_of_two(frame, truth, special):
    """The same of models that two columns of text name together: not every pair of their values need be there."""
    texts = (name for name in frame.columns if name not in special and not pd.api.types.is_numeric_dtype(frame[name])
             and 2 <= frame[name].nunique() <= MOST_PARTS)
    few = list(itertools.islice(texts, MOST_NAMING + 1))  # of a wide table no more are looked at
    for one, two in itertools.combinations(few, 2) if len(few) <= MOST_NAMING else ():
        both, name = _keys(frame[one]) + " " + _keys(frame[two]), f"{one} {two}"
        found = same_design(frame.drop(columns=[one, two]).assign(**{name: both}), truth, special)
        if found is not None and found[0] == name:
            own = typed(found[1][0]) if len(found[1]) == 1 else "none"
            only = " ".join(f"--only {typed(f'{part}={as_labels.key(frame[part].iloc[0])}')}" for part in (one, two))
            return (f"the file seems to have one row per model, not per case: columns {one!r} and {two!r} together cut "
                    f"the rows into {both.nunique()} parts with the same {_same(found[1])}. Say --model-column "
                    f"{typed(one)} --model-column {typed(two)} to compare them, {only} for one, or --groups {own} if "
                    f"each row is a case")
    return ""


def balanced(frame: pd.DataFrame, truth: str, special: set[Any]) -> list[str]:
    """Remarks on columns of text that cut the rows into parts of the same size, with each outcome as often.

    Examples
    --------
    >>> len(balanced(pd.DataFrame({"y": [0, 1] * 40, "algo": ["rf"] * 40 + ["gbm"] * 40}), "y", {"y"}))
    1
    """
    outcome, found = _codes(frame[truth]), []
    for name in map(str, frame.columns):
        column = frame[name]
        few = 2 <= column.nunique() <= min(MOST_PARTS, len(column) // (2 * LEAST_ROWS))
        if name in special or pd.api.types.is_numeric_dtype(column) or not few:
            continue
        code = _codes(column)
        sizes = np.bincount(code)
        if (sizes != sizes[0]).any() or sizes[0] < 2 * LEAST_ROWS or not outcome.any():
            continue
        if all(re.fullmatch(r"[-+.,\d]*", kind) for kind in _keys(column).unique()):
            continue
        rows = outcome[np.lexsort((outcome, code))].reshape(len(sizes), -1)
        if (rows == rows[0]).all():
            found.append(f"Column {name} cuts the rows into {len(rows)} parts of the same size, which have the same "
                         f"outcomes in another order: are they models of the same cases? With a column that names each "
                         f"case, --model-column {typed(name)} compares them.")
    return found


def pooled(frame: pd.DataFrame, special: set[Any]) -> list[str]:
    """A remark on a column of text that is called after models, whose rows are counted together.

    Examples
    --------
    >>> pooled(pd.DataFrame({"model_name": ["a", "b"] * 20}), set())[0]
    'model_name has 2 values, which are counted together: if they are models, --only model_name=a takes one of them.'
    """
    for name in map(str, frame.columns):
        kinds = _keys(frame[name])
        if name not in special and name_tokens(name) & MODEL and name_tokens(name) <= MODEL | {"name", "id"} and (
                is_words(frame[name]) and 2 <= kinds.nunique() <= min(MOST_PARTS, len(frame) // LEAST_ROWS)):
            return [f"{name} has {kinds.nunique()} values, which are counted together: if they are models, --only "
                    f"{typed(f'{name}={min(kinds)}')} takes one of them."]
    return []


def _other_outcomes(frame, truth):
    """What is said of files whose cases are the same by a column, and whose outcomes are not."""
    for key in frame.columns.difference(["file", truth]) if truth in frame else ():
        cases = frame.groupby("file")[key]
        if not (cases.nunique() == cases.size()).all() or len(cases) * frame[key].nunique() != len(frame):
            continue
        wide = frame.assign(**{truth: _keys(frame[truth])}).pivot(index=key, columns="file", values=truth)
        differ = (wide.nunique(axis=1) > 1).to_numpy()
        one, two = wide.columns[:2]
        return (f"the files have the same cases by {key}, and {differ.sum():,} of {len(wide):,} have another {truth} "
                f"in another file, such as {wide[one][differ].iloc[0]!r} and {wide[two][differ].iloc[0]!r}: write the "
                f"outcomes alike") if differ.any() else ""
    return ""


def typed(text: str) -> str:
    """A word as it is typed in a shell.

    Examples
    --------
    >>> typed("site"), typed(">50K")
    ('site', "'>50K'")
    """
    return shlex.quote(str(text))


def _same(key):
    listed = f"{', '.join(key[:3])}{' ...' if len(key) > 3 else ''}"
    return f"{listed} and outcomes" if key else "outcomes, in the same order"


def refuse_same_files(frame: pd.DataFrame, truth: str, special: set[Any]) -> None:
    """Files under one name are parts of a table; with the same cases they are models.

    Raises
    ------
    ValueError
        Each file has the same cases.
    """
    source = frame.attrs.get("source", frame.attrs.get("parts"))
    if source is None or len(set(source)) < 2:
        return
    found = same_design(frame.assign(**{"\0file": source}), truth, special, "\0file")
    if found and found[0] == "\0file":
        names = list(dict.fromkeys(source))
        if "parts" in frame.attrs:
            raise ValueError(f"the heading stands again, in {names[0].removeprefix('the part above ')}, and the parts "
                             f"have the same {_same(found[1])}: they are models. Save each part as a file and name "
                             f"these one by one")
        more = " ..." if len(names) > 3 else ""
        raise ValueError(f"{' and '.join(names[:2])} have the same {_same(found[1])}: they are models, not parts of "
                         f"one table. Name the files one by one: pwu compare {' '.join(names[:3])}{more}")


def as_models(frame: pd.DataFrame, truth: str | None, name: str, special: set[Any],
              pairwise: bool = False) -> pd.DataFrame:
    """One row for each case: columns that differ between the values of `name` become one column for each value.

    Cases that some values lack are left out, or, if models are compared pairwise, kept with gaps.

    Raises
    ------
    ValueError
        The parts have different cases.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [0, 1] * 12, "id": [*range(12)] * 2, "learner": ["a"] * 12 + ["b"] * 12,
    ...                       "p": np.arange(24) / 24})
    >>> list(as_models(table, "y", "learner", {"y"}))
    ['y', 'id', 'a', 'b']
    """
    column_of(frame, name)
    found = same_design(frame, truth, special - {name}, name)
    notes = list(frame.attrs.get("notes", []))
    if found is None and (found := nearly_same_design(frame, truth, special - {name}, name)):
        case = _keys(frame[found[1][0]])
        if (twice := frame.duplicated([name, found[1][0]])).any():
            place = int(np.argmax(twice))
            raise ValueError(f"--model-column {typed(name)}: line {line_of(frame, place)} has {case.iloc[place]!r} of "
                             f"{_keys(frame[name]).iloc[place]!r} again: keep one row for each, or if each row is a "
                             f"case say --groups {typed(found[1][0])}")
        whole = case.map(case.value_counts()) == _codes(frame[name]).max() + 1
        if pairwise:
            frame, whole = _with_gaps(frame, name, case), whole | True
        if not whole.any():
            raise ValueError(f"--model-column {typed(name)}: no case has every value of {name}, so there is none to "
                             f"compare them on. If each row is a case, name what repeats with --groups")
        if not whole.all():
            notes.append(f"{case[~whole].nunique():,} cases are left out: not every value of {name} has them.")
            frame = frame[whole.to_numpy()]
    if found is None:
        why = (_other_outcomes(frame, truth) or
               "no column tells which rows are the same case: the files need one, such as an id" if name == "file" else
               f"--model-column {typed(name)}: its values do not have the same cases, each once and with the same "
               f"outcome, by any other column")
        raise ValueError(why)
    keys = _keys(frame[name]).to_numpy()
    parts = {}
    for kind in dict.fromkeys(keys):
        part = frame[keys == kind].drop(columns=[name])
        part = part.sort_values(found[1], kind="stable", key=_keys) if found[1] else part
        parts[kind] = part.reset_index(drop=True)
    first = next(iter(parts.values()))
    differ = [column for column in first if MOMENT.fullmatch(str(column)) or str(column).lower() in OF_AN_ANSWER or any(
        not _keys(part[column]).equals(_keys(first[column])) for part in parts.values())]
    numbers = [column for column in differ if _is_number(frame[column]) or str(column).lower() in OF_AN_ANSWER]
    wide = first.drop(columns=differ)
    for kind, part in parts.items():
        label = kind if not re.fullmatch(r"[-+.\d]+", kind) else f"{name} {kind}"
        for column in numbers:
            level = re.search(r"(?:^|[ _.-])(q[._]?\d[\d.]*)$", str(column), re.IGNORECASE)
            own = label if len(numbers) == 1 else f"{label}_{column}"
            wide[f"{label}_{level[1]}" if level and len(numbers) == 1 else own] = part[column]
    wide.attrs = {"point": frame.attrs.get("point", False), "notes": notes}
    return wide


def _with_gaps(frame: pd.DataFrame, name: str, case: pd.Series) -> pd.DataFrame:
    """A row for each value of `name` and each case: what a case always has is filled in, and forecasts are missing."""
    every = pd.MultiIndex.from_product([frame[name].unique(), case.unique()])
    whole = frame.set_index([frame[name], case]).reindex(every)
    own = {column: pd.Series(frame[column].to_numpy(), index=case) for column in frame if column != name}
    for column, values in own.items():
        if (_keys(frame[column]).groupby(case).nunique() == 1).all():
            whole[column] = every.get_level_values(1).map(values[~values.index.duplicated()])
    whole[name] = every.get_level_values(0)
    whole = whole.reset_index(drop=True)
    whole.attrs = {key: value for key, value in frame.attrs.items() if key != "lines"}
    return whole


def refuse_weights(frame: pd.DataFrame, special: set[Any], models: Sequence[str], refuse: bool = True) -> list[str]:
    """Positive columns that are called weights are none of the models: refused, or only said.

    Returns
    -------
    list of str
        Remarks on columns that may be weights.

    Raises
    ------
    ValueError
        A column is called a weight.

    Examples
    --------
    >>> refuse_weights(pd.DataFrame({"freq": [1.0, 3.0]}), set(), [])
    ['Column freq may say how often each case counts: --weights freq takes it, --weights none does not.']
    """
    remarks, bodies = [], any(name_tokens(name) & BODY for name in frame.columns)
    spoken = [name_tokens(re.sub(r"([a-z])([A-Z])", r"\1_\2", str(name))) for name in frame.columns]
    for name, words in zip(map(str, frame.columns), spoken, strict=True):
        counts = {"cases", "obs", "observations"} & words and {"num", "number", "n", "no"} & words
        called = bool(counts) or any(WEIGHT.search(word) for word in words)
        maybe = len(words & MAYBE_WEIGHT) > (1 if words & {"factor", "prob", "inv", "expansion"} else 0)
        if name in special or not (called or maybe):
            continue
        try:
            values = as_numbers.values(frame[name])
        except ValueError:
            continue
        if not np.isfinite(values).any() or (values < 0).any() or not values.any() or words & BODY:
            continue
        if maybe and not called and sum(bool(own & words & MAYBE_WEIGHT) for own in spoken) > 2:  # features of a kind
            continue
        if maybe and not called and LEAST_ROWS < len(np.unique(values)) == len(values):  # numbers of accounts
            continue
        if refuse and ((called and not bodies) or name in models):
            others = [model for model in models if model != name]
            chosen = f" --models {typed(','.join(others))}" if name in models and others else ""
            raise ValueError(f"column {name!r} may be each case's weight: say --weights {typed(name)}, or --weights "
                             f"none{chosen}")
        remarks.append(f"Column {name} may say how often each case counts: --weights {typed(name)} takes it, --weights "
                       f"none does not.")
    return remarks


def constant(models: Mapping[str, np.ndarray]) -> dict[str, str]:
    """Columns of one value beside others are left out, and why.

    Examples
    --------
    >>> constant({"a": np.array([0.2, 0.7]), "THRESHOLD": np.array([0.5, 0.5])})
    {'THRESHOLD': 'the same number in all rows'}
    """
    flat = {name for name, values in models.items() if len(values) > 1 and np.nanmin(values) == np.nanmax(values)}
    return {name: "the same number in all rows" for name in models if name in flat} if flat < set(models) else {}


def limits(models: Mapping[str, np.ndarray]) -> dict[str, str]:
    """Ends of intervals and standard errors beside the forecasts that they belong to, and why they are left out.

    An end is called so, and nowhere on the other side of some forecast.

    Examples
    --------
    >>> limits({"p": np.array([0.2, 0.4]), "p_lcl": np.array([0.1, 0.3])})
    {'p_lcl': "nowhere above 'p', and called a limit"}
    """
    words = {name: name_tokens(name) for name in models}
    plain = [name for name in models if not words[name] & (LOWER_END | UPPER_END | {"se", "stderr"})]
    left: dict[str, str] = {}
    for name in models:
        for called, sign, where in ((LOWER_END, 1, "above"), (UPPER_END, -1, "below")):
            own = next((one for one in plain if words[name] & called
                        and (sign * models[name] <= sign * models[one]).all()), None)
            if own is not None:
                left[name] = f"nowhere {where} {own!r}, and called a limit"
        if words[name] & {"se", "stderr"} and plain:
            left[name] = "called a standard error"
    return left


def derived(models: Mapping[str, np.ndarray], y: np.ndarray) -> dict[str, str]:
    """Columns that are made of another one: its distance from the outcome, or an end of an interval around it; and why.

    Examples
    --------
    >>> said, y = np.linspace(0.1, 0.9, 20), np.tile([0, 1], 10)
    >>> derived({"p": said, "residual": abs(y - said), "p_upper": said + 0.05}, y)
    {'residual': 'the distance of p from the outcome', 'p_upper': 'an end of an interval around p'}
    """
    found = {}
    for own, said in models.items():
        for name, values in models.items():
            if name == own or name in found or own in found or len(y) < LEAST_ROWS:
                continue
            gap = np.abs(y - said)
            end = re.fullmatch(rf"{re.escape(own)}[ _.:-]*(?:ci)?[ _.:-]*(?:{'|'.join(ENDS)})", name, re.IGNORECASE)
            if not np.isfinite(gap - values).any():  # of no case there are both
                continue
            apart = np.nanmax(np.abs(gap - said)) > FAR  # else a forecast near one half is its own distance
            if apart and any(np.nanmax(np.abs(values - one)) < ROUNDED for one in (gap, gap**2, 1 - gap, 1 - gap**2)):
                found[name] = f"the distance of {own} from the outcome"
            elif np.ptp(values) > 0.05 and any(np.nanmax(np.abs(values - one)) < ROUNDED for one in _doubts_of(said)):
                found[name] = f"computed from {own} alone"
            elif end and ((values >= said).all() or (values <= said).all()) or _around(models, own, name):
                found[name] = f"an end of an interval around {own}"
    return found


def _doubts_of(said):
    """How unsure forecasts are: entropy in nats and bits, variance, and the distance from a coin."""
    both = np.clip([said, 1 - said], 1e-300, 1)
    entropy = -(both * np.log(both)).sum(axis=0)
    return entropy, entropy / np.log(2), said * (1 - said), np.abs(2 * said - 1)


def leads(frame: pd.DataFrame, truth: str) -> list[str]:
    """Two columns of dates that are a few spans apart, where the later one alone tells the outcome.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [3, 3, 5, 5], "target": ["2026-01-03"] * 2 + ["2026-01-04"] * 2,
    ...                       "issued": ["2026-01-02", "2026-01-01", "2026-01-03", "2026-01-02"]})
    >>> leads(table, "y")[0][:75]
    'target is 1 or 2 days after issued, with the same outcomes: forecasts of se'
    """
    days = {}
    for name in map(str, frame.columns):
        text = frame[name].astype("string")
        if text.str.fullmatch(r"\d{4}-\d\d-\d\d").fillna(False).all():
            days[name] = pd.to_datetime(text, errors="coerce")
    for one, two in itertools.permutations(days, 2):
        gap = (days[one] - days[two]).dt.days
        kinds = sorted(gap.dropna().unique())
        words = [name for name in frame.columns if name not in days and name != truth and is_words(frame[name])]
        each = frame.groupby([one, *words], dropna=False)[truth]
        if gap.notna().all() and 2 <= len(kinds) <= 12 and kinds[0] >= 0 and (
                each.nunique() == 1).all() and each.size().median() >= 2:
            spans = ", ".join(f"{kind:g}" for kind in kinds[:-1]) + f" or {kinds[-1]:g}"
            return [f"{one} is {spans} days after {two}, with the same outcomes: forecasts of several leads are "
                    f"pooled. With a column of the lead, --only takes one and --by shows each."]
    return []


def _around(models, own, name):
    """Is a column an end of an interval, by its name, and another one the other end, with all of `own` between them?"""
    low, high = ({one for one in models if re.fullmatch(f"(?:.*[^a-z])?(?:{end})", one, re.IGNORECASE)} for end in ENDS)
    pairs = [(one, two) for one in low for two in high if name in (one, two)]
    return own not in low | high and any(
        (models[one] <= models[own]).all() and (models[own] <= models[two]).all() for one, two in pairs)


def refuse_totals(frame: pd.DataFrame) -> None:
    """Last lines with totals, means or extremes are not cases.

    Raises
    ------
    ValueError
        They have words for it, in a column where no other line has one; those of extremes below numbers alone.

    Examples
    --------
    >>> refuse_totals(pd.DataFrame({"id": ["1", "2"]}))
    """
    for name in frame.columns if len(frame) > 2 else []:
        word = frame[name].iloc[-1]
        if not isinstance(word, str) or word.strip().lower() not in TOTALS | EXTREMES:
            continue
        last = frame[name].iloc[-MOST_FOOT:].astype("string").str.strip().str.lower()
        for words in (TOTALS, TOTALS | EXTREMES):
            foot = int(last.isin(words).fillna(False)[::-1].cummin().sum())
            rest = frame[name].iloc[:len(frame) - foot]
            if not foot or rest.astype("string").str.strip().str.lower().isin(words).any() or len(rest) < 2:
                continue
            if words is TOTALS and foot == 1 or np.isfinite(pd.to_numeric(rest, errors="coerce")).all():
                raise ValueError(f"line {line_of(frame, len(rest))} is not a case: it says "
                                 f"{str(frame[name].iloc[len(rest)]).strip()} in column {name!r}. Take it out of the "
                                 f"file{', and what stands below it' if foot > 1 else ''}")


def refuse_stretches(frame: pd.DataFrame, time: str, special: set[Any]) -> None:
    """Rows of which each begins where the last one of the same case ended, as R's tmerge writes them.

    Raises
    ------
    ValueError
        There is a column of such beginnings.

    Examples
    --------
    >>> refuse_stretches(pd.DataFrame({"id": [1, 1, 2], "stop": [3, 5, 4]}), "stop", {"stop"})
    """
    stop = as_numbers.numbers(frame, time, least=0)
    cases = []
    for name in map(str, frame.columns):
        codes = _codes(frame[name]) if name not in special and is_discrete(frame[name]) else np.arange(len(stop))
        order = np.lexsort((stop, codes))
        again = codes[order][1:] == codes[order][:-1]
        if again.sum() >= LEAST_ROWS and (np.diff(stop[order])[again] > 0).all():  # nobody stops twice at a time
            cases.append((name, order, again))
    for start in map(str, frame.columns):
        try:
            begin = as_numbers.values(frame[start]) if start not in special else np.full(len(stop), np.nan)
        except ValueError:
            continue
        later = begin > 0
        if not (begin < stop).all() or later.mean() < 0.1 or not np.isin(begin[later], stop).all():
            continue
        for name, order, again in cases:
            if name != start and (begin[order][1:][again] == stop[order][:-1][again]).all():
                raise ValueError(f"{start} is where the last row of the same {name} ended: the rows are stretches of "
                                 f"time, and a case is one row. Keep the first row of each {name}, with the last "
                                 f"{time} and outcome of that {name}")


def repeated(frame: pd.DataFrame) -> list[str]:
    """A remark on rows that stand in the file again, with what names the case; not where all do, as often.

    Examples
    --------
    >>> repeated(pd.DataFrame({"id": ["1", "2", "1"], "p": ["0.2", "0.3", "0.2"]}))
    ['1 of 3 rows stand in the file a second time, id and all: take them out if each case counts once.']
    """
    again = frame.duplicated().to_numpy()
    rest = frame[~again]
    key = next((name for name in frame.columns if again.any() and is_discrete(frame[name])
                and frame[name].notna().all() and rest[name].is_unique), None)
    if key is None or len(rest) and again.sum() % len(rest) == 0:
        return []
    return [f"{again.sum():,} of {len(frame):,} rows stand in the file a second time, {key} and all: take them out if "
            f"each case counts once."]


def confidence_of(frame: pd.DataFrame, models: Mapping[str, np.ndarray], y: np.ndarray, truth: str,
                  special: set[Any]) -> tuple[str, str] | None:
    """A forecast that is never below one half, and the column of labels whose confidence it seems to be; or None.

    The labels are two, and read as a probability of the event the number says less.

    Examples
    --------
    >>> said = np.array([0.9, 0.8, 0.95, 0.6, 0.7, 0.85] * 4)
    >>> table = pd.DataFrame({"y": [1, 0, 0, 1, 1, 0] * 4, "label": [1, 0, 0, 0, 1, 0] * 4})
    >>> confidence_of(table, {"score": said}, table["y"].to_numpy(), "y", {"y"})
    ('score', 'label')
    """
    for name, values in models.items():
        if len(values) < 20 or not np.nanmin(values) >= 0.5 or np.nanmin(values) == np.nanmax(values):
            continue
        for label in map(str, frame.columns):
            if label in special or label == name or frame[label].nunique() != 2:
                continue
            said = is_event(frame, label, truth, y)
            if any(_decides(f, said) and np.nanmax(np.abs(np.maximum(f, 1 - f) - values)) > ROUNDED
                   for other, f in models.items() if other != name):
                continue
            turned = by_label(values, said)
            if np.mean((turned - y) ** 2) < np.mean((values - y) ** 2):
                return name, label
    return None


def _decides(f, label):
    """Is the label one where the forecast is above a threshold, and only there?"""
    one, two = f[label], f[~label]
    return len(one) and len(two) and np.nanmin(one) >= np.nanmax(two)


def other_labels(frame: pd.DataFrame, label: str, special: set[Any]) -> str | None:
    """A further column of the two labels that a column has, or None.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [1, 0], "a": ["ham", "spam"], "b": ["ham", "spam"]})
    >>> other_labels(table, "a", {"y", "a"})
    'b'
    """
    kinds = set(_keys(frame[label]))
    return next((str(name) for name in frame.columns if name not in special and name != label
                 and frame[name].nunique() == 2 and set(_keys(frame[name])) == kinds), None)


def is_split(name: str) -> bool:
    """Is a column called after parts of a file?

    Examples
    --------
    >>> is_split("Usage"), is_split("age")
    (True, False)
    """
    return bool(_words(str(name)) & SPLITS)


def is_words(column: pd.Series) -> bool:
    """Is a column text, and no number?

    Examples
    --------
    >>> is_words(pd.Series(["glm", "rf"])), is_words(pd.Series(["1", "2"]))
    (True, False)
    """
    return not _is_number(column)


def is_event(frame: pd.DataFrame, label: str, truth: str, y: np.ndarray) -> np.ndarray:
    """Where a column of labels predicts the event: as the outcome is written, or the label that goes with it.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [1, 0, 1], "said": ["pos", "neg", "pos"]})
    >>> is_event(table, "said", "y", table["y"].to_numpy()).tolist()
    [True, False, True]
    """
    keys, event = _keys(frame[label]).to_numpy(), _keys(frame[truth]).to_numpy()[int(np.argmax(y))]
    if event in keys:
        return keys == event
    return keys == max(sorted(set(keys)), key=lambda kind: y[keys == kind].mean())


def by_label(confidence: np.ndarray, is_event: np.ndarray) -> np.ndarray:
    """The probability of the event from the confidence of the predicted label.

    Examples
    --------
    >>> by_label(np.array([0.9, 0.8]), np.array([True, False])).round(3).tolist()
    [0.9, 0.2]
    """
    return np.where(is_event, confidence, 1 - confidence)


def alike_rows(frame: pd.DataFrame, gap: np.ndarray, special: set[Any], models: set[str]) -> dict[str, str]:
    """By name, columns whose equal values have alike differences of losses: without groups intervals are too narrow.

    Parameters
    ----------
    frame : DataFrame, n rows
    gap : ndarray, shape (n,)
        Difference of the losses of two models.
    special, models : sets of names
        Columns that have a role.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> account = np.repeat(np.arange(50), 9)
    >>> gap = rng.normal(size=50)[account] + 0.1 * rng.normal(size=account.size)
    >>> alike_rows(pd.DataFrame({"account": account}), gap, set(), set())["account"][:58]
    'Rows with the same account are alike: with --groups accoun'
    """
    found, centred = {}, gap - gap.mean()
    alone = centred @ centred
    for name in map(str, frame.columns):
        if name in special or name in models or not alone > 0 or not is_discrete(frame[name]):
            continue
        number, kinds = pd.factorize(_keys(frame[name]))
        if not 6 <= len(kinds) <= 0.75 * len(number):
            continue
        sums = np.bincount(number, centred)
        ratio = (sums @ sums) / alone * len(kinds) / (len(kinds) - 1)
        # Where rows are independent the ratio is near one, give or take sqrt(2 / kinds).
        if ratio > max(LEAST_WIDER**2, 1 + 4 * np.sqrt(2 / len(kinds))) and not _is_measured(kinds, number, sums):
            found[name] = (f"Rows with the same {name} are alike: with --groups {name} the intervals are about "
                           f"{np.sqrt(ratio):.1f} times as wide.")
    return found


def _is_measured(kinds: Any, number: np.ndarray, sums: np.ndarray) -> bool:
    """Are the kinds numbers whose neighbours are alike as well, as those of a feature are, and of a name are not?"""
    value = pd.to_numeric(pd.Series(kinds), errors="coerce").to_numpy(float)
    if not np.isfinite(value).all():
        return False
    order, size = np.argsort(value), np.bincount(number)
    row = (sums / np.sqrt(size))[order]
    trend = pd.Series((sums / size)[order]).corr(pd.Series(np.arange(len(row))), method="spearman")
    return bool(row[1:] @ row[:-1] > 3 / np.sqrt(len(row)) * (row @ row) or abs(trend) > MOST_TREND)


def _keys(column: pd.Series) -> pd.Series:
    """Each value as a reader writes it: 1 for 1.0; missing values are empty."""
    number, kinds = pd.factorize(column)  # -1 where missing
    return pd.Series(np.array([*as_labels.keys(kinds), ""], dtype=object)[number], index=column.index)


def _hashed(column: pd.Series) -> np.ndarray:
    number, kinds = pd.factorize(_keys(column))
    return pd.util.hash_array(np.asarray(kinds, dtype=object))[number]


def _pairs(one: np.ndarray, other: np.ndarray) -> int:
    """How many pairs of codes there are."""
    return len(pd.unique(one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other))


def _codes(column: pd.Series) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(column):  # numbers are equal if their keys are
        return pd.factorize(column, use_na_sentinel=False)[0]
    number, kinds = pd.factorize(column.to_numpy(), use_na_sentinel=False)
    return number if as_labels.known_as_written(kinds) else pd.factorize(_keys(column))[0]


def _marked(codes: Sequence[np.ndarray]) -> np.ndarray:
    """A random whole number for each value of each column, one column each."""
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(1 << 40, size=code.max() + 1)[code] for code in codes])


def _words(text: str) -> set[str]:
    plain = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower()
    return {plain, re.sub(r"[^a-z]+", "", plain), *re.split(r"[^a-z]+", plain)}


def _is_periodic(values: np.ndarray) -> bool:
    """Do they repeat themselves, as cases and their controls do?"""
    return any((values[shift:] == values[:-shift]).all() for shift in range(1, len(values) // 2 + 1))


def _changes(values: np.ndarray) -> int:
    return int(np.count_nonzero(values[1:] != values[:-1]))


def _is_number(column: pd.Series) -> bool:
    try:
        return bool(np.isfinite(as_numbers.values(column)).any())
    except ValueError:
        return False


def is_discrete(column: pd.Series) -> bool:
    """Text, or whole numbers."""
    try:
        values = as_numbers.values(column)
    except (ValueError, TypeError):
        return True
    known = values[np.isfinite(values)]
    return not known.size or bool((known == np.floor(known)).all())
