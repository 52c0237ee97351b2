"""The raw pass over scores, and the counting of votes, in every engine that is installed (`make engines`).

Run with ``make bench``, or alone: ``python benchmarks/engines.py``; ``python benchmarks/engines.py 1000000`` for fewer
rows. Scores are replicates of 900,000 cells and votes those of 100 systems by 7 judges, both in Parquet. Each engine
runs on one core in a process of its own; CPU seconds are those of its answer, start of the engine apart, and of Spark
include its Java. All must give the same number of answers, or of votes.
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
from raw_pass import FACETS, write

FRAMES = {
    "duckdb": "frame = path",
    "polars": "import polars\nframe = polars.scan_parquet(path)",
    "dask": "import dask, dask.dataframe\ndask.config.set(scheduler='sync')\nframe = dask.dataframe.read_parquet(path)",
    "ibis": "import ibis\nibis.duckdb.connect().raw_sql('SET threads = 1')\nframe = ibis.read_parquet(path)",
    "pyspark": (
        "from pyspark.sql import SparkSession\n"
        "made = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false')\n"
        "made = made.config('spark.driver.host', '127.0.0.1').config('spark.driver.memory', '3g')\n"
        "session = made.config('spark.log.level', 'ERROR').getOrCreate()\n"
        "frame = session.read.parquet(path)"
    ),
}
"""How each engine names a file of Parquet."""
ASKED = {
    "scores": f"q.read(frame, facets={FACETS}, announce=False).n_answers",
    "votes": "q.read_votes(frame, counted=True, announce=False).n",
}
RUN = """
import json, resource, sys, quorate as q
def used():
    own, java = resource.getrusage(resource.RUSAGE_SELF), 0.0
    if "pyspark" in sys.modules:
        pid = session.sparkContext._gateway.proc.pid
        fields = open(f"/proc/{{pid}}/stat").read().rpartition(")")[2].split()
        java = (int(fields[11]) + int(fields[12])) / 100
    return own.ru_utime + own.ru_stime + java
path = sys.argv[1]
{frame}
q.read, q.read_votes  # loaded when they are first named
start = used()
found = {asked}
print(json.dumps([used() - start, found]))
"""


def main() -> int:
    """Print a line for each engine; the exit code says whether all found the same."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else VOTES
    one_core = {**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "PYSPARK_PYTHON": sys.executable}
    found: dict[str, set[int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.parquet" for name in ASKED}
        write(paths["scores"], rows)
        write_votes(paths["votes"], rows)
        print(f"{'CPU s of ' + format(rows, ','):22}" + "".join(f"{name:>10}" for name in ASKED))
        for engine, frame in FRAMES.items():
            if find_spec(engine) is None:
                print(f"{engine:22}not installed: make engines")
                continue
            line = f"{engine:22}"
            for name, asked in ASKED.items():
                call = [sys.executable, "-c", RUN.format(frame=frame, asked=asked), str(paths[name])]
                said = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True, env=one_core).stdout
                seconds, answers = json.loads(said.splitlines()[-1])
                line += f"{seconds:10.1f}"
                found.setdefault(name, set()).add(answers)
            print(line, flush=True)
    return 0 if all(len(answers) == 1 for answers in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
