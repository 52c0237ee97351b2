"""The pass over the rows of a Parquet file into 900,000 cells: ``quorate.read`` against a streaming group-by of polars.

Run with ``make bench``, or ``--rows 100000000`` for the size that the guide on large data quotes. The file (item x
judge x prompt x replicate, whole-number codes) is written by DuckDB into a temporary folder and deleted. Each tool runs
in its own process, so that its peak memory is its own; both aggregate count, mean, variance, least and greatest, and
Quorate also proves that no replicate is repeated in a cell and labels the cells. ``CPU/2`` is the wall time that two
free cores would need. The last line decomposes the cells.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from _apart import measured

CELLS = 900_000
FACETS = {"item": "item", "judge": "judge", "prompt": "prompt", "replicate": "replicate"}
QUORATE = f"""
import quorate as q
judgments = q.read(sys.argv[1], facets={FACETS})
rows = judgments.n_cells
"""
POLARS = """
import polars as pl
x = pl.col("score")
measures = [pl.len().alias("rows"), x.count().alias("n"), x.mean().alias("mean"), x.var().alias("variance"),
            x.min().alias("low"), x.max().alias("high")]
cells = pl.scan_parquet(sys.argv[1]).group_by("item", "judge", "prompt").agg(measures).collect(engine="streaming")
rows = len(cells)
"""
DECOMPOSE = (
    QUORATE
    + """
wall, cpu = time.perf_counter(), time.process_time()
assert q.decompose(judgments).variances
"""
)


def write(path: Path, rows: int) -> None:
    """Rows in the order in which calls are made: every cell once, then again."""
    import duckdb

    item, judge, prompt = (f"(i % {CELLS} {part})::INTEGER" for part in ("// 90", "// 10 % 9", "% 10"))
    score = f"(5 + hash({item}) % 1000 / 500.0 + hash(i) % 1000 / 500.0)::DOUBLE"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT {item} AS item, {judge} AS judge, {prompt} AS prompt, (i // {CELLS})::INTEGER AS replicate, "
            f"{score} AS score FROM range({rows}) AS t(i)) TO '{path}' (FORMAT parquet)"
        )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_known_args()[0].rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write(path, rows)
        print(f"{rows:,} rows, {path.stat().st_size / 1e6:.0f} MB of Parquet")
        print(f"{'':18}{'wall s':>8}{'CPU/2 s':>9}{'peak MB':>9}{'cells':>9}")
        found = {"quorate.read": QUORATE, "polars streaming": POLARS, "then decompose": DECOMPOSE}
        times = {name: measured(body, path) for name, body in found.items()}
    for name, (wall, cpu, memory, cells) in times.items():
        print(f"{name:18}{wall:8.2f}{cpu / 2:9.2f}{memory:9.0f}{cells:9.0f}")
    print(f"ratio of CPU, polars over quorate: {times['polars streaming'][1] / times['quorate.read'][1]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
