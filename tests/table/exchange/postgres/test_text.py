import numpy as np
import pytest

from quorate.table.exchange.postgres.session import columns, for_many, number, numbered, text

ARRAYS = "FROM unnest(CAST(? AS bigint[]), CAST(? AS text[])) AS v(p1, p2)"


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("INSERT INTO t VALUES (?, ?)", f"INSERT INTO t SELECT v.p1, v.p2 {ARRAYS}"),
        ("INSERT INTO t (a, b, c)\nVALUES (?, 'x', ?)", f"INSERT INTO t (a, b, c) SELECT v.p1, 'x', v.p2 {ARRAYS}"),
        ("UPDATE t SET a = ?, b = 'x' WHERE id = ?", f"UPDATE t SET a = v.p1, b = 'x' {ARRAYS} WHERE id = v.p2"),
    ],
)
def test_a_statement_for_one_row_becomes_one_for_many(one, many):
    assert for_many(one, ["bigint", "text"]) == many


def test_every_value_has_a_name_of_its_own():
    assert numbered("a = ? AND b = ?", "${}".format) == "a = $1 AND b = $2"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, None),
        ("a\0b", "a\ufffdb"),
        (2**62, str(2**62)),
        (True, "1"),
        (1 / 3, "0.3333333333333333"),
        (np.float64(7.0), "7.0"),
        (np.float32(0.5), "0.5"),
        (np.int32(-4), "-4"),
    ],
)
def test_a_value_is_text_whatever_it_is_made_of(value, said):
    assert text(value) == said


def test_rows_are_arrays_by_column():
    assert columns([(np.int64(1), 'a "b"'), (2, None)]) == ["{1,2}", '{"a \\"b\\"",NULL}']


def test_a_sum_of_whole_numbers_is_whole():
    assert number("20") == 20
    assert isinstance(number("20"), int)
    assert number("2.5") == 2.5
