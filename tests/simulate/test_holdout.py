from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.errors import NotEstimable
from quorate.simulate.validate import Crossed

SIZES = {"item": 24, "prompt": 2, "judge": 3}


@pytest.fixture(scope="module")
def table(judged):
    return judged(SIZES, replicates=3, seed=4)


@pytest.fixture(scope="module")
def pool(table):
    return Crossed(table)


def test_the_mean_of_all_items_is_that_of_all_cells(table, pool):
    assert pool.shape == (24, 2, 3)
    assert pool.mean(np.arange(24)) == pytest.approx(table.mean.mean())


def test_all_answers_of_a_cell_are_its_mean_and_some_of_them_are_answers(table, pool):
    cells, rng = np.arange(table.n_cells), np.random.default_rng(1)
    whole, two = (pool.asked(cells, again, rng) for again in (3, 2))
    assert whole.mean == pytest.approx(table.mean)
    assert whole.ss == pytest.approx(table.ss)
    assert set(two.n.tolist()) == {2}
    left = 3 * table.mean - 2 * two.mean  # the answer that was not drawn
    values, offsets = pool.answers
    known = [np.isclose(left[cell], values[offsets[cell] : offsets[cell + 1]]).any() for cell in cells]
    assert all(known)


@pytest.mark.parametrize(("layout", "per_item"), [("factorial", 6), ("cyclic", 2), ("latin", 1)])
def test_a_plan_asks_every_item_as_its_layout_says(table, pool, layout, per_item):
    fit, rng = q.decompose(table.keep(table.column("item") < 8)), np.random.default_rng(2)
    plan = q.project(fit, items=12, layout=layout, replicates=1, targets=pool.targets(16))
    made = pool.planned(np.arange(8, 24), fit, plan, 0.95, rng)
    assert made.calls == 12 * per_item
    assert made.low < made.value < made.high
    assert made.design.startswith("12 items")


def test_tables_that_are_not_crossed_or_leave_nothing_to_plan_are_refused(table, judged):
    item, judge = table.column("item"), table.column("judge")
    with pytest.raises(NotEstimable, match="33% of all combinations of item, prompt and judge were judged"):
        Crossed(table.keep(item % 3 == judge))
    with pytest.raises(NotEstimable, match="1 configuration"):
        Crossed(table.only("prompt", "prompt0000").only("judge", "judge0000"))
