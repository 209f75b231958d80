"""The examples of CONTRIBUTING.md run, and the family in them is served everywhere."""

import re
from pathlib import Path

import pwu_lite as pwu

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()


def test_the_family_of_the_guide_works_as_written():
    space = {}
    exec(re.search(r"```python\n(import numpy.*?)```", TEXT, re.S)[1], space)
    y, models = [1, 0, 1, 0] * 20, {"a": [0.9, 0.2, 0.4, 0.55] * 20, "b": [0.6, 0.4, 0.4, 0.55] * 20}
    found = pwu.compare(y, models, space["score"], n_resamples=50)
    assert found.table["verdict"].tolist()[0] == "best" and "a costs" in found.words[0]
    exec(re.search(r"```python\n(from pwu_lite.reporting.intervals.*?)```", TEXT, re.S)[1], space)
    plain = pwu.compare(space["y"], space["models"], space["score"], interval="normal").table
    assert (space["found"].table["difference low"].iloc[1] < plain["difference low"].iloc[1])
