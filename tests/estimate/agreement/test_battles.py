"""One verdict per battle, by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import scores_table

import quorate as q
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.estimate.agreement.battles import likert_battles, pairwise_battles


def votes_of(shares):
    """Battles with so many votes for "y", ties and votes for "x", each written in one of the two orders."""
    rows = []
    for prompt, counts in enumerate(shares):
        for winner, count in zip("y=x", counts, strict=True):
            for i in range(count):
                a, b = ("x", "y") if i % 2 else ("y", "x")
                label = "tie" if winner == "=" else "model_a" if winner == a else "model_b"
                rows.append(
                    {"prompt": f"p{prompt}", "model_a": a, "model_b": b, "winner": label, "topic": f"t{prompt % 2}"}
                )
    return q.read_votes(pl.DataFrame(rows), prompt_type="topic", announce=False)


def test_pairwise_verdicts_at_the_thresholds_of_the_paper():
    """Shares of x: .55 and .45 are ties, .6 and .4 are not; a tie is half a vote."""
    battles = pairwise_battles(votes_of([(9, 0, 11), (11, 0, 9), (8, 0, 12), (12, 0, 8), (8, 2, 10)]), by="prompt_type")
    assert [key[0] for key in battles.keys] == ["p0", "p1", "p2", "p3", "p4"]
    assert battles.keys[0] == ("p0", "x", "y")
    assert battles.verdicts.tolist() == [2, 2, 0, 1, 2]
    assert battles.margin.tolist() == pytest.approx([0.05, -0.05, 0.1, -0.1, 0.05])
    assert battles.groups == ("t0", "t1", "t0", "t1", "t0")
    assert battles.tie_share == 0.6


def likert(rows):
    return scores_table(rows, "item system judge score", facets={"item": "item", "system": "system", "judge": "judge"})


def test_likert_verdicts_are_ties_below_half_a_point():
    rows = [("i1", "y", "j", 4), ("i1", "y", "k", 3), ("i1", "x", "j", 3), ("i1", "x", "k", 3)]  # .5 for y
    rows += [("i2", "x", "j", 4.4), ("i2", "x", "k", 3), ("i2", "y", "j", 3), ("i2", "y", "k", 3.5)]  # .45 for x
    rows += [("i3", "z", "j", 1), ("i3", "y", "j", 5)]
    battles = likert_battles(likert(rows))
    assert battles.keys == (("i1", "x", "y"), ("i2", "x", "y"), ("i3", "y", "z"))
    assert battles.margin.tolist() == pytest.approx([-0.5, 0.45, 4])
    assert battles.verdicts.tolist() == [1, 2, 0]


def test_a_response_without_scores_has_no_verdict():
    rows = [("i1", "x", "j", 4.0), ("i1", "y", "j", None), ("i2", "x", "j", 4.0), ("i2", "y", "j", 1.0)]
    battles = likert_battles(likert(rows), threshold=0.5)
    assert battles.verdicts.tolist() == [-1, 0]
    assert battles.tie_share == 0


def test_a_battle_has_two_systems():
    with pytest.raises(InvalidData, match='item "i1" has scores of 3 systems, and a battle has two: keep two'):
        likert_battles(likert([("i1", s, "j", 1.0) for s in "xyz"] + [("i2", s, "j", 1.0) for s in "xy"]))


def test_bad_roles_and_thresholds():
    votes = votes_of([(1, 0, 0)])
    with pytest.raises(InvalidInput, match="key: no judge says which votes are of one battle"):
        pairwise_battles(votes, key="judge")
    with pytest.raises(UnknownTerm):
        pairwise_battles(votes, by="judge")
    with pytest.raises(InvalidInput, match="system: no model says whose response a score is of"):
        likert_battles(likert([("i1", "x", "j", 1.0), ("i1", "y", "j", 1.0)]), system="model")
    with pytest.raises(InvalidInput, match="threshold: must be at least 0"):
        pairwise_battles(votes, threshold=-1)
    with pytest.raises(InvalidInput, match="tie_share: must be from 0 to 1"):
        pairwise_battles(votes).calibrated(1.2)


@pytest.mark.parametrize(
    ("low", "high", "suits"), [(0, 1, False), (1, 4, False), (1, 5, True), (0, 10, True), (0, 100, False)]
)
def test_half_a_point_is_for_scales_that_it_suits(low, high, suits):
    table = likert([("i1", "x", "j", low), ("i1", "y", "j", high)])
    assert likert_battles(table, threshold=2.5).threshold == 2.5
    if suits:
        assert likert_battles(table).threshold == 0.5
    else:
        with pytest.raises(InvalidInput, match=f"got scores from {low} to {high}; say which"):
            likert_battles(table)


def test_a_category_that_varies_within_a_battle_is_refused():
    votes = votes_of([(1, 0, 1)])
    apart = q.read_votes(
        pl.DataFrame({"prompt": ["p", "p"], "model_a": "x", "model_b": "y", "winner": ["x", "y"], "topic": ["s", "t"]}),
        facets={"topic": "topic"},
        announce=False,
    )
    assert pairwise_battles(votes, by="prompt_type").groups == ("t0",)
    with pytest.raises(InvalidInput, match='topic: a battle has one, got "s" and "t"'):
        pairwise_battles(apart, by="topic")


COUNTS = st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)).filter(any)


@given(st.lists(COUNTS, min_size=1, max_size=12), st.floats(0, 1))
def test_no_other_threshold_comes_nearer_to_the_ties_wanted(counts, wanted):
    battles = pairwise_battles(votes_of(counts))
    found = abs(battles.calibrated(wanted).tie_share - wanted)
    size = np.abs(battles.margin)
    others = [np.mean(size < t - 1e-9) for t in size[size > 1e-9]] + [1.0]
    assert found == pytest.approx(min(abs(share - wanted) for share in others), abs=1e-12)


def test_a_calibrated_share_is_that_of_people():
    battles = pairwise_battles(votes_of([(k, 0, 10 - k) for k in range(11)]))
    assert battles.calibrated(5 / 11).tie_share == pytest.approx(5 / 11)
    assert battles.calibrated(1.0).tie_share == 1
