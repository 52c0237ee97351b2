"""Scores as Inspect writes them, as numbers and statuses."""

from __future__ import annotations

from math import inf, nan

import pytest

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.inspect.marks import given, mark, scorers


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1), ("P", 0.5), ("I", 0), ("N", 0), ("Yes", 1), ("false", 0), (True, 1), (False, 0), ("7.5", 7.5), (3, 3)],
)
def test_values_count_as_in_inspect(value, score):
    assert mark(value).score == score


@pytest.mark.parametrize("value", ["c", "good", "", "7/10", "nan", inf, 10**400, [1], {}])
def test_a_word_without_a_meaning_is_not_zero(value):
    assert mark(value).foreign


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("grader_failed", "unparsed"),
        ("grade_parse_failure", "unparsed"),
        ("scoring_failed", "error"),
        ("refusal", "refused"),
        ("no_response", "ok"),
        ("of their own", "ok"),
        (None, "ok"),
        ([], "ok"),
    ],
)
def test_reasons_count_only_without_a_score(reason, status):
    assert (mark(nan, reason).status, mark(None, reason).status, mark(1, reason).status) == (status, status, "ok")
    assert given({"value": nan, "metadata": {"unscored_reason": reason}}).marks[""][0].status == status


def test_a_panel_is_its_votes():
    panel = {"votes": ["C", None, "I"], "size": 3, "failures": [{"index": 1, "reason": "grader_failed"}]}
    held = given({"value": nan, "metadata": {"panel": panel}})
    assert [(one.score, one.status) for one in held.of("", 3)][::2] == [(1, "ok"), (0, "ok")]
    assert held.of("", 3)[1].status == "unparsed"
    assert held.verdicts[""].absent


def test_a_dictionary_is_a_score_for_each_key():
    assert {key: marks[0].score for key, marks in given({"value": {"a": 4, "b": True}}).marks.items()} == {
        ".a": 4,
        ".b": 1,
    }
    assert given({"value": {"a": None}}).of(".a", 1)[0].absent
    assert given({"value": nan, "reason": "refusal"}).of(".a", 1)[0].status == "refused"
    both = given({"value": nan, "metadata": {"panel": {"votes": [{"a": 1}, None]}}})
    assert [one.absent for one in both.of(".a", 2)] == [False, True]


def test_what_cannot_be_said_of_a_panel():
    assert given({"value": ["C", "I"]}).of("", 3) is None
    assert given({"value": []}).of("", 3) is None
    assert given({"value": "C"}).of("", 3) is None  # changed afterwards: its votes are gone
    assert [one.status for one in given({"value": nan, "reason": "scoring_failed"}).of("", 3)] == ["error"] * 3


ROLES = {"grader": [{"model": "x"}, {"model": "y"}], "strict": {"model": "z"}}


def read(*entries, version=(0, 3, 285)):
    return scorers({"scorers": list(entries), "model_roles": ROLES}, version, "log")


def test_those_of_one_name_are_numbered_and_packages_left_out():
    found = read({"name": "pkg/rating"}, {"name": "rating", "options": {"model": {"model": "m"}}}, {"name": "rating"})
    assert list(found) == ["rating", "rating1", "rating2"]
    assert [one.graders for one in found.values()] == [(), ("m",), ()]


@pytest.mark.parametrize(
    ("options", "graders"),
    [
        ({"model": "m"}, ("m",)),
        ({"model": ["m", {"model": "n"}, "m"]}, ("m", "n", "m 2")),
        ({"model": ["m", {}]}, ("x", "y")),
        ({}, ("x", "y")),
        ({"model_role": "strict"}, ("z",)),
        ({"model_role": "other"}, ()),
    ],
)
def test_graders(options, graders):
    found = read({"name": "model_graded_qa", "options": options})["model_graded_qa"]
    assert found.graders == graders
    assert read({"name": "match"})["match"].graders == ()


def test_how_panels_decide_by_version():
    entry = {"name": "model_graded_qa"}
    assert read(entry)["model_graded_qa"].reducer == "majority"
    assert read(entry, version=(0, 3, 261))["model_graded_qa"].reducer == "mode"
    assert read(entry, version=())["model_graded_qa"].reducer == "mode"
    assert read(entry | {"options": {"reducer": "mean"}})["model_graded_qa"].reducer == "mean"


def test_a_scorer_without_a_name_is_refused():
    with pytest.raises(InvalidData, match=r"log: eval\.scorers\[0\]\.name is null"):
        read({})
