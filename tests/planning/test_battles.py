"""Battles chosen from a pool: floors filled where they can be, nothing twice, few enough."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import votes_table

import quorate as q
from quorate.errors import InvalidInput
from quorate.planning.battles import chosen_battles, sample_battles

POOLS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from(["code", "prose"])).filter(lambda b: b[0] != b[1]),
    min_size=1,
    max_size=60,
)


def counted(pool):
    return Counter((str(side), topic) for a, b, topic in pool for side in (a, b))


@given(POOLS, st.integers(1, 6), st.integers(0, 3))
def test_every_floor_is_filled_or_named_with_all_its_battles(pool, floor, seed):
    found = sample_battles(*zip(*pool, strict=True), floor=floor, seed=seed)
    chosen = [pool[i] for i in found.chosen]
    there, got = counted(pool), counted(chosen)
    assert len(set(found.chosen.tolist())) == len(found)
    assert {(system, topic): n for system, topic, n in found.coverage} == {cell: got[cell] for cell in there}
    assert {(system, topic): n for system, topic, n in found.short} == {k: n for k, n in there.items() if n < floor}
    assert all(got[cell] >= min(n, floor) for cell, n in there.items())
    assert found.fewest <= len(found) <= 2 * found.fewest


@given(POOLS, st.integers(1, 6))
def test_every_chosen_battle_helped_when_it_was_chosen(pool, floor):
    got = Counter()
    for i in sample_battles(*zip(*pool, strict=True), floor=floor).chosen:
        a, b, topic = pool[i]
        assert min(got[a, topic], got[b, topic]) < floor
        got.update([(a, topic), (b, topic)])


def test_the_seed_decides_among_equals():
    rng = np.random.default_rng(1)
    pool = rng.integers(10, size=(300, 2))
    a, b = pool[pool[:, 0] != pool[:, 1]].T
    one, two, other = (sample_battles(a, b, floor=5, seed=seed).chosen.tolist() for seed in (1, 1, 2))
    assert one == two
    assert one != other


def test_a_dense_pool_takes_the_fewest_battles_there_can_be():
    systems = [(a, b) for a in range(8) for b in range(a) for _ in range(10)]
    found = sample_battles(*zip(*systems, strict=True), floor=6)
    assert len(found) == found.fewest == 24
    assert found.sentence == (
        "24 battles reach the floor of 6 for 8 of 8 systems; no choice does so with fewer than 24."
    )


def test_battles_are_needed_far_less_than_at_random():
    rng = np.random.default_rng(1)
    share = rng.dirichlet(np.ones(20))
    pool = rng.choice(20, (2000, 2), p=share)
    a, b = pool[pool[:, 0] != pool[:, 1]].T
    found = sample_battles(a, b, floor=20)
    count, needed = np.zeros(20), 0
    wanted = np.minimum(np.bincount(np.append(a, b), minlength=20), 20)
    for needed, i in enumerate(rng.permutation(len(a)), start=1):  # noqa: B007
        count[[a[i], b[i]]] += 1
        if (count >= wanted).all():
            break
    assert len(found) <= 1.1 * found.fewest
    assert len(found) < needed / 3


@pytest.mark.slow
def test_a_hundred_thousand_candidates_take_a_second():
    rng = np.random.default_rng(1)
    a = rng.integers(55, size=100_000)
    b = (a + 1 + rng.integers(54, size=len(a))) % 55
    start = time.process_time()
    found = sample_battles(a, b, rng.integers(4, size=len(a)), floor=40)
    assert time.process_time() - start < 3
    assert len(found) == found.fewest == 55 * 4 * 20


def test_what_the_pool_cannot_give_is_named():
    found = q.votes.sample_battles(["x", "x", "x"], ["y", "y", "z"], ["code", "code", "prose"], floor=2)
    assert found.short == (("x", "prose", 1), ("z", "prose", 1))
    assert "For 2 the pool has too few, such as x in prose with 1." in found.sentence
    frame = found.to_frame()
    assert frame["reached"].to_list() == [True, False, True, False]
    assert frame["battles"].to_list() == [2, 1, 2, 1]


@pytest.mark.parametrize(
    ("a", "b", "topic", "floor", "message"),
    [
        (["x"], ["x"], None, 1, 'model_b: battle 1 has "x" against itself'),
        (["x"], ["y", "z"], None, 1, "got 1 and 2"),
        ([], [], None, 1, "at least 1, got 0 and 0"),
        (["x"], ["y"], ["code", "prose"], 1, "one label for each of 1 battles is needed, got 2"),
        (["x"], [None], None, 1, "no label"),
        (["x"], ["y"], None, 0, "floor: must be a whole number from 1 to 1,000,000,000, got 0"),
        (["x"], ["y"], None, 1.5, "got 1.5"),
        (["x"], ["y"], None, 10**30, "floor: must be a whole number from 1 to"),
        (["x"], [float("nan")], None, 1, "no label"),
        ([1, "x"], ["1", "y"], None, 1, "numbers and text that look alike"),
    ],
)
def test_pools_that_make_no_sense_are_refused(a, b, topic, floor, message):
    with pytest.raises(InvalidInput, match=message):
        sample_battles(a, b, topic, floor=floor)


# Which pairs of systems to ask about next.


COUNTS = [("x", "y", 30, 2, 4), ("x", "z", 30, 3, 1), ("y", "z", 17, 15, 5)]


def votes(counts=COUNTS):
    return votes_table(counts, "model_a model_b a b tie", wins=("a", "b", "tie"))


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


@pytest.mark.slow
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
        ({"n": 10, "floor": 0}, "floor: must be above 0 and at most 1"),
        ({"n": 10, "criterion": "E"}, "criterion: must be one of A, D"),
    ],
)
def test_what_is_refused(options, said):
    with pytest.raises(InvalidInput, match=said):
        q.votes.next_battles(votes(), **options)
