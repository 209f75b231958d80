"""The package that reads files: documented, typed, its imports declared, light until it is used."""

import subprocess
import sys
from pathlib import Path

import pytest

import pwu_desk
from tests.book.test_house import imported
from tests.lite.test_house import check_public, public

PACKAGE = Path(pwu_desk.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "build" not in path.relative_to(PACKAGE).parts)


@pytest.mark.parametrize("thing", list(public(PACKAGE, [path for path in MODULES if path.name != "__main__.py"])))
def test_public_things_have_a_docstring_and_types(thing):
    check_public(thing)


def test_what_the_package_imports_is_declared():
    declared = (PACKAGE / "pyproject.toml").read_text()
    inside = {"pwu_desk", "pwu_lite", "__future__"}
    for package in {package for path in MODULES for package in imported(path)} - inside:
        if package not in sys.stdlib_module_names:
            assert f'"{package}>=' in declared, package


def test_every_folder_of_the_package_is_in_the_wheel():
    declared = (PACKAGE / "pyproject.toml").read_text()
    assert all(f'"{".".join(("pwu_desk", *path.parent.relative_to(PACKAGE).parts))}"' in declared for path in MODULES)


def test_what_is_offered_is_there_in_any_order():
    """A function stays one after the module of its name has been imported."""
    code = "import pwu_desk; [getattr(pwu_desk, name) for name in dir(pwu_desk)]; print(callable(pwu_desk.dominance))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "True"
    assert set(dir(pwu_desk)) == {*pwu_desk.__all__, "__version__"}


def test_importing_it_is_light():
    code = "import sys, pwu_desk; print('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
