from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from quorate.table.columns.scales import as_missing, not_numbers, number, parse

NONE = as_missing(())


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3.0), (True, 1.0), (" 2.5 ", 2.5), ("TRUE", 1.0), ("false", 0.0), ("1e2", 100.0), (Decimal("0.5"), 0.5)],
)
def test_numbers_booleans_and_text_that_says_either(value, expected):
    assert number(value) == expected


@pytest.mark.parametrize("value", ["N/A", "", "7/10", "1,5", None, [1], object()])
def test_anything_else_is_no_number(value):
    assert number(value) is None


def test_blank_and_absent_entries_are_no_scores():
    values, present = parse(["4", " ", None, "n/a"], NONE)
    np.testing.assert_array_equal(values, [4, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(present, [True, False, False, True])


def test_what_stands_for_missing_is_matched_as_text_and_as_number():
    missing = as_missing(("N/A", "-1", "nan"))
    _, present = parse(["N/A", "-1.0", -1, "NaN", float("nan"), "n/a", 0], missing)
    np.testing.assert_array_equal(present, [False, False, False, False, False, True, True])


def test_one_word_needs_no_tuple():
    assert as_missing("N/A") == as_missing(("N/A",))


def test_the_message_names_the_first_and_says_what_to_do():
    assert str(not_numbers("score", 12, "N/A", 48, 24)) == (
        'column "score" has 12 values that are not numbers (first: "N/A" in row 48); '
        'mark them missing with missing="N/A", or drop them'
    )
    assert str(not_numbers("score", 1, np.inf, 3, 1)) == (
        'column "score" has 1 value that is not a finite number (first: inf in row 3); '
        'mark them missing with missing="inf", or drop them'
    )


@pytest.mark.parametrize(
    ("first", "cause"),
    [
        ("5,09", "write decimals with a point"),
        ("4/5", "it is a fraction: divide it out first, such as 0.8 for 4/5"),
        (" 51 %", "it is a percentage: write it without the sign, such as 0.51 for 51%"),
        ("nan", 'most rows have no score: declare that with missing="nan", or name another column with score="..."'),
    ],
)
def test_most_values_that_are_no_numbers_have_a_cause_other_than_missing_scores(first, cause):
    assert str(not_numbers("score", 13, first, 1, 24)) == (
        f'column "score" has 13 values that are not numbers (first: "{first}" in row 1), of 24 in all: {cause}'
    )
