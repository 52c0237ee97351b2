"""Prodigy: annotations with one choice, or accepted and rejected, and comparisons of two, from ``db-out``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.roles import ITEM, PROMPT
from quorate.table.exchange.foreign.records import (
    Records,
    columns_of,
    labelled,
    list_at,
    name_at,
    name_or_none,
    no_parts,
    objects,
    scores_of,
    shown,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb


_ANSWERS = ("accept", "reject", "ignore")
_SHOWN = ("A", "B", "input", "output", "reject")
"""What a comparison shows, and no label."""
_OWN = ("options", "accept", "answer", "mapping", "config", "tokens", "spans")
_AB = ("A", "B")
_Tasks = list[tuple[int, dict[str, Any]]]


def claims(glance: Glance) -> bool:
    """Whether its lines are tasks with a hash and an answer."""
    return not glance.array and "_task_hash" in glance.record and "answer" in glance.record


def read_annotations(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each annotation: the option that was accepted, 1 and 0 of a task without options, or a vote.

    Raises
    ------
    InvalidData
        If a line is no annotation.
    InvalidInput
        If a part is named.
    """
    no_parts(part, path)
    tasks = list(objects(path, "_task_hash", "answer", of="Prodigy"))
    names = _AB if any("mapping" in task for _, task in tasks) else _two_that_answered(tasks)
    if names is not None:
        return _compared(connection, path, tasks, names)
    said = [_said(task, f"{path}: line {number}") for number, task in tasks]
    answers = {"accept": "1", "reject": "0", None: None}  # of which one may be all that is there
    scores = scores_of([answers[word] for word in said] if {*said} <= answers.keys() else said)
    fields = (name for _, task in tasks for name in task if not name.startswith("_") and name not in _OWN)
    columns = columns_of(fields, "scores")
    records = Records(ITEM, *columns.values(), "judge", "score", "status")
    for (line, task), word, score in zip(tasks, said, scores, strict=True):
        records.add(**_labels(task, ITEM, columns, f"{path}: line {line}"), score=None if word is None else score)
    several = sum(len(task.get("accept") or ()) > 1 for _, task in tasks)
    notes = [Note("Prodigy: score = option that was accepted, or 1 and 0 for accept and reject")]
    notes += [Note(f"{counted(several, 'annotation')} with several options: without a score")] if several else []
    return records.opened(connection, "scores", notes=notes)


def _two_that_answered(tasks: _Tasks) -> tuple[str, str] | None:
    """Names of the two options that every task shows, each with texts of its own: whose answers they are."""
    texts: dict[str, set[str]] = {}
    for _, task in tasks:
        options = task.get("options")
        if not isinstance(options, list) or len(options) != 2 or not all(isinstance(one, dict) for one in options):
            return None
        for one in options:
            texts.setdefault(str(one.get("id")), set()).add(str(one.get("text", one.get("html"))))
    several = len(texts) == 2 and all(len(shown) > 1 for shown in texts.values())
    return (min(texts), max(texts)) if several else None


def _compared(connection: duckdb.DuckDBPyConnection, path: Path, tasks: _Tasks, names: tuple[str, str]) -> Opened:
    """A vote for each comparison of two, whose options say, or ``mapping`` says, under what they were shown."""
    known = {*_OWN, *_SHOWN}
    fields = (name for _, task in tasks for name in task if not name.startswith("_") and name not in known)
    columns = columns_of(fields, "votes")
    columns = {name: column for name, column in columns.items() if column not in ("model_a", "model_b")}
    records = Records(PROMPT, *columns.values(), "model_a", "model_b", "winner", "order", "judge", "status")
    for line, task in tasks:
        where = f"{path}: line {line}"
        side, first = _side(task, names, where)
        labels = _labels(task, PROMPT, columns, where)
        records.add(**labels, model_a=names[0], model_b=names[1], winner=side, order=first)
    given = ", the two files or prompts that the recipe was given, in this order" if names == _AB else ""
    notes = [Note(f"Prodigy: comparisons of {names[0]} and {names[1]}{given}")]
    return records.opened(connection, "votes", notes=notes)


def _labels(task: Mapping[str, Any], role: str, columns: Mapping[str, str], where: str) -> dict[str, object]:
    """What was judged, by whom, and whether it was, with the fields of the task."""
    return {
        role: name_at(task.get("_input_hash", task["_task_hash"]), f"{where}: _input_hash"),
        **labelled(task, columns),
        "judge": name_or_none(task.get("_annotator_id") or task.get("_session_id"), f"{where}: _annotator_id"),
        "status": "refused" if task["answer"] == "ignore" else "ok",
    }


def _side(task: Mapping[str, Any], names: tuple[str, str], where: str) -> tuple[str | None, str | None]:
    """Who won a comparison, and who was shown first where options say it; None of what is not said."""
    mapping, answer = task.get("mapping"), task["answer"]
    if names == _AB and (not isinstance(mapping, dict) or sorted(map(str, mapping.values())) != ["accept", "reject"]):
        raise InvalidData(f"{where}: mapping is {shown(mapping)}; accept and reject of A and B are needed there")
    if {*(mapping or names)} != {*names} or answer not in _ANSWERS:
        raise InvalidData(f"{where}: answer {shown(answer)} with mapping {shown(mapping)} is not known")
    models = {names[0]: "model_a", names[1]: "model_b"}
    if mapping and ("reject" in task or "options" not in task):  # two are shown, and one is chosen by accept or reject
        return next((models[name] for name, meant in mapping.items() if meant == answer), None), None
    options = [one.get("id") for one in list_at(task["options"], f"{where}: options") if isinstance(one, dict)]
    accepted = list_at(task.get("accept"), f"{where}: accept") if answer == "accept" else []
    winner = models.get(str(accepted[0])) if len(accepted) == 1 else None
    return winner, models.get(str(options[0])) if options else None


def _said(task: Mapping[str, Any], where: str) -> str | None:
    """The option that was accepted, accept or reject; None where nothing, or several, were."""
    answer = task["answer"]
    if answer not in _ANSWERS:
        raise InvalidData(f"{where}: answer is {shown(answer)}; known are {', '.join(_ANSWERS)}")
    if answer == "ignore":
        return None
    if "options" not in task:
        return str(answer)
    accepted = list_at(task.get("accept"), f"{where}: accept")
    return name_at(accepted[0], f"{where}: accept") if len(accepted) == 1 and answer == "accept" else None


SIGHT = ('"_task_hash"',)
FORMAT = Format("prodigy", read_annotations, claims=claims, tool=True)
