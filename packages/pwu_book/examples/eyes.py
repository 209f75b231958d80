"""The consultant's file: photographs of the retina, and three models.

Simulated, by the process that `make` states; `project.csv` beside this file is what the page hands out.
Implements no source.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.isotonic import IsotonicRegression

__all__ = ["PROJECT", "make", "project"]

PROJECT = Path(__file__).with_name("project.csv")
PATIENTS, TWICE = 800, 120


def project() -> pd.DataFrame:
    """The file as it is handed out: ``patient``, ``disease``, ``lamp``, ``reader``, ``reader_tuned``.

    Examples
    --------
    >>> list(project())
    ['patient', 'disease', 'lamp', 'reader', 'reader_tuned']
    """
    return pd.read_csv(PROJECT)


def make(seed: int = 0, hide: bool = True) -> pd.DataFrame:
    """What `project` reads, by a process that the consultant's key tells.

    Parameters
    ----------
    seed : int
        Of everything.
    hide : bool
        Leave out outcomes, as in the file that is handed out.
    """
    # A patient's log odds of disease are normal, about one patient in nine is ill, and 120 of 800 come a second time,
    # ill or not as before. lamp sees the log odds with noise and says them in per cent, honestly. reader sees them
    # with less noise and says twice the log odds that it should. reader_tuned is reader after an isotonic fit to the
    # outcomes of this very file. An outcome is missing for a healthy-looking patient (reader below a tenth) three
    # times in ten, and otherwise never.
    rng = np.random.default_rng(seed)
    odds = rng.normal(-3.4, 1.9, PATIENTS)
    ill = rng.random(PATIENTS) < 1 / (1 + np.exp(-odds))
    again = rng.choice(PATIENTS, TWICE, replace=False)
    who = np.concatenate([np.arange(PATIENTS), again])
    rng.shuffle(who)

    def posterior(noise):
        """Honest log odds of somebody who sees the log odds with normal noise."""
        seen = odds[who] + rng.normal(0, noise, who.size)
        share = 1.9**2 / (1.9**2 + noise**2)
        return -3.4 + share * (seen + 3.4)

    lamp, reader = posterior(1.6), 2 * posterior(0.8) + 2.2
    chance = 1 / (1 + np.exp(-reader))
    y = ill[who].astype(float)
    tuned = IsotonicRegression(out_of_bounds="clip").fit(chance, y).predict(chance)
    hidden = (chance < 0.1) & (rng.random(who.size) < 0.3)
    return pd.DataFrame({
        "patient": [f"P{1 + number:03d}" for number in who],
        "disease": np.where(hidden & hide, "", np.where(y == 1, "yes", "no")),
        "lamp": (100 / (1 + np.exp(-lamp))).round(1), "reader": chance.round(4), "reader_tuned": tuned.round(4)})


if __name__ == "__main__":
    make().to_csv(PROJECT, index=False)
