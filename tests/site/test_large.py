"""The engines of the page From a laptop to a cluster count as the package does (tools/requirements/large.txt)."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pwu_desk
import pwu_lite as pwu

PAGE = Path(__file__).parents[2] / "book" / "reference" / "size.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.S | re.M)


@pytest.mark.weekly
@pytest.mark.parametrize("engine, name", [("polars", "polars_tally"), ("dask.distributed", "dask_tally"),
                                          ("pyspark", "spark_tally")])
@pytest.mark.filterwarnings("ignore")  # an engine's own words on the versions of its peers
def test_the_block_of_the_page_counts_every_case(engine, name, tmp_path, monkeypatch):
    pytest.importorskip(engine)
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    rng = np.random.default_rng(0)
    f = np.append(rng.random(5000), [0.0, 1.0])
    frame = pd.DataFrame({"y": (rng.random(f.size) < f).astype(int), "sharp": f, "id": np.arange(f.size)})
    for part in range(2):
        frame[part::2].to_parquet(f"forecasts-{part}.parquet")
    count, = [block for block in BLOCKS if "def total" in block]
    code, = [block for block in BLOCKS if name in block]
    code = count + code
    space = {"pwu_desk": pwu_desk, "files": sorted(tmp_path.glob("*.parquet")), "__name__": "__main__"}
    exec(compile(code, str(PAGE), "exec"), space)
    own = pwu_desk.Tally()
    own.update(frame["y"], frame["sharp"], block=frame["id"] % 100)
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    assert len(space[name]) == len(own) == f.size
    assert space[name].score(score).value == pytest.approx(own.score(score).value, rel=1e-9)
