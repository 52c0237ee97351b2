"""Ctrl-C, once and twice, at the command, at its question, and in a notebook."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import threading
import time

import pytest

import quorate as q

SPEND = "SELECT calls, lost, reserved FROM spend"


@pytest.fixture
def at_work(panel, serve, start):
    """A run that has asked something: its process, the server and the study."""

    def begin(delay, items=60):
        server = serve("loopback.py", delay, 120)
        path = panel(server.port, items)
        process = start("run", path, "--yes")
        while process.poll() is None and not server.counts():
            time.sleep(0.01)
        return process, server, path

    return begin


@pytest.mark.slow
@pytest.mark.fault("a run is interrupted")
def test_once_waits_for_what_is_in_flight_and_loses_nothing(at_work, ended, ask):
    process, server, path = at_work(0.1)
    process.send_signal(signal.SIGINT)
    ran = ended(process)
    assert (ran.code, ran.err) == (2, "")
    assert "stopped on request" in ran.out
    calls, lost, reserved = ask(path.with_suffix(".db"), SPEND)[0]
    assert (calls, lost, reserved) == (server.counts().total(), 0, 0)
    assert 0 < calls < 480


@pytest.mark.slow
@pytest.mark.fault("a run is interrupted")
def test_twice_does_not_wait(at_work, ended, command, ask):
    process, server, path = at_work(100)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    ran = ended(process)
    assert (ran.code, ran.err) == (130, "")
    assert time.monotonic() - began < 10
    calls, lost, reserved = ask(path.with_suffix(".db"), SPEND)[0]
    assert (calls, reserved) == (lost, 0)
    assert 0 < server.counts().total() <= lost <= 32
    assert command("status", path).code == 2


@pytest.mark.slow
def test_at_the_question_nothing_has_happened(panel, start, tmp_path):
    path = panel(9, 3)
    ours, theirs = pty.openpty()
    process = start("run", path, stdin=theirs)
    asked = ""
    while not asked.endswith("[y/N]:"):
        letter = process.stderr.read(1)
        assert letter, process.stdout.read()
        asked += letter
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 130
    assert not path.with_suffix(".db").exists()


def interrupted(path, server, work):
    """What comes of work during which Ctrl-C is pressed, once the server was asked."""

    def press():
        while not server.counts():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        work(path)
    thread.join()
    assert signal.getsignal(signal.SIGINT) is before


def in_a_notebook(path):
    """A cell of a notebook: a loop runs, and Ctrl-C raises KeyboardInterrupt in the main thread."""

    async def cell():
        return q.run(path)

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(cell())
    finally:
        loop.close()


@pytest.mark.slow
@pytest.mark.parametrize("work", [q.run, in_a_notebook], ids=["script", "notebook"])
def test_a_call_that_is_interrupted_says_so_and_goes_on_later(panel, serve, capsys, ask, work):
    server = serve("loopback.py", 0.1, 60)
    path = panel(server.port, 20)
    interrupted(path, server, work)
    assert "stopped on request" in capsys.readouterr().err
    calls, lost, reserved = ask(path.with_suffix(".db"), SPEND)[0]
    assert (calls, lost, reserved) == (server.counts().total(), 0, 0)
    assert 0 < calls < 160
    assert int(work(path).n.sum()) == 160
    assert server.counts().total() == 160


@pytest.mark.slow
@pytest.mark.fault("the endpoint is slow")
@pytest.mark.parametrize("stall", [0.5, 3.0])  # below and above the judge's timeout
def test_a_run_goes_on_when_the_endpoint_does(panel, serve, start, ended, ask, stall):
    server = serve("loopback.py", 0.02, 120)
    path = panel(server.port, 60, judge={"timeout": 1.5})
    process = start("run", path, "--yes")
    while server.counts().total() < 100:
        assert process.poll() is None
        time.sleep(0.02)
    server.ask(f"delay/{stall}")
    time.sleep(stall + 1)
    server.ask("delay/0.02")
    assert ended(process).code == 0
    read = "SELECT status, count(*), count(DISTINCT cell), coalesce(sum(charged), 0) FROM attempts GROUP BY status"
    found = {status: rest for status, *rest in ask(path.with_suffix(".db"), read)}
    assert found["ok"][:2] == [480, 480]
    assert found.keys() == ({"ok", "error"} if stall > 1.5 else {"ok"})
    assert server.counts().total() == sum(count for count, *_ in found.values())  # what timed out was asked, and counts
    assert ask(path.with_suffix(".db"), "SELECT money FROM spend") == [(sum(money for *_, money in found.values()),)]
