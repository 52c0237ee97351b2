"""Whatever moment `quorate run` is killed at, every cell has one judgment in the end and every request is counted."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest

MOST = 16
PRICE = 100 * 10 + 10 * 20  # of an answer of the server, in millionths
CELLS = "SELECT c.key, a.request, a.status, a.charged FROM cells AS c JOIN attempts AS a ON a.cell = c.id"
SPEND = "SELECT calls, lost, reserved, money, reserved_money FROM spend"


def flying(ask, ledger):
    """Cells that are leased, and by which runner."""
    return set(ask(ledger, "SELECT id, runner FROM cells WHERE state = 'leased'"))


def planned(ask, ledger):
    return ledger.exists() and bool(ask(ledger, "SELECT 1 FROM sqlite_master WHERE name = 'judgments'"))


def killed(start, server, path, moment, *, at_work):
    """Kill a run some time after it began, or after its first request."""
    process, before = start("run", path, "--yes"), sum(server.counts().values())
    while at_work and process.poll() is None and sum(server.counts().values()) == before:
        time.sleep(0.005)
    time.sleep(moment)
    process.kill()
    process.wait()


def check_open(ask, ledger, server, budget):
    """In the middle: nothing more was sent than is reserved or recorded, and the budget holds."""
    calls, _, reserved, money, reserved_money = ask(ledger, SPEND)[0]
    assert sum(server.counts().values()) <= calls + reserved <= budget["calls"]
    assert money + reserved_money <= budget["money"] * 1e9
    assert money == ask(ledger, "SELECT coalesce(sum(charged), 0) FROM attempts")[0][0]


def check_closed(ask, ledger, server, cells):
    """At the end: one accepted judgment per cell, and request by request the server's count."""
    assert ask(ledger, "SELECT count(*), sum(status = 'ok' AND score = 7) FROM judgments") == [(cells, cells)]
    assert ask(ledger, "SELECT count(*), count(DISTINCT cell) FROM attempts WHERE status = 'ok'") == [(cells, cells)]
    counts, answered, lost = server.counts(), Counter(), Counter()
    rows = ask(ledger, CELLS)
    request = {key: asked for key, asked, status, _ in rows if status == "ok"}
    for key, _, status, _ in rows:
        (answered if status == "ok" else lost)[request[key]] += 1
    assert counts.keys() == answered.keys()
    assert all(answered[one] <= counts[one] <= answered[one] + lost[one] for one in counts)
    calls, gone, reserved, money, _ = ask(ledger, SPEND)[0]
    assert (calls, gone, reserved) == (answered.total() + lost.total(), lost.total(), 0)
    assert money - sum(charged for *_, status, charged in rows if status == "lost") == cells * PRICE * 1000


def check_kills(panel, serve, start, command, ask, *, kills, items, replicates):
    server = serve("loopback.py", 0.05, 900)
    cells, rng, held = items * 8 * replicates, random.Random(7), set()
    calls = cells + (kills + 1) * 4 * MOST
    budget = {"calls": calls, "money": calls * 0.1}
    path = panel(server.port, items, replicates, budget=budget)
    ledger = path.with_suffix(".db")
    for number in range(kills):
        at_work = number % 5 != 0  # the others while it starts, reads and plans
        killed(start, server, path, rng.uniform(0, 0.2 if at_work else 1.5), at_work=at_work)
        if planned(ask, ledger):
            held |= flying(ask, ledger)
            check_open(ask, ledger, server, budget)
    ran = command("run", path, "--yes", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["outcome"]["complete"]
    check_closed(ask, ledger, server, cells)
    assert max(Counter(runner for _, runner in held).values()) <= 2 * 2 * MOST
    assert 0 < ask(ledger, SPEND)[0][1] == len(held)
    sent = sum(server.counts().values()) - cells
    assert sent <= len(held) <= sent + kills * 2 * MOST / 2  # leased for room that answers were about to make
    assert command("status", path).code == 0


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_two_kills(panel, serve, start, command, ask):
    check_kills(panel, serve, start, command, ask, kills=2, items=10, replicates=2)


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_fifty_kills(panel, serve, start, command, ask):
    check_kills(panel, serve, start, command, ask, kills=50, items=125, replicates=5)


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_a_kill_cannot_break_the_budget(panel, serve, start, command, ask):
    server = serve("loopback.py", 0.05, 120)
    budget = {"calls": 150, "money": 0.5}
    path = panel(server.port, 20, 2, budget=budget)
    ledger = path.with_suffix(".db")
    killed(start, server, path, 0.1, at_work=True)
    check_open(ask, ledger, server, budget)
    ran = command("run", path, "--yes")
    assert ran.code == 2
    assert "the budget has no room for another call" in ran.out
    check_open(ask, ledger, server, budget)
    assert sum(server.counts().values()) <= 150


@pytest.mark.slow
@pytest.mark.fault("several runners at once")
def test_two_runs_at_once_judge_no_cell_twice(panel, serve, start, command, ended, ask):
    server = serve("loopback.py", 0.05, 120)
    path = panel(server.port, 20, 2, judge={"concurrency": 8})
    both = [start("run", path, "--yes", "--json") for _ in range(2)]
    seen = []
    while any(process.poll() is None for process in both):
        seen.append(command("status", path, "--json"))
        time.sleep(0.5)
    said = [ended(process) for process in both]
    assert [(one.code, one.err) for one in said] == [(0, "")] * 2
    assert sum(one.json["outcome"]["finished"] for one in said) == 320
    assert server.counts().total() == 320
    assert set(server.counts().values()) == {2}  # replicates ask the same
    assert ask(path.with_suffix(".db"), "SELECT count(*), count(DISTINCT runner) FROM attempts") == [(320, 2)]
    assert {(one.code, one.err) for one in seen} <= {(0, ""), (2, "")}
    finished = [one.json["finished"] for one in seen]
    assert finished == sorted(finished)
    assert any(0 < count < 320 for count in finished)
