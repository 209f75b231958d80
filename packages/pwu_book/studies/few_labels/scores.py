"""What each score says of each model from some labels, and what it is worth to follow it.

Implements no part of a source; it asks what section 5.1 of the PWU paper leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import rankdata

from pwu_book.studies.few_labels import assisted
from pwu_lite._ranks import ROUNDING, share_places, snap
from pwu_lite.alignment import agreement
from pwu_lite.families import mass_of_k, place_worth
from pwu_lite.metrics import regression

from .draws import SHARE_PRIORS, Draw

__all__ = ["outcome", "scores"]


def scores(family: str, draw: Draw, labelled: np.ndarray, rest: np.ndarray) -> dict[str, np.ndarray]:
    """Value of each score for each model, shape (models,), from the labelled cases; lower is better.

    Parameters
    ----------
    family : {"binary", "top_k", "selective"}
        Name of the decision family.
    draw : Draw
        The training draw.
    labelled : ndarray, shape (n,)
        Numbers of the labelled cases, in the pool.
    rest : ndarray
        Numbers of the pool's other cases, used without their labels; may be empty.
    """
    found = (_regression if family == "selective" else _classification)(family, draw, labelled, rest)
    return {name: np.asarray(values, dtype=float) for name, values in found.items()}


def _classification(family, draw, labelled, rest):
    y, F = draw.y[labelled], draw.matrix()
    f = F[labelled]
    q, moments = assisted.binary_reference(y, f)
    both = [draw.losses(name, labelled, y) for name in ("log loss", "Brier", "clipped Brier")]
    found = dict(zip(("log loss", "Brier", "clipped Brier"), [losses.mean(axis=0) for losses in both], strict=True))
    found["AUROC"] = [-_auroc(y, g) for g in f.T]
    found["average precision"] = [-_average_precision(y, g) for g in f.T]
    found["assisted log loss"] = _pulled(both[0], draw.losses("log loss", labelled, q), 100).mean(axis=0)
    if family == "top_k":
        def at(name, labels):
            return hits(SHARE_PRIORS[name], f, labels)
    else:
        def at(name, labels):
            return draw.losses(name, labelled, labels)
    for name in ("PWU", "PWU, broad prior"):
        found[name] = at(name, y).mean(axis=0)
    found |= _shrunken(at("PWU", y), at("PWU", q), moments)
    alone = [assisted.binary_reference(y, np.delete(f, j, axis=1))[0] for j in range(f.shape[1])]
    found["leave itself out"] = [_pulled(at("PWU", y), at("PWU", other), 100)[:, j].mean()
                                 for j, other in enumerate(alone)]
    found["prediction-powered"] = found["PWU"]
    if len(rest):
        guess, free = (fitted(draw, labelled, rows)[0] for rows in (labelled, rest))
        if family == "top_k":  # ranks in the pool; the correction with weight one
            both_parts = np.concatenate([guess + (y.size + rest.size) / y.size * (y - guess), free])
            found["prediction-powered"] = hits(SHARE_PRIORS["PWU"], np.vstack([f, F[rest]]), both_parts).mean(axis=0)
        else:
            found["prediction-powered"] = _tuned(at("PWU", y), at("PWU", guess), draw.losses("PWU", rest, free))
    return found


def hits(prior: Any, F: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The top-k loss as a mean over cases, at labels that may be any number, shape (n, models)."""
    places = place_worth(mass_of_k(prior, y.size))
    return np.column_stack([-share_places(f, places) * y.size * y for f in F.T])


def _auroc(y, f):
    """Share of pairs of an event and another case that are ranked right, ties half; one half without pairs."""
    events = y.sum()
    pairs = events * (y.size - events)
    return (rankdata(f)[y == 1].sum() - events * (events + 1) / 2) / pairs if pairs else 0.5


def _average_precision(y, f):
    """Precision at each threshold, weighted by the recall that it adds; one without events."""
    order = np.argsort(-f, kind="stable")
    last = np.append(np.flatnonzero(np.diff(f[order])), y.size - 1)
    hits = np.cumsum(y[order])[last]
    return float(np.diff(hits, prepend=0) @ (hits / (last + 1)) / hits[-1]) if hits[-1] else 1.0


def _pulled(at, expected, n0):
    weight = len(at) / (len(at) + n0)
    return weight * at + (1 - weight) * expected


def _shrunken(at, expected, moments):
    """The assisted scores from losses at the labels, and as the reference expects them."""
    checked = assisted.shrink(at, expected, moments, 100.0, range(at.shape[1]))
    return {"assisted": checked.table["assisted"], "assisted, or plain if refused": checked.table["loss"],
            "assisted, n0 = 50": _pulled(at, expected, 50).mean(axis=0), "reference alone": expected.mean(axis=0)}


def _tuned(at, expected, expected_free):
    """Mean at the labels, plus lambda times (mean expected without labels - with), lambda of least variance.

    Prediction-powered inference (Angelopoulos and co-authors), tuned model by model.
    """
    spread = expected.var(axis=0)
    weight = np.where(spread > 0, ((at - at.mean(axis=0)) * (expected - expected.mean(axis=0))).mean(axis=0)
                      / np.where(spread > 0, spread, 1) / (1 + len(at) / len(expected_free)), 0.0)
    return at.mean(axis=0) + weight * (expected_free.mean(axis=0) - expected.mean(axis=0))


def _regression(family, draw, labelled, rest):
    y, parts = draw.y[labelled], list(draw.forecasts.values())
    mean, std = (np.column_stack([pair[place][labelled] for pair in parts]) for place in (0, 1))
    middle, variance, moments = assisted.gaussian_reference(y, mean, std)
    spread = np.sqrt(variance)
    at = {name: draw.expected(name, labelled, y, 0.0) for name in ("NLL", "MSE", "PWU", "PWU, broad prior")}
    found = {name: losses.mean(axis=0) for name, losses in at.items()}
    found["CRPS"] = [regression.crps_gaussian(y, m, s) for m, s in zip(mean.T, std.T, strict=True)]
    found["assisted NLL"] = _pulled(at["NLL"], draw.expected("NLL", labelled, middle, spread), 100).mean(axis=0)
    found |= _shrunken(at["PWU"], draw.expected("PWU", labelled, middle, spread), moments)
    found["prediction-powered"] = found["PWU"]
    if len(rest):
        guess, free = (draw.expected("PWU", rows, *fitted(draw, labelled, rows)) for rows in (labelled, rest))
        found["prediction-powered"] = _tuned(at["PWU"], guess, free)
    return found


def fitted(draw: Draw, rows: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, ...]:
    """The reference's forecast of some cases, fitted to all labels of others; its own is one more candidate."""
    parts, y = list(draw.forecasts.values()), draw.y[rows]
    if len(parts[0]) == 1:
        x = assisted.mean_logit(np.column_stack([pair[0] for pair in parts]))
        return (expit(assisted.logistic(x[rows], y)(x[new])),)
    mean, variance = (np.mean([pair[place] ** (place + 1) for pair in parts], axis=0) for place in (0, 1))
    line = np.linalg.lstsq(np.column_stack([np.ones(y.size), mean[rows]]), y, rcond=None)[0]
    c, d = assisted.variance_line((y - line[0] - line[1] * mean[rows]) ** 2, variance[rows])
    return line[0] + line[1] * mean[new], np.sqrt(c + d * variance[new])


def outcome(said: Mapping[str, np.ndarray], cost: np.ndarray, utilities: np.ndarray, mass: np.ndarray) -> pd.DataFrame:
    """Regret of each score's first model, and Somers' d with the utilities over the prior.

    Parameters
    ----------
    said : mapping of score to ndarray of shape (m,)
        Lower is better.
    cost : ndarray, shape (m,)
        Expected cost under the prior on the paying cases.
    utilities : ndarray, shape (m, cells)
    mass : ndarray, shape (cells,)

    Examples
    --------
    >>> found = outcome({"right": np.array([1., 2, 3])}, np.array([.1, .2, .6]), np.array([[3.], [2], [1]]), np.ones(1))
    >>> float(found.loc["right", "regret"]), float(found.loc["right", "d"])
    (0.0, 1.0)
    """
    table = np.column_stack([snap(values, 1e-12) for values in said.values()])
    best = table == table.min(axis=0)
    regret = (best * (cost - cost.min())[:, None]).sum(axis=0) / best.sum(axis=0)
    d = agreement(-table, utilities, tie=ROUNDING)["somers_d"]
    there = np.isfinite(d)
    with np.errstate(invalid="ignore"):
        mean = np.where(there, d, 0) @ mass / (there @ mass)
    return pd.DataFrame({"regret": regret, "d": mean}, list(said))
