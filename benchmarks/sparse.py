"""Variance components of sparse crossed designs: items, each scored by a few of many raters, beside mixedlm.

Run with ``make bench`` (its own environment, single-threaded linear algebra). Scores are drawn; both tools get the same
polars frame in the same process. A row gives CPU seconds of each (the least of three fits up to 3,000 items, else of
one), their ratio, and the difference of the criteria where Quorate has one, else how far its random signs may be off.
mixedlm is left out above 3,000 items unless ``--all`` is given.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import mixedlm
import numpy as np
import polars as pl

import quorate as q

SIZES = [(3_000, 300, 5), (3_000, 300, 10), (3_000, 300, 30), (20_000, 6_000, 10), (50_000, 20_000, 6)]


def drawn(items: int, raters: int, each: int) -> pl.DataFrame:
    """Scores of items, each by so many raters drawn at random."""
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(items), each)
    rater = np.concatenate([rng.choice(raters, each, replace=False) for _ in range(items)])
    score = 3 + rng.normal(0, 1, items)[item] + rng.normal(0, 0.5, raters)[rater] + rng.normal(0, 0.8, len(item))
    return pl.DataFrame({"item": item, "judge": rater, "score": score}).with_columns(
        pl.col("item", "judge").cast(pl.String)
    )


def ours(frame: pl.DataFrame) -> q.Decomposition:
    """Read and decompose."""
    judgments = q.read(frame, facets={"item": "item", "judge": "judge"}, fixed=())
    return q.decompose(judgments, random=["item", "judge"])


def theirs(frame: pl.DataFrame) -> float:
    """Fit with mixedlm; the criterion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(mixedlm.REMLcrit(mixedlm.lmer("score ~ 1 + (1|item) + (1|judge)", frame)))


def least(call: Callable[[], Any], times: int) -> tuple[float, Any]:
    """Least CPU seconds, and the last value."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        value = call()
        seconds.append(time.process_time() - start)
    return min(seconds), value


def main() -> int:
    """Print the table."""
    print(f"{'items x raters, scores':34}{'quorate s':>10}{'mixedlm s':>11}{'ratio':>7}{'criterion':>11}")
    for items, raters, each in SIZES:
        frame, small = drawn(items, raters, each), items <= 3_000
        times = 3 if small else 1
        mine, fit = least(lambda f=frame: ours(f), times)
        peer, criterion = np.nan, np.nan
        if small or "--all" in sys.argv:
            peer, criterion = least(lambda f=frame: theirs(f), times)
        name = f"{items:,} x {raters:,}, {len(frame):,}"
        print(f"{name:34}{mine:10.2f}{peer:11.2f}{peer / mine:7.1f}{fit.criterion - criterion:+11.1e}", flush=True)
        print("".join(f"  {caveat.sentence}\n" for caveat in fit.caveats if caveat.code == "sampled-traces"), end="")
    print(f"peak memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
