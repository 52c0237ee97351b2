from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.estimate.differences.difference import by_mean, closest


@pytest.fixture(scope="module")
def table():
    """Means of 2, 5 and 4.5; one system was asked and never answered."""
    scores = {"low": [1, 2, 3], "best": [5, 4, 6], "good": [4, 4.5, 5], "mute": [None] * 3}
    rows = [(system, item, score) for system, own in scores.items() for item, score in enumerate(own)]
    return q.read(pl.DataFrame(rows, schema=["system", "item", "score"], orient="row"), announce=False)


def test_systems_by_their_means(table):
    assert by_mean(table) == {"best": 5.0, "good": 4.5, "low": 2.0}


def test_the_two_that_are_closest_are_planned_for_and_named(table):
    found = closest(table)
    assert (found.a, found.b, found.value) == ("best", "good", pytest.approx(0.5))
    assert found.caveats[0].code == "closest-two"
    assert "of 3 systems best and good differ least" in str(found.caveats[0])


def test_of_two_there_is_nothing_to_say(table):
    two = table.keep(table.column("system") != table.level_index("system", "low"))
    assert "closest-two" not in [one.code for one in closest(two).caveats]
