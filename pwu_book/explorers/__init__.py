"""Explorers: page elements that need no kernel, with their own data and script.

`metric` is imported only where it is asked for: it needs sympy.
Implements the explorers of the landing page and chapters 5, 12 and 14 (PWU paper, equations (3), (4), appendix I).
"""

from typing import Any

from .hill import HillExplorer
from .murphy import MurphyExplorer
from .prior import PriorExplorer

__all__ = ["HillExplorer", "MetricExplorer", "MurphyExplorer", "PriorExplorer"]


def __getattr__(name: str) -> Any:
    if name != "MetricExplorer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .metric import MetricExplorer

    return MetricExplorer


def __dir__() -> list[str]:
    return __all__
