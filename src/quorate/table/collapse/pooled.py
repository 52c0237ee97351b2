"""Judgments pooled over a facet: as if it had not been told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quorate.table.judgments import Judgments


def pooled(judgments: Judgments, name: str) -> Judgments:
    """The same answers without a facet: cells that differ in it alone are one.

    Parameters
    ----------
    judgments : Judgments
        None of whose facets is nested in this one.
    name : str
        The facet.

    Raises
    ------
    UnknownTerm
        If there is no such facet.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": [1, 1, 2, 2], "day": ["mon", "tue"] * 2, "score": [1, 3, 2, 2]}
    >>> table = pooled(q.read(polars.DataFrame(rows), facets={"item": "item", "day": "day"}), "day")
    >>> table.n.tolist(), table.mean.tolist(), table.ss.tolist()
    ([2, 2], [2.0, 2.0], [2.0, 0.0])
    """
    place = judgments.names.index(judgments.facet(name).name)
    others = [other for other in judgments.names if other != name]
    cell = judgments.level_codes(others)
    size = int(cell.max(initial=-1)) + 1
    n = np.bincount(cell, judgments.n, size)
    mean = np.nan_to_num(judgments.mean)
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = np.bincount(cell, judgments.n * mean, size) / n
    shift = np.where(judgments.n > 0, mean - whole[cell], 0.0)
    ss: NDArray[np.float64] = np.bincount(cell, judgments.ss + judgments.n * shift**2, size).astype(np.float64)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.fmin.at(low, cell, judgments.low)
    np.fmax.at(high, cell, judgments.high)
    first = np.zeros(size, dtype=np.int64)
    first[cell[::-1]] = np.arange(len(cell))[::-1]
    status = {key: np.bincount(cell, count, size).astype(np.int64) for key, count in judgments.status.items()}
    return replace(
        judgments,
        facets=tuple(facet for facet in judgments.facets if facet.name != name),
        codes=np.delete(judgments.codes[first], place, axis=1),
        n=n.astype(np.int64),
        mean=whole,
        ss=ss,
        low=np.where(n > 0, low, np.nan),
        high=np.where(n > 0, high, np.nan),
        status=status,
        distinct=None,
        origin=None,
    )
