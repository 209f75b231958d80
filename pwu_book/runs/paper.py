"""The paper's own models on its own data sets, TabPFN left out: fit, score, align, and write the tables.

Implements section 5 and appendix J of the PWU paper. Needs the extra [paper]: torch, gpytorch, ngboost.

Usage: python -m pwu_book.runs.paper binary --jobs 2
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from . import run
from .paper_models import DEVICE
from .tasks import PAPER_TASKS

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark of one kind; options as for `pwu_book.runs.run`, and ``--device`` as torch names it.

    Cells are written one by one, so that a killed run goes on where it stopped.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the command; those of the process if omitted.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if "--device" in words[:-1]:
        place = words.index("--device")
        os.environ[DEVICE] = words[place + 1]  # the processes that fit inherit it
        del words[place:place + 2]
    if words and f"paper_{words[0]}" in PAPER_TASKS:
        words[0] = f"paper_{words[0]}"
    return run.main(words)


if __name__ == "__main__":
    raise SystemExit(main())
