"""The page that a machine reads: each of its snippets runs alone and prints what its comment says."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "book" / "reference" / "which_score.md"
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("code", SNIPPETS, ids=range(len(SNIPPETS)))
def test_a_snippet_prints_what_the_page_says(code):
    with redirect_stdout(StringIO()) as printed:
        exec(compile(code, PAGE.name, "exec"), {})
    assert printed.getvalue().splitlines() == re.findall(r"^print\(.*\)  # (.*)$", code, re.M) != []
