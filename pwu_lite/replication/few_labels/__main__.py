"""The command line, see `run`.

Implements no part of a source; it asks what section 5.1 of the PWU paper leaves open.
"""

from .run import main

if __name__ == "__main__":
    raise SystemExit(main())
