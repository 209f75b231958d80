"""The parcel desk of chapter 1's last exercise: real handwritten digits, two classifiers, a bill in euros.

Implements a binary decision of the PWU paper's section 3.2.1 on scikit-learn's bundled data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from pwu_lite.families import BinaryDecision
from pwu_lite.metrics.classification import log_loss

from . import _desk
from ._desk import Split

__all__ = ["COST_OF_ALARM", "COST_OF_MISS", "THRESHOLD", "Split", "bill", "choose_and_pay", "images",
           "models", "recalibrated_bills", "split", "usual_settings"]

COST_OF_MISS = 24.0  # euros: the parcel leaves on the wrong lorry and has to come back
COST_OF_ALARM = 1.0  # euros: somebody looks at the parcel and puts it back
THRESHOLD = COST_OF_ALARM / (COST_OF_ALARM + COST_OF_MISS)


def images(digit: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """The 1,797 images of scikit-learn's digits, pixels in [0, 1], and labels that are 1 where `digit` is shown.

    Parameters
    ----------
    digit : int
        From 0 to 9; default 8.

    Examples
    --------
    >>> X, y = images(8)
    >>> X.shape, int(y.sum())
    ((1797, 64), 174)
    """
    X, shown = load_digits(return_X_y=True)
    return X / 16, (shown == digit).astype(int)


def models() -> dict[str, Any]:
    """Two classifiers: one that seldom says anything extreme, and one that always does."""
    return {"cautious": LogisticRegression(C=0.05, max_iter=500), "bold": GaussianNB(var_smoothing=0.03)}


def split(X: np.ndarray, y: np.ndarray, seed: int, candidates: dict[str, Any] | None = None) -> Split:
    """Train on one half of the data, and cut the other half in two.

    Parameters
    ----------
    X, y : ndarray
        As `images` returns them.
    seed : int
        Decides both cuts.
    candidates : dict of classifiers, optional
        Instead of `models`.
    """
    cut = {"test_size": 0.5, "random_state": seed}
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, **cut)
    X_choose, X_bill, y_choose, y_bill = train_test_split(X_test, y_test, stratify=y_test, **cut)
    fitted = {name: model.fit(X_train, y_train) for name, model in (candidates or models()).items()}
    return Split(
        y_choose, {name: model.predict_proba(X_choose)[:, 1] for name, model in fitted.items()},
        y_bill, {name: model.predict_proba(X_bill)[:, 1] for name, model in fitted.items()},
    )


def bill(y_true: Any, y_prob: Any, threshold: float = THRESHOLD) -> float:
    """Euros per 1,000 parcels when a parcel is pulled wherever ``y_prob > threshold``.

    ``-1000 (24 + 1) U_c`` at c = threshold, for a miss of 24 euros and an alarm of 1 euro.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels, 1 for a parcel that has to be pulled.
    y_prob : array_like, shape (n,)
        Forecast probabilities of a 1, in [0, 1].
    threshold : float
        Cost share c of a false alarm, in (0, 1); default 0.04. An alarm costs ``25 c`` euros, a miss ``25 (1 - c)``.

    Examples
    --------
    >>> round(bill([1, 0, 0, 0], [0.01, 0.5, 0.01, 0.01]), 6)  # one miss, one alarm
    6250.0
    """
    return -1000 * (COST_OF_MISS + COST_OF_ALARM) * BinaryDecision().utility(threshold, y_true, y_prob)


def choose_and_pay(X: np.ndarray, y: np.ndarray, metrics: dict[str, Callable[..., float]],
                   n_splits: int) -> pd.DataFrame:
    """Let each metric choose a model on one half, and send the bill from the other half.

    Parameters
    ----------
    X, y : ndarray
        As `images` returns them.
    metrics : dict of callables
        ``metric(y_true, y_prob)``, lower is better.
    n_splits : int
        Seeds 0 to n_splits - 1.

    Returns
    -------
    DataFrame
        One row for each split and metric: ``chosen`` (the model, or "tie"), ``extra``: what
        that model costs more than the other one, in euros per 1,000 parcels (0 for a tie).
    """
    return _desk.choose_and_pay((split(X, y, seed) for seed in range(n_splits)), bill, metrics)


def recalibrated_bills(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """Both models' bills after a logistic regression on the log-odds, fitted to the cases that one chooses on.

    Parameters
    ----------
    X, y : ndarray
        As `images` returns them.
    seed : int
        Decides both cuts of `split`.
    """
    part = split(X, y, seed)
    bills = {}
    for name in part.bill:
        calibrator = LogisticRegression(C=1e6, max_iter=1000)
        calibrator.fit(_log_odds(part.choose[name]), part.y_choose)
        bills[name] = bill(part.y_bill, calibrator.predict_proba(_log_odds(part.bill[name]))[:, 1])
    return bills


def usual_settings(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """Log loss and bill of logistic regression with C=1, next to those of the models in `models`, on one split.

    Parameters
    ----------
    X, y : ndarray
        As `images` returns them.
    seed : int
        Decides both cuts of `split`.

    Returns
    -------
    dict
        ``log_loss`` and ``bill`` with C=1, ``log_loss_cautious`` and ``bill_bold``; bills in euros per 1,000 parcels.
    """
    part = split(X, y, seed, models() | {"usual": LogisticRegression(max_iter=500)})
    return {
        "log_loss": log_loss(part.y_choose, part.choose["usual"]),
        "log_loss_cautious": log_loss(part.y_choose, part.choose["cautious"]),
        "bill": bill(part.y_bill, part.bill["usual"]),
        "bill_bold": bill(part.y_bill, part.bill["bold"]),
    }


def _log_odds(f):
    """Log-odds in one column; probabilities of exactly 0 or 1 are moved inside by 1e-12."""
    inside = np.clip(f, 1e-12, 1 - 1e-12)
    return np.log(inside / (1 - inside))[:, None]
