"""`python -m pwu_lite`: see `pwu_lite.reporting.command`.

Implements no part of a source.
"""

import sys

from .reporting.command import main

if __name__ == "__main__":
    sys.exit(main())
