"""The picture of the instrument as SVG: curves over the log odds of the cost share, who is cheaper, a hill, a mark.

Implements no source. `instrument.js` moves what stands here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

__all__ = ["GRID", "SIZES", "Size", "heights", "hill_path", "picture", "plate", "plates"]

LOW, HIGH = 0.002, 0.99
GRID = expit(np.linspace(logit(LOW), logit(HIGH), 161))  # cost shares: the one axis of the book
EVERY = 2  # a hill and the shading between two curves take each second point
RATIOS = {"999": 0.001, "199": 1 / 200, "99": 0.01, "49": 0.02, "19": 0.05, "9": 0.1, "4": 0.2, "1": 0.5, "1/4": 0.8,
          "1/9": 0.9, "1/19": 0.95, "1/99": 0.99}  # false alarms that a miss costs, and the cost share
SAID = "a miss costs as many false alarms as"
FATES = ("caught", "missed", "wasted", "left alone")  # what becomes of a case: event or not, acted on or not


class Size(NamedTuple):
    """Where the parts of a drawing stand, in its own units, which are pixels where it is not scaled."""

    name: str
    width: int
    left: int
    wide: int
    top: int
    floor: int
    base: int
    height: int
    ticks: tuple[str, ...]

    def x(self, c: Any) -> Any:
        """Place of a cost share."""
        return self.left + (logit(c) - logit(LOW)) / (logit(HIGH) - logit(LOW)) * self.wide


SIZES = (Size("wide", 700, 52, 464, 30, 228, 322, 66, ("199", "49", "19", "9", "4", "1", "1/4", "1/9", "1/99")),
         Size("slim", 340, 42, 278, 64, 224, 308, 56, ("199", "49", "9", "1", "1/9", "1/99")))
END = 366  # of the drawing, below its ticks


def heights(hill: Any) -> np.ndarray:
    """Heights of a hill, at most 1: of ``c**a (1 - c)**b`` for a pair, or an array at each second point of `GRID`."""
    if isinstance(hill, tuple):
        c = GRID[::EVERY]
        logs = hill[0] * np.log(c) + hill[1] * np.log1p(-c)
        return np.exp(logs - logs.max())
    hill = np.asarray(hill, dtype=float)
    return hill / hill.max()


def hill_path(size: Size, hill: Any) -> str:
    """Outline of a hill; empty where there is none."""
    if hill is None:
        return ""
    x, y = size.x(GRID[::EVERY]), size.base - size.height * heights(hill)
    ends = [size.left, *x, size.left + size.wide], [size.base, *y, size.base]
    return f"{along(*ends)}z"


def along(x: Any, y: Any) -> str:
    """The path through points, in tenths: the first one, then steps, which are short and add up without rounding."""
    points = np.rint(10 * np.column_stack([x, y])).astype(int)
    steps = " ".join(f"{step / 10:g}" for step in np.diff(points, axis=0).ravel())
    return f"M{points[0, 0] / 10:g} {points[0, 1] / 10:g}l" + re.sub(r"\b0\.", ".", steps).replace(" -", "-")


def picture(size: Size, curves: Mapping[str, Any], top: float, *, title: str, words: str, hill: Any = None,
            hill_title: str = "", axis: str = SAID, mark: float | None = None, cheaper: Sequence[str] | None = None,
            people: Mapping[str, float] | None = None, grip: bool = False, still: bool = False) -> str:
    """One drawing.

    Parameters
    ----------
    size : Size
    curves : mapping of name to array_like, shape (161,)
        Heights at `GRID`.
    top : float
        Upper end of the vertical axis.
    title, words : str
        Over the curves, and for those who cannot see them.
    hill : pair or array_like, optional
        See `heights`.
    hill_title : str
        Over the hill.
    axis : str
        What the ratios on the axis are.
    mark : float, optional
        A cost share.
    cheaper : sequence of str, optional
        At each point of `GRID`, who is cheaper, or another word, for which nobody is.
    people : mapping of name to float, optional
        Cost shares to name on the axis.
    grip : bool
        Whether the mark can be drawn.
    still : bool
        Whether no script will change it.
    """
    def y(value):
        return size.floor - np.minimum(np.asarray(value, dtype=float) / top, 1.0) * (size.floor - size.top)

    x = size.x(GRID)
    names, fixed, between = list(curves), [f'<text x="4" y="14">{escape(title)}</text>'], ""
    for value in _round(top):
        at = y(value)
        fixed.append(f'<path class="{"rule" if value else "axis"}" d="M{size.left} {at:.1f}h{size.wide}"/>'
                     f'<text x="{size.left - 6}" y="{at + 4:.1f}" text-anchor="end">{value:g}</text>')
    if len(names) < 3:  # between two curves, or below one
        one, two, *_ = [*(y(curves[name]) for name in names), np.full(x.size, size.floor)]
        between = (_still_between if still else _between)(size, x, one, two, hill)
    for k, name in enumerate(names):
        fixed.append(f'<path class="line line{k}" d="{along(x, y(curves[name]))}"/>')
    fixed += _names(size, {name: float(y(ys[-8:]).mean()) for name, ys in curves.items()})
    if cheaper is not None:
        fixed += _strip(size, x, names, cheaper)
    fixed += _axis(size, axis, people or {})
    parts = [between, *fixed, f'<path class="hill" d="{hill_path(size, hill)}"/>',
             f'<text class="hill-title" x="{size.left}" y="{size.base - size.height - 8}">{escape(hill_title)}</text>']
    if mark is not None:
        held = (f'<g class="grip" transform="translate(0 {size.base})"><circle class="reach" r="22"/><circle r="9"/>'
                '<path d="M-2.5 -3l-3 3l3 3M2.5 -3l3 3l-3 3"/></g>' if grip else "")
        parts.append(f'<g class="place" transform="translate({size.x(mark):.1f} 0)">'
                     f'<path class="marker" d="M0 {size.top}V{size.base}"/>{held}</g>')
    places = " ".join(f'data-{key}="{getattr(size, key)}"'
                      for key in ("left", "wide", "top", "floor", "base", "height"))
    return (f'<svg class="{size.name}" viewBox="0 0 {size.width} {END}" role="img" aria-label="{escape(words)}" '
            f'{places}>{"".join(parts)}</svg>')


def _round(top):
    """At most five values from zero, a round step apart."""
    step = next(one * 10.0**power for power in range(-6, 7) for one in (1, 2, 2.5, 5) if one * 10.0**power >= top / 4.6)
    return np.arange(0, top * (1 + 1e-9), step)


def _strokes(x, one, two, hill):
    """From one curve to the other: which is cheaper there, the stroke, and its strength, as high as the hill."""
    strength = 0.55 * heights(hill) if hill is not None else np.zeros(x[::EVERY].size)
    for k in range(0, x.size - 1, EVERY):
        low, high = sorted((one[k + 1], two[k + 1]))
        yield (int(two[k + 1] > one[k + 1]), f"M{x[k + 1]:.1f} {low:.1f}V{high:.1f}",
               (strength[k // EVERY] + strength[k // EVERY + 1]) / 2)


def _between(size, x, one, two, hill):
    """Between two curves, in the colour of the cheaper one; a script changes the strength of each stroke."""
    parts = [f'<path class="saved{who}" d="{stroke}" opacity="{round(strong, 2):g}"/>'
             for who, stroke, strong in _strokes(x, one, two, hill)]
    return f'<g class="between" stroke-width="{x[EVERY] - x[0]:.1f}">{"".join(parts)}</g>'


def _still_between(size, x, one, two, hill):
    """The same with the strokes of one strength as one path, and without those that nobody sees."""
    alike: dict[tuple[int, float], str] = {}
    for who, stroke, strong in _strokes(x, one, two, hill):
        kind = (who, round(20 * strong) / 20)
        alike[kind] = alike.get(kind, "") + stroke
    parts = [f'<path class="saved{who}" d="{strokes}" opacity="{strong:g}"/>'
             for (who, strong), strokes in alike.items() if strong]
    return f'<g class="between" stroke-width="{x[EVERY] - x[0]:.1f}">{"".join(parts)}</g>'


def _names(size, ends):
    """Each curve's name at its right end, apart from each other; on a slim drawing in lines above."""
    if size.name == "slim":
        for k, name in enumerate(ends):
            x, y = 4 + 168 * (k % 2), 30 + 14 * (k // 2)
            x += size.left if k == 4 else 0  # beside the number at the upper end of the axis
            yield (f'<path class="line line{k}" d="M{x} {y - 4}h22"/>'
                   f'<text class="name name{k}" x="{x + 28}" y="{y}">{escape(name[:22])}</text>')
        return
    below = -np.inf
    for at, k, name in sorted((at, k, name) for k, (name, at) in enumerate(ends.items())):
        below = max(at, below + 16)
        yield (f'<text class="name name{k}" x="{size.left + size.wide + 8}" y="{below + 4:.1f}">'
               f"{escape(name[:22])}</text>")


def _strip(size, x, names, cheaper):
    """Below the curves a line in the colour of the cheaper one; where nobody is, grey, with the word."""
    start = 0
    for end in range(1, len(cheaper) + 1):
        if end == len(cheaper) or cheaper[end] != cheaper[start]:
            who = cheaper[start]
            left, right = x[start], x[min(end, x.size - 1)]
            kind = f"who{names.index(who)}" if who in names else "nobody"
            yield f'<path class="strip {kind}" d="M{left:.1f} {size.floor + 8}H{right:.1f}"/>'
            if right - left > 7 * len(who):
                word = who if who not in names else f"{who} cheaper" if right - left > 7.5 * len(who) + 50 else who
                yield (f'<text class="stripe" x="{(left + right) / 2:.1f}" y="{size.floor + 24}" '
                       f'text-anchor="middle">{escape(word)}</text>')
            start = end


def _axis(size, words, people):
    yield f'<path class="axis" d="M{size.left} {size.base}h{size.wide}"/>'
    for ratio in size.ticks:
        x = size.x(RATIOS[ratio])
        yield (f'<path class="axis" d="M{x:.1f} {size.base}v5"/>'
               f'<text x="{x:.1f}" y="{size.base + 22}" text-anchor="middle">{ratio}</text>')
    for name, c in people.items():
        x = size.x(c)
        yield (f'<path class="marker" d="M{x:.1f} {size.base}v-{size.height}"/>'
               f'<text class="person" x="{x + 4:.1f}" y="{size.base - size.height + 10}">{escape(name)}</text>')
    yield (f'<text class="axis-name" x="{size.left + size.wide / 2}" y="{size.base + 40}" text-anchor="middle">'
           f"{escape(words)}</text>")


def plate(counts: Sequence[int]) -> list[str]:
    """Paths of a thousand small squares, one for each fate, in columns of twenty; equal fates lie together."""
    ends = np.cumsum([0, *counts])
    return ["".join(f"M{5 * (k // 20)} {5 * (k % 20) + 2}h4" for k in range(low, high))
            for low, high in zip(ends[:-1], ends[1:], strict=True)]


def plates(every: Mapping[str, Sequence[int]], case: str) -> str:
    """A plate for each model, and what the colours mean."""
    shown = "".join(
        f'<figure><figcaption>{escape(name)}</figcaption><svg viewBox="0 0 250 100" role="img" aria-label="a thousand '
        f'{escape(case)} by what becomes of them">'
        + "".join(f'<path class="fate{k}" d="{path}"/>' for k, path in enumerate(plate(counts)))
        + "</svg></figure>" for name, counts in every.items())
    key = "".join(f'<span><svg viewBox="0 0 10 10"><path class="fate{k}" d="M1 5h8"/></svg>{fate}</span>'
                  for k, fate in enumerate(FATES))
    return f'<div class="plates">{shown}<p class="key">{key}</p></div>'
