"""What each act costs in each class, from a file.

Implements no part of a source.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from .as_labels import key
from .as_numbers import line_of, without_currency
from .columns import EXPORTS
from .tables import read_table

__all__ = ["cost_table", "costs_in_words"]

GAINS = re.compile(r"profit|pay-?off|gain|utilit|benefit|revenue|reward|earning")
TERM = re.compile(r"([-+]?)(?:([\d.]+)\*)?(price|[\d.]+)")


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
