"""A table that is read by itself: as the names of its columns say, else as a look at what they hold does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from quorate.arguments import argument, joined
from quorate.errors import InvalidData, InvalidInput, QuorateError, UnknownColumn, UnknownTerm
from quorate.roles import ITEM, JUDGE, PROMPT, SIDES, SYSTEM
from quorate.table.columns.labels import ABSENT
from quorate.table.columns.languages import plain
from quorate.table.columns.names import RESPONSES, is_id, is_judge, is_less, words_of
from quorate.table.columns.roles import FIXED
from quorate.table.columns.scales import number
from quorate.table.columns.vote_roles import has_pairs, recognise_pair
from quorate.table.exchange.csv_text import UNNAMED
from quorate.table.exchange.encoding import ordinary
from quorate.table.exchange.format import Kind, SeveralParts
from quorate.table.exchange.postgres.address import is_place, places_of
from quorate.table.exchange.rows import ROW_NUMBER, Rows, is_made, made_of
from quorate.table.exchange.wide import COLUMNS
from quorate.table.facts.profile import Table, looked_at
from quorate.table.files import opened
from quorate.table.judgments import Judgments
from quorate.table.notes import Note, not_used
from quorate.table.reading.compared import of_judged
from quorate.table.reading.family import MOST_WORDS
from quorate.table.reading.key import MOST_WORDINGS, is_of_people
from quorate.table.reading.paired import of_one_prompt, of_roles, pair_of, refuse_scored_sides, sides_of
from quorate.table.reading.reading import Meant, Reading, Unsure
from quorate.table.reading.recognised import FEWEST_ONCE, ONCE, SELDOM, fold, name_arms
from quorate.table.reading.rows import refuse_checks, refuse_rows, refuse_sideless
from quorate.table.reading.score import refuse_codes_of, refuse_scales_of, says_score
from quorate.table.reading.scored import scores_of
from quorate.table.reading.verdicts import of_texts, with_verdicts
from quorate.table.votes import Votes
from quorate.wording import listed, words

BESIDE = ".quorate.yaml"
"""The name of the file that is taken up by itself."""
MOST_BYTES = 1 << 16
OF_VOTES = ("model_a", "model_b", "winner", "outcomes", "wins", "rank")
_OF_SCORES = frozenset(("score", "wide", "label", "labels", "numbers", "less_is_better"))
ARGUMENTS = (
    *words("kind score facets object nested fixed status missing scale wide label numbers"),
    *("labels", "less_is_better", "families", *OF_VOTES, "where", "only", "partitions", "part", "format"),
)
"""What is kept."""


def options_in(path: Path) -> dict[str, Any]:
    """The arguments that a file holds.

    Raises
    ------
    InvalidInput
        If it cannot be read.
    InvalidData
        If it is not YAML of such arguments.
    """
    import yaml

    try:
        with ordinary(path).open("rb") as stream:
            text = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"roles: {path} cannot be read ({error.strerror})") from None
    try:
        content = yaml.safe_load(text) if len(text) <= MOST_BYTES else None
    except (yaml.YAMLError, RecursionError, ValueError):
        content = None
    if not isinstance(content, Mapping):
        raise InvalidData(f"roles: {path} is not what --save of quorate doctor writes: YAML of names and values")
    for name in content:
        if name not in ARGUMENTS:
            raise UnknownTerm(str(name), ARGUMENTS, f"option in {path}")
    return {str(name): value for name, value in content.items()}


def beside(source: Any, rows: Rows) -> dict[str, Any] | None:
    """The arguments that are kept beside a file, or in a folder, if it has the columns that they name; else None."""
    if not is_place(source):
        return None
    place = places_of(source)
    first = place[0] if isinstance(place, tuple) else place
    if not isinstance(first, Path):
        return None
    try:
        kept = (first if first.is_dir() else first.parent) / BESIDE
        if not kept.is_file():
            return None
    except OSError:  # no name that a file can have, which is said by who reads it
        return None
    options = options_in(kept)
    try:
        with opened(place, rows) as file:
            known = {*file.columns, ROW_NUMBER, COLUMNS, ""}
    except QuorateError:  # said by who reads it
        return None
    named = (name for one in _columns(options) for name in ((one,) if one in known else made_of(one).parts))
    return options if {*named} <= known else None


def kind_kept(options: Mapping[str, Any]) -> Kind | None:
    """What such a table holds; None where the arguments do not say it."""
    if "kind" in options:
        kind: Kind = options["kind"]
        return kind
    votes = any(name in options for name in OF_VOTES)
    return "votes" if votes else "scores" if _OF_SCORES & {*options} else None


def _columns(options: Mapping[str, Any]) -> Iterator[str]:
    """Columns that arguments name."""
    wide = options.get("wide") or {}
    for columns in wide.values():
        yield from columns
    yield from (column for column in (options.get("facets") or {}).values() if column not in wide)
    for name in ("score", "model_a", "model_b", "winner", "rank", "wins"):
        value = options.get(name, ())
        yield from (value,) if isinstance(value, str) else value


NOTHING = "no column looks like a judgment: none holds scores, and no two name systems with who won"

Read = TypeVar("Read", bound="Judgments | Votes")


def reading_of(table: Table, about: str = "") -> Reading | None:
    """How a table is read whose columns have been looked at; None if nothing in it looks like a judgment.

    What the question is ``about``, systems or judges, is asked or taken for them where nothing says it.

    Raises
    ------
    Unsure
        If what its columns hold can be read in no way as it stands.
    """
    compared, table = about == SYSTEM, with_verdicts(table)
    sides = [name for role in ("model_a", "model_b") if (name := recognise_pair(role, table.names)) is not None]
    if len(sides) == len("ab"):
        refuse_sideless(table, sides)
        refuse_checks(table)
    judges = [one for one in table.columns if one.scored and is_judge(one.name)] if about == JUDGE else []
    votes = (
        pair_of(table, about in (SYSTEM, SIDES)) if len(judges) < len("ab") else None
    )  # beside whose marks a place is their result
    if votes is not None and "wins" in votes.options:
        refuse_rows(table, {})
    scores = recognise_pair("winner", table.names) is None and all(table.column(name).numeric for name in sides)
    if votes is not None or scores or not has_pairs(table.names):
        found = of_roles(table, of_one_prompt(table, votes)) or scores_of(table, compared)
        found = of_judged(table, found) if about == JUDGE and found is not None else found
        return None if found is None else of_texts(found, table).shortened(table.names)
    refuse_scored_sides(table)
    winner = recognise_pair("winner", table.names)
    if winner is not None and not table.column(winner).numeric:  # whose labels are refused where they are read
        return None
    raise Unsure(
        f"source: {listed(list(map(str, sides_of(table))))} name two systems, and no column says which won: winner, or "
        "preference, with A, B and tie, or the name of who won",
        kind="votes",
    )


def taken(
    source: Any,
    kind: Kind | None,
    rows: Rows,
    read: Callable[[Kind | None, Mapping[str, Any]], Read],
    *,
    about: str = "",
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
    about : str
        The role that the question is about: systems, judges, or none.

    Raises
    ------
    Unsure
        If the columns leave several readings.
    """
    kept = beside(source, rows)
    if kept is not None and kind in (None, kind_kept(kept), kept.get("kind")):
        table = read(kind or kind_kept(kept), {name: value for name, value in kept.items() if name != "kind"})
        return replace(table, notes=(Note(f"as {BESIDE} beside it says"), *table.notes)), ""
    table, said = _as_it_is(source, kind, rows, read, about)
    if isinstance(table, Judgments):
        try:
            refuse_codes_of(table, source, rows)
            if is_place(source):  # rows of a frame are chosen by its own library
                refuse_scales_of(table)
        except Unsure as open_:
            raise Unsure(open_.problem, _named(source), open_.ways) from None
    else:
        _refuse_untold_order(table, source, rows)
    return table, said


def _as_it_is(
    source: Any,
    kind: Kind | None,
    rows: Rows,
    read: Callable[[Kind | None, Mapping[str, Any]], Read],
    about: str,
) -> tuple[Read, str]:
    """A table read by the names of its columns, and where these say too little by what they hold."""
    try:
        table = read(kind, {})
    except Unsure:
        raise
    except SeveralParts as several:
        if kind == "votes" or not several.parts:
            raise
        alike = not any(map(is_of_people, several.parts))
        less = {name: {"less_is_better": True} if is_less(name) else {} for name in several.parts}
        ways = tuple(Meant({"part": name, **more}, measure=name if alike else "") for name, more in less.items())
        raise Unsure(several.problem, _named(source), ways) from None
    except InvalidInput as error:
        found = _looked_at(source, rows, kind, error, about)
        return read(found.kind, found.options), found.said
    if not isinstance(table, Judgments):
        prompts = _prompts_of(table, source, rows)
        return (table if prompts is None else read("votes", prompts)), ""
    compared = about == SYSTEM
    differs = None if about == JUDGE else _of_what_differs(table, kind, source, rows, compared)
    instead = differs or _of_users(table)
    if instead is not None:
        return read(*instead[:2]), instead[2]
    compared &= SYSTEM not in table.names and table.origin is not None
    if not (
        compared
        or _differ_in_capitals(table)
        or _repeats(table)
        or _scored_by_scores(table)
        or _unlabelled(table)
        or _judged_once(table)
    ):
        return table, ""
    try:
        found = _looked_at(source, rows, "scores", None, about)
    except Unsure:
        raise
    except InvalidInput:  # there is nothing else that it may be
        return table, ""
    return read(found.kind, found.options) if found.options else table, found.said


_ORDERED = frozenset(("order", "swapped", "flipped", "orientation", "presented", "presentation"))
"""Words in the name of a column that says which of two stood first."""
_ORDERS = frozenset(("ab", "ba", "a_b", "b_a", "swapped", "original", "listed", "true", "false"))
"""What such a column holds."""


def _refuse_untold_order(table: Votes, source: Any, rows: Rows) -> None:
    """Refuse votes by letters where one system always has the first column and another says which stood first.

    Raises
    ------
    Unsure
        If so: a letter may be of the column, or of the place at which it was shown.
    """
    named = [name for note in table.notes for name in note.columns if {*words_of(name)} & _ORDERED]
    if len(table.models) != len("ab") or not named or not is_place(source):
        return
    columns = {note.role: note.columns[0] for note in table.notes if len(note.columns) == 1}
    with looked_at(source, rows) as looked:
        if not ({"model_a", "model_b", "winner"} <= columns.keys() and {*columns.values(), *named} <= {*looked.names}):
            return
        told = {role: columns[role] for role in ("model_a", "model_b", "winner")}
        named_so = {role: name for role, name in told.items() if recognise_pair(role, looked.names) != name}
        a, b, winner = (looked.column(columns[role]) for role in ("model_a", "model_b", "winner"))
        two = [one for one in map(looked.column, named) if one.distinct == len(one.words) == len("ab")]
        orders = [one.name for one in two if {*map(plain, one.words)} <= _ORDERS]
    letters = {plain(word) for word in winner.words}
    constant = a.distinct == b.distinct == 1
    if not (orders and constant) or not letters & {"a", "left"} or not letters & {"b", "right"}:
        return
    raise Unsure(
        f"{winner.name} holds letters, {a.name} is always {a.words[0]}, and {orders[0]} says which stood first: "
        "a letter may be of the column or of the place; write the name of the system that won, "
        "where it is of the place",
        _named(source),
        (Meant({**named_so, "facets": {"order": orders[0]}}, f"A is {a.words[0]}"),),
        "votes",
    )


def _prompts_of(table: Votes, source: Any, rows: Rows) -> Mapping[str, Any] | None:
    """How votes are read whose prompts no name says, where an id that comes back does; None where none does."""
    if PROMPT in table.names or table.n < ONCE or not any(map(is_id, not_used(table.notes))):
        return None
    try:
        found = _looked_at(source, rows, "votes", None, "")
    except InvalidInput:
        return None
    return found.options if found.confidence == "sure" and PROMPT in found.options.get("facets", {}) else None


def _of_what_differs(
    table: Judgments, kind: Kind | None, source: Any, rows: Rows, compared: bool
) -> tuple[Kind, Mapping[str, Any], str] | None:
    """How a table is read instead in which systems are not compared on the same, or there is one alone; else None."""
    if SYSTEM not in table.names:
        return _of_arms(table)
    if table.n_levels(SYSTEM) >= len("ab"):
        found = _asked_of_all(table, source, rows)
        return None if found is None else (found.kind, found.options, found.said)
    if not compared:
        return None
    if kind is None and table.source.instead == "votes":
        by = "one system against another is compared by votes: " + argument("part", "votes")
        return "votes", {"part": "votes"}, by
    if PROMPT not in table.names or not len("ab") <= table.n_levels(PROMPT) <= MOST_WORDINGS:
        return None
    system, prompt = table.facet(SYSTEM).column, table.facet(PROMPT).column
    said = f"{system} is the same in every row: {prompt} taken for what is compared"
    return "scores", {"facets": {SYSTEM: prompt, PROMPT: ""}}, said


def _of_users(table: Judgments) -> tuple[Kind, Mapping[str, Any], str] | None:
    """How a table is read whose judges met one of several systems each, on items of their own: they are drawn."""
    if not {JUDGE, SYSTEM} <= {*table.names} or {*table.ancestors(table.object), *table.ancestors(JUDGE)} - {SYSTEM}:
        return None

    def met(*names: str) -> int:
        return len(np.unique(table.level_codes(names)))

    judges, systems, items = (table.n_levels(name) for name in (JUDGE, SYSTEM, table.object))
    alone = 1 < systems < judges < items and met(JUDGE, SYSTEM) == judges and met(table.object, JUDGE) == items
    if not alone:
        return None
    fixed = tuple(name for name in FIXED if name in table.names and name != JUDGE)
    judge, system = table.facet(JUDGE).column, table.facet(SYSTEM).column
    said = f"every {judge} met one {system} alone, on items of its own: they are drawn, and their items with them"
    return "scores", {"nested": {table.object: JUDGE}, "fixed": fixed}, said


def _of_arms(table: Judgments) -> tuple[Kind, Mapping[str, Any], str] | None:
    """How a table is read whose prompts are the sides of an experiment; None of another."""
    arms = table.facet(PROMPT) if PROMPT in table.names else None
    if arms is None or not name_arms(arms.column, arms.levels):
        return None
    said = f"{arms.column} holds the sides of an experiment: taken for what is compared"
    return "scores", {"facets": {SYSTEM: arms.column, PROMPT: ""}}, said


def _asked_of_all(table: Judgments, source: Any, rows: Rows) -> Reading | None:
    """How a table is read whose items are each of one system, where another column says what several were judged on."""
    item, free = table.facet(table.object), not_used(table.notes)
    met = len(np.unique(table.level_codes([table.object, SYSTEM]))) / table.n_levels(table.object)
    if item.parent != SYSTEM and met > 1 + SELDOM:
        return None
    try:
        found = _looked_at(source, rows, "scores", None, SYSTEM)
    except InvalidInput:
        return None
    other = found.options.get("facets", {}).get(ITEM, item.column)
    return found if other in free else None


def _repeats(table: Judgments) -> bool:
    """Whether rows repeat one another, or nobody judged them, although columns are left that may say who did."""
    named = table.origin is None or table.origin.roles.replicate is not None
    again = bool((table.rows > 1).any()) or JUDGE not in table.names
    return not named and bool(not_used(table.notes)) and again


def _differ_in_capitals(table: Judgments) -> bool:
    """Whether two labels of who judged, or of what is compared, differ in capitals or blanks alone."""
    named = table.origin is not None and all(not is_made(one.column) for one in table.facets)
    held = [one.levels for one in table.facets if one.name in (JUDGE, SYSTEM) and len(one.levels) <= MOST_WORDS]
    return named and any(len({*map(fold, levels)}) < len(levels) for levels in held)


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


def _judged_once(table: Judgments) -> bool:
    """Whether most of those who judged did so once alone."""
    once = JUDGE in table.names and table.n_levels(JUDGE) > ONCE * table.n_cells >= ONCE * FEWEST_ONCE
    return once and table.facet(JUDGE).parent is None


def _looked_at(
    source: Any, rows: Rows, kind: Kind | None, error: InvalidInput | None, about: str, left: str | None = None
) -> Reading:
    """How a table is read by what its columns hold; ``left`` says which rows were found to be no judgments so far."""
    unnamed, empty = list[str](), list[str]()
    refused = error or InvalidInput("source: is read as its names say")
    try:
        with looked_at(source, rows) as table:
            unnamed.extend(note for note in table.opened.notes if note == UNNAMED)
            named = [one for one in table.columns if says_score(one.name) and not is_of_people(one.name)]
            given = [one for one in named if not RESPONSES & {*words_of(one.name)}]
            empty.extend(one.name for one in given if table.rows and not any(two.filled for two in given))
            found = reading_of(table, about)
    except Unsure as open_:
        keep = open_.ways[0].options.get("where") if len(open_.ways) == 1 else None
        if keep is not None and rows.where == left and is_place(source):
            both = keep if left is None else f"{left} AND {keep}"
            return _without(
                lambda: _looked_at(source, replace(rows, where=both), kind, error, about, both), both, open_
            )
        if (kind, open_.kind) == ("scores", "votes") and not any(way.verb for way in open_.ways):
            raise _votes(source, open_.ways) or refused from None
        raise Unsure(joined("; ", [*unnamed, open_.problem]), _named(source), open_.ways, open_.kind) from None
    except QuorateError as other:  # a broken file is said, which its names did not show
        raise other if isinstance(other, InvalidData) else refused from None
    if found is None or (empty and found.confidence == "unsure" and found.kind == "scores"):
        raise _nothing(empty, unnamed, refused, source) from None
    known = isinstance(error, UnknownColumn) and found.kind == "votes"  # whose names the beginning did not show
    if (kind, found.kind) == ("scores", "votes") and not any(way.verb for way in found.meant):
        raise _votes(source, found.ways) or refused from None
    wanted = kind in (None, found.kind) or found.kind == "votes"
    if not wanted or not (found.options or found.meant or known or (not error and found.said)):
        raise refused from None
    only_words = bool(found.options) and found.options.keys() <= {"label", "labels", "numbers"}
    if error is not None and only_words and found.confidence == "unsure":
        raise refused from None  # says all that can be said of words
    if found.confidence == "unsure":
        asked = joined("; ", [*unnamed, found.said or refused.args[0]])
        raise Unsure(asked, _named(source), found.ways, found.kind) from None
    return found.granting(UNNAMED) if unnamed else found


def _votes(source: Any, ways: Sequence[Meant]) -> Unsure | None:
    """What to say where scores are wanted of a file of votes; None of a frame, and where nothing more is known."""
    ranked = tuple(replace(way, verb="rank") for way in ways if way.options)
    told = "scores are asked for, and this file holds votes"
    return Unsure(told, _named(source), ranked, "votes") if ranked and is_place(source) else None


def _nothing(empty: list[str], unnamed: list[str], refused: InvalidInput, source: Any) -> InvalidInput:
    """What to say of a table in which nothing is judged, or not yet."""
    if empty:
        yet = f"{listed(empty, most=6)} {'is' if len(empty) == 1 else 'are'} empty: nothing is judged yet"
        return Unsure("; ".join([*unnamed, yet]), _named(source))
    if isinstance(refused, InvalidData):  # of a column that is named score, whatever is in it
        return refused
    return Unsure(joined("; ", [*unnamed, NOTHING, refused.args[0]]), _named(source))


def _without(read: Callable[[], Reading], keep: str, open_: Unsure) -> Reading:
    """A reading without rows that are made of the others, which is said.

    Raises
    ------
    Unsure
        If what is left may be read in several ways, each without these rows.
    """
    left_out = f"{open_.problem.removeprefix('source: ')}: left out"
    try:
        rest = read()
    except Unsure as further:
        ways = tuple(replace(way, options={"where": keep, **way.options}) for way in further.ways)
        raise Unsure(left_out + "; " + further.problem, further.source, ways, further.kind) from None
    said = joined("; ", [left_out, *filter(None, [rest.said])])
    return replace(rest, options={"where": keep, **rest.options}, confidence="likely", said=said)


def _named(source: Any) -> str | tuple[str, ...] | None:
    """The path of a file, or those of several; None of a frame."""
    if not is_place(source):
        return None
    return tuple(map(str, source)) if isinstance(source, (list, tuple)) else str(source)
