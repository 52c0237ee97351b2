"""What people said beside what judges did, told apart by the names of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate.table.columns.makers import maker
from quorate.table.facts.profile import Column
from quorate.table.reading.names import MACHINES, PEOPLE, is_id, words_of
from quorate.table.reading.reading import Meant


def is_of_people(name: str) -> bool:
    """Whether a column holds what people said, by its name.

    Examples
    --------
    >>> is_of_people("human_passed"), is_of_people("judge_passed"), is_of_people("gpt4_vs_human")
    (True, False, False)
    """
    return bool(PEOPLE & {*words_of(name)}) and not (_of_machines(name) or is_id(name))


def people_beside(columns: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Columns of what people said and those of judges beside them; None if there is one kind alone."""
    people = tuple(name for name in columns if is_of_people(name))
    judges = tuple(name for name in columns if name not in people)
    return (people, judges) if people and judges else None


def checked_by(options: Mapping[str, Any], people: Column, rows: int) -> tuple[Meant, ...]:
    """What is asked of a judge beside people: whether it says the same, and, of labels of a part, what all would be."""
    more = f"--human-label {people.name}"
    check = Meant(options, "the judge against people", "judges", more)
    if people.filled == rows or options.get("labels"):
        return (check,)
    mean = Meant(options, "the judge's mean, corrected by what people said", "analyze", more)
    return (mean, check) if 2 * people.filled < rows else (check, mean)


def _of_machines(name: str) -> bool:
    words = {*words_of(name)}
    return bool(MACHINES & words) or any(maker(word) is not None for word in words)
