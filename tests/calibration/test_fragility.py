"""How few votes hold the first place of real leaderboards, and of simulated ones that have no best."""

from __future__ import annotations

import numpy as np
from tables import votes_table

import quorate as q
from quorate.estimate.ratings.fragility import fragility


def test_leaderboards_of_translations(shared):
    votes = q.read_votes(shared / "data" / "wmt15_human_pairwise.parquet", announce=False)
    shares = []
    for language in votes.facet("prompt_type").levels:
        table = votes.only("prompt_type", language)
        rate, rating = fragility(table), fragility(table, by="bradley-terry")
        shares += [rate.share, rating.share]
        assert (rate.top, rate.contender) == (rating.top, rating.contender)
        print(
            f"{language}, {len(table.models)} systems, {rate.votes} votes: {rate.top} before {rate.contender} without "
            f"{rate.dropped} by win rate ({rate.share:.4f}), {rating.dropped} by rating ({rating.share:.4f})"
        )
    assert max(shares) < 0.03


def test_few_votes_are_what_chance_leaves():
    """20 equal systems, 100 votes a pair: the first place is chance, and a few in a thousand votes hold it."""
    rng, shares = np.random.default_rng(1), []
    pairs = [(f"s{i:02d}", f"s{j:02d}") for i in range(20) for j in range(i + 1, 20)]
    for _ in range(40):
        wins = rng.binomial(100, 0.5, len(pairs))
        rows = [(*pair, int(a), 100 - int(a)) for pair, a in zip(pairs, wins, strict=True)]
        shares.append(fragility(votes_table(rows, "model_a model_b a b", wins=("a", "b"))).share)
    print(f"equal systems: {np.median(shares):.5f} of the votes hold the first place in half of the studies")
    assert np.quantile(shares, 0.95) < 0.005
