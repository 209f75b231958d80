# ruff: noqa: E501
"""For each row of the claims ledger a small change that makes its verdict false: its test must then fail.

`make flips` makes each change in a copy of the project and runs the row's test there. A row without an
entry is not guarded. To add one: the smallest change of the package (or, where a statement is about an
example, of the example) that turns the verdict round; `old` must stand in `file` exactly once.
"""

from typing import NamedTuple


class Flip(NamedTuple):
    """In `file` the text `old` becomes `new`; `words` say what that does to the statement."""

    file: str
    old: str
    new: str
    words: str


PACKAGE, METRICS, TEST = "pwu_lite/", "pwu_lite/metrics/", "tests/book/test_claims.py"
TABLES = "tests/book/test_experiments.py"


def package(name, old, new, words):
    return Flip(PACKAGE + name, old, new, words)


BRIER = Flip(METRICS + "classification.py", "return average((f - y) ** 2, weight)", "return average((f - y) ** 4, weight)",
             "the Brier score becomes a fourth power, which no prior has")
ABSOLUTE = Flip(METRICS + "classification.py", "return average((f - y) ** 2, weight)",
                "return average(np.abs(f - y), weight)", "the Brier score becomes the absolute error")
LOG = Flip(METRICS + "classification.py", "np.where(y, -np.log(f), -np.log1p(-f))",
           "np.where(y, -2 * np.log(f), -np.log1p(-f))", "the log loss charges misses twice")
ALARM = package("families/cases.py", "prior.for_cases(~y).tails(f[~y])[2]", "1.5 * prior.for_cases(~y).tails(f[~y])[2]",
                "a PWU charges false alarms half as much again")
MISS = package("families/cases.py", "prior.for_cases(y).complement_above(f[y])", "1.5 * prior.for_cases(y).complement_above(f[y])",
               "a PWU charges misses half as much again")
ACT = package("families/cases.py", "return validation.check_probabilities(y_prob) > c",
              "return validation.check_probabilities(y_prob) > 1 - c", "the act confuses c and 1 - c")
SELECTIVE = package("families/cases.py", "return (mean - y) ** 2 * above + mean_below", "return (mean - y) ** 2 * above + 2 * mean_below",
                    "a selective PWU charges abstentions twice")
CHARGE = package("families/ranked.py", 'return std**2 if self.penalty == "reported" else (y - mean) ** 2',
                 'return std**2 if self.penalty != "reported" else (y - mean) ** 2',
                 "the two penalties of risk-averse selection are exchanged")
MSE_SEES = Flip(METRICS + "regression.py", "return average((y - m) ** 2, weight)",
                "return average((y - m) ** 2 / s + s, weight)", "the squared error becomes strictly proper")
NLL = Flip(METRICS + "regression.py", "return average(np.log(s) + 0.5 * np.log(2 * np.pi) + z**2 / 2, weight)",
           "return average(s, weight)", "the NLL becomes the mean standard deviation")
FINITE = package("symbolic/implicit.py", "infinite = is_infinite(lowest)", "infinite = False",
                 "the infinite cost of a selective score is called finite")
ECE = Flip(METRICS + "classification.py", "return calibration_error(*check_binary(y_true, y_prob), n_bins)",
           "return brier_score(y_true, y_prob)", "the calibration error becomes the Brier score")
MODE = package("elicitation.py", "return prior.scale * (prior.a - 1) / (prior.a + prior.b - 2)",
               "return prior.scale * prior.a / (prior.a + prior.b)", "the mode becomes the mean")
ONE_WINNER = Flip(TEST, "np.arange(0.02, 0.5, 0.01)", "np.arange(0.02, 0.03, 0.01)", "only one prior may be chosen")
TURNED = Flip(TABLES, '    return stored_tables.load(f"{task}_{name}.csv.gz")',
              '    read = stored_tables.load(f"{task}_{name}.csv.gz")\n'
              '    return read.assign(**{c: -read[c] for c in read if read[c].dtype == float and c != "theta"})',
              "every number of the stored tables changes its sign")
PWUS_LEAD = Flip(TABLES, '    return stored_tables.load(f"{task}_{name}.csv.gz")',
                 '    read = stored_tables.load(f"{task}_{name}.csv.gz")\n'
                 '    own = read["metric"].str.startswith("pwu") if "metric" in read else False\n'
                 '    there = [name for name in ("tau", "expected_tau") if name in read]\n'
                 '    return read.assign(**{name: read[name].where(~own, 1.0) for name in there})',
                 "every PWU agrees perfectly with every family")
RETENTION = Flip(METRICS + "_kernels.py", "order, starts = sorted_blocks(uncertainty, tolerance)",
                 "order, starts = sorted_blocks(-uncertainty, tolerance)", "R-AUC keeps the most uncertain cases")
TRUNCATED = package("symbolic/implicit.py", "link = (simplified(1 / mass), -rest.subs(variance, eps) / mass)",
                    "link = (simplified(1 / mass), rest.subs(variance, eps) / mass)", "the link's constant turns sign")
DENSITY = package("symbolic/implicit.py", "from_1 = -sp.diff(piece[0], p) / (1 - p)", "from_1 = -sp.diff(piece[0], p) / p",
                  "the prior is read off with the wrong weight")

CASES = "tests/book/test_cases.py"
CREDIT_TURNED = Flip(CASES, '    return stored_tables.load(f"{name}.csv.gz")',
                     '    read = stored_tables.load(f"{name}.csv.gz")\n'
                     '    return read.assign(pwu_binary=-read["pwu_binary"]) if "pwu_binary" in read else read',
                     "the binary PWU ranks the models in reverse")
BIDS_BY_SIGMA = Flip(CASES, '    return stored_tables.load(f"{name}.csv.gz")',
                     '    read = stored_tables.load(f"{name}.csv.gz")\n'
                     '    return read.assign(sigma_permuted=1000.0) if "sigma_permuted" in read else read',
                     "another sigma moves the profit by a thousand EUR")
UNITS = Flip(CASES, '    rows = table("credit_thresholds")\n',
             '    rows = table("credit_thresholds").replace({"reading": {"published": "released", "released": "published"}})\n',
             "rates a year are the right units")

PAPER = {
    "Definition 3.1": ABSOLUTE,
    "Remark 3.2": Flip(TEST, "mass = sp.integrate(1 / c, (c, low", "mass = sp.integrate(1, (c, low",
                       "the log loss's prior gets a finite mass"),
    "Remark 3.3": ABSOLUTE,
    "Proposition 3.4": ABSOLUTE,
    "Definition 3.5": Flip(METRICS + "classification.py", "np.where(y, -np.log(f), -np.log1p(-f))",
                           "np.where(y, -np.log(np.maximum(f, 1e-15)), -np.log1p(-f))", "the log loss is clipped"),
    "Lemma 3.6": package("families/base.py", "return average(self.losses(prior, data), weight),",
                         "return float(np.std(self.losses(prior, data))),", "a PWU is the spread of the losses, no average"),
    "Section 3.2.1": ACT,
    "Section 3.2.1 (normalised costs)": Flip(TEST, "unit = belief(grid) / stated.pdf(grid)", "unit = 1 + 0 * grid", "all count in the same unit"),
    "Footnote 7": Flip(TEST, "unit = belief(grid) / stated.pdf(grid)", "unit = 1 + 0 * grid", "all count in the same unit"),
    "Equation (3)": package("symbolic/implicit.py", "infinite = is_infinite(if1) or is_infinite(if0)", "infinite = False",
                            "the infinite cost of a proper score is called finite"),
    "Proposition 3.7 (Brier score)": BRIER,
    "Proposition 3.7 (log loss)": LOG,
    "Proposition 3.7 (accuracy)": package("families/cases.py", "(1 - theta) * (f <= theta), theta * (f > theta)",
                                          "(1 - theta) * (f <= theta), theta * (f <= theta)", "known costs charge the right acts"),
    "Corollary 3.8": ECE,
    "Section 3.2.2": package("families/ranked.py", "return share_places(f, _first(k, f.size))",
                             "return share_places(-f, _first(k, f.size))", "the lowest forecasts are picked"),
    "Proposition 3.9": Flip(METRICS + "classification.py", "return average((f - y) ** 2, weight)",
                            "return -float(np.mean(y[f == f.max()]))", "the Brier score becomes minus precision at 1"),
    "Remark 3.10": Flip(METRICS + "classification.py", "return average((f > 0.5) != y, weight)",
                        "return 1 - float(np.mean(y))", "accuracy becomes precision at n"),
    "Section 3.3.1": SELECTIVE,
    "Proposition 3.11 (NLL)": FINITE,
    "Proposition 3.11 (MSE)": MSE_SEES,
    "Proposition 3.11 (others)": Flip(
        METRICS + "regression.py", "return float(_coverage_gaps(y_true, mean, std, coverages).mean())",
        "return mean_squared_error(y_true, mean, std)", "the calibration error of regression becomes the MSE"),
    "Proposition 3.12": TRUNCATED,
    "Remark 3.13": package("families/cases.py", "return -errors - thetas * weight_above(std, weight, roots)",
                           "return errors - thetas * weight_above(std, weight, roots)",
                           "the MSE equals the utility of never abstaining"),
    "Section 3.3.2": CHARGE,
    "Proposition 3.14": Flip(METRICS + "regression.py",
                             "return average(np.log(s) + 0.5 * np.log(2 * np.pi) + z**2 / 2, weight)",
                             "return -float(np.mean((y - s**2)[m - s**2 >= (m - s**2).max() - 1e-12]))",
                             "the NLL becomes minus a risk-averse utility"),
    "Table 1": BRIER,
    "Table 1 (accuracy, top-k)": Flip(METRICS + "classification.py", "return average((f > 0.5) != y, weight)",
                                      "return 1 - float(np.mean(y))", "accuracy becomes precision at n"),
    "Equation (4)": ALARM,
    "Figure 1": MODE,
    "Proposition 4.1": ALARM,
    "Proposition 4.2 (three families)": SELECTIVE,
    "Proposition 4.2 (risk-averse)": CHARGE,
    "Proposition 4.2 (strictness)": MSE_SEES,
    "Appendix A": ACT,
    "Appendix B (clipped Brier score)": package(
        "priors.py", "* ((1 - self.high) + (1 - t)) / 2", "* ((1 - self.high) + (1 - t)) / 3",
        "a uniform prior charges misses too little"),
    "Appendix B (Murphy diagrams)": ALARM,
    "Appendix C.1": ABSOLUTE,
    "Appendix C.2": MISS,
    "Appendix C.3": Flip(METRICS + "_kernels.py", "return float(np.mean(kept / sizes))",
                         "return float(np.mean(kept / sizes)) / 2", "R-AUC is halved"),
    "Appendix C.3 (a term)": Flip(METRICS + "_kernels.py", "return float(np.abs(gaps).sum() / sizes.sum())",
                                  "return float(2 * np.abs(gaps).sum() / sizes.sum())",
                                  "the term has the value of what is printed"),
    "Appendix C.4 (form)": package("symbolic/implicit.py", "densities = [simplified(-sp.diff(slope, v))",
                                   "densities = [simplified(-2 * sp.diff(slope, v))",
                                   "the coefficient is twice the prior's tail"),
    "Appendix C.4 (MSE, a factor)": package("families/cases.py", "return (mean - y) ** 2 * above + mean_below",
                                            "return (mean - y) ** 2 * above + mean_below / 2", "lambda is counted half"),
    "Appendix C.5": package("symbolic/implicit.py", "link = (simplified(1 / mass), -rest", "link = (simplified(2 / mass), -rest",
                            "the link's factor is doubled"),
    "Appendix C.6": CHARGE,
    "Appendix C.6 (E-Det)": package(
        "families/ranked.py", 'return std**2 if self.penalty == "reported" else (y - mean) ** 2', "return 0 * std",
        "nothing is charged, so the printed utilities match"),
    "Appendix D (converse)": Flip(TEST, "lambda theta, y, f: theta * loss(y, f), **given) is None",
                                  "lambda theta, y, f: -theta * loss(y, f), **given) is None",
                                  "the printed sign is taken for the right one"),
    "Proposition D.1": ALARM,
    "Proposition D.1 (strictness)": MSE_SEES,
    "Appendix E": Flip(TEST, "sign * float(f[0] > f[1])", "sign * float(f[0] > 0.5)",
                       "the utilities of the example become separable"),
    "Appendix F (accuracy)": Flip(METRICS + "classification.py", "return average((f > 0.5) != y, weight)",
                                  "return average(np.abs(f - y), weight)", "accuracy becomes the absolute error"),
    "Appendix F (R-AUC)": Flip(METRICS + "_kernels.py", 'if definition == "retained" else error.size',
                               'if definition == "oracle" else error.size', "the two definitions are exchanged"),
    "Appendix F (log loss, NLL)": NLL,
    "Appendix F (Brier score)": ABSOLUTE,
    "Appendix F (MSE)": MSE_SEES,
    "Appendix F (ECE and MCE)": ECE,
    "Appendix F (levels of the regression ECE)": Flip(
        METRICS + "regression.py", "COVERAGES = (0.5, 0.8, 0.9, 0.95)", "COVERAGES = (0.5, 0.2, 0.1, 0.05)",
        "the levels are taken for miscoverages"),
    "Appendix F (R-AUC is not proper)": RETENTION,
    "Appendix F (E-Det)": Flip(METRICS + "_kernels.py", "/ (bad * good))", "/ (bad * good) * 0 + 0.5)",
                               "E-Det is the same for every forecast"),
    "Proposition F.1 (independent)": Flip(METRICS + "classification.py", "return average((f - y) ** 2, weight)",
                                          "return float(np.max((f - y) ** 2) + np.min(np.abs(f - y)))",
                                          "the Brier score looks at the worst and the best case"),
    "Proposition F.1 (classification)": Flip(
        METRICS + "classification.py", "return float((np.abs(gaps[used]) / sizes[used]).max())",
        "return brier_score(y_true, y_prob)", "the MCE becomes the Brier score"),
    "Proposition F.1 (regression)": Flip(
        METRICS + "regression.py", "return float(_coverage_gaps(y_true, mean, std, coverages).max())",
        "return mean_squared_error(y_true, mean, std)", "the MCE of regression becomes the MSE"),
    "Proposition F.1 (proof for regression ECE)": Flip(
        METRICS + "regression.py", "np.array([abs(np.mean(z <= _half_width(level)) - level) for level in levels])",
        "np.array([np.mean(z <= _half_width(level)) - level for level in levels])", "deviations keep their sign"),
    "Proposition F.1 (proof for regression MCE)": Flip(
        METRICS + "regression.py", "return float(_coverage_gaps(y_true, mean, std, coverages).max())",
        "return float(_coverage_gaps(y_true, mean, std, coverages).max()) + 0.01",
        "a largest deviation dominates from the start"),
    "Proposition F.1 (proof for regression E-Det)": Flip(
        METRICS + "regression.py", "wrong = np.abs(y - m) - limit > 1e-12 * np.abs(y)",
        "wrong = np.abs(y - m) - limit > -1e-12 * np.abs(y)", "an error at the tolerance is an error"),
    "Figure G.1": DENSITY,
    "Proposition G.1 (Brier score)": Flip(METRICS + "multiclass.py", "(f - _one_hot(y, f)) ** 2",
                                          "(f - _one_hot(y, f)) ** 4", "the multiclass Brier score is a fourth power"),
    "Proposition G.1 (log loss)": Flip(METRICS + "multiclass.py", "-np.log(f[np.arange(y.size), y])",
                                       "-2 * np.log(f[np.arange(y.size), y])", "the multiclass log loss is doubled"),
    "Corollary G.2": Flip(
        METRICS + "multiclass.py",
        "return float(np.mean([calibration_error(y == j, f[:, j], n_bins) for j in range(f.shape[1])]))",
        "return brier_score(y_true, y_prob)", "the multiclass ECE becomes the Brier score"),
    "Proposition G.3": Flip(METRICS + "multivariate.py", "    return average(loss, weight)",
                            "    return average(((y - m) ** 2).sum(axis=1), weight)",
                            "the energy score becomes the MSE"),
    "Proposition G.3 (proof)": Flip(TEST, "for rho in (0.0, 0.5)]", "for rho in (0.0, 0.0)]",
                                    "equal variances score alike"),
    "Appendix H (metric details)": package("families/ranked.py", 'return "improper", "it charges', 'return "proper", "it charges',
                                           "the risk-averse PWU is called proper"),
    "Appendix H (limitations)": package(
        "priors.py", "return float(np.abs(gaps - fine).sum() + abs(fine.sum() - self._mean)) + 1e-15", "return 0.0",
        "a numerical integral claims to be exact"),
    "Appendix H (out-of-scope use)": package(
        "priors.py", "beta_tails(self.a, self.b + 1, x).upper", "beta_tails(self.a, self.b + 2, x).upper",
        "the derivative of a binary PWU is not the prior's"),
    "Appendix H (broader impact)": ONE_WINNER,
    "Table I.1": package("families/cases.py", "return (mean - y) ** 2 * above + mean_below",
                         "return (mean - y) ** 2 * above + mean_below + np.inf", "selective PWUs are infinite"),
    "Appendix I.2 (mode)": MODE,
    "Appendix I.2 (concentration)": Flip(TEST, "pwu.Beta(2 * s, 10 * s)", "pwu.Beta(1 + s, 1 + 9 * s)",
                                         "the shapes are scaled around the mode"),
    "Appendix I.3 (quantiles)": package("priors.py", "special.betaincinv(self.a, self.b, _levels(q))",
                                        "special.betaincinv(self.b, self.a, _levels(q))", "the shapes are exchanged"),
    "Appendix I.3 (degeneracy)": package("priors.py", "special.betaincinv(self.a, self.b, _levels(q))",
                                         "special.betaincinv(self.b, self.a, _levels(q))",
                                         "draws and masses are of different priors"),
    "Appendix I.3 (sensitivity)": package("elicitation.py", "moved = place + share * min(place, 1 - place)",
                                          "moved = place - share * min(place, 1 - place)", "up is down"),
    "Appendix I.4 (top 1%)": Flip(TEST, "    prior = pwu.Beta(1.2, 20.8)\n    assert prior.mean > 0.05",
                                  "    prior = pwu.Beta(1.2, 208)\n    assert prior.mean > 0.05",
                                  "the prior is about the top per cent"),
    "Appendix I.4 (footnote 17)": Flip(TEST, "assert prefers_good((y * unit).var())",
                                       "assert prefers_good(1 / (y * unit).std())",
                                       "the scale by the variance is said to be right in every unit"),
    "Appendix I.4 (scale of lambda)": Flip(TEST, '{"labels": np.var,', '{"labels": lambda y: 1.0,',
                                           "the labels' scale is no scale from the labels"),
    "Appendix I.4 (cross-validation)": ONE_WINNER,
    "Appendix L": Flip(TEST, "    score = pwu.PWU(pwu.BinaryDecision(), pwu.Uniform(0.05, 0.5))\n    before",
                       "    score = pwu.PWU(pwu.BinaryDecision(), pwu.Uniform(0, 1))\n    before",
                       "somebody decides at the tails"),
    "Appendix J (tau)": Flip(TABLES, 'pd.DataFrame({"u": [4.0, 5, 3, 2, 1]})', 'pd.DataFrame({"u": [4.0, 5, 2, 3, 1]})',
                             "two pairs in ten disagree"),
    "Appendix J (ranks)": package("replication/tasks.py", "    models=models.classifiers, added=models.more_classifiers,",
                                  "    models=_five_classifiers, added=models.more_classifiers,",
                                  "five models are run"),
    "Appendix J.4 (deterministic)": package(
        "replication/released.py", 'first = np.argsort(-np.asarray(f), kind="stable")[:k]\n    return float(np.asarray(y)',
        "first = np.lexsort((-np.asarray(y), -np.asarray(f)))[:k]\n    return float(np.asarray(y)",
        "ties no longer follow the rows"),
    "Section 5.1": TURNED, "Figure 2": TURNED, "Table J.1": TURNED, "Table J.2": TURNED, "Table J.3": TURNED,
    "Table J.4": TURNED, "Figure J.1": TURNED, "Figure J.2": TURNED, "Figure J.3": TURNED,
    "Figure J.7": package("replication/tasks.py", '"binary": {"slight": (Beta(3, 9),)', '"binary": {"slight": (Beta(4, 9),)',
                          "a perturbed prior has another mode"),
    "Figure J.8": TURNED, "Figure J.9": TURNED,
    "Appendix J.3 (accuracy)": TURNED,
    "Remark J.1": PWUS_LEAD,
    "Figure K.1": TURNED,
    "Section 5.2 (bidding)": Flip(CASES, '.set_index("metric")', '.set_index("metric").assign(low=0.01)',
                                  "every interval of Table 2 lies above zero"),
    "Section 5.2 (credit and lending)": CREDIT_TURNED,
    "Table 2": BIDS_BY_SIGMA,
    "Appendix J.2 (bid)": package("replication/cases/wind.py", "np.minimum(mu + step, capacity), np.maximum(mu - step, 0.0)",
                                  "np.maximum(mu - step, 0.0), np.minimum(mu + step, capacity)", "the bid goes the other way"),
    "Appendix J.2 (abstention)": package("replication/cases/wind.py", "np.maximum(mu - step, 0.0))",
                                         "np.where(sigma > 50, 0.0, np.maximum(mu - step, 0.0)))", "who is uncertain abstains"),
    "Appendix J.2 (thresholds)": package("replication/cases/credit.py", "alarm / (miss + alarm), miss + alarm)",
                                         "miss / (miss + alarm), miss + alarm)", "the shares of the costs are exchanged"),
    "Appendix J.2 (credit utility)": Flip(CASES, '{"lend": -chance * (1 - miss)', '{"lend": -chance * miss',
                                          "the factor is put right"),
    "Appendix J.2 (misspecified)": UNITS,
    "Appendix J.2 (lending)": package("replication/cases/lending.py", "return (1 - f) * np.asarray(margins, dtype=float) - f * loss",
                                      "return 0.1 * (1 - f) - f * loss", "all loans pay the same interest"),
    "Figure J.4 (left)": package("replication/released.py", "return np.asarray(payoffs) == 0", "return np.asarray(payoffs) < 1000",
                                 "circles mark hours that earn little"),
    "Figure J.4 (centre)": UNITS,
    "Figure J.4 (right)": Flip(CASES, "pwu.Beta(1.2, 20.8).mass(3 / 2000, 1)", "pwu.Beta(1.2, 20.8).mass(300 / 2000, 1)",
                               "the budget buys hundreds of loans"),
    "Figure J.5": BIDS_BY_SIGMA,
    "Figure J.6 (left)": CREDIT_TURNED,
    "Figure J.6 (right)": Flip(CASES, 'chosen="same", paid=paid))', 'chosen="same", paid="same"))',
                               "the utility is compared with itself on the same loans"),
}

UNIQUE = {
    "Spearman correlation": Flip(METRICS + "ranking.py", "a, b = midranks(e), midranks(u)",
                                 "a, b = midranks(error), midranks(-uncertainty)", "certainty is ranked"),
    "AUC difference": Flip(METRICS + "ranking.py", "gap = curve - best", "gap = best - curve", "the difference turns sign"),
    "Coefficients (release)": package("replication/released.py", "def coefficient(curve: Any, copies: int = 14) -> float:",
                                      "def coefficient(curve: Any, copies: int = 14) -> float:\n    return 1.0\n\n\ndef former(curve: Any, copies: int = 14) -> float:",
                                      "the release gives the documented share"),
    "Performance drop (release)": package("replication/released.py", "def performance_drop(low: float, high: float) -> float:",
                                          "def performance_drop(low: float, high: float) -> float:\n    return high - low\n\n\ndef former_drop(low: float, high: float) -> float:",
                                          "the release computes the difference"),
    "Increasing and decreasing coefficient": Flip(
        METRICS + "ranking.py", "np.diff(curve) > _rounding(curve)", "np.diff(curve) < _rounding(curve)",
        "steps in the wrong direction are counted"),
    "Performance drop": Flip(METRICS + "ranking.py", "return float(high - low)", "return float(low - high)",
                             "the drop is counted the other way round"),
    "Ranking benchmark": Flip(METRICS + "ranking.py", "gap = curve - best", "gap = curve", "the metric sees accuracy"),
    "Proper scoring rules": Flip(METRICS + "regression.py", "2 * density - 1 / np.sqrt(np.pi)", "density",
                                 "the CRPS charges a spread too little"),
    "NLL": FINITE,
    "Interval score": Flip(METRICS + "regression.py", "2 / (1 - coverage) * outside", "0 * outside",
                           "misses cost nothing"),
    "Check score": Flip(METRICS + "regression.py", "np.maximum(grid * short, (grid - 1) * short).mean(axis=1)",
                        "2 * np.maximum(grid * short, (grid - 1) * short).mean(axis=1)", "the check score is doubled"),
    "CRPS": package("symbolic/induced.py", "density * (1 - level) * (quantile - y)", "density * level * (quantile - y)",
                    "bakers pay for leftovers by the wrong share"),
    "Brier score": BRIER,
    "MACE and RMSCE": Flip(METRICS + "regression.py", "coverages, closed=True).mean())",
                           "coverages, closed=True).mean() + np.mean(std))", "the MACE sees how sure a forecast is"),
    "MACE and RMSCE (release)": Flip(METRICS + "regression.py", "_half_width(level)) - level) for level in levels])",
                                     "_half_width(level)) - level / 2) for level in levels])",
                                     "the documented value is another"),
}

IP_TEST, IP_TABLES = "tests/test_imprecise.py", "book/imprecise/ip_tables.csv"


def sets(old, new, words):
    return Flip(PACKAGE + "imprecise.py", old, new, words)


def of_test(old, new, words):
    return Flip(IP_TEST, old, new, words)


LOWER = sets("return _plain(self.expectations(gamble).max(axis=-1))", "return _plain(self.expectations(gamble).min(axis=-1))",
             "the upper expectation becomes the lower one")
FIRST = sets("    least = min(risks)\n", "    return order[0]\n    least = min(risks)\n", "the first act is always taken")
OTHER_ACTS = sets("return loss[advised, np.arange(len(cells))], advised", "return loss[advised[::-1], np.arange(len(cells))], advised",
                  "each cell gets another cell's act")
DEAREST = sets("return _plain(totals.max(axis=0).min())", "return _plain(totals.max(axis=0).max())", "the best score becomes the worst")
ALL_SAME = sets("        return _covers(self.vertices, other.vertices) and _covers(other.vertices, self.vertices)", "        return True",
                "all sets are the same")
WORST_ACTS = sets("return np.tensordot(weights, table, axes=1).min(axis=1).sum()", "return np.tensordot(weights, table, axes=1).max(axis=1).sum()",
                  "the entropy is that of the worst acts")
TIES_UNIQUE = sets("if any((loss[act][inside] != loss[best[0]][inside]).any() for act in best):", "if False:",
                   "ties count as unique")
ONE_MEMBER = sets("return CredalSet(conditional)", "return CredalSet(conditional[:1])", "only the first member is conditioned")
BEST_GROUP = sets("worst = _plain(np.asarray(sums.max()))", "worst = _plain(np.asarray(sums.min()))", "the best group is looked at")
OPTIMIST = sets("return _forecast(forecasts, cell).upper(gamble)", "return _forecast(forecasts, cell).lower(gamble)",
                "the lower expectation is announced")
PEAK = of_test("cost = np.minimum(p * (1 - c), (1 - p) * c)", "cost = np.minimum(p * c, (1 - p) * (1 - c))",
               "c and 1 - c are exchanged")

IMPRECISE = {
    "Example 2.1": sets('loss = _numbers("loss", loss, 2)', 'loss = abs(_numbers("loss", loss, 2))', "gains count as losses"),
    "Assumption 2.2": FIRST,
    "Definition 2.3": OTHER_ACTS,
    "Assumption 2.4": DEAREST,
    "Remark 2.5": ALL_SAME,
    "Proposition 2.6": FIRST,
    "Proposition 2.7 (1)": of_test("(P.vertices[0] - centre) / 10**6", "(P.vertices[0] - centre) * 1", "the segment is long"),
    "Proposition 2.7 (2)": of_test("[4, 5]], [[2, 7]", "[2, 3]], [[2, 7]", "the third act is the best one for some probability"),
    "Proposition 2.8": FIRST,
    "Definition 2.9": WORST_ACTS,
    "Proposition 2.10": TIES_UNIQUE,
    "Section 2.2 (interior)": TIES_UNIQUE,
    "Remark 2.11": of_test('weight=F(4)', 'weight=F(0)', "the score has no kink"),
    "Definition/Observation 2.12": DEAREST,
    "Definition 2.13": ONE_MEMBER,
    "Definition 2.14": of_test("[[0, 0, 1], [F(\"0.2\"), F(\"0.3\"), F(\"0.5\")]]", "[[0, F(\"0.1\"), F(\"0.9\")], [F(\"0.2\"), F(\"0.3\"), F(\"0.5\")]]",
                               "every member gives the event mass"),
    "Desideratum 3.1": BEST_GROUP,
    "Definition 3.2": OPTIMIST,
    "Definition 3.3": BEST_GROUP,
    "Proposition 3.4": BEST_GROUP,
    "Proposition 3.4 (calibration)": ONE_MEMBER,
    "Proposition 3.5": BEST_GROUP,
    "Remark 3.6": sets("np.asarray((sums / mass).max())", "np.asarray((sums / mass).min())", "the lower conditional expectation is taken"),
    "Definition 3.7": LOWER,
    "Proposition 3.8": of_test('"one": [[0, 1]], "two": [[1, 0]]', '"one": [[1, 0]], "two": [[0, 1]]', "each forecast stays in its block"),
    "Proposition 3.8 (strict)": FIRST,
    "Proposition 3.9": of_test('dtype=object) - F("0.03")', 'dtype=object) - F("0.0")', "no loss is negative"),
    "Proposition 3.9 (corrected)": of_test("total += max(price * high, price * low) if corrected", "total += min(price * high, price * low) if corrected",
                                           "the better end of each probability is taken"),
    "Proposition 3.10 (1, 3)": BEST_GROUP,
    "Proposition 3.10 (2)": of_test("ip.CredalSet([*Q.vertices, *credal(rng, 2, 4, least=1)", "ip.CredalSet([*credal(rng, 2, 4, least=1)",
                                    "the wider forecast forgets the data's members"),
    "Definition 4.1": package("families/cases.py", "return -(1 - thetas) * misses - thetas * alarms",
                              "return -(1 - thetas) * misses - 2 * thetas * alarms", "alarms are charged twice"),
    "Definition 4.2": MISS,
    "Remark 4.3": PEAK,
    "Equations (7) and (8)": of_test("np.exp(sign * 0.1 * costs)", "np.exp(-sign * 0.1 * costs)", "the printed sign finds the worst group"),
    "Equation (9)": sets("conditional = np.nan if not reached.all() else", "conditional = 0.0 if not reached.all() else",
                         "a group that never comes gets a zero"),
    "Table 1": Flip(IP_TABLES, "ACS PUMS,train,DRO(0.1),0.0447", "ACS PUMS,train,DRO(0.1),0.0547", "DRO(0.1) loses its column"),
    "Table 2": Flip(IP_TABLES, "Framingham,train,DRO(0.1),0.0662", "Framingham,train,DRO(0.1),0.0462", "DRO(0.1) wins its column"),
    "Table 3": Flip(IP_TABLES, "CelebA,test,DRO(0.3),0.0863,0.1280", "CelebA,test,DRO(0.3),0.0863,0.1480", "DRO(0.3) loses its column"),
    "Section 4.3": of_test('own = np.array([row[f"DRO({key[1]:g})"]', 'own = np.array([row["GBR"]', "the set of models is asked"),
    "Figures 1, 4 and 5": of_test("np.mean(gaps[~np.isnan(gaps)] <= 1e-9)", "np.mean(gaps[~np.isnan(gaps)] >= -1e-9)", "too little counts as enough"),
    "Figure 2": of_test("(0.1, 0.4425)", "(0.1, 0.0044)", "the smooth step is close"),
    "Figure 3": PEAK,
    "Appendix A.1": sets("return next(act for act in order if risks[act] - least", "return next(act for act in sorted(order) if risks[act] - least", "the stated order is ignored"),
    "Lemma A.1": WORST_ACTS,
    "Proposition A.2": of_test('[[0, 3], [3, 0], [1, 1]]', '[[0, 3], [3, 0], [4, 4]]', "the entropy has a kink at its maximum"),
    "Proposition A.3": FIRST,
    "Propositions A.4 and A.5": sets("frame = pd.DataFrame(mixed, index=", "frame = pd.DataFrame(mixed[:, ::-1], index=",
                                     "the coin picks other acts"),
    "Lemmas A.6 and A.7": WORST_ACTS,
    "Lemma A.8": BEST_GROUP,
    "Appendix A.6, (28) to (31)": LOWER,
    "Appendix A.6, (38) to (49)": LOWER,
    "Appendix A.6, (50) to (52)": of_test('/ F("0.6") > 1', '/ F("0.9") > 1', "the weights are right"),
    "Appendix A.6 (maximum)": WORST_ACTS,
    "Appendix A.6 (T)": BEST_GROUP,
    "Remark A.9": of_test("([0.8, 0.6, 0.3], [0.6, 0.8, 0.3]", "([0.6, 0.8, 0.3], [0.6, 0.8, 0.3]", "the forecast is calibrated"),
    "Appendix A.11": of_test("true = told if calibrated else np.array([0.3, 0.5, 0.9])", "true = told", "the other forecast is calibrated, too"),
    "Appendix A.12": of_test("== 1273 and young", "== 1237 and young", "the printed count is right"),
    "Appendix A.13": of_test("assert abs(best - p) > 1e-3", "assert abs(best - p) < 1e-4", "the smooth score is proper"),
    "Appendix A.17": of_test("bound = high if act == 0 else low", "bound = low if act == 0 else high", "the labels are exchanged"),
    "Footnote 24": LOWER,
}

FLIPS = {**{f"PWU paper: {name}": flip for name, flip in PAPER.items()},
         **{f"UNIQUE: {name}": flip for name, flip in UNIQUE.items()},
         **{f"IP paper: {name}": flip for name, flip in IMPRECISE.items()}}
