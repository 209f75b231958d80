"""Columns that are one forecast together, by their names: means with spreads, quantiles, members.

Implements no part of a source.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .as_labels import key
from .as_numbers import line_of
from .columns import EXPORTS

__all__ = ["Quantiles", "columns_of_models", "members", "pairs", "quantiles", "wide"]

SPREAD = re.compile(r"(.*?)[ _.:-]*(std(?:[ _.]?dev)?|stdev|sd|sigma|spread)", re.IGNORECASE)
MEMBER = re.compile(r"(.+?)[ _.:-]+(\d+)")
NUMBERED, LEAST_MEMBERS = re.compile(r"(.*?[^\d _.:\[(-])[\[(]?(\d+)[\])]?"), 3  # e0, ens01, IFS[0]
CONFIDENCE = re.compile(r"(.+?)[ _.:-]+(?:confidence|conf|prob(?:ability)?)", re.IGNORECASE)
LAGGED = re.compile(r"(?:^|[ _.])lags?$", re.IGNORECASE)  # earlier outcomes, and no ensemble
END = re.compile(r"lo|low|lower|hi|high|upper|lwr|upr", re.IGNORECASE)
MIDDLE = re.compile(r"(.*?)[ _.:-]*(mean|mu|pred)", re.IGNORECASE)


def pairs(names: list[str]) -> dict[str, tuple[str, str]]:
    """Columns of means and standard deviations, by model: ``a_mean`` (or ``a``) and ``a_std`` (sd, sigma, spread).

    Examples
    --------
    >>> pairs(["y", "a_mean", "a_std", "b", "b sd"])
    {'a': ('a_mean', 'a_std'), 'b': ('b', 'b sd')}
    """
    stems: dict[str, list[str]] = {}
    for name in names:
        middle = MIDDLE.fullmatch(name)
        for stem in {name, *([middle[1]] if middle else [])}:
            stems.setdefault(stem, []).append(name)
    pairs_found: dict[str, tuple[str, str]] = {}
    for spread in names:
        match = SPREAD.fullmatch(spread)
        stem = str(match[1]) if match else ""
        means = [name for name in stems.get(stem, []) if match and name != spread]
        if means:  # a_mean before a, and before a_pred
            pairs_found[stem] = (min(means, key=lambda name: (not name.lower().endswith("mean"), name != stem)), spread)
    return pairs_found


def quantiles(names: list[str], coverage: float | None = None) -> Quantiles:
    """Columns of quantiles by model, under the names that tools give them (`exports.json`), and their levels.

    ``a_q05`` is the quantile at 0.05, ``a-lo-90`` the lower end of a 90% interval, ``a_0.9`` and ``0.9`` the quantile
    at 0.9. An interval called by its ends alone needs its coverage, in per cent.

    Raises
    ------
    ValueError
        Two models have different levels, two columns say the same, or the coverage of an interval is not known.

    Examples
    --------
    >>> found = quantiles(["y", "a_q50", "a_q05", "b q0.05", "b q0.5"])
    >>> found.levels, found.columns
    ((0.05, 0.5), {'a': ['a_q05', 'a_q50'], 'b': ['b q0.05', 'b q0.5']})
    >>> quantiles(["ETS-lo-80", "ETS-hi-80"]).said
    ['ETS: 80% intervals, as quantiles 0.1, 0.9 (as Nixtla writes them).']
    """
    parts_of = [part for whole, own in EXPORTS["parts"].items() if f"{whole}_lower" in names for part in own]
    names = [name for name in names if re.sub("_(lower|upper)$", "", name) not in parts_of]  # of a forecast, not models
    found: dict[str, dict[float, str]] = {}
    tools: dict[str, dict[str, Any]] = {}
    for name in names:
        row, match = next(((row, match) for row in EXPORTS["quantiles"]
                           if (match := re.fullmatch(row["pattern"], name, re.IGNORECASE))), ({}, None))
        if match is None:
            continue
        parts = match.groupdict()
        model = parts.get("model", "forecast")
        level = _level(name, parts, coverage)
        if level in found.get(model, {}):
            raise ValueError(f"columns {found[model][level]!r} and {name!r} say the same, {level:g}: rename one")
        found.setdefault(model, {})[level] = name
        tools[model] = row
    middle = [name for name in names if name.lower() == "median"]
    if middle and len(found) == 1:  # of the one model that there is
        next(iter(found.values())).setdefault(0.5, middle[0])
    for model, own in found.items():
        if own.keys() >= {0.01, 0.02, 0.03} and own.keys() <= {0.0, 0.01, 0.02, 0.03, 0.04} and own[0.02][-2:-1] != "0":
            raise ValueError(f"are {', '.join(own[level] for level in sorted(own))} quartiles, or the quantiles at 1%, "
                             f"2% and 3%? Call them {model}_q25, {model}_q50, {model}_q75, or {model}_q01 and so on")
        digits = [re.search(r"\d+$", name) for name in own.values()]
        decimals = sorted(float(f"0.{one[0]}") for one in digits if one)
        if len(own) > 1 and len(decimals) == len(own) and _mirrored(decimals) and not _mirrored(sorted(own)):
            raise ValueError(f"are {', '.join(own[level] for level in sorted(own))} the quantiles at "
                             f"{', '.join(f'{level:g}' for level in decimals)}? Call them "
                             f"{', '.join(f'{model}_q{level:g}' for level in decimals)} if they are")
        tens = sorted(10 * level for level in own)
        if len(own) > 1 and np.allclose(np.add(tens, tens[::-1]), 1) and min(own) < 0.1:  # q010 to q090
            raise ValueError(f"are {', '.join(own[level] for level in sorted(own))} the quantiles at "
                             f"{', '.join(f'{level:.0%}' for level in tens)}, or at a tenth of these? Call them "
                             f"{', '.join(f'{model}_q{100 * level:02.0f}' for level in tens)} if they are")
    kept = {model: dict(sorted(own.items())) for model, own in found.items()
            if len(own) >= tools[model].get("least", 1)}
    first = next(iter(kept), "")
    for model, own in kept.items():
        if list(own) != list(kept[first]):
            raise ValueError(f"{model} has quantiles at {', '.join(f'{level:g}' for level in own)}, {first} at "
                             f"{', '.join(f'{level:g}' for level in kept[first])}: give all models the same levels, "
                             f"or name some with --models")
    return Quantiles(tuple(kept.get(first, ())), {model: list(own.values()) for model, own in kept.items()},
                     [_told(model, tuple(own), tools[model]) for model, own in kept.items() if tools[model]["tool"]])


def _mirrored(levels):
    """Are they the same from both ends, as those of intervals and a median?"""
    return np.allclose(np.add(levels, levels[::-1]), 1)


class Quantiles(NamedTuple):
    """Levels, columns by model in their order, and what was taken for quantiles, in words."""

    levels: tuple[float, ...]
    columns: dict[str, list[str]]
    said: list[str]


def _level(name, parts, coverage):
    """The level that a column's name says."""
    if "side" in parts:
        width = parts.get("coverage", coverage)
        if width is None:
            raise ValueError(f"{name} looks like the end of an interval: say how much it covers, --coverage 90")
        half = float(width) / 2
        return round((50 - half if parts["side"].lower().startswith("l") else 50 + half) / 100, 9)
    if "median" in parts:
        return 0.5
    if "percent" in parts:
        return round(float(parts["percent"]) / 100, 9)
    if "level" in parts:
        return float(parts["level"].replace("_", "."))
    digits = parts["digits"]  # q05, q5 and q0.05 are the same, and q2.5 is 2.5%; q975 is 97.5%
    if digits == "100" or not digits.strip("0."):
        raise ValueError(f"{name} would be the quantile at {'1' if digits == '100' else '0'}: levels lie between 0 and "
                         "1; leave the column out, or rename it")
    if "." in digits:
        return float(digits) if float(digits) < 1 else round(float(digits) / 100, 9)
    return float(f"0.{digits}" if len(digits) > 2 else int(digits) / 100)


def _told(model, levels, row):
    if "side" not in row["pattern"]:
        words = "quantiles"
    else:
        words = " and ".join(f"{200 * (0.5 - level):.3g}%" for level in levels if level < 0.5)
        words += " intervals, as quantiles"
    return f"{model}: {words} {', '.join(f'{level:g}' for level in levels)} (as {row['tool']} writes them)."


def wide(frame: pd.DataFrame, truth: str) -> tuple[pd.DataFrame, str]:
    """A table with a row for each quantile, made one with a row for each case; and what was done, in words.

    As hubs of forecasts keep them: a column of levels (``output_type_id``), one of values, one of models, and keys. A
    table that is not of this kind is returned as it is.

    Raises
    ------
    ValueError
        Two rows say the same quantile of the same case.
    """
    by_name = {str(name).lower(): name for name in frame.columns}
    level, value, model = (next((by_name[word] for word in EXPORTS["long"][role] if word in by_name), None)
                           for role in ("level", "value", "model"))
    if level is None or value is None or truth not in frame or truth == value:
        return frame, ""
    said = pd.to_numeric(frame[level].astype(str).str.replace(",", ".").str.lstrip("qQ"), errors="coerce").to_numpy()
    kind = next((by_name[word] for word in ("output_type", "type") if word in by_name), None)
    quantile = np.isfinite(said) if kind is None else np.isfinite(said) & (frame[kind] == "quantile").to_numpy()
    said = np.where(quantile, said, np.nan)
    if not quantile.any() or not np.nanmin(said) > 0 or not np.nanmax(said) < 100:
        return frame, ""
    said = said / 100 if np.nanmax(said) >= 1 else said
    rows = frame[quantile]
    models = rows[model].map(key) if model else pd.Series("forecast", index=rows.index)
    keys = [name for name in frame.columns if name not in (level, value, model, truth)
            and str(name).lower() not in EXPORTS["long"]["left_out"]]
    case = rows[[*keys, truth]].apply(lambda column: column.map(key, na_action="ignore"))
    named = case.assign(column=models + [f"_q{one:g}" for one in said[quantile]])
    twice = named.duplicated()
    if twice.any():
        raise ValueError(f"line {line_of(frame, int(np.flatnonzero(quantile)[np.argmax(twice)]))} says a quantile "
                         f"again that an earlier line says of the same case: the columns {', '.join(map(str, keys))} "
                         f"name a case")
    first = named.drop_duplicates([*keys, truth])  # cases stay in the order of the file
    table = named.assign(value=rows[value]).pivot(index=[*keys, truth], columns="column", values="value")
    table = table.reindex(pd.MultiIndex.from_frame(first[[*keys, truth]]) if keys else first[truth]).reset_index()
    table.columns.name = None
    table.attrs = {"point": frame.attrs.get("point", False),
                   "lines": [line_of(frame, place) for place in frame.index.get_indexer(first.index)]}
    return table, (f"{len(rows):,} rows of quantiles are {len(table):,} cases, each known by "
                   f"{', '.join(map(str, keys))}.")


def members(names: list[str]) -> dict[str, list[str]]:
    """Columns of ensemble members by model: ``a_1`` to ``a_50``, or from ``a_0`` on; at least two.

    Raises
    ------
    ValueError
        The numbers are not consecutive, as those of percentages would be.

    Examples
    --------
    >>> members(["y", "a_2", "a_1", "day_7"])
    {'a': ['a_1', 'a_2']}
    """
    columns = {model: found for model, found in columns_of_models(names, MEMBER, int).items()
               if len(found) > 1 and not LAGGED.search(model)}
    for model, found in columns.items():
        if list(found) not in (list(range(len(found))), list(range(1, len(found) + 1))):
            end = f"the ends of an interval? Call the two NAME-lo-{max(found)} and NAME-hi-{max(found)}"
            ways = end if END.fullmatch(model) else f"quantiles? Call them {model}_q05 (for 5%), {model}_q50, ..."
            raise ValueError(f"the columns {', '.join(found.values())} skip numbers, so they are not the members of an "
                             f"ensemble. Are they {ways}")
    return {model: list(found.values()) for model, found in columns.items()}


def numbered(names: list[str]) -> dict[str, list[str]]:
    """Columns that are numbered from 0 or 1 on without a separator, as weather services name members; at least three.

    Examples
    --------
    >>> numbered(["y", "ens02", "ens01", "ens03", "x7", "lag1", "lag2", "lag3"])
    {'ens': ['ens01', 'ens02', 'ens03']}
    """
    return {model: list(found.values()) for model, found in columns_of_models(names, NUMBERED, int).items()
            if len(found) >= LEAST_MEMBERS and not LAGGED.search(model)
            and list(found) in (list(range(len(found))), list(range(1, len(found) + 1)))}


def columns_of_models(names: list[str], pattern: re.Pattern[str], key: Any) -> dict[str, dict[Any, str]]:
    """Columns whose names match ``(model)(key)``, by model, in the order of the keys.

    Raises
    ------
    ValueError
        Two columns of a model have the same key.

    Examples
    --------
    >>> columns_of_models(["a_2", "a_1"], MEMBER, int)
    {'a': {1: 'a_1', 2: 'a_2'}}
    """
    columns: dict[str, dict[Any, str]] = {}
    for name in names:
        match = pattern.fullmatch(name)
        if match:
            found, value = columns.setdefault(match[1], {}), key(match[2])
            if value in found:
                raise ValueError(f"columns {found[value]!r} and {name!r} say the same, {value:g}: rename one")
            found[value] = name
    return {model: dict(sorted(found.items())) for model, found in columns.items()}
