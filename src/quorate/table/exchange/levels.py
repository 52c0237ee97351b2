"""Records that hold scores under names of judges and systems, which lists beside the records say are such."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quorate.roles import JUDGE, SYSTEM
from quorate.table.columns.aliases import JUDGES_ALONE
from quorate.table.columns.languages import plain
from quorate.wording import words

_SYSTEMS = frozenset(words("candidate system model competitor contestant contender entrant submission"))
_SCORE, _DEEPEST = "score", 3
"""The column of what stands under the names, and how deep in an object lists of them are looked for."""

Record = dict[str, Any]


def by_named_levels(content: Mapping[str, Any], records: Sequence[Record]) -> tuple[list[Record], str] | None:
    """A row for each number that stands under the name of a judge or a system, or of both; None where none does.

    Parameters
    ----------
    content : mapping
        The object that holds the records, and lists of names beside them.
    records : sequence of dict
        Its records.

    Examples
    --------
    >>> by_named_levels({"judges": ["u", "v"]}, [{"id": 1, "marks": {"u": 4, "v": 5}}, {"id": 2, "marks": {"u": 3}}])[0]
    [{'id': 1, 'judge': 'u', 'score': 4}, {'id': 1, 'judge': 'v', 'score': 5}, {'id': 2, 'judge': 'u', 'score': 3}]
    """
    lists = [*_lists(content, 1)]
    fields = dict.fromkeys(name for record in records for name in record)
    found = {name: roles for name in fields if (roles := _roles([one.get(name) for one in records], lists))}
    if len(found) != 1:
        return None
    ((name, roles),) = found.items()
    if {*map(plain, fields)} & {*roles, _SCORE}:
        return None
    rows = [
        {
            **{key: value for key, value in record.items() if key != name},
            **dict(zip(roles, labels, strict=True)),
            **given,
        }
        for record in records
        for labels, given in _leaves(record.get(name) or {}, len(roles))
    ]
    return rows, f"keys of {name} are {' and '.join(f'{role}s' for role in roles)}, as lists beside the records say"


def _lists(held: Mapping[str, Any], depth: int) -> Iterator[tuple[str, frozenset[str]]]:
    """Every list of names of judges, or of systems, by what it is called: its role, and the names."""
    for key, value in held.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _lists(value, depth + 1)
        role = _role_of(key)
        if role and isinstance(value, list) and len(value) > 1 and all(isinstance(one, str) for one in value):
            yield role, frozenset(value)


def _role_of(key: str) -> str | None:
    """What names are that a list holds which is called so."""
    said = {word.removesuffix("s") for word in plain(key).split("_")}
    return JUDGE if said & {*JUDGES_ALONE} else SYSTEM if said & _SYSTEMS else None


def _roles(values: Sequence[Any], lists: Sequence[tuple[str, frozenset[str]]]) -> tuple[str, ...]:
    """What the keys of objects are, one level or two, where lists leave one way alone; nothing otherwise."""
    held = [value for value in values if isinstance(value, dict) and value]
    if not held or any(value not in (None, {}) for value in values if not isinstance(value, dict)):
        return ()
    below = [inner for value in held for inner in value.values() if isinstance(inner, dict) and inner]
    first, second = ({key for one in level for key in one} for level in (held, below))
    as_first, as_second = ({role for role, names in lists if keys <= names} for keys in (first, second))
    if all(_is_given(inner) for value in held for inner in value.values()):
        return tuple(as_first) if len(as_first) == 1 else ()
    deep = all(
        isinstance(inner, dict) and all(map(_is_given, inner.values())) for one in held for inner in one.values()
    )
    ways = [(one, other) for one in as_first for other in as_second if one != other]
    return ways[0] if deep and second and len(ways) == 1 else ()


def _is_given(value: Any) -> bool:
    """Whether a value is a score, or none."""
    return value is None or isinstance(value, (int, float))


def _leaves(held: Mapping[str, Any], depth: int) -> Iterator[tuple[tuple[str, ...], Record]]:
    """What stands under the keys of one level or two, with these."""
    for key, value in held.items():
        if depth == 1:
            yield (key,), {_SCORE: value}
        else:
            yield from (((key, *inner), given) for inner, given in _leaves(value, depth - 1))
