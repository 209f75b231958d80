"""An archive with bytecode in place of source, which is never stale; run in the browser's own Python by compile.mjs."""

import importlib.util
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc


def compile_archive(old: str, new: str) -> None:
    """Write the archive anew: tests are left out, a module's source becomes its bytecode."""
    with zipfile.ZipFile(old) as given, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as compiled:
        for name in given.namelist():
            body = given.read(name)
            if "/tests/" in name or name.endswith("/"):
                continue
            if name.endswith(".py"):
                code = compile(body, name, "exec", dont_inherit=True)
                body, name = _code_to_hash_pyc(code, importlib.util.source_hash(body), False), f"{name}c"
            compiled.writestr(zipfile.ZipInfo(name), body, zipfile.ZIP_DEFLATED)
