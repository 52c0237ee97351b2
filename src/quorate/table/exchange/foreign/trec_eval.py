"""trec_eval: measures of every query, as ``trec_eval -q`` prints them, in lines of measure, query and value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.frozen import dataclass
from quorate.table.exchange.encoding import binary
from quorate.table.exchange.foreign.records import Records, chosen
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


_LINE = re.compile(r"(\w+)\s+(\S+)\s+(-?[\d.]+(?:e-?\d+)?)\s*", re.IGNORECASE)
_RUN = re.compile(r"runid\s+\S+\s+(.*?)\s*")
_COUNTS = re.compile(r"num_\w+|relstring\w*|runid")
_MEASURES = re.compile(
    r"map|gm_map|Rprec|bpref|recip_rank|infAP|ndcg\w*|P_\d+|recall_\d+|iprec_at_recall_\w+|set_\w+|map_cut_\d+"
)
_ALL = "all"


@dataclass(frozen=True)
class Line:
    """A line that is not blank.

    Parameters
    ----------
    place : int
        From one.
    measure, query : str
        ``runid`` and ``all`` of the line that names a run.
    value : str
        A number, or the run.
    """

    place: int
    measure: str
    query: str
    value: str


Run = tuple[str | None, list[Line]]
"""What a run is called, if that is said, and its measures of single queries."""


def claims(glance: Glance) -> bool:
    """Whether its first lines are measures of queries, by their names."""
    lines = [line for line in glance.text.splitlines()[:-1] if line.strip()]
    found = [_LINE.fullmatch(line) for line in lines if not line.startswith("runid")]
    named = [match[1] for match in found if match and (_MEASURES.fullmatch(match[1]) or _COUNTS.fullmatch(match[1]))]
    return len(named) == len(found) > 1


def _read_measures(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each measure of each query; those of all queries together, and counts, are left out.

    Runs one after another are systems, each named by the line that trec_eval writes below its queries.

    Parameters
    ----------
    part : str, optional
        The measures that are read; several are levels of ``measure``.

    Raises
    ------
    InvalidData
        If a line is no measure of a query, only those of all queries are there, or runs cannot be told apart.
    InvalidInput
        If there are several measures and none is named.
    """
    runs = _runs(_lines(path), path)
    found: dict[str, dict[tuple[str | None, str], float]] = {}
    for name, lines in runs:
        for line in lines:
            own = found.setdefault(line.measure, {})
            key = (name if len(runs) > 1 else None, line.query)
            if key in own:
                raise InvalidData(
                    f"{path}: line {line.place} has {line.measure} of query {line.query} once more, and no line "
                    '"runid" says of which run; write the runs in files of their own'
                )
            own[key] = float(line.value)
    if not found:
        raise InvalidData(f"{path}: holds averages of all queries alone; run trec_eval with -q")
    queries = dict.fromkeys(key for values in found.values() for key in values)
    measures = chosen(
        part, {name: [values.get(one, float("nan")) for one in queries] for name, values in found.items()}, "measure"
    )
    records = Records("item", "system", "measure", "score")
    for measure in measures:
        for (run, query), value in found[measure].items():
            records.add(item=query, system=run, measure=measure if len(measures) > 1 else None, score=value)
    notes = [Note(f"trec_eval: score = measure {', '.join(measures)}; item = the query")]
    notes += [Note("system = runid, below the queries of each")] if len(runs) > 1 else []
    return records.opened(connection, "scores", facets=("measure",), notes=notes)


def _lines(path: Path) -> list[Line]:
    with TextIOWrapper(binary(path), encoding="utf-8", errors="replace") as stream:
        lines = stream.read().splitlines()
    held = []
    for place, line in enumerate(lines, 1):
        match, run = _LINE.fullmatch(line), _RUN.fullmatch(line)
        if run is not None:
            held.append(Line(place, "runid", _ALL, run[1]))
        elif match is not None:
            held.append(Line(place, match[1], match[2], match[3]))
        elif line.strip():
            raise InvalidData(f"{path}: line {place} is no measure, query and value")
    return held


def _runs(lines: Sequence[Line], path: Path) -> list[Run]:
    """Every run: the queries above its lines of all of them, where trec_eval names it.

    Raises
    ------
    InvalidData
        If names stand above the queries of some, so that it is not sure whose they are, or one comes twice.
    """
    runs: list[Run] = []
    queries: list[Line] = []
    named = False
    for line in lines:
        if line.query != _ALL:
            if named:
                queries, named = [], False
            queries += [] if _COUNTS.fullmatch(line.measure) else [line]
        elif line.measure == "runid":
            if named and queries:
                raise InvalidData(f"{path}: line {line.place} names the queries above it a second time")
            runs.append((line.value, queries))
            named = True
    with_queries = [run for run in runs if run[1]]
    rest = [] if named else queries
    if len(with_queries) < len(runs) and len(with_queries) + bool(rest) > 1:
        raise InvalidData(f"{path}: a run is named where no queries are above it; write the runs in files of their own")
    names = [name for name, _ in with_queries]
    for name in names:
        if names.count(name) > 1:
            raise InvalidData(f'{path}: two runs are named "{name}"; write each in a file of its own')
    unnamed: list[Run] = [(None, rest)] if rest else []
    if with_queries and unnamed:
        raise InvalidData(f"{path}: the last queries have no runid below them; the file is cut off: export it again")
    return with_queries + unnamed


SIGHT = ("map", "ndcg", "recip_rank", "P_", "num_ret", "Rprec")
FORMAT = Format("trec-eval", _read_measures, claims=claims, tool=True, holds=lambda _: "scores")
