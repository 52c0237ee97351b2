"""Inverses of informations: single precision against double, and boards on which it is not enough."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.ratings import bradley_terry, draws
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.draws import Units, covariance, inverse_information, symmetric_product
from quorate.numerics.ratings.ties import tie_model

SYSTEMS = 600


def board(reach, ties="davidson", votes=40.0):
    """Votes between systems of a ring that are at most ``reach`` apart; of some systems a hundred times as many."""
    a = np.repeat(np.arange(SYSTEMS), reach)
    b = (a + np.tile(1 + np.arange(reach), SYSTEMS)) % SYSTEMS
    a, b = np.minimum(a, b), np.maximum(a, b)
    design = Design(SYSTEMS, a, b, np.zeros(1), tie_model(ties))
    more = np.where(a < 20, 100.0, 1.0)[:, None]
    return design, votes * more * np.tile([1.0, 1.0, 1.0], (len(a), 1))[None]


@pytest.fixture
def large(monkeypatch):
    """Boards of 600 systems count as large."""
    monkeypatch.setattr(bradley_terry, "_LARGE", 100)
    monkeypatch.setattr(draws, "MANY", 500)


@pytest.mark.parametrize("ridge", [0.0, 2.0])
def test_in_single_precision_standard_errors_are_right_to_four_digits(monkeypatch, ridge):
    design, counts = board(reach=60)
    units = Units(counts.ravel())
    exact = covariance(design, fit(design, counts[..., None], ridge), ridge, units)
    monkeypatch.setattr(bradley_terry, "_LARGE", 100)
    monkeypatch.setattr(draws, "MANY", 500)
    single = covariance(design, fit(design, counts[..., None], ridge), ridge, units)
    assert (exact.dtype, single.dtype) == (np.float64, np.float32)
    np.testing.assert_allclose(np.sqrt(np.diag(single)), np.sqrt(np.diag(exact)), rtol=1e-4)
    apart = [np.diag(one)[:, None] + np.diag(one) - 2 * one for one in (single, exact)]
    off = ~np.eye(len(exact), dtype=bool)
    np.testing.assert_allclose(apart[0][off], apart[1][off], rtol=2e-4)


def test_a_chain_of_systems_is_inverted_in_double_precision(large):
    design, counts = board(reach=1)
    found = inverse_information(design, fit(design, counts[..., None]), 0.0)
    assert found.dtype == np.float64


def test_a_symmetric_product_is_that_of_both_matrices():
    rng = np.random.default_rng(1)
    root = rng.normal(size=(1100, 1100))
    square, symmetric = root @ root.T, root + root.T
    np.testing.assert_allclose(symmetric_product(square, symmetric @ square), square @ symmetric @ square)
