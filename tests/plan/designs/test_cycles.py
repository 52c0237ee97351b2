from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.plan.designs.cycles import cycle_of


def test_one_period_of_generations_that_do_not_divide():
    cycle = cycle_of({"judge": np.arange(3)[:, None]}, np.array(4.0), 2, ())
    assert (cycle.classes, cycle.per_item) == (3, 2)
    np.testing.assert_array_equal(cycle.levels["judge"], [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(cycle.items, [2, 2, 1, 1, 1, 1])
    np.testing.assert_allclose(cycle.weight, 1 / 8)


def test_levels_weigh_equally_half_way_or_not_at_all():
    order, items = {"judge": np.array([0, 0, 1])[:, None]}, np.array(6.0)
    for balanced, share in ((1.0, 1 / 2), (0.0, 2 / 3), (0.5, 7 / 12)):
        cycle = cycle_of(order, items, None, ("judge",), balanced)
        weights = cycle.items * cycle.weight
        assert weights.sum() == pytest.approx(1)
        assert weights[cycle.levels["judge"] == 0].sum() == pytest.approx(share)


def test_pairs_weigh_equally_where_two_facets_are_balanced():
    order = {"prompt": np.array([0, 0, 1, 1])[:, None], "judge": np.array([0, 1, 0, 1])[:, None]}
    cycle = cycle_of(order, np.array(7.0), None, ("judge", "prompt"))
    np.testing.assert_allclose(cycle.items * cycle.weight, 1 / 4)


def test_a_period_too_long():
    with pytest.raises(InvalidInput, match="at most 10,000,000 judgments"):
        cycle_of({"judge": np.arange(10_007)[:, None]}, np.array(1e9), 1_000, ())
