"""Detectability of 700 pairs: CPU seconds of `detectability` against a numpy loop that draws single votes.

Run with ``make bench``, or alone: ``python benchmarks/detectability.py``. 700 simulated pairs of 200 to 800 votes, 20
budgets from 25 to 5,000 votes, 2,000 resamples each; whole prompts of one to four votes for ``clusters``. The loop
draws votes with replacement, pair by pair, as the paper says (Lee 2026, section 4); it is run for few pairs and
budgets, and its CPU seconds are scaled by the votes that it drew. Its powers are held against the exact ones.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
import polars as pl

import quorate as q
from quorate.estimate.votes.margins import pair_shares
from quorate.estimate.votes.well_sampled_pairs import well_sampled
from quorate.numerics.votes.binomial import p_value
from quorate.numerics.votes.power import exact_power
from quorate.planning.power.detectability import BUDGETS, RESAMPLES, detectability
from quorate.table.read_votes import read_votes
from quorate.table.votes import Votes

PAIRS = 700
LIMITS = {"exact": 0.05, "draws": 5.0, "clusters": 60.0}
"""Most CPU seconds for each method; for ``exact`` those of the curves alone."""

SHARES = 0.4
"""Most CPU seconds for the shares of all pairs by their prompts."""

LOOP = ((0, 1, 2), (50, 200, 500))
"""Pairs and budgets of the loop."""


def simulated() -> Votes:
    """Votes of 700 pairs; those on one prompt share its win rate."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(200, 800, PAIRS)
    pair = np.repeat(np.arange(PAIRS), sizes)
    prompt = np.arange(len(pair)) // rng.integers(1, 5, PAIRS)[pair]
    rate = (0.5 + rng.normal(0, 0.12, PAIRS)).clip(0.02, 0.98)
    lean = np.clip(rate[pair] + rng.normal(0, 0.2, prompt.max() + 1)[prompt], 0, 1)
    won = rng.random(len(pair)) < lean
    columns = {"model_a": pair.astype(str), "model_b": ["z"] * len(pair), "prompt": prompt}
    frame = pl.DataFrame({**columns, "winner": np.where(won, "b", "a")})
    return read_votes(frame, outcomes={"a": "a", "b": "b"}, announce=False)


def looped(outcomes: np.ndarray, budget: int, rng: np.random.Generator) -> float:
    """Share of resamples in which the exact test rejects, votes drawn one by one."""
    wins = [rng.choice(outcomes, budget).sum() for _ in range(RESAMPLES)]
    return float((p_value(wins, budget) <= 0.05).mean())


def main() -> int:
    """Print the table; the exit code says whether every limit was kept and every power agreed."""
    votes = simulated()
    votes.pairs()
    print(f"quorate {q.__version__}, {PAIRS} pairs, {len(BUDGETS)} budgets, {RESAMPLES:,} resamples, CPU seconds")
    seconds, results = {}, {}
    for method in LIMITS:
        start = time.process_time()
        results[method] = detectability(votes, method=method, cluster="prompt" if method == "clusters" else ())
        seconds[method] = time.process_time() - start
    sampled = well_sampled(votes, minimum=50)
    start = time.process_time()
    pair_shares(votes, sampled)
    shares = time.process_time() - start
    p = 0.5 + results["exact"].margins.margin
    start = time.process_time()
    exact_power(p, BUDGETS, 0.05)
    curve = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start, near, rng = time.process_time(), True, np.random.default_rng(2)
    for i in LOOP[0]:
        outcomes = votes.encoded()[votes.pairs().code == i]
        for budget in LOOP[1]:
            exact = float(exact_power(np.array([outcomes.mean()]), [budget], 0.05)[0, 0])
            near &= abs(looped(outcomes, budget, rng) - exact) < 5 * np.sqrt(0.25 / RESAMPLES)
    drawn = len(LOOP[0]) * sum(LOOP[1])
    peer = (time.process_time() - start) * PAIRS * sum(BUDGETS) / drawn
    print(f"{'method':10}{'study s':>10}{'curves s':>10}{'limit s':>9}{'numpy loop s':>14}{'ratio':>8}")
    for method, limit in LIMITS.items():
        alone = f"{curve:10.3f}" if method == "exact" else f"{'':10}"
        print(f"{method:10}{seconds[method]:10.3f}{alone}{limit:9.2f}{peer:14.0f}{peer / seconds[method]:8.0f}")
    print(f"shares of {len(sampled)} pairs by prompt: {shares:.3f} s, limit {SHARES:.2f}")
    print(f"peak MB {peak:.0f}; loop agrees with the exact powers: {near}")
    kept = (
        curve <= LIMITS["exact"]
        and shares <= SHARES
        and all(seconds[one] <= LIMITS[one] for one in ("draws", "clusters"))
    )
    near &= bool(np.abs(results["draws"].power - results["exact"].power).max() < 5 * np.sqrt(0.25 / RESAMPLES))
    return 0 if kept and near else 1


if __name__ == "__main__":
    sys.exit(main())
