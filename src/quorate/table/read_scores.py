"""Judge scores, read from a file or a frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from quorate import caveats
from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.roles import OF, SYSTEM, VERDICT
from quorate.table.collapse import sql as collapse_sql
from quorate.table.collapse.grouped import Grouped, judgments, without_label
from quorate.table.collapsed import Origin
from quorate.table.columns.labels import ABSENT
from quorate.table.columns.names import groups_items, is_cluster, is_id, is_judged
from quorate.table.columns.repeating import hint_of_file, hint_of_frame
from quorate.table.columns.roles import ALIASES, FIXED, MOST_CHOSEN, Roles, resolve
from quorate.table.columns.roles import recognise as recognise_columns
from quorate.table.columns.scales import NOTHING, Missing, NotNumbers, as_missing
from quorate.table.columns.words import (
    Meant,
    Words,
    as_asked,
    as_known,
    counts_in,
    counts_in_frame,
    meant,
    words_in,
    words_in_frame,
)
from quorate.table.exchange.format import Opened
from quorate.table.exchange.postgres.address import Places, absolute, is_place, places_of, title_of
from quorate.table.exchange.rows import ROW_NUMBER, Rows, is_made
from quorate.table.exchange.wide import COUNT, shape_of
from quorate.table.facets import Source
from quorate.table.facts.copies import with_copies
from quorate.table.families import Families, in_families
from quorate.table.files import explained, opened, source_of
from quorate.table.judgments import Judgments
from quorate.table.long import write
from quorate.table.notes import Note, log
from quorate.table.results import LIBRARIES, wrapped
from quorate.table.votes import Votes
from quorate.wording import counted

if TYPE_CHECKING:
    import narwhals as nw

# Chosen levels: one of each facet that is named, of judgments or of votes, with a caveat that says so.


Table = TypeVar("Table", Judgments, Votes)


def at_levels(table: Table, only: Mapping[str, str] | None) -> Table:
    """The table at one level of each facet named, by its role or its column.

    Raises
    ------
    InvalidInput
        If nothing is at all of these levels.
    UnknownTerm
        If there is no such facet or level.
    """
    for name, level in (only or {}).items():
        role = next((facet.name for facet in table.facets if facet.column == name), name)
        if role not in table.names:
            raise UnknownTerm(name, table.names, "facet (rows by another column are chosen with where)")
        before = _size(table)
        table = table.only(role, str(level))
        said = caveats.chosen_level(role, str(level), _size(table), before)
        table = replace(table, source=replace(table.source, caveats=(*table.source.caveats, said)))
    if not _size(table):
        raise InvalidInput("only: nothing is at all of these levels together")
    return table


def _size(table: Judgments | Votes) -> int:
    """Rows of judgments, or votes, whatever their status."""
    return int((table.rows if isinstance(table, Judgments) else table.weights).sum())


def read_scores(
    source: Any,
    *,
    score: str = "score",
    facets: Mapping[str, str] | None = None,
    object: str = "item",
    nested: Mapping[str, str] | None = None,
    fixed: Iterable[str] = FIXED,
    status: str | None = None,
    missing: Iterable[str] = (),
    scale: tuple[float, float] | None = None,
    where: str | None = None,
    only: Mapping[str, str] | None = None,
    partitions: bool = False,
    part: str | None = None,
    format: str | None = None,
    wide: Mapping[str, Sequence[str]] | None = None,
    label: str | None = None,
    numbers: Mapping[str, float] | None = None,
    labels: bool = False,
    less_is_better: bool = False,
    families: Families | None = None,
    recognise: bool = False,
    announce: bool = True,
) -> Judgments:
    """Judge scores from a file or a data frame, one row per judgment; the parameters are those of `quorate.read`.

    Raises
    ------
    InvalidInput
        If the source cannot be opened or a declaration contradicts itself.
    UnknownColumn
        If a column is not there.
    InvalidData
        If scores are not finite numbers or beyond the scale, statuses are not known, the object has no label, or the
        file is broken.
    """
    shape = shape_of(wide, facets)
    added = tuple(role for role in shape.roles if role not in (facets or {}))
    facets = facets and {role: column for role, column in facets.items() if role != COUNT}
    named = {**(facets or {}), **_unrecognised((*(only or {}), *added), facets or {})}
    if facets is not None and not recognise:  # the role of wide columns is a facet, whether its name says so or not
        named |= {role: role for role in added if role not in (*named, *named.values())}
    declared: dict[str, Any] = {
        "score": score,
        "facets": named or facets,
        "object": object,
        "nested": nested,
        "fixed": fixed,
    }
    declared |= {"status": status, "by_name": recognise or facets is None}
    blank = as_missing(missing)
    by_path = is_place(source)
    if labels and less_is_better:
        raise InvalidInput("less_is_better: is of scores, and labels have no order; leave it out")
    if labels and scale is not None:
        raise InvalidInput("scale: is that of scores, and labels have none; leave it out")
    columns = [*(facets or {}).values()]
    made = (*((score,) if OF in score or score.endswith(VERDICT) else ()), *filter(is_made, columns))
    rows = Rows(where, partitions, part, format, shape, numbered=ROW_NUMBER in columns, made=made)
    read_source = _read_file if by_path else _read_frame
    table = read_source(places_of(source) if by_path else source, declared, blank, rows, meant(label, numbers, labels))
    table = table if scale is None else on_scale(table, scale)
    if less_is_better:
        table = replace(table, less_is_better=True, notes=(Note("less is better"), *table.notes))
    table = with_copies(at_levels(_of_named_systems(table), only))
    table = table if families is None else in_families(table, families)
    table = table if nested else _in_groups(table)
    table = _drawn_if_many(_as_strata(table)) if fixed == FIXED else table
    if facets is not None and not recognise:
        return table
    item = table.facet(table.object)
    parted = SYSTEM in table.names and item.parent is None and item.name != SYSTEM
    if parted and table.facet(SYSTEM).parent is None and len(table.facet(SYSTEM).levels) > 1:
        # where every item belongs to one system, items are nested in systems, not crossed
        note = Note(f"every {item.name} belongs to one system: nested in it")
        inner = tuple(replace(facet, parent=SYSTEM) if facet is item else facet for facet in table.facets)
        nesting = replace(table, facets=inner, notes=(*table.notes, note))
        table = nesting if nesting.n_levels(item.name) == len(item.levels) else table
    if announce:
        log(table.notes, table.source.caveats)
    return table


def _of_named_systems(table: Judgments) -> Judgments:
    """The same judgments without those of which no system is named, where most name one of two or more."""
    if SYSTEM not in table.names or table.object == SYSTEM or ABSENT not in table.facet(SYSTEM).levels:
        return table
    if len(table.facet(SYSTEM).levels) <= len((ABSENT, "a")):
        return table
    count = int(table.rows[table.column(SYSTEM) == table.facet(SYSTEM).levels.index(ABSENT)].sum())
    if 2 * count > table.rows.sum():
        return table
    said = Note(f"{counted(count, 'row')} without a system left out")
    notes = tuple(said if note == without_label(SYSTEM, count) else note for note in table.notes)
    return replace(table.without(SYSTEM, ABSENT), notes=notes)


def on_scale(table: Judgments, scale: tuple[float, float]) -> Judgments:
    """The same judgments, whose scores lie on a declared scale.

    Raises
    ------
    InvalidInput
        If the scale is not two finite numbers, the least first.
    InvalidData
        If a score is beyond it.
    """
    try:
        low, high = map(float, scale)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not -math.inf < low < high < math.inf:
        raise InvalidInput(f"scale: expects the least and the greatest score, such as (1, 5), got {scale!r}")
    beyond = np.flatnonzero((table.n > 0) & ((table.low < low) | (table.high > high)))
    if beyond.size:
        first = beyond[0]
        value = float(table.low[first] if table.low[first] < low else table.high[first])
        levels = zip(table.facets, table.codes[first], strict=True)
        place = ", ".join(f'{facet.name} "{facet.levels[code]}"' for facet, code in levels if code >= 0)
        raise InvalidData(
            f"scale: scores are from {low:g} to {high:g}, got {value:g} ({place}); declare the scale that was used, "
            "or say that it is no score with " + argument("missing", f"{value:g}")
        )
    return replace(table, scale=(low, high))


_STRATUM, _FEWEST, _MANY_GROUPS = 5, 2, 10
"""Items in a group on average from which groups are strata, and their number up to which they are in any case."""


def _in_groups(table: Judgments) -> Judgments:
    """The same judgments, whose items are inside what groups them by its name, such as a document or a topic.

    Only where every item has one level of it, and nothing is said to hold items.
    """
    item = table.facet(table.object)
    named = [one for one in table.facets if one.parent is None and one is not item and groups_items(one.name)]
    sizes = {one.name: table.n_levels(one.name) for one in named}
    holding = [
        name
        for name, size in sizes.items()  # whose pairs with items are as many as these
        if 1 < size < table.n_levels(item.name) == int(table.level_codes([item.name, name]).max()) + 1
    ]
    if item.parent is not None or not holding:
        return table
    parent = max(holding, key=sizes.__getitem__)
    facets = tuple(replace(one, parent=parent) if one is item else one for one in table.facets)
    return replace(table, facets=facets, notes=(*table.notes, Note(f"every {item.name} belongs to one {parent}")))


def _as_strata(table: Judgments) -> Judgments:
    """The same judgments, whose groups of items are fixed strata; many groups of fewer than five items are drawn.

    So are documents and the like, by their name: they were drawn with their items.
    """
    item = table.object
    over = [name for name in table.ancestors(item)[:1] if name != SYSTEM and not is_cluster(name)]
    sizes = {name: table.n_levels(item) / table.n_levels(name) for name in over}
    few = [name for name in over if table.n_levels(name) < _MANY_GROUPS and sizes[name] >= _FEWEST]
    groups = [name for name, size in sizes.items() if size >= _STRATUM or name in few]
    facets = tuple(replace(facet, fixed=facet.fixed or facet.name in groups) for facet in table.facets)
    return replace(table, facets=facets) if groups else table


def _drawn_if_many(table: Judgments) -> Judgments:
    """The same judgments, whose facets of more levels than anybody chooses one by one are drawn."""
    many = [facet.name for facet in table.facets if facet.fixed and table.n_levels(facet.name) > MOST_CHOSEN]
    if not many:
        return table
    facets = tuple(replace(facet, fixed=facet.fixed and facet.name not in many) for facet in table.facets)
    notes = [Note(f"{counted(table.n_levels(name), name)}: taken as drawn, not chosen") for name in many]
    return replace(table, facets=facets, notes=(*table.notes, *notes))


def _read_file(path: Places, declared: Mapping[str, Any], missing: Missing, rows: Rows, said: Meant) -> Judgments:
    with opened(path, rows) as file:
        if file.kind == "votes" and not _all_named(declared):
            raise InvalidInput(
                f"source: {title_of(path)} holds votes between two systems: leave out what is for scores alone"
                + _as_scores(file)
            )
        if file.facets and not _all_named(declared):  # facets by the file's own word, which no name is recognised by
            named = declared["facets"] or {}
            known = {*recognise_columns(file.columns).values(), *named.values(), *named}
            own = {name: name for name in file.facets if name not in known}
            declared = {**declared, "facets": {**named, **own}, "by_name": True}
        if file.nested and declared["nested"] is None and not _all_named(declared):
            declared = {**declared, "nested": dict(file.nested)}
        roles = resolve(file.columns, **_of_rows(file.columns, declared, bool(rows.shape.steps)))
        grouped, words = _collapsed(file, roles, said, missing)
        source = source_of(path, file, rows)
        table = judgments(grouped, roles, source)
        hint = () if file.facets else hint_of_file(table.notes, file, votes=False)
    table = _worded(replace(table, notes=(*file.notes, *table.notes, *hint)), words)
    place = absolute(path)
    return replace(table, origin=Origin(place, roles, missing, replace(rows, words=words), write))


def _collapsed(opened: Opened, roles: Roles, said: Meant, missing: Missing) -> tuple[Grouped, Words | None]:
    """Cells of what is opened, and what its words stand for."""

    def grouped_by(words: Words | None) -> Grouped:
        return collapse_sql.collapse(words_in(opened, words), roles, missing if words is None else NOTHING)

    return _grouped(grouped_by, lambda: counts_in(opened, roles.score), roles.score, said, missing)


def _grouped(
    grouped_by: Callable[[Words | None], Grouped],
    counts: Callable[[], Mapping[str, int]],
    column: str,
    said: Meant,
    missing: Missing,
) -> tuple[Grouped, Words | None]:
    """Rows by cell; where scores are words, with the numbers that are said of them or that a known scale gives them."""
    if said == Meant():
        try:
            return grouped_by(None), None
        except NotNumbers as error:
            words = as_known(error, column, counts(), missing)
    else:
        words = as_asked(column, counts(), said, missing)
    return grouped_by(words), words


def _worded(table: Judgments, words: Words | None) -> Judgments:
    """Judgments whose scores were words, with the note, the scale and the labels of these."""
    if words is None:
        return table
    return replace(table, notes=(Note(words.note), *table.notes), scale=words.ends, labels=words.labels)


def _unrecognised(only: Iterable[str], facets: Mapping[str, str]) -> dict[str, str]:
    """Columns that are facets by how they are named, and play no role yet: each a facet of its own."""
    recognised = {column for name in only for column in recognise_columns([name]).values()}
    taken = {*facets, *facets.values(), *recognised, *ALIASES}
    return {name: name for name in only if name not in taken}


def _as_scores(file: Opened) -> str:
    """How votes can be read as scores after all, where they can."""
    if file.instead is not None:
        return ", or read it as scores with " + argument("part", file.instead)
    return ", or name every column in facets= to read its scores" if file.pairs else ""


def _of_rows(columns: Sequence[str], declared: Mapping[str, Any], wide: bool) -> Mapping[str, Any]:
    """Of a sheet, its one column whose name says what a row is of, where no column is plainly the item."""
    if not wide or _all_named(declared):
        return declared
    named = declared["facets"] or {}
    rest = [name for name in columns if name not in named.values()]
    known = recognise_columns(rest, [role for role in ALIASES if role not in named])
    if declared["object"] in {*named, *known}:
        return declared
    free = {*columns} - {*named.values(), *known.values()}
    found = [name for name in columns if name in free and (is_id(name) or is_judged(name))]
    item = {declared["object"]: found[0]} if len(found) == 1 else {}
    return {**declared, "facets": {**item, **named}, "by_name": True} if item else declared


def _all_named(declared: Mapping[str, Any]) -> bool:
    """Whether the caller says which columns are facets, and no other is to be looked for."""
    return declared["facets"] is not None and not declared["by_name"]


def source_of_frame(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> Source:
    """Where a table that was a frame came from: of which kind it was, and the library in which results come back."""
    library = frame.implementation.value
    called = "duckdb relation" if library == "duckdb" else f"{library} frame"
    return Source(called, backend=library if library in LIBRARIES else None)


def _read_frame(source: Any, declared: Mapping[str, Any], missing: Missing, rows: Rows, said: Meant) -> Judgments:
    import narwhals as nw

    from quorate.table.collapse import eager as collapse_eager
    from quorate.table.collapse import lazy as collapse_lazy

    frame = wrapped(source)
    place, wide = source_of_frame(frame), bool(rows.shape.steps)
    frame, rows, reshaped = rows.of_frame(frame)
    source = frame.to_native()
    names = tuple(frame.collect_schema().names())
    if frame.implementation.is_duckdb():
        with explained(place.name):
            held = rows.of(Opened(frame.to_native(), names, typed=True, stays=True))
            roles = resolve(held.columns, **_of_rows(held.columns, declared, wide))
            grouped, words = _collapsed(held, roles, said, missing)
            hint, reshaped = hint_of_file(roles.notes, held, votes=False), held.notes
        place = replace(place, caveats=held.caveats)
    else:
        roles = resolve(names, **_of_rows(names, declared, wide))

        def grouped_by(words: Words | None) -> Grouped:
            rows_read, blank = words_in_frame(frame, words), missing if words is None else NOTHING
            if isinstance(rows_read, nw.LazyFrame):
                return collapse_lazy.collapse(rows_read, roles, blank)
            return collapse_eager.collapse(rows_read, roles, blank)

        grouped, words = _grouped(grouped_by, lambda: counts_in_frame(frame, roles.score), roles.score, said, missing)
        hint = hint_of_frame(roles.notes, frame, votes=False)
    table = judgments(grouped, roles, place)
    table = _worded(replace(table, notes=(*reshaped, *table.notes, *hint)), words)
    return replace(table, origin=Origin(source, roles, missing, replace(rows, words=words), write))
