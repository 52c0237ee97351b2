"""Collapse of a lazy frame, left to its own engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from quorate.table.collapse import eager as collapse_eager
from quorate.table.collapse.eager import choose, coded, has_numbers
from quorate.table.collapse.grouped import Grouped, Long, Ungrouped, squares
from quorate.table.columns.labels import STATUS_WORDS, Coded, unknown_statuses
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import Missing, not_numbers
from quorate.table.facets import OK


def collapse(frame: nw.LazyFrame[Any], roles: Roles, missing: Missing) -> Grouped:
    """Rows, answers, means and sums of squares per cell.

    Text that must be read as numbers is brought into memory first.

    Raises
    ------
    InvalidData
        If a score is not a finite number or a status is not known.
    """
    schema = frame.collect_schema()
    if not has_numbers(schema[roles.score]) or nw.Object in {schema[facet.column] for facet in roles.facets}:
        return collapse_eager.collapse(_collected(frame, roles), roles, missing)
    flags = [_is(name).cast(nw.Int64).alias(name) for name in STATUS_WORDS if roles.status is not None]
    value = nw.col("score").cast(nw.Float64)
    if missing.nan:
        value = value.fill_nan(None)
    if missing.numbers:
        value = nw.when(~value.is_in(missing.numbers)).then(value)
    value = value if roles.status is None else nw.when(_is(OK)).then(value)
    rows = choose(frame, roles).with_columns(value.alias("value"), *flags)
    grouped = _grouped(rows, roles)
    if not np.isfinite(grouped.mean[grouped.n > 0]).all():
        column = rows.select("value").collect()["value"]
        present, values = ~np.asarray(column.is_null().to_numpy(), dtype=np.bool_), _floats(column)
        bad = np.flatnonzero(present & ~np.isfinite(values))
        raise not_numbers(roles.score, len(bad), float(values[bad[0]]), int(bad[0]) + 1, int(present.sum()))
    if grouped.has_unknown:
        words = rows.select("status").unique().collect()["status"].to_list()
        known = {word for words in STATUS_WORDS.values() for word in words}
        unknown = [word if isinstance(word, str) else None for word in words if word not in known]
        raise unknown_statuses(str(roles.status), sorted(unknown, key=lambda word: word or ""))
    return grouped


def ungroup(frame: nw.LazyFrame[Any], roles: Roles, missing: Missing) -> Ungrouped:
    """Every usable answer; the columns that play a role are brought into memory."""
    return collapse_eager.ungroup(_collected(frame, roles), roles, missing)


def long(frame: nw.LazyFrame[Any], roles: Roles, missing: Missing) -> Long:
    """Every row; the columns that play a role are brought into memory."""
    return collapse_eager.long(_collected(frame, roles), roles, missing)


def _collected(frame: nw.LazyFrame[Any], roles: Roles) -> nw.DataFrame[Any]:
    used = [facet.column for facet in roles.facets] + [roles.score]
    columns = [*used, *(name for name in (roles.status, roles.replicate) if name is not None)]
    return frame.select(list(dict.fromkeys(columns))).collect()


def _is(status: str) -> nw.Expr:
    return nw.col("status").is_in(STATUS_WORDS[status])


def _grouped(rows: nw.LazyFrame[Any], roles: Roles) -> Grouped:
    keys, value = [f"f{place}" for place in range(len(roles.facets))], nw.col("value")
    measures = [nw.len().alias("rows"), value.count().alias("n"), value.mean().alias("mean")]
    measures += [value.var().alias("variance"), value.min().alias("low"), value.max().alias("high")]
    measures += [nw.col(name).sum() for name in STATUS_WORDS if roles.status is not None]
    if roles.replicate is not None:
        measures.append(nw.col("replicate").n_unique().alias("distinct"))
    result = rows.group_by(keys).agg(*measures).collect()
    n = _ints(result["n"])
    grouped = Grouped(
        facets=tuple(coded(result[key]) for key in keys),
        rows=_ints(result["rows"]),
        n=n,
        mean=_floats(result["mean"]),
        ss=squares(_floats(result["variance"]), n),
        low=_floats(result["low"]),
        high=_floats(result["high"]),
        status=None if roles.status is None else {name: _ints(result[name]) for name in STATUS_WORDS},
        distinct=None if roles.replicate is None else _ints(result["distinct"]),
    )
    if roles.replicate is None or not rows.implementation.is_dask():
        return grouped
    # in two steps, where the engine's own count adds those of its partitions up
    once = rows.select(*keys, "replicate").unique().group_by(keys).agg(nw.len().alias("distinct")).collect()
    distinct = np.empty_like(grouped.rows)
    distinct[_by_labels(grouped.facets)] = _ints(once["distinct"])[_by_labels([coded(once[key]) for key in keys])]
    return replace(grouped, distinct=distinct)


def _by_labels(facets: Sequence[Coded]) -> NDArray[np.int64]:
    """Order of the cells by their labels."""
    return np.lexsort([facet.codes for facet in facets])


def _ints(column: nw.Series[Any]) -> NDArray[np.int64]:
    return np.asarray(column.fill_null(0).to_numpy(), dtype=np.int64)


def _floats(column: nw.Series[Any]) -> NDArray[np.float64]:
    return np.asarray(column.fill_null(float("nan")).to_numpy(), dtype=np.float64)
