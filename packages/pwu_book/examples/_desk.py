"""Two candidates at a desk: a metric chooses one on some cases, and other cases send the bill.

Implements no source: what the examples of chapter 1, mushrooms and parcels, share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd


class Split(NamedTuple):
    """Labels and each candidate's probabilities on two parts of the data that it was not trained on."""

    y_choose: np.ndarray
    choose: dict[str, np.ndarray]
    y_bill: np.ndarray
    bill: dict[str, np.ndarray]


def choose_and_pay(splits: Iterable[Split], bill: Callable[..., float],
                   metrics: Mapping[str, Callable[..., float]]) -> pd.DataFrame:
    """A row for each split and metric: ``chosen`` (a candidate, or "tie") and ``extra``, what it costs more."""
    rows = []
    for number, part in enumerate(splits):
        (one, first), (two, second) = part.choose.items()
        cost = {name: bill(part.y_bill, f) for name, f in part.bill.items()}
        for label, metric in metrics.items():
            values = metric(part.y_choose, first), metric(part.y_choose, second)
            chosen = "tie" if values[0] == values[1] else one if values[0] < values[1] else two
            extra = {one: cost[one] - cost[two], two: cost[two] - cost[one], "tie": 0.0}[chosen]
            rows.append({"split": number, "metric": label, "chosen": chosen, "extra": extra})
    return pd.DataFrame(rows)
