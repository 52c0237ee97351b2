"""Rows with the same levels become one row of counts."""

import numpy as np

from quorate.numerics.links.modes import collapse


def test_counts_are_summed_by_combination():
    counts = np.array([[1.0, 0], [0, 1], [2, 1], [1, 1]])
    codes = [np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1])]
    summed, first = collapse(counts, codes)
    assert summed.tolist() == [[3, 1], [0, 1], [1, 1]]
    assert first.tolist() == [0, 1, 3]


def test_rows_that_differ_stay():
    counts = np.array([[1.0, 0], [0, 1]])
    summed, first = collapse(counts, [np.array([0, 1])])
    assert summed is counts
    assert first.tolist() == [0, 1]
