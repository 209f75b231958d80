"""Accept or refuse certificates, in fractions, with Python's standard library and nothing of the book.

Usage: python certificate.py < FILE   (JSON: a list of certificates; numbers are texts, "3/10" or "0.3", read exactly)
refutation  The metric calls `better` better than `worse` in each comparison, yet the weighted sum of cost(better) -
            cost(worse) is at least zero at every decision parameter: no prior can agree with the metric. Families:
            binary (act if f > c; a miss costs 1 - c, a false alarm c), selective (predict if the variance is at most
            lambda, and pay the squared error; else pay lambda), top k (minus the share of events among the k highest
            forecasts, where ties share the places).
dominance   `first` costs at most as much as `second` at every c from `low` to `high`, and somewhere less.
bound       Priors on c with P(c < place) = level, at these places, make `forecast` cost at most `upper`, and no less.
best score  These acts, one for each cell as they come, reach `value` in the worst of the probabilities `vertices`; no
            other choice of one act for each cell, advised or not, reaches less.
"""

import itertools
import json
import sys
from fractions import Fraction

HALF = Fraction(1, 2)


def accept(given: dict) -> str:
    try:  # nothing if the certificate proves what it says, else why not
        return KINDS[given["kind"]](given)
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError, AttributeError) as error:
        return f"it cannot be read: {type(error).__name__}: {error}"


def numbers(values: list, among: object = None, count: int = 0) -> list[Fraction]:
    if not isinstance(values, list) or any(type(x) is not str or set(x) - set("-./0123456789") for x in values):
        raise ValueError("a number must be a text of digits: a float is not what it looks like")
    found = [Fraction(value) for value in values]
    odd = [x for x in found if among and not 0 <= x <= 1 or among == "labels" and x % 1]
    if not found or count not in (0, len(found)) or odd:
        raise ValueError(f"{count or 'some'} {among or 'numbers'} are needed")
    return found


def line(family: str, y: list, side: list, place: Fraction) -> tuple[Fraction, Fraction]:
    """Level and slope of the sum of costs from this place of the parameter up to the next one where an act changes."""
    acts = [x > place if family == "binary" else x <= place for x in side[-1]]
    if family == "selective":
        return sum((m - a) ** 2 for a, m, act in zip(y, side[0], acts, strict=True) if act), acts.count(False)
    misses = sum(label > act for label, act in zip(y, acts, strict=True))
    return misses, sum(label < act for label, act in zip(y, acts, strict=True)) - misses


def ends(family: str, parts: list, low: Fraction, last: list) -> tuple[Fraction, Fraction]:
    """Least and most of a weighted sum of costs from `low` to [high], to [high, high] itself, or no end, [None]."""
    inner, found = {x for _, _, side in parts for x in side[-1] if x > low and (last[0] is None or x < last[0])}, []
    places = [low, *sorted(inner), *last]
    for place, after in itertools.pairwise(places):
        level, slope = (sum(weight * line(family, y, side, place)[k] for weight, y, side in parts) for k in (0, 1))
        if after is None and slope:
            raise ValueError("the sum rises or falls without end")
        found += [level + slope * place, level + slope * (after or place)]
    return min(found), max(found)


def kept(y: list, f: list, k: int) -> Fraction:
    border = sorted(f, reverse=True)[k - 1]
    above, tied = ([a for a, x in zip(y, f, strict=True) if test(x)] for test in (border.__lt__, border.__eq__))
    return (sum(above) + sum(tied) * Fraction(k - len(above), len(tied))) / k


def gaps(y: list, f: list) -> list[Fraction]:
    held: dict = {}  # ten bins, each open below and closed above, 0 in the first
    for label, x in zip(y, f, strict=True):
        held.setdefault(max(-((-10 * x) // 1), 1), []).append(label - x)
    return [(abs(sum(gap)), len(gap)) for gap in held.values()]


def area(wrong: list, order: list) -> Fraction:
    pairs = [(x > other) + (x == other) * HALF for x, one in zip(order, wrong, strict=True) if one
             for other, event in zip(order, wrong, strict=True) if not event]  # a wrong one above a right one
    return sum(pairs) / len(pairs)


def missed(y: list, f: list) -> list[bool]:
    return [(x > HALF) != label for label, x in zip(y, f, strict=True)]


METRICS = {  # all as losses
    "brier_score": lambda y, f: sum((a - x) ** 2 for a, x in zip(y, f, strict=True)),
    "mean_absolute_error": lambda y, f: sum(abs(a - x) for a, x in zip(y, f, strict=True)),
    "zero_one_loss": lambda y, f: sum(missed(y, f)),
    "expected_calibration_error": lambda y, f: sum(gap for gap, _ in gaps(y, f)),
    "maximum_calibration_error": lambda y, f: max(gap / n for gap, n in gaps(y, f)),
    "retention_auc": lambda y, f: sum(kept(missed(y, f), [abs(x - HALF) for x in f], k + 1) for k in range(len(y))),
    "error_detection_auroc": lambda y, f: -area(missed(y, f), [-abs(x - HALF) for x in f]),
    "error_detection_auroc of means": lambda y, mean, variance: -area(
        [abs(a - m) > abs(a) / 10 for a, m in zip(y, mean, strict=True)], variance)}


def refutation(given: dict) -> str:
    family, metric, parts = given["family"], METRICS[given["metric"]], []
    for weight, one in zip(numbers(given["weights"]), given["comparisons"], strict=True):
        y = numbers(one["y"], None if family == "selective" else "labels")
        better, worse = ([numbers(part, None if family == "selective" else "chances", len(y)) for part in one[side]]
                         for side in ("better", "worse"))
        parted = {len(better), len(worse)} == {1 + (family == "selective")}
        if not parted or weight <= 0 or family == "selective" and min(*better[1], *worse[1]) <= 0:
            return "weights and variances must be positive, and a forecast must have its parts"
        if not metric(y, *better) < metric(y, *worse):
            return "the metric does not call `better` better"
        parts += [(weight / len(y), y, better), (-weight / len(y), y, worse)]
    if family == "top k":
        least = min(-sum(weight * kept(y, *side, k + 1) for weight, y, side in parts)
                    for k in range(max(len(y) for _, y, _ in parts)))  # of one length, or it ends here
    else:
        least, _ = ends(family, parts, Fraction(0), {"binary": [Fraction(1)], "selective": [None]}[family])
    return "" if least >= 0 else "at some parameter the costs speak for the metric"


def dominance(given: dict) -> str:
    y, (low, high) = numbers(given["y"], "labels"), numbers([given["low"], given["high"]], "chances")
    first, second = (numbers(given[name], "chances", len(y)) for name in ("first", "second"))
    least, most = ends("binary", [(1, y, [second]), (-1, y, [first])], low, [high, high])
    return "" if low <= high and least >= 0 < most else f"the second one costs between {least} and {most} more"


def bound(given: dict) -> str:
    y, (upper,) = numbers(given["y"], "labels"), numbers([given["upper"]])
    places, levels = (numbers(given[name], "chances") for name in ("places", "levels"))
    part = [(Fraction(1, len(y)), y, [numbers(given["forecast"], "chances", len(y))])]
    steps = list(zip([0, *places, 1], [0, *levels, 1], strict=True))
    rising = all(a < b and p <= q for (a, p), (b, q) in itertools.pairwise(steps))
    least = sum((q - p) * ends("binary", part, Fraction(a), [Fraction(b)])[1]
                for (a, p), (b, q) in itertools.pairwise(steps))
    return "" if rising and upper == least else f"places must rise, and the least upper bound is {least}"


def best_score(given: dict) -> str:
    cells, acts = ["" + cell for cell in given["cells"]], tuple(given["acts"])
    loss = [numbers(row, None, len(cells)) for row in given["loss"]]
    vertices, names = [numbers(row, "chances", len(cells)) for row in given["vertices"]], list(dict.fromkeys(cells))
    chosen = list(itertools.product(range(len(loss)), repeat=len(names)))
    worst = [max(sum(p * loss[one[names.index(cell)]][k] for k, (p, cell) in enumerate(zip(row, cells, strict=True)))
                 for row in vertices) for one in chosen]
    fits = {*map(type, acts)} == {int} and {*map(sum, vertices)} == {1}
    return "" if fits and worst[chosen.index(acts)] == min(worst) == numbers([given["value"]])[0] else f"{min(worst)}"


KINDS = {"refutation": refutation, "dominance": dominance, "bound": bound, "best score": best_score}

if __name__ == "__main__":
    found = [accept(one) for one in json.load(sys.stdin)]
    print("\n".join(f"{number}: {why or 'accepted'}" for number, why in enumerate(found, 1)))
    raise SystemExit(not found or any(found))
