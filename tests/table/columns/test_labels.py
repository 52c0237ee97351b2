from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quorate.errors import InvalidData
from quorate.table.columns.labels import (
    Coded,
    encode,
    in_numeric_order,
    label,
    status_of,
    statuses_of,
    unknown_statuses,
)


def nothing(column):
    return np.zeros(len(column), dtype=bool)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.7, "0.7"),
        (np.float32(0.7), "0.7"),
        (-3.0, "-3"),
        (1e300, "1e+300"),
        (7, "7"),
        (np.int8(7), "7"),
        (True, "true"),
        (np.bool_(False), "false"),
        ("007", "007"),
    ],
)
def test_labels_read_as_people_write_them(value, text):
    assert label(value) == text


def test_numbers_are_ordered_as_numbers_and_keep_their_values():
    coded = encode(np.array([10, 2, 10, 1], dtype=np.int16), nothing(range(4)))
    assert coded.levels == ("1", "2", "10")
    np.testing.assert_array_equal(coded.values, [1.0, 2.0, 10.0])
    np.testing.assert_array_equal(coded.codes, [2, 1, 2, 0])


def test_single_precision_values_are_the_numbers_they_stand_for():
    coded = encode(np.array([0.7, 0.0], dtype=np.float32), nothing(range(2)))
    assert coded.levels == ("0", "0.7")
    np.testing.assert_array_equal(coded.values, [0.0, 0.7])


def test_booleans_are_false_then_true():
    coded = encode(np.array([True, False]), nothing(range(2)))
    assert coded.levels == ("false", "true")
    np.testing.assert_array_equal(coded.values, [0.0, 1.0])


def test_text_is_ordered_by_its_letters_and_has_no_values():
    coded = encode(np.array(["b", "10", "2"], dtype=object), nothing(range(3)))
    assert coded.levels == ("10", "2", "b")
    assert coded.values is None


@pytest.mark.parametrize("column", [np.array(["a", "?", "b"], dtype=object), np.array([1, 99, 2])])
def test_what_is_absent_has_no_level(column):
    coded = encode(column, np.array([False, True, False]))
    np.testing.assert_array_equal(coded.codes, [0, -1, 1])
    assert coded.absent
    assert coded.size == 3
    np.testing.assert_array_equal(coded.last_if_absent(), [0, 2, 1])


def test_nothing_absent_costs_no_level():
    coded = encode(np.array([5, 5]), nothing(range(2)))
    assert coded.size == 1
    assert coded.last_if_absent() is coded.codes


def test_an_empty_column_has_no_levels():
    assert encode(np.array([], dtype=np.int64), nothing([])).levels == ()


@given(arrays(np.int64, st.integers(1, 30), elements=st.integers(-(2**60), 2**60) | st.integers(-9, 9)))
def test_codes_are_those_of_unique(column):
    distinct, inverse = np.unique(column, return_inverse=True)
    coded = encode(column, nothing(column))
    assert coded.levels == tuple(map(str, distinct))
    np.testing.assert_array_equal(coded.codes, inverse)


def test_untyped_numbers_are_ordered_as_numbers_and_stay_as_written():
    coded = in_numeric_order(Coded(("007", "1.0", "10"), None, np.array([0, 1, 2, -1])))
    assert coded.levels == ("1.0", "007", "10")
    np.testing.assert_array_equal(coded.values, [1, 7, 10])
    np.testing.assert_array_equal(coded.codes, [1, 0, 2, -1])


@pytest.mark.parametrize("levels", [("1", "b"), ("1", "nan"), ("inf",), ()])
def test_untyped_text_is_left_alone(levels):
    coded = Coded(levels, None, np.zeros(1, dtype=np.int64))
    assert in_numeric_order(coded) is coded


@pytest.mark.parametrize(
    ("word", "status"), [("success", "ok"), ("refusal", "refused"), ("length", "truncated"), ("great", None)]
)
def test_words_for_statuses(word, status):
    assert status_of(word) == status


def test_unknown_statuses_are_named():
    message = str(unknown_statuses("st", ["a", None, "b", "c", "d", "e", "f"]))
    assert message == (
        'column "st" has statuses that are not known: "a", (empty), "b", "c", "d" and 2 more; '
        'use one of ok, unparsed, refused, error, truncated, or status="" to ignore the column'
    )


def test_every_level_has_a_status_and_every_row_a_word():
    words = np.array(["Refused ", "ok", None], dtype=object)
    assert statuses_of(encode(words[:2], np.zeros(2, dtype=bool)), "st") == ["refused", "ok"]
    with pytest.raises(InvalidData, match=r"not known: \(empty\); use one of"):
        statuses_of(encode(words, np.array([False, False, True])), "st")
