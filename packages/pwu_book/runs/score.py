"""From stored predictions to numbers: metrics, PWUs, and utilities at many decision parameters, fold by fold.

Implements the metrics and utilities of appendices J.1 and K of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from .. import released
from .tasks import BINARY, REGRESSION, SEED, Fold, Task

__all__ = ["RELEASED", "released_scores", "released_utilities", "score"]


def score(task: Task, fold: Fold, random: float = 0.0, metrics: Collection[str] | None = None) -> dict[str, float]:
    """All numbers of one fold: metrics by name, utilities as ``family:sNN`` (sampled) and ``family:gNN`` (grid).

    And, where there is released code, ``family:pNN``: utilities at the thetas that it draws.

    For regression also ``squared_z``, the mean of ``((y - mean) / std)**2``.

    Several outputs are divided by the standard deviations of their training targets first.

    Parameters
    ----------
    task : Task
    fold : Fold
    random : float
        The value of the metric that knows nothing.
    metrics : collection of str, optional
        Only these of the task's; all, if not given.

    Raises
    ------
    ValueError
        Bad input, named with its first bad index.

    References
    ----------
    PWU paper, appendices F, I.4, J.1 and K.

    Examples
    --------
    >>> fold = Fold(np.array([0, 1, 1, 0]), (np.array([0.1, 0.8, 0.4, 0.3]),))
    >>> numbers = score(BINARY, fold)
    >>> round(numbers["brier_score"], 3), len([name for name in numbers if name.startswith("binary:s")])
    (0.125, 5)
    """
    fold = task.prepare(fold)
    numbers = {name: metric(fold) for name, metric in {**task.metrics, **task.extra}.items()
               if metrics is None or name in metrics}
    numbers["random"] = random
    numbers |= {name: diagnostic(fold) for name, diagnostic in task.diagnostics.items()}
    for question in task.questions:
        kinds = {"s": question.samples(), "g": question.grid()}
        if task.kind in RELEASED:
            kinds["p"] = task.code_samples()[question.name]
        for kind, parameters in kinds.items():
            for place, value in enumerate(question.utilities(parameters, fold)):
                numbers[f"{question.name}:{kind}{place:02d}"] = float(value)
    return numbers


def released_scores(task: Task, fold: Fold, levels: int = 200) -> dict[str, float]:
    """The paper's metrics and sampled utilities by the formulas of the released code; see `released`.

    Different from the text are: log loss (clipped), calibration bins, R-AUC, E-Det of a fold without
    errors, ties inside top-k (row order), the abstention charge, whole numbers in R-AUC, and lambda and
    gamma times the variance of the test labels. Its Monte Carlo is replaced by `levels` quantiles; that it
    adds up binary utilities, so that larger folds weigh more, is left out.

    Parameters
    ----------
    task : Task
        Kind of forecast, binary or regression.
    fold : Fold
        Targets and forecast of one test fold.
    levels : int
        Number of quantiles of the prior, default 200.

    Raises
    ------
    ValueError
        The released code has no counterpart for this task.

    Examples
    --------
    >>> fold = Fold(np.array([0, 1, 1, 0]), (np.array([0.1, 0.8, 0.4, 1.0]),))
    >>> released_scores(BINARY, fold)["expected_calibration_error"] < score(BINARY, fold)[
    ...     "expected_calibration_error"]
    True
    """
    if task.kind not in RELEASED:
        raise ValueError(f"the released code has no counterpart for {task.name}")
    return RELEASED[task.kind](fold, levels)


def _quantiles(prior, levels):
    return prior.ppf((np.arange(levels) + 0.5) / levels)


def _released_binary(fold, levels):
    y, (f,), _ = fold
    wrong, unsure = (f > 0.5) != y, np.minimum(f, 1 - f)
    _, top_k = BINARY.questions
    numbers = {name: BINARY.metrics[name](fold) for name in (
        "brier_score", "zero_one_loss", "error_detection_auroc", "pwu_binary")}
    numbers |= {"log_loss": released.log_loss(y, f), "retention_auc": released.retention_auc(wrong, unsure),
                "expected_calibration_error": released.expected_calibration_error(y, f)}
    try:
        numbers["maximum_calibration_error"] = released.maximum_calibration_error(y, f)
    except ValueError:  # the released code stops here: all forecasts are exactly 1
        numbers["maximum_calibration_error"] = float("nan")
    hits = np.cumsum(y[np.argsort(-f, kind="stable")]) / np.arange(1, y.size + 1)
    numbers["pwu_top_k"] = -float(hits[_top(_quantiles(top_k.priors[0], levels), fold) - 1].mean())
    return numbers | _sampled(BINARY, fold)


def _released_regression(fold, levels):
    fold = fold._replace(variance=float(np.var(fold.y)))  # of the labels that are scored
    y, (mean, std), variance = fold
    selective, risk_averse = REGRESSION.questions
    numbers = {name: REGRESSION.metrics[name](fold) for name in (
        "gaussian_nll", "mean_squared_error", "expected_calibration_error", "maximum_calibration_error")}
    found = REGRESSION.metrics["error_detection_auroc"](fold)
    numbers["error_detection_auroc"] = 0.0 if np.isnan(found) else found
    numbers["retention_auc"] = released.retention_auc_regression(y, mean, std)
    prices = variance * _quantiles(selective.priors[0], levels)
    numbers["pwu_selective"] = -float(np.mean([released.selective_utility(q, y, mean, std) for q in prices]))
    draws = np.random.default_rng(SEED).permuted(
        [(np.arange(levels) + 0.5) / levels] * 2, axis=1)  # independent, each evenly spread
    pairs = np.column_stack([prior.ppf(draw) for prior, draw in zip(risk_averse.priors, draws, strict=True)])
    numbers["pwu_risk_averse"] = -float(np.mean(_released_risk_averse(pairs, fold)))
    return numbers | _sampled(REGRESSION, fold)


def _sampled(task, fold):
    return {f"{family}:s{place:02d}": value for family, parameters in task.code_samples().items()
            for place, value in enumerate(released_utilities(family, parameters, fold))}


def released_utilities(family: str, parameters: np.ndarray, fold: Fold) -> list[float]:
    """Utility of a fold's forecast at each row of parameters, by the formulas of the released code.

    Parameters
    ----------
    family : str
        Name of the decision family: "binary", "top_k", "selective" or "risk_averse".
    parameters : ndarray, shape (m, number of priors)
        Shares: of the two costs, of the cases, or of the variance of the fold's labels.
    fold : Fold
        Targets and forecast of one test fold.
    """
    if family == "binary":
        return [float(value) for value in BINARY.question(family).utilities(parameters, fold)]
    if family == "top_k":
        return [released.top_k_utility(k, fold.y, *fold.forecast) for k in _top(parameters[:, 0], fold)]
    fold = fold._replace(variance=float(np.var(fold.y)))
    if family == "risk_averse":
        return _released_risk_averse(parameters, fold)
    return [released.selective_utility(fold.variance * price, fold.y, *fold.forecast) for (price,) in parameters]


def _released_risk_averse(pairs, fold):
    ks = _top(pairs[:, 0], fold)
    return [released.risk_averse_utility(k, fold.variance * gamma, fold.y, *fold.forecast)
            for k, gamma in zip(ks, pairs[:, 1], strict=True)]


def _top(shares, fold):
    """Numbers of cases, from shares of them."""
    return np.clip(np.ceil(len(fold.y) * shares), 1, len(fold.y)).astype(int)


RELEASED = {BINARY.name: _released_binary, REGRESSION.name: _released_regression}
"""The kinds of forecast that the released code has formulas for."""
