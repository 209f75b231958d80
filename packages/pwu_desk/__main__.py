"""`pwu`: see `pwu_desk.command`.

Implements no part of a source.
"""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
