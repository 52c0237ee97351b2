"""`quorate rank` of a Parquet file of votes, counted by DuckDB or row by row: CPU seconds and memory of the process.

Run with ``make bench``, or alone: ``python benchmarks/counted.py``; ``python benchmarks/counted.py 1000000`` for fewer
votes. Votes are between 100 systems by 7 judges. Row by row is `q.rank(q.read_votes(file))`, which is also what a
library without an engine does at best. All must give the same board.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

VOTES, SYSTEMS, JUDGES = 10_000_000, 100, 7
COUNTED_MB, FASTER = 400, 1.2
"""Most megabytes of the counted way, and how much faster it is at least."""

_ROWS = f"""
COPY (
    SELECT 's' || a AS model_a, 's' || b AS model_b, 'j' || i % {JUDGES} AS judge,
        CASE WHEN u < .2 THEN 'tie' WHEN u < .2 + .8 / (1 + exp((a - b) / 60.0)) THEN 'model_b' ELSE 'model_a' END
            AS winner
    FROM (
        SELECT i, hash(i) % {SYSTEMS} AS a, (hash(i) % {SYSTEMS} + 1 + hash(i + 1) % ({SYSTEMS} - 1)) % {SYSTEMS} AS b,
            hash(i + 2) / 18446744073709551616.0 AS u
        FROM range({{votes}}) AS t(i)
    )
) TO '{{path}}'
"""
_RUN = """
import json, resource, sys, quorate as q
votes = q.read_votes(sys.argv[1], counted=sys.argv[2] == "counted", announce=False)
board = q.rank(votes)
used = resource.getrusage(resource.RUSAGE_SELF)
found = {"rows": votes.rows, "ends": board.intervals.tolist(), "ranks": board.ranks.low.tolist()}
print(json.dumps(found | {"seconds": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss / 1024}))
"""


def write(path: Path, votes: int) -> None:
    """So many votes, in Parquet."""
    duckdb.sql(_ROWS.format(votes=votes, path=path))


def main() -> int:
    """Print a line for each way; the exit code says whether limits were kept and the boards are one."""
    votes = int(sys.argv[1]) if len(sys.argv) > 1 else VOTES
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.parquet"
        write(path, votes)
        found = {}
        print(f"{votes:,} votes\n{'':12}{'CPU seconds':>13}{'MB':>7}{'rows held':>12}")
        for way in ("counted", "by row"):
            done = subprocess.run([sys.executable, "-c", _RUN, path, way], check=True, capture_output=True)
            found[way] = one = json.loads(done.stdout)
            print(f"{way:12}{one['seconds']:13.1f}{one['mb']:7.0f}{one['rows']:12,}")
    counted, rows = found["counted"], found["by row"]
    same = all(counted[name] == rows[name] for name in ("ends", "ranks"))
    print("the same board" if same else "boards differ")
    return 0 if same and counted["mb"] <= COUNTED_MB and counted["seconds"] * FASTER <= rows["seconds"] else 1


if __name__ == "__main__":
    sys.exit(main())
