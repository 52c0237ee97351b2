"""Partial pooling of boards: coverage of pooled ratings, and their error beside both extremes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tables import votes_table

import quorate as q

OVERALL = np.array([0.6, 0.2, -0.8])
SYSTEMS = "abc"
STUDIES, VOTES, CATEGORIES = 300, 40, 6


def study(rng, tau):
    """Votes of categories, and the ratings there about their mean."""
    rating = OVERALL + rng.normal(0, tau, (CATEGORIES, 3))
    rating -= rating.mean(axis=1, keepdims=True)
    rows = []
    for number, own in enumerate(rating):
        for i, j in ((0, 1), (0, 2), (1, 2)):
            won = rng.binomial(VOTES, 1 / (1 + np.exp(own[j] - own[i])))
            rows.append((f"c{number}", SYSTEMS[i], SYSTEMS[j], won, VOTES - won))
    votes = votes_table(rows, "category model_a model_b a b", wins=("a", "b"), facets={"category": "category"})
    return votes, {f"c{number}": dict(zip(SYSTEMS, own, strict=True)) for number, own in enumerate(rating)}


@pytest.mark.parametrize("tau", [0.15, 0.4])
def test_pooled_ratings_cover_and_are_nearer_than_both_extremes(tau):
    """A share of .95 in 300 studies of 18 ratings that depend on each other has a standard error of some .006."""
    rng, covered, off, spread = np.random.default_rng(11), [], [], []
    for _ in range(STUDIES // 2):
        votes, truth = study(rng, tau)
        pooled = q.rank(votes, by="category", pooled=True).pooled
        rows = pooled.rows()
        true = np.array([truth[row["category"]][row["system"]] for row in rows])
        columns = {
            name: np.array([row[name] for row in rows]) for name in rows[0] if name not in ("category", "system")
        }
        covered.append(((columns["pooled_low"] <= true) & (true <= columns["pooled_high"])).mean())
        off.append([((columns[name] - true) ** 2).mean() for name in ("pooled", "own", "overall")])
        spread.append(pooled.tau_low <= tau <= pooled.tau_high)
    error = np.std(covered) / np.sqrt(len(covered))
    squares = np.mean(off, axis=0)
    print(
        f"tau {tau}: coverage {np.mean(covered):.3f} ({error:.3f}), of tau {np.mean(spread):.3f}, "
        f"mean squared error pooled {squares[0]:.4f}, own {squares[1]:.4f}, overall {squares[2]:.4f}"
    )
    assert 0.93 <= np.mean(covered) <= 0.97
    assert error < 0.01
    assert squares[0] < squares[1:].min()
    assert np.mean(spread) > 0.95 - 2.6 * np.sqrt(0.95 * 0.05 / len(spread))


def test_few_clusters_do_not_make_categories_differ():
    """Six systems by 20 judges with tastes of their own; of 40 studies 5% and 2.6 standard errors are 14%."""
    rng, found = np.random.default_rng(3), []
    pair = np.array([(i, j) for i in range(6) for j in range(i + 1, 6)]).repeat(40, axis=0)
    for _ in range(40):
        parts = []
        for number in range(6):
            taste, judge = rng.normal(0, 0.5, (20, 6)), rng.integers(20, size=len(pair))
            gap = taste[judge, pair[:, 0]] - taste[judge, pair[:, 1]]
            votes = {"category": [f"c{number}"] * len(pair), "judge": [f"c{number}j{one}" for one in judge]}
            votes |= {
                name: [f"s{one}" for one in side] for name, side in zip(("model_a", "model_b"), pair.T, strict=True)
            }
            winner = np.where(rng.random(len(pair)) < 1 / (1 + np.exp(-gap)), "model_a", "model_b")
            parts.append(pl.DataFrame(votes | {"winner": winner}))
        table = q.read_votes(pl.concat(parts), facets={"category": "category"}, announce=False)
        pooled = q.rank(table, by="category", pooled=True, cluster="judge").pooled
        inside = [row["pooled_low"] <= 0 <= row["pooled_high"] for row in pooled.rows()]
        found.append((pooled.p_value < 0.05, np.mean(inside)))
    rejected, covered = np.mean(found, axis=0)
    print(f"20 judges, six systems: test rejects {rejected:.3f}, coverage {covered:.3f}")
    assert rejected <= 0.14
    assert covered >= 0.93
