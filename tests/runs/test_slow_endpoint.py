"""An endpoint that becomes slow costs time and what was asked meanwhile, and no judgment."""

from __future__ import annotations

import time

import pytest


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
