"""Tables whose roles are known: never read wrong with confidence, whatever names and order columns and rows have."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from known_headers import headed_tables
from known_roles import Known, tables

import quorate as q
from quorate.errors import QuorateError
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes


def outcome(known: Known, said: list[tuple[str, str]]) -> tuple[str, str]:
    """Right, asked or wrong, and how it was read; what a line admits to have left out is wrong all the same."""
    said.clear()
    try:
        table = q.read(known.frame)
    except QuorateError as error:
        return "asked", str(error)
    found, how = judged(known, table)
    return found, how + "; ".join(message for level, message in said if level == "WARNING")


def judged(known: Known, table: Judgments | Votes) -> tuple[str, str]:
    """Whether a table was read as what is known of it says."""
    notes = [note for note in table.notes if note.role]
    read = {
        note.role: tuple(column for one in notes if one.role == note.role for column in one.columns) for note in notes
    }
    told = ", ".join(f"{role}={'+'.join(columns)}" for role, columns in read.items())
    if known.kind == "votes" or not isinstance(table, Judgments):
        same = isinstance(table, Votes) and read.get("winner") == known.score and known.kind == "votes"
        return ("right" if same else "wrong"), told
    facets = {facet.name: facet.column for facet in table.facets}
    columns = {*facets.values(), *read.get("count", ())}
    if known.wide:
        right = {*read.get(known.wide, ())} - {known.wide} == {*known.score} and known.wide in facets
    else:
        right = table.origin is not None and table.origin.roles.score == known.score[0]
    right &= known.facets <= columns and (known.wide == "item" or same_items(known, facets["item"]))
    return ("right" if right else "wrong"), told


def same_items(known: Known, column: str) -> bool:
    """Whether a column tells apart what is judged as the one that says it does."""
    rows = known.frame.height
    found = rows if column == "row number" else known.frame[column].n_unique()
    wanted = rows if known.item is None else known.frame[known.item].n_unique()
    both = (
        found if column == "row number" or known.item is None else known.frame.select({column, known.item}).n_unique()
    )
    return found == wanted == both


def rates(n: int, seed: int, said: list[tuple[str, str]]) -> tuple[Counter[str], list[str]]:
    """How many tables were right, asked about or wrong, by kind of name; and those that were wrong."""
    rng = np.random.default_rng(seed + 1)
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for known in (*tables(n // 2, seed), *headed_tables(n - n // 2, seed)):
        neutral = known.neutral()
        for names, one in (("telling", known), ("neutral", neutral)):
            found, how = outcome(one, said)
            count[f"{names} {found}"] += 1
            if found == "wrong":
                wrong.append(f"{names}: {one.frame.columns} {one.frame.row(0)}: {how}")
            again, how_again = outcome(one.shuffled(rng), said)
            if again != found:
                count["changed by order"] += 1
                wrong.append(f"{names}, shuffled: {one.frame.columns}: {found}, {how} | {again}, {how_again}")
    return count, wrong


def test_tables_of_known_roles_are_not_read_wrong(logged):
    count, wrong = rates(40, 11, logged)
    assert not wrong
    assert count["telling right"] >= 12


@pytest.mark.slow
def test_one_in_five_hundred_at_most(logged):
    count, wrong = rates(2_000, 12, logged)
    assert count["telling wrong"] + count["neutral wrong"] <= 4_000 / 500, wrong
    assert count["changed by order"] == 0, wrong
