from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.all_pairs import compare_all
from quorate.decide.votes import verdict_of_votes
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
        "Of 5 pairs of systems 2 are told apart, 1 is equivalent and 2 are undecided; all of these verdicts hold "
        "together at 95%."
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


def test_all_pairs_of_scores_are_those_of_compare_at_one_level(judged):
    """As each pair by itself at the level that Holm's procedure arrives at, as for votes."""
    judgments = judged({"item": 12, "judge": 3, "system": 3}, fixed=("judge",), seed=4)
    own = np.array([0.0, 2.0, 2.1])[judgments.column("system")]
    moved = judgments.mean + own
    table = replace(judgments, mean=moved, low=moved, high=moved)
    found = compare_all(table, margin=0.3)
    assert len(found.verdicts) == 3
    for one in found.verdicts:
        alone = q.compare(table, one.a, one.b, margin=0.3, level=one.level)
        assert one.to_dict() == {**alone.to_dict(), "types": None, "p_types": None}
    assert found.exit_code == (2 if found.counts["undecided"] else 0)
    assert "hold together at 95%" in repr(found)
    with pytest.raises(InvalidInput, match="minimum: not for scores"):
        compare_all(table, minimum=3)
    with pytest.raises(InvalidInput, match="system: not for votes"):
        compare_all(votes_of([5], 10), system="judge")
    with pytest.raises(NotEstimable, match="no two can be compared"):
        compare_all(table.only("system", table.facet("system").levels[0]))
