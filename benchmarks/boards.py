"""Boards of 300 to 10,000 systems by votes, and of 200 to 1,000 by scores: CPU seconds, memory, exponent of growth.

Run alone: ``python benchmarks/boards.py``; ``python benchmarks/boards.py 1000 3000`` for some of the sizes. A million
votes, a third of them ties: between all systems, of 10,000 systems on 20 pairs each, and of 6,000 of which some are
asked about far more often than others. Scores of 50 items by 3
judges, all of them, and four of five; of these, how many times as long the errors of all pairs take one by one, by a
few of them. Ratings, intervals, ranks, groups and chances of being best are included, reading is not. Each size runs in
a process of its own, for its memory.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import sys
import time

import numpy as np
import pandas as pd

import quorate as q
from quorate.estimate.means.mean import aimed
from quorate.estimate.ratings.leaderboard import pair_errors

VOTES = 1_000_000
LIMITS = {300: 5.0, 1_000: 20.0, 3_000: 60.0, 10_000: 75.0, 6_000: 60.0}
SPARSE, MEETS = 10_000, 20
UNEVEN = 6_000
SCORES = {(200, 1.0): 3.0, (500, 1.0): 8.0, (1_000, 1.0): 20.0, (100, 0.8): 3.0, (200, 0.8): 6.0, (400, 0.8): 15.0}
"""Limits by systems and share of the scores that are there."""
ITEMS, JUDGES = 50, 3
PAIRS, LEAST = 20, 10.0
"""Pairs that are made one by one, and how many times as long all would take so, at the least."""
MOST_MB = 2_000
MOST_GROWTH = 2.0


def simulated(systems: int) -> pd.DataFrame:
    """Votes between all systems, or on a few pairs of each."""
    rng = np.random.default_rng(1)
    rating = rng.normal(0, 0.7, systems)
    if systems >= SPARSE:
        a = np.tile(np.arange(systems), MEETS // 2)
        b = np.concatenate([rng.permutation(systems) for _ in range(MEETS // 2)])
        times = VOTES // len(a)
        a, b = (np.repeat(side[a != b], times) for side in (a, b))
    elif systems == UNEVEN:
        asked = 1 / np.arange(1, systems + 1) ** 0.7
        a, b = rng.choice(systems, (2, VOTES), p=asked / asked.sum())
        a, b = a[a != b], b[a != b]
    else:
        a = rng.integers(systems, size=VOTES)
        b = (a + rng.integers(1, systems, size=VOTES)) % systems
    gap = rating[a] - rating[b]
    weight = np.stack([np.exp(gap / 2), np.exp(-gap / 2), np.ones(len(a))])
    outcome = (rng.random(len(a)) > np.cumsum(weight / weight.sum(axis=0), axis=0)).sum(axis=0)
    winner = np.array(["model_a", "model_b", "tie"])[outcome]
    return pd.DataFrame({"model_a": a, "model_b": b, "winner": winner})


def measured(systems: int) -> tuple[float, float, int]:
    """CPU seconds, megabytes, and pairs told apart."""
    votes = q.read_votes(simulated(systems), announce=False)
    start = time.process_time()
    board = q.rank(votes)
    told = int(board.ranks.above.sum())
    board.rows(), board.best, board.groups
    seconds = time.process_time() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, told


def scored(systems: int, share: float) -> pd.DataFrame:
    """Scores of every system on every item by every judge, or a share of them."""
    rng = np.random.default_rng(1)
    system, item, judge = (axis.ravel() for axis in np.indices((systems, ITEMS, JUDGES)))
    score = rng.normal(0, 0.5, systems)[system] + rng.normal(0, 0.7, ITEMS)[item] + rng.normal(0, 0.3, JUDGES)[judge]
    score += rng.normal(0, 0.4, (systems, ITEMS))[system, item] + rng.normal(0, 0.6, len(system))
    rows = pd.DataFrame({"item": item, "system": system, "judge": judge, "score": score.round(3)})
    return rows[rng.random(len(rows)) < share]


def board_of_scores(systems: int, share: float) -> tuple[float, float, float]:
    """CPU seconds, megabytes, and how many times as long pairs take one by one; nan without gaps."""
    judgments = q.read(scored(systems, share), announce=False)
    start = time.process_time()
    board = q.rank(judgments)
    board.rows(), board.best, board.groups
    seconds, megabytes = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if share == 1:
        return seconds, megabytes, math.nan
    board.joint.fit.shared.clear()
    start = time.process_time()
    pair_errors(board.joint, judgments, board.systems, board.targets)
    at_once = time.process_time() - start
    start = time.process_time()
    for row in np.eye(systems)[1 : PAIRS + 1]:
        aimed(board.joint.contrast(np.eye(systems)[0] - row), board.targets)
    return seconds, megabytes, (time.process_time() - start) * math.comb(systems, 2) / PAIRS / at_once


def by_scores(sizes: list[int]) -> bool:
    """Print a line for each board of scores; whether every limit was kept."""
    kept = True
    print(f"\n{'systems':>8}{'scores':>8}{'CPU seconds':>13}{'limit':>7}{'MB':>7}{'one by one':>12}")
    for (systems, share), limit in SCORES.items():
        if systems in sizes:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                seconds, megabytes, ratio = pool.apply(board_of_scores, (systems, share))
            print(f"{systems:8,}{share:8.0%}{seconds:13.1f}{limit:7.0f}{megabytes:7.0f}{ratio:12.0f}", flush=True)
            kept &= seconds <= limit and megabytes <= MOST_MB and not ratio < LEAST
    return kept


def main() -> int:
    """Print the tables; the exit code says whether every limit was kept."""
    asked = [int(size) for size in sys.argv[1:]]
    sizes = [size for size in asked or LIMITS if size in LIMITS]
    kept, before = True, None
    print(f"{'systems':>8}{'CPU seconds':>13}{'limit':>7}{'growth':>8}{'MB':>7}{'pairs told apart':>18}")
    for systems in sizes:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, megabytes, told = pool.apply(measured, (systems,))
        growth = math.nan if before is None else math.log(seconds / before[1]) / math.log(systems / before[0])
        before = systems, seconds
        print(f"{systems:8,}{seconds:13.1f}{LIMITS[systems]:7.0f}{growth:8.2f}{megabytes:7.0f}{told:18,}", flush=True)
        kept &= seconds <= LIMITS[systems] and megabytes <= MOST_MB and not growth > MOST_GROWTH
    kept &= by_scores(asked or [systems for systems, _ in SCORES])
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
