"""The options of the command line, and what is said of each.

Implements no section of the sources.
"""

from __future__ import annotations

import argparse
import textwrap

from pwu_lite.reporting.rules import RULES

from . import beliefs

__all__: list[str] = []

EXAMPLES = """examples:
  pwu compare predictions.csv --truth y --ratio 3:30
  pwu compare predictions.csv --truth y --ratio 3:30 --groups patient --html report.html
  cat predictions.csv | pwu compare - --truth outcome --event malignant --ratio 5:50 --json
  pwu compare houses.csv --truth price --decision selective --error 2:20
  pwu compare leads.csv --truth bought --decision top-k --share 1%:10%
  pwu compare sales.csv --truth sold --decision orders --ratio 2:9
  pwu compare wards.csv --truth state --decision acts --costs costs.csv --range 0.5:2
  pwu compare answers.csv --decision answers --ratio 1:9 --groups question
  pwu compare orders.csv --truth sold --decision mine:Kiosk --range 0.6:0.9
  pwu compare new.csv --truth y --ratio 3:30 --against old --margin 2% --gate --markdown
  pwu board results.json --worth 1:50
  pwu explain log_loss
"""
ALL_AT_ONCE = ("--html", "--cost-share", "--case-costs", "--blocks", "--time", "--truth-file", "--by",
               "--only", "--model-column", "--confidence-of", "--percent", "--count", "--ignore-punctuation",
               "--recalibrate")
LARGE = "\nlarge files:\n" + textwrap.indent(textwrap.fill(
    f"More than {RULES['most_bytes_at_once'] // 10**6} MB (a fifth of that, packed or Parquet) are read in pieces, for "
    f"--decision binary and selective. These need all cases at once, and so a sample of the rows: "
    f"{', '.join(ALL_AT_ONCE)}, --missing; and more than one file, named one by one.", 112,
    break_on_hyphens=False), "  ")


def parser() -> argparse.ArgumentParser:
    """The words that the command understands; what each command does is its name in `pwu_desk.command`."""
    whole = argparse.ArgumentParser("pwu", epilog=EXAMPLES, description=(
        "Which forecast is cheaper for a decision, and how sure is that? From a CSV or Parquet file."),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    whole.add_argument("--version", action="version", version=f"pwu_lite {_version()}")
    commands = whole.add_subparsers(dest="command", required=True)
    command = commands.add_parser("compare", help="compare models, with intervals", epilog=EXAMPLES + LARGE,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    _add_data(command)
    _add_decision(command)
    command.add_argument("--groups", help="column of patients, sites or days, which are resampled whole, or columns "
                         "separated by commas, such as the two teams of a match; found by its name if you do not give "
                         "it; --groups none for no groups")
    command.add_argument("--missing", choices=["refuse", "pairwise", "bounds", "no"], default="refuse",
                         help="what to do with missing forecasts (all decisions but acts and answers): refuse the "
                         "file, or compare each model with the cheapest one on the cases that both have (pairwise); "
                         "with missing outcomes (binary): compare on the others, and say what these could change "
                         "(bounds), or count a blank as no, in a column of one label or of dates (no)")
    command.add_argument("--recalibrate", action="store_true", help="binary: recalibrate each model by two numbers, "
                         "which are fitted to the groups in the other four of five folds")
    command.add_argument("--blocks", type=int, help="rows in time order: number of consecutive rows "
                         "that are resampled together")
    command.add_argument("--resamples", type=int, default=1000)
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--against", metavar="MODEL", help="the model in use, which the others are compared with; "
                         "without it they are compared with the cheapest one")
    command.add_argument("--margin", help="with --against: how much more than the model in use a candidate may cost, "
                         "such as 2%%, or a number in the unit of the cost")
    command.add_argument("--gate", action="store_true", help="with --against: exit with 0 if a candidate costs at most "
                         "the margin more, with 1 if each costs more than that, with 3 if that cannot be told")
    command.add_argument("--by", help="column of places, leads or kinds: adds a sentence for each of its values")
    command.add_argument("--html", help="write a report, as a single file")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--markdown", action="store_true", help="print a table for a pull request")
    command = commands.add_parser("board", help="which of many may be the best, for what a solved task is worth")
    command.add_argument("file", help="CSV with a row for each model and task, or JSON of models and tasks with "
                         "resolved and cost")
    command.add_argument("--worth", default="1:100", help="what a solved task is worth to you, LOW:HIGH, in the unit "
                         "of the cost")
    for role in ("model", "task", "solved", "cost"):
        command.add_argument(f"--{role}", metavar="COLUMN")
    command.add_argument("--groups", metavar="COLUMN", help="column of tasks that belong together, as repositories do")
    command.add_argument("--tries", metavar="COLUMN", help="column that counts the tries of a task, which are averaged")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--markdown", action="store_true", help="print a table for a pull request")
    command = commands.add_parser("explain", help="what a common metric believes about costs")
    command.add_argument("score", help=f"one of {', '.join(beliefs.KNOWN)}")
    return whole


def _version():
    from pwu_lite import __version__

    return __version__


def _add_data(parser):
    parser.add_argument("file", nargs="+", help="CSV (or compressed, .csv.gz) or Parquet; - for standard input; large "
                        "files, and several ('part-*.parquet', in quotes), are read in pieces; files that are named "
                        "one by one are models on the same cases")
    parser.add_argument("--only", action="append", metavar="COLUMN=VALUE", help="rows with this value alone, such as "
                        "split=test; again for further values or columns")
    parser.add_argument("--model-column", metavar="COLUMN", action="append", help="column whose values are models, "
                        "settings or members, with a row for each case and value; again for a second one")
    parser.add_argument("--confidence-of", metavar="COLUMN", help="binary: column of predicted labels whose confidence "
                        "the forecasts are, or one for each of them, separated by commas; none: they are probabilities "
                        "of the event")
    parser.add_argument("--percent", metavar="COLUMNS", help="columns of percentages, separated by commas; found by a "
                        "name or a sign that says so if you do not give them")
    parser.add_argument("--ignore-punctuation", action="store_true", help="answers: compare them without commas, signs "
                        "of money, brackets and full stops")
    parser.add_argument("--truth", help="column of outcomes; answers: of right answers, if there is one")
    parser.add_argument("--event", help="the label that counts as the event")
    parser.add_argument("--models", help="columns of forecasts, separated by commas; all other columns of numbers, "
                        "if not given; selective: columns NAME_mean and NAME_std; orders: NAME_q05 to NAME_q95, or "
                        "NAME_1 to NAME_50 (members in any numbering: e0, ens01); acts: NAME:CLASS; answers: "
                        "NAME_confidence or NAME (blank for an abstention) and NAME_right")
    parser.add_argument("--truth-file", help="a second file with the outcomes, joined by the columns that both have")
    parser.add_argument("--coverage", type=float, help="orders: that of intervals called lower and upper, in %%")
    parser.add_argument("--time", help="binary: column of times followed; --truth then says whether the event came")
    parser.add_argument("--horizon", type=float, help="with --time: events count until then; cases lost "
                        "before get no weight, and the others get more (inverse probability of censoring)")
    parser.add_argument("--competing", help="with --time: label or column (1 or 0) of another event, after which "
                        "this one cannot come any more; such cases were followed, and count as no event")
    parser.add_argument("--count", metavar="EVENTS,CASES", help="binary: two columns of numbers where a row stands for "
                        "many cases, instead of --truth; EVENTS,EVENTS+OTHERS where the second counts the others")
    parser.add_argument("--weights", help="column of case weights; found by its name if you do not give it; "
                        "--weights none for no weights")


def _add_decision(parser):
    parser.add_argument("--decision", default="binary", help="binary, selective, top-k, orders, acts, answers, or a "
                        "family of your own as module:Class")
    parser.add_argument("--ratio", help="binary: a miss costs LOW:HIGH false alarms, nine times out of ten; orders: a "
                        "unit short costs LOW:HIGH units left over; answers: a wrong answer costs what LOW:HIGH right "
                        "ones earn")
    parser.add_argument("--costs", help="acts: file with a row per act and a column per class; a cost is a number, "
                        "price, or 2+0.5*price")
    parser.add_argument("--error", help="selective: passing costs as much as an error of LOW:HIGH, nine times out of "
                        "ten")
    parser.add_argument("--share", help="top-k: the share of cases picked, LOW:HIGH, nine times out of ten")
    parser.add_argument("--range", help="acts: the price is LOW:HIGH, nine times out of ten; a family of your own: its "
                        "parameter")
    parser.add_argument("--threshold", help="binary: everybody acts above this probability, such as 0.1 or 10%%; as "
                        "--ratio 9, a miss that costs 9 false alarms")
    parser.add_argument("--prior", help="A,B of a Beta prior on a parameter in (0, 1), instead of a range")
    parser.add_argument("--cost-share", help="binary: column with each case's own cost share of a false alarm, instead")
    parser.add_argument("--case-costs", help="binary: four columns with each case's costs in money, of a false alarm, "
                        "a miss, a hit and a case rightly left alone: C_FP,C_FN,C_TP,C_TN")
