import sqlite3

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput
from quorate.table.answers import answers
from quorate.table.exchange.ledger import columns, facets, is_ledger
from quorate.table.read import read

ROWS = [
    ("a", "10", "x", "en", "0.5", 1, 4.0, "ok"),
    ("a", "10", "x", "en", "0.5", 2, 5.0, "ok"),
    ("a", "9", "x", "de", "0.5", 1, 3.0, "ok"),
    ("a", "9", "y", "de", "1.0", 1, None, "unparsed"),
    ("b'", '"10"', "y", "de", "1.0", 1, 1.5, "ok"),
]


@pytest.fixture
def study(tmp_path):
    """A file with nothing in it but a view of this name, which is all that reading knows."""
    path = tmp_path / "my study.v1"
    with sqlite3.connect(path) as connection:
        names = "category, item, judge, language, temperature, replicate, score, status, cost, tokens_in"
        connection.execute(f"CREATE TABLE t ({names}, tokens_out, latency, at)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, 3, 4, 0.5, 1e9)", ROWS)
        connection.execute("CREATE VIEW judgments AS SELECT * FROM t")
    connection.close()
    return path


def test_facets_are_those_of_the_ledger_whatever_their_names(study):
    table = q.read(study, announce=False)
    assert set(table.names) == {"item", "judge", "language", "temperature", "category"}
    assert table.ancestors("item") == ("category",)
    assert (table.replicate, table.n_answers, table.n_cells) == ("replicate", 4, 4)
    assert table.facet("judge").fixed
    assert not table.facet("item").fixed


def test_labels_are_in_the_order_of_numbers_where_they_are_numbers(study):
    temperature = q.read(study, announce=False).facet("temperature")
    assert temperature.levels == ("0.5", "1.0")
    assert temperature.values.tolist() == [0.5, 1.0]


def test_a_judgment_without_a_score_is_there_and_has_none(study):
    table = q.read(study, announce=False)
    assert {name: int(counts.sum()) for name, counts in table.status.items() if counts.any()} == {
        "ok": 4,
        "unparsed": 1,
    }
    assert np.isnan(table.mean).sum() == 1


def test_what_the_caller_declares_goes_first(study):
    table = q.read(study, facets={"item": "item", "rater": "judge"}, fixed=())
    assert set(table.names) == {"item", "rater"}
    table = q.read(study, facets={"lang": "language", "temperature": ""}, recognise=True, announce=False)
    assert set(table.names) == {"item", "judge", "lang", "category"}


def test_single_answers_are_read_again(study):
    found = answers(read(study, announce=False))
    assert sorted(found.values.tolist()) == [1.5, 3.0, 4.0, 5.0]


def test_columns_before_the_replicate_are_facets(study):
    found = columns(study)
    assert facets(tuple(found)) == ("category", "item", "judge", "language", "temperature")
    assert found["tokens_in"].tolist() == [3.0] * 5
    assert np.isnan(found["cost"]).all()
    assert found["replicate"].dtype == np.int64


def test_cells_that_are_not_answered_are_said_with_every_result(study):
    assert q.read(study, announce=False).source.caveats == ()  # a view alone says nothing of a plan
    with sqlite3.connect(study) as connection:
        connection.execute("CREATE TABLE facets (place, name)")
        connection.execute("INSERT INTO facets VALUES (2, 'judge')")
        connection.execute("CREATE TABLE labels (facet, code, label)")
        connection.execute("INSERT INTO labels VALUES (2, 0, 'x'), (2, 1, 'y'), (1, 1, 'item')")
        connection.execute("CREATE TABLE cells (judge, accepted)")
        connection.executemany("INSERT INTO cells VALUES (?, ?)", [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (1, None)])
    connection.close()
    table = q.read(study, announce=False)
    said = "1 of 6 planned cells are not answered (y: 1): the panel is not complete; quorate run goes on"
    assert [str(one) for one in q.doctor(table).findings if one.code == "unanswered-cells"] == [said]
    assert said in [str(one) for one in q.decompose(table.without("judge", "y")).caveats]


def test_a_folder_that_cannot_be_written_to_is_no_obstacle(study):
    with sqlite3.connect(study) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    study.parent.chmod(0o500)
    try:
        assert q.read(study, announce=False).n_answers == 4
    finally:
        study.parent.chmod(0o700)


def test_a_database_that_is_no_ledger_is_said_to_be_none(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    assert is_ledger(path)
    with pytest.raises(InvalidData, match='without a view "judgments"'):
        q.read(path)


def test_a_damaged_ledger_is_one_line(study):
    study.write_bytes(study.read_bytes()[:16] + b"\xff" * 4000)
    with pytest.raises((InvalidData, InvalidInput), match=r"my study\.v1") as caught:
        q.read(study)
    assert "\n" not in str(caught.value)


def test_other_files_are_none(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,judge,score\na,x,1\n")
    assert not is_ledger(path)
    assert not is_ledger(tmp_path / "absent")


def test_a_ledger_is_read_to_its_end(study, monkeypatch):
    """Rows come in blocks, of which the last may be short."""
    monkeypatch.setattr("quorate.table.exchange.ledger._BLOCK", 2)
    assert columns(study)["score"].tolist() == pytest.approx([row[6] or np.nan for row in ROWS], nan_ok=True)
