"""Prodigy: annotations from db-out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from logs import json_lines, read, statuses
from mutants import mutants, reads_or_refuses

from quorate.errors import InvalidData

OPTIONS = [{"id": 1, "text": "bad"}, {"id": 5, "text": "good"}]


def task(number, accept, answer="accept", **more):
    own = {"text": f"t{number}", "_input_hash": number, "_task_hash": 100 + number, "answer": answer}
    return {**own, "options": OPTIONS, "accept": accept, "_session_id": "set-ann", "model": "m", **more}


TASKS = [task(1, [5]), task(1, [1], _annotator_id="set-bob"), task(2, [], "ignore"), task(3, [1, 5])]


def written(tmp_path, tasks):
    path = tmp_path / "db.jsonl"
    path.write_text(json_lines(tasks))
    return path


def test_the_option_that_was_accepted(tmp_path):
    table = read(written(tmp_path, TASKS))
    assert statuses(table) == {"ok": 2, "refused": 1, "missing": 1}
    assert table.facet("judge").levels == ("set-ann", "set-bob")
    assert table.facet("system").levels == ("m",)
    assert "1 annotation with several options: without a score" in table.notes


def test_tasks_without_options_and_words_of_a_scale(tmp_path):
    plain = [{k: v for k, v in task(i, [], a).items() if k != "options"} for i, a in enumerate(["accept", "reject"])]
    assert sorted(read(written(tmp_path, plain)).mean.tolist()) == [0, 1]
    words = [task(i, [word]) for i, word in enumerate(["poor", "good", "excellent"])]
    assert sorted(read(written(tmp_path, words)).mean.tolist()) == [1, 3, 4]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"answer": "maybe"}, 'line 1: answer is "maybe"; known are accept, reject, ignore'),
        ({"accept": ["green"]}, '1 value that is not a number .first: "green"'),
        ({"mapping": {"A": "x"}}, 'line 1: mapping is {"A": "x"}; accept and reject of A and B are needed there'),
        ({"mapping": {"A": "accept", "C": "reject"}}, "line 1: answer .* is not known"),
        ({"_input_hash": []}, "line 1: _input_hash is"),
    ],
)
def test_what_is_refused(tmp_path, changed, told):
    with pytest.raises(InvalidData, match=told):
        read(written(tmp_path, [{**TASKS[0], **changed}]))


SWAPPED = {"B": "accept", "A": "reject"}
COMPARED = [
    ({"accept": {"text": "x"}, "reject": {"text": "y"}, "mapping": {"A": "accept", "B": "reject"}}, "accept"),
    ({"accept": {"text": "x"}, "reject": {"text": "y"}, "mapping": SWAPPED}, "accept"),
    ({"accept": {"text": "x"}, "reject": {"text": "y"}, "mapping": SWAPPED}, "reject"),
    ({"accept": {"text": "x"}, "reject": {"text": "y"}, "mapping": SWAPPED}, "ignore"),
    ({"options": [{"id": "B"}, {"id": "A"}], "accept": ["A"], "mapping": SWAPPED}, "accept"),
    ({"options": [{"id": "B"}, {"id": "A"}], "accept": [], "mapping": SWAPPED}, "accept"),
]


def test_comparisons_are_votes_by_what_was_shown_where(tmp_path):
    common = {"_task_hash": 1, "input": {"text": "?"}, "_session_id": "ann"}
    tasks = [{**common, "_input_hash": i, "answer": said, **one} for i, (one, said) in enumerate(COMPARED)]
    votes = read(written(tmp_path, tasks))
    assert (votes.models, votes.n, votes.wins("A", "B"), votes.wins("B", "A")) == (("A", "B"), 4, 3, 1)
    assert votes.describe().statuses == {"ok": 4, "refused": 1, "missing": 1}
    assert votes.facet("judge").levels == ("ann",)
    assert votes.order.tolist()[:4] == [-1] * 4
    assert votes.order.tolist()[4:] == [1, 1]


@settings(max_examples=40)
@given(mutants([*TASKS, {"_task_hash": 1, "answer": "accept", **COMPARED[1][0]}], lines=True))
@pytest.mark.slow
def test_whatever_is_in_it(tmp_path_factory, text):
    reads_or_refuses(tmp_path_factory.mktemp("m") / "p.jsonl", text, format="prodigy")
