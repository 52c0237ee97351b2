from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.votes import binomial
from quorate.numerics.votes.clusters import Clusters, cluster_power, rejects_votes
from quorate.numerics.votes.power import exact_power

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
    found = cluster_power(unanimous, [18, 36, 54], 0.05, 10, np.random.default_rng(3))
    assert found.clusters[0].tolist() == [0.0, 0.0, 1.0]  # 2, 4 and 6 clusters


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
