from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from quorate.numerics.ranks import ranks, spearman


def test_ranks_of_equal_values_are_their_mean():
    assert ranks([3.0, 1.0, 3.0, 2.0]).tolist() == [3.5, 1.0, 3.5, 2.0]


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scipy(seed):
    x, y = np.random.default_rng(seed).integers(8, size=(2, 40))
    assert ranks(x) == pytest.approx(rankdata(x))
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)


def test_what_does_not_vary_has_no_correlation():
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3]))
