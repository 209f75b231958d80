"""What `--json` printed, with the sentences of its findings."""

import json


def parsed(text):
    """The numbers; under *remarks* the sentences of the findings."""
    found = json.loads(text)
    return found | {"remarks": [finding["sentence"] for finding in found["findings"]]}
