"""The page that a machine reads: each of its snippets runs alone and prints what its comment says."""

import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

import pwu_lite
from pwu_lite.families.base import Family, JointFamily, SeparableFamily

PAGE = Path(__file__).parents[2] / "book" / "reference" / "which_score.md"
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("code", SNIPPETS, ids=range(len(SNIPPETS)))
def test_a_snippet_prints_what_the_page_says(code):
    with redirect_stdout(StringIO()) as printed:
        exec(compile(code, PAGE.name, "exec"), {})
    assert printed.getvalue().splitlines() == re.findall(r"^print\(.*\)  # (.*)$", code, re.M) != []


BLOCKS = re.findall(r"^```(?:bash|console|sh)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
INLINE = re.findall(r"`((?:python -m|pip) [^`]+)`", PAGE.read_text(encoding="utf-8"))


def test_every_command_of_the_page_is_known():
    """What the page tells a reader to type is a command of the package, or installs from the folder of the wheel."""
    for command in [*COMMANDS, *INLINE]:
        if command.startswith("pip install"):
            assert "--find-links ." in command, f"the package is not on an index: {command}"
            continue
        assert command.startswith("pwu"), command
        words = shlex.split(command)[3:]
        run = subprocess.run([sys.executable, "-m", "pwu_desk", words[0], "--help"], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        for option in (word for word in words if word.startswith("--")):
            assert option.split("=")[0] in run.stdout, f"{command}: there is no option {option}"


@pytest.mark.parametrize("page", ["end/monday.md", "start/idea.md", "pwu/choosing.md"])
def test_every_decision_family_is_named_where_a_reader_looks_for_one(page):
    text = (PAGE.parents[1] / page).read_text(encoding="utf-8")
    families = [name for name, kind in ((name, getattr(pwu_lite, name)) for name in pwu_lite.__all__)
                if isinstance(kind, type) and issubclass(kind, Family) and kind not in (
                    Family, SeparableFamily, JointFamily)]
    assert families and [name for name in families if f"`{name}`" not in text] == []
