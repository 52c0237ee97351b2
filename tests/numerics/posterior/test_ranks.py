from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from quorate.numerics.posterior.chains import band, rank, uniformity


def test_the_rank_is_how_many_draws_lie_below():
    draws = np.arange(990.0)
    assert [rank(truth, draws) for truth in (-1.0, 494.5, 2000.0)] == [0, 50, 99]


def test_uneven_ranks_have_the_p_value_of_chi_square():
    ranks = np.random.default_rng(1).integers(0, 100, 200) // 2
    found = uniformity(ranks)
    assert sum(found.counts) == 200
    assert found.counts[5:] == (0, 0, 0, 0, 0)
    assert found.p == pytest.approx(chisquare(found.counts).pvalue)


def test_all_bars_lie_in_the_band_nineteen_times_in_twenty():
    low, high = band(200)
    assert 1 - 10 * (binom.cdf(low - 1, 200, 0.1) + binom.sf(high, 200, 0.1)) >= 0.95
    counts = np.random.default_rng(1).multinomial(200, [0.1] * 10, 2000)
    assert np.mean(np.all((counts >= low) & (counts <= high), axis=1)) >= 0.95


@pytest.mark.parametrize("studies", [50, 200, 1000])
def test_the_band_is_the_narrowest_with_a_400th_beyond_each_end(studies):
    low, high = band(studies)
    assert binom.cdf(low - 1, studies, 0.1) < 0.0025 <= binom.cdf(low, studies, 0.1)
    assert binom.sf(high, studies, 0.1) <= 0.0025 < binom.sf(high - 1, studies, 0.1)
