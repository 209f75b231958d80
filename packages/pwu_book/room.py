"""The class is a prior: one ratio of costs for each person in a room, and who is served by which of two instruments.

Implements the prior over decision makers of the PWU paper's section 4, with the people of a room as its point masses.
The page *The class is a prior* asks it, with the students' files; `read_folder` reads them where there is no browser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pwu_lite as pwu
from pwu_lite import plots, validation

from .examples import mushrooms

__all__ = ["Forms", "Room", "read", "read_folder", "tell"]

PER = 1000  # mushrooms that a bill is for
SMALLEST, LARGEST = 1e-3, 1e6  # ratios that somebody can mean
TWO_WAYS = re.compile(r"[0-9]{1,3}[.,][0-9]{3}")  # thousands, or three decimals
SCRIPT = Path(__file__).with_name("asks.js")


class Room:
    """What a room of people pays with either instrument, if each acts by their own ratio.

    Parameters
    ----------
    ratios : mapping of name to float
        How many wasted meals a poisoned one is worth to each person.
    left_out : sequence of str
        Sentences on files that were not read.

    Attributes
    ----------
    table : DataFrame
        For each person the ratio, both bills in meals per thousand mushrooms, and which instrument costs less.
    score : PWU
        The room as a prior: a point mass for each person. A person who stakes more meals counts for more, so the masses
        are proportional to ``1 + ratio``, and the score is in units of both mistakes together.

    Raises
    ------
    ValueError
        Nobody, or a ratio that is not a positive number.

    Examples
    --------
    >>> room = Room({"Ana": 2, "Ben": 200})
    >>> room.table["costs less"].tolist()
    ['the nose', 'the eye']
    """

    def __init__(self, ratios: Mapping[str, float], left_out: tuple[str, ...] = ()) -> None:
        if not ratios:
            raise ValueError(" ".join(["nobody has stated a ratio", *left_out]))
        values = np.array([validation.positive(f"the ratio of {name}", value) for name, value in ratios.items()])
        self.left_out = left_out
        self.table = pd.DataFrame({"ratio": values}, index=list(ratios)).join(bills(values).set_axis(list(ratios)))
        shares = (1 + values) / (1 + values).sum()
        self.score = pwu.PWU(pwu.BinaryDecision(), pwu.Mixture([pwu.Dirac(c) for c in 1 / (1 + values)], shares))

    @property
    def sentences(self) -> list[str]:
        """What the room says: its ratios, who is served by what, the mean's choice, the room's, and who is harmed."""
        table, (one, two) = self.table, mushrooms.INSTRUMENTS
        counts = table["costs less"].value_counts()
        tied = int(counts.get("both the same", 0))
        low, high, median, average = map(_number, table["ratio"].agg(["min", "max", "median", "mean"]))
        said = [f"{len(table)} ratio{'s' if len(table) > 1 else ''}, from {low} to {high}; the median is {median}, the "
                f"mean {average}.",
                f"{one.capitalize()} costs less for {counts.get(one, 0)} of them, {two} for {counts.get(two, 0)}"
                + (f", and for {tied} both cost the same." if tied else ".")]
        mean = bills(np.array([table["ratio"].mean()])).iloc[0]
        whole = table[[one, two]].mean()
        room = _cheaper(whole[one], whole[two])
        said.append(f"At the mean ratio {_verdict(mean['costs less'])}. Averaged over the room {_verdict(room)}: "
                    f"{whole[one]:,.0f} meals with {one} and {whole[two]:,.0f} with {two}, per {PER:,} mushrooms.")
        return [*said, self._harm(mean["costs less"])]

    def _harm(self, chosen: str) -> str:
        """Whom one instrument for all would harm, if the mean chooses it."""
        if chosen == "both the same":
            return "The mean chooses neither."
        extra = self.table[chosen] - self.table[list(mushrooms.INSTRUMENTS)].min(axis=1)
        harmed = extra[extra > 0].sort_values(ascending=False, kind="stable")
        if harmed.empty:
            return f"Giving {chosen} to everybody, as the mean says, harms nobody here."
        people = "one person" if len(harmed) == 1 else f"{len(harmed)} people"
        return (f"Giving {chosen} to everybody, as the mean says, harms {people}, most of all {harmed.index[0]}, who "
                f"pays {harmed.iloc[0]:,.0f} meals more.")

    def picture(self) -> Any:
        """Both bills over the ratio, a mark for each person, on a logarithmic axis."""
        low, high = self.table["ratio"].min() / 2, self.table["ratio"].max() * 2
        ratio = np.geomspace(low, high, 400)
        figure = plots.curves(ratio, {name: bills(ratio)[name] for name in mushrooms.INSTRUMENTS},
                              xlabel="a poisoned meal is worth so many wasted ones",
                              ylabel=f"meals lost per {PER:,} mushrooms", mark=self.table["ratio"].mean(),
                              mark_label="the mean ratio")
        ax = figure.axes[0]
        for place, name in enumerate(mushrooms.INSTRUMENTS):
            own = self.table.loc[self.table["costs less"] == name, "ratio"]
            ax.plot(own, np.zeros(len(own)), "|", ms=12, mew=2, color=plots.COLOURS[place])
        ax.set_xscale("log")
        ax.set_ylim(-0.06 * ax.get_ylim()[1])  # so that strokes stand above the numbers of the axis
        return figure

    def _shown(self) -> pd.DataFrame:
        """The table, its numbers as one reads them."""
        return self.table.assign(**{name: self.table[name].map(_number) for name in self.table.columns[:-1]})

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{escape(line)}</p>" for line in (*self.sentences, *self.left_out))
        return f'<div class="room">{lines}{self._shown()._repr_html_()}</div>'


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def bills(ratios: np.ndarray) -> pd.DataFrame:
    """Meals lost per thousand mushrooms with either instrument, and which one loses less, at each ratio.

    Parameters
    ----------
    ratios : ndarray, shape (m,)
    """
    part = _mushrooms()
    c = 1 / (1 + ratios)
    found = {name: -PER * pwu.BinaryDecision().utility(c, part.y_bill, f) / c for name, f in part.bill.items()}
    table = pd.DataFrame(found)
    return table.assign(**{"costs less": [_cheaper(a, b) for a, b in table.to_numpy()]})


@cache
def _mushrooms() -> Any:
    return mushrooms.split(mushrooms.mushrooms(), seed=0)


def _cheaper(first: float, second: float) -> str:
    one, two = mushrooms.INSTRUMENTS
    return "both the same" if abs(first - second) <= 1e-9 * max(first, second) else one if first < second else two


def _verdict(name: str) -> str:
    return "both cost the same" if name == "both the same" else f"{name} costs less"


def read(texts: Mapping[str, str]) -> Room:
    """A room from the texts of its files, one number in each; a person is called as the file.

    Parameters
    ----------
    texts : mapping of a file's name to its text

    Raises
    ------
    ValueError
        No file holds a ratio.

    Examples
    --------
    >>> read({"Ana.ratio.txt": "9", "Ben.ratio.txt": "many"}).left_out
    ("Ben.ratio.txt is left out: 'many' is not a number from 0.001 to 1,000,000.",)
    """
    ratios, left_out = {}, []
    for file, text in sorted(texts.items()):
        name, said = Path(file).name.split(".")[0] or file, text.strip()
        try:
            value = float(said.replace(",", ".") if said.count(",") == 1 else said)
        except ValueError:
            value = np.nan
        if TWO_WAYS.fullmatch(said):
            left_out.append(f"{file} is left out: {said!r} may be thousands or decimals.")
        elif not SMALLEST <= value <= LARGEST:
            left_out.append(f"{file} is left out: {said[:20]!r} is not a number from {SMALLEST} to {LARGEST:,.0f}.")
        elif name in ratios:
            left_out.append(f"{file} is left out: there is another file of {name}.")
        else:
            ratios[name] = value
    return Room(ratios, tuple(left_out))


def read_folder(folder: str | Path) -> Room:
    """A room from the files of a folder, for a class without a browser: see `read`.

    Parameters
    ----------
    folder : str or Path
        With a text file for each person.
    """
    paths = sorted(Path(folder).glob("*.txt"))
    return read({path.name: path.read_text(encoding="utf-8-sig") for path in paths})


def tell(texts: str) -> Room:
    """What the page shows of the files that were dropped on it.

    Parameters
    ----------
    texts : str
        A JSON object, the text of each file by its name.
    """
    room = read(json.loads(texts))
    room.picture()
    return room


class Forms:
    """The page's two forms: a student saves a ratio as a file, a teacher drops the files of all.

    Examples
    --------
    >>> "Save my file" in Forms()._repr_html_()
    True
    """

    def _repr_html_(self) -> str:
        return ('<form class="asks" data-kept="ratio" hidden><label>Your first and last name, or a nickname '
                '<input type="text" name="who" '
                'maxlength="40" required autocomplete="off"></label><label>A poisoned meal is worth so many wasted '
                'ones <input type="text" name="ratio" inputmode="decimal" pattern=" *[0-9]{1,6}([.,][0-9]{1,2})? *" '
                'title="a number, such as 50 or 2.5" maxlength="12" required autocomplete="off"></label><p><button '
                'type="submit">Save my file</button> <span role="status"></span></p></form><div></div>'
                '<form class="asks" data-asked="room.tell" hidden><label>The files of the class <input type="file" '
                'name="files" multiple required accept=".txt,text/plain"></label><p><button type="submit">Ask the '
                'room</button> <span role="status"></span></p></form><div class="room-answer" aria-live="polite"></div>'
                f"<script>{SCRIPT.read_text(encoding='utf-8')}</script>")
