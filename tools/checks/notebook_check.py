"""Run notebooks where nothing is but the site's two wheels: a reader's machine, a launched one, a student's.

Usage: python -m tools.checks.notebook_check [_build/html]

In an empty environment, at the book's pinned versions: first a notebook as it is launched, whose first cell installs
the wheels of the site; then three notebooks of notebooks.zip, one with a run among them, in a folder of their own. Exit
status 1 if one fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from tools.build import downloads

ROOT = Path(__file__).resolve().parents[2]
LAUNCHED = "foundations/good_score.ipynb"
NOTEBOOKS = ["pwu/building.ipynb", "experiments/watching.ipynb", "cases/lending.ipynb"]
RUN = """
import sys, nbclient, nbformat
nbclient.NotebookClient(nbformat.read(sys.argv[1], 4), timeout=300, kernel_name="python3").execute()
import pwu_lite
import pwu_desk
import pwu_book
for package in (pwu_lite, pwu_desk, pwu_book):
    assert "site-packages" in package.__file__, package.__file__
"""


def main(site: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python = environment(place)
        downloads.for_colab(site, place / "launched", site.as_uri())
        failed = run(python, place / "launched" / "book" / LAUNCHED)
        with zipfile.ZipFile(site / "downloads" / "notebooks.zip") as archive:
            archive.extractall(place / "taken", NOTEBOOKS)
        return failed + sum(run(python, place / "taken" / name) for name in NOTEBOOKS)


def environment(place: Path) -> str:
    """A new environment that can run a notebook, no more; its Python. What it installs later is pinned."""
    venv.create(place / "environment", with_pip=True)
    python = str(place / "environment" / "bin" / "python")
    pins = [line.rstrip(" \\") for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line]
    (place / "pins.txt").write_text("\n".join(pins))
    os.environ["PIP_CONSTRAINT"] = str(place / "pins.txt")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "nbclient", "ipykernel"],
                   check=True, cwd=place)
    return python


def run(python: str, notebook: Path) -> int:
    """Run it in its folder, without settings that could lend it the caller's packages; 1 if a cell fails."""
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("PYTHON", "PWU_", "MPL", "JUPYTER"))}
    done = subprocess.run([python, "-c", RUN, notebook.name], cwd=notebook.parent, env=own, capture_output=True,
                          text=True)
    print(f"{notebook.name}, alone: {'runs' if done.returncode == 0 else done.stderr[-2000:]}", flush=True)
    return int(done.returncode != 0)


if __name__ == "__main__":
    raise SystemExit(min(main(Path(sys.argv[1] if len(sys.argv) > 1 else "_build/html").resolve()), 1))
