from __future__ import annotations

import polars as pl
import pytest

from quorate.errors import UnknownTerm
from quorate.report.votes_view import dependence, votes_view
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def view():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return votes_view(read_votes(frame, announce=False))


def test_all_is_found_once(view):
    assert len(view.found) == 3
    assert (view.near.count, view.near.tau) == (1, 0.1)
    assert [one.by for one in view.dependence] == ["prompt"]
    assert view.quantiles.margin == pytest.approx((0.06, 0.15, 0.3, 0.3, 0.3))
    assert view.support.facts.decisive == 1200


def test_a_facet_that_is_asked_for_must_be_there(view):
    with pytest.raises(UnknownTerm):
        list(dependence(view.votes, "judge", 200))
