from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.planning.designs.schemes import Scheme
from quorate.planning.designs.sources import Design, from_fit
from quorate.planning.search.grid import Piece, allowed, around

HELD = {"item": 12, "prompt": 2, "judge": 3, "replicate": 1}


def designs(grid):
    """Every design, as its layout and counts."""
    for piece in grid.pieces():
        for index in range(piece.size):
            yield piece.scheme.layout, piece.scheme.per_item, tuple(sorted(piece.design(index).items()))


def test_every_design_once():
    grid = allowed({"items": [6, 12], "judges": range(1, 4), "prompts": [1, 2]}, ("factorial", "cyclic"), "item", HELD)
    found = list(designs(grid))
    assert len(found) == len(set(found)) == 2 * 3 * 2 + 2 * 2 * 2


def test_layouts_that_come_to_the_same_are_counted_once():
    limits = {"items": 12, "judges": [1, 3], "prompts": [1, 2], "per_item": [1, 2, 3]}
    grid = allowed(limits, ("factorial", "cyclic", "latin", "blocks"), "item", HELD)
    by_layout = {}
    for layout, per_item, counts in designs(grid):
        levels = dict(counts)
        by_layout.setdefault(layout, set()).add((per_item, levels["judge"], levels["prompt"]))
    assert by_layout["cyclic"] == {(None, 3, 1), (None, 3, 2)}
    assert by_layout["latin"] == {(None, 1, 2), (None, 3, 2), (2, 3, 2), (3, 3, 2)}
    assert by_layout["blocks"] == {(2, 3, 1), (2, 3, 2)}


def test_a_layout_on_its_own_keeps_all_its_designs():
    grid = allowed({"judges": [1, 3]}, ("cyclic",), "item", HELD)
    assert {dict(counts)["judge"] for _, _, counts in designs(grid)} == {1, 3}


def test_a_cycle_needs_items_enough():
    grid = allowed({"items": [5, 6], "judges": [3]}, ("latin",), "item", HELD)
    assert [dict(counts)["item"] for _, _, counts in designs(grid)] == [6]


def test_splitting_keeps_every_design():
    piece = Piece(Scheme("factorial"), {"judge": 3}, {"item": np.arange(1, 30), "prompt": np.array([1, 2, 4])})
    parts = list(piece.split(10))
    assert max(part.size for part in parts) <= 10
    whole = {tuple(sorted(piece.design(i).items())) for i in range(piece.size)}
    assert {tuple(sorted(part.design(i).items())) for part in parts for i in range(part.size)} == whole


def test_counts_broadcast_to_the_shape_and_agree_with_the_designs():
    piece = Piece(Scheme("factorial"), {"judge": 3}, {"item": np.array([4, 8]), "prompt": np.array([1, 2, 4])})
    counts = {name: np.broadcast_to(count, piece.shape).ravel() for name, count in piece.counts().items()}
    for index in range(piece.size):
        assert {name: values[index] for name, values in counts.items()} == piece.design(index)


@pytest.mark.parametrize("values", [7, np.int64(7), [7], np.array([7, 7]), (n for n in [7])])
def test_limits_may_be_given_in_many_ways(values):
    assert allowed({"items": values}, ("factorial",), "item", HELD).levels["item"] == (7,)


def test_facets_by_their_role():
    grid = allowed({"annotator": [2, 4]}, ("factorial",), "item", {**HELD, "annotator": 1})
    assert grid.levels["annotator"] == (2, 4)


@pytest.fixture(scope="module")
def fit(simulate):
    frame = simulate({"item": 30, "prompt": 3, "judge": 4, "temperature": 2}, replicates=2, seed=9)
    return q.decompose(q.read(frame, facets={n: n for n in ("item", "prompt", "judge", "temperature", "replicate")}))


def test_designs_around_the_one_at_hand(fit):
    found = around(from_fit(fit, Design(targets={"judge": "population"})), {"call": 1.0})
    assert (min(found["items"]), max(found["items"]), len(found["items"])) == (2, 120, 119)
    assert found["prompt"] == (1, 2, 3, 4, 5, 6)
    assert found["judge"] == tuple(range(1, 9))
    assert found["replicates"] == (1, 2, 3)
    assert "temperature" not in found  # a panel: with fewer levels the mean would be of something else


def test_no_more_judges_than_have_a_price(fit):
    source = from_fit(fit, Design(targets={"judge": "population"}))
    assert around(source, {"judge": {"a": 1.0, "b": 2.0}})["judge"] == (1, 2)
    panel = from_fit(fit, Design(targets={"judge": "panel"}))
    assert "judge" not in around(panel, {"judge": {"a": 1.0, "b": 2.0}})


def test_a_large_study_is_searched_at_steps(fit):
    items = around(from_fit(fit, Design(items=10_000)), {"call": 1.0})["items"]
    assert len(items) in (2000, 2001)
    assert 10_000 in items
    assert max(items) == 40_000


def test_optimize_uses_them(fit):
    best = q.plan(fit, budget=240, targets={"judge": "population"})
    assert best.calls <= 240
    assert best.own.calls == 1440
    assert best.candidates > 5000
