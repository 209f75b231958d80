"""Whom to call in: five classifiers on scikit-learn's diabetes data, forecasts out of sample.

`clinic.csv` beside this file is what the book's clinic sends, and `clinic_forecasts.csv` has the forecasts of all five,
to the last digit, so that no page fits them again: python -m pwu_book.examples.screening writes both anew.
Implements a binary decision of the PWU paper's section 3.2.1 on scikit-learn's bundled data.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

__all__ = ["CLINIC", "LIMIT", "clinic", "fitted", "forecasts", "make_clinic", "make_forecasts", "models", "patients"]

CLINIC = Path(__file__).with_name("clinic.csv")
FORECASTS = Path(__file__).with_name("clinic_forecasts.csv")
LIMIT = 200  # progression of the disease after a year, in the data's own units


def patients() -> tuple[np.ndarray, np.ndarray]:
    """Ten standardised measurements of 442 patients, and 1 where the disease progressed beyond `LIMIT`.

    Examples
    --------
    >>> X, y = patients()
    >>> X.shape, int(y.sum())
    ((442, 10), 121)
    """
    X, progression = load_diabetes(return_X_y=True)
    return X, (progression > LIMIT).astype(int)


def models() -> dict[str, Any]:
    """Five classifiers with usual settings."""
    return {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
        "naive Bayes": GaussianNB(),
        "nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(25)),
        "random forest": RandomForestClassifier(100, min_samples_leaf=3, random_state=0),
        "boosting": GradientBoostingClassifier(n_estimators=60, learning_rate=0.05, max_depth=2, min_samples_leaf=10,
                                               random_state=0),
    }


def forecasts(seed: int = 0, names: Sequence[str] | None = None) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels, and each model's probabilities for patients that it was not trained on (five folds).

    Parameters
    ----------
    seed : int
        Of the cut into folds. Those of seed 0 are stored.
    names : sequence of str, optional
        Of the models; all five if omitted.
    """
    if seed == 0:
        kept = pd.read_csv(FORECASTS, dtype=str).astype(float)  # to the last digit
        return kept.pop("ill").to_numpy(int), {name: column.to_numpy() for name, column in kept.items()
                                            if names is None or name in names}
    return fitted(seed, names)


def fitted(seed: int, names: Sequence[str] | None = None) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """As `forecasts`, fitted anew.

    Parameters
    ----------
    seed, names
        As in `forecasts`.

    Examples
    --------
    >>> y, said = fitted(1, ["naive Bayes"])
    >>> y.size, list(said)
    (442, ['naive Bayes'])
    """
    X, y = patients()
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    return y, {name: cross_val_predict(model, X, y, cv=folds, method="predict_proba")[:, 1]
               for name, model in models().items() if names is None or name in names}


def clinic() -> pd.DataFrame:
    """The clinic's file: patients with ``ill``, ``km``, and the forecasts of three models.

    The distances ``km`` to the clinic are simulated, independently of everything else; all other columns come from
    the diabetes data (Efron et al., 2004) and from `forecasts`, rounded to six digits.

    Examples
    --------
    >>> list(clinic())
    ['patient', 'ill', 'km', 'logistic', 'naive_bayes', 'forest']
    """
    return pd.read_csv(CLINIC)


def make_clinic() -> pd.DataFrame:
    """What `clinic` reads, computed from the data."""
    y, said = fitted(0, ("logistic regression", "naive Bayes", "random forest"))
    km = np.random.default_rng(0).lognormal(np.log(8), 0.9, y.size)
    return pd.DataFrame({"patient": np.arange(1, y.size + 1), "ill": y, "km": km.round(1),
                         "logistic": said["logistic regression"].round(6), "naive_bayes": said["naive Bayes"].round(6),
                         "forest": said["random forest"].round(6)})


def make_forecasts() -> pd.DataFrame:
    """What `forecasts` reads for seed 0, computed from the data."""
    y, said = fitted(0)
    return pd.DataFrame({"ill": y, **said})


if __name__ == "__main__":
    make_forecasts().to_csv(FORECASTS, index=False)
    make_clinic().to_csv(CLINIC, index=False)
