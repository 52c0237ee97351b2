"""Collapse in DuckDB: files of any size, and relations the caller holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import occurring
from quorate.table.collapse.grouped import Grouped, Long, Ungrouped, cell_key, squares
from quorate.table.columns.labels import (
    BLANKS,
    STATUS_WORDS,
    Coded,
    decoded,
    in_numeric_order,
    labelled,
    no_labels,
    numbered,
    unknown_statuses,
)
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import Missing, not_numbers
from quorate.table.exchange.format import Opened, is_wide, literal, quoted
from quorate.table.judgments import OK

if TYPE_CHECKING:
    import duckdb

_NUMERIC = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE")
)
_WIDE = ("HUGEINT", "UHUGEINT", "DECIMAL")
_STATES = {name: place for place, name in enumerate(STATUS_WORDS)}
_SAMPLE = 2048
_SLOTS = 127
_MOST_LABELS = 10_000
_MOST_BITS = 1 << 30
_MOST_ROWS = 20_000_000
_MOST_HELD = 10_000_000

Columns = dict[str, NDArray[Any]]


def collapse(opened: Opened, roles: Roles, missing: Missing) -> Grouped:
    """Rows, answers, means and variances per cell.

    Raises
    ------
    InvalidData
        If a score is not a finite number or a status is not known.
    """
    rows = _prepare(opened, roles, missing)
    facets, result = _cells(rows, opened, roles)
    if result["bad"].any():
        bad = int(result["bad"].sum())
        numbered = rows.project("given, bad, row_number() OVER () AS place")
        ((first, place),) = numbered.filter("bad").order("place").limit(1).project("given, place").fetchall()
        raise not_numbers(roles.score, bad, first, place, bad + int(result["n"].sum()))
    grouped = Grouped(
        facets=facets,
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
        words = rows.filter("state IS NULL").project("status").distinct().order("status").fetchall()
        raise unknown_statuses(str(roles.status), [word for (word,) in words])
    return grouped


def ungroup(opened: Opened, roles: Roles, missing: Missing) -> Ungrouped:
    """Every usable answer, in two passes: labels once per cell, then a number for the cell of each answer.

    That number is a hash. Two cells with one hash would be as likely as one in ten million even for a million cells;
    the answers of one would then be more than reading counted, which whoever asks for answers checks.
    """
    rows = _prepare(opened, roles, missing)
    keys = ", ".join(f"f{place}" for place in range(len(roles.facets)))
    facets, cells = _coded(rows.aggregate(f"{keys}, hash({keys}) AS cell", keys), opened, roles)
    by, sequence = "", "value"
    if roles.replicate is not None:  # numbers by size, then text
        number = "TRY_CAST(replicate::VARCHAR AS DOUBLE)"
        by = f", CASE WHEN isfinite({number}) THEN {number} END AS number, replicate::VARCHAR AS word"
        sequence = "number NULLS LAST, word NULLS LAST, value"
    answers = rows.project(f"hash({keys}) AS cell, value{by}").order(sequence).project("cell, value").fetchnumpy()
    order = np.argsort(cells["cell"], kind="stable")
    usable = ~np.ma.getmaskarray(answers["value"])  # a filter in the engine takes five times as long
    cell = np.append(order, -1)[np.searchsorted(cells["cell"], answers["cell"][usable], sorter=order)]
    return Ungrouped(facets, cell, np.asarray(np.ma.getdata(answers["value"])[usable], dtype=np.float64))


def long(opened: Opened, roles: Roles, missing: Missing) -> Long:
    """Every row as it was read: its labels, replicate, score and status."""
    rows = _prepare(opened, roles, missing)
    keys = ", ".join(f"f{place}" for place in range(len(roles.facets)))
    replicate = ", replicate::VARCHAR AS replicate" if roles.replicate is not None else ""
    held = rows.project(f"{keys}, value, state::INTEGER AS state, row_number() OVER () AS row{replicate}")
    facets, found = _coded(held, opened, roles, "row")
    labels = None
    if roles.replicate is not None:
        labels = np.array(np.ma.getdata(found["replicate"]), dtype=object)
        labels[np.ma.getmaskarray(found["replicate"])] = None
    words = np.array(tuple(STATUS_WORDS), dtype=object)
    state = np.asarray(found["state"], dtype=np.int64)
    return Long(facets, _filled(found["value"]), words[state], labels)


def _cells(rows: duckdb.DuckDBPyRelation, opened: Opened, roles: Roles) -> tuple[tuple[Coded, ...], Columns]:
    """Levels and codes of every facet, and the measures, of every cell.

    Rows that are few become numbers before they are grouped, which takes half the time: where each is a cell of its
    own there is nothing to group.
    """
    keys = [f"f{place}" for place in range(len(roles.facets))]
    named = ", ".join(keys)
    if roles.replicate is not None:
        return _coded(_run(rows, roles, named), opened, roles)
    held = rows.project(f"{named}, value, state, bad").limit(_MOST_HELD).materialize()
    if len(held) == _MOST_HELD:
        return _coded(_pass(rows, roles, named, []), opened, roles)
    coded, texts = numbered(held, keys)
    facets, found = decoded(coded, keys, texts)
    key = cell_key([facet.last_if_absent() for facet in facets], [facet.size for facet in facets], roles.facets)
    if len(occurring(key)) < len(key):
        facets, found = decoded(_pass(coded, roles, named, []), keys, texts)
    else:
        value = _filled(found["value"])
        found |= {**dict.fromkeys(("mean", "low", "high"), value), "variance": np.zeros(len(value))}
        found |= {"rows": np.ones(len(value), dtype=np.int64), "n": (~np.isnan(value)).astype(np.int64)}
        state = np.ma.filled(found["state"].astype(np.int64), -1)
        found |= {name: (state == code).astype(np.int64) for name, code in _STATES.items()}
    return _ordered(facets, opened, roles), found


def _run(rows: duckdb.DuckDBPyRelation, roles: Roles, keys: str) -> duckdb.DuckDBPyRelation:
    """Cells with their measures, and their distinct replicates."""
    first = rows.project("replicate, slot").limit(_SAMPLE)
    if first.aggregate("count(replicate) = count(slot)").fetchall()[0][0]:  # so that one pass is likely to do
        bits = [_distinct(_bits("slot")), "count(replicate) - count(slot) AS unplaced"]
        result = _pass(rows, roles, keys, bits).materialize()
        if not result.aggregate("coalesce(max(unplaced), 0)").fetchall()[0][0]:
            return result
    counted = _by_label(rows, keys)
    if counted is not None:
        return _pass(rows, roles, keys, [_distinct(counted)])
    ((total,),) = rows.aggregate("count(*)").fetchall()
    parts = max(total // _MOST_ROWS, 1)
    some = [rows.filter(f"hash({keys}) % {parts} = {part}") for part in range(parts)]
    results = [_pass(part, roles, keys, [_distinct("count(DISTINCT replicate)")]).materialize() for part in some]
    return reduce(lambda one, other: one.union(other), results)


def _pass(rows: duckdb.DuckDBPyRelation, roles: Roles, keys: str, more: list[str]) -> duckdb.DuckDBPyRelation:
    measures = [
        "count(*) AS rows, count(value) AS n, avg(value) AS mean, var_samp(value) AS variance",
        "min(value) AS low, max(value) AS high, count(*) FILTER (WHERE bad) AS bad",
        *more,
    ]
    if roles.status is not None:
        measures += [f"count(*) FILTER (WHERE {_is(name)}) AS {name}" for name in STATUS_WORDS]
    return rows.aggregate(f"{keys}, {', '.join(measures)}", keys)


def _distinct(counted: str) -> str:
    return f'{counted} + (count(*) > count(replicate))::INTEGER AS "distinct"'


def _by_label(rows: duckdb.DuckDBPyRelation, keys: str) -> str | None:
    """Distinct replicates per cell where not all are small whole numbers: one bit per label; None if that is too many.

    What is left is a hash table of every row, ``count(DISTINCT)``: five times as long, and so much memory that only
    some of the cells are counted at a time.
    """
    ((about,),) = rows.aggregate("approx_count_distinct(replicate)").fetchall()
    if about > _MOST_LABELS:
        return None
    found = rows.filter("replicate IS NOT NULL").project("replicate::VARCHAR AS label").distinct().fetchall()
    labels = ", ".join(literal(label) for (label,) in found)
    code = f"enum_code(replicate::VARCHAR::ENUM({labels}))"
    if len(found) <= _SLOTS:
        return _bits(code)
    ((cells,),) = rows.aggregate(f"approx_count_distinct(row({keys}))").fetchall()
    if len(found) * cells > _MOST_BITS:
        return None
    return f"coalesce(bit_count(bitstring_agg({code}, 0, {len(found) - 1})), 0)"


def _bits(code: str) -> str:
    """Distinct values of a column of whole numbers below 127, each a bit of one number."""
    return f"coalesce(bit_count(bit_or(1::HUGEINT << {code})), 0)"


def _prepare(opened: Opened, roles: Roles, missing: Missing) -> duckdb.DuckDBPyRelation:
    place = {name: position for position, name in enumerate(opened.columns)}
    names, types = opened.relation.columns, [str(kind) for kind in opened.relation.types]

    def column(name: str) -> tuple[str, str]:
        return quoted(names[place[name]]), types[place[name]]

    facets = [f"{_label(*column(facet.column), facet.column)} AS f{i}" for i, facet in enumerate(roles.facets)]
    given, score = _score(*column(roles.score))
    status, state = literal(OK), f"{_STATES[OK]}"
    if roles.status:  # a small number, found once per row, or once per word where the file lists its words
        status = f"lower({_stripped(f'{column(roles.status)[0]}::VARCHAR')})"
        words = {name: ", ".join(map(literal, known)) for name, known in STATUS_WORDS.items()}
        cases = " ".join(f"WHEN status IN ({known}) THEN {_STATES[name]}" for name, known in words.items())
        state = f"(CASE {cases} END)::UTINYINT"
    replicate = slot = ""
    if roles.replicate:
        name, kind = column(roles.replicate)
        # zero of either sign is one number: as text they are two
        replicate = f"{f'{name} + 0.0' if kind in ('FLOAT', 'DOUBLE') else name} AS replicate, "
        # those that are small whole numbers are each a bit of one number per cell; null for others
        number, slot = f"TRY_CAST({name} AS UTINYINT)", "NULL::UTINYINT AS slot, "
        if kind in _NUMERIC and kind not in ("FLOAT", "DOUBLE"):
            slot = f"CASE WHEN {name} BETWEEN 0 AND {_SLOTS - 1} THEN {name}::UTINYINT END AS slot, "
        elif kind == "VARCHAR":
            slot = f"CASE WHEN {number} < {_SLOTS} AND {number}::VARCHAR = {name} THEN {number} END AS slot, "
    # Text is stripped in a step of its own: to plan its long expression three times takes longer than a small file.
    chosen = opened.relation.project(f"{', '.join(facets)}, {replicate}{slot}{given} AS given, {status} AS status")
    chosen = chosen.project(f"*, {score} AS score, {state} AS state")
    kept = "replicate, slot, given, status, state" if roles.replicate else "given, status, state"
    blank = [*missing.numbers, *([math.nan] if missing.nan else [])]
    tests = [f"given::VARCHAR IN ({', '.join(map(literal, sorted(missing.words)))})"] if missing.words else []
    tests += [f"score IN ({', '.join(f'{literal(repr(value))}::DOUBLE' for value in blank)})"] if blank else []
    asked = f"{_is(OK)} AND NOT coalesce({' OR '.join(tests) or 'false'}, false)"
    keys = ", ".join(f"f{i}" for i in range(len(facets)))
    return chosen.project(
        f"{keys}, {kept}, CASE WHEN {asked} AND isfinite(score) THEN score END AS value, "
        f"CASE WHEN isfinite(score) THEN false ELSE coalesce({asked} AND given IS NOT NULL, false) END AS bad"
    )


def _label(column: str, kind: str, name: str) -> str:
    if kind == "BOOLEAN" or kind in _NUMERIC:
        return f"CASE WHEN NOT isnan({column}) THEN {column} END" if kind in ("FLOAT", "DOUBLE") else column
    if kind.startswith("DECIMAL") and not is_wide(kind) and not kind.endswith("]"):
        return f"{column}::DOUBLE"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB")):
        raise no_labels(name, kind.lower())
    return f"{column}::VARCHAR"


def _score(column: str, kind: str) -> tuple[str, str]:
    """What is given, and the score by it."""
    if kind == "BOOLEAN":
        return column, "given::INTEGER::DOUBLE"
    if kind in _NUMERIC or (kind.startswith(_WIDE) and not kind.endswith("]")):
        return column, "given::DOUBLE"
    text = f"{column}::VARCHAR"
    plain = f"isfinite(TRY_CAST({text} AS DOUBLE))"  # to strip takes longer than to read a number
    truth = "CASE lower(given) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
    given = f"CASE WHEN {plain} THEN {text} ELSE nullif({_stripped(text)}, '') END"
    return given, f"coalesce(TRY_CAST(given AS DOUBLE), {truth})"


def _stripped(text: str) -> str:
    """Text as `str.strip` leaves it. A trim of listed characters takes ten times a plain one, so few rows get it."""
    plain = f"trim({text})"
    clean = f"ascii({plain}) BETWEEN 33 AND 126 AND ascii(right({plain}, 1)) BETWEEN 33 AND 126"
    return f"(CASE WHEN {clean} THEN {plain} ELSE trim({text}, {literal(BLANKS)}) END)"


def _is(status: str) -> str:
    return f"state = {_STATES[status]}"


def _filled(column: NDArray[Any]) -> NDArray[np.float64]:
    return np.ma.filled(column.astype(np.float64), np.nan)


def _coded(
    rows: duckdb.DuckDBPyRelation, opened: Opened, roles: Roles, order: str | None = None
) -> tuple[tuple[Coded, ...], Columns]:
    """Levels and codes of every facet, and the other columns."""
    made, columns = labelled(rows, [f"f{i}" for i in range(len(roles.facets))], order)
    return _ordered(made, opened, roles), columns


def _ordered(made: Sequence[Coded], opened: Opened, roles: Roles) -> tuple[Coded, ...]:
    """Facets whose text stands for numbers in the order of these."""
    kinds = dict(zip(opened.columns, map(str, opened.relation.types), strict=True))
    both = zip(roles.facets, made, strict=True)
    return tuple(in_numeric_order(one) if not opened.typed or is_wide(kinds[f.column]) else one for f, one in both)
