"""Collapse in DuckDB: files of any size, and relations the caller holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import occurring
from quorate.table.collapse.grouped import (
    Grouped,
    Held,
    Long,
    Scores,
    Ungrouped,
    cell_key,
    grouped,
    in_rows,
    squares,
    ungrouped,
)
from quorate.table.columns.labels import (
    BLANKS,
    NUMERIC,
    STATUS_WORDS,
    Coded,
    encode,
    few_labelled,
    filled,
    in_numeric_order,
    label_in_sql,
    labelled,
    no_labels,
    unknown_statuses,
)
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import NOTHING, Missing, not_numbers, parse
from quorate.table.exchange.format import Across, Opened, is_wide, literal, quoted
from quorate.table.exchange.wide import SCORE
from quorate.table.facets import OK, Facet

if TYPE_CHECKING:
    import duckdb

_PLAIN = NUMERIC | {"VARCHAR", "BOOLEAN"}
_WIDE = ("HUGEINT", "UHUGEINT", "DECIMAL")
_STATES = {name: place for place, name in enumerate(STATUS_WORDS)}
_SAMPLE = 2048
_SLOTS = 127
_MOST_LABELS = 10_000
_MOST_BITS = 1 << 30
_MOST_ROWS = 20_000_000
_BEGINNING = 100_000

Columns = dict[str, NDArray[Any]]
Cells = tuple[Sequence[Coded], Columns]


def collapse(opened: Opened, roles: Roles, missing: Missing) -> Grouped:
    """Rows, answers, means and variances per cell.

    Raises
    ------
    InvalidData
        If a score is not a finite number or a status is not known.
    """
    few = _few(opened, roles, missing)
    if few is not None:
        return grouped(few, roles)
    rows = _prepare(opened, roles, missing)
    across = None if opened.across is None or missing != NOTHING else _across(opened.across, roles)
    made, result = across or _cells(rows, roles)
    facets = _ordered(made, opened, roles)
    if result["bad"].any():
        bad = int(result["bad"].sum())
        numbered = rows.project("given, bad, row_number() OVER () AS place")
        ((first, place),) = numbered.filter("bad").order("place").limit(1).project("given, place").fetchall()
        raise not_numbers(roles.score, bad, first, place, bad + int(result["n"].sum()))
    found = Grouped(
        facets=facets,
        rows=result["rows"],
        n=result["n"],
        mean=filled(result["mean"]),
        ss=squares(filled(result["variance"]), result["n"]),
        low=filled(result["low"]),
        high=filled(result["high"]),
        status={name: result[name] for name in STATUS_WORDS} if roles.status is not None else None,
        distinct=result.get("distinct"),
    )
    if found.has_unknown:
        words = rows.filter("state IS NULL").project("status").distinct().order("status").fetchall()
        raise unknown_statuses(str(roles.status), [word for (word,) in words])
    return found


def ungroup(opened: Opened, roles: Roles, missing: Missing) -> Ungrouped:
    """Every usable answer, in two passes: labels once per cell, then a number for the cell of each answer.

    That number is a hash. Two cells with one hash would be as likely as one in ten million even for a million cells;
    the answers of one would then be more than reading counted, which whoever asks for answers checks.
    """
    few = _few(opened, roles, missing)
    if few is not None:
        return ungrouped(few, roles)
    rows = _prepare(opened, roles, missing)
    keys = ", ".join(f"f{place}" for place in range(len(roles.facets)))
    made, cells = labelled(rows.aggregate(f"{keys}, hash({keys}) AS cell", keys).materialize(), keys.split(", "))
    by, sequence = "", "value"
    if roles.replicate is not None:  # numbers by size, then text
        number = "TRY_CAST(replicate::VARCHAR AS DOUBLE)"
        by = f", CASE WHEN isfinite({number}) THEN {number} END AS number, replicate::VARCHAR AS word"
        sequence = "number NULLS LAST, word NULLS LAST, value"
    answers = rows.project(f"hash({keys}) AS cell, value{by}").order(sequence).project("cell, value").fetchnumpy()
    order = np.argsort(cells["cell"], kind="stable")
    usable = ~np.ma.getmaskarray(answers["value"])  # a filter in the engine takes five times as long
    cell = np.append(order, -1)[np.searchsorted(cells["cell"], answers["cell"][usable], sorter=order)]
    return Ungrouped(
        _ordered(made, opened, roles), cell, np.asarray(np.ma.getdata(answers["value"])[usable], dtype=np.float64)
    )


def long(opened: Opened, roles: Roles, missing: Missing) -> Long:
    """Every row as it was read: its labels, replicate, score and status."""
    few = _few(opened, roles, missing)
    if few is not None:
        return in_rows(few, roles)
    rows = _prepare(opened, roles, missing)
    keys = ", ".join(f"f{place}" for place in range(len(roles.facets)))
    replicate = ", replicate::VARCHAR AS replicate" if roles.replicate is not None else ""
    held = rows.project(f"{keys}, value, state::INTEGER AS state, row_number() OVER () AS row{replicate}")
    made, found = labelled(held.materialize(), keys.split(", "), "row")
    labels = None
    if roles.replicate is not None:
        labels = np.array(np.ma.getdata(found["replicate"]), dtype=object)
        labels[np.ma.getmaskarray(found["replicate"])] = None
    words = np.array(tuple(STATUS_WORDS), dtype=object)
    state = np.asarray(found["state"], dtype=np.int64)
    return Long(_ordered(made, opened, roles), filled(found["value"]), words[state], labels)


def _across(across: Across, roles: Roles) -> Cells | None:
    """Cells of rows of several judgments, where every score is plain and no two rows are of the same; else None."""
    named = [facet.column for facet in roles.facets]
    others = [place for place, name in enumerate(named) if name != across.role]
    special = roles.status or roles.replicate or roles.score != SCORE
    if special or len(others) + 1 != len(named) or not {named[place] for place in others} <= across.columns.keys():
        return None
    kinds, levels = dict(zip(across.relation.columns, map(str, across.relation.types), strict=True)), [*across.scores]
    inside = {place: across.columns[named[place]] for place in others}
    asked = [f"{_label(quoted(own), kinds[own], named[place])} AS f{place}" for place, own in inside.items()]
    asked += [f"TRY_CAST({score} AS DOUBLE) AS s{i}" for i, score in enumerate(across.scores.values())]
    given = " + ".join(f"({score} IS NOT NULL)::BIGINT" for score in across.scores.values())
    most = 5 * _MOST_ROWS // len(levels)  # each score alone takes eight bytes
    held = across.relation.project(f"{', '.join(asked)}, {given} AS given").limit(most).materialize()
    keys = [f"f{place}" for place in others]
    made, found = labelled(held, keys)
    value = np.column_stack([filled(found[f"s{i}"]) for i in range(len(levels))])
    plain = np.count_nonzero(np.isfinite(value)) == found["given"].sum()
    key = _key(made, [roles.facets[place] for place in others])
    if not 0 < len(value) < most or not plain or len(occurring(key)) < len(key):
        return None
    rows, columns = np.argsort(key), sorted(range(len(levels)), key=levels.__getitem__)  # the order that cells have
    facets = [Coded(one.levels, one.values, np.repeat(one.codes[rows], len(levels))) for one in made]
    own = Coded(tuple(levels[at] for at in columns), None, np.tile(np.arange(len(levels)), len(value)))
    facets.insert(named.index(across.role), own)
    return facets, {**_alone(value[rows][:, columns].ravel()), "bad": np.zeros(value.size, dtype=np.bool_)}


def _cells(rows: duckdb.DuckDBPyRelation, roles: Roles) -> Cells:
    """Levels and codes of every facet, and the measures, of every cell.

    Rows that are not many become numbers first: where each is a cell of its own there is nothing to group, which takes
    twice as long.
    """
    keys = [f"f{place}" for place in range(len(roles.facets))]
    named = ", ".join(keys)
    if roles.replicate is not None:
        return labelled(_run(rows, roles, named), keys)
    plain = rows.project(f"{named}, value, bad" + ", state" * (roles.status is not None))
    made = few_labelled(plain, keys)
    if made is None and (held := _held(plain, named)) is not None:
        made = labelled(held, keys)
    if made is not None:
        facets, found = made
        key = _key(facets, roles.facets)
        if len(occurring(key)) == len(key):
            stated = {}  # for each status, 1 where a row has it
            if roles.status is not None:
                state = np.ma.filled(found["state"].astype(np.int64), -1)
                stated = {name: (state == code).astype(np.int64) for name, code in _STATES.items()}
            return facets, {**found, **stated, **_alone(filled(found["value"]))}
    return labelled(_pass(rows, roles, named, []).materialize(), keys)


def _few(opened: Opened, roles: Roles, missing: Missing) -> Held | None:
    """All of a few rows of text and plain numbers, for here: to plan what is made of them takes the engine longer."""
    kinds, inside = opened.kinds, opened.inside
    named = [*(facet.column for facet in roles.facets), roles.score, *filter(None, (roles.status, roles.replicate))]
    plain = all(kinds[name] in _PLAIN for name in named) and kinds.get(roles.status or "", "VARCHAR") == "VARCHAR"
    # A truth may stand for no score by its word, and the engine writes a replicate that is a fraction in its own way.
    own_word = kinds[roles.score] == "BOOLEAN" and missing.words
    if opened.stays or not plain or own_word or kinds.get(roles.replicate or "") in ("FLOAT", "DOUBLE"):
        return None
    rows = opened.relation  # to choose among columns of text takes longer than to hold them; others may hold records
    if opened.typed:
        rows = opened.only(dict.fromkeys(named))
    held = rows.limit(_SAMPLE).fetchnumpy()
    columns = {name: held[inside[name]] for name in named}
    if len(columns[roles.score]) == _SAMPLE:
        return None
    facets = tuple(_coded(columns[facet.column]) for facet in roles.facets)
    if not opened.typed:
        facets = tuple(map(in_numeric_order, facets))
    replicate = None if roles.replicate is None else _coded(columns[roles.replicate])
    status = None
    if roles.status is not None:
        words = [None if word is None else word.strip().lower() for word in _with_none(columns[roles.status])]
        status = _coded(np.array(words, dtype=object))
    return Held(facets, _scores(columns[roles.score], missing), status, replicate)


def _scores(column: NDArray[Any], missing: Missing) -> Scores:
    if column.dtype == object:
        given = [None if text is None else text.strip() for text in _with_none(column)]
        return Scores(*parse(given, missing), given)
    values = np.ma.getdata(column).astype(np.float64)
    present = ~np.ma.getmaskarray(column) & ~np.isin(values, missing.numbers)
    if missing.nan:
        present &= ~np.isnan(values)
    return Scores(values, present, values)


def _coded(column: NDArray[Any]) -> Coded:
    if column.dtype == object:
        texts = _with_none(column)
        return encode(texts, np.array([text is None for text in texts], dtype=np.bool_))
    values, absent = np.ma.getdata(column), np.ma.getmaskarray(column)
    return encode(values, absent | np.isnan(values) if values.dtype.kind == "f" else absent)


def _with_none(column: NDArray[Any]) -> NDArray[Any]:
    """Text as the engine gives it, None where there is none."""
    texts = np.array(np.ma.getdata(column), dtype=object)
    texts[np.ma.getmaskarray(column)] = None
    return texts


def _held(rows: duckdb.DuckDBPyRelation, keys: str) -> duckdb.DuckDBPyRelation | None:
    """The rows in memory, unless they are too many, or repeat one another already at their beginning."""
    held = rows.limit(_BEGINNING).materialize()
    if len(held) < _BEGINNING:
        return held
    if not held.aggregate(f"count(DISTINCT hash({keys})) = count(*)").fetchall()[0][0]:
        return None
    held = rows.limit(_MOST_ROWS).materialize()
    return held if len(held) < _MOST_ROWS else None


def _key(made: Sequence[Coded], facets: Sequence[Facet]) -> NDArray[np.int64]:
    """One number for the levels of each row."""
    alone = [replace(facet, parent=None) for facet in facets]  # some of them may be nested in what is no column
    return cell_key([one.last_if_absent() for one in made], [one.size for one in made], alone)


def _alone(value: NDArray[np.float64]) -> Columns:
    """Measures of cells that are a row each, by its score, nan where there is none."""
    each = {"rows": np.ones(len(value), dtype=np.int64), "n": (~np.isnan(value)).astype(np.int64)}
    return {**each, **dict.fromkeys(("mean", "low", "high"), value), "variance": np.zeros(len(value))}


def _run(rows: duckdb.DuckDBPyRelation, roles: Roles, keys: str) -> duckdb.DuckDBPyRelation:
    """Cells with their measures, and their distinct replicates, in memory."""
    first = rows.limit(_SAMPLE).materialize()
    ((read, placed),) = first.aggregate("count(*), count(replicate) = count(slot)").fetchall()
    rows = first if read < _SAMPLE else rows  # so that a small file is read once
    if placed:  # so that one pass is likely to do
        bits = [_distinct(_bits("slot")), "count(replicate) - count(slot) AS unplaced"]
        result = _pass(rows, roles, keys, bits).materialize()
        if not result.aggregate("coalesce(max(unplaced), 0)").fetchall()[0][0]:
            return result
    counted = _by_label(rows, keys)
    if counted is not None:
        return _pass(rows, roles, keys, [_distinct(counted)]).materialize()
    ((total,),) = rows.aggregate("count(*)").fetchall()
    parts = max(total // _MOST_ROWS, 1)
    some = [rows.filter(f"hash({keys}) % {parts} = {part}") for part in range(parts)]
    results = [_pass(part, roles, keys, [_distinct("count(DISTINCT replicate)")]).materialize() for part in some]
    return reduce(lambda one, other: one.union(other), results).materialize()


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
    inside, kinds = opened.inside, opened.kinds

    def column(name: str) -> tuple[str, str]:
        return quoted(inside[name]), kinds[name]

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
        if kind in NUMERIC and kind not in ("FLOAT", "DOUBLE"):
            slot = f"CASE WHEN {name} BETWEEN 0 AND {_SLOTS - 1} THEN {name}::UTINYINT END AS slot, "
        elif kind == "VARCHAR":
            slot = f"CASE WHEN {number} < {_SLOTS} AND {number}::VARCHAR = {name} THEN {number} END AS slot, "
    # Text is stripped in a step of its own: to plan its long expression three times takes longer than a small file.
    chosen = opened.relation.project(f"{', '.join(facets)}, {replicate}{slot}{given} AS given, {status} AS status")
    kept = "replicate, slot, given, status" if roles.replicate else "given, status"
    blank = [*missing.numbers, *([math.nan] if missing.nan else [])]
    tests = [f"given::VARCHAR IN ({', '.join(map(literal, sorted(missing.words)))})"] if missing.words else []
    tests += [f"score IN ({', '.join(f'{literal(repr(value))}::DOUBLE' for value in blank)})"] if blank else []
    asked = f"{_is(OK)} AND NOT coalesce({' OR '.join(tests) or 'false'}, false)"
    keys = ", ".join(f"f{i}" for i in range(len(facets)))
    return chosen.project(
        f"{keys}, {kept}, {state} AS state, {score} AS score, "
        f"CASE WHEN {asked} AND isfinite(score) THEN score END AS value, "
        f"CASE WHEN isfinite(score) THEN false ELSE coalesce({asked} AND given IS NOT NULL, false) END AS bad"
    )


def _label(column: str, kind: str, name: str) -> str:
    grouped = label_in_sql(column, kind)
    if grouped is None:
        raise no_labels(name, kind.lower())
    return grouped


def _score(column: str, kind: str) -> tuple[str, str]:
    """What is given, and the score by it."""
    if kind == "BOOLEAN":
        return column, "given::INTEGER::DOUBLE"
    if kind in NUMERIC or (kind.startswith(_WIDE) and not kind.endswith("]")):
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


def _ordered(made: Sequence[Coded], opened: Opened, roles: Roles) -> tuple[Coded, ...]:
    """Facets whose text stands for numbers in the order of these."""
    kinds = opened.kinds
    both = zip(roles.facets, made, strict=True)
    return tuple(in_numeric_order(one) if not opened.typed or is_wide(kinds[f.column]) else one for f, one in both)
