"""Bradley-Terry ratings of 55 systems from 100,000 and 1,000,000 votes: CPU seconds against evalica and choix.

Run with ``make bench``, or alone: ``python benchmarks/ratings.py``. Votes are simulated, a third of them ties; in the
last line ten make a cluster. evalica starts from lists of labels with its index given, quorate from the table that
`read_votes` makes, choix from a matrix of wins that is counted beforehand; with half wins for ties all three fit one
model, and their ratings must agree. Quorate's time includes covariances. Bootstraps are of 1,000 resamples: quorate's
are run, those of evalica and of a loop around choix are run for a few and scaled up. Times are CPU seconds
(`time.process_time`).
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from importlib.metadata import version

import choix
import evalica
import numpy as np
import pandas as pd

import quorate as q
from quorate.estimate.ratings.ratings import Ratings

SYSTEMS = 55
SIZES = (100_000, 1_000_000)
FASTER, LIMIT, CLUSTERED = 2.0, 1.0, 2.0
RESAMPLES, FEW = 1000, 5


def simulated(n: int) -> pd.DataFrame:
    """Votes with ties, between systems of a spread of ratings."""
    rng = np.random.default_rng(1)
    rating = rng.normal(0, 0.7, SYSTEMS)
    a = rng.integers(SYSTEMS, size=n)
    b = (a + rng.integers(1, SYSTEMS, size=n)) % SYSTEMS
    gap = rating[a] - rating[b] + rng.normal(0, 0.3, n)
    weight = np.stack([np.exp(gap / 2), np.exp(-gap / 2), np.ones(n)])
    outcome = (rng.random(n) > np.cumsum(weight / weight.sum(axis=0), axis=0)).sum(axis=0)
    name = np.array([f"system {i:02d}" for i in range(SYSTEMS)])
    winner = np.array(["model_a", "model_b", "tie"])[outcome]
    cluster = rng.integers(n // 10, size=n)
    return pd.DataFrame({"model_a": name[a], "model_b": name[b], "winner": winner, "cluster": cluster})


def seconds(run: Callable[[], object], runs: int = 3) -> float:
    """Least CPU seconds."""
    taken = []
    for _ in range(runs):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def lists(frame: pd.DataFrame) -> tuple[list[str], list[str], list[evalica.Winner]]:
    """The votes as evalica takes them."""
    meant = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    return frame["model_a"].tolist(), frame["model_b"].tolist(), [meant[one] for one in frame["winner"]]


def wins(frame: pd.DataFrame, index: pd.Index) -> np.ndarray:
    """Wins of the row over the column, ties as halves."""
    a, b = index.get_indexer(frame["model_a"]), index.get_indexer(frame["model_b"])
    share = frame["winner"].map({"model_a": 1.0, "model_b": 0.0, "tie": 0.5}).to_numpy()
    out = np.zeros((SYSTEMS, SYSTEMS))
    np.add.at(out, (a, b), share)
    np.add.at(out, (b, a), 1 - share)
    return out


def choix_bootstrap(matrix: np.ndarray, resamples: int) -> None:
    """The loop a user of choix would write: wins of all pairs are drawn anew, then fitted."""
    rng = np.random.default_rng(2)
    for _ in range(resamples):
        choix.ilsr_pairwise_dense(rng.poisson(matrix).astype(float))


def apart(ratings: Ratings, other: dict[str, float]) -> float:
    """Largest difference of two sets of ratings about their means."""
    theirs = np.array([other[name] for name in ratings.systems])
    return float(np.abs(ratings.rating - (theirs - theirs.mean())).max())


def measure(n: int) -> bool:
    """Print the table for one number of votes; whether every limit was kept and all agree."""
    frame = simulated(n)
    plain_frame = frame.drop(columns="cluster")
    fresh = [q.read_votes(plain_frame, announce=False) for _ in range(4)]  # a table keeps its counts once they are made
    mine = seconds(lambda: q.rank(fresh.pop(), ties="half"))
    votes = fresh.pop()
    davidson = seconds(lambda: q.rank(votes))
    whole = seconds(lambda: q.rank(q.read_votes(plain_frame, announce=False), ties="half"))
    xs, ys, winners = lists(frame)
    their_whole = seconds(lambda: evalica.bradley_terry(*lists(frame)))
    index = pd.Index(sorted(set(xs)))
    theirs = seconds(lambda: evalica.bradley_terry(xs, ys, winners, index=index))
    matrix = wins(frame, index)
    dense = seconds(lambda: choix.ilsr_pairwise_dense(matrix))
    ratings = q.rank(votes, ties="half")
    exact = evalica.bradley_terry(xs, ys, winners, index=index, tolerance=1e-12, limit=10_000).scores
    gaps = {
        "evalica": apart(ratings, np.log(exact).to_dict()),
        "choix": apart(ratings, dict(zip(index, choix.ilsr_pairwise_dense(matrix, tol=1e-12), strict=True))),
    }
    plain = seconds(lambda: q.rank(votes, resamples=RESAMPLES), 1)
    halves = seconds(lambda: q.rank(votes, ties="half", resamples=RESAMPLES), 1)
    clustered = q.read_votes(frame, announce=False)
    grouped = seconds(lambda: q.rank(clustered, cluster="cluster", resamples=RESAMPLES), 1)
    evalica_loop = seconds(
        lambda: evalica.bootstrap(
            evalica.bradley_terry, xs, ys, winners, index=index, n_resamples=FEW, bootstrap_method="percentile"
        ),
        1,
    )
    choix_loop = seconds(lambda: choix_bootstrap(matrix, FEW), 1)
    scale = RESAMPLES / FEW
    print(f"\n{n:,} votes, {SYSTEMS} systems; CPU seconds")
    print(f"{'':44}{'seconds':>9}{'limit':>7}{'evalica':>9}{'ratio':>7}{'choix':>8}{'ratings differ by':>19}")
    said = ", ".join(f"{value:.0e} ({name})" for name, value in gaps.items())
    print(f"{'fit, ties as half wins':44}{mine:9.4f}{'':7}{theirs:9.3f}{theirs / mine:7.1f}{dense:8.4f}  {said}")
    print(f"{'fit, Davidson, counts kept':44}{davidson:9.4f}")
    print(f"{'from a data frame, read and fit':44}{whole:9.4f}{'':7}{their_whole:9.3f}{their_whole / whole:7.1f}")
    peers = f"{evalica_loop * scale:9.1f}{evalica_loop * scale / halves:7.0f}{choix_loop * scale:8.2f}"
    print(f"{'1,000 resamples, ties as half wins':44}{halves:9.3f}{LIMIT:7.1f}{peers}")
    print(f"{'1,000 resamples, Davidson':44}{plain:9.3f}{LIMIT:7.1f}")
    print(f"{f'1,000 resamples of {n // 10:,} clusters, Davidson':44}{grouped:9.3f}{CLUSTERED:7.1f}")
    kept = mine * FASTER <= theirs and max(plain, halves) <= LIMIT and grouped <= CLUSTERED
    return kept and max(gaps.values()) < 1e-6


def main() -> int:
    """Print the tables; the exit code says whether every limit was kept and all ratings agree."""
    print(", ".join(f"{name} {version(name)}" for name in ("quorate", "evalica", "choix")))
    q.rank(q.read_votes(simulated(1000), announce=False), regularisation=1)  # imports
    kept = [measure(n) for n in SIZES]
    print(f"\npeak MB {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
