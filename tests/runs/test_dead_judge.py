"""A judge that does not answer is said to be missing, by the run and by the status, and its cells wait for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import quorate as q
from quorate.study import loop


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """Waits that take minutes take moments."""
    usual = loop.limits
    monkeypatch.setattr(loop, "limits", lambda study: replace(usual(study), cooldown=0.01, backoff=0.01))


@pytest.fixture
def one_dead(panel, hostile_server):
    """A function that writes a study with a judge "good" and one that behaves badly."""
    server = hostile_server

    def write(behaviour):
        settings = {"kind": "endpoint", "concurrency": 8, "params": {"max_tokens": 20}}
        port = {"good": server.port, "bad": server.port if behaviour else 1}
        judges = {
            name: {**settings, "model": name, "base_url": f"http://127.0.0.1:{port[name]}/{how}/v1"}
            for name, how in (("good", "ok"), ("bad", behaviour or "unreachable"))
        }
        return panel(server.port, 10, prompts=["score"], temperatures=None, judges=judges)

    return write


WHYS = {
    "401": "HTTP 401: the key was not accepted",
    "404": "HTTP 404: no such model",
    "400": "HTTP 400: invalid_request_error",
    "500": "HTTP 500: error",
    "reset": "failures, the last: ReadError",
    None: "failures, the last: ConnectError",
}


@pytest.mark.wide(3)
@pytest.mark.parametrize(("behaviour", "why"), WHYS.items(), ids=str)
@pytest.mark.fault("a judge answers nothing")
def test_it_is_reported_and_its_cells_wait(one_dead, command, ask, behaviour, why):
    path = one_dead(behaviour)
    ran = command("run", path, "--yes")
    assert (ran.code, ran.err) == (2, "")
    out = " ".join(ran.out.split())
    assert "10 cells finished: bad does not answer (" in out
    assert why in out
    assert "10 cells are left: mend the judge or its key, then run it again to go on" in out
    status = command("status", path)
    assert (status.code, status.err) == (2, "")
    assert "10 of 20 cells are finished.\n" in status.out
    assert "bad has answered none of its " in status.out
    assert why.removeprefix("failures, the last: ") in " ".join(status.out.split())
    assert [one.code for one in q.read(path.with_suffix(".db"), announce=False).source.caveats] == ["unanswered-cells"]
    assert command("status", path, "--json").json["silent"] == ["bad"]
    asked = ask(path.with_suffix(".db"), "SELECT status, count(*) FROM attempts GROUP BY status ORDER BY status")
    ((calls,),) = ask(path.with_suffix(".db"), "SELECT calls FROM spend")
    if behaviour is None:  # nobody listens: tried, and never sent
        assert (calls, [name for name, _ in asked]) == (10, ["ok", "unsent"])
        assert f"{asked[1][1]} more calls of bad could not be sent, and cost nothing." in " ".join(status.out.split())
    else:
        assert calls == sum(number for _, number in asked)
    states = "SELECT state, count(*) FROM cells GROUP BY state ORDER BY state"
    assert ask(path.with_suffix(".db"), states) == [("done", 10), ("planned", 10)]


@pytest.mark.fault("a judge answers nothing")
def test_it_costs_few_calls(one_dead, command):
    ran = command("run", one_dead("500"), "--yes", "--json")
    assert ran.code == 2
    outcome = ran.json["outcome"]
    assert (outcome["ended"], outcome["left"], set(outcome["dead"])) == ("judges", 10, {"bad"})
    assert outcome["calls"]["bad"] <= 40
