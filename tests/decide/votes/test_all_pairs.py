from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.decide.votes.all_pairs import compare_all, holm
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


def test_holm_is_that_of_r():
    """R: p.adjust(c(.01, .04, .03, .005), "holm") is .03, .06, .06, .02: at .05 the first and the last are rejected."""
    p = np.array([0.01, 0.04, 0.03, 0.005])
    assert (p <= holm(p, np.zeros(4), 0.05)).tolist() == [True, False, False, True]
    assert holm(p, np.zeros(4), 0.05) == pytest.approx(0.025)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.2))
def test_adjusted_p_values_and_the_level_say_the_same(p, alpha):
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = steps
    level = holm(np.array(p), np.zeros(len(p)), alpha)
    clear = np.abs(adjusted - alpha) > 1e-9
    assert ((np.array(p) <= level) == (adjusted <= alpha))[clear].all()


def test_a_pair_counts_until_no_claim_about_it_could_be_false():
    """A difference that is shown leaves open whether it is within the margin, so nothing is gained for the others."""
    differ, open_ = np.array([0.001, 0.001, 0.04]), np.array([0.9, 0.9, 0.9])
    assert holm(differ, open_, 0.05) == pytest.approx(0.05 / 3)
    assert holm(differ, np.zeros(3), 0.05) == pytest.approx(0.05)
    assert holm(differ, np.array([0.001, 0.9, 0.9]), 0.05) == pytest.approx(0.025)


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
