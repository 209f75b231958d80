"""Builds the book once for the tests of its pages; nothing is done twice if it is up to date."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site():
    """Folder of the built site."""
    done = subprocess.run([sys.executable, "-m", "tools.build.build_book"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "_build" / "html"

