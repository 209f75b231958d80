"""`python -m pwu_lite`: see `pwu_lite.app.command`.

Implements no part of a source.
"""

import sys

from .app.command import main

if __name__ == "__main__":
    sys.exit(main())
