from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidInput
from quorate.planning.designs.layouts import Draw, cycle_of, fewest_items, lay_out
from quorate.planning.designs.schemes import Scheme

COUNTS = {"item": 12, "prompt": 2, "judge": 3, "temperature": 4}


def laid_out(layout, counts, item, *, per_item=None, places=None, **options):
    return lay_out(Scheme(layout, per_item, places), counts, item, **options)


def assignments(laid):
    """Every assignment of a layout, item by item: levels of the assigned facets, and its weight."""
    if laid.cycle is None:
        return {}, np.ones(1)
    cycle = laid.cycle
    of_item = [np.flatnonzero(cycle.of_class == i % cycle.classes) for i in range(laid.counts[laid.item])]
    pairs = [(i, row) for i, rows in enumerate(of_item) for row in rows]
    item, rows = np.array(pairs).T
    weight = cycle.weight[cycle.kind[rows]]
    return {laid.item: item, **{name: codes[rows] for name, codes in cycle.levels.items()}}, weight


def cells_of(laid):
    """Every cell of a plan: levels of all facets, and its weight."""
    assigned, weight = assignments(laid)
    crossed = {name: count for name, count in laid.counts.items() if name not in assigned}
    grid = np.array(np.meshgrid(*map(np.arange, crossed.values()), indexing="ij")).reshape(len(crossed), -1)
    rows, copies = len(weight), grid.shape[1]
    levels = {name: np.repeat(codes, copies) for name, codes in assigned.items()}
    levels |= {name: np.tile(codes, rows) for name, codes in zip(crossed, grid, strict=True)}
    return levels, np.repeat(weight / copies, copies)


EVERY = [
    Scheme("factorial"),
    Scheme("cyclic"),
    Scheme("latin"),
    Scheme("latin", 2),
    Scheme("latin", 5),
    Scheme("blocks", 2),
    Scheme("weighted", places=(4, 2, 1)),
    Scheme("weighted", places=(3, 1, 1), balanced=0.4),
]


@pytest.mark.wide(24)
@pytest.mark.parametrize("scheme", EVERY)
@pytest.mark.parametrize("balance", [(), ("judge",), ("judge", "prompt")])
@pytest.mark.parametrize("generations", [None, 2, 4])
def test_concentration_is_the_sum_of_squared_weights(scheme, balance, generations):
    counts = COUNTS | {"item": 13} | ({} if generations is None else {"generation": generations})
    laid = lay_out(scheme, counts, "item", balance=balance)
    levels, weight = cells_of(laid)
    assert laid.cells == len(weight)
    assert weight.sum() == pytest.approx(1)
    for facets in ({"item"}, {"judge"}, {"item", "judge"}, {"prompt", "judge"}, counts.keys()):
        totals = Counter()
        for key, own in zip(zip(*(levels[name] for name in sorted(facets)), strict=True), weight, strict=True):
            totals[key] += own
        squares = sum(total**2 for total in totals.values())
        assert laid.concentration(frozenset(facets)) == pytest.approx(squares), facets
    part = [float(np.sum(weight[levels["judge"] == judge] ** 2) / np.sum(weight**2)) for judge in range(3)]
    np.testing.assert_allclose(laid.portion("judge"), part)


@pytest.mark.wide(4)
@pytest.mark.parametrize("facets", [{"item"}, {"judge"}, {"item", "judge"}, {"generation"}, {"judge", "generation"}])
@pytest.mark.parametrize("nested", [True, False])
def test_concentration_of_random_judges_is_the_average_over_draws(facets, nested):
    items, judges, each, draws = 3, 4, 5, 400
    facets = facets | {"item"} if nested and "generation" in facets else facets
    laid = laid_out("random", {"item": items, "judge": judges, "generation": each}, "item")
    rng = np.random.default_rng(8)
    item, generation = (axis.ravel() for axis in np.mgrid[:items, :each])
    found = []
    for _ in range(draws):
        level = {"item": item, "generation": generation, "judge": rng.integers(judges, size=items * each)}
        key = sum(level[name] * 100**place for place, name in enumerate(sorted(facets)))
        found.append(np.sum(np.unique(key, return_counts=True)[1] ** 2) / (items * each) ** 2)
    error = np.std(found) / np.sqrt(draws)
    assert laid.concentration(frozenset(facets)) == pytest.approx(np.mean(found), abs=4 * error + 1e-12)
    np.testing.assert_allclose(laid.calls_of("judge"), items * each / judges)
    assert laid.cells == items * each


def test_generations_take_turns_one_after_the_other():
    laid = laid_out("cyclic", {"item": 2, "judge": 3, "generation": 2}, "item")
    levels, _ = assignments(laid)
    np.testing.assert_array_equal(levels["judge"], [0, 1, 2, 0])
    np.testing.assert_array_equal(levels["generation"], [0, 1, 0, 1])


@given(prompts=st.integers(1, 5), judges=st.integers(1, 5), per_item=st.integers(1, 8))
def test_latin_turns_never_repeat_a_pair_and_use_all_equally(prompts, judges, per_item):
    if per_item > prompts * judges:
        return
    order = Scheme("latin", per_item).order({"prompt": prompts, "judge": judges})
    pairs = order["prompt"] * judges + order["judge"]
    assert all(len(set(turn)) == per_item for turn in pairs.tolist())
    np.testing.assert_array_equal(np.bincount(pairs.ravel()), np.full(prompts * judges, per_item))


@given(items=st.integers(3, 40), judges=st.integers(1, 6), per_item=st.integers(1, 6))
def test_blocks_use_judges_about_equally_and_never_twice_for_an_item(items, judges, per_item):
    if per_item > judges or items + per_item - 1 < judges:
        return
    laid = laid_out("blocks", {"item": items, "judge": judges}, "item", per_item=per_item, balance=("judge",))
    assigned, weight = assignments(laid)
    assert weight.sum() == pytest.approx(1)
    assert len({*zip(assigned["item"].tolist(), assigned["judge"].tolist(), strict=True)}) == items * per_item
    uses = np.bincount(assigned["judge"], minlength=judges)
    assert np.ptp(uses) <= per_item
    np.testing.assert_array_equal(laid.calls_of("judge"), uses)


@pytest.mark.wide(9)
@pytest.mark.parametrize("scheme", [*EVERY, Scheme("random")])
@pytest.mark.parametrize("balance", [(), ("judge",), ("temperature", "prompt")])
def test_many_designs_at_once_are_the_designs_one_by_one(scheme, balance):
    items, heat = np.array([6, 7, 13, 600]), np.array([1, 4])
    grid = {**COUNTS, "item": items[:, None].astype(float), "temperature": heat.astype(float)}
    many = lay_out(scheme, grid, "item", replicates=2, balance=balance)
    for facets in ({"item"}, {"judge"}, {"prompt"}, {"prompt", "judge"}, {"item", "judge", "temperature"}):
        found = np.broadcast_to(many.concentration(frozenset(facets)), (4, 2))
        for (i, n), (k, h) in product(enumerate(items), enumerate(heat)):
            counts = {**COUNTS, "item": int(n), "temperature": int(h)}
            one = lay_out(scheme, counts, "item", replicates=2, balance=balance)
            assert found[i, k] == pytest.approx(one.concentration(frozenset(facets)))
            assert np.broadcast_to(many.calls, (4, 2))[i, k] == one.calls


@pytest.mark.parametrize(
    ("layout", "counts", "per_item", "message"),
    [
        (
            "diagonal",
            COUNTS,
            None,
            'layout: must be one of factorial, random, cyclic, weighted, latin, blocks, got "diagonal"',
        ),
        ("blocks", COUNTS, None, "per_item: is needed with layout="),
        ("cyclic", COUNTS, 2, "per_item: is needed with layout="),
        ("blocks", COUNTS, 4, "between 1 and the number of judges, 3; got 4"),
        ("cyclic", {"item": 5, "prompt": 2}, None, "'cyclic' assigns judge, and there is no judge here"),
        ("latin", {"item": 5, "judge": 2}, None, "there is no prompt here"),
        (
            "latin",
            {"item": 5, "judge": 3, "prompt": 2},
            None,
            "takes 6 turns to use everything and needs 6 items; 5 items",
        ),
    ],
)
def test_layouts_that_do_not_fit(layout, counts, per_item, message):
    with pytest.raises(InvalidInput, match=message):
        laid_out(layout, counts, "item", per_item=per_item)


@pytest.mark.parametrize(
    ("layout", "per_item", "places"),
    [
        ("factorial", None, None),
        ("random", None, None),
        ("cyclic", None, None),
        ("latin", None, None),
        ("latin", 2, None),
        ("blocks", 2, None),
        ("weighted", None, (5, 1, 1)),
    ],
)
@pytest.mark.parametrize("generations", [None, 2, 4])
def test_fewest_items(layout, per_item, places, generations):
    """One item fewer does not fit."""
    scheme = Scheme(layout, per_item, places)
    counts = COUNTS if generations is None else COUNTS | {"generation": generations}
    least = fewest_items(scheme, counts)
    lay_out(scheme, counts | {"item": least}, "item")
    if least > 1:
        with pytest.raises(InvalidInput, match="items are too few"):
            lay_out(scheme, counts | {"item": least - 1}, "item")


@pytest.mark.parametrize("items", [7, 8, 13, 14])
def test_latin_pairs_weigh_equally_where_judges_and_prompts_are_fixed(items):
    """Whatever the number of items, neither judges nor prompts nor their pairs leave a bias."""
    laid = lay_out(Scheme("latin"), {"item": items, "prompt": 2, "judge": 3}, "item", balance=("judge", "prompt"))
    np.testing.assert_allclose(laid.shares("judge"), 1 / 3)
    np.testing.assert_allclose(laid.shares("prompt"), 1 / 2)
    assert laid.concentration(frozenset({"judge", "prompt"})) == pytest.approx(1 / 6)


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


@pytest.mark.wide(6)
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
