from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quorate.decide.next_step import ClusteredVotes
from quorate.errors import InvalidInput
from quorate.estimate.votes.margin import margin_of_share
from quorate.numerics.votes import clustered
from quorate.planning.power.sample_size import sample_size


def studies(d, sizes, icc, **options):
    """Studies like one of known margin and variance."""
    n, p = np.asarray(sizes, dtype=float), 0.5 + d
    se = np.sqrt(p * (1 - p) * np.sum(n * (1 + (n - 1) * icc))) / n.sum()
    wins = np.round(n * p) + np.where(np.arange(len(n)) % 2, 1, -1) * (n > 1)
    found = margin_of_share(clustered.share(np.clip(wins, 0, n), n), "x", "y", cluster="prompt")
    return ClusteredVotes(replace(found, value=d, se=float(se)), n, 0.05, **options)


def clusters_of(made, votes):
    return round(votes * made.counting / made.sizes.mean())


def test_many_clusters_take_the_normal_number_and_two_more():
    made = studies(0.03, [4] * 400, 0.2)
    effect = 4 * 1600 * made.found.se**2
    assert made.difference(0.03, 0.9) / 4 == pytest.approx(sample_size(0.03, method="normal") * effect / 4 + 2, abs=1.5)


@pytest.mark.parametrize("d", [0.2, 0.4])
def test_few_clusters_are_as_many_as_draws_ask_for(d):
    made = studies(d, [10] * 100, 0.3)
    g = clusters_of(made, made.difference(d, 0.9))
    assert made.drawn(g, d, None) >= 0.9
    assert g >= 6  # fewer never show a difference at 5%


def test_uneven_clusters_take_more():
    even, uneven = studies(0.3, [5] * 90, 0.2), studies(0.3, [1, 1, 13] * 30, 0.2)
    assert clusters_of(uneven, uneven.difference(0.3, 0.9)) > clusters_of(even, even.difference(0.3, 0.9))


def test_equivalence_takes_five_clusters_and_its_power():
    made = studies(0.0, [30] * 50, 0.02)
    g = clusters_of(made, made.equivalence(0.45, 0.0, 0.9))
    assert g >= 5
    assert made.drawn(g, 0.0, 0.45) >= 0.9
    assert made.chance(30 * 4, 0.0, 0.45) == 0


def test_what_a_number_of_votes_does():
    made = studies(0.1, [4] * 100, 0.2, counting=0.5)
    margin = made.seen(2000, 0.9)
    assert made.chance(2000, margin, None) == pytest.approx(0.9, abs=1e-4)
    assert made.seen(4 * 2 * 5, 0.9) is None
    assert made.chance(4 * 2 * 5, 0.4, None) == 0
    assert made.chance(2000, 0.01, 0.1) > made.chance(2000, 0.05, 0.1)


def test_what_no_study_can_collect_is_refused():
    with pytest.raises(InvalidInput, match="2\\^53"):
        studies(0.1, [4] * 100, 0.2).difference(1e-9, 0.9)


def test_power_is_a_chance_however_far_the_margin_is_from_the_noise():
    made = studies(0.01, [50] * 200, 0.0001)
    chances = [made.chance(50 * g, d, 0.49) for g in range(5, 2000, 50) for d in (0.0, 0.01, 0.2, 0.48)]
    assert 0 <= min(chances) <= max(chances) <= 1


@pytest.mark.parametrize("margin", [None, 0.2])
@pytest.mark.parametrize("most", [1, 12])
def test_studies_at_once_are_judged_as_one_by_one(margin, most):
    """Also where all clusters agree, or are single votes: there the tests are exact."""
    rng = np.random.default_rng(most)
    sizes = rng.integers(1, most + 1, (300, 9)).astype(float)
    wins = rng.binomial(sizes.astype(int), rng.choice([0.5, 0.8, 1.0], (300, 1))).astype(float)
    made = studies(0.2, [6] * 30, 0.2)
    found = clustered.shares(wins, sizes)
    leads = [
        margin_of_share(clustered.share(*one), "a", "b", ties=made.found.ties, cluster="cluster")
        for one in zip(wins, sizes, strict=True)
    ]
    difference = [lead.value > 0 and lead.p_difference() <= made.alpha for lead in leads]
    alone = difference if margin is None else [lead.p_equivalence(margin) <= made.alpha for lead in leads]
    assert made._shown(found, margin).tolist() == alone
    assert 0 < sum(alone) < 300 or (margin is not None and most == 1)
