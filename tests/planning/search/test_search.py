from __future__ import annotations

import numpy as np
import pytest

import quorate as q
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


def test_a_strategy_has_its_best_number_of_items(source, grid):
    found = search(source, grid, {"call": 1.0})
    for kept, weights in strategies(source, found, {"call": 1.0}, 50.0):
        values = np.array(list(source.values.values()))
        np.testing.assert_allclose(values @ weights, kept.variance)
        assert np.all(kept.cost <= 50)
        piece = found.pieces[kept.piece[0]] if len(kept.piece) else None
        for variance, index in zip(kept.variance, kept.index, strict=True):
            design = piece.design(int(index))
            cost, all_variances = judge(source, piece, {"call": 1.0})
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
            parts.append(searching._kept(source, piece, number, price, variance, width, every))
        wanted = searching.undominated(searching.joined(parts))
        place = np.searchsorted(found.frontier.cost, wanted.cost * (1 + 1e-12), side="right") - 1
        assert (np.sqrt(found.frontier.width[place]) <= np.sqrt(wanted.width) * slack).all()
        number, index, width = found.frontier.piece[-1], found.frontier.index[-1:], found.frontier.width[-1]
        assert searching.half_widths(source, found.pieces[number], index) == pytest.approx(np.sqrt(width), rel=1e-9)
