"""The four kinds of forecast: their decision families, metrics, models and data sets, as objects.

Implements the metrics, priors and plans of appendices J.1, J.3 and K of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from pwu_lite.families import BinaryDecision, OneVsRest, PerOutput, RiskAverseTopK, SelectivePrediction, TopK
from pwu_lite.metrics import classification, multiclass, multivariate, regression
from pwu_lite.priors import Beta, Prior, Uniform
from pwu_lite.pwu import PWU

from .. import released
from . import models, paper_models, population, released_models

__all__ = ["AS_FORECAST", "BINARY", "CODE_PERTURBED", "LOWER", "MULTICLASS", "MULTIVARIATE", "PAPER_TASKS",
           "PERTURBED", "POPULATION", "RECALIBRATED", "REGRESSION", "RELEASED", "TASKS", "Fold", "Plan", "Question",
           "Task"]

AS_FORECAST, RECALIBRATED = "as forecast", "recalibrated"
SEED, SAMPLES = 0, 5  # the sampled decision parameters, five a family as in the paper


class Fold(NamedTuple):
    """Targets and forecast of one test fold, and what is known about y before: its training variance."""

    y: np.ndarray
    forecast: tuple[np.ndarray, ...]
    variance: Any = 1.0  # of the training targets; one number, or one per output


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
        """Probability that a prior gives to each cell of the grid, shape (m,).

        Parameters
        ----------
        priors : sequence of Prior, optional
            One per parameter, in the units of the question; its own if omitted.
        """
        parts = [prior.mass(edges[:-1], edges[1:]) for prior, edges in
                 zip(priors or self.priors, self.edges, strict=True)]
        whole = parts[0]
        for part in parts[1:]:
            whole = np.multiply.outer(whole, part)
        return np.ravel(whole)

    def samples(self, seed: int = SEED) -> np.ndarray:
        """Five parameters drawn from the prior, shape (5, number of priors).

        Parameters
        ----------
        seed : int
            Seed of the random numbers, default 0.
        """
        rng = np.random.default_rng(seed)
        return np.column_stack([prior.rvs(SAMPLES, rng) for prior in self.priors])

    def utilities(self, parameters: np.ndarray, fold: Fold) -> np.ndarray:
        """Utility of the fold's forecast at each row of parameters.

        Parameters
        ----------
        parameters : ndarray, shape (m, number of priors)
            Decision parameters in the units of the question.
        fold : Fold
            Targets and forecast of one test fold.
        """
        return self.family.utility(self.native(parameters, fold), fold.y, *fold.forecast)

    def pwu(self, fold: Fold, priors: tuple[Prior, ...] | None = None) -> float:
        """The PWU, a loss in closed form, under the question's own prior or another one.

        Parameters
        ----------
        fold : Fold
            Targets and forecast of one test fold.
        priors : tuple of Prior, optional
            One per parameter, in the units of the question; its own if omitted.
        """
        return PWU(self.family, *self.scaled(priors or self.priors, fold))(fold.y, *fold.forecast)


class Plan(NamedTuple):
    """How often, and on how many rows at most, a data set is cross-validated."""

    repeats: int
    rows: int | None = None


def _one_target(columns):
    """A target, and the forecast's columns one by one."""
    return columns[:, 0], tuple(columns[:, 1:].T)


def _class_table(columns):
    """A label, and a row of class probabilities."""
    return columns[:, 0], (columns[:, 1:],)


def _outputs(columns):
    """D targets, D means, and a covariance of D^2 numbers."""
    outputs = round((columns.shape[1] + 1) ** 0.5) - 1
    y, mean, cov = np.split(columns, [outputs, 2 * outputs], axis=1)
    return y, (mean, cov.reshape(-1, outputs, outputs))


def _finite(columns):
    if not np.isfinite(columns).all():
        raise ValueError("the prediction is not finite")


def _probabilities(columns):
    _finite(columns)
    if np.min(columns) < 0 or np.max(columns) > 1:
        raise ValueError("a probability lies outside [0, 1]")


def _mean_and_std(columns):
    _finite(columns)
    if len(columns) != 2 or np.min(columns[1]) <= 0:
        raise ValueError("the prediction must be mean and std, and std positive")


def _five_classifiers():
    five = ("logistic regression", "random forest", "boosting", "network", "deep ensemble")
    every = models.classifiers()
    return {name: every[name] for name in five}


@dataclass(frozen=True, eq=False)
class Task:
    """A kind of forecast: what is asked of it, how it is scored, which models and data sets it has.

    Attributes
    ----------
    name : str
        As the command line and the tables call it.
    questions : tuple of Question
        Its decision families.
    metrics, extra, diagnostics : mapping of name to function of a Fold
        The paper's metrics and PWUs; what a reader asks for besides; numbers that rank nobody.
    plan, fresh : mapping of data set to Plan
        What is cross-validated, and what on disjoint subsets.
    suites : tuple of str
        Are the models scored recalibrated, too?
    models, added : callable
        Give the models by name, each a function of a seed; and a few more, to see what the choice matters.
    classifies : bool
        Are folds stratified by class, and forecasts probabilities?
    has_curves : bool
        Is tau stored at each cell of the families' grids?
    brief : bool
        Are single scores left out of the tables, and of other sets of models all but what a lead needs?
    prepare, unpack, check : callable
        Changes a fold before it is scored; reads targets and forecast from the stored columns of a
        cell; raises ValueError for columns that are not a forecast of this kind.
    """

    name: str
    questions: tuple[Question, ...]
    metrics: Mapping[str, Callable[[Fold], float]]
    plan: Mapping[str, Plan]
    models: Callable[[], dict[str, Callable[[int], Any]]]
    added: Callable[[], dict[str, Callable[[int], Any]]] = dict
    extra: Mapping[str, Callable[[Fold], float]] = field(default_factory=dict)
    diagnostics: Mapping[str, Callable[[Fold], float]] = field(default_factory=dict)
    fresh: Mapping[str, Plan] = field(default_factory=dict)
    suites: tuple[str, ...] = (AS_FORECAST,)
    classifies: bool = False
    has_curves: bool = True
    brief: bool = False
    prepare: Callable[[Fold], Fold] = lambda fold: fold
    unpack: Callable[[np.ndarray], tuple[np.ndarray, tuple[np.ndarray, ...]]] = _one_target
    check: Callable[[Sequence[np.ndarray]], None] = _finite

    @property
    def kind(self) -> str:
        """Kind of forecast, which the tasks of the paper's models share with ours: the name's last word."""
        return self.name.rpartition("_")[2]

    def code_samples(self) -> dict[str, np.ndarray]:
        """Five parameters of each family as the released code draws them: one generator, seed 0, prior by prior.

        As in ``03_evaluate_models.py``: c, then k / n; for numbers lambda, k / n, and gamma. For priors that are
        Beta distributions.

        Examples
        --------
        >>> BINARY.code_samples()["binary"].ravel().round(4)
        array([0.1346, 0.0693, 0.1041, 0.0166, 0.0877])
        """
        rng = np.random.default_rng(SEED)
        return {question.name: np.column_stack([rng.beta(prior.a, prior.b, SAMPLES) for prior in question.priors
                                                if isinstance(prior, Beta)]) for question in self.questions}

    def question(self, name: str) -> Question:
        """The decision family of this name.

        Parameters
        ----------
        name : str
            Name of the decision family, such as "top_k".

        Raises
        ------
        ValueError
            The task has no such family.

        Examples
        --------
        >>> BINARY.question("top_k").family
        TopK()
        """
        for question in self.questions:
            if question.name == name:
                return question
        raise ValueError(f"{self.name} has no question {name!r}; there are "
                         f"{', '.join(question.name for question in self.questions)}")


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
_BINARY = (
    Question("binary", BinaryDecision(), (_COSTS,), (_cells(40, 1.5),), lambda c, fold: c[:, 0], _same),
    Question("top_k", TopK(), (_SHARES,), (_cells(40, 2.5),), lambda u, fold: _k(u[:, 0], fold), _same))
_REGRESSION = (
    Question("selective", SelectivePrediction(), (_COSTS,), (_cells(40, 1.5),),
             lambda q, fold: fold.variance * q[:, 0],
             lambda priors, fold: (_stretch(priors[0], fold.variance),)),
    Question("risk_averse", RiskAverseTopK(), (_SHARES, Beta(2, 6)), (_cells(12, 2.5), _cells(6, 1)),
             lambda p, fold: _pairs(_k(p[:, 0], fold), p[:, 1] / np.sqrt(fold.variance)),
             lambda priors, fold: (priors[0], _stretch(priors[1], 1 / np.sqrt(fold.variance)))))
_MULTICLASS = (
    Question("one_vs_rest", OneVsRest(BinaryDecision()), (Uniform(0, 1), _COSTS),
             (np.linspace(0, 1, 211), _cells(12, 1.5)), _classes, lambda priors, fold: priors[1:]),)
_MULTIVARIATE = (
    Question("per_output", PerOutput(SelectivePrediction()), (_COSTS,), (_cells(40, 1.5),),
             lambda q, fold: q[:, 0], _same),)


PERTURBED: dict[str, dict[str, tuple[Prior, ...]]] = {
    "binary": {"slight": (Beta(3, 9),), "strong": (Beta(6, 6),), "extreme": (Beta(10, 2),)},
    "top_k": {"slight": (Beta(1.5, 25.5),), "strong": (Beta(2, 10),), "extreme": (Beta(6, 6),)},
    "selective": {"slight": (Beta(3, 9),), "strong": (Beta(6, 6),), "extreme": (Beta(10, 2),)},
    "risk_averse": {"slight": (Beta(1.5, 25.5), Beta(1.6, 6.4)), "strong": (Beta(2, 10), Beta(3.4, 4.6)),
                    "extreme": (Beta(6, 6), Beta(5.8, 2.2))},
}
"""Wrong priors with the modes of appendix J.3, under which the stored tables hold metrics; those on c, lambda and gamma
keep their a + b. The paper prints modes only; the shapes of its code are `CODE_PERTURBED`."""

_FROM_C: dict[str, tuple[Prior, ...]] = {"slight": (Beta(3, 9),), "strong": (Beta(10, 10),), "extreme": (Beta(10, 2),)}
CODE_PERTURBED: dict[str, dict[str, tuple[Prior, ...]]] = {
    "binary": _FROM_C, "selective": _FROM_C,
    "top_k": {"slight": (Beta(1.5, 25.5),), "strong": (Beta(2, 10),), "extreme": (Beta(10, 10),)},
    "risk_averse": {"slight": (Beta(1.5, 25.5), Beta(2, 10)), "strong": (Beta(2, 10), Beta(5, 7)),
                    "extreme": (Beta(10, 10), Beta(9, 3))},
}
"""The wrong priors of appendix J.3 as the released code has them."""


def _stretch(prior, factor):
    return Beta(prior.a, prior.b, scale=prior.scale * float(factor))


def _of(function, **options):
    return lambda fold: function(fold.y, *fold.forecast, **options)




def _right(questions):
    """The PWUs of the questions, under their own priors."""
    return {f"pwu_{question.name}": question.pwu for question in questions}


def _perturbed(questions):
    """The PWUs that would have been right under the wrong priors."""
    return {f"pwu_{question.name}_{level}": lambda fold, question=question, priors=priors: question.pwu(fold, priors)
            for question in questions for level, priors in PERTURBED[question.name].items()}


def _ranked(function, fold):
    """A ranking metric of scikit-learn; NaN where the fold has one class only."""
    return float(function(fold.y, fold.forecast[0])) if np.ptp(fold.y) else float("nan")


def _clipped_log_loss(fold):
    chance = np.take_along_axis(fold.forecast[0], fold.y.astype(int)[:, None], axis=1)
    return float(-np.log(np.clip(chance, np.finfo(float).eps, 1)).mean())


def _in_training_units(fold):
    """Several outputs divided by the standard deviations of their training targets."""
    unit = np.sqrt(fold.variance)
    mean, cov = fold.forecast
    return Fold(fold.y / unit, (mean / unit, cov / np.outer(unit, unit)), fold.variance)


def _in_own_units(metric):
    """The metric of the targets as they stood in the file, which the released code computes."""
    def of(fold):
        unit = np.sqrt(fold.variance)
        mean, cov = fold.forecast
        return metric(fold.y * unit, mean * unit, cov * np.outer(unit, unit))
    return of


def _squared_z(fold):
    """One, where standard deviations are right on average."""
    return float(np.mean(((fold.y - fold.forecast[0]) / fold.forecast[1]) ** 2))


_MIDDLE = Uniform(float(_COSTS.ppf(0.05)), float(_COSTS.ppf(0.95)))

BINARY = Task(
    "binary", _BINARY,
    metrics={
        "log_loss": _of(classification.log_loss), "brier_score": _of(classification.brier_score),
        "zero_one_loss": _of(classification.zero_one_loss),
        "expected_calibration_error": _of(classification.expected_calibration_error),
        "maximum_calibration_error": _of(classification.maximum_calibration_error),
        "retention_auc": _of(classification.retention_auc),
        "error_detection_auroc": _of(classification.error_detection_auroc), **_right(_BINARY)},
    extra={
        "log_loss_clipped": _of(released.log_loss), "clipped_brier": lambda fold: PWU(BinaryDecision(), _MIDDLE)(
            fold.y, *fold.forecast),
        "auroc": lambda fold: _ranked(roc_auc_score, fold), "average_precision": lambda fold: _ranked(
            average_precision_score, fold), **_perturbed(_BINARY)},
    plan={"bank": Plan(2), "heart": Plan(20), "ionosphere": Plan(20), "mushroom": Plan(5), "sonar": Plan(20)},
    fresh={"bank": Plan(11, 4000), "mushroom": Plan(8, 1000)},
    models=models.classifiers, added=models.more_classifiers, suites=(AS_FORECAST, RECALIBRATED), classifies=True,
    check=_probabilities)
"""Probabilities of two classes: metrics in the paper's order, then its PWUs; `extra` is what a reader asks for."""

REGRESSION = Task(
    "regression", _REGRESSION,
    metrics={
        "gaussian_nll": _of(regression.gaussian_nll), "mean_squared_error": _of(regression.mean_squared_error),
        "expected_calibration_error": _of(regression.expected_calibration_error),
        "maximum_calibration_error": _of(regression.maximum_calibration_error),
        "retention_auc": _of(regression.retention_auc),
        "error_detection_auroc": _of(regression.error_detection_auroc), **_right(_REGRESSION)},
    extra={
        "crps_gaussian": _of(regression.crps_gaussian), "interval_score": _of(regression.interval_score, coverage=0.9),
        "mean_absolute_calibration_error": _of(regression.mean_absolute_calibration_error),
        **_perturbed(_REGRESSION)},
    plan={"air_quality": Plan(5), "auto_mpg": Plan(20), "energy": Plan(20), "power_plant": Plan(5),
          "wine_quality": Plan(5)},
    fresh={"air_quality": Plan(7, 1000), "power_plant": Plan(9, 1000), "wine_quality": Plan(6, 1000)},
    models=models.regressors, added=models.more_regressors, suites=(AS_FORECAST, RECALIBRATED), check=_mean_and_std,
    diagnostics={"squared_z": _squared_z})
"""A mean and a standard deviation."""

MULTICLASS = Task(
    "multiclass", _MULTICLASS,
    metrics={
        "log_loss": _of(multiclass.log_loss), "brier_score": _of(multiclass.brier_score),
        "zero_one_loss": _of(multiclass.zero_one_loss),
        "expected_calibration_error": _of(multiclass.expected_calibration_error), **_right(_MULTICLASS)},
    extra={"log_loss_clipped": _clipped_log_loss},
    plan={"dry_bean": Plan(5, 2000), "iris": Plan(5), "pen_digits": Plan(5, 2000), "wine": Plan(5)},
    models=_five_classifiers, classifies=True, has_curves=False, unpack=_class_table, check=_probabilities)
"""Probabilities of several classes; its grid is over classes, too, so that it has no curves."""

MULTIVARIATE = Task(
    "multivariate", _MULTIVARIATE,
    metrics={
        "gaussian_nll": _of(multivariate.gaussian_nll), "mean_squared_error": _of(multivariate.mean_squared_error),
        "energy_score": _of(multivariate.energy_score), **_right(_MULTIVARIATE)},
    plan={"air_quality_many": Plan(5, 1500), "energy_many": Plan(5), "solar_flare": Plan(5),
          "parkinsons": Plan(5, 1500)},
    models=models.multivariate_regressors, prepare=_in_training_units, unpack=_outputs)
"""A mean vector and a covariance."""

TASKS = {task.name: task for task in (BINARY, REGRESSION, MULTICLASS, MULTIVARIATE)}

_PAPER_BINARY = replace(
    BINARY, name="paper_binary", models=paper_models.classifiers, added=dict,
    plan={"bank": Plan(2, 2000), "heart": Plan(20), "ionosphere": Plan(20), "mushroom": Plan(2, 1000),
          "sonar": Plan(20)},
    fresh={"bank": Plan(8, 2000), "mushroom": Plan(8, 1000)})
_PAPER_REGRESSION = replace(
    REGRESSION, name="paper_regression", models=paper_models.regressors, added=dict,
    plan={"air_quality": Plan(2), "auto_mpg": Plan(20), "energy": Plan(20), "power_plant": Plan(2),
          "wine_quality": Plan(2, 2000)},
    fresh={"air_quality": Plan(7, 1000), "power_plant": Plan(9, 1000), "wine_quality": Plan(6, 1000)})


def _all_classifiers():
    return {**models.classifiers(), **paper_models.classifiers()}


def _all_regressors():
    return {**models.regressors(), **paper_models.regressors()}


PAPER_TASKS = {task.name: task for task in (
    _PAPER_BINARY, _PAPER_REGRESSION,
    replace(_PAPER_BINARY, name="both_binary", models=_all_classifiers, fresh={}, plan={
        name: Plan(5) for name in ("heart", "ionosphere", "sonar")}),
    replace(_PAPER_REGRESSION, name="both_regression", models=_all_regressors, fresh={}, plan={
        name: Plan(5) for name in ("auto_mpg", "energy")}))}
"""The same questions and metrics, asked of the paper's own models, and of those and ours together."""


def _their_four():
    """The paper's classifiers of several classes but TabPFN, with the settings and the seeds of its released code."""
    made = released_models.classifiers()
    four = ("logistic regression", "random forest", "gradient boosting", "MLP")
    return {name: released_models.numbered(made[name]) for name in four}


def _with_their_seeds(makers, without=()):
    """The paper's models, all or without some, with the settings and the seeds of its released code."""
    return {name: released_models.numbered(make) for name, make in makers().items() if name not in without}


_SEVEN = {"without": ("FT-Transformer", "SAINT")}  # the two transformers take a day on the large sets


def _their_five():
    """The paper's regressors of several outputs, with the settings and the seeds of its released code."""
    return {name: released_models.numbered(make) for name, make in released_models.multivariate_regressors().items()}


_RELEASED_MULTIVARIATE = replace(
    MULTIVARIATE, name="released_multivariate", has_curves=False, brief=True, extra={
        "mse_own_units": _in_own_units(multivariate.mean_squared_error),
        "energy_own_units": _in_own_units(multivariate.energy_score)}, plan={
            "air_quality_released": Plan(5), "energy_many": Plan(5), "solar_flare_released": Plan(5),
            "parkinsons_released": Plan(5)})
RELEASED = {task.name: task for task in (
    replace(_PAPER_BINARY, name="released_binary", models=released_models.classifiers, fresh={}, plan={
        name: Plan(20) for name in ("heart", "ionosphere", "sonar")}),
    replace(_PAPER_REGRESSION, name="released_regression", models=released_models.regressors, fresh={}, plan={
        "auto_mpg": Plan(20), "energy": Plan(20), "wine_quality": Plan(1)}),
    replace(_PAPER_BINARY, name="authors_binary", fresh={}, brief=True, has_curves=False,
            models=partial(_with_their_seeds, released_models.classifiers, **_SEVEN),
            plan={"bank": Plan(1), "mushroom": Plan(1)}),
    replace(_PAPER_REGRESSION, name="authors_regression", fresh={}, brief=True, has_curves=False,
            models=partial(_with_their_seeds, released_models.regressors, **_SEVEN),
            plan={"air_quality": Plan(1), "power_plant": Plan(1)}),
    replace(_PAPER_REGRESSION, name="nine_regression", fresh={}, brief=True, has_curves=False,
            models=partial(_with_their_seeds, released_models.regressors), plan={"power_plant": Plan(1)}),
    replace(MULTICLASS, name="released_multiclass", brief=True, plan={"dry_bean": Plan(5), "pen_digits": Plan(5)}),
    replace(MULTICLASS, name="authors_multiclass", models=_their_four, brief=True, plan={
        "dry_bean": Plan(1), "iris": Plan(5), "pen_digits": Plan(1), "wine": Plan(5)}),
    _RELEASED_MULTIVARIATE,
    replace(_RELEASED_MULTIVARIATE, name="authors_multivariate", models=_their_five, plan={
        "air_quality_released": Plan(1), "energy_many": Plan(5), "solar_flare_released": Plan(5),
        "parkinsons_released": Plan(1)}))}
"""The same, asked of the paper's own models with the settings of its released code, on the small data sets and, for
numbers, on all wines. Of several classes and outputs: of our models, with all rows and, for outputs, with the released
targets and features; *authors* are the paper's own models of these, four of five for classes, on four of its five data
sets each; and, of two classes and of numbers, all but the transformers, on all rows of the large sets."""


def _population(task, makers):
    wrong = _perturbed(task.questions)
    return replace(task, name=f"population_{task.name}", models=makers, added=dict, fresh={}, brief=True,
                   extra={name: metric for name, metric in task.extra.items() if name not in wrong},
                   plan=dict.fromkeys(task.plan, Plan(5, population.ROWS)))


POPULATION = {task.name: task for task in (
    _population(BINARY, population.classifiers), _population(REGRESSION, population.regressors))}
"""The same questions and metrics, asked of a stated population of fifty small models; see `population`."""

LOWER = {"log_loss_clipped": True, "clipped_brier": True, "auroc": False, "average_precision": False, "random": True,
         "mse_own_units": True, "energy_own_units": True}
"""Directions of metrics that the registry does not know: is lower better?"""
