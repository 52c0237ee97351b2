from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.mixed.information import bounds, identify, information, null_point
from quorate.numerics.mixed.solved import solve


def overlap(terms, x):
    """``G_st = tr(Q A_s Q A_t)`` from the levels of every term; the residual comes last."""
    q = np.eye(len(x)) - x @ np.linalg.pinv(x)
    structures = [q @ np.equal.outer(levels, levels) for levels in terms] + [q]
    return np.array([[np.sum(a * b.T) for b in structures] for a in structures])


def crossed(*sizes):
    return [axis.ravel() for axis in np.meshgrid(*map(np.arange, sizes), indexing="ij")]


ITEM, JUDGE, _ = crossed(4, 3, 2)
ONE = np.ones((24, 1))


def test_a_crossed_design_tells_everything_apart():
    found = identify(overlap([ITEM, JUDGE, ITEM * 3 + JUDGE], ONE), 24)
    assert found.absorbed == ()
    assert found.classes == ((0,), (1,), (2,), (3,))
    assert found.null.shape == (0, 4)
    assert 1 <= found.condition < 100
    assert found.estimable(np.array([1.0, 2.0, 3.0, 4.0]))


def test_terms_with_nothing_left_are_absorbed():
    fixed = np.column_stack([np.ones(24), JUDGE == 1, JUDGE == 2]).astype(float)
    found = identify(overlap([ITEM, JUDGE, np.zeros(24)], fixed), 24)
    assert found.absorbed == (1, 2)
    assert found.classes == ((0,), (3,))
    assert not found.estimable(np.array([1.0, 1.0, 0.0, 1.0]))
    assert found.estimable(np.array([1.0, 0.0, 0.0, 1.0]))


def test_equal_structures_are_one_class_represented_by_its_last_member():
    found = identify(overlap([ITEM, ITEM * 2, np.arange(24)], ONE), 24)
    assert found.classes == ((0, 1), (2, 3))
    assert found.representatives == (1, 3)
    assert found.estimable(np.array([2.0, 2.0, 5.0, 5.0]))
    assert not found.estimable(np.array([2.0, 1.0, 5.0, 5.0]))


def test_other_flat_directions_are_printed_with_few_components():
    """Two levels of a main effect cannot be told from a constant difference between the halves of a table."""
    half = np.arange(24) // 12
    quarter = np.arange(24) // 6
    first = np.where(half == 0, quarter, 4)  # the quarters of the first half, the second half as one
    second = np.where(half == 1, quarter, 4)
    g = overlap([first, second, quarter, half], ONE)
    found = identify(g, 24)
    space = found.null_space()
    assert len(space) == len(g) - np.linalg.matrix_rank(g / np.sqrt(np.outer(np.diag(g), np.diag(g))), tol=1e-8)
    np.testing.assert_allclose(g @ space.T, 0, atol=1e-6)
    assert len(found.null) == 1
    np.testing.assert_allclose(np.abs(found.null).max(axis=1), 1)


@given(seed=st.integers(0, 10**6))
def test_flat_directions_are_those_along_which_no_projected_structure_changes(seed):
    rng = np.random.default_rng(seed)
    terms = [rng.integers(0, rng.integers(1, 5), 12) for _ in range(4)]
    terms += [terms[0] * 10 + terms[1], terms[int(rng.integers(4))].copy()]
    x = np.column_stack([np.ones(12), rng.integers(0, 2, 12)]).astype(float)
    found = identify(overlap(terms, x), 12)
    q = np.eye(12) - x @ np.linalg.pinv(x)
    structures = np.array([q @ np.equal.outer(t, t) @ q for t in terms] + [q]).reshape(len(terms) + 1, -1)
    np.testing.assert_allclose(found.null_space() @ structures, 0, atol=1e-5)
    assert len(found.null_space()) == len(structures) - np.linalg.matrix_rank(structures, tol=1e-6)


def test_the_matrix_of_the_engine_says_the_same(model):
    drawn = model("nested", 4)
    g = 2 * information(drawn.problem, solve(drawn.problem, null_point(drawn.problem), reml=True))
    found = identify(g, drawn.problem.n_rows)
    space = found.null_space()
    projected = np.array(
        [
            (drawn.dense.p(null_point(drawn.problem)) @ a @ drawn.dense.p(null_point(drawn.problem))).ravel()
            for a in drawn.dense.structures[:-1]  # the replicate is also seen inside cells
        ]
    )
    assert len(space) == len(projected) - np.linalg.matrix_rank(projected, tol=1e-8)


def test_bounds_are_the_range_over_non_negative_splits():
    """item + judge = 3 in any split: twice the item and once the judge is between 3 and 6."""
    space = np.array([[1.0, -1.0, 0.0]])
    assert bounds(np.array([2.0, 1.0, 1.0]), np.array([1.0, 2.0, 5.0]), space) == pytest.approx((8.0, 11.0))


@pytest.mark.parametrize("seed", range(12))
def test_bounds_along_directions_apart_are_those_of_a_linear_programme(seed):
    """Two directions that share no component; added to one another the same ones share all."""
    rng = np.random.default_rng(seed)
    space = np.zeros((2, 6))
    space[0, :3], space[1, 3:] = rng.normal(size=(2, 3))
    theta, coefficients = rng.uniform(0, 2, 6), rng.normal(size=6)
    mixed = np.array([[1.0, 1.0], [1.0, -1.0]]) @ space
    assert bounds(coefficients, theta, space) == pytest.approx(bounds(coefficients, theta, mixed))


def test_an_absorbed_component_has_no_upper_bound():
    low, high = bounds(np.array([1.0, 1.0]), np.array([2.0, 0.0]), np.array([[0.0, 1.0]]))
    assert low == pytest.approx(2.0)
    assert high == np.inf


def test_bounds_of_what_can_be_estimated_are_its_value():
    space = np.array([[1.0, -1.0]])
    assert bounds(np.array([3.0, 3.0]), np.array([1.0, 2.0]), space) == pytest.approx((9.0, 9.0))


def test_nearly_equal_terms_raise_the_condition_number():
    other = ITEM.copy()
    other[0] = 1
    apart = identify(overlap([ITEM, JUDGE], ONE), 24).condition
    assert identify(overlap([ITEM, other], ONE), 24).condition > 3 * apart
