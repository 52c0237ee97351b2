"""Ratings against simulated studies and real votes: how often intervals and ranks miss; leaderboards by language."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import quorate as q
from quorate.numerics.ratings import rank_intervals
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.rank_intervals import difference_se
from quorate.numerics.ratings.ties import tie_model
from quorate.table.facets import Facet
from quorate.table.votes import Votes

RATING = np.array([0.7, 0.4, 0.1, 0.05, -0.45, -0.8])
NU = 0.6
MODELS = tuple("abcdef")
FIRST, SECOND = np.array(list(combinations(range(len(MODELS)), 2))).T


def chances(gap):
    """Chances of a win of the first, of the second, and of a tie."""
    weight = np.stack([np.exp(gap / 2), np.exp(-gap / 2), np.full(np.shape(gap), NU)])
    return weight / weight.sum(axis=0)


def target(ties, spread):
    """What an endless study would rate, where gaps vary between clusters by a normal law."""
    node, weight = np.polynomial.hermite_e.hermegauss(40)
    gaps = (RATING[FIRST] - RATING[SECOND])[:, None] + spread * np.sqrt(2) * node
    expected = np.moveaxis(chances(gaps) @ weight / weight.sum(), 0, -1)
    if ties == "drop":
        expected[:, 2] = 0
    design = Design(len(RATING), FIRST, SECOND, np.zeros(1), tie_model(ties))
    return fit(design, expected[None, :, :, None]).theta[: len(RATING), 0]


def study(rng, sizes, spread):
    """Votes of clusters in which every system is better or worse than elsewhere."""
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    rating = RATING + spread * rng.normal(size=(len(sizes), len(RATING)))
    pair = rng.integers(len(FIRST), size=len(cluster))
    gap = rating[cluster, FIRST[pair]] - rating[cluster, SECOND[pair]]
    outcome = (rng.random(len(gap)) > np.cumsum(chances(gap), axis=0)).sum(axis=0)
    levels = Facet("prompt", "prompt", tuple(map(str, range(len(sizes)))))
    none = np.zeros(len(pair), dtype=bool)
    a, b = FIRST[pair].astype(np.int32), SECOND[pair].astype(np.int32)
    codes = {"prompt": cluster.astype(np.int32)}
    return Votes(MODELS, a, b, outcome.astype(np.int8), none, facets=(levels,), codes=codes)


def misses(ratings, truth):
    """Of rating intervals; whether the interval of a difference, any difference, any rank, or a given rank misses."""
    true = truth[[MODELS.index(name) for name in ratings.systems]]
    low, high = ratings.intervals.T
    gap = ratings.difference("a", "b").ends
    found, c = ratings.ranks, ratings.systems.index("c")
    apart = np.abs((ratings.rating[:, None] - ratings.rating) - (true[:, None] - true))
    rank = 1 + (true[None] > true[:, None]).sum(axis=1)
    return [
        float(np.mean((true < low) | (true > high))),
        not gap[0] <= truth[0] - truth[1] <= gap[1],
        bool((apart > found.critical * difference_se(ratings.covariance)).any()),
        bool(((rank < found.low) | (rank > found.high)).any()),
        not found.marginal_low[c] <= rank[c] <= found.marginal_high[c],
    ]


def plain_misses(ratings, truth):
    """Of the intervals that take the model for true and votes as independent."""
    true = truth[[MODELS.index(name) for name in ratings.systems]]
    low, high = ratings.using("model").intervals.T
    return float(np.mean((true < low) | (true > high)))


@pytest.mark.parametrize(
    ("sizes", "spread", "ties", "resamples", "studies"),
    [
        ([1] * 300, 0.0, "davidson", 0, 800),
        pytest.param([1] * 300, 0.0, "half", 0, 800, marks=pytest.mark.slow),
        pytest.param([10] * 100, 0.7, "davidson", 0, 800, marks=pytest.mark.slow),
        ([10] * 100, 0.7, "drop", 0, 800),
        pytest.param([10] * 30, 0.7, "davidson", 0, 800, marks=pytest.mark.slow),
        ([10] * 30, 0.7, "rao-kupper", 0, 800),
        ([5] * 60 + [40] * 10, 0.7, "davidson", 0, 800),
        ([25] * 12, 0.7, "davidson", 0, 800),
        ([10] * 100, 0.7, "davidson", 400, 800),
    ],
)
def test_coverage_of_ratings_and_ranks(sizes, spread, ties, resamples, studies, monkeypatch):
    monkeypatch.setattr(rank_intervals, "DRAWS", 2000)  # in each of many studies; the errors of few draws cancel
    rng = np.random.default_rng(5)
    truth = target(ties, spread)
    cluster = "prompt" if spread else None
    missed = []
    for seed in range(studies):
        ratings = q.rank(study(rng, sizes, spread), ties=ties, cluster=cluster, resamples=resamples, seed=seed)
        missed.append([*misses(ratings, truth), plain_misses(ratings, truth)])
    one, gap, every, ranks, rank, plain = 1 - np.mean(missed, axis=0)
    print(
        f"{len(sizes)} clusters of {min(sizes)} to {max(sizes)}, {ties}{', bootstrap' if resamples else ''}: ratings "
        f"{one:.3f} (model-based {plain:.3f}), one difference {gap:.3f}, all differences {every:.3f}, "
        f"all ranks {ranks:.3f}, one rank {rank:.3f}"
    )
    assert 0.93 <= one <= 0.97
    assert (0.93 if len(sizes) >= 30 else 0.9) <= every <= 0.98
    assert min(ranks, rank) >= 0.95


def rare_study(rng, seen):
    """Votes of 100 clusters of 20 on five systems that are equal but vary from cluster to cluster; "a" is in few."""
    cluster, other = np.repeat(np.arange(100), 20), rng.integers(1, 5, 2000)
    first = np.where(cluster < seen, 0, rng.integers(1, 5, 2000))
    second = np.where(cluster < seen, other, 1 + (first - 1 + rng.integers(1, 4, 2000)) % 4)
    first, second = np.minimum(first, second), np.maximum(first, second)
    rating = rng.normal(size=(100, 5))
    gap = rating[cluster, first] - rating[cluster, second]
    outcome = (rng.random(2000) > 1 / (1 + np.exp(-gap))).astype(np.int8)
    levels = Facet("prompt", "prompt", tuple(map(str, range(100))))
    a, b = first.astype(np.int32), second.astype(np.int32)
    codes = {"prompt": cluster.astype(np.int32)}
    return Votes(MODELS[:5], a, b, outcome, np.zeros(2000, dtype=bool), facets=(levels,), codes=codes)


@pytest.mark.parametrize("seen", [3, 8])
def test_a_system_seen_in_few_clusters(seen, monkeypatch):
    monkeypatch.setattr(rank_intervals, "DRAWS", 1000)
    rng, missed, claimed = np.random.default_rng(1), [], 0
    for seed in range(150):
        found = q.rank(rare_study(rng, seen), cluster="prompt", ties="drop", resamples=100, seed=seed)
        gaps = [one.difference("a", "b").ends for one in (found.using("cluster"), found)]
        missed.append([not low <= 0 <= high for low, high in gaps])
        claimed += bool(found.using("cluster").ranks.above.any())
    one, bootstrap = np.mean(missed, axis=0)
    print(
        f"in {seen} of 100 clusters: misses {one:.3f} (bootstrap {bootstrap:.3f}), any false claim {claimed / 150:.3f}"
    )
    assert one <= 0.1
    assert bootstrap <= 0.12
    assert claimed <= 0.1 * 150


@pytest.fixture(scope="module")
def languages(shared):
    votes = q.read_votes(shared / "data" / "wmt15_human_pairwise.parquet", announce=False)
    return {name: votes.only("prompt_type", name) for name in votes.facet("prompt_type").levels}


def test_leaderboards_by_language(languages):
    """Rankings of several translations give votes that depend on each other."""
    print(
        "| language | systems | votes | rankings | clustered over model-based se | groups |\n|---|---|---|---|---|---|"
    )
    for name, votes in languages.items():
        found = q.rank(votes, cluster="cluster")
        wider = float(np.median(found.se / found.using("model").se))
        groups = " / ".join(", ".join(group) for group in found.groups)
        (clusters,) = found.clusters
        print(f"| {name} | {len(found)} | {found.n:,} | {clusters:,} | {wider:.2f} | {groups} |")
        assert wider > 1.3
        assert len(found.groups) > 1
    for name, votes in languages.items():
        found = q.rank(votes, cluster="cluster")
        print(f"\n{name}\n\n| system | Elo | se | 95% interval | rank | group | best |\n|---|---|---|---|---|---|---|")
        for row in found.elo().to_dict()["systems"]:
            print(
                f"| {row['system']} | {row['rating']:.0f} | {row['se']:.1f} | {row['low']:.0f} to {row['high']:.0f} | "
                f"{row['rank_low']} to {row['rank_high']} | {row['group']} | {found.best[row['system']]:.3f} |"
            )
        assert all(found.ranks.low[0] == 1 <= found.ranks.low)


def test_halves_of_the_rankings_agree_as_often_as_their_intervals_say(languages):
    """Two halves rate the same systems, so no difference between them is real."""
    rng = np.random.default_rng(8)
    beyond, count = {"cluster": 0, "model": 0}, 0
    for votes in languages.values():
        for _ in range(10):
            half = rng.random(len(votes.facet("cluster").levels)) < 0.5
            two = [q.rank(votes.keep(mask[votes.column("cluster")]), cluster="cluster") for mask in (half, ~half)]
            place = [two[1].systems.index(name) for name in two[0].systems]
            apart = np.abs(two[0].rating - two[1].rating[place])
            for method in ("cluster", "model"):
                se = [one.using(method).se for one in two]
                beyond[method] += int((apart > 1.96 * np.hypot(se[0], se[1][place])).sum())
            count += len(place)
    clustered, plain = beyond["cluster"] / count, beyond["model"] / count
    print(f"halves differ: clustered {clustered:.3f}, model-based {plain:.3f} of {count} ratings")
    assert 0.03 <= clustered <= 0.07
    assert plain > 0.15
