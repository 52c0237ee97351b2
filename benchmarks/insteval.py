"""Ratings of teachers by students (InstEval, 73,421 rows): Quorate against mixedlm, from a frame to components.

Run with ``make bench`` (its own environment, single-threaded linear algebra). 2,972 students are crossed with 1,128
lecturers, nearly all combinations empty. Both tools get the same polars frame in the same process, in turn, after one
fit to warm up. A row gives the least wall seconds of each and their ratio, which should be at least 2, the ratio of CPU
seconds (which other work disturbs less), and the difference of the criteria (Quorate minus mixedlm; negative is a
better optimum). ``table`` is our time for the standard errors and intervals of all components, which mixedlm does not
give. Data are read from the folder QUORATE_SHARED names.
"""

from __future__ import annotations

import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mixedlm
import polars as pl

import quorate as q

FACETS = {"s": "s", "d": "d", "dept": "dept", "service": "service"}
MODELS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "s, d": (
        "y ~ 1 + (1 | s) + (1 | d)",
        {"facets": {"s": "s", "d": "d"}, "fixed": ()},
        {"random": ["s", "d"]},
    ),
    "s, d, dept": (
        "y ~ service + (1 | s) + (1 | d) + (1 | dept)",
        {"facets": FACETS, "fixed": ("service",)},
        {"random": ["s", "d", "dept"]},
    ),
    "service*dept": (
        "y ~ service * dept + (1 | s) + (1 | d)",
        {"facets": FACETS, "fixed": ()},
        {"random": ["s", "d"], "covariates": ["service", "dept", "service:dept"]},
    ),
}


def ours(frame: pl.DataFrame, reading: dict[str, Any], options: dict[str, Any]) -> Any:
    """Read and decompose."""
    return q.decompose(q.read(frame, score="y", object="s", **reading), **options)


def theirs(frame: pl.DataFrame, model: str) -> float:
    """Fit with mixedlm; the criterion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(mixedlm.REMLcrit(mixedlm.lmer(model, frame)))


def least(calls: list[Callable[[], Any]]) -> list[tuple[float, float, Any]]:
    """Least wall and CPU time of five runs taken in turn, so that other work slows both alike, and the last value."""
    walls: list[list[float]] = [[] for _ in calls]
    cpus: list[list[float]] = [[] for _ in calls]
    values: list[Any] = [call() for call in calls]
    for _ in range(5):
        for place, call in enumerate(calls):
            wall, cpu = time.perf_counter(), time.process_time()
            values[place] = call()
            walls[place].append(time.perf_counter() - wall)
            cpus[place].append(time.process_time() - cpu)
    return [(min(wall), min(cpu), value) for wall, cpu, value in zip(walls, cpus, values, strict=True)]


def main() -> int:
    """Print the table; the exit code says whether the data were there."""
    path = Path(os.environ.get("QUORATE_SHARED", "../shared")) / "data" / "lme4_insteval.parquet"
    if not path.is_file():
        print(f"benchmarks: no {path}; set QUORATE_SHARED to the folder that holds data/lme4_insteval.parquet")
        return 1
    frame = pl.read_parquet(path).with_columns(pl.col("s", "d", "dept", "service").cast(pl.String))
    print(f"mixedlm {mixedlm.__version__}, quorate {q.__version__}, polars {pl.__version__}, OPENBLAS_NUM_THREADS=1")
    print(f"{'model':14}{'quorate s':>10}{'table s':>9}{'mixedlm s':>11}{'ratio':>7}{'of CPU':>8}{'criterion':>11}")
    for name, (model, reading, options) in MODELS.items():
        calls = [lambda r=reading, o=options: ours(frame, r, o), lambda m=model: theirs(frame, m)]
        (mine, own, fit), (peer, other, criterion) = least(calls)
        start = time.perf_counter()
        assert fit.components
        table = time.perf_counter() - start
        difference = fit.criterion - criterion
        print(
            f"{name:14}{mine:10.2f}{table:9.2f}{peer:11.2f}{peer / mine:7.1f}{other / own:8.1f}{difference:+11.1e}",
            flush=True,
        )
    print(f"peak memory of the process, both tools: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
