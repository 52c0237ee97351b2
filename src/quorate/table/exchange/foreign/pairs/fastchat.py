"""FastChat: the log of a server of side-by-side chats, of which some events are votes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.records import Records, identity, name_at, no_parts, number_at, objects
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb

VOTES = {"leftvote": "model_a", "rightvote": "model_b", "tievote": "tie", "bothbad_vote": "tie (bothbad)"}
"""Who won by the type of an event."""


def claims(glance: Glance) -> bool:
    """Whether the first event has a type, a time, and a conversation or two."""
    record = glance.record
    held = isinstance(record.get("state"), dict) or isinstance(record.get("states"), list)
    return held and isinstance(record.get("type"), str) and "tstamp" in record


def _read_log(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One vote for each event that is one, of who voted from one address, on the first of what both were asked.

    Raises
    ------
    InvalidData
        If no event is a vote, or one names no two models.
    """
    no_parts(part, path)
    rows, others = Records("prompt", "model_a", "model_b", "winner", "judge", "turn", "time"), 0
    for number, event in objects(path, "type", "tstamp", of="FastChat"):
        winner = VOTES.get(event["type"])
        if winner is None:
            others += 1
            continue
        where = f"{path}: line {number}"
        states = event.get("states")
        if not isinstance(states, list) or len(states) != len("ab"):
            raise InvalidData(f"{where}: a vote without the two conversations in states")
        names = _names(event, states, where)
        asked = [text for role, text in _messages(states[0]) if role == "user"]
        rows.add(
            prompt=identity(asked[0]) if asked else f"vote {number}",
            model_a=names[0],
            model_b=names[1],
            winner=winner,
            judge=identity(str(event["ip"])).split()[0] if event.get("ip") else None,
            turn=len(asked) or None,
            time=number_at(event["tstamp"], f"{where}: tstamp"),
        )
    if not len(rows):
        raise InvalidData(f"{path}: none of {counted(others, 'event')} is a vote")
    notes = [Note("FastChat: an event of a vote is a vote, left or right; who voted is an address, by its hash")]
    notes += [Note(f"{counted(others, 'event')} of chats left out")] if others else []
    return rows.opened(connection, "votes", facets=("turn",), notes=notes)


def _names(event: dict[str, Any], states: list[Any], where: str) -> list[str]:
    """The two models: anonymous ones have their names in the conversations alone."""
    given = event.get("models")
    shown = given if isinstance(given, list) and len(given) == len("ab") else [None, None]
    held = [state.get("model_name") if isinstance(state, dict) else None for state in states]
    return [name_at(one or other, f"{where}: models") for one, other in zip(held, shown, strict=True)]


def _messages(state: Any) -> list[tuple[str, str]]:
    """Who said what in a conversation."""
    held = state.get("messages") if isinstance(state, dict) else None
    pairs = [one for one in held or [] if isinstance(one, list) and len(one) == len("ab")]
    return [(str(role).lower(), text) for role, text in pairs if isinstance(text, str)]


SIGHT = ("tstamp",)
FORMAT = Format("fastchat", _read_log, claims=claims, tool=True, holds=lambda _: "votes")
