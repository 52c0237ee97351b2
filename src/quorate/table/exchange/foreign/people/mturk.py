"""Mechanical Turk: the results of a batch, a row for each assignment, whose last columns may be cut off."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.roles import ITEM, SYSTEM
from quorate.table.columns.names import REMARKS, is_id, is_judged, words_of
from quorate.table.columns.vote_roles import has_pairs
from quorate.table.exchange.encoding import encoding_of, notes_of
from quorate.table.exchange.foreign.records import (
    Records,
    absent,
    chosen,
    columns_of,
    csv_rows,
    labelled,
    name_at,
    scores_of,
    unread,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb


_HIT, _WORKER, _STATUS = "HITId", "WorkerId", "AssignmentStatus"
_ANSWER, _INPUT = "Answer.", "Input."
_OPTION = re.compile(r"(.+)\.([^.]+)")

Row = Mapping[str, str | None]


def claims(glance: Glance) -> bool:
    """Whether its columns are those of assignments, with answers."""
    answers = any(name.startswith(_ANSWER) for name in glance.header)
    sides = has_pairs([name.removeprefix(_INPUT) for name in glance.header])  # which is a table of votes
    return {_HIT, _WORKER} <= set(glance.header) and answers and not sides


def _read_batch(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each answer of an assignment; those of work that was rejected have no score.

    Parameters
    ----------
    part : str, optional
        The answers that are read; several are levels of ``criterion``.

    Raises
    ------
    InvalidData
        If the file is not such a table, or nothing was answered.
    InvalidInput
        If there are several answers and none is named.
    """
    rows: list[Row] = csv_rows(path, partial(csv.DictReader, restkey=""))  # last columns of a row may be cut off
    if not rows:
        raise InvalidData(f"{path}: holds no assignment")
    every = {name: scores_of(answers) for name, answers in _answers(rows).items()}
    found = {name: scores for name, scores in every.items() if not all(map(absent, scores))}
    found = {name: scores for name, scores in found.items() if not {*words_of(name)} & {*REMARKS, "comment"}} or found
    if not found:
        raise InvalidData(f"{path}: no column {_ANSWER}<name> holds anything")
    read = chosen(part, found, "answer")
    columns = columns_of((name.removeprefix(_INPUT) for name in rows[0] if name.startswith(_INPUT)), "scores")
    judged = [name for name in columns if is_id(name) and is_judged(name)]
    if SYSTEM in columns.values() and ITEM not in columns.values() and len(judged) == 1:  # a HIT is of one system
        columns = {**columns, judged[0]: ITEM}
    records = Records(ITEM, *columns.values(), "judge", "criterion", "score", "status")
    rejected = 0
    for place, row in enumerate(rows):
        where = f"{path}: row {place + 1}"
        given = {name.removeprefix(_INPUT): value for name, value in row.items() if name.startswith(_INPUT)}
        labels = {ITEM: name_at(row.get(_HIT), f"{where}: {_HIT}"), **labelled(given, columns)}
        refused = (row.get(_STATUS) or "").strip().lower() == "rejected"
        rejected += refused
        for name in read:
            score = None if refused else found[name][place]
            records.add(
                **labels,
                judge=name_at(row.get(_WORKER), f"{where}: {_WORKER}"),
                criterion=name if len(read) > 1 else None,
                score=score,
                status="refused" if refused else "ok",
            )
    left = [name for name in every if name not in read]
    notes = [
        *notes_of(encoding_of(path)),
        Note(f"Mechanical Turk: score = answer {', '.join(read)}; item = {_columns_item(columns)}"),
    ]
    notes += [Note(f"{counted(rejected, 'assignment')} rejected: without a score")] if rejected else []
    notes += unread(left)
    return records.opened(connection, "scores", facets=("criterion",), notes=notes)


def _columns_item(columns: Mapping[str, str]) -> str:
    """What says the item: a field of the input, else the HIT."""
    return next((f"{_INPUT}{name}" for name, column in columns.items() if column == ITEM), _HIT)


def _answers(rows: Sequence[Row]) -> dict[str, list[str | None]]:
    """What every assignment answered, by name; of radio buttons, a column each, the one that is set."""
    names = [name.removeprefix(_ANSWER) for name in rows[0] if name.startswith(_ANSWER)]
    columns = {name: [(row.get(_ANSWER + name) or "").strip() or None for row in rows] for name in names}
    buttons: dict[str, dict[str, list[str | None]]] = {}
    for name, values in columns.items():
        match = _OPTION.fullmatch(name)
        if match is not None and {value.lower() for value in values if value} <= {"true", "false"}:
            buttons.setdefault(match[1], {})[match[2]] = values
    out = {name: values for name, values in columns.items() if not any(name.startswith(f"{one}.") for one in buttons)}
    for name, options in buttons.items():
        pressed = [
            [one for one, values in options.items() if (values[at] or "").lower() == "true"] for at in range(len(rows))
        ]
        out[name] = [one[0] if len(one) == 1 else None for one in pressed]
    return out


SIGHT = ("HITId",)
FORMAT = Format("mturk", _read_batch, claims=claims, tool=True, holds=lambda _: "scores")
