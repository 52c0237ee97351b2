"""5,000 items, each with another pattern of missing cells (up to 45 each): Quorate against mixedlm, and rows or cells.

Run with ``make bench`` (its own environment, single-threaded linear algebra). Nothing can be shared between items here,
so this is the hardest design per cell. First table: seconds from a frame in memory to components for both tools in the
same process, with their ratio. Second table, in CPU seconds: the same cells with 2 and with 20 replicates each; reading
takes ten times as long, decomposing does not. ``--items`` sets the number of items.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import mixedlm
import numpy as np
import polars as pl

import quorate as q

PROMPTS, JUDGES, MISSING = 5, 9, 0.25
MODEL = "score ~ judge + (1 | item) + (1 | prompt) + (1 | item:prompt) + (1 | item:judge) + (1 | prompt:judge)"
FACETS = {"item": "item", "prompt": "prompt", "judge": "judge"}
TARGET = 5.0


def cells(items: int) -> pl.DataFrame:
    """Scores of a quarter of the cells left out at random, one per cell."""
    rng = np.random.default_rng(1)
    item, prompt, judge = np.indices((items, PROMPTS, JUDGES)).reshape(3, -1)
    score = 5 + rng.normal(0, 1, items)[item] + rng.normal(0, 0.3, PROMPTS)[prompt]
    score += rng.normal(0, 0.4, (items, PROMPTS))[item, prompt] + rng.normal(0, 0.5, (items, JUDGES))[item, judge]
    score += rng.normal(0, 0.2, (PROMPTS, JUDGES))[prompt, judge] + rng.normal(0, 0.7, len(item))
    keep = rng.random(len(item)) >= MISSING
    columns = {"item": item, "prompt": prompt, "judge": judge}
    return pl.DataFrame({**{name: code[keep].astype(str) for name, code in columns.items()}, "score": score[keep]})


def replicated(frame: pl.DataFrame, replicates: int) -> pl.DataFrame:
    """The same cells, each judged several times."""
    rng = np.random.default_rng(2)
    one = [
        frame.with_columns(replicate=pl.lit(r), score=pl.col("score") + rng.normal(0, 0.5, len(frame)))
        for r in range(replicates)
    ]
    return pl.concat(one)


def theirs(frame: pl.DataFrame) -> float:
    """Fit with mixedlm; the criterion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(mixedlm.REMLcrit(mixedlm.lmer(MODEL, frame)))


def seconds(call: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> tuple[float, Any]:
    """Time of one run, and its value."""
    start = clock()
    value = call()
    return clock() - start, value


def against_mixedlm(frame: pl.DataFrame) -> None:
    """First table."""
    fit = seconds(lambda: q.decompose(q.read(frame, facets=FACETS)))[1]
    patterns = len(fit.assembled.problem.units.count)
    mine, fit = seconds(lambda: q.decompose(q.read(frame, facets=FACETS)))
    peer, criterion = seconds(lambda: theirs(frame))
    print(f"{'patterns':>8}{'cells':>9}{'quorate s':>11}{'target s':>10}{'mixedlm s':>11}{'ratio':>7}{'criterion':>12}")
    difference = fit.criterion - criterion
    print(f"{patterns:8}{len(frame):9}{mine:11.2f}{TARGET:10.1f}{peer:11.2f}{peer / mine:7.1f}{difference:+12.1e}")


def rows_or_cells(frame: pl.DataFrame) -> None:
    """Second table."""
    print(f"{'replicates':>10}{'rows':>9}{'cells':>9}{'read CPU s':>12}{'decompose CPU s':>17}")
    for replicates in (2, 20):
        many = replicated(frame, replicates)
        facets = {**FACETS, "replicate": "replicate"}
        reading, judgments = seconds(lambda m=many, f=facets: q.read(m, facets=f), time.process_time)
        fitting, _ = seconds(lambda j=judgments: q.decompose(j), time.process_time)
        print(f"{replicates:10}{len(many):9}{judgments.n_cells:9}{reading:12.2f}{fitting:17.2f}", flush=True)


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=5000)
    frame = cells(parser.parse_known_args()[0].items)
    print(f"mixedlm {mixedlm.__version__}, quorate {q.__version__}, polars {pl.__version__}, OPENBLAS_NUM_THREADS=1")
    against_mixedlm(frame)
    rows_or_cells(frame)
    return 0


if __name__ == "__main__":
    sys.exit(main())
