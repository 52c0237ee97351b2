"""RewardBench: whether a reward model scores the chosen response highest, from files of scores by evaluation set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.records import (
    Records,
    document,
    list_at,
    name_at,
    no_parts,
    number_at,
    refuse_lacking,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb


_COLUMNS = ("id", "subset", "results")
_TIES = "ties"


def claims(glance: Glance) -> bool:
    """Whether it is one object of columns, of the results of a model."""
    record = glance.record
    if glance.array or not isinstance(record.get("model", ""), str):
        return False
    lists = [name for name in _COLUMNS if isinstance(record.get(name), list)]
    return len(lists) >= 2 or (bool({"model_type", "chat_template"} & record.keys()) and "model" in record)


def _read_results(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each prompt: 1 if the chosen response has the highest score, 1/k of k equal ones, else 0.

    The subset of ties is scored otherwise, over several prompts together, and left out.

    Raises
    ------
    InvalidData
        If the file is not such an object.
    InvalidInput
        If a part is named.
    """
    no_parts(part, path)
    record = document(path, "split it by subset")
    if isinstance(record, dict) and "model" in record and not set(_COLUMNS) & record.keys():
        raise InvalidData(f"{path}: holds averages of subsets alone; name the file of its scores (eval-set-scores)")
    refuse_lacking(record, (*_COLUMNS, "model"), f"{path}:", "RewardBench 2")
    ids, subsets, results = (list_at(record[name], f"{path}: {name}") for name in _COLUMNS)
    if not len(ids) == len(subsets) == len(results) > 0:
        raise InvalidData(f"{path}: id, subset and results have {len(ids)}, {len(subsets)} and {len(results)} entries")
    model = name_at(record["model"], f"{path}: model")
    records = Records("item", "category", "system", "score")
    left_out = 0
    for place, (item, subset, result) in enumerate(zip(ids, subsets, results, strict=True), 1):
        where = f"{path}: entry {place}"
        category = name_at(subset, f"{where}: subset")
        if category.strip().lower() == _TIES:
            left_out += 1
            continue
        score = number_at(result, f"{where}: results")
        if score is not None and not 0 <= score <= 1:
            raise InvalidData(f"{where}: results is {score:g}; a share from 0 to 1 is needed there")
        records.add(item=name_at(item, f"{where}: id"), category=category, system=model, score=score)
    if not len(records):
        raise InvalidData(f"{path}: holds only the subset of ties, which is scored otherwise")
    notes = [Note("RewardBench: score = 1 where the chosen response is first, shared between equal ones")]
    notes += (
        [Note(f"{counted(left_out, 'entry')} of the subset of ties left out: scored otherwise")] if left_out else []
    )
    return records.opened(connection, "scores", notes=notes)


SIGHT = ('"subset"', '"results"', '"model_type"', '"chat_template"')
FORMAT = Format("reward-bench", _read_results, claims=claims, tool=True, holds=lambda _: "scores")
