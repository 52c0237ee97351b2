"""A clock that is set while a study runs moves nothing in it: no lease runs out, and no cell waits."""

from __future__ import annotations

import time
from itertools import cycle

import pytest


@pytest.mark.fault("the clock jumps")
@pytest.mark.parametrize(
    "jumps",
    [
        pytest.param((86_400.0,), marks=pytest.mark.slow),
        pytest.param((-86_400.0,), marks=pytest.mark.slow),
        (3600.0, -3600.0, 0.0),
    ],
)
def test_no_cell_is_lost_or_asked_twice(panel, serve, command, ask, monkeypatch, jumps):
    server, real, by = serve("loopback.py", 0.01, 60), time.time, cycle(jumps)
    path = panel(server.port, 5, budget={"calls": 10})
    assert command("run", path, "--yes").code == 2
    path = panel(server.port, 5)
    monkeypatch.setattr(time, "time", lambda: real() + next(by))
    ran = command("run", path, "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert set(server.counts().values()) == {1}
    assert server.counts().total() == 40
    assert ask(path.with_suffix(".db"), "SELECT calls, lost, reserved FROM spend") == [(40, 0, 0)]
    moments = [at for (at,) in ask(path.with_suffix(".db"), "SELECT at FROM attempts ORDER BY id")]
    assert moments == sorted(moments)
    assert moments[-1] - moments[0] < 3600
