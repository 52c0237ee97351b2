"""Long tables: judgments one row each, as they were read, and files of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument, joined
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.roles import REPLICATE
from quorate.table.cells import writable, write_columns
from quorate.table.columns.labels import ABSENT, label
from quorate.table.facets import OK
from quorate.table.judgments import Judgments
from quorate.table.reread import cells_of, changed, refuse_changed, reopened
from quorate.table.results import Written
from quorate.wording import inert

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")


@dataclass(frozen=True)
class Rows:
    """The rows behind judgments.

    Parameters
    ----------
    cell : array of int64, shape (rows,)
        Cell of each row.
    score : array of float64, shape (rows,)
        Nan where there is none.
    status : array of str, shape (rows,)
        ``ok``, also of a score that is only absent, or why there is none.
    replicate : array of str or None, shape (rows,), optional
        Labels of the replicate.
    """

    cell: NDArray[np.int64]
    score: NDArray[np.float64]
    status: NDArray[np.object_]
    replicate: NDArray[np.object_] | None


def rows_of(judgments: Judgments) -> Rows:
    """The rows behind judgments, read again from their file or frame, with those that have no score.

    Raises
    ------
    NotEstimable
        If the judgments were not read from rows, or their facets are not those that were read.
    InvalidData
        If the file or frame has changed since.
    """
    with reopened(judgments) as source:
        long = source.rows()
    cell = cells_of(judgments, long.facets)
    answered = (cell >= 0) & ~np.isnan(long.score)
    refuse_changed(judgments, cell[answered], long.score[answered])
    kept = np.flatnonzero(cell >= 0)
    order = kept[np.argsort(cell[kept], kind="stable")]
    if not np.array_equal(np.bincount(cell[order], minlength=judgments.n_cells), judgments.rows):
        raise changed(judgments)
    replicate = None if long.replicate is None else long.replicate[order]
    return Rows(cell[order], long.score[order], long.status[order], replicate)


def write(judgments: Judgments, path: Path, *, no_formulas: bool = False) -> Written:
    """Write judgments to a file; see `Judgments.write`, and `quorate.export` for formulas."""
    kind = writable(path)
    if no_formulas and kind != "csv":
        raise InvalidInput(argument("no_formulas", True) + ": is for .csv and .tsv; leave it out")
    names = [name.casefold() for name in (*judgments.names, REPLICATE, "score", "status")]
    if len(set(names)) < len(names):
        raise InvalidInput("judgments: two columns would have one name in the file; read them with other roles")
    try:
        rows = rows_of(judgments)
    except NotEstimable as error:
        if judgments.labels:
            raise
        columns = {**_labels(judgments, np.arange(judgments.n_cells), kind), **_counts(judgments)}
        write_columns(_inert(columns) if no_formulas else columns, path)
        return Written(path, judgments.n_cells, "cell", (f"one row per cell, with counts: {error}",))
    columns = _labels(judgments, rows.cell, kind)
    if rows.replicate is not None:
        columns[REPLICATE] = _typed(rows.replicate, kind)
    score = _words(rows.score, judgments.labels) if judgments.labels else rows.score
    columns |= {"score": score, "status": rows.status}
    write_columns(_inert(columns) if no_formulas else columns, path)
    return Written(path, len(rows.cell), "answer", _reading(judgments))


def _words(places: NDArray[np.float64], labels: tuple[str, ...]) -> NDArray[np.object_]:
    """The labels at these places; None where there is none."""
    words = np.array([*labels, None], dtype=object)
    return np.asarray(words[np.where(np.isnan(places), len(labels), places).astype(np.int64)])


def _labels(judgments: Judgments, cell: NDArray[np.int64], kind: str) -> dict[str, NDArray[Any]]:
    """A column of labels for every facet; empty where there is none."""
    columns = {}
    for facet in judgments.facets:
        levels = np.array([None if level == ABSENT else level for level in facet.levels], dtype=object)
        columns[facet.name] = _typed(levels, kind)[judgments.column(facet.name)[cell]]
    return columns


def _inert(columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The columns with texts that no spreadsheet computes."""
    return {
        inert(name): np.array([*map(inert, column)], dtype=object) if column.dtype == object else column
        for name, column in columns.items()
    }


def _typed(labels: NDArray[np.object_], kind: str) -> NDArray[Any]:
    """Labels as numbers where the format tells numbers from text and nothing of the labels is lost."""
    if kind == "csv" or any(text is None for text in labels):
        return labels
    if all(_WHOLE.fullmatch(text) for text in labels):
        return np.array([int(text) for text in labels], dtype=np.int64)
    try:
        numbers = np.array([float(text) for text in labels], dtype=np.float64)
    except ValueError:
        return labels
    same = np.isfinite(numbers).all() and all(map(str.__eq__, map(label, numbers), labels))
    return numbers if same else labels


def _counts(judgments: Judgments) -> Mapping[str, NDArray[Any]]:
    """What is known of every cell."""
    missing = {name: counts for name, counts in judgments.status.items() if name != OK}
    return {
        **{name: getattr(judgments, name) for name in ("n", "mean", "ss", "low", "high")},
        **{f"n_{name}": counts for name, counts in missing.items()},
    }


def _reading(judgments: Judgments) -> tuple[str, ...]:
    """What reading the file again takes beyond the names of its columns."""
    from quorate.table.columns.roles import ALIASES

    named = {facet.name: facet.name for facet in judgments.facets if facet.name not in ALIASES}
    nested = {facet.name: facet.parent for facet in judgments.facets if facet.parent is not None}
    nested = {} if not named and set(nested) <= {judgments.object} else nested
    said = [argument(name, value) for name, value in (("facets", named), ("nested", nested)) if value]
    said += [argument("labels", True)] if judgments.labels else []
    said += [argument("less_is_better", True)] if judgments.less_is_better else []
    return ("read it again with " + joined(" and ", said),) if said else ()
