from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from quorate.estimate.ratings.ranked import by_group, first_places, rank_rows, top

NAMES = tuple("abcdefgh")


def board(groups):
    return SimpleNamespace(
        systems=NAMES,
        rating=np.arange(8.0)[::-1] / 3,
        se=np.full(8, 0.5),
        intervals=np.arange(16.0).reshape(8, 2),
        ranks=SimpleNamespace(low=np.arange(8), high=np.arange(8) + 1),
        group=np.array(groups),
        groups=by_group(NAMES, np.array(groups)),
        best=dict.fromkeys(NAMES, 0.125),
    )


def test_systems_by_group():
    assert by_group(("x", "y", "z"), np.array([2, 1, 2])) == (("y",), ("x", "z"))


def test_the_short_form_has_three():
    assert top(board([1] * 8)) == "a 2.333, b 2, c 1.667, ..."
    assert top(SimpleNamespace(systems=("x", "y"), rating=np.array([1.0, 0.0]))) == "x 1, y 0"


def test_one_first_place():
    assert first_places(board([1, 2, 2, 2, 2, 2, 2, 2])) == "a is first of 8 systems"


def test_shared_first_places():
    assert first_places(board([1, 1, 2, 2, 2, 2, 2, 2])) == (
        "a and b share the first places (a is best with chance 12.5%)"
    )
    assert first_places(board([1] * 8)).startswith("a, b, c, d, e, f and 2 more share the first places")


def test_a_row_for_every_system():
    rows = rank_rows(board([1] * 8))
    assert list(rows[0]) == ["system", "rating", "se", "low", "high", "rank_low", "rank_high", "group"]
    assert [row["low"] for row in rows] == [0, 2, 4, 6, 8, 10, 12, 14]
