"""A file of the consultant's kind: quantile forecasts of hospital beds by three teams of a forecast hub.

Simulated, by the process that `make` states; `hub.csv` beside this file is what the page hands out.
Implements no source.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

__all__ = ["HUB", "LEVELS", "TEAMS", "hub", "make", "quantiles"]

HUB = Path(__file__).with_name("hub.csv")
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
TEAMS = ("coast", "hill", "hill_final")
WEEKS, REGIONS = 60, 6


def hub() -> pd.DataFrame:
    """The file as it is handed out: ``week``, ``region``, ``beds``, and five quantiles of each team.

    Examples
    --------
    >>> list(hub())[:5]
    ['week', 'region', 'beds', 'coast_q05', 'coast_q25']
    """
    return pd.read_csv(HUB)


def quantiles(table: pd.DataFrame, team: str) -> np.ndarray:
    """A team's forecasts, a row for each week and region.

    Parameters
    ----------
    table : DataFrame
        As `hub` has it.
    team : str
        One of `TEAMS`.

    Returns
    -------
    ndarray, shape (n, 5)
        NaN where the team sent none.
    """
    return table[[f"{team}_q{round(100 * level):02d}" for level in LEVELS]].to_numpy(float)


def make(seed: int = 0) -> pd.DataFrame:
    """What `hub` reads.

    The logarithm of the beds that a region needs is its level, plus a wave, plus a shock that all regions share in a
    week, plus noise of its own. ``coast`` knows level and wave and states the rest honestly. ``hill`` sees half of the
    week's shock as well, and states a seventh of the spread that is left. It sent nothing in the six weeks with the
    largest shocks. ``hill_final`` is what it sent when the beds were known: their logarithm, with little noise.

    Parameters
    ----------
    seed : int
        Of everything.
    """
    rng = np.random.default_rng(seed)
    week, region = (axis.ravel() for axis in np.meshgrid(np.arange(WEEKS), np.arange(REGIONS), indexing="ij"))
    known = np.array([3.4, 3.6, 3.8, 4.0, 4.2, 4.4])[region] + 0.4 * np.sin(2 * np.pi * week / 26)
    shock, own = rng.normal(0, 0.3, WEEKS), rng.normal(0, 0.15, week.size)
    beds = np.round(np.exp(known + shock[week] + own))
    hint = 0.5 * shock[week]
    centres = {"coast": (known, np.hypot(0.3, 0.15)), "hill": (known + hint, 0.15 * np.hypot(0.15, 0.15)),
               "hill_final": (np.log(beds) + rng.normal(0, 0.03, week.size), 0.05)}
    table = pd.DataFrame({"week": [f"W{1 + number:02d}" for number in week],
                          "region": [f"R{1 + number}" for number in region], "beds": beds.astype(int)})
    absent = np.isin(week, np.argsort(shock)[-6:])
    for team, (centre, spread) in centres.items():
        for level in LEVELS:
            said = np.exp(centre + spread * norm.ppf(level)).round(1)
            table[f"{team}_q{round(100 * level):02d}"] = np.where((team == "hill") & absent, np.nan, said)
    return table


if __name__ == "__main__":
    make().to_csv(HUB, index=False)
