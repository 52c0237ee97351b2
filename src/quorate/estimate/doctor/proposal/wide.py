"""Tables with several columns of scores or labels in a row: of judges, of questions to people, or of criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate.arguments import argument
from quorate.errors import InvalidInput
from quorate.estimate.doctor.proposal.names import (
    HOLDERS,
    QUESTION,
    is_criterion,
    is_judge,
    is_person,
    measures,
    no_score,
)
from quorate.estimate.doctor.proposal.pairs import Roles
from quorate.roles import ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.table.columns.outcomes import plain
from quorate.table.facts.profile import Column, Table
from quorate.wording import listed

CRITERION = "criterion"
"""Role of columns that each hold the score by one criterion."""
MOST_WORDS = 30
"""Words of a column of labels."""
MOST_SHOWN = 9
"""Columns that are listed where they could be read in another way."""
_PLURAL = {JUDGE: "judges", ITEM: "questions", CRITERION: "criteria"}


def side_by_side(table: Table, known: Mapping[str, str], aside: set[str]) -> Roles | None:
    """A row for everything that is judged, or for everybody who answered, with columns of one kind."""
    row = _row(table, known)
    if row is None:
        judges = [one.name for one in table.columns if is_judge(one.name) and one.words]
        if len(judges) > 1 and not known:
            raise InvalidInput(
                f"source: {listed(judges, most=6)} are judges by their names, and no column says what every row is; "
                "add a column of row numbers named item"
            )
        return None
    taken = {*known.values(), *aside, row}
    columns = _alike(table, taken)
    words = len(columns) < 2
    columns = _of_the_same_words(table, taken) if words else columns
    if len(columns) < 2:
        return None
    total = None if words else _constant_sum(table, columns)
    if total is not None:
        raise InvalidInput(
            f"source: {listed(columns, most=6)} add up to {total:g} in every row: counts of labels for each {row}, not "
            "scores; give a row for each label that was given"
        )
    role, why = _role(row, columns, known)
    options: dict[str, Any] = {"wide": {role: columns}} if role != CRITERION else as_criteria(columns, known)
    held = JUDGE if role == ITEM else ITEM
    options |= {} if held in known else {"facets": {held: row}}
    options |= {"labels": True} if words else {}
    hold = "the same words, each a label" if words else "scores on one scale"
    reasons = [f"every row is one {row}, and {len(columns)} columns hold {hold}", why]
    strays = tuple(dict.fromkeys(word for name in columns for word in table.column(name).strays))
    if strays:
        options["missing"] = strays
        reasons.append(f"{listed(list(strays))} in these: taken for no score")
    named = all(is_judge(name) for name in columns) or all(is_criterion(name) for name in columns)
    return Roles(options, tuple(reasons), sure=named and not strays)


def _constant_sum(table: Table, columns: Sequence[str]) -> float | None:
    """What counts of labels add up to in every row; None if these are no counts."""
    kinds = [table.column(name) for name in columns]
    if len(kinds) < 3 or not all(one.numeric and one.whole and one.low == 0 for one in kinds):
        return None
    numbers = " + ".join(f"coalesce(TRY_CAST({table.sql(name)} AS DOUBLE), 0)" for name in columns)
    ((low, high),) = table.opened.relation.aggregate(f"min({numbers}), max({numbers})").fetchall()
    return low if low == high and low > 1 else None


def inside_one(table: Table, taken: set[str]) -> tuple[str, ...]:
    """The columns of scores on one scale that one record holds, such as ``scores.helpful``; none if none does."""
    columns = _alike(table, taken, held=True)
    return columns if len(columns) > 1 else ()


def as_criteria(columns: Sequence[str], known: Mapping[str, str]) -> dict[str, Any]:
    """Options that read columns as criteria, which are chosen and not drawn."""
    return {"wide": {CRITERION: tuple(columns)}, "fixed": (*((JUDGE,) if JUDGE in known else ()), CRITERION)}


def criteria_of_one(columns: Sequence[str]) -> str:
    """Why the columns of one record are criteria, and how one of them is read."""
    holder = columns[0].rpartition(".")[0]
    return f"{holder} holds {len(columns)} scores of each row, taken for criteria; one alone: " + argument(
        "score", columns[0]
    )


def same_scale(one: Column, other: Column) -> bool:
    """Whether most values of the column that has fewer occur in the other; of words, whether they are of one scale."""
    if one.scale is not None or other.scale is not None:
        if one.scale is None or other.scale is None:
            return False
        fewer, more = sorted((one.scale.numbers, other.scale.numbers), key=len)
        return fewer.items() <= more.items()  # one judge may never give one of the words
    few, many = sorted((one.values, other.values), key=len)
    return len(few & many) * 2 >= len(few) and len(many) <= 3 * len(few)


def _row(table: Table, known: Mapping[str, str]) -> str | None:
    """The column that says what every row is; None if no column tells all rows apart."""
    if table.rows < 2:
        return None
    if ITEM not in known and JUDGE in known and table.keys([known[JUDGE]]) == table.rows:
        return known[JUDGE]
    key = [known[role] for role in (ITEM, SYSTEM, PROMPT, REPLICATE) if role in known]
    if ITEM not in known:
        ids = [one.name for one in table.columns if one.distinct == table.rows and one.name not in known.values()]
        key = [*sorted(ids, key=measures)[:1], *key] if ids else []
    return key[0] if key and table.keys(key) == table.rows else None


def _alike(table: Table, taken: set[str], *, held: bool = False) -> tuple[str, ...]:
    """The most columns of scores that are on one scale; ``held`` ones are those of one record of scores."""
    free = [
        one
        for one in table.columns
        if one.scored
        and one.distinct > 1
        and one.name not in taken
        and one.words
        and not no_score(one.name)
        and (not held or _holder(one.name) in HOLDERS)
    ]
    best: tuple[str, ...] = ()
    for seed in free:
        alike = [one for one in free if same_scale(seed, one) and (not held or _holder(one.name) == _holder(seed.name))]
        best = max(best, tuple(one.name for one in alike), key=len)
    return best


def _of_the_same_words(table: Table, taken: set[str]) -> tuple[str, ...]:
    """The most columns of a few words, of which most words come in the others too."""
    free = [
        one
        for one in table.columns
        if not one.scored
        and one.name not in taken
        and 2 <= len(one.words) <= MOST_WORDS
        and one.distinct < table.rows / 2
    ]
    best: tuple[str, ...] = ()
    for seed in free:
        alike = (one for one in free if 2 * len({*seed.words} & {*one.words}) > max(len(seed.words), len(one.words)))
        best = max(best, tuple(one.name for one in alike), key=len)
    return best


def _holder(name: str) -> str:
    """The name of the record that holds a column; empty if none does."""
    return plain(name.rpartition(".")[0].rpartition(".")[2])


def _role(row: str, columns: Sequence[str], known: Mapping[str, str]) -> tuple[str, str]:
    """What columns of scores are, and why; with what else they could be."""
    questions = sum(QUESTION.fullmatch(plain(name)) is not None for name in columns)
    criteria = sum(is_criterion(name) for name in columns)
    if all(is_judge(name) for name in columns):
        role, why = JUDGE, "columns are judges by their names"
    elif ITEM not in known and (known.get(JUDGE) == row or is_person(row)):
        role, why = ITEM, f"{row} says who answered: columns are questions, and people judge them"
    elif ITEM not in known and 2 * questions > len(columns):
        role, why = ITEM, f"{columns[0]} to {columns[-1]} are questions by their names, and every {row} answers them"
    elif JUDGE in known:
        role, why = CRITERION, f"{known[JUDGE]} is the judge: columns are criteria"
    elif all(_holder(name) in HOLDERS for name in columns):
        role, why = CRITERION, f"{columns[0].rpartition('.')[0]} holds them together: columns are criteria"
    elif 2 * criteria > len(columns):
        role, why = CRITERION, "columns are criteria by their names"
    else:
        role, why = JUDGE, "columns are taken for judges"
    other = CRITERION if role == JUDGE or JUDGE in known else JUDGE
    instead = argument("wide", {other: tuple(columns)} if len(columns) < MOST_SHOWN else None)
    return role, f"{why}; if they are {_PLURAL[other]}, say " + instead
