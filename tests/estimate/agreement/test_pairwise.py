"""Pairwise agreement against counting every pair of answers."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.agreement.coefficients import pairwise_agreement

PEOPLE = ("ana", "ben", "cem")


@pytest.fixture(scope="module")
def rows():
    """Who answered what: some did not answer all, and nobody answers as another one does."""
    rng = np.random.default_rng(5)
    every = [(i, p, j) for i, p, j in product(range(12), "xy", (*PEOPLE, "m1", "m2")) if rng.random() < 0.7]
    return pl.DataFrame(
        {
            "item": f"i{i}",
            "prompt": p,
            "judge": j,
            "score": float(rng.integers(1, 6)),
            "winner": rng.choice(list("ABC")),
        }
        for i, p, j in every
    )


def counted(rows, column, distance, first, second):
    found = []
    for _, mine in rows.group_by("item", "prompt"):
        for one, two in combinations(mine.to_dicts(), 2):
            sides = {one["judge"], two["judge"]}
            if any(a in first and b in second and {a, b} == sides for a, b in (sides_of(one, two), sides_of(two, one))):
                found.append(distance(one[column], two[column]))
    return np.mean(found), len(found)


def sides_of(one, two):
    return one["judge"], two["judge"]


def test_scores_differ_as_every_pair_says(rows):
    found = {(one.first, one.second): one for one in pairwise_agreement(q.read(rows, announce=False), people=PEOPLE)}
    groups = {"people": PEOPLE, "models": ("m1", "m2"), "m1": ("m1",), "m2": ("m2",)}
    assert list(found) == [("people", "people"), ("m1", "people"), ("m2", "people"), ("models", "models")]
    for (first, second), one in found.items():
        square, pairs = counted(rows, "score", lambda x, y: (x - y) ** 2, groups[first], groups[second])
        assert (one.value, one.pairs) == (pytest.approx(np.sqrt(square)), pairs)
        assert one.low < one.value < one.high
        assert one.measure == "difference"
        assert one.items <= 12


def test_votes_are_the_same_as_every_pair_says(rows):
    frame = rows.with_columns(model_a=pl.lit("s"), model_b=pl.lit("t"), prompt=pl.col("item") + pl.col("prompt"))
    votes = q.read_votes(frame.drop("item", "score"), announce=False)
    found = {(one.first, one.second): one for one in pairwise_agreement(votes, people=PEOPLE)}
    share, pairs = counted(rows, "winner", lambda x, y: x == y, PEOPLE, PEOPLE)
    one = found["people", "people"]
    assert (one.value, one.pairs, one.measure) == (pytest.approx(share), pairs, "same")
    assert 0 < one.low < share < one.high < 1


def test_who_shares_no_question_agrees_on_nothing(rows):
    apart = rows.filter((pl.col("judge") == "ana") == (pl.col("item") < "i5"), pl.col("judge").is_in(["ana", "m1"]))
    assert pairwise_agreement(q.read(apart, announce=False), people=["ana"]) == ()
    one_item = rows.filter(pl.col("item") == "i1")
    assert all(np.isnan(one.low) for one in pairwise_agreement(q.read(one_item, announce=False), people=PEOPLE))


def test_who_always_disagrees_agrees_on_nothing_at_all():
    battles = pl.DataFrame(
        {"prompt": f"p{n}", "judge": judge, "model_a": "a", "model_b": "b", "winner": winner}
        for n in range(3)
        for judge, winner in (("ana", "model_a"), ("ben", "model_b"))
    )
    (one,) = pairwise_agreement(q.read_votes(battles, announce=False), people=("ana", "ben"))
    assert (one.value, one.pairs) == (0.0, 3)
