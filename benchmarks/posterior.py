"""Posteriors of tables of 6,345 cells by numpyro: CPU seconds with compilation, and without it for a second table.

Run with ``make bench``. 141 items by 9 prompts by 5 judges, twice, all judges fixed; balanced, and with 2% of the cells
missing at random, where items no longer share a pattern. ``python benchmarks/posterior.py`` runs it alone.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import polars as pl

import quorate as q

SHAPE = 141, 9, 5, 2
PARTS = {
    (0,): 0.10,
    (1,): 0.05,
    (2,): 0.1,
    (0, 1): 0.06,
    (0, 2): 0.16,
    (1, 2): 0.04,
    (0, 1, 2): 0.1,
    (0, 1, 2, 3): 0.11,
}
"""Standard deviation of the effects of each combination of item, prompt, judge and replicate."""
LIMIT = 300.0


def table(missing: float, seed: int) -> q.types.Judgments:
    """Simulated scores."""
    rng = np.random.default_rng(seed)
    score = np.zeros(SHAPE)
    for axes, sd in PARTS.items():
        score = score + sd * rng.standard_normal([n if axis in axes else 1 for axis, n in enumerate(SHAPE)])
    item, prompt, judge, replicate = (axis.ravel() for axis in np.indices(SHAPE))
    frame = pl.DataFrame(
        {"item": item, "prompt": prompt, "judge": judge, "replicate": replicate, "score": score.ravel()}
    )
    kept = rng.random(SHAPE[:3]) >= missing
    return q.read(frame.filter(pl.Series(kept[item, prompt, judge])), announce=False)


def main() -> int:
    """Print the table; the exit code says whether every time was below the limit."""
    slow = False
    for missing in (0.0, 0.02):
        for seed in (1, 2):
            judgments, start = table(missing, seed), time.process_time()
            found = q.scores.posterior(judgments, seed=seed, on_quote=lambda _: None)
            used = time.process_time() - start
            slow |= used > LIMIT
            least = min(found.checks.ess.values())
            rate = f"{least / used:.0f} effective draws per CPU s"
            print(
                f"{missing:4.0%} missing, table {seed}: {used:6.1f} CPU s, {rate}.", found.checks.sentence, flush=True
            )
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
