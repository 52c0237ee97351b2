from __future__ import annotations

import gzip
import json
import math
import statistics
import subprocess
import sys
from collections import defaultdict

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidData, InvalidInput, UnknownColumn
from quorate.table.read_scores import read_scores

FACETS = {"item": "item", "judge": "judge", "temperature": "temp", "replicate": "rep"}


def as_json_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def as_csv(rows):
    def text(value):
        return "" if value is None else '"' + str(value).replace('"', '""') + '"'

    return ",".join(rows[0]) + "\n" + "".join(",".join(text(row[name]) for name in rows[0]) + "\n" for row in rows)


def in_every_form(rows, folder):
    """The same rows as every kind of source."""
    frame = pl.DataFrame(rows, schema={"item": pl.String, "judge": pl.String, "temp": pl.Float32, "rep": pl.Int64,
                                       "st": pl.String, "score": pl.Float64})  # fmt: skip
    (folder / "rows.csv").write_text(as_csv(rows), encoding="utf-8", newline="")
    (folder / "rows.jsonl").write_text(as_json_lines(rows), encoding="utf-8", newline="")
    frame.write_parquet(folder / "rows.parquet")
    yield from (folder / "rows.csv", str(folder / "rows.jsonl"), folder / "rows.parquet")
    yield from (frame, frame.lazy(), frame.with_columns(pl.col(pl.String).cast(pl.Categorical)))
    yield from (frame.to_pandas(), frame.to_pandas().iloc[::-1].set_index("rep", drop=False).iloc[::-1])
    yield frame.to_arrow()
    yield frame.with_columns(pl.col("score").cast(pl.String))


def in_plain_python(rows):
    """What reading must give, by the definition."""
    cells = defaultdict(list)
    for row in rows:
        cells[row["item"], row["judge"] or "(missing)", label(row["temp"])].append(row)
    return {cell: summary(members) for cell, members in cells.items()}


def label(value):
    return "(missing)" if value is None else {0.0: "0", 0.7: "0.7", 1.0: "1"}[value]


def summary(members):
    words = {"ok": "ok", "SUCCESS": "ok", "refusal": "refused", "failed": "error"}
    scores = [row["score"] for row in members if words[row["st"]] == "ok" and row["score"] is not None]
    status = defaultdict(int)
    for row in members:
        gone = words[row["st"]] == "ok" and row["score"] is None
        status["missing" if gone else words[row["st"]]] += 1
    return {
        "n": len(scores),
        "mean": statistics.fmean(scores) if scores else None,
        "ss": sum((x - statistics.fmean(scores)) ** 2 for x in scores) if scores else 0.0,
        "range": (min(scores), max(scores)) if scores else None,
        "status": dict(status),
        "distinct": len({row["rep"] for row in members}),
    }


def check(judgments, expected):
    labels = [[facet.levels[code] for code in judgments.column(facet.name)] for facet in judgments.facets]
    found = list(zip(*labels, strict=True))
    assert sorted(found) == sorted(expected)
    for place, cell in enumerate(found):
        want = expected[cell]
        assert judgments.n[place] == want["n"]
        assert {s: int(n[place]) for s, n in judgments.status.items() if n[place]} == want["status"]
        assert judgments.distinct[place] == want["distinct"]
        assert math.isclose(judgments.ss[place], want["ss"], rel_tol=1e-9, abs_tol=1e-9)
        if want["n"]:
            assert math.isclose(judgments.mean[place], want["mean"], rel_tol=1e-12, abs_tol=1e-12)
            assert (judgments.low[place], judgments.high[place]) == want["range"]
        else:
            assert np.isnan([judgments.mean[place], judgments.low[place], judgments.high[place]]).all()


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "item": st.sampled_from(["a", "b", "ü;\n\"'", "<b>"]),
            "judge": st.sampled_from(["x", "y", None]),
            "temp": st.sampled_from([0.0, 0.7, 1.0, None]),
            "rep": st.integers(0, 2) | st.none(),
            "st": st.sampled_from(["ok", "SUCCESS", "refusal", "failed"]),
            "score": st.none() | st.integers(-4, 4).map(float) | st.floats(-1e3, 1e3).map(lambda x: round(x, 3) + 0.0),
        }
    ),
    min_size=1,
    max_size=25,
)


@given(ROWS)
@few
def test_every_source_gives_what_plain_python_gives(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("rows")
    expected = in_plain_python(rows)
    tables = [read_scores(source, facets=FACETS, status="st") for source in in_every_form(rows, folder)]
    with duckdb.connect() as connection:
        relation = connection.read_parquet(str(folder / "rows.parquet"))
        tables.append(read_scores(relation, facets=FACETS, status="st"))
    csv, *typed = tables
    for judgments in typed:
        check(judgments, expected)
        assert [facet.levels for facet in judgments.facets] == [facet.levels for facet in typed[0].facets]
        np.testing.assert_array_equal(judgments.codes, typed[0].codes)
    # a CSV file has no types: numbers keep their spelling, in the same order
    assert [facet.levels for facet in csv.facets[:2]] == [facet.levels for facet in typed[0].facets[:2]]
    np.testing.assert_array_equal(csv.codes, typed[0].codes)
    np.testing.assert_array_equal(csv.facet("temperature").values, typed[0].facet("temperature").values)
    np.testing.assert_allclose(csv.ss, typed[0].ss, rtol=1e-9, atol=1e-9)


@pytest.fixture
def csv(tmp_path):
    def write(text, name="scores.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_file_with_usual_names_needs_no_options(csv):
    table = read_scores(csv("Item_ID,judge_model,category,outcome\n1,x,c,3\n2,x,c,4\n1,y,c,5\n"))
    assert table.names == ("item", "judge", "category")
    assert table.facet("item").parent == "category"
    assert table.notes[0] == "item = column Item_ID, item in category"
    np.testing.assert_array_equal(table.mean, [3, 5, 4])


def test_a_status_column_counts_when_names_are_recognised(csv):
    table = read_scores(csv("item,status,score\na,ok,1\na,refused,0\n"))
    assert table.n_answers == 1
    assert "status = column status" in table.notes


def test_a_category_that_items_do_not_determine_must_be_declared(csv):
    path = csv("item,topic,score\n1,a,1\n1,b,2\n2,a,3\n")
    with pytest.raises(InvalidData, match='column "topic": some labels of item occur under several; say which it is'):
        read_scores(path)
    assert read_scores(path, nested={"item": "topic"}).n_levels("item") == 3


def test_labels_of_csv_stay_as_written(csv):
    table = read_scores(csv("item,score\n007,1\n8,2\n7.50,3\n"))
    assert table.facet("item").levels == ("007", "7.50", "8")
    np.testing.assert_array_equal(table.facet("item").values, [7, 7.5, 8])


def test_bom_crlf_and_quoted_newlines(csv):
    table = read_scores(csv(b'\xef\xbb\xbfitem,score\r\n"a\r\nb",1\r\n"c, ""d""",2\r\n'))
    assert table.facet("item").levels == ("a\r\nb", 'c, "d"')


def test_labels_may_be_hostile(csv):
    label = '<script>alert(1)</script>"; DROP TABLE x; --'
    table = read_scores(csv('item,score\n"' + label.replace('"', '""') + '",1\n'))
    assert table.facet("item").levels == (label,)


def test_any_number_of_facets():
    names = [f"facet {i}" for i in range(12)]
    frame = pl.DataFrame({name: ["a", "b", "a"] for name in names} | {"score": [1, 2, 3]})
    table = read_scores(frame, facets={name: name for name in names}, object=names[0])
    assert table.names == tuple(names)
    assert table.n_cells == 2


def test_scores_that_stand_for_missing(csv):
    path = csv("item,score\na,1\na,N/A\nb,-1\n")
    table = read_scores(path, missing=("N/A", "-1"))
    assert {name: counts.tolist() for name, counts in table.status.items()} == {"ok": [1, 0], "missing": [1, 1]}


@pytest.mark.parametrize("kind", ["file", "polars", "pandas", "pyarrow", "lazy", "relation"])
def test_text_scores_are_counted_and_the_first_is_named(csv, kind):
    scores = ["1"] * 47 + ["N/A"] * 12 + ["2"]
    columns = {"item": [str(i) for i in range(60)], "score": scores}
    path = csv(as_csv([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]))
    source = {
        "file": path,
        "polars": pl.DataFrame(columns),
        "pandas": pd.DataFrame(columns, index=range(60, 0, -1)),
        "pyarrow": pa.table(columns),
        "lazy": pl.LazyFrame(columns),
        "relation": duckdb.read_csv(str(path), all_varchar=True),
    }[kind]
    with pytest.raises(InvalidData) as caught:
        read_scores(source)
    assert str(caught.value) == (
        'column "score" has 12 values that are not numbers (first: "N/A" in row 48); '
        'mark them missing with missing="N/A", or drop them'
    )
    assert read_scores(source, missing=("N/A",)).n_answers == 48


BAD = [
    ("item,score\n", {}, InvalidData, "has no rows"),
    ("", {}, InvalidData, "is empty"),
    ("item,points\na,1\n", {}, UnknownColumn, 'score: no column "score"; the data have "item", "points"'),
    ("name,score\na,1\n", {}, InvalidInput, 'object: "item" is not one of the facets'),
    ("item,score\na,inf\n", {}, InvalidData, 'not a number .first: "inf" in row 1'),
    ("item,score\na,nan\n", {}, InvalidData, 'not a number .first: "nan" in row 1'),
    ("item,score\n,1\n,2\na,3\n", {}, InvalidData, 'column "item" is empty in 2 rows; every row needs its item'),
    ("item,score\na,1\nb,2,3\n", {}, InvalidData, "line 3: the header has 2 columns, this line 3"),
    ("item,score\na,1e300\na,-1e300\n", {}, InvalidData, r"such as -1e\+300, whose squares overflow"),
    ("item,s,score\na,fine,1\n", {"status": "s"}, InvalidData, 'statuses that are not known: "fine"; use one of ok'),
    (b"\x89PNG\x00\x00", {}, InvalidData, "is binary"),
]


@pytest.mark.parametrize(("text", "options", "kind", "message"), BAD)
def test_bad_files_have_one_clear_line(csv, text, options, kind, message):
    with pytest.raises(kind, match=message) as caught:
        read_scores(csv(text), **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [{"item": ["a"], "score": [1]}, [1, 2], None, 3])
def test_what_is_neither_path_nor_frame(source):
    with pytest.raises(InvalidInput, match="source: expects a path or a data frame, got"):
        read_scores(source)


@pytest.mark.parametrize("empty", [pl.DataFrame, pd.DataFrame, pl.LazyFrame])
def test_frames_without_rows(empty):
    frame = empty({"item": [], "judge": [], "score": []})
    with pytest.raises(InvalidData, match="frame: has no rows"):
        read_scores(frame)


def test_a_relation_whose_file_is_broken(csv):
    path = csv("item,score\na,1\n" + "b,2\n" * 30_000 + "c,3,4\n")
    with pytest.raises(InvalidData, match="duckdb relation: ") as caught:
        read_scores(duckdb.read_csv(str(path), all_varchar=True, delimiter=",", header=True))
    assert "\n" not in str(caught.value)


def test_two_columns_of_one_name():
    frame = pd.DataFrame([["a", 1, 2]], columns=["item", "score", "score"])
    with pytest.raises(InvalidInput, match="score"):
        read_scores(frame)


def test_columns_without_any_value():
    frame = pl.DataFrame({"item": ["a", "b"], "judge": [None, None], "score": [None, None]})
    table = read_scores(frame)
    assert table.facet("judge").levels == ("(missing)",)
    assert table.n_answers == 0


def test_one_item_one_level_and_equal_scores_are_read(csv):
    table = read_scores(csv("item,judge,score\na,x,3\na,x,3\n"))
    assert (table.n_cells, table.mean[0], table.ss[0]) == (1, 3.0, 0.0)
    assert table.notes[-1] == "no replicate column: rows that repeat a cell are taken as its replicates"


def test_repeated_keys_are_read_and_can_be_told(csv):
    table = read_scores(csv("item,epoch,score\na,1,3\na,1,4\n"))
    assert (table.rows[0], table.distinct[0]) == (2, 1)


def test_mixed_kinds_of_label():
    table = read_scores(
        pd.DataFrame({"item": [1, "b", 2.0, None, True], "judge": ["x"] * 5, "score": [1] * 5}), object="judge"
    )
    assert table.facet("item").levels == ("1", "2", "b", "true", "(missing)")


def test_the_source_is_recorded(csv):
    path = csv("item,score\na,1\n")
    source = read_scores(path).source
    assert (source.name, source.backend, len(source.sha256)) == (str(path), None, 64)
    source = read_scores(pd.DataFrame({"item": ["a"], "score": [1]})).source
    assert (source.name, source.backend, source.sha256) == ("pandas frame", "pandas", None)


def test_the_order_of_rows_does_not_matter():
    frame = pl.DataFrame({"item": [3, 1, 2] * 4, "judge": list("xyxxyyxyxyxy"), "score": range(12)})
    first, second = read_scores(frame), read_scores(frame.sample(fraction=1.0, shuffle=True, seed=1))
    np.testing.assert_array_equal(first.codes, second.codes)
    np.testing.assert_allclose(first.ss, second.ss)


@pytest.mark.parametrize("levels", [10_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_million_levels(tmp_path, levels):
    path = tmp_path / "many.csv.gz"
    with gzip.open(path, "wt", compresslevel=1) as stream:
        stream.write("item,score\n")
        stream.writelines(f"item {i},{i % 7}\n" for i in range(levels))
    table = read_scores(path)
    assert table.n_cells == len(table.facet("item").levels) == levels


def test_nothing_is_left_open_at_exit(csv):
    paths = [csv("item,score\na,1\n"), csv("item,score\na,x\n", "text.csv"), csv("item,score\na\n", "ragged.csv")]
    script = (
        "import sys\nfrom quorate.errors import QuorateError\nfrom quorate.table.read_scores import read_scores\n"
        "for path in sys.argv[1:]:\n"
        "    try:\n        read_scores(path, announce=False)\n    except QuorateError as error:\n        print(error)\n"
    )
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", script, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 2


SHARED = [
    ("data/lme4_penicillin", {"facets": {"item": "plate", "judge": "sample"}, "score": "diameter"}, (144, 144)),
    ("data/lme4_dyestuff", {"facets": {"item": "Batch"}, "score": "Yield"}, (6, 30)),
    (
        "data/lme4_pastes",
        {"facets": {"item": "batch", "cask": "cask"}, "nested": {"cask": "item"}, "score": "strength"},
        (30, 60),
    ),
    ("data/lme4_insteval", {"facets": {"item": "s", "judge": "d"}, "score": "y"}, (73421, 73421)),
    (
        "data/topical_chat_gpt35_replicates",
        {"facets": {"item": "item", "dimension": "dimension", "prompt": "prompt", "replicate": "replicate"}},
        (10000, 199601),
    ),
    (
        "data/rating_scale_human_llm",
        {
            "facets": {
                "item": "item",
                "judge": "judge",
                "scale": "scale_max",
                "dimension": "dimension",
                "temperature": "temperature",
            },
            "nested": {"item": "benchmark"},
            "score": "score01",
        },
        (18900, 18898),
    ),
    (
        "data/llmbar_judges_prompts",
        {
            "facets": {"item": "item", "judge": "judge", "prompt": "prompt", "order": "swapped"},
            "nested": {"item": "subset"},
            "score": "correct",
        },
        (80826, 80478),
    ),
    (
        "data/rewardbench2_judges_k8",
        {
            "facets": {
                "item": "item",
                "response": "response",
                "judge": "judge",
                "prompt": "prompt",
                "temperature": "temperature",
                "replicate": "replicate",
            },
            "nested": {"response": "item"},
        },
        (153428, 1223741),
    ),
    ("reference/simulated/L-missing", {}, (6345, 49175)),
]


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize(("name", "options", "counts"), SHARED, ids=[name for name, _, _ in SHARED])
def test_real_data_from_file_and_from_frame(shared, name, options, counts):
    path = shared / f"{name}.parquet"
    from_file, from_frame = read_scores(path, **options), read_scores(pl.read_parquet(path), **options)
    assert (from_file.n_cells, from_file.n_answers) == counts
    assert from_file.notes == from_frame.notes
    assert [facet.levels for facet in from_file.facets] == [facet.levels for facet in from_frame.facets]
    np.testing.assert_array_equal(from_file.codes, from_frame.codes)
    np.testing.assert_allclose(from_file.mean, from_frame.mean, rtol=1e-12)
    np.testing.assert_allclose(from_file.ss, from_frame.ss, rtol=1e-9, atol=1e-12)
    if from_file.distinct is not None:
        assert from_file.describe().duplicates.rows == 0


def test_a_recognised_system_that_every_item_belongs_to_groups_the_items(csv):
    table = read_scores(csv("item,model,judge,score\na,m1,x,1\na,m1,y,2\nb,m2,x,3\nb,m2,y,4\n"))
    assert table.facet("item").parent == "system"
    assert "every item belongs to one system: nested in it" in table.notes


def test_a_recognised_system_that_is_crossed_with_items_stays_a_facet(csv):
    table = read_scores(csv("item,model,judge,score\na,m1,x,1\na,m2,x,2\nb,m1,x,3\nb,m2,x,4\n"))
    assert table.facet("item").parent is None


def test_what_was_recognised_is_logged_unless_it_is_not_wanted(csv, logged, capsys):
    path = csv("item_id,grader,score\na,x,1\nb,x,2\n")
    read_scores(path)
    assert logged == [("INFO", "item = column item_id; judge = column grader; score = column score")]
    logged.clear()
    read_scores(path, announce=False)
    read_scores(path, facets={"item": "item_id"})
    assert not logged
    assert not capsys.readouterr().err


STATED = "item_id,grader,status,score\na,x,ok,4\na,y,refused,0\nb,x,ok,2\nb,y,ok,3\n"


@pytest.mark.wide(1)
@pytest.mark.parametrize("options", [{}, {"recognise": True}], ids=["strict", "recognised"])
def test_refused_rows_do_not_count_as_zero_when_facets_are_declared(csv, options):
    path = csv(STATED)
    for source in (path, pl.read_csv(path), pl.scan_csv(path)):
        table = read_scores(source, facets={"item": "item_id", "judge": "grader"}, announce=False, **options)
        assert (table.n_answers, int(table.status["refused"].sum())) == (3, 1)
        assert "status = column status" in table.notes
        assert read_scores(source, facets={"item": "item_id"}, status="").n_answers == 4


def test_what_is_not_named_is_recognised_only_if_asked(csv):
    path = csv(STATED)
    assert read_scores(path, facets={"item": "item_id"}).names == ("item",)
    assert read_scores(path, facets={"item": "item_id"}, recognise=True, announce=False).names == ("item", "judge")


def test_statuses_that_are_not_known_say_how_to_ignore_the_column(csv):
    path = csv("item,status,score\na,done,4\nb,done,3\n")
    with pytest.raises(InvalidData, match='or status="" to ignore the column'):
        read_scores(path, facets={"item": "item"})


@pytest.mark.parametrize("as_source", [lambda p: p, pl.read_csv, pl.scan_csv], ids=["sql", "eager", "lazy"])
def test_most_scores_that_are_no_numbers_are_counted_against_all(csv, as_source):
    path = csv('item,score\na,"5,09"\nb,"4,1"\nc,3\nd,\n')
    with pytest.raises(InvalidData, match=r'\(first: "5,09" in row 1\), of 3 in all: write decimals with a point$'):
        read_scores(as_source(path), facets={"item": "item"})


def test_a_column_in_another_case_is_suggested(csv):
    with pytest.raises(InvalidInput, match=r'score: no column "Score".*; did you mean score="score"'):
        read_scores(csv("item,score\na,1\nb,2\n"), facets={"item": "item"}, score="Score")


WIDE = {
    "numpy 64 bits": lambda ids: pl.DataFrame({"item": ids}, schema={"item": pl.UInt64}),
    "lazy": lambda ids: pl.DataFrame({"item": ids}, schema={"item": pl.UInt64}).lazy(),
    "128 bits": lambda ids: pl.DataFrame({"item": ids}, schema={"item": pl.Int128}),
    "pandas": lambda ids: pd.DataFrame({"item": ids}),
}


@pytest.mark.parametrize("made", WIDE.values(), ids=WIDE)
@pytest.mark.parametrize("first", [2**63 + 1, 2**64 + 1, 2**53 + 1])
def test_whole_numbers_that_are_long_are_told_apart(made, first):
    """They ended in an OverflowError, or became one level where a floating point number was in between."""
    if first > 2**64 and made in (WIDE["numpy 64 bits"], WIDE["lazy"]):
        pytest.skip("no such number")
    frame = made([first, first + 1, first])
    scored = frame.assign(score=[1, 2, 3]) if isinstance(frame, pd.DataFrame) else frame.with_columns(score=pl.lit(1))
    found = q.read(scored, facets={"item": "item"})
    assert found.facet("item").levels == (str(first), str(first + 1))


@pytest.mark.wide(1)
@pytest.mark.parametrize("first", [2**63 + 1, 2**64 + 1])
def test_and_in_files(tmp_path, first):
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f'{{"item": {first + i}, "judge": 1.5, "score": 0.5}}\n' for i in (0, 1, 0)))
    assert q.read(path, facets={"item": "item"}).facet("item").levels == (str(first), str(first + 1))
    votes = tmp_path / "v.jsonl"
    votes.write_text(
        "".join(f'{{"model_a": "x", "model_b": "y", "winner": "x", "judge": {first + i}}}\n' for i in (0, 1, 0))
    )
    assert q.read_votes(votes, announce=False).facet("judge").levels == (str(first), str(first + 1))


def test_a_declared_scale_is_kept_and_scores_beyond_it_are_refused():
    frame = pl.DataFrame({"item": ["a", "a", "b", "b"], "judge": ["x", "y", "x", "y"], "score": [2, 4, 3, 7]})
    assert q.read(frame, scale=(1, 10), announce=False).scale == (1.0, 10.0)
    assert q.read(frame, scale=(1, 10), announce=False).keep(np.array([True, True, False, False])).scale == (1.0, 10.0)
    said = r'^scale: scores are from 1 to 5, got 7 \(item "b", judge "y"\); declare the scale that was used'
    with pytest.raises(InvalidData, match=said):
        q.read(frame, scale=(1, 5), announce=False)
    for wrong in ((5, 1), (1, float("inf")), 5, ("low", "high")):
        with pytest.raises(InvalidInput, match="scale: expects the least and the greatest score"):
            q.read(frame, scale=wrong, announce=False)


@pytest.mark.parametrize(
    ("judges", "given", "chosen"), [(500, {}, True), (501, {}, False), (501, {"fixed": ["judge"]}, True)]
)
def test_many_judges_are_drawn_unless_they_are_said_to_be_chosen(judges, given, chosen):
    frame = pl.DataFrame({"item": ["a", "b"] * judges, "judge": [f"r{k // 2}" for k in range(2 * judges)], "score": 1})
    table = q.read(frame, announce=False, **given)
    assert table.facet("judge").fixed == chosen
    assert ("501 judges: taken as drawn, not chosen" in table.notes) == (not chosen)


def test_a_sheet_has_one_column_that_says_what_its_rows_are():
    sheet = pl.DataFrame({"text_id": [1, 2, 3], "ann": [1, 2, 3], "bob": [2, 2, 3]})
    found = read_scores(sheet, wide={"judge": ["ann", "bob"]}, announce=False)
    assert found.names == ("item", "judge")
    assert found.facet("item").column == "text_id"
