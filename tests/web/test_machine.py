"""Runs of this machine: found by the ledger, begun and ended as processes."""

from __future__ import annotations

import asyncio
import signal
import time

import pytest
import yaml
from under_way import scored

from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.web import live as machine
from quorate.web.live import Machine


@pytest.fixture
def study(tmp_path):
    """A study whose judges are recorded, some of its cells answered."""
    path = scored(tmp_path, calls=5, items=2)
    judge = {"kind": "replay", "table": "scores.csv"}
    rows = [f"q{i},{name},{judge},7" for i in range(2) for name in ("amber", "basalt") for judge in ("r", "s")]
    (tmp_path / "scores.csv").write_text("\n".join(["item,system,judge,score", *rows]) + "\n", encoding="utf-8")
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    content |= {"judges": {"r": judge, "s": dict(judge)}, "ledger": "recorded.db", "budget": {"calls": 100}}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return load(path)


def test_a_run_is_found_by_the_ledger_and_told_to_end(study, monkeypatch):
    told = []
    monkeypatch.setattr(machine.os, "kill", lambda pid, number: told.append((pid, number)))
    with Ledger.open(study.database) as ledger:
        found = Machine(study)
        assert (found.look(ledger).state, found.refusal) == ("none", "")
        ledger.enlist(60)  # as a run in this process does
        assert found.look(ledger).state == "running"
        found.end(ledger)
        assert told == [(machine.os.getpid(), signal.SIGINT)]
        Machine(study).end(ledger, at_once=True)
        assert [number for _, number in told[1:]] == [signal.SIGINT, signal.SIGTERM]
        assert found.look(ledger).state == "pausing"


def test_a_run_elsewhere_and_one_that_is_gone(study):
    with Ledger.open(study.database) as ledger:
        ledger.store.connection.execute(
            "INSERT INTO runners (name, since, until) VALUES ('otherhost:77', 0, ?)", (ledger.clock() + 60,)
        )
        assert Machine(study).look(ledger).state == "elsewhere"
        ledger.store.connection.execute("UPDATE runners SET name = 'person:ana'")
        assert Machine(study).look(ledger).state == "none"


def test_functions_of_python_are_not_run_from_a_page(tmp_path):
    functions = load(scored(tmp_path, calls=1, items=2))
    with pytest.raises(InvalidInput, match="is a function of Python"):
        asyncio.run(Machine(functions).start(None))


def reader(ledger):
    """What reads a ledger for a machine."""

    async def read(step):
        await asyncio.sleep(0)  # another click comes in
        return step(ledger)

    return read


def test_however_often_a_run_is_begun_it_is_one(study, monkeypatch):
    """Ten clicks on the pages of two servers; and once more when it has ended."""
    begin, begun = asyncio.create_subprocess_exec, []

    async def sleeping(*_, **options):
        begun.append(await begin(machine.sys.executable, "-c", "import time; time.sleep(60)", **options))
        return begun[-1]

    async def clicks():
        with Ledger.open(study.database) as first, Ledger.open(study.database) as second:
            here, there = Machine(study), Machine(study)
            for n in (1, 2):
                each = ((here, first), (there, second)) * 5
                await asyncio.gather(*(server.start(reader(ledger)) for server, ledger in each))
                assert len(begun) == n
                assert [here.look(first).state, there.look(second).state] == ["starting", "starting"]
                there.end(second, at_once=True)
                await begun[-1].wait()
            await here.close()
            await there.close()

    monkeypatch.setattr(machine.asyncio, "create_subprocess_exec", sleeping)
    asyncio.run(clicks())


@pytest.mark.slow
def test_a_run_is_begun_and_ends(study):
    async def run():
        begun = Machine(study)
        with Ledger.open(study.database) as ledger:
            await begun.start(reader(ledger))
            states = {begun.look(ledger).state}
            end = time.monotonic() + 60
            while begun.look(ledger).going and time.monotonic() < end:
                states.add(begun.look(ledger).state)
                await asyncio.sleep(0.05)
            over = begun.look(ledger)
            await begun.close()
            return states, over, ledger.status()

    states, over, judges = asyncio.run(run())
    assert "starting" in states
    assert over.state == "ended"
    assert "every cell is answered" in over.words
    assert sum(judge.done for judge in judges) == 8
