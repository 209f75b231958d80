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
# A label with a formula: its words, and one piece for each letter, at a place of its own.
LETTERS = re.compile(r'<!-- (?P<words>[^>]*\$[^>]*?) -->\s*<g(?: style="(?P<style>[^"]*)")? transform="translate\('
                     r'(?P<x>[-\d.]+) (?P<y>[-\d.]+)\)(?: rotate\((?P<turn>[-\d.]+)\))?">\s*<text>(?P<letters>.*?)'
                     r'</text>\s*</g>', re.S)
GREEK = dict(zip("gamma lambda mu phi sigma tau".split(), "γλμφστ", strict=True))
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
    svg = LETTERS.sub(_flowing, svg)
    svg = re.sub(r"font-size: ([\d.]+)px", r"font-size: calc(\1px * var(--grow, 1))", svg)
    return re.sub(r"(font: [^;\"]*?)'?DejaVu Sans'?[^;\"]*|; font-family: '?DejaVu Sans'?[^;\"]*",
                  lambda found: f"{found[1]}inherit" if found[1] else "", svg)


def _flowing(found: re.Match) -> str:
    """A label with a formula as one running text, so that its letters stay beside each other in any font and size."""
    words, *formulas = re.split(r"\$([^$]*)\$", found["words"])
    label = "".join([words, *(part if k % 2 else _set(part) for k, part in enumerate(formulas))])
    if "\\" in label:  # a sign that is not known here stays as it was drawn
        return found[0]
    size, last = re.search(r"([\d.]+)px", found["letters"])[1], re.findall(r'\bx="([-\d. ]+)"', found["letters"])[-1]
    middle = (float(last.split()[-1]) + 0.5 * float(size)) / 2
    x, y, turn = float(found["x"]), float(found["y"]), float(found["turn"] or 0)
    place = f'x="{x + middle:.2f}" y="{y:.2f}"' + (f' transform="rotate({turn:g} {x:g} {y:g})"' if turn else "")
    return f'<text style="font-size: {size}px; text-anchor: middle; {found["style"] or ""}" {place}>{label}</text>'


def _set(formula: str) -> str:
    """Variables slanted, signs and numbers upright, exponents and indices small; each of one level."""
    text = re.sub(r"\\mathdefault\{(.*)\}", r"\1", formula)
    text = re.sub(r"\\([a-z]+)", lambda name: GREEK.get(name[1], name[0]), text).replace("-", "\N{MINUS SIGN}")
    text = re.sub(r"[^\W\d_]", r"<tspan style='font-style: italic'>\g<0></tspan>", text)
    for sign, up, back in ((r"\^", -0.4, 0.28), ("_", 0.3, -0.21)):  # an empty piece goes back to the line
        small = rf"<tspan dy='{up}em' style='font-size: .7em'>\1\2</tspan><tspan dy='{back}em'>&#8203;</tspan>"
        text = re.sub(sign + r"(?:\{([^{}]*)\}|(<tspan[^>]*>.</tspan>|.))", small, text)
    return text.replace("'", '"')


def _shorter(found: re.Match) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")


def _once(found: re.Match) -> str:
    """Neighbours with one style say it once, as a group; opacity alone would be another thing for a group."""
    style = found["style"]
    if re.search(r"(?<!-)\bopacity:", style):
        return found[0]
    return f'<g style="{style}">' + found[0].replace(f' style="{style}"', "") + "</g>"
