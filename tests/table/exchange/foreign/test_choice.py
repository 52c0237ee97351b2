"""Several scores are never pooled in silence."""

from __future__ import annotations

from math import nan
from pathlib import Path

import pytest

from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.exchange.foreign.records import chosen, no_parts

FOUND = {"match": [1.0, 0.0], "rating": [7.0, nan], "a,b": [nan, nan]}


def test_they_are_listed_with_number_range_and_what_is_missing():
    with pytest.raises(InvalidInput, match=r"3 scorers.*match \(2, 0 to 1\); rating \(2, 7 to 7, 50% missing\); "):
        chosen(None, FOUND, "scorer")


def test_named_ones():
    assert chosen("rating, match", FOUND, "scorer") == ("rating", "match")
    assert chosen("a,b", FOUND, "scorer") == ("a,b",)
    with pytest.raises(UnknownTerm, match="ratign"):
        chosen("ratign", FOUND, "scorer")


def test_the_command_names_its_own_option():
    with pytest.raises(InvalidInput) as caught:
        chosen(None, FOUND, "scorer")
    assert ("part", "match") in {(one.name, one.value) for one in caught.value.arguments}


def test_a_log_of_one_thing_has_no_parts():
    no_parts(None, Path("log"))
    with pytest.raises(InvalidInput, match='log has no parts to choose from, got "x"; leave it out'):
        no_parts("x", Path("log"))
