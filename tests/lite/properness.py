"""What a family says of its properness, against an exact search among forecasts on a small grid."""

import numpy as np

from pwu_lite import PWU


def check_properness(family, prior, data):
    """Expected losses of honest and dishonest reports, over all labels of few cases."""
    score, arrays = PWU(family, *(prior if isinstance(prior, tuple) else (prior,))), [np.asarray(part) for part in data]
    verdict = score.family.properness(*score.priors)[0]
    if verdict not in ("proper", "strictly proper", "improper"):
        return
    reports, labels = _small_problems(score, arrays)
    losses = np.array([[score(label, report, return_error=True)[0] for label in labels] for report in reports])
    room = 1e-9 * np.abs(losses[np.isfinite(losses)]).max(initial=1e-300) + 4 * max(
        score(labels[0], report, return_error=True)[1] for report in reports)
    dishonest = None
    for truth, report in enumerate(reports):
        chance = np.array([_chance(report, label) for label in labels])
        kept = chance > 0
        expected = losses[:, kept] @ chance[kept]
        better = int(np.argmin(expected))
        if expected[better] < expected[truth] - room:
            dishonest = (report, reports[better], expected[truth], expected[better])
        flat = (losses[:, kept] == losses[truth, kept]).all(axis=1)
        flat[truth] = False
        if verdict == "strictly proper" and flat.any():
            raise AssertionError(f"properness says strictly proper, and {_shown(report)} and "
                                 f"{_shown(reports[int(np.argmax(flat))])} have the same losses")
    if dishonest and verdict != "improper":
        truth, report, honest, better = dishonest
        raise AssertionError(f"properness says {verdict}, and where {_shown(truth)} is true the report "
                             f"{_shown(report)} is expected to cost {better:.6g}, the honest one {honest:.6g}")
    if verdict == "improper" and not dishonest:
        raise AssertionError("properness says improper, and no dishonest report on a grid beats the honest one")


def _small_problems(score, arrays):
    """Reports that are truths as well, and all labels: of one case, of three where acts depend on all cases."""
    if arrays[1].ndim > 1:
        k = arrays[1].shape[1]
        rows = [row for row in np.ndindex(*[7] * k) if sum(row) == 6][:60]
        return [np.array([row]) / 6 for row in rows], [np.array([label]) for label in range(k)]
    if score.family.separable:
        grid = np.unique(np.concatenate([np.linspace(0, 1, 21), [0.01, 0.99], np.clip(
            score.priors[0].ppf(np.linspace(0.02, 0.98, 13)), 0, 1)]))
        return [np.array([f]) for f in grid], [np.array([0]), np.array([1])]
    cases = list(np.ndindex(4, 4, 4))
    return ([np.array([0.1, 0.35, 0.6, 0.9])[list(case)] for case in cases],
            [np.array(labels) for labels in np.ndindex(2, 2, 2)])


def _chance(report, label):
    """The chance of these labels if the report is true."""
    if report.ndim > 1:
        return float(report[0, label[0]])
    return float(np.prod(np.where(label == 1, report, 1 - report)))


def _shown(report):
    return np.array2string(np.ravel(report), precision=3)
