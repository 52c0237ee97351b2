"""Standings: how often a false order is ever stated, at any look, of boards with and without equal systems."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from quorate.decide.stop import monitor_all
from quorate.numerics.sequential.confidence_sequence import prior, share_log_evidence
from quorate.table.read_votes import read_votes

ROOM = 3.0
"""Standard errors of a simulated chance."""


def ever_false(strengths, n, runs, rng):
    """Chance that a false order is ever stated of some pair, and orders stated without steps and with them.

    ``n`` votes on each pair, by the rule of `monitor_all`.
    """
    first, second = np.triu_indices(len(strengths), 1)
    share = 1 / (1 + np.exp(strengths[second] - strengths[first]))
    pairs, steps = len(first), np.arange(1.0, n + 1)
    left = np.log((pairs - np.arange(pairs + 1) / 2) / 0.05)
    stated, wrong = np.zeros((2, pairs + 1, pairs, runs), dtype=bool)
    for k, p in enumerate(share):
        wins = np.cumsum(rng.random((runs, n)) < p, axis=1)
        evidence = share_log_evidence(wins, steps, 0.5, prior(0.1))
        for decided, limit in enumerate(left):
            crossed = evidence >= limit
            at = crossed.argmax(axis=1)
            stated[decided, k] = crossed.any(axis=1)
            up = wins[np.arange(runs), at] > (at + 1) / 2
            wrong[decided, k] = stated[decided, k] & ((p == 0.5) | (up != (p > 0.5)))
    decided = np.zeros(runs, dtype=int)
    for _ in range(pairs):
        decided = stated[decided, :, np.arange(runs)].sum(axis=1)
    false = wrong[decided, :, np.arange(runs)].any(axis=1)
    return false.mean(), stated[0].sum(axis=0).mean(), decided.mean()


@pytest.mark.parametrize(
    ("strengths", "most"),
    [(np.zeros(6), 0.05), (np.repeat([0.0, 0.8], 3), 0.05), (np.linspace(0, 0.2, 6), 0.05)],
    ids=["all equal", "two tiers", "close"],
)
def test_a_false_order_is_ever_stated_with_at_most_the_chance_that_is_said(strengths, most):
    runs = 2000
    chance, plain, stepped = ever_false(strengths, 1500, runs, np.random.default_rng(5))
    print(f"chance of ever a false order: {chance:.4f}; orders stated {plain:.3f}, by steps {stepped:.3f}")
    assert stepped >= plain
    assert chance <= most + ROOM * np.sqrt(most * (1 - most) / runs)


def test_the_rule_that_is_simulated_is_that_of_the_board():
    """The same votes, one board at a time."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        won = rng.random((3, 400)) < 0.58
        pairs = [("x", "y"), ("x", "z"), ("y", "z")]
        rows = [
            {"model_a": a, "model_b": b, "winner": "model_a" if won[at, row] else "model_b"}
            for row in range(400)
            for at, (a, b) in enumerate(pairs)
        ]
        found = monitor_all(read_votes(pl.DataFrame(rows), announce=False))
        evidence = share_log_evidence(np.cumsum(won, axis=1), np.arange(1.0, 401), 0.5, prior(0.1))
        stated = set()
        for _ in pairs:
            limit = np.log((3 - len(stated) / 2) / 0.05)
            stated |= {pair for pair, row in zip(pairs, evidence, strict=True) if row.max() >= limit}
        assert {tuple(sorted(pair)) for pair in found.ordered} == stated


def test_votes_of_judges_with_tastes_of_their_own():
    """Twenty judges who each lean by .15: looks at 50, 100 and 200 votes by clusters, equal systems."""
    rng, runs, wrong = np.random.default_rng(11), 120, 0
    pairs = [("x", "y"), ("x", "z"), ("y", "z")]
    for _ in range(runs):
        columns = {"model_a": [], "model_b": [], "winner": [], "judge": []}
        for a, b in pairs:
            lean = np.clip(0.5 + 0.15 * rng.standard_normal(20), 0.02, 0.98)
            judge = rng.permutation(np.repeat(np.arange(20), 10))
            columns["model_a"] += [a] * 200
            columns["model_b"] += [b] * 200
            columns["winner"] += np.where(rng.random(200) < lean[judge], "model_a", "model_b").tolist()
            columns["judge"] += [f"j{one}" for one in judge]
        wrong += bool(monitor_all(read_votes(pl.DataFrame(columns), announce=False)).ordered)
    print(f"chance of ever a false order: {wrong / runs:.4f}")
    assert wrong / runs <= 0.05 + ROOM * np.sqrt(0.05 * 0.95 / runs)
