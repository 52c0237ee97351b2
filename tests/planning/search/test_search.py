from __future__ import annotations

from itertools import permutations, product

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linear_sum_assignment
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput
from quorate.planning.designs.dstudy import cost
from quorate.planning.designs.sources import Design, from_components
from quorate.planning.search import search as searching
from quorate.planning.search.grid import allowed
from quorate.planning.search.search import Kept, judge, search, strategies


@pytest.fixture(scope="module")
def source(ideology):
    given = {"prompt": 1, "judge": 1}
    return from_components(ideology, Design(items=1, given=given))


@pytest.fixture(scope="module")
def grid(source):
    limits = {"items": range(5, 60), "prompts": range(1, 4), "judges": range(1, 4), "replicates": [1, 2]}
    return allowed(limits, ("factorial", "cyclic", "latin"), "item", {**source.counts, "replicate": 1})


@pytest.mark.slow
def test_a_search_in_small_pieces_finds_the_same(source, grid, monkeypatch):
    whole = search(source, grid, {"call": 1.0, "item": 0.3})
    monkeypatch.setattr(searching, "_AT_ONCE", 37)
    parts = search(source, grid, {"call": 1.0, "item": 0.3})
    np.testing.assert_allclose(parts.frontier.cost, whole.frontier.cost)
    np.testing.assert_allclose(parts.frontier.variance, whole.frontier.variance)
    assert parts.candidates == whole.candidates == sum(piece.size for piece in grid.pieces())


def test_a_frontier_rises_in_price_and_falls_in_variance(source, grid):
    frontier = search(source, grid, {"call": 1.0}).frontier
    assert np.all(np.diff(frontier.cost) > 0)
    assert np.all(np.diff(frontier.variance) < 0)


def test_of_equal_designs_the_one_with_most_levels_is_kept():
    """Of two at the same price; a cheaper one wins whatever its levels."""
    cost, variance = np.array([2.0, 1.0, 1.0, 1.0]), np.array([3.0, 3.0, 3.0 * (1 + 1e-15), 3.0])
    kept = Kept(cost, variance, variance, np.arange(4), np.zeros(4, dtype=int), np.array([99, 4, 7, 5]))
    assert searching.undominated(kept).piece.tolist() == [2]


def test_a_component_of_zero_is_no_reason_for_few_levels(safety):
    """The prompt variance is as good as zero here; with none at all, prompts are still shared out."""
    components = q.components({"item": 1.0, "item:judge": 0.5, "prompt": 0.0}, sensitivity=safety.sensitivity)
    best = q.plan(components, budget=60, limits={"items": 60, "prompts": [1, 2, 5], "judges": 3})
    assert (best.plan.layout, best.plan.design["prompt"]) == ("latin", 5)


@pytest.mark.slow
def test_a_strategy_has_its_best_number_of_items(source, grid):
    found = search(source, grid, {"call": 1.0})
    for kept, weights in strategies(source, found, {"call": 1.0}, 50.0):
        values = np.array(list(source.values.values()))
        np.testing.assert_allclose(values @ weights, kept.variance)
        assert np.all(kept.cost <= 50)
        piece = found.pieces[kept.piece[0]] if len(kept.piece) else None
        cost, all_variances = judge(source, piece, {"call": 1.0}) if piece else ([], [])
        for variance, index in zip(kept.variance, kept.index, strict=True):
            design = piece.design(int(index))
            same = [
                other
                for other in range(piece.size)
                if {**piece.design(other), "item": 0} == {**design, "item": 0} and cost[other] <= 50
            ]
            assert variance == pytest.approx(min(all_variances[same]))


def test_a_sample_of_all_designs_is_a_sample_of_them(source, grid):
    found = search(source, grid, {"call": 1.0})
    cost, variance = judge(source, found.pieces[0], {"call": 1.0})
    here = found.cloud.piece == 0
    np.testing.assert_array_equal(found.cloud.cost[here], cost[found.cloud.index[here]])
    np.testing.assert_array_equal(found.cloud.variance[here], variance[found.cloud.index[here]])


def test_designs_without_a_price_are_refused(source, grid):
    with pytest.raises(q.InvalidInput, match="prices: the price of a call is needed"):
        search(source, grid, {})


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_the_frontier_by_intervals_is_that_of_all_designs(seed):
    """Where intervals are taken between numbers of items, no design of it is beaten by more than 1%."""
    rng = np.random.default_rng(seed)
    names = ("item", "prompt", "judge", "item:prompt", "item:judge", "prompt:judge", "cell", "replicate")
    values = {name: float(np.exp(rng.normal(-2, 1.5)) * (rng.random() > 0.25)) + 0.01 for name in names}
    design = Design(items=1, given={"prompt": 1, "judge": 1})
    source, prices = from_components(q.components(values), design), {"call": 1.0, "item": 2.0}
    for items, slack in ((range(2, 60, 5), 1 + 1e-9), (range(2, 200, 2), 1.01)):
        limits = {"items": items, "prompts": [1, 2, 4], "judges": [1, 4], "replicates": [1, 2]}
        grid = allowed(limits, ("factorial", "cyclic"), "item", {**source.counts, "replicate": 1})
        found = search(source, grid, prices, by_interval=True)
        parts = []
        for number, piece in enumerate(found.pieces):
            price, variance = searching.judge(source, piece, prices)
            every = np.arange(piece.size)
            width = searching.half_widths(source, piece, every) ** 2
            np.testing.assert_allclose(searching.intervals(source, piece, variance), np.sqrt(width), rtol=0.05)
            parts.append(searching.kept_of(source, piece, number, price, variance, width, every))
        wanted = searching.undominated(searching.joined(parts))
        place = np.searchsorted(found.frontier.cost, wanted.cost * (1 + 1e-12), side="right") - 1
        assert (np.sqrt(found.frontier.width[place]) <= np.sqrt(wanted.width) * slack).all()
        number, index, width = found.frontier.piece[-1], found.frontier.index[-1:], found.frontier.width[-1]
        assert searching.half_widths(source, found.pieces[number], index) == pytest.approx(np.sqrt(width), rel=1e-9)


# Judgments at hand: what a plan keeps of them, against a plain search over all ways to place them in it.


ITEMS, PROMPTS, JUDGES = 5, 3, 3


def table(cells):
    """Judgments of (item, prompt, judge, replicate)."""
    rng = np.random.default_rng(1)
    rows = [(f"i{i}", f"p{p}", "abc"[j], r, float(rng.normal())) for i, p, j, r in cells]
    return scores_table(rows, "item prompt judge replicate score", fixed=())


def crossed(items, prompts, judges, replicates=1):
    return list(product(range(items), range(prompts), range(judges), range(replicates)))


def plan_cells(items, prompts, judges, layout):
    """(item, prompt, judge) of a plan, by place."""
    if layout == "cyclic":
        return [(i, p, i % judges) for i in range(items) for p in range(prompts)]
    if layout == "latin":
        laid = q.assign(items=items, judges=range(judges), prompts=range(prompts), layout="latin", seed=1).to_frame()
        rows = laid.select("item", "prompt", "judge").rows()
        return [(int(i) - 1, int(p), int(j)) for i, p, j in rows]
    return list(product(range(items), range(prompts), range(judges)))


def kept(cells, items, prompts, judges, replicates, layout):
    """The most judgments that a plan can keep: over every choice of the levels that take its places."""
    there = np.zeros((ITEMS, PROMPTS, JUDGES), dtype=int)
    for i, p, j, _ in cells:
        there[i, p, j] += 1
    there = np.minimum(there, replicates)
    plan = np.zeros((items, prompts, judges), dtype=int)
    for cell in plan_cells(items, prompts, judges, layout):
        plan[cell] = 1
    best = 0
    for chosen_p, chosen_j in product(placings(PROMPTS, prompts), placings(JUDGES, judges)):
        sub = there[:, list(chosen_p[0])][:, :, list(chosen_j[0])]
        use = plan[:, list(chosen_p[1])][:, :, list(chosen_j[1])]
        gains = np.einsum("apj,bpj->ab", sub, use)
        rows, columns = linear_sum_assignment(-gains)
        best = max(best, int(gains[rows, columns].sum()))
    return best


def placings(levels, places):
    """Which levels take which places."""
    few = min(levels, places)
    if levels >= places:
        return [(chosen, tuple(range(places))) for chosen in permutations(range(levels), places)]
    return [(tuple(range(levels)), where) for where in permutations(range(places), few)]


@pytest.fixture(scope="module")
def fit():
    """A pilot of its own, so that any judgments may be those that are paid for."""
    return q.decompose(table(crossed(8, 3, 3, 2)))


def optimum(fit, have, items, prompts, judges, replicates, layout, prices=None):
    limits = {"items": items, "prompts": prompts, "judges": judges, "replicates": replicates}
    return q.plan(fit, budget=1e9, limits=limits, layouts=(layout,), have=have, prices=prices, own=None)


ALIKE = {
    "crossed": crossed(5, 2, 3),
    "crossed, twice": crossed(4, 3, 2, 2),
    "one judge": crossed(5, 3, 1),
    "in turn": [(i, p, i % 3, 0) for i in range(5) for p in range(2)],
    "in turn, unequally": [(i, 0, (0, 0, 0, 1, 2)[i], 0) for i in range(5)],
}
PLANS = [
    *(
        (items, prompts, judges, replicates, "factorial")
        for items, prompts, judges, replicates in [(3, 1, 2, 1), (5, 2, 3, 1), (7, 3, 4, 2), (4, 5, 1, 3), (6, 4, 3, 1)]
    ),
    *((items, prompts, judges, 1, "cyclic") for items, prompts, judges in [(4, 2, 3), (5, 2, 3), (9, 2, 3), (7, 1, 2)]),
    (12, 3, 3, 1, "latin"),
]


@pytest.mark.wide(5)
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", ALIKE)
def test_what_is_kept_of_judgments_that_are_alike_is_the_most_that_can_be(fit, name, plan):
    best, most = optimum(fit, table(ALIKE[name]), *plan).plan, kept(ALIKE[name], *plan)
    smaller = plan[0] < 5 or plan[1] < 2 or plan[2] < 3
    if name.startswith("in turn") and plan[4] == "factorial" and smaller:  # a good choice of items, not the best
        assert 0.6 * most <= best.reused <= most
    else:
        assert best.reused == most
    assert best.cost == best.bought == best.calls - best.reused


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_of_ragged_judgments_a_plan_that_holds_all_levels_keeps_all_and_others_no_more_than_can_be(fit, seed):
    rng = np.random.default_rng(seed)
    cells = [cell for cell in crossed(5, 3, 3, 2) if rng.random() < 0.6]
    have = table(cells)
    assert optimum(fit, have, 6, 3, 4, 2, "factorial").plan.reused == len(cells)
    for plan in PLANS:
        found, most = optimum(fit, have, *plan).plan.reused, kept(cells, *plan)
        assert 0.6 * most <= found <= most


@pytest.mark.slow
def test_a_search_prices_every_design_as_it_is_priced_alone(fit):
    cells = [cell for cell in crossed(5, 3, 3, 2) if sum(cell) % 4]
    have, prices = table(cells), {"judge": {"a": 1.0, "b": 2.0, "c": 5.0, "d": 3.0}, "item": 0.5, "prompt": 4.0}
    limits = {"items": range(2, 9), "prompts": [1, 2, 4], "judges": [1, 2, 3, 4], "replicates": [1, 2, 3]}
    layouts = ("factorial", "cyclic", "latin")
    best = q.plan(fit, budget=1e9, limits=limits, layouts=layouts, prices=prices, have=have)
    found, paid = best.searched.found, best.searched.paid
    for number, piece in enumerate(found.pieces):
        flat = paid.saved(piece)
        for index in range(0, piece.size, 7):
            design = piece.design(index)
            levels = {name: design[name] for name in ("prompt", "judge")}
            alone = q.project(
                fit,
                items=design["item"],
                levels=levels,
                replicates=design["replicate"],
                layout=piece.scheme.layout,
                prices=prices,
            )
            applied = paid.applied(alone)
            assert applied.reused == flat[1, index], (number, design)
            assert alone.cost - applied.cost == pytest.approx(flat[0, index])


def test_prices_of_what_is_there_are_not_paid_again(fit):
    """Two of four judges by name, three of six items, one of two prompts."""
    prices = {"judge": {"a": 1.0, "b": 2.0, "x": 3.0, "y": 4.0}, "item": 0.5, "generation": 0.25, "prompt": 10.0}
    plan = optimum(fit, table(crossed(3, 1, 2)), 6, 2, 4, 1, "factorial", prices).plan
    whole = cost(prices, {"item": 6, "prompt": 2, "judge": 4}, "item", 48)
    assert (plan.calls, plan.reused) == (48, 6)
    assert plan.cost == pytest.approx(float(whole) - 3 * (1 + 2) - 3 * (0.5 + 0.25) - 10)


def test_a_study_costs_nothing_more_and_a_budget_goes_to_what_is_new():
    have = table(crossed(5, 3, 3))
    fit = q.decompose(have)
    best = q.plan(fit, budget=30, have=have, layouts=("factorial",))
    assert (best.own.cost, best.own.bought) == (0.0, 0)
    assert best.cost <= 30 < best.calls
    assert best.se < q.plan(fit, budget=30, layouts=("factorial",)).se
    assert best.to_dict()["plan"]["reused"] == best.plan.reused
    assert best.ranking(100, rng=1).draws == 100


def test_named_judges_at_one_price_save_that_for_every_judgment_that_is_there(fit):
    """Judge c takes every third of nine items of the plan, and a the rest: of b nothing is used."""
    own = {"items": 9, "prompts": 1, "judges": 2, "replicates": 1, "layout": "weighted", "places": {"a": 2, "c": 1}}
    have, limits = table(crossed(5, 1, 3)), {"items": [9], "prompts": [1], "judges": [2]}
    made = q.plan(fit, budget=1e9, limits=limits, prices={"call": 2.0}, have=have, own=own).own
    assert (made.calls, made.reused) == (9, 5)
    assert made.cost == 2.0 * (9 - 5)


def test_what_has_no_place_in_a_plan_is_said(fit):
    have = table(crossed(5, 3, 3))
    [caveat] = [one for one in optimum(fit, have, 20, 1, 3, 1, "random").caveats if one.code == "paid-for-nothing"]
    assert "45 of 45 judgments that are paid for have no place in the best design (this layout" in caveat.sentence
    [caveat] = [one for one in optimum(fit, have, 20, 1, 3, 1, "cyclic").caveats if one.code == "paid-for-nothing"]
    assert caveat.sentence.startswith("40 of 45 judgments")
    assert not [one for one in optimum(fit, have, 9, 3, 3, 1, "factorial").caveats if one.code == "paid-for-nothing"]


@pytest.mark.parametrize(
    ("have", "message"),
    [
        ("scores.csv", "have: expects what quorate.read returns, got str; read it first"),
        (
            pl.DataFrame(
                {"item": ["a", "a", "b", "b"], "judge": ["x"] * 4, "tone": ["p", "q"] * 2, "score": [1.0] * 4}
            ),
            "have: varies by tone, of which the plans know nothing; keep one level with only()",
        ),
    ],
)
def test_what_is_no_part_of_a_plan_is_refused(fit, have, message):
    if not isinstance(have, str):
        have = q.read(have, facets={name: name for name in ("item", "judge", "tone")}, announce=False)
    with pytest.raises(InvalidInput) as error:
        q.plan(fit, budget=10, have=have)
    assert str(error.value) == message
