"""The ten models of the PWU paper, from its descriptions and the papers that it cites; TabPFN with a reader's weights.

Implements appendix J of the PWU paper, "Model implementations". Needs torch, gpytorch and ngboost: the extra [paper].
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression

from .models import _Average, _Classifier, _Forest, _LeastSquares, _Mixture, _Regressor, _some

__all__ = ["DEVICE", "WEIGHTS", "Network", "Pretrained", "SparseProcess", "classifiers", "regressors"]

BATCH, EPOCHS, PATIENCE, HELD_OUT = 64, 100, 8, 0.15  # our protocol: the paper says "early stopping" and no more
KINDS = ("mlp", "resnet", "transformer", "saint")
RATE = 1e-3
DEVICE, WEIGHTS = "PWU_BOOK_DEVICE", "PWU_BOOK_TABPFN"  # variables of the environment
INDUCING = 100
DROPOUT, WIDTH, BLOCKS, TOKEN, HEADS, LAYERS = 0.1, 128, 3, 64, 4, 3


def _device():
    return os.environ.get(DEVICE, "cpu")


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ValueError('the networks of the paper need torch: pip install "pwu_book[paper]"') from error
    return torch


class Network:
    """A network for probabilities, or for mean and variance, with early stopping on held-out cases.

    Adam with rate 0.001, minibatches of 64, at most 100 epochs; 15% of the training cases are held out, training
    stops after eight epochs without a better loss there, and the best weights are kept. The loss is the log loss,
    or the Gaussian negative log-likelihood with a softplus for the variance. It is computed where the environment's
    `DEVICE` says, as torch names it, or on the CPU.

    Parameters
    ----------
    kind : {"mlp", "resnet", "transformer", "saint"}
        Two layers of 128 units; three residual blocks; FT-Transformer; the same with attention across samples.
    seed : int
        Of the weights, the held-out cases and the order of the minibatches.
    gaussian : bool
        Mean and variance of a target, instead of a probability.
    """

    batch = BATCH  # cases that are asked together; it matters to SAINT alone

    def __init__(self, kind: str, seed: int, gaussian: bool = False):
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        self.kind, self.seed, self.gaussian, self.device = kind, seed, gaussian, _device()

    def fit(self, Z: np.ndarray, t: np.ndarray) -> Network:
        """Train on standardised features and labels, or standardised targets.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        t : ndarray, shape (n,)
        """
        torch = _torch()
        rng = np.random.default_rng(self.seed)
        torch.manual_seed(self.seed)
        order, held = rng.permutation(len(t)), max(int(HELD_OUT * len(t)), 1)
        net = self._build(torch, Z.shape[1]).to(self.device)
        X, y = self._tensor(Z), self._tensor(t)
        test, train = order[:held], order[held:]
        steps = torch.optim.Adam(net.parameters(), lr=RATE, weight_decay=1e-5)
        best, waited, self.net = math.inf, 0, net
        kept = {name: value.clone() for name, value in net.state_dict().items()}
        for _ in range(EPOCHS):
            net.train()
            for batch in np.array_split(rng.permutation(train), max(round(len(train) / BATCH), 1)):
                if len(batch) > 1:  # batch normalisation needs two
                    steps.zero_grad()
                    self._loss(torch, net(X[batch]), y[batch]).backward()
                    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                    steps.step()
            loss = float(self._loss(torch, self._outputs(torch, X[test]), y[test]))
            waited = 0 if loss < best - 1e-4 else waited + 1
            if loss < best:
                best, kept = loss, {name: value.clone() for name, value in net.state_dict().items()}
            if waited == PATIENCE:
                break
        net.load_state_dict(kept)
        return self

    def predict_proba(self, Z: np.ndarray) -> np.ndarray:
        """Probabilities of both classes, shape (n, 2).

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        """
        torch = _torch()
        chance = torch.sigmoid(self._outputs(torch, self._tensor(Z))[:, 0]).double().cpu().numpy()
        return np.column_stack([1 - chance, chance])

    def predict(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance in standard units, each of shape (n,).

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        """
        torch = _torch()
        mean, raw = self._outputs(torch, self._tensor(Z)).double().T
        return mean.cpu().numpy(), self._variance(torch, raw).cpu().numpy()

    def _tensor(self, values):
        return _torch().as_tensor(np.asarray(values, dtype=np.float32), device=self.device)

    def _outputs(self, torch, X):
        """All cases, in the batches in which they stand: SAINT looks at the others of a batch."""
        self.net.eval()
        with torch.no_grad():
            return torch.cat([self.net(X[start:start + self.batch]) for start in range(0, len(X), self.batch)])

    def _loss(self, torch, outputs, y):
        if not self.gaussian:
            return torch.nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], y)
        variance = self._variance(torch, outputs[:, 1])
        return torch.mean(torch.log(variance) + (y - outputs[:, 0]) ** 2 / variance) / 2

    def _variance(self, torch, raw):
        return torch.nn.functional.softplus(raw) + 1e-6

    def _build(self, torch, inputs):
        outputs = 2 if self.gaussian else 1
        if self.kind == "mlp":
            return _plain(torch, inputs, outputs)
        if self.kind == "resnet":
            return _residual(torch, inputs, outputs, torch.nn.GELU())
        return _transformer(torch, inputs, outputs, across=self.kind == "saint")


def _plain(torch, inputs, outputs):
    nn = torch.nn
    return nn.Sequential(nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
                         nn.Linear(WIDTH, outputs))


def _residual(torch, inputs, outputs, *last):
    nn = torch.nn

    class Residual(nn.Module):  # type: ignore[name-defined]
        """x + linear(dropout(gelu(linear(batch norm(x)))))."""

        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.BatchNorm1d(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Dropout(DROPOUT),
                                       nn.Linear(WIDTH, WIDTH), nn.Dropout(DROPOUT))

        def forward(self, x):
            return x + self.inner(x)

    return nn.Sequential(nn.Linear(inputs, WIDTH), *(Residual() for _ in range(BLOCKS)), nn.BatchNorm1d(WIDTH), *last,
                         nn.Linear(WIDTH, outputs))


def _tokens(torch, features, cls, layers, head):
    """A token for each feature, ``x_j w_j + b_j``, and [CLS], which the head reads after the last layer."""
    nn = torch.nn

    class Tokens(nn.Module):  # type: ignore[name-defined]
        def __init__(self):
            super().__init__()
            self.weight, self.bias, self.cls = (nn.Parameter(start) for start in (*features, cls))
            self.layers, self.head = nn.Sequential(*layers), nn.Sequential(*head)

        def forward(self, x):
            tokens = torch.cat([self.cls.expand(len(x), -1, -1), x[:, :, None] * self.weight + self.bias], dim=1)
            return self.head(self.layers(tokens)[:, 0])

    return Tokens()


def _transformer(torch, inputs, outputs, across):
    nn, bound = torch.nn, TOKEN**-0.5

    def layer():
        one = nn.TransformerEncoderLayer(TOKEN, HEADS, 2 * TOKEN, DROPOUT, "gelu", batch_first=True, norm_first=True)
        one.self_attn.dropout = 0.0  # dropout after each part, not inside of the attention, which takes twice as long
        return one

    class Across(nn.Module):  # type: ignore[name-defined]
        """Each token attends to the same token of the other samples."""

        def __init__(self):
            super().__init__()
            self.inner = layer()

        def forward(self, x):
            return self.inner(x.transpose(0, 1)).transpose(0, 1)

    features = [torch.empty(inputs, TOKEN).uniform_(-bound, bound) for _ in range(2)]
    cls = torch.empty(1, 1, TOKEN).uniform_(-bound, bound)
    layers = [layer() for _ in range(LAYERS)]
    if across:  # after each of them
        layers = [one for pair in zip(layers, [Across() for _ in layers], strict=True) for one in pair]
    return _tokens(torch, features, cls, layers, [nn.LayerNorm(TOKEN), nn.ReLU(), nn.Linear(TOKEN, outputs)])


class SparseProcess:
    """A sparse variational Gaussian process: RBF kernel with a length scale per feature, 100 inducing points, ELBO.

    Parameters
    ----------
    seed : int
        Of the inducing points' start and of the minibatches.
    gaussian : bool
        A target, instead of a label.
    """

    def __init__(self, seed: int, gaussian: bool = False):
        self.seed, self.gaussian, self.device = seed, gaussian, _device()

    def fit(self, Z: np.ndarray, t: np.ndarray) -> SparseProcess:
        """Maximise the evidence lower bound by Adam in minibatches of 256, for at least 300 steps (targets: 1,000).

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        t : ndarray, shape (n,)
        """
        torch, rng = _torch(), np.random.default_rng(self.seed)
        X, y, bound = self._begin(torch, rng, Z, t, min(INDUCING, len(t)), float(Z.shape[1]) ** 0.5)
        rate, number = (0.02, 1000) if self.gaussian else (0.05, 300)
        steps = torch.optim.Adam([*self.model.parameters(), *self.noise.parameters()], lr=rate)
        batches = max(round(len(y) / 256), 1)
        for _ in range(max(math.ceil(number / batches), 20)):
            for batch in np.array_split(rng.permutation(len(y)), batches):
                steps.zero_grad()
                (-bound(self.model(X[batch]), y[batch])).backward()
                steps.step()
        return self

    def _begin(self, torch, rng, Z, t, points, scale=None):
        """The cases as tensors, and the bound, with inducing points at some of the cases."""
        import gpytorch

        torch.manual_seed(self.seed)
        X, y = (torch.as_tensor(np.asarray(part, dtype=np.float32), device=self.device) for part in (Z, t))
        start = X[rng.choice(len(X), points, replace=False)].clone()

        class Process(gpytorch.models.ApproximateGP):
            def __init__(self):
                spread = gpytorch.variational.CholeskyVariationalDistribution(len(start))
                super().__init__(gpytorch.variational.VariationalStrategy(self, start, spread,
                                                                          learn_inducing_locations=True))
                self.mean_module = gpytorch.means.ConstantMean()
                kernel = gpytorch.kernels.RBFKernel(ard_num_dims=start.shape[1])
                if scale is not None:
                    kernel.lengthscale = scale
                self.covar_module = gpytorch.kernels.ScaleKernel(kernel)

            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

        likelihoods = gpytorch.likelihoods
        self.model = Process().to(self.device)
        self.noise = (likelihoods.GaussianLikelihood() if self.gaussian else likelihoods.BernoulliLikelihood()).to(
            self.device)
        self.model.train()
        self.noise.train()
        return X, y, gpytorch.mlls.VariationalELBO(self.noise, self.model, num_data=len(y))

    def _law(self, Z):
        torch = _torch()
        self.model.eval()
        self.noise.eval()
        X = torch.as_tensor(np.asarray(Z, dtype=np.float32), device=self.device)
        with torch.no_grad():
            parts = [self.noise(self.model(X[start:start + 1024])) for start in range(0, len(X), 1024)]
            return [torch.cat([getattr(part, name) for part in parts]).double().cpu().numpy()
                    for name in ("mean", "variance")]

    def predict_proba(self, Z: np.ndarray) -> np.ndarray:
        """Probabilities of both classes, shape (n, 2).

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        """
        chance = np.clip(self._law(Z)[0], 0.0, 1.0)
        return np.column_stack([1 - chance, chance])

    def predict(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance in standard units, each of shape (n,).

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        """
        mean, variance = self._law(Z)
        return mean, variance


class _NaturalBoosting:
    """NGBoost, by default 500 rounds of trees of depth three on the natural gradient of a normal."""

    def __init__(self, seed, settings=lambda cases: {}):
        self.seed, self.settings = seed, settings

    def fit(self, Z, t):
        from ngboost import NGBRegressor

        self.boosted = NGBRegressor(random_state=self.seed, verbose=False, **self.settings(len(t))).fit(Z, t)

    def predict(self, Z):
        law = self.boosted.pred_dist(Z)
        return law.loc, law.scale**2


class Pretrained:
    """TabPFN, with weights that the reader supplies: at most 10,000 training cases, as the paper says.

    Its spread is half the distance between the quantiles 0.1587 and 0.8413. It needs the package tabpfn, and a folder,
    named by the environment's `WEIGHTS`, with one file ``*classifier*.ckpt`` and one ``*regressor*.ckpt``.

    Parameters
    ----------
    seed : int
        Of the subsample and of the model's ensemble.
    gaussian : bool
        Mean and variance of a target, instead of a probability.
    """

    def __init__(self, seed: int, gaussian: bool = False):
        self.seed, self.gaussian, self.device = seed, gaussian, _device()

    def fit(self, Z: np.ndarray, t: np.ndarray) -> Pretrained:
        """Keep the training cases, which the model reads when it predicts.

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        t : ndarray, shape (n,)

        Raises
        ------
        ValueError
            The package or the weights are not there.
        """
        folder, kind = os.environ.get(WEIGHTS, ""), "regressor" if self.gaussian else "classifier"
        files = sorted(Path(folder).glob(f"*{kind}*.ckpt")) if folder else []
        if len(files) != 1:
            raise ValueError(f"TabPFN needs one file *{kind}*.ckpt in the folder that {WEIGHTS} names, "
                             f"got {len(files)} in {folder!r}")
        try:
            import tabpfn
        except ImportError as error:
            raise ValueError("TabPFN needs its package: pip install tabpfn") from error
        make = tabpfn.TabPFNRegressor if self.gaussian else tabpfn.TabPFNClassifier
        rows = _some(len(t), 10_000, self.seed)
        self.model = make(model_path=str(files[0]), device=self.device, random_state=self.seed)
        self.model.fit(Z[rows], t[rows])
        return self

    def predict_proba(self, Z: np.ndarray) -> np.ndarray:
        """Probabilities of both classes, shape (n, 2).

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        """
        return np.asarray(self.model.predict_proba(Z), dtype=float)

    def predict(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance in standard units, each of shape (n,).

        Parameters
        ----------
        Z : ndarray, shape (n, p)
        """
        low, high = self.model.predict(Z, output_type="quantiles", quantiles=[0.1587, 0.8413])
        return np.asarray(self.model.predict(Z), dtype=float), ((np.asarray(high) - np.asarray(low)) / 2) ** 2


def _pretrained(maker):
    """TabPFN by its name, if the reader has said where its weights are."""
    return {"TabPFN": maker} if os.environ.get(WEIGHTS) else {}


def classifiers() -> dict[str, Callable[[int], Any]]:
    """Makers of the paper's classifiers, by name; each takes a seed. TabPFN is there if `WEIGHTS` is set.

    Examples
    --------
    >>> len(classifiers()), "SAINT" in classifiers()
    (9, True)
    """
    def network(kind):
        return lambda seed: _Classifier(Network(kind, seed))

    return {
        "logistic regression": lambda seed: _Classifier(LogisticRegression(max_iter=500)),
        "random forest": lambda seed: _Classifier(RandomForestClassifier(200, random_state=seed)),
        "gradient boosting": lambda seed: _Classifier(GradientBoostingClassifier(random_state=seed)),
        "sparse Gaussian process": lambda seed: _Classifier(SparseProcess(seed)),
        "MLP": network("mlp"), "FT-Transformer": network("transformer"), "SAINT": network("saint"),
        "ResNet": network("resnet"),
        "ensemble of MLPs": lambda seed: _Classifier(_Average([Network("mlp", 1000 * seed + k + 1)
                                                               for k in range(5)])),
        **_pretrained(lambda seed: _Classifier(Pretrained(seed))),
    }


def regressors() -> dict[str, Callable[[int], Any]]:
    """Makers of the paper's regressors, by name; each takes a seed. TabPFN is there if `WEIGHTS` is set.

    Examples
    --------
    >>> len(regressors()), "natural boosting" in regressors()
    (9, True)
    """
    def network(kind):
        return lambda seed: _Regressor(Network(kind, seed, True))

    return {
        "least squares": lambda seed: _Regressor(_LeastSquares()),
        "random forest": lambda seed: _Regressor(_Forest(RandomForestRegressor, seed)),
        "natural boosting": lambda seed: _Regressor(_NaturalBoosting(seed)),
        "sparse Gaussian process": lambda seed: _Regressor(SparseProcess(seed, True)),
        "MLP": network("mlp"), "FT-Transformer": network("transformer"), "SAINT": network("saint"),
        "ResNet": network("resnet"),
        "ensemble of MLPs": lambda seed: _Regressor(_Mixture([Network("mlp", 1000 * seed + k + 1, True)
                                                              for k in range(5)])),
        **_pretrained(lambda seed: _Regressor(Pretrained(seed, True))),
    }
