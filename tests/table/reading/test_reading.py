"""The question that a table asks, in the words of Python and of the command."""

from __future__ import annotations

import pickle

from quorate.cli.spelling import as_command, in_options
from quorate.table.reading.reading import Meant, Unsure

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
