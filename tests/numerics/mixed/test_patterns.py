from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.mixed.patterns import Cells, Levels, _number, compress

SEEDS = st.integers(0, 10**6)


def crossed(items: int, prompts: int, seed: int = 0, **columns) -> Cells:
    item, prompt = (axis.ravel() for axis in np.meshgrid(np.arange(items), np.arange(prompts), indexing="ij"))
    cells = len(item)
    empty = np.zeros((cells, 0), dtype=np.int64)
    given = {"position": prompt, "attribute": np.zeros_like(item), "within": empty, "shared": empty, **columns}
    y = np.random.default_rng(seed).normal(size=cells)
    return Cells(y, item, x=np.ones((cells, 1)), noise=np.ones((cells, 1)), **given)


def test_a_complete_design_is_one_pattern_whatever_the_number_of_items():
    units = compress(crossed(50, 3))
    assert units.count.tolist() == [50.0]
    assert len(units.unit_pattern) == 1 + 3  # one mean unit, and one contrast unit per cell of an item
    assert units.n_cells == 150
    np.testing.assert_allclose(units.scale, np.sqrt(50))


def test_within_terms_have_the_columns_that_the_fullest_pattern_needs():
    within = np.array([[5, 1], [7, 1], [9, 0], [7, 2]])
    columns, terms = _number(within, pattern=np.array([0, 0, 1, 1]))
    assert columns.tolist() == [[0, 2], [1, 2], [1, 2], [0, 3]]
    assert terms.tolist() == [0, 0, 1, 1]


def test_few_items_make_no_more_units_than_items():
    units = compress(crossed(3, 5))
    assert len(units.unit_pattern) <= 1 + 3


def test_a_mean_unit_carries_the_mean_times_the_root_of_the_number_of_items():
    cells = crossed(4, 2)
    units = compress(cells)
    np.testing.assert_allclose(units.y[:2], cells.y.reshape(4, 2).mean(axis=0) * 2)


def test_each_attribute_gets_a_mean_unit_of_its_own():
    attribute = np.repeat(np.arange(6) % 3, 2)
    units = compress(crossed(6, 2, attribute=attribute))
    assert len(units.count) == 1
    assert len(units.scale) == 3


def test_items_with_different_cells_do_not_share_a_pattern():
    cells = crossed(4, 3)
    keep = np.ones(12, dtype=bool)
    keep[0] = False
    arrays = {name: value[keep] for name, value in vars(cells).items() if value is not None}
    units = compress(Cells(**arrays))
    assert sorted(units.count.tolist()) == [1.0, 3.0]
    assert units.n_cells == 11


def test_different_counts_at_the_same_place_are_different_patterns():
    cells = crossed(2, 2)
    position = cells.position.copy()
    position[0] += 100  # the caller puts whatever the noise depends on into the position
    assert len(compress(replace(cells, position=position)).count) == 2


@given(seed=SEEDS)
@few
def test_the_rotation_keeps_the_length_of_the_data(kind, model, seed):
    drawn = model(kind, seed)
    units = compress(drawn.cells)
    assert units.y @ units.y == pytest.approx(drawn.cells.y @ drawn.cells.y, rel=1e-12)
    assert units.n_cells == len(drawn.cells.y)


@given(seed=SEEDS)
@few
def test_the_order_of_the_cells_does_not_matter(kind, model, seed):
    drawn = model(kind, seed)
    order = drawn.rng.permutation(len(drawn.cells.y))
    other = compress(Cells(**{name: value[order] for name, value in vars(drawn.cells).items() if value is not None}))
    first = compress(drawn.cells)
    np.testing.assert_array_equal(first.count, other.count)
    np.testing.assert_array_equal(first.row, other.row)
    np.testing.assert_allclose(first.y, other.y, atol=1e-12)


P, LEVELS = 2, 6


def drawn(gamma, *, reml=True, seed=0):
    """``C`` of a random design, ``B`` for these variances, and the levels."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(20, P + LEVELS))
    c = half.T @ half
    scale = np.concatenate([np.ones(P) if reml else np.zeros(P), np.sqrt(gamma)])
    system = scale[:, None] * c * scale + np.diag(np.append(np.full(P, 0.0 if reml else 1.0), np.ones(LEVELS)))
    b = scale[:, None] * np.linalg.inv(system) * scale
    return c, b, Levels(P, gamma, b, c, b, 0.0), rng


VARIANCES = {
    "strong": np.array([0.5, 0.5, 2.0, 2.0, 1.0, 1.0]),
    "none": np.zeros(LEVELS),
    "some": np.array([0.0, 0.0, 0.0, 3.0, 3.0, 3.0]),
    "hardly any": np.array([1e-9, 1e-9, 1e-9, 0.0, 1.0, 1.0]),
}


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("gamma", VARIANCES.values(), ids=VARIANCES)
def test_levels_are_what_their_definitions_say(gamma, reml):
    c, b, levels, rng = drawn(gamma, reml=reml)
    outside = (np.eye(P + LEVELS) - c @ b)[P:]
    r = rng.normal(size=c.shape)
    r = r @ r.T
    np.testing.assert_allclose(levels.outside, outside, atol=1e-11)
    np.testing.assert_allclose(levels.projected, outside @ c[:, P:], atol=1e-10)
    np.testing.assert_allclose(levels.diagonal, np.diag(outside @ c[:, P:]), atol=1e-10)
    br, out = levels.times(r)
    np.testing.assert_allclose(br, b @ r, atol=1e-11)
    np.testing.assert_allclose(out, outside @ r, atol=1e-10)


def test_without_levels():
    levels = Levels(1, np.zeros(0), *[np.ones((1, 1))] * 3, 0.0)
    assert (levels.outside.shape, levels.projected.shape, levels.diagonal.shape) == ((0, 1), (0, 0), (0,))
    assert levels.times(np.ones((1, 1)))[0].tolist() == [[1.0]]
