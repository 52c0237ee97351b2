"""Clusters of battles, and intervals of agreement by them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.agreement.agreement import battle_clusters, gain_interval, rate_interval, shared_out
from quorate.estimate.agreement.battles import pairwise_battles
from quorate.numerics.votes.binomial import clopper_pearson


def votes_of(prompts, pairs, annotators=None):
    frame = {"prompt": prompts, "model_a": [a for a, _ in pairs], "model_b": [b for _, b in pairs]}
    frame |= {"winner": ["model_a"] * len(prompts), "judge": annotators or ["h"] * len(prompts)}
    return q.read_votes(pl.DataFrame(frame), announce=False)


THREE = [("x", "y"), ("x", "z"), ("y", "z")]


def test_battles_of_one_prompt_are_a_cluster():
    votes = votes_of(["p", "p", "p", "q"], [*THREE, ("x", "y")])
    name, code = battle_clusters(votes, "prompt", None)
    items = [item for item, *_ in pairwise_battles(votes).keys]
    assert name == "prompt"
    assert [code[i] == code[j] for i in range(4) for j in range(4)] == [a == b for a in items for b in items]


def test_prompts_of_one_battle_each_are_no_clusters():
    name, code = battle_clusters(votes_of(["p", "q", "r"], THREE), "prompt", None)
    assert name is None
    assert code.tolist() == [0, 1, 2]


def test_annotators_may_be_the_clusters():
    votes = votes_of(["p", "q", "r"], [("x", "y")] * 3, ["ann", "bob", "ann"])
    name, code = battle_clusters(votes, "prompt", "judge")
    assert name == "judge"
    assert code.tolist() == [0, 1, 0]


def test_a_battle_has_one_cluster():
    twice = votes_of(["p", "p"], [("x", "y")] * 2, ["ann", "bob"])
    with pytest.raises(InvalidInput, match='judge: a battle has one, got "ann" and "bob"'):
        battle_clusters(twice, "prompt", "judge")
    with pytest.raises(InvalidInput, match="cluster: 1 battles have no judge"):
        battle_clusters(votes_of(["p", "q"], [("x", "y")] * 2, ["ann", None]), "prompt", "judge")
    with pytest.raises(UnknownTerm):
        battle_clusters(twice, "prompt", "colour")


def test_intervals_are_by_clusters():
    right = np.array([True] * 12 + [False] * 8)
    apart, together = np.arange(20), np.repeat(np.arange(5), 4)
    exact = [float(end) for end in clopper_pearson(12, 20, 0.95)]
    assert rate_interval(right, apart, 0.95) == pytest.approx(exact)
    low, high = rate_interval(right, together, 0.95)
    assert low < exact[0] < exact[1] < high
    gain = np.where(right, 1, -1)
    assert gain_interval(gain, together, 0.95)[2] > gain_interval(gain, apart, 0.95)[2]


def test_one_cluster_has_no_interval():
    one = np.zeros(3, dtype=np.int64)
    assert np.isnan(rate_interval(np.ones(3, dtype=bool), one, 0.95)).all()
    assert np.isnan(gain_interval(np.ones(3, dtype=np.int64), one, 0.95)).all()
    assert shared_out(np.zeros(0), np.zeros(0, dtype=np.int64)) is None


def test_weights_count():
    found = shared_out(np.array([1.0, 0.0]), np.array([0, 1]), np.array([3.0, 1.0]))
    assert (found.value, found.n, found.clusters) == (0.75, 4.0, 2)
