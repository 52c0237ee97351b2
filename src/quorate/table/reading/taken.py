"""A table that is read by itself: as the names of its columns say, else as a look at what they hold does."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from quorate.arguments import argument, joined
from quorate.errors import InvalidData, InvalidInput, QuorateError, UnknownColumn, UnknownTerm
from quorate.roles import ITEM, JUDGE, PROMPT, SYSTEM
from quorate.table.columns.aliases import SYSTEMS
from quorate.table.columns.labels import ABSENT
from quorate.table.columns.names import HINTS, RESPONSES, words_of
from quorate.table.columns.outcomes import WORDS, plain
from quorate.table.columns.roles import ALIASES, FURTHER, recognise
from quorate.table.columns.scales import number
from quorate.table.columns.vote_roles import has_pairs, recognise_pair
from quorate.table.exchange.csv_text import UNNAMED
from quorate.table.exchange.encoding import ordinary
from quorate.table.exchange.format import Kind
from quorate.table.exchange.postgres.address import is_place, places_of
from quorate.table.exchange.rows import ROW_NUMBER, Rows
from quorate.table.exchange.wide import COLUMNS
from quorate.table.facts.profile import Column, Table, looked_at
from quorate.table.files import opened
from quorate.table.judgments import Judgments
from quorate.table.notes import Note, not_used
from quorate.table.reading.key import is_of_people
from quorate.table.reading.reading import Confidence, Meant, Reading, Unsure
from quorate.table.reading.scored import says_score, scores_of
from quorate.table.votes import Votes
from quorate.wording import listed

FEWEST_SHARED = 0.5
"""Share of the labels of one column that the other must have too, for both to name systems."""
_MOST_WAYS, _FEWEST_RANKED, _FEWEST_ROWS = 3, 3, 5
MOST_TRIED = 12
"""Columns of text of which every two are tried as the two sides."""
_NUMBERS: tuple[Mapping[str, float], ...] = (
    {"a": 1, "b": 0, "tie": 0.5},
    {"a": 1, "b": 2, "tie": 0},
    {"a": 1, "b": -1, "tie": 0},
)
_MARKS: Mapping[str, frozenset[str]] = {
    "a": frozenset(("a", "first", "left", "1")),
    "b": frozenset(("b", "second", "right", "2")),
    "tie": frozenset(("tie", "tied", "draw", "equal", "equally", "same", "both", "neither", "similar")),
}
"""Words in a phrase that say which side it is for."""
_WON = (
    frozenset(("winner", "chosen", "preferred", "winning", "won")),
    frozenset(("loser", "rejected", "dispreferred", "losing", "lost")),
)
"""Words in the names of two columns of which the first holds who won, and the second who lost."""
_PLACES = ("rank", "place", "placing", "placement", "ranking_position")
"""What the place of a system in a ranking is called."""
_OF_SCORES = frozenset(
    name for role in (ITEM, PROMPT, JUDGE, "score") for name in (*ALIASES[role], *FURTHER.get(role, ()))
)
"""Names of columns that are no side of a comparison, nor its outcome, whatever they hold."""
_KNOWN = {word for words in WORDS.values() for word in words}


def pair_of(table: Table) -> Reading | None:
    """The columns of both models, the winner or the counts of wins; None if this is no table of votes.

    Raises
    ------
    Unsure
        If columns hold rankings that cannot be read as they stand.
    """
    if not has_pairs(table.names):
        _refuse_listed(table)
    found = _models(table)
    if found is None:
        return _ranking(table)
    a, b, reasons = found
    sides = (("model_a", a), ("model_b", b))
    named = {role: name for role, name in sides if recognise_pair(role, table.names) != name}
    if _won(a) == 0 and _won(b) == 1:
        return _votes({**named, "winner": a}, (f"{a} is better than {b} by their names",))
    wins = _counts(table, a, b)
    if wins is not None:
        wins += tuple(one.name for one in table.columns if one.whole and plain(one.name) in ("tie", "ties", "draws"))
        return _votes({**named, "wins": wins}, (*reasons, f"{wins[0]} and {wins[1]} count the wins of each side"))
    winner = _winner(table, a, b)
    return None if winner is None else _decided(table, named, winner, reasons)


def _decided(table: Table, named: Mapping[str, str], winner: _Winner, reasons: Sequence[str]) -> Reading:
    """Votes whose outcome a column says, or one of several."""
    options: dict[str, Any] = {**named}
    if recognise_pair("winner", table.names) != winner.column:
        options["winner"] = winner.column
    if winner.outcomes is not None:
        options["outcomes"] = winner.outcomes
    said = (*reasons, *([winner.reason] if winner.reason else []))
    if winner.others:
        if not {PROMPT, ITEM} & {*recognise(table.names)}:  # of several judges it matters which battle a row is
            options["facets"] = {PROMPT: ROW_NUMBER}
        ways = _by_winner(options, winner)
        columns = (winner.column, *winner.others)
        if len({*(name.rstrip("0123456789") for name in columns)}) == 1 and not is_of_people(winner.column):
            taken = f"{listed(columns, most=6)} taken for what one judge said each; one alone: "
            alone = joined("; ", [*reasons, taken + argument("winner", winner.column)])
            return Reading(ways[0].options, said, "likely", "votes", alone)
        return Reading(options, said, kind="votes", said=winner.open, meant=ways)
    granted = "; ".join([*reasons, *([winner.open] if winner.open else [])])
    confidence = "likely" if reasons and winner.confidence == "sure" else winner.confidence
    return Reading(options, said, confidence, "votes", granted, winner.meant(options))


def _by_winner(options: Mapping[str, Any], winner: _Winner) -> tuple[Meant, ...]:
    """Of several columns that say who won: each what one judge said, perhaps beside people, or one alone."""
    columns = (winner.column, *winner.others)
    people = [name for name in columns if is_of_people(name)]
    alone = (Meant({**options, "winner": name}, f"{name} alone") for name in columns[: _MOST_WAYS - 1])
    if people and len(people) < len(columns):
        named = " ".join(["--agree", *(f"--human {shlex.quote(name)}" for name in people)])
        return (Meant({**options, "winner": columns}, "judges against people", "judges", named), *alone)
    return (Meant({**options, "winner": columns}, "each of one judge"), *alone)


def _votes(options: Mapping[str, Any], reasons: tuple[str, ...]) -> Reading:
    return Reading(options, reasons, "sure", "votes")


def _ranking(table: Table) -> Reading | None:
    """Systems of rankings: their places in rows, or in a column for each; None if there are none.

    Raises
    ------
    Unsure
        If a column holds places, and nothing says of which ranking.
    """
    return _ranked_in_rows(table) or _ranked_in_columns(table)


def _refuse_listed(table: Table) -> None:
    """Refuse three columns or more of names of which every row has each once: the first, second and third of them."""
    texts = [one for one in table.columns if not one.numeric and one.filled == table.rows >= _FEWEST_ROWS]
    for one in texts:
        same = [two.name for two in texts if {*two.words} == {*one.words}]
        if _FEWEST_RANKED <= len(same) == one.distinct:
            cells = ", ".join(f"trim({table.sql(name)}::VARCHAR)" for name in same)
            ((again,),) = table.opened.relation.aggregate(
                f"count(*) FILTER (len(list_distinct([{cells}])) < {len(same)})"
            ).fetchall()
            if not again:
                raise Unsure(
                    f"source: every row has each of {listed(one.words, most=6)} once in {listed(same, most=6)}: "
                    "perhaps rankings; give a column for each of them that holds its place, 1 the best"
                )


def _ranked_in_rows(table: Table) -> Reading | None:
    """Places that begin at 1, of what comes once in each ranking, which shared ones do not by chance."""
    place = next((one for one in table.columns if plain(one.name) in _PLACES), None)
    if place is None or not place.whole or place.low != 1 or place.distinct < 2:
        return None
    if any(one.scored and one is not place and {*words_of(one.name)} & {*HINTS} for one in table.columns):
        return None  # which the places are made of
    free = [one.name for one in table.columns if one is not place and 2 <= one.distinct < table.rows]
    found = [
        (system, ranking)
        for system, ranking in permutations(free, 2)
        if table.keys([ranking, system]) == table.rows
        and (place.high or 0) <= table.column(system).distinct
        and (table.keys([ranking, place.name]) == table.rows or plain(system) in SYSTEMS)
    ]
    found = [one for one in found if plain(one[0]) in SYSTEMS] or found
    if not found and any(plain(name) in SYSTEMS for name in free):
        raise Unsure(
            f"source: {place.name} holds places by its name, and no column says which rows are of one ranking; add one "
            "that does, such as that of who ranked joined to that of what was asked, and name it cluster"
        )
    if not found or len({system for system, _ in found}) > 1:
        return None
    system, ranking = found[0]
    options = {"rank": place.name, "facets": {"cluster": ranking}}
    options |= {} if system == "model_a" else {"model_a": system}
    return _votes(options, (f"{place.name} is the place of {system} in each {ranking}, 1 the best: rankings",))


def _ranked_in_columns(table: Table) -> Reading | None:
    """Columns of numbers that hold 1 to their number in every row, each once, as no scores do."""
    columns = [one for one in table.columns if one.whole and (one.low or 0) >= 1 and one.filled == table.rows]
    names = [one.name for one in columns if (one.high or 0) <= len(columns)]
    if len(names) < _FEWEST_RANKED or table.rows < _FEWEST_ROWS:
        return None
    if all(table.column(name).distinct == 1 for name in names):  # which number the columns
        return None
    places = f"list_sort([{', '.join(f'TRY_CAST({table.sql(name)} AS INTEGER)' for name in names)}])"
    every = f"range(1, {len(names) + 1})::INTEGER[]"
    ((others,),) = table.opened.relation.aggregate(f"count(*) FILTER ({places} IS DISTINCT FROM {every})").fetchall()
    if others:
        return None
    row = next((one.name for one in table.columns if one.name not in names and one.distinct == table.rows), ROW_NUMBER)
    said = f"{listed(names, most=6)} hold 1 to {len(names)} in every row, each once: places of systems, 1 the best"
    options = {"rank": tuple(names), "facets": {"cluster": row}}
    return Reading(options, (said,), "likely", "votes", said)


def _won(name: str) -> int | None:
    """0 for the name of a column of those who won, 1 for one of those who lost, such as ``chosen`` and ``rejected``."""
    words = {*words_of(name)} - {"model", "system", "id", "name"}
    return next((side for side, marks in enumerate(_WON) if words and words <= marks), None)


def _models(table: Table) -> tuple[str, str, tuple[str, ...]] | None:
    """The columns of both models: by names, theirs or of counts of wins, else two of text that share most labels."""
    by_name = [recognise_pair(role, table.names) for role in ("model_a", "model_b")]
    if has_pairs(table.names) and all(name is not None for name in by_name):
        return str(by_name[0]), str(by_name[1]), ()
    named = [one.name for one in table.columns if not one.numeric and one.words][:MOST_TRIED]
    won, lost = ([name for name in named if _won(name) == side] for side in (0, 1))
    if len(won) == len(lost) == 1 and {*table.column(won[0]).words} & {*table.column(lost[0]).words}:
        return won[0], lost[0], ()
    for name, rival in combinations(named, 2):
        if _counts(table, name, rival) is not None:
            return name, rival, (f"wins of {name} and {rival} are counted: they name the two sides of a comparison",)
    texts = [table.column(name) for name in named]
    texts = [one for one in texts if one.distinct >= 2 and plain(one.name) not in _OF_SCORES]
    for one, other in combinations(texts, 2):
        shared = len(set(one.words) & set(other.words))
        few = min(len(one.words), len(other.words))
        known = {plain(word) for word in one.words} <= _KNOWN
        if (
            few >= 2
            and shared >= FEWEST_SHARED * few
            and not known
            and not _short(one, other)
            and _apart(table, one, other)
        ):
            reason = f"{one.name} and {other.name} share {shared:,} labels: they name the two sides of a comparison"
            return one.name, other.name, (reason,)
    return None


def _short(one: Column, other: Column) -> bool:
    """Whether both hold two short answers such as yes and no, rather than names."""
    return max(len(one.words), len(other.words)) <= 2 and all(len(word) <= 5 for word in (*one.words, *other.words))


def _apart(table: Table, one: Column, other: Column) -> bool:
    """Whether no row has the same in both, as the two sides of a comparison have; answers of two judges agree."""
    a, b = (f"trim({table.sql(column.name)}::VARCHAR)" for column in (one, other))
    ((same, rows),) = table.opened.relation.aggregate(f"count(*) FILTER (WHERE {a} = {b}), count(*)").fetchall()
    return bool(same * 50 <= rows)


def _counts(table: Table, a: str, b: str) -> tuple[str, ...] | None:
    """Two columns of whole numbers that speak of wins, by their names one of each side."""
    whole = [
        column.name for column in table.columns if column.numeric and column.whole and "win" in column.name.lower()
    ]
    pairs = []
    for side in (plain(a), plain(b)):
        head = side.split("_")[0]
        begin = (name for name in whole if plain(name).startswith(head) and plain(name) != side)
        last = side.split("_")[-1]
        named = tuple(name for name in whole if plain(name) in (f"wins_{last}", f"{last}_wins", f"{side}_wins"))
        pairs.append(named or (tuple(begin) if len(head) > 1 else ()))
    return (pairs[0][0], pairs[1][0]) if len(pairs[0]) == len(pairs[1]) == 1 and pairs[0] != pairs[1] else None


def _sides_in(words: Sequence[str]) -> dict[str, str] | None:
    """What phrases such as "A is better" mean, one for each outcome; None if some name no side, or two the same."""
    found: dict[str, str] = {}
    for word in words:
        tokens = set(plain(word).split("_"))
        meant = [name for name, marks in _MARKS.items() if tokens & marks]
        if len(meant) != 1 or meant[0] in found:
            return None
        found[meant[0]] = word
    return {name: found[name] for name in _MARKS if name in found} if {"a", "b"} <= found.keys() else None


@dataclass(frozen=True)
class _Winner:
    """The column of the outcome, what its values mean where that is not plain, why it, and what is open of it."""

    column: str
    outcomes: Mapping[str, Any] | None = None
    reason: str = ""
    confidence: Confidence = "sure"
    open: str = ""
    others: tuple[str, ...] = ()

    def meant(self, options: Mapping[str, Any]) -> tuple[Meant, ...]:
        """Both ways round, where numbers do not say which side is which."""
        if self.confidence != "unsure" or self.outcomes is None:
            return ()
        turned = {{"a": "b", "b": "a"}.get(name, name): value for name, value in self.outcomes.items()}
        ordered = {name: turned[name] for name in self.outcomes}
        first, second = (f"{outcomes['a']:g} where the first is better" for outcomes in (self.outcomes, ordered))
        return Meant(options, first), Meant({**options, "outcomes": ordered}, second)


def _winner(table: Table, a: str, b: str) -> _Winner | None:
    """Who won, by words, by phrases, or by numbers; None if no column says it."""
    models = {*table.column(a).words, *table.column(b).words}
    others = [
        one for one in table.columns if one.name not in (a, b) and one.filled and plain(one.name) not in _OF_SCORES
    ]
    words = [
        column
        for column in others
        if column.words
        and all(plain(word) in _KNOWN or word in models for word in column.words)
        and not all(plain(word) in ("missing", "nan", "na") for word in column.words)
        and not column.numeric
    ]
    if words:
        best = min(words, key=lambda column: ("winner" not in plain(column.name), is_of_people(column.name)))
        rest = tuple(column.name for column in words if column is not best)
        reason = f"{best.name} says who won" + (f"; so does {', '.join(rest)}" if rest else "")
        rivals = () if recognise_pair("winner", table.names) == best.name else rest
        return (
            _Winner(best.name, None, reason, open=reason, others=rivals) if rivals else _Winner(best.name, None, reason)
        )
    for column in others:
        few = not column.numeric and 2 <= column.distinct <= len(column.words) <= 4
        said = _sides_in(column.words) if few else None
        if said is not None:
            listed_ = ", ".join(f'"{word}" for {name}' for name, word in said.items())
            taken = f"{column.name} has {listed_}: taken as the outcome"
            return _Winner(column.name, said, taken, "likely", taken)
    for column in others:
        truths = {word.lower() for word in column.words} <= {"true", "false"}
        if not column.numeric or truths or column.distinct > 3 or column.low == column.high:
            continue
        values = column.values
        for meaning in _NUMBERS:
            if values <= set(meaning.values()) and {meaning["a"], meaning["b"]} <= values:
                kept = {name: value for name, value in meaning.items() if value in values}
                numbers = ", ".join(f"{value:g} for {name}" for name, value in kept.items())
                taken = f"{column.name} has {numbers}"
                held = listed([f"{value:g}" for value in sorted(values)])
                open_ = f"{column.name} holds {held}, and no name says which side is which"
                reason = f"{taken}: taken as the outcome; check which side is 1"
                return _Winner(column.name, kept, reason, "unsure", open_)
    return None


BESIDE = ".quorate.yaml"
"""The name of the file that is taken up by itself."""
MOST_BYTES = 1 << 16
OF_VOTES = ("model_a", "model_b", "winner", "outcomes", "wins", "rank")
ARGUMENTS = (
    *("kind", "score", "facets", "object", "nested", "fixed", "status", "missing", "scale", "wide", "label", "numbers"),
    *("labels", "families", *OF_VOTES, "where", "only", "partitions", "part", "format"),
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
    return options if {*_columns(options)} <= known else None


def kind_kept(options: Mapping[str, Any]) -> Kind | None:
    """What such a table holds; None where the arguments do not say it."""
    if "kind" in options:
        kind: Kind = options["kind"]
        return kind
    votes = any(name in options for name in OF_VOTES)
    return "votes" if votes else "scores" if {"score", "wide", "label", "labels", "numbers"} & {*options} else None


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
        found = votes or scores_of(table)
        return None if found is None else found.shortened(table.names)
    _refuse_scored_sides(table)
    return Reading({}, kind="votes")  # of two models, and nothing more is known of them


def _refuse_scored_sides(table: Table) -> None:
    """Refuse rows that hold a score of each of two models, which names of columns join."""
    numbers = [one.name for one in table.columns if one.scored and {*words_of(one.name)} & {*HINTS}]
    found = re.compile("(a|1)_|_?(a|1)$"), re.compile("(b|2)_|_?(b|2)$")
    sides = [next((name for name in numbers if side.search(plain(name))), None) for side in found]
    if None not in sides:
        models = [recognise_pair(role, table.names) for role in ("model_a", "model_b")]
        raise Unsure(
            f"source: {sides[0]} and {sides[1]} hold the scores of {models[0]} and {models[1]}; give each a row of its "
            "own, with columns system and score, or a column winner"
        )


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
    unnamed, empty = list[str](), list[str]()
    refused = error or InvalidInput("source: is read as its names say")
    try:
        with looked_at(source, rows) as table:
            unnamed.extend(note for note in table.opened.notes if note == UNNAMED)
            named = [one for one in table.columns if says_score(one.name) and not is_of_people(one.name)]
            given = [one for one in named if not RESPONSES & {*words_of(one.name)}]
            empty.extend(one.name for one in given if table.rows and not any(two.filled for two in given))
            found = reading_of(table)
    except Unsure as open_:
        raise Unsure("; ".join([*unnamed, open_.problem]), _named(source), open_.ways, open_.kind) from None
    except InvalidData:  # the file is broken, which its names did not show
        raise
    except QuorateError:
        raise refused from None
    if empty and (found is None or (found.confidence == "unsure" and found.kind == "scores")):
        yet = f"{listed(empty, most=6)} {'is' if len(empty) == 1 else 'are'} empty: nothing is judged yet"
        raise Unsure("; ".join([*unnamed, yet]), _named(source)) from None
    if found is None and isinstance(refused, InvalidData):  # of a column that is named score, whatever is in it
        raise refused from None
    if found is None:
        raise Unsure("; ".join([*unnamed, NOTHING, str(refused)]), _named(source)) from None
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
