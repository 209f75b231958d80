"""What this machine has made, or checked, once: in the user's cache, outside of the clone, each thing by its content.

`PWU_BOOK_CACHE` names another folder; with `PWU_BOOK_CACHE=off` (as `make cold` has it) nothing is kept or taken. A
full disk, or a folder that cannot be written, costs nothing but this.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

NEWEST = 600  # files of a kind that stay


def folder(kind: str) -> Path | None:
    """Where things of a kind are kept; None if nothing is."""
    chosen = os.environ.get("PWU_BOOK_CACHE")
    if chosen == "off":
        return None
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return (Path(chosen) if chosen else home / "decision-aligned-uncertainty") / kind


def place(kind: str, *decided_by: str | bytes) -> Path | None:
    """The file of what all of this decides."""
    digest = hashlib.sha256()
    for part in decided_by:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    home = folder(kind)
    return home / digest.hexdigest() if home else None


def there(path: Path | None) -> bool:
    """Is it kept? What is asked for stays the longest."""
    with contextlib.suppress(OSError):
        if path is not None and path.exists():
            os.utime(path)
            return True
    return False


def put(path: Path | None, text: str = "") -> None:
    """Keep a text, whole or not at all, and forget what nobody has asked for the longest."""
    if path is None:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(text, encoding="utf-8")
        part.replace(path)
        for old in sorted(path.parent.iterdir(), key=lambda one: one.stat().st_mtime)[:-NEWEST]:
            old.unlink()
