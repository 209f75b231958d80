"""The tables that the book's long runs wrote, the printed ones they are compared with, and their reader.

The first lines of a table name the command that writes it again.
"""

from __future__ import annotations

import contextlib
import datetime
import gzip
import io
import itertools
import os
import platform
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd

__all__ = ["header", "load", "path", "read", "versions", "write"]

FOLDER = Path(__file__).parent


def path(name: str) -> Path:
    """Path of a stored table.

    Parameters
    ----------
    name : str
        File name, such as ``speed.csv``.

    Raises
    ------
    FileNotFoundError
        There is no such table; the message lists what there is.

    Examples
    --------
    >>> path("speed.csv").name
    'speed.csv'
    """
    if not (FOLDER / name).is_file():
        names = sorted(table.name for table in FOLDER.glob("*.csv*"))
        raise FileNotFoundError(f"no table {name!r}; there are: {', '.join(names)}")
    return FOLDER / name


def load(name: str) -> pd.DataFrame:
    """Read a stored table by its file name, as in ``load("binary_scores.csv.gz")``.

    Parameters
    ----------
    name : str
        File name, such as ``speed.csv``.

    Raises
    ------
    FileNotFoundError
        There is no such table.

    Examples
    --------
    >>> load("speed.csv").columns.tolist()
    ['method', 'n', 'seconds']
    """
    return read(path(name))


def read(path: Path | str) -> pd.DataFrame:
    """Read a table from a file, without the lines that say where it comes from.

    Parameters
    ----------
    path : path or str
        CSV file, compressed if its name ends in ``.gz``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("# command: none\\na,b\\n1,2\\n")
    ...     file.flush()
    ...     read(file.name).shape
    (1, 2)
    """
    return pd.read_csv(path, skiprows=len(header(path)))


def header(path: Path | str) -> list[str]:
    """What a table says of the run that made it: command, versions, seeds, date.

    Parameters
    ----------
    path : path or str
        CSV file, compressed if its name ends in ``.gz``.

    Examples
    --------
    >>> header(path("binary_models.csv.gz"))[0].split(" -m ")[0]
    'command: python'
    """
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [line.lstrip("# ").rstrip("\n") for line in itertools.takewhile(lambda line: line.startswith("#"), file)]


def versions() -> str:
    """Python, the packages that numbers may depend on, and a device other than the processor, in one line."""
    import scipy
    import sklearn

    found = {"Python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
             "pandas": pd.__version__, "scikit-learn": sklearn.__version__}
    for name in ("torch", "gpytorch", "ngboost"):  # of the paper's models
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    if os.environ.get("PWU_BOOK_DEVICE", "cpu") != "cpu":  # of the paper's models
        found["device"] = os.environ["PWU_BOOK_DEVICE"]
    return ", ".join(f"{name} {text}" for name, text in found.items())


def write(path: Path, table: pd.DataFrame, command: str, seeds: str, digits: str) -> None:
    """Write a compressed CSV that names its command, versions, seeds and date, whole or not at all.

    Parameters
    ----------
    path : path
        Where it goes; folders that are missing are made.
    table : DataFrame
        Written without its index.
    command : str
        The command that writes the table again.
    seeds : str
        In words, where the random numbers come from.
    digits : str
        Format of the numbers, such as ``%.6f``.
    """
    lines = [f"command: {command}", f"versions: {versions()}", f"seeds: {seeds}",
             f"date: {datetime.date.today().isoformat()}"]
    text = io.StringIO()
    text.writelines(f"# {line}\n" for line in lines)
    table.to_csv(text, index=False, float_format=digits, lineterminator="\n")
    part = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    part.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))
    part.replace(path)
