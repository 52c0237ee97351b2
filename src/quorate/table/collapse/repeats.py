"""Rows that repeat a key: the same replicate of the same cell twice."""

from __future__ import annotations

import numpy as np

from quorate.errors import InvalidData
from quorate.table.judgments import Judgments
from quorate.table.notes import telling_apart


def refuse_repeats(judgments: Judgments) -> None:
    """Refuse judgments in which a replicate comes twice: they are further replicates, or several tables in one.

    Parameters
    ----------
    judgments : Judgments
        With or without replicates; without there is nothing to tell.

    Raises
    ------
    InvalidData
        If rows repeat the facets and the replicate of another.
    """
    if judgments.distinct is None:
        return
    repeated = int((judgments.rows - judgments.distinct).sum())
    if repeated:
        first = int(np.argmax(judgments.rows > judgments.distinct))
        key = ", ".join(f"{f.name} {f.levels[judgments.codes[first, i]]}" for i, f in enumerate(judgments.facets))
        rows = "1 row repeats" if repeated == 1 else f"{repeated:,} rows repeat"
        raise InvalidData(
            f"{rows} a key, the first at {key}: the same replicate twice. Drop the repeats, or read "
            f'without the replicate column "{judgments.replicate}" if they are further replicates, or '
            f"{telling_apart(judgments.notes)}"
        )
