"""Adaptive runs and drafts of prompts that are killed at any moment: nothing is lost, forgotten or asked twice."""

from __future__ import annotations

import random
import time

import pytest

MOST = 16


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_the_rounds_of_a_policy_follow_from_the_ledger(panel, serve, start, command, ask):
    server, rng, lost = serve("loopback.py", 0.05, 300), random.Random(3), 0
    policy = {"name": "uniform", "batch": 24}
    path = panel(server.port, 5, None, adaptive=policy, budget={"calls": 600})
    ledger = path.with_suffix(".db")
    for number in range(8):
        process, before = start("run", path, "--yes"), sum(server.counts().values())
        while process.poll() is None and sum(server.counts().values()) == before:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.4))
        process.kill()
        process.wait()
        flying = ask(ledger, "SELECT count(*) FROM cells WHERE state = 'leased'")[0][0]
        lost += flying
        calls, reserved = ask(ledger, "SELECT calls, reserved FROM spend")[0]
        assert reserved == flying <= 2 * 2 * MOST, number
        assert sum(server.counts().values()) <= calls + reserved <= 600
    ran = command("run", path, "--yes", "--json")
    assert (ran.code, ran.err) == (0, "")
    calls, gone, reserved = ask(ledger, "SELECT calls, lost, reserved FROM spend")[0]
    assert (gone, reserved) == (lost, 0)
    done = ask(ledger, "SELECT count(*), count(DISTINCT cell) FROM attempts WHERE status = 'ok'")[0]
    assert done == (calls - gone, calls - gone)
    assert ask(ledger, "SELECT count(*) FROM cells WHERE state <> 'done'") == [(0,)]
    assert calls <= 600
    assert calls - gone <= sum(server.counts().values()) <= calls
    per_cell = "SELECT count(*) AS n FROM cells GROUP BY f0, f1, f2, f3"
    assert ask(ledger, f"SELECT max(n) - min(n) <= 1 FROM ({per_cell}) AS each") == [(1,)]


@pytest.mark.slow
@pytest.mark.fault("a runner is killed")
def test_every_call_for_a_draft_is_counted(panel, serve, start, command, ask):
    server, rng = serve("loopback.py", 0.2, 300), random.Random(4)
    path = panel(server.port, 2, temperatures=None, tries=3, budget={"calls": 30, "money": 3.0})
    words = ("init", "--variants", path, "--prompt", "score", "--judge", "a", "-n", "4", "--yes")
    for _ in range(4):
        process, before = start(*words), sum(server.counts().values())
        while process.poll() is None and sum(server.counts().values()) == before:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.5))
        process.kill()
        process.wait()
        assert sum(server.counts().values()) <= ask(path.with_suffix(".db"), "SELECT calls FROM spend")[0][0] <= 30
    ran = command(*words)  # the server words nothing anew
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert sum(server.counts().values()) <= ask(path.with_suffix(".db"), "SELECT calls FROM spend")[0][0] <= 30
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
        process, before = start("run", path, "--yes"), asked()
        while process.poll() is None and asked() == before:
            time.sleep(0.02)
        time.sleep(rng.uniform(0.1, 1.5))
        process.kill()
        process.wait()
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
    twice = "SELECT count(*) FROM attempts WHERE status = 'ok' GROUP BY cell HAVING count(*) > 1"
    assert ask(ledger, twice) == []
    assert ask(ledger, "SELECT count(*) FROM cells WHERE state IN ('planned', 'leased')") == [(0,)]
    again = command("run", path, "--yes", "--json")
    assert ask(ledger, "SELECT calls FROM spend") == [(calls,)], again.err
