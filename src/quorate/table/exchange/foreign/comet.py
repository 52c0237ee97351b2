"""COMET: scores of segments of every system, as ``comet-score`` prints them among other lines of a log."""

from __future__ import annotations

import re
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.encoding import binary
from quorate.table.exchange.foreign.records import Records, no_parts
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


_LINE = re.compile(r"(?:(.+?)\t\s*)?Segment (\d+)\s+score:\s*(-?[\d.]+(?:e-?\d+)?|nan)\s*", re.IGNORECASE)


def claims(glance: Glance) -> bool:
    """Whether two of its first lines are scores of segments."""
    return sum(_LINE.fullmatch(line) is not None for line in glance.text.splitlines()) >= len("ab")


def _read_segments(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each segment of each system; the score of a whole system is left out.

    Raises
    ------
    InvalidData
        If a system has a segment twice.
    InvalidInput
        If a part is named.
    """
    no_parts(part, path)
    records, seen = Records("item", "system", "score"), dict[tuple[str | None, str], int]()
    with TextIOWrapper(binary(path), encoding="utf-8", errors="replace") as stream:
        lines = stream.read().splitlines()
    for place, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        system, segment, score = match.groups()
        if (system, segment) in seen:
            before = seen[system, segment]
            raise InvalidData(f"{path}: lines {before} and {place} both have segment {segment}; keep one of two runs")
        seen[system, segment] = place
        records.add(item=segment, system=system, score=float(score))
    if not seen:
        raise InvalidData(f"{path}: holds no score of a segment; run comet-score without --only_system")
    return records.opened(
        connection, "scores", notes=[Note("comet-score: item = the segment; those of systems left out")]
    )


SIGHT = ("Segment ",)
FORMAT = Format("comet", _read_segments, claims=claims, tool=True, holds=lambda _: "scores")
