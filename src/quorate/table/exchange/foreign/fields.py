"""Fields that people gave their records: columns by the names of our roles, where the fields' names say these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quorate.roles import CATEGORY, GENERATION, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM, TEMPERATURE
from quorate.table.columns import roles, vote_roles
from quorate.table.columns.outcomes import plain
from quorate.table.exchange.foreign.records import identity
from quorate.table.exchange.format import Kind

_WANTED = {
    "scores": {name: roles.ALIASES[name] for name in (ITEM, SYSTEM, CATEGORY, GENERATION, TEMPERATURE)},
    "votes": {
        **{name: vote_roles.PAIR[name] for name in ("model_a", "model_b")},
        **{name: vote_roles.ALIASES[name] for name in (PROMPT, "prompt_type", "cluster")},
    },
}
"""Roles that a field may have by its name; who judged, and how, the tool says itself."""
_TAKEN = {
    *(name for one in (roles.ALIASES, vote_roles.ALIASES, vote_roles.PAIR) for names in one.values() for name in names),
    *(JUDGE, REPLICATE, "score", "status", "winner", "order", "control", "criterion"),
}
_LONGEST = 120


def columns_of(fields: Iterable[str], kind: Kind) -> dict[str, str]:
    """The column of every field: a role that its name says, each role once, else a name that says no role.

    Parameters
    ----------
    fields : iterable of str
        Names as the tool has them; those that cannot be printed are left out.
    kind : {"scores", "votes"}
        What the table will hold.

    Examples
    --------
    >>> columns_of(["question", "item", "model_name", "length"], "scores")
    {'item': 'item', 'model_name': 'system', 'question': 'data.question', 'length': 'length'}
    """
    names = [name for name in dict.fromkeys(fields) if name.strip() and name.isprintable()]
    column: dict[str, str] = {}
    for role, aliases in _WANTED[kind].items():
        named = sorted((name for name in names if plain(name) in aliases), key=lambda name: aliases.index(plain(name)))
        column.update({name: role for name in named[:1] if name not in column})
    taken = {*column.values()}
    for name in names:
        if name not in column:
            own = f"data.{name}" if plain(name) in _TAKEN or name.casefold() in taken else name
            if own.casefold() not in taken:
                column[name] = own
                taken.add(own.casefold())
    return column


def beside(fields: Iterable[str], prefix: str) -> dict[str, str]:
    """The column of every field beside roles that the tool says itself: the category, or a name behind a prefix.

    Examples
    --------
    >>> beside(["Topic", "model", "topic"], "metadata")
    {'Topic': 'category', 'model': 'metadata.model'}
    """
    known: dict[str, str] = {}  # as DuckDB tells names apart
    for name in filter(str.isprintable, fields):
        known.setdefault(name.casefold(), name)
    category = next((name for name in roles.ALIASES[CATEGORY] if name in known), None)
    return {name: CATEGORY if folded == category else f"{prefix}.{name}" for folded, name in known.items()}


def labelled(record: Mapping[str, object], columns: Mapping[str, str]) -> dict[str, object]:
    """The values of a record under their columns: what is one short value; of what is judged its text in short."""
    held: dict[str, object] = {}
    for name, column in columns.items():
        value = record.get(name)
        if isinstance(value, str) and len(value) > _LONGEST and column in (ITEM, PROMPT):
            value = identity(value)
        if isinstance(value, (int, float)) or (isinstance(value, str) and value and len(value) <= _LONGEST):
            held[column] = value
    return held
