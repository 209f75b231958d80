"""The query of `Tally.sql`, run on engines: it counts what Python counts, or is refused."""

import warnings

import pytest

from pwu_desk import Tally
from pwu_desk.query import DIALECTS

from .engines import BAD, ENGINES, FRAME, GOOD, asked_of, difference, own

HERE = ("DuckDB", "SQLite")  # the others are for every Monday: `make weekly` installs them
NAMES = [pytest.param(name, marks=[] if name in HERE else [pytest.mark.weekly]) for name in ENGINES]


@pytest.fixture(scope="module", params=NAMES)
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("engine")
    folder.chmod(0o755)
    try:
        return ENGINES[request.param](folder)
    except ImportError as error:
        pytest.skip(f"{request.param} is not here: {error}")


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an engine's own words on the versions of its peers
        yield


@pytest.mark.parametrize("name", GOOD)
def test_an_engine_counts_what_python_counts(engine, name):
    frame, asked = GOOD[name]
    engine.put(frame)
    assert difference(asked_of(engine, name, asked), own(frame, asked)) == ""


@pytest.mark.parametrize("name", BAD)
def test_an_engine_refuses_what_python_refuses(engine, name):
    frame, asked = BAD[name]
    engine.put(frame)
    with pytest.raises(Exception) as found:
        asked_of(engine, name, asked)
    if isinstance(found.value, ValueError) and "model" in name:
        assert "model 'q': " in str(found.value)  # which of them


def test_a_text_that_writes_a_number_counts_where_the_page_says_so(engine):
    engine.put(FRAME.assign(p=[f"{p:.6f}" for p in FRAME["p"]]))
    if engine.reads:
        assert difference(asked_of(engine, "texts", {}), own(FRAME.assign(p=FRAME["p"].round(6)), {})) == ""
    else:
        with pytest.raises(Exception, match=r"(?i)string|text|varchar|no cell"):
            asked_of(engine, "texts", {})


@pytest.mark.weekly
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["weights, blocks", "mean and deviation, blocks", "odd models", "odd names"])
def test_a_second_opinion_on_each_dialect(dialect, name):
    """Engines that cannot be run here: a parser of their language reads the query, and finds the same columns."""
    sqlglot = pytest.importorskip("sqlglot")
    query = Tally.sql("forecasts", dialect=dialect, **({"truth": "y", "models": "p"} | GOOD[name][1]))
    read = sqlglot.parse_one(query, read=None if dialect == "ansi" else dialect, error_level=sqlglot.ErrorLevel.RAISE)
    assert {"cells", "block", "cell", "cases", "n", "s"} <= set(read.named_selects) or name == "odd names"
