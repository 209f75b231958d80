"""The paper's own models on its own data sets, then those and ours together: fit, score, align, write the tables.

Implements section 5 and appendix J of the PWU paper. Needs the extra [paper]: torch, gpytorch, ngboost.

Usage: python -m pwu_book.runs.paper binary --jobs 2
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from . import run
from .paper_models import DEVICE, WEIGHTS

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark of one kind, binary or regression, and return 0, or 1 if a cell failed.

    Cells are written one by one, so that a killed run goes on where it stopped. With ``--datasets`` only the paper's
    models are run.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the command; those of the process if omitted. Options are those of `pwu_book.runs.run`,
        ``--device`` as torch names it, and ``--tabpfn``, a folder with weights.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    for option, variable in (("--device", DEVICE), ("--tabpfn", WEIGHTS)):
        if option in words[:-1]:
            place = words.index(option)
            os.environ[variable] = words[place + 1]  # the processes that fit inherit it
            del words[place:place + 2]
    if words[:1] not in (["binary"], ["regression"]):
        return run.main(words)
    if not os.environ.get(WEIGHTS):
        print("TabPFN is left out: it needs the package tabpfn, and its weights in the folder of --tabpfn", flush=True)
    failed = run.main([f"paper_{words[0]}", *words[1:]])
    if failed or "--datasets" in words:
        return failed
    return run.main([f"both_{words[0]}", *words[1:]])


if __name__ == "__main__":
    raise SystemExit(main())
