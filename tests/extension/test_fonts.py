"""The site's type: renamed as its licence asks, licences beside it, every letter of the book in it, small."""

import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parents[2]
FONTS = ["book-serif.woff2", "book-serif-italic.woff2", "book-sans.woff2"]


@pytest.mark.parametrize("name", FONTS)
def test_a_font_has_its_own_name_its_weights_and_the_letters_of_the_prose(name, site):
    """Letters outside of cells, formulas and code, where other fonts are used."""
    font = TTFont(site / "_static" / "fonts" / name)
    named = {record.nameID: record.toUnicode() for record in font["name"].names}
    assert all(named[key].startswith("Book") and "Source" not in named[key] for key in (1, 4, 6))
    assert "Open Font License" in named[13]
    axes = font["fvar"].axes if "fvar" in font else []
    assert [(axis.axisTag, axis.minValue, axis.maxValue) for axis in axes] == (
        [] if "italic" in name else [("wght", 400, 700)])
    text = "".join(path.read_text() for path in (ROOT / "book").rglob("*.md"))
    text = re.sub(r"^```.*?^```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`", "", text, flags=re.S | re.M)
    assert not {letter for letter in text if ord(letter) > 31} - set(map(chr, font.getBestCmap()))


def test_licences_lie_beside_the_fonts_and_the_files_are_small(site):
    folder = site / "_static" / "fonts"
    licences = sorted(folder.glob("LICENSE-*.txt"))
    assert len(licences) == 2 and all("SIL OPEN FONT LICENSE" in path.read_text().upper() for path in licences)
    assert sum((folder / name).stat().st_size for name in FONTS) < 100_000
