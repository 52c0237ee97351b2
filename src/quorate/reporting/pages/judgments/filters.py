"""Where to find rows: conditions that select them, in SQL that quotes every label."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.table.columns.labels import ABSENT
from quorate.table.judgments import Judgments

MOST = 300
"""Longer conditions are in downloads only."""


def where(judgments: Judgments, labels: Mapping[str, str]) -> str:
    r"""A condition that selects the rows with these labels, as SQL that DuckDB and PostgreSQL read.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item_id": ["it's", "b"], "judge": ["x", "y"], "score": [1, 2]})
    >>> where(q.read(frame, announce=False), {"item": "it's"})
    '"item_id" = \'it\'\'s\''
    """
    conditions = []
    for role, label in labels.items():
        name = '"' + judgments.facet(role).column.replace('"', '""') + '"'
        same = f"{name} = {literal(label)}"
        conditions.append(f"({name} IS NULL OR {same})" if label == ABSENT else same)
    return " AND ".join(conditions)


def literal(text: str) -> str:
    r"""Text as an SQL string on one line; characters that cannot be seen by their number.

    Examples
    --------
    >>> print(literal("two\nlines"))
    'two' || chr(10) || 'lines'
    """
    parts, plain = [], ""
    for character in text:
        if character.isprintable() or character == " ":
            plain += character
        else:
            parts += [_quoted(plain)] * bool(plain) + [f"chr({ord(character)})"]
            plain = ""
    return " || ".join([*parts, *([_quoted(plain)] if plain or not parts else [])])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
