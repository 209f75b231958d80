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
import sys
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pwu_lite.reporting.rules import RULES

from .as_labels import HIDDEN
from .as_numbers import GAPS, NUMBER, decimal_commas, line_of, with_gaps

__all__ = ["Shared", "kept_rows", "layout", "literal", "read_table", "sources"]

DELIMITERS = ",;\t|"
MOST_UNPACKED = 2_000_000_000
KEY = re.compile(r"(?i)(?:^|[_ ])(?:id|inst|instance|case|index|key|row|obs|nr|no)(?:$|[_ #.])")
RULED = re.compile(r"[-+=|:\s]*")  # a line between heading and rows
BARS = str.maketrans(dict.fromkeys("│┆┃║┊", "|") | dict.fromkeys("─━═┌┐└┘├┤┬┴┼╞╡╪╭╮╰╯╔╗╚╝╠╣╬╟╢╫", "-"))
FOOT = re.compile(r"shape: \(\d+, \d+\)|\[\d+ rows x \d+ columns\]|\(\d+ rows?\)|\d+ rows? in set.*"
                  r"|only showing top .*")
TYPES = re.compile(r"<?(?:u?int(?:eger)?\d*|[iuf]\d+|bigint|hugeint|smallint|double|float\d*|dbl|fctr?|chr|lgl|str|"
                   r"string|varchar|bool(?:ean)?|date|dttm|timestamp|decimal\(\d+,\d+\))>?|---")
OF_ROWS = ("source", "parts")  # what a table knows of each row, besides its line
BARE = re.compile(r"(?:column \d+)?")  # a column without a name


class Shared(list[Any]):
    """A value for each row of a table that pandas need not copy for every table that it makes of it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Shared:
        return self


def kept_rows(frame: pd.DataFrame, kept: np.ndarray) -> pd.DataFrame:
    """Some rows of a table, each with its line, and the file or the part that it comes from.

    Examples
    --------
    >>> line_of(kept_rows(pd.DataFrame({"a": [1, 2, 3]}), np.array([False, False, True])), 0)
    4
    """
    places, found = np.flatnonzero(kept), frame[kept].reset_index(drop=True)
    of = {name: Shared([frame.attrs[name][place] for place in places]) for name in OF_ROWS if name in frame.attrs}
    found.attrs = {**frame.attrs, **of, "lines": Shared([line_of(frame, int(place)) for place in places])}
    return found


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
    >>> frame["a"].tolist()
    ['0,7', '20%']
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
    return as_read(frame, source)


def as_read(frame: pd.DataFrame, source: str) -> pd.DataFrame:
    """A table as a file of it is read: names are text; lists, dictionaries and times in fields are their text.

    Raises
    ------
    ValueError
        Two columns of one name, or no rows.

    Examples
    --------
    >>> as_read(pd.DataFrame({"y": [0], 1: [[0.1, 0.2]]}), "the table").to_dict("list")
    {'y': [0], '1': ['[0.1, 0.2]']}
    """
    names = [str(name) for name in frame.columns]
    _check_names(names)
    if frame.empty:
        raise ValueError(f"{source} has a header but no rows")
    frame = frame.set_axis(names, axis=1)
    nested = [name for name in names if frame[name].dtype.kind in "mM" or frame[name].dtype.kind == "O" and any(
        isinstance(one, list | dict | np.ndarray) for one in frame[name].dropna().head(1))]
    halves = {name: float for name in names if frame[name].dtype == np.float16}  # which pandas cannot count
    return frame.astype(halves).assign(**{name: frame[name].map(str, na_action="ignore") for name in nested})


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
    """Columns without a name and a field, as Excel leaves them, by their number; a first with fields is an index."""
    bare = [place for place, name in enumerate(names) if not name]
    if bare == [0] and len(names) > 1 and any(row and row[0].strip() for row in rows):
        return ["row names", *names[1:]]
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
                             "two columns have no name: give each its own, or take empty columns out, or "
                             "the first line, if that is a title")
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
        raise ValueError("the first line looks like data: is the header missing? Then put a line above it with "
                         "a name for each column")
