"""Python for the browser, beside the pages: what `make live` fetched, the packages, the scripts."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from tools.build import downloads, reach
from tools.live import fetch

FOLDER = Path(__file__).parent
SCRIPTS = ("run.js", "run.css", "hand_in.js", "worker.js", "cell.py")

# A page with live cells loads from its own site only, and may compile what it loads.
POLICY = ("default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' "
          "'unsafe-inline'; worker-src 'self' blob:; connect-src 'self'; form-action 'self'; object-src 'none'; "
          "base-uri 'none'")


def head(notebook: str, base: str) -> str:
    """What a page with code has in its head: the policy, and for live cells the script with the notebook's address."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    if not notebook:
        return policy
    return (f'{policy}<link rel="stylesheet" href="{base}_static/live/run.css">\n'
            f'<script defer src="{base}_static/live/run.js" data-notebook="{notebook}"></script>\n')


def write(root: Path, fetched: Path, target: Path) -> None:
    """Fill `target`: Python and its wheels, our packages as archives, the stored tables one by one.

    A table's name ends in ``.bin``: some servers would unpack a ``.gz`` on the way.
    """
    (target / "py").mkdir(parents=True, exist_ok=True)
    lock = fetch.compiled(fetched)
    for name in fetch.wanted():
        made = fetched / "compiled" / name
        shutil.copy(made if lock is not fetch.LOCK and made.is_file() else fetched / name, target / "py")
    shutil.copy(root / "tools" / "licenses" / "MPL-2.0.txt", target / "py" / "LICENSE-pyodide.txt")
    text = json.dumps(lock)
    (target / "py" / "pyodide-lock.json").write_text(text, encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    sizes = {path.name: path.stat().st_size for path in (target / "py").iterdir()}
    for name in SCRIPTS:
        script = (FOLDER / name).read_text(encoding="utf-8")
        script = script.replace("@LOCK@", digest).replace('"@SIZES@"', json.dumps(sizes))
        (target / name).write_text(script, encoding="utf-8")
    for name in ("drawing.py", "mathml.py"):
        shutil.copy(root / "tools" / "extension" / name, target)
    tables = sorted((root / reach.TABLES).glob("*.csv*"))
    for package, home in reach.OWN.items():
        files = [path for path in (root / home).rglob("*") if path.is_file() and path not in tables
                 and "__pycache__" not in path.parts and ".egg-info" not in str(path)]
        downloads.pack(target / f"{package}.zip", (root / home).parent, files)
    (target / "tables").mkdir(exist_ok=True)
    for path in tables:
        shutil.copy(path, target / "tables" / f"{path.name}.bin")
    site = {"packages": lock["packages"], "tables": [path.name for path in tables]}
    (target / "site.json").write_text(json.dumps(site), encoding="utf-8")
