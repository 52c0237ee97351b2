import sqlite3
from contextlib import closing

import numpy as np
import pytest
from ledgers import write_ledger

import quorate as q
from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidData, InvalidInput
from quorate.reporting.paper.reproduce import read_from
from quorate.table.cells import Cells
from quorate.table.exchange.glance import Glance
from quorate.table.exchange.ledger import APPLICATION, columns, facets, is_ledger, paid
from quorate.table.read import read
from quorate.table.reread import answers

ROWS = [
    ("a", "10", "x", "en", "0.5", 1, 4.0, "ok"),
    ("a", "10", "x", "en", "0.5", 2, 5.0, "ok"),
    ("a", "9", "x", "de", "0.5", 1, 3.0, "ok"),
    ("a", "9", "y", "de", "1.0", 1, None, "unparsed"),
    ("b'", '"10"', "y", "de", "1.0", 1, 1.5, "ok"),
]


@pytest.fixture
def study(tmp_path):
    """A ledger of these answers."""
    names = ("category", "item", "judge", "language", "temperature", "replicate", "score", "status")
    more = ("tokens_in", "tokens_out", "latency")
    return write_ledger(tmp_path / "my study.v1", (*names, *more), [(*row, 3, 4, 0.5) for row in ROWS])


@pytest.mark.slow
def test_facets_are_those_of_the_ledger_whatever_their_names(study):
    table = q.read(study, announce=False)
    assert set(table.names) == {"item", "judge", "language", "temperature", "category"}
    assert table.ancestors("item") == ("category",)
    assert (table.replicate, table.n_answers, table.n_cells) == ("replicate", 4, 4)
    assert table.facet("judge").fixed
    assert not table.facet("item").fixed


@pytest.mark.slow
def test_labels_are_in_the_order_of_numbers_where_they_are_numbers(study):
    temperature = q.read(study, announce=False).facet("temperature")
    assert temperature.levels == ("0.5", "1.0")
    assert temperature.values.tolist() == [0.5, 1.0]


@pytest.mark.slow
def test_a_judgment_without_a_score_is_there_and_has_none(study):
    table = q.read(study, announce=False)
    assert {name: int(counts.sum()) for name, counts in table.status.items() if counts.any()} == {
        "ok": 4,
        "unparsed": 1,
    }
    assert np.isnan(table.mean).sum() == 1


@pytest.mark.slow
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
    assert q.read(study, announce=False).source.caveats == ()
    with closing(sqlite3.connect(study)) as connection, connection:
        connection.execute("INSERT INTO cells (key, judge, f2, replicate) VALUES ('another', 1, 1, 9)")
    table = q.read(study, announce=False)
    said = "1 of 6 planned cells are not answered (y: 1): the panel is not complete; "
    said += "quorate run goes on, and quorate serve where people judge"
    assert [str(one) for one in q.doctor(table).findings if one.code == "unanswered-cells"] == [said]
    assert said in [str(one) for one in q.decompose(table.without("judge", "y")).caveats]


def test_a_folder_that_cannot_be_written_to_is_no_obstacle(study):
    with closing(sqlite3.connect(study)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    study.parent.chmod(0o500)
    try:
        assert q.read(study, announce=False).n_answers == 4
    finally:
        study.parent.chmod(0o700)


ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i AS replicate FROM n"


@pytest.mark.parametrize("application", [0, APPLICATION])
@pytest.mark.parametrize("name", ["judgments", "cells"])
def test_a_database_that_is_no_ledger_is_refused_and_its_views_are_not_computed(tmp_path, application, name):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA application_id = {application}")
        connection.execute(f"CREATE VIEW {name} AS {ENDLESS}")
        for table in {"facets", "labels", "cells", "attempts"} - {name, "attempts" if name == "judgments" else ""}:
            connection.execute(f"CREATE TABLE {table} (place, name)")
    assert is_ledger(Glance(path))
    with pytest.raises(InvalidData, match="is a SQLite file and no ledger"):
        q.read(path)


def test_of_a_ledger_the_view_is_not_computed_whoever_wrote_it(study):
    with closing(sqlite3.connect(study)) as connection, connection:
        connection.execute("DROP VIEW judgments")
        connection.execute(f"CREATE VIEW judgments AS {ENDLESS}")
    assert len(columns(study)["score"]) == len(ROWS)


def test_a_ledger_with_nothing_planned_is_said_to_be_one(tmp_path):
    path = tmp_path / "new.db"
    Ledger.open(path).close()
    with pytest.raises(InvalidData, match="is a ledger with nothing planned"):
        q.read(path)


def test_a_damaged_ledger_is_one_line(study):
    study.write_bytes(study.read_bytes()[:16] + b"\xff" * 4000)
    with pytest.raises((InvalidData, InvalidInput), match=r"my study\.v1") as caught:
        q.read(study)
    assert "\n" not in str(caught.value)


def test_what_was_billed_is_told_from_what_was_charged_for_safety(study):
    with Ledger.open(study) as ledger:
        ledger._connection.execute("UPDATE spend SET calls = 3, unpriced = 1, money = 700000000")
        assert paid(study) == "3 calls, 1 of unknown price; 0.7000 in money"
        runner = ledger.enlist(10)
        levels = {name: (row,) for name, row in zip(ledger.facets, ("en", "z", "x", "en", "1"), strict=False)}
        cells = Cells(levels, np.zeros((1, len(levels)), dtype=np.int32), np.array([1]))
        ledger.plan(cells, ["k" * 64], {levels["judge"][0]: 0.5})
        leased = ledger.lease(runner, levels["judge"][0], 1, Budget())
        ledger.commit(runner, [Settled(cell, Reply("error", error="no"), "given_up", 0.0, "d", 1.0) for cell in leased])
    said = "4 calls, 1 of unknown price; 1.2000 in money (0.7000 billed as far as is known, 0.5000 charged for safety)"
    assert paid(study) == said
    table = q.read(study, recognise=True, announce=False)
    assert table.source.paid == said
    assert read_from(table)["paid for it"] == said


def test_other_files_are_none(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,judge,score\na,x,1\n")
    assert not is_ledger(Glance(path))
    assert not is_ledger(Glance(tmp_path / "absent"))


def test_a_ledger_is_read_to_its_end(study, monkeypatch):
    """Rows come in blocks, of which the last may be short."""
    monkeypatch.setattr("quorate.table.exchange.ledger._BLOCK", 2)
    assert columns(study)["score"].tolist() == pytest.approx([row[6] or np.nan for row in ROWS], nan_ok=True)
