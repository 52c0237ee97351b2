"""Variance components of crossed designs: Quorate against mixedlm, from an in-memory frame to components.

Run with ``make bench`` (its own environment, single-threaded linear algebra). Both tools get the same polars frame with
string facets in the same process; a row gives the median seconds of each, their ratio, and the difference of the two
criteria (Quorate minus mixedlm; negative is a better optimum). Designs are read from the folder QUORATE_SHARED names.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import mixedlm
import polars as pl

import quorate as q

FACETS = {"item": "item", "prompt": "prompt", "judge": "judge"}
RANDOM = ["category", "item", "prompt", "item:prompt", "item:judge", "prompt:judge"]
TEMPERATURE = ["item:temperature", "prompt:temperature"]
TARGETS = {"S": 2, "M": 150, "L": 50, "L-missing": 12, "XL": 150, "XL-missing": 150}


def ours(frame: pl.DataFrame, facets: dict[str, str]) -> float:
    """Read and decompose; the criterion."""
    fit = q.decompose(q.read(frame, facets=facets, nested={"item": "category"}))
    assert fit.variances
    return fit.criterion


def formula(crossed: bool, replicated: bool) -> str:
    """The same model in lme4's notation."""
    random = RANDOM + (TEMPERATURE if crossed else [])
    if replicated:
        random = [*random, "item:prompt:judge" + (":temperature" if crossed else "")]
    terms = " + ".join(f"(1 | {term})" for term in random)
    return f"score ~ {'temperature + ' if crossed else ''}judge + {terms}"


def theirs(frame: pl.DataFrame, model: str) -> float:
    """Fit with mixedlm; the criterion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = mixedlm.lmer(model, frame)
    return float(mixedlm.REMLcrit(fit))


def seconds(call: Callable[[], float], budget: float) -> tuple[float, float]:
    """Median wall time within a budget (at least one run, at most nine), and the last value."""
    times: list[float] = []
    value = 0.0
    while not times or (len(times) < 9 and sum(times) < budget):
        start = time.perf_counter()
        value = call()
        times.append(time.perf_counter() - start)
    return statistics.median(times), value


def main() -> int:
    """Print the table; the exit code says whether the data were there."""
    folder = Path(os.environ.get("QUORATE_SHARED", "../shared")) / "reference" / "simulated"
    if not folder.is_dir():
        print(f"benchmarks: no designs in {folder}; set QUORATE_SHARED to the folder that holds reference/simulated")
        return 1
    print(f"mixedlm {mixedlm.__version__}, quorate {q.__version__}, polars {pl.__version__}, OPENBLAS_NUM_THREADS=1")
    print(f"{'design':12}{'rows':>8}{'quorate s':>12}{'mixedlm s':>12}{'ratio':>8}{'target':>8}{'criterion diff':>16}")
    for name, target in TARGETS.items():
        frame = pl.read_parquet(folder / f"{name}.parquet").with_columns(pl.exclude("score", "rep").cast(pl.String))
        crossed = frame["temperature"].n_unique() > 1
        facets = FACETS | ({"temperature": "temperature"} if crossed else {})
        model = formula(crossed, replicated=frame["rep"].n_unique() > 1)
        ours(frame, facets)
        mine, a = seconds(lambda f=frame, c=facets: ours(f, c), budget=1.0)
        peer, b = seconds(lambda f=frame, m=model: theirs(f, m), budget=1.0)
        print(f"{name:12}{len(frame):8}{mine:12.4f}{peer:12.3f}{peer / mine:8.0f}{target:8}{a - b:16.1e}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
