"""Sets of priors: what can be said about models when a sentence about costs is all there is.

May import its own modules.
Implements no section of the sources: the bridge between them, chapter "When the prior itself is a set".
"""

from .curve import Curve, Peak, cost_curve
from .decide import (
    DominanceTest,
    Interval,
    Order,
    Preference,
    Radius,
    dominance_test,
    interval,
    order,
    preference,
    radius,
)
from .judge import judge
from .missing import MissingLabels, missing_labels
from .restricted import Restricted
from .sets import AnyPrior, BoundedRatio, Contamination, Mean, PriorSet, Quantiles, Statements, Upper

__all__ = ["AnyPrior", "BoundedRatio", "Contamination", "Curve", "DominanceTest", "Interval", "Mean", "MissingLabels",
           "Order", "Peak", "Preference", "PriorSet", "Quantiles", "Radius", "Restricted", "Statements",
           "Upper", "cost_curve", "dominance_test", "interval", "judge", "missing_labels", "order", "preference",
           "radius"]
