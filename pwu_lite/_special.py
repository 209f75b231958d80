"""`scipy.special`, imported when one of its functions is first asked for.

A page that runs in a browser fetches scipy, 20 MB with its linear algebra, only if it needs it.
"""

from typing import Any

import numpy as np


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from scipy import special

    function = globals()[name] = getattr(special, name)
    return function


def betaincc(a: Any, b: Any, x: Any) -> Any:
    """``1 - I_x(a, b)``. Some builds of scipy, that for browsers among them, have NaN in the far tails."""
    from scipy import special

    value = special.betaincc(a, b, x)
    lost = np.isnan(value)
    return np.where(lost, special.betainc(b, a, 1 - np.asarray(x)), value)[()] if np.any(lost) else value
