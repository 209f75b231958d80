"""Install wheel and sdist, each in an empty environment, and use them as a stranger would.

Usage: python -m tools.checks.check_release DIST [--tag vX.Y.Z]

The wheel, with numpy, scipy and pandas alone, runs the quickstart and the command of its examples; the
sdist is unpacked and runs its own quick tests. Exit status 1 if one fails, or if version, changelog and
tag disagree.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

QUICKSTART = """
import sys
import pwu_lite as pwu
from pwu_lite import reporting

score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
y, good, bad = [1, 0, 1, 0] * 10, [0.9, 0.2, 0.6, 0.1] * 10, [0.5] * 40
assert score(y, good) < score(y, bad)
table = pwu.compare(y, {"good": good, "bad": bad}, score, n_resamples=50).table
assert table["verdict"].tolist() == ["best", "costlier"]
assert "NOT STATED" in reporting.metric_card(score).text
assert not {"sympy", "matplotlib", "sklearn"} & set(sys.modules)
assert pwu.__version__ == sys.argv[1], pwu.__version__
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dist", type=Path)
    parser.add_argument("--tag", help="of the release, as v0.2.0")
    given = parser.parse_args()
    wheel, = given.dist.glob("*.whl")
    archive, = given.dist.glob("*.tar.gz")
    version = wheel.name.split("-")[1]
    if given.tag is not None and given.tag != f"v{version}":
        sys.exit(f"the tag is {given.tag}, the package {version}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python = environment(place / "wheel", str(wheel.resolve()))
        run([python, "-c", QUICKSTART, version], place)
        with tarfile.open(archive) as file:
            file.extractall(place, filter="data")
        source = place / archive.name.removesuffix(".tar.gz")
        if f"## {version}" not in (source / "CHANGELOG.md").read_text():
            sys.exit(f"the changelog has nothing about {version}")
        python = environment(place / "sdist", f"{source}[dev]", str(source / "packages" / "pwu_desk"))
        run([python, "-m", "pytest", "-n", "auto", "-m", "not slow", "-W", "default", "tests/lite",
             "tests/desk", "pwu_lite"], source)
    print(f"wheel and sdist of {version} work in empty environments")
    return 0


def environment(folder: Path, *packages: str) -> str:
    """A new environment with these packages; its Python."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], folder)
    return python


def run(command: list[str], folder: Path) -> None:
    if subprocess.run(command, cwd=folder).returncode:
        sys.exit(f"failed: {' '.join(command)[:200]}")


if __name__ == "__main__":
    raise SystemExit(main())
