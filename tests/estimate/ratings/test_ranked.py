from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from quorate.caveats import few_clusters, taken_as_independent
from quorate.estimate.ratings.ranked import at_once, by_group, may_be_first, rank_rows, standing, top

NAMES = tuple("abcdefgh")


def board(groups, first=1, told=()):
    """Eight systems of which so many may be first, and every one of these is as good as the others."""
    above = np.triu(np.ones((8, 8), dtype=bool), 1)
    above[:first, :first] = False
    return SimpleNamespace(
        systems=NAMES,
        rating=np.arange(8.0)[::-1] / 3,
        se=np.full(8, 0.5),
        intervals=np.arange(16.0).reshape(8, 2),
        ranks=SimpleNamespace(low=1 + above.sum(axis=0), high=np.arange(8) + 1, above=above),
        level=0.95,
        group=np.array(groups),
        groups=by_group(NAMES, np.array(groups)),
        best=dict.fromkeys(NAMES, 0.125),
        caveats=tuple(told),
    )


def test_systems_by_group():
    assert by_group(("x", "y", "z"), np.array([2, 1, 2])) == (("y",), ("x", "z"))


def test_the_short_form_has_three():
    assert top(board([1] * 8)) == "a 2.333, b 2, c 1.667, ..."
    assert top(SimpleNamespace(systems=("x", "y"), rating=np.array([1.0, 0.0]))) == "x 1, y 0"


def test_who_may_be_first_is_what_ranks_say():
    assert standing(board([1, 2, 2, 2, 2, 2, 2, 2])).startswith("a is first of 8 systems; 28 of 28 pairs")
    two = board([1] * 8, first=2)
    assert may_be_first(two) == ("a", "b")
    assert standing(two).startswith("a leads 8 systems, not surely ahead of b; 27 of 28 pairs")
    assert standing(board([1] * 8, first=7)).startswith("a leads 8 systems, not surely ahead of 6 of them")
    assert standing(board([1] * 8, first=8)) == "No two of 8 systems are told apart, at 95% for all ranks at once."


def test_ranks_of_votes_that_are_wrongly_taken_as_independent_hold_only_if_they_were():
    dependent = board([1] * 8, told=[taken_as_independent({"prompt": 2.0})])
    assert at_once(dependent) == "for all ranks at once, were votes independent, which they need not be"
    assert at_once(dependent) in standing(dependent)
    assert at_once(board([1] * 8, told=[few_clusters("judge", 5, 5.0)])) == "for all ranks at once"


def test_a_row_for_every_system():
    rows = rank_rows(board([1] * 8))
    assert list(rows[0]) == ["system", "rating", "se", "low", "high", "rank_low", "rank_high", "group"]
    assert [row["low"] for row in rows] == [0, 2, 4, 6, 8, 10, 12, 14]
