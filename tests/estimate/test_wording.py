from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.estimate.wording import counted, listed, percent, plural


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
