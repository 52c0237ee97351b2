"""Columns that are not used and repeat as ids do, whose rows may resemble each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from quorate.table.columns.aliases import SESSIONS
from quorate.table.columns.languages import plain
from quorate.table.columns.names import ANSWERERS, CLUSTERS, IDS, JUDGED, OCCASIONS, words_of
from quorate.table.exchange.format import Opened
from quorate.table.notes import Note, not_used
from quorate.wording import listed

if TYPE_CHECKING:
    import narwhals as nw

ROWS = 2_000
"""Rows that are looked at, from the first."""
_MOST_COLUMNS, _LONGEST, _FEWEST, _SHOWN = 30, 64, 5, 3
_NAMES = {*IDS, *ANSWERERS, *JUDGED, *CLUSTERS, *OCCASIONS, "uid", "batch", "topic", "group", "class", "source"}
"""Words in the names of columns whose labels repeat because rows have something in common."""


def hint_of_file(notes: Sequence[Note], file: Opened, votes: bool) -> tuple[Note, ...]:
    """The hint on the columns of a file that notes say are not used."""

    def rows(names: Sequence[str]) -> list[Sequence[Any]]:
        return list(file.only(names).limit(ROWS).fetchall())

    return _hint(notes, rows, votes)


def hint_of_frame(notes: Sequence[Note], frame: nw.DataFrame[Any] | nw.LazyFrame[Any], votes: bool) -> tuple[Note, ...]:
    """The same of a data frame."""
    import narwhals as nw

    def rows(names: Sequence[str]) -> list[Sequence[Any]]:
        head = frame.select(*names).head(ROWS)
        return list((head.collect() if isinstance(head, nw.LazyFrame) else head).iter_rows())

    return _hint(notes, rows, votes)


def _hint(notes: Sequence[Note], rows: Callable[[Sequence[str]], list[Sequence[Any]]], votes: bool) -> tuple[Note, ...]:
    unused = not_used(notes)[:_MOST_COLUMNS]
    if not unused:
        return ()
    columns = zip(*rows(unused), strict=True)
    found = [name for name, values in zip(unused, columns, strict=False) if looks_like_ids(name, values)]
    if not found:
        return ()
    name = found[0]
    how = f"cluster={name}, --role cluster={name}" if votes else f"a facet, --facet {name}={name}"
    what = "votes" if votes else "scores"
    noun = "repeats as ids do" if len(found) == 1 else "repeat as ids do"
    return (Note(f"{listed(found, most=_SHOWN)} {noun}: if {what} of one resemble each other, name it ({how})"),)


def looks_like_ids(name: str, values: Sequence[Any]) -> bool:
    """Whether values repeat and are labels of something: by the column's name, or as texts with numbers in them.

    Examples
    --------
    >>> looks_like_ids("student", ["ann", "bob", "eve", "joe", "kim"] * 4), looks_like_ids("code", ["a1"] * 9)
    (True, False)
    """
    known = [value for value in values if value is not None and value == value]  # noqa: PLR0124  (nan is not itself)
    if not all(isinstance(value, (str, int)) and not isinstance(value, bool) for value in known):
        return False
    texts = [str(value) for value in known]
    levels = set(texts)
    if plain(name) in SESSIONS:
        return 2 <= len(levels) <= len(texts) / 2
    if not _FEWEST <= len(levels) <= len(texts) / 2 or max(map(len, levels)) > _LONGEST:
        return False
    if any(re.fullmatch(r"[+-]?\d*\.\d+", text) for text in levels):
        return False
    coded = [text for text in levels if re.search(r"\d", text) and not text.lstrip("+-").isdigit()]
    return bool(_NAMES & {*words_of(name)}) or len(coded) >= 0.9 * len(levels)
