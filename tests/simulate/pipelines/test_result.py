"""What a result says."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from calibration.redrawn_battles import BattleComponents, draw_panel, simulate_battles

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.simulate.pipelines.cells import CellMargins
from quorate.simulate.pipelines.result import (
    PipelineErrors,
    Pipelines,
    Rated,
    Scale,
    cell_by_cell,
    drawn_weights,
    panels,
)


@pytest.fixture
def pipelines():
    rows = (Rated("x", 0.6, 0.01, 0.02, 0.03, 4.0), Rated("y", 0.4, 0.0, 0.0, 0.0, np.inf))
    errors = tuple(PipelineErrors("judges", kind, "win rate", rows, 0) for kind in ("single", "average"))
    return Pipelines(errors, {"judges": 6}, {"judges": {"judge": 3, "variant": 2}}, "win rate", 100, None)


def test_ratios_leave_out_what_never_varies(pipelines):
    one = pipelines.of("single")
    assert (one.ratio, one.redrawn_ratio) == (pytest.approx(3), pytest.approx(2))
    assert np.isnan(one.systems[1].ratio)
    assert np.isnan(PipelineErrors("judges", "single", "win rate", one.systems[1:], 0).ratio)


def test_intervals_are_student_with_cells_and_normal_without(pipelines):
    one = pipelines.of("average")
    assert one.interval("x", aware=False).ends == pytest.approx((0.6 - 0.0196, 0.6 + 0.0196), abs=1e-5)
    assert one.interval("x").ends == pytest.approx((0.6 - 0.03 * 2.776445, 0.6 + 0.03 * 2.776445), abs=1e-6)
    assert one.interval("x").at(1 - 1e-9).ends == (0, 1)
    with pytest.raises(UnknownTerm):
        one.interval("z")
    with pytest.raises(InvalidInput, match="level"):
        one.interval("x").at(95)


def test_the_sentence_and_the_tables(pipelines):
    assert pipelines.sentence.startswith(
        "Error bars that hold for other levels of judge and variant like these are 3.00 times"
    )
    swapped = replace(pipelines, facets={"judges": {"judge": 3, "order": 2}})
    assert swapped.sentence.startswith(
        "Error bars that hold for other levels of judge like these and either order are 3.00"
    )
    assert replace(pipelines, facets={"judges": {"order": 2}}).sentence.startswith(
        "Error bars that hold for either order "
    )
    frame = pipelines.to_frame()
    assert frame.height == 4
    assert frame.columns == ["pipeline", "kind", "system", "value", "naive", "redrawn", "aware", "df", "ratio"]
    plain = json.loads(json.dumps(pipelines.to_dict(), allow_nan=False))
    assert plain["errors"][0]["systems"][1]["ratio"] is None
    assert plain["errors"][0]["systems"][1]["df"] is None
    with pytest.raises(UnknownTerm):
        pipelines.of("single", "nobody")


# Leaderboards of battles against those of votes, and what the draws draw.


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    components = BattleComponents()
    return simulate_battles(draw_panel(5, 2, 2, components, rng), 200, components, rng)


def once(table):
    return np.ones((len(table), 1), dtype=np.float32)


def one_battle(margins, **levels):
    cells = np.array(margins, dtype=float)
    shown = {name: tuple(labels) for name, labels in levels.items()} or {"judge": tuple(map(str, range(cells.size)))}
    zero = np.zeros(1, dtype=np.int64)
    return CellMargins(("x", "y"), zero, zero + 1, cells[None], shown, zero, 0.05, False)


@pytest.mark.parametrize("ties", ["half", "davidson", "drop"])
def test_ratings_are_those_of_rank(table, ties):
    verdict = table.verdicts(table.margin[:, 0])
    names = np.array(["model_a", "model_b", "tie"])
    frame = pl.DataFrame(
        {
            "model_a": [table.systems[i] for i in table.a],
            "model_b": [table.systems[i] for i in table.b],
            "winner": names[verdict],
        }
    )
    wanted = {
        row["system"]: row["rating"]
        for row in q.rank(q.read_votes(frame, announce=False), ties=ties).to_frame().rows(named=True)
    }
    board = Scale(table, "bradley-terry", ties, 0.0).boards(verdict[:, None], once(table))[:, 0]
    assert dict(zip(table.systems, board, strict=True)) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(("ties", "wanted"), [("half", [5 / 8, 3 / 8]), ("drop", [2 / 3, 1 / 3])])
def test_win_rates_by_hand(ties, wanted):
    """Two wins, one loss and a tie of the first; a battle without a verdict does not count."""
    battles = one_battle([0.5])
    many = replace(battles, a=np.zeros(5, dtype=np.int64), b=np.ones(5, dtype=np.int64), cluster=np.arange(5))
    verdicts = np.array([[0, 0, 1, 2, -1]], dtype=np.int8).T
    board = Scale(many, "win rate", ties, 0.0).boards(verdicts, np.ones((5, 1), dtype=np.float32))
    np.testing.assert_allclose(board[:, 0], wanted)


def test_what_has_no_ratings_is_nan_unless_it_is_shrunk():
    verdicts = np.array([[0]], dtype=np.int8)
    weight = np.ones((1, 1), dtype=np.float32)
    assert np.isnan(Scale(one_battle([0.5]), "bradley-terry", "half", 0.0).boards(verdicts, weight)).all()
    shrunk = Scale(one_battle([0.5]), "bradley-terry", "half", 1.0).boards(verdicts, weight)[:, 0]
    assert shrunk[0] == pytest.approx(-shrunk[1])
    assert shrunk[0] > 0


def test_battles_of_one_cluster_are_drawn_as_often(table):
    tied = replace(table, cluster=np.arange(len(table)) // 2)
    weight = drawn_weights(tied, 300, np.random.default_rng(1))
    np.testing.assert_array_equal(weight[::2], weight[1::2])
    assert weight.mean() == pytest.approx(1, abs=0.02)
    assert weight.var() == pytest.approx(1, abs=0.05)


def test_cells_of_a_battle_are_drawn_with_replacement():
    """Three cells say A, A, B: two of three or more say A with a chance of 20/27; a fourth has no answer."""
    found = cell_by_cell(one_battle([0.5, 0.5, -0.5, np.nan]), 40_000, np.random.default_rng(1))
    assert np.mean(found == 0) == pytest.approx(20 / 27, abs=0.01)
    assert np.mean(found == 1) == pytest.approx(7 / 27, abs=0.01)
    silent = cell_by_cell(one_battle([np.nan, np.nan]), 10, np.random.default_rng(1))
    assert (silent == -1).all()


def test_panels_draw_levels_for_all_battles_and_keep_orders():
    """Judges that always disagree: half of the panels have one of each, and tie."""
    cells = one_battle([0.5, 0.5, -0.5, -0.5], judge="jjkk", order=("as listed", "swapped") * 2)
    both = replace(
        cells, a=np.zeros(2, dtype=np.int64), b=np.ones(2, dtype=np.int64), margin=np.repeat(cells.margin, 2, axis=0)
    )
    found = panels(both, 20_000, ("order",), np.random.default_rng(1))
    np.testing.assert_array_equal(found[0], found[1])
    assert [np.mean(found[0] == kind) for kind in range(3)] == pytest.approx([0.25, 0.25, 0.5], abs=0.02)
    assert (panels(cells, 50, ("order", "judge"), np.random.default_rng(1)) == 2).all()
