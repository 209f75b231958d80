"""pwu_desk: from files and streams to a decision.

The command `pwu`, its reader and its report; counts that add up (`Tally`), two models watched as their losses come
(`Watch`), sets of priors (`robust`). It stands on `pwu_lite`.
"""

import importlib
from typing import Any

__version__ = "0.4.0"

PLACES = {"Board": "boards", "Dominance": "domination", "HandOver": "handover", "Revealed": "revealed",
          "Tally": "tally", "Watch": "watch", "board": "boards", "board_of": "boards", "compare_tallies": "tallies",
          "dominance": "domination", "from_decisions": "revealed", "hand_over": "handover", "read": "files",
          "read_board": "boards"}

__all__ = [*PLACES, "robust"]


def __getattr__(name: str) -> Any:
    if name in PLACES:
        return getattr(importlib.import_module(f".{PLACES[name]}", __name__), name)
    if name == "robust":
        return importlib.import_module(".robust", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
