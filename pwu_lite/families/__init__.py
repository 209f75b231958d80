"""Decision families: what a decision costs, and which act a forecast triggers.

May import its own modules.
Implements sections 3.2, 3.3 and 4 and appendix G of the PWU paper.
"""

from .acts import CostMatrix, RejectOption
from .answers import Answers
from .base import Family, JointFamily, Parameter, SeparableFamily
from .cases import BinaryDecision, SelectivePrediction
from .composed import OneVsRest, PerOutput
from .orders import Exceedance, Newsvendor
from .ranked import Retention, RiskAverseTopK, TopK, mass_of_k
from .ranked import place_worth as place_worth

__all__ = ["Answers", "BinaryDecision", "CostMatrix", "Exceedance", "Family", "JointFamily", "Newsvendor",
           "OneVsRest", "Parameter", "PerOutput", "RejectOption", "Retention", "RiskAverseTopK", "SelectivePrediction",
           "SeparableFamily", "TopK", "mass_of_k"]
