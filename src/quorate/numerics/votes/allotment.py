"""Whole judgments in proportion, and the types of prompts that screening keeps, for many studies at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints


def screened(margin: Floats, kept: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which types have the largest squared margins, in every study; margins of one size are put in random order.

    Parameters
    ----------
    margin : array, shape (studies, types)
        Estimated margins.
    kept : int
        Types to keep.
    rng : numpy.random.Generator
        For the order of equals.
    """
    order = np.lexsort((rng.random(margin.shape), -np.round(margin**2, 12)), axis=-1)
    out = np.zeros(margin.shape, dtype=np.bool_)
    np.put_along_axis(out, order[:, :kept], True, axis=1)
    return out


def allotted(budget: int | Ints, weights: Floats) -> Ints:
    """Whole judgments in proportion to weights, by largest remainders, in every study.

    Parameters
    ----------
    budget : int or array, shape (studies,)
        Judgments in all.
    weights : array, shape (types,) or (studies, types)
        Of every type; 0 for none.
    """
    share = np.asarray(budget)[..., None] * weights / weights.sum(axis=-1, keepdims=True)
    base = np.floor(share * (1 + 1e-12))
    left = np.asarray(budget)[..., None] - base.sum(axis=-1, keepdims=True)
    place = np.argsort(np.argsort(-(share - base), axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.asarray(base + (place < left), dtype=np.int64)
