"""Parametric bootstrap of crossed designs: CPU seconds of 1,000 refits, against one parametric refit of mixedlm.

Run with ``make bench`` (its own environment, single-threaded linear algebra). Each design is read and fitted once; then
Quorate redraws and refits it 1,000 times, and mixedlm fits one response simulated from the same components, rows drawn
outside the clock, from the same frame in the same process. Times are CPU seconds (`time.process_time`). Designs are
read from the folder QUORATE_SHARED names. ``python benchmarks/bootstrap.py DESIGN ...`` runs some of them only.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path

import mixedlm
import numpy as np
import polars as pl

import quorate as q

FACETS = ("item", "prompt", "judge", "temperature")
LIMITS = {"L": 3.0, "L-missing": 60.0}
REFITS = 1000
CELL = "item:prompt:judge:temperature"


def simulated(frame: pl.DataFrame, components: Mapping[str, float], seed: int) -> pl.DataFrame:
    """The rows with new scores: every random effect drawn anew, the fixed effects left out (they cancel)."""
    rng = np.random.default_rng(seed)
    score = np.zeros(len(frame))
    for term, variance in components.items():
        facets = {"cell": CELL, "replicate": ""}.get(term, term)
        if facets:
            code = frame.select(pl.struct(facets.split(":")).rank("dense")).to_series().to_numpy() - 1
            score += np.sqrt(variance) * rng.normal(size=int(code.max()) + 1)[code]
        else:
            score += np.sqrt(variance) * rng.normal(size=len(frame))
    return frame.with_columns(score=pl.Series(score))


def model(components: Mapping[str, float]) -> str:
    """The same model in lme4's notation."""
    random = [{"cell": CELL}.get(term, term) for term in components if term != "replicate"]
    return "score ~ temperature + judge + " + " + ".join(f"(1 | {term})" for term in random)


def theirs(frame: pl.DataFrame, formula: str) -> float:
    """CPU seconds of one fit by mixedlm."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        mixedlm.lmer(formula, frame)
        return time.process_time() - start


def main(names: list[str]) -> int:
    """Print the table; the exit code says whether the data were there and every limit was kept."""
    folder = Path(os.environ.get("QUORATE_SHARED", "../shared")) / "reference" / "simulated"
    if not folder.is_dir():
        print(f"benchmarks: no designs in {folder}; set QUORATE_SHARED to the folder that holds reference/simulated")
        return 1
    print(f"mixedlm {mixedlm.__version__}, quorate {q.__version__}, {REFITS} refits, CPU seconds")
    print(f"{'design':12}{'rows':>8}{'quorate s':>12}{'limit s':>9}{'ms a refit':>12}{'mixedlm s':>11}{'ratio':>8}")
    kept = True
    for name in names or LIMITS:
        frame = pl.read_parquet(folder / f"{name}.parquet").with_columns(pl.exclude("score", "rep").cast(pl.String))
        fit = q.decompose(q.read(frame, facets={facet: facet for facet in FACETS}, nested={"item": "category"}))
        start = time.process_time()
        draws = fit.bootstrap(REFITS)
        mine = time.process_time() - start
        peer = theirs(simulated(frame, fit.variances, 1), model(fit.variances))
        kept &= mine <= LIMITS[name] and draws.unconverged == 0
        each = mine / REFITS
        print(
            f"{name:12}{len(frame):8}{mine:12.2f}{LIMITS[name]:9.0f}{1000 * each:12.2f}{peer:11.2f}{peer / each:8.0f}",
            flush=True,
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
