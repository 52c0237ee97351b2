"""A sample of the items of a large table, for what most of them tell as well as all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quorate.streams import stream
from quorate.table.judgments import Judgments

MOST_CELLS, FEWEST_ITEMS = 50_000, 500
"""Cells of a table that is large no more, and items that are enough to stand for others."""


def drawn_cells(judgments: Judgments, most: int | None = None) -> NDArray[np.bool_] | None:
    """Cells of items drawn at random, as many items as have so many cells; None where all have no more.

    Of every category about the same part of the items is drawn, always the same ones.

    Parameters
    ----------
    most : int, optional
        Cells that are enough; by default `MOST_CELLS`.
    """
    items = judgments.n_levels(judgments.object)
    few = -(-items * (MOST_CELLS if most is None else most) // max(judgments.n_cells, 1))
    if few >= items or few < FEWEST_ITEMS:
        return None
    item, above = judgments.level_codes([judgments.object]), judgments.ancestors(judgments.object)
    group = np.zeros(items, dtype=np.int64)
    if above:
        group[item] = judgments.level_codes(above)
    order = np.lexsort((stream(0, "items that stand for all").random(items), group))
    drawn = np.zeros(items, dtype=np.bool_)
    drawn[order[np.linspace(0, items - 1, few).astype(np.int64)]] = True
    return np.asarray(drawn[item])
