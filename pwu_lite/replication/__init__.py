"""What the chapters run: data, models, experiments and cases.

May import every module of pwu_lite; scikit-learn and pandas.
Implements section 5 of the PWU paper, and the book's own examples.
"""
