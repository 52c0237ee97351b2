"""Two runners, or four, on one ledger share the work: no cell is judged twice, and the budget is one."""

from __future__ import annotations

import json

import pytest

from quorate.collect.ledger.ledger import Ledger


@pytest.mark.slow  # of whole commands: `tests/runs`
@pytest.mark.fault("several runners at once")
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


@pytest.mark.postgres
@pytest.mark.fault("several runners at once")
@pytest.mark.parametrize("store", ["postgres"], indirect=True)
def test_four_runners_on_one_server_share_the_work(planned, loopback, runner):
    path, server = planned(800, ("a", "b"), prices={"a": 0.001, "b": 0.001}).path, loopback(0.2)
    four = [runner(path, server.port, concurrency=8, cost=0.001) for _ in range(4)]
    said = [json.loads(process.communicate(timeout=200)[0].splitlines()[-1]) for process in four]
    assert set(server.counts().values()) == {1}
    assert server.counts().total() == 1600
    assert [one["ended"] for one in said] == ["COMPLETE"] * 4
    assert sum(one["finished"] for one in said) == 1600
    assert min(one["finished"] for one in said) > 0
    with Ledger.open(path) as ledger:
        spend = ledger.spend()
    assert (spend.calls, spend.lost, spend.reserved) == (1600, 0, 0)
    assert spend.money == pytest.approx(1.6)


@pytest.mark.fault("several runners at once")
def test_they_share_one_budget(planned, loopback, runner):
    path, server = planned(200).path, loopback()
    both = [runner(path, server.port, concurrency=16, budget={"calls": 111}) for _ in range(2)]
    said = [json.loads(process.communicate(timeout=100)[0].splitlines()[-1]) for process in both]
    assert server.counts().total() == 111
    assert {one["ended"] for one in said} == {"BUDGET"}
