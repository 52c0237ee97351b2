"""Who won in a table of votes: by words, phrases or numbers of a column, or of several, each of one judge."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from quorate.arguments import argument, joined
from quorate.frozen import dataclass
from quorate.roles import ITEM, JUDGE, PROMPT
from quorate.table.columns.languages import plain
from quorate.table.columns.names import CRITERIA, TOTALS, words_of
from quorate.table.columns.outcomes import MARKS, WORDS, sides_in, unmarked
from quorate.table.columns.roles import ALIASES, FURTHER
from quorate.table.columns.vote_roles import recognise_pair
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.facts.profile import Column, Table
from quorate.table.reading.key import claims_of, is_of_people
from quorate.table.reading.reading import Confidence, Meant, Reading
from quorate.wording import listed

_MOST_WAYS, _MOST_PHRASES = 3, 8
NUMBERS: tuple[Mapping[str, float], ...] = (
    {"a": 1, "b": 0, "tie": 0.5},
    {"a": 1, "b": 2, "tie": 0},
    {"a": 1, "b": -1, "tie": 0},
)


OF_SCORES = frozenset(
    name for role in (ITEM, PROMPT, JUDGE, "score") for name in (*ALIASES[role], *FURTHER.get(role, ()))
)
"""Names of columns that are no side of a comparison, nor its outcome, whatever they hold."""


KNOWN = {word for words in WORDS.values() for word in words}
SHOWN = frozenset(("shown", "seen", "displayed", "presented"))
"""Words in the name of a column of what stood first, which is no place that somebody gave, nor who won."""


def decided(table: Table, named: Mapping[str, str], winner: Winner, reasons: Sequence[str]) -> Reading:
    """Votes whose outcome a column says, or one of several."""
    options: dict[str, Any] = {**named}
    if recognise_pair("winner", table.names) != winner.column:
        options["winner"] = winner.column
    if winner.outcomes is not None:
        options["outcomes"] = winner.outcomes
    said = (*reasons, *([winner.reason] if winner.reason else []))
    if winner.others:
        if not any(claims_of(table, role) for role in (PROMPT, ITEM)):
            # of several judges it matters which battle a row is
            options["facets"] = {PROMPT: ROW_NUMBER}
        ways = _by_winner(options, winner)
        columns = (winner.column, *winner.others)
        whole = [name for name in columns if {*words_of(name)} & {*TOTALS}]
        if len(whole) == 1 and _are_aspects(columns):
            left = listed([name for name in columns if name != whole[0]], most=6)
            return Reading(
                {**options, "winner": whole[0]}, said, "likely", "votes", f"{whole[0]} says who won; {left} left out"
            )
        heads = {words_of(name)[0] for name in columns}
        if len(heads) == 1 and len({*map(is_of_people, columns)}) == 1 and not any(map(_of_aspect, columns)):
            taken = f"{listed(columns, most=6)} taken for what one judge said each; one alone: "
            alone = joined("; ", [*reasons, taken + argument("winner", winner.column)])
            return Reading(ways[0].options, said, "likely", "votes", alone)
        return Reading(options, said, kind="votes", said=winner.open, meant=ways)
    granted = "; ".join([*reasons, *([winner.open] if winner.open else [])])
    confidence = "likely" if reasons and winner.confidence == "sure" else winner.confidence
    return Reading(options, said, confidence, "votes", granted, winner.meant(options))


def _of_aspect(name: str) -> bool:
    """Whether a column says who won by one criterion, or over all, by its name."""
    return bool({*words_of(name)} & {*CRITERIA, *TOTALS})


def _are_aspects(columns: Sequence[str]) -> bool:
    """Whether columns say who won by one criterion each, as most of their names say."""
    return 2 * sum(map(_of_aspect, columns)) > len(columns)


def _by_winner(options: Mapping[str, Any], winner: Winner) -> tuple[Meant, ...]:
    """Of several columns that say who won: each what one judge said, perhaps beside people, or one alone."""
    columns = (winner.column, *winner.others)
    people = [name for name in columns if is_of_people(name)]
    apart = not people and _are_aspects(columns)  # questions of their own
    alone = (Meant({**options, "winner": name}, f"{name} alone", measure=name if apart else "") for name in columns)
    if people and len(people) < len(columns):
        judged = {**options, "winner": columns}
        return (Meant(judged, "judges against people", "judges", "--agree", {"human": tuple(people)}), *alone)
    return (Meant({**options, "winner": columns}, "each of one judge"), *alone)


@dataclass(frozen=True)
class Winner:
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
        first, second = (
            f"{one:g} where the first is better"
            if isinstance(one := outcomes["a"], float | int)
            else f"{'above' if one[0] > 0 else 'below'} nought where the first is better"
            for outcomes in (self.outcomes, ordered)
        )
        return Meant(options, first), Meant({**options, "outcomes": ordered}, second)


def winner_of(table: Table, a: str, b: str) -> Winner | None:
    """Who won, by words, by phrases, or by numbers; None if no column says it."""
    models = {unmarked(word) for side in (a, b) for word in table.column(side).words}
    others = [one for one in table.columns if one.name not in (a, b) and one.filled and not _no_outcome(one)]
    words = [
        column
        for column in others
        if column.words
        and all(plain(word) in KNOWN or unmarked(word) in models for word in column.words)
        and not all(plain(word) in ("missing", "nan", "na") for word in column.words)
        and not column.numeric
    ]
    if words:
        best = min(words, key=lambda column: ("winner" not in plain(column.name), is_of_people(column.name)))
        rest = tuple(column.name for column in words if column is not best)
        reason = f"{best.name} says who won" + (f"; so does {', '.join(rest)}" if rest else "")
        rivals = () if recognise_pair("winner", table.names) == best.name else rest
        return (
            Winner(best.name, None, reason, open=reason, others=rivals) if rivals else Winner(best.name, None, reason)
        )
    if (one_more := _with_one_word(others, models)) is not None:
        return one_more
    named = {plain(word) for side in (a, b) for word in table.column(side).words} - KNOWN
    for column in others:
        few = not column.numeric and 2 <= column.distinct <= len(column.words) <= _MOST_PHRASES
        few = few and not any(plain(word) in named for word in column.words)  # model 1.5 is no side
        said = sides_in(column.words) if few else None
        if said is not None:
            each = [(name, one) for name, held in said.items() for one in ((held,) if isinstance(held, str) else held)]
            listed_ = ", ".join(f'"{word}" for {name}' for name, word in each)
            taken = f"{column.name} has {listed_}: taken as the outcome"
            return Winner(column.name, said, taken, "likely", taken)
    for column in others:
        truths = {word.lower() for word in column.words} <= {"true", "false"}
        if not column.numeric or truths or column.distinct > 3 or column.low == column.high:
            continue
        values = column.values
        side = _side_of(table, column, a, b)
        if side is not None and values <= {0, 0.5, 1}:
            kept = {side: 1.0, "ba"["ab".index(side)]: 0.0} | ({"tie": 0.5} if 0.5 in values else {})
            taken = f"{column.name} is 1 where {a if side == 'a' else b} is better"
            return Winner(column.name, kept, taken, "likely", taken)
        for meaning in NUMBERS:
            if values <= set(meaning.values()) and {meaning["a"], meaning["b"]} <= values:
                kept = {name: value for name, value in meaning.items() if value in values}
                numbers = ", ".join(f"{value:g} for {name}" for name, value in kept.items())
                taken = f"{column.name} has {numbers}"
                held = listed([f"{value:g}" for value in sorted(values)])
                open_ = f"{column.name} holds {held}, and no name says which side is which"
                reason = f"{taken}: taken as the outcome; check which side is 1"
                return Winner(column.name, kept, reason, "unsure", open_)
    return _signed(table, a, b)


def _with_one_word(others: Iterable[Column], models: Collection[str]) -> Winner | None:
    """The column of who won, by name, that holds one word more, which neither won; ``models`` without marks."""
    for one in others:
        further = [word for word in one.words if unmarked(word) not in models and plain(word) not in KNOWN]
        if len(further) == 1 and len(one.words) - 1 >= max(2, len(models) / 2):
            taken = f'{one.name} names who won, and "{further[0]}" neither of them: taken for a tie'
            return Winner(one.name, {"tie": further[0]}, taken, "likely", taken)
    return None


def _no_outcome(one: Column) -> bool:
    """Whether a column says another thing by its name; words may be an outcome where numbers would be a score."""
    if plain(one.name) == "outcome":
        return False
    if {*words_of(one.name)} & SHOWN:
        return True
    return plain(one.name) in OF_SCORES and (one.numeric or plain(one.name) not in ALIASES["score"])


def _signed(table: Table, a: str, b: str) -> Winner | None:
    """Whole numbers below and above nought: how much better one side is; which, its name may say, as ``+3 = left``."""
    free = [one for one in table.columns if one.name not in (a, b) and one.whole and len(one.words) > len("ab")]
    free = [one for one in free if (one.low or 0) < 0 < (one.high or 0) and one.distinct == len(one.words)]
    if len(free) != 1:
        return None
    (one,) = free
    values = sorted(one.values)
    parts = {"a": [v for v in values if v > 0], "b": [v for v in values if v < 0], "tie": [v for v in values if v == 0]}
    kept: dict[str, float | tuple[float, ...]] = {}
    for name, held in parts.items():
        if held:
            kept[name] = held[0] if len(held) == 1 else tuple(held)
    said = re.search(r"([+-])\s*\d+\s*=\s*(\w+)", one.name)
    side = next((name for name in "ab" if said and said[2].lower() in MARKS[name]), None)
    reason = f"{one.name} holds numbers below and above nought: how much better one side is"
    if side is not None and said is not None:
        turned = (side == "a") != (said[1] == "+")
        kept = {{"a": "b", "b": "a"}.get(name, name): value for name, value in kept.items()} if turned else kept
        return Winner(one.name, kept, reason, "likely", reason)
    return Winner(one.name, kept, reason, "unsure", f"{reason}, and no name says which")


def _side_of(table: Table, column: Column, a: str, b: str) -> str | None:
    """The side that a number of nought or one is for: of two columns, one for each side, that add up to one."""
    ends = {words_of(name)[-1]: side for name, side in ((a, "a"), (b, "b"))}
    words = words_of(column.name)
    mirror = [one for one in table.columns if one is not column and words_of(one.name)[:-1] == words[:-1]]
    if words[-1] not in ends or len(ends) != len("ab"):
        return None
    for one in mirror:
        if one.numeric and words_of(one.name)[-1] in ends:
            total = " + ".join(f"TRY_CAST({table.sql(name)} AS DOUBLE)" for name in (column.name, one.name))
            if table.opened.relation.aggregate(f"bool_and({total} = 1)").fetchall() == [(True,)]:
                return ends[words[-1]]
    return None
