"""Verdicts by place, and a column that says which of two systems had it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.table.reading.test_sheet import MARKS, N, rows, sheet

import quorate as q
from quorate.table.pairs import TIE

SAID = ("first", "second", "tie")
FIRST = MARKS[:, 0] % 2 == 0


def cells(names=("new", "old"), said=SAID):
    won = [said[mark % 3] for mark in MARKS[:, 1]]
    return [(f"p{n}", "v4", "v3", names[not FIRST[n]], won[n], 90 + n) for n in range(N)]


@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize("said", [SAID, ("First response", "Second response", "No preference")])
def test_the_place_of_the_winner_is_that_of_a_system(tmp_path, by_name, said):
    names = ("new", "old") if by_name else ("v4", "v3")
    lines = rows("id,new,old,shown_first,verdict,secs", cells(names, said))
    path = sheet(tmp_path, *lines)
    won = np.where(FIRST, MARKS[:, 1] % 3 == 0, MARKS[:, 1] % 3 == 1)
    for source in (path, pl.read_csv(path)):
        votes = q.read(source, announce=False)
        assert votes.wins("v4", "v3") == won.sum()
        assert (votes.outcome == TIE).sum() == (MARKS[:, 1] % 3 == 2).sum()
        assert (votes.order == 0).sum() in (N, FIRST.sum(), (~FIRST).sum())


def test_places_of_left_and_right_with_several_systems(tmp_path):
    pairs = [("u", "v"), ("v", "w"), ("u", "w")]
    said = [("left", "right")[mark % 2] for mark in MARKS[:, 1]]
    table = [(n, *pairs[n % 3], pairs[n % 3][not FIRST[n]], said[n]) for n in range(N)]
    votes = q.read(sheet(tmp_path, *rows("id,contender,rival,on_the_left,choice", table)), announce=False)
    won = [pairs[n % 3][int(FIRST[n] == MARKS[n, 1] % 2)] for n in range(N)]
    assert votes.wins("u", "v") == sum(won[n] == "u" for n in range(0, N, 3))


def test_columns_of_what_systems_said_are_named_by_their_heads(tmp_path):
    table = [(a, f"it is {a}", f"not {a}", *rest) for a, _, _, *rest in cells()]
    path = sheet(tmp_path, *rows("id,new,old,shown_first,verdict,secs", table))
    won = np.where(FIRST, MARKS[:, 1] % 3 == 0, MARKS[:, 1] % 3 == 1)
    for source in (path, pl.read_csv(path)):
        assert q.read(source, announce=False).wins("new", "old") == won.sum()
