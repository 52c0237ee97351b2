"""What words in the names of columns say."""

from __future__ import annotations

import pickle

import pytest

from quorate.cli.spelling import as_command, in_options
from quorate.table.columns.languages import plain
from quorate.table.columns.names import QUESTION, measures, no_score
from quorate.table.reading.key import people_beside
from quorate.table.reading.reading import Meant, Unsure


@pytest.mark.parametrize(
    ("name", "question", "measured", "none"),
    [
        ("Q12", True, False, False),
        ("item 3a", True, False, False),
        ("response_len", False, True, True),
        ("quality", False, False, False),
        ("plain_first", False, False, True),
        ("art_id", False, False, True),
    ],
)
def test_words_say_what_a_column_may_hold(name, question, measured, none):
    assert (QUESTION.fullmatch(plain(name)) is not None, measures(name), no_score(name)) == (question, measured, none)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (("judge_passed", "human_passed"), (("human_passed",), ("judge_passed",))),
        (("gold", "gpt-4o", "claude"), (("gold",), ("gpt-4o", "claude"))),
        (("expert_1", "expert_2"), None),
        (("a", "b"), None),
    ],
)
def test_people_are_told_from_judges_by_names(columns, told):
    assert people_beside(columns) == told


WAYS = (Meant({"wide": {"judge": ("a", "b")}, "facets": {"item": "id"}}, "judges"), Meant({"score": "a"}, "", "rank"))


def test_a_question_names_what_to_pass():
    error = Unsure("a and b hold scores", "my file.csv", WAYS)
    assert str(error) == (
        'a and b hold scores; it may be meant as: wide={"judge": ("a", "b")}, facets={"item": "id"}, recognise=True '
        '(judges), or score="a"'
    )
    assert "--wide judge=a,b" in in_options(str(error))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(Unsure("nothing to read")) == "nothing to read"


def test_a_way_is_a_command():
    assert as_command(WAYS[0], "analyze", "my file.csv", "scores") == (
        "quorate analyze 'my file.csv' --wide judge=a,b --facet item=id"
    )
    assert as_command(WAYS[1], "analyze", "f.csv", "scores") == "quorate rank f.csv --score a"
