"""Answers of a ledger in the order in which they came."""

import pytest
from under_way import scored, voted

import quorate as q
from quorate.study.file import load
from quorate.table.arrived import arrived


def test_what_has_arrived_is_what_is_read(tmp_path):
    place = load(scored(tmp_path, calls=15, items=4)).database
    whole, came = q.read(place, announce=False), arrived(place)
    table = came.first(came.sizes[-1])
    assert [facet.name for facet in table.facets] == [facet.name for facet in whole.facets]
    assert [facet.fixed for facet in table.facets] == [facet.fixed for facet in whole.facets]
    assert (table.n_answers, table.mean.mean()) == (whole.n_answers, pytest.approx(whole.mean.mean()))
    assert came.first(8).n_answers == 8


def test_votes_come_in_the_order_of_their_time(tmp_path):
    came = arrived(load(voted(tmp_path, calls=12, items=5)).database)
    assert came.sizes == (8, 11, 12)
    assert came.first(8).rows == 8
    assert (came.votes.time[:-1] <= came.votes.time[1:]).all()
