"""Run notebooks of the site where nothing is but the site's wheel: a reader's machine.

Usage: python tools/notebook_check.py [_build/html]

Installs the wheel with its extra [book], at the book's pinned versions, into an empty environment, and runs three
notebooks of notebooks.zip, one of Part IV among them, in an empty folder. Exit status 1 if one fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

NOTEBOOKS = ["foundations/good_score.ipynb", "pwu/building.ipynb", "experiments/wrong_prior.ipynb",
             "cases/lending.ipynb"]
RUN = """
import sys, nbclient, nbformat, pwu_lite
assert "site-packages" in pwu_lite.__file__, pwu_lite.__file__
nbclient.NotebookClient(nbformat.read(sys.argv[1], 4), timeout=300, kernel_name="python3").execute()
"""


def main(site: Path) -> int:
    downloads = (site / "downloads").resolve()
    wheel, = downloads.glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python = environment(place, wheel)
        with zipfile.ZipFile(downloads / "notebooks.zip") as archive:
            archive.extractall(place / "taken", NOTEBOOKS)
        return sum(run(python, place / "taken" / name) for name in NOTEBOOKS)


def environment(place: Path, wheel: Path) -> str:
    """A new environment with the wheel and what its pages need, at the pinned versions; its Python."""
    venv.create(place / "environment", with_pip=True)
    python = str(place / "environment" / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    pins = [line for line in Path("requirements.txt").read_text().splitlines() if "==" in line]
    (place / "pins.txt").write_text("\n".join(pins))
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c",
                    str(place / "pins.txt"), f"{wheel}[book]"], check=True, cwd=place)
    return python


def run(python: str, notebook: Path) -> int:
    """Run it in a folder of its own, the caller's settings left out; 1 if a cell fails."""
    settings = ("PYTHON", "PWU_", "MPL", "JUPYTER")
    own = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
    done = subprocess.run([python, "-c", RUN, notebook.name], cwd=notebook.parent, env=own,
                          capture_output=True, text=True)
    print(f"{notebook.name}, alone: {'runs' if done.returncode == 0 else done.stderr[-2000:]}", flush=True)
    return int(done.returncode != 0)


if __name__ == "__main__":
    raise SystemExit(min(main(Path(sys.argv[1] if len(sys.argv) > 1 else "_build/html")), 1))
