"""Columns of votes as codes and numbers, from any frame or from DuckDB.

One entry per row in the source's order; or, together, one for rows that agree in all of them, counted by the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints
from quorate.errors import InvalidData, InvalidInput
from quorate.frozen import dataclass
from quorate.roles import CATEGORY, ITEM, JUDGE, PROMPT, REPLICATE
from quorate.table.columns.labels import Coded, encode, few_labelled, filled, in_numeric_order, label_in_sql, labelled
from quorate.table.columns.outcomes import shown
from quorate.table.columns.scales import number
from quorate.table.columns.vote_roles import VoteRoles
from quorate.table.exchange.format import PAIR, Opened, quoted
from quorate.table.exchange.postgres.address import Places, title_of
from quorate.table.exchange.texts import Cells, Texts, numbers
from quorate.table.notes import Note
from quorate.table.pairs import TIE, A, B, Codes

if TYPE_CHECKING:
    import duckdb
    import narwhals as nw


class RankedPairs(NamedTuple):
    """Pairs of rows of one ranking.

    Parameters
    ----------
    first, second : array of int, shape (pairs,)
        Rows of the two.
    outcome : array of int8, shape (pairs,)
        Who has the better place.
    notes : tuple of Note
        What was left out.
    """

    first: Ints
    second: Ints
    outcome: NDArray[np.int8]
    notes: tuple[Note, ...]


def in_pairs(
    places: Coded,
    column: str,
    system: Codes,
    models: tuple[str, ...],
    facets: Mapping[str, Codes],
    ok: Bools,
    *,
    ties: bool,
) -> RankedPairs:
    """All pairs of each ranking, in the order of rankings, then of rows.

    Parameters
    ----------
    places : Coded
        Place of every row, 1 the best; a row without one is not ranked.
    column : str
        Its column.
    system : array of int, shape (rows,)
        Index into ``models``.
    models : tuple of str
        Labels.
    facets : mapping of str to array of int, shape (rows,)
        What a ranking is of; ``cluster`` is the ranking.
    ok : array of bool, shape (rows,)
        Rows that count.
    ties : bool
        Whether an equal place is a tie; else such two were not compared, but at a place between two, such as 2.5.

    Raises
    ------
    InvalidData
        If places are no numbers, a system is ranked twice, or two rows of one ranking differ in a facet.
    """
    if places.values is None:
        raise InvalidData(f'column "{column}": expects numbers, 1 for the best, got "{places.levels[0]}"')
    ranking = facets["cluster"]
    rows = np.flatnonzero(ok & (places.codes >= 0) & (ranking >= 0))
    rows = rows[np.argsort(ranking[rows], kind="stable")]
    _, starts, sizes = np.unique(ranking[rows], return_index=True, return_counts=True)
    parts = []
    for size in np.unique(sizes[sizes > 1]).tolist():
        members = rows[starts[sizes == size, None] + np.arange(size)]
        parts += [np.stack([members[:, i].ravel(), members[:, j].ravel()]) for i, j in combinations(range(size), 2)]
    if not parts:
        raise InvalidData(
            "cluster: no ranking has two systems with a place; " + argument("cluster", ..., group="roles")
        )
    first, second = np.concatenate(parts, axis=1)
    turned = system[first] > system[second]  # a ranking shows nothing first: each pair is written in one way
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    order = np.lexsort((second, first, ranking[first]))
    first, second = first[order], second[order]
    _refuse(system[first] == system[second], "has a system twice, {}", first, ranking, system, models)
    for name, code in facets.items():
        _refuse(
            code[first] != code[second], f"has several levels of {name}; one is of {{}}", first, ranking, system, models
        )
    ahead = np.sign(places.values[places.codes[second]] - places.values[places.codes[first]])
    outcome = np.where(ahead > 0, np.int8(A), np.where(ahead < 0, np.int8(B), np.int8(TIE)))
    if not ties:
        said = (ahead != 0) | (places.values[places.codes[first]] % 1 != 0)
        first, second, outcome = first[said], second[said], outcome[said]
    left, lone = len(ranking) - len(rows), int((sizes == 1).sum())
    notes = [Note(f"rank: {left:,} rows without a place or a ranking are left out")] * bool(left)
    notes += [Note(f"rank: {lone:,} rankings of one system are left out")] * bool(lone)
    return RankedPairs(first, second, outcome, tuple(notes))


def _refuse(bad: Bools, what: str, row: Ints, ranking: Codes, system: Codes, models: tuple[str, ...]) -> None:
    """Refuse a ranking that is none, by its place among rankings and a system."""
    if bad.any():
        at = row[int(bad.argmax())]
        start = int(np.flatnonzero(ranking == ranking[at])[0]) + 1
        raise InvalidData(f"rank: the ranking that starts in row {start} {what.format(models[system[at]])}")


SCORE = "score"
OUTCOMES: Mapping[str, float] = {"a": 1.0, "tie": 0.5, "b": 0.0}
"""What the score of a pair says, whichever response was shown first."""

_DEFAULTS = {"model_a": "model_a", "model_b": "model_b", "winner": "winner"}
_ROLES = {PROMPT: ITEM, "prompt_type": CATEGORY, JUDGE: JUDGE, "order": "order", "time": "at"}
_NAMES = {PROMPT: "variant"}
"""Facets of a ledger whose names mean something else of votes: there a prompt is what two systems answered."""


def as_votes(
    file: Opened, path: Places, declared: Mapping[str, Any], outcomes: object
) -> tuple[Mapping[str, Any], object]:
    """What the caller declares of a ledger, completed by what a ledger's columns mean.

    Raises
    ------
    InvalidInput
        If the ledger does not say which two systems a score compares.
    InvalidData
        If it has judgments of pairs and of single responses.
    """
    if declared["pair"] != _DEFAULTS or declared["wins"]:
        return declared, outcomes
    if file.instead is not None:
        raise InvalidInput(
            f"source: {title_of(path)} holds scores: use quorate.read, or read it as votes with "
            + argument("part", file.instead)
        )
    if not file.pairs:
        raise InvalidInput(
            f"source: {title_of(path)} holds scores and does not name two systems: use quorate.read; a ledger has "
            "votes where its study says items.system_a and items.system_b"
        )
    unnamed = " OR ".join(f"trim({quoted(name)}) = ''" for name in PAIR)
    ((single, every),) = file.relation.aggregate(f"count(*) FILTER ({unnamed}), count(*)").fetchall()
    if single:
        raise InvalidData(
            f"source: {title_of(path)} holds both judgments of pairs and {single:,} (of {every:,}) that name no "
            "two systems; leave these out with " + argument("where", f"trim({quoted(PAIR[0])}) <> ''")
        )
    named = {**declared["declared"], **declared["facets"]}
    known = {role: column for role, column in _ROLES.items() if role not in named and column not in named.values()}
    roles = {role: column if column in file.columns else "" for role, column in known.items()} | declared["declared"]
    taken = {*PAIR, SCORE, *roles.values(), *declared["facets"].values()}
    others = {_NAMES.get(name, name): name for name in (*file.facets, REPLICATE) if name not in taken}
    others = {name: column for name, column in others.items() if name not in {*roles, *declared["facets"]}}
    pair = {"model_a": PAIR[0], "model_b": PAIR[1], "winner": SCORE}
    facets = {**declared["facets"], **others}
    return {**declared, "pair": pair, "declared": roles, "facets": facets}, OUTCOMES if outcomes is None else outcomes


_MOST_VOTES = 2**53
_MOST_HELD = 2_000_000
_OFFSET = r":[0-9.]*[+-][0-9:]+\s*$"


@dataclass(frozen=True)
class VoteColumns:
    """The columns that play a role.

    Parameters
    ----------
    labels : mapping of str to Coded
        By column.
    numbers : mapping of str to array of float64, shape (rows,)
        By column; whole and not negative.
    time : array of float64, shape (rows,), optional
        Seconds since 1970 in UTC if ``dated``, else the numbers of the column; nan where there is none.
    dated : bool
        Whether the column of the time holds dates.
    rows : array of int64, shape (entries,), optional
        Rows of the source that each entry stands for; None if one each.
    """

    labels: Mapping[str, Coded]
    numbers: Mapping[str, Floats]
    time: Floats | None = None
    dated: bool = False
    rows: Ints | None = None


def from_frame(frame: nw.DataFrame[Any], roles: VoteRoles) -> VoteColumns:
    """The columns of a frame in memory.

    Raises
    ------
    InvalidData
        If a column holds lists or records, a count is not a whole number, or a time cannot be read.
    """
    from quorate.table.collapse.eager import coded, label_series

    labels = {name: coded(label_series(frame[name])) for name in roles.labels}
    numbers = {}
    for name in roles.numbers:
        numbers[name] = _frame_numbers(frame[name])
        _refuse_counts(numbers[name], name, frame[name].__getitem__)
    if roles.time is None:
        return VoteColumns(labels, numbers)
    time, empty, dated = _frame_time(frame[roles.time])
    _refuse_times(time, empty, roles.time, frame[roles.time].__getitem__)
    return VoteColumns(labels, numbers, time, dated)


def from_lazy(frame: nw.LazyFrame[Any], roles: VoteRoles) -> VoteColumns:
    """The columns of a lazy frame, rows that agree in all of them counted by its own engine.

    Raises
    ------
    InvalidData
        If a column holds lists or records, a count is not a whole number, or a time cannot be read.
    """
    import narwhals as nw

    used = list(dict.fromkeys([*roles.labels, *roles.numbers, *([] if roles.time is None else [roles.time])]))
    rows = "rows" + "_" * max(map(len, used))
    counted = frame.select(*used).group_by(used).agg(nw.len().alias(rows)).collect()
    columns = from_frame(counted, roles)
    return replace(columns, rows=np.asarray(counted[rows].to_numpy()).astype(np.int64))


def from_duckdb(opened: Opened, roles: VoteRoles, *, together: bool = False) -> VoteColumns:
    """The columns of a file or relation, read once.

    If ``together``, of rows that agree in all columns, which DuckDB counts; unless too few do.

    Raises
    ------
    InvalidData
        If a column holds lists or records, a count is not a whole number, or a time cannot be read.
    """
    if isinstance(opened.relation, Texts) and roles.time is None and not together:
        return _of_texts(dict(zip(opened.columns, opened.relation.held, strict=True)), roles)
    sql, kind = {name: quoted(inner) for name, inner in opened.inside.items()}, opened.kinds
    asked = [f"{_label(name, sql[name], kind[name])} AS l{i}" for i, name in enumerate(roles.labels)]
    for i, name in enumerate(roles.numbers):
        number = f"{sql[name]}::INTEGER::DOUBLE" if kind[name] == "BOOLEAN" else f"TRY_CAST({sql[name]} AS DOUBLE)"
        asked.append(f"{number} AS n{i}")
    if roles.time is not None:
        asked += [f"{text} AS t{i}" for i, text in enumerate(_time(sql[roles.time], kind[roles.time]))]
    rows, keys = opened.relation.project(", ".join(asked)), [f"l{i}" for i in range(len(roles.labels))]
    rows = _held(rows) if together else rows
    together = together and _repeat(rows)
    few = None if together else few_labelled(rows, keys)
    if together:
        made, got = labelled(rows.aggregate("*, count(*) AS rows", ", ".join(rows.columns)).materialize(), keys)
    else:
        rows = rows.project("*, row_number() OVER () AS place")
        made, got = few or labelled(rows.materialize(), keys, "place")
    stands_for = np.asarray(got.pop("rows"), dtype=np.int64) if together else None
    labels = {
        name: in_numeric_order(coded) if coded.values is None and not opened.typed else coded
        for name, coded in zip(roles.labels, made, strict=True)
    }
    numbers = {name: filled(got.pop(f"n{i}")) for i, name in enumerate(roles.numbers)}
    for name, values in numbers.items():
        _refuse_counts(values, name, _at(opened.relation, sql[name]))
    if roles.time is None:
        return VoteColumns(labels, numbers, rows=stands_for)
    plain, dates, empty = filled(got.pop("t0")), filled(got.pop("t1")), np.asarray(got.pop("t2"), dtype=np.bool_)
    time, dated = _one_clock(plain, dates)
    _refuse_times(time, empty, roles.time, _at(opened.relation, sql[roles.time]))
    return VoteColumns(labels, numbers, time, dated)


def _of_texts(held: Mapping[str, Cells], roles: VoteRoles) -> VoteColumns:
    """The columns of few rows of text."""
    labels = {}
    for name in roles.labels:
        absent = np.array([cell is None for cell in held[name]], dtype=np.bool_)
        labels[name] = in_numeric_order(encode(np.array(held[name], dtype=object), absent))
    counts = {}
    for name in roles.numbers:
        found = [math.nan if one is None else one for one in numbers([cell or "" for cell in held[name]])]
        counts[name] = np.array(found, dtype=np.float64)
        _refuse_counts(counts[name], name, held[name].__getitem__)
    return VoteColumns(labels, counts)


def _held(rows: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The rows in memory, so that what is asked of them twice is read once, unless they are many."""
    held = rows.limit(_MOST_HELD).materialize()
    return held if len(held) < _MOST_HELD else rows


def _repeat(rows: duckdb.DuckDBPyRelation) -> bool:
    """Whether rows agree so often that counted together they are less than half as many."""
    asked = f"count(*), approx_count_distinct(hash({', '.join(rows.columns)}))"
    everything, kinds = rows.aggregate(asked).fetchall()[0]
    return bool(2 * kinds < everything)


def _frame_numbers(column: nw.Series[Any]) -> Floats:
    import narwhals as nw

    from quorate.table.collapse.eager import has_numbers

    if has_numbers(column.dtype):
        return np.asarray(column.cast(nw.Float64).fill_null(math.nan).to_numpy(), dtype=np.float64)
    return np.array([_number(entry) for entry in column.to_list()], dtype=np.float64)


def _frame_time(column: nw.Series[Any]) -> tuple[Floats, NDArray[np.bool_], bool]:
    """Times, where there is none, and whether they are dates."""
    import narwhals as nw

    from quorate.table.collapse.eager import has_numbers

    empty = np.asarray(column.is_null().to_numpy(), dtype=np.bool_)
    if has_numbers(column.dtype):
        return _frame_numbers(column), empty, False
    if isinstance(column.dtype, (nw.Datetime, nw.Date)):
        stamps = column.cast(nw.Datetime("us")) if isinstance(column.dtype, nw.Date) else column
        return _frame_numbers(stamps.dt.timestamp("us")) / 1e6, empty, True
    entries = [None if gone else entry for entry, gone in zip(column.to_list(), empty.tolist(), strict=True)]
    plain = np.array([_number(entry) for entry in entries], dtype=np.float64)
    dates = np.full(len(entries), math.nan)
    for row, entry in enumerate(entries):
        with suppress(ValueError):  # a date is in UTC unless it says otherwise
            moment = datetime.fromisoformat(str(entry).strip())
            dates[row] = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    blank = np.array([entry is None or not str(entry).strip() for entry in entries], dtype=np.bool_)
    time, dated = _one_clock(plain, dates)
    return time, blank, dated


def _one_clock(plain: Floats, dates: Floats) -> tuple[Floats, bool]:
    """Times as numbers if any is a number, as dates otherwise: never both in one column."""
    return (plain, False) if np.isfinite(plain).any() else (dates, bool(np.isfinite(dates).any()))


def _number(entry: object) -> float:
    value = None if isinstance(entry, bool) else number(entry)
    return math.nan if value is None else value


def _label(name: str, column: str, kind: str) -> str:
    grouped = label_in_sql(column, kind)
    if grouped is None:
        raise InvalidData(
            f'column "{name}" holds {kind.lower()}; votes need text, numbers, booleans or dates: name a column '
            "of these, such as " + argument("winner", ...)
        )
    return grouped


def _time(column: str, kind: str) -> tuple[str, str, str]:
    """Times as numbers, as dates, and whether there is none."""
    text = kind == "VARCHAR" or kind.startswith("ENUM")
    empty = f"({column} IS NULL" + (f" OR trim({column}::VARCHAR) = '')" if text else ")")
    if kind.startswith(("TIMESTAMP", "DATE")):
        return "NULL::DOUBLE", f"epoch({column})::DOUBLE", empty
    if text:
        # a cast to TIMESTAMP drops an offset in silence; one to TIMESTAMPTZ takes a bare time as local
        offset = f"regexp_matches({column}::VARCHAR, '{_OFFSET}')"
        zoned, bare = (f"epoch(TRY_CAST({column}::VARCHAR AS {name}))" for name in ("TIMESTAMPTZ", "TIMESTAMP"))
        return f"TRY_CAST({column}::VARCHAR AS DOUBLE)", f"CASE WHEN {offset} THEN {zoned} ELSE {bare} END", empty
    return f"TRY_CAST({column} AS DOUBLE)", "NULL::DOUBLE", empty


def _at(relation: duckdb.DuckDBPyRelation, column: str) -> Callable[[int], object]:
    """What stands in a row of a column, for messages."""
    return lambda row: relation.project(column).limit(1, row).fetchall()[0][0]


def _refuse_counts(values: Floats, column: str, at: Callable[[int], object]) -> None:
    bad = ~((values >= 0) & (values == np.floor(values)) & (values <= _MOST_VOTES))
    if bad.any():
        row = int(bad.argmax())
        raise InvalidData(
            f'column "{column}": {_entry(at(row))} in row {row + 1} is not a count of votes '
            f"({int(bad.sum()):,} rows like this); use whole numbers from 0, or leave the column out with "
            + argument("count", "", group="roles")
        )


def _refuse_times(values: Floats, empty: NDArray[np.bool_], column: str, at: Callable[[int], object]) -> None:
    bad = ~np.isfinite(values) & ~empty
    if bad.any():
        row = int(bad.argmax())
        raise InvalidData(
            f'column "{column}": {_entry(at(row))} in row {row + 1} is not a time ({int(bad.sum()):,} rows like this); '
            "use dates such as 2024-05-01T12:00:00, or numbers, in the whole column, or "
            + argument("time", "", group="roles")
            + " to leave it out"
        )


def _entry(value: object) -> str:
    return "nothing" if value is None else shown(value)
