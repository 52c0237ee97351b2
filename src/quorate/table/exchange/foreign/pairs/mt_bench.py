"""MT-Bench of FastChat: verdicts on two models in both orders, ratings of one, and people's votes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.frozen import dataclass
from quorate.table.exchange.foreign.records import Records, meant, name_at, no_parts, number_at, objects
from quorate.table.exchange.format import Format, Kind, Opened, pattern, quoted
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb

CATEGORIES = ("writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities")
"""Of its 80 questions, ten each; their numbers begin at 81."""

GAMES: Mapping[str, Mapping[str, str | None]] = {
    "g1_winner": {"model_1": "model_a", "model_2": "model_b", "tie": "tie", "error": None},
    "g2_winner": {"model_1": "model_b", "model_2": "model_a", "tie": "tie", "error": None},
}
"""What a verdict says of the models as they were shown, model_1 first in the first game and second in the other."""

_INCONSISTENT = "tie (inconsistent)"
_VOTES = {label: label for label in ("model_a", "model_b", "tie", _INCONSISTENT)}
_UNPARSED = -1
_QUESTION = ("question_id", "judge", "turn")
_ARENA = frozenset(("anony", "language", "tstamp", "timestamp"))
"""Keys that releases of Chatbot Arena have and the human judgments have not."""


_COLUMNS = (
    *("prompt", "prompt_type", "model_a", "model_b", "winner", "judge", "turn", "order", "time", "status"),
    "judge_template",
)


@dataclass(frozen=True)
class Shape:
    """One of the files that it writes: what names the models, and what holds the verdicts."""

    kind: Kind
    models: tuple[str, ...]
    verdicts: tuple[str, ...]


PAIR = Shape("votes", ("model_1", "model_2"), tuple(GAMES))
SINGLE = Shape("scores", ("model",), ("score",))
PEOPLE = Shape("votes", ("model_a", "model_b"), ("winner",))


@dataclass(frozen=True)
class Line:
    """A line without its texts."""

    where: str
    question: str
    judge: str
    turn: str
    models: tuple[str, ...]
    template: str | None
    time: float | None
    verdicts: tuple[Any, ...]


def claims(glance: Glance) -> bool:
    """Whether the first line is a pair's, a rating with its judge and template, or one of the human judgments."""
    return _shape(glance) is not None


def holds(path: Path) -> Kind | None:
    """Scores of ratings, else votes."""
    shape = _shape(Glance(path))
    return None if shape is None else shape.kind


def read_judgments(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """Two votes for each line of a pair; a rating or a vote for each other.

    Raises
    ------
    InvalidData
        If a line is not what MT-Bench writes.
    InvalidInput
        If a part is named: there is none.
    """
    no_parts(part, path)
    shape = _shape(Glance(path))
    if shape is None:
        raise InvalidData(f"{path}: is none of MT-Bench's: no g1_winner, no score with a judge's template, no people")
    lines = list(_lines(connection, path, shape))
    kept = lines if shape is PEOPLE else _first_of_each(lines)
    again = len(lines) - len(kept)
    notes = [Note(f"{again:,} of {len(lines):,} lines judge again what an earlier one did: left out")] if again else []
    if shape is SINGLE:
        return _ratings(connection, kept, notes)
    return _games(connection, kept, notes) if shape is PAIR else _votes(connection, kept, notes)


def _shape(glance: Glance) -> Shape | None:
    keys = glance.record.keys() | set(glance.header)
    in_text = glance.header and not glance.block.startswith(b"PAR1")  # a table of somebody's own
    if not keys >= {*_QUESTION} or glance.array or in_text:
        return None
    if "g1_winner" in keys:
        return PAIR
    if {"model", "score"} <= keys and ("judgment" in keys or isinstance(glance.record.get("judge"), list)):
        return SINGLE
    people = {*PEOPLE.models, *PEOPLE.verdicts, "conversation_a"}
    return PEOPLE if people <= keys and not keys & _ARENA else None


def _lines(connection: duckdb.DuckDBPyConnection, path: Path, shape: Shape) -> Iterator[Line]:
    for where, record in _records(connection, path, (*_QUESTION, *shape.models, *shape.verdicts)):
        judge = record["judge"]
        both = judge if isinstance(judge, list) else [judge]
        yield Line(
            where,
            name_at(record["question_id"], f"{where}: question_id"),
            name_at(both[0] if both else None, f"{where}: judge"),
            name_at(record["turn"], f"{where}: turn"),
            tuple(name_at(record[key], f"{where}: {key}") for key in shape.models),
            name_at(both[1], f"{where}: judge") if len(both) > 1 else None,
            number_at(record.get("tstamp"), f"{where}: tstamp"),
            tuple(record[key] for key in shape.verdicts),
        )


def _records(
    connection: duckdb.DuckDBPyConnection, path: Path, wanted: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each record stands, and the record."""
    if not Glance(path).header:
        for number, line in objects(path, *wanted, of="FastChat's MT-Bench"):
            yield f"{path}: line {number}", line
        return
    rows = connection.sql(f"SELECT {', '.join(map(quoted, wanted))} FROM read_parquet({pattern(path)})").fetchall()
    for number, row in enumerate(rows, 1):
        yield f"{path}: row {number}", dict(zip(wanted, row, strict=True))


def _first_of_each(lines: list[Line]) -> list[Line]:
    """Without lines of a later run of the same judgment, as the tool's own script cleans its files."""
    kept: dict[tuple[object, ...], Line] = {}
    for line in lines:
        kept.setdefault((line.question, line.judge, line.turn, line.models), line)
    return list(kept.values())


def _ratings(connection: duckdb.DuckDBPyConnection, lines: list[Line], notes: list[Note]) -> Opened:
    """The score of each line; -1 is a judgment without one."""
    rows = Records("item", "system", "judge", "turn", "score", "status", "judge_template", "question_category")
    category = _categories(lines)
    for line in lines:
        score = number_at(line.verdicts[0], f"{line.where}: score")
        unparsed = score == _UNPARSED
        rows.add(
            item=line.question,
            question_category=category.get(line.question),
            system=line.models[0],
            score=None if unparsed else score,
            status="unparsed" if unparsed else "ok",
            **_said(line),
        )
    notes = [*notes, Note("MT-Bench: each line is a rating; -1 is unparsed")]
    own = "question_category: by its own numbers of questions, 81 to 90 writing and so on; for nested, if wanted"
    notes += [Note(own)] if category else []
    return rows.opened(connection, "scores", facets=_turn(lines), notes=notes)


def _games(connection: duckdb.DuckDBPyConnection, lines: list[Line], notes: list[Note]) -> Opened:
    """Two votes of each line, with the model that was shown first first."""
    rows = Records(*_COLUMNS)
    category = _categories(lines)
    for line in lines:
        for place, (game, meanings) in enumerate(GAMES.items()):
            verdict = line.verdicts[place]
            rows.add(
                prompt=line.question,
                prompt_type=category.get(line.question),
                model_a=line.models[place],
                model_b=line.models[1 - place],
                winner=None if verdict is None else meant(verdict, meanings, f"{line.where}: {game}"),
                order="model_a",
                time=line.time,
                status="unparsed" if verdict == "error" else "ok",
                **_said(line),
            )
    said = Note("MT-Bench: each line is two votes, game 1 shows model_1 first, game 2 model_2; error is unparsed")
    return rows.opened(connection, "votes", facets=_turn(lines), notes=[*notes, said, *_numbered(category)])


def _votes(connection: duckdb.DuckDBPyConnection, lines: list[Line], notes: list[Note]) -> Opened:
    """A vote of each row of the human judgments; which answer was shown first is not in them."""
    rows = Records(*_COLUMNS)
    category = _categories(lines)
    for line in lines:
        rows.add(
            prompt=line.question,
            prompt_type=category.get(line.question),
            model_a=line.models[0],
            model_b=line.models[1],
            winner=None if line.verdicts[0] is None else meant(line.verdicts[0], _VOTES, f"{line.where}: winner"),
            status="unparsed" if line.verdicts[0] == _INCONSISTENT else "ok",
            **_said(line),
        )
    count = sum(line.verdicts[0] == _INCONSISTENT for line in lines)
    said = f'{counted(count, "row")} "{_INCONSISTENT}", whose two orders disagreed and are gone: unparsed, no ties'
    notes = [*notes, Note("MT-Bench: each row is a vote of the human judgments; the order is not known")]
    notes += [*([Note(said)] if count else []), *_numbered(category)]
    return rows.opened(connection, "votes", facets=_turn(lines), notes=notes)


def _said(line: Line) -> dict[str, object]:
    """Who judged, by which template, which turn."""
    return {"judge": line.judge, "judge_template": line.template, "turn": line.turn}


def _turn(lines: Iterable[Line]) -> tuple[str, ...]:
    """The turn as a facet, where there are several."""
    return ("turn",) if len({line.turn for line in lines}) > 1 else ()


def _categories(lines: Iterable[Line]) -> Mapping[str, str]:
    """Category by question, if all are among the 80 of MT-Bench; templates follow from it."""
    known = {str(81 + place): CATEGORIES[place // 10] for place in range(10 * len(CATEGORIES))}
    return known if all(line.question in known for line in lines) else {}


def _numbered(category: Mapping[str, str]) -> list[Note]:
    return [Note("prompt_type: by its own numbers of questions, 81 to 90 writing and so on")] if category else []


SIGHT = ("question_id",)
FORMAT = Format("mt-bench", read_judgments, claims=claims, tool=True, holds=holds)
