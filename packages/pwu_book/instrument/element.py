"""What every state of the instrument is: curves, controls, and a view for each of their settings.

Implements no source. Python computes all views and draws the first one; the script shows the others.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import _drawing as drawing

__all__ = ["STYLE", "Control", "Instrument", "View"]

FOLDER, STEPS = Path(__file__).parent, 5000  # from the floor to the top of the curves
STYLE = "".join(path.read_text(encoding="utf-8")
                for path in (FOLDER.parent / "operated.css", FOLDER / "instrument.css"))


class Control(NamedTuple):
    """Something to move.

    Attributes
    ----------
    kind : {"slider", "choice", "box"}
    name : str
        In the address of a file of its own.
    label : str
        Text beside it.
    options : sequence of str
        What its places are called, from the first on; of a box two.
    start : int
        Place at which it stands first.
    """

    kind: str
    name: str
    label: str
    options: Sequence[str]
    start: int = 0


@dataclass(frozen=True)
class View:
    """What the instrument shows at one setting.

    Attributes
    ----------
    words : sequence of str
        Sentences under the picture.
    hill : pair or array, optional
        A pair (a, b), for ``c**a (1 - c)**b``, or a height at each second point of `GRID`.
    title : str
        Of the hill.
    mark : float, optional
        A cost share.
    bills : sequence of (int, str, float)
        A line for each model: which, its words, the length of its bar in per cent.
    counts : sequence of four int, optional
        For each model's plate, how many of a thousand cases have each of the fates caught, missed, wasted, left alone.
    curves : sequence of arrays, optional
        Other curves than the instrument's.
    """

    words: Sequence[str] = ()
    hill: Any = None
    title: str = ""
    mark: float | None = None
    bills: Sequence[tuple[int, str, float]] = ()
    counts: Sequence[Sequence[int]] | None = None
    curves: Sequence[Any] | None = None

    def as_data(self) -> dict[str, Any]:
        """For the script; parts that are not there are left out."""
        held: dict[str, Any] = {"words": list(self.words), "bills": [list(bill) for bill in self.bills]}
        if self.hill is not None:
            held["hill"] = (list(self.hill) if isinstance(self.hill, tuple)
                            else [round(float(h), 1) for h in 100 * drawing.heights(self.hill)])
        if self.title:
            held["title"] = self.title
        if self.mark is not None:
            held["mark"] = float(f"{self.mark:.6g}")
        if self.counts is not None:
            held["counts"] = [[int(n) for n in counts] for counts in self.counts]
        if self.curves is not None:
            held["curves"] = [[float(f"{v:.3g}") for v in ys] for ys in self.curves]
        return held


@dataclass
class Instrument:
    """Curves over the log odds of the cost share, a weight below them, a mark, plates; controls that change the view.

    Attributes
    ----------
    curves : mapping of name to array, shape (161,)
        At most six, at `GRID`.
    title : str
        What the curves are, with their unit.
    words : str
        A text alternative.
    controls : sequence of Control
    view : callable
        Takes the place of each control, and returns a `View`.
    places : sequence of float, optional
        Cost shares of the first control's places, to which the drawing can be pulled.
    jumps : mapping of words to int
        Buttons, and the place of the first control that each of them sets; `before` stands in front of them.
    cheaper : sequence of str, optional
        At each point of the grid, who is cheaper, or another word.
    people : mapping of name to float
        Cost shares that are named on the axis.
    axis : str
        What the ratios on the axis are.
    case : str
        What the plates are full of.
    ranked : bool
        Whether the first of the lines is the best one.
    ask : (str, sequence of str, str), optional
        A question that comes before the picture, the answers that a slider offers, and what is true.
    stages : sequence of sequence of int
        Places of the controls at each paragraph of a text that passes; see `through`.
    votes : mapping of str to str
        Metrics, and what each of them prefers. With them the words stand above the picture, the first line in large
        type, the page's address keeps what the controls say, and the picture can be saved with all of it.
    """

    curves: Mapping[str, Any]
    title: str
    words: str
    controls: Sequence[Control] = ()
    view: Callable[..., View] = View
    places: Sequence[float] | None = None
    jumps: Mapping[str, int] = field(default_factory=dict)
    before: str = ""
    cheaper: Sequence[str] | None = None
    people: Mapping[str, float] = field(default_factory=dict)
    axis: str = drawing.SAID
    case: str = "cases"
    ranked: bool = False
    ask: tuple[str, Sequence[str], str] | None = None
    stages: Sequence[Sequence[int]] = ()
    votes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < len(self.curves) <= 6:
            raise ValueError(f"the instrument shows one to six curves, got {len(self.curves)}")
        for name, values in self.curves.items():
            if np.shape(values) != drawing.GRID.shape or not np.isfinite(values).all():
                raise ValueError(f"{name}: give {drawing.GRID.size} finite heights, one for each point of GRID")

    def after(self, question: str, answers: Sequence[str], truth: str) -> Instrument:
        """The same, with a question that a reader answers before the hill, the words and the second of two curves.

        Parameters
        ----------
        question : str
        answers : sequence of str
            What a slider offers; each follows "You said".
        truth : str
            A sentence.
        """
        return replace(self, ask=(question, answers, truth))

    def through(self, *stages: Mapping[str, str | float]) -> Instrument:
        """The same beside a text that passes: its marked paragraphs, in order, set the controls.

        In the page's source a paragraph is marked by an empty ``<span class="stage"></span>`` at its beginning, and
        the marked paragraphs follow the cell. Where no script runs, each stage is a picture.

        Parameters
        ----------
        *stages : mapping of str to str or float
            Names of controls to one of their options, a number to the nearest one (as a ratio); the other controls
            stand where they start.

        Raises
        ------
        ValueError
            A name or an option that the instrument does not have.
        """
        known = {control.name: list(control.options) for control in self.controls}

        def place(name: str, option: str | float) -> int:
            if isinstance(option, str) and option in known.get(name, ()):
                return known[name].index(option)
            if isinstance(option, str) or name not in known:
                raise ValueError(f"stage {name} = {option!r}: the controls are {known}")
            return int(np.argmin([abs(np.log(float(one) / option)) for one in known[name]]))

        starts = {control.name: control.start for control in self.controls}
        placed = [{name: place(name, option) for name, option in stage.items()} for stage in stages]
        return replace(self, stages=[[*(starts | each).values()] for each in placed])

    def views(self) -> tuple[list[View], list[int]]:
        """Each different view once, and which of them belongs to each setting, the last control changing fastest."""
        index: list[int] = []
        kept: list[View] = []
        seen: dict[str, int] = {}
        for places in itertools.product(*(range(len(control.options)) for control in self.controls)):
            view = self.view(*places)
            text = json.dumps(view.as_data())
            if text not in seen:
                seen[text] = len(kept)
                kept.append(view)
            index.append(seen[text])
        return kept, index

    def _repr_html_(self) -> str:
        views, index = self.views()
        at = 0
        for control in self.controls:
            at = at * len(control.options) + control.start
        shown = views[index[at]]
        top = 1.04 * max(np.max(ys) for view in [*views, View(curves=list(self.curves.values()))]
                         for ys in view.curves or ())
        still = not (self.controls or self.jumps or self.ask)
        drawn = "".join(self._picture(size, shown, top, still=still) for size in drawing.SIZES)
        held = [view.as_data() for view in views]
        for view in held:  # a place on the drawing is enough, told from the place before
            if "curves" in view:
                view["curves"] = [np.diff([round(STEPS * v / top) for v in ys], prepend=0).tolist()
                                  for ys in view["curves"]]
        said, views_of = _said_once(held)
        data = json.dumps({
            "grid": [float(f"{c:.5g}") for c in drawing.GRID], "top": STEPS, "index": index,
            "parts": said, "views": views_of,
            "options": [list(control.options) for control in self.controls],
            "ranked": self.ranked,
            **({"stages": [list(stage) for stage in self.stages]} if self.stages else {}),
            **({"places": [float(f"{c:.6g}") for c in self.places]} if self.places is not None else {}),
        }, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
        controls = "".join(_control(control) for control in self.controls) + self._jumps()
        controls += '<button type="button" class="save">save the picture</button>' if self.votes else ""
        plates = ("" if shown.counts is None else
                  drawing.plates(dict(zip(self.curves, shown.counts, strict=True)), self.case))
        words = f'<p role="status">{"<br>".join(map(escape, shown.words))}</p>' if shown.words or controls else ""
        voters = "".join(f"<li>{escape(name)}: <b>{escape(said)}</b></li>" for name, said in self.votes.items())
        parts = [self._ask(), f'{words}<ul class="votes">{voters}</ul>' if voters else "",
                 f'<div class="views">{drawn}</div>', plates, "" if voters else words,
                 f'<div class="controls" hidden>{controls}</div>' if controls else "",
                 _lines(shown, self.ranked) if any(view.bills for view in views) else ""]
        steps = self.stages
        if not steps and [control.kind for control in self.controls] == ["choice"]:
            steps = [(k,) for k in range(len(self.controls[0].options))]
        if steps:  # where scripts do not run: the stages, or all choices
            parts.append('<div class="steps">' + "".join(
                f"<figure>{self._picture(drawing.SIZES[1], view, top, still=True)}"
                f"<figcaption>{escape(' '.join(view.words))}</figcaption></figure>"
                for view in (self.view(*places) for places in steps)) + "</div>")
        inside = "".join(parts)
        name = "instrument-" + hashlib.sha256((data + inside).encode()).hexdigest()[:8]
        script = (f'<script type="application/json">{data}</script>\n<script>\n'
                  + "\n".join((FOLDER / f"{part}.js").read_text(encoding="utf-8")
                              for part in ("instrument", *["save"] * bool(voters))) + "</script>")
        return (f'<div class="operated instrument{" voted" if voters else ""}" id="{name}">\n<style>\n{STYLE}</style>\n'
                f'<div class="desk">{inside}</div>\n'
                f'{script if controls or self.ask else ""}</div>')

    def _picture(self, size, view, top, **how):
        return drawing.picture(
            size, dict(zip(self.curves, view.curves or self.curves.values(), strict=True)), top, title=self.title,
            words=self.words, hill=view.hill, hill_title=view.title, axis=self.axis, mark=view.mark,
            cheaper=self.cheaper, people=self.people, grip=self.places is not None, **how)

    def _jumps(self):
        if not self.jumps:
            return ""
        buttons = "".join(f'<button type="button" data-place="{place}">{escape(words)}</button>'
                          for words, place in self.jumps.items())
        return f'<div class="jumps"><span>{escape(self.before)}</span>{buttons}</div>'

    def _ask(self):
        if self.ask is None:
            return ""
        question, answers, truth = self.ask
        return (f'<div class="asks" hidden data-words="{escape("|".join(answers))}" data-answer="{escape(truth)}">'
                f'<label>{escape(question)} <input type="range" min="0" max="{len(answers) - 1}" '
                f'value="{len(answers) // 2}"><output></output></label><button type="button">show me</button>'
                '<p class="answer" role="status"></p></div>')


def _said_once(views):
    """The different values of each part of a view, and for each view which of them it has; -1: none."""
    parts: dict[str, list] = {}
    for view in views:
        for key, value in view.items():
            if value not in parts.setdefault(key, []):
                parts[key].append(value)
    return parts, [[values.index(view[key]) if key in view else -1 for key, values in parts.items()] for view in views]


def _control(control):
    label, name, start = escape(control.label), control.name, control.start
    if control.kind == "choice":
        options = "".join(f'<option value="{k}"{" selected" if k == start else ""}>{escape(words)}</option>'
                          for k, words in enumerate(control.options))
        return f'<label>{label} <select name="{name}">{options}</select></label>'
    if control.kind == "box":
        return f'<label><input type="checkbox" name="{name}"{" checked" if start else ""}> {label}</label>'
    return (f'<label>{label} <input type="range" name="{name}" min="0" max="{len(control.options) - 1}" step="1" '
            f'value="{start}"><output>{escape(control.options[start])}</output></label>')


def _lines(view, ranked):
    """A line for each model; an empty list where only other settings have lines."""
    return "<ol>" + "".join(
        f'<li class="who{which}{" best" if k == 0 and ranked else ""}" style="--share: {share:g}%">{escape(words)}</li>'
        for k, (which, words, share) in enumerate(view.bills)) + "</ol>"
