"""Arena-Hard: a judge's verdicts on a model against a baseline, in both orders, one line for each question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange.foreign.records import Records, meant, name_at, name_or_none, number_at, objects, shown
from quorate.table.exchange.format import Format, Kind, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb

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
    """Whether the first line has games on a question."""
    record = glance.record
    named = "question_id" in record or "uid" in record
    return named and isinstance(record.get("games"), list) and {"model", "judge"} <= record.keys()


def holds(path: Path) -> Kind:
    """Scores if the first games are ratings of one response, as its tool writes without a baseline; else votes."""
    games = Glance(path).record.get("games")
    found = [_inside(game) for game in games] if isinstance(games, list) else []
    return "scores" if any(_is_rating(score) for score in found) else "votes"


def _read_games(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """Two votes for each question, or a rating for each.

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
    return _ratings(connection, path) if holds(path) == "scores" else _votes(connection, path, part)


def _votes(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """Game 0 shows the baseline first, game 1 the model."""
    rows = Records("prompt", "prompt_type", "model_a", "model_b", "winner", "judge", "order", "strength", "status")
    single = 0
    for where, line, games in _lines(path):
        baseline = line.get("baseline") or part
        if baseline is None:
            raise InvalidInput(
                f"{path}: names no baseline (the tool's own was gpt-4-0314); say which: "
                + argument("part", "gpt-4-0314")
            )
        pair = name_at(baseline, f"{where}: baseline"), line["model"]
        single += len(games) == 1
        for place, game in enumerate(games):
            rows.add(
                prompt=line["question"],
                prompt_type=line["category"],
                model_a=pair[place],
                model_b=pair[1 - place],
                judge=line["judge"],
                order="model_a",
                **_verdict(game, f"{where}, game {place + 1}"),
            )
    notes = [Note("Arena-Hard: each game is a vote, the baseline first in game 1; a strong verdict counts as one vote")]
    notes += [Note(f"{counted(single, 'question')} with one game: kept")] if single else []
    return rows.opened(connection, "votes", facets=("strength",), notes=notes)


def _ratings(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A score for each game, of one response alone."""
    rows = Records("item", "category", "system", "judge", "replicate", "score", "status")
    for where, line, games in _lines(path):
        for place, game in enumerate(games):
            score = _inside(game)
            if score is not None and not _is_rating(score):
                raise InvalidData(f"{where}, game {place + 1}: {shown(score)} is no rating, as the first game is one")
            rows.add(
                item=line["question"],
                category=line["category"],
                system=line["model"],
                judge=line["judge"],
                replicate=place + 1 if len(games) > 1 else None,
                score=number_at(score, f"{where}, game {place + 1}: score"),
                status="error" if game is None else "unparsed" if score is None else "ok",
            )
    return rows.opened(connection, "scores", notes=[Note("Arena-Hard: each game is the rating of one response")])


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """Where each line is, its names, and its games."""
    for number, line in objects(path, "games", "model", "judge", of="Arena-Hard (v0.1, v2.0)"):
        where, games = f"{path}: line {number}", line["games"]
        if not isinstance(games, list) or not 0 < len(games) <= 2:
            raise InvalidData(f"{where}: games must be a list of one or two games")
        names = {
            "question": name_at(line.get("uid", line.get("question_id")), f"{where}: uid or question_id"),
            "category": name_or_none(line.get("category"), f"{where}: category"),
            **{key: name_at(line[key], f"{where}: {key}") for key in ("model", "judge")},
        }
        yield where, {"baseline": line.get("baseline"), **names}, games


def _inside(game: Any) -> Any:
    """The verdict or rating of a game, which old files write bare."""
    return game.get("score") if isinstance(game, dict) else game


def _is_rating(score: Any) -> bool:
    return isinstance(score, (int, float)) and not isinstance(score, bool)


def _verdict(game: Any, where: str) -> dict[str, object]:
    """Winner, strength and status of a game; null is a failed call, null inside it a verdict that was not found."""
    score = _inside(game)
    if score is None:
        return {"status": "error" if game is None else "unparsed"}
    if _is_rating(score):
        raise InvalidData(f"{where}: {shown(score)} is a rating of one response, and the first games are verdicts")
    side, strength = meant(score, VERDICTS, f"{where}: verdict")
    return {"winner": side, "strength": None if side == "tie" else strength, "status": "ok"}


SIGHT = ('"games"',)
FORMAT = Format("arena-hard", _read_games, claims=claims, tool=True, holds=holds)
