"""Latency of the answers of fifty people at once, and whether one was lost or counted twice.

Run with ``make bench``, or alone: ``python benchmarks/web.py``. Fifty people answer 200 questions each, as
a browser does: an answer, which is stored when the server says so, and then the next page; all from one process of its
own. In the first line nobody thinks, which is as fast as a server can be asked; in the second each takes a second on
average, as fifty quick people would. The server is ``quorate serve`` with its guard and its rates as they are, on a
file; then two of them on one schema of Postgres, where that is installed (see tests/cluster.py). On a machine that
others use as well, look at the CPU time of an answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import httpx2
import numpy as np
from cluster import Cluster, programs

from quorate.collect.ledger.ledger import Ledger
from quorate.web.serve import prepare

HIDDEN = re.compile(r'type="hidden" name="(\w+)" value="([^"]*)"')


def study(folder: Path, people: int, each: int, ledger: str | None) -> Path:
    """A study of pairs, each of which all people judge."""
    text = "It depends on how long the bread is to be kept, and on whether it was sliced. " * 8
    rows = (
        {"id": f"q{n}", "prompt": f"Question {n}?", "response_a": text, "response_b": text[::-1]} for n in range(each)
    )
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    content = {
        "items": "items.jsonl",
        "judges": {"raters": {"kind": "people", "seats": people, "price": 0.1}},
        "prompts": ["pairwise"],
        "budget": {"calls": 2 * people * each, "money": 10**6},
    }
    (folder / "study.yaml").write_text(json.dumps(content | ({"ledger": ledger} if ledger else {})), encoding="utf-8")
    return folder / "study.yaml"


async def person(address: str, link: str, pause: float, stored: list[float], shown: list[float]) -> int:
    """Answer until there is nothing left; how many answers were given."""
    given = 0
    async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
        await asyncio.sleep(random.random() * max(pause, 0.5))
        await client.get(link)
        page = (await client.get("/")).text
        while "task" in (form := dict(HIDDEN.findall(page))):
            await asyncio.sleep(random.expovariate(1 / pause) if pause else 0)
            start = time.perf_counter()
            said = await client.post("/answer", data={**form, "answer": "A"})
            if said.status_code == 429:
                await asyncio.sleep(2)
                continue
            if said.status_code != 303:
                raise RuntimeError(said.text)
            stored.append(time.perf_counter() - start)
            page = (await client.get("/")).text
            shown.append(time.perf_counter() - start)
            given += 1
    return given


async def crowd(links: list[list[str]], pause: float) -> None:
    """Print what people saw: how many answers, seconds in all, and the latency of each."""
    stored: list[float] = []
    shown: list[float] = []
    start = time.perf_counter()
    given = await asyncio.gather(*(person(address, link, pause, stored, shown) for address, link in links))
    seconds = time.perf_counter() - start
    print(json.dumps({"given": sum(given), "seconds": seconds, "stored": stored, "shown": shown}))


@contextmanager
def served(path: Path, servers: int) -> Iterator[tuple[list[str], Mapping[str, str], list[subprocess.Popen[bytes]]]]:
    """Addresses of servers, each a process of its own, and the links of everybody."""
    ports = [free_port() for _ in range(servers)]
    links = prepare(path, host="127.0.0.1", port=ports[0], links=True).links
    call = [sys.executable, "-m", "quorate", "serve", str(path), "--port"]
    processes = [subprocess.Popen([*call, str(port)], stdout=subprocess.DEVNULL) for port in ports]
    try:
        for port in ports:
            wait_for(port)
        yield [f"http://127.0.0.1:{port}" for port in ports], links, processes
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(20)


def free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(600):
        with closing(socket.socket()) as wire:
            if wire.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"no server at {port}")


def cpu(process: subprocess.Popen[bytes]) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(kind: str, people: int, each: int, servers: int, ledger: str | None, pause: float) -> None:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = study(Path(folder), people, each, ledger)
        with served(path, servers) as (addresses, links, processes):
            seats = [link for name, link in links.items() if name]
            told = [[addresses[n % servers], "/link/" + link.rpartition("/")[2]] for n, link in enumerate(seats)]
            before, load = sum(map(cpu, processes)), os.getloadavg()[0]
            call = [sys.executable, __file__, "--crowd", str(pause)]
            said = subprocess.run(call, input=json.dumps(told), capture_output=True, text=True, check=True)
            used = sum(map(cpu, processes)) - before
        found = json.loads(said.stdout)
        with Ledger.open(ledger or Path(folder) / "study.db") as held:
            query = "SELECT (SELECT count(*) FROM attempts), count(accepted), count(DISTINCT accepted) FROM cells"
            attempts, kept, once = held.store.connection.execute(query).fetchall()[0]
    lost, doubled = people * each - kept, attempts - once
    stored = "".join(f"{1e3 * value:7.0f}" for value in np.quantile(found["stored"], [0.5, 0.95, 0.99]))
    shown = f"{1e3 * np.quantile(found['shown'], 0.95):9.0f}"
    rate, each_cpu = found["given"] / found["seconds"], 1e3 * used / found["given"]
    counted = f"{kind:22}{pause:7}{found['given']:8}{lost:6}{doubled:8}"
    print(f"{counted}{stored}{shown}{rate:7.0f}{each_cpu:8.2f}{load:6.1f}")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--each", type=int, default=200, help="answers of each")
    parser.add_argument("--pauses", type=float, nargs="+", default=[0.0, 1.0], help="mean seconds of thought")
    parser.add_argument("--crowd", type=float, help=argparse.SUPPRESS)
    given = parser.parse_known_args()[0]
    if given.crowd is not None:
        asyncio.run(crowd(json.load(sys.stdin), given.crowd))
        return 0
    names = f"{'ledger':22}{'thought':>7}{'answers':>8}{'lost':>6}{'doubled':>8}"
    print(f"{names}{'50% ms':>7}{'95%':>7}{'99%':>7}{'next 95%':>9}{'per s':>7}{'CPU ms':>8}{'load':>6}")
    for pause in given.pauses:
        measure("file", given.people, given.each, 1, None, pause)
    if (folder := programs()) is not None:
        cluster = Cluster(folder)
        try:
            for pause in given.pauses:
                measure("Postgres, two servers", given.people, given.each, 2, cluster.place(), pause)
        finally:
            cluster.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
