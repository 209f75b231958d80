"""From stored predictions to numbers: metrics, PWUs, and utilities at many decision parameters, fold by fold.

May import the package, experiment and released, numpy, pandas and scikit-learn.
Implements the metrics and utilities of appendices J.1 and K of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from ..families import BinaryDecision, OneVsRest, PerOutput, RiskAverseTopK, SelectivePrediction, TopK
from ..metrics import classification, multiclass, multivariate, regression
from ..priors import Beta, Prior, Uniform
from ..pwu import PWU
from . import released

__all__ = ["EXTRA", "LOWER", "METRICS", "PERTURBED", "QUESTIONS", "Fold", "Question", "released_scores", "score"]

SEED, SAMPLES = 0, 5  # the sampled decision parameters, five a family as in the paper


class Fold(NamedTuple):
    """Targets and forecast of one test fold, and what is known about y before: its training variance."""

    y: np.ndarray
    forecast: tuple[np.ndarray, ...]
    variance: Any = 1.0  # of the training targets; one number, or one an output


class Question(NamedTuple):
    """A decision family, the prior on its parameters, and where its utility is evaluated.

    The prior is in units that fit any data set: c itself, k/n, lambda / Var(y), gamma * sd(y),
    with the variance of the training targets.
    """

    name: str
    family: Any
    priors: tuple[Prior, ...]
    edges: tuple[np.ndarray, ...]  # of the cells that carry the prior's mass
    native: Callable[[np.ndarray, Fold], Any]  # rows of prior-unit parameters -> thetas of the family
    scaled: Callable[[tuple[Prior, ...], Fold], tuple[Prior, ...]]  # priors -> priors of the family's own unit

    def grid(self) -> np.ndarray:
        """Middles of the cells, shape (m, number of priors), first parameter slowest."""
        middles = [(edges[1:] + edges[:-1]) / 2 for edges in self.edges]
        return np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, len(middles))

    def mass(self, priors: Sequence[Prior] | None = None) -> np.ndarray:
        """What a prior (by default its own) gives to each cell, shape (m,)."""
        parts = [prior.mass(edges[:-1], edges[1:]) for prior, edges in
                 zip(priors or self.priors, self.edges, strict=True)]
        whole = parts[0]
        for part in parts[1:]:
            whole = np.multiply.outer(whole, part)
        return np.ravel(whole)

    def samples(self, seed: int = SEED) -> np.ndarray:
        """Five parameters drawn from the prior, shape (5, number of priors)."""
        rng = np.random.default_rng(seed)
        return np.column_stack([prior.rvs(SAMPLES, rng) for prior in self.priors])

    def utilities(self, parameters: np.ndarray, fold: Fold) -> np.ndarray:
        """Utility of the fold's forecast at each row of parameters."""
        return self.family.utility(self.native(parameters, fold), fold.y, *fold.forecast)

    def pwu(self, fold: Fold, priors: tuple[Prior, ...] | None = None) -> float:
        """The loss under the prior itself, or under another one: a closed form."""
        return PWU(self.family, *self.scaled(priors or self.priors, fold))(fold.y, *fold.forecast)


def _cells(number, power):
    """Edges from 0 to 1, closer together near 0 where the priors lie."""
    return np.linspace(0, 1, number + 1) ** power


def _k(shares, fold):
    n = len(fold.y)
    return np.clip(np.ceil(n * shares), 1, n)


def _pairs(first, second):
    return np.column_stack([first, second])


def _classes(parameters, fold):
    """The class by its place in (0, 1), and c."""
    return _pairs(np.floor(parameters[:, 0] * fold.forecast[0].shape[1]), parameters[:, 1])


def _same(priors, fold):
    return priors


_COSTS = Beta(2, 10)
_SHARES = Beta(1.2, 20.8)
QUESTIONS: dict[str, tuple[Question, ...]] = {
    "binary": (
        Question("binary", BinaryDecision(), (_COSTS,), (_cells(40, 1.5),), lambda c, fold: c[:, 0], _same),
        Question("top_k", TopK(), (_SHARES,), (_cells(40, 2.5),), lambda u, fold: _k(u[:, 0], fold), _same)),
    "regression": (
        Question("selective", SelectivePrediction(), (_COSTS,), (_cells(40, 1.5),),
                 lambda q, fold: fold.variance * q[:, 0],
                 lambda priors, fold: (_stretch(priors[0], fold.variance),)),
        Question("risk_averse", RiskAverseTopK(), (_SHARES, Beta(2, 6)), (_cells(12, 2.5), _cells(6, 1)),
                 lambda p, fold: _pairs(_k(p[:, 0], fold), p[:, 1] / np.sqrt(fold.variance)),
                 lambda priors, fold: (priors[0], _stretch(priors[1], 1 / np.sqrt(fold.variance))))),
    "multiclass": (
        Question("one_vs_rest", OneVsRest(BinaryDecision()), (Uniform(0, 1), _COSTS),
                 (np.linspace(0, 1, 211), _cells(12, 1.5)), _classes, lambda priors, fold: priors[1:]),),
    "multivariate": (
        Question("per_output", PerOutput(SelectivePrediction()), (_COSTS,), (_cells(40, 1.5),),
                 lambda q, fold: q[:, 0], _same),),
}


PERTURBED: dict[str, dict[str, tuple[Prior, ...]]] = {
    "binary": {"slight": (Beta(3, 9),), "strong": (Beta(6, 6),), "extreme": (Beta(10, 2),)},
    "top_k": {"slight": (Beta(1.5, 25.5),), "strong": (Beta(2, 10),), "extreme": (Beta(6, 6),)},
    "selective": {"slight": (Beta(3, 9),), "strong": (Beta(6, 6),), "extreme": (Beta(10, 2),)},
    "risk_averse": {"slight": (Beta(1.5, 25.5), Beta(1.6, 6.4)), "strong": (Beta(2, 10), Beta(3.4, 4.6)),
                    "extreme": (Beta(6, 6), Beta(5.8, 2.2))},
}
"""The wrong priors of appendix J.3, by the modes that it prints; those on c, lambda and gamma keep their a + b."""


def _stretch(prior, factor):
    return Beta(prior.a, prior.b, scale=prior.scale * float(factor))


def _of(function, *options):
    return lambda fold: function(fold.y, *fold.forecast, *options)


def _pwu(task, place):
    return lambda fold: QUESTIONS[task][place].pwu(fold)


def _perturbed(task):
    """The PWUs that would have been right under the wrong priors."""
    return {f"pwu_{question.name}_{level}": lambda fold, question=question, priors=priors: question.pwu(fold, priors)
            for question in QUESTIONS[task] for level, priors in PERTURBED[question.name].items()}


_MIDDLE = Uniform(float(_COSTS.ppf(0.05)), float(_COSTS.ppf(0.95)))

METRICS: dict[str, dict[str, Callable[[Fold], float]]] = {
    "binary": {
        "log_loss": _of(classification.log_loss), "brier_score": _of(classification.brier_score),
        "zero_one_loss": _of(classification.zero_one_loss),
        "expected_calibration_error": _of(classification.expected_calibration_error),
        "maximum_calibration_error": _of(classification.maximum_calibration_error),
        "retention_auc": _of(classification.retention_auc),
        "error_detection_auroc": _of(classification.error_detection_auroc),
        "pwu_binary": _pwu("binary", 0), "pwu_top_k": _pwu("binary", 1)},
    "regression": {
        "gaussian_nll": _of(regression.gaussian_nll), "mean_squared_error": _of(regression.mean_squared_error),
        "expected_calibration_error": _of(regression.expected_calibration_error),
        "maximum_calibration_error": _of(regression.maximum_calibration_error),
        "retention_auc": _of(regression.retention_auc),
        "error_detection_auroc": _of(regression.error_detection_auroc),
        "pwu_selective": _pwu("regression", 0), "pwu_risk_averse": _pwu("regression", 1)},
    "multiclass": {
        "log_loss": _of(multiclass.log_loss), "brier_score": _of(multiclass.brier_score),
        "zero_one_loss": _of(multiclass.zero_one_loss),
        "expected_calibration_error": _of(multiclass.expected_calibration_error),
        "pwu_one_vs_rest": _pwu("multiclass", 0)},
    "multivariate": {
        "gaussian_nll": _of(multivariate.gaussian_nll), "mean_squared_error": _of(multivariate.mean_squared_error),
        "energy_score": _of(multivariate.energy_score), "pwu_per_output": _pwu("multivariate", 0)},
}
"""The paper's metrics, in its order, then its PWUs."""

EXTRA: dict[str, dict[str, Callable[[Fold], float]]] = {
    "binary": {
        "log_loss_clipped": _of(released.log_loss), "clipped_brier": lambda fold: PWU(BinaryDecision(), _MIDDLE)(
            fold.y, *fold.forecast),
        "auroc": lambda fold: _ranked(roc_auc_score, fold), "average_precision": lambda fold: _ranked(
            average_precision_score, fold), **_perturbed("binary")},
    "regression": {
        "crps_gaussian": _of(regression.crps_gaussian), "interval_score": _of(regression.interval_score, 0.9),
        "mean_absolute_calibration_error": _of(regression.mean_absolute_calibration_error),
        **_perturbed("regression")},
    "multiclass": {"log_loss_clipped": lambda fold: _clipped_log_loss(fold)},
    "multivariate": {},
}
"""What a reader will ask for besides."""

LOWER = {"log_loss_clipped": True, "clipped_brier": True, "auroc": False, "average_precision": False, "random": True}
"""Directions of metrics that the registry does not know: is lower better?"""


def _ranked(function, fold):
    """A ranking metric of scikit-learn; NaN where the fold has one class only."""
    return float(function(fold.y, fold.forecast[0])) if np.ptp(fold.y) else float("nan")


def _clipped_log_loss(fold):
    chance = np.take_along_axis(fold.forecast[0], fold.y.astype(int)[:, None], axis=1)
    return float(-np.log(np.clip(chance, np.finfo(float).eps, 1)).mean())


def score(task: str, fold: Fold, random: float = 0.0) -> dict[str, float]:
    """All numbers of one fold: metrics by name, utilities as ``family:sNN`` (sampled) and ``family:gNN`` (grid).

    For regression also ``squared_z``, the mean of ``((y - mean) / std)**2``.

    Several outputs are divided by the standard deviations of their training targets first.

    Parameters
    ----------
    task : str
        "binary", "regression", "multiclass" or "multivariate".
    fold : Fold
    random : float
        The value of the metric that knows nothing.

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
    >>> numbers = score("binary", fold)
    >>> round(numbers["brier_score"], 3), len([name for name in numbers if name.startswith("binary:s")])
    (0.125, 5)
    """
    fold = _standard(task, fold)
    numbers = {name: metric(fold) for name, metric in {**METRICS[task], **EXTRA[task]}.items()}
    numbers["random"] = random
    if task == "regression":  # one, where standard deviations are right on the average
        numbers["squared_z"] = float(np.mean(((fold.y - fold.forecast[0]) / fold.forecast[1]) ** 2))
    for question in QUESTIONS[task]:
        for kind, parameters in (("s", question.samples()), ("g", question.grid())):
            for place, value in enumerate(question.utilities(parameters, fold)):
                numbers[f"{question.name}:{kind}{place:02d}"] = float(value)
    return numbers


def _standard(task, fold):
    if task != "multivariate":
        return fold
    unit = np.sqrt(fold.variance)
    mean, cov = fold.forecast
    return Fold(fold.y / unit, (mean / unit, cov / np.outer(unit, unit)))


def released_scores(task: str, fold: Fold, levels: int = 200) -> dict[str, float]:
    """The paper's metrics and sampled utilities by the formulas of the released code; see `released`.

    Different from the text are: log loss (clipped), calibration bins, R-AUC, E-Det of a fold without
    errors, ties inside top-k (row order), the abstention charge, whole numbers in R-AUC, and lambda and
    gamma times the variance of the test labels. Its Monte Carlo is replaced by `levels` quantiles; that it
    adds up binary utilities, so that larger folds weigh more, is left out.

    Raises
    ------
    ValueError
        There is no released counterpart for this task.

    Examples
    --------
    >>> fold = Fold(np.array([0, 1, 1, 0]), (np.array([0.1, 0.8, 0.4, 1.0]),))
    >>> released_scores("binary", fold)["expected_calibration_error"] < score("binary", fold)[
    ...     "expected_calibration_error"]
    True
    """
    if task == "binary":
        return _released_binary(fold, levels)
    if task == "regression":
        return _released_regression(fold, levels)
    raise ValueError(f"task must be 'binary' or 'regression', got {task!r}")


def _quantiles(prior, levels):
    return prior.ppf((np.arange(levels) + 0.5) / levels)


def _released_binary(fold, levels):
    y, (f,), _ = fold
    wrong, unsure = (f > 0.5) != y, np.minimum(f, 1 - f)
    binary, top_k = QUESTIONS["binary"]
    numbers = {name: METRICS["binary"][name](fold) for name in (
        "brier_score", "zero_one_loss", "error_detection_auroc", "pwu_binary")}
    numbers |= {"log_loss": released.log_loss(y, f), "retention_auc": released.retention_auc(wrong, unsure),
                "expected_calibration_error": released.expected_calibration_error(y, f)}
    try:
        numbers["maximum_calibration_error"] = released.maximum_calibration_error(y, f)
    except ValueError:  # the released code stops here: all forecasts are exactly 1
        numbers["maximum_calibration_error"] = float("nan")
    hits = np.cumsum(y[np.argsort(-f, kind="stable")]) / np.arange(1, y.size + 1)
    numbers["pwu_top_k"] = -float(hits[_k(_quantiles(_SHARES, levels), fold).astype(int) - 1].mean())
    for place, value in enumerate(binary.utilities(binary.samples(), fold)):
        numbers[f"binary:s{place:02d}"] = float(value)
    for place, k in enumerate(top_k.native(top_k.samples(), fold).astype(int)):
        numbers[f"top_k:s{place:02d}"] = float(hits[k - 1])
    return numbers


def _released_regression(fold, levels):
    fold = fold._replace(variance=float(np.var(fold.y)))  # of the labels that are scored
    y, (mean, std), variance = fold
    selective, risk_averse = QUESTIONS["regression"]
    numbers = {name: METRICS["regression"][name](fold) for name in (
        "gaussian_nll", "mean_squared_error", "expected_calibration_error", "maximum_calibration_error")}
    found = METRICS["regression"]["error_detection_auroc"](fold)
    numbers["error_detection_auroc"] = 0.0 if np.isnan(found) else found
    numbers["retention_auc"] = released.retention_auc_regression(y, mean, std)
    prices = variance * _quantiles(_COSTS, levels)
    numbers["pwu_selective"] = -float(np.mean([released.selective_utility(q, y, mean, std) for q in prices]))
    draws = np.random.default_rng(SEED).permuted(
        [(np.arange(levels) + 0.5) / levels] * 2, axis=1)  # independent, each evenly spread
    pairs = np.column_stack([_SHARES.ppf(draws[0]), Beta(2, 6).ppf(draws[1])])
    numbers["pwu_risk_averse"] = -float(np.mean(_released_risk_averse(pairs, fold)))
    for place, (price,) in enumerate(selective.samples()):
        numbers[f"selective:s{place:02d}"] = released.selective_utility(variance * price, y, mean, std)
    for place, value in enumerate(_released_risk_averse(risk_averse.samples(), fold)):
        numbers[f"risk_averse:s{place:02d}"] = value
    return numbers


def _released_risk_averse(pairs, fold):
    ks = _k(pairs[:, 0], fold).astype(int)
    return [released.risk_averse_utility(k, fold.variance * gamma, fold.y, *fold.forecast)
            for k, gamma in zip(ks, pairs[:, 1], strict=True)]
