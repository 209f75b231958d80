"""States of the instrument: what each chapter changes in the one picture.

Implements equations (3) and (4) of the PWU paper. Costs are in the unit of the theory: a miss and a false alarm of the
same decision maker cost one together. A bill counts the false alarms of a decision maker: the cost over c.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from pwu_desk import robust
from pwu_lite import _resampling, elicitation, validation
from pwu_lite.families import BinaryDecision
from pwu_lite.priors import Beta, Dirac, Prior
from pwu_lite.pwu import PWU

from ._drawing import EVERY, GRID
from .element import Control, Instrument, View

__all__ = ["beliefs", "costs", "curves", "hill", "labels", "readers", "undecided"]

WIDTHS = {"not at all": 0.0, "a little": 0.3, "somewhat": 0.6, "much": 1.0}  # spread of the log odds of c
FAMILY = BinaryDecision()


def around(c: float, width: float) -> Prior:
    """The hill around a cost share: ``Beta(1 / (w**2 (1 - c)), 1 / (w**2 c))``, its peak on the axis at c, mean c.

    Parameters
    ----------
    c : float
        Cost share in (0, 1).
    width : float
        About the standard deviation of the log odds; 0 for no doubt.

    Examples
    --------
    >>> around(0.02, 0.0)
    Dirac(at=0.02)
    """
    return Dirac(c) if width == 0 else Beta(1 / (width**2 * (1 - c)), 1 / (width**2 * c))


def costs(y_true: ArrayLike, models: Mapping[str, Any], *, per: int = 1, case: str = "case",
          prior: Prior | None = None, prior_title: str = "", mark: float | None = None,
          cheaper: Sequence[str] | None = None, words: str = "") -> Instrument:
    """Cost curves as a picture, with a prior's hill or a mark.

    Parameters
    ----------
    y_true : array_like, shape (n,)
    models : mapping of name to y_prob
        At most six.
    per : int
        Number of cases that a cost is for.
    case : str
        What a decision is about; plural if `per` is not one.
    prior : Prior, optional
    prior_title : str
    mark : float, optional
        A cost share.
    cheaper : sequence of str, optional
        See `Instrument`.
    words : str
        Text alternative; by default what is drawn.
    """
    models = validation.named("models", models)
    return curves(_curves(y_true, models, per), title=_title(per, case), prior=prior, prior_title=prior_title,
                  mark=mark, cheaper=cheaper, words=words or _alternative(models, prior is not None))


def curves(values: Mapping[str, Any], *, title: str, words: str, prior: Prior | None = None, prior_title: str = "",
           mark: float | None = None, cheaper: Sequence[str] | None = None) -> Instrument:
    """Any curves over the axis as a picture.

    Parameters
    ----------
    values : mapping of name to array_like, shape (161,)
        Heights at `GRID`.
    title, words : str
        See `Instrument`.
    prior, prior_title, mark, cheaper
        See `costs`.
    """
    view = View(hill=None if prior is None else weight(prior), title=prior_title, mark=mark)
    return Instrument(values, title, words, view=lambda: view, cheaper=cheaper)


def hill(y_true: ArrayLike, models: Mapping[str, Any], *, start: float = 49.0, ratios: Sequence[float] = (199, 49, 9),
         widths: Mapping[str, float] = WIDTHS, scores: Mapping[str, Any] | None = None, per: int = 1000,
         case: str = "cases", miss: str = "a miss", alarm: str = "false alarms",
         plates: bool = False, votes: Mapping[str, str] | None = None) -> Instrument:
    """Two models' curves, and a place on the axis that can be pulled: the bill there, or on average around it.

    Parameters
    ----------
    y_true : array_like, shape (n,)
    models : mapping of name to y_prob
        Two.
    start : float
        False alarms that a miss costs, where the mark stands first.
    ratios : sequence of float
        Places to jump to.
    widths : mapping of words to float
        Doubts to choose from; see `around`.
    scores : mapping of name to (loss if 1, loss if 0), optional
        Functions of the forecast as sympy expressions in one symbol, whose own hills can be shown instead.
    per : int
        Number of cases that a bill is for.
    case, miss, alarm : str
        What a decision is about (plural), and what its two mistakes are called.
    plates : bool
        Also what becomes of a thousand cases.
    votes : mapping of str to str, optional
        Metrics, and the model that each of them prefers: how many are on the reader's side is said first, and nothing
        of the unit of the curves.

    Raises
    ------
    ValueError
        Not two models, or a vote for another one.

    Examples
    --------
    >>> shown = hill([1, 0, 0, 1], {"a": [0.6, 0.3, 0.1, 0.9], "b": [0.9, 0.7, 0.2, 0.8]}, start=1)
    >>> shown.view(shown.controls[0].start, 0).words[0]
    'If both mistakes cost the same: a 0, b 250.'
    """
    models = _pair(models)
    y, names, (one, two) = np.asarray(y_true), list(models), [np.asarray(f, dtype=float) for f in models.values()]
    jumps = {ratio: 1 / (1 + ratio) for ratio in dict.fromkeys((*ratios, start))}
    places = np.unique(np.round([*GRID[8:-8:2], *jumps.values()], 12))
    beliefs_of = {name: _belief(name, pair, y, (one, two), names) for name, pair in (scores or {}).items()}

    def bill(c, width):
        """Words, cost of both models in false alarms, and who is cheaper."""
        paid = [per / c * PWU(FAMILY, around(c, width)).per_sample(y, f) for f in (one, two)]
        mean, half = [float(each.mean()) for each in paid], 1.96 * np.std(paid[0] - paid[1]) / y.size**0.5
        gap, ratio = mean[1] - mean[0], f"{(1 - c) / c:.3g}"
        order = (names[0], names[1]) if gap > 0 else (names[1], names[0])
        low, high = min(mean), max(mean)
        about, mean_of = ("about ", "on average ") if width else ("", "")
        where = (f"both mistakes cost {about}the same" if ratio == "1" else f"{miss} costs {about}{ratio} {alarm}")
        first = f"If {where}: {mean_of}{order[0]} {low:,.0f}, {order[1]} {high:,.0f}."
        luck = f"(95% interval: ±\u00a0{half:,.0f})"
        second = (f"{order[0]} is cheaper, by {abs(gap):,.0f} {alarm} per {per:,} {case} {luck}." if abs(gap) > half
                  else f"Undecided: the difference is {abs(gap):,.0f} {alarm} {luck}.")
        said: tuple[str, ...] = (first, second[0].upper() + second[1:])
        if votes:
            with_you = sum(name == order[0] for name in votes.values())
            said = (f"{with_you} of {len(votes)} metrics are on your side." if abs(gap) > half
                    else f"These {case} cannot tell.", *said)
        if width == 0 and not votes:  # the curves have another unit than the bill
            at = [f"{c * value:.3g}" for value in (low, high)]
            said += (f"The curves say {at[0]} and {at[1]}: there both mistakes together cost one, and here {1 / c:.3g} "
                     f"{alarm}.",)
        return said, mean

    def view(place, width=0, whose=0):
        if whose:
            name, belief = list(beliefs_of.items())[whose - 1]
            return replace(belief, words=(f"What the {name} believes.", *belief.words)) if votes else belief
        c, spread = float(places[place]), list(widths.values())[width]
        said, mean = bill(c, spread)
        prior = around(c, spread)
        return View(said, (float(f"{prior.a:.6g}"), float(f"{prior.b:.6g}")) if isinstance(prior, Beta) else None,
                    "" if spread == 0 else "your hill: how likely each cost share is to you", c,
                    [(k, f"{name}: {value:,.0f} {alarm}", round(100 * value / max(*mean, 1e-12), 1))
                     for k, (name, value) in enumerate(zip(names, mean, strict=True))],
                    [_fates(y, f, c) for f in (one, two)] if plates else None)

    if not set((votes or {}).values()) <= set(names):
        raise ValueError(f"votes are for {' or '.join(names)}, got {votes!r}")
    at = int(np.abs(places - jumps[start]).argmin())
    controls = [Control("slider", "costs", f"{alarm} that {miss} costs", [f"{(1 - c) / c:.3g}" for c in places], at),
                Control("slider", "unsure", "how unsure you are", list(widths)),
                Control("choice", "whose", "whose hill", [
                    "yours, if you are unsure", *(f"that of the {name}" for name in beliefs_of)])]
    controls = [control for control in controls if len(control.options) > 1]
    return Instrument(_curves(y, models, per), _title(per, case), _alternative(models, True), controls, view,
                      places.tolist(), {"the same" if ratio == 1 else f"{ratio:g} {alarm}":
                                        int(np.abs(places - jumps[ratio]).argmin()) for ratio in ratios},
                      f"{miss} costs", axis=f"{miss} costs as many {alarm} as", case=case, votes=votes or {})


def beliefs(y_true: ArrayLike, models: Mapping[str, Any], scores: Mapping[str, Any], *,
            people: Mapping[str, float] | None = None, start: int = 0, per: int = 1, case: str = "case",
            sample_weight: ArrayLike | None = None) -> Instrument:
    """Pick a score: its own hill under the curves, or the reason why it has none.

    Parameters
    ----------
    y_true : array_like, shape (n,)
    models : mapping of name to y_prob
        Two to six.
    scores : mapping of name to (loss if 1, loss if 0), Prior or str
        Sympy expressions in one symbol; a prior stands for the PWU with it; for a score that averages no costs
        give the sentence that says why.
    people : mapping of name to float, optional
        Decision makers by their cost share, named on the axis; the words say whom the score weights more.
    start : int
        Which score is shown first.
    sample_weight : array_like, shape (n,), optional
    per, case
        See `costs`.

    Raises
    ------
    ValueError
        One model, or a score with free parameters.
    """
    models = validation.named("models", models)
    if len(models) < 2:
        raise ValueError("this state compares models, got one")
    y, names, forecasts = np.asarray(y_true), list(models), [np.asarray(f, dtype=float) for f in models.values()]
    views = [View((f"The {name} has no hill. {pair}",)) if isinstance(pair, str)
             else _belief(name, pair, y, forecasts, names, people, sample_weight) for name, pair in scores.items()]
    return Instrument(_curves(y, models, per, sample_weight), _title(per, case), _alternative(models, True),
                      [Control("choice", "score", "score", list(scores), start)], lambda which: views[which],
                      people=people or {})


def undecided(y_true: ArrayLike, models: Mapping[str, Any], *, start: float = 9.0, repeats: int = 500, seed: int = 0,
              per: int = 1, case: str = "case", miss: str = "a miss", alarm: str = "false alarms") -> Instrument:
    """Two models' curves and, at each cost share by itself, who is cheaper in all but 5% of paired resamples.

    Parameters
    ----------
    y_true : array_like, shape (n,)
    models : mapping of name to y_prob
        Two.
    start : float
        False alarms that a miss costs, where the mark stands first.
    repeats, seed : int
        Resamples of the cases, the same ones for both models.
    per, case, miss, alarm
        See `hill`.
    """
    models = _pair(models)
    names, curves = list(models), _curves(y_true, models, per)
    low, high = _band(y_true, models, repeats, seed, per)
    gap = curves[names[1]] - curves[names[0]]
    tiny = 1e-12 * np.maximum(*(np.abs(curve) for curve in curves.values()))
    cheaper = np.where(low > tiny, names[0], np.where(high < -tiny, names[1], "undecided"))
    cheaper = np.where((np.abs(gap) <= tiny) & (high - low <= tiny), "both the same", cheaper)

    def view(place):
        k, verdict = place * EVERY, str(cheaper[place * EVERY])
        said = {names[0]: f"{names[0]} is cheaper", names[1]: f"{names[1]} is cheaper",
                "undecided": "undecided, the band of the difference contains zero"}.get(verdict, "both cost the same")
        digits = ".3g" if per == 1 else ",.1f"
        return View((f"Where {miss} costs {(1 - GRID[k]) / GRID[k]:.3g} {alarm}: {said}.",
                     f"{names[1]} minus {names[0]}: {gap[k]:{digits}}, from {low[k]:{digits}} to {high[k]:{digits}}."),
                    mark=GRID[k])

    places = GRID[::EVERY]
    return Instrument(curves, _title(per, case), _alternative(models, False),
                      [Control("slider", "costs", f"{miss} costs so many {alarm}",
                               [f"{(1 - c) / c:.3g}" for c in places], int(np.abs(places - 1 / (1 + start)).argmin()))],
                      view, places, cheaper=cheaper.tolist(), axis=f"{miss} costs as many {alarm} as")


def readers(y_true: ArrayLike, models: Mapping[str, Any], modes: Sequence[float], sizes: Sequence[float], *,
            start: tuple[int, int] = (0, 0), per: int = 1, case: str = "case") -> Instrument:
    """Several models' curves under a Beta prior that moves: how they rank, and who could be best by its three points.

    Parameters
    ----------
    y_true : array_like, shape (n,)
    models : mapping of name to y_prob
        Two to six.
    modes, sizes : sequence of float
        Modes to choose from, and concentrations a + b - 2.
    start : (int, int)
        Places in `modes` and `sizes` at which the instrument opens.
    per, case
        See `costs`.
    """
    models = validation.named("models", models)
    y, names = np.asarray(y_true), list(models)
    priors = [[elicitation.beta_from_mode(mode, size) for size in sizes] for mode in modes]

    def view(mode, size, any_prior):
        prior = priors[mode][size]
        points = prior.ppf([0.05, 0.5, 0.95])
        words = [f"At 5%, 50% and 95%: {'; '.join(FAMILY.words(float(c)) for c in points)}."]
        losses = {name: PWU(FAMILY, prior)(y, f) for name, f in models.items()}
        ranking = sorted(losses, key=lambda name: (float(f"{losses[name]:.12g}"), names.index(name)))
        if any_prior:
            agreed = robust.Quantiles({float(c): level for c, level in zip(points, (0.05, 0.5, 0.95), strict=True)})
            best = robust.order(FAMILY, agreed, y, models).maximal
            words.append(f"Any prior with these three points: could be best {', '.join(best)}.")
        else:
            words.append(f"Ranking: {', '.join(ranking)}.")
        most = max(losses.values()) or 1.0
        return View(words, (float(f"{prior.a:.6g}"), float(f"{prior.b:.6g}")),
                    f"Beta({prior.a:.3g}, {prior.b:.3g})", modes[mode],
                    [(names.index(name), f"{name}: {per * losses[name]:.4g}", round(100 * losses[name] / most, 1))
                     for name in ranking])

    controls = [Control("slider", "mode", "mode, the most likely c", [f"{mode:g}" for mode in modes], start[0]),
                Control("slider", "concentration", "concentration", [f"{size:g}" for size in sizes], start[1]),
                Control("box", "any", "any prior that has these three points", ["", "any"])]
    return Instrument(_curves(y, models, per), _title(per, case), _alternative(models, True), controls, view, modes,
                      ranked=True)


def labels(y_true: ArrayLike, models: Mapping[str, Any], prior: Prior, *, sizes: Sequence[int], draws: int = 12,
           seed: int = 0, per: int = 1, case: str = "case") -> Instrument:
    """Two models' curves on a sample of the labels: how often does the verdict change with the sample?

    Parameters
    ----------
    y_true : array_like, shape (n,)
    models : mapping of name to y_prob
        Two.
    prior : Prior
        Its hill stays.
    sizes : sequence of int
        Numbers of labels to choose from.
    draws, seed : int
        Samples of each size, drawn with replacement.
    per, case
        See `costs`.
    """
    models = _pair(models)
    y, names, score = np.asarray(y_true), list(models), PWU(FAMILY, prior)
    forecasts = {name: np.asarray(f, dtype=float) for name, f in models.items()}
    shape, rng = weight(prior), np.random.default_rng(seed)
    rows = {n: [rng.integers(0, y.size, n) for _ in range(draws)] for n in sizes}
    paid = {name: score.per_sample(y, f) for name, f in forecasts.items()}
    wins = {n: sum(paid[names[0]][some].mean() < paid[names[1]][some].mean() for some in each)
            for n, each in rows.items()}

    def view(size, draw):
        n = sizes[size]
        some = rows[n][draw]
        mean = [per * float(paid[name][some].mean()) for name in names]
        best = names[int(mean[1] < mean[0])]
        first = f"{names[0][:1].upper()}{names[0][1:]}"
        return View((f"With these {n:,} labels {best} is cheaper.",
                     f"{first} is the cheaper one in {wins[n]} of {draws} samples of {n:,}."), shape,
                    "the hill: for whom the models are compared", None,
                    [(k, f"{name}: {value:.3g}", round(100 * value / max(*mean, 1e-12), 1))
                     for k, (name, value) in enumerate(zip(names, mean, strict=True))],
                    curves=list(_curves(y[some], {name: f[some] for name, f in forecasts.items()}, per).values()))

    controls = [Control("slider", "labels", "labels", [f"{n:,}" for n in sizes]),
                Control("slider", "sample", "another sample", [str(k + 1) for k in range(draws)])]
    return Instrument(_curves(y, models, per), _title(per, case), _alternative(models, True), controls, view)


def _pair(models):
    models = validation.named("models", models)
    if len(models) != 2:
        raise ValueError(f"this state compares two models, got {len(models)}")
    return models


def weight(prior: Prior) -> Any:
    """A prior's weight for each unit of the axis, which is the log odds of c: the density times ``c (1 - c)``."""
    c = GRID[::EVERY]
    height, stems = np.zeros(c.size), np.zeros(c.size)
    for share, part in prior.parts:
        if isinstance(part, Dirac):  # a point mass is a stem, of a height that says its share
            stems[np.abs(logit(c) - logit(part.at)).argmin()] += share
        else:
            height = height + share * np.asarray(part.pdf(c)) * c * (1 - c)
    return height + stems * (height.max() or 1.0)


def _curves(y_true, models, per, sample_weight=None):
    return {name: -per * FAMILY.utility(GRID, y_true, f, sample_weight=sample_weight) for name, f in models.items()}


def _title(per, case):
    return f"cost per {case if per == 1 else f'{per:,} {case}'}, lower is better"


def _alternative(models, hilly):
    below = ", and under them a hill of weights" if hilly else ""
    return f"Cost of {' and '.join(map(str, models))} at every cost share{below}"


def _band(y_true, models, repeats, seed, per):
    return per * _resampling.bands(FAMILY, GRID, y_true, [(f,) for f in models.values()], 0, repeats=repeats,
                                   seed=seed)[1]


def _fates(y, f, c):
    """How many of a thousand cases are caught, missed, alarms, left alone; the rest goes to the largest remainders."""
    acts = f > c
    share = 1000 * np.array([(y == 1) & acts, (y == 1) & ~acts, (y == 0) & acts, (y == 0) & ~acts]).mean(axis=1)
    whole = np.floor(share).astype(int)
    whole[np.argsort(whole - share, kind="stable")[:1000 - whole.sum()]] += 1
    return whole.tolist()


def _belief(name, pair, y, forecasts, names, people=None, sample_weight=None):
    """The view of a score: its hill from its formula, and which model it prefers."""
    if isinstance(pair, Prior):
        mean = [PWU(FAMILY, pair)(y, f, sample_weight=sample_weight) for f in forecasts]
        return View((_prefers(name, names, mean),), weight(pair), name, bills=_ranked(names, mean))
    import sympy as sp  # the other states do without: in a page it is half of what Python fetches

    from pwu_lite import symbolic

    losses = [symbolic.read(f"a loss of {name}", loss) for loss in pair]
    symbols = {symbol for loss in losses for symbol in loss.free_symbols}
    if len(symbols) != 1:
        raise ValueError(f"{name}: the losses must have one symbol, the forecast: put numbers for the parameters")
    (p,) = symbols
    try:
        prior = symbolic.binary_prior(*losses, p)
    except symbolic.NotAligned as refusal:
        return View((f"{name[0].upper()}{name[1:]}: no hill. {_forbidden(refusal)}",))
    c = GRID[::EVERY]
    height = np.zeros(c.size)
    if prior.density != 0:
        at = sp.lambdify(prior.symbol, prior.density, ["scipy", "numpy"])
        height = np.broadcast_to(at(c), c.shape) * c * (1 - c)
    for place in prior.atoms:  # a point mass is one narrow stem
        height = height + np.where(np.arange(c.size) == np.abs(c - float(place)).argmin(), max(height.max(), 1.0), 0)
    one, zero = (sp.lambdify(p, loss, ["scipy", "numpy"]) for loss in losses)
    with np.errstate(all="ignore"):
        mean = [float(np.average(np.where(y == 1, one(f), zero(f)), weights=sample_weight)) for f in forecasts]
    words = [_prefers(name, names, mean)]
    if people:
        asked = {who: float(sp.lambdify(prior.symbol, prior.density, ["scipy", "numpy"])(share)) if prior.density != 0
                 else 0.0 for who, share in people.items()}
        words.append(_served(asked, people))
    title = f"{name}: prior {_words(prior)}"
    return View(words, height, title, bills=_ranked(names, mean))


def _forbidden(refusal):
    """The two forecasts that no weighting of costs ranks as the score does."""
    if refusal.witness is None:
        return f"{refusal.reason}."
    found = refusal.witness.comparisons[0]
    one, two = (", ".join(f"{f:.3g}" for f in side[0]) for side in (found.better, found.worse))
    labels = ", ".join(f"{y:g}" for y in found.y_true)
    return (f"If the labels are {labels}, it prefers the forecasts {one} to {two}, although {one} are the cheaper "
            "ones at no cost share.")


def _prefers(name, names, mean):
    best, second = np.argsort(mean, kind="stable")[:2]
    first = f"{name[0].upper()}{name[1:]}: "
    if mean[second] - mean[best] <= 1e-12 * abs(mean[second]):
        return f"{first}{names[best]} and {names[second]} tie, at {mean[best]:.4g}."
    return f"{first}prefers {names[best]}, {mean[best]:.4g} against {mean[second]:.4g} for {names[second]}."


def _ranked(names, mean):
    """A line for each of more than two models, the best first."""
    if len(names) == 2:
        return []
    return [(int(k), f"{names[k]}: {mean[k]:.4g}", round(100 * mean[k] / max(mean), 1))
            for k in np.argsort(mean, kind="stable")]


def _words(prior):
    density = str(prior.density).replace("**", "^").replace("*", "").replace(" - ", " \N{MINUS SIGN} ")
    parts = [f"density {density}"] if prior.density != 0 else []
    return " and ".join([*parts, *(f"point mass {float(m):g} at {float(at):g}" for at, m in prior.atoms.items())])


def _served(asked, people):
    """Whom a score weights most and whom least."""
    most, least = max(asked, key=asked.__getitem__), min(asked, key=asked.__getitem__)
    if asked[most] == asked[least]:
        most, *_, least = asked
    dear, cheap = (f"the {who} (c = {people[who]:g})" for who in (most, least))
    if asked[most] == asked[least]:
        return f"It weights {dear} and {cheap} alike." if asked[most] else "It gives neither of them weight."
    if not asked[least]:
        return f"It weights {dear}, and {cheap} not at all."
    return f"It weights {dear} {asked[most] / asked[least]:.3g} times as much as {cheap}."
