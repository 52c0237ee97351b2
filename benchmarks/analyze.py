"""What a user waits for: `quorate demo`, and `quorate analyze` of a file with its report, each as a process of its own.

Run with ``make bench``, or alone: ``python benchmarks/analyze.py --items 600``. One file is complete: 267 items by 5
prompts by 5 judges, each judged 3 times. The other is ragged: so many items by 5 prompts by 9 judges, of whose cells a
quarter is missing at random, so that nearly every item has a pattern of its own. Rows give CPU seconds of the process,
the least of some runs after one that is not counted, and its peak memory; beside an analysis with all its fits and its
page those of mixedlm, which reads the same file and fits the same model once, where a file has at most 50,000 rows.
With ``--fit`` the ragged file is read and decomposed alone, once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl

from quorate import __version__

COMPLETE = (267, 5, 5, 3)
PROMPTS, JUDGES, MISSING = 5, 9, 0.25
FIT = """import quorate as q
facets = {name: name for name in ("item", "prompt", "judge")}
q.decompose(q.read("scores.parquet", facets=facets, announce=False)).variances"""
MOST_OF_PEER = 50_000
PEER = """import warnings
import mixedlm, polars
warnings.simplefilter("ignore")
frame = polars.read_csv("{file}", schema_overrides=dict.fromkeys(("item", "prompt", "judge"), polars.String))
pairs = "(1 | item) + (1 | prompt) + (1 | item:prompt) + (1 | item:judge) + (1 | prompt:judge)"
mixedlm.lmer("score ~ judge + " + pairs + "{cell}", frame)"""


def complete() -> pl.DataFrame:
    """Every cell, several scores in each."""
    rng = np.random.default_rng(1)
    item, prompt, judge, replicate = np.indices(COMPLETE).reshape(4, -1)
    score = 5 + rng.normal(0, 1, COMPLETE[0])[item] + rng.normal(0, 0.3, COMPLETE[1])[prompt]
    score += (
        rng.normal(0, 0.4, COMPLETE[:2])[item, prompt] + rng.normal(0, 0.5, (COMPLETE[0], COMPLETE[2]))[item, judge]
    )
    score += rng.normal(0, 0.3, COMPLETE[:3])[item, prompt, judge] + rng.normal(0, 0.7, len(item))
    columns = {"item": item, "prompt": prompt, "judge": judge, "replicate": replicate, "score": score.round(3)}
    return pl.DataFrame(columns)


def ragged(items: int) -> pl.DataFrame:
    """Cells that are there, one score in each."""
    rng = np.random.default_rng(1)
    item, prompt, judge = np.indices((items, PROMPTS, JUDGES)).reshape(3, -1)
    score = 5 + rng.normal(0, 1, items)[item] + rng.normal(0, 0.3, PROMPTS)[prompt] + rng.normal(0, 0.7, len(item))
    score += rng.normal(0, 0.4, (items, PROMPTS))[item, prompt] + rng.normal(0, 0.5, (items, JUDGES))[item, judge]
    keep = rng.random(len(item)) >= MISSING
    columns = {"item": item, "prompt": prompt, "judge": judge, "score": score.round(3)}
    return pl.DataFrame({name: column[keep] for name, column in columns.items()})


def finished(command: list[str], folder: str) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a process, which keeps its bytecode as that of a user does."""
    around = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, cwd=folder, env=around, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def least(command: list[str], folder: str, runs: int) -> str:
    """Least CPU seconds and largest peak of some runs after one that is not counted, as two columns."""
    found = [finished([sys.executable, *command], folder) for _ in range(runs + 1)][1:]
    return f"{min(cpu for cpu, _ in found):9.2f}{max(mb for _, mb in found):8.0f}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=600)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--fit", action="store_true")
    asked = parser.parse_known_args()[0]
    threads = os.environ.get("OMP_NUM_THREADS")
    with tempfile.TemporaryDirectory() as folder:
        if asked.fit:
            frame = ragged(asked.items)
            frame.write_parquet(Path(folder) / "scores.parquet")
            cpu, mb = finished([sys.executable, "-c", FIT], folder)
            print(f"quorate {__version__}, OMP_NUM_THREADS={threads}")
            print(f"read and decompose: {len(frame):,} rows, {cpu:.2f} CPU s, {mb:.0f} MB")
            return 0
        print(f"quorate {__version__}, mixedlm {version('mixedlm')}, OMP_NUM_THREADS={threads}")
        print(f"{'command':30}{'rows':>10}{'CPU s':>9}{'MB':>8}{'mixedlm':>9}{'MB':>8}")
        commands = [(["demo"], 1773, "")]
        for name, frame, cell in (
            ("complete", complete(), " + (1 | item:prompt:judge)"),
            ("ragged", ragged(asked.items), ""),
        ):
            frame.write_csv(Path(folder) / f"{name}.csv")
            commands.append((["analyze", f"{name}.csv"], len(frame), cell))
        for words, rows, cell in commands:
            own = least(["-m", "quorate", *words], folder, asked.runs)
            peer = ""
            if words[1:] and rows <= MOST_OF_PEER:
                code = PEER.format(file=words[1], cell=cell)
                peer = least(["-c", code], folder, asked.runs)
            print(f"{'quorate ' + ' '.join(words):30}{rows:10,}{own}{peer}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
