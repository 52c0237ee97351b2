"""The raw pass over scores, and the counting of votes, in every engine that is installed, and the board of each.

Run with ``make bench``, or alone: ``python benchmarks/engines.py``; ``python benchmarks/engines.py 100000000 duckdb
pyspark`` for more rows in some engines (``make engines`` installs all). Scores are replicates of 900,000 cells, of nine
systems by ten judges on 10,000 items, and votes those of 100 systems by 7 judges, both in Parquet. Each engine runs on
one core in a process of its own; seconds are those of its answer, start of the engine apart; CPU seconds and memory of
Spark include its Java. The last two columns are the board of the cells or counts, and its CPU seconds. All must give
the same number of answers or votes, and the same board.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from counted import VOTES
from counted import write as write_votes
from raw_pass import write

BOARD = {"item": "item", "system": "judge", "judge": "prompt", "replicate": "replicate"}

FRAMES = {
    "duckdb": "frame = path",
    "polars": "import polars\nframe = polars.scan_parquet(path)",
    "dask": "import dask, dask.dataframe\ndask.config.set(scheduler='sync')\nframe = dask.dataframe.read_parquet(path)",
    "ibis": "import ibis\nibis.duckdb.connect().raw_sql('SET threads = 1')\nframe = ibis.read_parquet(path)",
    "pyspark": (
        "from pyspark.sql import SparkSession\n"
        "made = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false')\n"
        "made = made.config('spark.ui.showConsoleProgress', 'false')\n"
        "made = made.config('spark.driver.host', '127.0.0.1').config('spark.driver.memory', '3g')\n"
        "session = made.config('spark.log.level', 'ERROR').getOrCreate()\n"
        "frame = session.read.parquet(path)"
    ),
}
"""How each engine names a file of Parquet."""
READ = {
    "scores": f"q.read(frame, facets={BOARD}, announce=False)",
    "votes": "q.read_votes(frame, counted=True, announce=False)",
}
RUN = """
import json, os, sys, time, quorate as q
def java():
    return session.sparkContext._gateway.proc.pid if "pyspark" in sys.modules else None
def used():
    if (pid := java()) is None:
        return time.process_time()
    fields = open(f"/proc/{{pid}}/stat").read().rpartition(")")[2].split()
    return time.process_time() + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
def held(pid):
    return int(next(row for row in open(f"/proc/{{pid}}/status") if row.startswith("VmHWM")).split()[1]) / 1024
path = sys.argv[1]
{frame}
q.read, q.read_votes, q.rank  # loaded when they are first named
start, wall = used(), time.perf_counter()
table = {read}
passed, waited = used() - start, time.perf_counter() - wall
most = held("self") + (held(java()) if java() else 0)
start = used()
board = q.rank(table)
told = [str(getattr(table, "n_answers", 0) or table.n), *board.systems]
print(json.dumps([passed, waited, most, used() - start, told]))
"""


def main() -> int:
    """Print a line for each engine and kind of rows; the exit code says whether all found the same."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else VOTES
    one_core = {**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "PYSPARK_PYTHON": sys.executable}
    found: dict[str, set[tuple[str, ...]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.parquet" for name in READ}
        write(paths["scores"], rows)
        write_votes(paths["votes"], rows)
        print(f"{format(rows, ','):>14} {'':12}{'CPU s':>8}{'wall s':>8}{'MB':>8}{'board, CPU s':>14}")
        for engine in sys.argv[2:] or FRAMES:
            if find_spec(engine) is None:
                print(f"{engine:14} not installed: make engines")
                continue
            for name, read in READ.items():
                call = [sys.executable, "-c", RUN.format(frame=FRAMES[engine], read=read), str(paths[name])]
                said = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True, env=one_core).stdout
                passed, waited, most, board, told = json.loads(said.splitlines()[-1])
                print(f"{name:>14} {engine:12}{passed:8.1f}{waited:8.1f}{most:8,.0f}{board:14.1f}", flush=True)
                found.setdefault(name, set()).add(tuple(told))
    return 0 if all(len(one) == 1 for one in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
