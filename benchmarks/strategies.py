"""Redrawn studies of a crossed pilot: CPU seconds of `validate_strategies` against a plain numpy loop over studies.

Run with ``make bench``, or alone: ``python benchmarks/strategies.py``. 5,000 studies for each of 3 strategies at 4
budgets (1, 2, 4 and 8 calls of each judge per scenario), from simulated pilots. The loop draws and averages one study
at a time; it draws fewer studies, and its CPU seconds are scaled by that. Its variances are held against the same exact
predictions.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import quorate as q
from quorate.planning.panel.strategies import ALL, CYCLIC, RANDOM
from quorate.simulate.strategies import LIMIT, simulated_scores, validate_strategies

STUDIES = 5000
BIASES = (0.9, 0.4, 0.0, -0.4, -0.9)
SIZES = {"80 x 10 x 5": (80, 10, 500, 1.0), "1763 x 8 x 5": (1763, 8, 25, 20.0)}
"""Scenarios, generations, studies of the loop, and most CPU seconds allowed for ours."""


def study(x: np.ndarray, strategy: str, budget: int, rng: np.random.Generator) -> float:
    """Mean of one study, drawn as the paper says (Zhu et al. 2026, appendix E)."""
    n, m, judges = x.shape
    rows = np.arange(n)[:, None]
    if strategy == ALL:
        return float(x[rows, rng.integers(m, size=(n, budget // judges))].mean())
    judge = rng.integers(judges, size=(n, budget)) if strategy == RANDOM else np.arange(budget) % judges
    return float(x[rows, rng.integers(m, size=(n, budget)), judge].mean())


def looped(x: np.ndarray, studies: int) -> dict[tuple[str, int], float]:
    """Variance of the means of so many studies, by strategy and budget."""
    rng, judges = np.random.default_rng(1), x.shape[2]
    return {
        (strategy, judges * times): float(np.var([study(x, strategy, judges * times, rng) for _ in range(studies)]))
        for strategy in (ALL, RANDOM, CYCLIC)
        for times in (1, 2, 4, 8)
    }


def main() -> int:
    """Print the table; the exit code says whether every limit was kept and every variance agreed."""
    print(f"quorate {q.__version__}, {STUDIES:,} studies, 3 strategies, 4 budgets, CPU seconds")
    print(f"{'pilot':14}{'quorate s':>10}{'limit s':>9}{'numpy loop s':>14}{'ratio':>8}{'peak MB':>9}")
    kept = True
    for name, (n, m, studies, limit) in SIZES.items():
        pilot = simulated_scores(n, m, gamma=BIASES, alpha=1.0, beta=0.25, eps=1.0, interaction=0.49)
        start = time.process_time()
        found = validate_strategies(pilot, repetitions=STUDIES)
        mine = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        start = time.process_time()
        plain = looped(pilot.x, studies)
        peer = (time.process_time() - start) * STUDIES / studies
        near = all(
            abs(plain[check.strategy, check.budget] / check.predicted - 1) < LIMIT * np.sqrt(2 / (studies - 1))
            for check in found.checks
        )
        kept &= found.agrees and near and mine <= limit
        print(f"{name:14}{mine:10.3f}{limit:9.0f}{peer:14.1f}{peer / mine:8.0f}{peak:9.0f}", flush=True)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
