"""The code behind the book: its tables, examples, figures, page elements, long runs and case studies.

It uses `pwu_lite`, which scores forecasts and does not need this package.
"""

from pwu_lite import __version__ as __version__
