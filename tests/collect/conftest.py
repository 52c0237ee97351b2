"""A ledger with cells, judges that do as they are told, and an endpoint on the loopback interface."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from quorate.collect.judge import Expects, Message, Reply, Request
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.plan import digest
from quorate.table.cells import Cells

TESTS = Path(__file__).parents[1]
SCALE = Expects(1, 10)


class Told:
    """A judge that replies what a function of the request and of how often it was asked says."""

    def __init__(self, name, reply, delay=0.0):
        self.name, self.reply, self.delay = name, reply, delay
        self.asked, self.now, self.most = Counter(), 0, 0

    async def ask(self, request):
        self.asked[request.key] += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self.delay)
        finally:
            self.now -= 1
        return self.reply(request, self.asked[request.key])

    async def close(self):
        pass

    async def busy(self, n=1):
        """Until so many calls are in flight."""
        while self.now < n:
            await asyncio.sleep(0.005)


@pytest.fixture(scope="session")
def told():
    """The class of judges that do as they are told."""
    return Told


@pytest.fixture(scope="session")
def yes():
    """A judge that always answers 7."""

    def make(name="a", delay=0.0, cost=None):
        return Told(name, lambda *_: Reply("ok", 7.0, "7", cost=cost, tokens_in=5, tokens_out=1), delay)

    return make


@pytest.fixture(scope="session")
def build():
    """A request for a cell."""

    def request(cell):
        return Request(cell.key, (Message("user", f"{cell.key}\nRate {cell.levels['item']}."),), {}, SCALE, cell.judge)

    return request


@pytest.fixture(scope="session")
def cells():
    """Cells of some items and judges, crossed, in the order of their labels, and their keys."""

    def make(items=10, judges=("a",), replicates=1):
        axes = np.meshgrid(np.arange(items), np.arange(len(judges)), np.arange(replicates) + 1, indexing="ij")
        item, judge, replicate = (axis.ravel() for axis in axes)
        levels = {"item": tuple(f"i{n}" for n in range(items)), "judge": tuple(judges)}
        made = Cells(levels, np.column_stack([item, judge]).astype(np.int32), replicate)
        columns = [made.column(name).tolist() for name in made.columns]
        return made, [digest(row) for row in zip(*columns, strict=True)]

    return make


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request):
    """Where ledgers are kept; a test for one alone says ``@pytest.mark.parametrize("store", [...], indirect=True)``."""
    return request.param


@pytest.fixture
def place(request, store, tmp_path):
    """A function that gives the place of a ledger by its name: the same for the same name."""
    if store == "sqlite":
        return lambda name: tmp_path / name
    cluster, given = request.getfixturevalue("cluster"), {}
    return lambda name: given.setdefault(name, cluster.place())


@pytest.fixture
def planned(place, cells, tmp_path, monkeypatch):
    """A function that opens a new ledger with cells in it; what it cannot take is left in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    opened = []

    def make(items=10, judges=("a",), replicates=1, *, name="study.db", prices=None, **options):
        ledger = Ledger.open(place(name), **options)
        opened.append(ledger)
        ledger.plan(*cells(items, judges, replicates), prices)
        return ledger

    yield make
    for ledger in opened:
        ledger.close()


class Server:
    """The endpoint in `loopback.py`, in a process of its own."""

    def __init__(self, delay, seconds):
        call = [sys.executable, TESTS / "loopback.py", str(delay), str(seconds)]
        self.process = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def counts(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/counts", timeout=10) as answer:
            return Counter(json.load(answer))

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Clock:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def loopback():
    """A function that starts an endpoint, which ends with the test and in any case after some seconds."""
    started = []

    def start(delay=0.05, seconds=300):
        started.append(Server(delay, seconds))
        return started[-1]

    yield start
    for server in started:
        server.end()


@pytest.fixture
def runner():
    """A function that starts a runner in a process of its own."""
    started = []

    def start(path, port, **options):
        call = [sys.executable, TESTS / "loopback_run.py", json.dumps({"path": str(path), "port": port, **options})]
        process = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()
