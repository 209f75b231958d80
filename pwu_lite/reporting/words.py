"""A comparison in sentences, as one says it to the person who decides.

Imports nothing; numpy, pandas.
Implements no source.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["in_words"]


def in_words(table: pd.DataFrame) -> list[str]:
    """The cheapest model (or the reference) against each other one, a sentence each.

    Parameters
    ----------
    table : DataFrame
        Of one `compare`, a row a model.

    Examples
    --------
    >>> columns = ["cost", "verdict", "saving", "saving low", "saving high", "difference", "cases needed"]
    >>> in_words(pd.DataFrame([[1.0, "best", 0, 0, 0, 0, np.nan], [1.25, "dearer", 0.2, 0.1, 0.3, 0.25, 90]],
    ...                       ["a", "b"], columns))
    ['a costs 20% less than b, between 10% and 30%.']
    """
    first = table.index[table["verdict"].isin(["best", "reference"])][0]
    if len(table) == 1:
        return [f"{first} costs {table.loc[first, 'cost']:.4g} a case; there is no other model to compare it with."]
    return [_sentence(str(first), table.loc[first, "cost"], str(name), row) for name, row in table.iterrows()
            if name != first]


def _sentence(first, cost, name, row):
    if row["verdict"] == "undefined":
        return f"{first} and {name} cannot be compared: on some resamples a cost is undefined."
    if row["difference"] == 0:
        return f"{first} and {name} cost the same on these cases."
    alike = cost != 0 and np.sign(cost) == np.sign(row["cost"])
    kind, say = ("saving", _percent) if alike else ("difference", "{:.3g}".format)
    verb, more = ("gains", "more") if alike and cost < 0 else ("costs", "less")
    said = (f"{first} {verb} {say(row[kind])} {more} than {name}, between {say(row[f'{kind} low'])} and "
            f"{say(row[f'{kind} high'])}")
    if row["verdict"] != "not separable":
        return f"{said}."
    needed = row["cases needed"]
    if np.isnan(needed):
        return f"{said}: not separable; fewer than six cases, or groups, separate nothing."
    tell = f"about {float(f'{needed:.2g}'):,.0f} cases would tell" if needed < 1e9 else (
        "no number of cases that anybody has would tell")
    return f"{said}: not separable; {tell}."


def _percent(share):
    value = 100 * share + 0.0
    return f"{value:.0f}%" if abs(value) >= 9.95 else f"{value:.2g}%"
