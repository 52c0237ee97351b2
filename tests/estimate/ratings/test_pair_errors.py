from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.analysis.ratings import RatingsAnalysis
from quorate.estimate.differences.difference import difference
from quorate.estimate.ratings.pair_errors import pair_errors
from quorate.estimate.ratings.rank import rank
from quorate.reporting.pages.ratings.page import BY_PAIRS, methods


def table(wild, judges=4, drop=0):
    """Three systems on 4 items of each of 3 categories, of which d varies so many times as much from item to item."""
    rng, rows = np.random.default_rng(1), []
    items, favours = rng.normal(0, 1, 12), rng.normal(0, 0.2, (3, judges))
    for s, name in enumerate("abd"):
        own = rng.normal(0, 0.5 * (wild if name == "d" else 1), 12)
        for i in range(12):
            for j in range(judges):
                score = 5 + 0.5 * (name == "a") + items[i] + own[i] + favours[s, j] + rng.normal(0, 0.4)
                rows.append((name, f"i{i}", f"c{i // 4}", f"j{j}", score))
    frame = pl.DataFrame(
        rows[: len(rows) - drop], schema=["system", "item", "category", "judge", "score"], orient="row"
    )
    return q.read(frame, announce=False)


@pytest.fixture(scope="module")
def unlike():
    return table(8)


@pytest.fixture(scope="module")
def board(unlike):
    return rank(unlike)


@pytest.mark.slow
def test_a_board_with_an_unlike_system_has_the_errors_of_pairs(unlike, board):
    """Standard errors, degrees of freedom and differences are those of `compare`, whichever system comes first."""
    assert [one.code for one in board.caveats if "pairs" in one.code] == ["told-apart-by-pairs"]
    frame = {(row["a"], row["b"]): row for row in board.differences("polars").to_dicts()}
    place = {name: i for i, name in enumerate(board.systems)}
    for (a, b), row in frame.items():
        one = difference(unlike, a, b, method="paired")
        assert row["difference"] == pytest.approx(one.value)
        assert row["se"] >= one.se * (1 - 1e-9)
        assert row["se"] == pytest.approx(one.se, rel=0.3)
        assert board.pairs.df[place[a], place[b]] == pytest.approx(one.df)
        assert row["differ"] == (row["low"] > 0)
    with_d, without = ([row["se"] for pair, row in frame.items() if ("d" in pair) == there] for there in (True, False))
    assert min(with_d) > 1.5 * max(without)
    back = board.difference("b", "a")
    assert (-back.value, back.se) == pytest.approx((frame["a", "b"]["difference"], frame["a", "b"]["se"]), rel=0.3)
    plain = json.loads(json.dumps(board.to_dict()))
    assert (plain["by_pairs"], plain["critical"]) == (True, None)


def test_every_mean_has_the_error_of_its_own_scores(board):
    assert methods(RatingsAnalysis(board)).count(BY_PAIRS) == 1
    se = dict(zip(board.systems, board.se.tolist(), strict=True))
    assert se["d"] > 1.5 * max(se[name] for name in "ab")
    assert all(mean.interval()[0] < mean.value < mean.interval()[1] for mean in board.means)


def test_one_model_stays_where_systems_vary_alike_or_pairs_lack_cells():
    alike, ragged = rank(table(1)), rank(table(8, drop=1))
    assert alike.pairs is ragged.pairs is None
    assert not [one for one in alike.caveats if "pairs" in one.code]
    assert "unlike-systems" in {one.code for one in ragged.caveats}
    assert not alike.to_dict()["by_pairs"]


def test_a_copy_of_a_system_has_no_error_of_its_own():
    frame = pl.DataFrame({"system": list("aabb"), "item": [1, 2, 1, 2], "score": [1.0, 2.0, 1.0, 2.0]})
    assert pair_errors(q.read(frame, announce=False), ("a", "b"), "system", {}) is None
