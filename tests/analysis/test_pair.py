from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.analysis.votes import INDEPENDENT, pair_view, way
from quorate.errors import UnknownTerm
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def votes():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return read_votes(frame, announce=False)


def test_the_same_votes_are_counted_in_other_ways(votes):
    view = pair_view(votes, "y", "x", cluster="prompt")
    assert way(view.verdict) == "by prompt"
    ((name, other),) = view.others
    assert name == INDEPENDENT
    assert other.difference.se < view.verdict.difference.se
    assert view.to_dict() == {**view.verdict.to_dict(), "concentration": None}
    assert view.exit_code == view.verdict.exit_code == 0


def test_ties_are_counted_in_other_ways_where_there_are_any():
    frame = pl.DataFrame({"model_a": ["x"] * 60, "model_b": ["y"] * 60, "winner": ["x", "y", "tie"] * 20})
    view = pair_view(read_votes(frame, announce=False), "x", "y")
    assert [name for name, _ in view.others] == ["votes independent, ties as halves"]
    assert view.others[0][1].difference.n == 60


def test_a_pilot_is_not_compared_with_other_pairs(votes):
    view = pair_view(votes, "x", "y", minimum=1000)
    assert view.every is None
    assert "1,000" in view.every_reason
    assert len(pair_view(votes, "x", "y").every.found) == 3


def test_systems_must_be_there(votes):
    with pytest.raises(UnknownTerm):
        pair_view(votes, "x", "nobody")


def test_what_is_wrong_with_the_votes_is_said_with_what_to_know_of_the_verdict():
    frame = pl.DataFrame({"model_a": ["x"] * 90, "model_b": ["y"] * 90, "winner": ["x", "tie", "tie"] * 30})
    view = pair_view(read_votes(frame, announce=False), "x", "y")
    assert "mostly-ties" in [one.code for one in view.caveats]
    assert set(view.verdict.caveats) <= set(view.caveats)


def test_whether_few_types_hold_the_signal_is_said_where_votes_have_types():
    shares = [0.9, 0.5, 0.5, 0.5, 0.5, 0.5]
    rows = [("x", "y", "xy"[i >= 60 * p], f"t{t}") for t, p in enumerate(shares) for i in range(60)]
    schema = ["model_a", "model_b", "winner", "prompt_type"]
    votes = q.read_votes(pl.DataFrame(rows, schema=schema, orient="row"), announce=False)
    view = pair_view(votes, "x", "y")
    assert view.concentration == q.votes.concentration([54, *[30] * 5], [60] * 6, level=0.95)
    assert view.to_dict()["concentration"]["recommended"]
    few = pair_view(votes.keep(np.arange(votes.rows) % 30 == 0), "x", "y")
    assert few.concentration is None
    assert "at least 4 of each" in few.concentration_reason
