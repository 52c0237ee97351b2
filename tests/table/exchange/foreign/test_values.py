"""Names and numbers of other tools."""

from __future__ import annotations

from math import nan

import pytest

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.records import list_at, name_at, number_at, object_at, shown


@pytest.mark.parametrize("value", [None, "", "  ", True, nan, ["gpt-4"], {"model": "m"}])
def test_what_is_no_name_is_refused(value):
    with pytest.raises(InvalidData, match=r"line 2: model is .*; a name or a number is needed"):
        name_at(value, "line 2: model")


@pytest.mark.parametrize("value", [True, "many", "inf", 10**400, [1], {}])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(InvalidData, match=r"line 2: score is .*; a number is needed"):
        number_at(value, "line 2: score")


def test_names_are_as_they_are_written():
    assert [name_at(value, "") for value in ("007", 7, 7.0, 10**400)] == ["007", "7", "7.0", str(10**400)]


def test_numbers_and_what_is_missing():
    assert [number_at(value, "") for value in (1, 0.5, "1", "nan", nan, None)] == [1, 0.5, 1, None, None, None]


def test_a_value_is_shown_on_one_short_line():
    assert shown("a\nb") == r'"a\nb"'
    assert len(shown({"long": list(range(1000))})) == 60


def test_objects_and_lists():
    assert (object_at(None, "a"), object_at({"b": 1}, "a"), list_at(None, "a"), list_at([1], "a")) == (
        {},
        {"b": 1},
        [],
        [1],
    )
    for of, value in ((object_at, "x"), (list_at, {"a": 1}), (object_at, 0), (list_at, "")):
        with pytest.raises(InvalidData, match=r"run: field is .* is needed there"):
            of(value, "run: field")
