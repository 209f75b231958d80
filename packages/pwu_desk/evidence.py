"""What the values of a file say about its design: rows that models were fitted to, models in rows, whose confidence.

Names are one witness among others. What would make a silent wrong number is refused, with the option that answers it;
what may be right is remarked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import tables
from .columns import name_tokens

__all__ = ["alike_rows", "as_models", "by_label", "chosen_rows", "confidence_of", "constant", "refuse_design",
           "refuse_fitted", "refuse_same_files", "refuse_weights", "same_design"]

FITTED = {"train", "training", "trained", "fit", "fitted", "learn", "learning", "dev", "development", "derivation",
          "insample", "in_sample", "reference", "ref"}
HELD_OUT = {"test", "testing", "valid", "validate", "validation", "val", "holdout", "hold_out", "eval", "evaluation",
            "oob", "oot", "oos", "outofsample", "out_of_sample", "analysis", "cv", "new", "production", "prod", "score"}
WEIGHTS = {"weight", "weights", "wt", "wts", "wgt", "iptw", "ipw", "ipcw", "pweight", "fweight", "aweight", "sw"}
MAYBE_WEIGHTS = {"freq", "frequency", "count", "counts", "exposure", "w", "n"}
MOST_PARTS, LEAST_ROWS = 50, 10
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


def refuse_fitted(frame: pd.DataFrame, special: set[Any]) -> None:
    """Rows that the models were fitted to, beside others.

    Raises
    ------
    ValueError
        A column says train in some rows and test in others.

    Examples
    --------
    >>> refuse_fitted(pd.DataFrame({"split": ["dawn", "dusk"]}), set())
    """
    for name in frame.columns:
        if name in special or pd.api.types.is_numeric_dtype(frame[name]):
            continue
        keys = _keys(frame[name])
        kinds = keys.unique()
        if not 2 <= len(kinds) <= 6:
            continue
        fitted = [kind for kind in kinds if _words(kind) & FITTED]
        if fitted and any(_words(kind) & HELD_OUT for kind in kinds if kind not in fitted):
            rest = next(kind for kind in kinds if kind not in fitted)
            raise ValueError(f"column {name!r} says {fitted[0]} in {int((keys == fitted[0]).sum()):,} of {len(keys):,} "
                             f"rows, to which a model may have been fitted: say --only {name}={rest}, or repeat --only "
                             f"for all the rows that count")


def same_design(frame: pd.DataFrame, truth: str, special: set[Any]) -> tuple[str, str] | None:
    """The column that cuts the rows into parts with the same cases, and what tells that they are the same; or None.

    Each part has the same outcomes, by the values of another column, or in the order of the rows.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [0, 1] * 12, "id": [*range(12)] * 2, "learner": ["a"] * 12 + ["b"] * 12})
    >>> same_design(table, "y", {"y"})
    ('learner', 'id')
    """
    outcome = _keys(frame[truth]).to_numpy()
    counted = {name: _keys(frame[name]) for name in frame.columns if name not in special and _is_discrete(frame[name])}
    for name, keys in counted.items():
        sizes = keys.value_counts()
        parts = len(sizes)
        if not 2 <= parts <= MOST_PARTS or sizes.nunique() != 1 or sizes.iloc[0] < LEAST_ROWS:
            continue
        for other, own in counted.items():
            once = own.nunique() == sizes.iloc[0] and not pd.DataFrame({0: keys, 1: own}).duplicated().any()
            if other != name and once:
                if (pd.Series(outcome).groupby(own.to_numpy()).nunique() == 1).all() and len(set(outcome)) > 1:
                    return str(name), str(other)
        rows = outcome[np.argsort(pd.factorize(keys)[0], kind="stable")].reshape(parts, -1)
        if len(set(rows[0])) > 1 and (rows == rows[0]).all() and _changes(rows[0]) >= 4:
            return str(name), ""
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
    same = f"{key} and outcomes" if key else "outcomes, in the same order"
    raise ValueError(f"the file has one row per model or setting, not per case: column {name!r} cuts the rows into "
                     f"{len(kinds)} parts with the same {same}. Say --model-column {name} to compare them, or --only "
                     f"{name}={kinds[0]} for one")


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
        same = f"{design[1]} and outcomes" if design[1] else "outcomes, in the same order"
        names = list(dict.fromkeys(source))
        more = " ..." if len(names) > 3 else ""
        raise ValueError(f"{' and '.join(names[:2])} have the same {same}: they are models, not parts of one table. "
                         f"Name the files one by one: pwu compare {' '.join(names[:3])}{more}")


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
        parts[kind] = part.sort_values(design[1], kind="stable", key=lambda column: column.map(tables.key)) if (
            design[1]) else part
        parts[kind] = parts[kind].reset_index(drop=True)
    first = next(iter(parts.values()))
    differ = [column for column in first if any(
        not _keys(part[column]).equals(_keys(first[column])) for part in parts.values())]
    numbers = [column for column in differ if _is_number(frame[column])]
    wide = first.drop(columns=differ)
    for kind, part in parts.items():
        label = kind if not re.fullmatch(r"[-+.\d]+", kind) else f"{name} {kind}"
        for column in numbers:
            wide[label if len(numbers) == 1 else f"{column} {label}"] = part[column]
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
    >>> account = np.repeat(np.arange(50), rng.integers(1, 20, 50))
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
    return column.map(tables.key, na_action="ignore").astype(object).where(column.notna(), "").astype(str)


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
