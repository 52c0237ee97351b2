"""`quorate export`."""

from __future__ import annotations

import quorate as q


def test_a_file_for_another_tool_and_back(run, scores, tmp_path):
    ran = run("export", scores, "out.parquet")
    assert (ran.code, ran.out.split(":")[0]) == (0, "Wrote out.parquet")
    assert q.read(tmp_path / "out.parquet", announce=False).n_answers == 216
    ran = run("export", scores, "shared", "--format", "every-eval-ever", "--only", "prompt=x", "--json")
    assert (ran.code, ran.json["rows"], ran.json["per"]) == (0, 72, "answer")
    assert q.read(tmp_path / "shared", announce=False).n_answers == 72


def test_a_format_that_is_not_there(run, scores):
    ran = run("export", scores, "out", "--format", "xml")
    assert ran.code == 1
    assert 'no format "xml"' in ran.err
