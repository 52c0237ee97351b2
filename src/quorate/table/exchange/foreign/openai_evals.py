"""OpenAI Evals: what a run recorded of every sample, as lines of events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.records import (
    Records,
    chosen,
    list_at,
    name_at,
    number_at,
    object_at,
    objects,
    unread,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


_EVENT = frozenset(("event_id", "sample_id", "type"))
_UNPARSED = "__invalid__"
METRICS, MATCH = "metrics", "match"

Score = tuple[float | None, str]
"""A score and its status."""


@dataclass
class Sample:
    """What is recorded of a sample: its scores by name, and whether something failed."""

    scores: dict[str, list[Score]] = field(default_factory=lambda: defaultdict(list))
    failed: bool = False


def claims(glance: Glance) -> bool:
    """Whether the first line says what is run, or is an event of a sample or the report of a run."""
    record = glance.record
    spec = record.get("spec")
    begun = isinstance(spec, dict) and {"completion_fns", "eval_name"} <= spec.keys()
    return begun or record.keys() >= _EVENT or {"final_report", "run_id"} <= record.keys()


def _read_events(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each score of a sample.

    Parameters
    ----------
    part : str, optional
        Which scores are read: ``metrics``, which models give, or ``match``.

    Raises
    ------
    InvalidData
        If a line is not what OpenAI Evals writes, or no sample has a score.
    InvalidInput
        If there are several kinds of scores and none is named.
    """
    specs: dict[str, dict[str, Any]] = {}
    samples: dict[tuple[str, str], Sample] = defaultdict(Sample)
    for number, line in objects(path):
        where = f"{path}: line {number}"
        if "spec" in line:
            spec = object_at(line["spec"], f"{where}: spec")
            specs[str(spec.get("run_id"))] = spec
        elif "final_report" not in line:
            event = name_at(line.get("sample_id"), f"{where}: sample_id")
            _record(samples[str(line.get("run_id")), event], line, where)
    found: dict[str, list[float | None]] = defaultdict(list)
    for sample in samples.values():
        for name, scores in sample.scores.items():
            found[name] += [score for score, _ in scores]
    if not found:
        raise InvalidData(f"{path}: no sample has a score; there is no event of type metrics or match")
    names = chosen(part, found, "score")
    rows = Records("item", "system", "judge", "replicate", "score", "status")
    seen: dict[object, int] = defaultdict(int)
    for (run, item), sample in samples.items():
        where = f"{path}: spec"
        named = list_at(specs.get(run, {}).get("completion_fns"), where)
        models = [name_at(one, f"{where}: completion_fns") for one in named]
        system, judge = models[0] if models else None, models[-1] if len(models) > 1 else None  # the last judges
        for name in names:
            own = judge if name != MATCH else None
            label = own if len(names) == 1 else name
            for score, status in sample.scores.get(name) or _absent(sample, name, found):
                seen[system, item, label] += 1
                rows.add(
                    item=item,
                    system=system,
                    judge=label,
                    replicate=seen[system, item, label],
                    score=score,
                    status=status,
                )
    left = [name for name in found if name not in names]
    notes = [Note(f"OpenAI Evals: {', '.join(names)} of every sample; {_UNPARSED} is no score")]
    return rows.opened(connection, "scores", notes=[*notes, *unread(left)])


def _record(sample: Sample, event: Mapping[str, Any], where: str) -> None:
    """Add what an event says of a sample; other events than scores and errors say nothing."""
    kind, data = event.get("type"), object_at(event.get("data"), f"{where}: data")
    sample.failed |= kind == "error"
    if kind == MATCH:
        sample.scores[MATCH].append((number_at(data.get("correct"), f"{where}: correct", truths=True), "ok"))
    elif kind == METRICS and data.get("choice") == _UNPARSED:
        sample.scores[METRICS].append((None, "unparsed"))
    elif kind == METRICS:
        for key, value in data.items():
            if key == "score" or (isinstance(value, (bool, int, float)) and key.isprintable()):
                name = METRICS if key == "score" else f"{METRICS}.{key}"
                sample.scores[name].append((number_at(value, f"{where}: {key}", truths=True), "ok"))


def _absent(sample: Sample, name: str, found: Mapping[str, object]) -> list[Score]:
    """What stands for a score that is not there: where models judge, a failure is of their grade, not of a match."""
    if sample.failed and name == MATCH and METRICS in found:
        return []
    return [(None, "error" if sample.failed else "ok")]


SIGHT = ("completion_fns", "event_id", "final_report")
FORMAT = Format("openai-evals", _read_events, claims=claims, tool=True, holds=lambda _: "scores")
