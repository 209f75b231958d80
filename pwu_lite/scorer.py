"""A prior-weighted utility as a scorer of scikit-learn.

Implements no source: it keeps the sign, the response method and the labels right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import validation
from ._ranks import midranks
from .priors import Dirac

__all__ = ["Scorer"]

YES = {"1", "true", "yes", "y", "event", "positive"}  # those of reporting/rules.json; a test compares


class Scorer:
    """``scorer(estimator, X, y)``: minus the loss, so that higher is better; see `pwu_lite.PWU.scorer`.

    Parameters
    ----------
    score : PWU
    pos_label : any label, optional
        Which of the two labels counts as 1. It may be left out where that is clear: for 0 and 1, False and True,
        -1 and 1, and where one label alone is a word for yes (yes, true, y, event, positive).
    """

    def __init__(self, score: Any, pos_label: Any = None):
        if any(prior.length is not None for prior in score.priors):
            raise ValueError("a prior for each case does not follow the cases into the folds of a cross-validation: "
                             "make the scorer from a score with one prior, and pass each case's cost share as metadata "
                             "(set_score_request(cost_share=True))")
        self.score, self.pos_label = score, pos_label
        self._requested: dict[str, Any] = {"sample_weight": None}
        if [parameter.domain for parameter in score.family.stated if not parameter.counts] == [(0.0, 1.0)]:
            self._requested["cost_share"] = None
        takes, joint = score.family.takes, not score.family.separable
        if score.family.multiclass and pos_label is not None:
            raise ValueError(f"pos_label is for one event; {type(score.family).__name__} takes all classes, in the "
                             f"order of the estimator's classes_ (or by name, if the costs are a DataFrame)")
        if score.family.multiclass:
            self._respond = self._classes
        elif takes == ("y_prob",):
            self._respond = self._ranking if joint else self._binary
        elif takes == ("mean", "std"):
            self._respond = self._gaussian
        else:
            raise ValueError(f"{type(score.family).__name__} takes {', '.join(takes)}, which no scikit-learn "
                             f"estimator predicts; write scorer(estimator, X, y) yourself")

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None, cost_share: Any = None) -> float:
        truth, prediction = self._respond(estimator, X, y_true)
        return -self._cost(truth, prediction, sample_weight, cost_share)

    def _cost(self, truth, prediction, sample_weight, cost_share):
        """Cost per case; under each case's own cost share, where there is one, instead of the prior."""
        score = self.score
        if cost_share is not None:
            if "cost_share" not in self._requested:
                raise ValueError(f"{score!r} has no cost share in (0, 1) that could differ from case to case")
            score = type(score)(score.family, Dirac(validation.vector("cost_share", cost_share)))
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(score(truth, *prediction, **options))

    def __repr__(self) -> str:
        label = "" if self.pos_label is None else f"pos_label={self.pos_label!r}"
        return f"{self.score!r}.scorer({label})"

    def set_score_request(self, *, sample_weight: Any = None, cost_share: Any = None) -> Scorer:
        """Ask scikit-learn's metadata routing for columns that follow the cases into the folds.

        Parameters
        ----------
        sample_weight : bool, str or None
            Weights; for amounts of money the cost is then per unit of money. As in scikit-learn's
            `set_score_request`: True, or the name under which the column is passed.
        cost_share : bool, str or None
            Each case's own cost share of a false alarm, in (0, 1), which takes the place of the prior.

        Raises
        ------
        ValueError
            The decision has no cost share.
        """
        if cost_share is not None and "cost_share" not in self._requested:
            raise ValueError(f"{self.score!r} has no cost share in (0, 1) that could differ from case to case")
        for name, asked in (("sample_weight", sample_weight), ("cost_share", cost_share)):
            if name in self._requested and asked is not None:
                self._requested[name] = asked
        return self

    # TunedThresholdClassifierCV asks for these three; it tunes one threshold for all cases.
    _sign = -1

    @property
    def _kwargs(self) -> dict[str, Any]:
        return {} if self.pos_label is None else {"pos_label": self.pos_label}

    @property
    def _score_func(self) -> Any:
        if self._respond != self._binary:
            raise ValueError(f"{self!r} has no threshold to tune: {type(self.score.family).__name__} does not act "
                             f"above one")
        return self._of_acts

    def _of_acts(self, y_true, y_pred, *, pos_label=None, sample_weight=None, cost_share=None):
        """Cost per case of acts that are given as labels."""
        kinds = np.unique(np.concatenate([np.asarray(y_true), np.asarray(y_pred)]))
        label = _event(kinds) if pos_label is None else pos_label
        truth, acts = (np.asarray(labels) == label for labels in (y_true, y_pred))
        return self._cost(truth, (acts.astype(float),), sample_weight, cost_share)

    def _accept_sample_weight(self) -> bool:  # scikit-learn asks the scorers that it puts together
        return True

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing asks."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name, alias in self._requested.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def _two_classes(self, estimator, y_true):
        """Labels as 0 and 1, and the place of the one that counts as 1."""
        classes = _classes_of(estimator)
        if len(classes) != 2:
            raise ValueError(f"{self.score!r} is for two classes, the estimator knows {len(classes)}: "
                             f"{classes.tolist()}")
        label = _event(classes) if self.pos_label is None else self.pos_label
        places = np.flatnonzero(classes == label)
        if not places.size:
            raise ValueError(f"pos_label is {label!r}, which is none of the classes {classes.tolist()}")
        labels = _known(y_true, classes)
        return (labels == places[0]).astype(int), int(places[0])

    def _binary(self, estimator, X, y_true):
        truth, column = self._two_classes(estimator, y_true)
        return truth, (np.asarray(_ask(estimator, "predict_proba", X))[:, column],)

    def _ranking(self, estimator, X, y_true):
        """Probabilities, or ranks of a decision function: only the order counts."""
        truth, column = self._two_classes(estimator, y_true)
        if hasattr(estimator, "predict_proba"):
            return truth, (np.asarray(estimator.predict_proba(X))[:, column],)
        values = validation.vector("decision_function", _ask(estimator, "decision_function", X))
        return truth, (midranks(values if column else -values) / (len(values) + 1),)

    def _classes(self, estimator, X, y_true):
        classes, chance = _classes_of(estimator), np.asarray(_ask(estimator, "predict_proba", X))
        labels, names = _known(y_true, classes), self.score.family.classes
        if names is None:
            return labels, (chance,)
        if sorted(map(str, classes)) != sorted(names):
            raise ValueError(f"the estimator knows the classes {classes.tolist()}, the costs are for {list(names)}")
        place = np.array([names.index(str(label)) for label in classes])
        return place[labels], (chance[:, np.argsort(place)],)

    def _gaussian(self, estimator, X, y_true):
        words = "a regressor whose predict takes return_std=True and returns mean and standard deviation"
        try:
            answer = estimator.predict(X, return_std=True)
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"{self.score!r} needs {words}; {type(estimator).__name__}: {error}") from error
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise ValueError(f"{self.score!r} needs {words}; {type(estimator).__name__} returns something else")
        return y_true, answer


def _event(classes):
    """The label that counts as 1, where that is clear."""
    kinds = classes.tolist()
    if kinds in ([0, 1], [-1, 1]):
        return kinds[1]
    said_yes = [label for label in kinds if str(label).strip().lower() in YES]
    if len(said_yes) == 1 and all(isinstance(label, str) for label in kinds):
        return said_yes[0]
    raise ValueError(f"which of the labels {kinds} is the event? Say it: score.scorer(pos_label={kinds[1]!r}), or "
                     f"pos_label={kinds[0]!r}")


def _ask(estimator, method, X):
    if not hasattr(estimator, method):
        raise ValueError(f"{type(estimator).__name__} has no {method}")
    return getattr(estimator, method)(X)


def _classes_of(estimator):
    if not hasattr(estimator, "classes_"):
        raise ValueError(f"{type(estimator).__name__} is not a fitted classifier (no classes_ attribute)")
    return np.asarray(estimator.classes_)


def _known(y_true, classes):
    """Each label's place among the classes."""
    labels = np.asarray(y_true)
    labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    equal = labels[:, None] == classes[None, :]
    unknown = np.flatnonzero(~equal.any(axis=1))
    if unknown.size:
        raise ValueError(f"y_true[{unknown[0]}] is {labels[unknown[0]]!r}, which is none of the classes that the "
                         f"estimator knows: {classes.tolist()}")
    return np.argmax(equal, axis=1)
