from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.planning.designs.layouts import Draw, cycle_of


def test_one_period_of_generations_that_do_not_divide():
    cycle = cycle_of({"judge": np.arange(3)[:, None]}, np.array(4.0), 2, ())
    assert (cycle.classes, cycle.per_item) == (3, 2)
    np.testing.assert_array_equal(cycle.levels["judge"], [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(cycle.uses("judge"), [3, 3, 2])
    np.testing.assert_allclose(cycle.weight, 1 / 8)


def test_levels_weigh_equally_half_way_or_not_at_all():
    order, items = {"judge": np.array([0, 0, 1])[:, None]}, np.array(6.0)
    for balanced, share in ((1.0, 1 / 2), (0.0, 2 / 3), (0.5, 7 / 12)):
        cycle = cycle_of(order, items, None, ("judge",), balanced)
        np.testing.assert_allclose(cycle.shares("judge"), [share, 1 - share])


def test_pairs_weigh_equally_where_two_facets_are_balanced():
    order = {"prompt": np.array([0, 0, 1, 1])[:, None], "judge": np.array([0, 1, 0, 1])[:, None]}
    cycle = cycle_of(order, np.array(7.0), None, ("judge", "prompt"))
    np.testing.assert_allclose(cycle.uses("judge"), [4, 3])
    assert cycle.concentration(["judge", "prompt"], by_item=False) == pytest.approx(1 / 4)


def test_a_period_too_long():
    with pytest.raises(InvalidInput, match="at most 10,000,000 judgments"):
        cycle_of({"judge": np.arange(10_007)[:, None]}, np.array(1e9), 1_000, ())


def realised(items, judges, each, balanced, facets, *, by_item, groups=1, draws=6_000):
    """Average of sum w^2 over drawn assignments, judges weighing equally as far as asked."""
    item, generation = (axis.ravel() for axis in np.mgrid[:items, :each])
    judge = np.random.default_rng(4).integers(judges, size=(draws, items * each))
    count = np.sum(judge[:, :, None] == np.arange(judges), axis=1)
    found = np.sum(count > 0, axis=1, keepdims=True)
    weight = balanced / (found * np.take_along_axis(count, judge, 1)) + (1 - balanced) / (items * each)
    code = item if by_item else item * groups // items
    for name in facets:
        code = code * max(judges, each) + {"judge": judge, "generation": generation}[name]
    size = items * max(judges, each) ** 2
    cell = np.arange(draws)[:, None] * size + code
    squares = np.sum(np.bincount(cell.ravel(), weight.ravel(), draws * size).reshape(draws, size) ** 2, axis=1)
    return float(np.mean(squares)), float(np.std(squares) / np.sqrt(draws))


@pytest.mark.parametrize("balanced", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("facets", "by_item", "groups"),
    [
        ((), True, 1),
        (("judge",), False, 1),
        (("judge",), True, 1),
        (("judge", "generation"), True, 1),
        (("generation",), False, 1),
        (("judge",), False, 4),
    ],
)
def test_it_is_the_average_over_draws(balanced, facets, by_item, groups):
    draw = Draw(np.array(12.0), 3, 2, balanced)
    wanted, error = realised(12, 3, 2, balanced, facets, by_item=by_item, groups=groups)
    found = draw.concentration(facets, by_item=by_item, groups=groups)
    assert found == pytest.approx(wanted, abs=4 * error + 1e-12)


def test_judges_who_weigh_equally_leave_no_bias():
    assert Draw(np.array(60.0), 3, None, 1.0).concentration(["judge"], by_item=False) == pytest.approx(1 / 3)


def test_one_turn_is_one_judge():
    assert Draw(np.array(1.0), 3, None, 0.0).concentration(["judge"], by_item=False) == 1.0


def test_judges_are_used_equally_on_average():
    draw = Draw(np.array([10.0, 20.0]), 4, 2)
    np.testing.assert_allclose(draw.uses("judge"), [[5] * 4, [10] * 4])
    np.testing.assert_allclose(draw.portion("judge"), 1 / 4)
    np.testing.assert_allclose(draw.shares("judge"), 1 / 4)
