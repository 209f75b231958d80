"""When a case goes to a person: the threshold that a price sets, how many cases are above it, and the bill.

Implements the binary decision of section 3.2.1 of the PWU paper for "answer or hand over".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite.families import Answers, CostMatrix, RejectOption
from pwu_lite.priors import Dirac
from pwu_lite.pwu import PWU

__all__ = ["HandOver", "hand_over"]


@dataclass(frozen=True)
class HandOver:
    """What a model costs that hands over what it is not sure of.

    Attributes
    ----------
    threshold : float
        It hands a case over where its confidence is at most this; of `RejectOption` a case whose largest probability is
        this is shared between the acts that cost the same.
    share : float
        Of the cases that it hands over.
    bill, never, always : float
        Average cost of a case, in wrong answers: so; if it answers every case; if it hands over every case.
    """

    threshold: float
    share: float
    bill: float
    never: float
    always: float

    def __str__(self) -> str:
        return (f"Hand over where the confidence is at most {100 * self.threshold:.6g}%: {self.share:.0%} of the "
                f"cases. The bill is {self.bill:.3g} per case, {self.never:.3g} if it never hands over and "
                f"{self.always:.3g} if it always does.")


def hand_over(family: Answers | RejectOption, price: float, y_true: ArrayLike, *forecast: ArrayLike) -> HandOver:
    """The threshold for a price of handing over, the share of the cases that go to a person, and the bill.

    Parameters
    ----------
    family : Answers or RejectOption
        Answers with a confidence, or probabilities of classes.
    price : float
        Of handing a case over, as a share of what a wrong answer costs, in (0, 1). What the person's time and the
        person's own mistakes cost belongs into it.
    y_true : array_like, shape (n,)
        As the family takes them.
    *forecast : array_like
        ``answer, confidence`` of `Answers`, probabilities of shape (n, K) of `RejectOption`.

    Raises
    ------
    ValueError
        A price beyond (0, 1), another family, or what the family refuses.

    Examples
    --------
    >>> found = hand_over(Answers(), 0.2, [1, 1, 1, 1], [1, 1, 0, 1], [0.9, 0.95, 0.6, 0.7])
    >>> found.threshold, found.share, round(found.bill, 3), found.never, found.always
    (0.8, 0.5, 0.1, 0.25, 0.2)
    """
    price = validation.inside("price", price, 0, 1)
    threshold = float(f"{1 - price:.12g}")  # 0.93 for 0.07, and not the float below it: confidences are decimals
    threshold = threshold if threshold < 1 else 1 - price
    validation.same_order_of_models({"the model": forecast}, y_true=y_true)
    forecast = (*forecast[:-1], *map(_decimals, forecast[-1:]))
    if isinstance(family, Answers):
        if len(forecast) != 2:
            raise ValueError("Answers need what was answered and the confidence: 1 and 0 for right and wrong, with "
                             "y_true 1 for all")
        _, right, _ = family.check(y_true, *forecast)
        theta, never = threshold, float(np.mean(~right))
        given = family.act(theta, *forecast).mean()
    elif isinstance(family, RejectOption):
        theta, never = price, PWU(CostMatrix(family.costs[:-1]))(y_true, *forecast)
        given = 1 - family.act(theta, *forecast)[:, -1].mean()
    else:
        raise ValueError(f"family must be Answers() or RejectOption(K), got {family!r}")
    bill = PWU(family, Dirac(theta))(y_true, *forecast)
    return HandOver(threshold, 1 - float(given), float(bill), float(never), price)


def _decimals(sure):
    """Confidences of 16 or 32 bits by their decimals: 0.7 is the decimal, and not the float below it."""
    if validation.has_a_mask(sure) or (array := np.asarray(sure)).dtype not in (np.float16, np.float32):
        return sure
    array = array.astype(str).astype(float)
    if array.ndim != 2:
        return array
    total = array.sum(axis=1, keepdims=True)  # of 16 bits a row may sum to 0.999
    return np.where((np.abs(total - 1) > 1e-9) & (np.abs(total - 1) < 0.01), array / total, array)
