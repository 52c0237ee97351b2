"""Whatever moment a runner is killed at, every cell has one judgment in the end, and every request is accounted for."""

from __future__ import annotations

import json
import random
import time
from collections import Counter

import pytest

from quorate.collect.ledger.ledger import Ledger

MOST = 32
PRICE = 0.001
BUSY = (
    "SELECT 1 FROM pg_stat_activity WHERE application_name = 'quorate' AND state <> 'idle' AND pid <> pg_backend_pid()"
)


def ask(path, query):
    with Ledger.open(path) as ledger:
        while ledger.remote and ledger._connection.execute(BUSY).fetchall():
            time.sleep(0.01)  # a server carries out what the killed process had sent last
        return ledger._connection.execute(query).fetchall()


def killed(runner, path, port, wait, **options):
    """Cells in flight, and for which runner, when a runner was killed, which was some time after it began."""
    process = runner(path, port, concurrency=MOST, cost=PRICE, **options)
    assert process.stdout.readline() == "started\n"
    time.sleep(wait)
    process.kill()
    process.wait()
    return set(ask(path, "SELECT id, runner FROM cells WHERE state = 'leased'"))


def finish(runner, path, port, **options):
    process = runner(path, port, concurrency=MOST, cost=PRICE, **options)
    said = process.communicate(timeout=200)[0].splitlines()
    assert process.returncode == 0
    return json.loads(said[-1])


def check_accounts(path, counts, budget):
    """Every request that the endpoint counted is in the ledger, and no other but those that may have been lost."""
    of_key = "FROM cells AS c LEFT JOIN attempts AS a ON a.cell = c.id GROUP BY key"
    rows = ask(
        path, f"SELECT key, count(*) FILTER (WHERE status = 'ok'), count(*) FILTER (WHERE status = 'lost') {of_key}"
    )
    open_ = {key for (key,) in ask(path, "SELECT key FROM cells WHERE state = 'leased'")}
    assert counts.keys() <= {key for key, *_ in rows}
    for key, answered, lost in rows:
        assert answered <= counts[key] <= answered + lost + (key in open_)
    calls, lost, reserved, money = ask(path, "SELECT calls, lost, reserved, money FROM spend")[0]
    assert (calls, lost) == (sum(row[1] + row[2] for row in rows), sum(row[2] for row in rows))
    assert reserved == len(open_)
    assert money == ask(path, "SELECT coalesce(sum(charged), 0) FROM attempts")[0][0]
    assert counts.total() <= calls + reserved <= budget


def check_kills(planned, loopback, runner, kills, items, replicates):
    path = planned(items, ("a", "b"), replicates, prices={"a": PRICE, "b": PRICE}).path
    server, total, budget = loopback(), items * 2 * replicates, items * 2 * replicates + (kills + 1) * 4 * MOST
    rng, flying = random.Random(7), set()
    rest = {"budget": {"calls": budget, "money": budget * PRICE}}
    for _ in range(kills):
        flying |= killed(runner, path, server.port, rng.uniform(0, 0.3), **rest)
        check_accounts(path, server.counts(), budget)
    assert finish(runner, path, server.port, **rest)["ended"] == "COMPLETE"
    check_accounts(path, server.counts(), budget)
    assert max(Counter(by for _, by in flying).values()) <= 2 * 2 * MOST  # two judges
    assert 0 < len(flying) == ask(path, "SELECT lost FROM spend")[0][0]
    assert server.counts().total() - total <= len(flying)
    good = "count(*) FILTER (WHERE status = 'ok' AND score = 7)"
    assert ask(path, f"SELECT count(*), {good} FROM judgments") == [(total, total)]
    once = "SELECT DISTINCT item, judge, replicate FROM judgments"
    assert ask(path, f"SELECT count(*) FROM ({once}) AS found") == [(total,)]
    assert ask(path, "SELECT count(*) FROM attempts WHERE status = 'ok'") == [(total,)]


@pytest.mark.slow  # of whole commands: `tests/runs`
@pytest.mark.fault("a runner is killed")
@pytest.mark.parametrize(("kills", "items", "replicates"), [(3, 100, 4), (50, 500, 5)])
def test_kills(planned, loopback, runner, kills, items, replicates):
    check_kills(planned, loopback, runner, kills=kills, items=items, replicates=replicates)


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_a_kill_cannot_break_the_budget(planned, loopback, runner):
    path, server = planned(400, prices={"a": PRICE}).path, loopback()
    rest = {"budget": {"calls": 200, "money": 0.15}}
    killed(runner, path, server.port, 0.1, **rest)
    outcome = finish(runner, path, server.port, **rest)
    check_accounts(path, server.counts(), 150)
    with Ledger.open(path) as ledger:
        assert ledger.spend().calls == 150
        assert ledger.spend().money == pytest.approx(0.15)
    assert outcome["ended"] == "BUDGET"
    assert outcome["left"] == 400 - ask(path, "SELECT count(*) FROM judgments")[0][0]


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


@pytest.mark.slow
@pytest.mark.fault("several runners at once")
def test_they_share_one_budget(planned, loopback, runner):
    path, server = planned(200).path, loopback()
    both = [runner(path, server.port, concurrency=16, budget={"calls": 111}) for _ in range(2)]
    said = [json.loads(process.communicate(timeout=100)[0].splitlines()[-1]) for process in both]
    assert server.counts().total() == 111
    assert {one["ended"] for one in said} == {"BUDGET"}
