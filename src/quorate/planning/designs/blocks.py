"""Balanced incomplete blocks: a few judges for every item, and every two judges together equally often."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Ints
from quorate.errors import InvalidInput
from quorate.streams import stream

_MOST_CANDIDATES = 5_000
_MOST_BLOCKS = 1_000
_MOST_JUDGES = 1_000


@lru_cache(maxsize=256)
def balanced_blocks(judges: int, size: int) -> Ints:
    """Blocks of ``size`` judges, in the order in which items take them.

    Starting blocks are turned through all judges (a cyclic design), so that after every ``judges`` blocks each judge
    was asked equally often. They are chosen such that the differences between their judges, and with them the items
    that two judges share, come equally often: exactly where a difference family is found, nearly where not.

    Returns
    -------
    array of int, shape (blocks, size)
        The blocks; read-only.

    Raises
    ------
    InvalidInput
        If there are more than a thousand judges.

    References
    ----------
    Bose (1939), Annals of Eugenics 9, 353-399, for difference families; John and Williams (1995), Cyclic and Computer
    Generated Designs.

    Examples
    --------
    >>> blocks = balanced_blocks(7, 3)
    >>> len(blocks), set(concurrences(blocks, 7).tolist())
    (7, {1})
    """
    if judges > _MOST_JUDGES:
        raise InvalidInput(f"judges: blocks are made of at most {_MOST_JUDGES:,} judges, got {judges:,}")
    if size == judges:
        blocks = np.arange(judges)[None, :]
    else:
        shift = np.arange(judges)[:, None]
        blocks = np.concatenate([(start + shift) % judges for start in _starts(judges, size)])
    blocks.flags.writeable = False
    return blocks


def concurrences(blocks: Ints, judges: int) -> Ints:
    """Blocks that two judges share, for every pair of judges; shape (judges (judges - 1) / 2,)."""
    member = np.zeros((len(blocks), judges), dtype=np.int64)
    member[np.arange(len(blocks))[:, None], blocks] = 1
    return np.asarray((member.T @ member)[np.triu_indices(judges, 1)])


def _starts(judges: int, size: int) -> list[Ints]:
    """Starting blocks, added one by one to even out the differences, up to where they are most even."""
    if size == 1:
        return [np.zeros(1, dtype=np.int64)]
    candidates = _candidates(judges, size)
    per_block = _differences(candidates, judges)
    total = np.zeros(judges // 2, dtype=np.int64)
    chosen: list[Ints] = []
    best, length = np.inf, 0
    for _ in range(max(1, min(judges, _MOST_BLOCKS // judges))):
        pick = int(np.argmin(_unevenness(total + per_block, judges)))
        total = total + per_block[pick]
        chosen.append(candidates[pick])
        uneven = float(_unevenness(total, judges)) / len(chosen) ** 2
        if uneven < best - 1e-12:
            best, length = uneven, len(chosen)
        if best == 0:
            break
    return chosen[:length]


def _candidates(judges: int, size: int) -> Ints:
    """Blocks with judge 0: all of them, or many drawn at random with the same result every time."""
    if comb(judges - 1, size - 1) <= _MOST_CANDIDATES:
        return np.array([(0, *rest) for rest in combinations(range(1, judges), size - 1)])
    draw = stream(0, "blocks").random((_MOST_CANDIDATES, judges - 1)).argsort(axis=1)[:, : size - 1] + 1
    return np.sort(np.hstack([np.zeros((_MOST_CANDIDATES, 1), dtype=np.int64), draw]), axis=1)


def _differences(blocks: Ints, judges: int) -> Ints:
    """How often two judges of a block are 1, 2, ... apart around the circle; shape (blocks, judges // 2)."""
    i, j = np.triu_indices(blocks.shape[1], 1)
    apart = np.abs(blocks[:, i] - blocks[:, j])
    apart = np.minimum(apart, judges - apart) - 1
    width = judges // 2
    flat = np.bincount((np.arange(len(blocks))[:, None] * width + apart).ravel(), minlength=len(blocks) * width)
    return np.asarray(flat.reshape(len(blocks), width))


def _unevenness(differences: Ints, judges: int) -> NDArray[np.float64]:
    """Spread of the concurrences that differences give; judges opposite each other on the circle come up twice."""
    shared = differences.astype(float)
    pairs = np.full(shared.shape[-1], float(judges))
    if judges % 2 == 0:
        shared[..., -1] *= 2
        pairs[-1] = judges / 2
    mean = (shared @ pairs) / pairs.sum()
    return np.asarray(((shared - mean[..., None]) ** 2) @ pairs)
