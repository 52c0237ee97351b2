"""OpenAI Evals: events of samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from logs import read, statuses
from mutants import mutants, reads_or_refuses

from quorate.errors import InvalidData, InvalidInput

SPEC = {"spec": {"completion_fns": ["answerer", "grader"], "eval_name": "facts.dev.v0", "run_id": "r"}}
REPORT = {"final_report": {"accuracy": 0.5}, "run_id": "r"}


def event(sample="facts.0", kind="metrics", run="r", **data):
    return {"run_id": run, "event_id": 0, "sample_id": sample, "type": kind, "data": data}


def test_a_grade_that_was_not_read_and_a_grader_that_failed_have_no_score(write_lines):
    lines = [
        event("a", score=1.0, choice="Y"),
        event("b", score=0.0, choice="__invalid__"),
        event("c", kind="sampling", sampled=["x"]),
        event("c", kind="error", message="down"),
        event("d", kind="sampling"),
    ]
    table = read(write_lines(SPEC, REPORT, *lines))
    assert statuses(table) == {"ok": 1, "unparsed": 1, "error": 1, "missing": 1}
    assert (table.facet("system").levels, table.facet("judge").levels) == (("answerer",), ("grader",))


def test_graded_and_matched_are_not_pooled(write_lines):
    path = write_lines(SPEC, event(score=1.0), event(kind="match", correct=False), event("b", score=True, f1=0.5))
    with pytest.raises(InvalidInput, match=r"3 scores, .*: metrics \(2, 1 to 1\); match \(1, 0 to 0\); metrics\.f1"):
        read(path)
    assert statuses(read(path, part="match")) == {"ok": 1, "missing": 1}
    both = read(path, part="metrics, match")
    assert both.facet("judge").levels == ("match", "metrics")


def test_a_report_may_come_first_and_samples_may_repeat(write_lines):
    table = read(write_lines(REPORT, event(score=1), event(score=0), event("b", score=1)))
    assert (table.names, table.n_cells, table.n_answers) == (("item",), 2, 3)


def test_what_is_not_understood_is_named(write_lines):
    with pytest.raises(InvalidData, match=r"line 2: sample_id is null; a name or a number"):
        read(write_lines(SPEC, {"type": "match", "data": {}}))
    with pytest.raises(InvalidData, match="no sample has a score"):
        read(write_lines(SPEC, event(kind="sampling")))
    with pytest.raises(InvalidData, match=r'line 2: score is "high"'):
        read(write_lines(SPEC, event(score="high")))


def test_published_figures(shared):
    path = shared / "data" / "formats" / "openai-evals" / "facts.jsonl"
    metrics, match = (read(path, part=part) for part in ("metrics", "match"))
    assert statuses(metrics) == {"ok": 6, "unparsed": 1, "error": 1}
    assert statuses(match) == {"ok": 7}
    assert np.nansum(metrics.mean * metrics.n) / 6 == pytest.approx(0.666667, abs=5e-7)
    assert match.mean.mean() == pytest.approx(0.571429, abs=5e-7)


@given(mutants([SPEC, event(score=1.0, choice="Y"), event("b", kind="match", correct=True), REPORT], lines=True))
def test_whatever_is_in_it(tmp_path_factory, block):
    path = tmp_path_factory.getbasetemp() / "fuzz-openai-evals.jsonl"
    reads_or_refuses(path, block, format="openai-evals", part="metrics, match")
