"""Coverage of slopes of judges, ties of every system, and ratings beside them; and of ratings with normal errors."""

from __future__ import annotations

import numpy as np
import polars as pl

import quorate as q

RATING, SLOPE, TIES = np.array([0.9, 0.2, -0.3, -0.8]), np.array([1.9, 1, 0.1]), np.array([0.9, 0, -0.3, -0.6])
NAMES, PEOPLE = np.array(list("wxyz")), np.array(["ann", "bob", "cy"])
STUDIES = 150


def frame_of(rng, chances, votes=1500, **further):
    """Votes by chances of the three outcomes, given the pair and the judge."""
    a = rng.integers(4, size=votes)
    b = (a + rng.integers(1, 4, size=votes)) % 4
    judge = rng.integers(3, size=votes)
    outcome = (rng.random(votes) > np.cumsum(chances(a, b, judge), axis=0)).sum(axis=0)
    winner = np.array(["model_a", "model_b", "tie"])[np.minimum(outcome, 2)]
    columns = {"model_a": NAMES[a], "model_b": NAMES[b], "winner": winner, "judge": PEOPLE[judge]}
    frame = pl.DataFrame({**columns, **further, "prompt": np.arange(votes) % 150})
    return q.read_votes(frame, covariates=[*further], announce=False)


def davidson(a, b, judge):
    gap = SLOPE[judge] * (RATING[a] - RATING[b])
    weight = np.stack([np.exp(gap / 2), np.exp(-gap / 2), np.exp(-0.3 + (TIES[a] + TIES[b]) / 2)])
    return weight / weight.sum(axis=0)


def thurstone(a, b, judge):
    from scipy.special import ndtr

    gap = (RATING[a] - RATING[b]) / 2
    won, lost = ndtr(gap - 0.3), ndtr(-gap - 0.3)
    return np.stack([won, lost, 1 - won - lost])


def covered(interval, truth):
    low, high = interval
    return low <= truth <= high


def test_slopes_and_ties_of_every_system():
    rng, found = np.random.default_rng(4), {"slopes": [], "ties": [], "ratings": []}
    for _ in range(STUDIES):
        board = q.rank(frame_of(rng, davidson), discrimination="judge", ties_by_system=True, cluster="prompt")
        slopes, ties = board.slopes, board.tie_rates
        found["slopes"] += [covered(slopes[n].ends, t) for n, t in zip(PEOPLE, SLOPE, strict=True)]
        found["ties"] += [covered(ties[n].ends, t) for n, t in zip(NAMES, TIES - TIES.mean(), strict=True)]
        at = [board.systems.index(name) for name in NAMES]
        found["ratings"] += [covered(board.intervals[i], t) for i, t in zip(at, RATING, strict=True)]
    rates = {name: 100 * float(np.mean(one)) for name, one in found.items()}
    assert all(92 <= rate <= 98 for rate in rates.values()), rates


def test_slopes_with_covariates():
    """Coverage, and errors of moves against how they vary over studies."""
    rng, found, moved, errors = np.random.default_rng(6), {"slopes": [], "length": [], "ratings": []}, [], []
    for _ in range(80):
        length = rng.integers(-2, 3, size=1200)

        def chances(a, b, judge, length=length):
            gap = SLOPE[judge] * (RATING[a] - RATING[b]) + 0.4 * length
            weight = np.stack([np.exp(gap / 2), np.exp(-gap / 2), np.full(len(a), 0.6)])
            return weight / weight.sum(axis=0)

        votes = frame_of(rng, chances, 1200, length=length)
        board = q.rank(votes, discrimination="judge", covariates=["length"], cluster="prompt")
        slopes, one = board.slopes, board.coefficients["length"]
        found["slopes"] += [covered(slopes[n].ends, t) for n, t in zip(PEOPLE, SLOPE, strict=True)]
        found["length"].append(covered(one.ends, 0.4 * board.units[0]))
        at = [board.systems.index(name) for name in NAMES]
        found["ratings"] += [covered(board.intervals[i], t) for i, t in zip(at, RATING, strict=True)]
        moved.append(board.moves.value[at])
        errors.append(board.moves.se[at])
    rates = {name: 100 * float(np.mean(one)) for name, one in found.items()}
    ratio = np.mean(errors, axis=0) / np.std(moved, axis=0)
    print(rates, ratio.round(2))
    assert all(90 <= rate <= 99 for rate in rates.values()), rates
    assert np.abs(ratio - 1).max() < 0.25, ratio


def test_ratings_with_normal_errors():
    rng, found = np.random.default_rng(5), []
    for _ in range(STUDIES):
        board = q.rank(frame_of(rng, thurstone, 600), ties="glenn-david")
        at = [board.systems.index(name) for name in NAMES]
        found += [covered(board.intervals[i], t / 2) for i, t in zip(at, RATING, strict=True)]
    assert 92 <= 100 * np.mean(found) <= 98, np.mean(found)
