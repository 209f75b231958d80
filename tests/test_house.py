"""The house: imports point down, importing is light, everything public is documented and typed."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import pwu_lite

PACKAGE = Path(pwu_lite.__file__).parent
FLOORS = ["replication", "explorer", "reporting", "plots", "symbolic", "alignment", "testing", "pwu", "families",
          "sweep", "metrics", "elicitation", "priors", "ranks", "special", "validation"]
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")


def floor(path):
    return FLOORS.index(path.relative_to(PACKAGE).parts[0].removesuffix(".py"))


def imported(path):
    """Top-level names of pwu_lite that a module imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (node.module or "").split(".")[0]
            yield from [base] if base else [alias.name for alias in node.names]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    siblings = {sibling.stem for sibling in path.parent.glob("*.py")} if path.parent != PACKAGE else set()
    for name in set(imported(path)) - siblings:
        assert FLOORS.index(name) > floor(path), f"{path.name} imports {name}"


def test_importing_the_package_is_light():
    heavy = "{'sympy', 'matplotlib', 'sklearn', 'pandas', 'scipy.stats'}"
    code = f"import sys, pwu_lite; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def public():
    for path in MODULES:
        name = ".".join(("pwu_lite", *path.relative_to(PACKAGE).with_suffix("").parts))
        module = importlib.import_module(name)
        for item in getattr(module, "__all__", []):
            if callable(getattr(module, item)):
                yield pytest.param(getattr(module, item), id=f"{name}.{item}")


@pytest.mark.parametrize("thing", list(public()))
def test_public_things_have_a_docstring_and_types(thing):
    assert thing.__doc__ and len(thing.__doc__.split()) > 4
    if inspect.isfunction(thing):
        signature = inspect.signature(thing)
        untyped = [name for name, p in signature.parameters.items() if p.annotation is inspect.Parameter.empty]
        assert not untyped or thing.__module__ in ("pwu_lite.sweep", "pwu_lite.ranks"), untyped


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_modules_open_with_what_where_and_source(path):
    doc = ast.get_docstring(ast.parse(path.read_text()))
    assert "May import" in doc and "Implements" in doc


def test_the_type_marker_is_shipped():
    assert (PACKAGE / "py.typed").exists()
