"""Which pairs of systems to ask about next."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput
from quorate.planning.battles import chosen_battles

COUNTS = [("x", "y", 30, 2, 4), ("x", "z", 30, 3, 1), ("y", "z", 17, 15, 5)]


def votes(counts=COUNTS):
    frame = pl.DataFrame(counts, schema=["model_a", "model_b", "a", "b", "tie"], orient="row")
    return q.read_votes(frame, wins=("a", "b", "tie"), announce=False)


def test_the_next_votes_go_where_they_tell_most():
    plan = q.votes.next_battles(votes(), 100, criterion="D")
    assert plan.pairs[0] == ("y", "z")
    rows = plan.rows()
    assert [row["votes"] for row in rows] == [37, 36, 34]
    assert sum(row["next"] for row in rows) == len(plan) == 100
    assert all(abs(row["next"] - 100 * row["chance"]) < 1 for row in rows)
    assert plan.chance.min() >= 0.2 / 3
    assert plan.equal > 100
    assert "would tell as much as 100 by these" in plan.sentence


def test_battles_have_their_propensities():
    plan = q.votes.next_battles(votes(), 40, systems=("new",))
    battles = plan.battles()
    known = dict(zip(plan.pairs, plan.chance.tolist(), strict=True))
    pairs = zip(battles["system_a"], battles["system_b"], strict=True)
    assert battles["propensity"] == [known[pair] for pair in pairs]
    new = sum(row["chance"] for row in plan.rows() if "new" in (row["system_a"], row["system_b"]))
    assert new > 0.8
    again = q.votes.next_battles(votes(), 40, systems=("new",))
    assert again.battles() == battles
    assert q.votes.next_battles(votes(), 40, systems=("new",), seed=2).battles() != battles


def test_before_the_first_vote_pairs_are_alike():
    pairs = (("x", "y"), ("x", "z"), ("y", "z"))
    plan = chosen_battles(None, pairs, 9, criterion="A", floor=0.2, horizon=90, seed=1)
    assert np.allclose(plan.chance, 1 / 3)
    assert np.bincount(plan.chosen).tolist() == [3, 3, 3]
    assert "would tell as much" in plan.sentence


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 5)), min_size=3, max_size=3))
def test_whatever_the_votes_all_pairs_have_a_chance(counts):
    if not sum(sum(each) for each in counts):
        return
    plan = q.votes.next_battles(votes([(*pair[:2], *each) for pair, each in zip(COUNTS, counts, strict=True)]), 10,
                          systems=("x", "y", "z"))  # fmt: skip
    assert len(plan.pairs) == 3
    assert plan.chance.sum() == pytest.approx(1)
    assert plan.chance.min() >= 0.2 / 3 - 1e-12


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n": 0}, "n: must be a whole number from 1"),
        ({"n": 10, "horizon": 5}, "horizon: counts the 10 votes of n too, got 5"),
        ({"n": 10, "floor": 0}, "floor: a share above 0 and up to 1"),
        ({"n": 10, "criterion": "E"}, "criterion: expects A or D"),
    ],
)
def test_what_is_refused(options, said):
    with pytest.raises(InvalidInput, match=said):
        q.votes.next_battles(votes(), **options)
