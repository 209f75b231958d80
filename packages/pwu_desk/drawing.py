"""The drawing of a comparison: cost curves, their differences with bands, and under them the hill of the prior."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np
from scipy.special import logit

__all__ = ["draw"]

SCALES = {"linear": np.asarray, "log": np.log, "logit": logit}
LEFT, NAMES, LEAST_NAMED = 58, 148, 520  # where the axis begins, room for the names, and the width that has it
DECADES = [step * 10.0**power for power in range(-10, 11) for step in (1, 2, 5)]


def draw(shown: dict[str, Any], width: int) -> str:
    """What `picture_of` has computed, as an SVG; names stand beside their curves where the width has room.

    Examples
    --------
    >>> axis = {"scale": "linear", "cost": "cost", "label": "price"}
    >>> flat = {"axis": axis, "x": [0, 1], "names": ["a<b"], "costs": [[1, 2]], "gaps": [[0, 0]], "bands": [None],
    ...         "hill": [1, 0.5], "reference": 0}
    >>> "a&lt;b" in draw(flat, 700), "a&lt;b" in draw(flat, 360)
    (True, False)
    """
    axis, names, costs = shown["axis"], shown["names"], np.array(shown["costs"])
    along = SCALES[axis["scale"]](np.array(shown["x"], dtype=float))
    right = width - (NAMES if width >= LEAST_NAMED else 10)
    x = LEFT + (along - along[0]) / (along[-1] - along[0] or 1) * (right - LEFT)
    panel, top = _panel(axis["cost"], x, 4, 170, costs, [None] * len(costs), (0, 0), names, width)
    parts = [panel]
    if len(names) > 1:
        title = f"minus that of {names[shown['reference']]}, with 95% bands"
        panel, top = _panel(title, x, top + 30, 120, np.array(shown["gaps"]), shown["bands"], (), names, width)
        parts.append(panel)
    base = top + 96
    outline = _points(x, base - 60 * np.array(shown["hill"]))
    parts += [_text(LEFT, base - 68, "the hill: what you said of your costs"),
              f'<path class="hill" d="M{x[0]} {base}L{outline}L{x[-1]} {base}Z"/>',
              f'<path class="axis" d="M{LEFT} {base}H{right}"/>', *_ticks(axis, shown["x"], x, base),
              _text((LEFT + right) / 2, base + 36, axis["label"], "middle"),
              _text((LEFT + right) / 2, base + 71, axis.get("below", ""), "middle")]
    words = "Cost of each model at every decision parameter, the difference from one of them with bands, and the prior"
    return (f'<svg class="landscape" role="img" aria-label="{words}" viewBox="0 0 {width} '
            f'{base + (80 if axis.get("below") else 44)}">{"".join(parts)}</svg>')


def _panel(title, x, top, height, rows, bands, also, names, width):
    """A title, rules at round numbers, bands, lines and their names; and where the panel ends."""
    floor = top + 22 + height
    known = [*rows.ravel(), *also, *(value for band in bands if band is not None for value in np.ravel(band))]
    steps = _round(min(known), max(known))
    low, high = steps[0], steps[-1]

    def y(values):
        return floor - (np.clip(values, low, high) - low) / (high - low) * height

    parts = [_text(4, top + 10, title)]
    for value in steps:
        kind = "rule" if value else "axis"
        words = np.format_float_positional(value, 3, fractional=False, trim="-")
        parts += [f'<path class="{kind}" d="M{LEFT} {y(value):.1f}H{x[-1]:.1f}"/>',
                  _text(LEFT - 6, y(value) + 4, words, "end")]
    parts += [f'<path class="band band{k % 6}" d="M{_points(x, y(band[0]))}L{_points(x[::-1], y(band[1])[::-1])}Z"/>'
              for k, band in enumerate(bands) if band is not None]
    parts += [f'<path class="line line{k % 6}{" again" * (k > 5)}" d="M{_points(x, y(row))}"/>'
              for k, row in enumerate(rows)]
    at = -np.inf
    for k in np.argsort([y(row[-1]) for row in rows], kind="stable") if width >= LEAST_NAMED else ():
        at = max(y(rows[k][-1]), at + 15)  # one below the other where curves end together
        name = names[k] if len(names[k]) <= 16 else f"{names[k][:15]}…"
        parts.append(_text(x[-1] + 8, at + 4, name, kind=f"name name{k % 6}"))
    return "".join(parts), floor


def _round(low: float, high: float) -> np.ndarray:
    """Round numbers in equal steps, at most five of them, around both ends."""
    rough = (high - low or abs(high) or 1) / 4
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    first, last = np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9)
    return np.arange(first, max(last, first + 1) + 1) * step


def _ticks(axis, values, x, base) -> Iterable[str]:
    """Marks of the axis that leave room for their words."""
    def inside(marks):
        return [mark for mark in marks if values[0] <= mark[0] <= values[-1]]

    marks = inside(axis.get("ticks") or [(v, f"{v:.12g}") for v in DECADES if axis["scale"] == "log"])
    if len(marks) < 2:  # a short piece of the axis, or a linear one
        marks = inside([(v, f"{v:.12g}") for v in _round(values[0], values[-1])])
    along, last = SCALES[axis["scale"]], -np.inf
    for value, words, *below in marks:
        place = np.interp(along(value), along(np.array(values, dtype=float)), x)
        if place - last >= 44:
            last = place
            yield f'<path class="axis" d="M{place:.1f} {base}v5"/>' + _text(place, base + 18, words, "middle")
            yield from (_text(place, base + 54, line, "middle") for line in below)


def _points(x, y) -> str:
    return "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))


def _text(x, y, words, anchor="start", kind="") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} class="{kind}">{escape(str(words))}</text>' if words else ""
