"""pwu_lite: decision-aligned evaluation of uncertainty, exactly.

May import every module below `plots` in the design's list; needs numpy, scipy and pandas alone.
Implements sections 3 and 4 of the PWU paper (arXiv 2606.26990).
"""

from . import alignment, metrics
from .families import BinaryDecision, OneVsRest, PerOutput, Retention, RiskAverseTopK, SelectivePrediction, TopK
from .priors import Beta, Dirac, Gamma, LogNormal, Mixture, Pareto, Prior, TruncatedBeta, Uniform, as_prior
from .pwu import PWU

__version__ = "0.1.0"

__all__ = [
    "Beta", "BinaryDecision", "Dirac", "Gamma", "LogNormal", "Mixture", "OneVsRest", "PWU", "Pareto", "PerOutput",
    "Prior", "Retention", "RiskAverseTopK", "SelectivePrediction", "TopK", "TruncatedBeta", "Uniform", "alignment",
    "as_prior", "metrics",
]
