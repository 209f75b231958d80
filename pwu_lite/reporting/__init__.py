"""What a reviewer needs to see: models compared with intervals, a prior's report, a metric's card.

May import its own modules and resampling.
Implements appendices H, I.3 and L of the PWU paper.
"""

from .._resampling import paired_bootstrap
from .card import MetricCard, metric_card
from .compare import ModelComparison, compare
from .corp import Decomposition, decompose, recalibrated
from .information import ValueOfInformation, value_of_information
from .priors import PriorReport, prior_report

__all__ = ["Decomposition", "MetricCard", "ModelComparison", "PriorReport", "ValueOfInformation", "compare",
           "decompose", "metric_card", "paired_bootstrap", "prior_report", "recalibrated", "value_of_information"]
