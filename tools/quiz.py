"""A question with one right answer, for the pages: radio buttons that need neither a kernel nor a script.

Written as

    ```{quiz} Which forecast makes you act?
    - [x] one above $c$ :: The act is cheaper there.
    - [ ] one above $1/2$ :: That is the threshold of whom both mistakes cost the same.
    ```

The build fails unless exactly one answer is right and each says why. The right one may be written first: the page shows
the answers in an order that their words decide. A reader's choice shows its reason by CSS alone; in print all reasons
stand there.
"""

from __future__ import annotations

import hashlib
import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


def in_turn(question: str, lines: list[str]) -> list[str]:
    """The answers in the order of a checksum of their words: the place of the right one tells nothing."""
    def turn(line):
        said = re.sub(r"^- \[.\] | ::.*", "", line)
        return hashlib.sha256(f"{question} {said}".encode()).digest()
    return sorted(lines, key=turn)


class Question(nodes.General, nodes.Element):
    """The box; its first child is the question, the others are answers."""


class Legend(nodes.General, nodes.Element):
    """The question itself, which a screen reader says with every answer."""


class Answer(nodes.General, nodes.Element):
    """A radio button, its words and, once it is chosen, why it is right or wrong."""


class Quiz(SphinxDirective):
    required_arguments, final_argument_whitespace, has_content = 1, True, True

    def run(self):
        name = f"quiz-{self.env.new_serialno('quiz')}"
        box = Question("", Legend("", self._words("question", self.arguments[0])), name=name)
        for place, line in enumerate(in_turn(self.arguments[0], self._lines())):
            said = re.fullmatch(r"- \[([x ])\] (.+?) :: (.+)", line)
            if not said:
                raise self.error(f"an answer reads '- [x] answer :: why' or '- [ ] answer :: why', got {line!r}")
            if re.fullmatch(r"\$[^$]*\$", said[2]):
                raise self.error(f"an answer needs a word beside its formula, for who hears it: {said[2]}")
            right = said[1] == "x"
            box += Answer("", self._words("answer", said[2]), self._words("why", said[3]), name=name, place=place,
                          right=right)
        right = [answer["right"] for answer in box.findall(Answer)]
        if right.count(True) != 1 or len(right) < 2:
            raise self.error(f"a quiz has one right answer of two or more, got {right.count(True)} of {len(right)}")
        return [box]

    def _lines(self):
        """One line an answer; a line that goes on is joined to the one before."""
        lines: list[str] = []
        for line in self.content:
            if line.startswith("- [") or not lines:
                lines.append(line)
            else:
                lines[-1] += " " + line.strip()
        return [line for line in lines if line.strip()]

    def _words(self, kind, text):
        parsed, _ = self.parse_inline(text)
        return nodes.inline("", "", *parsed, classes=[kind])


def visit_question(self, node):
    self.body.append('<fieldset class="quiz">')


def depart_question(self, node):
    self.body.append("</fieldset>\n")


def visit_legend(self, node):
    self.body.append("<legend>")


def depart_legend(self, node):
    self.body.append("</legend>\n")


def visit_answer(self, node):
    self.body.append(f'<label class="{"right" if node["right"] else "wrong"}">'
                     f'<input type="radio" name="{node["name"]}" value="{node["place"]}"> ')


def depart_answer(self, node):
    self.body.append("</label>\n")


def plain(self, node):
    """Nothing but the words, where there are no buttons."""


def setup(app):
    app.add_node(Question, html=(visit_question, depart_question), latex=(plain, plain), epub=(plain, plain))
    app.add_node(Legend, html=(visit_legend, depart_legend), latex=(plain, plain), epub=(plain, plain))
    app.add_node(Answer, html=(visit_answer, depart_answer), latex=(plain, plain), epub=(plain, plain))
    app.add_directive("quiz", Quiz)
