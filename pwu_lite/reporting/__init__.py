"""What a reviewer needs to see: models compared with intervals, a prior's report, a metric's card.

May import its own modules and resampling.
Implements appendices H, I.3 and L of the PWU paper, and UNIQUE's evaluation benchmarks.
"""

from .._resampling import paired_bootstrap
from ._tables import Formulas, Table, formulas, table
from .card import MetricCard, metric_card
from .compare import ModelComparison, compare
from .corp import Decomposition, decompose, recalibrated
from .dominance import Dominance, dominance
from .information import ValueOfInformation, value_of_information
from .priors import PriorReport, prior_report
from .tallies import compare_tallies
from .unique import UniqueBenchmarks, unique_benchmarks
from .watch import Watch

__all__ = ["Decomposition", "Dominance", "Formulas", "MetricCard", "ModelComparison", "PriorReport", "Table",
           "UniqueBenchmarks", "ValueOfInformation", "Watch", "compare", "compare_tallies", "decompose", "dominance",
           "formulas", "metric_card", "paired_bootstrap", "prior_report", "recalibrated", "table", "unique_benchmarks",
           "value_of_information"]
