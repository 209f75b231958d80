"""May a new model replace the one in use? By how much it may cost more, and the decision of the whole table."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .rules import say

__all__ = ["Margin", "decide", "lifted", "margin_of", "words"]


class Margin(NamedTuple):
    """By how much a candidate may cost more than the model in use.

    Attributes
    ----------
    amount : float
        In the unit of the cost, or as a share of the cost of the model in use.
    share : bool
    """

    amount: float
    share: bool

    def __str__(self) -> str:
        return f"{100 * self.amount:.4g}%" if self.share else f"{self.amount:.4g}"


def margin_of(margin: Any, against: str | None) -> Margin | None:
    """What was asked for, read: a number, or a text such as "2%".

    Raises
    ------
    ValueError
        Neither, below zero, or no model that is in use.

    Examples
    --------
    >>> margin_of("2%", "old"), margin_of(0.01, "old")
    (Margin(amount=0.02, share=True), Margin(amount=0.01, share=False))
    """
    if margin is None:
        return None
    if against is None:
        raise ValueError("margin says how much more than the model in use a candidate may cost: name that model with "
                         "against")
    text = str(margin).strip()
    try:
        amount = float(text.removesuffix("%"))
    except ValueError:
        amount = np.nan
    if not 0 <= amount < np.inf:
        raise ValueError(f"margin must be a number in the unit of the cost, or a text such as '2%', at least zero, got "
                         f"{margin!r}")
    return Margin(amount / 100, True) if text.endswith("%") else Margin(amount, False)


def lifted(values: np.ndarray, losses: np.ndarray | None, best: int, margin: Margin) -> tuple[np.ndarray,
                                                                                                       np.ndarray]:
    """Costs and losses with those of the model in use raised by the margin, case by case.

    A candidate costs at most the margin more if it costs at most as much as this. A share is one of each case's loss,
    so that the interval knows that the cost of the model in use was estimated on the same cases.

    Raises
    ------
    ValueError
        The score is not an average over cases, or the share is of a cost whose sign is not sure.
    """
    if losses is None:
        raise ValueError("margin needs a score that is an average over cases, and finite losses; this one is computed "
                         "from all cases together, or a loss is infinite")
    own = losses[best]
    sure = own.min() >= 0 and values[best] > 0  # losses of one sign: so has their mean
    if margin.share and not sure and abs(values[best]) <= 3 * own.std() / np.sqrt(own.size):
        raise ValueError("the cost of the model in use is too near zero for a margin in per cent: give the margin in "
                         "the unit of the cost")
    factor, more = (1 + margin.amount * np.sign(values[best]), 0.0) if margin.share else (1.0, margin.amount)
    values, losses = values.copy(), losses.copy()
    values[best], losses[best] = factor * values[best] + more, factor * own + more
    return values, losses


def decide(table: pd.DataFrame) -> str:
    """``ship``, ``keep`` or ``cannot tell``, from the comparison with the model in use raised by the margin.

    Examples
    --------
    >>> decide(pd.DataFrame({"verdict": ["reference", "not separable", "cheaper"]}))
    'ship'
    """
    rivals = table["verdict"][table["verdict"] != "reference"]
    if (rivals == "cheaper").any():
        return "ship"
    return "keep" if len(rivals) and (rivals == "costlier").all() else "cannot tell"


def words(table: pd.DataFrame, about: Mapping[str, Any], margin: Margin) -> str:
    """The decision in one sentence.

    Parameters
    ----------
    table : DataFrame
        As `decide` takes it.
    about : mapping
        ``unit`` of cases needed, ``coverage``.
    margin : Margin

    Examples
    --------
    >>> table = pd.DataFrame({"verdict": ["reference", "cheaper"], "cases needed": [np.nan, 90]}, ["old", "new"])
    >>> words(table, {"unit": "cases", "coverage": "95"}, Margin(0.02, True))
    'Ship new: it costs at most 2% more than old.'
    """
    old = str(table.index[table["verdict"] == "reference"][0])
    rivals = table[table["verdict"] != "reference"]
    ready = [str(name) for name in rivals.index[rivals["verdict"] == "cheaper"]]
    most = f"at most {margin} more than {old}" if margin.amount else f"less than {old}"
    decision = decide(table)
    if decision == "ship":
        each = "it costs" if len(ready) == 1 else "each of them costs"
        return say("ship", names=" or ".join(ready), each=each, most=most)
    if decision == "keep":
        more = f"more than {margin} above it" if margin.amount else "more"
        each = "the candidate costs" if len(rivals) == 1 else "each candidate costs"
        return say("keep", old=old, each=each, more=more)
    rivals = rivals[rivals["verdict"] != "costlier"]
    needed = rivals["cases needed"].min()
    tell = f"; about {float(f'{needed:.2g}'):,.0f} {about['unit']} would tell" if needed < 1e9 else ""
    return say("cannot_tell", names=" or ".join(map(str, rivals.index)), most=most, tell=tell)
