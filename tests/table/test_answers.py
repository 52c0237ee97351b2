from __future__ import annotations

import time
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput, NotEstimable
from quorate.table.reread import answers

FACETS = {"item": "item", "judge": "judge", "round": "round", "replicate": "rep"}
ROWS = 400


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    """Unbalanced: some cells only fail, some scores stand for none, replicates of two digits, a judge not named."""
    rng = np.random.default_rng(4)
    return pl.DataFrame(
        {
            "item": [f"item {i}" for i in rng.integers(0, 9, ROWS)],
            "judge": rng.choice(["a", "b", None], ROWS, p=[0.5, 0.4, 0.1]).tolist(),
            "round": rng.integers(1, 13, ROWS),
            "rep": np.arange(ROWS) % 23,
            "score": np.round(rng.normal(5, 2, ROWS), 3),
            "status": rng.choice(["ok", "OK ", "refused"], ROWS, p=[0.5, 0.2, 0.3]).tolist(),
        }
    ).with_columns(pl.when(pl.int_range(ROWS) % 11 == 0).then(-99).otherwise("score").alias("score"))


def _csv(frame, folder):
    frame.write_csv(folder / "rows.csv")
    return folder / "rows.csv"


def _jsonl(frame, folder):
    frame.write_ndjson(folder / "rows.jsonl")
    return folder / "rows.jsonl"


def _parquet(frame, folder):
    frame.write_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


SOURCES = {
    "csv": _csv,
    "jsonl": _jsonl,
    "parquet": _parquet,
    "polars": lambda frame, _: frame,
    "pandas": lambda frame, _: frame.to_pandas(),
    "pyarrow": lambda frame, _: frame.to_arrow(),
    "lazy": lambda frame, _: frame.lazy(),
    "lazy text": lambda frame, _: frame.with_columns(pl.col("score").cast(pl.String)).lazy(),
    "duckdb": lambda frame, _: duckdb.connect().from_arrow(frame.to_arrow()),
}


def _expected(frame, table):
    """Answers cell by cell in plain Python."""
    good = [row for row in frame.iter_rows(named=True) if row["status"].strip().lower() == "ok" and row["score"] != -99]
    out = []
    for codes in table.codes:
        labels = tuple(facet.levels[code] for facet, code in zip(table.facets, codes, strict=True))
        mine = [r for r in good if (r["item"], r["judge"] or "(missing)", str(r["round"])) == labels]
        out += [row["score"] for row in sorted(mine, key=lambda row: (row["rep"], row["score"]))]
    return out


@pytest.mark.wide(3)
@pytest.mark.parametrize("kind", SOURCES)
def test_the_same_answers_in_the_same_order_from_every_source(kind, rows, tmp_path):
    table = q.read(SOURCES[kind](rows, tmp_path), facets=FACETS, missing=("-99",))
    values, offsets = answers(table)
    assert values.tolist() == _expected(rows, table)
    np.testing.assert_array_equal(np.diff(offsets), table.n)
    assert (table.n == 0).any()


@pytest.mark.wide(2)
@pytest.mark.parametrize("kind", ["csv", "pandas", "lazy", "duckdb"])
def test_answers_of_a_part(kind, rows, tmp_path):
    table = q.read(SOURCES[kind](rows, tmp_path), facets=FACETS, missing=("-99",))
    for part in (
        table.only("judge", "b"),
        table.without("item", "item 3"),
        table.only("judge", "(missing)"),
        table.keep(table.n > 1),
    ):
        assert answers(part).values.tolist() == _expected(rows, part)


@pytest.mark.slow
def test_without_replicates_answers_go_by_value(rows, tmp_path):
    frame = pl.DataFrame({"item": ["a", "b", "a", "a"], "score": [3, 1, 1, 2]})
    for kind in ("csv", "polars", "duckdb"):
        assert answers(q.read(SOURCES[kind](frame, tmp_path), facets={"item": "item"})).values.tolist() == [1, 2, 3, 1]


@pytest.mark.slow
def test_replicates_that_are_no_numbers_come_after_those_that_are(tmp_path):
    frame = pl.DataFrame(
        {"item": ["a"] * 6, "rep": ["y", "10", "x", "9", None, "x"], "score": [4.0, 1.0, 3.0, 0.0, 5.0, 2.0]}
    )
    for kind in ("csv", "jsonl", "parquet", "polars", "pandas", "lazy", "duckdb"):
        table = q.read(SOURCES[kind](frame, tmp_path), facets={"item": "item", "replicate": "rep"})
        assert answers(table).values.tolist() == [0, 1, 2, 3, 4, 5], kind


@pytest.mark.slow
def test_a_nested_item_whose_labels_start_again(tmp_path):
    frame = pl.DataFrame({"group": ["g", "h", "g", "h"], "item": ["1", "1", "2", "1"], "score": [1.0, 2.0, 3.0, 4.0]})
    for kind in ("csv", "polars"):
        table = q.read(SOURCES[kind](frame, tmp_path), facets={"item": "item"}, nested={"item": "group"})
        values, offsets = answers(table)
        assert [part.tolist() for part in np.split(values, offsets[1:-1])] == [[1], [2, 4], [3]]


def test_no_usable_answer_at_all(tmp_path):
    frame = pl.DataFrame({"item": ["a", "b"], "score": ["", ""]})
    for kind in ("csv", "polars"):
        table = q.read(SOURCES[kind](frame, tmp_path), facets={"item": "item"})
        assert (answers(table).values.tolist(), answers(table).offsets.tolist()) == ([], [0, 0, 0])


def test_a_relative_path_is_found_from_elsewhere(tmp_path, monkeypatch):
    _csv(pl.DataFrame({"item": ["a"], "score": [1]}), tmp_path)
    monkeypatch.chdir(tmp_path)
    table = q.read("rows.csv", facets={"item": "item"})
    monkeypatch.chdir("/")
    assert answers(table).values.tolist() == [1]


def test_a_changed_file_is_refused(rows, tmp_path):
    path = _csv(rows, tmp_path)
    table = q.read(path, facets=FACETS, missing=("-99",))
    path.write_text(path.read_text() + "item 1,a,1,1,3,ok\n")
    with pytest.raises(InvalidData, match="changed since it was read; read it again"):
        answers(table)
    path.unlink()
    with pytest.raises(InvalidInput, match="no such file"):
        answers(table)


@pytest.mark.parametrize(("column", "value"), [("item", "b"), ("score", 2.5), ("score", float("inf"))])
def test_a_changed_frame_is_refused(column, value):
    frame = pd.DataFrame({"item": ["a", "a", "b"], "score": [1.0, 2.0, 3.0]})
    table = q.read(frame, facets={"item": "item"})
    frame.loc[1, column] = value
    with pytest.raises(InvalidData, match="changed since"):
        answers(table)


def test_judgments_that_were_not_read():
    table = q.read(
        pl.DataFrame({"item": ["a"], "judge": ["x"], "score": [1]}), facets={"item": "item", "judge": "judge"}
    )
    with pytest.raises(NotEstimable, match="read them from rows"):
        answers(replace(table, origin=None))
    with pytest.raises(NotEstimable, match="not those that were read"):
        answers(replace(table, facets=table.facets[:1], codes=table.codes[:, :1]))
    with pytest.raises(InvalidInput, match="read it first"):
        answers("scores.csv")  # type: ignore[arg-type]


def test_origin_holds_the_frame_itself_and_no_copy(rows):
    frame = rows.to_pandas()
    assert q.read(frame, facets=FACETS, missing=("-99",)).origin.source is frame


@pytest.mark.wide(1)
@pytest.mark.parametrize("kind", ["csv", "parquet", "polars"])
def test_many_answers_in_many_cells_take_about_as_long_as_reading_them(kind, tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "item": np.repeat(np.arange(2_000), 6),
            "judge": np.tile(["a", "b", "c"], 4_000),
            "rep": np.tile([1, 1, 1, 2, 2, 2], 2_000),
            "score": rng.normal(size=12_000),
        }
    ).sample(fraction=1, shuffle=True, seed=1)
    source = SOURCES[kind](frame, tmp_path)
    start = time.process_time()
    table = q.read(source, facets={"item": "item", "judge": "judge", "replicate": "rep"})
    reading = time.process_time() - start
    start = time.process_time()
    values, _ = answers(table)
    assert time.process_time() - start < 5 * reading + 0.5
    wanted = frame.with_columns(pl.col("item").cast(pl.Int64)).sort("item", "judge", "rep")["score"].to_numpy()
    np.testing.assert_array_equal(values, wanted)
