"""Lending to strangers: a budget that buys one loan, and two decisions that a forecast of default can serve.

Implements the PWU paper's section 5.2 and appendix J.2 (peer-to-peer lending), as published and as corrected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pwu_lite.families import BinaryDecision, TopK
from pwu_lite.priors import Dirac
from pwu_lite.pwu import PWU

from .. import released
from ..runs import datasets, models
from ..runs.tasks import BINARY, Fold
from .study import Data, Study, annuity, beta_of, column, columns_of, expect, known_up_to_an_error, read

__all__ = ["BUDGET", "FUNDS", "LOSS", "PREPAID", "STUDY", "best_notes", "by_grade", "expected_return", "greedy",
           "knapsack", "load", "margin", "parts", "pool", "tables", "thresholds"]

FUNDS = 0.0294  # a year; what the investor's money earns elsewhere
LOSS = 0.45  # of the principal that a default costs, after what was paid back
PREPAID = 0.62  # of the scheduled interest that good loans really pay: many are paid back early
BUDGET = 15_000  # USD
NOTES = 0.3  # of a pool that is bought in notes: 600 of 2,000
TRAIN, SCORED = 4000, 2000  # loans to learn from, and in each of the two pools
GRADES = "ABCDEFG"


def margin(rate: ArrayLike, months: ArrayLike, *, funds: float = FUNDS, prepaid: float = 1.0) -> np.ndarray:
    """What a dollar of a good loan earns, as present value: ``prepaid * (annuity(rate)/annuity(funds) - 1)``.

    Parameters
    ----------
    rate : array_like of shape (n,)
        A year's, as a share (0.14, not 14).
    months : array_like of shape (n,)
        Terms.
    funds : float
        A year's, as a share.
    prepaid : float
        Share of the scheduled margin that is paid, in (0, 1].

    Raises
    ------
    ValueError
        A rate that looks like per cent or like a month's, a term of no months; named with its row.

    Examples
    --------
    >>> margin([0.14, 0.26], [36, 60]).round(3).tolist()
    [0.176, 0.669]
    """
    yearly, terms = _rates(rate), column("months", months, 1, 600, "months")
    for name, value, most in (("funds", funds, 0.2), ("prepaid", prepaid, 1)):
        column(name, [value], np.finfo(float).tiny, most, "a share")
    return prepaid * (annuity(yearly / 12, terms) / annuity(funds / 12, terms) - 1)


def _rates(rate):
    """Shares per year; percentages and monthly rates are recognised by their size."""
    values = column("rate", rate, np.finfo(float).tiny, np.inf, "a share a year")
    if values.max() > 1:
        row = int(np.argmax(values > 1))
        raise ValueError(f"rate must be a share a year: row {row} has {values[row]:g}; divide per cent by 100")
    if np.median(values) < 0.03:
        raise ValueError(f"rate must be a share a year: half of the rows are below 0.03, row 0 has {values[0]:g}; "
                         f"multiply a month's rate by 12")
    return values


def thresholds(margins: ArrayLike, loss: float = LOSS) -> np.ndarray:
    """Chance of a default above which a loan loses money on average: ``margin/(margin + loss)``.

    Parameters
    ----------
    margins : array_like, shape (n,)
        What a dollar of each loan earns if it is paid back, not negative; see `margin`.
    loss : float
        Share of the principal that a default costs, in (0, 1]; default 0.45.

    Examples
    --------
    >>> thresholds([0.15, 0.45]).tolist()
    [0.25, 0.5]
    """
    gain = column("margins", margins, 0, np.inf, "a dollar")
    column("loss", [loss], np.finfo(float).tiny, 1, "a share")
    return gain / (gain + loss)


def expected_return(y_prob: ArrayLike, margins: ArrayLike, loss: float = LOSS) -> np.ndarray:
    """Expected earnings per dollar lent: ``(1 - f) margin - f loss``, f the chance of a default.

    Parameters
    ----------
    y_prob : array_like, shape (n,)
        Forecast probabilities of a default, in [0, 1].
    margins : array_like, shape (n,)
        What a dollar of each loan earns if it is paid back, not negative; see `margin`.
    loss : float
        Share of the principal that a default costs, in (0, 1]; default 0.45.

    Examples
    --------
    >>> expected_return([0.1, 0.5], [0.2, 0.2]).round(3).tolist()
    [0.135, -0.125]
    """
    f = column("y_prob", y_prob, 0, 1, "a probability")
    return (1 - f) * np.asarray(margins, dtype=float) - f * loss


def best_notes(value: ArrayLike, realised: ArrayLike, k: int) -> float:
    """Mean realised return of the k loans of highest value, with a note of the same size in each; ties share the rest.

    Parameters
    ----------
    value : array_like, shape (n,)
        What the loans are ordered by, higher is better.
    realised : array_like, shape (n,)
        Realised return per dollar.
    k : int
        Number of notes, from 1 to n.

    Examples
    --------
    >>> best_notes([3.0, 2.0, 2.0, 1.0], [0.1, 0.2, -0.4, 0.9], k=2)
    0.0
    """
    value, realised = column("value", value, -np.inf, np.inf, "any"), np.asarray(realised, dtype=float)
    if not 1 <= k <= value.size:
        raise ValueError(f"k must lie between 1 and the {value.size} loans there are, got {k}")
    last = np.sort(value)[-k]
    sure, tied = value > last, value == last
    return float((realised[sure].sum() + realised[tied].mean() * (k - sure.sum())) / k)


def greedy(value: ArrayLike, amount: ArrayLike, budget: float = BUDGET) -> np.ndarray:
    """Mask of the whole loans bought in the order of their value per dollar, skipping those that no longer fit.

    Only loans of positive value are bought.

    Parameters
    ----------
    value : array_like, shape (n,)
        Value per dollar of each loan.
    amount : array_like, shape (n,)
        Principal of each loan in USD, at least 1.
    budget : float
        Money to spend in USD, default 15,000.

    Examples
    --------
    >>> greedy([0.3, 0.2, 0.1], [9000, 8000, 5000], budget=15_000).tolist()
    [True, False, True]
    """
    value, sizes = np.asarray(value, dtype=float), column("amount", amount, 1, np.inf, "USD")
    bought, left = np.zeros(value.size, dtype=bool), float(budget)
    for place in np.argsort(-value, kind="stable"):
        if value[place] > 0 and sizes[place] <= left:
            bought[place], left = True, left - sizes[place]
    return bought


def knapsack(value: ArrayLike, amount: ArrayLike, budget: float = BUDGET, unit: int = 25) -> np.ndarray:
    """Mask of the whole loans of largest total ``value * amount`` within the budget, found exactly.

    A dynamic programme over budgets in steps of `unit` dollars, in time n * budget/unit.

    Parameters
    ----------
    value : array_like, shape (n,)
        Value per dollar of each loan.
    amount : array_like, shape (n,)
        Principal of each loan in USD, a multiple of the unit.
    budget : float
        Money to spend in USD, default 15,000.
    unit : int
        Step of the amounts in USD, default 25.

    Raises
    ------
    ValueError
        An amount that is not a multiple of the unit.

    Examples
    --------
    >>> knapsack([0.3, 0.25, 0.2], [9000, 8000, 7000], budget=15_000).tolist()
    [False, True, True]
    """
    value, sizes = np.asarray(value, dtype=float), column("amount", amount, 1, np.inf, "USD")
    steps = np.rint(sizes / unit).astype(int)
    if (np.abs(steps * unit - sizes) > 1e-6).any():
        row = int(np.argmax(np.abs(steps * unit - sizes) > 1e-6))
        raise ValueError(f"amount must be a multiple of {unit} USD: row {row} has {sizes[row]:g}")
    room = int(budget // unit)
    best, taken = np.zeros(room + 1), np.zeros((value.size, room + 1), dtype=bool)
    for place in np.flatnonzero((value > 0) & (steps <= room)):
        size = steps[place]
        with_it = best[:room + 1 - size] + value[place] * sizes[place]
        taken[place, size:] = with_it > best[size:]
        best[size:] = np.where(taken[place, size:], with_it, best[size:])
    bought = np.zeros(value.size, dtype=bool)
    for item in range(value.size - 1, -1, -1):
        if taken[item, room]:
            bought[item], room = True, room - int(steps[item])
    return bought


def pool(n: int, seed: int) -> pd.DataFrame:
    """Simulated loans of a known process: grade, rate, term, amount, a signal, the chance of a default, what came.

    Shares, default chances d and rates of the grades are like those of Lending Club's;
    ``logit = logit(0.9 d) + 0.6 signal + 0.4 e``, e unseen. A default costs `LOSS`, a good loan earns
    `PREPAID` of its schedule.

    Parameters
    ----------
    n : int
        Number of loans.
    seed : int
        Seed of the random numbers.

    Examples
    --------
    >>> loans = pool(2000, seed=0)
    >>> round(float(loans["default"].mean()), 2), round(float(loans["realised"].mean()), 3)
    (0.22, -0.009)
    """
    rng = np.random.default_rng(seed)
    share = np.array([0.188, 0.275, 0.290, 0.144, 0.066, 0.025, 0.013])
    risk = 0.9 * np.array([0.089, 0.130, 0.236, 0.365, 0.398, 0.484, 0.562])
    rate = np.array([7.16, 10.65, 14.04, 17.68, 21.48, 25.8, 26.28]) / 100
    size = np.array([14_600, 14_200, 15_000, 15_700, 18_500, 19_800, 21_000])
    grade = rng.choice(7, size=n, p=share / share.sum())
    signal, unseen = rng.normal(size=(2, n))
    chance = 1 / (1 + np.exp(-(np.log(risk / (1 - risk))[grade] + 0.6 * signal + 0.4 * unseen)))
    months = np.where(rng.random(n) < np.where(grade < 3, 0.23, 0.33), 60, 36)
    amount = np.clip(size[grade] * np.exp(-0.2 + 0.6 * rng.normal(size=n)), 1000, 40_000)
    default = (rng.random(n) < chance).astype(int)
    earned = margin(rate[grade], months, prepaid=PREPAID)
    return pd.DataFrame({"grade": grade, "rate": rate[grade], "months": months, "amount": 25 * np.rint(amount / 25),
                         "signal": signal, "chance": chance, "default": default,
                         "realised": np.where(default == 1, -LOSS, earned)})


def load(name: str) -> Data:
    """Loans with labels (1: defaulted), features, and amount, months, rate, grade and realised return.

    Parameters
    ----------
    name : {"simulated", "sample", "q1_2016"}
        The last two from the reader's files: 2,000 loans of Lending Club with what was paid, of which those
        that have ended are used; 9,857 loans of early 2016, where loans still on time count as good and what was
        paid is not known (then a default costs `LOSS`, a good loan earns `PREPAID` of its schedule).

    Raises
    ------
    ValueError
        No such data set, or a file with other columns or another number of loans than expected.
    FileNotFoundError
        The file is not there; the message says what to do.

    Examples
    --------
    >>> data = load("simulated")
    >>> data.X.shape, list(data.money)
    ((20000, 5), ['amount', 'months', 'rate', 'grade', 'realised'])
    """
    return read(_READERS, name)


MONEY = ["amount", "months", "rate", "grade", "realised"]


def _simulated():
    table = pool(20_000, seed=0)
    features = table[["grade", "rate", "months", "amount", "signal"]]
    return Data(features, table["default"].to_numpy(), table[MONEY], "simulated", "binary", "simulated here")


def _sample():
    file = "lending_club/lending_club_sample.csv"
    table = pd.read_csv(datasets.find(file, "a sample of Lending Club's loan files", "none verified"))
    columns_of(table, ["loan_status", "total_pymnt", "loan_amnt", "int_rate", "term", "grade"], file)
    ended = table["loan_status"].str.contains("Fully Paid|Charged Off|Default")
    table = expect(table[ended], 1223, file, "loans that ended")
    y = (~table["loan_status"].str.contains("Fully Paid")).to_numpy(int)
    money = pd.DataFrame({"amount": 25 * np.rint(table["loan_amnt"] / 25), "months": _months(table["term"]),
                          "rate": table["int_rate"] / 100, "grade": table["grade"].map(GRADES.index),
                          "realised": table["total_pymnt"] / table["loan_amnt"] - 1})
    years = (pd.to_datetime(table["issue_d"], format="%b-%Y")
             - pd.to_datetime(table["earliest_cr_line"], format="%b-%Y")).dt.days / 365.25
    features = table.drop(columns=["loan_status", "total_pymnt", "total_rec_prncp", "issue_d", "earliest_cr_line"])
    return Data(features.assign(credit_history=years), y, money, "sample", "binary", "none verified")


def _q1_2016():
    file = "lending_club_q1_2016/lending_club_q1_2016.csv"
    table = pd.read_csv(datasets.find(file, "the R package modeldata, data set lending_club", "MIT (the package)"))
    columns_of(table, ["Class", "funded_amnt", "int_rate", "term", "sub_grade"], file)
    expect(table, 9857, file, "loans")
    y = (table["Class"] == "bad").to_numpy(int)
    months, rate = _months(table["term"]), table["int_rate"] / 100
    realised = np.where(y == 1, -LOSS, margin(rate, months, prepaid=PREPAID))
    money = pd.DataFrame({"amount": 25 * np.rint(table["funded_amnt"] / 25), "months": months, "rate": rate,
                          "grade": table["sub_grade"].str[0].map(GRADES.index), "realised": realised})
    return Data(table.drop(columns="Class"), y, money, "q1_2016", "binary", "MIT (the package)")


def _months(term):
    return term.str.extract(r"(\d+)")[0].astype(int)


_READERS = {"simulated": _simulated, "sample": _sample, "q1_2016": _q1_2016}


def parts(data: Data, repeat: int) -> dict[str, np.ndarray]:
    """Random rows by part: 4,000 loans (of the small sample half) to learn from, and two pools, "same" and "new".

    Parameters
    ----------
    data : Data
        From `load`.
    repeat : int
        Number of the repeat, from 0.

    Examples
    --------
    >>> {part: len(rows) for part, rows in parts(load("simulated"), repeat=0).items()}
    {'train': 4000, 'same': 2000, 'new': 2000}
    """
    order, n = np.random.default_rng(repeat).permutation(len(data.y)), len(data.y)
    train = min(TRAIN, n // 2)
    same, new = np.array_split(order[train:train + 2 * SCORED], 2)
    return {"train": order[:train], "same": same, "new": new}


def tables(data: Data, parts: Mapping[str, np.ndarray], repeat: int, said: Mapping[str, Any],
           ) -> dict[str, pd.DataFrame]:
    """A row for each part and model: the paper's metrics, PWUs for the loans' own thresholds, and returns.

    Returns are per dollar: ``approved`` of all loans offered, ``notes`` of the best by expected return,
    ``notes_by_chance`` of those least likely to default, ``whole_greedy`` and ``whole_exact`` of a budget in
    whole loans; ``released`` in dollars by the released rule on grades F and G, ``released_loans`` so many bought.
    ``cost_approve`` is the money lost to wrong decisions, per dollar offered, by each loan's margin and loss.

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
        ``scores``; in repeat 0 also ``grades``, from `by_grade`.
    """
    money = data.money.iloc[parts["train"]]
    gain = margin(money["rate"], money["months"], prepaid=PREPAID)
    weighted = beta_of(thresholds(gain), gain + LOSS)
    rows = []
    for part in ("same", "new"):
        for model, prediction in said.items():
            f = pd.Series(prediction.forecast[0], prediction.case)[parts[part]].to_numpy()
            y, money = data.y[parts[part]], data.money.iloc[parts[part]]
            rows.append({"part": part, "model": model, **_metrics(y, f, money, weighted),
                         **_returns(y, f, money), **_released(y, f, money)})
    return {"scores": pd.DataFrame(rows), **({"grades": by_grade(data)} if repeat == 0 else {})}


def by_grade(data: Data) -> pd.DataFrame:
    """Promised and realised returns per dollar of the loans of each grade, one row per grade.

    ``scheduled`` if no loan had defaulted and none been paid back early, not discounted, ``expected`` (as present
    value) with the grade's share of defaults, `LOSS` and `PREPAID`, ``realised`` in fact; ``realised_good`` and
    ``realised_bad`` of either kind.

    Parameters
    ----------
    data : Data
        From `load`.

    Examples
    --------
    >>> by_grade(load("simulated"))[["grade", "loans"]].head(1).to_dict("list")
    {'grade': ['A'], 'loans': [3712]}
    """
    rate, months = data.money["rate"], data.money["months"]
    paid_in = annuity(rate / 12, months) * months
    table = data.money.assign(bad=data.y, margin=margin(rate, months), scheduled=paid_in - 1)
    rows = []
    for grade, loans in table.groupby("grade"):
        bad, realised = loans["bad"] == 1, loans["realised"]
        rows.append({"grade": GRADES[int(grade)], "loans": len(loans), "default_rate": bad.mean(),
                     "rate": loans["rate"].mean(), "scheduled": loans["scheduled"].mean(),
                     "expected": (1 - bad.mean()) * PREPAID * loans["margin"].mean() - bad.mean() * LOSS,
                     "realised": realised.mean(), "realised_good": realised[~bad].mean(),
                     "realised_bad": realised[bad].mean()})
    return pd.DataFrame(rows)


def _metrics(y, f, money, weighted):
    fold = Fold(1 - y, (1 - f,))  # the paper forecasts good loans
    numbers = {name: metric(fold) for name, metric in BINARY.metrics.items()}
    numbers |= {name: BINARY.extra[name](fold) for name in ("auroc",)}
    gain = margin(money["rate"], money["months"], prepaid=PREPAID)
    k = round(NOTES * y.size)
    numbers["pwu_known_k"] = PWU(TopK(), Dirac(k / y.size))(1 - y, 1 - f)
    numbers["pwu_weighted"] = PWU(BinaryDecision(), weighted)(y, f)
    return numbers | known_up_to_an_error(y, f, thresholds(gain), gain + LOSS)


def _returns(y, f, money):
    gain = margin(money["rate"], money["months"], prepaid=PREPAID)
    value, realised, k = expected_return(f, gain), money["realised"].to_numpy(), round(NOTES * y.size)
    lent = value > 0
    found = {"cost_approve": np.where(lent, y * LOSS, (1 - y) * gain).mean(), "share_approved": lent.mean(),
             "approved": (lent * realised).mean(), "everything": realised.mean(),
             "notes": best_notes(value, realised, k), "notes_by_chance": best_notes(-f, realised, k)}
    for name, choose in (("greedy", greedy), ("exact", knapsack)):
        bought = choose(value, money["amount"])
        found[f"whole_{name}"] = (money["amount"].to_numpy() * realised)[bought].sum() / BUDGET
        found[f"whole_{name}_loans"] = int(bought.sum())
    return found


def _released(y, f, money):
    risky = money["grade"].to_numpy() >= GRADES.index("F")
    if not risky.any():
        return {"released": np.nan, "released_loans": np.nan}
    bought, earned = released.lending_utility(1 - y[risky], 1 - f[risky], *(
        money[name].to_numpy()[risky] for name in ("amount", "rate", "months")), budget=BUDGET)
    return {"released": earned, "released_loans": bought}


STUDY = Study("lending", {"simulated": 20, "sample": 20, "q1_2016": 20}, load, parts, models.classifiers, tables)
"""Twenty repeats per data set, with the ten classifiers of the benchmarks."""
