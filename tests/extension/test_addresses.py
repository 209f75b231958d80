"""What is published has one address, written before it is built."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from tools.build import addresses

ROOT = Path(__file__).parents[2]
HERE = "https://github.com/Someone/a-book"


def test_every_package_says_where_things_are(tmp_path):
    for package in addresses.PACKAGES:
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / package / "pyproject.toml", tmp_path / package)
    shutil.copy(ROOT / "README.md", tmp_path)
    addresses.main(HERE, tmp_path)
    for package in addresses.PACKAGES:
        before, after = (tomllib.loads((root / package / "pyproject.toml").read_text()) for root in (ROOT, tmp_path))
        urls = after["project"].pop("urls")
        assert {key: urls[key] for key in ("Source", "Issues", "Documentation", "Changelog")} == {
            "Source": HERE, "Issues": f"{HERE}/issues", "Documentation": "https://someone.github.io/a-book",
            "Changelog": f"{HERE}/releases"}
        before["project"].pop("urls", None)
        assert after == before
    text = (tmp_path / "README.md").read_text()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links and all(link.startswith("https://") for link in links)
    assert "https://raw.githubusercontent.com/Someone/a-book/main/book/_static/readme.svg" in text
    assert not re.search(r"\]\((https://raw[^)]*\.md|https://github[^)]*\.svg)\)", text)


@pytest.mark.parametrize("address", ["", "github.com/a/b", "https://github.com/a", "https://github.com/a/b/tree/main"])
def test_another_address_is_refused(address):
    with pytest.raises(SystemExit, match="expected an address"):
        addresses.main(address)
