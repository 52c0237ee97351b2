from __future__ import annotations

import numpy as np
import pytest

from quorate.reproduction.study import mean, ratio, share


def test_means_leave_out_what_failed():
    draws = np.array([1.0, 2.0, 3.0, np.nan])
    assert mean(draws, 100) == pytest.approx((200.0, 100 / np.sqrt(3)))
    assert np.isnan(mean(np.array([1.0, np.nan])).value)


def test_shares_have_an_error_even_where_all_agree():
    assert share(np.array([1, 0, 1, 1, np.nan])).value == pytest.approx(75)
    assert share(np.ones(100)).error == pytest.approx(100 * np.sqrt(0.995 * 0.005 / 100), rel=0.01)
    assert np.isnan(share(np.array([np.nan])).value)


def test_ratios_have_the_error_of_pairs():
    rng = np.random.default_rng(1)
    below = 5 + rng.normal(size=(600, 200))
    above = below + rng.normal(size=below.shape)
    found = [ratio(a, b) for a, b in zip(above, below, strict=True)]
    assert np.std([one.value for one in found]) == pytest.approx(np.mean([one.error for one in found]), rel=0.1)
    assert ratio(3 * below[0], below[0]) == pytest.approx((3.0, 0.0), abs=1e-12)
