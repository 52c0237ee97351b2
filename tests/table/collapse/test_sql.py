from __future__ import annotations

from dataclasses import replace

import duckdb
import numpy as np
import pytest

from quorate.errors import InvalidData
from quorate.table.collapse import sql
from quorate.table.collapse.grouped import judgments
from quorate.table.collapse.sql import collapse
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import as_missing
from quorate.table.exchange.format import Opened
from quorate.table.exchange.wide import Step, lengthened
from quorate.table.facets import Facet, Source

ROLES = Roles((Facet("item", "item", ()),), "item", "score")


@pytest.fixture
def relation():
    with duckdb.connect() as connection:
        yield lambda values, names="item, score": connection.sql(f"SELECT * FROM (VALUES {values}) AS t({names})")


def collapsed(rows, missing=(), typed=True, **options):
    held = Opened(rows, tuple(rows.columns), typed)
    return collapse(held, replace(ROLES, **options), as_missing(missing))


def by_label(grouped, name):
    (facet,) = grouped.facets
    return {facet.levels[code]: value for code, value in zip(facet.codes, getattr(grouped, name).tolist(), strict=True)}


def test_moments(relation):
    found = collapsed(relation("('a', 1), ('a', 2), ('a', 6), ('b', 7), ('c', NULL)"))
    assert by_label(found, "rows") == {"a": 3, "b": 1, "c": 1}
    assert by_label(found, "n") == {"a": 3, "b": 1, "c": 0}
    assert by_label(found, "ss") == {"a": 14.0, "b": 0.0, "c": 0.0}
    means = by_label(found, "mean")
    assert (means["a"], means["b"]) == (3.0, 7.0)
    assert np.isnan(means["c"])


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        ("(10::TINYINT, 1), (2, 1)", ("2", "10")),
        ("(0.7::FLOAT, 1), ('nan', 1), (1, 1)", ("0.7", "1")),
        ("(10.5::DECIMAL(4, 1), 1), (2, 1)", ("2", "10.5")),
        (
            "(170141183460469231731687303715884105727::HUGEINT, 1), (2, 1)",
            ("2", "170141183460469231731687303715884105727"),
        ),
        ("(true, 1), (false, 1)", ("false", "true")),
        ("(DATE '2026-01-02', 1)", ("2026-01-02",)),
        ("(TIME '10:00:00', 1)", ("10:00:00",)),
        ("('b'::ENUM('b', 'a'), 1), ('a', 1)", ("a", "b")),
        ("(uuid 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1)", ("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",)),
    ],
)
def test_labels_of_every_kind(relation, values, levels):
    assert collapsed(relation(values)).facets[0].levels == levels


@pytest.mark.parametrize("label", ["[1, 2]", "{'a': 1}", "'x'::BLOB", "[1.5::DECIMAL(3, 1)]"])
def test_records_lists_and_bytes_are_no_labels(relation, label):
    with pytest.raises(InvalidData, match=r'column "item" holds .*; a facet needs text, numbers, booleans or dates'):
        collapsed(relation(f"({label}, 1)"))


@pytest.mark.wide(2)
@pytest.mark.parametrize("score", ["' 4 '", "'4e0'", "4::DECIMAL(3, 1)", "4::HUGEINT", "4::FLOAT"])
def test_scores_of_every_kind(relation, score):
    assert by_label(collapsed(relation(f"('a', {score})")), "mean") == {"a": 4.0}


def test_booleans_and_their_words_are_one_and_zero(relation):
    assert by_label(collapsed(relation("('a', true), ('b', false)")), "mean") == {"a": 1.0, "b": 0.0}
    assert by_label(collapsed(relation("('a', 'True'), ('b', 'FALSE')")), "mean") == {"a": 1.0, "b": 0.0}


@pytest.mark.wide(2)
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("('a', '1'), ('a', 'N/A'), ('b', 'x')", r'2 values that are not numbers \(first: "N/A" in row 2\)'),
        ("('a', '1'), ('a', 'inf')", r'1 value that is not a number \(first: "inf" in row 2\)'),
        ("('a', 1.5), ('a', 'nan'::DOUBLE)", r"1 value that is not a finite number \(first: nan in row 2\)"),
        ("('a', [1])", r'first: "\[1\]" in row 1'),
    ],
)
def test_scores_that_are_no_numbers(relation, values, message):
    with pytest.raises(InvalidData, match=message):
        collapsed(relation(values))


def test_what_stands_for_missing(relation):
    text = "('a', '1'), ('a', ' N/A '), ('a', '-1.0'), ('a', 'nan'), ('a', '')"
    assert by_label(collapsed(relation(text), ("N/A", "-1", "nan")), "n") == {"a": 1}
    numbers = "('a', 1::DOUBLE), ('a', -1), ('a', 'nan'), ('a', 'inf')"
    assert by_label(collapsed(relation(numbers), ("N/A", "-1", "nan", "inf")), "n") == {"a": 1}


def test_a_row_that_is_not_ok_gives_no_score_and_no_offence(relation):
    rows = relation("('a', '1', ' OK'), ('a', '9', 'Refused'), ('a', 'N/A', 'parse_error')", "item, score, st")
    found = collapsed(rows, status="st")
    assert by_label(found, "mean") == {"a": 1.0}
    assert {name: counts.tolist() for name, counts in found.status.items() if counts.any()} == {
        "ok": [1],
        "unparsed": [1],
        "refused": [1],
    }


def test_unknown_statuses_are_named(relation):
    with pytest.raises(InvalidData, match=r'not known: "bad", \(empty\); use one of'):
        collapsed(relation("('a', 1, 'bad'), ('a', 1, NULL), ('a', 1, 'ok')", "item, score, st"), status="st")


def test_a_missing_replicate_counts_as_one(relation):
    rows = relation("('a', 1, 1), ('a', 1, NULL), ('a', 1, 1), ('a', 1, NULL)", "item, score, rep")
    assert by_label(collapsed(rows, replicate="rep"), "distinct") == {"a": 2}


@pytest.mark.wide(2)
@pytest.mark.parametrize("more", [{}, {"replicate": "rep"}, {"status": "st"}, {"replicate": "rep", "status": "st"}])
def test_a_few_rows_of_text_are_grouped_as_the_engine_groups_them(monkeypatch, more):
    """Labels, scores and replicates that are not there are among them."""
    label, score = "CASE WHEN i % 9 > 0 THEN 'item ' || i % 9 END", "CASE WHEN i % 7 > 0 THEN (i * i % 31)::VARCHAR END"
    rep, status = "CASE WHEN i % 5 > 0 THEN (i % 4)::VARCHAR END", "['ok', 'refused', 'Error '][i % 3 + 1]"
    with duckdb.connect() as connection:
        asked = f"{label} AS item, {score} AS score, {rep} AS rep, {status} AS st"
        rows = connection.sql(f"SELECT {asked} FROM range(200) AS t(i)")
        here = collapsed(rows, ("4",), typed=False, **more)
        monkeypatch.setattr(sql, "_SAMPLE", 100)
        there = collapsed(rows, ("4",), typed=False, **more)
    place = [np.argsort(one.facets[0].codes) for one in (here, there)]
    assert here.facets[0].levels == there.facets[0].levels
    assert here.facets[0].absent
    for name in ("rows", "n", "mean", "ss", "low", "high", *(["distinct"] if "replicate" in more else [])):
        one, other = getattr(here, name)[place[0]], getattr(there, name)[place[1]]
        np.testing.assert_allclose(one, other, rtol=1e-12)
    for name, counted in (here.status or {}).items():
        assert counted[place[0]].tolist() == there.status[name][place[1]].tolist()


def test_names_that_sql_would_misread(relation):
    rows = relation("('a', 1)", '"it""em; --", "group by"')
    held = Opened(rows, tuple(rows.columns), typed=True)
    odd = Roles((Facet("item", 'it"em; --', ()),), "item", "group by")
    assert by_label(collapse(held, odd, as_missing(())), "mean") == {"a": 1.0}


def test_untyped_labels_are_ordered_as_numbers(relation):
    assert collapsed(relation("('10', 1), ('9', 1)"), typed=False).facets[0].levels == ("9", "10")
    assert collapsed(relation("('10', 1), ('9', 1)")).facets[0].levels == ("10", "9")


REPLICATES = {
    "small whole numbers": "i % 3",
    "every small whole number": "i % 127",
    "beyond one bit each": "i % 128",
    "negative": "i % 5 - 2",
    "seeds": "hash(i % 7)",
    "text numbers": "(i % 120)::VARCHAR",
    "text numbers written twice": "CASE WHEN i % 2 = 0 THEN '1' ELSE '01' END",
    "words": "'run ' || (i % 4)",
    "quotes": "chr(39) || (i % 4)",
    "a word after many numbers": "CASE WHEN i < 4990 THEN (i % 9)::VARCHAR ELSE 'last' END",
    "more labels than bits of a number": "'run ' || (i % 300)",
    "halves": "(i % 5) / 2.0",
    "dates": "DATE '2026-01-01' + (i % 6)::INTEGER",
    "none": "NULL",
    "some": "CASE WHEN i % 3 > 0 THEN i % 3 END",
}


@pytest.mark.wide(5)
@pytest.mark.parametrize("written", REPLICATES.values(), ids=REPLICATES)
def test_distinct_replicates_of_every_kind(written):
    with duckdb.connect() as connection:
        rows = connection.sql(f"SELECT i % 7 AS item, 1 AS score, {written} AS rep FROM range(500) AS t(i)")
        found = collapsed(rows, replicate="rep")
        counted = rows.aggregate("item, count(DISTINCT rep::VARCHAR) + max((rep IS NULL)::INTEGER)", "item").fetchall()
    assert by_label(found, "distinct") == {str(item): count for item, count in counted}


@pytest.mark.parametrize("labels", [15_000, 5_000])
def test_distinct_replicates_where_there_are_too_many_labels_for_bits(monkeypatch, labels):
    monkeypatch.setattr("quorate.table.collapse.sql._MOST_BITS", 10_000)
    monkeypatch.setattr("quorate.table.collapse.sql._MOST_ROWS", 7_000)
    with duckdb.connect() as connection:
        label = "CASE WHEN i % 7 > 0 THEN 'item ' || i % 7 END"
        rows = connection.sql(
            f"SELECT {label} AS item, 1 AS score, 'id ' || i % {labels} AS rep FROM range(20000) t(i)"
        )
        found = collapsed(rows, replicate="rep")
        counted = dict(rows.aggregate("item, count(DISTINCT rep)", "item").fetchall())
    assert found.facets[0].absent
    levels = (*found.facets[0].levels, None)
    assert {levels[code]: count for code, count in zip(found.facets[0].codes, found.distinct, strict=True)} == counted


WHITESPACE = [chr(code) for code in range(0x3001) if chr(code).isspace()]


@pytest.mark.wide(1)
@pytest.mark.parametrize("typed", [True, False])
def test_every_blank_that_python_strips_is_stripped(relation, typed):
    values = ", ".join(
        f"('{n}', '{blank}true {blank}', 'OK{blank}'), ('{n}', 'n/a{blank}', '{blank} ok'), ('{n}', '{blank}', 'ok')"
        for n, blank in enumerate(WHITESPACE)
    )
    rows, each = relation(values, "item, score, st"), len(WHITESPACE)
    found = collapsed(rows, ("n/a",), typed, status="st")
    assert (found.rows.tolist(), found.n.tolist(), found.mean.tolist()) == ([3] * each, [1] * each, [1.0] * each)


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
def test_a_replicate_of_minus_zero_is_that_of_zero(relation, kind):
    rows = relation("('a', 1, 0.0), ('a', 2, 0.0), ('b', 3, 0.5)", "item, score, rep")
    signed = rows.project(f"item, score, CASE WHEN score = 2 THEN '-0.0' ELSE rep::VARCHAR END::{kind} AS rep")
    assert by_label(collapsed(signed, replicate="rep"), "distinct") == {"a": 1, "b": 1}


@pytest.mark.wide(2)
@pytest.mark.parametrize(
    "values",
    [
        "('b', '1', '2', '3'), ('a', '4', NULL, ' 5.5 ')",
        "('b', '1', 'true', '3'), ('a', '4', '', 'false')",  # not plain
        "('b', '1', '2', '3'), ('b', '4', '6', '5')",  # rows that repeat
        "('10', '1', '2', '3'), ('9', '4', '6', '5'), (NULL, '4', '6', '5')",
    ],
)
def test_columns_of_scores_are_cells_as_their_rows_would_be(relation, values):
    opened = Opened(relation(values, 'item, "10", "9", b'), ("item", "10", "9", "b"), typed=False)
    wide = lengthened(opened, Step("judge", ("10", "9", "b")))
    roles = replace(ROLES, facets=(*ROLES.facets, Facet("judge", "judge", ())))
    one, other = (
        judgments(collapse(held, roles, as_missing(())), replace(roles, object="judge"), Source("memory"))
        for held in (wide, replace(wide, across=None))
    )
    assert [(facet.levels, facet.fixed) for facet in one.facets] == [(f.levels, f.fixed) for f in other.facets]
    for name in ("codes", "n", "mean", "ss", "low", "high", "rows"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_rows_that_repeat_at_their_beginning_are_not_held(relation, monkeypatch):
    monkeypatch.setattr(sql, "_BEGINNING", 2)
    assert by_label(collapsed(relation("('a', 1), ('a', 2), ('b', 6)")), "n") == {"a": 2, "b": 1}
    assert by_label(collapsed(relation("('a', 1), ('b', 2), ('a', 6)")), "n") == {"a": 2, "b": 1}
    assert by_label(collapsed(relation("('a', 1), ('b', 2), ('c', 6)")), "mean") == {"a": 1.0, "b": 2.0, "c": 6.0}
