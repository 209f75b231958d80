"""A drawing of several panels, cut into one drawing per panel for narrow windows, and letters that stay legible.

matplotlib writes each pair of axes as a group of its own. A panel shows that group alone; tick labels that it shares
with another panel are shown again beside it or below it. Nothing is drawn twice: panels refer to the groups.
"""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, Tag

DESKTOP, PHONE = 11.2, 10.2  # pixels that the smallest letters have at least, with a little room
SCREEN = 350.0  # pixels of a phone's window that a drawing may fill
LETTER = 0.56  # mean width of a letter, in units of its height
Box = tuple[float, float, float, float]  # left, top, right, bottom


def size_of(drawing: Tag) -> tuple[float, float]:
    """Width and height of a drawing in its own units."""
    _, _, width, height = map(float, (drawing.get("viewbox") or drawing.get("viewBox") or "0 0 0 0").split())
    return width, height


def keep_legible(drawing: Tag, pixels: float, phone: float) -> None:
    """Let letters grow where the drawing is shown small; `pixels` and `phone` are its widths on the two screens."""
    styles = " ".join(text.get("style", "") for text in drawing.select("text"))  # not of an exponent in one
    sizes = [float(size) for size in re.findall(r"font-size: calc\(([\d.]+)px", styles)]
    width, _ = size_of(drawing)
    if sizes and width:
        desk, hand = (max(1.0, least / (min(sizes) * wide / width)) for least, wide in (
            (DESKTOP, pixels), (PHONE, phone)))
        drawing["style"] = f"--desk: {desk:.2f}; --hand: {hand:.2f}"
        for panels in drawing.find_next_siblings(class_="panels"):
            panels["style"] = f"--grow: {hand:.2f}"


def stack(soup: BeautifulSoup, drawing: Tag) -> Tag | None:
    """The panels of a drawing, one below the other; nothing if it has one panel."""
    axes = [(group, frame) for group in drawing.select("g[id*=axes_]") if (frame := frame_of(group))]
    frames = sorted({frame for _, frame in axes}, key=lambda frame: (round(frame[1]), frame[0]))
    if len(frames) < 2 or len({round(frame[0]) for frame in frames}) < 2:
        return None
    words = {frame: [box for group, own in axes if own == frame for box in texts_of(group)] for frame in frames}
    groups = {frame: [group["id"] for group, own in axes if own == frame] for frame in frames}
    panels = soup.new_tag("div", attrs={"class": "panels", "aria-hidden": "true"})
    for frame in frames:
        panels.append(panel(soup, frame, words, groups))
    width = max(size_of(one)[0] for one in panels.find_all("svg", class_="panel"))
    for extra in drawing.select("g[id*=figure_] > g:is([id*=legend_], [id*=text_])"):
        turned = extra.select_one("text[transform*='rotate(-90']")
        if turned is not None:  # the height's name, which all panels share
            line = soup.new_tag("p", attrs={"class": "height"})
            line.string = f"Vertical: {turned.get_text().strip()}"
            panels.insert(0, line)
        elif names := texts_of(extra):
            left, top, right, bottom = around(names, names[0])
            room = max(20.0, (width - right + left) / 2)
            panels.append(cut(soup, (left - room, top - 4, right + room, bottom + 4), [extra["id"]]))
    return panels


def panel(soup: BeautifulSoup, frame: Box, words: dict[Box, list[Box]], groups: dict[Box, list[str]]) -> Tag:
    """One panel, with the tick labels that it shares with the first panel of its row, the last of its column."""
    left, top, right, bottom = around(words[frame], frame)
    whole, inner = [left, top, right, bottom], []
    first = min((other for other in words if abs(other[1] - frame[1]) < 1), key=lambda other: other[0])
    last = max((other for other in words if abs(other[0] - frame[0]) < 1), key=lambda other: other[1])
    beside = around([box for box in words[first] if box[2] < first[0] + 2], first)
    below = around([box for box in words[last] if box[1] > last[3] - 2], last)
    if not any(box[2] < frame[0] + 2 for box in words[frame]) and beside[0] < first[0] - 5:
        whole[0] = frame[0] - (first[0] - beside[0])
        inner.append(((whole[0], top), (beside[0], top, first[0] - 0.5, bottom), groups[first]))
    if not any(box[1] > frame[3] - 2 for box in words[frame]) and below[3] > last[3] + 5:
        whole[3] = frame[3] + below[3] - last[3]
        inner.append(((left, frame[3]), (left, last[3], right, below[3]), groups[last]))
    tag = cut(soup, (whole[0], whole[1], whole[2], whole[3]), groups[frame])
    for (x, y), box, shared in inner:
        strip_tag = cut(soup, box, shared)
        del strip_tag["class"]
        strip_tag.attrs.update({"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{box[2] - box[0]:.1f}",
                                "height": f"{box[3] - box[1]:.1f}"})
        tag.append(strip_tag)
    return tag


def cut(soup: BeautifulSoup, box: Box, groups: list[str]) -> Tag:
    """A drawing that shows the part of some groups that lies in a box."""
    left, top, right, bottom = box
    tag = soup.new_tag("svg", attrs={"class": "panel", "viewBox": f"{left:.1f} {top:.1f} {right - left:.1f} "
                                                                  f"{bottom - top:.1f}"})
    for group in groups:
        tag.append(soup.new_tag("use", attrs={"href": f"#{group}"}))
    return tag


def frame_of(group: Tag) -> Box | None:
    """Where the data of a pair of axes are: its first patch."""
    path = group.select_one("g[id*=patch_] > path")
    points = re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path["d"]) if path else []
    if len(points) < 4:
        return None
    x, y = ([float(point[place]) for point in points[:4]] for place in (0, 1))
    return min(x), min(y), max(x), max(y)


def texts_of(group: Tag) -> list[Box]:
    """About where the words of a group are."""
    boxes = []
    for text in group.select("text"):
        style = text.get("style", "")
        found = re.search(r"font-size: calc\(([\d.]+)px", style)
        turned = re.search(r"rotate\((-?[\d.]+)(?: ([-\d.]+) ([-\d.]+))?\)", text.get("transform", ""))
        if not found or not text.get("x"):
            continue
        size, x, y = float(found[1]), float(text["x"]), float(text["y"])
        length = LETTER * size * len(text.get_text().strip())
        start = {"middle": 0.5, "end": 1.0}.get((re.search(r"text-anchor: (\w+)", style) or ["", ""])[1], 0.0)
        if turned and abs(float(turned[1])) == 90:
            boxes.append((x - size, y - start * length, x + 0.3 * size, y + (1 - start) * length))
        else:
            boxes.append((x - start * length, y - size, x + (1 - start) * length, y + 0.3 * size))
    return boxes


def around(boxes: list[Box], frame: Box) -> Box:
    """The smallest box around a frame and the boxes of words, with a little room."""
    left, top, right, bottom = zip(*boxes, frame, strict=True)
    return min(left) - 2, min(top) - 2, max(right) + 3, max(bottom) + 2
