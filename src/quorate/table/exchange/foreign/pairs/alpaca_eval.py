"""AlpacaEval: a judge's preferences between a baseline and a model, as votes or as chances that the model is better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData, UnknownTerm
from quorate.table.exchange.foreign.records import (
    Records,
    document,
    identity,
    name_at,
    name_or_none,
    number_at,
    refuse_lacking,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


PARTS = ("ratings", "votes")

_DRAW = 0.5
_VERDICTS = (0.0, _DRAW, 1.0)
"""Chances that are verdicts; others are weights of an annotator that gives chances."""

Judged = list[tuple[dict[str, str | None], float | None]]
"""The names of each record, and the chance that its second output is preferred; None where there is no verdict."""


def claims(glance: Glance) -> bool:
    """Whether it is an array whose first record has two generators and who prefers one of them."""
    keys = glance.record.keys()
    return glance.array and {"generator_1", "generator_2"} <= keys and bool({"preference", "annotator"} & keys)


def _read_preferences(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each instruction: a rating if some preference is between the verdicts, else a vote.

    Parameters
    ----------
    part : {"ratings", "votes"}, optional
        What is read, whatever the preferences are.

    Raises
    ------
    InvalidData
        If a record is not what AlpacaEval writes.
    UnknownTerm
        If there is no such part.
    """
    if part not in (None, *PARTS):
        raise UnknownTerm(part, PARTS, "part")
    records = document(path, "read it in parts of fewer instructions")
    if not isinstance(records, list):
        raise InvalidData(f"{path}: is not a list of AlpacaEval's annotations")
    judged = [_judged(record, f"{path}: record {number}") for number, record in enumerate(records, 1)]
    weighted = any(chance not in (None, *_VERDICTS) for _, chance in judged)
    judged, left = _with_datasets(judged)
    asked = part or ("ratings" if weighted else "votes")
    opened = _ratings(connection, judged) if asked == "ratings" else _votes(connection, judged)
    return replace(opened, notes=(*opened.notes, *left))


def _with_datasets(judged: Judged) -> tuple[Judged, list[Note]]:
    """The same without datasets if one instruction is in several: an instruction is an item wherever it comes from."""
    datasets: dict[str | None, set[str | None]] = {}
    for names, _ in judged:
        datasets.setdefault(names["instruction"], set()).add(names["dataset"])
    if all(len(held) == 1 for held in datasets.values()):
        return judged, []
    return [({**names, "dataset": None}, chance) for names, chance in judged], [
        Note("some instruction is of several datasets: dataset is left out")
    ]


def _judged(record: Any, where: str) -> tuple[dict[str, str | None], float | None]:
    """One of `Judged`."""
    if not isinstance(record, dict):
        raise InvalidData(f"{where} is not a JSON object")
    refuse_lacking(record, ("instruction", "generator_1", "generator_2", "annotator"), where, "AlpacaEval (1 and 2)")
    instruction = record["instruction"]
    if not isinstance(instruction, str):
        instruction = name_at(instruction, f"{where}: instruction")
    names = {
        "instruction": identity(instruction),
        "dataset": name_or_none(record.get("dataset"), f"{where}: dataset"),
        **{key: name_at(record[key], f"{where}: {key}") for key in ("generator_1", "generator_2", "annotator")},
    }
    preference = number_at(record.get("preference"), f"{where}: preference")
    if preference not in (None, 0) and not 1 <= preference <= 2:
        raise InvalidData(f"{where}: preference {preference:g} is not from 1 (first) to 2 (second), nor 0 (draw)")
    return names, _DRAW if preference == 0 else None if preference is None else preference - 1


def _ratings(connection: duckdb.DuckDBPyConnection, judged: Judged) -> Opened:
    rows = Records("item", "category", "system", "judge", "baseline", "score")
    for names, chance in judged:
        rows.add(
            item=names["instruction"],
            category=names["dataset"],
            system=names["generator_2"],
            judge=names["annotator"],
            baseline=names["generator_1"],
            score=chance,
        )
    than = " or ".join(dict.fromkeys(rows["baseline"]))
    notes = [Note(f"AlpacaEval: score = chance that the system is preferred to {than}, a draw .5; no length control")]
    return rows.opened(connection, "scores", facets=("baseline",), notes=notes, instead="votes")


def _votes(connection: duckdb.DuckDBPyConnection, judged: Judged) -> Opened:
    rows = Records("prompt", "prompt_type", "model_a", "model_b", "winner", "judge")
    for names, chance in judged:
        rows.add(
            prompt=names["instruction"],
            prompt_type=names["dataset"],
            model_a=names["generator_1"],
            model_b=names["generator_2"],
            winner=None if chance is None else "tie" if chance == _DRAW else "model_b" if chance > _DRAW else "model_a",
            judge=names["annotator"],
        )
    notes = [Note("AlpacaEval: each preference is a vote; the order shown was drawn at random and is not in the file")]
    return rows.opened(connection, "votes", notes=notes, instead="ratings")


SIGHT = ('"generator_1"',)
FORMAT = Format("alpaca-eval", _read_preferences, claims=claims, tool=True)
