"""The plans of the kit on a page: their tables, and slides, worksheets and decks by name."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective, SphinxRole

from tools.extension.quiz import tags
from tools.kit import plans


class Named(SphinxRole):
    """A slide, a worksheet or a deck by its name: see tools/kit/plans.py; an unknown name stops the build.

    {slide}`foundations: Dinner` is the number of a slide, {sheet}`Draw the bill` a link to a worksheet by its number,
    {deck}`implicit week-2` a link to a deck, opened with the slides of a plan.
    """

    def run(self):
        root = Path(self.env.srcdir)
        note_plans(self.env, root)
        try:
            if self.name == "slide":
                return [nodes.Text(str(plans.slide(root, self.text)))], []
            if self.name == "sheet":
                number = plans.sheet(root, self.text)
                return [tags(f'<a href="../../worksheets/{number}.html">worksheet {number}</a>')], []
        except ValueError as error:
            raise ExtensionError(f"{self.env.docname}: {error}") from error
        deck, _, version = self.text.partition(" ")
        return [tags(self.config.myst_substitutions[f"deck_{deck}"].replace('.html"', f'.html?{version}"'))], []


class Plan(SphinxDirective):
    """The table of a plan of the kit."""

    required_arguments = 1

    def run(self):
        root = Path(self.env.srcdir)
        note_plans(self.env, root)
        try:
            return self.parse_text_to_nodes(plans.table(root, self.arguments[0]))
        except ValueError as error:
            raise ExtensionError(f"{self.env.docname}: {error}") from error


def note_plans(env, root: Path):
    """The page is made anew when a plan, a slide or a worksheet is."""
    for path in [*(root / plans.FOLDER).glob("slides_*.md"), *(root / plans.FOLDER / "sheets").glob("*.html"),
                 root / plans.FOLDER / "plans.yml"]:
        env.note_dependency(str(path))
