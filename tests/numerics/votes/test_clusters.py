from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from quorate.numerics.votes import binomial, clusters
from quorate.numerics.votes import clusters as of_clusters
from quorate.numerics.votes.clusters import Clusters, cluster_power, gather, rejects_votes
from quorate.numerics.votes.power import exact_power


def numbered(wins, votes, pair=None):
    wins = np.asarray(wins, dtype=float)
    pair = np.zeros(len(wins), dtype=int) if pair is None else np.asarray(pair)
    return Clusters(pair, wins, np.asarray(votes, dtype=float), int(pair.max()) + 1)


def test_gather_keeps_pairs_apart():
    found = gather(
        np.array([0, 0, 1, 0]), np.array([5, 5, 5, 2]), np.array([1, 0, 1, 1.0]), np.array([1, 2, 3, 1.0]), 2
    )
    assert found.count.tolist() == [2, 1]
    assert sorted(zip(found.pair.tolist(), found.wins.tolist(), found.votes.tolist(), strict=True)) == [
        (0, 1, 1),
        (0, 1, 3),
        (1, 3, 3),
    ]


@pytest.mark.slow
def test_design_effect_is_one_on_average_for_votes_dealt_at_random():
    rng, sizes = np.random.default_rng(1), np.array([1, 1, 2, 5, 9, 30])
    owner, outcome = np.repeat(np.arange(6), sizes), np.repeat([0.0, 1.0], [20, 28])
    dealt = [numbered(np.bincount(owner, rng.permutation(outcome)), sizes) for _ in range(4000)]
    found = np.array([of_clusters.design_effect(one.sums)[0] for one in dealt])
    assert found.mean() == pytest.approx(1.0, abs=4 * found.std() / np.sqrt(4000))


def test_design_effect_of_copies_is_their_number():
    """Each vote given m times is worth one; the correction for few clusters is (n - 1) / (n - m)."""
    one = np.repeat([0.0, 1.0], [40, 60])
    found = of_clusters.design_effect(numbered(3 * one, np.full(100, 3)).sums)
    assert found[0] == pytest.approx(3 * (300 - 1) / (300 - 3))
    assert of_clusters.icc(numbered(3 * one, np.full(100, 3)).sums)[0] == pytest.approx(1.0)


def test_icc_by_hand():
    """Clusters with 2, 1, 0 and 2 wins of two votes: the analysis of variance of the eight votes."""
    found = numbered([2, 1, 0, 2], [2, 2, 2, 2])
    votes = np.array([[1, 1], [1, 0], [0, 0], [1, 1.0]])
    between = 2 * votes.mean(axis=1).var(ddof=1)
    within = votes.var(axis=1, ddof=1).mean()
    assert of_clusters.mean_squares(found.sums) == (pytest.approx(between), pytest.approx(within), pytest.approx(2.0))
    assert of_clusters.icc(found.sums)[0] == pytest.approx((between - within) / (between + within))
    assert of_clusters.between(found.sums)[0] == pytest.approx((between - within) / 2)


def test_icc_of_unlike_clusters_by_hand():
    """Snedecor and Cochran's size for clusters that differ, (n - sum n_j^2 / n) / (k - 1); pairs do not mix."""
    sizes, wins = np.array([1, 3, 8]), np.array([1, 2, 2])
    votes = [np.repeat([1.0, 0.0], [k, n - k]) for k, n in zip(wins, sizes, strict=True)]
    mean, own = np.concatenate(votes).mean(), np.array([one.mean() for one in votes])
    between = sizes @ (own - mean) ** 2 / 2
    within = sum(((one - one.mean()) ** 2).sum() for one in votes) / (12 - 3)
    size = (12 - (1 + 9 + 64) / 12) / 2
    found = numbered([*wins, 2, 0], [*sizes, 2, 2], [0, 0, 0, 1, 1]).sums
    assert [one[0] for one in of_clusters.mean_squares(found)] == pytest.approx([between, within, size])
    assert of_clusters.icc(found) == pytest.approx([(between - within) / (between + (size - 1) * within), 1.0])


def test_without_repeats_there_is_no_icc():
    single = numbered([1, 0, 1, 1], [1, 1, 1, 1])
    assert np.isnan(of_clusters.icc(single.sums)).all()
    assert np.isnan(of_clusters.between(single.sums)).all()
    spread, noise = of_clusters.plain_variances(single)
    assert spread[0] == pytest.approx(np.var([1, 0, 1, 1], ddof=1))
    assert noise[0] == 0.0


def test_unanimous_votes_have_no_design_effect():
    assert np.isnan(of_clusters.design_effect(numbered([2, 3], [2, 3]).sums)).all()


@pytest.mark.slow
def test_halves_of_dependent_votes_differ_too_often_unless_clusters_are_allowed_for():
    rng = np.random.default_rng(2)
    copies = numbered(4.0 * rng.integers(2, size=2000), np.full(2000, 4), np.repeat(np.arange(20), 100))
    plain, sandwich = of_clusters.half_misses(copies, 0.05, 200, rng)
    assert plain.mean() == pytest.approx(0.327, abs=0.03)  # 2 (1 - pnorm(1.96 / 2))
    assert sandwich.mean() == pytest.approx(0.05, abs=0.012)


def test_two_halves_differ_by_welchs_test_and_by_that_of_two_shares():
    """The very halves, by the p-values of SciPy: the level from which on each test says that they differ."""
    rng = np.random.default_rng(3)
    votes = rng.integers(1, 7, 24)
    wins = rng.binomial(votes, rng.choice([0.2, 0.8], 24))
    half = np.random.default_rng(8).integers(2, size=24) > 0
    shares, variances, freedom = [], [], []
    for own in (half, ~half):
        n, count = votes[own].sum(), own.sum()
        shares.append(wins[own].sum() / n)
        variances.append(count / (count - 1) * ((wins - shares[-1] * votes)[own] ** 2).sum() / n**2)
        freedom.append(n**2 / (votes[own] ** 2).sum() - 1)
    gap, (v, w) = abs(shares[0] - shares[1]), variances
    df = (v + w) ** 2 / (v**2 / freedom[0] + w**2 / freedom[1])
    pooled = wins.sum() / votes.sum() * (1 - wins.sum() / votes.sum())
    alone = gap / np.sqrt(pooled * (1 / votes[half].sum() + 1 / votes[~half].sum()))
    found = [2 * stats.norm.sf(alone), 2 * stats.t.sf(gap / np.sqrt(v + w), df)]
    for at, p in enumerate(found):
        said = [
            of_clusters.half_misses(numbered(wins, votes), p * by, 1, np.random.default_rng(8)) for by in (0.99, 1.01)
        ]
        assert [one[at][0] for one in said] == [0, 1]


def test_one_cluster_cannot_be_split():
    plain, sandwich = of_clusters.half_misses(numbered([3.0], [5.0]), 0.05, 3, np.random.default_rng(1))
    assert np.isnan(plain).all()
    assert np.isnan(sandwich).all()


RESAMPLES = 20_000


def pools(wins, votes, pairs=1):
    pair = np.repeat(np.arange(pairs), len(wins) // pairs)
    return Clusters(pair, np.asarray(wins, dtype=float), np.asarray(votes, dtype=float), pairs)


def test_single_votes_have_the_power_of_independent_ones():
    single = pools(np.tile(np.repeat([0, 1], [40, 60]), 2), np.ones(200), pairs=2)
    found = cluster_power(single, [50, 200], 0.05, RESAMPLES, np.random.default_rng(1))
    assert found.votes == pytest.approx(exact_power(np.array([0.6, 0.6]), [50, 200], 0.05), abs=0.016)
    assert found.missed_votes == pytest.approx(np.full((2, 2), 0.05), abs=0.02)


def test_copies_have_the_power_of_a_part_and_their_intervals_miss():
    """Every vote three times: 300 votes are worth 100, and an interval that counts 300 is too short by sqrt(3)."""
    copies = pools(3 * np.repeat([0, 1], [400, 600]), np.full(1000, 3))
    found = cluster_power(copies, [300], 0.05, RESAMPLES, np.random.default_rng(2))
    assert found.clusters[0, 0] == pytest.approx(float(exact_power(np.array([0.6]), [100], 0.05)[0, 0]), abs=0.08)
    assert found.missed_votes[0, 0] == pytest.approx(0.258, abs=0.03)  # 2 (1 - pnorm(1.96 / sqrt(3)))
    assert found.missed_clusters[0, 0] == pytest.approx(0.05, abs=0.015)


def test_few_clusters_never_reject():
    unanimous = pools([9, 9], [9, 9])
    found = cluster_power(unanimous, [18, 36, 47, 54], 0.05, 10, np.random.default_rng(3))
    assert found.clusters[0].tolist() == [0.0, 0.0, 0.0, 1.0]  # 2, 4, 5 and 6 clusters


def test_counts_beyond_the_first_table():
    """One cluster is far larger than the rest: a study may hold many times its budget."""
    uneven = pools([0, 1, 0, 300], [1, 1, 1, 600])
    found = cluster_power(uneven, [10], 0.05, 200, np.random.default_rng(4))
    assert 0 <= found.votes[0, 0] <= 1


def test_half_wins_reject_as_the_exact_test_does():
    sums = np.array([[5.0, 20, 0, 0, 0], [5.5, 20, 0, 0, 0], [15.0, 20, 0, 0, 0], [10.0, 20, 0, 0, 0]])
    critical = binomial.critical_value(np.arange(21), 0.05)
    assert critical[20] == 5  # R: qbinom(.025, 20, .5) - 1
    assert rejects_votes(sums, critical).tolist() == [True, False, True, False]


PAIR = np.repeat([0, 1], [5, 4])
WINS = np.array([2.0, 1, 0, 3, 1, 4, 2, 1, 0])
VOTES = np.array([3.0, 2, 1, 3, 2, 4, 4, 2, 1])
CLUSTERS = Clusters(PAIR, WINS, VOTES, 2)
BLOCK = np.array([0, 1, 2, 3, 4, 0, 1, 2, 3])


@pytest.fixture
def signal_sums():
    return clusters.block_sums(CLUSTERS, BLOCK, 5)


def test_the_squared_margin_is_the_mean_product_of_votes_of_different_clusters(signal_sums):
    for pair in (0, 1):
        own = pair == PAIR
        votes = [np.repeat([0.5, -0.5], [int(w), int(n - w)]) for w, n in zip(WINS[own], VOTES[own], strict=True)]
        products = np.concatenate([np.outer(a, b).ravel() for a, b in combinations(votes, 2)])
        assert clusters.square(signal_sums.sum(axis=0))[pair] == pytest.approx(products.mean())


def test_the_others_are_those_of_clusters(signal_sums):
    whole = signal_sums.sum(axis=0)
    assert clusters.between(whole) == pytest.approx(clusters.between(CLUSTERS.sums))
    assert clusters.effect(whole) == pytest.approx(np.maximum(clusters.design_effect(CLUSTERS.sums), 1))


def test_unanimous_votes_are_worth_one_each():
    whole = clusters.block_sums(Clusters(np.zeros(3, int), np.ones(3), np.ones(3), 1), np.arange(3), 3).sum(axis=0)
    assert clusters.effect(whole).tolist() == [1.0]
    assert clusters.square(whole).tolist() == [0.25]
    assert np.isnan(clusters.between(whole)).all()


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(1).normal(size=(12, 1))
    found = clusters.jackknife(np.column_stack([values, np.ones(12)]), lambda left: left[..., 0] / left[..., 1])
    assert found[:3] == pytest.approx((values.mean(), values.std(ddof=1) / np.sqrt(12), 11))
    assert found.left[3] == pytest.approx(np.delete(values, 3).mean())


@pytest.mark.parametrize(
    ("first", "second", "interval"),
    [
        # both errors 0: the ratio itself
        ((2.0, 0.0), (4.0, 0.0), (2.0, 2.0)),
        # Fieller by hand: (16 - 4 R^2 + ...): R^2 (4 - 1) - 16 R + (16 - 1) = 0
        ((2.0, 0.5), (4.0, 0.5), ((8 - np.sqrt(19)) / 3, (8 + np.sqrt(19)) / 3)),
        # the first is no more than noise: no upper end
        ((0.5, 0.5), (4.0, 0.5), ((2 - np.sqrt(4 + 0.75 * 15)) / -0.75, np.inf)),
        ((0.5, 0.5), (0.5, 0.5), (0.0, np.inf)),
        ((-1.0, 0.1), (2.0, 0.1), (0.0, np.inf)),
    ],
)
def test_the_interval_of_a_ratio(first, second, interval):
    assert clusters.ratio_interval(first, second, 0.0, 2.0) == pytest.approx(interval)


def test_the_interval_of_a_ratio_of_the_same_votes_is_the_ratio():
    assert clusters.ratio_interval((2.0, 0.5), (4.0, 1.0), 0.5, 2.0) == pytest.approx((2.0, 2.0))
