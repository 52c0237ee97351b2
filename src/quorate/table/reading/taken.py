"""A table that is read by itself: as the names of its columns say, else as a look at what they hold does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from quorate.errors import InvalidData, InvalidInput, QuorateError, UnknownColumn
from quorate.roles import JUDGE, SYSTEM
from quorate.table.columns.labels import ABSENT
from quorate.table.columns.scores import number
from quorate.table.columns.vote_roles import has_pairs, recognise_pair
from quorate.table.exchange.csv_text import UNNAMED
from quorate.table.exchange.format import Kind
from quorate.table.exchange.postgres.address import is_place
from quorate.table.exchange.rows import Rows
from quorate.table.facts.profile import Table, looked_at
from quorate.table.judgments import Judgments
from quorate.table.notes import Note, not_used
from quorate.table.reading.kept import BESIDE, beside, kind_kept
from quorate.table.reading.pairs import pair_of
from quorate.table.reading.reading import Reading, Unsure
from quorate.table.reading.scored import scores_of
from quorate.table.votes import Votes

NOTHING = "no column looks like a judgment: none holds scores, and no two name systems with who won"

Read = TypeVar("Read", bound="Judgments | Votes")


def reading_of(table: Table) -> Reading | None:
    """How a table is read whose columns have been looked at; None if nothing in it looks like a judgment.

    Raises
    ------
    Unsure
        If what its columns hold can be read in no way as it stands.
    """
    votes = pair_of(table)
    sides = [name for role in ("model_a", "model_b") if (name := recognise_pair(role, table.names)) is not None]
    scores = recognise_pair("winner", table.names) is None and all(table.column(name).numeric for name in sides)
    if votes is not None or scores or not has_pairs(table.names):
        return votes or scores_of(table)
    return Reading({}, kind="votes")  # of two models, and nothing more is known of them


def taken(
    source: Any, kind: Kind | None, rows: Rows, read: Callable[[Kind | None, Mapping[str, Any]], Read]
) -> tuple[Read, str]:
    """A table of which nobody has said how it is read, and what was taken for granted of it, empty if nothing was.

    Parameters
    ----------
    source : path or frame
        As of `quorate.read`.
    kind : {"scores", "votes"} or None
        What its rows have to be.
    rows : Rows
        Which of its rows are read.
    read : callable
        From the kind and arguments of `quorate.read` to the table; without arguments names of columns are recognised.

    Raises
    ------
    Unsure
        If the columns leave several readings.
    """
    kept = beside(source, rows)
    if kept is not None and kind in (None, kind_kept(kept), kept.get("kind")):
        table = read(kind or kind_kept(kept), {name: value for name, value in kept.items() if name != "kind"})
        return replace(table, notes=(Note(f"as {BESIDE} beside it says"), *table.notes)), ""
    try:
        table = read(kind, {})
    except Unsure:
        raise
    except InvalidInput as error:
        found = _looked_at(source, rows, kind, error)
        return read(found.kind, found.options), found.said
    if not isinstance(table, Judgments) or not (_repeats(table) or _scored_by_scores(table) or _unlabelled(table)):
        return table, ""
    try:
        found = _looked_at(source, rows, "scores", None)
    except Unsure:
        raise
    except InvalidInput:  # there is nothing else that it may be
        return table, ""
    return read(found.kind, found.options) if found.options else table, found.said


def _repeats(table: Judgments) -> bool:
    """Whether rows repeat one another, or nobody judged them, although columns are left that may say who did."""
    named = table.origin is None or table.origin.roles.replicate is not None
    again = bool((table.rows > 1).any()) or JUDGE not in table.names
    return not named and bool(not_used(table.notes)) and again


def _unlabelled(table: Judgments) -> bool:
    """Whether most rows do not say which system or judge they are of."""
    rows = int(table.rows.sum())
    for facet in table.facets:
        if facet.name in (SYSTEM, JUDGE) and ABSENT in facet.levels:
            absent = table.column(facet.name) == facet.levels.index(ABSENT)
            if 2 * int(table.rows[absent].sum()) > rows:
                return True
    return False


def _scored_by_scores(table: Judgments) -> bool:
    """Whether levels of the judge look like scores, one for each item: what somebody else said, not who said it."""
    if JUDGE not in table.names or table.n_levels(table.object) < table.n_cells:
        return False
    levels = [number(level) for level in table.facet(JUDGE).levels]
    ends = (float(np.nanmin(table.low)), float(np.nanmax(table.high))) if table.n_answers else (0.0, 0.0)
    return len(levels) > 1 and all(level is not None and ends[0] <= level <= ends[1] for level in levels)


def _looked_at(source: Any, rows: Rows, kind: Kind | None, error: InvalidInput | None) -> Reading:
    """How a table is read by what its columns hold."""
    unnamed: list[str] = []
    refused = error or InvalidInput("source: is read as its names say")
    try:
        with looked_at(source, rows) as table:
            unnamed.extend(note for note in table.opened.notes if note == UNNAMED)
            found = reading_of(table)
    except Unsure as open_:
        raise Unsure("; ".join([*unnamed, open_.problem]), _named(source), open_.ways, open_.kind) from None
    except InvalidData:  # the file is broken, which its names did not show
        raise
    except QuorateError:
        raise refused from None
    if found is None and isinstance(refused, InvalidData):  # of a column that is named score, whatever is in it
        raise refused from None
    if found is None:
        raise Unsure("; ".join([*unnamed, str(refused), NOTHING]), _named(source)) from None
    known = isinstance(error, UnknownColumn) and found.kind == "votes"  # whose names the beginning did not show
    if kind not in (None, found.kind) or not (found.options or found.meant or known or (not error and found.said)):
        raise refused from None
    if error is not None and found.options and found.options.keys() <= {"label", "labels", "numbers"}:
        raise refused from None  # says all that can be said of words
    if found.confidence == "unsure":
        raise Unsure(
            "; ".join([*unnamed, found.said or str(refused)]), _named(source), found.ways, found.kind
        ) from None
    return found


def _named(source: Any) -> str | tuple[str, ...] | None:
    """The path of a file, or those of several; None of a frame."""
    if not is_place(source):
        return None
    return tuple(map(str, source)) if isinstance(source, (list, tuple)) else str(source)
