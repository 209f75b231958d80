"""One Chromium for the tools that print or look: no window, no network of its own."""

from __future__ import annotations

import contextlib
import shutil
import subprocess

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run", "--disable-quic"]


def installed() -> str:
    """Where Chromium is. Raises ValueError where there is none."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise ValueError("Chromium is needed: apt-get install chromium")
    return path


def version() -> str:
    """What Chromium says of itself."""
    return subprocess.run([installed(), "--version"], capture_output=True, text=True, check=True).stdout


@contextlib.contextmanager
def chromium():
    """A browser, closed at the end."""
    path = installed()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        with playwright.chromium.launch(executable_path=path, args=FLAGS) as browser:
            yield browser
