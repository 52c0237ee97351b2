"""Judgments per second of a study that is run, against a bare loop of httpx2 that keeps nothing.

Run with ``make bench``. An endpoint on the loopback interface, in a process of its own, answers after 300 ms. Ours
is what ``quorate run`` does: the study file and its items are read, every question is made from its prompt, the
cells are quoted and planned, an `EndpointJudge` asks, and every answer is read and committed. Both sides use the
same client with the same number of connections, in turn, in the same process; the ratio is that of a round's rates,
and the middle one of the rounds is shown. On two cores that others use as well, compare the CPU time: what is not
the client's own is ours. A ledger on Postgres is timed too, on a cluster that is started for it, where its programs
are there. The last line is the memory of collecting 10,000 and 100,000 cells, each in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

import numpy as np  # noqa: E402
from cluster import Cluster, programs  # noqa: E402
from loopback_run import Loopback, build  # noqa: E402

from quorate.collect.judge import Reply, Request  # noqa: E402
from quorate.collect.ledger.ledger import Ledger  # noqa: E402
from quorate.collect.runner.run import collect  # noqa: E402
from quorate.study.file import load  # noqa: E402
from quorate.study.loop import carry_out  # noqa: E402
from quorate.table.cells import Cells  # noqa: E402

FLIGHTS = (64, 128)


class Instant:
    """A judge that answers 7 after two milliseconds, without a network."""

    name = "a"

    async def ask(self, _: Request) -> Reply:
        await asyncio.sleep(0.002)
        return Reply("ok", 7.0, '{"score": 7}' + " " * 300)

    async def close(self) -> None:
        pass


def planned(folder: str, cells: int) -> Ledger:
    """A new ledger in a folder."""
    row = np.arange(cells)
    levels = {"item": tuple(f"item {n}" for n in range(cells // 10 + 1)), "judge": ("a",)}
    codes = np.column_stack([row // 10, np.zeros_like(row)]).astype(np.int32)
    ledger = Ledger.open(Path(folder) / "study.db")
    ledger.plan(Cells(levels, codes, row % 10 + 1), (f"{n:064x}" for n in range(cells)), {"a": 0.001})
    return ledger


def study(cluster: Cluster | None, cells: int, port: int, flight: int) -> Path:
    """A study file with a new ledger beside it, or on Postgres: every cell another item."""
    folder = Path(tempfile.mkdtemp())
    rows = ({"id": f"item {n}", "prompt": f"What is {n} + 1?", "response": f"It is {n + 1}."} for n in range(cells))
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    endpoint = {"kind": "endpoint", "base_url": f"http://127.0.0.1:{port}/v1", "model": "m"}
    priced = {"price": {"input": 1.0, "output": 1.0}, "params": {"max_tokens": 50}}
    content = {
        "items": "items.jsonl",
        "judges": {"a": {**endpoint, "concurrency": flight, **priced}},
        "prompts": ["score"],
        "budget": {"calls": 10**6, "money": 10**4},
    }
    if cluster is not None:
        content["ledger"] = cluster.place()
    path = folder / "study.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


async def bare(port: int, cells: int, flight: int) -> None:
    judge, left = Loopback("a", port, flight, None), iter(range(cells))

    async def worker() -> None:
        for cell in left:
            body = {"messages": [{"role": "user", "content": f"{cell:064x}\nRate item {cell // 10}."}]}
            answer = await judge.client.post(judge.url, json=body)
            float(json.loads(answer.json()["choices"][0]["message"]["content"])["score"])

    await asyncio.gather(*(worker() for _ in range(flight)))
    await judge.close()


def ours(path: Path) -> None:
    """All that a run does, from the study file on."""
    outcome = carry_out(load(path)).outcome
    if outcome is None or not outcome.complete:
        raise RuntimeError(f"not complete: {outcome}")


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def compare(port: int, cluster: Cluster | None, cells: int, rounds: int, flight: int) -> None:
    found = []
    for turn in range(rounds):
        path = study(cluster, cells, port, flight)
        sides = (lambda: asyncio.run(bare(port, cells, flight)), partial(ours, path))
        times = [timed(side) for side in (sides if turn % 2 == 0 else sides[::-1])]
        shutil.rmtree(path.parent)
        found.append((*times[turn % 2], *times[1 - turn % 2]))
    found.sort(key=lambda row: row[0] / row[2])
    wall, cpu, own, _ = found[len(found) // 2]
    extra = statistics.median(row[3] - row[1] for row in found) / cells * 1e6
    kind = "file" if cluster is None else "Postgres"
    rates = f"{cells / wall:10.0f}{cells / own:10.0f}{wall / own:8.2f}"
    print(f"{flight:9}{kind:>10}{rates}{cpu / cells * 1e6:12.0f}{extra:+12.0f}")


def memory(cells: int) -> float:
    """Peak memory in MB of planning and collecting so many cells, in a process of its own."""
    call = [sys.executable, __file__, "--peak", str(cells)]
    return float(subprocess.run(call, capture_output=True, text=True, check=True).stdout)


def peak(cells: int) -> None:
    import resource

    with tempfile.TemporaryDirectory() as folder, planned(folder, cells) as ledger:
        asyncio.run(collect(ledger, {"a": Instant()}, build))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=8000)
    parser.add_argument("--delay", type=float, default=0.3, help="seconds that the endpoint takes for an answer")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peak", type=int, help=argparse.SUPPRESS)
    given = parser.parse_known_args()[0]
    if given.peak:
        peak(given.peak)
        return 0
    endpoint = [sys.executable, TESTS / "loopback.py", str(given.delay), "1800"]
    server = subprocess.Popen(endpoint, stdout=subprocess.PIPE, text=True)
    postgres = programs()
    cluster = Cluster(postgres) if postgres else None
    try:
        port = int(server.stdout.readline())
        taken = f"an endpoint that takes {given.delay * 1000:g} ms"
        print(f"{given.cells:,} judgments, {taken}; middle of {given.rounds} rounds")
        print(
            f"{'in flight':>9}{'ledger':>10}{'bare/s':>10}{'ledger/s':>10}{'ratio':>8}{'bare us CPU':>12}{'ledger':>12}"
        )
        for flight in FLIGHTS:
            for where in dict.fromkeys((None, cluster)):
                compare(port, where, given.cells, given.rounds, flight)
    finally:
        server.kill()
        if cluster is not None:
            cluster.end()
    few, many = memory(10_000), memory(100_000)
    print(f"peak memory: {few:.0f} MB with 10,000 cells, {many:.0f} MB with 100,000: {many - few:+.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
