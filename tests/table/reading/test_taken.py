"""Tables that are read by themselves: by names, by a look, or not without an answer."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput, UnknownColumn
from quorate.table.reading.reading import Unsure

ROWS = [(f"i{i}", f"j{j}", 1 + (3 * i + i * j) % 5) for i in range(12) for j in range(3)]
FRAME = pl.DataFrame(ROWS, schema=["item", "who", "score"], orient="row")


def test_a_column_that_tells_rows_apart_is_a_facet_and_said(logged):
    table = q.read(FRAME)
    assert table.names == ("item", "who")
    assert logged[-1] == ("WARNING", "who tells apart rows that would repeat: taken as a facet")


def test_names_that_say_everything_are_quiet(logged, capsys):
    q.read(FRAME.rename({"who": "judge"}))
    assert [level for level, _ in logged] == ["INFO"]
    assert not capsys.readouterr().err


def test_what_somebody_said_is_asked_for_nothing():
    assert q.read(FRAME, facets={"item": "item"}).names == ("item",)
    assert q.read(FRAME, recognise=True).names == ("item",)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames_are_read_as_files_are(tmp_path, library):
    frame = pl.DataFrame({f"rater{j}": [1 + (i * i + j * i) % 5 for i in range(20)] for j in (1, 2, 3)})
    frame.write_csv(tmp_path / "matrix.csv")
    own = {"polars": lambda: frame, "pandas": frame.to_pandas, "pyarrow": frame.to_arrow}[library]()
    tables = [q.read(source, announce=False) for source in (own, tmp_path / "matrix.csv")]
    assert [table.n_levels("item") for table in tables] == [20, 20]
    assert tables[0].facet("judge").levels == ("rater1", "rater2", "rater3")
    assert q.analyze(tables[0]).sentence == q.analyze(tables[1]).sentence
    wide = q.read(own, wide={"judge": ["rater1", "rater2"]}, facets={"item": "row number"}, recognise=True)
    assert wide.n_cells == 40


def test_rows_of_a_frame_that_is_not_in_memory_have_no_numbers():
    with pytest.raises(InvalidInput, match="collect it first"):
        q.read(FRAME.lazy(), facets={"item": "row number"}, score="score")


def test_what_a_look_does_not_explain_is_refused_as_before(tmp_path):
    with pytest.raises(UnknownColumn):
        q.read(FRAME.drop("score").lazy())
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\nx,y,7\ny,x,9\n")
    with pytest.raises(InvalidData, match="outcome"):
        q.read(tmp_path / "votes.csv")


def test_nothing_judged():
    with pytest.raises(Unsure, match="no column looks like a judgment"):
        q.read(FRAME.select(note=pl.lit("x"), text=pl.col("item") + pl.col("who")))
