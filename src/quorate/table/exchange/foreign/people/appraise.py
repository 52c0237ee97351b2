"""Appraise: direct assessments of translations as campaigns export them, a CSV without names of its columns."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.encoding import encoding_of, notes_of
from quorate.table.exchange.foreign.records import Records, csv_rows, name_at, number_at
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb

_LINE = re.compile(
    r"([^,\n]+,){2}\d+,(TGT|BAD|REF|CHK),[a-z]{2,3},[a-z]{2,3},\d+(\.\d+)?,[^,\n]*,(True|False),", re.IGNORECASE
)
"""Who judged, system, segment, its kind, two languages, the score, the document, and whether it is all of it."""
_FIELDS, _SCORED = 9, "TGT"


def claims(glance: Glance) -> bool:
    """Whether its first line is such an assessment."""
    return _LINE.match(glance.text) is not None


def _read_scores(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:  # noqa: ARG001
    """A row for each segment that was scored; checks of who judged, and scores of whole documents, are left out.

    Raises
    ------
    InvalidData
        If a line is no such assessment.
    """
    rows = Records("item", "document", "system", "judge", "score")
    checks = whole = 0
    for number, line in enumerate(filter(None, csv_rows(path, csv.reader)), 1):
        if len(line) < _FIELDS:
            raise InvalidData(f"{path}: line {number} has {len(line)} values, and an assessment {_FIELDS} or more")
        judge, system, segment, kind, _, _, score, document, entire, *_ = line
        where = f"{path}: line {number}"
        checks += kind != _SCORED
        whole += kind == _SCORED and entire == "True"
        if kind == _SCORED and entire != "True":
            rows.add(
                item=f"{document} {segment}",
                document=document,
                system=name_at(system, f"{where}: system"),
                judge=name_at(judge, f"{where}: who judged"),
                score=number_at(score, f"{where}: score"),
            )
    said = [Note(f"{counted(checks, 'check')} of who judged left out")] if checks else []
    said += [Note(f"{counted(whole, 'document')} scored as a whole left out")] if whole else []
    notes = (Note("Appraise: item = document and segment"), *said, *notes_of(encoding_of(path)))
    return rows.opened(connection, "scores", notes=notes)


SIGHT = (",TGT,",)
FORMAT = Format("appraise", _read_scores, claims=claims, tool=True, holds=lambda _: "scores")
