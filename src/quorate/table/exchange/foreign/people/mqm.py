"""MQM: errors that raters marked in translations, a row for each, as WMT publishes them."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.table.columns.languages import plain
from quorate.table.exchange.csv_text import delimiter_of
from quorate.table.exchange.encoding import encoding_of, notes_of
from quorate.table.exchange.foreign.records import Records, csv_rows, no_parts
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


_SEGMENTS = ("globalsegid", "global_seg_id", "seg_id")
"""Columns of the number of a segment among all."""
_DOCUMENTS = ("doc", "document")
_NEEDED = {"system", "rater", "category", "severity"}
_NONE = ("no_error", "neutral")
_WEIGHTS = {"major": 5.0, "minor": 1.0, **dict.fromkeys(_NONE, 0.0)}
_UNTRANSLATED, _PUNCTUATION = 25.0, 0.1
"""What a text that is no translation, and a minor error of punctuation, weigh."""


def claims(glance: Glance) -> bool:
    """Whether rows are errors of systems by severity, and one of the first says that there was none."""
    names = {*map(plain, glance.header)}
    return names >= _NEEDED and bool(names & {*_SEGMENTS}) and "no-error" in glance.text.lower()


def _read_errors(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each translation that somebody rated: minus the weights of the errors that they marked.

    Raises
    ------
    InvalidData
        If a severity has no weight, or a row does not say whose translation it is of.
    InvalidInput
        If a part is named.
    """
    no_parts(part, path)
    delimiter = delimiter_of(path, Glance(path).text)
    quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    rows = csv_rows(path, partial(csv.DictReader, delimiter=delimiter, quoting=quoting))
    names = {plain(name): name for name in (rows[0] if rows else ()) if isinstance(name, str)}
    segment = next((names[one] for one in _SEGMENTS if one in names), None)
    if segment is None or not names.keys() >= _NEEDED:
        raise InvalidData(f"{path}: has no columns of system, segment, rater, category and severity")
    document = next((names[one] for one in _DOCUMENTS if one in names), None)
    found: dict[tuple[str, str, str, str | None], float] = {}
    for number, row in enumerate(rows, 2):
        where = f"{path}: line {number}"
        system, rater, item = (_said(row, name, where) for name in (names["system"], names["rater"], segment))
        key = (system, rater, item, row[document] if document else None)
        found[key] = found.get(key, 0.0) - _weight(row[names["category"]], row[names["severity"]], where)
    records = Records("item", "doc", "system", "judge", "score")
    for (system, rater, item, doc), score in found.items():
        records.add(item=item, doc=doc, system=system, judge=rater, score=score)
    notes = [
        *notes_of(encoding_of(path)),
        Note("MQM: score = minus the weights of errors: major 5, minor 1, punctuation 0.1, no translation 25"),
    ]
    return records.opened(connection, "scores", facets=("doc",), notes=notes, nested={"item": "doc"})


def _said(row: dict[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidData(f"{where} has no {name}")
    return value


def _weight(category: Any, severity: Any, where: str) -> float:
    """What an error weighs, as WMT weighs them since 2020."""
    kind, degree = plain(str(category)), plain(str(severity))
    if degree not in _WEIGHTS:
        raise InvalidData(f'{where}: severity "{severity}" has no weight; known are no-error, neutral, minor and major')
    if degree == "major" and kind.startswith("non_translation"):
        return _UNTRANSLATED
    return _PUNCTUATION if (degree, kind) == ("minor", "fluency_punctuation") else _WEIGHTS[degree]


SIGHT = ("severity", "Severity")
FORMAT = Format("mqm", _read_errors, claims=claims, tool=True, holds=lambda _: "scores")
