"""Two models' losses as they come: who is cheaper, at any time that one cares to look.

Implements the bets of `pwu_desk.bets` as a stream: pieces, batches, groups, merges.
"""

from __future__ import annotations

import base64
import copy
import datetime
import hashlib
import json
import re
import warnings
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pandas import isna

from pwu_lite import validation

from .bets import Bets

__all__ = ["Watch"]

MOST_GROUPS = 2**20  # labels that a watch remembers, each in sixteen bytes
STATE = "pwu_desk.Watch, state 1"


class Watch:
    """A test of which of two models is cheaper that is valid at every look, and an interval for the mean difference.

    The losses come in pieces of any length. Look after each piece, stop whenever you like: the chance that `cheaper`
    ever names a model that is not cheaper is at most ``1 - level``. The test holds under any dependence in which, given
    the past, the next difference has mean zero or a mean that favours the other model. The interval also assumes that
    this mean is constant.

    Parameters
    ----------
    bound : float
        Largest difference of two losses, in their unit. For a PWU of binary decisions 1.
    level : float
        Chance that the test never errs, and that the interval never does, over all looks together; default 0.95.
    clip : bool
        Cut larger differences at the bound, and say how many, instead of refusing them. The claim is then about the
        cut differences.

    Notes
    -----
    A watch is for one thread: give each worker its own, and merge them. It does not keep cases, so nothing that was
    counted can be taken back. Of groups and batches it keeps hashes of eight bytes: of a million groups two have the
    same one with a chance of 3e-8, and the second is then refused.

    The bets are those of `pwu_desk.bets`, on differences in units of the bound.

    References
    ----------
    Ville (1939); Choe and Ramdas, Operations Research (2024), on comparing forecasters; Fan, Grama and Liu (2015),
    lemma 4.1, which is the polynomial of degree two.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> watch = Watch()
    >>> for day in range(30):
    ...     losses = rng.uniform(0, 0.4, 100)
    ...     watch = watch.update(losses, 0.9 * losses)
    >>> watch.cheaper, watch.since
    ('second', 300)
    """

    def __init__(self, bound: float = 1.0, level: float = 0.95, *, clip: bool = False):
        self.bound = validation.positive("bound", bound)
        self.level = validation.inside("level", level, 0.0, 1.0)
        self.clip = bool(clip)
        self.cases, self.clipped = 0, 0
        self.since: int | None = None
        self._named: str | None = None
        self._bets = Bets()  # on the differences, in units of the bound
        self._groups, self._batches = _Labels("group"), _Labels("batch")

    def update(self, first: ArrayLike, second: ArrayLike, *, groups: Any = None, batch: Any = None) -> Watch:
        """Add a piece, in the order in which its cases came.

        Parameters
        ----------
        first, second : array_like, shape (n,)
            Losses of both models on the same cases.
        groups : array_like, shape (n,), optional
            Patients, sites or days: the mean difference of each is one unit. A group must be whole in its piece. A
            watch remembers up to 1,048,576 of them.
        batch : str, number or date, optional
            Name of the piece. A piece whose name is known is left out, with a warning: a job that is run again does not
            count twice.

        Returns
        -------
        Watch
            Itself.

        Raises
        ------
        ValueError
            Lengths differ, a loss is not finite, a difference is larger than the bound, a group came before, or there
            are too many of them.
        """
        validation.same_order(first=first, second=second, groups=groups)
        one, two = (validation.vector(name, values) for name, values in (("first", first), ("second", second)))
        if len(one) != len(two):
            raise ValueError(f"first and second must have the same length, got {len(one)} and {len(two)}")
        if batch is not None and isna(batch) is True:
            raise ValueError(f"batch must name the piece, got {batch}")
        batches = self._batches.of([] if batch is None else [as_text(batch)])
        if self._batches.known(batches):
            warnings.warn(f"batch {as_text(batch)!r} has been counted before, and is left out", stacklevel=2)
            return self
        with np.errstate(over="ignore"):
            gap = one - two
        validation.reject("first minus second", gap, ~np.isfinite(gap), "is too large")
        cases, seen = len(gap), self._groups.of([])
        if groups is not None:
            gap, seen = self._by_group(gap, groups)
        gap = gap / self.bound
        large = np.abs(gap) > 1 + 1e-12
        if large.any() and not self.clip:
            place = int(large.argmax())
            raise ValueError(f"the difference of unit {place} is {gap[place] * self.bound:.4g}, larger than the bound "
                             f"{self.bound:g}: state a larger bound, or cut with clip=True")
        gap = np.clip(gap, -1, 1)
        self.cases, self.clipped = self.cases + cases, self.clipped + int(large.sum())
        self._bets.add(gap)
        self._groups.add(seen)
        self._batches.add(batches)
        return self._look()

    def merge(self, later: Watch) -> Watch:
        """Add what another watch saw after this one.

        Parameters
        ----------
        later : Watch
            A watch with the same bound and level.

        Raises
        ------
        ValueError
            The same watch, a different bound or level, or a group or batch that is in both watches.
        """
        if not isinstance(later, Watch):
            raise ValueError(f"a watch can be merged with another watch, got {type(later).__name__}")
        if (self.bound, self.level, self.clip) != (later.bound, later.level, later.clip):
            raise ValueError("only watches of the same bound, level and clip can be merged")
        if later is self:
            raise ValueError("a watch merged with itself would count each case twice")
        for own, others in ((self._groups, later._groups), (self._batches, later._batches)):
            if both := own.known(others.hashes):
                raise ValueError(f"of the {own.name} labels {both:,} is in both watches")
        self._groups.room(len(later._groups.hashes))
        self.cases, self.clipped = self.cases + later.cases, self.clipped + later.clipped
        self._bets.join(later._bets)
        self._groups.add(later._groups.hashes)
        self._batches.add(later._batches.hashes)
        return self._look()

    def to_json(self) -> str:
        """The state as text, for a file or a database: `from_json` goes on with it where this watch stopped.

        Examples
        --------
        >>> watch = Watch().update([0.2, 0.4], [0.1, 0.4], batch="2026-11-28")
        >>> Watch.from_json(watch.to_json()).update([0.3], [0.1], batch="2026-11-29").n
        3
        """
        return json.dumps({"state": STATE, "bound": self.bound, "level": self.level, "clip": self.clip,
                           "cases": self.cases, "clipped": self.clipped, "since": self.since, "cheaper": self._named,
                           **self._bets.state(), "groups": self._groups.to_text(), "batches": self._batches.to_text()})

    @classmethod
    def from_json(cls, text: str) -> Watch:
        """A watch from what `to_json` wrote.

        Parameters
        ----------
        text : str

        Raises
        ------
        ValueError
            The text is not such a state, or only a part of one, or its numbers contradict each other.
        """
        try:
            state = json.loads(text)
            if state["state"] != STATE:
                raise ValueError(f"it says {state['state']!r:.40}")
            if not isinstance(state["clip"], bool):
                raise ValueError(f"clip is {state['clip']!r}")
            watch = cls(state["bound"], state["level"], clip=state["clip"])
            watch._bets = Bets.of_state(state)
            watch.cases, watch.clipped = (validation.whole(name, state[name], 0) for name in ("cases", "clipped"))
            watch.since = state["since"] if state["since"] is None else validation.whole("since", state["since"])
            named = state["cheaper"]
            watch._named = named if named is None else validation.one_of("cheaper", named, "first", "second")
            for labels, name in ((watch._groups, "groups"), (watch._batches, "batches")):
                labels.from_text(state[name])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"this is not the state of a watch: {type(error).__name__}, {error}") from error
        groups = len(watch._groups.hashes)
        if (max(groups, watch.since or 0) > watch.n or watch.cases < watch.n or watch.cases > watch.n and not groups
                or watch.clipped > watch.n * watch.clip or (watch._named is None) != (watch.since is None)):
            raise ValueError("this is not the state of a watch: its numbers of cases, units and looks contradict each "
                             "other")
        return watch

    def __copy__(self) -> Watch:
        return copy.deepcopy(self)

    @property
    def n(self) -> int:
        """Units so far: cases, or groups."""
        return self._bets.n

    @property
    def mean(self) -> float:
        """Mean of first minus second so far; NaN before the first unit."""
        return self.bound * self._bets.mean

    @property
    def evidence(self) -> tuple[float, float]:
        """Current fortunes of two players: one bets that the first model is cheaper, the other that the second is."""
        return self._bets.evidence

    @property
    def cheaper(self) -> str | None:
        """"first" or "second", as soon as it is established; None until then."""
        return self._named

    @property
    def interval(self) -> tuple[float, float]:
        """All mean differences that are not refuted now, from the smallest to the largest."""
        if not self.n:
            return -self.bound, self.bound
        low, high = (self._bets.end(side, self.level) for side in (1, -1))
        return self.bound * low, self.bound * high

    def __str__(self) -> str:
        if not self.n:
            return "nothing seen yet"
        low, high = self.interval
        units = f"{self.n:,} cases" if self.n == self.cases else f"{self.n:,} groups of {self.cases:,} cases"
        cut = f"; {self.clipped:,} differences were cut at {self.bound:g}" if self.clipped else ""
        said = (f"the {self._named} is cheaper, established after {self.since:,}" if self._named
                else "neither is established to be cheaper")
        return (f"after {units}: {said} (first minus second {self.mean:.4g}, {100 * self.level:.12g}% at all looks "
                f"together: {low:.4g} to {high:.4g}){cut}")

    __repr__ = __str__

    def _by_group(self, gap, groups):
        """Mean difference of each group, in the order in which they came, and their names as text."""
        validation.group_labels(groups, len(gap))
        labels = np.array([as_text(label) for label in np.asarray(groups)])
        names, first, number = np.unique(labels, return_index=True, return_inverse=True)
        seen = self._groups.of(names.tolist())
        if self._groups.known(seen):
            again = next(name for name in names.tolist() if self._groups.known(self._groups.of([name])))
            raise ValueError(f"group {again!r} was in an earlier piece: a group must be whole")
        self._groups.room(len(names))
        mean = np.bincount(number, gap / np.bincount(number)[number])
        return mean[np.argsort(first)], seen

    def _look(self):
        """Name a model once one of the two players has turned 1 into 2 / (1 - level)."""
        if self._named is None and self.n:
            for name, side in (("second", 1), ("first", -1)):
                if self._bets.fortune(0.0, side) >= np.log(2 / (1 - self.level)):
                    self._named, self.since = name, self.n
        return self


def as_text(label: Any) -> str:
    """A label as text, the same whatever type a file's reader gave it: whole numbers without a point, days by date.

    Examples
    --------
    >>> [as_text(label) for label in (1, 1.0, np.int8(1), "1", np.datetime64("2026-11-28T00", "h"))]
    ['1', '1', '1', '1', '2026-11-28']
    """
    if isinstance(label, bytes):
        return label.decode(errors="replace")
    if isinstance(label, np.datetime64):
        written = str(np.datetime_as_string(label)).replace("T", " ")
        written = re.sub(r"\.?0*$", "", written) if "." in written else written
        whole = re.fullmatch(r"(\d{4,}-\d\d-\d\d)( 00(:00){0,2})?", written)
        return whole[1] if whole else written + ":00" * (2 - written.count(":") if " " in written else 0)
    if isinstance(label, datetime.datetime):  # as pandas and CSV files write it
        midnight = label.time() == datetime.time() and label.tzinfo is None
        return str(label.date()) if midnight else str(label)
    if isinstance(label, np.timedelta64 | datetime.timedelta):
        seconds = label / np.timedelta64(1, "s") if isinstance(label, np.timedelta64) else label.total_seconds()
        return f"{seconds:.15g} s"
    if isinstance(label, float | np.floating) and float(label).is_integer():
        label = int(label)
    return str(label)


class _Labels:
    """Labels that came, each as two hashes: of what it means, a number or a time, and of its text.

    Labels are the same by their text. A number that is written in two ways, 1 and "1.0", is none for certain.
    """

    def __init__(self, name: str):
        self.name = name
        self.hashes = np.empty((0, 2), dtype="<u8")  # by the first column

    def of(self, names: Iterable[str]) -> np.ndarray:
        """Hashes of some labels, which must not mean the same."""
        hashes: list[list[int]] = []
        written: dict[Any, str] = {}
        for name in names:
            meaning = _meaning(name)
            other = written.setdefault(("text", name) if meaning is None else ("number", meaning), name)
            if other != name:
                raise ValueError(f"{self.name} {other!r} and {name!r} may be the same: write them in one way")
            hashes.append([_hash("text", name) if meaning is None else _hash("number", meaning), _hash("text", name)])
            known = self.hashes[(place := np.searchsorted(self.hashes[:, 0], hashes[-1][0])):place + 1].tolist()
            if known and known[0][0] == hashes[-1][0] and known[0][1] != hashes[-1][1]:
                raise ValueError(f"{self.name} {name!r} may be the same as an earlier one that is written in another "
                                 f"way: write them in one way")
        return np.array(hashes, dtype="<u8").reshape(-1, 2)

    def known(self, hashes: np.ndarray) -> int:
        """How many of these came before."""
        return int(np.isin(hashes[:, 0], self.hashes[:, 0]).sum())

    def room(self, more: int) -> None:
        """Refuse more labels than are remembered."""
        if len(self.hashes) + more > MOST_GROUPS:
            raise ValueError(f"a watch remembers {MOST_GROUPS:,} {self.name}s, and these would be "
                             f"{len(self.hashes) + more:,}: take larger {self.name}s, such as days, or leave them out")

    def add(self, hashes: np.ndarray) -> None:
        """Remember them."""
        rows = np.concatenate([self.hashes, hashes])
        self.hashes = rows[np.argsort(rows[:, 0], kind="stable")]

    def to_text(self) -> str:
        """All of them, in base 64."""
        return base64.b64encode(self.hashes.tobytes()).decode()

    def from_text(self, text: str) -> None:
        """What `to_text` wrote."""
        rows = np.frombuffer(base64.b64decode(text, validate=True), dtype="<u8").reshape(-1, 2)
        if (np.diff(rows[:, 0].astype(object)) <= 0).any():
            raise ValueError(f"{self.name}s are not in order")
        self.hashes = rows


def _hash(kind, meaning):
    return int.from_bytes(hashlib.blake2b(repr((kind, meaning)).encode(), digest_size=8).digest(), "little")


def _meaning(name):
    """The number, to its last digit, or the time in UTC, that a label writes, or None; "01" is a name."""
    name = {"true": "1", "false": "0"}.get(name.strip().lower(), name.strip())
    if re.fullmatch(r"[-+]?(0|[1-9]\d*)?(\.\d*)?(e[-+]?\d+)?", name, re.IGNORECASE) and re.match(r"[-+.]*\d", name):
        mantissa, _, power = name.lower().partition("e")  # decimal refuses powers of twenty digits
        sign, digits, own = Decimal(mantissa).as_tuple()
        text = "".join(map(str, digits)).lstrip("0")
        kept = text.rstrip("0")
        return ("-" * sign + kept, int(own) + int(power or 0) + len(text) - len(kept)) if kept else ("", 0)
    if re.match(r"\d{4}-\d\d-\d\d", name):
        finer = re.match(r"(.*\.\d{6})(\d+)(.*)", name, re.DOTALL)  # than a microsecond
        try:
            time = datetime.datetime.fromisoformat(finer[1] + finer[3] if finer else name)
        except ValueError:
            return None
        since = (time if time.tzinfo else time.replace(tzinfo=datetime.UTC)) - datetime.datetime.min.replace(
            tzinfo=datetime.UTC)
        return "time", since // datetime.timedelta(microseconds=1), finer[2].rstrip("0") if finer else ""
    return None
