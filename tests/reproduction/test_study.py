from __future__ import annotations

import numpy as np
import pytest

from quorate.reproduction.study import mean, share


def test_means_leave_out_what_failed():
    draws = np.array([1.0, 2.0, 3.0, np.nan])
    assert mean(draws, 100) == pytest.approx((200.0, 100 / np.sqrt(3)))
    assert np.isnan(mean(np.array([1.0, np.nan])).value)


def test_shares_have_an_error_even_where_all_agree():
    assert share(np.array([1, 0, 1, 1, np.nan])).value == pytest.approx(75)
    assert share(np.ones(100)).error == pytest.approx(100 * np.sqrt(0.995 * 0.005 / 100), rel=0.01)
    assert np.isnan(share(np.array([np.nan])).value)
