"""pwu_lite: decision-aligned evaluation of uncertainty, exactly.

Importing it loads numpy alone; scipy, pandas, matplotlib and sympy come with the first function that needs them.
Implements sections 3 and 4 of the PWU paper (arXiv 2606.26990).
"""

import importlib
from typing import Any

from . import families as families
from . import forecasts as _forecasts
from . import metrics
from . import priors as _priors
from .families import *  # noqa: F403 - a family, a prior is one row: in the list of its own module
from .forecasts import *  # noqa: F403
from .priors import *  # noqa: F403
from .pwu import PWU

__version__ = "0.4.0"

SUBMODULES = ("alignment", "elicitation", "plots", "reporting", "scorer", "symbolic", "testing")

__all__ = [*families.__all__, *_forecasts.__all__, *_priors.__all__,  # noqa: PLE0604, F405
           "PWU", "compare", "metrics", *SUBMODULES]


def __getattr__(name: str) -> Any:
    if name == "compare":  # pandas takes half a second to import
        return importlib.import_module(".reporting", __name__).compare
    if name in SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
