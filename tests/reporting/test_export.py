from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput, NotEstimable, UnknownTerm

ROWS = [
    {"item": f"i{i}", "topic": "xy"[i % 2], "system": system, "judge": judge, "epoch": epoch}
    | {"score": None if (i, judge, epoch) == (3, "b", 1) else (i * 7 + epoch + len(system) + ord(judge)) % 5 / 4}
    for i in range(6)
    for system in ("amber", "org/basalt")
    for judge in "ab"
    for epoch in (1, 2)
]


@pytest.fixture(scope="module")
def table():
    return q.read(pl.DataFrame(ROWS), announce=False)


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    place = tmp_path_factory.mktemp("shared") / "out"
    written = q.export(table, place, format="every-eval-ever")
    assert (written.n, written.per) == (46, "answer")
    assert written.notes == ("2 judgments without a score are counted in the summaries alone",)
    return place


@pytest.mark.slow
def test_every_judgment_with_a_score_comes_back(table, folder):
    again = q.read(folder, announce=False)
    assert [(one.name, one.levels, one.parent) for one in again.facets] == [
        (one.name, one.levels, one.parent) for one in table.facets
    ]
    answered = table.keep(table.n > 0)
    for name in ("codes", "n", "mean", "ss", "low", "high"):
        assert np.array_equal(getattr(again, name), getattr(answered, name)), name
    assert not again.source.caveats


def test_a_summary_has_the_mean_and_interval_of_judges_and_panel(table, folder):
    (path,) = (one for one in folder.rglob("*.json") if "basalt" in str(one))
    summary = json.loads(path.read_text())
    results = {one["evaluation_result_id"].rpartition("/")[2]: one for one in summary["evaluation_results"]}
    assert results.keys() == {"judge=a", "judge=b", "panel"}
    mean = q.decompose(table.only("system", "org/basalt")).mean_for()
    said = results["panel"]["score_details"]
    interval = said["uncertainty"]["confidence_interval"]
    assert (said["score"], said["details"]) == (pytest.approx(mean.value), {"missing": "1"})
    assert (interval["lower"], interval["upper"]) == pytest.approx(mean.at(0.95, "satterthwaite").ends)
    assert interval["method"] == f"quorate {q.__version__}, satterthwaite"
    assert summary["detailed_evaluation_results"]["total_rows"] == 23


def test_files_have_what_the_schemas_require(folder, shared):
    schemas = shared / "data" / "formats" / "every-eval-ever"
    wanted = {
        ".json": json.loads((schemas / "eval.schema.json").read_text()),
        ".jsonl": json.loads((schemas / "instance_level_eval.schema.json").read_text()),
    }
    for path in (one for one in folder.rglob("*") if one.is_file()):
        schema = wanted[path.suffix]
        lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
        for one in map(json.loads, lines):
            assert set(schema["required"]) <= one.keys() <= schema["properties"].keys()


def test_repeats_that_nothing_names_are_numbered(tmp_path):
    frame = pl.DataFrame({"item": ["a", "a", "a", "b"], "judge": ["x"] * 4, "score": [1.0, 2.0, 2.0, 0.0]})
    q.export(q.read(frame, announce=False), tmp_path / "out", format="every-eval-ever")
    again = q.read(tmp_path / "out", announce=False)
    assert (again.n.tolist(), again.mean.tolist()) == ([3, 1], [pytest.approx(5 / 3), 0.0])


def test_what_cannot_be_written(table, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="is a file; name a folder"):
        q.export(table, tmp_path / "file", format="every-eval-ever")
    with pytest.raises(NotEstimable, match="none has a score"):
        q.export(table.keep(table.n == 0), tmp_path / "out", format="every-eval-ever")


TABLE = q.read(pl.DataFrame({"item": ["a", "b"], "score": [1, 2]}), announce=False)


def test_without_a_format_the_name_says_it(tmp_path):
    written = q.export(TABLE, tmp_path / "out.csv")
    assert written.path.read_text().splitlines()[0] == "item,score,status"


def test_a_format_that_is_not_there(tmp_path):
    with pytest.raises(UnknownTerm, match='no format "xml"'):
        q.export(TABLE, tmp_path / "out", format="xml")


def test_texts_that_a_spreadsheet_computes_are_led_by_an_apostrophe_where_that_is_wanted(tmp_path):
    names = ["=1+1", "+1", "-1", "@x", "a=b"]
    table = q.read(pl.DataFrame({"item": names, "judge": ["=j"] * 5, "score": [1.5, 2, 3, 4, 5]}), announce=False)
    for wanted, led in ((False, names), (True, ["'=1+1", "'+1", "'-1", "'@x", "a=b"])):
        written = q.export(table, tmp_path / f"{wanted}.csv", no_formulas=wanted)
        found = pl.read_csv(written.path)
        assert sorted(found["item"]) == sorted(led)
        assert set(found["judge"]) == {"'=j" if wanted else "=j"}
        assert sorted(found["score"]) == [1.5, 2, 3, 4, 5]
    for name, form in (("a.parquet", None), ("folder", "every-eval-ever")):
        with pytest.raises(InvalidInput, match=r"no_formulas=True: is for \.csv and \.tsv"):
            q.export(table, tmp_path / name, format=form, no_formulas=True)


FRAME = pl.DataFrame(
    {
        "item": ["q1", "q1", "q2", "q2"],
        "judge": ["ann", "bob", "ann", "bob"],
        "epoch": [2, 2, 3, 3],
        "score": [4.0, 5.0, None, None],
    }
)


def records(frame, path):
    written = q.export(q.read(frame, announce=False), path, format="inspect-scores")
    return written, [json.loads(line) for line in path.read_text().splitlines()]


def test_epochs_stay_and_judges_are_keys(tmp_path):
    written, lines = records(FRAME, tmp_path / "human.jsonl")
    assert lines == [{"id": "q1", "epoch": 2, "value": {"ann": 4.0, "bob": 5.0}}]
    assert (written.n, written.notes) == (1, ("2 judgments without a score: no value",))


def test_one_judge_has_a_number(tmp_path):
    _, lines = records(FRAME.filter(pl.col("judge") == "ann").drop("epoch"), tmp_path / "human.jsonl")
    assert lines == [{"id": "q1", "value": 4.0, "metadata": {"judge": "ann"}}]


@pytest.mark.parametrize(
    ("frame", "error", "said"),
    [
        (pl.concat([FRAME, FRAME]), InvalidData, "ann rated q1 more than once"),
        (FRAME.with_columns(system=pl.Series(["x", "y", "x", "y"])), InvalidInput, "a log is of one system"),
        (FRAME.with_columns(epoch=pl.lit("first")), InvalidInput, 'got the replicate "first"'),
    ],
)
def test_what_inspect_would_refuse(frame, error, said, tmp_path):
    with pytest.raises(error, match=said):
        q.export(q.read(frame, announce=False), tmp_path / "human.jsonl", format="inspect-scores")


def test_lines_need_their_ending(tmp_path):
    with pytest.raises(InvalidInput, match=r"must end in \.jsonl"):
        records(FRAME, tmp_path / "human.csv")
