"""The plans of the kit, from one file: their tables, the minutes of each slide, what a session needs.

A slide is named by its deck and the first words of its heading, a worksheet by the first words of its title; their
numbers come from the files, and a name that fits none, or several, stops the build.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

FOLDER = Path("book", "teaching")


class Shown(NamedTuple):
    """A slide in a plan: its deck and number, its minutes, and the minute at which to go on."""

    deck: str
    number: int
    length: float
    until: float


@functools.cache
def read(root: Path) -> dict[str, Any]:
    """The file of plans."""
    return yaml.safe_load((root / FOLDER / "plans.yml").read_text(encoding="utf-8"))


def slide(root: Path, name: str) -> int:
    """The number of a slide, by "deck: first words of its heading"; the title is 1."""
    deck, _, words = name.partition(": ")
    path = root / FOLDER / f"slides_{deck}.md"
    headings = re.findall(r"(?m)^## (.*)$", path.read_text(encoding="utf-8")) if path.is_file() else []
    return 2 + _place(headings, words, f"slides of {deck!r}")


def sheet(root: Path, words: str) -> int:
    """The number of a worksheet, by the first words of its title."""
    paths = sorted((root / FOLDER / "sheets").glob("*.html"))
    titles = [re.search(r"<h1>\d+\. (.*)</h1>", path.read_text(encoding="utf-8"))[1] for path in paths]
    return int(paths[_place(titles, words, "worksheets")].stem)


def _place(names: list[str], words: str, kind: str) -> int:
    places = [place for place, name in enumerate(names) if name.startswith(words)]
    if len(places) != 1 or not words:
        raise ValueError(f"{len(places)} {kind} begin with {words!r}: name one of {names}")
    return places[0]


def of_row(root: Path, plan: str, row: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Deck, number and minutes of each slide of a row of a plan by minutes."""
    own, found = read(root)["by_minutes"][plan]["deck"], []
    for name, minutes in row.get("slides", {}).items():
        known = re.match(r"\w+(?=: )", name)  # "Poll: ..." is a heading of the plan's own deck
        deck = known[0] if known and (root / FOLDER / f"slides_{known[0]}.md").is_file() else own
        words = name.removeprefix(f"{deck}: ")
        found.append((deck, slide(root, f"{deck}: {words}"), minutes))
    return found


def of_plan(root: Path, plan: str) -> list[Shown]:
    """The slides of a plan by minutes; rows without slides take their time, too."""
    found, start = [], 0
    for row in read(root)["by_minutes"][plan]["rows"]:
        slides = of_row(root, plan, row)
        for place, (deck, number, length) in enumerate(slides):
            found.append(Shown(deck, number, length, start + sum(one[2] for one in slides[:place + 1])))
        start += row.get("minutes", sum(length for *_, length in slides))
    return found


def of_session(root: Path, plan: str, session: dict[str, Any]) -> list[Shown]:
    """The slides of a session: those of its plan by minutes, or equal shares of what the presenter has."""
    asked, own = session.get("Slides", []), read(root)["sessions"][plan]
    if isinstance(asked, list):
        return [one for name in asked for one in of_plan(root, name)]
    places = []
    for deck, ranges in asked.items():
        for ends in ranges:
            first, _, last = ends.partition(" .. ")
            start = slide(root, f"{deck}: {first}")
            end = slide(root, f"{deck}: {last}") if last else start
            places += [(deck, number) for number in range(start, end + 1)]
    share = own["present"] / max(len(places), 1)
    return [Shown(deck, number, share, own["begin"] + share * count) for count, (deck, number) in enumerate(places, 1)]


def minutes(root: Path, deck: str) -> dict[int, dict[str, Shown]]:
    """For each slide of a deck what each version gives it; "minutes" is the deck's own."""
    versions = {name: of_plan(root, name) for name in read(root)["by_minutes"]}
    own = next(name for name, plan in read(root)["by_minutes"].items() if plan["deck"] == deck)
    versions = {"minutes": versions[own], **versions}
    for name, plan in read(root)["sessions"].items():
        for number, session in enumerate(plan["rows"], 1):
            versions.setdefault(f"{name}-{number}", of_session(root, name, session))
    found: dict[int, dict[str, Shown]] = {}
    for name, slides in versions.items():
        for one in slides:
            if one.deck == deck:
                found.setdefault(one.number, {})[name] = one
    return found


def table(root: Path, plan: str) -> str:
    """The table of a plan, as Markdown."""
    if plan in read(root)["sessions"]:
        return _sessions(root, plan)
    rows, start = [["Minutes", "What", "Slides", "They do"]], 0
    own = read(root)["by_minutes"][plan]
    for row in own["rows"]:
        slides = of_row(root, plan, row)
        end = start + row.get("minutes", sum(length for *_, length in slides))
        rows.append([f"{start}-{end}", row["what"], _cited(slides, own["deck"], f" {plan}"), row.get("they", "")])
        start = end
    empty = {column for column in range(4) if not any(row[column] for row in rows[1:])}
    return _markdown([[cell for column, cell in enumerate(row) if column not in empty] for row in rows])


def _sessions(root: Path, plan: str) -> str:
    own = read(root)["sessions"][plan]
    rows = [own["head"]]
    for number, session in enumerate(own["rows"], 1):
        name = f"{number}. {session['Session']}" if "Session" in session else str(number)
        slides = _cited(of_session(root, plan, session), "", f" {plan}-{number}")
        cells = {**session, "Session": name, "Slides": slides}
        rows.append([cells[column] for column in own["head"]])
    return _markdown(rows)


def _cited(slides: Sequence[tuple[Any, ...]], own: str, version: str) -> str:
    """Numbers of slides, three neighbours as a range; decks other than the plan's own by name."""
    parts = []
    for deck, group in itertools.groupby(slides, lambda one: one[0]):
        runs: list[list[int]] = []
        for number in (one[1] for one in group):
            if runs and number == runs[-1][-1] + 1:
                runs[-1].append(number)
            else:
                runs.append([number])
        said = ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
        parts.append(said if deck == own else f"{{deck}}`{deck}{version}`, {said}")
    return "; then ".join(parts)


def _markdown(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
