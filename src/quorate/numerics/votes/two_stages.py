"""Studies in two stages: types that the first keeps, whole judgments in proportion, one p-value from both.

The second stage is planned with the first in hand. Its p-value may be combined with that of the first if, given the
first, it is at most ``x`` with a chance of at most ``x``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def supplied(n: Ints, room: Ints, weights: Floats) -> Ints:
    """Judgments of every type that can be had: what one lacks goes to the others by weight; the rest is not spent.

    Parameters
    ----------
    n : array, shape (..., types)
        Judgments wanted.
    room : array, shape (..., types)
        Judgments there are.
    weights : array, shape (..., types)
        Of every type; 0 for those that get none.
    """
    for _ in range(room.shape[-1]):
        over = np.maximum(n - room, 0).sum(axis=-1)
        n = np.minimum(n, room)
        has_room = np.where(n < room, weights, 0.0)
        can = has_room.sum(axis=-1) > 0
        if not (over * can).any():
            break
        n = n + allotted(np.where(can, over, 0), np.where(can[..., None], has_room, 1.0))
    return np.asarray(np.minimum(n, room))


def fisher(first: ArrayLike, second: ArrayLike) -> Floats:
    """P-value of the product of two p-values: ``x (1 - log x)``.

    Parameters
    ----------
    first, second : array, broadcast
        P-values of the two stages, above 0.

    References
    ----------
    Fisher (1932), Statistical methods for research workers. Bauer and Köhne (1994), Biometrics 50, 1029-1041.
    """
    product = np.asarray(first, dtype=float) * np.asarray(second, dtype=float)
    return np.asarray(product * (1 - np.log(np.maximum(product, np.finfo(float).tiny))))


def inverse_normal(first: ArrayLike, second: ArrayLike, weight: float) -> Floats:
    """P-value of the weighted sum of the normal scores of two one-sided p-values.

    Parameters
    ----------
    first, second : array, broadcast
        One-sided p-values of the two stages, in the same direction.
    weight : float
        Part of the variance that the first stage has, from 0 to 1, fixed beforehand.

    References
    ----------
    Lehmacher and Wassmer (1999), Biometrics 55, 1286-1290.
    """
    from scipy.special import ndtr, ndtri

    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    with np.errstate(invalid="ignore"):
        score = np.sqrt(weight) * ndtri(first) + np.sqrt(1 - weight) * ndtri(second)
    contradiction = np.isnan(score)  # a p-value of 0 against one of 1
    return np.asarray(np.where(contradiction, 1.0, ndtr(score)))


def two_sided(lower: ArrayLike, upper: ArrayLike) -> Floats:
    """P-value of either direction from those of both: twice the smaller, at most 1.

    Parameters
    ----------
    lower, upper : array, broadcast
        One-sided p-values.
    """
    return np.asarray(np.minimum(1.0, 2 * np.minimum(np.asarray(lower, dtype=float), np.asarray(upper, dtype=float))))
