"""What a page's outputs depend on beside its own cells: modules that its code reaches, and the tables that these name.

What cannot be told from the text counts as reached: a module that is imported in a function that may not be called, a
file's name with a part that is computed.
"""

from __future__ import annotations

import ast
import fnmatch
import functools
import re
from collections.abc import Iterator
from pathlib import Path

OWN = {"pwu_lite": Path("pwu_lite"), "pwu_desk": Path("packages/pwu_desk"), "pwu_book": Path("packages/pwu_book")}
TABLES = OWN["pwu_book"] / "tables"
CELL = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1\s*$", re.S | re.M)
TABLE = re.compile(r"[\w*.-]+\.csv(?:\.gz)?")


def files(root: Path, page: str) -> set[Path]:
    """The files of the project that the code of a page reads, relative to its root.

    Parameters
    ----------
    root : Path
    page : str
        Text of the page.
    """
    cells = "\n".join(code_of(match[2]) for match in CELL.finditer(page))
    modules, waiting = set(), [*own_modules(root, cells, "")]
    while waiting:
        name = waiting.pop()
        file = file_of(root, name)
        if file is not None and file not in modules:
            modules.add(file)
            package = name if file.name == "__init__.py" else name.rpartition(".")[0]
            waiting += own_modules(root, text_of(root / file), package)
    folders = {module.parent for module in modules}
    beside = {folder / name for folder in folders - {TABLES} for name in data_in(root / folder)}
    named = {name for text in (cells, *(text_of(root / module) for module in modules)) for name in tables_in(text)}
    tables = {TABLES / table for name in named for table in fnmatch.filter(data_in(root / TABLES), name)}
    return modules | beside | (tables if TABLES in folders else set())


def forget() -> None:
    """Read all files anew: they may have been edited."""
    for known in (text_of, data_in, file_of):
        known.cache_clear()


def code_of(cell: str) -> str:
    """A cell without its options."""
    cell = re.sub(r"\A---\n.*?^---\n", "", cell, flags=re.S | re.M)
    return re.sub(r"\A(?::[\w-]+:[^\n]*\n)+", "", cell)


@functools.cache
def data_in(folder: Path) -> tuple[str, ...]:
    """Files of a folder that are not code."""
    return tuple(sorted(path.name for path in folder.iterdir() if path.is_file() and path.suffix not in (
        ".py", ".pyc"))) if folder.is_dir() else ()


@functools.cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@functools.cache
def file_of(root: Path, name: str) -> Path | None:
    """The file of a module of ours; None if the name is that of something in a module."""
    package, *parts = name.split(".")
    path = OWN[package].joinpath(*parts)
    if (root / path / "__init__.py").is_file():
        return path / "__init__.py"
    return path.with_suffix(".py") if (root / path.with_suffix(".py")).is_file() else None


def own_modules(root: Path, code: str, package: str) -> Iterator[str]:
    """Names of our modules that code imports, wherever in it, with the packages that they stand in."""
    for name in imported(code, package):
        parts = name.split(".")
        if parts[0] in OWN:
            yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


@functools.cache
def imported(code: str, package: str) -> tuple[str, ...]:
    """What code imports: modules, and what may be modules or names in them."""
    try:
        tree = ast.parse(code)
    except SyntaxError:  # magics of IPython: the lines that Python reads
        lines = [line for line in code.splitlines() if not line.startswith(("%", "!"))]
        tree = ast.parse("\n".join(lines))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[:len(package.split(".")) + 1 - node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            found += [base, *(f"{base}.{one.name}" for one in node.names)]
    return tuple(found)


@functools.cache
def tables_in(code: str) -> frozenset[str]:
    """Names of stored tables in code; a part of a name that is computed stands for any.

    A name that is computed as a whole counts where a table is loaded by it: elsewhere it is that of another file.
    """
    tree = ast.parse("\n".join(line for line in code.splitlines() if not line.startswith(("%", "!"))))
    loaded = {id(given) for node in ast.walk(tree) if isinstance(node, ast.Call) for given in node.args
              if getattr(node.func, "attr", getattr(node.func, "id", "")) in ("load", "path", "header")}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= set(TABLE.findall(node.value))
        elif isinstance(node, ast.JoinedStr):
            whole = "".join(part.value if isinstance(part, ast.Constant) else "*" for part in node.values)
            found |= {name for name in TABLE.findall(whole) if id(node) in loaded or re.search("[a-z]", name[:-7])}
    return frozenset(re.sub(r"\*+", "*", name) for name in found if not re.match(r"\.|\*\.csv\*?$", name))
