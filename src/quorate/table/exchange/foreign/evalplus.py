"""EvalPlus: whether every solution of a task passed its tests, those of the task and the further ones."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.records import Records, chosen, document, list_at, meant, object_at
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb


_SUITES = ("base", "plus")
_STATUS = {"pass": 1.0, "fail": 0.0, "timeout": 0.0}
_NAMED = re.compile(r"(.+?)[._-]eval[._-]results\.json(\.gz)?")


def claims(glance: Glance) -> bool:
    """Whether it is one object of tasks, of whose solutions each has a status in the base tests."""
    tasks = glance.record.get("eval")
    first = next(iter(tasks.values()), None) if isinstance(tasks, dict) and not glance.array else None
    solution = first[0] if isinstance(first, list) and first else first
    return isinstance(solution, dict) and ("base_status" in solution or {"nfiles", "base"} <= solution.keys())


def _read_solutions(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each solution of a task: 1 where it passed, in the further tests only where it did in both.

    Parameters
    ----------
    part : {"base", "plus"}, optional
        The tests that are meant; both are levels of ``suite``.

    Raises
    ------
    InvalidData
        If the file is not what EvalPlus writes.
    InvalidInput
        If both are there and none is named.
    """
    whole = object_at(document(path, "name the results of the runs"), str(path))
    rows = [
        (task, place, _passed(one, f"{path}: {task}"))
        for task, held in object_at(whole.get("eval"), f"{path}: eval").items()
        for place, one in enumerate(_solutions(held, f"{path}: {task}"))
    ]
    found = {suite: [passed[suite] for *_, passed in rows] for suite in _SUITES}
    found = {suite: scores for suite, scores in found.items() if not all(map(math.isnan, scores))}
    if not found:
        raise InvalidData(f"{path}: no solution has a status")
    suites, named = chosen(part, found, "suite"), _NAMED.fullmatch(path.name)
    several = any(place for _, place, _ in rows)
    records = Records("item", "system", "replicate", "suite", "score")
    for task, place, passed in rows:
        for suite in suites:
            records.add(
                item=task,
                system=named[1] if named else None,
                replicate=place if several else None,
                suite=suite if len(suites) > 1 else None,
                score=passed[suite],
            )
    notes = [Note(f"EvalPlus: score = 1 where a solution passed, tests {', '.join(suites)}")]
    return records.opened(connection, "scores", facets=("suite",), notes=notes)


def _solutions(held: Any, where: str) -> list[dict[str, Any]]:
    """The solutions of a task, each with a status; older versions list these, one for each, by their tests."""
    if isinstance(held, dict):
        base, plus = (list_at(held.get(suite), f"{where}: {suite}") for suite in _SUITES)
        plus = plus or [None] * len(base)
        if len(plus) != len(base):
            raise InvalidData(f"{where} has {len(base)} results of the base tests and {len(plus)} of the others")
        return [{"base_status": _first(one), "plus_status": _first(two)} for one, two in zip(base, plus, strict=True)]
    return [object_at(one, where) for one in list_at(held, where)]


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, list) and result else result


def _passed(solution: dict[str, Any], where: str) -> dict[str, float]:
    """What a solution scores in the base tests, and in these and the others together."""
    said = [solution.get(f"{suite}_status") for suite in _SUITES]
    base, plus = (math.nan if one is None else meant(one, _STATUS, f"{where}: status") for one in said)
    return {"base": base, "plus": math.nan if math.isnan(plus) else min(base, plus)}


SIGHT = ("base_status", '"nfiles"')
FORMAT = Format("evalplus", _read_solutions, claims=claims, tool=True, holds=lambda _: "scores")
