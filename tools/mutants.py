"""Change the package at random places, one at a time, and count how many changes its tests notice.

Usage: python tools/mutants.py [HOW MANY] [SEED], or python tools/mutants.py MODULE:PLACE ... to try some again

Each mutant exchanges an operator, shifts a number, turns a condition round or drops a sign in one module;
the module's doctests and its tests run on it in a copy of the project (without the long comparisons with
quadrature of many digits). Survivors are printed with their line.
"""

from __future__ import annotations

import ast
import os
import random
import resource
import signal
import sys
import time
from multiprocessing import get_context

import flips

PACKAGE = flips.ROOT / "pwu_lite"
SECONDS = 300  # of processor time for one mutant; longer is noticed, too
TESTS = {  # by module, or by folder
    "priors": ["tests/test_priors.py", "tests/test_reference.py", "tests/test_pwu.py"],
    "families": ["tests/test_families.py", "tests/test_pwu.py", "tests/test_reference.py", "tests/test_testing.py",
                 "tests/test_reporting.py", "tests/test_bad_input.py", "tests/test_alignment.py"],
    "pwu": ["tests/test_pwu.py", "tests/test_priors.py", "tests/test_bad_input.py", "tests/test_families.py"],
    "alignment": ["tests/test_alignment.py", "tests/test_refute.py"],
    "ranks": ["tests/test_ranks.py", "tests/test_families.py", "tests/metrics/test_ranking.py"],
    "elicitation": ["tests/test_elicitation.py", "tests/test_reporting.py"],
    "validation": ["tests/test_bad_input.py", "tests/metrics", "tests/test_families.py"],
    "families/sweep": ["tests/test_sweep.py", "tests/test_pwu.py", "tests/test_families.py"],
    "special": ["tests/test_special.py", "tests/test_priors.py"],
    "reporting": ["tests/test_reporting.py"], "symbolic": ["tests/test_symbolic.py"],
    "metrics/classification": ["tests/metrics/test_classification.py", "tests/test_reference.py",
                               "tests/test_bad_input.py", "tests/test_alignment.py"],
    "metrics/regression": ["tests/metrics/test_regression.py", "tests/test_reference.py", "tests/test_bad_input.py"],
    "metrics/ranking": ["tests/metrics/test_ranking.py", "tests/test_reference.py"],
    "metrics/multiclass": ["tests/metrics/test_multiclass.py", "tests/test_reference.py"],
    "metrics/multivariate": ["tests/metrics/test_multivariate.py", "tests/test_reference.py"],
}
SWAPS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
         ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
         ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}


def modules() -> list[str]:
    """The modules that are changed, each under the longest name in TESTS that it is or lies in."""
    paths = [path.relative_to(PACKAGE).with_suffix("").as_posix() for path in sorted(PACKAGE.rglob("*.py"))]
    return [path for path in paths if not path.endswith("__init__") and tests_of(path)]


def tests_of(module: str) -> list[str]:
    """The test files of a module."""
    names = [name for name in TESTS if module == name or module.startswith(f"{name}/")]
    return TESTS[max(names, key=len)] if names else []


class Mutate(ast.NodeTransformer):
    """Change the chosen one of all places that can be changed; count them if none is chosen."""

    def __init__(self, chosen: int = -1):
        self.chosen, self.count, self.line, self.quiet = chosen, 0, 0, 0

    def hit(self, node) -> bool:
        if self.quiet:
            return False
        self.count += 1
        if self.count - 1 == self.chosen:
            self.line = node.lineno
        return self.count - 1 == self.chosen

    def skip(self, node):  # messages, types and texts are not what tests are about
        return node

    visit_Raise = visit_JoinedStr = visit_AnnAssign = visit_Import = visit_ImportFrom = skip

    def visit_FunctionDef(self, node):
        node.body = [self.visit(child) for child in node.body]
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if type(node.op) in SWAPS and self.hit(node):
            node.op = SWAPS[type(node.op)]()
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        if self.hit(node):
            node.op = SWAPS[type(node.op)]()
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if type(node.ops[0]) in SWAPS and self.hit(node):
            node.ops[0] = SWAPS[type(node.ops[0])]()
        return node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return node.operand if isinstance(node.op, (ast.USub, ast.Not)) and self.hit(node) else node

    def visit_Constant(self, node):
        if isinstance(node.value, (int, float)) and not isinstance(node.value, bool) and self.hit(node):
            return ast.copy_location(ast.Constant(node.value + 1 if node.value < 10 else node.value * 2), node)
        if isinstance(node.value, bool) and self.hit(node):
            return ast.copy_location(ast.Constant(not node.value), node)
        return node


def _stop(*_):
    raise TimeoutError


def main() -> int:
    again = [(module, int(place)) for module, _, place in (word.partition(":") for word in sys.argv[1:]) if place]
    many, seed = (len(again), 0) if again else (
        int(value) for value in (*sys.argv[1:], *("200", "1")[len(sys.argv) - 1:]))
    draw, chosen = random.Random(seed), []
    known = modules()
    for number, module in enumerate(known):  # as many of each module
        counter = Mutate()
        counter.visit(ast.parse((PACKAGE / f"{module}.py").read_text()))
        share = many // len(known) + (number < many % len(known))
        chosen += [(module, place) for place in draw.sample(range(counter.count), min(share, counter.count))]
    draw.shuffle(chosen)
    chosen = again or chosen
    flips.warm_up()
    started, killed, late = time.time(), 0, 0
    with get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        for done, (name, outcome) in enumerate(pool.imap_unordered(run, chosen, chunksize=1), 1):
            killed += outcome != "passes"
            late += "TimeoutError" in outcome
            if outcome == "passes" or "TimeoutError" in outcome:
                print(f"{'survives' if outcome == 'passes' else 'out of time'}: {name}", flush=True)
            print(f"{done} of {many} after {time.time() - started:.0f} s, {killed} killed", file=sys.stderr)
    print(f"{killed} of {many} mutants killed, {late} of them by the time limit (seed {seed}), "
          f"{time.time() - started:.0f} s on {os.cpu_count()} cores")
    return 0


def run(job) -> tuple[str, str]:
    signal.signal(signal.SIGXCPU, _stop)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, resource.RLIM_INFINITY))
    module, place = job
    path = PACKAGE / f"{module}.py"
    mutate = Mutate(place)
    text = ast.unparse(mutate.visit(ast.parse(path.read_text())))
    name = f"{module}.py:{mutate.line}: {path.read_text().splitlines()[mutate.line - 1].strip()} (place {place})"
    tests = [f"pwu_lite/{module}.py", *tests_of(module)]
    try:
        return name, flips.tried([*tests, "-k", "not closed_form"], path.relative_to(flips.ROOT), text)
    except BaseException as error:  # out of time, or the package cannot be imported any more
        return name, f"stops by {type(error).__name__}"


if __name__ == "__main__":
    raise SystemExit(main())
