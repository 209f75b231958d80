"""Live cells: every fetched file is held to its hash, what a cell needs, and what counts as the same output."""

import hashlib
import importlib.util
import json
import sys
import types
from pathlib import Path

import pytest

from tools.checks import live_check
from tools.live import fetch, site

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def two(monkeypatch):
    """A lock file of two files, and their bytes."""
    held = {"core.js": b"one", "numpy-1.whl": b"two"}
    entry = {name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for name, data in held.items()}
    monkeypatch.setattr(fetch, "LOCK", {"info": {"version": "0", "python": "3"}, "files": {"core.js": entry["core.js"]},
                                        "packages": {"numpy": entry["numpy-1.whl"] | {"file_name": "numpy-1.whl"}}})
    return held


def test_a_file_is_kept_only_with_its_own_bytes(two, tmp_path, capsys):
    def wrong(names):
        yield from ((name, b"other") for name in names)

    def right(names):
        yield from ((name, two[name]) for name in names)

    said = r"(?s)core.js from a is not the file.*not found: core.js, numpy-1.whl.*PWU_LIVE"
    with pytest.raises(ValueError, match=said):
        fetch.fill(tmp_path, [("a", wrong)])
    assert not list(tmp_path.glob("*")) and not fetch.ready(tmp_path)
    fetch.fill(tmp_path, [("a", wrong), ("b", right)])
    assert fetch.ready(tmp_path) and not fetch.missing(tmp_path)
    (tmp_path / "core.js").write_bytes(b"0ne")
    assert fetch.missing(tmp_path) == ["core.js"]


def test_what_is_there_is_not_asked_for_again(two, tmp_path):
    (tmp_path / "core.js").write_bytes(b"one")
    asked = []

    def right(names):
        asked.extend(names)
        yield from ((name, two[name]) for name in names)

    def never(names):
        raise AssertionError(names)

    fetch.fill(tmp_path, [("a", right), ("b", never)])
    assert asked == ["numpy-1.whl"]


def test_a_folder_of_the_user_comes_first(two, tmp_path, monkeypatch):
    own = tmp_path / "own"
    own.mkdir()
    for name, data in two.items():
        (own / name).write_bytes(data)
    monkeypatch.setenv("PWU_LIVE", str(own))
    monkeypatch.setattr(fetch, "from_release", lambda names: pytest.fail("asked the network"))
    monkeypatch.setattr(fetch.shutil, "which", lambda name: None)  # no node
    assert fetch.main(tmp_path / "live") == 0 and fetch.ready(tmp_path / "live")


def test_bytecode_comes_whole_or_not_at_all_and_has_its_own_hashes(two, tmp_path, monkeypatch):
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\nfor last; do :; done\nprintf shorter > \"$4/$last\"\nexit ${NODE_FAILS:-0}\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    lock = tmp_path / "live.lock"
    lock.write_text(json.dumps(fetch.LOCK))
    monkeypatch.setattr(fetch, "LOCK_FILE", lock)
    monkeypatch.setenv("NODE_FAILS", "1")
    with pytest.raises(ValueError, match="could not be compiled"):
        fetch.compile_all(tmp_path)
    assert fetch.compiled(tmp_path) is fetch.LOCK and not (tmp_path / "compiled").exists()
    monkeypatch.delenv("NODE_FAILS")
    fetch.compile_all(tmp_path)
    made = fetch.compiled(tmp_path)
    assert made["packages"]["numpy"]["sha256"] == hashlib.sha256(b"shorter").hexdigest()
    assert made["files"] == fetch.LOCK["files"]  # a script is no archive
    lock.write_text(lock.read_text() + " ")
    assert fetch.compiled(tmp_path) is fetch.LOCK  # made from another lock file


def test_the_lock_names_the_book_s_own_sympy():
    pins = (ROOT / "requirements.txt").read_text()
    for name in ("sympy", "mpmath", "latex2mathml"):
        one = fetch.LOCK["packages"][name]
        assert f"{name}=={one['version']}" in pins and one["sha256"] in pins


def test_a_page_may_connect_to_its_own_site_only():
    head = site.head("page.ipynb", "../")
    assert "default-src 'self' data: blob:" in head and "connect-src 'self'" in head and "http" not in head.replace(
        "http-equiv", "")
    assert "'unsafe-eval'" not in head and site.head("", "../").count("<script") == 0


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """cell.py as the browser has it, with a stand-in for Pyodide and packages to read."""
    folder = tmp_path_factory.mktemp("live") / "site-packages"
    (folder / "pwu_lite").mkdir(parents=True)
    (folder / "pwu_lite" / "__init__.py").write_text("import numpy\nfrom . import inner\ndef f():\n    import pandas\n")
    (folder / "pwu_lite" / "inner.py").write_text("try:\n    import scipy.special\nexcept ImportError:\n    pass\n")
    code = types.ModuleType("pyodide.code")
    code.eval_code_async = None
    given = {"pyodide": types.ModuleType("pyodide"), "pyodide.code": code, "drawing": types.ModuleType("drawing")}
    given["drawing"].drawn = lambda svg, prefix: svg
    before, path = dict(sys.modules), list(sys.path)
    sys.modules |= given
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location("cell_under_test", ROOT / "tools" / "live" / "cell.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in (*given, "IPython", "IPython.display", "myst_nb"):
        if name in before:
            sys.modules[name] = before[name]
        else:
            sys.modules.pop(name, None)
    sys.path[:] = path
    return module


@pytest.mark.parametrize(("code", "needs"), [
    ("import pwu_lite as pwu", ["numpy", "scipy"]), ("from pwu_lite import inner", ["numpy", "scipy"]),
    ("def g():\n    import sympy", ["sympy"]), ("x = 1", []), ("from pwu_book import tables", ["pwu_book"]),
    ("x =", [])])
def test_what_a_cell_needs_before_it_runs(cell, code, needs):
    assert json.loads(cell.needs(code)) == needs


def output(**data):
    return {"output_type": "execute_result", "data": data}


def test_outputs_are_the_same_up_to_the_last_printed_place():
    one = {"outputs": [output(**{"text/plain": "0.123 and 5"})], "metadata": {}, "source": ["x"]}

    def row(text, kind="value", error=None):
        return {"shown": [{"kind": kind, "text": text}], "error": error}

    assert live_check.difference(one, row("0.124 and 5")) == ""
    assert live_check.difference(one, row("0.125 and 5")) == "0.125, not 0.123"
    assert live_check.difference(one, row("0.123 and 6")) == "6, not 5"
    assert "not 'value'" in live_check.difference(one, row("0.123 and 5", "text")).replace("['value']", "'value'")
    assert "or" in live_check.difference(one, row("0.123 or 5"))
    assert "boom" in live_check.difference(one, row("", error={"words": "boom", "line": 1}))
    assert live_check.difference(one, None) == "it was not run"


def test_the_numbers_of_an_instrument_are_compared_one_by_one():
    def instrument(numbers):
        return f'<p>1,500 cases</p><script type="application/json">{",".join(map(str, numbers))}</script>'

    many = list(range(400))
    one = {"outputs": [output(**{"text/html": instrument(many)})], "metadata": {}, "source": ["x"]}

    def row(numbers):
        return {"shown": [{"kind": "html", "text": instrument(numbers)}], "error": None}

    assert live_check.difference(one, row(many)) == ""
    assert live_check.difference(one, row([*many[:-1], 400])) == "400, not 399"
    assert live_check.difference(one, row(many[:-1]))


def test_what_a_page_puts_down_for_an_output(cell):
    table = ('<style>a{}</style><table border="1" class="dataframe"><tr><th>1</th><td>-1,234.5</td><td>6 %</td>'
             "<td> 1e-3 </td><td>a<b>2</b></td></tr></table>")
    shown = cell.dressed("html", table)
    assert shown.startswith('<div class="output text_html"><style>') and ' border="1"' not in shown
    assert '<div class="table-scroll" tabindex="0"><table' in shown and shown.count('<td class="num">') == 2
    assert cell.dressed("html", "<p>1</p>") == '<div class="output text_html"><p>1</p></div>'
    assert cell.dressed("value", "'a<b'") == '<p class="said">a&lt;b</p>'
    assert cell.dressed("value", "0.5 < x") == '<div class="output"><pre>0.5 &lt; x</pre></div>'
    assert cell.dressed("text", "one\ntwo\n") == '<p class="said">one\ntwo</p>'
    assert cell.dressed("text", "a  b\n") == '<div class="output"><pre>a  b</pre></div>'
    assert cell.dressed("text", "1\n2\n3\n4\n5\n").startswith('<div class="output"><pre>1\n2')
    assert 'role="img"' in cell.dressed("drawing", "<svg><g/></svg>") and "role" not in cell.dressed("svg", "<svg/>")
