from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.table.pairs import BOTH_BAD, MISSING, TIE, A, B, pairs_of, summed, turn

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4), st.integers(1, 3)), max_size=30)


def columns(rows):
    a, b, outcome, count = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return a.astype(np.int32), b.astype(np.int32), outcome.astype(np.int8), count


@given(ROWS)
def test_votes_are_counted_by_pair_and_outcome(rows):
    rows = [row for row in rows if row[0] < row[1]]
    a, b, outcome, count = columns(rows)
    pairs = pairs_of(("w", "x", "y", "z"), a, b, outcome, count)
    counts = (pairs.a_wins, pairs.b_wins, pairs.ties, pairs.both_bad, pairs.missing)
    for place, (first, second) in enumerate(pairs):
        between = [row for row in rows if (row[0], row[1]) == ("wxyz".index(first), "wxyz".index(second))]
        expected = [sum(row[3] for row in between if row[2] == code) for code in (A, B, TIE, BOTH_BAD, MISSING)]
        assert [int(count[place]) for count in counts] == expected
    assert len(pairs) == len({row[:2] for row in rows})
    assert [pairs.names[code] for code in pairs.code] == [("wxyz"[x], "wxyz"[y]) for x, y, *_ in rows]
    assert pairs.votes.sum() + pairs.missing.sum() == count.sum()


def test_a_hundred_thousand_models():
    a = np.arange(99_999, dtype=np.int32)
    pairs = pairs_of(tuple(map(str, range(100_000))), a, a + 1, np.zeros(99_999, dtype=np.int8), None)
    assert len(pairs) == 99_999
    assert pairs.decisive.tolist() == [1] * 99_999


def test_counts_beyond_32_bits_are_exact():
    assert summed(np.array([0, 0]), np.array([2**40, 1]), 1).tolist() == [2**40 + 1]


@pytest.mark.parametrize(("code", "turned"), [(A, B), (B, A), (TIE, TIE), (BOTH_BAD, BOTH_BAD), (MISSING, MISSING)])
def test_turning_exchanges_the_two_models_only(code, turned):
    both = turn(np.array([code, code], dtype=np.int8), np.array([True, False]))
    assert both.tolist() == [turned, code]
