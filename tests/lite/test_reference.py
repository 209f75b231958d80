"""Values worked out beforehand with exact fractions or 40-digit arithmetic, one test each."""

import json
from pathlib import Path

import numpy as np
import pytest

import pwu_lite as pwu
from pwu_lite.alignment import kendall_tau
from pwu_lite.families import mass_of_k
from pwu_lite.metrics import classification, multiclass, multivariate, ranking, regression

CASES = json.loads((Path(__file__).parent / "reference_values.json").read_text())


def binary(metric):
    return lambda i: metric(i["y"], i["f"])


def forecast(i):
    return i["y"], i["mu"], np.sqrt(i["sigma2"])


def gaussian(metric, **options):
    return lambda i: metric(*forecast(i), **options)


def beta(i, scale=1.0):
    return pwu.Beta(i["a"], i["b"], scale=scale)


def selective(prior):
    return lambda i: pwu.PWU(pwu.SelectivePrediction(), prior(i))(*forecast(i))


def of_labels(family):
    return lambda i: pwu.PWU(family, beta(i))(i["y"], i["f"])


def weight_k(i):
    """-sum over k < n of k U_k, the weight under which AUROC is aligned."""
    family = pwu.TopK()
    return -sum(k * family.utility(k, i["y"], i["f"]) for k in range(1, len(i["y"])))


def risk_pwu(i):
    scale = np.var(i["y"]) if i["scale"] == "V" else i["scale"]
    gamma = pwu.Beta(i["ag"], i["bg"], scale=scale)
    return pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(i["ak"], i["bk"]), gamma)(*forecast(i))


def divergence(i):
    """Expected score of reporting f when p is true, minus that of reporting p."""
    score = pwu.PWU(pwu.BinaryDecision(), beta(i))
    one, zero = score.per_sample([1, 1], [i["f"], i["p"]]), score.per_sample([0, 0], [i["f"], i["p"]])
    expected = i["p"] * one + (1 - i["p"]) * zero
    return expected[0] - expected[1]


def cost_ratio(i):
    quantile = pwu.Beta(2, 10).ppf(i["p"])
    return (1 - quantile) / quantile


def rank_tau(i):
    places = [[ranking.index(model) for model in "ABCDE"] for ranking in (i["r1"], i["r2"])]
    return kendall_tau(*places)


def crps_of_errors(i):
    errors = np.sqrt(i["abs_errors_squared"])
    return regression.crps_gaussian(errors, 0 * errors, np.full(errors.size, i["sigma"]))


def diagonal(i):
    return np.array([np.diag(row) for row in i["diagSigma"]])


def several_outputs(i):
    family = pwu.PerOutput(pwu.SelectivePrediction(), scale=np.var(i["Y"], axis=0))
    return pwu.PWU(family, beta(i))(i["Y"], i["Mu"], diagonal(i))


def root_pwu(i):
    """mean of x/sigma + sigma, the score of the prior lambda**(-3/2)/2."""
    y, mean, std = forecast(i)
    return np.mean((np.array(y) - mean) ** 2 / std + std)


def energy(i):
    cross = i["rho"] * np.sqrt(i["v1"] * i["v2"])
    return multivariate.energy_score([[0, 0]], [[0, 0]], [[[i["v1"], cross], [cross, i["v2"]]]])


def intervals(i):
    levels = np.arange(1, 100) / 100
    return np.mean([regression.interval_score(*forecast(i), coverage=level) for level in levels])


def calibration(metric):
    return lambda i: metric(*forecast(i), coverages=np.linspace(0, 1, i["levels"]))


def pareto(i):
    score = pwu.PWU(pwu.SelectivePrediction(), pwu.Pareto(i["eps"]))
    return score([np.sqrt(i["sq_error"])], [0.0], [np.sqrt(i["variance"])])


def ranks(metric, *options):
    return lambda i: metric(i["error"], i["uncertainty"], **{name: i[name] for name in options})


COMPUTE = {
    "M_lambda_D2_power_half": root_pwu,
    "energy_score": energy,
    "multiclass_nll": lambda i: multiclass.log_loss(i["y"], i["P"]),
    "multiclass_M": lambda i: pwu.PWU(pwu.OneVsRest(pwu.BinaryDecision()), beta(i))(i["y"], i["P"]),
    "multivariate_M": several_outputs,
    "multivariate_nll": lambda i: multivariate.gaussian_nll(i["Y"], i["Mu"], diagonal(i)),
    "unique_gaussian_nll": gaussian(regression.gaussian_nll),
    "unique_crps": gaussian(regression.crps_gaussian),
    "unique_check": gaussian(regression.check_score),
    "unique_interval99": intervals,
    "unique_MACE": calibration(regression.mean_absolute_calibration_error),
    "unique_RMSCE": calibration(regression.root_mean_squared_calibration_error),
    "unique_r02a": ranks(ranking.auc_difference, "n_bins"),
    "unique_r0": ranks(ranking.spearman),
    "unique_drop": ranks(ranking.performance_drop, "n_bins", "reference"),
    "unique_inc": ranks(ranking.increasing_coefficient, "n_bins"),
    "unique_dec": ranks(ranking.decreasing_coefficient, "n_bins"),
    "unique_s01": pareto,
    "winkler_w": lambda i: classification.winkler_loss([i["y"]], [i["f"]], c=i["c"]),
    "binary_nll": binary(classification.log_loss),
    "binary_acc_neg": lambda i: classification.zero_one_loss(i["y"], i["f"]) - 1,
    "binary_ece_right": binary(classification.expected_calibration_error),
    "binary_brier": binary(classification.brier_score),
    "binary_rauc": binary(classification.retention_auc),
    "binary_edet": binary(classification.error_detection_auroc),
    "U_c_": lambda i: pwu.BinaryDecision().utility(i["c"], i["y"], i["f"]),
    "score_c_": lambda i: pwu.PWU(pwu.BinaryDecision(), beta(i))([i["y"]], [i["f"]]),
    "M_c_D1_uniform": lambda i: pwu.PWU(pwu.BinaryDecision(), pwu.Uniform(i["lo"], i["hi"]))(i["y"], i["f"]),
    "M_c_": of_labels(pwu.BinaryDecision()),
    "boosting": lambda i: classification.boosting_loss([i["y"]], [i["f"]]),
    "winkler": lambda i: classification.winkler_loss([i["y"]], [i["f"]], c=0.1),
    "divergence": divergence,
    "U_k_": lambda i: pwu.TopK().utility(i["k"], i["y"], i["f"]),
    "M_k_": of_labels(pwu.TopK()),
    "pmf_k_": lambda i: mass_of_k(pwu.Beta(i["a"], i["b"]), i["n"])[i["j"] - 1],
    "topk_prior_k": weight_k,
    "reg_nll": gaussian(regression.gaussian_nll),
    "reg_mce": gaussian(regression.maximum_calibration_error),
    "reg_rauc_oracle": gaussian(regression.retention_auc, definition="oracle"),
    "U_lambda_": lambda i: pwu.SelectivePrediction().utility(i["lam"], *forecast(i)),
    "M_lambda_D2_gamma": selective(lambda i: pwu.Gamma(i["shape"], i["scale"])),
    "M_lambda_": selective(lambda i: beta(i, i.get("V", np.var(i["y"])))),
    "U_phi_": lambda i: pwu.RiskAverseTopK().utility((i["k"], i["gamma"]), *forecast(i)),
    "M_phi_": risk_pwu,
    "crps_gauss": lambda i: regression.crps_gaussian([i["y"]], [i["mu"]], [i["sigma"]]),
    "crps_pair": crps_of_errors,
    "beta2_10_cost_ratio": cost_ratio,
    "kendall_strict": rank_tau,
    "kendall_tau_b": lambda i: kendall_tau(i["x"], i["y"]),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_reference_value(case):
    compute = next((run for prefix, run in COMPUTE.items() if case["name"].startswith(prefix)), None)
    assert compute is not None, f"no line of COMPUTE begins like {case['name']}"
    assert compute(case["inputs"]) == pytest.approx(case["value"], rel=1e-12, abs=1e-15)
