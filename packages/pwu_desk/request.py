"""What was asked of a file, what was found in it, and what is said of that.

Implements no part of a source. The command line, `pwu_desk.read` and the page in a browser ask by a `Request` and are
answered by the findings of a `Found`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pwu_lite.reporting.rules import RULES

from .columns import Columns

__all__ = ["LISTED", "RANGES", "Finding", "Found", "Request", "Role", "findings_of", "offers"]

RANGES = ("ratio", "error", "share", "range")
LISTED = 20  # columns that are left out, by name
OFFERED = re.compile(r"""(?:\b(?:add|or|say|write|with|give|name)|:|,)[ ]--([a-z][a-z-]*)[ ]  # an option, offered
                     ('(?:[^']|'"'"')*'|[^\s,;]+)""", re.IGNORECASE | re.VERBOSE)  # and its value, quoted for a shell
NAMED = re.compile(r"--[a-z][a-z-]+")
WITHOUT_VALUE = {"ignore-punctuation", "recalibrate"}


@dataclass(frozen=True)
class Request:
    """What was asked: the options of ``pwu compare`` by their names, as they were given; nothing changes them.

    Examples
    --------
    >>> Request("sales.csv", truth="sold", decision="orders", ratio="2:9").ratio
    '2:9'
    """

    file: Any
    truth: str | None = None
    decision: str = "binary"
    event: str | None = None
    models: str | None = None
    groups: str | None = None
    weights: str | None = None
    missing: str = "refuse"
    truth_file: Any = None
    coverage: float | None = None
    time: str | None = None
    horizon: float | None = None
    competing: str | None = None
    count: str | None = None
    only: Any = None
    model_column: Any = None
    confidence_of: str | None = None
    percent: str | None = None
    ignore_punctuation: bool = False
    costs: Any = None
    ratio: str | None = None
    error: str | None = None
    share: str | None = None
    range: str | None = None
    threshold: str | None = None
    prior: str | None = None
    cost_share: str | None = None
    case_costs: str | None = None
    recalibrate: bool = False
    blocks: int | None = None
    resamples: int = 1000
    seed: int = 0
    against: str | None = None
    margin: str | None = None
    gate: bool = False
    by: str | None = None
    html: str | None = None
    json: bool = False
    markdown: bool = False

    @property
    def may_lack(self) -> bool:
        """May forecasts be missing?"""
        return self.missing == "pairwise"

    def cost_columns(self) -> list[str]:
        """The four columns of each case's costs."""
        names = [name.strip() for name in self.case_costs.split(",")] if self.case_costs else []
        if len(names) != 4:
            raise ValueError(f"--case-costs must be four columns, C_FP,C_FN,C_TP,C_TN, got {self.case_costs!r}")
        return names


class Role(NamedTuple):
    """What a column is, and how that is known.

    Attributes
    ----------
    role : str
        Such as *truth*, *groups*, *weights*, *forecast*, or *left out*.
    evidence : str
        *asked*, *its name*, *its values*, or the reason why it is left out.
    """

    role: str
    evidence: str


class Finding(NamedTuple):
    """What is said of a file.

    Attributes
    ----------
    sentence : str
    severity : {"refuse", "ask", "remark"}
        The file cannot be used as it was asked for; something is open and an option answers it; a word on what was
        read.
    option : str
        The first option that the sentence offers or names, with its value as a shell reads it; or nothing.
    """

    sentence: str
    severity: str
    option: str


def offers(sentence: str) -> list[tuple[str, str]]:
    """Each option that a sentence offers, and its value as a shell reads it.

    Examples
    --------
    >>> offers("say which it is: --confidence-of 'first label', or --confidence-of none.")
    [('confidence-of', "'first label'"), ('confidence-of', 'none')]
    """
    found = [(name, value.rstrip(".?")) for name, value in OFFERED.findall(sentence)]
    return [(name, value) for name, value in dict.fromkeys(found) if name not in WITHOUT_VALUE]


def findings_of(sentences: list[str], refused: bool = False) -> list[Finding]:
    """Sentences as findings; what offers an option asks.

    Examples
    --------
    >>> findings_of(["Rows with the same day are alike: with --groups day intervals are 1.4 times as wide."])[0].option
    '--groups day'
    >>> findings_of(["line 3: 1.31 is not a probability"], refused=True)[0].severity
    'refuse'
    """
    found = []
    for sentence in sentences:
        offered, named = offers(sentence), NAMED.search(sentence)
        option = f"--{' '.join(offered[0])}" if offered else named[0] if named else ""
        found.append(Finding(sentence, "refuse" if refused else "ask" if option else "remark", option))
    return found


@dataclass
class Found:
    """What is known of a file while it is read: which part each column has, by what evidence, and what is said of it.

    Attributes
    ----------
    asked : Request
    truth, event, groups, weights, confidence_of : str or None
        As asked, or as taken from the file.
    decided : Decision
        The family, and how it is stated and read.
    columns : list of str
    notes : list of str
        What was read, in sentences.
    declined : set of str
        Parts of which it was said that no column has them.
    evidence : dict of str to str
        Of parts that were taken: by what.
    counts
        How the values of each column repeat.
    stake, sunk, observed
        Of each case: the money at stake, what is paid anyway, the weight for those that were lost.

    Examples
    --------
    >>> found = Found(Request("f.csv", truth="y"))
    >>> found.take("groups", "patient", "its name")
    >>> found.roles()
    {'y': Role(role='truth', evidence='asked'), 'patient': Role(role='groups', evidence='its name')}
    """

    asked: Request
    columns: list[str] = field(default_factory=list, init=False)
    notes: list[str] = field(default_factory=list, init=False)
    declined: set[str] = field(default_factory=set, init=False)
    evidence: dict[str, str] = field(default_factory=dict, init=False)
    counts: Columns = field(default_factory=Columns, init=False)
    decided: Any = field(default=None, init=False)
    stake: Any = field(default=None, init=False)
    sunk: Any = field(default=None, init=False)
    observed: np.ndarray | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        asked = self.asked
        self.truth, self.event, self.groups = asked.truth, asked.event, asked.groups
        self.weights, self.confidence_of = asked.weights, asked.confidence_of

    def take(self, role: str, column: str | None, evidence: str) -> None:
        """A column has this part, or none has."""
        setattr(self, role, column)
        self.evidence[role] = evidence

    def decline(self, role: str) -> None:
        """`none` was said: no column has this part, and none is looked for."""
        self.take(role, None, "asked")
        self.declined.add(role)

    def outcome(self) -> str:
        """The column of outcomes, which must be known by now."""
        if self.truth is None:
            raise ValueError("name the column of outcomes with --truth")
        return self.truth

    @property
    def special(self) -> set[Any]:
        """Columns that have another part than a forecast."""
        asked = self.asked
        own = asked.cost_columns() if asked.case_costs else []
        labels = between_commas(self.confidence_of, self.columns.__contains__)
        return {self.truth, self.weights, self.groups, asked.competing, asked.cost_share, asked.time, asked.by, *own,
                *labels}

    @property
    def is_joint(self) -> bool:
        """Do cases compete, so that there is no loss of each?"""
        return not self.decided.family.separable

    def named(self) -> list[str]:
        """Names of models between commas; a comma inside a column's own name separates nothing."""
        return between_commas(self.asked.models, self._is_known)

    def _is_known(self, name):
        """A column, or what the columns of a model begin with."""
        return any(_belongs(column, name) for column in self.columns)

    def others(self, frame: Any) -> list[str]:
        """Names of the columns that may belong to a forecast."""
        named = self.named()
        names = [str(name) for name in frame.columns if name not in self.special]
        return [name for name in names if any(_belongs(name, model) for model in named)] if named else names

    def chosen(self, models: dict[str, Any], needs: str) -> dict[str, Any]:
        """The models asked for, or all; a ValueError that says which columns a model needs."""
        named = self.named()
        missing = [name for name in named if name not in models]
        if missing and models:
            raise ValueError(f"a model needs columns {needs}; they are there for {', '.join(models)}, not for "
                             f"{', '.join(missing)}")
        if missing or not models:
            long = (" The file seems to have one row per model: make it one row per case first, in pandas with "
                    'table.pivot(columns="model", ...).') if "model" in map(str.lower, self.columns) else ""
            raise ValueError(f"a model needs columns {needs}, which were found for no model. The columns are: "
                             f"{', '.join(self.columns[:LISTED])}.{long}")
        check_models(named or models)
        return {name: models[name] for name in named or models}

    def roles(self, used: Collection[str] = (), left: dict[str, str] | None = None) -> dict[str, Role]:
        """The part of each column, with its evidence; of forecasts and of what is left out, if they are given."""
        asked = self.asked
        parts = {"truth": self.truth, "groups": self.groups, "weights": self.weights, "time": asked.time,
                 "by": asked.by, "cost_share": asked.cost_share,
                 "competing": asked.competing if asked.competing in self.columns else None}
        roles = {str(name): Role(role, self.evidence.get(role, "asked")) for role, name in parts.items() if name}
        known = "asked" if asked.models else "its values" if asked.decision in ("binary", "top-k") else "its name"
        roles |= {name: Role("forecast", known) for name in sorted(map(str, used)) if name not in roles}
        return roles | {str(name): Role("left out", reason) for name, reason in (left or {}).items()}


def between_commas(text: str | None, known: Callable[[str], bool]) -> list[str]:
    """Names between commas; a comma inside of a name that is known separates nothing.

    Examples
    --------
    >>> between_commas("a,b, t=60,c", {"a", "b, t=60"}.__contains__)
    ['a', 'b, t=60', 'c']
    """
    parts, names = text.split(",") if text else [], []
    while parts:
        ends = [end for end in range(len(parts), 0, -1) if known(",".join(parts[:end]).strip())]
        end = ends[0] if ends else 1
        names.append(",".join(parts[:end]).strip())
        parts = parts[end:]
    return names


def check_models(names: Any) -> None:
    """Not more columns than somebody compares."""
    if len(names) > RULES["most_models"]:
        raise ValueError(f"{len(names):,} columns look like forecasts, more than {RULES['most_models']}: name some "
                         "with --models A,B")


def _belongs(name, model):
    """Is it a column of the model: its name, or its name and a separator?"""
    return name == model or name.startswith(model) and re.match(
        r"[ _.:-]|[\[(]?\d+[\])]?$", name[len(model):]) is not None
