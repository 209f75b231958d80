"""Write the repository's address into what is published: places in each package's metadata, and README's picture.

Usage: python -m tools.build.addresses https://github.com/OWNER/NAME

The release calls it with its own address before it builds, so no file holds one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGES = (".", "packages/pwu_desk", "packages/pwu_book")


def main(address: str, root: Path = Path()) -> None:
    match = re.fullmatch(r"https://github\.com/([\w.-]+)/([\w.-]+)", address)
    if match is None:
        sys.exit(f"expected an address such as https://github.com/OWNER/NAME, got {address!r}")
    owner, name = match.groups()
    places = {"Source": address, "Documentation": f"https://{owner.lower()}.github.io/{name}",
              "Issues": f"{address}/issues", "Changelog": f"{address}/releases"}
    lines = "".join(f'{key} = "{value}"\n' for key, value in places.items())
    for package in PACKAGES:
        path = root / package / "pyproject.toml"
        text = path.read_text()
        start = text if "[project.urls]\n" in text else text.replace("[project.optional-dependencies]\n",
                                                                     "[project.urls]\n\n[project.optional-dependencies]\n")
        path.write_text(start.replace("[project.urls]\n", "[project.urls]\n" + lines, 1))
    readme = root / "README.md"
    readme.write_text(re.sub(r"\]\((?!https?:)([\w./]+)\)", lambda link: f"]({_web(address, link[1])})",
                             readme.read_text()))


def _web(address: str, path: str) -> str:
    """A file of the repository on the web; a picture by its bytes."""
    if path.endswith(".svg"):
        return f"{address.replace('github.com', 'raw.githubusercontent.com')}/main/{path}"
    return f"{address}/blob/main/{path}"


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else "")
