"""Bootstrap of a crossed panel over scenarios: CPU seconds of everything, against a loop over resamples and scipy.

Run with ``make bench`` (its own environment, single-threaded linear algebra). 80 scenarios, 10 generations, 5 judges,
2,000 resamples. Quorate estimates both models, with intervals of every component and every judge, and both tests. The
peers do less: the published components alone, by the published formulas on the drawn rows of the same array; a plain
numpy loop is the named alternative, and `scipy.stats.bootstrap` does the same loop. All run in this process, on the
same scores; times are CPU seconds (`time.process_time`), the least of several runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl
import scipy
from scipy.stats import bootstrap

import quorate as q
from quorate.estimate.panel.crossed import crossed

LIMIT = 0.03
RATIO = 10.0
RESAMPLES = 2000
RUNS = 5


def scores(n: int = 80, m: int = 10, k: int = 5) -> np.ndarray:
    """Scores with every effect of the model; shape (n, m, k)."""
    rng = np.random.default_rng(1)
    scenario, generation = 1.24 * rng.normal(size=(n, 1, 1)), 0.5 * rng.normal(size=(n, m, 1))
    unlike = 0.7 * rng.normal(size=(n, 1, k))
    return 7 + scenario + generation + unlike + 0.6 * rng.normal(size=k) + 0.95 * rng.normal(size=(n, m, k))


def read(x: np.ndarray) -> q.Judgments:
    """The scores as judgments."""
    item, generation, judge = (axis.ravel() for axis in np.indices(x.shape))
    frame = pl.DataFrame({"item": item, "generation": generation, "judge": judge, "score": x.ravel()})
    return q.read(frame, facets={name: name for name in ("item", "generation", "judge")}, announce=False)


def published(x: np.ndarray) -> np.ndarray:
    """Scenario, generation, judge and residual components, Zhu et al. (2026), Equations 23 to 28, and judge effects."""
    n, m, k = x.shape
    mean, scenario, generation, judge = x.mean(), x.mean(axis=(1, 2)), x.mean(axis=2), x.mean(axis=(0, 1))
    ms_w = np.sum((x - generation[:, :, None] - judge + mean) ** 2) / ((n * m - 1) * (k - 1))
    ms_g = k * np.sum((generation - scenario[:, None]) ** 2) / (n * (m - 1))
    ms_s = m * k * np.sum((scenario - mean) ** 2) / (n - 1)
    s2_gamma = np.mean((judge - mean) ** 2) - ms_w / (n * m) * (k - 1) / k
    return np.array([(ms_s - ms_g) / (m * k), (ms_g - ms_w) / k, s2_gamma, ms_w, *(judge - mean)])


def loop(x: np.ndarray) -> np.ndarray:
    """Percentile intervals, one resample at a time; shape (2, components)."""
    rng = np.random.default_rng(2)
    drawn = [published(x[rng.integers(len(x), size=len(x))]) for _ in range(RESAMPLES)]
    return np.quantile(drawn, [0.025, 0.975], axis=0)


def theirs(x: np.ndarray) -> np.ndarray:
    """The same by scipy."""
    found = bootstrap(
        (np.arange(len(x)),),
        lambda rows: published(x[rows]),
        n_resamples=RESAMPLES,
        vectorized=False,
        method="percentile",
        rng=np.random.default_rng(2),
    )
    return np.array(found.confidence_interval)


def seconds(run: Callable[[], object], runs: int) -> float:
    """Least CPU seconds."""
    taken = []
    for _ in range(runs):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> int:
    """Print the table; the exit code says whether the limits were kept."""
    x = scores()
    judgments = read(x)
    found = crossed(judgments, resamples=RESAMPLES)
    mine = seconds(lambda: crossed(judgments, resamples=RESAMPLES), RUNS)
    peers = {"numpy loop": loop, f"scipy {scipy.__version__} bootstrap": theirs}
    print(f"quorate {q.__version__}, n m K = {x.shape}, {RESAMPLES} resamples, CPU seconds (limit {LIMIT})")
    print(f"{'':28}{'seconds':>9}{'ratio':>8}   interval of the generation variance, published model")
    low, high = found.paper.intervals["beta"]
    print(f"{'quorate':28}{mine:9.4f}{'':8}   ({low:.4f}, {high:.4f})")
    kept = mine <= LIMIT
    for name, peer in peers.items():
        taken = seconds(lambda peer=peer: peer(x), 1)
        low, high = peer(x)[:, 1]
        kept &= taken / mine >= RATIO
        print(f"{name:28}{taken:9.3f}{taken / mine:8.0f}   ({low:.4f}, {high:.4f})")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
