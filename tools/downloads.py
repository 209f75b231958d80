"""What a reader takes along: the wheel of this build, the stored tables, the notebooks with their outputs.

Usage: python tools/downloads.py SITE_ADDRESS [FOLDER]

build_book calls `write` after Sphinx; the pages link to `downloads/`. As a program it writes the notebooks that
Colab opens, each with a first cell that installs the wheel of the site at SITE_ADDRESS.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import nbformat

PARTS = ["pyproject.toml", "setup.py", "README.md", "LICENSE"]


def write(root: Path, site: Path) -> None:
    """Fill `downloads/` of the site; the wheel is built from a copy, so nothing is left in the project."""
    target = site / "downloads"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    wheel(root, target)
    pack(target / "tables.zip", root / "book", root.glob("book/*/*.csv*"))
    pack(target / "notebooks.zip", site / "_sources" / "book", (site / "_sources" / "book").rglob("*.ipynb"))


def wheel(root: Path, target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in PARTS:
            shutil.copy(root / name, folder)
        shutil.copytree(root / "pwu_lite", Path(folder, "pwu_lite"), ignore=shutil.ignore_patterns("__pycache__"))
        for path in root.glob("book/*/*.csv*"):
            copy = Path(folder, path.relative_to(root))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--no-build-isolation", "--wheel-dir", str(target), folder]
        subprocess.run(command, check=True)


def for_colab(site: Path, target: Path, address: str) -> int:
    """The site's notebooks with a first cell that installs what they need; how many."""
    paths = sorted((site / "_sources" / "book").rglob("*.ipynb"))
    wheel, = (site / "downloads").glob("*.whl")
    needed = f"pwu_lite[book] @ {address.rstrip('/')}/downloads/{wheel.name}"
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(f'%pip install -q "{needed}"'))
        copy = target / path.relative_to(site / "_sources")
        copy.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, copy)
    return len(paths)


def pack(path: Path, base: Path, files) -> None:
    """A zip with the same bytes for the same files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(files):
            entry = zipfile.ZipInfo(file.relative_to(base).as_posix())
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, file.read_bytes())


if __name__ == "__main__":
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else "_build/notebooks")
    print(f"{for_colab(Path('_build/html'), folder, sys.argv[1])} notebooks in {folder}")
