"""Tables with several columns of scores or labels in a row: of judges, systems, questions to people, or criteria."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from quorate.arguments import argument, joined
from quorate.roles import ITEM, JUDGE, REPLICATE, SYSTEM
from quorate.table.columns.given_names import is_given
from quorate.table.columns.languages import plain
from quorate.table.columns.names import (
    GIVEN,
    HINTS,
    RESOLVED,
    RESPONSES,
    SYSTEMS,
    TOTALS,
    TRUE,
    form_of,
    groups_items,
    is_arm,
    is_count,
    is_criterion,
    is_id,
    is_judge,
    is_judged,
    is_person,
    measures,
    no_score,
    says_ends,
    words_of,
)
from quorate.table.columns.outcomes import WORDS
from quorate.table.columns.roles import FIXED
from quorate.table.columns.scales import number
from quorate.table.exchange.rows import ROW_NUMBER
from quorate.table.exchange.wide import CROSSED, crossed
from quorate.table.facts.profile import Column, Table
from quorate.table.families import is_model
from quorate.table.pairs import TIE
from quorate.table.reading.averages import is_made_of, lies_within, made_of_others, totals_in
from quorate.table.reading.family import MOST_WORDS, family_of, is_asked_late, on_one_scale, same_scale
from quorate.table.reading.item import row_by, told_within
from quorate.table.reading.key import (
    checked_by,
    is_of_machines,
    is_of_people,
    names_rows,
    people_beside,
    said_by_people,
)
from quorate.table.reading.levels import (
    CRITERION,
    TIME,
    are_places,
    are_products,
    follower_of,
    is_level,
    is_try,
    open_of,
    part_of,
    role_of,
    stripped,
)
from quorate.table.reading.reading import Meant, Reading
from quorate.table.reading.several import counts_of_labels
from quorate.wording import listed

MOST_SHOWN = 9
"""Columns that are listed where they could be read in another way."""
_PLURAL = {
    REPLICATE: "tries of the same",
    JUDGE: "judges",
    ITEM: "questions",
    CRITERION: "criteria",
    TIME: "occasions",
    SYSTEM: "systems",
}
ANSWERS = RESPONSES | {"prediction", "predicted", "pred", "truth", "target", "expected"}
"""Words in the names of what was answered and what is right, beside a score that says how well it was."""
CODED = frozenset(("label", "class", "sentiment", "stance"))
"""Words in the name of a column of labels, whose numbers may be codes."""
_RANKED = frozenset(("rank", "place", "ranking", "placing"))
"""Words in the names of columns that hold places."""
_FEWEST_CROSSED = 4


class _Family(NamedTuple):
    """Columns of one kind, whether they hold words, what their row is, and columns with roles or made of these."""

    columns: tuple[str, ...]
    words: bool
    row: str | None
    taken: frozenset[str]
    totals: tuple[str, ...]


def side_by_side(table: Table, known: Mapping[str, str], aside: set[str]) -> Reading | None:
    """A row for everything that is judged, or for everybody who answered, with columns of one kind.

    Raises
    ------
    Unsure
        If such columns are there and cannot be read as they stand.
    """
    row = row_by(table, known, aside)
    taken = {*known.values(), *aside, *([row] if row else [])}
    totals = totals_in(table, taken)
    named = tuple(one.name for one in table.columns if {*words_of(one.name)} & _RANKED and one.name not in taken)
    ranked = len(named) > 1 and row is not None and are_places(table, named)
    columns, words = (named, False) if ranked else family_of(table, {*taken, *totals})
    if not (ranked or words) and (made := made_of_others(table, columns)) is not None:
        columns, totals = tuple(name for name in columns if name != made), (*totals, made)
    counts = counts_of_labels(table, columns, row, words) if len(columns) > 1 else None
    beside = counts is None and _is_beside(table, columns, words, bool({JUDGE, SYSTEM} & known.keys()))
    if len(columns) < 2 or beside:
        return None
    placed = None if row or words else _places_within(table, columns, taken)
    if placed is not None:
        return placed
    facet, told = None, ""
    if row is None and _are_levels(table, columns, known):
        row, known, facet, told = _row_with_facet(table, known, taken, columns)
    alone = not known and {one.name for one in table.columns if one.filled} <= {*columns, *totals}
    if not (row or alone):  # of a table that is nothing but these every row is another thing
        others = [one for one in table.columns if one.filled and one.name not in {*columns, *totals}]
        grouped = all(groups_items(one.name) and 2 * one.distinct <= table.rows for one in others)
        return _of_judges_alone(columns, words, known, grouped)
    if row is not None and not {JUDGE, SYSTEM} & known.keys() and are_places(table, columns):
        said = f"{listed(columns, most=6)} hold 1 to {table.rows}, each once: places of every {row}, 1 the best"
        places = {"wide": {ITEM: columns}, "facets": {SYSTEM: row}, "less_is_better": True}
        return Reading(places, (said,), "likely", said=said)
    family = _Family(columns, words, row, frozenset(taken), totals)
    both = None if counts else _of_crossed(table, family, known)
    strays = tuple(dict.fromkeys(word for name in columns for word in table.column(name).strays))
    found = (
        counts or (None if both is None else both.also(_missing(strays))) or _of_one_role(table, family, known, strays)
    )
    return found if facet is None else found.naming({facet: facet}).granting(told)


def _row_with_facet(
    table: Table, known: Mapping[str, str], taken: set[str], columns: Sequence[str]
) -> tuple[str | None, Mapping[str, str], str | None, str]:
    """What every row is where what is judged comes back, roles, and the facet that is with it, and why."""
    asked, ids = known.get(ITEM), [one for one in table.columns if one.name not in taken and is_id(one.name)]
    ids = [one for one in ids if names_rows(table, one)]
    if asked and len(ids) == 1:  # the same was asked again
        others = {role: name for role, name in known.items() if role != ITEM}
        return ids[0].name, others, asked, f"every {ids[0].name} belongs to one {asked}: taken as a facet"
    inner = told_within(table, known, {*taken, *columns})
    if inner is None:
        return None, known, None, ""
    row, facet = inner  # every row is one of these in what is judged, as an element in a programme
    return row, {**known, facet: facet}, facet, f"{facet} tells apart the rows of one {row}: taken as a facet"


def _places_within(table: Table, columns: Sequence[str], taken: set[str]) -> Reading | None:
    """Columns of judges that hold the places of the same few things in each of several rounds; None if they do not."""
    kinds = [table.column(name) for name in columns]
    if not all(one.whole and one.low == 1 and one.high == kinds[0].high and one.filled == table.rows for one in kinds):
        return None
    free = [one for one in table.columns if one.name not in {*taken, *columns} and one.filled == table.rows]
    free = sorted((one for one in free if 1 < one.distinct < table.rows), key=lambda one: one.numeric)[:MOST_SHOWN]
    pairs = [(one.name, two.name) for one in free for two in free if one is not two]
    pairs = [pair for pair in pairs if table.keys(pair) == table.rows]
    cells = table.few(*columns) if pairs else None
    if cells is None:
        return None
    held = np.array([[number(text or "") or np.nan for text in row] for row in cells])
    for rounds, placed in pairs:
        code = np.unique([str(cell) for (cell,) in table.few(rounds) or ()], return_inverse=True)[1]
        each = [np.sort(held[code == group], axis=0) for group in range(table.column(rounds).distinct)]
        if all(len(part) > 2 and (part == np.arange(1, len(part) + 1)[:, None]).all() for part in each):
            said = f"{listed(columns, most=6)} hold the places of every {placed} in each {rounds}, 1 the best"
            options = {"wide": _wide(JUDGE, columns), "facets": {ITEM: rounds, SYSTEM: placed}, "less_is_better": True}
            return Reading(options, (said,), "likely", said=said)
    return None


def _are_levels(table: Table, columns: Sequence[str], known: Mapping[str, str]) -> bool:
    """Whether columns are those of judges, or plainly tries or systems, of which one may be a model, or have a mean."""
    totals = totals_in(table, {*known.values(), *columns})
    parts = [table.column(name) for name in columns if table.column(name).numeric]
    if all(map(is_judge, stripped(columns))):
        return True
    if len(parts) == len(columns) and any(is_made_of(table, table.column(name), parts) for name in totals):
        return True
    said = role_of(None, columns, known, table.names)
    models = said.role == SYSTEM and any(map(is_model, columns))
    return said.role in (JUDGE, SYSTEM, REPLICATE) and (said.confidence != "unsure" or models)


def _of_one_role(table: Table, family: _Family, known: Mapping[str, str], strays: tuple[str, ...]) -> Reading:
    """Columns that are levels of one role, by their names, or the ways in which they may be."""
    columns, words, row, taken, totals = family
    said = role_of(row, columns, known, table.names)
    plainly, agreed = said.role == JUDGE and said.confidence != "unsure", _resolved(columns)
    if plainly and agreed:
        columns = tuple(name for name in columns if name not in agreed)
    if said.role == SYSTEM and (words or _has_outcome(table, columns)):  # these may name the two sides of votes
        said = replace(said, confidence="unsure")
    options = _options(columns, known, row, said.role, words)
    hold = "the same words, each a label" if words else "scores on one scale"
    first = f"every row is one {row}" if row else "no column says what every row is: rows are numbered"
    other = [role for role in _others(row, known) if role != said.role]
    instead = argument("wide", _wide(other[0], columns)) if other else argument("score", columns[0])
    reasons = [
        f"{first}, and {len(columns)} columns hold {hold}",
        f"{said.why}; if they are {_PLURAL[other[0]] if other else 'scores of other things'}, say " + instead,
    ]
    if strays:
        options["missing"] = strays
        reasons.append(f"{listed(list(strays))} in these: taken for no score")
    alike = _judges_in(table, columns, taken) if words else _left(table, columns, {*taken, *totals})
    parts = [] if words else [table.column(name) for name in columns]
    made = (is_made_of, lies_within) if plainly else (is_made_of,)
    sums = tuple(name for name in alike if parts and any(of(table, table.column(name), parts) for of in made))
    alike, totals = tuple(name for name in alike if name not in sums), (*totals, *sums)
    agreed = (agreed if plainly else ()) + tuple(name for name in alike if plainly and RESOLVED & {*words_of(name)})
    agreed += tuple(one.name for one in table.columns if one.name not in columns and is_asked_late(table, one))
    alike = tuple(name for name in alike if name not in agreed)
    if totals:
        reasons.append(f"{listed(totals)}: made of the columns beside, and left out")
    beside = people_beside((*columns, *alike))
    if beside is not None:
        people, judges = beside
        return Reading(
            options,
            tuple(reasons),
            said=f"{said_by_people(people)}, {listed(judges, most=6)} what judges did",
            meant=_of_people(table, people, judges, known, row, words),
        )
    if alike:
        more = _options((*columns, *alike), known, row, said.role, words)
        both = (Meant(options, "these alone"), Meant(more | _missing(strays), "with the others"))
        problem = f"{listed(alike, most=6)} hold scores on the scale of {listed(columns, most=6)}"
        return Reading(options, tuple(reasons), said=problem, meant=both)
    open_ = open_of(table, columns, words, said, options)
    if open_ is not None:
        return Reading(options, tuple(reasons), said=open_[0], meant=open_[1])
    granted: list[str] = [said.why + "; else " + instead] if said.confidence == "likely" else []
    granted += _left_out(totals, agreed, strays)
    confidence = "likely" if said.confidence == "sure" and granted else said.confidence
    if confidence == "unsure":
        problem = f"{listed(columns, most=6)} hold {hold}, and their names do not say what they are"
        ways = _ways_of_roles(family, known, (said.role, *other), strays)
        return _without_resolved(table, family, known, Reading(options, tuple(reasons), said=problem, meant=ways))
    return Reading(options, tuple(reasons), confidence, said=joined("; ", granted) if confidence == "likely" else "")


def _has_outcome(table: Table, columns: Sequence[str]) -> bool:
    """Whether a column beside others may say which of two was better, by its name or its words."""
    ties = {*WORDS[TIE]} - {"c"}
    free = [one for one in table.columns if one.name not in columns and 2 * one.distinct <= table.rows]
    return any({*GIVEN} & {*words_of(one.name)} or ties & {plain(word) for word in one.words} for one in free)


def _resolved(columns: Sequence[str]) -> tuple[str, ...]:
    """The one column that is by its name what those who judged came to together, beside two or more."""
    found = tuple(name for name in columns if RESOLVED & {*words_of(name)})
    return found if len(found) == 1 < len(columns) - 1 else ()


def _without_resolved(table: Table, family: _Family, known: Mapping[str, str], asked: Reading) -> Reading:
    """A question that offers judges without the column of what these came to together, where one may be it."""
    columns, words, row = family[:3]
    named = _resolved(columns)
    follower = named[0] if named else follower_of(table, columns)
    if follower is None or JUDGE in known:
        return asked
    rest = tuple(name for name in columns if name != follower)
    way = Meant(_options(rest, known, row, JUDGE, words), f"judges without {follower}")
    others = [one for one in asked.meant if not named or [*one.options.get("wide", {})] != [JUDGE]]
    why = "by its name" if named else "never the only one apart: perhaps"
    said = f"{asked.said}; {follower} is {why} what the others came to together"
    return replace(asked, said=said, meant=(way, *others))


def _ways_of_roles(
    family: _Family, known: Mapping[str, str], roles: Sequence[str], strays: tuple[str, ...]
) -> tuple[Meant, ...]:
    """The ways in which columns may be levels of these roles; of questions also that systems answered them."""
    columns, words, row = family[:3]
    missing = _missing(strays)
    ways = [Meant(_options(columns, known, row, role, words) | missing, _PLURAL[role]) for role in roles]
    asked_of = row is not None and row != known.get(JUDGE) and not is_person(row)
    if asked_of and ITEM in roles and SYSTEM not in known:
        answered = _options(columns, known, row, ITEM, words, of=SYSTEM) | missing
        ways.insert([*roles].index(ITEM), Meant(answered, "questions that systems answered"))
    return tuple(ways)


def _of_judges_alone(columns: Sequence[str], words: bool, known: Mapping[str, str], grouped: bool) -> Reading | None:
    """Columns of judges by their names, where no one column says what their rows are: row numbers, perhaps asked.

    Rows are ``grouped`` where all other columns are groups of them, and nothing that a row may be.
    """
    if {ITEM, JUDGE} & known.keys() or not all(map(is_judge, stripped(columns))):
        return None
    open_ = f"{listed(columns, most=6)} are judges by their names, and no one column says what every row is"
    ways = (Meant(_options(columns, known, None, JUDGE, words), "every row is another item"),)
    if grouped:
        return Reading(ways[0].options, (open_,), "likely", said="every row is taken for another item")
    return Reading(ways[0].options, said=open_, meant=ways)


def _is_beside(table: Table, columns: Sequence[str], words: bool, long: bool) -> bool:
    """Whether one column is the score by its name, and others hold something else by theirs.

    Words beside it are what it was made of; numbers of another name happen to be on its scale.
    """
    scores = [one for one in table.columns if one.scored and {*HINTS} & {*words_of(one.name)} and one.distinct > 1]
    scores = [one for one in scores if not (is_criterion(one.name) or is_of_people(one.name) or is_count(one.name))]
    whole = [one for one in scores if "." not in one.name]  # beside which a record says what it was made of
    scores = whole if len(whole) == 1 else scores
    others = [name for name in columns if name not in {one.name for one in scores}]
    answers = all({*words_of(name)} & ANSWERS for name in others)  # what was answered, and what is right
    if words and answers and not scores:
        rest = [one for one in table.columns if one.name not in columns and 2 <= len(one.words) <= MOST_WORDS]
        return any({*GIVEN} - ANSWERS & {*words_of(one.name)} for one in rest)
    if words or len(scores) != 1 or not others:
        return words and len(scores) == 1
    levels = any(is_level(name) or is_criterion(name) or (is_of_people(name) and not answers) for name in others)
    if scores[0].name not in columns:  # and what every row is of is judged by somebody, or of some system
        return (long or answers) and not levels
    plainly = scores[0].name in columns and words_of(scores[0].name)[-1:] != words_of(others[0])[-1:]
    return plainly and not levels


def _left(table: Table, columns: Sequence[str], taken: set[str]) -> tuple[str, ...]:
    """Columns that are not of the family by their names, and hold scores on its scale."""
    kinds = [table.column(name) for name in columns]
    known = {word for kind in kinds if kind.scale for word in kind.scale.numbers}  # one may never say some of them
    free = [one for one in table.columns if one.name not in taken and one.name not in columns]
    free = [one for one in free if one.scored or (len(one.words) > 1 and known.issuperset(one.words))]
    free = [one for one in free if one.distinct > 1 and not (no_score(one.name) or groups_items(one.name))]
    return tuple(
        one.name
        for one in free
        if known.issuperset(one.words or "?")
        or any(
            same_scale(kind, one) or _both_shares(kind, one)
            for kind in kinds
            if is_of_people(one.name) or is_given(one.name) or (one.words and kind.words)
        )
    )


def _judges_in(table: Table, columns: Sequence[str], taken: frozenset[str]) -> tuple[str, ...]:
    """Columns of judges by their names, in the words of others, where those are people's."""
    said = {word for name in columns for word in table.column(name).words}
    free = [one for one in table.columns if one.name not in (*columns, *taken) and one.words and not one.numeric]
    return tuple(one.name for one in free if is_of_machines(one.name) and 2 * len({*one.words} & said) > len(said))


def _missing(strays: tuple[str, ...]) -> dict[str, Any]:
    return {"missing": strays} if strays else {}


def _left_out(totals: Sequence[str], agreed: Sequence[str], strays: Sequence[str]) -> list[str]:
    said = [f"{listed(totals)} left out, which is made of the columns beside"] if totals else []
    said += (
        [f"{listed(agreed)} left out, by its name what the others came to together, or where they differed"]
        if agreed
        else []
    )
    return [*said, *([f"{listed(list(strays))} taken for no score"] if strays else [])]


def _options(
    columns: Sequence[str],
    known: Mapping[str, str],
    row: str | None,
    role: str,
    words: bool,
    of: str = JUDGE,
) -> dict[str, Any]:
    """Arguments that read columns as levels of a role, and of questions every row as a judge, or another role."""
    others = {name: column for name, column in known.items() if column != row}
    options = as_criteria(columns, others) if role == CRITERION else {"wide": _wide(role, columns)}
    held = of if role == ITEM else ITEM
    facets = {} if held in known else {held: row or ROW_NUMBER}
    if held not in known and row in known.values():  # a name that says another role than this row plays
        facets |= {name: "" for name, column in known.items() if column == row and name not in role.split(CROSSED)}
    options |= {"facets": facets} if facets else {}
    return options | ({"labels": True} if words else {})


def _of_people(
    table: Table,
    people: Sequence[str],
    judges: Sequence[str],
    known: Mapping[str, str],
    row: str | None,
    words: bool,
) -> tuple[Meant, ...]:
    """Judges checked by what people said, and what judges said corrected by it; the tries of one are one judge."""
    if len(people) == 1 < len(judges) and len({form_of(name) for name in judges}) == 1 and all(map(_is_try, judges)):
        tried: dict[str, Any] = {"wide": _wide(REPLICATE, judges), "facets": {ITEM: row or ROW_NUMBER}}
        return checked_by(tried | ({"labels": True} if words else {}), {"human_label": people[0]}, 1.0, plain=True)
    if JUDGE in known and row is not None and len(judges) == len(people) == 1:  # who judged is said of every row
        model = is_of_machines(judges[0]) and not any(map(is_of_machines, table.column(known[JUDGE]).words))
        facets = ({} if ITEM in known else {ITEM: row}) | ({JUDGE: ""} if model else {})  # a person, who did not judge
        one: dict[str, Any] = {"score": judges[0], **({"facets": facets} if facets else {})}
        one |= {"labels": True} if words else {}
        truth = bool({*words_of(people[0])} & TRUE and table.within(row, people[0])) or model
        return checked_by(one, {"human_label": people[0]}, table.column(people[0]).filled / table.rows, truth)
    every = [table.column(name) for name in (*judges, *people)]
    codes = all(one.whole and words_of(one.name)[-1] in CODED for one in every) and len(every[0].values) > len("ab")
    options = _options((*judges, *people), known, row, JUDGE, words or codes)
    filled = max(table.column(name).filled for name in people) / table.rows
    plain = all(map(is_of_machines, judges)) or (filled == 1 and all(TRUE & {*words_of(name)} for name in people))
    ways = checked_by(options, {"human": tuple(people)}, filled, plain)
    return (*ways, Meant(options, "all of them judges alike"))


def _is_try(name: str) -> bool:
    """Whether a name ends in the number of a try, as ``gpt4o_run1`` does."""
    return is_try("_".join(words_of(name)[-len(("run", "1")) :]))


def _wide(role: str, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {role: tuple(columns)}


def _others(row: str | None, known: Mapping[str, str]) -> list[str]:
    """What columns may be, the likeliest first."""
    if row is not None and (known.get(JUDGE) == row or is_person(row)):
        return [ITEM, CRITERION, SYSTEM]
    if JUDGE in known:
        return [CRITERION] if SYSTEM in known else [CRITERION, SYSTEM]
    return [JUDGE, CRITERION] if SYSTEM in known else [JUDGE, CRITERION, SYSTEM]


def _of_crossed(table: Table, family: _Family, known: Mapping[str, str]) -> Reading | None:
    """Columns whose names cross two things, such as ``gpt_judge1`` and ``claude_judge1``; None where they do not."""
    columns, words, row = family[:3]
    both = crossed(columns) if len(columns) >= _FEWEST_CROSSED else None
    person = row is not None and row == known.get(JUDGE)
    if both is None or (person and ITEM in known):
        return None
    parts = [list(dict.fromkeys(part)) for part in both]
    answered = _answered(table, parts)
    said = _said_of_parts(parts, answered)
    criteria = said.count(CRITERION) == 1
    if SYSTEM in known or (JUDGE in known and not person):
        other = JUDGE if SYSTEM in known else SYSTEM
        named = any(is_judged(name) for part in parts for name in part)
        plainly = JUDGE in said if other == JUDGE else JUDGE not in said and not named
        return _by_each_criterion(family, known, both, said, other) if criteria and plainly else None
    first = said.index(JUDGE) if said.count(JUDGE) == 1 else None

    def read_as(*roles: str) -> dict[str, Any]:
        options = _options(columns, known, row, CROSSED.join(roles), words)
        return options | ({"fixed": (CRITERION,)} if CRITERION in roles else {})

    names = f"{listed(parts[0], most=4)} with {listed(parts[1], most=4)}"
    if person and columns[0].rstrip().endswith("]"):  # who filled in a form, with a grid for each of what was shown
        role = CRITERION if said[1] == CRITERION else SYSTEM
        granted = f"columns cross {names}: what was shown and {_PLURAL[role]} that everybody rated"
        options = {"wide": _wide(CROSSED.join((ITEM, role)), columns), **({"labels": True} if words else {})}
        return Reading(options, (granted,), "likely", said=granted)
    if not person and first is not None and said[1 - first] is not None:
        if criteria and not person:
            return _by_each_criterion(family, known, both, said, JUDGE)
        by_name = " and ".join(_PLURAL[str(role)] for role in said)
        granted = f"columns cross {names}: {by_name} by their names"
        return Reading(read_as(*map(str, said)), (granted,), "likely", said=granted)
    pairs = [(SYSTEM, ITEM), (ITEM, SYSTEM)] if person else _pairs(said, answered)
    ways = tuple(Meant(read_as(*pair), " by ".join(_PLURAL[role] for role in pair)) for pair in pairs)
    return Reading(ways[0].options, said=f"columns cross {names}: two things in one name", meant=ways)


def _pairs(said: Sequence[str | None], answered: int | None) -> list[tuple[str, str]]:
    """What two things may be of which their names say one, or none, the likeliest first."""
    first = said.index(JUDGE) if said.count(JUDGE) == 1 else None
    if first is not None:
        return [(JUDGE, other) if first == 0 else (other, JUDGE) for other in (SYSTEM, CRITERION)]
    if answered is not None:
        return [(SYSTEM, other) if answered == 0 else (other, SYSTEM) for other in (JUDGE, CRITERION)]
    if CRITERION in said:
        return [(CRITERION, other) if said[0] == CRITERION else (other, CRITERION) for other in (SYSTEM, JUDGE)]
    return [(SYSTEM, JUDGE), (JUDGE, SYSTEM), (JUDGE, CRITERION)]


def _answered(table: Table, parts: Sequence[Sequence[str]]) -> int | None:
    """Which of the two things names cross whose texts stand beside the scores, under the same names in a record."""
    texts = [one.name.partition(".") for one in table.columns if not one.numeric and one.distinct > 1]
    holders = {holder for holder, mark, _ in texts if mark}
    held = [{inner for of, _, inner in texts if of == holder} for holder in holders]
    found = [at for at, part in enumerate(parts) if any({*part} == names for names in held)]
    return found[0] if len(found) == 1 else None


def _said_of_parts(parts: Sequence[Sequence[str]], answered: int | None = None) -> list[str | None]:
    """What each of the two things is that names cross, as far as they, and answers beside them, say it."""
    said = [part_of(part) for part in parts]
    if answered is not None:
        models = bool({*parts[0]} & {*parts[1]}) or all(map(is_model, parts[1 - answered]))  # one judges itself
        rest = None if said[1 - answered] == SYSTEM else said[1 - answered]
        said[answered], said[1 - answered] = SYSTEM, JUDGE if models else rest
    if said[1] is None and all({*words_of(name)[-1:]} & (SYSTEMS | {"sys", "bot"}) for name in parts[0]):
        said[1] = SYSTEM  # such as judge_a__sys with base and new
    for at, part in enumerate(parts):  # such as anatomy, which no list of criteria has, beside style
        other = parts[1 - at]
        if said[at] is None and any(map(is_criterion, part)) and (said[1 - at] == SYSTEM or are_products(other, other)):
            said[at] = CRITERION
    arms = [all(map(is_arm, part)) for part in parts]
    if said == [SYSTEM, SYSTEM] and arms.count(True) == 1:  # models that judged the two sides of a comparison
        said[arms.index(False)] = JUDGE
    return said


def _by_each_criterion(
    family: _Family,
    known: Mapping[str, str],
    both: Sequence[Sequence[str]],
    said: Sequence[str | None],
    other: str,
) -> Reading:
    """Columns that cross criteria with judges or systems: each criterion is a measure, whose columns are the others."""
    at, columns = said.index(CRITERION), family.columns
    problem = f"columns cross criteria with {_PLURAL[other]}: {listed([*dict.fromkeys(both[at])], most=4)}"
    ways = []
    for criterion in dict.fromkeys(both[at]):
        own = tuple(name for name, part in zip(columns, both[at], strict=True) if part == criterion)
        ways.append(
            Meant(_options(own, known, family.row, other, family.words), f"{criterion} alone", measure=criterion)
        )
    return Reading(ways[0].options, said=problem, meant=tuple(ways))


def inside_one(table: Table, taken: set[str]) -> tuple[str, ...]:
    """The columns of scores on one scale that one record holds, such as ``scores.helpful``; none if none does."""
    columns = on_one_scale(table, taken, held=True)
    return columns if len(columns) > 1 else ()


def named_criteria(table: Table, taken: set[str]) -> tuple[str, ...]:
    """The columns of scores on one scale that are criteria by their names; none if there are fewer than two.

    Where these end alike, as ``clarity_score`` and ``tone_score``, all that do are.
    """
    free = [one for one in table.columns if one.name not in taken and one.scored and one.words]
    free = [one for one in free if not (measures(one.name) or is_of_people(one.name) or {*words_of(one.name)} & TOTALS)]
    scored = [one for one in free if is_criterion(one.name)]
    scales = [one for one in free if says_ends(one.name) and not is_level(one.name)]
    if len(scales) > len(scored) and len({one.name[one.name.rfind("(") :] for one in scales}) == 1:
        scored = scales
    ends = {words_of(one.name)[-1] for one in scored if len(words_of(one.name)) > 1}
    if len(scored) > 1 and len(ends) == 1 and ends < {*HINTS}:
        scored = [one for one in free if words_of(one.name)[-1] in ends]
    same = all(same_scale(scored[0], one) for one in scored)
    return tuple(one.name for one in scored) if len(scored) > 1 and same else ()


def as_criteria(columns: Sequence[str], known: Mapping[str, str]) -> dict[str, Any]:
    """Options that read columns as criteria, which are chosen and not drawn."""
    return {"wide": {CRITERION: tuple(columns)}, "fixed": chosen_with(known, CRITERION)}


def chosen_with(roles: Iterable[str], *more: str) -> tuple[str, ...]:
    """The roles that are chosen and not drawn by default, as far as a table has them, and ``more``."""
    has = {*roles}
    return (*(role for role in FIXED if role in has), *more)


def criteria_of_one(columns: Sequence[str]) -> str:
    """Why the columns of one record are criteria, and how one of them is read."""
    holder = columns[0].rpartition(".")[0] or "the table"
    return f"{holder} holds {len(columns)} scores of each row, taken for criteria; one alone: " + argument(
        "score", columns[0]
    )


def _both_shares(one: Column, person: Column) -> bool:
    """Whether a column of somebody's holds broken numbers from 0 to 1, as another does."""
    shares = [two for two in (one, person) if two.numeric and not two.whole and (two.low or 0) >= 0]
    return is_given(person.name) and len(shares) == len("ab") and all((two.high or 0) <= 1 for two in shares)
