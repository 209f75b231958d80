"""Where the uncertainty of an alignment comes from: other models, other cases, other training draws, other thetas.

Implements what the intervals of section 5.1 and appendices J and K of the PWU paper leave out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from .agreements import GROUPS, columns, curves, mean_of, means, oriented, places, rotated, score_repeat, summary
from .tasks import RECALIBRATED, Task

__all__ = ["CASE_REPEATS", "cases", "curve_rows", "models", "subsets", "suites", "usual"]

CASE_REPEATS = 3  # repeats in which groups of cases are left out
WINDOWS = (1, 2, 3)  # so many subsets for a metric
KEPT = ["expected_tau", "expected_d"]


def usual(task: Task) -> list[str]:
    """The metrics that need no wrong prior."""
    return [name for name in [*task.metrics, *task.extra] if not name.endswith(("_slight", "_strong", "_extreme"))]


def suites(task: Task, frame: pd.DataFrame, ten: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """Sets of models, by family (``""`` for all families) and name.

    All of them, all but one, all but the two worst by the family's own PWU, all and the added ones.

    Parameters
    ----------
    frame : DataFrame
        Numbers by model and fold, any repeats one below the other.
    ten : sequence of str
        The models that count as all.
    """
    ten = sorted(ten)
    found = {("", "all"): ten, **{("", f"without {name}"): [other for other in ten if other != name] for name in ten}}
    everyone = sorted(set(frame.index.get_level_values("model")))
    if len(everyone) > len(ten):
        found["", "two more"] = everyone
    for question in task.questions if len(ten) > 3 else ():
        cost = frame[f"pwu_{question.name}"].groupby(level="model").mean()[ten]
        worst = set(cost.sort_values(kind="stable").index[-2:])
        found[question.name, "without the worst two"] = [name for name in ten if name not in worst]
    return found


def models(task: Task, dataset: str, frames: Sequence[pd.DataFrame], ten: Sequence[str]) -> pd.DataFrame:
    """Alignment over the whole prior for each set of models, mean over the repeats.

    Schemes ``same`` (all folds) and ``new_two`` (metric on two folds, utility on two others).

    Parameters
    ----------
    frames : sequence of DataFrame
        What `agreements.score_repeat` gives for each repeat, with the added models if there are any.
    """
    whole, parts = pd.concat(frames), []
    for (family, name), chosen in suites(task, whole, ten).items():
        for scheme in ("same", "new_two"):
            rows = mean_of([_scheme(task, frame.loc[chosen], scheme) for frame in frames]).reset_index()
            rows = rows[rows["family"] == family] if family else rows
            parts.append(rows.assign(dataset=dataset, models=name, scheme=scheme))
    return pd.concat(parts, ignore_index=True)


def _scheme(task, frame, scheme):
    if scheme == "new_two":
        return rotated(task, frame, 2, disjoint=True)
    whole = means(frame)
    return summary(task, oriented(task, whole), whole)


def cases(task: Task, dataset: str, makers: Sequence[str], folder: Path | str, repeats: int) -> pd.DataFrame:
    """Alignment over the whole prior with each of `GROUPS` groups of cases left out, mean over the repeats."""
    parts = []
    for suite, group in product(task.suites, range(GROUPS)):
        frames = [score_repeat(task, dataset, repeat, makers, folder, metrics=usual(task), left_out=group,
                               recalibrate=suite == RECALIBRATED) for repeat in range(repeats)]
        for scheme in ("same", "new_two"):
            rows = mean_of([_scheme(task, frame, scheme) for frame in frames])[KEPT].reset_index()
            parts.append(rows.assign(dataset=dataset, suite=suite, group=group, scheme=scheme))
    return pd.concat(parts, ignore_index=True)


def subsets(task: Task, dataset: str, frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Metric on one to three disjoint subsets, utility on one other, models fitted anew on each.

    A row for each window of subsets that begins at ``first``, its ``size``, the ``other`` subset, metric and
    family; and with size 1 and ``other`` equal to ``first`` both on the same subset.
    """
    own, parts = [means(frame) for frame in frames], []
    number = len(own)
    for first in range(number):
        for size in WINDOWS:
            inside = [(first + step) % number for step in range(size)]
            mean = sum((own[place] for place in inside[1:]), start=own[first]) / size
            outside = [place for place in range(number) if place not in inside]
            for other in [first, *outside] if size == 1 else outside:
                rows = summary(task, oriented(task, mean), own[other], mean)[["somers_d", *KEPT]].reset_index()
                parts.append(rows.assign(dataset=dataset, first=first, size=size, other=other))
    return pd.concat(parts, ignore_index=True)


def curve_rows(task: Task, frame: pd.DataFrame) -> pd.DataFrame:
    """Tau and d at each cell of the families' grids, of one repeat, under two schemes."""
    parts = []
    for scheme in ("same", "new_two"):
        pairs = [(range(5), range(5))] if scheme == "same" else [places(start, 2, True) for start in range(5)]
        for question in task.questions:
            found = _curves(task, question, frame, pairs)
            parts += [rows.assign(scheme=scheme, family=question.name) for rows in found]
    return pd.concat(parts, ignore_index=True)


def _curves(task, question, frame, pairs):
    found = []
    for one, two in pairs:
        first, second = means(frame, one), means(frame, two)
        metrics = oriented(task, first)
        found.append(curves(metrics, columns(second, question.name, "g"), columns(first, question.name, "g")))
    names = [*metrics.columns, "itself"]
    for value in ("tau", "somers_d"):
        stack = np.array([one[value] for one in found])
        there = np.isfinite(stack)
        with np.errstate(invalid="ignore"):
            mean = np.where(there, stack, 0).sum(axis=0) / there.sum(axis=0)
        yield pd.DataFrame(mean).add_prefix("t").assign(metric=names, value=value)
