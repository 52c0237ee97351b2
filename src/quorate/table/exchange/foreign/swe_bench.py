"""SWE-bench: the report of a run, which lists the instances that were submitted and those that were resolved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.records import Records, document, list_at, name_at, no_parts, refuse_lacking
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb


_SUBMITTED, _RESOLVED = "submitted_ids", "resolved_ids"
_BESIDE = ("submitted_instances", "resolved_instances", "completed_ids", "total_instances")
"""Keys of which a report has several before its long lists."""


def claims(glance: Glance) -> bool:
    """Whether it is one object of the lists of a report."""
    keys = glance.record.keys()
    return not glance.array and (len(keys & {*_BESIDE}) >= 2 or {_SUBMITTED, _RESOLVED} <= keys)


def _read_report(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each instance that was submitted: 1 if it was resolved, 0 also where its patch was empty or failed.

    Raises
    ------
    InvalidData
        If the file is not such a report, or resolved what was not submitted.
    InvalidInput
        If a part is named.
    """
    no_parts(part, path)
    report = document(path, "name the reports of the runs")
    refuse_lacking(report, (_SUBMITTED, _RESOLVED), f"{path}:", "SWE-bench")
    submitted, resolved = (
        [name_at(one, f"{path}: {name}") for one in list_at(report[name], f"{path}: {name}")]
        for name in (_SUBMITTED, _RESOLVED)
    )
    strange = sorted({*resolved} - {*submitted})
    if strange:
        raise InvalidData(f"{path}: {strange[0]} is resolved and not submitted")
    if not submitted:
        raise InvalidData(f"{path}: nothing was submitted")
    records, solved = Records("item", "score"), {*resolved}
    for instance in dict.fromkeys(submitted):
        records.add(item=instance, score=float(instance in solved))
    left = len(report.get("incomplete_ids") or ())
    notes = [Note("SWE-bench: score = 1 where an instance that was submitted is resolved")]
    notes += [Note(f"{counted(left, 'instance')} not submitted: left out")] if left else []
    return records.opened(connection, "scores", notes=notes)


SIGHT = ('"submitted_ids"', '"resolved_ids"', '"submitted_instances"', '"resolved_instances"')
FORMAT = Format("swe-bench", _read_report, claims=claims, tool=True, holds=lambda _: "scores")
