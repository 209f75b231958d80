"""Builds the book once for the tests of its pages; nothing is done twice if it is up to date."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id):
    """Folder of the built site; one worker builds it, since a build replaces what the others read."""
    built = tmp_path_factory.getbasetemp().parent / f"built-{os.environ.get('PYTEST_XDIST_TESTRUNUID')}"
    with built.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if worker_id == "master" or not built.exists():
            done = subprocess.run([sys.executable, "-m", "tools.build.build_book"], cwd=ROOT, capture_output=True,
                                  text=True)
            assert done.returncode == 0, done.stdout + done.stderr
            built.touch()
    return ROOT / "_build" / "html"

