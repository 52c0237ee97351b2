"""Words as scores: the share of one label, from every kind of source."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

import quorate as q
from quorate.errors import UnknownTerm
from quorate.table.answers import answers

FRAME = pl.DataFrame(
    {"item": list("aabbcc"), "judge": list("xyxyxy"), "verdict": ["toxic", "fine", "toxic ", "toxic", None, "unsure"]}
)


@pytest.fixture(params=["frame", "lazy", "duckdb", "csv"])
def source(request, tmp_path):
    path = tmp_path / "l.csv"
    FRAME.write_csv(path)
    frame = FRAME.to_arrow()
    return (
        {"frame": FRAME, "lazy": FRAME.lazy(), "csv": path}.get(request.param)
        if request.param != "duckdb"
        else (duckdb.sql("SELECT * FROM frame") if frame is not None else None)
    )


def test_the_share_of_a_label(source):
    table = q.read(source, score="verdict", label="toxic", announce=False)
    assert table.mean.tolist()[:4] == [1, 0, 1, 1]
    assert (table.n_answers, int(table.status["missing"].sum())) == (5, 1)
    assert sorted(answers(table).values.tolist()) == [0, 0, 1, 1, 1]
    assert 'score: 1 where verdict is "toxic", 0 where it is another word' in table.notes


def test_a_label_that_nobody_gave(source):
    with pytest.raises(UnknownTerm, match='no label "toxc"; there are "fine", "toxic", "unsure"; did you mean "toxic"'):
        q.read(source, score="verdict", label="toxc", announce=False)
