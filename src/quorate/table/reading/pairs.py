"""Votes in a table whose roles nobody has said: the two models, and who won."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from quorate.arguments import argument, joined
from quorate.roles import ITEM, JUDGE, PROMPT
from quorate.table.columns.aliases import SYSTEMS
from quorate.table.columns.outcomes import WORDS, plain
from quorate.table.columns.roles import ALIASES, FURTHER, recognise
from quorate.table.columns.vote_roles import PAIR, has_pairs, recognise_pair
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.facts.profile import Column, Table
from quorate.table.reading.people import is_of_people
from quorate.table.reading.reading import Confidence, Meant, Reading
from quorate.wording import listed

FEWEST_SHARED = 0.5
"""Share of the labels of one column that the other must have too, for both to name systems."""
_MOST_WAYS = 3
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
_OF_SCORES = frozenset(
    name for role in (ITEM, PROMPT, JUDGE, "score") for name in (*ALIASES[role], *FURTHER.get(role, ()))
)
"""Names of columns that are no side of a comparison, nor its outcome, whatever they hold."""
_KNOWN = {word for words in WORDS.values() for word in words}


def pair_of(table: Table) -> Reading | None:
    """The columns of both models, the winner or the counts of wins; None if this is no table of votes."""
    found = _models(table)
    if found is None:
        return _ranking(table)
    a, b, reasons = found
    named = {role: name for role, name in (("model_a", a), ("model_b", b)) if name != role and name not in PAIR[role]}
    wins = _counts(table, a, b)
    if wins is not None:
        wins += tuple(one.name for one in table.columns if one.whole and plain(one.name) in ("tie", "ties", "draws"))
        return _votes({**named, "wins": wins}, (*reasons, f"{wins[0]} and {wins[1]} count the wins of each side"))
    winner = _winner(table, a, b)
    if winner is None:
        return None
    options: dict[str, Any] = dict(named)
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
    """Systems of rankings in rows: places that begin at 1 and differ within each ranking; None if there are none."""
    place = next((one for one in table.columns if plain(one.name) in ("rank", "place", "ranking_position")), None)
    system = next((name for name in table.names if plain(name) in SYSTEMS), None)
    if place is None or system is None or not place.whole or place.low != 1 or place.distinct < 2:
        return None
    groups = [name for name in table.names if name not in (place.name, system)]
    ranked = [name for name in groups if table.keys([name, place.name]) == table.rows == table.keys([name, system])]
    if not ranked or table.keys(ranked) == table.rows:
        return None
    options = {"rank": place.name, "facets": {"cluster": ranked[0]}}
    options |= {} if system == "model_a" else {"model_a": system}
    return _votes(options, (f"{place.name} is the place of {system} in each {ranked[0]}, 1 the best: rankings",))


def _models(table: Table) -> tuple[str, str, tuple[str, ...]] | None:
    """The columns of both models: by their names, else two columns of text that share most labels."""
    by_name = [recognise_pair(role, table.names) for role in ("model_a", "model_b")]
    if has_pairs(table.names) and all(name is not None for name in by_name):
        return str(by_name[0]), str(by_name[1]), ()
    texts = [one for one in table.columns if not one.numeric and one.words and one.distinct >= 2]
    texts = [one for one in texts if plain(one.name) not in _OF_SCORES][:MOST_TRIED]
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
