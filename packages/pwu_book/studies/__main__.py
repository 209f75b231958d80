"""`python -m pwu_book.studies wind --jobs 2`: a case study, or one of `OWN`."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from ..runs.run import check_options, options
from . import STUDIES, study

# each with its own options
OWN = ("coverage", "few_labels", "flusight", "framingham", "groups", "quantiles", "readers", "twins", "watching")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 1 if a cell failed, and then no table is written."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in OWN:
        return importlib.import_module(f"pwu_book.studies.{words[0]}").main(words[1:])
    parser = argparse.ArgumentParser("python -m pwu_book.studies", description=(
        "Fit what is missing, score it, and write the tables of a study. Go on where a run stopped."))
    parser.add_argument("study", choices=[*STUDIES, *OWN])
    options(parser)
    given = parser.parse_args(words)
    chosen = STUDIES[given.study]
    check_options(parser, given, chosen.repeats)
    return study.run(chosen, given, words)


if __name__ == "__main__":
    raise SystemExit(main())
