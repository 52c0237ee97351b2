import pytest

from quorate.table.exchange import csv_text
from quorate.table.exchange.engine import connection
from quorate.table.exchange.texts import Texts, numbers

PLAIN = (
    *("a,b\n1,2\n3,4\n", "a,b\r\n1, x \r\n,4", 'a;b\n"x;y";"say ""so"""\n"two\nlines";2,5\n'),
    *("\ufeffa\tb\n\u00a01\tNA\nnull\t-\n", "a\n1\n2\n3\n", "a,b\n'x',#y\n\\N,\\\n"),
)
ODD = ("a,b\n1,2\n\n3,4\n", 'a,b\n1,""\n2,3\n', 'a,b\nx"y,1\n2,3\n', 'a,b\n "x",1\n', "a,b\r1,2\r")
WORDS = (
    *("1", " 1\t", "1.", ".5e3", "-0", "1e400", "NaN", "-inf", "nan(1)", "+-3", "1_000", "1e5_0", "_1", "1 2"),
    "\u0661",
)


@pytest.fixture
def read(tmp_path, monkeypatch):
    def read(text, *, here):
        path = tmp_path / "a.csv"
        path.write_bytes(text.encode())
        if not here:
            monkeypatch.setattr(csv_text, "_MOST_PLAIN", 0)
        with connection() as own:
            opened = csv_text.open_csv(own, path)
            return isinstance(opened.relation, Texts), opened.columns, opened.notes, opened.relation.fetchall()

    return read


@pytest.mark.parametrize("text", PLAIN)
def test_few_rows_are_read_here_as_the_engine_reads_them(read, text):
    held, *here = read(text, here=True)
    in_engine, *there = read(text, here=False)
    assert held
    assert not in_engine
    assert here == there


@pytest.mark.parametrize("text", ODD)
def test_what_may_be_read_in_two_ways_is_for_the_engine(read, text):
    assert not read(text, here=True)[0]


def test_the_engine_has_the_same_rows():
    with connection() as own:
        held = Texts(own, [["a", None, "c"], ["1", "2", None]])
        assert held.project('"c1" AS n, "c0"').fetchall() == held.project('"c1", "c0"').fetchall()
        assert held.filter("c1 > '1'").fetchall() == held.limit(1, 1).fetchall()
        assert held.aggregate("count(*), count(c0)").fetchall() == [(3, 2)]


def test_numbers_are_those_that_the_engine_reads():
    with connection() as own:
        cast = own.execute("SELECT list_transform(?::VARCHAR[], lambda x: TRY_CAST(x AS DOUBLE))", [list(WORDS)])
        assert repr(numbers(WORDS)) == repr(cast.fetchall()[0][0])


def test_every_table_keeps_its_own_rows_when_those_who_had_them_are_gone():
    with connection() as own:
        relations = [Texts(own, [[str(n)]]).relation for n in range(50)]
        assert [relation.fetchall() for relation in relations] == [[(str(n),)] for n in range(50)]
