"""Draw the README's picture from the same data as the book's first page.

Usage: python -m tools.build.readme_picture
"""

import matplotlib.pyplot as plt
import numpy as np

import pwu_lite as pwu
from pwu_book.examples import mushrooms
from pwu_lite import plots
from pwu_lite.metrics import classification

table = mushrooms.mushrooms()
y, said = table["poisonous"].to_numpy(), mushrooms.cross_fitted(table)
grid = np.linspace(0.002, 0.12, 400)
cost = {f"{name}: log loss {classification.log_loss(y, f):.2f}": -pwu.BinaryDecision().utility(grid, y, f)
        for name, f in said.items()}
plots.use_style()
plt.rcParams["svg.hashsalt"] = "readme"
figure = plots.curves(grid, cost, xlabel=plots.COST_SHARE, ylabel="cost per mushroom",
                      mark=mushrooms.THRESHOLD, mark_label="your cost share")
figure.savefig("book/_static/readme.svg", metadata={"Date": None})
