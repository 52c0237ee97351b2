"""Every Eval Ever: what was written is read as the same judgments, and fits the format's schema."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable

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
