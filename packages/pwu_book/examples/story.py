"""The clinic's story as numbers: two models, a fee, and what two people say that a missed patient costs.

Each *Back at the clinic* takes its numbers from here, and asserts the sentence that it prints. Bills are appointments
per patient. A cost L at the cost share c is in units of a miss and an alarm together, and ``L / c`` appointments: so a
bill is ``E[L(c) / c]``, and not a fixed number of times the mean of L.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from pwu_lite import elicitation
from pwu_lite.families import BinaryDecision
from pwu_lite.metrics.classification import log_loss
from pwu_lite.priors import Beta
from pwu_lite.pwu import PWU

from . import screening

__all__ = ["FEE", "OFFERED", "OWNED", "RATIOS", "Bill", "appointments", "bill", "by_split", "log_losses", "losses",
           "margin_above", "repaired", "score"]

OWNED, OFFERED = "naive_bayes", "logistic"  # what came with the software, and what the vendor sells
FEE = 0.1  # of the vendor, in appointments per patient
RATIOS = {"Amara": (10, 30), "Rui": (3, 10), "both": (3, 30)}  # how many appointments a missed patient is worth
SPLITS, FOLDS = 10, 5  # of the recalibration
EDGE = 1e-6  # forecasts of 0 and 1 have no odds


class Bill(NamedTuple):
    """What the clinic's own model costs more than the vendor's.

    Attributes
    ----------
    more : float
        Appointments per patient.
    low, high : float
        Its 95% interval, over which patients are in the file; the split, the curves and the models stay.
    share : float
        The same in per cent of what the vendor's model costs, under the prior itself.
    """

    more: float
    low: float
    high: float
    share: float

    @property
    def seen(self) -> bool:
        """Do these patients show that the clinic's own model is costlier?"""
        return self.low > 0


def score(who: str) -> PWU:
    """The score under somebody's sentence, "a miss costs LOW to HIGH appointments", nine times out of ten."""
    low, high = RATIOS[who]
    return PWU(BinaryDecision(), elicitation.beta_from_quantiles(1 / (1 + high), 1 / (1 + low)))


def appointments(who: str) -> tuple[PWU, float]:
    """A score, and a factor that makes appointments of it.

    Under a Beta(a, b) prior ``E[L(c) / c]`` is ``E[1 / c] = (a + b - 1) / (a - 1)`` times the mean of L under
    Beta(a - 1, b).

    Examples
    --------
    >>> _, factor = appointments("both")
    >>> round(factor, 1)
    12.5
    """
    prior: Any = score(who).priors[0]
    a, b = prior.a, prior.b
    return PWU(BinaryDecision(), Beta(a - 1, b)), (a + b - 1) / (a - 1)


@lru_cache
def repaired(name: str, isotonic: bool = False) -> np.ndarray:
    """A model's forecasts after a curve that was fitted to other patients; shape (splits, n).

    The curve is logistic in their log odds, or any that does not fall.
    """
    clinic = screening.clinic()
    y, f = clinic["ill"].to_numpy(), np.clip(clinic[name].to_numpy(), EDGE, 1 - EDGE)
    odds, again = np.log(f / (1 - f))[:, None], np.empty((SPLITS, len(f)))
    for split in range(SPLITS):
        for fit, use in StratifiedKFold(FOLDS, shuffle=True, random_state=split).split(odds, y):
            if isotonic:
                step = IsotonicRegression(out_of_bounds="clip").fit(f[fit], y[fit])
                again[split, use] = np.clip(step.predict(f[use]), 0.0, 1.0)
            else:
                curve = LogisticRegression(C=1e6).fit(odds[fit], y[fit])
                again[split, use] = curve.predict_proba(odds[use])[:, 1]
    return again


def losses(chosen: PWU, name: str, after: bool = False) -> np.ndarray:
    """Each patient's cost of a model as it is, or recalibrated, averaged over the splits; shape (n,)."""
    clinic = screening.clinic()
    given = repaired(name) if after else clinic[[name]].to_numpy().T
    return np.mean([chosen.per_sample(clinic["ill"], f) for f in given], axis=0)


def bill(who: str, after: bool = False) -> Bill:
    """What naive Bayes costs more than logistic regression for somebody: as they are, or both recalibrated.

    Examples
    --------
    >>> before, after = bill("Amara"), bill("Amara", after=True)
    >>> round(before.more, 3), before.seen, round(after.more, 3), after.seen
    (0.275, True, 0.06, False)
    """
    chosen, factor = appointments(who)
    gap = factor * (losses(chosen, OWNED, after) - losses(chosen, OFFERED, after))
    error = 1.96 * float(gap.std(ddof=1)) / len(gap) ** 0.5
    own, offered = (losses(score(who), name, after).mean() for name in (OWNED, OFFERED))
    return Bill(float(gap.mean()), float(gap.mean()) - error, float(gap.mean()) + error, float(own / offered - 1))


def by_split(who: str, isotonic: bool = False) -> np.ndarray:
    """The recalibrated bill in each random division of the patients, shape (splits,)."""
    chosen, factor = appointments(who)
    y = screening.clinic()["ill"]
    return np.array([factor * (chosen(y, own) - chosen(y, offered)) for own, offered in zip(
        repaired(OWNED, isotonic), repaired(OFFERED, isotonic), strict=True)])


def log_losses() -> dict[str, float]:
    """The log losses on the vendor's sheet."""
    clinic = screening.clinic()
    return {name: log_loss(clinic["ill"], clinic[name]) for name in (OWNED, OFFERED)}


def margin_above(c: float) -> float:
    """The share of the difference of the two log losses that comes from readers with a cost share above c.

    The log loss is the cost over all readers, each c with the weight ``1 / (c (1 - c))``: above c a case pays
    ``-log(max(f, c))`` if it is ill, else ``log((1 - c) / (1 - max(f, c)))``.

    Examples
    --------
    >>> round(margin_above(0.0), 6), round(margin_above(1 / 4), 2)
    (1.0, 0.76)
    """
    clinic = screening.clinic()
    y = clinic["ill"].to_numpy()

    def part(name: str) -> float:
        f = np.maximum(clinic[name].to_numpy(), c)
        return float(np.log(np.where(y == 1, 1 / np.maximum(f, EDGE), (1 - c) / (1 - f))).mean())

    told = log_losses()
    return (part(OWNED) - part(OFFERED)) / (told[OWNED] - told[OFFERED])
