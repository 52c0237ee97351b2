from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from quorate.table.facts.describe import crossing, crossings, duplicates, full_crossing
from quorate.table.read import read

FACETS = {"item": "item", "judge": "judge"}


def table(items, judges, scores, *, facets=FACETS, status=None, **columns):
    frame = pl.DataFrame({"item": items, "judge": judges, "score": scores, **columns}, strict=False)
    return read(frame, facets=facets, status=status)


def grid(n, m):
    return [i for i in range(n) for _ in range(m)], [j for _ in range(n) for j in range(m)]


def test_facets_rows_and_statuses():
    items, judges = grid(3, 2)
    description = table(items, judges, [1, 2, None, 4, 5, 6]).describe()
    assert (description.object, description.rows, description.answers, description.cells) == ("item", 6, 5, 6)
    assert [(facet.name, facet.levels, facet.fixed) for facet in description.facets] == [
        ("item", 3, False),
        ("judge", 2, True),
    ]
    assert [(status.name, status.rows, status.share) for status in description.statuses] == [
        ("ok", 5, 5 / 6),
        ("missing", 1, 1 / 6),
    ]


def test_a_complete_design_is_balanced_only_with_equal_answers():
    items, judges = grid(3, 2)
    even = table(items * 2, judges * 2, range(12)).describe().balance
    assert (even.least, even.median, even.most, even.complete, even.balanced) == (2, 2.0, 2, True, True)
    uneven = table([*items, 0], [*judges, 0], range(7)).describe().balance
    assert (uneven.least, uneven.most, uneven.complete, uneven.balanced) == (1, 2, True, False)


def test_the_share_of_the_full_crossing():
    items, judges = grid(3, 2)
    balance = table(items[:-1], judges[:-1], range(5)).describe().balance
    assert (balance.full, balance.share, balance.complete) == (6.0, 5 / 6, False)


def test_missing_rows_and_absent_cells_by_level():
    items, judges = grid(4, 3)
    keep = [i for i in range(12) if i != 5]  # item 1 of judge 2 was never asked
    scores = [None if i in {2, 8} else i for i in keep]
    both = table(
        [items[i] for i in keep] * 2,
        [judges[i] for i in keep] * 2,
        scores * 2,
        facets={**FACETS, "prompt": "prompt"},
        prompt=["p"] * 11 + ["q"] * 11,
    )
    by_item, by_judge, by_prompt = both.describe().missing
    # items and judges no longer cross completely, so absent cells mean nothing certain
    assert by_judge.absent is None
    np.testing.assert_array_equal(by_judge.rows, [8, 8, 6])
    np.testing.assert_array_equal(by_judge.missing, [0, 0, 4])
    np.testing.assert_allclose(by_judge.share, [0, 0, 2 / 3])
    np.testing.assert_array_equal(by_item.missing, [2, 0, 2, 0])
    np.testing.assert_array_equal(by_prompt.cells, [11, 11])


def test_absent_cells_of_a_crossed_design():
    items, judges = grid(3, 2)
    cells = [(i, j, p) for p in "pq" for i, j in zip(items, judges, strict=True) if (i, j, p) != (0, 1, "q")]
    items, judges, prompts = (list(column) for column in zip(*cells, strict=True))
    found = table(items, judges, range(11), facets={**FACETS, "prompt": "prompt"}, prompt=prompts).describe()
    assert {m.facet: m.absent.tolist() for m in found.missing} == {"item": [1, 0, 0], "judge": [0, 1], "prompt": [0, 1]}


def test_repeated_keys_are_counted_and_the_first_is_named():
    facets = {**FACETS, "replicate": "rep"}
    twice = table(["a", "b", "b", "b"], ["x", "x", "x", "x"], [1, 2, 3, 4], facets=facets, rep=[0, 0, 0, 1])
    assert duplicates(twice).rows == 1
    assert duplicates(twice).first == {"item": "b", "judge": "x"}
    once = table(["a", "b"], ["x", "x"], [1, 2], facets=facets, rep=[0, 0])
    assert duplicates(once).rows == 0
    assert duplicates(once).first is None


def test_without_replicate_column_nothing_is_a_duplicate():
    assert duplicates(table(["a", "a"], ["x", "x"], [1, 2])) is None


def test_constant_scores():
    constancy = table(["a", "a", "b", "b", "c"], ["x", "x", "x", "y", "x"], [1, 1, 1, 2, 5]).describe().constancy
    assert not constancy.all
    assert (constancy.cells, constancy.constant_cells) == (1, 1)
    assert (constancy.objects, constancy.constant_objects) == (2, 1)
    assert table(["a", "b"], ["x", "x"], [3, 3]).describe().constancy.all


@pytest.mark.parametrize(
    ("scores", "binary", "integers"),
    [
        ([0, 1, 1, 0], True, True),
        ([1, 5, 5, 5], True, True),
        ([0.5, 1, 1, 0.5], True, False),
        ([1, 2, 3, 3], False, True),
        ([0, 0.5, 1, 1], False, False),
        ([1, 1.5, 2.5, 3], False, False),
        ([2, 2, 2, 2], False, True),
    ],
)
@pytest.mark.parametrize("items", [["a", "a", "a", "a"], ["a", "b", "c", "d"], ["a", "a", "b", "b"]])
def test_kinds_of_score_are_told_from_cells_alone(scores, binary, integers, items):
    found = table(items, ["x"] * 4, scores).describe().scores
    assert (found.binary, found.integers) == (binary, integers)
    assert (found.low, found.high) == (min(scores), max(scores))


def test_no_answers_at_all():
    description = table(["a", "b"], ["x", "x"], [None, None]).describe()
    assert description.answers == 0
    assert not description.constancy.all
    assert description.to_dict()["scores"]["low"] is None


def test_everything_goes_into_json():
    plain = table(["a", "b"], ["x", "y"], [1, None]).describe().to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["crossings"] == [{"a": "item", "b": "judge", "kind": "one-to-one", "pairs": 2, "share": 0.5}]
    assert plain["missing"][0]["missing"] == [0, 1]


def table_of_layout(rows, nested=None, **columns):
    names = list(columns)
    frame = pl.DataFrame(rows, schema=list(columns.values()), orient="row").with_columns(score=1.0)
    return read(frame, facets=dict(columns), object=names[0], nested=nested)


def grid_of_layout(n, m):
    return [(i, j) for i in range(n) for j in range(m)]


@pytest.mark.parametrize(
    ("rows", "kind", "share"),
    [
        (grid_of_layout(3, 2), "complete", 1.0),
        (grid_of_layout(3, 2)[:-1], "partial", 5 / 6),
        ([(0, 0), (1, 0), (2, 1)], "nested", 0.5),
        ([(0, 0), (1, 1)], "one-to-one", 0.5),
        (grid_of_layout(3, 1), "one level", 1.0),
    ],
)
def test_kinds_of_crossing(rows, kind, share):
    found = crossing(table_of_layout(rows, item="i", judge="j"), "item", "judge")
    assert (found.kind, found.share) == (kind, share)


def test_the_inner_facet_comes_first():
    found = crossing(table_of_layout([(0, 0), (0, 1), (1, 2)], item="i", judge="j"), "item", "judge")
    assert (found.a, found.b, found.kind) == ("judge", "item", "nested")


def test_levels_of_a_nested_facet_are_counted_within_its_parent():
    judgments = table_of_layout([(0, 0), (1, 0), (0, 1), (1, 1)], nested={"item": "group"}, item="i", group="g")
    (found,) = crossings(judgments)
    assert (found.a, found.b, found.kind, found.pairs) == ("item", "group", "nested", 4)


def test_the_full_crossing_of_crossed_facets_is_their_product():
    full = full_crossing(table_of_layout(grid_of_layout(3, 2)[:-1], item="i", judge="j"))
    assert full.cells == 6
    np.testing.assert_allclose(full.by_label["item"], [2, 2, 2])
    np.testing.assert_allclose(full.by_label["judge"], [3, 3])


def test_the_full_crossing_respects_nesting():
    # two groups with 2 and 1 items, labels starting again, by 2 judges
    rows = [("x", "g", 0), ("y", "g", 0), ("x", "h", 1)]
    full = full_crossing(table_of_layout(rows, nested={"item": "group"}, item="i", group="g", judge="j"))
    assert full.cells == 6
    np.testing.assert_allclose(full.by_label["item"], [4, 2])
    np.testing.assert_allclose(full.by_label["group"], [4, 2])
    np.testing.assert_allclose(full.by_label["judge"], [3, 3])


def test_two_facets_in_one_parent_cross_within_it():
    rows = [("a", "p", "g"), ("b", "q", "g"), ("c", "r", "h")]
    full = full_crossing(
        table_of_layout(rows, nested={"item": "group", "part": "group"}, item="i", part="p", group="g")
    )
    assert full.cells == 2 * 2 + 1
    np.testing.assert_allclose(full.by_label["group"], [4, 1])
    np.testing.assert_allclose(full.by_label["part"], [2, 2, 1])


def test_a_chain_of_nesting():
    rows = [("a", "g", "d"), ("b", "g", "d"), ("c", "h", "e")]
    full = full_crossing(
        table_of_layout(rows, nested={"item": "group", "group": "dept"}, item="i", group="g", dept="d")
    )
    assert full.cells == 3
    np.testing.assert_allclose(full.by_label["dept"], [2, 1])
