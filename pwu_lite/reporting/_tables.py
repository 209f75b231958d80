"""Tables as a page shows them."""


from typing import Any

LEVELS = {"5%": 0.05, "median": 0.5, "95%": 0.95}


def html(table: Any) -> str:
    """A table that the page can style, without the random marks of a Styler."""
    short = table.map(lambda value: f"{value:.4g}" if isinstance(value, float) else value)
    return short.to_html(border=1)
