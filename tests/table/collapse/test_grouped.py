"""Pooling over a facet against reading without it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidData
from quorate.table.collapse.grouped import Grouped, cell_key, judgments, pooled, squares
from quorate.table.columns.labels import Coded
from quorate.table.columns.roles import Roles
from quorate.table.facets import Facet, Source

ITEM, JUDGE = Facet("item", "i", ()), Facet("judge", "j", ())


def grouped(items, judges, *, n=None, levels=("a", "b"), **changes):
    count = len(items)
    codes = [np.array(items, dtype=np.int64), np.array(judges, dtype=np.int64)]
    arrays = {name: np.arange(count, dtype=float) for name in ("mean", "low", "high")}
    n = np.ones(count, dtype=np.int64) if n is None else np.array(n)
    facets = (Coded(levels, None, codes[0]), Coded(("x", "y"), None, codes[1]))
    return Grouped(**{"facets": facets, "rows": n, "n": n, "ss": np.zeros(count), **arrays, **changes})


ROLES = Roles((ITEM, JUDGE), "item", "score")


def test_cells_come_in_the_order_of_their_levels():
    table = judgments(grouped([1, 0, 1], [0, 1, 1]), ROLES, Source("here"))
    np.testing.assert_array_equal(table.codes, [[0, 1], [1, 0], [1, 1]])
    np.testing.assert_array_equal(table.mean, [1, 0, 2])
    assert table.codes.dtype == np.int32


@pytest.mark.parametrize("parent", [None, "item"])
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), unique=True, min_size=1))
def test_the_key_of_a_cell_orders_and_tells_apart(parent, pairs):
    codes = [np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True)]
    facets = (ITEM, Facet("judge", "j", (), parent=parent))
    key = cell_key(codes, [5, 2], facets)
    assert [pairs[i] for i in np.argsort(key)] == sorted(pairs)
    assert len(set(key.tolist())) == len(pairs)


def test_answers_that_are_all_equal_have_no_spread_at_all():
    """Sums of decimal fractions leave a trace otherwise."""
    tenth = {name: np.array([0.1]) for name in ("low", "high")}
    noisy = grouped([0], [0], n=[3], mean=np.array([0.10000000000000002]), ss=np.array([1e-33]), **tenth)
    table = judgments(noisy, ROLES, Source("here"))
    assert (table.mean[0], table.ss[0]) == (0.1, 0.0)


def test_no_rows():
    with pytest.raises(InvalidData, match="here: has no rows"):
        judgments(grouped([], []), ROLES, Source("here"))


def test_an_object_without_label_is_an_error_with_the_number_of_rows():
    with pytest.raises(InvalidData, match='column "i" is empty in 3 rows; every row needs its item'):
        judgments(grouped([0, -1, -1], [0, 0, 1], n=[1, 1, 2]), ROLES, Source("here"))


def test_other_facets_get_a_level_for_rows_without_label():
    table = judgments(grouped([0, 0], [1, -1]), ROLES, Source("here"))
    assert table.facet("judge").levels == ("x", "y", "(missing)")
    assert table.notes == ('judge: 1 row without a label: level "(missing)"',)


def test_that_level_cannot_be_confused_with_a_label():
    facets = (Coded(("a",), None, np.zeros(2, int)), Coded(("(missing)",), None, np.array([0, -1])))
    with pytest.raises(InvalidData, match=r'labelled "\(missing\)" and 1 row without one: leave these out'):
        judgments(grouped([0, 0], [0, 1], facets=facets), ROLES, Source("here"))


def test_squares_that_overflow_are_an_error():
    wide = {"low": np.array([-1e200]), "high": np.array([1e200])}
    with pytest.raises(
        InvalidData, match=r'column "score" has scores such as -1e\+200, whose squares .* missing="-1e\+200"'
    ):
        judgments(grouped([0], [0], n=[2], ss=np.array([np.inf]), **wide), ROLES, Source("here"))


def test_labels_that_start_again_in_each_parent_are_noted():
    roles = Roles((Facet("item", "i", (), parent="judge"), JUDGE), "item", "score")
    table = judgments(grouped([0, 1, 0], [0, 0, 1]), roles, Source("here"))
    assert table.notes == ("item: labels occur under several levels of judge and are counted within them",)


def test_but_not_when_the_parent_was_only_guessed():
    roles = Roles((Facet("item", "i", (), parent="judge"), JUDGE), "item", "score", guessed="judge")
    with pytest.raises(InvalidData, match="some labels of item occur under several; say which it is: nested="):
        judgments(grouped([0, 1, 0], [0, 0, 1]), roles, Source("here"))


def test_repeated_cells_without_replicate_column_are_noted():
    table = judgments(grouped([0], [0], n=[2]), ROLES, Source("here"))
    assert table.notes == ("no replicate column: rows that repeat a cell are taken as its replicates",)


def test_rows_that_are_ok_but_have_no_score_are_missing():
    status = {"ok": np.array([2, 1]), "refused": np.array([1, 0]), "error": np.array([0, 0])}
    found = grouped([0, 1], [0, 0], n=[1, 1], rows=np.array([3, 1]), status=status)
    table = judgments(found, ROLES, Source("here"))
    assert {name: counts.tolist() for name, counts in table.status.items()} == {
        "ok": [1, 1],
        "refused": [1, 0],
        "missing": [1, 0],
    }
    assert not found.has_unknown


def test_squares_undo_the_sample_variance():
    np.testing.assert_array_equal(squares(np.array([np.nan, np.nan, 2.0]), np.array([0, 1, 3])), [0, 0, 4])


@pytest.mark.parametrize("last", ["day", "judge"])
def test_pooled_is_as_if_the_facet_had_not_been_read(last):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "item": rng.integers(0, 9, 200),
            "judge": rng.choice(list("abc"), 200),
            "day": rng.choice(["mon", "tue"], 200),
            "score": [None if rng.random() < 0.2 else float(rng.integers(1, 6)) for _ in range(200)],
        }
    )
    facets = {name: name for name in ("item", "judge", "day")}
    found = pooled(q.read(frame, facets=facets, announce=False), last)
    wanted = q.read(frame, facets={name: name for name in facets if name != last}, announce=False)
    assert found.names == wanted.names
    for name in ("codes", "n", "mean", "ss", "low", "high"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), err_msg=name, atol=1e-9)
    assert {name: count.tolist() for name, count in found.status.items()} == {
        name: count.tolist() for name, count in wanted.status.items()
    }
