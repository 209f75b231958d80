"""Draw the README's picture from the same data as the book's first page.

Usage: python tools/readme_picture.py
"""

import matplotlib.pyplot as plt
import numpy as np

import pwu_lite as pwu
from pwu_lite import plots
from pwu_lite.metrics import classification
from pwu_lite.replication import parcels

half = parcels.split(*parcels.images(8), seed=0)
grid = np.linspace(0.002, 0.4, 400)
cost = {f"{name}: log loss {classification.log_loss(half.y_bill, f):.2f}":
        -pwu.BinaryDecision().utility(grid, half.y_bill, f) for name, f in half.bill.items()}
plots.use_style()
plt.rcParams["svg.hashsalt"] = "readme"
figure = plots.curves(grid, cost, xlabel="threshold c (how cheap a false alarm is)", ylabel="cost per decision",
                      mark=parcels.THRESHOLD, mark_label="your threshold")
figure.savefig("book/_static/readme.svg", metadata={"Date": None})
