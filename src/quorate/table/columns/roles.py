"""Roles of the columns of judgments: declared by the user, or recognised by a column's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quorate.arguments import argument
from quorate.errors import InvalidInput, UnknownColumn
from quorate.frozen import dataclass
from quorate.roles import CATEGORY, GENERATION, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM, TEMPERATURE, TURN
from quorate.table.columns import aliases
from quorate.table.columns.languages import plain
from quorate.table.facets import Facet
from quorate.table.notes import Note, left_unused, read_as
from quorate.wording import Brief

FIXED = (JUDGE, TEMPERATURE, TURN, *aliases.PLACES)
"""Roles whose levels are taken as chosen unless the user says otherwise."""
MOST_CHOSEN = 500
"""Levels of such a role beyond which they are taken as drawn: a crowd is sent out, not chosen one by one."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    ITEM: (*aliases.ASKED, *aliases.EXAMPLES),
    PROMPT: (*aliases.PROMPTS, *aliases.VARIANTS),
    JUDGE: aliases.JUDGES,
    SYSTEM: aliases.SYSTEMS,
    GENERATION: aliases.GENERATIONS,
    TEMPERATURE: aliases.TEMPERATURES,
    TURN: aliases.TURNS,
    REPLICATE: aliases.REPLICATES,
    "score": aliases.SCORES,
    CATEGORY: aliases.TYPES,
    "status": aliases.STATUSES,
}
"""Column names recognised for each role, in lower case with words joined by underscores."""
FURTHER: Mapping[str, tuple[str, ...]] = {
    ITEM: (*aliases.SEGMENTS, *aliases.NUMBERED),
    JUDGE: aliases.JUDGES_TOO,
    SYSTEM: aliases.SYSTEMS_TOO,
}
"""Names that say a role where no column has one of the others."""

_RESERVED = ("cell", "residual")


@dataclass(frozen=True)
class Roles(Brief):
    """Columns by role.

    Parameters
    ----------
    facets : tuple of Facet
        Without levels; parents that were only named follow those declared.
    object : str
        Role of the object of measurement.
    score : str
        Column of the score.
    status, replicate : str, optional
        Columns of the row's status and of the replicate.
    guessed : str, optional
        Parent of the object that was recognised rather than declared, so must be checked.
    notes : tuple of Note
        What was recognised, and the columns that are not used.
    """

    facets: tuple[Facet, ...]
    object: str
    score: str
    status: str | None = None
    replicate: str | None = None
    guessed: str | None = None
    notes: tuple[Note, ...] = ()


def resolve(
    columns: Sequence[str],
    *,
    score: str,
    facets: Mapping[str, str] | None,
    object: str,
    nested: Mapping[str, str] | None,
    fixed: Iterable[str],
    status: str | None,
    by_name: bool = False,
) -> Roles:
    """Columns by role, as declared in the arguments of `quorate.read` or recognised by name.

    Recognised are those that ``facets`` does not name if there are no ``facets`` or ``by_name`` says so, and in any
    case the status.

    Raises
    ------
    InvalidInput
        If a declaration contradicts itself or a name is ambiguous.
    UnknownColumn
        If a column is not there.
    """
    by_name = by_name or facets is None
    named, guessed, nested = dict(_checked(facets or {})), None, dict(nested or {})
    if by_name:
        named, parent, score, status = _completed(named, columns, object, score, status)
        guessed = None if object in nested or parent in (*nested.values(), *named) else parent
    if GENERATION in named and object != GENERATION:
        nested.setdefault(GENERATION, object)  # a response is one to an item
    replicate = named.pop(REPLICATE, None)
    _require(columns, {**named, "score": score, "status": status or None, REPLICATE: replicate})
    declared = tuple(Facet(role, column, ()) for role, column in named.items())
    _require_role(object, "object", [facet.name for facet in declared])
    joined = _nest(declared, {**nested, **({object: guessed} if guessed else {})}, columns)
    parents = {facet.name: facet.parent for facet in joined}
    chosen = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    for name in chosen if chosen != FIXED else ():
        _require_role(name, "fixed", [facet.name for facet in joined])
    if chosen == FIXED:  # what is inside drawn groups is drawn with them, unless it is said to be chosen
        chosen = tuple(role for role in chosen if parents.get(role) is None)
    joined = tuple(replace(facet, fixed=facet.name in chosen) for facet in joined)
    used = {score, replicate, *(facet.column for facet in joined)}
    seen = {} if status is not None else recognise([name for name in columns if name not in used], ["status"])
    status = seen.get("status", status) or None
    others = {"score": score, "status": status, REPLICATE: replicate}
    uses: dict[str, str] = {}
    for role, column in [*((facet.name, facet.column) for facet in joined), *others.items()]:
        if column is not None and uses.setdefault(column, role) != role:
            rule = f'facets: column "{column}" is both {uses[column]} and {role}; a column has one role; name another, '
            raise InvalidInput(rule + argument("facets", {role: ...}))
    taken = _taken(joined, others) if by_name else _taken((), seen)
    unused = left_unused([column for column in columns if column not in {*used, status}])
    return Roles(joined, object, score, status, replicate, guessed, (*taken, *unused))


def recognise(columns: Sequence[str], roles: Iterable[str] = tuple(ALIASES)) -> dict[str, str]:
    """Columns whose name says their role, by role in the order of `ALIASES`.

    Raises
    ------
    InvalidInput
        If two columns claim one role.
    """
    found: dict[str, str] = {}
    for role in roles:
        claims = aliases.claims(columns, ALIASES[role], FURTHER.get(role, ()))
        if len(claims) > 1:
            listed = " and ".join(f'"{column}"' for column in claims)
            fix = argument("status", ...) if role == "status" else argument("facets", {role: ...})
            raise InvalidInput(f"facets: {listed} could each be the {role}; say which: " + fix)
        if claims:
            found[role] = claims[0]
    return found


def _completed(
    named: Mapping[str, str], columns: Sequence[str], object: str, score: str, status: str | None
) -> tuple[dict[str, str], str | None, str, str | None]:
    """Facets, parent of the object, score and status, with what is not named recognised; an empty name leaves out."""
    arguments = {"score": None if score == "score" else score, "status": status}
    for role, column in named.items():
        if not column and (role not in ALIASES or role == "score"):
            known = next((name for name, known in ALIASES.items() if plain(role) in known), None)
            fix = f'; column "{role}" is recognised as {known}: leave that out' if known else ""
            raise InvalidInput(f'facets: "{role}" has no column; only roles recognised by name can be left out{fix}')
        if arguments.get(role) not in (None, column):
            raise InvalidInput(
                f'facets: "{role}" is column "{column}", but {role} is "{arguments[role]}"; give it once'
            )
    score, status = named.get("score", score), named.get("status", status)
    skipped = {*named, "status", *(["score"] if score != "score" else [])}
    free = [column for column in columns if column not in {*named.values(), score, status} or column == "score"]
    seen = recognise(free, [role for role in ALIASES if role not in skipped])
    parent, other_score = seen.pop(CATEGORY, None), seen.pop("score", score)
    score = score if score in columns else other_score
    roles = {**seen, **{role: column for role, column in named.items() if column and role not in ("score", "status")}}
    order = {object: -1, **{role: place for place, role in enumerate(ALIASES)}}
    facets = {role: roles[role] for role in sorted(roles, key=lambda role: order.get(role, len(order)))}
    return facets, parent, score, status


def _taken(facets: Sequence[Facet], others: Mapping[str, str | None]) -> tuple[Note, ...]:
    taken = (read_as(facet.name, [facet.column], facet.parent) for facet in facets)
    return (*taken, *(read_as(role, [column]) for role, column in others.items() if column is not None))


def _checked(facets: Mapping[Any, Any]) -> Mapping[str, str]:
    for role, column in facets.items():
        if not isinstance(role, str) or not isinstance(column, str):
            raise InvalidInput(f"facets: maps role names to column names, got {role!r}: {column!r}")
        if not role or role in _RESERVED or any(mark in role for mark in ":[+"):
            raise InvalidInput(f'facets: "{role}" cannot be a role (empty, reserved, or with : [ or +); choose another')
    return facets


def _require(columns: Sequence[str], wanted: Mapping[str, str | None]) -> None:
    for role, column in wanted.items():
        if column is not None and column not in columns:
            named = {"score": "argument", "status": "argument", "nested": ""}.get(role, "facets")
            raise UnknownColumn(role, column, columns, named)


class NoObject(InvalidInput):
    """No column is said to be, nor called, what is judged."""


def _require_role(name: str, option: str, roles: Sequence[str]) -> None:
    if name not in roles:
        listed = ", ".join(f'"{role}"' for role in roles) or "none"
        rule = f'{option}: "{name}" is not one of the facets ({listed}); name it in '
        raise (NoObject if option == "object" else InvalidInput)(rule + argument("facets", {...: ...}))


def _nest(facets: tuple[Facet, ...], nested: Mapping[str, str], columns: Sequence[str]) -> tuple[Facet, ...]:
    by_role = {facet.name: facet for facet in facets}
    role_of = {facet.column: facet.name for facet in facets}
    parents = {child: value if value in by_role else role_of.get(value, value) for child, value in nested.items()}
    for column in parents.values():
        if column not in by_role:
            _require(columns, {"nested": column})
            by_role[column] = Facet(column, _checked({column: column})[column], ())
    for child, parent in parents.items():
        _require_role(child, "nested", list(by_role))
        by_role[child] = replace(by_role[child], parent=parent)
    for start in by_role:
        path = [start]
        while (above := by_role[path[-1]].parent) is not None and len(path) <= len(by_role):
            path.append(above)
            if above == start:
                raise InvalidInput(f"nested: {' in '.join(path)} is a circle; a facet cannot contain itself")
    return tuple(by_role.values())
