from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidInput
from quorate.plan.layouts import fewest_items, lay_out

COUNTS = {"item": 12, "prompt": 2, "judge": 3, "temperature": 4}


def assignments(laid):
    """Every assignment of a layout, item by item: levels of the assigned facets, and its weight."""
    if laid.cycle is None:
        return {}, np.ones(1)
    cycle, period = laid.cycle, laid.cycle.of_class[-1] + 1
    pairs = [(i, row) for i in range(laid.counts[laid.item]) for row in np.flatnonzero(cycle.of_class == i % period)]
    item, rows = np.array(pairs).T
    return {laid.item: item, **{name: codes[rows] for name, codes in cycle.levels.items()}}, cycle.weight[rows]


def cells_of(laid):
    """Every cell of a plan: levels of all facets, and its weight."""
    assigned, weight = assignments(laid)
    crossed = {name: count for name, count in laid.counts.items() if name not in assigned}
    grid = np.array(np.meshgrid(*map(np.arange, crossed.values()), indexing="ij")).reshape(len(crossed), -1)
    rows, copies = len(weight), grid.shape[1]
    levels = {name: np.repeat(codes, copies) for name, codes in assigned.items()}
    levels |= {name: np.tile(codes, rows) for name, codes in zip(crossed, grid, strict=True)}
    return levels, np.repeat(weight / copies, copies)


@pytest.mark.parametrize("layout", ["factorial", "cyclic", "latin", "blocks"])
@pytest.mark.parametrize("facets", [{"item"}, {"judge"}, {"item", "judge"}, {"prompt", "judge"}, set(COUNTS)])
@pytest.mark.parametrize("balance", [(), ("judge",)])
def test_concentration_is_the_sum_of_squared_weights(layout, facets, balance):
    laid = lay_out(layout, COUNTS | {"item": 13}, "item", per_item=2 if layout == "blocks" else None, balance=balance)
    levels, weight = cells_of(laid)
    assert laid.cells == len(weight)
    assert weight.sum() == pytest.approx(1)
    key = [tuple(levels[name][cell] for name in sorted(facets)) for cell in range(len(weight))]
    totals = {k: sum(w for k2, w in zip(key, weight, strict=True) if k2 == k) for k in set(key)}
    assert laid.concentration(frozenset(facets)) == pytest.approx(sum(w**2 for w in totals.values()))


def test_cells_of_every_layout():
    assert lay_out("factorial", COUNTS, "item").cells == 12 * 2 * 3 * 4
    assert lay_out("cyclic", COUNTS, "item").cells == 12 * 2 * 4
    assert lay_out("latin", COUNTS, "item").cells == 12 * 4
    assert lay_out("blocks", COUNTS, "item", per_item=2).cells == 12 * 2 * 2 * 4


def test_latin_uses_every_pair_equally_often():
    laid = lay_out("latin", COUNTS, "item")
    assigned, _ = assignments(laid)
    pairs = assigned["prompt"] * 3 + assigned["judge"]
    np.testing.assert_array_equal(np.bincount(pairs), np.full(6, 2))


@given(items=st.integers(3, 40), judges=st.integers(1, 6), per_item=st.integers(1, 6))
def test_blocks_use_judges_about_equally_and_never_twice_for_an_item(items, judges, per_item):
    if per_item > judges or items + per_item - 1 < judges:
        return
    laid = lay_out("blocks", {"item": items, "judge": judges}, "item", per_item=per_item, balance=("judge",))
    assigned, weight = assignments(laid)
    assert weight.sum() == pytest.approx(1)
    assert len({*zip(assigned["item"].tolist(), assigned["judge"].tolist(), strict=True)}) == items * per_item
    uses = np.bincount(assigned["judge"], minlength=judges)
    assert np.ptp(uses) <= per_item
    np.testing.assert_array_equal(laid.calls_of("judge"), uses)


def test_fixed_judges_weigh_equally_where_items_do_not_divide():
    laid = lay_out("cyclic", COUNTS | {"item": 13}, "item", balance=("judge",))
    assigned, weight = assignments(laid)
    np.testing.assert_allclose(np.bincount(assigned["judge"], weight), np.full(3, 1 / 3))


@pytest.mark.parametrize("layout", ["factorial", "cyclic", "latin", "blocks"])
@pytest.mark.parametrize("balance", [(), ("judge",), ("temperature", "prompt")])
def test_many_designs_at_once_are_the_designs_one_by_one(layout, balance):
    per_item, items, heat = 2 if layout == "blocks" else None, np.array([6, 7, 13, 600]), np.array([1, 4])
    grid = {**COUNTS, "item": items[:, None].astype(float), "temperature": heat.astype(float)}
    many = lay_out(layout, grid, "item", replicates=2, per_item=per_item, balance=balance)
    for facets in ({"item"}, {"judge"}, {"prompt"}, {"prompt", "judge"}, {"item", "judge", "temperature"}):
        found = np.broadcast_to(many.concentration(frozenset(facets)), (4, 2))
        for (i, n), (k, h) in product(enumerate(items), enumerate(heat)):
            counts = {**COUNTS, "item": int(n), "temperature": int(h)}
            one = lay_out(layout, counts, "item", replicates=2, per_item=per_item, balance=balance)
            assert found[i, k] == pytest.approx(one.concentration(frozenset(facets)))
            assert np.broadcast_to(many.calls, (4, 2))[i, k] == one.calls


@pytest.mark.parametrize(
    ("layout", "counts", "per_item", "message"),
    [
        ("diagonal", COUNTS, None, "layout: one of factorial, cyclic, latin, blocks is needed, got 'diagonal'"),
        ("blocks", COUNTS, None, "per_item: goes with layout="),
        ("cyclic", COUNTS, 2, "per_item: goes with layout="),
        ("blocks", COUNTS, 4, "between 1 and the number of judges, 3; got 4"),
        ("cyclic", {"item": 5, "prompt": 2}, None, "'cyclic' assigns judge, and there is no judge here"),
        ("latin", {"item": 5, "judge": 2}, None, "there is no prompt here"),
        (
            "latin",
            {"item": 5, "judge": 3, "prompt": 2},
            None,
            "cycles through 6 combinations and needs 6 items; 5 items",
        ),
    ],
)
def test_layouts_that_do_not_fit(layout, counts, per_item, message):
    with pytest.raises(InvalidInput, match=message):
        lay_out(layout, counts, "item", per_item=per_item)


@pytest.mark.parametrize(("layout", "per_item"), [("factorial", 1), ("cyclic", 1), ("latin", 1), ("blocks", 2)])
def test_fewest_items(layout, per_item):
    """One item fewer does not fit."""
    least = fewest_items(layout, COUNTS, per_item)
    options = {"per_item": per_item} if layout == "blocks" else {}
    lay_out(layout, COUNTS | {"item": least}, "item", **options)
    if least > 1:
        with pytest.raises(InvalidInput, match="items are too few"):
            lay_out(layout, COUNTS | {"item": least - 1}, "item", **options)
