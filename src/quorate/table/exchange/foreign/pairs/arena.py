"""Chatbot Arena: votes of a crowd on two models that answered the voter's own prompt, as they were released."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.frozen import dataclass
from quorate.table.exchange.csv_text import open_csv
from quorate.table.exchange.foreign.records import identity_in_sql, shown
from quorate.table.exchange.format import Format, Opened, literal, pattern, quoted, suffix_of
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note

if TYPE_CHECKING:
    import duckdb

PARTS = ("anonymous", "all")

WINNERS = ("model_a", "model_b", "tie", "tie (bothbad)", "both_bad")
ONE_HOT = ("winner_model_a", "winner_model_b", "winner_tie")
"""Columns of the release of 55,000 votes, of which one is 1."""

_TEXT = ("judge", "judge_hash", "evaluation_session_id", "language", "turn", "is_code")
"""Columns that are kept as they are; of two names of one thing the first that has entries."""
_JSON: Mapping[str, str] = {
    **dict.fromkeys(("model_a", "model_b", "winner", *ONE_HOT, *_TEXT, "anony", "prompt", "timestamp"), "VARCHAR"),
    "tstamp": "DOUBLE",
    "conversation_a": 'STRUCT("role" VARCHAR, "content" VARCHAR)[]',
}
"""What is read of JSON: nothing else is even parsed."""
_ONE_RELEASE = frozenset((*ONE_HOT, "prompt", "winner"))
_PAIR = ("model_a", "model_b", "winner")
_SAME = (("judge", "judge_hash"), ("tstamp", "timestamp"))
_ROW, _SHOWN = "row of the release", "names shown"
_LARGEST = 1 << 26
"""Bytes of one battle; as much is set aside for each thread."""
_FEWEST = 50
_ALONE = 1.25
"""Votes per label of a judge below which the labels are no people, in at least so many votes."""


@dataclass(frozen=True)
class Release:
    """A file as it was released.

    Parameters
    ----------
    relation : DuckDBPyRelation
        Its rows.
    places : mapping of str to str
        Columns that it has, to their names in the relation.
    """

    relation: duckdb.DuckDBPyRelation
    places: Mapping[str, str]

    def text(self, name: str) -> str:
        """A column as text."""
        return f"{quoted(self.places[name])}::VARCHAR"

    def type_of(self, name: str) -> Any:  # DuckDB says of the parts of a type only that they are one of three things
        """The type of a column."""
        return self.relation.types[self.relation.columns.index(self.places[name])]


def claims(glance: Glance) -> bool:
    """Whether it has two models, who won, and what only these releases say."""
    keys = glance.record.keys() | set(glance.header)
    if not {"model_a", "model_b"} <= keys:
        return False
    own = {"anony", "evaluation_session_id", "evaluation_order", *(("conversation_a",) if glance.array else ())} & keys
    return {*ONE_HOT[:2]} <= keys or ("winner" in keys and bool(own))


def read_battles(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One vote for each battle, without texts: in one pass over the file, of which only these columns are read.

    Parameters
    ----------
    part : {"anonymous", "all"}, optional
        Whether votes are read that were cast with the models' names shown; they are not by default.

    Raises
    ------
    InvalidData
        If a row names no model, or its winner is not known.
    InvalidInput
        If every vote was cast with names shown.
    UnknownTerm
        If there is no such part.
    """
    if part not in (None, *PARTS):
        raise UnknownTerm(part, PARTS, "part")
    release = _release(connection, path)
    listed = ", ".join(f"{text} AS {quoted(name)}" for name, text in _columns(release, path).items())
    table = quoted(f"battles of {path}")  # one pass over gigabytes: later ones are over this alone
    release.relation.query("battles", f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {listed} FROM battles")
    battles = connection.sql(f"SELECT rowid + 1 AS {quoted(_ROW)}, * FROM {table}")
    _refuse_unknown(battles, path)
    columns = _filled(battles)
    ((every, shown_names),) = battles.aggregate(f"count(*), count(*) FILTER ({quoted(_SHOWN)})").fetchall()
    if every and every == shown_names and part != "all":
        raise InvalidInput(
            f"{path}: all {every:,} votes were cast with the names of the models shown; read them with "
            + argument("part", "all")
        )
    kept = battles if part == "all" else battles.filter(f"NOT {quoted(_SHOWN)}")
    notes = (
        [Note(f"{shown_names:,} of {every:,} votes were cast with names shown (anony false)")] if shown_names else []
    )
    notes = [Note(f"{note}: {'kept' if part == 'all' else 'left out'}") for note in notes]
    relation = kept.project(", ".join(map(quoted, columns)))
    return Opened(relation, columns, typed=False, kind="votes", notes=(*notes, *_notes(relation, columns)))


def _release(connection: duckdb.DuckDBPyConnection, path: Path) -> Release:
    """The rows of a file, lazily, whichever of the formats it was released in."""
    glance = Glance(path)
    if glance.block.startswith(b"PAR1"):
        relation = connection.sql(f"SELECT * FROM read_parquet({pattern(path)})")
        return Release(relation, {name: name for name in relation.columns})
    if suffix_of(path) in (".csv", ".tsv"):
        opened = open_csv(connection, path)
        return Release(opened.relation, opened.inside)
    read = {name: kind for name, kind in _JSON.items() if name in glance.record or name not in _ONE_RELEASE}
    kinds = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in read.items())
    largest = _LARGEST if path.suffix.lower() == ".gz" else min(path.stat().st_size + 1, _LARGEST)
    form = "array" if glance.array else "newline_delimited"
    relation = connection.sql(
        f"SELECT * FROM read_json({pattern(path)}, format='{form}', columns={{{kinds}}}, "
        f"maximum_object_size={largest}, hive_partitioning=false)"
    )
    return Release(relation, {name: name for name in relation.columns})


def _columns(release: Release, path: Path) -> dict[str, str]:
    """What is read, by name: in the file's own names where it has them, and without texts."""
    lacking = [name for name in ("model_a", "model_b") if name not in release.places]
    lacking += [] if {"winner", *ONE_HOT} & release.places.keys() else ["winner"]
    if lacking:
        raise InvalidData(f'{path}: has no column "{lacking[0]}", which every release of Chatbot Arena has')
    columns = {name: release.text(name) for name in ("model_a", "model_b", *_TEXT) if name in release.places}
    columns |= _winner(release)
    prompts = [text(release) for name, text in _PROMPTS.items() if name in release.places]
    columns |= {"prompt": identity_in_sql(f"coalesce({', '.join(prompts)})")} if prompts else {}
    if "tstamp" in release.places:
        columns["tstamp"] = f"make_timestamp((TRY_CAST({release.text('tstamp')} AS DOUBLE) * 1000000)::BIGINT)"
    if "timestamp" in release.places:
        columns["timestamp"] = release.text("timestamp")
    for name in ("category_tag", "occupational_tags"):
        columns |= _tags(release, name) if name in release.places else {}
    shown_names = f"lower({release.text('anony')}) IN ('false', '0')" if "anony" in release.places else "false"
    return {**columns, _SHOWN: f"coalesce({shown_names}, false)"}


def _winner(release: Release) -> dict[str, str]:
    """The winner as it is written, or by which one of three columns is 1; a row with none or several is an error."""
    if "winner" in release.places:
        return {"winner": release.text("winner")}
    held = [name for name in ONE_HOT if name in release.places]
    ones = {name: f"coalesce(TRY_CAST({release.text(name)} AS DOUBLE) = 1, false)" for name in held}
    alone = " + ".join(f"({one})::INTEGER" for one in ones.values()) + " = 1"
    cases = " ".join(f"WHEN {one} THEN {literal(name.removeprefix('winner_'))}" for name, one in ones.items())
    return {
        "winner": f"CASE WHEN {alone} THEN CASE {cases} END END",
        "status": f"CASE WHEN {alone} THEN 'ok' ELSE 'error' END",
    }


def _conversation(release: Release) -> str:
    """The first message of the user, as text; of one in parts the text of all of them."""
    whole, kind = quoted(release.places["conversation_a"]), release.type_of("conversation_a")
    if kind.id != "list" or kind.child.id != "struct":
        return f"{whole}::VARCHAR"
    first = f"[message.content for message in {whole} if message.role = 'user'][1]"
    content = dict(kind.child.children).get("content")
    if content is None or content.id != "list" or content.child.id != "struct":
        return f"{first}::VARCHAR" if content is not None else f"{whole}::VARCHAR"
    texts = f"array_to_string([piece.text for piece in {first} if piece.text IS NOT NULL], ' ')"
    return f"coalesce(nullif({texts}, ''), {first}::VARCHAR)"


def _first_of_list(release: Release) -> str:
    """The first of a JSON list of prompts, which is not always valid JSON."""
    text = release.text("prompt")
    return f"coalesce(TRY(json_extract_string({text}, '$[0]')), {text})"


_PROMPTS = {"conversation_a": _conversation, "prompt": _first_of_list}
"""Columns that hold the prompt, and how its text is taken out of them."""


def _tags(release: Release, name: str) -> dict[str, str]:
    """The yes and no of a record of tags, each a column to choose rows by."""
    found: dict[str, str] = {}
    waiting = [(quoted(release.places[name]), release.type_of(name), "")]
    while waiting:
        text, kind, leaf = waiting.pop(0)
        if kind.id == "struct":
            waiting += [(f"{text}.{quoted(inner)}", one, inner) for inner, one in kind.children]
        elif kind.id == "boolean" and leaf not in (*release.places, *found):
            found[leaf] = f"{text}::VARCHAR"
    return found


def _refuse_unknown(battles: duckdb.DuckDBPyRelation, path: Path) -> None:
    """Refuse the first row without two models, or whose winner is none that is known."""
    named = " AND ".join(f"coalesce(trim({name}), '') <> ''" for name in ("model_a", "model_b"))
    known = f"coalesce(lower(trim(winner)) IN ({', '.join(map(literal, WINNERS))}), true)"
    wrong = battles.filter(f"NOT ({named} AND {known})").project(f"{quoted(_ROW)}, {known}, winner").limit(1).fetchall()
    for row, is_known, winner in wrong:
        if is_known:
            raise InvalidData(f"{path}: row {row} does not name two models")
        raise InvalidData(f"{path}: row {row}: winner {shown(winner)} is not known; known are {', '.join(WINNERS)}")


def _filled(battles: duckdb.DuckDBPyRelation) -> tuple[str, ...]:
    """Columns that hold something, one name for the judge and one for the time."""
    names = [name for name in battles.columns if name not in (_ROW, _SHOWN)]
    (counts,) = battles.aggregate(", ".join(f"count({quoted(name)})" for name in names)).fetchall()
    held = [name for name, count in zip(names, counts, strict=True) if count or name in _PAIR]
    twice = {other for name, other in _SAME if name in held}
    return tuple(name for name in held if name not in twice)


def _notes(relation: duckdb.DuckDBPyRelation, columns: tuple[str, ...]) -> list[Note]:
    """What prompts and judges are, and that the order is not told."""
    notes = [Note("Chatbot Arena: model_a stood on the left; the order is not known unless you say so")]
    if "prompt" in columns:
        notes.append(
            Note("prompt: the first message of the user, as a hash and its beginning; question_id is a vote's")
        )
    else:
        notes.append(Note("prompt: none is in the file"))
    if "status" in columns:
        notes.append(Note("winner_tie is a tie or both bad, which this release does not tell apart"))
    for judge in {"judge", "judge_hash"} & set(columns):
        ((votes, people),) = relation.aggregate(f"count({judge}), count(DISTINCT {judge})").fetchall()
        if votes >= _FEWEST and votes < _ALONE * people:
            notes.append(
                Note(
                    f"{judge}: {votes:,} votes have {people:,} labels, drawn anew for parts of the release: "
                    "who voted cannot be told, and people count as if each voted once"
                )
            )
    return notes


SIGHT = ("anony", "evaluation_", "conversation_a", "winner_model_a")
FORMAT = Format("arena", read_battles, claims=claims, tool=True, holds=lambda _: "votes")
