"""lm-evaluation-harness: a metric of every document of a task, in the samples that ``--log_samples`` writes."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.frozen import dataclass
from quorate.roles import CATEGORY
from quorate.table.exchange.foreign.records import (
    Records,
    beside,
    chosen,
    document,
    list_at,
    name_at,
    number_at,
    object_at,
    objects,
)
from quorate.table.exchange.foreign.together import HASH
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb

Series = tuple[str, str, str]
"""A task, a metric and a filter."""
WRITES = "lm-evaluation-harness (0.4)"
_KEYS = frozenset(("doc_id", "resps", "filtered_resps", "doc_hash"))
_OWN = _KEYS | {"filter", "doc", "target", "arguments", "metrics", "prompt_hash", "target_hash"}
_NOT_SCORED = "bypass"
_SAMPLES = re.compile(
    r"(?:(?P<model>.+)[_-])?samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+))?\.jsonl(?:\.gz)?"
)
_SHORT = 40


@dataclass(frozen=True)
class Sample:
    """A document of a task as one filter reads the answer.

    Parameters
    ----------
    document, filter : str
    scores : mapping of str to float or None
        By metric, where it is a score of the document.
    pooled : frozenset of str
        Metrics that are parts of one score of all documents.
    fields : mapping of str to object
        Short entries of the document's record.
    content : str
        A hash of the record.
    where : str
        The line.
    """

    document: str
    filter: str
    scores: Mapping[str, float | None]
    pooled: frozenset[str]
    fields: Mapping[str, str | float]
    content: str
    where: str


@dataclass(frozen=True)
class Run:
    """The samples of one task.

    Parameters
    ----------
    task : str
    system : str or None
        The model, if it is known.
    samples : tuple of Sample
    repeated : bool
        Whether documents were answered several times.
    results : mapping
        What the run wrote beside the samples.
    """

    task: str
    system: str | None
    samples: tuple[Sample, ...]
    repeated: bool
    results: Mapping[str, Any]


def claims(glance: Glance) -> bool:
    """Whether it is a folder of samples, samples of a task, or the results of a run."""
    if glance.names:
        first = next((name for name in sorted(glance.names) if _SAMPLES.fullmatch(name)), None)
        return first is not None and _is_sample(Glance(glance.path / first))
    return _is_sample(glance) or _is_results(glance)


def _is_sample(glance: Glance) -> bool:
    """Whether the first line is of a document, which may be so long that the beginning shows no more."""
    record = glance.record
    cut = isinstance(record.get("doc"), dict) and ("arguments" in record or record.keys() == {"doc_id", "doc"})
    return record.keys() >= _KEYS or ("doc_id" in record and cut)


def _is_results(glance: Glance) -> bool:
    results = glance.record.get("results")
    first = next(iter(results.values()), None) if isinstance(results, dict) else None
    return isinstance(first, dict) and "alias" in first and any("," in key for key in first)


def read_samples(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each document and metric.

    Parameters
    ----------
    part : str, optional
        Tasks, metrics and filters, in any order, with commas. Several metrics are levels of ``judge``, several
        filters of ``prompt``.

    Raises
    ------
    InvalidData
        If a line is not what lm-evaluation-harness writes, or a metric is no score of single documents.
    InvalidInput
        If there are several metrics or filters and none is named, or no samples.
    """
    runs = [_run(file, alone=file == path) for file in _files(path)]
    kept = _kept(part, runs, path)
    runs = [run for run in runs if run.task in {task for task, _, _ in kept}]
    _refuse_twice(runs)
    several = len({run.task for run in runs}) > 1
    metrics, by_filter = {metric for _, metric, _ in kept}, _several_filters(kept)
    columns = _columns(runs, several)
    rows = Records("item", "system", "judge", "prompt", "score", HASH, CATEGORY, *columns.values())
    for run, sample in _each(runs):
        held = {columns[key]: value for key, value in sample.fields.items() if key in columns}
        for metric in (metric for metric in sample.scores if (run.task, metric, sample.filter) in kept):
            rows.add(
                item=f"{run.task} {sample.document}",
                system=run.system,
                judge=metric if len(metrics) > 1 else None,
                prompt=sample.filter if by_filter else None,
                score=sample.scores[metric],
                **{HASH: sample.content, **held, **({CATEGORY: run.task} if several else {})},
            )
    return rows.opened(connection, "scores", notes=dict.fromkeys(_notes(runs, kept)))


def _files(path: Path) -> list[Path]:
    """The samples at a path: of a folder, beside the results of a run, or the file itself."""
    if path.is_dir():
        return sorted(file for file in path.iterdir() if _SAMPLES.fullmatch(file.name))
    if not _is_results(Glance(path)):
        return [path]
    time = path.name.removeprefix("results_").removesuffix(".json")
    beside = [file for file in sorted(path.parent.iterdir()) if _SAMPLES.fullmatch(file.name) and time in file.name]
    if not beside:
        raise InvalidInput(
            f"source: {path} has averages alone and no samples_*.jsonl beside it; run with --log_samples"
        )
    return beside


def _run(path: Path, *, alone: bool) -> Run:
    """The samples of a file, with the results beside it.

    One ``alone`` whose name has no time was named by somebody, after the model or with it before all else.
    """
    named = _SAMPLES.fullmatch(path.name)
    about = path.with_name(f"results_{named['time']}.json") if named and named["time"] else None
    results = object_at(document(about, "leave it out"), str(about)) if about and about.is_file() else {}
    before = named["model"] if named else None
    own = bool(named and alone and not (named["time"] or before))
    model = results.get("model_name") or before or (path.absolute().parent.name if named and not own else None)
    samples, repeated = [], False
    for number, line in objects(path, "doc_id", of=WRITES):
        where = f"{path}: line {number}"
        samples.append(_sample(line, where))
        answers = list_at(line.get("resps"), f"{where}: resps")
        repeated |= any(isinstance(one, list) and len(one) > 1 for one in answers)
    system = name_at(model, f"{about}: model_name") if model else named["task"] if named and own else None
    task = named["task"] if named and not own else "document"
    return Run(task, system, tuple(samples), repeated, results)


def _sample(line: Mapping[str, Any], where: str) -> Sample:
    listed = line.get("metrics")
    names = [key for key in line if key not in _OWN] if listed is None else list_at(listed, f"{where}: metrics")
    metrics = [name_at(name, f"{where}: metrics") for name in names if name != _NOT_SCORED]
    pooled = frozenset(metric for metric in metrics if isinstance(line.get(metric), (list, dict)))
    values = {metric: line.get(metric) for metric in metrics if metric not in pooled}
    record = line.get("doc")
    return Sample(
        document=name_at(line["doc_id"], f"{where}: doc_id"),
        filter=name_at(line.get("filter", "none"), f"{where}: filter"),
        scores={metric: number_at(value, f"{where}: {metric}", truths=True) for metric, value in values.items()},
        pooled=pooled,
        fields={key: value for key, value in record.items() if _is_short(value)} if isinstance(record, dict) else {},
        content=_content(record) if record else str(line.get("doc_hash")),
        where=where,
    )


def _content(record: object) -> str:
    """A hash of a document's record; the one beside it need not be of the record alone."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def _kept(part: str | None, runs: Sequence[Run], path: Path) -> set[Series]:
    """Tasks, metrics and filters that are read: those named, if that leaves one metric, and one filter of each task."""
    found: dict[Series, list[float | None]] = defaultdict(list)
    pooled: dict[Series, None] = {}
    for run, sample in _each(runs):
        for metric, score in sample.scores.items():
            found[run.task, metric, sample.filter].append(score)
        pooled |= dict.fromkeys((run.task, metric, sample.filter) for metric in sample.pooled)
    words = {word.strip() for word in part.split(",")} if part is not None else set()
    names = [{series[place] for series in (*found, *pooled)} for place in range(3)]
    for word in words - set().union(*names):
        raise UnknownTerm(word, sorted(set().union(*names)), "task, metric or filter")
    wanted = [words & known for known in names]
    left = {series: scores for series, scores in found.items() if _fits(series, wanted)}
    if not left:
        lists = sorted({metric for task, metric, filter_ in pooled if _fits((task, metric, filter_), wanted)})
        raise InvalidData(
            f"{path}: has no score of single documents"
            + (f"; of all together, as perplexity, F1 and BLEU: {', '.join(lists)}" if lists else "")
        )
    metrics = {metric for _, metric, _ in left}
    if (len(metrics) > 1 and not metrics <= words) or (_several_filters(left) and not wanted[2]):
        chosen(None, {", ".join(series): scores for series, scores in left.items()}, "score")
    return {*left}


def _each(runs: Iterable[Run]) -> Iterator[tuple[Run, Sample]]:
    return ((run, sample) for run in runs for sample in run.samples)


def _fits(series: Series, wanted: Sequence[set[str]]) -> bool:
    return all(not names or name in names for name, names in zip(series, wanted, strict=True))


def _several_filters(series: Iterable[tuple[str, str, str]]) -> bool:
    """Whether some task has a metric by more than one filter."""
    held = list(series)
    return len({(task, metric) for task, metric, _ in held}) < len(held)


def _refuse_twice(runs: Iterable[Run]) -> None:
    """Refuse a document that is there twice: of a task that ran again, or in lines that were appended."""
    seen: dict[object, str] = {}
    for run, sample in _each(runs):
        key = (run.task, run.system, sample.document, sample.filter)
        if key in seen:
            raise InvalidData(
                f"{sample.where} and {seen[key]} both have document {sample.document} of {run.task}; "
                "name the file of one of the runs"
            )
        seen[key] = sample.where


def _columns(runs: Sequence[Run], several: bool) -> dict[str, str]:
    """Columns for fields that put documents in groups: the category, unless that is the task, and others."""
    documents = {(run.task, sample.document): sample.fields for run, sample in _each(runs)}
    values: dict[str, list[object]] = defaultdict(list)
    for fields in documents.values():
        for key, value in fields.items():
            values[key].append(value)
    grouping = [key for key, held in values.items() if len(held) == len(documents) >= 2 * len(set(held)) > 2]
    columns = beside(grouping, "document")
    return {key: column for key, column in columns.items() if not (several and column == CATEGORY)}


def _notes(runs: Iterable[Run], kept: Iterable[Series]) -> Iterator[Note]:
    """What was taken, and what the runs say of it."""
    taken = sorted(kept)
    yield Note(f"{', '.join(' '.join(series) for series in taken)}: an item is a document of a task")
    for run in runs:
        documents = len({sample.document for sample in run.samples})
        counts = _about(run, "n-samples").get("original")
        if isinstance(counts, int) and counts != documents:
            yield Note(f"{run.task}: {documents:,} of {counts:,} documents are there")
        if run.repeated:
            yield Note(f"{run.task}: answered several times, with one score for all: there are no replicates")
        for metric in dict.fromkeys(metric for task, metric, _ in taken if task == run.task):
            if _about(run, "higher_is_better").get(metric) is False:
                yield Note(f"{metric}: lower is better")


def _about(run: Run, key: str) -> dict[str, Any]:
    """What the results of a run have under a key of its task."""
    where = f"results of {run.task}: {key}"
    return object_at(object_at(run.results.get(key), where).get(run.task), where)


def _is_short(value: object) -> bool:
    return isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= _SHORT)


SIGHT = ("samples_", '"doc_id"', '"alias"')
FORMAT = Format("lm-eval", read_samples, claims=claims, tool=True, holds=lambda _: "scores")
