"""Scorers and who grades for them."""

from __future__ import annotations

import pytest

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.inspect.marks import scorers

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
