"""What one more vote tells, and proportions of the next ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as student

from quorate.numerics.ratings.next_vote import (
    RIDGE,
    GapVotes,
    covariance,
    drawn,
    equal_votes,
    gains,
    information,
    proportions,
    shrunk,
    spread,
)


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(3)
    a, b = np.triu_indices(7, 1)
    rating = rng.normal(size=7)
    p = 1 / (1 + np.exp(rating[b] - rating[a]))
    weight = p * (1 - p)
    return a, b, weight, information(weight * rng.integers(0, 30, len(a)), a, b, 7)


def test_gains_are_those_of_the_law_computed_again(board):
    a, b, weight, held = board
    law = covariance(held)
    found = {criterion: gains(weight, law, a, b, criterion) for criterion in ("A", "D")}
    mean = np.full((7, 7), 1 / 7)
    for pair in range(len(a)):
        one = np.zeros(len(a))
        one[pair] = weight[pair]
        after = covariance(held + information(one, a, b, 7))
        assert found["A"][pair] == pytest.approx(np.trace(law) - np.trace(after), rel=1e-9)
        fall = np.linalg.slogdet(law + mean)[1] - np.linalg.slogdet(after + mean)[1]
        assert found["D"][pair] == pytest.approx(fall, rel=1e-9)


@pytest.mark.parametrize("criterion", ["A", "D"])
def test_proportions_are_the_optimum(board, criterion):
    """The equivalence theorem: a vote is worth as much on every pair that gets votes, and no more on the others."""
    a, b, weight, held = board
    share = proportions(weight, held, 500, a, b, criterion)
    law = covariance(held + information(500 * weight * share, a, b, 7))
    worth = weight * spread(law if criterion == "D" else law @ law, a, b)
    at = share @ worth
    assert share.sum() == pytest.approx(1)
    assert worth.max() == pytest.approx(at, rel=0.02)
    assert np.allclose(worth[share > 0.05], at, rtol=0.02)


def test_equal_systems_get_equal_shares_and_a_new_one_gets_more():
    a, b = np.triu_indices(5, 1)
    equal, none = np.full(10, 0.25), np.zeros((5, 5))
    for criterion in ("A", "D"):
        assert np.allclose(proportions(equal, none, 100, a, b, criterion), 0.1)
        assert equal_votes(equal, none, 100, np.full(10, 0.1), a, b, criterion) == pytest.approx(100, rel=1e-6)
        held = information(np.where(b == 4, 0.0, 25.0), a, b, 5)
        share = proportions(equal, held, 20, a, b, criterion)
        assert share[b == 4].sum() > 0.9
        assert equal_votes(equal, held, 20, share, a, b, criterion) > 40


def test_two_systems_share_one_half_of_optimal_designs_of_three_far_apart():
    """A chain: with the ends far apart, votes between them tell nothing, and A gives both steps alike."""
    a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    share = proportions(np.array([0.2, 1e-6, 0.2]), np.zeros((3, 3)), 100, a, b, "A", ridge=1e-6)
    assert np.allclose(share, [0.5, 0, 0.5], atol=1e-3)


def test_ratings_that_vary_by_chance_alone_are_taken_as_equal():
    a, b = np.triu_indices(10, 1)
    rng = np.random.default_rng(5)
    for votes, sd, least, most in ((10.0, 0.0, 0.0, 0.5), (10.0, 1.5, 0.9, 1.0), (1000.0, 0.3, 0.95, 1.0)):
        truth = rng.normal(size=10) * sd
        p = 1 / (1 + np.exp(truth[b] - truth[a]))
        held = information(votes * p * (1 - p), a, b, 10)
        rating = truth - truth.mean() + rng.multivariate_normal(np.zeros(10), np.linalg.pinv(held))
        rating = np.linalg.solve(held + RIDGE * np.eye(10), held @ rating)
        after = shrunk(rating, held)
        assert least <= after.std() / rating.std() <= most * 1.1
    none = np.zeros((3, 3))
    assert np.allclose(shrunk(np.zeros(3), none), 0)


def test_draws_have_their_chances():
    rng = np.random.default_rng(1)
    chance = np.array([0.5, 0.31, 0.002, 0.188])
    counts = np.array([np.bincount(drawn(chance, 10, rng), minlength=4) for _ in range(4000)])
    assert (counts.sum(axis=1) == 10).all()
    assert (np.abs(counts - 10 * chance) < 1).all()
    assert np.allclose(counts.mean(axis=0) / 10, chance, atol=0.002)
    assert len(set(map(tuple, (drawn(chance, 10, np.random.default_rng(s)).tolist() for s in range(5))))) > 1


def test_many_boards_at_once_are_each_by_itself(board):
    a, b, weight, held = board
    both = proportions(np.stack([weight, weight[::-1]]), np.stack([held, held]), 50, a, b, "A", RIDGE)
    assert np.allclose(both[0], proportions(weight, held, 50, a, b, "A"))


def test_by_a_normal_law_it_is_the_formula_of_a_sample_size():
    asked = GapVotes(4.0, math.inf, 0.95, 0.5, 0.9)
    assert asked.needed(0.0, 100) == math.ceil(4.0 * ((1.959964 + 1.281552) / 0.5) ** 2)
    width = GapVotes(4.0, math.inf, 0.95, 0.5, None)
    assert width.needed(0.0, 100) == math.ceil(4.0 * (1.959964 / 0.5) ** 2)


def test_few_degrees_of_freedom_take_more():
    few, many = (GapVotes(4.0, freedom, 0.95, 0.5, 0.9).needed(0.0, 100) for freedom in (0.05, 1.0))
    assert few > many


@pytest.mark.parametrize("freedom", [0.01, 0.02, 0.05])
def test_votes_of_few_clusters_are_as_many_as_their_own_degrees_of_freedom_ask_for(freedom):
    asked = GapVotes(5.0, freedom, 0.97, 1.3, 0.9)
    n = asked.needed(0.0, 90)
    quantiles = [student.ppf(0.985, max(freedom * votes, 1)) + 1.281552 for votes in (n, n - 1)]
    enough, fewer = (5.0 * (quantile / 1.3) ** 2 for quantile in quantiles)
    assert enough <= n
    assert fewer > n - 1


def test_what_judges_explain_saves_votes_until_they_have_no_more_battles():
    asked = GapVotes(4.0, math.inf, 0.95, 0.5, 0.9)
    alone = 4.0 * ((1.959964 + 1.281552) / 0.5) ** 2
    assert asked.needed(0.5, 1000) == pytest.approx(0.5 / (1 / alone - 0.5 / 1000), abs=1)
    assert asked.needed(0.5, 100) == math.ceil(alone)
    assert GapVotes(4.0, math.inf, 0.95, 0.0, 0.9).needed(0.0, 100) is None
