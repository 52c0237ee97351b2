"""One answer in Python, in milliseconds: a paired comparison, agreement on labels, a plain board; beside named peers.

Run with ``make bench``, or alone: ``python benchmarks/answers.py``. 500 items by two systems, 20,000 items labelled by
five judges, 20,000 votes on twenty systems. Each side starts from what it takes, read before: Quorate from its tables,
errorbars and krippendorff from arrays, arenakit from its arena. CPU milliseconds, the least of thirty.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.metadata import version

import arenakit
import krippendorff
import numpy as np
import polars as pl
from errorbars.compare import paired_compare

import quorate as q
from quorate.estimate.ratings.counts import tally
from quorate.numerics.ratings.bradley_terry import fit

ITEMS, LABELLED, JUDGES, VOTES, SYSTEMS, RUNS = 500, 20_000, 5, 20_000, 20, 30


def least(answer: Callable[[], object]) -> float:
    """CPU milliseconds."""
    found = []
    for _ in range(RUNS):
        start = time.process_time()
        answer()
        found.append(time.process_time() - start)
    return 1000 * min(found)


def comparison() -> tuple[Callable[[], object], Callable[[], object]]:
    """Two systems on the same items."""
    rng = np.random.default_rng(1)
    shared = rng.normal(0, 1, ITEMS)
    first, second = (shared + gain + rng.normal(0, 0.5, ITEMS) for gain in (0.1, 0.0))
    rows = {"item": [*range(ITEMS)] * 2, "system": ["a"] * ITEMS + ["b"] * ITEMS, "score": [*first, *second]}
    table = q.read(pl.DataFrame(rows), announce=False)
    return lambda: q.compare(table, "a", "b").estimate, lambda: paired_compare(first, second)


def agreement() -> tuple[Callable[[], object], Callable[[], object]]:
    """Labels of four kinds; ours with its interval."""
    rng = np.random.default_rng(1)
    truth = rng.integers(4, size=LABELLED)
    given = np.where(rng.random((JUDGES, LABELLED)) < 0.7, truth, rng.integers(4, size=(JUDGES, LABELLED)))
    judge, item = np.indices(given.shape)
    rows = {"item": item.ravel(), "judge": [f"j{one}" for one in judge.ravel()], "score": given.ravel()}
    table = q.read(pl.DataFrame(rows), announce=False)

    def own() -> object:
        table.__dict__.pop("_coded", None)  # nothing is kept from one answer to the next
        return q.agreement.alpha(table, "nominal")

    return own, lambda: krippendorff.alpha(given.astype(float), level_of_measurement="nominal")


def board() -> tuple[Callable[[], object], Callable[[], object]]:
    """Ratings alone, ties as halves."""
    rng = np.random.default_rng(1)
    rating = np.linspace(-1, 1, SYSTEMS)
    a = rng.integers(SYSTEMS, size=VOTES)
    b = (a + rng.integers(1, SYSTEMS, size=VOTES)) % SYSTEMS
    won = np.where(rng.random(VOTES) < 1 / (1 + np.exp(rating[b] - rating[a])), "a", "b")
    names = [f"s{one}" for one in range(SYSTEMS)]
    rows = {"model_a": [names[i] for i in a], "model_b": [names[i] for i in b], "winner": [f"model_{w}" for w in won]}
    votes = q.read_votes(pl.DataFrame(rows), announce=False)
    sides = zip(rows["model_a"], rows["model_b"], won.tolist(), strict=True)
    arena = arenakit.Arena([arenakit.Battle(model_a=one, model_b=other, winner=who) for one, other, who in sides])

    def own() -> object:
        counted = tally(votes, "half", None, position=False)
        return fit(counted.design, counted.counts[..., None]).theta

    return own, lambda: arenakit.fit_bt(arena.counts(), prior=0.0)


def main() -> int:
    """Print the table."""
    print(f"{'CPU ms':34}{'quorate':>9}{'peer':>9}{'ratio':>8}")
    for name, peer, made in (
        ("paired comparison", "errorbars", comparison),
        ("nominal alpha", "krippendorff", agreement),
        ("plain Bradley-Terry", "arenakit", board),
    ):
        own, other = map(least, made())
        print(f"{f'{name}; {peer} {version(peer)}':34}{own:9.1f}{other:9.1f}{own / other:8.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
