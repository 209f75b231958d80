"""The command line: the same numbers as Python, files as people have them, one line for what cannot be used."""

import gzip
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pwu_lite
from pwu_desk import as_forecasts, as_labels, as_numbers, beliefs, command, tables
from pwu_lite import PWU, BinaryDecision, Dirac, SelectivePrediction, compare, elicitation

from .told import parsed

RATIO = ["--ratio", "3:30"]


def written(tmp_path, text, name="p.csv"):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(tmp_path / name)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    f = rng.beta(1, 4, 300)
    y = (rng.random(300) < f).astype(int)
    return pd.DataFrame({"y": y, "near": f.round(6), "far, or not": np.clip(f + rng.normal(0, 0.2, 300), 0, 1).round(6),
                         "site": rng.integers(0, 20, 300) + 100})


@pytest.fixture
def path(frame, tmp_path):
    return written(tmp_path, frame.to_csv(index=False))


def run(capsys, *words):
    code = command.main(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def costs_of(capsys, *words):
    """Costs by model, and the remarks."""
    code, out, _ = run(capsys, "compare", *words, "--json")
    assert code == 0
    found = parsed(out)
    return {one["name"]: one["cost"] for one in found["models"]}, found["remarks"]


def expected(frame, **options):
    score = PWU(BinaryDecision(), elicitation.beta_from_quantiles(1 / 31, 1 / 4))
    return compare(frame["y"], frame[["near", "far, or not"]], score, **options).table


def test_json_has_the_numbers_of_compare(capsys, path, frame):
    code, out, _ = run(capsys, "compare", path, "--truth", "y", *RATIO, "--json")
    found, table = json.loads(out), expected(frame)
    assert code == 0 and found["decision"] == "binary" and set(found["prior"]) == {"a", "b"}
    assert [one["name"] for one in found["models"]] == list(table.index)  # the numbers of sites are no probabilities
    for one in found["models"]:
        for key in ("cost", "low", "high"):
            assert one[key] == pytest.approx(table.loc[one["name"], key], rel=1e-12)
        assert one["verdict"] == table.loc[one["name"], "verdict"]
    assert " less than " in found["words"][0] and found["models"][1]["statement"] in ("costlier", "undecided")


def test_each_case_has_its_own_cost_share(capsys, frame, tmp_path):
    share = np.round(np.random.default_rng(1).uniform(0.05, 0.6, len(frame)), 3)
    path = written(tmp_path, frame.assign(share=share).to_csv(index=False))
    code, out, _ = run(capsys, "compare", path, "--truth", "y", "--cost-share", "share", "--json")
    table = compare(frame["y"], frame[["near", "far, or not"]], PWU(BinaryDecision(), Dirac(share))).table
    assert code == 0 and json.loads(out)["prior"] == {"column": "share"}
    assert [one["cost"] for one in json.loads(out)["models"]] == pytest.approx(table["cost"].tolist())
    for more, words in ((RATIO, "excludes --ratio"), (["--prior", "2,10"], "excludes"),
                        (["--decision", "top-k"], "binary")):
        code, _, err = run(capsys, "compare", path, "--truth", "y", "--cost-share", "share", *more)
        assert code == 2 and words in err
    frame.assign(share=np.where(share > 0.5, 1.0, share)).to_csv(path, index=False)
    assert "below 1" in run(capsys, "compare", path, "--truth", "y", "--cost-share", "share")[2]


def test_groups_and_weights_are_used(capsys, path, frame):
    _, out, _ = run(capsys, "compare", path, "--truth", "y", *RATIO, "--groups", "site", "--weights", "near",
                    "--models", "near", "--json")
    score = PWU(BinaryDecision(), elicitation.beta_from_quantiles(1 / 31, 1 / 4))
    table = compare(frame["y"], frame[["near"]], score, groups=frame["site"].to_numpy(),
                    sample_weight=frame["near"]).table
    assert json.loads(out)["models"][0]["low"] == pytest.approx(table["low"].item(), rel=1e-12)


def test_the_table_fits_a_terminal(capsys, path):
    code, out, _ = run(capsys, "compare", path, "--truth", "y", *RATIO)
    assert code == 0 and max(map(len, out.splitlines())) <= 80 and "a miss costs 3 to 30 false alarms" in out


def test_what_is_left_out_is_said(capsys, frame, tmp_path):
    frame.assign(flag=frame["y"]).to_csv(tmp_path / "p.csv", index=False)
    code, out, _ = run(capsys, "compare", str(tmp_path / "p.csv"), "--truth", "y", *RATIO)
    said = " ".join(out.split())
    assert code == 0 and "Left out: site (line 2 is 1" in said and "flag (zeros and ones only)" in said
    code, out, _ = run(capsys, "compare", str(tmp_path / "p.csv"), "--truth", "y", *RATIO, "--models", "near,flag")
    assert code == 0 and "flag" in out and "Left out" not in out


def test_standard_input_is_read(path, frame):
    words = [sys.executable, "-m", "pwu_desk", "compare", "-", "--truth", "y", *RATIO, "--json"]
    with open(path, "rb") as file:
        out = subprocess.run(words, stdin=file, capture_output=True, text=True, check=True).stdout
    assert json.loads(out)["models"][0]["cost"] == pytest.approx(expected(frame)["cost"].iloc[0], rel=1e-12)


def test_means_and_spreads(capsys, tmp_path):
    rng = np.random.default_rng(1)
    y = rng.normal(50, 10, 200)
    frame = pd.DataFrame({"price": y, "a_mean": y + rng.normal(0, 3, 200), "a_std": 3.0, "b": 50.0, "b_sd": 10.0})
    frame.to_csv(tmp_path / "h.csv", index=False)
    code, out, _ = run(capsys, "compare", str(tmp_path / "h.csv"), "--truth", "price", "--decision", "selective",
                       "--error", "2:20", "--json")
    score = PWU(SelectivePrediction(), elicitation.lognormal_from_quantiles(4, 400))
    assert code == 0 and json.loads(out)["models"][0]["name"] == "a"
    assert json.loads(out)["models"][0]["cost"] == pytest.approx(score(y, frame["a_mean"], frame["a_std"]), rel=1e-9)


@pytest.mark.parametrize("text", [
    "y,a\n1,0.7\n0,0.2\n", "y;a\n1;0,7\n0;0,2\n",
    "y;a\n1;0,700\n0;0,200\n", "y\ta\n1\t70%\n0\t20%\n", "\ufeffy,a\n1,0.7\n0,0.2\n",
    '"y","a"\n"1","0.7"\n"0","0.2"\n', "y|a\nyes|0.7\nno|0.2\n", "y, a\r\nTrue, 0.7\r\nFalse, 0.2\r\n"])
def test_files_as_people_have_them(text, tmp_path):
    (tmp_path / "f.csv").write_text(text, encoding="utf-8")
    frame = tables.read_table(str(tmp_path / "f.csv"))
    assert as_labels.events(frame, "y").tolist() == [1, 0]
    assert as_numbers.numbers(frame, "a") == pytest.approx([0.7, 0.2])


BAD = [
    ("y,a\n1,0.7\n0,zero\n", ["--models", "a"], "line 3, column 'a': expected a number, got 'zero'"),
    ("y,a\n1,0.7\n0,inf\n", [], "line 3, column 'a': expected a number, got inf"),
    ("y,a\nNone,0.7\nSevere,0.2\n", [], "(NaN, n/a, None); if that is the name of a class"),
    ("y,a\n1,0.7\n0,\n", [], "line 3, column 'a': expected a number, got nothing, or a word for it"),
    ("y,a\n1,0.7\n0,1.2\n", ["--models", "a"], "line 3, column 'a': expected a probability between 0 and 1, got 1.2"),
    ("y,a\n1,70\n0,12\n", ["--models", "a"], "--percent a divides them by 100"),
    ("y,a\n\n1,0.7\n\n\n0,1.2\n", ["--models", "a"], "line 6"), ('y,a\n"1",0.7\n\n0,\n1,0.2\n', [], "line 4"),
    ("y,a,w\n1,0.7,1\n0,0.2,-1\n", ["--weights", "w"], "line 3, column 'w': expected a number of at least 0"),
    ("y,a\n1,0.7\n0,0.2,5\n", [], "line 3 has 3 fields"),
    ("y,a\n1,0.7\n2,0.2\n", [], "which label of column 'y' is the event? Add --event 1 or --event 2"),
    ("y,a,b\n1,0,746,0.2\n0,0,2,0.1\n", [], "the first row has 4 fields, the header has 3"),
    ("y,a,b\n\n1,0,746,0.2\n0,0,2,0.1\n", [], "the first row has 4 fields"),
    ("y,a,a\n1,0.7,0.1\n0,0.2,0.3\n", [], "two columns are called 'a'"), ("y,a\n", [], "a header but no rows"),
    ("1,0.7\n0,0.2\n", [], "is the header missing"), ("y,a\n0,0.7\n0,0.2\n", [], "only one outcome (0)"),
    ('y,a\n1,"1,210"\n0,"1,300"\n', ["--models", "a"], "may be thousands or decimals"),
    ("y,a\nx,0.7\nz,0.2\nw,0.1\n", [], "must have two labels, it has 3"), ("", [], "is empty"),
    ("y,a\n1,0.7\n,0.2\n", [], "line 3, column 'y': expected an outcome"),
    ("z,a\n1,0.7\n0,0.2\n", [], "no column 'y'; the columns are: z, a"),
    ("y,a\n1,7\n0,2\n", [], "no column looks like")]


@pytest.mark.parametrize("text, more, words", BAD)
def test_bad_files_get_one_line_and_status_two(text, more, words, tmp_path, capsys):
    (tmp_path / "f.csv").write_text(text)
    code, out, err = run(capsys, "compare", str(tmp_path / "f.csv"), "--truth", "y", *RATIO, *more)
    assert code == 2 and not out and err.count("\n") == 1 and words in err


@pytest.mark.parametrize("more, words", [
    ([], "say what the decision costs with --ratio LOW:HIGH or --prior A,B"), (["--ratio", "30:3"], "0 < LOW < HIGH"),
    (["--ratio", "three"], "must be LOW:HIGH"), (["--share", "1%:10%"], "--share is not for --decision binary"),
    (["--prior", "2"], "must be A,B"), (["--ratio", "3:30", "--prior", "2,10"], "but not both"),
    (["--ratio", "3:30", "--groups", "nowhere"], "no column 'nowhere'"),
    (["--ratio", "3:30", "--event", "9"], "no label '9'"), (["--ratio", "5:5.01"], "too narrow"),
    (["--ratio", "3:30", "--resamples", "9000000000"], "--resamples"),
    (["--decision", "top-k", "--share", "1%:10%", "--resamples", "900000"], "--resamples")])
def test_bad_options_get_one_line_and_status_two(more, words, path, capsys):
    code, out, err = run(capsys, "compare", path, "--truth", "y", *more)
    assert code == 2 and not out and err.count("\n") == 1 and words in err


def test_a_missing_file(capsys):
    code, _, err = run(capsys, "compare", "nowhere.csv", "--truth", "y", *RATIO)
    assert code == 2 and "nowhere.csv" in err and err.count("\n") == 1


@pytest.mark.parametrize("score, words", [
    ("log_loss", "1/(c (1 - c))"), ("brier_score", "prior density 2"), ("zero_one_loss", "c = 1/2"),
    ("gaussian_nll", "lambda**(-2)"), ("mean_squared_error", "price of infinity"), ("crps_gaussian", "newsvendors"),
    ("expected_calibration_error", "not aligned"), ("spherical_loss", "costs 0.1 to 9.6")])
def test_explain(score, words, capsys):
    code, out, _ = run(capsys, "explain", score)
    assert code == 0 and words in " ".join(out.split()) and max(map(len, out.splitlines())) <= 80


def test_explain_knows_the_formulas_of_the_registry():
    """The formulas that are explained are those that are computed."""
    import sympy as sp

    from pwu_lite.metrics import classification

    p = sp.Symbol("p")
    for name, texts in beliefs.FORMULAS.items():
        for y, text in zip((1, 0), texts, strict=True):
            value = float(sp.sympify(text, {"p": p}).subs(p, 0.3))
            other = float(sp.sympify(text, {"p": p}).subs(p, 0.6))
            function = getattr(classification, name)
            assert function([y], [0.3]) - function([y], [0.6]) == pytest.approx(value - other)


def test_version_and_help(capsys):
    for words, said in ((["compare", "--help"], "predictions.csv --truth y --ratio 3:30"),
                        (["--version"], pwu_lite.__version__)):
        with pytest.raises(SystemExit) as end:
            command.main(words)
        assert end.value.code == 0 and said in capsys.readouterr().out


def test_utf_16_and_windows_letters(tmp_path):
    for encoding in ("utf-16", "cp1252"):
        (tmp_path / "f.csv").write_text("y,Müller\n1,0.7\n0,0.2\n", encoding=encoding)
        assert tables.read_table(str(tmp_path / "f.csv")).columns.tolist() == ["y", "Müller"]


def test_pairs_need_both_parts():
    assert as_forecasts.pairs(["a_mean", "b_std", "c.mean", "c.sigma"]) == {"c": ("c.mean", "c.sigma")}


def noisy(n=600, seed=3, **columns):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    return pd.DataFrame({"y": y, "a": np.clip(0.2 + 0.4 * (y - 0.2) + 0.1 * rng.normal(size=n), 0.01, 0.99).round(4),
                         "b": np.clip(0.2 + 0.1 * rng.normal(size=n), 0.01, 0.99).round(4), **columns})


def test_models_worse_than_the_base_rate_and_the_event_are_said(capsys, tmp_path):
    rng = np.random.default_rng(0)
    frame = noisy().assign(a=rng.random(600).round(3), b=rng.random(600).round(3))
    frame["y"] = np.where(frame["y"], "ill", "ok")
    frame.to_csv(tmp_path / "p.csv", index=False)
    _, out, _ = run(capsys, "compare", str(tmp_path / "p.csv"), "--truth", "y", "--event", "ill", *RATIO,
                    "--html", str(tmp_path / "r.html"))
    said, page = " ".join(out.split()), (tmp_path / "r.html").read_text()
    for words in ("Every model costs more than always predicting the base rate. Check the outcome, which label is "
                  "the event, and how many events the forecasts add up to.", "of 600 cases are events (y = ill)."):
        assert words in said and words in page
    assert "File " in page and "p.csv" in page and "skill" in out
    frame.assign(age=40 + np.arange(600) % 30).to_csv(tmp_path / "p.csv", index=False)
    run(capsys, "compare", str(tmp_path / "p.csv"), "--truth", "y", "--event", "ill", *RATIO, "--html",
        str(tmp_path / "r.html"))
    page = (tmp_path / "r.html").read_text()
    assert "600 cases; models: a, b. Left out: age" in page and "stated with the request" in page


def test_groups_are_taken_by_name_and_others_suggested(capsys, tmp_path):
    frame = noisy(patient=np.arange(600) // 15, site_no=np.arange(600) // 60, start_date=np.arange(600))
    path = written(tmp_path, frame.to_csv(index=False))
    _, out, _ = run(capsys, "compare", path, "--truth", "y", *RATIO)
    words = " ".join(out.split())
    assert "column patient is used for the groups; say --groups none if it is something else." in words
    assert "40 groups with 600 cases" in words
    given = run(capsys, "compare", path, "--truth", "y", *RATIO, "--groups", "patient", "--json")[1]
    taken = run(capsys, "compare", path, "--truth", "y", *RATIO, "--json")[1]
    assert json.loads(given)["models"] == json.loads(taken)["models"]
    _, out, _ = run(capsys, "compare", path, "--truth", "y", *RATIO, "--groups", "none")
    said = " ".join(out.split())
    assert "Column site_no has 10 values in 600 rows." in said and "Column start_date looks like time." in said
    assert "Column patient has 40 values" in said


class Kiosk(BinaryDecision):
    """A family of one's own for the command line."""

    def describe(self, theta, which):
        return f"share {theta:.2g}"


def test_a_family_of_ones_own_is_first_class(capsys, tmp_path):
    path = written(tmp_path, noisy().to_csv(index=False))
    own = ("compare", path, "--truth", "y", "--decision", "tests.desk.test_command:Kiosk")
    code, out, _ = run(capsys, *own, "--range", "0.03:0.25", "--html", str(tmp_path / "r.html"))
    page = (tmp_path / "r.html").read_text()
    assert code == 0 and 'class="landscape"' in page and "share 0.03" in page
    ours = json.loads(run(capsys, "compare", path, "--truth", "y", "--prior", "2,10", "--json")[1])["models"]
    assert json.loads(run(capsys, *own, "--prior", "2,10", "--json")[1])["models"] == ours
    for wrong in ("tests.desk.test_command:nothing", "no.such:Thing", "triple", "tests.desk.test_command:run"):
        code, _, err = run(capsys, "compare", path, "--truth", "y", "--decision", wrong, "--range", "0.1:0.2")
        assert code == 2 and err.count("\n") == 1


def test_no_report_destroys_a_file(capsys, tmp_path):
    path = written(tmp_path, noisy().to_csv(index=False))
    before = (tmp_path / "p.csv").read_bytes()
    (tmp_path / "link.csv").symlink_to(path)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "kept.html").write_text("kept")
    (tmp_path / "kept.html").chmod(0o444)
    (tmp_path / "r.html.part").write_text("mine")
    for target in (path, str(tmp_path / "link.csv"), str(tmp_path / "pipe"), "/dev/null", "/dev/full", str(tmp_path),
                   str(tmp_path / "kept.html")):
        code, _, err = run(capsys, "compare", path, "--truth", "y", *RATIO, "--resamples", "20", "--html", target)
        assert code == 2 and err.count("\n") == 1, target
    assert (tmp_path / "p.csv").read_bytes() == before and (tmp_path / "kept.html").read_text() == "kept"
    assert not Path("/dev/null").is_file() and (tmp_path / "pipe").is_fifo()
    (tmp_path / "old.html").write_text("old")
    (tmp_path / "new.html").symlink_to(tmp_path / "old.html")
    assert run(capsys, "compare", path, "--truth", "y", *RATIO, "--resamples", "20", "--html",
               str(tmp_path / "new.html"))[0] == 0
    assert (tmp_path / "new.html").is_symlink() and "Models compared" in (tmp_path / "old.html").read_text()
    assert (tmp_path / "r.html.part").read_text() == "mine" and len(list(tmp_path.glob(".*"))) == 0


@pytest.mark.parametrize("text", [
    'y,good,"model\nimport os; os.system(""id"")\n#"\n1,0.5,0.2\n0,0.3,0.4\n', 'y,a\n"ev\x1b[31ment",0.5\nno,0.2\n',
    "y,a\x07\n1,0.5\n0,0.2\n", "y,a\u202eb\n1,0.5\n0,0.2\n", 'y,"a\rb"\n1,0.5\n0,0.2\n'])
def test_characters_that_are_not_seen_are_refused(text, capsys, tmp_path):
    code, out, err = run(capsys, "compare", written(tmp_path, text), "--truth", "y", "--event", "no", *RATIO)
    assert code == 2 and "invisible character" in err and not re.search("[\x00-\x09\x0b-\x1f]", err)


@pytest.mark.parametrize("make, words", [
    (lambda: b"a," * 5_000_000 + b"\n" + b"1," * 20, "the first line"), (lambda: b"x" * 3_000_000, "the first line"),
    (lambda: ",".join(f"c{k}" for k in range(20_000)) + "\n", "20,000 columns"),
    (lambda: "y," + "_" * 60_000 + "\n1,0.5\n0,0.4\n", "60,000 characters"),
    (lambda: "y," + ",".join(f"c{k}" for k in range(300)) + "\n" + "\n".join(
        f"{k % 2}," + ",".join(["0.5"] * 300) for k in range(10)), "300 columns look like forecasts"),
    (lambda: "y,a\n1,0.5\n\n0," + "9" * 200_000 + "x\n", "line")], ids=range(6))
def test_what_would_keep_it_busy_is_refused_at_once(make, words, capsys, tmp_path):
    path, start = written(tmp_path, make()), time.process_time()
    code, _, err = run(capsys, "compare", path, "--truth", "y", *RATIO)
    assert code == 2 and words in err and len(err) < 500
    assert time.process_time() - start < 5


def test_parquet_as_people_have_it(capsys, tmp_path):
    pytest.importorskip("pyarrow")
    odd = {"empty": [None] * 600, "took": pd.to_timedelta(np.arange(600), "s"), "raw": [b"x"] * 600,
           "pair": [{"a": 1}] * 600, "list": [[1, 2]] * 600, "when": pd.date_range("2026-01-01", periods=600)}
    noisy(**odd).to_parquet(tmp_path / "p.parquet")
    code, out, err = run(capsys, "compare", str(tmp_path / "p.parquet"), "--truth", "y", *RATIO, "--resamples", "20")
    assert code == 0 and err == "" and all(name in out for name in odd)
    for name in odd:
        code, _, err = run(capsys, "compare", str(tmp_path / "p.parquet"), "--truth", name, *RATIO)
        assert code == 2 and err.count("\n") == 1
    assert tables.read_table(str(tmp_path / "p.parquet"))[list(noisy())].equals(noisy())
    noisy().head(0).to_parquet(tmp_path / "none.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing")
    for name in ("none", "bad"):
        code, _, err = run(capsys, "compare", str(tmp_path / f"{name}.parquet"), "--truth", "y", *RATIO)
        assert code == 2 and err.count("\n") == 1


def test_other_files_as_people_have_them(capsys, tmp_path, monkeypatch):
    frame = noisy()
    text = frame.to_csv(index=False)
    packed = written(tmp_path, gzip.compress(text.encode()), "p.csv.gz")
    old = written(tmp_path, text.replace("\n", "\r"), "old.csv")
    plain = run(capsys, "compare", written(tmp_path, text), "--truth", "y", *RATIO, "--json")[1]
    assert run(capsys, "compare", packed, "--truth", "y", *RATIO, "--json")[1] == plain
    assert run(capsys, "compare", old, "--truth", "y", *RATIO, "--json")[1] == plain
    padded = written(tmp_path, frame.assign(y=frame["y"].map({1: "yes ", 0: "no "})).to_csv(index=False), "pad.csv")
    assert json.loads(run(capsys, "compare", padded, "--truth", "y", "--event", "yes ", *RATIO, "--json")[1])[
        "models"] == json.loads(plain)["models"]
    monkeypatch.setattr("sys.stdin", None)
    assert run(capsys, "compare", "-", "--truth", "y", *RATIO)[0] == 2


def test_letters_that_a_pipe_does_not_know_are_replaced(tmp_path):
    path = written(tmp_path, noisy().rename(columns={"a": "m\u00fcller \u2713"}).to_csv(index=False))
    done = subprocess.run([sys.executable, "-m", "pwu_desk", "compare", path, "--truth", "y", *RATIO],
                          env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}, capture_output=True)
    assert done.returncode == 0 and b"m?ller ?" in done.stdout


@pytest.fixture
def orders():
    rng = np.random.default_rng(0)
    middle = rng.normal(100, 20, 60)
    table = {"sold": (middle + rng.normal(0, 10, 60)).round(1)}
    for name, spread in (("wide", 25), ("sharp", 10)):
        table |= {f"{name}_q{level}": (middle + spread * shift).round(2) for level, shift in
                  (("05", -1.64), ("0.5", 0), ("95", 1.64))}
    return pd.DataFrame(table)


def test_orders_from_quantiles_and_members(capsys, tmp_path, orders):
    path = written(tmp_path, orders.to_csv(index=False))
    code, out, _ = run(capsys, "compare", path, "--truth", "sold", "--decision", "orders", "--ratio", "2:9", "--json")
    score = PWU(pwu_lite.Newsvendor((0.05, 0.5, 0.95)), elicitation.beta_from_quantiles(2 / 3, 0.9))
    models = {name: orders.filter(regex=f"^{name}_") for name in ("wide", "sharp")}
    table = compare(orders["sold"], models, score).table
    assert code == 0 and [one["cost"] for one in json.loads(out)["models"]] == pytest.approx(list(table["cost"]))
    members = orders.set_axis(["sold", "wide_1", "wide_2", "wide_3", "sharp_1", "sharp_2", "sharp_3"], axis=1)
    path = written(tmp_path, members.to_csv(index=False))
    found, _ = costs_of(capsys, path, "--truth", "sold", "--decision", "orders", "--ratio", "2:9")
    score = PWU(pwu_lite.Newsvendor("members"), elicitation.beta_from_quantiles(2 / 3, 0.9))
    assert found["sharp"] == pytest.approx(score(orders["sold"], models["sharp"]))


def test_acts_from_class_probabilities(capsys, tmp_path):
    rng = np.random.default_rng(1)
    chance, y = rng.multinomial(20, [0.5, 0.3, 0.2], 50) / 20, rng.integers(0, 3, 50)
    kinds = ["well", "ill", "critical"]
    frame = pd.DataFrame(chance, columns=[f"a:{kind}" for kind in kinds]).assign(state=np.array(kinds)[y])
    path = written(tmp_path, frame.to_csv(index=False))
    known = written(tmp_path, "act,well,ill,critical\nhome,0,8,40\nward,3,1,10\n", "known.csv")
    priced = written(tmp_path, "act,well,ill,critical\nhome,0,8,40\nward,3,1,10\n"
                     "test,price,2*price+1,2+price\n", "c.csv")
    found, _ = costs_of(capsys, path, "--truth", "state", "--decision", "acts", "--costs", known)
    assert found["a"] == pytest.approx(PWU(pwu_lite.CostMatrix([[0, 8, 40], [3, 1, 10]]))(y, chance))
    code, out, _ = run(capsys, "compare", path, "--truth", "state", "--decision", "acts", "--costs", priced, "--range",
                       "0.5:2", "--json", "--html", str(tmp_path / "r.html"))
    family = pwu_lite.CostMatrix([[0, 8, 40], [3, 1, 10], [0, 1, 2]], [[0, 0, 0], [0, 0, 0], [1, 2, 1]])
    score = PWU(family, elicitation.lognormal_from_quantiles(0.5, 2))
    assert code == 0 and json.loads(out)["models"][0]["cost"] == pytest.approx(score(y, chance))
    assert "the price is 0.5 to 2" in (tmp_path / "r.html").read_text()


def test_answers_that_are_right_or_wrong(capsys, tmp_path):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"question": np.arange(60) // 2, "m_right": rng.integers(0, 2, 60),
                          "m_confidence": rng.random(60).round(3), "n_correct": ["yes", "No"] * 30,
                          "n_conf": rng.random(60).round(3)})
    path = written(tmp_path, frame.to_csv(index=False))
    words = ("--decision", "answers", "--ratio", "1:9")
    code, out, _ = run(capsys, "compare", path, *words, "--groups", "question", "--json")
    score = PWU(pwu_lite.Answers(), elicitation.beta_from_quantiles(0.5, 0.9))
    cost = score(np.ones(60), frame["m_right"], frame["m_confidence"])
    found = {one["name"]: one for one in json.loads(out)["models"]}
    assert code == 0 and found["m"]["cost"] == pytest.approx(cost) and set(found) == {"m", "n"}
    right = pd.Series(["Paris", "4", "blue"] * 20)
    answers = frame.assign(key=right, m_answer=right.str.lower().where(frame["m_right"] == 1, "else"))
    path = written(tmp_path, answers.drop(columns=["n_conf", "m_right"]).to_csv(index=False))
    assert costs_of(capsys, path, "--truth", "key", *words)[0]["m"] == pytest.approx(cost)


@pytest.mark.parametrize("table, words, said", [
    ("y,a_q05,a_q50\n1,2,1\n", ["--truth", "y", "--decision", "orders", "--ratio", "2:9"],
     "line 2: quantiles must not cross, a_q05 is 2 and a_q50 is 1"),
    ("y,a_q05,b_q10\n1,2,1\n", ["--truth", "y", "--decision", "orders", "--ratio", "2:9"], "b has quantiles at 0.1"),
    ("y,a\n1,2\n", ["--truth", "y", "--decision", "orders", "--ratio", "2:9"], "NAME_q05 to NAME_q95"),
    ("a_q05,a_q50\n1,2\n", ["--decision", "orders", "--ratio", "2:9"], "with --truth"),
    ("y,a:well\nwell,1\n", ["--truth", "y", "--decision", "acts"], "--costs costs.csv"),
    ("y,a:well\nwell,1\n", ["--truth", "y", "--decision", "acts", "--costs", "{costs}"], "NAME:well and NAME:ill"),
    ("y,a:well,a:ill\nwell,0.7,0.2\n", ["--truth", "y", "--decision", "acts", "--costs", "{costs}"],
     "line 2: the probabilities of a must sum to 1"),
    ("y,a:well,a:ill\nsick,0.7,0.3\n", ["--truth", "y", "--decision", "acts", "--costs", "{costs}"],
     "line 2, column 'y': expected one of the classes well, ill, got 'sick'"),
    ("y,a:well,a:ill\nill,0.7,0.3\n", ["--truth", "y", "--decision", "acts", "--costs", "{costs}", "--range", "1:2"],
     "are known: leave out the range"),
    ("y,a:well,a:ill\nill,0.7,0.3\n", ["--truth", "y", "--decision", "acts", "--costs", "{bad}"],
     "line 2 of .*, column 'ill': expected a cost such as"),
    ("m_right,m_confidence\nmaybe,0.5\n", ["--decision", "answers", "--ratio", "1:9"], "line 2, .*right or wrong"),
    ("m,m_confidence\n1,0.5\n", ["--decision", "answers", "--ratio", "1:9"], "NAME_confidence and NAME_right"),
    ("model,right,confidence\nm,1,0.5\n", ["--decision", "answers", "--ratio", "1:9"], "one row per model"),
    ("y,a_5,a_50,a_95\n1,1,2,3\n", ["--truth", "y", "--decision", "orders", "--ratio", "2:9"],
     "not the members of an ensemble. Are they quantiles?"),
    ("y,a:well,a:ill\nill,0.7,0.3\n", ["--truth", "y", "--decision", "acts", "--costs", "{range}"],
     "got '200-600' .*write price, and give its range with --range")])
def test_what_new_decisions_refuse(capsys, tmp_path, table, words, said):
    places = {"costs": written(tmp_path, "act,well,ill\nhome,0,8\nward,3,1\n", "costs.csv"),
              "bad": written(tmp_path, "act,well,ill\nhome,0,2price\n", "bad.csv"),
              "range": written(tmp_path, "act,well,ill\nhome,0,200-600\n", "range.csv")}
    code, _, error = run(capsys, "compare", written(tmp_path, table), *[word.format(**places) for word in words])
    assert code == 2 and re.search(said, error), error


def test_what_was_read_is_said(capsys, tmp_path, orders):
    """Levels, abstentions and rescaled probabilities. A blank confidence is an abstention."""
    words = ("--truth", "sold", "--decision", "orders", "--ratio", "2:9")
    code, out, _ = run(capsys, "compare", written(tmp_path, orders.to_csv(index=False)), *words)
    assert code == 0 and "Read as quantiles at the levels 0.05, 0.5, 0.95." in out and "Left out" not in out
    path = written(tmp_path, orders.rename(columns=lambda name: name.replace("wide_q", "wide ")).to_csv(index=False))
    code, out, _ = run(capsys, "compare", path, *words)
    assert code == 0 and "Left out: wide 05 (not read), wide 0.5 (not read), wide 95" in " ".join(out.split())
    table = "m_right,m_confidence\n1,0.9\n,\nright,0.8\n0,abstained\n"
    found, remarks = costs_of(capsys, written(tmp_path, table), "--decision", "answers", "--ratio", "1:9")
    score = PWU(pwu_lite.Answers(), elicitation.beta_from_quantiles(0.5, 0.9))
    assert "m abstains from 2 of 4 answers." in remarks
    assert found["m"] == pytest.approx(score(np.ones(4), [1, 0, 1, 0], [0.9, 0, 0.8, 0]))
    costs = written(tmp_path, "act,well,ill\nhome,0,8\nward,3,1\n", "costs.csv")
    path = written(tmp_path, "y,a:well,a:ill\nwell,0.667,0.334\nill,0.5,0.5\n")
    remarks = costs_of(capsys, path, "--truth", "y", "--decision", "acts", "--costs", costs)[1]
    assert "The rounded probabilities of a were divided by their sum, at most 0.001 from 1." in remarks


def test_missing_forecasts_are_refused_unless_they_are_allowed(capsys, frame, tmp_path):
    frame.loc[5:20, "near"] = np.nan
    frame = frame.rename(columns={"far, or not": "far"})
    path = written(tmp_path, frame.to_csv(index=False), "q.csv")
    options = ["compare", path, "--truth", "y", *RATIO, "--models", "near,far"]
    assert "line 7, column 'near': expected a number, got nothing" in run(capsys, *options)[2]
    for first, sentence in (("near", "near has one for 284 of 300 cases."),
                            ("far", "the row of near is for the 284 of 300 cases that it shares with far.")):
        code, out, _ = run(capsys, *options, "--missing", "pairwise", "--against", first)
        assert code == 0 and f"Forecasts are missing: {sentence}" in " ".join(out.split())
        assert f"the row of {first} is" not in " ".join(out.split())


def test_recalibration_needs_outcomes_and_says_what_to_do_without(capsys, tmp_path, frame):
    frame["y"] = frame["y"].astype(object)
    frame.loc[5:20, "y"] = ""
    path = written(tmp_path, frame.to_csv(index=False), "q.csv")
    options = ["compare", path, "--truth", "y", *RATIO, "--recalibrate", "--seed", "1"]
    assert "say --missing bounds" in " ".join(run(capsys, *options)[2].split())
    for words in (["--missing", "bounds"], ["--only", "y=0", "--only", "y=1"]):
        code, out, _ = run(capsys, *options, *words)
        assert code == 0 and "284 cases" in out


def test_rows_in_time_order(capsys, path, frame):
    _, out, _ = run(capsys, "compare", path, "--truth", "y", *RATIO, "--blocks", "10", "--json")
    table = expected(frame, blocks=10)
    for one in json.loads(out)["models"]:
        assert one["low"] == pytest.approx(table.loc[one["name"], "low"], rel=1e-12)
    assert "from 1 to half of all" in run(capsys, "compare", path, "--truth", "y", *RATIO, "--blocks", "200")[2]
