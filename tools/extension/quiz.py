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


def read_answers(question: str, content: list[str]) -> list[tuple[bool, str, str]]:
    """Whether it is right, its words, and why, for each answer; a line that goes on is joined to the one before."""
    lines: list[str] = []
    for line in filter(str.strip, content):
        if line.startswith("- [") or not lines:
            lines.append(line)
        else:
            lines[-1] += " " + line.strip()
    answers = []
    for line in in_turn(question, lines):
        parts = re.fullmatch(r"- \[([x ])\] (.+?) :: (.+)", line)
        if not parts:
            raise ValueError(f"an answer reads '- [x] answer :: why' or '- [ ] answer :: why', got {line!r}")
        if re.fullmatch(r"\$[^$]*\$", parts[2]):
            raise ValueError(f"an answer needs at least one word, for screen readers: {parts[2]}")
        answers.append((parts[1] == "x", parts[2], parts[3]))
    right = sum(answer[0] for answer in answers)
    if right != 1 or len(answers) < 2:
        raise ValueError(f"a quiz has one right answer of two or more, got {right} of {len(answers)}")
    return answers


class Quiz(SphinxDirective):
    """A box of radio buttons: the question, which a screen reader says with every answer, and each answer's reason."""

    required_arguments, final_argument_whitespace, has_content = 1, True, True

    def run(self):
        name = f"quiz-{self.env.new_serialno('quiz')}"
        try:
            answers = read_answers(self.arguments[0], list(self.content))
        except ValueError as error:
            raise self.error(str(error)) from error
        box = [tags('<fieldset class="quiz"><legend>'), self._words("question", self.arguments[0]), tags("</legend>\n")]
        for number, (right, answer, why) in enumerate(answers):
            box += [tags(f'<label class="{"right" if right else "wrong"}"><input type="radio" name="{name}" '
                         f'value="{number}"> '),
                    self._words("answer", answer), self._words("why", why), tags("</label>\n")]
        return [*box, tags("</fieldset>\n")]

    def _words(self, kind, text):
        parsed, _ = self.parse_inline(text)
        return nodes.inline("", "", *parsed, classes=[kind])


def tags(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")
