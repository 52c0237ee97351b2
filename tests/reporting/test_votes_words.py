from __future__ import annotations

import math

import pytest

from quorate.reporting import votes_words as words


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (0.0, "0%"),
        (1e-9, "<1%"),
        (0.0099, "<1%"),
        (0.5, "50%"),
        (0.9999999, ">99%"),
        (1.0, "100%"),
        (math.nan, "not known"),
    ],
)
def test_a_share_is_all_or_nothing_only_if_it_is(value, says):
    assert words.share(value) == says


@pytest.mark.parametrize(
    ("value", "says"), [(0.25, "0.250"), (0.0004, "0.00040"), (-0.0726, "-0.073"), (-0.0, "0.000")]
)
def test_a_small_margin_keeps_two_digits(value, says):
    assert words.margin(value) == says


@pytest.mark.parametrize(
    ("value", "says"), [(0.05, "p = 0.05"), (0.0001, "p = 0.0001"), (0.00009, "p < 0.0001"), (0.0, "p < 0.0001")]
)
def test_a_p_value_is_never_nothing(value, says):
    assert words.p_value(value) == says


def test_millions_of_votes_need_more_digits_than_hundreds():
    assert words.shares(0.737, 0.683, 0.788) == ("73.7%", "68.3%", "78.8%")
    assert words.shares(0.5005, 0.5004, 0.5006) == ("50.0500%", "50.0400%", "50.0600%")
    assert words.shares(1e-10, 0.0, 1e-9) == ("<0.1%", "0.0%", "<0.1%")
    assert words.shares(0.5, 0.5, 0.5) == ("50.0%",) * 3


def test_numbers_of_votes_that_nobody_can_buy():
    assert words.votes(262_702_539) == "262,702,539"
    assert words.votes(1e13) == words.votes(math.inf) == "no number"
