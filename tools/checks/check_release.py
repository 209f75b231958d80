"""Install the wheels and the sdist, each in an empty environment, and use them as a stranger would.

Usage: python -m tools.checks.check_release DIST [--tag vX.Y.Z]

`pwu_lite` alone, from its wheel and from its sdist, runs the quickstart; with `pwu_desk` beside it the command `pwu`
runs; with `pwu_book`, a stored table loads. Exit status 1 if one fails, or if version and tag disagree.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
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
    parser.add_argument("--tag", help="of the release, as v0.4.0")
    parser.add_argument("--oldest", nargs="*", default=[], help="pins, such as numpy==1.26.0")
    given = parser.parse_args()
    wheels = {path.name.split("-")[0]: str(path.resolve()) for path in given.dist.glob("*.whl")}
    archive, = given.dist.glob("pwu_lite-*.tar.gz")
    version = Path(wheels["pwu_lite"]).name.split("-")[1]
    if given.tag is not None and given.tag != f"v{version}":
        sys.exit(f"the tag is {given.tag}, the package {version}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, source in (("wheel", wheels["pwu_lite"]), ("sdist", str(archive.resolve()))):
            run([environment(place / name, source, *given.oldest), "-c", QUICKSTART, version], place)
        python = environment(place / "desk", wheels["pwu_lite"], wheels["pwu_desk"], "sympy", *given.oldest)
        run([str(Path(python).with_name("pwu")), "explain", "log_loss"], place)
        python = environment(place / "book", *wheels.values(), *given.oldest)
        run([python, "-c", "from pwu_book import tables; print(len(tables.load('claims.csv')), 'statements')"], place)
    print(f"wheels and sdist of {version} work in empty environments")
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
