"""The book's type: Source Serif for text, Source Sans for the rest, cut down to what the pages need.

The fonts (SIL Open Font License, by Adobe) come from two packages of the index; what is cut out of them
carries another name, as their licence asks: Book Serif, Book Sans. Three files, about 95 kB together.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import shutil
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset, ttLib
from fontTools.varLib import instancer

WEIGHTS = {"book-serif": (400, 700), "book-serif-italic": (400,), "book-sans": (400, 700)}
FEATURES = ["kern", "liga", "tnum", "lnum", "onum", "mark", "ccmp"]
LETTERS = [*range(0x20, 0x7F), *range(0xA0, 0x100), 0x131, *range(0x391, 0x3CA), *range(0x2010, 0x2027),
           0x2032, 0x20AC, 0x2190, 0x2191, 0x2192, 0x2193, 0x2212, 0x2248, 0x2260, 0x2264, 0x2265, 0x221A, 0x221E,
           0x25A0]
FILES = {"book-serif.woff2": ("fontpkg-source-serif-4", "SourceSerif4[opsz,wght].ttf", "Book Serif"),
         "book-serif-italic.woff2": ("fontpkg-source-serif-4", "SourceSerif4-Italic[opsz,wght].ttf", "Book Serif"),
         "book-sans.woff2": ("fontpkg-source-sans-3", "SourceSans3[wght].ttf", "Book Sans")}


def write(folder: Path) -> Path:
    """Cut the fonts, with their licences, into a folder named after this file and the packages; the folder."""
    packages = sorted({package for package, _, _ in FILES.values()})
    made_by = Path(__file__).read_text() + "".join(map(importlib.metadata.version, [*packages, "fonttools", "brotli"]))
    folder = folder / hashlib.sha256(made_by.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    for name, (package, source, family) in FILES.items():
        if not (folder / name).exists():
            weights = WEIGHTS[name.removesuffix(".woff2")]
            limits = {"wght": (weights[0], weights[-1]), **({"opsz": 14} if "opsz" in source else {})}
            font = instancer.instantiateVariableFont(cut(packaged(package, source), family, LETTERS, FEATURES), limits)
            font.save(folder / f"{name}.part")
            (folder / f"{name}.part").replace(folder / name)
    for package in packages:
        shutil.copy(packaged(package, "licenses/LICENSE"), folder / f"LICENSE-{package}.txt")
    return folder


def instance(data: bytes, weight: int) -> bytes:
    """One weight of a font of the site, for paper: browsers draw variable fonts there as pictures of letters."""
    font = ttLib.TTFont(io.BytesIO(data), recalcTimestamp=False)
    if "fvar" in font:
        font = instancer.instantiateVariableFont(font, {"wght": weight})
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()


def packaged(package: str, name: str) -> Path:
    """A file of an installed package."""
    files = importlib.metadata.distribution(package).files
    return Path(next(file for file in files if file.as_posix().endswith(name)).locate())


def cut(path: Path, family: str, letters: Iterable[int], features: list[str]) -> ttLib.TTFont:
    """A font of these letters under another name, to be saved as WOFF2."""
    font = ttLib.TTFont(path, recalcTimestamp=False)
    cutter = subset.Subsetter(subset.Options(layout_features=features, name_IDs=[1, 2, 4, 6, 13, 14],
                                             notdef_outline=True))
    cutter.populate(unicodes=letters)
    cutter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 4, 6):
            record.string = family.replace(" ", "") if record.nameID == 6 else family
    font.flavor = "woff2"
    return font
