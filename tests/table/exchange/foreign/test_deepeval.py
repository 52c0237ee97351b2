"""DeepEval: metrics of test cases."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from logs import read, statuses
from mutants import mutants, reads_or_refuses

from quorate.errors import InvalidData, InvalidInput


def metric(judge="j", score: float | None = 0.5, *, name="Correctness", **changed):
    known = {"name": name, "success": True, "threshold": 0.5, "evaluationModel": judge, "score": score} | changed
    return {key: value for key, value in known.items() if value is not None}  # as the tool leaves out None


def case(name="q1", *metrics, **changed):
    data = list(metrics) or [metric()]
    return {"name": name, "input": f"What is {name}?", "actualOutput": "x", "metricsData": data} | changed


def run(*cases, **changed):
    known = {"testCases": list(cases), "hyperparameters": {"model": "m", "prompt template": "plain", "k": 3}}
    return known | {"identifier": "i"} | changed


@pytest.fixture
def write(tmp_path):
    def writer(*cases, file="run.json", **changed):
        path = tmp_path / file
        path.write_text(json.dumps(run(*cases, **changed)))
        return path

    return writer


def test_the_file_of_the_latest_run_holds_it_beside_its_link(write, tmp_path):
    plain = read(write(case("a"), case("b", metric(score=0.9))))
    path = tmp_path / "latest.json"
    path.write_text(json.dumps({"testRunData": run(case("a"), case("b", metric(score=0.9))), "testRunLink": None}))
    assert read(path).mean.tolist() == plain.mean.tolist()


def test_a_judge_that_failed_has_no_score(write):
    unread = metric("k", None, error="ValueError: Evaluation LLM outputted an invalid JSON.")
    failed = metric("l", None, error="TimeoutError: too slow")
    table = read(write(case("q1", metric(), unread, failed, metric("n", None)), case("q2", metricsData=[])))
    assert statuses(table) == {"ok": 1, "unparsed": 1, "error": 1, "missing": 5}
    assert table.facet("judge").levels == ("j", "k", "l", "n")
    assert (table.facet("system").levels, table.facet("prompt").levels) == (("m",), ("plain",))


@pytest.mark.slow
def test_files_are_replicates_and_copies_are_refused(write, tmp_path):
    write(case("q1", metric(score=0.2)), file="a.json")
    write(case("q1", metric(score=0.4)), file="b.json")
    table = read(tmp_path)
    assert (table.n_cells, table.n_answers, table.mean[0]) == (1, 2, pytest.approx(0.3))
    write(case("q1", metric(score=0.4)), file="c.json")
    with pytest.raises(InvalidData, match=r"b\.json and c\.json both have item q1, system m, judge j"):
        read(tmp_path)


def test_an_item_is_its_name_or_else_what_it_is_about(write):
    items = read(write(case("test_case_0"), case("test_case_1"))).facet("item").levels
    assert [item[17:] for item in sorted(items, key=lambda item: item[17:])] == [
        "What is test_case_0?",
        "What is test_case_1?",
    ]
    named = [case("test_case_0", metadata={"question_id": 7}), case("q2"), case("q2", input="other")]
    items = read(write(*named)).facet("item").levels
    assert ("7" in items, sum(item.startswith("q2 ") for item in items)) == (True, 2)
    again = read(write(case("q1"), case("q1")))
    assert (again.n_cells, again.n_answers) == (1, 2)
    turns = case("conversational_test_case_0", turns=[{"role": "user", "content": "Hi"}], input=None)
    assert "Hi" in read(write(conversationalTestCases=[turns])).facet("item").levels[0]


def test_the_system_may_be_metadata(write):
    cases = [case("q1", metadata={"system": name, "topic": "t"}) for name in "xy"]
    table = read(write(*cases, hyperparameters=None))
    assert (table.facet("system").levels, table.facet("category").levels) == (("x", "y"), ("t",))
    assert table.n_cells == 2


@pytest.mark.slow
def test_several_metrics_are_not_pooled(write):
    path = write(case("q1", metric(), metric("j", 0.9, name="Tone"), metric(None, 1, name="Exact")))
    with pytest.raises(InvalidInput, match=r"3 metrics, .*Correctness \(1, 0.5 to 0.5\); Tone .*; Exact"):
        read(path)
    assert read(path, part="Exact").facet("judge").levels == ("Exact",)
    assert read(path, part="Correctness, Tone").facet("judge").levels == ("Correctness by j", "Tone by j")
    assert read(write(case("q1", metric(), metric()))).facet("judge").levels == ("j", "j 2")


def test_what_is_not_understood_is_named(write):
    with pytest.raises(InvalidData, match="no test case has metricsData"):
        read(write(case(metricsData=[])))
    with pytest.raises(InvalidData, match=r'test case 1: score of Correctness is "high"'):
        read(write(case("q1", metric(score="high"))))


def test_what_is_nested_deeply_is_read_or_refused(tmp_path_factory):
    text = json.dumps(run(case()))
    for depth in (930, 960, 990, 2000):  # between what can be read and what can be written again
        block = text.replace('"x"', "[" * depth + "]" * depth).encode()
        reads_or_refuses(tmp_path_factory.getbasetemp() / "deep.json", block)


def test_published_figures(shared):
    table = read(shared / "data" / "formats" / "deepeval")
    assert statuses(table) == {"ok": 21, "unparsed": 3}
    assert {facet.name: len(facet.levels) for facet in table.facets}["item"] == 6
    for names, n, value in (
        (("judge-a", "judge-b"), 21, 0.657143),
        (("judge-a",), 12, 0.725),
        (("judge-b",), 9, 0.566667),
    ):
        scores = [table.only("judge", name) for name in names]
        total = sum(float(np.nansum(one.mean * one.n)) for one in scores)
        assert (sum(one.n_answers for one in scores), round(total / n, 6)) == (n, value)


VALID = run(
    case("q1", metric(), metric("k", None, error="invalid JSON"), metadata={"topic": "a", "system": "m"}),
    case("test_case_1", metricsData=None),
)


@given(mutants(VALID))
def test_whatever_is_in_it(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-deepeval.json", block, format="deepeval")
