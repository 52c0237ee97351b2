"""Columns that are not used, though their values repeat as ids do."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownColumn
from quorate.table.columns.aliases import ASKED, EXAMPLES, JUDGES, SEGMENTS, SESSIONS, STATUSES
from quorate.table.columns.repeating import looks_like_ids
from quorate.table.columns.roles import FIXED, recognise, resolve
from quorate.table.columns.vote_roles import resolve_votes

COLUMNS = ("item_id", "judge_model", "cat", "score", "rep", "status")


def declared(columns=COLUMNS, **options):
    defaults = {
        "score": "score",
        "facets": {"item": "item_id", "judge": "judge_model"},
        "object": "item",
        "nested": None,
        "fixed": FIXED,
        "status": None,
    }
    return resolve(columns, **{**defaults, **options})


@pytest.mark.parametrize(
    ("column", "role"),
    [
        ("item_id", "item"),
        ("Question ID", "item"),
        ("variant_id", "prompt"),
        ("Judge-Model", "judge"),
        ("GRADER", "judge"),
        ("sut_model", "system"),
        ("model", "system"),
        ("temp", "temperature"),
        ("epoch", "replicate"),
        ("replication", "replicate"),
        ("outcome", "score"),
        ("rating", "score"),
        ("subset", "category"),
    ],
)
def test_names_are_recognised_whatever_their_case(column, role):
    assert recognise(["other", column]) == {role: column}


def test_two_claims_on_a_role_are_an_error_that_names_both():
    with pytest.raises(InvalidInput, match='"item" and "question_id" could each be the item; say which: facets='):
        recognise(["item", "question_id", "score"])


def test_what_was_recognised_is_said():
    roles = declared(("Item", "grader", "subset", "epoch", "Rating", "length"), facets=None)
    assert roles.score == "Rating"
    assert roles.replicate == "epoch"
    assert [(facet.name, facet.column, facet.parent) for facet in roles.facets] == [
        ("item", "Item", "subset"),
        ("judge", "grader", None),
        ("subset", "subset", None),
    ]
    assert roles.guessed == "subset"
    assert roles.notes == (
        *("item = column Item, item in subset", "judge = column grader", "subset = column subset"),
        *("score = column Rating", "replicate = column epoch", "not used: length"),
    )


def test_a_column_named_score_is_the_score_even_beside_another_name_for_it():
    with pytest.raises(InvalidInput, match='"score" and "rating" could each be the score'):
        declared(("item", "score", "rating"), facets=None)


def test_a_score_that_is_named_needs_no_recognition():
    assert declared(("item", "winner"), facets=None, score="winner").score == "winner"


def test_a_status_column_is_recognised_whether_facets_are_declared_or_not():
    assert declared(("item", "score", "status"), facets=None).status == "status"
    assert declared().status == "status"
    assert declared().notes == ("status = column status", "not used: cat, rep")


@pytest.mark.parametrize("facets", [None, {"item": "item_id"}])
def test_an_empty_status_says_there_is_none(facets):
    roles = declared(("item_id", "score", "status"), facets=facets, status="")
    assert roles.status is None
    assert roles.notes[-1] == "not used: status"


@pytest.mark.parametrize(
    "options",
    [
        {"facets": {"item": "item_id", "state": "status"}},
        {"nested": {"item": "status"}},
        {"score": "status"},
        {"facets": {"item": "item_id", "replicate": "status"}},
    ],
)
def test_a_column_with_another_role_is_not_the_status(options):
    assert declared(**options).status is None


def test_two_status_columns_are_an_error_that_names_the_argument():
    with pytest.raises(InvalidInput, match=r'could each be the status; say which: status="\.\.\."'):
        declared((*COLUMNS, "judgment_status"))


def test_named_roles_override_and_the_rest_is_recognised():
    columns = ("question", "judge_model", "grader_name", "model", "subset", "epoch", "rating", "note")
    roles = declared(columns, facets={"judge": "grader_name"}, by_name=True)
    assert [(facet.name, facet.column, facet.parent) for facet in roles.facets] == [
        ("item", "question", "subset"),
        ("judge", "grader_name", None),
        ("system", "model", None),
        ("subset", "subset", None),
    ]
    assert (roles.score, roles.replicate, roles.guessed) == ("rating", "epoch", "subset")
    assert roles.notes[1] == "judge = column grader_name"
    assert roles.notes[-1] == "not used: judge_model, note"


def test_a_column_that_is_named_is_not_recognised_for_another_role():
    roles = declared(("item", "model", "rater", "score"), facets={"judge": "model"}, by_name=True)
    assert [(facet.name, facet.column) for facet in roles.facets] == [("item", "item"), ("judge", "model")]
    roles = declared(("item", "model", "judge"), facets={}, score="model", by_name=True)
    assert [facet.name for facet in roles.facets] == ["item", "judge"]


def test_an_empty_column_leaves_a_recognised_role_out():
    columns = ("item", "judge", "grader", "epoch", "topic", "status", "score")
    left = dict.fromkeys(("judge", "replicate", "category", "status"), "")
    roles = declared(columns, facets=left, by_name=True)
    assert [facet.name for facet in roles.facets] == ["item"]
    assert (roles.replicate, roles.status, roles.guessed) == (None, None, None)
    with pytest.raises(UnknownColumn, match='judge: no column ""'):
        declared(columns, facets={"item": "item", "judge": ""})


def test_a_named_score_settles_which_of_two_it_is():
    columns = ("item", "score", "rating")
    assert declared(columns, facets={"score": "rating"}, by_name=True).score == "rating"
    assert declared(columns, facets={"score": "score"}, by_name=True).score == "score"
    assert declared(columns, facets=None, score="rating").score == "rating"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"facets": {"jugde": ""}}, '"jugde" has no column; only roles recognised'),
        ({"facets": {"score": ""}}, '"score" has no column'),
        ({"facets": {"status": "rep"}, "status": "cat"}, '"status" is column "rep", but status is "cat"'),
    ],
)
def test_contradictions_beside_recognition_are_errors(options, message):
    with pytest.raises(InvalidInput, match=message):
        declared(**options, by_name=True)


def test_nesting_that_is_declared_replaces_what_was_recognised():
    roles = declared(("item", "topic", "section", "score"), facets=None, nested={"item": "section"})
    assert roles.guessed is None
    assert [facet.name for facet in roles.facets] == ["item", "section"]


def test_declared_columns_that_are_all_used_leave_nothing_to_say():
    roles = declared(("item_id", "judge_model", "score", "status"), status="status")
    assert roles.notes == ()
    assert [facet.name for facet in roles.facets if facet.fixed] == ["judge"]


def test_the_role_replicate_names_the_replicate_column():
    roles = declared(facets={"item": "item_id", "replicate": "rep"})
    assert roles.replicate == "rep"
    assert [facet.name for facet in roles.facets] == ["item"]


def test_a_parent_is_appended_under_the_name_of_its_column_and_is_random():
    category = declared(nested={"item": "cat"}).facets[-1]
    assert (category.name, category.column, category.fixed) == ("cat", "cat", False)


@pytest.mark.parametrize("parent", ["group", "cat"])
def test_a_parent_that_is_a_facet_is_found_by_role_or_by_column(parent):
    roles = declared(facets={"item": "item_id", "group": "cat"}, nested={"item": parent})
    assert [(facet.name, facet.parent) for facet in roles.facets] == [("item", "group"), ("group", None)]


def test_chains_of_nesting():
    roles = declared(nested={"cat": "rep", "item": "cat"})
    assert {facet.name: facet.parent for facet in roles.facets} == {
        "item": "cat",
        "judge": None,
        "cat": "rep",
        "rep": None,
    }


@pytest.mark.parametrize("nested", [{"item": "item"}, {"item": "judge", "judge": "item"}])
def test_a_circle_is_an_error(nested):
    with pytest.raises(InvalidInput, match="is a circle"):
        declared(nested=nested)


def test_a_circle_beside_the_facet_that_leads_to_it_is_found():
    with pytest.raises(InvalidInput, match="is a circle"):
        declared(nested={"item": "judge", "judge": "cat", "cat": "judge"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"object": "answer"}, 'object: "answer" is not one of the facets'),
        ({"fixed": ("item", "person")}, 'fixed: "person" is not one of the facets'),
        ({"fixed": "person"}, 'fixed: "person" is not one of the facets'),
        ({"nested": {"person": "cat"}}, 'nested: "person" is not one of the facets'),
        ({"facets": {"item": "item_id", "person": "item_id"}}, 'column "item_id" is both item and person'),
        ({"facets": {"item": "score"}}, 'column "score" is both item and score'),
        ({"facets": {"item:judge": "item_id"}, "object": "item:judge"}, "cannot be a role"),
        ({"facets": {"cell": "item_id"}, "object": "cell"}, "cannot be a role"),
        ({"facets": {"item": 3}}, "maps role names to column names"),
        ({"facets": {}}, 'object: "item" is not one of the facets'),
    ],
)
def test_contradictions_are_errors(options, message):
    with pytest.raises(InvalidInput, match=message):
        declared(**options)


def test_default_fixed_roles_may_be_absent_and_one_name_needs_no_tuple():
    assert not any(facet.fixed for facet in declared(facets={"item": "item_id"}).facets)
    assert [facet.name for facet in declared(fixed="item").facets if facet.fixed] == ["item"]


@pytest.mark.parametrize(
    "options",
    [
        {"score": "points"},
        {"status": "points"},
        {"nested": {"item": "points"}},
        {"facets": {"item": "points"}},
        {"facets": {"item": "item_id", "replicate": "points"}},
    ],
)
def test_a_column_that_is_not_there_is_named_with_those_that_are(options):
    with pytest.raises(UnknownColumn, match='no column "points"; the data have "item_id"'):
        declared(**options)


@pytest.mark.parametrize("place", ["position", "order", "shown_first"])
def test_places_of_an_answer_are_chosen_not_drawn(place):
    roles = declared((*COLUMNS, place), facets={"item": "item_id", "judge": "judge_model", place: place})
    assert [facet.name for facet in roles.facets if facet.fixed] == ["judge", place]


@pytest.mark.wide(8)
@pytest.mark.parametrize("name", [*JUDGES, "Rater ID"])
def test_who_judged_is_the_judge_of_scores_and_of_votes(name):
    scores = pl.DataFrame({"item": ["a", "b"], name: ["x", "y"], "score": [1, 2]})
    votes = pl.DataFrame({"model_a": ["m", "m"], "model_b": ["n", "n"], "winner": ["tie", "m"], name: ["x", "y"]})
    for table in (q.read(scores, announce=False), q.read(votes, announce=False)):
        assert table.facet("judge").levels == ("x", "y")


@pytest.mark.parametrize("name", STATUSES)
def test_what_became_of_the_call(name):
    scores = pl.DataFrame({"item": ["a", "b"], "score": [1, 2], name: ["ok", "refused"]})
    votes = pl.DataFrame({"model_a": ["m", "m"], "model_b": ["n", "n"], "winner": ["m", "m"], name: ["ok", "refused"]})
    assert q.read(scores, announce=False).n_answers == q.read(votes, announce=False).n == 1


@pytest.mark.parametrize("name", ["session", "session_id", "evaluation_session_id"])
def test_votes_of_a_sitting_are_a_cluster(name):
    votes = pl.DataFrame({"model_a": ["m", "m"], "model_b": ["n", "n"], "winner": ["m", "m"], name: ["s", "t"]})
    assert q.read(votes, announce=False).facet("cluster").levels == ("s", "t")


@pytest.mark.parametrize("name", [*ASKED, *EXAMPLES, *SEGMENTS])
def test_what_is_asked_is_the_item_of_scores_and_the_prompt_of_votes(name):
    scores = pl.DataFrame({name: ["a", "b"], "score": [1, 2]})
    votes = pl.DataFrame({"model_a": ["m", "m"], "model_b": ["n", "n"], "winner": ["tie", "m"], name: ["a", "b"]})
    assert q.read(scores, announce=False).facet("item").levels == ("a", "b")
    assert q.read(votes, announce=False).facet("prompt").levels == ("a", "b")


def test_a_name_that_says_less_stands_back():
    votes = pl.DataFrame({"model_a": ["m"], "model_b": ["n"], "winner": ["m"], "prompt": ["p"], "sample_id": ["s"]})
    assert q.read(votes, announce=False).facet("prompt").levels == ("p",)
    scores = pl.DataFrame({"question_id": ["a", "b"], "segment_id": ["s", "t"], "score": [1, 2]})
    assert q.read(scores, announce=False).facet("item").levels == ("a", "b")


@pytest.mark.parametrize("name", SESSIONS)
def test_scores_of_a_sitting_are_hinted_at(name):
    scores = pl.DataFrame({"item": list("abcdefgh"), "score": range(8), name: [0, 1] * 4})
    told = f"{name} repeats as ids do: if scores of one resemble each other, name it (a facet, --facet {name}={name})"
    assert told in q.read(scores, announce=False).notes


PAIR = {"model_a": "model_a", "model_b": "model_b", "winner": "winner"}
MAIN = ["model_a", "model_b", "winner"]


def resolve_of_vote_roles(columns, *, pair=PAIR, wins=(), facets=None, **declared):
    return resolve_votes(columns, pair=pair, wins=wins, facets=facets or {}, declared=declared)


def test_usual_names_are_recognised():
    columns = [
        *MAIN,
        "Question_ID",
        "Language",
        "annotator id",
        "ranking",
        "tstamp",
        "swapped",
        "n_votes",
        "status",
        "x",
    ]
    roles = resolve_of_vote_roles(columns)
    assert dict(roles.facets) == {
        "prompt": "Question_ID",
        "prompt_type": "Language",
        "judge": "annotator id",
        "cluster": "ranking",
    }
    assert (roles.time, roles.order, roles.count, roles.status) == ("tstamp", "swapped", "n_votes", "status")
    assert roles.notes[-1] == "not used: x"
    assert "judge = column annotator id" in roles.notes


def test_the_columns_of_the_pair_have_other_usual_names():
    roles = resolve_of_vote_roles(["system_a", "system_b", "preference"])
    assert (roles.model_a, roles.model_b, roles.winner) == ("system_a", "system_b", "preference")
    with pytest.raises(UnknownColumn, match='model_a: no column "sys"'):
        resolve_of_vote_roles(["system_a", "system_b", "winner"], pair={**PAIR, "model_a": "sys"})


def test_declared_roles_win_and_empty_ones_are_left_out():
    roles = resolve_of_vote_roles([*MAIN, "question_id", "prompt", "judge"], prompt="prompt", judge="")
    assert dict(roles.facets) == {"prompt": "prompt"}
    assert roles.notes[-1] == "not used: question_id, judge"


def test_two_columns_for_one_role():
    with pytest.raises(
        InvalidInput, match='prompt: "question_id" and "prompt" could each be it; say which: prompt="qu'
    ):
        resolve_of_vote_roles([*MAIN, "question_id", "prompt"])


def test_the_order_may_be_a_column_of_models():
    assert resolve_of_vote_roles(MAIN, order="model_a").order == "model_a"
    with pytest.raises(InvalidInput, match='order: column "winner" is already winner'):
        resolve_of_vote_roles(MAIN, order="winner")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"promt": "q"}, 'roles: "promt" is not one of .*; did you mean prompt="..."'),
        ({"expanded": "q"}, r'for other columns: facets=\{"expanded"'),
        ({"judge": 3}, "judge: expects the name of a column, got int"),
        ({"judge": "who"}, 'judge: no column "who"'),
        ({"judge": "model_a"}, 'judge: column "model_a" is already model_a'),
        ({"facets": {"time": "q"}}, 'facets: "time" is no further role'),
        ({"facets": {"mine": ""}}, 'facets: "mine" is no further role'),
        ({"wins": "q"}, "wins: expects two columns of counts"),
        ({"wins": ["q"]}, "wins: expects two columns of counts"),
        ({"wins": ["q", "r"]}, r'wins \(r\): no column "r"'),
        ({"wins": ["q", "q"]}, 'wins: column "q" is already wins'),
    ],
)
def test_declarations_that_contradict_themselves(options, message):
    with pytest.raises(InvalidInput, match=message):
        resolve_of_vote_roles([*MAIN, "q"], **options)


def test_further_facets_and_wins():
    roles = resolve_of_vote_roles(
        ["model_a", "model_b", "a", "b", "expanded"], wins=["a", "b"], facets={"expanded": "expanded"}
    )
    assert (roles.winner, roles.wins, roles.numbers) == (None, ("a", "b"), ("a", "b"))
    assert roles.labels == ("model_a", "model_b", "expanded")
    assert "wins = columns a, b" in roles.notes


ROWS = 60
VOTES = {
    "model_a": ["x"] * ROWS,
    "model_b": ["y"] * ROWS,
    "winner": ["x", "y"] * (ROWS // 2),
    "student": [f"s{i % 6}" for i in range(ROWS)],
    "comment": [f"text {i}" for i in range(ROWS)],
    "language": ["de", "en"] * (ROWS // 2),
}
SAID = (
    "student repeats as ids do: if votes of one resemble each other, name it (cluster=student, --role cluster=student)"
)


def test_votes_say_which_column_could_be_a_cluster(tmp_path):
    frame = pl.DataFrame(VOTES)
    path = tmp_path / "votes.csv"
    frame.write_csv(path)
    for source in (frame, frame.lazy(), path):
        assert SAID in q.read_votes(source, announce=False).notes
    named = q.read_votes(frame, cluster="student", announce=False)
    assert not [note for note in named.notes if "repeat" in note]


def test_scores_say_which_column_could_be_a_facet(tmp_path):
    columns = {"item": range(ROWS), "score": [i % 5 for i in range(ROWS)], "batch": [i // 6 for i in range(ROWS)]}
    path = tmp_path / "scores.csv"
    pl.DataFrame(columns).write_csv(path)
    said = "batch repeats as ids do: if scores of one resemble each other, name it (a facet, --facet batch=batch)"
    for source in (pl.DataFrame(columns), path):
        assert said in q.read(source, facets={"item": "item"}, announce=False).notes


@pytest.mark.parametrize(
    ("name", "values", "like"),
    [
        ("worker_id", list(range(20)) * 3, True),
        ("hash", [f"a{i}" for i in range(20)] * 3, True),
        ("language", ["de", "en", "fr", "it", "es"] * 9, False),
        ("tokens", list(range(20)) * 3, False),
        ("length", ["0.5", "0.25", "1.5", "2.5", "3.5"] * 9, False),
        ("user", [f"u{i}" for i in range(60)], False),
        ("user", ["a", "b"] * 30, False),
        ("user", [{"id": i % 6} for i in range(60)], False),
        ("session", [None] * 60, False),
    ],
)
def test_what_looks_like_ids(name, values, like):
    assert looks_like_ids(name, values) == like
