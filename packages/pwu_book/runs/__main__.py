"""`python -m pwu_book.runs`: see `pwu_book.runs.run`."""

from .run import main

if __name__ == "__main__":
    raise SystemExit(main())
