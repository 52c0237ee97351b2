"""JudgeBench: a judge's verdicts on two responses of which one is right, in both orders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.records import Records, list_at, meant, name_at, no_parts, object_at, objects
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb


RESPONSES = ("response_A", "response_B")
DECISIONS: Mapping[str, str] = {"A>B": "model_a", "B>A": "model_b", "A=B": "tie"}
"""Who wins by a decision, which is on what was shown first and second."""
GOLD: Mapping[str, str] = {"A>B": "response_A", "B>A": "response_B"}
"""Which response is right by a label, which is on the responses."""
_JUDGE_OF_FILE = re.compile(r"judge_model=(.+?)(?:,[^,]*=.*)?\.jsonl")


def claims(glance: Glance) -> bool:
    """Whether the first line has judgments on a pair."""
    return {"pair_id", "judgments"} <= glance.record.keys()


def _read_pairs(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """Two votes for each pair: the first judgment shows response_A first, the second response_B.

    Raises
    ------
    InvalidData
        If a line is not what JudgeBench writes, or nothing names the judge.
    InvalidInput
        If a part is named: there is none.
    """
    no_parts(part, path)
    rows = Records(
        *("prompt", "prompt_type", "model_a", "model_b", "winner", "judge", "order", "status"),
        *("gold", "response_model", "method"),
    )
    single = 0
    for number, line in objects(path, "pair_id", "judgments", "label", of="JudgeBench"):
        where = f"{path}: line {number}"
        judgments = [object_at(one, f"{where}: judgments") for one in list_at(line["judgments"], f"{where}: judgments")]
        if not 0 < len(judgments) <= 2:
            raise InvalidData(f"{where}: has {len(judgments)} judgments; one or two are known")
        single += len(judgments) == 1
        names = {**_pair(line, where), "judge": _judge(judgments, path, where)}
        for place, judgment in enumerate(judgments):
            verdict = _verdict(judgment, f"{where}, judgment {place + 1}")
            rows.add(model_a=RESPONSES[place], model_b=RESPONSES[1 - place], order="model_a", **names, **verdict)
    notes = [Note("JudgeBench: each judgment is a vote, the second on the responses exchanged; gold is the right one")]
    notes += [Note(f"{counted(single, 'pair')} with one judgment: kept")] if single else []
    return rows.opened(connection, "votes", facets=("gold", "response_model", "method"), notes=notes)


def _pair(line: Mapping[str, Any], where: str) -> dict[str, str | None]:
    """What a line says of its pair: prompt and its type, which response is right, who responded, how it was judged."""
    said = {"source": "prompt_type", "response_model": "response_model", "judge_name": "method"}
    names = {role: name_at(line[key], f"{where}: {key}") for key, role in said.items() if line.get(key) is not None}
    label = line["label"]
    return {
        **names,
        "prompt": name_at(line["pair_id"], f"{where}: pair_id"),
        "gold": None if label is None else meant(label, GOLD, f"{where}: label"),
    }


def _judge(judgments: list[dict[str, Any]], path: Path, where: str) -> str:
    """The model that judged: as a judgment of the pair names it, else the file's name."""
    for judgment in judgments:
        named = object_at(judgment.get("judgment"), f"{where}: judgment").get("judge_model")
        if named is not None:
            return name_at(named, f"{where}: judge_model")
    found = _JUDGE_OF_FILE.search(path.name)
    if found is None:
        raise InvalidData(f"{where}: no judge_model in it or in the name of the file (..., judge_model=NAME.jsonl)")
    return found.group(1)


def _verdict(judgment: Mapping[str, Any], where: str) -> dict[str, str | None]:
    """Winner and status of a judgment; without one the call failed, without its decision it could not be parsed."""
    decision = judgment.get("decision")
    if decision is None:
        return {"status": "unparsed" if judgment else "error"}
    return {"winner": meant(decision, DECISIONS, f"{where}: decision"), "status": "ok"}


SIGHT = ('"judgments"',)
FORMAT = Format("judgebench", _read_pairs, claims=claims, tool=True, holds=lambda _: "votes")
