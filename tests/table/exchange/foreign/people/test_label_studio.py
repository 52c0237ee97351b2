"""Label Studio: whole and flat exports, ratings and pairs."""

from __future__ import annotations

import copy
import csv
import json

import numpy as np
import pytest
from hypothesis import given
from logs import read, statuses
from mutants import mutants, reads_or_refuses

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


def test_ratings_of_people(write_json):
    table = read(write_json(TASKS))
    assert statuses(table) == {"ok": 2, "refused": 1, "missing": 1}
    assert (table.facet("item").levels, table.facet("judge").levels) == (("7", "8"), ("1", "2"))
    assert table.facet("system").levels == ("m1", "m2")
    left_out = '1 annotation given as the truth: left out; a judge of its own with part="quality, ground_truth"'
    assert left_out in table.notes
    whole = read(write_json(TASKS), part="quality, ground_truth")
    assert whole.only("judge", "ground_truth").mean.tolist() == [1]
    assert (whole.n_answers, whole.facet("judge").levels) == (3, ("1", "2", "ground_truth"))
    assert not table.source.caveats


def test_sides_are_votes_and_another_control_says_ties(write_json):
    votes = read(write_json(PAIRS))
    assert (votes.wins("x", "y"), votes.wins("y", "x")) == (1, 1)
    assert votes.outcome.tolist()[2:4] == [TIE, BOTH_BAD]
    assert statuses(votes) == {"ok": 4, "missing": 1}
    assert set(votes.order.tolist()) == {0}
    assert votes.facet("prompt").levels == ("p",)
    scores = read(write_json(PAIRS), part="quality")
    assert (scores.n_answers, len(scores.n)) == (1, 5)
    named = read(write_json(PAIRS), part="best, same")
    assert np.array_equal(named.outcome, votes.outcome)


def test_a_label_that_people_began_with_is_a_caveat(write_json):
    tasks = copy.deepcopy(TASKS)
    tasks[0]["annotations"][0]["prediction"] = {"model_version": "judge-a", "result": [1]}
    table = read(write_json(tasks))
    assert str(table.source.caveats[0]).startswith("1 of 4 annotations began with a label by judge-a")


@pytest.mark.parametrize("name", ["flat.json", "flat.csv"])
def test_flat_exports_lack_what_was_skipped(write_json, tmp_path, name):
    shown = (lambda value: value) if name.endswith("json") else json.dumps
    rows = [
        {"id": i, "topic": "art", "grade": str(i), "score": shown([{"rating": i}]), "annotator": 1, "annotation_id": i}
        | {"lead_time": 2.5}
        for i in (1, 2)
    ]
    path = tmp_path / name
    if name.endswith("json"):
        write_json(rows, name)
    else:
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    table = read(path)
    assert table.mean.tolist() == [1, 2]
    assert [caveat.code for caveat in table.source.caveats] == ["skipped-unseen"]
    assert read(path, part="grade").n_answers == 2


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
def test_what_is_not_understood_is_named(write_json, value, error, said):
    with pytest.raises(error, match=said):
        read(write_json(value))


def test_a_part_that_is_not_there_or_holds_words(write_json):
    with pytest.raises(UnknownTerm, match='no control "x"'):
        read(write_json(TASKS), part="x")
    assert "Tie" in read(write_json(PAIRS), part="same").labels
    shares = read(write_json(PAIRS), part="same", label="Tie").mean
    assert set(shares[~np.isnan(shares)]) == {0, 1}
    odd = copy.deepcopy(PAIRS)
    odd[0]["annotations"][4]["result"][0]["value"] = {"choices": ["odd"]}
    with pytest.raises(InvalidData, match='"odd" is no word for a tie'):
        read(write_json(odd), part="best,note")


@given(mutants(TASKS) | mutants(PAIRS))
def test_a_broken_export_is_a_table_or_one_line(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-label-studio.json", block, format="label-studio")


@pytest.mark.slow
def test_exports_of_the_tool(shared):
    folder = shared / "data" / "formats" / "label-studio"
    with pytest.raises(InvalidInput, match=r"3 controls.*quality \(31, 1 to 5, 32% missing\)"):
        read(folder / "ratings.json")
    whole = read(folder / "ratings.json", part="quality")
    assert statuses(whole) == {"ok": 20, "refused": 2, "missing": 9}
    assert (len(whole.facet("judge").levels), len(whole.facet("item").levels)) == (3, 6)
    for name, rows in (("ratings.json", 31), ("ratings.min.json", 29), ("ratings.csv", 29)):
        table = read(folder / name, part="quality")
        assert int(table.rows.sum()) == rows
        assert np.average(np.nan_to_num(table.mean), weights=table.n) == pytest.approx(3.4, abs=1e-12)
    for name, counts in (("pairs.json", {"ok": 35, "refused": 1}), ("pairs.min.json", {"ok": 35})):
        votes = read(folder / name)
        assert statuses(votes) == counts
        left = (votes.outcome == votes.order).sum()  # model_a is left: the first shown wins
        assert (left, ((votes.outcome == TIE).sum(), (votes.outcome == BOTH_BAD).sum())) == (27, (2, 2))


def test_a_field_that_says_left_and_right_alone_is_the_side(write_json):
    rows = [
        {"id": i, "model1": "x", "model2": "y", "comparison": side, "annotator": 1, "annotation_id": i}
        for i, side in enumerate(("left", "right", "right"))
    ]
    votes = read(write_json(rows))
    assert (votes.wins("x", "y"), votes.wins("y", "x")) == (1, 2)


def test_a_number_of_a_flat_export_is_a_score_by_its_name(write_json):
    rows = [
        {"id": i // 2, "quality": 1 + i % 3, "annotator": i % 2, "annotation_id": i, "text_length": i} for i in range(6)
    ]
    table = read(write_json(rows))
    assert (table.n_answers, table.mean.max()) == (6, 3)


GRADES = ("Answer A is much better", "B is slightly better", "Both are about equal", "A is slightly better")


@pytest.mark.parametrize("whole", [True, False])
def test_phrases_that_name_a_side_are_votes_where_the_task_names_both(write_json, tmp_path, whole):
    said = [GRADES[n % 4] for n in range(16)]
    sides = [("x", "y") if n % 3 else ("y", "z") for n in range(16)]
    if whole:
        tasks = [
            {"id": n, "data": {"q": f"t{n}", "model_a": a, "model_b": b}, "annotations": [annotation(n % 3, one)]}
            for n, (a, b) in enumerate(sides)
            for one in [result("graded", "choices", choices=[said[n]])]
        ]
        path = write_json(tasks)
    else:
        path = tmp_path / "export.csv"
        head = "annotation_id,annotator,graded,id,lead_time,model_a,model_b,q"
        cells = (f"{n},{n % 3},{said[n]},{n},{n + 0.5},{a},{b},t{n}" for n, (a, b) in enumerate(sides))
        path.write_text("\n".join([head, *cells]) + "\n")
    votes = read(path)
    first = [n for n in range(16) if n % 3]
    assert votes.wins("x", "y") == sum(n % 4 in (0, 3) for n in first)
    assert votes.wins("y", "x") == sum(n % 4 == 1 for n in first)
    assert ((votes.outcome == TIE).sum(), len(votes.facet("judge").levels)) == (4, 3)


def test_phrases_are_labels_where_no_task_names_two_sides(write_json):
    rows = [result("graded", "choices", choices=[GRADES[n % 4]]) for n in range(8)]
    tasks = [{"id": n, "data": {"q": f"t{n}"}, "annotations": [annotation(1, one)]} for n, one in enumerate(rows)]
    with pytest.raises(InvalidData, match="holds words"):
        read(write_json(tasks))
