"""Tables as a page sets them: formulas, and the best value of each row or column.

Implements no part of a source.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Formulas", "Table", "formulas", "table"]

MARKS = ("min", "max", "row-min", "row-max")


class Formulas:
    """A DataFrame of sympy expressions, which a page sets as formulas."""

    def __init__(self, frame: Any):
        self.frame = frame

    def __repr__(self) -> str:
        return repr(self.frame)

    def _repr_html_(self) -> str:
        from sympy import latex

        shown = self.frame.map(lambda each: f'<span class="math notranslate nohighlight">\\({latex(each)}\\)</span>')
        return shown.to_html(border=1, escape=False)


def formulas(frame: Any, **together: Any) -> Formulas:
    """Show a DataFrame of sympy expressions as formulas.

    Parameters
    ----------
    frame : DataFrame
        Of sympy expressions.
    **together : sympy expression, optional
        Parts to keep in this form: ``w=1 - c`` writes 1 - c, never c - 1.

    Examples
    --------
    >>> import pandas as pd
    >>> import sympy as sp
    >>> c = sp.Symbol("c", positive=True)
    >>> shown = formulas(pd.DataFrame({"a": [-1 / (c * (c - 1))]}), w=1 - c)._repr_html_()
    >>> "(1 - c" in shown.replace(chr(92) + "left", "")
    True
    """
    from sympy import Dummy

    for part in together.values():
        stand_in = Dummy(positive=True)
        frame = frame.map(lambda each, part=part, stand_in=stand_in:
                          each.xreplace({part: stand_in, -part: -stand_in}).subs(stand_in, part))
    return Formulas(frame)


class Table:
    """A DataFrame that says which of its values are the best; the book's pages print those bold."""

    def __init__(self, frame: Any, best: str):
        self.frame, self.best = frame, best

    def __repr__(self) -> str:
        return repr(self.frame)

    def _repr_html_(self) -> str:
        return self.frame.to_html(border=1, classes=f"best-{self.best}")


def table(frame: Any, *, best: str) -> Table:
    """Show a DataFrame with the best value of each column, or of each row, marked.

    Parameters
    ----------
    frame : DataFrame
        Rounded as it is to be shown; values that are equal then are marked together.
    best : {"min", "max", "row-min", "row-max"}
        What is the best in each column, or in each row.

    Raises
    ------
    ValueError
        Another `best`.

    Examples
    --------
    >>> import pandas as pd
    >>> table(pd.DataFrame({"a": [0.1], "b": [0.2]}, ["cost"]), best="row-min")
            a    b
    cost  0.1  0.2
    """
    if best not in MARKS:
        raise ValueError(f"best must be one of {', '.join(MARKS)}, got {best!r}")
    return Table(frame, best)
