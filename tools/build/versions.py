"""A folder of the site for each release, so that a link in a paper still shows what was cited.

Usage: python -m tools.build.versions SITE ARCHIVES

ARCHIVES holds the built sites of releases, v0.2.0.zip and so on. Each is unpacked into SITE/v0.2.0/; its pages say that
they are old and are kept out of search engines. `versions.html` lists them.
"""

from __future__ import annotations

import html
import os
import re
import sys
import zipfile
from pathlib import Path

VERSION = re.compile(r"v\d+(?:\.\d+)*")
HEAD = '<meta name="robots" content="noindex">'
BANNER = ('<p role="note" style="margin:0;padding:0.5rem 1rem;text-align:center;background:#fff3cd;color:#1d232b">'
          'This is version {tag}. <a style="color:#0b5c99" href="{now}">The current book</a></p>')


def unpack(site: Path, archives: Path) -> list[str]:
    """The folders made, newest first."""
    made = []
    for path in sorted(filter(is_version, archives.glob("*.zip")), key=number, reverse=True):
        folder = site / path.stem
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)  # a name such as ../x stays in the folder, as zipfile reads it
        for page in folder.rglob("*.html"):
            mark(page, site, path.stem)
        made.append(path.stem)
    listed = "".join(f'<li><a href="{tag}/index.html">{tag}</a></li>' for tag in made)
    (site / "versions.html").write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Versions</title></head><body><main>'
        f'<h1>Versions</h1><ul><li><a href="index.html">current</a></li>{listed}</ul></main></body></html>\n')
    return made


def is_version(path: Path) -> bool:
    """Is it named as v0.2.0.zip is? A release candidate, or anything else, gets no folder and is said to get none."""
    if VERSION.fullmatch(path.stem):
        return True
    print(f"{path.name} is not named after a version, as v0.2.0.zip is: no folder")
    return False


def number(path: Path) -> tuple[int, ...]:
    return tuple(map(int, path.stem[1:].split(".")))


def mark(page: Path, site: Path, tag: str) -> None:
    """Say on a page of a release that it is old."""
    text = page.read_text(encoding="utf-8", errors="surrogateescape")
    same = site / page.relative_to(site / tag)
    now = os.path.relpath(same if same.exists() else site / "index.html", page.parent)
    text = text.replace("<head>", f"<head>{HEAD}", 1)
    text = re.sub(r"<body[^>]*>", lambda body: body[0] + BANNER.format(tag=html.escape(tag), now=now), text, count=1)
    page.write_text(text, encoding="utf-8", errors="surrogateescape")


if __name__ == "__main__":
    print(f"releases on the site: {unpack(Path(sys.argv[1]), Path(sys.argv[2])) or 'none'}")
