"""Arena-Hard: a judge's verdicts on a model against a baseline, in both orders, one line for each question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange.foreign.lines import objects
from quorate.table.exchange.foreign.records import Records
from quorate.table.exchange.format import Format, Opened
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb

    from quorate.table.exchange.glance import Glance

VERDICTS: Mapping[str, tuple[str, int]] = {
    **{f"A{mark}B": ("model_a", len(mark)) for mark in (">", ">>")},
    **{f"B{mark}A": ("model_b", len(mark)) for mark in (">", ">>")},
    **{f"A{mark}B": ("model_b", len(mark)) for mark in ("<", "<<")},
    **{f"B{mark}A": ("model_a", len(mark)) for mark in ("<", "<<")},
    "A=B": ("tie", 1),
    "B=A": ("tie", 1),
}
"""Who wins by a verdict, the response shown first (model_a) or second, and how strongly."""


def claims(glance: Glance) -> bool:
    """Whether the first line has games with verdicts on a question."""
    record = glance.record
    games = record.get("games")
    named = "question_id" in record or "uid" in record
    return named and isinstance(games, list) and {"model", "judge"} <= record.keys()


def read_games(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """Two votes for each question: game 0 shows the baseline first, game 1 the model.

    Parameters
    ----------
    part : str, optional
        The baseline, where the file does not name it.

    Raises
    ------
    InvalidData
        If a verdict or a line is not what Arena-Hard writes.
    InvalidInput
        If no baseline is named.
    """
    rows = Records("prompt", "prompt_type", "model_a", "model_b", "winner", "judge", "order", "strength", "status")
    single = 0
    for number, line in objects(path, "games", "model", "judge"):
        baseline, model = line.get("baseline") or part, str(line["model"])
        if baseline is None:
            raise InvalidInput(
                f"{path}: names no baseline (the tool's own was gpt-4-0314); say which: "
                + argument("part", "gpt-4-0314")
            )
        games = line["games"]
        if not isinstance(games, list) or len(games) > 2:
            raise InvalidData(f"{path}: line {number}: games must be a list of one or two games")
        single += len(games) == 1
        for place, game in enumerate(games):
            shown = (str(baseline), model) if place == 0 else (model, str(baseline))
            rows.add(
                prompt=line.get("uid", line.get("question_id")),
                prompt_type=line.get("category"),
                model_a=shown[0],
                model_b=shown[1],
                judge=line["judge"],
                order="model_a",
                **_verdict(game, f"{path}: line {number}, game {place + 1}"),
            )
    notes = [Note("each game is a vote, the first with the baseline shown first; a strong verdict counts as one vote")]
    notes += [Note(f"{single:,} questions with one game: kept")] if single else []
    return rows.opened(connection, "votes", facets=("strength",), notes=notes)


def _verdict(game: Any, where: str) -> dict[str, object]:
    """Winner, strength and status of a game; null is a failed call, null inside it a verdict that was not found."""
    if game is None:
        return {"status": "error"}
    score = game.get("score") if isinstance(game, dict) else game
    if isinstance(score, (int, float)) and not isinstance(score, bool):
        raise InvalidData(f"{where}: {score} is a rating of one response; read a file of games with verdicts")
    if score is None:
        return {"status": "unparsed"}
    if not isinstance(score, str) or score not in VERDICTS:
        raise InvalidData(f"{where}: verdict {json.dumps(score)} is not known; known are {', '.join(VERDICTS)}")
    side, strength = VERDICTS[score]
    return {"winner": side, "strength": None if side == "tie" else strength, "status": "ok"}


FORMAT = Format("arena-hard", read_games, claims=claims, tool=True, holds=lambda _: "votes")
