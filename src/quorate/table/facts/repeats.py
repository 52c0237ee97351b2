"""Rows that repeat the replicate of another, and the column that tells them apart."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import Sentence, argument
from quorate.errors import InvalidData, QuorateError
from quorate.streams import stream
from quorate.table.facets import Facet
from quorate.table.facts.describe import duplicates
from quorate.table.judgments import Judgments
from quorate.table.notes import not_used
from quorate.table.reread import Reopened, reopened

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


_SHOWN, _TRIED = 5, 12
"""Columns that are named, and those that are tried."""


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
    repeats = duplicates(judgments)
    if repeats is not None and repeats.first is not None:
        key = ", ".join(f"{name} {label}" for name, label in repeats.first.items())
        rows = "1 row repeats" if repeats.rows == 1 else f"{repeats.rows:,} rows repeat"
        raise InvalidData(
            f"{rows} a key, the first at {key}: the same replicate twice. Drop the repeats, or read "
            f'without the replicate column "{judgments.replicate}" if they are further replicates, or '
            + telling_apart(judgments)
        )


def telling_apart(judgments: Judgments) -> Sentence:
    """What to do about rows that repeat a replicate: the column that tells them apart, or else those not used."""
    column = column_apart(judgments)
    if column is not None:
        return f"name {column}, which tells them apart, as a further facet with " + argument("facets", {column: column})
    unused = not_used(judgments.notes)
    shown = ", ".join(unused[:_SHOWN]) + (", ..." if len(unused) > _SHOWN else "")
    named = "name the column that tells them apart as a facet with " + argument("facets", {...: ...})
    return named + (f" (not used so far: {shown})" if unused else "")


def column_apart(judgments: Judgments) -> str | None:
    """The column that is not used yet and with which no row repeats a replicate; of several that with fewest labels.

    None if there is none, or the rows cannot be read again. A column with a label of its own in every row, such as a
    number of the row, does not count.
    """
    levels: dict[str, int] = {}
    with suppress(QuorateError), reopened(judgments) as source:
        known = {facet.name for facet in judgments.facets}
        for column in [name for name in not_used(judgments.notes) if name not in known][:_TRIED]:
            count = _levels(source, column)
            if 0 < count < judgments.rows.sum():
                levels[column] = count
    return min(levels, key=levels.__getitem__, default=None)


def _levels(source: Reopened, column: str) -> int:
    """How many labels a column has with which, as one more facet, no row repeats a replicate; 0 if rows still do."""
    roles = replace(source.roles, facets=(*source.roles.facets, Facet(column, column, ())), status=None)
    with suppress(QuorateError):  # what cannot be a facet tells nothing apart
        cells = source.engine.collapse(source.source, roles, source.own)
        if cells.distinct is not None and (cells.distinct == cells.rows).all():
            return len(cells.facets[-1].levels)
    return 0
