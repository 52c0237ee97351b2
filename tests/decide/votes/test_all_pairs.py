from __future__ import annotations

import json

import polars as pl
import pytest

from quorate.decide.votes.all_pairs import compare_all
from quorate.decide.votes.verdict import verdict_of_votes
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.table.read_votes import read_votes


def votes_of(wins, n, prompts=None):
    """Pairs x0-y0, x1-y1, ... with so many wins of n votes for x."""
    rows = [
        (f"x{pair}", f"y{pair}", "model_a" if i < k else "model_b", str(i // (prompts or 1)))
        for pair, k in enumerate(wins)
        for i in range(n)
    ]
    return read_votes(
        pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row"), announce=False
    )


def test_each_verdict_is_that_of_its_pair_at_its_level():
    votes = votes_of([80, 61, 50, 61, 20], 100)
    found = compare_all(votes, margin=0.12)
    assert [one.outcome.value for one in found.verdicts] == ["better", "undecided", "equivalent", "undecided", "worse"]
    assert [one.level for one in found.verdicts] == pytest.approx([0.99] * 5)
    for one in found.verdicts:
        alone = verdict_of_votes(votes, one.a, one.b, margin=0.12, level=one.level)
        assert one.to_dict() == alone.to_dict()
    assert verdict_of_votes(votes, "x1", "y1", margin=0.12).outcome.value == "better"
    assert found.sentence == (
        "Of 5 pairs, 2 differ, 1 are equivalent and 2 are undecided; all of that is true with 95% confidence."
    )


def test_pairs_with_too_little_are_left_out_and_counted():
    votes = votes_of([6, 5], 10, prompts=4)
    assert compare_all(votes, cluster="prompt").skipped == 0
    with pytest.raises(NotEstimable, match="no pair has 11 votes"):
        compare_all(votes, minimum=11)
    assert compare_all(votes_of([8], 10, prompts=4), ties="pessimistic", margin=0.1).skipped == 0
    with pytest.raises(NotEstimable, match="no pair"):
        compare_all(votes_of([5], 10, prompts=10), cluster="prompt")
    with pytest.raises(UnknownTerm):
        compare_all(votes, cluster="judge")
    with pytest.raises(InvalidInput, match="level"):
        compare_all(votes, level=0.1)


def test_results_are_plain_values():
    found = compare_all(votes_of([80, 50], 100), margin=0.2)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["counts"]["better"] == 1
    assert len(found.to_frame()) == 2
