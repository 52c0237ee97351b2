import numpy as np
import pytest

from quorate.estimate.labels import confusions
from quorate.numerics.nominal import Ratings


def test_pairs_of_judges_by_what_each_says():
    """Item 0: a, a, b. Item 1: b, c. One pair of judges says a and a, two say a and b, one says b and c."""
    item, judge, label = np.array([[0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [0, 0, 1, 1, 2]])
    found = confusions(Ratings(item, judge, label, np.ones(5), 2, 3, 3), ("a", "b", "c"))
    assert [(one.label, one.other, one.pairs) for one in found] == [
        ("a", "b", 2),
        ("b", "a", 2),
        ("b", "c", 1),
        ("c", "b", 1),
        ("a", "a", 1),
    ]
    assert [one.share for one in found] == pytest.approx([1 / 2, 2 / 3, 1 / 3, 1, 1 / 2])


def test_a_judge_is_not_confused_with_himself():
    """One judge of item 0 says a and b, half each; the other says a: half a pair differs."""
    item, judge, label = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    found = confusions(Ratings(item, judge, label, np.array([0.5, 0.5, 1.0]), 1, 2, 2), ("a", "b"))
    assert [(one.label, one.other, one.pairs) for one in found] == [("a", "b", 0.5), ("b", "a", 0.5), ("a", "a", 0.5)]
