"""DeepEval: scores of metrics on test cases, in the file of a test run."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.frozen import dataclass
from quorate.roles import ITEM, PROMPT, SYSTEM
from quorate.table.columns.languages import plain
from quorate.table.columns.roles import ALIASES
from quorate.table.exchange.foreign.records import (
    Records,
    chosen,
    columns_of,
    document,
    identity,
    labelled,
    list_at,
    name_at,
    name_or_none,
    number_at,
    object_at,
    unread,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


_CASES = ("testCases", "conversationalTestCases")
_CASE = frozenset(("metricsData", "actualOutput", "turns"))
_UNNAMED = re.compile(r"(conversational_)?test_case_\d+")
_TEMPLATES = (*ALIASES[PROMPT], "prompt_template")
_LONG = 60


@dataclass(frozen=True)
class Verdict:
    """What a metric says of a test case: a metric that failed has no score."""

    metric: str
    judge: str
    score: float | None
    status: str


@dataclass(frozen=True)
class Case:
    """A test case.

    Parameters
    ----------
    name, text : str
        Its name, and what identifies it otherwise.
    verdicts : tuple of Verdict
    metadata : mapping
        What its author says of it.
    """

    name: str
    text: str
    verdicts: tuple[Verdict, ...]
    metadata: Mapping[str, Any]


def claims(glance: Glance) -> bool:
    """Whether it has test cases, with what was put out."""
    run = _run_of(glance.record)
    held = [run.get(key) for key in _CASES]
    first = next((one[0] for one in held if isinstance(one, list) and one), None)
    return isinstance(first, dict) and not _CASE.isdisjoint(first)


def _run_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The test run, which the file of the latest one holds beside its link."""
    held = record.get("testRunData")
    return held if isinstance(held, dict) else record


def read_run(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each metric and judge of a test case; a file is a replicate.

    Parameters
    ----------
    part : str, optional
        The metrics that are read.

    Raises
    ------
    InvalidData
        If the file is not what DeepEval writes.
    InvalidInput
        If there are several metrics and none is named.
    """
    run = _run_of(object_at(document(path, "evaluate fewer test cases in one run"), str(path)))
    held = [case for key in _CASES for case in list_at(run.get(key), f"{path}: {key}")]
    cases = [_case(object_at(one, f"{path}: test case {n}"), f"{path}: test case {n}") for n, one in enumerate(held, 1)]
    found: dict[str, list[float | None]] = defaultdict(list)
    for verdict in (verdict for case in cases for verdict in case.verdicts):
        found[verdict.metric].append(verdict.score)
    if not found:
        raise InvalidData(f"{path}: no test case has metricsData, which DeepEval writes for each metric")
    metrics = chosen(part, found, "metric")
    settings = _settings(object_at(run.get("hyperparameters"), f"{path}: hyperparameters"))
    content = hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()[:8]
    notes = [Note(f"DeepEval: metric {', '.join(metrics)}; the score is read, not whether it met its threshold")]
    left = [metric for metric in found if metric not in metrics]
    notes += unread(left)
    return _rows(cases, metrics, settings, content).opened(connection, "scores", notes=notes)


def _rows(cases: Sequence[Case], metrics: Sequence[str], settings: Mapping[str, str], content: str) -> Records:
    """The rows of a run, which is a replicate by its content: a copy of a file is the same one."""
    columns = columns_of(dict.fromkeys(key for case in cases for key in case.metadata), "scores")
    columns = {key: f"metadata.{key}" if column in settings else column for key, column in columns.items()}
    rows = Records(ITEM, *columns.values(), *settings, "judge", "replicate", "score", "status")
    judges = dict.fromkeys((one.metric, one.judge) for case in cases for one in case.verdicts if one.metric in metrics)
    for case, (item, repeat) in zip(cases, _items(cases, columns), strict=True):
        own = {**labelled(case.metadata, columns), **settings, ITEM: item}
        # a case that no metric was asked about, as when it broke off, lacks all of them
        verdicts = case.verdicts or tuple(Verdict(*judge, None, "ok") for judge in judges)
        for verdict in (verdict for verdict in verdicts if verdict.metric in metrics):
            judge = verdict.judge if len(metrics) == 1 else f"{verdict.metric} by {verdict.judge}"
            replicate = content if repeat == 0 else f"{content} {repeat + 1}"
            known = {"judge": judge, "replicate": replicate, "score": verdict.score, "status": verdict.status}
            rows.add(**{**own, **known})
    return rows


def _case(case: Mapping[str, Any], where: str) -> Case:
    text = next((case[key] for key in ("input", "scenario", "turns") if case.get(key)), "")
    return Case(
        name=name_or_none(case.get("name"), f"{where}: name") or "",
        text=text if isinstance(text, str) else json.dumps(text, sort_keys=True),
        verdicts=tuple(_verdicts(list_at(case.get("metricsData"), f"{where}: metricsData"), where)),
        metadata=object_at(case.get("metadata"), f"{where}: metadata"),
    )


def _verdicts(metrics: Sequence[Any], where: str) -> Iterator[Verdict]:
    seen: dict[tuple[str, str], int] = defaultdict(int)
    for number, one in enumerate(metrics, 1):
        metric = object_at(one, f"{where}: metric {number}")
        name = name_at(metric.get("name"), f"{where}: metric {number}: name")
        judge = name_or_none(metric.get("evaluationModel"), f"{where}: {name}: evaluationModel") or name
        seen[name, judge] += 1
        score, error = number_at(metric.get("score"), f"{where}: score of {name}"), metric.get("error")
        failed = error not in (None, "")
        status = ("unparsed" if "JSON" in str(error) else "error") if failed else "ok"
        label = judge if seen[name, judge] == 1 else f"{judge} {seen[name, judge]}"
        yield Verdict(name, label, None if failed else score, status)


def _settings(hyperparameters: Mapping[str, Any]) -> dict[str, str]:
    """The system and its prompt, of the settings that a run was logged with."""
    held: dict[str, str] = {}
    for key, value in hyperparameters.items():
        role = SYSTEM if plain(key) in ALIASES[SYSTEM] else PROMPT if plain(key) in _TEMPLATES else None
        if role is not None and isinstance(value, (str, int, float)) and str(value).strip():
            held.setdefault(role, str(value) if len(str(value)) <= _LONG else identity(str(value)))
    return held


def _items(cases: Sequence[Case], columns: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """What each case is called, by its name, else the metadata, else the text, and how often it came before."""
    texts: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        texts[case.name].add(case.text)
    seen: dict[tuple[str, object], int] = defaultdict(int)
    for number, case in enumerate(cases, 1):
        own = labelled(case.metadata, columns)
        named = case.name and not _UNNAMED.fullmatch(case.name)
        item = (
            case.name if named else str(own.get(ITEM, "")) or (identity(case.text) if case.text else f"case {number}")
        )
        if named and len(texts[case.name]) > 1:
            item = f"{case.name} {identity(case.text)}"
        key = (item, own.get(SYSTEM))
        yield item, seen[key]
        seen[key] += 1


SIGHT = ("testCases", "conversationalTestCases")
FORMAT = Format("deepeval", read_run, claims=claims, tool=True, holds=lambda _: "scores")
