"""Do a metric and a utility rank alike? Can a metric be aligned at all?

May import its own modules.
Implements sections 3.1 to 3.3 and proposition F.1 of the PWU paper; rank agreement with ties.
"""

from ._order import Comparison
from .agreement import agreement, kendall_tau, somers_d
from .dependence import Counterexample, coordinate_dependence
from .refutation import Refutation, refute

__all__ = ["Comparison", "Counterexample", "Refutation", "agreement", "coordinate_dependence", "kendall_tau",
           "refute", "somers_d"]
