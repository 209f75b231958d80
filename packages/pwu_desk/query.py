"""The query that counts forecasts inside a database, in the words of each engine.

Implements section 4 of the PWU paper for data that stay where they are.
"""

from __future__ import annotations

from typing import NamedTuple

from pwu_lite import validation

__all__ = ["DIALECTS", "EDGE", "END", "Columns", "Dialect", "counts", "losses"]

END = 1_000_000_000  # the cells of forecasts 0 and 1
EDGE = 5e-7  # of a cell: log odds that are a cell's edge but for the rounding of an engine's logarithm are in one cell
_MOST_WEIGHT = 1e300
_BOOLEAN = ("CAST(CASE LOWER(CAST({{0}} AS {text})) WHEN 'true' THEN '1' WHEN 'false' THEN '0' "
            "ELSE CAST({{0}} AS {text}) END AS {double})")
_WRITTEN = "'^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?$'"  # a number, as MySQL writes it


class Dialect(NamedTuple):
    """The few words in which engines differ.

    Attributes
    ----------
    quotes : str
        What stands before and after a name.
    double, whole : str
        Types of a number of 64 bits and of a whole number.
    log : str
        The natural logarithm.
    number : str
        How a column is read as a number: what is none, a text, becomes NULL, or stops the engine.
    truth : str
        How an outcome is read, which may be a boolean.
    literal : str
        What stands before a text; `backslash`: whether that sign has a meaning in it.
    """

    quotes: str
    double: str
    whole: str
    log: str = "LN"
    number: str = "COALESCE({0}, NULL)"
    truth: str = ""
    literal: str = ""
    backslash: bool = False

    def name(self, name: str) -> str:
        """A column, behind "given.": SQLite takes "prob" alone for a text, where there is no such column."""
        return f"given.{self.quotes[0]}{str(name).replace(self.quotes[1], 2 * self.quotes[1])}{self.quotes[1]}"

    def text(self, text: str) -> str:
        """A text; where a backslash has a meaning, BigQuery has no other way to write a quote."""
        quoted = text.replace("\\", r"\\").replace("'", r"\'") if self.backslash else text.replace("'", "''")
        return f"{self.literal}'{quoted}'"

    def checked(self, expression: str, condition: str) -> str:
        """A number that meets a condition, or NULL."""
        return (f"CASE WHEN {self.number.format(expression)} {condition}\n"
                f"        THEN CAST({expression} AS {self.double}) END")


# COALESCE strips a column's type in SQLite, where a text is then greater than any number, and no text passes for one.
# MySQL casts a text to 0, so its sign by sign form is looked at; Spark's cast makes NULL of it, or an error.
DIALECTS = {
    "ansi": Dialect('""', "DOUBLE PRECISION", "INTEGER"),
    "postgres": Dialect('""', "DOUBLE PRECISION", "INTEGER",
                        truth=_BOOLEAN.format(text="TEXT", double="DOUBLE PRECISION")),
    "spark": Dialect("``", "DOUBLE", "INT", number="CAST({0} AS DOUBLE)", backslash=True),
    "mysql": Dialect("``", "DOUBLE", "SIGNED", number=f"CASE WHEN {{0}} REGEXP {_WRITTEN} THEN {{0}} END",
                     backslash=True),
    "bigquery": Dialect("``", "FLOAT64", "INT64", truth=_BOOLEAN.format(text="STRING", double="FLOAT64"),
                        backslash=True),
    "snowflake": Dialect('""', "DOUBLE", "INTEGER", truth=_BOOLEAN.format(text="VARCHAR", double="DOUBLE"),
                         backslash=True),
    "tsql": Dialect("[]", "FLOAT(53)", "INT", "LOG", literal="N"),
}


class Columns(NamedTuple):
    """What a query counts.

    Attributes
    ----------
    table, truth : str
    model : str, or pair of str
        One forecast, or a mean and a standard deviation; of `losses` an expression.
    label : str or None
        The name of the model in the result.
    block, weight : str or None
    cells, wide : int
        Cells per unit; those of the rows that have a block.
    """

    table: str
    truth: str
    model: str | tuple[str, str]
    label: str | None
    block: str | None
    weight: str | None
    cells: int
    wide: int


def counts(given: Columns, words: Dialect) -> str:
    """A query for one model: all cases in fine cells, and the same cases by block in wide ones.

    Parameters
    ----------
    given : Columns
    words : Dialect
    """
    parts = [_grouped(given, words, by_block=False)] if given.block is None or given.wide < given.cells else []
    return "\nUNION ALL\n".join(parts + ([_grouped(given, words, by_block=True)] if given.block else []))


def losses(given: Columns, words: Dialect) -> str:
    """A query for the losses of one model, an expression: their sum, by block.

    Parameters
    ----------
    given : Columns
    words : Dialect
    """
    label = "" if given.label is None else f"{words.text(given.label)} AS model, "
    block, missing = ("", "") if given.block is None else ("block, ", " OR block IS NULL")
    most = validation.LARGEST
    return (f"SELECT {label}1 AS cells, {block}cell,\n"
            f"  COUNT(CASE WHEN w > 0 OR cell IS NULL THEN 1 END) AS cases, SUM(w) AS n, SUM(w * f) AS s,\n"
            f"  SUM(w * ABS(f)) AS v\n"
            f"FROM (\n"
            f"  SELECT *, CASE WHEN f IS NULL OR w IS NULL{missing} THEN NULL ELSE 0 END AS cell\n"
            f"  FROM (\n"
            f"    SELECT {words.checked('source.given_loss', f'BETWEEN -{most} AND {most}')} AS f,\n"
            f"      {_source(given, words, {'given_loss': str(given.model)})}\n  ) AS cases\n"
            f") AS counted GROUP BY {block}cell")


def _grouped(given: Columns, words: Dialect, by_block: bool) -> str:
    pair = not isinstance(given.model, str)
    merged = given.cells // given.wide if by_block else 1  # how many cells make one
    cell = _cell("v" if pair else "f / (1 - f)", given.cells, merged, words)
    known = "e IS NULL OR v IS NULL OR w IS NULL" if pair else "y IS NULL OR f IS NULL OR w IS NULL"
    ends = "" if pair else (f"WHEN f = 0 THEN {-END // merged} WHEN f = 1 THEN {END // merged}\n      ")
    missing = " OR block IS NULL" if by_block else ""
    # The rows of all cases have a block, too, of the same type: engines unite the two parts then without a cast.
    block = "" if given.block is None else "block, " if by_block else "MIN(block) AS block, "
    label = "" if given.label is None else f"{words.text(given.label)} AS model, "
    sums = "SUM(w * e * e) AS s, SUM(w * v) AS v" if pair else "SUM(w * f) AS s"
    return (f"SELECT {label}{given.cells // merged} AS cells, {block}{'' if pair else 'y, '}cell,\n"
            f"  COUNT(CASE WHEN w > 0 OR cell IS NULL THEN 1 END) AS cases, SUM(w) AS n, {sums}\n"
            f"FROM (\n"
            f"  SELECT *, CASE WHEN {known}{missing} THEN NULL\n"
            f"      {ends}ELSE {cell} END AS cell\n"
            f"  FROM (\n    SELECT {_read(given, words)}\n  ) AS cases\n"
            f") AS counted GROUP BY {'block, ' if by_block else ''}{'' if pair else 'y, '}cell")


def _cell(value: str, cells: int, merged: int, words: Dialect) -> str:
    fine = f"FLOOR({cells} * {words.log}({value}) + {EDGE:g})"
    return f"CAST({fine if merged == 1 else f'FLOOR({fine} / {merged}.0)'} AS {words.whole})"


def _read(given: Columns, words: Dialect) -> str:
    """The columns of a case that are counted, checked."""
    own = {"given_y": words.name(given.truth)}
    if isinstance(given.model, str):
        y = (words.truth or words.number).format("source.given_y")
        own["given_f"] = words.name(given.model)
        return (f"CASE WHEN {y} BETWEEN 0 AND 0 THEN 0\n      WHEN {y} BETWEEN 1 AND 1 THEN 1 END AS y,\n"
                f"      {words.checked('source.given_f', 'BETWEEN 0 AND 1')} AS f,\n"
                f"      {_source(given, words, own)}")
    own |= {"given_mean": words.name(given.model[0]), "given_std": words.name(given.model[1])}
    most = validation.LARGEST
    least = f"CAST('{1 / most:g}' AS {words.double})"  # a text: some engines make a decimal of 140 digits of it
    y, mean = (words.checked(f"source.{name}", f"BETWEEN -{most} AND {most}") for name in ("given_y", "given_mean"))
    return (f"{y} - {mean} AS e,\n      {words.checked('source.given_std', f'BETWEEN {least} AND {most}')}\n"
            f"      * CAST(source.given_std AS {words.double}) AS v, {_source(given, words, own)}")


def _source(given: Columns, words: Dialect, own: dict[str, str]) -> str:
    """Weight and block, and where all comes from: no other column of the table is read, whatever it is called."""
    own |= {f"given_{name}": expression for name, expression in (("weight", given.weight), ("block", given.block))
            if expression is not None}
    weight = "1" if given.weight is None else words.checked("source.given_weight", f"BETWEEN 0 AND {_MOST_WEIGHT}")
    read = ", ".join(f"{expression} AS {name}" for name, expression in own.items())
    return (f"{weight} AS w{'' if given.block is None else ', source.given_block AS block'}\n"
            f"    FROM (SELECT {read}\n      FROM (SELECT * FROM {given.table}) AS given) AS source")
