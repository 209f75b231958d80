"""Results kept in files, read only if this user wrote them: a pickle from somebody else can run code."""

from __future__ import annotations

import hashlib
import hmac
import io
import os
import secrets
import sys
from pathlib import Path
from typing import Any

import joblib

__all__ = ["load", "save"]


def load(path: Path) -> Any:
    """What `save` kept, or None: there is no file, it is damaged, or somebody else wrote it (said on standard error).

    Examples
    --------
    >>> load(Path("no such file")) is None
    True
    """
    if not path.exists():
        return None
    content = path.read_bytes()
    if not hmac.compare_digest(content[:32], _seal(content[32:])):
        print(f"{path} is damaged, or was not written by this user: it is not read but computed again", file=sys.stderr)
        return None
    return joblib.load(io.BytesIO(content[32:]))


def save(path: Path, result: Any) -> None:
    """Keep a result under a seal, whole or not at all."""
    buffer = io.BytesIO()
    joblib.dump(result, buffer)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(_seal(buffer.getvalue()) + buffer.getvalue())
    part.replace(path)


def _seal(content: bytes) -> bytes:
    return hmac.new(_key(), content, hashlib.sha256).digest()


def _key() -> bytes:
    """A secret of this user, made once."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pwu_lite"
    path = cache / "seal"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        part = cache / f"seal.{os.getpid()}"
        part.touch(mode=0o600)
        part.write_bytes(secrets.token_bytes(32))
        try:
            os.link(part, path)  # only if there is none: another process may have been first
        except FileExistsError:
            pass
        finally:
            part.unlink()
    return path.read_bytes()
