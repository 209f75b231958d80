"""Which model common scores would choose, beside the one that costs least.

Implements the comparison of section 5 of the PWU paper for one file: each score is a voter, without an interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pwu_lite.families import BinaryDecision
from pwu_lite.metrics import REGISTRY
from pwu_lite.metrics._kernels import detection_auroc
from pwu_lite.pwu import PWU
from pwu_lite.reporting.compare import ModelComparison

__all__ = ["of", "said", "scores", "votes"]

LOSSES = ("log_loss", "brier_score", "zero_one_loss", "expected_calibration_error", "maximum_calibration_error")


def _auroc(y: np.ndarray, f: np.ndarray) -> float:
    return detection_auroc(y == 1, np.asarray(f, dtype=float))


def _average_precision(y: np.ndarray, f: np.ndarray) -> float:
    """Precision at each forecast that occurs, weighted by the events that it adds."""
    order = np.argsort(-f, kind="stable")
    last = np.append(np.flatnonzero(np.diff(f[order])), len(f) - 1)
    found = np.cumsum(y[order])[last]
    return float(np.sum(np.diff(found, prepend=0) * found / (last + 1)) / y.sum())


def _f1(y: np.ndarray, f: np.ndarray) -> float:
    called = f >= 0.5
    return float(2 * (y * called).sum() / (y.sum() + called.sum()))


def scores(result: ModelComparison, score: PWU) -> dict[str, dict[str, float]]:
    """Eight common scores of every model by their labels; those that can be weighted, if cases have weights.

    Parameters
    ----------
    result : ModelComparison
        Of forecasts of a binary outcome, with the cases; of other decisions the answer is empty.
    score : PWU
        The score that was compared.
    """
    if type(score.family) is not BinaryDecision or result.data is None:
        return {}
    (y, forecasts), weight = result.data, result.options.get("sample_weight")
    kinds = [REGISTRY["binary", name] for name in LOSSES]
    found = {kind.label: {name: kind(y, *forecasts[name], sample_weight=weight) for name in forecasts}
             for kind in kinds if weight is None or kind.separable}
    if weight is None and 0 < np.sum(y) < len(y):
        found |= {f"{label} (higher is better)": {name: value(np.asarray(y), np.asarray(forecasts[name][0]))
                                                  for name in forecasts}
                  for label, value in (("AUROC", _auroc), ("Average precision", _average_precision), ("F1", _f1))}
    return found


def votes(values: Mapping[str, Mapping[str, float]]) -> dict[str, str | None]:
    """The model that each score puts first; None where two share the first place.

    Parameters
    ----------
    values : mapping
        What `scores` found.

    Examples
    --------
    >>> votes({"ECE": {"a": 0.1, "b": 0.2}, "F1 (higher is better)": {"a": 0.5, "b": 0.5}})
    {'ECE': 'a', 'F1': None}
    """
    first: dict[str, str | None] = {}
    for label, row in values.items():
        best = (max if "higher" in label else min)(row.values())
        names = [name for name, value in row.items() if np.isclose(value, best, rtol=1e-12, atol=1e-15)]
        first[label.removesuffix(" (higher is better)")] = names[0] if len(names) == 1 else None
    return first


def said(first: Mapping[str, str | None], cheapest: str) -> str:
    """How the scores vote, in words.

    Parameters
    ----------
    first : mapping
        As `votes` gives it.
    cheapest : str
        The model with the least cost.

    Examples
    --------
    >>> said({"Log loss": "b", "Brier score": "a", "F1": None}, "a")
    '1 of 3 common scores puts a first, which costs least here: Brier score. Log loss prefers b. F1 cannot tell.'
    """
    by: dict[Any, list[str]] = {}
    for label, name in first.items():
        by.setdefault(name, []).append(label)
    own = by.pop(cheapest, [])
    none = by.pop(None, [])
    words = [f"{len(own)} of {len(first)} common scores {'puts' if len(own) == 1 else 'put'} {cheapest} first, which "
             f"costs least here{': ' + ', '.join(own) if own else ''}."]
    words += [f"{', '.join(labels)} prefer{'s' * (len(labels) == 1)} {name}." for name, labels in by.items()]
    return " ".join(words + [f"{', '.join(none)} cannot tell."] * bool(none))


def of(result: ModelComparison, score: Any) -> dict[str, str | None]:
    """The votes on a comparison of at least two models; empty where there are none.

    Parameters
    ----------
    result : ModelComparison
    score : PWU or callable
        One of the scores that were compared; a callable has no decision, so there are no votes.
    """
    return votes(scores(result, score)) if isinstance(score, PWU) and len(result.table.index) > 1 else {}


