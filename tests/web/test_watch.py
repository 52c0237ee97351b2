"""What the owner sees: sums at once, the estimate apart, one at a time and with rests."""

from __future__ import annotations

import asyncio

import pytest
from under_way import scored

from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.web import live as watch
from quorate.web.live import Watch


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return load(scored(tmp_path_factory.mktemp("study"), calls=5, items=2))


def watching(study, order, steps):
    """What steps give that take a `Watch` whose estimator is a function."""

    async def run():
        watched = Watch(study)
        watched.order = order
        try:
            return await steps(watched)
        finally:
            await watched.close()

    return asyncio.run(run())


def test_an_estimate_is_made_once_for_the_same_answers(study):
    made = []

    async def order(do):
        made.append(do)
        return {"sentence": "x", "finished": 5, "looks": 0, "seconds": 0.0}

    async def steps(watched):
        status = await watched.status()
        assert (await watched.status()) is status  # a second has not gone by
        await watched._making
        watched._due = 0.0
        await watched.status()
        await watched._making
        return status

    assert watching(study, order, steps).finished == 5
    assert made == ["estimate"]


def test_it_rests_as_long_as_its_work_is_worth(study, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(watch.time, "monotonic", lambda: now[0])
    made = []

    async def order(do):
        made.append(do)
        return {"finished": 4, "looks": 0, "seconds": 3.0}

    async def steps(watched):
        for at in (100.0, 120.0, 131.0):
            now[0] = at
            await watched.status()
            await watched._making

    watching(study, order, steps)
    assert len(made) == 2  # 3 s of work, 30 s of rest


def test_what_fails_is_said_and_tried_again(study):
    async def order(do):
        raise InvalidInput("ledger: is damaged")

    async def steps(watched):
        await watched.status()
        await watched._making
        return watched.problem

    assert watching(study, order, steps) == "ledger: is damaged"


@pytest.mark.slow
def test_its_process_is_made_again_when_it_has_ended(study):
    async def run():
        watched = Watch(study)
        first = await watched.order("estimate")
        watched._process.kill()
        await watched._process.wait()
        second = await watched.order("estimate")
        with pytest.raises(InvalidInput, match="nowhere"):
            await watched.order("judgments", path="/nowhere/x.csv")
        await watched.close()
        return first["finished"], second["finished"], watched._process.returncode

    assert asyncio.run(run()) == (5, 5, -9)
