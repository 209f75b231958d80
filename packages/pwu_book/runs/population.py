"""A stated population of fifty small models for each task, fixed before any result was looked at.

Ten models make 45 pairs, too few to tell most scores apart. The question "which score is better?" is asked here of a
population that is written down in `population.csv`: each kind of estimator of scikit-learn with five settings of one
parameter, spread widely, and everything else at one value. Nothing is tuned and nothing is left out afterwards.

Yes or no: ten kinds. A number: five kinds, and each says in two ways how sure it is, with the mean squared residual of
a cross-validation for all cases alike, or with an estimator of the same kind and setting fitted to these squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.tree import DecisionTreeClassifier

from .models import _Classifier, _Regressor

__all__ = ["ROWS", "classifiers", "kinds", "regressors", "settings"]

ROWS = 2000  # at most so many rows of a data set, drawn once
TREES = 100
TASKS = ("binary", "regression")

CLASSIFIERS: dict[str, Callable[[float, int], Any]] = {
    "logistic regression": lambda C, seed: LogisticRegression(C=C, max_iter=1000),
    "linear discriminant": lambda share, seed: LinearDiscriminantAnalysis(solver="lsqr", shrinkage=share),
    "quadratic discriminant": lambda share, seed: QuadraticDiscriminantAnalysis(reg_param=share),
    "naive Bayes": lambda share, seed: GaussianNB(var_smoothing=share),
    "nearest neighbours": lambda cases, seed: KNeighborsClassifier(int(cases)),
    "tree": lambda depth, seed: DecisionTreeClassifier(max_depth=int(depth), random_state=seed),
    "random forest": lambda depth, seed: RandomForestClassifier(TREES, max_depth=int(depth), random_state=seed),
    "extra trees": lambda depth, seed: ExtraTreesClassifier(TREES, max_depth=int(depth), random_state=seed),
    "boosting": lambda rate, seed: GradientBoostingClassifier(
        n_estimators=TREES, max_depth=2, learning_rate=rate, random_state=seed),
    "network": lambda decay, seed: MLPClassifier(
        hidden_layer_sizes=(32,), alpha=decay, max_iter=200, random_state=seed),
}
REGRESSORS: dict[str, Callable[[float, int], Any]] = {
    "ridge": lambda penalty, seed: Ridge(penalty),
    "nearest neighbours": lambda cases, seed: KNeighborsRegressor(int(cases)),
    "extra trees": lambda depth, seed: ExtraTreesRegressor(TREES, max_depth=int(depth), random_state=seed),
    "boosting": lambda rate, seed: GradientBoostingRegressor(
        n_estimators=TREES, max_depth=2, learning_rate=rate, random_state=seed),
    "network": lambda decay, seed: MLPRegressor(
        hidden_layer_sizes=(32,), alpha=decay, max_iter=200, random_state=seed),
}


class _MeanAndSpread:
    """A mean, and a variance learned from the squared residuals of a cross-validation with three folds.

    A variance is at least a twentieth of the mean square: no model is told that no residual has shown.
    """

    def __init__(self, estimator, varies, seed):
        self.estimator, self.varies, self.seed = estimator, varies, seed

    def fit(self, Z, t):
        folds = KFold(3, shuffle=True, random_state=self.seed)
        squares = (t - cross_val_predict(clone(self.estimator), Z, t, cv=folds)) ** 2
        self.noise, self.mean = squares.mean(), clone(self.estimator).fit(Z, t)
        if self.varies:
            self.spread = clone(self.estimator).fit(Z, squares / self.noise)

    def predict(self, Z):
        share = np.maximum(self.spread.predict(Z), 1 / 20) if self.varies else np.ones(len(Z))
        return self.mean.predict(Z), self.noise * share


def settings(task: str) -> pd.DataFrame:
    """The population of a task as it was published: kind, setting and value, a row for each estimator.

    Parameters
    ----------
    task : {"binary", "regression"}
        Kind of forecast.

    Examples
    --------
    >>> settings("binary").groupby("kind").size().unique().tolist()
    [5]
    """
    table = pd.read_csv(resources.files(__package__).joinpath("population.csv"), dtype=str)
    rows = table[table["task"] == task].drop(columns="task")
    rows = rows.assign(value=rows.pop("values").str.split()).explode("value")
    return rows.reset_index(drop=True)


def classifiers() -> dict[str, Callable[[int], Any]]:
    """Fifty classifiers by name, each a function of a seed.

    Examples
    --------
    >>> len(classifiers())
    50
    """
    return {f"{row.kind} {row.value}": partial(_classifier, row.kind, float(row.value))
            for row in settings("binary").itertuples()}


def regressors() -> dict[str, Callable[[int], Any]]:
    """Fifty models of mean and standard deviation by name, each a function of a seed.

    Examples
    --------
    >>> [name for name in regressors() if name.startswith("ridge 10 ")]
    ['ridge 10 one spread', 'ridge 10 own spread']
    """
    return {f"{row.kind} {row.value} {word} spread": partial(_regressor, row.kind, float(row.value), word == "own")
            for row in settings("regression").itertuples() for word in ("one", "own")}


def kinds(names: Iterable[str]) -> dict[str, str]:
    """The kind of estimator of each model; empty if one of the names is not the population's.

    Parameters
    ----------
    names : iterable of str
        Names of models.

    Examples
    --------
    >>> kinds(["tree 2", "naive Bayes 1e-9"])
    {'tree 2': 'tree', 'naive Bayes 1e-9': 'naive Bayes'}
    >>> kinds(["tree 2", "somebody's own"])
    {}
    """
    known = {f"{row.kind} {row.value}": row.kind for task in TASKS for row in settings(task).itertuples()}
    found = {name: known.get(name.removesuffix(" one spread").removesuffix(" own spread")) for name in names}
    return {name: kind for name, kind in found.items() if kind} if all(found.values()) else {}


def _classifier(kind, value, seed):
    return _Classifier(CLASSIFIERS[kind](value, seed))


def _regressor(kind, value, varies, seed):
    return _Regressor(_MeanAndSpread(REGRESSORS[kind](value, seed), varies, seed))
