from __future__ import annotations

import polars as pl
import pytest

from quorate.errors import NotEstimable
from quorate.estimate.votes.well_sampled_pairs import matched, rows_on, same_levels, shared
from quorate.table.read_votes import read_votes


def votes(*pairs):
    rows = [(a, b, "model_a") for a, b in pairs for _ in range(3)]
    return read_votes(pl.DataFrame(rows, schema=["model_a", "model_b", "winner"], orient="row"), announce=False)


def test_pairs_that_both_have_whichever_way_round():
    first, second = votes(("x", "y"), ("x", "z"), ("u", "v")), votes(("z", "x"), ("y", "x"), ("y", "z"))
    pairs, alone = shared((first, second), ("A", "B"), 3)
    assert pairs == {frozenset("xy"), frozenset("xz")}
    assert alone == [1, 1]
    kept = [table.keep(rows_on(table, pairs)) for table in (first, second)]
    order, sign = matched(*kept)
    names = [kept[1].pairs().names[at] for at in order]
    assert [set(name) for name in names] == [set(name) for name in kept[0].pairs().names]
    assert [name == own for name, own in zip(names, kept[0].pairs().names, strict=True)] == (sign > 0).tolist()


def test_none_in_common():
    with pytest.raises(NotEstimable, match="A 1 pair and B 1 pair"):
        shared((votes(("x", "y")), votes(("x", "z"))), ("A", "B"), 3)


def test_levels_are_the_same_where_each_table_shares_half_of_its_own():
    def prompted(names):
        rows = [("x", "y", "model_a", name) for name in names]
        return read_votes(
            pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row"), announce=False
        )

    four, other = prompted("abcd"), prompted("cdef")
    assert same_levels((four, other), ("prompt", "prompt")) == tuple("abcdef")
    assert same_levels((four, prompted("defg")), ("prompt", "prompt")) is None
    assert same_levels((four, other), ("prompt", "")) is None
