"""pwu_lite: decision-aligned evaluation of uncertainty, exactly.

May import what is below `plots` in the design's list, and `reporting` when `compare` is asked for;
needs numpy, scipy and pandas alone.
Implements sections 3 and 4 of the PWU paper (arXiv 2606.26990).
"""

from typing import Any

from . import alignment, metrics
from .families import (
    BinaryDecision,
    Family,
    JointFamily,
    OneVsRest,
    Parameter,
    PerOutput,
    Retention,
    RiskAverseTopK,
    SelectivePrediction,
    SeparableFamily,
    TopK,
)
from .forecasts import from_distribution, from_interval, from_samples, from_variance
from .priors import Beta, Dirac, Gamma, LogNormal, Mixture, Pareto, Prior, TruncatedBeta, Uniform, as_prior
from .pwu import PWU

__version__ = "0.2.0"

__all__ = [
    "Beta", "BinaryDecision", "Dirac", "Family", "Gamma", "JointFamily", "LogNormal", "Mixture", "OneVsRest", "PWU",
    "Parameter", "Pareto", "PerOutput", "Prior", "Retention", "RiskAverseTopK", "SelectivePrediction",
    "SeparableFamily", "TopK", "TruncatedBeta", "Uniform", "alignment", "as_prior", "compare", "from_distribution",
    "from_interval", "from_samples", "from_variance", "metrics",
]


def __getattr__(name: str) -> Any:
    if name != "compare":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .reporting import compare  # pandas takes half a second to import

    return compare


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
