"""What a reviewer needs to see: models compared with intervals, what a score is made of, a metric's card.

May import its own modules and resampling.
Implements appendices H, I.3 and L of the PWU paper.
"""

from .._resampling import paired_bootstrap
from .card import MetricCard, metric_card
from .compare import ModelComparison, compare
from .corp import Decomposition, decompose, recalibrated

__all__ = ["Decomposition", "MetricCard", "ModelComparison", "compare", "decompose",
           "metric_card", "paired_bootstrap", "recalibrated"]
