from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from quorate.numerics.votes.binomial import divergence, errors, log_ratio


@pytest.mark.parametrize("threshold", [-50.0, -0.5, 0.0, 0.7, 50.0])
def test_errors_are_those_of_all_outcomes(threshold):
    """Six votes, one by one, with margins of both signs: every outcome with its chance."""
    margin = 0.2 * np.array([1, -1, 1, 1, -1, 1])
    outcomes = np.array(list(product((0, 1), repeat=6)))
    ratio = log_ratio(outcomes, np.ones(6), margin)
    chance = np.prod(np.where(outcomes == 1, 0.5 + margin, 0.5 - margin), axis=1)
    found = errors(6, 0.2, threshold)
    assert found.first == pytest.approx(float((ratio >= threshold - 1e-9).sum()) / 64, abs=1e-12)
    assert found.second == pytest.approx(float(chance[ratio < threshold - 1e-9].sum()), abs=1e-12)
    assert found.risk == found.first + found.second


def test_the_expected_ratio_is_the_divergence():
    n, margin = np.array([10, 20]), np.array([0.1, -0.25])
    expected = log_ratio(n * (0.5 + margin), n, margin)
    assert expected == pytest.approx(float(n @ divergence(margin)))


def test_no_test_has_less_risk_than_at_threshold_zero():
    best = errors(50, 0.1).risk
    assert all(errors(50, 0.1, threshold).risk >= best for threshold in (-1, -0.3, 0.3, 1))
