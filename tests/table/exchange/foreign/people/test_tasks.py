"""Labels of people: results of a batch of Mechanical Turk, tasks of Prodigy, responses of Argilla."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from examples import many
from hypothesis import example, given
from hypothesis import strategies as st
from logs import json_lines, read, statuses
from mutants import mutants, reads_or_refuses

from quorate.errors import InvalidData, InvalidInput, UnknownTerm

HEADER = "HITId,WorkerId,AssignmentStatus,Input.model,Input.text,Answer.rating,Answer.note,Approve,Reject"
LINES = [
    "h1,w1,Approved,m1,x,4,fine work",
    "h1,w2,Submitted,m1,x,5,",
    "h2,w1,Rejected,m2,y,1,odd",
    "h2,w2,Approved,m2,y,,seen",
]


@pytest.fixture
def write(tmp_path):
    def writer(*lines, header=HEADER):
        path = tmp_path / "batch.csv"
        path.write_text("\n".join([header, *(lines or LINES)]) + "\n")
        return path

    return writer


def test_rows_that_are_cut_off_and_work_that_was_rejected(write):
    table = read(write())
    assert statuses(table) == {"ok": 2, "refused": 1, "missing": 1}
    assert (table.facet("item").levels, table.facet("judge").levels) == (("h1", "h2"), ("w1", "w2"))
    assert table.facet("system").levels == ("m1", "m2")
    assert "Mechanical Turk: score = answer rating; item = HITId" in table.notes
    assert "not read: note" in table.notes


def test_radio_buttons_are_one_answer(write):
    header = "HITId,WorkerId,Input.question_id,Answer.fluent.1,Answer.fluent.2,Answer.fluent.3"
    table = read(write("h1,w1,q1,false,false,true", "h2,w1,q2,true,false,false", "h3,w1,q3,true,true,", header=header))
    assert table.mean[table.n > 0].tolist() == [3, 1]
    assert table.facet("item").levels == ("q1", "q2", "q3")


def test_several_answers_and_words_of_a_scale(write):
    header = "HITId,WorkerId,Answer.clear,Answer.true"
    path = write("h1,w1,Agree,1", "h2,w1,Disagree,0", "h3,w1,Neutral,1", "h4,w1,Strongly agree,0", header=header)
    with pytest.raises(InvalidInput, match=r"2 answers, .*clear \(4, 2 to 5\); true \(4, 0 to 1\).*part=\"clear\""):
        read(path)
    assert sorted(read(path, part="clear").mean.tolist()) == [2, 3, 4, 5]
    both = read(path, part="clear, true")
    assert both.facet("criterion").levels == ("clear", "true")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["h1,w1,Approved,m1,x,fine,", "h2,w1,Approved,m1,x,odd,"], 'holds words, .*label="fine"'),
        (["h1,w1,Approved,m1,x,,"], "no column Answer.<name> holds anything"),
        ([",w1,Approved,m1,x,3,x"], "row 1: HITId is"),
    ],
)
def test_what_is_refused(write, lines, told):
    with pytest.raises(InvalidData, match=told):
        read(write(*lines))


@many
@given(st.text(alphabet='aA1,".;\n\0é', max_size=60))
def test_whatever_is_in_it(tmp_path_factory, text):
    reads_or_refuses(tmp_path_factory.mktemp("m") / "b.csv", "\n".join([HEADER, LINES[0], text]))


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
def test_what_is_refused_of_prodigy(tmp_path, changed, told):
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


@many
@given(mutants([*TASKS, {"_task_hash": 1, "answer": "accept", **COMPARED[1][0]}], lines=True))
@pytest.mark.slow
def test_whatever_is_in_it_of_prodigy(tmp_path_factory, text):
    reads_or_refuses(tmp_path_factory.mktemp("m") / "p.jsonl", text, format="prodigy")


def responses(question, values, statuses=None, users=("u1", "u2", "u3")):
    names = f"{question}.responses", f"{question}.responses.users", f"{question}.responses.status"
    return dict(zip(names, (values, list(users[: len(values)]), statuses or ["submitted"] * len(values)), strict=True))


FLAT = [
    {"id": "r1", "status": "completed", "text": "one", "model": "x"}
    | responses("grade", [4, 2], ["submitted", "draft"]),
    {"id": "r2", "text": "two", "model": "y"} | responses("grade", [5, None]) | {"grade.suggestion": 3},
]
WHOLE = [
    {
        "id": "r1",
        "fields": {"text": "one"},
        "metadata": {"system": "x"},
        "suggestions": {},
        "responses": {"grade": [{"value": 4, "user_id": "u1"}, {"value": 2, "user_id": "u2"}]},
    }
]
RANKED = [{"id": "r1"} | responses("rank", [[{"value": v, "rank": r} for v, r in (("a", 1), ("b", 2), ("c", 2))]])]


def test_what_was_not_submitted_is_refused(write_json, write_lines, tmp_path):
    pl.DataFrame([{**one, "grade.suggestion": 3} for one in FLAT]).write_parquet(tmp_path / "records.parquet")
    for path in (write_json(FLAT), write_lines(*FLAT, name="records.jsonl"), tmp_path / "records.parquet"):
        table = read(path)
        assert statuses(table) == {"ok": 2, "refused": 1, "missing": 1}
        assert (table.facet("item").levels, table.facet("system").levels) == (("r1", "r2"), ("x", "y"))
        assert [one.code for one in table.source.caveats] == ["prelabelled"]


def test_whole_records_do_not_say_what_was_discarded(write_json):
    table = read(write_json(WHOLE))
    assert statuses(table) == {"ok": 2}
    assert [one.code for one in table.source.caveats] == ["statuses-unknown"]


def test_a_ranking_is_a_vote_on_every_two(write_json):
    votes = read(write_json(RANKED))
    assert (votes.n, votes.wins("a", "b"), votes.wins("a", "c"), votes.n_decisive) == (3, 1, 1, 2)
    assert votes.facet("cluster").levels == ("r1 u1",)


def test_questions_are_chosen(write_json):
    two = [{**one, **responses("tone", [1, 1]), **responses("why", ["a", "b"])} for one in FLAT]
    with pytest.raises(InvalidInput, match="the log has 2 questions"):
        read(write_json(two))
    assert read(write_json(two), part="grade,tone").facet("criterion").levels == ("grade", "tone")
    with pytest.raises(InvalidData, match=r'holds words, .*"a" .*label="'):
        read(write_json(two), part="why")
    assert read(write_json(two), part="why", numbers={"a": 1, "b": 2}).scale == (1, 2)
    with pytest.raises(UnknownTerm, match='no question "x"'):
        read(write_json(two), part="x")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([{"id": 1} | responses("g", [1], ["lost"])], 'status "lost" is not known'),
        ([{"id": 1} | responses("g", [1, 2]) | {"g.responses.users": ["u"]}], "2 responses of 1 users"),
        ([{"id": 1} | responses("g", [["a"]])], r'rank|"a"; an object is needed'),
        ([{"id": 1} | responses("g", [[{"value": "a", "rank": "x"}, {"value": "b", "rank": 1}]])], 'rank "x" is no'),
        ([{"id": {}} | responses("g", [1])], "id is {}; a name or a number"),
    ],
)
def test_what_is_not_understood_is_named(write_json, value, said):
    with pytest.raises(InvalidData, match=said):
        read(write_json(value))


@given(st.one_of(mutants(FLAT), mutants(FLAT, lines=True), mutants(WHOLE), mutants(RANKED)))
@example('[null, {"id": "r", "grade.responses": [5], "grade.responses.users": ["u"], "grade.responses.status": []}]')
def test_a_broken_file_is_a_table_or_one_line(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-argilla.json", block, format="argilla")


def test_records_of_the_tool(shared):
    folder = shared / "data" / "formats" / "argilla"
    flat = read(folder / "flat.json", part="quality")
    assert statuses(flat) == {"ok": 6, "refused": 2}
    assert (len(flat.facet("item").levels), len(flat.facet("judge").levels)) == (4, 2)
    assert np.average(np.nan_to_num(flat.mean), weights=flat.n) == pytest.approx(17 / 6, abs=1e-12)
    whole = read(folder / "records.json", part="quality")
    assert (whole.n_answers, np.average(whole.mean)) == (8, pytest.approx(2.625))
    assert [one.code for one in whole.source.caveats] == ["prelabelled", "statuses-unknown"]


def test_people_as_versions_before_two_write_them(tmp_path):
    people = [
        {"user_id": user, "status": status, "values": {"quality": {"value": value}}}
        for user, status, value in (("u1", "submitted", 4), ("u2", "submitted", 3), ("u3", "discarded", 1))
    ]
    record = {"fields": {"text": "x"}, "metadata": {"model": "m"}, "responses": people, "suggestions": []}
    records = [{"id": "a", **record}, {"id": "b", **record, "responses": people[:1]}]
    path = tmp_path / "records.jsonl"
    path.write_text(json_lines(records), encoding="utf-8")
    table = read(path)
    assert statuses(table) == {"ok": 3, "refused": 1}
    assert (table.facet("judge").levels, table.facet("system").levels) == (("u1", "u2", "u3"), ("m",))
    assert np.nanmean(table.mean) == pytest.approx(11 / 3)
