"""Nine of the ten models of the PWU paper with the settings of its released code, written anew from these settings.

Implements the models of ``02_train_models.py`` for two outcomes, for numbers and for several numbers, in the repository
fortuinlab/prior-weighted-utilities at commit 94ab70d. Needs torch, gpytorch and ngboost: the extra [paper].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from . import paper_models
from .models import _Average, _Classifier, _LeastSquares, _Mixture, _Multivariate, _OutputByOutput, _Regressor
from .paper_models import DROPOUT, HEADS, LAYERS, TOKEN, _NaturalBoosting, _plain, _residual, _tokens, _torch

__all__ = ["JointNetwork", "Network", "SparseProcess", "classifiers", "multivariate_regressors", "numbered",
           "preprocessing", "regressors"]

LEAST = 1e-12  # smallest standard deviation


def preprocessing() -> Any:
    """Numbers: median for missing, standardised; text: the most frequent value for missing, a column a category.

    The word "unknown" is missing, too: the bank's file has it where the table that the released code reads has a gap.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": [1.0, np.nan, 3.0, 2.0], "b": ["u", "v", np.nan, "unknown"]})
    >>> preprocessing().fit_transform(table).shape
    (4, 3)
    """
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    text = make_pipeline(SimpleImputer(strategy="most_frequent"),
                         SimpleImputer(missing_values="unknown", strategy="most_frequent"),
                         OneHotEncoder(handle_unknown="ignore", sparse_output=False))
    return make_column_transformer((numbers, make_column_selector(dtype_include="number")),
                                   (text, make_column_selector(dtype_exclude="number")))


def _without_constants():
    """Numbers, standardised; columns that are constant in the training fold are left out."""
    return make_pipeline(SimpleImputer(strategy="median"), VarianceThreshold(), StandardScaler())


def _few_hundred(cases):
    """Trees of a boosting, by the number of training cases."""
    return 500 if cases < 1000 else 1000


class Network(paper_models.Network):
    """A network for probabilities, or for a mean and a standard deviation, with early stopping on held-out cases.

    Transformers and residual blocks: AdamW with decay 1e-5 and a cosine over 200 epochs, batches of 256, a tenth
    held out. Two plain layers: Adam with decay 1e-4, a fifth held out, batches of a tenth of the cases (32 to 512),
    up to 3,000 or 5,000 epochs. In both the rate is 0.001, training stops after 20 epochs without a better loss,
    and, for numbers, gradients are cut at 5. The loss is the log loss, or ``2 log s + ((y - m)/s)^2``, with a softplus
    for the standard deviation.

    Parameters
    ----------
    kind : {"mlp", "resnet", "transformer", "saint"}
    seed : int
        Of the weights, the held-out cases and the order of the minibatches.
    gaussian : bool
        Mean and standard deviation of a target, instead of a probability.
    """

    batch = 2048  # cases that are asked together; it matters to SAINT alone

    def fit(self, Z: np.ndarray, t: np.ndarray) -> Network:
        """Train on standardised features and labels, or standardised targets.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        t : ndarray, shape (n,)
        """
        torch, plain = _torch(), self.kind == "mlp"
        rng = np.random.default_rng(self.seed)
        torch.manual_seed(self.seed)
        held = max(int((0.2 if plain else 0.1) * len(t)), 1)
        order = rng.permutation(len(t))
        test, train = order[:held], order[held:]
        X, y = self._tensor(Z), self._tensor(t)
        self.net = net = self._build(torch, Z.shape[1]).to(self.device)
        if plain:
            epochs, batch = (3000 if len(train) < 1000 else 5000), min(512, max(32, len(train) // 10))
            steps = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-4)
        else:
            epochs, batch = 200, min(256, len(train))
            steps = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-5)
            cosine = torch.optim.lr_scheduler.CosineAnnealingLR(steps, T_max=epochs)
        best, waited = math.inf, 0
        kept = {name: value.clone() for name, value in net.state_dict().items()}
        for _ in range(epochs):
            net.train()
            drawn = rng.permutation(train)
            for start in range(0, len(drawn), batch):
                part = drawn[start:start + batch]
                if len(part) == 1:  # batch normalisation needs two
                    continue
                steps.zero_grad()
                self._loss(torch, net(X[part]), y[part]).backward()
                if self.gaussian:
                    torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
                steps.step()
            if not plain:
                cosine.step()
            loss = float(self._loss(torch, self._outputs(torch, X[test]), y[test]))
            waited = 0 if loss < best - 1e-6 else waited + 1
            if not waited:
                best, kept = loss, {name: value.clone() for name, value in net.state_dict().items()}
            if waited == 20:
                break
        net.load_state_dict(kept)
        return self

    def _variance(self, torch, raw):
        return super()._variance(torch, raw) ** 2

    def _loss(self, torch, outputs, y):
        loss = super()._loss(torch, outputs, y)
        return 2 * loss if self.gaussian else loss

    def _build(self, torch, inputs):
        outputs = 2 if self.gaussian else 1
        if self.kind == "mlp":
            return _plain(torch, inputs, outputs)
        if self.kind == "resnet":
            return _residual(torch, inputs, outputs)
        return _transformer(torch, inputs, outputs, across=self.kind == "saint")


class JointNetwork(Network):
    """Two plain layers for the means of several targets and a factor L of their covariance ``L L'``.

    Trained as the plain network of `Network`. The diagonal of L is a softplus, plus 1e-6; the loss is
    ``2 log det L + |L^-1 (y - m)|^2``.

    Parameters
    ----------
    seed : int
        Of the weights, the held-out cases and the order of the minibatches.
    """

    def __init__(self, seed: int):
        super().__init__("mlp", seed, gaussian=True)

    def fit(self, Z: np.ndarray, t: np.ndarray) -> JointNetwork:
        """Train on standardised features and targets.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        t : ndarray, shape (n, D)
        """
        self.targets = t.shape[1]
        super().fit(Z, t)
        return self

    def predict(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means, shape (n, D), and covariances, shape (n, D, D), in standard units.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        """
        torch = _torch()
        mean, factor = self._law(torch, self._outputs(torch, self._tensor(Z)))
        return mean.double().cpu().numpy(), (factor @ factor.transpose(1, 2)).double().cpu().numpy()

    def _law(self, torch, outputs):
        mean, diagonal, below = torch.split(
            outputs, [self.targets, self.targets, outputs.shape[1] - 2 * self.targets], dim=1)
        rows, columns = torch.tril_indices(self.targets, self.targets, -1)
        factor = torch.diag_embed(torch.nn.functional.softplus(diagonal) + 1e-6)
        factor[:, rows, columns] = below
        return mean, factor

    def _loss(self, torch, outputs, y):
        mean, factor = self._law(torch, outputs)
        rest = torch.linalg.solve_triangular(factor, (y - mean)[:, :, None], upper=False)
        size = torch.log(torch.diagonal(factor, dim1=1, dim2=2)).sum(dim=1)
        return torch.mean(2 * size + (rest[:, :, 0] ** 2).sum(dim=1))

    def _build(self, torch, inputs):
        return _plain(torch, inputs, self.targets * (self.targets + 3) // 2)


def _transformer(torch, inputs, outputs, across):
    """Layers are normalised after each part, with dropout inside of the attention, too."""
    nn = torch.nn

    class Across(nn.Module):  # type: ignore[name-defined]
        """Each token attends to the same token of the other cases of its batch; no layer follows."""

        def __init__(self):
            super().__init__()
            self.norm, self.dropout = nn.LayerNorm(TOKEN), nn.Dropout(DROPOUT)
            self.attention = nn.MultiheadAttention(TOKEN, HEADS, DROPOUT, batch_first=True)

        def forward(self, x):
            others = self.norm(x).transpose(0, 1)
            return x + self.dropout(self.attention(others, others, others, need_weights=False)[0].transpose(0, 1))

    features = [nn.init.kaiming_uniform_(torch.empty(inputs, TOKEN), a=5**0.5) for _ in range(2)]
    cls = torch.empty(1, 1, TOKEN).normal_(std=0.02)
    layers: list[Any] = []
    for _ in range(LAYERS):
        layers.append(nn.TransformerEncoderLayer(TOKEN, HEADS, 4 * TOKEN, DROPOUT, "gelu", batch_first=True))
        if across:
            layers.append(Across())
    return _tokens(torch, features, cls, layers,
                   [*([nn.LayerNorm(TOKEN)] if across else []), nn.Linear(TOKEN, outputs)])


class SparseProcess(paper_models.SparseProcess):
    """A sparse variational Gaussian process: 16 inducing points for each two of the root of n, 16 to 512.

    100 epochs of Adam with rate 0.005 in batches of a quarter of the cases (32 to 1,024).

    Parameters
    ----------
    seed : int
        Of the inducing points' start and of the minibatches.
    gaussian : bool
        A target, instead of a label.
    """

    def fit(self, Z: np.ndarray, t: np.ndarray) -> SparseProcess:
        """Maximise the evidence lower bound.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        t : ndarray, shape (n,)
        """
        torch, rng = _torch(), np.random.default_rng(self.seed)
        X, y, bound = self._begin(torch, rng, Z, t, min(512, max(16, 16 * int(len(t) ** 0.5 / 2)), len(t)))
        steps = torch.optim.Adam([*self.model.parameters(), *self.noise.parameters()], lr=5e-3)
        batch = min(1024, max(32, len(y) // 4))
        with _jitter():
            for _ in range(100):
                drawn = rng.permutation(len(y))
                for begin in range(0, len(y), batch):
                    part = drawn[begin:begin + batch]
                    steps.zero_grad()
                    (-bound(self.model(X[part]), y[part])).backward()
                    steps.step()
        return self

    def _law(self, Z):
        with _jitter():
            return super()._law(Z)


def _jitter():
    import gpytorch

    return gpytorch.settings.cholesky_jitter(1e-4)


class _Plain:
    """scikit-learn's network of two layers, in batches of a tenth of the cases, stopped by the held-out accuracy."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, Z, t):
        self.network = MLPClassifier((128, 128), alpha=1e-4, batch_size=min(512, max(32, len(t) // 10)),
                                     max_iter=5000, early_stopping=True, n_iter_no_change=20, random_state=self.seed)
        self.network.fit(Z, t)

    def predict_proba(self, Z):
        return self.network.predict_proba(Z)


class _Boosting:
    """Gradient boosting of rate 0.03 and depth 3, with 500 trees below 1,000 cases and 1,000 from there on."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, Z, t):
        self.trees = GradientBoostingClassifier(n_estimators=_few_hundred(len(t)), learning_rate=0.03, max_depth=3,
                                                random_state=self.seed).fit(Z, t)

    def predict_proba(self, Z):
        return self.trees.predict_proba(Z)


def _natural(cases):
    """Rate 0.03 with as many rounds, each on four fifths of the columns."""
    return {"n_estimators": _few_hundred(cases), "learning_rate": 0.03, "col_sample": 0.8}


class _Forest:
    """200 trees with leaves of one case; variance between them, over 199, plus the mean squared residual out of bag."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, Z, t):
        self.forest = RandomForestRegressor(200, oob_score=True, random_state=self.seed).fit(Z, t)
        self.noise = np.mean((t - self.forest.oob_prediction_) ** 2)

    def predict(self, Z):
        trees = np.array([tree.predict(Z) for tree in self.forest.estimators_])
        return trees.mean(axis=0), trees.var(axis=0, ddof=1) + self.noise


class _ConstantSpread:
    """Least squares with one variance for all cases: the squared residuals over n less the number of coefficients."""

    def fit(self, Z, t):
        A = np.column_stack([np.ones(len(Z)), Z])
        self.coefficients = np.linalg.lstsq(A, t, rcond=None)[0]
        self.noise = np.sum((t - A @ self.coefficients) ** 2) / max(len(t) - A.shape[1], 1)

    def predict(self, Z):
        mean = np.column_stack([np.ones(len(Z)), Z]) @ self.coefficients
        return mean, np.full(len(Z), self.noise)


class _JointBoosting:
    """NGBoost of a multivariate normal, with its covariance."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, Z, T):
        from ngboost import NGBRegressor
        from ngboost.distns import MultivariateNormal

        self.boosted = NGBRegressor(Dist=MultivariateNormal(T.shape[1]), random_state=self.seed, verbose=False,
                                    **_natural(len(T))).fit(Z, T)

    def predict(self, Z):
        law = self.boosted.pred_dist(Z)
        return np.asarray(law.mean()), np.asarray(law.cov)


class _JointMixture:
    """Several networks for several outputs; mean and covariance of the equal mixture of their Gaussians."""

    def __init__(self, members):
        self.members = members

    def fit(self, Z, T):
        for member in self.members:
            member.fit(Z, T)

    def predict(self, Z):
        means, covariances = (np.array(part) for part in zip(*(member.predict(Z) for member in self.members),
                                                             strict=True))
        apart = means - means.mean(axis=0)
        return means.mean(axis=0), covariances.mean(axis=0) + np.einsum("mni,mnj->nij", apart, apart) / len(means)


def classifiers() -> dict[str, Callable[[int], Any]]:
    """Makers of the paper's classifiers with its released settings, by name; each takes a seed.

    Examples
    --------
    >>> len(classifiers()), "SAINT" in classifiers()
    (9, True)
    """
    def made(estimator):
        return _Classifier(estimator, prepare=preprocessing)

    def network(kind):
        return lambda seed: made(Network(kind, seed))

    return {
        "logistic regression": lambda seed: made(LogisticRegression(max_iter=1000)),
        "random forest": lambda seed: made(RandomForestClassifier(200, random_state=seed)),
        "gradient boosting": lambda seed: made(_Boosting(seed)),
        "sparse Gaussian process": lambda seed: made(SparseProcess(seed)),
        "MLP": lambda seed: made(_Plain(seed)), "FT-Transformer": network("transformer"), "SAINT": network("saint"),
        "ResNet": network("resnet"),
        "ensemble of MLPs": lambda seed: made(_Average([_Plain(100 * seed + k) for k in range(5)])),
    }


def regressors() -> dict[str, Callable[[int], Any]]:
    """Makers of the paper's regressors with its released settings, by name; each takes a seed.

    Examples
    --------
    >>> len(regressors()), "natural boosting" in regressors()
    (9, True)
    """
    def made(model):
        return _Regressor(model, prepare=preprocessing, least=LEAST)

    def network(kind):
        return lambda seed: made(Network(kind, seed, True))

    return {
        "least squares": lambda seed: made(_LeastSquares()),
        "random forest": lambda seed: made(_Forest(seed)),
        "natural boosting": lambda seed: made(_NaturalBoosting(seed, _natural)),
        "sparse Gaussian process": lambda seed: made(SparseProcess(seed, True)),
        "MLP": network("mlp"), "FT-Transformer": network("transformer"), "SAINT": network("saint"),
        "ResNet": network("resnet"),
        "ensemble of MLPs": lambda seed: made(_Mixture([Network("mlp", 100 * seed + k, True)
                                                        for k in range(5)])),
    }


def numbered(make: Callable[[int], Any]) -> Callable[[int], Any]:
    """The maker with the released seeds: ten times the repeat, plus the fold, counted from one.

    Parameters
    ----------
    make : callable
        A seed gives a model. The new one is called with ``1000 * repeat + fold``, from 0, by `grid.run`.

    Examples
    --------
    >>> numbered(lambda seed: seed)(7004)  # repeat 7, the fifth fold
    75
    """
    return lambda seed: make(10 * (seed // 1000) + seed % 1000 + 1)


def multivariate_regressors() -> dict[str, Callable[[int], Any]]:
    """Makers of the paper's five regressors of several outputs with its released settings; each takes a seed.

    Examples
    --------
    >>> list(multivariate_regressors())
    ['least squares', 'random forest', 'natural boosting', 'MLP', 'ensemble of MLPs']
    """
    def made(model):
        return _Multivariate(model, prepare=_without_constants, least=LEAST)

    return {
        "least squares": lambda seed: made(_OutputByOutput(lambda place: _ConstantSpread())),
        "random forest": lambda seed: made(_OutputByOutput(lambda place: _Forest(seed + place))),
        "natural boosting": lambda seed: made(_JointBoosting(seed)),
        "MLP": lambda seed: made(JointNetwork(seed)),
        "ensemble of MLPs": lambda seed: made(_JointMixture([JointNetwork(100 * seed + k) for k in range(5)])),
    }
