"""What people said beside what judges did, told apart by the names of columns."""

from __future__ import annotations

from collections.abc import Sequence

from quorate.table.columns.makers import maker
from quorate.table.reading.names import MACHINES, PEOPLE, is_id, words_of


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


def _of_machines(name: str) -> bool:
    words = {*words_of(name)}
    return bool(MACHINES & words) or any(maker(word) is not None for word in words)
