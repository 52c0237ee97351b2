from __future__ import annotations

import gzip
import hashlib
import json
import os
import time

import duckdb
import numpy as np
import pytest

from quorate.errors import InvalidData, InvalidInput
from quorate.table import files
from quorate.table.exchange.format import literal, quoted
from quorate.table.exchange.glance import Glance
from quorate.table.files import connection, explain, explained, located, opened, sha256


@pytest.fixture
def write(tmp_path):
    def writer(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


def content(path):
    with opened(path) as file:
        return file.columns, file.relation.fetchall()


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.CSV", "a.csv.gz", "a.jsonl", "a.ndjson.gz", "a.parquet", "a.pq"])
def test_the_name_says_the_format(write, name):
    assert located(write(name, "")).form.name in name.lower().replace("tsv", "csv").replace("ndjson", "json").replace(
        "pq", "parquet"
    )


@pytest.mark.parametrize("name", ["a.dat", "a", "a.gz", "a.parquet.gz"])
def test_a_name_that_says_nothing_is_an_error_with_the_known_ones(write, name):
    with pytest.raises(InvalidInput, match=r"cannot tell the format of .*; rename it to end in \.csv"):
        located(write(name, "x"))


@pytest.mark.parametrize("name", ["a.log", "a.out", "a", "a.dat.gz"])
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"item": "a", "score": 1}\n{"item": "b", "score": 2}\n', "json-array"),
        ('[{"item": "a", "score": 1}, {"item": "b", "score": 2}]', "json-array"),
        ("item\tscore\na\t1\nb\t2\nc\t3\nd\t4\n", "csv"),
        ("item,score\na,1\nb,2\n", None),
        ("Run of May, all\nall is well\nbut, as said, slow\nand, so it goes\nthe end\n", None),
    ],
)
def test_what_is_plainly_a_table_is_read_whatever_its_name_ends_in(write, name, text, kind):
    path = write(name, gzip.compress(text.encode()) if name.endswith(".gz") else text)
    if kind is None:
        with pytest.raises(InvalidInput, match="cannot tell the format"):
            located(path)
    else:
        assert located(path).form.name == kind
        assert content(path)[0] == ("item", "score")


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(InvalidInput, match="source: no such file"):
        located(tmp_path / "absent.csv")


def test_a_directory(tmp_path):
    with pytest.raises(InvalidInput, match="holds no table that can be read; name a file"):
        located(tmp_path)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_header_tells_the_delimiter(write, delimiter):
    path = write("a.csv", f'item{delimiter}"a,b;c"{delimiter}score\n1{delimiter}x{delimiter}2\n')
    assert content(path) == (("item", "a,b;c", "score"), [("1", "x", "2")])


@pytest.mark.parametrize("name", ["a.tsv", "a.TSV", "a.tsv.gz"])
@pytest.mark.parametrize("header", ["item, its id\tscore", "item\tscore, 1, 2 or 3"])
def test_a_tsv_has_tabs_whatever_else_its_header_holds(write, name, header):
    text = f"{header}\nx\t7\n".encode()
    path = write(name, gzip.compress(text) if name.endswith(".gz") else text)
    assert content(path) == (tuple(header.split("\t")), [("x", "7")])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (b"\xef\xbb\xbfa,b\r\n1,2\r\n", [("1", "2")]),
        (b'a,b\n1,"2"\r\n3,"4"\n', [("1", "2"), ("3", "4")]),
        (b'\xef\xbb\xbf"a",b\n1,2\n', [("1", "2")]),
        (b"a,b\r1,2\r", [("1", "2")]),
        (b'a,b\n"x\ny","he said ""no"""\n', [("x\ny", 'he said "no"')]),
        (b'a,b\n"",007\n, 7 \n', [(None, "007"), (None, " 7 ")]),
        (b"a,b\n1,2\n\n3,4", [("1", "2"), ("3", "4")]),
        (b"a,b\n", []),
        ("a,b\nü,→\n".encode(), [("ü", "→")]),
    ],
)
def test_csv_is_read_as_text_exactly_as_written(write, text, rows):
    assert content(write("a.csv", text)) == (("a", "b"), rows)


def test_names_of_columns_may_differ_in_case_only_or_be_absent(write):
    path = write("a.csv", ",Score,score\n0,1,2\n")
    assert content(path) == (("column1", "Score", "score"), [("0", "1", "2")])


def test_one_column_needs_no_delimiter(write):
    assert content(write("a.csv", "score\n1\n2\n")) == (("score",), [("1",), ("2",)])


def test_a_header_may_run_over_two_lines(write):
    assert content(write("a.csv", '"a\nb",c\n1,2\n')) == (("a b", "c"), [("1", "2")])


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_gzip(write, suffix):
    text = {"csv": "a\nx\n", "jsonl": '{"a": "x"}\n'}[suffix]
    assert content(write(f"a.{suffix}.gz", gzip.compress(text.encode()))) == (("a",), [("x",)])


def test_names_with_wild_cards_are_names(write):
    path = write("a[1]*?.csv", "a\nx\n")
    write("a1.csv", "a\nother\n")
    assert content(path) == (("a",), [("x",)])


def test_json_values_keep_their_kind_and_text_stays_text(write):
    lines = '{"n": 1, "f": 1.5, "b": true, "d": "2026-01-02", "m": 1}\n\n{"n": 2, "m": "N/A", "o": {"x": [1]}}\n'
    assert content(write("a.jsonl", lines)) == (
        ("n", "f", "b", "d", "m", "o.x"),
        [(1, 1.5, True, "2026-01-02", "1", None), (2, None, None, None, "N/A", "[1]")],
    )


def test_a_kind_that_changes_late_in_the_file_is_seen(write):
    lines = '{"a": 1}\n' * 30_000 + '{"a": "x"}\n'
    assert content(write("a.jsonl", lines))[1][-1] == ("x",)


BROKEN = [
    ("a.csv", "", "is empty; the first line must name the columns"),
    ("a.csv", "a,a\n1,2\n", 'two columns are named "a"'),
    ("a.csv", "a,b\n1,2\n3\n", "line 3: the header has 2 columns, this line 1; repair"),
    ("a.csv", "a,b\n1,2\n3,4,5\n", "line 3: the header has 2 columns, this line 3; repair"),
    ("a.csv", 'a,b\n1,"2\n3,4\n', "line 2 has a quote that is not closed"),
    ("a.csv", b"a,b\n1,\x00\xff\n", "is binary or UTF-16"),
    ("a.csv", b"a,b\n1,2\n1,\xfc\x81\n", "line 3 is not UTF-8 text"),
    ("a.csv", b"\x89PNG\r\n\x1a\n\xff", "line 1 is not UTF-8 text"),
    ("a.csv", "a,b\n" + "x" * 2_100_000 + ",1\n", "line 2 is longer than 2,000,000 bytes"),
    ("a.csv", "x" * 200_000, "line 1 is not a header"),
    ("a.csv.gz", b"a,b\n1,2\n", "is not gzip"),
    ("a.csv.gz", gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-20], "is not gzip"),
    ("a.csv.gz", gzip.compress(b"", mtime=0)[:10] + b"\xff" * 500, "is not gzip"),
    ("a.jsonl.gz", gzip.compress(b"", mtime=0)[:10] + b"\xff" * 500, "is not gzip"),
    ("a.jsonl", "", "is empty"),
    ("a.jsonl", '{"a": 1}\nx\n', "line 2 is not JSON"),
    ("a.jsonl", '{"a": 1}\n{"a":\n', "line 2 is not JSON"),
    ("a.jsonl", '{"a": 1}\n[1]\n', "some line is not a JSON object"),
    ("a.jsonl", '{"a": "ü"}\n'.encode("latin-1"), "line 1 is not UTF-8 text"),
    ("a.jsonl", "[" * 99_999, "line 1 is not JSON"),
    ("a.jsonl", '["a"]\n[' + "9" * 5000 + "]\n", "some line is not a JSON object"),
    ("a.json", "[" * 99_999, "record 1 is cut off"),
    ("a.json", "[" * 50_000 + "]" * 50_000, "cannot be read: .*recursion depth"),
    ("a.parquet", b"", "too small to be a Parquet file"),
    ("a.parquet", b"x" * 100, r"cannot be read: .*magic bytes"),
]


@pytest.mark.parametrize(("name", "text", "message"), BROKEN)
def test_broken_files_are_told_in_one_line(write, name, text, message):
    path = write(name, text)
    with pytest.raises(InvalidData, match=message) as caught, opened(path) as file:
        file.relation.fetchall()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 100 + 2 * len(str(path)) + len(message)


@pytest.mark.slow
def test_a_character_at_the_end_of_the_first_block_is_not_broken(write):
    assert content(write("a.csv", "a\n" + "ü" * 60_000 + "\n" + "1234567\n" * 150_000))[0] == ("a",)


def test_a_file_that_may_not_be_read():
    with pytest.raises(InvalidInput, match=r"x: cannot be read \(Permission denied\)"), explained("x"):
        raise PermissionError(13, "Permission denied")


def test_the_connection_is_closed(write):
    with opened(write("a.jsonl", '{"a": 1}\n')) as file:
        relation = file.relation
    with pytest.raises(duckdb.ConnectionException):
        relation.fetchall()


def test_a_file_that_is_written_anew_is_read_anew(write):
    for text in ("a,b\n1,2\n", "b,a\n3,4\n"):
        path = write("a.csv", text)
        os.utime(path, (0, 0))
        assert ",".join(content(path)[0]) == text[:3]
        assert content(path)[1] == [tuple(text[4:].strip().split(","))]


def test_connections_see_nothing_of_each_other():
    with connection() as one, connection() as other:
        one.register("rows", {"a": np.arange(3)})
        assert one.sql("SELECT count(*) FROM rows").fetchall() == [(3,)]
        with pytest.raises(duckdb.CatalogException):
            other.sql("SELECT count(*) FROM rows").fetchall()


def test_errors_of_ours_pass_through(write):
    with pytest.raises(InvalidInput, match=r"^ours$"), opened(write("a.csv", "a\n1\n")):
        raise InvalidInput("ours")


def test_what_duckdb_says_otherwise_is_cut_to_its_first_line():
    assert explain("IO Error: disk is full\n\nLINE 1: SELECT") == "cannot be read: disk is full"


def test_the_hash_is_that_of_the_bytes(write):
    assert sha256(write("a.csv", "a\n1\n")) == hashlib.sha256(b"a\n1\n").hexdigest()


def test_names_and_text_are_quoted():
    row = duckdb.sql(f"SELECT {literal(chr(39) + '; --')} AS {quoted('a' + chr(34) + 'b')}")
    assert (row.columns, row.fetchall()) == (['a"b'], [("'; --",)])


@pytest.mark.parametrize("text", ['{"a": 1}', '{"a":\n1}'])
def test_an_object_that_is_no_log_says_what_to_write_instead(write, text):
    said = r"a\.json cannot be read as \.json; .*; write JSON lines \(\.jsonl\), one record per line$"
    with pytest.raises(InvalidInput, match=said), opened(write("a.json", text)):
        pass


@pytest.mark.parametrize("text", ["x", "\n"])
def test_text_that_is_no_json_is_said(write, text):
    with (
        pytest.raises(InvalidData, match=r"a\.json: is not JSON \(.*\); export it again$"),
        opened(write("a.json", text)),
    ):
        pass


@pytest.mark.parametrize("text", ['[{"a": 1, "b": "x"},\n{"a": 2}]', '{"a": 1, "b": "x"}\n{"a": 2}\n'])
def test_records_in_one_list_or_on_lines_whatever_the_name(write, text):
    assert content(write("a.json", text)) == (("a", "b"), [(1, "x"), (2, None)])


def test_records_beside_what_is_said_of_the_whole(write):
    held = '{"0": {"a": 1, "b": "x"}, "1": {"a": 2, "b": "y"}}'
    assert content(write("a.json", f'{{"run": "r", "samples": {held}}}')) == (("a", "b"), [(1, "x"), (2, "y")])
    with pytest.raises(InvalidInput, match="no list of records"):
        content(write("a.json", f'{{"run": "r", "samples": {held}, "others": {held}}}'))


def test_records_inside_records_are_columns(write):
    lines = '{"s": {"id": "q", "m": {"t": 1}}, "r": {"score": 2}}\n{"s": {"id": "p"}, "r": null}\n'
    names = ("s.id", "s.m.t", "r.score")
    assert content(write("a.jsonl", lines)) == (names, [("q", 1, 2), ("p", None, None)])
    many = json.dumps({"s": dict.fromkeys((f"k{i}" for i in range(101)), 1)})
    assert content(write("a.jsonl", many))[0] == ("s",)
    twice = '{"s": {"id": "q"}, "s.id": 1}\n'
    assert content(write("a.jsonl", twice))[0] == ("s", "s.id")


def test_decimals_with_commas_between_semicolons(write):
    assert content(write("a.csv", "id;x;y;z\n1;3,5;1,2,3;a\n2;4;1;b\n3,0;;2;c\n"))[1] == [
        ("1", "3.5", "1,2,3", "a"),
        ("2", "4", "1", "b"),
        ("3.0", None, "2", "c"),
    ]
    with opened(write("a.csv", "id;x\n1;3,5\n")) as file:
        assert file.notes == ("decimals are written with a comma in x",)
    assert content(write("a.csv", 'id,x\n1,"3,5"\n'))[1] == [("1", "3,5")]


def test_the_lines_that_qualtrics_writes_below_its_header(write):
    ids = '"{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}"'
    path = write("a.csv", f"ResponseId,Q1\nResponse ID,How good?\n{ids}\nR_1,5\nR_2,\n")
    assert content(path) == (("ResponseId", "Q1"), [("R_1", "5"), ("R_2", None)])


def test_a_wide_header_is_looked_through_once(write):
    names = [f"c{i}" for i in range(9_999)]
    path = write("a.csv", ",".join([*names, "c5"]))
    start = time.process_time()
    with pytest.raises(InvalidData, match='two columns are named "c5"'), opened(path):
        pass
    path = write("b.csv", ",".join(f"c{i}" for i in range(100_000)))
    with pytest.raises(InvalidData, match="has 100,000 columns, at most 10,000 are read"), opened(path):
        pass
    assert time.process_time() - start < 2


def test_in_a_folder_what_is_named_like_no_data_is_not_looked_into(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(files, "Glance", lambda path: seen.append(path.name) or Glance(path))
    for name in ("a.py", "b.json", "c", "d.eval", "e.jsonl.gz"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(InvalidInput, match="files of several formats"):
        located(tmp_path)
    assert seen == [tmp_path.name, "b.json", "d.eval", "e.jsonl.gz"]
