"""pwu_lite: decision-aligned evaluation of uncertainty, exactly.

Importing it loads numpy alone; scipy and pandas come with the first function that needs them.
Implements sections 3 and 4 of the PWU paper (arXiv 2606.26990).
"""

from typing import Any

from . import families as families
from . import forecasts as _forecasts
from . import metrics
from . import priors as _priors
from .families import *  # noqa: F403 - a family, a prior is one row: in the list of its own module
from .forecasts import *  # noqa: F403
from .priors import *  # noqa: F403
from .pwu import PWU
from .tally import Tally

__version__ = "0.4.0"

__all__ = [*families.__all__, *_forecasts.__all__, *_priors.__all__,  # noqa: PLE0604, F405
           "PWU", "Tally", "Watch", "compare", "metrics"]


def __getattr__(name: str) -> Any:
    if name not in ("Watch", "compare"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import reporting  # pandas takes half a second to import

    return getattr(reporting, name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
