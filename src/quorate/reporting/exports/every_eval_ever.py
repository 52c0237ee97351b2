"""Every Eval Ever 0.3: for each system a summary with the means of judges and panel, and a line for each judgment."""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.roles import JUDGE, PROMPT, SYSTEM
from quorate.table.judgments import OK, Judgments
from quorate.table.long import Rows, Written, rows_of
from quorate.writing import write_file

VERSION = "0.3.0"
_UNKNOWN = "unknown"
_LEVEL = 0.95


def write(judgments: Judgments, path: Path) -> Written:
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
        lines += _write(table, system, path)
    missing = int(judgments.rows.sum()) - judgments.n_answers
    notes = (f"{missing:,} judgments without a score are counted in the summaries alone",) if missing else ()
    return Written(path, lines, "answer", notes)


def _write(table: Judgments, system: str | None, folder: Path) -> int:
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
