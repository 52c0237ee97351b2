from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidInput
from quorate.planning.designs.schemes import balanced_blocks, concurrences


@pytest.mark.parametrize(
    ("judges", "size", "blocks", "shared"),
    [(7, 3, 7, 1), (13, 4, 13, 1), (11, 5, 11, 2), (5, 2, 10, 1), (9, 4, 18, 3), (6, 5, 6, 4), (4, 4, 1, 1)],
)
def test_difference_families_are_found(judges, size, blocks, shared):
    """Hall (1986), Combinatorial Theory, table of balanced incomplete block designs: b and lambda."""
    found = balanced_blocks(judges, size)
    assert len(found) == blocks
    np.testing.assert_array_equal(concurrences(found, judges), shared)


@given(st.integers(1, 25), st.integers(1, 25))
def test_every_judge_equally_often_and_pairs_nearly(judges, size):
    if size > judges:
        return
    found = balanced_blocks(judges, size)
    assert all(len(set(block)) == size for block in found.tolist())
    np.testing.assert_array_equal(np.bincount(found.ravel(), minlength=judges), len(found) * size // judges)
    if judges > size > 1:
        shared = concurrences(found, judges)
        assert shared.sum() == len(found) * size * (size - 1) // 2
        assert np.ptp(shared) <= max(2, 0.1 * shared.mean())


def test_after_every_turn_through_the_judges_each_was_asked_equally_often():
    found = balanced_blocks(10, 3)
    for start in range(0, len(found), 10):
        np.testing.assert_array_equal(np.bincount(found[start : start + 10].ravel(), minlength=10), 3)


def test_blocks_are_the_same_every_time_and_cannot_be_changed():
    found = balanced_blocks(24, 12)
    balanced_blocks.cache_clear()
    np.testing.assert_array_equal(found, balanced_blocks(24, 12))
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 3


def test_too_many_judges():
    with pytest.raises(InvalidInput, match="at most 1,000 judges, got 1,001"):
        balanced_blocks(1001, 2)
