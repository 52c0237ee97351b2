"""Which column plays which role: declared by the user, or recognised by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quorate.errors import InvalidInput, UnknownColumn
from quorate.table.judgments import Facet

FIXED = ("judge", "temperature")
"""Roles whose levels are taken as chosen unless the user says otherwise."""

REPLICATE = "replicate"

ALIASES: Mapping[str, tuple[str, ...]] = {
    "item": ("item", "item_id", "question", "question_id", "example_id", "sample_id", "doc_id", "instance_id"),
    "prompt": ("prompt", "prompt_id", "variant", "variant_id", "prompt_variant", "prompt_variant_id", "template"),
    "judge": ("judge", "judge_id", "judge_model", "judge_name", "grader", "grader_model", "rater", "annotator"),
    "system": ("system", "system_id", "sut", "sut_model", "model", "model_id", "model_name"),
    "temperature": ("temperature", "temp", "judge_temperature"),
    REPLICATE: ("replicate", "replicate_id", "replication", "rep", "epoch", "repeat"),
    "score": ("score", "outcome", "rating"),
    "category": ("category", "category_id", "subset", "topic"),
    "status": ("status", "judgment_status"),
}
"""Column names recognised for each role, in lower case with words joined by underscores."""

_RESERVED = ("cell", "residual")


@dataclass(frozen=True)
class Roles:
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
    notes : tuple of str
        What was recognised.
    """

    facets: tuple[Facet, ...]
    object: str
    score: str
    status: str | None = None
    replicate: str | None = None
    guessed: str | None = None
    notes: tuple[str, ...] = ()


def resolve(
    columns: Sequence[str],
    *,
    score: str,
    facets: Mapping[str, str] | None,
    object: str,
    nested: Mapping[str, str] | None,
    fixed: Iterable[str],
    status: str | None,
) -> Roles:
    """Columns by role, as declared in the arguments of `quorate.read` or recognised by name.

    Raises
    ------
    InvalidInput
        If a declaration contradicts itself or a name is ambiguous.
    UnknownColumn
        If a column is not there.
    """
    found = dict(_checked(facets)) if facets is not None else recognise(columns)
    nested = dict(nested or {})
    guessed = None
    if facets is None:
        parent, named = found.pop("category", None), found.pop("score", None)
        status = status or found.get("status")
        found.pop("status", None)
        score = named if score == "score" and score not in columns and named is not None else score
        guessed = None if object in nested or parent in nested.values() else parent
    replicate = found.pop(REPLICATE, None)
    others = {"score": score, "status": status, REPLICATE: replicate}
    _require(columns, {**found, **others})
    declared = tuple(Facet(role, column, ()) for role, column in found.items())
    _require_role(object, "object", [facet.name for facet in declared])
    joined = _fix(_nest(declared, {**nested, **({object: guessed} if guessed else {})}, columns), fixed)
    _distinct_columns(joined, others)
    notes = () if facets is not None else _notes(joined, others, columns)
    return Roles(joined, object, score, status, replicate, guessed, notes)


def recognise(columns: Sequence[str]) -> dict[str, str]:
    """Columns whose name says their role, by role in the order of `ALIASES`.

    Raises
    ------
    InvalidInput
        If two columns claim one role.
    """
    found: dict[str, str] = {}
    for role, names in ALIASES.items():
        claims = [column for column in columns if _plain(column) in names]
        if len(claims) > 1:
            listed = " and ".join(f'"{column}"' for column in claims)
            raise InvalidInput(f'facets: {listed} could each be the {role}; say which: facets={{"{role}": ...}}')
        if claims:
            found[role] = claims[0]
    return found


def _plain(column: str) -> str:
    return re.sub("[^a-z0-9]+", "_", column.lower()).strip("_")


def _notes(facets: Sequence[Facet], others: Mapping[str, str | None], columns: Sequence[str]) -> tuple[str, ...]:
    within = {facet.name: f", {facet.name} in {facet.parent}" for facet in facets if facet.parent is not None}
    taken = [f"{facet.name} = column {facet.column}{within.get(facet.name, '')}" for facet in facets]
    taken += [f"{role} = column {column}" for role, column in others.items() if column is not None]
    used = {facet.column for facet in facets} | set(others.values())
    rest = ", ".join(column for column in columns if column not in used)
    return (*taken, *([f"not used: {rest}"] if rest else []))


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
            raise UnknownColumn(role, column, columns)


def _require_role(name: str, argument: str, roles: Sequence[str]) -> None:
    if name not in roles:
        listed = ", ".join(f'"{role}"' for role in roles) or "none"
        raise InvalidInput(f'{argument}: "{name}" is not one of the facets ({listed}); name it in facets={{...}}')


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
    _no_cycle(by_role)
    return tuple(by_role.values())


def _no_cycle(by_role: Mapping[str, Facet]) -> None:
    for start in by_role:
        path = [start]
        while (parent := by_role[path[-1]].parent) is not None:
            path.append(parent)
            if parent == start:
                raise InvalidInput(f"nested: {' in '.join(path)} is a circle; a facet cannot contain itself")
            if len(path) > len(by_role):
                break


def _fix(facets: tuple[Facet, ...], fixed: Iterable[str]) -> tuple[Facet, ...]:
    names = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    roles = [facet.name for facet in facets]
    if names != FIXED:
        for name in names:
            _require_role(name, "fixed", roles)
    return tuple(replace(facet, fixed=facet.name in names) for facet in facets)


def _distinct_columns(facets: Sequence[Facet], others: Mapping[str, str | None]) -> None:
    taken: dict[str, str] = {}
    for role, column in [*((facet.name, facet.column) for facet in facets), *others.items()]:
        if column is not None and column in taken:
            raise InvalidInput(f'facets: column "{column}" is both {taken[column]} and {role}; a column has one role')
        if column is not None:
            taken[column] = role
