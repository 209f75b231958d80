"""With few labels, which score picks the cheaper model? A run by a design that was fixed before it.

Implements no part of a source; it asks what section 5.1 of the PWU paper leaves open.

The design:

* Sources. Yes or no: `BINARY_SOURCES`, six real and a simulation; mean and spread: `REGRESSION_SOURCES`, four and one.
* Of each, 20 training draws. Disjoint in each draw: 500 cases to train the ten models on, 3,000 from which labels
  come, at most 4,000 others on which the models are paid. Nothing is chosen on these.
* Labels: n = 30, 100, 300, 1,000, 3,000, ten random subsets of the 3,000 each (one of all). What is not labelled
  among the 3,000 may be used without its labels by the score that wants it.
* Arms. *As trained*; *private*: nine models see a random half of the columns and boosting sees all; *copies*: eight
  copies of the model that is worst on the paying cases, with a jitter that changes no act to speak of.
* Defaults of the assisted score: n0 = 100, and 50 as the only second value; two-parameter reference; refusal at 90%.
* First outcome: expected regret under the prior, on the paying cases, of the model that a score ranks first (ties
  shared), as a share of what a random choice among the models would cost. Second: Somers' d with the utilities,
  averaged over the prior.
* Units: training draws. Harm criterion: the worst source, and the private arm.
* Seen before the design was committed: one training draw of "good wine" and of "wine", while this code was tested.
  After it only the speed of the code was changed, and how the moment test draws its random signs.
* Priors: those of the benchmarks, Beta(2, 10) on c and on lambda in variances of the training targets,
  Beta(1.2, 20.8) on k/n. Broadened: Beta(1, 5) on each.

Usage: python -m pwu_book.studies few_labels --jobs 2
"""

from .draws import Draw, exact, read_draw
from .reading import gains, shares
from .run import main, run_draw
from .scores import outcome, scores
from .sources import ARMS, LABELS, SOURCES, TRAINING_DRAWS, half, load, makers, split

__all__ = ["ARMS", "LABELS", "SOURCES", "TRAINING_DRAWS", "Draw", "exact", "gains", "half", "load", "main", "makers",
           "outcome", "read_draw", "run_draw", "scores", "shares", "split"]
