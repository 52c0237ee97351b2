"""Crossed panels of judges.

- alike: judges whose errors on items go together
- crossed: mean squares of a crossed panel, the components they give, resampled scenarios, and tests
- grubbs: Grubbs' estimators: how lenient and how noisy each judge of a crossed table is
- independence: what judges' errors share, and how many independent judges a panel is worth
- subsets: subsets of judges whose mean stands for a whole pool
"""
