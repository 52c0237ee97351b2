"""Judgments written as a file of a format: plain, or another tool's."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, get_args
from uuid import UUID

import numpy as np

from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decompose import decompose
from quorate.roles import JUDGE, PROMPT, SYSTEM
from quorate.table import long
from quorate.table.facets import OK
from quorate.table.judgments import Judgments, checked
from quorate.table.long import Rows, rows_of
from quorate.table.results import Written
from quorate.writing import write_file

VERSION = "0.3.0"
_UNKNOWN = "unknown"
_LEVEL = 0.95


def _write_every_eval_ever(judgments: Judgments, path: Path) -> Written:
    """Write a summary and its samples for every system, in the folders that the format has.

    Raises
    ------
    InvalidInput
        If the place is a file, or cannot be written.
    NotEstimable
        If single answers cannot be read again, or there is none.
    """
    if path.is_file():
        raise InvalidInput(f"path: {path} is a file; name a folder")
    if not judgments.n_answers:
        raise NotEstimable("judgments: none has a score")
    systems = judgments.facet(SYSTEM).levels if SYSTEM in judgments.names else (None,)
    lines = 0
    for system in systems:
        table = judgments if system is None else judgments.only(SYSTEM, system)
        lines += _write_system(table, system, path)
    missing = int(judgments.rows.sum()) - judgments.n_answers
    notes = (f"{missing:,} judgments without a score are counted in the summaries alone",) if missing else ()
    return Written(path, lines, "answer", notes)


def _write_system(table: Judgments, system: str | None, folder: Path) -> int:
    """Write the two files of one system; the number of samples."""
    task = re.sub(r"[^\w.-]+", "_", Path(table.source.name).stem) or "judgments"
    model = _model(system)
    ids = {"evaluation_id": f"{task}/{model['id'].replace('/', '_')}/{time.time():.0f}", "schema_version": VERSION}
    samples = _samples(table, rows_of(table), task, {**ids, "model_id": model["id"]})
    text = "".join(json.dumps(line) + "\n" for line in samples)
    digest = hashlib.sha256(text.encode()).digest()
    place = Path("data", task, *(re.sub(r"[^\w.-]+", "_", part) for part in model["id"].split("/", 1)))
    name = str(UUID(bytes=digest[:16], version=4))
    file = place / f"{name}_samples.jsonl"
    others = [name for name in table.names if name not in (table.object, JUDGE, PROMPT, SYSTEM)]
    nested = [f"{facet.name} in {facet.parent}" for facet in table.facets if facet.parent is not None]
    summary = {
        **ids,
        "retrieved_timestamp": f"{time.time():.0f}",
        "source_metadata": {
            "source_name": "quorate",
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "quorate",
            "version": version("quorate"),
            "additional_details": {"facets": "\n".join(others), "nested": "\n".join(nested)},
        },
        "model_info": model,
        "evaluation_results": _results(table, task),
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": file.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": digest.hex(),
            "total_rows": len(samples),
        },
    }
    try:
        (folder / place).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"path: {folder} cannot be written ({error.strerror}); choose another place") from error
    write_file(folder / file, text.encode())
    write_file(folder / place / f"{name}.json", (json.dumps(summary, indent=2) + "\n").encode())
    return len(samples)


def _model(label: str | None) -> dict[str, Any]:
    """A model as the format wants it: of unknown developer where its label names none."""
    name = label or _UNKNOWN
    developer, slash, rest = name.partition("/")
    named = bool(slash and developer and rest)
    unknown = {"deployment_type": _UNKNOWN, "model_availability": _UNKNOWN}
    return {
        "name": name,
        "id": name if named else f"{_UNKNOWN}/{name}",
        "developer": developer if named else _UNKNOWN,
        "additional_details": unknown,
    }


def _samples(table: Judgments, rows: Rows, task: str, ids: Mapping[str, str]) -> list[dict[str, Any]]:
    """A line for each judgment with a score."""
    labels = {facet.name: np.array(facet.levels, dtype=object)[table.column(facet.name)] for facet in table.facets}
    middle = float(np.nanmin(table.low) + np.nanmax(table.high)) / 2
    if rows.replicate is None:  # numbered where nothing names those of one cell, so that no two lines are one
        place = np.arange(len(rows.cell)) - np.searchsorted(rows.cell, rows.cell)
        epoch: list[Any] = (place + 1).tolist() if place.any() else [None] * len(place)
    else:
        epoch = list(rows.replicate)
    lines: list[dict[str, Any]] = []
    for row in np.flatnonzero(~np.isnan(rows.score)).tolist():
        cell, score = rows.cell[row], float(rows.score[row])
        said = {name: str(column[cell]) for name, column in labels.items() if name != table.object}
        if epoch[row] is not None:
            said["epoch"] = str(epoch[row])
        lines.append(
            {
                **ids,
                "evaluation_name": task,
                "evaluation_result_id": _result_id(task, said.get(JUDGE)),
                "sample_id": str(labels[table.object][cell]),
                "interaction_type": "single_turn",
                "input": {"raw": "", "reference": []},
                "output": {"raw": []},
                "answer_attribution": [],
                "evaluation": {"score": score, "is_correct": score > middle},
                "error": None,
                "metadata": {**said, "status": OK},
            }
        )
    return lines


def _result_id(task: str, judge: str | None) -> str:
    return task if judge is None else f"{task}/judge={judge}"


def _results(table: Judgments, task: str) -> list[dict[str, Any]]:
    """The mean of every judge, and of the panel."""
    judges = table.facet(JUDGE).levels if JUDGE in table.names else ()
    each = [_result(table.only(JUDGE, judge), table, task, judge, (judge,)) for judge in judges]
    return [*(one for one in each if one), *(one for one in [_result(table, table, task, None, judges)] if one)]


def _result(
    table: Judgments, whole: Judgments, task: str, judge: str | None, judges: tuple[str, ...]
) -> dict[str, Any] | None:
    """A mean with its interval, where it has one; None where nothing has a score."""
    if not table.n_answers:
        return None
    method = f"quorate {version('quorate')}, satterthwaite"
    config: dict[str, Any] = {
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": float(np.nanmin(whole.low)),
        "max_score": float(np.nanmax(whole.high)),
        "additional_details": {"scale": "least and greatest score seen; is_correct: above the middle of the two"},
    }
    if judges:
        models = [{"model_info": _model(name)} for name in judges]
        config["llm_scoring"] = {"judges": models, "input_prompt": "not recorded", "aggregation_method": "average"}
    n = int(table.n.sum())
    score = float(np.nansum(table.n * table.mean) / n)
    uncertainty: dict[str, Any] = {"num_samples": n}
    try:
        estimate = decompose(table).mean_for()
        low, high = estimate.at(_LEVEL, "satterthwaite").ends
        if all(map(math.isfinite, (low, high, estimate.se))):
            score = estimate.value
            uncertainty["standard_error"] = {"value": estimate.se, "method": method}
            limits = {"lower": low, "upper": high, "confidence_level": _LEVEL, "method": method}
            uncertainty["confidence_interval"] = limits
        why = {}
    except NotEstimable as error:
        why = {"no_interval": str(error)}
    counts = {name: str(int(rows.sum())) for name, rows in table.status.items() if name != OK and rows.any()}
    return {
        "evaluation_result_id": _result_id(task, judge) if judge is not None or not judges else f"{task}/panel",
        "evaluation_name": task,
        "source_data": {"dataset_name": task, "source_type": "other"},
        "metric_config": config,
        "score_details": {"score": score, "details": {**counts, **why}, "uncertainty": uncertainty},
    }


def _write_inspect(judgments: Judgments, path: Path) -> Written:
    """Write a record for each item and epoch: the score of the one judge, or the scores by judge.

    Raises
    ------
    InvalidInput
        If the name does not end in .jsonl, there are several systems, or an epoch is no whole number.
    InvalidData
        If one judge rated one item more than once in an epoch.
    """
    if path.suffix.lower() != ".jsonl":
        raise InvalidInput(f'path: must end in .jsonl, got "{path.name}"')
    if SYSTEM in judgments.names and judgments.n_levels(SYSTEM) > 1:
        raise InvalidInput('judgments: a log is of one system; write each by itself, with only={"system": "..."}')
    judged = JUDGE in judgments.names
    found: dict[tuple[str, int | None], dict[str, float]] = {}
    rows = rows_of(judgments)
    items, item = judgments.facet(judgments.object).levels, judgments.column(judgments.object)[rows.cell]
    judges = judgments.facet(JUDGE).levels if judged else ("score",)
    judge = judgments.column(JUDGE)[rows.cell] if judged else [0] * len(item)
    epochs = [None] * len(item) if rows.replicate is None else [_epoch(label) for label in rows.replicate]
    missing = 0
    for which, who, epoch, score in zip(item, judge, epochs, rows.score.tolist(), strict=True):
        key = items[which], epoch
        if judges[who] in found.setdefault(key, {}):
            raise InvalidData(f"judgments: {judges[who]} rated {items[which]} more than once in one epoch")
        missing += math.isnan(score)
        found[key][judges[who]] = score
    lines = []
    for (name, epoch), scores in found.items():
        known = {who: score for who, score in scores.items() if not math.isnan(score)}
        if known:
            value = next(iter(known.values())) if len(judges) == 1 else {who: known.get(who) for who in judges}
            record: dict[str, object] = {"id": name, "epoch": epoch, "value": value}
            record |= {"metadata": {"judge": judges[0]}} if judged and len(judges) == 1 else {}
            lines.append({key: entry for key, entry in record.items() if entry is not None})
    write_file(path, "".join(json.dumps(line) + "\n" for line in lines).encode())
    notes = (f"{missing:,} judgments without a score: no value",) if missing else ()
    return Written(path, len(lines), "item", notes)


def _epoch(label: str | None) -> int | None:
    if label is None:
        return None
    if not label.isascii() or not label.isdigit():
        raise InvalidInput(f'judgments: an epoch of Inspect AI is a whole number, got the replicate "{label}"')
    return int(label)


ExportFormat = Literal["every-eval-ever", "inspect-scores"]
_WRITERS = {"every-eval-ever": _write_every_eval_ever, "inspect-scores": _write_inspect}


def export(
    judgments: Judgments, path: str | os.PathLike[str], *, format: ExportFormat | None = None, no_formulas: bool = False
) -> Written:
    """Write judgments as a plain file, or in the format of another tool.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    path : path
        Without a format a file that ends in .csv, .tsv, .jsonl or .parquet, as `Judgments.write` writes it; a row per
        cell where only means are left. For ``"every-eval-ever"`` a folder, for ``"inspect-scores"`` a
        file that ends in .jsonl.
    format : {"every-eval-ever", "inspect-scores"}, optional
        ``"every-eval-ever"``: for each system a summary, with the mean of every judge and of the panel and its
        interval, and a line for each judgment; its format has no place for a judgment without a score: how many there
        were is in the summary. ``"inspect-scores"``: what ``precomputed_scores`` of Inspect AI takes, to put human
        ratings into a log: a record for each item and epoch, with the score of the one judge, or all by judge.
    no_formulas : bool
        Whether texts that a spreadsheet would compute, which begin with ``=``, ``+``, ``-`` or ``@``, are led by an
        apostrophe, which stays when the file is read again. For .csv and .tsv.

    Returns
    -------
    Written
        The file or folder, its rows, and what is not in it.

    Raises
    ------
    InvalidInput
        If the file cannot be written, or is of another name than the format needs.
    NotEstimable
        If the format needs single answers and they cannot be read again.
    UnknownTerm
        If there is no such format.

    Examples
    --------
    >>> import tempfile
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": ["a", "a", "b"], "judge": ["x", "y", "x"], "score": [3, 4, 5]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = export(q.read(frame, announce=False), folder + "/human.jsonl", format="inspect-scores")
    >>> written.n, written.per
    (2, 'item')
    """
    table = checked(judgments)
    if format is None:
        return long.write(table, Path(path), no_formulas=no_formulas)
    if no_formulas:
        raise InvalidInput(argument("no_formulas", True) + ": is for .csv and .tsv; leave it out")
    if format not in _WRITERS:
        raise UnknownTerm(str(format), get_args(ExportFormat), "format")
    return _WRITERS[format](table, Path(path))
