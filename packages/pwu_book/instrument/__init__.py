"""The book's one picture, alive on the site: two cost curves over one axis, and under them a weight that can be moved.

Implements equation (4) of the PWU paper, to be touched. A chapter makes a state of it by one of the functions here.
"""

from ._drawing import GRID
from .element import Control, Instrument, View
from .states import beliefs, costs, curves, hill, labels, readers, undecided

__all__ = ["GRID", "Control", "Instrument", "View", "beliefs", "costs", "curves", "hill", "labels", "readers",
           "undecided"]
