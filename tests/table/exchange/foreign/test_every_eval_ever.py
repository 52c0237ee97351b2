"""Every Eval Ever: samples of results, and the judgments of a panel."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from logs import json_lines, read, statuses
from mutants import mutants, reads_or_refuses

from quorate.errors import InvalidData, InvalidInput, UnknownTerm


def sample(item, score, result="match:accuracy", epoch="1", error=None, model="x/y", **metadata):
    return {
        "schema_version": "0.3.0",
        "model_id": model,
        "evaluation_name": "quiz",
        "evaluation_result_id": result,
        "sample_id": item,
        "evaluation": {"score": score, "is_correct": score > 0},
        "error": error,
        "metadata": {"epoch": epoch, **metadata},
    }


def summary(*judges):
    scoring = {"judges": [{"model_info": {"name": one, "id": one}} for one in judges], "input_prompt": "?"}
    result = {"evaluation_result_id": "match:accuracy", "metric_config": {"llm_scoring": scoring}}
    return {"schema_version": "0.3.0", "evaluation_results": [result], "eval_library": {"name": "x"}}


SAMPLES = [
    sample("1", 1.0),
    sample("1", 0.0, epoch="2", stop_reason="stop"),
    sample("2", 0.0, error="went away"),
    sample("2", 1.0, epoch="2"),
]


@pytest.fixture
def write(tmp_path):
    def writer(samples, about=None):
        path = tmp_path / "run_samples.jsonl"
        lines = samples if isinstance(samples, str) else json_lines(samples)
        path.write_text(lines)
        if about is not None:
            (tmp_path / "run.json").write_text(about if isinstance(about, str) else json.dumps(about))
        return path

    return writer


def test_attempts_of_a_model(write):
    table = read(write(SAMPLES))
    assert statuses(table) == {"ok": 3, "error": 1}
    assert (table.facet("system").levels, table.facet("judge").levels) == (("x/y",), ("match:accuracy",))
    assert table.replicate == "replicate"


def test_a_summary_names_the_judge_and_stands_for_its_samples(write, tmp_path):
    path = write(SAMPLES, summary("openai/gpt"))
    for place in (path, tmp_path / "run.json", tmp_path):
        table = read(place)
        assert (table.n_answers, table.facet("judge").levels) == (3, ("openai/gpt",))
    assert read(tmp_path / "run.json").source.sha256 == read(path).source.sha256
    path.unlink()
    with pytest.raises(InvalidInput, match="holds averages alone"):
        read(tmp_path / "run.json")


def test_averages_are_not_attempts(write):
    lines = [sample(item, score, epoch=epoch) for item, score in (("1", 0.5), ("2", 1.0)) for epoch in "123"]
    table = read(write(lines))
    assert (table.n_answers, table.replicate) == (2, None)
    assert [one.code for one in table.source.caveats] == ["averages-as-attempts"]


def test_results_are_chosen_and_an_error_belongs_to_each(write):
    lines = [*SAMPLES[:2], sample("1", 0.5, "rubric"), sample("1", 0.0, "rubric", "2"), sample("2", 0, None, error="x")]
    with pytest.raises(InvalidInput, match="the log has 2 results"):
        read(write(lines))
    table = read(write(lines), part="match:accuracy,rubric")
    assert statuses(table) == {"ok": 4, "error": 2}
    assert table.facet("judge").levels == ("match:accuracy", "rubric")
    with pytest.raises(UnknownTerm, match='no result "x"'):
        read(write(lines), part="x")


def test_judges_in_the_metadata_are_one_panel(write):
    lines = [sample("1", s, f"quiz/judge={j}", judge=j, prompt="p") for j, s in (("a", 1), ("b", 0))]
    table = read(write(lines))
    assert (table.facet("judge").levels, table.facet("prompt").levels) == (("a", "b"), ("p",))


def test_the_same_judgment_twice(write):
    assert "1 line repeated word for word: left out" in read(write([*SAMPLES, SAMPLES[0]])).notes
    with pytest.raises(InvalidData, match=r"line 5: gives sample 1 of match:accuracy a score of 0.25"):
        read(write([*SAMPLES, sample("1", 0.25)]))


BROKEN = st.one_of(
    st.tuples(mutants(SAMPLES, lines=True), st.none()), st.tuples(st.just(SAMPLES), mutants(summary("openai/gpt")))
)


@given(files=BROKEN)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_broken_file_is_a_table_or_one_line(write, files):
    reads_or_refuses(write(*files), format="every-eval-ever")


def test_files_of_its_converters(shared):
    folder = shared / "data" / "formats" / "every-eval-ever"
    table = read(folder / "popularity")
    assert (table.n_answers, np.average(table.mean)) == (3, pytest.approx(2 / 3))
    (path,) = (folder / "facts_panel").rglob("*_samples.jsonl")
    assert len(path.read_text().splitlines()) == 141
    panel = read(path, part="model_graded_qa:accuracy")
    assert statuses(panel) == {"ok": 12, "error": 1}
    assert [one.code for one in panel.source.caveats] == ["averages-as-attempts"]
    assert "70 lines repeated word for word: left out" in panel.notes
    with pytest.raises(InvalidInput, match="holds averages alone"):
        read(folder / "v0.2.0-hfopenllm.json")
