"""The one pass over the rows, in DuckDB: files of any size, and relations the caller holds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidData
from quorate.table.collapse import STATUS_WORDS, Grouped, squares, unknown_statuses
from quorate.table.files import Opened, literal, quoted
from quorate.table.judgments import OK
from quorate.table.labels import Coded, encode, in_numeric_order
from quorate.table.roles import Roles
from quorate.table.scores import Missing, not_numbers

if TYPE_CHECKING:
    import duckdb

_NUMERIC = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE")
)
_WIDE = ("HUGEINT", "UHUGEINT", "DECIMAL")


def collapse(opened: Opened, roles: Roles, missing: Missing) -> Grouped:
    """Rows, answers, means and variances per cell.

    Raises
    ------
    InvalidData
        If a score is not a finite number or a status is not known.
    """
    rows = _prepare(opened, roles, missing)
    keys = ", ".join(f"f{place}" for place in range(len(roles.facets)))
    result = _run(rows, roles, keys)
    if result["bad"].any():
        bad = int(result["bad"].sum())
        raise _offender(rows, roles, bad, bad + int(result["n"].sum()))
    grouped = Grouped(
        facets=tuple(_coded(result[f"f{place}"], opened.typed) for place in range(len(roles.facets))),
        rows=result["rows"],
        n=result["n"],
        mean=_filled(result["mean"]),
        ss=squares(_filled(result["variance"]), result["n"]),
        low=_filled(result["low"]),
        high=_filled(result["high"]),
        status={name: result[name] for name in STATUS_WORDS} if roles.status is not None else None,
        distinct=result.get("distinct"),
    )
    if grouped.has_unknown:
        raise _unknown(rows, roles)
    return grouped


def _run(rows: duckdb.DuckDBPyRelation, roles: Roles, keys: str) -> dict[str, NDArray[Any]]:
    measures = [
        "count(*) AS rows, count(value) AS n, avg(value) AS mean, var_samp(value) AS variance",
        "min(value) AS low, max(value) AS high, count(*) FILTER (WHERE bad) AS bad",
    ]
    if roles.status is not None:
        measures += [f"count(*) FILTER (WHERE {_is(name)}) AS {name}" for name in STATUS_WORDS]
    if roles.replicate is not None:
        measures.append('count(DISTINCT replicate) + (count(*) > count(replicate))::INTEGER AS "distinct"')
    return dict(rows.aggregate(f"{keys}, {', '.join(measures)}", keys).fetchnumpy())


def _prepare(opened: Opened, roles: Roles, missing: Missing) -> duckdb.DuckDBPyRelation:
    place = {name: position for position, name in enumerate(opened.columns)}
    names, types = opened.relation.columns, [str(kind) for kind in opened.relation.types]

    def column(name: str) -> tuple[str, str]:
        return quoted(names[place[name]]), types[place[name]]

    facets = [f"{_label(*column(facet.column), facet.column)} AS f{i}" for i, facet in enumerate(roles.facets)]
    given, score = _score(*column(roles.score))
    status = f"lower(trim({column(roles.status)[0]}::VARCHAR))" if roles.status else literal(OK)
    replicate = f"{column(roles.replicate)[0]}::VARCHAR" if roles.replicate else "NULL"
    chosen = opened.relation.project(
        f"{', '.join(facets)}, {given} AS given, {score} AS score, {status} AS status, {replicate} AS replicate"
    )
    asked = f"{_is(OK)} AND NOT coalesce({_stands_for_none(missing)}, false)"
    keys = ", ".join(f"f{i}" for i in range(len(facets)))
    return chosen.project(
        f"{keys}, given, status, replicate, CASE WHEN {asked} AND isfinite(score) THEN score END AS value, "
        f"coalesce({asked} AND given IS NOT NULL AND NOT coalesce(isfinite(score), false), false) AS bad"
    )


def _label(column: str, kind: str, name: str) -> str:
    if kind == "BOOLEAN" or kind in _NUMERIC:
        return f"CASE WHEN NOT isnan({column}) THEN {column} END" if kind in ("FLOAT", "DOUBLE") else column
    if kind.startswith(_WIDE) and not kind.endswith("]"):
        return f"{column}::DOUBLE"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB")):
        raise InvalidData(f'column "{name}" holds {kind.lower()}; a facet needs text, numbers, booleans or dates')
    return f"{column}::VARCHAR"


def _score(column: str, kind: str) -> tuple[str, str]:
    if kind == "BOOLEAN":
        return column, f"{column}::INTEGER::DOUBLE"
    if kind in _NUMERIC or (kind.startswith(_WIDE) and not kind.endswith("]")):
        return column, f"{column}::DOUBLE"
    text = f"nullif(trim({column}::VARCHAR), '')"
    return text, f"CASE lower({text}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE TRY_CAST({text} AS DOUBLE) END"


def _stands_for_none(missing: Missing) -> str:
    words = [literal(word) for word in sorted(missing.words)]
    numbers = [f"{literal(repr(value))}::DOUBLE" for value in (*missing.numbers, *((math.nan,) if missing.nan else ()))]
    tests = [f"given::VARCHAR IN ({', '.join(words)})"] if words else []
    tests += [f"score IN ({', '.join(numbers)})"] if numbers else []
    return " OR ".join(tests) or "false"


def _is(status: str) -> str:
    return f"status IN ({', '.join(literal(word) for word in STATUS_WORDS[status])})"


def _filled(column: NDArray[Any]) -> NDArray[np.float64]:
    return np.ma.filled(column.astype(np.float64), np.nan)


def _coded(column: NDArray[Any], typed: bool) -> Coded:
    absent = np.ma.getmaskarray(column)
    coded = encode(np.ma.getdata(column), absent)
    return coded if typed else in_numeric_order(coded)


def _offender(rows: duckdb.DuckDBPyRelation, roles: Roles, count: int, total: int) -> InvalidData:
    numbered = rows.project("given, bad, row_number() OVER () AS place")
    ((first, place),) = numbered.filter("bad").order("place").limit(1).project("given, place").fetchall()
    return not_numbers(roles.score, count, first, place, total)


def _unknown(rows: duckdb.DuckDBPyRelation, roles: Roles) -> InvalidData:
    known = " OR ".join(_is(name) for name in STATUS_WORDS)
    found = rows.filter(f"NOT coalesce({known}, false)").project("status").distinct().order("status").fetchall()
    return unknown_statuses(str(roles.status), [text for (text,) in found])
