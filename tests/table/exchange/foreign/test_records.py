"""Rows put together one by one."""

from __future__ import annotations

import pytest

from quorate.table.exchange.engine import connection
from quorate.table.exchange.foreign.records import Records, identity, identity_in_sql


def test_rows_as_text_and_numbers():
    rows = Records("item", "judge", "score", "topic")
    rows.add(item=1, judge="x", score=0.5)
    rows.add(item="01", score=None)
    opened = rows.opened(connection(), "scores", facets=("topic",))
    assert opened.columns == ("item", "judge", "score")
    assert opened.relation.fetchall() == [("1", "x", 0.5), ("01", None, None)]
    assert (opened.kind, opened.facets, len(rows)) == ("scores", (), 2)


def test_a_column_that_is_not_there():
    with pytest.raises(KeyError, match="judeg"):
        Records("item").add(judeg="x")


def test_what_every_table_needs_stays_though_empty():
    rows = Records("item", "score")
    rows.add(item="a")
    assert rows.opened(connection(), "scores").relation.fetchall() == [("a", None)]


def test_of_no_rows_every_column_stays():
    assert Records("item", "judge", "score").opened(connection(), "scores").columns == ("item", "judge", "score")


def test_an_identity_is_short_and_tells_apart():
    one, other = identity("x " * 100), identity("x " * 101)
    assert len(one) <= 57
    assert one != other
    assert identity("\ud800") != identity("\udfff")


def test_text_that_utf8_cannot_hold_stays_apart():
    rows = Records("item", "score")
    for item in ("\ud800", "\udfff", "a\0b"):
        rows.add(item=item, score=1)
    kept = [item for item, _ in rows.opened(connection(), "scores").relation.fetchall()]
    assert kept == ["\\ud800", "\\udfff", "a\0b"]


@pytest.mark.parametrize("text", ["Who wrote Faust?", "", "  a\n\tb  ", "é" * 90, "x" * 39 + " yz"])
def test_an_identity_is_the_same_in_duckdb(text):
    ((found, none),) = (
        connection()
        .execute(f"SELECT {identity_in_sql('$1::VARCHAR')}, {identity_in_sql('NULL::VARCHAR')}", [text])
        .fetchall()
    )
    assert (found, none) == (identity(text), None)
