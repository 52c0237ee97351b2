from __future__ import annotations

import csv
import io
import math

import pytest

from quorate.reporting.print.cells import cell, columns, csv_table, markdown_table, plain_markdown

ROWS = [
    {"level": "a|b", "share": 0.125, "n": 1200, "why_not": "", "high": math.inf},
    {"level": "=1+1", "share": None, "n": 3, "why_not": "", "high": 2.5},
]


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("share", 0.0001, "<0.1%"),
        ("gain", -0.0001, "0.0%"),
        ("gain", -0.123, "-12.3%"),
        ("more_cost", 3.6, "+3.60"),
        ("possible", True, "yes"),
        ("se", math.nan, "–"),
        ("high", math.inf, "unbounded"),
        ("n", 1234567, "1,234,567"),
        ("level", "text", "text"),
    ],
)
def test_cells(key, value, text):
    assert cell(key, value) == text


def test_empty_columns_are_left_out_and_titles_are_words():
    assert columns(ROWS, {"n": "judgments"}) == {"level": "level", "share": "share", "n": "judgments", "high": "high"}


def test_csv_has_full_precision_and_no_formulas():
    rows = list(csv.reader(io.StringIO(csv_table([*ROWS, {"level": "x", "n": 1, "high": 1 / 3}], {}))))
    assert rows[0] == ["level", "share", "n", "high"]
    assert rows[2][0] == "'=1+1"
    assert float(rows[3][3]) == 1 / 3


def test_markdown_tables_keep_their_columns():
    lines = markdown_table(ROWS, {}).splitlines()
    assert lines[1] == "| --- | ---: | ---: | ---: |"
    assert lines[2] == "| a\\|b | 12.5% | 1,200 | unbounded |"


def test_markdown_is_shown_as_it_is():
    assert plain_markdown("<b>*a*</b>\n[x](y) & `z`") == "&lt;b&gt;\\*a\\*&lt;/b&gt; \\[x\\](y) &amp; \\`z\\`"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://a.example/x", r"see https\://a.example/x"),
        ("WWW.a.example and mailto:a", r"WWW\.a.example and mailto\:a"),
        ("a@b.example", r"a\@b.example"),
        ("https: a, awww.b, @c", r"https\: a, awww.b, @c"),
    ],
)
def test_an_address_is_no_link(text, shown):
    assert plain_markdown(text) == shown
