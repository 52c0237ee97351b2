"""Coverage of the mean of the systems at hand, whose effects the model takes for random ones."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q

FACETS = {name: name for name in ("item", "system", "judge")}


def scores(rng: np.random.Generator, effects: list[float], items: int, kept: list[float]) -> pl.DataFrame:
    """Systems of known effects on items and judges that are drawn, some with most of their scores left out."""
    systems, judges = len(effects), 3
    item, system, judge = (a.ravel() for a in np.indices((items, systems, judges)))
    by = rng.normal(0, 0.5, items)[item] + rng.normal(0, 0.3, (items, systems))[item, system]
    score = np.asarray(effects)[system] + by + np.array([-0.2, 0, 0.2])[judge] + rng.normal(0, 0.5, item.size)
    left = rng.random(item.size) < np.asarray(kept)[system]
    return pl.DataFrame({"item": item, "system": system, "judge": judge, "score": score}).filter(left)


@pytest.mark.parametrize(
    ("effects", "kept"),
    [
        ([0.0, 0.3], [1.0, 1.0]),
        ([0.0, 2.0], [1.0, 0.3]),
        pytest.param([0.0, 0.0, 0.0], [1.0, 0.8, 0.2], marks=pytest.mark.slow),
        pytest.param([0.0, 0.1, 3.0, 0.2], [0.9, 0.9, 0.2, 0.9], marks=pytest.mark.slow),
    ],
    ids=["two", "two far apart, one with gaps", "three alike, one with gaps", "one unlike the rest, with gaps"],
)
def test_the_mean_of_these_systems(effects: list[float], kept: list[float]) -> None:
    rng, hits, draws = np.random.default_rng(11), [], 300
    for _ in range(draws):
        fit = q.decompose(q.read(scores(rng, effects, 30, kept), facets=FACETS))
        low, high = fit.mean.ends
        hits.append(low <= np.mean(effects) <= high)
    covered, error = 100 * np.mean(hits), 100 * np.sqrt(0.95 * 0.05 / draws)
    print(f"\n{effects}, scores kept {kept}: covered {covered:.1f} (Monte Carlo error {error:.1f})")
    assert 92.5 - 2 * error <= covered <= 97.5 + 2 * error
