from __future__ import annotations

import json
import math
import unicodedata

import pytest
from examples import any_text
from hypothesis import given
from hypothesis import strategies as st

from quorate.analysis.words import (
    about,
    advice,
    distinct,
    number,
    p_text,
    p_value,
    scrubbed,
    sentence,
    share,
    shown,
    significant,
    span,
    times,
    votes,
)
from quorate.table.results import StatedInterval
from quorate.wording import margin, shares


def reading(low, high, whom, value=7.42):
    return StatedInterval(value, math.nan, 0, 0.95, law=lambda _: (low, high), whom=whom)


def test_numbers_that_are_none_are_words():
    assert [number(x, 1) for x in (-0.01, float("inf"), float("nan"))] == ["0.0", "unbounded", "not known"]


@pytest.mark.parametrize(
    ("value", "text"), [(0.0012345, "0.00123"), (123456.0, "123456"), (4.6e-14, "4.60e-14"), (0.0, "0")]
)
def test_significant_digits(value, text):
    assert significant(value) == text


WIDE, PANEL = reading(7.11, 7.73, "for judges like these"), reading(7.30, 7.54, "for this panel")


def test_the_first_sentence_is_the_one_of_the_design():
    assert sentence([WIDE, PANEL], reading(7.345, 7.495, "")) == (
        "Mean 7.42; 95% interval 7.11 to 7.73 for judges like these, 7.30 to 7.54 for this panel. "
        "The naive interval (7.34 to 7.50) is 4.1 times too narrow."
    )


def test_equal_intervals_are_said_once():
    same = reading(7.11, 7.73, "for this panel")
    assert "7.11 to 7.73 for judges like these and for this panel. " in sentence([WIDE, same], PANEL)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (7.11, 7.73, "is about as wide."),
        (6.80, 8.04, "is 2.0 times too wide."),
        (7.4199, 7.4201, "(7.4199 to 7.4201) is 3,100 times too narrow."),
        (7.42, 7.42, "There is no naive interval"),
    ],
)
def test_what_is_said_of_the_naive_interval(low, high, verdict):
    assert verdict in sentence([WIDE], reading(low, high, ""))


def test_an_unbounded_interval_makes_the_naive_one_no_guide():
    assert "no guide" in sentence([reading(-float("inf"), float("inf"), "")], PANEL)


def test_a_narrow_interval_gets_more_decimals():
    assert span(reading(2.18711, 2.19999, ""), 2) == "2.187 to 2.200"


def test_times():
    assert [times(x) for x in (1.06, 9.96, 1234.0)] == ["1.1", "10", "1,234"]


@pytest.mark.parametrize(
    ("component", "words"),
    [
        ("judge", "add judges"),
        ("category", "add categories"),
        ("item:judge", "add items or judges"),
        ("item + item:judge", "add items"),
        ("item:prompt + cell", "add items or prompts"),
        ("prompt + judge", "add prompts or judges"),
        ("cell", "add items, prompts or judges"),
        ("replicate", "more replicates per cell"),
        ("replicate[judge a]", "more replicates per cell"),
        ("cell[judge a]", "add items, prompts or judges"),
        ("item:language", "add items or languages"),
    ],
)
def test_advice(component, words):
    assert advice(component, ["item", "prompt", "judge"]) == words


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
    assert share(value) == says


@pytest.mark.parametrize(
    ("value", "says"), [(0.25, "0.250"), (0.0004, "0.00040"), (-0.0726, "-0.073"), (-0.0, "0.000")]
)
def test_a_small_margin_keeps_two_digits(value, says):
    assert margin(value) == says


@pytest.mark.parametrize(
    ("value", "says"), [(0.05, "p = 0.05"), (0.0001, "p = 0.0001"), (0.00009, "p < 0.0001"), (0.0, "p < 0.0001")]
)
def test_a_p_value_is_never_nothing(value, says):
    assert p_value(value) == says


def test_millions_of_votes_need_more_digits_than_hundreds():
    assert shares(0.737, 0.683, 0.788) == ("73.7%", "68.3%", "78.8%")
    assert shares(0.5005, 0.5004, 0.5006) == ("50.0500%", "50.0400%", "50.0600%")
    assert shares(1e-10, 0.0, 1e-9) == ("<0.1%", "0.0%", "<0.1%")
    assert shares(0.5, 0.5, 0.5) == ("50.0%",) * 3


def test_numbers_of_votes_that_nobody_can_buy():
    assert votes(262_702_539) == "262,702,539"
    assert votes(1e13) == votes(math.inf) == "no number"


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "< 1e-16"), (3e-17, "< 1e-16"), (2e-16, "2e-16"), (1.0, "1"), (math.nan, "not known")]
)
def test_p_values_as_text_with_a_floor_of_their_own(p, text):
    assert p_text(p, 1e-16) == text
    assert p_value(p, 1e-16) == (f"p {text}" if text[0] in "<n" else f"p = {text}")


def test_limits_are_shown_where_they_are_not_equally_far():
    assert about(reading(6.5, 7.5, "", 7.0), 2) == "±0.50"
    assert about(reading(0.8, 0.99, "", 0.95), 2) == "0.80 to 0.99"
    assert about(reading(-math.inf, math.inf, "", 0.95), 2) == "±unbounded"


@given(any_text(), st.integers(2, 60))
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


@given(st.lists(any_text(), max_size=6), st.integers(4, 40))
def test_labels_that_differ_are_told_apart(labels, most):
    found = distinct(labels, most)
    assert len(set(found)) >= len({shown(label, 10**6) for label in labels})
    assert all(len(text) <= most + 8 for text in found)


@pytest.mark.wide(2)
def test_every_shape_is_json_without_what_json_cannot_hold(analysis):
    found = json.loads(json.dumps(analysis.to_dict(), allow_nan=False))
    assert found == analysis.to_dict()
    assert found["sentence"] == analysis.sentence
    assert found["setup"]["value"] == analysis.fit.mean.value
    assert [one["component"] for one in found["sources"]] == [one.component for one in analysis.sources]
    assert len(found["components"]) == len(analysis.fit.components)
    assert [one["label"] for one in found["what_if"]] == [one.label for one in analysis.what_if]
    assert (found["flags"] is None) == bool(found["flags_reason"])


def test_the_panel_is_there_with_what_was_redrawn_or_the_reason(shape):
    found = shape("panel").to_dict()
    assert found["judge_panel"]["bias"]["overall"][0]["judge"] == "Claude"
    assert found["judge_panel"]["validation"]["system"] == shape("panel").judge_panel.drawn
    assert found["judge_panel_reason"] == ""
    gap = shape("panel, gap").to_dict()
    assert gap["judge_panel"] is None
    assert "has scored nothing of system" in gap["judge_panel_reason"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("s3://KEY:SECRET@bucket/a.csv", "s3://…@bucket/a.csv"),
        ("s3://KEY:se/cr+e=t@bucket/a.csv", "s3://…@bucket/a.csv"),
        ("https://host/a.csv?X-Amz-Signature=abc&b=c", "https://host/a.csv?…"),
        ("https://host/a.csv#access_token=abc", "https://host/a.csv#…"),
        ("https:/user:pw@host/a.csv?token=x", "https:/…@host/a.csv?…"),
        ("https://ghp_abc@host/a.csv", "https://…@host/a.csv"),
        ("quorate analyze 'gs://u:p@b/c d.csv?t=1' --score s", "quorate analyze 'gs://…@b/c d.csv?t=1' --score s"),
        ("https://host/a@b/c.csv", "https://host/a@b/c.csv"),
        ("--api-key=sk-1 --auth-token abc password=x", "--api-key=… --auth-token … password=…"),
        ("/home/a@b/x.csv --facet judge=token_model", "/home/a@b/x.csv --facet judge=token_model"),
        ("C:/a@b/x.csv", "C:/a@b/x.csv"),
    ],
)
def test_what_opens_doors_is_left_out(text, left):
    assert scrubbed(text) == left
