"""Judgments per second of one, two and four runners on one Postgres, against what the endpoint allows.

Run with ``make bench``, or alone. An endpoint on the loopback interface takes 300 ms for an answer and counts what it
is asked. Every runner is a process with 16 requests in flight, so that the endpoint's limit is 16 / 0.3 = 53 judgments
per second and runner. Shown are the share of it that is reached from the second to the eighth tenth of the judgments,
when all runners are at work, how many questions were asked twice, and the processor time of the runners per judgment,
with what it takes to start them. A cluster of Postgres is started for it where its programs are there, and nothing is
measured where they are not.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

import numpy as np  # noqa: E402
from cluster import Cluster, programs  # noqa: E402

from quorate.collect.ledger.ledger import Ledger  # noqa: E402
from quorate.table.cells import Cells  # noqa: E402

DELAY, FLIGHT = 0.3, 16
SECONDS = 15
"""For which there is work at the endpoint's limit."""


def planned(place: str, cells: int) -> None:
    rows = np.arange(cells, dtype=np.int32)
    levels = {"item": tuple(f"item {n}" for n in range(cells)), "judge": ("a",)}
    table = Cells(levels, np.column_stack([rows, np.zeros_like(rows)]), np.ones(cells, dtype=np.int64))
    with Ledger.open(place) as ledger:
        ledger.plan(table, (f"{n:064x}" for n in range(cells)), {"a": 0.001})


class Shared(NamedTuple):
    """Of some runners: judgments per second, questions asked twice, CPU seconds per judgment, judgments of each."""

    rate: float
    twice: int
    seconds: float
    each: list[int]


def shared(place: str, runners: int) -> Shared:
    """A study that so many runners share."""
    cells = int(SECONDS * runners * FLIGHT / DELAY)
    planned(place, cells)
    server = subprocess.Popen(
        [sys.executable, TESTS / "loopback.py", str(DELAY), "600"], stdout=subprocess.PIPE, text=True
    )
    try:
        port = int(server.stdout.readline())
        options = json.dumps({"path": place, "port": port, "concurrency": FLIGHT, "cost": 0.001})
        call = [sys.executable, TESTS / "loopback_run.py", options]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = [subprocess.Popen(call, stdout=subprocess.PIPE, text=True) for _ in range(runners)]
        said = [json.loads(process.communicate()[0].splitlines()[-1]) for process in started]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/counts", timeout=60) as answer:
            counts = json.load(answer)
    finally:
        server.kill()
    if len(counts) != cells:
        raise RuntimeError(f"{len(counts)} of {cells} questions were asked")
    with Ledger.open(place) as ledger:
        moments = [at for (at,) in ledger.store.connection.execute("SELECT at FROM attempts ORDER BY at")]
    first, last = cells // 5, cells * 4 // 5
    rate = (last - first) / (moments[last] - moments[first])
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Shared(rate, sum(counts.values()) - cells, used / cells, [one["finished"] for one in said])


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_known_args()
    folder = programs()
    if folder is None:
        print("runners: needs Postgres (initdb, pg_ctl); not measured")
        return 0
    cluster = Cluster(folder)
    try:
        columns = f"{'endpoint allows':>17}{'share':>8}{'asked twice':>13}{'ms CPU each':>13}"
        print(f"{'runners':>8}{'judgments/s':>13}{columns}  judgments of each")
        for runners in (1, 2, 4):
            did, limit = shared(cluster.place(), runners), runners * FLIGHT / DELAY
            share = f"{limit:17.0f}{did.rate / limit:8.2f}{did.twice:13}{did.seconds * 1000:13.2f}"
            print(f"{runners:8}{did.rate:13.0f}{share}  {did.each}", flush=True)
    finally:
        cluster.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
