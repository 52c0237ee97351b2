"""Published components, and simulated tables of judgments."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.published import Components
from quorate.table.judgments import Judgments


@pytest.fixture(scope="session")
def safety() -> Components:
    """Total Evaluation Error, safety: 141 items, 12 categories, 5 prompts, 3 temperatures, 3 judges, 8 replicates."""
    return q.components(
        {
            "item": 0.010388865023098515,
            "category": 0.0024294495273483345,
            "prompt": 4.602379577174715e-14,
            "item:prompt": 0.0017939977814810507,
            "item:judge": 0.025050691069557353,
            "item:temperature": 0.0,
            "prompt:judge": 6.598746549346365e-4,
            "prompt:temperature": 0.0,
            "cell": 0.005165442566614013,
            "replicate": 0.011978834819064439,
        },
        sensitivity={"judge": 4.653511507238085e-4, "temperature": 3.402466983255481e-6},
    )


@pytest.fixture(scope="session")
def ideology() -> Components:
    """Total Evaluation Error, Likert ideology: 150 items, 5 prompts, 3 temperatures, 3 judges, 3 replicates."""
    return q.components(
        {
            "item": 0.8222054778678249,
            "category": 1.8e-10,
            "prompt": 0.008163901635697024,
            "item:prompt": 0.09564744960058487,
            "item:judge": 0.06149692732698285,
            "item:temperature": 3.897855208239497e-4,
            "prompt:judge": 0.028331741733963633,
            "prompt:temperature": 0.0,
            "replicate": 0.20742823266497193,
        },
        sensitivity={"judge": 0.033223243628801594, "temperature": 1.8958076854503905e-5},
    )


@pytest.fixture(scope="session")
def simulate() -> Callable[..., pl.DataFrame]:
    """A function that draws a crossed table from a known model."""
    return _simulate


@pytest.fixture(scope="session")
def judged(simulate) -> Callable[..., Judgments]:
    """A function that draws a crossed table and reads it."""

    def read(sizes, *, keep=1.0, seed=0, replicates=1, sd=None, **reading):
        frame = simulate(sizes, keep=keep, seed=seed, replicates=replicates, sd=sd)
        facets = {name: name for name in (*sizes, *(["replicate"] if replicates > 1 else []))}
        return q.read(frame, facets=facets, **reading)

    return read


def _simulate(sizes, *, keep=1.0, seed=0, replicates=1, sd=None):
    """Main effects of 1, two-way interactions of 0.6, cells of 0.5 and replicates of 0.4, or what ``sd`` says."""
    rng = np.random.default_rng(seed)
    axes = np.meshgrid(*(np.arange(size) for size in sizes.values()), indexing="ij")
    codes = {name: np.repeat(axis.ravel(), replicates) for name, axis in zip(sizes, axes, strict=True)}
    rows = len(next(iter(codes.values())))
    score = np.zeros(rows)
    spread = {**dict.fromkeys(sizes, 1.0), "cell": 0.5, "replicate": 0.4, **(sd or {})}
    for name, size in sizes.items():
        score += spread[name] * rng.normal(size=size)[codes[name]]
    for a, b in combinations(sizes, 2):
        effect = rng.normal(size=(sizes[a], sizes[b]))
        score += spread.get(f"{a}:{b}", 0.6) * effect[codes[a], codes[b]]
    score += spread["cell"] * np.repeat(rng.normal(size=rows // replicates), replicates)
    score += spread["replicate"] * rng.normal(size=rows)
    columns = {name: [f"{name}{code:04d}" for code in code_] for name, code_ in codes.items()}
    frame = pl.DataFrame({**columns, "replicate": np.tile(np.arange(replicates), rows // replicates), "score": score})
    return frame.filter(pl.Series(rng.random(rows) < keep)) if keep < 1 else frame
