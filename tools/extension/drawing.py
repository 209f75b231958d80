"""A drawing of matplotlib as the page takes it in, at build time and from a live cell (this file runs there, too)."""

from __future__ import annotations

import re

# what matplotlib draws (pwu_lite.plots) and what the page puts in its place
COLOURS = {"#0072b2": "var(--c1)", "#d55e00": "var(--c2)", "#009e73": "var(--c3)", "#cc79a7": "var(--c4)",
           "#56b4e9": "var(--c5)", "#e69f00": "var(--c6)", "#1d232b": "currentColor", "#000000": "currentColor",
           "#5a6472": "var(--muted)", "#d5d9de": "var(--hairline)", "#ffffff": "var(--ground)"}
# Names that nobody asks for: not of the groups from which panels are cut, nor of what is used a second time.
NAMES = re.compile(r' id="(?!figure_|axes_|patch_|legend_|text_)[A-Za-z.\d]+_\d+"| version="1.1"| xmlns:xlink="[^"]*"'
                   r'| transform="rotate\(-0 [^)]*\)"')
LONG = re.compile(r"\d+\.\d{3,}")
ALIKE = re.compile(r'<use [^>]*style="(?P<style>[^"]*)"/>(?:\s*<use [^>]*style="(?P=style)"/>)+')


def drawn(svg: str, prefix: str) -> str:
    """The drawing alone, with ids of its own, colours by name and the page's font."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub("<[^>]*>", lambda tag: LONG.sub(_shorter, tag[0]), svg)  # places, never a number that is written
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<defs>\s*<style.*?</style>\s*</defs>\s*", "", svg, flags=re.S)
    for colour, name in COLOURS.items():
        svg = re.sub(colour, name, svg, flags=re.I)
    svg = re.sub(r" \n(?=[LCQz])", "", NAMES.sub("", svg).replace("xlink:href", "href"))
    svg = re.sub(r"<g>\s*(<use [^>]*/>)\s*</g>", r"\1", ALIKE.sub(_once, svg))
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{prefix}", svg)
    svg = re.sub(r"font-size: ([\d.]+)px", r"font-size: calc(\1px * var(--grow, 1))", svg)
    return re.sub(r"(font: [^;\"]*?)'?DejaVu Sans'?[^;\"]*|; font-family: '?DejaVu Sans'?[^;\"]*",
                  lambda found: f"{found[1]}inherit" if found[1] else "", svg)


def _shorter(found: re.Match) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")


def _once(found: re.Match) -> str:
    """Neighbours with one style say it once, as a group; opacity alone would be another thing for a group."""
    style = found["style"]
    if re.search(r"(?<!-)\bopacity:", style):
        return found[0]
    return f'<g style="{style}">' + found[0].replace(f' style="{style}"', "") + "</g>"
