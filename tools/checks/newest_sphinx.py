"""Build the book with the newest Sphinx and MyST-NB, without jupyter-book, and print what they warn of.

Usage: python -m tools.checks.newest_sphinx   (after `make book`, whose outputs it takes)

jupyter-book 1 asks for Sphinx 7. The book needs little of it: its settings are those of a `conf.py` that it writes
itself, its theme is ours. The exit status is that of `sphinx-build -W`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEWEST = ["sphinx", "myst-nb", "sphinx-external-toc", "sphinx-design", "sphinxcontrib-bibtex", "sphinx-proof",
          "sphinx-exercise", "sphinx-multitoc-numbering", "beautifulsoup4", "brotli", "fonttools", "ziamath",
          "fontpkg-source-serif-4", "fontpkg-source-sans-3"]
OLD = ("jupyter_book", "sphinx_comments", "sphinx_jupyterbook_latex")
GIVEN = re.compile(r"^(?:comments_config|use_jupyterbook_latex) = .*\n", re.M)


def main() -> int:
    folder = ROOT / "_build" / "newest"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    venv.create(folder / "venv", with_pip=True)
    python, copy = folder / "venv" / "bin" / "python", folder / "copy"
    subprocess.run(["git", "clone", "--quiet", ROOT, copy], check=True)
    own = [argument for part in (".[plots,symbolic]", "packages/pwu_desk", "packages/pwu_book[notebooks]")
           for argument in ("-e", part)]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *NEWEST, *own], cwd=copy, check=True)
    subprocess.run([python, "-m", "pip", "list"], check=True)
    subprocess.run([Path(sys.executable).with_name("jupyter-book"), "config", "sphinx", "."], cwd=copy, check=True)
    settings = GIVEN.sub("", (copy / "conf.py").read_text(encoding="utf-8"))
    for name in OLD:
        settings = re.sub(rf",? ?'{name}'", "", settings)
    (copy / "conf.py").write_text(f"import sys\nsys.path.insert(0, {str(copy)!r})\n{settings}", encoding="utf-8")
    shutil.copytree(ROOT / "_build" / ".jupyter_cache", copy / "_build" / ".jupyter_cache")
    command = [python, "-m", "sphinx", "-b", "html", "-W", "--keep-going", ".", "_build/html"]
    return subprocess.run(command, cwd=copy).returncode


if __name__ == "__main__":
    raise SystemExit(main())
