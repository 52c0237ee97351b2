from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.table.cells import Cells
from quorate.table.progress import Progress, crossed, judged


def _calls(progress, rows):
    rows = np.asarray(rows)
    return progress.roster.cells(rows, np.ones(len(rows), dtype=np.int64))


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.one_of(st.none(), st.floats(-1e3, 1e3, width=32))), min_size=1, max_size=60
    ),
    st.integers(1, 7),
)
def test_moments_do_not_depend_on_how_answers_come_in(log, chunk):
    progress = Progress.start(["a", "b", "c", "d"])
    rows, scores = [row for row, _ in log], [score for _, score in log]
    for at in range(0, len(log), chunk):
        cells = _calls(progress, rows[at : at + chunk])
        progress = progress.asked(cells).answered(cells, scores[at : at + chunk])
    for row in range(4):
        own = np.array([score for r, score in log if r == row and score is not None], dtype=float)
        assert progress.n[row] == len(own)
        assert progress.failed[row] == rows.count(row) - len(own)
        if len(own):
            assert progress.mean[row] == pytest.approx(own.mean(), abs=1e-6)
            assert progress.ss[row] == pytest.approx(((own - own.mean()) ** 2).sum(), rel=1e-9, abs=1e-5)
        else:
            assert np.isnan(progress.mean[row])
    assert progress.pending.sum() == 0
    assert progress.calls.sum() == len(log)


def test_a_failure_is_no_score():
    progress = Progress.start(["a", "b"])
    after = progress.answered(_calls(progress, [0, 0, 1]), [float("nan"), 4, None])
    assert (after.n.tolist(), after.failed.tolist()) == ([1, 0], [1, 1])
    assert after.mean[0] == 4
    assert np.isnan(after.mean[1])


def test_calls_under_way_are_counted_until_they_come_back():
    progress = Progress.start(["a", "b"])
    sent = progress.asked(_calls(progress, [0, 0, 1]))
    assert (sent.pending.tolist(), sent.calls.tolist()) == ([2, 1], [2, 1])
    assert sent.answered(_calls(progress, [0]), [3]).pending.tolist() == [1, 1]
    assert progress.answered(_calls(progress, [0]), [3]).pending.tolist() == [0, 0]


def test_an_answer_with_some_attributes_missing_is_kept_in_part_and_counts_as_failed():
    progress = Progress.start(["a", "b"], attributes=["fluent", "true"])
    after = progress.answered(_calls(progress, [0, 0, 1]), [[1, 5], [3, np.nan], [np.nan, np.nan]])
    assert after.n.tolist() == [[2, 1], [0, 0]]
    assert (after.whole.tolist(), after.failed.tolist()) == ([1, 0], [1, 1])
    np.testing.assert_array_equal(after.mean, [[2, 5], [np.nan, np.nan]])
    np.testing.assert_array_equal(after.ss, [[2, 0], [0, 0]])
    assert after.to_frame("polars").columns == [
        "item",
        "n_fluent",
        "mean_fluent",
        "n_true",
        "mean_true",
        "failed",
        "pending",
    ]


def test_the_same_from_judgments_as_from_answers():
    rows = pl.DataFrame(
        {
            "item": ["a", "a", "b", "a", "c"],
            "judge": ["x", "y", "x", "x", "x"],
            "score": [1.0, 2.0, None, 4.0, None],
            "status": ["ok", "ok", "error", "ok", "refused"],
        }
    )
    table = q.read(rows, facets={"judge": "judge", "item": "item"}, status="status")
    start = Progress.start({"item": ["c", "b", "a", "unseen"], "judge": ["y", "x"]})
    found = Progress.of(table, arms=start)
    levels = {"item": ("a", "b", "c"), "judge": ("x", "y")}
    codes = np.array([[0, 0], [0, 1], [1, 0], [0, 0], [2, 0]], dtype=np.int32)
    wanted = start.answered(Cells(levels, codes, np.ones(5, dtype=np.int64)), [1, 2, None, 4, None])
    for name in ("n", "mean", "ss", "failed", "pending"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    assert list(Progress.of(table).roster.levels) == ["item", "judge"]
    assert Progress.of(table).roster.names() == ["a, x", "b, x", "c, x", "a, y"]


def test_attributes_from_a_facet_of_the_judgments():
    rows = pl.DataFrame(
        {
            "item": ["a", "a", "a", "a", "b", "b"],
            "aspect": ["f", "t", "f", "t", "f", "t"],
            "rep": [1, 1, 2, 2, 1, 1],
            "score": [1.0, 5.0, 3.0, None, None, None],
        }
    )
    table = q.read(rows, facets={"item": "item", "aspect": "aspect", "replicate": "rep"})
    found = Progress.of(table, arms=Progress.start(["a", "b"], attributes=["t", "f"]), attribute="aspect")
    assert found.n.tolist() == [[1, 2], [0, 0]]
    assert found.failed.tolist() == [1, 1]
    assert Progress.of(table, attribute="aspect").attributes == ("f", "t")
    with pytest.raises(InvalidInput, match="attribute: the arms have"):
        Progress.of(table, arms=Progress.start(["a"]), attribute="aspect")
    with pytest.raises(InvalidInput, match="other than the object"):
        Progress.of(table, attribute="item")


def test_a_category_need_not_be_named():
    rows = pl.DataFrame({"item": ["a", "b"], "category": ["g", "h"], "score": [1, 2]})
    table = q.read(rows, facets={"item": "item"}, nested={"item": "category"})
    assert Progress.of(table, arms=Progress.start(["b", "a"])).mean.tolist() == [2, 1]


def test_what_does_not_fit_is_refused():
    progress = Progress.start(["a", "b"])
    other = Progress.start(["a", "c"])
    with pytest.raises(InvalidInput, match="1 of 2 are not among those that may be asked"):
        progress.answered(_calls(other, [0, 1]), [1, 2])
    with pytest.raises(InvalidInput, match='no facet "item"'):
        progress.asked(_calls(Progress.start({"question": ["a"]}), [0]))
    with pytest.raises(InvalidInput, match="one for every call"):
        progress.answered(_calls(progress, [0]), [1, 2])
    with pytest.raises(InvalidData, match="finite"):
        progress.answered(_calls(progress, [0]), [float("inf")])
    with pytest.raises(InvalidInput, match="expects numbers"):
        progress.answered(_calls(progress, [0]), ["good"])
    with pytest.raises(InvalidInput, match="at least one label"):
        Progress.start([])
    table = q.read(
        pl.DataFrame({"item": ["a"], "judge": ["x"], "score": [1]}), facets={"item": "item", "judge": "judge"}
    )
    with pytest.raises(InvalidInput, match='also have "judge"'):
        Progress.of(table, arms=progress)
    with pytest.raises(InvalidInput, match="read it first"):
        Progress.of("scores.csv")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"n": np.array([-1, 0])}, "n counts calls and cannot be negative, got -1"),
        ({"pending": np.array([0, -2])}, "pending counts calls"),
        ({"failed": np.array([0])}, "failed has shape"),
        ({"n": np.array([2, 0]), "ss": np.array([np.nan, 0])}, "1 cells with answers is no number"),
        ({"n": np.array([2, 0]), "mean": np.ones(2), "ss": np.array([-1.0, 0])}, "is no number"),
    ],
)
def test_a_progress_that_cannot_be_is_refused(changed, said):
    start = Progress.start(["a", "b"])
    whole = {name: getattr(start, name) for name in ("roster", "n", "mean", "ss", "failed", "pending")}
    with pytest.raises(InvalidInput, match=said):
        Progress(**{**whole, **changed})


def test_a_replicate_asked_is_never_forgotten():
    progress = Progress.start(["a", "b"])
    cells = progress.roster.cells(np.array([0, 0, 0]), np.array([1, 2, 3]))
    asked = progress.asked(cells)
    assert (progress.issued.tolist(), asked.issued.tolist()) == ([0, 0], [3, 0])
    third = progress.roster.cells(np.array([0]), np.array([3]))
    answered, lost = progress.answered(third, [4]), replace(asked, pending=np.zeros_like(asked.pending))
    for way in (answered, lost.answered(third, [4])):
        assert (way.calls.tolist(), way.issued.tolist()) == ([1, 0], [3, 0])


def test_replicates_of_judgments_are_never_forgotten():
    rows = {"item": ["a", "a", "b"], "rep": [3, 4, 1], "score": [1, None, 2]}
    table = q.read(pl.DataFrame(rows), facets={"item": "item", "replicate": "rep"})
    found = Progress.of(table, arms=Progress.start(["c", "b", "a"]))
    assert (found.calls.tolist(), found.issued.tolist()) == ([0, 1, 2], [0, 1, 4])
    table = q.read(pl.DataFrame({**rows, "rep": [3, 3, 1]}), facets={"item": "item", "replicate": "rep"})
    with pytest.raises(InvalidData, match="two rows of one replicate"):
        Progress.of(table)


def test_scores_that_the_scale_does_not_have_are_refused_by_name():
    progress = replace(Progress.start(["a", "b"]), bounds=((1.0, 5.0),))
    assert progress.answered(_calls(progress, [0, 1]), [1, 5]).bounds == ((1.0, 5.0),)
    assert progress.answered(_calls(progress, np.zeros(0, dtype=int)), []).calls.sum() == 0
    with pytest.raises(InvalidData, match=r'scores: 9 for "b" is not from 1 to 5.*\(2 in all\)'):
        progress.answered(_calls(progress, [0, 1, 0]), [3, 9, 0.5])
    both = replace(Progress.start(["a", "b"], attributes=["x", "y"]), bounds=((1.0, 5.0), (0.0, 1.0)))
    with pytest.raises(InvalidData, match=r'3 for "y of b" is not from 0 to 1'):
        both.answered(_calls(both, [0, 1]), [[5, None], [3, 3]])


def test_judgments_that_the_scale_does_not_have_are_refused_by_name():
    rows = {"item": ["a", "a", "b"], "score": [5, 3, 0]}
    table = q.read(pl.DataFrame(rows), facets={"item": "item"})
    arms = replace(Progress.start(["b", "a"]), bounds=((1.0, 5.0),))
    with pytest.raises(InvalidData, match='0 for "b" is not from 1 to 5'):
        Progress.of(table, arms=arms)
    assert Progress.of(table.only("item", "a"), arms=arms).bounds == ((1.0, 5.0),)
    rows = {"item": ["a", "a"], "aspect": ["x", "y"], "score": [5, 3]}
    table = q.read(pl.DataFrame(rows), facets={"item": "item", "aspect": "aspect"})
    arms = replace(Progress.start(["a"], attributes=["y", "x"]), bounds=((1.0, 5.0), (1.0, 4.0)))
    with pytest.raises(InvalidData, match='5 for "x of a" is not from 1 to 4'):
        Progress.of(table, arms=arms, attribute="aspect")


def test_names_and_columns_of_a_roster():
    roster = crossed({"item": ["a", "b"], "judge": ["x"]})
    assert roster.names() == ["a", "b"]
    assert crossed(["a"]).names() == ["a"]
    assert crossed({"item": ["a", "b"], "judge": ["x", "y"]}).names(slice(0, 2), without=["judge"]) == ["a", "a"]
    with pytest.raises(UnknownTerm, match="no facet"):
        roster.column("system")


def test_the_cells_of_judgments_without_their_attributes():
    rows = {"item": ["b", "b", "a"], "aspect": ["x", "y", "x"], "judge": ["j", "j", "k"], "score": [1, 2, 3]}
    facets = {"judge": "judge", "item": "item", "aspect": "aspect"}
    table = q.read(pl.DataFrame(rows), facets=facets)
    assert judged(table).names() == ["b, j, x", "b, j, y", "a, k, x"]
    assert judged(table, "aspect").names() == ["b, j", "a, k"]
    with pytest.raises(InvalidInput, match="other than the object"):
        judged(table, "item")


def test_rosters_are_compared_by_their_cells():
    assert crossed(["a", "b"]).same(crossed(["a", "b"]))
    assert not crossed(["a", "b"]).same(crossed(["b", "a"]))
