"""Columns of blocks, and the products that need them."""

import numpy as np
from numerics.links.small import dense, layout

from quorate.numerics.links.modes import Scaled


def test_every_level_has_one_place():
    laid = layout()
    slots, term = laid.slots
    assert laid.n_blocks == 12
    assert term.tolist() == [0, 1, 1, 1]
    for t, level in enumerate(laid.within.T):
        places = {(block, slot) for block, slot in zip(laid.block, slots[:, t], strict=True)}
        assert len(places) == level.max() + 1


def test_rows_and_sums_are_transposes():
    laid, rng = layout(), np.random.default_rng(2)
    variance = np.array([1.0, 0.4, 0.3, 0.2])
    scaled, m = Scaled(laid, variance), dense(laid, variance)
    y = rng.normal(size=(len(m), 1))
    sums = scaled.sums(y)
    assert np.allclose(scaled.rows(sums), m @ (m.T @ y))
    assert np.isclose(sums.dot(sums), np.sum((m.T @ y) ** 2))


def test_terms_and_parameters_are_counted():
    laid = layout(4)
    assert (laid.n_terms, laid.n_fixed, laid.width) == (4, 5, 4)
