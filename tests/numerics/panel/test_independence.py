from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.panel.judges import correlated, independent_judges, jackknifed


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_a_panel_is_worth_its_size_over_the_design_effect(seed, judges):
    """``J / (1 + (J - 1) rho)``, and the mean variance of a judge over the variance of the mean."""
    errors = np.random.default_rng(seed).normal(size=(30, judges)) + np.random.default_rng(seed).normal(size=(30, 1))
    found = independent_judges(errors, 0.95)
    assert found.value == pytest.approx(judges / (1 + (judges - 1) * found.correlation))
    covariance = np.cov(errors.T)
    assert found.value == pytest.approx(np.diag(covariance).mean() / errors.mean(axis=1).var(ddof=1))
    assert found.low < found.value < found.high


def test_copies_are_worth_one_judge_and_independent_ones_themselves():
    one = np.random.default_rng(1).integers(0, 2, (200, 1)).astype(float)
    assert independent_judges(np.repeat(one, 4, axis=1), 0.95).value == pytest.approx(1)
    many = np.random.default_rng(2).integers(0, 2, (20_000, 4)).astype(float)
    assert independent_judges(many, 0.95).value == pytest.approx(4, abs=0.15)
    assert np.isnan(independent_judges(np.zeros((9, 3)), 0.95).value)


def test_the_interval_is_the_literal_jackknife():
    errors = np.random.default_rng(3).normal(size=(12, 3)) + np.random.default_rng(4).normal(size=(12, 1))
    left = [np.log(independent_judges(np.delete(errors, i, axis=0), 0.95).value) for i in range(12)]
    found = independent_judges(errors, 0.95)
    low, high = jackknifed(np.log(found.value), np.array(left), 0.95)
    assert (found.low, found.high) == pytest.approx((np.exp(low), np.exp(high)))


def test_a_correlation_is_pearsons_and_lies_in_its_interval():
    rng = np.random.default_rng(5)
    x = rng.normal(size=60)
    y = x + rng.normal(size=60)
    value, low, high = correlated(x, y, 0.95, 400, rng)
    assert value == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert low < value < high
    again = correlated(x, y, 0.95, 400, np.random.default_rng(6))
    assert (low, high) == pytest.approx(again[1:], abs=0.05)
    assert np.isnan(correlated(x, np.ones(60), 0.95, 100, rng)).all()


def test_the_interval_of_a_correlation_is_fishers_in_large_samples_and_turns_with_the_sign():
    """``tanh(artanh r -+ 1.96 / sqrt(n - 3))`` for normal values."""
    x, noise = np.random.default_rng(7).normal(size=(2, 500))
    y = x + noise
    value, low, high = correlated(x, y, 0.95, 2000, np.random.default_rng(8))
    expected = np.tanh(np.arctanh(value) + np.array([-1.96, 1.96]) / np.sqrt(497))
    assert (low, high) == pytest.approx(tuple(expected), abs=0.015)
    turned = correlated(x, -y, 0.95, 2000, np.random.default_rng(8))
    assert turned == pytest.approx((-value, -high, -low))
