"""Words of known scales, percentages, fractions and words with their number."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from examples import any_text
from hypothesis import given
from hypothesis import strategies as st

from quorate.table.columns.scales import (
    MARKS,
    TRUTHS,
    as_missing,
    known_scale,
    not_numbers,
    number,
    parse,
    scale_of,
    strays,
)


@pytest.mark.parametrize("levels", [*MARKS, *TRUTHS])
def test_every_scale_is_told_by_its_words(levels):
    words = [level[0].title() for level in levels]
    first = 1 if levels in MARKS else 0
    scale = scale_of(words)
    assert list(scale.numbers.values()) == [first + place for place in range(len(levels))]
    assert scale.ends == (first, first + len(levels) - 1)


@pytest.mark.parametrize(
    ("words", "numbers", "ends"),
    [
        (["85%", "7.5 %", "0%"], [0.85, 0.075, 0], (0, 1)),
        (["-5%", "120%"], [-0.05, 1.2], None),
        (["7/10", "4 of 5", "1 out of 2"], [0.7, 0.8, 0.5], (0, 1)),
        (["5 - Best", "1 - worst", "3) fair"], [5, 1, 3], None),
        (["4 stars", "1 star", "2.5 Stars"], [4, 1, 2.5], None),
        (["Excellent (5)", "poor [1]"], [5, 1], None),
        (["Agree", "agree ", "Strongly_Disagree", "neither agree nor disagree"], [4, 4, 1, 3], (1, 5)),
        (["Strongly agree", "somewhat agree", "neutral", "somewhat disagree"], [5, 4, 3, 2], (1, 5)),
        (["YES", "no", "N"], [1, 0, 0], (0, 1)),
    ],
)
def test_words_and_their_numbers(words, numbers, ends):
    scale = scale_of(words)
    assert list(scale.numbers.values()) == pytest.approx(numbers)
    assert scale.ends == ends


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["yes"],  # nothing varies, and no word tells it from others
        ["poor", "good"],  # of four scales, at different places
        ["green", "blue"],
        ["85%", "0.9"],
        ["4/0", "1/2"],
        ["A - yes", "B - no"],
        ["5 - good", "5 - best"],
        ["right", "left"],
    ],
)
def test_what_is_not_plain_is_not_guessed(words):
    assert scale_of(words) is None


def test_few_words_of_a_scale_are_only_proposed():
    found = known_scale(["poor", "good"], whole=False)
    assert found.numbers == {"poor": 1, "good": 3}
    assert found.words == "poor is 1, fair is 2, good is 3, excellent is 4"


def test_words_that_stand_in_the_way():
    assert strays(["agree", "disagree", "strongly agree", "n/a"]) == ["n/a"]
    assert strays(["10%", "20%", "?"]) == ["?"]
    assert strays(["red", "blue", "agree"]) == []


@given(st.lists(any_text(max_size=12), max_size=6))
def test_any_words_are_numbers_or_none(words):
    scale = scale_of(words)
    assert scale is None or set(scale.numbers) == set(words)
    assert set(strays(words)) <= set(words)


@pytest.mark.parametrize(
    ("words", "numbers", "ends"),
    [
        (["A", "B+", "c-", "D"], {"A": 4, "B+": 3.3, "c-": 1.7, "D": 1}, (0, 4)),
        (["A", "C", "F"], {"A": 4, "C": 2, "F": 0}, (0, 4)),
        (["A+", "E", "B\N{MINUS SIGN}"], {"A+": 5.3, "E": 1, "B\N{MINUS SIGN}": 3.7}, (0, 5.3)),
    ],
)
def test_letter_grades(words, numbers, ends):
    scale = scale_of(words)
    assert dict(scale.numbers) == pytest.approx(numbers)
    assert scale.ends == ends


@pytest.mark.parametrize("words", [["A", "B"], ["A", "B", "C"], ["A", "B", "C", "D"], list("ABCDEF"), ["M", "F"]])
def test_letters_that_may_be_answers_are_no_grades_by_themselves(words):
    assert scale_of(words) is None
    assert (known_scale(words, whole=False) is None) == ("M" in words)


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
