"""What a user waits for: `quorate demo`, and `quorate analyze` of a file with its report, each as a process of its own.

Run with ``make bench``, or alone: ``python benchmarks/analyze.py --items 600``. The file has so many items by 5 prompts
by 9 judges, of whose cells a quarter is missing at random: nearly every item has a pattern of its own. Rows give CPU
seconds of the process, the least of some runs after one that is not counted, and its peak memory. With ``--fit`` the
file is read and decomposed alone, once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from quorate import __version__

PROMPTS, JUDGES, MISSING = 5, 9, 0.25
FIT = """import quorate as q
facets = {name: name for name in ("item", "prompt", "judge")}
q.decompose(q.read("scores.parquet", facets=facets, announce=False)).variances"""


def scores(items: int) -> pl.DataFrame:
    """Cells that are there, one score in each."""
    rng = np.random.default_rng(1)
    item, prompt, judge = np.indices((items, PROMPTS, JUDGES)).reshape(3, -1)
    score = 5 + rng.normal(0, 1, items)[item] + rng.normal(0, 0.3, PROMPTS)[prompt] + rng.normal(0, 0.7, len(item))
    score += rng.normal(0, 0.4, (items, PROMPTS))[item, prompt] + rng.normal(0, 0.5, (items, JUDGES))[item, judge]
    keep = rng.random(len(item)) >= MISSING
    columns = {"item": item, "prompt": prompt, "judge": judge, "score": score.round(3)}
    return pl.DataFrame({name: column[keep] for name, column in columns.items()})


def spent(words: list[str], folder: str) -> tuple[float, float]:
    """CPU seconds and peak megabytes of one run of the command."""
    return finished([sys.executable, "-m", "quorate", *words], folder)


def finished(command: list[str], folder: str) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a process."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=600)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--fit", action="store_true")
    asked = parser.parse_known_args()[0]
    frame = scores(asked.items)
    print(f"quorate {__version__}, OMP_NUM_THREADS={os.environ.get('OMP_NUM_THREADS')}")
    print(f"{'command':24}{'rows':>10}{'CPU s':>9}{'MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        if asked.fit:
            frame.write_parquet(Path(folder) / "scores.parquet")
            cpu, mb = finished([sys.executable, "-c", FIT], folder)
            print(f"{'read and decompose':24}{len(frame):10,}{cpu:9.2f}{mb:8.0f}")
            return 0
        frame.write_csv(Path(folder) / "scores.csv")
        for words, rows in ((["demo"], 1773), (["analyze", "scores.csv"], len(frame))):
            runs = [spent(words, folder) for _ in range(asked.runs + 1)][1:]
            print(f"quorate {words[0]:16}{rows:10,}{min(cpu for cpu, _ in runs):9.2f}{max(mb for _, mb in runs):8.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
