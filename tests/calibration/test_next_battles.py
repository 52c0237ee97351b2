"""Drawn battles: votes saved at equal error, and coverage, against equal chances and against the rule of Chatbot Arena.

Every figure of ``docs/methods/next-battles.md`` is printed by ``-s``; the large runs are also marked ``slow``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import ndtri

import quorate as q
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.next_vote import RIDGE, drawn, information, proportions, shrunk
from quorate.numerics.ratings.ties import tie_model
from quorate.table.facets import Facet
from quorate.table.votes import Votes

TINY = 1e-6
"""Ridge of estimates, so that a pair of a small board that never lost has a rating."""


class Boards(NamedTuple):
    """Votes on many boards of one law, round by round; shape (rounds, boards, pairs)."""

    strengths: np.ndarray
    a: np.ndarray
    b: np.ndarray
    wins: np.ndarray
    votes: np.ndarray
    chance: np.ndarray


def normal(systems, sd):
    """Strengths at the quantiles of a normal law, best first."""
    at = -ndtri((np.arange(systems) + 0.5) / systems)
    return at / at.std() * sd


def arena(wins, votes):
    """Chances as the fall of the width of the interval of the win rate of a pair by one vote (Chiang et al. 2024)."""
    share = (wins + 0.5) / (votes + 1)
    spread = share * (1 - share)
    worth = np.sqrt(spread / (votes + 1)) - np.sqrt(spread / (votes + 2))
    return worth / worth.sum(axis=1, keepdims=True)


def collected(rule, strengths, n, boards, rng, batch=200, odd=0.0, floor=0.2):
    """Votes by a rule on so many boards; ``odd`` is how far the gap of each pair is off the model."""
    a, b = np.triu_indices(len(strengths), 1)
    gap = strengths[a] - strengths[b] + odd
    design, shape = Design(len(strengths), a, b, np.zeros(1), tie_model("half")), (boards, len(a))
    wins, votes, parts = np.zeros(shape), np.zeros(shape), []
    for first in range(0, n, batch):
        size = min(batch, n - first)
        chance = np.full(shape, 1 / len(a))
        if rule == "arena" and first:
            chance = arena(wins, votes)
        elif rule in ("A", "D") and first:
            counts = np.stack([wins, votes - wins, 0 * wins], axis=-1).transpose(1, 2, 0)[None]
            rating = fit(design, counts, RIDGE, tol=1e-4).theta[: len(strengths)].T
            p = 1 / (1 + np.exp(rating[:, b] - rating[:, a]))
            held = information(votes * p * (1 - p), a, b, len(strengths))
            rating = shrunk(rating, held)
            p = 1 / (1 + np.exp(rating[:, b] - rating[:, a]))
            best = proportions(p * (1 - p), held, n - first, a, b, rule)
            chance = floor / len(a) + (1 - floor) * best
        count = np.array([np.bincount(drawn(own, size, rng), minlength=len(a)) for own in chance])
        won = rng.binomial(count, 1 / (1 + np.exp(-gap)))
        wins, votes = wins + won, votes + count
        parts.append((won, count, chance))
    return Boards(strengths, a, b, *(np.array(part, dtype=float) for part in zip(*parts, strict=True)))


def weights(boards, how):
    """Weights of `quorate.estimate.ratings.rank`, by round, board and pair."""
    if how == "none":
        return np.ones_like(boards.chance)
    if how == "uniform":
        return 1 / boards.chance
    inverse = 1 / np.sqrt(boards.chance)
    total = boards.votes.sum(axis=0)
    mean = (boards.votes * inverse).sum(axis=0) / np.maximum(total, 1)
    return inverse / np.where(total > 0, mean, 1)


def ratings(boards, how):
    """Ratings of every board, shape (boards, systems)."""
    weight, size = weights(boards, how), len(boards.strengths)
    won, lost = ((weight * part).sum(axis=0) for part in (boards.wins, boards.votes - boards.wins))
    counts = np.stack([won, lost, 0 * won], axis=-1).transpose(1, 2, 0)[None]
    design = Design(size, boards.a, boards.b, np.zeros(1), tie_model("half"))
    found = fit(design, counts, TINY, tol=1e-6)
    return found.theta[:size].T - found.theta[:size].mean(axis=0)[:, None]


def errors(boards, how):
    """Squared errors of each board: of ratings about their mean, and of the differences of neighbours."""
    off = ratings(boards, how) - boards.strengths
    return np.square(off).sum(axis=1), np.square(np.diff(off, axis=1)).sum(axis=1)


def saved(n, rule, how, strengths, boards, rng, share=0.83):
    """Errors by a rule with a share of the votes, over those with all and equal chances, each with its error."""
    equal = errors(collected("equal", strengths, n, boards, rng), "none")
    found = errors(collected(rule, strengths, int(share * n), boards, rng), how)
    ratio = [one.mean() / other.mean() for one, other in zip(found, equal, strict=True)]
    relative = [
        np.hypot(*(part.std() / part.mean() for part in both)) / boards**0.5 for both in zip(found, equal, strict=True)
    ]
    return np.array(ratio), np.array(ratio) * np.array(relative)


@pytest.mark.parametrize("sd", [1.5, pytest.param(2.0, marks=pytest.mark.slow)])
def test_17_percent_of_votes_are_saved_on_spread_boards(sd):
    ratio, error = saved(4000, "A", "stabilised", normal(20, sd), 120, np.random.default_rng(3))
    print(f"sd {sd}: error with 83% of the votes {ratio.round(3)} +- {error.round(3)} of that with equal chances")
    assert (ratio < 1 + 2 * error).all()


def test_nothing_is_lost_between_equal_systems():
    ratio, error = saved(4000, "A", "stabilised", np.zeros(20), 120, np.random.default_rng(4), share=1.0)
    print(f"equal systems: {ratio.round(3)} +- {error.round(3)}")
    assert (ratio < 1.02 + 2 * error).all()


def table(boards, board):
    """The votes on one board as read, with their propensities."""
    size = boards.votes[:, board].astype(int)
    at, pair = (np.repeat(part.ravel(), size.ravel()) for part in np.indices(size.shape))
    won = np.concatenate(
        [np.arange(count) < wins for count, wins in zip(size.ravel(), boards.wins[:, board].ravel(), strict=True)]
    )
    values, code = np.unique(boards.chance[:, board][at, pair], return_inverse=True)
    return Votes(
        models=tuple(f"s{i:02}" for i in range(len(boards.strengths))),
        model_a=boards.a[pair].astype(np.int32),
        model_b=boards.b[pair].astype(np.int32),
        outcome=np.where(won, 0, 1).astype(np.int8),
        swapped=np.zeros(len(pair), dtype=bool),
        facets=(Facet("propensity", "propensity", tuple(map(repr, values.tolist()))),),
        codes={"propensity": code.astype(np.int32)},
    )


def covered(boards, truth, how):
    """Shares of intervals that hold: of ratings, and of differences of neighbours."""
    held = []
    for board in range(boards.wins.shape[1]):
        found = q.rank(table(boards, board), ties="drop", reweight=how)
        place = [int(name[1:]) for name in found.systems]
        own = (found.intervals[:, 0] <= truth[place]) & (truth[place] <= found.intervals[:, 1])
        gaps = [
            low <= truth[i] - truth[i + 1] <= high
            for i in range(len(truth) - 1)
            for low, high in [found.difference(f"s{i:02}", f"s{i + 1:02}").ends]
        ]
        held.append((own.mean(), np.mean(gaps)))
    return np.array(held)


def target(strengths, odd):
    """The board of equal chances: ratings nearest to the win rates of all pairs, each as often."""
    a, b = np.triu_indices(len(strengths), 1)
    p = 1 / (1 + np.exp(strengths[b] - strengths[a] - odd))
    counts = np.column_stack([p, 1 - p, 0 * p])[None, :, :, None]
    theta = fit(Design(len(strengths), a, b, np.zeros(1), tie_model("half")), counts).theta[: len(strengths), 0]
    return theta - theta.mean()


@pytest.mark.parametrize("rule", ["A", "D"])
def test_intervals_hold_where_the_model_does(rule):
    strengths = normal(12, 1.5)
    boards = collected(rule, strengths, 2000, 60, np.random.default_rng(6), batch=100)
    held = covered(boards, strengths, "stabilised")
    print(f"{rule}: ratings {held[:, 0].mean():.3f}, neighbours {held[:, 1].mean():.3f}")
    assert (np.abs(held.mean(axis=0) - 0.95) < 0.02 + 2 * held.std(axis=0) / len(held) ** 0.5).all()


@pytest.mark.slow
@pytest.mark.parametrize("sd", [0, 0.5, 1, 1.5, 2])
def test_errors_of_every_rule_and_weight(sd):
    """The table of the page, which has 600 boards."""
    strengths, rng, boards = normal(20, 1.0) * sd, np.random.default_rng(11), 150
    equal, found = errors(collected("equal", strengths, 4000, boards, rng), "none"), {}
    for rule in ("A", "D", "arena"):
        drawn_by = collected(rule, strengths, 4000, boards, rng)
        for how in ("none", "stabilised", "uniform"):
            off = errors(drawn_by, how)
            found[rule, how] = np.array([one.mean() / other.mean() for one, other in zip(off, equal, strict=True)])
            print(f"spread {sd}, {rule}, {how}: {found[rule, how].round(2)}")
    assert (found["A", "stabilised"] < found["arena", "uniform"] + 0.1).all()
    assert (found["A", "stabilised"] < 1.15).all()


@pytest.mark.slow
def test_where_the_model_does_not_hold_uniform_weights_are_of_the_board_of_equal_chances():
    """Gaps of pairs that are off by half a unit of log odds, which no ratings have."""
    strengths, rng = normal(12, 1.5), np.random.default_rng(5)
    odd = 0.5 * rng.normal(size=66)
    truth = target(strengths, odd)
    boards = collected("A", strengths, 2000, 100, rng, batch=100, odd=odd, floor=0.5)
    off = {how: (ratings(boards, how) - truth).mean(axis=0) for how in ("none", "stabilised", "uniform")}
    bias = {how: float(np.square(one).sum() ** 0.5) for how, one in off.items()}
    held = covered(boards, truth, "uniform")
    print(bias, held.mean(axis=0))
    assert bias["uniform"] < 0.6 * bias["none"]
    assert (np.abs(held.mean(axis=0) - 0.95) < 0.02 + 2 * held.std(axis=0) / len(held) ** 0.5).all()
