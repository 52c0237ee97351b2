from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.reporting.votes_order import order_noticed


def votes(*rows):
    """Rows: model shown first, the other, votes for each."""
    names = ["model_a", "model_b", "for_a", "for_b"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return q.read_votes(frame, wins=["for_a", "for_b"], order="model_a", announce=False)


def test_the_system_shown_first_wins_beyond_chance():
    said = order_noticed(votes(("x", "y", 75, 25), ("y", "x", 65, 35)))
    assert said == "The system shown first won 70.0% of 200 decisive votes (p < 0.0001, votes taken as independent)"


@pytest.mark.parametrize(
    "rows",
    [
        [("x", "y", 52, 48), ("y", "x", 53, 47)],  # chance
        [("x", "y", 90, 10), ("y", "z", 90, 10)],  # a better system that is always shown first
    ],
)
def test_nothing_is_said_of_chance_or_of_an_order_that_never_varies(rows):
    assert order_noticed(votes(*rows)) == ""


def test_nothing_is_said_where_the_order_is_not_known(ballots):
    assert order_noticed(ballots()) == ""
