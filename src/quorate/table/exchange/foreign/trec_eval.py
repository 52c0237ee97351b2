"""trec_eval: measures of every query, as ``trec_eval -q`` prints them, in lines of measure, query and value."""

from __future__ import annotations

import re
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.encoding import binary
from quorate.table.exchange.foreign.records import Records, chosen
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


_LINE = re.compile(r"(\w+)\s+(\S+)\s+(-?[\d.]+(?:e-?\d+)?)\s*", re.IGNORECASE)
_COUNTS = re.compile(r"num_\w+|relstring\w*|runid")
_MEASURES = re.compile(
    r"map|gm_map|Rprec|bpref|recip_rank|infAP|ndcg\w*|P_\d+|recall_\d+|iprec_at_recall_\w+|set_\w+|map_cut_\d+"
)
_ALL = "all"


def claims(glance: Glance) -> bool:
    """Whether its first lines are measures of queries, by their names."""
    lines = [line for line in glance.text.splitlines()[:-1] if line.strip()]
    found = [_LINE.fullmatch(line) for line in lines if not line.startswith("runid")]
    named = [match[1] for match in found if match and (_MEASURES.fullmatch(match[1]) or _COUNTS.fullmatch(match[1]))]
    return len(named) == len(found) > 1


def _read_measures(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each measure of each query; those of all queries together, and counts, are left out.

    Parameters
    ----------
    part : str, optional
        The measures that are read; several are levels of ``measure``.

    Raises
    ------
    InvalidData
        If a line is no measure of a query, or only those of all queries are there.
    InvalidInput
        If there are several measures and none is named.
    """
    found: dict[str, dict[str, float]] = {}
    with TextIOWrapper(binary(path), encoding="utf-8", errors="replace") as stream:
        lines = stream.read().splitlines()
    for place, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None and line.strip() and not line.startswith("runid"):
            raise InvalidData(f"{path}: line {place} is no measure, query and value")
        if match is None or match[2] == _ALL or _COUNTS.fullmatch(match[1]):
            continue
        found.setdefault(match[1], {})[match[2]] = float(match[3])
    if not found:
        raise InvalidData(f"{path}: holds averages of all queries alone; run trec_eval with -q")
    queries = dict.fromkeys(query for values in found.values() for query in values)
    measures = chosen(
        part, {name: [values.get(one, float("nan")) for one in queries] for name, values in found.items()}, "measure"
    )
    records = Records("item", "measure", "score")
    for measure in measures:
        for query, value in found[measure].items():
            records.add(item=query, measure=measure if len(measures) > 1 else None, score=value)
    notes = [Note(f"trec_eval: score = measure {', '.join(measures)}; item = the query")]
    return records.opened(connection, "scores", facets=("measure",), notes=notes)


SIGHT = ("map", "ndcg", "recip_rank", "P_", "num_ret", "Rprec")
FORMAT = Format("trec-eval", _read_measures, claims=claims, tool=True, holds=lambda _: "scores")
