"""One Chromium for the tools that print or look: no window, no network of its own."""

from __future__ import annotations

import contextlib
import shutil

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run", "--disable-quic"]


@contextlib.contextmanager
def chromium():
    """A browser, closed at the end. Raises ValueError where there is none."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise ValueError("Chromium is needed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        with playwright.chromium.launch(executable_path=path, args=FLAGS) as browser:
            yield browser
