from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.wording import counted, decimals, listed, margin, percent, plural, safe, shares, whole_percent


@pytest.mark.parametrize(
    ("name", "many"),
    [("judge", "judges"), ("category", "categories"), ("essay", "essays"), ("annotators", "annotators")],
)
def test_plurals(name, many):
    assert plural(name) == many


def test_counts_agree_with_their_noun():
    assert counted(1, "item") == "1 item"
    assert counted(0, "item") == "0 items"
    assert counted(12_000, "category") == "12,000 categories"


def test_lists():
    assert listed(["a"]) == "a"
    assert listed(["a", "b"], "or") == "a or b"
    assert listed(iter(["a", "b", "c"])) == "a, b and c"


@given(st.floats(0, 1))
def test_a_share_is_shown_as_none_or_all_only_where_it_is(share):
    shown = percent(share)
    assert (shown == "0.0%") == (share == 0)
    assert (shown == "100.0%") == (share == 1)


def test_what_is_not_known_is_no_number():
    assert percent(float("nan")) == margin(float("nan")) == "not known"


def test_margins_and_shares_have_the_digits_they_need():
    assert (margin(0.0726), margin(0.0049)) == ("0.073", "0.0049")
    assert shares(0.50025, 0.49994, 0.50056) == ("50.025%", "49.994%", "50.056%")
    assert shares(0.9999999, 0.99, 1.0)[0] == ">99.9%"


def test_a_small_share_is_not_nothing():
    assert [whole_percent(x) for x in (0.0, 0.004, 0.43, float("nan"))] == ["0%", "<1%", "43%", "not known"]


@pytest.mark.parametrize(
    ("uncertainty", "places"), [(0.15, 2), (0.016, 3), (1.5, 1), (15.0, 0), (1500.0, 0), (0.0, 3), (float("nan"), 3)]
)
def test_decimals_show_two_digits_of_the_uncertainty(uncertainty, places):
    assert decimals(uncertainty) == places


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("\u202eevil", r"\u202eevil"),
        ("a\u2028b\x9bc", r"a\u2028b\x9bc"),
        ("\ud800", r"\ud800"),
        ("日本 ±é [red]x[/red] :smile:", "日本 ±é [red]x[/red] :smile:"),
        ("क्\u200dष", "क्\u200dष"),
    ],
)
def test_control_and_invisible_characters_are_shown_as_escapes(text, shown):
    assert safe(text) == shown
