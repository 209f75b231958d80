"""Ten classifiers and ten regressors that say how sure they are, under one protocol.

Implements the models of appendix J of the PWU paper, or what stands in for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["GaussianNetwork", "classifiers", "more_classifiers", "more_regressors", "multivariate_regressors",
           "preprocessing", "regressors"]

SUBSAMPLE = 400  # cases that a Gaussian process is fitted to
LEAST = 1e-3  # smallest standard deviation, in units of the target's


def preprocessing() -> Any:
    """Numbers: median for missing, standardised; text: its own column a category. Fitted on the training fold.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": ["u", "v", "u"]})
    >>> preprocessing().fit_transform(table).shape
    (3, 3)
    """
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    text = make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"),
                         OneHotEncoder(handle_unknown="ignore", sparse_output=False, min_frequency=0.01))
    return make_column_transformer((numbers, make_column_selector(dtype_include="number")),
                                   (text, make_column_selector(dtype_exclude="number")))


class _Classifier:
    """Preprocessing and a classifier; `predict` gives the probability of 1, or of each class."""

    def __init__(self, estimator, limit: int | None = None, seed: int = 0, prepare: Callable[[], Any] = preprocessing):
        self.estimator, self.limit, self.seed, self.prepare_with = estimator, limit, seed, prepare

    def fit(self, X: pd.DataFrame, y: Any) -> _Classifier:
        self.prepare = self.prepare_with()
        Z, y = self.prepare.fit_transform(X), np.asarray(y)
        rows = _some(len(y), self.limit, self.seed)
        self.estimator.fit(Z[rows], y[rows])
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        chances = self.estimator.predict_proba(self.prepare.transform(X))
        return chances[:, 1] if chances.shape[1] == 2 else chances


class _Average:
    """The mean of several classifiers' probabilities."""

    def __init__(self, members):
        self.members = members

    def fit(self, Z, y):
        for member in self.members:
            member.fit(Z, y)

    def predict_proba(self, Z):
        return np.mean([member.predict_proba(Z) for member in self.members], axis=0)


class _Regressor:
    """Preprocessing, a standardised target, and a model of mean and variance.

    `model.fit(Z, t)` and `model.predict(Z)` -> mean and variance, both in standard units of
    the training targets; `predict` here gives mean and standard deviation in the target's unit.
    """

    def __init__(self, model, prepare: Callable[[], Any] = preprocessing, least: float = LEAST):
        self.model, self.prepare_with, self.least = model, prepare, least

    def fit(self, X: pd.DataFrame, y: Any) -> _Regressor:
        y = np.asarray(y, dtype=float)
        self.prepare, self.centre, self.unit = self.prepare_with(), y.mean(), y.std() or 1.0
        self.model.fit(self.prepare.fit_transform(X), (y - self.centre) / self.unit)
        return self

    def predict(self, X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = self.model.predict(self.prepare.transform(X))
        return self.centre + self.unit * mean, self.unit * np.sqrt(np.maximum(variance, self.least**2))


class _LeastSquares:
    """Ordinary least squares; variance ``s^2 (1 + z' (Z'Z)^-1 z)``."""

    def fit(self, Z, t):
        A = np.column_stack([np.ones(len(Z)), Z])
        self.coefficients, _, rank, _ = np.linalg.lstsq(A, t, rcond=None)
        self.inverse = np.linalg.pinv(A.T @ A)
        self.noise = np.sum((t - A @ self.coefficients) ** 2) / max(len(t) - rank, 1)

    def predict(self, Z):
        A = np.column_stack([np.ones(len(Z)), Z])
        return A @ self.coefficients, self.noise * (1 + np.einsum("ij,jk,ik->i", A, self.inverse, A))


class _BayesianSplines:
    """Bayesian ridge on cubic splines of each column."""

    def fit(self, Z, t):
        splines = SplineTransformer(n_knots=4, extrapolation="linear", include_bias=False)
        centre = StandardScaler(with_std=False)  # the ridge's predictive variance is right for centred columns only
        self.estimator = make_pipeline(splines, centre, BayesianRidge())
        self.estimator.fit(Z, t)

    def predict(self, Z):
        mean, std = self.estimator.predict(Z, return_std=True)
        return mean, std**2


class _Forest:
    """Trees; variance: between the trees, plus the mean squared out-of-bag residual.

    As the paper words it. Each tree's scatter already contains the noise of its few cases, so
    the noise is counted more than once; with ``between=False`` only the residual is left.
    """

    def __init__(self, kind, seed, between=True):
        self.forest = kind(200, min_samples_leaf=2, bootstrap=True, oob_score=True, random_state=seed)
        self.between = between

    def fit(self, Z, t):
        self.forest.fit(Z, t)
        self.noise = np.mean((t - self.forest.oob_prediction_) ** 2)

    def predict(self, Z):
        trees = np.array([tree.predict(Z) for tree in self.forest.estimators_])
        return trees.mean(axis=0), np.full(len(Z), self.noise) + (trees.var(axis=0) if self.between else 0.0)


class _VarianceBoosting:
    """Boosting of the mean, then of the squared residuals of mean models that did not see the case.

    The gamma loss's Newton step down is ``learning_rate * (1 - predicted/observed)``, without bound where the
    residuals of a leaf are nearly zero; a step up is at most the learning rate. One such leaf sends a prediction
    to zero, its next large residual cannot bring it back, and all others rise without end. So residuals count
    as at least a twentieth of their mean square, and no variance is told that no residual has shown.
    """

    def __init__(self, seed):
        self.seed = seed

    def _boost(self, loss="squared_error", rounds=100):
        return HistGradientBoostingRegressor(loss=loss, max_iter=rounds, learning_rate=0.08, max_leaf_nodes=15,
                                             random_state=self.seed)

    def fit(self, Z, t):
        fold = np.random.default_rng(self.seed).permutation(len(t)) % 3
        residual = np.empty(len(t))
        for k in range(3):
            residual[fold == k] = t[fold == k] - self._boost().fit(Z[fold != k], t[fold != k]).predict(Z[fold == k])
        self.mean = self._boost().fit(Z, t)
        self.spread = np.mean(residual**2)
        square = np.maximum(residual**2, 0.05 * self.spread + LEAST**2)
        self.range = square.min(), square.max()
        self.variance = self._boost("gamma", 50).fit(Z, square)

    def predict(self, Z):
        return self.mean.predict(Z), np.clip(self.variance.predict(Z), *self.range)


class _QuantileBoosting:
    """Boosting of the 15.87%, 50% and 84.13% quantiles; half of the outer distance is the standard deviation."""

    LEVELS = (0.1587, 0.5, 0.8413)

    def __init__(self, seed):
        self.parts = [HistGradientBoostingRegressor(loss="quantile", quantile=level, max_iter=100, learning_rate=0.08,
                                                    max_leaf_nodes=15, random_state=seed) for level in self.LEVELS]

    def fit(self, Z, t):
        for part in self.parts:
            part.fit(Z, t)

    def predict(self, Z):
        low, middle, high = (part.predict(Z) for part in self.parts)
        return middle, (np.maximum(high - low, 0) / 2) ** 2


class _GaussianProcess:
    """A Gaussian process with one length scale and noise, fitted to a subsample."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, Z, t):
        rows = _some(len(t), SUBSAMPLE, self.seed)
        kernel = ConstantKernel() * RBF(np.sqrt(Z.shape[1])) + WhiteKernel(0.1)
        self.process = GaussianProcessRegressor(kernel, random_state=self.seed).fit(Z[rows], t[rows])

    def predict(self, Z):
        mean, std = self.process.predict(Z, return_std=True)
        return mean, std**2


class _Neighbours:
    """Mean and variance of the 15 nearest cases."""

    def fit(self, Z, t):
        self.index, self.t = NearestNeighbors(n_neighbors=min(15, len(t))).fit(Z), t

    def predict(self, Z):
        near = self.t[self.index.kneighbors(Z, return_distance=False)]
        return near.mean(axis=1), near.var(axis=1, ddof=1)


class _Tree:
    """Mean and variance of the training cases of a leaf."""

    def __init__(self, seed):
        self.tree = DecisionTreeRegressor(min_samples_leaf=20, random_state=seed)

    def fit(self, Z, t):
        self.tree.fit(Z, t)

    def predict(self, Z):
        leaf = self.tree.apply(Z)
        return self.tree.predict(Z), self.tree.tree_.impurity[leaf]


class _OneSpread:
    """Boosting of the mean; one variance for all cases, the mean squared residual on cases not fitted to."""

    def __init__(self, seed):
        self.boosted = _VarianceBoosting(seed)

    def fit(self, Z, t):
        self.boosted.fit(Z, t)

    def predict(self, Z):
        return self.boosted.mean.predict(Z), np.full(len(Z), self.boosted.spread)


class _Multivariate:
    """Preprocessing, standardised targets, and a model of mean and covariance of D outputs.

    `model.fit(Z, T)` and `model.predict(Z)` -> mean (n, D) and covariance (n, D, D) in standard
    units; `predict` here gives both in the targets' units.
    """

    def __init__(self, model, prepare: Callable[[], Any] = preprocessing, least: float = LEAST):
        self.model, self.prepare_with, self.least = model, prepare, least

    def fit(self, X: pd.DataFrame, y: Any) -> _Multivariate:
        y = np.asarray(y, dtype=float)
        spread = y.std(axis=0)
        self.prepare, self.centre, self.unit = self.prepare_with(), y.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.model.fit(self.prepare.fit_transform(X), (y - self.centre) / self.unit)
        return self

    def predict(self, X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        mean, cov = self.model.predict(self.prepare.transform(X))
        cov = cov + self.least**2 * np.eye(len(self.unit))
        return self.centre + self.unit * mean, cov * np.outer(self.unit, self.unit)


class _OutputByOutput:
    """A model of its own for each output, made from the output's place; no covariance between them."""

    def __init__(self, make):
        self.make = make

    def fit(self, Z, T):
        self.parts = [self.make(place) for place in range(T.shape[1])]
        for part, t in zip(self.parts, T.T, strict=True):
            part.fit(Z, t)

    def predict(self, Z):
        means, variances = np.array([part.predict(Z) for part in self.parts]).transpose(1, 2, 0)
        return means, variances[:, :, None] * np.eye(len(self.parts))


class _JointLeastSquares:
    """Least squares for all outputs; covariance of the residuals times ``1 + z' (Z'Z)^-1 z``."""

    def fit(self, Z, T):
        A = np.column_stack([np.ones(len(Z)), Z])
        self.coefficients, _, rank, _ = np.linalg.lstsq(A, T, rcond=None)
        self.inverse, rest = np.linalg.pinv(A.T @ A), T - A @ self.coefficients
        self.noise = rest.T @ rest / max(len(T) - rank, 1)

    def predict(self, Z):
        A = np.column_stack([np.ones(len(Z)), Z])
        leverage = np.einsum("ij,jk,ik->i", A, self.inverse, A)
        return A @ self.coefficients, (1 + leverage)[:, None, None] * self.noise


class _JointForest:
    """One forest for all outputs; covariance between the trees, plus that of the out-of-bag residuals."""

    def __init__(self, seed):
        self.forest = RandomForestRegressor(200, min_samples_leaf=2, oob_score=True, random_state=seed)

    def fit(self, Z, T):
        self.forest.fit(Z, T)
        rest = T - self.forest.oob_prediction_
        self.noise = rest.T @ rest / len(T)

    def predict(self, Z):
        trees = np.array([tree.predict(Z) for tree in self.forest.estimators_])
        apart = trees - trees.mean(axis=0)
        return trees.mean(axis=0), self.noise + np.einsum("tid,tie->ide", apart, apart) / len(trees)


class GaussianNetwork:
    """A network with two hidden layers that is trained for mean and variance at once.

    Adam on the Gaussian negative log-likelihood ``log(v)/2 + (t - m)^2/(2 v)``, minibatches, a
    tenth of the cases held out to stop early.

    Parameters
    ----------
    seed : int
    width : int
        Units of each hidden layer.
    epochs : int
        At most.

    Examples
    --------
    >>> Z = np.linspace(-1, 1, 400)[:, None]
    >>> t = Z[:, 0] + 0.1 * np.random.default_rng(0).normal(size=400)
    >>> network = GaussianNetwork(seed=0)
    >>> network.fit(Z, t)
    >>> mean, variance = network.predict(Z)
    >>> bool(np.mean((mean - Z[:, 0]) ** 2) < 0.01)
    True
    """

    def __init__(self, seed: int, width: int = 64, epochs: int = 100):
        self.seed, self.width, self.epochs = seed, width, epochs

    def fit(self, Z: np.ndarray, t: np.ndarray) -> None:
        """Train the network on features and standardised targets.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
            Features, standardised.
        t : ndarray, shape (n,)
            Targets, in standard units.
        """
        rng = np.random.default_rng(self.seed)
        order, held = rng.permutation(len(t)), max(len(t) // 10, 1)
        test, train = order[:held], order[held:]
        sizes = [Z.shape[1], self.width, self.width, 2]
        weights = [rng.normal(0, np.sqrt(2 / a), (a, b)) for a, b in zip(sizes[:-1], sizes[1:], strict=True)]
        weights[-1] *= 0.1
        self.parameters = [part for weight in weights for part in (weight, np.zeros(weight.shape[1]))]
        best, patience, steps = (np.inf, self.parameters), 0, _Adam(self.parameters)
        for _ in range(self.epochs):
            for batch in np.array_split(rng.permutation(train), max(len(train) // 64, 1)):
                steps.take(self.parameters, self.gradient(Z[batch], t[batch]))
            loss = self.loss(Z[test], t[test])
            patience = 0 if loss < best[0] - 1e-4 else patience + 1
            if loss < best[0]:
                best = loss, [part.copy() for part in self.parameters]
            if patience == 10:
                break
        self.parameters = best[1]

    def predict(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of each case, in standard units.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
            Features, standardised.
        """
        mean, log_variance = self._layers(Z)[-1].T
        return mean, np.exp(np.clip(log_variance, -12, 6))

    def loss(self, Z: np.ndarray, t: np.ndarray) -> float:
        """Mean negative log-likelihood, without its constant.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
            Features, standardised.
        t : ndarray, shape (n,)
            Targets, in standard units.
        """
        mean, variance = self.predict(Z)
        return float(np.mean(np.log(variance) + (t - mean) ** 2 / variance) / 2)

    def gradient(self, Z: np.ndarray, t: np.ndarray) -> list[np.ndarray]:
        """Derivatives of `loss` with respect to each array of weights and of biases.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
            Features, standardised.
        t : ndarray, shape (n,)
            Targets, in standard units.
        """
        layers = self._layers(Z)
        mean, log_variance = layers[-1].T
        free, precision = np.abs(log_variance + 3) < 9, np.exp(-np.clip(log_variance, -12, 6))
        error = mean - t
        slope = np.column_stack([error * precision, (1 - error**2 * precision) / 2 * free]) / len(t)
        parts: list[np.ndarray] = []
        for place in (2, 1, 0):
            parts = [layers[place].T @ slope, slope.sum(axis=0), *parts]
            slope = (slope @ self.parameters[2 * place].T) * (layers[place] > 0)
        return parts

    def _layers(self, Z):
        values = [Z]
        for place in (0, 1, 2):
            inner = values[-1] @ self.parameters[2 * place] + self.parameters[2 * place + 1]
            values.append(np.maximum(inner, 0) if place < 2 else inner)
        return values


class _Adam:
    """Steps of Adam with its usual constants."""

    def __init__(self, parameters, rate=3e-3):
        self.rate, self.count = rate, 0
        self.first = [np.zeros_like(part) for part in parameters]
        self.second = [np.zeros_like(part) for part in parameters]

    def take(self, parameters, gradient):
        self.count += 1
        for part, slope, first, second in zip(parameters, gradient, self.first, self.second, strict=True):
            first += 0.1 * (slope - first)
            second += 0.001 * (slope**2 - second)
            step = first / (1 - 0.9**self.count) / (np.sqrt(second / (1 - 0.999**self.count)) + 1e-8)
            part -= self.rate * step


class _Mixture:
    """Several regressors; mean and variance of the equal mixture of their Gaussians."""

    def __init__(self, members):
        self.members = members

    def fit(self, Z, t):
        for member in self.members:
            member.fit(Z, t)

    def predict(self, Z):
        means, variances = np.array([member.predict(Z) for member in self.members]).transpose(1, 0, 2)
        return means.mean(axis=0), variances.mean(axis=0) + means.var(axis=0)


def _ensemble(seed):
    return _Mixture([GaussianNetwork(1000 * seed + k + 1, width=32, epochs=60) for k in range(5)])


def _some(n, limit, seed):
    """Rows to fit to: all, or a seeded sample."""
    if limit is None or n <= limit:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, limit, replace=False))


def classifiers() -> dict[str, Callable[[int], _Classifier]]:
    """Makers of the ten classifiers, by name; each takes a seed.

    `fit(X, y)` takes a table of features and classes 0, 1 (or more); `predict(X)` gives
    probabilities of shape (n,), or (n, K) for K > 2 classes.

    Examples
    --------
    >>> len(classifiers()), "deep ensemble" in classifiers()
    (10, True)
    """
    def network(seed, width=64):
        return MLPClassifier((width, width), early_stopping=True, n_iter_no_change=15, max_iter=200, batch_size=32,
                             learning_rate_init=2e-3, alpha=1e-2, random_state=seed)

    def forest(seed):
        return RandomForestClassifier(200, random_state=seed)

    return {
        "logistic regression": lambda seed: _Classifier(LogisticRegression(max_iter=500)),
        "random forest": lambda seed: _Classifier(forest(seed)),
        "extra trees": lambda seed: _Classifier(ExtraTreesClassifier(200, min_samples_leaf=5, random_state=seed)),
        "boosting": lambda seed: _Classifier(HistGradientBoostingClassifier(
            max_iter=100, learning_rate=0.08, max_leaf_nodes=15, random_state=seed)),
        "naive Bayes": lambda seed: _Classifier(GaussianNB(var_smoothing=1e-3)),
        "nearest neighbours": lambda seed: _Classifier(KNeighborsClassifier(15)),
        "network": lambda seed: _Classifier(network(seed)),
        "deep ensemble": lambda seed: _Classifier(_Average([network(1000 * seed + k + 1, 32) for k in range(5)])),
        "Gaussian process": lambda seed: _Classifier(
            GaussianProcessClassifier(ConstantKernel() * RBF(3.0), random_state=seed), SUBSAMPLE, seed),
        "calibrated forest": lambda seed: _Classifier(CalibratedClassifierCV(
            RandomForestClassifier(60, max_features=None, random_state=seed), method="sigmoid", cv=3)),
    }


def regressors() -> dict[str, Callable[[int], _Regressor]]:
    """Makers of the ten regressors, by name; each takes a seed.

    `fit(X, y)` takes a table of features and targets; `predict(X)` gives mean and standard
    deviation, both of shape (n,), in the unit of y.

    Examples
    --------
    >>> len(regressors()), "least squares" in regressors()
    (10, True)
    """
    return {
        "least squares": lambda seed: _Regressor(_LeastSquares()),
        "Bayesian splines": lambda seed: _Regressor(_BayesianSplines()),
        "random forest": lambda seed: _Regressor(_Forest(RandomForestRegressor, seed)),
        "extra trees": lambda seed: _Regressor(_Forest(ExtraTreesRegressor, seed, between=False)),
        "boosting": lambda seed: _Regressor(_VarianceBoosting(seed)),
        "quantile boosting": lambda seed: _Regressor(_QuantileBoosting(seed)),
        "Gaussian process": lambda seed: _Regressor(_GaussianProcess(seed)),
        "network": lambda seed: _Regressor(GaussianNetwork(seed)),
        "deep ensemble": lambda seed: _Regressor(_ensemble(seed)),
        "nearest neighbours": lambda seed: _Regressor(_Neighbours()),
    }


def more_classifiers() -> dict[str, Callable[[int], _Classifier]]:
    """Two more classifiers, to see what a conclusion owes to the choice of ten.

    Examples
    --------
    >>> list(more_classifiers())
    ['linear discriminant', 'tree']
    """
    return {"linear discriminant": lambda seed: _Classifier(
                LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
            "tree": lambda seed: _Classifier(DecisionTreeClassifier(min_samples_leaf=10, random_state=seed))}


def more_regressors() -> dict[str, Callable[[int], _Regressor]]:
    """Two more regressors, to see what a conclusion owes to the choice of ten.

    Examples
    --------
    >>> list(more_regressors())
    ['tree', 'one-spread boosting']
    """
    return {"tree": lambda seed: _Regressor(_Tree(seed)),
            "one-spread boosting": lambda seed: _Regressor(_OneSpread(seed))}


def multivariate_regressors() -> dict[str, Callable[[int], _Multivariate]]:
    """Makers of the five regressors of several outputs, by name; each takes a seed.

    `fit(X, y)` takes targets of shape (n, D); `predict(X)` gives means of shape (n, D) and
    covariance matrices of shape (n, D, D), in the units of y.

    Examples
    --------
    >>> list(multivariate_regressors())
    ['least squares', 'random forest', 'boosting', 'network', 'deep ensemble']
    """
    return {
        "least squares": lambda seed: _Multivariate(_JointLeastSquares()),
        "random forest": lambda seed: _Multivariate(_JointForest(seed)),
        "boosting": lambda seed: _Multivariate(_OutputByOutput(lambda place: _VarianceBoosting(seed))),
        "network": lambda seed: _Multivariate(_OutputByOutput(lambda place: GaussianNetwork(seed))),
        "deep ensemble": lambda seed: _Multivariate(_OutputByOutput(lambda place: _ensemble(seed))),
    }
