from __future__ import annotations

import math

import numpy as np
import pytest

from quorate.estimate.agreement.yardsticks import mean_of, more_labels, share_of, split_half
from quorate.numerics.votes.binomial import wilson


def test_a_share_of_whole_verdicts_has_about_wilsons_interval():
    found = share_of(np.repeat([1.0, 0.0], [150, 50]), 0.95, np.arange(200))
    assert found.value == 0.75
    assert (found.low, found.high) == pytest.approx([float(end) for end in wilson(150, 200, 0.95)], abs=2e-3)
    averaged = share_of(np.repeat([0.8, 0.7], [100, 100]), 0.95, np.arange(200))  # differ less than whole verdicts do
    assert averaged.high - averaged.low < 0.03
    assert share_of(np.ones(20), 0.95, np.arange(20)).low < 0.9
    assert math.isnan(share_of(np.array([np.nan]), 0.95, np.arange(1)).value)


def test_a_mean_has_students_interval():
    found = mean_of(np.array([1.0, 2.0, 3.0, np.nan]), 0.95, np.arange(4))
    assert (found.value, found.high) == pytest.approx((2.0, 2.0 + 4.302653 / math.sqrt(3)))


def test_more_labels_are_those_that_a_normal_test_needs():
    gains = np.repeat([1.0, -1.0, 0.0], [12, 8, 80])
    needed = ((1.959964 + 1.281552) * gains.std(ddof=1) / 0.04) ** 2
    assert more_labels(gains, 0.95, np.arange(100)) == math.ceil(needed) - 100
    assert math.isinf(more_labels(np.array([1.0, -1.0]), 0.95, np.arange(2)))


def test_the_best_configuration_of_one_half_is_tested_on_the_other():
    right = np.column_stack([np.ones(10), np.zeros(10)])
    found = split_half(right, np.full(10, 0.5), np.arange(10), 40, 0.95, np.random.default_rng(1))
    assert (found.apparent, found.chosen.value, found.lift.value, found.left.value) == (1.0, 1.0, 0.5, -0.5)
    noisy = np.random.default_rng(2).integers(0, 2, (60, 5)).astype(float)
    other = split_half(noisy, noisy.mean(axis=1), np.arange(60), 100, 0.95, np.random.default_rng(1))
    assert other.lift.low < 0 < other.lift.high
    assert other.apparent > other.chosen.value


def test_copies_in_one_cluster_add_nothing():
    """Items that each come three times, in clusters, have the intervals of the items once."""
    once, cluster = np.random.default_rng(3).random(40), np.arange(40)
    thrice, copies = np.repeat(once, 3), np.repeat(cluster, 3)
    for measure in (share_of, mean_of):
        alone, together = measure(once, 0.95, cluster), measure(thrice, 0.95, copies)
        assert (together.value, together.low, together.high) == pytest.approx((alone.value, alone.low, alone.high))
        assert measure(thrice, 0.95, np.arange(120)).high < together.high
    assert math.isnan(mean_of(thrice, 0.95, np.zeros(120, dtype=int)).low)
