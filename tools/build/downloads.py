"""What a reader takes along: the wheels of this build (the book's holds the tables), notebooks with their outputs.

Usage: python -m tools.build.downloads SITE_ADDRESS [FOLDER]

build_book calls `write` after Sphinx; the pages link to `downloads/`. As a program it writes the notebooks that
Colab opens, each with a first cell that installs the wheels of the site at SITE_ADDRESS.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import nbformat

PARTS = {"pwu_lite": ["pyproject.toml", "README.md", "LICENSE", "pwu_lite"],
         "pwu_desk": ["packages/pwu_desk"], "pwu_book": ["packages/pwu_book"]}


def write(root: Path, site: Path) -> None:
    """Fill `downloads/` of the site; the wheels are built from copies, so nothing is left in the project."""
    target = site / "downloads"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name, parts in PARTS.items():
        wheel(root, parts, target, name)
    pack(target / "notebooks.zip", site / "_sources" / "book", (site / "_sources" / "book").rglob("*.ipynb"))


def wheel(root: Path, parts: list[str], target: Path, name: str) -> None:
    """The package's wheel, from a copy of these files and folders."""
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            if (root / part).is_dir():
                without = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
                shutil.copytree(root / part, Path(folder, part), ignore=without)
            else:
                shutil.copy(root / part, folder)
        source = Path(folder) if "pyproject.toml" in parts else Path(folder, *parts)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--no-build-isolation", "--wheel-dir", str(target), str(source)]
        subprocess.run(command, check=True)


def for_colab(site: Path, target: Path, address: str) -> int:
    """The site's notebooks with a first cell that installs what they need; how many."""
    paths = sorted((site / "_sources" / "book").rglob("*.ipynb"))
    extras = {"pwu_lite": "[plots,symbolic]", "pwu_desk": "", "pwu_book": "[notebooks]"}
    wheels = {path.name.split("-")[0]: path.name for path in (site / "downloads").glob("*.whl")}
    needed = " ".join(f'"{name}{extra} @ {address.rstrip("/")}/downloads/{wheels[name]}"'
                      for name, extra in extras.items())
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(f"%pip install -q {needed}"))
        copy = target / path.relative_to(site / "_sources")
        copy.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, copy)
    return len(paths)


def to_edit(site: Path, target: Path) -> None:
    """The notebooks in a folder of the reader's: those that are there already stay as the reader left them."""
    source = site / "_sources" / "book"
    for path in source.rglob("*.ipynb"):
        copy = target / path.relative_to(source)
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)


def pack(path: Path, base: Path, files) -> None:
    """A zip with the same bytes for the same files."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(files):
            archive.writestr(entry(file.relative_to(base).as_posix()), file.read_bytes())


def entry(name: str, how: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    """A file of an archive, without its date."""
    info = zipfile.ZipInfo(name)
    info.compress_type, info.external_attr = how, 0o644 << 16
    return info


if __name__ == "__main__":
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else "_build/notebooks")
    print(f"{for_colab(Path('_build/html'), folder, sys.argv[1])} notebooks in {folder}")
