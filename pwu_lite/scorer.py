"""A prior-weighted utility as a scorer of scikit-learn: its `make_scorer`, with labels read as the score needs them.

Implements no source.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import validation
from ._ranks import midranks
from .priors import Dirac

__all__ = ["make"]


def make(score: Any, pos_label: Any = None) -> Callable[..., float]:
    """``scorer(estimator, X, y)``, minus the loss: see `pwu_lite.PWU.scorer`.

    Parameters
    ----------
    score : PWU
    pos_label : any label, optional
        Which of two labels counts as 1. It may be left out for 0 and 1, False and True, -1 and 1.
    """
    family = score.family
    if any(prior.length is not None for prior in score.priors):
        raise ValueError("cross-validation cannot split a prior for each case along with the cases: "
                         "make the scorer from a score with one prior, and pass each case's cost share as metadata "
                         "(set_score_request(cost_share=True))")
    if family.multiclass and pos_label is not None:
        raise ValueError(f"pos_label is for one event; {type(family).__name__} takes all classes, in the order of "
                         f"the estimator's classes_ (or by name, if the costs are a DataFrame)")
    if family.multiclass or family.takes == ("mean", "std"):
        return _OfEstimator(score)
    if family.takes != ("y_prob",):
        raise ValueError(f"{type(family).__name__} takes {', '.join(family.takes)}, which no scikit-learn estimator "
                         f"predicts; write scorer(estimator, X, y) yourself")
    from sklearn.metrics import make_scorer

    method = "predict_proba" if family.separable else ("predict_proba", "decision_function")
    label = {} if pos_label is None else {"pos_label": pos_label}
    return make_scorer(_Cost(score), greater_is_better=False, response_method=method, **label)


@dataclass(frozen=True)
class _Cost:
    """Cost of probabilities, or of acts: scikit-learn passes labels while it tunes a threshold."""

    score: Any

    @property
    def __name__(self) -> str:
        return self.score.__name__

    def __call__(self, y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None,
                 cost_share: Any = None) -> float:
        validation.same_order(y_true=y_true, sample_weight=sample_weight, cost_share=cost_share)
        score, labels, forecast = self.score, _labels(y_true), np.asarray(y_pred)
        kinds = _kinds(labels)
        event = _event(kinds) if pos_label is None else pos_label
        if len(kinds) > 2 or (len(kinds) == 2 and event not in kinds):
            raise ValueError(f"y_true must have two labels, one of them the event {event!r}; got {kinds[:5]}")
        if forecast.dtype.kind != "f":
            if not score.family.separable:
                raise ValueError(f"{type(score.family).__name__} does not act above a threshold: there is none to tune")
            forecast = (forecast == event).astype(float)
        elif labels.dtype.kind == "f" and event != 1:
            raise ValueError("labels that are floats could be taken for probabilities: pass whole numbers or words")
        if not score.family.separable:  # only the order counts, and a decision function has any unit
            forecast = midranks(forecast) / (len(forecast) + 1)
        if cost_share is not None:
            if [one.domain for one in score.family.stated if not one.counts] != [(0.0, 1.0)]:
                raise ValueError(f"{score!r} has no cost share in (0, 1) that could differ from case to case")
            score = type(score)(score.family, Dirac(validation.vector("cost_share", cost_share)))
        return float(score(labels == event, forecast, sample_weight=sample_weight))


def _labels(y_true: Any) -> np.ndarray:
    """Labels as an array, one for each case; one that is missing or masked is refused."""
    labels = validation.as_labels("y_true", y_true)
    return labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels


def _kinds(labels: np.ndarray) -> list[Any]:
    """The different labels, as Python has them; pandas brings text, and whatever else, as objects."""
    if labels.dtype.kind != "O":
        return np.unique(labels).tolist()
    return sorted(dict.fromkeys(labels.tolist()), key=lambda label: (isinstance(label, str), str(label)))


def _event(kinds: list[Any]) -> Any:
    """The label that counts as 1, where that is clear."""
    if kinds in ([0, 1], [-1, 1], [0], [-1]) or (len(kinds) == 1 and kinds[0] is True):
        return 1  # a fold may have one label only; but ones alone may stand beside twos
    raise ValueError(f"which of the labels {kinds} is the event? Say which: score.scorer(pos_label={kinds[-1]!r})")


@dataclass(frozen=True)
class _OfEstimator:
    """Minus the loss where the estimator itself is asked: for its classes, or for a standard deviation."""

    score: Any

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        validation.same_order(y_true=y_true, sample_weight=sample_weight)
        ask = _classes if self.score.family.multiclass else _gaussian
        truth, prediction = ask(self.score, estimator, X, y_true)
        return -float(self.score(truth, *prediction, sample_weight=sample_weight))


def _classes(score: Any, estimator: Any, X: np.ndarray, y_true: np.ndarray) -> tuple[Any, ...]:
    """Labels as places among the estimator's classes, and its probabilities; by name, if the costs have names."""
    classes, chance = np.asarray(estimator.classes_), np.asarray(estimator.predict_proba(X))
    labels, names = _labels(y_true), score.family.classes
    equal = labels[:, None] == classes[None, :]
    unknown = np.flatnonzero(~equal.any(axis=1))
    if unknown.size:
        raise ValueError(f"y_true[{unknown[0]}] is {labels[unknown[0]]!r}, which is none of the classes that the "
                         f"estimator knows: {classes.tolist()}")
    if names is None:
        return np.argmax(equal, axis=1), (chance,)
    if sorted(map(str, classes)) != sorted(names):
        raise ValueError(f"the estimator knows the classes {classes.tolist()}, the costs are for {list(names)}")
    place = np.array([names.index(str(label)) for label in classes])
    return place[np.argmax(equal, axis=1)], (chance[:, np.argsort(place)],)


def _gaussian(score: Any, estimator: Any, X: np.ndarray, y_true: np.ndarray) -> tuple[Any, ...]:
    words = "a regressor whose predict takes return_std=True and returns mean and standard deviation"
    try:
        mean, std = estimator.predict(X, return_std=True)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{score!r} needs {words}; {type(estimator).__name__}: {error}") from error
    return y_true, (mean, std)
