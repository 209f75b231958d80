"""Which definitions of the package can a chapter reach? What it can reach decides when it runs again.

Read from the source alone, and on the safe side: a function, class or method counts as reached as soon
as its *name* stands anywhere in what is reached, in code or as a text of its own (`getattr(x, "name")`),
whatever object it belongs to. What runs on import (everything outside of functions) counts for each module
that the chapter imports, directly or not. Methods that a notebook or scikit-learn calls by themselves
always count.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

CALLED_BY_OTHERS = re.compile(r"__\w+__|_repr_\w+_|_ipython_\w+_|fit|predict\w*|transform|fit_transform|score|"
                              r"get_params|set_params|get_metadata_routing|decision_function|classes_")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Unit(NamedTuple):
    """A function, a method, or what a module or class does when it is defined: its text, and the names in it."""

    text: str
    names: frozenset[str]


class Module(NamedTuple):
    """What runs on import, the definitions by name, and the modules of the package that it imports."""

    top: Unit
    definitions: dict[str, list[Unit]]
    imports: frozenset[str]


def fingerprint(page: Path, root: Path, package: str = "pwu_lite") -> str:
    """Changes with the page's cells and with everything in the package and among the files that they can reach.

    The outputs are kept by the cells' text, so the text must be part of what says that they are fresh.
    """
    cells = "\n".join(re.findall(r"```\{code-cell\}[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M))
    cells = re.sub(r"^---\n.*?^---\n|^:[\w-]+:[^\n]*\n|^[ \t]*[%!][^\n]*\n", "", cells, flags=re.S | re.M)
    modules = read_package(root / package)
    parts = [cells, *(unit.text for unit in reached(cells, modules, package))]
    parts += [f"{path} {digest(path)}" for path in data_files(page, root, cells)]
    parts += [f"{path.relative_to(root)} {digest(path)}" for path in sorted((root / package).rglob("*"))
              if path.is_file() and path.suffix not in (".py", ".pyc")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def reached(cells: str, modules: dict[str, Module], package: str) -> list[Unit]:
    """Everything that the cells can run, in an order that depends on the source alone."""
    try:
        tree = ast.parse(cells)
    except SyntaxError:  # magics, or a page that will fail: everything counts
        return [unit for module in modules.values() for unit in
                (module.top, *(one for units in module.definitions.values() for one in units))]
    inside = imported(imports_of(tree, package), modules)
    names, found = set(names_in(tree)), {}
    for name in inside:
        names |= modules[name].top.names
    while True:
        new = {(name, definition): units for name in inside for definition, units in modules[name].definitions.items()
               if (name, definition) not in found and (definition in names or CALLED_BY_OTHERS.fullmatch(definition))}
        if not new:
            break
        found |= new
        for units in new.values():
            names.update(*(unit.names for unit in units))
    return [modules[name].top for name in inside] + [unit for key in sorted(found) for unit in found[key]]


def imported(first: Iterable[str], modules: dict[str, Module]) -> list[str]:
    """The modules that an import of the first ones loads, now or when a function asks for it."""
    todo, seen = [name for name in first if name in modules], set()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            parents = [name.rsplit(".", level)[0] for level in range(1, name.count(".") + 1)]
            todo += [other for other in (*modules[name].imports, *parents) if other in modules]
    return sorted(seen)


@lru_cache(maxsize=4)
def read_package(folder: Path) -> dict[str, Module]:
    """Every module of the package by its full name."""
    modules = {}
    for path in sorted(folder.rglob("*.py")):
        parts = (folder.name, *path.relative_to(folder).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        outer = ".".join(parts[:-1])  # what a relative import starts from
        definitions: dict[str, list[Unit]] = {}
        top = collect(tree, definitions)
        modules[name] = Module(top, definitions, frozenset(imports_of(tree, folder.name, outer)))
    return modules


def collect(tree: ast.AST, definitions: dict[str, list[Unit]]) -> Unit:
    """What runs when this body is defined; the functions in it go into `definitions`, without their bodies here."""
    for node in tree.body:
        if isinstance(node, FUNCTIONS):
            definitions.setdefault(node.name, []).append(Unit(ast.dump(node), frozenset(names_in(node))))
        elif isinstance(node, ast.ClassDef):
            own = collect(node, definitions)
            definitions.setdefault(node.name, []).append(own)
    kept = [outline(node) for node in tree.body]
    names = frozenset(name for node in tree.body if not isinstance(node, (*FUNCTIONS, ast.ClassDef))
                      for name in names_in(node))
    head = [*tree.bases, *tree.decorator_list, *tree.keywords] if isinstance(tree, ast.ClassDef) else []
    for node in tree.body:
        if isinstance(node, FUNCTIONS):  # decorators and default values run now
            head += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    names |= {name for node in head for name in names_in(node)}
    return Unit("\n".join([*kept, *map(ast.dump, head)]), names)


def outline(node: ast.AST) -> str:
    """A statement; of a function its name and signature, of a class its name."""
    if isinstance(node, FUNCTIONS):
        return f"def {node.name} {ast.dump(node.args)}"
    return f"class {node.name}" if isinstance(node, ast.ClassDef) else ast.dump(node)


def names_in(tree: ast.AST) -> Iterable[str]:
    """Names, attributes, and texts that could be names; of an import only what it renames."""
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            continue  # a list of what there is mentions everything and calls nothing
        todo += ast.iter_child_nodes(node)
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.name.split(".")[-1]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value


def imports_of(tree: ast.AST, package: str, outer: str = "") -> set[str]:
    """Full names of what is imported from the package: modules, and names that may be modules."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == package}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                start = outer.rsplit(".", node.level - 1)[0] if node.level > 1 else outer
                base = f"{start}.{base}" if base else start
            if base.split(".")[0] == package:
                found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found


def data_files(page: Path, root: Path, cells: str) -> list[Path]:
    """Files that are no pages: in the page's folder, named by its cells, or among the stored tables if it reads one."""
    book = root / "book"
    chosen = []
    for path in sorted(book.rglob("*")):
        if path.is_file() and path.suffix not in (".md", ".bib", ".pyc"):
            folder = path.parent.relative_to(book)
            asked = "stored_tables" in cells and folder.parts and folder.parts[-1] == "results"
            if path.parent == page.parent or path.name in cells or asked:
                chosen.append(path)
    return chosen


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
