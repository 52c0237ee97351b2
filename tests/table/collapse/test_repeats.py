from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData
from quorate.table.collapse.repeats import refuse_repeats

FRAME = pl.DataFrame(
    {"item": ["a", "a", "b", "b"], "replicate": [1, 1, 1, 2], "kind": [1, 2, 1, 1], "score": [1, 2, 3, 4]}
)


def test_a_replicate_that_comes_twice_is_refused_with_the_columns_that_may_tell_rows_apart():
    with pytest.raises(InvalidData, match=r"1 row repeats a key, the first at item a: .*\(not used so far: kind\)"):
        refuse_repeats(q.read(FRAME, announce=False))


@pytest.mark.parametrize("given", [{"facets": {"item": "item"}}, {"facets": {"kind": "kind"}, "recognise": True}])
def test_without_replicates_or_with_all_facets_nothing_is_repeated(given):
    judgments = q.read(FRAME, announce=False, **given)
    refuse_repeats(judgments)
    assert judgments.rows.sum() == 4
