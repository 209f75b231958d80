"""Outcomes and forecasts from a file, as people have them; what cannot be read is named with its line.

Implements no part of a source.
"""

from __future__ import annotations

import contextlib
import csv
import glob
import gzip
import io
import itertools
import json
import re
import shlex
import sys
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwu_lite.reporting.rules import RULES

__all__ = ["Quantiles", "Shared", "abstentions", "amounts", "blocks", "codes", "column_of", "columns_of_models",
           "cost_table", "costs_in_words", "events", "groups", "in_percent", "key", "keys", "known_as_written",
           "labels", "layout", "line_of", "literal", "members", "numbers", "one_a_line", "one_of_two", "other_unit",
           "pairs", "probabilities", "quantiles", "read_table", "right_or_wrong", "same_words", "sources", "values",
           "wide", "without_currency"]

DELIMITERS = ",;\t|"
EXPORTS: dict[str, Any] = json.loads((Path(__file__).parent / "exports.json").read_text(encoding="utf-8"))
YES = set(RULES["yes"])
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Control characters, marks of direction and other characters that are not seen."""
MOST_UNPACKED = 2_000_000_000
KEY = re.compile(r"(?i)(?:^|[_ ])(?:id|inst|instance|case|index|key|row|obs|nr|no)(?:$|[_ #.])")
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
SILENT = ("abstain", "abstained", "no answer", "not_attempted", "not attempted")  # instead of an answer
UNSURE = ("i don't know", "i do not know", "don't know", "idk", "unsure", "not sure", "i'm not sure", "i am not sure",
          "i can't answer", "i cannot answer", "cannot answer")  # as an answer, where it is not the right one
ALL_PLAIN = re.compile(r"(?:[-+]?\d+(?:\.\d+)?\n)+", re.ASCII)  # of fields below each other: each is a number
NOT_GROUPED = re.compile(r"^[-+]?0\.|\.(?:\d{1,2}|\d{4,})$", re.ASCII | re.MULTILINE)  # of one: a point is decimal
OTHER_KEY = re.compile(r"^[\s+.]|^-[0.]+$|[^\S\n]$|\.\d*0$|\.$", re.MULTILINE)  # of one: known by another word
CURRENCY = re.compile(r"\s*(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF|JPY)\b)\s*", re.IGNORECASE)
GAPS = (".", "-", "\\N", "#DIV/0!", "#VALUE!", "#NUM!", "#REF!")  # as SAS, Postgres and Excel write them
UNIT = "% \u00a0\u202f"  # what may stand behind a number
MOST_LABELS = 5  # with more, an outcome of whole numbers may count
RULED = re.compile(r"[-+=|:\s]*")  # a line between heading and rows
BARS = str.maketrans(dict.fromkeys("│┆┃║┊", "|") | dict.fromkeys("─━═┌┐└┘├┤┬┴┼╞╡╪╭╮╰╯╔╗╚╝╠╣╬╟╢╫", "-"))
FOOT = re.compile(r"shape: \(\d+, \d+\)|\[\d+ rows x \d+ columns\]|\(\d+ rows?\)|\d+ rows? in set.*"
                  r"|only showing top .*")
TYPES = re.compile(r"<?(?:u?int(?:eger)?\d*|[iuf]\d+|bigint|hugeint|smallint|double|float\d*|dbl|fctr?|chr|lgl|str|"
                   r"string|varchar|bool(?:ean)?|date|dttm|timestamp|decimal\(\d+,\d+\))>?|---")
SPREAD = re.compile(r"(.*?)[ _.:-]*(std(?:[ _.]?dev)?|stdev|sd|sigma|spread)", re.IGNORECASE)
MEMBER = re.compile(r"(.+?)[ _.:-]+(\d+)")
NUMBERED, LEAST_MEMBERS = re.compile(r"(.*?[^\d _.:\[(-])[\[(]?(\d+)[\])]?"), 3  # e0, ens01, IFS[0]
GAINS = re.compile(r"profit|pay-?off|gain|utilit|benefit|revenue|reward|earning")
TERM = re.compile(r"([-+]?)(?:([\d.]+)\*)?(price|[\d.]+)")
CONFIDENCE = re.compile(r"(.+?)[ _.:-]+(?:confidence|conf|prob(?:ability)?)", re.IGNORECASE)
CORRECT = r"(?:is[ _.:-]?)?(?:right|correct|acc)"
WITHOUT = re.compile(r"^(?:fail|non|no[ _]|without|negatives?$|losses$)", re.IGNORECASE)
LAGGED = re.compile(r"(?:^|[ _.])lags?$", re.IGNORECASE)  # earlier outcomes, and no ensemble
RIGHT = YES | {"right", "correct", "c", "pass", "passed", "solved", "resolved"}
WRONG = {"0", "false", "no", "n", "wrong", "incorrect", "i", "fail", "failed", "unsolved", "unresolved"}
DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}")
BARE = re.compile(r"(?:column \d+)?")  # a column without a name
VECTOR = re.compile(r"\[[-+\d.eE]+(?:[, ]+[-+\d.eE]+)+\]")
END = re.compile(r"lo|low|lower|hi|high|upper|lwr|upr", re.IGNORECASE)
MIDDLE = re.compile(r"(.*?)[ _.:-]*(mean|mu|pred)", re.IGNORECASE)


class Shared(list[Any]):
    """A value for each row of a table that pandas need not copy for every table that it makes of it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Shared:
        return self


def read_table(source: str) -> pd.DataFrame:
    """A table from a CSV or Parquet file, or from standard input if `source` is ``-``.

    Delimiter (comma, semicolon, tab, bar) and decimal comma are recognised, a byte order mark is ignored, a file
    that was packed by gzip is unpacked.

    Raises
    ------
    ValueError
        No table, or rows of different lengths; the message says which line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("y;a\\n1;0,7\\n0;20%\\n")
    ...     file.flush()
    ...     frame = read_table(file.name)
    >>> numbers(frame, "a").tolist()
    [0.7, 0.2]
    """
    if source != "-" and [Path(source)] != (paths := sources(source)):
        return _together(source, paths)
    if str(source).lower().endswith((".parquet", ".pq")):
        return _read_parquet(source)
    if str(source).lower().endswith(".arff"):
        raise ValueError(f"{source} is in Weka's format, which is not read here: scipy.io.arff.loadarff reads it, and "
                         f"pandas writes its table as CSV")
    raw = _bytes(source)
    if raw[:2] == b"PK":
        raise ValueError(f"{source} is an Excel or zip file: save the sheet as CSV")
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    if "\0" in text:
        raise ValueError(f"{source} is not a text file: save the table as CSV")
    if not text.strip():
        raise ValueError(f"{source} is empty")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    for sign, kind in (("<", "a page of HTML or XML"), ("@relation", "an ARFF file")):
        if text.lstrip()[:len(sign)].lower() == sign:
            raise ValueError(f"{source} is {kind}: save the table as CSV")
    if text.lstrip()[:1] in ("{", "["):
        return _read_json(text, source)
    end = text.find("\n", len(text) - len(text.lstrip()))
    if (end if end >= 0 else len(text)) > RULES["most_first_line"]:
        raise ValueError(f"the first line of {source} is longer than {RULES['most_first_line']:,} characters: is this "
                         "a table with one row per line?")
    text, said = without_preamble(text)
    whole = without_title(without_frame(_unquoted(text)))
    text = without_headings(whole)
    again = [place for place, (one, two) in enumerate(zip(whole.split("\n"), text.split("\n"), strict=False), 1)
             if one.strip() and not two.strip() and not RULED.fullmatch(one)]
    text = text if said else separated(text)
    text = re.sub(rf"(?:\n[{DELIMITERS} \r]*)+\Z", "\n", text)  # rows without a field, as Excel leaves them
    delimiter, names = layout(io.StringIO(text), source, said)
    try:
        frame = pd.read_csv(io.StringIO(text), sep=delimiter, skipinitialspace=True, dtype=str, names=names, header=0,
                            index_col=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        match = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        raise ValueError(f"line {match[2]} has {match[3]} fields, the lines above have {match[1]}" if match
                         else f"{source} could not be parsed as a table: {error}") from error
    if frame.empty:
        raise ValueError(f"{source} has a header but no rows")
    frame.attrs["point"] = delimiter == "," and not ('"' in text and any(
        decimal_commas(frame[name]) for name in frame.columns))
    _refuse_headings(frame)
    frame = with_gaps(frame)
    frame = frame.drop(columns=[name for name in names if BARE.fullmatch(name) and frame[name].isna().all()])
    if text.count("\n") + (not text.endswith("\n")) != len(frame) + 1:  # blank lines, or line ends inside quotes
        frame.attrs["lines"] = Shared(_lines_of(text, delimiter))
        if again:  # a heading stands there again
            frame.attrs["parts"] = Shared([f"the part above line {next((at for at in again if at > line), 'end')}"
                                           for line in frame.attrs["lines"]])
    return frame


def sources(source: str) -> list[Path]:
    """The files that a name with wildcards stands for, in order; or the one file.

    Raises
    ------
    ValueError
        No file fits.

    Examples
    --------
    >>> sources("cases.csv")
    [PosixPath('cases.csv')]
    """
    if not any(letter in source for letter in "*?[") or Path(source).exists():
        return [Path(source)]
    found = sorted(Path(name) for name in glob.glob(source, recursive=True))
    if not found:
        raise ValueError(f"no file matches {source}")
    return found


def _together(source, paths):
    """Several files as one table, in the order of their names; parts without rows, as engines write them, add none."""
    parts: list[pd.DataFrame] = []
    lines: list[str] = []
    origin: list[str] = []
    for path in paths:
        try:
            parts.append(read_table(str(path)))
        except ValueError as error:
            if not re.search("has a header but no rows$|is empty$", str(error)):
                raise ValueError(f"{path}: {error}") from error
            continue
        if set(parts[-1].columns) != set(parts[0].columns):
            raise ValueError(f"{path} does not have the columns of {lines[0].rpartition(' of ')[2]}")
        lines += [f"{line_of(parts[-1], place)} of {path}" for place in range(len(parts[-1]))]
        origin += [str(path)] * len(parts[-1])
    if not parts:
        raise ValueError(f"{source} matches {len(paths)} files, none of which has any rows")
    whole = pd.concat(parts, ignore_index=True)
    whole.attrs = {"lines": Shared(lines), "source": Shared(origin),
                   "point": all(part.attrs.get("point", False) for part in parts)}
    return whole


def _unquoted(text):
    """Lines each of which is one field in quotes with the same number of commas inside, as Excel may save a column."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    filled = [line for line in lines if line]
    if len(filled) < 3 or not all(re.fullmatch(r'"(?:[^"]|"")*"', line) for line in filled) or len(
            {line.count(",") for line in filled}) > 1 or "," not in filled[0]:
        return text
    return "\n".join(line[1:-1].replace('""', '"') for line in lines)


def _named_in_a_comment(comment, below):
    """The names in a comment that stands just above a row of as many numbers, as numpy's savetxt writes them."""
    names, row = re.split(r"[,; \t]+", comment.strip("# \t\r")), re.split(r"[,; \t]+", below.strip())
    plain = all(re.fullmatch(r"[^\W\d]\w*", name) for name in names)
    numbers = all(re.fullmatch(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?", field) for field in row)
    return plain and numbers and len(names) == len(row) > 1


def unmerged(frame: pd.DataFrame, outcome: str | None, named: Collection[Any] = ()) -> pd.DataFrame:
    """Columns of words that are blank below each value, as merged cells are: each blank is the value above it.

    Numbers alone are filled only in columns that somebody has named. The attribute *notes* says which ones.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [0, 1] * 3, "clinic": ["A", None, None, "B", None, None]})
    >>> unmerged(table, "y")["clinic"].tolist()
    ['A', 'A', 'A', 'B', 'B', 'B']
    """
    for name in frame.columns if len(frame) > 2 else []:
        column = frame[name]
        if pd.notna(column.iloc[1]) is not False:  # a merged cell is blank in its second row; of lists there are none
            continue
        places = np.flatnonzero(column.notna())
        if name == outcome or len(places) < 2 or places[0] or 2 * len(places) > len(frame) or column.nunique() < 2:
            continue
        is_number = np.isfinite(pd.to_numeric(column.iloc[places], errors="coerce")).all()
        if np.diff([*places, len(frame)]).min() > 1 and (not is_number or name in named):
            frame = frame.assign(**{name: column.ffill()})
            frame.attrs["notes"] = [*frame.attrs.get("notes", []), f"{name} is blank below each of its values, as "
                                    f"merged cells are: each blank is read as the value above."]
    return frame


def without_preamble(text):
    """Lines of comments (#) before the header, and Excel's ``sep=;``, made blank; and the delimiter that Excel says."""
    said, lines = "", list[str]()
    while match := re.match(r"[ \t]*(#[^\n]*|\"?sep=(.)\"?[ \t\r]*|[ \t\r]*)\n", text):
        said = match[2] or said
        below = text[match.end():].partition("\n")[0]
        if match[1].startswith("#") and _named_in_a_comment(match[1], below):
            return "".join(lines) + text.replace("#", " ", 1).lstrip(" "), said
        lines.append("\n")
        text = text[match.end():]
    return "".join(lines) + text, said


def without_frame(text: str) -> str:
    """A table as MySQL, Spark, DuckDB, Polars, pandas or R print it: rules, types and counts of rows are made blank.

    Raises
    ------
    ValueError
        Rows were left out in print.

    Examples
    --------
    >>> without_frame("+---+-----+\\n| y |   a |\\n+---+-----+\\n| 1 | 0.7 |\\n+---+-----+\\n1 row in set\\n")
    '\\n| y |   a |\\n\\n| 1 | 0.7 |\\n\\n\\n'
    """
    whole = text.split("\n")
    filled = [line.strip() for line in whole if line.strip()]
    ends = [filled[0], filled[-1]] if filled else []
    boxed = any(line[0] in "┌╭╔└╰╚" for line in ends)
    framed = boxed or any(FOOT.fullmatch(line) or re.fullmatch(r"\+[-+]+\+", line) for line in ends)
    lines = [line.translate(BARS) for line in whole] if framed else whole
    # Types stand below the heading, in a box or as <int>: elsewhere such words may be a row, as "date" is a label.
    below = [place for place, line in enumerate(lines) if line.strip() and not RULED.fullmatch(line)
             and not FOOT.fullmatch(line.strip())][1:2 + boxed]
    for place in below:
        words = lines[place].replace("|", " ").split()
        if all(TYPES.fullmatch(word) and (boxed or word[0] == "<") for word in words):
            framed, lines[place] = True, ""
    if not framed:
        return text
    left = next((place + 1 for place, line in enumerate(lines)
                 if re.fullmatch(r"[ |]*(?:\.\.|…)[ |.…]*|only showing top.*|#.* more rows?.*", line)), None)
    if left:
        raise ValueError(f"line {left}: rows were left out when this table was printed; save the whole table as CSV")
    return "\n".join(["" if FOOT.fullmatch(line.strip()) or RULED.fullmatch(line) else line for line in lines])


def without_title(text: str) -> str:
    """Lines above the header that hold one field each, such as the title of a report, made blank.

    Examples
    --------
    >>> without_title("Report of May;;\\ny;a;b\\n1;0.5;0.2\\n0;0.2;0.3\\n")
    '\\ny;a;b\\n1;0.5;0.2\\n0;0.2;0.3\\n'
    """
    lines = text.split("\n", 60)
    filled = [place for place, line in enumerate(lines[:60]) if line.strip(f"{DELIMITERS} \r")][:20]
    sign = max(reversed(DELIMITERS), key="".join(lines[place] for place in filled[-5:]).count)
    fields = {place: [field.strip(' "\r') for field in lines[place].split(sign)] for place in filled}
    number = {place: sum(map(bool, own)) for place, own in fields.items()}
    head = next((place for place in filled if number[place] > 1), 0)
    body = [number[place] for place in filled if place > head]
    if not body or min(body) < 2 or any(NUMBER.fullmatch(field.replace(",", ".")) for field in fields.get(head, [])):
        return text
    return "\n".join(["" if place < head else line for place, line in enumerate(lines)])


def without_headings(text: str) -> str:
    """Lines that say the heading again, where files stand one below the other, and psql's rule and count, made blank.

    Examples
    --------
    >>> without_headings("y,a\\n1,0.5\\ny,a\\n0,0.2\\n")
    'y,a\\n1,0.5\\n\\n0,0.2\\n'
    """
    head = next(line for line in text.split("\n") if line.strip())
    if re.search(rf'(?:^|[{DELIMITERS}])\s*"?[-+.\d]', head):  # it may be a row
        return text
    again = rf"(?<=\n){re.escape(head)}(?=\n|\Z)"
    start = text.index(head) + len(head)
    text = text[:start] + re.sub(again, "", text[start:])
    rule = re.match(r"\n[ ]?-+(?:\+-+)+[ \r]*(?=\n)", text[start:]) if "|" in head else None
    if rule:
        text = text[:start] + "\n" + re.sub(r"\n\(\d+ rows?\)\s*\Z", "\n", text[start + rule.end():])
    return text


def separated(text: str) -> str:
    """Columns that stand apart by blanks, or between bars, with or without rules of dashes: apart by tabs.

    Text of which any row has another number of words than the header (or one more, R's names of rows) is unchanged.

    Examples
    --------
    >>> separated("y   a\\n-- ---\\n1 0.7\\n")
    'y\\ta\\n\\n1\\t0.7\\n'
    """
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    barred = first.strip()[:1] == first.strip()[-1:] == "|"
    if not barred and (any(sign in first for sign in DELIMITERS) or len(first.split()) < 2):
        return text
    rows = ["" if RULED.fullmatch(line) else line.strip(" \r|") for line in lines]
    words = [[word.strip() for word in (row.split("|") if barred and row else row.split())] for row in rows]
    if not barred and '"' in first:  # R's write.table
        with contextlib.suppress(csv.Error):
            words = [next(csv.reader([row], delimiter=" ", skipinitialspace=True), []) for row in rows]
    filled = [row for row in words if row]
    wide = {len(row) for row in filled[1:]}
    if wide not in ({len(filled[0])}, {len(filled[0]) + 1}) or any("\t" in word or '"' in word for row in filled
                                                                  for word in row):
        return text
    return "\n".join("\t".join(row) for row in words)


def _read_json(text, source):
    """One object per line, as evaluations of language models are kept, a list, or a table in one object.

    What is nested stays as its text.
    """
    rows = []
    is_whole = text.lstrip()[0] == "[" or _is_one_object(text)
    for number, line in enumerate([text] if is_whole else text.split("\n"), 1):
        try:
            rows.append(json.loads(line, parse_constant=lambda word: None, object_pairs_hook=once)) if (
                line.strip()) else None
        except (ValueError, RecursionError) as error:
            where = source if is_whole else f"line {number} of {source}"
            raise ValueError(f"{where} cannot be read as JSON: {error}") from error
    if is_whole:
        rows = _rows_of(rows[0], source) if isinstance(rows[0], dict) else rows[0]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{source} looks like JSON, but does not have one object for each case")
    frame = pd.DataFrame([{str(name): value if isinstance(value, str) or value is None else json.dumps(value)
                           for name, value in row.items()} for row in rows])
    frame.attrs["point"] = not any(isinstance(value, str) and re.fullmatch(r"[-+]?\d[\d.,]*[.,]\d+%?", value.strip())
                                   for row in rows for value in row.values())  # JSON's own numbers have a point
    _check_names(list(frame.columns))
    return frame


def _is_one_object(text):
    try:
        return not text[json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip()))[1]:].strip()
    except (ValueError, RecursionError):
        return False


def _rows_of(table, source):
    """Rows of a table in one object: as pandas writes it ("split", "columns", "index"), or a list for each column."""
    if set(table) | {"index"} == {"columns", "data", "index"}:
        names, data = table["columns"], table["data"]
        if not all(isinstance(one, list) and len(one) == len(names) for one in [names, *data]):
            raise ValueError(f"{source}: each row of its data needs as many values as there are columns")
        return [dict(zip(names, row, strict=True)) for row in data]
    columns = [*table.values()]
    if len(columns) > 1 and all(isinstance(one, list) and len(one) == len(columns[0]) for one in columns):
        return [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]
    if len(columns) > 1 and all(isinstance(one, dict) and one.keys() == columns[0].keys() for one in columns):
        for outer, inner in ((table, columns[0]), (columns[0], table)):  # rows are numbered from 0
            if list(inner) == [str(place) for place in range(len(inner))]:
                return columns if inner is table else [{name: table[name][key] for name in outer} for key in inner]
    inside = [one for one in columns if isinstance(one, list) and len(one) > 1 and all(
        isinstance(row, dict) for row in one)]
    return inside[0] if len(inside) == 1 else [table]  # results beside a version


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, in which each name stands once.

    Raises
    ------
    ValueError
        A name stands twice.

    Examples
    --------
    >>> once([("a", 1)])
    {'a': 1}
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise ValueError(f"the name {twice!r:.60} stands twice in one object")
    return found


def layout(lines: Iterable[str], source: str, said: str = "") -> tuple[str, list[str]]:
    """Delimiter and names of columns, from the first lines that are not blank; `said` is a delimiter known already.

    Raises
    ------
    ValueError
        No header, names given twice, or a first row that is longer.

    Examples
    --------
    >>> layout(["y;a", "1;0,7"], "cases.csv")
    (';', ['y', 'a'])
    """
    first = list(itertools.islice((line for line in lines if line.strip()), 50))
    if not first:
        raise ValueError(f"{source} is empty")
    delimiter = said or max(reversed(DELIMITERS), key=re.sub(r'"[^"]*"', "", first[0]).count)  # a comma is the last
    try:
        names, *rows = csv.reader(first[:2], delimiter=delimiter, skipinitialspace=True)
        with contextlib.suppress(csv.Error):  # a line further down is told by its number
            rows = list(csv.reader(first, delimiter=delimiter, skipinitialspace=True))[1:]
    except csv.Error as error:
        raise ValueError(f"{source} could not be parsed as a table: {error}") from error
    names = _numbered([name.strip() for name in names], rows)
    _check_names(names)
    _check_header(names)
    if len(rows) > 2 and all(len(row) == len(names) + 1 for row in rows[:-1]):  # the last may end on a later line
        if all(not row[-1].strip() for row in rows[:-1]):
            return delimiter, [*names, ""]
        if delimiter == "," and all(re.search(r"[^\s,]+, [^,]*$", line) for line in first[1:]) and not any(
                re.match(r"[^,]*, ", line) for line in first[1:]):
            raise ValueError(f"the rows have a field more than the header, and the last one begins with a blank: "
                             f"{first[1].strip()[-40:]!r}. A comma inside of a name needs quotes")
        keys, next_ = ([row[place] for row in rows] for place in (0, 1))
        is_key = KEY.search(names[0]) and len({*next_}) < len(rows)  # its values stand below it, not one further
        if len({*keys}) == len(rows) and not is_key:  # R writes the names of rows without a heading
            return delimiter, ["row names", *names]
    if rows and len(rows[0]) > len(names) and any(field.startswith("*") for field in rows[0]):
        raise ValueError(f"the last {len(rows[0]) - len(names) + 1} fields of a row stand below one name, "
                         f"{names[-1]!r}: take out the stars, as Weka writes them, and give each label's probability a "
                         "column with a name")
    if rows and len(rows[0]) > len(names):
        raise ValueError(f"the first row has {len(rows[0])} fields, the header has {len(names)}: a comma inside a "
                         "number or a name needs quotes")
    return delimiter, names


def _bytes(source):
    """The content of a file or of standard input, unpacked."""
    if source == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise ValueError("standard input is closed: name a file")
        raw = sys.stdin.buffer.read()
    else:
        raw = Path(source).read_bytes()
    if raw[:2] != b"\x1f\x8b":
        return raw
    with gzip.open(io.BytesIO(raw)) as packed:
        try:
            raw = packed.read(MOST_UNPACKED + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{source} could not be unpacked: {error}") from error
    if len(raw) > MOST_UNPACKED:
        raise ValueError(f"{source} has more than {MOST_UNPACKED:,} bytes when unpacked")
    return raw


def _read_parquet(source):
    try:
        frame = pd.read_parquet(source)
    except ImportError:
        frame = _by_duckdb(source)
    except OSError:
        raise
    except Exception as error:  # pyarrow's own kinds
        raise ValueError(f"{source} could not be read as Parquet: {error}") from error
    frame.columns = [str(name) for name in frame.columns]
    _check_names(list(frame.columns))
    if frame.empty:
        raise ValueError(f"{source} has a header but no rows")
    return nested_as_text(frame)


def nested_as_text(frame: pd.DataFrame) -> pd.DataFrame:
    """Lists and dictionaries in fields as their text, as they are read from a file: neither can be counted.

    Examples
    --------
    >>> nested_as_text(pd.DataFrame({"y": [0], "embedding": [[0.1, 0.2]]}))["embedding"].tolist()
    ['[0.1, 0.2]']
    """
    nested = [name for name in frame.columns if frame[name].dtype.kind == "O" and any(
        isinstance(one, list | dict | np.ndarray) for one in frame[name].dropna().head(1))]
    return frame.assign(**{name: frame[name].map(str, na_action="ignore") for name in nested}) if nested else frame


def _by_duckdb(source):
    try:
        import duckdb
    except ImportError as error:
        raise ValueError(f"reading {source} needs pyarrow or duckdb: pip install pyarrow, or save it as CSV") from error
    with duckdb.connect() as connection:
        try:
            return connection.execute(PARQUET_ROWS.format("*"), [[literal(source)]]).fetch_df()
        except duckdb.Error as error:
            raise ValueError(f"{source} could not be read as Parquet: {str(error).splitlines()[0]}") from error


PARQUET_ROWS = "SELECT {} FROM read_parquet(?, hive_partitioning = false)"


def literal(path: Any) -> str:
    """A file's name for DuckDB, which reads ``*``, ``?`` and brackets as wildcards.

    Examples
    --------
    >>> literal("a[1].parquet")
    'a[[]1].parquet'
    """
    return re.sub(r"[*?\[]", lambda letter: f"[{letter[0]}]", str(path))


def _lines_of(text, delimiter):
    """The line on which each row starts."""
    reader, starts, before = csv.reader(io.StringIO(text), delimiter=delimiter), [], 0
    try:
        for row in reader:
            if is_row(row):
                starts.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from error
    return starts[1:]


def is_row(fields: list[str]) -> bool:
    """Does pandas take these fields of a line for a row? It skips blank lines, and not those of delimiters alone."""
    return len(fields) > 1 or any(field.strip() for field in fields)


def _numbered(names, rows):
    """Columns without a name and without a field, as Excel leaves them, by their number; one of them may stay."""
    bare = [place for place, name in enumerate(names) if not name]
    if len(bare) < 2 or any(field.strip() for row in rows for place, field in enumerate(row) if place in bare):
        return names
    return [name or f"column {place}" for place, name in enumerate(names, 1)]


def _check_names(names):
    """Refuse names that are given twice, too long, too many, or hold characters that are not seen."""
    if len(names) > RULES["most_columns"]:
        raise ValueError(f"the table has {len(names):,} columns, more than {RULES['most_columns']:,}: keep the "
                         "outcome, the forecasts, weights and groups")
    seen: set[str] = set()
    for number, name in enumerate(names, start=1):
        if len(name) > RULES["most_name"]:
            raise ValueError(f"the name of column {number} has {len(name):,} characters: give it a short one")
        if HIDDEN.search(name):
            raise ValueError(f"the name of column {number} contains a line break or another invisible character, "
                             f"{name!r:.80}: rename it")
        if name in seen:
            raise ValueError(f"two columns are called {name!r}: give each its own name" if name else
                             "two columns have no name: give each its own, or take empty columns out")
        seen.add(name)


def _refuse_headings(frame):
    """Refuse rows below the header that hold words where all others hold numbers: a second heading, or units."""
    top = frame.iloc[:50]
    if any(pd.to_numeric(top[name], errors="coerce").notna().all() for name in top.columns[:50]):
        return  # such a column has a number in every row: then no row is a heading
    for count in (2, 1):
        below = top.iloc[count:].apply(pd.to_numeric, errors="coerce")
        columns = below.columns[below.notna().all()] if len(below) > 1 else []
        first = top[columns].iloc[:count]
        words = first.where(~first.isin(GAPS)).iloc[0].dropna()
        if len(columns) > 1 and len(words) and first.apply(pd.to_numeric, errors="coerce").isna().all(axis=None):
            lines = "line 2 looks" if count == 1 else "lines 2 and 3 look"
            raise ValueError(f"{lines} like a second heading, "
                             f"or units ({', '.join(words[:3])}): take {'it' if count == 1 else 'them'} out, and give "
                             "each column one name")


def _check_header(names):
    levels = [float(name) for name in names if re.fullmatch(r"0?\.\d+", name)] or [
        float(name[:-1]) / 100 for name in names if re.fullmatch(r"\d+(\.\d+)?%", name)]
    if len(levels) > 1 and len(levels) < len(names) and all(
            min(abs(1 - level - other) for other in levels) < 1e-9 for level in levels):
        return  # quantiles called by their levels, which mirror each other
    if all(re.fullmatch(r"[-+]?[0-9.,]+%?", name) for name in names) or any(
            re.fullmatch(r"[-+]?\d*[.,]\d+%?", name) for name in names):
        raise ValueError("the first line looks like data: is the header missing?")


def column_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of the table; a ValueError that lists the others if there is none of this name."""
    if name not in frame:
        raise ValueError(f"there is no column {name!r}; the columns are: {', '.join(map(str, frame.columns))}")
    return frame[name]


def _refuse(frame, column, bad, rule, hint=""):
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
            below: float | None = None, gaps: bool | None = None) -> np.ndarray:
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
        lacks = gaps is False and bool(pd.isna(column.iloc[int(np.flatnonzero(bad)[0])]))
        _refuse(frame, column, bad, "expected a number",
                ". Where forecasts may be missing, say --missing pairwise" if lacks else
                of_vectors(column[bad]))
    for outside, rule in ((None if least is None else read < least, f"expected a number of at least {least}"),
                          (None if above is None else read <= above, f"expected a number above {above}"),
                          (None if below is None else read >= below, f"expected a number below {below}")):
        if outside is not None and outside.any():
            _refuse(frame, column, outside, rule)
    return read


def of_vectors(column: pd.Series) -> str:
    """A hint, if a column holds a list of numbers in each field, as Spark and JSON write probabilities of all labels.

    Examples
    --------
    >>> of_vectors(pd.Series(["[0.2, 0.8]"])), of_vectors(pd.Series(["low"]))
    (' (a vector? Write its number for the event in a column of its own)', '')
    """
    return (" (a vector? Write its number for the event in a column of its own)"
            if VECTOR.fullmatch(str(column.dropna().head(1).sum())) else "")


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
            _refuse(frame, column, percent, "expected an amount of money, not a percentage")
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
        _refuse(frame, column_of(frame, name), outside, "expected a probability between 0 and 1",
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
    if low < -0.01 and max(-low, high) <= 1:
        return (" (log odds? Write 1 / (1 + exp(-x)) of each, their sigmoid; differences, as of an uplift, or "
                "contributions to a score? A chance lies between 0 and 1)")
    if 1 <= low < high <= 1000 and broken:
        unit = "numbers per mille? Divide by 1000" if high > 100 else f"are these percentages? {divide}"
        return f" (decimal odds? 1 / x of each is a chance, with the bookmaker's margin in it; {unit})"
    if 0 < low < 1 and 2 < high <= 100 and 0.1 <= low * high <= 10:
        return (f" (ratios of risks or hazards? They are chances only times the risk at 1; are these percentages? "
                f"{divide})")
    if low >= 0 and 2 < high <= 10 and np.array_equal(read, np.floor(read)):
        return (" (a scale to ten? Divide by its largest value and add --recalibrate, which makes probabilities of "
                f"points; are these percentages? {divide})")
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
        _refuse(frame, column, column.isna().to_numpy(), "expected an outcome",
                "; if that is the name of a class, give it another one; if the outcome is not known, say "
                "--missing bounds" + ("; if a blank means no, --missing no" if of_one_label(column) else "")
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


def cost_table(source: str) -> tuple[list[str], list[str], np.ndarray, np.ndarray | None]:
    """Acts, classes, costs and prices from a file: one row per act, its name first, one column per class.

    A cost is a number, ``price``, or both: ``2``, ``price``, ``2+price``, ``2+0.5*price``.

    Raises
    ------
    ValueError
        Fewer than two classes, or a field that is not a cost; the message says which line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("act,well,ill\\nhome,0,10\\ntest,price,price+1\\n")
    ...     file.flush()
    ...     acts, classes, costs, price = cost_table(file.name)
    >>> acts, classes, costs.tolist(), price.tolist()
    (['home', 'test'], ['well', 'ill'], [[0.0, 10.0], [0.0, 1.0]], [[0.0, 0.0], [1.0, 1.0]])
    """
    frame = read_table(source)
    if frame.shape[1] < 3:
        raise ValueError(f"{source} must have a column of acts and one column per class, at least two classes")
    costs, price = np.zeros((len(frame), frame.shape[1] - 1)), np.zeros((len(frame), frame.shape[1] - 1))
    for row in range(len(frame)):
        for column in range(1, frame.shape[1]):
            text = without_currency(str(frame.iloc[row, column])).replace(" ", "").lower()
            terms = list(TERM.finditer(text))
            try:
                kinds = ["price" if term[3] == "price" else "number" for term in terms]
                whole = "".join(term[0] for term in terms) == text and all(term[1] for term in terms[1:])
                if not terms or not whole or len(set(kinds)) < len(kinds):
                    raise ValueError
                for sign, times, kind in (term.groups() for term in terms):
                    table, amount = (price, 1.0) if kind == "price" else (costs, float(kind))
                    table[row, column - 1] += (-1 if sign == "-" else 1) * float(times or 1) * amount
            except ValueError:
                hint = ("write a decimal point, and nothing between thousands" if "," in text else "for a cost that "
                        "differs between users write price, and give its range with --range LOW:HIGH")
                raise ValueError(f"line {line_of(frame, row)} of {source}, column {str(frame.columns[column])!r}: "
                                 f"expected a cost such as 2, price or 2+0.5*price, got {text!r} ({hint})") from None
    acts, classes = [str(name) for name in frame.iloc[:, 0]], [str(name) for name in frame.columns[1:]]
    corner = str(frame.columns[0]).lower()
    gain = GAINS.search(f"{corner} {Path(source).stem.lower()}")
    if gain:
        raise ValueError(f"{source} speaks of {gain[0]}: costs are asked for. Write what an act brings with a minus "
                         f"sign, and name the file and its first field otherwise")
    rows, *_ = re.split(r"[\\/|]", corner)  # what stands below the corner, and not beside it
    words = set(re.split(r"[^a-z]+", rows))
    if words & set(EXPORTS["true_corner"]) and not words & set(EXPORTS["act_corner"]):  # a row for each true class
        acts, classes, costs, price = classes, acts, costs.T, price.T
    elif sorted(map(key, acts)) == sorted(map(key, classes)) and not words & set(EXPORTS["act_corner"]):
        raise ValueError(f"{source} has the same names in rows and columns: say in its first field which ones are "
                         f"acts, 'act' if the rows are, 'true' if the rows are the true classes")
    return acts, classes, costs, price if price.any() else None


def costs_in_words(acts: list[str], classes: list[str], costs: np.ndarray, price: np.ndarray | None) -> str:
    """What each act costs in each class, as a sentence to check before the verdict.

    Examples
    --------
    >>> costs_in_words(["home", "ward"], ["well", "ill"], np.array([[0, 9], [2, 1]]), None)
    'home costs 0 if well and 9 if ill; ward costs 2 if well and 1 if ill.'
    """
    price = np.zeros_like(costs) if price is None else price
    lines = []
    for act, row, times in zip(acts, costs, price, strict=True):
        said = [f"{_amount(cost, per)} if {kind}" for kind, cost, per in zip(classes, row, times, strict=True)]
        lines.append(f"{act} costs {', '.join(said[:-1])} and {said[-1]}")
    return "; ".join(lines) + "."


def _amount(cost, times):
    priced = "" if not times else "price" if times == 1 else f"{times:g} times the price"
    return f"{cost:g}" if not priced else priced if not cost else f"{cost:g} plus {priced}"


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
        _refuse(frame, column, found < 0, f"expected one of the classes {', '.join(classes)}")
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
        _refuse(frame, column, unknown, "expected 1 or 0, right or wrong, C or I", hint)
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
        _refuse(frame, column_of(frame, truth), missing, "expected an answer")
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
        _refuse(frame, column, unknown, f"expected {event} or {other}")
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
        _refuse(frame, column, column.isna().to_numpy(), "expected a group")
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
        _refuse(frame, column, column.isna().to_numpy(), "expected a group",
                "; to take each case for itself, --groups none")
    words = column.map({value: key(value) for value in column.unique()})
    if words.str.fullmatch(r"-?\d{1,18}").all() and not words.str.match(r"-?0\d").any():
        return words.astype("int64").to_numpy()
    return words.to_numpy(dtype=object)
