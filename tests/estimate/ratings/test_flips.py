"""Flips of ratings: what is left out by influence against trying all."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from quorate.estimate.ratings.flips import Flip, flips, flips_of_ratings
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.existence import exists

DESIGN = Design(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.zeros(1), ties=False)


def fewest(counts, most):
    """Fewest votes that flip the first, over all ways to leave out at most so many."""
    top = int(np.argmax(fit(DESIGN, counts[..., None]).theta[:3, 0]))
    ways = sorted((w for w in product(range(most + 1), repeat=6) if sum(w) <= most), key=sum)
    for gone in ways:
        left = counts.copy()
        left[0, :, :2] -= np.array(gone).reshape(3, 2)
        if (left >= 0).all() and exists(DESIGN, left[..., None])[0]:
            theta = fit(DESIGN, left[..., None]).theta[:3, 0]
            if theta.max() > theta[top] + 1e-9:
                return sum(gone)
    return None


@pytest.mark.parametrize("seed", range(8))
def test_it_is_at_most_one_vote_from_the_best(seed):
    rng = np.random.default_rng(seed)
    counts = np.zeros((1, 3, 3))
    counts[0, :, :2] = rng.integers(4, 12, (3, 2))
    top, flip = flips_of_ratings(DESIGN, counts, 2)
    best = fewest(counts, 5)
    assert top == int(np.argmax(fit(DESIGN, counts[..., None]).theta[:3, 0]))
    if best is not None:
        assert best <= flip.dropped <= best + 1
    assert sum(count for *_, count in flip.drops) == flip.dropped


@pytest.mark.parametrize(("seed", "fewest_votes"), [(2, 3), (5, 18), (8, 27), (13, 20)])
def test_no_vote_of_a_flip_could_stay(seed, fewest_votes):
    """Influence alone asks for 1 to 7 votes more than these, all of one kind."""
    counts = np.zeros((1, 3, 3))
    counts[0, :, :2] = np.random.default_rng(seed).integers(20, 60, (3, 2))
    top, flip = flips_of_ratings(DESIGN, counts, 2)
    ((winner, loser, dropped),) = flip.drops
    assert dropped == fewest_votes
    assert flips(DESIGN, counts, top, flip)
    assert not flips(DESIGN, counts, top, Flip(flip.system, dropped - 1, ((winner, loser, dropped - 1),)))


def test_a_vote_that_cannot_be_spared_is_passed_over():
    """z has beaten x once and y once: neither can go, and leaving out votes for z would leave it without a rating."""
    counts = np.zeros((1, 3, 3))
    counts[0, :, 0], counts[0, :, 1] = [4, 0, 1], [1, 1, 4]
    top, flip = flips_of_ratings(DESIGN, counts, 2)
    assert top == 2
    assert flip is None or flips(DESIGN, counts, top, flip)
    pair = Flip(0, 2, ((2, 0, 1), (2, 1, 1)))
    assert not flips(DESIGN, counts, top, pair) or flip is not None


def test_votes_without_which_there_are_no_ratings_stay():
    """Each of the others has beaten the first once; leaving out votes never leaves a system without ratings."""
    counts = np.zeros((1, 3, 3))
    counts[0, :, 0], counts[0, :, 1] = [9, 9, 5], [1, 1, 5]
    _, flip = flips_of_ratings(DESIGN, counts, 2)
    left = counts.copy()
    for winner, loser, count in flip.drops:
        pair = {(0, 1): 0, (0, 2): 1, (1, 2): 2}[min(winner, loser), max(winner, loser)]
        left[0, pair, int(winner > loser)] -= count
    theta = fit(DESIGN, left[..., None]).theta[:3, 0]
    assert exists(DESIGN, left[..., None])[0]
    assert theta[flip.system] > theta[0]
