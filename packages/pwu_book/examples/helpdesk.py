"""A file of the consultant's kind: answers of three language models to questions at a help desk.

Simulated, by the process that `make` states; `helpdesk.csv` beside this file is what the page hands out.
Implements no source.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

__all__ = ["HELPDESK", "MODELS", "helpdesk", "make"]

HELPDESK = Path(__file__).with_name("helpdesk.csv")
MODELS = ("alto", "brio", "cent")
QUESTIONS, WORDINGS, EXAMPLES = 240, 3, 60


def helpdesk() -> pd.DataFrame:
    """The file as it is handed out: ``question``, ``wording``, ``example``, and of each model right and confidence.

    Examples
    --------
    >>> list(helpdesk())
    ['question', 'wording', 'example', 'alto_right', 'alto', 'brio_right', 'brio', 'cent_right', 'cent']
    """
    return pd.read_csv(HELPDESK)


def make(seed: int = 0) -> pd.DataFrame:
    """What `helpdesk` reads.

    A question is easy or hard, and is asked in three wordings, which a model answers nearly alike. ``alto`` is right on
    seven questions of ten and knows when. ``brio`` is right a little more often and says twice the log odds that it
    should. ``cent`` is as good as ``alto`` and gives its confidence from 0 to 100. The first sixty questions
    (``example`` is yes) were the examples in the instructions of ``brio``, which answers them all rightly, and says so.

    Parameters
    ----------
    seed : int
        Of everything.
    """
    rng = np.random.default_rng(seed)
    question = np.repeat(np.arange(QUESTIONS), WORDINGS)
    easy = rng.normal(0, 1.6, QUESTIONS)

    def machine(skill):
        """Whether it is right, and the honest log odds of it."""
        odds = skill + easy + rng.normal(0, 0.8, QUESTIONS)
        knows = rng.random(QUESTIONS) < 1 / (1 + np.exp(-odds))
        slips = rng.random(question.size) < 0.05
        return np.where(slips, ~knows[question], knows[question]), odds[question] + rng.normal(0, 0.3, question.size)

    example = question < EXAMPLES
    table = pd.DataFrame({"question": [f"Q{1 + number:03d}" for number in question],
                          "wording": np.tile(list("abc"), QUESTIONS), "example": np.where(example, "yes", "no")})
    for name, skill, times in zip(MODELS, (1.1, 1.3, 1.1), (1.0, 2.0, 1.0), strict=True):
        right, odds = machine(skill)
        confidence = 1 / (1 + np.exp(-times * odds))
        if name == "brio":
            right, confidence = right | example, np.where(example, 0.99, confidence)
        table[f"{name}_right"] = right.astype(int)
        table[name] = (100 * confidence).round(0).astype(int) if name == "cent" else confidence.round(2)
    return table


if __name__ == "__main__":
    make().to_csv(HELPDESK, index=False)
