from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData
from quorate.table.replicates import highest

ROWS = {"item": ["a", "a", "b", "c"], "score": [1, None, 2, 3]}


def read(replicates, source=pl.DataFrame, **more):
    frame = source({**ROWS, "rep": replicates})
    return q.read(frame, facets={"item": "item", "replicate": "rep", **more})


@pytest.mark.parametrize(
    ("replicates", "wanted"),
    [
        ([3, 7, None, 1], [7, 1, 1]),
        (["7", "3", "5", "1"], [7, 5, 1]),
        (["r1", "r9", "r3", "1"], [2, 1, 1]),
        ([-3, -2, 0, 4], [2, 1, 4]),
    ],
)
@pytest.mark.parametrize("source", [pl.DataFrame, pl.LazyFrame])
def test_the_highest_number_of_every_cell(replicates, wanted, source):
    assert highest(read(replicates, source)).tolist() == wanted


def test_a_part_of_a_table_and_a_file(tmp_path):
    table = read([3, 7, 5, 1])
    assert highest(table.without("item", "b")).tolist() == [7, 1]
    path = tmp_path / "log.csv"
    pl.DataFrame({**ROWS, "rep": [3, 7, 5, 1]}).write_csv(path)
    table = q.read(path, facets={"item": "item", "replicate": "rep"})
    assert highest(table).tolist() == [7, 5, 1]
    pl.DataFrame({**ROWS, "rep": [3, 7, 5, 2]}).write_csv(path)
    with pytest.raises(InvalidData, match="has changed since it was read"):
        highest(table)


def test_without_replicates_it_is_the_number_of_rows():
    table = q.read(pl.DataFrame(ROWS), facets={"item": "item"})
    assert highest(table).tolist() == [2, 1, 1]


def test_what_is_refused():
    with pytest.raises(InvalidData, match="1 cells have two rows of one replicate"):
        highest(read([3, 3, 3, 3]))
    with pytest.raises(InvalidData, match="replicates are numbers up to"):
        highest(read(np.array([1, 10**17, 1, 1])))
