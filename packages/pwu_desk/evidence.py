"""What the values of a file say about its design: rows that models were fitted to, models in rows, whose confidence.

Names are one witness among others. What would make a silent wrong number is refused, with the option that answers it;
what may be right is remarked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import tables
from .columns import name_tokens

__all__ = ["Parts", "alike_rows", "as_models", "by_label", "chosen_rows", "confidence_of", "constant", "refuse_design",
           "refuse_design_in_pieces", "refuse_fitted", "refuse_same_files", "refuse_weights", "same_design"]

FITTED = {"train", "training", "trained", "fit", "fitted", "learn", "learning", "dev", "development", "derivation",
          "insample", "in_sample", "reference", "ref"}
HELD_OUT = {"test", "testing", "valid", "validate", "validation", "val", "holdout", "hold_out", "eval", "evaluation",
            "oob", "oot", "oos", "outofsample", "out_of_sample", "analysis", "cv", "new", "production", "prod", "score"}
WEIGHTS = {"weight", "weights", "wt", "wts", "wgt", "iptw", "ipw", "ipcw", "pweight", "fweight", "aweight", "sw"}
MAYBE_WEIGHTS = {"freq", "frequency", "count", "counts", "exposure", "w", "n"}
MOMENT = re.compile("mean|mu|std|sd|sigma", re.IGNORECASE)  # a model's own, even where models have the same
MOST_PARTS, MOST_SPLITS, LEAST_ROWS = 50, 6, 10
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
        wanted.setdefault(name, set()).add(text[len(name) + 1:])
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
    lines = [tables.line_of(frame, int(place)) for place in np.flatnonzero(kept)]
    found = frame[kept].reset_index(drop=True)
    found.attrs = {**frame.attrs, "lines": lines}
    return found


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
    >>> refuse_fitted({"split": {"dawn": 7, "dusk": 2}})
    """
    for name, size in sizes.items():
        fitted = [kind for kind in size if _words(str(kind)) & FITTED]
        held = [kind for kind in size if kind not in fitted and _words(str(kind)) & HELD_OUT]
        if len(size) <= MOST_SPLITS and fitted and held:
            raise ValueError(f"column {name!r} says {fitted[0]} in {size[fitted[0]]:,} of {sum(size.values()):,} rows, "
                             f"to which a model may have been fitted: say --only {name}={held[0]}, or repeat --only "
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
    """As `refuse_design`, for a file that is too large to be sorted: the same sums of random numbers for all parts.

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
    for name in parts.balanced():
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


def same_design(frame: pd.DataFrame, truth: str, special: set[Any]) -> tuple[str, list[str]] | None:
    """The column that cuts the rows into parts with the same cases, and the columns that identify a case; or None.

    Each part has the same outcomes, by the values of those columns, or, if there are none, in the order of the rows.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [0, 1] * 12, "id": [*range(12)] * 2, "learner": ["a"] * 12 + ["b"] * 12})
    >>> same_design(table, "y", {"y"})
    ('learner', ['id'])
    """
    outcome, others = _codes(frame[truth]), [name for name in frame.columns if name not in special]
    codes = {name: _codes(frame[name]) for name in others}
    marks = np.zeros((len(frame), 0), np.int64)
    for name, code in codes.items():
        sizes = np.bincount(code)
        parts, size = len(sizes), sizes[0]
        if not 2 <= parts <= MOST_PARTS or (sizes != size).any() or size < LEAST_ROWS or not _is_discrete(frame[name]):
            continue
        order = np.argsort(code, kind="stable")
        rows = outcome[order].reshape(parts, size)
        if len(set(rows[0])) < 2 or (np.sort(rows) != np.sort(rows[0])).any():
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
        if (rows == rows[0]).all() and _changes(rows[0]) >= 4:
            return str(name), []
    return None


def refuse_design(frame: pd.DataFrame, truth: str, special: set[Any]) -> None:
    """Models, settings or submissions in rows are not cases.

    Raises
    ------
    ValueError
        With the column, and the option that compares its values.
    """
    design = same_design(frame, truth, special)
    if design is None:
        return
    name, key = design
    kinds = list(dict.fromkeys(_keys(frame[name])))
    raise ValueError(f"the file has one row per model, setting or member, not per case: column {name!r} cuts the rows "
                     f"into {len(kinds)} parts with the same {_same(key)}. Say --model-column {name} to compare them "
                     f"(of members it makes an ensemble; say it again for a second such column), or --only "
                     f"{name}={kinds[0]} for one")


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
    source = frame.attrs.get("source")
    if source is None or len(set(source)) < 2:
        return
    design = same_design(frame.assign(**{"\0file": source}), truth, special)
    if design and design[0] == "\0file":
        names = list(dict.fromkeys(source))
        more = " ..." if len(names) > 3 else ""
        raise ValueError(f"{' and '.join(names[:2])} have the same {_same(design[1])}: they are models, not parts of "
                         f"one table. Name the files one by one: pwu compare {' '.join(names[:3])}{more}")


def as_models(frame: pd.DataFrame, truth: str, name: str, special: set[Any]) -> pd.DataFrame:
    """One row for each case: columns that differ between the values of `name` become one column for each value.

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
    tables.column_of(frame, name)
    design = same_design(frame[[*dict.fromkeys([name, *frame.columns])]], truth, special - {name})
    if design is None or design[0] != name:
        raise ValueError(f"--model-column {name}: its values do not have the same cases, each once and with the same "
                         f"outcome")
    keys = _keys(frame[name]).to_numpy()
    parts = {}
    for kind in dict.fromkeys(keys):
        part = frame[keys == kind].drop(columns=[name])
        parts[kind] = part.sort_values(design[1], kind="stable", key=_keys) if design[1] else part
        parts[kind] = parts[kind].reset_index(drop=True)
    first = next(iter(parts.values()))
    differ = [column for column in first if MOMENT.fullmatch(str(column)) or any(
        not _keys(part[column]).equals(_keys(first[column])) for part in parts.values())]
    numbers = [column for column in differ if _is_number(frame[column])]
    wide = first.drop(columns=differ)
    for kind, part in parts.items():
        label = kind if not re.fullmatch(r"[-+.\d]+", kind) else f"{name} {kind}"
        for column in numbers:
            wide[label if len(numbers) == 1 else f"{label}_{column}"] = part[column]
    wide.attrs = {key: value for key, value in frame.attrs.items() if key != "lines"}
    return wide


def refuse_weights(frame: pd.DataFrame, special: set[Any], models: Sequence[str]) -> list[str]:
    """Positive columns that are called weights are none of the models.

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
    remarks = []
    for name in map(str, frame.columns):
        words = name_tokens(re.sub(r"([a-z])([A-Z])", r"\1_\2", name))
        if name in special or not words & (WEIGHTS | MAYBE_WEIGHTS):
            continue
        try:
            values = tables.values(frame[name])
        except ValueError:
            continue
        if not np.isfinite(values).any() or (values < 0).any():
            continue
        if words & WEIGHTS:
            others = [model for model in models if model != name]
            raise ValueError(f"column {name!r} may be each case's weight: say --weights {name}, or --weights none"
                             + (f" --models {','.join(others)}" if name in models and others else ""))
        if name not in models:
            remarks.append(f"Column {name} may say how often each case counts: --weights {name} takes it, "
                           f"--weights none does not.")
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


def confidence_of(frame: pd.DataFrame, models: Mapping[str, np.ndarray], y: np.ndarray, truth: str,
                  special: set[Any]) -> tuple[str, str] | None:
    """A forecast that is never below one half, and the column of labels whose confidence it seems to be; or None.

    The labels are those of the outcome, they agree with it more often where the number is larger, and read as a
    probability of the event the number says less.

    Examples
    --------
    >>> said = np.array([0.9, 0.8, 0.95, 0.6, 0.7, 0.85] * 4)
    >>> table = pd.DataFrame({"y": [1, 0, 0, 1, 1, 0] * 4, "label": [1, 0, 0, 0, 1, 0] * 4})
    >>> confidence_of(table, {"score": said}, table["y"].to_numpy(), "y", {"y"})
    ('score', 'label')
    """
    kinds = set(_keys(frame[truth]))
    for name, values in models.items():
        if len(values) < 20 or not np.nanmin(values) >= 0.5 or np.nanmin(values) == np.nanmax(values):
            continue
        for label in map(str, frame.columns):
            if label in special or label == name or set(_keys(frame[label])) - kinds or frame[label].nunique() < 2:
                continue
            event = _keys(frame[truth]).to_numpy()[int(np.argmax(y))]
            turned = by_label(values, _keys(frame[label]).to_numpy() == event)
            if np.mean((turned - y) ** 2) < np.mean((values - y) ** 2):
                return name, label
    return None


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
        if name in special or name in models or not alone > 0 or not _is_discrete(frame[name]):
            continue
        number, kinds = pd.factorize(_keys(frame[name]))
        if not 6 <= len(kinds) <= 0.75 * len(number):
            continue
        sums = np.bincount(number, centred)
        ratio = (sums @ sums) / alone * len(kinds) / (len(kinds) - 1)
        # Where rows are independent the ratio is near one, give or take sqrt(2 / kinds).
        if ratio > max(LEAST_WIDER**2, 1 + 4 * np.sqrt(2 / len(kinds))):
            found[name] = (f"Rows with the same {name} are alike: with --groups {name} the intervals are about "
                           f"{np.sqrt(ratio):.1f} times as wide.")
    return found


def _keys(column: pd.Series) -> pd.Series:
    """Each value as a reader writes it: 1 for 1.0; missing values are empty."""
    number, kinds = pd.factorize(column)  # -1 where missing
    return pd.Series(np.array([*map(tables.key, kinds), ""], dtype=object)[number], index=column.index)


def _hashed(column: pd.Series) -> np.ndarray:
    number, kinds = pd.factorize(_keys(column))
    return pd.util.hash_array(np.asarray(kinds, dtype=object))[number]


def _codes(column: pd.Series) -> np.ndarray:
    return pd.factorize(_keys(column))[0]


def _marked(codes: Sequence[np.ndarray]) -> np.ndarray:
    """A random whole number for each value of each column, one column each."""
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(1 << 40, size=code.max() + 1)[code] for code in codes])


def _words(text: str) -> set[str]:
    plain = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower()
    return {plain, re.sub(r"[^a-z]+", "", plain), *re.split(r"[^a-z]+", plain)}


def _changes(values: np.ndarray) -> int:
    return int(np.count_nonzero(values[1:] != values[:-1]))


def _is_number(column: pd.Series) -> bool:
    try:
        return bool(np.isfinite(tables.values(column)).any())
    except ValueError:
        return False


def _is_discrete(column: pd.Series) -> bool:
    """Text, or whole numbers."""
    try:
        values = tables.values(column)
    except (ValueError, TypeError):
        return True
    known = values[np.isfinite(values)]
    return not known.size or bool((known == np.floor(known)).all())
