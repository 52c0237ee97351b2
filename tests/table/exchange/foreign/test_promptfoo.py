"""promptfoo: scores of assertions."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from logs import json_lines, read, statuses
from mutants import mutants, reads_or_refuses

from quorate.errors import InvalidData, InvalidInput

RUBRIC = {"type": "llm-rubric", "value": "The reply answers."}


def assertion(**changed):
    return RUBRIC | {"metric": "a"} | changed


def result(score=1.0, *, assertion=None, **changed):
    return {"pass": True, "score": score, "reason": "so", "assertion": assertion or RUBRIC | {"metric": "a"}} | changed


def output(test=0, *, results=(), asked=(), **changed):
    row = {
        "testIdx": test,
        "promptIdx": 0,
        "promptId": "7f3a",
        "prompt": {"raw": "Capital of Peru?", "label": "plain"},
        "provider": {"id": "openai:x", "label": "x"},
        "vars": {"question": "Capital of Peru?"},
        "testCase": {"description": "q1", "assert": list(asked), "metadata": {"topic": "geography", "Topic": "y"}},
        "failureReason": 0,
        "gradingResult": {"pass": True, "score": 1, "componentResults": list(results)},
    }
    return row | changed


def export(rows, version=3, **changed):
    return {"evalId": "eval-1", "results": {"version": version, "timestamp": "t", "results": rows}, **changed}


@pytest.fixture
def write(tmp_path):
    def writer(*rows, **whole):
        path = tmp_path / ("out.json" if whole else "out.jsonl")
        text = json.dumps(export(rows, **whole)) if whole else json_lines(rows)
        path.write_text(text)
        return path

    return writer


def mean(table):
    return float((table.n * np.nan_to_num(table.mean)).sum() / table.n.sum())


def test_a_result_without_its_parts_is_one_assertion(write):
    rows = [output(n, gradingResult={"pass": n < 2, "score": float(n < 2), "reason": "All passed"}) for n in range(3)]
    table = read(write(*rows))
    assert (table.n_answers, mean(table)) == (3, pytest.approx(2 / 3))


def test_a_grader_that_failed_has_no_score(write):
    broken = result(0, metadata={"graderError": True}, assertion=assertion(metric="b"), reason="endpoint is down")
    unread = result(0, assertion=assertion(metric="c"), reason="Could not extract JSON from llm-rubric response")
    table = read(write(output(results=[result(0), broken, unread])))
    assert statuses(table) == {"ok": 1, "unparsed": 1, "error": 1}
    assert mean(table) == 0


def test_what_was_asked_for_and_is_not_there_is_missing(write):
    asked = [{"type": "assert-set", "assert": [assertion(), assertion(metric="b")]}]
    failed = output(asked=asked, gradingResult=None, failureReason=2, error="endpoint is down")
    half = output(1, asked=asked, results=[result(0.5)])
    table = read(write(failed, half))
    assert statuses(table) == {"ok": 1, "missing": 1, "error": 2}
    assert table.facet("judge").levels == ("a", "b")


def test_a_set_of_assertions_is_no_judgment(write):
    parts = [result(0.2), result(0.4, assertion=assertion(metric="b"))]
    whole = {"pass": True, "score": 0.3, "reason": "set", "componentResults": parts}
    for results in ([whole, *parts], [whole]):  # versions repeat the parts behind the set, or do not
        table = read(write(output(results=results)))
        assert (table.n_answers, mean(table)) == (2, pytest.approx(0.3))


def test_a_metric_that_is_no_name_is_refused(write):
    with pytest.raises(InvalidData, match="metric"):
        read(write(output(results=[], asked=[assertion(metric=["a"])])))


@pytest.mark.slow
def test_results_without_an_assertion_take_that_of_their_place(write):
    bare = [{"score": 0.2, "reason": "so"}, {"score": 0.4, "assertion": None}]
    table = read(write(output(results=bare, asked=[assertion(), assertion(metric="b")])))
    assert table.facet("judge").levels == ("a", "b")


@pytest.mark.slow
def test_a_judge_is_its_metric_or_its_grader_or_its_type(write):
    asked = [
        RUBRIC | {"metric": "m"},
        RUBRIC | {"provider": "openai:g"},
        RUBRIC | {"provider": {"text": {"id": "openai:h"}}},
        RUBRIC,
        RUBRIC,
    ]
    table = read(write(output(results=[result(assertion=one) for one in asked])))
    assert table.facet("judge").levels == ("llm-rubric", "llm-rubric 2", "m", "openai:g", "openai:h")
    default = output(results=[result(assertion=RUBRIC)])
    default["testCase"]["options"] = {"provider": "openai:d"}
    assert read(write(default)).facet("judge").levels == ("openai:d",)


def test_other_questions_are_not_pooled(write):
    tone = assertion(metric="tone", value="It is kind.")
    contains = {"type": "icontains", "value": "Lima"}
    path = write(output(results=[result(), result(0.5, assertion=tone), result(0, assertion=contains)]))
    with pytest.raises(InvalidInput, match=r"3 assertions, .*: a \(1, 1 to 1\); tone \(1, .*icontains.*part=\"a\""):
        read(path)
    assert read(path, part="a, tone").facet("judge").levels == ("a", "tone")
    assert read(path, part="icontains").n_answers == 1
    assert read(path, part="llm-rubric").n_answers == 2


def test_repeats_are_replicates_of_one_item(write):
    rows = [output(test, results=[result(test / 10)]) for test in (2, 0, 1)]
    for path in (write(*rows), write(*rows, runtimeOptions={"repeat": 3})):
        table = read(path)
        assert (table.n_cells, table.n_answers) == (1, 3)
        assert table.facet("item").levels == ("q1",)
        assert table.facet("category").levels == ("geography",)
    twice = [output(test, results=[result()]) for test in range(4)]
    assert read(write(*twice, runtimeOptions={"repeat": 2})).facet("item").levels == ("q1 (test 0)", "q1 (test 1)")


@pytest.mark.slow
def test_names_that_are_shared_are_told_apart(write):
    other = output(1, results=[result()], vars={"question": "7*6?"})
    hotter = output(0, results=[result()], promptIdx=1)
    reworded = output(0, results=[result()], promptIdx=2, promptId="8888888899")
    table = read(write(output(results=[result()]), other, hotter, reworded))
    assert [level[:3] for level in table.facet("item").levels] == ["q1 ", "q1 "]
    assert table.facet("system").levels == ("x", "x (2)")
    assert table.facet("prompt").levels == ("plain (7f3a)", "plain (88888888)")
    long = output(results=[result()], prompt={"label": "Think. " * 20}, testCase={})
    assert len(read(write(long)).facet("prompt").levels[0]) < 60


@pytest.mark.parametrize("asked", ["Capital of Peru?", "Capital of Peru, please?"])
def test_ids_of_one_prompt_that_number_its_outputs_are_no_prompts(write, asked):
    """One text at one test is one prompt, whatever ids its outputs have; of two texts the ids tell."""
    rows = [
        output(
            test,
            results=[result()],
            provider=name,
            promptIdx=place,
            promptId=f"{place}{test}",
            prompt={"raw": asked if place else "Capital of Peru?", "label": "plain"},
            vars={"question": str(test)},
        )
        for test in range(3)
        for place, name in enumerate(("x", "y"))
    ]
    table = read(write(*rows))
    assert table.facet("system").levels == ("x", "y")
    assert table.n_levels("prompt") == (1 if asked == "Capital of Peru?" else 6)


def test_copies_from_the_cache_are_said(write):
    rows = [output(test, results=[result()], response={"cached": test > 0}) for test in range(3)]
    assert [one.code for one in read(write(*rows)).source.caveats] == ["cached-answers"]
    rows[1]["response"] = {"cached": False}
    assert not read(write(*rows)).source.caveats


@pytest.mark.parametrize(
    ("rows", "whole", "said"),
    [
        ([output()], {"version": 4}, "results have version 4; read are 2 and 3"),
        ([output(gradingResult={"score": 1, "reason": "No assertions"})], {}, "no output has an assertion"),
        ([{"prompt": {}}], {"version": 3}, 'result 1 has no "provider"'),
        ([output(results=[result("high")])], {}, r'result 1: score of a is "high"; a number'),
        ([output(provider=None)], {}, r"result 1: provider is null"),
    ],
)
def test_what_is_not_understood_is_named(write, rows, whole, said):
    with pytest.raises(InvalidData, match=said):
        read(write(*rows, **whole))


def test_a_download_of_its_web_page_and_older_rows(tmp_path):
    """The page wraps version 3 in a version of its own; rows of version 2 have no place among prompts and tests."""
    page = {"version": 4, "createdAt": "t", **export([output(results=[result(0.5)])])}
    del page["evalId"]
    older = {key: value for key, value in output(results=[result(0.5)]).items() if key[:4] not in ("prom", "test")}
    older |= {"prompt": {"raw": "Capital?", "label": "plain"}, "provider": "x"}
    for whole in (page, export([older, older], version=2)):
        (tmp_path / "out.json").write_text(json.dumps(whole))
        table = read(tmp_path / "out.json")
        assert (table.n_cells, mean(table)) == (1, 0.5)
        assert table.facet("system").levels == ("x",)


def test_a_line_longer_than_what_is_looked_at_is_told(write):
    long = result(reason="x" * 200_000)
    assert (
        read(write(output(results=[long], cost=0.1) | {"gradingResult": {"componentResults": [long]}})).n_answers == 1
    )
    first = {"cost": 0.1, "gradingResult": {"componentResults": [long]}}
    assert read(write({**first, **output(results=[long])})).n_answers == 1


def test_published_figures(shared):
    folder = shared / "data" / "formats" / "promptfoo"
    table = read(folder / "facts-repeat3.json")
    assert (len(table.rows), int(table.rows.sum())) == (72, 216)
    assert statuses(table) == {"ok": 202, "unparsed": 3, "error": 11}
    sizes = {"item": 6, "prompt": 2, "judge": 3, "system": 2, "category": 3}
    assert {facet.name: len(facet.levels) for facet in table.facets} == sizes
    assert mean(table) == pytest.approx(0.545545, abs=5e-7)
    expected = {"judge-a": (70, 0.567143), "judge-b": (67, 0.462687), "judge-c": (65, 0.607692)}
    for judge, (n, value) in expected.items():
        one = table.only("judge", judge)
        assert (one.n_answers, round(mean(one), 6)) == (n, value)
    for (system, prompt), (n, value) in {
        ("amber", "plain"): (51, 0.486275),
        ("amber", "polite"): (54, 0.383333),
        ("basalt", "plain"): (49, 0.728571),
        ("basalt", "polite"): (48, 0.604167),
    }.items():
        one = table.only("system", system).only("prompt", prompt)
        assert (one.n_answers, round(mean(one), 6)) == (n, value)
    lines = read(folder / "facts-repeat3.jsonl")
    assert (lines.mean == table.mean)[table.n > 0].all()
    assert (lines.n == table.n).all()
    contains = read(folder / "facts-repeat3.json", part="icontains")
    assert (contains.n_answers, round(mean(contains), 6)) == (70, 0.585714)
    assert statuses(contains) == {"ok": 70, "error": 2}


def test_its_csv_says_which_outputs_passed(shared, tmp_path):
    """As the export of the same evaluation does, whose tests are repeated."""
    folder = shared / "data" / "formats" / "promptfoo"
    table = read(folder / "facts-repeat3.csv")
    results = json.loads((folder / "facts-repeat3.json").read_text())["results"]["results"]
    passed = {
        name: sum(one["success"] for one in results if one["provider"].get("label", one["provider"]["id"]) == name)
        for name in table.facet("system").levels
    }
    assert table.n_levels("item") * 3 == len(results) / 4
    assert {
        name: float((of.n * of.mean)[of.n > 0].sum()) for name in passed if (of := table.only("system", name))
    } == passed
    text = (folder / "facts-repeat3.csv").read_text().replace("[amber] ", "").replace("[basalt] ", "")
    (tmp_path / "bare.csv").write_text(text)
    with pytest.raises(InvalidInput, match=r"no column names a provider; .* promptfoo export eval ID -o bare\.json"):
        read(tmp_path / "bare.csv")


def test_half_a_file_is_refused(shared):
    folder = shared / "data" / "formats"
    with pytest.raises(InvalidData, match="the file is cut off: export it again"):
        read(folder / "malformed" / "truncated-promptfoo.json")


VALID = output(0, results=[result(), result(0.5, assertion=assertion(metric="b"))], asked=[assertion()])


@given(mutants([VALID, output(1, gradingResult=None, asked=[assertion()], failureReason=2)], lines=True))
def test_whatever_is_in_its_lines(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-promptfoo.jsonl", block, format="promptfoo")


@given(mutants(export([VALID], runtimeOptions={"repeat": 3}, metadata={"promptfooVersion": "0.123.1"})))
def test_whatever_is_in_an_export(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-promptfoo.json", block, format="promptfoo")


TABLE = "question,[gpt] Be brief,[mistral:small] Be brief\n"
TABLE += 'q1,[PASS] a,"[FAIL] Expected\n---\nb"\nq2,[ERROR] timeout,[PASS] c\n'


def test_a_table_of_outputs_says_which_passed(tmp_path):
    path = tmp_path / "output.csv"
    path.write_text(TABLE, encoding="utf-8")
    table = read(path)
    assert {name: table.only("system", name).mean.tolist() for name in ("gpt", "mistral:small")} == {
        "gpt": [1.0, pytest.approx(np.nan, nan_ok=True)],
        "mistral:small": [0.0, 1.0],
    }
    assert statuses(table) == {"ok": 3, "error": 1}
    path.write_text(TABLE.replace("[PASS] a", "a"), encoding="utf-8")
    with pytest.raises(InvalidData, match="row 2: no PASS, FAIL or ERROR"):
        read(path)
