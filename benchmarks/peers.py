"""Boards of 1,000 and 10,000 systems by a million votes: CPU seconds against evalica, choix and arena-rank.

Run with ``make bench``, or alone: ``python benchmarks/peers.py``, ``python benchmarks/peers.py 1000`` for one size.
Ties are half wins, so that all fit one model; each starts from what it takes: quorate from the table that
`read_votes` makes, evalica from lists of labels, choix from a list of wins (every vote twice, as a tie is a win for
both), arena-rank from a data frame. Every way runs once, in a process of its own, with what it compiles, and is
stopped after `LIMIT` CPU seconds.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from boards import simulated

SIZES = (1_000, 10_000)
LIMIT = 120
DRAWS = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5}


def ratings(systems: int) -> tuple[pd.DataFrame, Any]:
    """Votes as a frame, and as quorate reads them."""
    import quorate as q

    frame = simulated(systems)
    return frame, q.read_votes(frame, announce=False)


def quorate_fit(systems: int) -> Callable[[], object]:
    """Counts and the maximum of the likelihood."""
    from quorate.estimate.ratings.counts import tally
    from quorate.numerics.ratings.bradley_terry import fit

    _, votes = ratings(systems)

    def run() -> object:
        counted = tally(votes, "half", None, position=False)
        found = fit(counted.design, counted.counts[..., None]).theta[:, 0]
        return dict(zip(counted.systems, found, strict=True))

    return run


def quorate_rank(systems: int) -> Callable[[], object]:
    """Ratings with intervals, ranks for all at once, groups and chances of being best."""
    import quorate as q

    _, votes = ratings(systems)

    def run() -> object:
        board = q.rank(votes, ties="half")
        board.rows(), board.best
        return dict(zip(board.systems, board.rating, strict=True))

    return run


def evalica_fit(systems: int) -> Callable[[], object]:
    """Ratings alone."""
    import evalica

    frame = simulated(systems).astype(str)
    meant = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    lists = frame["model_a"].tolist(), frame["model_b"].tolist(), [meant[one] for one in frame["winner"]]
    return lambda: np.log(evalica.bradley_terry(*lists).scores).to_dict()


def choix_fit(systems: int) -> Callable[[], object]:
    """Ratings alone."""
    import choix

    frame = simulated(systems)
    won = frame["winner"].map(DRAWS).to_numpy()
    pairs = frame[["model_a", "model_b"]].to_numpy()
    wins = np.concatenate([pairs[won > 0], pairs[won > 0.9], pairs[won < 1, ::-1], pairs[won < 0.1, ::-1]]).tolist()
    return lambda: dict(enumerate(choix.ilsr_pairwise(systems, wins)))


def arena_fit(systems: int) -> Callable[[], object]:
    """Ratings alone."""
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    frame = simulated(systems)

    def run() -> object:
        data = PairDataset.from_pandas(frame)
        model = BradleyTerry(systems)
        model.fit(data)
        return dict(zip(data.competitors, np.asarray(model.params["ratings"]), strict=True))

    return run


def arena_rank(systems: int) -> Callable[[], object]:
    """Ratings with intervals for each by itself."""
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    frame = simulated(systems)

    def run() -> object:
        found = BradleyTerry(systems).compute_ratings_and_cis(PairDataset.from_pandas(frame))
        points = np.asarray(found["ratings"]) * math.log(10) / 400
        return dict(zip(found["competitors"], points, strict=True))

    return run


WAYS: dict[str, Callable[[int], Callable[[], object]]] = {
    "quorate, fit": quorate_fit,
    "evalica 0.4.2, fit": evalica_fit,
    "choix 0.4.1, fit": choix_fit,
    "arena-rank 0.1.1, fit": arena_fit,
    "quorate, intervals and ranks": quorate_rank,
    "arena-rank 0.1.1, intervals": arena_rank,
}


def timed(way: str, systems: int, answer: Any) -> None:
    """CPU seconds, megabytes and ratings, sent to the parent."""
    run = WAYS[way](systems)
    start = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(start) + LIMIT, int(start) + LIMIT + 5))
    found = {str(name): float(value) for name, value in run().items()}  # type: ignore[attr-defined]
    answer.send((time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, found))


def measured(way: str, systems: int) -> tuple[float, float, dict[str, float]] | None:
    """The same; None if it was stopped."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=timed, args=(way, systems, there))
    process.start()
    there.close()
    try:
        return here.recv()  # type: ignore[no-any-return]
    except EOFError:
        return None
    finally:
        process.join()


def apart(found: dict[str, float], ours: dict[str, float]) -> float:
    """Largest difference of two sets of ratings about their means."""
    gaps = np.array([found[name] - value for name, value in ours.items()])
    return float(np.abs(gaps - gaps.mean()).max())


def main() -> int:
    """Print a table for each size."""
    for systems in [int(size) for size in sys.argv[1:]] or SIZES:
        print(
            f"\n{systems:,} systems; {'':10}{'CPU seconds':>13}{'ratio':>8}{'MB':>7}{'ratings differ by':>19}",
            flush=True,
        )
        ours: dict[str, tuple[float, dict[str, float]]] = {}
        for way in WAYS:
            got = measured(way, systems)
            kind = way.split(", ")[1][:3]
            if got is None:
                print(f"{way:30}{f'over {LIMIT}':>13}", flush=True)
                continue
            seconds, megabytes, found = got
            base, known = ours.setdefault(kind, (seconds, found))
            print(
                f"{way:30}{seconds:13.2f}{seconds / base:8.1f}{megabytes:7.0f}{apart(found, known):19.0e}", flush=True
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
