"""The judgement that the command line, the report and the bench share: one table of names, limits and sentences.

The table is rules.json, which the bench's scripts read too.
"""

import json
from pathlib import Path
from typing import Any

__all__ = ["RULES", "say"]

RULES: dict[str, Any] = json.loads((Path(__file__).parent / "rules.json").read_text(encoding="utf-8"))


def say(sentence: str, **words: Any) -> str:
    """A sentence of the table, filled in.

    Examples
    --------
    >>> say("same", first="a", name="b")
    'a and b cost the same on these cases.'
    """
    return RULES["sentences"][sentence].format(**words)
