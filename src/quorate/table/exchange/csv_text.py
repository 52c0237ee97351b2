"""CSV and TSV: every column as text, by the names of the first line."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.format import (
    Format,
    Opened,
    head,
    is_utf16,
    literal,
    pattern,
    quoted,
    refuse_matrix,
    suffix_of,
)
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb

SUFFIXES = (".csv", ".tsv", ".txt")
_DECIMAL = re.compile(r"[+-]?\d+,\d+")
_LOOKED_AT = 2_000
"""Lines at the beginning that tell how a file is written."""
_DELIMITERS = (",", "\t", ";", "|")


def open_csv(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """Lines of delimited text: with tabs where the name says TSV, else with what its header has most of."""
    text = head(path)
    delimiter = delimiter_of(path, text)
    try:
        names: Sequence[str] = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        raise InvalidData(f"{path}: line 1 is not a header ({error})") from error
    if not names:
        raise InvalidData(f"{path}: is empty; the first line must name the columns")
    refuse_matrix(path, len(names))
    columns = tuple(name.strip() or f"column{place}" for place, name in enumerate(names, 1))
    repeated = next((name for name, times in Counter(columns).items() if times > 1), None)
    if repeated is not None:
        raise InvalidData(f'{path}: two columns are named "{repeated}"; rename one')
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns)))
    encoding = ", encoding='utf-16'" if is_utf16(path) else ""
    relation = connection.sql(
        f"SELECT * FROM read_csv({pattern(path)}, delim={literal(delimiter)}, quote='\"', escape='\"', header=true, "
        f"auto_detect=false, hive_partitioning=false, columns={{{types}}}{encoding})"
    )
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # the last line may be cut off, and what is broken is for the engine
        rows.extend(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1, _LOOKED_AT))
    opened = _below_header(Opened(relation, columns, typed=False), rows)
    return _with_points(opened, rows) if delimiter == ";" else opened


def _below_header(opened: Opened, rows: Sequence[Sequence[str]]) -> Opened:
    """Without the two lines that Qualtrics writes below the header: questions, and their ids as JSON."""
    if len(rows) < 2 or not rows[1] or not all('"ImportId"' in cell for cell in rows[1] if cell):
        return opened
    first, second = (quoted(name) for name in (*opened.relation.columns[:1], opened.relation.columns[-1]))
    ids = f"starts_with({first}, '{{\"ImportId\"')"
    questions = f"({first} = {literal(rows[0][0])} AND coalesce({second}, '') = {literal(rows[0][-1])})"
    kept = opened.relation.filter(f"NOT coalesce({ids} OR {questions}, false)")
    note = Note("Qualtrics: the two lines below the header, of questions and their ids, left out")
    return replace(opened, relation=kept, notes=(*opened.notes, note))


def _with_points(opened: Opened, rows: Sequence[Sequence[str]]) -> Opened:
    """Decimals with points, where columns between semicolons have them with commas, as far as their beginning shows."""
    shown, found = [], []
    for place, (name, inner) in enumerate(zip(opened.columns, opened.relation.columns, strict=True)):
        values = [row[place].strip() for row in rows if place < len(row) and row[place].strip()]
        decimal = [value for value in values if _DECIMAL.fullmatch(value)]
        if decimal and all(_DECIMAL.fullmatch(value) or value.lstrip("+-").isdigit() for value in values):
            found.append(name)
            shown.append(f"replace({quoted(inner)}, ',', '.') AS {quoted(inner)}")
        else:
            shown.append(quoted(inner))
    if not found:
        return opened
    note = Note(f"decimals are written with a comma in {', '.join(found)}")
    return replace(opened, relation=opened.relation.project(", ".join(shown)), notes=(*opened.notes, note))


def delimiter_of(path: Path, text: str) -> str:
    """What stands between the columns of a file that begins like this."""
    unquoted = re.sub(r'"[^"]*"', "", text)
    header = re.split(r"[\r\n]", unquoted.lstrip("\r\n"), maxsplit=1)[0]
    return "\t" if suffix_of(path) == ".tsv" else max(_DELIMITERS, key=header.count)


FORMAT = Format("csv", open_csv, suffixes=SUFFIXES)
