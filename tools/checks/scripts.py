"""Write the scripts of the bench, the instrument and the report as pages run them: parts joined, for a linter.

Usage: python -m tools.checks.scripts [FOLDER]     (then npx eslint FOLDER)
"""

from __future__ import annotations

import sys
from pathlib import Path

from pwu_desk import page

ROOT = Path(__file__).resolve().parents[2]


def main(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    book = ROOT / "packages" / "pwu_book"
    scripts = {"report": page.LANDSCAPE + page.DRAW,
               "bench": page.LANDSCAPE + (book / "bench" / "page.js").read_text(encoding="utf-8")}
    for path in (book / "machine.js", book / "instrument" / "instrument.js",
                 *(ROOT / "tools" / "live").glob("*.js"),
                 ROOT / "tools" / "extension" / "search.js"):
        scripts[path.stem] = path.read_text(encoding="utf-8")
    for name, text in scripts.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "_build/scripts")))
