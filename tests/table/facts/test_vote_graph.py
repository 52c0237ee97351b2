from __future__ import annotations

import polars as pl

from quorate.table.facts.vote_facts import graph_of
from quorate.table.read_votes import read_votes


def graph(*rows):
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner"], orient="row")
    return graph_of(read_votes(frame, announce=False).pairs())


def test_models_that_no_vote_connects():
    found = graph(("x", "y", "a"), ("u", "v", "b"), ("v", "w", "tie"))
    assert found.components == (("u", "v", "w"), ("x", "y"))


def test_a_missing_vote_connects_nothing():
    assert graph(("x", "y", "a"), ("y", "z", None)).components == (("x", "y"), ("z",))


def test_a_circle_of_wins_has_one_side():
    assert graph(("x", "y", "a"), ("y", "z", "a"), ("z", "x", "a")).one_sided == (("x", "y", "z"),)


def test_a_model_that_never_lost_is_apart():
    found = graph(("x", "y", "a"), ("y", "z", "a"), ("z", "y", "a"))
    assert found.components == (("x", "y", "z"),)
    assert found.one_sided == (("y", "z"), ("x",))


def test_ties_connect_both_ways():
    assert graph(("x", "y", "tie"), ("y", "z", "tie (bothbad)")).one_sided == (("x", "y", "z"),)
