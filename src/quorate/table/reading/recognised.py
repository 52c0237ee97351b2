"""Roles that the names of columns say, and rows that are no judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quorate.roles import DOWN, FOLDED, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.table.columns.labels import status_of
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    ACTS,
    COMPARED,
    GIVEN,
    HINTS,
    IDS,
    MACHINES,
    RESPONSES,
    TOTALS,
    is_arm,
    is_compared,
    is_id,
    is_judge,
    is_judged,
    is_person,
    says_ends,
    says_nothing,
    words_of,
)
from quorate.table.columns.roles import ALIASES
from quorate.table.facts.profile import Column, Table
from quorate.table.families import maker
from quorate.table.reading.family import same_scale, same_words
from quorate.table.reading.key import MOST_WORDINGS, asked_again, claims_of, identifier, is_of_people
from quorate.table.reading.reading import Meant, Unsure
from quorate.table.reading.score import holds_score, is_binned, same_in_rows
from quorate.wording import words

_LONGEST_SHEET = 20_000
"""Rows of the longest table in which names are filled in down a column."""
FEWEST_ONCE, ONCE = 10, 0.9
"""Judgments, and the share of judges to them beyond which most judged once."""
_ADDRESSES = frozenset(("email", "mail", "name", "login", "initials", "username"))
"""Words in the name of a column that says who somebody is."""
_COARSER = frozenset(words("result results pass passed label grade class category level band verdict binary bin ok"))
"""Words behind the name of a score that say what came of it."""
_SUMMARIES = frozenset(("summary", "aggregate", "aggregates", "totals"))
"""What a record is called of what was made of the rows below it."""
_MOST_NUMBERED = 20
"""Numbers in a column that may still be those of systems."""
_MOST_ARMS = 4
"""Sides of an experiment."""
_BELOW = 3
"""Rows to each level, at least, of which a record beside it tells what was made of them."""
_MOST_GROUPS = 9
"""Levels of what groups rows, each of them in more rows than that."""

NEARLY = 0.95
"""Share of rows that what is judged tells apart, from which on the others were entered, or asked, twice."""
SELDOM, _COME_BACK = 0.1, 0.75
"""Share of items of two systems up to which these share none, and levels to a row of what several were judged on."""


def recognised(table: Table) -> tuple[dict[str, str], set[str], list[str]]:
    """Columns by the roles that their names say, columns that say the same as these, and why."""
    known: dict[str, str] = {}
    aside: set[str] = set()
    reasons = []
    for role in ALIASES:
        claimed = claims_of(table, role)
        named = _named(table, role, claimed)
        rest = _beside_prompts(named) if role == PROMPT and SYSTEM not in known else []
        known |= dict(zip([SYSTEM], rest, strict=False))
        named = [name for name in named if name not in rest]
        if not named:
            aside |= {*claimed} if role == ITEM else set()
            known |= {role: ""} if claimed and role != ITEM else {}
            continue
        best = min(named, key=lambda name: (plain(name) != role, role == ITEM and not is_id(name)))
        ids = [name for name in named if role == PROMPT and is_id(name)]
        if ids and all(table.within(ids[0], name) for name in named):  # the others are its texts
            best, aside = ids[0], aside | {*named} - {ids[0]}
            named = ids[:1]
            if ITEM not in known and table.column(best).distinct > MOST_WORDINGS:  # of questions
                known[role] = ""
                continue
        known[role] = best
        for other in named:
            if other != best:
                same = table.keys([best, other]) == table.keys([best]) == table.keys([other])
                same &= role != "score" or same_in_rows(table, table.column(best), table.column(other))
                aside |= {other} if same else set()
                if not same and role == ITEM and is_id(best) and not is_id(other) and table.within(best, other):
                    same, aside = True, aside | {other}  # its text
                if role == "score" and not same and is_binned(table, best, other):
                    same, aside = True, aside | {other}
                if not same and role != "score":
                    ways = tuple(Meant({"facets": {role: name}}, f"{name} is the {role}") for name in (best, other))
                    raise Unsure(f"source: {best} and {other} could each be the {role}", ways=ways)
                reasons.append(
                    f"{best} is the {role}; {other} " + ("says the same" if same else f"could be the {role}")
                )
    known |= _by_arms(table, known)
    return known, aside | _addresses(table, known), reasons


def _by_arms(table: Table, known: Mapping[str, str]) -> dict[str, str]:
    """Sides of an experiment, which are compared, and no wordings of a prompt."""
    name = known.get(PROMPT) if SYSTEM not in known else None
    return {SYSTEM: name, PROMPT: ""} if name and name_arms(name, table.column(name).words) else {}


def name_arms(column: str, labels: Sequence[str]) -> bool:
    """Whether a column that may be of wordings of a prompt, by its name, is one of the sides of an experiment.

    Examples
    --------
    >>> name_arms("variant", ["control", "treatment"]), name_arms("prompt", ["old", "new"])
    (True, False)
    """
    wording = {*words_of(column)} & {"prompt", "template", "wording", "instruction"}
    return not wording and 2 <= len(labels) <= _MOST_ARMS and all(map(is_arm, labels))


def _named(table: Table, role: str, claimed: Sequence[str]) -> Sequence[str]:
    """Of columns whose names say a role those that hold what it has: no scores or answers, and of items several."""
    if role == ITEM:
        several = [name for name in claimed if plain(name) == ITEM or table.column(name).distinct > 1]
        return [name for name in several if "hit" not in words_of(name)] or several  # which shows one, of one system
    named = [name for name in claimed if role not in (JUDGE, SYSTEM) or not _is_score(table, name)]
    named = [name for name in named if role != SYSTEM or not _answers(table.column(name))]
    varied = [name for name in named if table.column(name).distinct > 1] if role == SYSTEM else []
    named = varied or named
    workers = [name for name in named if not is_person(name)] if role == JUDGE else []
    return workers if len(workers) == 1 else named  # beside whom a participant is who was judged


def _beside_prompts(named: Sequence[str]) -> list[str]:
    """The one of columns that may hold prompts that is not called so and may be what is compared, as a variant."""
    found = [name for name in named if PROMPT not in words_of(name)]
    return found if len(found) == 1 < len(named) and is_compared(found[0]) else []


def _answers(one: Column) -> bool:
    """Whether a column is what a model answered, by its name and its many numbers."""
    return one.numeric and one.distinct > _MOST_NUMBERED and bool(RESPONSES & {*words_of(one.name)})


def _addresses(table: Table, known: Mapping[str, str]) -> set[str]:
    """Columns that say once more who judged, such as addresses beside ids."""
    judge = known.get(JUDGE)
    size = table.column(judge).distinct if judge else 0
    named = [one for one in table.columns if one.distinct == size > 1 and {*words_of(one.name)} & _ADDRESSES]
    return {one.name for one in named if one.name not in known.values() and table.keys([one.name, str(judge)]) == size}


def id_of_rows(table: Table, known: Mapping[str, str]) -> str | None:
    """The id of every row, or of every row of a system, where what is asked has no name or comes back in a few rows.

    Also where what is called so holds a few groups alone, or is one text of several ids that were judged.
    """
    item, system = known.get(ITEM) or None, known.get(SYSTEM) or None
    several = [
        role for role in (JUDGE, PROMPT, REPLICATE) if known.get(role) and table.column(known[role]).distinct > 1
    ]
    if (item or system) is None or (item and is_id(item)):
        return None
    if several:
        beside = [name for role in (JUDGE, SYSTEM, *several) if (name := known.get(role))]
        return _id_of_texts(table, item, beside) or _id_of_answers(table, item, beside)
    if system is not None:
        free = [one for one in table.columns if one.name not in known.values() and one.filled == table.rows]
        ids = [one.name for one in free if is_id(one.name) and table.keys([one.name, system]) == table.rows]
        if item is None:  # an id of what every system answered, and not of every answer
            ids = [name for name in ids if 2 * table.column(name).distinct <= table.rows]
        told = item is not None and table.keys([item, system]) == table.rows
        return ids[0] if len(ids) == 1 and not told else None
    distinct = table.column(str(item)).distinct
    few = table.rows / 2 < distinct < table.rows or distinct <= min(_MOST_GROUPS, table.rows / _MOST_GROUPS)
    return identifier(table, {*known.values()}) if few else None


def id_of_asked(table: Table, known: Mapping[str, str]) -> str | None:
    """What every system answered, by its id or else its text, beside an id that is another in every row."""
    item, system = known.get(ITEM) or identifier(table, {*known.values()}), known.get(SYSTEM)
    if system is None or (item is not None and table.column(item).distinct < table.rows):
        return None
    if item is not None and not (is_id(item) or counts_rows(table, table.column(item))):
        return None
    key = [name for role in (SYSTEM, JUDGE, REPLICATE) if (name := known.get(role))]
    free = [one for one in table.columns if one.name not in known.values() and one.filled == table.rows]
    free = [one for one in free if not {*words_of(one.name)} & ACTS]
    ids = [one for one in free if is_id(one.name) and 2 <= one.distinct <= table.rows / 2]
    texts = asked_again(table)
    met_twice = [one for one in free if one.name in texts]
    ids, met_twice = (
        [one for one in some if table.keys([one.name, system]) > (1 + SELDOM) * one.distinct]
        for some in (ids, met_twice)
    )
    for some in (ids, met_twice):
        crossing = [one.name for one in some if table.keys([one.name, *key]) >= NEARLY * table.rows]
        if crossing:
            return crossing[0] if len(crossing) == 1 else None
    return None


def _id_of_texts(table: Table, item: str | None, beside: Sequence[str]) -> str | None:
    """The id that tells apart what was judged, where a text comes back under several; None if none or several do."""
    if item is None or table.keys([item, *beside]) == table.rows:
        return None
    ids = [
        one.name for one in table.columns if is_id(one.name) and one.name not in beside and one.distinct < table.rows
    ]
    ids = [name for name in ids if table.within(name, item) and table.keys([name, *beside]) == table.rows]
    return ids[0] if len(ids) == 1 else None


def _id_of_answers(table: Table, item: str | None, beside: Sequence[str]) -> str | None:
    """The id of every row, where what was asked comes back with other answers, of which each is judged."""
    if item is None or table.keys([item, *beside]) == table.rows:
        return None
    answers = [one.name for one in table.columns if RESPONSES & {*words_of(one.name)} and not one.scored]
    other = any(
        table.keys([item, name]) > table.column(item).distinct for name in answers if name not in (item, *beside)
    )
    return identifier(table, {item, *beside}) if other else None


def met_by_several(table: Table, known: Mapping[str, str]) -> str | None:
    """What several systems were asked, or judged on, where what is named as that is hardly ever of two of them.

    Of columns that group rows alike the first; None if none or several do.
    """
    if (asked := id_of_asked(table, known)) is not None:
        return asked
    item, system = known.get(ITEM) or identifier(table, {*known.values()}), known.get(SYSTEM)
    if not item or not system or table.keys([item, system]) > (1 + SELDOM) * table.column(item).distinct:
        return None
    key = [name for role in (SYSTEM, JUDGE, REPLICATE) if (name := known.get(role))]
    free = [one for one in table.columns if one.name not in known.values() and one.filled == table.rows]
    free = [one for one in free if not one.numeric and 2 <= one.distinct <= _COME_BACK * table.rows]
    free = [one for one in free if not {*words_of(one.name)} & {*ACTS, *RESPONSES}]
    met = [one for one in free if table.keys([one.name, system]) >= one.distinct / _COME_BACK]
    met = [one for one in met if table.keys([one.name, *key]) == table.rows]
    return met[0].name if met and all(table.within(met[0].name, one.name) for one in met[1:]) else None


def inner_id(table: Table, known: Mapping[str, str]) -> str | None:
    """The id of parts of what its name calls the item, as segments are of documents; None if none or several are."""
    item = known.get(ITEM)
    if item is None or table.column(item).distinct == table.rows:
        return None
    free = [one for one in table.columns if one.name not in known.values() and is_id(one.name)]
    ids = [one for one in free if is_judged(one.name) or {*words_of(one.name)} - IDS == {*words_of(item)} - IDS]
    ids = [one for one in ids if table.column(item).distinct < one.distinct < table.rows and one.filled == table.rows]
    ids = [one for one in ids if table.within(one.name, item) and not {*words_of(one.name)} & {*RESPONSES, *ACTS}]
    return ids[0].name if len(ids) == 1 else None


def _is_score(table: Table, name: str) -> bool:
    """Whether a column that is named judge, or llm, holds what it said, on the scale of what somebody else said."""
    column = table.column(name)
    if says_ends(name) and column.scored:
        return True
    people = [one for one in table.columns if is_of_people(one.name) and one.name != name]
    if column.words and any({*column.words} <= {*one.words} for one in people):
        return True
    if not column.scored:  # it chose among the words that people or other judges chose among
        also = {*words_of(name)} & ({*GIVEN} | {*HINTS})  # such as the grade of the second examiner
        others = [one for one in table.columns if one.name != name and same_words(one, column)]
        return any(is_of_people(one.name) or is_judge(one.name) or also & {*words_of(one.name)} for one in others)
    others = [one for one in table.columns if one.name != name and one.scored]
    if not is_of_people(name):
        others = [one for one in others if is_of_people(one.name) or is_judge(one.name)]
    return column.distinct > 1 and any(same_scale(one, column) for one in others)


def filled_down(table: Table, known: Mapping[str, str]) -> dict[str, str]:
    """Roles whose columns hold a name once for the rows below it, as those of these columns filled downwards."""
    found = {}
    judged = [] if ITEM in known else [one.name for one in table.columns if is_judged(one.name)]
    compared = [] if SYSTEM in known else [one.name for one in table.columns if {*words_of(one.name)} & COMPARED]
    alone = {ITEM: judged, SYSTEM: compared}
    for role in (SYSTEM, JUDGE, ITEM):
        name = known.get(role) or (alone[role][0] if len(alone.get(role, ())) == 1 else None)
        if name and _stands_once(table, table.column(name)):
            found[role] = name + DOWN
    if ITEM not in {*known, *found}:
        free = [one for one in table.columns if one.name not in {*known.values(), *compared}]
        even = [one.name for one in free if _stands_once(table, one) and _begins_groups(table, one.name)]
        found |= {ITEM: max(even, key=is_id) + DOWN} if even else {}
    return found


def _stands_once(table: Table, one: Column) -> bool:
    """Whether every label of a column stands in one row alone, as above others of its own, the first in the first."""
    once = 2 <= one.distinct == one.filled <= table.rows / 2
    return once and any((text or "").strip() for text in table.shown(one.name, 1))


def _begins_groups(table: Table, name: str) -> bool:
    """Whether a column is filled in every so many rows of a sheet."""
    if table.rows > _LONGEST_SHEET:
        return False
    filled = [place for place, text in enumerate(table.shown(name, table.rows)) if (text or "").strip()]
    return len({*np.diff([*filled, table.rows]).tolist()}) == 1


def folded(table: Table, known: Mapping[str, str]) -> dict[str, str]:
    """Who judged and which system, where labels differ in capitals or blanks alone, as columns with one of each."""
    found = {}
    for role in (JUDGE, SYSTEM):
        labels = table.column(known[role]).words if known.get(role) in table.names else ()
        if len({fold(label) for label in labels}) < len(labels) and all(len(label) > 1 for label in labels):
            found[role] = known[role] + FOLDED
    return found


def fold(label: str) -> str:
    """A label without what no two of one table differ in: capitals, and blanks around it."""
    return label.strip().lower()


def no_status(table: Table, known: Mapping[str, str]) -> bool:
    """Whether the column of the status of every row, by its name, holds other words, as that of a survey does."""
    name = known.get("status")
    return bool(name) and not all(status_of(word.strip().lower()) for word in table.column(str(name)).words)


def judged_once(table: Table, known: Mapping[str, str]) -> str | None:
    """The column of who judged, where most did so once alone: it tells next to nothing of judges.

    Where no column says what is judged, everybody is what every row is of.
    """
    judge = known.get(JUDGE)
    if not judge or not table.column(judge).distinct > ONCE * table.column(judge).filled >= ONCE * FEWEST_ONCE:
        return None
    items = [known[ITEM]] if ITEM in known else [one.name for one in table.columns if is_judged(one.name)]
    return judge if items else None


def numbers_of_rows(table: Table) -> set[str]:
    """Columns without a name that count rows from 0 or 1, as data frames write them."""
    return {one.name for one in table.columns if says_nothing(one.name) and counts_rows(table, one)}


def counts_rows(table: Table, one: Column) -> bool:
    """Whether a column counts the rows from 0 or 1, in whatever order they stand."""
    whole = one.whole and one.distinct == one.filled == table.rows and one.low in (0, 1)
    return whole and (one.high or 0) - (one.low or 0) == table.rows - 1


def _says_again(name: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the words of a name are those of another, of its final one, or also say which model gave it."""
    final = name == other[-1:] and {*other[:-1]} <= TOTALS
    model = {*other} < {*name} and all(word in MACHINES or maker(word) is not None for word in {*name} - {*other})
    return name == other or final or model


def copies(table: Table) -> set[str]:
    """Columns that say in every row what another of the same name says, in a record beside it or above, or less of it.

    One that is called the final one is of the same name, and so is what came of a score, such as whether it passed.
    """
    last = [(one, words_of(one.name.rpartition(".")[2])) for one in table.columns if one.scored and one.distinct > 1]
    pairs = [
        (one, two)
        for one, name in last
        for two, other in last
        if "." in one.name and one is not two and _says_again(name, other)
    ]
    same = {one.name for one, two in pairs if len(one.name) > len(two.name) and same_in_rows(table, one, two)}
    less = [(one, two) for one, name in last for two, other in last if name[:-1] == other and name[-1] in _COARSER]
    same |= {one.name for one, two in less if is_binned(table, two.name, one.name)}
    of_rows = [one.name for one in table.columns if "." in one.name and plain(one.name.split(".")[0]) in _SUMMARIES]
    few = [one.name for one in table.columns if not one.numeric and 1 < one.distinct <= table.rows / _BELOW]
    same |= {name for name in of_rows if any(table.within(level, name) for level in few if level not in of_rows)}
    return same | {one.name for one in table.columns if holds_score(table, one)}
