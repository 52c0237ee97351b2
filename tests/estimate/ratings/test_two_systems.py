"""Rankings of two systems say what comparisons say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.outcome import Outcome


def votes_of(seed, share, most=0.5, people=12, ties=0.0):
    """400 votes on 80 prompts, ``most`` of them by one person."""
    rng = np.random.default_rng(seed)
    judge = rng.choice(people, 400, p=[most, *[(1 - most) / (people - 1)] * (people - 1)])
    winner = np.where(rng.random(400) < share, "model_a", "model_b")
    winner = np.where(rng.random(400) < ties, "tie", winner)
    columns = {"model_a": "x", "model_b": "y", "winner": winner, "prompt": np.repeat(np.arange(80), 5)}
    return q.read_votes(pl.DataFrame({**columns, "judge": judge.astype(str)}), announce=False)


CASES = {
    "one person with half of the votes": (votes_of(1, 0.9), {}),
    "a small lead": (votes_of(2, 0.55), {}),
    "five people": (votes_of(3, 0.7, most=0.2, people=5), {}),
    "ties": (votes_of(4, 0.6, ties=0.2), {}),
    "ties as halves": (votes_of(5, 0.6, ties=0.2), {"ties": "half"}),
    "independent votes, the exact test": (votes_of(6, 0.55, ties=0.1), {"cluster": ()}),
}


@pytest.mark.parametrize("case", CASES)
def test_rank_and_compare_test_two_systems_alike(case):
    votes, options = CASES[case]
    board, verdict = q.rank(votes, **options), q.compare(votes, "x", "y", **options)
    gap, p = board.difference("x", "y"), verdict.p_difference
    assert gap.p_value == board.difference("y", "x").p_value == p
    levels = sorted({0.6, 0.9, 0.95, 0.99, max(0.0, 1 - p - 1e-6), min(1 - p + 1e-6, 0.999)} - {0.0})
    ends = [gap.at(level).ends for level in levels]
    assert [low > 0 or high < 0 for low, high in ends] == [p <= 1 - level for level in levels]
    assert all(wide[0] <= near[0] <= gap.value <= near[1] <= wide[1] for near, wide in pairwise(ends))
    apart = verdict.outcome is not Outcome.UNDECIDED
    assert board.ranks.above.any() == apart
    assert (board.ranks.marginal_low.max() == 2) == apart
    low, high = board.intervals[0]
    assert (2 * low, 2 * high) == pytest.approx(board.difference(*board.systems).ends)
    assert board.elo().intervals[0] == pytest.approx(1000 + 400 / np.log(10) * np.array([low, high]))
    chance = board.probability("x", "y").ends
    assert (chance[0] > 0.5 or chance[1] < 0.5) == apart


def test_other_methods_and_models_have_their_own_tests():
    votes, _ = CASES["five people"]
    board = q.rank(votes)
    assert board.using("model").difference("x", "y").p_value < 1e-6 < board.difference("x", "y").p_value
    assert q.rank(votes, weights=np.ones(400)).margin is None
    assert q.rank(votes, regularisation=1.0).margin is None


def test_both_name_the_person_with_most_of_the_votes():
    votes, _ = CASES["one person with half of the votes"]
    said = [one.sentence for one in q.compare(votes, "x", "y").caveats if one.code == "dominant-cluster"]
    assert said == [one.sentence for one in q.rank(votes).caveats if one.code == "dominant-cluster"]
    assert '52.5% of the votes are of one judge, "0"' in said[0]
    assert "with the next most votes (23) it would leave a margin of 0.367 (p = 0.00084)" in said[0]
