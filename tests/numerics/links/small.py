"""A small design with gaps, for tests that compare with dense matrices."""

import numpy as np

from quorate.numerics.links.modes import Layout


def layout(categories=2, *, cells=True, seed=3):
    """Twelve items, three judges and four prompts, of which a fifth is missing; two answers a cell."""
    rng = np.random.default_rng(seed)
    kept = rng.random(144) < 0.8
    item, judge, prompt = (axis.ravel()[kept] for axis in np.meshgrid(range(12), range(3), range(4)))
    pair = np.unique(item * 3 + judge, return_inverse=True)[1]
    counts = rng.multinomial(2, np.full(categories, 1 / categories), len(item)).astype(float)
    x = (judge[:, None] == [1, 2]).astype(float)
    return Layout(counts, x, item, np.column_stack([item, pair]), prompt[:, None], cells)


def dense(laid, variance):
    """``Z diag(sd)`` as one matrix."""
    columns = [*laid.within.T, *laid.shared.T, *([np.arange(len(laid.x))] if laid.cells else [])]
    return np.hstack([np.eye(c.max() + 1)[c] * np.sqrt(v) for c, v in zip(columns, variance, strict=True)])
