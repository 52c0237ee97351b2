"""A recorded table gives back what was recorded, and nothing that was not."""

from __future__ import annotations

import asyncio

import polars as pl
import pytest

from quorate.collect.budget import Price
from quorate.collect.judge import Expects, Request
from quorate.collect.judges.local import ReplayJudge
from quorate.errors import InvalidInput
from quorate.table.read import read

ROWS = [
    ("i1", "x", "a", 0.5, 1, 3.0, "ok"),
    ("i1", "x", "a", 0.5, 2, 5.0, "ok"),
    ("i1", "x", "a", 0.5, 3, None, "refused"),
    ("i1", "x", "a", 1.0, 1, 7.0, "ok"),
    ("i2", "y", "a", 0.5, 1, None, "unparsed"),
    ("i2", "y", "a", 0.5, 2, 9.0, "ok"),
    ("i1", "x", "b", 0.5, 1, 2.0, "ok"),
]
COLUMNS = ("item", "category", "judge", "temperature", "replicate", "score", "status")


@pytest.fixture(scope="module")
def recorded():
    frame = pl.DataFrame(ROWS, schema=COLUMNS, orient="row")
    facets = {role: role for role in ("item", "judge", "temperature", "replicate")}
    return read(frame, facets=facets, nested={"item": "category"}, status="status", announce=False)


def asked(judge, expects=None, **cell):
    request = Request("k", (), {}, expects or Expects(1, 10), judge.name, cell)
    return asyncio.run(judge.ask(request))


@pytest.mark.parametrize(
    ("item", "temperature", "replicate", "status", "score"),
    [
        ("i1", "0.5", "1", "ok", 3),
        ("i1", "0.5", "2", "ok", 5),
        ("i1", "0.5", "3", "refused", None),
        ("i1", "0.5", "4", "error", None),
        ("i1", "1.0", "1", "ok", 7),
        ("i2", "0.5", "1", "ok", 9),
        ("i2", "0.5", "2", "unparsed", None),
        ("i3", "0.5", "1", "error", None),
        ("i1", "0.7", "1", "error", None),
        ("i1", "0.5", "0", "error", None),
        ("i1", "0.5", "x", "error", None),
    ],
)
def test_answers_by_cell_and_replicate(recorded, item, temperature, replicate, status, score):
    temperature = (
        recorded.facet("temperature").levels[0 if temperature == "0.5" else 1] if temperature != "0.7" else "0.7"
    )
    reply = asked(ReplayJudge("a", recorded), item=item, temperature=temperature, replicate=replicate)
    assert (reply.status, reply.score, reply.cost) == (status, score, 0.0)
    assert not reply.retryable


def test_judges_are_told_apart(recorded):
    level = recorded.facet("temperature").levels[0]
    assert asked(ReplayJudge("b", recorded), item="i1", temperature=level, replicate="1").score == 2
    with pytest.raises(InvalidInput, match='judge "c": not in the recorded table; it has a, b'):
        ReplayJudge("c", recorded)


def test_a_table_of_one_judge_goes_by_any_name():
    judge = ReplayJudge("anybody", read(pl.DataFrame({"item": ["i1"], "score": [3]}), announce=False))
    assert asked(judge, item="i1").score == 3


def test_a_cell_without_a_facet_of_the_table_ends_the_judge(recorded):
    reply = asked(ReplayJudge("a", recorded), item="i1")
    assert (reply.status, reply.fatal) == ("error", True)
    assert 'no "temperature"' in reply.error


def test_another_scale_is_not_taken(recorded):
    level = recorded.facet("temperature").levels[0]
    judge = ReplayJudge("a", recorded, price=Price(call=0.25))
    reply = asked(judge, Expects(0, 1), item="i1", temperature=level, replicate="1")
    assert (reply.status, reply.score, reply.cost) == ("unparsed", None, 0.25)
