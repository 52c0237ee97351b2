"""Crossed scores of a panel, drawn and read."""

from __future__ import annotations

import numpy as np
import polars as pl

import quorate as q


def read(frame, **reading):
    facets = {name: name for name in frame.columns if name not in ("score", "replicate")}
    return q.read(frame, facets=facets, announce=False, **reading)


def long(x, **more):
    """One row per score; generations are labelled anew in every scenario."""
    n, m, k = np.shape(x)
    i, j, at = (axis.ravel() for axis in np.indices((n, m, k)))
    labels = {"item": [f"s{v:03d}" for v in i], "generation": [f"s{v:03d}-{w}" for v, w in zip(i, j, strict=True)]}
    return pl.DataFrame({**labels, "judge": [f"j{v}" for v in at], "score": np.ravel(x), **more})


def nested(x):
    return read(long(x), nested={"generation": "item"})


def draw(n=12, m=3, k=4, seed=2, *, judges=0.5, interaction=0.6):
    rng = np.random.default_rng(seed)
    scenario, generation = rng.normal(size=(n, 1, 1)), 0.6 * rng.normal(size=(n, m, 1))
    unlike = interaction * rng.normal(size=(n, 1, k))
    return scenario + generation + judges * rng.normal(size=k) + unlike + 0.8 * rng.normal(size=(n, m, k))
