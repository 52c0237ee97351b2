"""Votes between systems, given or drawn, and read."""

from __future__ import annotations

import numpy as np
import polars as pl

import quorate as q


def counted(rows, **options):
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b", "t"], orient="row")
    return q.read_votes(frame, wins=("a", "b", "t"), announce=False, **options)


def single(rows, **options):
    """Rows of model_a, model_b, winner, prompt."""
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return q.read_votes(frame, announce=False, **options)


def drawn(seed, n=400, prompts=40, order=False):
    rng = np.random.default_rng(seed)
    a = rng.integers(5, size=n)
    b = (a + rng.integers(1, 5, size=n)) % 5
    won = rng.random(n) < 1 / (1 + np.exp(0.4 * (a - b) - 0.5 * order))
    winner = np.where(rng.random(n) < 0.2, "tie", np.where(won, "model_a", "model_b"))
    names = np.array(list("vwxyz"))
    frame = pl.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner, "prompt": np.arange(n) % prompts})
    return q.read_votes(frame, announce=False, **({"order": "model_a"} if order else {}))
