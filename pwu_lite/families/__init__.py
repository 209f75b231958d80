"""Decision families: what a decision costs, and which act a forecast triggers.

May import its own modules.
Implements sections 3.2, 3.3 and 4 and appendix G of the PWU paper.
"""

from .base import Axis, Family, JointFamily, Parameter, SeparableFamily
from .cases import BinaryDecision, SelectivePrediction
from .composed import OneVsRest, PerOutput
from .ranked import Retention, RiskAverseTopK, TopK, mass_of_k
from .ranked import place_worth as place_worth

__all__ = ["Axis", "BinaryDecision", "Family", "JointFamily", "OneVsRest", "Parameter", "PerOutput", "Retention",
           "RiskAverseTopK", "SelectivePrediction", "SeparableFamily", "TopK", "mass_of_k"]
