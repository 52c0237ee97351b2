"""Votes in a ledger whose prompts show two systems' responses: its columns by role, and what a score says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput
from quorate.roles import CATEGORY, ITEM, JUDGE, PROMPT, REPLICATE
from quorate.table.exchange.format import PAIR, Opened, quoted
from quorate.table.exchange.postgres.address import Places, title_of

SCORE = "score"
OUTCOMES: Mapping[str, float] = {"a": 1.0, "tie": 0.5, "b": 0.0}
"""What the score of a pair says, whichever response was shown first."""

_DEFAULTS = {"model_a": "model_a", "model_b": "model_b", "winner": "winner"}
_ROLES = {PROMPT: ITEM, "prompt_type": CATEGORY, JUDGE: JUDGE, "order": "order", "time": "at"}
_NAMES = {PROMPT: "variant"}
"""Facets of a ledger whose names mean something else of votes: there a prompt is what two systems answered."""


def as_votes(
    file: Opened, path: Places, declared: Mapping[str, Any], outcomes: object
) -> tuple[Mapping[str, Any], object]:
    """What the caller declares of a ledger, completed by what a ledger's columns mean.

    Raises
    ------
    InvalidInput
        If the ledger does not say which two systems a score compares.
    InvalidData
        If it has judgments of pairs and of single responses.
    """
    if declared["pair"] != _DEFAULTS or declared["wins"]:
        return declared, outcomes
    if file.instead is not None:
        raise InvalidInput(
            f"source: {title_of(path)} holds scores: use quorate.read, or read it as votes with "
            + argument("part", file.instead)
        )
    if not file.pairs:
        raise InvalidInput(
            f"source: {title_of(path)} holds scores and does not name two systems: use quorate.read; a ledger has "
            "votes where its study says items.system_a and items.system_b"
        )
    unnamed = " OR ".join(f"trim({quoted(name)}) = ''" for name in PAIR)
    ((single, every),) = file.relation.aggregate(f"count(*) FILTER ({unnamed}), count(*)").fetchall()
    if single:
        raise InvalidData(
            f"source: {title_of(path)} holds both judgments of pairs and {single:,} (of {every:,}) that name no "
            "two systems; leave these out with " + argument("where", f"trim({quoted(PAIR[0])}) <> ''")
        )
    named = {**declared["declared"], **declared["facets"]}
    known = {role: column for role, column in _ROLES.items() if role not in named and column not in named.values()}
    roles = {role: column if column in file.columns else "" for role, column in known.items()} | declared["declared"]
    taken = {*PAIR, SCORE, *roles.values(), *declared["facets"].values()}
    others = {_NAMES.get(name, name): name for name in (*file.facets, REPLICATE) if name not in taken}
    others = {name: column for name, column in others.items() if name not in {*roles, *declared["facets"]}}
    pair = {"model_a": PAIR[0], "model_b": PAIR[1], "winner": SCORE}
    facets = {**declared["facets"], **others}
    return {**declared, "pair": pair, "declared": roles, "facets": facets}, OUTCOMES if outcomes is None else outcomes
