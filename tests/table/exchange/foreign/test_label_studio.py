"""Label Studio: whole and flat exports, ratings and pairs."""

from __future__ import annotations

import copy
import csv
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from mutations import broken, refusal

import quorate as q
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.table.pairs import BOTH_BAD, TIE


def result(control, kind, **value):
    return {"from_name": control, "to_name": "answer", "type": kind, "value": value}


def annotation(judge, *results, **changed):
    return {"id": 1, "completed_by": judge, "result": list(results), "was_cancelled": False, "prediction": {}} | changed


TASKS = [
    {
        "id": 7,
        "data": {"text": "long " * 100, "model": "m1", "topic": "art", "Status": "new"},
        "annotations": [
            annotation(1, result("quality", "rating", rating=4), result("why", "textarea", text=["fine"])),
            annotation({"id": 2, "email": "not@kept"}, result("quality", "rating", rating=2)),
        ],
    },
    {
        "id": 8,
        "data": {"text": "short", "model": "m2", "topic": "art"},
        "annotations": [
            annotation(1, result("quality", "rating", rating=5), was_cancelled=True),
            annotation(2),
            annotation(3, result("quality", "rating", rating=1), ground_truth=True),
        ],
    },
]
PAIRS = [
    {
        "id": 3,
        "data": {"item": "p", "model_a": "x", "model_b": "y"},
        "annotations": [
            annotation(1, result("best", "pairwise", selected="left")),
            annotation(2, result("best", "pairwise", selected="right"), result("quality", "rating", rating=3)),
            annotation(3, result("same", "choices", choices=["Tie"])),
            annotation(4, result("same", "choices", choices=["both bad"])),
            annotation(5, result("note", "choices", choices=["odd", "even"])),
        ],
    }
]


@pytest.fixture
def write(tmp_path):
    def writer(value, name="export.json"):
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    return writer


def test_ratings_of_people(write):
    table = q.read(write(TASKS), announce=False)
    counts = {name: int(rows.sum()) for name, rows in table.status.items()}
    assert counts == {"ok": 2, "refused": 1, "missing": 1}
    assert (table.facet("item").levels, table.facet("judge").levels) == (("7", "8"), ("1", "2"))
    assert table.facet("system").levels == ("m1", "m2")
    assert "1 annotation given as the truth: left out" in table.notes
    assert not table.source.caveats


def test_sides_are_votes_and_another_control_says_ties(write):
    votes = q.read(write(PAIRS), announce=False)
    assert (votes.wins("x", "y"), votes.wins("y", "x")) == (1, 1)
    assert votes.outcome.tolist()[2:4] == [TIE, BOTH_BAD]
    assert votes.describe().statuses == {"ok": 4, "missing": 1}
    assert set(votes.order.tolist()) == {0}
    assert votes.facet("prompt").levels == ("p",)
    scores = q.read(write(PAIRS), part="quality", announce=False)
    assert (scores.n_answers, len(scores.n)) == (1, 5)
    named = q.read(write(PAIRS), part="best, same", announce=False)
    assert np.array_equal(named.outcome, votes.outcome)


def test_a_label_that_people_began_with_is_a_caveat(write):
    tasks = copy.deepcopy(TASKS)
    tasks[0]["annotations"][0]["prediction"] = {"model_version": "judge-a", "result": [1]}
    table = q.read(write(tasks), announce=False)
    assert str(table.source.caveats[0]).startswith("1 of 4 annotations began with a label by judge-a")


@pytest.mark.parametrize("name", ["flat.json", "flat.csv"])
def test_flat_exports_lack_what_was_skipped(write, tmp_path, name):
    shown = (lambda value: value) if name.endswith("json") else json.dumps
    rows = [
        {"id": i, "topic": "art", "grade": str(i), "score": shown([{"rating": i}]), "annotator": 1, "annotation_id": i}
        | {"lead_time": 2.5}
        for i in (1, 2)
    ]
    path = tmp_path / name
    if name.endswith("json"):
        write(rows, name)
    else:
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    table = q.read(path, announce=False)
    assert table.mean.tolist() == [1, 2]
    assert [caveat.code for caveat in table.source.caveats] == ["skipped-unseen"]
    assert q.read(path, part="grade", announce=False).n_answers == 2


def changed(where, value):
    tasks = copy.deepcopy(TASKS)
    tasks[0]["annotations"][0].update({where: value})
    return tasks


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (changed("result", 1), InvalidData, "task 7: an annotation has no list of results"),
        (
            changed("result", [result("quality", "rating", rating="x")]),
            InvalidData,
            r'task 7, quality is "x"; a number',
        ),
        (changed("result", [result("s", "pairwise", selected="up")]), InvalidData, 'task 7, s: side "up" is not known'),
        (changed("result", [result("q", "choices", choices=["3"])]), InvalidInput, "the log has 2 controls"),
        ([{"annotations": [], "data": {}}], InvalidData, "holds no annotation"),
        ([{"annotations": [annotation(1)], "data": {}}], InvalidData, "no control is a rating"),
        ([{"annotations": [annotation(1)], "data": 1}], InvalidData, "data an object"),
        ([{"annotations": [annotation(1)], "data": {}}, 3], InvalidData, "no list of tasks"),
    ],
)
def test_what_is_not_understood_is_named(write, value, error, said):
    with pytest.raises(error, match=said):
        q.read(write(value), announce=False)


def test_a_part_that_is_not_there_or_holds_words(write):
    with pytest.raises(UnknownTerm, match='no control "x"'):
        q.read(write(TASKS), part="x", announce=False)
    with pytest.raises(InvalidData, match='holds words such as "Tie"'):
        q.read(write(PAIRS), part="same", announce=False)
    odd = copy.deepcopy(PAIRS)
    odd[0]["annotations"][4]["result"][0]["value"] = {"choices": ["odd"]}
    with pytest.raises(InvalidData, match='"odd" is no word for a tie'):
        q.read(write(odd), part="best,note", announce=False)


@given(text=broken(TASKS) | broken(PAIRS))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_broken_export_is_a_table_or_one_line(write, text):
    assert "\n" not in refusal(write(text), format="label-studio")


def test_exports_of_the_tool(shared):
    folder = shared / "data" / "formats" / "label-studio"
    with pytest.raises(InvalidInput, match=r"3 controls.*quality \(31, 1 to 5, 32% missing\)"):
        q.read(folder / "ratings.json", announce=False)
    whole = q.read(folder / "ratings.json", part="quality", announce=False)
    assert {name: int(rows.sum()) for name, rows in whole.status.items()} == {"ok": 20, "refused": 2, "missing": 9}
    assert (len(whole.facet("judge").levels), len(whole.facet("item").levels)) == (3, 6)
    for name, rows in (("ratings.json", 31), ("ratings.min.json", 29), ("ratings.csv", 29)):
        table = q.read(folder / name, part="quality", announce=False)
        assert int(table.rows.sum()) == rows
        assert np.average(np.nan_to_num(table.mean), weights=table.n) == pytest.approx(3.4, abs=1e-12)
    for name, statuses in (("pairs.json", {"ok": 35, "refused": 1}), ("pairs.min.json", {"ok": 35})):
        votes = q.read(folder / name, announce=False)
        assert votes.describe().statuses == statuses
        left = (votes.outcome == votes.order).sum()  # model_a is left: the first shown wins
        assert (left, ((votes.outcome == TIE).sum(), (votes.outcome == BOTH_BAD).sum())) == (27, (2, 2))
