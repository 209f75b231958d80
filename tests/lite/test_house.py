"""The house: imports point down, importing is light, everything public is documented and typed."""

import ast
import functools
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pwu_desk
import pwu_lite
from pwu_lite import _resampling

PACKAGE = Path(pwu_lite.__file__).parent
FLOORS = ["symbolic", "alignment", "reporting", "testing", "pwu", "plots", "scorer", "families", "metrics",
          "forecasts", "elicitation", "priors", "_resampling", "_ranks", "_tails", "_special", "validation"]
"""From the top down: an import only ever points down this list."""
BELOW = {"pwu_lite": set(), "pwu_desk": {"pwu_lite"}, "pwu_book": {"pwu_lite", "pwu_desk"}}
"""Which packages of ours each package may import."""
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
FACES = sorted({*PACKAGE.rglob("__init__.py")} - {PACKAGE / "__init__.py"})
OTHERS = {"dask", "duckdb", "joblib", "matplotlib", "mpmath", "numpy", "pandas", "scipy", "sklearn", "sympy",
          "threadpoolctl", "ucimlrepo"}


@functools.cache
def imported(path):
    """Modules of the package, and other packages, that a module imports, wherever in it."""
    inside, others = set(), set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*path.parents[node.level - 1].relative_to(PACKAGE).parts, *filter(None, [node.module])]
            base = [part for dotted in base for part in dotted.split(".")]
            for alias in node.names:
                module = PACKAGE.joinpath(*base, alias.name)
                known = module.is_dir() or module.with_suffix(".py").exists()
                inside.add(".".join([*base, alias.name] if known else base))
        elif isinstance(node, ast.ImportFrom):
            others.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            others.update(alias.name.split(".")[0] for alias in node.names)
    return inside - {""}, others & OTHERS


@pytest.mark.parametrize("path", [*MODULES, *FACES], ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_looks_up(path):
    place = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for room in {name.split(".")[0] for name in imported(path)[0]} - {place}:
        assert FLOORS.index(room) > FLOORS.index(place), f"{path.name} imports {room}"


@pytest.mark.parametrize("package", BELOW)
def test_a_package_knows_only_those_below_it(package):
    home = PACKAGE.parent / ("." if package == "pwu_lite" else "packages") / package
    paths = list(home.rglob("*.py"))
    assert paths
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else [
                alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            above = {name.split(".")[0] for name in names} & set(BELOW) - {package} - BELOW[package]
            assert not above, f"{path.name} imports {above}"


def test_no_circle_of_modules():
    needs = {}
    for path in [*MODULES, *FACES]:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        needs[".".join(parts).removesuffix(".__init__")] = imported(path)[0]
    while needs:
        free = [name for name, wanted in needs.items() if not wanted & set(needs)]
        assert free, f"a circle among {sorted(needs)}"
        needs = {name: wanted for name, wanted in needs.items() if name not in free}


def test_the_list_names_every_room():
    assert set(FLOORS) == {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES}


def test_importing_the_package_is_light():
    heavy = "{'sympy', 'matplotlib', 'sklearn', 'pandas', 'scipy'}"
    code = f"import sys, pwu_lite; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_a_derivation_needs_no_scipy():
    code = ("import sys, sympy as sp; from pwu_lite import symbolic; p = sp.Symbol('p'); "
            "symbolic.binary_prior((1 - p)**2, p**2, p, steps=True); print('scipy' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_a_tail_that_scipy_loses_is_found(monkeypatch):
    from scipy import special

    from pwu_lite import _special, elicitation

    plain = special.betaincc
    right = elicitation.beta_from_quantiles(1 / 31, 1 / 4)
    monkeypatch.setattr(special, "betaincc", lambda a, b, x: np.where((v := plain(a, b, x)) < 1e-8, np.nan, v)[()])
    assert _special.betaincc(5.0, 80.0, 0.9) == pytest.approx(plain(5.0, 80.0, 0.9), rel=1e-12, abs=0)
    assert np.isnan(_special.betaincc(5.0, np.nan, 0.9))
    assert elicitation.beta_from_quantiles(1 / 31, 1 / 4) == right


def public(package, modules):
    """What the modules of a package offer."""
    for path in modules:
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        name = ".".join(parts).removesuffix(".__init__")
        module = importlib.import_module(name)
        for item in getattr(module, "__all__", []):
            if callable(getattr(module, item)):
                yield pytest.param(getattr(module, item), id=f"{name}.{item}")


def check_public(thing):
    assert thing.__doc__ and len(thing.__doc__.split()) > 4
    if inspect.isfunction(thing):
        signature = inspect.signature(thing)
        untyped = [name for name, p in signature.parameters.items() if p.annotation is inspect.Parameter.empty]
        assert not untyped, untyped


@pytest.mark.parametrize("thing", list(public(PACKAGE, MODULES)))
def test_public_things_have_a_docstring_and_types(thing):
    check_public(thing)


def test_the_type_marker_is_shipped():
    assert (PACKAGE / "py.typed").exists()


def test_the_version_is_the_same_everywhere():
    root = PACKAGE.parent
    version = pwu_lite.__version__
    assert f"\nversion: {version}\n" in (root / "CITATION.cff").read_text()
    desk, book = ((root / "packages" / name / "pyproject.toml").read_text() for name in ("pwu_desk", "pwu_book"))
    assert f'version = "{version}"' in book and f'pwu_lite[plots,symbolic]=={version}' in book
    assert f'version = "{version}"' in desk and f'"pwu_lite=={version}"' in desk and f"pwu_desk=={version}" in book
    assert pwu_desk.__version__ == version
    assert f'release: "{version}"' in (root / "_config.yml").read_text()


def test_what_the_package_imports_is_declared():
    declared = (PACKAGE.parent / "pyproject.toml").read_text()
    names = {"sklearn": "scikit-learn", "mpmath": "sympy"}  # sympy brings mpmath
    for path in MODULES:
        for package in imported(path)[1]:
            assert f'"{names.get(package, package)}>=' in declared, f"{path.name} imports {package}"


def test_what_is_offered_is_public():
    assert set(dir(pwu_lite)) == {*pwu_lite.__all__, "__version__"}
    for name in dir(pwu_lite):
        assert getattr(pwu_lite, name) is not None


def test_workflows_are_pinned_and_keep_no_credentials():
    """Actions by commit; no token in the checkout; packages by hash."""
    root = PACKAGE.parent
    for path in (root / ".github" / "workflows").glob("*.yml"):
        text = path.read_text()
        used = re.findall(r"uses: (\S+)", text)
        assert used and all(re.search("@[0-9a-f]{40}$", action) for action in used), path.name
        assert text.count("actions/checkout@") == text.count("persist-credentials: false")
        for job in re.split(r"\n  (?=\w+:)", text):  # a job that may write installs nothing
            assert not re.search(r"contents: write", job) or not re.search(r"pip install|make PYTHON", job), path.name
    for path in [root / "requirements.txt", *(root / "tools" / "requirements").iterdir()]:
        for entry in re.split(r"\n(?=[A-Za-z])", path.read_text()):
            assert "--hash=sha256:" in entry, f"{path.name}: {entry[:40]}"


ENGLISH = re.compile(
    r"(?:^|[.:] )Who\b(?![^.?!]*\?)|\b(?:[Ww]hoever|for who|of who)\b"
    r"|\b(?:one|row|column|cell|panel|line|matrix|number|file|threshold|prior|cost|score|model|seconds?|bins?)"
    r" an? (?:case|customer|cell|model|row|column|class|page|patient|metric|output|task|repeat|fold|parameter|group"
    r"|month|year|hour|day|label)\b"
    r"|(?<![Tt]here )\b(?:is|are|was|were) no\b(?! (?:longer|more|less|better|worse))"
    r"|\b(?:turn(?:s|ed|ing)? round|foret\w+|foretold|deal(?:s|t|ing)? out|hangs? on|mend(?:s|ed|ing)?|nought"
    r"|dear|dearer|sides with|cares? for|speaks for|on the average|in the mean|the other way round|at hand"
    r"|is wanted)\b", re.M)


@pytest.mark.parametrize("folder", ["pwu_lite", "packages", "tools"])
def test_docstrings_and_messages_are_plain_english(folder):
    """Rules of the style sheet that a pattern can find: headless who, "a" for "per", "is no", odd verbs."""
    odd = []
    for path in sorted((PACKAGE.parent / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                odd += [f"{path.name}:{node.lineno}: {found[0]}" for found in ENGLISH.finditer(node.value)]
    assert not odd


def test_places_are_counted_as_the_platform_counts_them():
    """`bincount`, `take` and `repeat` refuse places of 64 bits where the platform has 32: draws become `intp` at once.

    Random labels of `draw` and of witnesses are numbers, not places.
    """
    numbers = {"families", "alignment", "testing.py"}
    bare = [f"{path.relative_to(PACKAGE)}:{node.lineno}" for path in PACKAGE.rglob("*.py")
            if not numbers & set(path.relative_to(PACKAGE).parts)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "integers"]
    assert [place.rsplit(":")[0] for place in bare] == ["_resampling.py"], bare  # `drawn`
    assert _resampling.sample_places(np.random.default_rng(0), 10, 3).dtype == np.intp
    wide = re.compile(r"np\.(take|bincount|repeat)\([^)]*(int64|\.view\()")
    assert not [path for path in PACKAGE.rglob("*.py") if wide.search(path.read_text(encoding="utf-8"))]
