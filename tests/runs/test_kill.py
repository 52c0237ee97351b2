"""Whatever moment `quorate run` is killed at, every cell has one judgment in the end and every request is counted."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest

MOST = 16
PRICE = 100 * 10 + 10 * 20  # of an answer of the server, in millionths
CELLS = "SELECT c.key, a.request, a.status, a.charged FROM cells AS c JOIN attempts AS a ON a.cell = c.id"
TWICE = "SELECT count(*) FROM attempts WHERE status = 'ok' GROUP BY cell HAVING count(*) > 1"
SPEND = "SELECT calls, lost, reserved, money, reserved_money FROM spend"


def flying(ask, ledger):
    """Cells that are leased, and by which runner."""
    return set(ask(ledger, "SELECT id, runner FROM cells WHERE state = 'leased'"))


def planned(ask, ledger):
    return ledger.exists() and bool(ask(ledger, "SELECT 1 FROM sqlite_master WHERE name = 'judgments'"))


def killed(start, sent, words, moment, *, at_work=True):
    """Kill a command some time after it began, or after its first request; whether it was at work then."""
    process, before = start(*words), sent()
    while at_work and process.poll() is None and sent() == before:
        time.sleep(0.005)
    time.sleep(moment)
    going = process.poll() is None
    process.kill()
    process.wait()
    return going


def check_open(ask, ledger, server, budget):
    """In the middle: nothing more was sent than is reserved or recorded, and the budget holds."""
    calls, _, reserved, money, reserved_money = ask(ledger, SPEND)[0]
    assert server.counts().total() <= calls + reserved <= budget["calls"]
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
        moment = rng.uniform(0, 0.2 if at_work else 1.5)
        killed(start, lambda: server.counts().total(), ("run", path, "--yes"), moment, at_work=at_work)
        if planned(ask, ledger):
            held |= flying(ask, ledger)
            check_open(ask, ledger, server, budget)
    ran = command("run", path, "--yes", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["outcome"]["complete"]
    check_closed(ask, ledger, server, cells)
    assert max(Counter(runner for _, runner in held).values()) <= 2 * 2 * MOST
    assert 0 < ask(ledger, SPEND)[0][1] == len(held)
    sent = server.counts().total() - cells
    assert sent <= len(held) <= sent + kills * 2 * MOST / 2  # leased for room that answers were about to make
    assert command("status", path).code == 0


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
@pytest.mark.parametrize(("kills", "items", "replicates"), [(2, 10, 2), (50, 125, 5)])
def test_kills(panel, serve, start, command, ask, kills, items, replicates):
    check_kills(panel, serve, start, command, ask, kills=kills, items=items, replicates=replicates)


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_a_kill_cannot_break_the_budget(panel, serve, start, command, ask):
    server = serve("loopback.py", 0.05, 120)
    budget = {"calls": 150, "money": 0.5}
    path = panel(server.port, 20, 2, budget=budget)
    ledger = path.with_suffix(".db")
    killed(start, lambda: server.counts().total(), ("run", path, "--yes"), 0.1)
    check_open(ask, ledger, server, budget)
    ran = command("run", path, "--yes")
    assert ran.code == 2
    assert "the budget has no room for another call" in ran.out
    check_open(ask, ledger, server, budget)
    assert server.counts().total() <= 150


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


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_the_rounds_of_a_policy_follow_from_the_ledger(panel, serve, start, command, ask):
    server, rng, lost = serve("loopback.py", 0.05, 300), random.Random(3), 0
    policy = {"name": "uniform", "batch": 24}
    path = panel(server.port, 5, None, adaptive=policy, budget={"calls": 600})
    ledger = path.with_suffix(".db")
    for number in range(8):
        killed(start, lambda: server.counts().total(), ("run", path, "--yes"), rng.uniform(0, 0.4))
        flying = ask(ledger, "SELECT count(*) FROM cells WHERE state = 'leased'")[0][0]
        lost += flying
        calls, reserved = ask(ledger, "SELECT calls, reserved FROM spend")[0]
        assert reserved == flying <= 2 * 2 * MOST, number
        assert server.counts().total() <= calls + reserved <= 600
    ran = command("run", path, "--yes", "--json")
    assert (ran.code, ran.err) == (0, "")
    calls, gone, reserved = ask(ledger, "SELECT calls, lost, reserved FROM spend")[0]
    assert (gone, reserved) == (lost, 0)
    done = ask(ledger, "SELECT count(*), count(DISTINCT cell) FROM attempts WHERE status = 'ok'")[0]
    assert done == (calls - gone, calls - gone)
    assert ask(ledger, "SELECT count(*) FROM cells WHERE state <> 'done'") == [(0,)]
    assert calls <= 600
    assert calls - gone <= server.counts().total() <= calls
    per_cell = "SELECT count(*) AS n FROM cells GROUP BY f0, f1, f2, f3"
    assert ask(ledger, f"SELECT max(n) - min(n) <= 1 FROM ({per_cell}) AS each") == [(1,)]


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_every_call_for_a_draft_is_counted(panel, serve, start, command, ask):
    server, rng = serve("loopback.py", 0.2, 300), random.Random(4)
    path = panel(server.port, 2, temperatures=None, tries=3, budget={"calls": 30, "money": 3.0})
    words = ("init", "--variants", path, "--prompt", "score", "--judge", "a", "-n", "4", "--yes")
    for _ in range(4):
        killed(start, lambda: server.counts().total(), words, rng.uniform(0, 0.5))
        assert server.counts().total() <= ask(path.with_suffix(".db"), "SELECT calls FROM spend")[0][0] <= 30
    ran = command(*words)  # the server words nothing anew
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert server.counts().total() <= ask(path.with_suffix(".db"), "SELECT calls FROM spend")[0][0] <= 30
    assert not (path.parent / "prompts").exists()
    ran = command("run", path, "--yes")  # 8 cells
    assert ran.code == 0


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_rounds_go_on_whatever_the_endpoint_does_and_however_often_they_are_killed(panel, serve, start, command, ask):
    """Faults of every kind, some without end, and kills together: nothing twice, nothing beyond the budget."""
    server, rng, lost = serve("hostile.py", "--seconds", 600, "--failures", 3), random.Random(5), 0
    policy = {"name": "robin-hood", "delta": 0.3, "batch": 64}
    path = panel(server.port, 4, None, behaviour="any/v1", adaptive=policy, budget={"calls": 700}, tries=2)
    ledger = path.with_suffix(".db")

    def asked():
        return sum(server.ask("stats")["done"].values())

    for number in range(6):
        killed(start, asked, ("run", path, "--yes"), rng.uniform(0.1, 1.5))
        if ledger.exists():
            lost += ask(ledger, "SELECT count(*) FROM cells WHERE state = 'leased'")[0][0]
            calls, reserved = ask(ledger, "SELECT calls, reserved FROM spend")[0]
            assert calls + reserved <= 700, number
    ran = command("run", path, "--yes", "--json")
    assert ran.code in (0, 2), ran.err
    calls, gone, reserved = ask(ledger, "SELECT calls, lost, reserved FROM spend")[0]
    assert (reserved, gone) == (0, lost)
    assert 0 < calls <= 700
    recorded = ask(ledger, "SELECT count(*), count(DISTINCT id) FROM attempts")[0]
    assert recorded == (calls, calls)
    assert ask(ledger, TWICE) == []
    assert ask(ledger, "SELECT count(*) FROM cells WHERE state IN ('planned', 'leased')") == [(0,)]
    again = command("run", path, "--yes", "--json")
    assert ask(ledger, "SELECT calls FROM spend") == [(calls,)], again.err


LOOKS = "SELECT number, json_extract(content, '$.look.outcome') FROM looks ORDER BY number"


@pytest.fixture
def stages(panel):
    """A function that writes a study of votes in two stages, of four types of items."""

    def write(port, calls, **changes):
        rows = [
            {"id": f"q{n}", "kind": f"k{n % 4}", "prompt": f"What is {n}?", "response_a": "a", "response_b": "b"}
            | {"a": "x", "b": "y"}
            for n in range(200)
        ]
        items = {"file": "items.jsonl", "system_a": "a", "system_b": "b", "category": "kind"}
        own = {"items": items, "goal": {"prefer": ["x", "y"], "stages": 2, "per_type": 8}, "prompts": ["pairwise"]}
        own |= {"temperatures": None, "replicates": None, "budget": {"calls": calls}, **changes}
        return panel(port, 200, rows=rows, **own)

    return write


def killed_often(start, server, path, rng, *, kills):
    """Start and kill runs; how many were killed."""
    sent, words = (lambda: server.counts().total()), ("run", path, "--yes")
    return sum(killed(start, sent, words, rng.uniform(0, 0.4)) for _ in range(kills))


def check(ask, ledger, server, calls):
    """Nothing twice, nothing unaccounted for, nothing beyond the cap."""
    assert ask(ledger, TWICE) == []
    spent, lost, reserved = ask(ledger, "SELECT calls, lost, reserved FROM spend")[0]
    assert (spent, reserved) == (ask(ledger, "SELECT count(*) FROM attempts WHERE status <> 'unsent'")[0][0], 0)
    assert spent - lost <= server.counts().total() <= spent <= calls


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
@pytest.mark.parametrize("kills", [2, 5])
def test_a_goal_is_pursued_to_its_end_however_often_its_runs_are_killed(goal, serve, start, command, ask, kills):
    server, rng = serve("loopback.py", 0.1, 400), random.Random(kills)
    server.ask("spread/6")
    path = goal(server.port, 100, judge={"concurrency": 8}, budget={"calls": 1500}, goal={"half_width": 0.2})
    assert killed_often(start, server, path, rng, kills=kills) > 0
    ran = command("run", path, "--yes")
    assert ran.code in (0, 2), ran.err
    ledger = path.with_suffix(".db")
    check(ask, ledger, server, 1500)
    looks = ask(ledger, LOOKS)
    assert [number for number, _ in looks] == list(range(1, len(looks) + 1))
    assert (command("status", path).code, command("run", path, "--yes").code) == (ran.code, ran.code)
    assert ask(ledger, LOOKS) == looks


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
@pytest.mark.parametrize("kills", [2, 5])
def test_two_stages_are_two_however_often_their_runs_are_killed(stages, serve, start, command, ask, kills):
    server, rng = serve("loopback.py", 0.1, 400), random.Random(kills)
    path = stages(server.port, 300, judge={"concurrency": 8})
    assert killed_often(start, server, path, rng, kills=kills) > 0
    ran = command("run", path, "--yes")
    assert ran.code in (0, 2), ran.err
    check(ask, path.with_suffix(".db"), server, 300)
    assert 0 < len(ask(path.with_suffix(".db"), LOOKS)) <= 2
