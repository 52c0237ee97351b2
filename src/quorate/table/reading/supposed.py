"""Roles that no whole name says: the end of a name, a profession, or labels that are models do."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.roles import ITEM, JUDGE, PROMPT, SYSTEM
from quorate.table.columns.aliases import JUDGES_ALONE, SYSTEMS
from quorate.table.columns.given_names import is_given
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    ASKED_PEOPLE,
    COMPARED,
    IDS,
    MACHINES,
    PEOPLE,
    PROFESSIONS,
    RESPONSES,
    is_compared,
    is_id,
    is_judged,
    says_nothing,
    words_of,
)
from quorate.table.exchange.foreign.together import FILE, SHEET
from quorate.table.exchange.rows import made_of
from quorate.table.facts.profile import Column, Table
from quorate.table.families import is_model
from quorate.table.reading.family import same_words
from quorate.table.reading.in_words import is_prose
from quorate.table.reading.key import MOST_WORDINGS, asked_again

_BESIDE = frozenset((*IDS, "name", "code", "initials"))
"""Words in the name of a column that say that it is a name."""
_AGENTS = frozenset(("agent", "bot", "chatbot", "assistant", "model", "system"))
"""What a name ends in that says who did what is judged."""
_ASSISTANTS = frozenset(("assistant", "chatbot"))
"""What nobody else is called than a system."""
_MARKED = frozenset(("mark", "marks", "points", "grade", "grades"))
"""Words in the name of a score that is given to who learns."""
_FEWEST_MODELS, _MOST = 2, 50


def supposed(table: Table, known: Mapping[str, str], compared: bool) -> dict[str, str]:
    """Columns by roles that have none yet, where one column alone may be it.

    Who judged is whose name ends as theirs do, as ``qa_reviewer``, or is a profession where no person is judged;
    systems are where labels are names of models beside another who judged. Where systems are to be ``compared``, a
    version, a condition or a prompt is one, else every file or sheet.
    """
    taken = {*known.values(), *(part for name in known.values() for part in made_of(name).parts)}
    free = [one for one in table.columns if one.name not in taken and _come_back(table, one)]
    found: dict[str, str] = {}
    if JUDGE not in known:  # words that two columns hold are what somebody said, and not who
        said = [one for one in free if one.scale is None and sum(same_words(one, two) for two in table.columns) == 1]
        ended = [one.name for one in said if _said(one.name)[-1:] and _said(one.name)[-1] in JUDGES_ALONE]
        marked = any({*words_of(name)} & _MARKED for name in table.names)  # which who teaches gives, and not who learns
        asked = any({*words_of(name)} & ASKED_PEOPLE for name in table.names) and not marked
        worked = [one.name for one in said if {*_said(one.name)} & PROFESSIONS and not asked]
        named = [
            one.name for one in free if one.words and all(map(is_given, one.words)) and not _is_of_judged(one.name)
        ]
        whole = [one for one in free if _said(one.name) == ["email"] and one.filled == table.rows]
        whole += [one for one in free if _said(one.name) == ["user"]]
        users = [one.name for one in whole if not (is_prose(one) or _owns(table, one))]
        found |= _alone(JUDGE, ended or worked or named or users)
    if SYSTEM not in known:
        more = [one for one in table.columns if is_judged(one.name) and plain(one.name) != "candidate"]
        told = ITEM in known or any(2 <= one.distinct <= table.rows / 2 for one in more)
        kinds = _AGENTS | ({"candidate"} if told else set())  # else one is who is judged
        agents = [one.name for one in free if {*_said(one.name)[-1:]} & kinds and one.name not in found.values()]
        inner = [name for name in agents if "." in name and plain(name.rpartition(".")[2]) in SYSTEMS]  # of a record
        agents = [name for name in agents if compared or {*_said(name)} <= _ASSISTANTS or inner == [name]]
        models = [one.name for one in free if _are_models(one) and one.name not in found.values()]
        made = [one.name for one in free if _are_makers(one) and one.name not in found.values()]
        models = models or (made if JUDGE in {*known, *found} else [])
        found |= _alone(SYSTEM, agents or (models if compared or JUDGE in {*known, *found} else []))
    if SYSTEM not in {*known, *found} and ITEM not in known:
        found |= _alone(SYSTEM, _asked_the_same(table, {**known, **found}.get(JUDGE, "")))
    if compared and SYSTEM not in {*known, *found}:
        prompt = known.get(PROMPT, "")
        few = prompt in table.names and table.column(prompt).distinct <= MOST_WORDINGS  # else these are questions
        named = _compared(table, {*taken, *found.values()} - ({prompt} if few else set()))
        found |= _alone(SYSTEM, named or _places(table, {*taken, *found.values()}))
    return found


def nameless(table: Table, taken: set[str], known: Mapping[str, str]) -> tuple[list[Column], dict[str, str]]:
    """Columns of words that have no names of their own, such as the keys of JSON, and what is judged by outer ones.

    Keys of what systems did are of what is judged. Where an item is ``known`` keys within keys are no such.
    """
    free = [one for one in table.columns if says_nothing(one.name) and one.name not in taken]
    free = sorted((one for one in free if not one.numeric), key=lambda one: -one.distinct)
    item, told = ITEM in known, [known[SYSTEM]] if known.get(SYSTEM) else []
    alone = len(free) == 1 and bool(told) and not item and free[0].distinct < table.rows
    if alone and table.keys([free[0].name, *told]) == table.rows:
        return [], {ITEM: free[0].name}
    both = len(free) == len("ab") and not item and table.keys([one.name for one in free]) == table.rows
    both = both and bool(free[0].words or free[0].distinct < table.rows)
    return (free[1:], {ITEM: free[0].name}) if both else ([one for one in free if one.words], {})


def _asked_the_same(table: Table, judge: str) -> list[str]:
    """Columns of what is compared, by their names, each level of which answered the questions that others did."""
    asked = asked_again(table)
    beside = [judge] if judge else []
    named = [name for name in _compared(table, {*asked, *beside}) if is_compared(name)]
    return [name for name in named if any(table.keys([text, name, *beside]) == table.rows for text in asked)]


def _compared(table: Table, taken: set[str]) -> list[str]:
    """Columns that may be what is compared by their names, of a few levels with several rows each."""
    free = [one for one in table.columns if one.name not in taken and 2 <= one.distinct <= min(_MOST, table.rows / 2)]
    free = [one for one in free if not is_judged(one.name) and (not one.numeric or one.whole)]
    return [one.name for one in free if {*_said(one.name)[-1:], *_said(one.name)[:1]} & COMPARED]


def _places(table: Table, taken: set[str]) -> list[str]:
    """The files, else the sheets, that are given to be compared."""
    free = [one for one in (FILE, SHEET) if one in table.names and one not in taken]
    return [one for one in free if table.column(one).distinct > 1][:1]


def _come_back(table: Table, one: Column) -> bool:
    """Whether a column holds words, each in several rows, and none that somebody answered."""
    return not one.numeric and 2 <= one.distinct <= table.rows / 2 and not RESPONSES & {*words_of(one.name)}


def _owns(table: Table, one: Column) -> bool:
    """Whether what comes back under ids belongs to one user each, as sessions do: they are whose it is."""
    again = [two.name for two in table.columns if is_id(two.name) and two is not one and two.distinct < table.rows]
    return any(table.within(name, one.name) for name in again)


def _is_of_judged(name: str) -> bool:
    """Whether a column names people who are judged, or what else is."""
    others = ASKED_PEOPLE | {"model", "system", "first", "last", "given", "family", "surname"}
    return is_judged(name) or bool({*words_of(name)} & others)


def _said(name: str) -> list[str]:
    """The words of a name beside that it is one."""
    return [word for word in words_of(name) if word not in _BESIDE]


def _are_models(one: Column) -> bool:
    """Whether all labels are names of models."""
    return len(one.words) >= _FEWEST_MODELS and all(map(is_model, one.words))


def _are_makers(one: Column) -> bool:
    """Whether labels are kinds of who made what is judged, a machine beside people, and not of who judged."""
    kinds = [{*words_of(word)} for word in one.words]
    machines = [bool(kind & {*MACHINES} - {"judge", "grader"}) for kind in kinds]
    people = [bool(kind & {*PEOPLE, *PROFESSIONS, *JUDGES_ALONE, "student", "author"}) for kind in kinds]
    both = any(machines) and any(people) and all(a != b for a, b in zip(machines, people, strict=True))
    return both and {*words_of(one.name)}.isdisjoint({*JUDGES_ALONE, "label", "source"})


def _alone(role: str, names: list[str]) -> dict[str, str]:
    return {role: names[0]} if len(names) == 1 else {}
