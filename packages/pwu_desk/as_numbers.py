"""Columns of a table as numbers: how they are written, in which unit, and what is refused with its line.

Implements no part of a source.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np
import pandas as pd

__all__ = ["amounts", "column_of", "in_percent", "line_of", "numbers", "one_a_line", "other_unit", "probabilities",
           "refuse", "values", "without_currency"]

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")  # of a label: 2e1 may be an id
_WHOLE, _GROUPED = r"[-+]?\d+", r"[-+]?[1-9]\d{0,2}(?:%s\d{3})+"
_SPACES = "[\u00a0\u202f\u2009 ']"
SEPARATORS = f"[,{_SPACES[1:]}"
WAYS = {  # to write a number: what every field looks like, what separates thousands, and the decimal sign
    "0.5": (NUMBER.pattern, ("", ".")), "0,5": (r"[-+]?(?:\d+,?\d*|,\d+)(?:[eE][-+]?\d+)?", ("", ",")),
    "1,020.5": (rf"(?:{_WHOLE}|{_GROUPED % ','})(?:\.\d*)?", (",", ".")),
    "1.020,5": (rf"(?:{_WHOLE}|{_GROUPED % '[.]'})(?:,\d*)?", (".", ",")),
    "1 020.5": (rf"(?:{_WHOLE}|{_GROUPED % _SPACES})(?:\.\d*)?", ("\u00a0\u202f\u2009 '", ".")),
    "1 020,5": (rf"(?:{_WHOLE}|{_GROUPED % _SPACES})(?:,\d*)?", ("\u00a0\u202f\u2009 '", ","))}
SIGNS = "some fields have a % sign and some have none: write all of them alike"
PERCENT = "{} was read in per cent, as its name says."
ROUNDING = 1e-9
SHARES = ("column {!r}: its name says per cent, and no number in it is above 1. Are they shares from 0 to 1, or very "
          "small percentages? Give the column another name, or write a % sign behind each number")
ALL_PLAIN = re.compile(r"(?:[-+]?\d+(?:\.\d+)?\n)+", re.ASCII)  # of fields below each other: each is a number
NOT_GROUPED = re.compile(r"^[-+]?0\.|\.(?:\d{1,2}|\d{4,})$", re.ASCII | re.MULTILINE)  # of one: a point is decimal
CURRENCY = re.compile(r"\s*(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF|JPY)\b)\s*", re.IGNORECASE)
GAPS = (".", "-", "\\N", "#DIV/0!", "#VALUE!", "#NUM!", "#REF!")  # as SAS, Postgres and Excel write them
UNIT = "% \u00a0\u202f"  # what may stand behind a number
VECTOR = re.compile(r"\[[-+\d.eE]+(?:[, ]+[-+\d.eE]+)+\]")


def column_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of the table; a ValueError that lists the others if there is none of this name."""
    if name not in frame:
        raise ValueError(f"there is no column {name!r}; the columns are: {', '.join(map(str, frame.columns))}")
    return frame[name]


def refuse(frame: pd.DataFrame, column: pd.Series, bad: np.ndarray, rule: str, hint: str = "") -> NoReturn:
    """Refuse the first field that breaks a rule, with its line and what stands there.

    Raises
    ------
    ValueError
        Always.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [1, -2]})
    >>> refuse(table, table["a"], np.array([False, True]), "expected an age")
    Traceback (most recent call last):
    ValueError: line 3, column 'a': expected an age, got -2
    """
    index = int(np.flatnonzero(bad)[0])
    value = column.iloc[index]
    missing = bool(pd.isna(value)) if np.ndim(value) == 0 else False
    shown = ("nothing, or a word for it (NaN, n/a, None)" if missing else
             str(value) if NUMBER.fullmatch(str(value).removesuffix("inf") or "0") else f"{value!r:.60}")
    raise ValueError(f"line {line_of(frame, index)}, column {column.name!r}: {rule}, got {shown}{hint}")


def line_of(frame: pd.DataFrame, place: int) -> int | str:
    """The line of the file on which a row starts, counted from 1; of several files, with the file's name.

    Examples
    --------
    >>> line_of(pd.DataFrame({"a": [1, 2]}), 0)
    2
    """
    if "line" in frame.attrs:
        return frame.attrs["line"](place)
    lines, place = frame.attrs.get("lines"), place + frame.attrs.get("first", 0)
    return place + 2 if lines is None or place >= len(lines) else lines[place]


def numbers(frame: pd.DataFrame, name: str, *, least: float | None = None, above: float | None = None,
            below: float | None = None, gaps: bool | None = None, is_outcome: bool = False) -> np.ndarray:
    """A column as numbers; text with a percent sign or a decimal comma is read, too.

    Raises
    ------
    ValueError
        There is no such column, or a field of it is not a number; the message says which line.

    Examples
    --------
    >>> numbers(pd.DataFrame({"a": ["0,5", "7%"]}), "a").tolist()
    [0.5, 0.07]
    """
    column = column_of(frame, name)
    read = values(column)
    bad = ~np.isfinite(read)
    if gaps:
        bad &= ~column.isna().to_numpy(dtype=bool)
    if bad.any():
        blank = bool(pd.isna(column.iloc[int(np.flatnonzero(bad)[0])]))
        lacks = gaps is False and blank
        refuse(frame, column, bad, "expected a number",
                ". Where forecasts may be missing, say --missing pairwise" if lacks else
                ". Rows whose outcome is not known yet have to be left out of the file" if is_outcome and blank else
                of_vectors(column[bad]))
    for outside, rule in ((None if least is None else read < least, f"expected a number of at least {least}"),
                          (None if above is None else read <= above, f"expected a number above {above}"),
                          (None if below is None else read >= below, f"expected a number below {below}")):
        if outside is not None and outside.any():
            refuse(frame, column, outside, rule)
    return read


def of_vectors(column: pd.Series) -> str:
    """A hint, if a column holds a list of numbers in each field, as Spark and JSON write probabilities of all labels.

    Examples
    --------
    >>> of_vectors(pd.Series(["[0.2, 0.8]"])), of_vectors(pd.Series(["low"]))
    (' (a vector? Write its number for the event in a column of its own)', '')
    """
    return (" (a vector? Write its number for the event in a column of its own)"
            if VECTOR.fullmatch("".join(map(str, column.dropna().head(1)))) else "")


def amounts(frame: pd.DataFrame, name: str, *, least: float | None = None) -> np.ndarray:
    """A column of money, also with the sign of one currency at each number; a percentage is refused, with its line.

    Examples
    --------
    >>> amounts(pd.DataFrame({"a": ["$1.50", "$20"]}), "a").tolist()
    [1.5, 20.0]
    """
    column = column_of(frame, name)
    if column.dtype.kind == "O" or pd.api.types.is_string_dtype(column):
        percent = column.map(lambda field: isinstance(field, str) and field.strip().endswith("%")).to_numpy(dtype=bool)
        if percent.any():
            refuse(frame, column, percent, "expected an amount of money, not a percentage")
        signs = {found[0].upper() for field in column if isinstance(field, str) for found in CURRENCY.finditer(field)}
        if len(signs) > 1:
            raise ValueError(f"column {name!r} has several currencies, {', '.join(sorted(signs))}: use one")
        frame = frame.assign(**{name: column.map(lambda field: without_currency(field) if signs else field)})
    return numbers(frame, name, least=least)


def without_currency(field: Any) -> Any:
    """Text without the sign of a currency.

    Examples
    --------
    >>> without_currency("-€ 2.50"), without_currency("3 USD"), without_currency(7)
    ('-2.50', '3', 7)
    """
    return CURRENCY.sub("", field).strip() if isinstance(field, str) else field


def values(column: pd.Series) -> np.ndarray:
    """A column as floats, NaN where a field is not a number; how numbers are written is decided by all fields."""
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan)
    lines = one_a_line(column)
    if ALL_PLAIN.fullmatch(lines) and ("." not in lines or NOT_GROUPED.search(lines)):  # nothing is left to decide
        return np.array([float(field) for field in lines.split()])
    try:
        text = column.astype("string").str.strip()
    except (TypeError, ValueError, NotImplementedError) as error:
        raise ValueError(f"column {column.name!r} holds {column.dtype}, not numbers: {error}") from error
    text = text.str.replace("\u2212", "-", regex=False)  # a minus as typesetters write it
    if text.dropna().str.lower().isin(["true", "false"]).all() and text.notna().any():
        return text.str.lower().map({"true": 1.0, "false": 0.0}).to_numpy(dtype=float, na_value=np.nan)
    percent = text.str.endswith("%").fillna(False).to_numpy(dtype=bool)
    fields = text.str.rstrip(UNIT)
    if fields.str.contains(SEPARATORS, regex=True).any() or may_be_grouped(fields):
        fields = plain(fields, Ways(column.attrs.get("point", False)).add(fields).decided(column.name))
    read = pd.to_numeric(fields, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    known = np.isfinite(read)
    read[known] = [float(field) for field in fields[known]]  # to the last digit
    if percent.any() and (known & ~percent & unlike_percent(column.name, read)).any():
        raise ValueError(f"column {column.name!r}: {SIGNS}")
    return np.where(percent, read / 100, read)


def with_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """Signs that tools write for a number that is missing, in columns of numbers, as missing.

    Examples
    --------
    >>> with_gaps(pd.DataFrame({"a": ["0.5", "."], "b": ["-", "+"]})).isna().sum().tolist()
    [1, 0]
    """
    for name in frame.columns:
        if frame[name].dtype.kind != "O" and not pd.api.types.is_string_dtype(frame[name]):
            continue
        if any(isinstance(word, str) and word.strip() in GAPS for word in frame[name].unique()):
            text = frame[name].astype("string").str.strip()
            gaps = text.isin(GAPS).fillna(False)
            rest = text[~gaps].dropna().str.rstrip(UNIT).str.replace(",", ".", regex=False)
            rest = pd.to_numeric(rest, errors="coerce")
            if len(rest) and rest.notna().all():
                frame[name] = frame[name].mask(gaps.to_numpy(dtype=bool))
    return frame


def unlike_percent(name: Any, read: np.ndarray) -> np.ndarray:
    """Which numbers, without a sign, may be per cent or not beside those with one: 7, and 0.4 where the name says so.

    Examples
    --------
    >>> unlike_percent("a", np.array([0.4, 7.0])), unlike_percent("a (%)", np.array([0.4]))
    (array([False,  True]), array([ True]))
    """
    return (np.abs(read) > 0) if in_percent(name) else np.abs(read) > 1


def may_be_grouped(text: pd.Series) -> bool:
    """Could points be separators of thousands? Only if every field is a whole number of at most three digits, or so.

    Examples
    --------
    >>> may_be_grouped(pd.Series(["1.234", "7"], dtype="string"))
    True
    """
    first = text.dropna().head(200)
    shape = r"[-+]?\d{1,3}|[-+]?[1-9]\d{0,2}(?:\.\d{3})+"
    return bool(first.str.fullmatch(shape).all() and text.dropna().str.fullmatch(shape).all()
                and text.str.contains(".", regex=False).any())


def decimal_commas(column: pd.Series) -> bool:
    """Is there a number with a comma that may be a decimal comma? Then a point in the same file need not be one.

    Examples
    --------
    >>> decimal_commas(pd.Series(["40,5", "7"])), decimal_commas(pd.Series(["1,234.5", "a, b"]))
    (True, False)
    """
    return bool(column.astype("string").str.fullmatch(r"\s*[-+]?[\d.]*,\d+\s*%?\s*").any())


class Ways:
    """How the numbers of a column are written: the one way that fits every field of all pieces.

    Where a comma separates the fields, and none stands inside of a number of the file, a point is a decimal point:
    those who write thousands with points write decimals with commas.
    """

    def __init__(self, point: bool = False) -> None:
        self.every, self.point = list(WAYS), point
        self.shown: dict[tuple[str, str], str] = {}  # a field that two ways read differently

    def add(self, text: pd.Series) -> Ways:
        """Look at the fields of a piece."""
        known = text.dropna().str.rstrip(UNIT)
        known = known[known != ""].drop_duplicates()
        self.point = self.point and not known.str.contains(",", regex=False).any()
        self.every = [way for way in self.every if known.str.fullmatch(WAYS[way][0]).all()]
        for one, other in itertools.combinations(self.every, 2):
            for field in known if (one, other) not in self.shown else ():
                if _plain(field, one) != _plain(field, other):
                    self.shown[one, other] = field
                    break
        return self

    def decided(self, name: str) -> str | None:
        """The way, or None where some field is not a number; where two ways read differently, nothing is guessed."""
        every = [way for way in self.every if not (self.point and way == "1.020,5")]
        for (one, other), field in self.shown.items():
            if one in every and other in every:
                ways = " or ".join(dict.fromkeys(_plain(field, way) for way in every))
                raise ValueError(f"column {name!r}: {field!r} may be thousands or decimals, {ways}; write it without "
                                 "separators between thousands, or with more decimals")
        return every[0] if every else None


def plain(text: pd.Series, way: str | None) -> pd.Series:
    """Fields as Python writes numbers, by the way that was decided."""
    if way is None:  # some field is not a number, or all are only field by field; one that may be grouped is neither
        grouped = text.str.fullmatch(_GROUPED % ",").fillna(False)
        return text.str.replace(",", ".", regex=False).mask(grouped, "?")
    return text.map(lambda field: _plain(field, way), na_action="ignore")


def _plain(field, way):
    """The field as Python writes it."""
    group, point = WAYS[way][1]
    for letter in group:
        field = field.replace(letter, "")
    return field.replace(point, ".")


def probabilities(frame: pd.DataFrame, name: str, *, gaps: bool = False, whole: bool = True) -> np.ndarray:
    """A column of numbers in [0, 1]; the first one outside is named with its line.

    Of a piece of a table, which is not the whole, the other pieces tell what unit the numbers have.

    Examples
    --------
    >>> probabilities(pd.DataFrame({"a": ["0,5", "7%"]}), "a").tolist()
    [0.5, 0.07]
    """
    read = numbers(frame, name, gaps=gaps)
    if in_percent(name) and not column_of(frame, name).astype(str).str.contains("%", regex=False).any():
        if whole and 0 < np.nanmax(read, initial=0.0) <= 1:
            raise ValueError(SHARES.format(name))
        read = read / 100
        frame.attrs.setdefault("notes", []).append(PERCENT.format(name))
    near = np.clip(read, 0, 1)  # a sum of shares that floats have rounded is one
    read = np.where(np.abs(read - near) <= ROUNDING, near, read)
    outside = (read < 0) | (read > 1)
    if outside.any():
        refuse(frame, column_of(frame, name), outside, "expected a probability between 0 and 1",
                other_unit(read, name))
    return read


def in_percent(name: str) -> bool:
    """Does a column's name say that its numbers are per cent?"""
    return bool(re.search(r"%|\b(?:per ?cent|percent|pct)\b", str(name).replace("_", " "), re.IGNORECASE))


def other_unit(read: np.ndarray, name: str) -> str:
    """What numbers outside of [0, 1] may be, in words, and the option for this column.

    Examples
    --------
    >>> other_unit(np.array([-2.0, 3.0]), "margin")
    ' (log odds? Write 1 / (1 + exp(-x)) of each, their sigmoid; of a survival model, log hazards? Chances \
need its baseline)'
    """
    low, high = np.nanmin(read), np.nanmax(read)
    divide = f"--percent {shlex.quote(str(name))} divides them by 100"
    broken = not np.array_equal(read, np.floor(read))
    if re.search(r"(?:per|/)[ _.]?(?:1000|thousand|mille?)|permille?|\u2030", str(name), re.IGNORECASE) and low >= 0:
        return " (per mille, by its name: divide by 1000)"
    if low <= -100 and high >= 100 and not np.any(np.abs(read) < 100):
        return (" (American odds? The chance is 100 / (100 + x) if x is positive and -x / (100 - x) if negative, with "
                "the bookmaker's margin in it)")
    if low < -0.01 and max(-low, high) <= 1:
        return (" (log odds? Write 1 / (1 + exp(-x)) of each, their sigmoid; differences, as of an uplift, or "
                "contributions to a score? A chance lies between 0 and 1)")
    if 1 <= low < high <= 1000 and broken:
        unit = "numbers per mille? Divide by 1000" if high > 100 else f"are these percentages? {divide}"
        return f" (decimal odds? 1 / x of each is a chance, with the bookmaker's margin in it; {unit})"
    if 0 < low < 1 and 2 < high <= 100 and 0.1 <= low * high <= 10:
        return (f" (ratios of risks or hazards? They are chances only times the risk at 1; are these percentages? "
                f"{divide})")
    if low >= 0 and 2 < high <= 50 and np.array_equal(read, np.floor(read)):
        return (f" (a scale to {high:g}? Divide by its largest value and add --recalibrate, which makes "
                f"probabilities of points; are these percentages? {divide})")
    if low >= 0 and 2 < high <= 100:
        return f" (are these percentages? {divide}; divide numbers per mille by 1000)"
    if low >= 0 and high > 100 and read.size > 2:  # of the two ends alone an identifier looks the same
        mille = "numbers per mille? Divide by 1000; " if high <= 1000 and broken else ""
        return (f" ({mille}a score? Write (x - lowest) / (highest - lowest), or 1 minus it if a low score means the "
                "event: the order is enough for --decision top-k, and for costs --recalibrate makes probabilities)")
    if low < -0.01 and high <= 0:
        return " (log probabilities? Write exp(x) of each)"
    if low < -0.01 and max(-low, high) < 750:
        return (" (log odds? Write 1 / (1 + exp(-x)) of each, their sigmoid; of a survival model, log hazards? "
                "Chances need its baseline)")
    return ""


def as_list(fields: Iterable[Any]) -> list[Any]:
    """The fields; of a column of text at once, since one by one each takes as long as reading it."""
    is_text = isinstance(getattr(fields, "dtype", None), pd.StringDtype)
    return np.asarray(fields, dtype=object).tolist() if is_text else list(fields)


def one_a_line(fields: Iterable[Any]) -> str:
    """Fields of text below each other; nothing if one of them is not text, is missing or has lines of its own.

    Examples
    --------
    >>> one_a_line(["0.5", "a"]), one_a_line(["0.5", 1])
    ('0.5\\na\\n', '')
    """
    kept = as_list(fields)
    try:
        lines = "\n".join([*kept, ""])
    except TypeError:
        return ""
    return lines if lines.count("\n") == len(kept) else ""
