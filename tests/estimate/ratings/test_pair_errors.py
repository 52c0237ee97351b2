from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.differences.difference import difference
from quorate.estimate.ratings.rank import rank


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


@pytest.mark.parametrize("drop", [0, 1])
def test_a_board_has_the_errors_of_pairs(drop):
    """Standard errors, degrees of freedom and verdicts are those of `compare`, however unlike a system is."""
    unlike = table(8, drop=drop)
    board = rank(unlike)
    place = {name: i for i, name in enumerate(board.systems)}
    frame = {(row["a"], row["b"]): row for row in board.differences("polars").to_dicts()}
    for (a, b), row in frame.items():
        one = difference(unlike, a, b)
        assert (row["difference"], row["se"]) == pytest.approx((one.value, one.se), rel=1e-9)
        assert board.pairs.df[place[a], place[b]] == pytest.approx(one.df, rel=1e-9)
        assert row["differ"] == (row["low"] > 0)
        assert row["high"] - row["low"] > np.ptp(one.estimate.ends)  # all at once
    with_d, without = ([row["se"] for pair, row in frame.items() if ("d" in pair) == there] for there in (True, False))
    assert min(with_d) > 1.5 * max(without) or drop == 0
    back = board.difference("b", "a")
    assert -back.value == pytest.approx(frame["a", "b"]["difference"])


def test_every_mean_has_the_error_of_its_own_scores():
    board = rank(table(8))
    se = dict(zip(board.systems, board.se.tolist(), strict=True))
    assert se["d"] > 1.5 * max(se[name] for name in "ab")
    assert all(mean.ends[0] < mean.value < mean.ends[1] for mean in board.means)


def test_copies_of_a_system_are_told_apart_from_nothing():
    rows = {"system": list("aabbcc"), "item": [1, 2] * 3, "score": [1.0, 2.0, 1.0, 2.0, 3.0, 7.0]}
    board = rank(q.read(pl.DataFrame(rows), announce=False))
    i, j = board.systems.index("a"), board.systems.index("b")
    assert board.pairs.square[i, j] == 0
    assert not board.ranks.above[i, j]
