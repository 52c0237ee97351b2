"""Replay of allocation policies at the paper's scale: CPU seconds against a loop that pulls the arg max.

Run with ``make bench``, or alone: ``python benchmarks/allocation.py``. 1,016 simulated arms with pools of 30 scores
from 0 to 4, 100,000 pulls, delta .007 (20 pulls of each arm first), 50 runs of three policies on the same draws, with
curves at 51 budgets. The loop makes one run, pull by pull, of the two policies that look for an arg max; the draws of
the first run are given to it, it makes no curves, and it must end with the same pulls. The ratio is of CPU seconds per
run.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import quorate as q
from quorate.numerics.sequential.bandit import Pools, Rule, constants, greedy
from quorate.numerics.sequential.replay import forced, replay
from quorate.simulate.allocation.arms import arms_of
from quorate.simulate.allocation.result import Runs

ARMS, DRAWS, BUDGET, DELTA, RUNS = 1016, 30, 100_000, 0.007, 50
LIMIT, RATIO = 5.0, 30.0
"""Most CPU seconds of the study, and least ratio of the loop to it, per run."""


def simulated() -> np.ndarray:
    """Scores from 0 to 4 whose standard deviation differs from arm to arm."""
    rng = np.random.default_rng(1)
    mean, sd = rng.normal(2, 1, (ARMS, 1)), rng.gamma(1.5, 0.35, (ARMS, 1))
    return np.clip(np.round(mean + sd * rng.normal(size=(ARMS, DRAWS))), 0, 4)


def looped_known(variance: np.ndarray) -> np.ndarray:
    """Pulls of every arm by ROBIN, each pull decided by the priorities of all arms."""
    pulls = np.ones(len(variance), dtype=np.int64)
    priority = variance.copy()
    for _ in range(BUDGET - len(variance)):
        arm = int(np.argmax(priority))
        n = pulls[arm] = pulls[arm] + 1
        priority[arm] = variance[arm] / n
    return pulls


def looped(x: np.ndarray, rule: Rule, warmup: int) -> np.ndarray:
    """Pulls of every arm by ROBIN-HOOD, decided like those of ROBIN; ``x`` has the draws of every arm."""
    pulls = np.full(len(x), warmup)
    sums, squares = x[:, :warmup].sum(axis=1), (x[:, :warmup] ** 2).sum(axis=1)
    priority = rule.priority(pulls, sums / pulls, squares / pulls - (sums / pulls) ** 2)
    lam, step = rule.lam, rule.step or 0.0
    for _ in range(BUDGET - warmup * len(x)):
        arm = int(np.argmax(priority))
        score = x[arm, pulls[arm]]
        n = pulls[arm] = pulls[arm] + 1
        total = sums[arm] = sums[arm] + score
        square = squares[arm] = squares[arm] + score * score
        variance = max(square / n - (total / n) ** 2, step**2 * (n + 1) / (n + 2) ** 2)
        priority[arm] = variance / (n - (4 * lam * n) ** 0.5)
    return pulls


def first_run(pools: Pools, rule: Rule, warmup: int) -> tuple[np.ndarray, np.ndarray]:
    """Draws of the first run, and the pulls of its replay."""
    paths = next(Runs(pools, np.array([BUDGET]), 1, 1).paths())
    pulls = replay(paths, rule, warmup, [BUDGET])[0]
    level = next(level for level in range(64) if paths.reach(level) > pulls.max())
    every = [paths.block(one, np.arange(ARMS)).sums for one in range(level + 1)]
    return np.diff(np.concatenate(every, axis=1), axis=1, prepend=0.0), pulls


def main() -> int:
    """Print the table; the exit code says whether limits were kept and the loop agreed."""
    pool = simulated()
    start = time.process_time()
    found = q.scores.simulate_allocation(pool, BUDGET, runs=RUNS, delta=DELTA)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pools, own = arms_of(pool).pools, constants("experiment", ARMS, BUDGET, DELTA)
    rule = Rule(own.lam, pools.step)
    draws, pulls = first_run(pools, rule, forced(own))
    known = greedy(pools.variance, BUDGET)
    start = time.process_time()
    agrees = bool((looped(draws, rule, forced(own)) == pulls).all() and (looped_known(pools.variance) == known).all())
    loop = time.process_time() - start
    ratio = loop * RUNS / seconds
    print(f"quorate {q.__version__}, {ARMS:,} arms, {BUDGET:,} pulls, {RUNS} runs x 3 policies, CPU seconds")
    print(f"{'study s':>10}{'limit s':>9}{'loop s, one run of two policies':>33}{'ratio per run':>15}{'at least':>10}")
    print(f"{seconds:10.3f}{LIMIT:9.1f}{loop:33.3f}{ratio:15.0f}{RATIO:10.0f}")
    print(f"peak MB {peak:.0f}; the loop ends with the same pulls: {agrees}; {found.sentence}")
    return 0 if seconds <= LIMIT and ratio >= RATIO and agrees else 1


if __name__ == "__main__":
    sys.exit(main())
