from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from quorate.analysis.words import distinct, shown


@given(st.text(), st.integers(2, 60))
def test_a_label_is_one_short_line_that_can_be_written(label, most):
    text = shown(label, most)
    assert len(text) <= most + 2  # with two marks that keep its direction to itself
    assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    text.encode("utf-8")


def test_text_from_right_to_left_is_kept_to_itself():
    assert shown("مرحبا") == "\u2068مرحبا\u2069"


def test_marks_that_reorder_text_are_dropped():
    assert shown("a\u202eb\u2066c") == "abc"


def test_joined_emoji_stay_joined():
    assert shown("👩\u200d👧") == "👩\u200d👧"


def test_labels_cut_to_the_same_text_are_told_apart():
    assert distinct(["x" * 90, "x" * 91, "y"], most=4) == ["xxx… (1)", "xxx… (2)", "y"]


def test_labels_that_start_alike_keep_the_part_that_differs():
    long = [f"vendor/some-model-with-a-very-long-name-{end}" for end in ("20260101-thinking", "20260101-fast")]
    short = distinct([*long, "other"], most=28)
    assert short[0].startswith("vendor/…")
    assert "thi" in short[0]
    assert "fas" in short[1]
    assert max(map(len, short)) <= 28
    assert len(set(short)) == 3


@given(st.lists(st.text(), max_size=6), st.integers(4, 40))
def test_labels_that_differ_are_told_apart(labels, most):
    found = distinct(labels, most)
    assert len(set(found)) >= len({shown(label, 10**6) for label in labels})
    assert all(len(text) <= most + 8 for text in found)
