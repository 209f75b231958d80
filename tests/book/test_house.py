"""The book's package: documented, typed, its imports declared."""

import ast
import sys
from pathlib import Path

import pytest

import pwu_book
from tests.lite.test_house import check_public, public

PACKAGE = Path(pwu_book.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "build" not in path.relative_to(PACKAGE).parts)


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)


@pytest.mark.parametrize("thing", list(public(PACKAGE, MODULES)))
def test_public_things_have_a_docstring_and_types(thing):
    check_public(thing)


def test_what_the_package_imports_is_declared():
    declared = (PACKAGE / "pyproject.toml").read_text()
    names = {"sklearn": "scikit-learn"}
    inside = {"pwu_book", "pwu_desk", "pwu_lite", "__future__"}
    for package in {package for path in MODULES for package in imported(path)} - inside:
        if package not in sys.stdlib_module_names:
            assert f'"{names.get(package, package)}>=' in declared, package


def test_every_folder_of_the_package_is_in_the_wheel():
    folders = {".".join(("pwu_book", *path.parent.relative_to(PACKAGE).parts)) for path in MODULES}
    declared = (PACKAGE / "pyproject.toml").read_text()
    assert all(f'"{folder}"' in declared for folder in folders)
