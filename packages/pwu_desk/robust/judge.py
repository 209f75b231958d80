"""How far a comparison rests on its prior: radius and statement, beside its table.

Implements no section of the sources: chapter "When the prior itself is a set".
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pwu_lite import validation
from pwu_lite.pwu import PWU

from .curve import has_curve
from .decide import compared, curves_of, radius_of
from .sets import AnyPrior, PriorSet

__all__ = ["judge"]

WORDS = {"first": "cheaper", "second": "costlier", "undecided": "undecided"}


def judge(result: Any, statement: PriorSet | None = None) -> pd.DataFrame:
    """The table of a comparison, and how much each verdict depends on the prior.

    Parameters
    ----------
    result : ModelComparison
        What `pwu_lite.compare` returned.
    statement : PriorSet, optional
        What everybody agrees on about the decision parameter.

    Returns
    -------
    DataFrame
        ``result.table`` with a column ``radius``: the share of readers who may believe anything about the decision
        parameter before the order of the model and the one that it is compared with flips on these cases (those of
        which every model has a forecast); NaN where the score has no such parameter, a prior for each case, or a cost
        that grows with the parameter without bound. With a statement also ``statement``: whether all priors that fit
        it find the model costlier, or cheaper; empty where that cannot be said.

    Raises
    ------
    ValueError
        The models were compared by tallies, which hold no cases, or `statement` is not a set of priors.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision, compare
    >>> y, models = [1, 0, 1, 0] * 20, {"sharp": [0.8, 0.3, 0.9, 0.2] * 20, "vague": [0.5] * 80}
    >>> result = compare(y, models, PWU(BinaryDecision(), Beta(2, 10)), n_resamples=200)
    >>> judged = judge(result, AnyPrior(0.25, 0.75))
    >>> float(judged.loc["vague", "radius"]), judged.loc["vague", "statement"]
    (1.0, 'costlier')
    """
    if statement is not None and not isinstance(statement, PriorSet):
        raise ValueError(f"statement must be a set of priors from pwu_desk.robust, got "
                         f"{type(statement).__name__}")
    if result.data is None:
        raise ValueError("a radius needs the cases, but a tally does not hold them: compare a sample of the cases")
    many = isinstance(result.table.index, pd.MultiIndex)
    (y, forecasts), weight = result.data, result.options["sample_weight"]
    judged = {name: _judged(score, result.table.loc[name] if many else result.table, y, forecasts, weight, statement)
              for name, score in result.scores.items()}
    return pd.concat(judged) if many else judged["score"]


def _judged(score, table, y, forecasts, weight, statement):
    """One score's table with its columns."""
    reference = str(table.index[table["verdict"].isin(["best", "reference"])][0])
    weight = validation.relative_weight(weight, len(y))
    rows = {name: ("", np.nan) if name == reference else
            _against(score, y, forecasts[name], forecasts[reference], weight, statement) for name in table.index}
    table = table.assign(radius=[radius for _, radius in rows.values()])
    return table if statement is None else table.assign(statement=[word for word, _ in rows.values()])


def _against(score, y, parts, reference, weight, statement):
    """What all priors of a statement say of a model beside the reference, and its radius."""
    if not isinstance(score, PWU) or any(prior.length is not None for prior in score.priors):
        return "", np.nan
    data = [score.family.read(y, *each) for each in (parts, reference)]
    if not all(has_curve(score.family, each) for each in data):
        return "", np.nan
    curves = curves_of(score.family, data, weight)
    word = "" if statement is None else WORDS[compared(statement, *curves).verdict]
    return word, radius_of(score.priors[0], AnyPrior(), *curves)[0]
