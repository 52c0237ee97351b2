"""Two runners on one ledger share the work: no cell is judged twice, and the budget is one."""

from __future__ import annotations

import json

import pytest

from quorate.collect.ledger.ledger import Ledger


@pytest.mark.slow  # of whole commands: `tests/runs`
def test_no_cell_is_judged_twice(planned, loopback, runner):
    path, server = planned(600, ("a", "b")).path, loopback()
    both = [runner(path, server.port, concurrency=16) for _ in range(2)]
    said = [json.loads(process.communicate(timeout=100)[0].splitlines()[-1]) for process in both]
    assert set(server.counts().values()) == {1}
    assert server.counts().total() == 1200
    assert sum(one["finished"] for one in said) == 1200
    assert all(one["finished"] > 0 and one["ended"] == "COMPLETE" for one in said)
    with Ledger.open(path) as ledger:
        ((rows, runners),) = ledger._connection.execute("SELECT count(*), count(DISTINCT runner) FROM attempts")
    assert (rows, runners) == (1200, 2)


def test_they_share_one_budget(planned, loopback, runner):
    path, server = planned(200).path, loopback()
    both = [runner(path, server.port, concurrency=16, budget={"calls": 111}) for _ in range(2)]
    said = [json.loads(process.communicate(timeout=100)[0].splitlines()[-1]) for process in both]
    assert server.counts().total() == 111
    assert {one["ended"] for one in said} == {"BUDGET"}
