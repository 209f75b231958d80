"""Proofs of the book as JSON with fractions, which `tools/checks/certificate.py` accepts or refuses without the book.

Implements definition 3.1 of the PWU paper and equation (3) of the IP paper, as statements to be checked. Floats are
written as the decimals that they print as: what is checked is a statement about these decimals, in exact arithmetic.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pwu_lite.alignment import Refutation, refute
from pwu_lite.families import BinaryDecision, SelectivePrediction, TopK
from pwu_lite.metrics import REGISTRY

__all__ = ["mean_absolute_error", "of_best_score", "of_bound", "of_dominance", "of_refutation", "record"]

FAMILIES = {"BinaryDecision": "binary", "SelectivePrediction": "selective", "TopK": "top k"}


def _texts(values: ArrayLike) -> list[str]:
    return [str(value) if isinstance(value, Fraction) else str(Fraction(repr(float(value))))
            for value in np.asarray(values).ravel()]


def of_refutation(proof: Refutation, metric: str) -> dict[str, Any]:
    """The comparisons of a proof that no prior agrees with a metric.

    Parameters
    ----------
    proof : Refutation
        For `BinaryDecision`, `SelectivePrediction` or `TopK`.
    metric : str
        Its name in the registry.

    Raises
    ------
    ValueError
        Another family.

    Examples
    --------
    >>> proof = refute(REGISTRY["binary", "brier_score"], TopK())
    >>> found = of_refutation(proof, "brier_score")
    >>> found["kind"], found["family"], found["weights"]
    ('refutation', 'top k', ['1'])
    """
    name = type(proof.family).__name__
    if name not in FAMILIES:
        raise ValueError(f"a certificate is for one of {', '.join(FAMILIES)}, got {name}")

    def side(report):
        parts = [_texts(part) for part in report]
        if name == "SelectivePrediction":  # the square of the decimal, and not its rounding
            parts[1] = [str(Fraction(text) ** 2) for text in parts[1]]
        return parts

    full = f"{metric} of means" if name == "SelectivePrediction" else metric
    return {"kind": "refutation", "family": FAMILIES[name], "metric": full,
            "weights": [str(Fraction(float(weight)).limit_denominator(10**6)) for weight in proof.weights],
            "comparisons": [{"y": _texts(one.y_true), "better": side(one.better), "worse": side(one.worse)}
                            for one in proof.comparisons]}


def of_dominance(y_true: ArrayLike, first: ArrayLike, second: ArrayLike, low: float, high: float) -> dict[str, Any]:
    """The statement that one forecast costs at most as much as another at every cost share between two.

    Examples
    --------
    >>> of_dominance([0, 1], [0.2, 0.6], [0.3, 0.2], 0.1, 0.4)["first"]
    ['1/5', '3/5']
    """
    return {"kind": "dominance", "y": _texts(y_true), "first": _texts(first), "second": _texts(second),
            "low": _texts(low)[0], "high": _texts(high)[0]}


def of_bound(y_true: ArrayLike, forecast: ArrayLike, quantiles: Mapping[Any, Any], upper: Any) -> dict[str, Any]:
    """The statement that a forecast costs at most this much under every prior with these quantiles.

    Examples
    --------
    >>> of_bound([0, 1], [0.2, 0.6], {0.25: 0.5}, Fraction(1, 16))["levels"]
    ['1/2']
    """
    quantiles = dict(sorted(quantiles.items()))
    return {"kind": "bound", "y": _texts(y_true), "forecast": _texts(forecast), "places": _texts(list(quantiles)),
            "levels": _texts(list(quantiles.values())), "upper": _texts(upper)[0]}


def of_best_score(vertices: Any, loss: Any, cells: Sequence[str], acts: Sequence[int], value: Any) -> dict[str, Any]:
    """The statement that these acts, one for each cell as they come, are the best ones, advised or not.

    `pwu_book.imprecise.best_score` looks among the acts that some forecast advises, which can cost more.

    Examples
    --------
    >>> of_best_score([["19/20", "1/20"], ["17/20", "3/20"]], [[0, 0.9], [0.1, 0]], ["", ""], [1], "19/200")["acts"]
    [1]
    """
    rows, table = ([[str(Fraction(str(value))) for value in row] for row in given] for given in (vertices, loss))
    return {"kind": "best score", "vertices": rows, "loss": table, "cells": [str(cell) for cell in cells],
            "acts": [int(act) for act in acts],
            "value": str(Fraction(str(value)))}


def record() -> list[dict[str, Any]]:
    """The refutations of the book whose metrics are computed in fractions, and the best score of its example.

    Examples
    --------
    >>> len(record())
    11
    """
    wanted: list[tuple[str, str, Any]] = [("binary", name, BinaryDecision()) for name in (
        "expected_calibration_error", "maximum_calibration_error", "retention_auc", "error_detection_auroc")]
    wanted += [("binary", name, TopK()) for name in (
        "brier_score", "zero_one_loss", "expected_calibration_error", "maximum_calibration_error")]
    wanted.append(("regression", "error_detection_auroc", SelectivePrediction()))
    proofs = [(name, refute(REGISTRY[task, name], family)) for task, name, family in wanted]
    absolute = refute(mean_absolute_error, BinaryDecision())
    found = [of_refutation(proof, name) for name, proof in [*proofs, ("mean_absolute_error", absolute)] if proof]
    vertices = [["19/20", "1/20"], ["17/20", "3/20"]]
    return [*found, of_best_score(vertices, [[0, "9/10"], ["1/10", 0]], ["", ""], [1], "19/200")]


def mean_absolute_error(y_true: ArrayLike, y_prob: ArrayLike) -> float:
    """Of probabilities: a score that looks harmless.

    Examples
    --------
    >>> mean_absolute_error([0, 1], [0.5, 0.75])
    0.375
    """
    return float(np.mean(np.abs(np.asarray(y_true, float) - np.asarray(y_prob, float))))


if __name__ == "__main__":  # python -m pwu_book.certificates FILE
    Path(sys.argv[1]).write_text(json.dumps(record(), indent=0) + "\n", encoding="utf-8")
