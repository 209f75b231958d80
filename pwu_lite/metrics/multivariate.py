"""Conventional metrics of regression with a Gaussian prediction of several outputs.

Implements appendix G.2 of the PWU paper.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..validation import check_multivariate
from ._kernels import average, read

__all__ = ["energy_score", "gaussian_nll", "mean_squared_error"]


def gaussian_nll(y_true: ArrayLike, mean: ArrayLike, cov: ArrayLike, *,
                 sample_weight: ArrayLike | None = None) -> float:
    """Gaussian negative log-likelihood of D outputs.

    ``D/2 log(2 pi) + log(det cov)/2 + (y - mean)' cov^-1 (y - mean)/2``, averaged over cases.

    Parameters
    ----------
    y_true : array_like, shape (n, D)
        Targets.
    mean : array_like, shape (n, D)
        Predictive means, in the units of y.
    cov : array_like, shape (n, D, D)
        Predictive covariance matrices, symmetric and positive definite.
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Bad input, named with its first bad case.

    References
    ----------
    PWU paper, appendix G.2.

    Examples
    --------
    >>> round(gaussian_nll([[0.0, 0.0]], [[0.0, 0.0]], [[[1.0, 0.0], [0.0, 1.0]]]), 6)
    1.837877
    """
    y, m, s, weight = _read(y_true, mean, cov, sample_weight)
    root = np.linalg.cholesky(s)
    z = np.linalg.solve(root, (y - m)[..., None])[..., 0]
    half_log_det = np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
    return average(y.shape[1] / 2 * np.log(2 * np.pi) + half_log_det + (z**2).sum(axis=1) / 2, weight)


def mean_squared_error(y_true: ArrayLike, mean: ArrayLike, cov: ArrayLike, *,
                       sample_weight: ArrayLike | None = None) -> float:
    """Mean of ``||y - mean||**2``, summed over the outputs; `cov` is checked but not used.

    PWU paper, appendix G.2.

    Parameters
    ----------
    y_true : array_like, shape (n, D)
        Targets of D outputs.
    mean : array_like, shape (n, D)
        Predictive means.
    cov : array_like, shape (n, D, D)
        Predictive covariances, symmetric and positive definite.
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> mean_squared_error([[0.0, 1.0]], [[1.0, 3.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    5.0
    """
    y, m, _, weight = _read(y_true, mean, cov, sample_weight)
    return average(((y - m) ** 2).sum(axis=1), weight)


def energy_score(y_true: ArrayLike, mean: ArrayLike, cov: ArrayLike, *,
                 sample_weight: ArrayLike | None = None) -> float:
    """Energy score, ``E||X - y|| - E||X - X'||/2`` for independent X, X' from the prediction.

    In the unit of y (the outputs must share one). With one output it is the CRPS.

    Parameters
    ----------
    y_true : array_like, shape (n, D)
        Targets of D outputs.
    mean : array_like, shape (n, D)
        Predictive means.
    cov : array_like, shape (n, D, D)
        Predictive covariances, symmetric and positive definite.
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Notes
    -----
    Both expectations are one-dimensional integrals over a Gaussian vector V,
    ``E||V|| = 1/(2 sqrt(pi)) integral of (1 - E exp(-s ||V||**2)) s**(-3/2) ds``,
    by the trapezoid rule after a double-exponential substitution; relative error below 1e-11
    where the eigenvalues of a covariance are within a factor of 1e8 of each other.

    PWU paper, appendix G.2.

    Examples
    --------
    >>> round(energy_score([[0.0, 0.0]], [[0.0, 0.0]], [[[1.0, 0.0], [0.0, 2.0]]]), 9)
    0.446380518
    """
    y, m, s, weight = _read(y_true, mean, cov, sample_weight)
    eigenvalues, vectors = np.linalg.eigh(s)
    eigenvalues = np.maximum(eigenvalues, 0)  # of a nearly singular covariance some come out as -1e-17
    shift = np.einsum("ndk,nd->nk", vectors, y - m)
    return average(_mean_norm(shift, eigenvalues) - _mean_norm(0 * shift, 2 * eigenvalues) / 2, weight)


def _mean_norm(shift: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
    """``E||V||`` for V ~ N(shift, diag(eigenvalues)), both of shape (n, D)."""
    scale = (shift**2 + eigenvalues).sum(axis=1)  # E||V||**2 sets the unit of s
    shift2, spread = shift**2 / scale[:, None], eigenvalues / scale[:, None]
    total = np.zeros(scale.size)
    for node, step in zip(*_nodes(), strict=True):
        wide = 2 * node * spread
        log_mean = -(node * shift2 / (1 + wide) + np.log1p(wide) / 2).sum(axis=1)
        total -= step * np.expm1(log_mean) / np.sqrt(node)
    return np.sqrt(scale / np.pi) / 2 * total


def _nodes(h: float = 0.06, reach: float = 4.2) -> tuple[np.ndarray, np.ndarray]:
    """Nodes s and steps ds/s of the trapezoid rule after ``s = exp(pi/2 * sinh(t) * 2)``."""
    t = np.arange(-reach, reach + h / 2, h)
    return np.exp(np.pi * np.sinh(t)), h * np.pi * np.cosh(t)


def _read(y_true: Any, mean: Any, cov: Any, sample_weight: Any) -> tuple[Any, ...]:
    return read(check_multivariate, sample_weight, y_true=y_true, mean=mean, cov=cov)
